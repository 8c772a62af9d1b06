// SPDX-License-Identifier: MIT
// The check at bind: chooses how many poses to check, and converts defects to weights of linear blend.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/check_report.h>
#include <pelt/result.h>
#include <pelt/tools/linear_comparison.h>

namespace pelt {

class BindCheck {
 public:
  // Creates a check for characters with the same skins, joints and clips as `linear_blend`, which is bound by linear
  // blend only. The poses are those of clip_poses and combined_poses, fewer if they would move too many vertices in
  // total. None: there are no poses, or linear blend moves a vertex to a position that is not finite.
  // Results are the same on every processor and for any `threads`. `progress`, here and below, is called with the
  // completed fraction of a call; may be empty.
  static std::optional<BindCheck> create(Character linear_blend, unsigned threads,
                                         const std::function<void(double)>& progress);

  // Checks a character and returns true if more of it than before should fall back to linear blend. Errors: those of
  // LinearComparison::find_defects. `can_fall_back`: for all skins, concatenated, 1 at vertices that may fall back;
  // empty: none may.
  Result<bool> run(const Character& character, std::span<const float> can_fall_back,
                   const std::function<void(double)>& progress);

  // Returns the weight of linear blend at each vertex, for all skins, concatenated.
  std::span<const float> fallback() const { return fallback_; }

  // Returns the locations of the first check, the weights of linear blend since then, and the worst score of the last
  // check.
  CheckReport report() const;

 private:
  BindCheck(LinearComparison comparison, unsigned threads) : comparison_(std::move(comparison)), threads_(threads) {}

  std::vector<DefectLocation> worst_shapes() const;

  LinearComparison comparison_;
  unsigned threads_;
  Defects defects_;                  // of the first check
  std::vector<std::size_t> frames_;  // of the checks after the first; empty: all
  double remaining_ = 0;             // worst score of the last check
  std::vector<float> fallback_;
};

}  // namespace pelt
