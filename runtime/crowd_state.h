// SPDX-License-Identifier: MIT
// What a crowd holds: crowd_make.cpp fills it, and crowd.cpp records frames from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/crowd.h>

#include "engine/character/action_clock.h"
#include "runtime/crowd_plan.h"
#include "runtime/gpu_characters.h"
#include "runtime/input_ring.h"
#include "runtime/skinning_pipelines.h"
#include "shaders/crowd/plan.h"

namespace pelt::runtime {

// The state of an instance that lasts from frame to frame.
struct InstanceState {
  bool visible = true;
  bool moved_before = false;  // since it was last shown
  bool settled = true;        // its previous positions equal its positions, and need no hold
  bool teleport = true;
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
  std::span<const VkDescriptorSet> sets;  // one for all frames, or one for each frame slot
  std::vector<std::byte> constants;

  VkDescriptorSet set(std::uint32_t slot) const { return sets.size() == 1 ? sets[0] : sets[slot]; }
};

struct Crowd::State {
  struct Maker;  // of crowd_make.cpp

  DeviceInternals* device = nullptr;
  std::vector<Character> characters;
  std::string label;
  CrowdPlan plan;
  OutputPlaces outputs;
  std::vector<std::uint32_t> character_of;  // for each instance

  Buffer palette;  // palettes, then the vertices of drivers
  Buffer vertices;
  Buffer dispatch_work;  // jobs, counts and lists of the frame, which the plan writes: CrowdPlan::work_pairs
  Buffer arguments;
  Buffer table;
  Buffer visible_lists;  // the list of moved instances, one frame slot for each frame in flight
  std::vector<BufferRange> visible_list_slots;
  DescriptorPool descriptors;
  std::vector<VkDescriptorSet> step_sets;                                // sets of the steps other than poses
  std::vector<VkDescriptorSet> plan_sets;                                // one for each frame slot
  std::array<std::vector<VkDescriptorSet>, kPoseKernelCount> pose_sets;  // for each kernel, one for each frame slot
  const SkinningPipelines* pipelines = nullptr;
  std::vector<std::string> names;
  shared::PlanConstants plan_constants{};
  std::vector<Dispatch> dispatches;  // one for each step of the plan

  InputRing joints;
  InputRing inputs;
  bool own_joints = true;
  bool own_inputs = true;
  bool own_list = true;
  std::vector<InstanceState> instance_states;
  std::vector<std::optional<std::uint32_t>> clock_inputs;  // for each character
  bool has_action = false;                                 // one of them has a clock
  ActionClock clock;
  std::uint64_t frame = 0;
  std::uint32_t slots = 1;
  std::uint32_t slot = 0;

  const CharacterData& data_of(std::uint32_t instance) const { return *characters[character_of[instance]]; }

  // Returns the list entry of an instance in this frame; none: the instance is left alone. `number`: the instance's
  // among those of its character.
  std::optional<shared::ListEntry> next_entry(std::uint32_t instance, std::uint32_t number);
  void write_list();
  void write_clock();
};

}  // namespace pelt::runtime
