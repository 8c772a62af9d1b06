// SPDX-License-Identifier: MIT
// Measures a deformer's effect on a skin, compared with linear blend in the same frames. Linear blend shrinks skin at
// bends and twists, but never tears it or throws it far, so a result far beyond it is a defect.
//
// Lengths are compared per edge (each edge of the triangles once), areas per triangle. L is a length, A an area, and D
// the diagonal of the skin's bounding box in the rest pose. The suffixes 'rest, 'linear and 'moved name the positions:
// in the rest pose, by linear blend, and by the deformer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

namespace pelt {

// Returns the distance in double precision.
inline double distance(const glm::vec3& a, const glm::vec3& b) { return glm::length(glm::dvec3(a) - glm::dvec3(b)); }

// The frame, and the vertex or the two ends of the edge, of a worst value.
struct WorstLocation {
  std::size_t frame = 0;
  std::uint32_t from = 0;  // vertex
  std::uint32_t to = 0;    // the edge's other end; equals `from` for a vertex or a triangle
};

// Figures of one deformer. Each is 0 if there is nothing to measure: no triangles, no frames, no rigid edges.
struct Figures {
  double far = 0;          // largest distance of a vertex from its position by linear blend, over D
  double stretch = 0;      // largest L'moved / max(L'linear, L'rest) of edges that are longer than 0.002 D at rest
  double bad = 0;          // fraction of edges, over all frames, with that ratio above 2
  double rigid99 = 0;      // 99th percentile, over all frames, of the strain of rigid edges, |L'moved / L - 1|, L the
                           // median of L'linear; linear blend keeps them within 0.002 of it in every frame
  double rigid_max = 0;    // largest of these strains
  double rigid_share = 0;  // fraction of edges that are rigid
  double drift99 = 0;      // 99th percentile of the distance from linear blend, over D, of vertices all of whose edges
                           // keep their length in linear blend
  double flips = 0;     // fraction of triangles, over all frames, that face away from linear blend's, which has there
                        // more than 0.3 of A'rest
  double regained = 0;  // sum of min(A'moved, A'rest) - A'linear over triangles whose A'linear is below 0.7 A'rest,
                        // over the skin's area and the number of frames

  WorstLocation far_at;      // a vertex
  WorstLocation stretch_at;  // an edge
  WorstLocation rigid_at;    // the edge of rigid_max
  // The first corner of the largest triangle that faces away, in the frame in which the most area does; none if no
  // triangle does.
  std::optional<WorstLocation> flip_at;
};

// Returns the area lost by linear blend that a deformer regains, relative to dual quaternion in the same frames (1: as
// much). None if dual quaternion regains at most 0.0002 of the skin's area.
std::optional<double> restored(const Figures& figures, const Figures& dual_quaternion);

// Facts of a skin that do not depend on the deformer: its rest pose, and the edges that linear blend keeps rigid.
class LinearReference {
 public:
  // Returns the positions by linear blend in a frame, valid until the next call.
  using Positions = std::function<std::span<const glm::vec3>(std::size_t frame)>;

  // Positions are finite, in one common space; `linear` returns one for each vertex of `rest`. `linear` is called for
  // all frames in order, and again for all frames for each further 128 MB that the lengths of all edges in all frames
  // would take; no other memory grows with the frames. `threads`: 0 for all cores; results do not depend on it.
  LinearReference(std::span<const glm::vec3> rest, std::span<const glm::uvec3> triangles, std::size_t frame_count,
                  const Positions& linear, unsigned threads = 0);

  std::size_t frame_count() const { return frame_count_; }
  std::size_t vertex_count() const { return vertex_count_; }
  double diagonal() const { return diagonal_; }  // D

