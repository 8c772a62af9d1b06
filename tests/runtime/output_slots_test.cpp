// SPDX-License-Identifier: MIT
// Tests crowds whose outputs have several slots. Random crowds (random_crowd_test.cpp) show the same with any number.
#include <cmath>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/transfer.h>

#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/crowds.h"
#include "tests/support/morphs.h"
#include "tests/support/swinging.h"

namespace pelt::runtime {
namespace {

using testing::HasSubstr;

using test::gpu_device;

// Characters of every kind of state that lasts: a detail to change to, morph targets, masses that swing.
class OutputSlots : public Crowds {
 protected:
  void SetUp() override {
    Crowds::SetUp();
    Model morphed = model_;
    test::add_morph_targets(morphed.meshes[0], 5);
    characters_.push_back(test::bound_by(morphed, "surface_ffd"));
    characters_.push_back(test::bound_with(model_, "dual-quaternion").character);
    characters_.push_back(test::swinging_tube());
    gpu_.emplace(test::must(upload(*gpu_device(), characters_)));
  }

  static CrowdOptions options_of(std::uint32_t slots) {
    CrowdOptions options{.instances = {3, 18, 2}, .frames_in_flight = 1};
    options.outputs.previous_positions.format = VertexFormat::kFloat;
    options.outputs.bounds = true;
    options.outputs.slots = slots;
    return options;
  }

  Crowd make(const CrowdOptions& options) { return test::must(Crowd::create(*gpu_device(), *gpu_, options)); }

  // Sets a pose and different inputs of all instances.
  void pose(Crowd& crowd, std::size_t frame) const {
    for (std::uint32_t i = 0; i < crowd.instance_count(); ++i) {
      std::vector<glm::mat4> joints = bind_joints_;
      joints.back() = joints.back() * glm::rotate(glm::mat4(1), 0.1f * static_cast<float>(frame), glm::vec3(0, 0, 1));
      crowd.pose(i, moved(joints, motion(i + frame)));
      const CharacterData& data = *characters_[crowd.instance(i)->character];
      for (std::uint32_t c = 0; c < data.controls.size(); ++c)
        crowd.inputs(i, std::vector{std::sin(static_cast<float>(frame + c + i))}, data.controls[c].input);
    }
    crowd.advance(1.0f / 60);
  }

  struct Instance {
    InstanceVertices vertices;
    Box box;
  };
  static Instance read(const Crowd& crowd, std::uint32_t i) {
    return {test::must(read_vertices(*gpu_device(), crowd, i)), test::must(read_bounds(*gpu_device(), crowd, i))};
  }
  static void expect_equal(const Instance& got, const Instance& expected, const std::string& which) {
    EXPECT_EQ(got.vertices.positions, expected.vertices.positions) << which;
    EXPECT_EQ(got.vertices.previous_positions, expected.vertices.previous_positions) << which;
    EXPECT_EQ(got.vertices.normals, expected.vertices.normals) << which;
    EXPECT_EQ(got.vertices.tangents, expected.vertices.tangents) << which;
    EXPECT_EQ(got.box.least, expected.box.least) << which;
    EXPECT_EQ(got.box.greatest, expected.box.greatest) << which;
  }

