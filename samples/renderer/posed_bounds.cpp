// SPDX-License-Identifier: MIT
#include <pelt/evaluate.h>

#include "samples/renderer/framing.h"

namespace pelt::samples {

Bounds posed_bounds(const Character& character, const InstancePose& pose) {
  Evaluator evaluator(character, {.normals = false, .tangents = false});
  evaluator.pose(pose.joints);
  evaluator.inputs(pose.inputs);
  evaluator.evaluate();
  return skin_bounds(*character, evaluator.positions());
}

Bounds skin_bounds(const CharacterData& character, std::span<const glm::vec3> positions) {
  Bounds box;
  for (const CharacterMesh& mesh : character.meshes) {
    if (mesh.control) continue;
    for (const glm::vec3& position : positions.subspan(mesh.first_vertex, mesh.vertex_count())) box.add(position);
  }
  return box;
}

}  // namespace pelt::samples
