// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <glm/gtc/matrix_inverse.hpp>
#include <limits>
#include <optional>
#include <utility>

#include <pelt/paint.h>
#include <pelt/tools/area.h>
#include <pelt/tools/closest_weights.h>
#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/base/parallel_each.h"
#include "engine/authoring/geometry/bone_forest.h"
#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/geometry/heat.h"
#include "engine/authoring/geometry/segment.h"
#include "engine/authoring/paint/bones.h"
#include "engine/authoring/paint/solid.h"
#include "engine/authoring/paint/walk.h"

namespace pelt {
namespace {

using namespace paint;

constexpr int kResolution = 256;       // cells along the longest side
constexpr int kToFit = 64;             // the same, to find out whether a skeleton fits
constexpr std::size_t kMaxJoints = 8;  // that move a vertex
constexpr double kFarthest = 3;        // bones farther than so many times the nearest one's distance move nothing
constexpr float kFlow = 0.2f;          // heat that smooths weights, of the squared distance of the bone
constexpr float kLeastWeight = 1e-4f;
constexpr double kOver = 0.5;       // of the distance beyond the end of a bone, in addition
constexpr double kBegin = 0.25;     // of a bone that may lie in a thicker limb
constexpr double kThick = 0.8;      // of the vertices of a limb are nearer to its bone than it is thick
constexpr std::size_t kFew = 8;     // vertices tell nothing
constexpr double kBeyond = 4;       // skin farther from a bone than its limb is thick counts as so much farther
constexpr double kSmall = 0.07;     // of the skin's diagonal: smaller loose parts may follow in one piece
constexpr double kBall = 1.0 / 3;   // those that are balls around a joint, eyes
constexpr double kMiddle = 0.25;    // of the way from their middle to their border
constexpr double kTooth = 3;        // times smaller parts go with one that they are in
constexpr double kBends = 0.1;      // of a larger part: if other joints move so much, it bends at joints in it
constexpr double kWhole = 2.0 / 3;  // small parts of which one joint moves so much follow only it

// The meshes as one, without seams.
struct Skin {
  std::vector<glm::vec3> positions;
  std::vector<glm::uvec3> triangles;  // with welded vertices
  std::vector<std::uint32_t> welded;
  std::vector<glm::vec3> normals;  // of welded vertices; at edges so long that they lead by 1 out of each face
};

// Lengthens the normals of edges and corners.
void lead_out(Skin& skin) {
  constexpr int kPasses = 4;
  constexpr float kAside = 0.2f;  // cosine: faces that face another way, such as those of thin rims, do not count
  const std::vector<glm::vec3> normals = skin.normals;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (const glm::uvec3& t : skin.triangles) {
      const glm::vec3& origin = skin.positions[t.x];
      const glm::vec3 cross = glm::cross(skin.positions[t.y] - origin, skin.positions[t.z] - origin);
      const float area = glm::length(cross);
      if (!(area > 0)) continue;
      for (int c = 0; c < 3; ++c) {
        if (glm::dot(cross, normals[t[c]]) < kAside * area) continue;
        glm::vec3& out = skin.normals[t[c]];
        out += std::max(0.0f, 1 - glm::dot(cross / area, out)) * (cross / area);
      }
    }
  }
  for (glm::vec3& normal : skin.normals) normal = glm::clamp(normal, -1.0f, 1.0f);
}

Skin join(const Model& model, std::span<const std::uint32_t> meshes) {
  Skin skin;
  std::vector<glm::uvec3> triangles;
  for (const std::uint32_t m : meshes) {
    const Mesh& mesh = model.meshes[m];
    const auto first = static_cast<std::uint32_t>(skin.positions.size());
    for (const glm::uvec3 t : mesh.triangles) triangles.push_back(t + first);
    skin.positions.insert(skin.positions.end(), mesh.positions.begin(), mesh.positions.end());
  }
  skin.welded = weld_by_position(skin.positions);
  skin.triangles = welded_triangles(skin.welded, triangles);
  std::erase_if(skin.triangles, [](glm::uvec3 t) { return t.x == t.y || t.y == t.z || t.z == t.x; });
  skin.normals = vertex_normals(skin.positions, skin.triangles);
  lead_out(skin);
  return skin;
}

// Returns the distance of a point from a bone. A point beyond an end of a line counts as farther if another bone goes
// on there: else it would be as near to the bone that ends at a joint as to the one that begins there.
double distance_to(const glm::dvec3& point, const PaintBone& bone) {
  double least = std::numeric_limits<double>::infinity();
  for (const Line& line : bone.lines) {
    double distance = distance_to_segment(point, line.from, line.to);
    const double length = glm::distance(line.from, line.to);
    const double along = length > 0 ? glm::dot(point - line.from, line.to - line.from) / length : 0;
    if (line.begins) distance += kOver * std::max(0.0, -along);
    if (line.ends) distance += kOver * std::max(0.0, along - length);
    least = std::min(least, distance);
  }
  return least;
}

// Rows over the bones, for each vertex; of unreached ones empty.
using Rows = std::vector<std::vector<WeightedElement>>;

// Returns how thick the limb around each bone is, by the vertices along the bone for which no other is nearer, but not
// those at its beginning, since it may lie in a thicker limb; infinite if there are few.
std::vector<double> limb_radii(const Skin& skin, std::span<const PaintBone> bones, const Rows& distances) {
  std::vector<std::vector<double>> beside(bones.size());
  for (std::size_t v = 0; v < distances.size(); ++v) {
    if (distances[v].empty()) continue;
    const WeightedElement nearest = *std::ranges::min_element(distances[v], {}, &WeightedElement::weight);
    const glm::dvec3 position(skin.positions[v]);
    for (const Line& line : bones[nearest.index].lines) {
      const double share = share_along(position, line.from, line.to);
      if (share > kBegin && share < 1) {
        beside[nearest.index].push_back(nearest.weight);
        break;
      }
    }
  }
  std::vector<double> radii;
  for (std::vector<double>& all : beside) {
    radii.push_back(std::numeric_limits<double>::infinity());
    if (all.size() < kFew) continue;
    const auto thick = all.begin() + static_cast<std::ptrdiff_t>(kThick * static_cast<double>(all.size()));
    std::ranges::nth_element(all, thick);
    radii.back() = *thick;
  }
  return radii;
}

// Returns how much farther from a bone skin counts that is farther from it, near a joint, than the limb that begins
// there is thick. This is the same for both bones at the joint, so only others gain: an arm and a shoulder that meet in
// the chest do not pull it.
double beyond_limb(const glm::dvec3& position, double distance, std::uint32_t bone, std::span<const PaintBone> bones,
                   std::span<const double> radii) {
  double least = std::numeric_limits<double>::infinity();
  double result = 0;
  for (const Line& line : bones[bone].lines) {
    const double share = share_along(position, line.from, line.to);
    double beyond = (1 - share) * (1 - share) * std::max(0.0, distance - radii[bone]);
    if (line.below) beyond += share * share * std::max(0.0, distance - radii[*line.below]);
    const double whole = glm::distance(position, glm::mix(line.from, line.to, share)) + kBeyond * beyond;
    if (whole >= least) continue;
    least = whole;
    result = kBeyond * beyond;
  }
  return result;
}

// `nearest`: receives the distance of each vertex from the nearest bone.
Rows weigh(const Skin& skin, const Solid& solid, std::span<const PaintBone> bones, unsigned threads,
           std::vector<float>& nearest) {
  std::vector<std::vector<Seed>> seeds;
  for (const PaintBone& bone : bones) seeds.push_back(bone.seeds);
  const std::vector<Ways<kNearest>> ways = find_ways<kNearest>(solid, seeds);
  Rows rows(skin.positions.size());  // distances, at first
  parallel_each(rows.size(), 256, threads, [&](std::size_t v) {
    if (skin.welded[v] != v) return;
    const glm::dvec3 position(skin.positions[v]);
    const std::uint32_t cell = cell_at(solid, position, glm::dvec3(skin.normals[v]));
    if (cell == skeletonize::kOutside) return;
    for (const Way& way : ways[cell]) {
      if (std::isinf(way.length)) continue;
      rows[v].push_back({way.bone, std::max({distance_to(position, bones[way.bone]), way.length * solid.voxels.size,
                                             1e-3 * solid.voxels.size})});
    }
  });
  const std::vector<double> radii = limb_radii(skin, bones, rows);
  for (std::size_t v = 0; v < rows.size(); ++v) {
    std::vector<WeightedElement>& row = rows[v];
    if (!row.empty()) nearest[v] = static_cast<float>(std::ranges::min(row, {}, &WeightedElement::weight).weight);
    double least = std::numeric_limits<double>::infinity();
    for (WeightedElement& element : row) {
      element.weight += beyond_limb(glm::dvec3(skin.positions[v]), element.weight, element.index, bones, radii);
      least = std::min(least, element.weight);
    }
    for (WeightedElement& element : row) {
      const double near = std::max(0.0, (least / element.weight - 1 / kFarthest) / (1 - 1 / kFarthest));
      element.weight = near * near * near;
    }
    cut_row(row, kMaxJoints - 1, Cut::kContinuous);
  }
  return rows;
}

// Lets weights flow along the skin as heat, the farther the thicker the limb is. `nearest`: distances of the nearest
// bones.
void smooth(const Skin& skin, std::span<const float> nearest, std::size_t bones, unsigned threads, Rows& rows) {
  const SurfaceHeat heat(skin.positions, skin.triangles, skin.welded);
  std::vector<float> diffusion;
  for (const float distance : nearest) diffusion.push_back(kFlow * distance * distance);
  std::vector<std::vector<std::pair<std::uint32_t, float>>> columns(bones);  // vertices and weights
  for (std::uint32_t v = 0; v < rows.size(); ++v) {
    for (const WeightedElement& element : rows[v]) {
      columns[element.index].emplace_back(v, static_cast<float>(element.weight));
    }
    rows[v].clear();
  }
  parallel_each(bones, 1, threads, [&](std::size_t b) {
    if (columns[b].empty()) return;
    std::vector<float> values(rows.size(), 0.0f);
    for (const auto& [v, weight] : columns[b]) values[v] = weight;
    // Little heat goes farther than two rings, since weights end smoothly if triangles are small.
    std::vector<float> local(rows.size(), 0.0f);
    for (const auto& [v, weight] : columns[b]) local[v] = diffusion[v];
    for (int ring = 0; ring < 2; ++ring) {
      const std::vector<float> before = local;
      for (const glm::uvec3& t : skin.triangles) {
        if (before[t.x] + before[t.y] + before[t.z] == 0) continue;
        for (int c = 0; c < 3; ++c) local[t[c]] = diffusion[t[c]];
      }
    }
    heat.flow(local, values);
    columns[b].clear();
    for (std::uint32_t v = 0; v < rows.size(); ++v) {
      if (skin.welded[v] == v && values[v] > kLeastWeight) columns[b].emplace_back(v, values[v]);
    }
  });
  for (std::uint32_t b = 0; b < bones; ++b) {
    for (const auto& [v, weight] : columns[b]) rows[v].push_back({b, weight});
  }
  for (std::vector<WeightedElement>& row : rows) cut_row(row, kMaxJoints, Cut::kContinuous);
}

// A loose part of the skin.
struct Part {
  Bounds<glm::dvec3> box;
  std::vector<std::uint32_t> members;  // welded vertices

