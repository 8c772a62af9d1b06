// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include <pelt/curve_keys.h>
#include <pelt/curve_skeleton.h>
#include <pelt/tools/curve_offset_pointer.h>
#include <pelt/tools/fields.h>

#include "engine/authoring/chain/curve_bindings.h"
#include "engine/authoring/curve_skeleton/bind.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "shaders/curve_skeleton/curve.h"

namespace pelt {
namespace {

static_assert(shared::kMaxFloatKeys == 64);

constexpr Range kBendDegrees{.least = 0, .most = 180};
constexpr Range kFloatMargin{.least = 0, .most = 1000, .above_least = true};
constexpr Range kEase{.least = 0, .most = kMaxEase};
constexpr Range kRoll{.least = -kMaxRoll, .most = kMaxRoll};
constexpr Range kHandleOffset{.least = -kMaxCurve, .most = kMaxCurve};
constexpr Range kBoneScale{.least = kMinScale, .most = kMaxScale};
constexpr Choice<CurveFrames> kCurveFrames[] = {
    {"auto", CurveFrames::kAuto}, {"tangent", CurveFrames::kTangent}, {"endpoint", CurveFrames::kEndpoint}};
constexpr Choice<CurveReference> kCurveReferences[] = {{"half_swing", CurveReference::kHalfSwing},
                                                       {"joint", CurveReference::kJoint}};

bool starts_and_ends(const std::vector<CurveKey>& twist) {
  return twist.empty() || (twist.front() == CurveKey{0, 0} && twist.back() == CurveKey{1, 1});
}

bool falls(const std::vector<CurveKey>& keys) {
  return !std::is_sorted(keys.begin(), keys.end(), [](CurveKey a, CurveKey b) { return a.value < b.value; });
}

}  // namespace

static void describe(Fields& fields, CurvePath& path) {
  fields.about("curve_path", "A curve of the rig, or changes of an automatic one.");
  fields.name({"name", "The curve's name."}, path.name);
  fields.texts({"joints", "In order along the curve; none: the joints of the automatic curve of this name."},
               path.joints, Names::kJoint);
  fields.refuse(path.joints.size() == 1, "joints", "a curve runs over at least two joints",
                R"({"properties": {"joints": {"anyOf": [{"maxItems": 0}, {"minItems": 2}]}}})");
  fields.vector({"offset", "Offset from the joints, which carry it: metres, model space at bind."}, path.offset);
  fields.offsets({"control_offsets", "Offsets of single control points, numbered along the curve: [number, x, y, z]."},
                 path.control_offsets);
  fields.text({"line",
               "A mesh of lines, drawn as the curve: every joint's point, with its offset, and the handles of tangent "
               "and endpoint frames move to the nearest point of it. It is no skin."},
              path.line, Names::kLine);
}

static void describe(Fields& fields, CurveJoint& joint) {
  fields.about("curve_joint", "Settings of the curves through one joint.");
  fields.name({"joint", "The joint."}, joint.joint, Names::kJoint);
  fields.number_or({"skin_distance", "d, metres; auto: measured."}, "auto", joint.skin_distance, kPositive);
  fields.number_or({"float_min", "f_min, metres; auto: an eighth of the shorter bone."}, "auto", joint.float_min,
                   kPositive);
  fields.number_or({"float_max", "f_max, metres, not below float_min; auto: as long as the bones allow."}, "auto",
                   joint.float_max, kPositive);
  fields.refuse(joint.float_min && joint.float_max && *joint.float_max < *joint.float_min, "float_max",
                "must not be below float_min");
  fields.number_or({"twist_after",
                    "How much of the joint's twist the bone that leaves it takes, instead of the one before it; auto: "
                    "by what both can take, and all of it if the one before begins at a branch."},
                   "auto", joint.twist_after, kUnitInterval);
  fields.keys_or(
      {"float", "f, metres: constant, or [degrees of bend, metres] with ascending degrees; auto: by the formula."},
      "auto", joint.float_distance, kBendDegrees, kPositive);
  fields.refuse(joint.float_distance.size() > shared::kMaxFloatKeys, "float", "must have at most 64 keys",
                R"({"properties": {"float": {"maxItems": 64}}})");
  fields.optional_object({"bulge", "Replaces the bulge of all joints."}, joint.bulge);
}

static void describe(Fields& fields, BendyBone& bone) {
  fields.about("bendy_bone",
               "Bendy-bone properties of Blender, named as there without bbone_; docs/bendy_bones.md describes their "
               "effect.");
  fields.integer_or({"segments", "1: the bone does not bend, and no other key counts. More make no difference."},
                    "auto", bone.segments);
  fields.number_or({"ease_in",
                    "Length of the handle at the bone's start; the curve passes through the joint as in Blender. auto: "
                    "the joint bends by its float."},
                   "auto", bone.ease_in, kEase);
  fields.number_or({"ease_out", "The same, at its end."}, "auto", bone.ease_out, kEase);
  fields.number({"roll_in", "Degrees about the bone, added in poses at its start."}, bone.roll_in, kRoll);
  fields.number({"roll_out", "The same, at its end."}, bone.roll_out, kRoll);
  fields.vector({"curve_in", "x, z of the bone's space: offset of the handle at the bone's start."}, bone.curve_in,
                kHandleOffset);
  fields.vector({"curve_out", "The same, at its end."}, bone.curve_out, kHandleOffset);
  fields.vector({"scale_in", "x, y, z of the bone's space: added in poses at its start."}, bone.scale_in, kBoneScale);
  fields.vector({"scale_out", "The same, at its end."}, bone.scale_out, kBoneScale);
}

static void describe(Fields& fields, CurveBone& bone) {
  fields.about("curve_bone", "Settings along the bone that leaves a joint.");
  fields.name({"joint", "The joint."}, bone.joint, Names::kJoint);
  fields.text({"to", "The joint at its other end; empty: every bone that leaves `joint`."}, bone.to, Names::kJoint);
  fields.keys(
      {"twist",
       "[fraction of the bone, fraction of its twist] from [0, 0] to [1, 1]; the first ascend, the second never "
       "fall. none: even."},
      bone.twist, kUnitInterval, kUnitInterval);
  fields.refuse(!starts_and_ends(bone.twist), "twist", "must run from [0, 0] to [1, 1]");
  fields.refuse(falls(bone.twist), "twist", "must never fall");
  fields.flag({"smooth_twist", "Monotone cubic between the keys of twist; else linear."}, bone.smooth_twist);
  fields.optional_object({"bendy", "How the bone bends; none: as in the model."}, bone.bendy);
}

void describe(Fields& fields, CurveSkeletonParameters& curves) {
  fields.about("curve_skeleton", "Curve-skeleton skinning (Yang, Somasekharan & Zhang 2006).");
  fields.flag({"automatic", "Curves from the joints, by the linkage rules."}, curves.automatic);
  fields.texts({"split", "Joints at which automatic curves end."}, curves.split, Names::kJoint);
  fields.texts({"remove", "Automatic curves to leave out, by name."}, curves.remove);
  fields.objects(
      {"curves", "Curves in addition to the automatic ones; one with the same name replaces an automatic curve."},
      curves.curves);
  fields.choice({"frames",
                 "tangent: rotation-minimising; endpoint: interpolated from joint to joint (equation 2); auto: turning "
                 "only near the joints, without folds."},
                curves.frames, kCurveFrames);
  fields.number({"centre", "Origin of the frames: 0 on the curve, 1 on the bone."}, curves.centre, kUnitInterval);
  fields.choice(
      {"reference", "Motion of the reference axis of a joint's frame: half of the joint's swing, or the joint."},
      curves.reference, kCurveReferences);
  fields.number({"float_margin", "Factor on computed floats."}, curves.float_margin, kFloatMargin);
  fields.object({"bulge", "At every joint."}, curves.bulge);
  fields.objects({"joints", "Floats and bulges of single joints."}, curves.joints);
  fields.objects({"bones", "How single bones distribute twist, and how they bend."}, curves.bones);
  fields.choice({"binding",
                 "How a vertex finds its curves: the nearest, those of the joints that move it, or (auto) the latter "
                 "if there are weights."},
                curves.binding, kCurveBindings);
  fields.integer({"curves_per_vertex", "Largest number of curves that move a vertex."}, curves.curves_per_vertex,
                 kCurvesPerVertex);
  fields.number({"curve_reach", "Curves farther than this times the distance of the nearest one do not count."},
                curves.curve_reach, {.least = 1, .above_least = true});
  fields.objects({"weights", "Factors on the weights of single curves."}, curves.weights);
  fields.number(
      {"table_error", "Largest error of the table of frames, as a fraction of the largest extent of the targets."},
      curves.table_error, kPositive);
}

namespace curve_skeleton {

DeformerEntry deformer() {
  return {.defaults = CurveSkeletonParameters{},
          .bind = bind_as<CurveSkeletonParameters, bind>,
          .rigid_parts = rigid_parts_are<RigidParts::kLeft>,
          .leaves = [](const DeformerParameters&) { return PaintedPieces::kRigidRegions; },
          .may_fall_back =
              [](const DeformerParameters& parameters) {
                const auto& curves = parameters.get<CurveSkeletonParameters>();
                return curves.joints.empty() && curves.bones.empty();
              },
          .spreads_twists = [](const DeformerParameters&) { return true; }};
}

}  // namespace curve_skeleton

std::string curve_offset_pointer(const Rig& rig, std::span<const std::string> joints) {
  for (std::size_t l = 0; l < rig.layers.size(); ++l) {
    const auto* parameters = rig.layers[l].deformer.get_if<CurveSkeletonParameters>();
    if (parameters == nullptr) continue;
    const auto& curves = parameters->curves;
    const auto curve =
        std::ranges::find_if(curves, [&](const auto& one) { return std::ranges::equal(one.joints, joints); });
    if (curve != curves.end()) return fmt::format("/layers/{}/parameters/curves/{}/offset", l, curve - curves.begin());
  }
  return {};
}

}  // namespace pelt
