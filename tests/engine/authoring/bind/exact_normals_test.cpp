// SPDX-License-Identifier: MIT
// Compares the normals and tangents of every configuration that has gradients of weights with those of the moved
// surface by finite differences (shaders/blend/blend.h).
#include <algorithm>
#include <cmath>
#include <functional>
#include <glm/gtc/constants.hpp>
#include <ostream>
#include <string_view>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/curve_keys.h>
#include <pelt/curve_skeleton.h>
#include <pelt/dual_quaternion.h>
#include <pelt/evaluate.h>
#include <pelt/key_pose.h>
#include <pelt/linear_blend.h>
#include <pelt/mos.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

constexpr std::uint32_t kAround = 96;
constexpr std::uint32_t kAlong = 192;
constexpr float kRadius = 1;
constexpr float kLength = 8;

// Makes the limb without its caps, an open tube whose vertices are a grid: ring i holds vertices kAround i to kAround
// (i + 1) - 1. "cage" is a cage round it.
Model grid_limb() {
  Model model = make_limb({.around = kAround, .along = 64});
  Mesh grid = test::make_tube_mesh({.around = kAround, .along = kAlong, .radius = kRadius, .length = kLength});
  Mesh cage = test::make_tube_mesh({.around = 16, .along = 24, .radius = 1.15f * kRadius, .length = kLength});
  cage.name = "cage";
  for (Mesh* mesh : {&grid, &cage}) {
    mesh->weights = {};
    for (const glm::vec3& p : mesh->positions) {
      const float x = std::clamp(0.5f + (p.x - 0.5f * kLength) / 2, 0.0f, 1.0f);
      const float second = x * x * (3 - 2 * x);
      const WeightedElement row[] = {{0, 1.0 - second}, {1, second}};
      append_row(mesh->weights, row);
    }
  }
  for (const glm::vec3& normal : grid.normals) {
    const glm::vec3 skew = 0.6f * glm::vec3(1, 0, 0) + 0.8f * glm::cross(glm::vec3(1, 0, 0), normal);
    grid.tangents.emplace_back(skew, 1);
  }
  model.meshes = {grid, cage};
  return model;
}

struct Configuration {
  const char* name;
  DeformerParameters parameters;
  std::function<void(Rig&)> change = [](Rig&) {};
};

void PrintTo(const Configuration& configuration, std::ostream* out) { *out << configuration.name; }

template <class Parameters>
Parameters with(const std::function<void(Parameters&)>& change, Parameters parameters = {}) {
  change(parameters);
  return parameters;
}

SurfaceFfdParameters caged(const std::function<void(SurfaceFfdParameters&)>& change = [](SurfaceFfdParameters&) {}) {
  return with(change, test::by_cage());
}

// Lays the layer over linear blend with a mask that fades all along, across the joint.
void put_over_linear(Rig& rig) {
  rig.layers[0].mask = {1, {.sphere = Sphere{{8, 0, 0}, 2, 6}}};
  rig.layers.insert(rig.layers.begin(),
                    {"tube", with<LinearBlendParameters>([](auto& p) { p.exact_normals = true; }), {}, {}});
}

// Combines the layer with linear blend as in Wires, whose shares' slope turns the normals further.
void combine_with_linear(Rig& rig) {
  rig.layers[0].wires = 1.0f;
  rig.layers.insert(rig.layers.begin(),
                    {"tube", with<LinearBlendParameters>([](auto& p) { p.exact_normals = true; }), {}, {}});
}

// Adds a bulge on the outside of the bend, as high as a third of the radius at 90 degrees.
void sculpt(Rig& rig) {
  KeyPose bulge{.degrees = {90}};
  const Model model = grid_limb();
  const Mesh& cage = model.meshes[1];
  for (std::uint32_t v = 0; v < cage.positions.size(); ++v) {
    const glm::vec3 p = cage.positions[v];
    const float away = glm::length(glm::vec2(p.x - 0.5f * kLength, p.z)) / 1.5f;
    const float height = p.y < 0 && away < 1 ? 0.35f * (1 - away * away) * (1 - away * away) : 0.0f;
    if (height > 0) bulge.offsets.push_back({v, height * cage.normals[v]});
  }
  rig.layers[0].deformer.get<SurfaceFfdParameters>().driver.key_poses = {
      {{KeyAngle{"joint", {0, 0, 1}}}, KeyInterpolation::kLinear, {bulge}}};
}

