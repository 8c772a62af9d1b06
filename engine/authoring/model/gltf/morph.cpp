// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/morph.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include <pelt/try.h>

#include "engine/authoring/model/gltf/accessor.h"
#include "engine/authoring/model/gltf/check.h"
#include "engine/authoring/model/gltf/directions.h"
#include "engine/authoring/model/unique_names.h"

namespace pelt {

Result<void> name_targets(const tinygltf::Mesh& source, const tinygltf::Node& node, GltfBudget& budget, Mesh& mesh) {
  const std::vector<double>& weights = node.weights.empty() ? source.weights : node.weights;
  static const tinygltf::Value kNone;
  const tinygltf::Value& given = source.extras.Has("targetNames") ? source.extras.Get("targetNames") : kNone;
  UniqueNames names;
  const std::size_t targets = target_count(source);
  for (std::size_t t = 0; t < targets; ++t) {
    MorphTarget target;
    if (t < given.ArrayLen()) target.name = given.Get(static_cast<int>(t)).Get<std::string>();
    if (target.name.empty()) target.name = fmt::format("target_{}", t);
    PELT_TRY(budget.take(sizeof(MorphTarget) + 4 * target.name.size(), mesh.name));
    target.name = names.claim(target.name);
    if (!weights.empty()) target.weight = static_cast<float>(weights[t]);
    mesh.morph_targets.push_back(std::move(target));
  }
  return {};
}

namespace {

int find_accessor(const std::map<std::string, int>& target, const char* attribute) {
  const auto found = target.find(attribute);
  return found == target.end() ? -1 : found->second;
}

// Appends the offsets of `count` vertices, or zeros if there is no accessor.
void append_values(const GltfDocument& document, int accessor, std::size_t count, std::vector<glm::vec3>& offsets,
                   std::size_t& invalid) {
  if (accessor < 0) {
    offsets.resize(offsets.size() + count, glm::vec3(0.0f));
    return;
  }
  const std::vector<float> values = read_finite(document, accessor, invalid);
  offsets.reserve(offsets.size() + count);
  for (std::size_t v = 0; v < count; ++v) offsets.emplace_back(values[3 * v], values[3 * v + 1], values[3 * v + 2]);
}

}  // namespace

Result<void> append_offsets(const GltfDocument& document, const tinygltf::Primitive& primitive, std::size_t count,
                            GltfBudget& budget, Mesh& mesh, InvalidCounts& invalid) {
  static const std::map<std::string, int> kNone;
  for (std::size_t t = 0; t < mesh.morph_targets.size(); ++t) {
    PELT_TRY(budget.take(count * sizeof(glm::vec3), mesh.name));
    MorphTarget& target = mesh.morph_targets[t];
    const std::map<std::string, int>& source = t < primitive.targets.size() ? primitive.targets[t] : kNone;
    const std::size_t before = target.offsets.size();
    append_values(document, find_accessor(source, "POSITION"), count, target.offsets, invalid["POSITION"]);
    for (const auto& [attribute, offsets] :
         {std::pair("NORMAL", &target.normals), std::pair("TANGENT", &target.tangents)}) {
      const int at = gives_direction(primitive, attribute) ? find_accessor(source, attribute) : -1;
      if (offsets->empty() && at < 0) continue;
      PELT_TRY(budget.take((before + count - offsets->size()) * sizeof(glm::vec3), mesh.name));
      offsets->resize(before, glm::vec3(0.0f));  // an earlier primitive may have none
      append_values(document, at, count, *offsets, invalid[fmt::format("{} of morph targets", attribute)]);
    }
  }
  return {};
}

}  // namespace pelt
