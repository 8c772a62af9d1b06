// SPDX-License-Identifier: MIT
#include "engine/hierarchical_bspline/surface.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <pelt/finite.h>
#include <pelt/try.h>

#include "engine/core/invalid.h"
#include "shaders/hierarchical_bspline/frame_pose.h"

namespace pelt::hierarchical_bspline {
namespace {

constexpr std::uint32_t kMaxVertices = 1u << 20;  // control vertices of a level
// A plane at bind is clear of what a pose takes for a collapsed one.
constexpr double kFlat = 4 * double{shared::kCollapsedPlane} * double{shared::kCollapsedPlane};

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

// The control vertices from which refinement makes vertex i of the next level, and their weights.
struct Mask {
  std::array<std::uint32_t, 3> vertex;
  std::array<double, 3> weight;
};

Mask refinement(const Direction& direction, std::uint32_t i) {
  const std::uint32_t first = i / 2;
  Mask result{{}, i % 2 == 1 ? std::array{0.125, 0.75, 0.125} : std::array{0.5, 0.5, 0.0}};
  for (std::uint32_t k = 0; k < 3; ++k) result.vertex[k] = (first + k) % direction.count;
  return result;
}

// Calls visit(number, weight) for the control vertices that make vertex (i, j) of the next level.
template <class Visit>
void refine(const Grid& grid, std::uint32_t i, std::uint32_t j, const Visit& visit) {
  const Mask u = refinement(grid.along[0], i);
  const Mask v = refinement(grid.along[1], j);
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const double weight = u.weight[a] * v.weight[b];
      if (weight > 0) visit(grid.number(u.vertex[a], v.vertex[b]), weight);
    }
  }
}

// Calls visit(number, weight, along_u, along_v) for the control vertices that shape a point of a level.
template <class Visit>
void evaluate_basis(const Grid& grid, glm::dvec2 uv, const Visit& visit) {
  const Basis u = basis(grid.along[0], uv.x);
  const Basis v = basis(grid.along[1], uv.y);
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      visit(grid.number(u.vertex[a], v.vertex[b]), u.weight[a] * v.weight[b], u.slope[a] * v.weight[b],
            u.weight[a] * v.slope[b]);
    }
  }
}

// Returns the vertices that a level names, with the offsets that it gives them.
Result<std::map<std::uint32_t, glm::dvec3>> named_vertices(const SurfaceLevel& level, std::uint32_t count,
                                                           const std::string& what) {
  std::map<std::uint32_t, glm::dvec3> result;
  const auto check = [&](std::uint32_t vertex) -> Result<void> {
    if (vertex < count) return {};
    return invalid("{}: there is no vertex {}, only {}", what, vertex, count);
  };
  for (const VertexOffset& offset : level.offsets) {
    PELT_TRY(check(offset.vertex));
    if (!is_near(offset.offset)) return invalid("{}: the offset of vertex {} is not finite", what, offset.vertex);
    if (!result.emplace(offset.vertex, offset.offset).second) {
      return invalid("{}: vertex {} has two offsets", what, offset.vertex);
    }
  }
  const auto add = [&](const std::vector<IndexRange>& ranges) -> Result<void> {
    for (const IndexRange range : ranges) {
      if (range.last < range.first) return invalid("{}: the range {} to {} descends", what, range.first, range.last);
      PELT_TRY(check(range.last));
      for (std::uint32_t v = range.first; v <= range.last; ++v) result.emplace(v, glm::dvec3(0));
    }
    return {};
  };
  std::set<std::uint32_t> moved;
  for (const VertexOffset& move : level.moves) {
    if (!moved.insert(move.vertex).second) return invalid("{}: vertex {} is moved twice", what, move.vertex);
    PELT_TRY(add({{move.vertex, move.vertex}}));
  }
  for (const SurfaceAttachment& attachment : level.attach) PELT_TRY(add(attachment.vertices));
  for (const SurfaceLimit& limit : level.limits) PELT_TRY(add(limit.vertices));
  for (const SecondaryAction& action : level.secondary) PELT_TRY(add(action.vertices));
  for (const SurfaceKeys& keys : level.keys) {
    PELT_TRY(add(keys.vertices));
    for (const SurfaceKey& key : keys.keys) {
      for (const VertexOffset& offset : key.offsets) PELT_TRY(add({{offset.vertex, offset.vertex}}));
    }
  }
  return result;
}

}  // namespace

