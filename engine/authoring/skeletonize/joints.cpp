// SPDX-License-Identifier: MIT
#include "engine/authoring/skeletonize/joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/authoring/geometry/bone_forest.h"

namespace pelt::skeletonize {
namespace {

constexpr double kMerge = 1.0;     // junctions nearer than this fraction of the larger depth become one joint
constexpr double kLeave = 1.0;     // a limb begins at this distance from the junction, in the junction's depths
constexpr double kBend = 0.5;      // a limb gets a joint at this distance from its bone, in the limb's depths
constexpr double kShortest = 2.0;  // shortest bone within a limb, in the limb's depths

constexpr std::uint32_t kNone = 0xffffffff;

// One piece as a graph. Points are numbered within the piece.
class Piece {
 public:
  Piece(const Traced& traced, const TracedPiece& piece)
      : points_(std::span(traced.points).subspan(piece.first, piece.count)), neighbours_(piece.count) {
    for (std::uint32_t i = 0; i < piece.count; ++i) {
      if (points_[i].parent < 0) continue;
      const auto parent = static_cast<std::uint32_t>(points_[i].parent) - piece.first;
      neighbours_[i].push_back(parent);
      neighbours_[parent].push_back(i);
    }
  }

  std::size_t size() const { return points_.size(); }
  const glm::dvec3& position(std::uint32_t i) const { return points_[i].position; }
  double depth(std::uint32_t i) const { return points_[i].depth; }
  const std::vector<std::uint32_t>& neighbours(std::uint32_t i) const { return neighbours_[i]; }
  double distance(std::uint32_t a, std::uint32_t b) const { return glm::distance(position(a), position(b)); }

  // Returns the junction (without junctions the point) with the shortest path to its farthest end.
  std::uint32_t middle() const {
    const std::size_t count = size();
    // Longest paths from each point to an end: downwards, since parents precede children, and upwards.
    std::vector<double> down(count, 0.0);
    std::vector<double> second(count, 0.0);  // by the second-longest child
    std::vector<double> up(count, 0.0);
    for (std::uint32_t i = static_cast<std::uint32_t>(count); i-- > 1;) {
      const std::uint32_t parent = neighbours_[i][0];
      const double way = down[i] + distance(i, parent);
      second[parent] = std::max(second[parent], std::min(way, down[parent]));
      down[parent] = std::max(down[parent], way);
    }
    for (std::uint32_t i = 1; i < count; ++i) {
      const std::uint32_t parent = neighbours_[i][0];
      const double step = distance(i, parent);
      const double beside = down[i] + step == down[parent] ? second[parent] : down[parent];
      up[i] = step + std::max(up[parent], beside);
    }
    const bool branches = std::ranges::any_of(neighbours_, [](auto& n) { return n.size() > 2; });
    std::uint32_t best = kNone;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (branches && neighbours_[i].size() < 3) continue;
      if (best == kNone || std::max(up[i], down[i]) < std::max(up[best], down[best])) best = i;
    }
    return best;
  }

