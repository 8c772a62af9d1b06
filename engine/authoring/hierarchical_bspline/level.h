// SPDX-License-Identifier: MIT
// A level of stored vertices that is being posed, and the passes that shift its vertices.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

#include <pelt/hierarchical_bspline.h>
#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/hierarchical_bspline/frame_pass.h"
#include "engine/authoring/hierarchical_bspline/joints.h"
#include "engine/authoring/hierarchical_bspline/surface.h"

namespace pelt::hierarchical_bspline {

// The source of a stored vertex's motion, and its limit and secondary action.
struct VertexPlan {
  const SurfaceAttachment* attachment = nullptr;  // none: the coarser level, or the root
  std::uint32_t segment = 0;                      // record of the pass of joints, unless a curve's
  std::uint32_t whole = 0;                        // that of the joint, of a sub-segment with a length
  std::uint32_t parent = 0;                       // that of its parent, likewise
  std::vector<Influence> painted;                 // records of that pass
  std::uint32_t joint = 0;                        // of the segment
  const SurfaceLimit* limit = nullptr;
  const SurfaceSeparation* separation = nullptr;
  std::uint32_t limiting_joint = 0;
  const SecondaryAction* action = nullptr;
};

// Vertices are numbered among all stored ones.
struct Level {
  std::uint32_t number;
  std::uint32_t first;
  std::uint32_t last;  // one past the level's last vertex
  const SurfaceLevel& edits;
  const Surface& surface;
  const Joints& joints;
  const DeformerInput& input;
  const std::vector<VertexPlan>& plans;     // of the stored vertices
  const std::vector<PosedVertex>& posed;    // of the stored vertices, as they are posed so far
  std::vector<std::uint32_t> entries = {};  // for each vertex of the level, the palette entry that moves it most

  std::string what() const;  // the layer and the level, for errors

  // Returns the axes of a vertex's offsets, model space at bind (StoredVertex::axes).
  const glm::dmat3& axes(std::uint32_t v) const { return surface.vertices()[v].axes; }

  // Returns the reference of equation 2, model space at bind: the joint that the vertex is attached to, or its refined
  // position; on the base the vertex itself.
  glm::vec3 reference(std::uint32_t v) const;
};

// Vertices that a pass shifts from their position so far.
struct Shift {
  std::vector<std::uint32_t> vertices;
  PalettePass pass;
  std::uint32_t entries = 1;  // palette entries of a vertex, the first of which shifts it
};

// Adds the pass of offsets by controls and angles over the level's control mesh, and returns its first palette entry;
// none without such keys. `name`: of the surface.
Result<std::optional<std::uint32_t>> add_keys(const Level& level, const std::string& name, const Mesh& mesh);

// Returns the shift of vertices that follow another, by keys with `follow`.
Result<Shift> shift_following(const Level& level, const SurfaceKeys& keys);

Shift shift_limited(const Level& level);

Shift shift_separated(const Level& level);

Result<Shift> shift_swinging(const Level& level);

}  // namespace pelt::hierarchical_bspline
