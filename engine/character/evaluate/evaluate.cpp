// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <optional>
#include <vector>

#include <pelt/evaluate.h>
#include <pelt/pose.h>

#include "engine/character/action_clock.h"
#include "engine/character/base/guard_memory.h"
#include "engine/character/evaluate/active_morphs.h"
#include "engine/character/evaluate/blend.h"
#include "engine/character/evaluate/lane_kernels.h"
#include "engine/character/pose_kernels.h"

namespace pelt {

namespace {

constexpr std::size_t kEntryGrain = 256;
constexpr std::size_t kVertexGrain = 1024;
constexpr std::size_t kSliceGrain = kVertexGrain / shared::kSliceRows;

// Splits a range of slices into runs that morph targets move or do not move.
class SliceRuns {
 public:
  static constexpr std::size_t kMaxMoved = 8;  // slices; their sums fit into a small cache
  struct Run {
    SliceRange slices;  // empty: no further run
    bool moved;
  };

  SliceRuns(const PackedMorphs& morphs, const ActiveMorphs& active, SliceRange slices)
      : morphs_(morphs), active_(active), rest_(slices), moved_(look_at(slices.first)) {}

  Run next() {
    Run run{{rest_.first, rest_.first}, moved_};
    while (rest_.first < rest_.last && moved_ == run.moved &&
           !(run.moved && rest_.first - run.slices.first == kMaxMoved)) {
      moved_ = look_at(++rest_.first);
    }
    run.slices.last = rest_.first;
    return run;
  }

 private:
  bool look_at(std::size_t slice) const {
    if (slice >= rest_.last || !active_.moves(slice)) return false;
    prefetch(morphs_, active_, slice);
    return true;
  }

  const PackedMorphs& morphs_;
  const ActiveMorphs& active_;
  SliceRange rest_;
  bool moved_;  // of the first slice of `rest_`
};

// Slices of a mesh at rest, with its morph targets applied.
struct MorphedSlices {
  static constexpr std::size_t kMaxSlices = SliceRuns::kMaxMoved;
  std::array<MorphSums, kMaxSlices> sums;
  std::array<glm::vec3, kMaxSlices * shared::kSliceRows> points;
  std::array<glm::uvec2, kMaxSlices * shared::kSliceRows> directions;

  // Adds up the targets for slices [first, last) of a mesh. `write_rows`: also adds them to the rows, for kernels that
  // do not.
  RestShape morph(const CharacterMesh& mesh, const ActiveMorphs& active, SliceRange slices, bool write_rows) {
    sum_morphs(*mesh.morphs, active, slices, sums);
    if (!write_rows) {
      RestShape rest = rest_shape(mesh.binding);
      rest.sums = sums.data();
      return rest;
    }
    for (std::size_t i = 0; i < slices.last - slices.first; ++i) {
      const std::size_t row = i * shared::kSliceRows;
      apply_morphs(sums[i], slices.first + i, mesh.binding, std::span(points).subspan(row).first<shared::kSliceRows>(),
                   std::span(directions).subspan(row).first<shared::kSliceRows>());
    }
    return {points.data(), directions.data(), slices.first * shared::kSliceRows};
  }
};

}  // namespace

struct Evaluator::State {
  Character character;
  Options options;
  std::vector<glm::mat4> joints;
  std::vector<float> inputs;
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
  std::vector<glm::vec4> tangents;
  std::vector<glm::i8vec2> tension;
  std::vector<TensionRings> rings;  // per mesh, for `tension`
  std::vector<Affine> palette;
  std::vector<PaletteLine> lines;                          // the palette as the vector kernels load it
  Stretches stretches = Stretches::kNone;                  // of the dual quaternions in this evaluate()
  std::vector<std::optional<ActiveMorphs>> active_morphs;  // per mesh
  Detail detail = Detail::kFull;
  std::vector<PackedBinding> painted;  // per mesh, from first use
  std::optional<std::uint32_t> clock_input;
  ActionClock clock;
  ActionProgress action;
  bool restarts = false;  // action starts at rest in this evaluate()
  std::uint64_t evaluations = 0;
  Detail evaluated_detail = Detail::kFull;  // of the last one

