// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include <pelt/try.h>

#include "engine/authoring/model/gltf/accessor.h"
#include "engine/authoring/model/gltf/directions.h"

namespace pelt {
namespace {

const tinygltf::Accessor& accessor_at(const GltfDocument& document, int index) {
  return document.gltf.accessors[static_cast<std::size_t>(index)];
}

constexpr std::string_view kQuantization = "KHR_mesh_quantization";

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Splits "JOINTS_12" into ("JOINTS", 12); none if there is no number.
std::optional<std::pair<std::string_view, std::size_t>> split_set(std::string_view name) {
  const std::size_t underscore = name.rfind('_');
  if (underscore == std::string_view::npos) return std::nullopt;
  const std::string_view digits = name.substr(underscore + 1);
  if (digits.empty() || digits.size() > 6 || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
  std::size_t set = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    set = 10 * set + static_cast<std::size_t>(c - '0');
  }
  return std::pair(name.substr(0, underscore), set);
}

bool is_legal_name(std::string_view name) {
  if (name == "POSITION" || name == "NORMAL" || name == "TANGENT") return true;
  if (name.size() > 1 && name[0] == '_') return true;
  const auto split = split_set(name);
  return split && (split->first == "TEXCOORD" || split->first == "COLOR" || split->first == "JOINTS" ||
                   split->first == "WEIGHTS");
}

// Returns true if an attribute that the importer reads has one of the formats of glTF 2.0, section 3.7.2.1, or one of
// the further formats of KHR_mesh_quantization. Other attributes are not read and may have any format.
bool has_legal_format(std::string_view name, const tinygltf::Accessor& accessor, bool quantized) {
  const int component = accessor.componentType;
  const bool is_float = component == TINYGLTF_COMPONENT_TYPE_FLOAT;
  const bool is_small_unsigned =
      component == TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE || component == TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT;
  const bool is_small_signed = component == TINYGLTF_COMPONENT_TYPE_BYTE || component == TINYGLTF_COMPONENT_TYPE_SHORT;
  const auto split = split_set(name);
  const std::string_view semantic = split ? split->first : name;
  if (semantic == "POSITION") {
    return accessor.type == TINYGLTF_TYPE_VEC3 && (is_float || (quantized && (is_small_unsigned || is_small_signed)));
  }
  if (semantic == "NORMAL" || semantic == "TANGENT") {
    return accessor.type == (semantic == "NORMAL" ? TINYGLTF_TYPE_VEC3 : TINYGLTF_TYPE_VEC4) &&
           (is_float || (quantized && is_small_signed && accessor.normalized));
  }
  if (semantic == "JOINTS") return accessor.type == TINYGLTF_TYPE_VEC4 && is_small_unsigned && !accessor.normalized;
  if (semantic == "WEIGHTS") {
    return accessor.type == TINYGLTF_TYPE_VEC4 && (is_float || (is_small_unsigned && accessor.normalized));
  }
  if (name == "TEXCOORD_0") {
    return accessor.type == TINYGLTF_TYPE_VEC2 && (is_float || (is_small_unsigned && accessor.normalized) ||
                                                   (quantized && (is_small_unsigned || is_small_signed)));
  }
  if (name == "COLOR_0") {
    return (accessor.type == TINYGLTF_TYPE_VEC3 || accessor.type == TINYGLTF_TYPE_VEC4) &&
           (is_float || (is_small_unsigned && accessor.normalized));
  }
  return true;
}

// Section 3.7.2.2: offsets are floats; with KHR_mesh_quantization those of positions may also be signed integers, and
// those of normals and tangents normalised ones.
bool has_legal_offsets(const std::string& name, const tinygltf::Accessor& accessor, bool quantized) {
  const int component = accessor.componentType;
  const bool is_small_signed = component == TINYGLTF_COMPONENT_TYPE_BYTE || component == TINYGLTF_COMPONENT_TYPE_SHORT;
  return accessor.type == TINYGLTF_TYPE_VEC3 &&
         (component == TINYGLTF_COMPONENT_TYPE_FLOAT ||
          (quantized && is_small_signed && (name == "POSITION" || accessor.normalized)));
}

// Returns true if the importer reads a target's offsets of an attribute.
bool is_read_offset(const tinygltf::Primitive& primitive, const std::string& name) {
  return name == "POSITION" || ((name == "NORMAL" || name == "TANGENT") && gives_direction(primitive, name));
}

// Checks the rest weights of a mesh or a node; none: all are 0.
Result<void> check_morph_weights(const GltfDocument& document, const std::vector<double>& weights, std::size_t targets,
                                 const std::string& place) {
  if (weights.empty() || weights.size() == targets) return {};
  return fail_at(document, place + "/weights", fmt::format("{} for {} morph targets", weights.size(), targets));
}

std::size_t target_count(const tinygltf::Mesh& mesh) { return mesh.primitives.front().targets.size(); }

std::size_t target_count(const GltfDocument& document, const tinygltf::Node& node) {
  return node.mesh < 0 ? 0 : target_count(document.gltf.meshes[static_cast<std::size_t>(node.mesh)]);
}

class MeshChecker {
 public:
  explicit MeshChecker(const GltfDocument& document)
      : document_(document),
        quantized_(contains(document.gltf.extensionsUsed, kQuantization)),
        largest_index_(document.gltf.accessors.size()) {}

