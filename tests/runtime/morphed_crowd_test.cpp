// SPDX-License-Identifier: MIT
// Tests crowds whose skins have morph targets.
#include <cmath>

#include <pelt/evaluate.h>
#include <pelt/runtime/buffer.h>

#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/crowds.h"
#include "tests/support/morphs.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

// A tube whose skin has morph targets, bound by each kind of blend.
class MorphedCrowds : public Crowds {
 protected:
  static constexpr std::uint32_t kTargets = 14;

  void SetUp() override {
    Crowds::SetUp();
    test::add_morph_targets(model_.meshes[0], kTargets);
    for (const char* deformer : {"linear_blend", "dual_quaternion", "surface_ffd"}) {
      characters_.push_back(test::bound_by(model_, deformer));
    }
    Result<GpuCharacters> gpu = upload(*gpu_device(), characters_);
    ASSERT_TRUE(gpu) << gpu.error().message;
    gpu_.emplace(std::move(*gpu));
  }

  // Returns the inputs of frame `number`: other targets each time, with weights from -1 to 1.
  static std::vector<float> weights(const Character& character, std::size_t number) {
    std::vector<float> inputs(character->input_count);
    rest_inputs(*character, inputs);
    for (std::uint32_t t = static_cast<std::uint32_t>(number % 3); t < kTargets; t += 3) {
      const std::optional<std::uint32_t> control = character->find_control("tube/target" + std::to_string(t));
      EXPECT_TRUE(control) << t;
      if (control) inputs[character->controls[*control].input] = std::sin(static_cast<float>(3 * number + t));
    }
    return inputs;
  }

  // Returns where the CPU moves the skin.
  std::vector<glm::vec3> wanted(const Character& character, std::size_t number, Detail detail = Detail::kFull) const {
    Evaluator evaluator(character);
    evaluator.set_detail(detail);
    evaluator.pose(bent_joints());
    evaluator.inputs(weights(character, number));
    evaluator.evaluate();
    return part_of(evaluator.positions(), test::mesh_of(character, "tube"));
  }

  Crowd make(CrowdOptions options) {
    options.instances = {1, 1, 1};
    Result<Crowd> crowd = Crowd::create(*gpu_device(), *gpu_, options);
    EXPECT_TRUE(crowd) << crowd.error().message;
    for (std::uint32_t i = 0; i < 3; ++i) crowd->pose(i, bent_joints());
    return std::move(*crowd);
  }
  static void expect_near(const std::vector<glm::vec3>& wanted, const std::vector<glm::vec3>& got,
                          const Character& character, const char* what) {
    EXPECT_LT(worst_distance(wanted, glm::mat4(1), got), 2e-5f * character.size()) << what;
  }

  std::vector<Character> characters_;
  std::optional<GpuCharacters> gpu_;
};

TEST_F(MorphedCrowds, AreWithinTheirBoundsAndRememberWhereTheyWere) {
  CrowdOptions options{.frames_in_flight = 1};
  options.outputs.bounds = true;
  options.outputs.previous_positions.format = VertexFormat::kFloat;
  Crowd crowd = make(options);
  for (std::size_t frame = 0; frame < 3; ++frame) {
    for (std::uint32_t i = 0; i < 3; ++i) crowd.inputs(i, weights(characters_[i], frame));
    ASSERT_TRUE(run(*gpu_device(), crowd));
    for (std::uint32_t i = 0; i < 3; ++i) {
      const Character& character = characters_[i];
      const Result<InstanceVertices> vertices = read_vertices(*gpu_device(), crowd, i);
      const Result<Box> box = read_bounds(*gpu_device(), crowd, i);
      ASSERT_TRUE(vertices && box);
      expect_near(wanted(character, frame), vertices->positions, character, "now");
      expect_near(wanted(character, frame == 0 ? 0 : frame - 1), vertices->previous_positions, character, "before");
      for (const glm::vec3& p : vertices->positions) {
        ASSERT_TRUE(glm::all(glm::lessThanEqual(box->least, p + 1e-5f)));
        ASSERT_TRUE(glm::all(glm::greaterThanEqual(box->greatest, p - 1e-5f)));
      }
    }
  }
}

// The weights are in a buffer of a simulation's, one instance after the other.
TEST_F(MorphedCrowds, ReadWeightsOfTheCallers) {
  std::vector<float> inputs;
  for (const Character& character : characters_) {
    const std::vector<float> values = weights(character, 1);
    inputs.insert(inputs.end(), values.begin(), values.end());
  }
  const Buffer buffer = filled_buffer(inputs);
  Crowd crowd = make({.inputs = {buffer.handle()}});
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (std::uint32_t i = 0; i < 3; ++i) {
    expect_near(wanted(characters_[i], 1), positions(crowd, i), characters_[i], "by the buffer");
  }
}

TEST_F(MorphedCrowds, AreMorphedWhereLinearBlendMovesThem) {
  Crowd crowd = make({.frames_in_flight = 1});
  for (std::uint32_t i = 0; i < 3; ++i) {
    crowd.inputs(i, weights(characters_[i], 2));
    crowd.detail(i, Detail::kLinearBlend);
  }
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (std::uint32_t i = 0; i < 3; ++i) {
    expect_near(wanted(characters_[i], 2, Detail::kLinearBlend), positions(crowd, i), characters_[i], "linear blend");
  }
}

}  // namespace
}  // namespace pelt::runtime
