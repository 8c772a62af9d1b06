// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include <pelt/tools/parallel.h>
#include <pelt/tools/triangle_tree.h>

#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/geometry/closest_points.h"
#include "engine/authoring/rows/morton_order.h"
#include "engine/character/base/invalid.h"

namespace pelt {
namespace {

constexpr std::size_t kClusterSize = 32;   // triangles
constexpr std::size_t kFanOut = 16;        // boxes in a box of the level above
constexpr std::size_t kMaxInserted = 256;  // largest number of neighbours that are sorted by insertion
constexpr std::size_t kMaxCandidates =
    24;  // largest number of a block's candidates, as a factor on (count + triangles of a cluster)
constexpr double kRounding = 1e-12;  // of the compared lengths: far above their rounding error

using Box = Bounds<glm::vec3>;

bool nearer(const TriangleTree::Near& a, const TriangleTree::Near& b) {
  return a.squared_distance != b.squared_distance ? a.squared_distance < b.squared_distance : a.triangle < b.triangle;
}

double distance_from(const Box& box, const glm::dvec3& point) {
  const glm::dvec3 outside = glm::max(glm::max(glm::dvec3(box.low) - point, point - glm::dvec3(box.high)), 0.0);
  return glm::length(outside);
}

}  // namespace

// Triangles in compact clusters, and levels of boxes above these, each around kFanOut of the level below. The points of
// a block share one walk down.
struct TriangleTree::State {
  std::vector<glm::vec3> positions;
  std::vector<glm::uvec3> triangles;    // corners ascend by vertex
  std::vector<std::uint32_t> order;     // all triangles, cluster after cluster
  std::vector<std::vector<Box>> boxes;  // of the clusters, then level by level
  glm::dvec3 centre{0};
  double radius = 0;  // of a sphere around `centre` that contains all triangles

  std::span<const std::uint32_t> cluster(std::size_t c) const {
    const std::size_t begin = c * kClusterSize;
    return std::span(order).subspan(begin, std::min(kClusterSize, order.size() - begin));
  }

  // Returns group `g` of the triangles in order, 1 to 8 of them.
  std::span<const std::uint32_t> group(std::size_t g) const {
    const std::size_t begin = g * kGroupSize;
    return std::span(order).subspan(begin, std::min(kGroupSize, order.size() - begin));
  }

  // Prepares 1 to 8 triangles; the last one fills the remainder of the group.
  void prepare_group(std::span<const std::uint32_t> members, TriangleGroup& group) const {
    GroupCorners corners;
    for (std::size_t t = 0; t < kGroupSize; ++t) {
      const glm::uvec3 vertices = triangles[members[std::min(t, members.size() - 1)]];
      for (int corner = 0; corner < 3; ++corner) {
        const glm::vec3& p = positions[vertices[corner]];
        double(*values)[kGroupSize] = corners.values + 3 * corner;
        values[0][t] = p.x, values[1][t] = p.y, values[2][t] = p.z;
      }
    }
    prepare(corners, group);
  }
};

namespace {

// A sphere around the points of a block; radius 0 for a single point.
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

// A search, which splits its points into blocks and reuses its buffers.
class TriangleTree::Search {
 public:
  Search(const State& state, std::size_t count) : state_(state), count_(std::min(count, state.triangles.size())) {}

  void run(std::span<const glm::dvec3> points, std::size_t first, const Visit& visit) {
    // Many candidates make a block slow: halves have fewer, down to one point. The largest blocks with few candidates
    // have similar sizes everywhere, so does not retry much larger ones.
    const std::size_t all = state_.triangles.size();
    const bool try_it = points.size() <= 2 * fitting_ || count_ == all;
    const Sphere sphere = try_it ? bounding_sphere(points) : Sphere{};
    const std::size_t most = points.size() == 1 ? all : std::max(kMaxCandidates * (count_ + kClusterSize), count_);
    if (!try_it || !find_candidates(sphere, most)) {
      if (try_it) fitting_ = std::max<std::size_t>(points.size() / 2, 1);
      const std::size_t half = points.size() / 2;
      run(points.first(half), first, visit);
      run(points.subspan(half), first + half, visit);
      return;
    }
    fitting_ = std::max(fitting_, points.size());
    prepare_candidates();
    // The nearest triangles of a point are no farther than those of the point before, plus the distance between both.
    double reach = reach_;
    glm::dvec3 from = sphere.centre;
    for (std::size_t i = 0; i < points.size(); ++i) {
      visit(first + i, nearest_candidates(points[i], reach + glm::distance(from, points[i]) + slack(sphere)));
      reach = std::sqrt(ranked_[count_ - 1].squared_distance);
      from = points[i];
    }
  }

