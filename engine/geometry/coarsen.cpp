// SPDX-License-Identifier: MIT
#include "engine/geometry/coarsen.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <map>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

#include <pelt/tools/mesh_parts.h>

#include "engine/core/stop.h"

namespace pelt {
namespace {

constexpr double kBorder = 3;        // weight of planes through borders, in triangles as large as the edge is long
constexpr double kSeam = 1;          // the same of seams of textures, normals and parts
constexpr double kTurn = 0.005;      // error of a unit normal that is off by 1, as a share of the surface's size
constexpr double kSlide = 0.5;       // metres of error for each metre by which a texture slides
constexpr double kLeastTurn = 0.2;   // least cosine between a triangle's directions before and after a step, at rest
constexpr double kLeastShade = 0.5;  // least cosine between a triangle's direction and its normals, where it gets worse
constexpr double kLeastPiece = 0.4;  // of its share of the triangles, what a connected piece keeps

// A squared sum of N products: x -> sum of (a . x)^2, of vectors `a` with their weights.
template <int N>
class Quadric {
 public:
  void add(const std::array<double, N>& a, double weight) {
    int at = 0;
    for (int i = 0; i < N; ++i) {
      for (int j = i; j < N; ++j) sums_[at++] += weight * a[i] * a[j];
    }
  }
  void add(const Quadric& other) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
  }
  double at(const std::array<double, N>& x) const {
    double sum = 0;
    int at = 0;
    for (int i = 0; i < N; ++i) {
      sum += sums_[at++] * x[i] * x[i];
      for (int j = i + 1; j < N; ++j) sum += 2 * sums_[at++] * x[i] * x[j];
    }
    return std::max(sum, 0.0);
  }

 private:
  std::array<double, N*(N + 1) / 2> sums_{};
};

std::array<double, 4> plane_at(const glm::dvec3& normal, const glm::dvec3& point) {
  return {normal.x, normal.y, normal.z, -glm::dot(normal, point)};
}

// Texture coordinates and normals, which are to be at a point what a triangle says there.
constexpr int kTextures = 2;
constexpr int kAttributes = kTextures + 3;
using Attributes = std::array<double, kAttributes>;
using AttributeQuadrics = std::array<Quadric<5>, kAttributes>;

// A step: `from` and `to` are places.
struct Step {
  double cost;
  std::uint32_t from;
  std::uint32_t to;

  friend bool operator>(const Step& a, const Step& b) {
    return std::tie(a.cost, a.from, a.to) > std::tie(b.cost, b.from, b.to);
  }
};

// The corner that takes the place of another.
struct Replaced {
  std::uint32_t by;
  std::uint32_t corner;
};

constexpr std::uint32_t kNone = ~0u;

}  // namespace

// Corners are vertices in one part: a vertex in two parts is two corners.
struct Coarsener::State {
  const PosedSurface& surface;
  std::vector<std::uint32_t> vertex_of;          // for each corner
  std::vector<std::uint32_t> place_of;           // for each corner
  std::vector<std::uint32_t> part_of;            // for each corner
  std::vector<glm::uvec3> triangles;             // of corners
  std::vector<bool> alive;                       // for each triangle
  std::vector<std::vector<std::uint32_t>> star;  // for each place, its triangles; empty: nothing is there
  std::vector<std::uint32_t> piece_of;           // for each place
  std::vector<std::size_t> piece_size;           // triangles at first
  std::vector<std::size_t> piece_left;           // triangles now
  std::vector<std::size_t> piece_least;          // triangles that must be left now
  std::vector<glm::dvec3> direction;             // of each triangle at first, at rest; unit, or 0
  std::vector<Quadric<4>> quadrics;              // for each corner and pose, those of a corner side by side
  std::vector<glm::dvec3> positions;             // the same: from the centre
  std::vector<std::uint32_t> sheet_of;           // for each corner; the same: but for normals they are one vertex
  std::vector<AttributeQuadrics> attributes;     // for each corner
  double extent = 0;          // of the surface at rest, from its centre to its farthest corner, doubled
  std::vector<double> areas;  // for each corner, that its quadrics are weighted by
  glm::dvec3 centre{0};       // of the rest pose, from which all is measured
  std::size_t first_count = 0;
  std::size_t left = 0;
  // Reused from step to step.
  std::vector<Replaced> replaced;
  std::vector<std::uint32_t> near_from;
  std::vector<std::uint32_t> near_to;
  std::vector<std::uint32_t> thirds;

