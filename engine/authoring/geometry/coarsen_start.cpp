// SPDX-License-Identifier: MIT
// The surface as a Coarsener begins with it: its corners, sheets and pieces, and the error of every corner.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <utility>

#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/geometry/coarsen_state.h"

namespace pelt {
namespace {

constexpr double kBorder = 3;    // weight of planes through borders, in triangles as large as the edge is long
constexpr double kSeam = 1;      // the same of seams of textures, normals and parts
constexpr double kTurn = 0.005;  // error of a unit normal that is off by 1, as a share of the surface's size
constexpr double kSlide = 0.5;   // metres of error for each metre by which a texture slides

std::array<double, 4> plane_at(const glm::dvec3& normal, const glm::dvec3& point) {
  return {normal.x, normal.y, normal.z, -glm::dot(normal, point)};
}

}  // namespace

void Coarsener::State::make_corners() {
  const std::vector<std::uint32_t> first = weld_by_position(surface.poses[0]);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;  // by vertex and part
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    glm::uvec3 corners;
    for (int c = 0; c < 3; ++c) {
      const std::uint32_t vertex = surface.triangles[t][c];
      const auto [corner, added] =
          known.try_emplace({vertex, surface.parts[t]}, static_cast<std::uint32_t>(vertex_of.size()));
      if (added) {
        vertex_of.push_back(vertex);
        place_of.push_back(first[vertex]);
        part_of.push_back(surface.parts[t]);
        for (const std::vector<glm::vec3>& pose : surface.poses) positions.push_back(glm::dvec3(pose[vertex]) - centre);
      }
      corners[c] = corner->second;
    }
    triangles.push_back(corners);
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
    std::vector<std::uint32_t>& sheets = firsts[place_of[c]];
    const auto found = std::ranges::find_if(sheets, same);
    sheet_of.push_back(found == sheets.end() ? c : *found);
    if (found == sheets.end()) sheets.push_back(c);
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
    const glm::uvec3 corners = triangles[t];
    const glm::dvec3 cross = cross_of(0, corners);
    const double area = glm::length(cross) / 2;
    if (area > 0) direction[t] = cross / (2 * area);
    for (int c = 0; c < 3; ++c) areas[corners[c]] += area;
    for (std::size_t s = 0; s < poses(); ++s) {
      const glm::dvec3 posed = cross_of(s, corners);
      const double length = glm::length(posed);
      if (!(length > 0)) continue;
      for (int c = 0; c < 3; ++c) quadric(s, corners[c]).add(plane_at(posed / length, position(s, corners.x)), area);
    }
    // Attributes as linear functions of the point: f = gradient . x + constant.
    if (!(area > 0)) continue;
    const glm::dvec2 along(uv_of(corners.y) - uv_of(corners.x));
    const glm::dvec2 across(uv_of(corners.z) - uv_of(corners.x));
    const double uv_area = std::abs(along.x * across.y - along.y * across.x) / 2;
    const double slide = uv_area > 0 ? kSlide * std::sqrt(area / uv_area) : 0.0;  // metres a unit of coordinates
    const glm::dvec3 x = position(0, corners.x);
    const glm::dvec3 e = position(0, corners.y) - x;
    const glm::dvec3 f = position(0, corners.z) - x;
    const glm::dvec3 of_e = glm::cross(f, direction[t]) / (2 * area);  // of_e . e = 1, of_e . f = 0
    const glm::dvec3 of_f = glm::cross(direction[t], e) / (2 * area);
    const std::array<Attributes, 3> at = {attributes_of(corners.x), attributes_of(corners.y), attributes_of(corners.z)};
    for (int k = 0; k < kAttributes; ++k) {
      const double scale = k < kTextures ? slide : kTurn * extent;
      const glm::dvec3 gradient = scale * ((at[1][k] - at[0][k]) * of_e + (at[2][k] - at[0][k]) * of_f);
      const double constant = scale * at[0][k] - glm::dot(gradient, x);
      for (int c = 0; c < 3; ++c) {
        attributes[corners[c]][k].add({gradient.x, gradient.y, gradient.z, constant, -scale}, area);
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

}  // namespace pelt
