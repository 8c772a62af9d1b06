// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/elements.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <pelt/frame.h>
#include <pelt/tools/area.h>
#include <pelt/tools/mesh_parts.h>
#include <pelt/try.h>

#include "engine/authoring/geometry/bounds.h"
#include "engine/character/base/invalid.h"
#include "engine/character/records.h"
#include "shaders/driver/patch_frame/pose.h"
#include "shaders/surface_ffd/pose.h"

namespace pelt::surface_ffd {
namespace {

// Returns true if rounding would determine a frame with these tangents: the bound is ten times that of edge_frame.
bool is_flat(const glm::dvec3& e1, const glm::dvec3& e2) {
  const glm::dvec3 normal = glm::cross(e1, e2);
  return glm::dot(normal, normal) <= 10.0 * shared::kFlatTriangle * glm::dot(e1, e1) * glm::dot(e2, e2);
}

// Returns true if rounding would determine the normal of a posed triangle: its corners are each off by about 4 ULP of
// the driver's size, `diagonal`, and its height is at most two such errors.
bool is_sliver(const glm::dvec3& e1, const glm::dvec3& e2, double diagonal) {
  constexpr double kLeastHeight = 1e-6;
  const double longest = std::max({glm::length(e1), glm::length(e2), glm::distance(e1, e2)});
  return glm::length(glm::cross(e1, e2)) <= kLeastHeight * diagonal * longest;
}

// Returns [e1 e2 e3], with two edges and the unit normal as columns.
glm::dmat3 triangle_axes(const Mesh& mesh, glm::uvec3 t) {
  const glm::dvec3 a(mesh.positions[t.x]);
  const glm::dvec3 e1 = glm::dvec3(mesh.positions[t.y]) - a;
  const glm::dvec3 e2 = glm::dvec3(mesh.positions[t.z]) - a;
  return {e1, e2, glm::normalize(glm::cross(e1, e2))};
}

// Mean lengths of the unique edges: of all of them, and at each vertex.
struct EdgeLengths {
  double mean = 0;
  std::vector<double> at_vertex;
};

EdgeLengths edge_lengths(const Mesh& mesh, std::span<const glm::uvec3> triangles) {
  const std::vector<MeshEdge> edges = unique_edges(triangles);
  EdgeLengths lengths{0, std::vector<double>(mesh.positions.size(), 0)};
  std::vector<double> count(mesh.positions.size(), 0);
  for (const auto& [a, b] : edges) {
    const double length = glm::distance(glm::dvec3(mesh.positions[a]), glm::dvec3(mesh.positions[b]));
    lengths.mean += length / static_cast<double>(edges.size());
    for (const std::uint32_t v : {a, b}) {
      lengths.at_vertex[v] += length;
      ++count[v];
    }
  }
  for (std::size_t v = 0; v < count.size(); ++v) lengths.at_vertex[v] /= std::max(count[v], 1.0);
  return lengths;
}

// Returns Q^-1 in the form of records.
Affine inverse_frame(const glm::dmat3& axes, const glm::dvec3& origin) {
  const glm::dmat3 inverse = glm::inverse(axes);
  return affine_from_axes(glm::mat3(inverse), glm::vec3(-(inverse * origin)));
}

// Returns for each vertex the first one with its position and motion: twins at a seam are one.
std::vector<std::uint32_t> find_twins(const Driver& driver) {
  std::vector<std::uint32_t> twins = weld_by_position(driver.mesh.positions);
  const SparseRows& weights = driver.mesh.weights;
  for (std::uint32_t v = 0; v < twins.size(); ++v) {
    const bool alike = !driver.estimated_frames && !driver.sculpted &&
                       (weights.row_count() == 0 || std::ranges::equal(weights.row(v), weights.row(twins[v])));
    if (!alike) twins[v] = v;
  }
  return twins;
}

}  // namespace

Result<Elements> Elements::create(const Driver& driver) {
  Elements elements;
  PELT_TRY(driver.patches.empty() ? elements.find_triangles(driver) : elements.find_samples(driver));
  return elements;
}

Result<void> Elements::find_triangles(const Driver& driver) {
  const Mesh& mesh = driver.mesh;
  const std::vector<std::uint32_t> twins = find_twins(driver);
  const double least = least_area(mesh);
  const double diagonal = glm::length(bounds_of<glm::dvec3>(std::span(mesh.positions)).size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const glm::uvec3 corners = mesh.triangles[t];
    const glm::dvec3 a(mesh.positions[corners.x]);
    const glm::dvec3 e1 = glm::dvec3(mesh.positions[corners.y]) - a;
    const glm::dvec3 e2 = glm::dvec3(mesh.positions[corners.z]) - a;
    if (is_sliver(e1, e2, diagonal) || triangle_area(mesh, corners) <= least) {
      ++degenerate_;
      continue;
    }
    triangles_.emplace_back(twins[corners.x], twins[corners.y], twins[corners.z]);
    source_triangles_.push_back(driver.source_triangle[t]);
    normals_.emplace_back(triangle_axes(mesh, corners)[2]);
  }
  if (triangles_.empty()) {
    return invalid("the driver '{}' has no triangle with area", mesh.name);
  }
  PELT_ASSIGN(tree_, TriangleTree::create(mesh.positions, triangles_));

  std::vector<std::size_t> valence(mesh.positions.size(), 0);
  const std::vector<std::uint32_t> welded = weld_by_position(mesh.positions);
  const std::vector<glm::uvec3> joined = welded_triangles(welded, triangles_);
  for (const glm::uvec3 t : joined) {
    for (int corner = 0; corner < 3; ++corner) ++valence[t[corner]];
  }
  largest_valence_ = *std::ranges::max_element(valence);
  const EdgeLengths lengths = edge_lengths(mesh, joined);
  mean_spacing_ = lengths.mean;
  for (const glm::uvec3 t : joined) {
    spacings_.push_back((lengths.at_vertex[t.x] + lengths.at_vertex[t.y] + lengths.at_vertex[t.z]) / 3);
  }
  const std::vector<std::uint32_t> part = connected_parts(mesh.positions.size(), joined);
  for (const glm::uvec3 t : joined) parts_.push_back(part[t.x]);
  return {};
}

Result<void> Elements::find_samples(const Driver& driver) {
  std::uint32_t first_control = 0;
  double spacing = 0;
  std::size_t neighbours = 0;
  for (std::uint32_t p = 0; p < driver.patches.size(); ++p) {
    const BsplinePatch& patch = driver.patches[p];
    const auto [uvs, across] = patch_samples(patch);
    std::vector<glm::dvec3> positions;
    for (const glm::dvec2 uv : uvs) {
      const PatchPoint point = evaluate(patch, uv);
      const std::size_t i = positions.size();
      positions.push_back(point.position);
      for (const std::size_t step : {std::size_t{1}, across}) {
        if (i < step || (step == 1 && i % across == 0)) continue;
        spacing += glm::distance(positions[i], positions[i - step]);
        ++neighbours;
      }
      if (is_flat(point.tangent_u, point.tangent_v)) {
        ++degenerate_;
        continue;
      }
      const glm::dvec3 normal = glm::normalize(glm::cross(point.tangent_u, point.tangent_v));
      samples_.push_back(
          {first_control, basis(patch, uv), glm::dmat3(point.tangent_u, point.tangent_v, normal), point.position});
      normals_.emplace_back(normal);
      parts_.push_back(p);
    }
    first_control += patch.count_u * patch.count_v;
  }
  if (samples_.empty()) {
    return invalid("the driver '{}' has no sample with two tangents", driver.mesh.name);
  }
  mean_spacing_ = spacing / static_cast<double>(neighbours);
  largest_valence_ = 1;
  return {};
}

void Elements::nearest(std::span<const glm::dvec3> points, std::size_t count, const TriangleTree::Visit& visit) const {
  if (tree_) return tree_->nearest(points, count, visit);
  std::vector<Near> found;
  for (std::size_t i = 0; i < points.size(); ++i) {
    nearest(points[i], count, found);
    visit(i, found);
  }
}

void Elements::nearest(const glm::dvec3& point, std::size_t wanted, std::vector<Near>& result) const {
  result.clear();
  if (tree_) {
    std::vector<TriangleTree::Near> found;
    tree_->nearest(point, wanted, found);
    for (const TriangleTree::Near& near : found) {
      result.push_back({near.triangle, tree_->closest_point(near.triangle, point)});
    }
    return;
  }
  for (std::uint32_t s = 0; s < samples_.size(); ++s) {
    const glm::dvec3 away = point - samples_[s].position;
    result.push_back({s, {glm::dot(away, away), glm::uvec3(0), glm::dvec3(0)}});
  }
  const auto closer = [](const Near& a, const Near& b) {
    return a.closest.squared_distance != b.closest.squared_distance
               ? a.closest.squared_distance < b.closest.squared_distance
               : a.triangle < b.triangle;
  };
  const auto kept = static_cast<std::ptrdiff_t>(std::min(wanted, result.size()));
  std::partial_sort(result.begin(), result.begin() + kept, result.end(), closer);
  result.resize(static_cast<std::size_t>(kept));
}

std::uint32_t Elements::add_pass(const Driver& driver, CharacterBuilder& builder) const {
  PalettePass pass;
  pass.stage = builder.stage_after(driver.control_mesh);
  pass.record_count = static_cast<std::uint32_t>(count());
  const std::uint32_t first = builder.first_vertex(driver.control_mesh);
  if (!parametric()) {
    pass.kernel = PoseKernel::kSurfaceFfd;
    for (const glm::uvec3 t : triangles_) {
      const Affine inverse = inverse_frame(triangle_axes(driver.mesh, t), glm::dvec3(driver.mesh.positions[t.x]));
      append_record(pass.records, shared::TriangleRecord{first + t.x, first + t.y, first + t.z, inverse});
    }
    return builder.add_pass(std::move(pass));
  }
  pass.kernel = PoseKernel::kPatchFrame;
  for (const PatchSample& sample : samples_) {
    append_record(pass.records, shared::PatchRecord{static_cast<std::uint32_t>(pass.table.size()),
                                                    static_cast<std::uint32_t>(sample.basis.size()),
                                                    inverse_frame(sample.axes, sample.position)});
    for (const PatchBasis& basis : sample.basis) {
      pass.table.push_back(first + sample.first_control + basis.control);
      for (const double value : {basis.r, basis.r_u, basis.r_v}) {
        pass.table.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
      }
    }
  }
  return builder.add_pass(std::move(pass));
}

}  // namespace pelt::surface_ffd
