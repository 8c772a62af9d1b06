// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/skin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <glm/gtc/matrix_inverse.hpp>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <pelt/try.h>

#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/model/affine.h"
#include "engine/authoring/model/gltf/accessor.h"
#include "engine/authoring/model/gltf/pose_at_bind.h"
#include "engine/authoring/model/note_size.h"

namespace pelt {
namespace {

// The first skin's binding of a joint.
struct Bind {
  glm::dmat4 inverse_bind;
  glm::dmat4 model_from_mesh;
};

struct KeyHash {
  std::size_t operator()(const std::array<std::uint32_t, 17>& key) const {
    std::size_t hash = 0;
    for (const std::uint32_t word : key) hash = hash * 0x9E3779B97F4A7C15u + word;
    return hash;
  }
};

// A skin may bind a mesh in a space of its own: for example vertices in centimetres, lying on their back, with inverse
// bind matrices that correct for it. Linear blend is not affected, but anything that relates meshes to each other is: a
// driver for several meshes, distances in metres, a mesh parented to a joint. So all meshes are brought to one space,
// that of the joint matrices, by a matrix M for each skin:
//
//   p := M p,   inverse bind := inverse bind * M^-1,   so that   sum w J B p   does not change.
//
// M puts the joint that moves most of the skin at its rest pose: M = J_rest * B, if floats keep the digits of M p. If a
// skin shares a joint with an earlier, heavier one, the joint goes to its transform in the earlier skin's bind pose,
// even if the rest pose differs; meshes parented to a joint go to the joint's bind pose. So all meshes are in one pose.
class SpaceMaker {
 public:
  SpaceMaker(const GltfDocument& document, const GltfSkeleton& skeleton, std::span<GltfSkin> skins, Model& model)
      : document_(document),
        skeleton_(skeleton),
        pose_(pose_at_bind(skeleton, skins, model)),
        skins_(skins),
        model_(model),
        binds_(model.skeleton.joints.size()) {
    if (pose_.rests.front() != skeleton_.rests.front()) model_.root_at_bind = glm::mat4(pose_.rests.front());
  }

  // `skin_of_mesh`: one entry for each mesh of the model.
  Result<void> run(std::span<const std::size_t> skin_of_mesh) {
    const auto weight = [&](std::size_t s) {
      return std::accumulate(skins_[s].weights.begin(), skins_[s].weights.end(), 0.0);
    };
    std::vector<std::size_t> order;
    for (std::size_t s = 0; s < skins_.size(); ++s) {
      if (!skins_[s].rigid && weight(s) > 0) order.push_back(s);  // a skin that moves no mesh decides nothing
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
    for (const std::size_t s : order) place(skins_[s]);

    const std::vector<glm::dmat4> bind_pose = find_bind_pose();
    for (GltfSkin& skin : skins_) {
      if (skin.rigid) set_space(skin, space_of_rigid(skin, bind_pose[skin.joints.front()]));
      bind_joints(skin);
    }
    for (std::size_t m = 0; m < model_.meshes.size(); ++m) {
      PELT_TRY(move(model_.meshes[m], skins_[skin_of_mesh[m]]));
    }
    return check_joints();
  }

 private:
  Result<void> check_joints() const {
    const auto refuse = [&](std::size_t joint, const std::string& why) {
      return fail(ErrorCode::kInvalidFile,
                  fmt::format("{}: joint '{}': {}", document_.source, model_.skeleton.joints[joint].name, why));
    };
    for (std::size_t j = 0; j < model_.skeleton.joints.size(); ++j) {
      if (!is_near(skeleton_.local_rests[j]) || !is_near(glm::dvec3(skeleton_.rests[j][3]))) {
        return refuse(j, fmt::format("it is farther than {:g} from the origin or its parent", kMaxCoordinate));
      }
    }
    for (const BoundJoint& bound : model_.bound_joints) {
      if (!is_finite(bound.inverse_bind)) {
        return refuse(bound.joint, "the inverse bind matrix does not fit single precision");
      }
      if (!binds_near(bound.inverse_bind)) {
        return refuse(bound.joint,
                      fmt::format("its inverse bind matrix puts it farther than {:g} from the origin", kMaxCoordinate));
      }
    }
    return {};
  }

  void place(GltfSkin& skin) {
    const auto model_from_mesh = [&](std::size_t k) {
      const std::optional<Bind>& bind = binds_[skin.joints[k]];
      if (!bind) return pose_.rests[skin.joints[k]] * skin.inverse_binds[k];
      return bind->model_from_mesh * glm::affineInverse(bind->inverse_bind) * skin.inverse_binds[k];
    };
    using Rank = std::tuple<bool, bool, double>;
    const auto rank = [&](std::size_t k) {
      return Rank(keeps_digits(model_from_mesh(k), skin.extent), binds_[skin.joints[k]].has_value(), skin.weights[k]);
    };
    std::size_t best = 0;
    for (std::size_t k = 1; k < skin.joints.size(); ++k) {
      if (rank(k) > rank(best)) best = k;
    }
    const std::optional<Bind>& bound = binds_[skin.joints[best]];
    if (bound && bound->inverse_bind == skin.inverse_binds[best]) {
      skin.model_from_mesh = bound->model_from_mesh;  // bitwise equal, so that the two share bound joints
    } else {
      set_space(skin, model_from_mesh(best));
    }
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      std::optional<Bind>& bind = binds_[skin.joints[k]];
      if (!bind && is_invertible(skin.inverse_binds[k])) bind = {skin.inverse_binds[k], skin.model_from_mesh};
    }
  }

