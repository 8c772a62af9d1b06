// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <pelt/tools/parallel.h>
#include <pelt/tools/triangle_tree.h>

#include "engine/binding/morton_order.h"
#include "engine/core/invalid.h"
#include "engine/geometry/bounds.h"
#include "engine/geometry/closest_points.h"

namespace pelt {
namespace {

constexpr std::size_t kClusterSize = 32;   // triangles
constexpr std::size_t kFanOut = 16;        // boxes in one of the level above
constexpr std::size_t kMaxInserted = 256;  // most neighbours that are sorted by insertion
constexpr double kRounding = 1e-12;        // of the lengths compared: far above their rounding error

using Box = Bounds<glm::vec3>;

bool nearer(const TriangleTree::Near& a, const TriangleTree::Near& b) {
  return a.squared_distance != b.squared_distance ? a.squared_distance < b.squared_distance : a.triangle < b.triangle;
}

double distance_from(const Box& box, const glm::dvec3& point) {
  const glm::dvec3 outside = glm::max(glm::max(glm::dvec3(box.low) - point, point - glm::dvec3(box.high)), 0.0);
  return glm::length(outside);
}

}  // namespace

// Triangles in clusters that lie close together, and levels of boxes above these, each round so many of the one below.
// The points of a block share one walk down.
struct TriangleTree::State {
  std::vector<glm::vec3> positions;
  std::vector<glm::uvec3> triangles;    // corners ascend by vertex
  std::vector<std::uint32_t> order;     // all triangles, cluster after cluster
  std::vector<std::vector<Box>> boxes;  // of the clusters, then level by level
  glm::dvec3 centre{0};
  double radius = 0;  // of a sphere round `centre` that holds all triangles

  std::span<const std::uint32_t> cluster(std::size_t c) const {
    const std::size_t begin = c * kClusterSize;
    return std::span(order).subspan(begin, std::min(kClusterSize, order.size() - begin));
  }

  // Prepares 1 to 8 triangles; the last one fills the remainder of the group.
  void prepare_group(std::span<const std::uint32_t> members, TriangleGroup& group) const {
    GroupCorners corners;
    for (std::size_t t = 0; t < kGroupSize; ++t) {
      const glm::uvec3 vertices = triangles[members[std::min(t, members.size() - 1)]];
      for (int corner = 0; corner < 3; ++corner) {
        const glm::vec3& p = positions[vertices[corner]];
        for (int axis = 0; axis < 3; ++axis) corners.values[3 * corner + axis][t] = p[axis];
      }
    }
    prepare(corners, group);
  }
};

namespace {

// A sphere round the points of a block; radius 0 for a single point.
struct Sphere {
  glm::dvec3 centre;
  double radius;
};

Sphere bounding_sphere(std::span<const glm::dvec3> points) {
  const auto bounds = bounds_of<glm::dvec3>(points);
  const glm::dvec3 centre = (bounds.low + bounds.high) * 0.5;
  double radius = 0;
  for (const glm::dvec3& p : points) radius = std::max(radius, glm::distance(p, centre));
  return {centre, radius};
}

}  // namespace

// One search: it splits its points into blocks and reuses its buffers.
class TriangleTree::Search {
 public:
  explicit Search(const State& state, std::size_t count)
      : state_(state), count_(std::min(count, state.triangles.size())) {}

  void run(std::span<const glm::dvec3> points, std::size_t first, const Visit& visit) {
    // Many candidates make a block slow: halves have fewer, down to one point. The largest blocks that few candidates
    // serve are about as large all over: much larger ones are not tried again and again.
    const bool all = count_ == state_.triangles.size();
    const bool try_it = all || points.size() <= 2 * fitting_;
    const std::size_t most = points.size() == 1 ? state_.triangles.size() : 3 * count_ + kClusterSize;
    if (!try_it || !(all || find_candidates(bounding_sphere(points), most))) {
      if (try_it) fitting_ = std::max<std::size_t>(points.size() / 2, 1);
      const std::size_t half = points.size() / 2;
      run(points.first(half), first, visit);
      run(points.subspan(half), first + half, visit);
      return;
    }
    fitting_ = std::max(fitting_, points.size());
    if (all) {
      candidates_.resize(count_);
      std::iota(candidates_.begin(), candidates_.end(), 0u);
    } else {
      candidates_.clear();
      for (const Near& near : found_) candidates_.push_back(near.triangle);
      std::sort(candidates_.begin(), candidates_.end());
    }
    prepare_candidates();
    for (std::size_t i = 0; i < points.size(); ++i) visit(first + i, nearest_candidates(points[i]));
  }

