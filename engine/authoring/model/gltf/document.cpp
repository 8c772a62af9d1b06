// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include <pelt/try.h>

#include "engine/authoring/base/caught.h"
#include "engine/authoring/model/gltf/loader.h"
#include "engine/authoring/model/gltf/meshopt.h"
#include "engine/authoring/model/gltf/schema.h"
#include "engine/authoring/model/gltf/unread.h"
#include "engine/character/glb/container.h"

namespace pelt {
namespace {

using nlohmann::json;

// Parses "2.0" as major and minor version.
std::optional<std::pair<int, int>> parse_version(std::string_view text) {
  int major = 0;
  int minor = 0;
  const auto first = std::from_chars(text.data(), text.data() + text.size(), major);
  if (first.ec != std::errc{} || first.ptr == text.data() + text.size() || *first.ptr != '.') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, text.data() + text.size(), minor);
  if (second.ec != std::errc{} || second.ptr != text.data() + text.size()) return std::nullopt;
  return std::pair(major, minor);
}

Result<void> check_version(const json& asset, const std::string& source) {
  for (const char* key : {"version", "minVersion"}) {
    const auto found = asset.find(key);
    if (found == asset.end()) continue;
    const std::string& text = found->get_ref<const std::string&>();
    const auto version = parse_version(text);
    const auto place = fmt::format("{}: /asset/{}", source, key);
    if (!version) return fail(ErrorCode::kInvalidFile, fmt::format("{}: '{}' is not a version", place, text));
    const bool readable = key == std::string_view("version") ? version->first == 2 : *version <= std::pair(2, 0);
    if (!readable) return fail(ErrorCode::kUnsupported, fmt::format("{}: {} is not glTF 2.0", place, text));
  }
  return {};
}

// Returns true for extensions that do not change a vertex's position, and for those that Pelt decodes. Any vendor's are
// for materials, textures (of any image format) and lights: KHR_texture_basisu, EXT_texture_webp.
bool is_understood(std::string_view extension) {
  constexpr std::array kNames{std::string_view("EXT_mesh_gpu_instancing"),
                              std::string_view("EXT_meshopt_compression"),
                              std::string_view("KHR_mesh_quantization"),
                              std::string_view("KHR_animation_pointer"),
                              std::string_view("KHR_node_visibility"),
                              std::string_view("KHR_xmp_json_ld"),
                              std::string_view("MSFT_lod"),
                              std::string_view("VRM")};
  const std::string_view subject = extension.substr(extension.find('_') + 1);  // after the vendor
  return subject.starts_with("materials_") || subject.starts_with("texture_") || subject.starts_with("lights_") ||
         extension.starts_with("VRMC_") || std::ranges::find(kNames, extension) != kNames.end();
}

Result<void> check_extensions(const json& document, const std::string& source) {
  const auto list = [&](const char* key) {
    return document.contains(key) ? document.at(key).get<std::vector<std::string>>() : std::vector<std::string>();
  };
  const std::vector<std::string> used = list("extensionsUsed");
  for (const std::string& extension : list("extensionsRequired")) {
    const auto place = fmt::format("{}: /extensionsRequired: '{}'", source, extension.substr(0, 100));
    if (std::ranges::find(used, extension) == used.end()) {
      return fail(ErrorCode::kInvalidFile, fmt::format("{} is not among extensionsUsed", place));
    }
    if (!is_understood(extension)) {
      return fail(ErrorCode::kUnsupported, fmt::format("{} is an extension that is not supported{}", place,
                                                       extension == kDraco ? kDecodeDraco : ""));
    }
  }
  return {};
}

// Returns an integer, or `absent`, and removes it.
int take(json& object, const char* key, int absent) {
  const int value = object.value(key, absent);
  object.erase(key);
  return value;
}

}  // namespace

Result<GltfDocument> read_gltf_document(std::span<const std::byte> file, const std::filesystem::path& path,
                                        std::vector<std::filesystem::path>* beside, NamedFiles files) {
  GltfDocument document;
  document.source = path.string();
  if (file.size() > kMaxGltfBytes) {
    return fail(ErrorCode::kUnsupported, fmt::format("{}: has {} bytes, more than the limit of {}", document.source,
                                                     file.size(), kMaxGltfBytes));
  }
  GltfLoader loader(path, file.size(), beside, files);

  PELT_ASSIGN(const auto container, open_gltf(file, document.source));
  PELT_ASSIGN(auto parsed, parse_gltf_json(container.json, document.source));
  document.unread = describe_unread(parsed);  // before the schema removes it
  PELT_ASSIGN(const std::string blanks, check_gltf_schema(parsed, document.source));
  if (!blanks.empty()) document.unread.push_back(blanks);
  if (container.json.starts_with("\xEF\xBB\xBF")) document.unread.push_back("a byte order mark is ignored");
  PELT_TRY(check_version(parsed.at("asset"), document.source));
  PELT_TRY(check_extensions(parsed, document.source));
  PELT_ASSIGN(document.channels, take_channels(parsed, document.source));
  if (parsed.contains("buffers")) {
    PELT_TRY(load_gltf_buffers(parsed, container, document.source, loader, document.buffers, document.storage));
    PELT_TRY(decompress_views(parsed, document.source, document.buffers, document.storage));
    // tinygltf would also look for buffers in the working folder, and require exactly byteLength bytes of them.
    parsed.erase("buffers");
  }

  document.images = read_images(parsed, document.buffers, [&](const std::string& uri, const std::string& place) {
    return loader.load(uri, place);
  });
  for (const char* read : {"images", "textures"}) parsed.erase(read);
  if (parsed.contains("materials")) {
    for (json& material : parsed.at("materials")) {
      if (material.contains("pbrMetallicRoughness")) material["pbrMetallicRoughness"].erase("baseColorTexture");
    }
  }

  if (const auto extensions = parsed.find("extensions"); extensions != parsed.end()) {
    document.vrm = read_vrm(*extensions);
    parsed.erase(extensions);
  }

  // tinygltf refuses strides that are no multiple of 4, and indices without a buffer view.
  std::vector<std::size_t> strides;
  for (json& view : parsed["bufferViews"]) strides.push_back(static_cast<std::size_t>(take(view, "byteStride", 0)));
  std::vector<int> indices;
  for (json& mesh : parsed["meshes"]) {
    for (json& primitive : mesh.at("primitives")) indices.push_back(take(primitive, "indices", -1));
  }

  // Without buffers and images, tinygltf opens no file: it only converts checked JSON to structs.
  const std::string text = parsed.dump();
  parsed = nullptr;
  std::string errors;
  std::string warnings;
  const auto refuse = [&](const std::string& why) {
    return Result<void>(fail(ErrorCode::kInvalidFile, fmt::format("{}: {}", document.source, why)));
  };
  const auto convert = [&] {
    const auto size = static_cast<unsigned>(text.size());
    const bool done =
        tinygltf::TinyGLTF().LoadASCIIFromString(&document.gltf, &errors, &warnings, text.data(), size, "");
    return done ? Result<void>() : refuse(errors);
  };
  PELT_TRY(caught(convert, refuse));
  for (std::size_t i = 0; i < strides.size(); ++i) document.gltf.bufferViews[i].byteStride = strides[i];
  auto next = indices.begin();
  for (tinygltf::Mesh& mesh : document.gltf.meshes) {
    for (tinygltf::Primitive& primitive : mesh.primitives) primitive.indices = *next++;
  }
  return document;
}

}  // namespace pelt
