// SPDX-License-Identifier: MIT
#include "engine/skeletonize/weights.h"

#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace pelt::skeletonize {
namespace {

constexpr std::uint32_t kNoJoint = 0xffffffff;

// Returns the joint of every inside voxel, by its index (Dijkstra 1959 from all traced points); kNoJoint in small
// pieces.
std::vector<std::uint32_t> joints_inside(const Traced& traced, const JointPlan& plan, const Voxels& voxels) {
  using Open = std::pair<float, std::uint32_t>;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
  std::vector<float> way(voxels.cells.size(), std::numeric_limits<float>::infinity());
  std::vector<std::uint32_t> joint(voxels.cells.size(), kNoJoint);
  for (std::size_t i = 0; i < traced.points.size(); ++i) {
    const std::uint32_t voxel = voxels.at(glm::ivec3(glm::round(traced.points[i].position)));
    if (voxel == kOutside || way[voxel] == 0) continue;
    way[voxel] = 0;
    joint[voxel] = plan.joint_of[i];
    open.emplace(0.0f, voxel);
  }
  while (!open.empty()) {
    const auto [so_far, voxel] = open.top();
    open.pop();
    if (so_far > way[voxel]) continue;
    for_neighbours(voxels, voxel, [&, from = voxel, length = so_far](std::uint32_t next, float step) {
      if (!(length + step < way[next])) return;
      way[next] = length + step;
      joint[next] = joint[from];
      open.emplace(way[next], next);
    });
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
  std::vector<std::size_t> wanted;  // places of the points
  for (const glm::vec3& point : points) {
    const glm::dvec3 cell = glm::round(voxels.to_voxels(glm::dvec3(point)));
    wanted.push_back(voxels.place(glm::ivec3(glm::clamp(cell, glm::dvec3(0), glm::dvec3(voxels.extent - 1)))));
  }
  // Grow outward a layer at a time, until all points are reached.
  std::size_t reached = 0;
  std::vector<glm::ivec3> next_front;
  while (!front.empty()) {
    while (reached < wanted.size() && joint[wanted[reached]] != kNoJoint) ++reached;
    if (reached == wanted.size()) break;
    next_front.clear();
    for (const glm::ivec3& from : front) {
      for_cells_beside(from, [&](const glm::ivec3& cell, float) {
        if (!voxels.holds(cell)) return;
        std::uint32_t& own = joint[voxels.place(cell)];
        if (own != kNoJoint) return;
        own = joint[voxels.place(from)];
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