 private:
  std::span<const TracedPoint> points_;
  std::vector<std::vector<std::uint32_t>> neighbours_;  // the parent first, if there is one
};

// Returns the indices in `line` at which joints are added, ascending, without both ends: at bends, and between them so
// that no bone is longer than `bone_length` mean depths; none is shorter than `least`.
std::vector<std::size_t> divide(const Piece& piece, std::span<const std::uint32_t> line, double bone_length,
                                double least) {
  std::vector<double> along(line.size(), 0.0);
  for (std::size_t i = 1; i < line.size(); ++i) along[i] = along[i - 1] + piece.distance(line[i - 1], line[i]);
  double mean = 0;
  for (const std::uint32_t i : line) mean += piece.depth(i) / static_cast<double>(line.size());
  const auto depth_at = [&](std::size_t i) { return std::max(piece.depth(line[i]), mean); };
  const auto fits = [&](std::size_t a, std::size_t b, std::size_t at) {
    return along[b] - along[a] >= std::max(least, kShortest * depth_at(at));
  };
  // Ramer 1972, Douglas & Peucker 1973, with a tolerance relative to the depth at each point.
  std::vector<std::size_t> bends = {0, line.size() - 1};
  std::vector<std::pair<std::size_t, std::size_t>> open = {{0, line.size() - 1}};
  while (!open.empty()) {
    const auto [begin, end] = open.back();
    open.pop_back();
    const glm::dvec3 from = piece.position(line[begin]);
    const glm::dvec3 to = piece.position(line[end]);
    std::size_t farthest = begin;
    double most = kBend;
    for (std::size_t i = begin + 1; i < end; ++i) {
      if (!fits(begin, i, i) || !fits(i, end, i)) continue;
      const double share = distance_to_segment(piece.position(line[i]), from, to) / depth_at(i);
      if (share > most) {
        most = share;
        farthest = i;
      }
    }
    if (farthest == begin) continue;
    bends.push_back(farthest);
    open.emplace_back(begin, farthest);
    open.emplace_back(farthest, end);
  }
  std::sort(bends.begin(), bends.end());

  std::vector<std::size_t> places;
  for (std::size_t b = 0; b + 1 < bends.size(); ++b) {
    const std::size_t begin = bends[b];
    const std::size_t end = bends[b + 1];
    if (b > 0) places.push_back(begin);
    double depth = 0;
    for (std::size_t i = begin; i <= end; ++i) depth += piece.depth(line[i]);
    depth /= static_cast<double>(end - begin + 1);
    const double length = along[end] - along[begin];
    const auto bones = static_cast<std::size_t>(std::ceil(length / std::max(least, bone_length * depth) - 1e-9));
    for (std::size_t k = 1; k < bones; ++k) {
      const double wanted = along[begin] + length * static_cast<double>(k) / static_cast<double>(bones);
      const auto place = static_cast<std::size_t>(std::lower_bound(along.begin(), along.end(), wanted) - along.begin());
      if (place >= end || (!places.empty() && place <= places.back())) continue;
      places.push_back(place);
    }
  }
  return places;
}

class Planner {
 public:
  Planner(const Traced& traced, double bone_length, double least)
      : traced_(traced), bone_length_(bone_length), least_(least) {
    plan_.joint_of.resize(traced.points.size());
  }

  void add(const TracedPiece& traced_piece) {
    const Piece piece(traced_, traced_piece);
    const std::uint32_t root = piece.middle();
    const std::uint32_t root_joint = add_joint(plan_.joints.empty() ? "root" : fmt::format("piece{}", ++pieces_),
                                               nearest_joint(piece.position(root)), piece.position(root));
    std::vector<std::uint32_t> mover(piece.size(), root_joint);  // for each point, the joint that moves it
    count_junction(piece, root);

    // Lines from a junction to the next junction or end, and the joint at the start of each.
    struct Line {
      std::uint32_t from, next, joint;
    };
    std::vector<Line> open;
    const auto leave = [&](std::uint32_t point, std::uint32_t came_from, std::uint32_t joint) {
      for (std::size_t n = piece.neighbours(point).size(); n-- > 0;) {
        const std::uint32_t next = piece.neighbours(point)[n];
        if (next != came_from) open.push_back({point, next, joint});
      }
    };
    leave(root, kNone, root_joint);
    while (!open.empty()) {
      const Line start = open.back();
      open.pop_back();
      std::vector<std::uint32_t> line = {start.from, start.next};
      while (piece.neighbours(line.back()).size() == 2) {
        const std::vector<std::uint32_t>& both = piece.neighbours(line.back());
        line.push_back(both[0] == line[line.size() - 2] ? both[1] : both[0]);
      }
      const std::uint32_t last = add_line(piece, line, start.joint, mover);
      leave(line.back(), line[line.size() - 2], last);
    }
    for (std::uint32_t i = 0; i < piece.size(); ++i) plan_.joint_of[traced_piece.first + i] = mover[i];
  }

  JointPlan take() { return std::move(plan_); }

