// SPDX-License-Identifier: MIT
#include <functional>
#include <limits>

#include <pelt/curve_keys.h>
#include <pelt/dual_quaternion.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/mos.h>
#include <pelt/move_bound.h>

#include "tests/support/driven.h"
#include "tests/support/tube_surface.h"

namespace pelt {
namespace {

using Edit = std::function<void(Rig&)>;

SurfaceFfdParameters& ffd(Rig& rig, std::size_t layer) {
  return rig.layers[layer].deformer.get<SurfaceFfdParameters>();
}
HierarchicalBsplineParameters& surface(Rig& rig) { return rig.layers[2].deformer.get<HierarchicalBsplineParameters>(); }
MosParameters& mos(Rig& rig) { return rig.layers[3].deformer.get<MosParameters>(); }

constexpr std::uint32_t kStored = 8 * 16 + 3;  // a vertex of level 1 of the surface that has an offset

// Three tubes: one driven by a cage that two layers share, one by a surface, one by control points.
class MoveBound : public testing::Test {
 protected:
  MoveBound() {
    for (const char* name : {"by_surface", "by_points"}) {
      Mesh mesh = model_.meshes[0];
      mesh.name = name;
      model_.meshes.push_back(std::move(mesh));
    }
    rig_ = test::rig_of(test::by_cage(), "tube");
    SurfaceFfdParameters other = test::by_cage();
    other.local = 3;
    rig_.layers.push_back({"tube", other, {.value = 0.5f}, {}});
    HierarchicalBsplineParameters overlaid = test::tube_surface();
    test::add_overlays(overlaid);
    rig_.layers.push_back({"by_surface", overlaid, {}, {}});
    MosParameters points;
    points.frames = MosFrames::kJoint;
    points.edits = {{.operation = MosOperation::kScale, .scale = {1, 1.2f, 1}},
                    {.operation = MosOperation::kSlide, .points = {"joint1"}, .in_bind = false},
                    {.operation = MosOperation::kSlide,
                     .distance = 0.1f,
                     .driver = KeyAngle{"joint1", {0, 0, 1}},
                     .share = {{0, 0}, {90, 1}}}};
    rig_.layers.push_back({"by_points", points, {}, {}});
  }

  Rig edited(const Edit& edit) const {
    Rig rig = rig_;
    edit(rig);
    return rig;
  }

