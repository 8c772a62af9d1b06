// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>

#include <pelt/pelt_file.h>
#include <pelt/pelt_gltf.h>
#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/guard_memory.h"
#include "engine/character/base/hash.h"
#include "engine/character/glb/container.h"

namespace pelt {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;            // of the extension
constexpr std::size_t kAlignment = 8;  // of the character in the binary chunk

// The keys that define the model, in the order in which they are hashed. Materials and images are left out: a character
// does not depend on them, except for their binary data.
constexpr const char* kHashed[] = {"accessors", "animations", "bufferViews", "meshes",
                                   "nodes",     "scene",      "scenes",      "skins"};

// Returns the JSON pointer of a part of the extension. Not a constant, which would take memory before main().
std::string place_of(const char* part) { return formatted("/extensions/{}{}", kGltfDeformers, part); }

// A range of the binary chunk.
struct Range {
  std::size_t offset = 0;
  std::size_t length = 0;
};

// ---- The hash (docs/PELT_deformers/README.md, "Hash") ----

class Hash {
 public:
  Hash() : state_(XXH3_createState(), &XXH3_freeState) { XXH3_64bits_reset(state_.get()); }

  void add(std::span<const std::byte> bytes) { XXH3_64bits_update(state_.get(), bytes.data(), bytes.size()); }

  // Adds a value, nested no deeper than parse_gltf_json allows.
  void add(const json& value) {
    switch (value.type()) {
      case json::value_t::object:
        add_head('o', value.size());
        for (const auto& [key, member] : value.items()) {  // json sorts keys bytewise
          add_text(key);
          add(member);
        }
        return;
      case json::value_t::array:
        add_head('a', value.size());
        for (const json& entry : value) add(entry);
        return;
      case json::value_t::string:
        return add_text(value.get_ref<const std::string&>());
      case json::value_t::boolean:
        return add_tag(value.get<bool>() ? 't' : 'f');
      case json::value_t::number_integer:
      case json::value_t::number_unsigned:
      case json::value_t::number_float: {
        const double number = value.get<double>() + 0.0;  // -0 becomes 0
        add_tag('d');
        return add(std::as_bytes(std::span(&number, 1)));
      }
      default:
        return add_tag('n');
    }
  }

  std::string text() const { return formatted("{:016x}", XXH3_64bits_digest(state_.get())); }

