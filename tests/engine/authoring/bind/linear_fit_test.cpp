// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <pelt/bind.h>
#include <pelt/curve_skeleton.h>
#include <pelt/dual_quaternion.h>
#include <pelt/evaluate.h>
#include <pelt/linear_blend.h>
#include <pelt/linear_fit.h>
#include <pelt/mos.h>
#include <pelt/move_driver.h>
#include <pelt/pelt_file.h>
#include <pelt/pose.h>
#include <pelt/surface_ffd.h>

#include "engine/character/evaluate/blend.h"
#include "shaders/blend/blend.h"
#include "tests/support/clip_joints.h"
#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/fault.h"
#include "tests/support/tube_surface.h"

namespace pelt {
namespace {

using testing::HasSubstr;
using Positions = std::vector<glm::vec3>;

Model make_model() { return test::make_tube_in_cage({.around = 10, .along = 24, .joints = 3}); }

// Few poses, for tests that do not measure the quality of the fit.
constexpr LinearFitOptions kQuick{.clip_poses = 2, .random_poses = 3};

LinearFitted fitted(const Character& character, const LinearFitOptions& options = {}) {
  Result<LinearFitted> result = fit_linear_blend(character, options);
  EXPECT_TRUE(result) << result.error().message;
  return std::move(*result);
}

Character bound(const Model& model, DeformerParameters parameters, const std::string& target = "tube") {
  return test::bound(model, test::rig_of(std::move(parameters), target)).character;
}

// Returns poses with joints bent one by one and together, about axes and by angles that no sample pose has.
std::vector<std::vector<glm::mat4>> held_out(const Skeleton& skeleton) {
  std::vector<std::vector<glm::mat4>> poses;
  std::vector<Transform> local(skeleton.joints.size());
  const auto add = [&](std::size_t first, std::size_t last, float degrees, glm::vec3 axis) {
    rest_pose(skeleton, local);
    for (std::size_t j = first; j < last; ++j) {
      local[j].rotation *= glm::angleAxis(glm::radians(degrees), glm::normalize(axis));
    }
    model_matrices(skeleton, local, poses.emplace_back(local.size()));
  };
  for (std::size_t j = 1; j < local.size(); ++j) {
    add(j, j + 1, 40, {0, 0, 1});
    add(j, j + 1, -25, {0, 1, 0.5f});
    add(j, j + 1, 30, {1, 0, 0});
  }
  add(0, local.size(), 20, {0.3f, 0.5f, 1});
  return poses;
}

// Returns the positions of all skins, one after the other, in the order of their models.
Positions positions(const Character& character, std::span<const glm::mat4> pose, Detail detail) {
  Evaluator evaluator(character);
  evaluator.set_detail(detail);
  evaluator.pose(pose);
  evaluator.evaluate();
  Positions all;
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.control) continue;
    const Positions of_mesh = test::positions_of(evaluator, character, mesh.name);
    all.insert(all.end(), of_mesh.begin(), of_mesh.end());
  }
  return all;
}

struct Distance {
  double rms = 0;
  double worst = 0;
};

// Returns the distance over the poses of `other`, moved by `detail`, from where `character` moves the same vertices.
Distance distance(const Character& character, const Character& other, Detail detail,
                  std::span<const std::vector<glm::mat4>> poses) {
  Distance result;
  std::size_t count = 0;
  for (const std::vector<glm::mat4>& pose : poses) {
    const Positions wanted = positions(character, pose, Detail::kFull);
    const Positions got = positions(other, pose, detail);
    EXPECT_EQ(got.size(), wanted.size());
    for (std::size_t v = 0; v < wanted.size(); ++v) {
      const double off = glm::distance(glm::dvec3(wanted[v]), glm::dvec3(got[v]));
      EXPECT_TRUE(std::isfinite(off));
      result.rms += off * off;
      result.worst = std::max(result.worst, off);
    }
    count += wanted.size();
  }
  result.rms = std::sqrt(result.rms / static_cast<double>(count));
  return result;
}

