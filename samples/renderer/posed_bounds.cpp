// SPDX-License-Identifier: MIT
#include "engine/character/evaluate.h"
#include "samples/renderer/framing.h"

namespace pelt::samples {

Bounds posed_bounds(const Character& character, std::span<const glm::mat4> joints) {
  Evaluator evaluator(character, {.normals = false, .tangents = false});
  evaluator.pose(joints);
  evaluator.evaluate();
  Bounds box;
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.control) continue;
    for (const glm::vec3& position : evaluator.positions().subspan(mesh.first_vertex, mesh.vertex_count())) {
      box.add(position);
    }
  }
  return box;
}

}  // namespace pelt::samples
