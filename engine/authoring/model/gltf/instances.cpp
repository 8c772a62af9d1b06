// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/instances.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <pelt/try.h>

#include "engine/authoring/base/name_list.h"
#include "engine/authoring/model/gltf/budget.h"

namespace pelt {
namespace {

constexpr const char* kInstancing = "EXT_mesh_gpu_instancing";

Result<std::vector<tinygltf::Node>> instances_of(const GltfDocument& document, std::size_t n, const std::string& name,
                                                 const std::string& place, const std::map<std::string, int>& attributes,
                                                 AccessorChecker& accessors, GltfBudget& budget) {
  const tinygltf::Node& node = document.gltf.nodes[n];
  if (attributes.empty()) return fail_at(document, place, "is empty");
  const std::size_t count = accessor_at(document, attributes.begin()->second).count;
  PELT_TRY(budget.take(count * (sizeof(tinygltf::Node) + 4 * name.size() + 8 * node.weights.size()), name));

  tinygltf::Node instance;
  instance.mesh = node.mesh;
  instance.weights = node.weights;
  std::vector<tinygltf::Node> instances(count, instance);
  for (std::size_t i = 0; i < count; ++i) instances[i].name = fmt::format("{}_{}", name, i);
  for (const auto& [attribute, index] : attributes) {
    const std::string here = place + "/" + attribute;
    const tinygltf::Accessor& accessor = accessor_at(document, index);
    if (accessor.count != count) {
      return fail_at(document, here,
                     fmt::format("{} elements, but '{}' has {}", accessor.count, attributes.begin()->first, count));
    }
    const bool rotates = attribute == "ROTATION";
    if (!rotates && attribute != "TRANSLATION" && attribute != "SCALE") continue;
    PELT_TRY(accessors.check_finite(index, here));
    const bool fractions = accessor.componentType == TINYGLTF_COMPONENT_TYPE_FLOAT || accessor.normalized;
    if (accessor.type != (rotates ? TINYGLTF_TYPE_VEC4 : TINYGLTF_TYPE_VEC3) || (rotates && !fractions)) {
      return fail_at(document, here, fmt::format("cannot be {}", describe(accessor)));
    }
    const std::vector<float> values = read_floats(document, index);
    const std::size_t width = rotates ? 4 : 3;
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<double> value(&values[width * i], &values[width * i] + width);
      if (rotates && !(std::hypot(std::hypot(value[0], value[1]), std::hypot(value[2], value[3])) > 1e-6)) {
        return fail_at(document, here, fmt::format("element {} has no length", i));
      }
      (rotates ? instances[i].rotation : attribute == "SCALE" ? instances[i].scale : instances[i].translation) = value;
    }
  }
  return instances;
}

}  // namespace

Result<void> expand_instances(GltfDocument& document, AccessorChecker& accessors) {
  std::vector<tinygltf::Node>& nodes = document.gltf.nodes;
  GltfBudget budget(document);
  std::set<std::string> unread;
  std::map<int, std::pair<int, int>> instances_by_node;  // first, and after the last
  const std::size_t in_file = nodes.size();
  for (std::size_t n = 0; n < in_file; ++n) {
    const auto extension = nodes[n].extensions.find(kInstancing);
    if (extension == nodes[n].extensions.end() || nodes[n].mesh < 0) continue;
    const int at = nodes[n].mesh;
    const std::string mesh = name_or(document.gltf.meshes[static_cast<std::size_t>(at)].name, "mesh", at);
    const std::string name = nodes[n].name.empty() ? mesh : nodes[n].name;
    const std::string place = fmt::format("/nodes/{}/extensions/{}", n, kInstancing);
    if (nodes[n].skin >= 0) {
      return fail_at(document, place,
                     fmt::format("node '{}' shows instances of mesh '{}' by a skin, which is not supported",
                                 name.substr(0, 100), mesh.substr(0, 100)),
                     ErrorCode::kUnsupported);
    }
    const tinygltf::Value& given = extension->second.Get("attributes");
    std::map<std::string, int> attributes;
    for (const std::string& key : given.Keys()) {
      attributes.emplace(key, given.Get(key).GetNumberAsInt());
      if (key != "TRANSLATION" && key != "ROTATION" && key != "SCALE") {
        unread.insert(key);
      }
    }
    PELT_ASSIGN(auto instances, instances_of(document, n, name, place + "/attributes", attributes, accessors, budget));
    const int first = static_cast<int>(nodes.size());
    nodes.insert(nodes.end(), instances.begin(), instances.end());
    for (int i = first; i < static_cast<int>(nodes.size()); ++i) nodes[n].children.push_back(i);
    nodes[n].mesh = -1;
    nodes[n].weights.clear();
    instances_by_node[static_cast<int>(n)] = {first, static_cast<int>(nodes.size())};
  }
  for (std::size_t a = 0; a < document.channels.size(); ++a) {
    std::vector<GltfChannel> channels;
    for (GltfChannel channel : document.channels[a]) {
      const auto found = instances_by_node.find(channel.node);
      if (found == instances_by_node.end() || channel.property != GltfProperty::kWeights) {
        channels.push_back(channel);
        continue;
      }
      const auto [first, end] = found->second;
      PELT_TRY(budget.take(sizeof channel * static_cast<std::size_t>(end - first), document.gltf.animations[a].name));
      for (channel.node = first; channel.node < end; ++channel.node) channels.push_back(channel);
    }
    document.channels[a] = std::move(channels);
  }
  if (!unread.empty()) {
    NameList names;
    for (const std::string& attribute : unread) names.add(attribute);
    document.unread.push_back(fmt::format("attributes of instances that are not read: {}", names.text()));
  }
  return {};
}

}  // namespace pelt
