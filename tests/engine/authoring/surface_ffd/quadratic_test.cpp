// SPDX-License-Identifier: MIT
// Tests rows of quadratic precision: which motions they reproduce, and their limits.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include <pelt/pack.h>
#include <pelt/surface_ffd.h>

#include "engine/authoring/model/builtin/model_builder.h"
#include "tests/support/driven.h"

namespace pelt {
namespace {

constexpr std::uint32_t kCells = 20;  // cells along each side of the sheet, 0.1 m each

// Returns a sheet on y = 0 from -1 to 1, with vertices moved within it by up to a fifth of a cell.
Mesh make_sheet() {
  std::minstd_rand random(11);
  const auto shift = [&] { return 0.02f * (static_cast<float>(random() % 2001) / 1000.0f - 1); };
  Mesh mesh;
  for (std::uint32_t i = 0; i <= kCells; ++i) {
    for (std::uint32_t k = 0; k <= kCells; ++k) {
      const float x = static_cast<float>(i) / 10 - 1;
      const float z = static_cast<float>(k) / 10 - 1;
      const float shifted_z = z + shift();
      mesh.positions.emplace_back(x + shift(), 0, shifted_z);
    }
  }
  constexpr std::uint32_t kRow = kCells + 1;
  for (std::uint32_t i = 0; i < kCells; ++i) {
    for (std::uint32_t k = 0; k < kCells; ++k) {
      const std::uint32_t v = i * kRow + k;
      mesh.triangles.emplace_back(v, v + 1, v + kRow);
      mesh.triangles.emplace_back(v + 1, v + kRow + 1, v + kRow);
    }
  }
  return mesh;
}

void paint(Mesh& mesh, float (*share)(glm::vec3)) {
  mesh.weights = {};
  for (const glm::vec3 p : mesh.positions) {
    const double second = share(p);
    const WeightedElement row[] = {{0, 1 - second}, {1, second}};
    append_row(mesh.weights, row);
  }
  mesh.normals.assign(mesh.positions.size(), glm::vec3(0, 1, 0));
}

float first_joint_alone(glm::vec3) { return 0; }
float by_side(glm::vec3 p) { return p.x < 0 ? 0.0f : 1.0f; }

// Points over a driver; each has a row over the vertices of the driver.
struct Case {
  std::vector<glm::vec3> points;
  Mesh driver = make_sheet();
  float (*share)(glm::vec3) = first_joint_alone;
  SurfaceFfdParameters parameters;
  Rig rig;