  Result<void> check(const tinygltf::Mesh& mesh, const std::string& place) {
    const std::size_t targets = target_count(mesh);
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      const std::string here = fmt::format("{}/primitives/{}", place, p);
      PELT_TRY(check_primitive(mesh.primitives[p], here));
      if (mesh.primitives[p].targets.size() != targets) {
        return fail_at(document_, here + "/targets",
                       fmt::format("{}, but primitive 0 has {}", mesh.primitives[p].targets.size(), targets));
      }
    }
    return check_morph_weights(document_, mesh.weights, targets, place);
  }

 private:
  Result<void> check_primitive(const tinygltf::Primitive& primitive, const std::string& place) {
    if (primitive.attributes.empty()) return fail_at(document_, place + "/attributes", "is empty");
    const std::size_t vertices = accessor_at(document_, primitive.attributes.begin()->second).count;
    for (const auto& [name, index] : primitive.attributes) {
      const std::string here = place + "/attributes/" + name;
      const tinygltf::Accessor& accessor = accessor_at(document_, index);
      if (!is_legal_name(name)) return fail_at(document_, here, "unknown attribute");
      if (accessor.count != vertices) {
        return fail_at(
            document_, here,
            fmt::format("{} elements, but '{}' has {}", accessor.count, primitive.attributes.begin()->first, vertices));
      }
      if (!has_legal_format(name, accessor, quantized_)) {
        return fail_at(document_, here, fmt::format("cannot be {}", describe(accessor)));
      }
    }
    PELT_TRY(check_weight_sets(primitive, place));
    for (std::size_t t = 0; t < primitive.targets.size(); ++t) {
      for (const auto& [name, index] : primitive.targets[t]) {
        const std::string here = fmt::format("{}/targets/{}/{}", place, t, name);
        const tinygltf::Accessor& accessor = accessor_at(document_, index);
        if (accessor.count != vertices) {
          return fail_at(document_, here, fmt::format("{} elements for {} vertices", accessor.count, vertices));
        }
        if (is_read_offset(primitive, name) && !has_legal_offsets(name, accessor, quantized_)) {
          return fail_at(document_, here, fmt::format("cannot be {}", describe(accessor)));
        }
      }
    }
    return primitive.indices < 0 ? Result<void>{} : check_indices(primitive.indices, vertices, place + "/indices");
  }

