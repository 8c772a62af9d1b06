// SPDX-License-Identifier: MIT
// Measures several deformers on one character, each against linear blend in the same poses.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/character.h>
#include <pelt/check_pose.h>
#include <pelt/result.h>
#include <pelt/tools/check_figures.h>
#include <pelt/tools/defect_meter.h>

namespace pelt {

struct ComparisonOptions {
  unsigned threads = 0;                           // 0: all cores; results do not depend on it
  std::function<void(double fraction)> progress;  // called from the calling thread; may be empty
  bool same_everywhere = false;                   // Evaluator::Options::same_everywhere
};

// The location of a vertex of the concatenated skins.
struct SkinLocation {
  std::string_view mesh;
  std::uint32_t vertex = 0;  // index in the model's mesh
  std::string_view joint;    // name of the joint with the largest weight; empty if the vertex has no weights
};

class LinearComparison {
 public:
  // `linear_blend`: the model bound by linear blend only. `poses` name its clips and joints; frames of
  // clips come first. Errors: kUnsupported, with
  // mesh and pose, if linear blend moves a vertex to a position that is not finite.
  static Result<LinearComparison> create(Character linear_blend, std::vector<CheckPose> poses,
                                         const ComparisonOptions& options = {});

  // Returns true if a character has the same skins as that of linear blend, and as many joints and clips. A rig that
  // turns a mesh into a driver has fewer skins.
  bool takes(const Character& character) const;

  // Measures a character. WorstLocation::frame is an index into the poses; vertices are numbered through the skins in
  // the model's order. Errors: kInvalidArgument if takes() is false; kUnsupported as in create.
  Result<Figures> measure(const Character& character, const ComparisonOptions& options = {}) const;

  // Finds the defects of a character, compared with linear blend in some frames, ascending; empty: all. Errors are
  // those of measure.
  Result<Defects> find_defects(const Character& character, const ComparisonOptions& options = {},
                               std::span<const std::size_t> frames = {}) const;

  // Returns the weight of linear blend, for each vertex of the concatenated skins, that removes the defects
  // (defect_meter.h).
  std::vector<float> fallback_weights(const Defects& defects) const;

  // Returns the rest area round each vertex, a third of that of its triangles, square metres.
  std::vector<double> areas() const;

  const std::vector<CheckPose>& poses() const { return poses_; }
  // Returns the pose of a frame; one with more than two turns has the names of the two nearest to a vertex.
  // Precondition: vertex < vertex_count().
  CheckPose pose_at(std::size_t frame, std::uint32_t vertex) const;
  std::size_t vertex_count() const { return reference_.vertex_count(); }
  // Precondition: vertex < vertex_count().
  SkinLocation location_of(std::uint32_t vertex) const;
  const Character& linear_blend() const { return linear_; }

 private:
  LinearComparison(Character linear_blend, std::vector<CheckPose> poses, std::vector<glm::vec3> rest,
                   LinearReference reference)
      : linear_(std::move(linear_blend)),
        poses_(std::move(poses)),
        rest_(std::move(rest)),
        rows_(rows_of(*linear_)),
        reference_(std::move(reference)) {}

  static std::vector<std::uint32_t> rows_of(const CharacterData& character);

  // Calls meter.add for each pose of `frames`; empty: for all.
  template <class Meter>
  Result<void> measure(const Character& character, const ComparisonOptions& options,
                       std::span<const std::size_t> frames, Meter& meter) const;

  Character linear_;
  std::vector<CheckPose> poses_;
  std::vector<glm::vec3> rest_;      // for each vertex of the concatenated skins
  std::vector<std::uint32_t> rows_;  // for each of these vertices, its row in the packed mesh
  LinearReference reference_;
};

}  // namespace pelt
