// SPDX-License-Identifier: MIT
// Acquires and releases instances.

#include <algorithm>

#include <pelt/pose.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/guard_memory.h"
#include "engine/character/base/invalid.h"
#include "runtime/plan/joints.h"
#include "runtime/plan/misuse.h"
#include "runtime/plan/planner.h"

namespace pelt::runtime {

void CrowdPlanner::State::location_changed(std::uint32_t instance) {
  for (WrittenWork& written : written_work) {
    written.first_changed = std::min(written.first_changed, instance);
    written.end_changed = std::max(written.end_changed, instance + 1);
  }
}

Result<void> CrowdPlanner::State::take_room(std::size_t begin, std::size_t end, const CrowdCharacter& sizes,
                                            const std::string& character, shared::InstanceLocation& place) {
  for (std::size_t r = begin; r < end; ++r) {
    const std::uint32_t size = sizes.*kSharedRooms[r].size;
    if (const auto first = free[r].take(size)) {
      place.*kSharedRooms[r].first = static_cast<std::uint32_t>(*first);
      continue;
    }
    give_room(begin, r, sizes, place);
    return fail(ErrorCode::kUnsupported,
                formatted("an instance of '{}' needs {} {}; of {}, {} are free, at most {} in one piece", character,
                          size, kSharedRooms[r].name, free[r].size(), free[r].free(), free[r].largest_free()));
  }
  return {};
}

void CrowdPlanner::State::give_room(std::size_t begin, std::size_t end, const CrowdCharacter& sizes,
                                    const shared::InstanceLocation& place) {
  for (std::size_t r = begin; r < end; ++r)
    free[r].give_back(place.*kSharedRooms[r].first, sizes.*kSharedRooms[r].size);
}

Result<std::uint32_t> CrowdPlanner::State::acquire(std::uint32_t character, bool with_outputs) {
  const CharacterData& data = *members[character]->character;
  const CrowdCharacter& sizes = *plan.characters[character];
  const std::uint64_t words = fixed_words(plan) + list_words(plan, instances_of) + list_words(plan, character);
  if (free_numbers.empty() || words > options.capacity.plan_words) {
    return fail(ErrorCode::kUnsupported,
                formatted("the {} has no room for another instance of '{}': it has {} of {}{}", options.label,
                          data.name, options.capacity.instances - free_numbers.size(), options.capacity.instances,
                          free_numbers.empty() ? "" : ", and its lists are full"));
  }
  shared::InstanceLocation place{.character = character,
                                 .first_vertex = shared::kNoIndex,
                                 .generation = ++generations,
                                 .state = shared::kNoIndex,
                                 .first_mesh = sizes.first_mesh,
                                 .mesh_count = static_cast<std::uint32_t>(sizes.meshes.size()),
                                 .anchor_count = sizes.anchors};
  const std::span<glm::mat4> rest = scratch_matrices(sizes.joints);  // may take memory, unlike what follows
  PELT_TRY(take_room(0, with_outputs ? free.size() : kOutputRoom, sizes, data.name, place));

  const std::uint32_t instance = free_numbers.back();
  free_numbers.pop_back();
  locations[instance] = place;
  instance_states[instance] = {.taken = true};
  ++instances_of[character];
  lists_changed = true;
  location_changed(instance);
  if (options.host_joints) {
    joints.place(instance, kJointFloats * place.first_joint, kJointFloats * sizes.joints);
    rest_matrices(data.skeleton, rest);
    write_joints(rest, joints.values(instance));
  }
  if (options.host_inputs) {
    inputs.place(instance, place.first_input, sizes.inputs);
    rest_inputs(data, inputs.values(instance));
  }
  return instance;
}

void CrowdPlanner::State::release(std::uint32_t instance) {
  give_outputs(instance);
  shared::InstanceLocation& place = locations[instance];
  give_room(0, kOutputRoom, sizes_of(instance), place);
  if (options.host_joints) joints.release(instance);
  if (options.host_inputs) inputs.release(instance);
  --instances_of[place.character];
  lists_changed = true;
  place = {.character = shared::kNoIndex, .first_vertex = shared::kNoIndex, .state = shared::kNoIndex};
  instance_states[instance] = {};
  free_numbers.push_back(instance);
  location_changed(instance);
}

Result<void> CrowdPlanner::State::take_outputs(std::uint32_t instance) {
  if (has_outputs(instance)) return {};
  PELT_TRY(take_room(kOutputRoom, free.size(), sizes_of(instance), data_of(instance).name, locations[instance]));
  locations[instance].generation = ++generations;
  location_changed(instance);
  return {};
}

void CrowdPlanner::State::give_outputs(std::uint32_t instance) {
  if (!has_outputs(instance)) return;
  give_room(kOutputRoom, free.size(), sizes_of(instance), locations[instance]);
  locations[instance].first_vertex = shared::kNoIndex;
  instance_states[instance].memory = {};
  location_changed(instance);
}

Result<std::uint32_t> CrowdPlanner::acquire(std::uint32_t character, bool outputs) {
  const std::lock_guard lock(planner_->mutex);
  return guard_memory([&]() -> Result<std::uint32_t> {
    PELT_TRY(need_whole("acquire an instance"));
    if (!planner_->has_member(character)) {
      return invalid("the {} has no character {}", planner_->options.label, character);
    }
    return planner_->acquire(character, outputs);
  });
}

void CrowdPlanner::release(std::uint32_t instance) {
  const std::lock_guard lock(planner_->mutex);
  if (planner_->expect_whole("release") && planner_->expect_instance(instance, "release")) planner_->release(instance);
}

Result<void> CrowdPlanner::set_outputs(std::uint32_t instance, bool outputs) {
  const std::lock_guard lock(planner_->mutex);
  return guard_memory([&]() -> Result<void> {
    PELT_TRY(need_whole("change outputs"));
    if (!planner_->has(instance)) return invalid("the {} has no instance {}", planner_->options.label, instance);
    if (outputs) return planner_->take_outputs(instance);
    planner_->give_outputs(instance);
    return {};
  });
}

Result<void> CrowdPlanner::remove_member(std::uint32_t character) {
  const std::lock_guard lock(planner_->mutex);
  PELT_TRY(need_whole("remove a character"));
  if (!planner_->has_member(character)) {
    return invalid("the {} has no character {}", planner_->options.label, character);
  }
  if (planner_->instances_of[character] > 0) {
    return invalid("the {} still has {} instances of character {}, '{}'", planner_->options.label,
                   planner_->instances_of[character], character, planner_->members[character]->character->name);
  }
  // Its jobs stay until the next plan; without instances their lists are empty.
  planner_->members[character].reset();
  return {};
}

CrowdRooms CrowdPlanner::rooms() const {
  const std::lock_guard lock(planner_->mutex);
  const std::uint64_t free_instances = planner_->free_numbers.size();
  CrowdRooms rooms{.instances = {planner_->options.capacity.instances, free_instances, free_instances}};
  for (std::size_t r = 0; r < planner_->free.size(); ++r) {
    const FreeRanges& free = planner_->free[r];
    rooms.*kSharedRooms[r].room = {free.size(), free.free(), free.largest_free()};
  }
  return rooms;
}

}  // namespace pelt::runtime
