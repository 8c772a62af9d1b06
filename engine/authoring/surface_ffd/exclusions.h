// SPDX-License-Identifier: MIT
// Decides which elements move which vertices, and how strongly (docs/mathematics.md section 1.2), by groups of the rig
// and by hops along the skeleton.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <pelt/result.h>
#include <pelt/sparse_rows.h>
#include <pelt/surface_ffd.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/surface_ffd/driver.h"
#include "engine/authoring/surface_ffd/elements.h"

namespace pelt::surface_ffd {

class Exclusions {
 public:
  // Makes the exclusions of one target. Errors: a group that does not exist on the driver or on the mesh; hops, if one
  // of the two has no weights; pairs or hops for a parametric driver.
  static Result<Exclusions> create(const SurfaceFfdParameters& parameters, const Driver& driver,
                                   const Elements& elements, const DeformerTarget& target, const DeformerInput& input);

  // Returns true if every element may move every vertex.
  bool empty() const { return rules_.empty() && !hops_; }
  bool has_hops() const { return hops_.has_value(); }

  // Finds the connected parts of the target's mesh, some of whose vertices are the driver's.
  void separate_parts(const Mesh& mesh, const Mesh& driver);
  // Returns true if a vertex and a driver vertex are in different parts of the mesh.
  bool is_apart(std::size_t vertex, std::size_t driver_vertex) const {
    return !parts_.empty() && driver_parts_[driver_vertex] && *driver_parts_[driver_vertex] != parts_[vertex];
  }

  // Returns the factor on an element's weight at a vertex.
  double allowance(std::size_t vertex, std::size_t element, bool with_hops) const;
  // Returns an upper bound of these factors at a vertex, at least 1.
  double most(std::size_t vertex) const;

 private:
  struct Rule {
    std::optional<float> factor;         // on the weights of the group's elements at its vertices; none: exclusive
    std::vector<std::uint8_t> elements;  // 1 for elements of the group
    std::vector<float> vertices;         // membership of each vertex in the group, 0 to 1, faded
  };
  struct Hops {
    std::vector<std::uint32_t> element_bone;      // number of the bone that moves each element, from 0
    SparseRows vertex_bones;                      // bones that move each vertex, by bound joints, faded
    std::vector<std::vector<std::uint8_t>> near;  // near[bone number][bound joint]: 1 if within the limit
  };

  Result<void> add_rule(const GroupPair& pair, const char* key, std::optional<float> factor, const Driver& driver,
                        const Elements& elements, const DeformerTarget& target, const DeformerInput& input);

  std::vector<Rule> rules_;
  std::optional<Hops> hops_;
  std::vector<std::uint32_t> parts_;                        // of each vertex; empty: not separate
  std::vector<std::optional<std::uint32_t>> driver_parts_;  // of each driver vertex that is one of the mesh
};

}  // namespace pelt::surface_ffd
