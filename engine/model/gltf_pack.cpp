// SPDX-License-Identifier: MIT
#include "engine/model/gltf_pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/core/file_io.h"
#include "engine/model/gltf_container.h"
#include "engine/model/gltf_image.h"
#include "engine/model/gltf_loader.h"
#include "engine/model/gltf_schema.h"

namespace pelt {
namespace {

using nlohmann::json;

// Appends at a multiple of 8, for any accessor; returns where.
std::size_t append(std::vector<std::byte>& binary, std::span<const std::byte> bytes) {
  binary.resize((binary.size() + 7) / 8 * 8);
  const std::size_t offset = binary.size();
  binary.insert(binary.end(), bytes.begin(), bytes.end());
  return offset;
}

bool has_uri(const json& object) { return object.is_object() && object.contains("uri") && object["uri"].is_string(); }

// A range of one of several buffers becomes one of the only buffer. `view`: a buffer view, or an extension of one that
// names a buffer, as compressed data does.
void move_range(json& view, std::span<const std::size_t> offsets) {
  const auto buffer = view.find("buffer");
  if (buffer == view.end() || !buffer->is_number()) return;
  const double index = buffer->get<double>();
  if (!(index >= 0) || index >= static_cast<double>(offsets.size())) return;
  const std::size_t offset = offsets[static_cast<std::size_t>(index)];
  const auto given = view.find("byteOffset");
  const std::size_t own = given != view.end() && given->is_number() ? given->get<std::size_t>() : 0;
  view["buffer"] = 0;
  if (offset + own != 0) view["byteOffset"] = offset + own;
}

// One binary for all buffers.
std::vector<std::byte> merge(json& document, std::span<const std::span<const std::byte>> buffers) {
  std::vector<std::byte> binary;
  std::vector<std::size_t> offsets;
  for (const std::span<const std::byte> bytes : buffers) offsets.push_back(append(binary, bytes));
  if (!document.contains("bufferViews")) return binary;
  for (json& view : document["bufferViews"]) {
    move_range(view, offsets);
    if (!view.contains("extensions") || !view["extensions"].is_object()) continue;
    for (json& extension : view["extensions"]) {
      if (extension.is_object()) move_range(extension, offsets);
    }
  }
  return binary;
}

}  // namespace

Result<std::vector<std::byte>> pack_gltf(const std::filesystem::path& path) {
  Result<std::vector<std::byte>> file = read_file(path, kMostGltfBytes);
  if (!file) return file;
  const std::string source = path.string();
  const Result<GltfContainer> container = open_gltf(*file, source);
  if (!container) return tl::unexpected(container.error());
  Result<json> document = parse_gltf_json(container->json, source);
  if (!document) return tl::unexpected(document.error());
  json checked = *document;  // loses what the schema does not know
  if (const auto done = check_gltf_schema(checked, source); !done) return tl::unexpected(done.error());
  const json buffers = checked.value("buffers", json::array());
  checked = nullptr;
  json* images = document->contains("images") && (*document)["images"].is_array() ? &(*document)["images"] : nullptr;
  const bool whole = std::none_of(buffers.begin(), buffers.end(), has_uri) &&
                     (images == nullptr || std::none_of(images->begin(), images->end(), has_uri));
  if (whole && is_glb(*file)) return file;

  GltfLoader loader(path, file->size(), nullptr);
  std::vector<std::span<const std::byte>> spans;
  std::vector<std::vector<std::byte>> storage;
  const auto loaded = load_gltf_buffers(buffers, *container, source, loader, spans, storage);
  if (!loaded) return tl::unexpected(loaded.error());
  std::vector<std::byte> binary = merge(*document, spans);
  for (std::size_t i = 0; images != nullptr && i < images->size(); ++i) {
    json& image = (*images)[i];
    if (!has_uri(image)) continue;
    const auto bytes = loader.load(image["uri"].get<std::string>(), fmt::format("{}: /images/{}", source, i));
    if (!bytes) continue;
    const std::string_view type = image_type(*bytes);
    if (type.empty()) continue;
    image.erase("uri");
    image["mimeType"] = type;
    json& views = (*document)["bufferViews"];
    image["bufferView"] = views.size();
    const std::size_t offset = append(binary, *bytes);
    views.push_back({{"buffer", 0}, {"byteOffset", offset}, {"byteLength", bytes->size()}});
  }
  if (binary.empty()) {
    document->erase("buffers");
  } else {
    (*document)["buffers"] = {{{"byteLength", binary.size()}}};
  }
  return format_glb_container(*document, binary, source);
}

}  // namespace pelt
