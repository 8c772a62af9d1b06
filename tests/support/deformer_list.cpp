// SPDX-License-Identifier: MIT
#include "tests/support/deformer_list.h"

#include <ostream>
#include <utility>

#include <pelt/curve_skeleton.h>
#include <pelt/dual_quaternion.h>
#include <pelt/linear_blend.h>
#include <pelt/mos.h>
#include <pelt/surface_ffd.h>

#include "tests/support/tube_surface.h"

namespace pelt::test {
namespace {

using Mode = SurfaceFfdParameters::Mode;

SurfaceFfdParameters ffd(const std::function<void(SurfaceFfdParameters&)>& change = [](SurfaceFfdParameters&) {}) {
  SurfaceFfdParameters parameters;
  parameters.driver.mesh = "cage";
  change(parameters);
  return parameters;
}

// Control vertices over a tube of length 8 and radius 1.
SurfaceFfdParameters patch(std::uint32_t tessellation) {
  SurfaceFfdParameters parameters;
  PatchParameters& sheet = parameters.driver.patches.emplace_back();
  sheet.shape = {8, 5};
  for (std::uint32_t i = 0; i < 8; ++i) {
    for (std::uint32_t j = 0; j < 5; ++j) {
      const float u = static_cast<float>(i);
      const float v = static_cast<float>(j);
      sheet.control.emplace_back(2 * u - 3, 1.3f + 0.1f * u - 0.1f * v * v, 1.5f * v - 3);
      sheet.weights.push_back((i + j) % 2 == 0 ? 1.0f : 1.5f);
    }
  }
  sheet.samples = 2;
  parameters.driver.tessellation = tessellation;
  parameters.driver.follow = Follow::kClosestLimb;
  return parameters;
}

std::vector<KeyPoseSet> key_poses() {
  const KeyAngle first{"joint1", {0.4f, -1, 0.7f}};
  const KeyAngle second{"joint1", {1, -1, 0}};
  return {{{first}, KeyInterpolation::kLinear, {{{60}, "", {{3, {0, 0.2f, 0}}}}, {{-30}, "", {{40, {0.1f, 0, 0}}}}}},
          {{first, second}, KeyInterpolation::kRbf, {{{60, 20}, "", {{90, {0, 0, 0.3f}}, {3, {0.1f, 0, 0}}}}}}};
}

CurveSkeletonParameters curves(const std::function<void(CurveSkeletonParameters&)>& change =
                                   [](CurveSkeletonParameters&) {}) {
  CurveSkeletonParameters parameters;
  parameters.table_error = 2e-3f;  // properties of coarse tables hold for fine ones, and coarse ones take less time
  change(parameters);
  return parameters;
}

// Curves with the paper's frames.
CurveSkeletonParameters paper_curves() {
  return curves([](CurveSkeletonParameters& p) {
    p.frames = CurveFrames::kEndpoint;
    p.reference = CurveReference::kJoint;
    p.centre = 1;
    p.bulge.volume = 0;
  });
}

CurveSkeletonParameters keyed_curves() {
  return curves([](CurveSkeletonParameters& p) {
    p.frames = CurveFrames::kTangent;
    p.bulge = {.across = 0.3f, .along = -0.2f};
    p.joints = {{.joint = "joint1", .float_distance = {{0, 0.3f}, {60, 0.5f}, {120, 0.9f}}}};
    p.bones = {{"joint0", "joint1", {{0, 0}, {0.3f, 0.1f}, {1, 1}}, true}};
    p.curves = {{"both", {"joint0", "joint1"}, {}, {}}};  // also if no skin follows one of the joints
  });
}

// Bendy bones, through whose joints the curve passes.
CurveSkeletonParameters eased_curves() {
  return curves([](CurveSkeletonParameters& p) {
    p.bones = {{"joint0", "joint1", {}, true, BendyBone{.ease_out = 0.7f, .curve_out = {0.1f, 0}}},
               {"joint1", "", {}, true, BendyBone{.ease_in = 1.6f, .ease_out = 1}}};
    p.curves = {{"both", {"joint0", "joint1"}, {}, {}}};  // also if no skin follows one of the joints
  });
}

// A curve off the joints, with two of its control points displaced.
CurveSkeletonParameters displaced_curves() {
  return curves([](CurveSkeletonParameters& p) {
    CurvePath& path = p.curves.emplace_back();
    path.name = "shifted";
    path.joints = {"joint0", "joint1"};
    path.offset = {0.1f, 0.2f, -0.1f};
    path.control_offsets = {{0, {0, 0.1f, 0}}, {1, {0, -0.2f, 0.1f}}};
  });
}

MosParameters mos(const std::function<void(MosParameters&)>& change = [](MosParameters&) {}) {
  MosParameters parameters;
  parameters.table_error = 2e-3f;
  change(parameters);
  return parameters;
}

// The patent's own: no points that turn in part, the joints' frames, blended as matrices.
MosParameters patent_mos() {
  return mos([](MosParameters& p) {
    p.frames = MosFrames::kJoint;
    p.points_per_joint = 0;
    p.twist = false;
  });
}

MosParameters scattered_mos(MosStrategy strategy) {
  return mos([&](MosParameters& p) { p.strategy = strategy; });
}

// Each operation, some keyed on the turn of a joint, some already at bind.
MosParameters edited_mos() {
  return mos([](MosParameters& p) {
    const KeyAngle turn{"joint1", {0.4f, 1, 0.7f}};
    const std::vector<CurveKey> share{{-60, 0.5f}, {0, 0}, {60, 1}, {120, 1.5f}};
    p.edits = {{.operation = MosOperation::kBulge,
                .points = {"joint?"},
                .factor = 1.2f,
                .pivot = glm::vec3(4, -1, 0),
                .driver = turn,
                .share = share},
               {.operation = MosOperation::kSlide, .distance = 0.1f, .offset = {0, 0.1f, 0}},
               {.operation = MosOperation::kScale, .points = {"joint?"}, .scale = {1, 1.3f, 1.1f}},
               {.operation = MosOperation::kMotion, .factor = 0.9f, .driver = turn, .share = share},
               {.operation = MosOperation::kTwist, .points = {"*t?"}, .degrees = 40, .driver = turn, .share = share}};
  });
}

// Points with axes of their own, which edits twist.
MosParameters turned_mos() {
  MosParameters parameters = edited_mos();
  parameters.strategy = MosStrategy::kInverseDistance;
  parameters.chains = {{"own", {{"a", "joint0", {0.5f, 0, 0}, false, {0, 40, 20}}, {"b", "joint1", {1, 0.5f, 0}}}, {}}};
  return parameters;
}

HierarchicalBsplineParameters surface(const std::function<void(HierarchicalBsplineParameters&)>& change =
                                          [](HierarchicalBsplineParameters&) {}) {
  HierarchicalBsplineParameters parameters = tube_surface();
  change(parameters);
  return parameters;
}

// A mesh of the model as the base, whose painting it follows.
HierarchicalBsplineParameters over_cage() {
  HierarchicalBsplineParameters parameters;
  parameters.mesh = "cage";
  parameters.levels.resize(2);
  parameters.levels[1].attach = {{.painted = true, .vertices = {{20, 24}}}};
  return parameters;
}

// Key poses on two levels, plain offsets, sub-segments with a length, and limits.
HierarchicalBsplineParameters keyed_surface() {
  return surface([](HierarchicalBsplineParameters& p) {
    add_overlays(p);
    const KeyAngle turn{"joint1", {0.4f, 1, 0.7f}};
    p.levels[0].keys = {
        {.angle = turn, .keys = {{.at = 60, .offsets = {{40, {0, 0.2f, 0}}}}}, .vertices = {{48, 55}}},
        {.control = "swell", .keys = {{.at = -1, .length = 0.5f}, {.at = 2, .length = 1.2f}}, .vertices = {{64, 79}}}};
    p.levels[1].keys = {{.angle = turn, .keys = {{.at = -40, .offsets = {{130, {0, 0, 0.1f}}}}}},
                        {.follow = SurfaceFollow{0, 60, {0, 1, 0.5f}},
                         .keys = {{.at = 0.5f, .offsets = {{131, {0, 0, 0.1f}}}, .length = 2}},
                         .vertices = {{8 * 16 + 3, 8 * 16 + 3}}}};
    p.levels[0].attach.back().vertices.pop_back();
    p.levels[0].attach.push_back({.curve = {"joint0", "joint1"}, .vertices = {{80, 87}}});
    p.levels[0].limits = {{SurfaceLimitKind::kBisector, "joint1", 0.05f, {{24, 31}}},
                          {SurfaceLimitKind::kDistance, "joint1", 0.4f, {{56, 60}}}};
    p.levels[0].separations = {{26, 3, {{62, 62}}}};
    p.levels[0].attach[1].length = 2;
    p.levels[1].attach.push_back({.plain = true, .vertices = {{130, 131}}});
  });
}

HierarchicalBsplineParameters swinging_surface() {
  return surface([](HierarchicalBsplineParameters& p) {
    add_overlays(p);
    p.levels[0].secondary = {{.vertices = {{72, 79}}}};
    p.levels[1].secondary = {{.rigidity = 0.01f, .along = true, .vertices = {{8 * 16 + 3, 8 * 16 + 3}}}};
  });
}

// Vertices of two levels are moved, with keys, limits and masses.
HierarchicalBsplineParameters moved_surface() {
  HierarchicalBsplineParameters parameters = keyed_surface();
  parameters.levels[0].secondary = {{.vertices = {{72, 79}}}};
  parameters.levels[0].moves = {{30, {0, 0.2f, 0.1f}}, {58, {0.1f, 0, -0.1f}}, {74, {0, -0.2f, 0.1f}}};
  parameters.levels[1].moves = {{130, {0.05f, 0, -0.1f}}, {8 * 16 + 3, {0, 0, 0.1f}}};
  return parameters;
}

// Adds a muscle that a curve skeleton carries, under the skin near it.
void add_muscle(Model& model, Rig& rig) {
  rig.muscles = {{.name = "muscle",
                  .from = {"joint0", {1, 0.5f, 0}},
                  .to = {"joint1", {0.5f, 0.4f, 0.1f}},
                  .points = {{0.3f, {0, 0.1f, 0}}, {0.7f, {0, 0.2f, -0.1f}}},
                  .radius = 0.3f,
                  .bulge = 0.5f}};
  rig.layers[0].mask.region.near = Near{"muscle", 0.8f};
  rig.layers.insert(rig.layers.begin(), {model.meshes[0].name, curves(), {}, {}});
}

SurfaceFfdParameters by_muscle() {
  return ffd([](auto& p) { p.driver.mesh = "muscle"; });
}

void add_morph_targets(Model& model, Rig&) {
  Mesh& cage = model.meshes.back();
  MorphTarget bulge{"bulge", {}, 0.25f};
  MorphTarget shear{"shear", {}, 0.0f};
  for (const glm::vec3 p : cage.positions) {
    bulge.offsets.push_back(0.3f * glm::vec3(0, p.y, p.z));
    shear.offsets.emplace_back(0.2f * p.y, 0.1f * p.x, 0);
  }
  cage.morph_targets = {bulge, shear};
}

// Puts the cage in a wider one, which drives it.
void carry_cage(Model& model, Rig& rig) {
  Mesh outer = model.meshes.back();
  outer.name = "outer cage";
  for (glm::vec3& p : outer.positions) p = {p.x, 1.3f * p.y, 1.3f * p.z};
  model.meshes.push_back(outer);
  SurfaceFfdParameters parameters;
  parameters.driver.mesh = outer.name;
  rig.layers.push_back({"cage", parameters, {}, {}});
}

void add_groups(Model&, Rig& rig) {
  rig.groups = {{.name = "high", .region = {.box = Box{{3, -9, -9}, {99, 9, 9}, 0}}},
                {.name = "low", .region = {.box = Box{{-99, -9, -9}, {3, 9, 9}, 0}}},
                {.name = "top", .region = {.box = Box{{-99, 0, -9}, {99, 9, 9}, 0}}}};
}

void put_under(Model& model, Rig& rig) {
  rig.layers.insert(rig.layers.begin(), {model.meshes[0].name, LinearBlendParameters{}, {}, {}});
}

// Shows the layer in a ball only, over linear blend.
void mask_a_ball(Model& model, Rig& rig) {
  rig.layers[0].mask = {0.9f, {.sphere = Sphere{{5, 0, 0}, 1, 4}}};
  put_under(model, rig);
}

std::vector<Deformer> surface_ffds() {
  return {
      {"SurfaceFfdExtended", ffd()},
      {"SurfaceFfdByTheSkin", SurfaceFfdParameters{}, true, Follows::kAffine,
       [](Model&, Rig& rig) { rig.layers[0].target = "*"; }},  // a cloud has no triangles to make a driver of
      {"SurfaceFfdExtendedHardCut", ffd([](auto& p) { p.cut = Cut::kHard; })},
      {"SurfaceFfdExtendedUncut", ffd([](auto& p) { p.elements = 0; }), false},
      {"SurfaceFfdQuadratic", ffd([](auto& p) { p.precision = Precision::kQuadratic; })},
      {"SurfaceFfdQuadraticMasked", ffd([](auto& p) { p.precision = Precision::kQuadratic; }), true, Follows::kAffine,
       mask_a_ball},
      {"SurfaceFfdQuadraticOverCurves", ffd([](auto& p) { p.precision = Precision::kQuadratic; }), true,
       Follows::kSimilarity,
       [](Model& model, Rig& rig) {
         rig.layers[0].mask = {0.9f, {.sphere = Sphere{{5, 0, 0}, 1, 4}}};
         rig.layers.insert(rig.layers.begin(), {model.meshes[0].name, curves(), {}, {}});
       }},
      {"SurfaceFfdQuadraticCarriedCage", ffd([](auto& p) { p.precision = Precision::kQuadratic; }), true,
       Follows::kAffine,
       [](Model& model, Rig& rig) {
         carry_cage(model, rig);
         rig.layers.back().deformer.get<SurfaceFfdParameters>().precision = Precision::kQuadratic;
       }},
      {"SurfaceFfdExtendedLinearDriver", ffd([](auto& p) { p.driver.follow = Follow::kLinearBlend; })},
      {"SurfaceFfdExtendedLimbDriver", ffd([](auto& p) { p.driver.follow = Follow::kClosestLimb; })},
      {"SurfaceFfdBasic", ffd([](auto& p) { p.mode = Mode::kBasic; }), true, Follows::kRigid},
      {"SurfaceFfdBasicUncut", ffd([](auto& p) { p.mode = Mode::kBasic, p.elements = 0; }), false, Follows::kRigid},
      {"SurfaceFfdEstimatedFrames", ffd([](auto& p) { p.driver.estimate_frames = true; }), true, Follows::kSimilarity},
      {"SurfaceFfdStreamed", ffd([](auto& p) { p.driver.follow = Follow::kStreamed; }), false, Follows::kSimilarity},
      {"SurfaceFfdStreamedFrames",
       ffd([](auto& p) { p.driver.follow = Follow::kStreamed, p.driver.axis_points = true; }), false},
      {"SurfaceFfdStreamedBasic", ffd([](auto& p) { p.driver.follow = Follow::kStreamed, p.mode = Mode::kBasic; }),
       false, Follows::kRigid},
      {"SurfaceFfdRefined", ffd([](auto& p) {
         p.driver.weld = 1e-4f, p.driver.refine = {{{.joints = {"joint1"}}, 1}};
       })},
      {"SurfaceFfdKeyPoses", ffd([](auto& p) { p.driver.key_poses = key_poses(); }), false},
      {"SurfaceFfdKeyPosesLinearDriver", ffd([](auto& p) {
         p.driver.key_poses = key_poses();
         p.driver.follow = Follow::kLinearBlend;
         p.mode = Mode::kBasic;
       }),
       false, Follows::kRigid},
      {"SurfaceFfdMorphTargets", ffd(), true, Follows::kSimilarity, add_morph_targets},
      {"SurfaceFfdPatch", patch(0), false, Follows::kRigid},
      {"SurfaceFfdTessellatedPatch", patch(2), false},
      {"SurfaceFfdGroups", ffd([](auto& p) {
         p.exclude = {{"high", "low"}};
         p.exclusive = {{"top", "top"}};
         p.strengths = {{"top", "high", 20}};
       }),
       true, Follows::kAffine, add_groups},
      {"SurfaceFfdMaxHops", ffd([](auto& p) { p.max_hops = 1; })},
      {"SurfaceFfdCutError", ffd([](auto& p) { p.cut_error = 0.3f; })},
      {"SurfaceFfdCarriedCage", ffd(), true, Follows::kAffine, carry_cage},
      {"SurfaceFfdMasked", ffd(), true, Follows::kAffine, mask_a_ball},
  };
}

std::vector<Deformer> curve_skeletons() {
  return {
      {"CurveSkeleton", curves(), true, Follows::kSimilarity},
      {"CurveSkeletonOfThePaper", paper_curves(), true, Follows::kSimilarity},
      {"CurveSkeletonTangentKeyed", keyed_curves(), true, Follows::kSimilarity},
      {"CurveSkeletonEased", eased_curves(), true, Follows::kSimilarity},
      {"CurveSkeletonDisplaced", displaced_curves(), true, Follows::kSimilarity},
      {"CurveSkeletonByDistance", curves([](auto& p) { p.binding = CurveBinding::kDistance; }), true,
       Follows::kSimilarity},
      {"CurveSkeletonMasked", curves(), true, Follows::kSimilarity, mask_a_ball},
  };
}

std::vector<Deformer> all_mos() {
  return {
      {"Mos", mos(), true, Follows::kSimilarity},
      {"MosOfThePatent", patent_mos()},
      {"MosBlendedNormals", mos([](auto& p) { p.exact_normals = false, p.clamp_ends = false; }), true,
       Follows::kSimilarity},
      {"MosEdited", edited_mos(), false, Follows::kSimilarity},
      {"MosTurned", turned_mos(), false, Follows::kSimilarity},
      {"MosInverseDistance", scattered_mos(MosStrategy::kInverseDistance), true, Follows::kSimilarity},
      {"MosRadialBasis", scattered_mos(MosStrategy::kRadialBasis), false, Follows::kSimilarity},
      {"MosCage", mos([](auto& p) { p.strategy = MosStrategy::kCatmullClark, p.cage = "cage"; })},
      {"MosMasked", scattered_mos(MosStrategy::kRadialBasis), false, Follows::kSimilarity,
       [](Model& model, Rig& rig) {
         mask_a_ball(model, rig);
         rig.layers.push_back({model.meshes[0].name, scattered_mos(MosStrategy::kInverseDistance), {0.5f, {}}, {}});
       }},
  };
}

std::vector<Deformer> surfaces() {
  return {
      {"HierarchicalBspline", surface(), true, Follows::kRigid},
      {"HierarchicalBsplineOverlays", surface([](auto& p) { add_overlays(p), p.frames_per_span = 0; }), true,
       Follows::kRigid},
      {"HierarchicalBsplineKeyed", keyed_surface(), false, Follows::kRigid},
      {"HierarchicalBsplineSwinging", swinging_surface(), false, Follows::kRigid},
      {"HierarchicalBsplineMoved", moved_surface(), false, Follows::kRigid, [](Model&, Rig&) {}, false},
      {"HierarchicalBsplineOverAMesh", tube_mesh_surface(34), true, Follows::kRigid,
       [](Model&, Rig& rig) { rig.layers[0].target = "*"; }},  // a cloud has no painting for the surface
      {"HierarchicalBsplineOverTheCage", over_cage(), true, Follows::kSimilarity},
      {"HierarchicalBsplineMade", HierarchicalBsplineParameters{}, true, Follows::kSimilarity,
       [](Model&, Rig& rig) { rig.layers[0].target = "*"; }},
      {"HierarchicalBsplineMasked", surface(add_overlays), true, Follows::kRigid, mask_a_ball},
  };
}

// The muscle wrings, and moves a driver by its stretch.
void key_by_muscle(Model& model, Rig& rig) {
  add_muscle(model, rig);
  rig.muscles[0].wring = true;
  rig.layers.back().mask = {};
  DriverParameters& driver = rig.layers.back().deformer.get<SurfaceFfdParameters>().driver;
  driver.mesh = "cage";
  KeyPoseSet by_muscle{.poses = {{.offsets = {{90, {0, 0.2f, 0}}}, .at = 0.8f}}, .muscle = "muscle"};
  KeyPoseSet by_control{.poses = {{.offsets = {{3, {0, 0.2f, 0.1f}}}}}, .control = "tense"};
  driver.key_poses = {by_muscle, by_control};
}

std::vector<Deformer> mixed() {
  return {
      {"Muscle", by_muscle(), true, Follows::kSimilarity, add_muscle},
      {"KeyedByAMuscle", by_muscle(), false, Follows::kSimilarity, key_by_muscle},
      {"Wires", ffd([](auto& p) { p.driver.follow = Follow::kClosestLimb; }), true, Follows::kAffine,
       [](Model& model, Rig& rig) {
         rig.layers[0].mask.value = 0.8f;
         rig.layers[0].wires = 2.0f;
         put_under(model, rig);
       }},
  };
}

}  // namespace

void PrintTo(const Deformer& deformer, std::ostream* out) { *out << deformer.name; }

const std::vector<Deformer>& deformers() {
  static const std::vector<Deformer> list = [] {
    std::vector<Deformer> all{{"LinearBlend", LinearBlendParameters{}}, {"DualQuaternion", DualQuaternionParameters{}}};
    for (const std::vector<Deformer>& kind : {surface_ffds(), curve_skeletons(), all_mos(), surfaces(), mixed()}) {
      all.insert(all.end(), kind.begin(), kind.end());
    }
    return all;
  }();
  return list;
}

Subject make_subject(const Deformer& deformer, Model model, Mesh cage) {
  cage.name = "cage";
  Subject subject{std::move(model), {}};
  subject.model.meshes.push_back(std::move(cage));
  subject.rig.layers.push_back({subject.model.meshes[0].name, deformer.parameters, {}, {}});
  deformer.change(subject.model, subject.rig);
  return subject;
}

Subject make_subject(const Deformer& deformer, const TubeOptions& tube, const TubeOptions& cage) {
  return make_subject(deformer, make_tube(tube), make_tube_mesh(cage));
}

}  // namespace pelt::test