  std::size_t poses() const { return surface.poses.size(); }

  const glm::dvec3& position(std::size_t pose, std::uint32_t corner) const {
    return positions[corner * surface.poses.size() + pose];
  }

  Quadric<4>& quadric(std::size_t pose, std::uint32_t corner) { return quadrics[corner * surface.poses.size() + pose]; }

  glm::vec2 uv_of(std::uint32_t corner) const { return surface.uvs[vertex_of[corner]]; }

  Attributes attributes_of(std::uint32_t corner) const {
    const glm::dvec2 uv(uv_of(corner));
    const glm::dvec3 normal(surface.normals[vertex_of[corner]]);
    return {uv.x, uv.y, normal.x, normal.y, normal.z};
  }

  std::uint32_t place(std::uint32_t triangle, int c) const { return place_of[triangles[triangle][c]]; }

  // Returns the number of the triangle's corner that is at a place; 3: none.
  int corner_at(std::uint32_t triangle, std::uint32_t where) const {
    for (int c = 0; c < 3; ++c) {
      if (place(triangle, c) == where) return c;
    }
    return 3;
  }

  void neighbours(std::uint32_t of, std::vector<std::uint32_t>& result) const {
    result.clear();
    for (const std::uint32_t t : star[of]) {
      for (int c = 0; c < 3; ++c) {
        if (place(t, c) != of) result.push_back(place(t, c));
      }
    }
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
  }

  // Returns by how many triangles more the edge from a to b is used in that direction than in the other.
  int openness(std::uint32_t a, std::uint32_t b) const {
    int sum = 0;
    for (const std::uint32_t t : star[a]) {
      const int c = corner_at(t, a);
      if (place(t, (c + 1) % 3) == b) ++sum;
      if (place(t, (c + 2) % 3) == b) --sum;
    }
    return sum;
  }

  glm::dvec3 cross_of(std::size_t pose, glm::uvec3 t) const {
    const glm::dvec3 a = position(pose, t.x);
    return glm::cross(position(pose, t.y) - a, position(pose, t.z) - a);
  }

  void make_corners();
  void make_sheets();
  void make_pieces();
  void add_planes();
  void add_edges();
  // Returns the cosine between a corner's normal and a direction of any length.
  double shade_of(std::uint32_t corner, const glm::dvec3& across) const {
    const double length = glm::length(across);
    return length > 0 ? glm::dot(glm::dvec3(surface.normals[vertex_of[corner]]), across) / length : 1.0;
  }

  // Returns the squared length of the difference of two corners' normals.
  double turn(std::uint32_t a, std::uint32_t b) const {
    const glm::dvec3 off(surface.normals[vertex_of[a]] - surface.normals[vertex_of[b]]);
    return glm::dot(off, off);
  }

  bool replace(std::uint32_t from, std::uint32_t to);
  std::uint32_t nearest_normal(std::uint32_t corner, std::uint32_t to, std::span<const Replaced> sure) const;
  std::uint32_t replacement(std::uint32_t corner) const;
  double cost() const;
  bool may_step(std::uint32_t from, std::uint32_t to);
  bool keeps_sides(std::uint32_t from, std::uint32_t to) const;
  void step(std::uint32_t from, std::uint32_t to);
};

void Coarsener::State::make_corners() {
  const std::vector<std::uint32_t> first = weld_by_position(surface.poses[0]);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;  // by vertex and part
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    glm::uvec3 own;
    for (int c = 0; c < 3; ++c) {
      const std::uint32_t vertex = surface.triangles[t][c];
      const auto [entry, added] =
          known.try_emplace({vertex, surface.parts[t]}, static_cast<std::uint32_t>(vertex_of.size()));
      if (added) {
        vertex_of.push_back(vertex);
        place_of.push_back(first[vertex]);
        part_of.push_back(surface.parts[t]);
        for (const std::vector<glm::vec3>& pose : surface.poses) positions.push_back(glm::dvec3(pose[vertex]) - centre);
      }
      own[c] = entry->second;
    }
    triangles.push_back(own);
  }
  star.resize(surface.poses[0].size());
  alive.resize(triangles.size(), false);
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    const glm::uvec3 places(place(t, 0), place(t, 1), place(t, 2));
    // A triangle between two places or at one shows nothing.
    if (places.x == places.y || places.y == places.z || places.z == places.x) continue;
    alive[t] = true;
    ++left;
    for (int c = 0; c < 3; ++c) star[places[c]].push_back(t);
  }
  first_count = left;
}

