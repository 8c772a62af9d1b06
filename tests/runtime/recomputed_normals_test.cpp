// SPDX-License-Identifier: MIT
// Crowds with normals computed from the posed triangles (CrowdOutputs::normal_mode), and the formats of all normals.
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <optional>

#include <pelt/builtin.h>
#include <pelt/evaluate.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/crowd_lists.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/upload.h>
#include <pelt/shaders/octahedral.h>

#include "tests/runtime/callers_buffer.h"
#include "tests/support/clip_joints.h"
#include "tests/support/compare_gpu_cpu.h"
#include "tests/support/driven.h"
#include "tests/support/gpu.h"
#include "tests/support/refused.h"
#include "tests/support/tube.h"

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
class RecomputedNormals : public testing::Test {
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
    gpu_.emplace(upload_all(*characters_));
  }

  static GpuCharacters upload_all(std::span<const Character> characters, bool normal_rings = true) {
    return test::must(upload(*gpu_device(), characters, {.normal_rings = normal_rings}));
  }
  static Crowd make(const GpuCharacters& gpu, CrowdOptions options) {
    options.outputs.normal_mode = NormalMode::kRecomputed;
    return test::must(Crowd::create(*gpu_device(), gpu, options));
  }
  static void pose_all(Crowd& crowd, const GpuCharacters& gpu, std::uint32_t shift = 0) {
    for (std::uint32_t i = 0; i < crowd.instance_count(); ++i)
      crowd.pose(i, posed(*gpu.character(crowd.instance(i)->character), i + shift));
  }
  static InstanceVertices read(const Crowd& crowd, std::uint32_t instance) {
    return test::must(read_vertices(*gpu_device(), crowd, instance));
  }

  static std::vector<Character>* characters_;
  std::optional<GpuCharacters> gpu_;
};

std::vector<Character>* RecomputedNormals::characters_ = nullptr;

constexpr float kNormalTolerance = 2e-3f;   // radians
constexpr float kTangentTolerance = 4e-3f;  // rounded by the blend, and once more after it

void expect_equal_to_cpu(const Crowd& crowd, const InstanceVertices& gpu, const Character& character,
                         std::uint32_t number, NormalMode mode) {
  Evaluator cpu(character, {.normal_mode = mode});
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

// Blended ones too, in the crowd's own buffer, and interleaved in one of the caller's.
TEST_F(RecomputedNormals, EqualTheCpusInEveryFormat) {
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
    for (const auto& [mode, in_crowds_buffer] : {std::pair(NormalMode::kBlended, true),
                                                 {NormalMode::kBlended, false},
                                                 {NormalMode::kRecomputed, true},
                                                 {NormalMode::kRecomputed, false}}) {
      if (mode == NormalMode::kRecomputed && normals == Format::kNone) continue;  // it is refused
      const testing::ScopedTrace trace(__FILE__, __LINE__,
                                       std::to_string(static_cast<int>(normals)) + ", " +
                                           std::to_string(static_cast<int>(tangents)) +
                                           (in_crowds_buffer ? ", own" : ", caller's"));
      CrowdOptions options{.instances = {2, 3}};
      options.outputs.normal_mode = mode;
      options.outputs.normals.format = normals;
      options.outputs.tangents.format = tangents;
      if (!in_crowds_buffer) {
        options.outputs.positions = {Format::kFloat, rest_of(buffer, 4), 48};
        options.outputs.normals = {normals, rest_of(buffer, 16), 48};
        options.outputs.tangents = {tangents, rest_of(buffer, tangents_at), 48};
      }
      Crowd crowd = test::must(Crowd::create(*gpu_device(), *gpu_, options));
      pose_all(crowd, *gpu_);
      ASSERT_TRUE(run(*gpu_device(), crowd));
      for (const std::uint32_t i : {0u, 1u, 4u}) {
        expect_equal_to_cpu(crowd, read(crowd, i), (*characters_)[crowd.instance(i)->character], i, mode);
      }
    }
  }
}

