// SPDX-License-Identifier: MIT
#include <pelt/linear_blend.h>
#include <pelt/tools/fields.h>

#include "engine/authoring/deformer/bind_painted.h"
#include "engine/authoring/rig/deformer_entry.h"

namespace pelt {

void describe(Fields& fields, LinearBlendParameters& parameters) {
  fields.about("linear_blend", "Linear blend, by the weights of the model.");
  fields.flag({"exact_normals", "Whether normals follow the gradient of the weights; else only the frames."},
              parameters.exact_normals);
  describe(fields, parameters.twist);
}

namespace linear_blend {
namespace {

Result<std::vector<MeshBinding>> bind(const LinearBlendParameters& parameters, const DeformerInput& input) {
  return bind_painted(BlendMode::kLinear, parameters.exact_normals, input, parameters.twist);
}

}  // namespace

DeformerEntry deformer() {
  return {.defaults = LinearBlendParameters{},
          .bind = bind_as<LinearBlendParameters, bind>,
          .may_fall_back = [](const DeformerParameters&) { return true; },
          .spreads_twists =
              [](const DeformerParameters& parameters) {
                return parameters.get<LinearBlendParameters>().twist == Twist::kSpread;
              }};
}

}  // namespace linear_blend
}  // namespace pelt
