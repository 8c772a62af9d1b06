// SPDX-License-Identifier: MIT
#include "engine/authoring/deformer/region.h"

#include <array>
#include <limits>

#include <pelt/linear_blend.h>
#include <pelt/mos.h>

#include "tests/support/driven.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Returns 1 up to 0, and 0 from 1 on.
float smooth(float x) { return x <= 0 ? 1.0f : x >= 1 ? 0.0f : (1 - x) * (1 - x) * (3 - 2 * (1 - x)); }

class Regions : public testing::Test {
 protected:
  Model model_ = test::make_tube({.around = 8, .along = 32});
  Rig rig_;

  const Mesh& mesh() const { return model_.meshes[0]; }
  std::vector<float> values(const Region& region) const {
    return test::must(region_values(region, mesh(), model_, rig_, "the mask"));
  }
  std::vector<float> values(const std::string& group) const {
    return test::must(group_values(group, mesh(), model_, rig_, "the mask"));
  }
  std::string error(const Region& region) const {
    const Result<std::vector<float>> result = region_values(region, mesh(), model_, rig_, "the mask");
    return result ? "fine" : result.error().message;
  }
  std::string error(const std::string& group) const {
    const Result<std::vector<std::uint8_t>> result = group_triangles(group, mesh(), model_, rig_, "the mask");
    return result ? "fine" : result.error().message;
  }
  // Expects the value of every vertex to be `expected` of its position.
  void expect_values(const Region& region, const std::function<float(glm::vec3)>& expected) const {
    const std::vector<float> got = values(region);
    for (std::size_t v = 0; v < got.size(); ++v) {
      ASSERT_NEAR(got[v], expected(mesh().positions[v]), 1e-5f) << v;
    }
  }
};

TEST_F(Regions, NearAMeshFallAwayFromItsSurface) {
  Mesh plate;
  plate.name = "plate";
  plate.positions = {{-9, 2, -9}, {-9, 2, 9}, {99, 2, 0}};
  plate.triangles = {{0, 1, 2}, {0, 0, 1}};  // one without area
  model_.meshes.push_back(plate);
  expect_values({.near = Near{"plate", 3}}, [](glm::vec3 p) { return smooth((2 - p.y) / 3); });
  EXPECT_THAT(error(Region{.near = Near{"plat", 3}}), HasSubstr("the mask: there is no mesh 'plat'"));
  EXPECT_THAT(error(Region{.near = Near{"plat", 3}}), HasSubstr("did you mean 'plate'?"));
  model_.meshes.back().triangles.clear();
  EXPECT_THAT(error(Region{.near = Near{"plate", 3}}),
              HasSubstr("near the mesh 'plate', which has no triangle with area"));
}

TEST_F(Regions, OfNothingAreEverywhere) { EXPECT_THAT(values(Region{}), Each(1.0f)); }

TEST_F(Regions, OfJointsAreTheirWeights) {
  expect_values({.joints = {"joint1"}}, [](glm::vec3 p) { return std::clamp(0.5f + (p.x - 4) / 2, 0.0f, 1.0f); });
  EXPECT_THAT(values(Region{.joints = {"joint0", "joint1"}}), Each(1.0f));
}

TEST_F(Regions, OfJointsReachFartherByTheirFalloff) {
  // Weights are at least a half from x = 4 on.
  expect_values({.joints = {"joint1"}, .joint_falloff = 2.0f}, [](glm::vec3 p) {
    return std::max(std::clamp(0.5f + (p.x - 4) / 2, 0.0f, 1.0f), smooth((4 - p.x) / 2));
  });
}

