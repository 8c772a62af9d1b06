// SPDX-License-Identifier: MIT
// Locations of skin on a surface, and the frames there that carry it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <pelt/hierarchical_bspline.h>
#include <pelt/result.h>
#include <pelt/sparse_rows.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/hierarchical_bspline/frame_pass.h"
#include "engine/authoring/hierarchical_bspline/painting.h"
#include "engine/authoring/hierarchical_bspline/surface.h"

namespace pelt::hierarchical_bspline {

// Frames at points of the surface, each posed once.
class Frames {
 public:
  // On a mesh u runs another way at each vertex.
  Frames(const Surface& surface, const std::vector<PosedVertex>& posed)
      : pass_(surface, posed, surface.grid() != nullptr ? FrameKind::kTangent : FrameKind::kMesh) {}

  using Key = std::pair<double, double>;  // parameters, or the number of a vertex and 0
  // Returns the number of the frame at a point, none if the surface has no tangent plane there. The first call for a
  // key adds it, by its weights of stored vertices.
  std::optional<std::uint32_t> at(Key key, const std::function<std::vector<Share>()>& shares);

  bool empty() const { return pass_.empty(); }
  std::uint32_t finish(CharacterBuilder& builder) { return pass_.finish(builder); }

 private:
  FramePass pass_;
  std::map<Key, std::optional<std::uint32_t>> numbers_;
};

// Locates the vertices of one mesh at a time on the surface.
class SkinLocator {
 public:
  virtual ~SkinLocator() = default;

  // Locates a mesh's vertices. `parts`: the part of the skin of each vertex (Base::skin_parts), or empty for any.
  // Errors: a surface without area, a mesh without the texture coordinates that the rig asks for.
  virtual Result<void> find(const Mesh& mesh, std::span<const std::uint32_t> parts) = 0;

  virtual SurfacePoint at(std::size_t vertex) const = 0;

  // Returns true if a vertex this high over its point is beyond a centre of curvature, so that the surface at that
  // height turns over. Precondition: the point has a frame.
  virtual bool is_beyond_curvature(std::size_t vertex, double height) const = 0;

  // Returns the share, 0 to 1, by which a vertex this high over its point should follow its own painting instead of the
  // surface, which is painted unlike it there, turns over at that height, or has another side very near.
  virtual float own_share(std::size_t, double /*height*/, std::span<const Influence> /*own*/) const { return 0; }

  // Adds the weights of the frames round a vertex's point to `row`. Errors: no tangent plane.
  virtual Result<void> append(std::size_t vertex, Frames& frames, std::vector<WeightedElement>& row) = 0;
};

// Returns the parameters, on the finest level, of each point's closest point on a grid: the nearest of a tessellation,
// refined by Gauss-Newton steps that come closer. Errors: a surface without area.
Result<std::vector<glm::dvec2>> closest_parameters(const Surface& surface, std::span<const glm::vec3> points,
                                                   unsigned threads);

// Return the locator on a grid, and on a mesh. All arguments must outlive the result. `painting`: of the surface, or
// null. If the base has all of the skin's vertices, each lies at its own vertex.
Result<std::unique_ptr<SkinLocator>> grid_locator(const HierarchicalBsplineParameters& parameters, Surface& surface,
                                                  const DeformerInput& input);
Result<std::unique_ptr<SkinLocator>> mesh_locator(const Base& base, Surface& surface, const Painting* painting,
                                                  const DeformerInput& input);

// Returns for each vertex the first one within 1e-4 of the size: the other side of a sheet, or a twin at a seam.
std::vector<std::uint32_t> weld_sides(std::span<const glm::vec3> positions);

// Returns how many cells of frames a span gets, a power of two and at least one: as wide as skin blends well between.
// `length`: of a span, metres.
double cells_of_span(double length, double skin_edge);

// Return the mean edge of the targets, and of a control mesh, metres.
double mean_edge(const DeformerInput& input);
double mean_edge(const Polygons& faces, std::span<const glm::dvec3> control);

}  // namespace pelt::hierarchical_bspline
