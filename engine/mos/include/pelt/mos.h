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

// From where a vertex is to the weights of the control points (US 2013/0088497, "Binding"; docs/mathematics.md section
// 3).
enum class MosStrategy {
  kBSpline,       // windows of four consecutive points of a chain, each a uniform cubic B-spline segment: the default
  kCatmullClark,  // the points are the vertices of a cage: the limit stencil of the closest point of its surface
  kInverseDistance,  // 1 / distance^power
  kRadialBasis,      // cardinal weights of radial basis functions; may be negative
};

// The frames F_j of the control points.
enum class MosFrames {
  kRelative,  // the joint's motion from rest: nothing is singular at bind
  kJoint,     // the joint's own axes (the patent's)
};

enum class MosKernel {
  kBiharmonic,  // r
  kGaussian,    // exp(-(r / width)^2)
};

// A point that moves with a joint, which need not be the nearest.
struct MosPoint {
  std::string name;  // for operations; may be empty
  std::string joint;
  glm::vec3 offset{0.0f};  // from the joint, metres, model space at bind
  bool bisecting = false;  // its frame has half of the joint's turn against the one before it on the chain
  friend bool operator==(const MosPoint&, const MosPoint&) = default;
};

// Consecutive control points: given, or placed along joints in order. One of a name that the linkage rules give
// replaces that.
struct MosChain {
  std::string name;
  std::vector<MosPoint> points;     // either these
  std::vector<std::string> joints;  // or these
  friend bool operator==(const MosChain&, const MosChain&) = default;
};

enum class MosOperation {
  kBulge,   // p <- c + factor (p - c), c the pivot
  kSlide,   // p <- p + distance along the joint's bone + the frame times offset
  kScale,   // F <- F diag(scale), along the joint's axes
  kMotion,  // displacements from where the root's motion alone leaves a point, times factor (claim 11)
  kTwist,   // adds an angle about the bone; B-spline alone
};

// A secondary operation (US 2013/0088497, "Secondary Operations"). It is done by a share, 1 where nothing drives it:
// factors are 1 + share (factor - 1), distances, offsets and angles share times what is given.
struct MosEdit {
  MosOperation operation = MosOperation::kBulge;
  std::vector<std::string> points;  // names, or joints: all their points; * and ? are wildcards; none: every point
  float factor = 1;                 // bulge, motion
  std::optional<glm::vec3>
      pivot;               // bulge: model space at bind, carried by the point's joint; none: that joint's origin
  float distance = 0;      // slide: metres towards the next point of the chain's joints
  glm::vec3 offset{0.0f};  // slide: metres, in the joint's axes
  glm::vec3 scale{1.0f};   // scale
  float degrees = 0;       // twist
  std::optional<KeyAngle> driver;  // the share is keyed over this angle
  std::vector<CurveKey> share;     // over degrees of the driver, ascending, smooth between; 0 at 0
  // Of what nothing drives: whether the skin at bind has it already, so that bind leaves it where it is. Otherwise the
  // edit shows at bind too.
  bool in_bind = true;
  friend bool operator==(const MosEdit&, const MosEdit&) = default;
};

// Multipoint offset sampling (US 2013/0088497); docs/mathematics.md section 3 is the specification.
struct MosParameters {
  static constexpr std::string_view kName = "mos";

  MosStrategy strategy = MosStrategy::kBSpline;
  bool automatic = true;            // chains from the joints, by the linkage rules
  std::vector<std::string> split;   // joints at which automatic chains end
  std::vector<std::string> remove;  // automatic chains to leave out, by name
  std::vector<MosChain> chains;
  std::uint32_t points_per_bone = 2;  // of placed points, 1 to 16
  float spread = 0.5f;                // the part of the bone, about its middle, over which they stand, 0 to 1
  // And of those that turn with an inner joint, part by part, 0 to 8; 1 bisects. None: 5, or 3 where joint_spread is
  // given or there is no skin to measure.
  std::optional<std::uint32_t> points_per_joint;
  // The part of the shorter bone beside the joint over which they stand, 0 to 1. None: by the skin's thickness there.
  std::optional<float> joint_spread;
  MosFrames frames = MosFrames::kRelative;
  bool exact_normals = true;  // B-spline: with the gradient of the weights, or of the frames alone
  bool clamp_ends = true;     // B-spline: each end point counts three times; so it does with fewer than four points
  bool twist = true;          // B-spline: angles are blended, not matrices
  CurveBinding binding = CurveBinding::kAuto;  // B-spline: how a vertex finds its chains
  std::uint32_t chains_per_vertex = 3;
  float chain_reach = 2;                      // chains beyond so many times the nearest one's distance do not count
  float table_error = 5e-5f;                  // B-spline: of the largest extent of the targets
  float power = 2;                            // inverse distance
  std::uint32_t nearest = 8;                  // inverse distance: the K nearest points; 0: all
  Cut cut = Cut::kContinuous;                 // to them
  MosKernel kernel = MosKernel::kBiharmonic;  // radial basis
  std::optional<float> width;                 // Gaussian, metres; none: the mean spacing of the points
  std::string cage;                           // Catmull-Clark: a mesh of the model,
  std::string cage_file;                      // or an OBJ
  std::vector<MosEdit> edits;                 // in order
  friend bool operator==(const MosParameters&, const MosParameters&) = default;
};

void describe(Fields& fields, MosParameters& mos);

}  // namespace pelt