SparseRows fit_rows(const CharacterMesh& mesh) { return unpack_rows(fit_binding(mesh)); }

// ------------------------------------------------------------------------------------------------------- how good it
// is

TEST(LinearFit, OfLinearBlendIsLinearBlend) {
  const Character character = fitted(bound(make_model(), LinearBlendParameters{})).character;
  // Both packings add an error: two units of weight each, times the distance between joints' motions of a vertex.
  const Distance off = distance(character, character, Detail::kLinearFit, held_out(character->skeleton));
  EXPECT_LT(off.worst, 4.0 / 65535 * character.size());
}

class LinearFitOf : public testing::TestWithParam<const char*> {
 protected:
  DeformerParameters parameters() const {
    const std::string name = GetParam();
    if (name == "SurfaceFfd") return test::by_cage();
    if (name == "CurveSkeleton") return CurveSkeletonParameters{};
    if (name == "HierarchicalBspline") return test::tube_surface({.joints = 3});
    return MosParameters{};
  }
};

TEST_P(LinearFitOf, IsNearerThanTheModelsOwnWeights) {
  Model model = make_model();
  if (parameters().name() != SurfaceFfdParameters::kName) model.meshes.pop_back();
  const LinearFitted result = fitted(bound(model, parameters()));
  model.meshes.resize(1);  // linear blend would take the cage for a skin
  const Character plain = bound(model, LinearBlendParameters{});
  const auto poses = held_out(model.skeleton);
  const Distance unfitted = distance(result.character, plain, Detail::kFull, poses);
  const Distance fit = distance(result.character, result.character, Detail::kLinearFit, poses);
  EXPECT_LT(fit.rms, 0.95 * unfitted.rms) << unfitted.rms;
  EXPECT_GT(fit.rms, 1e-5) << "the poses bend nothing";
}

INSTANTIATE_TEST_SUITE_P(Deformers, LinearFitOf,
                         testing::Values("SurfaceFfd", "CurveSkeleton", "Mos", "HierarchicalBspline"));

TEST(LinearFit, ReportsItsErrorOverTheSamplePoses) {
  // With a cone of 0 every random pose is the rest pose, which linear blend keeps.
  const Character character = bound(make_model(), test::by_cage());
  const LinearFitted still = fitted(character, {.clip_poses = 0, .random_poses = 1, .cone = 0});
  ASSERT_EQ(still.errors.size(), 1u);
  EXPECT_EQ(still.errors[0].mesh, "tube");
  EXPECT_LT(still.errors[0].worst, 1e-4);

  Model model = make_model();
  // The clip holds this pose: all clip poses are the same.
  const glm::quat bent = glm::angleAxis(1.2f, glm::vec3(0, 0, 1));
  model.clips = {
      {"bend", 1, {{1, ChannelPath::kRotation, Interpolation::kStep, {0}, {bent.x, bent.y, bent.z, bent.w}}}, {}}};
  const LinearFitted one = fitted(bound(model, test::by_cage()), {.clip_poses = 4, .random_poses = 0});
  const std::vector<std::vector<glm::mat4>> poses(1, test::clip_joints(model.skeleton, model.clips.data(), 0));
  const Distance off = distance(one.character, one.character, Detail::kLinearFit, poses);
  EXPECT_NEAR(one.errors[0].rms, off.rms, 1e-5);
  EXPECT_NEAR(one.errors[0].worst, off.worst, 1e-5);
  const CharacterMesh& mesh = test::mesh_of(one.character, "tube");
  EXPECT_EQ(mesh.fit->rms, static_cast<float>(one.errors[0].rms));
  EXPECT_EQ(mesh.fit->worst, static_cast<float>(one.errors[0].worst));
  const Positions wanted = positions(one.character, poses[0], Detail::kFull);
  const Positions got = positions(one.character, poses[0], Detail::kLinearFit);
  const std::uint32_t worst = one.errors[0].worst_vertex;
  ASSERT_LT(worst, wanted.size());
  EXPECT_NEAR(glm::distance(wanted[worst], got[worst]), off.worst, 1e-5);
}

