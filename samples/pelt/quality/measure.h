// SPDX-License-Identifier: MIT
// Measures how well a deformer keeps the shape of a limb: compares a deformed mesh with the same mesh in the rest pose,
// in double precision. docs/quality.md explains each figure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

namespace pelt::samples {

// The names are the keys of the command's JSON. A ratio to the rest pose is 1 if nothing changed. A material
// cross-section is the curve in which a plane across the axis cuts the rest mesh; the deformation carries it along.
struct Quality {
  double volume = 1;        // signed volume, deformed / rest
  double r_min = 1;         // least over the cross-sections: smallest distance from the centroid, deformed / rest
  std::size_t flipped = 0;  // triangles of the side that face the centre of their cross-section
  double crease = 0;        // largest change of a dihedral angle, degrees
  double crease99 = 0;      // 99th percentile of the change over the edges, degrees
  std::optional<double> crease_out;  // largest change on the outer side of a bend; none: not a bend
};

// Interpolates linearly between the two nearest ranks of ascending values; 0 if there are none. `share`: 0 to 1.
double percentile(std::span<const double> sorted, double share);

// Measures deformed meshes of one rest mesh; data of the rest mesh are computed once.
class QualityMeter {
 public:
  // Takes a closed mesh, its triangles wound outward, around the straight line from `axis_from` to `axis_to`: two
  // different points in or on the mesh.
  QualityMeter(std::span<const glm::dvec3> rest, std::span<const glm::uvec3> triangles, const glm::dvec3& axis_from,
               const glm::dvec3& axis_to);

  // Measures one deformed mesh. deformed: the moved vertices of the rest mesh. outward, for a bend: the direction
  // across the axis, in the rest pose, that becomes the bend's outside. Edges whose midpoints lie on that side of the
  // axis form its outer side.
  Quality measure(std::span<const glm::dvec3> deformed, const std::optional<glm::dvec3>& outward = std::nullopt) const;

 private:
  // An edge with a triangle on either side.
  struct Edge {
    std::uint32_t from = 0, to = 0;
    std::uint32_t left = 0, right = 0;  // triangles: the left one has the edge in its direction
    double rest_angle = 0;              // NaN if an adjoining triangle or the edge has no size
    glm::dvec3 from_axis{0.0};          // vector from a point of the axis to the midpoint, in the rest pose
  };
  // The point at which a plane cuts the edge between two vertices of the rest mesh.
  struct CutPoint {
    std::uint32_t from = 0, to = 0;
    double fraction = 0;
  };
  struct Section {
    std::vector<CutPoint> loop;
    double rest = 0;  // least_radius() in the rest pose
  };
  // A triangle of the side. The mean of the vertices [first, last) of along_axis_ is the centre of its cross-section.
  struct SideTriangle {
    std::uint32_t triangle = 0;
    std::size_t first = 0, last = 0;
  };

  static std::vector<Edge> inner_edges(std::span<const glm::uvec3> triangles);
  static std::vector<std::vector<CutPoint>> contours(std::span<const double> heights,
                                                     std::span<const glm::uvec3> triangles);
  static std::vector<double> dihedral_angles(std::span<const glm::dvec3> points, std::span<const glm::uvec3> triangles,
                                             std::span<const Edge> edges);
  static std::vector<glm::dvec3> cut_points(std::span<const glm::dvec3> points, std::span<const CutPoint> loop);
  static double least_radius(std::span<const glm::dvec3> loop);

  void find_sections(std::span<const glm::dvec3> rest, const glm::dvec3& axis_from, const glm::dvec3& axis_to);
  void find_side(std::span<const glm::dvec3> rest, const glm::dvec3& axis_from, const glm::dvec3& axis_to);

  std::size_t vertex_count_ = 0;
  std::vector<glm::uvec3> triangles_;
  double rest_volume_ = 0;
  std::vector<Edge> edges_;
  std::vector<Section> sections_;
  std::vector<std::uint32_t> along_axis_;  // all vertices, sorted along the axis in the rest pose
  std::vector<SideTriangle> side_;
};

}  // namespace pelt::samples
