// SPDX-License-Identifier: MIT
// Several deformers on one skin, combined as in Wires (docs/mathematics.md section 1): v' = P + sum |D_i|^m D_i / sum
// |D_i|^m, with D_i the displacement from P moved by the root.
#include <cmath>
#include <limits>

#include <pelt/dual_quaternion.h>
#include <pelt/linear_blend.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"

namespace pelt {
namespace {

using testing::HasSubstr;

constexpr float kTolerance = 3e-4f;  // for tubes 8 long: each weight is off by up to half of 1/65535

// The tube has three joints; "cage" follows the closest limb.
class WiresLayers : public testing::Test {
 protected:
  Model model_ = test::make_tube_in_cage({.around = 12, .along = 16, .joints = 3});
  SurfaceFfdParameters ffd_ = [] {
    SurfaceFfdParameters parameters = test::by_cage();
    parameters.driver.follow = Follow::kClosestLimb;
    return parameters;
  }();

  std::vector<glm::mat4> pose() const {
    Model posed = model_;
    posed.skeleton.joints[0].rest.translation = {0.5f, 1, -2};
    posed.skeleton.joints[0].rest.rotation = glm::angleAxis(0.6f, glm::normalize(glm::vec3(1, 1, 0)));
    posed.skeleton.joints[1].rest.rotation = glm::angleAxis(0.8f, glm::vec3(0, 0, 1));
    posed.skeleton.joints[2].rest.rotation = glm::angleAxis(-1.1f, glm::vec3(0, 1, 0));
    return test::bind_matrices(posed);
  }
  Rig combined(float exponent, Mask mask = {}) const {
    Rig rig = test::rig_of(LinearBlendParameters{}, "tube");
    rig.layers.push_back({"tube", ffd_, std::move(mask), exponent});
    return rig;
  }
  std::vector<glm::vec3> skin(const Rig& rig, const std::vector<glm::mat4>& joints) const {
    return test::posed(test::bound(model_, rig).character, joints, "tube");
  }
  std::string error(const Rig& rig) const { return test::bind_error(model_, rig); }
};

// Computes the sum from characters with one deformer each.
TEST_F(WiresLayers, AreTheSumOfTheirDisplacementsByThePowersOfTheirLengths) {
  const std::vector<glm::vec3> first = skin(test::rig_of(LinearBlendParameters{}, "tube"), pose());
  const std::vector<glm::vec3> second = skin(test::rig_of(ffd_, "tube"), pose());
  const glm::mat4 root = pose()[0];  // joint 0 is at the origin in the rest pose
  for (const float mask : {1.0f, 0.4f}) {
    for (const float m : {0.0f, 1.0f, 2.5f, 60.0f}) {
      const std::vector<glm::vec3> combined_skin = skin(combined(m, {.value = mask, .region = {}}), pose());
      float apart = 0;
      for (std::size_t v = 0; v < first.size(); ++v) {
        const auto stays = glm::vec3(root * glm::vec4(model_.meshes[0].positions[v], 1));
        const glm::vec3 d1 = first[v] - stays;
        const glm::vec3 d2 = mask * (second[v] - stays);
        const double l1 = glm::length(d1);
        const double l2 = glm::length(d2);
        const double most = std::max(l1, l2);
        const double s1 = most > 1e-6 ? std::pow(l1 / most, m) : 1;
        const double s2 = most > 1e-6 ? std::pow(l2 / most, m) : 1;
        const glm::vec3 expected =
            stays + (static_cast<float>(s1) * d1 + static_cast<float>(s2) * d2) / static_cast<float>(s1 + s2);
        // A larger exponent magnifies the errors of the lengths.
        ASSERT_LT(glm::distance(combined_skin[v], expected), kTolerance * (1 + 0.2f * m))
            << "m " << m << ", vertex " << v;
        apart = std::max(apart, glm::distance(first[v], second[v]));
        if (m == 60 && std::abs(l1 - l2) > 0.1 * most) {
          ASSERT_LT(glm::distance(combined_skin[v], stays + (l1 > l2 ? d1 : d2)), 2e-3f);
        }
      }
      EXPECT_GT(apart, 0.1f) << "the deformers are alike";
    }
  }
}

TEST_F(WiresLayers, OfMoreThanTwoAreReported) {
  Rig rig = combined(1);
  SurfaceFfdParameters basic = ffd_;
  basic.mode = SurfaceFfdParameters::Mode::kBasic;
  rig.layers.push_back({"tube", basic, {}, 1.0f});
  const Bound result = test::bound(model_, rig);
  const CharacterMesh& mesh = test::mesh_of(result.character, "tube");
  EXPECT_EQ(mesh.mode, BlendMode::kWires);
  EXPECT_EQ(mesh.wires->exponent, 1.0f);
  EXPECT_EQ(mesh.deformer, "surface_ffd with surface_ffd with linear_blend");
}

// A layer over * leaves out parts that follow one joint; they keep the layers below.
TEST_F(WiresLayers, KeepTheLayersBelowWherePartsAreRigid) {
  Mesh& tube = model_.meshes[0];
  const Mesh ball = test::make_tube_mesh({.around = 4, .along = 1, .radius = 0.2f, .length = 0.4f, .joints = 3});
  const auto first = static_cast<std::uint32_t>(tube.positions.size());
  const Influence alone{1, 1.0f};
  for (std::size_t v = 0; v < ball.positions.size(); ++v) {
    tube.positions.push_back(ball.positions[v] + glm::vec3(4, 0, 0));
    tube.normals.push_back(ball.normals[v]);
    tube.weights.append_row(std::span(&alone, 1));
  }
  for (const glm::uvec3 t : ball.triangles) tube.triangles.push_back(t + first);
  tube.parts = {};
  Rig rig = test::rig_of(ffd_, "tube");
  SurfaceFfdParameters other = ffd_;
  other.local = 1;
  rig.layers.push_back({"*", other, {}, 2.0f});
  EXPECT_EQ(test::mesh_of(test::bound(model_, rig).character, "tube").deformer, "surface_ffd with surface_ffd");
}

TEST_F(WiresLayers, ErrorsNameTheLayer) {
  Rig rig = combined(1);
  rig.layers.erase(rig.layers.begin());
  EXPECT_EQ(error(rig), "layer 0 (surface-ffd): there is no layer below at mesh 'tube' to combine with");

  rig = combined(1);
  rig.layers.push_back({"tube", ffd_, {}, 2.0f});
  EXPECT_EQ(error(rig), "layer 2 (surface-ffd): mesh 'tube' is combined as in Wires with two exponents, 1 and 2");

  rig = combined(1);
  rig.layers[0].deformer = DualQuaternionParameters{};
  EXPECT_THAT(error(rig), HasSubstr("layer 1 (surface-ffd): mesh 'tube' cannot mix dual quaternion with"));
  rig.layers[1].deformer = DualQuaternionParameters{};
  EXPECT_THAT(error(rig), HasSubstr("layer 1 (dual-quaternion): mesh 'tube' cannot mix dual"));

  rig = combined(1);
  rig.layers.push_back({"tube", LinearBlendParameters{}, {}, {}});
  EXPECT_THAT(error(rig), HasSubstr("layer 2 (linear-blend): mesh 'tube' is combined as in Wires below this layer"));

  for (const float m : {-1.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_THAT(error(combined(m)), HasSubstr("the rig: /layers/1/wires: must be a number from 0 to 64")) << m;
  }
}

}  // namespace
}  // namespace pelt
