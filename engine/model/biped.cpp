// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <string>

#include "engine/model/biped_anatomy.h"
#include "engine/model/biped_clips.h"
#include "engine/model/builtin.h"
#include "engine/model/model_builder.h"
#include "engine/model/surface_mesher.h"

namespace pelt {
namespace {

using glm::vec3;

// A bone's frame: y along the bone, z as near as possible to `front`.
glm::mat3 bone_axes(const vec3& along, const vec3& front) {
  const vec3 y = glm::normalize(along);
  const vec3 z = glm::normalize(front - glm::dot(front, y) * y);
  return glm::mat3(glm::cross(y, z), y, z);
}

vec3 on_arm(float s) { return landmark::kShoulder + s * arm_axis(); }

struct BipedBone {
  const char* name;
  std::int32_t parent;
  vec3 start;
  vec3 along;
  vec3 front;
};

// The middle and the left side, in the order of BipedJoint; the right side is made from the left.
std::array<BipedBone, kRightShoulder> left_bones() {
  namespace at = landmark;
  const vec3 up(0, 1, 0), ahead(0, 0, 1);
  return {{{"root", -1, vec3(0.0f), up, ahead},
           {"hips", kRoot, at::kHips, up, ahead},
           {"spine", kHips, at::kSpine, at::kChest - at::kSpine, ahead},
           {"chest", kSpine, at::kChest, at::kNeck - at::kChest, ahead},
           {"neck", kChest, at::kNeck, at::kHead - at::kNeck, ahead},
           {"head", kNeck, at::kHead, at::kCrown - at::kHead, ahead},
           {"left_shoulder", kChest, at::kClavicle, at::kShoulder - at::kClavicle, ahead},
           {"left_upper_arm", kLeftShoulder, at::kShoulder, arm_axis(), ahead},
           {"left_forearm", kLeftUpperArm, on_arm(at::kElbow), arm_axis(), ahead},
           {"left_hand", kLeftForearm, on_arm(at::kWrist), arm_axis(), ahead},
           {"left_thigh", kHips, at::kHip, at::kKnee - at::kHip, ahead},
           {"left_shin", kLeftThigh, at::kKnee, at::kAnkle - at::kKnee, ahead},
           {"left_foot", kLeftShin, at::kAnkle, at::kToes - vec3(at::kAnkle.x, at::kToes.y, at::kAnkle.z), up}}};
}

Skeleton biped_skeleton() {
  const auto left = left_bones();
  std::array<glm::mat4, kBipedJointCount> world;
  Skeleton skeleton;
  for (std::uint32_t j = 0; j < kBipedJointCount; ++j) {
    const bool right = j >= kRightShoulder;
    BipedBone bone = left[right ? j - (kRightShoulder - kLeftShoulder) : j];
    std::string name = bone.name;
    if (right) {
      name.replace(0, 4, "right");
      bone.start.x = -bone.start.x;
      bone.along.x = -bone.along.x;
      bone.parent = static_cast<std::int32_t>(mirrored_joint(static_cast<std::uint32_t>(bone.parent)));
    }
    world[j] = glm::mat4(bone_axes(bone.along, bone.front));
    world[j][3] = glm::vec4(bone.start, 1.0f);
    const glm::mat4 local = bone.parent < 0 ? world[j] : glm::inverse(world[bone.parent]) * world[j];
    skeleton.joints.push_back({.name = std::move(name),
                               .parent = bone.parent,
                               .rest = {.translation = vec3(local[3]), .rotation = glm::quat_cast(glm::mat3(local))},
                               .matrix = std::nullopt});
  }
  return skeleton;
}

// Weights by joint, of one vertex of the left half.
using JointWeights = std::array<float, kBipedJointCount>;

// 0 where x is below the middle by half the width, 1 above it by as much.
float ramp(float x, float middle, float width) { return smooth_step((x - middle) / width + 0.5f); }

// What a rigger would paint: each bone of a chain takes over from the one before in a band round their joint, and a
// chain takes over from the trunk along the fold between them.
JointWeights painted_weights(const BipedShape& shape, const vec3& p) {
  JointWeights w{};

  // Up the trunk. The band between neck and head slopes down to the front, since the chin belongs to the head.
  const float skull = p.y + 0.45f * p.z;
  const std::array<float, 4> above = {ramp(p.y, 1.075f, 0.13f), ramp(p.y, 1.225f, 0.14f),
                                      ramp(p.y + 0.3f * p.z, 1.480f, 0.07f), ramp(skull, 1.582f, 0.055f)};
  w[kHips] = 1.0f - above[0];
  w[kSpine] = above[0] * (1.0f - above[1]);
  w[kChest] = above[1] * (1.0f - above[2]);
  w[kNeck] = above[2] * (1.0f - above[3]);
  w[kHead] = above[3];

  // Collar bone and shoulder blade: the outer part of the chest's upper end.
  const float shoulder = ramp(p.x, 0.105f, 0.13f) * ramp(p.y, 1.365f, 0.15f) * (1.0f - ramp(p.y, 1.53f, 0.08f));
  w[kLeftShoulder] = w[kChest] * shoulder;
  w[kChest] -= w[kLeftShoulder];

  // Arm: along its axis, and only where the arm rather than the trunk is the nearer part.
  const float s = glm::dot(p - landmark::kShoulder, arm_axis());
  const float belongs = ramp(shape.trunk_distance(p) - shape.arm_distance(p), 0.005f, 0.07f);
  const float arm = belongs * ramp(s, 0.010f, 0.120f);
  const float forearm = ramp(s, landmark::kElbow, 0.095f);
  // A twist needs room: 40 % of the forearm, mostly above the wrist.
  const float hand = ramp(s, landmark::kWrist - 0.036f, 0.106f);
  // Leg: below the fold that runs from the hip bone to the crotch, further down at the back; nothing on the plane of
  // symmetry, so that neither leg pulls at the other.
  const float fold = (p.y - landmark::kHip.y) - 0.55f * (p.x - landmark::kHip.x) - 0.20f * p.z;
  const float crotch = smooth_step(p.x / 0.065f + std::max(0.850f - p.y, 0.0f) / 0.130f);
  const float leg = p.y > 0.6f ? (1.0f - ramp(fold, 0.0f, 0.15f)) * crotch * (1.0f - arm) : 1.0f;
  const float shin = 1.0f - ramp(p.y, landmark::kKnee.y, 0.105f);
  const float foot = 1.0f - ramp(p.y - 0.25f * p.z, landmark::kAnkle.y + 0.005f, 0.055f);

  for (float& weight : w) weight *= (1.0f - arm) * (1.0f - leg);
  w[kLeftUpperArm] = arm * (1.0f - forearm);
  w[kLeftForearm] = arm * forearm * (1.0f - hand);
  w[kLeftHand] = arm * forearm * hand;
  w[kLeftThigh] = leg * (1.0f - shin);
  w[kLeftShin] = leg * shin * (1.0f - foot);
  w[kLeftFoot] = leg * shin * foot;
  return w;
}

bool is_left(std::uint32_t joint) { return joint >= kLeftShoulder && joint <= kLeftFoot; }

// Diffuses weights over the surface, which rounds off what the bands leave; on the plane of symmetry the left side's
// weights stay 0, as the right side's do.
void smooth_weights(const HalfMesh& mesh, std::uint32_t rounds, std::vector<JointWeights>& weights) {
  std::vector<JointWeights> next(weights.size());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      JointWeights mean{};
      for (std::uint32_t n : mesh.rings[i]) {
        for (std::uint32_t j = 0; j < kRightShoulder; ++j) mean[j] += weights[n][j];
      }
      float sum = 0;
      for (std::uint32_t j = 0; j < kRightShoulder; ++j) {
        const float count = static_cast<float>(mesh.rings[i].size());
        const bool blocked = mesh.positions[i].x == 0.0f && is_left(j);
        next[i][j] = blocked ? 0.0f : glm::mix(weights[i][j], mean[j] / count, 0.6f);
        sum += next[i][j];
      }
      for (float& weight : next[i]) weight /= sum;
    }
    weights.swap(next);
  }
}