TEST(LinearFit, MoreJointsAVertexAreNoWorse) {
  const Model model = test::make_tube_in_cage({.around = 8, .along = 16, .joints = 6});
  const Character character = bound(model, test::by_cage());
  double last = std::numeric_limits<double>::infinity();
  for (const unsigned influences : {1u, 2u, 4u, 8u}) {
    const LinearFitted result = fitted(character, {.influences = influences});
    const RowStatistics figures = statistics(fit_rows(test::mesh_of(result.character, "tube")));
    EXPECT_LE(figures.max_influences, influences);
    EXPECT_LE(result.errors[0].rms, last + 1e-6) << influences;
    last = result.errors[0].rms;
  }
}

// -------------------------------------------------------------------------------------------------- what it can be
// asked

TEST(LinearFit, ARigidMeshFollowsItsJointAlone) {
  Model model = make_model();
  model.meshes.resize(1);
  const Influence alone{2, 1.0f};
  SparseRows weights;
  for (std::size_t v = 0; v < model.meshes[0].positions.size(); ++v) weights.append_row(std::span(&alone, 1));
  model.meshes[0].weights = weights;
  const LinearFitted result = fitted(bound(model, DualQuaternionParameters{}), kQuick);
  EXPECT_LT(result.errors[0].worst, 1e-4);
  const PalettePass* pass = result.character->fit_pass();
  ASSERT_NE(pass, nullptr);
  EXPECT_EQ(pass->record_count, 1u) << "joints that no fit uses";
  EXPECT_EQ(pass->stage + 1, result.character->stage_count);
}

// A skin without weights, and vertices far from everything.
TEST(LinearFit, TakesVerticesWithoutWeightsAndOutOfReach) {
  Model model = make_model();
  model.meshes[0].weights = {};
  model.meshes[0].positions[3] = {4, 500, -200};
  model.meshes[0].positions[7] = {-1000, 0, 0};
  const Character character = fitted(bound(model, test::by_cage())).character;
  const CharacterMesh& mesh = test::mesh_of(character, "tube");
  EXPECT_TRUE(validate(fit_rows(mesh), character->palette_size, "fit"));
  EXPECT_TRUE(std::isfinite(mesh.fit->worst));
  // In the rest pose all M are the identity, whatever the weights.
  const auto rest = test::bind_matrices(model);
  const Positions kept = positions(character, rest, Detail::kLinearFit);
  for (std::size_t v = 0; v < kept.size(); ++v) {
    EXPECT_LT(glm::distance(kept[v], model.meshes[0].positions[v]), 1e-6f * (10 + glm::length(kept[v]))) << v;
  }
}

TEST(LinearFit, TakesSkinsOfAnySize) {
  for (const std::size_t count : {1u, 31u, 32u, 33u, 65u}) {
    const Model model = test::make_cloud(count);
    const Character character = fitted(bound(model, DualQuaternionParameters{}, "*"), kQuick).character;
    EXPECT_EQ(fit_rows(character->meshes[0]).row_count(), count);
  }
}

TEST(LinearFit, TakesEveryDeformer) {
  for (const test::Deformer& deformer : test::deformers()) {
    SCOPED_TRACE(deformer.name);
    Model model = make_model();
    Mesh cage = model.meshes.back();
    model.meshes.pop_back();
    const test::Subject subject = test::make_subject(deformer, std::move(model), std::move(cage));
    const Result<Bound> result = bind(subject.model, subject.rig, {.linear_fit = kQuick});
    ASSERT_TRUE(result) << result.error().message;
    const Character& character = result->character;
    for (std::size_t m = 0; m < character->meshes.size(); ++m) {
      const CharacterMesh& mesh = character->meshes[m];
      ASSERT_EQ(mesh.fit.has_value(), !mesh.control);
      ASSERT_EQ(result->report.meshes[m].linear_fit.has_value(), !mesh.control);
      if (mesh.fit) {
        EXPECT_LE(mesh.fit->rms, mesh.fit->worst);
      }
    }
    const auto bytes = serialize(character);
    const Result<Character> read = deserialize(bytes, "x.pelt");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(serialize(*read) == bytes);
  }
}

