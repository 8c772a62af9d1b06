// SPDX-License-Identifier: MIT
// Judges one character that several deformers move through the same poses: measures each against linear blend.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/character.h>
#include <pelt/judged_pose.h>
#include <pelt/result.h>
#include <pelt/tools/judge_faults.h>
#include <pelt/tools/judge_figures.h>

namespace pelt {

struct JudgeOptions {
  unsigned threads = 0;                           // 0: all cores; results do not depend on it
  std::function<void(double fraction)> progress;  // called from the calling thread; may be empty
  bool same_everywhere = false;                   // Evaluator::Options::same_everywhere
};

// The place of a vertex of the skins, which are laid end to end.
struct SkinPlace {
  std::string_view mesh;
  std::uint32_t vertex = 0;  // index in the model's mesh
  std::string_view joint;    // name of the joint with the largest weight; empty: the vertex has no weights
};

class Judge {
 public:
  // `linear_blend`: the model bound by linear blend alone. `poses`: they name its clips and joints. Errors:
  // kUnsupported if linear blend moves a vertex to a position that is not finite; the error names the mesh and the
  // pose.
  static Result<Judge> create(Character linear_blend, std::vector<JudgedPose> poses, const JudgeOptions& options = {});

  // Returns true if a character has the same skins as the one of linear blend, and as many joints and clips. A rig that
  // makes a driver of a mesh leaves fewer skins.
  bool takes(const Character& character) const;

  // Measures a character. WorstPlace::frame is an index into the poses; vertices count over the skins end to end, in
  // the model's order. Errors: kInvalidArgument if takes() is false; kUnsupported as in create.
  Result<Figures> judge(const Character& character, const JudgeOptions& options = {}) const;

  // Finds where the character does worse than linear blend. Errors are those of judge.
  Result<Faults> find_faults(const Character& character, const JudgeOptions& options = {}) const;

  // Returns for each vertex of the skins end to end the share that linear blend should take over, so that the faults go
  // (judge_faults.h).
  std::vector<float> left_to_linear_blend(const Faults& faults) const;

  // Returns the rest area round each vertex, a third of its triangles', square metres.
  std::vector<double> areas() const;

  const std::vector<JudgedPose>& poses() const { return poses_; }
  std::size_t vertex_count() const { return reference_.vertex_count(); }
  // Precondition: vertex < vertex_count().
  SkinPlace place_of(std::uint32_t vertex) const;
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
  std::vector<glm::vec3> rest_;      // for each vertex of the skins end to end
  std::vector<std::uint32_t> rows_;  // for each of these vertices, its row in the packed mesh
  LinearReference reference_;
};

}  // namespace pelt
