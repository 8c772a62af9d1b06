// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/animation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <pelt/try.h>

#include "engine/authoring/model/gltf/accessor.h"
#include "engine/authoring/model/unique_names.h"

namespace pelt {
namespace {

Interpolation interpolation_of(const tinygltf::AnimationSampler& sampler) {
  if (sampler.interpolation == "STEP") return Interpolation::kStep;
  if (sampler.interpolation == "CUBICSPLINE") return Interpolation::kCubicSpline;
  return Interpolation::kLinear;
}

ChannelPath channel_path(GltfProperty property) {
  if (property == GltfProperty::kTranslation) return ChannelPath::kTranslation;
  return property == GltfProperty::kRotation ? ChannelPath::kRotation : ChannelPath::kScale;
}

// Returns for each mesh of a document the nodes in the model that use the mesh's own weights.
std::vector<std::vector<int>> nodes_of_meshes(const tinygltf::Model& gltf, std::span<const std::int32_t> mesh_of_node) {
  std::vector<std::vector<int>> nodes(gltf.meshes.size());
  for (std::size_t i = 0; i < gltf.nodes.size(); ++i) {
    const tinygltf::Node& node = gltf.nodes[i];
    if (mesh_of_node[i] >= 0 && node.weights.empty()) {
      nodes[static_cast<std::size_t>(node.mesh)].push_back(static_cast<int>(i));
    }
  }
  return nodes;
}

class ClipReader {
 public:
  ClipReader(const GltfDocument& document, std::span<const std::uint32_t> joint_of_node,
             std::span<const std::int32_t> mesh_of_node, GltfBudget& budget, Model& model)
      : document_(document),
        joint_of_node_(joint_of_node),
        mesh_of_node_(mesh_of_node),
        nodes_of_mesh_(nodes_of_meshes(document.gltf, mesh_of_node)),
        budget_(budget),
        model_(model) {}

  // Adds the channels of an animation to a clip, which has its name.
  Result<void> read(std::size_t animation, Clip& clip) {
    const std::vector<GltfChannel>& channels = document_.channels[animation];
    std::unordered_set<int> weighted;  // nodes with animated weights of their own: their mesh's do not reach them
    for (const GltfChannel& channel : channels) {
      if (channel.property == GltfProperty::kWeights) weighted.insert(channel.node);
    }
    std::size_t fixed = 0;
    std::size_t unused = 0;
    for (const GltfChannel& channel : channels) {
      const auto& sampler = document_.gltf.animations[animation].samplers[static_cast<std::size_t>(channel.sampler)];
      if (channel.property == GltfProperty::kWeights) {
        PELT_ASSIGN(const bool is_used, add_weights(clip, channel, sampler, weighted));
        if (!is_used) ++unused;
        continue;
      }
      const std::uint32_t joint = joint_of_node_[static_cast<std::size_t>(channel.node)];
      if (model_.skeleton.joints[joint].matrix) {
        ++fixed;
      } else {
        PELT_TRY(add_joint_channel(clip, joint, channel_path(channel.property), sampler));
      }
    }
    if (unused > 0) {
      note(clip, fmt::format("{} channels of morph weights ignored, of meshes that are not shown, or shown with other "
                             "weights",
                             unused));
    }
    if (fixed > 0) {
      note(clip, fmt::format("{} channels ignored, of nodes without a translation, rotation and scale", fixed));
    }
    return {};
  }

  void note(const Clip& clip, const std::string& what) {
    model_.report.notes.push_back(fmt::format("clip '{}': {}", clip.name, what));
  }

 private:
  Result<void> add_joint_channel(Clip& clip, std::uint32_t joint, ChannelPath path,
                                 const tinygltf::AnimationSampler& sampler) {
    PELT_TRY(budget_.take(decoded_size(sampler.input) + decoded_size(sampler.output) + sizeof(Channel), clip.name));
    Channel channel{.joint = joint,
                    .path = path,
                    .interpolation = interpolation_of(sampler),
                    .times = read_floats(document_, sampler.input),
                    .values = read_floats(document_, sampler.output)};
    if (channel.path == ChannelPath::kRotation) {
      PELT_TRY(normalise(clip, channel));
    }
    clip.duration = std::max(clip.duration, channel.times.back());
    clip.channels.push_back(std::move(channel));
    return {};
  }

