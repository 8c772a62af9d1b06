// SPDX-License-Identifier: MIT
#include "engine/character/evaluate.h"
#include "tests/conformance/back_end.h"

namespace pelt::conformance {
namespace {

class CpuBackEnd final : public BackEnd {
 public:
  Result<std::vector<Moved>> move(const Character& character, std::span<const Pose> poses) override {
    Evaluator evaluator(character);
    std::vector<Moved> results;
    for (const Pose& pose : poses) {
      evaluator.pose(pose.joints);
      for (std::size_t s = 0; s < pose.streams.size(); ++s) evaluator.stream(s, pose.streams[s]);
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
