// SPDX-License-Identifier: MIT
// Decides before anything is bound which layer of a rig moves which mesh, with which mask.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

#include "engine/authoring/deformer/level_mapping.h"
#include "engine/authoring/driver/action_line/muscles.h"

namespace pelt {

// A layer at one mesh, and its mask there.
struct LayerAtMesh {
  std::size_t layer = 0;
  std::vector<float> mask;  // one value per vertex, in [0, 1]
};

// A layer as it will be bound. Layer 0 is linear blend, for the vertices that no layer of the rig moves, and spreads
// twists if one of the rig's does. The rig's layers follow.
struct PlannedLayer {
  std::string label;  // "layer 1 (surface-ffd)": how errors and notes begin
  DeformerParameters deformer;
  std::optional<float> wires;              // Layer::wires
  std::optional<std::size_t> driver_mesh;  // index in Model::meshes
  bool over_all = false;                   // its target is *
  std::vector<std::string> idle{};         // for each target mesh that it does not move at all, the reason
};

// Returns why a layer that shows at no mesh moves nothing. Empty if the model has no skin, which is an error of bind.
std::string why_idle(const PlannedLayer& layer);

// Areas of a mesh in square metres: the whole mesh, and the two kinds of parts that a layer over * leaves to linear
// blend (PieceShares).
struct PieceAreas {
  double all = 0, rigid_parts = 0, rigid_regions = 0;
};

struct LayerPlan {
  std::vector<PlannedLayer> layers;
  // For each mesh of the model, the layers that show, bottom first; the first acts everywhere. A driver has the layers
  // that name it as their target, or none. A muscle's line has the layers that carry it; the muscle's mesh has none.
  std::vector<std::vector<LayerAtMesh>> meshes;
  // For each level of the model, the layers of its mesh; none if the mesh is a driver.
  std::vector<std::vector<LayerAtMesh>> levels;
  std::vector<bool> is_driver;     // for each mesh of the model
  std::vector<PieceAreas> pieces;  // for each mesh of the model, by the topmost layer over *

  bool is_skin(std::size_t mesh) const { return !is_driver[mesh] && !meshes[mesh].empty(); }
  bool is_moved_driver(std::size_t mesh) const { return is_driver[mesh] && !meshes[mesh].empty(); }
};

// Applies the rules of rig.h. In a layer over *, connected parts that practically follow one joint (eyes, teeth, a
// helmet) stay on linear blend, which keeps them rigid; a surface FFD would mix them with their surroundings. If the
// deformer asks for it (DeformerEntry::leaves), faces (patch_joints) or whole rigid regions (chain::rigid_regions) stay
// as well. Errors name the layer. The model must be valid and include the meshes of the muscles.
//
// The ends of a muscle's line move with their joints by linear blend. Between them, the rig's first layer with curves
// moves the line, so that muscles follow the curves that move the skin; if the rig has none, a layer is added.
// `levels`: those of the model, in order. A level has the masks of its mesh.
Result<LayerPlan> plan_layers(const Model& model, std::span<const LevelMapping> levels,
                              std::span<const MuscleMeshes> muscles, const Rig& rig, std::vector<std::string>& notes);

}  // namespace pelt
