// SPDX-License-Identifier: MIT
// Positions of the control points about the joints of a chain.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <set>
#include <span>
#include <vector>

#include <pelt/mos.h>
#include <pelt/tools/joint_roles.h>

#include "engine/authoring/chain/curve.h"

namespace pelt::mos {

// The points about an inner anchor.
struct JointPoints {
  std::uint32_t count = 0;
  glm::vec2 step{0.0f};  // metres from one to the next, before and after the anchor
  // Metres, for the one that bisects the turn; less towards the ends, so that the limb does not sway.
  float outward = 0;
  float around = 0;  // part to which they also turn about the joint
  bool by_skin = false;
  bool even = false;  // bends on both sides meet

  // Returns the fraction of the turn that point k makes.
  float part(std::uint32_t k) const {
    const auto number = static_cast<float>(k), of = static_cast<float>(count);
    return even ? (number + 0.5f) / of : (number + 1) / (of + 1);
  }
  // Return the distance from the anchor to the first point beyond it, and to the last one, metres. `side` is 0 before
  // the anchor and 1 after it.
  float first_beyond(int side) const { return count > 1 ? (count % 2 == 0 ? 0.5f : 1.0f) * step[side] : 0.0f; }
  float reach(int side) const { return count > 1 ? 0.5f * static_cast<float>(count - 1) * step[side] : 0.0f; }
};

// Returns true for an anchor between two bones that is not the top: its joint turns one against the other.
bool is_inner(const chain::Chain& chain, std::size_t i);

// Returns the lengths between which the points of a bone are: from the last point about a joint to the first about the
// next, as far as that is on the bone. If points are spread by bones only, it is the whole bone: they leave room
// themselves.
glm::vec2 between_joints(const chain::Curve& curve, std::span<const JointPoints> about, std::size_t bone);

class JointPointSpacing {
 public:
  // Keeps the parameters by reference. `linkages`: of the chains that points are placed along.
  JointPointSpacing(const MosParameters& parameters, const Skeleton& skeleton,
                    std::span<const chain::JointLinkage> linkages);

  // Returns the points about every anchor of a curve.
  std::vector<JointPoints> points_of(const chain::Curve& curve) const;

 private:
  // The reach of points about an anchor on one side: to the next anchor, or past it if that is a twist helper.
  struct Way {
    std::size_t anchor = 0;
    float length = 0;  // metres
  };

  JointPoints space_evenly(const chain::Curve& curve, std::size_t i) const;
  JointPoints space_by_bone(const chain::Curve& curve, std::size_t i) const;
  JointPoints space_by_skin(const chain::Curve& curve, std::size_t i, float thickness) const;
  bool is_bent(const chain::Chain& chain, std::size_t i) const;
  Way way_beside(const chain::Curve& curve, std::size_t i, int side) const;
  bool is_near_hub(const chain::Curve& curve, std::size_t i) const;

  const MosParameters& parameters_;
  std::vector<JointUse> uses_;    // one per joint
  std::set<std::uint32_t> hubs_;  // joints at which chains branch
};

}  // namespace pelt::mos
