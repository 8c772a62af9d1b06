// SPDX-License-Identifier: MIT
#include "samples/pelt/info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include <pelt/gltf_rig.h>
#include <pelt/import.h>
#include <pelt/pelt_gltf.h>
#include <pelt/rig.h>
#include <pelt/rig_json.h>
#include <pelt/tools/bind_report.h>
#include <pelt/tools/inspect.h>
#include <pelt/tools/not_carried.h>
#include <pelt/try.h>

#include "samples/pelt/input.h"
#include "samples/pelt/surface_lines.h"
#include "samples/pelt/table.h"

namespace pelt::samples {
namespace {

using Json = nlohmann::ordered_json;

void print(const Json& json) { fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace)); }

// ------------------------------------------------------------------------- what models and characters have in common

Json describe(const std::vector<Clip>& clips) {
  Json list = Json::array();
  for (const Clip& clip : clips) {
    list.push_back({{"name", clip.name},
                    {"duration", clip.duration},
                    {"channels", clip.channels.size()},
                    {"morph_channels", clip.morph_channels.size()}});
  }
  return list;
}

Json describe(const std::vector<Material>& materials) {
  Json list = Json::array();
  for (const Material& material : materials) {
    const glm::vec4& color = material.base_color;
    list.push_back({{"name", material.name}, {"base_color", {color.x, color.y, color.z, color.w}}});
  }
  return list;
}

std::vector<std::string> joint_names(const Skeleton& skeleton) {
  std::vector<std::string> names;
  for (const Joint& joint : skeleton.joints) names.push_back(joint.name);
  return names;
}

// Lists the names of morph targets or vertex attributes.
template <class T>
std::vector<std::string> names_of(const std::vector<T>& all) {
  std::vector<std::string> names;
  for (const T& one : all) names.push_back(one.name);
  return names;
}

void print_rest(const Skeleton& skeleton, const std::vector<Clip>& clips, const std::vector<Material>& materials) {
  if (!skeleton.joints.empty()) {
    fmt::print("\njoints: {}\n  {}\n", skeleton.joints.size(), fmt::join(joint_names(skeleton), ", "));
  }
  if (!skeleton.helpers.empty()) {
    Table table({{"helper joint", false}, {"turns with", false}, {"twist"}, {"swing"}});
    for (const HelperJoint& helper : skeleton.helpers) {
      table.add({skeleton.joints[helper.joint].name, skeleton.joints[helper.source].name,
                 fmt::format("{:g}", helper.twist), fmt::format("{:g}", helper.swing)});
    }
    fmt::print("\nhelper joints: {}\n{}", skeleton.helpers.size(), table.text());
  }
  if (!clips.empty()) {
    Table table({{"clip", false}, {"seconds"}, {"channels"}, {"of morphs"}});
    for (const Clip& clip : clips) {
      table.add({clip.name, fmt::format("{:.3f}", clip.duration), fmt::to_string(clip.channels.size()),
                 fmt::to_string(clip.morph_channels.size())});
    }
    fmt::print("\nclips: {}\n{}", clips.size(), table.text());
  }
  if (!materials.empty()) {
    Table table({{"material", false}, {"base colour (linear)", false}});
    for (const Material& material : materials) {
      const glm::vec4& color = material.base_color;
      table.add({material.name, fmt::format("{:.3f} {:.3f} {:.3f} {:.3f}", color.x, color.y, color.z, color.w)});
    }
    fmt::print("\nmaterials: {}\n{}", materials.size(), table.text());
  }
}

// ------------------------------------------------------------------------------------------------------------ a model

// Describes the PELT_deformers extension of a file.
Json describe(const GltfRig& gltf_rig) {
  return {{"rig", gltf_rig.rig.name},
          {"layers", gltf_rig.rig.layers.size()},
          {"character", gltf_rig.character.has_value()},
          {"note", gltf_rig.note}};
}

void print_gltf_rig(const GltfRig& gltf_rig) {
  const std::string bound = gltf_rig.character      ? ", and the character bound by it"
                            : gltf_rig.note.empty() ? ""
                                                    : fmt::format("; its character is left out: {}", gltf_rig.note);
  fmt::print("\ncarries the rig '{}' of {} layers{}\n", gltf_rig.rig.name, gltf_rig.rig.layers.size(), bound);
}

