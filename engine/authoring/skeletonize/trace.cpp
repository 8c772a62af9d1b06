// SPDX-License-Identifier: MIT
#include "engine/authoring/skeletonize/trace.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/authoring/base/parallel_each.h"
#include "engine/authoring/skeletonize/voxel_paths.h"

namespace pelt::skeletonize {
namespace {

// Cornea et al. follow the force from the saddles of the field, which joins its critical points, and from seeds of low
// divergence, which adds the limbs. On voxels, rounding stops such lines: in the middle of an even tube the force is a
// ten-thousandth of that at the wall. So these lines become roads with cheap travel; elsewhere the cost grows with the
// force. The skeleton consists of the cheapest paths from the ends of limbs to the paths found before: one tree per
// piece, even if its roads are not connected.

constexpr float kSeedDivergence = -1.5f;  // between those in the middle of a plate and of a limb
constexpr double kStep = 0.3;             // voxels in a step along the force
constexpr std::size_t kMaxSteps = 4000;   // along one line
constexpr std::size_t kPatience = 8;      // steps in which a line must move farther than one step
constexpr float kRoad = 0.05f;            // cost of one voxel's length on a road
constexpr float kMiddle = 0.15f;          // the same next to a road, without force
constexpr float kForce = 2.0f;            // added cost for a force of 1, or an ascent of 1
constexpr float kLimb = 0.5f;             // largest ascent of a voxel within a limb; at edges of a body it is larger
constexpr float kWeak = 0.3f;             // largest force at a seed
constexpr double kCover = 1.25;           // radius, in depths, of the ball that a kept voxel covers
constexpr int kRounds = 24;               // rounds of smoothing

// Collects the voxels on a line along the force, from `point` to its end.
void follow(const ForceField& field, const Voxels& voxels, glm::dvec3 point, std::vector<std::uint32_t>& passed) {
  glm::dvec3 earlier = point;
  for (std::size_t i = 1; i <= kMaxSteps; ++i) {
    const std::uint32_t voxel = voxels.at(glm::ivec3(glm::round(point)));
    if (voxel == kOutside) return;
    if (passed.empty() || passed.back() != voxel) passed.push_back(voxel);
    const std::optional<glm::dvec3> force = sample(field, voxels, point);
    const double length = force ? glm::length(*force) : 0.0;
    if (!(length > 0)) return;
    point += kStep / length * *force;
    if (i % kPatience != 0) continue;
    if (glm::distance(point, earlier) < 2 * kStep) return;
    earlier = point;
  }
}

// Returns for each voxel the steepest increase of depth, per voxel, over distances up to its own depth: 0 in the middle
// of limbs and plates, 0.3 along a cone whose tip is 35 degrees wide, 0.7 from a right-angled edge inward, 1 from a
// wall.
std::vector<float> find_ascent(const ForceField& field, const Voxels& voxels, unsigned threads) {
  std::vector<float> ascent(voxels.cells.size(), 0.0f);
  parallel_each(ascent.size(), 256, threads, [&](std::size_t v) {
    for (int n = 0; n < kNeighbours; ++n) {
      if (n == kSelf) continue;
      const glm::vec3 direction = glm::normalize(glm::vec3(neighbour(n)));
      for (const float reach : {2.0f, 0.5f * field.depth[v], field.depth[v]}) {
        const glm::ivec3 step(glm::round(std::max(2.0f, reach) * direction));
        const std::uint32_t there = voxels.at(voxels.cells[v] + step);
        if (there == kOutside) continue;
        ascent[v] = std::max(ascent[v], (field.depth[there] - field.depth[v]) / glm::length(glm::vec3(step)));
      }
    }
  });
  return ascent;
}

struct Roads {
  std::vector<bool> passes;   // for each voxel, true if a road passes through it
  std::vector<float> ascent;  // see find_ascent
  std::size_t critical_points = 0;
  std::size_t seeds = 0;
};

Roads find_roads(const ForceField& field, const Voxels& voxels, unsigned threads) {
  const std::vector<CriticalPoint> critical = find_critical_points(field, voxels, threads);
  std::vector<glm::dvec3> starts;
  for (const CriticalPoint& point : critical) {
    starts.push_back(point.position);
    for (const glm::dvec3& direction : point.directions) {
      starts.push_back(point.position + direction);
      starts.push_back(point.position - direction);
    }
  }
  const std::vector<float> converging = divergence(field, voxels, threads);
  Roads roads{std::vector<bool>(voxels.cells.size()), find_ascent(field, voxels, threads), critical.size(), 0};
  for (std::uint32_t v = 0; v < converging.size(); ++v) {
    if (!(converging[v] < kSeedDivergence) || glm::length(field.force[v]) > kWeak) continue;
    bool least = true;
    for_neighbours(voxels, v, [&](std::uint32_t next, float) {
      least = least && std::pair(converging[v], v) < std::pair(converging[next], next);
    });
    if (!least) continue;
    starts.emplace_back(voxels.cells[v]);
    ++roads.seeds;
  }
  std::vector<std::vector<std::uint32_t>> lines(starts.size());
  parallel_each(lines.size(), 1, threads, [&](std::size_t i) { follow(field, voxels, starts[i], lines[i]); });
  for (const std::vector<std::uint32_t>& line : lines) {
    for (const std::uint32_t voxel : line) roads.passes[voxel] = roads.ascent[voxel] <= kLimb;
  }
  return roads;
}

struct VoxelPiece {
  std::uint32_t deepest = 0;
  std::uint32_t voxels = 0;
  glm::ivec3 low{0};
  glm::ivec3 high{0};
};

std::vector<VoxelPiece> find_pieces(const ForceField& field, const Voxels& voxels) {
  std::vector<VoxelPiece> pieces;
  std::vector<bool> seen(voxels.cells.size());
  std::vector<std::uint32_t> open;
  for (std::uint32_t v = 0; v < seen.size(); ++v) {
    if (seen[v]) continue;
    VoxelPiece piece{.deepest = v, .low = voxels.cells[v], .high = voxels.cells[v]};
    seen[v] = true;
    open.assign(1, v);
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      ++piece.voxels;
      piece.low = glm::min(piece.low, voxels.cells[at]);
      piece.high = glm::max(piece.high, voxels.cells[at]);
      if (std::pair(-field.depth[at], at) < std::pair(-field.depth[piece.deepest], piece.deepest)) piece.deepest = at;
      for_neighbours(voxels, at, [&](std::uint32_t next, float) {
        if (seen[next]) return;
        seen[next] = true;
        open.push_back(next);
      });
    }
    pieces.push_back(piece);
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const VoxelPiece& a, const VoxelPiece& b) { return a.voxels > b.voxels; });
  return pieces;
}

