// SPDX-License-Identifier: MIT
#include "engine/character/pelt_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <bit>
#include <cassert>
#include <concepts>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "engine/character/pelt_gltf.h"
#include "engine/core/file_io.h"
#include "engine/model/gltf_container.h"

// One function a struct, describe(archive, struct), lists its members. Given a Writer it writes them, given a Reader it
// reads them, so that the two cannot drift. docs/pelt_file.md is the format in words: whatever changes the bytes that
// describe gives raises kPeltFileVersion.

namespace pelt {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are copied as they are, and the file is little-endian");

constexpr char kMagic[4] = {'P', 'E', 'L', 'T'};

// Magic, version (4 bytes), size of the whole file (8), XXH3-64 of everything after the header (8).
constexpr std::size_t kHeaderSize = sizeof kMagic + 4 + 8 + 8;

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

// Whole 4-byte words without padding: arrays of these are copied at once.
template <class T>
concept Flat = Is<T, std::uint32_t> || Is<T, std::int32_t> || Is<T, float> || Is<T, glm::vec2> || Is<T, glm::vec3> ||
    Is<T, glm::vec4> || Is<T, glm::uvec2> || Is<T, glm::uvec3> || Is<T, glm::mat4> || Is<T, Influence>;
static_assert(sizeof(glm::vec3) == 12 && sizeof(glm::uvec3) == 12 && sizeof(glm::mat4) == 64 && sizeof(Influence) == 8);

// ---- What each struct holds ----

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
  archive(pass.kernel, pass.stage, pass.first_slot, pass.record_count, pass.records, pass.table, pass.fit);
}

template <class Archive>
void describe(Archive& archive, Is<MeshPart> auto& part) {
  archive(part.first_triangle, part.triangle_count, part.material);
}

template <class Archive>
void describe(Archive& archive, Is<PackedBinding> auto& binding) {
  archive(binding.points, binding.directions, binding.slices, binding.influences, binding.slope_slices, binding.slopes,
          binding.local_points);
}

template <class Archive>
void describe(Archive& archive, Is<SparseRows> auto& rows) {
  archive(rows.offsets, rows.influences);
}

template <class Archive>
void describe(Archive& archive, Is<Wires> auto& wires) {
  archive(wires.exponent, wires.root_slot);
}

template <class Archive>
void describe(Archive& archive, Is<LinearFit> auto& fit) {
  archive(fit.first_slot, fit.slices, fit.influences, fit.rms, fit.worst);
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
  archive(mesh.name, mesh.deformer, mesh.control, mesh.mode, mesh.stage, mesh.first_vertex, mesh.first_slot,
          mesh.frame_slot, mesh.offset_slot, mesh.wires, mesh.topology, mesh.binding, mesh.source_vertex,
          mesh.triangles, mesh.uvs, mesh.parts, mesh.weights, mesh.fit);
}

template <class Archive>
void describe(Archive& archive, Is<CharacterData> auto& data) {
  archive(data.name, data.rig, data.skeleton.joints, data.bound_joints, data.clips, data.materials, data.passes,
          data.meshes, data.streams, data.controls, data.input_count, data.palette_size, data.stage_count);
}

// ---- Writing ----

class Writer {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }

  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  void put_bytes(const void* data, std::size_t size) {
    const std::byte* begin = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }

  void put_count(std::size_t count) {
    assert(count <= std::numeric_limits<std::uint32_t>::max());
    put(static_cast<std::uint32_t>(count));
  }

  template <class T>
  void put(const T& value) {
    if constexpr (Flat<T>) {
      put_bytes(&value, sizeof value);
    } else if constexpr (std::is_enum_v<T> || Is<T, bool>) {
      put(static_cast<std::uint32_t>(value));
    } else {
      describe(*this, value);
    }
  }

  void put(const std::string& text) {
    put_count(text.size());
    put_bytes(text.data(), text.size());
    bytes_.resize((bytes_.size() + 3) / 4 * 4);
  }

  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }

  template <class T>
  void put(const std::vector<T>& values) {
    put_count(values.size());
    if constexpr (Flat<T>) {
      put_bytes(values.data(), values.size() * sizeof(T));
    } else {
      for (const T& value : values) put(value);
    }
  }

  std::vector<std::byte> bytes_;
};

// ---- Reading ----

