// SPDX-License-Identifier: MIT
// Muscles: properties of their lines and meshes, and of the skin over them (docs/mathematics.md section 2, "Muscles").
#include "engine/authoring/driver/action_line/muscles.h"

#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>

#include <pelt/builtin.h>
#include <pelt/curve_skeleton.h>
#include <pelt/linear_blend.h>
#include <pelt/rig_json.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Muscle straight() {
  return {.name = "muscle", .from = {"joint0", {0, 0.2f, 0}}, .to = {"joint1", {0, 0.2f, 0}}, .radius = 0.5f};
}

// A tube of two joints, 4 apart; the skin follows linear blend, except the part that follows the muscle.
Rig rig_with(const Muscle& muscle) {
  Rig rig;
  rig.muscles = {muscle};
  rig.layers.push_back({"*", CurveSkeletonParameters{}, {}, {}});
  SurfaceFfdParameters ffd;
  ffd.driver.mesh = "muscle";
  rig.layers.push_back({"*", ffd, {1, {.near = Near{"muscle", 1.0f}}}, {}});
  return rig;
}

// A character with a muscle in a pose.
struct Posed {
  Posed(const Model& model, const Rig& rig) : character(test::bound(model, rig).character) {}

  std::vector<glm::vec3> at(std::span<const glm::mat4> joints, const std::string& mesh) const {
    return test::posed(character, joints, mesh);
  }

  double volume_at(std::span<const glm::mat4> joints, const std::string& mesh) const {
    return test::volume(at(joints, mesh), test::mesh_of(character, mesh).triangles);  // keeps the model's order
  }

  Character character;
};

// Joint matrices with the second joint bent, and `length` times as far away as at rest.
std::vector<glm::mat4> stretched(const Model& model, float length, float degrees = 0) {
  std::vector<glm::mat4> joints = test::bind_matrices(model);
  joints[1] = glm::translate(glm::mat4(1), glm::vec3(4 * length, 0, 0)) *
              glm::rotate(glm::mat4(1), glm::radians(degrees), glm::vec3(0, 0, 1));
  return joints;
}

// Width of a mesh along z; for a spindle, twice its radius.
float width(std::span<const glm::vec3> positions) {
  const auto [low, high] =
      std::minmax_element(positions.begin(), positions.end(), [](glm::vec3 a, glm::vec3 b) { return a.z < b.z; });
  return high->z - low->z;
}

TEST(Muscles, KeepTheirVolumeAsTheLineShortensAndLengthens) {
  const Model model = test::make_tube();
  for (const float tendon : {0.0f, 0.1f, 0.25f}) {
    Muscle muscle = straight();
    muscle.tendon = tendon;
    const Posed posed(model, rig_with(muscle));
    const double rest = posed.volume_at(test::bind_matrices(model), "muscle");
    EXPECT_GT(rest, 0.5);  // 4 long, up to 1 thick
    for (const float length : {0.7f, 0.8f, 0.9f, 1.1f, 1.2f, 1.3f}) {
      EXPECT_NEAR(posed.volume_at(stretched(model, length), "muscle") / rest, 1.0, 0.03) << tendon << " " << length;
    }
    EXPECT_NEAR(posed.volume_at(stretched(model, 1, 50), "muscle") / rest, 1.0, 0.03) << tendon;
  }
}

TEST(Muscles, SwellMoreWithABulgeAndNotAtAllWithoutVolume) {
  const Model model = test::make_tube();
  const auto widening = [&](float volume_kept, float bulge) {
    Muscle muscle = straight();
    muscle.tendon = 0;
    muscle.volume = volume_kept;
    muscle.bulge = bulge;
    const Posed posed(model, rig_with(muscle));
    const float rest = width(posed.at(test::bind_matrices(model), "muscle"));
    return width(posed.at(stretched(model, 0.75f), "muscle")) / rest;
  };
  EXPECT_NEAR(widening(0, 0), 1.0f, 1e-3f);
  EXPECT_NEAR(widening(1, 0), std::sqrt(1 / 0.75f), 1e-3f);
  EXPECT_NEAR(widening(1, 1), 1 / 0.75f, 5e-3f);  // the middle, between two samples
  EXPECT_NEAR(widening(0, 2), 1 / 0.75f, 5e-3f);
}

TEST(Muscles, TendonsKeepTheirLength) {
  const Model model = test::make_tube();
  Muscle muscle = straight();
  muscle.tendon = 0.25f;
  muscle.from.offset = muscle.to.offset = glm::vec3(0.0f);  // curves would carry points off the bone outwards
  const Posed posed(model, rig_with(muscle));
  const std::vector<glm::vec3> rest = posed.at(test::bind_matrices(model), "muscle");
  const std::vector<glm::vec3> after = posed.at(stretched(model, 0.75f), "muscle");
  std::size_t seen = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    if (rest[v].x > 0.5f) continue;  // an eighth of the length: the ramp to the belly begins there
    EXPECT_LT(glm::distance(rest[v], after[v]), 2e-3f) << v;
    ++seen;
  }
  EXPECT_GT(seen, 10u);
}

