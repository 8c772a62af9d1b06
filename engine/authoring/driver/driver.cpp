// SPDX-License-Identifier: MIT
#include <pelt/driver.h>
#include <pelt/tools/fields.h>

namespace pelt {
namespace {

constexpr Choice<Follow> kFollows[] = {{"dual_quaternion", Follow::kDualQuaternion},
                                       {"linear_blend", Follow::kLinearBlend},
                                       {"closest_limb", Follow::kClosestLimb},
                                       {"streamed", Follow::kStreamed}};
constexpr Condition kStreamed{"follow", {"streamed"}, true};
constexpr Choice<Folds> kFolds[] = {{"auto", Folds::kAuto}, {"none", Folds::kNone}};

}  // namespace

static void describe(Fields& fields, PatchParameters& patch) {
  fields.about("patch", "A B-spline or NURBS surface. Counts and degrees are [u, v].");
  fields.integers({"shape", "Control vertices."}, patch.shape);
  fields.integers({"degree", "Degrees of the basis."}, patch.degree);
  fields.numbers({"knots_u", "shape + degree + 1 knots; none: uniform."}, patch.knots_u, kAnyNumber);
  fields.numbers({"knots_v", "The same along v."}, patch.knots_v, kAnyNumber);
  fields.vectors({"control", "Control vertices, u slowest; model space at bind, metres."}, patch.control);
  fields.numbers({"weights", "One per control vertex; none: 1 each."}, patch.weights, kPositive);
  fields.integer(
      {"samples",
       "Samples from knot to knot, along u and along v, of a patch that is not tessellated; 1: at the knots."},
      patch.samples, {.most = 64});
}

static void describe(Fields& fields, Refinement& refinement) {
  fields.about("refinement", "Splits the driver's triangles in the region.");
  fields.object({"region", "Triangles to split."}, refinement.region);
  fields.integer({"levels", "Each level splits a triangle into four."}, refinement.levels);
}

void describe(Fields& fields, DriverParameters& driver) {
  fields.about("driver",
               "The control mesh: a mesh of the model, a file, patches, or (none of these) the targets welded and "
               "simplified.");
  fields.text({"mesh",
               "Name of a mesh of the model, which then is a control mesh and not skin. A layer whose target is this "
               "mesh moves it."},
              driver.mesh, Names::kDriver);
  fields.text({"file", "glTF or OBJ, relative to the rig file."}, driver.file, Names::kFile);
  fields.objects({"patches", "B-spline or NURBS surfaces. Their elements are samples, or triangles if tessellated."},
                 driver.patches);
  fields.at_most_one(
      {{"mesh", !driver.mesh.empty()}, {"file", !driver.file.empty()}, {"patches", !driver.patches.empty()}},
      "a driver has one of mesh, file and patches");
  fields.integer({"tessellation", "Quads of a patch from knot to knot."}, driver.tessellation, {}, "none");
  fields.integer(
      {"triangles", "Triangle count of a driver simplified from the skin; up to four times as many if limbs are thin."},
      driver.triangles);
  fields.number({"joint_density", "How much denser a driver simplified from the skin is near joints; 1: even."},
                driver.joint_density, {.least = 1});
  fields.number({"weld", "Vertices at most this many metres apart become one, which closes seams."}, driver.weld,
                kNotNegative);
  fields.objects({"refine", "Triangles to split, without cracks."}, driver.refine);
  fields.choice({"follow",
                 "How the control mesh moves: by weights transferred from the skin, rigidly with the closest limb, or "
                 "as the caller supplies it every frame."},
                driver.follow, kFollows);
  fields.number_or({"spread",
                    "Width of the transition of transferred weights at each joint, along the driver, in radii of the "
                    "limb; 0: as painted; auto: by the kind of joint, at most 3."},
                   "auto", driver.spread, kNotNegative);
  describe(fields, driver.twist);
  fields.flag({"estimate_frames",
               "Estimate the frames of vertices from their neighbours even if the driver has a skinning function."},
              driver.estimate_frames);
  fields.flag({"axis_points",
               "The caller also supplies three points per vertex, at bind 1 m from it along x, y and z, which give its "
               "frame; in the stream they come after the vertices, three by three.",
               kStreamed},
              driver.axis_points);
  fields.flag({"morph_targets", "Morph targets of the driver's mesh move the driver."}, driver.morph_targets);
  fields.choice(
      {"folds",
       "auto: skin of bent elbows and knees, known by their names, touches instead of passing through itself; "
       "for drivers made from the skin, without key poses and offsets."},
      driver.folds, kFolds);
  fields.number({"fold_gap",
                 "Gap between the sides of a fold, in radii of the limb; negative: they overlap, so that no light "
                 "passes."},
                driver.fold_gap, {.least = -0.5f, .most = 0.5f});
  fields.number({"fold_volume", "Fraction of the volume lost in the bend that a fold brings back."}, driver.fold_volume,
                kUnitInterval);
  fields.objects({"key_poses", "Shapes of the driver at joint angles."}, driver.key_poses);
  fields.offsets({"offsets",
                  "[vertex, x, y, z]: moves the driver's vertices after bind, each at most once; the skin follows. "
                  "Metres, model space at bind, turned with the limb; numbered as in the character's driver."},
                 driver.offsets);
}

}  // namespace pelt
