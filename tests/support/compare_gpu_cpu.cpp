// SPDX-License-Identifier: MIT
#include "tests/support/compare_gpu_cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/character/evaluate.h"
#include "engine/character/records.h"
#include "runtime/read_back.h"
#include "runtime/upload.h"
#include "shaders/surface_ffd/pose.h"

namespace pelt::test {
namespace {

float angle(glm::vec3 a, glm::vec3 b) { return std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)); }

bool is_unit(glm::vec3 v) { return std::abs(glm::length(v) - 1) < 1e-3f; }

float reach_of(const Character& character, std::span<const glm::vec3> positions) {
  float reach = character.size();
  for (const glm::vec3& position : positions) reach = std::max(reach, glm::length(position));
  return reach;
}

// How much a vertex's influences magnify rounding.
struct Magnification {
  float position = 0;   // of the position, in units of the reach
  float direction = 0;  // of normal and tangent, in radians for a corner that is off by the reach
};

// One a vertex of the character; `reach`, as above. Joints and blended frames magnify nothing.
std::vector<Magnification> magnifications(const CharacterData& data, float reach) {
  std::vector<const PalettePass*> pass_of(data.palette_size, nullptr);
  for (const PalettePass& pass : data.passes) {
    if (pass.kernel == PoseKernel::kSurfaceFfd)
      std::fill_n(pass_of.begin() + pass.first_slot, pass.record_count, &pass);
  }
  std::vector<Magnification> vertices(data.vertex_count());
  for (const CharacterMesh& mesh : data.meshes) {
    const SparseRows rows = unpack_rows(mesh.binding);
    for (std::size_t v = 0; v < rows.row_count(); ++v) {
      Magnification& vertex = vertices[mesh.first_vertex + v];
      for (const Influence& influence : rows.row(v)) {
        const std::uint32_t slot = mesh.first_slot + influence.index;
        if (pass_of[slot] == nullptr) continue;
        const auto record =
            read_record<shared::TriangleRecord>(pass_of[slot]->records, slot - pass_of[slot]->first_slot);
        const glm::mat3 axes = affine_axes(record.rest_inverse);
        const float inverse_height =
            std::sqrt(glm::dot(axes[0], axes[0]) + glm::dot(axes[1], axes[1]) + glm::dot(axes[2], axes[2]));
        const glm::vec3 edges_away = glm::abs(transform_point(record.rest_inverse, mesh.binding.points[v]));
        vertex.position += influence.weight * (edges_away.x + edges_away.y + edges_away.z * inverse_height);
        vertex.direction += influence.weight * inverse_height * reach;
      }
    }
  }
  return vertices;
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
    // Written so that a NaN fails.
    if (!(position <= kPositionTolerance + kMagnifiedUnits * magnified[v].position) || !unit ||
        (directions == Directions::kEqual && !(normal <= direction_tolerance && tangent <= direction_tolerance)) ||
        gpu.tangents[v].w != cpu.tangents()[v].w) {
      ADD_FAILURE() << "vertex " << v << ": position off by " << position << " of the reach " << reach << ", normal by "
                    << normal << " and tangent by " << tangent << " radians, handedness " << gpu.tangents[v].w
                    << " and " << cpu.tangents()[v].w;
      return;
    }
  }
}

}  // namespace

void expect_gpu_equals_cpu(const runtime::Device& device, const Character& character,
                           std::span<const std::vector<glm::mat4>> poses, const std::string& what,
                           Directions directions) {
  const testing::ScopedTrace trace(__FILE__, __LINE__, what);
  const auto instances = static_cast<std::uint32_t>(poses.size());
  const Result<runtime::GpuCharacter> gpu = runtime::upload(device, character);
  if (!gpu) {
    ADD_FAILURE() << gpu.error().message;
    return;
  }
  Result<runtime::Crowd> crowd = runtime::Crowd::create(device, *gpu, {.instances = instances});
  if (!crowd) {
    ADD_FAILURE() << crowd.error().message;
    return;
  }
  for (std::uint32_t i = 0; i < instances; ++i) crowd->pose(i, poses[i]);
  const Result<void> done = runtime::run(device, *crowd);
  EXPECT_TRUE(done) << done.error().message;

  Evaluator cpu(character);
  for (std::uint32_t i = 0; i < instances; ++i) {
    cpu.pose(poses[i]);
    cpu.evaluate();
    const Result<runtime::InstanceVertices> vertices = runtime::read_vertices(device, *crowd, i);
    if (!vertices || vertices->positions.size() != cpu.positions().size()) {
      ADD_FAILURE() << (vertices ? "the back ends have different vertices" : vertices.error().message);
      return;
    }
    const testing::ScopedTrace instance(__FILE__, __LINE__, "instance " + std::to_string(i));
    const float reach = reach_of(character, cpu.positions());
    expect_equal(*vertices, cpu, magnifications(*character, reach), reach, directions);
  }
}

}  // namespace pelt::test
