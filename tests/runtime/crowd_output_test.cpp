// SPDX-License-Identifier: MIT
// Tests the outputs of crowds.

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/transfer.h>

#include "runtime/crowd_outputs.h"
#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/crowds.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

TEST_F(MixedCrowds, RefuseOutputsThatContradictEachOther) {
  CrowdOptions valid{.instances = {1, 1, 1}};
  ASSERT_TRUE(Crowd::create(*gpu_device(), *gpu_, valid));
  const auto refused = [&](const auto& change, const char* why) {
    CrowdOptions options = valid;
    change(options.outputs);
    expect_refused(*gpu_, options, why);
  };
  const auto refused_bounds = [&](VkDeviceSize offset, std::uint32_t stride, const char* why) {
    CrowdOptions options = valid;
    options.outputs.bounds = true;
    options.outputs.bounds_location.offset = offset;
    options.outputs.bounds_stride = stride;
    expect_refused(*gpu_, options, why);
  };
  refused([](CrowdOutputs& o) { o.positions.format = VertexFormat::kOctahedral16; },
          "positions must have the format kFloat");
  refused([](CrowdOutputs& o) { o.positions.stride = 8; }, "positions take 12 bytes, more than their stride of 8");
  refused([](CrowdOutputs& o) { o.normals.stride = 6; }, "multiples of 4");
  refused([](CrowdOutputs& o) { o.tangents.location.offset = 2; }, "multiples of 4");
  refused([](CrowdOutputs& o) { o.previous_positions.format = VertexFormat::kOctahedral16; },
          "must have the format kFloat");
  refused(
      [](CrowdOutputs& o) {
        o.positions.format = VertexFormat::kNone, o.previous_positions.format = VertexFormat::kFloat;
      },
      "previous positions need positions");
  refused([](CrowdOutputs& o) { o.tension.format = VertexFormat::kFloat; }, "tension must have the format kSnorm8");
  refused([](CrowdOutputs& o) { o.normals.format = VertexFormat::kSnorm8; },
          "normals must not have the format kSnorm8");
  refused([](CrowdOutputs& o) { o.tension.format = VertexFormat::kSnorm8; }, "without UploadOptions::tension");
  refused_bounds(6, 0, "bounds are at offset 6 with stride 0; both must be multiples of 4");
  refused_bounds(0, 30, "bounds are at offset 0 with stride 30; both must be multiples of 4");
  refused_bounds(0, 20, "bounds take 24 bytes, more than their stride of 20");
  refused([](CrowdOutputs& o) { o.previous_positions.format = VertexFormat::kFloat, o.control_meshes = true; },
          "previous positions cannot be combined with control meshes");
}

TEST_F(MixedCrowds, RememberPreviousPositions) {
  CrowdOptions options{.instances = {2, 2, 2}, .frames_in_flight = 1};
  options.outputs.previous_positions.format = VertexFormat::kFloat;
  Crowd crowd = make(options);
  CrowdLists lists(crowd.instance_count());
  const auto previous_off = [&](std::uint32_t i, std::size_t number) {
    const Character& character = characters_[crowd.instance(i)->character];
    return worst_distance(rest_skin(character), motion(number), read(crowd, i).previous_positions) / character.size();
  };
  pose_all(crowd, 0);
  ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT_LT(previous_off(i, i), 1e-5f) << "first frame, instance " << i;

  pose_all(crowd, 10);
  lists.teleport(1);
  lists.update_every(2, 0);
  lists.show(3, false);
  ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
  EXPECT_LT(previous_off(0, 0), 1e-5f);
  EXPECT_LT(previous_off(1, 11), 1e-5f) << "teleported";
  EXPECT_LT(previous_off(2, 2), 1e-5f) << "frozen";

  pose_all(crowd, 20);
  lists.show(3, true);
  lists.reset(4);
  ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
  EXPECT_LT(previous_off(0, 10), 1e-5f);
  EXPECT_LT(previous_off(1, 11), 1e-5f);
  EXPECT_LT(previous_off(2, 2), 1e-5f);
  EXPECT_LT(previous_off(3, 23), 1e-5f) << "shown again";
  EXPECT_LT(previous_off(4, 24), 1e-5f) << "another one has its number";

  lists.update_every(0, 0);
  ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
  EXPECT_LT(previous_off(0, 20), 1e-5f) << "stopped: its last step is a motion for one frame only";
}

