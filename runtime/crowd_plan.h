// SPDX-License-Identifier: MIT
// What a crowd dispatches, worked out once: its jobs, the table from which the device plans each frame, the dispatches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <pelt/shaders/jobs.h>

#include "runtime/gpu_characters.h"

namespace pelt::runtime {

// What a dispatch does, in the order in which the table has the jobs.
enum class CrowdPass : std::uint32_t { kPose, kBlend, kBounds, kNormals };
constexpr std::size_t kCrowdPassCount = 4;

// One dispatch; its number of workgroups is the device's.
struct CrowdStep {
  CrowdPass pass = CrowdPass::kBlend;
  PoseKernel kernel{};  // of CrowdPass::kPose
  shared::JobRange range{};
  std::uint32_t stage = 0;
  bool barrier_before = true;
  std::uint32_t contents = 0;  // of CrowdPass::kBlend: kHas... of shaders/blend/blend.h
  std::string name;
};

// Where everything of a character's instances is, in the streams of the crowd.
struct CrowdCharacter {
  std::uint32_t instances = 0;
  std::uint32_t first_instance = 0;
  std::uint32_t first_joint = 0;
  std::uint32_t first_input = 0;
  std::uint32_t first_palette = 0;                        // entries
  std::uint32_t first_driver_word = 0;                    // vertices that later stages read
  std::uint32_t driver_vertices = 0;                      // of an instance
  std::uint32_t first_vertex = 0;                         // in the outputs
  std::uint32_t vertices = 0;                             // of an instance, in the outputs
  std::vector<std::optional<std::uint32_t>> mesh_vertex;  // of each mesh, from the instance's first
};

struct CrowdPlan {
  std::vector<CrowdCharacter> characters;
  std::vector<CrowdStep> steps;
  std::uint32_t stages = 0;

  // Totals over all instances: what the streams hold.
  std::uint64_t instances = 0;
  std::uint64_t joints = 0;
  std::uint64_t inputs = 0;
  std::uint64_t palette_entries = 0;
  std::uint64_t driver_words = 0;
  std::uint64_t vertices = 0;
  std::uint32_t driver_base =
      0;  // where those words begin, in words from palette entry 0: the caller says before plan_crowd

  std::vector<std::uint32_t> table;  // shaders/crowd/plan.h
  std::uint32_t character_count = 0;
  std::uint32_t job_count = 0;
  std::uint32_t job_pairs = 0;    // words / 2 of the jobs at the front of the table and of the work
  std::uint32_t first_count = 0;  // in the work, in units of two words
  std::uint32_t first_start = 0;
  std::uint64_t work_pairs = 0;  // size of the work
};

// Totals and places alone, for checks before anything is made; then the rest.
// Precondition: instances.size() == characters; every total that is given out in 32 bits fits (place_crowd has been
// checked).
CrowdPlan place_crowd(const GpuCharacters::State& gpu, const std::vector<std::uint32_t>& instances,
                      bool control_meshes);
// `recomputed_normals`: of skins; the characters have rings.
struct PlannedOutputs {
  bool bounds = false;
  bool recomputed_normals = false;
};
void plan_crowd(const GpuCharacters::State& gpu, PlannedOutputs outputs, CrowdPlan& plan);

}  // namespace pelt::runtime
