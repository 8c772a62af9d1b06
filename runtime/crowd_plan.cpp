// SPDX-License-Identifier: MIT
#include "runtime/crowd_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <utility>

#include "engine/character/pose_kernels.h"
#include "shaders/blend/blend.h"
#include "shaders/bounds/bounds.h"
#include "shaders/crowd/plan.h"
#include "shaders/normals/normals.h"
#include "shaders/pose_pass.h"

namespace pelt::runtime {
namespace {

std::uint32_t narrow(std::uint64_t value) {
  assert(value <= UINT32_MAX);
  return static_cast<std::uint32_t>(value);
}

// Skins are all moved in the last stage, so characters with fewer stages begin later.
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
      const auto add_poses = [&](PoseKernel kernel) {
        const CrowdStep step{.pass = CrowdPass::kPose, .kernel = kernel, .stage = stage, .barrier_before = barrier};
        return add_step(step, [&] { pose_jobs(kernel, stage); });
      };
      add_poses(PoseKernel::kKeyWeights);  // other passes read these weights
      for (std::size_t k = 0; k < kPoseKernelCount; ++k) {
        const auto kernel = static_cast<PoseKernel>(k);
        if (kernel != PoseKernel::kKeyWeights && add_poses(kernel)) barrier = false;
      }
      const bool last = stage + 1 == plan_.stages;
      barrier = true;
      if (last && outputs_.bounds)
        barrier = !add_step({.pass = CrowdPass::kBounds, .stage = stage}, [&] { bounds_jobs(); });
      add_step({.pass = CrowdPass::kBlend, .stage = stage, .barrier_before = barrier},
               [&] { blend_jobs(stage, false); });
      // Writes vertices of other instances than the blend before it.
      if (last) {
        add_step({.pass = CrowdPass::kBlend, .stage = stage, .barrier_before = false, .fading = true},
                 [&] { blend_jobs(stage, true); });
      }
      if (last && outputs_.recomputed_normals)
        add_step({.pass = CrowdPass::kNormals, .stage = stage}, [&] { normals_jobs(); });
    }
    name_steps();
    place_work();
  }

 private:
  std::uint32_t list(std::size_t character, std::uint32_t kind) const {
    return first_list_[character] + kind * plan_.characters[character].instances;
  }

  // Counts the places of lists from the first list: where that begins is known only when all jobs are.
  void place_lists() {
    std::uint32_t at = 0;
    for (const CrowdCharacter& character : plan_.characters) {
      first_list_.push_back(at);
      at += shared::kListKinds * character.instances;
    }
    list_pairs_ = at;
  }

  // Adds the step with the jobs that `fill` adds; adds no step if `fill` adds no job.
  template <class Fill>
  bool add_step(CrowdStep step, const Fill& fill) {
    const std::size_t first = jobs_.size();
    step.range = {.first_job = table_of(step.pass).job_count(), .first_start = narrow(first)};
    contents_ = 0;
    fill();
    if (jobs_.size() == first) return false;
    step.contents = contents_;
    step.range.job_count = narrow(jobs_.size() - first);
    plan_.steps.push_back(std::move(step));
    return true;
  }

  // The jobs of one pass, as the device reads them.
  struct JobTable {
    std::size_t job_words;
    std::vector<std::uint32_t> words;
    std::uint32_t job_count() const { return narrow(words.size() / job_words); }
  };
  JobTable& table_of(CrowdPass pass) { return tables_[static_cast<std::size_t>(pass)]; }

  template <class Job>
  void add_job(CrowdPass pass, const Job& job, std::uint32_t job_blocks, std::size_t character, std::uint32_t kind) {
    static_assert(offsetof(Job, list_first) == 0);  // place_work() adds the start of the lists to it
    JobTable& table = table_of(pass);
    assert(sizeof(Job) == table.job_words * sizeof(std::uint32_t));
    const std::size_t at = table.words.size();
    table.words.resize(at + table.job_words);
    std::memcpy(&table.words[at], &job, sizeof(Job));
    jobs_.push_back({job_blocks, narrow(shared::kListKinds * character + kind)});
  }

  void pose_jobs(PoseKernel kernel, std::uint32_t stage) {
    for (std::size_t c = 0; c < gpu_.entries.size(); ++c) {
      const GpuCharacters::State::Entry& entry = gpu_.entries[c];
      const CrowdCharacter& own = plan_.characters[c];
      const CharacterData& data = *entry.character;
      for (std::size_t p = 0; p < data.passes.size(); ++p) {
        const PalettePass& pass = data.passes[p];
        if (pass.kernel != kernel || pass.record_count == 0 || own.instances == 0) continue;
        if (crowd_stage(data, pass.stage, plan_.stages) != stage) continue;
        const std::uint32_t kind = pass.fit                                 ? shared::kListLinearFit
                                   : pass.kernel == PoseKernel::kKeyWeights ? shared::kListGiven
                                                                            : shared::kListDeformed;
        const shared::PoseJob job{.list_first = list(c, kind),
                                  .record_count = pass.record_count,
                                  .first_record = entry.passes[p].record,
                                  .joint_first = own.first_joint,
                                  .joint_stride = narrow(data.skeleton.joints.size()),
                                  .vertex_first = own.first_driver_word / 3,
                                  .vertex_stride = own.driver_vertices,
                                  .palette_first = own.first_palette + pass.first_slot,
                                  .palette_zero = own.first_palette,
                                  .palette_stride = data.palette_size,
                                  .table_first = entry.passes[p].word,
                                  .input_first = own.first_input,
                                  .input_stride = data.input_count};
        const PoseKernelInfo& info = pose_kernel(kernel);
        const std::uint32_t items = info.invocation_per_entry ? info.slots_per_record : 1;
        add_job(CrowdPass::kPose, job, shared::item_blocks(items * pass.record_count, shared::kPoseWorkgroupSize), c,
                kind);
      }
    }
  }

  void bounds_jobs() {
    for (std::size_t c = 0; c < gpu_.entries.size(); ++c) {
      const GpuCharacters::State::Entry& entry = gpu_.entries[c];
      const CrowdCharacter& own = plan_.characters[c];
      if (own.instances == 0) continue;
      const shared::BoundsJob job{.list_first = list(c, shared::kListGiven),
                                  .first_record = entry.first_bound,
                                  .record_count = entry.bound_count,
                                  .fit_record_count = entry.fit_bound_count,
                                  .palette_first = own.first_palette,
                                  .palette_stride = entry.character->palette_size,
                                  .output_first = own.first_instance};
      add_job(CrowdPass::kBounds, job, 1, c, shared::kListGiven);
    }
  }

  // Returns how long the rows of a linear blend are, as kHasRows...
  static std::uint32_t row_contents(const std::vector<std::uint32_t>& slices) {
    std::uint32_t words = 0;
    for (std::size_t s = 1; s < slices.size(); ++s) words = std::max(words, slices[s] - slices[s - 1]);
    if (words <= 2 * shared::kSliceRows) return 0;
    return words <= 4 * shared::kSliceRows ? shared::kHasRowsOver2 : shared::kHasRowsOver2 | shared::kHasRowsOver4;
  }

  static std::uint32_t contents_of(const CharacterMesh& mesh, const shared::BlendJob& job) {
    std::uint32_t contents = 1u << job.mode;
    if (!mesh.binding.gradients.empty()) contents |= shared::kHasGradients;
    if (mesh.offset_slot) contents |= shared::kHasKeyPoses;
    if (mesh.morphs) contents |= shared::kHasMorphs;
    if (job.mode == shared::kBlendLinear) contents |= row_contents(mesh.binding.slices);
    if (mesh.fit) contents |= shared::kHasFits | shared::kHasLinear | row_contents(mesh.fit->slices);
    if (mesh.control) contents |= shared::kHasDrivers;
    if (job.output_first != shared::kNoSlot) contents |= shared::kHasOutputs;
    return contents;
  }

  // True if less detail moves the mesh in another way.
  static bool can_fade(const CharacterMesh& mesh) { return mesh.mode == BlendMode::kLinear || mesh.fit; }

  // Adds the jobs of the meshes of a stage, or only those for skins that fade.
  void blend_jobs(std::uint32_t stage, bool fading) {
    for (std::size_t c = 0; c < gpu_.entries.size(); ++c) {
      const GpuCharacters::State::Entry& entry = gpu_.entries[c];
      const CrowdCharacter& own = plan_.characters[c];
      const CharacterData& data = *entry.character;
      for (std::size_t m = 0; m < data.meshes.size(); ++m) {
        const CharacterMesh& mesh = data.meshes[m];
        if (mesh.vertex_count() == 0 || own.instances == 0) continue;
        if (crowd_stage(data, mesh.stage, plan_.stages) != stage) continue;
        if (fading && !can_fade(mesh)) continue;
        const std::uint32_t kind = mesh.control     ? shared::kListDeformed
                                   : fading         ? shared::kListFading
                                   : can_fade(mesh) ? shared::kListSteady
                                                    : shared::kListGiven;
        const GpuCharacters::State::MeshStart& start = entry.meshes[m];
        const shared::BlendJob job{
            .list_first = list(c, kind),
            .vertex_count = mesh.vertex_count(),
            .mode = static_cast<std::uint32_t>(mesh.mode),
            .first_point = start.point,
            .first_direction = start.direction,
            .first_slice = start.slice,
            .first_influence = start.influence,
            .palette_first = own.first_palette + mesh.first_slot,
            .palette_stride = data.palette_size,
            .frame_first = mesh.frame_slot ? own.first_palette + *mesh.frame_slot : shared::kNoSlot,
            .driver_first =
                mesh.control ? plan_.driver_base + own.first_driver_word + 3 * mesh.first_vertex : shared::kNoSlot,
            .driver_stride = 3 * own.driver_vertices,
            .output_first = own.mesh_vertex[m] ? own.first_vertex + *own.mesh_vertex[m] : shared::kNoSlot,
            .output_stride = own.vertices,
            .offset_first = mesh.offset_slot ? own.first_palette + *mesh.offset_slot : shared::kNoSlot,
            .root_slot = mesh.wires ? own.first_palette + mesh.wires->root_slot : 0,
            .wires_exponent = mesh.wires ? mesh.wires->exponent : 0.0f,
            .first_gradient = mesh.binding.gradients.empty() ? shared::kNoSlot : start.gradient,
            .first_gradient_unit = start.gradient_unit,
            .first_local = start.local_point,
            .fit_first_slice = mesh.fit ? start.fit_slice : shared::kNoSlot,
            .fit_first_influence = start.fit_influence,
            .fit_palette_first = mesh.fit ? own.first_palette + mesh.fit->first_slot : 0,
            .morph_first = mesh.morphs ? own.first_palette + mesh.morphs->first_slot : shared::kNoSlot,
            .morph_slots = mesh.morphs ? mesh.morphs->slot_count() : 0,
            .morph_row_words = mesh.morphs ? mesh.morphs->row_words : 0,
            .first_morph_slice = start.morph_slice,
            .first_morph_column = start.morph_column,
            .first_morph_offset = start.morph_offset};
        contents_ |= contents_of(mesh, job);
        if (fading || (mesh.control && can_fade(mesh))) contents_ |= shared::kHasFades;
        add_job(CrowdPass::kBlend, job, shared::item_blocks(mesh.vertex_count(), shared::kBlendWorkgroupSize), c, kind);
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
        const shared::NormalsJob job{.list_first = list(c, shared::kListGiven),
                                     .vertex_count = data.meshes[m].vertex_count(),
                                     .first_word = *entry.meshes[m].normal_ring,
                                     .output_first = own.first_vertex + *own.mesh_vertex[m],
                                     .output_stride = own.vertices};
        add_job(CrowdPass::kNormals, job,
                shared::item_blocks(data.meshes[m].vertex_count(), shared::kNormalsWorkgroupSize), c,
                shared::kListGiven);
      }
    }
  }

  std::string name_of(const CrowdStep& step) const {
    switch (step.pass) {
      case CrowdPass::kPose:
        return std::string("pose ") + pose_kernel(step.kernel).name;
      case CrowdPass::kBlend:
        if (step.fading) return "blend of fading skins";
        return step.stage + 1 == plan_.stages ? "blend of skins" : "blend of drivers";
      case CrowdPass::kBounds:
        return "bounds";
      case CrowdPass::kNormals:
        return "normals of skins";
    }
    return {};
  }

  void name_steps() {
    std::map<std::string, int> count;
    for (CrowdStep& step : plan_.steps) {
      step.name = name_of(step);
      ++count[step.name];
    }
    for (CrowdStep& step : plan_.steps) {
      if (count[step.name] > 1) step.name += fmt::format(", stage {}", step.stage);
    }
  }

  // Places the jobs at the front of the work, and starts, counts and lists behind them.
  void place_work() {
    // Jobs of a pass begin at a multiple of their size: a shader reads the work as an array of its own jobs.
    const auto round_up = [](std::size_t value, std::size_t step) { return (value + step - 1) / step * step; };
    std::array<std::uint32_t, kCrowdPassCount> first_job{};
    std::size_t words = 0;
    for (std::size_t p = 0; p < kCrowdPassCount; ++p) {
      words = round_up(words, tables_[p].job_words);
      first_job[p] = narrow(words / tables_[p].job_words);
      words += tables_[p].words.size();
    }
    plan_.jobs.resize(round_up(words, 2));
    plan_.first_start = narrow(plan_.jobs.size() / 2);
    plan_.first_count = narrow(plan_.first_start + jobs_.size());
    const std::uint32_t first_list = narrow(plan_.first_count + shared::kListKinds * plan_.characters.size());
    plan_.work_pairs = std::uint64_t{first_list} + list_pairs_;

    // The lists follow the jobs, whose number is known now.
    for (std::size_t p = 0; p < kCrowdPassCount; ++p) {
      JobTable& jobs = tables_[p];
      for (std::size_t at = 0; at < jobs.words.size(); at += jobs.job_words) jobs.words[at] += first_list;
      std::copy(jobs.words.begin(), jobs.words.end(),
                plan_.jobs.begin() + std::ptrdiff_t(first_job[p] * jobs.job_words));
    }
    write_table(first_list);
    for (CrowdStep& step : plan_.steps) {
      step.range.first_start += plan_.first_start;
      step.range.first_job += first_job[static_cast<std::size_t>(step.pass)];
    }
  }

  // `first_list`: of all lists, in the work.
  void write_table(std::uint32_t first_list) {
    const std::uint32_t first_entry = narrow(plan_.characters.size());  // of the caller's lists, behind the counts
    for (std::size_t c = 0; c < plan_.characters.size(); ++c) {
      const CrowdCharacter& own = plan_.characters[c];
      plan_.table.characters.push_back({own.instances, first_entry + 2 * own.first_instance,
                                        first_list + first_list_[c],
                                        gpu_.entries[c].character->fit_pass() != nullptr ? 1u : 0u});
    }
    plan_.table.list_is_read.resize(shared::kListKinds * plan_.characters.size());
    for (const shared::PlanJob& job : jobs_) plan_.table.list_is_read[job.list] = true;
    for (const CrowdStep& step : plan_.steps)
      plan_.table.steps.push_back({step.range.first_start, step.range.job_count});
    plan_.table.jobs = std::move(jobs_);
  }

  const GpuCharacters::State& gpu_;
  PlannedOutputs outputs_;
  CrowdPlan& plan_;
  std::vector<std::uint32_t> first_list_;  // for each character, from the start of all lists
  std::uint32_t list_pairs_ = 0;
  std::array<JobTable, kCrowdPassCount> tables_{{{sizeof(shared::PoseJob) / sizeof(std::uint32_t), {}},
                                                 {sizeof(shared::BlendJob) / sizeof(std::uint32_t), {}},
                                                 {sizeof(shared::BoundsJob) / sizeof(std::uint32_t), {}},
                                                 {sizeof(shared::NormalsJob) / sizeof(std::uint32_t), {}}}};
  std::uint32_t contents_ = 0;         // contents of the blends of the step being made
  std::vector<shared::PlanJob> jobs_;  // jobs of all kinds, in the order of the steps
};

}  // namespace

CrowdPlan place_crowd(const GpuCharacters::State& gpu, const std::vector<std::uint32_t>& instances,
                      bool control_meshes) {
  CrowdPlan plan;
  for (std::size_t c = 0; c < gpu.entries.size(); ++c) {
    const CharacterData& data = *gpu.entries[c].character;
    // If a total does not fit in 32 bits, the places are wrong; the caller checks the totals first.
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