  void pose_palette(const PalettePass& pass) {
    const PoseContext context{joints, positions, inputs, palette, restarts};
    const PoseKernelInfo& kernel = pose_kernel(pass.kernel);
    PoseRecords& pose = pose_on_cpu(pass.kernel, options.same_everywhere);
    for_ranges(options.jobs, pass.record_count, kEntryGrain / kernel.entries_per_record,
               [&](std::size_t begin, std::size_t end) { pose(pass, begin, end, context); });
    const std::size_t count = std::size_t{pass.record_count} * kernel.entries_per_record;
    if (kernel.contents[0] != EntryContent::kDualQuaternion) return fill_lines(pass.first_entry, count);
    const Stretches found =
        make_dual_quaternion_lines(std::span<const Affine>(palette).subspan(pass.first_entry, count),
                                   std::span(lines).subspan(pass.first_entry, count));
    if (found == Stretches::kSome) stretches = found;
  }

  void pose_palettes(std::uint32_t stage) {
    for (const PalettePass& pass : character->passes) {
      if (pass.stage == stage) pose_palette(pass);
    }
  }

  // Returns true if a morph target of the mesh has a weight other than 0, and finds the active targets.
  bool is_morphed(std::size_t m) {
    if (!options.morphs || !active_morphs[m]) return false;
    active_morphs[m]->set(&palette[character->meshes[m].morphs->first_entry][0].x);
    return active_morphs[m]->any();
  }

  // Calls blend(rest shape, slices) for all slices of mesh m, in parallel. Slices that no morph target moves get the
  // binding's own shape. `mode`: the mode of `blend`.
  template <class Blend>
  void for_slices(std::size_t m, BlendMode mode, const Blend& blend) {
    const CharacterMesh& mesh = character->meshes[m];
    const bool morph = is_morphed(m);
    const bool by_vectors = mode == BlendMode::kLinear || mode == BlendMode::kDualQuaternion;
    const bool write_rows = !by_vectors || options.same_everywhere;
    for_ranges(options.jobs, slice_count(mesh.binding), kSliceGrain, [&](std::size_t begin, std::size_t end) {
      const RestShape rest = rest_shape(mesh.binding);
      if (!morph) return blend(rest, SliceRange{begin, end});
      MorphedSlices morphed;
      const ActiveMorphs& active = *active_morphs[m];
      SliceRuns runs(*mesh.morphs, active, {begin, end});
      for (SliceRuns::Run run = runs.next(); run.slices.first < run.slices.last;) {
        const SliceRuns::Run next = runs.next();  // prefetches while this run is moved
        blend(run.moved ? morphed.morph(mesh, active, run.slices, write_rows) : rest, run.slices);
        run = next;
      }
    });
  }

  BlendOutputs outputs_of(const CharacterMesh& mesh) {
    const bool directions = !mesh.control || options.control_meshes;
    return {
        .positions = positions.data() + mesh.first_vertex,
        .normals = directions && options.normals ? normals.data() + mesh.first_vertex : nullptr,
        .tangents = directions && options.tangents ? tangents.data() + mesh.first_vertex : nullptr,
        .frames = mesh.frame_entry ? palette.data() + *mesh.frame_entry : nullptr,
    };
  }

  void blend_linearly(const PackedBinding& binding, RestShape rest, SliceRange slices, std::uint32_t first_entry,
                      const BlendOutputs& out) const {
    if (options.same_everywhere) {
      blend_linear_by_scalars(binding, rest, slices, std::span(palette).subspan(first_entry), out);
    } else {
      blend_linear(binding, rest, slices, std::span(lines).subspan(first_entry), out);
    }
  }

  std::uint32_t first_painted_entry(const CharacterMesh& mesh) const {
    return character->painted_pass()->first_entry + mesh.painted->first_joint;
  }

  void pose_painted() {
    for (const PalettePass& pass : character->passes) {
      if (pass.painted || writes_weights(pass.kernel)) pose_palette(pass);
    }
  }

  void blend_painted() {
    for (std::size_t m = 0; m < painted.size(); ++m) {
      const CharacterMesh& mesh = character->meshes[m];
      if (!mesh.painted) continue;
      const BlendOutputs out = outputs_of(mesh);
      const std::uint32_t first_entry = first_painted_entry(mesh);
      for_slices(m, BlendMode::kLinear, [&](RestShape rest, SliceRange slices) {
        blend_linearly(painted[m], rest, slices, first_entry, out);
      });
    }
  }