  // Finds all triangles that may be among the nearest `count` of any point of the sphere. Let r be the distance of the
  // count-th nearest from the centre: such a triangle is within r + radius of its point, so within r + 2 radius of the
  // centre. Returns false if there are more than `most`. found() returns the candidates.
  bool find_candidates(const Sphere& sphere, std::size_t most) {
    const double slack = kRounding * (glm::distance(sphere.centre, state_.centre) + state_.radius + sphere.radius);
    queue_.clear();
    const auto later = [](const Node& a, const Node& b) { return a.distance > b.distance; };
    const auto add_boxes = [&](std::size_t level, std::size_t first, std::size_t last) {
      for (std::size_t b = first; b < last; ++b) {
        queue_.push_back({level, b, distance_from(state_.boxes[level][b], sphere.centre)});
        std::push_heap(queue_.begin(), queue_.end(), later);
      }
    };
    add_boxes(state_.boxes.size() - 1, 0, state_.boxes.back().size());
    found_.clear();
    double limit = std::numeric_limits<double>::infinity();
    while (!queue_.empty() && queue_.front().distance <= limit) {
      const Node node = queue_.front();
      std::pop_heap(queue_.begin(), queue_.end(), later);
      queue_.pop_back();
      if (node.level > 0) {
        const std::size_t first = node.index * kFanOut;
        add_boxes(node.level - 1, first, std::min(first + kFanOut, state_.boxes[node.level - 1].size()));
        continue;
      }
      const std::size_t before = found_.size();
      add_cluster(state_.cluster(node.index), sphere.centre, limit);
      if (found_.size() == before || found_.size() < count_) continue;
      squared_.clear();
      for (const Near& near : found_) squared_.push_back(near.squared_distance);
      const auto last = squared_.begin() + static_cast<std::ptrdiff_t>(count_) - 1;
      std::nth_element(squared_.begin(), last, squared_.end());
      limit = std::sqrt(*last) + 2 * sphere.radius + slack;
      std::erase_if(found_, [&](const Near& near) { return near.squared_distance > limit * limit; });
      if (found_.size() > most) return false;
    }
    return true;
  }

  std::span<const Near> found() const { return found_; }

 private:
  struct Node {
    std::size_t level;  // of boxes
    std::size_t index;
    double distance;  // lower bound
  };
  // A candidate of the block; candidates are numbered by ascending triangle.
  struct Ranked {
    double squared_distance;
    std::uint32_t place;
  };

  static bool less(const Ranked& a, const Ranked& b) {
    return a.squared_distance != b.squared_distance ? a.squared_distance < b.squared_distance : a.place < b.place;
  }

  void add_cluster(std::span<const std::uint32_t> triangles, const glm::dvec3& point, double limit) {
    prepare_groups(triangles);
    squared_.resize(groups_.size() * kGroupSize);
    squared_distances(groups_, point, squared_);
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      if (squared_[t] <= limit * limit) found_.push_back({triangles[t], squared_[t]});
    }
  }

  void prepare_groups(std::span<const std::uint32_t> triangles) {
    groups_.resize((triangles.size() + kGroupSize - 1) / kGroupSize);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::size_t begin = g * kGroupSize;
      state_.prepare_group(triangles.subspan(begin, std::min(kGroupSize, triangles.size() - begin)), groups_[g]);
    }
  }

  void prepare_candidates() {
    prepare_groups(candidates_);
    points_.resize(groups_.size());
    ranked_.resize(candidates_.size());
    for (std::uint32_t c = 0; c < ranked_.size(); ++c) ranked_[c].place = c;
  }

  std::span<const NearPoint> nearest_candidates(const glm::dvec3& point) {
    closest_points(groups_, point, points_);
    for (Ranked& ranked : ranked_) {
      ranked.squared_distance = points_[ranked.place / kGroupSize].squared[ranked.place % kGroupSize];
    }
    rank();
    nearest_.resize(count_);
    for (std::size_t k = 0; k < count_; ++k) {
      const auto& [squared_distance, place] = ranked_[k];
      const auto& weights = points_[place / kGroupSize].weights;
      const std::size_t lane = place % kGroupSize;
      const std::uint32_t triangle = candidates_[place];
      nearest_[k] = {
          triangle,
          {squared_distance, state_.triangles[triangle], {weights[0][lane], weights[1][lane], weights[2][lane]}}};
    }
    return nearest_;
  }

  // Sorts the `count_` nearest to the front. A small count is sorted by insertion: the order that the point before left
  // is almost right.
  void rank() {
    if (count_ > kMaxInserted) {
      const auto end = ranked_.begin() + static_cast<std::ptrdiff_t>(count_);
      if (end != ranked_.end()) std::nth_element(ranked_.begin(), end, ranked_.end(), less);
      std::sort(ranked_.begin(), end, less);
      return;
    }
    for (std::size_t i = 1; i < ranked_.size(); ++i) {
      const Ranked moved = ranked_[i];
      std::size_t to = i;
      if (i >= count_) {
        if (!less(moved, ranked_[count_ - 1])) continue;
        to = count_ - 1;
        ranked_[i] = ranked_[to];
      }
      for (; to > 0 && less(moved, ranked_[to - 1]); --to) ranked_[to] = ranked_[to - 1];
      ranked_[to] = moved;
    }
  }

  const State& state_;
  std::size_t count_;
  std::size_t fitting_ = std::numeric_limits<std::size_t>::max() / 2;  // points of a block that had few candidates
  std::vector<Node> queue_;
  std::vector<Near> found_;
  std::vector<std::uint32_t> candidates_;  // triangles, ascending
  std::vector<TriangleGroup> groups_;
  std::vector<double> squared_;
  std::vector<GroupPoints> points_;
  std::vector<Ranked> ranked_;
  std::vector<NearPoint> nearest_;
};

