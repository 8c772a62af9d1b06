// SPDX-License-Identifier: MIT
// Skin that a surface made from it cannot carry, and that follows its own painting: sides of sheets, parts painted 0/1,
// lips.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include <pelt/builtin.h>
#include <pelt/hierarchical_bspline.h>

#include "tests/support/driven.h"

namespace pelt {
namespace {

Rig rig_from_skin(std::uint32_t faces, std::optional<float> spread = {}) {
  HierarchicalBsplineParameters parameters;
  parameters.base_faces = faces;
  parameters.spread = spread;
  return test::rig_of(parameters);
}

// Adds an even grid of `along` x `across` vertices, and returns its first vertex. `place`: of a grid position.
template <class Place>
std::uint32_t add_grid(Mesh& mesh, std::uint32_t along, std::uint32_t across, bool turned, const Place& place) {
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (std::uint32_t i = 0; i < along; ++i) {
    for (std::uint32_t j = 0; j < across; ++j) {
      mesh.positions.push_back(place(i, j));
      if (i + 1 == along || j + 1 == across) continue;
      const std::uint32_t a = first + i * across + j, b = a + across;
      for (glm::uvec3 t : {glm::uvec3(a, b, b + 1), glm::uvec3(a, b + 1, a + 1)}) {
        if (turned) std::swap(t.y, t.z);
        mesh.triangles.push_back(t);
      }
    }
  }
  return first;
}

void finish(Mesh& mesh) {
  mesh.parts = {{0, static_cast<std::uint32_t>(mesh.triangles.size()), -1}};
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
}

// A feather: 8 m long along the bones, 2 m wide, with a front and a back that are `gap` apart.
TEST(OwnPainting, KeepsTheOrderOfBothSidesOfASheet) {
  for (const float gap : {0.0f, 0.01f}) {
    SCOPED_TRACE(gap);
    constexpr std::uint32_t kAlong = 60, kAcross = 14, kSide = kAlong * kAcross;
    Model model = test::make_tube({.joints = 4});
    Mesh& mesh = model.meshes[0];
    const SparseRows weights = std::exchange(mesh, Mesh{.name = "feather"}).weights;
    for (const bool is_back : {false, true}) {
      add_grid(mesh, kAlong, kAcross, is_back, [&](std::uint32_t i, std::uint32_t j) {
        const float x = 8.0f * static_cast<float>(i) / (kAlong - 1);
        const double at = std::min(3.0 * x / 8, 2.999), part = at - std::floor(at);
        const auto joint = static_cast<std::uint32_t>(at);
        append_row(mesh.weights, std::vector<WeightedElement>{{joint, 1 - part}, {joint + 1, part}});
        return glm::vec3(x, 2.0f * static_cast<float>(j) / (kAcross - 1) - 1, is_back ? -gap : 0.0f);
      });
    }
    finish(mesh);
    const Character character = test::bound(model, rig_from_skin(60)).character;
    ASSERT_LT(test::mesh_of(character, "surface").vertex_count(), mesh.positions.size()) << "it is not the skin itself";
    std::vector<glm::mat4> joints = test::bind_matrices(model);
    glm::mat4 turn(1);
    for (std::size_t j = 1; j < joints.size(); ++j) {
      const auto place = glm::vec3(joints[j][3]);
      turn = turn * test::turn_about(place, 50, glm::normalize(glm::vec3(0.3f, 1, 0.2f)));
      joints[j] = turn * joints[j];
    }
    const std::vector<glm::vec3> posed = test::posed(character, joints, mesh.name);
    const std::span<const glm::uvec3> front = std::span(mesh.triangles).first(mesh.triangles.size() / 2);
    const std::vector<glm::vec3> normals = vertex_normals(posed, std::vector(front.begin(), front.end()));
    for (std::size_t v = 0; v < kSide; ++v) {
      EXPECT_NEAR(glm::dot(posed[v] - posed[v + kSide], normals[v]), gap, 0.3f * gap + 1e-5f) << v;
    }
  }
}

TEST(OwnPainting, KeepsPartsPaintedToOneJointEachRigid) {
  const Model model = make_limb({.around = 32, .along = 64, .blend_length = 0});
  const Character character = test::bound(model, rig_from_skin(60)).character;
  const std::vector<glm::mat4> joints = test::bent(model, 90);
  const glm::mat4 motion = joints[1] * glm::inverse(test::bind_matrices(model)[1]);
  const Mesh& mesh = model.meshes[0];
  const std::vector<glm::vec3> posed = test::posed(character, joints, mesh.name);
  for (std::size_t v = 0; v < posed.size(); ++v) {
    ASSERT_EQ(mesh.weights.row(v).size(), 1u);
    const bool is_moved = model.bound_joints[mesh.weights.row(v)[0].index].joint == 1;
    const glm::vec3 wanted = test::by_matrix(is_moved ? motion : glm::mat4(1))(mesh.positions[v]);
    EXPECT_LT(glm::distance(posed[v], wanted), 0.05f) << v << ", painted to one joint";
  }
}

// A face of 4 m with a slit of 2 m, whose lower lip follows a jaw and whose upper lip does not.
TEST(OwnPainting, OpensAMouthThatIsClosedAtBind) {
  constexpr std::uint32_t kSide = 41;
  Model model = test::make_tube({.joints = 2});
  Mesh& mesh = model.meshes[0];
  mesh = Mesh{.name = "face"};
  std::vector<float> jaw;
  for (const bool is_lower : {false, true}) {
    add_grid(mesh, kSide, kSide / 2 + 1, is_lower, [&](std::uint32_t i, std::uint32_t j) {
      const float x = 4.0f * static_cast<float>(i) / (kSide - 1) - 2;
      const float y = 4.0f * static_cast<float>(j) / (kSide - 1);
      const bool is_slit = j == 0 && std::abs(x) < 0.99f;
      jaw.push_back(is_lower ? std::clamp(1.5f - std::abs(x), 0.0f, 1.0f) * std::clamp(2 - y, 0.0f, 1.0f) : 0.0f);
      if (j == 0 && !is_slit) jaw.back() = 0;
      append_row(mesh.weights, std::vector<WeightedElement>{{0, 1.0 - jaw.back()}, {1, jaw.back()}});
      return glm::vec3(x, (is_lower ? -1.0f : 1.0f) * (y + (is_slit ? 0.002f : 0.0f)), 0.1f * std::cos(x));
    });
  }
  finish(mesh);
  const Character character = test::bound(model, rig_from_skin(24, 0.0f)).character;
  ASSERT_LT(test::mesh_of(character, "surface").vertex_count(), mesh.positions.size()) << "it is not the skin itself";
  std::vector<glm::mat4> joints = test::bind_matrices(model);
  joints[1] = glm::translate(glm::mat4(1), glm::vec3(0, -1, 0)) * joints[1];
  const std::vector<glm::vec3> posed = test::posed(character, joints, mesh.name);
  for (std::size_t v = 0; v < posed.size(); ++v) {
    const glm::vec3 wanted = mesh.positions[v] - glm::vec3(0, jaw[v], 0);
    // The surface carries skin of up to 0.25 unlike painting in part.
    EXPECT_LT(glm::distance(posed[v], wanted), 0.2f) << v;
  }
}

// Slivers turn some frames of the biped's surface over.
TEST(OwnPainting, CarriesSkinAtFramesThatAreTurnedOver) {
  const Model model = make_biped();
  std::vector<glm::mat4> joints = test::bind_matrices(model);
  std::vector<bool> is_raised(joints.size());
  glm::mat4 turn(1);
  for (std::uint32_t j = 0; j < joints.size(); ++j) {
    const auto parent = model.skeleton.parent_of(j);
    const bool is_arm = model.skeleton.joints[j].name == "left_upper_arm";
    is_raised[j] = is_arm || (parent && is_raised[*parent]);
    if (is_arm) turn = test::turn_about(glm::vec3(joints[j][3]), 105);
    if (is_raised[j]) joints[j] = turn * joints[j];
  }
  const Character character = test::bound(model, test::rig_of(HierarchicalBsplineParameters{})).character;
  const Mesh& body = model.meshes[0];
  Evaluator evaluator(character);
  evaluator.pose(joints);
  evaluator.evaluate();
  const std::vector<glm::vec3> normals = test::normals_of(evaluator, character, body.name);
  const std::vector<glm::vec3> posed = test::positions_of(evaluator, character, body.name);
  const std::vector<glm::vec3> wanted = vertex_normals(posed, body.triangles);
  std::vector<float> flat(posed.size(), 1);  // least cosine between the normals of a vertex and its triangles
  for (const glm::uvec3 t : body.triangles) {
    const glm::vec3 normal = glm::normalize(glm::cross(posed[t.y] - posed[t.x], posed[t.z] - posed[t.x]));
    for (int c = 0; c < 3; ++c) flat[t[c]] = std::min(flat[t[c]], glm::dot(normal, wanted[t[c]]));
  }
  for (std::size_t v = 0; v < posed.size(); ++v) {
    if (flat[v] < 0.8f) continue;
    EXPECT_GT(glm::dot(normals[v], wanted[v]), 0.5f) << v;
  }
}

}  // namespace
}  // namespace pelt
