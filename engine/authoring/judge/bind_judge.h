// SPDX-License-Identifier: MIT
// The judge that bind uses: chooses how many poses to judge, and turns faults into shares for linear blend.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>
#include <pelt/tools/judge.h>
#include <pelt/verdict.h>

namespace pelt {

class BindJudge {
 public:
  // Creates a judge for characters with the same skins, joints and clips as `linear_blend`, which is bound by linear
  // blend alone. The poses are those of clip_poses, or without clips sample_poses; they are thinned evenly if they
  // would move too many vertices in all. None: no pose exists, or linear blend moves a vertex to a position that is not
  // finite. Results are the same on every processor and for any `threads`. `progress` is called with the fraction of a
  // call that is done, here and below; may be empty.
  static std::optional<BindJudge> create(Character linear_blend, unsigned threads,
                                         const std::function<void(double)>& progress);

  // Judges a character and returns true if linear blend should take over more of it than before. Errors: those of
  // Judge::find_faults. `may_be_left`: for all skins end to end, 1 where linear blend may take over; empty: nowhere.
  Result<bool> judge(const Character& character, std::span<const float> may_be_left,
                     const std::function<void(double)>& progress);

  // Returns the share of each vertex that linear blend takes over, for all skins end to end.
  std::span<const float> left() const { return left_; }

  // Returns the places of the first judgement, the shares that linear blend took over since, and the worst score of the
  // last judgement.
  Verdict verdict() const;

 private:
  BindJudge(Judge judge, unsigned threads) : judge_(std::move(judge)), threads_(threads) {}

  Judge judge_;
  unsigned threads_;
  Faults faults_;         // of the first judgement
  double remaining_ = 0;  // worst score of the last judgement
  std::vector<float> left_;
};

}  // namespace pelt