// Describes a model, such as "3 meshes, 20 joints, 2 clips, base colours of 4 materials".
std::string carried(const Model& model) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  const auto with = [&](const auto& has) {
    return static_cast<std::size_t>(std::count_if(model.meshes.begin(), model.meshes.end(), has));
  };
  add(model.meshes.size(), "mesh with normals", "meshes with normals");
  add(with([](const Mesh& mesh) { return !mesh.tangents.empty(); }), "with tangents", "with tangents");
  add(with([](const Mesh& mesh) { return !mesh.uvs.empty(); }), "with texture coordinates", "with texture coordinates");
  add(with([](const Mesh& mesh) { return mesh.weights.row_count() != 0; }), "with weights", "with weights");
  add(model.skeleton.joints.size(), "joint", "joints");
  add(model.skeleton.human_bones.size(), "human bone", "human bones");
  add(model.clips.size(), "clip", "clips");
  add(model.expressions.size(), "expression", "expressions");
  add(model.materials.size(), "base colour", "base colours");
  return fmt::format("{}", fmt::join(parts, ", "));
}

// A level of detail of a model or a character, as both are printed.
struct LevelLine {
  const std::string& name;
  std::uint32_t level;
  const std::string& of;
  std::size_t vertices;
  std::size_t triangles;
};

std::vector<LevelLine> levels_of(const Model& model) {
  std::vector<LevelLine> lines;
  for (const MeshLevel& level : model.levels) {
    lines.push_back({level.mesh.name, level.level, model.meshes[level.of].name, level.mesh.positions.size(),
                     level.mesh.triangles.size()});
  }
  return lines;
}

std::vector<LevelLine> levels_of(const CharacterData& data) {
  std::vector<LevelLine> lines;
  for (const SkinLevel& level : data.levels) {
    lines.push_back({level.skin.name, level.level, data.meshes[level.of].name, level.skin.vertex_count(),
                     level.skin.triangles.size()});
  }
  return lines;
}

Json describe(const std::vector<LevelLine>& lines) {
  Json levels = Json::array();
  for (const LevelLine& line : lines) {
    levels.push_back({{"name", line.name},
                      {"level", line.level},
                      {"of", line.of},
                      {"vertices", line.vertices},
                      {"triangles", line.triangles}});
  }
  return levels;
}

void print_levels(const std::vector<LevelLine>& lines) {
  if (lines.empty()) return;
  Table table({{"level of detail", false}, {"level"}, {"of", false}, {"vertices"}, {"triangles"}});
  for (const LevelLine& line : lines) {
    table.add({line.name, fmt::to_string(line.level), line.of, fmt::to_string(line.vertices),
               fmt::to_string(line.triangles)});
  }
  fmt::print("\nlevels of detail: {}\n{}", lines.size(), table.text());
}

Result<void> model_info(const InfoCommand& command) {
  PELT_ASSIGN(const auto model, import_model(command.file, nullptr, command.files));
  std::optional<GltfRig> gltf_rig;
  if (is_gltf(command.file)) {
    PELT_ASSIGN(gltf_rig, load_gltf_rig(command.file));
  }
  const std::vector<SurfaceLine> surfaces = gltf_rig ? surfaces_of(gltf_rig->rig) : std::vector<SurfaceLine>{};
  // The same rig as `pelt bind` uses by default.
  const std::vector<std::string> left =
      not_carried(model, gltf_rig ? gltf_rig->rig : *rig_from_deformer_name(kDefaultDeformer));
  std::vector<std::string> notes = model.report.notes;
  if (std::string note = rigid_note(model); !note.empty()) notes.push_back(std::move(note));
  if (command.json) {
    Json meshes = Json::array();
    for (const Mesh& mesh : model.meshes) {
      const RowStatistics weights = statistics(mesh.weights);
      meshes.push_back({{"name", mesh.name},
                        {"vertices", mesh.positions.size()},
                        {"triangles", mesh.triangles.size()},
                        {"parts", mesh.parts.size()},
                        {"mean_influences", weights.mean_influences},
                        {"max_influences", weights.max_influences},
                        {"morph_targets", names_of(mesh.morph_targets)},
                        {"attributes", names_of(mesh.attributes)},
                        {"uvs", !mesh.uvs.empty()},
                        {"tangents", !mesh.tangents.empty()}});
    }
    print({{"kind", "model"},
           {"name", model.name},
           {"meshes", meshes},
           {"levels", describe(levels_of(model))},
           {"joints", joint_names(model.skeleton)},
           {"bound_joints", model.bound_joints.size()},
           {"clips", describe(model.clips)},
           {"materials", describe(model.materials)},
           {"expressions", names_of(model.expressions)},
           {"human_bones", names_of(model.skeleton.human_bones)},
           {"deformers", gltf_rig ? describe(*gltf_rig) : Json()},
           {"surfaces", describe(surfaces)},
           {"not_carried", left},
           {"notes", notes}});
    return {};
  }
  Table table({{"mesh", false}, {"vertices"}, {"triangles"}, {"parts"}, {"influences"}, {"most"}});
  for (const Mesh& mesh : model.meshes) {
    const RowStatistics weights = statistics(mesh.weights);
    table.add({mesh.name, fmt::to_string(mesh.positions.size()), fmt::to_string(mesh.triangles.size()),
               fmt::to_string(mesh.parts.size()), fmt::format("{:.2f}", weights.mean_influences),
               fmt::to_string(weights.max_influences)});
  }
  fmt::print("model {}\n\nmeshes: {}\n{}", command.file, model.meshes.size(), table.text());
  print_levels(levels_of(model));
  for (const Mesh& mesh : model.meshes) {
    const auto print_names = [&](const char* what, const std::vector<std::string>& names) {
      if (!names.empty()) fmt::print("\n{} of {}: {}\n  {}\n", what, mesh.name, names.size(), fmt::join(names, ", "));
    };
    print_names("morph targets", names_of(mesh.morph_targets));
    print_names("attributes", names_of(mesh.attributes));
  }
  print_rest(model.skeleton, model.clips, model.materials);
  if (!model.expressions.empty()) {
    fmt::print("\nexpressions: {}\n  {}\n", model.expressions.size(), fmt::join(names_of(model.expressions), ", "));
  }
  if (gltf_rig) print_gltf_rig(*gltf_rig);
  print_surfaces(surfaces);
  fmt::print("\na character carries: {}\n", carried(model));
  for (const std::string& what : left) fmt::print("not carried: {}\n", what);
  for (const std::string& note : notes) fmt::print("note: {}\n", note);
  return {};
}

