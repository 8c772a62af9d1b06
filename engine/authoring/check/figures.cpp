// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include <pelt/tools/check_figures.h>
#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/base/parallel_each.h"
#include "engine/authoring/geometry/bounds.h"

namespace pelt {
namespace {

constexpr double kRigid = 2e-3;        // largest deviation of a rigid edge, relative to its length
constexpr double kShortest = 1e-3;     // fraction of the diagonal; a shorter edge counts as that long
constexpr double kTorn = 2;            // times the longer of rest pose and linear blend
constexpr double kAway = -0.2;         // a triangle whose cosine to linear blend's is below this faces away
constexpr double kNotCollapsed = 0.3;  // fraction of the rest area; linear blend keeps at least that
constexpr double kShrunk = 0.7;        // fraction of the rest area; linear blend keeps less
constexpr double kMinArea = 1e-7;      // fraction of the squared diagonal, for twice the area
constexpr double kMinRegained = 2e-4;
constexpr std::size_t kBlock = 2048;
constexpr std::size_t kLengthBytes = std::size_t{128} << 20;

// Returns the normal of a triangle, as long as twice its area.
glm::dvec3 normal_of(std::span<const glm::vec3> positions, const glm::uvec3& t) {
  const glm::dvec3 origin(positions[t.x]);
  return glm::cross(glm::dvec3(positions[t.y]) - origin, glm::dvec3(positions[t.z]) - origin);
}

// Runs `body` over blocks that do not depend on the threads, so that sums over them are reproducible.
template <class Partial, class Body>
std::vector<Partial> in_blocks(std::size_t count, unsigned threads, const Body& body) {
  std::vector<Partial> partials((count + kBlock - 1) / kBlock);
  parallel_each(partials.size(), 4, threads,
                [&](std::size_t k) { body(k * kBlock, std::min(count, (k + 1) * kBlock), partials[k]); });
  return partials;
}

// The greatest value and the first item that has it.
struct Greatest {
  double value = 0;
  std::size_t item = 0;

