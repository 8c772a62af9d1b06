// SPDX-License-Identifier: MIT
#include "engine/model/gltf_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "engine/core/file_io.h"
#include "engine/model/gltf_schema.h"

namespace pelt {
namespace {

using nlohmann::json;

// All that a document may make us hold: its file, the files beside it, decoded data URIs.
constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;

// A parsed object costs hundreds of bytes and "{}," three: bounds on the structure bound the memory. A character of
// 250 joints and 100 clips has 75,000 channels of three objects each, samplers counted.
constexpr std::size_t kMostNesting = 256;
constexpr std::size_t kMostObjects = 250'000;
constexpr std::size_t kMostValues = 4'000'000;

Result<void> check_json_structure(std::string_view text, const std::string& source) {
  std::size_t depth = 0;
  std::size_t objects = 0;
  std::size_t values = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') {
      ++depth;
      ++values;
      objects += c == '{';
    }
    if ((c == '}' || c == ']') && depth > 0) --depth;
    if (c == ',') ++values;
    if (depth > kMostNesting) {
      return fail(ErrorCode::kInvalidFile,
                  fmt::format("{}: byte {} of the JSON: nested more than {} deep", source, i, kMostNesting));
    }
  }
  if (objects > kMostObjects || values > kMostValues) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("{}: the JSON holds {} objects and {} values, more than the limits of {} and {}", source,
                            objects, values, kMostObjects, kMostValues));
  }
  return {};
}

// The parts of a file: JSON, and the binary chunk where the file is a .glb that has one.
struct Container {
  std::string_view json;
  std::optional<std::span<const std::byte>> binary;
};

std::uint32_t read_u32(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= std::to_integer<std::uint32_t>(bytes[offset + i]) << (8 * i);
  return value;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Binary glTF (glTF 2.0, section 4): a header of 12 bytes, then chunks of length, type and data.
Result<Container> open_glb(std::span<const std::byte> bytes, const std::string& source) {
  constexpr std::size_t kHeader = 12;
  constexpr std::size_t kChunkHeader = 8;
  constexpr std::uint32_t kJson = 0x4E4F534A;
  constexpr std::uint32_t kBinary = 0x004E4942;
  const auto refuse = [&](std::size_t offset, const std::string& why) {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: byte {}: {}", source, offset, why));
  };

  if (bytes.size() < kHeader) return refuse(bytes.size(), "the file ends within the GLB header");
  if (const std::uint32_t version = read_u32(bytes, 4); version != 2) {
    return refuse(4, fmt::format("GLB version {} is not 2", version));
  }
  const std::size_t length = read_u32(bytes, 8);
  if (length < kHeader || length > bytes.size()) {
    return refuse(8, fmt::format("the GLB declares {} bytes, the file has {}", length, bytes.size()));
  }

  Container container;
  bool has_json = false;
  for (std::size_t offset = kHeader, index = 0; offset < length; ++index) {
    if (length - offset < kChunkHeader) return refuse(offset, "the file ends within a chunk header");
    const std::size_t chunk_length = read_u32(bytes, offset);
    const std::uint32_t type = read_u32(bytes, offset + 4);
    if (chunk_length > length - offset - kChunkHeader) {
      return refuse(offset, fmt::format("a chunk of {} bytes, but only {} are left", chunk_length,
                                        length - offset - kChunkHeader));
    }
    if (chunk_length % 4 != 0)
      return refuse(offset, fmt::format("a chunk of {} bytes, no multiple of 4", chunk_length));
    const std::span<const std::byte> data = bytes.subspan(offset + kChunkHeader, chunk_length);
    if (index == 0 && type != kJson) return refuse(offset, fmt::format("the first chunk is {:#010x}, not JSON", type));
    if (index > 0 && type == kJson) return refuse(offset, "a second JSON chunk");
    if (index > 1 && type == kBinary) {
      return refuse(offset, container.binary ? "a second binary chunk" : "the binary chunk is not the second one");
    }
    if (type == kJson) {
      container.json = as_text(data);
      has_json = true;
    } else if (type == kBinary) {
      container.binary = data;
    }
    offset += kChunkHeader + chunk_length;
  }
  if (!has_json || container.json.empty()) return refuse(kHeader, "no JSON chunk");
  // Some exporters pad with zeros instead of spaces.
  container.json = container.json.substr(0, container.json.find_last_not_of('\0') + 1);
  return container;
}

Result<Container> open_container(std::span<const std::byte> bytes, const std::string& source) {
  const std::string_view text = as_text(bytes);
  if (text.starts_with("glTF")) return open_glb(bytes, source);
  if (source.ends_with(".glb")) {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: byte 0: does not start with 'glTF' as a .glb does", source));
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: byte 0: a byte order mark, which glTF forbids", source));
  }
  return Container{text, std::nullopt};
}

Result<json> parse_json(std::string_view text, const std::string& source) {
  if (auto checked = check_json_structure(text, source); !checked) return tl::unexpected(checked.error());
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line ...": the bracket is of no use to a reader.
    std::string_view why = error.what();
    if (const auto end = why.find("] "); end != std::string_view::npos) why.remove_prefix(end + 2);
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: no valid JSON: {}", source, why));
  }
}