// Returns the price of one voxel's length in each voxel.
std::vector<float> find_prices(const ForceField& field, const Roads& roads) {
  std::vector<float> prices;
  for (std::size_t v = 0; v < roads.passes.size(); ++v) {
    const float beside = kMiddle + kForce * (glm::length(field.force[v]) + roads.ascent[v]);
    prices.push_back(roads.passes[v] ? kRoad : beside);
  }
  return prices;
}

double distance(const Voxels& voxels, std::uint32_t a, std::uint32_t b) {
  return glm::distance(glm::dvec3(voxels.cells[a]), glm::dvec3(voxels.cells[b]));
}

// Returns possible ends of limbs: voxels with a longer path to the kept ones than all their neighbours, longest path
// first.
std::vector<std::uint32_t> find_ends(const Voxels& voxels, const VoxelPaths& ways) {
  // Costs fall along a path, so lengths can be summed in the order of costs.
  std::vector<std::uint32_t> order;
  for (std::uint32_t v = 0; v < voxels.cells.size(); ++v) {
    if (std::isfinite(ways.cost(v))) order.push_back(v);
  }
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::pair(ways.cost(a), a) < std::pair(ways.cost(b), b); });
  std::vector<double> length(voxels.cells.size(), 0.0);
  for (const std::uint32_t v : order) {
    if (ways.next(v) != kNoVoxel) length[v] = length[ways.next(v)] + distance(voxels, v, ways.next(v));
  }
  std::vector<std::uint32_t> ends;
  for (const std::uint32_t v : order) {
    bool farthest = true;
    for_neighbours(voxels, v, [&](std::uint32_t next, float) {
      farthest = farthest && std::pair(-length[v], v) < std::pair(-length[next], next);
    });
    if (farthest) ends.push_back(v);
  }
  std::sort(ends.begin(), ends.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::pair(-length[a], a) < std::pair(-length[b], b); });
  return ends;
}

