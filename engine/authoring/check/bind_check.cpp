// SPDX-License-Identifier: MIT
#include "engine/authoring/check/bind_check.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include <pelt/tools/check_poses.h>
#include <pelt/tools/sample_poses.h>
#include <pelt/try.h>

namespace pelt {
namespace {

// Poses are dropped until at most so many vertices are moved, over all poses, or so few poses remain.
constexpr std::size_t kMaxMovedVertices = 6'000'000;
constexpr std::size_t kMinCheckPoses = 12;

constexpr std::size_t kMaxPlaces = 12;  // of a report
constexpr double kMinScore = 0.5;       // of a report's locations

std::vector<CheckPose> thinned(std::vector<CheckPose> poses, std::size_t most) {
  if (poses.size() <= most) return poses;
  std::vector<CheckPose> kept;
  for (std::size_t i = 0; i < most; ++i) kept.push_back(std::move(poses[i * poses.size() / most]));
  return kept;
}

}  // namespace

std::optional<BindCheck> BindCheck::create(Character linear_blend, unsigned threads,
                                           const std::function<void(double)>& progress) {
  const std::size_t vertices = std::max<std::size_t>(linear_blend->vertex_count(), 1);
  const std::size_t most = std::max(kMaxMovedVertices / vertices, kMinCheckPoses);
  std::vector<CheckPose> poses = clip_poses(*linear_blend, {.poses = most});
  if (poses.empty()) poses = thinned(sample_poses(linear_blend), most);
  if (poses.empty()) return std::nullopt;
  Result<Checker> checker = Checker::create(std::move(linear_blend), std::move(poses),
                                            {.threads = threads, .progress = progress, .same_everywhere = true});
  if (!checker) return std::nullopt;
  return BindCheck(std::move(*checker), threads);
}

Result<bool> BindCheck::run(const Character& character, std::span<const float> may_be_left,
                            const std::function<void(double)>& progress) {
  PELT_ASSIGN(auto defects,
              checker_.find_defects(character, {.threads = threads_, .progress = progress, .same_everywhere = true}));
  if (defects_.vertices.empty()) defects_ = defects;
  remaining_ = 0;
  for (const Defect& defect : defects.vertices) remaining_ = std::max(remaining_, defect.score);
  defects.apart = defects_.apart;  // of the deformer only, before parts of it fell back to linear blend
  if (may_be_left.empty()) return false;
  for (std::size_t v = 0; v < may_be_left.size(); ++v) defects.vertices[v].score *= may_be_left[v];
  const std::vector<float> more = checker_.left_to_linear_blend(defects);
  left_.resize(more.size(), 0.0f);
  bool grows = false;
  for (std::size_t v = 0; v < more.size(); ++v) {
    const float share = may_be_left[v] * (left_[v] + (1 - left_[v]) * more[v]);
    grows = grows || share > left_[v];
    left_[v] = std::max(left_[v], share);
  }
  return grows;
}

CheckReport BindCheck::report() const {
  CheckReport report{.poses = checker_.poses().size(), .from_clips = checker_.poses()[0].clip.has_value()};
  report.remaining = remaining_;
  std::vector<std::uint32_t> bad;
  for (std::uint32_t v = 0; v < defects_.vertices.size(); ++v) {
    if (defects_.vertices[v].score >= kMinScore) bad.push_back(v);
  }
  std::ranges::stable_sort(bad, std::greater(), [&](std::uint32_t v) { return defects_.vertices[v].score; });
  std::set<std::string, std::less<>> seen;
  for (const std::uint32_t v : bad) {
    if (report.defects.size() == kMaxPlaces) break;
    const SkinLocation place = checker_.place_of(v);
    if (!seen.emplace(place.joint).second) continue;
    const Defect& defect = defects_.vertices[v];
    report.defects.push_back({.defect = defect,
                              .pose = checker_.poses()[defect.frame],
                              .mesh = std::string(place.mesh),
                              .joint = std::string(place.joint),
                              .vertex = place.vertex,
                              .left = left_.empty() ? 0 : left_[v]});
  }
  if (left_.empty()) return report;
  const std::vector<double> areas = checker_.areas();
  double all = 0;
  for (std::size_t v = 0; v < areas.size(); ++v) {
    all += areas[v];
    report.left += areas[v] * left_[v];
  }
  if (all > 0) report.left /= all;
  return report;
}

}  // namespace pelt