 private:
  void add_tag(char tag) { add(std::as_bytes(std::span(&tag, 1))); }
  void add_head(char tag, std::uint64_t count) {
    add_tag(tag);
    add(std::as_bytes(std::span(&count, 1)));
  }
  void add_text(const std::string& text) {
    add_head('s', text.size());
    add(std::as_bytes(std::span(text)));
  }

  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

// Computes the hash. `view`: the buffer view of the character, which is left out with its bytes.
std::string hash_of(const json& document, const json& rig, std::size_t view, std::span<const std::byte> binary,
                    Range character) {
  Hash hash;
  hash.add(rig);
  for (const char* key : kHashed) {
    json value = document.value(key, json());
    if (value.is_array() && key == std::string_view("bufferViews")) value.erase(view);
    hash.add(value);
  }
  hash.add(binary.first(character.offset));
  hash.add(binary.subspan(character.offset + character.length));
  return hash.text();
}

// ---- Reading ----

tl::unexpected<Error> fail_at(const std::string& source, const std::string& place, const std::string& why) {
  return fail(ErrorCode::kInvalidFile, formatted("{}: {}: {}", source, place, why));
}

// Returns a member of an object; nullptr if it is missing.
const json* find(const json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() ? &*found : nullptr;
}

struct Opened {
  json document;  // an object
  std::optional<std::span<const std::byte>> binary;
};

Result<Opened> open(std::span<const std::byte> file, const std::string& source) {
  PELT_ASSIGN(const auto container, open_gltf(file, source));
  PELT_ASSIGN(auto document, parse_gltf_json(container.json, source));
  if (!document.is_object()) return fail_at(source, "/", "must be an object");
  return Opened{std::move(document), container.binary};
}

// Returns the extension, checked except for its character; nullptr: the file does not have it.
Result<const json*> find_extension(const json& document, const std::string& source) {
  const json* extensions = find(document, "extensions");
  if (extensions == nullptr) return nullptr;
  if (!extensions->is_object()) return fail_at(source, "/extensions", "must be an object");
  const json* extension = find(*extensions, kGltfDeformers);
  if (extension == nullptr) return nullptr;
  if (!extension->is_object()) return fail_at(source, place_of(""), "must be an object");
  const std::optional<std::size_t> version = count_of(*extension, "version");
  if (!version) return fail_at(source, place_of("/version"), "must be a version number");
  if (*version != kVersion) {
    return fail(ErrorCode::kUnsupported, formatted("{}: {}/version: is {}, but this program reads {}", source,
                                                   place_of(""), *version, kVersion));
  }
  const json* rig = find(*extension, "rig");
  if (rig == nullptr || !rig->is_object()) return fail_at(source, place_of("/rig"), "must be an object");
  return extension;
}

// Returns the part of the binary chunk that buffer 0 uses. Other buffers without a URI have no bytes: they are
// placeholders of extensions, as of EXT_meshopt_compression.
Result<std::span<const std::byte>> binary_buffer(const Opened& file, const std::string& source) {
  const json* buffers = find(file.document, "buffers");
  const auto has_no_uri = [](const json& buffer) { return buffer.is_object() && find(buffer, "uri") == nullptr; };
  if (buffers == nullptr || !buffers->is_array() || buffers->empty() || !file.binary ||
      !std::all_of(buffers->begin(), buffers->end(), has_no_uri)) {
    return fail_at(source, "/buffers", "a character needs the binary chunk of a .glb, as the only buffer with bytes");
  }
  const std::optional<std::size_t> length = count_of(buffers->front(), "byteLength");
  if (!length || *length > file.binary->size()) {
    return fail_at(source, "/buffers/0/byteLength",
                   formatted("must be a number of bytes, at most the {} of the binary chunk", file.binary->size()));
  }
  return file.binary->first(*length);
}

struct CharacterBytes {
  std::size_t view = 0;
  Range range;
};

// Returns the buffer view and bytes of the character that the extension's `character` refers to.
Result<CharacterBytes> bytes_of(const json& character, const json& document, std::span<const std::byte> binary,
                                const std::string& source) {
  const std::string place = place_of("/character");
  if (!character.is_object()) return fail_at(source, place, "must be an object");
  const json* views = find(document, "bufferViews");
  const std::optional<std::size_t> index = count_of(character, "bufferView");
  if (!index || views == nullptr || !views->is_array() || *index >= views->size()) {
    return fail_at(source, place + "/bufferView", "names a buffer view that does not exist");
  }
  const json& view = (*views)[*index];
  const std::string view_place = formatted("/bufferViews/{}", *index);
  if (!view.is_object()) return fail_at(source, view_place, "must be an object");
  if (count_of(view, "buffer") != 0) return fail_at(source, view_place + "/buffer", "must be 0");
  if (find(view, "byteStride") != nullptr) return fail_at(source, view_place, "must not have a stride");
  const std::optional<std::size_t> offset = count_of(view, "byteOffset", 0);
  const std::optional<std::size_t> length = count_of(view, "byteLength");
  if (!offset || !length || *offset > binary.size() || *length > binary.size() - *offset) {
    return fail_at(source, view_place, formatted("must be within the {} bytes of its buffer", binary.size()));
  }
  return CharacterBytes{*index, {*offset, *length}};
}

// ---- Writing ----

// Returns an array of the document, creating it if it is missing.
Result<json*> array_of(json& document, const char* key, const std::string& source) {
  json& array = document[key];
  if (array.is_null()) array = json::array();
  if (!array.is_array()) return fail_at(source, formatted("/{}", key), "must be an array");
  return &array;
}

// Removes the extension, and its character if it is at the end of the binary chunk, as this file's writer leaves it.
Result<void> remove_extension(json& document, std::vector<std::byte>& binary, const std::string& source) {
  PELT_ASSIGN(const auto extension, find_extension(document, source));
  if (extension == nullptr) return {};
  if (const json* character = find(*extension, "character")) {
    PELT_ASSIGN(const auto place, bytes_of(*character, document, binary, source));
    json& views = document["bufferViews"];
    if (place.view + 1 == views.size() && place.range.offset + place.range.length == binary.size()) {
      views.erase(place.view);
      binary.resize(place.range.offset);
      if (views.empty()) document.erase("bufferViews");
    }
  }
  document["extensions"].erase(std::string(kGltfDeformers));
  return {};
}

}  // namespace

Result<std::optional<GltfDeformers>> read_gltf_deformers(std::span<const std::byte> file, const std::string& source) {
  PELT_ASSIGN(const auto opened, open(file, source));
  const json& document = opened.document;
  PELT_ASSIGN(const auto extension, find_extension(document, source));
  if (extension == nullptr) return std::nullopt;
  const json& rig = extension->at("rig");
  GltfDeformers deformers{.rig = rig.dump()};
  const json* character = find(*extension, "character");
  if (character == nullptr) return deformers;

  PELT_ASSIGN(const auto binary, binary_buffer(opened, source));
  PELT_ASSIGN(const auto place, bytes_of(*character, document, binary, source));
  const json* hash = find(*character, "hash");
  if (hash == nullptr || !hash->is_string()) return fail_at(source, place_of("/character/hash"), "must be text");
  deformers.character = binary.subspan(place.range.offset, place.range.length);
  deformers.current = hash->get_ref<const std::string&>() == hash_of(document, rig, place.view, binary, place.range);
  return deformers;
}

Result<std::span<const std::byte>> find_gltf_character(std::span<const std::byte> file, const std::string& source) {
  PELT_ASSIGN(const auto deformers, read_gltf_deformers(file, source));
  const auto refuse = [&](const char* why) {
    return fail(ErrorCode::kUnsupported, formatted("{}: {}: bind it", source, why));
  };
  if (!deformers) return refuse("is a model without a rig");
  if (deformers->character.empty()) return refuse("has a rig, but no character");
  if (!deformers->current) return refuse("was changed since its character was bound");
  return deformers->character;
}

Result<Character> read_character(std::span<const std::byte> bytes, const std::string& source) {
  if (!is_glb(bytes)) return deserialize(bytes, source);
  PELT_ASSIGN(const auto inside, find_gltf_character(bytes, source));
  const std::string inner = source + ": its character";
  if (is_glb(inside)) return fail(ErrorCode::kInvalidFile, inner + ": is not a .pelt file");
  return deserialize(inside, inner);
}

Result<Character> load_character(const std::filesystem::path& path) {
  return guard_memory([&]() -> Result<Character> {
    PELT_ASSIGN(const auto bytes, read_file(path));
    return read_character(bytes, path.string());
  });
}

Result<std::vector<std::byte>> write_gltf_deformers(std::span<const std::byte> glb, std::string_view rig,
                                                    const Character* character, const std::string& source) {
  PELT_ASSIGN(auto opened, open(glb, source));
  json& document = opened.document;
  Result<json> rig_json = parse_gltf_json(rig, source + ": the rig");
  if (!rig_json || !rig_json->is_object()) {
    return fail(ErrorCode::kInvalidArgument,
                rig_json ? source + ": the rig must be an object" : rig_json.error().message);
  }

  std::vector<std::byte> binary;
  if (find(document, "buffers") != nullptr) {
    const auto buffer = binary_buffer(opened, source);
    if (!buffer) return fail(ErrorCode::kInvalidArgument, buffer.error().message);
    binary.assign(buffer->begin(), buffer->end());
  }
  PELT_TRY(remove_extension(document, binary, source));

  json extension{{"version", kVersion}, {"rig", std::move(*rig_json)}};
  if (character != nullptr) {
    binary.resize((binary.size() + kAlignment - 1) / kAlignment * kAlignment);
    const std::vector<std::byte> bytes = serialize(*character);
    const Range range{binary.size(), bytes.size()};
    binary.insert(binary.end(), bytes.begin(), bytes.end());
    PELT_ASSIGN(const auto views, array_of(document, "bufferViews", source));
    const std::size_t view = views->size();
    views->push_back({{"buffer", 0}, {"byteOffset", range.offset}, {"byteLength", range.length}});
    const std::string hash = hash_of(document, extension["rig"], view, binary, range);
    extension["character"] = {{"bufferView", view}, {"hash", hash}};
  }
  if (!binary.empty()) {
    PELT_ASSIGN(const auto buffers, array_of(document, "buffers", source));
    if (buffers->empty()) buffers->push_back(json::object());
    (*buffers)[0]["byteLength"] = binary.size();
  }
  document["extensions"][std::string(kGltfDeformers)] = std::move(extension);
  PELT_ASSIGN(const auto used, array_of(document, "extensionsUsed", source));
  if (std::find(used->begin(), used->end(), kGltfDeformers) == used->end()) {
    used->push_back(kGltfDeformers);
  }
  return format_glb_container(document, binary, source);
}

}  // namespace pelt
