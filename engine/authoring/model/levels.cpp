// SPDX-License-Identifier: MIT
#include "engine/authoring/model/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace pelt {
namespace {

constexpr std::uint32_t kMaxInName = 63;

// A name that ends with "_LOD" and a number.
struct NumberedName {
  std::string_view base;
  std::uint32_t number = 0;
};

std::optional<NumberedName> numbered(std::string_view name) {
  constexpr std::string_view kWord = "_lod";
  std::size_t digits = 0;
  while (digits < name.size() && std::isdigit(static_cast<unsigned char>(name[name.size() - 1 - digits])) != 0) {
    ++digits;
  }
  if (digits < 1 || digits > 2 || name.size() <= digits + kWord.size()) return std::nullopt;
  const std::size_t base = name.size() - digits - kWord.size();
  const bool has_word = std::ranges::equal(name.substr(base, kWord.size()), kWord,
                                           [](unsigned char c, char word) { return std::tolower(c) == word; });
  if (!has_word) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(std::stoul(std::string(name.substr(name.size() - digits))));
  if (number > kMaxInName) return std::nullopt;
  return NumberedName{name.substr(0, base), number};
}

// Adds the levels that names tell to those that are declared.
void read_names(const Model& model, std::map<std::string, DeclaredLevel>& levels) {
  std::map<std::string_view, std::map<std::uint32_t, const std::string*>> groups;
  for (const Mesh& mesh : model.meshes) {
    if (levels.contains(mesh.name)) continue;
    if (const auto name = numbered(mesh.name)) groups[name->base].emplace(name->number, &mesh.name);
  }
  for (auto& [base, group] : groups) {
    const Mesh* whole = model.find_mesh(base);
    if (whole != nullptr && !group.contains(0) && !levels.contains(whole->name)) group.emplace(0, &whole->name);
    const auto& [lowest, finest] = *group.begin();
    for (const auto& [number, name] : group) {
      if (name != finest) levels[*name] = {*finest, number - lowest};
    }
  }
}

}  // namespace

void gather_levels(const std::map<std::string, DeclaredLevel>& declared, Model& model) {
  std::map<std::string, DeclaredLevel> levels = declared;
  read_names(model, levels);
  std::set<std::pair<std::string_view, std::uint32_t>> taken;
  std::erase_if(levels, [&](const auto& entry) {
    const auto& [name, level] = entry;
    const Mesh* whole = model.find_mesh(level.of);
    return model.find_mesh(name) == nullptr || whole == nullptr || whole->triangles.empty() ||
           levels.contains(level.of) || !taken.emplace(whole->name, level.level).second;
  });
  if (levels.empty()) return;
  std::vector<std::pair<Mesh, DeclaredLevel>> found;
  for (Mesh& mesh : model.meshes) {
    const auto level = levels.find(mesh.name);
    if (level != levels.end()) found.emplace_back(std::move(mesh), level->second);
  }
  std::erase_if(model.meshes, [&](const Mesh& mesh) { return levels.contains(mesh.name) || mesh.name.empty(); });
  std::uint32_t coarsest = 0;
  for (auto& [mesh, level] : found) {
    const auto of = static_cast<std::uint32_t>(model.find_mesh(level.of) - model.meshes.data());
    coarsest = std::max(coarsest, level.level);
    model.levels.push_back({of, level.level, std::move(mesh)});
  }
  std::ranges::sort(model.levels, {}, [](const MeshLevel& level) { return std::tuple(level.of, level.level); });
  for (Clip& clip : model.clips) {
    std::erase_if(clip.morph_channels, [&](const MorphChannel& channel) { return levels.contains(channel.mesh); });
  }
  for (Expression& expression : model.expressions) {
    std::erase_if(expression.targets, [&](const ExpressionTarget& target) { return levels.contains(target.mesh); });
  }
  std::erase_if(model.expressions, [](const Expression& expression) { return expression.targets.empty(); });
  std::erase_if(model.clips, [](const Clip& clip) { return clip.channels.empty() && clip.morph_channels.empty(); });
  model.report.notes.push_back(
      fmt::format("{} meshes are levels of detail of others, 1 to {}", model.levels.size(), coarsest));
}

}  // namespace pelt
