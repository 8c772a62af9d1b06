// SPDX-License-Identifier: MIT
// The clock of secondary action, for evaluators and crowds (shaders/hierarchical_bspline/action_pose.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "shaders/hierarchical_bspline/action_pose.h"

namespace pelt {

class ActionClock {
 public:
  // Advances the clock by `seconds`; a negative or non-finite time is ignored.
  void advance(float seconds) {
    if (!(seconds >= 0) || !std::isfinite(seconds)) return;
    constexpr double kLongest = 1e15;  // parts; about 500 years
    remainder_ += std::min(double{seconds} * kPartsPerSecond, kLongest);
    const double whole = std::floor(remainder_);
    parts_ += static_cast<std::uint64_t>(whole);
    remainder_ -= whole;
  }

  std::uint64_t parts() const { return parts_; }  // parts of steps since the clock began
  // Returns the value of the clock input.
  float value() const { return static_cast<float>(parts_ % kPeriod) / shared::kActionParts; }

 private:
  static constexpr double kPartsPerSecond = double{shared::kActionParts} / double{shared::kActionStep};
  static constexpr auto kPeriod = static_cast<std::uint64_t>(shared::kActionClock * shared::kActionParts);

  std::uint64_t parts_ = 0;
  double remainder_ = 0;  // parts, below 1
};

// Whether the masses of one copy of a character move on from their last pose.
class ActionProgress {
 public:
  // Makes the masses start at rest when they are next posed.
  void restart() { begun_ = false; }

  // Records that they are posed now. Returns true if they start at rest.
  bool pose(const ActionClock& clock) {
    constexpr auto kLongest = static_cast<std::uint64_t>(shared::kMaxActionSteps * shared::kActionParts);
    const bool restarts = !begun_ || clock.parts() - posed_at_ > kLongest;
    begun_ = true;
    posed_at_ = clock.parts();
    return restarts;
  }

 private:
  bool begun_ = false;
  std::uint64_t posed_at_ = 0;
};

}  // namespace pelt
