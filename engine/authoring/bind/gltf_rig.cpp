// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <span>
#include <utility>
#include <vector>

#include <pelt/gltf_export.h>
#include <pelt/gltf_pack.h>
#include <pelt/gltf_rig.h>
#include <pelt/paint.h>
#include <pelt/pelt_file.h>
#include <pelt/pelt_gltf.h>
#include <pelt/rig_json.h>
#include <pelt/rig_names.h>
#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "engine/authoring/model/gltf/loader.h"

namespace pelt {

Result<void> check_gltf_rig(const Rig& rig, const std::string& source) {
  for (std::size_t l = 0; l < rig.layers.size(); ++l) {
    std::optional<std::string> file;
    for_each_name(rig.layers[l].deformer, [&](const std::string& name, Names names) {
      if (names == Names::kFile || names == Names::kObjFile) file = name;
    });
    if (!file) continue;
    return fail(ErrorCode::kUnsupported,
                fmt::format("{}: layer {}: names the file '{}', but a rig inside a glTF file cannot name files: add "
                            "the mesh to the model and name it in the rig",
                            source, l, *file));
  }
  return {};
}

Result<std::optional<GltfRig>> load_gltf_rig(const std::filesystem::path& path) {
  PELT_ASSIGN(const auto bytes, read_file(path, kMaxGltfBytes));
  return read_gltf_rig(bytes, path.string());
}

Result<std::optional<GltfRig>> read_gltf_rig(std::span<const std::byte> file, const std::string& source) {
  PELT_ASSIGN(const auto found, read_gltf_deformers(file, source));
  if (!found) return std::nullopt;
  const GltfDeformers& deformers = *found;
  const std::string place = fmt::format("{}: /extensions/{}/rig", source, kGltfDeformers);
  PELT_ASSIGN(auto rig, parse_rig(deformers.rig, place));
  PELT_TRY(check_gltf_rig(rig, place));
  GltfRig result{.rig = std::move(rig)};
  if (deformers.character.empty()) return result;
  if (!deformers.current) {
    result.note = "it was changed since its character was bound";
    return result;
  }
  Result<Character> character = deserialize(deformers.character, source + ": its character");
  if (!character && character.error().code == ErrorCode::kUnsupported) {
    result.note = character.error().message;
    return result;
  }
  PELT_ASSIGN(result.character, std::move(character));
  return result;
}

Result<void> save_gltf(const Character& character, const Model& model, const std::filesystem::path& file,
                       const std::filesystem::path& path, NamedFiles files) {
  PELT_ASSIGN(auto rig, parse_rig(character->rig, path.string() + ": the character's rig"));
  PELT_TRY(check_gltf_rig(rig, path.string()));
  std::optional<Model> copy;
  if (may_paint(model, rig.paint)) {
    copy = model;
    PELT_TRY(paint_model(*copy, rig.paint));
  }
  const Model& written = copy ? *copy : model;
  std::vector<std::byte> glb;
  if (!file.empty()) {
    PELT_ASSIGN(glb, pack_gltf(file, files));
    if (written.painted) {
      PELT_ASSIGN(glb, with_weights(glb, written, file.string()));
    }
  } else {
    PELT_ASSIGN(const auto made, format_glb(written));
    const auto bytes = std::as_bytes(std::span(made));
    glb.assign(bytes.begin(), bytes.end());
  }
  std::string inside = character->rig;
  if (rig.paint == PaintMode::kAlways) {  // the file has these weights, and somebody may correct them
    rig.paint = PaintMode::kAuto;
    inside = format_rig(rig);
  }
  PELT_ASSIGN(const auto bytes,
              write_gltf_deformers(glb, inside, &character, file.empty() ? path.string() : file.string()));
  return write_file(path, bytes);
}

}  // namespace pelt
