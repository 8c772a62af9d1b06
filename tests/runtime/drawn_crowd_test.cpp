// SPDX-License-Identifier: MIT
// Tests frames in two parts, between which a list of drawn skins is written.
#include <gmock/gmock.h>

#include <map>
#include <string>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/transfer.h>

#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/crowds.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

// A list of what is shown, written between the parts of a frame.
class DrawnCrowds : public MixedCrowds {
 protected:
  void SetUp() override {
    MixedCrowds::SetUp();
    if (IsSkipped()) return;
    list_ = callers_buffer(1024);
  }
  CrowdOptions drawn_options() const {
    CrowdOptions options{.instances = {2, 2, 2}};
    options.outputs.bounds = true;
    options.outputs.previous_positions.format = VertexFormat::kFloat;
    options.drawn = rest_of(list_);
    return options;
  }
  void draw(Crowd& crowd, CrowdLists& lists, const std::vector<std::uint32_t>& instances) {
    std::vector<std::uint32_t> words{static_cast<std::uint32_t>(instances.size())};
    for (const std::uint32_t instance : instances) words.insert(words.end(), {instance, 0});
    fill(list_, words);
    ASSERT_TRUE(submit_and_wait(*gpu_device(), "two parts", [&](VkCommandBuffer commands) {
      crowd.record(commands, {.part = FramePart::kPose, .list = lists.next()});
      crowd.record(commands, {.part = FramePart::kBlend});
    }));
  }
  Buffer list_;
};

// With any number of slots, though instance 3 is posed once, and others are not drawn in every frame.
TEST_F(DrawnCrowds, MoveWhatIsListedAlone) {
  for (const std::uint32_t slots : {1u, 2u, 3u}) {
    CrowdOptions options = drawn_options();
    options.outputs.slots = slots;
    Crowd crowd = make(options);
    CrowdLists poses(crowd.instance_count());
    poses.update_every(3, 0);
    std::map<std::uint32_t, std::size_t> stands;  // the pose in which an instance was drawn last
    const std::vector<std::vector<std::uint32_t>> lists{{0, 3, 99}, {5, 3, 0}, {}, {0, 1, 2, 3, 4, 5}, {3, 0}, {3, 1}};
    std::map<std::uint32_t, std::size_t> drawn_in;
    for (std::size_t frame = 0; frame < lists.size(); ++frame) {
      SCOPED_TRACE(std::to_string(slots) + " slots, frame " + std::to_string(frame));
      pose_all(crowd, 10 * frame);
      draw(crowd, poses, lists[frame]);
      for (const std::uint32_t i : lists[frame]) {
        if (i > 5) continue;
        const std::size_t pose = i + (i == 3 ? 0 : 10 * frame);
        EXPECT_LT(off(crowd, i, pose), 1e-5f) << i;
        const bool before = drawn_in.contains(i) && drawn_in[i] + 1 == frame;
        const std::size_t previous = before ? stands[i] : pose;
        const Character& character = characters_[crowd.instance(i)->character];
        EXPECT_LT(worst_distance(rest_skin(character), motion(previous), read(crowd, i).previous_positions),
                  1e-5f * character.size())
            << i;
        stands[i] = pose;
        drawn_in[i] = frame;
      }
      for (const auto& [i, pose] : stands) {
        if (slots == 1) {
          EXPECT_LT(off(crowd, i, pose), 1e-5f) << i;
        }
      }
      for (std::uint32_t i = 0; i < 6; ++i) {
        const Box box = test::must(read_bounds(*gpu_device(), crowd, i));
        const glm::vec3 middle = motion(i + (i == 3 ? 0 : 10 * frame)) * glm::vec4(4, 0, 0, 1);
        EXPECT_LT(glm::distance(0.5f * (box.least + box.greatest), middle), 0.2f * characters_[0].size())
            << "the box is of this frame";
      }
    }
  }
}

TEST_F(DrawnCrowds, SayWhatTheirPartsUse) {
  const Crowd crowd = make(drawn_options());
  std::map<std::string, VkAccessFlags2> uses;
  for (const FramePart part : {FramePart::kPose, FramePart::kBlend}) {
    for (const BufferUse& use : crowd.uses(part)) {
      EXPECT_EQ(use.stages, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
      EXPECT_GT(use.size, 0u);
      EXPECT_NE(use.buffer, VK_NULL_HANDLE);
      EXPECT_TRUE(uses.emplace(use.name, use.access).second) << use.name;
    }
  }
  constexpr VkAccessFlags2 kRead = VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
  constexpr VkAccessFlags2 kWrite = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  const std::map<std::string, VkAccessFlags2> wanted{
      {"bounds", kWrite},  {"drawn list", kRead},          {"positions", kRead | kWrite},
      {"normals", kWrite}, {"previous positions", kWrite}, {"tangents", kWrite}};
  EXPECT_EQ(uses, wanted);
}

TEST_F(DrawnCrowds, RefuseLocationsThatCannotBeBound) {
  CrowdOptions options = drawn_options();
  options.drawn.offset = 1;
  EXPECT_THAT(Crowd::create(*gpu_device(), *gpu_, options).error().message, testing::HasSubstr("drawn list"));
}

}  // namespace
}  // namespace pelt::runtime