  // A key of glTF has the weights of all targets, or only of `target` unless it is below 0. A cubic one has all
  // in-tangents, then all values, then all out-tangents.
  Result<void> add_morph_channels(Clip& clip, const Mesh& mesh, int target, const tinygltf::AnimationSampler& sampler) {
    const std::size_t first = target < 0 ? 0 : static_cast<std::size_t>(target);
    const std::size_t targets = target < 0 ? mesh.morph_targets.size() : 1;
    const std::uint64_t a_target = decoded_size(sampler.input) + sizeof(MorphChannel) + mesh.name.size();
    PELT_TRY(budget_.take(targets * a_target + decoded_size(sampler.output), clip.name));
    const std::vector<float> times = read_floats(document_, sampler.input);
    const std::vector<float> values = read_floats(document_, sampler.output);
    for (std::size_t t = 0; t < targets; ++t) {
      MorphChannel channel{.mesh = mesh.name,
                           .target = static_cast<std::uint32_t>(first + t),
                           .interpolation = interpolation_of(sampler),
                           .times = times,
                           .values = {}};
      channel.values.reserve(values.size() / targets);
      for (std::size_t v = t; v < values.size(); v += targets) channel.values.push_back(values[v]);
      clip.morph_channels.push_back(std::move(channel));
    }
    clip.duration = std::max(clip.duration, times.back());
    return {};
  }

  // Adds weights of a node, or of the nodes that use their mesh's. Returns false if there are none.
  Result<bool> add_weights(Clip& clip, const GltfChannel& channel, const tinygltf::AnimationSampler& sampler,
                           const std::unordered_set<int>& weighted) {
    const auto add_to = [&](std::int32_t mesh) {
      return add_morph_channels(clip, model_.meshes[static_cast<std::size_t>(mesh)], channel.target, sampler);
    };
    if (channel.node >= 0) {
      const std::int32_t mesh = mesh_of_node_[static_cast<std::size_t>(channel.node)];
      if (mesh >= 0) PELT_TRY(add_to(mesh));
      return mesh >= 0;
    }
    bool is_used = false;
    for (const int node : nodes_of_mesh_[static_cast<std::size_t>(channel.mesh)]) {
      if (weighted.contains(node)) continue;
      PELT_TRY(add_to(mesh_of_node_[static_cast<std::size_t>(node)]));
      is_used = true;
    }
    return is_used;
  }

  std::uint64_t decoded_size(int accessor) const {
    const auto& source = accessor_at(document_, accessor);
    return source.count * components_of(source) * sizeof(float);
  }

  Result<void> normalise(const Clip& clip, Channel& channel) const {
    const bool cubic = channel.interpolation == Interpolation::kCubicSpline;
    for (std::size_t k = 0; k < channel.times.size(); ++k) {
      float* q = &channel.values[4 * (cubic ? 3 * k + 1 : k)];
      const double length = glm::length(glm::dvec4(q[0], q[1], q[2], q[3]));
      if (!(length > 1e-6)) {
        return fail_at(document_, fmt::format("clip '{}'", clip.name),
                       fmt::format("key {} of joint '{}' is a rotation of length 0", k,
                                   model_.skeleton.joints[channel.joint].name));
      }
      // Keys of a cubic spline stay consistent with their tangents; sampling normalises the value.
      for (int c = 0; c < 4 && !cubic; ++c) q[c] = static_cast<float>(q[c] / length);
    }
    return {};
  }

  const GltfDocument& document_;
  std::span<const std::uint32_t> joint_of_node_;
  std::span<const std::int32_t> mesh_of_node_;
  std::vector<std::vector<int>> nodes_of_mesh_;
  GltfBudget& budget_;
  Model& model_;
};

}  // namespace

Result<void> read_clips(const GltfDocument& document, std::span<const std::uint32_t> joint_of_node,
                        std::span<const std::int32_t> mesh_of_node, GltfBudget& budget, Model& model) {
  ClipReader reader(document, joint_of_node, mesh_of_node, budget, model);
  UniqueNames names;
  for (std::size_t a = 0; a < document.gltf.animations.size(); ++a) {
    const std::string& name = document.gltf.animations[a].name;
    Clip clip;
    clip.name = names.claim(name_or(name, "clip", static_cast<int>(a)));
    PELT_TRY(reader.read(a, clip));
    if (clip.channels.empty() && clip.morph_channels.empty()) {
      reader.note(clip, "left out, since it moves nothing");
    } else {
      model.clips.push_back(std::move(clip));
    }
  }
  return {};
}

}  // namespace pelt
