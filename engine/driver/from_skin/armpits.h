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
// that passes from the trunk to the arm, armpits are what is far from the joint. Upper arms are known by their names.
class Armpits {
 public:
  // `positions`, model space, and a row of `weights` over the model's bound joints for each: of a surface that stands
  // for the skin.
  Armpits(std::span<const glm::vec3> positions, const SparseRows& weights, const Model& model);

  bool empty() const { return shoulders_.empty(); }

  // Returns how much a vertex, at a place in model space and with these weights, is of an armpit, 0 to 1.
  float share(const glm::vec3& position, std::span<const Influence> weights) const;

 private:
  struct Shoulder {
    glm::vec3 place;           // of the joint, model space
    float radius = 0;          // metres within which lies a tenth of the vertices that pass to the arm
    std::vector<bool> of_arm;  // for each bound joint
    float passed(std::span<const Influence> weights) const;
  };
  std::vector<Shoulder> shoulders_;
};

}  // namespace pelt::from_skin
