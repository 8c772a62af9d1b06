// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include <pelt/tools/area.h>
#include <pelt/tools/triangle_tree.h>
#include <pelt/try.h>

#include "engine/authoring/hierarchical_bspline/skin_locator.h"
#include "engine/authoring/rows/row_weights.h"

namespace pelt::hierarchical_bspline {
namespace {

// Skin comes to follow its own painting between these differences from the surface's (of skin of one joint: kRigid
// times these), and ceases to between these distances of the surface from its opposite side, in edges, and these
// fractions of the surface's area that are left at the skin's height, or cosines of the angle by which frames are
// turned against the surface.
constexpr double kLike[] = {0.05, 0.25};
constexpr double kThin[] = {0.15, 0.4};
constexpr double kCurved[] = {0.2, 0.6};
constexpr double kRigid = 0.2;
constexpr double kMixed = 0.05;             // skin that follows other joints this much has more than one
constexpr double kOpposite = -0.5;          // most cosine of the angle between the normals of opposite sides
constexpr std::size_t kNearTriangles = 16;  // among which an opposite side is looked for

// Locates skin in triangles between limit points, which have the frames. A face is split as deep as levels store
// vertices in it, and `extra` times more. A vertex has one number on all levels: its limit point is that of the finest
// level on which a triangle has it.
class MeshLocator : public SkinLocator {
 public:
  static Result<std::unique_ptr<SkinLocator>> create(std::uint32_t extra, Surface& surface, const Painting* painting,
                                                     const Base& base, const DeformerInput& input) {
    const std::uint32_t stored = surface.finest();
    if (Result<void> refined = surface.refine_to(stored + extra); !refined) {
      return invalid(input, fmt::format("frames_per_span {} needs more vertices than a level may have; lower it",
                                        std::uint32_t{1} << extra));
    }
    auto locator = std::make_unique<MeshLocator>(surface, input);
    locator->split(stored, extra);
    locator->place_vertices();
    if (painting != nullptr) {
      locator->weights_ = painting->rows_of(surface.topology(), stored + extra);
      if (!base.skin_parts.empty() && base.skin.empty()) locator->find_painting(*painting);
    }
    locator->parts_ = parts_of(surface.topology(), stored + extra, base);
    for (std::uint32_t v = 0; v < base.skin.size(); ++v) {
      locator->vertex_at_.try_emplace({base.skin[v].x, base.skin[v].y, base.skin[v].z}, v);
    }
    std::vector<glm::uvec3>& triangles = locator->triangles_;
    triangles = triangles_of(locator->faces_, locator->positions_);
    std::erase_if(triangles, [&](glm::uvec3 t) {
      const auto has_frame = [&](std::uint32_t v) { return locator->limits_[v].has_frame(); };
      return !has_frame(t.x) || !has_frame(t.y) || !has_frame(t.z) || !(triangle_area(locator->positions_, t) > 0);
    });
    if (triangles.empty()) return invalid(input, "the surface has no tangent plane anywhere");
    locator->corners_at_.resize(locator->positions_.size(), glm::uvec3(0));
    for (const glm::uvec3 t : triangles) {
      for (int c = 0; c < 3; ++c) locator->corners_at_[t[c]] = t;
    }
    PELT_ASSIGN(locator->tree_, within(input.layer, TriangleTree::create(locator->positions_, triangles)));
    if (locator->painting_.row_count() != 0) locator->find_apart();
    return locator;
  }

  MeshLocator(Surface& surface, const DeformerInput& input) : surface_(surface), input_(input) {}

  Result<void> find(const Mesh& mesh, std::span<const std::uint32_t> parts) override {
    std::vector<PaintedPoint> points;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      PaintedPoint& point = points.emplace_back(PaintedPoint{mesh.positions[v], glm::vec3(0), {}, kAnyPart});
      if (!mesh.normals.empty()) point.normal = mesh.normals[v];
      if (!parts.empty() && !parts_.empty()) point.part = parts[v];
      if (has_weights(mesh)) point.weights = mesh.weights.row(v);
    }
    PaintedTriangles triangles{positions_, triangles_, {}, parts_};
    if (weights_.row_count() != 0) triangles.weights = [&](std::uint32_t v) { return weights_.row(v); };
    places_ = closest_alike(triangles, *tree_, points, input_.threads);
    const std::vector<std::uint32_t> welded = weld_sides(mesh.positions);
    for (std::size_t v = 0; v < points.size() && painting_.row_count() != 0; ++v) {  // sides of a sheet stay together
      const PaintedPoint& twin = points[welded[v]];
      if (weight_similarity(points[v].weights, twin.weights) > 1 - kMixed) places_[v] = places_[welded[v]];
    }
    for (std::size_t v = 0; v < points.size() && !vertex_at_.empty(); ++v) {
      const glm::vec3 position = mesh.positions[v];
      const auto found = vertex_at_.find({position.x, position.y, position.z});
      if (found == vertex_at_.end() || corners_at_[found->second] == glm::uvec3(0)) continue;
      const glm::uvec3 corners = corners_at_[found->second];
      places_[v].vertices = corners;
      for (int c = 0; c < 3; ++c) places_[v].weights[c] = corners[c] == found->second ? 1 : 0;
    }
    return {};
  }

