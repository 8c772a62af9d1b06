// SPDX-License-Identifier: MIT
// Checks which elements move which vertices: compares rows with a walk over all elements, and reads the report.
#include "engine/surface_ffd/exclusions.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <map>
#include <optional>
#include <set>

#include <pelt/builtin.h>
#include <pelt/linear_blend.h>
#include <pelt/pose.h>
#include <pelt/selection.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/mesh_parts.h>

#include "engine/surface_ffd/rows.h"
#include "tests/support/driven.h"

namespace pelt {
namespace {

using surface_ffd::Elements;
using surface_ffd::Exclusions;
using surface_ffd::RowSettings;
using testing::HasSubstr;

// Does everything up to the rows of mesh 0, as surface_ffd::bind does.
class Binding {
 public:
  Binding(const Model& model, const SurfaceFfdParameters& parameters, const std::vector<Group>& groups = {})
      : model_(model), parameters_(parameters), builder_(model_, true), mask_(mesh().positions.size(), 1.0f) {
    rig_.groups = groups;
    driver_ = *surface_ffd::add_driver(parameters.driver, input_);
    elements_.emplace(*Elements::create(driver_));
    Result<Exclusions> exclusions = Exclusions::create(parameters, driver_, *elements_, input_.targets[0], input_);
    EXPECT_TRUE(exclusions) << exclusions.error().message;
    exclusions_.emplace(std::move(*exclusions));
  }

  const Mesh& mesh() const { return model_.meshes[0]; }
  const surface_ffd::Driver& driver() const { return driver_; }
  const Elements& elements() const { return *elements_; }
  const Exclusions& exclusions() const { return *exclusions_; }

  Result<MeshBinding> make(bool extended) const {
    return surface_ffd::make_rows(mesh(), mask_, settings(extended), *exclusions_, 0, [](double) {});
  }
  // Returns the rows; indices are elements, or vertices of the driver.
  SparseRows rows(bool extended) const {
    const Result<MeshBinding> binding = make(extended);
    EXPECT_TRUE(binding) << binding.error().message;
    return binding ? binding->rows : SparseRows{};
  }

  // Returns the row of a vertex by a walk over all elements, in the order of the formula.
  std::map<std::uint32_t, double> walked(std::uint32_t vertex, bool extended, bool with_hops = true) const {
    std::vector<Elements::Near> all;
    elements_->nearest(glm::dvec3(mesh().positions[vertex]), elements_->count(), all);
    std::vector<WeightedElement> weights;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      const double distance = std::sqrt(all[i].closest.squared_distance);
      const double w = 1 / (1 + std::pow(distance / elements_->mean_spacing(), double{parameters_.local}));
      const double allowed = w * exclusions_->allowance(vertex, all[i].triangle, with_hops);
      if (allowed > 0) weights.push_back({i, allowed});
    }
    cut_row(weights, kept_elements(), parameters_.cut);
    std::map<std::uint32_t, double> row;
    for (const auto& [i, u, gradient] : weights) {
      if (!extended) row[all[i].triangle] += u;
      for (int c = 0; extended && c < 3; ++c) row[all[i].closest.vertices[c]] += u * all[i].closest.weights[c];
    }
    return row;
  }

 private:
  std::size_t kept_elements() const { return parameters_.elements.value_or(24); }

  RowSettings settings(bool extended) const {
    return {.elements = *elements_,
            .kept_elements = kept_elements(),
            .cut = parameters_.cut,
            .unit = elements_->mean_spacing(),
            .unit_scale = 1,
            .local = parameters_.local,
            .extended = extended,
            .kept_influences = 0,
            .precision = Precision::kNone,
            .likeness = 0,
            .first_slot = 0,
            .driver = driver_.mesh,
            .painting = driver_.painting,
            .joints = {}};
  }