const std::vector<Configuration>& configurations() {
  static const std::vector<Configuration> list{
      {"LinearBlend", with<LinearBlendParameters>([](auto& p) { p.exact_normals = true; })},
      {"DualQuaternion", with<DualQuaternionParameters>([](auto& p) { p.exact_normals = true; })},
      {"SurfaceFfd", SurfaceFfdParameters()},
      {"SurfaceFfdSpread", with<SurfaceFfdParameters>([](auto& p) { p.driver.spread = 6.0f; })},
      {"SurfaceFfdCage", caged()},
      {"SurfaceFfdCageEstimated", caged([](auto& p) { p.driver.estimate_frames = true; })},
      {"SurfaceFfdCageUncut", caged([](auto& p) { p.influences = 0; })},
      {"SurfaceFfdCageImprecise", caged([](auto& p) { p.precision = Precision::kNone; })},
      {"SurfaceFfdQuadratic", with<SurfaceFfdParameters>([](auto& p) { p.precision = Precision::kQuadratic; })},
      {"SurfaceFfdCageQuadratic", caged([](auto& p) { p.precision = Precision::kQuadratic; })},
      {"SurfaceFfdMasked", SurfaceFfdParameters(), put_over_linear},
      {"SurfaceFfdInWires", SurfaceFfdParameters(), combine_with_linear},
      {"SurfaceFfdSculpted", caged(), sculpt},
      // Between samples of the default table, normals of a pressed bend are off by up to 6 degrees.
      {"CurveSkeleton", with<CurveSkeletonParameters>([](auto& p) { p.table_error = 1e-5f; })},
      {"Mos", MosParameters()},
      {"MosInverseDistance", MosParameters{.strategy = MosStrategy::kInverseDistance}},
      {"MosInverseDistanceJoint",
       MosParameters{.strategy = MosStrategy::kInverseDistance, .frames = MosFrames::kJoint}},
      {"MosInverseDistanceMasked", MosParameters{.strategy = MosStrategy::kInverseDistance}, put_over_linear},
      {"MosRadialBasis", MosParameters{.strategy = MosStrategy::kRadialBasis}},
      {"MosRadialBasisMasked", MosParameters{.strategy = MosStrategy::kRadialBasis}, put_over_linear},
      {"MosCage", with<MosParameters>([](auto& p) {
         p.strategy = MosStrategy::kCatmullClark;
         p.cage = "cage";
       })},
  };
  return list;
}

// Angles between the evaluated directions and the surface's own, degrees.
struct Lean {
  double mean = 0;
  double p99 = 0;
};

Lean lean_of(std::vector<double> degrees) {
  std::ranges::sort(degrees);
  Lean lean;
  for (const double d : degrees) lean.mean += d / static_cast<double>(degrees.size());
  lean.p99 = degrees[degrees.size() * 99 / 100];
  return lean;
}

double degrees_between(const glm::dvec3& a, const glm::dvec3& b) {
  return glm::degrees(std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)));
}

struct Leans {
  Lean normals;
  Lean tangents;
};

