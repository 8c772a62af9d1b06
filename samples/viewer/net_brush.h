// SPDX-License-Identifier: MIT
// The brush on control vertices of hierarchical B-splines: a drag also moves those near the selected ones and near
// their mirror images. Distances are straight lines at bind.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include "samples/viewer/handle.h"
#include "samples/viewer/view_state.h"

namespace pelt::viewer {

struct BrushedHandle {
  Handle handle;
  glm::mat3 share{1.0f};  // offset of the drag -> offset of the handle, world space
};

// Returns the handles that a drag of `selected` moves, these first. A control vertex also moves others of its level
// within Surfaces::radius, by a smooth falloff. Surfaces::symmetric does the same, mirrored across x = 0, round the
// vertex nearest to the mirror image, unless it is farther away than a fraction of `size`, the character's.
std::vector<BrushedHandle> brushed(std::span<const Handle> selected, std::span<const Handle> handles,
                                   const Surfaces& settings, float size);

// Returns the names of the control vertices within `radius` of the selected ones, on their levels, without these.
std::vector<std::string> names_within(std::span<const Handle> selected, std::span<const Handle> handles, float radius);

}  // namespace pelt::viewer
