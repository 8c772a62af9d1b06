// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/named_files.h>
#include <pelt/result.h>

namespace pelt {

struct ObjMaterials {
  std::vector<Material> materials;  // in the order of the requested names
  std::vector<EncodedImage> images;
  std::vector<std::string> notes;  // unreadable files and materials
};

// Reads the materials that an OBJ uses: colour (Kd, linear), opacity (d, Tr) and texture (map_Kd). `libraries`: the
// texts of its mtllib lines. Notes a file that is missing or not in the OBJ's folder, and a material in no file; clamps
// colours to 0 to 1. Reads at most 16 MiB of libraries and 256 MiB of textures. Errors name the file and the line:
// invalid numbers. `beside`, `files`: as in import_obj.
Result<ObjMaterials> read_obj_materials(const std::filesystem::path& obj, std::span<const std::string> names,
                                        std::span<const std::string> libraries,
                                        std::vector<std::filesystem::path>* beside, NamedFiles files);

}  // namespace pelt
