// SPDX-License-Identifier: MIT
// Parameters of a control mesh that carries skin.
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

#include <pelt/key_pose.h>
#include <pelt/mesh.h>
#include <pelt/selection.h>

namespace pelt {

class Fields;

// How a control mesh moves.
enum class Follow {
  kDualQuaternion,  // weights transferred from the skin, blended as dual quaternions: least collapse, the default
  kLinearBlend,     // weights transferred from the skin, blended linearly
  kClosestLimb,     // rigid to the closest limb (Singh & Kokkevis 2000); creases by 80 to 140 degrees
  kStreamed,        // placed by the caller, frame by frame: a simulation, a point cache
};

// A B-spline or NURBS surface. Counts and degrees: u, v.
struct PatchParameters {
  std::array<std::uint32_t, 2> shape{4, 4};  // control vertices
  std::array<std::uint32_t, 2> degree{3, 3};
  std::vector<float> knots_u;  // shape + degree + 1 of them; none: uniform, with whole-numbered knots
  std::vector<float> knots_v;
  std::vector<glm::vec3> control;  // u slowest
  std::vector<float> weights;      // none: 1 each
  friend bool operator==(const PatchParameters&, const PatchParameters&) = default;
};

// Each level splits the driver's triangles in the region into four.
struct Refinement {
  Region region;
  std::uint32_t levels = 1;
  friend bool operator==(const Refinement&, const Refinement&) = default;
};

// The driver of a surface-oriented FFD: a mesh of the model, a mesh file, patches, or (none given) the target meshes
// welded and simplified. A mesh of the model that a layer names as its target is moved by that layer.
struct DriverParameters {
  std::string mesh;                      // name of a mesh of the model, which then is a control mesh and not skin
  std::string file;                      // glTF or OBJ, relative to the rig file
  std::vector<PatchParameters> patches;  // control elements are samples at the knots, unless tessellated
  std::uint32_t tessellation = 0;        // of patches: quads from knot to knot; 0: none
  std::uint32_t triangles = 2000;        // of a driver made by simplification
  float joint_density = 1.5f;            // how much denser that is near joints, >= 1; 1: even
  float weld = 0;                        // metres: vertices of a mesh, file or tessellation within it become one
  std::vector<Refinement> refine;
  Follow follow = Follow::kDualQuaternion;
  // Of transferred weights: how far each joint's passage is spread along the driver, in radii of the limb; 0: as
  // painted. None: by the kind of joint, 3 at most (surface_ffd/joint_spread.h).
  std::optional<float> spread;
  bool estimate_frames = false;  // also where the driver has a skinning function
  bool morph_targets = true;     // those of the mesh move the driver
  std::vector<KeyPoseSet> key_poses;
  // Of the driver's vertices, after bind: the skin is bound to the driver as it was and follows them, at rest too.
  // Numbered as the character holds the driver: welded, refined, or as simplification with these parameters makes it.
  // Each vertex once. Not of a streamed driver.
  std::vector<VertexOffset> offsets;
  friend bool operator==(const DriverParameters&, const DriverParameters&) = default;
};

void describe(Fields& fields, DriverParameters& driver);

}  // namespace pelt
