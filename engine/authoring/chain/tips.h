// SPDX-License-Identifier: MIT
// The skin that follows each place, and the ends of bones that it tells.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/authoring/chain/places.h"

namespace pelt::chain {

struct SkinPoint {
  glm::dvec3 offset;  // from the place, metres
  double weight;
};

// Returns the vertices that follow each place, by the sum of the weights of its joints. The joints of a face count as
// the joint they hang on.
std::vector<std::vector<SkinPoint>> skin_of_places(const Model& model, std::span<const Mesh* const> skins,
                                                   const Places& places);

// Splits a root place of several joints: if the skin of the upper joints lies behind, these get a place and a bone of
// their own, so that the skin before and behind follows each as painted. Joints up to `together` metres apart stand
// together.
void split_roots(const Model& model, std::span<const Mesh* const> skins, double together, Places& places);

// Sets the tips of places without children to where their skin ends, or to the end node there. A place whose skin
// reaches beyond all joints below it gets a child without joints. Skin that reaches at most `together` metres gives no
// tip.
void find_tips(const Model& model, std::span<const Mesh* const> skins, std::span<const glm::dmat4> bind,
               double together, Places& places);

}  // namespace pelt::chain