// Two strips lie a hand apart, and one of them follows the joint; a third lies end to end with it.
TEST_F(Regions, OfJointsFallOffAlongTheSurface) {
  Mesh strips;
  strips.name = "strips";
  for (const glm::vec3 from : {glm::vec3(0, 0, 0), glm::vec3(0, 0.1f, 0), glm::vec3(0, 0, 1)}) {
    const auto first = static_cast<std::uint32_t>(strips.positions.size());
    for (const glm::vec3 corner : {glm::vec3(0, 0, 0), glm::vec3(1, 0, 0), glm::vec3(0, 0, 1), glm::vec3(1, 0, 1)}) {
      strips.positions.push_back(from + corner);
      const Influence alone{first == 0 && corner.z == 0 ? 1u : 0u, 1.0f};
      strips.weights.append_row(std::span(&alone, 1));
    }
    strips.triangles.emplace_back(first, first + 1, first + 2);
    strips.triangles.emplace_back(first + 1, first + 3, first + 2);
  }
  model_.meshes[0] = strips;
  const std::vector<float> got = values(Region{.joints = {"joint1"}, .joint_falloff = 4.0f});
  EXPECT_EQ(got[0], 1.0f);
  EXPECT_NEAR(got[2], smooth(0.25f), 1e-5f);
  EXPECT_THAT(std::vector(got.begin() + 4, got.begin() + 8), Each(0.0f)) << "near in space alone";
  EXPECT_NEAR(got[8], smooth(0.25f), 1e-5f) << "vertices in one place are one";
  EXPECT_NEAR(got[10], smooth(0.5f), 1e-5f);
}

TEST_F(Regions, OfABoxFallOffOutsideIt) {
  const Box box{{2, -5, -5}, {4, 5, 5}, 0};
  expect_values({.box = box}, [](glm::vec3 p) { return p.x >= 2 && p.x <= 4 ? 1.0f : 0.0f; });
  expect_values({.box = Box{box.min, box.max, 1.5f}},
                [](glm::vec3 p) { return smooth(std::max(2 - p.x, p.x - 4) / 1.5f); });
}

TEST_F(Regions, OfASphereFallOffOutsideIt) {
  expect_values({.sphere = Sphere{{4, 0, 0}, 2, 0}},
                [](glm::vec3 p) { return glm::distance(p, glm::vec3(4, 0, 0)) <= 2 ? 1.0f : 0.0f; });
  expect_values({.sphere = Sphere{{4, 0, 0}, 2, 3}},
                [](glm::vec3 p) { return smooth((glm::distance(p, glm::vec3(4, 0, 0)) - 2) / 3); });
}

TEST_F(Regions, OfAnAttributeAreItsValuesClamped) {
  VertexAttribute attribute{"_MASK", {}};
  for (const glm::vec3 p : mesh().positions) attribute.values.push_back(p.x - 3);
  model_.meshes[0].attributes.push_back(attribute);
  expect_values({.attribute = "_MASK"}, [](glm::vec3 p) { return std::clamp(p.x - 3, 0.0f, 1.0f); });
}

TEST_F(Regions, AreTheProductOfWhatIsGiven) {
  rig_.groups.push_back({.name = "half", .vertices = {{0, 263}}, .values = std::vector(264, 0.5f)});
  expect_values({.joints = {"joint1"}, .group = "half", .box = Box{{2, -5, -5}, {4, 5, 5}, 1}}, [](glm::vec3 p) {
    return std::clamp(0.5f + (p.x - 4) / 2, 0.0f, 1.0f) * 0.5f * smooth(std::max(2 - p.x, p.x - 4));
  });
}

// ----------------------------------------------------------------------------------------------------------- groups

TEST_F(Regions, OfGroupsAreTheListedVertices) {
  rig_.groups.push_back({.name = "few", .vertices = {{3, 4}, {8, 8}}});
  std::vector<float> got = values(std::string("few"));
  for (std::size_t v = 0; v < got.size(); ++v) EXPECT_EQ(got[v], v == 3 || v == 4 || v == 8 ? 1.0f : 0.0f) << v;
  rig_.groups[0].values = {0.25f, 1.0f, 0.0f};
  got = values(std::string("few"));
  EXPECT_THAT(std::vector(got.begin() + 3, got.begin() + 9), ElementsAre(0.25f, 1.0f, 0, 0, 0, 0.0f));
}

TEST_F(Regions, OfGroupsAddListedVerticesToTheirRegion) {
  rig_.groups.push_back({.name = "end", .vertices = {{0, 0}}, .region = {.box = Box{{7, -5, -5}, {9, 5, 5}, 0}}});
  const std::vector<float> got = values(std::string("end"));
  for (std::size_t v = 0; v < got.size(); ++v) EXPECT_EQ(got[v], v == 0 || mesh().positions[v].x >= 7 ? 1.0f : 0.0f);
}

