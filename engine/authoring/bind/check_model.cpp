// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/check_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <pelt/character.h>
#include <pelt/finite.h>
#include <pelt/try.h>

#include "engine/authoring/model/affine.h"
#include "engine/character/base/invalid.h"
#include "engine/character/model/helper_joint.h"
#include "engine/character/model/human_bone.h"

namespace pelt {
namespace {

template <class T>
bool all_finite(const std::vector<T>& values) {
  return std::ranges::all_of(values, [](const T& value) { return is_finite(value); });
}

Result<void> check_mesh(const Mesh& mesh, std::size_t bound_joint_count) {
  const std::size_t count = mesh.positions.size();
  if (count >= std::numeric_limits<std::uint32_t>::max() ||
      mesh.triangles.size() >= std::numeric_limits<std::uint32_t>::max()) {
    return invalid("mesh '{}' has {} vertices and {} triangles; 32 bits cannot count them", mesh.name, count,
                   mesh.triangles.size());
  }
  const auto fits = [&](std::size_t size) { return size == 0 || size == count; };
  if (!fits(mesh.normals.size()) || !fits(mesh.tangents.size()) || !fits(mesh.uvs.size()) ||
      !fits(mesh.weights.row_count())) {
    return invalid(
        "mesh '{}' has {} positions, {} normals, {} tangents, {} texture coordinates, {} rows of weights; all but 0 "
        "must be equal",
        mesh.name, count, mesh.normals.size(), mesh.tangents.size(), mesh.uvs.size(), mesh.weights.row_count());
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_near(mesh.positions[i])) {
      return invalid("mesh '{}': vertex {} must be finite and within {:g} m of the origin", mesh.name, i,
                     kMaxCoordinate);
    }
  }
  if (!all_finite(mesh.normals) || !all_finite(mesh.tangents) || !all_finite(mesh.uvs)) {
    return invalid("mesh '{}' has a normal, tangent or texture coordinate that is not finite", mesh.name);
  }
  for (const MorphTarget& target : mesh.morph_targets) {
    const auto is_complete = [&](const std::vector<glm::vec3>& offsets) {
      return (offsets.empty() || offsets.size() == count) && all_finite(offsets);
    };
    if (target.offsets.size() != count || !is_complete(target.offsets) || !is_complete(target.normals) ||
        !is_complete(target.tangents) || !std::isfinite(target.weight)) {
      return invalid("mesh '{}': morph target '{}' needs one finite offset per vertex and a finite weight", mesh.name,
                     target.name);
    }
  }
  for (const VertexAttribute& attribute : mesh.attributes) {
    const bool finite = std::ranges::all_of(attribute.values, [](float value) { return std::isfinite(value); });
    if (attribute.values.size() != count || !finite) {
      return invalid("mesh '{}': attribute '{}' needs exactly one finite value per vertex", mesh.name, attribute.name);
    }
  }
  for (const glm::uvec3 triangle : mesh.triangles) {
    if (triangle.x >= count || triangle.y >= count || triangle.z >= count) {
      return invalid("mesh '{}': a triangle has the vertices {}, {}, {}, but the mesh has {}", mesh.name, triangle.x,
                     triangle.y, triangle.z, count);
    }
  }
  return validate(mesh.weights, bound_joint_count, "the weights of mesh '" + mesh.name + "'");
}

Result<void> check_expressions(const Model& model) {
  std::unordered_map<std::string_view, std::size_t> target_counts;
  for (const Mesh& mesh : model.meshes) target_counts.emplace(mesh.name, mesh.morph_targets.size());
  for (const Expression& expression : model.expressions) {
    for (const ExpressionTarget& target : expression.targets) {
      const auto mesh = target_counts.find(target.mesh);
      if (mesh == target_counts.end() || target.target >= mesh->second || !is_near(target.weight)) {
        return invalid("the expression '{}' names a morph target that does not exist, or its weight is not finite",
                       expression.name);
      }
    }
  }
  return {};
}

}  // namespace

Result<void> check_model(const Model& model) {
  const std::vector<Joint>& joints = model.skeleton.joints;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].parent < -1 || joints[j].parent >= static_cast<std::int64_t>(j)) {
      return invalid("joint '{}' must come after its parent", joints[j].name);
    }
  }
  PELT_TRY(check_helpers(model.skeleton));
  PELT_TRY(check_human_bones(model.skeleton));
  for (const BoundJoint& bound : model.bound_joints) {
    if (bound.joint >= joints.size()) return invalid("a skin binds joint {} of only {}", bound.joint, joints.size());
    if (!is_finite(bound.inverse_bind)) {
      return invalid("the inverse bind matrix of joint '{}' is not finite", joints[bound.joint].name);
    }
    if (!binds_near(bound.inverse_bind)) {
      return invalid("joint '{}' is bound farther than {:g} m from the origin, or at a larger scale",
                     joints[bound.joint].name, kMaxCoordinate);
    }
  }
  for (const MarkedAnchor& anchor : model.anchors) {
    if (anchor.joint >= joints.size())
      return invalid("the anchor '{}' marks joint {} of only {}", anchor.name, anchor.joint, joints.size());
  }
  for (const Mesh& mesh : model.meshes) {
    PELT_TRY(check_mesh(mesh, model.bound_joints.size()));
  }
  for (const MeshLines& lines : model.lines) {
    const Mesh* mesh = model.find_mesh(lines.mesh);
    const auto is_outside = [&](glm::uvec2 s) { return std::max(s.x, s.y) >= mesh->positions.size(); };
    if (mesh == nullptr || lines.segments.empty() || std::ranges::any_of(lines.segments, is_outside))
      return invalid("the lines of mesh '{}' need that mesh, and segments between its vertices", lines.mesh);
  }
  for (const MeshLevel& level : model.levels) {
    PELT_TRY(check_mesh(level.mesh, model.bound_joints.size()));
    if (level.of >= model.meshes.size() || level.level < 1 || level.level > kMaxLevel) {
      return invalid("mesh '{}': level of detail {} (allowed: 1 to {}) of mesh {} (there are {})", level.mesh.name,
                     level.level, kMaxLevel, level.of, model.meshes.size());
    }
  }
  return check_expressions(model);
}

}  // namespace pelt
