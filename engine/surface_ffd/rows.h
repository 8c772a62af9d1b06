// SPDX-License-Identifier: MIT
// From elements near a vertex to its row of palette entries: weights, cut, barycentric coordinates (docs/mathematics.md
// section 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/result.h>
#include <pelt/surface_ffd.h>

#include "engine/deformer/builder.h"
#include "engine/surface_ffd/elements.h"
#include "engine/surface_ffd/exclusions.h"

namespace pelt::surface_ffd {

struct RowSettings {
  const Elements& elements;
  std::size_t kept_elements;  // K; 0: all
  Cut cut;
  std::optional<double> unit;  // metres; none: the spacing of the driver there, times
  double unit_scale;
  double local;                 // >= 0
  bool extended;                // one entry a driver vertex, else one an element
  std::size_t kept_influences;  // of what the elements give, extended; 0: all
  Precision precision;          // extended
  double likeness;              // extended: exponent; 0 counts for nothing
  bool gradients;               // extended: whether rows have them
  std::uint32_t first_slot;     // of element 0 (basic) or of driver vertex 0 (extended)
  const Mesh& driver;
  const SparseRows& painting;             // of the driver, over the model's bound joints; may be empty
  std::span<const std::uint32_t> joints;  // of the skeleton, of each bound joint
};

// One row a vertex of the mesh, empty where the mask is 0; weights below 0 are an offset group. Does not depend on the
// thread count. Errors: a vertex that may follow no element; more influences than 32 bits count.
Result<MeshBinding> make_rows(const Mesh& mesh, std::span<const float> mask, const RowSettings& settings,
                              const Exclusions& exclusions, unsigned threads,
                              const std::function<void(double)>& progress);

// The rows of a few vertices, in their order: those that make_rows gives them, weights of both signs together.
Result<SparseRows> make_some_rows(const Mesh& mesh, std::span<const std::uint32_t> vertices,
                                  const RowSettings& settings, const Exclusions& exclusions);

}  // namespace pelt::surface_ffd
