// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <pelt/finite.h>
#include <pelt/skin_query.h>
#include <pelt/try.h>

#include "engine/character/base/guard_memory.h"
#include "engine/character/base/invalid.h"
#include "engine/character/evaluate/prefetch.h"
#include "engine/character/evaluate/query/record_box.h"
#include "engine/character/evaluate/query/skin_index.h"
#include "engine/character/triangle.h"

namespace pelt {
namespace {

double squared_distance(const shared::Box& box, const glm::dvec3& p) {
  const glm::dvec3 out = glm::max(glm::max(glm::dvec3(box.least) - p, p - glm::dvec3(box.greatest)), 0.0);
  return glm::dot(out, out);
}

// Returns the distance at which a ray enters a box; infinite if it misses the box. `inverse`: 1 over the direction.
double entry_of(const shared::Box& box, const glm::dvec3& origin, const glm::dvec3& inverse) {
  double enter = 0, leave = INFINITY;
  for (int i = 0; i < 3; ++i) {
    const double least = box.least[i] - origin[i], greatest = box.greatest[i] - origin[i];
    if (std::isinf(inverse[i])) {
      if (least > 0 || greatest < 0) return INFINITY;
      continue;
    }
    enter = std::max(enter, std::min(least * inverse[i], greatest * inverse[i]));
    leave = std::min(leave, std::max(least * inverse[i], greatest * inverse[i]));
  }
  return enter <= leave ? enter : INFINITY;
}

void prefetch_lines(const void* first, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kCacheLine) prefetch_line(static_cast<const char*>(first) + at);
}

constexpr std::size_t kRecordBytes = 512;  // two records with four entries each

// The best point so far: the nearest, and the first of several that are equally near.
struct Best {
  double distance;
  bool found = false;
  SkinTriangle triangle{};
  glm::dvec3 barycentric{};
  glm::dvec3 position{};

  void offer(double at, SkinTriangle of, const glm::dvec3& shares, const Corners& corners) {
    if (!(at <= distance) || (at == distance && found && of > triangle)) return;
    *this = {at, true, of, shares, corners.point(shares)};
  }
  std::optional<SkinHit> hit() const {
    if (!found) return std::nullopt;
    return SkinHit{
        {triangle.mesh, triangle.triangle, glm::vec3(barycentric)}, glm::vec3(position), static_cast<float>(distance)};
  }
};

}  // namespace

struct SkinQuery::State {
  SkinIndex index;
  const Evaluator& evaluator;
  std::uint64_t evaluation = 0;  // that the rest belongs to
  std::size_t moved = 0;
  struct NodeState {
    shared::Box box;
    std::uint32_t boxed = 0;  // the low bits of the evaluation that `box` belongs to
    std::uint32_t moved = 0;  // the same of a leaf's positions
  };
  std::vector<NodeState> nodes;
  std::vector<glm::vec3> positions;  // as SkinIndex::Data::vertices
  struct Waiting {
    double key;
    std::uint32_t node;
    bool operator<(const Waiting& other) const { return key > other.key; }
  };
  std::vector<Waiting> heap;  // the node with the least key is first

  // Checks what all queries need, and forgets what was moved in another pose.
  Result<void> start() {
    if (evaluator.evaluations() == 0) return invalid("nothing was evaluated yet");
    if (evaluator.detail() != Detail::kFull)
      return fail(ErrorCode::kUnsupported, "queries need an evaluation with Detail::kFull");
    if (evaluation == evaluator.evaluations()) return {};
    evaluation = evaluator.evaluations();
    moved = 0;
    return {};
  }

  // Returns whether `made` is of another evaluation, and makes it of this one.
  bool is_old(std::uint32_t& made) const {
    const auto current = static_cast<std::uint32_t>(evaluation);
    return std::exchange(made, current) != current;
  }

  // Returns the farthest that morph targets move a vertex of the node.
  float morph_reach(const SkinIndex::Data::Node& node) const {
    float sum = 0;
    for (std::uint32_t m = node.first_morph; m < node.first_morph + node.morph_count; ++m) {
      const auto& [place, reach] = (*index).morphs[m];
      const std::uint32_t first = (*index).character->meshes[node.mesh].morphs->first_entry;
      sum += reach * std::abs((&evaluator.palette()[first][0].x)[place]);
    }
    return 1.00001f * sum;  // more than it rounds
  }

