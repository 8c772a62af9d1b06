// SPDX-License-Identifier: MIT
// Every deformer, on every character: the shaders against engine/ (tests/support/compare_gpu_cpu.h).
#include <gtest/gtest.h>

#include <glm/gtc/matrix_transform.hpp>

#include <pelt/builtin.h>
#include <pelt/curve_skeleton.h>
#include <pelt/dual_quaternion.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/import.h>
#include <pelt/linear_blend.h>
#include <pelt/mos.h>
#include <pelt/move_driver.h>
#include <pelt/pose.h>
#include <pelt/surface_ffd.h>

#include "tests/support/clip_joints.h"
#include "tests/support/compare_gpu_cpu.h"
#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/gpu.h"
#include "tests/support/graded.h"
#include "tests/support/morphs.h"
#include "tests/support/must.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using test::Directions;
using test::discrete_device;
using test::expect_gpu_equals_cpu;
using test::gpu_device;

using Poses = std::vector<std::vector<glm::mat4>>;

// Every pose kernel and blend mode, on skins and on drivers with skins.
std::vector<std::pair<const char*, Rig>> deformers() {
  SurfaceFfdParameters basic{.mode = SurfaceFfdParameters::Mode::kBasic};
  SurfaceFfdParameters linear_driver;
  linear_driver.driver.follow = Follow::kLinearBlend;
  return {{"linear blend", test::rig_of(LinearBlendParameters{})},
          {"dual quaternion", test::rig_of(DualQuaternionParameters{})},
          {"surface FFD, extended", test::rig_of(SurfaceFfdParameters{})},
          {"surface FFD, extended, linear driver", test::rig_of(linear_driver)},
          {"surface FFD, basic", test::rig_of(basic)}};
}

// Returns the bind pose, and `count - 1` poses at times spread over every clip in turn.
Poses clip_poses(const CharacterData& data, std::size_t count) {
  Poses poses;
  for (std::size_t i = 0; i < count; ++i) {
    const Clip* clip = i > 0 && !data.clips.empty() ? &data.clips[i % data.clips.size()] : nullptr;
    const float share = static_cast<float>(i) / static_cast<float>(count);
    poses.push_back(test::clip_joints(data.skeleton, clip, clip == nullptr ? 0 : clip->duration * share));
  }
  return poses;
}

// Returns poses with every joint turned in its parent, by a different angle for each joint and pose.
Poses bent_poses(const CharacterData& data, std::size_t count) {
  std::vector<Transform> local(data.skeleton.joints.size());
  Poses poses;
  for (std::size_t i = 0; i < count; ++i) {
    rest_pose(data.skeleton, local);
    for (std::size_t j = 0; j < local.size(); ++j) {
      const float angle = 0.9f * std::sin(1.7f * static_cast<float>(i) + 0.8f * static_cast<float>(j));
      const glm::vec3 axis = glm::normalize(glm::vec3(0.3f, 0.5f, 1.0f + 0.1f * static_cast<float>(i)));
      local[j].rotation = local[j].rotation * glm::angleAxis(angle, axis);
    }
    poses.emplace_back(local.size());
    model_matrices(data.skeleton, local, poses.back());
  }
  return poses;
}

void expect_all_deformers(const runtime::Device& device, const Model& model,
                          const std::function<Poses(const CharacterData&)>& poses) {
  for (const auto& [name, rig] : deformers()) {
    const Character character = test::bound(model, rig).character;
    expect_gpu_equals_cpu(device, character, poses(*character), model.name + ", " + name);
  }
}

// Binds a tube by one of the property suite's deformers; a wider tube drives it if the deformer needs a driver. There
// are drivers of all kinds, with streams and controls of their own for each instance.
Character bind_tube(const test::Deformer& deformer, const test::TubeOptions& tube, const test::TubeOptions& cage) {
  const test::Subject subject = test::make_subject(deformer, tube, cage);
  return test::bound(subject.model, subject.rig).character;
}

