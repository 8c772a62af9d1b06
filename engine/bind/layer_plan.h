// SPDX-License-Identifier: MIT
// Which layer of a rig moves which mesh, and where: decided before anything is bound.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

#include "engine/driver/action_line/muscles.h"

namespace pelt {

// A layer at one mesh, and its mask there.
struct LayerAtMesh {
  std::size_t layer = 0;
  std::vector<float> mask;  // one value a vertex, in [0, 1]
};

// A layer as it will be bound. Layer 0 is linear blend for what no layer of the rig moves; the rig's follow.
struct PlannedLayer {
  std::string label;  // "layer 2 (surface_ffd)": how errors and notes begin
  DeformerParameters deformer;
  std::optional<float> wires;              // Layer::wires
  std::optional<std::size_t> driver_mesh;  // in Model::meshes
  bool over_all = false;                   // its target is *
};

// Of a mesh, in square metres: what a layer over * leaves to linear blend as it is (PieceShares).
struct PieceAreas {
  double all = 0, rigid_parts = 0, cores = 0;
};

struct LayerPlan {
  std::vector<PlannedLayer> layers;
  // Of each mesh of the model the layers that show, from the bottom up; the first acts everywhere. Drivers have those
  // that name them as their target, or none; the lines of muscles those that carry them, their meshes none.
  std::vector<std::vector<LayerAtMesh>> meshes;
  std::vector<bool> is_driver;     // of each mesh of the model
  std::vector<PieceAreas> pieces;  // the same: of the topmost layer over *
};

// The rules of rig.h. In a layer over *, connected parts that follow one joint all but alone (eyes, teeth, a helmet)
// stay on linear blend: it keeps them rigid, where a surface FFD would mix them with what surrounds them. So do faces
// (patch_joints), where a driver is made from the skin or a deformer needs bones to go along, and there also what moves
// as one piece (core_joints). Errors name the layer. The model is validated, and has the meshes of the muscles.
//
// The ends of a muscle's line move with their joints by linear blend. Over it, between them, lies the rig's first layer
// of a curve skeleton, so that muscles follow the curves that move the skin; where there is none, a layer of its own.
Result<LayerPlan> plan_layers(const Model& model, std::span<const MuscleMeshes> muscles, const Rig& rig,
                              std::vector<std::string>& notes);

}  // namespace pelt
