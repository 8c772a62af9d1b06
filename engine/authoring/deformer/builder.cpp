// SPDX-License-Identifier: MIT
#include "engine/authoring/deformer/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include <pelt/pose.h>
#include <pelt/try.h>

#include "engine/authoring/deformer/blend_groups.h"
#include "engine/authoring/deformer/far_offsets.h"
#include "engine/authoring/model/affine.h"
#include "engine/authoring/rows/morton_order.h"
#include "engine/character/base/invalid.h"
#include "engine/character/pose_kernels.h"
#include "engine/character/records.h"
#include "engine/character/rows/morphs.h"
#include "shaders/driver/key_pose/pose.h"
#include "shaders/driver/stream/pose.h"
#include "shaders/dual_quaternion/pose.h"

namespace pelt {
namespace {

bool is_unit(glm::vec3 v) { return std::abs(glm::dot(v, v) - 1) < 1e-2f; }

// Normals and tangents as pack needs them: present, and of unit length. Empty: the mesh's own.
struct Directions {
  std::vector<glm::vec3> normals;
  std::vector<glm::vec4> tangents;
  std::vector<std::uint32_t> repaired;  // vertices, ascending
};

// Returns the direction with unit length, or `otherwise` if its length is 0. Computes in double, since squares of
// floats may overflow.
glm::vec3 unit_or(glm::vec3 v, glm::vec3 otherwise) {
  const double length = glm::length(glm::dvec3(v));
  return length > 0 ? glm::vec3(glm::dvec3(v) / length) : otherwise;
}

Directions usable_directions(const Mesh& mesh) {
  const auto unit = [](const auto& v) { return is_unit(glm::vec3(v)); };
  const bool normals_there = mesh.normals.size() == mesh.positions.size();
  if (normals_there && std::ranges::all_of(mesh.normals, unit) && std::ranges::all_of(mesh.tangents, unit)) {
    return {};
  }
  Directions result{mesh.normals, mesh.tangents, {}};
  if (!normals_there) result.normals = vertex_normals(mesh.positions, mesh.triangles);
  for (std::uint32_t i = 0; i < mesh.positions.size(); ++i) {
    glm::vec3& normal = result.normals[i];
    bool repaired = false;
    if (!is_unit(normal)) {
      normal = unit_or(normal, glm::vec3(0, 0, 1));
      repaired = true;
    }
    if (!result.tangents.empty() && !is_unit(glm::vec3(result.tangents[i]))) {
      const glm::vec3 across = std::abs(normal.x) < 0.6f ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0);
      const glm::vec3 tangent = unit_or(glm::vec3(result.tangents[i]), glm::normalize(glm::cross(normal, across)));
      result.tangents[i] = glm::vec4(tangent, result.tangents[i].w < 0 ? -1.0f : 1.0f);
      repaired = true;
    }
    if (repaired) result.repaired.push_back(i);
  }
  return result;
}

// Returns the bytes per vertex that the blend reads (bind data) and writes (the vertex).
double bytes_per_vertex(const PackedBinding& packed) {
  constexpr double kOutputBytes = 20;  // position, packed normal and tangent
  if (packed.points.empty()) return 0;
  const std::size_t bytes =
      packed.points.size() * sizeof(packed.points[0]) + packed.directions.size() * sizeof(packed.directions[0]) +
      packed.slices.size() * sizeof(packed.slices[0]) + packed.influences.size() * sizeof(packed.influences[0]) +
      packed.gradients.size() * sizeof(packed.gradients[0]) + packed.gradient_units.size() * sizeof(float) +
      packed.local_points.size() * sizeof(packed.local_points[0]);
  return static_cast<double>(bytes) / packed.vertex_count() + kOutputBytes;
}

// Subtracts the lowest palette entry from all indices, so that they fit 16 bits, and returns it.
std::uint32_t rebase(std::span<SparseRows> groups) {
  std::uint32_t lowest = std::numeric_limits<std::uint32_t>::max();
  for (const SparseRows& rows : groups) {
    for (const Influence& influence : rows.influences) lowest = std::min(lowest, influence.index);
  }
  for (SparseRows& rows : groups) {
    for (Influence& influence : rows.influences) influence.index -= lowest;
  }
  return lowest == std::numeric_limits<std::uint32_t>::max() ? 0 : lowest;
}

// Copies everything except points and directions from the mesh, with its vertices in `order`; empty: the mesh's order.
void copy_in_order(const Mesh& mesh, std::span<const std::uint32_t> order, CharacterMesh& result) {
  const std::uint32_t count = result.vertex_count();
  std::vector<std::uint32_t> packed_of_source(count);
  result.source_vertex.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    result.source_vertex[i] = order.empty() ? i : order[i];
    packed_of_source[result.source_vertex[i]] = i;
  }
  result.triangles.reserve(mesh.triangles.size());
  for (const glm::uvec3 triangle : mesh.triangles) {
    result.triangles.emplace_back(packed_of_source[triangle.x], packed_of_source[triangle.y],
                                  packed_of_source[triangle.z]);
  }
  if (!mesh.uvs.empty()) {
    result.uvs.reserve(count);
    for (const std::uint32_t source : result.source_vertex) result.uvs.push_back(mesh.uvs[source]);
  }
  result.parts = mesh.parts;
  if (result.parts.empty() && !mesh.triangles.empty()) {
    result.parts.push_back({0, static_cast<std::uint32_t>(mesh.triangles.size()), -1});
  }
}

}  // namespace

