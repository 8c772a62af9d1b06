// SPDX-License-Identifier: MIT
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/model.h>
#include <pelt/sparse_rows.h>

namespace pelt::from_skin {

// Finds skin that spans from the trunk to an upper arm. What turns about the shoulder keeps its distance from it, and
// so raised arms would grow thick there; skin that is pulled tight goes the straight way, as linear blend does. Of all
// that passes from the trunk to the arm, armpits are what lies on the arm's lower side. Upper arms are known by their
// names.
class Armpits {
 public:
  explicit Armpits(const Model& model);

  // Returns how much a vertex, at a place in model space at bind and with weights over the model's bound joints, is of
  // an armpit, 0 to 1.
  float share(const glm::vec3& position, std::span<const Influence> weights) const;

 private:
  struct Shoulder {
    glm::vec3 place;           // of the joint, model space at bind
    glm::vec3 lower;           // from the arm across it towards the foot of the trunk; of unit length
    std::vector<bool> of_arm;  // for each bound joint
  };
  std::vector<Shoulder> shoulders_;
};

}  // namespace pelt::from_skin