// A morph target turns a plane, and not its blended tangents, until these run along its normal. Any direction across
// the normal is a tangent then, the same one on both sides.
TEST_F(RecomputedNormals, HaveATangentWhereTheBlendedOneRunsAlongThem) {
  Model model = test::make_tube();
  Mesh grid = test::make_grid(3);
  grid.name = model.meshes[0].name;
  grid.normals.assign(grid.positions.size(), {0, 0, 1});
  grid.tangents.assign(grid.positions.size(), {1, 0, 0, 1});
  MorphTarget upright{"upright", {}, 1.0f};
  for (const glm::vec3 p : grid.positions) upright.offsets.emplace_back(-p.x, 0, p.x);
  grid.morph_targets = {upright};
  for (std::size_t v = 0; v < grid.positions.size(); ++v) grid.weights.append_row(std::vector<Influence>{{0, 1.0f}});
  model.meshes[0] = grid;
  const Character character = test::bound_by(model, "linear_blend");
  const GpuCharacters gpu = upload_all({&character, 1});
  Crowd crowd = make(gpu, {.instances = {1}});
  Evaluator cpu(character, {.normal_mode = NormalMode::kRecomputed});
  for (const float turn : {0.4f, 1.2f}) {  // the normal is near the x axis, and far from it
    std::vector<glm::mat4> joints = test::bind_matrices(model);
    for (glm::mat4& joint : joints) joint = glm::rotate(glm::mat4(1), turn, {0.5f, 1, 0}) * joint;
    crowd.pose(0, joints);
    ASSERT_TRUE(run(*gpu_device(), crowd));
    const InstanceVertices vertices = read(crowd, 0);
    cpu.pose(joints);
    cpu.evaluate();
    for (std::size_t v = 0; v < grid.positions.size(); ++v) {
      EXPECT_LT(angle(vertices.tangents[v], cpu.tangents()[v]), 1e-3f);
      EXPECT_GT(std::abs(glm::dot(vertices.normals[v], glm::vec3(joints[0][0]))), 0.999f) << "the plane is turned";
      EXPECT_LT(std::abs(glm::dot(glm::vec3(vertices.tangents[v]), vertices.normals[v])), 1e-3f);
    }
  }
}

TEST_F(RecomputedNormals, AreOneMoreDispatchAndBarrierWhateverTheSize) {
  const Crowd blended = test::must(Crowd::create(*gpu_device(), *gpu_, {.instances = {1, 1}}));
  for (const std::uint32_t instances : {1u, 7u}) {
    const Crowd crowd = make(*gpu_, {.instances = {instances, instances}});
    EXPECT_EQ(crowd.passes().names.size(), blended.passes().names.size() + 1);
    EXPECT_EQ(crowd.passes().names.back(), "normals of skins");
    EXPECT_EQ(crowd.passes().barriers, blended.passes().barriers + 1);
  }
}

// Values that the host writes over their normals and tangents stay: nothing is written for them.
TEST_F(RecomputedNormals, StayWithInstancesThatAreNotMoved) {
  const Buffer buffer = callers_buffer(1 << 18);
  CrowdOptions options{.instances = {0, 3}, .frames_in_flight = 1};
  options.outputs.previous_positions.format = Format::kFloat;
  options.outputs.normals = {Format::kOctahedral16, rest_of(buffer), 8};
  options.outputs.tangents = {Format::kOctahedral16, rest_of(buffer, 4), 8};
  Crowd crowd = make(*gpu_, options);
  CrowdLists lists(crowd.instance_count());
  pose_all(crowd, *gpu_);
  ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
  lists.update_every(1, 0);
  lists.show(2, false);
  for (int frame = 0; frame < 2; ++frame) {  // the frozen instance gets its hold in the first frame
    fill(buffer, std::vector(buffer.size(), std::byte{0x22}));
    pose_all(crowd, *gpu_, 5);
    ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
    EXPECT_NE(read(crowd, 0).normals[0], shared::unpack_normal(0x22222222));
    for (const std::uint32_t i : {1u, 2u}) {
      EXPECT_THAT(read(crowd, i).normals, testing::Each(shared::unpack_normal(0x22222222))) << i;
      EXPECT_THAT(read(crowd, i).tangents, testing::Each(shared::unpack_tangent(0x22222222))) << i;
    }
  }
}

