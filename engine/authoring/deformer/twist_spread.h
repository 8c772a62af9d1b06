// SPDX-License-Identifier: MIT
// Spreads twists along bones: splits the weight on a bone's joint between positions along the bone
// (shaders/spread_twist/pose.h).
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/mesh.h>
#include <pelt/model.h>
#include <pelt/sparse_rows.h>
#include <pelt/twist.h>

#include "engine/authoring/deformer/builder.h"
#include "shaders/spread_twist/pose.h"

namespace pelt {

class TwistSpread {
 public:
  // Finds the model's bones along which twists spread; none with kNone. The model must outlive this.
  TwistSpread(const Model& model, Twist twist);

  using Words = std::array<std::uint32_t, shared::kTwistWords>;
  struct Bone {
    std::uint32_t bound = 0;              // the bound joint at its start
    std::vector<std::uint8_t> moved;      // 1: a bound joint that follows the bone, the first or a twist joint
    std::vector<std::uint8_t> below;      // 1: a bound joint at or below its start
    std::vector<std::uint8_t> after_end;  // 1: at or below its end
    std::optional<Words> own, child;
    glm::dvec3 origin{0}, axis{0};  // model space at bind; unit
    double length = 0;
    double passage = 0;  // half the painted transition at its end, as a fraction of the bone
    double room = 1;     // the part of the twists that it takes: 0 for a stubby bone
  };

  const std::vector<Bone>& bones() const { return bones_; }
  bool empty() const { return bones_.empty(); }

  // Returns the sum of a row's weights on the marked joints.
  static double sum_on(const std::vector<std::uint8_t>& marked, std::span<const Influence> row);

  // Returns the position of a point along a bone, from 0 to 1 at its ends.
  static double along(const Bone& bone, const glm::vec3& point);

  // Does what CharacterBuilder::rows_over_joints does with the weights of a mesh, split between the nearest steps along
  // bones. A rigid part of the mesh has one position. `shown`: rows with the value 0 are not split; empty: all are.
  SparseRows rows_over_joints(const Mesh& mesh, BlendMode mode, CharacterBuilder& builder,
                              std::span<const float> shown = {}) const;

 private:
  // A position of skin along a bone, each 0 to 1.
  struct Position {
    double along;
    double taken;  // part of the twist after the bone that it takes, of that due here
  };
  struct Step {
    std::uint32_t bone;
    float own;    // part undone
    float child;  // part taken
    friend auto operator<=>(const Step&, const Step&) = default;
  };
  // Rows over the model's bound joints and, from the number of these on, over steps.
  struct Split {
    SparseRows rows;
    std::vector<Step> steps;
  };

  void measure_paintings();
  Split split(const Mesh& mesh, BlendMode mode, std::span<const float> shown) const;
  shared::JointRecord joint_at(const Bone& bone) const;
  PalettePass twist_pass() const;  // a record per bone
  Position position_of(const Bone& bone, const glm::vec3& point, std::span<const Influence> row) const;
  Step step_at(std::uint32_t bone, const Position& at) const;

  const Model& model_;
  std::vector<Bone> bones_;
};

}  // namespace pelt
