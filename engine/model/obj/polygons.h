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

// The v and f lines of a Wavefront OBJ.
struct ObjPolygons {
  std::vector<glm::vec3> positions;
  std::vector<std::uint32_t> corners;  // positions of all faces' corners, in order
  std::vector<std::size_t> ends;       // end of each face in `corners`
  bool has_normals = false;            // true: the file has vn lines, which are not read
  std::string unread;                  // description of the other lines than v, f and p; empty: none

  std::size_t face_count() const { return ends.size(); }
  std::span<const std::uint32_t> face(std::size_t f) const {
    const std::size_t begin = f == 0 ? 0 : ends[f - 1];
    return std::span(corners).subspan(begin, ends[f] - begin);
  }
};

// Errors: those of import_obj (import.h).
Result<ObjPolygons> read_obj_polygons(const std::filesystem::path& path);

}  // namespace pelt