constexpr test::TubeOptions kTube{.around = 12, .along = 33, .joints = 4};
constexpr test::TubeOptions kCage{.around = 8, .along = 24, .radius = 1.1f, .joints = 4};

// Compares a tube that is bound likewise by each of them, in five poses of its skeleton. `change`: of model and rig.
void expect_tubes_equal_cpu(const Model& tube, const std::function<void(test::Subject&)>& change) {
  PELT_REQUIRE_GPU(gpu_device());
  for (const test::Deformer& deformer : test::deformers()) {
    test::Subject subject = test::make_subject(deformer, tube, test::make_tube_mesh(kCage));
    change(subject);
    const Character character = test::bound(subject.model, subject.rig).character;
    const Character shown = character.at_level(character->coarsest_level());
    expect_gpu_equals_cpu(*gpu_device(), shown, bent_poses({.skeleton = tube.skeleton}, 5), deformer.name);
  }
}

TEST(GpuCpu, OnSizesThatDoNotDivide) {
  PELT_REQUIRE_GPU(gpu_device());
  for (const std::size_t vertices : {1, 31, 32, 33, 63, 64, 65, 1234}) {
    for (const DeformerParameters& parameters :
         {DeformerParameters(LinearBlendParameters{}), DeformerParameters(DualQuaternionParameters{})}) {
      const Character character = test::bound(test::make_cloud(vertices), test::rig_of(parameters)).character;
      for (const std::size_t instances : {1, 3, 17}) {
        expect_gpu_equals_cpu(*gpu_device(), character, bent_poses(*character, instances),
                              std::to_string(vertices) + " vertices, " + std::to_string(instances) + " instances");
      }
    }
  }
}

TEST(GpuCpu, OnGradients) {
  PELT_REQUIRE_GPU(gpu_device());
  for (const test::Graded kind : test::kGraded) {
    for (const std::size_t vertices : {1, 31, 32, 33, 65, 1234}) {
      const Character character = test::make_graded(vertices, kind);
      expect_gpu_equals_cpu(*gpu_device(), character, bent_poses(*character, 3),
                            std::to_string(vertices) + " vertices, kind " + std::to_string(static_cast<int>(kind)));
    }
  }
}

TEST(GpuCpu, OnACharacterWithoutVertices) {
  PELT_REQUIRE_GPU(gpu_device());
  CharacterData data = *test::bound(test::make_cloud(3), test::rig_of(LinearBlendParameters{})).character;
  data.meshes[0].binding = {.slices = {0}};
  data.meshes[0].source_vertex.clear();
  data.meshes[0].painted.reset();
  const Character character = test::must(Character::create(data));
  expect_gpu_equals_cpu(*gpu_device(), character, bent_poses(*character, 3), "no vertices");
}

TEST(GpuCpu, InEveryConfiguration) {
  expect_tubes_equal_cpu(test::make_tube(kTube), [](test::Subject&) {});
}

// Anchors of a chain, one more than the joints here, are posed in blocks of eight. The tube is thinner than its bones
// are long: the inside of a bend would have no area, and no normal.
TEST(GpuCpu, OnChainsOfSeveralBlocks) {
  PELT_REQUIRE_GPU(gpu_device());
  CurveSkeletonParameters swollen;
  swollen.frames = CurveFrames::kTangent;
  swollen.bulge = {.across = 0.3f, .along = -0.2f};
  for (const DeformerParameters& parameters : {DeformerParameters(CurveSkeletonParameters{}),
                                               DeformerParameters(swollen), DeformerParameters(MosParameters{})}) {
    for (const std::uint32_t joints : {7u, 8u, 9u, 17u}) {
      const Model tube = test::make_tube({.around = 6, .along = 34, .radius = 0.4f, .length = 16, .joints = joints});
      const Character character = test::bound(tube, test::rig_of(parameters)).character;
      expect_gpu_equals_cpu(*gpu_device(), character, bent_poses(*character, 3), std::to_string(joints) + " joints");
    }
  }
}

