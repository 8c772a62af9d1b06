// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <pelt/import.h>
#include <pelt/try.h>

#include "engine/geometry/polygon.h"
#include "engine/model/obj/polygons.h"

namespace pelt {

Result<Model> import_obj(const std::filesystem::path& path) {
  PELT_ASSIGN(auto polygons, read_obj_polygons(path));
  Mesh mesh;
  mesh.name = path.stem().string();
  mesh.positions = std::move(polygons.positions);
  for (std::size_t f = 0; f < polygons.face_count(); ++f) {
    split_polygon(mesh.positions, polygons.face(f), mesh.triangles);
  }
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  if (!mesh.triangles.empty())
    mesh.parts.push_back({.triangle_count = static_cast<std::uint32_t>(mesh.triangles.size())});

  Model model;
  if (!polygons.unread.empty()) model.report.notes.push_back(fmt::format("not read: {}", polygons.unread));
  if (!mesh.triangles.empty()) {
    model.report.notes.push_back(fmt::format("{}: smooth ones are made from the faces",
                                             polygons.has_normals ? "normals are not read" : "no normals"));
  }
  model.name = path.filename().string();
  model.meshes.push_back(std::move(mesh));
  return model;
}

}  // namespace pelt