double Direction::inside(double t) const {
  if (!closed) return std::clamp(t, 0.0, static_cast<double>(spans()));
  const double round = t - count * std::floor(t / count);
  return round < count ? round : 0;
}

bool SurfacePoint::has_frame() const {
  const glm::dvec3 normal = glm::cross(tangent_u, tangent_v);
  const double longer = std::max(glm::dot(tangent_u, tangent_u), glm::dot(tangent_v, tangent_v));
  return glm::dot(normal, normal) > kFlat * longer * longer;
}

glm::dmat3 SurfacePoint::axes() const {
  const glm::dvec3 along = glm::normalize(tangent_u);
  const glm::dvec3 normal = glm::normalize(glm::cross(tangent_u, tangent_v));
  return {along, glm::cross(normal, along), normal};
}

Result<Surface> Surface::create(const HierarchicalBsplineParameters& parameters, const std::string& what) {
  Surface surface;
  Grid grid{{Direction{parameters.shape[0], parameters.closed_u}, Direction{parameters.shape[1], parameters.closed_v}}};
  for (int d = 0; d < 2; ++d) {
    const std::uint32_t least = grid.along[d].closed ? 3 : 4;
    if (grid.along[d].count < least) {
      return invalid("{}: the base grid has {} control vertices along {}, of at least {}", what, grid.along[d].count,
                     d == 0 ? 'u' : 'v', least);
    }
  }
  const std::uint64_t count = std::uint64_t{grid.along[0].count} * grid.along[1].count;
  if (parameters.control.size() != count) {
    return invalid("{}: the base grid has {} control vertices, not {} x {}", what, parameters.control.size(),
                   grid.along[0].count, grid.along[1].count);
  }
  const std::size_t level_count = std::max<std::size_t>(parameters.levels.size(), 1);
  for (std::uint32_t level = 0; level < level_count; ++level) {
    const std::string name = fmt::format("{}: level {}", what, level);
    if (std::uint64_t{grid.along[0].count} * grid.along[1].count > kMaxVertices) {
      return invalid("{} has more than {} control vertices", name, kMaxVertices);
    }
    surface.grids_.push_back(grid);
    surface.stored_.emplace_back();
    surface.combinations_.emplace_back();
    std::map<std::uint32_t, glm::dvec3> named;
    if (level < parameters.levels.size()) {
      PELT_ASSIGN(named, named_vertices(parameters.levels[level], grid.size(), name));
    }
    if (level == 0) {
      if (level < parameters.levels.size() && !parameters.levels[0].offsets.empty()) {
        return invalid("{} has offsets, but its vertices are given as they are", name);
      }
      named.clear();
      for (std::uint32_t v = 0; v < count; ++v) {
        if (!is_near(parameters.control[v])) return invalid("{}: control vertex {} is not finite", name, v);
        named.emplace(v, parameters.control[v]);
      }
    }
    PELT_TRY(surface.store(level, {named.begin(), named.end()}, name));
    grid = {{grid.along[0].refined(), grid.along[1].refined()}};
  }
  return surface;
}

// Adds a level with these offsets: of the base, positions.
Result<void> Surface::store(std::uint32_t level, const std::vector<std::pair<std::uint32_t, glm::dvec3>>& offsets,
                            const std::string& what) {
  const Grid& grid = grids_[level];
  std::vector<glm::dvec3> control(grid.size(), glm::dvec3(0));
  for (std::uint32_t i = 0; level > 0 && i < grid.along[0].count; ++i) {
    for (std::uint32_t j = 0; j < grid.along[1].count; ++j) {
      refine(grids_[level - 1], i, j, [&](std::uint32_t parent, double weight) {
        control[grid.number(i, j)] += weight * control_[level - 1][parent];
      });
    }
  }
  for (const auto& [number, offset] : offsets) {
    StoredVertex vertex{level, number, glm::vec3(offset), {}};
    if (level > 0) {
      const std::uint32_t i = number / grid.along[1].count;
      const std::uint32_t j = number % grid.along[1].count;
      // Equation 2: the frame of the parent surface where the vertex has the most influence, at the refined vertex.
      std::map<std::uint32_t, Share> terms;
      SurfacePoint frame{control[number], glm::dvec3(0), glm::dvec3(0)};
      for (Share& share : shares(level - 1, (glm::dvec2(i, j) - 1.0) / 2.0)) {
        frame.tangent_u += share.along_u * glm::dvec3(vertices_[share.vertex].rest);
        frame.tangent_v += share.along_v * glm::dvec3(vertices_[share.vertex].rest);
        share.weight = 0;
        terms.emplace(share.vertex, share);
      }
      if (!frame.has_frame()) return invalid("{}: the level before has no tangent plane at vertex {}", what, number);
      for (const auto& [stored, weight] : refined(level - 1, i, j)) {
        terms.emplace(stored, Share{stored, 0, 0, 0}).first->second.weight = weight;
      }
      for (const auto& [stored, share] : terms) vertex.reference.push_back(share);
      vertex.rest = glm::vec3(frame.position + frame.axes() * offset);
      if (!is_near(vertex.rest)) return invalid("{}: vertex {} lies too far off", what, number);
    }
    control[number] = vertex.rest;
    stored_[level].emplace(number, static_cast<std::uint32_t>(vertices_.size()));
    vertices_.push_back(std::move(vertex));
  }
  control_.push_back(std::move(control));
  return {};
}