// "2.0" -> 2.0 as major and minor.
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
    if (!version) return fail(ErrorCode::kInvalidFile, fmt::format("{}: '{}' is no version", place, text));
    const bool readable = key == std::string_view("version") ? version->first == 2 : *version <= std::pair(2, 0);
    if (!readable) return fail(ErrorCode::kUnsupported, fmt::format("{}: {} is not glTF 2.0", place, text));
  }
  return {};
}

// Extensions that do not change where a vertex goes, and the one that only widens the formats we decode.
bool is_understood(std::string_view extension) {
  constexpr std::array kNames{std::string_view("KHR_mesh_quantization"), std::string_view("KHR_lights_punctual"),
                              std::string_view("KHR_texture_basisu"),    std::string_view("KHR_texture_transform"),
                              std::string_view("KHR_xmp_json_ld"),       std::string_view("EXT_texture_avif"),
                              std::string_view("EXT_texture_webp"),      std::string_view("MSFT_texture_dds")};
  return extension.starts_with("KHR_materials_") || std::find(kNames.begin(), kNames.end(), extension) != kNames.end();
}

Result<void> check_extensions(const json& document, const std::string& source) {
  const auto list = [&](const char* key) {
    return document.contains(key) ? document.at(key).get<std::vector<std::string>>() : std::vector<std::string>();
  };
  const std::vector<std::string> used = list("extensionsUsed");
  for (const std::string& extension : list("extensionsRequired")) {
    const auto place = fmt::format("{}: /extensionsRequired: '{}'", source, extension.substr(0, 100));
    if (std::find(used.begin(), used.end(), extension) == used.end()) {
      return fail(ErrorCode::kInvalidFile, fmt::format("{} is not among extensionsUsed", place));
    }
    if (!is_understood(extension)) {
      return fail(ErrorCode::kUnsupported, fmt::format("{} is an extension that is not supported", place));
    }
  }
  return {};
}

// Percent-encoded octets decoded; what is no such octet stays as it is.
std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned octet = 0;
    if (text[i] == '%' && i + 2 < text.size()) {
      const auto end = std::from_chars(text.data() + i + 1, text.data() + i + 3, octet, 16);
      if (end.ptr == text.data() + i + 3) {
        decoded.push_back(static_cast<char>(octet));
        i += 2;
        continue;
      }
    }
    decoded.push_back(text[i]);
  }
  return decoded;
}

// Loads one buffer or image after the other and keeps account of the bytes.
class BufferLoader {
 public:
  BufferLoader(const std::filesystem::path& path, std::uint64_t bytes_read, std::vector<std::filesystem::path>* beside)
      : path_(path), bytes_read_(bytes_read), beside_(beside) {}

  Result<std::vector<std::byte>> load(const std::string& uri, const std::string& place) {
    auto bytes = uri.starts_with("data:") ? decode_data_uri(uri, place) : read_beside(uri, place);
    if (bytes) bytes_read_ += bytes->size();
    return bytes;
  }

 private:
  Result<std::vector<std::byte>> decode_data_uri(const std::string& uri, const std::string& place) const {
    const std::size_t comma = uri.find(',');
    if (comma == std::string::npos || !uri.substr(0, comma).ends_with(";base64")) {
      return fail(ErrorCode::kInvalidFile, fmt::format("{}: a data URI that is not base64", place));
    }
    if (uri.size() > kMostBytes - bytes_read_) return too_much(place);
    // The decoder knows a few media types only, and none of them matters here.
    std::vector<unsigned char> decoded;
    std::string media_type;
    const std::string known = "data:application/octet-stream;base64," + percent_decoded(uri.substr(comma + 1));
    tinygltf::DecodeDataURI(&decoded, media_type, known, 0, false);
    const auto bytes = std::as_bytes(std::span(decoded));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }

