// SPDX-License-Identifier: MIT
// The rules are those of MikkTSpace (Mikkelsen 2008, "Simulation of Wrinkled Surfaces Revisited", and the program that
// glTF refers to for tangents):
//
//   - vertices with the same position, normal and UV are one, and its triangles join along edges that they share;
//   - a triangle has the unit derivative s of its position by u and a handedness, the sign of its area in UVs;
//   - round a vertex, triangles of one handedness that follow each other by shared edges are a group. Those without an
//     area in UVs take the handedness of the first group that meets them, and add nothing to its tangent;
//   - the tangent of a group is the sum of angle * s over its triangles, s projected across the normal and made unit,
//     the angle measured across the normal;
//   - triangles with two coincident corners take the tangents of others there.
//
// The option of MikkTSpace to split groups by angle is off by default and not supported. Its UVs have a rising v, those
// of glTF a falling one, hence the handedness.
#include "engine/authoring/model/tangents.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

namespace pelt {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

glm::dvec3 unit_or_zero(const glm::dvec3& v) {
  const double length = glm::length(v);
  return length > FLT_MIN ? v / length : glm::dvec3(0.0);
}

glm::dvec3 across(const glm::dvec3& normal, const glm::dvec3& v) {
  return unit_or_zero(v - glm::dot(normal, v) * normal);
}

// Returns for each vertex one vertex with the same position, normal and UV.
std::vector<std::uint32_t> weld(std::span<const glm::vec3> positions, std::span<const glm::vec3> normals,
                                std::span<const glm::vec2> uvs) {
  struct Key {
    std::array<std::uint32_t, 8> bits;
    std::uint32_t vertex;
  };
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value + 0.0f); };  // -0 becomes 0
  std::vector<Key> keys(positions.size());
  for (std::uint32_t v = 0; v < keys.size(); ++v) {
    const glm::vec3& p = positions[v];
    const glm::vec3& n = normals[v];
    keys[v] = {{bits(p.x), bits(p.y), bits(p.z), bits(n.x), bits(n.y), bits(n.z), bits(uvs[v].x), bits(uvs[v].y)}, v};
  }
  std::ranges::sort(
      keys, [](const Key& a, const Key& b) { return a.bits != b.bits ? a.bits < b.bits : a.vertex < b.vertex; });
  std::vector<std::uint32_t> welded(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool same = i > 0 && keys[i].bits == keys[i - 1].bits;
    welded[keys[i].vertex] = same ? welded[keys[i - 1].vertex] : keys[i].vertex;
  }
  return welded;
}

class TangentMaker {
 public:
  TangentMaker(std::span<const glm::vec3> positions, std::span<const glm::vec3> normals, std::span<const glm::vec2> uvs,
               std::span<const glm::uvec3> triangles)
      : positions_(positions),
        normals_(normals),
        uvs_(uvs),
        triangles_(triangles),
        place_(weld(positions, normals, uvs)) {
    add_faces();
    join_faces();
    for (std::uint32_t f = 0; f < faces_.size(); ++f) {
      for (int c = 0; c < 3; ++c) {
        if (faces_[f].has_uv_area && faces_[f].groups[c] == kNone) make_group(f, c);
      }
    }
  }

  VertexTangents run() const {
    const std::size_t count = positions_.size();
    VertexTangents result{std::vector<glm::vec4>(count, glm::vec4(0.0f)), std::vector<bool>(count, false)};
    std::vector<std::uint32_t> first_group(count, kNone);
    std::vector<std::uint32_t> first_at_place(count, kNone);
    for_each_tangent([&](std::uint32_t v, const Face&, int, std::uint32_t g) {
      if (first_group[v] == kNone) first_group[v] = g;
      if (first_at_place[place_[v]] == kNone) first_at_place[place_[v]] = g;
      if (!are_one(groups_[first_group[v]], groups_[g])) result.averaged[v] = true;
    });
    for (std::size_t v = 0; v < count; ++v) {
      const std::uint32_t g = first_group[v] != kNone ? first_group[v] : first_at_place[place_[v]];
      if (g != kNone) result.tangents[v] = glm::vec4(groups_[g].tangent, handedness(groups_[g].keeps_orientation));
    }
    average(result);
    return result;
  }

 private:
  struct Face {
    std::uint32_t triangle;
    bool has_uv_area = false;
    bool keeps_orientation = false;  // of UVs
    glm::uvec3 neighbours{kNone};    // faces, across the edge from each corner to the next
    glm::uvec3 groups{kNone};        // for each corner
  };

