// SPDX-License-Identifier: MIT
// A second recorder of crowds, as another graphics API needs one: docs/graphics_apis.md. It uses Vulkan through buffers
// and compute kernels, and nothing of Crowd, whose outputs it must write byte for byte.
#include <map>

#include <pelt/runtime/bind_data.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/compute_kernel.h>
#include <pelt/runtime/crowd_planner.h>
#include <pelt/runtime/transfer.h>

#include "tests/runtime/crowds.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;
using test::must;
using enum FrameBuffer;

constexpr std::uint32_t kCopies = 2;
constexpr std::uint32_t kSlots = 3;
constexpr std::uint32_t kPositionBytes = 12;
constexpr std::uint32_t kBoxBytes = 24;

// Writes positions and boxes.
class SecondRecorder : public CrowdPlanner {
 public:
  static constexpr PlannedOutputs kOutputs{.bounds = true};

  SecondRecorder(std::span<const Character> characters, const CrowdCapacity& capacity)
      : CrowdPlanner(options_of(capacity)), palette_bytes_(bytes_of(kPalettes, capacity)) {
    std::vector<BindData> found;
    std::uint64_t end = 0;
    for (const Character& character : characters) end += found.emplace_back(character).bytes();
    make(kBindData, 1, end);
    make(kNothing, 1, 16);
    for (const FrameBuffer buffer : {kWork, kJoints, kInputs}) make(buffer, kCopies, bytes_of(buffer, capacity));
    make(kPalettesAndDrivers, 1, bytes_of(kPalettesAndDrivers, capacity));
    make(kPositions, kSlots, kPositionBytes * capacity.vertices);
    make(FrameBuffer::kBounds, kSlots, std::uint64_t{kBoxBytes} * capacity.instances);

    const Buffer& bind_data = buffers_[kBindData][0];
    Characters placed;
    end = 0;
    for (const BindData& data : found) {
      placed.push_back(data.write(0, end, bind_data.mapped() + end));
      end += data.bytes();
    }
    bind_data.flush(0, end);
    std::vector<HostMemory> memory(kCopies);
    for (std::uint32_t s = 0; s < kCopies; ++s) {
      memory[s] = {.work = buffers_[kWork][s].mapped(),
                   .joints = buffers_[kJoints][s].mapped(),
                   .inputs = buffers_[kInputs][s].mapped()};
    }
    use_memory(memory);
    must(use_characters(placed, [&](std::span<const FrameDispatch> dispatches) { return prepare(dispatches); }));
  }

  void record(VkCommandBuffer commands, std::span<const shared::ListEntry> list) {
    const CrowdFrame* frame = next_frame(FramePart::kWhole, list);
    ASSERT_NE(frame, nullptr);
    for (const HostWrite& write : frame->writes)
      buffers_.at(write.buffer)[frame->frame_copy].flush(write.offset, write.size);
    for (const FrameCommand& command : frame->commands) {
      switch (command.kind) {
        case FrameCommand::Kind::kZero:
          FAIL() << "no character has secondary action, and the host plans";
          break;
        case FrameCommand::Kind::kBarrier:
          memory_barrier(gpu_device()->functions(), commands, kCompute, kWrites, kCompute, kReads | kWrites);
          break;
        case FrameCommand::Kind::kDispatch: {
          if (command.workgroups == 0) break;
          const Prepared& made = prepared_[frame->output_slot * frame->dispatches.size() + command.dispatch];
          made.kernel.dispatch(commands, made.sets[frame->frame_copy], frame->dispatches[command.dispatch].constants,
                               command.workgroups);
          break;
        }
      }
    }
    end_frame(FramePart::kWhole);
  }

  // Returns elements of an output of a frame.
  std::vector<std::byte> read(FrameBuffer output, std::uint64_t frame, VkDeviceSize offset, VkDeviceSize size) const {
    return must(read_buffer(*gpu_device(), buffers_.at(output)[frame % kSlots].handle(), offset, size));
  }

 private:
  static constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  static constexpr VkAccessFlags2 kReads = VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
  static constexpr VkAccessFlags2 kWrites = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  struct Prepared {
    ComputeKernel kernel;
    DescriptorPool pool;
    std::vector<VkDescriptorSet> sets;  // by frame in flight
  };

  static Options options_of(const CrowdCapacity& capacity) {
    const OutputStreams streams{.positions = {.stride = kPositionBytes / 4, .format = StreamFormat::kFloatTight},
                                .bounds = {.stride = kBoxBytes / 4, .format = StreamFormat::kFloat}};
    return {.label = "second crowd",
            .capacity = capacity,
            .frames_in_flight = kCopies,
            .outputs = kOutputs,
            .streams = std::vector<OutputStreams>(kSlots, streams)};
  }

