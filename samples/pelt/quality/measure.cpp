// SPDX-License-Identifier: MIT
#include "samples/pelt/quality/measure.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace pelt::samples {
namespace {

// Planes across the axis, evenly spaced, and the fraction of the axis left out at either end.
constexpr int kSections = 61;
constexpr double kMargin = 0.02;
// The planes are shifted by this fraction of the axis, to miss the vertices of evenly spaced rings.
constexpr double kOffVertices = 1.2345e-7;

// The centre of a triangle's cross-section is the mean of the vertices within this distance along the axis, as a
// fraction of its length.
constexpr double kHalfWidth = 1.0 / 60;
// Cosine of the angle to the outward direction: triangles above it belong to the side, not to a cap.
constexpr double kFacesOutward = 0.5;

// Edges shorter than this, and triangles with less than half this area, have no direction.
constexpr double kNoSize = 1e-14;

using Points = std::vector<glm::dvec3>;

// Returns the normal of the triangle, as long as twice its area.
glm::dvec3 area_normal(std::span<const glm::dvec3> points, const glm::uvec3& t) {
  return glm::cross(points[t.y] - points[t.x], points[t.z] - points[t.x]);
}

glm::dvec3 centroid(std::span<const glm::dvec3> points, const glm::uvec3& t) {
  return (points[t.x] + points[t.y] + points[t.z]) / 3.0;
}

glm::dvec3 mean(std::span<const glm::dvec3> points) {
  return std::accumulate(points.begin(), points.end(), glm::dvec3(0.0)) / static_cast<double>(points.size());
}

// Returns the volume by the divergence theorem: tetrahedra from one point to each triangle. For a closed mesh any point
// will do.
double signed_volume(std::span<const glm::dvec3> points, std::span<const glm::uvec3> triangles) {
  const glm::dvec3 apex = mean(points);
  double sum = 0;
  for (const glm::uvec3& t : triangles) sum += glm::dot(points[t.x] - apex, area_normal(points, t));
  return sum / 6;
}

// Returns prefix sums: sums[i] is the sum of the first i points in this order.
Points running_sums(std::span<const glm::dvec3> points, std::span<const std::uint32_t> order) {
  Points sums{glm::dvec3(0.0)};
  sums.reserve(order.size() + 1);
  for (const std::uint32_t i : order) sums.push_back(sums.back() + points[i]);
  return sums;
}

glm::dvec3 mean_of_range(const Points& sums, std::size_t first, std::size_t last) {
  return (sums[last] - sums[first]) / static_cast<double>(last - first);
}

}  // namespace

double percentile(std::span<const double> sorted, double share) {
  if (sorted.empty()) return 0;
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], rank - static_cast<double>(below));
}

QualityMeter::QualityMeter(std::span<const glm::dvec3> rest, std::span<const glm::uvec3> triangles,
                           const glm::dvec3& axis_from, const glm::dvec3& axis_to)
    : vertex_count_(rest.size()), triangles_(triangles.begin(), triangles.end()) {
  rest_volume_ = signed_volume(rest, triangles_);
  edges_ = inner_edges(triangles_);
  const std::vector<double> angles = dihedral_angles(rest, triangles_, edges_);
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    Edge& edge = edges_[e];
    edge.rest_angle = angles[e];
    edge.from_axis = 0.5 * (rest[edge.from] + rest[edge.to]) - axis_from;
  }
  find_sections(rest, axis_from, axis_to);
  find_side(rest, axis_from, axis_to);
}

