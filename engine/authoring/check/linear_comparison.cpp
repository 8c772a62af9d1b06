// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <span>
#include <utility>

#include <pelt/evaluate.h>
#include <pelt/finite.h>
#include <pelt/mesh.h>
#include <pelt/pose.h>
#include <pelt/tools/clip_poses.h>
#include <pelt/tools/linear_comparison.h>
#include <pelt/tools/mesh_parts.h>
#include <pelt/tools/parallel.h>
#include <pelt/try.h>

#include "engine/authoring/geometry/bounds.h"
#include "engine/character/base/invalid.h"
#include "engine/character/rows/packed_row.h"

namespace pelt {
namespace {

// The skins of a character, concatenated in the model's order.
class Skins {
 public:
  explicit Skins(const Character& character, const ComparisonOptions& options)
      : character_(character),
        evaluator_(character, {.jobs = thread_jobs(options.threads),
                               .normals = false,
                               .tangents = false,
                               .morphs = false,
                               .same_everywhere = options.same_everywhere}),
        player_(*character) {
    std::size_t count = 0;
    for (const CharacterMesh& mesh : character->meshes) {
      if (!mesh.control) count += mesh.vertex_count();
    }
    positions_.resize(count);
  }

  std::span<const glm::vec3> at(const CheckPose& pose) {
    player_.pose(pose, evaluator_);
    evaluator_.evaluate();
    std::span<glm::vec3> left = positions_;
    for (const CharacterMesh& mesh : character_->meshes) {
      if (mesh.control) continue;
      to_source_order<glm::vec3>(mesh, evaluator_.positions(), left.first(mesh.vertex_count()));
      left = left.subspan(mesh.vertex_count());
    }
    return positions_;
  }

  // Returns an error for the first position of the last pose that is not finite; none: all are finite.
  std::optional<Error> not_finite(const CheckPose& pose) const {
    std::span<const glm::vec3> left = positions_;
    for (const CharacterMesh& mesh : character_->meshes) {
      if (mesh.control) continue;
      const std::span<const glm::vec3> positions = left.first(mesh.vertex_count());
      left = left.subspan(positions.size());
      const auto found = std::ranges::find_if(positions, [](const glm::vec3& p) { return !is_finite(p); });
      if (found == positions.end()) continue;
      return Error{ErrorCode::kUnsupported,
                   fmt::format("mesh '{}': vertex {} is moved to a position that is not finite by {}, in pose '{}'",
                               mesh.name, found - positions.begin(), mesh.deformer, pose.name)};
    }
    return std::nullopt;
  }

 private:
  const Character& character_;
  Evaluator evaluator_;
  PosePlayer player_;
  std::vector<glm::vec3> positions_;
};

std::vector<glm::uvec3> triangles_of(const CharacterData& character) {
  std::vector<glm::uvec3> triangles;
  std::uint32_t first = 0;
  for (const CharacterMesh& mesh : character.meshes) {
    if (mesh.control) continue;
    for (const glm::uvec3& t : mesh.triangles) {
      triangles.push_back(first +
                          glm::uvec3(mesh.source_vertex[t.x], mesh.source_vertex[t.y], mesh.source_vertex[t.z]));
    }
    first += mesh.vertex_count();
  }
  return triangles;
}

// Moves skins that the rest pose hides by a scale to the bind pose: hidden edges have no length to compare with.
void show_hidden(const CharacterData& character, std::span<glm::vec3> rest) {
  const auto diagonal = [](std::span<const glm::vec3> points) {
    return glm::length(bounds_of<glm::dvec3>(points).size());
  };
  for (const CharacterMesh& mesh : character.meshes) {
    if (mesh.control) continue;
    const std::span<glm::vec3> at_rest = rest.first(mesh.vertex_count());
    rest = rest.subspan(mesh.vertex_count());
    if (256 * diagonal(at_rest) >= diagonal(mesh.binding.points)) continue;
    for (std::size_t i = 0; i < at_rest.size(); ++i) at_rest[mesh.source_vertex[i]] = mesh.binding.points[i];
  }
}

// Returns the name and number of vertices of each skin, in order.
std::vector<std::pair<std::string_view, std::uint32_t>> skins_of(const CharacterData& character) {
  std::vector<std::pair<std::string_view, std::uint32_t>> skins;
  for (const CharacterMesh& mesh : character.meshes) {
    if (!mesh.control) skins.emplace_back(mesh.name, mesh.vertex_count());
  }
  return skins;
}

}  // namespace

Result<LinearComparison> LinearComparison::create(Character linear_blend, std::vector<CheckPose> poses,
                                                  const ComparisonOptions& options) {
  Skins skins(linear_blend, options);
  const CheckPose at_rest{.name = "rest"};
  const std::span<const glm::vec3> standing = skins.at(at_rest);
  if (const std::optional<Error> error = skins.not_finite(at_rest)) return tl::unexpected(*error);
  std::vector<glm::vec3> rest(standing.begin(), standing.end());
  show_hidden(*linear_blend, rest);
  std::optional<Error> error;
  const auto linear = [&](std::size_t frame) -> std::span<const glm::vec3> {
    if (error) return rest;
    const std::span<const glm::vec3> positions = skins.at(poses[frame]);
    error = skins.not_finite(poses[frame]);
    if (options.progress) options.progress(static_cast<double>(frame + 1) / static_cast<double>(poses.size()));
    return error ? std::span(rest) : positions;
  };
  LinearReference reference(rest, triangles_of(*linear_blend), poses.size(), linear, options.threads);
  if (error) return tl::unexpected(*error);
  return LinearComparison(std::move(linear_blend), std::move(poses), rest, std::move(reference));
}

bool LinearComparison::takes(const Character& character) const {
  return skins_of(*character) == skins_of(*linear_) &&
         character->skeleton.joints.size() == linear_->skeleton.joints.size() &&
         character->clips.size() == linear_->clips.size();
}

template <class Meter>
Result<void> LinearComparison::measure(const Character& character, const ComparisonOptions& options,
                                       std::span<const std::size_t> frames, Meter& meter) const {
  if (!takes(character)) {
    return invalid("'{}' has other skins, joints or clips than the linear blend to compare it with", character->name);
  }
  Skins linear(linear_, options);
  Skins moved(character, options);
  const std::size_t count = frames.empty() ? poses_.size() : frames.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t frame = frames.empty() ? i : frames[i];
    const std::span<const glm::vec3> positions = moved.at(poses_[frame]);
    if (const std::optional<Error> error = moved.not_finite(poses_[frame])) return tl::unexpected(*error);
    meter.add(linear.at(poses_[frame]), positions);
    if (options.progress) options.progress(static_cast<double>(i + 1) / static_cast<double>(count));
  }
  return {};
}

