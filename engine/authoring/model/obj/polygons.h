// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/result.h>

namespace pelt {

// The points and polygons of a Wavefront OBJ.
struct ObjPolygons {
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  std::vector<glm::vec3> positions;
  std::vector<float> lost;     // of each position: the most that rounding takes from a coordinate
  std::vector<glm::vec2> uvs;  // as in the file: v rises
  std::vector<glm::vec3> normals;
  std::vector<std::uint32_t> corners;         // positions of all faces' corners, in order
  std::vector<std::uint32_t> corner_uvs;      // for each corner, or kNone
  std::vector<std::uint32_t> corner_normals;  // for each corner, or kNone
  std::vector<std::size_t> ends;              // end of each face in `corners`
  std::vector<std::int32_t> materials;        // of each face, in material_names, or -1
  std::vector<std::string> material_names;    // from usemtl lines, each once
  std::vector<std::string> libraries;         // from mtllib lines, each line whole
  std::size_t missing_uvs = 0;                // uvs that are NaN or infinite in the file; they are 0
  std::size_t missing_normals = 0;            // likewise
  std::string unread;                         // description of the lines that are not read; empty: none

  std::size_t face_count() const { return ends.size(); }
  std::span<const std::uint32_t> face(std::size_t f) const {
    const std::size_t begin = f == 0 ? 0 : ends[f - 1];
    return std::span(corners).subspan(begin, ends[f] - begin);
  }
};

// Errors: those of import_obj (import.h).
Result<ObjPolygons> read_obj_polygons(const std::filesystem::path& path);

}  // namespace pelt