// The voxels in balls round kept voxels. A limb must extend beyond them (Sato et al. 2000, "TEASAR").
class Covered {
 public:
  Covered(const ForceField& field, const Voxels& voxels)
      : field_(field), voxels_(voxels), holds_(voxels.cells.size()) {}

  bool holds(std::uint32_t voxel) const { return holds_[voxel]; }

  void add(std::span<const std::uint32_t> kept) {
    std::uint32_t last = kNoVoxel;  // the last voxel whose ball was added
    for (const std::uint32_t v : kept) {
      const double radius = kCover * field_.depth[v];
      if (last != kNoVoxel && v != kept.back() && distance(voxels_, v, last) < 0.1 * radius) continue;
      last = v;
      const glm::ivec3 reach(static_cast<int>(radius));
      for (int z = -reach.z; z <= reach.z; ++z) {
        for (int y = -reach.y; y <= reach.y; ++y) {
          for (int x = -reach.x; x <= reach.x; ++x) {
            const glm::ivec3 offset(x, y, z);
            if (glm::length(glm::dvec3(offset)) > radius) continue;
            const std::uint32_t voxel = voxels_.at(voxels_.cells[v] + offset);
            if (voxel != kOutside) holds_[voxel] = true;
          }
        }
      }
    }
  }

 private:
  const ForceField& field_;
  const Voxels& voxels_;
  std::vector<bool> holds_;
};

// Returns the first voxel, on the path from an end at the surface, in the middle of its limb: the depth relative to the
// distance from the end is nearly largest there. That is the middle of a round cap or of a flat end, and the very tip
// of a cone. Only the path outside `covered` sets the largest value.
std::uint32_t reach_middle(std::uint32_t end, const ForceField& field, const Voxels& voxels, const VoxelPaths& ways,
                           const Covered& covered, const Roads& roads) {
  constexpr double kNearly = 0.9;
  const auto share = [&](std::uint32_t v) { return field.depth[v] / (distance(voxels, v, end) + 1); };
  double most = 0;
  for (std::uint32_t v = end; v != kNoVoxel && !covered.holds(v); v = ways.next(v)) most = std::max(most, share(v));
  std::uint32_t v = end;
  while (ways.next(v) != kNoVoxel && share(v) < kNearly * most) v = ways.next(v);
  while (ways.next(v) != kNoVoxel && roads.ascent[v] > kLimb) v = ways.next(v);
  return v;
}

// Smooths points, which start at voxels: evens them out along their lines and moves them back to the middle.
void smooth(std::span<TracedPoint> points, std::int32_t first, const ForceField& field, const Voxels& voxels) {
  std::vector<glm::dvec3> sum(points.size());
  std::vector<double> count(points.size());
  for (int round = 0; round < kRounds; ++round) {
    std::fill(sum.begin(), sum.end(), glm::dvec3(0));
    std::fill(count.begin(), count.end(), 0.0);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].parent < 0) continue;
      const auto parent = static_cast<std::size_t>(points[i].parent - first);
      sum[i] += points[parent].position;
      sum[parent] += points[i].position;
      ++count[i];
      ++count[parent];
    }
    std::vector<glm::dvec3> moved(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      moved[i] = points[i].position;
      if (count[i] < 2) continue;  // ends stay
      const glm::dvec3 middle = glm::mix(points[i].position, sum[i] / count[i], 0.5);
      const std::optional<glm::dvec3> force = sample(field, voxels, middle);
      const glm::dvec3 pushed = middle + (force ? 0.25 * *force : glm::dvec3(0));
      if (voxels.at(glm::ivec3(glm::round(pushed))) != kOutside) moved[i] = pushed;
    }
    for (std::size_t i = 0; i < points.size(); ++i) points[i].position = moved[i];
  }
}

}  // namespace