// Returns the angles on the rings, except for those near the ends.
Leans leans_in(const Character& character, std::span<const glm::mat4> joints) {
  Evaluator evaluator(character);
  evaluator.pose(joints);
  evaluator.evaluate();
  const CharacterMesh& mesh = test::mesh_of(character, "tube");
  const std::vector<glm::vec3> places = test::positions_of(evaluator, character, "tube");
  const std::vector<glm::vec3> normals = test::normals_of(evaluator, character, "tube");
  std::vector<glm::vec4> tangents(mesh.vertex_count());
  to_source_order(mesh, evaluator.tangents(), std::span(tangents));
  const auto at = [&](std::uint32_t ring, std::uint32_t column) {
    return glm::dvec3(places[ring * kAround + column % kAround]);
  };
  std::vector<double> of_normals;
  std::vector<double> of_tangents;
  for (std::uint32_t ring = kAlong / 8; ring < kAlong - kAlong / 8; ++ring) {
    for (std::uint32_t column = 0; column < kAround; ++column) {
      // Derivatives are by arc length in the rest pose, as for the skew tangent.
      const glm::dvec3 along = (at(ring + 1, column) - at(ring - 1, column)) / (2.0 * kLength / kAlong);
      const glm::dvec3 round =
          (at(ring, column + 1) - at(ring, column + kAround - 1)) / (2 * glm::two_pi<double>() * kRadius / kAround);
      const glm::dvec3 outward = glm::normalize(glm::cross(round, along));
      const std::uint32_t v = ring * kAround + column;
      of_normals.push_back(degrees_between(normals[v], outward));
      of_tangents.push_back(degrees_between(glm::dvec3(tangents[v]), 0.6 * along + 0.8 * round));
    }
  }
  return {lean_of(std::move(of_normals)), lean_of(std::move(of_tangents))};
}

using Exact = pelt::ExactNormals;

class ExactNormalsOf : public testing::TestWithParam<Configuration> {};

TEST_P(ExactNormalsOf, AreThoseOfTheMovedSurface) {
  const Model model = grid_limb();
  Rig rig = test::rig_of(GetParam().parameters, "tube");
  GetParam().change(rig);
  const Character character = test::bound(model, rig).character;
  ASSERT_FALSE(test::mesh_of(character, "tube").binding.gradients.empty());
  const Leans leans = leans_in(character, test::bent(model, 90));
  for (const Lean& lean : {leans.normals, leans.tangents}) {
    EXPECT_LT(lean.mean, 1.0);
    EXPECT_LT(lean.p99, 5.0);
  }
}

// The normals of the limb with so many quads along it, bent at the joint of this name.
std::vector<glm::vec3> bent_normals(std::uint32_t along, Exact exact, const char* name = "plain") {
  Model model = make_limb({.around = 32, .along = along});
  model.skeleton.joints[1].name = name;
  const auto parameters = with<SurfaceFfdParameters>([&](auto& p) { p.exact_normals = exact; });
  return test::posed_normals(test::bound(model, test::rig_of(parameters)).character, test::bent(model, 90), "limb");
}

TEST(CoarseSkins, HaveNormalsOfTheirFramesOnly) {
  EXPECT_EQ(bent_normals(8, Exact::kAuto), bent_normals(8, Exact::kNone));
  EXPECT_NE(bent_normals(8, Exact::kAuto), bent_normals(8, Exact::kAll));
  EXPECT_EQ(bent_normals(64, Exact::kAuto), bent_normals(64, Exact::kAll));
}

TEST(LimbJoints, HaveNormalsOfTheirFramesOnly) {
  constexpr float kNear = 0.998f;  // cosine of 3 degrees: gradients fade out from 0 to 0.1, of which a bend shows 0.04
  for (const char* name :
       {"left_thigh", "left_shin", "left_toes", "right_upper_arm", "right_forearm", "left_index", "spine"}) {
    const std::vector<glm::vec3> of_frames = bent_normals(64, Exact::kNone, name);
    const std::vector<glm::vec3> normals = bent_normals(64, Exact::kAuto, name);
    float least = 1;
    for (std::size_t v = 0; v < normals.size(); ++v) least = std::min(least, glm::dot(normals[v], of_frames[v]));
    EXPECT_EQ(least > kNear, std::string_view(name) != "spine") << name << ": " << least;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExactNormalsOf, testing::ValuesIn(configurations()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pelt
