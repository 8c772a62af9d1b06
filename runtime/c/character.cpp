// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <glm/gtc/type_ptr.hpp>

#include <pelt/character.h>
#include <pelt/clip_twists.h>
#include <pelt/nearest_name.h>
#include <pelt/pelt_file.h>
#ifdef PELT_WITH_GLB
#include <pelt/pelt_gltf.h>
#endif
#include <pelt/pose.h>

#include "engine/character/base/formatted.h"
#include "runtime/c/handles.h"
#include "runtime/c/support.h"

using namespace pelt::c;
using pelt::formatted;

namespace {

#ifdef PELT_WITH_GLB
pelt::Result<pelt::Character> load(const char* path) { return pelt::load_character(path); }
pelt::Result<pelt::Character> read(std::span<const std::byte> bytes, const char* source) {
  return pelt::read_character(bytes, source);
}
#else
pelt::Result<pelt::Character> load(const char* path) { return pelt::load_pelt(path); }
pelt::Result<pelt::Character> read(std::span<const std::byte> bytes, const char* source) {
  return pelt::deserialize(bytes, source);
}
#endif

const pelt::CharacterData& data_of(const pelt_character* character) { return *need(character, "character").character; }

// Runs the body of a pelt.h function with a character.
template <class Body>
pelt_result of_character(const char* function, const pelt_character* character, const Body& body) {
  return guarded(function, [&] { body(data_of(character)); });
}

std::uint32_t size_of(const auto& items) { return static_cast<std::uint32_t>(items.size()); }

// Returns the index, or throws an error with the nearest known name.
template <class Things, class NameOf>
std::uint32_t found(std::optional<std::uint32_t> index, const char* what, const char* plural, const char* name,
                    const Things& things, const NameOf& name_of) {
  if (index) return *index;
  refuse(pelt::unknown_name(what, plural, name, things, name_of).message, PELT_ERROR_NOT_FOUND);
}

constexpr std::size_t kTransformFloats = 10;
static_assert(sizeof(pelt_mesh_part) == sizeof(pelt::MeshPart) && sizeof(pelt_mesh_part) == 12 &&
              offsetof(pelt_mesh_part, material) == offsetof(pelt::MeshPart, material));
static_assert(sizeof(pelt_joint_info::rest) == kTransformFloats * sizeof(float));

void write_transform(const pelt::Transform& transform, float* floats) {
  const auto& [translation, turn, scale] = transform;
  const float all[] = {turn.x,        turn.y,        turn.z,  turn.w,  translation.x,
                       translation.y, translation.z, scale.x, scale.y, scale.z};
  std::copy(std::begin(all), std::end(all), floats);
}

void write_transforms(std::span<const pelt::Transform> local, float* floats) {
  for (const pelt::Transform& transform : local) {
    write_transform(transform, floats);
    floats += kTransformFloats;
  }
}

void write_matrices(const pelt::CharacterData& data, std::span<const pelt::Transform> local, float* joints) {
  thread_local std::vector<glm::mat4> matrices;
  matrices.resize(local.size());
  pelt::model_matrices(data.skeleton, local, matrices);
  for (const glm::mat4& matrix : matrices) joints = std::copy_n(glm::value_ptr(matrix), 16, joints);
}

std::span<pelt::Transform> rest_of(const pelt::CharacterData& data) {
  thread_local std::vector<pelt::Transform> local;
  local.resize(data.skeleton.joints.size());
  pelt::rest_pose(data.skeleton, local);
  return local;
}

void need_joints(const pelt::CharacterData& data, const float* joints, std::uint32_t joint_count,
                 const char* name = "joints") {
  need(joints, name);
  need_count("joint matrices", joint_count, data.skeleton.joints.size());
}

void need_inputs(const pelt::CharacterData& data, const float* inputs, std::uint32_t input_count) {
  if (data.input_count != 0) need(inputs, "inputs");
  need_count("inputs", input_count, data.input_count);
}

void need_moment(const pelt::CharacterData& data, std::uint32_t clip, float seconds) {
  need_index("clip", clip, data.clips.size());
  if (!std::isfinite(seconds)) refuse("seconds is not finite");
}

}  // namespace

