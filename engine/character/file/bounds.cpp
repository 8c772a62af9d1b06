// SPDX-License-Identifier: MIT
#include "engine/character/file/bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "engine/character/rows/morphs.h"
#include "engine/character/rows/packed_row.h"
#include "shaders/blend/blend.h"

namespace pelt {
namespace {

// The largest number of vertices of a group, and the longest side of its box relative to the mesh's diagonal: larger
// groups mean less work and larger boxes (docs/outputs.md). Few vertices far apart, such as those of a hand near the
// hip, are split into separate groups.
constexpr std::size_t kGroupVertices = 256;
constexpr float kLongestSide = 0.125f;

// The farthest that the morph targets of a mesh move each vertex if no weight exceeds 1, metres; empty without targets.
std::vector<float> find_morph_reach(const CharacterMesh& mesh) {
  std::vector<float> reach;
  if (!mesh.morphs) return reach;
  reach.resize(mesh.vertex_count(), 0.0f);
  for_each_morph_offset(
      *mesh.morphs, mesh.vertex_count(),
      [&](std::size_t, std::size_t row, const shared::MorphSum& sum) { reach[row] += glm::length(sum.position); });
  return reach;
}

struct Box {
  glm::vec3 least{INFINITY};
  glm::vec3 greatest{-INFINITY};

  void add(glm::vec3 point) {
    least = glm::min(least, point);
    greatest = glm::max(greatest, point);
  }
  glm::vec3 middle() const { return 0.5f * (least + greatest); }
  // Half of the sides, measured from the rounded middle.
  glm::vec3 reach() const { return glm::max(greatest - middle(), middle() - least); }
};

// Sorts `order` into groups with separate boxes, and appends the ends of the groups, counted from `begin`.
void split(std::span<const glm::vec3> points, std::span<std::uint32_t> order, std::size_t begin, float longest,
           std::vector<std::size_t>& ends) {
  Box box;
  for (const std::uint32_t v : order) box.add(points[v]);
  const glm::vec3 sides = box.greatest - box.least;
  const int axis = sides.x >= sides.y && sides.x >= sides.z ? 0 : sides.y >= sides.z ? 1 : 2;
  std::size_t half = 0;
  if (order.size() > kGroupVertices) {
    half = (order.size() + kGroupVertices - 1) / kGroupVertices / 2 * kGroupVertices;
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(half), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       return std::pair(points[a][axis], a) < std::pair(points[b][axis], b);
                     });
  } else if (sides[axis] > longest) {
    const auto upper = std::partition(order.begin(), order.end(), [&, middle = box.middle()[axis]](std::uint32_t v) {
      return points[v][axis] < middle;
    });
    half = static_cast<std::size_t>(upper - order.begin());
  }
  if (half == 0 || half == order.size()) {
    ends.push_back(begin + order.size());
    return;
  }
  split(points, order.first(half), begin, longest, ends);
  split(points, order.subspan(half), begin + half, longest, ends);
}

struct VertexGroups {
  std::vector<std::uint32_t> order;  // vertices, group after group
  std::vector<std::size_t> ends;     // per group
};

VertexGroups find_groups(std::span<const glm::vec3> points) {
  VertexGroups groups;
  if (points.empty()) return groups;
  groups.order.resize(points.size());
  std::iota(groups.order.begin(), groups.order.end(), 0u);
  Box box;
  for (const glm::vec3& point : points) box.add(point);
  split(points, groups.order, 0, kLongestSide * glm::distance(box.least, box.greatest), groups.ends);
  return groups;
}

// A palette entry in a group of vertices.
struct Moving {
  std::uint32_t index = 0;    // as influences name it
  std::uint32_t sharing = 0;  // bit k: it moves a vertex that the earlier entry k moves, too
  Box local_points;           // of the vertices that it moves
  bool is_in_vertex = false;  // it moves the current vertex
};

// Collects the palette entries that move a group of vertices. Reused for all groups of a mesh.
class Collector {
 public:
  // Adds an entry that moves the current vertex.
  void add(std::uint32_t index, glm::vec3 local_point) {
    if (index >= places_.size()) places_.resize(index + 1, kNone);
    if (places_[index] == kNone) {
      places_[index] = entries();
      entries_.push_back({.index = index});
    }
    const std::uint32_t place = places_[index];
    Moving& moving = entries_[place];
    moving.local_points.add(local_point);
    if (moving.is_in_vertex) return;
    moving.is_in_vertex = true;
    vertex_.push_back(place);
  }

