// SPDX-License-Identifier: MIT
#include "engine/authoring/deformer/cage_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include <pelt/tools/weld.h>
#include <pelt/try.h>

#include "engine/authoring/geometry/polygon.h"
#include "engine/authoring/model/obj/polygons.h"

namespace pelt {
namespace {

constexpr double kNearlyFlat = 0.77;  // cosine of the angle between the normals of a quad's halves: 40 degrees

std::optional<std::vector<std::uint32_t>> quad_of(std::span<const glm::dvec3> points, glm::uvec3 one,
                                                  glm::uvec3 other) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (one[i] != other[(j + 1) % 3] || one[(i + 1) % 3] != other[j]) continue;
      std::vector<std::uint32_t> quad{one[i], other[(j + 2) % 3], one[(i + 1) % 3], one[(i + 2) % 3]};
      if (quad[1] == quad[3]) return std::nullopt;
      if (!is_even_quad({points[quad[0]], points[quad[1]], points[quad[2]], points[quad[3]]}, kNearlyFlat)) {
        return std::nullopt;
      }
      return quad;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<CageMesh> load_cage(const std::filesystem::path& path) {
  PELT_ASSIGN(const auto polygons, read_obj_polygons(path));
  if (polygons.face_count() == 0) {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: has no face", path.string()));
  }
  CageMesh cage;
  cage.points.assign(polygons.positions.begin(), polygons.positions.end());
  for (std::size_t f = 0; f < polygons.face_count(); ++f) {
    const std::span<const std::uint32_t> face = polygons.face(f);
    cage.faces.emplace_back(face.begin(), face.end());
  }
  cage.source_vertex.resize(cage.points.size());
  std::iota(cage.source_vertex.begin(), cage.source_vertex.end(), 0u);
  return cage;
}

CageMesh cage_of(const Mesh& mesh) {
  CageMesh cage;
  const std::vector<std::uint32_t> first = weld_by_position(mesh.positions);
  std::vector<bool> is_used(mesh.positions.size(), false);
  for (const glm::uvec3& triangle : mesh.triangles) {
    for (int c = 0; c < 3; ++c) is_used[first[triangle[c]]] = true;
  }
  std::vector<std::uint32_t> point(mesh.positions.size(), 0);
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) {
    if (!is_used[v]) continue;
    point[v] = static_cast<std::uint32_t>(cage.points.size());
    cage.points.emplace_back(mesh.positions[v]);
    cage.source_vertex.push_back(v);
  }
  const auto corners = [&](std::size_t t) {
    const glm::uvec3& triangle = mesh.triangles[t];
    return glm::uvec3(point[first[triangle.x]], point[first[triangle.y]], point[first[triangle.z]]);
  };
  for (const MeshPart& part : mesh.parts) {
    const std::size_t end = std::size_t{part.first_triangle} + part.triangle_count;
    for (std::size_t t = part.first_triangle; t < end; ++t) {
      const glm::uvec3 one = corners(t);
      if (one.x == one.y || one.y == one.z || one.z == one.x) continue;
      auto quad = t + 1 < end ? quad_of(cage.points, one, corners(t + 1)) : std::nullopt;
      if (quad) {
        cage.faces.push_back(std::move(*quad));
        ++t;
      } else {
        cage.faces.push_back({one.x, one.y, one.z});
      }
    }
  }
  return cage;
}

}  // namespace pelt
