// SPDX-License-Identifier: MIT
#include "engine/geometry/heat.h"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <algorithm>
#include <limits>
#include <utility>

#include <pelt/tools/mesh_parts.h>

namespace pelt {
namespace {

constexpr double kTolerance = 1e-5;
constexpr int kMaxIterations = 400;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

}  // namespace

// Linear finite elements over some of the vertices: the stiffness and mass of the triangles that were added.
class SurfaceHeat::System {
 public:
  explicit System(std::span<const glm::vec3> positions) : positions_(positions), place_(positions.size(), kNone) {}

  bool empty() const { return vertices_.empty(); }
  std::span<const std::uint32_t> vertices() const { return vertices_; }
  double mass(std::size_t i) const { return mass_[i]; }
  bool takes_part(std::uint32_t v) const { return place_[v] != kNone; }

  void add(const glm::uvec3& t, double conductivity) {
    const glm::dvec3 corners[] = {glm::dvec3(positions_[t.x]), glm::dvec3(positions_[t.y]),
                                  glm::dvec3(positions_[t.z])};
    const double twice_area = glm::length(glm::cross(corners[1] - corners[0], corners[2] - corners[0]));
    if (!(conductivity > 0) || !(twice_area > 0)) return;
    for (int corner = 0; corner < 3; ++corner) {
      const int next = (corner + 1) % 3;
      const std::uint32_t a = place_of(t[corner]);
      const std::uint32_t b = place_of(t[next]);
      const glm::dvec3& opposite = corners[(corner + 2) % 3];
      const double flux =
          0.5 * conductivity * glm::dot(corners[corner] - opposite, corners[next] - opposite) / twice_area;
      entries_.emplace_back(a, a, flux);
      entries_.emplace_back(b, b, flux);
      entries_.emplace_back(a, b, -flux);
      entries_.emplace_back(b, a, -flux);
      stiffness_[a] += std::abs(flux);
      mass_[a] += twice_area / 6;
    }
  }

  // Solves for the values of the system's vertices that are not `fixed`. `hold` is how strongly each keeps its present
  // value. Both have one entry for each vertex of the system.
  void solve(std::span<const double> hold, std::span<const std::uint8_t> fixed,
             std::initializer_list<std::span<float>> values) {
    const auto count = static_cast<Eigen::Index>(vertices_.size());
    const auto is_fixed = [&](Eigen::Index i) { return fixed[static_cast<std::size_t>(i)] != 0; };
    const auto own = [&](Eigen::Index i) { return is_fixed(i) ? 1.0 : hold[static_cast<std::size_t>(i)]; };
    std::vector<Eigen::Triplet<double>> free;
    for (Eigen::Index i = 0; i < count; ++i) free.emplace_back(i, i, own(i));
    for (const Eigen::Triplet<double>& entry : entries_) {
      if (!is_fixed(entry.row()) && !is_fixed(entry.col())) free.push_back(entry);
    }
    Eigen::SparseMatrix<double> matrix(count, count);
    matrix.setFromTriplets(free.begin(), free.end());
    Eigen::ConjugateGradient<Eigen::SparseMatrix<double>, Eigen::Lower | Eigen::Upper> solver;
    solver.setTolerance(kTolerance);
    solver.setMaxIterations(kMaxIterations);
    solver.compute(matrix);
    for (const std::span<float> own_values : values) {
      Eigen::VectorXd before(count);
      for (Eigen::Index i = 0; i < count; ++i) before[i] = own_values[vertices_[static_cast<std::size_t>(i)]];
      Eigen::VectorXd heat(count);
      for (Eigen::Index i = 0; i < count; ++i) heat[i] = own(i) * before[i];
      for (const Eigen::Triplet<double>& entry : entries_) {
        if (!is_fixed(entry.row()) && is_fixed(entry.col())) heat[entry.row()] -= entry.value() * before[entry.col()];
      }
      const Eigen::VectorXd after = solver.solveWithGuess(heat, before);
      if (!after.allFinite()) continue;
      for (Eigen::Index i = 0; i < count; ++i) {
        if (!is_fixed(i)) own_values[vertices_[static_cast<std::size_t>(i)]] = static_cast<float>(after[i]);
      }
    }
  }

  double stiffness(std::size_t i) const { return stiffness_[i]; }

 private:
  std::uint32_t place_of(std::uint32_t v) {
    if (place_[v] == kNone) {
      place_[v] = static_cast<std::uint32_t>(vertices_.size());
      vertices_.push_back(v);
      mass_.push_back(0);
      stiffness_.push_back(0);
    }
    return place_[v];
  }

  std::span<const glm::vec3> positions_;
  std::vector<std::uint32_t> place_;     // number of each vertex in the system
  std::vector<std::uint32_t> vertices_;  // the system's vertices
  std::vector<Eigen::Triplet<double>> entries_;
  std::vector<double> mass_, stiffness_;
};

SurfaceHeat::SurfaceHeat(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
                         std::vector<std::uint32_t> welded)
    : positions_(positions), welded_(std::move(welded)), triangles_(welded_triangles(welded_, triangles)) {}

void SurfaceHeat::flow(std::span<const float> spread, std::span<float> values) const {
  System system(positions_);
  for (const glm::uvec3 t : triangles_) system.add(t, std::min({spread[t.x], spread[t.y], spread[t.z]}));
  if (system.empty()) return;
  std::vector<double> hold;
  for (std::size_t i = 0; i < system.vertices().size(); ++i) hold.push_back(system.mass(i));
  system.solve(hold, std::vector<std::uint8_t>(hold.size(), 0), {values});
  copy_over_seams(system, values);
}

void SurfaceHeat::copy_over_seams(const System& system, std::span<float> values) const {
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (system.takes_part(welded_[v])) values[v] = values[welded_[v]];
  }
}

void SurfaceHeat::fill(std::span<const std::uint8_t> known, std::initializer_list<std::span<float>> values) const {
  System system(positions_);
  for (const glm::uvec3 t : triangles_) {
    const std::uint8_t most = std::max({known[t.x], known[t.y], known[t.z]});
    if (most == kUnknown && std::min({known[t.x], known[t.y], known[t.z]}) != kAside) system.add(t, 1);
  }
  if (system.empty()) return;
  std::vector<double> hold;
  std::vector<std::uint8_t> fixed;
  for (std::size_t i = 0; i < system.vertices().size(); ++i) {
    hold.push_back(1e-6 * system.stiffness(i));  // a vertex that is connected to no known one keeps its value
    fixed.push_back(known[system.vertices()[i]] == kUnknown ? 0 : 1);
  }
  system.solve(hold, fixed, values);
  for (const std::span<float> own : values) copy_over_seams(system, own);
}

}  // namespace pelt
