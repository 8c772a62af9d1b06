// SPDX-License-Identifier: MIT
#include "samples/pelt/input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <pelt/gltf_rig.h>
#include <pelt/import.h>
#include <pelt/mos_presets.h>
#include <pelt/nearest_name.h>
#include <pelt/pelt_file.h>
#include <pelt/pelt_gltf.h>
#include <pelt/pose.h>
#include <pelt/rig_json.h>
#include <pelt/try.h>
#include <pelt/typed_name.h>

namespace pelt::samples {

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

namespace {

Result<Character> load_all_levels(const std::string& file, const Binding& binding) {
  if (lower_extension(file) == ".pelt") return load_pelt(file);
  if (binding.is_default() && is_gltf(file)) {
    PELT_ASSIGN(auto gltf_rig, load_gltf_rig(file));
    if (gltf_rig && gltf_rig->character) return *std::move(gltf_rig->character);
    if (gltf_rig && !gltf_rig->note.empty()) fmt::print(stderr, "pelt: {}: bound again: {}\n", file, gltf_rig->note);
  }
  PELT_ASSIGN(auto loaded, bind_model(file, binding));
  return std::move(loaded.bound.character);
}

}  // namespace

Result<Character> load_character(const std::string& file, const Binding& binding, std::uint32_t level) {
  PELT_ASSIGN(const auto character, load_all_levels(file, binding));
  if (level <= character->coarsest_level()) return level == 0 ? character : character.at_level(level);
  return fail(ErrorCode::kNotFound, fmt::format("{}: has no level of detail {}; the coarsest is {}", file, level,
                                                character->coarsest_level()));
}

Result<Poser> Poser::create(const Character& character, const Animation& animation) {
  Poser poser(character);
  poser.fps_ = animation.fps;
  if (!animation.clip.empty()) {
    poser.clip_ = find_clip(character->clips, animation.clip);
    if (poser.clip_ == nullptr)
      return tl::unexpected(unknown_name("clip", "clips", animation.clip, character->clips, &Clip::name));
    poser.twists_.emplace(*character, *poser.clip_);
  }
  for (const std::string& cache : animation.caches) {
    PELT_TRY(poser.add_cache(cache));
  }
  return poser;
}

Result<void> Poser::add_cache(const std::string& argument) {
  const CharacterData& data = **character_;
  const std::size_t equals = argument.find('=');
  const std::string file = equals == std::string::npos ? argument : argument.substr(equals + 1);
  std::vector<std::string_view> names;
  for (const Stream& stream : data.streams) names.push_back(data.meshes[stream.mesh].name);
  std::uint32_t stream = 0;
  if (equals != std::string::npos) {
    const std::optional<std::uint32_t> found = data.find_stream(argument.substr(0, equals));
    if (!found) {
      return tl::unexpected(unknown_name("streamed driver", "streamed drivers", argument.substr(0, equals), names));
    }
    stream = *found;
  } else if (names.size() != 1) {
    return fail(ErrorCode::kInvalidArgument, names.empty()
                                                 ? fmt::format("{}: '{}' has no streamed driver", file, data.name)
                                                 : fmt::format("{}: choose the driver that it moves, MESH={}: {}", file,
                                                               file, fmt::join(names, ", ")));
  }
  PELT_ASSIGN(auto cache, load_pc2(file));
  const std::uint32_t mesh = data.streams[stream].mesh;
  if (cache.count != data.meshes[mesh].vertex_count()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: has {} points, but the driver '{}' has {} vertices", file, cache.count,
                            data.meshes[mesh].name, data.meshes[mesh].vertex_count()));
  }
  caches_.push_back({std::move(cache), data.streams[stream].first_input, mesh});
  return {};
}

