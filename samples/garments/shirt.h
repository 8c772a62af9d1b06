// SPDX-License-Identifier: MIT
// A T-shirt for a body with named joints.
#pragma once

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt::samples {

struct ShirtOptions {
  float offset = 0.008f;  // from the body: a share of the diagonal of its bounds
  float span = 0.008f;    // radius of hollows that the cloth spans, the same
  float cell = 0.0035f;   // width of a triangle, the same
  float sleeve = 0.55f;   // where sleeves end: a share of the upper arm
  float hem = -0.1f;      // how far below the hip joints it ends: a share of the thigh; negative: above
};

// A mesh that lies round the trunk and the upper arms of a body, in the pose that the body is bound in: model
// space, metres. It has triangles of its own and no weights. Errors: the body has no triangles, or the names of its
// joints do not tell neck, arms and legs.
Result<Mesh> make_shirt(const Model& body, const ShirtOptions& options = {});

}  // namespace pelt::samples