// Stops at the first thing that is wrong. Never allocates more than a small multiple of the bytes that are left.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (void)(... && get(values));
  }

  // Empty where all went well.
  const std::string& problem() const { return problem_; }
  std::size_t left() const { return bytes_.size() - offset_; }

 private:
  bool refuse(std::string what) {
    if (problem_.empty()) problem_ = fmt::format("byte {}: {}", kHeaderSize + offset_, what);
    return false;
  }

  bool get_bytes(void* data, std::size_t size) {
    if (left() < size) return refuse(fmt::format("{} bytes are needed, {} are left", size, left()));
    if (size != 0) std::memcpy(data, bytes_.data() + offset_, size);
    offset_ += size;
    return true;
  }

  // `least`: bytes that an entry takes at least.
  bool get_count(std::uint32_t& count, std::size_t least) {
    if (!get(count)) return false;
    if (count > left() / least) {
      return refuse(fmt::format("{} entries of at least {} bytes each, but {} bytes are left", count, least, left()));
    }
    return true;
  }

  template <class T>
  bool get(T& value) {
    if constexpr (Flat<T>) {
      return get_bytes(&value, sizeof value);
    } else if constexpr (std::is_enum_v<T> || Is<T, bool>) {
      // Whether there is such an enumerator is for Character::create to say.
      std::uint32_t word = 0;
      if (!get(word)) return false;
      value = static_cast<T>(word);
      return static_cast<std::uint32_t>(value) == word || refuse(fmt::format("{} is no such choice", word));
    } else {
      describe(*this, value);
      return problem_.empty();
    }
  }

  bool get(std::string& text) {
    std::uint32_t size = 0;
    if (!get_count(size, 1)) return false;
    text.resize(size);
    char padding[3] = {};
    if (!get_bytes(text.data(), size) || !get_bytes(padding, (4 - size % 4) % 4)) return false;
    return (padding[0] | padding[1] | padding[2]) == 0 || refuse("the padding of a string is not zero");
  }

  template <class T>
  bool get(std::optional<T>& value) {
    bool has_value = false;
    if (!get(has_value)) return false;
    return !has_value || get(value.emplace());
  }

  template <class T>
  bool get(std::vector<T>& values) {
    std::uint32_t count = 0;
    if constexpr (Flat<T>) {
      if (!get_count(count, sizeof(T))) return false;
      values.resize(count);
      return get_bytes(values.data(), count * sizeof(T));
    } else {
      if (!get_count(count, 4)) return false;
      // One at a time, since in memory they are larger than at least they are here.
      for (std::uint32_t i = 0; i < count; ++i) {
        if (!get(values.emplace_back())) return false;
      }
      return true;
    }
  }

  std::span<const std::byte> bytes_;
  std::size_t offset_ = 0;
  std::string problem_;
};

void store(std::byte*& to, const auto& value) {
  std::memcpy(to, &value, sizeof value);
  to += sizeof value;
}

void load(const std::byte*& from, auto& value) {
  std::memcpy(&value, from, sizeof value);
  from += sizeof value;
}

Result<std::span<const std::byte>> checked_payload(std::span<const std::byte> bytes, const std::string& source) {
  const auto invalid = [&](const std::string& what) {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: {}", source, what));
  };
  if (bytes.size() < sizeof kMagic || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) {
    return invalid("is no .pelt file");
  }
  if (bytes.size() < kHeaderSize) return invalid("ends within its header");
  std::uint32_t version = 0;
  std::uint64_t file_size = 0;
  std::uint64_t checksum = 0;
  const std::byte* from = bytes.data() + sizeof kMagic;
  load(from, version);
  load(from, file_size);
  load(from, checksum);
  if (version != kPeltFileVersion) {
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: has version {} of the format, and this program reads version {}: {}", source, version,
                    kPeltFileVersion, version > kPeltFileVersion ? "a newer program is needed" : "bind it again"));
  }
  if (file_size != bytes.size()) {
    return invalid(fmt::format("should have {} bytes and has {}", file_size, bytes.size()));
  }
  const std::span<const std::byte> payload = bytes.subspan(kHeaderSize);
  if (XXH3_64bits(payload.data(), payload.size()) != checksum) {
    return invalid("is damaged: its checksum does not fit");
  }
  return payload;
}

}  // namespace

std::vector<std::byte> serialize(const Character& character) {
  Writer writer;
  std::vector<std::byte>& bytes = writer.bytes();
  bytes.resize(kHeaderSize);
  writer(*character);
  std::byte* to = bytes.data();
  store(to, kMagic);
  store(to, kPeltFileVersion);
  store(to, std::uint64_t{bytes.size()});
  store(to, std::uint64_t{XXH3_64bits(bytes.data() + kHeaderSize, bytes.size() - kHeaderSize)});
  return std::move(bytes);
}

Result<Character> deserialize(std::span<const std::byte> bytes, const std::string& source) {
  if (is_glb(bytes)) {
    const auto inside = find_gltf_character(bytes, source);
    if (!inside) return tl::unexpected(inside.error());
    const std::string inner = source + ": its character";
    if (is_glb(*inside)) return fail(ErrorCode::kInvalidFile, inner + ": is no .pelt file");
    return deserialize(*inside, inner);
  }
  const auto payload = checked_payload(bytes, source);
  if (!payload) return tl::unexpected(payload.error());
  Reader reader(*payload);
  CharacterData data;
  reader(data);
  const std::string problem = !reader.problem().empty() ? reader.problem()
                              : reader.left() != 0      ? fmt::format("{} bytes are left at the end", reader.left())
                                                        : "";
  if (!problem.empty()) return fail(ErrorCode::kInvalidFile, fmt::format("{}: {}", source, problem));
  Result<Character> character = Character::create(std::move(data));
  if (!character) return fail(ErrorCode::kInvalidFile, fmt::format("{}: {}", source, character.error().message));
  return character;
}

Result<void> save_pelt(const Character& character, const std::filesystem::path& path) {
  return write_file(path, serialize(character));
}

Result<Character> load_pelt(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  if (!bytes) return tl::unexpected(bytes.error());
  return deserialize(*bytes, path.string());
}

}  // namespace pelt