// A muscle on the axis: as the joint at its end turns about it, each section turns in proportion to its distance from
// the start.
TEST(Muscles, WringIfAsked) {
  const Model model = test::make_tube();
  Muscle muscle = straight();
  muscle.from.offset = muscle.to.offset = glm::vec3(0.0f);
  std::vector<glm::mat4> joints = test::bind_matrices(model);
  joints[1] = joints[1] * glm::rotate(glm::mat4(1), glm::radians(140.0f), glm::vec3(1, 0, 0));
  for (const bool wring : {false, true}) {
    muscle.wring = wring;
    const Posed posed(model, rig_with(muscle));
    const std::vector<glm::vec3> rest = posed.at(test::bind_matrices(model), "muscle");
    const std::vector<glm::vec3> after = posed.at(joints, "muscle");
    for (std::size_t v = 0; v < rest.size(); ++v) {
      const double angle = wring ? glm::radians(140.0) * double{rest[v].x} / 4 : 0.0;
      const glm::dvec3 expected(rest[v].x, rest[v].y * std::cos(angle) - rest[v].z * std::sin(angle),
                                rest[v].y * std::sin(angle) + rest[v].z * std::cos(angle));
      ASSERT_LT(glm::distance(expected, glm::dvec3(after[v])), 1e-3) << v << " " << wring;
    }
  }
}

class Arm : public testing::Test {
 protected:
  const Model arm_ = make_arm();
  const Rig rig_ = test::must(load_rig(PELT_ARM_RIG));
  const Posed posed_{arm_, rig_};

  std::vector<glm::mat4> flexed(float degrees) const { return test::bent(arm_, degrees); }
  std::vector<glm::vec3> at(float degrees, const std::string& mesh) const { return posed_.at(flexed(degrees), mesh); }
};

TEST_F(Arm, AttachmentsStayOnTheirJoints) {
  for (const char* line : {"biceps line", "triceps line"}) {
    const std::vector<glm::vec3> rest = at(0, line);
    const std::vector<glm::vec3> after = at(110, line);
    const std::size_t last = rest.size() - 2;  // the side vertex follows it
    EXPECT_LT(glm::distance(after[0], rest[0]), 1e-6f) << line;
    const glm::mat4 elbow = flexed(110)[1] * glm::inverse(flexed(0)[1]);
    EXPECT_LT(glm::distance(after[last], glm::vec3(elbow * glm::vec4(rest[last], 1))), 1e-6f) << line;
  }
  const std::vector<glm::vec3> biceps = at(110, "biceps");
  const std::vector<glm::vec3> line = at(110, "biceps line");
  EXPECT_LT(glm::distance(biceps.front(), line[0]), 1e-5f);
  EXPECT_LT(glm::distance(biceps.back(), line[line.size() - 2]), 1e-5f);
}

TEST_F(Arm, BicepsSwellsAndTricepsThinsAsItBends) {
  float biceps = width(at(0, "biceps"));
  float triceps = width(at(0, "triceps"));
  for (const float degrees : {40.0f, 80.0f, 120.0f}) {
    const float more = width(at(degrees, "biceps"));
    const float less = width(at(degrees, "triceps"));
    EXPECT_GT(more, biceps) << degrees;
    EXPECT_LT(less, triceps) << degrees;
    biceps = more;
    triceps = less;
  }
  EXPECT_GT(biceps, 1.35f * width(at(0, "biceps")));
}

TEST_F(Arm, SkinFollowsTheMuscles) {
  const auto highest = [](std::span<const glm::vec3> skin) {  // in the middle of the upper arm
    float y = 0;
    for (const glm::vec3 p : skin) y = p.x > 0.14f && p.x < 0.18f && p.y < 0.1f ? std::max(y, p.y) : y;
    return y;
  };
  const Posed without(arm_, test::rig_of(CurveSkeletonParameters{}));
  EXPECT_GT(highest(at(120, "skin")), highest(without.at(flexed(120), "skin")) + 0.006f);
  EXPECT_LT(test::farthest(at(0, "skin"), arm_.meshes[0].positions), 2e-6f);
}

TEST(Muscles, OfAGivenMeshFollowItsLine) {
  Model model = test::make_tube();
  Mesh given = test::make_tube_mesh({.around = 8, .along = 8, .radius = 0.4f, .length = 3.5f});
  given.name = "flesh";
  model.meshes.push_back(given);
  Muscle muscle = straight();
  muscle.radius = 0;
  muscle.mesh = "flesh";
  Rig rig = rig_with(muscle);
  rig.layers[1].deformer.get<SurfaceFfdParameters>().driver.mesh = "flesh";
  rig.layers[1].mask.region.near->mesh = "flesh";
  const Posed posed(model, rig);
  EXPECT_TRUE(test::mesh_of(posed.character, "flesh").control);
  EXPECT_LT(test::farthest(given.positions, posed.at(test::bind_matrices(model), "flesh")), 1e-5f);
  EXPECT_GT(width(posed.at(stretched(model, 0.75f), "flesh")), 1.1f * width(given.positions));
}