  void make(FrameBuffer buffer, std::uint32_t copies, VkDeviceSize size) {
    for (std::uint32_t c = 0; c < copies; ++c) {
      buffers_[buffer].push_back(must(
          Buffer::create(*gpu_device(), {.size = std::max<VkDeviceSize>(size, 16),
                                         .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                         .memory = MemoryUse::kStream,
                                         .name = "second crowd"})));
    }
  }

  VkDescriptorBufferInfo range_of(FrameBuffer buffer, std::uint32_t frame_copy, std::uint32_t output_slot) const {
    const Buffer& palettes = buffers_.at(kPalettesAndDrivers)[0];
    if (buffer == kPalettes) return palettes.part({0, palette_bytes_});
    if (buffer == kDrivers) return palettes.part({palette_bytes_, palettes.size() - palette_bytes_});
    const auto made = buffers_.find(buffer);
    if (made == buffers_.end()) return buffers_.at(kNothing)[0].whole();  // outputs that are not written
    return made->second[(buffer >= kPositions ? output_slot : frame_copy) % made->second.size()].whole();
  }

  Result<void> prepare(std::span<const FrameDispatch> dispatches) {  // of the next output slot
    const auto output_slot = static_cast<std::uint32_t>(prepared_.size() / dispatches.size());
    for (const FrameDispatch& dispatch : dispatches) {
      const auto bindings = static_cast<std::uint32_t>(dispatch.bindings.size());
      Prepared& made = prepared_.emplace_back();
      made.kernel = must(ComputeKernel::create(*gpu_device(), {.spirv = dispatch.kernel.spirv,
                                                               .storage_buffers = bindings,
                                                               .push_constant_bytes = dispatch.kernel.constant_bytes,
                                                               .specialization = dispatch.kernel.specialization,
                                                               .name = dispatch.name}));
      made.pool = must(DescriptorPool::create(*gpu_device(), kCopies, kCopies * bindings, dispatch.name));
      for (std::uint32_t s = 0; s < kCopies; ++s) {
        std::vector<VkDescriptorBufferInfo> bound;
        for (const Binding& binding : dispatch.bindings) bound.push_back(range_of(binding.buffer, s, output_slot));
        made.sets.push_back(must(made.pool.make_set(made.kernel, bound)));
      }
    }
    return {};
  }

  std::uint64_t palette_bytes_;
  std::map<FrameBuffer, std::vector<Buffer>> buffers_;  // by copy
  std::vector<Prepared> prepared_;                      // by output slot, then by dispatch
};

class SecondRecorders : public MixedCrowds {};

TEST_F(SecondRecorders, WriteTheBytesOfTheFirst) {
  CrowdOptions options{.instances = {2, 2, 2}, .frames_in_flight = kCopies};
  options.outputs = {.normals = {}, .tangents = {}, .bounds = true, .slots = kSlots};
  Crowd crowd = make(options);
  CrowdCapacity capacity;
  for (const Character& character : characters_) capacity += capacity_of(character, 2, SecondRecorder::kOutputs);
  SecondRecorder second(characters_, capacity);
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT_EQ(must(second.acquire(i / 2)), i);

  CrowdLists lists(6);
  lists.update_every(1, 2);
  lists.detail(2, Detail::kLinearBlend);
  for (std::uint32_t frame = 0; frame < 7; ++frame) {
    for (std::uint32_t i = 0; i < 6; ++i) {
      const std::vector<glm::mat4> pose = moved(i % 2 == 0 ? bind_joints_ : bent_joints(), motion(i + 7 * frame));
      crowd.pose(i, pose);
      second.pose(i, pose);
    }
    lists.show(3, frame % 3 != 1);
    const std::span<const shared::ListEntry> list = lists.next();
    ASSERT_TRUE(run(*gpu_device(), crowd, list));
    ASSERT_TRUE(submit_and_wait(*gpu_device(), "second recorder",
                                [&](VkCommandBuffer commands) { second.record(commands, list); }));
    const OutputLocations& first = crowd.outputs(frame);
    for (const shared::ListEntry& entry : list) {
      const CrowdInstance place = *second.instance(entry.instance);
      const VkDeviceSize size = kPositionBytes * place.vertex_count;
      const std::vector<std::byte> positions = must(
          read_buffer(*gpu_device(), first.positions.buffer,
                      first.positions.offset + kPositionBytes * crowd.instance(entry.instance)->first_vertex, size));
      EXPECT_EQ(second.read(kPositions, frame, kPositionBytes * place.first_vertex, size), positions)
          << "instance " << entry.instance << " in frame " << frame;
      const VkDeviceSize box = kBoxBytes * entry.instance;
      EXPECT_EQ(second.read(FrameBuffer::kBounds, frame, box, kBoxBytes),
                must(read_buffer(*gpu_device(), first.bounds.buffer, first.bounds.offset + box, kBoxBytes)));
    }
  }
}

}  // namespace
}  // namespace pelt::runtime