// A stiff bone takes no part of the bend at the eased joint at its end, though a joint beyond reaches into it.
TEST(GpuCpu, OnStiffBonesBesideBendyOnes) {
  PELT_REQUIRE_GPU(gpu_device());
  CurveSkeletonParameters parameters;
  parameters.bulge.volume = 1;
  parameters.bones = {{"joint0", "", {}, true, BendyBone{.segments = 1}},
                      {"joint1", "", {}, true, BendyBone{.segments = 8, .ease_in = 0.7f}}};
  parameters.joints = {{.joint = "joint2", .float_distance = {{0, 1}, {90, 2}}}};
  const Model tube = test::make_tube({.around = 4, .along = 500, .radius = 2, .length = 16, .joints = 4});
  const Character character = test::bound(tube, test::rig_of(parameters)).character;
  expect_gpu_equals_cpu(*gpu_device(), character, bent_poses(*character, 3), "stiff");
}

TEST(GpuCpu, OnCorrectives) {
  Model tube = test::make_tube(kTube);
  test::add_morph_targets(tube.meshes[0], 3);
  expect_tubes_equal_cpu(tube, [](test::Subject& subject) {
    for (const KeyInterpolation interpolation : {KeyInterpolation::kLinear, KeyInterpolation::kRbf}) {
      const KeyPoseSet keys{{{"joint1", {0, 0, 1}}}, interpolation, {{{40}, "target1", {{5, {0, 0.1f, 0}}}}}};
      subject.rig.correctives.push_back({subject.model.meshes[0].name, keys});
    }
  });
}

// Targets have weights of their own and by expressions.
TEST(GpuCpu, OnMorphTargetsAndExpressions) {
  Model tube = test::make_tube(kTube);
  test::add_morph_targets(tube.meshes[0], 14);
  const std::string& name = tube.meshes[0].name;
  tube.expressions = {{"happy", false, {{name, 0, 0.5f}, {name, 12, 1.0f}}},
                      {"angry", true, {{name, 12, 0.75f}, {name, 13, 0.25f}}},
                      {"blink", true, {{name, 1, 1.0f}}}};
  expect_tubes_equal_cpu(tube, [](test::Subject&) {});
}

TEST(GpuCpu, OnLevelsOfDetail) {
  Model tube = test::make_tube(kTube);
  tube.levels = {{0, 2, test::make_tube_mesh({.around = 10, .along = 12})}};
  tube.levels[0].mesh.name = "coarse";
  test::add_morph_targets(tube.meshes[0], 2);
  test::add_morph_targets(tube.levels[0].mesh, 2);
  expect_tubes_equal_cpu(tube, [](test::Subject&) {});
}

// The poses are those of a game that knows nothing of helper joints.
TEST(GpuCpu, OnHelperJoints) {
  Model tube = test::make_tube(kTube);
  tube.skeleton.joints.push_back({.name = "source", .parent = 0});
  expect_tubes_equal_cpu(tube, [](test::Subject& subject) {
    subject.rig.helper_joints = {{.joint = "joint1", .source = "source", .twist = 0.5f, .swing = 0.5f}};
  });
}

// Vertices of a driver are moved in a bound character: palettes have grown, and there is one more kind of key.
TEST(GpuCpu, OnDriversThatAreMoved) {
  PELT_REQUIRE_GPU(gpu_device());
  for (const test::Deformer& deformer : test::deformers()) {
    const Character bound = bind_tube(deformer, kTube, kCage);
    Character character = bound;
    for (const CharacterMesh& mesh : bound->meshes) {
      const std::vector<VertexOffset> offsets{{1, {0.1f, 0, 0.2f}}, {mesh.vertex_count() / 2, {0, -0.4f, 0}}};
      if (!mesh.control || mesh.vertex_count() < 4 || bound->find_stream(mesh.name)) continue;
      character = test::must(move_driver_vertices(character, mesh.name, offsets));
    }
    if (character->palette_size == bound->palette_size) continue;  // it has no driver
    expect_gpu_equals_cpu(*gpu_device(), character, bent_poses(*character, 5), deformer.name);
  }
}

