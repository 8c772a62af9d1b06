// SPDX-License-Identifier: MIT
// Parameters of multipoint offset sampling (US 2013/0088497).
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/curve_keys.h>
#include <pelt/curve_settings.h>
#include <pelt/sparse_rows.h>

namespace pelt {

class Fields;

// How a vertex's position at bind determines its weights of the control points (US 2013/0088497, "Binding";
// docs/mathematics.md sections 3.3 and 3.4).
enum class MosStrategy {
  kBSpline,          // windows of four consecutive points of a chain, each a uniform cubic B-spline segment (default)
  kCatmullClark,     // points are the vertices of a cage: limit stencil of the closest point of its surface
  kInverseDistance,  // 1 / distance^power
  kRadialBasis,      // cardinal weights of radial basis functions; may be negative
};

// The frames F_j of the control points.
enum class MosFrames {
  kRelative,  // the joint's motion from the bind pose: nothing is singular at bind
  kJoint,     // the joint's own axes (the patent's)
};

enum class MosKernel {
  kBiharmonic,  // r
  kGaussian,    // exp(-(r / width)^2)
};

// A control point of the rig. It moves with a joint, which need not be the nearest.
struct MosPoint {
  std::string name;  // the name that edits use; may be empty
  std::string joint;
  glm::vec3 offset{0.0f};  // from the joint, metres, model space at bind
  bool bisecting = false;  // whether its frame makes half of the joint's turn against the joint before it on the chain
  glm::vec3 rotation{0.0f};  // of its frame at bind, against MosFrames: axis times degrees, model space
  friend bool operator==(const MosPoint&, const MosPoint&) = default;
};

// Consecutive control points, either listed or placed along joints. The chain replaces an automatic chain of the same
// name.
struct MosChain {
  std::string name;
  std::vector<MosPoint> points;     // the points in order,
  std::vector<std::string> joints;  // or the joints in order along the chain
  friend bool operator==(const MosChain&, const MosChain&) = default;
};

enum class MosOperation {
  kBulge,   // p <- c + factor (p - c), c the pivot
  kSlide,   // p <- p + distance along the joint's bone + the frame times offset
  kScale,   // F <- F diag(scale), along the joint's axes
  kMotion,  // scales displacements, measured from the position under the root's motion, by factor (claim 11)
  kTwist,   // adds an angle about the bone; to the frame, if the strategy blends no angles
};

// A secondary operation (US 2013/0088497, "Secondary Operations"). A share scales it, which is 1 without a driver:
// factors become 1 + share (factor - 1), and distances, offsets and angles are multiplied by the share.
struct MosEdit {
  MosOperation operation = MosOperation::kBulge;
  // Names of points, or joints for all their points; wildcards * and ?; empty: every point.
  std::vector<std::string> points;
  float factor = 1;  // bulge: of the distance from the pivot; motion: of the displacement
  std::optional<glm::vec3>
      pivot;               // bulge: metres, model space at bind, moves with the point's joint; none: the joint's origin
  float distance = 0;      // slide: metres along the bone towards the next joint of the chain
  glm::vec3 offset{0.0f};  // slide: metres, in the point's axes: its joint's, turned by its rotation
  glm::vec3 scale{1.0f};   // scale: along these axes
  float degrees = 0;       // twist: about the bone
  std::optional<KeyAngle> driver;  // angle over which the share is keyed
  std::vector<CurveKey> share;  // share over degrees of the driver, ascending, smooth between keys; one key is (0, 0)
  // Edits without a driver: true if the model was sculpted with the edit applied; false if the edit should change the
  // bind pose.
  bool in_bind = true;
  friend bool operator==(const MosEdit&, const MosEdit&) = default;
};

// Parameters of multipoint offset sampling (US 2013/0088497). docs/mathematics.md section 3 is the specification.
struct MosParameters {
  static constexpr std::string_view kName = "mos";

  MosStrategy strategy = MosStrategy::kBSpline;
  bool automatic = true;            // whether chains are also laid over the joints by the linkage rules
  std::vector<std::string> split;   // joints at which automatic chains end
  std::vector<std::string> remove;  // names of automatic chains to leave out
  std::vector<MosChain> chains;
  std::uint32_t points_per_bone = 2;  // placed points per bone, 1 to 16
  float bone_fraction = 0.5f;         // fraction of the bone, about its middle, over which they are spread, 0 to 1
  // Further placed points at every inner joint, 0 to 8, each with part of its turn; a single one bisects the turn.
  // None: 5; but 3 with joint_fraction, at branches and the joints next to them, and without skin to measure.
  std::optional<std::uint32_t> points_per_joint;
  // Fraction of the shorter bone at the joint over which these are spread, 0 to 1. None: the thicker the limb, the
  // farther apart they are; or if there are 3, they are spread over 0.6 of the bone.
  std::optional<float> joint_fraction;
  MosFrames frames = MosFrames::kRelative;
  bool exact_normals = true;  // whether normals follow the gradient of the weights; else only the frames
  bool clamp_ends = true;  // B-spline: whether each end point counts three times, so that the curve reaches it; always
                           // with fewer than four points
  bool twist = true;       // B-spline: whether twists are blended as angles, not as matrices
  CurveBinding binding = CurveBinding::kAuto;  // B-spline: how a vertex finds its chains
  std::uint32_t chains_per_vertex = 3;
  float chain_reach = 2;  // B-spline: chains farther than this factor times the nearest one are ignored
  // B-spline: largest error of the table of frames, as a fraction of the largest extent of the targets.
  float table_error = 1.4e-4f;
  float power = 2;                            // inverse distance: exponent of the distance
  std::uint32_t nearest = 8;                  // inverse distance: K, the number of points that move a vertex; 0: all
  Cut cut = Cut::kContinuous;                 // inverse distance: how the weights end at the K-th point
  MosKernel kernel = MosKernel::kBiharmonic;  // radial basis
  std::optional<float> width;                 // radial basis, Gaussian: metres; none: the mean spacing of the points
  std::string cage;                           // Catmull-Clark: a mesh of the model, whose vertices are the points,
  std::string cage_file;                      // or an OBJ file, relative to the rig file
  std::vector<MosEdit> edits;                 // in order
  friend bool operator==(const MosParameters&, const MosParameters&) = default;
};

void describe(Fields& fields, MosParameters& mos);

}  // namespace pelt
