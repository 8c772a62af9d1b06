// SPDX-License-Identifier: MIT
// Paths through the inside of a surface.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "engine/authoring/skeletonize/voxels.h"

namespace pelt::skeletonize {

inline constexpr std::uint32_t kNoVoxel = 0xffffffff;

// The cheapest path from every inside voxel to the kept voxels (Dijkstra 1959); more can be kept later.
class VoxelPaths {
 public:
  // `prices`: cost of one voxel's length in each inside voxel.
  VoxelPaths(const Voxels& voxels, std::vector<float> prices)
      : voxels_(voxels),
        price_(std::move(prices)),
        cost_(voxels.cells.size(), std::numeric_limits<float>::infinity()),
        next_(voxels.cells.size(), kNoVoxel) {}

  void keep(std::span<const std::uint32_t> kept) {
    for (const std::uint32_t v : kept) {
      cost_[v] = 0;
      next_[v] = kNoVoxel;
      open_.emplace(0.0f, v);
    }
    while (!open_.empty()) {
      const auto [cost, v] = open_.top();
      open_.pop();
      if (cost > cost_[v]) continue;
      for_neighbours(voxels_, v, [&, from = v, so_far = cost](std::uint32_t to, float distance) {
        const float there = so_far + 0.5f * distance * (price_[from] + price_[to]);
        if (!(there < cost_[to])) return;
        cost_[to] = there;
        next_[to] = from;
        open_.emplace(there, to);
      });
    }
  }

  // Returns the next voxel on the path; kNoVoxel if the voxel is kept, or has no path to a kept one.
  std::uint32_t next(std::uint32_t voxel) const { return next_[voxel]; }
  // Returns the cost of the path; infinite without a path.
  float cost(std::uint32_t voxel) const { return cost_[voxel]; }

 private:
  using Open = std::pair<float, std::uint32_t>;
  const Voxels& voxels_;
  std::vector<float> price_;
  std::vector<float> cost_;
  std::vector<std::uint32_t> next_;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open_;
};

}  // namespace pelt::skeletonize
