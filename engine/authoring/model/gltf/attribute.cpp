// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/attribute.h"

#include <string_view>
#include <vector>

#include <pelt/try.h>

#include "engine/authoring/model/gltf/accessor.h"

namespace pelt {

Result<void> GltfAttributeReader::append(const tinygltf::Primitive& primitive, std::size_t count) {
  PELT_TRY(budget_.take(mesh_.attributes.size() * count * sizeof(float), mesh_.name));
  for (const auto& [name, index] : primitive.attributes) {
    const bool is_color = name == "COLOR_0";
    if (!is_color && name[0] != '_') continue;
    const tinygltf::Accessor& accessor = document_.gltf.accessors[static_cast<std::size_t>(index)];
    if (is_matrix(accessor)) {
      ++matrices_;
      continue;
    }
    const std::size_t width = components_of(accessor);
    const std::vector<float> values = read_floats(document_, index);
    for (std::size_t c = 0; c < width; ++c) {
      constexpr std::string_view kAxes = "xyzw";
      constexpr std::string_view kColors = "rgba";
      PELT_ASSIGN(const auto at, find_or_add(width == 1 ? name : name + '.' + (is_color ? kColors : kAxes)[c]));
      std::vector<float>& to = mesh_.attributes[at].values;
      to.resize(mesh_.positions.size(), 0.0f);
      float* last = to.data() + to.size() - count;
      for (std::size_t v = 0; v < count; ++v) last[v] = values[width * v + c];
    }
  }
  return {};
}

void GltfAttributeReader::complete() {
  for (VertexAttribute& attribute : mesh_.attributes) attribute.values.resize(mesh_.positions.size(), 0.0f);
}

Result<std::size_t> GltfAttributeReader::find_or_add(const std::string& name) {
  const auto [found, is_new] = index_of_.try_emplace(name, mesh_.attributes.size());
  if (is_new) {
    const std::size_t bytes = mesh_.positions.size() * sizeof(float) + sizeof(VertexAttribute) + 4 * name.size();
    PELT_TRY(budget_.take(bytes, mesh_.name));
    mesh_.attributes.push_back({.name = name, .values = {}});
  }
  return found->second;
}

}  // namespace pelt
