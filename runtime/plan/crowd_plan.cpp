// SPDX-License-Identifier: MIT
#include "runtime/plan/crowd_plan.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "engine/character/base/formatted.h"
#include "engine/character/pose_kernels.h"
#include "runtime/plan/blend_slices.h"
#include "shaders/anchor/anchor.h"
#include "shaders/bounds/bounds.h"
#include "shaders/pose_pass.h"
#include "shaders/tension/tension.h"

namespace pelt::runtime {
namespace {

std::uint32_t narrow(std::uint64_t value) {
  assert(value <= UINT32_MAX);
  return static_cast<std::uint32_t>(value);
}

// All skins move in the last stage, so characters with fewer stages begin later.
std::uint32_t crowd_stage(const CharacterData& data, std::uint32_t stage, std::uint32_t stages) {
  return stage + stages - data.stage_count;
}

class Planner {
 public:
  Planner(const PlannedOutputs& outputs, PlanBases bases, CrowdPlan& plan)
      : outputs_(outputs), bases_(bases), plan_(plan) {}

  void run() {
    number_lists();
    for_each_character([&](const CharacterData& data, std::size_t, const CrowdCharacter&) {
      plan_.stages = std::max(plan_.stages, data.stage_count);
    });
    for (const auto& planned : plan_.characters) {
      if (planned) buffers_ = std::max(buffers_, planned->placed->bind_buffer + 1);
    }
    for (std::uint32_t stage = 0; stage < plan_.stages; ++stage) {
      bool barrier = true;
      const auto add_poses = [&](PoseKernel kernel) {
        const CrowdStep step{.pass = CrowdPass::kPose, .kernel = kernel, .stage = stage, .barrier_before = barrier};
        return add_steps(step, [&] { pose_jobs(kernel, stage); });
      };
      for (const bool first : {true, false}) {
        for (std::size_t k = 0; k < kPoseKernelCount; ++k) {
          const auto kernel = static_cast<PoseKernel>(k);
          if (pose_kernel(kernel).posed_first == first && add_poses(kernel)) barrier = false;
        }
        barrier = true;  // those passes write disjoint ranges, which the next read
      }
      const bool last = stage + 1 == plan_.stages;
      if (last && outputs_.bounds)
        barrier = !add_steps({.pass = CrowdPass::kBounds, .stage = stage}, [&] { bounds_jobs(); });
      if (last) plan_.first_drawing = plan_.steps.size();
      for (const bool light : {true, false}) {
        const CrowdStep step{.pass = CrowdPass::kBlend, .stage = stage, .barrier_before = barrier};
        if (add_steps(step, [&] { blend_jobs(stage, light); })) barrier = false;
      }
      if (last)
        add_steps({.pass = CrowdPass::kAnchors, .stage = stage, .barrier_before = barrier}, [&] { anchor_jobs(); });
      if (last && outputs_.tension) add_steps({.pass = CrowdPass::kTension, .stage = stage}, [&] { tension_jobs(); });
    }
    add_meshes();
    name_steps();
    place_work();
  }

 private:
  // `visit`: gets the data, the number and the CrowdCharacter of each character of the crowd.
  template <class Visit>
  void for_each_character(const Visit& visit) const {
    for (std::size_t c = 0; c < plan_.characters.size(); ++c) {
      if (plan_.characters[c]) visit(*plan_.characters[c]->placed->character, c, *plan_.characters[c]);
    }
  }

  // The same for the characters of the current step's buffer.
  template <class Visit>
  void for_each_of_step(const Visit& visit) const {
    for_each_character([&](const CharacterData& data, std::size_t c, const CrowdCharacter& planned) {
      if (planned.placed->bind_buffer == bind_buffer_) visit(data, c, planned);
    });
  }

