// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/grid.h"

#include <algorithm>
#include <cmath>

namespace pelt::hierarchical_bspline {
namespace {

struct Basis {
  std::array<std::uint32_t, 4> vertex;
  std::array<double, 4> weight;
  std::array<double, 4> slope;
};

// Returns the uniform cubic B-spline basis at a parameter.
Basis basis(const Direction& direction, double parameter) {
  const double t = direction.inside(parameter);
  const auto span = std::min(static_cast<std::uint32_t>(t), direction.spans() - 1);
  const double u = t - span;
  const double v = 1 - u;
  Basis result{{},
               {v * v * v / 6, ((3 * u - 6) * u * u + 4) / 6, ((3 * v - 6) * v * v + 4) / 6, u * u * u / 6},
               {-v * v / 2, (3 * u - 4) * u / 2, (4 - 3 * v) * v / 2, u * u / 2}};
  for (std::uint32_t k = 0; k < 4; ++k) result.vertex[k] = (span + k) % direction.count;
  return result;
}

// The control vertices, with their weights, that refinement makes vertex i of the next level from.
struct Mask {
  std::array<std::uint32_t, 3> vertex;
  std::array<double, 3> weight;
};

Mask mask(const Direction& direction, std::uint32_t i) {
  const std::uint32_t first = i / 2;
  Mask result{{}, i % 2 == 1 ? std::array{0.125, 0.75, 0.125} : std::array{0.5, 0.5, 0.0}};
  for (std::uint32_t k = 0; k < 3; ++k) result.vertex[k] = (first + k) % direction.count;
  return result;
}

}  // namespace

double Direction::inside(double t) const {
  if (!closed) return std::clamp(t, 0.0, static_cast<double>(spans()));
  const double round = t - count * std::floor(t / count);
  return round < count ? round : 0;
}

std::vector<Share> Grid::point(glm::dvec2 uv) const {
  const Basis u = basis(along[0], uv.x);
  const Basis v = basis(along[1], uv.y);
  std::vector<Share> shares;
  shares.reserve(16);
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      shares.push_back({number(u.vertex[a], v.vertex[b]), u.weight[a] * v.weight[b], u.slope[a] * v.weight[b],
                        u.weight[a] * v.slope[b]});
    }
  }
  return shares;
}

std::vector<Share> Grid::framed_point(glm::dvec2 uv, std::span<const glm::dvec3> control) const {
  std::vector<Share> shares = point(uv);
  if (has_frame(shares, control)) return shares;
  const glm::dvec2 in = inside(uv);
  const glm::dvec2 middle(along[0].spans() / 2.0, along[1].spans() / 2.0);
  std::vector<Share> beside;
  for (double step = 1e-3; !has_frame(beside, control) && step < 1; step *= 4) {
    beside = point(in + step * glm::sign(middle - in));
  }
  for (Share& share : shares) share.along_u = share.along_v = 0;
  for (Share& share : beside) share.weight = 0;
  shares.insert(shares.end(), beside.begin(), beside.end());
  return shares;
}

std::vector<std::pair<std::uint32_t, double>> GridTopology::refinement(std::uint32_t level, std::uint32_t next) const {
  const Grid& grid = levels_[level];
  const std::uint32_t across = grid.along[1].refined().count;
  const Mask u = mask(grid.along[0], next / across);
  const Mask v = mask(grid.along[1], next % across);
  std::vector<std::pair<std::uint32_t, double>> result;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const double weight = u.weight[a] * v.weight[b];
      if (weight > 0) result.emplace_back(grid.number(u.vertex[a], v.vertex[b]), weight);
    }
  }
  return result;
}

std::uint32_t GridTopology::child(std::uint32_t level, std::uint32_t number) const {
  const Grid& grid = levels_[level];
  const Grid refined = grid.refined();
  std::array<std::uint32_t, 2> at{number / grid.along[1].count, number % grid.along[1].count};
  for (int d = 0; d < 2; ++d) {
    // Vertex i lies at 2 i - 1 of the next level; none lies beyond the ends of an open direction.
    const std::uint32_t count = refined.along[d].count;
    at[d] =
        refined.along[d].closed ? (2 * at[d] + count - 1) % count : std::min(std::max(2 * at[d], 1u) - 1, count - 1);
  }
  return refined.number(at[0], at[1]);
}

std::vector<Share> GridTopology::limit(std::uint32_t level, std::uint32_t number,
                                       std::span<const glm::dvec3> control) const {
  const Grid& grid = levels_[level];
  const std::uint32_t across = grid.along[1].count;
  return grid.framed_point(glm::dvec2(number / across, number % across) - 1.0, control);
}

Polygons GridTopology::faces(std::uint32_t level) const {
  const Grid& grid = levels_[level];
  const auto [u, v] = grid.along;
  Polygons faces;
  for (std::uint32_t i = 0; i + (u.closed ? 0 : 1) < u.count; ++i) {
    for (std::uint32_t j = 0; j + (v.closed ? 0 : 1) < v.count; ++j) {
      const std::uint32_t next_i = (i + 1) % u.count;
      const std::uint32_t next_j = (j + 1) % v.count;
      faces.push_back({grid.number(i, j), grid.number(next_i, j), grid.number(next_i, next_j), grid.number(i, next_j)});
    }
  }
  return faces;
}

std::vector<std::uint32_t> GridTopology::refined_round(std::uint32_t level, std::uint32_t number) const {
  const Grid& grid = levels_[level];
  const Grid refined = grid.refined();
  std::array<std::vector<std::uint32_t>, 2> along;
  for (int d = 0; d < 2; ++d) {
    const Direction& direction = refined.along[d];
    // Vertex i of a level lies at vertex 2 i - 1 of the next one, up to the smoothing.
    const std::uint32_t at = d == 0 ? number / grid.along[1].count : number % grid.along[1].count;
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t past = 2 * at + k;  // by 2 more than the vertex
      if (direction.closed) {
        along[d].push_back((past + direction.count - 2) % direction.count);
      } else if (past >= 2 && past - 2 < direction.count) {
        along[d].push_back(past - 2);
      }
    }
  }
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t i : along[0]) {
    for (const std::uint32_t j : along[1]) numbers.push_back(refined.number(i, j));
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace pelt::hierarchical_bspline