TEST_F(Regions, OfGroupsOfNothingAreEverywhere) {
  rig_.groups.push_back({.name = "all"});
  EXPECT_THAT(values(std::string("all")), Each(1.0f));
}

TEST_F(Regions, TrianglesAreListedOrHaveAllTheirCornersIn) {
  rig_.groups.push_back({.name = "end", .region = {.box = Box{{7, -5, -5}, {9, 5, 5}, 0}}});
  rig_.groups.push_back({.name = "listed", .triangles = {{2, 3}, {7, 7}}});
  const auto end = *group_triangles("end", mesh(), model_, rig_, "");
  const auto listed = *group_triangles("listed", mesh(), model_, rig_, "");
  for (std::size_t t = 0; t < end.size(); ++t) {
    const glm::uvec3 c = mesh().triangles[t];
    const auto x = [&](int corner) { return mesh().positions[c[corner]].x; };
    EXPECT_EQ(end[t], std::min({x(0), x(1), x(2)}) >= 7 ? 1 : 0) << t;
    EXPECT_EQ(listed[t], t == 2 || t == 3 || t == 7 ? 1 : 0) << t;
  }
}

// ----------------------------------------------------------------------------------------------------------- errors

TEST_F(Regions, ErrorsNameWhatIsWrong) {
  EXPECT_EQ(error(Region{.joints = {"joint9"}}),
            "the mask: there is no joint 'joint9'; did you mean "
            "'joint0'?");
  EXPECT_EQ(error(Region{.group = "hand"}), "the mask: there is no group 'hand'");
  rig_.groups.push_back({.name = "hands"});
  EXPECT_THAT(error(Region{.group = "hand"}), HasSubstr("did you mean 'hands'?"));
  EXPECT_EQ(error(Region{.group = "left foot"}), "the mask: there is no group 'left foot'; there are: hands");
  EXPECT_EQ(error(Region{.attribute = "_MASK"}), "the mask: there is no attribute '_MASK of mesh tube'");
  EXPECT_THAT(error(Region{.box = Box{{1, 0, 0}, {0, 1, 1}, 0}}), HasSubstr("the mask has a box"));
  model_.meshes[0].weights = {};
  EXPECT_EQ(error(Region{.joints = {"joint1"}}), "the mask names joints, but mesh 'tube' has no weights");
}

TEST_F(Regions, ErrorsOfGroupsNameThem) {
  const auto with = [&](Group group) {
    group.name = "g";
    rig_.groups = {std::move(group)};
    return error(std::string("g"));
  };
  EXPECT_EQ(with({.mesh = "cage"}), "the mask uses the group 'g' of mesh 'cage' on mesh 'tube'");
  EXPECT_EQ(with({.mesh = "tube"}), "fine");
  EXPECT_EQ(with({.vertices = {{0, 264}}}), "the group 'g' lists vertices 0 to 264, but mesh 'tube' has 264");
  EXPECT_EQ(with({.vertices = {{5, 4}}}), "the group 'g' lists vertices 5 to 4, but mesh 'tube' has 264");
  EXPECT_THAT(with({.vertices = {{0, 0xFFFFFFFFu}}}), HasSubstr("lists vertices 0 to 4294967295, but mesh 'tube' has"));
  EXPECT_EQ(with({.vertices = {{0, 2}}, .values = {1, 1}}), "the group 'g' lists 3 vertices and 2 values");
  EXPECT_THAT(with({.triangles = {{0, 512}}}), HasSubstr("lists triangles 0 to 512, but mesh 'tube' has 512"));
  EXPECT_THAT(with({.region = {.group = "g"}}), HasSubstr("the group 'g' has a region with a group"));
  EXPECT_THAT(with({.region = {.joints = {"x"}}}), HasSubstr("the group 'g': there is no joint 'x'"));
}

