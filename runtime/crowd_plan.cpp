// SPDX-License-Identifier: MIT
#include "runtime/crowd_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <map>
#include <span>
#include <utility>

#include "shaders/blend/blend.h"
#include "shaders/bounds/bounds.h"
#include "shaders/crowd/crowd.h"
#include "shaders/normals/normals.h"
#include "shaders/pose_pass.h"

namespace pelt::runtime {
namespace {

std::uint32_t narrow(std::uint64_t value) {
  assert(value <= UINT32_MAX);
  return static_cast<std::uint32_t>(value);
}

std::uint32_t blocks(std::uint32_t items, std::uint32_t block_size) { return (items + block_size - 1) / block_size; }

// Characters with fewer stages than others begin later: skins are all moved in the last one.
std::uint32_t crowd_stage(const CharacterData& data, std::uint32_t stage, std::uint32_t stages) {
  return stage + stages - data.stage_count;
}

class Planner {
 public:
  Planner(const GpuCharacters::State& gpu, PlannedOutputs outputs, CrowdPlan& plan)
      : gpu_(gpu), outputs_(outputs), plan_(plan) {}

  void run() {
    for (const GpuCharacters::State::Entry& entry : gpu_.entries)
      plan_.stages = std::max(plan_.stages, entry.character->stage_count);
    place_lists();
    for (std::uint32_t stage = 0; stage < plan_.stages; ++stage) {
      bool barrier = true;  // the palette passes of a stage write apart from each other and need none between them
      for (std::size_t kernel = 0; kernel < kPoseKernelCount; ++kernel) {
        if (add_step(
                kernel, stage, [&] { pose_jobs(kernel, stage); }, barrier))
          barrier = false;
      }
      barrier = true;
      const bool last = stage + 1 == plan_.stages;
      if (last && outputs_.bounds &&
          add_step(
              kBoundsKernel, stage, [&] { bounds_jobs(); }, barrier))
        barrier = false;
      add_step(
          kBlendKernel, stage, [&] { blend_jobs(stage); }, barrier);
      if (last && outputs_.recomputed_normals) {
        add_step(
            kNormalsKernel, stage, [&] { normals_jobs(); }, true);
      }
    }
    name_steps();
    write_table();
  }

 private:
  std::uint32_t list(std::size_t character, std::uint32_t kind) const {
    return first_list_[character] + kind * plan_.characters[character].instances;
  }

  // Where the lists begin is known when all jobs are: list places count from the first until then.
  void place_lists() {
    std::uint32_t at = 0;
    for (const CrowdCharacter& character : plan_.characters) {
      first_list_.push_back(at);
      at += shared::kListKinds * character.instances;
    }
    list_pairs_ = at;
  }

  template <class Fill>
  bool add_step(std::size_t kernel, std::uint32_t stage, const Fill& fill, bool barrier) {
    const std::size_t first = jobs_.size();
    const std::size_t first_of_kind = count_of(kernel);
    fill();
    if (jobs_.size() == first) return false;
    plan_.steps.push_back({.kernel = kernel,
                           .range = {.first_job = narrow(first_of_kind),
                                     .job_count = narrow(jobs_.size() - first),
                                     .first_start = narrow(first)},
                           .stage = stage,
                           .barrier_before = barrier,
                           .name = {}});
    return true;
  }

  std::size_t count_of(std::size_t kernel) const {
    if (kernel == kBlendKernel) return blend_.size();
    if (kernel == kNormalsKernel) return normals_.size();
    return kernel == kBoundsKernel ? boxes_.size() : pose_.size();
  }

  void add_job(std::uint32_t job_blocks, std::size_t character, std::uint32_t kind) {
    jobs_.push_back({job_blocks, narrow(shared::kListKinds * character + kind)});
  }

