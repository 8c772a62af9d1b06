// SPDX-License-Identifier: MIT
// What a crowd holds: crowd_make.cpp fills it, and crowd.cpp records frames from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/crowd.h>

#include "engine/character/action_clock.h"
#include "runtime/crowd_outputs.h"
#include "runtime/crowd_plan.h"
#include "runtime/gpu_characters.h"
#include "runtime/host_plan.h"
#include "runtime/input_ring.h"
#include "runtime/skinning_pipelines.h"
#include "shaders/crowd/plan.h"

namespace pelt::runtime {

// The state of an instance that lasts from frame to frame.
struct InstanceState {
  bool visible = true;
  bool moved_before = false;  // since it was last shown
  bool teleport = true;
  bool appeared = false;         // in this frame, by teleport too: it has no motion
  std::uint32_t behind = 0;      // frames that outputs need, once it is no longer moved, to follow its last move
  std::uint32_t last_state = 0;  // entry state of that move, without flags
  std::uint32_t period = 1;
  Detail from = Detail::kFull;
  Detail to = Detail::kFull;
  std::uint32_t fade_frames = 0;
  std::uint32_t faded = 0;  // frames of the fade that are over
  std::uint64_t fade_steps() const { return std::uint64_t{fade_frames} + 1; }
  ActionProgress action;
};

// The commands of one step of the plan.
struct Dispatch {
  const ComputeKernel* kernel = nullptr;
  std::span<const VkDescriptorSet> sets;  // one for each frame slot
  std::vector<std::byte> constants;
};

// Steps of the plan between two barriers.
struct StepGroup {
  std::size_t first = 0;
  std::size_t end = 0;
};

struct Crowd::State {
  struct Maker;  // of crowd_make.cpp

  DeviceInternals* device = nullptr;
  std::vector<Character> characters;
  std::string label;
  CrowdPlan plan;
  std::vector<OutputPlaces> outputs;                    // for each output slot
  std::vector<std::vector<OutputRange>> output_ranges;  // for each output slot
  bool reads_previous = false;                          // readers take previous positions from the slot before
  std::vector<std::uint32_t> character_of;              // for each instance

  Buffer palette;  // palettes, then the vertices of drivers
  Buffer vertices;
  // The work of frames (CrowdPlan::work_pairs), whose jobs are written once: where the host plans, one for each frame
  // slot; where the device plans, one.
  Buffer work;
  std::vector<BufferRange> work_slots;
  Buffer arguments;  // where the device plans, the workgroups of each step
  Buffer table;      // where the device plans, CrowdPlan::table
  Buffer nothing;    // bound where a shader reads and writes nothing
  DescriptorPool descriptors;
  std::vector<VkDescriptorSet> sets;           // of the steps, then of the device's plan
  std::span<const VkDescriptorSet> plan_sets;  // where the device plans, one for each frame slot
  const SkinningPipelines* pipelines = nullptr;
  std::vector<std::string> names;
  shared::PlanConstants plan_constants{};
  std::vector<Dispatch> dispatches;  // for each step of the plan, one for each output slot
  std::vector<StepGroup> groups;     // where the device plans, the first has the plan and no step
  HostPlan host_plan;                // where the crowd has the list

  InputRing joints;
  InputRing inputs;
  bool own_joints = true;
  bool own_inputs = true;
  bool own_list = true;  // the host plans
  std::vector<InstanceState> instance_states;
  std::vector<std::optional<std::uint32_t>> clock_inputs;  // for each character
  bool has_action = false;                                 // one of them has a clock
  ActionClock clock;
  std::uint64_t frame = 0;
  std::uint32_t slots = 1;
  std::uint32_t slot = 0;

  std::uint32_t output_slots() const { return static_cast<std::uint32_t>(outputs.size()); }
  std::uint32_t slot_of_frame(std::uint64_t of) const { return static_cast<std::uint32_t>(of % outputs.size()); }
  std::uint32_t last_slot() const { return frame == 0 ? 0 : slot_of_frame(frame - 1); }

  // Returns how many frames outputs need to follow an instance that is no longer moved.
  std::uint32_t frames_behind() const {
    if (output_slots() > 1) return output_slots() - 1;
    return outputs[0].previous_positions.format == VertexFormat::kNone ? 0 : 1;
  }

  const CharacterData& data_of(std::uint32_t instance) const { return *characters[character_of[instance]]; }

  // Returns the list entry of an instance in this frame; none: the instance is left alone. `number`: the instance's
  // among those of its character.
  std::optional<shared::ListEntry> next_entry(std::uint32_t instance, std::uint32_t number);
  void plan_frame();
  void write_clock();

  // The parts of record(), in this order.
  void write_inputs();
  bool fills_palette() const { return frame == 0 && has_action; }  // a mass whose state is 0 has not begun
  void record_group(VkCommandBuffer commands, std::size_t group, GpuTimer* timer) const;
  void dispatch_step(VkCommandBuffer commands, std::size_t step) const;
  void end_frame();
};

}  // namespace pelt::runtime
