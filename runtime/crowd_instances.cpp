// SPDX-License-Identifier: MIT
// Acquires and releases instances; adds and removes characters.

#include <algorithm>
#include <array>
#include <utility>

#include <pelt/pose.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/guard_memory.h"
#include "engine/character/base/invalid.h"
#include "runtime/crowd_joints.h"
#include "runtime/crowd_state.h"
#include "runtime/misuse.h"

namespace pelt::runtime {

void Crowd::State::make_room() {
  const std::uint32_t count = capacity.instances;
  instance_states.resize(count);
  locations.assign(count, {.character = shared::kNoIndex, .first_vertex = shared::kNoIndex, .state = shared::kNoIndex});
  for (std::uint32_t i = count; i > 0; --i) free_numbers.push_back(i - 1);
  held_work.assign(slots, {.end_changed = count});
  free_joints = FreeRanges(capacity.joints, count);
  free_inputs = FreeRanges(capacity.inputs, count);
  free_palettes = FreeRanges(capacity.palette_entries, count);
  free_drivers = FreeRanges(capacity.driver_vertices, count);
  free_vertices = FreeRanges(capacity.vertices, count);
}

void Crowd::State::location_changed(std::uint32_t instance) {
  for (HeldWork& held : held_work) {
    const bool none = held.first_changed >= held.end_changed;
    held.first_changed = none ? instance : std::min(held.first_changed, instance);
    held.end_changed = none ? instance + 1 : std::max(held.end_changed, instance + 1);
  }
}

std::uint64_t Crowd::State::list_words() const {
  std::uint64_t words = 0;
  for (std::size_t c = 0; c < plan.characters.size(); ++c) {
    if (plan.characters[c]) words += instances_of[c] * runtime::list_words(plan, c);
  }
  return words;
}

namespace {

// A range of a stream that an instance needs.
struct TakenPart {
  FreeRanges* free;
  std::uint64_t size;
  std::uint32_t* first;
  const char* name;
};

// Takes all parts; if one does not fit, takes none and returns an error that names it.
Result<void> take(std::span<const TakenPart> parts, const std::string& character) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const TakenPart& part = parts[p];
    if (const auto first = part.free->take(part.size)) {
      *part.first = static_cast<std::uint32_t>(*first);
      continue;
    }
    for (std::size_t taken = 0; taken < p; ++taken)
      parts[taken].free->give_back(*parts[taken].first, parts[taken].size);
    return fail(ErrorCode::kUnsupported,
                formatted("an instance of '{}' needs {} {}; of {}, {} are free, at most {} in one piece", character,
                          part.size, part.name, part.free->size(), part.free->free(), part.free->largest_free()));
  }
  return {};
}

}  // namespace

Result<std::uint32_t> Crowd::State::acquire(std::uint32_t character, bool with_outputs) {
  const CharacterData& data = **characters[character];
  const CrowdCharacter& sizes = *plan.characters[character];
  const std::uint64_t words = fixed_words(plan) + list_words() + runtime::list_words(plan, character);
  if (free_numbers.empty() || words > capacity.plan_words) {
    return fail(ErrorCode::kUnsupported,
                formatted("the {} has no room for another instance of '{}': it has {} of {}{}", label, data.name,
                          capacity.instances - free_numbers.size(), capacity.instances,
                          free_numbers.empty() ? "" : ", and its lists are full"));
  }
  shared::InstanceLocation place{
      .character = character, .first_vertex = shared::kNoIndex, .generation = ++generations, .state = shared::kNoIndex};
  const std::array parts{TakenPart{&free_joints, sizes.joints, &place.first_joint, "joints"},
                         TakenPart{&free_inputs, sizes.inputs, &place.first_input, "inputs"},
                         TakenPart{&free_palettes, sizes.palette_entries, &place.first_palette, "palette entries"},
                         TakenPart{&free_drivers, sizes.driver_vertices, &place.first_driver, "vertices of drivers"},
                         TakenPart{&free_vertices, sizes.vertices, &place.first_vertex, "vertices"}};
  const std::span<glm::mat4> rest = scratch_matrices(sizes.joints);  // may take memory, unlike what follows
  PELT_TRY(take(std::span(parts).first(with_outputs ? 5 : 4), data.name));

  const std::uint32_t instance = free_numbers.back();
  free_numbers.pop_back();
  locations[instance] = place;
  instance_states[instance] = {.taken = true};
  ++instances_of[character];
  lists_changed = true;
  location_changed(instance);
  if (own_joints) {
    joints.place(instance, kJointFloats * place.first_joint, kJointFloats * sizes.joints);
    rest_matrices(data.skeleton, rest);
    write_joints(rest, joints.values(instance));
  }
  if (own_inputs) {
    inputs.place(instance, place.first_input, sizes.inputs);
    rest_inputs(data, inputs.values(instance));
  }
  return instance;
}

void Crowd::State::release(std::uint32_t instance) {
  give_outputs(instance);
  const CrowdCharacter& sizes = sizes_of(instance);
  shared::InstanceLocation& place = locations[instance];
  free_joints.give_back(place.first_joint, sizes.joints);
  free_inputs.give_back(place.first_input, sizes.inputs);
  free_palettes.give_back(place.first_palette, sizes.palette_entries);
  free_drivers.give_back(place.first_driver, sizes.driver_vertices);
  if (own_joints) joints.release(instance);
  if (own_inputs) inputs.release(instance);
  --instances_of[place.character];
  lists_changed = true;
  place = {.character = shared::kNoIndex, .first_vertex = shared::kNoIndex, .state = shared::kNoIndex};
  instance_states[instance] = {};
  free_numbers.push_back(instance);
  location_changed(instance);
}

