// SPDX-License-Identifier: MIT
#include "engine/authoring/paint/solid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/base/stop.h"
#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/geometry/roots.h"

namespace pelt::paint {
namespace {

using skeletonize::kNeighbours;
using skeletonize::kOutside;
using skeletonize::kSelf;
using skeletonize::neighbour;
using skeletonize::Voxels;

constexpr int kMargin = 2;                  // cells beyond the bounds
constexpr double kSame = 1 << 20;           // points nearer than a voxel divided by this are one
constexpr int kFirst = 64;                  // cells along the longest side, to estimate how many are inside
constexpr std::size_t kMaxCells = 250'000;  // about so many inside; a skin with more has thick limbs

// A surface without borders, in voxel units.
struct Closed {
  std::vector<glm::dvec3> points;
  std::vector<glm::uvec3> triangles;
  std::vector<std::uint32_t> part;  // of each triangle: the lowest vertex connected to it
};

// Closes each connected set of border edges by a cone from its middle.
Closed close(std::vector<glm::dvec3> points, std::span<const glm::uvec3> triangles) {
  Closed closed{std::move(points), {triangles.begin(), triangles.end()}, {}};
  const std::vector<std::uint32_t> part_of = connected_parts(closed.points.size(), triangles);
  for (const glm::uvec3 t : triangles) closed.part.push_back(part_of[t.x]);
  std::map<MeshEdge, int> surplus;  // triangles that pass an edge upwards, less those that pass it downwards
  for (const glm::uvec3 t : triangles) {
    for (int c = 0; c < 3; ++c) surplus[edge_at(t, c)] += t[c] < t[(c + 1) % 3] ? 1 : -1;
  }
  std::erase_if(surplus, [](const auto& edge) { return edge.second == 0; });
  Roots loops(closed.points.size());
  for (const auto& [edge, count] : surplus) loops.join(edge.first, edge.second);
  std::map<std::uint32_t, glm::dvec4> sums;
  for (const auto& [edge, count] : surplus) {
    for (const std::uint32_t v : {edge.first, edge.second}) {
      sums[loops.of(v)] += glm::dvec4(closed.points[v], 1);
    }
  }
  std::map<std::uint32_t, std::uint32_t> tips;
  for (const auto& [loop, sum] : sums) {
    tips[loop] = static_cast<std::uint32_t>(closed.points.size());
    closed.points.push_back(glm::dvec3(sum) / sum.w);
  }
  for (const auto& [edge, count] : surplus) {
    const auto [from, to] = count > 0 ? std::pair(edge.second, edge.first) : edge;
    for (int i = 0; i < std::abs(count); ++i) {
      closed.triangles.emplace_back(from, to, tips.at(loops.of(from)));
      closed.part.push_back(part_of[from]);
    }
  }
  return closed;
}

// A line of the grid passes through a surface.
struct Crossing {
  std::uint32_t line;
  double place;  // along the line
  int turn;      // 1: enters, -1: leaves
  std::uint32_t part;
  auto order() const { return std::tuple(line, place, turn, part); }
};

// Returns the crossings of all lines of the grid along an axis, ordered along the lines; at one point, those that leave
// come first.
std::vector<Crossing> find_crossings(const Closed& surface, const glm::ivec3& extent, int axis) {
  const int u = (axis + 1) % 3;
  const int v = (axis + 2) % 3;
  std::vector<Crossing> crossings;
  for (std::size_t i = 0; i < surface.triangles.size(); ++i) {
    const glm::uvec3 t = surface.triangles[i];
    const std::array<glm::dvec3, 3> p{surface.points[t.x], surface.points[t.y], surface.points[t.z]};
    const double area = (p[1][u] - p[0][u]) * (p[2][v] - p[0][v]) - (p[2][u] - p[0][u]) * (p[1][v] - p[0][v]);
    if (area == 0) continue;
    const auto [low_v, high_v] = std::minmax({p[0][v], p[1][v], p[2][v]});
    for (int y = static_cast<int>(std::floor(low_v)) + 1; y <= high_v; ++y) {
      // The line v = y leaves or enters the triangle at two edges. Both triangles of an edge compute the same point.
      std::array<double, 2> ends{};
      int count = 0;
      for (int c = 0; c < 3; ++c) {
        const auto [a, b] = edge_at(t, c);
        const glm::dvec3& from = surface.points[a];
        const glm::dvec3& to = surface.points[b];
        if ((from[v] < y) == (to[v] < y) || count == 2) continue;
        ends[static_cast<std::size_t>(count++)] = from[u] + (y - from[v]) / (to[v] - from[v]) * (to[u] - from[u]);
      }
      if (count < 2) continue;
      if (ends[0] > ends[1]) std::swap(ends[0], ends[1]);
      for (int x = static_cast<int>(std::ceil(ends[0])); x < ends[1]; ++x) {
        const double w1 = ((x - p[0][u]) * (p[2][v] - p[0][v]) - (p[2][u] - p[0][u]) * (y - p[0][v])) / area;
        const double w2 = ((p[1][u] - p[0][u]) * (y - p[0][v]) - (x - p[0][u]) * (p[1][v] - p[0][v])) / area;
        const double place = p[0][axis] + w1 * (p[1][axis] - p[0][axis]) + w2 * (p[2][axis] - p[0][axis]);
        // Rounded, so that walls of two limbs that touch are at one point.
        crossings.push_back({static_cast<std::uint32_t>(y * extent[u] + x), std::round(place * kSame) / kSame,
                             area > 0 ? -1 : 1, surface.part[i]});
      }
    }
  }
  std::ranges::sort(crossings, {}, &Crossing::order);
  return crossings;
}

// Votes of the lines along the three axes, for each voxel of the grid.
struct Votes {
  std::vector<std::uint8_t> inside;  // lines that are inside at the voxel
  std::vector<std::uint8_t> open;    // bit: the line along this axis stays inside up to the next voxel
};

void vote(const Closed& surface, const Voxels& voxels, int axis, Votes& votes) {
  const int u = (axis + 1) % 3;
  const int v = (axis + 2) % 3;
  const std::vector<Crossing> crossings = find_crossings(surface, voxels.extent, axis);
  std::vector<int> winding(surface.points.size(), 0);  // for each part
  for (auto run = crossings.begin(); run != crossings.end();) {
    glm::ivec3 cell;
    cell[u] = static_cast<int>(run->line) % voxels.extent[u];
    cell[v] = static_cast<int>(run->line) / voxels.extent[u];
    auto end = run;
    for (; end != crossings.end() && end->line == run->line; ++end) winding[end->part] = 0;
    int depth = 0;  // parts around the voxel
    bool stays = false;
    for (int k = 0; k < voxels.extent[axis]; ++k) {
      for (; run != end && run->place < k; ++run) {
        int& part = winding[run->part];
        depth -= part != 0 ? 1 : 0;
        part += run->turn;
        depth += part != 0 ? 1 : 0;
        stays = stays && depth > 0;
      }
      if (stays && depth > 0) {
        cell[axis] = k - 1;
        votes.open[voxels.place(cell)] |= static_cast<std::uint8_t>(1 << axis);
      }
      stays = depth > 0;
      cell[axis] = k;
      if (stays) ++votes.inside[voxels.place(cell)];
    }
    run = end;
  }
}

void add_cell(Voxels& voxels, const glm::ivec3& cell) {
  std::uint32_t& number = voxels.number[voxels.place(cell)];
  if (number != kOutside) return;
  number = static_cast<std::uint32_t>(voxels.cells.size());
  voxels.cells.push_back(cell);
}

// Calls visit(voxel) for voxels around points of a triangle less than half a voxel apart.
template <class Visit>
void for_touched(const std::array<glm::dvec3, 3>& p, const Visit& visit) {
  const double longest = std::max({glm::distance(p[0], p[1]), glm::distance(p[1], p[2]), glm::distance(p[2], p[0])});
  const int steps = std::max(1, static_cast<int>(std::ceil(2 * longest)));
  for (int i = 0; i <= steps; ++i) {
    for (int j = 0; i + j <= steps; ++j) {
      visit(glm::ivec3(glm::round(p[0] + (double(i) * (p[1] - p[0]) + double(j) * (p[2] - p[0])) / double(steps))));
    }
  }
}

Solid fill(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles, int resolution) {
  Bounds<glm::dvec3> bounds;
  bounds.add(positions, triangles);
  const glm::dvec3 sides = bounds.size();
  Solid solid;
  Voxels& voxels = solid.voxels;
  voxels.size = std::max({sides.x, sides.y, sides.z}) / resolution;
  // Not a round share of a voxel, so that lines of the grid seldom pass through edges of a symmetrical skin.
  voxels.origin = bounds.low - glm::dvec3(kMargin - 0.4831, kMargin - 0.4919, kMargin - 0.4877) * voxels.size;
  voxels.extent = glm::ivec3(glm::ceil(sides / voxels.size)) + 2 * kMargin + 1;
  const std::size_t count = static_cast<std::size_t>(voxels.extent.x) * static_cast<std::size_t>(voxels.extent.y) *
                            static_cast<std::size_t>(voxels.extent.z);
  voxels.number.assign(count, kOutside);
  std::vector<glm::dvec3> points;
  for (const glm::vec3& position : positions) points.push_back(voxels.to_voxels(glm::dvec3(position)));
  const Closed surface = close(points, triangles);
  Votes votes{std::vector<std::uint8_t>(count, 0), std::vector<std::uint8_t>(count, 0)};
  for (int axis = 0; axis < 3; ++axis) {
    stop_if_asked();
    vote(surface, voxels, axis, votes);
  }
  for (int z = 0; z < voxels.extent.z; ++z) {
    for (int y = 0; y < voxels.extent.y; ++y) {
      for (int x = 0; x < voxels.extent.x; ++x) {
        if (votes.inside[voxels.place({x, y, z})] >= 2) add_cell(voxels, {x, y, z});
      }
    }
  }
  const std::size_t filled = voxels.cells.size();
  // Triangles that touch no inside voxel.
  std::vector<bool> thin(positions.size(), false);
  for (const glm::uvec3 t : triangles) {
    bool touches = false;
    for_touched({points[t.x], points[t.y], points[t.z]}, [&](const glm::ivec3& cell) {
      skeletonize::for_cells_beside(cell, [&](const glm::ivec3& beside, float) {
        const std::uint32_t number = voxels.at(beside);
        touches = touches || (number != kOutside && number < filled);
      });
    });
    if (touches) continue;
    for_touched({points[t.x], points[t.y], points[t.z]}, [&](const glm::ivec3& cell) { add_cell(voxels, cell); });
  }
  const auto is_filled = [&](const glm::ivec3& cell) {
    const std::uint32_t number = voxels.at(cell);
    return number != kOutside && number < filled;
  };
  const auto is_open = [&](glm::ivec3 cell, int axis, int side) {
    glm::ivec3 next = cell;
    next[axis] += side;
    if (!is_filled(next)) return false;
    return (votes.open[voxels.place(side > 0 ? cell : next)] >> axis & 1) != 0;
  };
  // Whether a way along the axes, in any order, stays inside.
  const auto leads = [&](const auto& self, const glm::ivec3& cell, const glm::ivec3& step) -> bool {
    if (step == glm::ivec3(0)) return true;
    for (int axis = 0; axis < 3; ++axis) {
      if (step[axis] == 0 || !is_open(cell, axis, step[axis])) continue;
      glm::ivec3 next = cell;
      glm::ivec3 rest = step;
      next[axis] += step[axis];
      rest[axis] = 0;
      if (self(self, next, rest)) return true;
    }
    return false;
  };
  solid.links.assign(voxels.cells.size(), 0);
  for (std::uint32_t c = 0; c < voxels.cells.size(); ++c) {
    for (int n = 0; n < kNeighbours; ++n) {
      const glm::ivec3 step = neighbour(n);
      const std::uint32_t next = voxels.at(voxels.cells[c] + step);
      if (n == kSelf || next == kOutside) continue;
      const bool both_filled = c < filled && next < filled;
      if (!both_filled || leads(leads, voxels.cells[c], step)) solid.links[c] |= 1u << n;
    }
  }
  return solid;
}

}  // namespace

Solid make_solid(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles, int resolution) {
  Solid solid = fill(positions, triangles, std::min(kFirst, resolution));
  for (int last = kFirst; last < resolution;) {
    const double share = std::cbrt(static_cast<double>(kMaxCells) / static_cast<double>(solid.voxels.cells.size()));
    last = std::min(resolution, static_cast<int>(share * last));
    if (last <= kFirst) break;
    solid = fill(positions, triangles, last);
    if (solid.voxels.cells.size() <= 2 * kMaxCells) break;
  }
  return solid;
}

std::uint32_t cell_at(const Solid& solid, const glm::dvec3& position, const glm::dvec3& normal) {
  const glm::dvec3 place = solid.voxels.to_voxels(position);
  const glm::dvec3 within = place - normal;  // so that an edge of a finger does not take a cell of the next one
  std::uint32_t best = kOutside;
  double least = 0;
  for (int n = 0; n < kNeighbours; ++n) {
    const glm::ivec3 cell = glm::ivec3(glm::round(place)) + neighbour(n);
    const std::uint32_t number = solid.voxels.at(cell);
    const double distance = glm::distance(within, glm::dvec3(cell));
    if (number == kOutside || (best != kOutside && distance >= least)) continue;
    best = number;
    least = distance;
  }
  return best;
}

}  // namespace pelt::paint