// Curves that only muscles need do not move the skin.
TEST(Muscles, DoNotChangeTheCurvesOfTheSkin) {
  const Model model = test::make_tube();
  Rig with = rig_with(straight());
  with.layers.pop_back();
  const Posed a(model, with);
  const Posed b(model, test::rig_of(CurveSkeletonParameters{}));
  const std::vector<glm::mat4> pose = stretched(model, 1, 70);
  // The tables have different numbers of samples.
  EXPECT_LT(test::farthest(a.at(pose, "tube"), b.at(pose, "tube")), 1e-4f);
}

TEST(Muscles, MayBeAttachedToJointsThatNoSkinBindsAndNeedNoLayerOfACurveSkeleton) {
  Model model = test::make_tube();
  model.skeleton.joints.push_back({.name = "scapula", .parent = 0});
  Muscle muscle = straight();
  muscle.from.joint = "scapula";
  for (const DeformerParameters& below :
       {DeformerParameters(CurveSkeletonParameters{}), DeformerParameters(LinearBlendParameters{})}) {
    Rig rig = rig_with(muscle);
    rig.layers[0].deformer = below;
    const Posed posed(model, rig);
    EXPECT_LT(test::farthest(model.meshes[0].positions, posed.at(test::bind_matrices(model), "tube")), 2e-5f);
  }
}

// A rig of a few kilobytes must not make meshes of millions of vertices.
TEST(MuscleRig, IsBounded) {
  Rig rig = rig_with(straight());
  rig.muscles[0].resolution = 128;
  for (int k = 0; k < 60; ++k) {
    rig.muscles.push_back(rig.muscles[0]);
    rig.muscles.back().name += std::to_string(k);
  }
  EXPECT_THAT(test::bind_error(test::make_tube(), rig), HasSubstr("vertices, more than 262144; lower their resol"));
  rig.muscles.resize(1025, rig.muscles[0]);
  EXPECT_THAT(test::bind_error(test::make_tube(), rig), HasSubstr("the rig has 1025 muscles, more than 1024"));
}

struct Breakage {
  void (*change)(Muscle&);
  const char* says;
};

void add_point(Muscle& m, float at) { m.points.push_back({at, glm::vec3(0)}); }

const Breakage kMuscleBreakages[] = {
    {[](Muscle& m) { m.name = "tube"; }, "muscle 'tube': a mesh has that name"},
    {[](Muscle& m) { m.to.joint = "joint2x"; }, "muscle 'muscle': there is no joint 'joint2x'; did you mean 'joint"},
    {[](Muscle& m) { m.to = m.from; }, "muscle 'muscle': both attachments are at one point"},
    {[](Muscle& m) { m.to.offset.y = kNan; }, "/muscles/0/to/offset/1: must be a number, is nan"},
    {[](Muscle& m) { m.to.offset.y = 1e30f; }, "an attachment must be finite and within"},
    {[](Muscle& m) { m.radius = 0; }, "muscle 'muscle': the radius 0 must be"},
    {[](Muscle& m) { m.mesh = "tubes"; }, "muscle 'muscle': there is no mesh 'tubes'; did you mean 'tube'?"},
    {[](Muscle& m) { m.points.resize(7); }, "the line has 7 points, more than 6"},
    {[](Muscle& m) { add_point(m, 1); }, "must ascend between 0 and 1"},
    {[](Muscle& m) { add_point(m, 0.6f), add_point(m, 0.4f); }, "but 0.4 follows 0.6"},
};

TEST(MuscleRig, ThatIsWrongIsRefused) {
  for (const Breakage& breakage : kMuscleBreakages) {
    Muscle muscle = straight();
    breakage.change(muscle);
    EXPECT_THAT(test::bind_error(test::make_tube(), rig_with(muscle)), HasSubstr(breakage.says));
  }
}

TEST(Muscles, AreNoTargets) {
  Rig rig = rig_with(straight());
  rig.layers.push_back({"muscle", LinearBlendParameters{}, {}, {}});
  EXPECT_THAT(test::bind_error(test::make_tube(), rig), HasSubstr("the target 'muscle' belongs to a muscle"));
}

TEST(Muscles, DoNotShareAMesh) {
  Model model = test::make_tube_in_cage();
  Rig rig;
  Muscle muscle = straight();
  muscle.mesh = "cage";
  rig.muscles = {muscle, muscle};
  EXPECT_THAT(test::bind_error(model, rig), HasSubstr("the mesh 'cage' belongs to another muscle"));
}

}  // namespace
}  // namespace pelt
