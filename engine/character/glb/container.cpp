// SPDX-License-Identifier: MIT
#include "engine/character/glb/container.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include <pelt/try.h>

#include "engine/character/base/formatted.h"

namespace pelt {
namespace {

using nlohmann::json;

constexpr std::string_view kMagic = "glTF";
constexpr std::size_t kHeader = 12;
constexpr std::size_t kChunkHeader = 8;
constexpr std::uint32_t kJson = 0x4E4F534A;
constexpr std::uint32_t kBinary = 0x004E4942;

// A parsed object takes hundreds of bytes, "{}," only three, so limits on the structure limit the memory. A character
// of 250 joints and 100 clips has 75,000 channels of three objects each, including samplers.
constexpr std::size_t kMaxNesting = 256;
constexpr std::size_t kMaxObjects = 250'000;
constexpr std::size_t kMaxValues = 4'000'000;

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
    if (depth > kMaxNesting) {
      return fail(ErrorCode::kInvalidFile,
                  formatted("{}: byte {} of the JSON: nested more than {} deep", source, i, kMaxNesting));
    }
  }
  if (objects > kMaxObjects || values > kMaxValues) {
    return fail(ErrorCode::kUnsupported,
                formatted("{}: the JSON holds {} objects and {} values, more than the limits of {} and {}", source,
                          objects, values, kMaxObjects, kMaxValues));
  }
  return {};
}

std::uint32_t read_u32(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= std::to_integer<std::uint32_t>(bytes[offset + i]) << (8 * i);
  return value;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Opens a .glb: a header of 12 bytes, then chunks of length, type and data.
Result<GltfContainer> open_glb(std::span<const std::byte> bytes, const std::string& source) {
  const auto refuse = [&](std::size_t offset, const std::string& why) {
    return fail(ErrorCode::kInvalidFile, formatted("{}: byte {}: {}", source, offset, why));
  };

  if (bytes.size() < kHeader) return refuse(bytes.size(), "the file ends within the GLB header");
  if (const std::uint32_t version = read_u32(bytes, 4); version != 2) {
    return refuse(4, formatted("GLB version {} is not 2", version));
  }
  const std::size_t length = read_u32(bytes, 8);
  if (length < kHeader || length > bytes.size()) {
    return refuse(8, formatted("the GLB declares {} bytes, the file has {}", length, bytes.size()));
  }

  GltfContainer container;
  bool has_json = false;
  for (std::size_t offset = kHeader, index = 0; offset < length; ++index) {
    if (length - offset < kChunkHeader) return refuse(offset, "the file ends within a chunk header");
    const std::size_t chunk_length = read_u32(bytes, offset);
    const std::uint32_t type = read_u32(bytes, offset + 4);
    if (chunk_length > length - offset - kChunkHeader) {
      return refuse(
          offset, formatted("a chunk of {} bytes, but only {} are left", chunk_length, length - offset - kChunkHeader));
    }
    if (chunk_length % 4 != 0) return refuse(offset, formatted("a chunk of {} bytes, no multiple of 4", chunk_length));
    const std::span<const std::byte> data = bytes.subspan(offset + kChunkHeader, chunk_length);
    if (index == 0 && type != kJson) return refuse(offset, formatted("the first chunk is 0x{:08x}, not JSON", type));
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

// Writes consecutive bytes to a vector.
class Filler {
 public:
  explicit Filler(std::vector<std::byte>& bytes) : to_(bytes.data()) {}

  void put(std::span<const std::byte> data) {
    std::copy(data.begin(), data.end(), to_);
    to_ += data.size();
  }
  void put_u32(std::size_t value) {
    for (std::size_t i = 0; i < 4; ++i) *to_++ = static_cast<std::byte>(value >> (8 * i) & 0xff);
  }
  void put_chunk(std::uint32_t type, std::span<const std::byte> data, std::byte padding) {
    const std::size_t length = padded(data.size());
    put_u32(length);
    put_u32(type);
    put(data);
    to_ = std::fill_n(to_, length - data.size(), padding);
  }

  static std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

 private:
  std::byte* to_;
};

}  // namespace

bool is_glb(std::span<const std::byte> bytes) { return as_text(bytes).starts_with(kMagic); }

Result<GltfContainer> open_gltf(std::span<const std::byte> bytes, const std::string& source) {
  const std::string_view text = as_text(bytes);
  if (is_glb(bytes)) return open_glb(bytes, source);
  if (source.ends_with(".glb")) {
    return fail(ErrorCode::kInvalidFile, formatted("{}: byte 0: does not start with 'glTF' as a .glb does", source));
  }
  return GltfContainer{text, std::nullopt};
}

Result<json> parse_gltf_json(std::string_view text, const std::string& source) {
  PELT_TRY(check_json_structure(text, source));
#ifdef __cpp_exceptions
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line ...": drops the bracket, which does not help users.
    std::string_view why = error.what();
    if (const auto end = why.find("] "); end != std::string_view::npos) why.remove_prefix(end + 2);
    return fail(ErrorCode::kInvalidFile, formatted("{}: no valid JSON: {}", source, why));
  }
#else
  json parsed = json::parse(text, nullptr, false);
  if (parsed.is_discarded()) return fail(ErrorCode::kInvalidFile, formatted("{}: no valid JSON", source));
  return parsed;
#endif
}

std::optional<std::size_t> count_of(const nlohmann::json& object, std::string_view key,
                                    std::optional<std::size_t> absent) {
  const auto value = object.find(key);
  if (value == object.end()) return absent;
  if (!value->is_number()) return std::nullopt;
  const double number = value->get<double>();
  if (!(number >= 0) || number != std::floor(number) || number >= 9007199254740992.0) return std::nullopt;
  return static_cast<std::size_t>(number);
}

Result<std::vector<std::byte>> format_glb_container(const json& document, std::span<const std::byte> binary,
                                                    const std::string& source) {
  const std::string text = document.dump(-1, ' ', false, json::error_handler_t::replace);
  std::size_t size = kHeader + kChunkHeader + Filler::padded(text.size());
  if (!binary.empty()) size += kChunkHeader + Filler::padded(binary.size());
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::kUnsupported, formatted("{}: is too large for a .glb file", source));
  }
  std::vector<std::byte> bytes(size);
  Filler filler(bytes);
  filler.put(std::as_bytes(std::span(kMagic)));
  filler.put_u32(2);
  filler.put_u32(size);
  filler.put_chunk(kJson, std::as_bytes(std::span(text)), std::byte{' '});
  if (!binary.empty()) filler.put_chunk(kBinary, binary, std::byte{0});
  return bytes;
}

}  // namespace pelt
