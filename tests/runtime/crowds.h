// SPDX-License-Identifier: MIT
// Crowds on the device of the tests.
#pragma once

#include <gmock/gmock.h>

#include <glm/gtc/matrix_transform.hpp>
#include <optional>
#include <span>
#include <string>

#include <pelt/evaluate.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/crowd_lists.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/upload.h>
#include <pelt/runtime/vulkan_functions.h>

#include "tests/support/driven.h"
#include "tests/support/gpu.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"
#include "tests/support/tube.h"

namespace pelt::runtime {

// Rest positions of all meshes, or of one skin, in packed order.
inline std::vector<glm::vec3> rest_positions(const Character& character, bool skin = false) {
  std::vector<glm::vec3> positions;
  for (const CharacterMesh& mesh : character->meshes) {
    if (skin && mesh.control) continue;
    positions.insert(positions.end(), mesh.binding.points.begin(), mesh.binding.points.end());
  }
  return positions;
}

// Returns a mesh's part of an array of all vertices of a character.
inline std::vector<glm::vec3> part_of(std::span<const glm::vec3> all, const CharacterMesh& mesh) {
  const auto part = all.subspan(mesh.first_vertex, mesh.vertex_count());
  return {part.begin(), part.end()};
}

// Returns the skin as the CPU moves it, in packed order. Without inputs: those of rest.
inline std::vector<glm::vec3> skin_on_the_cpu(const Character& character, std::span<const glm::mat4> joints,
                                              std::span<const float> inputs = {}) {
  Evaluator evaluator(character);
  evaluator.pose(joints);
  if (!inputs.empty()) evaluator.inputs(inputs);
  evaluator.evaluate();
  std::vector<glm::vec3> skin;
  for (const CharacterMesh& mesh : character->meshes) {
    const std::vector<glm::vec3> part = part_of(evaluator.positions(), mesh);
    if (!mesh.control) skin.insert(skin.end(), part.begin(), part.end());
  }
  return skin;
}

// Returns a rigid motion, a different one for each number.
inline glm::mat4 motion(std::size_t number) {
  const float amount = static_cast<float>(number % 1000);
  return glm::translate(glm::mat4(1.0f), glm::vec3(0.1f * amount, -0.05f * amount, 0.3f)) *
         glm::rotate(glm::mat4(1.0f), 0.7f + 0.4f * amount, glm::normalize(glm::vec3(1, 2, 3)));
}

inline std::vector<glm::mat4> moved(std::vector<glm::mat4> joints, const glm::mat4& by) {
  for (glm::mat4& joint : joints) joint = by * joint;
  return joints;
}

inline std::vector<shared::Affine> rows_of(const std::vector<glm::mat4>& joints) {
  std::vector<shared::Affine> rows;
  for (const glm::mat4& joint : joints) rows.push_back(shared::affine_from_mat4(joint));
  return rows;
}

inline float worst_distance(const std::vector<glm::vec3>& rest, const glm::mat4& by,
                            const std::vector<glm::vec3>& posed) {
  return test::worst_distance(rest, posed, test::by_matrix(by));
}

inline std::uint32_t instances_of(const CrowdPlanner& crowd, std::uint32_t character) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < crowd.instance_count(); ++i) {
    const std::optional<CrowdInstance> instance = crowd.instance(i);
    count += instance && instance->character == character ? 1 : 0;
  }
  return count;
}

// Returns the address of element 0 of an output.
inline VkDeviceAddress address_of(const Device& device, const OutputLocation& output) {
  const VkBufferDeviceAddressInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = output.buffer};
  return device.functions().vkGetBufferDeviceAddress(device.handle(), &info) + output.offset;
}

inline void expect_refused(const GpuCharacters& gpu, const CrowdOptions& options, const std::string& why) {
  EXPECT_TRUE(test::refused(Crowd::create(*test::gpu_device(), gpu, options), ErrorCode::kInvalidArgument, why));
}

class Crowds : public testing::Test {
 protected:
  void SetUp() override { PELT_REQUIRE_GPU(test::gpu_device()); }

  GpuCharacters upload_character(const Character& character) {
    return test::must(upload(*test::gpu_device(), character));
  }
  // Makes a crowd that writes drivers too, so that vertices are those of all meshes.
  Crowd make_crowd(const GpuCharacters& gpu, CrowdOptions options) {
    options.outputs.control_meshes = true;
    return test::must(Crowd::create(*test::gpu_device(), gpu, options));
  }
  std::vector<glm::mat4> bent_joints() const {
    std::vector<glm::mat4> joints = bind_joints_;
    joints.back() = joints.back() * glm::rotate(glm::mat4(1), 1.2f, glm::vec3(0, 0, 1));
    return joints;
  }
  std::vector<glm::vec3> positions(const Crowd& crowd, std::uint32_t instance) {
    return test::must(read_vertices(*test::gpu_device(), crowd, instance)).positions;
  }

  Model model_ = test::make_tube();
  std::vector<glm::mat4> bind_joints_ = test::bind_matrices(model_);
};

// Linear blend, dual quaternions and a surface FFD: characters of one stage and of two, in one crowd.
class MixedCrowds : public Crowds {
 protected:
  void SetUp() override {
    Crowds::SetUp();
    for (const char* deformer : {"linear-blend", "surface-ffd", "dual-quaternion"}) {
      characters_.push_back(test::bound_with(model_, deformer).character);
    }
    gpu_.emplace(test::must(upload(*test::gpu_device(), characters_)));
  }

  static std::vector<glm::vec3> rest_skin(const Character& character) { return rest_positions(character, true); }
  void pose_all(Crowd& crowd, std::size_t shift = 0) {
    for (std::uint32_t i = 0; i < crowd.instance_count(); ++i) crowd.pose(i, moved(bind_joints_, motion(i + shift)));
  }
  float off(const Crowd& crowd, std::uint32_t instance, std::size_t number) {
    const Character& character = characters_[crowd.instance(instance)->character];
    return worst_distance(rest_skin(character), motion(number), positions(crowd, instance)) / character.size();
  }
  InstanceVertices read(const Crowd& crowd, std::uint32_t instance) {
    return test::must(read_vertices(*test::gpu_device(), crowd, instance));
  }
  Crowd make(const CrowdOptions& options) { return test::must(Crowd::create(*test::gpu_device(), *gpu_, options)); }

  // Records into commands that never run.
  static void record_and_drop(Crowd& crowd) {
    test::Commands(*test::gpu_device()).record([&](VkCommandBuffer commands) { crowd.record(commands); });
  }

  std::vector<Character> characters_;
  std::optional<GpuCharacters> gpu_;
};

}  // namespace pelt::runtime
