// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <pelt/builtin.h>

#include "engine/authoring/model/builtin/biped_anatomy.h"
#include "engine/authoring/model/builtin/biped_clips.h"
#include "engine/authoring/model/builtin/biped_weights.h"
#include "engine/authoring/model/builtin/model_builder.h"
#include "engine/authoring/model/builtin/surface_mesher.h"

namespace pelt {
namespace {

using glm::vec3;

// Returns a bone's frame: y along the bone, z as near as possible to `front`.
glm::mat3 bone_axes(const vec3& along, const vec3& front) {
  const vec3 y = glm::normalize(along);
  const vec3 z = glm::normalize(front - glm::dot(front, y) * y);
  return glm::mat3(glm::cross(y, z), y, z);
}

vec3 on_arm(float s) { return landmark::kShoulder + s * arm_axis(); }

struct BipedBone {
  std::string name;
  std::int32_t parent;
  vec3 start;
  vec3 along;
  vec3 front;
};

// Adds the mirror images of the bones from `first` on as the right side.
void mirror_from(std::uint32_t first, std::vector<BipedBone>& bones) {
  for (auto j = first, end = static_cast<std::uint32_t>(bones.size()); j < end; ++j) {
    BipedBone bone = bones[j];
    bone.name.replace(0, 4, "right");
    for (vec3* v : {&bone.start, &bone.along, &bone.front}) v->x = -v->x;
    bone.parent = static_cast<std::int32_t>(mirrored_joint(static_cast<std::uint32_t>(bone.parent)));
    bones.push_back(std::move(bone));
  }
}

void add_fingers(std::vector<BipedBone>& bones) {
  constexpr std::array kNames = {"thumb", "index", "middle", "ring", "pinky"};
  const std::array<Chain, kFingers> fingers = finger_chains();
  for (std::uint32_t f = 0; f < kFingers; ++f) {
    // Fingers bend towards the palm; the thumb also bends towards the fingers.
    const vec3 inward = f == 0 ? vec3(0, 0, -0.6f) + 0.8f * arm_side() : vec3(0, 0, -1);
    std::int32_t parent = kLeftHand;
    for (std::size_t k = 0; k < 3; ++k) {
      const vec3 start = fingers[f].balls[k].centre;
      std::string name = fmt::format("left_{}_{}", kNames[f], k + 1);
      bones.push_back({std::move(name), parent, start, fingers[f].balls[k + 1].centre - start, inward});
      parent = static_cast<std::int32_t>(bones.size()) - 1;
    }
  }
}

// Returns the bones in the order of BipedJoint.
std::vector<BipedBone> biped_bones() {
  namespace at = landmark;
  const vec3 up(0, 1, 0), ahead(0, 0, 1);
  std::vector<BipedBone> bones{
      {"root", -1, vec3(0.0f), up, ahead},
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
      {"left_foot", kLeftShin, at::kAnkle, at::kToes - vec3(at::kAnkle.x, at::kToes.y, at::kAnkle.z), up}};
  mirror_from(kLeftShoulder, bones);
  bones.push_back({"jaw", kHead, at::kJaw, at::kChin - at::kJaw, up});
  bones.push_back({"left_eye", kHead, at::kEye, ahead, up});
  bones.push_back({"left_upper_lid", kHead, at::kEye, ahead, up});
  bones.push_back({"left_lower_lid", kHead, at::kEye, ahead, up});
  bones.push_back({"left_toes", kLeftFoot, at::kBall, at::kToes - vec3(at::kBall.x, at::kToes.y, at::kBall.z), up});
  add_fingers(bones);
  mirror_from(kLeftEye, bones);
  return bones;
}

Skeleton biped_skeleton() {
  std::vector<glm::mat4> world;
  Skeleton skeleton;
  for (BipedBone& bone : biped_bones()) {
    glm::mat4 here(bone_axes(bone.along, bone.front));
    here[3] = glm::vec4(bone.start, 1.0f);
    const glm::mat4 local = bone.parent < 0 ? here : glm::inverse(world[bone.parent]) * here;
    world.push_back(here);
    skeleton.joints.push_back({.name = std::move(bone.name),
                               .parent = bone.parent,
                               .rest = {.translation = vec3(local[3]), .rotation = glm::quat_cast(glm::mat3(local))},
                               .matrix = std::nullopt});
  }
  return skeleton;
}

// Hands, face and feet have the detail, so they get the vertices: most of all the fingers, the eyes and the mouth.
Mesh biped_body() {
  const BipedShape shape;
  const std::array<Lens, 7> lenses = {{{on_arm(0.665f), 2.4f, 0.095f, 0.61f},
                                       {vec3(0.0f, 1.675f, 0.030f), 1.9f, 0.105f, 0.55f},
                                       {vec3(0.0f, 0.000f, 0.130f), 1.60f, 0.240f, 0.75f},
                                       {on_arm(0.698f), 1.5f, 0.080f, 0.22f},
                                       {vec3(0.0f, 1.660f, 0.074f), 2.8f, 0.059f, 0.37f},
                                       {landmark::kEye + vec3(0.0f, 0.0f, 0.004f), 1.25f, 0.018f, 0.0315f},
                                       {landmark::kMouth - vec3(0.0f, 0.0f, 0.010f), 1.35f, 0.028f, 0.075f}}};
  const MesherOptions options{
      .low = vec3(0.0f, -0.09f, -0.30f), .high = vec3(0.88f, 1.99f, 0.34f), .cell = 0.0120f, .lenses = lenses};
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

enum BipedMaterial : std::int32_t { kClay, kWhite, kIris, kPupil };

// Makes an eye with its pole to the front: a sphere in rings of equal angles; the last rings are iris and pupil.
Mesh biped_eye(float side, std::uint32_t joint) {
  constexpr std::uint32_t kRings = 24, kAround = 24, kIrisRings = 3, kPupilRings = 2;
  std::vector<ProfilePoint> profile;
  for (std::uint32_t i = 0; i <= kRings; ++i) {
    const float angle = glm::pi<float>() * static_cast<float>(i) / static_cast<float>(kRings);
    const float x = -std::cos(angle), radius = i == 0 || i == kRings ? 0.0f : std::sin(angle);
    profile.push_back({landmark::kEyeRadius * x, landmark::kEyeRadius * radius, x, radius});
  }
  Mesh mesh = revolve("eye", profile, kAround);
  mesh.tangents.clear();
  const vec3 centre = landmark::kEye * vec3(side, 1.0f, 1.0f);
  const WeightedElement row[] = {{joint, 1.0}};
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const vec3 p = mesh.positions[v], n = mesh.normals[v];
    mesh.positions[v] = centre + vec3(p.y, p.z, p.x);
    mesh.normals[v] = vec3(n.y, n.z, n.x);
    append_row(mesh.weights, row);
  }
  // revolve() makes two triangles a quad, and the fan of the last pole at the end.
  const auto all = static_cast<std::uint32_t>(mesh.triangles.size());
  const std::uint32_t pupil = kAround * (2 * kPupilRings - 1), iris = kAround * 2 * kIrisRings;
  mesh.parts = {{0, all - iris - pupil, kWhite}, {all - iris - pupil, iris, kIris}, {all - pupil, pupil, kPupil}};
  return mesh;
}

}  // namespace

Model make_biped() {
  Model model;
  model.name = "builtin:biped";
  model.skeleton = biped_skeleton();
  bind_all_joints(model);
  model.meshes = {biped_body(), biped_eye(1.0f, kLeftEye), biped_eye(-1.0f, kRightEye)};
  model.meshes[1].name = "left_eye";
  model.meshes[2].name = "right_eye";
  model.materials = {{.name = "clay", .base_color = glm::vec4(0.62f, 0.41f, 0.30f, 1.0f)},
                     {.name = "eye", .base_color = glm::vec4(0.80f, 0.78f, 0.74f, 1.0f)},
                     {.name = "iris", .base_color = glm::vec4(0.10f, 0.16f, 0.20f, 1.0f)},
                     {.name = "pupil", .base_color = glm::vec4(0.01f, 0.01f, 0.01f, 1.0f)}};
  model.clips = biped_clips(model.skeleton);
  return model;
}

}  // namespace pelt
