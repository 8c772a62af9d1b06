// SPDX-License-Identifier: MIT
// The judge that bind asks: of how many poses, and what follows from its faults.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>
#include <pelt/verdict.h>

#include "engine/judge/judge.h"

namespace pelt {

class BindJudge {
 public:
  // Of characters with the skins, joints and clips of one that is bound by linear blend alone. By 6 frames of each of
  // the first 10 clips, or without clips by sample poses; by fewer, evenly thinned, down to 12, where they would
  // move more than 6 million vertices in all. None: nothing can be posed, or linear blend moves a vertex to what is not
  // finite. The same on every processor and for any `threads`.
  static std::optional<BindJudge> create(Character linear_blend, unsigned threads);

  // Whether more is to be left than was. Errors: Judge::find_faults'. `may_be_left`: of all skins laid end to end, 1
  // where linear blend may take over; empty: nowhere.
  Result<bool> judge(const Character& character, std::span<const float> may_be_left);

  // Of all skins laid end to end, since the first judgement.
  std::span<const float> left() const { return left_; }

  // The places of the first judgement, what is left since, and what the last one found to remain.
  Verdict verdict() const;

 private:
  BindJudge(Judge judge, unsigned threads) : judge_(std::move(judge)), threads_(threads) {}

  Judge judge_;
  unsigned threads_;
  Faults faults_;         // of the first judgement
  double remaining_ = 0;  // worst score of the last
  std::vector<float> left_;
};

}  // namespace pelt
