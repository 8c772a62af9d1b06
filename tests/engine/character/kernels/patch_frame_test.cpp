// SPDX-License-Identifier: MIT
// Drivers that are B-spline patches: samples with a frame, or tessellated to a cage.
#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <map>

#include <pelt/finite.h>
#include <pelt/surface_ffd.h>

#include "shaders/driver/patch_frame/pose.h"
#include "tests/support/driven.h"

namespace pelt {
namespace {

using test::by_matrix;
using test::worst_distance;
using testing::HasSubstr;

constexpr float kTolerance = 5e-5f;  // for tubes of length 8

// A sheet of control vertices over the tube, at y = `height` and above.
PatchParameters sheet(float height, std::array<std::uint32_t, 2> shape = {6, 5}) {
  PatchParameters patch;
  patch.shape = shape;
  for (std::uint32_t i = 0; i < shape[0]; ++i) {
    for (std::uint32_t j = 0; j < shape[1]; ++j) {
      const float u = static_cast<float>(i) / static_cast<float>(shape[0] - 1);
      const float v = static_cast<float>(j) / static_cast<float>(shape[1] - 1);
      patch.control.emplace_back(12 * u - 2, height + std::sin(3 * u) * v, 6 * v - 3);
    }
  }
  return patch;
}

// A patch that is clamped at both ends, and rational.
PatchParameters nurbs() {
  PatchParameters patch = sheet(1.5f, {5, 4});
  patch.degree = {2, 3};
  patch.knots_u = {0, 0, 0, 1, 2.5f, 3, 3, 3};
  patch.knots_v = {0, 0, 0, 0, 1, 1, 1, 1};
  for (std::size_t i = 0; i < patch.control.size(); ++i) patch.weights.push_back(i % 3 == 0 ? 3.0f : 0.5f);
  return patch;
}

SurfaceFfdParameters by_patches(std::vector<PatchParameters> patches) {
  SurfaceFfdParameters parameters;
  parameters.driver.patches = std::move(patches);
  return parameters;
}

struct Patches {
  const char* name;
  std::vector<PatchParameters> patches;
  const char* driver;
};

void PrintTo(const Patches& patches, std::ostream* out) { *out << patches.name; }

// Returns the error of binding the tube by these parameters.
std::string error_of(const SurfaceFfdParameters& parameters) {
  return test::bind_error(test::make_tube(), test::rig_of(parameters));
}

class PatchFrames : public testing::TestWithParam<Patches> {
 protected:
  Character streamed(const std::vector<PatchParameters>& patches, std::uint32_t tessellation = 0) const {
    SurfaceFfdParameters parameters = by_patches(patches);
    parameters.driver.follow = Follow::kStreamed;
    parameters.driver.tessellation = tessellation;
    return test::bound(model_, test::rig_of(parameters)).character;
  }
  std::vector<glm::vec3> skin_after(const Character& character, const std::function<glm::vec3(glm::vec3)>& move) const {
    Evaluator evaluator(character);
    evaluator.stream(0, test::moved_points(character, GetParam().driver, move));
    evaluator.evaluate();
    return test::positions_of(evaluator, character, "tube");
  }

