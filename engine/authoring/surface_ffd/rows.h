// SPDX-License-Identifier: MIT
// Makes rows of palette entries from the elements near each vertex: weights, cut, barycentric coordinates
// (docs/mathematics.md sections 1.2 and 1.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <span>

#include <pelt/result.h>
#include <pelt/surface_ffd.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/surface_ffd/elements.h"
#include "engine/authoring/surface_ffd/exclusions.h"
#include "engine/authoring/surface_ffd/limb_joints.h"

namespace pelt::surface_ffd {

struct RowSettings {
  const Elements& elements;
  std::size_t kept_elements;  // K; 0: all
  Cut cut;
  std::optional<double> unit;  // metres; none: unit_scale times the spacing of the driver near the vertex
  double unit_scale;
  double local;                                      // falloff exponent, >= 0
  bool extended;                                     // true: one entry per driver vertex; false: one per element
  std::size_t kept_influences;                       // extended: driver vertices per row; 0: all
  Precision precision;                               // extended
  double weight_similarity;                          // extended: exponent; 0: no effect
  ExactNormals exact_normals = ExactNormals::kNone;  // extended: which rows get gradients
  std::uint32_t first_entry;  // palette entry of element 0 (basic) or of driver vertex 0 (extended)
  const Mesh& driver;
  const SparseRows& painting;             // weights of the driver over the model's bound joints; may be empty
  std::span<const std::uint32_t> joints;  // joint of the skeleton for each bound joint
  std::span<const LimbJoint> limb_joints = {};
};

// Returns one row per vertex of the mesh, empty at mask 0. Weights below 0 are in an offset group. The result does not
// depend on the thread count. Errors: a vertex that may follow no element; more influences than 32 bits count.
Result<MeshBinding> make_rows(const Mesh& mesh, std::span<const float> mask, const RowSettings& settings,
                              const Exclusions& exclusions, unsigned threads,
                              const std::function<void(double)>& progress);

// Returns the rows of a few vertices, in their order, like make_rows, with the weights of both signs together.
Result<SparseRows> make_some_rows(const Mesh& mesh, std::span<const std::uint32_t> vertices,
                                  const RowSettings& settings, const Exclusions& exclusions);

}  // namespace pelt::surface_ffd
