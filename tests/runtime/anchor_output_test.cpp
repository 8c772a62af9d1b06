// SPDX-License-Identifier: MIT
// Crowds write the frames of anchors.
#include <random>
#include <string>

#include <pelt/anchor.h>

#include "tests/engine/character/evaluate/query/posed_skins.h"
#include "tests/runtime/crowds.h"
#include "tests/support/compare_gpu_cpu.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;
using test::must;

// Returns the character with anchors at random: on triangles, then at vertices, of its skins in turn.
Character anchored(const Character& character, std::uint32_t count = 80) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> share(0, 1);
  std::vector<SkinAnchor> anchors;
  for (std::uint32_t m = 0; anchors.size() < count; m = m + 1 < character->meshes.size() ? m + 1 : 0) {
    const CharacterMesh& mesh = character->meshes[m];
    for (int i = 0; !mesh.control && i < 20; ++i) {
      const float x = share(random), y = share(random) * (1 - x);
      const auto t = static_cast<std::uint32_t>(random() % mesh.triangles.size());
      const auto v = static_cast<std::uint32_t>(random() % mesh.vertex_count());
      const Anchor made = must(i % 2 == 0 ? Anchor::at_point(character, {m, t, {x, y, 1 - x - y}})
                                          : Anchor::at_vertex(character, m, v));
      anchors.push_back(made.with_name("anchor " + std::to_string(anchors.size())));
    }
  }
  return must(with_anchors(character, std::move(anchors)));
}

class AnchorOutputs : public Crowds {
 protected:
  static std::vector<shared::Affine> frames(const Crowd& crowd, std::uint32_t instance) {
    return must(read_anchors(*gpu_device(), crowd, instance));
  }
  // Compares the frames of an instance with those of an evaluator in the same pose.
  static void expect_frames(const Crowd& crowd, std::uint32_t instance, const Evaluator& evaluator, float tolerance) {
    const Character& character = evaluator.character();
    const std::vector<shared::Affine> got = frames(crowd, instance);
    ASSERT_EQ(got.size(), character->anchors.size());
    for (std::size_t a = 0; a < got.size(); ++a) {
      const Affine wanted = must(Anchor::named(character, character->anchors[a].name)).frame(evaluator);
      ASSERT_LT(glm::distance(affine_origin(got[a]), affine_origin(wanted)), tolerance) << a;
      for (int axis = 0; axis < 3; ++axis)
        ASSERT_LT(test::angle(affine_axes(got[a])[axis], affine_axes(wanted)[axis]), glm::radians(0.1f)) << a;
    }
  }
};

// Every deformer with morph targets, in two instances: as on the crowd's own skin, and as on the CPU.
TEST_F(AnchorOutputs, AreOnTheMovedSkinByEveryDeformer) {
  for (const auto& [name, bound] : test::every_skin()) {
    SCOPED_TRACE(name);
    const Character character = anchored(bound);
    const GpuCharacters gpu = upload_character(character);
    CrowdOptions options{.instances = {2}};
    options.outputs.anchors.format = VertexFormat::kFloat;
    Crowd crowd = make_crowd(gpu, options);
    std::vector<std::vector<glm::mat4>> poses;
    std::vector<Evaluator> evaluators;
    std::mt19937 random(3);
    for (std::uint32_t i = 0; i < 2; ++i) {
      Evaluator& evaluator = evaluators.emplace_back(character);
      poses.push_back(test::random_pose(character->skeleton, random, 0.6f));
      std::vector<float> inputs = test::inputs_at_rest(*character);
      for (const Control& control : character->controls)
        if (control.kind == ControlKind::kMorphTarget) inputs[control.input] = 0.4f;
      evaluator.pose(poses[i]);
      evaluator.inputs(inputs);
      evaluator.evaluate();
      crowd.pose(i, poses[i]);
      if (!inputs.empty()) crowd.inputs(i, inputs);
    }
    ASSERT_TRUE(run(*gpu_device(), crowd));
    for (std::uint32_t i = 0; i < 2; ++i) {
      const float size = test::SkinBox(evaluators[i]).rounding() / 1e-6f;
      expect_frames(crowd, i, evaluators[i], test::kPositionTolerance * size);
      const InstanceVertices skin = must(read_vertices(*gpu_device(), crowd, i));
      const std::vector<shared::Affine> got = frames(crowd, i);
      for (std::size_t a = 0; a < got.size(); ++a) {
        const SkinAnchor& anchor = character->anchors[a];
        glm::vec3 position(0);
        for (int c = 0; c < 3; ++c) {
          position +=
              anchor.shares[c] * skin.positions[character->meshes[anchor.mesh].first_vertex + anchor.vertices[c]];
        }
        ASSERT_LT(glm::distance(affine_origin(got[a]), position), 1e-6f * size) << a;
      }
    }
    if (HasFatalFailure()) return;
  }
}

