// SPDX-License-Identifier: MIT
#include <algorithm>

#include <pelt/curve_keys.h>
#include <pelt/mos.h>
#include <pelt/tools/fields.h>

#include "engine/authoring/chain/curve_bindings.h"
#include "engine/authoring/mos/bind.h"
#include "engine/authoring/rig/choices.h"
#include "engine/authoring/rig/deformer_entry.h"

namespace pelt {
namespace {

constexpr Range kTurnDegrees{.least = -180, .most = 180};
constexpr Choice<MosStrategy> kStrategies[] = {{"b_spline", MosStrategy::kBSpline},
                                               {"catmull_clark", MosStrategy::kCatmullClark},
                                               {"inverse_distance", MosStrategy::kInverseDistance},
                                               {"radial_basis", MosStrategy::kRadialBasis}};
constexpr Choice<MosFrames> kFrames[] = {{"relative", MosFrames::kRelative}, {"joint", MosFrames::kJoint}};
constexpr Choice<MosKernel> kKernels[] = {{"biharmonic", MosKernel::kBiharmonic}, {"gaussian", MosKernel::kGaussian}};
constexpr Choice<MosOperation> kOperations[] = {{"bulge", MosOperation::kBulge},
                                                {"slide", MosOperation::kSlide},
                                                {"scale", MosOperation::kScale},
                                                {"motion", MosOperation::kMotion},
                                                {"twist", MosOperation::kTwist}};
constexpr Condition kBSpline{"strategy", {"b_spline"}};
constexpr Condition kCatmullClark{"strategy", {"catmull_clark"}, true};
constexpr Condition kInverseDistance{"strategy", {"inverse_distance"}};
constexpr Condition kRadialBasis{"strategy", {"radial_basis"}};
constexpr Condition kGaussian{"kernel", {"gaussian"}, true};
constexpr Condition kBulge{"operation", {"bulge"}, true};
constexpr Condition kBulgeOrMotion{"operation", {"bulge", "motion"}, true};
constexpr Condition kSlide{"operation", {"slide"}, true};
constexpr Condition kScale{"operation", {"scale"}, true};
constexpr Condition kTwist{"operation", {"twist"}, true};

bool has_rest_key(const std::vector<CurveKey>& share) {
  return std::find(share.begin(), share.end(), CurveKey{0, 0}) != share.end();
}

}  // namespace

static void describe(Fields& fields, MosPoint& point) {
  fields.about("mos_point", "A control point, which moves rigidly with a joint.");
  fields.text({"name", "The name that edits use; may be empty."}, point.name);
  fields.name({"joint", "The joint, which need not be the nearest one."}, point.joint, Names::kJoint);
  fields.vector({"offset", "Offset from the joint, metres, model space at bind."}, point.offset);
  fields.flag({"bisecting", "Whether its frame makes half the joint's turn against the joint before it on the chain."},
              point.bisecting);
  fields.vector({"rotation",
                 "Rotation of its frame at bind, away from that of the other points: axis times degrees, model space."},
                point.rotation, {.least = -360, .most = 360});
}

static void describe(Fields& fields, MosChain& chain) {
  fields.about("mos_chain", "Consecutive control points, listed or placed along joints.");
  fields.name({"name", "The chain's name."}, chain.name);
  fields.objects({"points", "The points, in order."}, chain.points);
  fields.texts({"joints", "Joints to place points along: at least two, in order. Set either points or joints."},
               chain.joints, Names::kJoint);
  fields.refuse(!chain.points.empty() && !chain.joints.empty(), "joints", "set points or joints, not both",
                R"({"anyOf": [
                  {"required": ["points"], "properties": {"points": {"minItems": 1}, "joints": {"maxItems": 0}}},
                  {"required": ["joints"], "properties": {"joints": {"minItems": 2}, "points": {"maxItems": 0}}}
                ]})");
  fields.refuse(chain.points.empty() && chain.joints.empty(), "joints", "set points or joints");
  fields.refuse(chain.joints.size() == 1, "joints", "a chain must have at least two joints");
}

