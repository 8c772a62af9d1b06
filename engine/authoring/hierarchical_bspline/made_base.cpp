// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <pelt/tools/area.h>
#include <pelt/tools/index_ranges.h>
#include <pelt/tools/mesh_parts.h>
#include <pelt/tools/triangle_tree.h>
#include <pelt/try.h>

#include "engine/authoring/driver/from_skin/shown_surface.h"
#include "engine/authoring/driver/from_skin/thinned_skin.h"
#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/geometry/manifold.h"
#include "engine/authoring/geometry/polygon.h"
#include "engine/authoring/hierarchical_bspline/base.h"
#include "engine/authoring/hierarchical_bspline/painting.h"
#include "engine/authoring/hierarchical_bspline/skin_locator.h"
#include "engine/authoring/hierarchical_bspline/surface.h"
#include "engine/authoring/rows/row_weights.h"

namespace pelt::hierarchical_bspline {
namespace {

constexpr float kJointDensity = 1.5f;  // of the base near joints, relative to elsewhere
constexpr double kOfDistance = 1.2;    // longest edge of the base, relative to the distance to the bone
constexpr double kLevelEdges = 3;      // length of the finest level's edges, in skin edges
constexpr std::uint32_t kMaxOverlays = 2;
constexpr double kUnlikeRows = 0.08;  // least difference in painting from a vertex that it is refined from
constexpr double kFlatQuad = 0.7;     // least cosine of the angle between the halves of a quad
constexpr double kObtuse = -0.5;      // cosine of the angle above which the edge opposite it is turned
constexpr float kReach = 1.0f;        // by which the fit moves a control vertex at most, in its shortest edges
constexpr double kRounding = 1e-6;    // relative to the size: nearer points are one
constexpr int kRounds = 3;            // of the fit: each projects the skin again
constexpr std::size_t kSamples = 4;   // points of the skin per limit point
constexpr int kSteps = 8;             // of conjugate gradients per round

// Returns quads of triangle pairs, those with the most even angles first, and the remaining triangles.
Polygons quads_of(std::span<const glm::uvec3> triangles, std::span<const glm::vec3> positions) {
  struct Pair {
    double badness;
    std::array<std::size_t, 2> triangles;
    std::vector<std::uint32_t> corners;
  };
  std::map<MeshEdge, std::pair<std::size_t, int>> open;
  std::vector<Pair> pairs;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int c = 0; c < 3; ++c) {
      const auto [known, added] = open.try_emplace(edge_at(triangles[t], c), t, c);
      if (added) continue;
      const auto [other, corner] = known->second;
      const glm::uvec3 a = triangles[other];
      const glm::uvec3 b = triangles[t];
      Pair pair{0, {other, t}, {a[corner], b[(c + 2) % 3], a[(corner + 1) % 3], a[(corner + 2) % 3]}};
      std::array<glm::dvec3, 4> quad;
      for (std::size_t i = 0; i < 4; ++i) quad[i] = glm::dvec3(positions[pair.corners[i]]);
      if (!is_even_quad(quad, kFlatQuad)) continue;
      for (std::size_t i = 0; i < 4; ++i) {
        const glm::dvec3 next = quad[(i + 1) % 4] - quad[i];
        const glm::dvec3 last = quad[(i + 3) % 4] - quad[i];
        const double cosine = glm::dot(next, last) / (glm::length(next) * glm::length(last));
        pair.badness += cosine * cosine;
      }
      pairs.push_back(std::move(pair));
    }
  }
  std::ranges::stable_sort(pairs, {}, &Pair::badness);
  std::vector<bool> taken(triangles.size(), false);
  Polygons faces;
  for (Pair& pair : pairs) {
    if (taken[pair.triangles[0]] || taken[pair.triangles[1]]) continue;
    taken[pair.triangles[0]] = taken[pair.triangles[1]] = true;
    faces.push_back(std::move(pair.corners));
  }
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (!taken[t]) faces.push_back({triangles[t].x, triangles[t].y, triangles[t].z});
  }
  return faces;
}

// A point of the skin, and the limit points of a level round it.
struct Sample {
  glm::dvec3 position;
  ClosestPoint place;
};

