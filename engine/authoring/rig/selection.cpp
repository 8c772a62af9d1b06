// SPDX-License-Identifier: MIT
#include <pelt/curve_keys.h>
#include <pelt/selection.h>
#include <pelt/tools/fields.h>

namespace pelt {

void describe(Fields& fields, KeyAngle& angle) {
  fields.about("key_angle", "The turn of a joint about an axis of its own, from rest, relative to its parent.");
  fields.text({"joint", "The joint, which has a parent."}, angle.joint, Names::kJoint);
  fields.vector({"axis", "In the joint's space, any length but 0."}, angle.axis);
}

static void describe(Fields& fields, Box& box) {
  fields.about("box", "1 inside, falling to 0 over falloff outside; model space at bind, metres.");
  fields.vector({"min", "Least corner, metres."}, box.min);
  fields.vector({"max", "Greatest corner, metres."}, box.max);
  fields.number({"falloff", "Metres outside over which it falls to 0."}, box.falloff, kNotNegative);
}

static void describe(Fields& fields, Sphere& sphere) {
  fields.about("sphere", "1 inside, falling to 0 over falloff outside; model space at bind, metres.");
  fields.vector({"center", "Metres."}, sphere.center);
  fields.number({"radius", "Metres."}, sphere.radius, kNotNegative);
  fields.number({"falloff", "Metres outside over which it falls to 0."}, sphere.falloff, kNotNegative);
}

static void describe(Fields& fields, Near& near) {
  fields.about("near", "1 at the surface of a mesh or muscle, falling to 0 at falloff from it.");
  fields.name({"mesh", "A mesh of the model, or a muscle."}, near.mesh, Names::kNear);
  fields.number({"falloff", "Metres from the surface over which it falls to 0."}, near.falloff, kNotNegative);
}

void describe(Fields& fields, Region& region) {
  fields.about("region", "A value in [0, 1] a vertex: the product of what is given; nothing given: 1.");
  fields.texts({"joints", "Their summed weights."}, region.joints, Names::kJoint);
  fields.number({"joint_falloff",
                 "Metres along the surface over which that reaches beyond where these joints move at least half."},
                region.joint_falloff, kNotNegative);
  fields.text({"group", "A group of the rig."}, region.group, Names::kGroup);
  fields.text({"attribute", "A vertex attribute of the model, clamped to [0, 1]: _MASK, COLOR_0.r."}, region.attribute,
              Names::kAttribute);
  fields.optional_object({"box", "Times a box."}, region.box);
  fields.optional_object({"sphere", "Times a sphere."}, region.sphere);
  fields.optional_object({"near", "Times how near a mesh is."}, region.near);
}

void describe(Fields& fields, Group& group) {
  fields.about("group",
               "Vertices or triangles under a name. A region counts where it says something or nothing is listed; "
               "listed vertices add to it. A triangle is in the group where it is listed or all its corners have at "
               "least half.");
  fields.name({"name", "What masks, exclusions and refinements call it."}, group.name);
  fields.text({"mesh", "The mesh that the numbers speak of; *: any."}, group.mesh, Names::kMeshOrAny);
  fields.ranges({"vertices", "Indices, and [first, last] with both included."}, group.vertices);
  fields.numbers({"values", "Values of the listed vertices, in order; none: 1 each."}, group.values, kUnitInterval);
  fields.ranges({"triangles", "Indices, and [first, last] with both included."}, group.triangles);
  fields.object({"region", "Vertices by where they are or what moves them; it names no group."}, group.region);
}

void describe(Fields& fields, Mask& mask) {
  fields.about("mask", "How much of the layer shows: value times the region.");
  fields.number({"value", "The mask inside the region."}, mask.value, kUnitInterval);
  describe(fields, mask.region);
}

}  // namespace pelt
