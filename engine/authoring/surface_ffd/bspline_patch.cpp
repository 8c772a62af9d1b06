// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/bspline_patch.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <span>

#include <pelt/try.h>

#include "engine/character/base/invalid.h"

namespace pelt::surface_ffd {
namespace {

constexpr std::uint32_t kMaxDegree = 8;
constexpr double kMaxKnot = 1e9;
constexpr double kMinSpan = 1e-9;
constexpr double kMaxWeight = 1e6;

// One direction of a patch.
struct Direction {
  std::span<const double> knots;
  std::uint32_t count;
  std::uint32_t degree;

  double start() const { return knots[degree]; }
  double end() const { return knots[count]; }
};

Direction direction_u(const BsplinePatch& patch) { return {patch.knots_u, patch.count_u, patch.degree_u}; }
Direction direction_v(const BsplinePatch& patch) { return {patch.knots_v, patch.count_v, patch.degree_v}; }

Result<void> validate(const Direction& direction, char name, const std::string& what) {
  const auto& [knots, count, degree] = direction;
  if (degree < 1 || degree > kMaxDegree) {
    return invalid("{}: the degree in {} is {}; it must be 1 to {}", what, name, degree, kMaxDegree);
  }
  if (count < degree + 1) {
    return invalid("{}: {} control vertices in {} are too few for degree {}", what, count, name, degree);
  }
  if (knots.size() != std::uint64_t{count} + degree + 1) {
    return invalid("{}: {} knots in {}; there must be {}", what, knots.size(), name, std::uint64_t{count} + degree + 1);
  }
  double largest = 0;
  for (std::size_t i = 0; i < knots.size(); ++i) {
    if (!(std::abs(knots[i]) <= kMaxKnot)) {
      return invalid("{}: knot {} in {} is {}, larger than {}", what, i, name, knots[i], kMaxKnot);
    }
    if (i > 0 && knots[i] < knots[i - 1]) return invalid("{}: knot {} in {} descends", what, i, name);
    largest = std::max(largest, std::abs(knots[i]));
  }
  if (!(direction.start() < direction.end())) {
    return invalid("{}: knots {} and {} in {}, the ends of the domain, are equal", what, degree, count, name);
  }
  std::size_t first = 0;  // first of the knots that equal knot i
  for (std::size_t i = 1; i < knots.size(); ++i) {
    if (knots[i] != knots[first]) {
      if (knots[i] - knots[first] < kMinSpan * largest) {
        return invalid("{}: knots {} and {} in {} are too close; make them equal", what, first, i, name);
      }
      first = i;
    }
    const bool inside = knots[i] > direction.start() && knots[i] < direction.end();
    if (i - first + 1 > degree + (inside ? 0u : 1u)) {
      return invalid("{}: knot {} in {} repeats too often for degree {}", what, i, name, degree);
    }
  }
  return {};
}

// The basis functions of one direction that are not 0 everywhere in a span, and their derivatives.
struct SpanBasis {
  std::uint32_t first;  // control index of n[0]
  std::array<double, kMaxDegree + 1> n;
  std::array<double, kMaxDegree + 1> derivative;
};

// Returns the span of a parameter by algorithm A2.1 (FindSpan): knots[i] <= u < knots[i + 1]; at the end of the domain
// the last span that is not empty.
std::size_t find_span(const Direction& direction, double u) {
  const auto first = direction.knots.begin() + direction.degree;
  const auto end = direction.knots.begin() + direction.count;
  const auto above = u < direction.end() ? std::upper_bound(first, end, u) : std::lower_bound(first, end, u);
  return static_cast<std::size_t>(above - direction.knots.begin()) - 1;
}

// Computes the basis functions by algorithm A2.2 (BasisFuns) up to the degree, and their first derivatives by equation
// (2.7), to which A2.3 reduces: N'_i,p = p N_i,p-1 / (u_i+p - u_i) - p N_i+1,p-1 / (u_i+p+1 - u_i+1).
SpanBasis span_basis(const Direction& direction, double parameter) {
  const std::uint32_t p = direction.degree;
  const double u = std::clamp(parameter, direction.start(), direction.end());
  const std::size_t span = find_span(direction, u);
  SpanBasis result{static_cast<std::uint32_t>(span - p), {1.0}, {}};
  std::array<double, kMaxDegree + 1> left{};
  std::array<double, kMaxDegree + 1> right{};
  for (std::uint32_t degree = 1; degree <= p; ++degree) {
    left[degree] = u - direction.knots[span + 1 - degree];
    right[degree] = direction.knots[span + degree] - u;
    double saved = 0;
    for (std::uint32_t r = 0; r < degree; ++r) {
      const double share = result.n[r] / (right[r + 1] + left[degree - r]);
      if (degree == p) {
        result.derivative[r] -= p * share;
        result.derivative[r + 1] += p * share;
      }
      result.n[r] = saved + right[r + 1] * share;
      saved = left[degree - r] * share;
    }
    result.n[degree] = saved;
  }
  return result;
}

std::vector<double> domain_knots(const Direction& direction) {
  std::vector<double> result(direction.knots.begin() + direction.degree, direction.knots.begin() + direction.count + 1);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// Returns the parameters of `steps` equal steps in every span between different knots.
std::vector<double> parameters(const std::vector<double>& knots, std::uint32_t steps) {
  std::vector<double> result;
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    for (std::uint32_t i = 0; i < steps; ++i) {
      const double t = static_cast<double>(i) / steps;
      result.push_back((1 - t) * knots[k] + t * knots[k + 1]);
    }
  }
  result.push_back(knots.back());
  return result;
}

}  // namespace

Result<void> validate(const BsplinePatch& patch, const std::string& what) {
  PELT_TRY(validate(direction_u(patch), 'u', what));
  PELT_TRY(validate(direction_v(patch), 'v', what));
  const std::uint64_t count = std::uint64_t{patch.count_u} * patch.count_v;
  if (patch.control.size() != count) {
    return invalid("{}: there are {} control vertices; there must be {} x {}", what, patch.control.size(),
                   patch.count_u, patch.count_v);
  }
  if (!patch.weights.empty() && patch.weights.size() != count) {
    return invalid("{}: there are {} weights for {} control vertices", what, patch.weights.size(), count);
  }
  for (std::size_t i = 0; i < patch.control.size(); ++i) {
    if (!is_near(patch.control[i])) {
      return invalid("{}: control vertex {} is not finite, or farther than {:g} m from the origin", what, i,
                     kMaxCoordinate);
    }
  }
  for (std::size_t i = 0; i < patch.weights.size(); ++i) {
    if (!(patch.weights[i] >= 1 / kMaxWeight && patch.weights[i] <= kMaxWeight)) {
      return invalid("{}: weight {} is {}; it must be {} to {}", what, i, patch.weights[i], 1 / kMaxWeight, kMaxWeight);
    }
  }
  return {};
}

std::vector<PatchBasis> basis(const BsplinePatch& patch, glm::dvec2 uv) {
  assert(patch.control.size() == std::size_t{patch.count_u} * patch.count_v);
  const SpanBasis u = span_basis(direction_u(patch), uv.x);
  const SpanBasis v = span_basis(direction_v(patch), uv.y);
  std::vector<PatchBasis> result;
  double sum = 0;
  double sum_u = 0;
  double sum_v = 0;
  for (std::uint32_t i = 0; i <= patch.degree_u; ++i) {
    for (std::uint32_t j = 0; j <= patch.degree_v; ++j) {
      const std::uint32_t control = (u.first + i) * patch.count_v + v.first + j;
      const double weight = patch.weights.empty() ? 1.0 : patch.weights[control];
      result.push_back(
          {control, weight * u.n[i] * v.n[j], weight * u.derivative[i] * v.n[j], weight * u.n[i] * v.derivative[j]});
      sum += result.back().r;
      sum_u += result.back().r_u;
      sum_v += result.back().r_v;
    }
  }
  // R = w N / W, so R_u = (w N_u - R W_u) / W (equations 4.2 and 4.8, per weighted point).
  for (PatchBasis& entry : result) {
    entry.r /= sum;
    entry.r_u = (entry.r_u - entry.r * sum_u) / sum;
    entry.r_v = (entry.r_v - entry.r * sum_v) / sum;
  }
  return result;
}

PatchPoint evaluate(const BsplinePatch& patch, glm::dvec2 uv) {
  PatchPoint result{glm::dvec3(0), glm::dvec3(0), glm::dvec3(0)};
  for (const PatchBasis& entry : basis(patch, uv)) {
    const glm::dvec3 p(patch.control[entry.control]);
    result.position += entry.r * p;
    result.tangent_u += entry.r_u * p;
    result.tangent_v += entry.r_v * p;
  }
  return result;
}

std::vector<double> domain_knots_u(const BsplinePatch& patch) { return domain_knots(direction_u(patch)); }
std::vector<double> domain_knots_v(const BsplinePatch& patch) { return domain_knots(direction_v(patch)); }

PatchSamples patch_samples(const BsplinePatch& patch) {
  const std::vector<double> across = parameters(domain_knots_v(patch), patch.samples);
  PatchSamples result{{}, across.size()};
  for (const double u : parameters(domain_knots_u(patch), patch.samples)) {
    for (const double v : across) result.uvs.emplace_back(u, v);
  }
  return result;
}

Result<TessellatedPatch> tessellate(const BsplinePatch& patch, std::uint32_t quads_u, std::uint32_t quads_v) {
  assert(quads_u > 0 && quads_v > 0);
  const std::vector<double> knots_u = domain_knots_u(patch);
  const std::vector<double> knots_v = domain_knots_v(patch);
  const std::uint64_t count_u = (knots_u.size() - 1) * quads_u + 1;
  const std::uint64_t count_v = (knots_v.size() - 1) * quads_v + 1;
  if (count_u > kMaxTessellated || count_v > kMaxTessellated || count_u * count_v > kMaxTessellated) {
    return invalid("a patch of {} x {} vertices has more than {}", count_u, count_v, kMaxTessellated);
  }
  TessellatedPatch result;
  const std::vector<double> parameters_v = parameters(knots_v, quads_v);
  std::vector<WeightedElement> row;
  for (const double u : parameters(knots_u, quads_u)) {
    for (const double v : parameters_v) {
      result.uvs.emplace_back(u, v);
      glm::dvec3 position(0);
      row.clear();
      for (const PatchBasis& entry : basis(patch, {u, v})) {
        position += entry.r * glm::dvec3(patch.control[entry.control]);
        row.push_back({entry.control, entry.r});
      }
      result.mesh.positions.emplace_back(position);
      append_row(result.rows, row);
    }
  }
  const auto across = static_cast<std::uint32_t>(count_v);
  for (std::uint32_t i = 0; i + 1 < count_u; ++i) {
    for (std::uint32_t j = 0; j + 1 < count_v; ++j) {
      const std::uint32_t a = i * across + j;
      result.mesh.triangles.emplace_back(a, a + across, a + across + 1);
      result.mesh.triangles.emplace_back(a, a + across + 1, a + 1);
    }
  }
  result.mesh.normals = vertex_normals(result.mesh.positions, result.mesh.triangles);
  return result;
}

}  // namespace pelt::surface_ffd