  Case() {
    parameters.driver.mesh = "driver";
    parameters.precision = Precision::kQuadratic;
  }
};

using Row = std::map<std::uint32_t, double>;

struct Rows {
  std::vector<Row> rows;
  std::vector<std::string> notes;
};

Rows rows_of(const Case& given) {
  Model model;
  add_joint(model, "first", -1, {});
  add_joint(model, "second", 0, {});
  bind_all_joints(model);
  model.materials.emplace_back();
  model.meshes.push_back({.name = "skin", .positions = given.points});
  model.meshes.push_back(given.driver);
  model.meshes[1].name = "driver";
  for (Mesh& mesh : model.meshes) paint(mesh, given.share);
  Rig rig = given.rig;
  rig.layers.push_back({"skin", given.parameters, {}, {}});
  const Bound bound = test::bound(model, rig);
  const CharacterMesh& skin = test::mesh_of(bound.character, "skin");
  const std::uint32_t first = *test::mesh_of(bound.character, "driver").frame_entry;
  const SparseRows packed = unpack_rows(skin.binding);
  Rows result{std::vector<Row>(given.points.size()), bound.report.notes};
  for (std::uint32_t v = 0; v < skin.vertex_count(); ++v) {
    for (const Influence& i : packed.row(v)) {
      result.rows[skin.source_vertex[v]][skin.first_entry + i.index - first] += i.weight;
    }
  }
  return result;
}

// Returns points on the sheet, or above it, at least a tenth of its side from its border.
std::vector<glm::vec3> points_inside(std::size_t count, float height) {
  std::minstd_rand random(5);
  const auto place = [&] { return 0.8f * (static_cast<float>(random() % 2001) / 1000.0f - 1); };
  std::vector<glm::vec3> points(count);
  for (glm::vec3& p : points) {
    p.z = place();
    p.y = height;
    p.x = place();
  }
  return points;
}

double sum_of(const Row& row) {
  double sum = 0;
  for (const auto& [index, weight] : row) sum += weight;
  return sum;
}

double size_of(const Row& row) {
  double sum = 0;
  for (const auto& [index, weight] : row) sum += std::abs(weight);
  return sum;
}

double difference(const Row& a, const Row& b) {
  Row sums = a;
  for (const auto& [index, weight] : b) sums[index] -= weight;
  return size_of(sums);
}

// Returns the largest difference between the mean of a function by a row of driver vertices and the function at the
// point.
double largest_miss(const Case& given, const std::function<double(glm::dvec3)>& function) {
  const Rows found = rows_of(given);
  double largest = 0;
  for (std::size_t i = 0; i < given.points.size(); ++i) {
    double mean = 0;
    for (const auto& [j, weight] : found.rows[i]) mean += weight * function(given.driver.positions[j]);
    largest = std::max(largest, std::abs(mean - function(given.points[i])));
  }
  return largest;
}

// The error is that of weights as characters store them.
TEST(Quadratic, RowsReproduceQuadraticFunctions) {
  for (const float height : {0.0f, 0.03f}) {
    Case given;
    given.points = points_inside(500, height);
    const std::function<double(glm::dvec3)> functions[] = {
        [](glm::dvec3 p) { return p.x * p.x; },
        [](glm::dvec3 p) { return p.x * p.z; },
        [](glm::dvec3 p) { return 1 + 2 * p.x - p.z + 3 * p.z * p.z - p.x * p.z + 0.5 * p.x * p.x; },
    };
    for (const auto& function : functions) {
      given.parameters.precision = Precision::kQuadratic;
      const double quadratic = largest_miss(given, function);
      given.parameters.precision = Precision::kLinear;
      const double linear = largest_miss(given, function);
      EXPECT_LT(quadratic, 1e-4);
      EXPECT_GT(linear, 1e-3);
    }
  }
}

TEST(Quadratic, RowsOfBothSignsSumToOneAndKeepTheirSize) {
  Case given;
  given.points = points_inside(500, 0);
  for (int i = 0; i <= 100; ++i) {  // over the border, the corner, and far above
    const float x = 0.8f + 0.004f * static_cast<float>(i);
    given.points.emplace_back(x, 0, 0.02f);
    given.points.emplace_back(x, 0, x);
    given.points.emplace_back(0.01f, 0.02f * static_cast<float>(i), 0.02f);
  }
  double largest = 0;
  double least = 0;
  std::size_t most = 0;
  for (const Row& row : rows_of(given).rows) {
    EXPECT_NEAR(sum_of(row), 1, 1e-4);
    largest = std::max(largest, size_of(row));
    most = std::max(most, row.size());
    for (const auto& [index, weight] : row) least = std::min(least, weight);
  }
  EXPECT_LE(largest, 2.001);
  EXPECT_LT(least, -0.02);
  EXPECT_EQ(most, 12u);
}

// Returns the largest change of the row from one point to the next, for `count` points on a line that leaves the sheet.
double largest_step(int count) {
  Case given;
  for (int i = 0; i < count; ++i) {
    const float along = 1.6f * static_cast<float>(i) / static_cast<float>(count);
    given.points.emplace_back(-0.55f + along, 0.01f, 0.03f + 0.2f * along);
  }
  const std::vector<Row> rows = rows_of(given).rows;
  double step = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) step = std::max(step, difference(rows[i], rows[i - 1]));
  return step;
}

// A jump would not shrink as the points get closer.
TEST(Quadratic, RowsChangeWithoutAJump) { EXPECT_LT(largest_step(1 << 16), 0.2 * largest_step(1 << 13)); }

// Returns the largest weight of vertices of the other joint in a row, on a line within a cell of them.
double most_of_the_other(float weight_similarity) {
  Case given;
  given.parameters.weight_similarity = weight_similarity;
  given.share = by_side;
  for (int i = 0; i < 200; ++i) given.points.emplace_back(-0.06f, 0, -0.8f + 0.008f * static_cast<float>(i));
  double most = 0;
  for (const Row& row : rows_of(given).rows) {
    double others = 0;
    for (const auto& [j, weight] : row) others += by_side(given.driver.positions[j]) * std::abs(weight);
    most = std::max(most, others);
  }
  return most;
}

TEST(Quadratic, RowsDoNotFollowWhatIsPaintedOtherwise) {
  EXPECT_LT(most_of_the_other(2), 1e-3);
  EXPECT_GT(most_of_the_other(0), 0.05);
}

TEST(Quadratic, RowsHaveNothingOfWhatIsExcluded) {
  Case given;
  given.rig.groups = {{.name = "right", .region = {.box = Box{{0, -9, -9}, {9, 9, 9}, 0}}},
                      {.name = "left", .region = {.box = Box{{-9, -9, -9}, {0, 9, 9}, 0}}}};
  given.parameters.exclude = {{"right", "left"}};
  given.parameters.fade = 0;
  given.points = points_inside(500, 0);
  const std::vector<Row> rows = rows_of(given).rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (given.points[i].x >= 0) continue;
    // Triangles across the border also belong to the left side.
    for (const auto& [j, weight] : rows[i]) EXPECT_LT(given.driver.positions[j].x, 0.15f);
  }
}

TEST(Quadratic, IsLinearWhereFramesAreEstimatedAndInTheBasicVariant) {
  for (const auto mode : {SurfaceFfdParameters::Mode::kExtended, SurfaceFfdParameters::Mode::kBasic}) {
    const Model model = test::make_tube_in_cage();
    SurfaceFfdParameters parameters = test::by_cage();
    parameters.mode = mode;
    parameters.driver.follow = Follow::kStreamed;
    const Bound linear = test::bound(model, test::rig_of(parameters, "tube"));
    parameters.precision = Precision::kQuadratic;
    const Bound quadratic = test::bound(model, test::rig_of(parameters, "tube"));
    EXPECT_EQ(test::mesh_of(quadratic.character, "tube").binding.influences,
              test::mesh_of(linear.character, "tube").binding.influences);
    EXPECT_EQ(quadratic.report.notes.size(), linear.report.notes.size() + 1);
  }
}

}  // namespace
}  // namespace pelt
