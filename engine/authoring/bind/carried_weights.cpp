// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/carried_weights.h"

#include <fmt/format.h>

#include <algorithm>

#include <pelt/mesh.h>
#include <pelt/tools/area.h>
#include <pelt/tools/closest_weights.h>

#include "engine/authoring/model/mesh_weights.h"

namespace pelt {
namespace {

// Returns the driver of a skin that is painted to one joint on which the driver has no weight; nullptr if there is no
// such driver, the skin is painted otherwise, or the model has levels of detail for it.
const Mesh* carrier_of(const Model& model, const LayerPlan& plan, std::size_t mesh) {
  const auto is_of_mesh = [&](const MeshLevel& level) { return level.of == mesh; };
  if (!plan.is_skin(mesh) || std::ranges::any_of(model.levels, is_of_mesh)) return nullptr;
  const std::optional<std::size_t>& driver = plan.layers[plan.meshes[mesh].front().layer].driver_mesh;
  if (!driver || !has_weights(model.meshes[*driver])) return nullptr;
  const std::optional<std::uint32_t> joint = only_bound(model.meshes[mesh]);
  const auto is_of_joint = [&](const Influence& influence) { return influence.index == joint; };
  const bool shared = std::ranges::any_of(model.meshes[*driver].weights.influences, is_of_joint);
  return joint && !shared ? &model.meshes[*driver] : nullptr;
}

}  // namespace

std::optional<Model> carry_weights(const Model& model, const LayerPlan& plan, unsigned threads,
                                   std::vector<std::string>& notes) {
  std::optional<Model> result;
  for (std::size_t m = 0; m < plan.meshes.size(); ++m) {
    const Mesh* driver = carrier_of(model, plan, m);
    if (driver == nullptr) continue;
    Mesh surface = *driver;
    drop_flat(surface.positions, surface.triangles);
    const Result<TriangleTree> tree = TriangleTree::create(surface.positions, surface.triangles);
    if (!tree) continue;
    if (!result) result = model;
    Mesh& mesh = result->meshes[m];
    mesh.weights = closest_weights(
        *tree, [&](std::uint32_t v) { return surface.weights.row(v); }, mesh.positions, threads);
    notes.push_back(
        fmt::format("'{}' has no weights on the joints of its driver '{}': linear blend uses the driver's weights",
                    mesh.name, driver->name));
  }
  return result;
}

}  // namespace pelt