  void blend_meshes(std::uint32_t stage, bool skins) {
    for (std::size_t m = 0; m < character->meshes.size(); ++m) {
      const CharacterMesh& mesh = character->meshes[m];
      if (mesh.stage != stage || !(skins || mesh.control)) continue;
      BlendOutputs out = outputs_of(mesh);
      if (mesh.offset_entry && mesh.first_offset_vertex == 0)
        out.normals = nullptr, out.tangents = nullptr;  // add_offsets() writes them
      for_slices(m, mesh.mode, [&](RestShape rest, SliceRange slices) {
        const std::span<const Affine> entries = std::span(palette).subspan(mesh.first_entry);
        switch (mesh.mode) {
          case BlendMode::kLinear:
            blend_linearly(mesh.binding, rest, slices, mesh.first_entry, out);
            break;
          case BlendMode::kDualQuaternion:
            if (options.same_everywhere) {
              blend_dual_quaternion_by_scalars(mesh.binding, rest, slices, entries, out);
            } else {
              blend_dual_quaternion(mesh.binding, rest, slices, std::span(lines).subspan(mesh.first_entry), stretches,
                                    out);
            }
            break;
          case BlendMode::kWires:
            blend_wires(mesh.binding, rest, slices, entries, {palette[mesh.wires->root_entry], mesh.wires->exponent},
                        out);
            break;
          case BlendMode::kOffsets:
            blend_offsets(mesh.binding, rest, slices, entries, out);
            break;
        }
      });
      if (mesh.offset_entry) {
        add_offsets(mesh.binding, mesh.first_offset_vertex,
                    std::span<const Affine>(palette).subspan(*mesh.offset_entry), outputs_of(mesh));
      }
      if (mesh.frame_entry) fill_lines(*mesh.frame_entry, mesh.vertex_count());
    }
  }

  void evaluate(bool skins) {
    ++evaluations;
    evaluated_detail = detail;
    if (detail == Detail::kLinearBlend) {
      pose_painted();
      if (skins) blend_painted();
    } else {
      if (clock_input) {
        inputs[*clock_input] = clock.value();
        restarts = action.pose(clock);
      }
      stretches = Stretches::kNone;
      for (std::uint32_t stage = 0; stage < character->stage_count; ++stage) {
        pose_palettes(stage);
        blend_meshes(stage, skins);
      }
    }
    for (std::size_t m = 0; skins && m < rings.size(); ++m) {
      const CharacterMesh& mesh = character->meshes[m];
      if (mesh.control) continue;
      for_ranges(options.jobs, slice_count(mesh.binding), kSliceGrain, [&](std::size_t begin, std::size_t end) {
        find_tension(mesh.binding, rings[m], {begin, end}, positions.data() + mesh.first_vertex,
                     tension.data() + mesh.first_vertex);
      });
    }
    for (std::size_t m = 0; !skins && m < character->meshes.size(); ++m) is_morphed(m);  // for blend_one()
  }

  // Moves one vertex of a skin to outputs of one vertex.
  void blend_one(std::size_t m, std::size_t v, const BlendOutputs& out) const {
    const CharacterMesh& mesh = character->meshes[m];
    assert(!mesh.control && v < mesh.vertex_count());
    glm::vec3 point = mesh.binding.points[v];
    glm::uvec2 directions = mesh.binding.directions[v];
    if (options.morphs && active_morphs[m] && active_morphs[m]->any()) active_morphs[m]->move(v, point, directions);
    const RestShape rest{&point, &directions, v};
    const std::span<const Affine> entries(palette);
    if (evaluated_detail == Detail::kLinearBlend)
      return blend_vertex(painted[m], BlendMode::kLinear, rest, v, entries.subspan(first_painted_entry(mesh)), {}, out);
    WiresParameters wires{};
    if (mesh.wires) wires = {entries[mesh.wires->root_entry], mesh.wires->exponent};
    blend_vertex(mesh.binding, mesh.mode, rest, v, entries.subspan(mesh.first_entry), wires, out);
  }

