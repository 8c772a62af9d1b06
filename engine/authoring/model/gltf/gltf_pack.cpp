// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <pelt/gltf_pack.h>
#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "engine/authoring/model/gltf/image.h"
#include "engine/authoring/model/gltf/loader.h"
#include "engine/authoring/model/gltf/schema.h"
#include "engine/character/glb/container.h"

namespace pelt {
namespace {

using nlohmann::json;

// Appends bytes at a multiple of 8, which is aligned for any accessor, and returns their offset.
std::size_t append(std::vector<std::byte>& binary, std::span<const std::byte> bytes) {
  binary.resize((binary.size() + 7) / 8 * 8);
  const std::size_t offset = binary.size();
  binary.insert(binary.end(), bytes.begin(), bytes.end());
  return offset;
}

bool has_uri(const json& object) { return object.is_object() && object.contains("uri") && object["uri"].is_string(); }

// The range of one of the file's buffers in the packed one.
struct Part {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::size_t buffer = 0;  // not 0: a placeholder (meshopt.h), which stays separate
};

// Moves a range of one of several buffers into the packed one. `range`: a buffer view, or an extension of one.
Result<void> move_range(json& range, std::span<const Part> parts, const std::string& place) {
  const std::optional<std::size_t> buffer = count_of(range, "buffer");
  if (!buffer || *buffer >= parts.size()) {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}/buffer: names none of the {} buffers", place, parts.size()));
  }
  const Part& part = parts[*buffer];
  if (part.buffer != 0) {
    range["buffer"] = part.buffer;
    return {};
  }
  const std::optional<std::size_t> offset = count_of(range, "byteOffset", 0);
  const std::optional<std::size_t> length = count_of(range, "byteLength");
  if (!offset || !length || *offset > part.length || *length > part.length - *offset) {
    return fail(ErrorCode::kInvalidFile,
                fmt::format("{}: is outside the {} bytes of buffer {}", place, part.length, *buffer));
  }
  range["buffer"] = 0;
  if (part.offset + *offset != 0) range["byteOffset"] = part.offset + *offset;
  return {};
}

// Moves the extensions of a buffer view; only those of meshopt are known to name a buffer. If there is only one
// buffer, other extensions stay correct.
Result<void> move_extensions(json& extensions, std::span<const Part> parts, const std::string& place) {
  for (const auto& [name, extension] : extensions.items()) {
    const std::string extension_place = fmt::format("{}/{}", place, name);
    if (name.ends_with("_meshopt_compression")) {  // EXT and KHR
      PELT_TRY(move_range(extension, parts, extension_place));
    } else if (parts.size() > 1 && extension.contains("buffer")) {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("{}: an unknown extension that names a buffer cannot be packed", extension_place));
    }
  }
  return {};
}

// Merges all buffers with bytes into one binary; `kept` receives the others.
Result<std::vector<std::byte>> merge(json& document, std::span<const std::span<const std::byte>> buffers,
                                     const std::string& source, json& kept) {
  std::vector<std::byte> binary;
  std::vector<Part> parts;
  for (const std::span<const std::byte> bytes : buffers) {
    if (bytes.empty()) {  // the schema requires at least one byte per buffer
      kept.push_back(document["buffers"][parts.size()]);
      parts.push_back({.buffer = kept.size()});
    } else {
      parts.push_back({append(binary, bytes), bytes.size()});
    }
  }
  if (!document.contains("bufferViews")) return binary;
  json& views = document["bufferViews"];
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::string place = fmt::format("{}: /bufferViews/{}", source, i);
    PELT_TRY(move_range(views[i], parts, place));
    if (!views[i].contains("extensions")) continue;
    PELT_TRY(move_extensions(views[i]["extensions"], parts, place + "/extensions"));
  }
  return binary;
}

}  // namespace

Result<std::vector<std::byte>> pack_gltf(const std::filesystem::path& path, NamedFiles files) {
  PELT_ASSIGN(auto file, read_file(path, kMaxGltfBytes));
  const std::string source = path.string();
  PELT_ASSIGN(const auto container, open_gltf(file, source));
  PELT_ASSIGN(auto document, parse_gltf_json(container.json, source));
  json checked = document;  // the schema removes unknown members from this copy
  PELT_TRY(check_gltf_schema(checked, source));
  if (!checked.contains("buffers")) checked["buffers"] = json::array();
  const json& buffers = checked["buffers"];
  json* images = document.contains("images") && document["images"].is_array() ? &document["images"] : nullptr;
  const bool whole = std::none_of(buffers.begin(), buffers.end(), has_uri) &&
                     (images == nullptr || std::none_of(images->begin(), images->end(), has_uri));
  if (whole && is_glb(file)) return file;

  GltfLoader loader(path, file.size(), nullptr, files);
  std::vector<std::span<const std::byte>> spans;
  std::vector<std::vector<std::byte>> storage;
  PELT_TRY(load_gltf_buffers(checked, container, source, loader, spans, storage));
  json kept = json::array();
  PELT_ASSIGN(auto binary, merge(document, spans, source, kept));
  for (std::size_t i = 0; images != nullptr && i < images->size(); ++i) {
    json& image = (*images)[i];
    if (!has_uri(image)) continue;
    const auto bytes = loader.load(image["uri"].get<std::string>(), fmt::format("{}: /images/{}", source, i));
    if (!bytes) continue;
    const std::string_view type = image_type(*bytes);
    if (type.empty()) continue;
    image.erase("uri");
    image["mimeType"] = type;
    json& views = document["bufferViews"];
    image["bufferView"] = views.size();
    const std::size_t offset = append(binary, *bytes);
    views.push_back({{"buffer", 0}, {"byteOffset", offset}, {"byteLength", bytes->size()}});
  }
  if (binary.empty()) {
    document.erase("buffers");
  } else {
    document["buffers"] = {{{"byteLength", binary.size()}}};
    for (json& buffer : kept) document["buffers"].push_back(std::move(buffer));
  }
  return format_glb_container(document, binary, source);
}

}  // namespace pelt
