// SPDX-License-Identifier: MIT
// Compares moved skin with equations 5 and 9 of docs/mathematics.md section 3.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/authoring/mos/strategies.h"
#include "tests/engine/authoring/mos/bound_skin.h"

namespace pelt::mos {
namespace {

// A tube with joints at 0, 3 and 6 along x, whose axes at bind are turned, and points off the axis.
struct TurnedTube {
  TurnedTube() : model(test::make_tube({.around = 6, .along = 9, .length = 9, .joints = 3})) {
    const std::array<float, 3> turned{10, 70, -40};
    for (std::size_t j = 0; j < 3; ++j) {
      at_bind.push_back(glm::rotate(glm::translate(glm::mat4(1), glm::vec3(3.0f * static_cast<float>(j), 0, 0)),
                                    glm::radians(turned[j]), glm::normalize(glm::vec3(1, 2, -1))));
      model.bound_joints[j].inverse_bind = glm::inverse(at_bind[j]);
    }
    const std::array<glm::vec3, 3> axes{glm::vec3(1, 0, 2), glm::vec3(0, 1, 1), glm::vec3(-2, 1, 0)};
    for (std::size_t j = 0; j < 3; ++j) {
      const glm::mat4 there = glm::translate(glm::mat4(1), glm::vec3(0.3f, -0.5f, 0.2f) * static_cast<float>(j));
      motions.push_back(glm::rotate(there, 0.4f * static_cast<float>(j + 1), glm::normalize(axes[j])));
      joints.push_back(motions[j] * at_bind[j]);
    }
  }

  void give_points(const std::vector<std::pair<std::uint32_t, glm::vec3>>& points, MosParameters& parameters) {
    MosChain chain{"own", {}, {}};
    for (const auto& [joint, at] : points) {
      places.emplace_back(at);
      carriers.push_back(joint);
      // Axes of their own: each turned by another multiple of 25 degrees.
      const auto turn = static_cast<float>(25 * (chain.points.size() % 4));
      own.push_back(glm::rotate(glm::dmat4(1), glm::radians(double{turn}), glm::normalize(glm::dvec3(2, -1, 1))));
      chain.points.push_back({"", "joint" + std::to_string(joint), at - glm::vec3(at_bind[joint][3]), false,
                              turn * glm::normalize(glm::vec3(2, -1, 1))});
    }
    parameters.automatic = false;
    parameters.chains = {chain};
  }

  // Returns the moved vertex by equations 9 and 5.
  glm::dvec3 moved(glm::dvec3 m, std::span<const WeightedElement> weights, MosFrames frames) const {
    glm::dmat3 frame(0.0);
    glm::dvec3 from = m;
    const auto axes = [&](std::uint32_t p) {
      return own[p] * (frames == MosFrames::kJoint ? glm::dmat3(at_bind[carriers[p]]) : glm::dmat3(1.0));
    };
    for (const WeightedElement& element : weights) {
      frame += element.weight * axes(element.index);
      from -= element.weight * places[element.index];
    }
    const glm::dvec3 offset = glm::inverse(frame) * from;
    glm::dvec3 result(0.0);
    for (const WeightedElement& element : weights) {
      const glm::dmat4 motion(motions[carriers[element.index]]);
      result += element.weight * (glm::dvec3(motion * glm::dvec4(places[element.index], 1)) +
                                  glm::dmat3(motion) * axes(element.index) * offset);
    }
    return result;
  }

