// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <pelt/finite.h>
#include <pelt/try.h>

#include "engine/character/base/invalid.h"

namespace pelt::hierarchical_bspline {
namespace {

// Returns the vertices that a level names, with their offsets.
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
  for (const SurfaceSeparation& separation : level.separations) {
    PELT_TRY(add(separation.vertices));
    PELT_TRY(add({{separation.from, separation.from}}));
  }
  for (const SecondaryAction& action : level.secondary) PELT_TRY(add(action.vertices));
  for (const SurfaceKeys& keys : level.keys) {
    PELT_TRY(add(keys.vertices));
    for (const SurfaceKey& key : keys.keys) {
      for (const VertexOffset& offset : key.offsets) PELT_TRY(add({{offset.vertex, offset.vertex}}));
    }
  }
  return result;
}

Result<std::unique_ptr<GridTopology>> make_grid(const HierarchicalBsplineParameters& parameters, std::size_t levels,
                                                const std::string& what) {
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
  std::vector<Grid> grids;
  for (std::size_t level = 0; level < levels; ++level) {
    if (std::uint64_t{grid.along[0].count} * grid.along[1].count > kMaxLevelVertices) {
      return invalid("{}: level {} has more than {} control vertices", what, level, kMaxLevelVertices);
    }
    grids.push_back(grid);
    grid = grid.refined();
  }
  return std::make_unique<GridTopology>(std::move(grids));
}

}  // namespace

Result<Surface> Surface::create(const HierarchicalBsplineParameters& parameters, const std::string& what) {
  Surface surface;
  const std::size_t level_count = std::max<std::size_t>(parameters.levels.size(), 1);
  if (parameters.faces.empty()) {
    PELT_ASSIGN(auto grid, make_grid(parameters, level_count, what));
    surface.grid_ = grid.get();
    surface.topology_ = std::move(grid);
  } else {
    PELT_ASSIGN(auto subdivision, Subdivision::create(parameters, static_cast<std::uint32_t>(level_count) - 1, what));
    surface.subdivision_ = subdivision.get();
    surface.topology_ = std::move(subdivision);
  }
  for (std::uint32_t level = 0; level < level_count; ++level) {
    const std::string name = fmt::format("{}: level {}", what, level);
    surface.add_level();
    std::map<std::uint32_t, glm::dvec3> named;
    std::set<std::uint32_t> plain;
    if (level < parameters.levels.size()) {
      PELT_ASSIGN(named, named_vertices(parameters.levels[level], surface.topology_->size(level), name));
      for (const SurfaceAttachment& attachment : parameters.levels[level].attach) {
        if (!attachment.plain) continue;
        if (level == 0) return invalid("{} has no level before it that plain vertices could follow", name);
        for (const IndexRange range : attachment.vertices) {
          for (std::uint32_t v = range.first; v <= range.last; ++v) plain.insert(v);
        }
      }
    }
    if (level == 0) {
      if (level < parameters.levels.size() && !parameters.levels[0].offsets.empty()) {
        return invalid("{} must not have offsets: its control vertices are positions", name);
      }
      named.clear();
      for (std::uint32_t v = 0; v < parameters.control.size(); ++v) {
        if (!is_near(parameters.control[v])) return invalid("{}: control vertex {} is not finite", name, v);
        named.emplace(v, parameters.control[v]);
      }
    }
    PELT_TRY(surface.store(named, plain, name));
  }
  return surface;
}

void Surface::add_level() {
  const auto level = static_cast<std::uint32_t>(stored_.size());
  std::vector<glm::dvec3> control(topology_->size(level), glm::dvec3(0));
  for (std::uint32_t v = 0; level > 0 && v < control.size(); ++v) {
    for (const auto& [parent, weight] : topology_->refinement(level - 1, v)) {
      control[v] += weight * control_[level - 1][parent];
    }
  }
  control_.push_back(std::move(control));
  stored_.emplace_back();
  combinations_.emplace_back();
}

Result<void> Surface::refine_to(std::uint32_t level) {
  PELT_TRY(subdivision_->refine_to(level));
  while (finest() < level) add_level();
  return {};
}