  // Finds all triangles that may be among the nearest `count` of any point of the sphere. Let r be the distance of the
  // count-th nearest from the centre: such a triangle is within r + radius of its point, so within r + 2 radius of the
  // centre. Returns false if there are more than `most`. found() returns the candidates.
  bool find_candidates(const Sphere& sphere, std::size_t most) {
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
    reach_ = std::numeric_limits<double>::infinity();
    double limit = reach_;
    while (!queue_.empty() && queue_.front().distance <= limit) {
      const Node node = queue_.front();
      std::pop_heap(queue_.begin(), queue_.end(), later);
      queue_.pop_back();
      if (node.level > 0) {
        const std::size_t first = node.index * kFanOut;
        add_boxes(node.level - 1, first, std::min(first + kFanOut, state_.boxes[node.level - 1].size()));
        continue;
      }
      // Only a nearer triangle changes the count-th nearest.
      if (add_cluster(node.index, sphere.centre, limit) && found_.size() >= count_) {
        squared_.clear();
        for (const Found& found : found_) squared_.push_back(found.squared_distance);
        const auto last = squared_.begin() + static_cast<std::ptrdiff_t>(count_) - 1;
        std::nth_element(squared_.begin(), last, squared_.end());
        reach_ = std::sqrt(*last);
        limit = reach_ + 2 * sphere.radius + slack(sphere);
        std::erase_if(found_, [&](const Found& found) { return found.squared_distance > limit * limit; });
      }
      if (found_.size() > most) return false;
    }
    return true;
  }

  struct Found {
    std::uint32_t place;  // index in State::order
    double squared_distance;
  };
  std::span<const Found> found() const { return found_; }

 private:
  struct Node {
    std::size_t level;  // of boxes
    std::size_t index;
    double distance;  // lower bound
  };
  // One of the nearest triangles of a point.
  struct Ranked {
    double squared_distance;
    std::uint32_t triangle;
    std::uint32_t place;  // index among the block's candidates, 8 per group
  };

  static bool less(const Ranked& a, const Ranked& b) {
    if (a.squared_distance < b.squared_distance) return true;
    return a.squared_distance == b.squared_distance && a.triangle < b.triangle;
  }

  // Returns a bound on the rounding of distances between the triangles and points of the sphere.
  double slack(const Sphere& sphere) const {
    return kRounding * (glm::distance(sphere.centre, state_.centre) + state_.radius + sphere.radius);
  }

  // Returns true if there are triangles nearer than reach_.
  bool add_cluster(std::size_t c, const glm::dvec3& point, double limit) {
    const std::span<const std::uint32_t> triangles = state_.cluster(c);
    TriangleGroup groups[kClusterSize / kGroupSize];
    double squared[kClusterSize];
    const std::size_t count = (triangles.size() + kGroupSize - 1) / kGroupSize;
    const std::size_t first = c * (kClusterSize / kGroupSize);
    for (std::size_t g = 0; g < count; ++g) state_.prepare_group(state_.group(first + g), groups[g]);
    squared_distances(std::span(groups, count), point, std::span(squared, count * kGroupSize));
    bool is_nearer = false;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      if (squared[t] > limit * limit) continue;
      found_.push_back({static_cast<std::uint32_t>(c * kClusterSize + t), squared[t]});
      is_nearer = is_nearer || squared[t] < reach_ * reach_;
    }
    return is_nearer;
  }

  // Prepares the groups with triangles that were found.
  void prepare_candidates() {
    chosen_.clear();
    for (const Found& found : found_) chosen_.push_back(found.place / kGroupSize);
    std::sort(chosen_.begin(), chosen_.end());
    chosen_.erase(std::unique(chosen_.begin(), chosen_.end()), chosen_.end());
    group_of_ = chosen_;
    groups_.resize(std::max(groups_.size(), group_of_.size()));
    points_.resize(groups_.size());
    boxes_.resize((group_of_.size() + kGroupSize - 1) / kGroupSize);
    for (std::size_t g = 0; g < group_of_.size(); ++g) {
      state_.prepare_group(state_.group(group_of_[g]), groups_[g]);
      set_box(groups_[g], boxes_[g / kGroupSize], g % kGroupSize);
    }
    for (std::size_t g = group_of_.size(); g < boxes_.size() * kGroupSize; ++g) {
      boxes_.back().low[0][g % kGroupSize] = std::numeric_limits<double>::infinity();
    }
    chosen_.resize(boxes_.size() * kGroupSize);
    ranked_.clear();
  }