pelt_result pelt_character_load(const char* path, pelt_character** out) {
  return guarded(__func__, [&] {
    pelt_character*& made = need(out, "out");
    made = new pelt_character(value_of(load(&need(path, "path"))));
  });
}

pelt_result pelt_character_load_memory(const void* bytes, size_t size, const char* source, pelt_character** out) {
  return guarded(__func__, [&] {
    pelt_character*& made = need(out, "out");
    if (bytes == nullptr) refuse("bytes is null");
    const std::span<const std::byte> all(static_cast<const std::byte*>(bytes), size);
    made = new pelt_character(value_of(read(all, source == nullptr ? "memory" : source)));
  });
}

pelt_result pelt_character_save(const pelt_character* character, const char* path) {
  return guarded(__func__, [&] {
    const pelt::Character& bound = need(character, "character").character;
    const std::filesystem::path file = &need(path, "path");
    std::string extension = file.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    if (extension == ".glb" || extension == ".gltf" || extension == ".vrm") {
      refuse(formatted("{}: a character without its model is a .pelt file; pelt_character_save_glb writes both", path));
    }
    value_of(pelt::save_pelt(bound, file));
  });
}

pelt_result pelt_character_save_memory(const pelt_character* character, void* user,
                                       void (*write)(void* user, const void* bytes, size_t size)) {
  return guarded(__func__, [&] {
    const pelt::Character& bound = need(character, "character").character;
    if (write == nullptr) refuse("write is null");
    const std::vector<std::byte> bytes = pelt::serialize(bound);
    write(user, bytes.data(), bytes.size());
  });
}

pelt_result pelt_character_retain(const pelt_character* character) {
  return guarded(__func__, [&] { ++need(character, "character").owners; });
}

void pelt_character_destroy(pelt_character* character) {
  if (character != nullptr && --character->owners == 0) delete character;
}

pelt_result pelt_character_at_level(const pelt_character* character, uint32_t level, pelt_character** out) {
  return guarded(__func__, [&] {
    need_index("level", level, std::size_t{data_of(character).coarsest_level()} + 1);
    pelt_character*& made = need(out, "out");
    made = new pelt_character(character->character.at_level(level));
  });
}

pelt_result pelt_character_get_info(const pelt_character* character, pelt_character_info* info) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    pelt_character_info whole{.joint_count = size_of(data.skeleton.joints),
                              .mesh_count = size_of(data.meshes),
                              .clip_count = size_of(data.clips),
                              .stream_count = size_of(data.streams),
                              .control_count = size_of(data.controls),
                              .input_count = data.input_count,
                              .vertex_count = data.vertex_count(),
                              .size = character->character.size(),
                              .coarsest_level = data.coarsest_level(),
                              .name = data.name.c_str(),
                              .material_count = size_of(data.materials),
                              .anchor_count = size_of(data.anchors)};
    glm::vec3 least(INFINITY);
    glm::vec3 greatest(-INFINITY);
    for (const pelt::CharacterMesh& mesh : data.meshes) {
      if (mesh.control) continue;
      for (const glm::vec3& point : mesh.binding.points) {
        least = glm::min(least, point);
        greatest = glm::max(greatest, point);
      }
    }
    const bool empty = least.x > greatest.x;
    for (int axis = 0; axis < 3; ++axis) {
      whole.least[axis] = empty ? 0 : least[axis];
      whole.greatest[axis] = empty ? 0 : greatest[axis];
    }
    write_struct(whole, info, "info");
  });
}

pelt_result pelt_character_get_joint(const pelt_character* character, uint32_t joint, pelt_joint_info* info) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need_index("joint", joint, data.skeleton.joints.size());
    const pelt::Joint& described = data.skeleton.joints[joint];
    pelt_joint_info whole{.parent = described.parent < 0 ? PELT_NONE : static_cast<uint32_t>(described.parent),
                          .name = described.name.c_str()};
    write_transform(described.rest, whole.rest);
    const auto bound = std::find_if(data.bound_joints.begin(), data.bound_joints.end(),
                                    [&](const pelt::BoundJoint& other) { return other.joint == joint; });
    if (bound != data.bound_joints.end()) whole.inverse_bind = glm::value_ptr(bound->inverse_bind);
    write_struct(whole, info, "info");
  });
}

