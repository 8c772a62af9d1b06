// SPDX-License-Identifier: MIT
#include "samples/pelt/input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "engine/character/pelt_file.h"
#include "engine/model/import.h"
#include "engine/model/pose.h"
#include "engine/rig/deformers.h"
#include "engine/rig/rig_json.h"

namespace pelt::samples {

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

Result<Loaded> bind_model(const std::string& model_name, const Binding& binding, const BindOptions& options) {
  const Result<Model> model = import_model(model_name);
  if (!model) return tl::unexpected(model.error());
  const Result<Rig> rig = binding.rig.empty() ? rig_from_deformer_name(binding.deformer) : load_rig(binding.rig);
  if (!rig) return tl::unexpected(rig.error());
  Result<Bound> bound = bind(*model, *rig, options);
  if (!bound) return fail(bound.error().code, fmt::format("{}: {}", model_name, bound.error().message));
  return Loaded{std::move(*bound), model->report};
}

Result<Character> load_character(const std::string& file, const Binding& binding) {
  if (lower_extension(file) == ".pelt") return load_pelt(file);
  Result<Loaded> loaded = bind_model(file, binding);
  if (!loaded) return tl::unexpected(loaded.error());
  return std::move(loaded->bound.character);
}

Error unknown_name(std::string_view what, std::string_view plural, std::string_view name,
                   std::span<const std::string_view> known) {
  if (known.empty())
    return {ErrorCode::kNotFound, fmt::format("there is no {} '{}', and there are no {}", what, name, plural)};
  constexpr std::size_t kMostNames = 50;
  const std::span<const std::string_view> shown = known.first(std::min(known.size(), kMostNames));
  const std::string more = known.size() > shown.size() ? fmt::format(" and {} more", known.size() - shown.size()) : "";
  return {ErrorCode::kNotFound, fmt::format("there is no {} '{}'; did you mean '{}'? There are: {}{}", what, name,
                                            nearest_name(name, known), fmt::join(shown, ", "), more)};
}

Result<const Clip*> find_clip_or_rest(const Character& character, const std::string& name) {
  if (name.empty()) return nullptr;
  const Clip* clip = find_clip(character->clips, name);
  if (clip != nullptr) return clip;
  std::vector<std::string_view> names;
  for (const Clip& known : character->clips) names.push_back(known.name);
  return tl::unexpected(unknown_name("clip", "clips", name, names));
}

std::vector<glm::mat4> joints_at(const Character& character, const Clip* clip, float seconds) {
  const Skeleton& skeleton = character->skeleton;
  std::vector<Transform> local(skeleton.joints.size());
  rest_pose(skeleton, local);
  if (clip != nullptr) sample_clip(*clip, seconds, local);
  std::vector<glm::mat4> matrices(skeleton.joints.size());
  model_matrices(skeleton, local, matrices);
  return matrices;
}

}  // namespace pelt::samples