  // `limit`: at least the distance of the farthest of them, metres.
  std::span<const NearPoint> nearest_candidates(const glm::dvec3& point, double limit) {
    const std::size_t chosen = near_boxes(boxes_, point, limit * limit, chosen_);
    closest_points(groups_, std::span(chosen_).first(chosen), point, points_);
    rank(std::span(chosen_).first(chosen));
    assert(ranked_.size() >= count_);
    nearest_.resize(count_);
    for (std::size_t k = 0; k < count_; ++k) {
      const auto& [squared_distance, triangle, place] = ranked_[k];
      const auto& weights = points_[place / kGroupSize].weights;
      const std::size_t lane = place % kGroupSize;
      nearest_[k] = {
          triangle,
          {squared_distance, state_.triangles[triangle], {weights[0][lane], weights[1][lane], weights[2][lane]}}};
    }
    return nearest_;
  }

  // Sets ranked_ to the nearest triangles of groups, sorted. Sorts a small count by insertion: the order of the
  // previous point is almost right.
  void rank(std::span<const std::uint32_t> groups) {
    constexpr double kTaken = std::numeric_limits<double>::infinity();
    const bool insert = count_ <= kMaxInserted;
    if (!insert) ranked_.clear();
    for (std::size_t i = 0; i < ranked_.size(); ++i) {
      Ranked moved = ranked_[i];
      double& squared_distance = points_[moved.place / kGroupSize].squared[moved.place % kGroupSize];
      moved.squared_distance = std::exchange(squared_distance, kTaken);
      settle(moved, i);
    }
    double most = ranked_.empty() ? kTaken : ranked_.back().squared_distance;
    for (const std::uint32_t g : groups) {
      const std::span<const std::uint32_t> triangles = state_.group(group_of_[g]);
      const double* squared = points_[g].squared;
      for (std::uint32_t lane = 0; lane < triangles.size(); ++lane) {
        if (squared[lane] > most) continue;
        const Ranked found{squared[lane], triangles[lane], g * std::uint32_t{kGroupSize} + lane};
        const bool full = insert && ranked_.size() == count_;
        if (full && !less(found, ranked_.back())) continue;
        if (!full) ranked_.push_back(found);
        if (insert) settle(found, ranked_.size() - 1);
        if (full) most = ranked_.back().squared_distance;
      }
    }
    if (insert) return;
    const auto end = ranked_.begin() + static_cast<std::ptrdiff_t>(count_);
    if (end != ranked_.end()) std::nth_element(ranked_.begin(), end, ranked_.end(), less);
    std::sort(ranked_.begin(), end, less);
  }

  // Inserts a triangle among those before ranked_[to], which are sorted, and shifts the later ones by one.
  void settle(const Ranked& moved, std::size_t to) {
    Ranked* const ranked = ranked_.data();
    for (; to > 0 && less(moved, ranked[to - 1]); --to) ranked[to] = ranked[to - 1];
    ranked[to] = moved;
  }

  const State& state_;
  std::size_t count_;
  std::size_t fitting_ = std::numeric_limits<std::size_t>::max() / 2;  // points of a block that had few candidates
  double reach_ = 0;  // distance of the count-th nearest from the centre of the block
  std::vector<Node> queue_;
  std::vector<Found> found_;
  std::vector<double> squared_;
  std::vector<std::uint32_t> group_of_;  // groups of the state with candidates of the block, ascending
  std::vector<TriangleGroup> groups_;
  std::vector<GroupBoxes> boxes_;
  std::vector<std::uint32_t> chosen_;  // groups near a point
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
  for (const auto& [place, squared_distance] : search.found()) {
    result.push_back({state_->order[place], squared_distance});
  }
  std::sort(result.begin(), result.end(), nearer);
  result.resize(std::min(count, result.size()));
}

ClosestPoint TriangleTree::closest_point(std::uint32_t triangle, const glm::dvec3& point) const {
  TriangleGroup group;
  GroupPoints points;
  state_->prepare_group(std::span(&triangle, 1), group);
  constexpr std::uint32_t kFirst = 0;
  closest_points(std::span(&group, 1), std::span(&kFirst, 1), point, std::span(&points, 1));
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
  if (count == 0) return;
  // Points of a block share candidates: few points lie far apart, and share few.
  const std::size_t block_size = std::clamp<std::size_t>(256 * points.size() / state_->triangles.size(), 1, 256);
  const std::vector<std::uint32_t> order = morton_order(points);
  parallel_for((points.size() + block_size - 1) / block_size, 1, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<glm::dvec3> block;
    Search search(*state_, count);
    for (std::size_t b = begin; b < end; ++b) {
      const std::span<const std::uint32_t> numbers =
          std::span(order).subspan(b * block_size, std::min(block_size, order.size() - b * block_size));
      block.assign(numbers.size(), {});
      for (std::size_t i = 0; i < numbers.size(); ++i) block[i] = glm::dvec3(points[numbers[i]]);
      search.run(block, 0, [&](std::size_t i, std::span<const NearPoint> found) { visit(numbers[i], found); });
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