// Returns points of the skin, some for each limit point of a level.
Result<std::vector<Sample>> samples_of(const Mesh& skin, const Surface& surface, std::uint32_t level,
                                       std::span<const SurfacePoint> limits, unsigned threads) {
  const std::size_t step = std::max<std::size_t>(skin.positions.size() / (kSamples * limits.size()), 1);
  std::vector<glm::vec3> points;
  for (std::size_t v = 0; v < skin.positions.size(); v += step) points.push_back(skin.positions[v]);
  std::vector<glm::vec3> positions;
  for (const SurfacePoint& limit : limits) positions.emplace_back(limit.position);
  std::vector<glm::uvec3> triangles = triangles_of(surface.topology().faces(level), positions);
  drop_flat(positions, triangles);
  PELT_ASSIGN(const auto tree, TriangleTree::create(positions, triangles));
  const std::vector<TriangleTree::NearPoint> near = tree.nearest_of_each(points, threads);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < points.size(); ++i) samples.push_back({glm::dvec3(points[i]), near[i].closest});
  return samples;
}

// Moves the control vertices so that limit points of the base lie at the vertices that they were made from, and the
// surface at all points of the skin: least squares by few steps of conjugate gradients, which keep the control mesh
// even. A control vertex moves by less than its edges, since nothing smooth runs through a sharp edge.
Result<void> fit(HierarchicalBsplineParameters& base, const Mesh& skin, const DeformerInput& input) {
  using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  const std::vector<glm::vec3> unfitted = base.control;
  std::vector<float> shortest(unfitted.size(), std::numeric_limits<float>::max());  // edge of each vertex
  for (const std::vector<std::uint32_t>& face : base.faces) {
    for (std::size_t c = 0; c < face.size(); ++c) {
      const std::uint32_t from = face[c];
      const std::uint32_t to = face[(c + 1) % face.size()];
      const float length = glm::distance(unfitted[from], unfitted[to]);
      shortest[from] = std::min(shortest[from], length);
      shortest[to] = std::min(shortest[to], length);
    }
  }
  PELT_ASSIGN(auto surface, Surface::create(base, input.layer));
  PELT_TRY(surface.refine_to(1));
  const std::uint32_t count = surface.topology().size(1);
  const auto size = static_cast<Eigen::Index>(unfitted.size());
  std::vector<Eigen::Triplet<double>> terms;
  for (std::uint32_t v = 0; v < count; ++v) {
    for (const Share& share : surface.stored_shares(1, surface.topology().limit(1, v, surface.control(1)))) {
      if (share.weight != 0) terms.emplace_back(v, share.vertex, share.weight);
    }
  }
  Matrix limits(count, size);
  limits.setFromTriplets(terms.begin(), terms.end());
  Eigen::MatrixX3d control(size, 3);
  for (Eigen::Index v = 0; v < size; ++v) control.row(v) << unfitted[v].x, unfitted[v].y, unfitted[v].z;
  for (int round = 0; round < kRounds; ++round) {
    PELT_ASSIGN(const auto samples, samples_of(skin, surface, 1, limit_points(surface, 1), input.threads));
    const auto rows = static_cast<Eigen::Index>(unfitted.size() + samples.size());
    Eigen::MatrixX3d right(rows, 3);
    terms.clear();
    for (Eigen::Index v = 0; v < size; ++v) {
      terms.emplace_back(v, v, 1);
      right.row(v) << unfitted[v].x, unfitted[v].y, unfitted[v].z;
    }
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(unfitted.size() + i);
      const auto& [position, place] = samples[i];
      for (int c = 0; c < 3; ++c) {
        if (place.weights[c] > 0) terms.emplace_back(row, place.vertices[c], place.weights[c]);
      }
      right.row(row) << position.x, position.y, position.z;
    }
    Matrix places(rows, count);
    places.setFromTriplets(terms.begin(), terms.end());
    const Matrix system = places * limits;
    Eigen::LeastSquaresConjugateGradient<Matrix> solver(system);
    solver.setMaxIterations(kSteps);
    control = solver.solveWithGuess(right, control).eval();
    for (Eigen::Index v = 0; v < size; ++v) {
      const glm::vec3 move = glm::vec3(control(v, 0), control(v, 1), control(v, 2)) - unfitted[v];
      const float most = kReach * shortest[v];
      base.control[v] = unfitted[v] + move * std::min(1.0f, most / std::max(glm::length(move), 1e-30f));
      control.row(v) << base.control[v].x, base.control[v].y, base.control[v].z;
    }
    PELT_ASSIGN(surface, Surface::create(base, input.layer));
    PELT_TRY(surface.refine_to(1));
  }
  return {};
}