  double size() const { return glm::length(box.size()); }
  glm::dvec3 middle() const { return 0.5 * (box.low + box.high); }
  // Returns how far a point is from the middle, 1: at the border.
  double off(const glm::dvec3& point) const {
    const glm::dvec3 share = 2.0 * glm::abs(point - middle()) / glm::max(box.size(), glm::dvec3(1e-9));
    return std::max({share.x, share.y, share.z});
  }
};

// Returns the parts up to a size, larger ones first.
std::vector<Part> loose_parts(const Skin& skin, double most) {
  const std::vector<std::uint32_t> part_of = connected_parts(skin.positions.size(), skin.triangles);
  std::vector<Part> parts(skin.positions.size());
  for (std::uint32_t v = 0; v < part_of.size(); ++v) {
    if (skin.welded[v] == v) parts[part_of[v]].box.add(glm::dvec3(skin.positions[v]));
  }
  for (std::uint32_t v = 0; v < part_of.size(); ++v) {
    Part& part = parts[part_of[v]];
    if (skin.welded[v] == v && part.size() < most) part.members.push_back(v);
  }
  std::erase_if(parts, [](const Part& part) { return part.members.size() < 2; });
  std::ranges::stable_sort(parts, std::greater(), &Part::size);
  return parts;
}

// Returns the last bone whose joint is in the middle of a ball.
std::optional<std::uint32_t> bone_of_ball(const Part& part, std::span<const PaintBone> bones) {
  const glm::dvec3 size = part.box.size();
  if (2 * std::min({size.x, size.y, size.z}) <= std::max({size.x, size.y, size.z})) return std::nullopt;
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    if (bones[b].is_last && part.off(bones[b].lines.front().from) < kMiddle) return b;
  }
  return std::nullopt;
}

