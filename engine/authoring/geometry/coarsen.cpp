// SPDX-License-Identifier: MIT
// The steps by which a surface becomes coarser.
#include "engine/authoring/geometry/coarsen.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>
#include <utility>

#include "engine/authoring/core/stop.h"
#include "engine/authoring/geometry/coarsen_state.h"

namespace pelt {
namespace {

constexpr double kMinTurn = 0.2;   // least cosine between a triangle's directions before and after a step, at rest
constexpr double kMinShade = 0.5;  // least cosine between a triangle's direction and its normals, where it gets worse
constexpr double kMinPiece = 0.4;  // of its share of the triangles, what a connected piece keeps

constexpr std::uint32_t kNone = ~0u;

// A step: `from` and `to` are places.
struct Step {
  double cost;
  std::uint32_t from;
  std::uint32_t to;

  friend bool operator>(const Step& a, const Step& b) {
    return std::tie(a.cost, a.from, a.to) > std::tie(b.cost, b.from, b.to);
  }
};

}  // namespace

// Finds what replaces the corners at a place if all there moves to another. Returns false if that is not clear.
bool Coarsener::State::replace(std::uint32_t from, std::uint32_t to) {
  replaced.clear();
  for (const std::uint32_t t : star[from]) {
    const int other = corner_at(t, to);
    if (other == 3) continue;
    const std::uint32_t corner = triangles[t][corner_at(t, from)];
    const std::uint32_t by = triangles[t][other];
    const std::uint32_t known = replacement(corner);
    if (known != kNone && known != by) return false;
    if (known == kNone) replaced.push_back({by, corner});
  }
  if (replaced.empty()) return false;
  const std::size_t sure = replaced.size();
  for (const std::uint32_t t : star[from]) {
    const std::uint32_t corner = triangles[t][corner_at(t, from)];
    if (replacement(corner) != kNone) continue;
    const std::uint32_t by = nearest_normal(corner, to, std::span(replaced).first(sure));
    if (by == kNone) return false;
    replaced.push_back({by, corner});
  }
  return true;
}

// Returns the corner at a place that has the nearest normal among those of the sheet in which the corner's own sheet
// goes on there; none, if it does not, or in two.
std::uint32_t Coarsener::State::nearest_normal(std::uint32_t corner, std::uint32_t to,
                                               std::span<const Replaced> sure) const {
  std::uint32_t sheet = kNone;
  for (const Replaced& other : sure) {
    if (sheet_of[other.corner] != sheet_of[corner]) continue;
    if (sheet != kNone && sheet != sheet_of[other.by]) return kNone;
    sheet = sheet_of[other.by];
  }
  if (sheet == kNone) return kNone;
  std::uint32_t nearest = kNone;
  double least = 0;
  for (const std::uint32_t t : star[to]) {
    const std::uint32_t by = triangles[t][corner_at(t, to)];
    if (sheet_of[by] != sheet) continue;
    const double turned = turn(corner, by);
    if (nearest != kNone && std::pair(turned, by) >= std::pair(least, nearest)) continue;
    nearest = by;
    least = turned;
  }
  return nearest;
}

std::uint32_t Coarsener::State::replacement(std::uint32_t corner) const {
  const auto found = std::ranges::find(replaced, corner, &Replaced::corner);
  return found == replaced.end() ? kNone : found->by;
}

// Returns E of the step that `replaced` tells of.
double Coarsener::State::cost() const {
  double area = 0;
  for (const auto& [by, corner] : replaced) area += areas[corner];
  if (!(area > 0)) return 0;
  double worst = 0;
  for (std::size_t s = 0; s < poses(); ++s) {
    double sum = 0;
    for (const auto& [by, corner] : replaced) {
      const glm::dvec3 x = position(s, by);
      sum += quadrics[corner * poses() + s].at({x.x, x.y, x.z, 1});
    }
    worst = std::max(worst, sum);
  }
  double slide = 0;
  double turned = 0;
  for (const auto& [by, corner] : replaced) {
    const glm::dvec3& x = position(0, by);
    const Attributes at = attributes_of(by);
    for (int k = 0; k < kAttributes; ++k) {
      (k < kTextures ? slide : turned) += attributes[corner][k].at({x.x, x.y, x.z, 1, at[k]});
    }
  }
  return std::max({worst, slide, turned}) / area;
}

// Returns true if the step that `replaced` tells of keeps the surface whole.
bool Coarsener::State::may_step(std::uint32_t from, std::uint32_t to) {
  neighbours(from, near_from);
  int open = 0;
  for (const std::uint32_t n : near_from) open += openness(from, n) != 0 ? 1 : 0;
  if (open != 0 && (open != 2 || openness(from, to) == 0)) return false;
  // What the two places have in common must vanish between them, or the surface would be glued together.
  thirds.clear();
  for (const std::uint32_t t : star[from]) {
    if (corner_at(t, to) == 3) continue;
    for (int c = 0; c < 3; ++c) {
      if (place(t, c) != from && place(t, c) != to) thirds.push_back(place(t, c));
    }
  }
  const std::size_t vanish = thirds.size();
  std::ranges::sort(thirds);
  thirds.erase(std::unique(thirds.begin(), thirds.end()), thirds.end());
  neighbours(to, near_to);
  std::size_t common = 0;
  for (const std::uint32_t n : near_from) common += std::ranges::binary_search(near_to, n) ? 1 : 0;
  if (common != thirds.size()) return false;
  if (vanish == star[to].size()) return false;  // nothing would be left
  const std::uint32_t piece = piece_of[from];
  if (piece_left[piece] - vanish < std::max<std::size_t>(piece_least[piece], 1)) return false;
  return keeps_sides(from, to);
}

// Returns true if no triangle is turned over, becomes a sliver, is shaded as if it faced elsewhere or comes to lie on
// another.
bool Coarsener::State::keeps_sides(std::uint32_t from, std::uint32_t to) const {
  constexpr double kSliver = 0.02;  // of the square of the longest edge, twice the area
  for (const std::uint32_t t : star[from]) {
    if (corner_at(t, to) != 3) continue;
    glm::uvec3 moved = triangles[t];
    const int c = corner_at(t, from);
    moved[c] = replacement(moved[c]);
    const std::uint32_t a = place(t, (c + 1) % 3);
    const std::uint32_t b = place(t, (c + 2) % 3);
    for (const std::uint32_t other : star[to]) {
      if (corner_at(other, from) == 3 && corner_at(other, a) != 3 && corner_at(other, b) != 3) return false;
    }
    for (std::size_t s = 0; s < poses(); ++s) {
      const glm::dvec3 before = cross_of(s, triangles[t]);
      const glm::dvec3 after = cross_of(s, moved);
      const double least = s == 0 ? kMinTurn : 0.0;
      const double size = glm::length(before) * glm::length(after);
      if (size > 0 && glm::dot(before, after) < least * size) return false;
      if (s > 0) continue;
      if (glm::dot(direction[t], after) < 0) return false;
      for (int k = 0; k < 3; ++k) {
        const double shade = shade_of(moved[k], after);
        if (shade < kMinShade && shade < shade_of(triangles[t][k], before)) return false;
      }
      const auto shape = [&](glm::uvec3 corners, double twice_area) {
        const glm::dvec3 p = position(0, corners.x);
        const glm::dvec3 q = position(0, corners.y);
        const glm::dvec3 r = position(0, corners.z);
        const double longest = std::max({glm::distance(p, q), glm::distance(q, r), glm::distance(r, p)});
        return longest > 0 ? twice_area / (longest * longest) : 0.0;
      };
      const double made = shape(moved, glm::length(after));
      if (made < kSliver && made < shape(triangles[t], glm::length(before))) return false;
    }
  }
  return true;
}

void Coarsener::State::step(std::uint32_t from, std::uint32_t to) {
  for (const std::uint32_t t : star[from]) {
    const int c = corner_at(t, from);
    if (corner_at(t, to) == 3) {
      triangles[t][c] = replacement(triangles[t][c]);
      star[to].push_back(t);
      continue;
    }
    alive[t] = false;
    --left;
    --piece_left[piece_of[from]];
    for (int k = 0; k < 3; ++k) {
      if (place(t, k) != from) std::erase(star[place(t, k)], t);
    }
  }
  star[from].clear();
  for (const auto& [by, corner] : replaced) {
    for (std::size_t s = 0; s < poses(); ++s) quadric(s, by).add(quadric(s, corner));
    for (int k = 0; k < kAttributes; ++k) attributes[by][k].add(attributes[corner][k]);
    areas[by] += areas[corner];
  }
}

std::size_t Coarsener::reduce(std::size_t count, double most) {
  State& state = *state_;
  const double share = static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(state.first_count, 1));
  for (std::size_t p = 0; p < state.piece_size.size(); ++p) {
    const double least = std::ceil(kMinPiece * share * static_cast<double>(state.piece_size[p]));
    state.piece_least[p] = static_cast<std::size_t>(least);
  }
  std::priority_queue<Step, std::vector<Step>, std::greater<>> steps;
  const auto add = [&](std::uint32_t from, std::uint32_t to) {
    stop_if_asked();
    if (!state.replace(from, to)) return;
    const double cost = state.cost();
    if (cost <= most * most) steps.push({cost, from, to});
  };
  std::vector<std::uint32_t> near;
  // Steps that were refused may be open once their surroundings have changed: rounds go on while they help.
  for (std::size_t before = state.left + 1; state.left > count && state.left < before;) {
    before = state.left;
    for (std::uint32_t p = 0; p < state.star.size(); ++p) {
      state.neighbours(p, near);
      for (const std::uint32_t n : near) add(p, n);
    }
    while (state.left > count && !steps.empty()) {
      const Step step = steps.top();
      steps.pop();
      if (!state.replace(step.from, step.to)) continue;  // also where they are no neighbours any more
      const double cost = state.cost();
      if (cost > step.cost * (1 + 1e-9)) {
        if (cost <= most * most) steps.push({cost, step.from, step.to});
        continue;
      }
      if (!state.may_step(step.from, step.to)) continue;
      state.step(step.from, step.to);
      state.neighbours(step.to, near);
      for (const std::uint32_t n : near) {
        add(step.to, n);
        add(n, step.to);
      }
    }
    steps = {};
  }
  return state.left;
}

std::vector<Coarsener::Kept> Coarsener::kept() const {
  const State& state = *state_;
  std::vector<Kept> result;
  for (std::uint32_t t = 0; t < state.triangles.size(); ++t) {
    if (!state.alive[t]) continue;
    const glm::uvec3 corners = state.triangles[t];
    result.push_back({t, {state.vertex_of[corners.x], state.vertex_of[corners.y], state.vertex_of[corners.z]}});
  }
  return result;
}

}  // namespace pelt
