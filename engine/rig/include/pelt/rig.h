// SPDX-License-Identifier: MIT
// What a rigger edits: which deformer moves which mesh. Plain structs; rig.schema.json describes the same thing.
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <pelt/bendy_bone.h>
#include <pelt/mesh.h>
#include <pelt/sparse_rows.h>

namespace pelt {

// The baselines use the weights of the model.
struct LinearBlendParameters {
  bool exact_normals = false;  // with the gradient of the weights, or of the frames alone
  friend bool operator==(const LinearBlendParameters&, const LinearBlendParameters&) = default;
};
struct DualQuaternionParameters {
  bool exact_normals = false;  // as LinearBlendParameters
  friend bool operator==(const DualQuaternionParameters&, const DualQuaternionParameters&) = default;
};

// ------------------------------------------------------------------------------------------- selections of vertices

// Model space at bind, metres. The value is 1 inside and falls to 0 over `falloff` outside.
struct Box {
  glm::vec3 min{0.0f};
  glm::vec3 max{0.0f};
  float falloff = 0;
  friend bool operator==(const Box&, const Box&) = default;
};
struct Sphere {
  glm::vec3 center{0.0f};
  float radius = 0;
  float falloff = 0;
  friend bool operator==(const Sphere&, const Sphere&) = default;
};

// 1 at the surface of a mesh of the model, or of a muscle; 0 from `falloff` metres away from it.
struct Near {
  std::string mesh;
  float falloff = 0;
  friend bool operator==(const Near&, const Near&) = default;
};

// A value in [0, 1] for each vertex of a mesh: the product of what is given; nothing given: 1.
struct Region {
  std::vector<std::string> joints;  // their summed weights
  float joint_falloff = 0;  // metres over which that reaches beyond where they move at least half; 0: it does not
  std::string group;        // of the rig
  std::string attribute;    // vertex attribute of the model, clamped: "_MASK", "COLOR_0.r"
  std::optional<Box> box;
  std::optional<Sphere> sphere;
  std::optional<Near> near;
  friend bool operator==(const Region&, const Region&) = default;
};

// First and last, both included.
struct IndexRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

// Vertices or triangles under a name. A region counts where it says something or nothing is listed; listed vertices add
// to it. A triangle is in the group where it is listed or all its corners have at least half.
struct Group {
  std::string name;
  std::string mesh = "*";  // that the numbers speak of; *: any
  std::vector<IndexRange> vertices;
  std::vector<float> values;  // of the listed vertices, in order; none: 1 each
  std::vector<IndexRange> triangles;
  Region region;  // which names no group
  friend bool operator==(const Group&, const Group&) = default;
};

// ------------------------------------------------------------------------------------------------------- the driver

// How a control mesh moves.
enum class Follow {
  kDualQuaternion,  // weights transferred from the skin, blended as dual quaternions: least collapse, the default
  kLinearBlend,     // weights transferred from the skin, blended linearly
  kClosestLimb,     // rigid to the closest limb (Singh & Kokkevis 2000); creases by 80 to 140 degrees
  kStreamed,        // placed by the caller, frame by frame: a simulation, a point cache
};

// The turn of a joint, which has a parent, about an axis of its own, from rest, relative to that parent.
struct KeyAngle {
  std::string joint;
  glm::vec3 axis{0.0f, 0.0f, 1.0f};  // in the joint's space, any length but 0
  friend bool operator==(const KeyAngle&, const KeyAngle&) = default;
};

// A shape of the driver at certain angles: listed offsets and those of a morph target of the driver's mesh.
struct KeyPose {
  std::vector<float> degrees;  // one an angle of the set
  std::string morph_target;
  std::vector<VertexOffset> offsets;
  friend bool operator==(const KeyPose&, const KeyPose&) = default;
};

enum class KeyInterpolation {
  kLinear,  // piecewise, over one angle; held beyond the last keys
  kRbf,     // Gaussian radial basis functions over up to 8 angles; falls back to none far from all keys
};

// Key poses over the same angles. Rest, all angles 0, is a key without offsets.
struct KeyPoseSet {
  std::vector<KeyAngle> angles;
  KeyInterpolation interpolation = KeyInterpolation::kLinear;
  std::vector<KeyPose> poses;
  friend bool operator==(const KeyPoseSet&, const KeyPoseSet&) = default;
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

// A pair of groups: elements of the driver, vertices of the skin.
struct GroupPair {
  std::string elements;
  std::string vertices;
  friend bool operator==(const GroupPair&, const GroupPair&) = default;
};

// What a row of driver vertices reproduces, beyond weights that sum to 1.
enum class Precision {
  kNone,       // nothing; with a likeness of 0 the paper's weights
  kLinear,     // the vertex's place along the driver, where that lies among the row's driver vertices
  kQuadratic,  // any quadratic function of place along the driver, too, by weights of both signs
};

// Surface-oriented FFD (Singh & Kokkevis 2000); math.md section 1 is the specification.
struct SurfaceFfdParameters {
  enum class Mode {
    kBasic,     // one frame a driver triangle (equations 1 to 3)
    kExtended,  // one frame a driver vertex (section 4.2)
  };
  Mode mode = Mode::kExtended;
  float local = 4.0f;                     // falloff exponent, >= 0
  std::optional<float> distance_unit;     // metres; none: the driver's mean edge near the vertex, times
  float distance_scale = 1.0f;            // > 0; about a third and basic follow the driver's own surface most closely
  std::optional<std::uint32_t> elements;  // K, driver triangles a vertex; 0: all; none: 26, kQuadratic 32
  std::optional<float> cut_error;         // metres: instead of elements, the least K that stays under it
  Cut cut = Cut::kContinuous;
  bool raise_elements = true;  // basic: raise K to the driver's largest valence, below which the cut jumps
  // extended, without cut_error: driver vertices that may move a vertex; 0: all; none: 8, kQuadratic 12
  std::optional<std::uint32_t> influences;
  Precision precision = Precision::kLinear;  // extended
  float likeness = 1.0f;  // extended: exponent of how alike vertex and driver vertex are painted; 0: counts for nothing
  bool exact_normals = true;         // extended: with the gradient of the weights, or of the frames alone
  std::vector<GroupPair> exclude;    // these elements never move these vertices
  std::vector<GroupPair> exclusive;  // these elements move these vertices alone, and these vertices follow no other
  std::optional<std::uint32_t> max_hops;  // joints along the skeleton from a vertex's bone to an element's
  std::uint32_t fade = 4;                 // rings of vertices over which exclusions and hops set in
  DriverParameters driver;
  friend bool operator==(const SurfaceFfdParameters&, const SurfaceFfdParameters&) = default;
};

// ---------------------------------------------------------------------------------------------------- curve skeleton

// A value at a place, an angle, a fraction: piecewise, over ascending `at`.
struct CurveKey {
  float at = 0;
  float value = 0;
  friend bool operator==(const CurveKey&, const CurveKey&) = default;
};

// How the frames along a curve run from joint to joint (math.md section 2).
enum class CurveFrames {
  kAuto,      // turning near the joints alone, without folds, the curve kept as long as it was: the default
  kTangent,   // rotation-minimising
  kEndpoint,  // interpolated linearly from joint to joint (Yang et al. 2006, equation 2)
};

// What carries the reference axis of a joint's frame.
enum class CurveReference {
  kHalfSwing,  // half of the joint's swing: the section does not roll at oblique bends
  kJoint,      // the joint
};

// How a vertex finds its curves.
enum class CurveBinding {
  kAuto,      // by weights where the mesh has them, by distance elsewhere
  kDistance,  // the nearest curves (Yang et al. 2006, "Skinning")
  kWeights,   // the same among the curves whose joints move the vertex by the mesh's own weights
};

// A curve that the rig names: over these joints, in order along the curve. One of a name that the linkage rules give
// replaces that.
struct CurvePath {
  std::string name;
  std::vector<std::string> joints;
  glm::vec3 offset{0.0f};                     // from the joints, metres, model space at bind; carried by the joints
  std::vector<VertexOffset> control_offsets;  // of single control points, by number along the curve
  friend bool operator==(const CurvePath&, const CurvePath&) = default;
};

// Flesh keeps its volume where a curve cuts the corner of a bend, and swells.
struct Bulge {
  float volume = 1;            // how much of a slice's volume is kept: 0 none, 1 all
  float across = 0;            // further widening at a bend of 90 degrees, across the plane of the bend,
  float along = 0;             // and in it, as fractions of the skin's distance
  std::optional<float> reach;  // metres along the curve from the joint; none: as far as the curve leaves the bone
  friend bool operator==(const Bulge&, const Bulge&) = default;
};

// What a rig sets at one joint of the curves through it; what it leaves out is measured, or computed.
struct CurveJoint {
  std::string joint;
  std::optional<float> skin_distance;    // d, metres
  std::optional<float> float_min;        // f_min, metres; none: an eighth of the shorter bone
  std::optional<float> float_max;        // f_max, metres; none: what the bones leave
  std::vector<CurveKey> float_distance;  // f, metres, over the bend in degrees; one key: constant; none: the formula
  // How much of the joint's twist the bone that leaves it takes, instead of the one before it; none: 0, but where the
  // bone is the last one, and so long that it is no head or foot, as much as spreads the twist evenly over both.
  std::optional<float> twist_after;
  std::optional<Bulge> bulge;
  friend bool operator==(const CurveJoint&, const CurveJoint&) = default;
};

// What a rig sets along the bone that leaves a joint.
struct CurveBone {
  std::string joint;
  std::string to;  // the joint at its other end; empty: every bone that leaves `joint`
  // Twist of the bone's far end that has arrived at a fraction of the bone: from (0, 0) to (1, 1), ascending. None:
  // even.
  std::vector<CurveKey> twist;
  bool smooth_twist = true;        // monotone cubic between the keys; else linear
  std::optional<BendyBone> bendy;  // none: what the model brings
  friend bool operator==(const CurveBone&, const CurveBone&) = default;
};

// A curve's weights times what the region says.
struct CurveWeight {
  std::string curve;
  float value = 1;  // in the region; 1 outside
  Region region;
  friend bool operator==(const CurveWeight&, const CurveWeight&) = default;
};

// Curve-skeleton skinning (Yang, Somasekharan & Zhang 2006); math.md section 2 is the specification.
struct CurveSkeletonParameters {
  bool automatic = true;            // curves from the joints, by the linkage rules
  std::vector<std::string> split;   // joints at which curves end
  std::vector<std::string> remove;  // automatic curves to leave out, by name
  std::vector<CurvePath> curves;
  CurveFrames frames = CurveFrames::kAuto;
  float centre = 0;  // of the frames: 0 on the curve, 1 on the bone
  CurveReference reference = CurveReference::kHalfSwing;
  float float_margin = 1;  // f times this
  Bulge bulge;
  std::vector<CurveJoint> joints;
  std::vector<CurveBone> bones;
  CurveBinding binding = CurveBinding::kAuto;
  std::uint32_t curves_per_vertex = 3;
  float curve_reach = 2;  // rho: curves beyond so many times the nearest one's distance do not count
  std::vector<CurveWeight> weights;
  float table_error = 5e-5f;  // of the character's height: what the table of frames may be off
  friend bool operator==(const CurveSkeletonParameters&, const CurveSkeletonParameters&) = default;
};

// --------------------------------------------------------------------------------------------------------------- MOS

// From where a vertex is to the weights of the control points (US 2013/0088497, "Binding"; math.md section 3).
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

// Multipoint offset sampling (US 2013/0088497); math.md section 3 is the specification.
struct MosParameters {
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

using DeformerParameters = std::variant<LinearBlendParameters, DualQuaternionParameters, SurfaceFfdParameters,
                                        CurveSkeletonParameters, MosParameters>;

// Where a layer acts: a constant, in [0, 1], times a region.
struct Mask {
  float value = 1.0f;
  Region region;
  friend bool operator==(const Mask&, const Mask&) = default;
};

struct Layer {
  std::string target = "*";  // name of a mesh, or * for all that no other layer's driver uses
  DeformerParameters deformer;
  Mask mask;
  // Instead of hiding the layers below: combined with them as in Wires, with this exponent m, 0 to 64 (math.md section
  // 1).
  std::optional<float> wires;
  friend bool operator==(const Layer&, const Layer&) = default;
};

// ----------------------------------------------------------------------------------------------------------- muscles

// Where a muscle is attached: a point that moves rigidly with a joint.
struct Attachment {
  std::string joint;
  glm::vec3 offset{0.0f};  // from the joint, metres, model space at bind
  friend bool operator==(const Attachment&, const Attachment&) = default;
};

// Pulls a muscle's line aside.
struct LinePoint {
  float at = 0.5f;         // fraction of the way between the attachments, in (0, 1)
  glm::vec3 offset{0.0f};  // from that place, metres, model space at bind
  friend bool operator==(const LinePoint&, const LinePoint&) = default;
};

// A mesh on an action line (Yang et al. 2006, "Muscle Deformation"; math.md section 2): the line's ends move with their
// joints, what is between them with the curve skeleton of the rig's first such layer, and the mesh swells as the line
// shortens. It is a control mesh, which layers name as their driver.
struct Muscle {
  std::string name;  // of the mesh, unless `mesh` is
  Attachment from;
  Attachment to;
  std::vector<LinePoint> points;  // by ascending `at`, at most 6; none: on the straight line
  std::string mesh;               // of the model, which then is no skin; none: a spindle round the line,
  float radius = 0;               // of this radius in its middle, metres,
  std::uint32_t resolution = 16;  // and this many quads round, 4 to 128
  float tendon = 0.1f;            // fraction of the line at either end that is thin and keeps its length, to 0.4
  float volume = 1;               // how much of its volume the muscle keeps: 0 none, 1 all
  float bulge = 0;                // further swelling of the middle as it shortens, 0 to 2
  friend bool operator==(const Muscle&, const Muscle&) = default;
};

// Whether bind poses the character by its clips, or else by sample poses, and compares the deformers with linear blend.
// Only layers over * give way to it, and only where nothing is sculpted: no key poses, offsets, edits, keyed curves,
// morph targets of drivers, muscles, Wires, streams; nor does dual quaternion, which cannot be mixed with another.
enum class Judging {
  kFallback,  // where they do worse, the skin is left to linear blend
  kReport,    // that is reported only
  kNone,
};

// Layers are laid one over the other in order: where a layer's mask is 1 it hides those before it. The first layer of
// a mesh acts everywhere. A mesh that no layer names is moved by linear blend.
struct Rig {
  std::string name;
  std::string directory;  // where relative file names start; not part of the file
  std::vector<Group> groups;
  std::vector<Muscle> muscles;
  std::vector<Layer> layers;
  Judging judging = Judging::kFallback;

  const Group* find_group(std::string_view group) const;

  friend bool operator==(const Rig&, const Rig&) = default;
};

// The deformer's one name, as in rig files: linear_blend, dual_quaternion, surface_ffd,
// curve_skeleton, mos.
std::string_view deformer_name(const DeformerParameters& parameters);

// One layer over all meshes, with the deformer's defaults. `deformer` is one of the names above, with underscores or,
// as on the command line, hyphens. Errors: kNotFound, with the list of names and the nearest one.
Result<Rig> rig_from_deformer_name(const std::string& deformer);

}  // namespace pelt
