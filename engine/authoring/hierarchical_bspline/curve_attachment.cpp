// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/curve_attachment.h"

#include <utility>

#include <pelt/curve_skeleton.h>
#include <pelt/try.h>

#include "engine/authoring/rig/deformer_entry.h"

namespace pelt::hierarchical_bspline {

Result<MeshBinding> bind_to_curve(const std::vector<std::string>& joints, std::span<const glm::vec3> points,
                                  const std::string& what, const DeformerInput& input) {
  CurveSkeletonParameters curve;
  curve.automatic = false;
  curve.binding = CurveBinding::kDistance;
  curve.curves = {{.name = "curve", .joints = joints}};
  Model model;
  model.name = input.model.name;
  model.skeleton = input.model.skeleton;
  model.bound_joints = input.model.bound_joints;
  Mesh& mesh = model.meshes.emplace_back();
  mesh.name = "control vertices";
  mesh.positions.assign(points.begin(), points.end());
  const std::vector<float> mask(points.size(), 1.0f);
  const DeformerTarget target{0, mask};
  const DeformerInput of_points{model,         std::span(&target, 1), what,           input.rig,
                                input.threads, input.builder,         input.drivers,  input.notes,
                                input.points,  [](double) {},         input.rig_layer};
  const DeformerParameters parameters(curve);
  PELT_ASSIGN(auto bindings, deformer_entry(parameters).bind(parameters, of_points));
  return std::move(bindings.front());
}

}  // namespace pelt::hierarchical_bspline
