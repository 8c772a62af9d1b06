// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <pelt/import.h>
#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "engine/authoring/base/name_list.h"
#include "engine/authoring/model/beside.h"
#include "engine/authoring/model/gltf/accessor.h"
#include "engine/authoring/model/gltf/animation.h"
#include "engine/authoring/model/gltf/bendy_bone.h"
#include "engine/authoring/model/gltf/budget.h"
#include "engine/authoring/model/gltf/check.h"
#include "engine/authoring/model/gltf/document.h"
#include "engine/authoring/model/gltf/instances.h"
#include "engine/authoring/model/gltf/loader.h"
#include "engine/authoring/model/gltf/origin.h"
#include "engine/authoring/model/gltf/primitive.h"
#include "engine/authoring/model/gltf/skeleton.h"
#include "engine/authoring/model/gltf/skin.h"
#include "engine/authoring/model/gltf/vrm.h"
#include "engine/authoring/model/unique_names.h"

namespace pelt {
namespace {

// A node that replaces another one when that is small on screen (MSFT_lod).
struct GltfLevel {
  std::size_t of = 0;
  std::size_t node = 0;
  std::uint32_t level = 1;
};

// Returns the levels of all nodes; the schema has checked the ids. Errors name the location: a node named twice, more
// than 63 levels.
Result<std::vector<GltfLevel>> read_gltf_levels(const GltfDocument& document) {
  constexpr std::size_t kMaxLevels = 63;
  const std::vector<tinygltf::Node>& nodes = document.gltf.nodes;
  std::vector<GltfLevel> levels;
  std::vector<bool> named(nodes.size(), false);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto extension = nodes[n].extensions.find("MSFT_lod");
    if (extension == nodes[n].extensions.end()) continue;
    const std::string place = fmt::format("/nodes/{}/extensions/MSFT_lod/ids", n);
    const tinygltf::Value& ids = extension->second.Get("ids");
    if (ids.ArrayLen() > kMaxLevels) return fail_at(document, place, fmt::format("has {} levels", ids.ArrayLen()));
    for (int i = 0; i < static_cast<int>(ids.ArrayLen()); ++i) {
      const std::string here = fmt::format("{}/{}", place, i);
      const auto node = static_cast<std::size_t>(ids.Get(i).GetNumberAsInt());
      if (node == n || named[node]) return fail_at(document, here, fmt::format("names node {} again", node));
      named[node] = true;
      levels.push_back({n, node, static_cast<std::uint32_t>(i + 1)});
    }
  }
  return levels;
}

// Returns the levels that only MSFT_lod names: they have no parent, and no scene shows them.
std::vector<GltfLevel> loose_levels(const GltfDocument& document, const NodeTree& tree,
                                    std::span<const GltfLevel> levels) {
  std::set<std::size_t> roots;
  for (const tinygltf::Scene& scene : document.gltf.scenes) roots.insert(scene.nodes.begin(), scene.nodes.end());
  std::vector<GltfLevel> loose;
  for (const GltfLevel& level : levels) {
    if (tree.parents[level.node] < 0 && !roots.contains(level.node)) loose.push_back(level);
  }
  return loose;
}

// Returns the tree with the levels below the parent of the finest one, as their transforms are meant.
NodeTree adopt(std::span<const GltfLevel> levels, const NodeTree& tree) {
  NodeTree result{tree.parents, {}};
  for (const GltfLevel& level : levels) {
    const auto is_level = [&](int node) { return node == static_cast<int>(level.node); };
    int above = result.parents[level.of];
    while (above >= 0 && !is_level(above)) above = result.parents[static_cast<std::size_t>(above)];
    if (!is_level(above)) result.parents[level.node] = result.parents[level.of];
  }
  std::vector<std::vector<int>> children(tree.parents.size() + 1);  // the last: roots
  for (const int node : tree.order) {
    const int parent = result.parents[static_cast<std::size_t>(node)];
    children[parent < 0 ? tree.parents.size() : static_cast<std::size_t>(parent)].push_back(node);
  }
  std::vector<int> pending(children.back().rbegin(), children.back().rend());
  while (!pending.empty()) {
    const int node = pending.back();
    pending.pop_back();
    result.order.push_back(node);
    const std::vector<int>& below = children[static_cast<std::size_t>(node)];
    pending.insert(pending.end(), below.rbegin(), below.rend());
  }
  return result;
}

// A mesh that a file declares to be a level of another.
struct DeclaredLevel {
  std::string of;
  std::uint32_t level = 1;
};

// A name that ends with "_LOD" and a number.
struct NumberedName {
  std::string_view base;
  std::uint32_t number = 0;
};

std::optional<NumberedName> numbered(std::string_view name) {
  constexpr std::string_view kWord = "_lod";
  constexpr std::uint32_t kMaxInName = 63;
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

// Adds the levels declared by names.
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

// Moves meshes from Model::meshes to Model::levels: those that are `declared`, by name, and those whose names end with
// _LOD1, _LOD2 and so on, in any case, if another mesh has the same name with a lower number or none (the convention of
// Unity and Unreal). The mesh with the lowest number stays, as level 0. Clips and expressions of a level are dropped:
// its mesh's weights move it. A level of a mesh without triangles stays a separate mesh. Notes the levels.
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
  std::erase_if(model.lines, [&](const MeshLines& lines) { return levels.contains(lines.mesh); });
  std::erase_if(model.clips, [](const Clip& clip) { return clip.channels.empty() && clip.morph_channels.empty(); });
  model.report.notes.push_back(
      fmt::format("{} meshes are levels of detail of others, 1 to {}", model.levels.size(), coarsest));
}

class Importer {
 public:
  Importer(const GltfDocument& document, AccessorChecker& accessors, NodeTree tree, std::vector<GltfLevel> levels)
      : document_(document),
        accessors_(accessors),
        tree_(std::move(tree)),
        levels_(std::move(levels)),
        budget_(document) {}

