// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <functional>

#include <pelt/evaluate.h>
#include <pelt/tools/inspect.h>

#include "engine/character/evaluate/blend.h"
#include "engine/character/evaluate/lane_kernels.h"
#include "engine/character/pose_kernels.h"
#include "engine/character/rows/packed_row.h"
#include "shaders/dual_quaternion/dual_quaternion.h"

namespace pelt {
namespace {

Affine inverse(const Affine& frame) {
  const glm::mat3 axes = glm::inverse(affine_axes(frame));
  return affine_from_axes(axes, -(axes * affine_origin(frame)));
}

std::uint32_t entry_count(const PalettePass& pass) { return pass.record_count * entries_per_record(pass.kernel); }

PassEntry entry_of(const PalettePass& pass, std::uint32_t i) {
  const std::uint32_t per_record = entries_per_record(pass.kernel);
  return {pass, i / per_record, i % per_record};
}

// Calls of_pass for an entry of a pass, or of_vertex for the frame of a mesh's vertex.
template <class OfPass, class OfVertex>
auto visit(const CharacterData& data, std::uint32_t entry, const OfPass& of_pass, const OfVertex& of_vertex)
    -> decltype(of_vertex(data.meshes.front(), 0)) {
  for (const PalettePass& pass : data.passes) {
    if (entry < pass.first_entry || entry - pass.first_entry >= entry_count(pass)) continue;
    return of_pass(entry_of(pass, entry - pass.first_entry));
  }
  for (const CharacterMesh& mesh : data.meshes) {
    if (!mesh.frame_entry || entry < *mesh.frame_entry || entry - *mesh.frame_entry >= mesh.vertex_count()) continue;
    return of_vertex(mesh, entry - *mesh.frame_entry);
  }
  return {};
}

PosedEntry posed(const PassEntry& at, const CharacterData& data, const Affine& frame,
                 std::span<const glm::mat4> joints) {
  const PoseKernelInfo& kernel = pose_kernel(at.pass.kernel);
  const EntryRest rest = kernel.rest(at);
  if (!has_frame(rest.kind)) return {.kind = rest.kind};
  // Exact for any inverse bind matrix.
  if (rest.kind == EntryKind::kJoint) {
    std::vector<EntrySource> sources;
    kernel.append_sources(at, data, sources);
    return {rest.kind, affine_from_mat4(joints[sources.front().index]), rest.from_rest};
  }
  const shared::DualQuaternion rigid{frame[0], frame[1]};
  const bool is_dual = kernel.contents[0] == EntryContent::kDualQuaternion;
  const Affine motion = is_dual ? shared::rigid_from_dual_quaternion(rigid, rigid) : frame;
  return {rest.kind, affine_compose(motion, inverse(rest.from_rest)), rest.from_rest};
}

// A driver's vertex at `posed` with its blended frame.
PosedEntry posed_vertex(const Affine& frame, glm::vec3 posed, glm::vec3 rest) {
  return {EntryKind::kVertex, affine_from_axes(affine_axes(frame), posed), affine_from_axes(glm::mat3(1.0f), -rest)};
}

// Adds up each vertex's share from the shares of the palette entries that it blends.
void blend_shares(const CharacterMesh& mesh, const std::vector<float>& shares, std::vector<float>& vertices) {
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    float share = 0;
    for_each_shared_influence(mesh.binding, v, [&](const Influence& influence, glm::vec3) {
      share += influence.weight * shares[mesh.first_entry + influence.index];
    });
    vertices[mesh.first_vertex + v] = share;
  }
}

}  // namespace

bool has_frame(EntryKind kind) { return kind != EntryKind::kNone && kind != EntryKind::kJointStretch; }

std::string_view pose_kernel_name(PoseKernel kernel) { return pose_kernel(kernel).name; }

std::uint32_t entries_per_record(PoseKernel kernel) { return pose_kernel(kernel).entries_per_record; }

void pose_pass(const PalettePass& pass, std::size_t begin, std::size_t end, std::span<const glm::mat4> joints,
               std::span<const glm::vec3> vertices, std::span<const float> inputs, std::span<Affine> palette) {
  pose_on_cpu(pass.kernel, false)(pass, begin, end, {joints, vertices, inputs, palette});
}

std::vector<PosedEntry> posed_entries(const Character& character, const Evaluator& evaluator,
                                      std::span<const glm::mat4> joints) {
  const CharacterData& data = *character;
  const std::span<const Affine> palette = evaluator.palette();
  const std::span<const glm::vec3> positions = evaluator.positions();
  std::vector<PosedEntry> entries(data.palette_size);
  for (const PalettePass& pass : data.passes) {
    for (std::uint32_t i = 0; i < entry_count(pass); ++i) {
      entries[pass.first_entry + i] = posed(entry_of(pass, i), data, palette[pass.first_entry + i], joints);
    }
  }
  for (const CharacterMesh& mesh : data.meshes) {
    for (std::uint32_t v = 0; mesh.frame_entry && v < mesh.vertex_count(); ++v) {
      const std::uint32_t at = *mesh.frame_entry + v;
      entries[at] = posed_vertex(palette[at], positions[mesh.first_vertex + v], mesh.binding.points[v]);
    }
  }
  return entries;
}