  // JOINTS_n and WEIGHTS_n come in pairs, numbered from 0 without a gap.
  Result<void> check_weight_sets(const tinygltf::Primitive& primitive, const std::string& place) const {
    const std::size_t sets = weight_sets(primitive);
    for (const auto& [name, index] : primitive.attributes) {
      const auto split = split_set(name);
      if (!split || (split->first != "JOINTS" && split->first != "WEIGHTS") || split->second < sets) continue;
      return fail_at(document_, place + "/attributes/" + name,
                     fmt::format("has no counterpart, or the set before it is missing"));
    }
    return {};
  }

  Result<void> check_indices(int index, std::size_t vertices, const std::string& place) {
    const tinygltf::Accessor& accessor = accessor_at(document_, index);
    const int component = accessor.componentType;
    if (accessor.type != TINYGLTF_TYPE_SCALAR || accessor.normalized ||
        (component != TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE && component != TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT &&
         component != TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT)) {
      return fail_at(document_, place, fmt::format("cannot be {}", describe(accessor)));
    }
    // Finds the largest index only once per accessor: any number of primitives may share one.
    std::optional<std::uint32_t>& largest = largest_index_[static_cast<std::size_t>(index)];
    if (!largest) {
      const std::vector<std::uint32_t> indices = read_integers(document_, index);
      largest = *std::max_element(indices.begin(), indices.end());
    }
    if (*largest >= vertices) {
      return fail_at(document_, place, fmt::format("names vertex {}, but there are only {}", *largest, vertices));
    }
    return {};
  }

  const GltfDocument& document_;
  bool quantized_;
  std::vector<std::optional<std::uint32_t>> largest_index_;  // for each accessor; empty until needed
};

class AnimationChecker {
 public:
  explicit AnimationChecker(const GltfDocument& document)
      : document_(document), times_checked_(document.gltf.accessors.size(), false) {}

  Result<void> check(const tinygltf::Animation& animation, const std::vector<GltfChannel>& channels,
                     const std::string& place) {
    for (std::size_t i = 0; i < animation.samplers.size(); ++i) {
      PELT_TRY(check_times(animation.samplers[i].input, fmt::format("{}/samplers/{}/input", place, i)));
    }
    std::map<Moved, std::size_t> channel_of;
    for (const GltfChannel& channel : channels) {
      const std::string here = fmt::format("{}/channels/{}", place, channel.index);
      if (static_cast<std::size_t>(channel.sampler) >= animation.samplers.size()) {
        return fail_at(document_, here + "/sampler",
                       fmt::format("sampler {}, but there are only {}", channel.sampler, animation.samplers.size()));
      }
      const auto& sampler = animation.samplers[static_cast<std::size_t>(channel.sampler)];
      PELT_TRY(check_output(sampler, channel, here));
      PELT_TRY(check_is_only_one(channel, channel_of, here));
    }
    return {};
  }

 private:
  Result<void> check_times(int index, const std::string& place) {
    const tinygltf::Accessor& accessor = accessor_at(document_, index);
    if (accessor.type != TINYGLTF_TYPE_SCALAR || accessor.componentType != TINYGLTF_COMPONENT_TYPE_FLOAT) {
      return fail_at(document_, place, fmt::format("times cannot be {}", describe(accessor)));
    }
    if (times_checked_[static_cast<std::size_t>(index)]) return {};
    const std::vector<float> times = read_floats(document_, index);
    if (times.front() < 0) return fail_at(document_, place, fmt::format("key 0 is at {} s, before 0", times.front()));
    for (std::size_t k = 1; k < times.size(); ++k) {
      if (!(times[k] > times[k - 1])) {
        return fail_at(document_, place,
                       fmt::format("key {} at {} s does not follow key {} at {} s", k, times[k], k - 1, times[k - 1]));
      }
    }
    times_checked_[static_cast<std::size_t>(index)] = true;
    return {};
  }