  SurfacePoint at(std::size_t vertex) const override {
    const ClosestPoint& place = places_[vertex];
    const std::array<glm::dvec3, 3> corners = corners_of(place, 0);
    SurfacePoint point{{}, corners[1] - corners[0], corners[2] - corners[0]};
    for (int c = 0; c < 3; ++c) point.position += place.weights[c] * corners[c];
    return point;
  }

  bool is_beyond_curvature(std::size_t vertex, double height) const override {
    return area_left(places_[vertex], height) <= 0;
  }

  float own_share(std::size_t vertex, double height, std::span<const Influence> own) const override {
    if (painting_.row_count() == 0 || own.empty()) return 0;
    const ClosestPoint& place = places_[vertex];
    SparseRows here;
    append_weights_at(
        place, [&](std::uint32_t v) { return painting_.row(v); }, here);
    double apart = 0, facing = 0;
    for (int c = 0; c < 3; ++c) {
      apart += place.weights[c] * apart_[place.vertices[c]];
      facing += place.weights[c] * facing_[place.vertices[c]];
    }
    const double mixed = glm::smoothstep(0.0, kMixed, 1.0 - strongest_influence(own).weight);
    const double unlike = (1 - weight_similarity(here.row(0), own)) / glm::mix(kRigid, 1.0, mixed);
    const double surface_share = (1 - glm::smoothstep(kLike[0], kLike[1], unlike)) *
                                 glm::smoothstep(kThin[0], kThin[1], apart) *
                                 glm::smoothstep(kCurved[0], kCurved[1], std::min(area_left(place, height), facing));
    return static_cast<float>(1 - surface_share);
  }

  Result<void> append(std::size_t vertex, Frames& frames, std::vector<WeightedElement>& row) override {
    const ClosestPoint& place = places_[vertex];
    for (int c = 0; c < 3; ++c) {
      if (!(place.weights[c] > 0)) continue;
      const std::uint32_t number = place.vertices[c];
      const auto frame =
          frames.at({number, 0}, [&] { return surface_.stored_shares(level_of_[number], limit(number)); });
      if (!frame) return invalid(input_, fmt::format("the surface has no tangent plane at vertex {}", number));
      row.push_back({*frame, place.weights[c]});
    }
    return {};
  }

 private:
  // Splits the faces of the base.
  void split(std::uint32_t finest, std::uint32_t extra) {
    const Subdivision& subdivision = *surface_.subdivision();
    std::vector<std::vector<bool>> is_split(finest + 1);  // of each level, each face
    for (std::uint32_t level = finest; level-- > 0;) {
      is_split[level].assign(subdivision.face_count(level), false);
      const auto stores = [&](std::uint32_t number) { return surface_.find(level + 1, number) != nullptr; };
      for (std::uint32_t f = 0; f < is_split[level].size(); ++f) {
        for (const std::uint32_t part : subdivision.parts(level, f)) {
          const bool deeper = level + 1 < finest && is_split[level + 1][part];
          if (deeper || std::ranges::any_of(subdivision.face(level + 1, part), stores)) is_split[level][f] = true;
        }
      }
    }
    level_of_.assign(subdivision.size(finest + extra), 0);
    const std::function<void(std::uint32_t, std::uint32_t, std::uint32_t)> add =
        [&](std::uint32_t level, std::uint32_t face, std::uint32_t further) {
          const bool by_level = level < finest && is_split[level][face];
          if (by_level || further > 0) {
            for (const std::uint32_t part : subdivision.parts(level, face))
              add(level + 1, part, further - (by_level ? 0 : 1));
            return;
          }
          const std::span<const std::uint32_t> corners = subdivision.face(level, face);
          faces_.emplace_back(corners.begin(), corners.end());
          for (const std::uint32_t v : corners) level_of_[v] = std::max(level_of_[v], level);
        };
    for (std::uint32_t f = 0; f < subdivision.face_count(0); ++f) add(0, f, extra);
  }

  void place_vertices() {
    for (std::uint32_t v = 0; v < level_of_.size(); ++v) {
      const std::uint32_t level = level_of_[v];
      const bool is_used = v < surface_.topology().size(level);
      limits_.push_back(is_used ? surface_.evaluate(level, limit(v)) : SurfacePoint{});
      positions_.emplace_back(limits_[v].position);
    }
  }

