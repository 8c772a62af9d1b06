// SPDX-License-Identifier: MIT
#include "samples/pelt/bind_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <pelt/pack.h>
#include <pelt/tools/area.h>
#include <pelt/tools/inspect.h>
#include <pelt/tools/triangle_tree.h>
#include <pelt/try.h>

#include "samples/pelt/input.h"
#include "samples/renderer/shaders/color_ramp.h"

namespace pelt::samples {
namespace {

// Returns value(mesh, vertex in packed order) for every vertex of a skin, and 0 for those of control meshes.
template <class Value>
std::vector<float> of_skins(const CharacterData& data, const Value& value) {
  std::vector<float> values(data.vertex_count(), 0.0f);
  for (const CharacterMesh& mesh : data.meshes) {
    if (mesh.control) continue;
    const SparseRows rows = unpack_rows(mesh.binding);
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
      values[mesh.first_vertex + v] = static_cast<float>(value(mesh, v, rows.row(v)));
    }
  }
  return values;
}

// Divides all values by the largest and returns it.
float normalise(std::vector<float>& values) {
  const float most = values.empty() ? 0 : *std::ranges::max_element(values);
  for (float& value : values) value = most > 0 ? value / most : 0;
  return most;
}

constexpr float kMoves = 0.02f;  // share from which on a level moves a vertex

// Returns the finest refinement level of a surface that moves each vertex, over the finest of all.
BindView view_of_levels(const CharacterData& data) {
  std::vector<float> finest(data.vertex_count(), 0.0f);
  constexpr std::string_view kLevel = " level ";
  float level = 0;
  for (const CharacterMesh& mesh : data.meshes) {
    const std::size_t named = mesh.name.rfind(kLevel);
    const auto number = named == std::string::npos
                            ? std::optional(0u)
                            : parse_number(std::string_view(mesh.name).substr(named + kLevel.size()), 0u, 99u);
    if (!mesh.control || mesh.deformer != "hierarchical_bspline" || !number) continue;
    level = static_cast<float>(*number);
    std::vector<std::uint32_t> vertices(mesh.vertex_count());
    std::iota(vertices.begin(), vertices.end(), mesh.first_vertex);
    const std::vector<float> shares = source_shares(data, SourceKind::kVertex, vertices);
    for (std::size_t v = 0; v < shares.size(); ++v) finest[v] = shares[v] > kMoves ? level : finest[v];
  }
  for (float& value : finest) value /= std::max(level, 1.0f);
  return {std::move(finest), "level 0", fmt::format("level {:.0f}", level)};
}

// Returns a colour for each joint or sub-segment, that of the one that moves each vertex most.
BindView view_of_segments(const CharacterData& data) {
  std::vector<float> values(data.vertex_count(), 0.0f);
  std::vector<float> most(data.vertex_count(), 0.0f);
  float color = 0;
  for (const PalettePass& pass : data.passes) {
    for (std::uint32_t e = 0; pass.stage == 0 && e < pass.record_count * entries_per_record(pass.kernel); ++e) {
      const std::uint32_t entry = pass.first_entry + e;
      if (!has_frame(entry_kind(data, entry))) continue;
      const std::vector<float> shares = source_shares(data, SourceKind::kEntry, {&entry, 1});
      for (std::size_t v = 0; v < shares.size(); ++v) {
        if (shares[v] > most[v]) most[v] = shares[v], values[v] = color;
      }
      // Steps of the golden ratio keep all colours apart, however many there are.
      color = std::fmod(color + 0.618034f, 1.0f);
    }
  }
  return {std::move(values), "joints", "and parts"};
}

// Returns the largest error of each vertex of a learnt character.
Result<BindView> view_of_errors(const CharacterData& data) {
  const Certificate& learnt = data.certificate;
  if (learnt.empty()) return fail(ErrorCode::kNotFound, "the character is not learnt, and has no errors to show");
  if (learnt.errors.empty()) return fail(ErrorCode::kNotFound, "levels of detail have no errors to show");
  std::size_t first = 0;  // vertex of the mesh among those of all skins
  BindView view{.values = {}, .least = "0", .most = fmt::format("{:.3g} mm", 255e3 * learnt.unit)};
  view.values = of_skins(data, [&](const CharacterMesh& mesh, std::uint32_t v, auto) {
    const std::size_t at = first + mesh.source_vertex[v];
    if (v + 1 == mesh.vertex_count()) first += mesh.vertex_count();
    const std::uint32_t four = at / 4 < learnt.errors.size() ? learnt.errors[at / 4] : 0;
    return static_cast<float>(four >> (8 * (at % 4)) & 255u) / 255;
  });
  return view;
}

// Makes a tree of the surfaces of all drivers of skins.
Result<TriangleTree> driver_tree(const CharacterData& data) {
  std::uint32_t last = 0;
  for (const CharacterMesh& mesh : data.meshes) {
    if (mesh.control && !mesh.triangles.empty()) last = std::max(last, mesh.stage);
  }
  std::vector<glm::vec3> positions;
  std::vector<glm::uvec3> triangles;
  for (const CharacterMesh& mesh : data.meshes) {
    if (!mesh.control || mesh.stage != last) continue;
    const auto first = static_cast<std::uint32_t>(positions.size());
    positions.insert(positions.end(), mesh.binding.points.begin(), mesh.binding.points.end());
    for (const glm::uvec3 t : mesh.triangles) triangles.push_back(t + first);
  }
  drop_flat(positions, triangles);
  if (triangles.empty()) return fail(ErrorCode::kNotFound, "there is no driver to measure a distance from");
  return TriangleTree::create(positions, triangles);
}

}  // namespace

