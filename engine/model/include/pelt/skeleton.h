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

// The matrix translation * rotation * scale; the rotation has unit length.
struct Transform {
  glm::vec3 translation{0.0f};
  glm::quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
  glm::vec3 scale{1.0f};
};

// A node of the hierarchy. Every node of a model is a joint, whether or not a skin uses it.
struct Joint {
  std::string name;          // unique within the skeleton
  std::int32_t parent = -1;  // always lower than the joint's own index; -1: a root
  Transform rest;            // local transform in the rest pose
  // local, affine: for a node whose matrix is not a product of translation, rotation and scale
  std::optional<glm::mat4> matrix;
};

struct Skeleton {
  std::vector<Joint> joints;  // parents before children

  std::optional<std::uint32_t> find(std::string_view name) const;
};

}  // namespace pelt