CharacterBuilder::CharacterBuilder(const Model& model, bool keep_vertex_order, Correctives correctives)
    : model_(model), keep_vertex_order_(keep_vertex_order), correctives_(std::move(correctives)) {
  data_.name = model.name;
  data_.skeleton = model.skeleton;
  data_.bound_joints = model.bound_joints;
  data_.clips = model.clips;
  for (Clip& clip : data_.clips) {
    std::erase_if(clip.morph_channels, [&](const MorphChannel& channel) {
      const auto corrected = correctives_.find(channel.mesh);
      return corrected != correctives_.end() && corrected->second.keys_of.contains(channel.target);
    });
  }
  data_.materials = model.materials;
  for (const Expression& expression : model.expressions) {
    const std::uint32_t input = data_.input_count++;
    data_.controls.push_back({ControlKind::kExpression, expression.name, "", 0, 0.0f, input});
    for (const ExpressionTarget& target : expression.targets) {
      shares_of_[{target.mesh, target.target}].push_back({input, expression.binary, target.weight});
    }
  }
}

// Reserves palette entries. `first_stage`: the first stage in which a blend may read them.
std::uint32_t CharacterBuilder::take_entries(std::uint64_t count, std::uint32_t first_stage) {
  const auto first = static_cast<std::uint32_t>(palette_size_);
  if (count > 0) stage_of_entries_[first] = first_stage;
  palette_size_ += count;
  return first;
}

// Returns the first stage in which all palette entries of the rows are ready.
std::uint32_t CharacterBuilder::stage_of(std::span<const SparseRows> groups) const {
  std::uint32_t stage = 0;
  auto run = stage_of_entries_.end();
  const auto add = [&](std::uint32_t entry) {
    const bool inside = run != stage_of_entries_.end() && entry >= run->first &&
                        (std::next(run) == stage_of_entries_.end() || entry < std::next(run)->first);
    if (!inside) run = std::prev(stage_of_entries_.upper_bound(entry));
    stage = std::max(stage, run->second);
  };
  for (const SparseRows& rows : groups) {
    for (const Influence& influence : rows.influences) add(influence.index);
  }
  return stage;
}

// Returns the first of the palette entries that pose the bound joints for `mode`.
std::uint32_t CharacterBuilder::joint_entries(BlendMode mode) {
  const auto known = joint_entries_.find(mode);
  if (known != joint_entries_.end()) return known->second;
  PalettePass pass;
  pass.kernel = mode == BlendMode::kDualQuaternion ? PoseKernel::kDualQuaternion : PoseKernel::kLinearBlend;
  pass.painted = pass.kernel == PoseKernel::kLinearBlend;
  pass.record_count = static_cast<std::uint32_t>(model_.bound_joints.size());
  for (const BoundJoint& bound : model_.bound_joints) {
    append_record(pass.records, shared::JointRecord{bound.joint, affine_from_mat4(bound.inverse_bind)});
  }
  return joint_entries_[mode] = add_pass(std::move(pass));
}

