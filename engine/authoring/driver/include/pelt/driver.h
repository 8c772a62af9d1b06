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
#include <pelt/twist.h>

namespace pelt {

class Fields;

// How a control mesh moves.
enum class Follow {
  kDualQuaternion,  // weights transferred from the skin, blended as dual quaternions; collapses least; the default
  kLinearBlend,     // weights transferred from the skin, blended linearly
  kClosestLimb,     // rigid to the closest limb (Singh & Kokkevis 2000); creases by 80 to 140 degrees
  kStreamed,        // streamed driver: the caller supplies its vertices every frame, from a simulation or a point cache
};

enum class Folds {
  kAuto,  // bent elbows and knees of a driver made from the skin touch, and do not pass through themselves
  kNone,
};

// A B-spline or NURBS surface. Arrays of two numbers are for u, then v.
struct PatchParameters {
  std::array<std::uint32_t, 2> shape{4, 4};  // number of control vertices
  std::array<std::uint32_t, 2> degree{3, 3};
  std::vector<float> knots_u;  // shape + degree + 1 knots; none: uniform, with integer knots
  std::vector<float> knots_v;
  std::vector<glm::vec3> control;  // control vertices, u slowest; model space at bind, metres
  std::vector<float> weights;      // one per control vertex; none: 1 each
  std::uint32_t samples = 1;       // samples from knot to knot, along u and along v, up to 64; 1: at the knots
  friend bool operator==(const PatchParameters&, const PatchParameters&) = default;
};

// Splits the driver's triangles in the region; each level splits a triangle into four.
struct Refinement {
  Region region;
  std::uint32_t levels = 1;
  friend bool operator==(const Refinement&, const Refinement&) = default;
};

// The driver of a surface-oriented FFD: a mesh of the model, a mesh file, patches, or, without these, the target meshes
// welded and simplified. A layer whose target is a mesh of the model that drives moves that mesh.
struct DriverParameters {
  std::string mesh;                      // name of a mesh of the model, which is then a control mesh and not skin
  std::string file;                      // glTF or OBJ, relative to the rig file
  std::vector<PatchParameters> patches;  // driver elements are samples, unless the patches are tessellated
  std::uint32_t tessellation = 0;        // quads of a patch from knot to knot; 0: not tessellated
  std::uint32_t triangles = 2000;        // number of triangles of a driver simplified from the skin
  float joint_density = 1.5f;            // density of such a driver near joints, as a factor on that elsewhere, >= 1
  // Metres: vertices of a mesh, file or tessellation that are at most this far apart become one.
  float weld = 0;
  std::vector<Refinement> refine;
  Follow follow = Follow::kDualQuaternion;
  // Width of the transition of transferred weights at each joint, along the driver, in radii of the limb; 0: as
  // painted. None: chosen by the kind of joint, at most 3 (from_skin/joint_spread.h).
  std::optional<float> spread;
  Twist twist = Twist::kSpread;  // with transferred weights, unless the driver is a mesh of the model
  // Estimates the frames of vertices from their neighbours, even if the driver has a skinning function.
  bool estimate_frames = false;
  // Streamed: the caller also supplies three axis points per vertex (Singh & Kokkevis 2000, section 4.2), 1 m along x,
  // y and z at bind, from which the vertex's frame follows exactly. They come after the vertices, three by three.
  bool axis_points = false;
  bool morph_targets = true;   // morph targets of the driver's mesh move the driver
  Folds folds = Folds::kAuto;  // not used with key poses or offsets
  float fold_gap = -0.05f;     // between the sides of a fold, in radii of the limb; negative: they overlap
  float fold_volume = 0.5f;    // fraction of the volume lost in the bend that a fold brings back, 0 to 1
  std::vector<KeyPoseSet> key_poses;
  // Offsets of the driver's vertices, applied after bind: the skin is bound to the driver without them and follows
  // them, in the rest pose too. Vertices are numbered as in the character's driver: welded, refined, or as simplified
  // with these parameters. Each vertex at most once. Not for a streamed driver.
  std::vector<VertexOffset> offsets;
  friend bool operator==(const DriverParameters&, const DriverParameters&) = default;
};

void describe(Fields& fields, DriverParameters& driver);

}  // namespace pelt
