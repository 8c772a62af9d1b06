// SPDX-License-Identifier: MIT
// The state of a crowd without a graphics API. planner.cpp has its inputs, instances.cpp its instances and characters,
// planned_frames.cpp its frames,
// exchange.cpp its replaced characters.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/runtime/crowd_planner.h>

#include "engine/character/action_clock.h"
#include "runtime/plan/crowd_plan.h"
#include "runtime/plan/frame.h"
#include "runtime/plan/free_ranges.h"
#include "runtime/plan/host_plan.h"
#include "runtime/plan/input_ring.h"
#include "shaders/crowd/plan.h"

namespace pelt::runtime {

// A room that instances share: its size in a crowd, and the size and start of an instance's part.
struct SharedRoom {
  const char* name;
  std::uint64_t CrowdCapacity::*capacity;
  CrowdRoom CrowdRooms::*room;
  std::uint32_t CrowdCharacter::*size;
  std::uint32_t shared::InstanceLocation::*first;
};
inline constexpr SharedRoom kSharedRooms[] = {
    {"joints", &CrowdCapacity::joints, &CrowdRooms::joints, &CrowdCharacter::joints,
     &shared::InstanceLocation::first_joint},
    {"inputs", &CrowdCapacity::inputs, &CrowdRooms::inputs, &CrowdCharacter::inputs,
     &shared::InstanceLocation::first_input},
    {"palette entries", &CrowdCapacity::palette_entries, &CrowdRooms::palette_entries, &CrowdCharacter::palette_entries,
     &shared::InstanceLocation::first_palette},
    {"anchors", &CrowdCapacity::anchors, &CrowdRooms::anchors, &CrowdCharacter::anchors,
     &shared::InstanceLocation::first_anchor},
    {"vertices of drivers", &CrowdCapacity::driver_vertices, &CrowdRooms::driver_vertices,
     &CrowdCharacter::driver_vertices, &shared::InstanceLocation::first_driver},
    {"vertices", &CrowdCapacity::vertices, &CrowdRooms::vertices, &CrowdCharacter::vertices,
     &shared::InstanceLocation::first_vertex}};
inline constexpr std::size_t kOutputRoom = std::size(kSharedRooms) - 1;  // that an instance without outputs lacks

// The persistent state of an instance.
struct InstanceState {
  bool taken = false;  // the crowd has the instance
  shared::InstanceMemory memory{};
  ActionProgress action;
};

// The content of a copy of the work.
struct WrittenWork {
  std::uint64_t plan = 0;  // number of the plan whose jobs it has
  std::uint64_t lists = 0;
  // Range of instances whose locations changed since they were written.
  std::uint32_t first_changed = UINT32_MAX;
  std::uint32_t end_changed = 0;
};

// By instance, as for InputRing; empty if the caller supplies them.
struct ExchangedValues {
  std::vector<std::vector<float>> joints;
  std::vector<std::vector<float>> inputs;
};

struct CrowdPlanner::State {
  explicit State(Options given);

  Options options;
  std::vector<std::optional<CrowdMember>> members;  // by character number
  CrowdPlan plan;
  std::vector<std::vector<FrameDispatch>> dispatches;           // by output slot
  std::vector<std::string> names;                               // of the dispatches of a whole frame
  std::array<std::vector<FrameCommand>, kFrameParts> commands;  // of the first frame, by part
  HostPlan host_plan;                                           // if the host plans

  std::vector<HostMemory> memory;  // of each frame in flight
  std::vector<WrittenWork> written_work;
  InputRing joints;
  InputRing inputs;

  // Instances by number, and free room.
  std::mutex mutex;  // guards instances and free room
  std::vector<InstanceState> instance_states;
  std::vector<shared::InstanceLocation> locations;
  std::vector<std::uint32_t> free_numbers;  // the last is next
  std::vector<std::uint32_t> instances_of;  // for each character
  std::array<FreeRanges, std::size(kSharedRooms)> free;
  std::uint64_t plans_made = 0;
  std::uint64_t lists_placed = 0;
  bool lists_changed = false;  // numbers of instances changed
  std::uint32_t generations = 0;