  Model model_;
  SurfaceFfdParameters parameters_;
  Rig rig_;
  CharacterBuilder builder_;
  std::vector<float> mask_;
  std::vector<DeformerTarget> targets_{{0, mask_}};
  std::string layer_ = "layer 1";
  SharedDrivers drivers_;
  std::vector<std::string> notes_;
  std::vector<PointReport> points_;
  std::function<void(double)> progress_ = [](double) {};
  DeformerInput input_{model_, targets_, layer_, rig_, 0, builder_, drivers_, notes_, points_, progress_};
  surface_ffd::Driver driver_;
  std::optional<Elements> elements_;
  std::optional<Exclusions> exclusions_;
};

// Returns the sum over elements of the weights that one row has and the other has not.
double difference_of_rows(std::span<const Influence> a, std::span<const Influence> b) {
  std::map<std::uint32_t, double> sums;
  for (const Influence& i : a) sums[i.index] += i.weight;
  for (const Influence& i : b) sums[i.index] -= i.weight;
  double sum = 0;
  for (const auto& [index, weight] : sums) sum += std::abs(weight);
  return sum;
}

// Returns the largest difference between the rows of two vertices with an edge.
double largest_jump(const Mesh& mesh, const SparseRows& rows) {
  double largest = 0;
  for (const glm::uvec3 t : mesh.triangles) {
    for (int corner = 0; corner < 3; ++corner) {
      largest = std::max(largest, difference_of_rows(rows.row(t[corner]), rows.row(t[(corner + 1) % 3])));
    }
  }
  return largest;
}

// Returns groups of cage and tube: "high" is x >= 4, "low" is x <= 4.
std::vector<Group> halves() {
  const Region high{.box = Box{{4, -9, -9}, {99, 9, 9}, 0}};
  const Region low{.box = Box{{-99, -9, -9}, {4, 9, 9}, 0}};
  return {{.name = "high", .region = high}, {.name = "low", .region = low}, {.name = "all"}};
}

Model fine_tube() {
  return test::make_tube_in_cage({.around = 24, .along = 96}, {.around = 8, .along = 12, .radius = 1.2f});
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

struct Setting {
  const char* name;
  void (*change)(SurfaceFfdParameters&);
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

class ExclusionRows : public testing::TestWithParam<Setting> {};

TEST_P(ExclusionRows, AreThoseOfAWalkOverAllElements) {
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.elements = 8;
  GetParam().change(parameters);
  Model model = fine_tube();
  const Binding binding(model, parameters, halves());
  for (const bool extended : {false, true}) {
    const SparseRows rows = binding.rows(extended);
    for (std::uint32_t v = 0; v < rows.row_count(); v += 7) {
      std::map<std::uint32_t, double> expected = binding.walked(v, extended);
      for (const Influence& i : rows.row(v)) expected[i.index] -= i.weight;
      for (const auto& [index, left] : expected) ASSERT_NEAR(left, 0, 1e-5) << "vertex " << v << ", index " << index;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, ExclusionRows,
                         testing::Values(Setting{"None", [](SurfaceFfdParameters&) {}},
                                         Setting{"Exclude",
                                                 [](SurfaceFfdParameters& p) {
                                                   p.exclude = {{"high", "low"}};
                                                 }},
                                         Setting{"ExcludeHardCut",
                                                 [](SurfaceFfdParameters& p) {
                                                   p.exclude = {{"high", "low"}};
                                                   p.cut = Cut::kHard;
                                                 }},
                                         Setting{"ExcludeUncut",
                                                 [](SurfaceFfdParameters& p) {
                                                   p.exclude = {{"high", "low"}};
                                                   p.elements = 0;
                                                 }},
                                         Setting{"ExcludeBoth",
                                                 [](SurfaceFfdParameters& p) {
                                                   p.exclude = {{"high", "low"}, {"low", "high"}};
                                                   p.fade = 9;
                                                 }},
                                         Setting{"Exclusive",
                                                 [](SurfaceFfdParameters& p) {
                                                   p.exclusive = {{"high", "high"}};
                                                 }},
                                         Setting{"Hops", [](SurfaceFfdParameters& p) { p.max_hops = 0; }},
                                         Setting{"HopsAndExclude",
                                                 [](SurfaceFfdParameters& p) {
                                                   p.max_hops = 0;
                                                   p.exclude = {{"high", "low"}};
                                                   p.fade = 2;
                                                   p.local = 1;
                                                 }}),
                         [](const testing::TestParamInfo<Setting>& setting) { return setting.param.name; });

// ------------------------------------------------------------------------------------------------------------- hops

// Returns the biped with its legs together, bound in that pose.
Model legs_together() {
  Model model = make_biped();
  std::vector<Transform> local(model.skeleton.joints.size());
  rest_pose(model.skeleton, local);
  for (const char* side : {"left", "right"}) {
    const std::uint32_t thigh = *model.skeleton.find(std::string(side) + "_thigh");
    // Move each knee to a third of its distance from the middle.
    std::vector<glm::mat4> rest(local.size());
    rest_matrices(model.skeleton, rest);
    const glm::vec3 knee(rest[*model.skeleton.find(std::string(side) + "_shin")][3]);
    const glm::vec3 own(rest[thigh][3]);
    const glm::vec3 wanted(knee.x / 3, knee.y, knee.z);
    const glm::quat turn = glm::quat(glm::normalize(knee - own), glm::normalize(wanted - own));
    const auto above = static_cast<std::size_t>(model.skeleton.joints[thigh].parent);
    const glm::quat parent = glm::quat_cast(glm::mat3(rest[above]));
    local[thigh].rotation = glm::inverse(parent) * turn * parent * local[thigh].rotation;
  }
  std::vector<glm::mat4> posed(local.size());
  model_matrices(model.skeleton, local, posed);
  const Character linear = test::bound(model, test::rig_of(LinearBlendParameters{})).character;
  Evaluator evaluator(linear);
  evaluator.pose(posed);
  evaluator.evaluate();
  model.meshes[0].positions = test::positions_of(evaluator, linear, model.meshes[0].name);
  model.meshes[0].normals = vertex_normals(model.meshes[0].positions, model.meshes[0].triangles);
  for (std::size_t j = 0; j < local.size(); ++j) model.skeleton.joints[j].rest = local[j];
  for (BoundJoint& bound : model.bound_joints) bound.inverse_bind = glm::inverse(posed[bound.joint]);
  model.clips.clear();
  return model;
}

std::uint32_t strongest(const SparseRows& weights, std::initializer_list<std::uint32_t> vertices) {
  std::map<std::uint32_t, double> sums;
  for (const std::uint32_t v : vertices) {
    for (const Influence& i : weights.row(v)) sums[i.index] += i.weight;
  }
  return std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

TEST(Hops, KeepOneLegFromPullingTheOther) {
  const Model model = legs_together();
  const auto joint_name = [&](std::uint32_t bound) {
    return std::string_view(model.skeleton.joints[model.bound_joints[bound].joint].name);
  };
  const auto starts = [](std::string_view name, std::initializer_list<const char*> any) {
    return std::any_of(any.begin(), any.end(), [&](const char* start) { return name.starts_with(start); });
  };
  // Looks at vertices of the left thigh that are `fade` rings or more from all others.
  const auto pulled_by_the_right = [&](std::optional<std::uint32_t> hops, std::uint32_t fade) {
    SurfaceFfdParameters parameters;
    parameters.max_hops = hops;
    parameters.fade = fade;
    const Binding binding(model, parameters);
    const Mesh& mesh = binding.mesh();
    std::vector<bool> thigh(mesh.positions.size());
    for (std::uint32_t v = 0; v < thigh.size(); ++v) {
      thigh[v] = joint_name(strongest(mesh.weights, {v})) == "left_thigh";
    }
    const std::vector<std::uint32_t> welded = weld_by_position(mesh.positions);
    for (std::uint32_t ring = 0; ring < fade; ++ring) {
      std::vector<bool> next = thigh;
      for (const glm::uvec3 t : mesh.triangles) {
        const bool all = thigh[welded[t.x]] && thigh[welded[t.y]] && thigh[welded[t.z]];
        for (int corner = 0; corner < 3 && !all; ++corner) next[t[corner]] = next[welded[t[corner]]] = false;
      }
      thigh = next;
    }
    const SparseRows rows = binding.rows(false);
    std::size_t pulled = 0;
    std::size_t count = 0;
    for (std::uint32_t v = 0; v < rows.row_count(); ++v) {
      if (!thigh[v]) continue;
      ++count;
      pulled += std::any_of(rows.row(v).begin(), rows.row(v).end(), [&](const Influence& i) {
        const glm::uvec3 t = binding.elements().triangles()[i.index];
        const auto bone = joint_name(strongest(binding.driver().mesh.weights, {t.x, t.y, t.z}));
        return starts(bone, {"right_thigh", "right_shin", "right_foot"});
      });
    }
    EXPECT_GT(count, 300u);
    return pulled;
  };
  EXPECT_GT(pulled_by_the_right({}, 4), 100u) << "the legs are not together";
  EXPECT_EQ(pulled_by_the_right(1, 0), 0u);
  EXPECT_EQ(pulled_by_the_right(1, 4), 0u);
}

TEST(Hops, FadeWithoutJumps) {
  SurfaceFfdParameters parameters = test::by_cage();
  const auto jump = [&](std::uint32_t fade) {
    parameters.fade = fade;
    const Binding binding(fine_tube(), parameters);
    return largest_jump(binding.mesh(), binding.rows(true));
  };
  const double without = jump(0);
  parameters.max_hops = 0;
  const double switched = jump(0);
  EXPECT_GT(switched - without, 0.6);
  EXPECT_LT(jump(4) - without, 0.55 * (switched - without));
  EXPECT_LT(jump(16) - without, 0.25 * (switched - without));
}

TEST(Hops, OfAllTheSkeletonExcludeNothing) {
  SurfaceFfdParameters parameters = test::by_cage();
  const SparseRows without = Binding(fine_tube(), parameters).rows(true);
  parameters.max_hops = 1;
  EXPECT_EQ(Binding(fine_tube(), parameters).rows(true), without);
}

// -------------------------------------------------------------------------------------------------- remarks, errors

// Returns a model with points at these places, all on `joint`.
Model points_in_cage(const std::vector<glm::vec3>& places, std::uint32_t joint = 1) {
  Model model = test::make_tube_in_cage();
  Mesh points;
  points.name = "tube";
  points.positions = places;
  const Influence alone{joint, 1.0f};
  for (std::size_t v = 0; v < places.size(); ++v) points.weights.append_row(std::span(&alone, 1));
  model.meshes[0] = points;
  return model;
}

VertexRemarks remarks_at(const Model& model, const SurfaceFfdParameters& parameters) {
  const Bound result = test::bound(model, test::rig_of(parameters, "tube"));
  const auto report = std::find_if(result.report.meshes.begin(), result.report.meshes.end(),
                                   [](const MeshReport& r) { return r.mesh == "tube"; });
  EXPECT_EQ(report->remarks.size(), 1u);
  return report->remarks.empty() ? VertexRemarks{0xFF} : report->remarks[0];
}

TEST(Remarks, OfAVertexNearOneSurfaceAreNone) {
  EXPECT_EQ(remarks_at(points_in_cage({{4, 1.3f, 0}}), test::by_cage()), 0);
}

TEST(Remarks, NameWhatIsFar) { EXPECT_EQ(remarks_at(points_in_cage({{4, 50, 3}}), test::by_cage()), kFar); }

TEST(Remarks, NameWhatIsBetweenSheets) {
  const auto sheets = [](float turned) {
    Model model = points_in_cage({{0.5f, 0.02f, 0.4f}});
    Mesh& cage = model.meshes[1];
    cage = {};
    cage.name = "cage";
    for (const float y : {-1.0f, 1.0f}) {
      const auto first = static_cast<std::uint32_t>(cage.positions.size());
      for (const glm::vec3 p : {glm::vec3(-9, y, -9), glm::vec3(9, y, -9), glm::vec3(9, y, 9), glm::vec3(-9, y, 9)}) {
        cage.positions.push_back(p);
        const Influence alone{y > 0 ? 1u : 0u, 1.0f};
        cage.weights.append_row(std::span(&alone, 1));
      }
      const std::uint32_t a = y * turned > 0 ? 2u : 1u;
      cage.triangles.emplace_back(first, first + a, first + 3 - a);
      cage.triangles.emplace_back(first, first + 1 + a, first + 4 - a);
    }
    return model;
  };
  EXPECT_EQ(remarks_at(sheets(1), test::by_cage()), kBetweenSheets);
  EXPECT_EQ(remarks_at(sheets(0), test::by_cage()), kBetweenSheets) << "which face alike, but are apart";
  Model nearer = sheets(1);
  nearer.meshes[0].positions[0].y = 0.6f;
  EXPECT_EQ(remarks_at(nearer, test::by_cage()), 0);
  nearer.meshes[0].positions[0].y = 1.0f;
  EXPECT_EQ(remarks_at(nearer, test::by_cage()), 0) << "on a sheet";
}

// Joint 1 moves no element.
TEST(Remarks, NameWhatIsBeyondAllHops) {
  Model model = points_in_cage({{4, 1.3f, 0}});
  SparseRows all_on_0;
  const Influence alone{0, 1.0f};
  for (std::size_t v = 0; v < model.meshes[1].positions.size(); ++v) all_on_0.append_row(std::span(&alone, 1));
  model.meshes[1].weights = all_on_0;
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.max_hops = 0;
  EXPECT_EQ(remarks_at(model, parameters), kBeyondHops);
  parameters.max_hops = 1;
  EXPECT_EQ(remarks_at(model, parameters), 0);
  // The vertex still follows the nearest elements, as without hops.
  parameters.max_hops = 0;
  const Binding with(model, parameters);
  parameters.max_hops = {};
  EXPECT_EQ(with.rows(true), Binding(model, parameters).rows(true));
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
      "layer 1 (surface_ffd): vertex 5 of mesh 'tube' may follow no element of the driver: the groups exclude all "
      "of them");
  // Hops give way, groups do not.
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
  EXPECT_EQ(error(), "layer 1 (surface_ffd): exclude names the group 'hihg', which is not there; did you mean 'high'?");
  parameters.exclude = {{"high", "lo"}};
  EXPECT_EQ(error(), "layer 1 (surface_ffd): exclude names the group 'lo', which is not there; did you mean 'low'?");
  parameters.exclude = {};
  parameters.exclusive = {{"high", "lo"}};
  EXPECT_THAT(error(), testing::StartsWith("layer 1 (surface_ffd): exclusive names the group 'lo'"));
  rig.groups.push_back({.name = "elsewhere", .mesh = "tube"});
  parameters.exclusive = {{"elsewhere", "low"}};
  EXPECT_THAT(error(), HasSubstr("exclusive uses the group 'elsewhere' of mesh 'tube' on mesh 'cage'"));
  parameters.exclusive = {};

  parameters.max_hops = 1;
  Model bare = test::make_tube_in_cage();
  bare.meshes[0].weights = {};
  EXPECT_EQ(error(bare), "layer 1 (surface_ffd): max_hops needs weights, and 'tube' has none");
  parameters.driver.follow = Follow::kStreamed;
  bare = test::make_tube_in_cage();
  bare.meshes[1].weights = {};
  EXPECT_EQ(error(bare), "layer 1 (surface_ffd): max_hops needs weights, and 'cage' has none");

  PatchParameters patch;
  for (int i = 0; i < 16; ++i) patch.control.emplace_back(4 * (i / 4) - 2, 1.5f, 2 * (i % 4) - 3);
  parameters.driver = {};
  parameters.driver.patches = {patch};
  EXPECT_EQ(error(), "layer 1 (surface_ffd): max_hops does not go with a patch, whose samples have no bone");
  parameters.max_hops = {};
  parameters.exclude = {{"high", "low"}};
  EXPECT_EQ(error(), "layer 1 (surface_ffd): the samples of a patch are in no group");
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