TEST(LinearFit, DoesNotDependOnThreads) {
  const Character character = bound(make_model(), test::by_cage());
  const auto alone = serialize(fitted(character, {.random_poses = 4, .threads = 1}).character);
  EXPECT_TRUE(serialize(fitted(character, {.random_poses = 4, .threads = 3}).character) == alone);
  EXPECT_FALSE(serialize(fitted(character, {.random_poses = 4, .seed = 2}).character) == alone)
      << "the seed is not used";
}

TEST(LinearFit, ReplacesTheOneThatWasThere) {
  const Character once = fitted(bound(make_model(), test::by_cage()), kQuick).character;
  EXPECT_TRUE(serialize(fitted(once, kQuick).character) == serialize(once));
}

TEST(LinearFit, ChangesNothingElse) {
  const Character plain = bound(make_model(), test::by_cage());
  CharacterData data = *fitted(plain, kQuick).character;
  data.drop_fits();
  const Result<Character> dropped = Character::create(data);
  ASSERT_TRUE(dropped) << dropped.error().message;
  EXPECT_TRUE(serialize(*dropped) == serialize(plain));
}

TEST(LinearFit, OfAMovedDriverIsGone) {
  const Character character = fitted(bound(make_model(), test::by_cage()), kQuick).character;
  const std::vector<VertexOffset> offsets{{0, {0, 0.1f, 0}}};
  const Result<Character> moved = move_driver_vertices(character, "cage", offsets);
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_EQ((*moved)->fit_pass(), nullptr);
  EXPECT_FALSE(test::mesh_of(*moved, "tube").fit);
  EXPECT_TRUE(fit_linear_blend(*moved, kQuick));
}

TEST(LinearFit, TellsOfStreamedDrivers) {
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.driver.follow = Follow::kStreamed;
  const Result<Bound> result = bind(make_model(), test::rig_of(parameters, "tube"), {.linear_fit = kQuick});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->report.notes, testing::Contains(HasSubstr("does not follow streamed drivers")));
}

// ---------------------------------------------------------------------------------------------------------- evaluation

TEST(LinearFit, TheEvaluatorChangesBetweenThem) {
  const Character character = fitted(bound(make_model(), test::by_cage()), kQuick).character;
  const auto pose = held_out(character->skeleton).front();
  Evaluator evaluator(character);
  evaluator.pose(pose);
  const auto run = [&](Detail detail) {
    evaluator.set_detail(detail);
    evaluator.evaluate();
    return Positions(evaluator.positions().begin(), evaluator.positions().end());
  };
  const Positions full = run(Detail::kFull);
  const Positions fit = run(Detail::kLinearFit);
  EXPECT_NE(fit, full);
  const CharacterMesh& mesh = test::mesh_of(character, "tube");
  for (std::uint32_t v = mesh.first_vertex; v < mesh.first_vertex + mesh.vertex_count(); ++v) {
    ASSERT_NEAR(glm::length(evaluator.normals()[v]), 1, 1e-4f);
    ASSERT_NEAR(glm::dot(glm::vec3(evaluator.tangents()[v]), evaluator.normals()[v]), 0, 1e-4f);
  }
  EXPECT_EQ(run(Detail::kLinearFit), fit);
  EXPECT_EQ(run(Detail::kFull), full);
  EXPECT_EQ(positions(character, pose, Detail::kFull),
            positions(bound(make_model(), test::by_cage()), pose, Detail::kFull));
}