  // The joint's bind pose, unless floats lose four bits more by it than by the rest pose.
  glm::dmat4 space_of_rigid(const GltfSkin& skin, const glm::dmat4& at_bind) const {
    const glm::dmat4& at_rest = pose_.rests[skin.joints.front()];
    return lost_digits(at_bind, skin.extent) > 16 * lost_digits(at_rest, skin.extent) ? at_rest : at_bind;
  }

  // Keeps the identity if `model_from_mesh` equals it up to rounding, or has no inverse.
  static void set_space(GltfSkin& skin, const glm::dmat4& model_from_mesh) {
    constexpr double kTolerance = 1e-6;
    double off = glm::length(glm::dvec3(model_from_mesh[3])) / std::max(skin.extent, 1e-30);
    for (int c = 0; c < 3; ++c) off = std::max(off, glm::length(glm::dvec3(model_from_mesh[c] - glm::dmat4(1.0)[c])));
    if (off > kTolerance && is_invertible(model_from_mesh)) skin.model_from_mesh = model_from_mesh;
  }

  // Returns the transform of each joint in the bind pose; joints that no skin binds move with their parents.
  std::vector<glm::dmat4> find_bind_pose() const {
    std::vector<glm::dmat4> pose(binds_.size());
    for (std::size_t j = 0; j < binds_.size(); ++j) {
      const auto parent = model_.skeleton.parent_of(j);
      if (binds_[j]) {
        pose[j] = binds_[j]->model_from_mesh * glm::affineInverse(binds_[j]->inverse_bind);
      } else {
        pose[j] = parent ? pose[*parent] * pose_.local_rests[j] : pose_.local_rests[j];
      }
    }
    return pose;
  }

  void bind_joints(GltfSkin& skin) {
    const glm::dmat4 mesh_from_model = glm::affineInverse(skin.model_from_mesh);
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const BoundJoint bound{skin.joints[k], glm::mat4(skin.inverse_binds[k] * mesh_from_model)};
      std::array<std::uint32_t, 17> key{bound.joint};
      std::memcpy(&key[1], &bound.inverse_bind, sizeof(bound.inverse_bind));
      const auto [found, is_new] =
          bound_joint_of_.try_emplace(key, static_cast<std::uint32_t>(model_.bound_joints.size()));
      if (is_new) model_.bound_joints.push_back(bound);
      skin.bound_joints.push_back(found->second);
    }
  }

  Result<void> move(Mesh& mesh, const GltfSkin& skin) const {
    for (Influence& influence : mesh.weights.influences) influence.index = skin.bound_joints[influence.index];
    const glm::dmat4& m = skin.model_from_mesh;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      const glm::dvec3 moved(m * glm::dvec4(mesh.positions[v], 1.0));
      if (!is_near(moved)) {
        return fail(ErrorCode::kInvalidFile, fmt::format("{}: mesh '{}': vertex {} is farther than {} from the origin",
                                                         document_.source, mesh.name, v, kMaxCoordinate));
      }
      mesh.positions[v] = glm::vec3(moved);
    }
    const glm::dmat3 axes(m);
    for (MorphTarget& target : mesh.morph_targets) {
      for (std::size_t v = 0; v < target.offsets.size(); ++v) {
        const glm::dvec3 moved = axes * glm::dvec3(target.offsets[v]);
        if (!is_near(moved)) {
          return fail(ErrorCode::kInvalidFile,
                      fmt::format("{}: mesh '{}': morph target '{}' moves vertex {} by more than {}", document_.source,
                                  mesh.name, target.name, v, kMaxCoordinate));
        }
        target.offsets[v] = glm::vec3(moved);
      }
    }
    if (m == glm::dmat4(1.0)) return {};
    // Preserves the outside of surfaces: if M mirrors, the inverse transpose still points outward, but the winding of
    // the triangles and the orientation of (normal, tangent, bitangent) are reversed.
    const bool mirrors = glm::determinant(axes) < 0;
    const glm::dmat3 normal_axes = glm::inverseTranspose(axes);
    for (MorphTarget& target : mesh.morph_targets) {
      PELT_TRY(move_directions(mesh, axes, normal_axes, target));
    }
    for (glm::vec3& normal : mesh.normals) normal = glm::vec3(glm::normalize(normal_axes * glm::dvec3(normal)));
    for (glm::vec4& tangent : mesh.tangents) {
      const glm::vec3 moved(glm::normalize(axes * glm::dvec3(tangent)));
      tangent = glm::vec4(moved, mirrors ? -tangent.w : tangent.w);
    }
    if (mirrors) {
      for (glm::uvec3& triangle : mesh.triangles) std::swap(triangle.y, triangle.z);
    }
    return {};
  }

