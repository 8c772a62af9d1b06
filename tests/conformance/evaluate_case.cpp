// SPDX-License-Identifier: MIT
#include "tests/conformance/evaluate_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <pelt/bind.h>
#include <pelt/evaluate.h>
#include <pelt/try.h>

namespace pelt::conformance {
namespace {

void add_joints(const Case& test_case, Model& model) {
  for (std::uint32_t j = 0; j < test_case.parents.size(); ++j) {
    const std::int32_t parent = test_case.parents[j];
    const glm::dmat4 outer = parent < 0 ? glm::dmat4(1.0) : test_case.joints_at_rest[static_cast<std::size_t>(parent)];
    model.skeleton.joints.push_back({.name = fmt::format("joint{}", j),
                                     .parent = parent,
                                     .matrix = glm::mat4(glm::inverse(outer) * test_case.joints_at_rest[j])});
    model.bound_joints.push_back({j, glm::mat4(glm::inverse(test_case.joints_at_rest[j]))});
  }
}

// Makes the model of a case. If a variant follows the driver's transforms, every vertex of the driver has a joint of
// its own; if drivers are streamed, there is one joint that does not move.
Model make_model(const Case& test_case, const Variant& variant) {
  Model model;
  model.name = test_case.name;
  model.meshes = {test_case.skin};
  model.meshes.insert(model.meshes.end(), test_case.drivers.begin(), test_case.drivers.end());
  add_joints(test_case, model);
  const auto add_still_joint = [&] {
    const auto j = static_cast<std::uint32_t>(model.skeleton.joints.size());
    model.skeleton.joints.push_back({.name = fmt::format("joint{}", j)});
    model.bound_joints.push_back({j, glm::mat4(1.0f)});
  };
  if (variant.follows_transforms) {
    Mesh& driver = model.meshes[1];
    for (std::uint32_t v = 0; v < driver.positions.size(); ++v) {
      add_still_joint();
      driver.weights.append_row({{Influence{v, 1.0f}}});
    }
  }
  if (model.skeleton.joints.empty()) add_still_joint();
  return model;
}

Pose make_pose(const Case& test_case, const Variant& variant, const CasePose& pose) {
  if (!test_case.joints_at_rest.empty()) return {{pose.joints.begin(), pose.joints.end()}, {}, pose.controls};
  if (variant.follows_transforms) return {{pose.driver_transforms.begin(), pose.driver_transforms.end()}, {}, {}};
  Pose result{{glm::mat4(1.0f)}, {}, {}};
  for (const std::vector<glm::dvec3>& positions : pose.driver_positions) {
    result.streams.emplace_back(positions.begin(), positions.end());
  }
  return result;
}

double diagonal(std::span<const glm::vec3> points) {
  glm::dvec3 low = points[0];
  glm::dvec3 high = points[0];
  for (const glm::dvec3 point : points) {
    low = glm::min(low, point);
    high = glm::max(high, point);
  }
  return glm::distance(low, high);
}

double degrees_between(glm::dvec3 a, glm::dvec3 b) {
  return glm::degrees(std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)));
}

bool is_finite(glm::vec3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

// Adds the deviation of one answer to that of the answers before.
void compare(const Answer& answer, std::span<const glm::vec3> positions, std::span<const glm::vec3> normals,
             double size, Deviation& deviation) {
  for (std::uint32_t v = 0; v < positions.size(); ++v) {
    if (!is_finite(positions[v]) || !is_finite(normals[v])) {
      if (deviation.finite) {
        deviation.pose = answer.pose;
        deviation.vertex = v;
      }
      deviation.finite = false;
      continue;
    }
    if (answer.skip[v]) continue;
    const double position = glm::distance(glm::dvec3(positions[v]), answer.positions[v]) / size;
    if (position > deviation.position && deviation.finite) {
      deviation.pose = answer.pose;
      deviation.vertex = v;
    }
    deviation.position = std::max(deviation.position, position);
    if (!answer.normals.empty()) {
      deviation.normal = std::max(deviation.normal, degrees_between(normals[v], answer.normals[v]));
    }
  }
}

}  // namespace

Result<Deviation> evaluate(const Case& test_case, const Variant& variant, BackEnd& back_end) {
  const Model model = make_model(test_case, variant);
  PELT_ASSIGN(const auto bound, bind(model, variant.rig));

  std::vector<Pose> poses;
  for (const Answer& answer : variant.answers)
    poses.push_back(make_pose(test_case, variant, test_case.poses[answer.pose]));
  PELT_ASSIGN(const auto moved, back_end.move(bound.character, poses));

  const std::vector<CharacterMesh>& meshes = bound.character->meshes;
  const auto skin = std::find_if(meshes.begin(), meshes.end(), [](const CharacterMesh& m) { return m.name == "skin"; });
  const double size = diagonal(test_case.skin.positions);
  Deviation deviation;
  for (std::size_t a = 0; a < variant.answers.size(); ++a) {
    std::vector<glm::vec3> positions(skin->vertex_count());
    std::vector<glm::vec3> normals(skin->vertex_count());
    to_source_order<glm::vec3>(*skin, moved[a].positions, positions);
    to_source_order<glm::vec3>(*skin, moved[a].normals, normals);
    compare(variant.answers[a], positions, normals, size, deviation);
  }
  return deviation;
}

}  // namespace pelt::conformance