SparseRows CharacterBuilder::rows_over_joints(const SparseRows& weights, BlendMode mode) {
  const std::uint32_t stride = mode == BlendMode::kDualQuaternion ? shared::kDualQuaternionEntries : 1;
  const std::uint32_t first_entry = joint_entries(mode);
  SparseRows rows = weights;
  for (Influence& influence : rows.influences) influence.index = first_entry + influence.index * stride;
  return rows;
}

std::uint32_t CharacterBuilder::root_entry() {
  if (root_entry_) return *root_entry_;
  std::vector<glm::mat4> rest(model_.skeleton.joints.size());
  rest_matrices(model_.skeleton, rest);
  PalettePass pass;
  pass.kernel = PoseKernel::kLinearBlend;
  pass.record_count = 1;
  // Parents come before children, so joint 0 is a root. One of no size has no inverse.
  const glm::dmat4 root(model_.root_at_bind.value_or(rest.at(0)));
  const glm::dmat4 inverse = is_invertible(root) ? glm::inverse(root) : glm::dmat4(1.0);
  append_record(pass.records, shared::JointRecord{0, affine_from_mat4(glm::mat4(inverse))});
  root_entry_ = add_pass(std::move(pass));
  return *root_entry_;
}

void CharacterBuilder::add_morphs(const Mesh& mesh, std::span<const std::uint32_t> order, CharacterMesh& result) {
  const auto corrected = correctives_.find(mesh.name);
  SkinKeys skin = corrected == correctives_.end() ? SkinKeys() : corrected->second;
  const std::vector<MorphOffsets> targets = offsets_of(mesh.morph_targets, skin.added);
  const std::vector<std::uint32_t> far = far_targets(mesh.positions, targets);
  PackedMorphs packed = pack_apart(mesh.positions, targets, far, mesh.positions.size(), order);
  if (packed.columns.empty()) return;
  // Targets of which none moves a vertex have no inputs. So correctives that are added later change no input's number.
  const std::size_t own = mesh.morph_targets.size();
  const bool has_inputs = std::ranges::any_of(packed.columns, [&](glm::uvec2 column) {
    const std::uint32_t t = shared::morph_weight_target(column.x);
    return (t < targets.size() ? t : far[t - targets.size()]) < own;
  });
  std::vector<std::vector<std::uint32_t>> keys;
  for (std::uint32_t t = 0; t < targets.size(); ++t) {
    keys.push_back(skin.keys_of[t]);
    if (has_inputs && t < own) std::ranges::copy(weight_keys(mesh, t, 0.0f, skin.weights), std::back_inserter(keys[t]));
    skin.weights.add_weight(keys[t]);
  }
  for (const std::uint32_t t : far) skin.weights.add_weight(keys[t]);
  packed.first_entry = add_pass(skin.weights.finish());
  result.morphs = std::move(packed);
}