  void fill_lines(std::size_t first, std::size_t count) {
    make_palette_lines(std::span<const Affine>(palette).subspan(first, count), std::span(lines).subspan(first, count));
  }
};

Evaluator::Evaluator(const Character& character, Options options)
    : state_(std::make_unique<State>(State{.character = character, .options = options})) {
  State& state = *state_;
  state.options.tangents = options.tangents && options.normals;  // tangents are orthogonalised to normals
  const std::size_t vertices = character->vertex_count();
  state.joints.resize(character->skeleton.joints.size());
  rest_matrices(character->skeleton, state.joints);
  state.inputs.resize(character->input_count);
  rest_inputs(*character, state.inputs);
  state.clock_input = character->clock_input();
  state.positions.resize(vertices);
  if (state.options.normals) state.normals.resize(vertices);
  if (state.options.tangents) state.tangents.resize(vertices);
  if (options.tension) state.tension.resize(vertices);
  state.palette.resize(character->palette_size, affine_identity());
  state.lines.resize(character->palette_size);
  for (const CharacterMesh& mesh : state.character->meshes) {
    state.active_morphs.emplace_back();
    if (mesh.morphs) state.active_morphs.back().emplace(*mesh.morphs);
    if (!options.tension) continue;
    const bool skin = !mesh.control;
    state.rings.push_back(skin ? tension_rings(mesh.binding.points, mesh.triangles) : TensionRings{});
  }
}

Result<Evaluator> Evaluator::create(const Character& character, Options options) {
  return guard_memory([&]() -> Result<Evaluator> { return Evaluator(character, options); });
}

Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

void Evaluator::pose(std::span<const glm::mat4> joints) {
  assert(joints.size() == state_->joints.size());
  std::copy(joints.begin(), joints.end(), state_->joints.begin());
  turn_helpers(state_->character->skeleton, state_->joints);
}

void Evaluator::inputs(std::span<const float> values) {
  assert(values.size() == state_->inputs.size());
  std::copy(values.begin(), values.end(), state_->inputs.begin());
}

void Evaluator::stream(std::size_t stream, std::span<const glm::vec3> positions) {
  const Stream& target = state_->character->streams[stream];
  assert(positions.size() == state_->character->meshes[target.mesh].vertex_count());
  std::memcpy(&state_->inputs[target.first_input], positions.data(), positions.size_bytes());
}

void Evaluator::control(std::size_t control, float value) {
  state_->inputs[state_->character->controls[control].input] = value;
}

void Evaluator::advance(float seconds) { state_->clock.advance(seconds); }

void Evaluator::teleport() { state_->action.restart(); }

void Evaluator::set_detail(Detail detail) {
  State& state = *state_;
  if (!state.character->has_linear_blend()) detail = Detail::kFull;
  if (detail == Detail::kFull || !state.painted.empty()) {
    state.detail = detail;
    return;
  }
  std::vector<PackedBinding> painted;
  for (const CharacterMesh& mesh : state.character->meshes) {
    painted.push_back(mesh.painted ? painted_binding(mesh) : PackedBinding{});
  }
  state.painted = std::move(painted);
  state.detail = detail;
}

void Evaluator::evaluate() { state_->evaluate(true); }
void Evaluator::evaluate_controls() { state_->evaluate(false); }
std::uint64_t Evaluator::evaluations() const { return state_->evaluations; }

Evaluator::Vertex Evaluator::vertex(std::size_t mesh, std::size_t vertex) const {
  Vertex moved{};
  state_->blend_one(mesh, vertex, {.positions = &moved.position, .normals = &moved.normal, .tangents = &moved.tangent});
  return moved;
}

glm::vec3 Evaluator::position(std::size_t mesh, std::size_t vertex) const {
  glm::vec3 moved(0.0f);
  state_->blend_one(mesh, vertex, {.positions = &moved});
  return moved;
}

const Character& Evaluator::character() const { return state_->character; }
Detail Evaluator::detail() const { return state_->evaluated_detail; }

std::span<const glm::vec3> Evaluator::positions() const { return state_->positions; }
std::span<const glm::vec3> Evaluator::normals() const { return state_->normals; }
std::span<const glm::vec4> Evaluator::tangents() const { return state_->tangents; }
std::span<const glm::i8vec2> Evaluator::tension() const { return state_->tension; }
std::span<const Affine> Evaluator::palette() const { return state_->palette; }

}  // namespace pelt
