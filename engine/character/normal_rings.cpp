// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include <pelt/normal_rings.h>

#include "engine/character/base/guard_memory.h"
#include "engine/character/check_records.h"
#include "shaders/normals/normals.h"

namespace pelt {
namespace {

constexpr float kSameNormal = 0.99985f;     // cosine of a degree
constexpr float kMinAgreement = 0.5f;       // cosine of 60 degrees
constexpr std::size_t kMaxSidesTried = 16;  // at a position shared by many different vertices
constexpr std::size_t kBlockGroups = 1024;  // positions whose rings one thread finds in a row

// A triangle seen from one of its vertices, the apex: b and c follow it counterclockwise.
struct Corner {
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  friend auto operator<=>(const Corner&, const Corner&) = default;
};

// The corners of all vertices, vertex after vertex.
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

// Strings the corners of an apex into fans. Reuses its memory for the next apex.
class FanStringer {
 public:
  // Appends the fans of one apex, with their flags; sorts `corners`. A fan begins at a corner that continues no other,
  // or anywhere in a closed fan: the sum does not depend on the order of the corners.
  void append(std::vector<Corner>& corners, std::vector<std::uint32_t>& words) {
    std::sort(corners.begin(), corners.end());
    ends_.clear();
    for (const Corner& corner : corners) ends_.push_back(corner.c);
    std::sort(ends_.begin(), ends_.end());
    used_.assign(corners.size(), 0);
    skip_.assign(corners.size(), 0);
    for (std::size_t i = 0; i < corners.size(); ++i) {
      if (used_[i] == 0 && !std::binary_search(ends_.begin(), ends_.end(), corners[i].b)) string(corners, i, words);
    }
    for (std::size_t i = 0; i < corners.size(); ++i) {
      if (used_[i] == 0) string(corners, i, words);
    }
  }

 private:
  void string(const std::vector<Corner>& corners, std::size_t at, std::vector<std::uint32_t>& words) {
    words.push_back(corners[at].b | shared::kRingFan);
    while (at < corners.size()) {
      used_[at] = 1;
      words.push_back(corners[at].c);
      at = find_unused(corners, corners[at].c);
    }
  }

  std::size_t find_unused(const std::vector<Corner>& corners, std::uint32_t begin) {
    const auto first =
        static_cast<std::size_t>(std::lower_bound(corners.begin(), corners.end(), Corner{begin, 0}) - corners.begin());
    if (first == corners.size()) return first;
    std::size_t at = first + skip_[first];
    while (at < corners.size() && corners[at].b == begin && used_[at] != 0) ++at;
    skip_[first] = at - first;
    return at < corners.size() && corners[at].b == begin ? at : corners.size();
  }

  std::vector<std::uint32_t> ends_;
  std::vector<std::uint8_t> used_;
  std::vector<std::size_t> skip_;  // from the first corner with the same b to the first that may be unused
};

// Read by all searches.
struct RingSource {
  explicit RingSource(const CharacterMesh& mesh) : points(mesh.binding.points), corners(find_corners(mesh)) {
    assert(mesh.vertex_count() <= shared::kRingVertex);
    normals.reserve(mesh.binding.directions.size());
    for (const glm::uvec2& directions : mesh.binding.directions) normals.push_back(shared::unpack_normal(directions.x));
  }

  std::span<const glm::vec3> points;
  std::vector<glm::vec3> normals;
  Corners corners;
};

// Vertices grouped by position, ascending within a group.
struct PositionGroups {
  std::vector<std::uint32_t> order;
  std::vector<std::size_t> begins;  // per group in `order`; then the end

  std::size_t count() const { return begins.size() - 1; }
  std::span<const std::uint32_t> vertices(std::size_t group) const {
    return std::span(order).subspan(begins[group], begins[group + 1] - begins[group]);
  }
};

PositionGroups group_positions(std::span<const glm::vec3> points) {
  struct IndexedPoint {
    glm::vec3 point;
    std::uint32_t vertex;
    auto key() const { return std::tuple(point.x, point.y, point.z, vertex); }
  };
  std::vector<IndexedPoint> sorted(points.size());
  for (std::size_t v = 0; v < points.size(); ++v) sorted[v] = {points[v], static_cast<std::uint32_t>(v)};
  std::sort(sorted.begin(), sorted.end(),
            [](const IndexedPoint& a, const IndexedPoint& b) { return a.key() < b.key(); });
  PositionGroups groups;
  groups.order.reserve(points.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i].point != sorted[i - 1].point) groups.begins.push_back(i);
    groups.order.push_back(sorted[i].vertex);
  }
  groups.begins.push_back(sorted.size());
  return groups;
}

// Finds the rings of a range of positions.
class RingFinder {
 public:
  explicit RingFinder(const RingSource& source) : source_(source) {}

  void clear() {
    words_.clear();
    starts_.clear();
  }

  void add_position(std::span<const std::uint32_t> vertices) {
    if (vertices.size() == 1) return add_ring(vertices);
    for (const std::vector<std::uint32_t>& twins : sides(vertices)) add_ring(twins);
  }

  // Appends the rings, and writes the start of each vertex's ring.
  void append(std::vector<std::uint32_t>& words) const {
    const auto first = static_cast<std::uint32_t>(words.size());
    words.insert(words.end(), words_.begin(), words_.end());
    for (const auto& [vertex, at] : starts_) words[vertex] = first + at;
  }
  std::size_t size() const { return words_.size(); }

