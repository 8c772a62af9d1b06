// SPDX-License-Identifier: MIT
// Says how long the stages of a bind are expected to take: progress is shown by it, and `pelt bind --dry-run` sums it.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/authoring/bind/bind_progress.h"
#include "engine/authoring/bind/build_skins.h"

namespace pelt {

// What judging takes, in seconds of one core for a vertex and a pose: to make the judge, and to judge once.
struct JudgeCost {
  static constexpr double kMade = 0.07e-6;
  static constexpr double kRound = 0.19e-6;
};

// Returns how often a bind is judged, in the mean: once if the rig leaves nothing to linear blend. Otherwise only the
// first judgement shows whether three more follow.
double expected_judgements(const Rig& rig);

// Places of the stages behind those of the layers.
enum class StageAfter { kPack, kJudge, kFit };

// Returns a stage for each layer of the plan, in its order, then those of StageAfter.
std::vector<BindStage> expected_stages(const BindInput& input);

// Returns about how many bytes the .pelt file will take. `plain`: those of the model bound by linear blend alone.
std::uint64_t expected_bytes(const BindInput& input, std::uint64_t plain);

}  // namespace pelt
