// SPDX-License-Identifier: MIT
// Shows how much of a bind's time has passed, by what its stages are expected to take (bind_cost.h) and by the clock.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace pelt {

struct BindStage {
  std::string name;
  double seconds = 0;  // that it is expected to take
};

class BindProgress {
 public:
  using Show = std::function<void(double fraction, const std::string& what)>;

  // `show` may be empty and must outlive this. `spent`: seconds that were spent before the stages.
  BindProgress(const Show& show, std::vector<BindStage> stages, double spent);

  // Begins a stage; the one before is done. Stages come in any order, each at most once.
  void begin(std::size_t stage);

  // Shows that this fraction of the current stage is done; below 0 the stage takes longer than was expected. Like the
  // others it ends a bind that is asked to end.
  void show_part(double fraction);

  // Shows that all is done.
  void end();

 private:
  void show(double fraction, const std::string& what);

  const Show& show_;
  std::vector<BindStage> stages_;
  std::size_t current_ = 0;
  bool begun_ = false;
  double spent_;
  double expected_ = 0;  // seconds of all stages
  double done_ = 0;      // of those before the current one, as they were expected
  double shown_ = 0;     // never falls
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace pelt
