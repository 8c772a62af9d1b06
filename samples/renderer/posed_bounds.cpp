// SPDX-License-Identifier: MIT
#include <pelt/evaluate.h>

#include "samples/renderer/framing.h"

namespace pelt::samples {

Bounds posed_bounds(const Character& character, const InstancePose& pose) {
  Evaluator evaluator(character, {.normals = false, .tangents = false});
  evaluator.pose(pose.joints);
  evaluator.inputs(pose.inputs);
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
