// SPDX-License-Identifier: MIT
// Finds the directions of a character's bones, its front, and the way its hinges bend, from joint names, the rest pose
// and the skin (rules: sample_poses.h).
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <pelt/character.h>
#include <pelt/tools/joint_roles.h>

namespace pelt {

// Directions are unit vectors in model space in the rest pose.
class Anatomy {
 public:
  // `linear_blend`: a character bound by linear blend only; its skin in the rest pose shows where bones end.
  explicit Anatomy(const Character& linear_blend);

  std::uint32_t joint_count() const { return static_cast<std::uint32_t>(uses_.size()); }
  const JointUse& use(std::uint32_t joint) const { return uses_[joint]; }
  const glm::dvec3& place(std::uint32_t joint) const { return places_[joint]; }  // in the rest pose
  const glm::dvec3& bone(std::uint32_t joint) const { return bones_[joint]; }    // direction from the joint
  // Returns the direction of the bone that ends at a joint; none if all joints above share its position.
  const std::optional<glm::dvec3>& arriving(std::uint32_t joint) const { return arriving_[joint]; }
  // Returns the axis about which a hinge bends further; none if it is unknown, or the joint is no hinge.
  const std::optional<glm::dvec3>& hinge(std::uint32_t joint) const { return hinges_[joint]; }
  // Returns true if the joint has skin of its own, and its turns neither move the whole skin nor tear a part off.
  bool moves_a_part(std::uint32_t joint) const;
  const glm::dvec3& front() const { return front_; }
  const glm::dvec3& left() const { return left_; }
  bool four_legged() const { return four_legged_; }

  struct Direction {
    std::string_view name;  // "front"
    glm::dvec3 axis;
  };
  // Returns front, back, up, down, out and in; left and right instead of out and in for a joint that belongs to no
  // side.
  std::array<Direction, 6> directions(std::uint32_t joint) const;

 private:
  void weigh_skin(const Character& character);
  void descend();
  void find_bones();
  void find_front();
  void find_hinges();
  void find_torn();
  std::optional<glm::dvec3> hinge_by_name(std::uint32_t joint) const;

  const Skeleton& skeleton_;
  std::vector<JointUse> uses_;
  std::vector<glm::dvec3> places_;         // of the joints, in the rest pose
  std::vector<double> skin_;               // for each joint, the summed weights on it
  std::vector<glm::dvec3> middles_;        // for each joint, the centre of that skin
  std::vector<std::uint32_t> below_;       // for each joint, the number of joints below it
  std::vector<std::uint32_t> skin_below_;  // for each joint, the number of joints with skin at or below it
  std::uint32_t skin_joints_ = 0;          // number of all joints with skin
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> shared_;  // summed weights of skin that two joints share
  std::vector<bool> tears_;  // for each joint, whether its turns tear a part of the skin off
  std::vector<glm::dvec3> bones_;
  std::vector<std::optional<glm::dvec3>> arriving_;
  std::vector<std::optional<glm::dvec3>> hinges_;
  glm::dvec3 front_{0, 0, 1};
  glm::dvec3 left_{1, 0, 0};
  bool four_legged_ = false;
};

inline constexpr glm::dvec3 kUp(0, 1, 0);
inline constexpr double kClearlyBent =
    20;  // degrees; a hinge bent at least so far in the rest pose shows how it bends, whatever its name

double degrees_between(const glm::dvec3& a, const glm::dvec3& b);
bool is_finger(JointRole role);
bool is_limb_root(JointRole role);  // an upper arm or a thigh

}  // namespace pelt
