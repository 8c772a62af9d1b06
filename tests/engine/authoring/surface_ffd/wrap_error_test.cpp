// SPDX-License-Identifier: MIT
// Measures only the error of the wrap, without that of the driver's motion. Driver and skin have the same weights, as a
// function of space, and the driver should move the skin as dual quaternions do by these weights.
#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <utility>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/dual_quaternion.h>
#include <pelt/evaluate.h>
#include <pelt/surface_ffd.h>

#include "engine/authoring/model/builtin/model_builder.h"

namespace pelt {
namespace {

using Mode = SurfaceFfdParameters::Mode;

constexpr double kBendAt = 4;  // the limb, of radius 1 and along x from 0 to 8, bends and twists here
constexpr float kPassage = 6;  // length over which its weights pass

// Paints half of the angle to one joint and half to another at the same position. The matrices of two bones cannot tell
// 270 degrees from -90, but 135 and 270 tell which way round. The angle is the smoothstep of x, up to the rounding of a
// blend.
void paint_halves(Mesh& mesh) {
  mesh.weights = {};
  for (const glm::vec3& p : mesh.positions) {
    const double share = 2.0 * smooth_step((p.x - static_cast<float>(kBendAt)) / kPassage + 0.5f);
    const WeightedElement row[] = {
        {0, std::max(0.0, 1 - share)}, {1, 1 - std::abs(share - 1)}, {2, std::max(0.0, share - 1)}};
    append_row(mesh.weights, row);
  }
}

Model make_model(Mesh skin, Mesh driver) {
  Model model;
  const glm::vec3 at(static_cast<float>(kBendAt), 0, 0);
  add_joint(model, "root", -1, {});
  add_joint(model, "half", 0, {.translation = at});
  add_joint(model, "whole", 1, {});
  bind_all_joints(model);
  model.materials.emplace_back();
  skin.name = "skin";
  driver.name = "driver";
  paint_halves(skin);
  paint_halves(driver);
  model.meshes = {std::move(skin), std::move(driver)};
  return model;
}

// Returns a limb with 1,000 triangles on the side.
Mesh coarse_limb() { return make_limb({.around = 20, .along = 25}).meshes[0]; }
Mesh fine_limb() { return make_limb().meshes[0]; }

struct Turn {
  glm::dvec3 axis;
  double degrees;
};
constexpr glm::dvec3 kBend(0, 0, 1);
constexpr glm::dvec3 kTwist(1, 0, 0);

// Returns the moved positions of the skin.
std::vector<glm::vec3> moved(const Model& model, const DeformerParameters& deformer, const Turn& turn) {
  Rig rig;
  rig.layers.push_back({"skin", deformer, {}});
  const Result<Bound> bound = bind(model, rig);
  if (!bound) {
    ADD_FAILURE() << bound.error().message;
    return {};
  }
  const glm::dmat4 at = glm::translate(glm::dmat4(1.0), glm::dvec3(kBendAt, 0, 0));
  std::vector<glm::mat4> joints{glm::mat4(1.0f)};
  for (const double share : {0.5, 1.0}) {
    joints.emplace_back(at * glm::rotate(glm::dmat4(1.0), share * glm::radians(turn.degrees), turn.axis));
  }
  Evaluator evaluator(bound->character);
  evaluator.pose(joints);
  evaluator.evaluate();
  std::vector<glm::vec3> positions(model.meshes[0].positions.size());
  for (const CharacterMesh& mesh : bound->character->meshes) {
    if (mesh.name == "skin") to_source_order<glm::vec3>(mesh, evaluator.positions(), positions);
  }
  return positions;
}

struct WrapError {
  float distance = 0;       // largest distance from the exactly moved vertex
  std::size_t flipped = 0;  // triangles that face the other way than the motion turns them
};

WrapError wrap_error(const Model& model, const SurfaceFfdParameters& parameters, const Turn& turn) {
  const std::vector<glm::vec3> wanted = moved(model, DualQuaternionParameters{}, turn);
  const std::vector<glm::vec3> found = moved(model, parameters, turn);
  WrapError error;
  if (wanted.size() != found.size()) return {.distance = HUGE_VALF};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    // A distance that is not a number must not count as 0.
    const float distance = glm::distance(wanted[i], found[i]);
    error.distance = distance <= error.distance ? error.distance : distance;
  }
  const auto normal = [](const std::vector<glm::vec3>& p, glm::uvec3 t) {
    return glm::cross(p[t.y] - p[t.x], p[t.z] - p[t.x]);
  };
  for (const glm::uvec3 t : model.meshes[0].triangles) {
    error.flipped += glm::dot(normal(wanted, t), normal(found, t)) < 0 ? 1 : 0;
  }
  return error;
}

void expect_within(const Model& model, const SurfaceFfdParameters& parameters, const Turn& turn, float most) {
  const WrapError error = wrap_error(model, parameters, turn);
  EXPECT_LE(error.distance, most) << turn.degrees << " degrees about " << turn.axis.x << " " << turn.axis.y << " "
                                  << turn.axis.z;
  EXPECT_EQ(error.flipped, 0u);
}

SurfaceFfdParameters driven() {
  SurfaceFfdParameters parameters;
  parameters.driver.mesh = "driver";
  return parameters;
}

// A triangle carries its plane, so the skin follows chords inside of the motion's curve and tangents outside. If the
// falloff begins at a third of an edge, neighbours that lie outside make up for the chord inside.
SurfaceFfdParameters precise() {
  SurfaceFfdParameters parameters = driven();
  parameters.mode = Mode::kBasic;
  parameters.distance_scale = 1.0f / 3;
  return parameters;
}

TEST(WrapError, OfTheBasicVariantIsBelowAChordsOfTheDriver) {
  const Model model = make_model(fine_limb(), coarse_limb());
  expect_within(model, precise(), {kBend, 90}, 0.005f);
  expect_within(model, precise(), {kBend, 135}, 0.008f);
  expect_within(model, precise(), {kTwist, 180}, 0.011f);
  expect_within(model, precise(), {kTwist, 270}, 0.018f);
}

// Frames V turn about the joint, and a mean of V over a stretch of variance s^2 misses V by s^2 V'' / 2, times the
// lever from the joint: 3 radii at the end of the transition. Even a single closest triangle misses by 0.009 at a bend
// of 90 degrees.
TEST(WrapError, OfTheExtendedVariantGrowsWithTheLever) {
  const Model model = make_model(fine_limb(), coarse_limb());
  expect_within(model, driven(), {kBend, 90}, 0.0145f);
  expect_within(model, driven(), {kBend, 135}, 0.021f);
  expect_within(model, driven(), {kTwist, 180}, 0.0145f);
  expect_within(model, driven(), {kTwist, 270}, 0.031f);
}

// All driver vertices of the elements count: also those that the cut would leave out lie within a few edges.
TEST(WrapError, ShrinksWithTheSquareOfTheDriversEdges) {
  SurfaceFfdParameters parameters = driven();
  parameters.influences = 0;
  const Model coarse = make_model(fine_limb(), coarse_limb());
  const Model fine = make_model(fine_limb(), make_limb({.around = 40, .along = 50}).meshes[0]);
  for (const Turn& turn : {Turn{kBend, 90}, Turn{kTwist, 180}}) {
    EXPECT_LT(wrap_error(fine, parameters, turn).distance, 0.35f * wrap_error(coarse, parameters, turn).distance);
  }
}

TEST(WrapError, AThirdTriangleAtAnEdgeStaysLocal) {
  Mesh driver = coarse_limb();
  const glm::uvec3 t = driver.triangles[driver.triangles.size() / 2];
  const auto tip = static_cast<std::uint32_t>(driver.positions.size());
  const glm::vec3 middle = 0.5f * (driver.positions[t.x] + driver.positions[t.y]);
  driver = Mesh{.positions = driver.positions, .triangles = driver.triangles};
  driver.positions.push_back(middle + 0.3f * glm::normalize(glm::vec3(0, middle.y, middle.z)));
  driver.triangles.emplace_back(t.x, t.y, tip);
  const Model model = make_model(fine_limb(), driver);
  for (const Mode mode : {Mode::kBasic, Mode::kExtended}) {
    SurfaceFfdParameters parameters = driven();
    parameters.mode = mode;
    expect_within(model, parameters, {kBend, 90}, 0.05f);
    expect_within(model, parameters, {kTwist, 180}, 0.05f);
  }
}

SurfaceFfdParameters quadratic() {
  SurfaceFfdParameters parameters = driven();
  parameters.precision = Precision::kQuadratic;
  return parameters;
}

// Rows reproduce the motion to the second order, with the lever: the remaining error is of the third order.
TEST(WrapError, OfQuadraticPrecisionIsAThirdOfLinear) {
  const Model model = make_model(fine_limb(), coarse_limb());
  expect_within(model, quadratic(), {kBend, 90}, 0.0035f);
  expect_within(model, quadratic(), {kBend, 135}, 0.005f);
  expect_within(model, quadratic(), {kTwist, 180}, 0.002f);
  expect_within(model, quadratic(), {kTwist, 270}, 0.005f);
}

}  // namespace
}  // namespace pelt