PosedEntry posed_entry(const Character& character, const Evaluator& evaluator, std::span<const glm::mat4> joints,
                       std::uint32_t entry) {
  const Affine& frame = evaluator.palette()[entry];
  return visit(
      *character, entry, [&](const PassEntry& at) { return posed(at, *character, frame, joints); },
      [&](const CharacterMesh& mesh, std::uint32_t v) {
        return posed_vertex(frame, evaluator.positions()[mesh.first_vertex + v], mesh.binding.points[v]);
      });
}

std::string entry_label(const CharacterData& data, std::uint32_t entry) {
  return visit(
      data, entry, [&](const PassEntry& at) { return pose_kernel(at.pass.kernel).label(at, data); },
      [&](const CharacterMesh& mesh, std::uint32_t v) { return vertex_label(data, mesh.first_vertex + v); });
}

EntryKind entry_kind(const CharacterData& data, std::uint32_t entry) {
  return visit(
      data, entry, [](const PassEntry& at) { return pose_kernel(at.pass.kernel).rest(at).kind; },
      [](const CharacterMesh&, std::uint32_t) { return EntryKind::kVertex; });
}

std::vector<EntrySource> entry_sources(const CharacterData& data, std::uint32_t entry) {
  return visit(
      data, entry,
      [&](const PassEntry& at) {
        std::vector<EntrySource> sources;
        pose_kernel(at.pass.kernel).append_sources(at, data, sources);
        return sources;
      },
      [](const CharacterMesh& mesh, std::uint32_t v) {
        return std::vector<EntrySource>{{SourceKind::kVertex, mesh.first_vertex + v, 1}};
      });
}

std::vector<EntryLine> entry_lines(const CharacterData& data) {
  std::vector<EntryLine> lines;
  for (const PalettePass& pass : data.passes) {
    EntryRest last;
    for (std::uint32_t i = 0; i < entry_count(pass); ++i) {
      const EntryRest rest = pose_kernel(pass.kernel).rest(entry_of(pass, i));
      if (!rest.along) break;
      const bool follows = i > 0 && rest.line == last.line && *rest.along >= *last.along;
      if (!follows) lines.push_back({rest.kind, {}});
      lines.back().entries.push_back(pass.first_entry + i);
      last = rest;
    }
  }
  return lines;
}

std::vector<PosedHandle> posed_handles(const CharacterData& data, std::span<const glm::mat4> joints,
                                       std::span<const float> inputs) {
  // Control points turn with the anchors of chains, which are posed first.
  std::vector<Affine> palette(data.palette_size);
  const PoseContext context{joints, {}, inputs, palette};
  for (std::uint32_t stage = 0; stage < data.stage_count; ++stage) {
    for (const PalettePass& pass : data.passes) {
      const PoseKernelInfo& kernel = pose_kernel(pass.kernel);
      if (pass.stage == stage && kernel.contents == both(EntryContent::kNumbers))
        kernel.pose(pass, 0, pass.record_count, context);
    }
  }
  std::vector<PosedHandle> handles;
  std::uint32_t lines = 0;
  for (const PalettePass& pass : data.passes) {
    const auto append_handles = pose_kernel(pass.kernel).append_handles;
    if (append_handles == nullptr) continue;
    const std::size_t first = handles.size();
    append_handles(pass, context, handles);
    if (first == handles.size()) continue;
    for (std::size_t i = first; i < handles.size(); ++i) handles[i].line += lines;
    lines = handles.back().line + 1;
  }
  return handles;
}

std::vector<float> source_shares(const CharacterData& data, SourceKind kind, std::span<const std::uint32_t> indices) {
  const auto is_source = [&](SourceKind other, std::uint32_t index) {
    return other == kind && std::ranges::find(indices, index) != indices.end();
  };
  std::vector<float> shares(data.palette_size, 0.0f);
  std::vector<float> vertices(data.vertex_count(), 0.0f);
  std::vector<EntrySource> sources;
  for (std::uint32_t stage = 0; stage < data.stage_count; ++stage) {
    for (const PalettePass& pass : data.passes) {
      if (pass.stage != stage) continue;
      for (std::uint32_t i = 0; i < entry_count(pass); ++i) {
        sources.clear();
        pose_kernel(pass.kernel).append_sources(entry_of(pass, i), data, sources);
        float share = 0;
        for (const EntrySource& source : sources) {
          if (source.kind == SourceKind::kVertex) {
            share += source.share * vertices[source.index];
          } else if (is_source(source.kind, source.index)) {
            share += source.share;
          }
        }
        shares[pass.first_entry + i] = is_source(SourceKind::kEntry, pass.first_entry + i) ? 1 : share;
      }
    }
    for (const CharacterMesh& mesh : data.meshes) {
      if (mesh.stage != stage) continue;
      blend_shares(mesh, shares, vertices);
      for (const std::uint32_t v : indices) {
        if (kind == SourceKind::kVertex && v - mesh.first_vertex < mesh.vertex_count()) vertices[v] = 1;
      }
      for (std::uint32_t v = 0; mesh.frame_entry && v < mesh.vertex_count(); ++v) {
        const std::uint32_t entry = *mesh.frame_entry + v;
        shares[entry] = is_source(SourceKind::kEntry, entry) ? 1 : vertices[mesh.first_vertex + v];
      }
    }
  }
  return vertices;
}

