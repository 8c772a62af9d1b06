// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/character.h>

namespace pelt::test {

// Expects the tension of each vertex of a skin to be that of the posed triangles round it within 2% of a length:
// fits s^2 to |F_T d|^2, by area, with a map F_T for each triangle of all vertices at the same position.
void expect_tension_of_triangles(const CharacterMesh& mesh, std::span<const glm::vec3> posed,
                                 std::span<const glm::i8vec2> tension);

}  // namespace pelt::test