  // Corners of coincident vertices with one tangent.
  struct Group {
    glm::vec3 tangent{0.0f};
    bool keeps_orientation = false;
  };

  static float handedness(bool keeps_orientation) { return keeps_orientation ? -1.0f : 1.0f; }  // v falls in glTF

  static bool are_one(const Group& a, const Group& b) {
    return a.keeps_orientation == b.keeps_orientation && are_alike(a.tangent, b.tangent);
  }

  void add_faces() {
    for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
      const glm::vec3& a = positions_[triangles_[t].x];
      const glm::vec3& b = positions_[triangles_[t].y];
      const glm::vec3& c = positions_[triangles_[t].z];
      if (a == b || b == c || c == a) continue;
      Face face{.triangle = t};
      derivative(face);
      faces_.push_back(face);
    }
  }

  // Returns the unit derivative of the position by u, and sets the face's UV area and orientation.
  glm::dvec3 derivative(Face& face) const {
    const glm::uvec3& t = triangles_[face.triangle];
    const glm::vec2 uv1 = uvs_[t.y] - uvs_[t.x];
    const glm::vec2 uv2 = uvs_[t.z] - uvs_[t.x];
    // In single precision, like MikkTSpace, so that the same triangles have no area.
    const float area = uv1.x * uv2.y - uv1.y * uv2.x;
    if (!(std::abs(area) > FLT_MIN)) return glm::dvec3(0.0);
    const glm::dvec3 edge1 = glm::dvec3(positions_[t.y]) - glm::dvec3(positions_[t.x]);
    const glm::dvec3 edge2 = glm::dvec3(positions_[t.z]) - glm::dvec3(positions_[t.x]);
    const glm::dvec3 by_u = double{uv2.y} * edge1 - double{uv1.y} * edge2;
    const glm::dvec3 by_v = double{uv1.x} * edge2 - double{uv2.x} * edge1;
    const double least = double{FLT_MIN} * std::abs(area);
    face.has_uv_area = glm::length(by_u) > least && glm::length(by_v) > least;
    face.keeps_orientation = area > 0;
    return unit_or_zero(area > 0 ? by_u : -by_u);
  }

  // Joins pairs of faces that run along an edge in opposite directions. If more than two share it, the first of one
  // direction pairs with the first of the other, and so on.
  void join_faces() {
    constexpr std::uint32_t kFalls = 1u << 31;  // from high to low; no mesh in memory has as many corners
    struct Edge {
      std::uint32_t low;
      std::uint32_t high;
      std::uint32_t corner;  // 3 * face + corner, and kFalls
      auto operator<=>(const Edge&) const = default;
    };
    std::vector<Edge> edges;
    edges.reserve(3 * faces_.size());
    for (std::uint32_t f = 0; f < faces_.size(); ++f) {
      for (std::uint32_t c = 0; c < 3; ++c) {
        const std::uint32_t a = place_at(faces_[f], c);
        const std::uint32_t b = place_at(faces_[f], (c + 1) % 3);
        edges.push_back({std::min(a, b), std::max(a, b), (3 * f + c) | (a > b ? kFalls : 0)});
      }
    }
    std::ranges::sort(edges);
    const auto neighbour = [&](std::uint32_t corner) -> std::uint32_t& {
      return faces_[corner / 3].neighbours[static_cast<int>(corner % 3)];
    };
    for (auto rising = edges.begin(); rising != edges.end();) {
      const auto end = std::find_if(
          rising, edges.end(), [&](const Edge& edge) { return edge.low != rising->low || edge.high != rising->high; });
      const auto middle = std::find_if(rising, end, [&](const Edge& edge) { return edge.corner >= kFalls; });
      for (auto falling = middle; rising != middle && falling != end; ++rising, ++falling) {
        const std::uint32_t other = falling->corner - kFalls;
        neighbour(rising->corner) = other / 3;
        neighbour(other) = rising->corner / 3;
      }
      rising = end;
    }
  }

  // Makes the group of a corner, with all corners that it reaches round its vertex.
  void make_group(std::uint32_t first_face, int first_corner) {
    const auto group = static_cast<std::uint32_t>(groups_.size());
    const bool keeps_orientation = faces_[first_face].keeps_orientation;
    const std::uint32_t place = place_at(faces_[first_face], first_corner);
    const glm::dvec3 normal(normals_[place]);
    glm::dvec3 sum(0.0);
    std::vector<std::uint32_t>& faces_to_ask = scratch_;
    faces_to_ask.assign(1, first_face);
    while (!faces_to_ask.empty()) {
      Face& face = faces_[faces_to_ask.back()];
      faces_to_ask.pop_back();
      const int c = place_at(face, 0) == place ? 0 : place_at(face, 1) == place ? 1 : 2;
      if (face.groups[c] != kNone) continue;
      if (!face.has_uv_area && face.groups == glm::uvec3(kNone)) face.keeps_orientation = keeps_orientation;
      if (face.keeps_orientation != keeps_orientation) continue;
      face.groups[c] = group;
      if (face.has_uv_area) sum += angle(face, c) * across(normal, derivative(face));
      for (const int edge : {c, (c + 2) % 3}) {
        if (face.neighbours[edge] != kNone) faces_to_ask.push_back(face.neighbours[edge]);
      }
    }
    groups_.push_back({glm::vec3(unit_or_zero(sum)), keeps_orientation});
  }

  // Calls function(vertex, face, corner, group) for each corner that has a tangent.
  template <class Function>
  void for_each_tangent(const Function& function) const {
    for (const Face& face : faces_) {
      for (int c = 0; c < 3; ++c) {
        const std::uint32_t g = face.groups[c];
        if (g == kNone || groups_[g].tangent == glm::vec3(0.0f)) continue;
        function(triangles_[face.triangle][c], face, c, g);
      }
    }
  }

  void average(VertexTangents& result) const {
    struct Sum {
      glm::dvec3 tangent{0.0};
      double angle = 0;
    };
    std::vector<std::uint32_t> sum_of(positions_.size(), kNone);
    std::vector<std::array<Sum, 2>> sums;  // by orientation
    for_each_tangent([&](std::uint32_t v, const Face& face, int c, std::uint32_t g) {
      if (!result.averaged[v] || !face.has_uv_area) return;
      if (sum_of[v] == kNone) {
        sum_of[v] = static_cast<std::uint32_t>(sums.size());
        sums.emplace_back();
      }
      Sum& sum = sums[sum_of[v]][groups_[g].keeps_orientation ? 1 : 0];
      const double weight = angle(face, c);
      sum.tangent += weight * glm::dvec3(groups_[g].tangent);
      sum.angle += weight;
    });
    for (std::size_t v = 0; v < sum_of.size(); ++v) {
      if (sum_of[v] == kNone) continue;
      const auto& [turned, kept] = sums[sum_of[v]];
      const bool keeps = kept.angle > turned.angle;
      const glm::dvec3 mean = unit_or_zero(keeps ? kept.tangent : turned.tangent);
      if (mean != glm::dvec3(0.0)) result.tangents[v] = glm::vec4(mean, handedness(keeps));
    }
  }

  // Returns the angle of a corner projected along the normal.
  double angle(const Face& face, int c) const {
    const glm::uvec3& t = triangles_[face.triangle];
    const glm::dvec3 normal(normals_[t[c]]);
    const glm::dvec3 corner(positions_[t[c]]);
    const glm::dvec3 to_next = across(normal, glm::dvec3(positions_[t[(c + 1) % 3]]) - corner);
    const glm::dvec3 to_last = across(normal, glm::dvec3(positions_[t[(c + 2) % 3]]) - corner);
    return std::acos(std::clamp(glm::dot(to_next, to_last), -1.0, 1.0));
  }

  template <class Corner>
  std::uint32_t place_at(const Face& face, Corner corner) const {
    return place_[triangles_[face.triangle][static_cast<int>(corner)]];
  }

  std::span<const glm::vec3> positions_;
  std::span<const glm::vec3> normals_;
  std::span<const glm::vec2> uvs_;
  std::span<const glm::uvec3> triangles_;
  std::vector<std::uint32_t> place_;  // of each vertex: the first that is welded to it
  std::vector<Face> faces_;           // triangles without coincident corners
  std::vector<Group> groups_;
  std::vector<std::uint32_t> scratch_;
};

}  // namespace

VertexTangents vertex_tangents(std::span<const glm::vec3> positions, std::span<const glm::vec3> normals,
                               std::span<const glm::vec2> uvs, std::span<const glm::uvec3> triangles) {
  return TangentMaker(positions, normals, uvs, triangles).run();
}

}  // namespace pelt