// If the blended frame has no usable rank, the rule of shaders/blend/blend.h decides; nothing may become NaN. Edges of
// drivers are at last as short as the rounding of their ends.
TEST(GpuCpu, InEveryConfigurationWithCollapsedJoints) {
  PELT_REQUIRE_GPU(gpu_device());
  for (const test::Deformer& deformer : test::deformers()) {
    const Character character = bind_tube(deformer, {}, {.radius = 1.1f});
    const auto expect_equal = [&](const std::vector<glm::vec3>& scales, Directions directions) {
      Poses poses;
      for (const glm::vec3 scale : scales) {
        poses.push_back(bent_poses(*character, 2)[1]);
        poses.back()[1] = glm::scale(poses.back()[1], scale);
      }
      expect_gpu_equals_cpu(*gpu_device(), character, poses, deformer.name, directions);
    };
    const auto is_estimated = [](const PalettePass& pass) {
      return pass.kernel == PoseKernel::kVertexFrame || pass.kernel == PoseKernel::kPatchFrame ||
             pass.kernel == PoseKernel::kTangentFrame;
    };
    const bool estimated = std::any_of(character->passes.begin(), character->passes.end(), is_estimated);
    expect_equal({{-1, 1, 1}, {1, 0, 1}, {0, 0, 1}, {0, 0, 0}, glm::vec3(5e-4f)},
                 estimated ? Directions::kFlattened : Directions::kUnit);
    expect_equal({glm::vec3(1e-12f), {1e12f, 1e-12f, 1}}, Directions::kFlattened);
  }
}

// Angles of half a turn have two signs, of which both sides take the same one. Linear blend collapses drivers there.
TEST(GpuCpu, InEveryConfigurationAfterHalfTurns) {
  PELT_REQUIRE_GPU(gpu_device());
  const Model tube = test::make_tube();
  for (const test::Deformer& deformer : test::deformers()) {
    const Character character = bind_tube(deformer, {}, {.radius = 1.1f});
    Poses poses;
    for (const glm::vec3 axis : {glm::vec3(1, -1, -1), glm::vec3(-1, 1, -1), glm::vec3(-1, -1, 1)}) {
      poses.push_back(test::bind_matrices(tube));
      poses.back()[1] = glm::scale(poses.back()[1], axis);
    }
    expect_gpu_equals_cpu(*gpu_device(), character, poses, deformer.name, Directions::kFlattened);
  }
}

TEST(GpuCpu, OnTwistsAlongBones) {
  PELT_REQUIRE_GPU(gpu_device());
  const Model arm = test::make_forearm();
  SurfaceFfdParameters ffd;
  ffd.driver.twist = Twist::kSpread;
  for (const DeformerParameters& deformer :
       {DeformerParameters(ffd), DeformerParameters(LinearBlendParameters{.twist = Twist::kSpread}),
        DeformerParameters(HierarchicalBsplineParameters{})}) {
    const Character character = test::bound(arm, test::rig_of(deformer)).character;
    expect_gpu_equals_cpu(*gpu_device(), character, bent_poses(*character, 5), std::string(deformer.name()));
  }
}

TEST(GpuCpu, OnATailOnADiscreteCard) {
  PELT_REQUIRE_GPU(discrete_device());
  expect_all_deformers(*discrete_device(), make_tail(), [](const CharacterData& data) { return bent_poses(data, 3); });
}

TEST(GpuCpu, OnTheBiped) {
  PELT_REQUIRE_GPU(gpu_device());
  expect_all_deformers(*gpu_device(), make_biped(), [](const CharacterData& data) { return clip_poses(data, 3); });
}

TEST(GpuCpu, OnEveryCharacterFile) {
  PELT_REQUIRE_SHARED();
  PELT_REQUIRE_GPU(gpu_device());
  for (const auto& file : test::character_files()) {
    const Model model = test::must(import_gltf(file));
    expect_all_deformers(*gpu_device(), model, [](const CharacterData& data) { return clip_poses(data, 3); });
  }
}

}  // namespace
}  // namespace pelt