// For any locations and strides of positions and previous positions; bytes in between stay unchanged.
TEST_F(MixedCrowds, RememberPreviousPositionsInEveryLayout) {
  CrowdOptions options{.instances = {3, 17, 2}, .frames_in_flight = 1};
  options.outputs.previous_positions.format = VertexFormat::kFloat;
  const auto frames = [&](Crowd& crowd) {
    std::vector<std::vector<glm::vec3>> written;
    CrowdLists lists(crowd.instance_count());
    for (std::size_t frame = 0; frame < 4; ++frame) {
      pose_all(crowd, 10 * frame);
      if (frame == 1) lists.teleport(1);
      if (frame == 2) lists.update_every(4, 0);
      EXPECT_TRUE(run(*gpu_device(), crowd, lists.next()));
      for (std::uint32_t i = 0; i < crowd.instance_count(); ++i) {
        written.push_back(read(crowd, i).positions);
        written.push_back(read(crowd, i).previous_positions);
      }
    }
    return written;
  };
  Crowd standard = make(options);
  const std::vector<std::vector<glm::vec3>> expected = frames(standard);
  const std::uint32_t last = standard.instance_count() - 1;
  const VkDeviceSize vertices = standard.instance(last)->first_vertex + standard.instance(last)->vertex_count;
  struct Layout {
    VkDeviceSize positions;  // bytes from the buffer's start
    std::uint32_t positions_stride;
    VkDeviceSize previous;
    std::uint32_t previous_stride;
  };
  for (const Layout& layout : {Layout{4, 12, 12 + 12 * vertices, 12},
                               {4, 12, 12 + 12 * vertices, 16},
                               {8, 28, 20, 28},
                               {8, 28, 8 + 28 * vertices, 12}}) {
    const Buffer buffer = callers_buffer(64 + 44 * vertices);
    fill(buffer, std::vector(buffer.size(), std::byte{0x5A}));
    CrowdOptions theirs = options;
    theirs.outputs.positions = {VertexFormat::kFloat, rest_of(buffer, layout.positions), layout.positions_stride};
    theirs.outputs.previous_positions = {VertexFormat::kFloat, rest_of(buffer, layout.previous),
                                         layout.previous_stride};
    Crowd crowd = make(theirs);
    CrowdLists lists(crowd.instance_count());
    EXPECT_EQ(frames(crowd), expected) << layout.positions_stride << ", " << layout.previous_stride;
    const auto bytes = test::must(read_buffer(*gpu_device(), buffer.handle(), 0, buffer.size()));
    const auto within = [&](std::size_t at, VkDeviceSize first, std::uint32_t stride) {
      return at >= first && at < first + stride * vertices && (at - first) % stride < 12;
    };
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      if (within(at, layout.positions, layout.positions_stride)) continue;
      if (within(at, layout.previous, layout.previous_stride)) continue;
      ASSERT_EQ(bytes[at], std::byte{0x5A}) << "byte " << at << ", stride " << layout.positions_stride;
    }
  }
}

// Whatever a device asks of the places of buffers, normals and tangents of 16 bits are written by one store, and
// positions by words.
TEST(CrowdOutputs, AreStoredWholeAtAnyAlignment) {
  for (const VkDeviceSize alignment : {4, 16, 64, 256}) {
    CrowdCapacity room{.instances = 1};
    for (room.vertices = 1; room.vertices < 70; ++room.vertices) {
      CrowdOutputs outputs;
      if (room.vertices % 4 == 0) outputs.previous_positions.format = VertexFormat::kFloat;
      const OutputLayout layout = lay_out(outputs, room, alignment);
      const BoundOutputs bound = bind_outputs(layout.slots[0], room, VK_NULL_HANDLE, alignment);
      EXPECT_EQ(bound.streams.normals.format, StreamFormat::kOctahedral16Both) << alignment << ", " << room.vertices;
      EXPECT_EQ(bound.streams.tangents.format, StreamFormat::kNone);
      EXPECT_EQ(bound.streams.normals.first % 2, 0u);
      EXPECT_EQ((bound.ranges[1].offset + 4 * bound.streams.normals.first) % 8, 0u);
      EXPECT_EQ(bound.streams.positions.format, StreamFormat::kFloatTight);
      EXPECT_EQ(bound.ranges[1].offset % alignment, 0u);
    }
  }
}

