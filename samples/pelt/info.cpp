// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include <pelt/gltf_rig.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/import.h>
#include <pelt/pelt_gltf.h>
#include <pelt/pose.h>
#include <pelt/rig.h>
#include <pelt/rig_json.h>
#include <pelt/tools/bind_report.h>
#include <pelt/tools/inspect.h>
#include <pelt/tools/json_fields.h>
#include <pelt/tools/not_carried.h>
#include <pelt/tools/surface_vertices.h>
#include <pelt/try.h>
#include <pelt/typed_name.h>

#include "samples/pelt/commands.h"

namespace pelt::samples {
namespace {

// ------------------------------------------------------------------------- what models and characters have in common

template <class T, class Describe>
Json list_of(const std::vector<T>& all, const Describe& describe) {
  Json list = Json::array();
  for (const T& one : all) list.push_back(describe(one));
  return list;
}

// Lists the names of joints, morph targets or vertex attributes.
template <class T>
Json names_of(const std::vector<T>& all) {
  return list_of(all, [](const T& one) { return Json(one.name); });
}

Json describe(const std::vector<Clip>& clips) {
  return list_of(clips, [](const Clip& clip) {
    return Json{{"name", clip.name},
                {"duration", clip.duration},
                {"channels", clip.channels.size()},
                {"morph_channels", clip.morph_channels.size()}};
  });
}

Json describe(const std::vector<Material>& materials) {
  return list_of(materials, [](const Material& material) {
    const glm::vec4& color = material.base_color;
    return Json{{"name", material.name}, {"base_color", {color.x, color.y, color.z, color.w}}};
  });
}

// Describes the joints in the rest pose; positions are in model space.
Json describe(const Skeleton& skeleton) {
  std::vector<Transform> local(skeleton.joints.size());
  std::vector<glm::mat4> matrices(local.size());
  rest_pose(skeleton, local);
  model_matrices(skeleton, local, matrices);
  Json joints = Json::array();
  for (std::size_t j = 0; j < matrices.size(); ++j) {
    const std::optional<std::uint32_t> parent = skeleton.parent_of(j);
    joints.push_back({{"name", skeleton.joints[j].name},
                      {"parent", parent ? Json(skeleton.joints[*parent].name) : Json()},
                      {"position", {matrices[j][3].x, matrices[j][3].y, matrices[j][3].z}}});
  }
  return joints;
}

Json describe_helpers(const Skeleton& skeleton) {
  return list_of(skeleton.helpers, [&](const HelperJoint& helper) {
    return Json{{"joint", skeleton.joints[helper.joint].name},
                {"source", skeleton.joints[helper.source].name},
                {"twist", helper.twist},
                {"swing", helper.swing}};
  });
}

// Lists the levels of all hierarchical B-splines; those that bind refuses have no levels.
Json describe_surfaces(const Rig& rig) {
  Json surfaces = Json::array();
  for (std::size_t l = 0; l < rig.layers.size(); ++l) {
    const auto* parameters = rig.layers[l].deformer.get_if<HierarchicalBsplineParameters>();
    if (parameters == nullptr) continue;
    const auto surface = hierarchical_bspline::surface_vertices(*parameters);
    for (std::size_t level = 0; surface && level < surface->grids.size(); ++level) {
      const hierarchical_bspline::SurfaceGrid& grid = surface->grids[level];
      Json& described = surfaces.emplace_back(Json{{"layer", l}, {"level", level}});
      if (!grid.is_mesh()) described["shape"] = grid.along;
      described["vertices"] = grid.size();
      described["stored"] = grid.stored;
    }
  }
  return surfaces;
}

// Prints the number of rows and the rows; nothing without rows.
void print_rows(const char* what, const Json& rows, const std::vector<Column>& columns) {
  if (!rows.empty()) fmt::print("\n{}: {}\n{}", what, rows.size(), table_of(rows, columns));
}

void print_names(const std::string& what, const Json& names) {
  if (!names.empty()) fmt::print("\n{}: {}\n  {}\n", what, names.size(), joined(names));
}

void print_levels(const Json& levels) {
  print_rows("levels of detail", levels,
             {{"level of detail", "name"},
              {"level", "level", "{}"},
              {"of", "of"},
              {"vertices", "vertices", "{}"},
              {"triangles", "triangles", "{}"}});
}

void print_rest(const Json& described) {
  print_rows("joints", described["skeleton"],
             {{"joint", "name"}, {"parent", "parent"}, {"at rest, m", "position", "{:.4f}"}});
  print_rows(
      "helper joints", described["helper_joints"],
      {{"helper joint", "joint"}, {"turns with", "source"}, {"twist", "twist", "{:g}"}, {"swing", "swing", "{:g}"}});
  print_rows("clips", described["clips"],
             {{"clip", "name"},
              {"seconds", "duration", "{:.3f}"},
              {"channels", "channels", "{}"},
              {"of morphs", "morph_channels", "{}"}});
  print_rows("materials", described["materials"],
             {{"material", "name"}, {"base colour (linear)", "base_color", "{:.3f}"}});
}

void print_surfaces(const Json& surfaces) {
  if (!surfaces.empty()) fmt::print("\n");
  for (const Json& surface : surfaces) {
    const std::string shape = surface.contains("shape")
                                  ? fmt::format("{} x {} = ", surface["shape"][0].dump(), surface["shape"][1].dump())
                                  : "";
    fmt::print("surface of layer {}, level {}: {} control vertices stored of {}{}\n", surface["layer"].dump(),
               surface["level"].dump(), surface["stored"].dump(), shape, surface["vertices"].dump());
  }
}

// ------------------------------------------------------------------------------------------------------------ a model

Json describe(const Mesh& mesh) {
  const RowStatistics weights = statistics(mesh.weights);
  return {{"name", mesh.name},
          {"vertices", mesh.positions.size()},
          {"triangles", mesh.triangles.size()},
          {"parts", mesh.parts.size()},
          {"mean_influences", weights.mean_influences},
          {"max_influences", weights.max_influences},
          {"morph_targets", names_of(mesh.morph_targets)},
          {"attributes", names_of(mesh.attributes)},
          {"uvs", !mesh.uvs.empty()},
          {"tangents", !mesh.tangents.empty()}};
}

// `gltf_rig`: the PELT_deformers extension of the file, if it has one.
Json describe(const Model& model, const std::optional<GltfRig>& gltf_rig) {
  std::vector<std::string> notes = model.report.notes;
  if (std::string note = rigid_note(model); !note.empty()) notes.push_back(std::move(note));
  Json deformers;
  if (gltf_rig) {
    deformers = {{"rig", gltf_rig->rig.name},
                 {"layers", gltf_rig->rig.layers.size()},
                 {"character", gltf_rig->character.has_value()},
                 {"note", gltf_rig->note}};
  }
  // The rig that `pelt bind` uses by default.
  const Rig rig = gltf_rig ? gltf_rig->rig : *rig_from_deformer_name(kDefaultDeformer);
  const auto describe_level = [&](const MeshLevel& level) {
    return Json{{"name", level.mesh.name},
                {"level", level.level},
                {"of", model.meshes[level.of].name},
                {"vertices", level.mesh.positions.size()},
                {"triangles", level.mesh.triangles.size()}};
  };
  return {{"kind", "model"},
          {"name", model.name},
          {"meshes", list_of(model.meshes, [](const Mesh& mesh) { return describe(mesh); })},
          {"levels", list_of(model.levels, describe_level)},
          {"joints", names_of(model.skeleton.joints)},
          {"skeleton", describe(model.skeleton)},
          {"helper_joints", describe_helpers(model.skeleton)},
          {"bound_joints", model.bound_joints.size()},
          {"clips", describe(model.clips)},
          {"materials", describe(model.materials)},
          {"expressions", names_of(model.expressions)},
          {"human_bones", names_of(model.skeleton.human_bones)},
          {"deformers", deformers},
          {"surfaces", gltf_rig ? describe_surfaces(rig) : Json::array()},
          {"not_carried", not_carried(model, rig)},
          {"notes", notes}};
}

// Lists the parts of a model that a character keeps, such as "3 meshes, 20 joints, 2 clips, base colours of 4
// materials".
std::string carried(const Json& model) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  const auto with = [&](const char* what) {
    return static_cast<std::size_t>(std::count_if(
        model["meshes"].begin(), model["meshes"].end(),
        [&](const Json& mesh) { return mesh[what].is_boolean() ? mesh[what].get<bool>() : mesh[what] != 0; }));
  };
  add(model["meshes"].size(), "mesh with normals", "meshes with normals");
  add(with("tangents"), "with tangents", "with tangents");
  add(with("uvs"), "with texture coordinates", "with texture coordinates");
  add(with("max_influences"), "with weights", "with weights");
  add(model["joints"].size(), "joint", "joints");
  add(model["human_bones"].size(), "human bone", "human bones");
  add(model["clips"].size(), "clip", "clips");
  add(model["expressions"].size(), "expression", "expressions");
  add(model["materials"].size(), "base colour", "base colours");
  return fmt::format("{}", fmt::join(parts, ", "));
}

void print_model(const std::string& file, const Json& model) {
  fmt::print("model {}\n", file);
  print_rows("meshes", model["meshes"],
             {{"mesh", "name"},
              {"vertices", "vertices", "{}"},
              {"triangles", "triangles", "{}"},
              {"parts", "parts", "{}"},
              {"influences", "mean_influences", "{:.2f}"},
              {"most", "max_influences", "{}"}});
  print_levels(model["levels"]);
  for (const Json& mesh : model["meshes"]) {
    const std::string name = mesh["name"];
    print_names("morph targets of " + name, mesh["morph_targets"]);
    print_names("attributes of " + name, mesh["attributes"]);
  }
  print_rest(model);
  print_names("expressions", model["expressions"]);
  if (const Json& rig = model["deformers"]; !rig.is_null()) {
    const std::string note = rig["note"];
    const std::string bound = rig["character"] == true ? ", and the character bound with it"
                              : note.empty()           ? ""
                                                       : fmt::format("; its character cannot be used: {}", note);
    const std::string name = rig["rig"];
    fmt::print("\ncarries {} of {} layer{}{}\n",
               name.empty() ? "a rig" : fmt::format("the rig '{}'", typed_if_deformer(name)), rig["layers"].dump(),
               rig["layers"] == 1 ? "" : "s", bound);
  }
  print_surfaces(model["surfaces"]);
  fmt::print("\na character carries: {}\n", carried(model));
  for (const std::string what : model["not_carried"]) fmt::print("not carried: {}\n", what);
  for (const std::string note : model["notes"]) fmt::print("note: {}\n", note);
}

Result<void> model_info(const InfoCommand& command) {
  PELT_ASSIGN(const auto model, import_model(command.file, nullptr, command.files));
  std::optional<GltfRig> gltf_rig;
  if (is_gltf(command.file)) {
    PELT_ASSIGN(gltf_rig, load_gltf_rig(command.file));
  }
  const Json described = describe(model, gltf_rig);
  command.json ? print_json(described) : print_model(command.file, described);
  return {};
}

// -------------------------------------------------------------------------------------------------------- a character

// Lists the clips that key the morph target. If there are none, only the game sets it.
std::vector<std::string> clips_of(const Control& control, const std::vector<Clip>& clips) {
  std::vector<std::string> names;
  if (control.kind != ControlKind::kMorphTarget) return names;
  for (const Clip& clip : clips) {
    const bool keyed = std::any_of(
        clip.morph_channels.begin(), clip.morph_channels.end(),
        [&](const MorphChannel& channel) { return channel.mesh == control.mesh && channel.target == control.target; });
    if (keyed) names.push_back(clip.name);
  }
  return names;
}

const char* name_of(ControlKind kind) {
  switch (kind) {
    case ControlKind::kMorphTarget:
      return "morph_target";
    case ControlKind::kTwist:
      return "twist";
    case ControlKind::kExpression:
      return "expression";
    case ControlKind::kClock:
      return "clock";
  }
  return "";
}

Json describe_inputs(const CharacterData& data) {
  const auto describe_stream = [&](const Stream& stream) {
    const CharacterMesh& mesh = data.meshes[stream.mesh];
    return Json{{"mesh", mesh.name}, {"vertices", mesh.vertex_count()}, {"first_input", stream.first_input}};
  };
  const auto describe_control = [&](const Control& control) {
    return Json{{"name", control.name},
                {"rest", control.rest},
                {"kind", name_of(control.kind)},
                {"clips", clips_of(control, data.clips)},
                {"input", control.input}};
  };
  return {{"count", data.input_count},
          {"streams", list_of(data.streams, describe_stream)},
          {"controls", list_of(data.controls, describe_control)}};
}

void print_inputs(const Json& inputs) {
  print_rows("streams", inputs["streams"], {{"streamed, frame by frame", "mesh"}, {"vertices", "vertices", "{}"}});
  Json given = Json::array();  // users do not set the clock of secondary action
  for (const Json& control : inputs["controls"]) {
    if (control["kind"] != name_of(ControlKind::kClock)) given.push_back(control);
  }
  print_rows("controls", given, {{"control", "name"}, {"at rest", "rest", "{:g}"}, {"keyed by", "clips"}});
  if (given.size() < inputs["controls"].size()) fmt::print("\nsecondary action: it swings with time\n");
}

Json describe(const CharacterMesh& mesh) {
  const RowStatistics rows = statistics(unpack_rows(mesh.binding));
  return {{"name", mesh.name},
          {"deformer", mesh.deformer},
          {"control", mesh.control},
          {"stage", mesh.stage},
          {"vertices", mesh.vertex_count()},
          {"triangles", mesh.triangles.size()},
          {"parts", mesh.parts.size()},
          {"mean_influences", rows.mean_influences},
          {"max_influences", rows.max_influences},
          {"painted", mesh.painted.has_value()}};
}

Json describe(const PalettePass& pass) {
  return {{"kernel", pose_kernel_name(pass.kernel)},
          {"stage", pass.stage},
          {"first_entry", pass.first_entry},
          {"records", pass.record_count},
          {"entries", std::uint64_t{pass.record_count} * entries_per_record(pass.kernel)},
          {"painted", pass.painted}};
}

// `rig`: that of the file, if it has one. `bytes`: of the file.
Json describe(const Character& character, const std::optional<Rig>& rig, std::uint64_t bytes) {
  const CharacterData& data = *character;
  const auto describe_level = [&](const SkinLevel& level) {
    return Json{{"name", level.skin.name},
                {"level", level.level},
                {"of", data.meshes[level.of].name},
                {"vertices", level.skin.vertex_count()},
                {"triangles", level.skin.triangles.size()}};
  };
  return {{"kind", "character"},
          {"name", data.name},
          {"levels", list_of(data.levels, describe_level)},
          {"rig", rig ? Json(rig->name) : Json()},
          {"bytes", bytes},
          {"size", character.size()},
          {"surfaces", rig ? describe_surfaces(*rig) : Json::array()},
          {"palette_size", data.palette_size},
          {"stages", data.stage_count},
          {"meshes", list_of(data.meshes, [](const CharacterMesh& mesh) { return describe(mesh); })},
          {"passes", list_of(data.passes, [](const PalettePass& pass) { return describe(pass); })},
          {"inputs", describe_inputs(data)},
          {"anchors", names_of(data.anchors)},
          {"joints", names_of(data.skeleton.joints)},
          {"skeleton", describe(data.skeleton)},
          {"helper_joints", describe_helpers(data.skeleton)},
          {"clips", describe(data.clips)},
          {"materials", describe(data.materials)},
          {"learnt", json_fields::parse_json(data.certificate.text, "") ? Json::parse(data.certificate.text) : Json()}};
}

void print_character(const std::string& file, const CharacterData& data, const Json& character) {
  Json meshes = character["meshes"];
  Json palette = character["passes"];
  for (Json& pass : palette) pass["kernel"] = typed_name(pass["kernel"].get<std::string>());
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    const CharacterMesh& mesh = data.meshes[m];
    meshes[m]["deformer"] = typed_name(mesh.deformer);
    if (mesh.control) meshes[m]["name"] = mesh.name + " (control)";
    if (!mesh.frame_entry) continue;
    palette.push_back({{"kernel", "vertices of " + mesh.name},
                       {"stage", mesh.stage},
                       {"first_entry", *mesh.frame_entry},
                       {"entries", mesh.vertex_count()}});
  }
  const std::string rig = character["rig"].is_null() ? "" : character["rig"].get<std::string>();
  fmt::print("character {}, {}, bound from {}{}, {:.3g} m across\n", file,
             format_bytes(character["bytes"].get<std::uint64_t>()), data.name,
             rig.empty() ? "" : fmt::format(" by the rig '{}'", typed_if_deformer(rig)),
             character["size"].get<double>());
  print_rows("meshes", meshes,
             {{"mesh", "name"},
              {"moved by", "deformer"},
              {"stage", "stage", "{}"},
              {"vertices", "vertices", "{}"},
              {"triangles", "triangles", "{}"},
              {"influences", "mean_influences", "{:.2f}"},
              {"most", "max_influences", "{}"}});
  fmt::print("\npalette: {} entries\n{}", data.palette_size,
             table_of(palette, {{"posed by", "kernel"},
                                {"stage", "stage", "{}"},
                                {"first", "first_entry", "{}"},
                                {"entries", "entries", "{}"}}));
  print_surfaces(character["surfaces"]);
  print_levels(character["levels"]);
  if (!data.has_linear_blend()) fmt::print("\nmoved in full at every level of detail: not all skins have weights\n");
  print_inputs(character["inputs"]);
  print_names("anchors", character["anchors"]);
  print_rest(character);
}

