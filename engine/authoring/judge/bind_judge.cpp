// SPDX-License-Identifier: MIT
#include "engine/authoring/judge/bind_judge.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <pelt/tools/judge_poses.h>
#include <pelt/tools/sample_poses.h>
#include <pelt/try.h>

#include "engine/authoring/judge/make_verdict.h"

namespace pelt {
namespace {

// Poses are left out until so many vertices are moved, over all poses, or so few poses are left.
constexpr std::size_t kMaxMovedVertices = 6'000'000;
constexpr std::size_t kMinJudgedPoses = 12;

std::vector<JudgedPose> thinned(std::vector<JudgedPose> poses, std::size_t most) {
  if (poses.size() <= most) return poses;
  std::vector<JudgedPose> kept;
  for (std::size_t i = 0; i < most; ++i) kept.push_back(std::move(poses[i * poses.size() / most]));
  return kept;
}

}  // namespace

std::optional<BindJudge> BindJudge::create(Character linear_blend, unsigned threads,
                                           const std::function<void(double)>& progress) {
  const std::size_t vertices = std::max<std::size_t>(linear_blend->vertex_count(), 1);
  const std::size_t most = std::max(kMaxMovedVertices / vertices, kMinJudgedPoses);
  std::vector<JudgedPose> poses = clip_poses(*linear_blend, {.poses = most});
  if (poses.empty()) poses = thinned(sample_poses(linear_blend), most);
  if (poses.empty()) return std::nullopt;
  Result<Judge> judge = Judge::create(std::move(linear_blend), std::move(poses),
                                      {.threads = threads, .progress = progress, .same_everywhere = true});
  if (!judge) return std::nullopt;
  return BindJudge(std::move(*judge), threads);
}

Result<bool> BindJudge::judge(const Character& character, std::span<const float> may_be_left,
                              const std::function<void(double)>& progress) {
  PELT_ASSIGN(auto faults,
              judge_.find_faults(character, {.threads = threads_, .progress = progress, .same_everywhere = true}));
  if (faults_.vertices.empty()) faults_ = faults;
  remaining_ = 0;
  for (const Fault& fault : faults.vertices) remaining_ = std::max(remaining_, fault.score);
  faults.apart = faults_.apart;  // distances of the deformer alone, before linear blend took over parts of it
  if (may_be_left.empty()) return false;
  for (std::size_t v = 0; v < may_be_left.size(); ++v) faults.vertices[v].score *= may_be_left[v];
  const std::vector<float> more = judge_.left_to_linear_blend(faults);
  left_.resize(more.size(), 0.0f);
  bool grows = false;
  for (std::size_t v = 0; v < more.size(); ++v) {
    const float share = may_be_left[v] * (left_[v] + (1 - left_[v]) * more[v]);
    grows = grows || share > left_[v];
    left_[v] = std::max(left_[v], share);
  }
  return grows;
}

Verdict BindJudge::verdict() const {
  Verdict verdict = make_verdict(judge_, faults_, left_);
  verdict.remaining = remaining_;
  return verdict;
}

}  // namespace pelt
