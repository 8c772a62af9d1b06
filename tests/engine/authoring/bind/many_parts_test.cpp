// SPDX-License-Identifier: MIT
// Bind allocates, and so computes, in proportion to the number of parts of a model.
#include <string>
#include <string_view>

#include <pelt/bind.h>
#include <pelt/rig.h>

#include "tests/engine/character/largest_allocation.h"
#include "tests/support/must.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

// Returns a model of tubes below one root, each on joints of its own.
Model make_parts(std::uint32_t count, std::uint32_t joints) {
  const Model part = test::make_tube({.around = 4, .along = 4, .radius = 0.2f, .length = 1, .joints = joints});
  Model model;
  model.skeleton.joints.push_back({.name = "root"});
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto first = static_cast<std::uint32_t>(model.skeleton.joints.size());
    const glm::vec3 place(0, i % 16, i / 16);
    for (Joint joint : part.skeleton.joints) {
      if (joint.parent < 0) joint.rest.translation += place;
      joint.parent = joint.parent < 0 ? 0 : joint.parent + static_cast<std::int32_t>(first);
      joint.name += " of " + std::to_string(i);
      model.skeleton.joints.push_back(joint);
    }
    const auto first_bound = static_cast<std::uint32_t>(model.bound_joints.size());
    for (BoundJoint bound : part.bound_joints) {
      bound.joint += first;
      bound.inverse_bind[3] -= glm::vec4(place, 0);
      model.bound_joints.push_back(bound);
    }
    Mesh& mesh = model.meshes.emplace_back(part.meshes[0]);
    mesh.name += std::to_string(i);
    for (glm::vec3& position : mesh.positions) position += place;
    for (Influence& influence : mesh.weights.influences) influence.index += first_bound;
  }
  return model;
}

std::size_t allocated_by_bind(const Model& model, const Rig& rig) {
  test::forget_allocations();
  test::must(bind(model, rig, {.threads = 1}));
  return test::allocated_bytes();
}

void expect_in_proportion(std::uint32_t joints, const Rig& rig) {
  constexpr std::uint32_t kParts = 256;
  const std::size_t once = allocated_by_bind(make_parts(kParts, joints), rig);
  const std::size_t twice = allocated_by_bind(make_parts(2 * kParts, joints), rig);
  EXPECT_LE(10 * twice, 22 * once) << once << " bytes for " << kParts << " parts, " << twice << " for twice as many";
}

class ManyRigidParts : public testing::TestWithParam<std::string_view> {};
class ManyBendingParts : public testing::TestWithParam<std::string_view> {};

// Their skin stays on linear blend.
TEST_P(ManyRigidParts, TakeMemoryInProportion) {
  expect_in_proportion(1, test::must(rig_from_deformer_name(std::string(GetParam()))));
}

// Without the check, whose poses are as many as the joints, up to a limit.
TEST_P(ManyBendingParts, TakeMemoryInProportion) {
  Rig rig = test::must(rig_from_deformer_name(std::string(GetParam())));
  rig.check = CheckMode::kNone;
  expect_in_proportion(2, rig);
}

constexpr auto deformer_of = [](const auto& test) { return std::string(test.param); };
INSTANTIATE_TEST_SUITE_P(Deformers, ManyRigidParts, testing::ValuesIn(deformer_names()), deformer_of);
// MOS samples each chain with the points of all chains.
INSTANTIATE_TEST_SUITE_P(Deformers, ManyBendingParts,
                         testing::Values("linear_blend", "dual_quaternion", "surface_ffd", "curve_skeleton",
                                         "hierarchical_bspline"),
                         deformer_of);

}  // namespace
}  // namespace pelt
