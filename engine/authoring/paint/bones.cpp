// SPDX-License-Identifier: MIT
#include "engine/authoring/paint/bones.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "engine/authoring/geometry/bone_forest.h"
#include "engine/authoring/geometry/segment.h"

namespace pelt::paint {
namespace {

using skeletonize::kOutside;

constexpr double kOnBone = 0.03;   // of a bone's length: joints nearer to it lie on it
constexpr double kAlong = 0.95;    // cosine, from which a bone points along an axis of its joint
constexpr int kReach = 2;          // cells between a joint and the skin that holds it

std::string_view without_namespace(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

bool begins_with(std::string_view name, std::string_view lower) {
  return name.size() > lower.size() && std::ranges::equal(name.substr(0, lower.size()), lower, [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         });
}

class Finder {
 public:
  Finder(const Model& model, const std::vector<bool>& may_move, const Solid& solid)
      : model_(model), solid_(solid), forest_(bone_forest(model)), deforms_(may_move), lines_(forest_.size()) {
    same_ = 1e-3 * solid.voxels.size * glm::length(glm::dvec3(solid.voxels.extent));
    for (std::uint32_t b = 0; b < forest_.size(); ++b) {
      if (!forest_[b].is_somewhere || forest_[b].first != b) deforms_[b] = false;
    }
    leave_controls();
  }

  std::vector<PaintBone> run() {
    add_lines();
    add_last_lines();
    std::vector<PaintBone> bones;
    for (std::uint32_t b = 0; b < forest_.size(); ++b) {
      PaintBone bone{b, {}, {}};
      for (const Line& line : lines_[b]) add_inside(line, bone);
      if (!bone.cells.empty()) bones.push_back(std::move(bone));
    }
    return bones;
  }

 private:
  std::string_view name(std::uint32_t b) const {
    return without_namespace(model_.skeleton.joints[model_.bound_joints[b].joint].name);
  }

  bool is_above(std::uint32_t upper, std::uint32_t lower) const {
    for (int b = forest_[lower].parent; b >= 0; b = forest_[static_cast<std::size_t>(b)].parent) {
      if (static_cast<std::uint32_t>(b) == upper) return true;
    }
    return false;
  }

  bool is_at(std::uint32_t a, std::uint32_t b) const {
    return glm::distance(forest_[a].origin, forest_[b].origin) <= same_;
  }

  void leave_controls() {
    constexpr std::array kDeforming{"def-", "def_", "def."};
    constexpr std::array kMachinery{"org-", "mch-"};
    const auto begins = [&](std::uint32_t b, const auto& words) {
      return std::ranges::any_of(words, [&](const char* word) { return begins_with(name(b), word); });
    };
    std::vector<bool> marked(forest_.size(), false);  // deforming joints and those below them; parents may come later
    bool any = false;
    for (std::uint32_t b = 0; b < forest_.size(); ++b) {
      for (int a = static_cast<int>(b); a >= 0 && !marked[b]; a = forest_[static_cast<std::size_t>(a)].parent) {
        marked[b] = begins(static_cast<std::uint32_t>(a), kDeforming);
      }
      marked[b] = marked[b] && !begins(b, kMachinery);
      any = any || (marked[b] && deforms_[b]);
    }
    for (std::uint32_t b = 0; any && b < forest_.size(); ++b) deforms_[b] = deforms_[b] && marked[b];
  }

  // Returns the joint that moves what is along the bones from joint b: itself, or a deforming joint in its place.
  std::optional<std::uint32_t> mover(std::uint32_t b) const {
    if (deforms_[b]) return b;
    std::optional<std::uint32_t> found;
    for (std::uint32_t other = 0; other < forest_.size(); ++other) {
      if (!deforms_[other] || !is_at(b, other)) continue;
      if (is_above(b, other)) return other;
      if (!found) found = other;
    }
    return found;
  }

  void add_lines() {
    for (std::uint32_t b = 0; b < forest_.size(); ++b) {
      if (!forest_[b].is_somewhere) continue;
      const std::optional<std::uint32_t> owner = mover(b);
      if (!owner) continue;
      for (const std::uint32_t child : forest_[b].children) {
        if (!is_at(b, child)) divide(*owner, b, child);
      }
    }
  }

  // Adds the bone from b to one of its children, with its rests for the joints on it.
  void divide(std::uint32_t owner, std::uint32_t b, std::uint32_t child) {
    const glm::dvec3 from = forest_[b].origin;
    const glm::dvec3 to = forest_[child].origin;
    std::vector<std::pair<double, std::uint32_t>> stops;
    for (std::uint32_t other = 0; other < forest_.size(); ++other) {
      if (!deforms_[other] || other == child || !is_above(b, other) || is_above(child, other)) continue;
      const double share = share_along(forest_[other].origin, from, to);
      const glm::dvec3 beside = forest_[other].origin - (from + share * (to - from));
      if (share < kOnBone || share > 1 - kOnBone || glm::length(beside) > kOnBone * glm::distance(from, to)) continue;
      stops.emplace_back(share, other);
    }
    std::ranges::sort(stops);
    double start = 0;
    for (std::size_t s = 0; s <= stops.size(); ++s) {
      const double end = s < stops.size() ? stops[s].first : 1;
      const std::uint32_t part_owner = s == 0 ? owner : stops[s - 1].second;
      lines_[part_owner].push_back({from + start * (to - from), from + end * (to - from)});
      start = end;
    }
  }

  glm::dmat3 axes(std::uint32_t b) const {
    glm::dmat3 axes(glm::inverse(glm::dmat4(model_.bound_joints[b].inverse_bind)));
    for (int c = 0; c < 3; ++c) axes[c] = glm::normalize(axes[c]);
    return axes;
  }

  // Returns the axis of a joint along which its bone points, 0 to 5 (x, y, z, -x, -y, -z); none if along none.
  std::optional<std::size_t> axis_of(std::uint32_t b) const {
    for (const std::uint32_t child : forest_[b].children) {
      if (is_at(b, child)) continue;
      const glm::dvec3 way = glm::normalize(forest_[child].origin - forest_[b].origin) * axes(b);
      for (int c = 0; c < 3; ++c) {
        if (std::abs(way[c]) > kAlong) return static_cast<std::size_t>(way[c] > 0 ? c : c + 3);
      }
    }
    return std::nullopt;
  }

  // Gives each deforming joint without a line one in the direction of its bone, which is where those of most joints
  // point, relative to their own axes; else in that of its parent's.
  void add_last_lines() {
    std::vector<std::optional<std::size_t>> axis(forest_.size());
    std::array<std::size_t, 6> votes{};
    std::size_t voters = 0;
    for (std::uint32_t b = 0; b < forest_.size(); ++b) {
      if (!forest_[b].is_somewhere || forest_[b].children.empty()) continue;
      axis[b] = axis_of(b);
      ++voters;
      if (axis[b]) ++votes[*axis[b]];
    }
    std::size_t best = 0;
    const auto count = [&](std::size_t a) { return votes[a] + votes[(a + 3) % 6]; };
    for (std::size_t a = 1; a < 6; ++a) {
      if (count(a) > count(best) || (count(a) == count(best) && votes[a] > votes[best])) best = a;
    }
    const bool agree = 2 * count(best) > voters;
    for (std::uint32_t b = 0; b < forest_.size(); ++b) {
      if (!deforms_[b] || !lines_[b].empty()) continue;
      glm::dvec3 way(0);
      if (agree) {
        std::size_t own = best;
        for (int above = forest_[b].parent; above >= 0; above = forest_[static_cast<std::size_t>(above)].parent) {
          const std::optional<std::size_t>& of_above = axis[static_cast<std::size_t>(above)];
          if (!of_above || *of_above % 3 != best % 3) continue;
          own = *of_above;
          break;
        }
        way = (own < 3 ? 1.0 : -1.0) * axes(b)[static_cast<glm::length_t>(own % 3)];
      } else {
        for (int above = forest_[b].parent; above >= 0 && way == glm::dvec3(0);
             above = forest_[static_cast<std::size_t>(above)].parent) {
          const glm::dvec3 from = forest_[static_cast<std::size_t>(above)].origin;
          if (glm::distance(from, forest_[b].origin) > same_) way = glm::normalize(forest_[b].origin - from);
        }
      }
      lines_[b].push_back({forest_[b].origin, forest_[b].origin + leave(forest_[b].origin, way)});
    }
  }

  // Returns the way from a point in a direction until it leaves the skin.
  glm::dvec3 leave(const glm::dvec3& from, const glm::dvec3& way) const {
    const double step = solid_.voxels.size;
    double length = 0;
    if (way == glm::dvec3(0)) return way;
    while (solid_.voxels.at(glm::ivec3(glm::round(solid_.voxels.to_voxels(from + (length + step) * way)))) != kOutside) {
      length += step;
    }
    return length * way;
  }

  // Returns the inside cell nearest to a place, within kReach; kOutside if there is none.
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
      if (cell == kOutside) break;
      last = i;
      if (bone.cells.empty() || bone.cells.back() != cell) bone.cells.push_back(cell);
    }
    if (last >= 0) bone.lines.push_back({line.from, glm::mix(line.from, line.to, double(last) / steps)});
  }

  const Model& model_;
  const Solid& solid_;
  const std::vector<Bone> forest_;
  std::vector<bool> deforms_;
  std::vector<std::vector<Line>> lines_;
  double same_ = 0;
};

}  // namespace

std::vector<PaintBone> find_bones(const Model& model, const std::vector<bool>& may_move, const Solid& solid) {
  return Finder(model, may_move, solid).run();
}

}  // namespace pelt::paint