  Result<Model> run(GltfOrigin* origin) {
    model_.name = std::filesystem::path(document_.source).filename().string();
    const std::vector<GltfLevel> loose = loose_levels(document_, tree_, levels_);
    PELT_ASSIGN(auto skeleton, read_joints(document_, adopt(loose, tree_), model_.skeleton));
    PELT_ASSIGN(skins_, read_skins(document_, skeleton.joint_of_node));
    add_bendy_bones(skeleton.joint_of_node);
    add_anchors(skeleton.joint_of_node);
    add_human_bones(document_.vrm.bones, skeleton.joint_of_node, model_);
    add_materials();
    PELT_TRY(add_meshes(carriers(loose, skeleton.joint_of_node)));
    PELT_TRY(add_expressions(document_.vrm.expressions, document_.gltf, mesh_of_node_, budget_, model_));
    PELT_TRY(read_clips(document_, skeleton.joint_of_node, mesh_of_node_, budget_, model_));
    PELT_TRY(bring_to_model_space(document_, skeleton, skins_, skin_of_mesh_, model_));
    if (origin != nullptr) *origin = {meshes_in_file(), skins_, skeleton.joint_of_node};
    gather_levels(declared_levels(), model_);
    PELT_TRY(check_size(document_, model_));
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

  // A mark is a name, or anything but 0 and false: then the anchor has the joint's name.
  void add_anchors(const std::vector<std::uint32_t>& joint_of_node) {
    UniqueNames names;
    for (const int index : tree_.order) {
      const auto i = static_cast<std::size_t>(index);
      const tinygltf::Value& extras = document_.gltf.nodes[i].extras;
      if (!extras.IsObject() || !extras.Has("pelt_anchor")) continue;
      const tinygltf::Value& mark = extras.Get("pelt_anchor");
      const bool is_name = mark.IsString() && !mark.Get<std::string>().empty();
      const bool is_off = mark.IsNumber() ? mark.GetNumberAsDouble() == 0 : mark.IsBool() && !mark.Get<bool>();
      if (is_off) continue;
      const std::string& joint = model_.skeleton.joints[joint_of_node[i]].name;
      model_.anchors.push_back({names.claim(is_name ? mark.Get<std::string>() : joint), joint_of_node[i]});
    }
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
      model_.report.notes.push_back(
          fmt::format("{} scenes, of which only the default one is read", gltf.scenes.size()));
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

  // Hides invisible nodes, all nodes below them, and their levels (KHR_node_visibility).
  void hide_invisible(std::vector<bool>& shown) {
    NameList meshes;
    std::vector<bool> hidden(shown.size(), false);
    for (const int node : tree_.order) {
      const auto i = static_cast<std::size_t>(node);
      const int parent = tree_.parents[i];
      const auto& extensions = document_.gltf.nodes[i].extensions;
      const auto found = extensions.find("KHR_node_visibility");
      const bool invisible =
          found != extensions.end() && found->second.Has("visible") && !found->second.Get("visible").Get<bool>();
      hidden[i] = invisible || (parent >= 0 && hidden[static_cast<std::size_t>(parent)]);
      if (!hidden[i] || !shown[i]) continue;
      shown[i] = false;
      if (document_.gltf.nodes[i].mesh >= 0) meshes.add(document_.gltf.nodes[i].name);
    }
    for (const GltfLevel& level : levels_) {
      if (hidden[level.of]) shown[level.node] = false;
    }
    if (meshes.empty()) return;
    model_.report.notes.push_back(
        fmt::format("{} invisible nodes with meshes are left out: {}", meshes.count(), meshes.text()));
  }

  // Shows the levels of shown meshes. Levels of whole groups of nodes are hidden with all nodes below them.
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

  // Notes the meshes and skins that are not in the model.
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
    note("mesh", mesh_used, gltf.meshes, "meshes left out, since the scene does not show them");
    note("skin", skin_used, gltf.skins, "skins left out, since the scene shows no mesh of theirs");
  }

  // Returns for each node the joint that moves its mesh: for a loose level with the finest one's transform and no
  // clip, that of the finest one.
  std::vector<std::uint32_t> carriers(std::span<const GltfLevel> loose,
                                      std::vector<std::uint32_t> joint_of_node) const {
    std::set<int> moved;
    for (const std::vector<GltfChannel>& channels : document_.channels) {
      for (const GltfChannel& channel : channels) {
        if (channel.property != GltfProperty::kWeights) moved.insert(channel.node);
      }
    }
    for (const GltfLevel& level : loose) {
      const tinygltf::Node& node = document_.gltf.nodes[level.node];
      const tinygltf::Node& finest = document_.gltf.nodes[level.of];
      const bool same = node.translation == finest.translation && node.rotation == finest.rotation &&
                        node.scale == finest.scale && node.matrix == finest.matrix;
      if (same && !moved.contains(static_cast<int>(level.node))) joint_of_node[level.node] = joint_of_node[level.of];
    }
    return joint_of_node;
  }

  // Adds meshes in the space of the file; their weights name joints of their skin.
  Result<void> add_meshes(const std::vector<std::uint32_t>& joint_of_node) {
    std::vector<bool> shown = shown_nodes();
    show_levels(shown);
    hide_invisible(shown);
    mesh_of_node_.assign(shown.size(), -1);
    GltfMeshReader reader(document_, accessors_, budget_, model_.report);
    UniqueNames names;
    report_hidden(shown);
    for (const int index : tree_.order) {
      const auto i = static_cast<std::size_t>(index);
      const tinygltf::Node& node = document_.gltf.nodes[i];
      if (node.mesh < 0 || !shown[i]) continue;
      const tinygltf::Mesh& source = document_.gltf.meshes[static_cast<std::size_t>(node.mesh)];
      Mesh mesh;
      mesh.name = !node.name.empty() ? node.name : name_or(source.name, "mesh", node.mesh);
      PELT_TRY(budget_.take(4 * mesh.name.size(), mesh.name));
      mesh.name = names.claim(mesh.name);
      if (node.skin < 0) skins_.push_back(rigid_skin(joint_of_node[i]));
      const std::size_t skin = node.skin >= 0 ? static_cast<std::size_t>(node.skin) : skins_.size() - 1;
      const std::uint32_t unweighted = model_.report.unweighted_vertices;
      std::vector<glm::uvec2> segments;
      PELT_TRY(reader.read(source, node, skins_[skin], mesh, segments));
      if (mesh.positions.empty()) continue;
      if (!segments.empty()) model_.lines.push_back({mesh.name, std::move(segments)});
      if (model_.report.unweighted_vertices - unweighted == mesh.positions.size())
        model_.unpainted.push_back(mesh.name);
      mesh_of_node_[i] = static_cast<std::int32_t>(model_.meshes.size());
      skin_of_mesh_.push_back(skin);
      model_.meshes.push_back(std::move(mesh));
    }
    reader.report_common();
    if (model_.meshes.empty()) {
      return fail(ErrorCode::kInvalidFile,
                  fmt::format("{}: has no mesh with positions that a node shows", document_.source));
    }
    return {};
  }

  std::map<std::string, GltfOrigin::Mesh> meshes_in_file() const {
    std::map<std::string, GltfOrigin::Mesh> meshes;
    for (std::size_t node = 0; node < mesh_of_node_.size(); ++node) {
      if (mesh_of_node_[node] < 0) continue;
      const auto mesh = static_cast<std::size_t>(mesh_of_node_[node]);
      meshes[model_.meshes[mesh].name] = {node, skin_of_mesh_[mesh]};
    }
    return meshes;
  }

  // Returns the levels whose meshes are in the model, by mesh name.
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
  AccessorChecker& accessors_;
  NodeTree tree_;
  std::vector<GltfLevel> levels_;
  GltfBudget budget_;
  Model model_;
  std::vector<GltfSkin> skins_;  // the file's skins come first
  std::vector<std::size_t> skin_of_mesh_;
  std::vector<std::int32_t> mesh_of_node_;
};

Result<Model> import_any(std::span<const std::byte> file, const std::filesystem::path& path,
                         std::vector<std::filesystem::path>* beside, NamedFiles files, GltfOrigin* origin) {
  PELT_ASSIGN(auto document, read_gltf_document(file, path, beside, files));
  AccessorChecker accessors(document);
  PELT_TRY(expand_instances(document, accessors));
  PELT_ASSIGN(auto tree, check_nodes(document));
  PELT_TRY(check_skins(document, accessors));
  PELT_TRY(check_animations(document, accessors));
  PELT_ASSIGN(auto levels, read_gltf_levels(document));
  PELT_ASSIGN(auto model, Importer(document, accessors, std::move(tree), std::move(levels)).run(origin));
  model.images = std::move(document.images.images);
  return model;
}

}  // namespace

bool is_gltf(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".gltf" || extension == ".glb" || extension == ".vrm";
}

Result<Model> import_gltf(const std::filesystem::path& path, std::vector<std::filesystem::path>* beside,
                          NamedFiles files) {
  PELT_ASSIGN(const auto file, read_file(path, kMaxGltfBytes));
  return import_gltf(file, path, beside, files);
}

Result<Model> import_gltf(std::span<const std::byte> file, const std::filesystem::path& path,
                          std::vector<std::filesystem::path>* beside, NamedFiles files) {
  return import_any(file, path, beside, files, nullptr);
}

Result<Model> import_gltf(std::span<const std::byte> file, const std::filesystem::path& path, GltfOrigin& origin) {
  return import_any(file, path, nullptr, NamedFiles::kNone, &origin);
}

}  // namespace pelt