Traced trace(const ForceField& field, const Voxels& voxels, double detail, unsigned threads) {
  const Roads roads = find_roads(field, voxels, threads);
  std::vector<VoxelPiece> pieces = find_pieces(field, voxels);
  const auto is_small = [&](const VoxelPiece& piece) {
    return glm::length(glm::dvec3(piece.high - piece.low)) <= detail;
  };
  pieces.erase(std::remove_if(pieces.begin() + 1, pieces.end(), is_small), pieces.end());

  // Start each piece's tree at the end farthest from its deepest voxel. The longest path from there leads to the other
  // end of the piece, so that the tree's start cuts off no limb.
  std::vector<std::uint32_t> kept;
  for (const VoxelPiece& piece : pieces) kept.push_back(piece.deepest);
  const std::vector<float> prices = find_prices(field, roads);
  VoxelPaths from_deepest(voxels, prices);
  from_deepest.keep(kept);
  Covered trunk(field, voxels);
  for (const std::uint32_t deepest : kept) trunk.add(std::span(&deepest, 1));
  std::vector<std::uint32_t> starts(voxels.cells.size(), kNoVoxel);  // by the deepest voxel of each piece
  for (const std::uint32_t end : find_ends(voxels, from_deepest)) {
    std::uint32_t deepest = end;
    while (from_deepest.next(deepest) != kNoVoxel) deepest = from_deepest.next(deepest);
    if (starts[deepest] == kNoVoxel) starts[deepest] = reach_middle(end, field, voxels, from_deepest, trunk, roads);
  }
  kept.clear();
  for (const VoxelPiece& piece : pieces) kept.push_back(starts[piece.deepest]);
  VoxelPaths ways(voxels, prices);
  ways.keep(kept);

  // For every kept voxel, the next kept voxel towards the start of its tree.
  std::vector<std::uint32_t> parent(voxels.cells.size(), kNoVoxel);
  std::vector<std::vector<std::uint32_t>> branches;
  std::vector<std::uint32_t> way;
  Covered covered(field, voxels);
  for (const std::uint32_t end : find_ends(voxels, ways)) {
    if (covered.holds(end)) continue;
    std::uint32_t v = reach_middle(end, field, voxels, ways, covered, roads);
    way.clear();
    for (; ways.next(v) != kNoVoxel; v = ways.next(v)) way.push_back(v);
    double length = 0;
    for (std::size_t i = 1; i < way.size() && !covered.holds(way[i]); ++i) {
      if (roads.ascent[way[i]] <= kLimb) length += distance(voxels, way[i - 1], way[i]);
    }
    if (!(length > detail)) continue;
    for (std::size_t i = 0; i < way.size(); ++i) parent[way[i]] = i + 1 < way.size() ? way[i + 1] : v;
    ways.keep(way);
    covered.add(way);
    branches.push_back(way);
  }

  Traced traced{.critical_points = roads.critical_points, .seeds = roads.seeds};
  // Add the pieces in sequence, each from its start; a branch begins at an earlier point.
  std::vector<std::int32_t> point_of(voxels.cells.size(), -1);
  const auto add = [&](std::uint32_t v) {
    point_of[v] = static_cast<std::int32_t>(traced.points.size());
    traced.points.push_back({.position = glm::dvec3(voxels.cells[v]),
                             .depth = field.depth[v],
                             .parent = parent[v] == kNoVoxel ? -1 : point_of[parent[v]]});
  };
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    TracedPiece result{.first = static_cast<std::uint32_t>(traced.points.size()), .voxels = pieces[p].voxels};
    const auto grows_from = [&](const std::vector<std::uint32_t>& branch) { return point_of[parent[branch.back()]]; };
    add(kept[p]);
    if (std::ranges::none_of(branches, [&](const auto& branch) {
          return grows_from(branch) >= static_cast<std::int32_t>(result.first);
        })) {
      traced.points.back().position = glm::dvec3(voxels.cells[pieces[p].deepest]);
      traced.points.back().depth = field.depth[pieces[p].deepest];
    }
    for (const std::vector<std::uint32_t>& branch : branches) {
      if (grows_from(branch) < static_cast<std::int32_t>(result.first)) continue;
      for (std::size_t i = branch.size(); i-- > 0;) add(branch[i]);
    }
    result.count = static_cast<std::uint32_t>(traced.points.size()) - result.first;
    smooth(std::span(traced.points).subspan(result.first, result.count), static_cast<std::int32_t>(result.first), field,
           voxels);
    traced.pieces.push_back(result);
  }
  return traced;
}

}  // namespace pelt::skeletonize