Result<void> Crowd::State::take_outputs(std::uint32_t instance) {
  if (has_outputs(instance)) return {};
  const TakenPart part{&free_vertices, sizes_of(instance).vertices, &locations[instance].first_vertex, "vertices"};
  PELT_TRY(take({&part, 1}, data_of(instance).name));
  locations[instance].generation = ++generations;
  location_changed(instance);
  return {};
}

void Crowd::State::give_outputs(std::uint32_t instance) {
  if (!has_outputs(instance)) return;
  free_vertices.give_back(locations[instance].first_vertex, sizes_of(instance).vertices);
  locations[instance].first_vertex = shared::kNoIndex;
  instance_states[instance].memory = {};
  location_changed(instance);
}

Result<std::uint32_t> Crowd::acquire(std::uint32_t character, bool outputs) {
  const std::lock_guard lock(state_->mutex);
  return guard_memory([&]() -> Result<std::uint32_t> {
    if (state_->is_posed) {
      return invalid("the {} cannot acquire an instance between the two parts of a frame", state_->label);
    }
    if (!state_->has_character(character)) return invalid("the {} has no character {}", state_->label, character);
    PELT_TRY(state_->check_bind_data(character));
    return state_->acquire(character, outputs);
  });
}

void Crowd::release(std::uint32_t instance) {
  const std::lock_guard lock(state_->mutex);
  if (state_->expect_whole("release") && state_->expect_instance(instance, "release")) state_->release(instance);
}

bool Crowd::has_instance(std::uint32_t instance) const {
  const std::lock_guard lock(state_->mutex);
  return state_->has(instance);
}

void Crowd::give_outputs(std::uint32_t instance) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->expect_whole("give_outputs") || !state_->expect_instance(instance, "give_outputs")) return;
  state_->give_outputs(instance);
}

Result<void> Crowd::take_outputs(std::uint32_t instance) {
  const std::lock_guard lock(state_->mutex);
  return guard_memory([&]() -> Result<void> {
    if (!state_->has(instance)) return invalid("the {} has no instance {}", state_->label, instance);
    return state_->take_outputs(instance);
  });
}

bool Crowd::has_outputs(std::uint32_t instance) const { return state_->has(instance) && state_->has_outputs(instance); }

Result<void> Crowd::State::check_bind_data(std::uint32_t number, const Character& character) const {
  const GpuCharacters::State::Entry* entry = gpu->has(number) ? &*gpu->entries[number] : nullptr;
  const auto is_same = [&] {
    if (has_character(number)) return entry->upload == plan.characters[number]->upload;
    return &*entry->character == &*character;
  };
  if (entry != nullptr && is_same()) return {};
  return invalid("the bind data of character {}, '{}', were removed while the {} still has it{}", number,
                 character->name, label,
                 entry != nullptr ? ", and '" + entry->character->name + "' now has its number" : std::string());
}

Result<void> Crowd::State::check_bind_data(std::uint32_t number) const {
  const std::lock_guard lock(gpu->mutex);
  return check_bind_data(number, *characters[number]);
}

Result<void> Crowd::add(const Device& device, std::uint32_t character) {
  return guard_memory([&]() -> Result<void> {
    if (state_->has_character(character)) return state_->check_bind_data(character);
    if (state_->is_posed) {
      return invalid("the {} cannot add character {} between the two parts of a frame", state_->label, character);
    }
    std::unique_lock lock(state_->gpu->mutex);
    if (!state_->gpu->has(character)) {
      return invalid("the {} cannot add character {}, which does not exist", state_->label, character);
    }
    std::vector<std::optional<Character>> wanted = state_->characters;
    wanted.resize(std::max<std::size_t>(wanted.size(), character + 1));
    wanted[character] = state_->gpu->entries[character]->character;
    lock.unlock();
    return state_->use_characters(device, std::move(wanted));
  });
}

// Its jobs stay until the next plan; without instances their lists are empty.
void Crowd::remove(std::uint32_t character) {
  if (!state_->expect_whole("remove") || !state_->expect_character(character, "remove")) return;
  if (state_->instances_of[character] > 0) {
    report_misuse("remove", "the {} still has {} instances of character {}", state_->label,
                  state_->instances_of[character], character);
    return;
  }
  state_->characters[character].reset();
}

bool Crowd::has_character(std::uint32_t character) const { return state_->has_character(character); }

std::uint32_t Crowd::character_count() const { return static_cast<std::uint32_t>(state_->characters.size()); }

std::optional<Character> Crowd::character(std::uint32_t character) const {
  return state_->has_character(character) ? state_->characters[character] : std::nullopt;
}

std::uint32_t Crowd::instances_of(std::uint32_t character) const {
  const std::lock_guard lock(state_->mutex);
  return state_->has_character(character) ? state_->instances_of[character] : 0;
}

CrowdRooms Crowd::rooms() const {
  const std::lock_guard lock(state_->mutex);
  const auto room = [](const FreeRanges& free) { return CrowdRoom{free.size(), free.free(), free.largest_free()}; };
  const std::uint64_t free_instances = state_->free_numbers.size();
  return {.instances = {state_->capacity.instances, free_instances, free_instances},
          .vertices = room(state_->free_vertices),
          .palette_entries = room(state_->free_palettes),
          .driver_vertices = room(state_->free_drivers),
          .joints = room(state_->free_joints),
          .inputs = room(state_->free_inputs)};
}

}  // namespace pelt::runtime
