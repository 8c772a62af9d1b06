// SPDX-License-Identifier: MIT
#include <vector>

#include <pelt/tools/closest_weights.h>

namespace pelt {

SparseRows closest_weights(const TriangleTree& surface, const RowOfVertex& weights, std::span<const glm::vec3> points,
                           unsigned threads) {
  SparseRows result;
  std::vector<WeightedElement> row;
  for (const TriangleTree::NearPoint& near : surface.nearest_of_each(points, threads)) {
    const ClosestPoint& closest = near.closest;
    row.clear();
    for (int corner = 0; corner < 3; ++corner) {
      for (const Influence& influence : weights(closest.vertices[corner])) {
        row.push_back({influence.index, closest.weights[corner] * influence.weight});
      }
    }
    append_row(result, row);
  }
  return result;
}

}  // namespace pelt
