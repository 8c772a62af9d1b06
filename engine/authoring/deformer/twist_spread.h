// SPDX-License-Identifier: MIT
// Spreads twists along bones: splits the weight on a bone's joint between positions along the bone
// (shaders/spread_twist.h).
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include <pelt/character.h>
#include <pelt/mesh.h>
#include <pelt/model.h>
#include <pelt/sparse_rows.h>
#include <pelt/twist.h>

#include "engine/authoring/deformer/builder.h"
#include "shaders/spread_twist.h"

namespace pelt {

// A position along a bone: the parts of both twists.
struct TwistStep {
  std::uint32_t bone;
  float own;    // undone
  float child;  // taken
  friend auto operator<=>(const TwistStep&, const TwistStep&) = default;
};

class TwistSpread {
 public:
  // Finds the model's bones along which twists spread; none with kNone. The model must outlive this.
  TwistSpread(const Model& model, Twist twist);

  bool empty() const { return bones_.empty(); }

  // Rows over the model's bound joints and, from the number of these on, over steps.
  struct Split {
    SparseRows rows;
    std::vector<TwistStep> steps;
  };
  // Splits weights over the model's bound joints: for linear blend at the nearest step, for dual quaternions between
  // the nearest steps of few. A rigid part of the mesh has one position. `shown`: rows with the value 0 stay as they
  // are; empty: all are split.
  Split split(const Mesh& mesh, BlendMode mode, std::span<const float> shown = {}) const;

  // Does what CharacterBuilder::rows_over_joints does with the weights of a mesh, split.
  SparseRows rows_over_joints(const Mesh& mesh, BlendMode mode, CharacterBuilder& builder,
                              std::span<const float> shown = {}) const;

  // Returns the index of the bound joint whose bone a step is on.
  std::uint32_t bound_joint(const TwistStep& step) const { return bones_[step.bone].bound; }

  // Returns a step's twist for a record, and adds the words that it reads to a pass's table.
  shared::SpreadTwist record(const TwistStep& step, PalettePass& pass) const;

 private:
  using Words = std::array<std::uint32_t, shared::kTwistWords>;
  struct Bone {
    std::uint32_t bound = 0;              // the bound joint at its start
    std::vector<std::uint8_t> moved;      // 1: a bound joint that follows the bone, the first or a twist joint
    std::vector<std::uint8_t> below;      // 1: a bound joint at or below its start
    std::vector<std::uint8_t> after_end;  // 1: at or below its end
    std::optional<Words> own, child;
    glm::dvec3 origin{0}, axis{0};  // model space at bind; unit
    double length = 0;
    double passage = 0;    // half the painted transition at its end, as a fraction of the bone
    bool is_neck = false;  // short, so that the driver's transitions meet: its own twist begins before it
  };
  struct Parts {
    double own, child;
  };

  void measure_paintings();
  double along(const Bone& bone, const glm::vec3& point) const;
  Parts parts_at(const Bone& bone, const glm::vec3& point, std::span<const Influence> row) const;

  const Model& model_;
  std::vector<Bone> bones_;
};

}  // namespace pelt