  // Fills the table with characters, their ranges of levels and their lists.
  void number_lists() {
    plan_.table.characters.resize(plan_.characters.size());
    for_each_character([&](const CharacterData&, std::size_t c, const CrowdCharacter& planned) {
      plan_.table.characters[c] = {.first_list = narrow(plan_.table.lists.size()),
                                   .first_levels = narrow(plan_.table.levels.size()),
                                   .levels_count = narrow(planned.levels.size()),
                                   .has_linear_blend = planned.painted_entry ? 1u : 0u};
      plan_.table.levels.insert(plan_.table.levels.end(), planned.levels.begin(), planned.levels.end());
      plan_.table.lists.resize(plan_.table.lists.size() + planned.list_count(), {shared::kNoIndex, 0});
    });
  }

  std::uint32_t list(std::size_t character, std::uint32_t kind) const {
    return plan_.table.characters[character].first_list + kind;
  }
  // Returns the list of a range of the character's levels; range 0: all levels.
  std::uint32_t level_list(std::size_t character, std::uint32_t levels) const {
    return list(character, shared::kListLevels + levels);
  }

  // Adds a step for each buffer of bind data from whose characters `fill` makes jobs, all by one kernel. They run
  // concurrently, except for blends of drivers, which write entries of the palettes that they bind for reading. Returns
  // whether there are any.
  template <class Fill>
  bool add_steps(CrowdStep step, const Fill& fill) {
    std::vector<shared::PlanJob>& jobs = plan_.table.jobs;
    const std::size_t first_step = plan_.steps.size();
    contents_ = 0;
    for (bind_buffer_ = 0; bind_buffer_ < buffers_; ++bind_buffer_) {
      const std::size_t first = jobs.size();
      step.bind_buffer = bind_buffer_;
      step.range = {.first_job = table_of(step.pass).job_count(), .first_start = shared::kStartPairs * narrow(first)};
      fill();
      if (jobs.size() == first) continue;
      step.range.job_count = narrow(jobs.size() - first);
      plan_.table.steps.push_back({narrow(first), step.range.job_count});
      plan_.steps.push_back(step);
    }
    for (std::size_t s = first_step; s < plan_.steps.size(); ++s) {
      plan_.steps[s].contents = contents_;
      if (s > first_step) plan_.steps[s].barrier_before = (contents_ & shared::kHasDrivers) != 0;
    }
    return plan_.steps.size() > first_step;
  }

  // The jobs of one pass, or the meshes, in the device's layout.
  struct JobTable {
    std::size_t job_words = 1;
    std::vector<std::uint32_t> words;
    std::uint32_t job_count() const { return narrow(words.size() / job_words); }
  };
  JobTable& table_of(CrowdPass pass) { return tables_[static_cast<std::size_t>(pass)]; }

  template <class Record>
  static void append(JobTable& table, const Record& record) {
    table.job_words = sizeof(Record) / sizeof(std::uint32_t);
    const std::size_t at = table.words.size();
    table.words.resize(at + table.job_words);
    std::memcpy(&table.words[at], &record, sizeof(Record));
  }

  // Adds the meshes that draws find by InstanceLocation::first_mesh.
  void add_meshes() {
    for (std::optional<CrowdCharacter>& planned : plan_.characters) {
      if (!planned) continue;
      planned->first_mesh = tables_[kMeshTable].job_count();
      for (const ShownMesh& shown : planned->meshes) {
        const shared::PlanLevels levels = planned->levels[shown.levels];
        append(tables_[kMeshTable], shared::MeshLocation{.first_vertex = shown.vertex.value_or(shared::kNoIndex),
                                                         .vertex_count = shown.mesh->vertex_count(),
                                                         .first_level = levels.first,
                                                         .last_level = levels.last});
      }
    }
  }

  template <class Job>
  void add_job(CrowdPass pass, const Job& job, std::uint32_t job_blocks, std::uint32_t job_list) {
    append(table_of(pass), job);
    plan_.table.jobs.push_back({job_blocks, job_list});
    plan_.table.lists[job_list].first_in_list = 0;  // set by place_lists()
  }

