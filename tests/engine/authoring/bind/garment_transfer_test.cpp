// SPDX-License-Identifier: MIT
// Cloth takes the weights of the body that it lies on, and of no other side.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <string>
#include <utility>
#include <vector>

#include <pelt/garment.h>

#include "tests/support/must.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

constexpr std::uint32_t kTrunk = 0, kLeft = 1, kRight = 2;

// Returns a tube along x whose axis is at y, with an elliptical section; it follows `joint`.
Mesh tube_at(float y, float radius_y, float radius_z, std::uint32_t joint, std::uint32_t around = 48) {
  Mesh mesh = test::make_tube_mesh({.around = around, .along = 20, .radius = 1, .length = 0.8f, .joints = 1});
  for (glm::vec3& p : mesh.positions) p = {p.x, radius_y * p.y + y, radius_z * p.z};
  mesh.weights = test::rows_on(joint, mesh.positions.size());
  return mesh;
}

// Returns a body with the joints of a trunk and two limbs next to it.
Model body_of(std::vector<Mesh> meshes) {
  Model body;
  body.name = "body";
  const glm::vec3 origins[] = {{0, 0, 0}, {0, 0.1f, 0}, {0, -0.1f, 0}};
  for (std::uint32_t j = 0; j < 3; ++j) {
    Joint joint{.name = "joint" + std::to_string(j), .parent = j == 0 ? -1 : 0};
    joint.rest.translation = origins[j];
    body.skeleton.joints.push_back(joint);
    body.bound_joints.push_back({j, glm::translate(glm::mat4(1), -origins[j])});
  }
  for (Mesh& mesh : meshes) {
    mesh.name = "part" + std::to_string(body.meshes.size());
    body.meshes.push_back(std::move(mesh));
  }
  return body;
}

Model garment_of(Mesh mesh) {
  Model garment;
  garment.name = "garment";
  mesh.name = "cloth";
  mesh.weights = {};
  garment.meshes.push_back(std::move(mesh));
  return garment;
}

// Returns the garment's only mesh with its new weights.
Mesh worn(const Mesh& mesh, const Model& body) {
  Mesh result = test::must(dress_by_weights(garment_of(mesh), body)).model.meshes[0];
  EXPECT_TRUE(validate(result.weights, body.bound_joints.size(), "cloth"));
  return result;
}

float weight_on(std::uint32_t joint, std::span<const Influence> row) {
  const auto found = std::ranges::find(row, joint, &Influence::index);
  return found == row.end() ? 0.0f : found->weight;
}

// Returns the greatest difference of a joint's weight along an edge.
float steepest(const Mesh& mesh, std::uint32_t joint) {
  float most = 0;
  for (const glm::uvec3& t : mesh.triangles) {
    for (int c = 0; c < 3; ++c) {
      most = std::max(most, std::abs(weight_on(joint, mesh.weights.row(t[c])) -
                                     weight_on(joint, mesh.weights.row(t[(c + 1) % 3]))));
    }
  }
  return most;
}

void turn_over(Mesh& mesh) {
  for (glm::uvec3& t : mesh.triangles) std::swap(t.y, t.z);
}

// A skirt over two legs: between them it passes smoothly from one to the other, which the closest points would not.
TEST(GarmentTransfer, ASkirtTakesOfBothLegsOnlyBetweenThem) {
  const Model legs = body_of({tube_at(0.1f, 0.08f, 0.08f, kLeft), tube_at(-0.1f, 0.08f, 0.08f, kRight)});
  const Mesh skirt = worn(tube_at(0, 0.2f, 0.1f, kTrunk, 64), legs);
  for (std::uint32_t v = 0; v < skirt.positions.size(); ++v) {
    const float y = skirt.positions[v].y;
    if (y > 0.1f) {
      EXPECT_EQ(weight_on(kRight, skirt.weights.row(v)), 0) << v;
    }
    if (y < -0.1f) {
      EXPECT_EQ(weight_on(kLeft, skirt.weights.row(v)), 0) << v;
    }
    if (std::abs(y) < 1e-3f) {
      EXPECT_NEAR(weight_on(kLeft, skirt.weights.row(v)), 0.5f, 0.02f) << v;
    }
  }
  EXPECT_LT(steepest(skirt, kLeft), 0.25f);
}

constexpr float kArm = 0.22f;  // y of its axis

void expect_no_trunk(const Mesh& sleeve, const Model& body) {
  const Mesh dressed = worn(sleeve, body);
  for (std::uint32_t v = 0; v < dressed.positions.size(); ++v) {
    EXPECT_EQ(weight_on(kLeft, dressed.weights.row(v)), 1) << v;
  }
}