static void describe(Fields& fields, MosEdit& edit) {
  fields.about("mos_edit",
               "A secondary operation, scaled by a share, which is 1 without a driver. Factors are 1 + share (factor - "
               "1); distances, offsets and angles are multiplied by the share.");
  fields.choice({.name = "operation",
                 .meaning = "bulge: from a pivot; slide: along the bone, or by an offset; scale: of the frames; "
                            "motion: of the displacements; twist: an angle about the bone.",
                 .required = true},
                edit.operation, kOperations);
  fields.texts({"points",
                "Names of points, or joints for all of their points; * and ? are wildcards. Placed points are named "
                "after their chain and their number along it, such as left_arm.5, and wildcards do not match them. "
                "None: every point."},
               edit.points, Names::kPoint);
  fields.number({"factor", "Factor on the distance from the pivot, or the displacement.", kBulgeOrMotion}, edit.factor,
                kAnyNumber);
  fields.vector_or(
      {"pivot", "Metres, model space at bind; moves with the point's joint. joint: that joint's origin.", kBulge},
      "joint", edit.pivot);
  fields.number({"distance", "Metres along the bone.", kSlide}, edit.distance, kAnyNumber);
  fields.vector({"offset", "Metres, in the point's axes.", kSlide}, edit.offset);
  fields.vector({"scale", "Scale along the point's axes: its joint's, turned by its rotation.", kScale}, edit.scale,
                kPositive);
  fields.number({"degrees", "Angle about the bone.", kTwist}, edit.degrees, kAnyNumber);
  fields.optional_object({"driver", "The angle over which the share is keyed."}, edit.driver);
  fields.keys({"share", "[degrees of the driver, share], degrees ascending; must include [0, 0]."}, edit.share,
              kTurnDegrees, kAnyNumber);
  fields.refuse(edit.driver && edit.share.empty(), "driver", "needs a share, keyed over its angle",
                R"({"if": {"required": ["driver"]},
                    "then": {"required": ["share"], "properties": {"share": {"contains": {"const": [0, 0]}},
                                                                   "in_bind": {"const": true}}}})");
  fields.refuse(!edit.driver && !edit.share.empty(), "share", "needs a driver, whose angle it is keyed over",
                R"({"if": {"not": {"required": ["driver"]}}, "then": {"properties": {"share": {"maxItems": 0}}}})");
  fields.refuse(edit.driver && !has_rest_key(edit.share), "share", "must include the key [0, 0], for rest");
  fields.flag({"in_bind",
               "For an edit without a driver, whether the skin at bind already has it and does not move; else the edit "
               "also shows at bind."},
              edit.in_bind);
  fields.refuse(edit.driver && !edit.in_bind, "in_bind", "must be true with a driver, since its share is 0 at bind");
}

