// SPDX-License-Identifier: MIT
// What a crowd holds: crowd_make.cpp fills it, and crowd_record.cpp records frames from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/crowd.h>

#include "engine/character/action_clock.h"
#include "runtime/crowd_outputs.h"
#include "runtime/crowd_plan.h"
#include "runtime/free_ranges.h"
#include "runtime/gpu_characters.h"
#include "runtime/host_plan.h"
#include "runtime/input_ring.h"
#include "runtime/skinning_pipelines.h"
#include "shaders/crowd/plan.h"

namespace pelt::runtime {

// A change from one level of an instance to another, in steps: the frames in which the instance is moved.
struct LevelSteps {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t frames = 0;  // in which both are shown
  std::uint32_t faded = 0;   // of them, that are over

  std::uint64_t steps() const { return std::uint64_t{frames} + 1; }
  bool is_over() const { return from == to; }
  // Reversing a fade continues from its present share.
  void start(std::uint32_t wanted, std::uint32_t wanted_frames) {
    if (to == wanted) return;
    std::uint32_t done = 0;
    if (from == wanted) {
      const std::uint64_t wanted_steps = std::uint64_t{wanted_frames} + 1;
      done = static_cast<std::uint32_t>((steps() - faded) * wanted_steps / steps());
    }
    from = to;
    to = wanted;
    frames = wanted_frames;
    faded = done;
  }
  void step() {
    if (is_over()) return;
    if (faded == frames) {
      from = to;
    } else {
      ++faded;
    }
  }
};

// The fade of the next step. A request starts from what the last step showed, whatever was asked for since.
struct LevelFade {
  LevelSteps now;
  LevelSteps shown;

  void start(std::uint32_t wanted, std::uint32_t wanted_frames) {
    now = shown;
    now.start(wanted, wanted_frames);
  }
  void step() {
    now.step();
    shown = now;
  }
};

// The state of an instance that lasts from frame to frame.
struct InstanceState {
  bool taken = false;  // the crowd has the instance
  bool visible = true;
  bool moved_before = false;  // since it was last shown
  bool teleport = true;
  std::uint32_t moved_state = 0;  // entry state of this frame; 0 if it is not moved
  std::uint32_t behind = 0;       // frames that outputs need, once it is no longer moved, to follow its last move
  std::uint32_t last_state = 0;   // entry state of that move, without flags
  std::uint32_t period = 1;
  Detail detail = Detail::kFull;
  LevelFade level;
  ActionProgress action;
};

// The sets that dispatches bind, by what they have in common: their shaders have the same bindings.
enum class SetKind : std::uint32_t { kPlan, kDrawnPlan, kPose, kDrivers, kSkins, kBounds, kNormals };
constexpr std::size_t kSetKinds = 7;

// The commands of one step of the plan in one output slot.
struct Dispatch {
  const ComputeKernel* kernel = nullptr;
  SetKind set = SetKind::kPose;
  std::vector<std::byte> constants;
};

// Steps of the plan between two barriers; or no step, but the plan that the device makes of a part of the frame.
struct StepGroup {
  std::size_t first = 0;
  std::size_t end = 0;
  std::optional<CrowdPart> plan;
};

// What record functions record: both parts of a frame, or one of them.
enum class RecordedParts : std::uint32_t { kBoth, kPose, kBlend };
constexpr std::size_t kRecordedParts = 3;

// What a frame slot has of the work that lasts from frame to frame.
struct HeldWork {
  std::uint64_t plan = 0;  // number of the plan whose jobs it has
  std::uint64_t lists = 0;
  // Numbers of instances whose places changed since they were written.
  std::uint32_t first_changed = 0;
  std::uint32_t end_changed = 0;
};

struct Crowd::State {
  struct Maker;  // of crowd_make.cpp

