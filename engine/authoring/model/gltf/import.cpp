// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <pelt/import.h>
#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "engine/authoring/core/name_list.h"
#include "engine/authoring/model/gltf/accessor.h"
#include "engine/authoring/model/gltf/animation.h"
#include "engine/authoring/model/gltf/bendy_bone.h"
#include "engine/authoring/model/gltf/budget.h"
#include "engine/authoring/model/gltf/check.h"
#include "engine/authoring/model/gltf/document.h"
#include "engine/authoring/model/gltf/loader.h"
#include "engine/authoring/model/gltf/lod.h"
#include "engine/authoring/model/gltf/primitive.h"
#include "engine/authoring/model/gltf/skeleton.h"
#include "engine/authoring/model/gltf/skin.h"
#include "engine/authoring/model/gltf/vrm.h"
#include "engine/authoring/model/levels.h"
#include "engine/authoring/model/unique_names.h"

namespace pelt {
namespace {

class Importer {
 public:
  Importer(const GltfDocument& document, NodeTree tree, std::vector<GltfLevel> levels)
      : document_(document), tree_(std::move(tree)), levels_(std::move(levels)), budget_(document) {}

  Result<Model> run() {
    model_.name = std::filesystem::path(document_.source).filename().string();
    PELT_ASSIGN(auto skeleton, read_joints(document_, tree_, model_.skeleton));
    PELT_ASSIGN(skins_, read_skins(document_, skeleton.joint_of_node));
    add_bendy_bones(skeleton.joint_of_node);
    add_human_bones(document_.vrm.bones, skeleton.joint_of_node, model_);
    add_materials();
    PELT_TRY(add_meshes(skeleton.joint_of_node));
    PELT_TRY(add_expressions(document_.vrm.expressions, document_.gltf, mesh_of_node_, budget_, model_));
    PELT_TRY(bring_to_model_space(document_, skeleton, skins_, skin_of_mesh_, model_));
    PELT_TRY(read_clips(document_, skeleton.joint_of_node, mesh_of_node_, budget_, model_));
    gather_levels(declared_levels(), model_);
    PELT_TRY(check_size());
    model_.report.notes.insert(model_.report.notes.end(), document_.unread.begin(), document_.unread.end());
    return std::move(model_);
  }

 private:
  void add_bendy_bones(const std::vector<std::uint32_t>& joint_of_node) {
    std::size_t refused = 0;
    std::string first;
    for (const int index : tree_.order) {
      const auto i = static_cast<std::size_t>(index);
      std::string why;
      const std::optional<BendyBone> bone = read_bendy_bone(document_.gltf.nodes[i].extras, why);
      if (bone) model_.bendy_bones.push_back({joint_of_node[i], *bone});
      if (why.empty() || refused++ > 0) continue;
      first = fmt::format("{} of '{}'", why, model_.skeleton.joints[joint_of_node[i]].name.substr(0, 100));
    }
    if (refused == 0) return;
    model_.report.notes.push_back(
        fmt::format("bendy-bone properties of {} nodes are left out, since they are not valid: {}", refused, first));
  }

  void add_materials() {
    for (std::size_t i = 0; i < document_.gltf.materials.size(); ++i) {
      const tinygltf::Material& source = document_.gltf.materials[i];
      Material material;
      material.name = source.name.empty() ? fmt::format("material_{}", i) : source.name;
      const std::vector<double>& factor = source.pbrMetallicRoughness.baseColorFactor;
      for (std::size_t c = 0; c < 4; ++c) {
        material.base_color[static_cast<glm::length_t>(c)] = static_cast<float>(factor[c]);
      }
      material.base_color_image = document_.images.of_material[i];
      material.alpha_mask = source.alphaMode == "MASK";
      model_.materials.push_back(std::move(material));
    }
    if (!document_.images.note.empty()) model_.report.notes.push_back(document_.images.note);
  }

