// SPDX-License-Identifier: MIT
#include "tests/support/compare_gpu_cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include <pelt/evaluate.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/upload.h>
#include <pelt/tools/inspect.h>

#include "engine/character/pose_kernels.h"
#include "engine/character/records.h"
#include "shaders/driver/patch_frame/pose.h"
#include "shaders/driver/vertex_frame/pose.h"
#include "shaders/surface_ffd/pose.h"
#include "tests/support/must.h"

namespace pelt::test {
namespace {

bool is_unit(glm::vec3 v) { return std::abs(glm::length(v) - 1) < 1e-3f; }

float reach_of(const Character& character, std::span<const glm::vec3> positions) {
  float reach = character.size();
  for (const glm::vec3& position : positions) reach = std::max(reach, glm::length(position));
  return reach;
}

// How much an influence magnifies rounding errors at a point.
struct Magnification {
  float position = 0;   // error of the position, in units of the reach
  float direction = 0;  // error of normal and tangent, in radians, if a corner is off by the reach
};

// Returns the magnification of a frame from its rest inverse, whose axes are long if edges are short.
Magnification of_rest_inverse(const Affine& rest_inverse, glm::vec3 point, float reach) {
  const glm::mat3 axes = affine_axes(rest_inverse);
  const float inverse_height =
      std::sqrt(glm::dot(axes[0], axes[0]) + glm::dot(axes[1], axes[1]) + glm::dot(axes[2], axes[2]));
  const glm::vec3 edges_away = glm::abs(transform_point(rest_inverse, point));
  return {edges_away.x + edges_away.y + edges_away.z * inverse_height, inverse_height * reach};
}

// Returns the magnification of a frame that is a sum over edges: each edge is off by the reach, times its term, and so
// is the normal over its length.
Magnification of_vertex_frame(const PalettePass& pass, const shared::VertexFrameRecord& record, glm::vec3 point,
                              float reach) {
  float terms = glm::length(record.normal_term) / std::sqrt(record.rest_area);
  for (std::uint32_t e = 0; e < record.edge_count; ++e) {
    glm::vec3 term;
    std::memcpy(&term, &pass.table[record.first_word + e * shared::kVertexFrameEdgeWords + 1], sizeof term);
    terms += glm::length(term);
  }
  return {1 + terms * glm::distance(point, record.rest), terms * reach};
}

Magnification magnification(const PalettePass& pass, std::uint32_t record, glm::vec3 point, float reach) {
  switch (pass.kernel) {
    case PoseKernel::kSurfaceFfd:
      return of_rest_inverse(read_record<shared::TriangleRecord>(pass.records, record).rest_inverse, point, reach);
    case PoseKernel::kPatchFrame:
      return of_rest_inverse(read_record<shared::PatchRecord>(pass.records, record).rest_inverse, point, reach);
    case PoseKernel::kVertexFrame:
      return of_vertex_frame(pass, read_record<shared::VertexFrameRecord>(pass.records, record), point, reach);
    default:
      return {};  // joints, blended frames and translations magnify nothing
  }
}

// Returns one magnification for each vertex of the character; `reach`, as above.
std::vector<Magnification> magnifications(const CharacterData& data, float reach) {
  std::vector<const PalettePass*> pass_of(data.palette_size, nullptr);
  for (const PalettePass& pass : data.passes) {
    if (pose_kernel(pass.kernel).entries_per_record == 1)
      std::fill_n(pass_of.begin() + pass.first_entry, pass.record_count, &pass);
  }
  std::vector<Magnification> vertices(data.vertex_count());
  for (const CharacterMesh& mesh : data.meshes) {
    const SparseRows rows = unpack_rows(mesh.binding);
    for (std::size_t v = 0; v < rows.row_count(); ++v) {
      Magnification& vertex = vertices[mesh.first_vertex + v];
      for (const Influence& influence : rows.row(v)) {
        const std::uint32_t slot = mesh.first_entry + influence.index;
        if (pass_of[slot] == nullptr) continue;
        const Magnification entry =
            magnification(*pass_of[slot], slot - pass_of[slot]->first_entry, mesh.binding.points[v], reach);
        vertex.position += influence.weight * entry.position;
        vertex.direction += influence.weight * entry.direction;
      }
    }
    // A gradient turns the normal by the difference between the motions of a point by two palette entries.
    for (std::size_t v = 0; v < mesh.vertex_count() && !mesh.binding.gradients.empty(); ++v) {
      const std::vector<std::uint32_t>& slices = mesh.binding.slices;
      for (std::size_t at = slices[v / 32] + v % 32; at < slices[v / 32 + 1]; at += 32) {
        vertices[mesh.first_vertex + v].direction += glm::length(unpack_gradient(mesh.binding, v, at)) * reach;
      }
    }
  }
  return vertices;
}

// Sets an instance's streams and controls to functions of their numbers; instance 0 keeps the rest pose.
template <class Stream, class SetControl>
void give_inputs(const Character& character, std::uint32_t instance, const Stream& stream, const SetControl& control) {
  if (instance == 0) return;
  const auto number = static_cast<float>(instance);
  for (std::uint32_t s = 0; s < character->streams.size(); ++s) {
    std::vector<glm::vec3> points = character->meshes[character->streams[s].mesh].binding.points;
    for (glm::vec3& p : points) {
      p += 0.05f * character.size() * glm::sin(glm::vec3(p.y, p.z, p.x) * 2.0f / character.size() + number);
    }
    stream(s, points);
  }
  for (std::uint32_t c = 0; c < character->controls.size(); ++c) {
    const Control& described = character->controls[c];
    const float middle = described.kind == ControlKind::kExpression ? 0.5f : described.rest;  // within 0 to 1
    control(c, middle + 0.5f * std::sin(number + static_cast<float>(c)));
  }
}

void expect_equal(const runtime::InstanceVertices& gpu, const Evaluator& cpu, std::span<const Magnification> magnified,
                  float reach, Directions directions) {
  for (std::size_t v = 0; v < gpu.positions.size(); ++v) {
    const float position = glm::distance(gpu.positions[v], cpu.positions()[v]) / reach;
    const bool unit =
        is_unit(gpu.normals[v]) && is_unit(gpu.tangents[v]) && is_unit(cpu.normals()[v]) && is_unit(cpu.tangents()[v]);
    const float normal = angle(gpu.normals[v], cpu.normals()[v]);
    const float tangent = angle(gpu.tangents[v], cpu.tangents()[v]);
    const float direction_tolerance = kDirectionTolerance + kMagnifiedUnits * magnified[v].direction;
    const float position_tolerance = directions == Directions::kFlattened
                                         ? kFlattenedTolerance
                                         : kPositionTolerance + kMagnifiedUnits * magnified[v].position;
    // Written so that NaN fails.
    if (!(position <= position_tolerance) || !unit ||
        (directions == Directions::kEqual && !(normal <= direction_tolerance && tangent <= direction_tolerance)) ||
        gpu.tangents[v].w != cpu.tangents()[v].w) {
      ADD_FAILURE() << "vertex " << v << ": position off by " << position << " of the reach " << reach << ", normal by "
                    << normal << " and tangent by " << tangent << " radians, lengths " << glm::length(gpu.normals[v])
                    << ' ' << glm::length(glm::vec3(gpu.tangents[v])) << " and " << glm::length(cpu.normals()[v]) << ' '
                    << glm::length(glm::vec3(cpu.tangents()[v])) << ", handedness " << gpu.tangents[v].w << " and "
                    << cpu.tangents()[v].w;
      return;
    }
  }
}

}  // namespace

int steps_off(const CharacterData& data, const runtime::InstanceVertices& vertices) {
  int worst = 0;
  for (const CharacterMesh& mesh : data.meshes) {
    if (mesh.control) continue;
    const auto expected = tension_of(mesh, std::span(vertices.positions).subspan(mesh.first_vertex));
    for (std::size_t v = 0; v < expected.size(); ++v) {
      const glm::ivec2 off = glm::abs(glm::ivec2(vertices.tension[mesh.first_vertex + v]) - glm::ivec2(expected[v]));
      worst = std::max({worst, off.x, off.y});
    }
  }
  return worst;
}

float angle(glm::vec3 a, glm::vec3 b) { return std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)); }

