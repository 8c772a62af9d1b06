// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pelt {

// translation * rotation * scale; the rotation has unit length.
struct Transform {
  glm::vec3 translation{0.0f};
  glm::quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
  glm::vec3 scale{1.0f};
};

// A node of the hierarchy. Every node of a model is a joint, even if no skin uses it.
struct Joint {
  std::string name;          // unique within the skeleton
  std::int32_t parent = -1;  // always lower than the joint's own index; -1: a root
  Transform rest;            // local transform in the rest pose
  // local, affine: for a node whose matrix does not decompose into translation, rotation and scale
  std::optional<glm::mat4> matrix;
};

// A helper joint rests in its parent, and is turned by shares of the rotation of another joint, the source. Its parent
// moves it; its own animation does not. The source's rotation from rest, relative to its parent, is split into a twist
// about `axis`, in (-pi, pi], followed by a swing (Dobrowolski 2015, "Swing-twist decomposition in Clifford algebra").
// Quaternions are x, y, z, w and of unit length.
struct HelperJoint {
  std::uint32_t joint = 0;
  std::uint32_t source = 0;               // has a parent; is not below the joint
  std::uint32_t last = 0;                 // the last joint below the joint; the joint itself if no joint is
  glm::vec3 axis{1, 0, 0};                // unit, in the source's space
  float twist = 0;                        // share of the twist
  float swing = 0;                        // share of the swing
  glm::vec4 source_rest{0, 0, 0, 1};      // the source's rest rotation in its parent
  glm::vec4 source_to_joint{0, 0, 0, 1};  // from the source's space to the joint's, at rest
};

// A joint that the file marks as a bone of a human body, whatever its name (VRM 1.0, VRMC_vrm.humanoid).
struct HumanBone {
  std::string name;  // in VRM 1.0: "hips", "leftUpperArm", "rightLittleDistal"
  std::uint32_t joint = 0;
};

struct Skeleton {
  std::vector<Joint> joints;           // parents before children
  std::vector<HelperJoint> helpers;    // of different joints; a helper follows the helper that is its source
  std::vector<HumanBone> human_bones;  // of different joints and names; tools prefer these to joint names

  std::optional<std::uint32_t> find(std::string_view name) const;

  // Returns the parent of a joint; none for a root.
  std::optional<std::uint32_t> parent_of(std::size_t joint) const {
    const std::int32_t parent = joints[joint].parent;
    return parent < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(parent));
  }
};

}  // namespace pelt
