// SPDX-License-Identifier: MIT
// The plan of a crowd, made once: its jobs, its dispatches, and the table from which each frame is planned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  bool fading = false;         // for CrowdPass::kBlend: of skins between two details
  std::uint32_t contents = 0;  // for CrowdPass::kBlend: kHas... of shaders/blend/blend.h
  std::string name;
};

// Counts of a character's instances and vertices, and where its data begins in the crowd's streams.
struct CrowdCharacter {
  std::uint32_t instances = 0;
  std::uint32_t first_instance = 0;
  std::uint32_t first_joint = 0;
  std::uint32_t first_input = 0;
  std::uint32_t first_palette = 0;                        // palette entry
  std::uint32_t first_driver_word = 0;                    // first of the driver vertices that later stages read
  std::uint32_t driver_vertices = 0;                      // of one instance
  std::uint32_t first_vertex = 0;                         // index in every output
  std::uint32_t vertices = 0;                             // of one instance, in every output
  std::vector<std::optional<std::uint32_t>> mesh_vertex;  // for each mesh, from the instance's first vertex
};

// What a plan of a frame is made from, by the host (host_plan.h) or by the device (shaders/crowd/plan.h).
struct PlanTable {
  std::vector<shared::PlanCharacter> characters;
  std::vector<shared::PlanJob> jobs;
  std::vector<shared::PlanStep> steps;
  std::vector<bool> list_is_read;  // for each kind of list of each character: a job goes by it
};

struct CrowdPlan {
  std::vector<CrowdCharacter> characters;
  std::vector<CrowdStep> steps;
  std::uint32_t stages = 0;

  // Totals over all instances: the sizes of the streams.
  std::uint64_t instances = 0;
  std::uint64_t joints = 0;
  std::uint64_t inputs = 0;
  std::uint64_t palette_entries = 0;
  std::uint64_t driver_words = 0;
  std::uint64_t vertices = 0;
  std::uint32_t driver_base =
      0;  // first driver word, in words from palette entry 0; the caller sets it before plan_crowd

  // The work of a frame: the jobs, which are the same in every frame, then starts, counts and lists, in units of two
  // words.
  std::vector<std::uint32_t> jobs;  // an even number of words
  std::uint32_t first_start = 0;
  std::uint32_t first_count = 0;
  std::uint64_t work_pairs = 0;  // size of the work
  PlanTable table;
};

// place_crowd computes only totals and places, for checks before anything is made; plan_crowd computes everything else.
// Precondition: instances.size() == characters; every total that is returned in 32 bits fits (the caller has checked
// the result of place_crowd).
CrowdPlan place_crowd(const GpuCharacters::State& gpu, const std::vector<std::uint32_t>& instances,
                      bool control_meshes);
// `recomputed_normals`: skins have normals recomputed, and the characters have rings.
struct PlannedOutputs {
  bool bounds = false;
  bool recomputed_normals = false;
};
void plan_crowd(const GpuCharacters::State& gpu, PlannedOutputs outputs, CrowdPlan& plan);

}  // namespace pelt::runtime
