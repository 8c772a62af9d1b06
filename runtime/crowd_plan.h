// SPDX-License-Identifier: MIT
// The plan of a crowd, made anew when the crowd is told of a character or rid of one: its jobs, its dispatches, and the
// table from which each frame is planned. Where instances are (shaders/include/pelt/shaders/jobs.h) is no part of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/runtime/crowd.h>
#include <pelt/shaders/jobs.h>

#include "runtime/gpu_characters.h"
#include "shaders/crowd/plan.h"

namespace pelt::runtime {

// The kind of a dispatch, in the order in which the table has the jobs.
enum class CrowdPass : std::uint32_t { kPose, kBlend, kBounds, kNormals };
constexpr std::size_t kCrowdPassCount = 4;

// One dispatch; the plan of a frame computes its number of workgroups.
struct CrowdStep {
  CrowdPass pass = CrowdPass::kBlend;
  PoseKernel kernel{};  // for CrowdPass::kPose
  shared::JobRange range{};
  std::uint32_t stage = 0;
  bool barrier_before = true;
  std::uint32_t contents = 0;  // for CrowdPass::kBlend: kHas... of shaders/blend/blend.h
  std::string name;
};

// A mesh that skins are shown by at some levels of detail: a mesh of the character, or a level of one.
struct ShownMesh {
  const CharacterMesh* mesh = nullptr;
  const GpuCharacters::State::MeshStart* start = nullptr;
  std::optional<std::uint32_t> vertex;  // its first, from the instance's first in the outputs; none: not written
  std::uint32_t levels = 0;             // the range of levels at which it is shown
};

// What a crowd needs to know of a character, and the sizes of an instance in the crowd's streams.
struct CrowdCharacter {
  CrowdCharacter() = default;
  CrowdCharacter(const GpuCharacters::State::Entry& entry, bool control_meshes);

  std::uint64_t upload = 0;  // of the bind data that the plan reads
  std::uint32_t joints = 0;
  std::uint32_t inputs = 0;
  std::uint32_t palette_entries = 0;
  std::uint32_t driver_vertices = 0;
  std::uint32_t vertices = 0;
  std::optional<std::uint32_t> clock_input;  // CharacterData::clock_input()
  // Palette entry of bound joint 0 for instances of Detail::kLinearBlend; none: the character cannot be moved so.
  std::optional<std::uint32_t> painted_slot;
  std::vector<ShownMesh> meshes;           // for each mesh, then for each level
  std::vector<shared::PlanLevels> levels;  // ranges of levels; the first has all
  std::uint32_t list_count() const { return shared::kListLevels + static_cast<std::uint32_t>(levels.size()); }
};

// What a plan of a frame is made from, by the host (host_plan.h) or by the device (shaders/crowd/plan.h).
struct PlanTable {
  std::vector<shared::PlanCharacter> characters;  // by their numbers
  std::vector<shared::PlanLevels> levels;
  std::vector<shared::PlanList> lists;  // without a first entry where no job reads the list; set by place_lists()
  std::vector<shared::PlanJob> jobs;
  std::vector<shared::PlanStep> steps;
};

struct CrowdPlan {
  // By number in the GpuCharacters; none: the crowd does not have the character.
  std::vector<std::optional<CrowdCharacter>> characters;
  std::vector<CrowdStep> steps;
  std::size_t first_drawing = 0;  // the first of the steps that move skins: those before pose, and find boxes
  std::uint32_t stages = 0;

  // The work of a frame: places of instances, the jobs, then starts, counts and lists, in units of two words.
  std::uint32_t first_job = 0;
  std::vector<std::uint32_t> jobs;  // an even number of words
  std::uint32_t first_start = 0;
  std::uint32_t first_count = 0;
  std::uint32_t first_list = 0;
  PlanTable table;
};

// The numbers of a capacity besides the instances.
inline constexpr std::uint64_t CrowdCapacity::*kAmounts[] = {
    &CrowdCapacity::vertices, &CrowdCapacity::palette_entries, &CrowdCapacity::driver_vertices, &CrowdCapacity::joints,
    &CrowdCapacity::inputs,   &CrowdCapacity::plan_words,      &CrowdCapacity::table_words};

// Returns the words that the work of a crowd takes with room for so much.
std::uint64_t work_words(const CrowdCapacity& capacity);
// Returns the words of the work that a plan takes without its lists.
std::uint64_t fixed_words(const CrowdPlan& plan);
std::uint64_t table_words(const PlanTable& table);
// Returns the words of lists that an instance of a character takes.
std::uint64_t list_words(const CrowdPlan& plan, std::size_t character);

struct PlanBases {
  std::uint32_t driver_word = 0;  // of the first vertex of drivers, counted from palette entry 0
  std::uint32_t instances = 0;    // that have places before the jobs
};

// Plans a crowd of the characters whose CrowdCharacter is there. Where normals are recomputed, they have rings.
CrowdPlan plan_crowd(const GpuCharacters::State& gpu, std::vector<std::optional<CrowdCharacter>> characters,
                     const CrowdOutputs& outputs, PlanBases bases);
// Plans a crowd of characters as if they were uploaded. What the jobs say of bind data, and the plan's meshes, have no
// meaning.
CrowdPlan plan_ahead(std::span<const Character> characters, const CrowdOutputs& outputs, PlanBases bases);

// Places the lists of characters with so many instances, one behind the other.
void place_lists(const std::vector<std::uint32_t>& instances, CrowdPlan& plan);

}  // namespace pelt::runtime
