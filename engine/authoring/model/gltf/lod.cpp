// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/lod.h"

#include <fmt/format.h>

#include <cstdint>

namespace pelt {
namespace {

constexpr std::size_t kMaxLevels = 63;

}  // namespace

Result<std::vector<GltfLevel>> read_gltf_levels(const GltfDocument& document) {
  const std::vector<tinygltf::Node>& nodes = document.gltf.nodes;
  std::vector<GltfLevel> levels;
  std::vector<bool> named(nodes.size(), false);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto extension = nodes[n].extensions.find("MSFT_lod");
    if (extension == nodes[n].extensions.end()) continue;
    const std::string place = fmt::format("/nodes/{}/extensions/MSFT_lod/ids", n);
    const tinygltf::Value& ids = extension->second.Get("ids");
    if (ids.ArrayLen() > kMaxLevels) return fail_at(document, place, fmt::format("has {} levels", ids.ArrayLen()));
    for (int i = 0; i < static_cast<int>(ids.ArrayLen()); ++i) {
      const std::string here = fmt::format("{}/{}", place, i);
      const auto node = static_cast<std::size_t>(ids.Get(i).GetNumberAsInt());
      if (node == n || named[node]) return fail_at(document, here, fmt::format("names node {} once more", node));
      named[node] = true;
      levels.push_back({n, node, static_cast<std::uint32_t>(i + 1)});
    }
  }
  return levels;
}

}  // namespace pelt
