// SPDX-License-Identifier: MIT
// Takes and prints the measures of docs/garments.md, of the models in samples/garments.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_transform.hpp>

#include <pelt/bind.h>
#include <pelt/clip_twists.h>
#include <pelt/dual_quaternion.h>
#include <pelt/evaluate.h>
#include <pelt/import.h>
#include <pelt/linear_blend.h>
#include <pelt/pelt_gltf.h>
#include <pelt/point_cache.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/mesh_parts.h>
#include <pelt/tools/parallel.h>
#include <pelt/tools/triangle_tree.h>

#include "tests/support/clip_joints.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/program.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

using Points = std::vector<glm::vec3>;

const std::string kModels = PELT_SOURCE "/samples/garments/";

std::string mannequiny() { return (*test::shared_folder() / "assets/characters/mannequiny-0.3.0.glb").string(); }

// Runs pelt, which must succeed.
void pelt_does(const std::string& arguments, const test::TemporaryFolder& folder) {
  const test::Outcome outcome = test::run_program(PELT_PROGRAM, arguments, folder.path());
  ASSERT_EQ(outcome.status, 0) << arguments << ": " << outcome.errors;
}

// ------------------------------------------------------------------------------------------------------------ poke

// The skins of a character as one mesh.
class Skin {
 public:
  explicit Skin(const Character& character) : character_(character), evaluator_(character, {.jobs = thread_jobs()}) {
    const Points rest = posed(nullptr, 0);
    for (const CharacterMesh& mesh : character->meshes) {
      if (mesh.control) continue;
      for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) vertices.push_back(mesh.first_vertex + v);
      for (glm::uvec3 t : mesh.triangles) {
        t += mesh.first_vertex;
        if (glm::length(glm::cross(rest[t.y] - rest[t.x], rest[t.z] - rest[t.x])) > 0) triangles.push_back(t);
      }
    }
  }

  const std::vector<Clip>& clips() const { return character_->clips; }
  float size() const { return character_.size(); }

  // Returns all vertices at a share of a clip, or at bind.
  Points posed(const Clip* clip, float share) {
    if (clip != nullptr) clip = find_clip(character_->clips, clip->name);  // another character's names other meshes
    const float seconds = clip == nullptr ? 0 : share * clip->duration;
    std::vector<float> inputs = test::inputs_at_rest(*character_);
    if (clip != nullptr) sample_morph_targets(*character_, *clip, seconds, inputs);
    evaluator_.pose(test::clip_joints(character_->skeleton, clip, seconds));
    evaluator_.inputs(inputs);
    evaluator_.evaluate();
    return {evaluator_.positions().begin(), evaluator_.positions().end()};
  }

  std::vector<std::uint32_t> vertices;  // of its own, in what posed() returns
  std::vector<glm::uvec3> triangles;

 private:
  Character character_;
  Evaluator evaluator_;
};

// Returns the skin of what `pelt bind` makes by these arguments.
Skin bound_skin(const std::string& arguments) {
  const test::TemporaryFolder folder;
  pelt_does("bind " + arguments + " -o x.pelt", folder);
  return Skin(test::must(load_character(folder / "x.pelt")));
}

// Returns how far triangles surround a point: their solid angle divided by a sphere's, 1 inside of a closed surface, 0
// outside (Jacobson, Kavan & Sorkine-Hornung 2013). It changes by 1 when a point passes through the surface, even if
// the surface has openings and folds.
double winding_number(const glm::dvec3& point, std::span<const glm::uvec3> triangles, const Points& positions) {
  double sum = 0;  // of half the solid angles (Van Oosterom & Strackee 1983)
  for (const glm::uvec3 t : triangles) {
    const glm::dvec3 a = glm::dvec3(positions[t.x]) - point;
    const glm::dvec3 b = glm::dvec3(positions[t.y]) - point;
    const glm::dvec3 c = glm::dvec3(positions[t.z]) - point;
    const double la = glm::length(a), lb = glm::length(b), lc = glm::length(c);
    sum += std::atan2(glm::dot(a, glm::cross(b, c)),
                      la * lb * lc + glm::dot(a, b) * lc + glm::dot(b, c) * la + glm::dot(c, a) * lb);
  }
  return sum / glm::two_pi<double>();
}