TriangleTree::TriangleTree(std::unique_ptr<State> state) : state_(std::move(state)) {}
TriangleTree::~TriangleTree() = default;
TriangleTree::TriangleTree(TriangleTree&&) noexcept = default;
TriangleTree& TriangleTree::operator=(TriangleTree&&) noexcept = default;

Result<TriangleTree> TriangleTree::create(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles) {
  if (triangles.empty()) return invalid("there is no triangle with area");
  auto state = std::make_unique<State>();
  state->positions.assign(positions.begin(), positions.end());
  state->triangles.assign(triangles.begin(), triangles.end());
  Box all;
  for (glm::uvec3& t : state->triangles) {
    if (t.x > t.y) std::swap(t.x, t.y);
    if (t.y > t.z) std::swap(t.y, t.z);
    if (t.x > t.y) std::swap(t.x, t.y);
  }
  all.add(positions, state->triangles);
  const glm::dvec3 size = glm::dvec3(all.high) - glm::dvec3(all.low);
  state->centre = glm::dvec3(all.low) + size * 0.5;
  state->radius = 0.5 * glm::length(size);

  // Orders the centroids, scaled to a box of size 1, along a Morton curve.
  std::vector<glm::vec3> centroids;
  centroids.reserve(triangles.size());
  const double scale = state->radius > 0 ? 0.5 / state->radius : 0.0;
  for (const glm::uvec3 t : state->triangles) {
    const glm::dvec3 sum = glm::dvec3(positions[t.x]) + glm::dvec3(positions[t.y]) + glm::dvec3(positions[t.z]);
    centroids.emplace_back((sum / 3.0 - state->centre) * scale);
  }
  state->order = morton_order(centroids);

  std::vector<Box> boxes((triangles.size() + kClusterSize - 1) / kClusterSize);
  for (std::size_t c = 0; c < boxes.size(); ++c) {
    for (const std::uint32_t t : state->cluster(c)) boxes[c].add(positions, std::span(&state->triangles[t], 1));
  }
  state->boxes.push_back(std::move(boxes));
  while (state->boxes.back().size() > kFanOut) {
    const std::vector<Box>& below = state->boxes.back();
    std::vector<Box> level((below.size() + kFanOut - 1) / kFanOut);
    for (std::size_t b = 0; b < below.size(); ++b) {
      level[b / kFanOut].add(below[b].low);
      level[b / kFanOut].add(below[b].high);
    }
    state->boxes.push_back(std::move(level));
  }
  return TriangleTree(std::move(state));
}

void TriangleTree::nearest(const glm::dvec3& point, std::size_t count, std::vector<Near>& result) const {
  result.clear();
  if (count == 0) return;
  Search search(*state_, count);
  search.find_candidates({point, 0}, state_->triangles.size());
  const std::span<const Near> found = search.found();
  result.assign(found.begin(), found.end());
  std::sort(result.begin(), result.end(), nearer);
  result.resize(std::min(count, result.size()));
}

ClosestPoint TriangleTree::closest_point(std::uint32_t triangle, const glm::dvec3& point) const {
  TriangleGroup group;
  GroupPoints points;
  state_->prepare_group(std::span(&triangle, 1), group);
  closest_points(std::span(&group, 1), point, std::span(&points, 1));
  return {points.squared[0],
          state_->triangles[triangle],
          {points.weights[0][0], points.weights[1][0], points.weights[2][0]}};
}

void TriangleTree::nearest(std::span<const glm::dvec3> points, std::size_t count, const Visit& visit) const {
  if (points.empty() || count == 0) return;
  Search(*state_, count).run(points, 0, visit);
}

void TriangleTree::nearest_of_each(std::span<const glm::vec3> points, std::size_t count, unsigned threads,
                                   const Visit& visit) const {
  // Points of a block have candidates in common: few points lie far apart, and have few.
  const std::size_t block_size = std::clamp<std::size_t>(256 * points.size() / state_->triangles.size(), 1, 256);
  const std::vector<std::uint32_t> order = morton_order(points);
  parallel_for((points.size() + block_size - 1) / block_size, 1, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<glm::dvec3> block;
    for (std::size_t b = begin; b < end; ++b) {
      const std::span<const std::uint32_t> own =
          std::span(order).subspan(b * block_size, std::min(block_size, order.size() - b * block_size));
      block.assign(own.size(), {});
      for (std::size_t i = 0; i < own.size(); ++i) block[i] = glm::dvec3(points[own[i]]);
      nearest(block, count, [&](std::size_t i, std::span<const NearPoint> found) { visit(own[i], found); });
    }
  });
}

std::vector<TriangleTree::NearPoint> TriangleTree::nearest_of_each(std::span<const glm::vec3> points,
                                                                   unsigned threads) const {
  std::vector<NearPoint> result(points.size());
  nearest_of_each(points, 1, threads, [&](std::size_t i, std::span<const NearPoint> found) { result[i] = found[0]; });
  return result;
}

}  // namespace pelt