// -------------------------------------------------------------------------------------------------------- a character

// Lists the clips that key the morph target; none: only the game sets it.
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
  Json streams = Json::array();
  for (const Stream& stream : data.streams) {
    const CharacterMesh& mesh = data.meshes[stream.mesh];
    streams.push_back({{"mesh", mesh.name}, {"vertices", mesh.vertex_count()}, {"first_input", stream.first_input}});
  }
  Json controls = Json::array();
  for (const Control& control : data.controls) {
    controls.push_back({{"name", control.name},
                        {"rest", control.rest},
                        {"kind", name_of(control.kind)},
                        {"clips", clips_of(control, data.clips)},
                        {"input", control.input}});
  }
  return {{"count", data.input_count}, {"streams", streams}, {"controls", controls}};
}

void print_inputs(const CharacterData& data) {
  if (!data.streams.empty()) {
    Table table({{"streamed, frame by frame", false}, {"vertices"}});
    for (const Stream& stream : data.streams) {
      const CharacterMesh& mesh = data.meshes[stream.mesh];
      table.add({mesh.name, fmt::to_string(mesh.vertex_count())});
    }
    fmt::print("\nstreams: {}\n{}", data.streams.size(), table.text());
  }
  std::size_t given = data.controls.size();
  if (data.clock_input()) --given;  // the clock of secondary action is none for a user to give
  if (given != 0) {
    Table table({{"control", false}, {"at rest"}, {"keyed by", false}});
    for (const Control& control : data.controls) {
      if (control.kind == ControlKind::kClock) continue;
      table.add({control.name, fmt::format("{:g}", control.rest),
                 fmt::format("{}", fmt::join(clips_of(control, data.clips), ", "))});
    }
    fmt::print("\ncontrols: {}\n{}", given, table.text());
  }
  if (data.clock_input()) fmt::print("\nsecondary action: it swings with time\n");
}

// What a .pelt file says beside its character.
struct PeltFile {
  const std::string& path;
  std::uint64_t bytes = 0;
  std::optional<std::string> rig_name;
  std::vector<SurfaceLine> surfaces;  // of the rig
};

void print_character_json(const PeltFile& file, const Character& character) {
  const CharacterData& data = *character;
  Json meshes = Json::array();
  for (const CharacterMesh& mesh : data.meshes) {
    const RowStatistics rows = statistics(unpack_rows(mesh.binding));
    meshes.push_back({{"name", mesh.name},
                      {"deformer", mesh.deformer},
                      {"control", mesh.control},
                      {"stage", mesh.stage},
                      {"vertices", mesh.vertex_count()},
                      {"triangles", mesh.triangles.size()},
                      {"parts", mesh.parts.size()},
                      {"mean_influences", rows.mean_influences},
                      {"max_influences", rows.max_influences},
                      {"painted", mesh.painted.has_value()}});
  }
  Json passes = Json::array();
  for (const PalettePass& pass : data.passes) {
    passes.push_back({{"kernel", pose_kernel_name(pass.kernel)},
                      {"stage", pass.stage},
                      {"first_slot", pass.first_slot},
                      {"records", pass.record_count},
                      {"painted", pass.painted}});
  }
  print({{"kind", "character"},
         {"name", data.name},
         {"levels", describe(levels_of(data))},
         {"rig", file.rig_name ? Json(*file.rig_name) : Json()},
         {"bytes", file.bytes},
         {"size", character.size()},
         {"surfaces", describe(file.surfaces)},
         {"palette_size", data.palette_size},
         {"stages", data.stage_count},
         {"meshes", meshes},
         {"passes", passes},
         {"inputs", describe_inputs(data)},
         {"joints", joint_names(data.skeleton)},
         {"clips", describe(data.clips)},
         {"materials", describe(data.materials)}});
}

