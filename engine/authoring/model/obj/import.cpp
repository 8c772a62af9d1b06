// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include <pelt/import.h>
#include <pelt/try.h>

#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/geometry/polygon.h"
#include "engine/authoring/model/note_size.h"
#include "engine/authoring/model/obj/materials.h"
#include "engine/authoring/model/obj/polygons.h"
#include "engine/authoring/model/tangents.h"

namespace pelt {
namespace {

// Calls visit(vertex, point) for each corner that names a point, in order.
template <class Visit>
void for_each_corner(const ObjPolygons& polygons, const std::vector<std::uint32_t>& points, const Visit& visit) {
  for (std::size_t c = 0; c < points.size(); ++c) {
    if (points[c] != ObjPolygons::kNone) visit(polygons.corners[c], points[c]);
  }
}

std::size_t most_corners(const ObjPolygons& polygons) {
  std::size_t most = 0;
  for (std::size_t f = 0; f < polygons.face_count(); ++f) most = std::max(most, polygons.face(f).size());
  return most;
}

// Returns a name with U+FFFD instead of bytes that are not UTF-8, such as the Latin-1 of old programs, which JSON
// cannot contain.
std::string as_utf8(const std::string& name) {
  using nlohmann::json;
  return json::parse(json(name).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

std::size_t count(const std::vector<bool>& flags) { return static_cast<std::size_t>(std::ranges::count(flags, true)); }

// Splits the polygons. A part is a run of faces of one material. Polygons with very many corners of unusual shape could
// take hours; usual models need a small part of kMaxSteps, which takes a second or two.
Result<void> add_triangles(const ObjPolygons& polygons, const std::string& source, Mesh& mesh) {
  constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 28;
  std::uint64_t steps = 0;
  for (std::size_t f = 0; f < polygons.face_count(); ++f) {
    const auto first = static_cast<std::uint32_t>(mesh.triangles.size());
    steps += split_polygon(mesh.positions, polygons.face(f), mesh.triangles);
    if (steps > kMaxSteps) {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("{}: its polygons, of up to {} corners, take too long to split into triangles", source,
                              most_corners(polygons)));
    }
    const auto added = static_cast<std::uint32_t>(mesh.triangles.size()) - first;
    if (added == 0) continue;
    if (mesh.parts.empty() || mesh.parts.back().material != polygons.materials[f]) {
      mesh.parts.push_back({.first_triangle = first, .material = polygons.materials[f]});
    }
    mesh.parts.back().triangle_count += added;
  }
  return {};
}

// Sets each vertex's normal to the mean of its corners'; if there are none, to one made from the faces.
void add_normals(const ObjPolygons& polygons, Mesh& mesh, std::vector<std::string>& notes) {
  std::vector<glm::dvec3> sums(mesh.positions.size(), glm::dvec3(0.0));
  std::vector<glm::dvec3> firsts = sums;
  std::vector<bool> differ(sums.size(), false);
  for_each_corner(polygons, polygons.corner_normals, [&](std::uint32_t v, std::uint32_t n) {
    const glm::dvec3 normal(polygons.normals[n]);
    const double length = glm::length(normal);
    if (!(length > 0)) return;
    if (firsts[v] == glm::dvec3(0.0)) firsts[v] = normal / length;
    differ[v] = differ[v] || !are_alike(firsts[v], normal);
    sums[v] += normal / length;
  });
  const std::vector<glm::vec3> made = vertex_normals(mesh.positions, mesh.triangles);
  std::vector<bool> missing(sums.size(), false);
  for (const std::uint32_t v : polygons.corners) missing[v] = !(glm::length(sums[v]) > 1e-6);
  mesh.normals.resize(sums.size());
  for (std::size_t v = 0; v < sums.size(); ++v) {
    mesh.normals[v] = glm::length(sums[v]) > 1e-6 ? glm::vec3(glm::normalize(sums[v])) : made[v];
  }
  if (mesh.triangles.empty()) return;
  const bool has_any = std::ranges::any_of(firsts, [](const auto& n) { return n != glm::dvec3(0.0); });
  if (!has_any) {
    notes.push_back("no normals: smooth ones are made from the faces");
  } else if (count(missing) > 0) {
    notes.push_back(fmt::format("{} vertices without normals, which get smooth ones from the faces", count(missing)));
  }
  if (count(differ) > 0) {
    notes.push_back(fmt::format("{} vertices with several normals, which get their mean", count(differ)));
  }
}

// Sets each vertex's texture coordinates to its first corner's; v falls, as in glTF.
void add_uvs(const ObjPolygons& polygons, Mesh& mesh, std::vector<std::string>& notes) {
  std::vector<std::uint32_t> firsts(mesh.positions.size(), ObjPolygons::kNone);
  std::vector<bool> differ(firsts.size(), false);
  for_each_corner(polygons, polygons.corner_uvs, [&](std::uint32_t v, std::uint32_t uv) {
    if (firsts[v] == ObjPolygons::kNone) firsts[v] = uv;
    differ[v] = differ[v] || polygons.uvs[uv] != polygons.uvs[firsts[v]];
  });
  if (std::ranges::all_of(firsts, [](std::uint32_t uv) { return uv == ObjPolygons::kNone; })) return;
  for (const std::uint32_t uv : firsts) {
    const glm::vec2 given = uv == ObjPolygons::kNone ? glm::vec2(0, 1) : polygons.uvs[uv];
    mesh.uvs.emplace_back(given.x, 1 - given.y);
  }
  if (count(differ) > 0) {
    notes.push_back(fmt::format("{} vertices with several texture coordinates, which get the first", count(differ)));
  }
}

// Notes an unlikely size of the faces, and positions that rounding moves visibly, such as those of surveys.
void note_size_and_lost_digits(const ObjPolygons& polygons, Model& model) {
  constexpr double kMaxLost = 1e-4;  // of the mesh's size
  Bounds<glm::dvec3> bounds;
  double lost = 0;
  for (const std::uint32_t v : polygons.corners) {
    bounds.add(glm::dvec3(polygons.positions[v]));
    lost = std::max(lost, static_cast<double>(polygons.lost[v]));
  }
  const double size = polygons.corners.empty() ? 0 : glm::length(bounds.size());
  if (size > 0) note_size(static_cast<float>(size), model.report);
  if (lost <= kMaxLost * size) return;
  model.report.notes.push_back(
      fmt::format("'{}' is so far from the origin that rounding moves vertices by up to {:.2g}, at a size of {:.2g}; "
                  "move it to the origin before export",
                  model.name, lost, size));
}

}  // namespace

Result<Model> import_obj(const std::filesystem::path& path, std::vector<std::filesystem::path>* beside,
                         NamedFiles files) {
  PELT_ASSIGN(auto polygons, read_obj_polygons(path));
  Model model;
  model.name = as_utf8(path.filename().string());
  std::vector<std::string>& notes = model.report.notes;
  if (!polygons.unread.empty()) notes.push_back(fmt::format("not read: {}", polygons.unread));

  if (polygons.missing_normals > 0) {
    notes.push_back(fmt::format("{} normals that are NaN or infinite, treated as missing", polygons.missing_normals));
  }
  if (polygons.missing_uvs > 0) {
    notes.push_back(fmt::format("{} texture coordinates that are NaN or infinite, treated as 0", polygons.missing_uvs));
  }

  note_size_and_lost_digits(polygons, model);

  Mesh mesh;
  mesh.name = as_utf8(path.stem().string());
  mesh.positions = std::move(polygons.positions);
  PELT_TRY(add_triangles(polygons, path.string(), mesh));
  add_normals(polygons, mesh, notes);
  add_uvs(polygons, mesh, notes);

  PELT_ASSIGN(auto read, read_obj_materials(path, polygons.material_names, polygons.libraries, beside, files));
  model.materials = std::move(read.materials);
  model.images = std::move(read.images);
  for (Material& material : model.materials) material.name = as_utf8(material.name);
  for (EncodedImage& image : model.images) image.name = as_utf8(image.name);
  notes.insert(notes.end(), read.notes.begin(), read.notes.end());
  model.meshes.push_back(std::move(mesh));
  return model;
}

}  // namespace pelt