  // Finds how far the triangles at each limit point are from the side of the surface that faces them or that they
  // cover, in edges; 1: far. Finds the cosine between its frame's normal and theirs: the surface may be folded there.
  void find_apart() {
    std::vector<glm::dvec3> sums(positions_.size(), glm::dvec3(0));  // of normals by area
    std::vector<glm::vec3> centres;
    std::vector<glm::vec3> normals;
    for (const glm::uvec3 t : triangles_) {
      const glm::vec3 a = positions_[t.x], b = positions_[t.y], c = positions_[t.z];
      centres.push_back((a + b + c) / 3.0f);
      const glm::vec3 across = glm::cross(b - a, c - a);
      normals.push_back(glm::normalize(across));
      for (int i = 0; i < 3; ++i) sums[t[i]] += glm::dvec3(across);
    }
    for (std::uint32_t v = 0; v < sums.size(); ++v) {
      const double length = glm::length(sums[v]);
      facing_.push_back(length > 0 ? glm::dot(sums[v] / length, limits_[v].axes()[2]) : 0);
    }
    std::vector<double> squared(triangles_.size(), std::numeric_limits<double>::max());
    tree_->nearest_of_each(centres, kNearTriangles, input_.threads,
                           [&](std::size_t t, std::span<const TriangleTree::NearPoint> found) {
                             const auto is_opposite = [&](const TriangleTree::NearPoint& near) {
                               return glm::dot(normals[t], normals[near.triangle]) < kOpposite;
                             };
                             const auto near = std::ranges::find_if(found, is_opposite);
                             if (near != found.end()) squared[t] = near->closest.squared_distance;
                           });
    apart_.assign(positions_.size(), 1);
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      const double edge = std::sqrt(2 * triangle_area(positions_, triangles_[t]));
      for (int c = 0; c < 3; ++c) {
        double& apart = apart_[triangles_[t][c]];
        apart = std::min(apart, std::sqrt(squared[t]) / edge);
      }
    }
  }

  // Finds the painting at each limit point: that of the stored vertices.
  void find_painting(const Painting& painting) {
    std::vector<WeightedElement> row;
    for (std::uint32_t v = 0; v < level_of_.size(); ++v) {
      row.clear();
      const bool is_used = v < surface_.topology().size(level_of_[v]);
      for (const Share& share : is_used ? surface_.stored_shares(level_of_[v], limit(v)) : std::vector<Share>{}) {
        const StoredVertex& vertex = surface_.vertices()[share.vertex];
        for (const auto& [joint, weight] : painting.row(vertex.level, vertex.number)) {
          row.push_back({joint, std::max(share.weight, 0.0) * weight});
        }
      }
      append_row(painting_, row);
    }
  }

  // Returns the weights of the control vertices in a vertex's limit point.
  std::vector<Share> limit(std::uint32_t v) const {
    return surface_.topology().limit(level_of_[v], v, surface_.control(level_of_[v]));
  }

  // Returns the area of a location's triangle raised this high over the surface, of its area; negative: turned over.
  double area_left(const ClosestPoint& place, double height) const {
    const auto across = [](const std::array<glm::dvec3, 3>& corners) {
      return glm::cross(corners[1] - corners[0], corners[2] - corners[0]);
    };
    const glm::dvec3 flat = across(corners_of(place, 0));
    return glm::dot(across(corners_of(place, height)), flat) / glm::dot(flat, flat);
  }

  // Returns the corners of a location's triangle, raised this high over the surface.
  std::array<glm::dvec3, 3> corners_of(const ClosestPoint& place, double height) const {
    std::array<glm::dvec3, 3> corners;
    for (int c = 0; c < 3; ++c) {
      const SurfacePoint& limit = limits_[place.vertices[c]];
      corners[c] = height == 0 ? limit.position : limit.position + height * limit.axes()[2];
    }
    return corners;
  }

  Surface& surface_;
  const DeformerInput& input_;
  Polygons faces_;
  std::vector<std::uint32_t> level_of_;  // of each vertex
  std::vector<SurfacePoint> limits_;
  std::vector<glm::vec3> positions_;
  std::vector<glm::uvec3> triangles_;
  SparseRows weights_;         // of the vertices; or none
  SparseRows painting_;        // that moves their limit points; or none
  std::vector<double> apart_;  // find_apart(), as the next
  std::vector<double> facing_;
  std::vector<std::uint32_t> parts_;  // of the vertices; or none
  std::optional<TriangleTree> tree_;
  std::map<std::array<float, 3>, std::uint32_t> vertex_at_;  // vertices of the base by their positions on the skin
  std::vector<glm::uvec3> corners_at_;                       // a triangle at each vertex; 0: none
  std::vector<ClosestPoint> places_;
};

}  // namespace

Result<std::unique_ptr<SkinLocator>> mesh_locator(const Base& base, Surface& surface, const Painting* painting,
                                                  const DeformerInput& input) {
  const HierarchicalBsplineParameters& parameters = base.parameters;
  if (parameters.mapping == SurfaceMapping::kTextureCoordinates) {
    return invalid(input, "mapping by texture_coordinates requires a grid, and the base is a mesh");
  }
  const std::uint32_t finest = surface.finest();
  const double wanted =
      parameters.frames_per_span
          ? static_cast<double>(*parameters.frames_per_span)
          : cells_of_span(mean_edge(surface.topology().faces(finest), surface.control(finest)), mean_edge(input));
  if (wanted == 0) return invalid(input, "frames_per_span every_vertex requires a grid, and the base is a mesh");
  const auto extra = static_cast<std::uint32_t>(std::ceil(std::log2(wanted)));
  return MeshLocator::create(extra, surface, painting, base, input);
}

}  // namespace pelt::hierarchical_bspline