Result<Figures> LinearComparison::measure(const Character& character, const ComparisonOptions& options) const {
  FigureMeter meter(reference_, options.threads);
  PELT_TRY(measure(character, options, {}, meter));
  return meter.figures();
}

Result<Defects> LinearComparison::find_defects(const Character& character, const ComparisonOptions& options,
                                               std::span<const std::size_t> frames) const {
  const std::size_t own =
      std::ranges::find_if(poses_, [](const CheckPose& pose) { return !pose.clip; }) - poses_.begin();
  const std::size_t of_clips = frames.empty() ? own : std::ranges::lower_bound(frames, own) - frames.begin();
  DefectMeter meter(reference_, of_clips, options.threads);
  PELT_TRY(measure(character, options, frames, meter));
  return meter.defects();
}

std::vector<float> LinearComparison::fallback_weights(const Defects& defects) const {
  constexpr float kRounding = 1e-6f;  // relative to the size, by which coincident vertices may differ
  return pelt::fallback_weights(defects, reference_, weld_within(rest_, kRounding * linear_.size()));
}

std::vector<double> LinearComparison::areas() const { return vertex_areas(rest_, reference_.triangles()); }

std::vector<std::uint32_t> LinearComparison::rows_of(const CharacterData& character) {
  std::vector<std::uint32_t> rows;
  for (const CharacterMesh& mesh : character.meshes) {
    if (mesh.control) continue;
    const std::size_t first = rows.size();
    rows.resize(first + mesh.vertex_count());
    for (std::uint32_t row = 0; row < mesh.vertex_count(); ++row) rows[first + mesh.source_vertex[row]] = row;
  }
  return rows;
}

CheckPose LinearComparison::pose_at(std::size_t frame, std::uint32_t vertex) const {
  CheckPose pose = poses_[frame];
  if (pose.turns.empty()) return pose;
  std::vector<glm::mat4> rest(linear_->skeleton.joints.size());
  rest_matrices(linear_->skeleton, rest);
  std::vector<const TurnFromRest*> turns;
  for (const TurnFromRest& turn : pose.turns) turns.push_back(&turn);
  std::ranges::stable_sort(
      turns, {}, [&](const TurnFromRest* turn) { return distance(glm::vec3(rest[turn->joint][3]), rest_[vertex]); });
  pose.name = turns[0]->name + (turns.size() > 1 ? ", " + turns[1]->name : "");
  return pose;
}

SkinLocation LinearComparison::location_of(std::uint32_t vertex) const {
  const std::uint32_t row = rows_[vertex];
  for (const CharacterMesh& mesh : linear_->meshes) {
    if (mesh.control) continue;
    if (vertex >= mesh.vertex_count()) {
      vertex -= mesh.vertex_count();
      continue;
    }
    SkinLocation place{.mesh = mesh.name, .vertex = vertex};
    if (!mesh.painted) return place;
    std::uint32_t most = 0;  // weight
    for_each_influence(*mesh.painted, row, [&](std::uint32_t word, std::size_t, std::size_t) {
      const std::uint32_t weight = shared::influence_units(word);
      if (weight <= most) return;
      most = weight;
      const std::uint32_t bound = mesh.painted->first_joint + shared::influence_index(word);
      place.joint = linear_->skeleton.joints[linear_->bound_joints[bound].joint].name;
    });
    return place;
  }
  assert(false && "a vertex of no skin");
  return {};
}

}  // namespace pelt
