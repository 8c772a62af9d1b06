// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/vrm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <pelt/try.h>

#include "engine/authoring/base/name_list.h"
#include "engine/authoring/model/gltf/budget.h"
#include "engine/authoring/model/gltf/member.h"
#include "engine/authoring/model/unique_names.h"

namespace pelt {
namespace {

using nlohmann::json;
using Renaming = std::pair<std::string_view, std::string_view>;

// Presets of 0.x, and their names in 1.0.
constexpr std::array kPresets{
    Renaming{"neutral", "neutral"},
    Renaming{"joy", "happy"},
    Renaming{"angry", "angry"},
    Renaming{"sorrow", "sad"},
    Renaming{"fun", "relaxed"},
    Renaming{"a", "aa"},
    Renaming{"i", "ih"},
    Renaming{"u", "ou"},
    Renaming{"e", "ee"},
    Renaming{"o", "oh"},
    Renaming{"blink", "blink"},
    Renaming{"blink_l", "blinkLeft"},
    Renaming{"blink_r", "blinkRight"},
    Renaming{"lookup", "lookUp"},
    Renaming{"lookdown", "lookDown"},
    Renaming{"lookleft", "lookLeft"},
    Renaming{"lookright", "lookRight"},
};

// The bones that 1.0 renames: a thumb begins at the metacarpal.
constexpr std::array kThumbs{
    Renaming{"leftThumbProximal", "leftThumbMetacarpal"},
    Renaming{"leftThumbIntermediate", "leftThumbProximal"},
    Renaming{"rightThumbProximal", "rightThumbMetacarpal"},
    Renaming{"rightThumbIntermediate", "rightThumbProximal"},
};

constexpr std::array<std::string_view, 9> kMiddleBones{"hips", "spine",   "chest",    "upperChest", "neck",
                                                       "head", "leftEye", "rightEye", "jaw"};
constexpr std::array<std::string_view, 23> kSidedBones{
    "UpperLeg",
    "LowerLeg",
    "Foot",
    "Toes",
    "Shoulder",
    "UpperArm",
    "LowerArm",
    "Hand",
    "ThumbMetacarpal",
    "ThumbProximal",
    "ThumbDistal",
    "IndexProximal",
    "IndexIntermediate",
    "IndexDistal",
    "MiddleProximal",
    "MiddleIntermediate",
    "MiddleDistal",
    "RingProximal",
    "RingIntermediate",
    "RingDistal",
    "LittleProximal",
    "LittleIntermediate",
    "LittleDistal",
};

std::optional<std::string_view> renamed(std::span<const Renaming> renamings, std::string_view name) {
  const auto found = std::ranges::find(renamings, name, &Renaming::first);
  return found == renamings.end() ? std::nullopt : std::optional(found->second);
}

bool is_bone(std::string_view name) {
  if (std::ranges::find(kMiddleBones, name) != kMiddleBones.end()) return true;
  for (const std::string_view side : {"left", "right"}) {
    if (name.starts_with(side)) {
      return std::ranges::find(kSidedBones, name.substr(side.size())) != kSidedBones.end();
    }
  }
  return false;
}

// `one`: the number that stands for 1. Clamps to 0 to 1.
float read_weight(const json& bind, float one) { return std::clamp(bind.value("weight", one) / one, 0.0f, 1.0f); }

VrmExpression read_group(const json& group, std::size_t index) {
  const std::string preset = group.value("presetName", "");
  VrmExpression expression{std::string(renamed(kPresets, preset).value_or("")), group.value("isBinary", false), {}};
  if (expression.name.empty()) expression.name = group.value("name", "");
  if (expression.name.empty()) expression.name = fmt::format("expression_{}", index);
  for (const json& bind : member(group, "binds")) {
    expression.binds.push_back({-1, bind.value("mesh", -1), bind.value("index", -1), read_weight(bind, 100)});
  }
  return expression;
}

GltfVrm read_vrm0(const json& vrm) {
  GltfVrm result;
  for (const json& bone : member(member(vrm, "humanoid"), "humanBones")) {
    const std::string name = bone.value("bone", "");
    result.bones.push_back({std::string(renamed(kThumbs, name).value_or(name)), bone.value("node", -1)});
  }
  const json& groups = member(member(vrm, "blendShapeMaster"), "blendShapeGroups");
  for (const bool preset : {true, false}) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (renamed(kPresets, groups[i].value("presetName", "")).has_value() == preset) {
        result.expressions.push_back(read_group(groups[i], i));
      }
    }
  }
  return result;
}

GltfVrm read_vrm1(const json& vrm) {
  GltfVrm result;
  for (const auto& [name, bone] : member(member(vrm, "humanoid"), "humanBones").items()) {
    result.bones.push_back({name, bone.at("node").get<int>()});
  }
  for (const char* kind : {"preset", "custom"}) {
    for (const auto& [name, source] : member(member(vrm, "expressions"), kind).items()) {
      VrmExpression expression{name, source.value("isBinary", false), {}};
      for (const json& bind : member(source, "morphTargetBinds")) {
        expression.binds.push_back({bind.at("node").get<int>(), -1, bind.at("index").get<int>(), read_weight(bind, 1)});
      }
      result.expressions.push_back(std::move(expression));
    }
  }
  return result;
}

