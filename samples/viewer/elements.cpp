// SPDX-License-Identifier: MIT
#include "samples/viewer/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <set>
#include <tuple>

#include "engine/character/pose_kernels.h"
#include "engine/character/records.h"
#include "engine/curve_skeleton/pose.h"
#include "engine/mos/slide_points.h"
#include "shaders/curve_skeleton/pose.h"
#include "shaders/driver/action_line/pose.h"
#include "shaders/driver/patch_frame/pose.h"
#include "shaders/driver/stream/pose.h"
#include "shaders/driver/vertex_frame/pose.h"
#include "shaders/dual_quaternion/dual_quaternion.h"
#include "shaders/linear_blend/pose.h"
#include "shaders/mos/point_pose.h"
#include "shaders/mos/table_pose.h"
#include "shaders/surface_ffd/pose.h"

namespace pelt::viewer {
namespace {

constexpr float kNoShare = 1e-5f;  // what weights of a group leave of its share by rounding

Affine inverse(const Affine& frame) {
  const glm::mat3 axes = glm::inverse(affine_axes(frame));
  return affine_from_axes(axes, -(axes * affine_origin(frame)));
}

// Q^D from T = Q^D (Q^R)^-1.
Affine posed_frame(const Affine& entry, const Affine& rest_inverse) {
  return affine_compose(entry, inverse(rest_inverse));
}

const CharacterMesh& mesh_of(const CharacterData& data, std::uint32_t vertex) {
  return *std::find_if(data.meshes.begin(), data.meshes.end(), [vertex](const CharacterMesh& mesh) {
    return vertex < mesh.first_vertex + mesh.vertex_count();
  });
}

std::uint32_t source_of(const CharacterMesh& mesh, std::uint32_t vertex) {
  return mesh.source_vertex[vertex - mesh.first_vertex];
}

std::string vertex_name(const CharacterData& data, std::uint32_t vertex) {
  const CharacterMesh& mesh = mesh_of(data, vertex);
  return fmt::format("{} vertex {}", mesh.name, source_of(mesh, vertex));
}

// The joints at a chain's ends.
std::string chain_name(const CharacterData& data, const PalettePass& pass, std::uint32_t word) {
  const shared::Chain chain = shared::read_chain({pass.table.data(), nullptr, nullptr, nullptr}, word);
  const auto joint = [&](std::uint32_t anchor) -> const std::string& {
    return data.skeleton.joints[pass.table[shared::anchor_word(chain, anchor)]].name;
  };
  return fmt::format("{}..{}", joint(0), joint(chain.anchor_count - 1));
}

// What an entry of a pass is, but for its frame.
struct Place {
  const PalettePass& pass;
  std::uint32_t record;
  std::uint32_t slot;  // of the record