  // The formats of glTF 2.0, section 3.11; KHR_animation_pointer allows more.
  static bool has_legal_output(const GltfChannel& channel, const tinygltf::Accessor& output) {
    const bool is_float = output.componentType == TINYGLTF_COMPONENT_TYPE_FLOAT;
    const bool is_normalized = output.normalized && output.componentType != TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT;
    switch (channel.property) {
      case GltfProperty::kTranslation:
      case GltfProperty::kScale:
        return output.type == TINYGLTF_TYPE_VEC3 && (is_float || channel.by_pointer);
      case GltfProperty::kRotation:
        return output.type == TINYGLTF_TYPE_VEC4 && (is_float || is_normalized || channel.by_pointer);
      case GltfProperty::kWeights:
        return output.type == TINYGLTF_TYPE_SCALAR && (is_float || is_normalized || channel.by_pointer);
    }
    return false;
  }

  Result<void> check_output(const tinygltf::AnimationSampler& sampler, const GltfChannel& channel,
                            const std::string& place) const {
    const tinygltf::Accessor& output = accessor_at(document_, sampler.output);
    if (!has_legal_output(channel, output)) {
      return fail_at(document_, place, fmt::format("{} cannot be {}", path_of(channel.property), describe(output)));
    }
    const std::size_t keys = accessor_at(document_, sampler.input).count;
    std::size_t wanted = sampler.interpolation == "CUBICSPLINE" ? 3 * keys : keys;
    if (channel.property == GltfProperty::kWeights) {
      PELT_ASSIGN(const std::size_t weights, count_weights(channel, place));
      wanted *= weights;
    }
    if (output.count == wanted) return {};
    return fail_at(document_, place, fmt::format("{} keys need {} values, not {}", keys, wanted, output.count));
  }

  // Returns the weights of a key.
  Result<std::size_t> count_weights(const GltfChannel& channel, const std::string& place) const {
    const auto& gltf = document_.gltf;
    const std::size_t targets = channel.node >= 0
                                    ? target_count(document_, gltf.nodes[static_cast<std::size_t>(channel.node)])
                                    : target_count(gltf.meshes[static_cast<std::size_t>(channel.mesh)]);
    const std::string name =
        channel.node >= 0 ? fmt::format("node {}", channel.node) : fmt::format("mesh {}", channel.mesh);
    const std::string here = place + (channel.by_pointer ? "/target" : "/target/node");
    if (targets == 0) return fail_at(document_, here, fmt::format("{} has no morph targets", name));
    if (channel.target < 0) return targets;
    if (static_cast<std::size_t>(channel.target) < targets) return 1;
    return fail_at(document_, here, fmt::format("weight {} of {}, which only has {}", channel.target, name, targets));
  }

  // The target of a channel: mesh, node, property, morph target; all weights of a node precede each of them.
  using Moved = std::tuple<int, int, GltfProperty, int>;

  // No two channels of an animation may have the same target.
  Result<void> check_is_only_one(const GltfChannel& channel, std::map<Moved, std::size_t>& channel_of,
                                 const std::string& place) const {
    const auto moved = [&](int target) { return Moved{channel.mesh, channel.node, channel.property, target}; };
    auto other = channel_of.find(moved(-1));
    if (other == channel_of.end()) other = channel_of.lower_bound(moved(channel.target));
    const int last = channel.target < 0 ? std::numeric_limits<int>::max() : channel.target;
    if (other != channel_of.end() && other->first <= moved(last)) {
      return fail_at(document_, place + "/target", fmt::format("has the target of channel {}", other->second));
    }
    channel_of.emplace(moved(channel.target), channel.index);
    return {};
  }

  const GltfDocument& document_;
  std::vector<bool> times_checked_;  // for each accessor; any number of samplers may share one
};

}  // namespace

