// SPDX-License-Identifier: MIT
// Which elements may move which vertices (docs/mathematics.md section 1): groups of the rig and hops along the
// skeleton.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <pelt/result.h>
#include <pelt/rig.h>
#include <pelt/sparse_rows.h>
#include <pelt/surface_ffd.h>

#include "engine/deformer/builder.h"
#include "engine/surface_ffd/driver.h"
#include "engine/surface_ffd/elements.h"

namespace pelt::surface_ffd {

class Exclusions {
 public:
  // For one target. Errors: a group that cannot be had on the driver or on the mesh; hops where one of them has no
  // weights; pairs for a parametric driver.
  static Result<Exclusions> create(const SurfaceFfdParameters& parameters, const Driver& driver,
                                   const Elements& elements, const Mesh& mesh, const DeformerInput& input);

  // Whether there is nothing to ask below: every element may move every vertex.
  bool empty() const { return rules_.empty() && !hops_; }
  bool has_hops() const { return hops_.has_value(); }

  // What an element's weight at a vertex is multiplied by, 0 to 1.
  double allowance(std::size_t vertex, std::size_t element, bool with_hops) const;

 private:
  struct Rule {
    bool exclusive = false;
    std::vector<std::uint8_t> elements;  // 1: in the group
    std::vector<float> vertices;         // how much in the group, faded
  };
  struct Hops {
    std::vector<std::uint32_t> element_bone;      // number of the bone that moves each element, counted from 0
    SparseRows vertex_bones;                      // that move each vertex, by bound joints, faded
    std::vector<std::vector<std::uint8_t>> near;  // of each of the former, of each bound joint: not beyond the limit
  };

  Result<void> add_rules(std::span<const GroupPair> pairs, bool exclusive, const Driver& driver,
                         const Elements& elements, const Mesh& mesh, const DeformerInput& input);

  std::vector<Rule> rules_;
  std::optional<Hops> hops_;
};

}  // namespace pelt::surface_ffd