// Numbers the sheets: corners at one place, in one part and of the same texture coordinates that stay together in all
// poses. Lips that touch at rest and part in poses are two sheets.
void Coarsener::State::make_sheets() {
  constexpr double kTogether = 1e-5;  // of the surface's extent
  for (std::uint32_t c = 0; c < vertex_of.size(); ++c) extent = std::max(extent, 2 * glm::length(position(0, c)));
  const double distance = kTogether * extent;
  std::vector<std::vector<std::uint32_t>> firsts(star.size());  // for each place, the first corner of each sheet
  for (std::uint32_t c = 0; c < vertex_of.size(); ++c) {
    const auto same = [&](std::uint32_t first) {
      if (part_of[c] != part_of[first] || uv_of(c) != uv_of(first)) return false;
      for (std::size_t s = 0; s < poses(); ++s) {
        if (glm::distance(position(s, c), position(s, first)) > distance) return false;
      }
      return true;
    };
    std::vector<std::uint32_t>& own = firsts[place_of[c]];
    const auto found = std::ranges::find_if(own, same);
    sheet_of.push_back(found == own.end() ? c : *found);
    if (found == own.end()) own.push_back(c);
  }
}

void Coarsener::State::make_pieces() {
  std::vector<glm::uvec3> places;
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    if (alive[t]) places.emplace_back(place(t, 0), place(t, 1), place(t, 2));
  }
  piece_of = connected_parts(star.size(), places);
  piece_size.resize(star.size(), 0);
  for (const glm::uvec3& t : places) ++piece_size[piece_of[t.x]];
  piece_left = piece_size;
  piece_least.resize(star.size(), 0);
}

void Coarsener::State::add_planes() {
  const std::size_t count = vertex_of.size();
  quadrics.resize(count * poses());
  attributes.resize(count);
  areas.resize(count, 0.0);
  direction.resize(triangles.size(), glm::dvec3(0));
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    if (!alive[t]) continue;
    const glm::uvec3 own = triangles[t];
    const glm::dvec3 cross = cross_of(0, own);
    const double area = glm::length(cross) / 2;
    if (area > 0) direction[t] = cross / (2 * area);
    for (int c = 0; c < 3; ++c) areas[own[c]] += area;
    for (std::size_t s = 0; s < poses(); ++s) {
      const glm::dvec3 posed = cross_of(s, own);
      const double length = glm::length(posed);
      if (!(length > 0)) continue;
      for (int c = 0; c < 3; ++c) quadric(s, own[c]).add(plane_at(posed / length, position(s, own.x)), area);
    }
    // Attributes as linear functions of the point: f = gradient . x + constant.
    if (!(area > 0)) continue;
    const glm::dvec2 along(uv_of(own.y) - uv_of(own.x));
    const glm::dvec2 across(uv_of(own.z) - uv_of(own.x));
    const double uv_area = std::abs(along.x * across.y - along.y * across.x) / 2;
    const double slide = uv_area > 0 ? kSlide * std::sqrt(area / uv_area) : 0.0;  // metres a unit of coordinates
    const glm::dvec3 x = position(0, own.x);
    const glm::dvec3 e = position(0, own.y) - x;
    const glm::dvec3 f = position(0, own.z) - x;
    const glm::dvec3 of_e = glm::cross(f, direction[t]) / (2 * area);  // of_e . e = 1, of_e . f = 0
    const glm::dvec3 of_f = glm::cross(direction[t], e) / (2 * area);
    const std::array<Attributes, 3> at = {attributes_of(own.x), attributes_of(own.y), attributes_of(own.z)};
    for (int k = 0; k < kAttributes; ++k) {
      const double scale = k < kTextures ? slide : kTurn * extent;
      const glm::dvec3 gradient = scale * ((at[1][k] - at[0][k]) * of_e + (at[2][k] - at[0][k]) * of_f);
      const double constant = scale * at[0][k] - glm::dot(gradient, x);
      for (int c = 0; c < 3; ++c) {
        attributes[own[c]][k].add({gradient.x, gradient.y, gradient.z, constant, -scale}, area);
      }
    }
  }
}