std::vector<VertexInfluence> influences_of(const CharacterMesh& mesh, std::uint32_t vertex) {
  std::vector<VertexInfluence> row;
  for_each_shared_influence(mesh.binding, vertex, [&](const Influence& influence, const glm::vec3& local) {
    row.push_back({mesh.first_entry + influence.index, influence.weight, local});
  });
  std::ranges::stable_sort(row, std::greater{},
                           [](const VertexInfluence& influence) { return std::abs(influence.weight); });
  return row;
}

glm::mat3 vertex_motion(const CharacterMesh& mesh, const Evaluator& evaluator, std::uint32_t vertex) {
  if (mesh.frame_entry) {
    const glm::mat3 axes = affine_axes(evaluator.palette()[*mesh.frame_entry + vertex]);
    if (!mesh.offset_entry || vertex < mesh.first_offset_vertex) return axes;
    // Removes the offset's rotation, which was applied before the blend.
    return axes *
           glm::transpose(affine_axes(evaluator.palette()[*mesh.offset_entry + vertex - mesh.first_offset_vertex]));
  }
  if (mesh.mode == BlendMode::kLinear) {
    glm::mat3 sum(0.0f);
    for (const VertexInfluence& influence : influences_of(mesh, vertex)) {
      sum += influence.weight * affine_axes(evaluator.palette()[influence.entry]);
    }
    return sum;
  }
  const std::span<const glm::vec3> rest = mesh.binding.points;
  const std::span<const glm::vec3> posed = evaluator.positions().subspan(mesh.first_vertex, mesh.vertex_count());
  std::vector<glm::uvec2> edges;
  glm::vec3 rest_middle(0.0f);
  glm::vec3 posed_middle(0.0f);
  for (const glm::uvec3& corners : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      if (corners[k] != vertex) continue;
      edges.emplace_back(corners[(k + 1) % 3], corners[(k + 2) % 3]);
      rest_middle += 0.5f * (rest[edges.back().x] + rest[edges.back().y]);
      posed_middle += 0.5f * (posed[edges.back().x] + posed[edges.back().y]);
    }
  }
  if (edges.empty()) return glm::mat3(1.0f);
  rest_middle /= static_cast<float>(edges.size());
  posed_middle /= static_cast<float>(edges.size());
  glm::mat3 sum(0.0f);
  float squared = 0;
  glm::vec3 rest_normal(0.0f);
  glm::vec3 posed_normal(0.0f);
  for (const glm::uvec2 edge : edges) {
    const glm::vec3 way = rest[edge.y] - rest[edge.x];
    sum += glm::outerProduct(posed[edge.y] - posed[edge.x], way);
    squared += glm::dot(way, way);
    rest_normal += glm::cross(rest[edge.x] - rest_middle, rest[edge.y] - rest_middle);
    posed_normal += glm::cross(posed[edge.x] - posed_middle, posed[edge.y] - posed_middle);
  }
  const glm::vec3 none(0.0f);
  sum += squared * glm::outerProduct(normalize_or(posed_normal, none), normalize_or(rest_normal, none));
  return shared::nearest_rotation(sum);
}

std::vector<glm::i8vec2> tension_of(const CharacterMesh& mesh, std::span<const glm::vec3> positions) {
  std::vector<glm::i8vec2> tension(mesh.vertex_count());
  const TensionRings rings = tension_rings(mesh.binding.points, mesh.triangles);
  find_tension(mesh.binding, rings, {0, slice_count(mesh.binding)}, positions.data(), tension.data());
  return tension;
}

std::optional<std::uint32_t> packed_vertex(const CharacterMesh& mesh, std::uint32_t source) {
  const auto found = std::ranges::find(mesh.source_vertex, source);
  if (found == mesh.source_vertex.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - mesh.source_vertex.begin());
}

const CharacterMesh* find_mesh(const CharacterData& data, std::string_view name) {
  const auto found = std::ranges::find(data.meshes, name, &CharacterMesh::name);
  return found == data.meshes.end() ? nullptr : &*found;
}

}  // namespace pelt
