// SPDX-License-Identifier: MIT
// One character, moved by several deformers through the same poses: the figures of each against linear blend.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

#include "engine/judge/faults.h"
#include "engine/judge/figures.h"
#include "engine/judge/poses.h"

namespace pelt {

struct JudgeOptions {
  unsigned threads = 0;                           // 0: all cores; results do not depend on it
  std::function<void(double fraction)> progress;  // called from the calling thread; may be empty
  bool same_everywhere = false;                   // Evaluator::Options::same_everywhere
};

// Where a vertex of the skins laid end to end is.
struct SkinPlace {
  std::string_view mesh;
  std::uint32_t vertex = 0;  // in the model's mesh
  std::string_view joint;    // the one with the largest weight there; empty: the vertex has none
  // In CharacterData::skeleton: that one, and the one with the largest weight but it.
  std::optional<std::uint32_t> strongest, second;
};

class Judge {
 public:
  // `linear_blend`: the model bound by linear blend alone. `poses`: of its clips and joints. Errors: kUnsupported where
  // linear blend moves a vertex to what is not finite, which is named with its mesh and the pose.
  static Result<Judge> create(Character linear_blend, std::vector<JudgedPose> poses, const JudgeOptions& options = {});

  // Whether a character has the skins, and as many joints and clips, as the one of linear blend: a rig that makes a
  // driver of a mesh leaves fewer skins.
  bool takes(const Character& character) const;

  // WorstPlace::frame is an index into the poses, its vertices count over the skins laid end to end, in the model's
  // order. Errors: kInvalidArgument for a character that it does not take; kUnsupported as of create.
  Result<Figures> judge(const Character& character, const JudgeOptions& options = {}) const;

  // What it does worse than linear blend, and where. Errors: as judge's.
  Result<Faults> find_faults(const Character& character, const JudgeOptions& options = {}) const;

  // How much of each vertex of the skins laid end to end is to be left to linear blend so that the faults go
  // (faults.h).
  std::vector<float> left_to_linear_blend(const Faults& faults) const;

  // Area of the skin at rest round each vertex, a third of its triangles', square metres.
  std::vector<double> areas() const;

  const std::vector<JudgedPose>& poses() const { return poses_; }
  std::size_t vertex_count() const { return reference_.vertex_count(); }
  // Precondition: vertex < vertex_count().
  SkinPlace place_of(std::uint32_t vertex) const;
  const glm::vec3& rest(std::uint32_t vertex) const { return rest_[vertex]; }  // position
  const Character& linear_blend() const { return linear_; }

 private:
  Judge(Character linear_blend, std::vector<JudgedPose> poses, std::vector<glm::vec3> rest, LinearReference reference)
      : linear_(std::move(linear_blend)),
        poses_(std::move(poses)),
        rest_(std::move(rest)),
        rows_(rows_of(*linear_)),
        reference_(std::move(reference)) {}

  static std::vector<std::uint32_t> rows_of(const CharacterData& character);

  // Calls meter.add for every pose.
  template <class Meter>
  Result<void> measure(const Character& character, const JudgeOptions& options, Meter& meter) const;

  Character linear_;
  std::vector<JudgedPose> poses_;
  std::vector<glm::vec3> rest_;      // of the skins laid end to end
  std::vector<std::uint32_t> rows_;  // of the same, in packed order
  LinearReference reference_;
};

}  // namespace pelt