// A garment in a pose.
struct Cloth {
  Cloth(Skin& garment, const Clip* clip, float share)
      : triangles(garment.triangles),
        positions(garment.posed(clip, share)),
        normals(vertex_normals(positions, triangles)),
        tree(test::must(TriangleTree::create(positions, triangles))) {}

  // Returns how far a point is on the outer side of a surface point: that of the interpolated normal, since a face's
  // own gives wrong signs near edges.
  double above(const ClosestPoint& place, const glm::dvec3& point) const {
    glm::dvec3 from(point), normal(0);
    for (int c = 0; c < 3; ++c) {
      from -= place.weights[c] * glm::dvec3(positions[place.vertices[c]]);
      normal += place.weights[c] * glm::dvec3(normals[place.vertices[c]]);
    }
    return glm::dot(from, normal);
  }

  const std::vector<glm::uvec3>& triangles;
  Points positions;
  Points normals;
  TriangleTree tree;
};

// Returns how far a body pokes through a garment in a clip, in percent of its size. Points of the body are its vertices
// and the middles of its triangles, of those that at bind lie at most 2.5% of the size beneath the garment, and farther
// from its borders.
double deepest_poke(Skin& garment, Skin& body, const std::string& clip) {
  constexpr int kFrames = 13;
  const auto points_at = [&](const Clip* posed_by, float share) {
    const Points posed = body.posed(posed_by, share);
    Points points;
    for (const std::uint32_t v : body.vertices) points.push_back(posed[v]);
    for (const glm::uvec3 t : body.triangles) points.push_back((posed[t.x] + posed[t.y] + posed[t.z]) / 3.0f);
    return points;
  };
  const double reach = 0.025 * double{body.size()};
  const Cloth at_bind(garment, nullptr, 0);
  const Points rest = points_at(nullptr, 0);
  const std::vector<TriangleTree::NearPoint> places = at_bind.tree.nearest_of_each(rest, 0);
  const std::vector<BorderEdge> borders = border_edges(garment.triangles);
  std::vector<std::size_t> covered;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const ClosestPoint& place = places[i].closest;
    if (place.squared_distance > reach * reach || at_bind.above(place, rest[i]) > 0) continue;
    const bool at_border = std::ranges::any_of(borders, [&](const BorderEdge& edge) {
      return glm::distance(at_bind.positions[garment.triangles[edge.triangle][edge.corner]], rest[i]) < reach;
    });
    if (!at_border) covered.push_back(i);
  }
  EXPECT_GT(covered.size(), 2000u);

  std::vector<double> surrounded(covered.size());  // winding numbers at bind; found when first needed
  double deepest = 0;
  for (int frame = 0; frame < kFrames; ++frame) {
    const float share = static_cast<float>(frame) / (kFrames - 1);
    const Cloth cloth(garment, find_clip(garment.clips(), clip), share);
    const Points all = points_at(find_clip(body.clips(), clip), share);
    Points points;
    for (const std::size_t i : covered) points.push_back(all[i]);
    const std::vector<TriangleTree::NearPoint> nearest = cloth.tree.nearest_of_each(points, 0);
    std::vector<std::pair<double, std::size_t>> outside;  // distances, and indices of `covered`
    for (std::size_t c = 0; c < covered.size(); ++c) {
      const double distance = std::sqrt(nearest[c].closest.squared_distance);
      if (distance > deepest && cloth.above(nearest[c].closest, points[c]) > 0) outside.emplace_back(distance, c);
    }
    std::ranges::sort(outside, std::greater());
    for (const auto& [distance, c] : outside) {
      if (surrounded[c] == 0) {
        surrounded[c] = winding_number(rest[covered[c]], garment.triangles, at_bind.positions);
      }
      if (surrounded[c] - winding_number(points[c], garment.triangles, cloth.positions) < 0.5) continue;
      deepest = distance;
      break;
    }
  }
  return 100 * deepest / double{body.size()};
}

TEST(Shirt, CoversMannequiny) {
  PELT_REQUIRE_SHARED();
  Skin shirt = bound_skin("'" + kModels + "mannequiny_shirt.glb' --weights-of '" + mannequiny() + "'");
  Skin body = bound_skin("'" + mannequiny() + "'");
  for (const auto& [clip, most] : {std::pair("run", 0.2), std::pair("fight_kick", 0.1), std::pair("air_jump", 0.4)}) {
    const double poke = deepest_poke(shirt, body, clip);
    fmt::print("shirt, {}: {:.3f}% of the size\n", clip, poke);
    EXPECT_LE(poke, most) << clip;
  }
}

