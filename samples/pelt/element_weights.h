// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt::samples {

// Returns how much a joint (by name), a palette entry (by number) or a vertex of a control mesh ("MESH vertex N",
// counted among those of the mesh) moves each vertex, in [0, 1]; vertices of all meshes, in packed order. Drivers pass
// it on: a vertex whose driver's vertices a joint moves by half is moved by half. Errors: no such joint, entry, vertex.
Result<std::vector<float>> element_weights(const Character& character, const std::string& element);

// Returns how much each vertex of control meshes moves a vertex of the instance, by their numbers there.
std::map<std::uint32_t, float> moving_vertices(const CharacterData& data, std::uint32_t vertex);

// Returns the vertex of the instance that a vertex of a control mesh only shifts, as those of a surface with limits do;
// none: it follows something else.
std::optional<std::uint32_t> shifted_vertex(const CharacterData& data, const CharacterMesh& mesh, std::uint32_t vertex);

// Returns the positions of a control mesh's vertices, in source order, after all meshes that shift them. `positions`:
// posed, of all vertices.
std::vector<glm::vec3> shifted_positions(const CharacterData& data, const CharacterMesh& mesh,
                                         std::span<const glm::vec3> positions);

}  // namespace pelt::samples
