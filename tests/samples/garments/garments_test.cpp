// SPDX-License-Identifier: MIT
// Runs the recipes of docs/garments.md as a user does, and checks the figures that stand there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include <pelt/import.h>
#include <pelt/tools/mesh_parts.h>

#include "samples/garments/wrap.h"
#include "tests/support/program.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

using samples::kMotions;
using samples::Motion;
using samples::WrapError;

// Returns the output of a program; the test fails if the program does.
std::string output_of(const char* program, const std::string& arguments, const test::TemporaryFolder& folder) {
  const test::Outcome outcome = test::run_program(program, arguments, folder.path());
  EXPECT_EQ(outcome.status, 0) << program << " " << arguments << ": " << outcome.errors;
  return outcome.output;
}

// Returns the numbers in the groups of an expression, for all its matches.
std::vector<double> numbers(const std::string& text, const std::string& expression) {
  std::vector<double> found;
  const std::regex regex(expression);
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) {
    for (std::size_t group = 1; group < match->size(); ++group) found.push_back(std::stod(match->str(group)));
  }
  return found;
}

std::string character(const std::string& name) {
  return (*test::shared_folder() / "assets" / "characters" / name).string();
}

// Counts the closed rings that the borders of a mesh form; -1 if a border vertex is on more or less than one ring.
int border_rings(const Mesh& mesh) {
  std::vector<std::vector<std::uint32_t>> next(mesh.positions.size());
  for (const BorderEdge& edge : border_edges(mesh.triangles)) {
    const glm::uvec3 t = mesh.triangles[edge.triangle];
    next[t[edge.corner]].push_back(t[(edge.corner + 1) % 3]);
  }
  std::set<std::uint32_t> seen;
  int rings = 0;
  for (std::uint32_t v = 0; v < next.size(); ++v) {
    if (next[v].empty() || seen.contains(v)) continue;
    ++rings;
    for (std::uint32_t at = v; seen.insert(at).second; at = next[at][0]) {
      if (next[at].size() != 1) return -1;
    }
  }
  return rings;
}

TEST(Shirt, IsOneClothWithFourOpeningsAndNoVertexOfTheBody) {
  const test::TemporaryFolder folder;
  output_of(PELT_GARMENTS, "shirt builtin:biped -o shirt.obj", folder);
  const Result<Model> shirt = import_model((folder / "shirt.obj").string());
  ASSERT_TRUE(shirt);
  const Mesh& cloth = shirt->meshes.at(0);
  EXPECT_EQ(border_rings(cloth), 4);  // neck, sleeves, hem
  const std::vector<std::uint32_t> parts = connected_parts(cloth.positions.size(), cloth.triangles);
  EXPECT_EQ(std::set<std::uint32_t>(parts.begin(), parts.end()).size(), 1u);

  const Result<Model> body = import_model("builtin:biped");
  ASSERT_TRUE(body);
  EXPECT_NE(cloth.positions.size(), body->meshes[0].positions.size());
  const auto before = [](const glm::vec3& a, const glm::vec3& b) {
    return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z);
  };
  const std::set<glm::vec3, decltype(before)> skin(body->meshes[0].positions.begin(), body->meshes[0].positions.end(),
                                                   before);
  for (const glm::vec3& p : cloth.positions) ASSERT_FALSE(skin.contains(p));
}

TEST(Shirt, NeedsJointsThatItKnows) {
  const test::TemporaryFolder folder;
  const test::Outcome outcome = test::run_program(PELT_GARMENTS, "shirt builtin:limb", folder.path());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, testing::HasSubstr("neck"));
}

constexpr double kMaxPoke = 0.2;  // percent of the size

// Follows the recipe and limits how far the body pokes through in each clip, in percent of its size.
void expect_covered(const std::string& body, const std::vector<std::string>& clips) {
  const test::TemporaryFolder folder;
  output_of(PELT_GARMENTS, "shirt '" + body + "' -o shirt.obj", folder);
  output_of(PELT_PROGRAM, "bind shirt.obj --weights-of '" + body + "' -o shirt.pelt", folder);
  output_of(PELT_PROGRAM, "bind '" + body + "' -o body.pelt", folder);
  std::string arguments = "poke shirt.pelt body.pelt --frames 7";
  for (const std::string& clip : clips) arguments += " --clip " + clip;
  const std::string output = output_of(PELT_GARMENTS, arguments, folder);
  const std::vector<double> points = numbers(output, "^(\\d+) points");
  ASSERT_EQ(points.size(), 1u) << output;
  EXPECT_GT(points[0], 500);
  const std::vector<double> deepest = numbers(output, "through by ([0-9.]+)% of the size");
  ASSERT_EQ(deepest.size(), clips.size()) << output;
  for (const double share : deepest) EXPECT_LE(share, kMaxPoke) << output;
}

TEST(Shirt, CoversTheBiped) { expect_covered("builtin:biped", {"walk", "reach"}); }

