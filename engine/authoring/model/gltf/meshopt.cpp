// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/meshopt.h"

#include <fmt/format.h>
#include <meshoptimizer.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include <pelt/try.h>

#include "engine/authoring/model/gltf/loader.h"

namespace pelt {
namespace {

using nlohmann::json;

constexpr const char* kName = "EXT_meshopt_compression";

const json* find_extension(const json& object) {
  const auto extensions = object.find("extensions");
  if (extensions == object.end()) return nullptr;
  const auto found = extensions->find(kName);
  return found == extensions->end() ? nullptr : &*found;
}

// The extension of a view.
struct CompressedView {
  std::span<const std::byte> bytes;
  std::size_t count;   // elements
  std::size_t stride;  // bytes per element
  std::string mode;
  std::string filter;
};

// Returns the reason why no view can have these sizes, or "".
std::string check_sizes(const CompressedView& view) {
  const bool indices = view.mode != "ATTRIBUTES";
  if (indices && view.stride != 2 && view.stride != 4) return "byteStride: must be 2 or 4 for indices";
  if (!indices && view.stride % 4 != 0) return "byteStride: must be a multiple of 4";
  if (view.mode == "TRIANGLES" && view.count % 3 != 0) return "count: must be a multiple of 3";
  if (indices && view.filter != "NONE") return "filter: must be NONE except for ATTRIBUTES";
  if (view.filter == "OCTAHEDRAL" && view.stride != 4 && view.stride != 8) return "byteStride: must be 4 or 8";
  if (view.filter == "QUATERNION" && view.stride != 8) return "byteStride: must be 8";
  // No mode expands a byte further, so a small file cannot request much memory.
  constexpr std::size_t kMaxRatio = 256;
  return view.count * view.stride / kMaxRatio > view.bytes.size() ? "count: is more than the bytes can contain" : "";
}

// Returns false if the bytes are not data of the mode. The decoder is safe for any bytes.
bool decode(const CompressedView& view, std::byte* to) {
  const auto* from = reinterpret_cast<const unsigned char*>(view.bytes.data());
  if (view.mode == "TRIANGLES") {
    return meshopt_decodeIndexBuffer(to, view.count, view.stride, from, view.bytes.size()) == 0;
  }
  if (view.mode == "INDICES") {
    return meshopt_decodeIndexSequence(to, view.count, view.stride, from, view.bytes.size()) == 0;
  }
  if (meshopt_decodeVertexBuffer(to, view.count, view.stride, from, view.bytes.size()) != 0) return false;
  if (view.filter == "OCTAHEDRAL") meshopt_decodeFilterOct(to, view.count, view.stride);
  if (view.filter == "QUATERNION") meshopt_decodeFilterQuat(to, view.count, view.stride);
  if (view.filter == "EXPONENTIAL") meshopt_decodeFilterExp(to, view.count, view.stride);
  return true;
}

}  // namespace

std::vector<bool> find_placeholders(const json& document) {
  std::vector<bool> found;
  std::vector<bool> marked;
  for (const json& buffer : document.at("buffers")) {
    const json* extension = find_extension(buffer);
    found.push_back(!buffer.contains("uri"));
    marked.push_back(extension != nullptr && extension->value("fallback", false));
  }
  if (!document.contains("bufferViews")) return found;
  for (const json& view : document.at("bufferViews")) {
    const auto buffer = view.at("buffer").get<std::size_t>();
    if (find_extension(view) == nullptr && !marked[buffer]) found[buffer] = false;
  }
  return found;
}

Result<void> decompress_views(json& document, const std::string& source,
                              std::vector<std::span<const std::byte>>& buffers,
                              std::vector<std::vector<std::byte>>& storage) {
  if (!document.contains("bufferViews")) return {};
  std::uint64_t taken = 0;
  json& views = document.at("bufferViews");
  for (std::size_t i = 0; i < views.size(); ++i) {
    const json* extension = find_extension(views[i]);
    if (extension == nullptr) continue;
    const std::string place = fmt::format("{}: /bufferViews/{}/extensions/{}", source, i, kName);
    const auto number = [&](const char* key) { return extension->value(key, std::uint64_t{0}); };
    const std::span<const std::byte> buffer = buffers[number("buffer")];
    if (number("byteOffset") + number("byteLength") > buffer.size()) {
      return fail(ErrorCode::kInvalidFile,
                  fmt::format("{}: ends at byte {} of buffer {}, which has {}", place,
                              number("byteOffset") + number("byteLength"), number("buffer"), buffer.size()));
    }
    const CompressedView view{buffer.subspan(number("byteOffset"), number("byteLength")),
                              static_cast<std::size_t>(number("count")), static_cast<std::size_t>(number("byteStride")),
                              extension->at("mode").get<std::string>(),
                              extension->value("filter", std::string("NONE"))};
    if (const std::string why = check_sizes(view); !why.empty()) {
      return fail(ErrorCode::kInvalidFile, fmt::format("{}/{}", place, why));
    }
    if (views[i].at("byteLength") != view.count * view.stride) {
      return fail(ErrorCode::kInvalidFile, fmt::format("{}: decompresses to {} bytes, but the view has {}", place,
                                                       view.count * view.stride, views[i].at("byteLength").dump()));
    }
    taken += view.count * view.stride;
    if (taken > kMaxGltfBytes) {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("{}: more than {} MiB in total when decompressed", place, kMaxGltfBytes >> 20));
    }
    std::vector<std::byte> bytes(view.count * view.stride);
    if (!decode(view, bytes.data())) {
      return fail(ErrorCode::kInvalidFile, fmt::format("{}: the bytes are not data of mode {}", place, view.mode));
    }
    views[i]["buffer"] = buffers.size();
    views[i].erase("byteOffset");
    views[i].erase("extensions");
    buffers.emplace_back(storage.emplace_back(std::move(bytes)));
  }
  return {};
}

}  // namespace pelt