SparseRows biped_weights(const BipedShape& shape, const HalfMesh& half, const Mirrored& whole) {
  std::vector<JointWeights> weights;
  for (const vec3& p : half.positions) weights.push_back(painted_weights(shape, p));
  smooth_weights(half, 10, weights);

  SparseRows rows;
  for (std::size_t i = 0; i < whole.source.size(); ++i) {
    const bool image = i >= half.positions.size();
    std::vector<WeightedElement> row;
    for (std::uint32_t j = 0; j < kRightShoulder; ++j) {
      // The bottom of the diffusion's slope moves nothing that anyone could see.
      const float weight = weights[whole.source[i]][j];
      if (weight > 0.002f) row.push_back({image ? mirrored_joint(j) : j, weight});
    }
    cut_row(row, 4, Cut::kContinuous);
    append_row(rows, row);
  }
  return rows;
}

// Hands, head and feet have the detail, so they get the vertices.
Mesh biped_mesh() {
  const BipedShape shape;
  const std::array<Lens, 3> lenses = {{{on_arm(0.665f), 2.4f, 0.095f, 0.61f},
                                       {vec3(0.0f, 1.675f, 0.030f), 2.0f, 0.105f, 0.55f},
                                       {vec3(0.0f, 0.000f, 0.130f), 1.60f, 0.240f, 0.75f}}};
  const MesherOptions options{
      .low = vec3(0.0f, -0.09f, -0.30f), .high = vec3(0.88f, 1.99f, 0.34f), .cell = 0.0114f, .lenses = lenses};
  const HalfMesh half = mesh_half([&](const vec3& p) { return shape.sample(p); }, options);
  Mirrored whole = mirror(half);

  Mesh mesh;
  mesh.name = "body";
  mesh.weights = biped_weights(shape, half, whole);
  mesh.positions = std::move(whole.positions);
  mesh.normals = std::move(whole.normals);
  mesh.triangles = std::move(whole.triangles);
  mesh.parts.push_back(
      {.first_triangle = 0, .triangle_count = static_cast<std::uint32_t>(mesh.triangles.size()), .material = 0});
  return mesh;
}

}  // namespace

Model make_biped() {
  Model model;
  model.name = "builtin:biped";
  model.skeleton = biped_skeleton();
  bind_all_joints(model);
  model.meshes.push_back(biped_mesh());
  model.materials.push_back({.name = "clay", .base_color = glm::vec4(0.62f, 0.41f, 0.30f, 1.0f)});
  model.clips = {biped_walk(model.skeleton), biped_flex(model.skeleton)};
  return model;
}

}  // namespace pelt