  void pose_jobs(std::size_t kernel, std::uint32_t stage) {
    for (std::size_t c = 0; c < gpu_.entries.size(); ++c) {
      const GpuCharacters::State::Entry& entry = gpu_.entries[c];
      const CrowdCharacter& own = plan_.characters[c];
      const CharacterData& data = *entry.character;
      for (std::size_t p = 0; p < data.passes.size(); ++p) {
        const PalettePass& pass = data.passes[p];
        if (static_cast<std::size_t>(pass.kernel) != kernel || pass.record_count == 0 || own.instances == 0) continue;
        if (crowd_stage(data, pass.stage, plan_.stages) != stage) continue;
        const std::uint32_t kind = pass.fit ? shared::kListLinearFit : shared::kListDeformed;
        pose_.push_back({.list_first = list(c, kind),
                         .record_count = pass.record_count,
                         .first_record = entry.passes[p].record,
                         .joint_first = own.first_joint,
                         .joint_stride = narrow(data.skeleton.joints.size()),
                         .vertex_first = own.first_driver_word / 3,
                         .vertex_stride = own.driver_vertices,
                         .palette_first = own.first_palette + pass.first_slot,
                         .palette_stride = data.palette_size,
                         .table_first = entry.passes[p].word,
                         .input_first = own.first_input,
                         .input_stride = data.input_count});
        add_job(blocks(pass.record_count, shared::kPoseWorkgroupSize), c, kind);
      }
    }
  }

  void bounds_jobs() {
    for (std::size_t c = 0; c < gpu_.entries.size(); ++c) {
      const GpuCharacters::State::Entry& entry = gpu_.entries[c];
      const CrowdCharacter& own = plan_.characters[c];
      if (own.instances == 0) continue;
      boxes_.push_back({.list_first = list(c, shared::kListGiven),
                        .first_record = entry.first_bound,
                        .record_count = entry.bound_count,
                        .fit_record_count = entry.fit_bound_count,
                        .palette_first = own.first_palette,
                        .palette_stride = entry.character->palette_size,
                        .output_first = own.first_instance,
                        .grow = entry.bound_growth});
      add_job(1, c, shared::kListGiven);
    }
  }

  void blend_jobs(std::uint32_t stage) {
    for (std::size_t c = 0; c < gpu_.entries.size(); ++c) {
      const GpuCharacters::State::Entry& entry = gpu_.entries[c];
      const CrowdCharacter& own = plan_.characters[c];
      const CharacterData& data = *entry.character;
      for (std::size_t m = 0; m < data.meshes.size(); ++m) {
        const CharacterMesh& mesh = data.meshes[m];
        if (mesh.vertex_count() == 0 || own.instances == 0) continue;
        if (crowd_stage(data, mesh.stage, plan_.stages) != stage) continue;
        const std::uint32_t kind = mesh.control ? shared::kListDeformed : shared::kListGiven;
        const GpuCharacters::State::MeshStart& start = entry.meshes[m];
        blend_.push_back({.list_first = list(c, kind),
                          .vertex_count = mesh.vertex_count(),
                          .mode = static_cast<std::uint32_t>(mesh.mode),
                          .first_point = start.point,
                          .first_direction = start.direction,
                          .first_slice = start.slice,
                          .first_influence = start.influence,
                          .palette_first = own.first_palette + mesh.first_slot,
                          .palette_stride = data.palette_size,
                          .frame_first = mesh.frame_slot ? own.first_palette + *mesh.frame_slot : shared::kNoSlot,
                          .driver_first = mesh.control
                                              ? plan_.driver_base + own.first_driver_word + 3 * mesh.first_vertex
                                              : shared::kNoSlot,
                          .driver_stride = 3 * own.driver_vertices,
                          .output_first = own.mesh_vertex[m] ? own.first_vertex + *own.mesh_vertex[m] : shared::kNoSlot,
                          .output_stride = own.vertices,
                          .offset_first = mesh.offset_slot ? own.first_palette + *mesh.offset_slot : shared::kNoSlot,
                          .root_slot = mesh.wires ? own.first_palette + mesh.wires->root_slot : 0,
                          .wires_exponent = mesh.wires ? mesh.wires->exponent : 0.0f,
                          .first_slope_slice = mesh.binding.slopes.empty() ? shared::kNoSlot : start.slope_slice,
                          .first_slope = start.slope,
                          .first_local = start.local_point,
                          .fit_first_slice = mesh.fit ? start.fit_slice : shared::kNoSlot,
                          .fit_first_influence = start.fit_influence,
                          .fit_palette_first = mesh.fit ? own.first_palette + mesh.fit->first_slot : 0,
                          .unused = 0});
        add_job(blocks(mesh.vertex_count(), shared::kBlendWorkgroupSize), c, kind);
      }
    }
  }

