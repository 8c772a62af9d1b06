// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/unread.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "engine/authoring/base/name_list.h"
#include "engine/authoring/model/gltf/channel.h"
#include "engine/authoring/model/gltf/member.h"
#include "engine/authoring/model/gltf/schema.h"

namespace pelt {
namespace {

using nlohmann::json;
using namespace std::string_view_literals;

constexpr std::string_view kLights = "KHR_lights_punctual";
// Bind reads the rig in PELT_deformers. Channels note the other targets of pointers.
constexpr std::array kReadExtensions{"EXT_meshopt_compression"sv,
                                     "KHR_mesh_quantization"sv,
                                     "MSFT_lod"sv,
                                     "PELT_deformers"sv,
                                     "KHR_animation_pointer"sv,
                                     "KHR_node_visibility"sv,
                                     "EXT_mesh_gpu_instancing"sv,
                                     "VRM"sv,
                                     "VRMC_vrm"sv};

std::size_t entries(const json& array) { return array.is_array() ? array.size() : 0; }

bool is_other_than(const json& value, double number) { return value.is_number() && value.get<double>() != number; }

// Lists names in alphabetical order.
NameList list(const std::set<std::string>& names) {
  NameList result;
  for (const std::string& name : names) result.add(name);
  return result;
}

// The names of all extensions and the keys of all extras in a document.
struct Names {
  std::set<std::string> extensions;
  std::set<std::string> extras;

  // JSON is nested at most 256 deep (parse_gltf_json).
  void gather(const json& value) {
    if (!value.is_structured()) return;
    for (const auto& [key, child] : value.items()) {
      if (value.is_object() && key == "extras") {
        add_extras(child);
      } else {
        if (value.is_object() && key == "extensions" && child.is_object()) {
          for (const auto& [name, extension] : child.items()) extensions.insert(name);
        }
        gather(child);
      }
    }
  }

 private:
  void add_extras(const json& value) {
    if (!value.is_object() && !value.is_null()) extras.insert("extras");
    if (!value.is_object()) return;
    for (const auto& [key, child] : value.items()) {
      if (!is_read_extra(key)) extras.insert(key);
    }
  }
};

// Counts the materials that set unread properties to other values than glTF 2.0's defaults.
class MaterialCounts {
 public:
  void add(const json& material) {
    const json& metal = member(material, "pbrMetallicRoughness");
    count(kMetal, is_other_than(member(metal, "metallicFactor"), 1) ||
                      is_other_than(member(metal, "roughnessFactor"), 1) ||
                      !member(metal, "metallicRoughnessTexture").is_null());
    count(kNormalMaps, !member(material, "normalTexture").is_null());
    count(kOcclusion, !member(material, "occlusionTexture").is_null());
    bool emits = !member(material, "emissiveTexture").is_null();
    for (const json& component : member(material, "emissiveFactor")) emits = emits || is_other_than(component, 0);
    count(kEmission, emits);
    const json& mode = member(material, "alphaMode");
    count(kBlending, mode == "BLEND");
    count(kCutoffs, mode == "MASK" && is_other_than(member(material, "alphaCutoff"), 0.5));
    count(kDoubleSides, member(material, "doubleSided") == true);
  }

  // Returns text such as "normal maps of 3 materials, blending of 1 material"; empty if nothing is unread.
  std::string text() const {
    std::vector<std::string> parts;
    for (std::size_t p = 0; p < kWords.size(); ++p) {
      if (counts_[p] > 0)
        parts.push_back(fmt::format("{} of {} material{}", kWords[p], counts_[p], counts_[p] > 1 ? "s" : ""));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }

 private:
  enum Property { kMetal, kNormalMaps, kOcclusion, kEmission, kBlending, kCutoffs, kDoubleSides };
  static constexpr std::array kWords{
      "metal and roughness"sv,         "normal maps"sv, "occlusion maps"sv, "emission"sv, "alpha blending"sv,
      "alpha cutoffs (0.5 is used)"sv, "double sides"sv};

  void count(Property property, bool has) { counts_[property] += has ? 1 : 0; }

  std::array<std::size_t, kWords.size()> counts_{};
};

// Counts the expressions of a VRM that do more than move morph targets.
struct ExpressionCounts {
  std::size_t materials = 0;
  std::size_t overrides = 0;