  DeviceInternals* device = nullptr;
  const GpuCharacters::State* gpu = nullptr;
  std::vector<std::optional<Character>> characters;  // by number, those that the plan has
  std::string label;
  CrowdCapacity capacity;
  CrowdOutputs wanted_outputs;
  CrowdPlan plan;
  PlanBases bases;
  std::vector<OutputPlaces> outputs;                    // for each output slot
  std::vector<std::vector<OutputRange>> output_ranges;  // for each output slot
  std::vector<BoundOutputs> bound_outputs;              // for each output slot
  bool reads_previous = false;                          // readers take previous positions from the slot before

  Buffer palette;  // palettes, then the vertices of drivers
  VkDescriptorBufferInfo palettes{};
  VkDescriptorBufferInfo drivers{};
  VkDescriptorBufferInfo palettes_and_drivers{};
  Buffer vertices;
  // The work of frames (CrowdPlan), and where the device plans, the table from which it does: one for each frame slot.
  Buffer work;
  std::vector<BufferRange> work_slots;
  Buffer table;
  std::vector<BufferRange> table_slots;
  std::vector<HeldWork> held_work;
  Buffer arguments;                       // where the device plans, the workgroups of each step
  Buffer nothing;                         // bound where a shader reads and writes nothing
  VkDescriptorBufferInfo given_joints{};  // the caller's
  VkDescriptorBufferInfo given_inputs{};
  VkDescriptorBufferInfo given_list{};
  VkDescriptorBufferInfo given_drawn{};
  Buffer drawn_frames;  // where the caller lists what is drawn, the frame in which each instance was last
  DescriptorPool descriptors;
  // For each output slot, then each frame slot; empty until a dispatch binds them.
  std::array<std::vector<VkDescriptorSet>, kSetKinds> sets;
  std::vector<std::string> names;
  const ComputeKernel* plan_kernel = nullptr;  // where the device plans, all or the blend of skins
  shared::PlanConstants plan_constants{};
  std::vector<Dispatch> dispatches;  // for each step of the plan, one for each output slot
  std::array<std::vector<StepGroup>, kRecordedParts> groups;
  HostPlan host_plan;  // where the crowd has the list

  InputRing joints;
  InputRing inputs;
  bool own_joints = true;
  bool own_inputs = true;
  bool own_list = true;   // the host plans
  bool own_drawn = true;  // all that is posed is drawn

  // Instances by number, and what is free.
  std::mutex mutex;  // held while instances come and go, and while those who may ask meanwhile look
  std::vector<InstanceState> instance_states;
  std::vector<shared::InstancePlace> places;
  std::vector<std::uint32_t> free_numbers;     // the last is next
  std::vector<std::uint32_t> instances_of;     // for each character
  std::vector<std::uint32_t> first_instances;  // for each character, of those that the crowd was made with
  FreeRanges free_joints;
  FreeRanges free_inputs;
  FreeRanges free_palettes;
  FreeRanges free_drivers;
  FreeRanges free_vertices;
  std::uint64_t plans_made = 0;
  std::uint64_t lists_placed = 0;
  bool lists_changed = false;  // numbers of instances did

  bool has_action = false;  // a character has a clock
  ActionClock clock;
  std::uint64_t frame = 0;
  bool is_posed = false;  // the frame's first part is recorded, and its second is not
  std::uint32_t slots = 1;
  std::uint32_t slot = 0;

  // The device plans, all of a frame or what is drawn, from a table.
  bool has_table() const { return !own_list || !own_drawn; }
  std::uint32_t output_slots() const { return static_cast<std::uint32_t>(outputs.size()); }
  std::uint32_t slot_of_frame(std::uint64_t of) const { return static_cast<std::uint32_t>(of % outputs.size()); }
  std::uint32_t last_slot() const { return frame == 0 ? 0 : slot_of_frame(frame - 1); }
  // Returns the slot with the positions before the last frame's; of what has none there, that frame's own.
  std::uint32_t previous_slot(bool appeared) const {
    return appeared ? last_slot() : (last_slot() + output_slots() - 1) % output_slots();
  }

