// SPDX-License-Identifier: MIT
// The elements of a driver, each with a frame that pulls the skin: triangles with area, or samples of patches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/result.h>
#include <pelt/tools/triangle_tree.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/surface_ffd/driver.h"

namespace pelt::surface_ffd {

struct PatchSample {
  std::uint32_t first_control = 0;  // index of its patch's first control vertex in the driver's mesh
  std::vector<PatchBasis> basis;
  glm::dmat3 axes{0.0};  // [t_u t_v n]
  glm::dvec3 position{0.0};
};

class Elements {
 public:
  // Finds the elements of a driver. Errors: it has no elements.
  static Result<Elements> create(const Driver& driver);

  std::size_t count() const { return parametric() ? samples_.size() : triangles_.size(); }
  bool parametric() const { return !samples_.empty(); }
  // Returns the number of triangles without area, or of samples without a frame, which are not elements.
  std::size_t degenerate() const { return degenerate_; }

  // Returns the elements as triangles of the driver's mesh; empty if it is parametric.
  std::span<const glm::uvec3> triangles() const { return triangles_; }
  std::uint32_t source_triangle(std::size_t element) const { return source_triangles_[element]; }

  // Returns the mean length of the unique edges, or the mean distance of neighbouring samples, metres.
  double mean_spacing() const { return mean_spacing_; }
  // Returns the mean length of the edges at an element's corners, metres, the default `unit` there. For samples it is
  // the mean of all.
  double spacing(std::size_t element) const { return parametric() ? mean_spacing_ : spacings_[element]; }
  // Returns the largest number of elements round a vertex.
  std::size_t largest_valence() const { return largest_valence_; }
  // Returns the connected part of each element, as a number. Coincident vertices of the driver are one.
  std::span<const std::uint32_t> parts() const { return parts_; }
  glm::vec3 normal(std::size_t element) const { return normals_[element]; }

  // Find the nearest elements like TriangleTree. A sample has no closest vertices.
  using Near = TriangleTree::NearPoint;
  void nearest(std::span<const glm::dvec3> points, std::size_t count, const TriangleTree::Visit& visit) const;
  void nearest(const glm::dvec3& point, std::size_t count, std::vector<Near>& result) const;

  // Adds the pass that poses one palette entry per element; returns the first entry.
  std::uint32_t add_pass(const Driver& driver, CharacterBuilder& builder) const;

 private:
  Elements() = default;
  Result<void> find_triangles(const Driver& driver);
  Result<void> find_samples(const Driver& driver);

  std::vector<glm::uvec3> triangles_;
  std::vector<std::uint32_t> source_triangles_;
  std::vector<PatchSample> samples_;
  std::vector<glm::vec3> normals_;
  std::vector<double> spacings_;
  std::vector<std::uint32_t> parts_;
  std::optional<TriangleTree> tree_;
  std::size_t degenerate_ = 0;
  std::size_t largest_valence_ = 0;
  double mean_spacing_ = 0;
};

}  // namespace pelt::surface_ffd
