// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/closed_parts.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <pelt/tools/area.h>

namespace pelt {
namespace {

// A part is a sheet if the cap of one hole has more than this fraction of the part's area: half for a hemisphere, more
// for flatter bowls, for gutters, and for tubes shorter than 0.75 radii.
constexpr double kSheet = 2.0 / 3.0;
// Corners of a loop between which the least area is found. The time grows with their cube.
constexpr std::size_t kCorners = 64;

double area_of(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles) {
  double area = 0;
  for (const glm::uvec3 t : triangles) area += triangle_area(positions, t);
  return area;
}

// Returns the edges of an odd number of triangles, sorted.
std::vector<MeshEdge> odd_edges(std::span<const glm::uvec3> triangles) {
  std::vector<MeshEdge> odd;
  for (const MeshEdge& edge : edge_uses(triangles)) {
    if (!odd.empty() && odd.back() == edge) {
      odd.pop_back();
    } else {
      odd.push_back(edge);
    }
  }
  return odd;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> edge_loops(std::span<const MeshEdge> edges) {
  std::vector<MeshEdge> steps(edges.begin(), edges.end());  // both ways, sorted
  for (const auto& [a, b] : edges) steps.emplace_back(b, a);
  std::sort(steps.begin(), steps.end());
  std::vector<bool> taken(steps.size(), false);
  const auto find = [&](const MeshEdge& step) {
    return static_cast<std::size_t>(std::lower_bound(steps.begin(), steps.end(), step) - steps.begin());
  };
  std::vector<std::vector<std::uint32_t>> loops;
  std::vector<std::uint32_t> path;
  constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> passed(steps.empty() ? 0 : steps.back().first + 1, kAbsent);  // of a vertex: index in path
  for (std::size_t start = 0; start < steps.size(); ++start) {
    if (taken[start]) continue;
    path.assign(1, steps[start].first);
    passed[path[0]] = 0;
    while (true) {
      std::size_t step = find({path.back(), 0});
      while (step < steps.size() && steps[step].first == path.back() && taken[step]) ++step;
      if (step == steps.size() || steps[step].first != path.back()) break;
      const auto [from, to] = steps[step];
      taken[step] = taken[find({to, from})] = true;
      if (passed[to] == kAbsent) {
        passed[to] = path.size();
        path.push_back(to);
        continue;
      }
      const auto begin = path.begin() + static_cast<std::ptrdiff_t>(passed[to]);
      loops.emplace_back(begin, path.end());
      for (const std::uint32_t vertex : loops.back()) passed[vertex] = kAbsent;
      path.erase(begin + 1, path.end());
      passed[to] = path.size() - 1;
    }
    passed[path[0]] = kAbsent;
  }
  return loops;
}

std::vector<glm::uvec3> cap_of(std::span<const glm::vec3> positions, std::span<const std::uint32_t> loop) {
  const std::size_t count = std::min(loop.size(), kCorners);
  const auto place = [&](std::size_t corner) { return corner * loop.size() / count; };
  std::vector<glm::uvec3> cap;
  // Cut off what lies between two corners of a long loop.
  for (std::size_t c = 0; c < count; ++c) {
    for (std::size_t i = place(c) + 1; i < place(c + 1); ++i) {
      cap.emplace_back(loop[place(c)], loop[i], loop[(i + 1) % loop.size()]);
    }
  }
  // Least area of the polygon from corner a to corner b, and the corner of the triangle at its edge from a to b.
  std::vector<double> least(count * count, 0.0);
  std::vector<std::size_t> third(count * count, 0);
  const auto triangle = [&](std::size_t a, std::size_t b, std::size_t c) {
    return glm::uvec3(loop[place(a)], loop[place(b)], loop[place(c)]);
  };
  for (std::size_t width = 2; width < count; ++width) {
    for (std::size_t a = 0; a + width < count; ++a) {
      const std::size_t b = a + width;
      double& best = least[a * count + b];
      best = std::numeric_limits<double>::infinity();
      for (std::size_t c = a + 1; c < b; ++c) {
        const double area = least[a * count + c] + least[c * count + b] + triangle_area(positions, triangle(a, c, b));
        if (!(area < best)) continue;
        best = area;
        third[a * count + b] = c;
      }
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> open = {{0, count - 1}};
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    if (b - a < 2) continue;
    const std::size_t c = third[a * count + b];
    cap.push_back(triangle(a, c, b));
    open.emplace_back(a, c);
    open.emplace_back(c, b);
  }
  return cap;
}

ClosedParts close_parts(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles) {
  const std::vector<std::uint32_t> first = weld_by_position(positions);
  std::vector<glm::uvec3> welded = welded_triangles(first, triangles);
  std::erase_if(welded, [](glm::uvec3 t) { return t.x == t.y || t.y == t.z || t.z == t.x; });
  const std::vector<std::uint32_t> part_of = connected_parts(positions.size(), welded);
  const std::vector<MeshEdge> odd = odd_edges(welded);

  struct Part {
    double area = 0;
    double largest_cap = 0;
    std::size_t holes = 0;
    bool counted = false;
    bool is_sheet() const { return largest_cap > kSheet * area; }
  };
  std::vector<Part> parts(positions.size());  // by the lowest vertex of each part
  for (const glm::uvec3 t : welded) parts[part_of[t.x]].area += triangle_area(positions, t);
  std::vector<std::vector<glm::uvec3>> caps;
  for (const std::vector<std::uint32_t>& loop : edge_loops(odd)) {
    caps.push_back(cap_of(positions, loop));
    Part& part = parts[part_of[loop[0]]];
    part.largest_cap = std::max(part.largest_cap, area_of(positions, caps.back()));
    ++part.holes;
  }

  ClosedParts result;
  for (const glm::uvec3 t : welded) {
    Part& part = parts[part_of[t.x]];
    (part.is_sheet() ? result.sheets : part.holes > 0 ? result.capped : result.closed).push_back(t);
    if (std::exchange(part.counted, true)) continue;
    ++result.parts;
    if (part.is_sheet()) {
      ++result.sheet_parts;
    } else if (part.holes > 0) {
      ++result.capped_parts;
      result.holes += part.holes;
    }
  }
  for (const std::vector<glm::uvec3>& cap : caps) {
    if (parts[part_of[cap[0].x]].is_sheet()) continue;
    result.caps.insert(result.caps.end(), cap.begin(), cap.end());
  }
  for (const MeshEdge& edge : odd) {
    if (!result.open_edge) result.open_edge = edge;
    if (!result.sheet_edge && parts[part_of[edge.first]].is_sheet()) result.sheet_edge = edge;
  }
  return result;
}

}  // namespace pelt