// A sleeve closer to the trunk than to its arm; as made, with its winding reversed, of two layers, and of two sides.
TEST(GarmentTransfer, ASleeveTakesNothingOfTheTrunk) {
  const auto layer = [](float radius) { return tube_at(kArm, radius, radius, kTrunk); };
  // The gap between trunk and arm is 2 cm.
  const Model body = body_of({tube_at(0, 0.15f, 0.15f, kTrunk), tube_at(kArm, 0.05f, 0.05f, kLeft)});
  Mesh sleeve = layer(0.065f);
  expect_no_trunk(sleeve, body);
  const std::vector<glm::uvec3> front = sleeve.triangles;
  turn_over(sleeve);
  expect_no_trunk(sleeve, body);
  sleeve.triangles.insert(sleeve.triangles.begin(), front.begin(), front.end());
  expect_no_trunk(test::split(sleeve), body);

  Mesh lining = layer(0.062f);
  turn_over(lining);
  sleeve = concatenate(std::vector<Mesh>{layer(0.066f), lining});
  // The hems join both layers.
  const auto count = static_cast<std::uint32_t>(lining.positions.size());
  for (const std::uint32_t first : {0u, count - 48}) {
    for (std::uint32_t k = 0; k < 48; ++k) {
      const std::uint32_t a = first + k;
      const std::uint32_t b = first + (k + 1) % 48;
      sleeve.triangles.emplace_back(a, b, b + count);
      sleeve.triangles.emplace_back(a, b + count, a + count);
    }
  }
  expect_no_trunk(sleeve, body);

  // Towards the trunk the sleeve is too far from the arm to fit it: the cloth around decides.
  const Model apart = body_of({tube_at(0, 0.1f, 0.1f, kTrunk), tube_at(kArm, 0.05f, 0.05f, kLeft)});
  expect_no_trunk(tube_at(0.2f, 0.08f, 0.06f, kTrunk), apart);
}

// The right leg is closer to the left trouser leg's inner side than the left leg.
TEST(GarmentTransfer, TrouserLegsThatNearlyTouchTakeNothingOfEachOther) {
  const Model legs = body_of({tube_at(0.1f, 0.06f, 0.06f, kLeft), tube_at(-0.08f, 0.06f, 0.06f, kRight)});
  Mesh right = tube_at(-0.085f, 0.084f, 0.084f, kTrunk);
  const Mesh trousers = worn(concatenate(std::vector<Mesh>{tube_at(0.085f, 0.084f, 0.084f, kTrunk), right}), legs);
  for (std::uint32_t v = 0; v < trousers.positions.size(); ++v)
    EXPECT_EQ(weight_on(trousers.positions[v].y > 0 ? kRight : kLeft, trousers.weights.row(v)), 0) << v;
}

class Ramp : public testing::Test {
 protected:
  static constexpr test::TubeOptions kTube{.around = 24, .along = 48, .blend_length = 6};
  static float share_at(float x) { return std::clamp(0.5f + (x - 4) / 6, 0.0f, 1.0f); }  // of the second joint
  static Mesh tube_of(float radius) {
    test::TubeOptions options = kTube;
    options.radius = radius;
    return test::make_tube_mesh(options);
  }

  Model body_ = test::make_tube(kTube);
};

// Cloth over a hole of the body, with a triangle that has no area.
TEST_F(Ramp, CrossesAHoleSmoothly) {
  Mesh& skin = body_.meshes[0];
  std::erase_if(skin.triangles, [&](const glm::uvec3& t) {
    return std::abs(skin.positions[t.x].x - 4) < 1 || std::abs(skin.positions[t.y].x - 4) < 1;
  });
  Mesh cloth = tube_of(1.1f);
  const std::size_t cut = cloth.triangles.size() / 2;
  const glm::uvec3 t = cloth.triangles[cut];
  const auto middle = static_cast<std::uint32_t>(cloth.positions.size());
  cloth.positions.push_back(0.5f * (cloth.positions[t.x] + cloth.positions[t.y]));
  cloth.normals.push_back(cloth.normals[t.x]);
  cloth.triangles[cut] = {t.x, middle, t.z};
  cloth.triangles.insert(cloth.triangles.end(), {{middle, t.y, t.z}, {t.x, t.y, middle}});
  cloth = worn(cloth, body_);
  for (std::uint32_t v = 0; v < cloth.positions.size(); ++v)
    EXPECT_NEAR(weight_on(1, cloth.weights.row(v)), share_at(cloth.positions[v].x), 0.02f) << v;
  EXPECT_LT(steepest(cloth, 1), 0.04f);  // that of the body is 1/36
}

