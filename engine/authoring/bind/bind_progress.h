// SPDX-License-Identifier: MIT
// Shows how much of a bind is done. All stages count the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "engine/authoring/base/stop.h"

namespace pelt {

class BindProgress {
 public:
  using Show = std::function<void(double fraction, const std::string& what)>;

  // `show` may be empty and must outlive this object. `stages`: the largest number that begin, 1 or more.
  BindProgress(const Show& show, std::size_t stages) : show_(show), stages_(static_cast<double>(stages)) {}

  // Ends the current stage, if any, and begins the next.
  void begin(std::string stage) {
    if (!stage_.empty()) ++done_;
    stage_ = std::move(stage);
    show_part(0);
  }

  // Shows that this fraction of the current stage is done. Like begin() and end(), it ends a bind that was asked to
  // stop.
  void show_part(double fraction) { show((done_ + fraction) / stages_, stage_); }

  void end() { show(1, "done"); }

 private:
  void show(double fraction, const std::string& what) {
    shown_ = std::clamp(fraction, shown_, 1.0);
    if (show_) show_(shown_, what);
    stop_if_asked();
  }

  const Show& show_;
  double stages_;
  std::string stage_;  // the current one
  double done_ = 0;    // stages before it
  double shown_ = 0;   // never falls
};

}  // namespace pelt
