// SPDX-License-Identifier: MIT
// Vertices of a driver that are moved after bind, by the rig or in a bound character.
#include <algorithm>
#include <limits>

#include <pelt/key_pose.h>
#include <pelt/linear_blend.h>
#include <pelt/move_driver.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"

namespace pelt {
namespace {

using test::bytes_without_rig;
using test::kLimbVertex;
using test::kTubeTolerance;
using test::posed;
using testing::HasSubstr;
using Mode = SurfaceFfdParameters::Mode;

const glm::vec3 kDriverOffset(0.1f, 0.3f, -0.2f);

Character moved(const Character& character, const std::string& mesh, const std::vector<VertexOffset>& offsets) {
  return test::must(move_driver_vertices(character, mesh, offsets));
}

class MovedDriver : public testing::Test {
 protected:
  Rig rig(const std::vector<VertexOffset>& offsets) const {
    SurfaceFfdParameters parameters = parameters_;
    parameters.driver.offsets = offsets;
    return test::rig_of(parameters, "tube");
  }
  Character bound(const std::vector<VertexOffset>& offsets) const {
    return test::bound(model_, rig(offsets)).character;
  }
  std::string error(const std::vector<VertexOffset>& offsets) const { return test::bind_error(model_, rig(offsets)); }

  Model model_ = test::make_tube_in_cage();
  SurfaceFfdParameters parameters_ = test::by_cage();
};

// Every way in which a driver provides its frames.
std::vector<SurfaceFfdParameters> every_way() {
  std::vector<SurfaceFfdParameters> ways;
  for (const Mode mode : {Mode::kExtended, Mode::kBasic}) {
    for (const Follow follow : {Follow::kDualQuaternion, Follow::kLinearBlend, Follow::kClosestLimb}) {
      for (const bool estimated : {false, true}) {
        SurfaceFfdParameters& way = ways.emplace_back(test::by_cage());
        way.mode = mode;
        way.driver.follow = follow;
        way.driver.estimate_frames = estimated;
      }
    }
  }
  return ways;
}

TEST_F(MovedDriver, MovesTheSkinNearItAndNoneFarAway) {
  for (const SurfaceFfdParameters& way : every_way()) {
    parameters_ = way;
    parameters_.elements = 8;
    const std::vector<glm::vec3> before = posed(bound({}), {}, "tube");
    const Character character = bound({{kLimbVertex, kDriverOffset}});
    const std::vector<glm::vec3> after = posed(character, {}, "tube");
    const glm::vec3 place = model_.meshes[1].positions[kLimbVertex];
    float near = 0;
    for (std::size_t v = 0; v < before.size(); ++v) {
      const float distance = glm::distance(before[v], after[v]);
      if (std::abs(before[v].x - place.x) > 3) {
        EXPECT_LT(distance, kTubeTolerance) << v;
      } else {
        near = std::max(near, distance);
      }
    }
    EXPECT_GT(near, 0.2f * glm::length(kDriverOffset));
    // Only that vertex of the driver moves.
    const std::vector<glm::vec3> cage = posed(character, {}, "cage");
    for (std::size_t v = 0; v < cage.size(); ++v) {
      const glm::vec3 expected = model_.meshes[1].positions[v] + (v == kLimbVertex ? kDriverOffset : glm::vec3(0));
      EXPECT_LT(glm::distance(cage[v], expected), kTubeTolerance) << v;
    }
  }
}

// If all vertices have the same offset, the skin has it too, whatever frames move it.
TEST_F(MovedDriver, AsAWholeCarriesTheSkin) {
  std::vector<VertexOffset> all;
  for (std::uint32_t v = 0; v < model_.meshes[1].positions.size(); ++v) all.push_back({v, kDriverOffset});
  for (const SurfaceFfdParameters& way : every_way()) {
    parameters_ = way;
    EXPECT_LT(test::worst_distance(model_.meshes[0].positions, posed(bound(all), {}, "tube"),
                                   [](glm::vec3 p) { return p + kDriverOffset; }),
              kTubeTolerance);
  }
}

TEST_F(MovedDriver, TurnsWithTheLimb) {
  const std::vector<glm::mat4> joints = test::bent(model_, 57);
  const glm::mat4 limb = joints[1] * glm::inverse(test::bind_matrices(model_)[1]);
  for (const SurfaceFfdParameters& way : every_way()) {
    parameters_ = way;
    const Character character = bound({{kLimbVertex, kDriverOffset}});
    const glm::vec3 by = posed(character, joints, "cage")[kLimbVertex] - posed(bound({}), joints, "cage")[kLimbVertex];
    EXPECT_LT(glm::distance(by, glm::vec3(limb * glm::vec4(kDriverOffset, 0))), kTubeTolerance);
  }
}

// ------------------------------------------------------------------------------------------------------ without bind

TEST_F(MovedDriver, WithoutBindIsWhatBindMakes) {
  const std::vector<VertexOffset> first{{kLimbVertex, kDriverOffset}},
      second{{3, {0, 0.1f, 0}}, {kLimbVertex, 2.0f * kDriverOffset}};
  for (const SurfaceFfdParameters& way : every_way()) {
    parameters_ = way;
    const Character plain = bound({});
    const Character once = moved(plain, "cage", first);
    EXPECT_EQ(bytes_without_rig(once), bytes_without_rig(bound(first)));
    EXPECT_EQ(posed(once, test::bent(model_, 57), "tube"), posed(bound(first), test::bent(model_, 57), "tube"));
    const Character twice = moved(once, "cage", second);
    EXPECT_EQ(bytes_without_rig(twice), bytes_without_rig(bound(second))) << "offsets are absolute";
    EXPECT_EQ(bytes_without_rig(moved(twice, "cage", {})), bytes_without_rig(plain));
    EXPECT_EQ(bytes_without_rig(bound({{kLimbVertex, glm::vec3(0)}})), bytes_without_rig(plain)) << "no offset is none";
    EXPECT_EQ(plain.size(), twice.size());
    EXPECT_EQ(twice->rig, plain->rig);
  }
}

TEST_F(MovedDriver, KeepsItsKeyPosesAndMorphTargets) {
  Mesh& cage = model_.meshes[1];
  cage.morph_targets.push_back({"bulge", std::vector(cage.positions.size(), glm::vec3(0, 0.1f, 0)), 0.0f});
  for (const KeyInterpolation interpolation : {KeyInterpolation::kLinear, KeyInterpolation::kRbf}) {
    parameters_.driver.key_poses = {
        {{{"joint1", {0, 0, 1}}}, interpolation, {{{90}, "", {{kLimbVertex, {0, 0, 0.5f}}}}}}};
    const Character plain = bound({});
    const std::vector<VertexOffset> offsets{{kLimbVertex, kDriverOffset}, {7, kDriverOffset}};
    const Character character = moved(plain, "cage", offsets);
    EXPECT_EQ(bytes_without_rig(character), bytes_without_rig(bound(offsets)));
    EXPECT_EQ(bytes_without_rig(moved(character, "cage", {})), bytes_without_rig(plain));
  }
}

// The vertices that key poses move come last, and only they have palette entries, until others are moved.
TEST_F(MovedDriver, KeepsKeyPosesOfSomeVertices) {
  parameters_.driver.key_poses = {
      {{{"joint1", {0, 0, 1}}}, KeyInterpolation::kLinear, {{{90}, "", {{kLimbVertex, {0, 0, 0.5f}}}}}}};
  const std::vector<VertexOffset> offsets{{kLimbVertex, kDriverOffset}, {7, kDriverOffset}};
  const std::vector<glm::mat4> joints = test::bent(model_, 57);
  for (const SurfaceFfdParameters& way : every_way()) {
    parameters_.mode = way.mode;
    parameters_.driver.follow = way.driver.follow;
    parameters_.driver.estimate_frames = way.driver.estimate_frames;
    const Character plain = bound({});
    const auto entries = [](const Character& character) {
      return std::ranges::find(character->passes, PoseKernel::kKeyPose, &PalettePass::kernel)->record_count;
    };
    EXPECT_EQ(entries(plain), 8u) << "of 104 vertices";
    const Character character = moved(plain, "cage", offsets);
    EXPECT_EQ(bytes_without_rig(character), bytes_without_rig(bound(offsets)));
    EXPECT_EQ(bytes_without_rig(moved(character, "cage", {{3, kDriverOffset}})),
              bytes_without_rig(bound({{3, kDriverOffset}})));
    EXPECT_EQ(bytes_without_rig(moved(character, "cage", {})), bytes_without_rig(plain));
    const glm::mat4 limb = joints[1] * glm::inverse(test::bind_matrices(model_)[1]);
    const std::vector<glm::vec3> before = posed(plain, joints, "cage"), after = posed(character, joints, "cage");
    for (std::uint32_t v = 0; v < before.size(); ++v) {
      const glm::vec3 by = v == kLimbVertex ? glm::vec3(limb * glm::vec4(kDriverOffset, 0)) : glm::vec3(0);
      EXPECT_TRUE(v == 7 || glm::distance(after[v] - before[v], by) < kTubeTolerance) << v;
    }
    EXPECT_GT(glm::distance(after[7], before[7]), 0.9f * glm::length(kDriverOffset));
  }
}

// Two drivers, moved in either order; one is made from the skin, the other moved by a layer of its own.
TEST_F(MovedDriver, AmongOthersIsTheSameInAnyOrder) {
  model_.meshes.push_back(test::make_tube_mesh({.around = 6, .along = 8, .radius = 1.5f}));
  model_.meshes.back().name = "coarse";
  const std::vector<VertexOffset> offsets{{5, kDriverOffset}};
  const auto rig = [&](bool with_offsets) {
    SurfaceFfdParameters made, by_cage = test::by_cage(), by_coarse;
    made.driver.triangles = 60;
    made.driver.offsets = {{0, glm::vec3(0.0f)}};  // rows of a made driver that nobody drags are reduced
    by_coarse.driver.mesh = "coarse";
    if (with_offsets) made.driver.offsets = by_cage.driver.offsets = by_coarse.driver.offsets = offsets;
    Rig result;
    result.layers = {{"tube", made, {}, {}}, {"tube", by_cage, {0.5f, {}}, {}}, {"cage", by_coarse, {}, {}}};
    return result;
  };
  const Bound plain = test::bound(model_, rig(false));
  const std::vector<std::string> drivers{"driver of tube", "cage", "coarse"};
  for (std::uint32_t layer = 0; layer < drivers.size(); ++layer) {
    const auto report = std::ranges::find(plain.report.meshes, drivers[layer], &MeshReport::mesh);
    ASSERT_NE(report, plain.report.meshes.end());
    EXPECT_EQ(report->drives, std::vector{layer});
  }
  const std::vector<std::byte> expected = bytes_without_rig(test::bound(model_, rig(true)).character);
  for (std::vector<std::string> order = drivers; std::next_permutation(order.begin(), order.end());) {
    Character character = plain.character;
    for (const std::string& driver : order) character = moved(character, driver, offsets);
    EXPECT_EQ(bytes_without_rig(character), expected);
  }
}

TEST_F(MovedDriver, OfPatchesMovesControlVertices) {
  PatchParameters sheet;
  sheet.shape = {6, 4};
  for (std::uint32_t i = 0; i < 6; ++i) {
    for (std::uint32_t j = 0; j < 4; ++j)
      sheet.control.emplace_back(3.0f * static_cast<float>(i) - 3, 1.3f, 1.5f * static_cast<float>(j) - 2);
  }
  parameters_ = {};
  parameters_.driver.patches = {sheet};
  const Character character = bound({{9, kDriverOffset}});
  EXPECT_EQ(bytes_without_rig(moved(bound({}), "patch", {{9, kDriverOffset}})), bytes_without_rig(character));
  EXPECT_GT(test::farthest(model_.meshes[0].positions, posed(character, {}, "tube")), 0.02f);
}

TEST_F(MovedDriver, IsNumberedAsItIsWeldedAndRefined) {
  parameters_.driver.refine = {{{}, 1}};
  const auto last = test::mesh_of(bound({}), "cage").vertex_count() - 1;
  ASSERT_GT(last, model_.meshes[1].positions.size());
  const Character character = bound({{last, kDriverOffset}});
  EXPECT_LT(glm::distance(posed(character, {}, "cage")[last], posed(bound({}), {}, "cage")[last] + kDriverOffset),
            kTubeTolerance);
  EXPECT_THAT(error({{last + 1, kDriverOffset}}), HasSubstr("moves vertex"));
}

// ------------------------------------------------------------------------------------------------------------ errors

TEST_F(MovedDriver, ErrorsNameTheDriverAndTheOffset) {
  const std::vector<std::pair<std::vector<VertexOffset>, std::string>> wrong{
      {{{3, kDriverOffset}, {104, kDriverOffset}},
       "the driver 'cage': offset 1 moves vertex 104, but there are only 104"},
      {{{3, kDriverOffset}, {3, kDriverOffset}}, "the driver 'cage': offset 1 moves vertex 3 a second time"},
      {{{3, {0, 2e12f, 0}}},
       "the driver 'cage': offset 0 of vertex 3 must be finite and keep it within 1e+12 m of the origin"},
  };
  const Character plain = bound({});
  for (const auto& [offsets, why] : wrong) {
    EXPECT_THAT(error(offsets), testing::StartsWith("layer 0 (surface-ffd): " + why));
    const Result<Character> result = move_driver_vertices(plain, "cage", offsets);
    ASSERT_TRUE(test::refused(result, ErrorCode::kInvalidArgument));
    EXPECT_THAT(result.error().message, testing::StartsWith(why));
  }
  for (const char* mesh : {"tube", "gauge"}) {
    EXPECT_TRUE(test::refused(move_driver_vertices(plain, mesh, {}), ErrorCode::kNotFound));
  }
  const std::vector<VertexOffset> infinite{{3, {0, std::numeric_limits<float>::infinity(), 0}}};
  EXPECT_THAT(move_driver_vertices(plain, "cage", infinite).error().message,
              testing::StartsWith("the driver 'cage': offset 0 of vertex 3 must be finite"));
}

TEST_F(MovedDriver, IsNotStreamed) {
  parameters_.driver.follow = Follow::kStreamed;
  EXPECT_THAT(error({{3, kDriverOffset}}), HasSubstr("the driver 'cage' is streamed"));
  EXPECT_TRUE(test::refused(move_driver_vertices(bound({}), "cage", std::vector<VertexOffset>{{3, kDriverOffset}}),
                            "the caller sets"));
}

TEST_F(MovedDriver, IsMovedInOneWayAlone) {
  SurfaceFfdParameters other = parameters_;
  other.driver.offsets = {{3, kDriverOffset}};
  Rig rig = test::rig_of(parameters_, "tube");
  rig.layers.push_back({"tube", other, {0.5f, {}}, {}});
  EXPECT_EQ(test::bind_error(model_, rig),
            "layer 1 (surface-ffd): the driver 'cage' is already used with other parameters");
  rig.layers.push_back({"cage", LinearBlendParameters{}, {}, {}});
  EXPECT_EQ(test::bind_error(model_, rig),
            "layer 1 (surface-ffd): the driver 'cage' is already used, with other offsets");
}

// A file may have a layout that bind never makes.
TEST_F(MovedDriver, WhoseEntriesOthersBlendIsLeftAlone) {
  CharacterData data = *bound({{kLimbVertex, kDriverOffset}});
  const auto cage = std::ranges::find(data.meshes, true, &CharacterMesh::control);
  const auto pass = std::ranges::find(data.passes, PoseKernel::kKeyPose, &PalettePass::kernel);
  ASSERT_NE(pass, data.passes.end());
  // Puts the offsets before the frames that the skin blends.
  const std::uint32_t frames = *cage->frame_entry;
  cage->frame_entry = frames + cage->vertex_count();
  cage->offset_entry = frames;
  pass->first_entry = frames;
  std::ranges::find(data.passes, true, &PalettePass::painted)->first_entry = frames + 2 * cage->vertex_count();
  for (CharacterMesh& mesh : data.meshes) {
    if (!mesh.control) mesh.first_entry += cage->vertex_count();
  }
  const Character odd = test::must(Character::create(std::move(data)));
  EXPECT_TRUE(test::refused(move_driver_vertices(odd, "cage", {}), ErrorCode::kUnsupported));
}

}  // namespace
}  // namespace pelt
