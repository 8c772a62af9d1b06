// SPDX-License-Identifier: MIT
// The base of a surface: as the rig gives it, from a mesh of the model or a file, or made of the skin.
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
  SparseRows weights;                        // of the control vertices, over the model's bound joints; or none
  bool painted = false;                      // on the base itself, with these weights
  // The connected part of the skin that each control vertex is of, and the same of the vertices of the targets, laid
  // end to end; only of a base that is made of the skin.
  std::vector<std::uint32_t> parts;
  std::vector<std::uint32_t> skin_parts;
  std::vector<glm::vec3> skin;  // of a base that has all of the skin's vertices: where each was; or none
  std::string label;            // of the layer, and the file that the base is read from, for errors
};

// Returns the parameters with their base, written out. What no attachment names on the base of a mesh follows the
// painting. Errors: a mesh or file that does not exist or is no control mesh, a mesh of another number of vertices than
// the base that it paints, no skin to make a base of, a base that was made of another skin.
Result<Base> find_base(const HierarchicalBsplineParameters& parameters, const DeformerInput& input);

// Makes a base of the skin: quads over a coarse mesh of it, fitted by least squares, and levels with what the skin has
// beyond that, attached as it is painted. Nothing of the base is attached yet.
Result<Base> made_base(const HierarchicalBsplineParameters& parameters, const DeformerInput& input);

// Takes from the skin what a base of `made_of` has of the vertices that it was made of: weights, parts, and places if
// it is the skin itself. Errors: another number of vertices than the base has, or ones that the skin lacks.
Result<void> take_from_skin(Base& base, const DeformerInput& input);

}  // namespace pelt::hierarchical_bspline