void describe(Fields& fields, MosParameters& mos) {
  fields.about("mos", "Multipoint offset sampling (US 2013/0088497).");
  fields.choice({"strategy",
                 "How a vertex's position determines the weights of the control points: windows of four consecutive "
                 "points, a control surface, 1 / distance^power, or radial basis functions."},
                mos.strategy, kStrategies);
  fields.flag({"automatic", "Whether chains are also laid over the joints by the linkage rules."}, mos.automatic);
  fields.texts({"split", "Joints at which automatic chains end."}, mos.split, Names::kJoint);
  fields.texts({"remove", "Automatic chains to leave out, by name."}, mos.remove);
  fields.objects({"chains", "Further chains. A chain replaces an automatic one of the same name."}, mos.chains);
  fields.integer({"points_per_bone", "Placed points per bone."}, mos.points_per_bone, {.most = 16});
  fields.number({"bone_fraction", "Fraction of the bone, about its middle, over which they are spread."},
                mos.bone_fraction, kUnitInterval);
  fields.integer_or({"points_per_joint",
                     "Further points at every inner joint, each with part of its turn; one bisects it; auto: 5, or 3 "
                     "with joint_fraction."},
                    "auto", mos.points_per_joint, {.least = 0, .most = 8});
  fields.number_or({"joint_fraction",
                    "Fraction of the shorter bone at the joint over which they are spread; auto: the thicker the limb, "
                    "the farther apart, sliding outward as it bends."},
                   "auto", mos.joint_fraction, kUnitInterval);
  fields.choice(
      {"frames", "Frames of the points: the joint's motion from rest, or the joint's own axes (the patent's)."},
      mos.frames, kFrames);
  fields.flag({"exact_normals", "Whether normals follow the gradient of the weights; else only the frames."},
              mos.exact_normals);
  fields.flag({"clamp_ends",
               "Whether each end point counts three times, so that the curve reaches it; always with fewer than four "
               "points.",
               kBSpline},
              mos.clamp_ends);
  fields.flag({"twist", "Whether twists are blended as angles, not as matrices.", kBSpline}, mos.twist);
  fields.choice({"binding",
                 "How a vertex finds its chains: the nearest, those of the joints that move it, or (auto) the latter "
                 "if there are weights.",
                 kBSpline},
                mos.binding, kCurveBindings);
  fields.integer({"chains_per_vertex", "Chains that may move a vertex.", kBSpline}, mos.chains_per_vertex,
                 kCurvesPerVertex);
  fields.number({"chain_reach", "Chains farther than this factor times the nearest one are ignored.", kBSpline},
                mos.chain_reach, {.least = 1, .above_least = true});
  fields.number({"table_error", "Largest error of the table of frames, over the targets' largest extent.", kBSpline},
                mos.table_error, kPositive);
  fields.number({"power", "Exponent of the distance.", kInverseDistance}, mos.power, {.least = 1e-3f, .most = 1e3f});
  fields.integer({"nearest", "K, how many points may move a vertex.", kInverseDistance}, mos.nearest, {}, "all");
  fields.choice({"cut", "How the weights end at the K-th point.", kInverseDistance}, mos.cut, kCuts);
  fields.choice({"kernel", "r, or exp(-(r / width)^2).", kRadialBasis}, mos.kernel, kKernels);
  fields.number_or({"width", "Metres; auto: the mean spacing of the points.", kGaussian}, "auto", mos.width, kPositive);
  fields.refuse(mos.width && mos.strategy != MosStrategy::kRadialBasis, "width", "belongs to the strategy radial_basis",
                R"({"if": {"not": {"required": ["strategy"], "properties": {"strategy": {"const": "radial_basis"}}}},
                    "then": {"properties": {"width": {"const": "auto"}}}})");
  fields.text({"cage", "A mesh of the model, whose vertices are the points.", kCatmullClark}, mos.cage, Names::kCage);
  fields.text({"cage_file", "An OBJ, relative to the rig file.", kCatmullClark}, mos.cage_file, Names::kObjFile);
  const bool on_cage = mos.strategy == MosStrategy::kCatmullClark;
  fields.at_most_one({{"cage", !mos.cage.empty()}, {"cage_file", !mos.cage_file.empty()}},
                     "set cage or cage_file, not both");
  fields.refuse(on_cage && mos.cage.empty() && mos.cage_file.empty(), "cage",
                "the strategy catmull_clark needs cage or cage_file",
                R"({"if": {"required": ["strategy"], "properties": {"strategy": {"const": "catmull_clark"}}},
                    "then": {"anyOf": [
                      {"required": ["cage"], "properties": {"cage": {"minLength": 1}}},
                      {"required": ["cage_file"], "properties": {"cage_file": {"minLength": 1}}}
                    ]}})");
  fields.objects({"edits", "Secondary operations, in order."}, mos.edits);
}

namespace mos {

DeformerEntry deformer() {
  return {.defaults = MosParameters{},
          .bind = bind_as<MosParameters, bind>,
          .rigid_parts = rigid_parts_are<RigidParts::kLeft>,
          .leaves = [](const DeformerParameters&) { return PaintedPieces::kRigidRegions; },
          .may_fall_back =
              [](const DeformerParameters& parameters) { return parameters.get<MosParameters>().edits.empty(); },
          .spreads_twists = [](const DeformerParameters&) { return true; },
          .move_bound = move_bound};
}

}  // namespace mos
}  // namespace pelt
