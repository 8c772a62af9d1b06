// SPDX-License-Identifier: MIT
// Adds, removes and replaces the characters of a crowd.

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <pelt/pose.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/invalid.h"
#include "runtime/crowd_joints.h"
#include "runtime/crowd_state.h"

namespace pelt::runtime {
namespace {

bool have_same_joints(const Skeleton& a, const Skeleton& b) {
  return std::equal(a.joints.begin(), a.joints.end(), b.joints.begin(), b.joints.end(),
                    [](const Joint& one, const Joint& other) { return one.name == other.name; });
}

// Return the joints and inputs of an instance once `to` replaces its character. Inputs stay: controls of the same name
// and kind, and streams of the same name whose drivers have the same points.
std::vector<float> exchanged_joints(const Skeleton& from, std::span<const float> old, const Skeleton& to) {
  std::vector<float> values(kJointFloats * to.joints.size());
  const std::span<glm::mat4> pose = scratch_matrices(to.joints.size());
  if (have_same_joints(from, to)) {
    for (std::size_t j = 0; j < pose.size(); ++j) {
      shared::Affine rows;
      std::memcpy(static_cast<void*>(&rows), &old[kJointFloats * j], sizeof(rows));
      pose[j] = matrix_of(rows);
    }
    turn_helpers(to, pose);
  } else {
    rest_matrices(to, pose);
  }
  write_joints(pose, values);
  return values;
}

std::vector<float> exchanged_inputs(const CharacterData& from, std::span<const float> old, const CharacterData& to) {
  std::vector<float> values(to.input_count);
  rest_inputs(to, values);
  for (const Control& control : to.controls) {
    const auto found = from.find_control(control.name);
    if (found && from.controls[*found].kind == control.kind) values[control.input] = old[from.controls[*found].input];
  }
  for (const Stream& stream : to.streams) {
    const CharacterMesh& mesh = to.meshes[stream.mesh];
    const auto found = from.find_stream(mesh.name);
    if (!found) continue;
    const Stream& known = from.streams[*found];
    if (from.meshes[known.mesh].binding.points != mesh.binding.points) continue;
    const auto points = old.subspan(known.first_input, std::size_t{3} * mesh.vertex_count());
    std::copy(points.begin(), points.end(), values.begin() + stream.first_input);
  }
  return values;
}

}  // namespace

// All old room is released before new room is taken: since all instances need the same, it then suffices if it would
// suffice otherwise.
Result<void> Crowd::State::exchange_room(std::span<const std::uint32_t> instances, const CrowdCharacter& from,
                                         const CrowdCharacter& to, const std::string& name) {
  const struct {
    FreeRanges& free;
    std::uint32_t CrowdCharacter::*size;
    std::uint32_t shared::InstanceLocation::*first;
    const char* name;
  } parts[] = {
      {free_joints, &CrowdCharacter::joints, &shared::InstanceLocation::first_joint, "joints"},
      {free_inputs, &CrowdCharacter::inputs, &shared::InstanceLocation::first_input, "inputs"},
      {free_palettes, &CrowdCharacter::palette_entries, &shared::InstanceLocation::first_palette, "palette entries"},
      {free_drivers, &CrowdCharacter::driver_vertices, &shared::InstanceLocation::first_driver, "vertices of drivers"},
      {free_vertices, &CrowdCharacter::vertices, &shared::InstanceLocation::first_vertex, "vertices"}};
  std::array<FreeRanges, std::size(parts)> rooms;
  std::vector<shared::InstanceLocation> places = locations;
  for (std::size_t p = 0; p < rooms.size(); ++p) {
    const auto& part = parts[p];
    rooms[p] = part.free;
    const std::uint32_t size = to.*part.size;
    if (from.*part.size == size) continue;
    for (const std::uint32_t i : instances) {
      if (places[i].*part.first != shared::kNoIndex) rooms[p].give_back(places[i].*part.first, from.*part.size);
    }
    for (const std::uint32_t i : instances) {
      if (places[i].*part.first == shared::kNoIndex) continue;  // no outputs
      const auto taken = rooms[p].take(size);
      if (!taken) {
        return fail(ErrorCode::kUnsupported,
                    formatted("{} instances of '{}' need {} {} each; of {}, {} are free", instances.size(), name, size,
                              part.name, part.free.size(), part.free.free()));
      }
      places[i].*part.first = static_cast<std::uint32_t>(*taken);
    }
  }
  locations = std::move(places);
  for (std::size_t p = 0; p < rooms.size(); ++p) parts[p].free = rooms[p];  // keeps the capacity of `free`
  return {};
}

// Their room is exchanged; joints and inputs are still in the old one.
void Crowd::State::exchange(std::span<const std::uint32_t> instances, const CharacterData& from, std::uint32_t number) {
  const CharacterData& to = **characters[number];
  std::vector<std::vector<float>> joint_values;
  std::vector<std::vector<float>> input_values;
  for (const std::uint32_t i : instances) {
    if (own_joints) joint_values.push_back(exchanged_joints(from.skeleton, joints.values(i), to.skeleton));
    if (own_inputs) input_values.push_back(exchanged_inputs(from, inputs.values(i), to));
  }
  const auto place = [](InputRing& ring, std::uint32_t instance, std::size_t first, const std::vector<float>& values) {
    ring.place(instance, first, values.size());
    std::copy(values.begin(), values.end(), ring.values(instance).begin());
  };
  for (std::size_t n = 0; n < instances.size(); ++n) {
    const std::uint32_t i = instances[n];
    locations[i].character = number;
    locations[i].generation = ++generations;
    instance_states[i] = {.taken = true};
    location_changed(i);
    if (own_joints) place(joints, i, kJointFloats * locations[i].first_joint, joint_values[n]);
    if (own_inputs) place(inputs, i, locations[i].first_input, input_values[n]);
  }
}

Crowd::State::~State() {
  for (std::uint32_t c = 0; c < characters.size(); ++c) {
    if (characters[c]) gpu->give_back(c);
  }
}

Result<void> Crowd::State::change(const Device& owner, std::uint32_t added, std::optional<std::uint32_t> replaced) {
  if (is_posed) return invalid("the {} cannot add character {} between the two parts of a frame", label, added);
  const bool is_new = !has_character(added);
  std::optional<Character> used;
  if (is_new) {
    const std::lock_guard lock(gpu->mutex);
    used = gpu->use(added);
    if (!used) return invalid("the {} cannot add character {}, which does not exist", label, added);
  }
  std::vector<std::optional<Character>> wanted = characters;
  std::vector<std::uint32_t> counts = instances_of;
  wanted.resize(std::max<std::size_t>(wanted.size(), added + 1));
  counts.resize(wanted.size());
  if (is_new) wanted[added] = used;
  std::vector<std::uint32_t> instances;
  std::optional<Character> before;
  if (replaced) {
    for (std::uint32_t i = 0; i < locations.size(); ++i) {
      if (locations[i].character == *replaced) instances.push_back(i);
    }
    std::swap(before, wanted[*replaced]);
    counts[added] += std::exchange(counts[*replaced], 0);
  }
  const auto exchanged = [&]() -> Result<void> {
    PELT_ASSIGN(auto made, plan_characters(owner, std::move(wanted), std::move(counts)));
    if (replaced) {
      PELT_TRY(exchange_room(instances, *plan.characters[*replaced], *made.plan.characters[added],
                             (**made.characters[added]).name));
    }
    use(std::move(made));
    if (replaced) exchange(instances, **before, added);
    return {};
  }();
  if (exchanged && replaced) gpu->give_back(*replaced);
  if (!exchanged && is_new) gpu->give_back(added);
  return exchanged;
}

Result<void> Crowd::add(const Device& device, std::uint32_t character) {
  return state_->has_character(character) ? Result<void>() : state_->change(device, character, std::nullopt);
}

Result<void> Crowd::replace(const Device& device, std::uint32_t character, std::uint32_t with) {
  if (!state_->has_character(character)) return invalid("the {} has no character {}", state_->label, character);
  if (character == with) return invalid("the {} cannot replace character {} by itself", state_->label, character);
  return state_->change(device, with, character);
}

// Its jobs stay until the next plan; without instances their lists are empty.
Result<void> Crowd::remove(std::uint32_t character) {
  State& state = *state_;
  if (state.is_posed) {
    return invalid("the {} cannot remove character {} between the two parts of a frame", state.label, character);
  }
  if (!state.has_character(character)) return invalid("the {} has no character {}", state.label, character);
  if (const std::uint32_t instances = state.instances_of[character]; instances > 0) {
    return invalid("the {} still has {} instances of character {}", state.label, instances, character);
  }
  state.characters[character].reset();
  state.gpu->give_back(character);
  return {};
}

}  // namespace pelt::runtime
