// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/loader.h"

#include <fmt/format.h>
#include <tiny_gltf.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "engine/authoring/model/beside.h"
#include "engine/authoring/model/gltf/meshopt.h"

namespace pelt {
namespace {

using nlohmann::json;

// Decodes percent-encoded octets; copies anything else.
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

tl::unexpected<Error> too_much(const std::string& place) {
  return fail(ErrorCode::kUnsupported, fmt::format("{}: more than {} MiB in total", place, kMaxGltfBytes >> 20));
}

}  // namespace

Result<std::vector<std::byte>> GltfLoader::load(const std::string& uri, const std::string& place) {
  auto bytes = uri.starts_with("data:") ? decode_data_uri(uri, place) : read_beside(uri, place);
  if (bytes) bytes_read_ += bytes->size();
  return bytes;
}

Result<std::vector<std::byte>> GltfLoader::decode_data_uri(const std::string& uri, const std::string& place) const {
  const std::size_t comma = uri.find(',');
  if (comma == std::string::npos || !uri.substr(0, comma).ends_with(";base64")) {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: a data URI that is not base64", place));
  }
  if (uri.size() > kMaxGltfBytes - bytes_read_) return too_much(place);
  // The decoder only supports a few media types, none of which matters here, and no lines.
  std::vector<unsigned char> decoded;
  std::string media_type;
  std::string known = "data:application/octet-stream;base64," + percent_decoded(uri.substr(comma + 1));
  std::erase_if(known, [](unsigned char c) { return c <= ' '; });
  tinygltf::DecodeDataURI(&decoded, media_type, known, 0, false);
  const auto bytes = std::as_bytes(std::span(decoded));
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

Result<std::vector<std::byte>> GltfLoader::read_beside(const std::string& uri, const std::string& place) const {
  const std::string name = percent_decoded(uri);
  const auto refuse = [&](const char* why) {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: the URI '{}' {}", place, uri.substr(0, 200), why));
  };
  if (const char* wrong = why_not_beside(path_.parent_path(), name, files_)) return refuse(wrong);
  if (beside_ != nullptr) beside_->push_back(path_.parent_path() / name);
  return within(place, read_file(path_.parent_path() / name, kMaxGltfBytes - bytes_read_));
}

Result<void> load_gltf_buffers(const json& document, const GltfContainer& container, const std::string& source,
                               GltfLoader& loader, std::vector<std::span<const std::byte>>& spans,
                               std::vector<std::vector<std::byte>>& storage) {
  const json& buffers = document.at("buffers");
  const std::vector<bool> placeholders = find_placeholders(document);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::string place = fmt::format("{}: /buffers/{}", source, i);
    std::span<const std::byte> bytes;
    if (const auto uri = buffers[i].find("uri"); uri != buffers[i].end()) {
      PELT_ASSIGN(auto loaded, loader.load(uri->get_ref<const std::string&>(), place));
      bytes = storage.emplace_back(std::move(loaded));
    } else if (i == 0 && container.binary) {
      bytes = *container.binary;
    } else if (placeholders[i]) {
      spans.push_back({});
      continue;
    } else {
      return fail(
          ErrorCode::kInvalidFile,
          fmt::format("{}: has no URI, and neither a binary chunk nor an extension that is read has its bytes", place));
    }
    const std::size_t length = buffers[i].at("byteLength").get<std::size_t>();
    if (bytes.size() < length) {
      return fail(ErrorCode::kInvalidFile,
                  fmt::format("{}: byteLength is {}, but there are {} bytes", place, length, bytes.size()));
    }
    spans.push_back(bytes.first(length));
  }
  return {};
}

}  // namespace pelt
