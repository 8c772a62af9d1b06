// SPDX-License-Identifier: MIT
#include "samples/pelt/bench/workload.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <utility>

#include <pelt/bind.h>
#include <pelt/curve_skeleton.h>
#include <pelt/dual_quaternion.h>
#include <pelt/frame.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/linear_blend.h>
#include <pelt/mos.h>
#include <pelt/pack.h>
#include <pelt/pose.h>
#include <pelt/surface_ffd.h>
#include <pelt/try.h>

namespace pelt::samples {
namespace {

constexpr std::uint32_t kJoints = 32;
constexpr std::uint32_t kAround = 64;
constexpr float kLength = 2.0f;
constexpr float kRadius = 0.1f;
constexpr float kBone = kLength / kJoints;
constexpr std::uint32_t kFaceTargets = 52;  // ARKit's

Skeleton make_chain() {
  Skeleton skeleton;
  for (std::uint32_t j = 0; j < kJoints; ++j) {
    Joint joint;
    joint.name = "joint" + std::to_string(j);
    joint.parent = static_cast<std::int32_t>(j) - 1;
    joint.rest.translation.y = j == 0 ? 0.5f * kBone : kBone;
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

// Returns weights of the joints nearest to a ring at height y, which fall off with distance.
std::vector<Influence> ring_weights(float y, std::uint32_t influences) {
  std::vector<std::pair<float, std::uint32_t>> nearest;
  for (std::uint32_t j = 0; j < kJoints; ++j) {
    nearest.emplace_back(std::abs(y - kBone * (static_cast<float>(j) + 0.5f)), j);
  }
  std::sort(nearest.begin(), nearest.end());
  nearest.resize(influences);
  float sum = 0;
  for (const auto& [distance, joint] : nearest) sum += 1 / (distance + kBone);
  std::vector<Influence> row;
  for (const auto& [distance, joint] : nearest) row.push_back({joint, 1 / (distance + kBone) / sum});
  return row;
}

void add_morph_targets(Mesh& mesh, std::uint32_t count) {
  constexpr float kFace = kLength / 3;
  constexpr float kStretch = kFace / 5;
  for (std::uint32_t t = 0; t < count; ++t) {
    MorphTarget target{.name = "target" + std::to_string(t)};
    const float first = (kFace - kStretch) * static_cast<float>(t) / static_cast<float>(count);
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      const float along = (mesh.positions[v].y - first) / kStretch;
      const float share = along > 0 && along < 1 ? 4 * along * (1 - along) : 0;
      target.offsets.push_back(0.2f * kRadius * share * mesh.normals[v]);
      target.normals.emplace_back(0, 0.1f * share, 0);
    }
    mesh.morph_targets.push_back(std::move(target));
  }
}

// Returns a surface around the tube: one ring of control vertices per bone, attached to it.
HierarchicalBsplineParameters make_surface() {
  constexpr std::uint32_t kRing = 8;
  HierarchicalBsplineParameters surface;
  surface.shape = {kJoints + 3, kRing};
  surface.closed_v = true;
  surface.levels.resize(1);
  const float radius = kRadius * 3 / (2 + std::cos(glm::two_pi<float>() / kRing));  // the surface's is kRadius
  for (std::uint32_t i = 0; i < kJoints + 3; ++i) {
    for (std::uint32_t j = 0; j < kRing; ++j) {
      const float angle = glm::two_pi<float>() * static_cast<float>(j) / kRing;
      surface.control.emplace_back(radius * std::cos(angle), kBone * (static_cast<float>(i) - 1),
                                   radius * std::sin(angle));
    }
    const std::uint32_t joint = std::clamp(i, 1u, kJoints) - 1;
    surface.levels[0].attach.push_back(
        {.joint = "joint" + std::to_string(joint), .vertices = {{i * kRing, i * kRing + kRing - 1}}});
  }
  return surface;
}

}  // namespace

Model make_tube(std::uint32_t vertices, std::uint32_t influences, std::uint32_t morph_targets) {
  Model model;
  model.name = "tube";
  model.skeleton = make_chain();
  for (std::uint32_t j = 0; j < kJoints; ++j) {
    const glm::vec3 at(0.0f, kBone * (static_cast<float>(j) + 0.5f), 0.0f);
    model.bound_joints.push_back({j, glm::translate(glm::mat4(1.0f), -at)});
  }
  Mesh mesh;
  mesh.name = "tube";
  const std::uint32_t rings = std::max(2u, (vertices + kAround - 1) / kAround);
  for (std::uint32_t r = 0; r < rings; ++r) {
    const float y = kLength * static_cast<float>(r) / static_cast<float>(rings - 1);
    const std::vector<Influence> row = ring_weights(y, influences);
    for (std::uint32_t s = 0; s < kAround; ++s) {
      const float angle = glm::two_pi<float>() * static_cast<float>(s) / kAround;
      const glm::vec3 out(std::cos(angle), 0.0f, std::sin(angle));
      mesh.positions.push_back(kRadius * out + glm::vec3(0.0f, y, 0.0f));
      mesh.normals.push_back(out);
      mesh.tangents.emplace_back(0.0f, 1.0f, 0.0f, 1.0f);
      mesh.weights.append_row(row);
      if (r + 1 == rings) continue;
      const std::uint32_t a = r * kAround + s;
      const std::uint32_t b = r * kAround + (s + 1) % kAround;
      mesh.triangles.emplace_back(a, a + kAround, b);
      mesh.triangles.emplace_back(b, a + kAround, b + kAround);
    }
  }
  mesh.parts = {{0, static_cast<std::uint32_t>(mesh.triangles.size()), -1}};
  add_morph_targets(mesh, morph_targets);
  model.meshes.push_back(std::move(mesh));
  return model;
}

std::vector<Method> methods() {
  const auto surface_ffd = [](std::uint32_t elements) {
    SurfaceFfdParameters parameters;
    parameters.elements = elements;
    parameters.influences = 0;
    return parameters;
  };
  return {{"linear blend, 1", 1, LinearBlendParameters{}},
          {kYardstick, 4, LinearBlendParameters{}},
          {"linear blend, 8", 8, LinearBlendParameters{}},
          {"linear blend, 4, 52 targets", 4, LinearBlendParameters{}, kFaceTargets},
          {"dual quaternion, 4", 4, DualQuaternionParameters{}},
          {"surface FFD, K = 8", 4, surface_ffd(8)},
          {"surface FFD, K = 16", 4, surface_ffd(16)},
          {"surface FFD, default", 4, SurfaceFfdParameters{}},
          {"surface FFD, 52 targets", 4, SurfaceFfdParameters{}, kFaceTargets},
          {"curve skeleton", 4, CurveSkeletonParameters{}},
          {"mos", 4, MosParameters{}},
          {"hierarchical B-spline", 4, make_surface()}};
}

std::size_t yardstick_of(std::span<const Method> methods) {
  return static_cast<std::size_t>(std::ranges::find(methods, kYardstick, &Method::name) - methods.begin());
}

Result<Character> make_workload(const Method& method, std::uint32_t vertices) {
  Rig rig{.check = CheckMode::kReport};  // as users bind, whose rows the check reduces
  rig.layers.push_back({.target = "tube", .deformer = method.deformer, .mask = {}});
  PELT_ASSIGN(auto bound, bind(make_tube(vertices, method.influences, method.morph_targets), rig));
  return std::move(bound.character);
}

std::vector<glm::mat4> bent(const Skeleton& skeleton) {
  std::vector<Transform> local(skeleton.joints.size());
  rest_pose(skeleton, local);
  for (Transform& transform : local) transform.rotation = glm::angleAxis(0.08f, glm::vec3(0.6f, 0.0f, 0.8f));
  std::vector<glm::mat4> matrices(local.size());
  model_matrices(skeleton, local, matrices);
  return matrices;
}

std::vector<float> eight_active(const CharacterData& character) {
  constexpr std::size_t kActive = 8;
  std::vector<float> inputs(character.input_count);
  rest_inputs(character, inputs);
  const std::vector<Control>& controls = character.controls;
  for (std::size_t i = 0; i < kActive && !controls.empty(); ++i) {
    inputs[controls[i * controls.size() / kActive].input] = 0.5f;
  }
  return inputs;
}

Traffic traffic_of(const CharacterData& character, double vertex_bytes) {
  Traffic traffic;
  for (const PalettePass& pass : character.passes) {
    traffic.in += static_cast<double>(pass.records.size() * sizeof(std::uint32_t));
    traffic.out += static_cast<double>(pass.record_count * sizeof(Affine));
  }
  for (const CharacterMesh& mesh : character.meshes) {
    const PackedBinding& binding = mesh.binding;
    traffic.in += static_cast<double>(
        binding.points.size() * sizeof(glm::vec3) + binding.directions.size() * sizeof(glm::uvec2) +
        (binding.slices.size() + binding.influences.size() + binding.gradients.size()) * sizeof(std::uint32_t) +
        binding.gradient_units.size() * sizeof(float) + binding.local_points.size() * sizeof(glm::vec4));
    if (mesh.morphs) {
      traffic.in += static_cast<double>(
          (mesh.morphs->slices.size() + 2 * mesh.morphs->columns.size() + mesh.morphs->offsets.size()) *
          sizeof(std::uint32_t));
    }
    traffic.out += mesh.vertex_count() * (vertex_bytes + (mesh.frame_entry ? sizeof(Affine) : 0));
  }
  return traffic;
}

std::uint32_t skin_vertices(const CharacterData& character) {
  std::uint32_t count = 0;
  for (const CharacterMesh& mesh : character.meshes) count += mesh.control ? 0 : mesh.vertex_count();
  return count;
}

Json describe(const Method& method, const CharacterData& character, const Traffic& traffic, std::uint32_t instances) {
  const auto skin = std::ranges::find(character.meshes, false, &CharacterMesh::control);
  const double vertices = skin_vertices(character);
  return {{"method", method.name},
          {"influences", statistics(unpack_rows(skin->binding)).mean_influences},
          {"vertices", std::uint64_t{skin_vertices(character)} * instances},
          {"instances", instances},
          {"bytes_in_per_vertex", traffic.in / vertices},
          {"bytes_out_per_vertex", traffic.out / vertices},
          {"bytes_per_vertex", (traffic.in + traffic.out) / vertices}};
}

}  // namespace pelt::samples
