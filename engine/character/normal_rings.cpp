// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include <pelt/normal_rings.h>

#include "shaders/normals/normals.h"

namespace pelt {
namespace {

constexpr float kSameNormal = 0.99985f;     // cosine of a degree
constexpr float kMinAgreement = 0.5f;       // cosine of 60 degrees
constexpr std::size_t kMaxSidesTried = 16;  // at a place where many different vertices meet

// A triangle seen from one of its vertices, the apex: b and c follow it counterclockwise.
struct Corner {
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  friend auto operator<=>(const Corner&, const Corner&) = default;
};

// The corners of each vertex, one vertex after the other.
struct Corners {
  std::vector<std::size_t> first;  // n + 1
  std::vector<Corner> corners;

  std::span<const Corner> of(std::uint32_t vertex) const {
    return std::span(corners).subspan(first[vertex], first[vertex + 1] - first[vertex]);
  }
};

Corners find_corners(const CharacterMesh& mesh) {
  Corners found;
  found.first.resize(mesh.vertex_count() + std::size_t{1});
  const auto for_each_corner = [&](const auto& visit) {
    for (const glm::uvec3& t : mesh.triangles) {
      if (t.x == t.y || t.y == t.z || t.z == t.x) continue;
      visit(t.x, Corner{t.y, t.z});
      visit(t.y, Corner{t.z, t.x});
      visit(t.z, Corner{t.x, t.y});
    }
  };
  for_each_corner([&](std::uint32_t vertex, Corner) { ++found.first[vertex + std::size_t{1}]; });
  std::partial_sum(found.first.begin(), found.first.end(), found.first.begin());
  found.corners.resize(found.first.back());
  std::vector<std::size_t> next(found.first.begin(), found.first.end() - 1);
  for_each_corner([&](std::uint32_t vertex, Corner corner) { found.corners[next[vertex]++] = corner; });
  return found;
}

// Appends the fans of one apex, with their flags; the order of the corners is lost. A fan begins where no other ends,
// and otherwise anywhere: the order of the corners does not change their sum.
void append_fans(std::vector<Corner>& corners, std::vector<std::uint32_t>& words) {
  std::sort(corners.begin(), corners.end());
  std::vector<std::uint32_t> ends;
  for (const Corner& corner : corners) ends.push_back(corner.c);
  std::sort(ends.begin(), ends.end());
  std::vector<bool> used(corners.size());
  std::vector<std::size_t> skip(corners.size());  // from the first corner with the same b to one that may be unused
  const auto find_unused = [&](std::uint32_t begin) {
    const auto first =
        static_cast<std::size_t>(std::lower_bound(corners.begin(), corners.end(), Corner{begin, 0}) - corners.begin());
    if (first == corners.size()) return first;
    std::size_t at = first + skip[first];
    while (at < corners.size() && corners[at].b == begin && used[at]) ++at;
    skip[first] = at - first;
    return at < corners.size() && corners[at].b == begin ? at : corners.size();
  };
  const auto string_from = [&](std::size_t at) {
    words.push_back(corners[at].b | shared::kRingFan);
    while (at < corners.size()) {
      used[at] = true;
      words.push_back(corners[at].c);
      at = find_unused(corners[at].c);
    }
  };
  for (std::size_t i = 0; i < corners.size(); ++i) {
    if (!used[i] && !std::binary_search(ends.begin(), ends.end(), corners[i].b)) string_from(i);
  }
  for (std::size_t i = 0; i < corners.size(); ++i) {
    if (!used[i]) string_from(i);
  }
}

class RingFinder {
 public:
  explicit RingFinder(const CharacterMesh& mesh)
      : points_(mesh.binding.points), corners_(find_corners(mesh)), words_(mesh.vertex_count(), shared::kNoSlot) {
    assert(mesh.vertex_count() <= shared::kRingVertex);
    for (const glm::uvec2& directions : mesh.binding.directions)
      normals_.push_back(shared::unpack_normal(directions.x));
  }