TEST(LinearFit, IsBlendedByScalarsWhereBitsMustBeTheSameEverywhere) {
  const Character character = fitted(bound(make_model(), test::by_cage()), kQuick).character;
  Evaluator evaluator(character, {.normals = false, .same_everywhere = true});
  evaluator.pose(held_out(character->skeleton).front());
  evaluator.set_detail(Detail::kLinearFit);
  evaluator.evaluate();
  const CharacterMesh& mesh = test::mesh_of(character, "tube");
  const PackedBinding fit = fit_binding(mesh);
  Positions expected(mesh.vertex_count());
  blend_linear_by_scalars(fit, rest_shape(fit), {0, slice_count(fit)},
                          evaluator.palette().subspan(mesh.fit->first_slot), {.positions = expected.data()});
  const auto blended = evaluator.positions().subspan(mesh.first_vertex, mesh.vertex_count());
  EXPECT_EQ(Positions(blended.begin(), blended.end()), expected);
}

// -------------------------------------------------------------------------------------------------------------- errors

TEST(LinearFit, RefusesOptionsOutOfRange) {
  const Character character = bound(make_model(), LinearBlendParameters{});
  const auto error = [&](const LinearFitOptions& options) {
    const Result<LinearFitted> result = fit_linear_blend(character, options);
    EXPECT_FALSE(result);
    if (result) return std::string("fitted");
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    return result.error().message;
  };
  EXPECT_THAT(error({.influences = 0}), HasSubstr("0 joints a vertex are not 1 to 8"));
  EXPECT_THAT(error({.influences = 9}), HasSubstr("9 joints a vertex are not 1 to 8"));
  EXPECT_THAT(error({.clip_poses = 0, .random_poses = 0}), HasSubstr("0 sample poses are not 1 to 1024"));
  EXPECT_THAT(error({.clip_poses = 0xFFFFFFFF, .random_poses = 2}), HasSubstr("4294967297 sample poses"));
  EXPECT_THAT(error({.cone = 4}), HasSubstr("by 4 radians"));
  EXPECT_THAT(error({.cone = std::numeric_limits<float>::quiet_NaN()}), HasSubstr("by nan radians"));
}

TEST(LinearFit, RefusesACharacterWithoutJoints) {
  Model model = make_model();
  model.name = "statue";
  model.skeleton = {};
  model.bound_joints.clear();
  for (Mesh& mesh : model.meshes) mesh.weights = {};
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.driver.follow = Follow::kStreamed;
  const Result<Bound> result = bind(model, test::rig_of(parameters, "tube"), {.linear_fit = kQuick});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(result.error().message, "'statue' has no joints, which a linear-blend fit could follow");
}

TEST(LinearFit, NamesAVertexThatIsMovedToInfinity) {
  Model model = test::make_tube({.around = 10, .along = 24, .joints = 5});
  const float huge = kMaxCoordinate;
  model.clips = {{"burst", 1, {}, {}}};
  for (std::uint32_t joint = 0; joint < 5; ++joint) {
    model.clips[0].channels.push_back({joint, ChannelPath::kScale, Interpolation::kStep, {0}, {huge, huge, huge}});
  }
  const Result<LinearFitted> result = fit_linear_blend(bound(model, LinearBlendParameters{}), kQuick);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(result.error().message, HasSubstr("mesh 'tube': vertex "));
}

// ----------------------------------------------------------------------------------------------------- broken
// characters

const CharacterData& whole() {
  static const CharacterData data = [] {
    Model model = make_model();
    model.meshes.push_back(model.meshes[0]);
    model.meshes.back().name = "second";
    Rig rig = test::rig_of(test::by_cage(), "tube");
    return *fitted(test::bound(model, rig).character, kQuick).character;
  }();
  return data;
}

