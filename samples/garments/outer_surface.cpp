// SPDX-License-Identifier: MIT
#include "samples/garments/outer_surface.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/VolumeToMesh.h>

#include <cmath>
#include <utility>

#include <pelt/tools/mesh_parts.h>

namespace pelt::samples {
namespace {

constexpr float kRoom = 3;  // voxels that a grid has beyond the distances that are needed

// A surface in voxel units. OpenVDB's own library has its functions compiled for these types.
struct VoxelSurface {
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
};

openvdb::FloatGrid::Ptr distances(const VoxelSurface& surface, float outward, float inward, int flags) {
  const auto transform = openvdb::math::Transform::createLinearTransform(1.0);
  const openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I> mesh(surface.points,
                                                                                        surface.triangles);
  openvdb::util::NullInterrupter never;
  return openvdb::tools::meshToVolume<openvdb::FloatGrid>(never, mesh, *transform, outward + kRoom, inward + kRoom,
                                                          flags);
}

float length2(const openvdb::Vec3s& a, const openvdb::Vec3s& b) { return (a - b).lengthSqr(); }

// Returns the surface on which the distances are `value`. The shorter diagonal splits each quad.
VoxelSurface surface_at(const openvdb::FloatGrid& grid, float value) {
  VoxelSurface surface;
  std::vector<openvdb::Vec4I> quads;
  openvdb::tools::volumeToMesh(grid, surface.points, surface.triangles, quads, value);
  const auto& p = surface.points;
  for (const openvdb::Vec4I& q : quads) {
    const bool first = length2(p[q[0]], p[q[2]]) < length2(p[q[1]], p[q[3]]);
    surface.triangles.emplace_back(q[0], q[1], first ? q[2] : q[3]);
    surface.triangles.emplace_back(first ? q[0] : q[1], q[2], q[3]);
  }
  return surface;
}

// Returns the connected part that encloses the greatest volume, with its triangles facing outward.
VoxelSurface outermost(const VoxelSurface& surface) {
  std::vector<glm::uvec3> triangles;
  for (const openvdb::Vec3I& t : surface.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  const std::vector<std::uint32_t> parts = connected_parts(surface.points.size(), triangles);
  std::vector<double> volumes(surface.points.size(), 0.0);
  for (const glm::uvec3 t : triangles) {
    volumes[parts[t.x]] += static_cast<double>(surface.points[t.x].dot(surface.points[t.y].cross(surface.points[t.z])));
  }
  std::size_t largest = 0;
  for (std::size_t part = 0; part < volumes.size(); ++part) {
    if (std::abs(volumes[part]) > std::abs(volumes[largest])) largest = part;
  }
  VoxelSurface kept;
  std::vector<std::uint32_t> number(surface.points.size(), 0);
  for (std::size_t v = 0; v < parts.size(); ++v) {
    if (parts[v] != largest) continue;
    number[v] = static_cast<std::uint32_t>(kept.points.size());
    kept.points.push_back(surface.points[v]);
  }
  for (const glm::uvec3 t : triangles) {
    if (parts[t.x] != largest) continue;
    const bool turned = volumes[largest] < 0;
    kept.triangles.emplace_back(number[t.x], number[turned ? t.z : t.y], number[turned ? t.y : t.z]);
  }
  return kept;
}

}  // namespace

std::optional<Surface> outer_surface(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
                                     float offset, float span, float cell) {
  if (triangles.empty()) return std::nullopt;
  openvdb::initialize();
  VoxelSurface body;
  for (const glm::vec3& p : positions) body.points.emplace_back(p.x / cell, p.y / cell, p.z / cell);
  for (const glm::uvec3 t : triangles) body.triangles.emplace_back(t.x, t.y, t.z);
  // A ball of radius `span` rolls over the offset body: its centre's surface is `out` away; go back by `span` from
  // there.
  const float out = (offset + span) / cell;
  const VoxelSurface rolled =
      outermost(surface_at(*distances(body, out, out, openvdb::tools::UNSIGNED_DISTANCE_FIELD), out));
  const VoxelSurface back = outermost(surface_at(*distances(rolled, 1, span / cell, 0), -span / cell));
  Surface surface;
  for (const openvdb::Vec3s& p : back.points) surface.positions.emplace_back(cell * p.x(), cell * p.y(), cell * p.z());
  for (const openvdb::Vec3I& t : back.triangles) surface.triangles.emplace_back(t[0], t[1], t[2]);
  return surface;
}

}  // namespace pelt::samples