pelt_result pelt_character_get_mesh(const pelt_character* character, uint32_t mesh, pelt_mesh_info* info) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need_index("mesh", mesh, data.meshes.size());
    const pelt::CharacterMesh& described = data.meshes[mesh];
    write_struct(
        pelt_mesh_info{.control = described.control ? 1u : 0u,
                       .vertex_count = described.vertex_count(),
                       .triangle_count = size_of(described.triangles),
                       .name = described.name.c_str(),
                       .triangles = described.triangles.empty() ? nullptr : glm::value_ptr(described.triangles.front()),
                       .uvs = described.uvs.empty() ? nullptr : glm::value_ptr(described.uvs.front()),
                       .source_vertex = described.source_vertex.data(),
                       .rest_positions = described.binding.points.empty()
                                             ? nullptr
                                             : glm::value_ptr(described.binding.points.front()),
                       .first_vertex = described.first_vertex,
                       .part_count = size_of(described.parts),
                       .parts = reinterpret_cast<const pelt_mesh_part*>(described.parts.data())},
        info, "info");
  });
}

pelt_result pelt_character_get_material(const pelt_character* character, uint32_t material, pelt_material_info* info) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need_index("material", material, data.materials.size());
    const pelt::Material& described = data.materials[material];
    pelt_material_info whole{.name = described.name.c_str()};
    std::memcpy(whole.base_color, glm::value_ptr(described.base_color), sizeof whole.base_color);
    write_struct(whole, info, "info");
  });
}

pelt_result pelt_character_get_clip(const pelt_character* character, uint32_t clip, pelt_clip_info* info) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need_index("clip", clip, data.clips.size());
    const pelt::Clip& described = data.clips[clip];
    write_struct(pelt_clip_info{.duration = described.duration, .name = described.name.c_str()}, info, "info");
  });
}

pelt_result pelt_character_get_stream(const pelt_character* character, uint32_t stream, pelt_stream_info* info) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need_index("stream", stream, data.streams.size());
    const pelt::Stream& described = data.streams[stream];
    write_struct(pelt_stream_info{.mesh = described.mesh,
                                  .vertex_count = data.meshes[described.mesh].vertex_count(),
                                  .first_input = described.first_input},
                 info, "info");
  });
}

pelt_result pelt_character_get_control(const pelt_character* character, uint32_t control, pelt_control_info* info) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need_index("control", control, data.controls.size());
    const pelt::Control& described = data.controls[control];
    static_assert(static_cast<int>(pelt::ControlKind::kMorphTarget) == PELT_CONTROL_MORPH_TARGET &&
                  static_cast<int>(pelt::ControlKind::kTwist) == PELT_CONTROL_TWIST &&
                  static_cast<int>(pelt::ControlKind::kExpression) == PELT_CONTROL_EXPRESSION &&
                  static_cast<int>(pelt::ControlKind::kClock) == PELT_CONTROL_CLOCK);
    write_struct(pelt_control_info{.kind = static_cast<uint32_t>(described.kind),
                                   .input = described.input,
                                   .rest = described.rest,
                                   .name = described.name.c_str()},
                 info, "info");
  });
}

pelt_result pelt_character_get_anchor(const pelt_character* character, uint32_t anchor, pelt_anchor_info* info) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need_index("anchor", anchor, data.anchors.size());
    const pelt::SkinAnchor& described = data.anchors[anchor];
    pelt_anchor_info whole{.mesh = described.mesh, .name = described.name.c_str()};
    std::copy_n(glm::value_ptr(described.vertices), 3, whole.vertices);
    std::copy_n(glm::value_ptr(described.shares), 3, whole.shares);
    write_struct(whole, info, "info");
  });
}

pelt_result pelt_character_find_joint(const pelt_character* character, const char* name, uint32_t* joint) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need(joint, "joint") = found(data.skeleton.find(&need(name, "name")), "joint", "joints", name, data.skeleton.joints,
                                 &pelt::Joint::name);
  });
}

pelt_result pelt_character_find_clip(const pelt_character* character, const char* name, uint32_t* clip) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    const pelt::Clip* named = pelt::find_clip(data.clips, &need(name, "name"));
    const auto index =
        named == nullptr ? std::nullopt : std::optional(static_cast<uint32_t>(named - data.clips.data()));
    need(clip, "clip") = found(index, "clip", "clips", name, data.clips, &pelt::Clip::name);
  });
}