  std::vector<Character> characters_;
  std::optional<GpuCharacters> gpu_;
};

TEST_F(OutputSlots, AreRefusedWhereTheyContradictEachOther) {
  const auto place = [](std::uintptr_t number, VkDeviceSize offset) {
    return BufferLocation{reinterpret_cast<VkBuffer>(number), offset};
  };
  const auto refused = [&](const auto& change, const char* why) {
    CrowdOptions options = options_of(2);
    change(options.outputs);
    expect_refused(*gpu_, options, why);
  };
  refused([](CrowdOutputs& o) { o.slots = 0; }, "outputs have 1 to 3 slots, not 0");
  refused([](CrowdOutputs& o) { o.slots = 4; }, "outputs have 1 to 3 slots, not 4");
  refused([](CrowdOutputs& o) { o.previous_positions.format = VertexFormat::kNone, o.control_meshes = true; },
          "with control meshes must have a single output slot");
  refused([](CrowdOutputs& o) { o.previous_positions.stride = 12; }, "leave out their location and stride");
  refused([&](CrowdOutputs& o) { o.previous_positions.location = place(1, 0); }, "leave out their location");
  refused([&](CrowdOutputs& o) { o.positions.location = place(1, 0); },
          "positions must be in buffers of the caller's in both");
  refused([&](CrowdOutputs& o) { o.slot_locations[0].normals = place(1, 0); },
          "normals must be in buffers of the caller's in");
  refused([&](CrowdOutputs& o) { o.bounds_location = place(1, 0), o.slot_locations[0].bounds = place(1, 6); },
          "bounds of slot 1 are at offset 6, which is not a multiple of 4");
  refused(
      [&](CrowdOutputs& o) {
        o.slots = 3;
        o.positions.location = place(1, 0);
        o.slot_locations[0].positions = place(1, 1 << 20);
        o.slot_locations[1].positions = place(1, 1 << 20);
      },
      "positions of slots 1 and 2 have the same location");
}

// Every slot is a range of its own, in the crowd's buffer and in buffers of the caller's, and a frame writes no other
// slot than its own.
TEST_F(OutputSlots, AreWrittenByTheirFramesOnly) {
  CrowdOptions options = options_of(3);
  Crowd standard = make(options);
  std::vector<Buffer> buffers;
  const std::uint32_t last = standard.instance_count() - 1;
  const VkDeviceSize vertices = standard.instance(last)->first_vertex + standard.instance(last)->vertex_count;
  for (int b = 0; b < 2; ++b) {
    buffers.push_back(callers_buffer(2 * (64 * vertices + 4096)));
    fill(buffers.back(), std::vector(buffers.back().size(), std::byte{0x5A}));
  }
  // Slots 0 and 2 in one buffer, slot 1 in another; the normals' pair of words is at an even word in slot 0 only.
  const auto places = [&](std::uint32_t slot) {
    const Buffer& buffer = buffers[slot % 2];
    const VkDeviceSize first = slot / 2 * (64 * vertices + 4096) + (slot == 0 ? 0 : 4);
    return SlotLocations{rest_of(buffer, first), rest_of(buffer, first + 16), rest_of(buffer, first + 20),
                         rest_of(buffer, first + 48 * vertices)};
  };
  CrowdOptions theirs = options;
  theirs.outputs.positions = {VertexFormat::kFloat, places(0).positions, 24};
  theirs.outputs.normals = {VertexFormat::kOctahedral16, places(0).normals, 24};
  theirs.outputs.tangents = {VertexFormat::kOctahedral16, places(0).tangents, 24};
  theirs.outputs.bounds_location = places(0).bounds;
  for (std::uint32_t slot = 1; slot < 3; ++slot) theirs.outputs.slot_locations[slot - 1] = places(slot);
  Crowd crowd = make(theirs);
  const auto bytes_of = [](VkBuffer buffer, VkDeviceSize size) {
    return test::must(read_buffer(*gpu_device(), buffer, 0, size));
  };
  const VkBuffer outputs = standard.outputs().positions.buffer;
  const VkDeviceSize slot_bytes = standard.outputs(1).positions.offset - standard.outputs(0).positions.offset;
  std::vector<std::byte> before = bytes_of(outputs, standard.bytes().outputs);
  std::vector<std::vector<std::byte>> theirs_before{bytes_of(buffers[0].handle(), buffers[0].size()),
                                                    bytes_of(buffers[1].handle(), buffers[1].size())};
  for (std::size_t frame = 0; frame < 7; ++frame) {
    for (Crowd* one : {&standard, &crowd}) {
      pose(*one, frame);
      ASSERT_TRUE(run(*gpu_device(), *one));
      EXPECT_EQ(one->frames(), frame + 1);
      EXPECT_EQ(&one->outputs(), &one->outputs(frame % 3));
    }
    for (std::uint32_t i = 0; i < standard.instance_count(); ++i)
      expect_equal(read(crowd, i), read(standard, i), "frame " + std::to_string(frame));
    const std::vector<std::byte> after = bytes_of(outputs, standard.bytes().outputs);
    for (std::size_t at = 0; at < after.size(); ++at)
      ASSERT_TRUE(after[at] == before[at] || at / slot_bytes == frame % 3) << "frame " << frame << ", byte " << at;
    before = after;
    for (std::size_t b = 0; b < 2; ++b) {
      const std::vector<std::byte> now = bytes_of(buffers[b].handle(), buffers[b].size());
      const SlotLocations slot = places(static_cast<std::uint32_t>(frame % 3));
      for (std::size_t at = 0; at < now.size(); ++at) {
        if (now[at] == theirs_before[b][at]) continue;
        ASSERT_EQ(buffers[b].handle(), slot.positions.buffer) << "frame " << frame;
        const VkDeviceSize from = at - slot.positions.offset;
        const bool vertex = from < 24 * vertices && (from % 24 < 12 || from % 24 >= 16);
        const bool box = at >= slot.bounds.offset && at < slot.bounds.offset + 24 * standard.instance_count();
        ASSERT_TRUE(vertex || box) << "frame " << frame << ", byte " << at;
      }
      theirs_before[b] = now;
    }
  }
}

TEST_F(OutputSlots, TakeAsMuchMemoryEach) {
  CrowdOptions options = options_of(1);
  options.outputs.previous_positions.format = VertexFormat::kNone;
  const Crowd one = make(options);
  std::uint64_t vertices = 0;
  for (std::uint32_t i = 0; i < one.instance_count(); ++i) vertices += one.instance(i)->vertex_count;
  const std::uint64_t least = 20 * vertices + 24 * one.instance_count();
  EXPECT_GE(one.bytes().outputs, least);
  EXPECT_LT(one.bytes().outputs, least + 3 * 128);
  EXPECT_EQ(one.bytes().total(), one.bytes().outputs + one.bytes().palettes + one.bytes().inputs + one.bytes().plans);
  for (std::uint32_t slots = 2; slots <= 3; ++slots) {
    options.outputs.slots = slots;
    const Crowd crowd = make(options);
    EXPECT_GE(crowd.bytes().outputs, slots * least);
    EXPECT_LT(crowd.bytes().outputs, slots * (least + 3 * 128));
    EXPECT_EQ(crowd.bytes().palettes, one.bytes().palettes);
    options.outputs.previous_positions.format = VertexFormat::kFloat;
    EXPECT_EQ(make(options).bytes().outputs, crowd.bytes().outputs);
    options.outputs.previous_positions.format = VertexFormat::kNone;
  }
}

// Reads that are not ordered before the next frame: validation reports a hazard if that frame writes the same slot, and
// none if it writes another.
TEST_F(OutputSlots, LetAFrameBeComputedWhileTheOneBeforeIsRead) {
  struct Case {
    std::uint32_t slots;
    bool reads_previous;
    bool hazard;
  };
  std::vector<std::string> messages;
  DeviceOptions device_options = test::validated_options();
  device_options.on_validation_message = [&](const std::string& message) { messages.push_back(message); };
  const Device device = test::must(Device::create(device_options));
  const GpuCharacters gpu = test::must(upload(device, characters_));
  const Buffer target = test::must(
      Buffer::create(device, {.size = 1024, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT, .name = "read by a copy"}));
  for (const Case& one : {Case{1, false, true}, Case{2, false, false}, Case{2, true, true}, Case{3, true, false}}) {
    CrowdOptions options = options_of(one.slots);
    options.frames_in_flight = 4;
    options.outputs.bounds = false;
    if (one.slots == 1) options.outputs.previous_positions.format = VertexFormat::kNone;
    Crowd crowd = test::must(Crowd::create(device, gpu, options));
    ASSERT_TRUE(submit_and_wait(device, "frames", [&](VkCommandBuffer commands) {
      for (VkDeviceSize frame = 0; frame < 4; ++frame) {
        pose(crowd, frame);
        crowd.record(commands);
        if (frame != 2) continue;
        const auto read_by_copy = [&](const OutputLocation& place, VkDeviceSize to) {
          memory_barrier(device.functions(), commands, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                         VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_PIPELINE_STAGE_2_COPY_BIT,
                         VK_ACCESS_2_TRANSFER_READ_BIT);
          const VkBufferCopy copy{place.offset, to, 512};
          device.functions().vkCmdCopyBuffer(commands, place.buffer, target.handle(), 1, &copy);
        };
        read_by_copy(crowd.outputs().positions, 0);
        if (one.reads_previous) read_by_copy(crowd.outputs().previous_positions, 512);
      }
    }));
    EXPECT_EQ(!messages.empty(), one.hazard)
        << one.slots << (one.reads_previous ? " with" : " without")
        << " previous positions: " << (messages.empty() ? "no message" : messages.front());
    for (const std::string& message : messages) EXPECT_THAT(message, HasSubstr("WRITE_AFTER_READ"));
    messages.clear();
  }
}

}  // namespace
}  // namespace pelt::runtime