  // Returns the nodes that the default scene shows, or all nodes if the file has no scene.
  std::vector<bool> shown_nodes() {
    const auto& gltf = document_.gltf;
    if (gltf.scenes.empty()) return std::vector<bool>(gltf.nodes.size(), true);
    if (gltf.scenes.size() > 1) {
      model_.report.notes.push_back(fmt::format("{} scenes, of which the default one is read", gltf.scenes.size()));
    }
    const int scene = std::max(gltf.defaultScene, 0);
    std::vector<bool> shown(gltf.nodes.size(), false);
    for (const int root : gltf.scenes[static_cast<std::size_t>(scene)].nodes) {
      shown[static_cast<std::size_t>(root)] = true;
    }
    for (const int node : tree_.order) {
      const int parent = tree_.parents[static_cast<std::size_t>(node)];
      if (parent >= 0 && shown[static_cast<std::size_t>(parent)]) shown[static_cast<std::size_t>(node)] = true;
    }
    return shown;
  }

  // Shows the levels of shown meshes. Levels of whole groups of nodes are hidden with all below them.
  void show_levels(std::vector<bool>& shown) {
    std::vector<bool> hidden(shown.size(), false);
    std::size_t groups = 0;
    for (const GltfLevel& level : levels_) {
      const bool is_mesh = document_.gltf.nodes[level.of].mesh >= 0 && document_.gltf.nodes[level.node].mesh >= 0;
      if (is_mesh && shown[level.of]) shown[level.node] = true;
      if (!is_mesh) hidden[level.node] = true;
      groups += is_mesh ? 0 : 1;
    }
    for (const int node : tree_.order) {
      const auto i = static_cast<std::size_t>(node);
      if (tree_.parents[i] >= 0 && hidden[static_cast<std::size_t>(tree_.parents[i])]) hidden[i] = true;
      if (hidden[i]) shown[i] = false;
    }
    if (groups == 0) return;
    model_.report.notes.push_back(
        fmt::format("{} levels of detail are left out, since they are not of single meshes (MSFT_lod)", groups));
  }

  // Notes the meshes and skins that the model does not get.
  void report_hidden(const std::vector<bool>& shown) {
    const auto& gltf = document_.gltf;
    std::vector<bool> mesh_used(gltf.meshes.size(), false);
    std::vector<bool> skin_used(gltf.skins.size(), false);
    for (std::size_t i = 0; i < gltf.nodes.size(); ++i) {
      const tinygltf::Node& node = gltf.nodes[i];
      if (node.mesh < 0 || !shown[i]) continue;
      mesh_used[static_cast<std::size_t>(node.mesh)] = true;
      if (node.skin >= 0) skin_used[static_cast<std::size_t>(node.skin)] = true;
    }
    const auto note = [&](std::string_view kind, const std::vector<bool>& used, const auto& all, const char* what) {
      NameList unused;
      for (std::size_t i = 0; i < used.size(); ++i) {
        if (!used[i]) unused.add(all[i].name.empty() ? fmt::format("{}_{}", kind, i) : all[i].name);
      }
      if (!unused.empty()) model_.report.notes.push_back(fmt::format("{}: {}", what, unused.text()));
    };
    note("mesh", mesh_used, gltf.meshes, "meshes that the scene does not show, and are left out");
    note("skin", skin_used, gltf.skins, "skins of no mesh that the scene shows, which are left out");
  }