  std::vector<std::uint32_t> find() && {
    for_each_place([&](std::span<const std::uint32_t> vertices) {
      for (const std::vector<std::uint32_t>& twins : sides(vertices)) add_ring(twins);
    });
    if (words_.size() == points_.size()) words_.clear();
    return std::move(words_);
  }

 private:
  // Visits the vertices at each place, in ascending order.
  template <class Visit>
  void for_each_place(const Visit& visit) const {
    std::vector<std::uint32_t> order(points_.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto key = [&](std::uint32_t v) { return std::tuple(points_[v].x, points_[v].y, points_[v].z, v); };
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t end = begin + 1;
      while (end < order.size() && points_[order[end]] == points_[order[begin]]) ++end;
      visit(std::span(order).subspan(begin, end - begin));
      begin = end;
    }
  }

  // Groups the vertices of a place by agreeing normals.
  std::vector<std::vector<std::uint32_t>> sides(std::span<const std::uint32_t> vertices) const {
    std::vector<std::vector<std::uint32_t>> found;
    for (const std::uint32_t v : vertices) {
      const std::size_t first = found.size() - std::min(found.size(), kMaxSidesTried);
      const auto own =
          std::find_if(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
                       [&](const auto& side) { return glm::dot(normals_[side[0]], normals_[v]) > kSameNormal; });
      if (own == found.end()) {
        found.push_back({v});
      } else {
        own->push_back(v);
      }
    }
    return found;
  }

  // Returns the corners of an apex, each once.
  std::vector<Corner> corners_of(std::uint32_t apex) const {
    std::vector<Corner> own(corners_.of(apex).begin(), corners_.of(apex).end());
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    return own;
  }

  void add_ring(const std::vector<std::uint32_t>& twins) {
    std::vector<std::vector<Corner>> corners;
    glm::dvec3 sum(0);
    for (const std::uint32_t apex : twins) {
      const glm::dvec3 origin(points_[apex]);
      for (const Corner& corner : corners.emplace_back(corners_of(apex)))
        sum += glm::cross(glm::dvec3(points_[corner.b]) - origin, glm::dvec3(points_[corner.c]) - origin);
    }
    const double along = glm::dot(sum, glm::dvec3(normals_[twins[0]]));
    // The condition also refuses a sum that is not finite.
    if (!(std::abs(along) > kMinAgreement * glm::length(sum))) return;
    const auto first = static_cast<std::uint32_t>(words_.size());
    for (std::size_t t = 0; t < twins.size(); ++t) {
      if (corners[t].empty()) continue;
      if (along < 0) {
        for (Corner& corner : corners[t]) std::swap(corner.b, corner.c);
      }
      if (twins.size() > 1) words_.push_back(twins[t] | shared::kRingApex);
      append_fans(corners[t], words_);
    }
    words_.back() |= shared::kRingLast;
    for (const std::uint32_t v : twins) words_[v] = first;
  }

  std::span<const glm::vec3> points_;
  std::vector<glm::vec3> normals_;
  Corners corners_;
  std::vector<std::uint32_t> words_;
};

}  // namespace

std::vector<std::uint32_t> find_normal_rings(const CharacterMesh& mesh) { return RingFinder(mesh).find(); }

void recompute_normals(std::span<const std::uint32_t> rings, std::size_t begin, std::size_t end,
                       std::span<const glm::vec3> positions, std::span<glm::vec3> normals,
                       std::span<glm::vec4> tangents) {
  if (rings.empty()) return;
  for (std::size_t v = begin; v < end; ++v) {
    if (rings[v] == shared::kNoSlot) continue;
    shared::RingSum sum = shared::ring_begin(positions[v]);
    std::uint32_t word = 0;
    for (std::size_t at = rings[v]; (word & shared::kRingLast) == 0; ++at) {
      word = rings[at];
      sum = shared::ring_add(sum, word, positions[word & shared::kRingVertex]);
    }
    if (!shared::ring_has_normal(sum)) continue;
    normals[v] = glm::normalize(sum.normal);
    if (!tangents.empty()) tangents[v] = shared::ring_tangent(tangents[v], normals[v]);
  }
}

}  // namespace pelt
