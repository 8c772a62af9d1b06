// SPDX-License-Identifier: MIT
#include <pelt/evaluate.h>

#include "tests/conformance/back_end.h"

namespace pelt::conformance {
namespace {

class CpuBackEnd final : public BackEnd {
 public:
  Result<std::vector<Moved>> move(const Character& character, std::span<const Pose> poses) override {
    std::vector<Moved> results;
    for (const Pose& pose : poses) {
      Evaluator evaluator(character);
      evaluator.pose(pose.joints);
      for (std::size_t s = 0; s < pose.streams.size(); ++s) evaluator.stream(s, pose.streams[s]);
      for (const auto& [name, value] : pose.controls) {
        if (const auto control = character->find_control(name)) evaluator.control(*control, value);
      }
      evaluator.evaluate();
      results.push_back({{evaluator.positions().begin(), evaluator.positions().end()},
                         {evaluator.normals().begin(), evaluator.normals().end()}});
    }
    return results;
  }
};

}  // namespace

std::unique_ptr<BackEnd> make_cpu_back_end() { return std::make_unique<CpuBackEnd>(); }

}  // namespace pelt::conformance
