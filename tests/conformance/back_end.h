// SPDX-License-Identifier: MIT
// One interface to the two ways to move a character.
#pragma once

#include <glm/glm.hpp>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt::conformance {

struct Pose {
  std::vector<glm::mat4> joints;                        // model-space matrices of all joints
  std::vector<std::vector<glm::vec3>> streams;          // one list of positions for each of the character's streams
  std::vector<std::pair<std::string, float>> controls;  // by name; controls that the character lacks are ignored
};

// Posed vertices of all meshes of a character, in packed order.
struct Moved {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
};

class BackEnd {
 public:
  virtual ~BackEnd() = default;

  // Returns one result for each pose.
  virtual Result<std::vector<Moved>> move(const Character& character, std::span<const Pose> poses) = 0;
};

std::unique_ptr<BackEnd> make_cpu_back_end();

// Makes the back end of the device that PELT_DEVICE names. `validation`: turns on Vulkan's validation layer, whose
// messages are errors of move. Errors: those of runtime::Device::create.
Result<std::unique_ptr<BackEnd>> make_gpu_back_end(bool validation);

}  // namespace pelt::conformance