  // Adds meshes in the space of the file; their weights name joints of their skin.
  Result<void> add_meshes(const std::vector<std::uint32_t>& joint_of_node) {
    std::vector<bool> shown = shown_nodes();
    show_levels(shown);
    mesh_of_node_.assign(shown.size(), -1);
    GltfMeshReader reader(document_, budget_, model_.report);
    UniqueNames names;
    report_hidden(shown);
    for (const int index : tree_.order) {
      const auto i = static_cast<std::size_t>(index);
      const tinygltf::Node& node = document_.gltf.nodes[i];
      if (node.mesh < 0 || !shown[i]) continue;
      const tinygltf::Mesh& source = document_.gltf.meshes[static_cast<std::size_t>(node.mesh)];
      Mesh mesh;
      mesh.name = !node.name.empty() ? node.name : source.name;
      if (mesh.name.empty()) mesh.name = fmt::format("mesh_{}", node.mesh);
      PELT_TRY(budget_.take(4 * mesh.name.size(), mesh.name));
      mesh.name = names.claim(mesh.name);
      if (node.skin < 0) skins_.push_back(rigid_skin(joint_of_node[i]));
      const std::size_t skin = node.skin >= 0 ? static_cast<std::size_t>(node.skin) : skins_.size() - 1;
      PELT_TRY(reader.read(source, node, skins_[skin], mesh));
      if (mesh.positions.empty()) continue;
      mesh_of_node_[i] = static_cast<std::int32_t>(model_.meshes.size());
      skin_of_mesh_.push_back(skin);
      model_.meshes.push_back(std::move(mesh));
    }
    reader.report_common();
    if (model_.meshes.empty()) {
      return fail(ErrorCode::kInvalidFile,
                  fmt::format("{}: holds no mesh with positions that a node shows", document_.source));
    }
    return {};
  }

  // Accessors without a buffer give points at one place, and so may a node's scale and the precision of floats.
  // Tolerances and distances relative to the size need a size, that of the meshes without their levels.
  Result<void> check_size() const {
    const glm::vec3& point = model_.meshes.front().positions.front();
    const bool has_size = std::any_of(model_.meshes.begin(), model_.meshes.end(), [&](const Mesh& mesh) {
      return std::any_of(mesh.positions.begin(), mesh.positions.end(), [&](const glm::vec3& p) { return p != point; });
    });
    if (!has_size) {
      return fail(ErrorCode::kInvalidFile, fmt::format("{}: all vertices are at one point", document_.source));
    }
    return {};
  }

  // Returns the levels whose meshes the model has, by the names of these.
  std::map<std::string, DeclaredLevel> declared_levels() const {
    std::map<std::string, DeclaredLevel> declared;
    for (const GltfLevel& level : levels_) {
      const std::int32_t of = mesh_of_node_[level.of];
      const std::int32_t mesh = mesh_of_node_[level.node];
      if (of < 0 || mesh < 0) continue;
      declared[model_.meshes[static_cast<std::size_t>(mesh)].name] = {model_.meshes[static_cast<std::size_t>(of)].name,
                                                                      level.level};
    }
    return declared;
  }

  const GltfDocument& document_;
  NodeTree tree_;
  std::vector<GltfLevel> levels_;
  GltfBudget budget_;
  Model model_;
  std::vector<GltfSkin> skins_;  // the file's skins come first
  std::vector<std::size_t> skin_of_mesh_;
  std::vector<std::int32_t> mesh_of_node_;
};

}  // namespace

Result<Model> import_gltf(const std::filesystem::path& path, std::vector<std::filesystem::path>* beside,
                          NamedFiles files) {
  PELT_ASSIGN(const auto file, read_file(path, kMaxGltfBytes));
  return import_gltf(file, path, beside, files);
}

Result<Model> import_gltf(std::span<const std::byte> file, const std::filesystem::path& path,
                          std::vector<std::filesystem::path>* beside, NamedFiles files) {
  PELT_ASSIGN(auto document, read_gltf_document(file, path, beside, files));
  PELT_TRY(check_accessors(document));
  PELT_ASSIGN(auto tree, check_nodes(document));
  PELT_TRY(check_meshes(document));
  PELT_TRY(check_skins(document));
  PELT_TRY(check_animations(document));
  PELT_ASSIGN(auto levels, read_gltf_levels(document));
  PELT_ASSIGN(auto model, Importer(document, std::move(tree), std::move(levels)).run());
  model.images = std::move(document.images.images);
  return model;
}

}  // namespace pelt