TEST_F(Ramp, AButtonIsRigidAndFollowsTheClothBelow) {
  Model garment = garment_of(tube_of(1.05f));
  Mesh button = test::make_tube_mesh({.around = 8, .along = 1, .radius = 0.1f, .length = 0.05f, .joints = 1});
  for (glm::vec3& p : button.positions) p = {p.z + 6, p.x + 1.07f, p.y};
  button.name = "button";
  button.weights = {};
  garment.meshes.push_back(button);
  const Dressed dressed = test::must(dress_by_weights(garment, body_));
  const SparseRows& rows = dressed.model.meshes[1].weights;
  EXPECT_NEAR(weight_on(1, rows.row(0)), share_at(6), 0.01f);
  for (std::uint32_t v = 1; v < rows.row_count(); ++v)
    EXPECT_THAT(rows.row(v), testing::ElementsAreArray(rows.row(0))) << v;
  EXPECT_THAT(dressed.notes, testing::IsEmpty());
}

// Cloth over a growing body grows as the skin beneath, by the same name, clip and expression, and stays outside.
TEST_F(Ramp, FollowsTheBodysMorphTargets) {
  const auto growth = [](const glm::vec3& p) {
    return 0.8f * std::exp(-0.5f * (p.x - 4) * (p.x - 4)) * glm::normalize(glm::vec3(0, p.y, p.z));
  };
  Mesh& skin = body_.meshes[0];
  const std::vector<glm::vec3> still(skin.positions.size(), glm::vec3(0));
  skin.morph_targets = {{"still", still}, {"fat", {}, 0, still}};
  for (const glm::vec3& p : skin.positions) skin.morph_targets[1].offsets.push_back(growth(p));
  body_.clips = {{.name = "eat", .duration = 1, .channels = {}, .morph_channels = {}}};
  body_.clips[0].morph_channels = {{skin.name, 1, Interpolation::kLinear, {0, 1}, {0, 1}}};
  body_.expressions = {{"full", false, {{skin.name, 1, 0.5f}}}};
  Model garment = garment_of(tube_of(1.05f));
  for (const bool driven : {false, true}) {
    const Model worn = test::must(driven ? dress(garment, body_) : dress_by_weights(garment, body_)).model;
    const Mesh& cloth = worn.meshes[0];
    ASSERT_EQ(cloth.morph_targets.size(), 1u);
    EXPECT_EQ(cloth.morph_targets[0].name, "fat");
    float turn = 0;
    for (std::uint32_t v = 0; v < cloth.positions.size(); ++v) {
      const glm::vec3 offset = cloth.morph_targets[0].offsets[v];
      EXPECT_LT(glm::distance(offset, growth(cloth.positions[v])), 0.01f) << v;
      turn = std::max(turn, glm::length(cloth.morph_targets[0].normals[v]));
    }
    EXPECT_GT(turn, 0.3f);
    ASSERT_EQ(worn.clips[0].morph_channels.size(), 1u);
    EXPECT_EQ(worn.clips[0].morph_channels[0].mesh, "cloth");
    EXPECT_EQ(worn.clips[0].morph_channels[0].target, 0u);
    ASSERT_EQ(worn.expressions.size(), 1u);
    EXPECT_EQ(worn.expressions[0].targets[0].mesh, "cloth");
  }
  // Its own target of that name stays.
  garment.meshes[0].morph_targets = {{"fat", std::vector<glm::vec3>(garment.meshes[0].positions.size(), glm::vec3(1))}};
  EXPECT_EQ(test::must(dress_by_weights(garment, body_)).model.meshes[0].morph_targets[0].offsets[0], glm::vec3(1));
}

// A part that fits nowhere takes the weights of the closest points, with a note that names its mesh.
TEST_F(Ramp, FitsNowhere) {
  Mesh far = tube_of(3);
  const Dressed dressed = test::must(dress_by_weights(garment_of(far), body_));
  EXPECT_THAT(dressed.notes, testing::ElementsAre(testing::StartsWith(
                                 "mesh 'cloth': 1176 of 1176 vertices are on parts that fit 'tube' nowhere")));
  const SparseRows& rows = dressed.model.meshes[0].weights;
  ASSERT_EQ(rows.row_count(), far.positions.size());
  for (std::uint32_t v = 0; v < rows.row_count(); ++v)
    EXPECT_NEAR(weight_on(1, rows.row(v)), share_at(far.positions[v].x), 0.02f) << v;
}

}  // namespace
}  // namespace pelt
