// SPDX-License-Identifier: MIT
// The joints that curves run through, as a tree of places.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/model.h>

namespace pelt::chain {

inline constexpr std::uint32_t kNone = 0xffffffff;

// Where one joint stands, or several that stand together. A link is a bone to the parent or to a child.
struct Place {
  std::vector<std::uint32_t> joints;  // ascending
  std::uint32_t lowest = 0;           // the joint that what ends here follows
  glm::dvec3 position{0.0};           // model space at bind
  std::uint32_t parent = kNone;       // index of a place
  std::vector<std::uint32_t> children;
  std::optional<glm::dvec3> tip;  // where the bone of a childless place ends

  std::size_t link_count() const { return children.size() + (parent == kNone ? 0 : 1); }
};

struct Places {
  std::vector<Place> places;
  std::vector<std::uint32_t> of_joint;  // kNone: no curve runs through the joint
  std::vector<std::string> notes;
};

struct SkinPoint {
  glm::dvec3 offset;  // from the place
  double weight;
};

// The vertices that follow each place, by the weights of its joints together, a face's joints' among them.
std::vector<std::vector<SkinPoint>> skin_of_places(const Model& model, std::span<const Mesh* const> skins,
                                                   const Places& places);

// Those of `meshes` that have weights; where none has, those of the model.
std::vector<const Mesh*> find_skins(const Model& model, std::span<const std::uint32_t> meshes);

// Which joints count, which stand together, which are twist helpers, and where the tips are: chains.h says the rules.
// `bind`: matrices_at_bind.
Places find_places(const Model& model, std::span<const Mesh* const> skins, std::span<const glm::dmat4> bind);

// The joint of place `p` that turns the bone to its child `child`.
std::uint32_t turning_joint(const Model& model, const Places& places, std::uint32_t p, std::uint32_t child);

}  // namespace pelt::chain