// Returns the mean offset of the skin from the surface round each limit point of a level.
std::vector<glm::dvec3> skin_offsets(std::span<const SurfacePoint> limits, std::span<const Sample> samples) {
  std::vector<glm::dvec3> offsets(limits.size(), glm::dvec3(0));
  std::vector<double> sum(limits.size(), 0);
  for (const auto& [position, place] : samples) {
    glm::dvec3 off = position;
    for (int c = 0; c < 3; ++c) off -= place.weights[c] * limits[place.vertices[c]].position;
    for (int c = 0; c < 3; ++c) {
      offsets[place.vertices[c]] += place.weights[c] * off;
      sum[place.vertices[c]] += place.weights[c];
    }
  }
  for (std::size_t v = 0; v < limits.size(); ++v) offsets[v] /= std::max(sum[v], 1e-30);
  return offsets;
}

// Returns the connected part of each vertex of the skin, across seams.
std::vector<std::uint32_t> connected_skin(const Mesh& skin) {
  const std::vector<std::uint32_t> welded = weld_by_position(skin.positions);
  std::vector<std::uint32_t> parts = connected_parts(skin.positions.size(), welded_triangles(welded, skin.triangles));
  for (std::uint32_t v = 0; v < parts.size(); ++v) parts[v] = parts[welded[v]];
  return parts;
}

double size_of(const Mesh& mesh) {
  return glm::length(bounds_of<glm::vec3>(std::span<const glm::vec3>(mesh.positions)).size());
}

// Returns true if the surface has a tangent plane at a point, by more than rounding error.
bool is_clear(const SurfacePoint& point) {
  const double area = glm::length(glm::cross(point.tangent_u, point.tangent_v));
  return area > 1e-3 * std::max(glm::dot(point.tangent_u, point.tangent_u), glm::dot(point.tangent_v, point.tangent_v));
}

// Returns the skin with vertices merged that differ by rounding, as at borders of meshes.
from_skin::ShownSurface closed_skin(const DeformerInput& input) {
  from_skin::ShownSurface surface = from_skin::shown_surface(input, false);
  if (surface.mesh.triangles.empty()) return surface;
  std::vector<glm::vec3>& positions = surface.mesh.positions;
  const auto within = static_cast<float>(kRounding * size_of(surface.mesh));
  const std::vector<std::uint32_t> near = weld_within(positions, within);
  for (std::uint32_t v = 0; v < near.size(); ++v) positions[v] = positions[near[v]];
  return surface;
}

// Adds the vertices of overlays: those at which the skin is painted unlike the coarser level, or lies off it.
Result<void> add_overlays(Base& base, std::uint32_t overlays, const Mesh& skin, const DeformerInput& input) {
  HierarchicalBsplineParameters bare = base.parameters;
  bare.levels.resize(overlays + 1);
  PELT_ASSIGN(const auto plain, Surface::create(bare, input.layer));
  PELT_ASSIGN(const auto painting, Painting::create(plain, base, input));
  const Topology& topology = plain.topology();
  const double size = size_of(skin);
  SparseRows rows;  // of the level, as the surface has them so far
  for (std::uint32_t v = 0; v < topology.size(0); ++v) rows.append_row(painting.row(0, v));
  for (std::uint32_t level = 1; level <= overlays; ++level) {
    base.parameters.levels.emplace_back();
    PELT_ASSIGN(const auto surface, Surface::create(base.parameters, input.layer));
    const std::vector<SurfacePoint> points = limit_points(surface, level);
    PELT_ASSIGN(const auto samples, samples_of(skin, surface, level, points, input.threads));
    const std::vector<glm::dvec3> offsets = skin_offsets(points, samples);
    const SparseRows before = refined_rows(topology, level - 1, rows);
    SparseRows next;
    SurfaceLevel& made = base.parameters.levels.back();
    SurfaceAttachment painted{.painted = true};
    for (std::uint32_t v = 0; v < points.size(); ++v) {
      const std::span<const Influence> painted_row = painting.row(level, v);
      double unlike = 0;
      for (const auto& [parent, weight] : topology.refinement(level - 1, v)) {
        unlike = std::max(unlike, 1 - weight_similarity(rows.row(parent), painted_row));
      }
      const glm::dvec3 off = offsets[v];
      const bool is_off = glm::length(off) > base.parameters.tolerance * size;
      const bool is_unlike = unlike > kUnlikeRows;
      const bool is_stored = (is_off || is_unlike) && is_clear(points[v]);
      next.append_row(is_stored ? painted_row : before.row(v));
      if (!is_stored) continue;
      if (is_off) made.offsets.push_back({v, glm::vec3(glm::transpose(points[v].axes()) * off)});
      append_index(painted.vertices, v);
    }
    if (!painted.vertices.empty()) made.attach.push_back(std::move(painted));
    rows = std::move(next);
  }
  return {};
}