  const shared::Box& box_of(std::uint32_t number) {
    NodeState& node = nodes[number];
    if (is_old(node.boxed)) {
      const SkinIndex::Data::Node& of = (*index).nodes[number];
      const shared::BoundsWork work{(*index).words.data(), evaluator.palette().data(), morph_reach(of)};
      shared::BoundsRecord record;
      std::memcpy(&record, work.words + of.record, sizeof record);
      node.box = shared::box_with_rounding(shared::record_box(work, record));
    }
    return node.box;
  }

  // Returns the posed vertices of a leaf.
  std::span<const glm::vec3> vertices_of(std::uint32_t number) {
    const SkinIndex::Data::Node& leaf = (*index).nodes[number];
    const std::span<glm::vec3> moving = std::span(positions).subspan(leaf.first_vertex, leaf.vertex_count);
    if (is_old(nodes[number].moved)) {
      for (std::uint32_t i = 0; i < leaf.vertex_count; ++i)
        moving[i] = evaluator.position(leaf.mesh, (*index).vertices[leaf.first_vertex + i]);
      moved += moving.size();
    }
    return moving;
  }

  // Prefetches the memory that opening a node reads: most of the time of a query is waiting for memory.
  void prefetch(const SkinIndex::Data::Node& node) const {
    const SkinIndex::Data& data = *index;
    if (node.children == 0) {
      prefetch_lines(&data.triangles[node.first], (node.last - node.first) * sizeof(SkinIndex::Data::Triangle));
      prefetch_lines(&positions[node.first_vertex], node.vertex_count * sizeof(glm::vec3));
      return;
    }
    prefetch_lines(&data.nodes[node.children], 2 * sizeof node);
    prefetch_lines(&nodes[node.children], 2 * sizeof(NodeState));
    if (node.children_record != shared::kNoIndex) prefetch_lines(&data.words[node.children_record], kRecordBytes);
  }

  // A leaf and its moved vertices.
  struct Leaf {
    const SkinIndex::Data& data;
    const SkinIndex::Data::Node& node;
    std::span<const glm::vec3> vertices;

    Corners corners(const SkinIndex::Data::Triangle& triangle) const {
      const auto& [a, b, c] = triangle.corners;
      return {vertices[a], vertices[b], vertices[c]};
    }
    // Calls visit(triangle as in the index, triangle for users).
    template <class Visit>
    void for_each(const Visit& visit) const {
      for (std::uint32_t i = node.first; i < node.last; ++i)
        visit(data.triangles[i], SkinTriangle{node.mesh, data.triangles[i].number});
    }
  };

  // Calls visit(Leaf) for leaves whose key is at most `limit`, by ascending keys; the calls may lower the limit.
  // key_of(box): never above the key of a triangle in the box.
  template <class KeyOf, class Visit>
  void search(const double& limit, const KeyOf& key_of, const Visit& visit) {
    const SkinIndex::Data& data = *index;
    const auto add = [&](std::uint32_t node, double key) {
      if (data.nodes[node].record != shared::kNoIndex) key = std::max(key, key_of(box_of(node)));
      if (!(key <= limit) || key == INFINITY) return;
      heap.push_back({key, node});
      std::push_heap(heap.begin(), heap.end());
      prefetch(data.nodes[node]);
    };
    heap.clear();
    for (const std::uint32_t root : data.roots) add(root, 0);
    while (!heap.empty() && heap.front().key <= limit) {
      std::pop_heap(heap.begin(), heap.end());
      const auto [key, number] = heap.back();
      heap.pop_back();
      const SkinIndex::Data::Node& node = data.nodes[number];
      if (node.children != 0) {
        add(node.children, key);
        add(node.children + 1, key);
        continue;
      }
      visit(Leaf{data, node, vertices_of(number)});
    }
  }
};