// Small loose parts that one joint moves mostly follow only it; so do those that two joints move, the one nearer to
// their middle, if they do not bend at a joint in them: gums. Much smaller ones in them go with them: teeth. Balls
// around a last joint, such as eyes, follow that.
void hold_small(const Skin& skin, std::span<const PaintBone> bones, Rows& rows) {
  const double whole = glm::length(bounds_of<glm::dvec3>(std::span(skin.positions)).size());
  std::vector<Part> parts = loose_parts(skin, kBall * whole);
  WeightSums sums(bones.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    std::optional<std::uint32_t> bone = bone_of_ball(part, bones);
    if (!bone) {
      const bool is_small = part.size() <= kSmall * whole;
      const auto is_larger = [&](const Part& other) { return kTooth * other.size() >= part.size(); };
      auto first = static_cast<std::size_t>(std::ranges::partition_point(parts, is_larger) - parts.begin());
      for (std::size_t other = is_small ? first : parts.size(); other < parts.size(); ++other) {
        if (part.off(parts[other].middle()) >= 1) continue;
        const auto is_nearer = [&](const Part& host) {
          return kTooth * parts[other].size() < host.size() && host.size() <= kSmall * whole &&
                 host.off(parts[other].middle()) < part.off(parts[other].middle());
        };
        if (std::any_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(other), is_nearer)) continue;
        part.members.insert(part.members.end(), parts[other].members.begin(), parts[other].members.end());
        parts[other].members.clear();
      }
      for (const std::uint32_t v : part.members) {
        for (const WeightedElement& element : rows[v]) sums.add(element.index, element.weight);
      }
      std::vector<WeightedElement> row;
      sums.take(0, row);
      cut_row(row, kMaxJoints, Cut::kHard);
      if (row.empty()) continue;
      bone = row[0].index;
      const auto is_in = [&](const WeightedElement& e) { return part.off(bones[e.index].lines.front().from) < 1; };
      if (!is_small && row[0].weight < 1 - kBends && (row[0].weight < kWhole || std::ranges::any_of(row, is_in)))
        continue;
      if (row[0].weight < kWhole) {
        if (row[0].weight + row[1].weight < kWhole || is_in(row[0]) || is_in(row[1])) continue;
        const auto far = [&](std::size_t e) { return distance_to(part.middle(), bones[row[e].index]); };
        if (far(1) < far(0)) bone = row[1].index;
      }
    }
    for (const std::uint32_t v : part.members) rows[v] = {{*bone, 1.0}};
  }
}

}  // namespace