Result<void> Surface::store(const std::map<std::uint32_t, glm::dvec3>& offsets, const std::set<std::uint32_t>& plain,
                            const std::string& what) {
  const std::uint32_t level = finest();
  const std::vector<glm::dvec3> parent = control_[level];
  for (const auto& [number, offset] : offsets) {
    StoredVertex vertex{level, number, glm::vec3(offset), {}};
    if (level > 0) {
      // Equation 2: the frame of the parent surface at the point of most influence, moved to the refined vertex.
      std::map<std::uint32_t, Share> terms;
      SurfacePoint frame{parent[number]};
      for (const Share& share : topology_->limit(level, number, parent)) {
        for (const auto& [stored, weight] : refined(level - 1, share.vertex)) {
          Share& term = terms.emplace(stored, Share{stored, 0, 0, 0}).first->second;
          term.along_u += weight * share.along_u;
          term.along_v += weight * share.along_v;
        }
      }
      for (const auto& [stored, term] : terms) {
        frame.tangent_u += term.along_u * glm::dvec3(vertices_[stored].rest);
        frame.tangent_v += term.along_v * glm::dvec3(vertices_[stored].rest);
      }
      if (!frame.has_frame()) return invalid("{}: the coarser level has no tangent plane at vertex {}", what, number);
      for (const auto& [stored, weight] : refined(level - 1, number)) {
        terms.emplace(stored, Share{stored, 0, 0, 0}).first->second.weight = weight;
      }
      for (const auto& [stored, share] : terms) vertex.reference.push_back(share);
      if (!plain.contains(number)) vertex.axes = frame.axes();
      vertex.rest = glm::vec3(frame.position + vertex.axes * offset);
      if (!is_near(vertex.rest)) return invalid("{}: vertex {} lies too far off", what, number);
    }
    control_[level][number] = vertex.rest;
    stored_[level].emplace(number, static_cast<std::uint32_t>(vertices_.size()));
    vertices_.push_back(std::move(vertex));
  }
  return {};
}

const StoredVertex* Surface::find(std::uint32_t level, std::uint32_t number) const {
  const auto found = stored_[level].find(number);
  return found == stored_[level].end() ? nullptr : &vertices_[found->second];
}

Surface::Combination Surface::refined(std::uint32_t level, std::uint32_t next) {
  std::map<std::uint32_t, double> sum;
  for (const auto& [parent, weight] : topology_->refinement(level, next)) {
    for (const auto& [vertex, share] : combination(level, parent)) sum[vertex] += weight * share;
  }
  return {sum.begin(), sum.end()};
}

const Surface::Combination& Surface::combination(std::uint32_t level, std::uint32_t number) {
  const auto known = combinations_[level].find(number);
  if (known != combinations_[level].end()) return known->second;
  const auto stored = stored_[level].find(number);
  Combination result = stored != stored_[level].end() ? Combination{{stored->second, 1.0}} : refined(level - 1, number);
  return combinations_[level].emplace(number, std::move(result)).first->second;
}

SurfacePoint Surface::evaluate(std::uint32_t level, std::span<const Share> shares) const {
  SurfacePoint result;
  for (const Share& share : shares) result.add(share, control_[level][share.vertex]);
  return result;
}

std::vector<Share> Surface::stored_shares(std::uint32_t level, std::span<const Share> shares) {
  std::map<std::uint32_t, Share> terms;
  for (const Share& share : shares) {
    for (const auto& [vertex, part] : combination(level, share.vertex)) {
      Share& term = terms.emplace(vertex, Share{vertex, 0, 0, 0}).first->second;
      term.weight += share.weight * part;
      term.along_u += share.along_u * part;
      term.along_v += share.along_v * part;
    }
  }
  std::vector<Share> result;
  for (const auto& [vertex, share] : terms) {
    // Refined bases cancel if a coarser vertex no longer has influence.
    const double size = std::abs(share.weight) + std::abs(share.along_u) + std::abs(share.along_v);
    if (size > 1e-12) result.push_back(share);
  }
  return result;
}

}  // namespace pelt::hierarchical_bspline