Quality QualityMeter::measure(std::span<const glm::dvec3> deformed, const std::optional<glm::dvec3>& outward) const {
  assert(deformed.size() == vertex_count_);
  Quality quality;
  quality.volume = signed_volume(deformed, triangles_) / rest_volume_;

  quality.r_min = std::numeric_limits<double>::infinity();
  for (const Section& section : sections_) {
    quality.r_min = std::min(quality.r_min, least_radius(cut_points(deformed, section.loop)) / section.rest);
  }

  const Points sums = running_sums(deformed, along_axis_);
  for (const SideTriangle& side : side_) {
    const glm::uvec3& t = triangles_[side.triangle];
    const glm::dvec3 from_centre = centroid(deformed, t) - mean_of_range(sums, side.first, side.last);
    if (glm::dot(area_normal(deformed, t), from_centre) < 0) ++quality.flipped;
  }

  const std::vector<double> angles = dihedral_angles(deformed, triangles_, edges_);
  std::vector<double> changes;
  if (outward) quality.crease_out = 0;
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const double change = std::abs(std::remainder(angles[e] - edges_[e].rest_angle, glm::two_pi<double>()));
    if (!std::isfinite(change)) continue;
    changes.push_back(glm::degrees(change));
    if (outward && glm::dot(edges_[e].from_axis, *outward) > 0) {
      quality.crease_out = std::max(*quality.crease_out, changes.back());
    }
  }
  std::sort(changes.begin(), changes.end());
  quality.crease = percentile(changes, 1);
  quality.crease99 = percentile(changes, 0.99);
  return quality;
}

std::vector<QualityMeter::Edge> QualityMeter::inner_edges(std::span<const glm::uvec3> triangles) {
  // A side of a triangle, the lower vertex first.
  struct Side {
    std::uint32_t low, high, triangle;
    bool ascends;
    auto key() const { return std::tie(low, high, triangle); }
  };
  std::vector<Side> sides;
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (glm::length_t k = 0; k < 3; ++k) {
      const std::uint32_t from = triangles[t][k];
      const std::uint32_t to = triangles[t][(k + 1) % 3];
      sides.push_back({std::min(from, to), std::max(from, to), t, from < to});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) { return a.key() < b.key(); });

  std::vector<Edge> edges;
  for (std::size_t first = 0; first < sides.size();) {
    const Side& side = sides[first];
    std::size_t last = first + 1;
    while (last < sides.size() && sides[last].low == side.low && sides[last].high == side.high) ++last;
    if (last - first == 2) {
      edges.push_back({.from = side.ascends ? side.low : side.high,
                       .to = side.ascends ? side.high : side.low,
                       .left = side.triangle,
                       .right = sides[first + 1].triangle});
    }
    first = last;
  }
  return edges;
}

// Returns the angle from the left normal to the right one about each edge: positive at convex edges.
std::vector<double> QualityMeter::dihedral_angles(std::span<const glm::dvec3> points,
                                                  std::span<const glm::uvec3> triangles, std::span<const Edge> edges) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto unit = [](const glm::dvec3& v) {
    const double length = glm::length(v);
    return length > kNoSize ? v / length : glm::dvec3(kNone);
  };
  Points normals;
  normals.reserve(triangles.size());
  for (const glm::uvec3& t : triangles) normals.push_back(unit(area_normal(points, t)));
  std::vector<double> angles;
  angles.reserve(edges.size());
  for (const Edge& edge : edges) {
    const glm::dvec3& left = normals[edge.left];
    const glm::dvec3& right = normals[edge.right];
    const glm::dvec3 along = unit(points[edge.to] - points[edge.from]);
    angles.push_back(std::atan2(glm::dot(glm::cross(left, right), along), glm::dot(left, right)));
  }
  return angles;
}

// Returns the closed curves in which a plane cuts the mesh. `heights`: of each vertex above the plane, never 0.
std::vector<std::vector<QualityMeter::CutPoint>> QualityMeter::contours(std::span<const double> heights,
                                                                        std::span<const glm::uvec3> triangles) {
  using CutEdge = std::pair<std::uint32_t, std::uint32_t>;  // the lower vertex first
  // A shared edge ascends in one of its two triangles and descends in the other. The curve enters each triangle by its
  // ascending side and leaves it by its descending side, which is the ascending side of the next triangle.
  std::map<CutEdge, CutEdge> next;
  for (const glm::uvec3& t : triangles) {
    CutEdge up, down;
    bool cut = false;
    for (glm::length_t k = 0; k < 3; ++k) {
      const std::uint32_t from = t[k];
      const std::uint32_t to = t[(k + 1) % 3];
      const bool from_below = heights[from] < 0;
      if (from_below == (heights[to] < 0)) continue;
      (from_below ? up : down) = std::minmax({from, to});
      cut = true;
    }
    if (cut) next.emplace(up, down);
  }
  std::vector<std::vector<CutPoint>> curves;
  while (!next.empty()) {
    std::vector<CutPoint>& curve = curves.emplace_back();
    CutEdge edge = next.begin()->first;
    while (const auto step = next.extract(edge)) {
      const auto [from, to] = edge;
      curve.push_back({from, to, heights[from] / (heights[from] - heights[to])});
      edge = step.mapped();
    }
  }
  return curves;
}

