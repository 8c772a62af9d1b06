// SPDX-License-Identifier: MIT
// Deformed meshes as files: one pose, nothing that moves.
#pragma once

#include <filesystem>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt::samples {

// A skin in the model's vertex order. Model space, metres.
struct PosedMesh {
  std::string name;
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
  std::vector<glm::vec2> uvs;  // may be empty
  std::vector<glm::uvec3> triangles;
  std::vector<MeshPart> parts;
};

// The skins of a character; positions and normals are of all its vertices, in packed order.
std::vector<PosedMesh> posed_skins(const Character& character, std::span<const glm::vec3> positions,
                                   std::span<const glm::vec3> normals);

// Wavefront OBJ: an object a mesh, a group a part; the vertices of a mesh without triangles as points. White space in
// names becomes '_'.
Result<void> write_obj(const std::filesystem::path& path, std::span<const PosedMesh> meshes);

// Binary glTF 2.0: a node and a mesh for each that has vertices, a primitive a part, the materials' base colours;
// points where a mesh has no triangles.
Result<void> write_glb(const std::filesystem::path& path, std::span<const PosedMesh> meshes,
                       std::span<const Material> materials);

}  // namespace pelt::samples