  void normals_jobs() {
    for (std::size_t c = 0; c < gpu_.entries.size(); ++c) {
      const GpuCharacters::State::Entry& entry = gpu_.entries[c];
      const CrowdCharacter& own = plan_.characters[c];
      const CharacterData& data = *entry.character;
      for (std::size_t m = 0; m < data.meshes.size(); ++m) {
        if (!entry.meshes[m].normal_ring || own.instances == 0) continue;
        normals_.push_back({.list_first = list(c, shared::kListGiven),
                            .vertex_count = data.meshes[m].vertex_count(),
                            .first_word = *entry.meshes[m].normal_ring,
                            .output_first = own.first_vertex + *own.mesh_vertex[m],
                            .output_stride = own.vertices});
        add_job(blocks(data.meshes[m].vertex_count(), shared::kNormalsWorkgroupSize), c, shared::kListGiven);
      }
    }
  }

  void name_steps() {
    std::map<std::string, int> count;
    for (CrowdStep& step : plan_.steps) {
      if (step.kernel == kBoundsKernel) {
        step.name = "bounds";
      } else if (step.kernel == kNormalsKernel) {
        step.name = "normals of skins";
      } else if (step.kernel == kBlendKernel) {
        step.name = step.stage + 1 == plan_.stages ? "blend of skins" : "blend of drivers";
      } else {
        step.name = std::string("pose ") + pose_kernel(static_cast<PoseKernel>(step.kernel)).name;
      }
      ++count[step.name];
    }
    for (CrowdStep& step : plan_.steps) {
      if (count[step.name] > 1) step.name += fmt::format(", stage {}", step.stage);
    }
  }

  template <class T>
  void append(const std::vector<T>& values) {
    const std::size_t words = values.size() * sizeof(T) / sizeof(std::uint32_t);
    const std::size_t first = plan_.table.size();
    plan_.table.resize(first + words);
    if (words > 0) std::memcpy(&plan_.table[first], values.data(), words * sizeof(std::uint32_t));
  }

  // Of a size whose multiple the table's end is made.
  template <class Job>
  std::uint32_t append_jobs(const std::vector<Job>& jobs) {
    constexpr std::size_t words = sizeof(Job) / sizeof(std::uint32_t);
    plan_.table.resize((plan_.table.size() + words - 1) / words * words);
    const std::uint32_t first = narrow(plan_.table.size() / words);
    append(jobs);
    return first;
  }