  bool has_action = false;  // a character has secondary action
  ActionClock clock;
  std::atomic<std::uint64_t> frame = 0;
  std::uint32_t copy = 0;  // frame % frames in flight, without a division per pose
  bool is_posed = false;   // the first part of the frame was planned, and the second is next
  // The next frame, and what it points to.
  CrowdFrame next;
  std::vector<HostWrite> writes;
  std::vector<FrameCommand> next_commands;

  FrameOptions frame_options() const {
    return {.lists_on_device = !options.host_list, .drawn_on_device = !options.host_drawn};
  }
  std::uint32_t output_slots() const { return static_cast<std::uint32_t>(options.streams.size()); }
  std::uint32_t frame_number() const { return static_cast<std::uint32_t>(frame + 1); }
  bool copies_previous() const {
    return output_slots() == 1 && options.streams[0].previous_positions.format != StreamFormat::kNone;
  }
  // Returns the slots that the plan of the first part fills: without bounds it writes none if the second has a list.
  std::uint32_t slots_of_first_part() const {
    return options.host_drawn || options.outputs.bounds ? output_slots() : 1;
  }
  PlanBases bases() const {
    const std::uint64_t palettes = bytes_of(FrameBuffer::kPalettes, options.capacity);
    return {.driver_word = static_cast<std::uint32_t>(palettes / sizeof(float)),
            .instances = options.capacity.instances};
  }

  bool has(std::uint32_t instance) const {
    return instance < instance_states.size() && instance_states[instance].taken;
  }
  bool has_member(std::uint32_t number) const { return number < members.size() && members[number]; }
  // Return whether the call may continue; report misuse if not. expect_whole: not between the two parts of a frame.
  bool expect_whole(const char* call) const;
  bool expect_instance(std::uint32_t instance, const char* call) const;
  bool expect_own(bool own, const char* what, std::uint32_t instance, const char* call) const;

  template <class Joint>
  void pose(std::uint32_t instance, std::span<const Joint> given);

  std::uint32_t character_of(std::uint32_t instance) const { return locations[instance].character; }
  const CrowdCharacter& sizes_of(std::uint32_t instance) const { return *plan.characters[character_of(instance)]; }
  const CharacterData& data_of(std::uint32_t instance) const { return *members[character_of(instance)]->character; }
  bool has_outputs(std::uint32_t instance) const { return locations[instance].first_vertex != shared::kNoIndex; }

  // Precondition: the mutex is locked.
  Result<std::uint32_t> acquire(std::uint32_t character, bool with_outputs);
  Result<void> take_outputs(std::uint32_t instance);
  void give_outputs(std::uint32_t instance);
  void release(std::uint32_t instance);
  void location_changed(std::uint32_t instance);
  // Takes parts of the rooms [begin, end); if one does not fit, takes none and returns an error that names it.
  Result<void> take_room(std::size_t begin, std::size_t end, const CrowdCharacter& sizes, const std::string& character,
                         shared::InstanceLocation& place);
  void give_room(std::size_t begin, std::size_t end, const CrowdCharacter& sizes,
                 const shared::InstanceLocation& place);

  // The steps of exchanging instances' characters: their joints and inputs as those of the other character; their room,
  // which changes nothing on failure; the rest.
  ExchangedValues exchanged_values(std::span<const std::uint32_t> instances, const CharacterData& from,
                                   const CharacterData& to);
  Result<void> exchange_room(std::span<const std::uint32_t> instances, const CrowdCharacter& from,
                             const CrowdCharacter& to, const std::string& name);
  void exchange(std::span<const std::uint32_t> instances, std::uint32_t number, const ExchangedValues& values);

  // Those of shared::plan_entry(), the same for all entries.
  struct FrameRules {
    std::uint32_t frame;
    std::uint32_t slots;
    bool copies_previous;
  };
  void write_state(std::uint32_t instance, std::uint32_t state);
  void plan_entry(shared::ListEntry entry, const FrameRules& rules);
  void plan_frame(const std::optional<std::span<const shared::ListEntry>>& list);
  void write_work(const std::optional<std::span<const shared::ListEntry>>& list);
  void write_clock();
  void write_inputs();
  void write_plan_constants();
  Result<void> check_room(const CrowdPlan& made, const std::vector<std::uint32_t>& counts) const;
};

}  // namespace pelt::runtime
