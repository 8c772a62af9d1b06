// SPDX-License-Identifier: MIT
#include <pelt/hierarchical_bspline.h>
#include <pelt/tools/fields.h>
#include <pelt/try.h>

#include "engine/authoring/hierarchical_bspline/base.h"
#include "engine/authoring/hierarchical_bspline/bind.h"
#include "engine/authoring/rig/deformer_entry.h"

namespace pelt {
namespace {

constexpr Choice<SurfaceLimitKind> kLimits[] = {{"bisector", SurfaceLimitKind::kBisector},
                                                {"distance", SurfaceLimitKind::kDistance}};
constexpr Choice<SurfaceMapping> kMappings[] = {{"closest", SurfaceMapping::kClosest},
                                                {"texture_coordinates", SurfaceMapping::kTextureCoordinates}};
constexpr const char* kVertices = "Control vertices of the level: numbers or [first, last].";

}  // namespace

static void describe(Fields& fields, SurfaceAttachment& attachment) {
  fields.about("surface_attachment",
               "Control vertices that follow the painting, a joint or a curve, or whose offsets are plain vectors.");
  fields.flag({"plain",
               "They follow the level before, and their offsets, moves and keys turn with the root only, not with the "
               "tangent plane; in model space at bind."},
              attachment.plain);
  fields.flag({"painted", "They follow the joints of the skin's painted weights."}, attachment.painted);
  fields.text({"joint", "The joint to follow."}, attachment.joint, Names::kJoint);
  fields.texts({"curve", "Joints of a curve that carries them: at least two, in order along it."}, attachment.curve,
               Names::kJoint);
  fields.exactly_one({{"painted", attachment.painted},
                      {"joint", !attachment.joint.empty()},
                      {"curve", !attachment.curve.empty()},
                      {"plain", attachment.plain}},
                     "set exactly one of painted, joint, curve and plain");
  fields.integer(
      {"segment", "The sub-segment, counted from the joint's parent. It makes (segment - 1/2) / segments of the turn."},
      attachment.segment, {.most = 64});
  fields.integer({"segments", "Sub-segments that divide the joint's turn evenly; 1: the joint itself."},
                 attachment.segments, {.most = 64});
  fields.refuse(attachment.segment > attachment.segments, "segment", "must be at most the number of segments");
  fields.number(
      {"length", "Length of all sub-segments together, half along either bone, metres; 0: all turn about the joint."},
      attachment.length, kNotNegative);
  fields.refuse(attachment.length > 0 && attachment.segments < 2, "length", "requires two segments or more");
  fields.ranges({"vertices", kVertices}, attachment.vertices);
}

static void describe(Fields& fields, SurfaceCrease& crease) {
  fields.about("surface_crease", "Edges of a control mesh that stay sharp.");
  fields.index_lists({"paths", "The control vertices of each path. Any two consecutive ones share an edge."},
                     crease.paths);
  fields.number({"sharpness", "Levels on which they stay sharp; 10: all."}, crease.sharpness, {.least = 0, .most = 10});
}

static void describe(Fields& fields, SurfaceFollow& follow) {
  fields.about("surface_follow", "Another control vertex, whose displacement in metres is the parameter.");
  fields.integer({"level", "Its level: this one or a coarser one."}, follow.level, {.least = 0});
  fields.integer({"vertex", "Its number."}, follow.vertex, {.least = 0});
  fields.vector({"axis", "Direction of the displacement against the root joint; model space at bind."}, follow.axis);
}

static void describe(Fields& fields, SurfaceKey& key) {
  fields.about("surface_key", "A shape at a value of a parameter.");
  fields.number({"at", "Value of the control, degrees, or metres; not 0, which adds nothing."}, key.at, kAnyNumber);
  fields.refuse(key.at == 0, "at", "must not be 0: the key at 0 adds nothing");
  fields.offsets({"offsets", "[vertex, x, y, z], added to the vertices' own offsets."}, key.offsets);
  fields.number({"length", "Factor on the length of the vertices' own offsets."}, key.length, kNotNegative);
}

static void describe(Fields& fields, SurfaceKeys& keys) {
  fields.about("surface_keys",
               "Shapes over a control, an angle or another vertex. Linear between keys, constant beyond them.");
  fields.text({"control", "Name of a control, which the game sets each frame."}, keys.control);
  fields.optional_object({"angle", "The turn of a joint, degrees."}, keys.angle);
  fields.optional_object({"follow", "A vertex to follow."}, keys.follow);
  fields.exactly_one(
      {{"control", !keys.control.empty()}, {"angle", keys.angle.has_value()}, {"follow", keys.follow.has_value()}},
      "set exactly one of control, angle and follow");
  fields.objects({"keys", "The shapes, ascending by at."}, keys.keys);
  fields.ranges({"vertices", "Control vertices whose own offsets are scaled by the keys' lengths."}, keys.vertices);
}

static void describe(Fields& fields, SurfaceLimit& limit) {
  fields.about("surface_limit", "A bound on posed control vertices.");
  fields.choice({"kind",
                 "bisector: they stay on their side of the plane that bisects the joint's angle; distance: they stay "
                 "away from the joint's bone."},
                limit.kind, kLimits);
  fields.name({"joint", "The joint."}, limit.joint, Names::kJoint);
  fields.number({"distance", "Least distance from the plane or the bone, metres."}, limit.distance, kNotNegative);
  fields.ranges({"vertices", kVertices}, limit.vertices);
}

static void describe(Fields& fields, SurfaceSeparation& separation) {
  fields.about("surface_separation", "Control vertices that stay away from another one, which does not move for them.");
  fields.integer({"from", "The other vertex, of the same level."}, separation.from, {.least = 0});
  fields.number({"distance", "Least distance, metres."}, separation.distance, kNotNegative);
  fields.ranges({"vertices", kVertices}, separation.vertices);
}

static void describe(Fields& fields, SecondaryAction& action) {
  fields.about("secondary_action", "Each vertex is a mass on a stiff rod from its reference, with k = 3 E I / l^3.");
  fields.number({"rigidity", "E I, flexural rigidity of the rod, N m^2."}, action.rigidity, kPositive);
  fields.number({"mass", "Kilograms."}, action.mass, kPositive);
  fields.number({"damping", "Along the surface, N s/m."}, action.damping, kNotNegative);
  fields.number({"damping_into", "Into and out of the surface, N s/m; larger, so that motion stays along the surface."},
                action.damping_into, kNotNegative);
  fields.number({"reach", "Largest displacement, in rod lengths."}, action.reach, {.least = 0, .most = 1});
  fields.flag({"along", "The vertex keeps its height over the surface, instead of sinking along the arc of the rod."},
              action.along);
  fields.ranges({"vertices", kVertices}, action.vertices);
}

static void describe(Fields& fields, SurfaceLevel& level) {
  fields.about("surface_level",
               "A refinement level of the surface. It stores the control vertices that it names, numbered i * (number "
               "along v) + j.");
  fields.offsets({"offsets",
                  "[vertex, x, y, z] from the vertex's refined position; metres, in the tangent-plane frame of the "
                  "coarser level."},
                 level.offsets);
  fields.offsets({"moves",
                  "[vertex, x, y, z] that move vertices and their skin after bind; in the frame of the "
                  "offsets, on level 0 in model space at bind."},
                 level.moves);
  fields.objects({"attach", "Attachments to joints. Other vertices follow the coarser level."}, level.attach);
  fields.objects({"keys", "Shapes over parameters; offsets in the same frame, on level 0 in model space at bind."},
                 level.keys);
  fields.objects({"limits", "Bounds on posed vertices."}, level.limits);
  fields.objects({"separations", "Vertices that keep a distance from others."}, level.separations);
  fields.objects({"secondary", "Vertices that lag and swing as they move."}, level.secondary);
}

void describe(Fields& fields, HierarchicalBsplineParameters& surface) {
  fields.about("hierarchical_bspline", "Hierarchical B-splines (Forsey 1994).");
  fields.integers({"shape", "Control vertices of the base grid, [u, v]."}, surface.shape);
  fields.flag({"closed_u", "The surface closes along u."}, surface.closed_u);
  fields.flag({"closed_v", "The surface closes along v."}, surface.closed_v);
  fields.vectors({"control", "Control vertices of the base (of a grid: v fastest); model space at bind, metres."},
                 surface.control);
  fields.index_lists({"faces", "Faces of a base mesh: the control vertices of each, in order."}, surface.faces);
  fields.text({"mesh",
               "A mesh of the model as the base. It is then no skin. Next to control and faces, it only provides their "
               "painting."},
              surface.mesh, Names::kCage);
  fields.text({"file", "An OBJ file as the base, relative to the rig file."}, surface.file, Names::kObjFile);
  const Given control{"control", !surface.control.empty()};
  const Given faces{"faces", !surface.faces.empty()};
  const Given mesh{"mesh", !surface.mesh.empty()};
  const Given file{"file", !surface.file.empty()};
  fields.at_most_one({mesh, file}, "set mesh or file, not both");
  fields.conflict("control", {control, file}, {}, "belongs to a base without file");
  fields.conflict("faces", {faces, file}, {}, "belong to a base without file");
  fields.conflict("control", {control, mesh}, {faces}, "requires faces if mesh is set");
  fields.conflict("faces", {faces}, {control}, "requires control");
  for (const Given& along : {Given{"shape", surface.shape != HierarchicalBsplineParameters{}.shape},
                             Given{"closed_u", surface.closed_u}, Given{"closed_v", surface.closed_v}}) {
    constexpr const char* kWhy = "belongs to a base grid, which is control without faces";
    fields.conflict(along.member, {along, faces}, {}, kWhy);
    fields.conflict(along.member, {along}, {control}, kWhy);
  }
  fields.objects({"creases", "Sharp edges of a base mesh."}, surface.creases);
  fields.conflict("creases", {{"creases", !surface.creases.empty()}}, {faces, mesh, file},
                  "belong to a base that is a mesh: set faces, mesh or file");
  fields.ranges({"made_of",
                 "For a base made from the skin: for each control vertex, in order, the vertex that it was made from, "
                 "counted through the layer's meshes in order."},
                surface.made_of);
  fields.objects({"levels", "The base level and the overlays, each with spans half as long as the one before."},
                 surface.levels);
  fields.conflict("levels", {{"levels", !surface.levels.empty()}}, {control, mesh, file},
                  "require a base: set control, mesh or file");
  fields.choice({"mapping",
                 "Where a vertex lies on the surface: its closest point, or its texture coordinates, 0 to 1 over the "
                 "surface."},
                surface.mapping, kMappings);
  fields.integer_or({"frames_per_span",
                     "Frames along each span of the finest level, between which skin is blended; auto: by the skin's "
                     "edges."},
                    "auto", surface.frames_per_span, {.most = 64}, "every_vertex");
  fields.number_or({"spread",
                    "For painted vertices: length of each joint's transition along the surface, in radii of the limb; "
                    "0: as painted; auto: by the kind of joint, 3 at most."},
                   "auto", surface.spread, {.least = 0, .most = 16});
  describe(fields, surface.twist);
  fields.integer({"base_faces", "Target number of faces of a base made from the skin, if the rig has no base."},
                 surface.base_faces, {.least = 20, .most = 20000});
  fields.number({"tolerance", "Largest distance of the skin from the base made from it, over the skin's size."},
                surface.tolerance, {.least = 0, .most = 1, .above_least = true});
}

namespace hierarchical_bspline {

// Returns true if the rig defines nothing of the surface.
static bool has_no_sculpture(const DeformerParameters& parameters) {
  const auto& surface = parameters.get<HierarchicalBsplineParameters>();
  return surface.control.empty() && surface.mesh.empty() && surface.file.empty();
}

// Rigid parts such as teeth follow a surface that the rig defines, but not one made from the skin, even if written out.
static RigidParts rigid_parts(const DeformerParameters& parameters) {
  const bool is_made = has_no_sculpture(parameters) || !parameters.get<HierarchicalBsplineParameters>().made_of.empty();
  return is_made ? RigidParts::kLeft : RigidParts::kMoved;
}

DeformerEntry deformer() {
  return {.defaults = HierarchicalBsplineParameters{},
          .bind = bind_as<HierarchicalBsplineParameters, bind>,
          .rigid_parts = rigid_parts,
          .makes_surface = has_no_sculpture,
          .may_fall_back = has_no_sculpture,
          .spreads_twists =
              [](const DeformerParameters& parameters) {
                const auto& surface = parameters.get<HierarchicalBsplineParameters>();
                return surface.twist == Twist::kSpread && rigid_parts(parameters) == RigidParts::kLeft;
              },
          .move_bound = move_bound};
}

}  // namespace hierarchical_bspline
}  // namespace pelt