  Result<std::vector<std::byte>> read_beside(const std::string& uri, const std::string& place) const {
    const std::string name = percent_decoded(uri);
    const auto refuse = [&](const char* why) {
      return fail(ErrorCode::kInvalidFile, fmt::format("{}: the URI '{}' {}", place, uri.substr(0, 200), why));
    };
    if (name.empty()) return refuse("is empty");
    if (name.find('\0') != std::string::npos) return refuse("holds a zero byte");
    if (name.find(':') != std::string::npos) return refuse("has a scheme other than data:");
    std::string slashed = name;
    std::replace(slashed.begin(), slashed.end(), '\\', '/');
    const std::filesystem::path portable(slashed);
    if (portable.is_absolute() || std::find(portable.begin(), portable.end(), "..") != portable.end()) {
      return refuse("leaves the model's folder");
    }
    if (beside_ != nullptr) beside_->push_back(path_.parent_path() / name);
    auto bytes = read_file(path_.parent_path() / name, kMostBytes - bytes_read_);
    if (!bytes) return fail(bytes.error().code, fmt::format("{}: {}", place, bytes.error().message));
    return bytes;
  }

  static tl::unexpected<Error> too_much(const std::string& place) {
    return fail(ErrorCode::kUnsupported, fmt::format("{}: more than {} MiB in all", place, kMostBytes >> 20));
  }

  const std::filesystem::path& path_;
  std::uint64_t bytes_read_;
  std::vector<std::filesystem::path>* beside_;
};

Result<void> load_buffers(GltfDocument& document, const json& buffers, const Container& container,
                          BufferLoader& loader) {
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::string place = fmt::format("{}: /buffers/{}", document.source, i);
    std::span<const std::byte> bytes;
    if (const auto uri = buffers[i].find("uri"); uri != buffers[i].end()) {
      auto loaded = loader.load(uri->get_ref<const std::string&>(), place);
      if (!loaded) return tl::unexpected(loaded.error());
      bytes = document.storage.emplace_back(std::move(*loaded));
    } else if (i == 0 && container.binary) {
      bytes = *container.binary;
    } else {
      return fail(ErrorCode::kInvalidFile, fmt::format("{}: has no URI, and the file no binary chunk for it", place));
    }
    const std::size_t length = buffers[i].at("byteLength").get<std::size_t>();
    if (bytes.size() < length) {
      return fail(ErrorCode::kInvalidFile,
                  fmt::format("{}: byteLength is {}, but there are {} bytes", place, length, bytes.size()));
    }
    document.buffers.push_back(bytes.first(length));
  }
  return {};
}

}  // namespace

Result<GltfDocument> read_gltf_document(const std::filesystem::path& path, std::vector<std::filesystem::path>* beside) {
  auto file = read_file(path, kMostBytes);
  if (!file) return tl::unexpected(file.error());
  GltfDocument document;
  document.source = path.string();
  BufferLoader loader(path, file->size(), beside);
  document.storage.push_back(std::move(*file));

  const auto container = open_container(document.storage.front(), document.source);
  if (!container) return tl::unexpected(container.error());
  auto parsed = parse_json(container->json, document.source);
  if (!parsed) return tl::unexpected(parsed.error());
  if (auto checked = check_gltf_schema(*parsed, document.source); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_version(parsed->at("asset"), document.source); !checked) {
    return tl::unexpected(checked.error());
  }
  if (auto checked = check_extensions(*parsed, document.source); !checked) return tl::unexpected(checked.error());
  if (parsed->contains("buffers")) {
    auto loaded = load_buffers(document, parsed->at("buffers"), *container, loader);
    if (!loaded) return tl::unexpected(loaded.error());
    // tinygltf would look for buffers in the working folder, too, and want them of exactly byteLength.
    parsed->erase("buffers");
  }

  document.images = read_images(*parsed, document.buffers, [&](const std::string& uri, const std::string& place) {
    return loader.load(uri, place);
  });
  for (const char* read : {"images", "textures"}) parsed->erase(read);
  if (parsed->contains("materials")) {
    for (json& material : parsed->at("materials")) {
      if (material.contains("pbrMetallicRoughness")) material["pbrMetallicRoughness"].erase("baseColorTexture");
    }
  }

  // With no buffers and no images in it tinygltf opens no file: it turns checked JSON into structs.
  const std::string text = parsed->dump();
  *parsed = nullptr;
  std::string errors;
  std::string warnings;
  try {
    tinygltf::TinyGLTF tiny;
    if (!tiny.LoadASCIIFromString(&document.gltf, &errors, &warnings, text.data(), static_cast<unsigned>(text.size()),
                                  "")) {
      return fail(ErrorCode::kInvalidFile, fmt::format("{}: {}", document.source, errors));
    }
  } catch (const std::exception& error) {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: {}", document.source, error.what()));
  }
  return document;
}

}  // namespace pelt
