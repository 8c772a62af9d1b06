// SPDX-License-Identifier: MIT
// Writes deformed meshes to files: one pose, without animation.
#pragma once

#include <filesystem>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt::samples {

// A posed skin in the model's vertex order. Model space, metres.
struct PosedMesh {
  std::string name;
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
  std::vector<glm::vec2> uvs;  // may be empty
  std::vector<glm::uvec3> triangles;
  std::vector<MeshPart> parts;
};

// Returns the skins of a character; positions and normals are those of all its vertices, in packed order. Triangles
// that the pose mirrors are turned.
std::vector<PosedMesh> posed_skins(const Character& character, std::span<const glm::mat4> joints,
                                   std::span<const glm::vec3> positions, std::span<const glm::vec3> normals);

// Writes Wavefront OBJ: an object per mesh, a group per part, and points for a mesh without triangles. White space in
// names becomes '_'.
Result<void> write_obj(const std::filesystem::path& path, std::span<const PosedMesh> meshes);

// Writes binary glTF 2.0: a node and a mesh for each mesh with vertices, a primitive per part, and the materials' base
// colours. A mesh without triangles becomes points.
Result<void> write_glb(const std::filesystem::path& path, std::span<const PosedMesh> meshes,
                       std::span<const Material> materials);

}  // namespace pelt::samples