  // Returns how many frames outputs need to follow an instance that is no longer moved.
  std::uint32_t frames_behind() const {
    // What is drawn is moved in every frame, and boxes only with the poses.
    if (!own_drawn && !wanted_outputs.bounds) return 0;
    if (output_slots() > 1) return output_slots() - 1;
    if (!own_drawn) return 0;
    return outputs[0].previous_positions.format == VertexFormat::kNone ? 0 : 1;
  }

  bool has(std::uint32_t instance) const {
    return instance < instance_states.size() && instance_states[instance].taken;
  }
  // Returns how an instance is moved in the last frame; 0 if it is not, or if a list of the caller's says it.
  std::uint32_t moved_state(std::uint32_t instance) const {
    return own_list ? instance_states[instance].moved_state : 0;
  }
  bool has_character(std::uint32_t number) const { return number < characters.size() && characters[number]; }
  // Checks that the bind data by a number are a character's, and if the crowd has it, those that the plan was made
  // with. Precondition: the mutex of `gpu` is held.
  Result<void> check_bind_data(std::uint32_t number, const Character& character) const;
  // The same of a character that the crowd has, without the precondition.
  Result<void> check_bind_data(std::uint32_t number) const;
  // Return whether the call may go on; report the mistake if not. Nothing of the frame changes between its parts.
  bool expect_whole(const char* call) const;
  bool expect_instance(std::uint32_t instance, const char* call) const;
  bool expect_outputs(std::uint32_t instance, const char* call) const;
  bool expect_own(bool own, const char* what, std::uint32_t instance, const char* call) const;
  bool expect_listed(std::uint32_t instance, const char* call) const;    // the crowd knows what happens to it
  bool expect_own_list(std::uint32_t instance, const char* call) const;  // and may be told
  bool expect_own_inputs(std::uint32_t instance, const char* call) const;
  bool expect_character(std::uint32_t number, const char* call) const;

  template <class Joint>
  void pose(std::uint32_t instance, std::span<const Joint> given);

  std::uint32_t character_of(std::uint32_t instance) const { return places[instance].character; }
  const CrowdCharacter& sizes_of(std::uint32_t instance) const { return *plan.characters[character_of(instance)]; }
  const CharacterData& data_of(std::uint32_t instance) const { return **characters[character_of(instance)]; }
  bool has_outputs(std::uint32_t instance) const { return places[instance].first_vertex != shared::kNoPlace; }

  void make_room();  // for `capacity`, all of it free

  // Preconditions: the mutex is held, or no one else has the crowd yet.
  Result<std::uint32_t> acquire(std::uint32_t character, bool with_outputs);
  Result<void> take_outputs(std::uint32_t instance);
  void give_outputs(std::uint32_t instance);
  void release(std::uint32_t instance);
  void place_changed(std::uint32_t instance);

  // Plans for the characters; nothing changes if that fails.
  Result<void> use_characters(const Device& owner, std::vector<std::optional<Character>> wanted);
  std::uint64_t list_words() const;  // of the lists of all instances

  // Returns the list entry of an instance in this frame; none: the instance is left alone.
  std::optional<shared::ListEntry> next_entry(std::uint32_t instance);
  void plan_frame();
  void write_drawn_state(std::uint32_t instance, const std::optional<shared::ListEntry>& entry);
  void write_work();
  void write_clock();

  // The parts of record(), in this order.
  void write_inputs();
  bool is_indirect(std::size_t step) const { return !own_list || (!own_drawn && step >= plan.first_drawing); }
  std::vector<StepGroup> make_groups(RecordedParts parts) const;
  const std::vector<StepGroup>& groups_of(RecordedParts parts) const { return groups[static_cast<std::size_t>(parts)]; }
  void record_plan(VkCommandBuffer commands, CrowdPart part) const;
  void record_group(VkCommandBuffer commands, const StepGroup& group, GpuTimer* timer) const;
  void dispatch_step(VkCommandBuffer commands, std::size_t step) const;
  void record(VkCommandBuffer commands, GpuTimer* timer, RecordedParts parts);
};

}  // namespace pelt::runtime