  // An edge of the triangles. Lengths are in metres.
  struct Edge {
    std::uint32_t from = 0, to = 0;
    double rest = 0;    // L'rest
    double median = 0;  // of L'linear
    bool rigid = false;
  };
  // Returns true if an edge is long enough to measure. The stretch of shorter ones is invisible.
  bool is_long(double length) const { return length > 2e-3 * diagonal_; }
  std::span<const Edge> edges() const { return edges_; }
  std::span<const glm::uvec3> triangles() const { return triangles_; }
  // An edge between two triangles with area, of one orientation, across seams too.
  struct Hinge {
    std::uint32_t triangles[2];
    std::uint32_t from = 0;
    float length = 0;  // at rest, metres
    float fold = 0;    // at rest, degrees
  };
  std::span<const Hinge> hinges() const { return hinges_; }
  std::span<const std::uint32_t> rigid_edges() const { return rigid_; }
  std::span<const std::uint32_t> stiff_vertices() const { return stiff_; }        // all edges keep their length
  std::span<const double> twice_rest_areas() const { return twice_rest_areas_; }  // of the triangles
  double twice_rest_area() const { return twice_rest_area_; }                     // their sum

 private:
  void find_edges(std::span<const glm::vec3> rest, unsigned threads);
  void find_hinges(std::span<const glm::vec3> rest);
  void find_rigid(const Positions& linear, unsigned threads);

  std::size_t frame_count_ = 0;
  std::size_t vertex_count_ = 0;
  double diagonal_ = 0;
  std::vector<Edge> edges_;
  std::vector<Hinge> hinges_;
  std::vector<std::uint32_t> rigid_;
  std::vector<std::uint32_t> stiff_;
  std::vector<glm::uvec3> triangles_;
  std::vector<double> twice_rest_areas_;
  double twice_rest_area_ = 0;
};

// Returns L'moved / max(L'linear, L'rest). Precondition: the edge is longer than 0 in the rest pose.
double stretch_of(const LinearReference::Edge& edge, std::span<const glm::vec3> linear,
                  std::span<const glm::vec3> moved);

// Returns |L'moved / L - 1|, L the median of L'linear. Precondition: the edge is rigid.
double strain_of(const LinearReference::Edge& edge, std::span<const glm::vec3> moved);

// Keeps the largest of many values that come in any order, for a percentile near 100.
class TopValues {
 public:
  // `count` values will be added. `percent`: 0 to 100.
  TopValues(std::size_t count, double percent);
  void add(std::span<const double> values);
  // Returns the percentile, interpolated linearly between the two neighbouring values as in NumPy; 0 without values.
  double percentile();

 private:
  double fraction_ = 0;   // part of the way from the lower neighbour to the upper one
  std::size_t keep_ = 0;  // number of values from the lower neighbour up
  double least_ = 0;      // smaller values do not count
  std::vector<double> values_;
};

// Measures the frames of one deformer, in sequence.
class FigureMeter {
 public:
  // The reference must outlive the meter.
  explicit FigureMeter(const LinearReference& reference, unsigned threads = 0);

  // Adds the next frame, with the positions by linear blend and by the deformer. Preconditions: all are finite, and
  // there are no more frames than in the reference.
  void add(std::span<const glm::vec3> linear, std::span<const glm::vec3> moved);

  // Returns the figures. Precondition: all frames were added.
  Figures figures();

 private:
  void add_distances(std::span<const glm::vec3> linear, std::span<const glm::vec3> moved);
  void add_edges(std::span<const glm::vec3> linear, std::span<const glm::vec3> moved);
  void add_rigid_edges(std::span<const glm::vec3> moved);
  void add_triangles(std::span<const glm::vec3> linear, std::span<const glm::vec3> moved);

  const LinearReference& reference_;
  unsigned threads_;
  std::size_t frame_ = 0;
  Figures figures_;
  std::uint64_t bad_ = 0;
  std::uint64_t flips_ = 0;
  double flipped_area_ = 0;  // in the frame with the largest such area
  double regained_ = 0;      // twice the area, over all frames
  TopValues strains_;
  TopValues drifts_;
  std::vector<double> scratch_;
};

}  // namespace pelt