  // `list`: an array, or an object of expressions by name.
  void add(const json& list) {
    for (const json& expression : list) {
      const auto has = [&](std::string_view key) { return entries(member(expression, key)) > 0; };
      materials += has("materialValues") || has("materialColorBinds") || has("textureTransformBinds") ? 1 : 0;
      const auto overrides_by = [&](std::string_view key) {
        const json& how = member(expression, key);
        return how.is_string() && how != "none";
      };
      overrides += overrides_by("overrideBlink") || overrides_by("overrideLookAt") || overrides_by("overrideMouth");
    }
  }
};

// Notes the unread contents of the extensions VRM (0.x) and VRMC_vrm (1.0) (vrm.h).
void describe_vrm(const json& document, std::vector<std::string>& notes) {
  const json& extensions = member(document, "extensions");
  const json& new_vrm = member(extensions, "VRMC_vrm");
  const json& old_vrm = member(extensions, "VRM");
  const json& vrm = new_vrm.is_null() ? old_vrm : new_vrm;
  if (vrm.is_null()) return;
  std::vector<std::string> unread;
  if (!new_vrm.is_null() && !old_vrm.is_null()) unread.push_back("the VRM 0.x data next to those of 1.0");
  ExpressionCounts counts;
  counts.add(member(member(vrm, "blendShapeMaster"), "blendShapeGroups"));
  for (const char* kind : {"preset", "custom"}) counts.add(member(member(vrm, "expressions"), kind));
  if (counts.materials > 0)
    unread.push_back(fmt::format("materials of {} expression{}", counts.materials, counts.materials > 1 ? "s" : ""));
  if (counts.overrides > 0)
    unread.push_back(fmt::format("overrides by {} expression{}", counts.overrides, counts.overrides > 1 ? "s" : ""));
  constexpr std::array kParts{std::pair("meta", "metadata"), std::pair("firstPerson", "first person"),
                              std::pair("lookAt", "look-at"), std::pair("secondaryAnimation", "spring bones"),
                              std::pair("materialProperties", "material properties")};
  for (const auto& [key, words] : kParts) {
    if (!member(vrm, key).empty()) unread.push_back(words);
  }
  if (unread.empty()) return;
  notes.push_back(
      fmt::format("of VRM, bones and morph targets of expressions are read; not read: {}", fmt::join(unread, ", ")));
}

// Returns the pointer that a channel animates; null if it uses node and path, or another extension.
const json& pointer_of(const json& target) {
  return member(member(member(target, "extensions"), "KHR_animation_pointer"), "pointer");
}

// Notes channels that animate neither a node nor weights of morph targets: colours, lights, cameras.
void describe_channels(const json& document, std::vector<std::string>& notes) {
  std::size_t count = 0;
  NameList clips;
  std::set<std::string> pointers;
  std::size_t a = 0;
  for (const json& animation : member(document, "animations")) {
    const std::size_t before = count;
    for (const json& channel : member(animation, "channels")) {
      const json& target = member(channel, "target");
      const json& pointer = pointer_of(target);
      const bool by_pointer = pointer.is_string() && member(target, "path") == "pointer";
      if (!member(target, "node").is_null()) continue;
      if (by_pointer && is_read_pointer(pointer.get_ref<const std::string&>())) continue;
      if (by_pointer) pointers.insert(pointer.get<std::string>());
      ++count;
    }
    const json& name = member(animation, "name");
    const bool named = name.is_string() && name != "";
    if (count > before) clips.add(named ? name.get_ref<const std::string&>() : fmt::format("clip_{}", a));
    ++a;
  }
  if (count == 0) return;
  notes.push_back(
      fmt::format("{} channels that animate neither nodes nor morph targets are not read, of the clips {}{}", count,
                  clips.text(), pointers.empty() ? "" : ": " + list(pointers).text()));
}

}  // namespace

std::vector<std::string> describe_unread(const json& document) {
  std::vector<std::string> notes;
  describe_channels(document, notes);
  describe_vrm(document, notes);
  Names names;
  names.gather(document);
  for (const json& name : member(document, "extensionsUsed")) {
    if (name.is_string()) names.extensions.insert(name.get<std::string>());
  }
  const std::size_t lights = entries(member(member(member(document, "extensions"), kLights), "lights"));
  names.extensions.erase(std::string(kLights));
  for (const std::string_view read : kReadExtensions) names.extensions.erase(std::string(read));
  if (!names.extensions.empty()) {
    notes.push_back(fmt::format("extensions that are not read: {}", list(names.extensions).text()));
  }

  const auto has_levels = [](const json& material) {
    return !member(member(material, "extensions"), "MSFT_lod").is_null();
  };
  std::size_t levels = 0;
  for (const json& material : member(document, "materials")) levels += has_levels(material) ? 1 : 0;
  if (levels > 0)
    notes.push_back(
        fmt::format("not read: levels of detail of {} material{} (MSFT_lod)", levels, levels > 1 ? "s" : ""));

  MaterialCounts materials;
  for (const json& material : member(document, "materials")) materials.add(material);
  if (const std::string unread = materials.text(); !unread.empty()) {
    notes.push_back(
        fmt::format("only name, base colour with its image and alpha mask of materials are read; ignored: {}", unread));
  }

  std::vector<std::string> rest;
  const auto count = [&](std::size_t number, std::string_view what) {
    if (number > 0) rest.push_back(fmt::format("{} {}{}", number, what, number > 1 ? "s" : ""));
  };
  count(entries(member(document, "cameras")), "camera");
  count(lights, "light");
  if (!names.extras.empty()) rest.push_back(fmt::format("custom properties (extras) {}", list(names.extras).text()));
  if (member(member(document, "asset"), "copyright").is_string()) rest.push_back("the copyright notice");
  if (!rest.empty()) notes.push_back(fmt::format("not read: {}", fmt::join(rest, ", ")));
  return notes;
}

}  // namespace pelt