// Without anchors a frame has the same dispatches and barriers; with them one more dispatch, and no barrier.
TEST_F(AnchorOutputs, CostCharactersWithoutAnchorsNothing) {
  const Character plain = test::bound_by(model_, "dual_quaternion");
  CrowdOptions options{.instances = {3}};
  options.outputs.bounds = true;
  const auto passes = [&](const Character& character, VertexFormat format) {
    const GpuCharacters gpu = upload_character(character);
    options.outputs.anchors.format = format;
    const Crowd crowd = must(Crowd::create(*gpu_device(), gpu, options));
    return std::pair(std::vector(crowd.passes().names.begin(), crowd.passes().names.end()), crowd.passes().barriers);
  };
  const auto without = passes(plain, VertexFormat::kNone);
  EXPECT_EQ(passes(plain, VertexFormat::kFloat), without);
  EXPECT_EQ(passes(anchored(plain), VertexFormat::kNone), without);
  auto with = without;
  with.first.push_back("anchors");
  EXPECT_EQ(passes(anchored(plain), VertexFormat::kFloat), with);
}

// Two characters with different numbers of anchors, two output slots, a coarser level, linear blend, a list of the
// second part, an instance that stays and one that comes later: frames are those of the finest level.
TEST_F(AnchorOutputs, FollowWhateverAFrameShows) {
  Model model = model_;
  model.levels.push_back({0, 1, test::make_tube_mesh({.around = 7, .along = 9})});
  model.levels[0].mesh.name = "coarse";
  const std::vector<Character> characters{anchored(test::bound_by(model, "surface_ffd"), 80),
                                          anchored(test::bound_by(model_, "dual_quaternion"), 20)};
  const GpuCharacters gpu = must(upload(*gpu_device(), characters));
  CrowdOptions options{.instances = {1, 2}};
  options.outputs.anchors.format = VertexFormat::kFloat;
  options.outputs.slots = 2;
  options.capacity = capacity_of(characters[0], 2, options.outputs);
  options.capacity += capacity_of(characters[1], 2, options.outputs);
  Crowd crowd = must(Crowd::create(*gpu_device(), gpu, options));
  const std::uint32_t later = must(crowd.acquire(0));
  const shared::ListEntry entries[] = {{0, shared::entry_levels(1, 1)}, {1, shared::kEntryLinearBlend}, {2, 0}, {3, 0}};
  const shared::ListEntry stays[] = {{0, 0}, {1, 0}, {2, shared::kEntryStay}, {later, 0}};
  for (std::uint32_t frame = 0; frame < 3; ++frame) {
    const std::uint32_t posed = frame == 0 ? 0 : 1;  // of the instance that stays
    for (std::uint32_t i = 0; i < 4; ++i) crowd.pose(i, moved(bent_joints(), motion(i == 2 ? posed : 7 * frame + i)));
    const auto& list = frame == 2 ? stays : entries;
    ASSERT_TRUE(run(*gpu_device(), crowd, std::span(list)));
    for (std::uint32_t i = 0; i < 4; ++i) {
      SCOPED_TRACE("frame " + std::to_string(frame) + ", instance " + std::to_string(i));
      const Character& character = characters[crowd.instance(i)->character];
      Evaluator evaluator(character);
      if (list[i].state == shared::kEntryLinearBlend) evaluator.set_detail(Detail::kLinearBlend);
      evaluator.pose(moved(bent_joints(), motion(i == 2 ? posed : 7 * frame + i)));
      evaluator.evaluate_controls();
      expect_frames(crowd, i, evaluator, 10 * test::kPositionTolerance);
    }
  }
}

}  // namespace
}  // namespace pelt::runtime
