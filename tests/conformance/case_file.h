// SPDX-License-Identifier: MIT
// Known-answer cases: inputs and the outputs of an independent reference in double precision.
#pragma once

#include <cstdint>
#include <filesystem>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pelt/mesh.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt::conformance {

// What the reference says of one pose.
struct Answer {
  std::size_t pose = 0;  // in Case::poses
  std::vector<glm::dvec3> positions;
  std::vector<glm::dvec3> normals;  // unit; may be empty
  std::vector<bool> skip;           // a vertex: ill-conditioned here, must be finite and nothing else
};

struct Variant {
  std::string name;
  std::string unsupported;          // why this program cannot evaluate it; empty: it can, and the rest is filled in
  Rig rig;                          // its layers move the mesh "skin"
  bool follows_transforms = false;  // of CasePose::driver_transforms; else the drivers are streamed
  std::vector<Answer> answers;
};

struct CasePose {
  std::string name;
  // Model-space joint matrices: of Case::joints_at_rest for linear_blend and curve_skeleton, and explicit twists.
  std::vector<glm::dmat4> joints;
  std::vector<std::pair<std::string, float>> controls;
  // Where the vertices of each driver are, and (may be empty) the affine motion of each of the first one's from rest.
  std::vector<std::vector<glm::dvec3>> driver_positions;
  std::vector<glm::dmat4> driver_transforms;
};

struct Case {
  std::string name;
  std::string system;
  Mesh skin;  // weights only for linear_blend: columns are joints
  // Model space. Of mos the first one is the world, which displacements are scaled in, and the last one is turned about
  // z by a right angle in every pose but "bind", which drives the operations; neither is in the file.
  std::vector<glm::dmat4> joints_at_rest;
  std::vector<std::int32_t> parents;  // of the joints: -1 a root; no joint is above itself
  std::vector<Mesh> drivers;
  std::size_t control_count = 0;  // of surface_ffd_patch: vertices that the poses place
  std::vector<CasePose> poses;
  std::vector<Variant> variants;
};

// Joints above each joint.
std::vector<std::size_t> depths(std::span<const std::int32_t> parents);

// Errors name the file and the place in it. Of systems that this program does not know only names are read.
Result<Case> load_case(const std::filesystem::path& path);

}  // namespace pelt::conformance
