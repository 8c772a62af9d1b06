// SPDX-License-Identifier: MIT
// Paints groups of vertices onto the skin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/result.h>
#include <pelt/selection.h>

#include "samples/viewer/document.h"

namespace pelt::viewer {

// The brush as set in the rig's panel.
struct PaintState {
  std::string group;      // group of the rig to paint; empty: none
  float radius = 0.05f;   // metres
  float softness = 0.5f;  // share of the radius over which it fades, 0 to 1
  bool remove = false;    // takes vertices away
};

// Paints one stroke at a time, which is one step of undo. The brush spreads over the surface from the point that it
// touches, not through the air: it paints an arm without the body beside it.
class MaskPaint {
 public:
  // Begins a stroke on `mesh`, a mesh of the model. Errors: no such group or mesh; the group lists vertices of another
  // mesh, or of any of several meshes.
  Result<void> begin(const Document& document, const PaintState& brush, const std::string& mesh);

  // Paints at `center`, nearest to `vertex`. `positions`: of all vertices of the model's mesh as they are visible, in
  // the space of `center`. Does nothing outside a stroke. Errors: Document::edit's.
  Result<void> stroke(Document& document, std::span<const glm::vec3> positions, std::uint32_t vertex, glm::vec3 center);

  void end(Document& document);
  bool painting() const { return !values_.empty(); }

 private:
  void read_group(const Group& group);
  void add_neighbours(const Mesh& mesh);

  PaintState brush_;
  std::size_t group_ = 0;
  std::string mesh_;           // the mesh that the group will name
  std::vector<float> values_;  // one a vertex; empty: no stroke
  // Vertices at the same position are one place, named by the first of them. For each place: its neighbours and its
  // vertices.
  std::vector<std::uint32_t> place_;
  std::vector<std::vector<std::uint32_t>> neighbours_;
  std::vector<std::vector<std::uint32_t>> vertices_;
};

}  // namespace pelt::viewer
