// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/inpaint.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <pelt/mesh.h>
#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/base/parallel_each.h"

namespace pelt {
namespace {

// With the stiffness K (cotangents) and the masses M, the weights w of each joint solve, at the unknown vertices,
//
//   (length^2 K M^-1 K + K) w = 0
//
// The paper's operator has no length, so its result depends on the unit of the positions.

constexpr double kFlattest = 0.02;   // sine of an angle: slivers count as if their angles were larger
constexpr double kLeastLink = 0.01;  // > 0: an edge between obtuse triangles pulls, too, so K has a maximum principle
constexpr double kLeastMass = 1e-3;  // of the mean
constexpr double kLeastWeight = 1e-4;

using Matrix = Eigen::SparseMatrix<double>;

Matrix stiffness(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles) {
  std::vector<std::pair<MeshEdge, double>> links;  // half the cotangent opposite to the edge
  for (const glm::uvec3 t : triangles) {
    for (int corner = 0; corner < 3; ++corner) {
      const glm::dvec3 opposite(positions[t[(corner + 2) % 3]]);
      const glm::dvec3 a = glm::dvec3(positions[t[corner]]) - opposite;
      const glm::dvec3 b = glm::dvec3(positions[t[(corner + 1) % 3]]) - opposite;
      const double lengths = glm::length(a) * glm::length(b);
      const double sine = std::max(glm::length(glm::cross(a, b)), kFlattest * lengths);
      if (sine > 0) links.emplace_back(edge_at(t, corner), 0.5 * glm::dot(a, b) / sine);
    }
  }
  std::ranges::stable_sort(links, {}, &std::pair<MeshEdge, double>::first);
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < links.size();) {
    const auto [a, b] = links[i].first;
    double link = 0;
    for (; i < links.size() && links[i].first == MeshEdge(a, b); ++i) link += links[i].second;
    link = std::max(link, kLeastLink);
    entries.emplace_back(a, a, link);
    entries.emplace_back(b, b, link);
    entries.emplace_back(a, b, -link);
    entries.emplace_back(b, a, -link);
  }
  const auto count = static_cast<Eigen::Index>(positions.size());
  Matrix result(count, count);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

// Returns length^2 M^-1.
Eigen::VectorXd inverse_masses(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
                               double length) {
  const std::vector<double> areas = vertex_areas(positions, triangles);
  double sum = 0;
  double used = 0;
  for (const double area : areas) {
    sum += area;
    used += area > 0;
  }
  Eigen::VectorXd result(static_cast<Eigen::Index>(areas.size()));
  for (std::size_t v = 0; v < areas.size(); ++v)
    result[static_cast<Eigen::Index>(v)] = length * length / std::max(areas[v], kLeastMass * sum / std::max(used, 1.0));
  return result;
}

}  // namespace

Inpainting::Inpainting(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
                       const std::vector<bool>& is_known, double length) {
  const std::size_t count = positions.size();
  const std::vector<std::uint32_t> parts = connected_parts(count, triangles);
  std::vector<bool> is_reached(count, false);
  for (std::size_t v = 0; v < count; ++v) is_reached[parts[v]] = is_reached[parts[v]] || is_known[v];
  std::vector<int> place(count, -1);  // of each unknown vertex
  for (std::uint32_t v = 0; v < count; ++v) {
    if (is_known[v] || !is_reached[parts[v]]) continue;
    place[v] = static_cast<int>(filled_.size());
    filled_.push_back(v);
  }
  if (filled_.empty()) return;

  const Matrix k = stiffness(positions, triangles);
  const Matrix whole = k * inverse_masses(positions, triangles, length).asDiagonal() * k + k;
  std::vector<Eigen::Triplet<double>> entries, known;
  for (int v = 0; v < whole.outerSize(); ++v) {
    const auto vertex = static_cast<std::size_t>(v);
    for (Matrix::InnerIterator entry(whole, v); entry; ++entry) {
      const int row = place[static_cast<std::size_t>(entry.row())];
      if (row < 0) continue;
      if (place[vertex] >= 0) {
        entries.emplace_back(row, place[vertex], entry.value());
      } else {
        known.emplace_back(row, v, -entry.value());
      }
    }
  }
  const auto unknowns = static_cast<Eigen::Index>(filled_.size());
  known_.resize(unknowns, static_cast<Eigen::Index>(count));
  known_.setFromTriplets(known.begin(), known.end());
  Matrix system(unknowns, unknowns);
  system.setFromTriplets(entries.begin(), entries.end());
  solver_.compute(system);
  if (solver_.info() != Eigen::Success) filled_.clear();
}

void Inpainting::fill(std::span<double> values) const {
  if (filled_.empty()) return;
  const Eigen::Map<const Eigen::VectorXd> all(values.data(), static_cast<Eigen::Index>(values.size()));
  const Eigen::VectorXd right = known_ * all;
  const Eigen::VectorXd found = solver_.solve(right);
  for (std::size_t i = 0; i < filled_.size(); ++i) values[filled_[i]] = found[static_cast<Eigen::Index>(i)];
}

SparseRows inpaint(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles, const SparseRows& known,
                   double length, unsigned threads) {
  const std::size_t count = positions.size();
  std::vector<bool> is_known(count);
  for (std::size_t v = 0; v < count; ++v) is_known[v] = !known.row(v).empty();
  const Inpainting inpainting(positions, triangles, is_known, length);
  const std::vector<std::uint32_t>& filled = inpainting.filled();
  if (filled.empty()) return known;

  std::vector<std::vector<std::pair<std::uint32_t, double>>> given;  // of each joint: its known weights, by vertex
  for (std::uint32_t v = 0; v < count; ++v) {
    for (const Influence& influence : known.row(v)) {
      if (given.size() <= influence.index) given.resize(influence.index + 1);
      given[influence.index].emplace_back(v, influence.weight);
    }
  }
  std::vector<std::vector<std::pair<std::size_t, double>>> found(
      given.size());  // of each joint: its weight at unknowns
  parallel_each(given.size(), 1, threads, [&](std::size_t j) {
    if (given[j].empty()) return;
    std::vector<double> values(count, 0.0);
    for (const auto& [v, weight] : given[j]) values[v] = weight;
    inpainting.fill(values);
    for (std::size_t i = 0; i < filled.size(); ++i) {
      if (values[filled[i]] > kLeastWeight) found[j].emplace_back(i, values[filled[i]]);
    }
  });
  std::vector<std::vector<WeightedElement>> rows(filled.size());
  for (std::uint32_t j = 0; j < found.size(); ++j) {
    for (const auto& [i, weight] : found[j]) rows[i].push_back({j, weight});
  }
  SparseRows result;
  std::size_t next = 0;
  for (std::uint32_t v = 0; v < count; ++v) {
    if (next < filled.size() && filled[next] == v) {
      append_distinct_row(result, rows[next++]);
    } else {
      result.append_row(known.row(v));
    }
  }
  return result;
}

}  // namespace pelt
