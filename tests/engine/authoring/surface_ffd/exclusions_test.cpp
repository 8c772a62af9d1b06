// SPDX-License-Identifier: MIT
// Checks which elements move which vertices: compares rows with a walk over all elements, and reads the report.

#include <set>

#include "tests/engine/authoring/surface_ffd/ffd_rows.h"

namespace pelt {
namespace {

using testing::HasSubstr;

// Returns groups of cage and tube: "high" is x >= 4, "low" is x <= 4.
std::vector<Group> halves() {
  const Region high{.box = Box{{4, -9, -9}, {99, 9, 9}, 0}};
  const Region low{.box = Box{{-99, -9, -9}, {4, 9, 9}, 0}};
  return {{.name = "high", .region = high}, {.name = "low", .region = low}, {.name = "all"}};
}

bool is_high_element(const Binding& binding, std::uint32_t k) {
  const glm::uvec3 t = binding.elements().triangles()[k];
  const auto x = [&](int corner) { return binding.driver().mesh.positions[t[corner]].x; };
  return std::min({x(0), x(1), x(2)}) >= 4;
}

TEST(Exclusion, KeepsElementsOffVerticesAndFades) {
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.exclude = {{"high", "low"}};
  for (const std::uint32_t fade : {0u, 4u}) {
    parameters.fade = fade;
    const Binding binding(fine_tube(), parameters, halves());
    const SparseRows rows = binding.rows(false);
    const float ring = 8.0f / 96;
    std::size_t excluded = 0;
    std::size_t mixed = 0;
    for (std::uint32_t v = 0; v < rows.row_count(); ++v) {
      const float x = binding.mesh().positions[v].x;
      double high = 0;
      for (const Influence& i : rows.row(v)) high += is_high_element(binding, i.index) ? i.weight : 0.0f;
      if (x <= 4 - static_cast<float>(fade) * ring - 1e-4f || (fade == 0 && x <= 4)) {
        ASSERT_EQ(high, 0) << "fade " << fade << ", x " << x;
        ++excluded;
      } else if (x < 5) {
        mixed += high > 0 ? 1 : 0;
      }
    }
    EXPECT_GT(excluded, 100u);
    EXPECT_GT(mixed, 100u);
  }
}

TEST(Exclusion, FadesWithoutJumps) {
  SurfaceFfdParameters parameters = test::by_cage();
  const auto jump = [&](std::uint32_t fade) {
    parameters.fade = fade;
    const Binding binding(fine_tube(), parameters, halves());
    return largest_jump(binding.mesh(), binding.rows(true));
  };
  const double without = jump(0);
  parameters.exclude = {{"high", "low"}};
  const double switched = jump(0);
  const double four = jump(4);
  const double sixteen = jump(16);
  // These are jumps beyond those of neighbours without exclusions.
  EXPECT_GT(switched - without, 0.2);
  EXPECT_LT(four - without, 0.4 * (switched - without));
  EXPECT_LT(sixteen - without, 0.2 * (switched - without));
}

TEST(Exclusion, MayBeExclusive) {
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.exclusive = {{"high", "high"}};
  parameters.fade = 0;
  const Binding binding(fine_tube(), parameters, halves());
  const SparseRows rows = binding.rows(false);
  for (std::uint32_t v = 0; v < rows.row_count(); ++v) {
    for (const Influence& i : rows.row(v)) {
      ASSERT_EQ(is_high_element(binding, i.index), binding.mesh().positions[v].x >= 4) << v;
    }
  }
}

TEST(Exclusion, LeavesTheRowsOfAWalkOverAllElements) {
  SurfaceFfdParameters none = test::by_cage();
  none.elements = 8;
  SurfaceFfdParameters exclude = none, exclusive = none, hops = none;
  exclude.exclude = {{"high", "low"}};
  exclusive.exclusive = {{"high", "high"}};
  hops.max_hops = 0;
  SurfaceFfdParameters strong = none;
  strong.strengths = {{"high", "low", 200}, {"low", "", 0.25f}};
  SurfaceFfdParameters hard = exclude, uncut = exclude, both_ways = exclude, hops_too = exclude;
  hard.cut = Cut::kHard;
  uncut.elements = 0;
  both_ways.exclude.push_back({"low", "high"});
  both_ways.fade = 9;
  hops_too.max_hops = 0;
  hops_too.fade = 2;
  hops_too.local = 1;
  for (const auto& [name, parameters] : {std::pair("none", none),
                                         {"exclude", exclude},
                                         {"hard cut", hard},
                                         {"uncut", uncut},
                                         {"both ways", both_ways},
                                         {"exclusive", exclusive},
                                         {"strengths", strong},
                                         {"hops", hops},
                                         {"hops and exclude", hops_too}}) {
    SCOPED_TRACE(name);
    const Binding binding(fine_tube(), parameters, halves());
    for (const bool extended : {false, true}) {
      const SparseRows rows = binding.rows(extended);
      for (std::uint32_t v = 0; v < rows.row_count(); v += 7) {
        std::map<std::uint32_t, double> expected = binding.walked(v, extended);
        for (const Influence& i : rows.row(v)) expected[i.index] -= i.weight;
        for (const auto& [index, left] : expected) ASSERT_NEAR(left, 0, 1e-5) << "vertex " << v << ", index " << index;
      }
    }
  }
}

// Singh & Kokkevis 2000, section 5: u_k is in proportion to f_k / (1 + d_k^local).
TEST(Strengths, MultiplyTheWeightsOfElements) {
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.elements = 0;
  parameters.fade = 0;
  parameters.strengths = {{"high", "", 7}, {"high", "low", 0.5f}};
  const Binding binding(fine_tube(), parameters, halves());
  const SparseRows rows = binding.rows(false);
  for (std::uint32_t v = 0; v < rows.row_count(); v += 41) {
    const glm::vec3 at = binding.mesh().positions[v];
    std::vector<surface_ffd::Elements::Near> all;
    binding.elements().nearest(glm::dvec3(at), binding.elements().count(), all);
    std::map<std::uint32_t, double> weights;
    double sum = 0;
    for (const auto& [k, closest] : all) {
      const double factor = is_high_element(binding, k) ? at.x <= 4 ? 3.5 : 7 : 1;
      const double d = std::sqrt(closest.squared_distance) / binding.elements().mean_spacing();
      sum += weights[k] = factor / (1 + std::pow(d, double{parameters.local}));
    }
    for (const Influence& i : rows.row(v)) ASSERT_NEAR(i.weight, weights[i.index] / sum, 2e-5) << v;
  }
}

TEST(ExclusionErrors, NameTheVertexThatMayFollowNothing) {
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.exclude = {{"all", "few"}};
  parameters.fade = 0;
  Rig rig = test::rig_of(parameters, "tube");
  rig.groups = halves();
  rig.groups.push_back({.name = "few", .vertices = {{5, 6}, {9, 9}}});
  EXPECT_EQ(
      test::bind_error(test::make_tube_in_cage(), rig),
      "layer 0 (surface-ffd): vertex 5 of mesh 'tube' may follow no element of the driver: the groups exclude all "
      "of them");
  // Hops are relaxed, groups are not.
  rig.layers[0].deformer.get<SurfaceFfdParameters>().max_hops = 1;
  EXPECT_THAT(test::bind_error(test::make_tube_in_cage(), rig), HasSubstr("vertex 5 of mesh 'tube' may follow no"));
}

TEST(ExclusionErrors, NameWhatIsNotThere) {
  SurfaceFfdParameters parameters = test::by_cage();
  Rig rig;
  rig.groups = halves();
  const auto error = [&](const Model& model = test::make_tube_in_cage()) {
    rig.layers = {{"tube", parameters, {}, {}}};
    return test::bind_error(model, rig);
  };
  parameters.exclude = {{"hihg", "low"}};
  EXPECT_EQ(error(), "layer 0 (surface-ffd): exclude: there is no group 'hihg'; did you mean 'high'?");
  parameters.exclude = {{"high", "lo"}};
  EXPECT_EQ(error(), "layer 0 (surface-ffd): exclude: there is no group 'lo'; did you mean 'low'?");
  parameters.exclude = {};
  parameters.exclusive = {{"high", "lo"}};
  EXPECT_THAT(error(), testing::StartsWith("layer 0 (surface-ffd): exclusive: there is no group 'lo'"));
  rig.groups.push_back({.name = "elsewhere", .mesh = "tube"});
  parameters.exclusive = {{"elsewhere", "low"}};
  EXPECT_THAT(error(), HasSubstr("exclusive uses the group 'elsewhere' of mesh 'tube' on mesh 'cage'"));
  parameters.exclusive = {};

  parameters.max_hops = 1;
  Model bare = test::make_tube_in_cage();
  bare.meshes[0].weights = {};
  EXPECT_EQ(error(bare), "layer 0 (surface-ffd): max_hops needs weights, and 'tube' has none");
  parameters.driver.follow = Follow::kStreamed;
  bare = test::make_tube_in_cage();
  bare.meshes[1].weights = {};
  EXPECT_EQ(error(bare), "layer 0 (surface-ffd): max_hops needs weights, and 'cage' has none");

  PatchParameters patch;
  for (int i = 0; i < 16; ++i) patch.control.emplace_back(4 * (i / 4) - 2, 1.5f, 2 * (i % 4) - 3);
  parameters.driver = {};
  parameters.driver.patches = {patch};
  EXPECT_EQ(error(), "layer 0 (surface-ffd): max_hops needs bones, and samples of a patch have none");
  parameters.max_hops = {};
  parameters.exclude = {{"high", "low"}};
  EXPECT_EQ(error(), "layer 0 (surface-ffd): groups cannot contain the samples of a patch");
}

// Groups mean triangles of the source, however the driver is refined.
TEST(Exclusion, OfListedTrianglesHoldsForTheirParts) {
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.exclude = {{"some", "all"}};
  parameters.driver.refine = {{{}, 1}};
  const Binding binding(fine_tube(), parameters, {{.name = "some", .triangles = {{0, 19}}}, {.name = "all"}});
  EXPECT_EQ(binding.elements().count(), 4 * 192u);
  std::set<std::uint32_t> used;
  const SparseRows rows = binding.rows(false);
  for (const Influence& i : rows.influences) used.insert(binding.elements().source_triangle(i.index));
  EXPECT_EQ(*used.begin(), 20u);
}

}  // namespace
}  // namespace pelt
