// SPDX-License-Identifier: MIT
// Tests the skin at bind, and that it moves as a whole with all joints.
#include <algorithm>

#include <pelt/builtin.h>
#include <pelt/clip_twists.h>
#include <pelt/finite.h>
#include <pelt/import.h>
#include <pelt/mos_presets.h>
#include <pelt/pose.h>

#include "tests/engine/authoring/mos/bound_skin.h"
#include "tests/support/clip_joints.h"
#include "tests/support/must.h"
#include "tests/support/shared_files.h"

namespace pelt::mos {
namespace {

TEST(MosBind, ReturnsTheSkinAtBind) {
  for (const Model& model : {make_limb(), make_tail(), make_biped()}) expect_identity(model, by_mos());
  for (const MosKernel kernel : {MosKernel::kGaussian, MosKernel::kBiharmonic}) {
    expect_identity(test::make_tube({.joints = 4}), by_mos([&](MosParameters& p) {
                      p.strategy = MosStrategy::kRadialBasis;
                      p.kernel = kernel;
                    }));
  }
}

// Moves all joints as one and expects the positions, normals and tangents of the model, moved.
void expect_moved_whole(const Model& model, const Character& character, const glm::mat4& motion) {
  std::vector<glm::mat4> joints = joints_at_bind(model);
  for (glm::mat4& joint : joints) joint = motion * joint;
  Evaluator evaluator(character);
  evaluator.pose(joints);
  evaluator.evaluate();
  const CharacterMesh& mesh = character->meshes[0];
  const Mesh& rest = model.meshes[0];
  const glm::mat3 turn(motion);
  constexpr float kStoredDirection = 2e-4f;  // octahedral, 16 bits; weights to 1 / 65535
  for (std::uint32_t i = 0; i < mesh.vertex_count(); ++i) {
    const std::uint32_t p = mesh.first_vertex + i;
    const std::uint32_t v = mesh.source_vertex[i];
    ASSERT_LT(glm::distance(evaluator.positions()[p], glm::vec3(motion * glm::vec4(rest.positions[v], 1))), 1e-5f) << v;
    ASSERT_LT(glm::distance(evaluator.normals()[p], turn * rest.normals[v]), kStoredDirection) << v;
    ASSERT_LT(glm::distance(glm::vec3(evaluator.tangents()[p]), turn * glm::vec3(rest.tangents[v])), kStoredDirection)
        << v;
    ASSERT_EQ(evaluator.tangents()[p].w, rest.tangents[v].w) << v;
  }
}

TEST(MosBind, DirectionsAreTheModelsAtBindAndTurnWithIt) {
  const Model model = turned_tube();
  const glm::mat4 motion =
      glm::rotate(glm::translate(glm::mat4(1), glm::vec3(1, -2, 3)), 2.0f, glm::normalize(glm::vec3(-1, 1, 3)));
  for (const MosStrategy strategy :
       {MosStrategy::kBSpline, MosStrategy::kInverseDistance, MosStrategy::kRadialBasis, MosStrategy::kCatmullClark}) {
    for (const MosFrames frames : {MosFrames::kRelative, MosFrames::kJoint}) {
      for (const bool edited : {false, true}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(strategy) << ' ' << static_cast<int>(frames) << edited);
        const Bound bound = test::bound(model, by_mos([&](MosParameters& p) {
                                          p.strategy = strategy;
                                          p.frames = frames;
                                          if (strategy == MosStrategy::kCatmullClark) p.cage = "cage";
                                          if (edited)
                                            p.edits = {{.operation = MosOperation::kScale, .scale = {1, 2, 0.7f}}};
                                        }));
        expect_moved_whole(model, bound.character, glm::mat4(1));
        expect_moved_whole(model, bound.character, motion);
      }
    }
  }
}

TEST(MosBind, ReturnsTheSkinOfPresetsAtBind) {
  const std::pair<const char*, Model> cases[] = {{"limb", make_limb()}, {"biped", make_biped()}};
  for (const auto& [preset, model] : cases) {
    const Rig rig = test::must(rig_from_preset(preset, model));
    expect_identity(model, rig);
  }
}

TEST(MosBind, MovesEveryCharacterFile) {
  PELT_REQUIRE_SHARED();
  for (const auto& file : test::character_files()) {
    SCOPED_TRACE(file.filename().string());
    const Model model = test::must(import_gltf(file));
    const Character character = test::bound(model, by_mos()).character;
    EXPECT_LE(worst_at_bind(model, character), kRounding);
    Evaluator evaluator(character);
    std::vector<float> inputs(character->input_count);
    for (const Clip& clip : model.clips) {
      const ClipTwists twists(*character, clip);
      for (const float part : {0.2f, 0.6f, 0.9f}) {
        twists.sample(part * clip.duration, inputs);
        evaluator.pose(test::clip_joints(model.skeleton, &clip, part * clip.duration));
        evaluator.inputs(inputs);
        evaluator.evaluate();
        const bool finite = std::ranges::all_of(evaluator.positions(), [](glm::vec3 p) { return is_finite(p); }) &&
                            std::ranges::all_of(evaluator.normals(), [](glm::vec3 n) { return is_finite(n); });
        ASSERT_TRUE(finite) << clip.name << ' ' << part;
      }
    }
  }
}

}  // namespace
}  // namespace pelt::mos