  // Ends a vertex, in time linear in its entries, of which a malicious file may have very many.
  void end_vertex() {
    std::uint32_t first = 0;  // bit k: entry k moves the vertex
    for (const std::uint32_t place : vertex_) {
      if (place < shared::kBoundsDualEntries) first |= 1u << place;
    }
    for (const std::uint32_t place : vertex_) {
      const std::uint32_t before = place < shared::kBoundsDualEntries ? (1u << place) - 1 : ~0u;
      entries_[place].sharing |= first & before;
      entries_[place].is_in_vertex = false;
    }
    row_entries_ = std::max(row_entries_, static_cast<std::uint32_t>(vertex_.size()));
    vertex_.clear();
  }

  std::uint32_t entries() const { return static_cast<std::uint32_t>(entries_.size()); }
  std::uint32_t row_entries() const { return row_entries_; }

  void append(std::uint32_t kind, std::vector<std::uint32_t>& words) const {
    for (const Moving& moving : entries_) {
      words.push_back(moving.index);
      if (kind == shared::kBoundsDual) words.push_back(moving.sharing);
      if (kind != shared::kBoundsShares) continue;
      for (const glm::vec3 v : {moving.local_points.middle(), moving.local_points.reach()}) {
        for (int i = 0; i < 3; ++i) words.push_back(std::bit_cast<std::uint32_t>(v[i]));
      }
    }
  }

  void forget() {
    for (const Moving& moving : entries_) places_[moving.index] = kNone;
    entries_.clear();
    row_entries_ = 0;
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;

  std::vector<std::uint32_t> places_;  // index in entries_ per palette index, or kNone
  std::vector<Moving> entries_;
  std::vector<std::uint32_t> vertex_;  // indices in entries_ that move the current vertex
  std::uint32_t row_entries_ = 0;      // the most that move one vertex
};

// Returns the sum of the magnitudes of the negative shares of one of `count` vertices. `points`: group_points().
float negative_shares(std::span<const glm::vec4> points, std::size_t count, std::size_t v) {
  float sum = 0;
  for (std::size_t at = v; at < points.size(); at += count) sum -= std::min(points[at].w, 0.0f);
  return sum;
}

class MeshRecords {
 public:
  MeshRecords(const CharacterMesh& mesh, BoundsRecords& found)
      : mesh_(mesh), rest_(mesh.binding), morph_reach_(find_morph_reach(mesh)), found_(found) {
    if (morph_reach_.empty()) return;
    const std::vector<float> factors = local_frame_factors(rest_);
    for (std::size_t v = 0; v < factors.size(); ++v) morph_reach_[v] *= factors[v];
  }

  void add_deformers() {
    const bool dual = is_dual();
    const bool shares = std::ranges::any_of(group_points(rest_), [](const glm::vec4& local) { return local.w < 0; });
    if (!dual && !shares) return add_entries(rest_, mesh_.first_entry, mesh_.mode == BlendMode::kOffsets);
    const VertexGroups groups = find_groups(rest_.points);
    std::size_t first = 0;
    for (const std::size_t end : groups.ends) {
      add_group(std::span(groups.order).subspan(first, end - first));
      first = end;
    }
  }

  // Adds a record, without entries if there are more than `most`.
  void add_group(std::span<const std::uint32_t> vertices, std::uint32_t most) {
    if (is_dual()) most = std::min(most, shared::kBoundsDualEntries);
    for (std::size_t i = 0; i < vertices.size() && collector_.entries() <= most; ++i) collect(vertices[i]);
    const bool fits = collector_.entries() <= most;
    collector_.forget();
    if (fits) return add_group(vertices);
    found_.records.emplace_back();
  }

  // `first_entry`: palette entry of bound joint 0.
  void add_painted(std::uint32_t first_entry) {
    if (mesh_.painted) add_entries(*mesh_.painted, first_entry + mesh_.painted->first_joint, false);
  }

 private:
  // Calls visit(index, local point) for each influence of vertex v that moves it.
  template <class Binding, class Visit>
  void for_each_entry(const Binding& binding, std::size_t v, bool has_local_points, const Visit& visit) const {
    for_each_influence(binding, v, [&](std::uint32_t word, std::size_t group, std::size_t) {
      glm::vec4 local(rest_.points[v], 1);
      if (has_local_points) local = rest_.local_points[group * rest_.points.size() + v];
      if (local.w != 0) visit(shared::influence_index(word), glm::vec3(local));
    });
  }

  float morph_reach(std::size_t v) const { return morph_reach_.empty() ? 0.0f : morph_reach_[v]; }

  void append(shared::BoundsRecord record, const Box& box, float morph_reach) {
    record.middle = box.middle();
    record.reach = box.reach();
    if (mesh_.morphs) {
      record.morph_entry = mesh_.morphs->first_entry;
      record.morph_entries = mesh_.morphs->entry_count();
      record.morph_reach = morph_reach;
    }
    found_.records.push_back(record);
  }