// At every detail the normals are those of the positions that are written.
TEST_F(RecomputedNormals, FollowThePositionsOfEveryDetail) {
  const Character character = bound_with(make_limb({.around = 24, .along = 33}), "surface-ffd").character;
  const GpuCharacters gpu = upload_all(std::span(&character, 1));
  CrowdOptions options{.instances = {2}, .frames_in_flight = 1};
  options.outputs.normals.format = Format::kFloat;
  Crowd crowd = make(gpu, options);
  CrowdLists lists(crowd.instance_count());
  lists.detail(1, Detail::kLinearBlend);
  pose_all(crowd, gpu);
  ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
  std::vector<std::vector<glm::vec3>> all;
  for (std::uint32_t i = 0; i < 2; ++i) {
    const InstanceVertices vertices = read(crowd, i);
    all.push_back(vertices.normals);
    for (std::uint32_t m = 0; m < character->meshes.size(); ++m) {
      const std::size_t first = crowd.member(0)->mesh_vertices[m];
      if (first == shared::kNoIndex) continue;
      const std::size_t count = character->meshes[m].vertex_count();
      std::vector<glm::vec3> normals(vertices.normals.begin() + first, vertices.normals.begin() + first + count);
      recompute_normals(find_normal_rings(character->meshes[m]), 0, count,
                        std::span(vertices.positions).subspan(first, count), normals, {});
      for (std::size_t v = 0; v < count; ++v) ASSERT_LT(angle(normals[v], vertices.normals[first + v]), 1e-4f) << v;
    }
  }
  EXPECT_NE(all[0], all[1]);
}

TEST_F(RecomputedNormals, OfACharacterWithoutTrianglesAreBlended) {
  const std::vector<Character> clouds{bound_with(test::make_cloud(65), "linear-blend").character};
  const GpuCharacters gpu = upload_all(clouds);
  Crowd crowd = make(gpu, {.instances = {2}});
  Crowd blended = test::must(Crowd::create(*gpu_device(), gpu, {.instances = {2}}));
  ASSERT_TRUE(run(*gpu_device(), crowd));
  ASSERT_TRUE(run(*gpu_device(), blended));
  EXPECT_EQ(crowd.passes().names.size(), blended.passes().names.size());
  EXPECT_EQ(read(crowd, 1).normals, read(blended, 1).normals);
}

TEST_F(RecomputedNormals, NeedRingsPositionsAndNormals) {
  const GpuCharacters without = upload_all(*characters_, false);
  EXPECT_LT(without.bytes(), gpu_->bytes());
  const auto refused = [&](const GpuCharacters& gpu, const auto& change, const char* why) {
    CrowdOptions options{.instances = {1, 1}};
    options.outputs.normal_mode = NormalMode::kRecomputed;
    change(options.outputs);
    EXPECT_TRUE(test::refused(Crowd::create(*gpu_device(), gpu, options), ErrorCode::kInvalidArgument, why)) << why;
  };
  refused(
      without, [](CrowdOutputs&) {}, "UploadOptions::normal_rings");
  refused(
      *gpu_, [](CrowdOutputs& o) { o.positions.format = Format::kNone; }, "recomputed normals need positions");
  refused(
      *gpu_, [](CrowdOutputs& o) { o.normals.format = Format::kNone; },
      "cannot recompute normals that it does not write");
  refused(
      *gpu_, [](CrowdOutputs& o) { o.normal_mode = static_cast<NormalMode>(2); }, "an unknown mode");
}

}  // namespace
}  // namespace pelt::runtime