  Model model_ = test::make_tube();
};

// The tangents follow an affine map, the third axis keeps unit length: within the patch's plane the result is exact.
TEST_P(PatchFrames, ImpartAnAffineMapInTheirTangents) {
  std::vector<PatchParameters> flat = GetParam().patches;
  for (PatchParameters& patch : flat) {
    for (glm::vec3& control : patch.control) control.y = 1.5f;
  }
  const Character character = streamed(flat);
  glm::mat4 affine = glm::translate(glm::mat4(1), glm::vec3(1, 0, 2));
  affine[0] = glm::vec4(1.5f, 0, 0.4f, 0);
  affine[2] = glm::vec4(-0.3f, 0, 0.7f, 0);
  EXPECT_LT(worst_distance(model_.meshes[0].positions, skin_after(character, by_matrix(affine)), by_matrix(affine)),
            kTolerance);
}

bool has_pass(const Character& character, PoseKernel kernel) {
  return std::ranges::find(character->passes, kernel, &PalettePass::kernel) != character->passes.end();
}

TEST_P(PatchFrames, TessellatedAreACage) {
  EXPECT_TRUE(has_pass(streamed(GetParam().patches), PoseKernel::kPatchFrame));
  const Character character = streamed(GetParam().patches, 3);
  EXPECT_EQ(character->find_stream(GetParam().driver), 0u);
  EXPECT_TRUE(has_pass(character, PoseKernel::kVertexFrame));
  const auto rigid = by_matrix(test::rigid_motion());
  EXPECT_LT(worst_distance(model_.meshes[0].positions, skin_after(character, rigid), rigid), kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Patches, PatchFrames,
                         testing::Values(Patches{"OneSegment", {sheet(1.5f, {4, 4})}, "patch"},
                                         Patches{"Cubic", {sheet(1.5f)}, "patch"},
                                         Patches{"Rational", {nurbs()}, "patch"},
                                         Patches{"Several", {sheet(1.5f), nurbs(), sheet(-2.0f, {4, 7})}, "patches"}),
                         testing::PrintToStringParamName());

// A pipe of control vertices round the tube; its last row equals its first, but coincident control vertices stay
// separate.
PatchParameters pipe() {
  PatchParameters patch;
  patch.shape = {5, 9};
  patch.degree = {3, 1};
  for (std::uint32_t i = 0; i < 5; ++i) {
    for (std::uint32_t j = 0; j < 9; ++j) {
      const float angle = glm::two_pi<float>() * static_cast<float>(j % 8) / 8;
      patch.control.emplace_back(4 * static_cast<float>(i) - 4, 1.5f * std::cos(angle), 1.5f * std::sin(angle));
    }
  }
  return patch;
}

TEST(TessellatedPatches, AreWeldedToAClosedCage) {
  SurfaceFfdParameters parameters = by_patches({pipe()});
  parameters.driver.tessellation = 2;
  const Model model = test::make_tube();
  const auto borders = [&] {
    const Character character = test::bound(model, test::rig_of(parameters)).character;
    const CharacterMesh& cage = test::mesh_of(character, "patch");
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> uses;
    for (const glm::uvec3 t : cage.triangles) {
      for (int corner = 0; corner < 3; ++corner) ++uses[std::minmax(t[corner], t[(corner + 1) % 3])];
    }
    return std::count_if(uses.begin(), uses.end(), [](const auto& edge) { return edge.second == 1; });
  };
  const auto open = borders();
  parameters.driver.weld = 1e-4f;
  EXPECT_EQ(borders(), open - 2 * 2 * 2) << "the seam of two segments of two quads is closed, the ends are open";

  // Both sides of the seam are neighbours of one element: skin on it moves without a crack.
  const Character character = test::bound(model, test::rig_of(parameters)).character;
  for (const glm::vec3 position : test::posed(character, test::bent(model, 57), "tube")) {
    ASSERT_TRUE(is_finite(position));
  }
}

TEST(PatchDrivers, AreNotWeldedOrRefinedUnlessTessellated) {
  SurfaceFfdParameters parameters = by_patches({pipe()});
  parameters.driver.weld = 1e-4f;
  EXPECT_THAT(error_of(parameters),
              HasSubstr("layer 0 (surface-ffd): a patch must be tessellated to be welded or refined"));
  parameters.driver.weld = 0;
  parameters.driver.refine.push_back({});
  EXPECT_THAT(error_of(parameters), HasSubstr("must be tessellated to be welded or refined"));
}

TEST(PatchDrivers, WithoutFramesAreRefused) {
  PatchParameters point = sheet(1);
  for (glm::vec3& control : point.control) control = {1, 1, 1};
  EXPECT_THAT(error_of(by_patches({point})),
              HasSubstr("layer 0 (surface-ffd): the driver 'patch' has no sample with two tangents"));
  PatchParameters line = sheet(1);
  for (glm::vec3& control : line.control) control = {control.x, 0, 0};
  EXPECT_THAT(error_of(by_patches({line})), HasSubstr("no sample with two tangents"));
  SurfaceFfdParameters tessellated = by_patches({line});
  tessellated.driver.tessellation = 2;
  EXPECT_THAT(error_of(tessellated), HasSubstr("has no triangle"));
}

// One row of control vertices is a single point: only the samples there lack a second tangent.
TEST(PatchDrivers, WithAPoleLeaveItOut) {
  PatchParameters cone = sheet(1.5f);
  cone.knots_u = {0, 0, 0, 0, 1, 2, 3, 3, 3, 3};
  for (std::uint32_t j = 0; j < cone.shape[1]; ++j) cone.control[j] = {-2, 1.5f, 0};
  const Bound result = test::bound(test::make_tube(), test::rig_of(by_patches({cone})));
  EXPECT_THAT(result.report.notes,
              testing::Contains(HasSubstr("3 of the 12 samples of the driver 'patch' have no frame")));
}

// The tests of patches cover their errors.
TEST(PatchDrivers, ErrorsNameThePatch) {
  const auto error = [](const auto& change) {
    PatchParameters broken = sheet(1.5f);
    change(broken);
    return error_of(by_patches({sheet(1.5f), broken}));
  };
  const std::string place = "layer 0 (surface-ffd): patch 1 of the driver";
  EXPECT_THAT(error([](PatchParameters& p) { p.control.pop_back(); }), testing::StartsWith(place));
  EXPECT_THAT(error([](PatchParameters& p) { p.shape = {0xFFFFFFFFu, 0xFFFFFFFFu}; }), testing::StartsWith(place));
  EXPECT_THAT(error([](PatchParameters& p) { p.control[3].x = NAN; }),
              testing::StartsWith("layer 0 (surface-ffd): /driver/patches/1/control"));
}

}  // namespace
}  // namespace pelt
