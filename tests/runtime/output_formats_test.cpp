// SPDX-License-Identifier: MIT
// The formats of normals and tangents.
#include <cmath>
#include <optional>

#include <pelt/builtin.h>
#include <pelt/evaluate.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/upload.h>

#include "tests/runtime/callers_buffer.h"
#include "tests/support/clip_joints.h"
#include "tests/support/compare_gpu_cpu.h"
#include "tests/support/driven.h"
#include "tests/support/gpu.h"

namespace pelt::runtime {
namespace {

using test::angle;
using test::bound_with;
using test::gpu_device;
using Format = VertexFormat;

// Returns joint matrices at a moment of a clip, a different one for each number.
std::vector<glm::mat4> posed(const CharacterData& data, std::uint32_t number) {
  const Clip& clip = data.clips[number % data.clips.size()];
  return test::clip_joints(data.skeleton, &clip,
                           clip.duration * std::fmod(0.37f * static_cast<float>(number) + 0.6f, 1.0f));
}

// A biped moved by linear blend, and a limb moved by a surface FFD with a driver of its own.
class OutputFormats : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    characters_ =
        new std::vector<Character>{bound_with(make_biped(), "linear-blend").character,
                                   bound_with(make_limb({.around = 24, .along = 33}), "surface-ffd").character};
  }
  static void TearDownTestSuite() {
    delete characters_;
    characters_ = nullptr;
  }
  void SetUp() override {
    PELT_REQUIRE_GPU(gpu_device());
    gpu_.emplace(test::must(upload(*gpu_device(), *characters_)));
  }

  static std::vector<Character>* characters_;
  std::optional<GpuCharacters> gpu_;
};

std::vector<Character>* OutputFormats::characters_ = nullptr;

constexpr float kNormalTolerance = 2e-3f;  // radians
constexpr float kTangentTolerance = 4e-3f;

void expect_equal_to_cpu(const Crowd& crowd, const InstanceVertices& gpu, const Character& character,
                         std::uint32_t number) {
  Evaluator cpu(character);
  cpu.pose(posed(*character, number));
  cpu.evaluate();
  for (std::uint32_t m = 0; m < character->meshes.size(); ++m) {
    const CharacterMesh& mesh = character->meshes[m];
    const std::uint32_t first = crowd.member(crowd.instance(number)->character)->mesh_vertices[m];
    for (std::uint32_t v = 0; first != shared::kNoIndex && v < mesh.vertex_count(); ++v) {
      const glm::vec3 normal = cpu.normals()[mesh.first_vertex + v];
      const glm::vec4 tangent = cpu.tangents()[mesh.first_vertex + v];
      ASSERT_LT(glm::distance(gpu.positions[first + v], cpu.positions()[mesh.first_vertex + v]),
                test::kPositionTolerance * character.size());
      if (!gpu.normals.empty()) {
        ASSERT_LT(angle(gpu.normals[first + v], normal), kNormalTolerance) << mesh.name << ", vertex " << v;
      }
      if (gpu.tangents.empty()) continue;
      ASSERT_LT(angle(gpu.tangents[first + v], tangent), kTangentTolerance) << mesh.name << ", vertex " << v;
      ASSERT_EQ(gpu.tangents[first + v].w, tangent.w);
    }
  }
}

// In the crowd's own buffer, and interleaved in one of the caller's.
TEST_F(OutputFormats, EqualTheCpus) {
  const Buffer buffer = test::must(
      Buffer::create(*gpu_device(), {.size = 8 << 20,  // of the device: more than the strict one's host memory
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                     .name = "vertices of a caller"}));
  const struct {
    Format normals;
    Format tangents;
    std::uint32_t tangents_at;  // offset in a vertex of 48 bytes: positions at 4, normals at 16
  } cases[] = {{Format::kFloat, Format::kFloat, 32},
               {Format::kFloat, Format::kOctahedral16, 32},
               {Format::kFloat, Format::kNone, 32},
               {Format::kOctahedral16, Format::kFloat, 32},
               {Format::kOctahedral16, Format::kOctahedral16, 20},  // one store
               {Format::kOctahedral16, Format::kOctahedral16, 32},
               {Format::kOctahedral16, Format::kNone, 32},
               {Format::kNone, Format::kFloat, 32},
               {Format::kNone, Format::kNone, 32}};
  for (const auto& [normals, tangents, tangents_at] : cases) {
    for (const bool in_crowds_buffer : {true, false}) {
      const testing::ScopedTrace trace(__FILE__, __LINE__,
                                       std::to_string(static_cast<int>(normals)) + ", " +
                                           std::to_string(static_cast<int>(tangents)) +
                                           (in_crowds_buffer ? ", own" : ", caller's"));
      CrowdOptions options{.instances = {2, 3}};
      options.outputs.normals.format = normals;
      options.outputs.tangents.format = tangents;
      if (!in_crowds_buffer) {
        options.outputs.positions = {Format::kFloat, rest_of(buffer, 4), 48};
        options.outputs.normals = {normals, rest_of(buffer, 16), 48};
        options.outputs.tangents = {tangents, rest_of(buffer, tangents_at), 48};
      }
      Crowd crowd = test::must(Crowd::create(*gpu_device(), *gpu_, options));
      for (std::uint32_t i = 0; i < crowd.instance_count(); ++i)
        crowd.pose(i, posed(*gpu_->character(crowd.instance(i)->character), i));
      ASSERT_TRUE(run(*gpu_device(), crowd));
      for (const std::uint32_t i : {0u, 1u, 4u}) {
        const InstanceVertices vertices = test::must(read_vertices(*gpu_device(), crowd, i));
        expect_equal_to_cpu(crowd, vertices, (*characters_)[crowd.instance(i)->character], i);
      }
    }
  }
}

}  // namespace
}  // namespace pelt::runtime