 private:
  std::uint32_t add_joint(std::string name, std::int32_t parent, const glm::dvec3& position, bool end = false) {
    plan_.joints.push_back({.name = std::move(name), .parent = parent, .position = position, .end = end});
    return static_cast<std::uint32_t>(plan_.joints.size() - 1);
  }

  std::int32_t nearest_joint(const glm::dvec3& position) const {
    std::int32_t nearest = -1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < plan_.joints.size(); ++j) {
      const double distance = glm::distance(plan_.joints[j].position, position);
      if (plan_.joints[j].end || !(distance < least)) continue;
      least = distance;
      nearest = static_cast<std::int32_t>(j);
    }
    return nearest;
  }

  void count_junction(const Piece& piece, std::uint32_t point) {
    if (piece.neighbours(point).size() > 2) ++plan_.junctions;
  }

  // Adds joints along a line whose first point `joint` moves; returns the joint that moves its last point.
  std::uint32_t add_line(const Piece& piece, std::span<const std::uint32_t> line, std::uint32_t joint,
                         std::vector<std::uint32_t>& mover) {
    const std::uint32_t last = line.back();
    const bool end = piece.neighbours(last).size() == 1;
    const glm::dvec3 origin = plan_.joints[joint].position;
    const double radius = radius_of_joint(piece, origin);
    // Beyond a junction, the limb begins at the border of the joint's ball, if the rest is long enough.
    const bool parts = piece.neighbours(line.front()).size() > 2;
    std::size_t begin = 0;
    while (parts && begin + 1 < line.size() && glm::distance(piece.position(line[begin]), origin) < kLeave * radius)
      ++begin;
    double remaining = 0;
    for (std::size_t i = begin; i + 1 < line.size(); ++i) remaining += piece.distance(line[i], line[i + 1]);
    std::vector<std::size_t> places;
    const bool leaves = begin > 0 && remaining >= std::max(least_, kShortest * piece.depth(line[begin]));
    if (leaves) places.push_back(begin);
    for (const std::size_t place : divide(piece, line.subspan(leaves ? begin : 0), bone_length_, least_)) {
      places.push_back((leaves ? begin : 0) + place);
    }
    const bool merged = !end && places.empty() &&
                        glm::distance(piece.position(last), origin) < kMerge * std::max(radius, piece.depth(last));
    if (!merged) places.push_back(line.size() - 1);

    const std::size_t limb = merged ? 0 : ++limbs_;
    std::size_t i = 1;
    for (std::size_t p = 0; p < places.size(); ++p) {
      for (; i < places[p]; ++i) mover[line[i]] = joint;
      const bool at_last = places[p] + 1 == line.size();
      const std::string name = at_last && end ? fmt::format("limb{}_end", limb) : fmt::format("limb{}_{}", limb, p + 1);
      const std::uint32_t added =
          add_joint(name, static_cast<std::int32_t>(joint), piece.position(line[places[p]]), at_last && end);
      if (at_last && end) {
        ++plan_.ends;
      } else {
        joint = added;
      }
      if (at_last && !end) count_junction(piece, last);
    }
    for (; i < line.size(); ++i) mover[line[i]] = joint;
    return joint;
  }

  // Returns the depth at a joint's position.
  static double radius_of_joint(const Piece& piece, const glm::dvec3& position) {
    double least = std::numeric_limits<double>::infinity();
    double depth = 0;
    for (std::uint32_t i = 0; i < piece.size(); ++i) {
      const double distance = glm::distance(piece.position(i), position);
      if (!(distance < least)) continue;
      least = distance;
      depth = piece.depth(i);
    }
    return depth;
  }

  const Traced& traced_;
  double bone_length_;
  double least_;
  JointPlan plan_;
  std::size_t limbs_ = 0;
  std::size_t pieces_ = 1;
};

}  // namespace

JointPlan plan_joints(const Traced& traced, double bone_length, double least) {
  Planner planner(traced, bone_length, least);
  for (const TracedPiece& piece : traced.pieces) planner.add(piece);
  return planner.take();
}

}  // namespace pelt::skeletonize
