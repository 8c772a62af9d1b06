// SPDX-License-Identifier: MIT
// Groups of vertices, painted onto the skin.
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

// What the rig's panel sets of the brush.
struct PaintState {
  std::string group;      // of the rig, that is painted; empty: nothing is
  float radius = 0.05f;   // metres
  float softness = 0.5f;  // the part of the radius over which it fades, 0 to 1
  bool remove = false;    // takes vertices away
};

// One stroke at a time, which is one step of undo. The brush reaches over the surface from where it touches it, not
// through the air: an arm is painted without the body beside it.
class MaskPaint {
 public:
  // Of the listed vertices of `mesh`, a mesh of the model. Errors: no such group or mesh; a group whose numbers are
  // another mesh's, or any mesh's of several.
  Result<void> begin(const Document& document, const PaintState& brush, const std::string& mesh);

  // Touches at `center`, nearest to `vertex`. `positions`: of all vertices of the model's mesh, in the space of
  // `center`, posed as they are seen. Does nothing outside a stroke. Errors: Document::edit's.
  Result<void> stroke(Document& document, std::span<const glm::vec3> positions, std::uint32_t vertex, glm::vec3 center);

  void end(Document& document);
  bool painting() const { return !values_.empty(); }

 private:
  void read_group(const Group& group);
  void add_neighbours(const Mesh& mesh);

  PaintState brush_;
  std::size_t group_ = 0;
  std::string mesh_;           // what the group names then
  std::vector<float> values_;  // of each vertex; empty: no stroke
  // Vertices at one place are one place, named by the first of them; of a place: its neighbours, its vertices.
  std::vector<std::uint32_t> place_;
  std::vector<std::vector<std::uint32_t>> neighbours_;
  std::vector<std::vector<std::uint32_t>> vertices_;
};

}  // namespace pelt::viewer
