// SPDX-License-Identifier: MIT
#include "engine/authoring/deformer/bind_painted.h"

#include "engine/authoring/deformer/twist_spread.h"
#include "engine/authoring/deformer/weight_gradients.h"
#include "engine/character/base/invalid.h"

namespace pelt {

Result<std::vector<MeshBinding>> bind_painted(BlendMode mode, bool exact_normals, const DeformerInput& input,
                                              Twist twist) {
  const TwistSpread twists(input.model, twist);
  std::vector<MeshBinding> bindings;
  for (const DeformerTarget& target : input.targets) {
    const Mesh& mesh = mesh_of(input, target);
    if (!has_weights(mesh)) return invalid("{}: mesh '{}' has no weights", input.layer, mesh.name);
    MeshBinding binding;
    binding.mode = mode;
    binding.rows = twists.rows_over_joints(mesh, mode, input.builder, target.mask);
    if (exact_normals) binding.rows = with_gradients(binding.rows, {mesh.positions, mesh.triangles});
    bindings.push_back(std::move(binding));
    input.progress(static_cast<double>(bindings.size()) / static_cast<double>(input.targets.size()));
  }
  return bindings;
}

}  // namespace pelt
