// SPDX-License-Identifier: MIT
#include "engine/authoring/check/bind_check.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <pelt/tools/clip_poses.h>
#include <pelt/tools/sample_poses.h>
#include <pelt/try.h>

namespace pelt {
namespace {

// Poses are dropped until at most so many vertices are moved, over all poses, or so few poses remain.
constexpr std::size_t kMaxMovedVertices = 6'000'000;
constexpr std::size_t kMinCheckPoses = 12;
constexpr std::size_t kMaxOwnPoses = 60;

// Only frames in which some skin has a higher score are checked again: the transition to linear blend adds a quarter.
constexpr double kMayGrow = 0.8;

constexpr std::size_t kMaxDefects = 12;  // of a report
constexpr std::size_t kMaxShapes = 3;    // of clips, and of other poses
constexpr double kMinScore = 0.5;        // of a report's locations

}  // namespace

std::optional<BindCheck> BindCheck::create(Character linear_blend, unsigned threads,
                                           const std::function<void(double)>& progress) {
  const std::size_t vertices = std::max<std::size_t>(linear_blend->vertex_count(), 1);
  const auto at_most = [&](std::size_t moved) { return std::max(moved / vertices, kMinCheckPoses); };
  std::vector<CheckPose> poses = clip_poses(*linear_blend, {.poses = at_most(kMaxMovedVertices)});
  std::ranges::move(combined_poses(linear_blend, std::min(at_most(kMaxMovedVertices / 2), kMaxOwnPoses)),
                    std::back_inserter(poses));
  if (poses.empty()) return std::nullopt;
  Result<LinearComparison> comparison = LinearComparison::create(
      std::move(linear_blend), std::move(poses), {.threads = threads, .progress = progress, .same_everywhere = true});
  if (!comparison) return std::nullopt;
  return BindCheck(std::move(*comparison), threads);
}

Result<bool> BindCheck::run(const Character& character, std::span<const float> can_fall_back,
                            const std::function<void(double)>& progress) {
  PELT_ASSIGN(auto defects,
              comparison_.find_defects(character, {.threads = threads_, .progress = progress, .same_everywhere = true},
                                       frames_));
  if (defects_.vertices.empty()) {
    defects_ = defects;
    std::set<std::size_t> frames;
    for (const Defect& defect : defects_.vertices) {
      if (defect.score > kMayGrow) frames.insert(defect.frame);
    }
    frames_.assign(frames.begin(), frames.end());
  }
  remaining_ = 0;
  for (const Defect& defect : defects.vertices) remaining_ = std::max(remaining_, defect.score);
  defects.apart = defects_.apart;  // of the deformer only, before parts of it fell back to linear blend
  if (can_fall_back.empty()) return false;
  for (std::size_t v = 0; v < can_fall_back.size(); ++v) defects.vertices[v].score *= can_fall_back[v];
  const std::vector<float> more = comparison_.fallback_weights(defects);
  fallback_.resize(more.size(), 0.0f);
  bool grows = false;
  for (std::size_t v = 0; v < more.size(); ++v) {
    const float share = can_fall_back[v] * (fallback_[v] + (1 - fallback_[v]) * more[v]);
    grows = grows || share > fallback_[v];
    fallback_[v] = std::max(fallback_[v], share);
  }
  return grows;
}

// Returns the joints with the most creases, and with the most triangles inside out, by the sum of their sizes: those of
// clips, then those of other poses.
std::vector<DefectLocation> BindCheck::worst_shapes() const {
  struct Place {
    ShapeDefect worst;
    std::size_t count = 0;
    double size = 0;
  };
  std::map<std::pair<std::string_view, DefectKind>, Place> places[2];
  for (const ShapeDefect& shape : defects_.shapes) {
    const bool of_clip = comparison_.poses()[shape.frame].clip.has_value();
    Place& place = places[of_clip ? 0 : 1][{comparison_.location_of(shape.vertex).joint, shape.kind}];
    if (shape.value > place.worst.value) place.worst = shape;
    ++place.count;
    place.size += shape.size;
  }
  std::vector<Place> sorted;
  for (const auto& group : places) {
    const std::size_t first = sorted.size();
    for (const auto& [where, place] : group) sorted.push_back(place);
    std::ranges::stable_sort(sorted.begin() + static_cast<std::ptrdiff_t>(first), sorted.end(), std::greater(),
                             &Place::size);
    sorted.resize(std::min(sorted.size(), first + kMaxShapes));
  }
  std::vector<DefectLocation> shapes;
  for (const auto& [worst, count, size] : sorted) {
    const SkinLocation at = comparison_.location_of(worst.vertex);
    shapes.push_back({.defect = {worst.kind, worst.value, worst.value / allowed_value(worst.kind), worst.frame},
                      .pose = comparison_.pose_at(worst.frame, worst.vertex),
                      .mesh = std::string(at.mesh),
                      .joint = std::string(at.joint),
                      .vertex = at.vertex,
                      .count = count});
  }
  return shapes;
}

CheckReport BindCheck::report() const {
  CheckReport report{.poses = comparison_.poses().size()};
  for (const CheckPose& pose : comparison_.poses()) report.clip_frames += pose.clip ? 1 : 0;
  report.remaining = remaining_;
  std::vector<std::uint32_t> bad;
  for (std::uint32_t v = 0; v < defects_.vertices.size(); ++v) {
    if (defects_.vertices[v].score >= kMinScore) bad.push_back(v);
  }
  std::ranges::stable_sort(bad, std::greater(), [&](std::uint32_t v) { return defects_.vertices[v].score; });
  std::set<std::string, std::less<>> seen;
  for (const std::uint32_t v : bad) {
    if (report.defects.size() == kMaxDefects) break;
    const SkinLocation place = comparison_.location_of(v);
    if (!seen.emplace(place.joint).second) continue;
    const Defect& defect = defects_.vertices[v];
    report.defects.push_back({.defect = defect,
                              .pose = comparison_.pose_at(defect.frame, v),
                              .mesh = std::string(place.mesh),
                              .joint = std::string(place.joint),
                              .vertex = place.vertex,
                              .fallback = fallback_.empty() ? 0 : fallback_[v]});
  }
  report.shapes = worst_shapes();
  if (fallback_.empty()) return report;
  const std::vector<double> areas = comparison_.areas();
  double all = 0;
  for (std::size_t v = 0; v < areas.size(); ++v) {
    all += areas[v];
    report.fallback += areas[v] * fallback_[v];
  }
  if (all > 0) report.fallback /= all;
  return report;
}

}  // namespace pelt
