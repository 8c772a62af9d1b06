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
  std::vector<Material> materials;  // in the order of the names that were asked for
  std::vector<EncodedImage> images;
  std::vector<std::string> notes;  // what could not be read
};

// Reads the materials that an OBJ uses: colour (Kd, linear), opacity (d, Tr) and texture (map_Kd). `libraries`: what
// its mtllib lines name. A file that is not there, or not in the OBJ's folder, is noted, and so is a material that no
// file has; colours are clamped to 0 and 1. Of all libraries 16 MiB are read, of all textures 256 MiB. Errors name the
// file and the line: numbers that are none. `beside`, `files`: as of import_obj.
Result<ObjMaterials> read_obj_materials(const std::filesystem::path& obj, std::span<const std::string> names,
                                        std::span<const std::string> libraries,
                                        std::vector<std::filesystem::path>* beside, NamedFiles files);

}  // namespace pelt
