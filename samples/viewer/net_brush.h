// SPDX-License-Identifier: MIT
// The brush on control vertices of hierarchical B-splines: a drag also moves those near the selected ones and near
// their mirror images. Distances are straight lines at bind.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>

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

// Returns the control vertices among the handles that a drag of a point of the skin moves: the least change of V_i that
// moves the point sum w_i V_i by d (Bartels & Beatty 1989), w_i d / sum w_j^2 each. `vertex`: of the instance.
std::vector<BrushedHandle> dragged_by(const CharacterData& character, std::uint32_t vertex,
                                      std::span<const Handle> handles);

// Returns the names of the control vertices within `radius` of the selected ones, on their levels, without these.
std::vector<std::string> names_within(std::span<const Handle> selected, std::span<const Handle> handles, float radius);

}  // namespace pelt::viewer