// A belly that grows by 11 cm in half of the clip stays in its shirt, which got the morph target.
TEST(Belly, StaysInItsShirt) {
  Skin shirt = bound_skin("'" + kModels + "belly_shirt.glb' --weights-of '" + kModels + "belly.glb'");
  Skin body = bound_skin("'" + kModels + "belly.glb'");
  const double poke = deepest_poke(shirt, body, "eat");
  fmt::print("belly: {:.3f}% of the size\n", poke);
  EXPECT_LE(poke, 0.02);
  const Clip* eat = find_clip(shirt.clips(), "eat");
  const auto most = [&](Skin& skin) {
    const Points from = skin.posed(nullptr, 0), to = skin.posed(eat, 0.5f);
    double longest = 0;
    for (const std::uint32_t v : skin.vertices) longest = std::max(longest, double{glm::distance(from[v], to[v])});
    return longest;
  };
  EXPECT_NEAR(most(shirt), most(body), 0.002);
}

// The measure finds uncovered skin: a limb in a wider one that collapses at its bend.
TEST(Shirt, IsPokedThroughWhereItCollapses) {
  const Model limb = test::must(import_model("builtin:limb"));
  Model sleeve = limb;
  for (glm::vec3& p : sleeve.meshes[0].positions) p *= glm::vec3(1.0f, 1.05f, 1.05f);
  const auto bound = [](const Model& model, const DeformerParameters& deformer) {
    return Skin(test::bound(model, test::rig_of(deformer, "limb")).character);
  };
  Skin body = bound(limb, DualQuaternionParameters{});
  Skin as_the_body = bound(sleeve, DualQuaternionParameters{});
  Skin otherwise = bound(sleeve, LinearBlendParameters{});
  EXPECT_LT(deepest_poke(as_the_body, body, "bend"), 0.01);
  EXPECT_GT(deepest_poke(otherwise, body, "bend"), 1);
}

// ------------------------------------------------------------------------------------------------------------ cage

// A motion of skin and cage, vertex by vertex: what is below 0.53 of the height stands, what is above 0.78 turns, and
// dual quaternions pass between. With what Blender 3.4.1's Surface Deform is off by, in percent of the size.
struct Motion {
  const char* name;
  glm::vec3 axis;
  float degrees;
  double rms_of_blender, worst_of_blender;
};
constexpr std::array<Motion, 2> kMotions{
    {{"bow by 60", {1, 0, 0}, 60, 0.544, 1.470}, {"turn by 90", {0, 1, 0}, 90, 0.447, 1.045}}};

Mesh whole(const std::string& file) {
  Mesh mesh = concatenate(test::must(import_model(file)).meshes);
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  return mesh;
}

// Returns the skin as a rig moves it.
Points moved(const Model& model, const DeformerParameters& deformer, const glm::mat4& turn) {
  return test::posed(test::bound(model, test::rig_of(deformer, "skin")).character, std::vector{glm::mat4(1.0f), turn},
                     "skin");
}

