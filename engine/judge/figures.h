// SPDX-License-Identifier: MIT
// What a deformer does to a skin beside what linear blend does to it in the same frames. Linear blend shrinks where it
// bends and twists, but it neither tears a skin nor throws it away, so that what goes far beyond it is a fault.
//
// Lengths are compared edge by edge (each edge of the triangles once), areas triangle by triangle. L is a length, A an
// area, D the diagonal of the skin's bounding box at rest; 'rest, 'linear and 'moved say of which positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

namespace pelt {

// Without the rounding of floats.
inline double distance(const glm::vec3& a, const glm::vec3& b) { return glm::length(glm::dvec3(a) - glm::dvec3(b)); }

// The vertex, or the two ends of the edge, at which something is worst, and the frame.
struct WorstPlace {
  std::size_t frame = 0;
  std::uint32_t from = 0;  // vertex
  std::uint32_t to = 0;    // the edge's other end; of a vertex or a triangle `from` again
};

// 0 where there is nothing to measure: no triangles, no frames, no edges that stay rigid.
struct Figures {
  double far = 0;          // largest distance of a vertex from where linear blend has it, over D
  double stretch = 0;      // largest L'moved / max(L'linear, L'rest) of edges that are longer than 0.002 D at rest
  double bad = 0;          // share of edges, over all frames, that are longer than twice that
  double rigid99 = 0;      // 99th percentile, over all frames, of the strain of rigid edges, |L'moved / L - 1|, L the
                           // median of L'linear; linear blend keeps them within 0.002 of it in every frame
  double rigid_max = 0;    // largest of these
  double rigid_share = 0;  // share of edges that are rigid
  double drift99 = 0;      // 99th percentile of the distance, over D, of vertices all of whose edges are rigid
  double flips = 0;        // share of triangles, over all frames, that face away from linear blend's, which has 0.3 of
                           // its A'rest or more there
  double regained = 0;     // of triangles whose A'linear is below 0.7 A'rest: min(A'moved, A'rest) - A'linear, summed,
                           // over the skin's area and the number of frames
  WorstPlace far_at;       // a vertex
  WorstPlace stretch_at;   // an edge
  WorstPlace rigid_at;     // the edge of rigid_max
  // The largest of the triangles that face away, by its first corner, in the frame in which most area does; none: no
  // triangle does.
  std::optional<WorstPlace> flip_at;
};

// How much of the area that linear blend loses a deformer gives back, 1 being what dual quaternion gives back in the
// same frames; none where that is less than 0.0002 of the skin's area.
std::optional<double> restored(const Figures& figures, const Figures& dual_quaternion);

// What is known of a skin before a deformer moves it: its rest, and which edges linear blend keeps rigid.
class LinearReference {
 public:
  // Where linear blend has the vertices in a frame, valid until the next call.
  using Positions = std::function<std::span<const glm::vec3>(std::size_t frame)>;

  // Positions are one a vertex of `rest`, finite, in any one space. `linear` is called for all frames in order, and
  // again from the first for every 128 MB that the lengths of all edges in all frames would take: that is all the
  // memory that grows with the frames. `threads`: 0 for all cores; results do not depend on it.
  LinearReference(std::span<const glm::vec3> rest, std::span<const glm::uvec3> triangles, std::size_t frame_count,
                  const Positions& linear, unsigned threads = 0);

  std::size_t frame_count() const { return frame_count_; }
  std::size_t vertex_count() const { return vertex_count_; }
  double diagonal() const { return diagonal_; }  // D

  // An edge of the triangles, metres.
  struct Edge {
    std::uint32_t from = 0, to = 0;
    double rest = 0;    // L'rest
    double median = 0;  // of L'linear
    bool rigid = false;
  };
  // Shorter edges stretch without anybody seeing it.
  bool is_long(double length) const { return length > 2e-3 * diagonal_; }
  std::span<const Edge> edges() const { return edges_; }
  std::span<const glm::uvec3> triangles() const { return triangles_; }
  std::span<const std::uint32_t> rigid_edges() const { return rigid_; }
  std::span<const std::uint32_t> stiff_vertices() const { return stiff_; }        // all of whose edges are rigid
  std::span<const double> twice_rest_areas() const { return twice_rest_areas_; }  // of the triangles
  double twice_rest_area() const { return twice_rest_area_; }                     // their sum

 private:
  void find_edges(std::span<const glm::vec3> rest, unsigned threads);
  void find_rigid(const Positions& linear, unsigned threads);

  std::size_t frame_count_ = 0;
  std::size_t vertex_count_ = 0;
  double diagonal_ = 0;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> rigid_;
  std::vector<std::uint32_t> stiff_;
  std::vector<glm::uvec3> triangles_;
  std::vector<double> twice_rest_areas_;
  double twice_rest_area_ = 0;
};

// L'moved / max(L'linear, L'rest). Precondition: the edge is longer than 0 at rest.
double stretch_of(const LinearReference::Edge& edge, std::span<const glm::vec3> linear,
                  std::span<const glm::vec3> moved);

// |L'moved / L - 1|, L the median of L'linear. Precondition: the edge is rigid.
double strain_of(const LinearReference::Edge& edge, std::span<const glm::vec3> moved);

// The largest values of many that come in any order, for a percentile near 100 without keeping all.
class TopValues {
 public:
  // `count` values will be added. `percent`: 0 to 100.
  TopValues(std::size_t count, double percent);
  void add(std::span<const double> values);
  // Linear between the two neighbouring values, as NumPy's percentile; 0 of no values.
  double percentile();

 private:
  double fraction_ = 0;   // of the way from the lower neighbour to the upper
  std::size_t keep_ = 0;  // values from the lower neighbour up
  double least_ = 0;      // smaller values do not count
  std::vector<double> values_;
};

// Takes the frames of one deformer one after the other.
class FigureMeter {
 public:
  // The reference outlives the meter.
  explicit FigureMeter(const LinearReference& reference, unsigned threads = 0);

  // The next frame: where linear blend and where the deformer has the vertices. Precondition: finite; no more frames
  // than the reference has seen.
  void add(std::span<const glm::vec3> linear, std::span<const glm::vec3> moved);

  // Precondition: all frames were added.
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
  double flipped_area_ = 0;  // of the frame in which most is
  double regained_ = 0;      // twice the area, over all frames
  TopValues strains_;
  TopValues drifts_;
  std::vector<double> scratch_;
};

}  // namespace pelt
