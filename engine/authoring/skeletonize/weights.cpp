// SPDX-License-Identifier: MIT
#include "engine/authoring/skeletonize/weights.h"

#include <utility>

#include "engine/authoring/skeletonize/voxel_paths.h"

namespace pelt::skeletonize {
namespace {

constexpr std::uint32_t kNoJoint = 0xffffffff;

// Returns the joint of every inside voxel, by its index: that of the traced point with the shortest path; kNoJoint in
// small pieces.
std::vector<std::uint32_t> joints_inside(const Traced& traced, const JointPlan& plan, const Voxels& voxels) {
  std::vector<std::uint32_t> joint(voxels.cells.size(), kNoJoint);
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < traced.points.size(); ++i) {
    const std::uint32_t voxel = voxels.at(glm::ivec3(glm::round(traced.points[i].position)));
    if (voxel == kOutside || joint[voxel] != kNoJoint) continue;
    joint[voxel] = plan.joint_of[i];
    kept.push_back(voxel);
  }
  VoxelPaths paths(voxels, std::vector<float>(voxels.cells.size(), 1.0f));
  paths.keep(kept);
  std::vector<std::uint32_t> path;
  for (std::uint32_t v = 0; v < joint.size(); ++v) {
    path.clear();
    std::uint32_t end = v;
    for (; joint[end] == kNoJoint && paths.next(end) != kNoVoxel; end = paths.next(end)) path.push_back(end);
    for (const std::uint32_t passed : path) joint[passed] = joint[end];
  }
  return joint;
}

}  // namespace

std::vector<std::uint32_t> joints_of(std::span<const glm::vec3> points, const Traced& traced, const JointPlan& plan,
                                     const Voxels& voxels) {
  const std::vector<std::uint32_t> inside = joints_inside(traced, plan, voxels);
  std::vector<std::uint32_t> joint(voxels.number.size(), kNoJoint);  // for every voxel of the grid
  std::vector<glm::ivec3> front;
  for (std::uint32_t v = 0; v < inside.size(); ++v) {
    joint[voxels.place(voxels.cells[v])] = inside[v];
    if (inside[v] != kNoJoint) front.push_back(voxels.cells[v]);
  }
  std::vector<std::size_t> wanted;  // cells of the points
  for (const glm::vec3& point : points) {
    const glm::dvec3 cell = glm::round(voxels.to_voxels(glm::dvec3(point)));
    wanted.push_back(voxels.place(glm::ivec3(glm::clamp(cell, glm::dvec3(0), glm::dvec3(voxels.extent - 1)))));
  }
  // Grow outward one layer at a time, until all points are reached.
  std::size_t reached = 0;
  std::vector<glm::ivec3> next_front;
  while (!front.empty()) {
    while (reached < wanted.size() && joint[wanted[reached]] != kNoJoint) ++reached;
    if (reached == wanted.size()) break;
    next_front.clear();
    for (const glm::ivec3& from : front) {
      for_cells_beside(from, [&](const glm::ivec3& cell, float) {
        if (!voxels.holds(cell)) return;
        std::uint32_t& cell_joint = joint[voxels.place(cell)];
        if (cell_joint != kNoJoint) return;
        cell_joint = joint[voxels.place(from)];
        next_front.push_back(cell);
      });
    }
    std::swap(front, next_front);
  }
  std::vector<std::uint32_t> result;
  for (const std::size_t place : wanted) result.push_back(joint[place]);
  return result;
}

}  // namespace pelt::skeletonize