// Returns true if all vertices of the skin's triangles lie at vertices of the base.
bool has_all(const Mesh& skin, std::span<const std::uint32_t> vertices) {
  const auto key = [&](std::uint32_t v) {
    const glm::vec3 at = skin.positions[v];
    return std::array{at.x, at.y, at.z};
  };
  std::set<std::array<float, 3>> places;
  for (const std::uint32_t v : vertices) places.insert(key(v));
  return std::ranges::all_of(skin.triangles, [&](const glm::uvec3 t) {
    return places.contains(key(t.x)) && places.contains(key(t.y)) && places.contains(key(t.z));
  });
}

}  // namespace

void turn_edges(std::vector<glm::uvec3>& triangles, std::span<const glm::vec3> positions) {
  const auto normal = [&](glm::uvec3 t) {
    return glm::cross(glm::dvec3(positions[t.y] - positions[t.x]), glm::dvec3(positions[t.z] - positions[t.x]));
  };
  const auto cosine = [&](glm::uvec3 t, int corner) {
    const glm::dvec3 next(positions[t[(corner + 1) % 3]] - positions[t[corner]]);
    const glm::dvec3 last(positions[t[(corner + 2) % 3]] - positions[t[corner]]);
    return glm::dot(next, last) / std::max(glm::length(next) * glm::length(last), 1e-30);
  };
  const auto widest = [&](glm::uvec3 t) { return std::min({cosine(t, 0), cosine(t, 1), cosine(t, 2)}); };
  std::map<MeshEdge, std::vector<std::size_t>> users;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int c = 0; c < 3; ++c) users[edge_at(triangles[t], c)].push_back(t);
  }
  std::vector<bool> is_open(positions.size());
  for (const auto& [edge, triangles_there] : users) {
    if (triangles_there.size() == 1) is_open[edge.first] = is_open[edge.second] = true;
  }
  // Returns true if the edge opposite a corner is turned.
  const auto turn = [&](std::size_t obtuse, int corner) {
    const glm::uvec3 t = triangles[obtuse];
    const std::uint32_t top = t[corner], from = t[(corner + 1) % 3], to = t[(corner + 2) % 3];
    const std::vector<std::size_t>& both = users[edge_at(t, (corner + 1) % 3)];
    if (both.size() != 2) return false;
    const std::size_t other = both[0] == obtuse ? both[1] : both[0];
    const glm::uvec3 b = triangles[other];
    const std::uint32_t tip = b.x + b.y + b.z - from - to;
    if (is_open[top] || is_open[from] || is_open[to] || is_open[tip]) return false;
    if (users.contains(std::minmax(top, tip))) return false;
    const glm::uvec3 first(top, from, tip), second(top, tip, to);
    const auto is_flat = [&](glm::uvec3 turned) {
      return glm::dot(normal(turned), normal(b)) > kFlatQuad * glm::length(normal(turned)) * glm::length(normal(b));
    };
    if (!is_flat(first) || !is_flat(second) || std::min(widest(first), widest(second)) <= cosine(t, corner))
      return false;
    for (const std::size_t old : {obtuse, other}) {
      for (int c = 0; c < 3; ++c) std::erase(users[edge_at(triangles[old], c)], old);
    }
    users.erase(std::minmax(from, to));
    triangles[obtuse] = first;
    triangles[other] = second;
    for (const std::size_t now : {obtuse, other}) {
      for (int c = 0; c < 3; ++c) users[edge_at(triangles[now], c)].push_back(now);
    }
    return true;
  };
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      for (int c = 0; c < 3; ++c) {
        if (cosine(triangles[t], c) < kObtuse && turn(t, c)) is_changed = true;
      }
    }
  }
}

