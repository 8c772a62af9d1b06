// SPDX-License-Identifier: MIT
// Tests elements that are left out by hops between joints.
#include <glm/gtc/quaternion.hpp>

#include <pelt/builtin.h>
#include <pelt/linear_blend.h>
#include <pelt/pose.h>
#include <pelt/tools/weld.h>

#include "tests/engine/authoring/surface_ffd/ffd_rows.h"

namespace pelt {
namespace {

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
    const glm::vec3 hip(rest[thigh][3]);
    const glm::vec3 wanted(knee.x / 3, knee.y, knee.z);
    const glm::quat turn = glm::quat(glm::normalize(knee - hip), glm::normalize(wanted - hip));
    const auto above = static_cast<std::size_t>(model.skeleton.joints[thigh].parent);
    const glm::quat parent = glm::quat_cast(glm::mat3(rest[above]));
    local[thigh].rotation = glm::inverse(parent) * turn * parent * local[thigh].rotation;
  }
  std::vector<glm::mat4> posed(local.size());
  model_matrices(model.skeleton, local, posed);
  const Character linear = test::bound(model, test::rig_of(LinearBlendParameters{})).character;
  model.meshes[0].positions = test::posed(linear, posed, model.meshes[0].name);
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

}  // namespace
}  // namespace pelt
