// SPDX-License-Identifier: MIT
#include "samples/pelt/mesh_file.h"

#include <fmt/format.h>

#include <cctype>
#include <iterator>
#include <utility>

#include <pelt/evaluate.h>
#include <pelt/gltf_export.h>
#include <pelt/model.h>
#include <pelt/pose.h>
#include <pelt/shaders/octahedral.h>
#include <pelt/tools/file_io.h>
#include <pelt/try.h>

namespace pelt::samples {
namespace {

std::string without_spaces(std::string name) {
  for (char& c : name) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) c = '_';
  }
  return name;
}

// Returns how far the normals of a triangle's corners point to its front side: 3 if all are its own.
template <class NormalOf>
float frontness(std::span<const glm::vec3> positions, const NormalOf& normal_of, glm::uvec3 t) {
  const glm::vec3 front = glm::cross(positions[t.y] - positions[t.x], positions[t.z] - positions[t.x]);
  const float size = glm::length(front);
  return size > 0 ? glm::dot(front, normal_of(t.x) + normal_of(t.y) + normal_of(t.z)) / size : 0;
}

bool mirrors_joints(const Skeleton& skeleton, std::span<const glm::mat4> joints) {
  std::vector<glm::mat4> rest(joints.size());
  rest_matrices(skeleton, rest);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (glm::determinant(glm::mat3(joints[j])) * glm::determinant(glm::mat3(rest[j])) < 0) return true;
  }
  return false;
}

}  // namespace

std::vector<PosedMesh> posed_skins(const Character& character, std::span<const glm::mat4> joints,
                                   std::span<const glm::vec3> positions, std::span<const glm::vec3> normals) {
  const bool mirrors = mirrors_joints(character->skeleton, joints);
  std::vector<PosedMesh> skins;
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.control) continue;
    PosedMesh skin;
    skin.name = mesh.name;
    skin.parts = mesh.parts;
    skin.positions.resize(mesh.vertex_count());
    skin.normals.resize(mesh.vertex_count());
    skin.uvs.resize(mesh.uvs.size());
    to_source_order<glm::vec3>(mesh, positions, skin.positions);
    to_source_order<glm::vec3>(mesh, normals, skin.normals);
    for (std::size_t i = 0; i < mesh.uvs.size(); ++i) skin.uvs[mesh.source_vertex[i]] = mesh.uvs[i];
    const auto rest_normal = [&](std::uint32_t v) { return shared::unpack_normal(mesh.binding.directions[v].x); };
    const auto posed_normal = [&](std::uint32_t v) { return normals[mesh.first_vertex + v]; };
    for (glm::uvec3 triangle : mesh.triangles) {
      const float rest = mirrors ? frontness(mesh.binding.points, rest_normal, triangle) : 0;
      const float posed = mirrors ? frontness(positions.subspan(mesh.first_vertex), posed_normal, triangle) : 0;
      // Its outer side is now its back. In creases normals lean, but less.
      if (posed * rest < -0.5f * rest * rest) std::swap(triangle.y, triangle.z);
      skin.triangles.emplace_back(mesh.source_vertex[triangle.x], mesh.source_vertex[triangle.y],
                                  mesh.source_vertex[triangle.z]);
    }
    skins.push_back(std::move(skin));
  }
  return skins;
}

Result<void> write_obj(const std::filesystem::path& path, std::span<const PosedMesh> meshes) {
  PELT_ASSIGN(auto file, OutputFile::create(path));
  // Indices count from 1 over the whole file; vertices without texture coordinates use no vt.
  std::size_t first_vertex = 1;
  std::size_t first_uv = 1;
  for (const PosedMesh& mesh : meshes) {
    fmt::memory_buffer text;
    const auto out = std::back_inserter(text);
    const std::string name = without_spaces(mesh.name);
    fmt::format_to(out, "o {}\n", name);
    for (const glm::vec3& p : mesh.positions) fmt::format_to(out, "v {} {} {}\n", p.x, p.y, p.z);
    for (const glm::vec2& uv : mesh.uvs) fmt::format_to(out, "vt {} {}\n", uv.x, 1 - uv.y);
    for (const glm::vec3& n : mesh.normals) fmt::format_to(out, "vn {} {} {}\n", n.x, n.y, n.z);
    for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
      const MeshPart& part = mesh.parts[p];
      fmt::format_to(out, "g {}_{}\n", name, p);
      for (const glm::uvec3 triangle : std::span(mesh.triangles).subspan(part.first_triangle, part.triangle_count)) {
        fmt::format_to(out, "f");
        for (int corner = 0; corner < 3; ++corner) {
          const std::size_t vertex = first_vertex + triangle[corner];
          const std::string uv = mesh.uvs.empty() ? "" : fmt::to_string(first_uv + triangle[corner]);
          fmt::format_to(out, " {}/{}/{}", vertex, uv, vertex);
        }
        fmt::format_to(out, "\n");
      }
    }
    if (mesh.triangles.empty()) {
      for (std::size_t v = 0; v < mesh.positions.size(); ++v) fmt::format_to(out, "p {}\n", first_vertex + v);
    }
    first_vertex += mesh.positions.size();
    first_uv += mesh.uvs.size();
    PELT_TRY(file.write(std::as_bytes(std::span(text.data(), text.size()))));
  }
  return file.commit();
}

Result<void> write_glb(const std::filesystem::path& path, std::span<const PosedMesh> meshes,
                       std::span<const Material> materials) {
  Model model{.name = path.string(), .materials = {materials.begin(), materials.end()}};
  for (const PosedMesh& mesh : meshes) {
    if (mesh.positions.empty()) continue;
    model.meshes.push_back({.name = mesh.name,
                            .positions = mesh.positions,
                            .normals = mesh.normals,
                            .uvs = mesh.uvs,
                            .triangles = mesh.triangles,
                            .parts = mesh.parts});
  }
  if (model.meshes.empty()) {
    return fail(ErrorCode::kUnsupported, fmt::format("{}: no vertices to write", path.string()));
  }
  PELT_ASSIGN(const auto bytes, format_glb(model));
  return write_file(path, std::as_bytes(std::span(bytes)));
}

}  // namespace pelt::samples