std::size_t paint::joints_inside(const Model& model, std::span<const std::uint32_t> meshes,
                                 std::span<const BoundJoint> joints) {
  const Skin skin = join(model, meshes);
  if (skin.triangles.empty() || joints.empty()) return 0;
  const Solid solid = make_solid(skin.positions, skin.triangles, kToFit);
  return static_cast<std::size_t>(std::ranges::count_if(joints, [&](const BoundJoint& bound) {
    const glm::dvec3 origin(glm::affineInverse(glm::dmat4(bound.inverse_bind))[3]);
    return solid.voxels.at(glm::ivec3(glm::round(solid.voxels.to_voxels(origin)))) != skeletonize::kOutside;
  }));
}

Result<std::vector<SparseRows>> paint_weights(const Model& model, std::span<const std::uint32_t> meshes,
                                              std::vector<bool> may_move, unsigned threads) {
  may_move.resize(model.bound_joints.size(), may_move.empty());
  const Skin skin = join(model, meshes);
  if (skin.triangles.empty()) return fail(ErrorCode::kUnsupported, "a skin without triangles cannot be painted");
  const Solid solid = make_solid(skin.positions, skin.triangles, kResolution);
  const std::vector<PaintBone> bones = find_bones(model, may_move, solid);
  if (bones.empty()) return fail(ErrorCode::kUnsupported, "no joint is in the skin");
  std::vector<float> nearest(skin.positions.size(), 0.0f);
  Rows rows = weigh(skin, solid, bones, threads, nearest);
  smooth(skin, nearest, bones.size(), threads, rows);
  // The rest follows the nearest skin.
  std::vector<glm::uvec3> reached;
  for (const glm::uvec3 t : skin.triangles) {
    if (!rows[t.x].empty() && !rows[t.y].empty() && !rows[t.z].empty()) reached.push_back(t);
  }
  drop_flat(skin.positions, reached);
  const Result<TriangleTree> tree = TriangleTree::create(skin.positions, reached);
  if (!tree) return fail(ErrorCode::kUnsupported, "no joint is in the skin");
  SparseRows known;
  for (const std::vector<WeightedElement>& row : rows) append_row(known, row);
  std::vector<std::uint32_t> lost;
  std::vector<glm::vec3> places;
  for (std::uint32_t v = 0; v < rows.size(); ++v) {
    if (skin.welded[v] != v || !rows[v].empty()) continue;
    lost.push_back(v);
    places.push_back(skin.positions[v]);
  }
  const SparseRows found = closest_weights(
      *tree, [&](std::uint32_t v) { return known.row(v); }, places, threads);
  for (std::size_t i = 0; i < lost.size(); ++i) {
    for (const Influence& influence : found.row(i)) rows[lost[i]].push_back({influence.index, influence.weight});
    cut_row(rows[lost[i]], kMaxJoints, Cut::kContinuous);
  }
  hold_small(skin, bones, rows);
  for (std::vector<WeightedElement>& row : rows) {
    for (WeightedElement& element : row) element.index = bones[element.index].joint;
  }
  std::vector<SparseRows> result;
  std::size_t v = 0;
  for (const std::uint32_t m : meshes) {
    SparseRows& of_mesh = result.emplace_back();
    for (std::size_t i = 0; i < model.meshes[m].positions.size(); ++i, ++v) append_row(of_mesh, rows[skin.welded[v]]);
  }
  return result;
}

}  // namespace pelt
