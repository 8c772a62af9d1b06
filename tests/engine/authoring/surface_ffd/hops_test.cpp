// SPDX-License-Identifier: MIT
// Tests elements that are left out by hops between joints.
#include "tests/engine/authoring/surface_ffd/ffd_rows.h"

namespace pelt {
namespace {

std::uint32_t strongest(const SparseRows& weights, std::initializer_list<std::uint32_t> vertices) {
  std::map<std::uint32_t, double> sums;
  for (const std::uint32_t v : vertices) {
    for (const Influence& i : weights.row(v)) sums[i.index] += i.weight;
  }
  return std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

// Both joints hang on another one, like thighs: it takes two hops from one to the other.
TEST(Hops, KeepElementsOfFartherJointsFromPulling) {
  Model model = fine_tube();
  model.skeleton.joints.insert(model.skeleton.joints.begin(), Joint{.name = "hips"});
  for (const std::size_t j : {1u, 2u}) model.skeleton.joints[j].parent = 0;
  for (BoundJoint& bound : model.bound_joints) ++bound.joint;
  model.bound_joints.push_back({.joint = 0});
  for (const std::uint32_t hops : {0u, 1u, 2u}) {
    SurfaceFfdParameters parameters = test::by_cage();
    parameters.max_hops = hops;
    parameters.fade = 0;
    const Binding binding(model, parameters);
    const SparseRows rows = binding.rows(false);
    std::size_t pulled = 0;
    for (std::uint32_t v = 0; v < rows.row_count(); ++v) {
      pulled += std::ranges::any_of(rows.row(v), [&](const Influence& i) {
        const glm::uvec3 t = binding.elements().triangles()[i.index];
        return strongest(binding.driver().mesh.weights, {t.x, t.y, t.z}) != strongest(binding.mesh().weights, {v});
      });
    }
    EXPECT_EQ(pulled > 0, hops == 2) << hops;
  }
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

}  // namespace
}  // namespace pelt
