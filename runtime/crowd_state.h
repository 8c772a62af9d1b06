// SPDX-License-Identifier: MIT
// The state of a crowd: crowd_make.cpp fills it, and crowd_record.cpp records frames from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/crowd.h>

#include "engine/character/action_clock.h"
#include "runtime/crowd_outputs.h"
#include "runtime/free_ranges.h"
#include "runtime/gpu_characters.h"
#include "runtime/input_ring.h"
#include "runtime/plan/frame.h"
#include "runtime/plan/host_plan.h"
#include "runtime/skinning_pipelines.h"
#include "shaders/crowd/plan.h"

namespace pelt::runtime {

// The persistent state of an instance.
struct InstanceState {
  bool taken = false;     // the crowd has the instance
  bool teleport = false;  // in the next frame that poses it
  shared::InstanceMemory memory{};
  ActionProgress action;
};

// The commands of one step of the plan in one output slot.
struct Dispatch {
  const ComputeKernel* kernel = nullptr;
  KernelKind kind = KernelKind::kPose;
  std::vector<std::byte> constants;
};

// The persistent work of one frame in flight.
struct HeldWork {
  std::uint64_t plan = 0;  // number of the plan whose jobs it has
  std::uint64_t lists = 0;
  // Range of instances whose locations changed since they were written.
  std::uint32_t first_changed = 0;
  std::uint32_t end_changed = 0;
};

struct Crowd::State {
  struct Maker;  // crowd_make.cpp
  static Result<std::unique_ptr<State>> create(const Device& device, const GpuCharacters& characters,
                                               const CrowdOptions& options);

  DeviceInternals* device = nullptr;
  const GpuCharacters::State* gpu = nullptr;
  std::vector<std::optional<Character>> characters;  // of the plan, by number
  std::string label;
  CrowdCapacity capacity;
  CrowdOutputs wanted_outputs;
  CrowdPlan plan;
  PlanBases bases;
  std::vector<OutputLocations> outputs;                 // for each output slot
  std::vector<std::vector<OutputRange>> output_ranges;  // for each output slot
  std::vector<BoundOutputs> bound_outputs;              // for each output slot
  bool reads_previous = false;                          // readers take previous positions from the slot before

  Buffer palette;  // palettes, then the vertices of drivers
  Buffer vertices;
  // The work of frames (CrowdPlan) and, if the device plans, its table: one per frame in flight.
  Buffer work;
  std::vector<BufferRange> work_slots;
  Buffer table;
  std::vector<BufferRange> table_slots;
  std::vector<HeldWork> held_work;
  Buffer arguments;  // the workgroups of each step, if the device plans
  Buffer nothing;
  Buffer memory;  // of plans on the device
  // Ranges that are the same in every frame, by FrameBuffer.
  std::array<VkDescriptorBufferInfo, static_cast<std::size_t>(FrameBuffer::kCount)> ranges{};
  DescriptorPool descriptors;
  // By output slot, then by frame in flight; empty until a dispatch binds them.
  std::array<std::vector<VkDescriptorSet>, kKernelKinds> sets;
  std::vector<std::string> names;
  const ComputeKernel* plan_kernel = nullptr;  // if the device plans the frame, or only the blend of skins
  shared::PlanConstants plan_constants{};
  std::vector<Dispatch> dispatches;                                   // by step of the plan, then by output slot
  std::array<std::vector<FrameCommand>, kFrameParts> commands;        // of a frame, by part
  std::array<std::vector<FrameCommand>, kFrameParts> first_commands;  // of the first frame
  HostPlan host_plan;                                                 // if the host plans

  InputRing joints;
  InputRing inputs;
  bool own_joints = true;
  bool own_inputs = true;
  bool own_list = true;   // the host has the list
  bool own_drawn = true;  // the second part of a frame has the same list

  // Instances by number, and free room.
  std::mutex mutex;  // guards instances and free room
  std::vector<InstanceState> instance_states;
  std::vector<shared::InstanceLocation> locations;
  std::vector<std::uint32_t> free_numbers;     // the last is next
  std::vector<std::uint32_t> instances_of;     // for each character
  std::vector<std::uint32_t> first_instances;  // for each character, of the initial instances
  FreeRanges free_joints;
  FreeRanges free_inputs;
  FreeRanges free_palettes;
  FreeRanges free_drivers;
  FreeRanges free_vertices;
  std::uint64_t plans_made = 0;
  std::uint64_t lists_placed = 0;
  bool lists_changed = false;  // numbers of instances changed
  std::uint32_t generations = 0;