 private:
  // Groups the vertices of a position by similar normals.
  std::vector<std::vector<std::uint32_t>> sides(std::span<const std::uint32_t> vertices) const {
    const std::vector<glm::vec3>& normals = source_.normals;
    std::vector<std::vector<std::uint32_t>> found;
    for (const std::uint32_t v : vertices) {
      const std::size_t first = found.size() - std::min(found.size(), kMaxSidesTried);
      const auto side_of_vertex =
          std::find_if(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
                       [&](const auto& side) { return glm::dot(normals[side[0]], normals[v]) > kSameNormal; });
      if (side_of_vertex == found.end()) {
        found.push_back({v});
      } else {
        side_of_vertex->push_back(v);
      }
    }
    return found;
  }

  // Sets the corners of an apex, without duplicates.
  void set_corners(std::uint32_t apex, std::vector<Corner>& corners) const {
    const std::span<const Corner> all = source_.corners.of(apex);
    corners.assign(all.begin(), all.end());
    std::sort(corners.begin(), corners.end());
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  }

  void add_ring(std::span<const std::uint32_t> twins) {
    if (corners_.size() < twins.size()) corners_.resize(twins.size());
    std::size_t triangles = 0;
    for (const std::uint32_t v : twins) triangles += source_.corners.of(v).size();
    if (triangles > kMaxTerms) return;
    glm::dvec3 sum(0);
    for (std::size_t t = 0; t < twins.size(); ++t) {
      const glm::dvec3 origin(source_.points[twins[t]]);
      set_corners(twins[t], corners_[t]);
      for (const Corner& corner : corners_[t])
        sum += glm::cross(glm::dvec3(source_.points[corner.b]) - origin, glm::dvec3(source_.points[corner.c]) - origin);
    }
    const double along = glm::dot(sum, glm::dvec3(source_.normals[twins[0]]));
    // Also rejects a sum that is not finite.
    if (!(std::abs(along) > kMinAgreement * glm::length(sum))) return;
    const auto first = static_cast<std::uint32_t>(words_.size());
    for (std::size_t t = 0; t < twins.size(); ++t) {
      if (corners_[t].empty()) continue;
      if (along < 0) {
        for (Corner& corner : corners_[t]) std::swap(corner.b, corner.c);
      }
      if (twins.size() > 1) words_.push_back(twins[t] | shared::kRingApex);
      fans_.append(corners_[t], words_);
    }
    words_.back() |= shared::kRingLast;
    for (const std::uint32_t v : twins) starts_.emplace_back(v, first);
  }

  const RingSource& source_;
  std::vector<std::uint32_t> words_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> starts_;  // vertex, first word of its ring in words_
  std::vector<std::vector<Corner>> corners_;                     // per twin of a ring
  FanStringer fans_;
};

}  // namespace

std::vector<std::uint32_t> find_normal_rings(const CharacterMesh& mesh, const JobSystem& jobs) {
  const RingSource source(mesh);
  const PositionGroups groups = group_positions(source.points);
  // Blocks have a fixed size and keep their order in the result, however the work is divided.
  std::vector<RingFinder> blocks((groups.count() + kBlockGroups - 1) / kBlockGroups, RingFinder(source));
  const auto search = [&](std::size_t b) -> Result<void> {
    blocks[b].clear();
    const std::size_t last = std::min(groups.count(), (b + 1) * kBlockGroups);
    for (std::size_t group = b * kBlockGroups; group < last; ++group) blocks[b].add_position(groups.vertices(group));
    return {};
  };
  // No exception may leave a job: a block without memory is searched again by the calling thread.
  std::vector<std::uint8_t> refused(blocks.size());
  for_ranges(jobs, blocks.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) refused[b] = guard_memory([&] { return search(b); }) ? 0 : 1;
  });
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (refused[b] != 0) static_cast<void>(search(b));
  }
  std::size_t size = source.points.size();
  for (const RingFinder& block : blocks) size += block.size();
  std::vector<std::uint32_t> words;
  words.reserve(size);
  words.assign(source.points.size(), shared::kNoIndex);
  for (const RingFinder& block : blocks) block.append(words);
  if (words.size() == source.points.size()) words.clear();
  return words;
}

void recompute_normals(std::span<const std::uint32_t> rings, std::size_t begin, std::size_t end,
                       std::span<const glm::vec3> positions, std::span<glm::vec3> normals,
                       std::span<glm::vec4> tangents) {
  if (rings.empty()) return;
  for (std::size_t v = begin; v < end; ++v) {
    if (rings[v] == shared::kNoIndex) continue;
    shared::RingSum sum = shared::ring_begin(positions[v]);
    std::uint32_t word = 0;
    for (std::size_t at = rings[v]; (word & shared::kRingLast) == 0; ++at) {
      word = rings[at];
      sum = shared::ring_add(sum, word, positions[word & shared::kRingVertex]);
    }
    if (!shared::ring_has_normal(sum)) continue;
    normals[v] = shared::ring_normal(sum, normals[v]);
    if (!tangents.empty()) tangents[v] = shared::ring_tangent(tangents[v], normals[v]);
  }
}

}  // namespace pelt
