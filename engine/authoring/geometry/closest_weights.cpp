// SPDX-License-Identifier: MIT

#include <pelt/tools/closest_weights.h>

namespace pelt {

SparseRows closest_weights(const TriangleTree& surface, const RowOfVertex& weights, std::span<const glm::vec3> points,
                           unsigned threads) {
  SparseRows result;
  for (const TriangleTree::NearPoint& near : surface.nearest_of_each(points, threads)) {
    append_weights_at(near.closest, weights, result);
  }
  return result;
}

void append_weights_at(const ClosestPoint& point, const RowOfVertex& weights, SparseRows& rows) {
  std::vector<WeightedElement> row;
  for (int corner = 0; corner < 3; ++corner) {
    for (const Influence& influence : weights(point.vertices[corner])) {
      row.push_back({influence.index, point.weights[corner] * influence.weight});
    }
  }
  append_row(rows, row);
}

}  // namespace pelt
