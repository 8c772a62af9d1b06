// SPDX-License-Identifier: MIT
// Makes instances of one character those of another one.

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <pelt/pose.h>

#include "engine/character/base/formatted.h"
#include "runtime/plan/joints.h"
#include "runtime/plan/planner.h"

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
Result<void> CrowdPlanner::State::exchange_room(std::span<const std::uint32_t> instances, const CrowdCharacter& from,
                                                const CrowdCharacter& to, const std::string& name) {
  std::array<FreeRanges, std::size(kSharedRooms)> rooms = free;
  std::vector<shared::InstanceLocation> places = locations;
  for (std::size_t r = 0; r < rooms.size(); ++r) {
    const auto first = kSharedRooms[r].first;
    const std::uint32_t old_size = from.*kSharedRooms[r].size;
    const std::uint32_t size = to.*kSharedRooms[r].size;
    if (old_size == size) continue;
    for (const std::uint32_t i : instances) {
      if (places[i].*first != shared::kNoIndex) rooms[r].give_back(places[i].*first, old_size);
    }
    for (const std::uint32_t i : instances) {
      if (places[i].*first == shared::kNoIndex) continue;  // no outputs
      const auto taken = rooms[r].take(size);
      if (!taken) {
        return fail(ErrorCode::kUnsupported,
                    formatted("{} instances of '{}' need {} {} each; of {}, {} are free", instances.size(), name, size,
                              kSharedRooms[r].name, free[r].size(), free[r].free()));
      }
      places[i].*first = static_cast<std::uint32_t>(*taken);
    }
  }
  const std::lock_guard lock(mutex);  // rooms() may be called meanwhile
  locations = std::move(places);
  for (std::size_t r = 0; r < rooms.size(); ++r) free[r] = rooms[r];  // keeps the capacity of `free`
  return {};
}

ExchangedValues CrowdPlanner::State::exchanged_values(std::span<const std::uint32_t> instances,
                                                      const CharacterData& from, const CharacterData& to) {
  ExchangedValues made;
  for (const std::uint32_t i : instances) {
    if (options.host_joints) made.joints.push_back(exchanged_joints(from.skeleton, joints.values(i), to.skeleton));
    if (options.host_inputs) made.inputs.push_back(exchanged_inputs(from, inputs.values(i), to));
  }
  return made;
}

// Takes no memory, since it must not fail.
void CrowdPlanner::State::exchange(std::span<const std::uint32_t> instances, std::uint32_t number,
                                   const ExchangedValues& values) {
  const auto place = [](InputRing& ring, std::uint32_t instance, std::size_t first, const std::vector<float>& held) {
    ring.place(instance, first, held.size());
    std::copy(held.begin(), held.end(), ring.values(instance).begin());
  };
  for (std::size_t n = 0; n < instances.size(); ++n) {
    const std::uint32_t i = instances[n];
    locations[i].character = number;
    locations[i].generation = ++generations;
    instance_states[i] = {.taken = true};
    location_changed(i);
    if (options.host_joints) place(joints, i, kJointFloats * locations[i].first_joint, values.joints[n]);
    if (options.host_inputs) place(inputs, i, locations[i].first_input, values.inputs[n]);
  }
}

}  // namespace pelt::runtime