SkinQuery::SkinQuery(std::unique_ptr<State> state) : state_(std::move(state)) {}
SkinQuery::~SkinQuery() = default;
SkinQuery::SkinQuery(SkinQuery&&) noexcept = default;
SkinQuery& SkinQuery::operator=(SkinQuery&&) noexcept = default;

Result<SkinQuery> SkinQuery::create(const SkinIndex& index, const Evaluator& evaluator) {
  return guard_memory([&]() -> Result<SkinQuery> {
    if (&*evaluator.character() != &*(*index).character)
      return invalid("the evaluator moves '{}', and the index is of another character", evaluator.character()->name);
    auto state = std::make_unique<State>(State{.index = index, .evaluator = evaluator});
    state->nodes.resize((*index).nodes.size());
    state->positions.resize((*index).vertices.size());
    state->heap.reserve((*index).nodes.size());
    return SkinQuery(std::move(state));
  });
}

Result<std::optional<SkinHit>> SkinQuery::ray(glm::vec3 origin, glm::vec3 direction, float longest) {
  PELT_TRY(state_->start());
  if (!is_near(origin) || !is_near(direction) || !(longest >= 0))
    return invalid("a number of the ray is not finite, beyond {:g}, or a negative length", kMaxCoordinate);
  if (direction == glm::vec3(0.0f)) return invalid("the direction of the ray is 0");
  const glm::dvec3 from(origin), along = glm::normalize(glm::dvec3(direction));
  const glm::dvec3 inverse = 1.0 / along;
  const TriangleRay ray(from, along);
  Best best{longest};
  state_->search(
      best.distance, [&](const shared::Box& box) { return entry_of(box, from, inverse); },
      [&](const State::Leaf& leaf) {
        glm::dvec3 seen[kLeafVertices];
        for (std::size_t i = 0; i < leaf.vertices.size(); ++i) seen[i] = ray.seen(leaf.vertices[i]);
        leaf.for_each([&](const SkinIndex::Data::Triangle& triangle, SkinTriangle of) {
          const auto& [a, b, c] = triangle.corners;
          const auto hit = TriangleRay::meet(seen[a], seen[b], seen[c]);
          if (hit) best.offer(hit->distance, of, hit->barycentric, leaf.corners(triangle));
        });
      });
  return best.hit();
}

Result<std::optional<SkinHit>> SkinQuery::nearest(glm::vec3 position, float farthest) {
  PELT_TRY(state_->start());
  if (!is_near(position) || !(farthest >= 0))
    return invalid("a number is not finite, beyond {:g}, or a negative length", kMaxCoordinate);
  const glm::dvec3 p(position);
  Best best{farthest};
  state_->search(
      best.distance, [&](const shared::Box& box) { return std::sqrt(squared_distance(box, p)); },
      [&](const State::Leaf& leaf) {
        leaf.for_each([&](const SkinIndex::Data::Triangle& triangle, SkinTriangle of) {
          const Corners corners = leaf.corners(triangle);
          const glm::dvec3 on = nearest_on_triangle(corners, p);
          best.offer(glm::distance(corners.point(on), p), of, on, corners);
        });
      });
  return best.hit();
}

Result<std::size_t> SkinQuery::overlap(glm::vec3 center, float radius, std::span<SkinTriangle> found) {
  PELT_TRY(state_->start());
  if (!is_near(center) || !is_near(radius) || radius < 0)
    return invalid("a number of the sphere is not finite, beyond {:g}, or a negative length", kMaxCoordinate);
  const glm::dvec3 p(center);
  const double limit = radius;
  std::size_t count = 0;
  state_->search(
      limit, [&](const shared::Box& box) { return std::sqrt(squared_distance(box, p)); },
      [&](const State::Leaf& leaf) {
        leaf.for_each([&](const SkinIndex::Data::Triangle& triangle, SkinTriangle of) {
          const Corners corners = leaf.corners(triangle);
          if (!(glm::distance(corners.point(nearest_on_triangle(corners, p)), p) <= limit)) return;
          if (count < found.size()) found[count] = of;
          ++count;
        });
      });
  return count;
}

std::size_t SkinQuery::moved_vertices() const { return state_->moved; }

}  // namespace pelt
