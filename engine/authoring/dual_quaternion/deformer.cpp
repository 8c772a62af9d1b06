// SPDX-License-Identifier: MIT
#include <pelt/dual_quaternion.h>
#include <pelt/tools/fields.h>

#include "engine/authoring/deformer/bind_painted.h"
#include "engine/authoring/rig/deformer_entry.h"

namespace pelt {

void describe(Fields& fields, DualQuaternionParameters& parameters) {
  fields.about("dual_quaternion", "Dual quaternion skinning (Kavan et al. 2008) by the weights of the model.");
  fields.flag({"exact_normals", "Normals follow the gradient of the weights; else only the frames."},
              parameters.exact_normals);
}

namespace dual_quaternion {
namespace {

Result<std::vector<MeshBinding>> bind(const DualQuaternionParameters& parameters, const DeformerInput& input) {
  return bind_painted(BlendMode::kDualQuaternion, parameters.exact_normals, input);
}

}  // namespace

DeformerEntry deformer() {
  return {.defaults = DualQuaternionParameters{},
          .bind = bind_as<DualQuaternionParameters, bind>,
          .rigid_parts = rigid_parts_are<RigidParts::kLeftAsMeshes>};
}

}  // namespace dual_quaternion
}  // namespace pelt