const StoredVertex* Surface::find(std::uint32_t level, std::uint32_t number) const {
  const auto found = stored_[level].find(number);
  return found == stored_[level].end() ? nullptr : &vertices_[found->second];
}

Surface::Combination Surface::refined(std::uint32_t level, std::uint32_t i, std::uint32_t j) {
  std::map<std::uint32_t, double> sum;
  refine(grids_[level], i, j, [&](std::uint32_t parent, double weight) {
    for (const auto& [vertex, share] : combination(level, parent)) sum[vertex] += weight * share;
  });
  return {sum.begin(), sum.end()};
}

const Surface::Combination& Surface::combination(std::uint32_t level, std::uint32_t number) {
  const auto known = combinations_[level].find(number);
  if (known != combinations_[level].end()) return known->second;
  const auto stored = stored_[level].find(number);
  const std::uint32_t across = grids_[level].along[1].count;
  Combination result = stored != stored_[level].end() ? Combination{{stored->second, 1.0}}
                                                      : refined(level - 1, number / across, number % across);
  return combinations_[level].emplace(number, std::move(result)).first->second;
}

SurfacePoint Surface::evaluate(std::uint32_t level, glm::dvec2 uv) const {
  SurfacePoint result{glm::dvec3(0), glm::dvec3(0), glm::dvec3(0)};
  evaluate_basis(grids_[level], uv, [&](std::uint32_t number, double weight, double along_u, double along_v) {
    const glm::dvec3& control = control_[level][number];
    result.position += weight * control;
    result.tangent_u += along_u * control;
    result.tangent_v += along_v * control;
  });
  return result;
}

std::vector<Share> Surface::shares(std::uint32_t level, glm::dvec2 uv) {
  const Grid& grid = grids_[level];
  const glm::dvec2 middle(grid.along[0].spans() / 2.0, grid.along[1].spans() / 2.0);
  glm::dvec2 beside = uv;
  for (double step = 1e-3; !evaluate(level, beside).has_frame() && step < 1; step *= 4) {
    const glm::dvec2 in(grid.along[0].inside(uv.x), grid.along[1].inside(uv.y));
    beside = in + step * glm::sign(middle - in);
  }
  std::map<std::uint32_t, Share> terms;
  const auto add = [&](std::uint32_t number, double weight, double along_u, double along_v) {
    for (const auto& [vertex, share] : combination(level, number)) {
      Share& term = terms.emplace(vertex, Share{vertex, 0, 0, 0}).first->second;
      term.weight += weight * share;
      term.along_u += along_u * share;
      term.along_v += along_v * share;
    }
  };
  evaluate_basis(grid, uv, [&](std::uint32_t number, double weight, double u, double v) {
    beside == uv ? add(number, weight, u, v) : add(number, weight, 0, 0);
  });
  if (beside != uv) {
    evaluate_basis(grid, beside, [&](std::uint32_t number, double, double u, double v) { add(number, 0, u, v); });
  }
  std::vector<Share> result;
  for (const auto& [vertex, share] : terms) {
    // Refined bases cancel where a coarser vertex has no influence any more.
    const double size = std::abs(share.weight) + std::abs(share.along_u) + std::abs(share.along_v);
    if (size > 1e-12) result.push_back(share);
  }
  return result;
}

}  // namespace pelt::hierarchical_bspline
