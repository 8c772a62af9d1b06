// SPDX-License-Identifier: MIT
#include "engine/authoring/judge/bind_judge.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include <pelt/tools/judge_poses.h>
#include <pelt/tools/sample_poses.h>
#include <pelt/try.h>

namespace pelt {
namespace {

// Poses are dropped until at most so many vertices are moved, over all poses, or so few poses remain.
constexpr std::size_t kMaxMovedVertices = 6'000'000;
constexpr std::size_t kMinJudgedPoses = 12;

constexpr std::size_t kMaxPlaces = 12;  // of a report
constexpr double kMinScore = 0.5;       // of a report's locations

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
  faults.apart = faults_.apart;  // of the deformer only, before parts of it fell back to linear blend
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
  Verdict verdict{.poses = judge_.poses().size(), .from_clips = judge_.poses()[0].clip.has_value()};
  verdict.remaining = remaining_;
  std::vector<std::uint32_t> bad;
  for (std::uint32_t v = 0; v < faults_.vertices.size(); ++v) {
    if (faults_.vertices[v].score >= kMinScore) bad.push_back(v);
  }
  std::ranges::stable_sort(bad, std::greater(), [&](std::uint32_t v) { return faults_.vertices[v].score; });
  std::set<std::string, std::less<>> seen;
  for (const std::uint32_t v : bad) {
    if (verdict.places.size() == kMaxPlaces) break;
    const SkinPlace place = judge_.place_of(v);
    if (!seen.emplace(place.joint).second) continue;
    const Fault& fault = faults_.vertices[v];
    verdict.places.push_back({.fault = fault,
                              .pose = judge_.poses()[fault.frame],
                              .mesh = std::string(place.mesh),
                              .joint = std::string(place.joint),
                              .vertex = place.vertex,
                              .left = left_.empty() ? 0 : left_[v]});
  }
  if (left_.empty()) return verdict;
  const std::vector<double> areas = judge_.areas();
  double all = 0;
  for (std::size_t v = 0; v < areas.size(); ++v) {
    all += areas[v];
    verdict.left += areas[v] * left_[v];
  }
  if (all > 0) verdict.left /= all;
  return verdict;
}

}  // namespace pelt
