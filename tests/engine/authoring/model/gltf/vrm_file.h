// SPDX-License-Identifier: MIT
#pragma once

#include "tests/engine/authoring/model/gltf/gltf_file.h"

namespace pelt::test {

// Returns the skinned triangle with three morph targets.
inline GltfFile face() {
  GltfFile file = GltfFile::skinned_triangle();
  nlohmann::json targets;
  for (int t = 0; t < 3; ++t) {
    targets.push_back({{"POSITION", file.add(std::vector<glm::vec3>(3, glm::vec3(0, 0, t + 1)))}});
  }
  primitive(file)["targets"] = targets;
  return file;
}

// Returns a face with bones and expressions, as VRM 0.x or 1.0.
inline GltfFile vrm_file(bool old) {
  using nlohmann::json;
  GltfFile file = face();
  if (old) {
    const json bind{{"mesh", 0}, {"index", 1}, {"weight", 50}};
    file.json["extensions"]["VRM"] = {
        {"humanoid", {{"humanBones", {{{"bone", "hips"}, {"node", 1}}, {{"bone", "head"}, {"node", 2}}}}}},
        {"blendShapeMaster",
         {{"blendShapeGroups",
           {{{"name", "a"}, {"presetName", "joy"}, {"isBinary", true}, {"binds", json::array({bind})}}}}}}};
    return file;
  }
  const json expression{{"isBinary", true}, {"morphTargetBinds", {{{"node", 0}, {"index", 1}, {"weight", 0.5}}}}};
  file.json["extensions"]["VRMC_vrm"] = {
      {"specVersion", "1.0"},
      {"humanoid", {{"humanBones", {{"hips", {{"node", 1}}}, {"head", {{"node", 2}}}}}}},
      {"expressions", {{"preset", {{"happy", expression}}}, {"custom", {{"wink", expression}}}}}};
  return file;
}

}  // namespace pelt::test
