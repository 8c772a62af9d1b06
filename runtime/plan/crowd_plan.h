// SPDX-License-Identifier: MIT
// The plan of a crowd: its jobs, its dispatches, and the table from which each frame is planned. It is rebuilt when a
// character is added. The locations of instances (pelt/shaders/crowd_table.h) are not part of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/runtime/crowd_planner.h>

#include "shaders/crowd/plan.h"

namespace pelt::runtime {

// The kind of a dispatch, in the order of the jobs in the table.
enum class CrowdPass : std::uint32_t { kPose, kBlend, kBounds, kTension, kAnchors };
constexpr std::size_t kCrowdPassCount = 5;

// One dispatch; the plan of a frame computes its number of workgroups.
struct CrowdStep {
  CrowdPass pass = CrowdPass::kBlend;
  PoseKernel kernel{};  // for CrowdPass::kPose
  shared::JobRange range{};
  std::uint32_t stage = 0;
  std::uint32_t bind_buffer = 0;  // that its jobs read
  bool barrier_before = true;
  // For CrowdPass::kBlend and kAnchors, kHas... of shaders/blend/blend.h; for kBounds, kinds of
  // shaders/bounds/bounds.h.
  std::uint32_t contents = 0;
  std::string name;
};

// A mesh that is shown at some levels of detail: a mesh of the character, or a coarser level of one.
struct ShownMesh {
  const CharacterMesh* mesh = nullptr;
  const MeshStart* start = nullptr;
  std::optional<std::uint32_t> vertex;  // its first vertex, relative to the instance's first; none: not written
  std::uint32_t levels = 0;             // index of the range of levels that show it
};

// The data of a character that a crowd needs, and the sizes of an instance in the crowd's streams.
struct CrowdCharacter {
  CrowdCharacter() = default;
  CrowdCharacter(const PlacedCharacter& placed, const PlannedOutputs& outputs);

  const PlacedCharacter* placed = nullptr;  // while the plan is made
  std::uint32_t joints = 0;
  std::uint32_t inputs = 0;
  std::uint32_t palette_entries = 0;
  std::uint32_t driver_vertices = 0;
  std::uint32_t vertices = 0;
  std::uint32_t anchors = 0;                 // 0 if they are not written
  std::uint32_t first_mesh = 0;              // InstanceLocation::first_mesh; set by plan_crowd()
  std::optional<std::uint32_t> clock_input;  // CharacterData::clock_input()
  // Palette entry of bound joint 0 for instances of Detail::kLinearBlend; none: unavailable.
  std::optional<std::uint32_t> painted_entry;
  std::vector<ShownMesh> meshes;           // for each mesh, then for each level
  std::vector<shared::PlanLevels> levels;  // ranges of levels; the first contains all
  std::uint32_t list_count() const { return shared::kListLevels + static_cast<std::uint32_t>(levels.size()); }
};

// The table from which the host (host_plan.h) or the device (shaders/crowd/plan.h) plans a frame.
struct PlanTable {
  std::vector<shared::PlanCharacter> characters;  // by character number
  std::vector<shared::PlanLevels> levels;
  std::vector<shared::PlanList> lists;  // place_lists() sets the first entry if a job reads the list
  std::vector<shared::PlanJob> jobs;
  std::vector<shared::PlanStep> steps;
};

struct CrowdPlan {
  // By character number; none: the crowd does not have the character.
  std::vector<std::optional<CrowdCharacter>> characters;
  std::vector<CrowdStep> steps;
  std::size_t first_drawing = 0;  // the first step that moves skins; earlier steps pose and compute boxes
  std::uint32_t stages = 0;

  // The work of a frame: header and locations of instances, jobs, then starts, counts and lists, in units of two words.
  std::uint32_t first_job = 0;
  std::vector<std::uint32_t> jobs;  // and, after them, MeshLocation[]; an even number of words
  std::uint32_t first_start = 0;
  std::uint32_t first_count = 0;
  std::uint32_t first_list = 0;
  std::uint32_t end_list = 0;  // set by place_lists()
  PlanTable table;
};

// The element-wise maximum.
CrowdCapacity larger(CrowdCapacity a, const CrowdCapacity& b);
std::uint64_t largest_amount(const CrowdCapacity& capacity);

// Returns the words of the work that a plan needs without its lists.
std::uint64_t fixed_words(const CrowdPlan& plan);
std::uint64_t table_words(const PlanTable& table);
// Return the words of lists that an instance of a character needs, and that so many instances of each need.
std::uint64_t list_words(const CrowdPlan& plan, std::size_t character);
std::uint64_t list_words(const CrowdPlan& plan, const std::vector<std::uint32_t>& instances);

struct PlanBases {
  std::uint32_t driver_word = 0;  // of the first vertex of drivers, counted from palette entry 0
  std::uint32_t instances = 0;    // whose locations precede the jobs
};

// Plans a crowd of the characters that have a CrowdCharacter.
CrowdPlan plan_crowd(std::vector<std::optional<CrowdCharacter>> characters, const PlannedOutputs& outputs,
                     PlanBases bases);
// Plans a crowd of characters that need not be uploaded. The jobs' bind data and the plan's meshes are meaningless.
CrowdPlan plan_ahead(std::span<const Character> characters, const PlannedOutputs& outputs, PlanBases bases);

// Places the lists one after the other. `instances`: the number of instances of each character.
void place_lists(const std::vector<std::uint32_t>& instances, CrowdPlan& plan);

}  // namespace pelt::runtime
