// SPDX-License-Identifier: MIT
// Parameters of hierarchical B-splines (Forsey 1994; docs/mathematics.md section 4).
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/curve_keys.h>
#include <pelt/mesh.h>
#include <pelt/selection.h>
#include <pelt/twist.h>

namespace pelt {

class Fields;

// Edges of a control mesh that stay sharp (Catmull-Clark creases, DeRose et al. 1998).
struct SurfaceCrease {
  std::vector<std::vector<std::uint32_t>> paths;  // the control vertices along each, an edge between any two
  float sharpness = 10;                           // number of levels on which they stay sharp; 10 or more: all
  friend bool operator==(const SurfaceCrease&, const SurfaceCrease&) = default;
};

// Control vertices of one level that follow the skin's painting, a curve or a joint, or whose offsets are plain
// vectors. With painting, they follow the joints of the painted weights nearby, blended as dual quaternions: between a
// joint and its parent, each weight is a sub-segment of the joint, as in the paper. A curve runs through joints, like
// that of a curve skeleton, and carries the vertices by its frames (Forsey 1994, "Future work"). Vertices may follow
// part of a joint's turn against its parent: `segments` sub-segments of equal angle divide it, and sub-segment i makes
// (i - 1/2) / segments of it, so that the middle one of an odd number bisects the joint (Forsey 1994, "Multi-segment
// Joints"). Sub-segments with a length turn about their own middles, which lie along an arc from the parent's bone to
// the joint's. Plain vertices follow the level before, W = R + O: their offsets, moves and keys turn with the root
// joint only (Forsey 1994, equation 2).
struct SurfaceAttachment {
  // Exactly one of these four.
  bool plain = false;  // not on level 0
  bool painted = false;
  std::string joint;
  std::vector<std::string> curve;  // joints, at least two
  std::uint32_t segment = 1;       // 1 to segments, counted from the parent
  std::uint32_t segments = 1;      // 1: the joint itself
  float length = 0;                // of all sub-segments, half along either bone, metres; 0: all turn about the joint
  std::vector<IndexRange> vertices;