  // Moves the offsets of a target's normals and tangents. The normals and tangents of `mesh` are not moved yet: each
  // keeps its unit length, so its offsets are divided by its change in length.
  Result<void> move_directions(const Mesh& mesh, const glm::dmat3& axes, const glm::dmat3& normal_axes,
                               MorphTarget& target) const {
    const auto move = [&](const glm::dmat3& matrix, const auto& directions, std::vector<glm::vec3>& offsets,
                          const char* what) -> Result<void> {
      for (std::size_t v = 0; v < offsets.size() && !directions.empty(); ++v) {
        const double length = glm::length(matrix * glm::dvec3(directions[v]));
        offsets[v] = glm::vec3(matrix * glm::dvec3(offsets[v]) / length);
        if (is_finite(offsets[v])) continue;
        return fail(ErrorCode::kInvalidFile,
                    fmt::format("{}: mesh '{}': morph target '{}' moves the {} of vertex {} by a value not finite",
                                document_.source, mesh.name, target.name, what, v));
      }
      return {};
    };
    PELT_TRY(move(normal_axes, mesh.normals, target.normals, "normal"));
    return move(axes, mesh.tangents, target.tangents, "tangent");
  }

  const GltfDocument& document_;
  const GltfSkeleton& skeleton_;
  const GltfSkeleton pose_;  // in which vertices are stored
  std::span<GltfSkin> skins_;
  Model& model_;
  std::vector<std::optional<Bind>> binds_;  // for each joint
  std::unordered_map<std::array<std::uint32_t, 17>, std::uint32_t, KeyHash> bound_joint_of_;
};

}  // namespace

Result<std::vector<GltfSkin>> read_skins(const GltfDocument& document, std::span<const std::uint32_t> joint_of_node) {
  std::vector<GltfSkin> skins;
  std::unordered_map<int, std::vector<float>> matrices_of;  // keyed by accessor: any number of skins may share one
  for (std::size_t s = 0; s < document.gltf.skins.size(); ++s) {
    const tinygltf::Skin& source = document.gltf.skins[s];
    GltfSkin skin;
    for (const int node : source.joints) skin.joints.push_back(joint_of_node[static_cast<std::size_t>(node)]);
    // "When undefined, each matrix is a 4x4 identity matrix": the default of the property.
    skin.inverse_binds.assign(skin.joints.size(), glm::dmat4(1.0));
    skin.weights.assign(skin.joints.size(), 0.0);
    if (source.inverseBindMatrices >= 0) {
      std::vector<float>& values = matrices_of[source.inverseBindMatrices];
      if (values.empty()) values = read_floats(document, source.inverseBindMatrices);
      for (std::size_t k = 0; k < skin.joints.size(); ++k) {
        glm::dmat4& matrix = skin.inverse_binds[k];
        for (int c = 0; c < 16; ++c) matrix[c / 4][c % 4] = values[16 * k + static_cast<std::size_t>(c)];
        for (int c = 0; c < 4; ++c) {
          if (std::abs(matrix[c][3] - (c == 3 ? 1.0 : 0.0)) > 1e-4) {
            return fail_at(document, fmt::format("/skins/{}/inverseBindMatrices", s),
                           fmt::format("the last row of matrix {} is not 0 0 0 1", k));
          }
          matrix[c][3] = c == 3 ? 1.0 : 0.0;
        }
      }
    }
    skins.push_back(std::move(skin));
  }
  return skins;
}

GltfSkin rigid_skin(std::uint32_t joint) {
  return {.joints = {joint}, .inverse_binds = {glm::dmat4(1.0)}, .weights = {0.0}, .rigid = true};
}

Result<void> bring_to_model_space(const GltfDocument& document, const GltfSkeleton& skeleton, std::span<GltfSkin> skins,
                                  std::span<const std::size_t> skin_of_mesh, Model& model) {
  return SpaceMaker(document, skeleton, skins, model).run(skin_of_mesh);
}

Result<void> check_size(const GltfDocument& document, Model& model) {
  Bounds<glm::vec3> box;
  for (const Mesh& mesh : model.meshes) {
    for (const glm::vec3& point : mesh.positions) box.add(point);
  }
  if (box.low == box.high) return fail(ErrorCode::kInvalidFile, document.source + ": all vertices are at one point");
  const float size = glm::length(box.size());
  if (!document.gltf.skins.empty()) note_size(size, model.report);
  return {};
}

}  // namespace pelt