void expect_gpu_equals_cpu(const runtime::Device& device, const Character& character,
                           std::span<const std::vector<glm::mat4>> poses, const std::string& what,
                           Directions directions) {
  const testing::ScopedTrace trace(__FILE__, __LINE__, what);
  const auto instances = static_cast<std::uint32_t>(poses.size());
  const runtime::GpuCharacters gpu = must(runtime::upload(device, character, {.tension = true}));
  runtime::Crowd crowd = must(runtime::Crowd::create(
      device, gpu,
      {.instances = {instances},
       .outputs = {.tension = {runtime::VertexFormat::kSnorm8, {}, 0}, .control_meshes = true}}));
  for (std::uint32_t i = 0; i < instances; ++i) {
    crowd.pose(i, poses[i]);
    give_inputs(
        character, i,
        [&](std::uint32_t s, std::span<const glm::vec3> points) {
          crowd.inputs(i, runtime::as_floats(points), character->streams[s].first_input);
        },
        [&](std::uint32_t c, float value) { crowd.inputs(i, std::span(&value, 1), character->controls[c].input); });
  }
  must(runtime::run(device, crowd));

  Evaluator cpu(character, {.control_meshes = true});
  for (std::uint32_t i = 0; i < instances; ++i) {
    cpu.pose(poses[i]);
    give_inputs(
        character, i, [&](std::uint32_t s, std::span<const glm::vec3> points) { cpu.stream(s, points); },
        [&](std::uint32_t c, float value) { cpu.control(c, value); });
    cpu.evaluate();
    const runtime::InstanceVertices vertices = must(runtime::read_vertices(device, crowd, i));
    ASSERT_EQ(vertices.positions.size(), cpu.positions().size());
    const testing::ScopedTrace instance(__FILE__, __LINE__, "instance " + std::to_string(i));
    const float reach = reach_of(character, cpu.positions());
    expect_equal(vertices, cpu, magnifications(*character, reach), reach, directions);
    EXPECT_LE(steps_off(*character, vertices), 1);
  }
}

}  // namespace pelt::test
