// SPDX-License-Identifier: MIT
// Tests crowds that show levels of detail of their skins.
#include <algorithm>
#include <optional>
#include <string>

#include <pelt/evaluate.h>

#include "tests/runtime/crowds.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

// A tube with levels 1 and 3, and another mesh without.
class LevelledCrowds : public Crowds {
 protected:
  void SetUp() override {
    Crowds::SetUp();
    Model model = test::make_tube({.around = 16, .along = 32});
    for (const std::uint32_t level : {1u, 3u}) {
      MeshLevel made{0, level, test::make_tube_mesh({.around = 16 - 2 * level, .along = 24 - 4 * level})};
      made.mesh.name = "tube_LOD" + std::to_string(level);
      model.levels.push_back(std::move(made));
    }
    model.meshes.push_back(test::make_tube_mesh({.around = 5, .along = 7, .radius = 0.5f}));
    model.meshes.back().name = "inner";
    character_.emplace(test::bound_by(model, "dual_quaternion"));
    gpu_.emplace(upload_character(*character_));
  }
  // Returns the skins at a level as the CPU moves them, mesh after mesh.
  std::vector<glm::vec3> wanted(std::uint32_t level, std::size_t pose) const {
    Evaluator evaluator(character_->at_level(level));
    evaluator.pose(joints(pose));
    evaluator.evaluate();
    return {evaluator.positions().begin(), evaluator.positions().end()};
  }
  std::vector<glm::mat4> joints(std::size_t pose) const { return moved(bent_joints(), motion(pose)); }
  // Returns the largest distance of the crowd's vertices at a level from the expected ones.
  float off(const Crowd& crowd, std::uint32_t level, std::size_t pose) {
    return std::max(off_level(crowd, level, pose, false), off_inner(crowd, pose, false));
  }
  // The same of previous positions; those of the mesh without levels are of another pose.
  float off_before(const Crowd& crowd, std::uint32_t level, std::size_t pose, std::size_t inner_pose) {
    return std::max(off_level(crowd, level, pose, true), off_inner(crowd, inner_pose, true));
  }
  float off_inner(const Crowd& crowd, std::size_t pose, bool previous) {
    const std::uint32_t count = (*character_)->meshes[1].vertex_count();
    const std::vector<glm::vec3> expected = wanted(0, pose);
    return off_mesh(crowd, crowd.member(0)->mesh_vertices[1], std::span(expected).last(count), previous);
  }
  float off_level(const Crowd& crowd, std::uint32_t level, std::size_t pose, bool previous) {
    std::uint32_t first = crowd.member(0)->mesh_vertices[0];
    std::uint32_t count = (*character_)->meshes[0].vertex_count();
    for (std::uint32_t l = 0; l < (*character_)->levels.size(); ++l) {
      if ((*character_)->levels[l].level > level) continue;
      first = crowd.member(0)->level_vertices[l];
      count = (*character_)->levels[l].skin.vertex_count();
    }
    return off_mesh(crowd, first, std::span<const glm::vec3>(wanted(level, pose)).first(count), previous);
  }
  float off_mesh(const Crowd& crowd, std::uint32_t first, std::span<const glm::vec3> expected, bool previous) {
    const InstanceVertices all = test::must(read_vertices(*gpu_device(), crowd, 0));
    const std::span<const glm::vec3> got = previous ? all.previous_positions : all.positions;
    return test::farthest(expected, got.subspan(first, expected.size())) / character_->size();
  }
  Crowd make(CrowdOptions options = {}) {
    options.outputs.previous_positions.format = VertexFormat::kFloat;
    return test::must(Crowd::create(*gpu_device(), *gpu_, options));
  }
  void frame(Crowd& crowd, CrowdLists& lists, std::size_t pose) {
    crowd.pose(0, joints(pose));
    ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
  }

  static constexpr float kNear = 1e-5f;
  std::optional<Character> character_;
  std::optional<GpuCharacters> gpu_;
};

TEST_F(LevelledCrowds, MoveBothLevelsWhileTheyFade) {
  for (const std::uint32_t slots : {1u, 2u}) {
    CrowdOptions options;
    options.outputs.slots = slots;
    Crowd crowd = make(options);
    CrowdLists lists(1);
    for (std::size_t pose = 0; pose < slots; ++pose) frame(crowd, lists, pose);
    lists.level(0, 3, 2);
    std::vector<float> shares;
    for (std::size_t pose = slots; pose < 6; ++pose) {
      frame(crowd, lists, pose);
      const ShownLevels shown = lists.shown_levels(0);
      shares.push_back(shown.share);
      EXPECT_LT(off(crowd, 3, pose), kNear) << pose;
      EXPECT_EQ(off_level(crowd, 0, pose, false) < kNear, shown.from == 0) << pose;
      EXPECT_EQ(shown.to, 3u);
      EXPECT_LT(off_before(crowd, 3, pose == slots ? pose : pose - 1, pose - 1), kNear) << pose;
      if (shown.from == 0) {
        EXPECT_LT(off_level(crowd, 0, pose - 1, true), kNear) << "the level that stays has its motion";
      }
      EXPECT_EQ(crowd.previous_frame(0, crowd.member(0)->level_vertices[1]), pose - (pose == slots ? 0 : 1));
    }
    ASSERT_GE(shares.size(), 3u);
    EXPECT_NEAR(shares[0], 1.0f / 3, 1e-5f);
    EXPECT_NEAR(shares[1], 2.0f / 3, 1e-5f);
    EXPECT_EQ(shares[2], 1.0f);
  }
}

// The last of several requested levels between two frames counts, and the fade starts from the level shown before.
TEST(ListedLevels, FadeToTheLastThatIsAskedFor) {
  CrowdLists lists(1);
  lists.next();
  lists.level(0, 1, 2);
  lists.level(0, 3, 2);
  lists.next();
  EXPECT_EQ(lists.shown_levels(0).from, 0u);
  EXPECT_EQ(lists.shown_levels(0).to, 3u);

  // A fade continues from its weight, whatever is requested and withdrawn meanwhile.
  for (const std::uint32_t last : {3u, 0u}) {
    CrowdLists fades(1);
    fades.next();
    fades.level(0, 3, 9);
    for (int frame = 0; frame < 4; ++frame) fades.next();
    fades.level(0, 1, 9);
    fades.level(0, last, 9);
    fades.next();
    EXPECT_EQ(fades.shown_levels(0).from, 3 - last);
    EXPECT_EQ(fades.shown_levels(0).to, last);
    EXPECT_NEAR(fades.shown_levels(0).share, last == 3 ? 0.5f : 0.7f, 1e-5f);
  }
}

TEST_F(LevelledCrowds, ChangeTheLevelOfWhoStandsStill) {
  Crowd crowd = make();
  CrowdLists lists(1);
  frame(crowd, lists, 4);
  lists.update_every(0, 0);
  lists.level(0, 1);
  ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
  EXPECT_LT(off(crowd, 1, 4), kNear);
}

}  // namespace
}  // namespace pelt::runtime