  void pose_jobs(PoseKernel kernel, std::uint32_t stage) {
    for_each_of_step([&](const CharacterData& data, std::size_t c, const CrowdCharacter& planned) {
      const PlacedCharacter& placed = *planned.placed;
      for (std::size_t p = 0; p < data.passes.size(); ++p) {
        const PalettePass& pass = data.passes[p];
        if (pass.kernel != kernel || pass.record_count == 0) continue;
        if (crowd_stage(data, pass.stage, plan_.stages) != stage) continue;
        const std::uint32_t read_list =
            pass.painted || writes_weights(kernel) ? level_list(c, 0) : list(c, shared::kListDeformed);
        const shared::PoseJob job{.record_count = pass.record_count,
                                  .first_record = placed.passes[p].record,
                                  .first_entry = pass.first_entry,
                                  .table_first = placed.passes[p].word};
        const PoseKernelInfo& info = pose_kernel(kernel);
        const std::uint32_t items = info.invocation_per_entry ? info.entries_per_record : 1;
        add_job(CrowdPass::kPose, job, shared::item_blocks(items * pass.record_count, shared::kPoseWorkgroupSize),
                read_list);
      }
    });
  }

  // Returns the kinds of records that a mesh may have, as shaders/bounds/bounds.h specializes them.
  static std::uint32_t bounds_contents(const CharacterMesh& mesh) {
    return (mesh.mode == BlendMode::kDualQuaternion ? 1u << shared::kBoundsDual : 0) |
           (mesh.binding.local_points.empty() ? 0 : 1u << shared::kBoundsShares);
  }

  void bounds_jobs() {
    for_each_of_step([&](const CharacterData&, std::size_t c, const CrowdCharacter& planned) {
      for (const ShownMesh& shown : planned.meshes) {
        if (!shown.mesh->control) contents_ |= bounds_contents(*shown.mesh);
      }
      const PlacedCharacter& placed = *planned.placed;
      const shared::BoundsJob job{.first_record = placed.first_bound,
                                  .record_count = placed.bound_count,
                                  .painted_record_count = placed.painted_bound_count};
      add_job(CrowdPass::kBounds, job, 1, level_list(c, 0));
    });
  }

  void tension_jobs() {
    for_each_of_step([&](const CharacterData&, std::size_t c, const CrowdCharacter& planned) {
      for (const ShownMesh& shown : planned.meshes) {
        if (shown.mesh->control || shown.mesh->vertex_count() == 0) continue;
        const std::uint32_t blocks = shared::item_blocks(shown.mesh->vertex_count(), shared::kTensionWorkgroupSize);
        const shared::TensionJob job{.vertex_count = shown.mesh->vertex_count(),
                                     .by_blocks = shared::reciprocal_of(blocks),
                                     .first_point = shown.start->point,
                                     .first_direction = shown.start->direction,
                                     .first_slice = shown.start->ring_slice,
                                     .first_ring = shown.start->ring,
                                     .output_first = *shown.vertex};
        add_job(CrowdPass::kTension, job, blocks, level_list(c, shown.levels));
      }
    });
  }

  // Adds the jobs of the meshes of a stage, for their light slices or for the others.
  void blend_jobs(std::uint32_t stage, bool light) {
    for_each_of_step([&](const CharacterData& data, std::size_t c, const CrowdCharacter& planned) {
      for (const ShownMesh& shown : planned.meshes) {
        const CharacterMesh& mesh = *shown.mesh;
        if (mesh.vertex_count() == 0) continue;
        if (crowd_stage(data, mesh.stage, plan_.stages) != stage) continue;
        const std::uint32_t split = light_slices(mesh);
        const Slices all = light ? Slices{0, split} : Slices{split, narrow(mesh.binding.slices.size() - 1)};
        // The slices of a driver that no offset moves.
        const std::uint32_t plain =
            mesh.offset_entry ? std::min(mesh.first_offset_vertex / shared::kSliceRows, all.end) : 0;
        for (const Slices slices : {Slices{all.first, plain}, Slices{std::max(all.first, plain), all.end}}) {
          if (slices.first >= slices.end) continue;
          shared::BlendJob job = part_of(blend_job(shown, planned), slices);
          if (slices.end <= plain) job.offset_first = shared::kNoIndex;
          contents_ |= contents_of(mesh, job, slices);
          add_job(CrowdPass::kBlend, job, shared::item_blocks(job.vertex_count, shared::kBlendWorkgroupSize),
                  mesh.control ? list(c, shared::kListDeformed) : level_list(c, shown.levels));
        }
      }
    });
  }

