// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include <pelt/try.h>

namespace pelt {
namespace {

using nlohmann::json;
using namespace std::string_view_literals;

constexpr std::array kPaths{"translation"sv, "rotation"sv, "scale"sv, "weights"sv};

std::optional<GltfProperty> property_of(std::string_view path) {
  const auto found = std::ranges::find(kPaths, path);
  if (found == kPaths.end()) return std::nullopt;
  return static_cast<GltfProperty>(std::distance(kPaths.begin(), found));
}

// "/nodes/3/weights/1": the texts between the slashes. None of these names has a character that a pointer must escape.
struct PointerParts {
  std::string_view array, index;
  GltfProperty property;
  std::optional<std::string_view> target;
};

// Returns none for pointers to anything that is not read.
std::optional<PointerParts> split(std::string_view pointer) {
  std::array<std::string_view, 4> parts;
  std::size_t count = 0;
  while (pointer.starts_with('/')) {
    if (count == parts.size()) return std::nullopt;
    pointer.remove_prefix(1);
    parts[count] = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(parts[count++].size());
  }
  const std::optional<GltfProperty> property = property_of(parts[2]);
  const bool of_weights = property == GltfProperty::kWeights;
  if (!property || count > (of_weights ? 4u : 3u)) return std::nullopt;
  if (parts[0] != "nodes" && !(of_weights && parts[0] == "meshes")) return std::nullopt;
  return PointerParts{parts[0], parts[1], *property, count == 4 ? std::optional(parts[3]) : std::nullopt};
}

// RFC 6901: empty, or begins with a slash; a tilde precedes 0 or 1.
bool is_json_pointer(std::string_view text) {
  if (!text.empty() && text[0] != '/') return false;
  for (std::size_t at = text.find('~'); at != std::string_view::npos; at = text.find('~', at + 1)) {
    if (at + 1 == text.size() || (text[at + 1] != '0' && text[at + 1] != '1')) return false;
  }
  return true;
}

// Returns an index in the form of JSON pointers, without leading zeros; none if the text is not one.
std::optional<std::uint64_t> index_in(std::string_view text) {
  if (text.starts_with('0') && text.size() > 1) return std::nullopt;
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::uint64_t index = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), index);
  return end.ec == std::errc{} ? index : UINT64_MAX;
}

class ChannelReader {
 public:
  ChannelReader(const json& document, std::string place) : document_(document), place_(std::move(place)) {}

  // Returns none for a channel that animates anything that is not read.
  Result<std::optional<GltfChannel>> read(const json& target) const {
    const std::string& path = target.at("path").get_ref<const std::string&>();
    const bool has_node = target.contains("node");
    if (path == "pointer" && target.contains("extensions") && !target["extensions"].empty()) {
      if (has_node) return refuse("/node", "must not be set with a pointer");
      return read_pointer(target["extensions"]["KHR_animation_pointer"]["pointer"].get_ref<const std::string&>());
    }
    if (!has_node) return std::nullopt;  // an extension may specify what it moves
    const std::optional<GltfProperty> property = property_of(path);
    if (!property) return refuse("/path", fmt::format("cannot animate '{}'", path.substr(0, 60)));
    return GltfChannel{.property = *property, .node = target["node"].get<int>()};
  }

 private:
  Result<std::optional<GltfChannel>> read_pointer(std::string_view pointer) const {
    constexpr const char* kPlace = "/extensions/KHR_animation_pointer/pointer";
    const auto refuse_pointer = [&](const std::string& why) {
      return refuse(kPlace, fmt::format("'{}' {}", pointer.substr(0, 60), why));
    };
    if (!is_json_pointer(pointer)) return refuse_pointer("is not a JSON pointer");
    const std::optional<PointerParts> parts = split(pointer);
    if (!parts) return std::nullopt;
    const std::optional<std::uint64_t> index = index_in(parts->index);
    const std::optional<std::uint64_t> target = index_in(parts->target.value_or("0"));
    if (!index || !target) return refuse_pointer("lacks an index");
    const auto array = document_.find(parts->array);
    const std::size_t count = array == document_.end() ? 0 : array->size();
    if (*index >= count) return refuse_pointer(fmt::format("names none of the {} {}", count, parts->array));

    GltfChannel channel{.property = parts->property, .by_pointer = true};
    (parts->array == "nodes" ? channel.node : channel.mesh) = static_cast<int>(*index);
    if (parts->target) channel.target = static_cast<int>(std::min<std::uint64_t>(*target, INT32_MAX));
    return channel;
  }

  tl::unexpected<Error> refuse(const char* member, const std::string& why) const {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}/target{}: {}", place_, member, why));
  }

  const json& document_;
  std::string place_;
};

}  // namespace

Result<std::vector<std::vector<GltfChannel>>> take_channels(json& document, const std::string& source) {
  std::vector<std::vector<GltfChannel>> result;
  if (!document.contains("animations")) return result;
  json& animations = document["animations"];
  for (std::size_t a = 0; a < animations.size(); ++a) {
    std::vector<GltfChannel>& channels = result.emplace_back();
    const json& given = animations[a]["channels"];
    for (std::size_t c = 0; c < given.size(); ++c) {
      const ChannelReader reader(document, fmt::format("{}: /animations/{}/channels/{}", source, a, c));
      PELT_ASSIGN(auto channel, reader.read(given[c]["target"]));
      if (!channel) continue;
      channel->index = c;
      channel->sampler = given[c]["sampler"].get<int>();
      channels.push_back(*channel);
    }
    animations[a].erase("channels");
  }
  return result;
}

bool is_read_pointer(std::string_view pointer) { return split(pointer).has_value(); }

std::string_view path_of(GltfProperty property) { return kPaths[static_cast<std::size_t>(property)]; }

}  // namespace pelt