  bool has_action = false;  // a character has secondary action
  ActionClock clock;
  std::uint64_t frame = 0;
  bool is_posed = false;  // record_pose() was called, and record_blend() is next
  std::uint32_t slots = 1;
  std::uint32_t slot = 0;

  // Whether the device plans the frame, or its drawn skins, from a table.
  bool has_table() const { return !own_list || !own_drawn; }
  std::uint32_t output_slots() const { return static_cast<std::uint32_t>(outputs.size()); }
  std::uint32_t slot_of_frame(std::uint64_t of) const { return static_cast<std::uint32_t>(of % outputs.size()); }
  std::uint64_t last_frame() const { return frame == 0 ? 0 : frame - 1; }
  BufferRange table_range(std::uint64_t of) const {
    return {work_slots[of % slots].offset, capacity.instances * sizeof(shared::InstanceLocation)};
  }
  std::uint32_t frame_number() const { return static_cast<std::uint32_t>(frame + 1); }
  bool copies_previous() const {
    return output_slots() == 1 && outputs[0].previous_positions.format != VertexFormat::kNone;
  }
  // Returns the slots that the plan of the first part fills: without bounds it writes none if the second has a list.
  std::uint32_t slots_of_first_part() const { return own_drawn || wanted_outputs.bounds ? output_slots() : 1; }

  bool has(std::uint32_t instance) const {
    return instance < instance_states.size() && instance_states[instance].taken;
  }
  bool has_character(std::uint32_t number) const { return number < characters.size() && characters[number]; }
  // Checks that the bind data of a number belong to the character and, if the crowd has it, come from the planned
  // upload. Precondition: the mutex of `gpu` is locked.
  Result<void> check_bind_data(std::uint32_t number, const Character& character) const;
  // The same for a character that the crowd has, without the precondition.
  Result<void> check_bind_data(std::uint32_t number) const;
  // Return whether the call may continue; report misuse if not. expect_whole: not between the two parts of a frame.
  bool expect_whole(const char* call) const;
  bool expect_instance(std::uint32_t instance, const char* call) const;
  bool expect_outputs(std::uint32_t instance, const char* call) const;
  bool expect_own(bool own, const char* what, std::uint32_t instance, const char* call) const;
  bool expect_own_inputs(std::uint32_t instance, const char* call) const;
  bool expect_character(std::uint32_t number, const char* call) const;

  template <class Joint>
  void pose(std::uint32_t instance, std::span<const Joint> given);

  std::uint32_t character_of(std::uint32_t instance) const { return locations[instance].character; }
  const CrowdCharacter& sizes_of(std::uint32_t instance) const { return *plan.characters[character_of(instance)]; }
  const CharacterData& data_of(std::uint32_t instance) const { return **characters[character_of(instance)]; }
  bool has_outputs(std::uint32_t instance) const { return locations[instance].first_vertex != shared::kNoIndex; }

  void make_room();  // makes room for `capacity`, all free

  // Precondition: the mutex is locked, or no other thread has the crowd yet.
  Result<std::uint32_t> acquire(std::uint32_t character, bool with_outputs);
  Result<void> take_outputs(std::uint32_t instance);
  void give_outputs(std::uint32_t instance);
  void release(std::uint32_t instance);
  void location_changed(std::uint32_t instance);

  // Plans for the characters; changes nothing on failure.
  Result<void> use_characters(const Device& owner, std::vector<std::optional<Character>> wanted);
  std::uint64_t list_words() const;  // of all instances

  // Returns the state of an instance in the frame that was planned last, if the host planned it (InstanceLocation).
  std::uint32_t state_of(std::uint32_t instance) const;
  void plan_entry(shared::ListEntry entry);
  void plan_frame(std::optional<std::span<const shared::ListEntry>> list);
  void write_work(std::optional<std::span<const shared::ListEntry>> list);
  void write_clock();

  // The parts of record(), in this order.
  void write_inputs(std::optional<std::span<const shared::ListEntry>> list);
  VkDescriptorBufferInfo range_of(FrameBuffer buffer, std::size_t output_slot, std::uint32_t frame_slot) const;
  void transfer(VkCommandBuffer to, std::optional<std::uint64_t> outputs_of, std::optional<std::uint64_t> table_of,
                VkBufferMemoryBarrier2 barrier) const;
  void record_barrier(VkCommandBuffer to, const FrameCommand& barrier) const;
  void record_dispatch(VkCommandBuffer to, const FrameCommand& dispatch) const;
  void record(VkCommandBuffer to, std::optional<std::span<const shared::ListEntry>> list, GpuTimer* timer,
              FramePart part);
};

}  // namespace pelt::runtime