void print_character(const PeltFile& file, const Character& character) {
  const CharacterData& data = *character;
  Table meshes(
      {{"mesh", false}, {"moved by", false}, {"stage"}, {"vertices"}, {"triangles"}, {"influences"}, {"most"}});
  for (const CharacterMesh& mesh : data.meshes) {
    const RowStatistics rows = statistics(unpack_rows(mesh.binding));
    meshes.add({mesh.control ? mesh.name + " (control)" : mesh.name, mesh.deformer, fmt::to_string(mesh.stage),
                fmt::to_string(mesh.vertex_count()), fmt::to_string(mesh.triangles.size()),
                fmt::format("{:.2f}", rows.mean_influences), fmt::to_string(rows.max_influences)});
  }
  Table palette({{"posed by", false}, {"stage"}, {"first"}, {"elements"}});
  for (const PalettePass& pass : data.passes) {
    palette.add({std::string(pose_kernel_name(pass.kernel)), fmt::to_string(pass.stage),
                 fmt::to_string(pass.first_slot),
                 fmt::to_string(std::uint64_t{pass.record_count} * entries_per_record(pass.kernel))});
  }
  for (const CharacterMesh& mesh : data.meshes) {
    if (!mesh.frame_slot) continue;
    palette.add({"vertices of " + mesh.name, fmt::to_string(mesh.stage), fmt::to_string(*mesh.frame_slot),
                 fmt::to_string(mesh.vertex_count())});
  }
  const std::string by_rig =
      file.rig_name && !file.rig_name->empty() ? fmt::format(" by the rig '{}'", *file.rig_name) : "";
  fmt::print("character {}, {}, bound from {}{}, {:.3g} m across\n\nmeshes: {}\n{}", file.path,
             format_bytes(file.bytes), data.name, by_rig, character.size(), data.meshes.size(), meshes.text());
  fmt::print("\npalette: {} elements\n{}", data.palette_size, palette.text());
  print_surfaces(file.surfaces);
  print_levels(levels_of(data));
  if (!data.has_linear_blend()) fmt::print("\nmoved in full at every detail: not all skins have weights\n");
  print_inputs(data);
  print_rest(data.skeleton, data.clips, data.materials);
}

Result<void> character_info(const InfoCommand& command) {
  PELT_ASSIGN(const auto character, pelt::load_character(command.file));
  std::error_code code;
  PeltFile file{.path = command.file, .bytes = std::filesystem::file_size(command.file, code)};
  if (!character->rig.empty()) {
    PELT_ASSIGN(auto rig, parse_rig(character->rig, fmt::format("{}: the rig", command.file)));
    file.surfaces = surfaces_of(rig);
    file.rig_name = std::move(rig.name);
  }
  command.json ? print_character_json(file, character) : print_character(file, character);
  return {};
}

// -------------------------------------------------------------------------------------------------------------- a rig

Result<void> rig_info(const InfoCommand& command) {
  PELT_ASSIGN(const auto rig, load_rig(command.file));
  if (command.json) {
    print({{"kind", "rig"}, {"surfaces", describe(surfaces_of(rig))}, {"rig", Json::parse(format_rig(rig))}});
    return {};
  }
  Table table({{"layer"}, {"target", false}, {"deformer", false}, {"mask"}, {"joints of the mask", false}});
  for (std::size_t l = 0; l < rig.layers.size(); ++l) {
    const Layer& layer = rig.layers[l];
    table.add({fmt::to_string(l + 1), layer.target, std::string(layer.deformer.name()),
               fmt::format("{:g}", layer.mask.value), fmt::format("{}", fmt::join(layer.mask.region.joints, ", "))});
  }
  fmt::print("rig {} '{}'\n\nlayers: {}\n{}", command.file, rig.name, rig.layers.size(), table.text());
  print_surfaces(surfaces_of(rig));
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
