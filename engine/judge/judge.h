// SPDX-License-Identifier: MIT
// One character, moved by several deformers through the same poses: the figures of each against linear blend.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/character/character.h"
#include "engine/core/result.h"
#include "engine/judge/figures.h"
#include "engine/judge/poses.h"

namespace pelt {

struct JudgeOptions {
  unsigned threads = 0;                           // 0: all cores; results do not depend on it
  std::function<void(double fraction)> progress;  // called from the calling thread; may be empty
};

// Where a vertex of the skins laid end to end is.
struct SkinPlace {
  std::string_view mesh;
  std::uint32_t vertex = 0;  // in the model's mesh
  std::string_view joint;    // the one with the largest weight there; empty: the vertex has none
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

  const std::vector<JudgedPose>& poses() const { return poses_; }
  std::size_t vertex_count() const { return reference_.vertex_count(); }
  // Precondition: vertex < vertex_count().
  SkinPlace place_of(std::uint32_t vertex) const;

 private:
  Judge(Character linear_blend, std::vector<JudgedPose> poses, LinearReference reference)
      : linear_(std::move(linear_blend)), poses_(std::move(poses)), reference_(std::move(reference)) {}

  Character linear_;
  std::vector<JudgedPose> poses_;
  LinearReference reference_;
};

}  // namespace pelt
