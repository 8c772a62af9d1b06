// SPDX-License-Identifier: MIT
// Decides which layer of a rig moves which mesh, and where, before anything is bound.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

#include "engine/authoring/deformer/placed_level.h"
#include "engine/authoring/driver/action_line/muscles.h"

namespace pelt {

// A layer at one mesh, and its mask there.
struct LayerAtMesh {
  std::size_t layer = 0;
  std::vector<float> mask;  // one value a vertex, in [0, 1]
};

// A layer as it will be bound. Layer 0 is linear blend, for everything that no layer of the rig moves; the rig's layers
// follow.
struct PlannedLayer {
  std::string label;  // "layer 2 (surface_ffd)": how errors and notes begin
  DeformerParameters deformer;
  std::optional<float> wires;              // Layer::wires
  std::optional<std::size_t> driver_mesh;  // index in Model::meshes
  bool over_all = false;                   // its target is *
  std::vector<std::string> idle{};         // why it moves nothing of a mesh that is its target, for each
};

// Returns why a layer that shows at no mesh moves nothing. Empty if the model has no skin, which bind refuses.
std::string why_idle(const PlannedLayer& layer);

// Areas of a mesh in square metres: all of it, and the two parts that a layer over * leaves to linear blend
// (PieceShares).
struct PieceAreas {
  double all = 0, rigid_parts = 0, cores = 0;
};

struct LayerPlan {
  std::vector<PlannedLayer> layers;
  // For each mesh of the model, the layers that show, from the bottom up; the first acts everywhere. A driver has the
  // layers that name it as their target, or none. A muscle's line has the layers that carry it, the muscle's mesh none.
  std::vector<std::vector<LayerAtMesh>> meshes;
  // For each level of the model the same layers as its mesh has; none if the mesh is a driver.
  std::vector<std::vector<LayerAtMesh>> levels;
  std::vector<bool> is_driver;     // for each mesh of the model
  std::vector<PieceAreas> pieces;  // for each mesh of the model, by the topmost layer over *

  bool is_skin(std::size_t mesh) const { return !is_driver[mesh] && !meshes[mesh].empty(); }
  bool is_moved_driver(std::size_t mesh) const { return is_driver[mesh] && !meshes[mesh].empty(); }
};

// Applies the rules of rig.h. In a layer over *, connected parts that follow practically one joint alone (eyes, teeth,
// a helmet) stay on linear blend: it keeps them rigid, while a surface FFD would mix them with their surroundings.
// Where the deformer asks for it (DeformerEntry::leaves), faces (patch_joints) or whole cores (core_joints) stay as
// well. Errors name the layer. The model must be validated and include the meshes of the muscles.
//
// The ends of a muscle's line move with their joints by linear blend. Between them lies the rig's first layer with
// curves, so that muscles follow the curves that move the skin; if the rig has none, a layer is added for it.
// `levels`: those of the model, in order. The masks at a level are those of its mesh.
Result<LayerPlan> plan_layers(const Model& model, std::span<const PlacedLevel> levels,
                              std::span<const MuscleMeshes> muscles, const Rig& rig, std::vector<std::string>& notes);

}  // namespace pelt
