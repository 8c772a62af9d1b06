// SPDX-License-Identifier: MIT
#include "engine/model/gltf/animation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <pelt/try.h>

#include "engine/model/gltf/accessor.h"
#include "engine/model/unique_names.h"

namespace pelt {
namespace {

Interpolation interpolation_of(const tinygltf::AnimationSampler& sampler) {
  if (sampler.interpolation == "STEP") return Interpolation::kStep;
  if (sampler.interpolation == "CUBICSPLINE") return Interpolation::kCubicSpline;
  return Interpolation::kLinear;
}

class ClipReader {
 public:
  ClipReader(const GltfDocument& document, GltfBudget& budget, const Model& model)
      : document_(document), budget_(budget), model_(model) {}

  Result<void> add_joint_channel(Clip& clip, std::uint32_t joint, const std::string& path,
                                 const tinygltf::AnimationSampler& sampler) {
    PELT_TRY(budget_.take(decoded_size(sampler.input) + decoded_size(sampler.output) + sizeof(Channel), clip.name));
    Channel channel{.joint = joint,
                    .path = path == "translation" ? ChannelPath::kTranslation
                            : path == "rotation"  ? ChannelPath::kRotation
                                                  : ChannelPath::kScale,
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

  // A key of glTF holds the weights of all targets; a cubic one holds all in-tangents, then all values, then all
  // out-tangents.
  Result<void> add_morph_channels(Clip& clip, const Mesh& mesh, const tinygltf::AnimationSampler& sampler) {
    const std::size_t targets = mesh.morph_targets.size();
    const std::uint64_t a_target = decoded_size(sampler.input) + sizeof(MorphChannel) + mesh.name.size();
    PELT_TRY(budget_.take(targets * a_target + decoded_size(sampler.output), clip.name));
    const std::vector<float> times = read_floats(document_, sampler.input);
    const std::vector<float> values = read_floats(document_, sampler.output);
    for (std::size_t t = 0; t < targets; ++t) {
      MorphChannel channel{.mesh = mesh.name,
                           .target = static_cast<std::uint32_t>(t),
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

 private:
  std::uint64_t decoded_size(int accessor) const {
    const auto& source = document_.gltf.accessors[static_cast<std::size_t>(accessor)];
    return source.count * components_of(source) * sizeof(float);
  }

  Result<void> normalise(const Clip& clip, Channel& channel) const {
    const bool cubic = channel.interpolation == Interpolation::kCubicSpline;
    for (std::size_t k = 0; k < channel.times.size(); ++k) {
      float* q = &channel.values[4 * (cubic ? 3 * k + 1 : k)];
      const double length = glm::length(glm::dvec4(q[0], q[1], q[2], q[3]));
      if (!(length > 1e-6)) {
        return fail_at(document_, fmt::format("clip '{}'", clip.name),
                       fmt::format("key {} of joint '{}' is a rotation without length", k,
                                   model_.skeleton.joints[channel.joint].name));
      }
      // A key of a cubic spline goes with its tangents; the value is normalised when it is sampled.
      for (int c = 0; c < 4 && !cubic; ++c) q[c] = static_cast<float>(q[c] / length);
    }
    return {};
  }

  const GltfDocument& document_;
  GltfBudget& budget_;
  const Model& model_;
};

}  // namespace

Result<void> read_clips(const GltfDocument& document, std::span<const std::uint32_t> joint_of_node,
                        std::span<const std::int32_t> mesh_of_node, GltfBudget& budget, Model& model) {
  ClipReader reader(document, budget, model);
  UniqueNames names;
  for (std::size_t a = 0; a < document.gltf.animations.size(); ++a) {
    const tinygltf::Animation& animation = document.gltf.animations[a];
    Clip clip;
    clip.name = names.claim(animation.name.empty() ? fmt::format("clip_{}", a) : animation.name);
    std::size_t fixed = 0;
    std::size_t hidden = 0;
    for (const tinygltf::AnimationChannel& channel : animation.channels) {
      if (channel.target_node < 0) continue;  // "when undefined, the animated object may be defined by an extension"
      const auto node = static_cast<std::size_t>(channel.target_node);
      const auto& sampler = animation.samplers[static_cast<std::size_t>(channel.sampler)];
      if (channel.target_path == "weights") {
        if (mesh_of_node[node] < 0) {
          ++hidden;
        } else {
          const Mesh& mesh = model.meshes[static_cast<std::size_t>(mesh_of_node[node])];
          PELT_TRY(reader.add_morph_channels(clip, mesh, sampler));
        }
      } else if (model.skeleton.joints[joint_of_node[node]].matrix) {
        ++fixed;
      } else {
        PELT_TRY(reader.add_joint_channel(clip, joint_of_node[node], channel.target_path, sampler));
      }
    }
    const auto note = [&](const std::string& what) {
      model.report.notes.push_back(fmt::format("clip '{}': {}", clip.name, what));
    };
    if (hidden > 0) note(fmt::format("{} channels of morph weights ignored, of meshes that are not shown", hidden));
    if (fixed > 0)
      note(fmt::format("{} channels ignored, of nodes that no translation, rotation and scale give", fixed));
    if (clip.channels.empty() && clip.morph_channels.empty()) {
      note("left out, since it moves nothing");
    } else {
      model.clips.push_back(std::move(clip));
    }
  }
  return {};
}

}  // namespace pelt