Result<CharacterBuilder::Packed> CharacterBuilder::packed(const Mesh& mesh, MeshBinding binding,
                                                          const std::string& deformer, bool control) {
  CharacterMesh result;
  result.name = mesh.name;
  result.deformer = deformer;
  result.control = control;
  result.mode = binding.mode;

  BlendGroups taken = take_groups(binding, mesh.positions);
  std::vector<SparseRows>& groups = taken.rows;
  if (!taken.local_points.empty()) {
    result.mode = BlendMode::kOffsets;
  } else if (groups.size() > 1) {
    result.mode = BlendMode::kWires;
    result.wires = Wires{binding.wires_exponent, root_entry()};
  }
  // build() moves skins to the last stage.
  result.stage = stage_of(groups);
  result.first_entry = rebase(groups);
  const auto at_bind = std::span(at_bind_).subspan(std::min<std::size_t>(result.first_entry, at_bind_.size()));
  Directions directions = usable_directions(mesh);
  // Vertices with the same palette entries should be neighbours, so that the nearest cache has the entries.
  std::vector<std::uint32_t> order;
  if (!control && !keep_vertex_order_) {
    order = morton_order(mesh.positions);
    order_by_row_length(groups, order, row_order_);
  }
  const RestGeometry rest{mesh.positions, directions.normals.empty() ? mesh.normals : directions.normals,
                          directions.tangents.empty() ? mesh.tangents : directions.tangents};
  PELT_ASSIGN(result.binding,
              within(fmt::format("mesh '{}'", mesh.name), pack(groups, rest, order, taken.local_points, at_bind)));
  if (!control && has_weights(mesh)) {
    SparseRows weights = mesh.weights;
    const std::uint32_t first_joint = rebase({&weights, 1});
    PELT_ASSIGN(auto painted,
                within(fmt::format("the weights of mesh '{}'", mesh.name), pack({&weights, 1}, rest, order)));
    result.painted = PaintedWeights{first_joint, std::move(painted.slices), std::move(painted.influences)};
    joint_entries(BlendMode::kLinear);
  }
  MeshReport report;
  for (const SparseRows& rows : groups) {
    const RowStatistics figures = statistics(rows);
    report.mean_influences += figures.mean_influences;
    report.max_influences += figures.max_influences;
  }
  taken = {};  // frees most of the memory that bind uses for a mesh

  copy_in_order(mesh, order, result);

  report.mesh = mesh.name;
  report.deformer = deformer;
  report.vertices = result.vertex_count();
  report.distances = std::move(binding.distances);
  report.remarks = std::move(binding.remarks);
  report.cut_error = binding.cut_error;
  const auto farthest = std::ranges::max_element(report.distances);
  if (farthest != report.distances.end() && *farthest > 0) {
    report.worst_distance = *farthest;
    report.worst_vertex = static_cast<std::uint32_t>(farthest - report.distances.begin());
  }
  report.dropped_elements = binding.dropped_elements;
  report.repaired_vertices = std::move(directions.repaired);
  report.bytes_per_vertex = bytes_per_vertex(result.binding);
  return Packed{std::move(result), std::move(report), std::move(order)};
}

void CharacterBuilder::add(Packed packed) {
  packed.mesh.first_vertex = data_.vertex_count();
  data_.meshes.push_back(std::move(packed.mesh));
  reports_.push_back(std::move(packed.report));
}

Result<std::size_t> CharacterBuilder::add_control_mesh(const Mesh& mesh, MeshBinding binding,
                                                       const std::string& deformer, const ControlOptions& options) {
  PELT_ASSIGN(auto control, packed(mesh, std::move(binding), deformer, true));
  control.mesh.offset_entry = options.offset_entry;
  const auto keyed = std::ranges::find(data_.passes, options.offset_entry, &PalettePass::first_entry);
  if (keyed != data_.passes.end()) {
    control.mesh.first_offset_vertex = control.mesh.vertex_count() - keyed->record_count;
    control.mesh.stage = std::max(control.mesh.stage, keyed->stage);
  }
  if (!options.source_vertex.empty()) control.mesh.source_vertex = options.source_vertex;
  add(std::move(control));
  const std::size_t index = data_.meshes.size() - 1;
  if (options.offset_entry) frame_entries(index);  // offsets move these frames too
  return index;
}

Result<std::size_t> CharacterBuilder::add_streamed_mesh(const Mesh& mesh) {
  PalettePass pass;
  pass.kernel = PoseKernel::kStream;
  pass.record_count = static_cast<std::uint32_t>(mesh.positions.size());
  MeshBinding binding;
  const std::uint32_t first_entry = static_cast<std::uint32_t>(palette_size_);
  const std::uint32_t first_input = data_.input_count;
  data_.input_count += 3 * pass.record_count;
  for (std::uint32_t i = 0; i < pass.record_count; ++i) {
    append_record(pass.records, shared::StreamRecord{first_input + 3 * i, mesh.positions[i]});
    const Influence influence{first_entry + i, 1.0f};
    binding.rows.append_row(std::span(&influence, 1));
  }
  add_pass(std::move(pass));
  Result<std::size_t> added = add_control_mesh(mesh, std::move(binding), "streamed");
  if (added) data_.streams.push_back({static_cast<std::uint32_t>(*added), first_input});
  return added;
}

