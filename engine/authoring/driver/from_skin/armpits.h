// SPDX-License-Identifier: MIT
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/model.h>
#include <pelt/sparse_rows.h>

namespace pelt::from_skin {

// Finds skin that spans from the trunk to an upper arm on the arm's lower side. Skin that turns about the shoulder
// keeps its distance from it, so armpits of raised arms would swell; tight skin follows the straight line, as linear
// blend does. Upper arms are recognised by their names.
class Armpits {
 public:
  explicit Armpits(const Model& model);

  // Returns how much a vertex is part of an armpit, 0 to 1. `position` is in model space at bind; `weights` are over
  // the model's bound joints.
  float share(const glm::vec3& position, std::span<const Influence> weights) const;

 private:
  struct Shoulder {
    glm::vec3 place;           // of the joint, model space at bind
    glm::vec3 lower;           // from the arm, across it, towards the foot of the trunk; unit length
    std::vector<bool> of_arm;  // for each bound joint
  };
  std::vector<Shoulder> shoulders_;
};

}  // namespace pelt::from_skin
