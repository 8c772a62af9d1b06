// SPDX-License-Identifier: MIT
#include "engine/authoring/key_weights/angle.h"

#include <bit>
#include <cmath>
#include <vector>

#include <pelt/pose.h>
#include <pelt/try.h>

#include "engine/authoring/model/find_named.h"
#include "engine/character/base/invalid.h"

namespace pelt::key_weights {

Result<AngleWords> angle_words(const KeyAngle& angle, const Model& model, const std::string& what) {
  PELT_ASSIGN(const auto joint, find_joint(model.skeleton, angle.joint, what));
  const double length = glm::length(glm::dvec3(angle.axis));
  if (!(length > 0 && std::isfinite(length))) {
    return invalid("{}: an axis has no direction", what);
  }
  const auto parent = model.skeleton.parent_of(joint);
  if (!parent) {
    return invalid("{}: joint '{}' has no parent to turn against", what, angle.joint);
  }
  std::vector<glm::mat4> rest(model.skeleton.joints.size());
  rest_matrices(model.skeleton, rest);
  const shared::PoseWork work{nullptr, rest.data(), nullptr, nullptr, nullptr};
  const glm::vec4 local = shared::joint_turn(work, joint, *parent, glm::vec4(0, 0, 0, 1));
  AngleWords words{joint, *parent};
  for (glm::length_t c = 0; c < 3; ++c) {
    words[2 + static_cast<std::size_t>(c)] = std::bit_cast<std::uint32_t>(static_cast<float>(angle.axis[c] / length));
  }
  for (glm::length_t c = 0; c < 4; ++c) words[5 + static_cast<std::size_t>(c)] = std::bit_cast<std::uint32_t>(local[c]);
  return words;
}

}  // namespace pelt::key_weights