  float number(std::uint32_t word) const { return std::bit_cast<float>(pass.table[word]); }
};

std::string curve_sample_name(const CharacterData& data, const Place& at) {
  const auto record = read_record<shared::CurveRecord>(at.pass.records, at.record);
  const std::uint32_t anchor =
      at.pass.table[record.curve + shared::kCurveFirstAnchor] + record.bone * shared::kCurveAnchorWords;
  const float from = at.number(anchor + shared::kCurveAnchorLength);
  const float to = at.number(anchor + shared::kCurveAnchorWords + shared::kCurveAnchorLength);
  const float lambda = at.number(record.first_sample + at.slot * shared::kCurveSampleWords);
  return fmt::format("curve {} at {:.3f} m", chain_name(data, at.pass, record.curve), std::lerp(from, to, lambda));
}

std::string window_sample_name(const CharacterData& data, const Place& at) {
  const auto record = read_record<shared::MosTableRecord>(at.pass.records, at.record);
  const float u = at.number(record.first_sample + at.slot * shared::kMosSampleWords);
  const auto joint = [&](std::uint32_t k) -> const std::string& {
    return data.skeleton.joints[at.pass.table[record.points[k]]].name;
  };
  const bool one = joint(1) == joint(2);
  return fmt::format("points of {}{} at {:.2f}", joint(1), one ? "" : ".." + joint(2), u);
}

std::string name_of(const CharacterData& data, const Place& at) {
  switch (at.pass.kernel) {
    case PoseKernel::kLinearBlend:
    case PoseKernel::kDualQuaternion:
      return "joint " + data.skeleton.joints[read_record<shared::JointRecord>(at.pass.records, at.record).joint].name;
    case PoseKernel::kSurfaceFfd: {
      const auto triangle = read_record<shared::TriangleRecord>(at.pass.records, at.record);
      const CharacterMesh& mesh = mesh_of(data, triangle.a);
      return fmt::format("{} triangle {} {} {}", mesh.name, source_of(mesh, triangle.a), source_of(mesh, triangle.b),
                         source_of(mesh, triangle.c));
    }
    case PoseKernel::kVertexFrame:
      return vertex_name(data, read_record<shared::VertexFrameRecord>(at.pass.records, at.record).vertex);
    case PoseKernel::kPatchFrame: {
      const auto sample = read_record<shared::PatchRecord>(at.pass.records, at.record);
      const std::string patch =
          sample.basis_count == 0 ? "patch" : mesh_of(data, at.pass.table[sample.first_word]).name;
      return fmt::format("{} sample {}", patch, at.record);
    }
    case PoseKernel::kStream:
      return fmt::format("streamed point {}", at.record);
    case PoseKernel::kKeyPose:
      return fmt::format("key pose offset {}", at.record);
    case PoseKernel::kCurveSkeleton:
    case PoseKernel::kSplineCurve:
      return curve_sample_name(data, at);
    case PoseKernel::kActionLine: {
      const auto line = read_record<shared::ActionLineRecord>(at.pass.records, at.record);
      return fmt::format("{} at {:.2f}", mesh_of(data, at.pass.table[line.line + shared::kLineFirstPoint]).name,
                         at.number(line.first_sample + at.slot * shared::kLineSampleWords));
    }
    case PoseKernel::kMosPoint: {
      const std::uint32_t point = read_record<shared::MosPointRecord>(at.pass.records, at.record).point;
      return fmt::format("point {} of {}", at.record, data.skeleton.joints[at.pass.table[point]].name);
    }
    case PoseKernel::kMosTable:
      return window_sample_name(data, at);
  }
  return {};
}

// An element whose entry is Q^D (Q^R)^-1.
Element carried(ElementKind kind, const Affine& entry, const Affine& rest_inverse) {
  return {kind, posed_frame(entry, rest_inverse), rest_inverse};
}

// A vertex of a driver, `posed`, which stood at `rest`.
Element vertex_element(const Affine& entry, glm::vec3 posed, glm::vec3 rest) {
  return {ElementKind::kVertex, affine_from_axes(affine_axes(entry), posed), affine_from_axes(glm::mat3(1.0f), -rest)};
}

Element element_of(const Place& at, const Affine& entry, std::span<const glm::vec3> positions,
                   const samples::InstancePose& pose) {
  const shared::PoseWork work{at.pass.table.data(), nullptr, nullptr, nullptr};
  const std::vector<std::uint32_t>& records = at.pass.records;
  switch (at.pass.kernel) {
    case PoseKernel::kLinearBlend:
    case PoseKernel::kDualQuaternion: {
      const auto record = read_record<shared::JointRecord>(records, at.record);
      if (at.slot != 0) return {};
      return {ElementKind::kJoint, affine_from_mat4(pose.joints[record.joint]), record.inverse_bind};
    }
    case PoseKernel::kSurfaceFfd:
      return carried(ElementKind::kTriangle, entry,
                     read_record<shared::TriangleRecord>(records, at.record).rest_inverse);
    case PoseKernel::kVertexFrame: {
      const auto record = read_record<shared::VertexFrameRecord>(records, at.record);
      return vertex_element(entry, positions[record.vertex], record.rest);
    }
    case PoseKernel::kPatchFrame:
      return carried(ElementKind::kPatchSample, entry,
                     read_record<shared::PatchRecord>(records, at.record).rest_inverse);
    case PoseKernel::kStream: {
      const glm::vec3 rest = read_record<shared::StreamRecord>(records, at.record).rest;
      return vertex_element(entry, transform_point(entry, rest), rest);
    }
    case PoseKernel::kKeyPose:
      return {};
    case PoseKernel::kCurveSkeleton:
    case PoseKernel::kSplineCurve: {
      const std::uint32_t sample =
          read_record<shared::CurveRecord>(records, at.record).first_sample + at.slot * shared::kCurveSampleWords;
      return carried(ElementKind::kCurveSample, entry,
                     shared::table_affine(work, sample + shared::kCurveSampleInverse));
    }
    case PoseKernel::kActionLine: {
      const std::uint32_t sample =
          read_record<shared::ActionLineRecord>(records, at.record).first_sample + at.slot * shared::kLineSampleWords;
      return carried(ElementKind::kLineSample, entry, shared::line_rest_inverse(work, sample));
    }
    case PoseKernel::kMosPoint:
      return {ElementKind::kControlPoint, entry};
    case PoseKernel::kMosTable: {
      const std::uint32_t sample =
          read_record<shared::MosTableRecord>(records, at.record).first_sample + at.slot * shared::kMosSampleWords;
      return carried(ElementKind::kWindowSample, entry, shared::table_affine(work, sample + shared::kMosSampleInverse));
    }
  }
  return {};
}

// What samples have in common that follow each other, and where they are along it.
struct SampleKey {
  ElementKind kind = ElementKind::kNone;
  std::array<std::uint32_t, 4> line{};
  float along = 0;
};

SampleKey key_of(const Place& at) {
  if (curve_skeleton::is_curve_kernel(at.pass.kernel)) {
    const auto record = read_record<shared::CurveRecord>(at.pass.records, at.record);
    return {ElementKind::kCurveSample,
            {record.curve, record.bone},
            at.number(record.first_sample + at.slot * shared::kCurveSampleWords)};
  }
  if (at.pass.kernel == PoseKernel::kActionLine) {
    const auto record = read_record<shared::ActionLineRecord>(at.pass.records, at.record);
    return {
        ElementKind::kLineSample, {record.line}, at.number(record.first_sample + at.slot * shared::kLineSampleWords)};
  }
  if (at.pass.kernel == PoseKernel::kMosTable) {
    const auto record = read_record<shared::MosTableRecord>(at.pass.records, at.record);
    return {ElementKind::kWindowSample,
            {record.points[0], record.points[1], record.points[2], record.points[3]},
            at.number(record.first_sample + at.slot * shared::kMosSampleWords)};
  }
  return {};
}

}  // namespace

std::vector<Element> posed_elements(const Character& character, const Evaluator& evaluator,
                                    const samples::InstancePose& pose) {
  const CharacterData& data = *character;
  const std::span<const Affine> palette = evaluator.palette();
  const std::span<const glm::vec3> positions = evaluator.positions();
  std::vector<Element> elements(data.palette_size);
  for (const PalettePass& pass : data.passes) {
    const std::uint32_t slots = pose_kernel(pass.kernel).slots_per_record;
    for (std::uint32_t r = 0; r < pass.record_count; ++r) {
      for (std::uint32_t k = 0; k < slots; ++k) {
        const std::uint32_t slot = pass.first_slot + r * slots + k;
        elements[slot] = element_of({pass, r, k}, palette[slot], positions, pose);
      }
    }
  }
  for (const CharacterMesh& mesh : data.meshes) {
    for (std::uint32_t v = 0; mesh.frame_slot && v < mesh.vertex_count(); ++v) {
      const std::uint32_t slot = *mesh.frame_slot + v;
      elements[slot] = vertex_element(palette[slot], positions[mesh.first_vertex + v], mesh.binding.points[v]);
    }
  }
  return elements;
}

Element posed_element(const Character& character, const Evaluator& evaluator, const samples::InstancePose& pose,
                      std::uint32_t slot) {
  const CharacterData& data = *character;
  const Affine& frame = evaluator.palette()[slot];
  for (const PalettePass& pass : data.passes) {
    const std::uint32_t slots = pose_kernel(pass.kernel).slots_per_record;
    if (slot < pass.first_slot || slot >= pass.first_slot + pass.record_count * slots) continue;
    const std::uint32_t at = slot - pass.first_slot;
    return element_of({pass, at / slots, at % slots}, frame, evaluator.positions(), pose);
  }
  for (const CharacterMesh& mesh : data.meshes) {
    if (!mesh.frame_slot || slot < *mesh.frame_slot || slot >= *mesh.frame_slot + mesh.vertex_count()) continue;
    const std::uint32_t v = slot - *mesh.frame_slot;
    return vertex_element(frame, evaluator.positions()[mesh.first_vertex + v], mesh.binding.points[v]);
  }
  return {};
}

std::string element_name(const CharacterData& data, std::uint32_t slot) {
  for (const PalettePass& pass : data.passes) {
    const std::uint32_t slots = pose_kernel(pass.kernel).slots_per_record;
    if (slot < pass.first_slot || slot >= pass.first_slot + pass.record_count * slots) continue;
    return name_of(data, {pass, (slot - pass.first_slot) / slots, (slot - pass.first_slot) % slots});
  }
  for (const CharacterMesh& mesh : data.meshes) {
    if (!mesh.frame_slot || slot < *mesh.frame_slot || slot >= *mesh.frame_slot + mesh.vertex_count()) continue;
    return vertex_name(data, mesh.first_vertex + slot - *mesh.frame_slot);
  }
  return fmt::format("element {}", slot);
}

std::vector<VertexInfluence> influences_of(const CharacterMesh& mesh, std::uint32_t vertex) {
  // The slice that holds the row, alone.
  const PackedBinding& all = mesh.binding;
  constexpr std::size_t kSlice = 32;
  const std::size_t slice = vertex / kSlice;
  const std::size_t first = slice * kSlice;
  const std::size_t count = std::min(kSlice, all.points.size() - first);
  const auto part = [](const auto& values, std::size_t begin, std::size_t size) {
    const std::span own = std::span(values).subspan(begin, size);
    return std::vector(own.begin(), own.end());
  };
  PackedBinding own;
  own.points = part(all.points, first, count);
  own.slices = {0, all.slices[slice + 1] - all.slices[slice]};
  own.influences = part(all.influences, all.slices[slice], own.slices[1]);
  for (std::size_t start = first; start < all.local_points.size(); start += all.points.size()) {
    const std::vector<glm::vec4> group = part(all.local_points, start, count);
    own.local_points.insert(own.local_points.end(), group.begin(), group.end());
  }
  const SparseRows rows = unpack_rows(own);
  std::vector<VertexInfluence> row;
  std::size_t group = vertex - first;  // its local point
  float left = 0;                      // of its share
  const auto skip_empty = [&] {
    while (group < own.local_points.size() && std::abs(left) < kNoShare) {
      left += own.local_points[group].w;
      if (std::abs(left) < kNoShare) group += count;
    }
  };
  for (const Influence& influence : rows.row(vertex - first)) {
    skip_empty();
    const bool has_point = group < own.local_points.size();
    row.push_back({mesh.first_slot + influence.index, influence.weight,
                   has_point ? glm::vec3(own.local_points[group]) : own.points[vertex - first]});
    left -= influence.weight;
    if (has_point && std::abs(left) < kNoShare) {
      left = 0;
      group += count;
    }
  }
  std::ranges::stable_sort(row, std::greater{},
                           [](const VertexInfluence& influence) { return std::abs(influence.weight); });
  return row;
}

glm::mat3 vertex_motion(const CharacterMesh& mesh, const Evaluator& evaluator, std::uint32_t vertex) {
  if (mesh.frame_slot) {
    const glm::mat3 axes = affine_axes(evaluator.palette()[*mesh.frame_slot + vertex]);
    // Offsets turn the frame before it is moved; they are not turned themselves.
    return mesh.offset_slot ? axes * glm::transpose(affine_axes(evaluator.palette()[*mesh.offset_slot + vertex]))
                            : axes;
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

std::optional<std::uint32_t> packed_vertex(const CharacterMesh& mesh, std::uint32_t source) {
  const auto found = std::ranges::find(mesh.source_vertex, source);
  if (found == mesh.source_vertex.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - mesh.source_vertex.begin());
}

const CharacterMesh* find_mesh(const CharacterData& data, std::string_view name) {
  const auto found = std::ranges::find(data.meshes, name, &CharacterMesh::name);
  return found == data.meshes.end() ? nullptr : &*found;
}

std::vector<ElementLine> element_lines(const CharacterData& data) {
  std::vector<ElementLine> lines;
  for (const PalettePass& pass : data.passes) {
    const std::uint32_t slots = pose_kernel(pass.kernel).slots_per_record;
    SampleKey last;
    for (std::uint32_t i = 0; i < pass.record_count * slots; ++i) {
      const SampleKey key = key_of({pass, i / slots, i % slots});
      if (key.kind == ElementKind::kNone) break;
      const bool follows = i > 0 && key.line == last.line && key.along >= last.along;
      if (!follows) lines.push_back({key.kind, {}});
      lines.back().slots.push_back(pass.first_slot + i);
      last = key;
    }
  }
  return lines;
}

std::vector<ControlPoint> posed_control_points(const CharacterData& data, const samples::InstancePose& pose) {
  std::vector<ControlPoint> points;
  for (const PalettePass& pass : data.passes) {
    if (pass.kernel != PoseKernel::kMosPoint && pass.kernel != PoseKernel::kMosTable) continue;
    const shared::PoseWork work{pass.table.data(), pose.joints.data(), nullptr, pose.inputs.data()};
    const Affine root = shared::mos_root_motion(work);
    for (const std::uint32_t word : mos::point_words(pass)) {
      points.push_back({pass.table[word], shared::table_vector(work, word + shared::kMosPointPosition),
                        shared::table_vector(work, word + shared::kMosPointRest),
                        shared::mos_frame(shared::pose_mos_point(work, root, word))});
    }
  }
  return points;
}

std::vector<CurveAnchor> posed_curve_anchors(const CharacterData& data, const samples::InstancePose& pose) {
  std::vector<CurveAnchor> anchors;
  std::uint32_t curve = 0;
  for (const PalettePass& pass : data.passes) {
    if (!curve_skeleton::is_curve_kernel(pass.kernel)) continue;
    const shared::PoseWork work{pass.table.data(), pose.joints.data(), nullptr, pose.inputs.data()};
    std::set<std::uint32_t> words;
    for (std::uint32_t r = 0; r < pass.record_count; ++r) {
      words.insert(read_record<shared::CurveRecord>(pass.records, r).curve);
    }
    for (const std::uint32_t word : words) {
      const shared::Chain chain = shared::read_chain(work, word);
      for (std::uint32_t i = 0; i < chain.anchor_count; ++i) {
        anchors.push_back(
            {curve, pass.table[shared::anchor_word(chain, i)], shared::anchor_pose(work, chain, i).position});
      }
      ++curve;
    }
  }
  return anchors;
}

}  // namespace pelt::viewer