TEST(Shirt, CoversMannequiny) {
  PELT_REQUIRE_SHARED();
  expect_covered(character("mannequiny-0.3.0.glb"), {"run", "fight_kick"});
}

TEST(Shirt, CoversLuke) {
  PELT_REQUIRE_SHARED();
  expect_covered(character("luke/luke_animated.gltf"), {"applause", "cheer"});
}

// The measure must find uncovered skin: a shirt on a body that another deformer draws.
TEST(Poke, IsFoundWhereTheBodyIsDrawnOtherwise) {
  const test::TemporaryFolder folder;
  output_of(PELT_GARMENTS, "shirt builtin:biped -o shirt.obj", folder);
  output_of(PELT_PROGRAM, "bind shirt.obj --driver builtin:biped --deformer linear-blend -o shirt.pelt", folder);
  output_of(PELT_PROGRAM, "bind builtin:biped --deformer dual-quaternion -o body.pelt", folder);
  const std::string output = output_of(PELT_GARMENTS, "poke shirt.pelt body.pelt --frames 5 --clip flex", folder);
  const std::vector<double> deepest = numbers(output, "through by ([0-9.]+)% of the size");
  ASSERT_EQ(deepest.size(), 1u) << output;
  EXPECT_GT(deepest[0], kMaxPoke);
}

// Root mean square and worst of Blender 3.4.1's Surface Deform on the same cage and skin, percent of the size;
// measured with samples/garments/surface_deform.py (docs/garments.md).
struct Measured {
  double rms, worst;
};
constexpr Measured kBlender[] = {{0.544, 1.470}, {0.447, 1.045}};

TEST(Cage, CarriesASkinMoreCloselyThanBlenderDoes) {
  PELT_REQUIRE_SHARED();
  const test::TemporaryFolder folder;
  const std::string output = output_of(
      PELT_GARMENTS,
      "wrap '" + character("mannequiny-0.3.0.glb") + "' '" PELT_SOURCE "/samples/garments/mannequiny_cage.obj'",
      folder);
  for (std::size_t m = 0; m < kMotions.size(); ++m) {
    const std::vector<double> found =
        numbers(output, std::string("surface FFD +") + kMotions[m].name + " +([0-9.]+)% ([0-9.]+)%");
    ASSERT_EQ(found.size(), 2u) << output;
    EXPECT_LT(found[0], kBlender[m].rms) << output;
    EXPECT_LT(found[1], kBlender[m].worst) << output;
  }
}

TEST(Cage, BindsByItsRecipe) {
  PELT_REQUIRE_SHARED();
  const test::TemporaryFolder folder;
  const std::string output =
      output_of(PELT_PROGRAM,
                "bind '" + character("mannequiny-0.3.0.glb") +
                    "' --rig '" PELT_SOURCE "/samples/garments/mannequiny_cage.json' -o caged.pelt",
                folder);
  EXPECT_THAT(output, testing::HasSubstr("mannequiny_cage"));
}

TEST(Cage, ErrorsAreOfWhatIsNotWhereTheMotionTakesIt) {
  const std::vector<glm::vec3> rest = {{0, 0, 0}, {0, 0.65f, 0}, {0, 1, 0}};
  const std::vector<glm::vec3> found = {{0, 0, 0.5f}, {0, 0.65f, 0.1f}, {0, 1, 0}};
  const WrapError error = samples::wrap_error(rest, rest, found, kMotions[0]);
  EXPECT_NEAR(error.worst, 0.5, 1e-6);
  EXPECT_NEAR(error.rms, 0.1, 1e-6);  // over the vertices between the ends
}

TEST(Drape, LiesOnTheCylinder) {
  const test::TemporaryFolder folder;
  output_of(PELT_GARMENTS, "drape -o .", folder);
  output_of(PELT_PROGRAM, "bind cloth.obj --rig cloth.json -o cloth.pelt", folder);
  output_of(PELT_PROGRAM, "deform cloth.pelt --cache cage.pc2 --frames 0:48 --fps 24 --backend cpu -o cloth.pc2",
            folder);
  const std::string output = output_of(PELT_GARMENTS, "drape --result cloth.pc2", folder);
  const std::vector<double> off =
      numbers(output, "off the cylinder by ([0-9.]+) radii \\(root mean square\\), ([0-9.]+) at most; (\\d+) vertices");
  ASSERT_EQ(off.size(), 3u) << output;
  EXPECT_LT(off[0], 0.01);
  EXPECT_LT(off[1], 0.02);
  EXPECT_GT(off[2], 3000) << "of 8833";
}

TEST(Drape, RefusesTheResultOfSomethingElse) {
  const test::TemporaryFolder folder;
  output_of(PELT_GARMENTS, "drape -o .", folder);
  const test::Outcome outcome = test::run_program(PELT_GARMENTS, "drape --result cage.pc2", folder.path());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, testing::HasSubstr("cage.pc2"));
}

}  // namespace
}  // namespace pelt
