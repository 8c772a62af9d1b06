// SPDX-License-Identifier: MIT
// The base of a surface: written in the rig, read from a mesh of the model or a file, or made from the skin.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

#include <pelt/hierarchical_bspline.h>
#include <pelt/result.h>
#include <pelt/sparse_rows.h>

#include "engine/authoring/deformer/builder.h"

namespace pelt::hierarchical_bspline {

struct Base {
  HierarchicalBsplineParameters parameters;  // with control vertices, and faces or a shape
  SparseRows weights;                        // of the control vertices, over the model's bound joints; may be empty
  bool painted = false;                      // the base itself is painted, with these weights
  // For a base made from the skin: the connected part of the skin that each control vertex comes from, and that of each
  // vertex of the targets, concatenated.
  std::vector<std::uint32_t> parts;
  std::vector<std::uint32_t> skin_parts;
  std::vector<glm::vec3> skin;  // vertex positions, of a base that has all of the skin's vertices; else empty
  std::string label;            // of the layer, and of the file that the base is read from, for errors
};

// Returns the parameters with their base written out. Vertices of a mesh's base that no attachment names follow the
// painting. Errors: a missing mesh or file, or one that is no control mesh; a mesh that paints a base of another vertex
// count; no skin to make a base from; a base made from another skin.
Result<Base> find_base(const HierarchicalBsplineParameters& parameters, const DeformerInput& input);

// Returns true for a surface made from the skin that nobody has edited: some of the skin may leave it.
bool is_as_made(const HierarchicalBsplineParameters& parameters);

// Makes a base from the skin: quads over a coarse mesh of it, fitted by least squares, and levels for the remaining
// detail, attached as the skin is painted. Nothing of the base is attached yet.
Result<Base> made_base(const HierarchicalBsplineParameters& parameters, const DeformerInput& input);

// Copies to a base of `made_of` the weights and parts of the vertices that it was made from, and their positions if it
// is the skin itself. Errors: the number of vertices differs from the base's, or the skin lacks some.
Result<void> take_from_skin(Base& base, const DeformerInput& input);

// Turns edges opposite angles above 120 degrees, between which the surface would fold over, if both triangles there
// become less obtuse and keep the direction of the one across. Leaves triangles at open borders, such as lips, as they
// are.
void turn_edges(std::vector<glm::uvec3>& triangles, std::span<const glm::vec3> positions);

}  // namespace pelt::hierarchical_bspline