Result<void> CharacterBuilder::move_vertices(std::size_t control_mesh, const std::vector<VertexOffset>& offsets) {
  PELT_TRY(check_driver_offsets(data_, control_mesh, offsets));
  const auto [known, added] = driver_offsets_.emplace(control_mesh, offsets);
  if (added || known->second == offsets) return {};
  return invalid("the driver '{}' is already used, with other offsets", data_.meshes[control_mesh].name);
}

std::uint32_t CharacterBuilder::control_input(const Mesh& mesh, std::uint32_t target) {
  const std::string name = mesh.name + "/" + mesh.morph_targets[target].name;
  for (const Control& known : data_.controls) {
    if (known.kind == ControlKind::kMorphTarget && known.mesh == mesh.name && known.target == target) {
      return known.input;
    }
  }
  data_.controls.push_back(
      {ControlKind::kMorphTarget, name, mesh.name, target, mesh.morph_targets[target].weight, data_.input_count});
  return data_.input_count++;
}

std::vector<std::uint32_t> CharacterBuilder::weight_keys(const Mesh& mesh, std::uint32_t target, float bound,
                                                         key_weights::WeightTable& weights) {
  std::vector<std::uint32_t> keys = {weights.add_input(control_input(mesh, target), bound)};
  const auto shares = shares_of_.find({mesh.name, target});
  if (shares == shares_of_.end()) return keys;
  for (const Share& share : shares->second) {
    // Above 0.5 (VRM 1.0, expressions.md): the next float is the first that counts.
    const float from = share.binary ? 0.5f : 0.0f;
    const float to = share.binary ? std::nextafter(0.5f, 1.0f) : 1.0f;
    keys.push_back(weights.add_ramp(weights.value_of(share.input), from, to, share.weight));
  }
  return keys;
}

std::uint32_t CharacterBuilder::twist_input(std::uint32_t joint) {
  for (const Control& known : data_.controls) {
    if (known.kind == ControlKind::kTwist && known.target == joint) return known.input;
  }
  data_.controls.push_back(
      {ControlKind::kTwist, "twist/" + data_.skeleton.joints[joint].name, "", joint, 0.0f, data_.input_count});
  return data_.input_count++;
}

std::uint32_t CharacterBuilder::shape_input(const std::string& mesh, const std::string& shape) {
  const std::string name = mesh + "/" + shape;
  const auto known = std::ranges::find(data_.controls, name, &Control::name);
  if (known != data_.controls.end()) return known->input;
  auto target = static_cast<std::uint32_t>(std::ranges::count(data_.controls, mesh, &Control::mesh));
  if (const Mesh* of = model_.find_mesh(mesh)) target += static_cast<std::uint32_t>(of->morph_targets.size());
  data_.controls.push_back({ControlKind::kMorphTarget, name, mesh, target, 0.0f, data_.input_count});
  return data_.input_count++;
}

std::uint32_t CharacterBuilder::clock_input() {
  if (const std::optional<std::uint32_t> known = data_.clock_input()) return *known;
  data_.controls.push_back({ControlKind::kClock, "clock", "", 0, 0.0f, data_.input_count});
  return data_.input_count++;
}

std::optional<std::size_t> CharacterBuilder::find_control_mesh(const std::string& name) const {
  for (std::size_t m = 0; m < data_.meshes.size(); ++m) {
    if (data_.meshes[m].control && data_.meshes[m].name == name) return m;
  }
  return std::nullopt;
}

std::uint32_t CharacterBuilder::first_vertex(std::size_t control_mesh) const {
  return data_.meshes[control_mesh].first_vertex;
}

std::uint32_t CharacterBuilder::frame_entries(std::size_t control_mesh) {
  CharacterMesh& mesh = data_.meshes[control_mesh];
  assert(mesh.control);
  if (!mesh.frame_entry) mesh.frame_entry = take_entries(mesh.vertex_count(), mesh.stage + 1);
  return *mesh.frame_entry;
}

std::uint32_t CharacterBuilder::stage_after(std::size_t control_mesh) const {
  return data_.meshes[control_mesh].stage + 1;
}