Result<void> character_info(const InfoCommand& command) {
  PELT_ASSIGN(const auto character, pelt::load_character(command.file));
  std::optional<Rig> rig;
  if (!character->rig.empty()) {
    PELT_ASSIGN(rig, parse_rig(character->rig, fmt::format("{}: the rig", command.file)));
  }
  std::error_code code;
  const Json described = describe(character, rig, std::filesystem::file_size(command.file, code));
  command.json ? print_json(described) : print_character(command.file, *character, described);
  if (command.json || character->certificate.empty()) return {};
  return within(command.file, print_certificate(character->certificate.text));
}

// -------------------------------------------------------------------------------------------------------------- a rig

Result<void> rig_info(const InfoCommand& command) {
  PELT_ASSIGN(const auto rig, load_rig(command.file));
  const Json surfaces = describe_surfaces(rig);
  if (command.json) {
    print_json({{"kind", "rig"}, {"surfaces", surfaces}, {"rig", Json::parse(format_rig(rig))}});
    return {};
  }
  Json layers = Json::array();
  for (const Layer& layer : rig.layers) {
    const Region& region = layer.mask.region;
    Json names = region.joints;
    for (const std::string& name : {region.group, region.attribute}) {
      if (!name.empty()) names.push_back(name);
    }
    if (region.box || region.sphere || region.near) names.push_back("a part of space");
    layers.push_back({{"layer", layers.size()},
                      {"target", layer.target},
                      {"deformer", typed_name(layer.deformer.name())},
                      {"mask", layer.mask.value},
                      {"limits", std::move(names)}});
  }
  fmt::print("rig {}{}\n", command.file, rig.name.empty() ? "" : fmt::format(" '{}'", rig.name));
  print_rows("layers", layers,
             {{"layer", "layer", "{}"},
              {"target", "target"},
              {"deformer", "deformer"},
              {"mask", "mask", "{:g}"},
              {"limited to", "limits"}});
  print_surfaces(surfaces);
  fmt::print("\nwith every parameter:\n{}", format_rig(rig));
  return {};
}

}  // namespace

Result<void> run(const InfoCommand& command) {
  const std::string extension = lower_extension(command.file);
  if (extension == ".pelt") return character_info(command);
  if (extension == ".json") return rig_info(command);
  return model_info(command);
}

}  // namespace pelt::samples
