// SPDX-License-Identifier: MIT
#include "engine/character/pose_kernels.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "engine/character/base/formatted.h"

namespace pelt {

const PoseKernelInfo& pose_kernel(PoseKernel kernel) {
  static constexpr std::array<const PoseKernelInfo*, kPoseKernelCount> kKernels{
#define PELT_POSE_KERNEL(kernel, folder, shader) &folder::kernel,
#include <pelt/pose_kernels.list>
#undef PELT_POSE_KERNEL
  };
  assert(static_cast<std::size_t>(kernel) < kPoseKernelCount);
  return *kKernels[static_cast<std::size_t>(kernel)];
}

const CharacterMesh& mesh_of(const CharacterData& data, std::uint32_t vertex) {
  const auto after =
      std::upper_bound(data.meshes.begin(), data.meshes.end(), vertex,
                       [](std::uint32_t value, const CharacterMesh& mesh) { return value < mesh.first_vertex; });
  return *(after - 1);
}

std::string vertex_label(const CharacterData& data, std::uint32_t vertex) {
  const CharacterMesh& mesh = mesh_of(data, vertex);
  return formatted("{} vertex {}", mesh.name, mesh.source_vertex[vertex - mesh.first_vertex]);
}

bool is_posed_before(const PalettePass& pass, const CharacterData& data, std::uint32_t vertex) {
  return vertex < data.vertex_count() && mesh_of(data, vertex).stage < pass.stage;
}

}  // namespace pelt
