// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/pose_at_bind.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <glm/gtc/matrix_inverse.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>
#include <utility>
#include <vector>

#include "engine/authoring/model/affine.h"

namespace pelt {
namespace {

constexpr double kHidden = 256;  // times as large when shown
constexpr double kFar = 256;     // sizes of the largest skin: a step of floats is then 1.5e-5 of it

// A skin as one of its joints moves it.
struct PlacedSkin {
  std::uint32_t joint = 0;
  glm::dvec3 at{0.0};
  double size = 0;
  bool keeps_digits = false;
  bool rigid = false;
};

// Places each skin by one joint: of those that keep its digits, else of all, the one of most weight.
std::vector<PlacedSkin> place_skins(const GltfSkeleton& pose, std::span<const GltfSkin> skins) {
  std::vector<PlacedSkin> placed;
  for (const GltfSkin& skin : skins) {
    if (skin.extent == 0) continue;
    const auto moved = [&](std::size_t k) { return pose.rests[skin.joints[k]] * skin.inverse_binds[k]; };
    const auto rank = [&](std::size_t k) { return std::pair(keeps_digits(moved(k), skin.extent), skin.weights[k]); };
    std::size_t best = 0;
    for (std::size_t k = 1; k < skin.joints.size(); ++k) {
      if (rank(k) > rank(best)) best = k;
    }
    const glm::dmat4 m = moved(best);
    const double scale = std::max({glm::length(m[0]), glm::length(m[1]), glm::length(m[2])});
    placed.push_back({skin.joints[best], glm::dvec3(m[3]), scale * skin.extent, rank(best).first, skin.rigid});
  }
  return placed;
}

// Returns for each joint the first skin that the joint or one below it places, of those that pass the test.
template <class Test>
std::vector<const PlacedSkin*> first_below(const Skeleton& skeleton, std::span<const PlacedSkin> placed,
                                           const Test& test) {
  std::vector<const PlacedSkin*> first(skeleton.joints.size(), nullptr);
  for (const PlacedSkin& skin : placed) {
    if (first[skin.joint] == nullptr && test(skin)) first[skin.joint] = &skin;
  }
  for (std::size_t j = first.size(); j-- > 0;) {
    const auto parent = skeleton.parent_of(j);
    if (parent && first[*parent] == nullptr) first[*parent] = first[j];
  }
  return first;
}

void set_rests(const Skeleton& skeleton, GltfSkeleton& pose) {
  for (std::size_t j = 0; j < pose.rests.size(); ++j) {
    const auto parent = skeleton.parent_of(j);
    pose.rests[j] = parent ? pose.rests[*parent] * pose.local_rests[j] : pose.local_rests[j];
  }
}

// Returns the largest scale of each joint in the clips; 0 if they have none.
std::vector<glm::dvec3> largest_scales(const Model& model) {
  std::vector<glm::dvec3> largest(model.skeleton.joints.size(), glm::dvec3(0.0));
  for (const Clip& clip : model.clips) {
    for (const Channel& channel : clip.channels) {
      if (channel.path != ChannelPath::kScale) continue;
      const bool cubic = channel.interpolation == Interpolation::kCubicSpline;
      for (std::size_t k = 0; k < channel.times.size(); ++k) {
        const float* key = &channel.values[3 * (cubic ? 3 * k + 1 : k)];
        largest[channel.joint] = glm::max(largest[channel.joint], glm::abs(glm::dvec3(key[0], key[1], key[2])));
      }
    }
  }
  return largest;
}

// Returns the scale at which a joint of that scale is shown.
double shown_scale(double scale, double largest) {
  const double size = std::abs(scale);
  const double sign = scale < 0 ? -1 : 1;
  if (largest > 16 * size) return sign * largest;
  return size == 0 || (largest == 0 && kHidden * size < 1) ? sign : scale;
}

glm::dmat4 shown(const Joint& joint, const glm::dvec3& largest) {
  if (!joint.matrix) {
    Transform transform = joint.rest;
    for (int axis = 0; axis < 3; ++axis) {
      transform.scale[axis] = static_cast<float>(shown_scale(joint.rest.scale[axis], largest[axis]));
    }
    return to_matrix(transform);
  }
  glm::dmat4 matrix(*joint.matrix);
  for (int axis = 0; axis < 3; ++axis) {
    const double size = glm::length(matrix[axis]);
    if (size > 0) matrix[axis] *= shown_scale(size, 0) / size;
  }
  for (int axis = 0; axis < 3; ++axis) {  // flat: as thick as the others are long
    const glm::dvec3 normal = glm::cross(glm::dvec3(matrix[(axis + 1) % 3]), glm::dvec3(matrix[(axis + 2) % 3]));
    const double length = glm::length(normal);
    if (glm::length(matrix[axis]) == 0 && length > 0) matrix[axis] = glm::dvec4(normal / std::sqrt(length), 0.0);
  }
  return is_invertible(matrix) ? matrix : glm::translate(glm::dmat4(1.0), glm::dvec3(matrix[3]));
}

// Shows joints that clips show far larger than at rest, and hidden ones with only skins on and below them that lose
// digits by it.
void show_hidden(const Model& model, std::span<const GltfSkin> skins, GltfSkeleton& pose) {
  const std::vector<PlacedSkin> placed = place_skins(pose, skins);
  const auto used = first_below(model.skeleton, placed, [](const PlacedSkin&) { return true; });
  const auto kept = first_below(model.skeleton, placed, [](const PlacedSkin& skin) { return skin.keeps_digits; });
  const std::vector<glm::dvec3> largest = largest_scales(model);
  bool changes = false;
  for (std::size_t j = 0; j < used.size(); ++j) {
    const Joint& joint = model.skeleton.joints[j];
    const glm::dvec3 hidden = kHidden * glm::abs(glm::dvec3(joint.rest.scale));
    const bool grows = glm::any(glm::greaterThan(largest[j], hidden));
    if (used[j] == nullptr || (kept[j] != nullptr && !grows)) continue;
    pose.local_rests[j] = shown(joint, largest[j]);
    changes = true;
  }
  if (changes) set_rests(model.skeleton, pose);
}

// Moves joints with only far skins on and below them; those near each other stay so.
void bring_near(const Model& model, std::span<const GltfSkin> skins, GltfSkeleton& pose) {
  const std::vector<PlacedSkin> placed = place_skins(pose, skins);
  const bool all_rigid = std::ranges::all_of(placed, &PlacedSkin::rigid);
  double reach = 0;  // of the largest skin; of the largest mesh at a node if there are no skins
  for (const PlacedSkin& skin : placed) {
    if (all_rigid || !skin.rigid) reach = std::max(reach, skin.size);
  }
  const auto is_near_to = [&](const PlacedSkin& skin, const glm::dvec3& point) {
    return glm::distance(skin.at, point) <= kFar * std::max(reach, skin.size);
  };
  const auto is_near_origin = [&](const PlacedSkin& skin) { return is_near_to(skin, glm::dvec3(0.0)); };
  if (std::ranges::all_of(placed, is_near_origin)) return;
  const auto used = first_below(model.skeleton, placed, [](const PlacedSkin&) { return true; });
  const auto near = first_below(model.skeleton, placed, is_near_origin);
  std::vector<bool> moved(used.size(), false);
  glm::dvec3 center(0.0);
  for (std::size_t j = 0; j < used.size(); ++j) {
    const auto parent = model.skeleton.parent_of(j);
    moved[j] = parent && moved[*parent];
    if (moved[j] || used[j] == nullptr || near[j] != nullptr) continue;
    moved[j] = true;
    if (!is_near_to(*used[j], center)) center = used[j]->at;
    const glm::dmat4 rest = glm::translate(glm::dmat4(1.0), -center) * pose.rests[j];
    pose.local_rests[j] = parent ? glm::affineInverse(pose.rests[*parent]) * rest : rest;
  }
  set_rests(model.skeleton, pose);
}

}  // namespace

double lost_digits(const glm::dmat4& m, double extent) {
  if (extent == 0) return 1;
  if (!is_invertible(m)) return std::numeric_limits<double>::infinity();
  const auto [least, largest] = std::minmax({glm::length(m[0]), glm::length(m[1]), glm::length(m[2])});
  return (glm::length(glm::dvec3(m[3])) + largest * extent) / (least * extent);
}

GltfSkeleton pose_at_bind(const GltfSkeleton& rest, std::span<const GltfSkin> skins, const Model& model) {
  GltfSkeleton pose = rest;
  show_hidden(model, skins, pose);
  bring_near(model, skins, pose);
  return pose;
}

}  // namespace pelt