std::uint32_t CharacterBuilder::add_pass(PalettePass pass) {
  pass.first_entry =
      take_entries(std::uint64_t{pass.record_count} * pose_kernel(pass.kernel).entries_per_record, pass.stage);
  data_.passes.push_back(std::move(pass));
  return data_.passes.back().first_entry;
}

Result<void> CharacterBuilder::add_skin(const Mesh& mesh, MeshBinding binding, const std::string& deformer) {
  PELT_ASSIGN(auto skin, packed(mesh, std::move(binding), deformer, false));
  add_morphs(mesh, skin.order, skin.mesh);
  add(std::move(skin));
  return {};
}

Result<void> CharacterBuilder::add_level(const LevelMapping& level, MeshBinding binding, const std::string& deformer) {
  const Mesh& whole = model_.meshes[level.of()];
  const auto skin = std::ranges::find(data_.meshes, whole.name, &CharacterMesh::name);
  assert(skin != data_.meshes.end());
  PELT_ASSIGN(auto level_skin, packed(level.mesh(), std::move(binding), deformer, false));
  if (skin->morphs) {
    const auto corrected = correctives_.find(whole.name);
    const std::vector<MorphTarget> none;
    const std::vector<MorphTarget>& added = corrected == correctives_.end() ? none : corrected->second.added;
    std::vector<MorphTarget> moved = level.targets_of(whole.morph_targets);
    for (const MorphTarget& target : added) moved.push_back(level.carry(target));
    PackedMorphs morphs = pack_apart(whole.positions, offsets_of(moved, {}),
                                     far_targets(whole.positions, offsets_of(whole.morph_targets, added)),
                                     level.mesh().positions.size(), level_skin.order);
    morphs.first_entry = skin->morphs->first_entry;  // the weights of the skin's targets
    if (!morphs.columns.empty()) level_skin.mesh.morphs = std::move(morphs);
  }
  const auto index = static_cast<std::uint32_t>(skin - data_.meshes.begin());
  data_.levels.push_back({index, level.level(), std::move(level_skin.mesh)});
  return {};
}

std::string CharacterBuilder::free_name(const std::string& wish) const {
  const auto taken = [&](const std::string& name) {
    return model_.find_mesh(name) != nullptr ||
           std::ranges::any_of(data_.meshes, [&](const CharacterMesh& mesh) { return mesh.name == name; });
  };
  std::string name = wish;
  for (int number = 2; taken(name); ++number) name = fmt::format("{} {}", wish, number);
  return name;
}

Result<CharacterData> CharacterBuilder::build() {
  if (palette_size_ > kMaxCount) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("the palette would have {} entries, too many for 32 bits", palette_size_));
  }
  std::uint32_t last_stage = 0;
  for (const PalettePass& pass : data_.passes) last_stage = std::max(last_stage, pass.stage);
  for (const CharacterMesh& mesh : data_.meshes) last_stage = std::max(last_stage, mesh.stage + (mesh.control ? 1 : 0));
  for (CharacterMesh& mesh : data_.meshes) {
    if (!mesh.control) mesh.stage = last_stage;
  }
  for (SkinLevel& level : data_.levels) level.skin.stage = last_stage;
  data_.stage_count = last_stage + 1;
  std::set<std::pair<std::string_view, std::uint32_t>> targets;
  for (const Control& control : data_.controls) targets.emplace(control.mesh, control.target);
  const auto is_unused = [&](const MorphChannel& c) { return !targets.contains({c.mesh, c.target}); };
  for (Clip& clip : data_.clips) std::erase_if(clip.morph_channels, is_unused);
  data_.palette_size = static_cast<std::uint32_t>(palette_size_);
  return std::move(data_);
}

const Mesh& mesh_of(const DeformerInput& input, const DeformerTarget& target) {
  return target.level != nullptr ? target.level->mesh() : input.model.meshes[target.mesh];
}

std::span<const DeformerTarget> full_detail(const DeformerInput& input) {
  const auto is_level = [](const DeformerTarget& target) { return target.level != nullptr; };
  return {input.targets.begin(), std::ranges::find_if(input.targets, is_level)};
}

tl::unexpected<Error> invalid(const DeformerInput& input, const std::string& why) {
  return invalid("{}: {}", input.layer, why);
}

}  // namespace pelt
