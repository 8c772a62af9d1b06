// SPDX-License-Identifier: MIT
// The format of .pelt files: the header, the table of chunks, and the members of each struct. docs/pelt_file.md
// describes it in words, and lists which change raises which version.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <pelt/character.h>

#include "engine/character/base/hash.h"

namespace pelt::pelt_file {

static_assert(std::endian::native == std::endian::little,
              "arrays are copied as they are, and the file is little-endian");

inline constexpr std::array kMagic = {'P', 'E', 'L', 'T'};

struct Header {
  std::array<char, 4> magic;
  std::uint32_t version;
  std::uint64_t file_size;
  std::uint64_t checksum;  // XXH3-64 of all bytes after the header
};

// The number of chunks, 8 bytes, follows the header, then one line per chunk.
constexpr std::size_t kTableAt = sizeof(Header) + 8;

struct ChunkLine {
  char type[4];
  std::uint16_t version;
  std::uint16_t required;  // 1, or 0 if a reader may skip it
  std::uint64_t offset;    // of the payload, from the file's first byte
  std::uint64_t length;
};
static_assert(sizeof(Header) == 24 && sizeof(ChunkLine) == 24);

struct ChunkKind {
  std::string_view type;  // 4 characters
  std::uint16_t version;
};

// Alignment of payloads and of their arrays, so that a mapped file can be used directly.
constexpr std::size_t kPayloadAlignment = 64;

// `file`: the whole file, including its header.
inline std::uint64_t checksum_of(std::span<const std::byte> file) {
  return XXH3_64bits(file.data() + sizeof(Header), file.size() - sizeof(Header));
}

constexpr std::size_t padding_of(std::size_t offset, std::size_t alignment) {
  return (alignment - offset % alignment) % alignment;
}

inline const char* remedy(std::uint32_t found, std::uint32_t known) {
  return found > known ? "a newer program is needed" : "bind it again";
}

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

// Types of whole 4-byte words without padding: their arrays are copied at once.
template <class T>
concept Flat = Is<T, std::uint32_t> || Is<T, std::int32_t> || Is<T, float> || Is<T, glm::vec2> || Is<T, glm::vec3> ||
    Is<T, glm::vec4> || Is<T, glm::uvec2> || Is<T, glm::uvec3> || Is<T, glm::mat4>;

// Arrays of single floats are the keys of clips: many and short, so they are not aligned.
template <class T>
concept Aligned = Flat<T> && !Is<T, float>;
static_assert(sizeof(glm::vec3) == 12 && sizeof(glm::uvec3) == 12 && sizeof(glm::mat4) == 64);

// One function per struct, describe(archive, struct), lists its members. A Writer writes them and a Reader reads them,
// so that the two cannot differ; the function of CharacterData also names the chunks.

template <class Archive>
void describe(Archive& archive, Is<Transform> auto& transform) {
  auto& rotation = transform.rotation;
  archive(transform.translation, rotation.x, rotation.y, rotation.z, rotation.w, transform.scale);
}

template <class Archive>
void describe(Archive& archive, Is<Joint> auto& joint) {
  archive(joint.name, joint.parent, joint.rest, joint.matrix);
}

template <class Archive>
void describe(Archive& archive, Is<HelperJoint> auto& helper) {
  archive(helper.joint, helper.source, helper.last, helper.axis, helper.twist, helper.swing, helper.source_rest,
          helper.source_to_joint);
}

template <class Archive>
void describe(Archive& archive, Is<HumanBone> auto& bone) {
  archive(bone.name, bone.joint);
}

template <class Archive>
void describe(Archive& archive, Is<BoundJoint> auto& bound) {
  archive(bound.joint, bound.inverse_bind);
}

template <class Archive>
void describe(Archive& archive, Is<Channel> auto& channel) {
  archive(channel.joint, channel.path, channel.interpolation, channel.times, channel.values);
}

template <class Archive>
void describe(Archive& archive, Is<MorphChannel> auto& channel) {
  archive(channel.mesh, channel.target, channel.interpolation, channel.times, channel.values);
}

template <class Archive>
void describe(Archive& archive, Is<Clip> auto& clip) {
  archive(clip.name, clip.duration, clip.channels, clip.morph_channels);
}

template <class Archive>
void describe(Archive& archive, Is<Material> auto& material) {
  archive(material.name, material.base_color);
}

template <class Archive>
void describe(Archive& archive, Is<PalettePass> auto& pass) {
  archive(pass.kernel, pass.stage, pass.first_entry, pass.record_count, pass.records, pass.table, pass.painted);
}

template <class Archive>
void describe(Archive& archive, Is<MeshPart> auto& part) {
  archive(part.first_triangle, part.triangle_count, part.material);
}

template <class Archive>
void describe(Archive& archive, Is<PackedBinding> auto& binding) {
  archive(binding.points, binding.directions, binding.slices, binding.influences, binding.gradients,
          binding.gradient_units, binding.local_points);
}

template <class Archive>
void describe(Archive& archive, Is<Wires> auto& wires) {
  archive(wires.exponent, wires.root_entry);
}

template <class Archive>
void describe(Archive& archive, Is<PackedMorphs> auto& morphs) {
  archive(morphs.target_count, morphs.first_entry, morphs.row_words, morphs.slices, morphs.columns, morphs.offsets);
}

template <class Archive>
void describe(Archive& archive, Is<PaintedWeights> auto& painted) {
  archive(painted.first_joint, painted.slices, painted.influences);
}

template <class Archive>
void describe(Archive& archive, Is<Stream> auto& stream) {
  archive(stream.mesh, stream.first_input);
}

template <class Archive>
void describe(Archive& archive, Is<Control> auto& control) {
  archive(control.kind, control.name, control.mesh, control.target, control.rest, control.input);
}

template <class Archive>
void describe(Archive& archive, Is<CharacterMesh> auto& mesh) {
  archive(mesh.name, mesh.deformer, mesh.control, mesh.mode, mesh.stage, mesh.first_vertex, mesh.first_entry,
          mesh.frame_entry, mesh.offset_entry, mesh.first_offset_vertex, mesh.wires, mesh.morphs, mesh.binding,
          mesh.source_vertex, mesh.triangles, mesh.uvs, mesh.parts, mesh.painted);
}

template <class Archive>
void describe(Archive& archive, Is<SkinLevel> auto& level) {
  archive(level.of, level.level, level.skin);
}

template <class Archive>
void describe(Archive& archive, Is<SkinAnchor> auto& anchor) {
  archive(anchor.name, anchor.mesh, anchor.vertices, anchor.shares);
}

template <class Archive>
void describe(Archive& archive, Is<Certificate> auto& certificate) {
  archive(certificate.text, certificate.unit, certificate.errors);
}

// A chunk gets a new version when its payload changes (docs/pelt_file.md, Changing it).
template <class Archive>
void describe(Archive& archive, Is<CharacterData> auto& data) {
  archive.chunk({"CHAR", 1}, data.name, data.streams, data.controls, data.input_count, data.palette_size,
                data.stage_count);
  archive.chunk({"SKEL", 2}, data.skeleton.joints, data.skeleton.helpers, data.bound_joints);
  archive.chunk({"MATL", 1}, data.materials);
  archive.chunk_each({"PASS", 6}, data.passes);
  archive.chunk_each({"MESH", 8}, data.meshes);
  archive.optional_chunk({"LEVL", 6}, data.levels);
  archive.optional_chunk({"CLIP", 1}, data.clips);
  archive.optional_chunk({"RIG ", 1}, data.rig);
  archive.optional_chunk({"BONE", 1}, data.skeleton.human_bones);
  archive.optional_chunk({"ANCH", 1}, data.anchors);
  archive.optional_chunk({"CERT", 1}, data.certificate);
}

}  // namespace pelt::pelt_file
