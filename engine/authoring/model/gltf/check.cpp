// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include <pelt/try.h>

#include "engine/authoring/model/gltf/directions.h"
#include "engine/authoring/model/gltf/schema.h"

namespace pelt {
namespace {

constexpr std::string_view kQuantization = "KHR_mesh_quantization";

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
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

bool is_small_unsigned(int component) {
  return component == TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE || component == TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT;
}

bool is_of_weights(std::string_view name) {
  const auto split = split_set(name);
  return split && (split->first == "JOINTS" || split->first == "WEIGHTS");
}

// Returns true if an attribute has one of the formats of glTF 2.0, section 3.7.2.1, or one of the further formats of
// KHR_mesh_quantization. Colours and attributes with an underscore are checked by is_read.
bool has_legal_format(std::string_view name, const tinygltf::Accessor& accessor, bool quantized) {
  const int component = accessor.componentType;
  const bool is_float = component == TINYGLTF_COMPONENT_TYPE_FLOAT;
  const bool is_unsigned = is_small_unsigned(component);
  const bool is_small_signed = component == TINYGLTF_COMPONENT_TYPE_BYTE || component == TINYGLTF_COMPONENT_TYPE_SHORT;
  const auto split = split_set(name);
  const std::string_view semantic = split ? split->first : name;
  if (semantic == "POSITION") {
    return accessor.type == TINYGLTF_TYPE_VEC3 && (is_float || (quantized && (is_unsigned || is_small_signed)));
  }
  if (semantic == "NORMAL" || semantic == "TANGENT") {
    return accessor.type == (semantic == "NORMAL" ? TINYGLTF_TYPE_VEC3 : TINYGLTF_TYPE_VEC4) &&
           (is_float || (quantized && is_small_signed && accessor.normalized));
  }
  if (semantic == "JOINTS") return accessor.type == TINYGLTF_TYPE_VEC4 && is_unsigned && !accessor.normalized;
  if (semantic == "WEIGHTS") {
    return accessor.type == TINYGLTF_TYPE_VEC4 && (is_float || (is_unsigned && accessor.normalized));
  }
  if (name == "TEXCOORD_0") {
    return accessor.type == TINYGLTF_TYPE_VEC2 &&
           (is_float || (is_unsigned && accessor.normalized) || (quantized && (is_unsigned || is_small_signed)));
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

class AnimationChecker {
 public:
  AnimationChecker(const GltfDocument& document, AccessorChecker& accessors)
      : document_(document), accessors_(accessors), times_checked_(document.gltf.accessors.size(), false) {
    for (const tinygltf::Mesh& mesh : document.gltf.meshes) targets_of_mesh_.push_back(target_count(mesh));
  }

  Result<void> check(const tinygltf::Animation& animation, const std::vector<GltfChannel>& channels,
                     const std::string& place) {
    std::map<Moved, std::size_t> channel_of;
    for (const GltfChannel& channel : channels) {
      const std::string here = fmt::format("{}/channels/{}", place, channel.index);
      if (static_cast<std::size_t>(channel.sampler) >= animation.samplers.size()) {
        return fail_at(document_, here + "/sampler",
                       fmt::format("sampler {}, but there are only {}", channel.sampler, animation.samplers.size()));
      }
      const auto& sampler = animation.samplers[static_cast<std::size_t>(channel.sampler)];
      PELT_TRY(check_times(sampler.input, fmt::format("{}/samplers/{}/input", place, channel.sampler)));
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
    PELT_TRY(accessors_.check_finite(index, place));
    const std::vector<float> times = read_floats(document_, index);
    if (times.empty()) return fail_at(document_, place, "has no keys");
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
                            const std::string& place) {
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
    if (output.count == wanted) {
      return accessors_.check_finite(sampler.output, fmt::format("{}: {}", place, path_of(channel.property)));
    }
    return fail_at(document_, place, fmt::format("{} keys need {} values, not {}", keys, wanted, output.count));
  }

  // Returns the weights of a key.
  Result<std::size_t> count_weights(const GltfChannel& channel, const std::string& place) const {
    const int mesh =
        channel.node < 0 ? channel.mesh : document_.gltf.nodes[static_cast<std::size_t>(channel.node)].mesh;
    const std::size_t targets = mesh < 0 ? 0 : targets_of_mesh_[static_cast<std::size_t>(mesh)];
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
  AccessorChecker& accessors_;
  std::vector<std::size_t> targets_of_mesh_;
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
    const auto lost = std::ranges::find(reached, false) - reached.begin();
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

std::size_t target_count(const tinygltf::Mesh& mesh) {
  std::size_t most = 0;
  for (const tinygltf::Primitive& primitive : mesh.primitives) most = std::max(most, primitive.targets.size());
  return most;
}

bool is_read(const GltfDocument& document, const tinygltf::Primitive& primitive, const std::string& name,
             bool skinned) {
  if (name == "POSITION" || name == "TEXCOORD_0") return true;
  if (name == "NORMAL" || name == "TANGENT") return gives_direction(primitive, name);
  const tinygltf::Accessor& accessor = accessor_at(document, primitive.attributes.at(name));
  if (name.starts_with('_')) return has_known_type(accessor) && !is_matrix(accessor);
  if (name == "COLOR_0") {
    const bool is_float = accessor.componentType == TINYGLTF_COMPONENT_TYPE_FLOAT;
    return (accessor.type == TINYGLTF_TYPE_VEC3 || accessor.type == TINYGLTF_TYPE_VEC4) &&
           (is_float || (is_small_unsigned(accessor.componentType) && accessor.normalized));
  }
  return skinned && is_of_weights(name);
}

MeshChecker::MeshChecker(const GltfDocument& document, AccessorChecker& accessors)
    : document_(document),
      accessors_(accessors),
      quantized_(contains(document.gltf.extensionsUsed, kQuantization)),
      largest_index_(document.gltf.accessors.size()) {}

Result<void> MeshChecker::check(const tinygltf::Mesh& mesh, const tinygltf::Node& node, const std::string& name) {
  const std::string named = fmt::format("mesh '{}': ", name);
  const std::string place = fmt::format("{}/meshes/{}", named, node.mesh);
  if (checked_.emplace(node.mesh, node.skin >= 0).second) {
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      PELT_TRY(check_primitive(mesh.primitives[p], node.skin >= 0, fmt::format("{}/primitives/{}", place, p)));
    }
  }
  PELT_TRY(check_morph_weights(document_, mesh.weights, target_count(mesh), place));
  const auto index = &node - document_.gltf.nodes.data();
  return check_morph_weights(document_, node.weights, target_count(mesh), fmt::format("{}/nodes/{}", named, index));
}

Result<void> MeshChecker::check_primitive(const tinygltf::Primitive& primitive, bool skinned,
                                          const std::string& place) {
  const int positions = attribute(primitive, "POSITION");
  if (positions < 0) return {};
  const tinygltf::Accessor& position = accessor_at(document_, positions);
  const auto has_no_data = [&](int index) {
    const tinygltf::Accessor& accessor = accessor_at(document_, index);
    return accessor.bufferView < 0 && !accessor.sparse.isSparse;
  };
  if (primitive.extensions.contains(std::string(kDraco)) &&
      (has_no_data(positions) || (primitive.indices >= 0 && has_no_data(primitive.indices)))) {
    return fail_at(document_, place, fmt::format("{} is not supported{}", kDraco, kDecodeDraco),
                   ErrorCode::kUnsupported);
  }
  PELT_TRY(check_attributes(primitive, skinned, place));
  for (std::size_t t = 0; t < primitive.targets.size(); ++t) {
    for (const auto& [name, index] : primitive.targets[t]) {
      if (!is_read_offset(primitive, name)) continue;
      const std::string here = fmt::format("{}/targets/{}/{}", place, t, name);
      const tinygltf::Accessor& accessor = accessor_at(document_, index);
      if (accessor.count != position.count) {
        return fail_at(document_, here, fmt::format("{} elements for {} vertices", accessor.count, position.count));
      }
      if (!has_legal_offsets(name, accessor, quantized_)) {
        return fail_at(document_, here, fmt::format("cannot be {}", describe(accessor)));
      }
      PELT_TRY(name == "POSITION" ? accessors_.check_finite(index, here) : accessors_.check(index, here));
    }
  }
  if (primitive.indices < 0 || primitive.mode == TINYGLTF_MODE_POINTS) return {};
  return check_indices(primitive.indices, position.count, place + "/indices");
}

Result<void> MeshChecker::check_attributes(const tinygltf::Primitive& primitive, bool skinned,
                                           const std::string& place) {
  const std::size_t vertices = accessor_at(document_, attribute(primitive, "POSITION")).count;
  for (const auto& [name, index] : primitive.attributes) {
    if (!is_read(document_, primitive, name, skinned)) continue;
    const std::string here = place + "/attributes/" + name;
    const tinygltf::Accessor& accessor = accessor_at(document_, index);
    if (accessor.count != vertices) {
      return fail_at(document_, here, fmt::format("{} elements, but POSITION has {}", accessor.count, vertices));
    }
    if (!has_legal_format(name, accessor, quantized_)) {
      return fail_at(document_, here, fmt::format("cannot be {}", describe(accessor)));
    }
    const bool is_needed = name == "POSITION" || is_of_weights(name);
    PELT_TRY(is_needed ? accessors_.check_finite(index, here) : accessors_.check(index, here));
  }
  return skinned ? check_weight_sets(primitive, place) : Result<void>{};
}

// JOINTS_n and WEIGHTS_n come in pairs, numbered from 0 without a gap.
Result<void> MeshChecker::check_weight_sets(const tinygltf::Primitive& primitive, const std::string& place) const {
  const std::size_t sets = weight_sets(primitive);
  for (const auto& [name, index] : primitive.attributes) {
    if (!is_of_weights(name) || split_set(name)->second < sets) continue;
    return fail_at(document_, place + "/attributes/" + name, "has no counterpart, or the set before it is missing");
  }
  return {};
}

Result<void> MeshChecker::check_indices(int index, std::size_t vertices, const std::string& place) {
  const tinygltf::Accessor& accessor = accessor_at(document_, index);
  const int component = accessor.componentType;
  if (accessor.type != TINYGLTF_TYPE_SCALAR || accessor.normalized ||
      (!is_small_unsigned(component) && component != TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT)) {
    return fail_at(document_, place, fmt::format("cannot be {}", describe(accessor)));
  }
  PELT_TRY(accessors_.check(index, place));
  if (accessor.count == 0) return {};
  // Finds the largest index only once per accessor: any number of primitives may share one.
  std::optional<std::uint32_t>& largest = largest_index_[static_cast<std::size_t>(index)];
  if (!largest) {
    const std::vector<std::uint32_t> indices = read_integers(document_, index);
    largest = *std::ranges::max_element(indices);
  }
  if (*largest >= vertices) {
    return fail_at(document_, place, fmt::format("names vertex {}, but there are only {}", *largest, vertices));
  }
  return {};
}

namespace {

Result<void> check_skin(const GltfDocument& document, const tinygltf::Skin& skin, AccessorChecker& accessors,
                        const std::string& place) {
  if (skin.joints.empty()) return fail_at(document, place + "/joints", "is empty");
  std::unordered_set<int> seen;
  for (const int joint : skin.joints) {
    if (!seen.insert(joint).second) {
      return fail_at(document, place + "/joints", fmt::format("names node {} twice", joint));
    }
  }
  if (skin.inverseBindMatrices < 0) return {};
  const std::string here = place + "/inverseBindMatrices";
  const tinygltf::Accessor& accessor = accessor_at(document, skin.inverseBindMatrices);
  if (accessor.type != TINYGLTF_TYPE_MAT4 || accessor.componentType != TINYGLTF_COMPONENT_TYPE_FLOAT) {
    return fail_at(document, here, fmt::format("cannot be {}", describe(accessor)));
  }
  if (accessor.count < skin.joints.size()) {
    return fail_at(document, here, fmt::format("{} matrices for {} joints", accessor.count, skin.joints.size()));
  }
  return accessors.check_finite(skin.inverseBindMatrices, here);
}

}  // namespace

Result<void> check_skins(GltfDocument& document, AccessorChecker& accessors) {
  std::vector<bool> used(document.gltf.skins.size(), false);
  for (const tinygltf::Node& node : document.gltf.nodes) {
    if (node.mesh >= 0 && node.skin >= 0) used[static_cast<std::size_t>(node.skin)] = true;
  }
  for (std::size_t s = 0; s < document.gltf.skins.size(); ++s) {
    tinygltf::Skin& skin = document.gltf.skins[s];
    const std::string place = fmt::format("skin '{}': /skins/{}", name_or(skin.name, "skin", static_cast<int>(s)), s);
    const auto checked = check_skin(document, skin, accessors, place);
    if (checked) continue;
    if (used[s]) return checked;
    skin.joints.clear();
    skin.inverseBindMatrices = -1;
  }
  return {};
}

Result<void> check_animations(const GltfDocument& document, AccessorChecker& accessors) {
  AnimationChecker checker(document, accessors);
  for (std::size_t a = 0; a < document.gltf.animations.size(); ++a) {
    const tinygltf::Animation& animation = document.gltf.animations[a];
    const std::string place =
        fmt::format("clip '{}': /animations/{}", name_or(animation.name, "clip", static_cast<int>(a)), a);
    PELT_TRY(checker.check(animation, document.channels[a], place));
  }
  return {};
}

}  // namespace pelt
