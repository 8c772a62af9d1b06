// SPDX-License-Identifier: MIT
// Which way the bones of a character go, where its front is, and how its hinges bend, as far as names, rest and skin
// tell (sample_poses.h has the rules).
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/character.h>

#include "engine/rig/joint_roles.h"

namespace pelt {

// Directions are in model space at rest, of unit length.
class Anatomy {
 public:
  // `linear_blend`: a character bound by linear blend alone, whose skin at rest says where bones end.
  explicit Anatomy(const Character& linear_blend);

  std::uint32_t joint_count() const { return static_cast<std::uint32_t>(uses_.size()); }
  const JointUse& use(std::uint32_t joint) const { return uses_[joint]; }
  std::optional<std::uint32_t> parent_of(std::uint32_t joint) const;
  const glm::dvec3& place(std::uint32_t joint) const { return places_[joint]; }  // at rest
  const glm::dvec3& bone(std::uint32_t joint) const { return bones_[joint]; }    // where it goes from the joint
  // The bone that arrives at a joint; none: it has none above it elsewhere.
  std::optional<glm::dvec3> arriving(std::uint32_t joint) const;
  // About what a hinge bends further; none: nothing tells, or it is no hinge.
  const std::optional<glm::dvec3>& hinge(std::uint32_t joint) const { return hinges_[joint]; }
  // Whether skin is painted for the joint, and turning it does not move all there is.
  bool moves_a_part(std::uint32_t joint) const;
  const glm::dvec3& front() const { return front_; }
  const glm::dvec3& left() const { return left_; }
  bool four_legged() const { return four_legged_; }

  struct Direction {
    std::string_view place;  // "front"
    std::string_view turn;   // "forward": what a joint is that is turned that way
    glm::dvec3 axis;
  };
  // Front, back, up, down, out and in; left and right where the joint is of no side.
  std::array<Direction, 6> directions(std::uint32_t joint) const;

  // What a joint does that is turned from rest by `turn` (a rotation of model space at rest, about the joint), in an
  // artist's words: "bent 90", "raised 140", "twisted 60". Whole degrees; those of a hinge are between its bones.
  // Empty: less than 10.
  std::string turn_in_words(std::uint32_t joint, const glm::dmat3& turn) const;

 private:
  void weigh_skin(const Character& character);
  void descend();
  void find_bones();
  void find_front();
  void find_hinges();
  std::optional<glm::dvec3> hinge_by_name(std::uint32_t joint) const;

  const Skeleton& skeleton_;
  std::vector<JointUse> uses_;
  std::vector<glm::dvec3> places_;         // of the joints, at rest
  std::vector<double> skin_;               // summed weights
  std::vector<glm::dvec3> middles_;        // of that skin
  std::vector<std::uint32_t> below_;       // how many joints are below
  std::vector<std::uint32_t> skin_below_;  // how many that move skin are, itself with them
  std::uint32_t skin_joints_ = 0;          // how many there are
  std::vector<glm::dvec3> bones_;
  std::vector<std::optional<glm::dvec3>> hinges_;
  glm::dvec3 front_{0, 0, 1};
  glm::dvec3 left_{1, 0, 0};
  bool four_legged_ = false;
};

inline constexpr glm::dvec3 kUp(0, 1, 0);
inline constexpr double kClearlyBent =
    20;  // degrees at rest from which on a hinge shows how it bends, whatever its name says

double degrees_between(const glm::dvec3& a, const glm::dvec3& b);
bool is_finger(JointRole role);
bool is_limb_root(JointRole role);  // an arm or a leg from where it leaves the trunk

}  // namespace pelt