  // Adds a job for each run of anchors on one skin. They stay on the finest level, whichever is shown.
  void anchor_jobs() {
    for_each_of_step([&](const CharacterData& data, std::size_t c, const CrowdCharacter& planned) {
      std::vector<bool> counted(data.meshes.size(), false);  // in contents_
      for (std::uint32_t first = 0, end = 0; first < planned.anchors; first = end) {
        const std::uint32_t m = data.anchors[first].mesh;
        while (end < planned.anchors && data.anchors[end].mesh == m) ++end;
        const ShownMesh& shown = planned.meshes[m];
        const shared::AnchorJob job{.skin = blend_job(shown, planned),
                                    .first_record = planned.placed->first_anchor + first,
                                    .anchor_count = end - first,
                                    .first_anchor = first};
        if (!counted[m])
          contents_ |= contents_of(*shown.mesh, job.skin, {0, narrow(shown.mesh->binding.slices.size() - 1)});
        counted[m] = true;
        add_job(CrowdPass::kAnchors, job, shared::item_blocks(job.anchor_count, shared::kAnchorWorkgroupSize),
                level_list(c, 0));
      }
    });
  }

  static std::uint32_t mode_index(const ShownMesh& shown) {
    const CharacterMesh& mesh = *shown.mesh;
    if (mesh.wires) return mesh.wires->root_entry;
    if (local_frames(mesh.binding).empty()) return shared::kNoIndex;
    return shown.start->local_point + narrow(group_points(mesh.binding).size());
  }

  shared::BlendJob blend_job(const ShownMesh& shown, const CrowdCharacter& planned) const {
    const CharacterMesh& mesh = *shown.mesh;
    const MeshStart& start = *shown.start;
    const bool painted = planned.painted_entry && mesh.painted;
    return {.vertex_count = mesh.vertex_count(),
            .mode = static_cast<std::uint32_t>(mesh.mode),
            .first_point = start.point,
            .first_direction = start.direction,
            .first_slice = start.slice,
            .first_influence = start.influence,
            .palette_first = mesh.first_entry,
            .frame_first = mesh.frame_entry.value_or(shared::kNoIndex),
            .driver_first = mesh.control ? bases_.driver_word + 3 * mesh.first_vertex : shared::kNoIndex,
            .output_first = shown.vertex.value_or(shared::kNoIndex),
            .offset_first = mesh.offset_entry.value_or(shared::kNoIndex),
            .mode_index = mode_index(shown),
            .wires_exponent = mesh.wires ? mesh.wires->exponent : 0.0f,
            .first_gradient = mesh.binding.gradients.empty() ? shared::kNoIndex : start.gradient,
            .first_gradient_unit = start.gradient_unit,
            .first_local = start.local_point,
            .painted_first_slice = painted ? start.painted_slice : shared::kNoIndex,
            .painted_first_influence = start.painted_influence,
            .painted_palette_first = painted ? *planned.painted_entry + mesh.painted->first_joint : 0,
            .morph_first = mesh.morphs ? mesh.morphs->first_entry : shared::kNoIndex,
            .morph_entries = mesh.morphs ? mesh.morphs->entry_count() : 0,
            .morph_row_words = mesh.morphs ? mesh.morphs->row_words : 0,
            .first_morph_slice = start.morph_slice,
            .first_morph_column = start.morph_column,
            .first_morph_offset = start.morph_offset,
            .first_level = planned.levels[shown.levels].first,
            .last_level = planned.levels[shown.levels].last};
  }

