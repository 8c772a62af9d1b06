// SPDX-License-Identifier: MIT
#include <pelt/driver.h>
#include <pelt/tools/fields.h>

namespace pelt {
namespace {

constexpr Choice<Follow> kFollows[] = {{"dual_quaternion", Follow::kDualQuaternion},
                                       {"linear_blend", Follow::kLinearBlend},
                                       {"closest_limb", Follow::kClosestLimb},
                                       {"streamed", Follow::kStreamed}};

}  // namespace

static void describe(Fields& fields, PatchParameters& patch) {
  fields.about("patch", "A B-spline or NURBS surface. Counts and degrees are [u, v].");
  fields.integers({"shape", "Control vertices."}, patch.shape);
  fields.integers({"degree", "Degrees of the basis."}, patch.degree);
  fields.numbers({"knots_u", "shape + degree + 1 of them; none: uniform."}, patch.knots_u, kAnyNumber);
  fields.numbers({"knots_v", "The same along v."}, patch.knots_v, kAnyNumber);
  fields.vectors({"control", "Control vertices, u slowest; model space at bind, metres."}, patch.control);
  fields.numbers({"weights", "One a control vertex; none: 1 each."}, patch.weights, kPositive);
}

static void describe(Fields& fields, Refinement& refinement) {
  fields.about("refinement", "Splits the driver's triangles in the region.");
  fields.object({"region", "Where triangles are split."}, refinement.region);
  fields.integer({"levels", "Each splits a triangle into four."}, refinement.levels);
}

void describe(Fields& fields, DriverParameters& driver) {
  fields.about("driver",
               "The control mesh: a mesh of the model, a file, patches, or (none given) the targets welded and "
               "simplified.");
  fields.text({"mesh",
               "Name of a mesh of the model, which then is a control mesh and not skin; a layer that names it as its "
               "target moves it."},
              driver.mesh, Names::kDriver);
  fields.text({"file", "glTF or OBJ, relative to the rig file."}, driver.file, Names::kFile);
  fields.objects({"patches",
                  "B-spline or NURBS surfaces whose control elements are samples at the knots, or triangles where "
                  "tessellated."},
                 driver.patches);
  fields.at_most_one(
      {{"mesh", !driver.mesh.empty()}, {"file", !driver.file.empty()}, {"patches", !driver.patches.empty()}},
      "a driver has one of mesh, file and patches");
  fields.integer({"tessellation", "Quads of a patch from knot to knot."}, driver.tessellation, {}, "none");
  fields.integer({"triangles", "Of a driver made by simplification; up to four times as many where limbs are thin."},
                 driver.triangles);
  fields.number({"joint_density", "How much denser a driver made by simplification is near joints; 1: even."},
                driver.joint_density, {.least = 1});
  fields.number({"weld", "Metres within which vertices become one and seams close."}, driver.weld, kNotNegative);
  fields.objects({"refine", "Triangles to split, without cracks."}, driver.refine);
  fields.choice({"follow",
                 "How the control mesh moves: by weights transferred from the skin, rigidly by the closest limb, or "
                 "placed by the caller frame by frame."},
                driver.follow, kFollows);
  fields.number_or({"spread",
                    "How far the passage of transferred weights at each joint is spread along the driver, in radii of "
                    "the limb; 0: as painted; auto: by the kind of joint, 3 at most."},
                   "auto", driver.spread, kNotNegative);
  fields.flag({"estimate_frames",
               "Estimate the frames of vertices from their neighbours also where the driver has a skinning function."},
              driver.estimate_frames);
  fields.flag({"morph_targets", "Morph targets of the driver's mesh move it."}, driver.morph_targets);
  fields.objects({"key_poses", "Shapes of the driver at joint angles."}, driver.key_poses);
  fields.offsets({"offsets",
                  "[vertex, x, y, z] of the driver's vertices after bind, each at most once: the skin follows. Metres, "
                  "model space at bind, turned with the limb; numbered as the character holds the driver."},
                 driver.offsets);
}

}  // namespace pelt
