// SPDX-License-Identifier: MIT
#include "engine/authoring/paint/bones.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <string_view>

#include "engine/authoring/geometry/bone_forest.h"
#include "engine/authoring/geometry/segment.h"

namespace pelt::paint {
namespace {

using skeletonize::kOutside;

constexpr double kOnBone = 0.03;     // of a bone's length: joints nearer to it lie on it
constexpr double kAlong = 0.95;      // cosine, from which a bone points along an axis of its joint
constexpr double kAside = 0.7;       // cosine, from which two bones of a joint point the same way
constexpr double kEnd = 0.4;         // of the bone before it: an only last joint with less skin beyond it moves nothing
constexpr double kNamed = 1.0;       // the same, if its name is that of an end
constexpr double kLeastShare = 0.2;  // of a bone: that of each of several last joints
constexpr int kReach = 2;            // cells between a joint and the skin that holds it

std::string_view without_namespace(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

bool is_like(std::string_view word, std::string_view lower) {
  return std::ranges::equal(word, lower,
                            [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

bool begins_with(std::string_view name, std::string_view lower) {
  return name.size() > lower.size() && is_like(name.substr(0, lower.size()), lower);
}

// Whether a name marks the end of a chain of joints, maybe with a number after it: toe_end, HeadNub_029.
bool is_end_name(std::string_view name) {
  constexpr std::array kEnds{"end", "tip", "nub"};
  while (!name.empty() && !std::isalpha(static_cast<unsigned char>(name.back()))) name.remove_suffix(1);
  return std::ranges::any_of(kEnds, [&](std::string_view end) {
    return name.size() > end.size() && is_like(name.substr(name.size() - end.size()), end);
  });
}

// Returns the joints that may move a skin: if names mark deforming joints (Rigify's DEF-), those and the joints below
// them that are not its machinery.
std::vector<std::uint32_t> deforming(const Model& model, const std::vector<bool>& may_move) {
  constexpr std::array kDeforming{"def-", "def_", "def."};
  constexpr std::array kMachinery{"org-", "mch-"};
  const std::vector<Joint>& joints = model.skeleton.joints;
  std::vector<bool> marked(joints.size(), false);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto begins = [&](const char* word) { return begins_with(without_namespace(joints[j].name), word); };
    const auto parent = model.skeleton.parent_of(j);
    marked[j] = std::ranges::any_of(kDeforming, begins) ||
                (parent && marked[*parent] && std::ranges::none_of(kMachinery, begins));
  }
  std::vector<std::uint32_t> all;
  std::vector<std::uint32_t> best;
  for (std::uint32_t b = 0; b < model.bound_joints.size(); ++b) {
    if (!may_move[b]) continue;
    all.push_back(b);
    if (marked[model.bound_joints[b].joint]) best.push_back(b);
  }
  return best.empty() ? all : best;
}

class Finder {
 public:
  Finder(const Model& model, std::span<const std::uint32_t> joints, const Solid& solid) : solid_(solid) {
    Model used;
    used.skeleton = model.skeleton;
    for (const std::uint32_t b : joints) used.bound_joints.push_back(model.bound_joints[b]);
    forest_ = bone_forest(used);
    for (const BoundJoint& bound : used.bound_joints) {
      is_end_.push_back(is_end_name(model.skeleton.joints[bound.joint].name));
      glm::dmat3 axes(glm::inverse(glm::dmat4(bound.inverse_bind)));
      for (int c = 0; c < 3; ++c) axes[c] = glm::normalize(axes[c]);
      axes_.push_back(axes);
    }
    lines_.resize(forest_.size());
    ways_.resize(forest_.size(), glm::dvec3(0));
    leads_on_.resize(forest_.size(), false);
    same_ = 1e-3 * solid.voxels.size * glm::length(glm::dvec3(solid.voxels.extent));
  }

  std::vector<PaintBone> run(std::span<const std::uint32_t> joints) {
    link_loose();
    find_ways_on();
    add_lines();
    find_ends();
    add_last_lines();
    std::vector<PaintBone> bones;
    std::vector<std::optional<std::uint32_t>> number(forest_.size());
    for (std::uint32_t b = 0; b < forest_.size(); ++b) {
      PaintBone bone;
      bone.joint = joints[b];
      for (const Line& line : lines_[b]) add_inside(line, bone);
      if (bone.seeds.empty()) continue;
      bone.is_last = is_last(b);
      number[b] = static_cast<std::uint32_t>(bones.size());
      bones.push_back(std::move(bone));
    }
    for (PaintBone& bone : bones) {
      for (Line& line : bone.lines) {
        if (line.below) line.below = number[*line.below];
      }
    }
    return bones;
  }

 private:
  bool is_somewhere(std::uint32_t b) const { return forest_[b].is_somewhere && forest_[b].first == b; }

  bool is_above(std::uint32_t upper, std::uint32_t lower) const {
    for (int b = forest_[lower].parent; b >= 0; b = forest_[static_cast<std::size_t>(b)].parent) {
      if (static_cast<std::uint32_t>(b) == upper) return true;
    }
    return false;
  }

  bool is_last(std::uint32_t b) const {
    return std::ranges::all_of(forest_[b].children,
                               [&](std::uint32_t child) { return is_at(b, child) && is_last(child); });
  }

  bool is_only_child(std::uint32_t b) const {
    return forest_[b].parent >= 0 && forest_[static_cast<std::size_t>(forest_[b].parent)].children.size() == 1;
  }

  bool has_several_last(std::uint32_t b) const {
    return std::ranges::count_if(forest_[b].children, [&](std::uint32_t child) { return is_last(child); }) > 1;
  }

  // Whether a last joint coincides with a joint of another branch that has bones, like the controls of limbs.
  bool is_control(std::uint32_t b) const {
    for (std::uint32_t other = 0; other < forest_.size(); ++other) {
      const bool has_bones = other != b && is_somewhere(other) && !(is_last(other) && lines_[other].empty());
      if (has_bones && is_at(b, other) && forest_[other].parent != forest_[b].parent && !is_above(other, b))
        return true;
    }
    return false;
  }

  // Whether the axes of two joints differ.
  bool is_turned(std::uint32_t a, std::uint32_t b) const {
    for (int c = 0; c < 3; ++c) {
      if (glm::dot(axes_[a][c], axes_[b][c]) < 0.9999) return true;
    }
    return false;
  }

  bool is_at(std::uint32_t a, std::uint32_t b) const {
    return glm::distance(forest_[a].origin, forest_[b].origin) <= same_;
  }

  void add_lines() {
    for (std::uint32_t b = 0; b < forest_.size(); ++b) {
      if (!is_somewhere(b)) continue;
      for (const std::uint32_t child : forest_[b].children) {
        // One of several children that is outside, such as an end that was left at the origin, tells no bone.
        const bool is_lost = is_last(child) && forest_[b].children.size() > 1 &&
                             cell_near(solid_.voxels.to_voxels(forest_[child].origin)) == kOutside;
        if (is_somewhere(child) && !is_at(b, child) && !is_lost) divide(b, child);
      }
    }
  }

  // Adds the bone from b to one of its children, with its rests for the joints on it.
  void divide(std::uint32_t b, std::uint32_t child) {
    const glm::dvec3 from = forest_[b].origin;
    const glm::dvec3 to = glm::mix(forest_[child].origin, from, reach(b, child));
    std::vector<std::pair<double, std::uint32_t>> stops;
    for (std::uint32_t other = 0; other < forest_.size(); ++other) {
      if (!is_somewhere(other) || other == child || !is_above(b, other) || is_above(child, other)) continue;
      const double share = share_along(forest_[other].origin, from, to);
      const glm::dvec3 off = forest_[other].origin - (from + share * (to - from));
      if (share < kOnBone || share > 1 - kOnBone || glm::length(off) > kOnBone * glm::distance(from, to)) continue;
      stops.emplace_back(share, other);
    }
    std::ranges::sort(stops);
    double start = 0;
    for (std::size_t s = 0; s <= stops.size(); ++s) {
      const double end = s < stops.size() ? stops[s].first : 1;
      const std::uint32_t below = s < stops.size() ? stops[s].second : child;
      lines_[s == 0 ? b : stops[s - 1].second].push_back(
          {glm::mix(from, to, start), glm::mix(from, to, end), below, s > 0 || forest_[b].parent >= 0,
           s < stops.size() || !(is_last(child) && has_several_last(b))});
      start = end;
    }
  }

  // Returns the share of the bone from b to a child that belongs to the child: for one of several last joints that has
  // no direction, such as those of lids and lips, half as far as to the nearest of the others.
  double reach(std::uint32_t b, std::uint32_t child) const {
    if (forest_[b].children.size() < 2 || !forest_[child].children.empty() || ways_[child] != glm::dvec3(0)) return 0;
    const double length = glm::distance(forest_[b].origin, forest_[child].origin);
    double least = length;
    for (const std::uint32_t other : forest_[b].children) {
      if (other != child) least = std::min(least, glm::distance(forest_[other].origin, forest_[child].origin));
    }
    return std::clamp(least / (2 * length), kLeastShare, 0.5);
  }

  // Returns the axis of a joint along which its bone points, 0 to 5 (x, y, z, -x, -y, -z); none if along none.
  std::optional<std::size_t> axis_of(std::uint32_t b) const {
    for (const std::uint32_t child : forest_[b].children) {
      if (is_at(b, child)) continue;
      const glm::dvec3 way = glm::normalize(forest_[child].origin - forest_[b].origin) * axes_[b];
      for (int c = 0; c < 3; ++c) {
        if (std::abs(way[c]) > kAlong) return static_cast<std::size_t>(way[c] > 0 ? c : c + 3);
      }
    }
    return std::nullopt;
  }

  // Returns the distance of a point from the nearest cell outside, in voxels.
  double depth(const glm::dvec3& point) const {
    const glm::ivec3 middle(glm::round(solid_.voxels.to_voxels(point)));
    for (int length = 0;; ++length) {
      for (int n = 0; n < skeletonize::kNeighbours; ++n) {
        if (solid_.voxels.at(middle + length * skeletonize::neighbour(n)) == kOutside) return length;
      }
    }
  }

  // If most joints have none above and below them, links each to the nearest one along one of its axes, the same for
  // all, towards the thinner ends.
  void link_loose() {
    const auto is_loose = [&](std::uint32_t b) {
      return is_somewhere(b) && forest_[b].parent < 0 && forest_[b].children.empty();
    };
    std::vector<std::uint32_t> loose;
    for (std::uint32_t b = 0; b < forest_.size(); ++b) {
      if (is_loose(b)) loose.push_back(b);
    }
    if (2 * loose.size() <= forest_.size()) return;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> best;  // joints and those below them
    double thinner = 0;
    for (int axis = 0; axis < 6; ++axis) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
      for (const std::uint32_t b : loose) {
        const glm::dvec3 way = (axis < 3 ? 1.0 : -1.0) * axes_[b][axis % 3];
        double least = std::numeric_limits<double>::infinity();
        std::optional<std::uint32_t> next;
        for (const std::uint32_t other : loose) {
          const double length = glm::distance(forest_[b].origin, forest_[other].origin);
          if (is_at(b, other) || length >= least) continue;
          if (glm::dot(forest_[other].origin - forest_[b].origin, way) < kAlong * length) continue;
          least = length;
          next = other;
        }
        if (next) links.emplace_back(b, *next);
      }
      if (2 * links.size() <= loose.size()) continue;
      double sum = 0;
      for (const auto& [upper, lower] : links) sum += depth(forest_[upper].origin) - depth(forest_[lower].origin);
      if (sum <= thinner) continue;
      thinner = sum;
      best = std::move(links);
    }
    for (const auto& [upper, lower] : best) {
      Bone& bone = forest_[lower];
      const auto far = [&](std::uint32_t b) { return glm::distance(forest_[b].origin, bone.origin); };
      if (is_above(lower, upper) || (bone.parent >= 0 && far(static_cast<std::uint32_t>(bone.parent)) <= far(upper))) {
        continue;
      }
      if (bone.parent >= 0) std::erase(forest_[static_cast<std::size_t>(bone.parent)].children, lower);
      bone.parent = static_cast<int>(upper);
      forest_[upper].children.push_back(lower);
    }
  }

  // Finds the way on from each last joint: in the direction in which the bones of most joints point, relative to their
  // own axes; if those differ, or the joint's axes are its parent's, in the direction of its parent's bone, unless that
  // has several.
  void find_ways_on() {
    std::vector<std::optional<std::size_t>> axis(forest_.size());
    std::array<std::size_t, 6> votes{};
    std::size_t voters = 0;
    for (std::uint32_t b = 0; b < forest_.size(); ++b) {
      if (!is_somewhere(b) || forest_[b].children.empty()) continue;
      axis[b] = axis_of(b);
      ++voters;
      if (axis[b]) ++votes[*axis[b]];
    }
    std::size_t best = 0;
    const auto count = [&](std::size_t a) { return votes[a] + votes[(a + 3) % 6]; };
    for (std::size_t a = 1; a < 6; ++a) {
      if (count(a) > count(best) || (count(a) == count(best) && votes[a] > votes[best])) best = a;
    }
    for (std::uint32_t b = 0; b < forest_.size(); ++b) {
      if (!is_somewhere(b) || (!is_last(b) && !has_several_last(b))) continue;
      const int parent = forest_[b].parent;
      const bool turned = parent < 0 || is_turned(b, static_cast<std::uint32_t>(parent));
      if (turned && 2 * count(best) > voters) {
        ways_[b] = leave(b, own_way(b, best, axis));
      } else if (is_only_child(b)) {
        ways_[b] = leave(b, way_of_parent(b));
      }
    }
  }

  // Finds how much skin is beyond each last joint, nearer to it than to the bones: its farthest way. An only child
  // whose way on is much shorter, such as a foot's through the sole, turns towards it; then a joint with other joints
  // below it gets such a way if so much skin is left by the last ones, too.
  void find_ends() {
    std::vector<bool> turns(forest_.size(), false);
    for (const bool of_last : {true, false}) {
      std::vector<double> reach(forest_.size(), 0);
      const std::vector<glm::dvec4> middles = find_reaches(of_last, reach);
      if (of_last) reach_ = reach;
      for (std::uint32_t b = 0; b < forest_.size(); ++b) {
        const bool last = is_last(b);
        if (middles[b].w == 0 || (last && (!of_last || leads_on_[b])) || (!last && !of_last && !turns[b])) continue;
        double longest = glm::length(ways_[b]);
        for (const Line& line : lines_[b]) longest = std::max(longest, glm::distance(line.from, line.to));
        if (last && !is_only_child(b)) {  // as a head between arms may, but no lid
          if (ways_[b] != glm::dvec3(0) || forest_[b].parent < 0) continue;
          longest = glm::distance(forest_[static_cast<std::size_t>(forest_[b].parent)].origin, forest_[b].origin);
        }
        if (reach[b] < 2 * longest || (!last && has_several_last(b))) continue;
        const glm::dvec3 middle = glm::dvec3(middles[b]) / middles[b].w;
        const glm::dvec3 way = (middle - solid_.voxels.to_voxels(forest_[b].origin)) * solid_.voxels.size;
        if (glm::length(way) < (last ? solid_.voxels.size : reach[b] / 2)) continue;
        const glm::dvec3 on = leave(b, glm::normalize(way));
        const bool is_new = std::ranges::all_of(lines_[b], [&](const Line& line) {
          return glm::dot(on, line.to - line.from) < kAside * glm::length(on) * glm::distance(line.from, line.to);
        });
        turns[b] = last || (is_new && glm::length(on) > longest);
        if (turns[b] && last == of_last) ways_[b] = on;
      }
    }
  }

  // Finds the reach of each joint; unless `of_last`, ways on of the last ones count. Returns the sums of the farther
  // half of the cells of each joint, and their number.
  std::vector<glm::dvec4> find_reaches(bool of_last, std::vector<double>& reach) const {
    std::vector<std::vector<Seed>> seeds(forest_.size());
    for (std::uint32_t b = 0; b < forest_.size(); ++b) {
      if (!is_somewhere(b)) continue;
      PaintBone bone;
      for (Line line : lines_[b]) {
        const double length = glm::distance(line.from, line.to);
        if (line.ends) line.to = glm::mix(line.to, line.from, std::min(0.5, 2 * solid_.voxels.size / length));
        add_inside(line, bone);
      }
      const glm::dvec3 on = of_last || is_control(b) ? glm::dvec3(0) : ways_[b];
      if (is_last(b)) add_inside({forest_[b].origin, forest_[b].origin + on, {}}, bone);
      seeds[b] = std::move(bone.seeds);
    }
    const std::vector<Ways<1>> nearest = find_ways<1>(solid_, seeds);
    for (const Ways<1>& way : nearest) {
      if (way[0].bone < forest_.size()) reach[way[0].bone] = std::max(reach[way[0].bone], double(way[0].length));
    }
    std::vector<glm::dvec4> middles(forest_.size(), glm::dvec4(0));
    for (std::size_t cell = 0; cell < nearest.size(); ++cell) {
      const Way& way = nearest[cell][0];
      if (way.bone >= forest_.size() || 2 * way.length < reach[way.bone]) continue;
      middles[way.bone] += glm::dvec4(glm::dvec3(solid_.voxels.cells[cell]), 1);
    }
    for (double& length : reach) length *= solid_.voxels.size;
    return middles;
  }

  void add_last_lines() {
    for (std::uint32_t b = 0; b < forest_.size(); ++b) {
      if (!is_somewhere(b) || (is_last(b) ? is_control(b) : ways_[b] == glm::dvec3(0))) continue;
      const int parent = forest_[b].parent;
      if (is_last(b) && lines_[b].empty() && is_only_child(b) &&
          reach_[b] < (is_end_[b] ? kNamed : kEnd) *
                          glm::distance(forest_[static_cast<std::size_t>(parent)].origin, forest_[b].origin)) {
        continue;
      }
      lines_[b].push_back({forest_[b].origin, forest_[b].origin + ways_[b], std::nullopt, forest_[b].parent >= 0});
    }
  }

  // Returns the direction of an axis of a joint, with the sign of that of the nearest joint above.
  glm::dvec3 own_way(std::uint32_t b, std::size_t axis, std::span<const std::optional<std::size_t>> axes) const {
    for (int above = forest_[b].parent; above >= 0; above = forest_[static_cast<std::size_t>(above)].parent) {
      const std::optional<std::size_t>& of_above = axes[static_cast<std::size_t>(above)];
      if (!of_above || *of_above % 3 != axis % 3) continue;
      axis = *of_above;
      break;
    }
    return (axis < 3 ? 1.0 : -1.0) * axes_[b][static_cast<glm::length_t>(axis % 3)];
  }

  glm::dvec3 way_of_parent(std::uint32_t b) const {
    for (int above = forest_[b].parent; above >= 0; above = forest_[static_cast<std::size_t>(above)].parent) {
      const glm::dvec3 way = forest_[b].origin - forest_[static_cast<std::size_t>(above)].origin;
      if (glm::length(way) > same_) return glm::normalize(way);
    }
    return glm::dvec3(0);
  }

  // Returns the way from a joint in a direction until it leaves the skin or comes near another joint.
  glm::dvec3 leave(std::uint32_t b, const glm::dvec3& way) {
    const double step = solid_.voxels.size;
    const glm::dvec3 from = forest_[b].origin;
    if (way == glm::dvec3(0)) return way;
    double most = std::numeric_limits<double>::infinity();
    for (std::uint32_t other = 0; other < forest_.size(); ++other) {
      if (!is_somewhere(other) || is_at(b, other)) continue;
      const glm::dvec3 to = forest_[other].origin - from;
      if (glm::dot(to, way) > kAlong * glm::length(to)) most = std::min(most, glm::dot(to, way));
    }
    double length = 0;
    while (length < most && solid_.voxels.at(glm::ivec3(
                                glm::round(solid_.voxels.to_voxels(from + (length + step) * way)))) != kOutside) {
      length += step;
    }
    leads_on_[b] = length >= most;
    return std::min(length, most) * way;
  }

  // Returns the inside cell nearest to a point, within kReach; else kOutside.
  std::uint32_t cell_near(const glm::dvec3& place) const {
    const glm::ivec3 middle(glm::round(place));
    if (const std::uint32_t cell = solid_.voxels.at(middle); cell != kOutside) return cell;
    std::uint32_t best = kOutside;
    double least = std::numeric_limits<double>::infinity();
    for (int z = -kReach; z <= kReach; ++z) {
      for (int y = -kReach; y <= kReach; ++y) {
        for (int x = -kReach; x <= kReach; ++x) {
          const std::uint32_t cell = solid_.voxels.at(middle + glm::ivec3(x, y, z));
          const double distance = glm::distance(place, glm::dvec3(middle + glm::ivec3(x, y, z)));
          if (cell == kOutside || distance >= least) continue;
          best = cell;
          least = distance;
        }
      }
    }
    return best;
  }

  // Adds the part of a line, from its start, that stays in the skin, or nothing.
  void add_inside(const Line& line, PaintBone& bone) const {
    const double length = glm::distance(line.from, line.to);
    const int steps = static_cast<int>(std::ceil(2 * length / solid_.voxels.size)) + 1;
    int last = -1;
    for (int i = 0; i <= steps; ++i) {
      const glm::dvec3 point = glm::mix(line.from, line.to, double(i) / steps);
      const std::uint32_t cell = cell_near(solid_.voxels.to_voxels(point));
      const std::size_t before = bone.seeds.size();
      if (cell == kOutside) add_seen(solid_, solid_.voxels.to_voxels(point), bone.seeds);
      if (cell == kOutside && bone.seeds.size() == before) break;
      last = i;
      if (cell != kOutside && (bone.seeds.empty() || bone.seeds.back().cell != cell)) bone.seeds.push_back({cell, 0});
    }
    if (last >= 0)
      bone.lines.push_back(
          {line.from, glm::mix(line.from, line.to, double(last) / steps), line.below, line.begins, line.ends});
  }

  const Solid& solid_;
  std::vector<Bone> forest_;
  std::vector<glm::dmat3> axes_;
  std::vector<std::vector<Line>> lines_;
  std::vector<glm::dvec3> ways_;  // of last joints, on from them
  std::vector<bool> leads_on_;    // their ways on lead to other joints
  std::vector<double> reach_;     // see find_ends
  std::vector<bool> is_end_;      // by name
  double same_ = 0;
};

}  // namespace

std::vector<PaintBone> find_bones(const Model& model, const std::vector<bool>& may_move, const Solid& solid) {
  const std::vector<std::uint32_t> joints = deforming(model, may_move);
  return Finder(model, joints, solid).run(joints);
}

}  // namespace pelt::paint
