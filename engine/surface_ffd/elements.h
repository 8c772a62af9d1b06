// SPDX-License-Identifier: MIT
// The elements of a driver: what pulls the skin, each with a frame. Triangles that have area, or samples of patches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/result.h>

#include "engine/deformer/builder.h"
#include "engine/geometry/triangle_tree.h"
#include "engine/surface_ffd/driver.h"

namespace pelt::surface_ffd {

// A sample of a parametric patch.
struct PatchSample {
  std::uint32_t first_control = 0;  // of its patch in the driver's mesh
  std::vector<PatchBasis> basis;
  glm::dmat3 axes{0.0};  // [t_u t_v n]
  glm::dvec3 position{0.0};
};

class Elements {
 public:
  // Errors: no element is left.
  static Result<Elements> create(const Driver& driver);

  std::size_t count() const { return parametric() ? samples_.size() : triangles_.size(); }
  bool parametric() const { return !samples_.empty(); }
  std::size_t degenerate() const { return degenerate_; }  // that are none, for want of area or of a tangent

  // Of the driver's mesh; empty where it is parametric.
  std::span<const glm::uvec3> triangles() const { return triangles_; }
  std::uint32_t source_triangle(std::size_t element) const { return source_triangles_[element]; }

  // Mean length of the unique edges, or mean distance of neighbouring samples.
  double mean_spacing() const { return mean_spacing_; }
  // Mean length of the edges round an element's corners: `unit` there by default. Of samples the mean of all.
  double spacing(std::size_t element) const { return parametric() ? mean_spacing_ : spacings_[element]; }
  // The largest number of elements round a vertex.
  std::size_t largest_valence() const { return largest_valence_; }
  // For each element a number of the connected part that it is in; the driver's vertices at one place are one.
  std::span<const std::uint32_t> parts() const { return parts_; }
  // Unit normal of an element.
  glm::vec3 normal(std::size_t element) const { return normals_[element]; }

  // As TriangleTree's. A sample has no closest vertices.
  using Near = TriangleTree::NearPoint;
  void nearest(std::span<const glm::dvec3> points, std::size_t count, const TriangleTree::Visit& visit) const;
  void nearest(const glm::dvec3& point, std::size_t count, std::vector<Near>& result) const;

  // Adds the pass that poses one palette entry an element; returns the first.
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