  // Returns the fraction of the joint's turn.
  float share() const { return (static_cast<float>(segment) - 0.5f) / static_cast<float>(segments); }
  friend bool operator==(const SurfaceAttachment&, const SurfaceAttachment&) = default;
};

// Another control vertex to follow, of this level or a coarser one. The parameter is its displacement along an axis, in
// metres, relative to the root joint.
struct SurfaceFollow {
  std::uint32_t level = 0;
  std::uint32_t vertex = 0;
  glm::vec3 axis{0.0f, 1.0f, 0.0f};  // model space at bind, of any length except 0
  friend bool operator==(const SurfaceFollow&, const SurfaceFollow&) = default;
};

// A shape at a value of a parameter.
struct SurfaceKey {
  float at = 1;                       // value of a control, degrees, or metres; not 0: the key at 0 adds nothing
  std::vector<VertexOffset> offsets;  // added to the vertices' own
  float length = 1;                   // factor on the length of the vertices' own offsets
  friend bool operator==(const SurfaceKey&, const SurfaceKey&) = default;
};

// Keys over a parameter (Forsey 1994, section 4), linear between them and constant beyond. The parameter is exactly one
// of a control, an angle, or a vertex to follow.
struct SurfaceKeys {
  std::string control;  // "surface/NAME", which the game sets each frame; layers and levels share those of one name
  std::optional<KeyAngle> angle;
  std::optional<SurfaceFollow> follow;
  std::vector<SurfaceKey> keys;
  std::vector<IndexRange> vertices;  // whose own offsets are scaled by the keys' lengths
  friend bool operator==(const SurfaceKeys&, const SurfaceKeys&) = default;
};

// A bound on control vertices after they are posed.
enum class SurfaceLimitKind {
  kBisector,  // stays on its side of the plane through the joint that bisects the angle between its bones
  kDistance,  // stays away from the joint's bone
};
struct SurfaceLimit {
  SurfaceLimitKind kind = SurfaceLimitKind::kBisector;
  std::string joint;
  float distance = 0;  // least, from the plane or the bone, metres
  std::vector<IndexRange> vertices;
  friend bool operator==(const SurfaceLimit&, const SurfaceLimit&) = default;
};

// Control vertices that stay away from another one (Forsey 1994, "Future work"), which does not move for them.
struct SurfaceSeparation {
  std::uint32_t from = 0;  // of the same level, as it is limited
  float distance = 0;      // least, metres
  std::vector<IndexRange> vertices;
  friend bool operator==(const SurfaceSeparation&, const SurfaceSeparation&) = default;
};

// A mass on a stiff rod from the reference of a control vertex to the vertex (Forsey 1994, "Secondary Action"). The
// spring constant is k = 3 E I / l^3, with l the length of the rod at bind.
struct SecondaryAction {
  float rigidity = 1;       // E I, flexural rigidity of the rod, newton square metres
  float mass = 1;           // kilograms
  float damping = 4;        // along the surface, newton seconds per metre
  float damping_into = 16;  // into and out of the surface; larger, so that motion stays along the surface
  float reach = 0.5f;       // largest displacement, in rod lengths
  bool along = false;       // keeps its height over the surface, instead of sinking along the arc of the rod's tip
  std::vector<IndexRange> vertices;
  friend bool operator==(const SecondaryAction&, const SecondaryAction&) = default;
};

// One refinement level of the surface. Level 0 is the base; each further one halves the spans of the one before.
// Control vertices of a grid are numbered along v first: i * (number along v) + j. Those of a mesh keep their numbers
// on the next level; those of its faces and edges come after them. A level above 0 only stores the vertices that a
// member below names. Refinement of the coarser level positions all others.
struct SurfaceLevel {
  // Metres, in the tangent-plane frame of the coarser level, or of plain vertices in model space at bind; none on level
  // 0.
  std::vector<VertexOffset> offsets;
  // Added to posed vertices, in the same frame, on level 0 in model space at bind. The skin moves with them, unlike
  // with offsets, which are part of the surface at bind.
  std::vector<VertexOffset> moves;
  std::vector<SurfaceAttachment> attach;
  std::vector<SurfaceKeys> keys;  // offsets as above; on level 0 in model space at bind
  std::vector<SurfaceLimit> limits;
  std::vector<SurfaceSeparation> separations;
  std::vector<SecondaryAction> secondary;
  friend bool operator==(const SurfaceLevel&, const SurfaceLevel&) = default;
};

// How a skin vertex is located on the surface.
enum class SurfaceMapping {
  kClosest,             // the closest point
  kTextureCoordinates,  // the mesh's texture coordinates: 0 to 1 over the domain in u and v
};

struct HierarchicalBsplineParameters {
  static constexpr std::string_view kName = "hierarchical_bspline";

  // The base: a grid of `shape`, a mesh of `faces`, or a mesh of the model or of a file; meshes are subdivided by
  // Catmull-Clark. If none is set, bind makes a mesh from the skin, with its levels.

  std::array<std::uint32_t, 2> shape{4, 4};  // control vertices of the base grid along u and v
  bool closed_u = false;
  bool closed_v = false;
  std::vector<glm::vec3> control;                 // base (of a grid: v fastest); model space at bind, metres
  std::vector<std::vector<std::uint32_t>> faces;  // the control vertices of each, in order
  // A mesh of the model, which is then no skin. If control and faces are set too, it only provides their painting.
  std::string mesh;
  std::string file;                    // an OBJ with polygons, relative to the rig file
  std::vector<SurfaceCrease> creases;  // of a mesh
  // For a mesh made from the skin and then written out (surface_with_base): the vertex that each control vertex was
  // made from, counted through the layer's meshes in order. It provides the painting, and the connected part of the
  // skin that the control vertex carries.
  std::vector<IndexRange> made_of;
  std::vector<SurfaceLevel> levels;
  SurfaceMapping mapping = SurfaceMapping::kClosest;
  // Frames posed along each span of the finest level in u and v, between which skin is blended; 0: a frame for every
  // vertex. None: cells about 2.5 skin edges wide.
  std::optional<std::uint32_t> frames_per_span;
  // For painted vertices: length of each joint's transition along the surface, in radii of the limb; 0: as painted.
  // None: chosen by the kind of joint.
  std::optional<float> spread;
  Twist twist = Twist::kSpread;    // of painted vertices
  std::uint32_t base_faces = 400;  // of a base made from the skin
  float tolerance = 0.002f;        // largest distance of the skin from the base made from it, as a fraction of its size
  friend bool operator==(const HierarchicalBsplineParameters&, const HierarchicalBsplineParameters&) = default;
};

void describe(Fields& fields, HierarchicalBsplineParameters& surface);

}  // namespace pelt
