// SPDX-License-Identifier: MIT
#include <pelt/curve_keys.h>
#include <pelt/selection.h>
#include <pelt/tools/fields.h>

namespace pelt {

void describe(Fields& fields, KeyAngle& angle) {
  fields.about("key_angle", "The turn of a joint about one of its own axes, from rest, relative to its parent.");
  fields.text({"joint", "The joint. It must have a parent."}, angle.joint, Names::kJoint);
  fields.vector({"axis", "In the joint's space, of any length but 0."}, angle.axis);
}

static void describe(Fields& fields, Box& box) {
  fields.about("box", "1 inside, falling to 0 over falloff outside; model space at bind, metres.");
  fields.vector({"min", "Least corner, metres."}, box.min);
  fields.vector({"max", "Greatest corner, metres."}, box.max);
  fields.number({"falloff", "Distance outside over which it falls to 0, metres."}, box.falloff, kNotNegative);
}

static void describe(Fields& fields, Sphere& sphere) {
  fields.about("sphere", "1 inside, falling to 0 over falloff outside; model space at bind, metres.");
  fields.vector({"center", "Metres."}, sphere.center);
  fields.number({"radius", "Metres."}, sphere.radius, kNotNegative);
  fields.number({"falloff", "Distance outside over which it falls to 0, metres."}, sphere.falloff, kNotNegative);
}

static void describe(Fields& fields, Near& near) {
  fields.about("near", "1 at the surface of a mesh or muscle, falling to 0 at falloff from it.");
  fields.name({"mesh", "A mesh of the model, or a muscle."}, near.mesh, Names::kNear);
  fields.number({"falloff", "Distance from the surface over which it falls to 0, metres."}, near.falloff, kNotNegative);
}

void describe(Fields& fields, Region& region) {
  fields.about("region", "A value in [0, 1] per vertex: the product of the keys that are set; 1 without any.");
  fields.texts({"joints", "Joints whose weights are summed."}, region.joints, Names::kJoint);
  fields.number({"joint_falloff",
                 "Metres along the surface over which it falls off, from vertices at least half on these joints."},
                region.joint_falloff, kNotNegative);
  fields.text({"group", "A group of the rig."}, region.group, Names::kGroup);
  fields.text({"attribute", "A vertex attribute of the model, clamped to [0, 1]: _MASK, COLOR_0.r."}, region.attribute,
              Names::kAttribute);
  fields.optional_object({"box", "A box to multiply by."}, region.box);
  fields.optional_object({"sphere", "A sphere to multiply by."}, region.sphere);
  fields.optional_object({"near", "Nearness to a mesh to multiply by."}, region.near);
}

void describe(Fields& fields, Group& group) {
  fields.about("group",
               "Named vertices or triangles. A region counts if it is not empty or nothing is listed; listed vertices "
               "are added to it. A triangle is in the group if it is listed or all its corners have at least one "
               "half.");
  fields.name({"name", "The name that masks, exclusions and refinements use."}, group.name);
  fields.text({"mesh", "The mesh that the indices refer to; *: any."}, group.mesh, Names::kMeshOrAny);
  fields.ranges({"vertices", "Indices, and [first, last] with both included."}, group.vertices);
  fields.numbers({"values", "Values of the listed vertices, in order; none: 1 each."}, group.values, kUnitInterval);
  fields.ranges({"triangles", "Indices, and [first, last] with both included."}, group.triangles);
  fields.object({"region", "Vertices by position or joints. It must not name a group."}, group.region);
}

void describe(Fields& fields, Mask& mask) {
  fields.about("mask", "How much of the layer shows: value times region.");
  fields.number({"value", "The mask inside the region."}, mask.value, kUnitInterval);
  describe(fields, mask.region);
}

}  // namespace pelt
