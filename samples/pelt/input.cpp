// SPDX-License-Identifier: MIT
#include "samples/pelt/input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <pelt/garment.h>
#include <pelt/gltf_rig.h>
#include <pelt/import.h>
#include <pelt/mos_presets.h>
#include <pelt/nearest_name.h>
#include <pelt/pelt_file.h>
#include <pelt/pelt_gltf.h>
#include <pelt/pose.h>
#include <pelt/rig.h>
#include <pelt/rig_json.h>
#include <pelt/surface_ffd.h>
#include <pelt/transfer_rig.h>
#include <pelt/try.h>

namespace pelt::samples {

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

namespace {

constexpr std::string_view kSkeletonHelp = "'pelt skeleton' gives a skin joints and weights";

bool has_weights(const Model& model) {
  return std::any_of(model.meshes.begin(), model.meshes.end(),
                     [](const Mesh& mesh) { return mesh.weights.row_count() != 0; });
}

// Returns true if more than one joint moves the mesh.
bool bends(const Mesh& mesh) {
  const std::vector<Influence>& influences = mesh.weights.influences;
  return std::any_of(influences.begin(), influences.end(), [&](const Influence& influence) {
    return influence.weight > 0 && influence.index != influences.front().index;
  });
}

// Makes a rig for a garment: the body moves by `deformer`, and the garment follows the body.
Result<Rig> garment_rig(const std::string& deformer, const std::string& body) {
  PELT_ASSIGN(auto rig, rig_from_deformer_name(deformer));
  rig.name = "garment";
  rig.layers[0].target = body;
  SurfaceFfdParameters worn;
  worn.driver.mesh = body;
  rig.layers.push_back({.target = "*", .deformer = worn});
  return rig;
}

// Chooses the rig. `model_name`: the name that was imported. `body`: the mesh that drives a garment; empty: none.
// `is_spread`: the weights already blend widely enough from joint to joint.
Result<Rig> choose_rig(const Binding& binding, const std::string& model_name, const Model& model,
                       const std::string& body, bool is_spread, std::vector<std::string>& notes) {
  if (!binding.transfer.empty()) {
    PELT_ASSIGN(const auto old, pelt::load_character(binding.transfer));
    const std::string directory = std::filesystem::path(binding.transfer).parent_path().string();
    PELT_ASSIGN(auto transferred, within(binding.transfer, transfer_rig(old, model, directory)));
    notes.insert(notes.end(), transferred.notes.begin(), transferred.notes.end());
    return std::move(transferred.rig);
  }
  if (!binding.rig.empty()) return load_rig(binding.rig);
  if (!binding.preset.empty()) return rig_from_preset(binding.preset, model);
  if (binding.is_default() && is_gltf(model_name)) {
    PELT_ASSIGN(auto own, load_gltf_rig(model_name));
    if (own) return std::move(own->rig);
  }
  const std::string deformer = binding.deformer.empty() ? kDefaultDeformer : binding.deformer;
  if (!body.empty()) return garment_rig(deformer, body);
  Result<Rig> rig = rig_from_deformer_name(deformer);
  if (!rig || !is_spread) return rig;
  if (auto* surface = rig->layers[0].deformer.get_if<SurfaceFfdParameters>()) surface->driver.spread = 0.0f;
  return rig;
}

// Binds by the default rig, which nobody chose, and notes why that rig or linear blend was used.
Result<Bound> bind_chosen(const Model& model, Rig& rig, const BindOptions& options) {
  constexpr double kMaxLeft = 0.1;  // of the skin's area
  Result<Bound> bound = bind(model, rig, options);
  if (!bound || !bound->report.verdict || rig.judging != Judging::kFallback) return bound;
  const std::string left = share_in_words(bound->report.verdict->left);
  if (bound->report.verdict->left <= kMaxLeft) {
    bound->report.notes.push_back(
        bound->report.verdict->left > 0
            ? fmt::format("{} was chosen: it does worse than linear blend on {} of the skin alone", kDefaultDeformer,
                          left)
            : fmt::format("{} was chosen: it does nowhere worse than linear blend", kDefaultDeformer));
    return bound;
  }
  rig = *rig_from_deformer_name("linear-blend");
  Result<Bound> plain = bind(model, rig, options);
  if (plain) {
    plain->report.notes.push_back(
        fmt::format("linear-blend was chosen: {} does worse on {} of the skin", kDefaultDeformer, left));
  }
  return plain;
}

}  // namespace

Result<Loaded> bind_model(const std::string& model_name, const Binding& binding, const BindOptions& options) {
  Result<Model> model = import_model(model_name, nullptr, binding.files);
  if (!model) return tl::unexpected(model.error());
  ImportReport import_report = model->report;
  std::string driver;
  bool copied_weights = false;
  const std::string& worn_by = binding.body.empty() ? binding.weights_of : binding.body;
  if (!worn_by.empty()) {
    PELT_ASSIGN(const auto body, import_model(worn_by, nullptr, binding.files));
    for (const std::string& note : body.report.notes) {
      import_report.notes.push_back(fmt::format("'{}': {}", worn_by, note));
    }
    PELT_ASSIGN(auto dressed, binding.body.empty() ? dress_by_weights(std::move(*model), body, options.threads)
                                                   : dress(std::move(*model), body));
    import_report.notes.insert(import_report.notes.end(), dressed.notes.begin(), dressed.notes.end());
    driver = dressed.body;
    copied_weights = dressed.copied_weights;
    model = std::move(dressed.model);
  }
  PELT_ASSIGN(auto rig, choose_rig(binding, model_name, *model, driver, copied_weights, import_report.notes));
  const bool is_own_rig = binding.is_default() && rig != *rig_from_deformer_name(kDefaultDeformer);
  const bool chosen = binding.names_no_rig() && driver.empty() && !is_own_rig;
  if (binding.judging) rig.judging = *binding.judging;
  if (binding.files == NamedFiles::kAnywhere) rig.files = binding.files;
  Result<Bound> bound = chosen ? bind_chosen(*model, rig, options) : bind(*model, rig, options);
  if (!bound) {
    const std::string help = has_weights(*model) ? "" : fmt::format("; {}", kSkeletonHelp);
    const std::string where = binding.rig.empty() ? model_name : fmt::format("{}: {}", model_name, binding.rig);
    return fail(bound.error().code, fmt::format("{}: {}{}", where, bound.error().message, help));
  }
  const bool mixes = std::any_of(bound->report.meshes.begin(), bound->report.meshes.end(),
                                 [](const MeshReport& mesh) { return mesh.max_influences > 1; });
  if (std::string note = rigid_note(*model); !mixes && !note.empty()) import_report.notes.push_back(std::move(note));
  return Loaded{std::move(*bound), std::move(*model), std::move(rig), !worn_by.empty(), std::move(import_report)};
}

std::string rigid_note(const Model& model) {
  if (!has_weights(model)) return fmt::format("no mesh has weights; {}", kSkeletonHelp);
  if (!model.clips.empty() || std::any_of(model.meshes.begin(), model.meshes.end(), bends)) return "";
  return fmt::format("no mesh bends, since each follows one joint as a whole; {}", kSkeletonHelp);
}

namespace {

Result<Character> load_all_levels(const std::string& file, const Binding& binding) {
  if (lower_extension(file) == ".pelt") return load_pelt(file);
  if (binding.is_default() && is_gltf(file)) {
    PELT_ASSIGN(auto own, load_gltf_rig(file));
    if (own && own->character) return *std::move(own->character);
    if (own && !own->note.empty()) fmt::print(stderr, "pelt: {}: is bound again: {}\n", file, own->note);
  }
  PELT_ASSIGN(auto loaded, bind_model(file, binding));
  return std::move(loaded.bound.character);
}

}  // namespace

Result<Character> load_character(const std::string& file, const Binding& binding, std::uint32_t level) {
  PELT_ASSIGN(const auto character, load_all_levels(file, binding));
  if (level <= character->coarsest_level()) return level == 0 ? character : character.at_level(level);
  return fail(ErrorCode::kNotFound, fmt::format("{}: has no level of detail {}; its coarsest is {}", file, level,
                                                character->coarsest_level()));
}

Error unknown_name(std::string_view what, std::string_view plural, std::string_view name,
                   std::span<const std::string_view> known) {
  if (known.empty())
    return {ErrorCode::kNotFound, fmt::format("there is no {} '{}', and there are no {}", what, name, plural)};
  constexpr std::size_t kMaxNames = 50;
  const std::span<const std::string_view> shown = known.first(std::min(known.size(), kMaxNames));
  const std::string more = known.size() > shown.size() ? fmt::format(" and {} more", known.size() - shown.size()) : "";
  return {ErrorCode::kNotFound, fmt::format("there is no {} '{}'; did you mean '{}'? There are: {}{}", what, name,
                                            nearest_name(name, known), fmt::join(shown, ", "), more)};
}

Result<Poser> Poser::create(const Character& character, const Animation& animation) {
  Poser poser(character);
  poser.fps_ = animation.fps;
  if (!animation.clip.empty()) {
    poser.clip_ = find_clip(character->clips, animation.clip);
    if (poser.clip_ == nullptr) {
      std::vector<std::string_view> names;
      for (const Clip& known : character->clips) names.push_back(known.name);
      return tl::unexpected(unknown_name("clip", "clips", animation.clip, names));
    }
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
    return fail(ErrorCode::kInvalidArgument,
                names.empty()
                    ? fmt::format("{}: '{}' has no streamed driver for it to move", file, data.name)
                    : fmt::format("{}: say which driver it moves, MESH={}: {}", file, file, fmt::join(names, ", ")));
  }
  PELT_ASSIGN(auto cache, load_pc2(file));
  const std::uint32_t mesh = data.streams[stream].mesh;
  if (cache.count != data.meshes[mesh].vertex_count()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: has {} points, and the driver '{}' {} vertices", file, cache.count,
                            data.meshes[mesh].name, data.meshes[mesh].vertex_count()));
  }
  caches_.push_back({std::move(cache), data.streams[stream].first_input, mesh});
  return {};
}

float Poser::duration() const {
  if (clip_ != nullptr) return clip_->duration;
  double longest = 0;
  for (const Cache& own : caches_) {
    longest = std::max(longest, (own.cache.start + double{own.cache.rate} * (own.cache.frames - 1)) / fps_);
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
  for (const Cache& own : caches_) {
    std::vector<glm::vec3> points(own.cache.count);
    sample(own.cache, static_cast<float>(seconds * fps_), points);
    std::memcpy(&pose.inputs[own.first_input], points.data(), points.size() * sizeof(glm::vec3));
  }
  return pose;
}

std::vector<TimedPose> Poser::way(float from, float to) const {
  constexpr float kFrames = 60;  // a second
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

}  // namespace pelt::samples
