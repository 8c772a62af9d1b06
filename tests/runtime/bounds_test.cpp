// SPDX-License-Identifier: MIT
// Measures the boxes of instances: they hold the skin, and are little longer than it.
#include <fmt/format.h>

#include <filesystem>
#include <random>

#include <pelt/builtin.h>
#include <pelt/import.h>
#include <pelt/pose.h>
#include <pelt/rig.h>
#include <pelt/tools/clip_poses.h>
#include <pelt/tools/sample_poses.h>

#include "tests/engine/character/evaluate/query/posed_skins.h"
#include "tests/runtime/crowds.h"
#include "tests/support/deformer_list.h"
#include "tests/support/graded.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

constexpr float kLongest = 1.5f;  // diagonal of the box relative to the skin's, as docs/outputs.md promises
constexpr float kLongestTurned = 2.5f;

struct Measured {
  float ratio = 0;   // the largest diagonal of a box in parts of the skin's
  float beyond = 0;  // the farthest that a vertex is outside of its box, metres
};

class BoundsMeter {
 public:
  BoundsMeter(const Character& character, Detail detail) : gpu_(test::must(upload(*gpu_device(), character))) {
    CrowdOptions options{.instances = {1}};
    options.outputs.bounds = true;
    crowd_.emplace(test::must(Crowd::create(*gpu_device(), gpu_, options)));
    if (detail == Detail::kLinearBlend) entry_.state = shared::kEntryLinearBlend;
  }

  Measured measure(std::span<const glm::mat4> joints, std::span<const float> inputs) {
    crowd_->pose(0, joints);
    crowd_->inputs(0, inputs);
    EXPECT_TRUE(run(*gpu_device(), *crowd_, std::span(&entry_, 1)));
    const InstanceVertices vertices = test::must(read_vertices(*gpu_device(), *crowd_, 0));
    const Box box = test::must(read_bounds(*gpu_device(), *crowd_, 0));
    Box tight{glm::vec3(INFINITY), glm::vec3(-INFINITY)};
    for (const glm::vec3& p : vertices.positions) {
      tight.least = glm::min(tight.least, p);
      tight.greatest = glm::max(tight.greatest, p);
    }
    const glm::vec3 beyond = glm::max(box.least - tight.least, tight.greatest - box.greatest);
    return {glm::distance(box.least, box.greatest) / glm::distance(tight.least, tight.greatest),
            std::max({beyond.x, beyond.y, beyond.z})};
  }

 private:
  GpuCharacters gpu_;
  std::optional<Crowd> crowd_;
  shared::ListEntry entry_{};
};

// Measures a character at rest, in frames of its clips and in poses of single joints. Fails the test if a vertex is
// outside, and prints the ratios. Boxes of dual quaternions contain all blends of turns, and may be kLongestTurned.
float longest(const std::string& name, const Character& character, std::span<const CheckPose> turns, Detail detail) {
  BoundsMeter meter(character, detail);
  std::vector<glm::mat4> joints(character->skeleton.joints.size());
  rest_matrices(character->skeleton, joints);
  float ratios[3] = {};
  const auto add = [&](float& ratio, const Measured& measured) {
    EXPECT_LE(measured.beyond, 0) << name;
    ratio = std::max(ratio, measured.ratio);
  };
  add(ratios[0], meter.measure(joints, test::inputs_at_rest(*character)));
  PosePlayer player(*character);
  const auto play = [&](float& ratio, std::span<const CheckPose> poses) {
    for (const CheckPose& pose : poses) {
      player.pose(pose);
      add(ratio, meter.measure(player.joints(), player.inputs()));
    }
  };
  play(ratios[1], clip_poses(*character));
  play(ratios[2], turns);
  fmt::print("{:60} at rest {:.2f}, clips {:.2f}, joints turned {:.2f}\n", name, ratios[0], ratios[1], ratios[2]);
  if (name.find("dual_quaternion") != std::string::npos) ratios[2] *= kLongest / kLongestTurned;
  return std::max({ratios[0], ratios[1], ratios[2]});
}

// Measures a model by every deformer, with and without falling back to linear blend.
float longest_of_all(const std::string& name, const Model& model) {
  const std::vector<CheckPose> turns = sample_poses(test::bound_with(model, "linear_blend").character);
  float most = 0;
  for (const std::string_view deformer : deformer_names()) {
    const std::string title = fmt::format("{} by {}", name, deformer);
    const Character checked = test::bound_with(model, std::string(deformer)).character;
    most = std::max(most, longest(title, checked, turns, Detail::kFull));
    if (deformer == "mos") most = std::max(most, longest(title + ", far", checked, turns, Detail::kLinearBlend));
    if (deformer == "linear_blend") continue;
    const Character alone = test::bound_by(model, std::string(deformer));
    most = std::max(most, longest(title + ", without linear blend", alone, turns, Detail::kFull));
  }
  return most;
}