Result<std::string> clip_of(const Character& character, const std::string& clip, bool has_cache, float seconds) {
  const std::vector<Clip>& clips = character->clips;
  if (!clip.empty() || has_cache || !(seconds > 0)) return clip;
  if (clips.size() == 1) return clips[0].name;
  std::vector<std::string_view> names;
  for (const Clip& one : clips) names.push_back(one.name);
  return fail(ErrorCode::kInvalidArgument, clips.empty()
                                               ? "--time: there are no clips"
                                               : fmt::format("--time: needs --clip NAME{}", hint_of("", names)));
}

void note_end(float duration, float seconds) {
  if (duration > 0 && seconds > duration + 1e-3f)
    fmt::print("note: the animation ends at {:.4g} s: this is its last pose\n", duration);
}

float Poser::duration() const {
  if (clip_ != nullptr) return clip_->duration;
  double longest = 0;
  for (const Cache& played : caches_) {
    longest = std::max(longest, (played.cache.start + double{played.cache.rate} * (played.cache.frames - 1)) / fps_);
  }
  return static_cast<float>(longest);
}

InstancePose Poser::at(float seconds, const std::function<void(std::span<Transform>)>& change) const {
  const CharacterData& data = **character_;
  InstancePose pose;
  std::vector<Transform> local(data.skeleton.joints.size());
  rest_pose(data.skeleton, local);
  if (clip_ != nullptr) sample_clip(*clip_, seconds, local);
  if (change) change(local);
  pose.joints.resize(local.size());
  model_matrices(data.skeleton, local, pose.joints);
  pose.inputs.resize(data.input_count);
  rest_inputs(data, pose.inputs);
  if (twists_) twists_->sample(seconds, pose.inputs);
  if (clip_ != nullptr) sample_morph_targets(data, *clip_, seconds, pose.inputs);
  for (const Cache& played : caches_) {
    std::vector<glm::vec3> points(played.cache.count);
    sample(played.cache, static_cast<float>(seconds * fps_), points);
    std::memcpy(&pose.inputs[played.first_input], points.data(), points.size() * sizeof(glm::vec3));
  }
  return pose;
}

std::vector<TimedPose> Poser::way(float from, float to) const {
  constexpr float kFrames = 60;  // per second
  std::vector<TimedPose> frames;
  if (!(*character_)->clock_input() || !(from < to)) return {{at(to), 0}};
  const auto count = static_cast<int>(std::ceil((to - from) * kFrames - 1e-3f));
  float last = from;
  for (int frame = 0; frame <= count; ++frame) {
    const float now = frame == count ? to : from + static_cast<float>(frame) / kFrames;
    frames.push_back({at(now), now - last});
    last = now;
  }
  return frames;
}

namespace {

template <class Names>
bool is_in(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::ranges::end(names);
}

// Returns a deformer's name as in prose.
std::string in_prose(std::string_view deformer) {
  std::string name(deformer);
  std::ranges::replace(name, '_', ' ');
  for (const auto& [plain, prose] :
       {std::pair("ffd", "FFD"), std::pair("bspline", "B-spline"), std::pair("mos", "MOS")}) {
    const std::size_t at = name.find(plain);
    if (at != std::string::npos) name.replace(at, std::strlen(plain), prose);
  }
  return name;
}

}  // namespace

std::string typed_if_deformer(const std::string& rig) { return is_in(deformer_names(), rig) ? typed_name(rig) : rig; }

std::string caption_of(const CharacterData& character) {
  const Result<Rig> rig = parse_rig(character.rig, "its rig");
  if (!rig) return character.name;
  if (is_in(deformer_names(), rig->name)) return in_prose(rig->name);
  if (is_in(preset_names(), rig->name)) return fmt::format("MOS, preset {}", rig->name);
  if (!rig->name.empty()) return rig->name;
  std::vector<std::string> names;
  for (const Layer& layer : rig->layers) {
    std::string name = in_prose(layer.deformer.name());
    if (!is_in(names, name)) names.push_back(std::move(name));
  }
  return names.empty() ? character.name : fmt::format("{}", fmt::join(names, " + "));
}

}  // namespace pelt::samples