Result<void> take_from_skin(Base& base, const DeformerInput& input) {
  const from_skin::ShownSurface skin = closed_skin(input);
  std::vector<std::uint32_t> vertices;
  for (const IndexRange range : base.parameters.made_of) {
    for (std::uint64_t v = range.first; v <= range.last && vertices.size() <= base.parameters.control.size(); ++v) {
      if (v >= skin.mesh.positions.size()) {
        return invalid(input, fmt::format("made_of names vertex {} of a skin of {}: it was made from another skin", v,
                                          skin.mesh.positions.size()));
      }
      vertices.push_back(static_cast<std::uint32_t>(v));
    }
  }
  if (vertices.size() != base.parameters.control.size()) {
    return invalid(input, fmt::format("made_of names {} vertices, and needs one for each of the {} of control",
                                      vertices.size(), base.parameters.control.size()));
  }
  base.skin_parts = connected_skin(skin.mesh);
  const bool is_skin = !base.parameters.creases.empty() && has_all(skin.mesh, vertices);
  bool has_weights = true;
  for (const std::uint32_t v : vertices) {
    base.parts.push_back(base.skin_parts[v]);
    if (is_skin) base.skin.push_back(skin.mesh.positions[v]);
    has_weights = has_weights && !skin.weights(v).empty();
    if (has_weights) base.weights.append_row(skin.weights(v));
  }
  if (!has_weights) base.weights = {};
  return {};
}

Result<Base> made_base(const HierarchicalBsplineParameters& parameters, const DeformerInput& input) {
  from_skin::ShownSurface surface = closed_skin(input);
  const Mesh skin = surface.mesh;
  if (skin.triangles.empty()) return invalid(input, "the layer has no skin to make a surface from");
  const from_skin::ThinnedSkin thinned = from_skin::thinned_skin(
      std::move(surface), std::size_t{2} * parameters.base_faces, kJointDensity, kOfDistance, input);
  Manifold manifold = manifold_of(thinned.mesh.triangles);
  if (manifold.triangles.empty()) return invalid(input, "the skin has no triangle with area");
  Base base{parameters, {}};
  for (const std::uint32_t v : manifold.source) {
    base.parameters.control.push_back(thinned.mesh.positions[v]);
    append_index(base.parameters.made_of, thinned.source[v]);
  }
  if (!thinned.is_skin) turn_edges(manifold.triangles, base.parameters.control);
  base.parameters.faces = quads_of(manifold.triangles, base.parameters.control);
  if (thinned.is_skin) {
    SurfaceCrease all;
    for (std::vector<std::uint32_t> path : base.parameters.faces) {
      path.push_back(path.front());
      all.paths.push_back(std::move(path));
    }
    base.parameters.creases.push_back(std::move(all));
  }
  PELT_TRY(take_from_skin(base, input));
  if (!thinned.is_skin) PELT_TRY(fit(base.parameters, skin, input));
  if (!parameters.frames_per_span) base.parameters.frames_per_span = 1;  // levels provide the density of frames
  base.parameters.levels.resize(1);
  if (thinned.is_skin) return base;
  const std::vector<glm::dvec3> control(base.parameters.control.begin(), base.parameters.control.end());
  const double edge = mean_edge(base.parameters.faces, control);
  const double levels = std::round(std::log2(edge / (kLevelEdges * mean_edge(input))));
  const auto overlays = static_cast<std::uint32_t>(std::clamp(levels, 1.0, double{kMaxOverlays}));
  PELT_TRY(add_overlays(base, overlays, skin, input));
  return base;
}

}  // namespace pelt::hierarchical_bspline
