// SPDX-License-Identifier: MIT
#include "samples/viewer/panels/rig_values.h"

#include <algorithm>
#include <filesystem>

#include <pelt/import.h>

#include "samples/pelt/input.h"
#include "samples/viewer/panels/rows.h"

namespace pelt::viewer {
namespace {

using Json = nlohmann::json;

constexpr float kNoFloatYet = 0.05f;  // metres

// Returns the mesh files in the rig's folder.
std::vector<std::string> mesh_files(const Document& document, bool obj_alone) {
  std::vector<std::string> all{""};
  std::error_code code;
  const std::string& folder = document.rig().directory;
  for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, code)) {
    const std::string name = entry.path().filename().string();
    const std::string extension = samples::lower_extension(name);
    if (extension == ".obj" || (!obj_alone && is_gltf(name))) all.push_back(name);
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

bool is_keys(const Schema& schema) {
  return schema.kind == Schema::Kind::kArray && schema.items != nullptr && schema.items->is_numbers(2, 2);
}

bool fits(const Schema& schema, const Json& value) {
  switch (schema.kind) {
    case Schema::Kind::kConst:
      return value == schema.fixed;
    case Schema::Kind::kNumber:
    case Schema::Kind::kInteger:
      return value.is_number();
    case Schema::Kind::kArray:
      return value.is_array();
    default:
      return false;
  }
}

std::string row_title(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_object()) return value.dump();
  const auto text = [&](const char* key) {
    const auto found = value.find(key);
    return found != value.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (value.contains("deformer")) {
    const std::string target = text("target");
    return text("deformer") + (target.empty() || target == "*" ? "" : "  " + target);
  }
  if (value.contains("elements") && value.contains("vertices")) return text("elements") + " : " + text("vertices");
  for (const char* key : {"name", "operation", "joint", "curve"}) {
    if (!text(key).empty()) return text(key);
  }
  if (value.contains("at")) return value["at"].dump();
  if (value.contains("degrees")) return value["degrees"].dump();
  return "";
}

std::vector<std::string> names_for(const Document& document, const Schema& schema) {
  const std::string& names = schema.names;
  const Model& model = *document.model();
  if (names == "file" || names == "obj_file") return mesh_files(document, names == "obj_file");
  std::vector<std::string> all;
  const auto add = [&](const auto& named) {
    for (const auto& one : named) {
      if (std::ranges::find(all, one.name) == all.end()) all.push_back(one.name);
    }
  };
  if (names == "mesh_or_any") all.push_back("*");
  if (schema.has_fallback() && schema.fallback == "") all.push_back("");
  if (names == "joint" || names == "point") add(model.skeleton.joints);
  if (names.starts_with("mesh")) add(model.meshes);
  if (names == "mesh_or_muscle") add(document.rig().muscles);
  if (names == "group") add(document.rig().groups);
  for (const Mesh& mesh : model.meshes) {
    if (names == "attribute") add(mesh.attributes);
    if (names == "morph_target") add(mesh.morph_targets);
  }
  return all;
}

Json new_value(const Document& document, const Schema& schema) {
  Json value = fresh_value(schema);
  if (schema.kind == Schema::Kind::kString && value == "") {
    const std::vector<std::string> all = names_for(document, schema);
    const auto first = std::ranges::find_if(all, [](const std::string& one) { return !one.empty(); });
    if (first != all.end()) return *first;
    return schema.not_empty ? "new" : "";
  }
  if (schema.kind == Schema::Kind::kObject) {
    for (const Schema::Property& property : schema.properties) {
      if (property.required) value[property.name] = new_value(document, *property.schema);
    }
  }
  return value;
}

Json first_value(const Schema& schema, const Schema& one, const Json& value) {
  if (schema.has_fallback() && fits(one, schema.fallback)) return schema.fallback;
  const bool length = contains(schema.description, "metres");
  const Json number = value.is_number() ? value : length ? Json(kNoFloatYet) : Json();
  if (is_keys(one)) return Json::array({Json::array({0, number}), Json::array({90, number})});
  if (one.kind == Schema::Kind::kNumber && length) {
    return value.is_array() && !value.empty() && value[0].is_array() ? value[0][1] : number;
  }
  return fresh_value(one);
}

}  // namespace pelt::viewer