// Finds the model's morph targets of binds.
class TargetFinder {
 public:
  TargetFinder(const tinygltf::Model& gltf, std::span<const std::int32_t> mesh_of_node, const Model& model)
      : mesh_of_node_(mesh_of_node), model_(model), meshes_of_(gltf.meshes.size()) {
    for (std::size_t n = 0; n < mesh_of_node.size(); ++n) {
      if (mesh_of_node[n] >= 0) meshes_of_[static_cast<std::size_t>(gltf.nodes[n].mesh)].push_back(mesh_of_node[n]);
    }
  }

  // Appends them to the expression. Returns false if one is missing.
  Result<bool> append(const VrmBind& bind, GltfBudget& budget, Expression& expression) const {
    const std::span<const std::int32_t> meshes = meshes_of(bind);
    for (const std::int32_t m : meshes) {
      const Mesh* mesh = m < 0 ? nullptr : &model_.meshes[static_cast<std::size_t>(m)];
      if (mesh == nullptr || bind.target < 0 || static_cast<std::size_t>(bind.target) >= mesh->morph_targets.size()) {
        return false;  // the meshes of a bind are copies of one
      }
      PELT_TRY(budget.take(sizeof(ExpressionTarget) + mesh->name.size(), expression.name));
      expression.targets.push_back({mesh->name, static_cast<std::uint32_t>(bind.target), bind.weight});
    }
    return !meshes.empty();
  }

 private:
  std::span<const std::int32_t> meshes_of(const VrmBind& bind) const {
    if (bind.node >= 0) return mesh_of_node_.subspan(static_cast<std::size_t>(bind.node), 1);
    if (bind.mesh >= 0) return meshes_of_[static_cast<std::size_t>(bind.mesh)];
    return {};
  }

  std::span<const std::int32_t> mesh_of_node_;
  const Model& model_;
  std::vector<std::vector<std::int32_t>> meshes_of_;  // the model's, for each mesh of the file
};

}  // namespace

GltfVrm read_vrm(const json& extensions) {
  if (const json& vrm = member(extensions, "VRMC_vrm"); !vrm.is_null()) return read_vrm1(vrm);
  const json& vrm = member(extensions, "VRM");
  return vrm.is_null() ? GltfVrm() : read_vrm0(vrm);
}

void add_human_bones(std::span<const VrmBone> bones, std::span<const std::uint32_t> joint_of_node, Model& model) {
  NameList unknown;
  NameList again;
  std::unordered_set<std::string_view> names;
  std::vector<bool> is_taken(model.skeleton.joints.size(), false);
  for (const VrmBone& bone : bones) {
    if (bone.node < 0) continue;
    const std::uint32_t joint = joint_of_node[static_cast<std::size_t>(bone.node)];
    if (!is_bone(bone.name)) {
      unknown.add(bone.name);
    } else if (is_taken[joint] || !names.insert(bone.name).second) {
      again.add(bone.name);
    } else {
      is_taken[joint] = true;
      model.skeleton.human_bones.push_back({bone.name, joint});
    }
  }
  if (!unknown.empty()) model.report.notes.push_back(fmt::format("human bones of unknown names: {}", unknown.text()));
  if (!again.empty()) {
    model.report.notes.push_back(
        fmt::format("human bones left out, since their name or joint is already used: {}", again.text()));
  }
}

Result<void> add_expressions(std::span<const VrmExpression> expressions, const tinygltf::Model& gltf,
                             std::span<const std::int32_t> mesh_of_node, GltfBudget& budget, Model& model) {
  const TargetFinder finder(gltf, mesh_of_node, model);
  UniqueNames names;
  NameList lost;
  NameList still;
  for (const VrmExpression& source : expressions) {
    PELT_TRY(budget.take(sizeof(Expression) + 4 * source.name.size(), source.name));
    Expression expression{source.name, source.binary, {}};
    std::ranges::replace(expression.name, '/', '_');
    bool complete = true;
    for (const VrmBind& bind : source.binds) {
      PELT_ASSIGN(const bool found, finder.append(bind, budget, expression));
      complete = complete && found;
    }
    if (!complete) lost.add(source.name);
    if (expression.targets.empty()) {
      still.add(source.name);
      continue;
    }
    expression.name = names.claim(expression.name);
    model.expressions.push_back(std::move(expression));
  }
  if (!lost.empty()) {
    model.report.notes.push_back(fmt::format("expressions with missing morph targets: {}", lost.text()));
  }
  if (!still.empty()) {
    model.report.notes.push_back(
        fmt::format("expressions left out, since they move no morph target: {}", still.text()));
  }
  return {};
}

}  // namespace pelt
