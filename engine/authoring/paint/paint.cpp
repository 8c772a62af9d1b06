// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <pelt/paint.h>
#include <pelt/tools/area.h>
#include <pelt/tools/closest_weights.h>
#include <pelt/tools/mesh_parts.h>
#include <pelt/tools/parallel.h>

#include "engine/authoring/geometry/bone_forest.h"
#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/geometry/edge_rings.h"
#include "engine/authoring/paint/bones.h"
#include "engine/authoring/paint/solid.h"
#include "engine/authoring/paint/walk.h"

namespace pelt {
namespace {

using namespace paint;

constexpr int kResolution = 256;       // cells along the longest side
constexpr std::size_t kMaxJoints = 8;  // that move a vertex
constexpr double kFarthest = 3;        // bones farther than so many times the nearest one's distance move nothing
constexpr int kSmoothing = 3;          // steps
constexpr double kSmall = 0.05;        // of the skin's diagonal: smaller loose parts may follow in one piece
constexpr double kBall = 0.2;          // those that are balls around a joint, eyes
constexpr double kWhole = 2.0 / 3;     // small parts of which one joint moves so much follow only it

// The meshes as one, without seams.
struct Skin {
  std::vector<glm::vec3> positions;
  std::vector<glm::uvec3> triangles;  // with welded vertices
  std::vector<std::uint32_t> welded;
  std::vector<glm::vec3> normals;  // of welded vertices
};

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
  return skin;
}

double distance_to(const glm::dvec3& point, const PaintBone& bone) {
  double least = std::numeric_limits<double>::infinity();
  for (const Line& line : bone.lines) least = std::min(least, distance_to_segment(point, line.from, line.to));
  return least;
}

// Rows over the bones, for each vertex; of unreached ones empty.
using Rows = std::vector<std::vector<WeightedElement>>;

Rows weigh(const Skin& skin, const Solid& solid, std::span<const PaintBone> bones, unsigned threads) {
  const std::vector<Ways> ways = find_ways(solid, bones);
  Rows rows(skin.positions.size());
  parallel_for(rows.size(), 256, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (skin.welded[v] != v) continue;
      const glm::dvec3 position(skin.positions[v]);
      const std::uint32_t cell = cell_at(solid, position, glm::dvec3(skin.normals[v]));
      if (cell == skeletonize::kOutside) continue;
      double least = std::numeric_limits<double>::infinity();
      for (const Way& way : ways[cell]) {
        if (std::isinf(way.length)) continue;
        const double distance = std::max(
            {distance_to(position, bones[way.bone]), way.length * solid.voxels.size, 1e-3 * solid.voxels.size});
        rows[v].push_back({way.bone, distance});
        least = std::min(least, distance);
      }
      for (WeightedElement& element : rows[v]) {
        const double near = std::max(0.0, (least / element.weight - 1 / kFarthest) / (1 - 1 / kFarthest));
        element.weight = near * near * near;
      }
      cut_row(rows[v], kMaxJoints - 1, Cut::kContinuous);
    }
  });
  return rows;
}

// Takes the mean of each vertex and its neighbours, nearer ones weighing more.
void smooth(const Skin& skin, double width, std::size_t bones, unsigned threads, Rows& rows) {
  const EdgeRings rings(skin.welded, skin.triangles);
  for (int step = 0; step < kSmoothing; ++step) {
    Rows next(rows.size());
    parallel_for(rows.size(), 256, threads, [&](std::size_t begin, std::size_t end) {
      WeightSums sums(bones);
      for (std::size_t v = begin; v < end; ++v) {
        if (rows[v].empty()) continue;
        for (const WeightedElement& element : rows[v]) sums.add(element.index, element.weight);
        const auto ring = rings.from(static_cast<std::uint32_t>(v));
        for (const auto& [from, to] : ring) {
          const double length = glm::distance(skin.positions[from], skin.positions[to]);
          const double share = width * width / (width * width + length * length) / static_cast<double>(ring.size());
          for (const WeightedElement& element : rows[to]) sums.add(element.index, share * element.weight);
        }
        sums.take(0, next[v]);
        cut_row(next[v], kMaxJoints, Cut::kHard);
      }
    });
    rows = std::move(next);
  }
}