  std::string name_of(const CrowdStep& step) const {
    switch (step.pass) {
      case CrowdPass::kPose:
        return std::string("pose ") + pose_kernel(step.kernel).name;
      case CrowdPass::kBlend:
        return step.stage + 1 == plan_.stages ? "blend of skins" : "blend of drivers";
      case CrowdPass::kBounds:
        return "bounds";
      case CrowdPass::kTension:
        return "tension";
      case CrowdPass::kAnchors:
        return "anchors";
    }
    return {};
  }

  void name_steps() {
    std::map<std::string, int> count;
    for (CrowdStep& step : plan_.steps) {
      step.name = name_of(step);
      if (step.bind_buffer > 0) step.name += formatted(" (bind data {})", step.bind_buffer + 1);
      if (step.pass == CrowdPass::kBlend && step.stage + 1 == plan_.stages && count.contains(step.name))
        step.name += ", slow rows";
      ++count[step.name];
    }
    for (CrowdStep& step : plan_.steps) {
      if (count[step.name] > 1) step.name += formatted(", stage {}", step.stage);
    }
  }

  // Places jobs and meshes after the locations of instances, then starts, counts and lists.
  void place_work() {
    // They begin at a multiple of their size, because a shader reads the work as an array of them.
    const auto round_up = [](std::size_t value, std::size_t step) { return (value + step - 1) / step * step; };
    std::array<std::uint32_t, kTableCount> first_job{};
    plan_.first_job = shared::location_pair(bases_.instances);
    const std::size_t first_word = std::size_t{2} * plan_.first_job;
    std::size_t end = first_word;
    for (std::size_t p = 0; p < kTableCount; ++p) {
      const JobTable& jobs = tables_[p];
      const std::size_t first = round_up(end, jobs.job_words);
      first_job[p] = narrow(first / jobs.job_words);
      end = first + jobs.words.size();
      plan_.jobs.resize(end - first_word);
      std::copy(jobs.words.begin(), jobs.words.end(), plan_.jobs.begin() + std::ptrdiff_t(first - first_word));
    }
    plan_.jobs.resize(round_up(plan_.jobs.size(), 2));
    plan_.first_start = plan_.first_job + narrow(plan_.jobs.size() / 2);
    plan_.first_count = plan_.first_start + shared::kStartPairs * narrow(plan_.table.jobs.size());
    plan_.first_list = plan_.first_count + narrow(plan_.table.lists.size());
    for (CrowdStep& step : plan_.steps) {
      step.range.first_start += plan_.first_start;
      step.range.first_job += first_job[static_cast<std::size_t>(step.pass)];
    }
    for (std::optional<CrowdCharacter>& planned : plan_.characters) {
      if (planned) planned->first_mesh += first_job[kMeshTable];
    }
  }