std::vector<glm::dvec3> QualityMeter::cut_points(std::span<const glm::dvec3> points, std::span<const CutPoint> loop) {
  Points cut;
  cut.reserve(loop.size());
  for (const CutPoint& p : loop) cut.push_back(glm::mix(points[p.from], points[p.to], p.fraction));
  return cut;
}

// Returns the distance from the centroid to the nearest point.
double QualityMeter::least_radius(std::span<const glm::dvec3> loop) {
  const glm::dvec3 center = mean(loop);
  double least = std::numeric_limits<double>::infinity();
  for (const glm::dvec3& point : loop) least = std::min(least, glm::distance(point, center));
  return least;
}

void QualityMeter::find_sections(std::span<const glm::dvec3> rest, const glm::dvec3& axis_from,
                                 const glm::dvec3& axis_to) {
  const glm::dvec3 axis = axis_to - axis_from;
  const glm::dvec3 along = glm::normalize(axis);
  std::vector<double> heights(rest.size());
  for (int i = 0; i < kSections; ++i) {
    const double place = std::lerp(kMargin, 1 - kMargin, static_cast<double>(i) / (kSections - 1));
    const glm::dvec3 origin = axis_from + (place + kOffVertices) * axis;
    std::transform(rest.begin(), rest.end(), heights.begin(),
                   [&](const glm::dvec3& p) { return glm::dot(p - origin, along); });
    // If the plane also meets other parts of the mesh, the limb's curve is the one nearest to the axis.
    double nearest = std::numeric_limits<double>::infinity();
    Section section;
    for (std::vector<CutPoint>& curve : contours(heights, triangles_)) {
      const double distance = glm::distance(mean(cut_points(rest, curve)), origin);
      if (curve.size() < 3 || distance >= nearest) continue;
      nearest = distance;
      section.loop = std::move(curve);
    }
    if (section.loop.empty()) continue;
    section.rest = least_radius(cut_points(rest, section.loop));
    sections_.push_back(std::move(section));
  }
  assert(!sections_.empty());
}

void QualityMeter::find_side(std::span<const glm::dvec3> rest, const glm::dvec3& axis_from, const glm::dvec3& axis_to) {
  const glm::dvec3 axis = axis_to - axis_from;
  const auto place = [&](const glm::dvec3& p) {
    return std::clamp(glm::dot(p - axis_from, axis) / glm::dot(axis, axis), 0.0, 1.0);
  };
  std::vector<double> places(rest.size());
  std::transform(rest.begin(), rest.end(), places.begin(), place);
  along_axis_.resize(rest.size());
  std::iota(along_axis_.begin(), along_axis_.end(), 0u);
  std::stable_sort(along_axis_.begin(), along_axis_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return places[a] < places[b]; });
  std::sort(places.begin(), places.end());

  const Points sums = running_sums(rest, along_axis_);
  const auto first_from = [&](double from) {
    return static_cast<std::size_t>(std::lower_bound(places.begin(), places.end(), from) - places.begin());
  };
  for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
    const glm::dvec3 center = centroid(rest, triangles_[t]);
    const SideTriangle side{t, first_from(place(center) - kHalfWidth), first_from(place(center) + kHalfWidth)};
    if (side.first == side.last) continue;
    const glm::dvec3 outward = center - mean_of_range(sums, side.first, side.last);
    const glm::dvec3 normal = area_normal(rest, triangles_[t]);
    if (glm::dot(normal, outward) > kFacesOutward * glm::length(normal) * glm::length(outward)) side_.push_back(side);
  }
}

}  // namespace pelt::samples