// Small loose parts that one joint moves mostly, such as teeth, follow only it; balls around a last joint, such as
// eyes, follow that.
void hold_small(const Skin& skin, std::span<const PaintBone> bones, Rows& rows) {
  const std::vector<std::uint32_t> part_of = connected_parts(skin.positions.size(), skin.triangles);
  const double whole = glm::length(bounds_of<glm::dvec3>(std::span(skin.positions)).size());
  std::vector<Bounds<glm::dvec3>> bounds(skin.positions.size());
  for (std::size_t v = 0; v < part_of.size(); ++v) {
    if (skin.welded[v] == v) bounds[part_of[v]].add(glm::dvec3(skin.positions[v]));
  }
  std::vector<std::vector<std::uint32_t>> members(skin.positions.size());
  for (std::uint32_t v = 0; v < part_of.size(); ++v) {
    if (skin.welded[v] == v && glm::length(bounds[part_of[v]].size()) < kBall * whole) members[part_of[v]].push_back(v);
  }
  WeightSums sums(bones.size());
  for (std::uint32_t part = 0; part < members.size(); ++part) {
    if (members[part].size() < 2) continue;
    std::vector<WeightedElement> row;
    const Bounds<glm::dvec3>& box = bounds[part];
    const glm::dvec3 size = box.size();
    const bool is_ball = 2 * std::min({size.x, size.y, size.z}) > std::max({size.x, size.y, size.z});
    for (std::uint32_t b = 0; b < bones.size() && row.empty() && is_ball; ++b) {
      if (!bones[b].is_last) continue;
      const glm::dvec3 off = glm::abs(bones[b].lines.front().from - 0.5 * (box.low + box.high));
      if (glm::all(glm::lessThan(off, 0.25 * box.size()))) row.push_back({b, 1.0});
    }
    if (row.empty() && glm::length(size) > kSmall * whole) continue;
    if (row.empty()) {
      for (const std::uint32_t v : members[part]) {
        for (const WeightedElement& element : rows[v]) sums.add(element.index, element.weight);
      }
      sums.take(0, row);
      cut_row(row, kMaxJoints, Cut::kHard);
      if (row.empty() || row[0].weight < kWhole) continue;
      row = {{row[0].index, 1.0}};
    }
    for (const std::uint32_t v : members[part]) rows[v] = row;
  }
}

}  // namespace

Result<std::vector<SparseRows>> paint_weights(const Model& model, std::span<const std::uint32_t> meshes,
                                              std::vector<bool> may_move, unsigned threads) {
  may_move.resize(model.bound_joints.size(), may_move.empty());
  const Skin skin = join(model, meshes);
  if (skin.triangles.empty()) return fail(ErrorCode::kUnsupported, "a skin without triangles cannot be painted");
  const Solid solid = make_solid(skin.positions, skin.triangles, kResolution);
  const std::vector<PaintBone> bones = find_bones(model, may_move, solid);
  if (bones.empty()) return fail(ErrorCode::kUnsupported, "no joint is in the skin");
  Rows rows = weigh(skin, solid, bones, threads);
  hold_small(skin, bones, rows);
  smooth(skin, solid.voxels.size, bones.size(), threads, rows);
  // The rest follows the nearest skin.
  std::vector<glm::uvec3> reached;
  for (const glm::uvec3 t : skin.triangles) {
    if (!rows[t.x].empty() && !rows[t.y].empty() && !rows[t.z].empty()) reached.push_back(t);
  }
  drop_flat(skin.positions, reached);
  const Result<TriangleTree> tree = TriangleTree::create(skin.positions, reached);
  if (!tree) return fail(ErrorCode::kUnsupported, "no joint is in the skin");
  SparseRows known;
  for (std::size_t v = 0; v < rows.size(); ++v) {
    for (WeightedElement& element : rows[v]) element.index = bones[element.index].joint;
    append_row(known, rows[v]);
  }
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
  std::vector<SparseRows> result;
  std::size_t v = 0;
  for (const std::uint32_t m : meshes) {
    SparseRows& of_mesh = result.emplace_back();
    for (std::size_t i = 0; i < model.meshes[m].positions.size(); ++i, ++v) append_row(of_mesh, rows[skin.welded[v]]);
  }
  return result;
}

}  // namespace pelt
