// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/driver_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include <pelt/tools/area.h>
#include <pelt/tools/closest_weights.h>
#include <pelt/tools/joint_roles.h>
#include <pelt/try.h>

#include "engine/authoring/chain/chains.h"
#include "engine/authoring/chain/places.h"
#include "engine/authoring/driver/from_skin/shown_surface.h"
#include "engine/authoring/geometry/bone_forest.h"

namespace pelt::surface_ffd {
namespace {

// Returns the weights of the closest points of the targets.
Result<SparseRows> weights_of_targets(const Mesh& driver, const DeformerInput& input) {
  from_skin::ShownSurface skin = from_skin::shown_surface(input, true);
  drop_flat(skin.mesh.positions, skin.mesh.triangles);
  if (skin.mesh.triangles.empty()) {
    return invalid(input, fmt::format("the driver '{}' has no weights, and no target has any to give it", driver.name));
  }
  PELT_ASSIGN(const auto tree, within(input.layer, TriangleTree::create(skin.mesh.positions, skin.mesh.triangles)));
  skin.mesh = {};
  return closest_weights(
      tree, [&](std::uint32_t v) { return skin.weights(v); }, driver.positions, input.threads);
}

// A bone of the skeleton at bind, moved by a bound joint.
struct Limb {
  std::uint32_t bound_joint;
  glm::dvec3 from;
  glm::dvec3 to;
};

// Returns for each joint whether its bones are limbs: those that curves run along, and those of a face. The bone from a
// root on the ground to the hips is none; it runs between the legs.
std::vector<bool> joints_of_limbs(const Model& model) {
  std::vector<std::string> notes;  // about curves
  std::vector<bool> are =
      chain::find_body(model, chain::find_skins(model, {}), chain::matrices_at_bind(model, {}), notes);
  const std::vector<bool> is_patch = patch_joints(model.skeleton);
  for (std::size_t j = 0; j < are.size(); ++j) are[j] = are[j] || is_patch[j];
  return are;
}

// Returns the bones from every bound joint of a limb to the bound joints below it. A joint with none below it gets a
// bone that goes on as long as, and in the direction of, the bone that reaches it, or is a point.
std::vector<Limb> find_limbs(const Model& model) {
  const std::vector<Bone> bones = bone_forest(model);
  const std::vector<bool> is_limb = joints_of_limbs(model);
  std::vector<Limb> limbs;
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    if (!bones[b].is_somewhere || bones[b].first != b || !is_limb[model.bound_joints[b].joint]) continue;
    const glm::dvec3& origin = bones[b].origin;
    for (const std::uint32_t child : bones[b].children) limbs.push_back({b, origin, bones[child].origin});
    if (!bones[b].children.empty()) continue;
    const glm::dvec3& reached = bones[b].parent < 0 ? origin : bones[static_cast<std::size_t>(bones[b].parent)].origin;
    limbs.push_back({b, origin, origin + (origin - reached)});
  }
  return limbs;
}

}  // namespace

Result<SparseRows> transferred_weights(const DriverSource& driver, const DeformerInput& input) {
  if (driver.skin_weights.row_count() != 0) return driver.skin_weights;
  return weights_of_targets(driver.mesh, input);
}

Result<SparseRows> closest_limb_weights(const Mesh& driver, const DeformerInput& input) {
  const std::vector<Limb> limbs = find_limbs(input.model);
  if (limbs.empty()) return invalid(input, fmt::format("the driver '{}' has no limb to follow", driver.name));
  SparseRows weights;
  for (const glm::vec3 position : driver.positions) {
    const glm::dvec3 point(position);
    double least = std::numeric_limits<double>::infinity();
    Influence closest{limbs[0].bound_joint, 1.0f};
    for (const Limb& limb : limbs) {
      const double distance = distance_to_segment(point, limb.from, limb.to);
      if (distance < least) {
        least = distance;
        closest.index = limb.bound_joint;
      }
    }
    weights.append_row(std::span(&closest, 1));
  }
  return weights;
}

}  // namespace pelt::surface_ffd