  template <class Binding>
  void add_entries(const Binding& binding, std::uint32_t first_entry, bool has_local_points) {
    struct Moved {
      Box box;
      float morph_reach = -1;  // negative: the entry moves nothing
    };
    std::vector<Moved> moved;  // by palette index
    for (std::size_t v = 0; v < rest_.points.size(); ++v) {
      for_each_entry(binding, v, has_local_points, [&](std::uint32_t index, glm::vec3 point) {
        if (index >= moved.size()) moved.resize(index + 1);
        moved[index].box.add(point);
        moved[index].morph_reach = std::max(moved[index].morph_reach, morph_reach(v));
      });
    }
    for (std::size_t index = 0; index < moved.size(); ++index) {
      if (moved[index].morph_reach < 0) continue;
      const shared::BoundsRecord record{.kind = shared::kBoundsEntry,
                                        .first_entry = first_entry + static_cast<std::uint32_t>(index)};
      append(record, moved[index].box, moved[index].morph_reach);
    }
  }

  bool is_dual() const { return mesh_.mode == BlendMode::kDualQuaternion; }

  void collect(std::uint32_t v) {
    for_each_entry(rest_, v, mesh_.mode == BlendMode::kOffsets,
                   [&](std::uint32_t index, glm::vec3 point) { collector_.add(index, point); });
    collector_.end_vertex();
  }

  void add_group(std::span<const std::uint32_t> vertices) {
    const bool dual = is_dual();
    shared::BoundsRecord record{.kind = dual ? shared::kBoundsDual : shared::kBoundsShares,
                                .first_entry = mesh_.first_entry};
    const std::span<const glm::vec4> points = group_points(rest_);
    Box box;
    float reach = 0;
    for (const std::uint32_t v : vertices) {
      box.add(rest_.points[v]);
      reach = std::max(reach, morph_reach(v));
      collect(v);
      record.negative = std::max(record.negative, negative_shares(points, rest_.points.size(), v));
    }
    if (dual && collector_.entries() > shared::kBoundsDualEntries && vertices.size() > 1) {
      collector_.forget();
      add_group(vertices.first(vertices.size() / 2));
      add_group(vertices.subspan(vertices.size() / 2));
      return;
    }
    record.first_word = static_cast<std::uint32_t>(found_.entries.size());
    record.entry_count = collector_.entries();
    record.row_entries = collector_.row_entries();
    collector_.append(record.kind, found_.entries);
    collector_.forget();
    append(record, box, reach);
  }

  const CharacterMesh& mesh_;
  const PackedBinding& rest_;
  std::vector<float> morph_reach_;  // per vertex; empty without morph targets
  BoundsRecords& found_;
  Collector collector_;
};

}  // namespace

BoundsRecords find_bounds_records(const CharacterData& data) {
  BoundsRecords found;
  std::vector<MeshRecords> meshes;
  for (const CharacterMesh& mesh : data.meshes) {
    if (!mesh.control) meshes.emplace_back(mesh, found);
  }
  for (const SkinLevel& level : data.levels) meshes.emplace_back(level.skin, found);
  for (MeshRecords& mesh : meshes) mesh.add_deformers();
  found.count = static_cast<std::uint32_t>(found.records.size());
  if (data.has_linear_blend()) {
    for (MeshRecords& mesh : meshes) mesh.add_painted(data.painted_pass()->first_entry);
  }
  const auto words = static_cast<std::uint32_t>(found.records.size()) * shared::kBoundsRecordWords;
  for (shared::BoundsRecord& record : found.records) record.first_word += words;
  return found;
}

std::vector<float> local_frame_factors(const PackedBinding& binding) {
  const std::span<const glm::vec4> frames = local_frames(binding);
  std::vector<float> factors(binding.points.size(), 1.0f);
  for (std::size_t at = 0; at < frames.size(); at += shared::kLocalFrameVectors) {
    const auto frame = shared::local_frame(frames[at], frames[at + 1], frames[at + 2], frames[at + 3]);
    float& factor = factors[at / shared::kLocalFrameVectors % factors.size()];
    factor = std::max(factor, std::sqrt(shared::squared_size(frame.n)));
  }
  return factors;
}

BoundsRecords find_group_records(const CharacterMesh& mesh, std::span<const std::uint32_t> vertices,
                                 std::span<const std::size_t> ends, std::uint32_t most_entries) {
  BoundsRecords found;
  MeshRecords records(mesh, found);
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    records.add_group(vertices.subspan(first, end - first), most_entries);
    first = end;
  }
  return found;
}

}  // namespace pelt
