// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/from_skin/spread_along.h"

#include <vector>

#include "engine/authoring/driver/from_skin/joint_spread.h"
#include "engine/authoring/geometry/spread_weights.h"

namespace pelt::from_skin {

SparseRows spread_along(const Mesh& mesh, std::optional<float> spread, const Model& model, unsigned threads) {
  const std::vector<Passage> passages = joint_passages(model, spread);
  return cut_rows(spread_weights(mesh, mesh.weights, model, passages, threads), kMaxTransferred, Cut::kHard);
}

}  // namespace pelt::from_skin