Result<BindView> view_of_bind(const Character& character, const std::string& what) {
  const CharacterData& data = *character;
  BindView view;
  if (what == "influences") {
    view.values = of_skins(data, [](const CharacterMesh&, std::uint32_t, auto row) { return row.size(); });
    view.least = fmt::to_string(0);
    view.most = fmt::format("{:.0f} influences", normalise(view.values));
    return view;
  }
  if (what == "unbound") {
    const auto is_joint = [&](std::uint32_t entry) {
      const EntryKind kind = entry_kind(data, entry);
      return kind == EntryKind::kJoint || kind == EntryKind::kJointStretch || kind == EntryKind::kBoneStep;
    };
    view.values = of_skins(data, [&](const CharacterMesh& mesh, std::uint32_t, auto row) {
      return std::ranges::all_of(row, [&](const Influence& i) { return is_joint(mesh.first_entry + i.index); });
    });
    view.least = "driven";
    view.most = "unbound";
    return view;
  }
  if (what == "levels") return view_of_levels(data);
  if (what == "learnt") return view_of_errors(data);
  if (what == "segments") return view_of_segments(data);
  if (what == "distance") {
    PELT_ASSIGN(const auto tree, driver_tree(data));
    const CharacterMesh* known = nullptr;
    std::vector<TriangleTree::NearPoint> near;  // for each vertex of `known`
    view.values = of_skins(data, [&](const CharacterMesh& mesh, std::uint32_t v, auto) {
      if (std::exchange(known, &mesh) != &mesh) near = tree.nearest_of_each(mesh.binding.points, 0);
      return std::sqrt(near[v].closest.squared_distance);
    });
    view.least = fmt::to_string(0);
    view.most = fmt::format("{:.3g} m", normalise(view.values));
    return view;
  }
  return fail(ErrorCode::kInvalidArgument, fmt::format("unknown view of a bind, '{}'", what));
}

BindView view_of_tension(const CharacterData& data, std::span<const glm::vec3> positions, int direction) {
  BindView view{.values = {}, .least = "half", .most = "twice the length", .first = shared::kSignedRamp};
  view.values.assign(data.vertex_count(), view.first);
  for (const CharacterMesh& mesh : data.meshes) {
    if (mesh.control) continue;
    const auto tension = tension_of(mesh, positions.subspan(mesh.first_vertex, mesh.vertex_count()));
    std::ranges::transform(tension, view.values.begin() + mesh.first_vertex,
                           [&](glm::i8vec2 t) { return view.first + 0.5f + static_cast<float>(t[direction]) / 254; });
  }
  return view;
}

}  // namespace pelt::samples
