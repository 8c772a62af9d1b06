// SPDX-License-Identifier: MIT
#include <algorithm>

#include <pelt/deformers.h>
#include <pelt/rig_json.h>

#include "engine/core/file_io.h"
#include "engine/rig/json_fields.h"

// What each struct of a rig holds. A new deformer adds its describe, and its entry in deformers().

namespace pelt {
namespace {

using json_fields::Choice;
using json_fields::Range;

constexpr std::string_view kFormat = "pelt-rig 1";
constexpr std::string_view kFormatFamily = "pelt-rig ";

constexpr Range kNotNegative{"a number >= 0", [](float v) { return v >= 0; }};
constexpr Range kPositive{"a number > 0", [](float v) { return v > 0; }};
constexpr Range kWiresExponent{"a number from 0 to 64", [](float v) { return v >= 0 && v <= 64; }};
constexpr Range kAboveOne{"a number > 1", [](float v) { return v > 1; }};
constexpr Range kAtLeastOne{"a number >= 1", [](float v) { return v >= 1; }};
constexpr Range kAnyNumber{"a number", [](float) { return true; }};
constexpr Range kTendon{"a number from 0 to 0.4", [](float v) { return v >= 0 && v <= 0.4f; }};
constexpr Range kMuscleBulge{"a number from 0 to 2", [](float v) { return v >= 0 && v <= 2; }};
constexpr Range kUnitInterval{"a number from 0 to 1", [](float v) { return v >= 0 && v <= 1; }};
constexpr Range kBendDegrees{"a number from 0 to 180", [](float v) { return v >= 0 && v <= 180; }};
constexpr Range kTurnDegrees{"a number from -180 to 180", [](float v) { return v >= -180 && v <= 180; }};
constexpr Range kWidening{"a number from -1 to 4", [](float v) { return v >= -1 && v <= 4; }};
constexpr Range kEase{"a number from 0 to 10", [](float v) { return v >= 0 && v <= kMostEase; }};
constexpr Range kRoll{"a number from -3600 to 3600", [](float v) { return v >= -kMostRoll && v <= kMostRoll; }};
constexpr Range kCurveWeight{"a number from 0 to 100", [](float v) { return v >= 0 && v <= 100; }};

constexpr Choice<Follow> kFollows[] = {{"dual_quaternion", Follow::kDualQuaternion},
                                       {"linear_blend", Follow::kLinearBlend},
                                       {"closest_limb", Follow::kClosestLimb},
                                       {"streamed", Follow::kStreamed}};
constexpr Choice<KeyInterpolation> kKeyInterpolations[] = {{"linear", KeyInterpolation::kLinear},
                                                           {"rbf", KeyInterpolation::kRbf}};
constexpr Choice<SurfaceFfdParameters::Mode> kModes[] = {{"basic", SurfaceFfdParameters::Mode::kBasic},
                                                         {"extended", SurfaceFfdParameters::Mode::kExtended}};
constexpr Choice<Judging> kJudgings[] = {
    {"fallback", Judging::kFallback}, {"report", Judging::kReport}, {"none", Judging::kNone}};
constexpr Choice<Precision> kPrecisions[] = {
    {"none", Precision::kNone}, {"linear", Precision::kLinear}, {"quadratic", Precision::kQuadratic}};
constexpr Choice<Cut> kCuts[] = {{"continuous", Cut::kContinuous}, {"hard", Cut::kHard}};
constexpr Choice<CurveFrames> kCurveFrames[] = {
    {"auto", CurveFrames::kAuto}, {"tangent", CurveFrames::kTangent}, {"endpoint", CurveFrames::kEndpoint}};
constexpr Choice<CurveReference> kCurveReferences[] = {{"half_swing", CurveReference::kHalfSwing},
                                                       {"joint", CurveReference::kJoint}};
constexpr Choice<CurveBinding> kCurveBindings[] = {
    {"auto", CurveBinding::kAuto}, {"distance", CurveBinding::kDistance}, {"weights", CurveBinding::kWeights}};
constexpr Choice<MosStrategy> kMosStrategies[] = {{"b_spline", MosStrategy::kBSpline},
                                                  {"catmull_clark", MosStrategy::kCatmullClark},
                                                  {"inverse_distance", MosStrategy::kInverseDistance},
                                                  {"radial_basis", MosStrategy::kRadialBasis}};
constexpr Choice<MosFrames> kMosFrames[] = {{"relative", MosFrames::kRelative}, {"joint", MosFrames::kJoint}};
constexpr Choice<MosKernel> kMosKernels[] = {{"biharmonic", MosKernel::kBiharmonic},
                                             {"gaussian", MosKernel::kGaussian}};
constexpr Choice<MosOperation> kMosOperations[] = {{"bulge", MosOperation::kBulge},
                                                   {"slide", MosOperation::kSlide},
                                                   {"scale", MosOperation::kScale},
                                                   {"motion", MosOperation::kMotion},
                                                   {"twist", MosOperation::kTwist}};
constexpr std::uint32_t kMostCurvesPerVertex = 3;  // and chains
constexpr std::uint32_t kMostPointsPerBone = 16;
constexpr std::uint32_t kMostPointsPerJoint = 8;

bool starts_and_ends(const std::vector<CurveKey>& twist) {
  return twist.empty() || (twist.front() == CurveKey{0, 0} && twist.back() == CurveKey{1, 1});
}

bool falls(const std::vector<CurveKey>& keys) {
  return !std::is_sorted(keys.begin(), keys.end(), [](CurveKey a, CurveKey b) { return a.value < b.value; });
}

bool has_rest_key(const std::vector<CurveKey>& share) {
  return std::find(share.begin(), share.end(), CurveKey{0, 0}) != share.end();
}

bool has_twist(const std::vector<MosEdit>& edits) {
  return std::any_of(edits.begin(), edits.end(), [](const MosEdit& e) { return e.operation == MosOperation::kTwist; });
}

}  // namespace

template <class Fields>
void describe(Fields& fields, LinearBlendParameters& linear) {
  fields.flag("exact_normals", linear.exact_normals);
}

template <class Fields>
void describe(Fields& fields, DualQuaternionParameters& dual) {
  fields.flag("exact_normals", dual.exact_normals);
}

template <class Fields>
void describe(Fields& fields, Box& box) {
  fields.vector("min", box.min);
  fields.vector("max", box.max);
  fields.number("falloff", box.falloff, kNotNegative);
}

template <class Fields>
void describe(Fields& fields, Sphere& sphere) {
  fields.vector("center", sphere.center);
  fields.number("radius", sphere.radius, kNotNegative);
  fields.number("falloff", sphere.falloff, kNotNegative);
}

template <class Fields>
void describe(Fields& fields, Near& near) {
  fields.text("mesh", near.mesh);
  fields.refuse(near.mesh.empty(), "mesh", "must name a mesh or a muscle");
  fields.number("falloff", near.falloff, kNotNegative);
}

template <class Fields>
void describe(Fields& fields, Region& region) {
  fields.texts("joints", region.joints);
  fields.number("joint_falloff", region.joint_falloff, kNotNegative);
  fields.text("group", region.group);
  fields.text("attribute", region.attribute);
  fields.optional_object("box", region.box);
  fields.optional_object("sphere", region.sphere);
  fields.optional_object("near", region.near);
}

template <class Fields>
void describe(Fields& fields, Group& group) {
  fields.text("name", group.name);
  fields.refuse(group.name.empty(), "name", "must not be empty");
  fields.text("mesh", group.mesh);
  fields.ranges("vertices", group.vertices);
  fields.numbers("values", group.values, kUnitInterval);
  fields.ranges("triangles", group.triangles);
  fields.object("region", group.region);
}

template <class Fields>
void describe(Fields& fields, KeyAngle& angle) {
  fields.text("joint", angle.joint);
  fields.vector("axis", angle.axis);
}

template <class Fields>
void describe(Fields& fields, KeyPose& pose) {
  fields.numbers("degrees", pose.degrees, kAnyNumber);
  fields.text("morph_target", pose.morph_target);
  fields.offsets("offsets", pose.offsets);
}

template <class Fields>
void describe(Fields& fields, KeyPoseSet& set) {
  fields.objects("angles", set.angles);
  fields.choice("interpolation", set.interpolation, std::span(kKeyInterpolations));
  fields.objects("poses", set.poses);
}

template <class Fields>
void describe(Fields& fields, PatchParameters& patch) {
  fields.integers("shape", patch.shape);
  fields.integers("degree", patch.degree);
  fields.numbers("knots_u", patch.knots_u, kAnyNumber);
  fields.numbers("knots_v", patch.knots_v, kAnyNumber);
  fields.vectors("control", patch.control);
  fields.numbers("weights", patch.weights, kPositive);
}

template <class Fields>
void describe(Fields& fields, Refinement& refinement) {
  fields.object("region", refinement.region);
  fields.integer("levels", refinement.levels);
}

template <class Fields>
void describe(Fields& fields, DriverParameters& driver) {
  fields.text("mesh", driver.mesh);
  fields.text("file", driver.file);
  fields.objects("patches", driver.patches);
  const int sources = int{!driver.mesh.empty()} + int{!driver.file.empty()} + int{!driver.patches.empty()};
  fields.refuse(sources > 1, driver.file.empty() ? "patches" : "file", "a driver has one of mesh, file and patches");
  fields.integer_or("none", "tessellation", driver.tessellation);
  fields.integer("triangles", driver.triangles);
  fields.number("joint_density", driver.joint_density, kAtLeastOne);
  fields.number("weld", driver.weld, kNotNegative);
  fields.objects("refine", driver.refine);
  fields.choice("follow", driver.follow, std::span(kFollows));
  fields.number_or("auto", "spread", driver.spread, kNotNegative);
  fields.flag("estimate_frames", driver.estimate_frames);
  fields.flag("morph_targets", driver.morph_targets);
  fields.objects("key_poses", driver.key_poses);
  fields.offsets("offsets", driver.offsets);
}

template <class Fields>
void describe(Fields& fields, GroupPair& pair) {
  fields.text("elements", pair.elements);
  fields.text("vertices", pair.vertices);
}

template <class Fields>
void describe(Fields& fields, SurfaceFfdParameters& ffd) {
  fields.choice("mode", ffd.mode, std::span(kModes));
  fields.number("local", ffd.local, kNotNegative);
  fields.number_or("auto", "distance_unit", ffd.distance_unit, kPositive);
  fields.number("distance_scale", ffd.distance_scale, kPositive);
  fields.integer_or("auto", "all", "elements", ffd.elements);
  fields.choice("cut", ffd.cut, std::span(kCuts));
  fields.number_or("none", "cut_error", ffd.cut_error, kPositive);
  fields.flag("raise_elements", ffd.raise_elements);
  fields.integer_or("auto", "all", "influences", ffd.influences);
  fields.choice("precision", ffd.precision, std::span(kPrecisions));
  fields.number("likeness", ffd.likeness, kNotNegative);
  fields.flag("exact_normals", ffd.exact_normals);
  fields.objects("exclude", ffd.exclude);
  fields.objects("exclusive", ffd.exclusive);
  fields.count_or("none", "max_hops", ffd.max_hops);
  fields.count("fade", ffd.fade);
  fields.object("driver", ffd.driver);
}

template <class Fields>
void describe(Fields& fields, CurvePath& path) {
  fields.text("name", path.name);
  fields.refuse(path.name.empty(), "name", "must not be empty");
  fields.texts("joints", path.joints);
  fields.refuse(path.joints.size() == 1, "joints", "a curve runs over at least two joints");
  fields.vector("offset", path.offset);
  fields.offsets("control_offsets", path.control_offsets);
}

template <class Fields>
void describe(Fields& fields, Bulge& bulge) {
  fields.number("volume", bulge.volume, kUnitInterval);
  fields.number("across", bulge.across, kWidening);
  fields.number("along", bulge.along, kWidening);
  fields.number_or("auto", "reach", bulge.reach, kPositive);
}

template <class Fields>
void describe(Fields& fields, CurveJoint& joint) {
  fields.text("joint", joint.joint);
  fields.refuse(joint.joint.empty(), "joint", "must not be empty");
  fields.number_or("auto", "skin_distance", joint.skin_distance, kPositive);
  fields.number_or("auto", "float_min", joint.float_min, kPositive);
  fields.number_or("auto", "float_max", joint.float_max, kPositive);
  fields.refuse(joint.float_min && joint.float_max && *joint.float_max < *joint.float_min, "float_max",
                "must not be below float_min");
  fields.number_or("auto", "twist_after", joint.twist_after, kUnitInterval);
  fields.keys_or("auto", "float", joint.float_distance, kBendDegrees, kPositive);
  fields.optional_object("bulge", joint.bulge);
}

template <class Fields>
void describe(Fields& fields, BendyBone& bone) {
  fields.count_or("auto", "segments", bone.segments);
  fields.number_or("auto", "ease_in", bone.ease_in, kEase);
  fields.number_or("auto", "ease_out", bone.ease_out, kEase);
  fields.number("roll_in", bone.roll_in, kRoll);
  fields.number("roll_out", bone.roll_out, kRoll);
  fields.vector("curve_in", bone.curve_in);
  fields.vector("curve_out", bone.curve_out);
  fields.vector("scale_in", bone.scale_in);
  fields.vector("scale_out", bone.scale_out);
  const std::string_view wrong = wrong_property(bone) == nullptr ? "" : wrong_property(bone);
  fields.refuse(wrong == "bbone_segments", "segments", "must be an integer >= 1");
  fields.refuse(wrong == "bbone_curvein", "curve_in", "must be within -1000 and 1000");
  fields.refuse(wrong == "bbone_curveout", "curve_out", "must be within -1000 and 1000");
  fields.refuse(wrong == "bbone_scalein", "scale_in", "must be within 0.001 and 1000");
  fields.refuse(wrong == "bbone_scaleout", "scale_out", "must be within 0.001 and 1000");
}

template <class Fields>
void describe(Fields& fields, CurveBone& bone) {
  fields.text("joint", bone.joint);
  fields.refuse(bone.joint.empty(), "joint", "must not be empty");
  fields.text("to", bone.to);
  fields.keys("twist", bone.twist, kUnitInterval, kUnitInterval);
  fields.refuse(!starts_and_ends(bone.twist), "twist", "must run from [0, 0] to [1, 1]");
  fields.refuse(falls(bone.twist), "twist", "must never fall");
  fields.flag("smooth_twist", bone.smooth_twist);
  fields.optional_object("bendy", bone.bendy);
}

template <class Fields>
void describe(Fields& fields, CurveWeight& weight) {
  fields.text("curve", weight.curve);
  fields.refuse(weight.curve.empty(), "curve", "must not be empty");
  fields.number("value", weight.value, kCurveWeight);
  fields.object("region", weight.region);
}

template <class Fields>
void describe(Fields& fields, CurveSkeletonParameters& curves) {
  fields.flag("automatic", curves.automatic);
  fields.texts("split", curves.split);
  fields.texts("remove", curves.remove);
  fields.objects("curves", curves.curves);
  fields.choice("frames", curves.frames, std::span(kCurveFrames));
  fields.number("centre", curves.centre, kUnitInterval);
  fields.choice("reference", curves.reference, std::span(kCurveReferences));
  fields.number("float_margin", curves.float_margin, kPositive);
  fields.object("bulge", curves.bulge);
  fields.objects("joints", curves.joints);
  fields.objects("bones", curves.bones);
  fields.choice("binding", curves.binding, std::span(kCurveBindings));
  fields.integer("curves_per_vertex", curves.curves_per_vertex, kMostCurvesPerVertex);
  fields.number("curve_reach", curves.curve_reach, kAboveOne);
  fields.objects("weights", curves.weights);
  fields.number("table_error", curves.table_error, kPositive);
}

template <class Fields>
void describe(Fields& fields, MosPoint& point) {
  fields.text("name", point.name);
  fields.text("joint", point.joint);
  fields.refuse(point.joint.empty(), "joint", "must not be empty");
  fields.vector("offset", point.offset);
  fields.flag("bisecting", point.bisecting);
}

template <class Fields>
void describe(Fields& fields, MosChain& chain) {
  fields.text("name", chain.name);
  fields.refuse(chain.name.empty(), "name", "must not be empty");
  fields.objects("points", chain.points);
  fields.texts("joints", chain.joints);
  fields.refuse(!chain.points.empty() && !chain.joints.empty(), "joints", "a chain has points or joints, not both");
  fields.refuse(chain.points.empty() && chain.joints.empty(), "joints", "a chain has points or joints");
  fields.refuse(chain.points.size() == 1, "points", "a chain has at least two points");
  fields.refuse(chain.joints.size() == 1, "joints", "a chain runs over at least two joints");
}

template <class Fields>
void describe(Fields& fields, MosEdit& edit) {
  fields.require("operation");
  fields.choice("operation", edit.operation, std::span(kMosOperations));
  const MosOperation operation = edit.operation;
  fields.texts("points", edit.points);
  if (operation == MosOperation::kBulge || operation == MosOperation::kMotion) {
    fields.number("factor", edit.factor, kAnyNumber);
  } else {
    fields.refuse_key("factor", "belongs to a bulge or motion");
  }
  if (operation == MosOperation::kBulge) {
    fields.vector_or("joint", "pivot", edit.pivot);
  } else {
    fields.refuse_key("pivot", "belongs to a bulge");
  }
  if (operation == MosOperation::kSlide) {
    fields.number("distance", edit.distance, kAnyNumber);
    fields.vector("offset", edit.offset);
  } else {
    fields.refuse_key("distance", "belongs to a slide");
    fields.refuse_key("offset", "belongs to a slide");
  }
  if (operation == MosOperation::kScale) {
    fields.vector("scale", edit.scale);
    fields.refuse(!glm::all(glm::greaterThan(edit.scale, glm::vec3(0.0f))), "scale", "must be numbers > 0");
  } else {
    fields.refuse_key("scale", "belongs to a scale");
  }
  if (operation == MosOperation::kTwist) {
    fields.number("degrees", edit.degrees, kAnyNumber);
  } else {
    fields.refuse_key("degrees", "belongs to a twist");
  }
  fields.optional_object("driver", edit.driver);
  fields.keys("share", edit.share, kTurnDegrees, kAnyNumber);
  fields.refuse(edit.driver && edit.share.empty(), "driver", "needs a share: how much is done at which angle");
  fields.refuse(!edit.driver && !edit.share.empty(), "share", "needs a driver: the angle that it is keyed over");
  fields.refuse(edit.driver && !has_rest_key(edit.share), "share", "must hold the key [0, 0]: nothing is done at rest");
  fields.flag("in_bind", edit.in_bind);
  fields.refuse(edit.driver && !edit.in_bind, "in_bind", "must be true beside a driver, which does nothing at bind");
}

template <class Fields>
void describe(Fields& fields, MosParameters& mos) {
  fields.choice("strategy", mos.strategy, std::span(kMosStrategies));
  fields.flag("automatic", mos.automatic);
  fields.texts("split", mos.split);
  fields.texts("remove", mos.remove);
  fields.objects("chains", mos.chains);
  fields.integer("points_per_bone", mos.points_per_bone, kMostPointsPerBone);
  fields.number("spread", mos.spread, kUnitInterval);
  fields.count_or("auto", "points_per_joint", mos.points_per_joint);
  fields.refuse(mos.points_per_joint > kMostPointsPerJoint, "points_per_joint", "must be an integer from 0 to 8");
  fields.number_or("auto", "joint_spread", mos.joint_spread, kUnitInterval);
  fields.choice("frames", mos.frames, std::span(kMosFrames));
  fields.flag("exact_normals", mos.exact_normals);
  fields.flag("clamp_ends", mos.clamp_ends);
  fields.flag("twist", mos.twist);
  fields.choice("binding", mos.binding, std::span(kCurveBindings));
  fields.integer("chains_per_vertex", mos.chains_per_vertex, kMostCurvesPerVertex);
  fields.number("chain_reach", mos.chain_reach, kAboveOne);
  fields.number("table_error", mos.table_error, kPositive);
  fields.number("power", mos.power, kPositive);
  fields.integer_or("all", "nearest", mos.nearest);
  fields.choice("cut", mos.cut, std::span(kCuts));
  fields.choice("kernel", mos.kernel, std::span(kMosKernels));
  fields.number_or("auto", "width", mos.width, kPositive);
  fields.refuse(mos.width && mos.kernel != MosKernel::kGaussian, "width", "belongs to the kernel gaussian");
  fields.text("cage", mos.cage);
  fields.text("cage_file", mos.cage_file);
  const bool on_cage = mos.strategy == MosStrategy::kCatmullClark;
  fields.refuse(!on_cage && !mos.cage.empty(), "cage", "belongs to the strategy catmull_clark");
  fields.refuse(!on_cage && !mos.cage_file.empty(), "cage_file", "belongs to the strategy catmull_clark");
  fields.refuse(!mos.cage.empty() && !mos.cage_file.empty(), "cage_file", "there is cage or cage_file, not both");
  fields.refuse(on_cage && mos.cage.empty() && mos.cage_file.empty(), "cage",
                "the strategy catmull_clark needs cage or cage_file");
  fields.objects("edits", mos.edits);
  fields.refuse(mos.strategy != MosStrategy::kBSpline && has_twist(mos.edits), "edits",
                "a twist needs the strategy b_spline");
}

template <class Fields>
void describe(Fields& fields, Mask& mask) {
  fields.number("value", mask.value, kUnitInterval);
  describe(fields, mask.region);
}

template <class Fields>
void describe(Fields& fields, Layer& layer) {
  fields.text("target", layer.target);
  fields.refuse(layer.target.empty(), "target", "must name a mesh, or be \"*\"");
  fields.alternative("deformer", "parameters", layer.deformer, deformers());
  fields.object("mask", layer.mask);
  fields.number_or("none", "wires", layer.wires, kWiresExponent);
}

template <class Fields>
void describe(Fields& fields, Attachment& attachment) {
  fields.require("joint");
  fields.text("joint", attachment.joint);
  fields.vector("offset", attachment.offset);
}

template <class Fields>
void describe(Fields& fields, LinePoint& point) {
  fields.number("at", point.at, kUnitInterval);
  fields.vector("offset", point.offset);
}

template <class Fields>
void describe(Fields& fields, Muscle& muscle) {
  fields.text("name", muscle.name);
  fields.refuse(muscle.name.empty(), "name", "must not be empty");
  fields.require("from");
  fields.object("from", muscle.from);
  fields.require("to");
  fields.object("to", muscle.to);
  fields.objects("points", muscle.points);
  fields.text("mesh", muscle.mesh);
  fields.number("radius", muscle.radius, kNotNegative);
  fields.number("tendon", muscle.tendon, kTendon);
  fields.integer("resolution", muscle.resolution);
  fields.number("volume", muscle.volume, kUnitInterval);
  fields.number("bulge", muscle.bulge, kMuscleBulge);
}

template <class Fields>
void describe(Fields& fields, Rig& rig) {
  fields.format("format", kFormat, kFormatFamily);
  fields.text("name", rig.name);
  fields.objects("groups", rig.groups);
  fields.objects("muscles", rig.muscles);
  fields.require("layers");
  fields.objects("layers", rig.layers);
  fields.choice("judging", rig.judging, std::span(kJudgings));
}

Result<Rig> parse_rig(std::string_view json, const std::string& source) {
  const auto parsed = json_fields::parse_json(json, source);
  if (!parsed) return tl::unexpected(parsed.error());
  json_fields::Problem problem{source, std::nullopt};
  Rig rig;
  json_fields::Reader reader(*parsed, "", problem);
  describe(reader, rig);
  reader.finish();
  if (problem.error) return tl::unexpected(*std::move(problem.error));
  return rig;
}

Result<Rig> load_rig(const std::filesystem::path& path) {
  const auto bytes = read_file(path, json_fields::kMaxBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  Result<Rig> rig =
      parse_rig(std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()), path.string());
  if (rig) rig->directory = path.parent_path().string();
  return rig;
}

std::string format_rig(const Rig& rig) {
  Rig copy = rig;  // describe reads into its argument as well as from it
  json_fields::OrderedJson json;
  json_fields::Writer writer(json);
  describe(writer, copy);
  return json.dump(2, ' ', false, json_fields::OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace pelt
