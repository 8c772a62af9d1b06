// SPDX-License-Identifier: MIT
// The places of an imported model's parts in its glTF file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>

#include "engine/authoring/model/gltf/skin.h"

namespace pelt {

struct GltfOrigin {
  struct Mesh {
    std::size_t node = 0;  // beyond the file's nodes: an instance
    std::size_t skin = 0;  // index in `skins`
  };
  std::map<std::string, Mesh> meshes;  // and levels, by name
  std::vector<GltfSkin> skins;         // the file's come first
  std::vector<std::uint32_t> joint_of_node;
};

// Reads the bytes of a file as import_gltf does, and no other file.
Result<Model> import_gltf(std::span<const std::byte> file, const std::filesystem::path& path, GltfOrigin& origin);

}  // namespace pelt