  const PlannedOutputs& outputs_;
  PlanBases bases_;
  CrowdPlan& plan_;
  static constexpr std::size_t kMeshTable = kCrowdPassCount;  // after those of the passes
  static constexpr std::size_t kTableCount = kMeshTable + 1;
  std::array<JobTable, kTableCount> tables_;
  std::uint32_t buffers_ = 0;
  std::uint32_t bind_buffer_ = 0;  // of the current step
  std::uint32_t contents_ = 0;     // of its blends, in all buffers
};

// Returns a character that is not uploaded, with meaningless starts.
PlacedCharacter without_data(const Character& character) {
  PlacedCharacter placed{.character = character};
  placed.meshes.resize(character->meshes.size());
  placed.levels.resize(character->levels.size());
  placed.passes.resize(character->passes.size());
  return placed;
}

}  // namespace

CrowdCharacter::CrowdCharacter(const PlacedCharacter& of, const PlannedOutputs& outputs)
    : placed(&of),
      joints(narrow(of.character->skeleton.joints.size())),
      inputs(of.character->input_count),
      palette_entries(of.character->palette_size),
      anchors(outputs.anchors ? narrow(of.character->anchors.size()) : 0),
      clock_input(of.character->clock_input()),
      levels{{0, kMaxLevel}} {
  const CharacterData& data = *of.character;
  if (data.has_linear_blend()) painted_entry = data.painted_pass()->first_entry;
  const auto range_of = [&](shared::PlanLevels wanted) {
    const auto is_wanted = [&](shared::PlanLevels known) {
      return known.first == wanted.first && known.last == wanted.last;
    };
    const auto found = std::find_if(levels.begin(), levels.end(), is_wanted);
    const auto number = static_cast<std::uint32_t>(found - levels.begin());
    if (found == levels.end()) levels.push_back(wanted);
    return number;
  };
  // Levels are sorted by mesh: returns the first level of mesh m or a later one.
  const auto level_of = [&](std::size_t m) {
    return std::find_if(data.levels.begin(), data.levels.end(), [&](const SkinLevel& level) { return level.of >= m; });
  };
  const auto add = [&](const CharacterMesh& mesh, const MeshStart& start, shared::PlanLevels shown) {
    ShownMesh made{.mesh = &mesh, .start = &start, .levels = range_of(shown)};
    if (!mesh.control || outputs.control_meshes) {
      made.vertex = vertices;
      vertices += mesh.vertex_count();
    }
    meshes.push_back(made);
  };
  for (std::size_t m = 0; m < data.meshes.size(); ++m) {
    const CharacterMesh& mesh = data.meshes[m];
    if (mesh.control) driver_vertices = std::max(driver_vertices, mesh.first_vertex + mesh.vertex_count());
    const auto next = level_of(m);
    const bool has_levels = next != data.levels.end() && next->of == m;
    add(mesh, of.meshes[m], {0, has_levels ? next->level - 1 : kMaxLevel});
  }
  for (std::size_t l = 0; l < data.levels.size(); ++l) {
    const SkinLevel& level = data.levels[l];
    const bool has_next = l + 1 < data.levels.size() && data.levels[l + 1].of == level.of;
    add(level.skin, of.levels[l], {level.level, has_next ? data.levels[l + 1].level - 1 : kMaxLevel});
  }
}

CrowdPlan plan_crowd(std::vector<std::optional<CrowdCharacter>> characters, const PlannedOutputs& outputs,
                     PlanBases bases) {
  CrowdPlan plan{.characters = std::move(characters)};
  Planner(outputs, bases, plan).run();
  return plan;
}

void place_lists(const std::vector<std::uint32_t>& instances, CrowdPlan& plan) {
  std::uint32_t next = plan.first_list;
  for (std::size_t c = 0; c < plan.characters.size(); ++c) {
    if (!plan.characters[c]) continue;
    const std::uint32_t first = plan.table.characters[c].first_list;
    for (std::uint32_t l = first; l < first + plan.characters[c]->list_count(); ++l) {
      shared::PlanList& list = plan.table.lists[l];
      if (list.first_in_list == shared::kNoIndex) continue;  // no job reads it
      list = {next, instances[c]};
      next += instances[c];
    }
  }
  plan.end_list = next;
}

CrowdPlan plan_ahead(std::span<const Character> characters, const PlannedOutputs& outputs, PlanBases bases) {
  std::deque<PlacedCharacter> placed;
  std::vector<std::optional<CrowdCharacter>> wanted;
  for (const Character& character : characters) {
    placed.push_back(without_data(character));
    wanted.emplace_back(CrowdCharacter(placed.back(), outputs));
  }
  return plan_crowd(std::move(wanted), outputs, bases);
}

}  // namespace pelt::runtime