TEST_F(Regions, ErrorsOfMasksNameTheLayer) {
  Rig rig = test::rig_of(LinearBlendParameters{});
  rig.layers[0].mask.region.attribute = "_MASK";
  EXPECT_THAT(test::bind_error(model_, rig),
              testing::StartsWith("layer 0 (linear-blend): the mask: there is no attribute"));
  rig.layers[0].mask.region = {.box = Box{{0, kNan, 0}, {1, 1, 1}, 0}};
  EXPECT_THAT(test::bind_error(model_, rig), testing::StartsWith("the rig: /layers/0/mask/box/min/1: must be a number"))
      << "as in a file";
  model_.meshes[0].attributes.push_back({"_MASK", {1, 2, 3}});
  EXPECT_THAT(test::bind_error(model_, Rig{}), HasSubstr("mesh 'tube': attribute '_MASK'"));
  model_.meshes[0].attributes[0].values.assign(264, kNan);
  EXPECT_THAT(test::bind_error(model_, Rig{}), HasSubstr("mesh 'tube': attribute '_MASK'"));
}

// ------------------------------------------------------------------------------------------------ layers over others

constexpr float kLayerTolerance = 5e-4f;  // for tubes 8 long: each weight is off by up to half of 1/65535

const DeformerParameters kKindsOfGroups[] = {
    LinearBlendParameters{}, MosParameters{.strategy = MosStrategy::kInverseDistance},  // one group of local points
    MosParameters{.strategy = MosStrategy::kRadialBasis},                               // with weights of both signs
    [] {
      SurfaceFfdParameters quadratic = test::by_cage();
      quadratic.precision = Precision::kQuadratic;
      return quadratic;
    }()};

// v' is linear in the weights, so that a layer moves every vertex to the mean, by its mask, of both positions.
TEST(Layers, OverOthersMoveToTheMeanByTheirMask) {
  Model model = test::make_tube_in_cage({.around = 8, .along = 16, .joints = 4});
  const std::vector<glm::mat4> joints = test::bent(model, 60, {0.3f, 0.5f, 1});
  std::vector<float> mask;
  for (std::size_t v = 0; v < model.meshes[0].positions.size(); ++v) {
    mask.push_back(std::array{0.0f, 0.25f, 1.0f, 0.5f, 0.0f, 0.7f, 1.0f}[v % 7]);
  }
  model.meshes[0].attributes.push_back({"_MASK", mask});
  const auto skin = [&](const Rig& rig) { return test::posed(test::bound(model, rig).character, joints, "tube"); };
  for (const DeformerParameters& lowest : kKindsOfGroups) {
    Rig rig = test::rig_of(lowest, "tube");
    std::vector<glm::vec3> expected = skin(rig);
    for (const DeformerParameters& over : kKindsOfGroups) {
      SCOPED_TRACE(std::string(over.name()) + " over " + std::string(lowest.name()));
      const std::vector<glm::vec3> single = skin(test::rig_of(over, "tube"));
      for (std::size_t v = 0; v < mask.size(); ++v) expected[v] = glm::mix(expected[v], single[v], mask[v]);
      rig.layers.push_back({"tube", over, {1, {.attribute = "_MASK"}}, {}});
      EXPECT_LT(test::farthest(skin(rig), expected), kLayerTolerance);
    }
  }
}

TEST(Layers, ThatHideOthersLeaveNothingOfThem) {
  Model model = test::make_tube();
  model.meshes[0].attributes.push_back({"_MASK", std::vector<float>(model.meshes[0].positions.size(), 1)});
  Rig rig = test::rig_of(kKindsOfGroups[1], "tube");
  rig.layers.push_back({"tube", LinearBlendParameters{}, {1, {.attribute = "_MASK"}}, {}});
  const CharacterMesh mesh = test::mesh_of(test::bound(model, rig).character, "tube");
  EXPECT_EQ(mesh.mode, BlendMode::kLinear);
  EXPECT_EQ(
      mesh.binding.influences,
      test::mesh_of(test::bound(model, test::rig_of(LinearBlendParameters{})).character, "tube").binding.influences);
}

TEST(Layers, OfMoreGroupsThanAMeshCanHaveAreRefused) {
  Rig rig = test::rig_of(kKindsOfGroups[1], "tube");
  for (int layer = 1; layer < 9; ++layer) rig.layers.push_back({"tube", kKindsOfGroups[1], {0.5f, {}}, {}});
  EXPECT_THAT(test::bind_error(test::make_tube(), rig),
              HasSubstr("mesh 'tube': 9 groups of influences with local points; a mesh can have at most 8"));
}

}  // namespace
}  // namespace pelt