  void write_table() {
    // The lists come behind the jobs, whose number is known now.
    const auto round_up = [](std::size_t value, std::size_t step) { return (value + step - 1) / step * step; };
    std::size_t words = pose_.size() * sizeof(shared::PoseJob) / 4;
    words = round_up(words, sizeof(shared::BlendJob) / 4) + blend_.size() * sizeof(shared::BlendJob) / 4;
    words = round_up(words, sizeof(shared::BoundsJob) / 4) + boxes_.size() * sizeof(shared::BoundsJob) / 4;
    words = round_up(words, sizeof(shared::NormalsJob) / 4) + normals_.size() * sizeof(shared::NormalsJob) / 4;
    plan_.job_pairs = narrow(round_up(words, 2) / 2);
    plan_.job_count = narrow(jobs_.size());
    plan_.character_count = narrow(plan_.characters.size());
    plan_.first_start = plan_.job_pairs;
    plan_.first_count = plan_.first_start + plan_.job_count;
    const std::uint32_t first_list = plan_.first_count + shared::kListKinds * plan_.character_count;
    plan_.work_pairs = std::uint64_t{first_list} + list_pairs_;

    const auto place = [&](auto& jobs) {
      for (auto& job : jobs) job.list_first += first_list;
    };
    place(pose_);
    place(blend_);
    place(boxes_);
    place(normals_);
    const std::uint32_t first_pose = append_jobs(pose_);
    const std::uint32_t first_blend = append_jobs(blend_);
    const std::uint32_t first_box = append_jobs(boxes_);
    const std::uint32_t first_normals = append_jobs(normals_);
    plan_.table.resize(2 * plan_.job_pairs);

    std::vector<shared::PlanCharacter> characters;
    for (std::size_t c = 0; c < plan_.characters.size(); ++c) {
      const CrowdCharacter& own = plan_.characters[c];
      characters.push_back({own.instances, plan_.character_count + 2 * own.first_instance, first_list + first_list_[c],
                            gpu_.entries[c].character->fit_pass() != nullptr ? 1u : 0u});
    }
    append(characters);
    append(jobs_);
    std::vector<shared::PlanStep> steps;
    for (CrowdStep& step : plan_.steps) {
      steps.push_back({step.range.first_start, step.range.job_count});
      step.range.first_start += plan_.first_start;
      step.range.first_job += step.kernel == kBlendKernel     ? first_blend
                              : step.kernel == kBoundsKernel  ? first_box
                              : step.kernel == kNormalsKernel ? first_normals
                                                              : first_pose;
    }
    append(steps);
  }

  const GpuCharacters::State& gpu_;
  PlannedOutputs outputs_;
  CrowdPlan& plan_;
  std::vector<std::uint32_t> first_list_;  // of each character, from where lists begin
  std::uint32_t list_pairs_ = 0;
  std::vector<shared::PoseJob> pose_;
  std::vector<shared::BlendJob> blend_;
  std::vector<shared::BoundsJob> boxes_;
  std::vector<shared::NormalsJob> normals_;
  std::vector<shared::PlanJob> jobs_;  // of all kinds, in the order of the steps
};

}  // namespace

CrowdPlan place_crowd(const GpuCharacters::State& gpu, const std::vector<std::uint32_t>& instances,
                      bool control_meshes) {
  CrowdPlan plan;
  for (std::size_t c = 0; c < gpu.entries.size(); ++c) {
    const CharacterData& data = *gpu.entries[c].character;
    // Places are of no use where totals do not fit, which the caller sees.
    CrowdCharacter own{.instances = instances[c],
                       .first_instance = static_cast<std::uint32_t>(plan.instances),
                       .first_joint = static_cast<std::uint32_t>(plan.joints),
                       .first_input = static_cast<std::uint32_t>(plan.inputs),
                       .first_palette = static_cast<std::uint32_t>(plan.palette_entries),
                       .first_driver_word = static_cast<std::uint32_t>(plan.driver_words),
                       .first_vertex = static_cast<std::uint32_t>(plan.vertices)};
    for (const CharacterMesh& mesh : data.meshes) {
      if (mesh.control) own.driver_vertices = std::max(own.driver_vertices, mesh.first_vertex + mesh.vertex_count());
      if (mesh.control && !control_meshes) {
        own.mesh_vertex.emplace_back();
        continue;
      }
      own.mesh_vertex.emplace_back(own.vertices);
      own.vertices += mesh.vertex_count();
    }
    const std::uint64_t n = own.instances;
    plan.instances += n;
    plan.joints += n * data.skeleton.joints.size();
    plan.inputs += n * data.input_count;
    plan.palette_entries += n * data.palette_size;
    plan.driver_words += n * 3 * own.driver_vertices;
    plan.vertices += n * own.vertices;
    plan.characters.push_back(std::move(own));
  }
  return plan;
}

void plan_crowd(const GpuCharacters::State& gpu, PlannedOutputs outputs, CrowdPlan& plan) {
  Planner(gpu, outputs, plan).run();
}

}  // namespace pelt::runtime