  // Returns the skins' vertices in a bent pose, those of one mesh after the other.
  std::vector<glm::vec3> posed(const Character& character) const {
    std::vector<glm::vec3> all;
    for (const char* name : {"tube", "by_surface", "by_points"}) {
      const std::vector<glm::vec3> own = test::posed(character, test::bent(model_, 50), name);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  bool needs_bind(const Edit& edit) const {
    const Bound bound = test::bound(model_, rig_);
    return !move_bound(bound.character, bound.report, rig_, edited(edit));
  }

  Model model_ = test::make_tube_in_cage();
  Rig rig_;
};

const Edit kMoveCage = [](Rig& rig) {
  for (const std::size_t layer : {0u, 1u}) ffd(rig, layer).driver.offsets = {{test::kLimbVertex, {0, 0.5f, 0.2f}}};
};
const Edit kMoveSurface = [](Rig& rig) {
  surface(rig).levels[0].moves = {{27, {0.1f, 0, 0.4f}}};
  surface(rig).levels[1].moves = {{kStored, {0, 0.1f, 0.3f}}};
};
const Edit kSlidePoint = [](Rig& rig) {
  mos(rig).edits[1].offset = {0.1f, 0.4f, 0};
  mos(rig).edits[1].distance = -0.2f;
  mos(rig).edits[2].distance = -0.3f;
};
const Edit kMoveAll = [](Rig& rig) {
  for (const Edit& edit : {kMoveCage, kMoveSurface, kSlidePoint}) edit(rig);
};

TEST_F(MoveBound, IsWhatBindMakesOfTheEditedRig) {
  for (const MosStrategy strategy : {MosStrategy::kBSpline, MosStrategy::kInverseDistance, MosStrategy::kRadialBasis}) {
    mos(rig_).strategy = strategy;
    const Bound bound = test::bound(model_, rig_);
    const std::vector<glm::vec3> before = posed(bound.character);
    for (const Edit& edit : {kMoveCage, kMoveSurface, kSlidePoint, kMoveAll}) {
      const Rig rig = edited(edit);
      const std::optional<Character> moved = move_bound(bound.character, bound.report, rig_, rig);
      ASSERT_TRUE(moved);
      EXPECT_LT(test::farthest(posed(*moved), posed(test::bound(model_, rig).character)), test::kTubeTolerance);
      EXPECT_GT(test::farthest(posed(*moved), before), 0.05f);
      const std::optional<Character> back = move_bound(*moved, bound.report, rig, rig_);
      ASSERT_TRUE(back);
      EXPECT_LT(test::farthest(posed(*back), before), test::kTubeTolerance);
    }
  }
}

// Armpits follow such a driver in part, whether it is moved or not.
TEST_F(MoveBound, IsWhatBindMakesOfADriverMadeFromSkinWithArmpits) {
  model_ = test::make_arm();
  rig_ = test::rig_of(SurfaceFfdParameters{});
  const Edit move = [](Rig& r) { ffd(r, 0).driver.offsets = {{test::kLimbVertex, {0, 0.01f, 0}}}; };
  EXPECT_TRUE(needs_bind(move));
  move(rig_);
  const Rig rig = edited([](Rig& r) { ffd(r, 0).driver.offsets = {{test::kLimbVertex, {0, 0.5f, 0.2f}}}; });
  const auto bent = [&](const Character& character) { return test::posed(character, test::bent(model_, 50), "tube"); };
  const Bound bound = test::bound(model_, rig_);
  const std::optional<Character> moved = move_bound(bound.character, bound.report, rig_, rig);
  ASSERT_TRUE(moved);
  EXPECT_LT(test::farthest(bent(*moved), bent(test::bound(model_, rig).character)), test::kTubeTolerance);
  EXPECT_GT(test::farthest(bent(*moved), bent(bound.character)), 0.05f);
}

TEST_F(MoveBound, LeavesOtherEditsToBind) {
  EXPECT_FALSE(needs_bind([](Rig&) {}));
  EXPECT_TRUE(needs_bind([](Rig& rig) { rig.layers.pop_back(); }));
  EXPECT_TRUE(needs_bind([](Rig& rig) { rig.layers[0].mask.value = 0.5f; }));
  EXPECT_TRUE(needs_bind([](Rig& rig) { rig.layers[0].deformer = DualQuaternionParameters{}; }));
  EXPECT_TRUE(needs_bind([](Rig& rig) { rig.check = CheckMode::kReport; }));
  for (const std::size_t layer : {0u, 1u}) {  // of the two that share a driver
    EXPECT_TRUE(needs_bind([&](Rig& rig) { ffd(rig, layer).driver.offsets = {{test::kLimbVertex, {0, 0.5f, 0.2f}}}; }));
  }
  const float infinite = std::numeric_limits<float>::infinity();
  for (const Edit& further : std::vector<Edit>{
           [](Rig& rig) { ffd(rig, 0).local = 2; },
           [](Rig& rig) { surface(rig).levels[1].offsets[0].offset.z = 0.5f; },
           [](Rig& rig) { surface(rig).levels.pop_back(); },
           [](Rig& rig) { mos(rig).edits[0].scale.x = 2; },
           [](Rig& rig) { mos(rig).edits[0].offset.x = 2; },  // it does not slide
           [](Rig& rig) { mos(rig).edits.pop_back(); },
           [](Rig& rig) { mos(rig).edits[1].in_bind = true; },
           [=](Rig& rig) { mos(rig).edits[1].distance = infinite; },
           [=](Rig& rig) {
             surface(rig).levels[0].moves = {{1, glm::vec3(infinite)}};
           },
           [](Rig& rig) {
             surface(rig).levels[0].moves = {{5000, glm::vec3(0)}};
           },
           [](Rig& rig) {
             for (const std::size_t layer : {0u, 1u}) ffd(rig, layer).driver.offsets = {{5000, {0, 1, 0}}};
           },
       }) {
    EXPECT_TRUE(needs_bind(further));
    EXPECT_TRUE(needs_bind([&](Rig& rig) {
      kMoveAll(rig);
      further(rig);
    }));
  }
  rig_ = test::rig_of(DualQuaternionParameters{});
  EXPECT_TRUE(
      needs_bind([](Rig& rig) { rig.layers[0].deformer.get<DualQuaternionParameters>().exact_normals ^= true; }));
}

// The control mesh of a level has the vertices that it stores, and no other.
TEST_F(MoveBound, LeavesAVertexThatIsNotStoredToBind) {
  EXPECT_TRUE(needs_bind([](Rig& rig) { surface(rig).levels[1].moves = {{kStored + 1, {0, 0.1f, 0.3f}}}; }));
  surface(rig_).levels[1].moves = {{kStored + 1, {0, 0.1f, 0.3f}}};
  EXPECT_FALSE(needs_bind([](Rig& rig) { surface(rig).levels[1].moves[0].offset.x = 1; }));
  EXPECT_TRUE(needs_bind([](Rig& rig) { surface(rig).levels[1].moves[0].vertex = kStored + 2; }));
  surface(rig_).levels[2] = {.moves = {{kStored, {0, 0.1f, 0.3f}}}};  // all that the level stores
  EXPECT_FALSE(needs_bind([](Rig& rig) { surface(rig).levels[2].moves[0].offset.x = 1; }));
  EXPECT_TRUE(needs_bind([](Rig& rig) { surface(rig).levels[2].moves.clear(); }));
}

TEST_F(MoveBound, LeavesPointsOfTwoLayersToBind) {
  rig_.layers.push_back({"by_points", mos(rig_), {.value = 0.5f}, {}});
  EXPECT_TRUE(needs_bind(kSlidePoint));
  EXPECT_FALSE(needs_bind(kMoveCage));
}

}  // namespace
}  // namespace pelt