  Model model;
  std::vector<glm::mat4> at_bind, motions, joints;
  std::vector<glm::dvec3> places;
  std::vector<std::uint32_t> carriers;
  std::vector<glm::dmat3> own;
};

const std::vector<std::pair<std::uint32_t, glm::vec3>> kScattered{
    {0, {0.4f, 0.2f, 0}}, {0, {2, 0, -0.3f}},   {1, {2.6f, 0.5f, 0.1f}},  {1, {4.7f, -0.2f, 0.2f}},
    {2, {6.1f, 0, 0.4f}}, {0, {6.6f, 0.3f, 0}}, {2, {8.2f, -0.1f, -0.2f}}};

// Normals are those of the moved surface; gradients are stored in 8 bits.
TEST(MosBind, FollowsTheFormulaForPointsInNoOrder) {
  struct Case {
    MosStrategy strategy;
    MosKernel kernel = MosKernel::kBiharmonic;
    std::uint32_t nearest = 0;
    float power = 2;
  };
  const Case cases[] = {{.strategy = MosStrategy::kInverseDistance, .nearest = 0, .power = 3},
                        {.strategy = MosStrategy::kInverseDistance, .nearest = 4},
                        {.strategy = MosStrategy::kRadialBasis, .kernel = MosKernel::kBiharmonic},
                        {.strategy = MosStrategy::kRadialBasis, .kernel = MosKernel::kGaussian}};
  for (const Case& one : cases) {
    for (const MosFrames frames : {MosFrames::kRelative, MosFrames::kJoint}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(one.strategy) << ' ' << static_cast<int>(one.kernel) << ' '
                                      << one.nearest << ' ' << static_cast<int>(frames));
      TurnedTube tube;
      MosParameters parameters{
          .strategy = one.strategy, .frames = frames, .power = one.power, .nearest = one.nearest, .kernel = one.kernel};
      tube.give_points(kScattered, parameters);
      const Character character = test::bound(tube.model, test::rig_of(parameters)).character;
      const std::vector<glm::vec3> is = posed(tube.model, character, tube.joints);
      const Result<RadialBasis> basis = RadialBasis::create(tube.places, one.kernel, {});
      ASSERT_TRUE(basis);
      const auto moved = [&](glm::dvec3 m) {
        std::vector<WeightedElement> row;
        if (one.strategy == MosStrategy::kInverseDistance) {
          inverse_distance(m, tube.places, one.power, one.nearest, parameters.cut, row);
        } else {
          basis->weights(m, row);
        }
        return tube.moved(m, row, frames);
      };
      const std::vector<glm::vec3> normals = test::posed_normals(character, tube.joints, tube.model.meshes[0].name);
      double lean = 0;
      for (std::size_t v = 0; v < is.size(); ++v) {
        const glm::dvec3 m(tube.model.meshes[0].positions[v]);
        ASSERT_LT(glm::distance(glm::dvec3(is[v]), moved(m)), kStored) << v;
        const glm::dvec3 n(tube.model.meshes[0].normals[v]);
        const glm::dvec3 e = 1e-5 * glm::normalize(glm::cross(n, glm::dvec3(1, 0.3, 0.2)));
        const glm::dvec3 f = glm::cross(n, e);
        const glm::dvec3 expected =
            glm::normalize(glm::cross(moved(m + e) - moved(m - e), moved(m + f) - moved(m - f)));
        lean += glm::degrees(std::acos(std::min(1.0, glm::dot(expected, glm::dvec3(normals[v])))));
      }
      EXPECT_LT(lean / static_cast<double>(is.size()), 1);
    }
  }
}

TEST(MosBind, OnePointMovesTheSkinRigidly) {
  const Model model = turned_tube();
  std::vector<glm::mat4> joints = joints_at_bind(model);
  const glm::mat4 motion =
      glm::rotate(glm::translate(glm::mat4(1), glm::vec3(1, 2, -1)), 2.5f, glm::normalize(glm::vec3(1, 3, -1)));
  joints[1] = motion * joints[1];
  const Mesh& rest = model.meshes[0];
  for (const MosStrategy strategy : kWithoutCage) {
    for (const MosFrames frames : {MosFrames::kRelative, MosFrames::kJoint}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(strategy) << ' ' << static_cast<int>(frames));
      const Rig rig = by_mos([&](MosParameters& p) {
        p.strategy = strategy;
        p.frames = frames;
        p.automatic = false;
        p.chains = {{"alone", {{"point", "joint1", {0.1f, 0.3f, 0}}}, {}}};
      });
      expect_identity(model, rig);
      const std::vector<glm::vec3> is = posed(model, test::bound(model, rig).character, joints);
      for (std::size_t v = 0; v < is.size(); ++v) {
        ASSERT_LT(glm::distance(is[v], glm::vec3(motion * glm::vec4(rest.positions[v], 1))), 1e-5f) << v;
      }
    }
  }
}

// The chain of one point is next to a whole chain.
TEST(MosBind, OnePointMayBeAChainOfSeveral) {
  expect_identity(test::make_tube({.joints = 3}), by_mos([](MosParameters& p) {
                    p.chains = {{"alone", {{"point", "joint1", {0, 1, 0}}}, {}}};
                  }));
}

}  // namespace
}  // namespace pelt::mos