TEST(Bounds, AreAtMostHalfLongerThanTheBiped) {
  PELT_REQUIRE_GPU(gpu_device());
  EXPECT_LE(longest_of_all("builtin:biped", make_biped()), kLongest);
}

TEST(Bounds, AreAtMostHalfLongerThanCharactersFromFiles) {
  PELT_REQUIRE_SHARED();
  PELT_REQUIRE_GPU(gpu_device());
  for (const char* name : {"mannequiny-0.3.0.glb", "Knight.glb", "CesiumMan.glb"}) {
    const std::filesystem::path file = *test::shared_folder() / "assets/characters" / name;
    EXPECT_LE(longest_of_all(name, test::must(import_gltf(file))), kLongest);
  }
}

// Whatever the pose: motions on no common side, stretches, negative shares, drivers that are torn.
void expect_inside(const std::string& name, const Character& character, int poses) {
  std::mt19937 random(7);
  std::vector<float> inputs = test::inputs_at_rest(*character);
  BoundsMeter meter(character, Detail::kFull);
  for (int i = 0; i < poses; ++i) {
    for (const Control& control : character->controls) {
      if (control.kind == ControlKind::kMorphTarget) inputs[control.input] = 0.4f * static_cast<float>(i % 4) - 0.3f;
    }
    const Measured measured = meter.measure(test::random_pose(character->skeleton, random, 3.3f, 0.3f), inputs);
    EXPECT_LE(measured.beyond, 0) << name << ", pose " << i << ": box " << measured.ratio << " times as long";
  }
}

TEST(Bounds, HoldTheSkinInWildPoses) {
  PELT_REQUIRE_GPU(gpu_device());
  for (const test::Graded kind : {test::Graded::kSkin, test::Graded::kWires, test::Graded::kOffsets})
    expect_inside(fmt::format("graded {}", static_cast<int>(kind)), test::make_graded(300, kind), 20);
  expect_inside("biped by dual quaternions", test::bound_by(make_biped(), "dual_quaternion"), 20);
  expect_inside("a face", test::bound_with(make_biped(), "linear_blend").character, 8);
  const Model tube = test::make_tube({.around = 12, .along = 33, .joints = 4});
  for (const test::Deformer& deformer : test::deformers()) {
    const test::Subject subject = test::make_subject(deformer, tube, test::make_tube({.joints = 4}).meshes[0]);
    expect_inside(deformer.name, test::must(bind(subject.model, subject.rig)).character, 8);
  }
}

// A tube whose vertices all have the same weights: nothing of it stays with one joint, so that what motions blend to
// decides how long the box must be.
TEST(Bounds, HoldWhatDualQuaternionsBlendTo) {
  PELT_REQUIRE_GPU(gpu_device());
  const std::vector<std::vector<float>> rows = {{0.5f, 0.5f},       {0.8f, 0.2f},         {0.34f, 0.33f, 0.33f},
                                                {0.6f, 0.2f, 0.2f}, {0.4f, 0.35f, 0.25f}, {0.28f, 0.24f, 0.24f, 0.24f}};
  std::mt19937 random(11);
  std::uniform_real_distribution<float> number(-1, 1);
  for (const std::vector<float>& row : rows) {
    Model model = test::make_tube({.joints = static_cast<std::uint32_t>(row.size())});
    for (Mesh& mesh : model.meshes) {
      mesh.weights = SparseRows();
      for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
        for (std::uint32_t j = 0; j < row.size(); ++j) mesh.weights.influences.push_back({j, row[j]});
        mesh.weights.offsets.push_back(static_cast<std::uint32_t>(mesh.weights.influences.size()));
      }
    }
    const Character character = test::bound_by(model, "dual_quaternion");
    BoundsMeter meter(character, Detail::kFull);
    for (int pose = 0; pose < 60; ++pose) {
      std::vector<glm::mat4> joints = test::bind_matrices(model);
      for (std::size_t j = 1; j < joints.size(); ++j) {
        const glm::vec3 axis = pose % 2 == 0 ? glm::vec3(0, 0, 1) : glm::vec3(number(random), number(random), 1);
        const float turn =
            pose % 2 == 0 ? 0.11f * static_cast<float>(pose) * static_cast<float>(j) : 3.3f * number(random);
        joints[j] = glm::rotate(glm::mat4(1), turn, glm::normalize(axis)) * joints[j];
      }
      const Measured measured = meter.measure(joints, test::inputs_at_rest(*character));
      EXPECT_LE(measured.beyond, 0) << row.size() << " joints, the first by " << row[0] << ", pose " << pose << ": box "
                                    << measured.ratio << " times as long";
    }
  }
}

}  // namespace
}  // namespace pelt::runtime