TEST(Cage, CarriesASkinMoreCloselyThanBlenderDoes) {
  PELT_REQUIRE_SHARED();
  Model model;
  model.meshes = {whole(mannequiny()), whole(kModels + "mannequiny_cage.obj")};
  model.meshes[0].name = "skin";
  model.meshes[1].name = "cage";
  const Points rest = model.meshes[0].positions;
  glm::vec3 low = rest[0], high = rest[0];
  for (const glm::vec3& p : rest) low = glm::min(low, p), high = glm::max(high, p);
  const float from = std::lerp(low.y, high.y, 0.53f), to = std::lerp(low.y, high.y, 0.78f);
  const glm::vec3 middle(0.5f * (low.x + high.x), 0.5f * (from + to), 0.5f * (low.z + high.z));
  const auto share = [&](float y) { return glm::smoothstep(double{from}, double{to}, double{y}); };
  model.skeleton.joints = {{.name = "below"}, {.name = "above", .parent = 0}};
  model.skeleton.joints[1].rest.translation = middle;
  model.bound_joints = {{0, glm::mat4(1.0f)}, {1, glm::translate(glm::mat4(1.0f), -middle)}};
  for (Mesh& mesh : model.meshes) {
    mesh.weights = {};
    for (const glm::vec3& p : mesh.positions) {
      const WeightedElement row[] = {{0, 1 - share(p.y)}, {1, share(p.y)}};
      append_row(mesh.weights, row);
    }
  }
  for (const Motion& motion : kMotions) {
    const glm::mat4 turn =
        glm::rotate(glm::translate(glm::mat4(1.0f), middle), glm::radians(motion.degrees), motion.axis);
    const Points ideal = moved(model, DualQuaternionParameters{}, turn);
    for (const Precision precision : {Precision::kLinear, Precision::kQuadratic}) {
      SurfaceFfdParameters parameters;
      parameters.driver.mesh = "cage";
      parameters.precision = precision;
      const Points found = moved(model, parameters, turn);
      double squares = 0, worst = 0, count = 0;  // of the vertices between the two ends, and over all
      for (std::size_t v = 0; v < rest.size(); ++v) {
        const double off = 100 * glm::distance(ideal[v], found[v]) / glm::distance(low, high);
        worst = std::max(worst, off);
        if (rest[v].y <= from || rest[v].y >= to) continue;
        squares += off * off;
        ++count;
      }
      const double rms = std::sqrt(squares / count);
      const bool linear = precision == Precision::kLinear;
      fmt::print("cage, {}{}: {:.3f}% and {:.3f}% of the size\n", motion.name, linear ? "" : ", quadratic", rms, worst);
      EXPECT_LT(rms, motion.rms_of_blender);
      EXPECT_LT(worst, motion.worst_of_blender);
    }
  }
}

// ----------------------------------------------------------------------------------------------------------- drape

TEST(Cloth, LiesOnTheCylinder) {
  constexpr std::uint32_t kColumns = 12, kRows = 20, kFiner = 3;  // quads of the cage; the cloth has as many times more
  constexpr float kRadius = 0.5f;
  const test::TemporaryFolder folder;
  pelt_does("bind '" + kModels + "cloth.glb' --rig '" + kModels + "cloth.json' -o cloth.pelt", folder);
  pelt_does(
      "deform cloth.pelt --cache '" + kModels + "cloth_cage.pc2' --fps 24 --frames 48:48 --backend cpu -o cloth.pc2",
      folder);
  const PointCache coarse = test::must(load_pc2(kModels + "cloth_cage.pc2"));
  const PointCache fine = test::must(load_pc2((folder / "cloth.pc2").string()));
  const auto height = [&](const glm::vec3& p) { return std::hypot(p.y, p.z) - kRadius; };
  const auto lies = [&](std::uint32_t column, std::uint32_t row) {
    const glm::vec3& p = coarse.frame(coarse.frames - 1)[row * (kColumns + 1) + column];
    return std::abs(height(p)) < 1e-3f * kRadius && std::abs(p.x) < 0.8f;
  };
  double squares = 0, worst = 0, count = 0;
  for (std::uint32_t v = 0; v < fine.count; ++v) {
    const std::uint32_t column = v % (kFiner * kColumns + 1) / kFiner, row = v / (kFiner * kColumns + 1) / kFiner;
    bool all = true;  // the quad and its neighbours lie on the cylinder
    for (std::uint32_t r = std::max(row, 1u) - 1; r <= std::min(row + 2, kRows); ++r) {
      for (std::uint32_t c = std::max(column, 1u) - 1; c <= std::min(column + 2, kColumns); ++c)
        all = all && lies(c, r);
    }
    if (!all) continue;
    const double off = std::abs(height(fine.frame(0)[v])) / kRadius;
    squares += off * off;
    worst = std::max(worst, off);
    ++count;
  }
  const double rms = std::sqrt(squares / count);
  fmt::print("cloth: {:.4f} and {:.4f} radii off the cylinder, {} vertices of {}\n", rms, worst, count, fine.count);
  EXPECT_LT(rms, 0.01);
  EXPECT_LT(worst, 0.02);
  EXPECT_GT(count, 1000);
}

}  // namespace
}  // namespace pelt