// Adds planes through the edges of borders and seams, which stand upright on their triangles.
void Coarsener::State::add_edges() {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> uses;  // by sheets, less those in the other direction
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    if (!alive[t]) continue;
    for (int c = 0; c < 3; ++c) {
      const std::uint32_t a = sheet_of[triangles[t][c]];
      const std::uint32_t b = sheet_of[triangles[t][(c + 1) % 3]];
      uses[std::minmax(a, b)] += a < b ? 1 : -1;
    }
  }
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    if (!alive[t]) continue;
    for (int c = 0; c < 3; ++c) {
      const std::uint32_t a = triangles[t][c];
      const std::uint32_t b = triangles[t][(c + 1) % 3];
      if (uses[std::minmax(sheet_of[a], sheet_of[b])] == 0) continue;
      const double weight = openness(place_of[a], place_of[b]) != 0 ? kBorder : kSeam;
      const double length = glm::distance(position(0, a), position(0, b));
      for (std::size_t s = 0; s < poses(); ++s) {
        const glm::dvec3 upright = glm::cross(cross_of(s, triangles[t]), position(s, b) - position(s, a));
        const double size = glm::length(upright);
        if (!(size > 0)) continue;
        const std::array<double, 4> plane = plane_at(upright / size, position(s, a));
        for (const std::uint32_t end : {a, b}) quadric(s, end).add(plane, weight * length * length);
      }
    }
  }
}

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
  for (const Replaced& own : replaced) area += areas[own.corner];
  if (!(area > 0)) return 0;
  double worst = 0;
  for (std::size_t s = 0; s < poses(); ++s) {
    double sum = 0;
    for (const Replaced& own : replaced) {
      const glm::dvec3 x = position(s, own.by);
      sum += quadrics[own.corner * poses() + s].at({x.x, x.y, x.z, 1});
    }
    worst = std::max(worst, sum);
  }
  double slide = 0;
  double turned = 0;
  for (const Replaced& own : replaced) {
    const glm::dvec3& x = position(0, own.by);
    const Attributes at = attributes_of(own.by);
    for (int k = 0; k < kAttributes; ++k) {
      (k < kTextures ? slide : turned) += attributes[own.corner][k].at({x.x, x.y, x.z, 1, at[k]});
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
      const double least = s == 0 ? kLeastTurn : 0.0;
      const double size = glm::length(before) * glm::length(after);
      if (size > 0 && glm::dot(before, after) < least * size) return false;
      if (s > 0) continue;
      if (glm::dot(direction[t], after) < 0) return false;
      for (int k = 0; k < 3; ++k) {
        const double shade = shade_of(moved[k], after);
        if (shade < kLeastShade && shade < shade_of(triangles[t][k], before)) return false;
      }
      const auto shape = [&](glm::uvec3 own, double twice_area) {
        const glm::dvec3 p = position(0, own.x);
        const glm::dvec3 q = position(0, own.y);
        const glm::dvec3 r = position(0, own.z);
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
  for (const Replaced& own : replaced) {
    for (std::size_t s = 0; s < poses(); ++s) quadric(s, own.by).add(quadric(s, own.corner));
    for (int k = 0; k < kAttributes; ++k) attributes[own.by][k].add(attributes[own.corner][k]);
    areas[own.by] += areas[own.corner];
  }
}

Coarsener::Coarsener(const PosedSurface& surface) : state_(new State{.surface = surface}) {
  State& state = *state_;
  const std::vector<glm::vec3>& rest = state.surface.poses[0];
  assert(state.surface.parts.size() == state.surface.triangles.size() && state.surface.uvs.size() == rest.size());
  for (const glm::vec3& p : rest) state.centre += glm::dvec3(p) / static_cast<double>(rest.size());
  state.make_corners();
  state.make_sheets();
  state.make_pieces();
  state.add_planes();
  state.add_edges();
}

Coarsener::~Coarsener() = default;
Coarsener::Coarsener(Coarsener&&) noexcept = default;
Coarsener& Coarsener::operator=(Coarsener&&) noexcept = default;

std::size_t Coarsener::reduce(std::size_t count, double most) {
  State& state = *state_;
  const double share = static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(state.first_count, 1));
  for (std::size_t p = 0; p < state.piece_size.size(); ++p) {
    const double least = std::ceil(kLeastPiece * share * static_cast<double>(state.piece_size[p]));
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
    const glm::uvec3 own = state.triangles[t];
    result.push_back({t, {state.vertex_of[own.x], state.vertex_of[own.y], state.vertex_of[own.z]}});
  }
  return result;
}

}  // namespace pelt