Result<NodeTree> check_nodes(const GltfDocument& document) {
  const std::vector<tinygltf::Node>& nodes = document.gltf.nodes;
  NodeTree tree;
  tree.parents.assign(nodes.size(), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const int child : nodes[i].children) {
      int& parent = tree.parents[static_cast<std::size_t>(child)];
      if (parent >= 0) {
        return fail_at(document, fmt::format("/nodes/{}/children", i),
                       fmt::format("node {} already is a child of node {}", child, parent));
      }
      parent = static_cast<int>(i);
    }
  }
  std::vector<int> pending;
  for (std::size_t root = nodes.size(); root-- > 0;) {
    if (tree.parents[root] < 0) pending.push_back(static_cast<int>(root));
  }
  while (!pending.empty()) {
    const int node = pending.back();
    pending.pop_back();
    tree.order.push_back(node);
    const std::vector<int>& children = nodes[static_cast<std::size_t>(node)].children;
    pending.insert(pending.end(), children.rbegin(), children.rend());
  }
  if (tree.order.size() < nodes.size()) {
    // Every node has at most one parent, so any node that no root reaches is in a cycle or below one.
    std::vector<bool> reached(nodes.size(), false);
    for (const int node : tree.order) reached[static_cast<std::size_t>(node)] = true;
    const auto lost = std::find(reached.begin(), reached.end(), false) - reached.begin();
    return fail_at(document, fmt::format("/nodes/{}", lost), "is part of a cycle, or a descendant of one");
  }
  return tree;
}

std::size_t weight_sets(const tinygltf::Primitive& primitive) {
  std::size_t sets = 0;
  while (primitive.attributes.contains(fmt::format("JOINTS_{}", sets)) &&
         primitive.attributes.contains(fmt::format("WEIGHTS_{}", sets))) {
    ++sets;
  }
  return sets;
}

int attribute(const tinygltf::Primitive& primitive, const std::string& name) {
  const auto found = primitive.attributes.find(name);
  return found == primitive.attributes.end() ? -1 : found->second;
}

Result<void> check_meshes(const GltfDocument& document) {
  MeshChecker checker(document);
  for (std::size_t m = 0; m < document.gltf.meshes.size(); ++m) {
    PELT_TRY(checker.check(document.gltf.meshes[m], fmt::format("/meshes/{}", m)));
  }
  for (std::size_t i = 0; i < document.gltf.nodes.size(); ++i) {
    const tinygltf::Node& node = document.gltf.nodes[i];
    PELT_TRY(check_morph_weights(document, node.weights, target_count(document, node), fmt::format("/nodes/{}", i)));
  }
  return {};
}

Result<void> check_skins(const GltfDocument& document) {
  for (std::size_t s = 0; s < document.gltf.skins.size(); ++s) {
    const tinygltf::Skin& skin = document.gltf.skins[s];
    const std::string place = fmt::format("/skins/{}", s);
    std::unordered_set<int> seen;
    for (const int joint : skin.joints) {
      if (!seen.insert(joint).second) {
        return fail_at(document, place + "/joints", fmt::format("names node {} twice", joint));
      }
    }
    if (skin.inverseBindMatrices < 0) continue;
    const std::string here = place + "/inverseBindMatrices";
    const tinygltf::Accessor& accessor = accessor_at(document, skin.inverseBindMatrices);
    if (accessor.type != TINYGLTF_TYPE_MAT4 || accessor.componentType != TINYGLTF_COMPONENT_TYPE_FLOAT) {
      return fail_at(document, here, fmt::format("cannot be {}", describe(accessor)));
    }
    if (accessor.count < skin.joints.size()) {
      return fail_at(document, here, fmt::format("{} matrices for {} joints", accessor.count, skin.joints.size()));
    }
  }
  return {};
}

Result<void> check_animations(const GltfDocument& document) {
  AnimationChecker checker(document);
  for (std::size_t a = 0; a < document.gltf.animations.size(); ++a) {
    PELT_TRY(checker.check(document.gltf.animations[a], document.channels[a], fmt::format("/animations/{}", a)));
  }
  return {};
}

}  // namespace pelt