pelt_result pelt_character_find_stream(const pelt_character* character, const char* mesh, uint32_t* stream) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need(stream, "stream") =
        found(data.find_stream(&need(mesh, "mesh")), "streamed mesh", "streamed meshes", mesh, data.streams,
              [&](const pelt::Stream& streamed) { return std::string_view(data.meshes[streamed.mesh].name); });
  });
}

pelt_result pelt_character_find_control(const pelt_character* character, const char* name, uint32_t* control) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need(control, "control") =
        found(data.find_control(&need(name, "name")), "control", "controls", name, data.controls, &pelt::Control::name);
  });
}

pelt_result pelt_character_find_anchor(const pelt_character* character, const char* name, uint32_t* anchor) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need(anchor, "anchor") =
        found(data.find_anchor(&need(name, "name")), "anchor", "anchors", name, data.anchors, &pelt::SkinAnchor::name);
  });
}

pelt_result pelt_character_rest_pose(const pelt_character* character, float* joints, uint32_t joint_count) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need_joints(data, joints, joint_count);
    write_matrices(data, rest_of(data), joints);
  });
}

pelt_result pelt_character_sample_clip(const pelt_character* character, uint32_t clip, float seconds, float* joints,
                                       uint32_t joint_count) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need_moment(data, clip, seconds);
    need_joints(data, joints, joint_count);
    const std::span<pelt::Transform> local = rest_of(data);
    pelt::sample_clip(data.clips[clip], seconds, local);
    write_matrices(data, local, joints);
  });
}

pelt_result pelt_character_rest_transforms(const pelt_character* character, float* transforms, uint32_t joint_count) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need_joints(data, transforms, joint_count, "transforms");
    write_transforms(rest_of(data), transforms);
  });
}

pelt_result pelt_character_sample_transforms(const pelt_character* character, uint32_t clip, float seconds,
                                             float* transforms, uint32_t joint_count) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need_moment(data, clip, seconds);
    need_joints(data, transforms, joint_count, "transforms");
    const std::span<pelt::Transform> local = rest_of(data);
    pelt::sample_clip(data.clips[clip], seconds, local);
    write_transforms(local, transforms);
  });
}

pelt_result pelt_character_place_joints(const pelt_character* character, const float* transforms, float* joints,
                                        uint32_t joint_count) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need_joints(data, transforms, joint_count, "transforms");
    need_joints(data, joints, joint_count);
    const std::span<pelt::Transform> local = rest_of(data);
    for (pelt::Transform& transform : local) {
      const float* const f = transforms;
      transform = {glm::vec3(f[4], f[5], f[6]), glm::quat(f[3], f[0], f[1], f[2]), glm::vec3(f[7], f[8], f[9])};
      transforms += kTransformFloats;
    }
    write_matrices(data, local, joints);
  });
}

pelt_result pelt_character_turn_helpers(const pelt_character* character, float* joints, uint32_t joint_count) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need_joints(data, joints, joint_count);
    pelt::turn_helpers(data.skeleton, {reinterpret_cast<glm::mat4*>(joints), joint_count});
  });
}

pelt_result pelt_character_rest_inputs(const pelt_character* character, float* inputs, uint32_t input_count) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need_inputs(data, inputs, input_count);
    pelt::rest_inputs(data, std::span(inputs, input_count));
  });
}

pelt_result pelt_character_sample_inputs(const pelt_character* character, uint32_t clip, float seconds, float* inputs,
                                         uint32_t input_count) {
  return of_character(__func__, character, [&](const pelt::CharacterData& data) {
    need_moment(data, clip, seconds);
    need_inputs(data, inputs, input_count);
    const std::span<float> values(inputs, input_count);
    const pelt::Clip& played = data.clips[clip];
    pelt::rest_inputs(data, values);
    pelt::sample_morph_targets(data, played, seconds, values);
    pelt_character::Twists& twists = character->twists[clip];
    std::call_once(twists.once, [&] { twists.played = std::make_unique<const pelt::ClipTwists>(data, played); });
    twists.played->sample(seconds, values);
  });
}
