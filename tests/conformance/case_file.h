// SPDX-License-Identifier: MIT
// Known-answer cases: inputs and the outputs of an independent reference in double precision.
#pragma once

#include <cstdint>
#include <filesystem>
#include <glm/glm.hpp>
#include <string>
#include <utility>
#include <vector>

#include <pelt/mesh.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt::conformance {

// The reference's result for one pose.
struct Answer {
  std::size_t pose = 0;  // index in Case::poses
  std::vector<glm::dvec3> positions;
  std::vector<glm::dvec3> normals;  // unit; may be empty
  std::vector<bool> skip;           // for each vertex: true if it is ill-conditioned; it must only be finite
};

struct Variant {
  std::string name;
  // Reason why this program cannot evaluate it; empty: it can, and the remaining fields are set.
  std::string unsupported;
  Rig rig;                          // its layers move the mesh "skin"
  bool follows_transforms = false;  // true: the drivers follow CasePose::driver_transforms; false: they are streamed
  std::vector<Answer> answers;
};

struct CasePose {
  std::string name;
  // Model-space joint matrices: of Case::joints_at_rest for linear_blend and curve_skeleton, and explicit twists.
  std::vector<glm::dmat4> joints;
  std::vector<std::pair<std::string, float>> controls;
  // Positions of the vertices of each driver, and the affine motion from rest of each vertex of the first driver (may
  // be empty).
  std::vector<std::vector<glm::dvec3>> driver_positions;
  std::vector<glm::dmat4> driver_transforms;
};

struct Case {
  std::string name;
  std::string system;
  Mesh skin;  // weights only for linear_blend: columns are joints
  // In model space. For mos, two joints are added to those of the file: the first is the world, in which displacements
  // are scaled; the last drives the operations and is turned about z by a right angle in every pose but "bind".
  std::vector<glm::dmat4> joints_at_rest;
  std::vector<std::int32_t> parents;  // of the joints, which come after them; -1: a root
  std::vector<Mesh> drivers;
  std::size_t control_count = 0;  // for surface_ffd_patch: number of control vertices in a pose
  std::vector<CasePose> poses;
  std::vector<Variant> variants;
};

// Loads a case. Errors name the file and the location in it. For an unknown system only names are read.
Result<Case> load_case(const std::filesystem::path& path);

}  // namespace pelt::conformance