CharacterMesh& skin(CharacterData& data) {
  return *std::find_if(data.meshes.begin(), data.meshes.end(), [](const CharacterMesh& mesh) { return !mesh.control; });
}
CharacterMesh& control(CharacterData& data) {
  return *std::find_if(data.meshes.begin(), data.meshes.end(), [](const CharacterMesh& mesh) { return mesh.control; });
}
PalettePass& fit_pass(CharacterData& data) {
  return *std::find_if(data.passes.begin(), data.passes.end(), [](const PalettePass& pass) { return pass.fit; });
}

class LinearFitFault : public testing::TestWithParam<test::Fault> {};

TEST_P(LinearFitFault, IsRefused) { test::expect_refused(GetParam(), whole()); }

const test::Fault kLinearFitFaults[] = {
    {"OneSkinHasNone", [](CharacterData& d) { skin(d).fit.reset(); }, "has no linear-blend fit, but others have"},
    {"ControlMeshHasOne", [](CharacterData& d) { control(d).fit = skin(d).fit; }, "'cage' has a linear-blend fit"},
    {"PassIsNotMarked", [](CharacterData& d) { fit_pass(d).fit = false; }, "no palette pass poses its joints"},
    {"OtherPassIsMarked", [](CharacterData& d) { d.passes[0].fit = true; }, "linear-blend fits"},
    {"OtherKernel",
     [](CharacterData& d) {
       PalettePass& pass = fit_pass(d);
       d.palette_size += pass.record_count;
       pass.kernel = PoseKernel::kDualQuaternion;
     },
     "poses no joints"},
    {"EarlierStage", [](CharacterData& d) { fit_pass(d).stage = 0; }, "not in the last stage"},
    {"StartsBefore", [](CharacterData& d) { skin(d).fit->first_slot = 0; }, "starts at palette entry 0"},
    {"StartsBehind", [](CharacterData& d) { skin(d).fit->first_slot = d.palette_size + 1; }, "starts at palette entry"},
    {"StartsTooLate", [](CharacterData& d) { skin(d).fit->first_slot = d.palette_size; }, "fit of mesh 'tube'"},
    {"ElementBehindThePalette", [](CharacterData& d) { skin(d).fit->influences[0] |= 0xFFFFu; }, "fit of mesh 'tube'"},
    {"WeightsDoNotSum", [](CharacterData& d) { skin(d).fit->influences[0] ^= 0x10000u; }, "fit of mesh 'tube'"},
    {"NoSlices", [](CharacterData& d) { skin(d).fit->slices.clear(); }, "fit of mesh 'tube'"},
    {"SlicesDescend", [](CharacterData& d) { skin(d).fit->slices[1] = 0xFFFFFFFFu; }, "fit of mesh 'tube'"},
    {"InfluencesAreCutOff", [](CharacterData& d) { skin(d).fit->influences.pop_back(); }, "fit of mesh 'tube'"},
    {"ErrorIsNegative", [](CharacterData& d) { skin(d).fit->rms = -1; }, "has errors of -1 m"},
    {"ErrorIsNotFinite", [](CharacterData& d) { skin(d).fit->worst = std::numeric_limits<float>::infinity(); },
     "at most inf m"},
    {"ErrorIsNan", [](CharacterData& d) { skin(d).fit->rms = std::nanf(""); }, "has errors of"},
    {"MeanAboveTheLargest", [](CharacterData& d) { skin(d).fit->rms = skin(d).fit->worst * 2 + 1; }, "has errors of"},
    {"AnotherBindingReadsItsJoints",
     [](CharacterData& d) {
       CharacterMesh& mesh = skin(d);
       mesh.first_slot = fit_pass(d).first_slot;
       for (std::uint32_t& word : mesh.binding.influences) word &= 0xFFFF0000u;
     },
     "does not hold what its blend mode reads"},
};

INSTANTIATE_TEST_SUITE_P(All, LinearFitFault, testing::ValuesIn(kLinearFitFaults),
                         [](const testing::TestParamInfo<test::Fault>& fault) { return fault.param.name; });

}  // namespace
}  // namespace pelt