// A caller's normals at an odd word are written with the tangents if the device can bind them there.
TEST(CrowdOutputs, OfCallersAreStoredWholeWhereTheyCanBeBound) {
  const CrowdCapacity room{.instances = 1, .vertices = 7};
  CrowdOutputs outputs;
  const auto buffer = reinterpret_cast<VkBuffer>(std::uintptr_t{1});
  outputs.normals.location = {buffer, 20};
  outputs.tangents.location = {buffer, 24};
  outputs.normals.stride = outputs.tangents.stride = 8;
  const auto bound = [&](VkDeviceSize alignment) {
    return bind_outputs(lay_out(outputs, room, alignment).slots[0], room, VK_NULL_HANDLE, alignment);
  };
  EXPECT_EQ(bound(4).streams.normals.format, StreamFormat::kOctahedral16Both);
  EXPECT_EQ(bound(4).streams.normals.first, 0u);
  EXPECT_EQ(bound(16).streams.normals.format, StreamFormat::kOctahedral16);
  EXPECT_EQ(bound(16).streams.tangents.format, StreamFormat::kOctahedral16);
  outputs.positions.stride = 16;
  EXPECT_EQ(bound(16).streams.positions.format, StreamFormat::kFloat);
}

// Two frames, each read by a copy. On a device with one family the barriers are those of one queue, and validation
// checks that they order the copies.
TEST_F(MixedCrowds, ReleaseAndAcquireTheirOutputs) {
  CrowdOptions options{.instances = {1, 1, 1}, .frames_in_flight = 2};
  options.outputs.bounds = true;
  Crowd crowd = make(options);
  const OutputLocation& positions = crowd.outputs().positions;
  const Buffer copied = test::must(Buffer::create(
      *gpu_device(),
      {.size = 1024, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT, .memory = MemoryUse::kDeviceLocal, .name = "copied"}));
  const DeviceFunctions& functions = gpu_device()->functions();
  const std::uint32_t family = gpu_device()->queue_family();
  ASSERT_TRUE(submit_and_wait(*gpu_device(), "two frames", [&](VkCommandBuffer commands) {
    for (int frame = 0; frame < 2; ++frame) {
      pose_all(crowd);
      const auto transfer = [&](QueueTransfer::Step step) {
        crowd.record_transfer(commands, {step, crowd.frames() - (step == QueueTransfer::Step::kAcquireBack ? 0 : 1),
                                         family, family, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT});
      };
      transfer(QueueTransfer::Step::kAcquireBack);
      crowd.record(commands);
      transfer(QueueTransfer::Step::kRelease);
      transfer(QueueTransfer::Step::kAcquire);
      const VkBufferCopy range{positions.offset, 512u * static_cast<VkDeviceSize>(frame), 512};
      functions.vkCmdCopyBuffer(commands, positions.buffer, copied.handle(), 1, &range);
      transfer(QueueTransfer::Step::kReleaseBack);
    }
  }));
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_LT(off(crowd, i, i), 1e-5f);
}

// In the crowd's buffer and in one of the caller's, whose other bytes must not change.
TEST_F(MixedCrowds, WriteBoundsWithAStride) {
  CrowdOptions options{.instances = {2, 2, 2}};
  options.outputs.bounds = true;
  Crowd tight = make(options);
  EXPECT_EQ(tight.outputs().bounds.stride, 24u);
  pose_all(tight);
  ASSERT_TRUE(run(*gpu_device(), tight));
  const auto expect_same = [&](const Crowd& crowd) {
    for (std::uint32_t i = 0; i < 6; ++i) {
      const Box expected = test::must(read_bounds(*gpu_device(), tight, i));
      const Box got = test::must(read_bounds(*gpu_device(), crowd, i));
      EXPECT_EQ(got.least, expected.least) << i;
      EXPECT_EQ(got.greatest, expected.greatest) << i;
    }
  };
  for (const std::uint32_t stride : {24u, 28u, 64u}) {
    options.outputs.bounds_stride = stride;
    Crowd strided = make(options);
    EXPECT_EQ(strided.outputs().bounds.stride, stride);
    pose_all(strided);
    ASSERT_TRUE(run(*gpu_device(), strided));
    expect_same(strided);

    constexpr VkDeviceSize kOffset = 20;
    const Buffer buffer = callers_buffer(kOffset + 6 * stride + 4);
    fill(buffer, std::vector(buffer.size(), std::byte{0x5A}));
    CrowdOptions theirs = options;
    theirs.outputs.bounds_location = rest_of(buffer, kOffset);
    Crowd crowd = make(theirs);
    pose_all(crowd);
    ASSERT_TRUE(run(*gpu_device(), crowd));
    expect_same(crowd);
    const auto bytes = test::must(read_buffer(*gpu_device(), buffer.handle(), 0, buffer.size()));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      if (at >= kOffset && at < kOffset + 6 * stride && (at - kOffset) % stride < 24) continue;
      ASSERT_EQ(bytes[at], std::byte{0x5A}) << "stride " << stride << ", byte " << at;
    }
  }
}

}  // namespace
}  // namespace pelt::runtime
