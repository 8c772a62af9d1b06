// SPDX-License-Identifier: MIT
// The lines along which joints move a skin.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/model.h>

#include "engine/authoring/paint/walk.h"

namespace pelt::paint {

struct Line {
  glm::dvec3 from{0};  // model space at bind, metres
  glm::dvec3 to{0};
  std::optional<std::uint32_t> below;  // index of the bone that begins at `to`
  bool begins = false;                 // skin before `from` belongs to another bone
  bool ends = false;                   // skin beyond `to` belongs to another bone
};

struct PaintBone {
  std::uint32_t joint = 0;  // index of Model::bound_joints
  std::vector<Line> lines;
  bool is_last = false;     // no joint is below it
  std::vector<Seed> seeds;  // along the lines; not empty
};

// Finds the bones that move a skin: of the bound joints in `may_move`, those in the skin. A bone goes from its joint to
// the joints below it, as far as it stays in the skin, or skin is all round it; a last bone goes on until it leaves the
// skin. A joint that lies on the bone of a joint above it (a twist joint) takes the rest of that bone. Joints without
// any above or below them continue each other if their axes point so.
std::vector<PaintBone> find_bones(const Model& model, const std::vector<bool>& may_move, const Solid& solid);

// Returns how many joints are in meshes of a model, at bind.
std::size_t joints_inside(const Model& model, std::span<const std::uint32_t> meshes,
                          std::span<const BoundJoint> joints);

}  // namespace pelt::paint
