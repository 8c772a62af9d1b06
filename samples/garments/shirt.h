// SPDX-License-Identifier: MIT
// Makes a T-shirt for a body with named joints.
#pragma once

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt::samples {

struct ShirtOptions {
  float offset = 0.008f;  // distance from the body, as a share of the diagonal of its bounds
  float span = 0.008f;    // radius of hollows that the cloth spans, as the same share
  float cell = 0.0035f;   // width of a triangle, as the same share
  float sleeve = 0.55f;   // end of the sleeves, as a share of the upper arm
  float hem = -0.1f;      // distance of the hem below the hip joints, as a share of the thigh; negative: above them
};

// Makes a mesh round the trunk and the upper arms of a body, in the pose that the body is bound in: model space,
// metres. It has triangles of its own and no weights. Errors: the body has no triangles; its joints' names do not tell
// neck, arms and legs; nothing is left of the cloth.
Result<Mesh> make_shirt(const Model& body, const ShirtOptions& options = {});

}  // namespace pelt::samples
