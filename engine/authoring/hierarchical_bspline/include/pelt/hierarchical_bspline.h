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

namespace pelt {

class Fields;

// Edges of a control mesh that stay sharp (Catmull-Clark creases, DeRose et al. 1998).
struct SurfaceCrease {
  std::vector<std::vector<std::uint32_t>> paths;  // of each the control vertices along it, an edge between any two
  float sharpness = 10;                           // levels that it stays sharp for; 10 or more: all
  friend bool operator==(const SurfaceCrease&, const SurfaceCrease&) = default;
};

// Control vertices of one level that follow the skin's painting, a curve or a joint. By the painting they follow the
// joints that the skin there is painted to, blended as dual quaternions: between a joint and its parent that is a
// sub-segment of the joint, as the paper has them, one for each share. A curve runs through joints, as that of a curve
// skeleton does, and carries them by its frames (Forsey 1994, "Future work"). Of a joint they may follow a part: the
// joint's turn against its parent is divided among `segments` sub-segments of equal angle, and sub-segment i has (i -
// 1/2) / segments of it, so that the middle one of an odd number bisects the joint (Forsey 1994, "Multi-segment
// Joints").
struct SurfaceAttachment {
  // One of three.
  bool painted = false;
  std::string joint;
  std::vector<std::string> curve;  // joints, at least two
  std::uint32_t segment = 1;       // 1 to segments, counted from the parent
  std::uint32_t segments = 1;      // 1: the joint itself
  std::vector<IndexRange> vertices;
  friend bool operator==(const SurfaceAttachment&, const SurfaceAttachment&) = default;
};

// Another control vertex, of this level or a coarser one, which vertices follow: the parameter is how far it has moved
// along an axis, metres, against the root joint.
struct SurfaceFollow {
  std::uint32_t level = 0;
  std::uint32_t vertex = 0;
  glm::vec3 axis{0.0f, 1.0f, 0.0f};  // model space at bind, of any length except 0
  friend bool operator==(const SurfaceFollow&, const SurfaceFollow&) = default;
};

// A shape at a value of a parameter.
struct SurfaceKey {
  float at = 1;                       // of a control, degrees, or metres; not 0, where nothing is added
  std::vector<VertexOffset> offsets;  // added to the vertices' own
  float length = 1;                   // of the vertices' own offsets, times their length at bind
  friend bool operator==(const SurfaceKey&, const SurfaceKey&) = default;
};

// Keys over a parameter (Forsey 1994, section 4), linear between them and held beyond: a control of this name, an
// angle, or a vertex that is followed. Exactly one is given.
struct SurfaceKeys {
  std::string control;  // "surface/NAME", which the game gives each frame; layers and levels share those of one name
  std::optional<KeyAngle> angle;
  std::optional<SurfaceFollow> follow;
  std::vector<SurfaceKey> keys;
  std::vector<IndexRange> vertices;  // whose own offsets the keys' lengths scale
  friend bool operator==(const SurfaceKeys&, const SurfaceKeys&) = default;
};

// A bound on where control vertices may go, once they are posed.
enum class SurfaceLimitKind {
  kBisector,  // stays on its side of the plane through the joint that bisects the angle between its bones
  kDistance,  // stays away from the joint's bone
};
struct SurfaceLimit {
  SurfaceLimitKind kind = SurfaceLimitKind::kBisector;
  std::string joint;
  float distance = 0;  // metres from the plane or the bone, at least
  std::vector<IndexRange> vertices;
  friend bool operator==(const SurfaceLimit&, const SurfaceLimit&) = default;
};

// A mass on a stiff rod from the reference of a control vertex to the vertex (Forsey 1994, "Secondary Action"): the
// spring constant is k = 3 E I / l^3, l the length of the rod at bind.
struct SecondaryAction {
  float rigidity = 1;       // E I, flexural rigidity of the rod, newton square metres
  float mass = 1;           // kilograms
  float damping = 4;        // along the surface, newton seconds per metre
  float damping_into = 16;  // into and out of the surface: larger, so that motion keeps to the surface
  float reach = 0.5f;       // largest displacement, in lengths of the rod
  std::vector<IndexRange> vertices;
  friend bool operator==(const SecondaryAction&, const SecondaryAction&) = default;
};

// One level of the surface: level 0 is the base, each further one halves the spans of the one before it. Control
// vertices of a grid are numbered along v first: i * (number along v) + j; those of a mesh keep their numbers on the
// next level, on which those of its faces and edges come after them. A level above 0 stores the vertices that something
// below names; all others are where refinement of the level before it puts them.
struct SurfaceLevel {
  std::vector<VertexOffset> offsets;  // metres, in the tangent-plane frame of the level before; none on level 0
  // Added to posed vertices, in the same frame, of level 0 in model space at bind: the skin follows, which offsets
  // leave where it is at bind.
  std::vector<VertexOffset> moves;
  std::vector<SurfaceAttachment> attach;
  std::vector<SurfaceKeys> keys;  // offsets as above; on level 0 in model space at bind
  std::vector<SurfaceLimit> limits;
  std::vector<SecondaryAction> secondary;
  friend bool operator==(const SurfaceLevel&, const SurfaceLevel&) = default;
};

// How a skin vertex finds its place on the surface.
enum class SurfacePlaces {
  kClosest,             // the closest point
  kTextureCoordinates,  // the mesh's texture coordinates: 0 to 1 over the domain in u and v
};

struct HierarchicalBsplineParameters {
  static constexpr std::string_view kName = "hierarchical_bspline";

  // The base: a grid of `shape`, a mesh of `faces`, or a mesh of the model or of a file, which is subdivided as Catmull
  // and Clark do. With none of these a mesh is made of the skin, with its levels.

  std::array<std::uint32_t, 2> shape{4, 4};  // control vertices of the base grid along u and v
  bool closed_u = false;
  bool closed_v = false;
  std::vector<glm::vec3> control;                 // base, of a grid v fastest; model space at bind, metres
  std::vector<std::vector<std::uint32_t>> faces;  // of each its control vertices, in order
  // A mesh of the model, which is then no skin. Where control and faces are given, too, it has their painting alone.
  std::string mesh;
  std::string file;                    // an OBJ with polygons, relative to the rig file
  std::vector<SurfaceCrease> creases;  // of a mesh
  // The vertex of the layer's meshes, laid end to end, that each control vertex was made of, in order; of a mesh that
  // was made of the skin and then written out (surface_with_base). From there it has its painting, and the connected
  // part of the skin that it carries.
  std::vector<IndexRange> made_of;
  std::vector<SurfaceLevel> levels;
  SurfacePlaces places = SurfacePlaces::kClosest;
  // Frames posed along each span of the finest level in u and v, between which skin is blended; 0: a frame for every
  // vertex. None: cells about 2.5 edges of the skin wide.
  std::optional<std::uint32_t> frames_per_span;
  // The length of each joint's passage along the surface for painted vertices, in radii of the limb; 0: as painted.
  // None: chosen by the kind of joint.
  std::optional<float> spread;
  std::uint32_t base_faces = 400;  // of a base that is made of the skin
  float tolerance = 0.002f;        // part of the size by which a skin lies off the base that is made of it, at most
  friend bool operator==(const HierarchicalBsplineParameters&, const HierarchicalBsplineParameters&) = default;
};

void describe(Fields& fields, HierarchicalBsplineParameters& surface);

}  // namespace pelt
