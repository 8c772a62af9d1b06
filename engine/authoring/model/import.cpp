// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>

#include <pelt/builtin.h>
#include <pelt/import.h>

#include "engine/authoring/model/beside.h"

namespace pelt {
namespace {

struct Builtin {
  std::string_view name;
  Model (*make)();
};
constexpr std::string_view kBuiltinPrefix = "builtin:";
constexpr std::array<Builtin, 4> kBuiltins{{
    {"arm", [] { return make_arm(); }},
    {"biped", [] { return make_biped(); }},
    {"limb", [] { return make_limb(); }},
    {"tail", [] { return make_tail(); }},
}};

}  // namespace

Result<Model> import_model(const std::string& path_or_builtin, std::vector<std::filesystem::path>* beside,
                           NamedFiles files) {
  if (path_or_builtin.starts_with(kBuiltinPrefix)) {
    const std::string_view name = std::string_view(path_or_builtin).substr(kBuiltinPrefix.size());
    std::vector<std::string> names;
    for (const Builtin& builtin : kBuiltins) {
      if (builtin.name == name) return builtin.make();
      names.push_back(fmt::format("{}{}", kBuiltinPrefix, builtin.name));
    }
    return fail(ErrorCode::kNotFound,
                fmt::format("{}: no such built-in character; there are {}", path_or_builtin, fmt::join(names, ", ")));
  }

  const std::filesystem::path path(path_or_builtin);
  const std::string extension = lower_extension(path);
  if (is_gltf(path)) return import_gltf(path, beside, files);
  if (extension == ".obj") return import_obj(path, beside, files);
  return fail(
      ErrorCode::kUnsupported,
      fmt::format("{}: {}", path_or_builtin,
                  extension == ".pelt"   ? "is bound already; bind the model that it came from"
                  : extension == ".json" ? "is no model; --rig takes a rig"
                                         : "unknown kind of file; models are .gltf, .glb, .vrm or .obj, characters "
                                           ".pelt, rigs .json. Blender converts others, such as .fbx: "
                                           "docs/blender.md#fbx"));
}

}  // namespace pelt
