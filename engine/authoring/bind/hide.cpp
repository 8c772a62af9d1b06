// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/hide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include <pelt/garment.h>
#include <pelt/import.h>
#include <pelt/nearest_name.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/clip_poses.h>
#include <pelt/try.h>

#include "engine/authoring/check/hidden_skin.h"
#include "engine/authoring/deformer/find_cage.h"
#include "engine/authoring/model/beside.h"
#include "engine/character/base/invalid.h"

namespace pelt {
namespace {

constexpr std::size_t kMaxClipPoses = 240;

std::vector<bool> see_through_of(const Model& model) {
  std::vector<bool> result;
  for (const Material& material : model.materials) {
    result.push_back(material.alpha_mask || material.alpha_blend || material.base_color.a < 1);
  }
  return result;
}

// The garments of all sets.
struct Garments {
  struct Set {
    std::set<std::string> names;  // of meshes and materials of the model
    std::set<std::size_t> files;  // numbers of wearers
  };
  std::vector<Set> sets;
  std::vector<Wearer> wearers;  // the character, then a garment for each file
};

Result<Garments> find_garments(const Model& model, const Rig& rig, const Character& bound, const BindOptions& options) {
  Garments garments;
  garments.wearers.push_back({bound, see_through_of(model)});
  std::map<std::string, std::size_t> files;
  std::vector<std::string_view> known;
  for (const Mesh& mesh : model.meshes) known.push_back(mesh.name);
  for (const Material& material : model.materials) known.push_back(material.name);
  for (std::size_t s = 0; s < rig.hide.size(); ++s) {
    const std::string what = fmt::format("/hide/{}/under", s);
    if (rig.hide[s].under.empty()) return invalid("{}: names no garment", what);
    Garments::Set& set = garments.sets.emplace_back();
    for (const std::string& name : rig.hide[s].under) {
      if (std::ranges::find(known, name) != known.end()) {
        set.names.insert(name);
        continue;
      }
      const std::string extension = lower_extension(name);
      if (extension != ".glb" && extension != ".gltf" && extension != ".vrm" && extension != ".obj") {
        return fail(ErrorCode::kNotFound, fmt::format("{}: there is no mesh, material or model's file '{}'{}", what,
                                                      name, hint_of(name, known)));
      }
      const auto [file, is_new] = files.emplace(name, garments.wearers.size());
      set.files.insert(file->second);
      if (!is_new) continue;
      PELT_ASSIGN(const auto path, within(what, named_file(name, rig)));
      PELT_ASSIGN(auto garment, within(what, import_model(path.string(), nullptr, rig.files)));
      PELT_ASSIGN(const auto dressed, within(what, dress_by_weights(std::move(garment), model, options.threads)));
      Rig cloth = *rig_from_deformer_name("surface_ffd");
      if (dressed.copied_weights) cloth.layers[0].deformer.get_if<SurfaceFfdParameters>()->driver.spread = 0;
      PELT_ASSIGN(const auto worn, within(what, bind(dressed.model, cloth, {.threads = options.threads})));
      garments.wearers.push_back({worn.character, see_through_of(dressed.model)});
    }
  }
  return garments;
}

// Returns the mesh without hidden triangles, and without the vertices of only those. `parts`: of the whole mesh.
WornLevel without(const Mesh& whole, std::span<const MeshPart> parts, const std::vector<bool>& hidden) {
  WornLevel result;
  std::vector<bool> is_kept(whole.positions.size(), true);
  for (std::size_t t = 0; t < hidden.size(); ++t) {
    for (int c = 0; hidden[t] && c < 3; ++c) is_kept[whole.triangles[t][c]] = false;
  }
  for (std::size_t t = 0; t < hidden.size(); ++t) {
    for (int c = 0; !hidden[t] && c < 3; ++c) is_kept[whole.triangles[t][c]] = true;
  }
  std::vector<std::uint32_t> number(is_kept.size(), 0);
  for (std::uint32_t v = 0; v < is_kept.size(); ++v) {
    number[v] = static_cast<std::uint32_t>(result.vertices.size());
    if (is_kept[v]) result.vertices.push_back(v);
  }
  const auto pick = [&](const auto& all) {
    std::remove_cvref_t<decltype(all)> some;
    if (all.empty()) return some;
    for (const std::uint32_t v : result.vertices) some.push_back(all[v]);
    return some;
  };
  Mesh& mesh = result.level.mesh;
  mesh.positions = pick(whole.positions);
  mesh.normals = pick(whole.normals);
  mesh.tangents = pick(whole.tangents);
  mesh.uvs = pick(whole.uvs);
  if (whole.weights.row_count() != 0) {
    for (const std::uint32_t v : result.vertices) mesh.weights.append_row(whole.weights.row(v));
  }
  for (const MorphTarget& target : whole.morph_targets) {
    mesh.morph_targets.push_back(
        {target.name, pick(target.offsets), target.weight, pick(target.normals), pick(target.tangents)});
  }
  for (const MeshPart& part : parts) {
    const auto first = static_cast<std::uint32_t>(mesh.triangles.size());
    for (std::uint32_t t = part.first_triangle; t < part.first_triangle + part.triangle_count; ++t) {
      const glm::uvec3& v = whole.triangles[t];
      if (!hidden[t]) mesh.triangles.emplace_back(number[v.x], number[v.y], number[v.z]);
    }
    mesh.parts.push_back({first, static_cast<std::uint32_t>(mesh.triangles.size()) - first, part.material});
  }
  return result;
}

}  // namespace

Result<std::vector<WornLevel>> find_worn_levels(const Model& model, const Rig& rig, const Character& bound,
                                                std::span<const CheckPose> poses, const BindOptions& options,
                                                const std::function<void(double)>& progress,
                                                std::vector<std::string>& notes) {
  if (rig.hide.size() > kMaxLevel) return invalid("/hide: has more than {} sets", kMaxLevel);
  PELT_ASSIGN(const auto garments, find_garments(model, rig, bound, options));
  const auto is_garment = [&](std::size_t set, std::size_t wearer, const CharacterMesh& mesh, const MeshPart& part) {
    const Garments::Set& of = garments.sets[set];
    if (wearer > 0) return of.files.contains(wearer);
    return of.names.contains(mesh.name) ||
           (part.material >= 0 && of.names.contains(model.materials[static_cast<std::size_t>(part.material)].name));
  };
  std::vector<CheckPose> all =
      clip_poses(*bound, {.clips = static_cast<std::uint32_t>(bound->clips.size()), .poses = kMaxClipPoses});
  all.insert(all.end(), poses.begin(), poses.end());
  const auto hidden = hidden_triangles(garments.wearers, rig.hide.size(), is_garment, all, options.threads, progress);
  std::vector<WornLevel> levels;
  std::vector<bool> saves(rig.hide.size(), false);
  for (std::uint32_t m = 0; m < model.meshes.size(); ++m) {
    const Mesh& mesh = model.meshes[m];
    const auto is_skin = [&](const CharacterMesh& other) { return !other.control && other.name == mesh.name; };
    const auto skin = std::ranges::find_if(bound->meshes, is_skin);
    if (skin == bound->meshes.end()) continue;
    const auto number = static_cast<std::size_t>(skin - bound->meshes.begin());
    bool any = false;
    for (std::size_t s = 0; s < rig.hide.size(); ++s) {
      const std::vector<bool>& of_set = hidden[s][number];
      const auto count = std::ranges::count(of_set, true);
      any = any || count > 0;
      if (!any) continue;  // later sets need their own level, even if it is whole
      WornLevel worn = without(mesh, skin->parts, of_set);
      worn.level.of = m;
      worn.level.level = static_cast<std::uint32_t>(s) + 1;
      worn.level.mesh.name = fmt::format("{} at level {}", mesh.name, s + 1);
      if (count > 0) {
        saves[s] = true;
        notes.push_back(
            fmt::format("level {}, under {}: {} of the {} triangles of '{}' are never seen in {} poses; {} of its "
                        "{} vertices are not moved",
                        s + 1, fmt::join(rig.hide[s].under, ", "), count, of_set.size(), mesh.name, all.size() + 1,
                        mesh.positions.size() - worn.vertices.size(), mesh.positions.size()));
      }
      levels.push_back(std::move(worn));
    }
  }
  for (std::size_t s = 0; s < saves.size(); ++s) {
    if (!saves[s]) notes.push_back(fmt::format("level {}: {} hide nothing", s + 1, fmt::join(rig.hide[s].under, ", ")));
  }
  return levels;
}

}  // namespace pelt