  void see(double other, std::size_t other_item) {
    if (other > value) *this = {other, other_item};
  }
};

Greatest greatest_of(const std::vector<Greatest>& partials) {
  Greatest greatest;
  for (const Greatest& partial : partials) greatest.see(partial.value, partial.item);
  return greatest;
}

double median_of(std::span<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 == 1 ? *middle : (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace

std::optional<double> restored(const Figures& figures, const Figures& dual_quaternion) {
  if (!(dual_quaternion.regained > kMinRegained)) return std::nullopt;
  return figures.regained / dual_quaternion.regained;
}

// ---------------------------------------------------------------------------------------------------- the reference

LinearReference::LinearReference(std::span<const glm::vec3> rest, std::span<const glm::uvec3> triangles,
                                 std::size_t frame_count, const Positions& linear, unsigned threads)
    : frame_count_(frame_count), vertex_count_(rest.size()), triangles_(triangles.begin(), triangles.end()) {
  if (!rest.empty()) diagonal_ = glm::length(bounds_of<glm::dvec3>(rest).size());
  twice_rest_areas_.reserve(triangles_.size());
  for (const glm::uvec3& t : triangles_) twice_rest_areas_.push_back(glm::length(normal_of(rest, t)));
  for (const double area : twice_rest_areas_) twice_rest_area_ += area;
  find_edges(rest, threads);
  find_hinges(rest);
  find_rigid(linear, threads);
}

void LinearReference::find_edges(std::span<const glm::vec3> rest, unsigned threads) {
  const std::vector<MeshEdge> ends = unique_edges(triangles_);
  edges_.resize(ends.size());
  parallel_each(ends.size(), kBlock, threads, [&](std::size_t e) {
    const auto [from, to] = ends[e];
    edges_[e] = {from, to, distance(rest[from], rest[to]), 0};
  });
}

void LinearReference::find_rigid(const Positions& linear, unsigned threads) {
  if (frame_count_ == 0) return;
  std::vector<std::uint8_t> steady(edges_.size());
  const std::size_t at_once = std::max<std::size_t>(1, kLengthBytes / (frame_count_ * sizeof(double)));
  std::vector<double> lengths(std::min(at_once, edges_.size()) * frame_count_);
  for (std::size_t first = 0; first < edges_.size(); first += at_once) {
    const std::size_t count = std::min(at_once, edges_.size() - first);
    for (std::size_t frame = 0; frame < frame_count_; ++frame) {
      const std::span<const glm::vec3> positions = linear(frame);
      assert(positions.size() == vertex_count_);
      parallel_each(count, kBlock, threads, [&](std::size_t e) {
        const Edge& edge = edges_[first + e];
        lengths[e * frame_count_ + frame] = distance(positions[edge.from], positions[edge.to]);
      });
    }
    parallel_each(count, kBlock / 8, threads, [&](std::size_t e) {
      const std::span<double> edge_lengths = std::span(lengths).subspan(e * frame_count_, frame_count_);
      const auto [least, most] = std::minmax_element(edge_lengths.begin(), edge_lengths.end());
      const double low = *least, high = *most;
      const double median = median_of(edge_lengths);
      edges_[first + e].median = median;
      steady[first + e] = std::max(high - median, median - low) <= kRigid * std::max(median, kShortest * diagonal_);
    });
  }
  std::vector<std::uint8_t> stiff(vertex_count_, 0);
  for (const Edge& edge : edges_) stiff[edge.from] = stiff[edge.to] = 1;
  for (std::uint32_t e = 0; e < edges_.size(); ++e) {
    const Edge& edge = edges_[e];
    edges_[e].rigid = steady[e] != 0 && is_long(edge.median);
    if (edge.rigid) rigid_.push_back(e);
    if (steady[e] == 0) stiff[edge.from] = stiff[edge.to] = 0;
  }
  for (std::uint32_t v = 0; v < vertex_count_; ++v) {
    if (stiff[v] != 0) stiff_.push_back(v);
  }
}

double stretch_of(const LinearReference::Edge& edge, std::span<const glm::vec3> linear,
                  std::span<const glm::vec3> moved) {
  const double bound = std::max(edge.rest, distance(linear[edge.from], linear[edge.to]));
  return distance(moved[edge.from], moved[edge.to]) / bound;
}

double strain_of(const LinearReference::Edge& edge, std::span<const glm::vec3> moved) {
  return std::abs(distance(moved[edge.from], moved[edge.to]) / edge.median - 1);
}

// ------------------------------------------------------------------------------------------------------- percentiles

TopValues::TopValues(std::size_t count, double percent) {
  if (count == 0) return;
  const double place = percent / 100 * static_cast<double>(count - 1);
  const double lower = std::floor(place);
  fraction_ = place - lower;
  keep_ = count - static_cast<std::size_t>(lower);
  least_ = -std::numeric_limits<double>::infinity();
}

void TopValues::add(std::span<const double> values) {
  const auto from_the_top = [](double a, double b) { return a > b; };
  for (const double value : values) {
    if (value <= least_) continue;
    values_.push_back(value);
    if (values_.size() < 2 * keep_) continue;
    // Values up to the smallest of the largest `keep_` will never count.
    const auto last = values_.begin() + static_cast<std::ptrdiff_t>(keep_ - 1);
    std::nth_element(values_.begin(), last, values_.end(), from_the_top);
    least_ = *last;
    values_.resize(keep_);
  }
}

double TopValues::percentile() {
  if (keep_ == 0) return 0;
  assert(values_.size() >= keep_);
  std::sort(values_.begin(), values_.end(), [](double a, double b) { return a > b; });
  const double lower = values_[keep_ - 1];
  return keep_ == 1 ? lower : lower + fraction_ * (values_[keep_ - 2] - lower);
}

// --------------------------------------------------------------------------------------------------------- the meter

FigureMeter::FigureMeter(const LinearReference& reference, unsigned threads)
    : reference_(reference),
      threads_(threads),
      strains_(reference.rigid_edges().size() * reference.frame_count(), 99),
      drifts_(reference.stiff_vertices().size() * reference.frame_count(), 99) {}

void FigureMeter::add(std::span<const glm::vec3> linear, std::span<const glm::vec3> moved) {
  assert(linear.size() == reference_.vertex_count() && moved.size() == reference_.vertex_count());
  assert(frame_ < reference_.frame_count());
  add_distances(linear, moved);
  add_edges(linear, moved);
  add_rigid_edges(moved);
  add_triangles(linear, moved);
  ++frame_;
}

void FigureMeter::add_distances(std::span<const glm::vec3> linear, std::span<const glm::vec3> moved) {
  if (reference_.diagonal() == 0) {
    scratch_.assign(reference_.stiff_vertices().size(), 0);
    drifts_.add(scratch_);
    return;
  }
  const Greatest far = greatest_of(
      in_blocks<Greatest>(linear.size(), threads_, [&](std::size_t begin, std::size_t end, Greatest& greatest) {
        for (std::size_t v = begin; v < end; ++v)
          greatest.see(distance(moved[v], linear[v]) / reference_.diagonal(), v);
      }));
  if (far.value > figures_.far) {
    const auto vertex = static_cast<std::uint32_t>(far.item);
    figures_.far = far.value;
    figures_.far_at = {frame_, vertex, vertex};
  }
  scratch_.resize(reference_.stiff_vertices().size());
  parallel_each(scratch_.size(), kBlock, threads_, [&](std::size_t i) {
    const std::uint32_t v = reference_.stiff_vertices()[i];
    scratch_[i] = distance(moved[v], linear[v]) / reference_.diagonal();
  });
  drifts_.add(scratch_);
}

void FigureMeter::add_edges(std::span<const glm::vec3> linear, std::span<const glm::vec3> moved) {
  struct Partial {
    Greatest stretch;
    std::uint64_t bad = 0;
  };
  const std::span<const LinearReference::Edge> edges = reference_.edges();
  const auto partials =
      in_blocks<Partial>(edges.size(), threads_, [&](std::size_t begin, std::size_t end, Partial& partial) {
        for (std::size_t e = begin; e < end; ++e) {
          const LinearReference::Edge& edge = edges[e];
          if (!reference_.is_long(edge.rest)) continue;
          const double ratio = stretch_of(edge, linear, moved);
          partial.stretch.see(ratio, e);
          if (ratio > kTorn) ++partial.bad;
        }
      });
  for (const Partial& partial : partials) {
    bad_ += partial.bad;
    if (partial.stretch.value <= figures_.stretch) continue;
    const LinearReference::Edge& edge = edges[partial.stretch.item];
    figures_.stretch = partial.stretch.value;
    figures_.stretch_at = {frame_, edge.from, edge.to};
  }
}

void FigureMeter::add_rigid_edges(std::span<const glm::vec3> moved) {
  scratch_.resize(reference_.rigid_edges().size());
  const Greatest strain = greatest_of(
      in_blocks<Greatest>(scratch_.size(), threads_, [&](std::size_t begin, std::size_t end, Greatest& greatest) {
        for (std::size_t i = begin; i < end; ++i) {
          scratch_[i] = strain_of(reference_.edges()[reference_.rigid_edges()[i]], moved);
          greatest.see(scratch_[i], i);
        }
      }));
  strains_.add(scratch_);
  if (strain.value <= figures_.rigid_max) return;
  const LinearReference::Edge& edge = reference_.edges()[reference_.rigid_edges()[strain.item]];
  figures_.rigid_max = strain.value;
  figures_.rigid_at = {frame_, edge.from, edge.to};
}

void FigureMeter::add_triangles(std::span<const glm::vec3> linear, std::span<const glm::vec3> moved) {
  struct Partial {
    double regained = 0;
    std::uint64_t flips = 0;
    double flipped_area = 0;
    Greatest flipped;  // the triangle with the largest rest area
  };
  const double least_area = kMinArea * reference_.diagonal() * reference_.diagonal();
  const auto partials = in_blocks<Partial>(
      reference_.triangles().size(), threads_, [&](std::size_t begin, std::size_t end, Partial& partial) {
        for (std::size_t f = begin; f < end; ++f) {
          const double rest_area = reference_.twice_rest_areas()[f];
          const glm::dvec3 linear_normal = normal_of(linear, reference_.triangles()[f]);
          const glm::dvec3 normal = normal_of(moved, reference_.triangles()[f]);
          const double linear_area = glm::length(linear_normal), area = glm::length(normal);
          if (linear_area < kShrunk * rest_area && rest_area > least_area) {
            partial.regained += std::min(area, rest_area) - linear_area;
          }
          if (glm::dot(linear_normal, normal) < kAway * linear_area * area && linear_area > kNotCollapsed * rest_area) {
            ++partial.flips;
            partial.flipped_area += rest_area;
            partial.flipped.see(rest_area, f);
          }
        }
      });
  double flipped_area = 0;
  Greatest flipped;
  for (const Partial& partial : partials) {
    regained_ += partial.regained;
    flips_ += partial.flips;
    flipped_area += partial.flipped_area;
    flipped.see(partial.flipped.value, partial.flipped.item);
  }
  if (flipped_area <= flipped_area_) return;
  const std::uint32_t corner = reference_.triangles()[flipped.item].x;
  flipped_area_ = flipped_area;
  figures_.flip_at = WorstLocation{frame_, corner, corner};
}

Figures FigureMeter::figures() {
  assert(frame_ == reference_.frame_count());
  const auto share = [](auto part, std::size_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  figures_.bad = share(bad_, reference_.edges().size() * frame_);
  figures_.rigid99 = strains_.percentile();
  figures_.rigid_share = share(reference_.rigid_edges().size(), reference_.edges().size());
  figures_.drift99 = drifts_.percentile();
  figures_.flips = share(flips_, reference_.triangles().size() * frame_);
  if (reference_.twice_rest_area() > 0 && frame_ > 0) {
    figures_.regained = regained_ / (reference_.twice_rest_area() * static_cast<double>(frame_));
  }
  return figures_;
}

}  // namespace pelt
