// SPDX-License-Identifier: MIT
#include "engine/authoring/skeletonize/force_field.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <limits>

#include "engine/authoring/base/parallel_each.h"
#include "engine/authoring/geometry/bounds.h"

namespace pelt::skeletonize {
namespace {

constexpr std::size_t kGrain = 256;     // voxels in a task
constexpr std::size_t kLeafPoints = 8;  // largest number of charges in a leaf
constexpr double kOpening = 0.3;  // a group acts as one charge if its radius is below this fraction of its distance

// Charges in a tree of groups; each group precedes its parts.
class Charges {
 public:
  explicit Charges(std::span<const glm::vec3> points) : points_(points.begin(), points.end()) {
    build(0, points_.size());
  }

  glm::dvec3 force_at(const glm::dvec3& p) const {
    glm::dvec3 sum(0);
    const auto push = [&](const glm::dvec3& from_charge, double count) {
      const double squared = std::max(glm::dot(from_charge, from_charge), kNearest);
      sum += count / (squared * squared * squared) * from_charge;
    };
    for (std::size_t g = 0; g < groups_.size();) {
      const Group& group = groups_[g];
      const glm::dvec3 offset = p - group.middle;
      if (group.radius * group.radius < kOpening * kOpening * glm::dot(offset, offset)) {
        push(offset, static_cast<double>(group.end - group.begin));
        g = group.next;
      } else {
        for (std::size_t i = group.begin; group.leaf && i < group.end; ++i) push(p - glm::dvec3(points_[i]), 1);
        ++g;
      }
    }
    return sum;
  }

  double distance_from(const glm::dvec3& p) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t g = 0; g < groups_.size();) {
      const Group& group = groups_[g];
      if (glm::distance(p, group.middle) - group.radius > least) {
        g = group.next;
        continue;
      }
      for (std::size_t i = group.begin; group.leaf && i < group.end; ++i) {
        least = std::min(least, glm::distance(p, glm::dvec3(points_[i])));
      }
      ++g;
    }
    return least;
  }

 private:
  struct Group {
    std::size_t begin = 0;  // range of its charges
    std::size_t end = 0;
    std::size_t next = 0;  // the group after all its parts
    glm::dvec3 middle{0};
    double radius = 0;  // round the middle
    bool leaf = false;
  };
  static constexpr double kNearest = 0.01;  // squared distance, voxels: smaller distances count as this

  // Halves a group by the median charge along its longest side, so that the depth is the logarithm of the count.
  void build(std::size_t begin, std::size_t end) {
    const std::size_t index = groups_.size();
    Group group{.begin = begin, .end = end, .leaf = end - begin <= kLeafPoints};
    Bounds<glm::vec3> bounds;
    for (std::size_t i = begin; i < end; ++i) {
      bounds.add(points_[i]);
      group.middle += glm::dvec3(points_[i]);
    }
    group.middle /= static_cast<double>(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      group.radius = std::max(group.radius, glm::distance(group.middle, glm::dvec3(points_[i])));
    }
    groups_.push_back(group);
    if (!group.leaf) {
      const int axis = bounds.longest_axis();
      const std::size_t half = begin + (end - begin) / 2;
      const auto at = [&](std::size_t i) { return points_.begin() + static_cast<std::ptrdiff_t>(i); };
      std::nth_element(at(begin), at(half), at(end), [axis](const glm::vec3& a, const glm::vec3& b) {
        return std::array{a[axis], a.x, a.y, a.z} < std::array{b[axis], b.x, b.y, b.z};
      });
      build(begin, half);
      build(half, end);
    }
    groups_[index].next = groups_.size();
  }

  std::vector<glm::vec3> points_;
  std::vector<Group> groups_;
};

// Interpolates the force in a cell from its corners. Bits 0, 1 and 2 of c are the position of corner c.
glm::dvec3 mix(std::span<const glm::dvec3, 8> corners, const glm::dvec3& t) {
  glm::dvec3 sum(0);
  for (int c = 0; c < 8; ++c) {
    const glm::dvec3 side(c & 1, c >> 1 & 1, c >> 2);
    const glm::dvec3 share = glm::mix(1.0 - t, t, side);
    sum += share.x * share.y * share.z * corners[static_cast<std::size_t>(c)];
  }
  return sum;
}

// Returns d force / d t; each column is one direction.
glm::dmat3 slope(std::span<const glm::dvec3, 8> corners, const glm::dvec3& t) {
  constexpr double kStep = 1e-3;
  glm::dmat3 result;
  for (int axis = 0; axis < 3; ++axis) {
    glm::dvec3 step(0);
    step[axis] = kStep;
    result[axis] = (mix(corners, t + step) - mix(corners, t - step)) / (2 * kStep);
  }
  return result;
}

// Finds the zero of the field in one cell by Newton's method from the cell's middle.
std::optional<CriticalPoint> critical_point(std::span<const glm::dvec3, 8> corners) {
  Bounds<glm::dvec3> bounds;
  for (const glm::dvec3& corner : corners) bounds.add(corner);
  if (glm::any(glm::greaterThan(bounds.low, glm::dvec3(0))) || glm::any(glm::lessThan(bounds.high, glm::dvec3(0)))) {
    return {};
  }
  constexpr int kSteps = 12;
  constexpr double kExact = 1e-9;
  glm::dvec3 t(0.5);
  for (int i = 0; i < kSteps; ++i) {
    const glm::dmat3 by = slope(corners, t);
    if (!(std::abs(glm::determinant(by)) > 0)) return {};
    t = glm::clamp(t - glm::inverse(by) * mix(corners, t), -0.5, 1.5);
  }
  if (!glm::all(glm::greaterThanEqual(t, glm::dvec3(0))) || !glm::all(glm::lessThan(t, glm::dvec3(1)))) return {};
  if (!(glm::length(mix(corners, t)) < kExact)) return {};
  const glm::dmat3 by = slope(corners, t);
  Eigen::Matrix3d matrix;
  // The field has no curl, nor does the scaled one at its zeros: an asymmetric part comes from interpolation.
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) matrix(row, column) = 0.5 * (by[column][row] + by[row][column]);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(matrix);
  CriticalPoint result{t, {}};
  for (int i = 0; i < 3; ++i) {
    if (!(eigen.eigenvalues()[i] > 0)) continue;
    const auto v = eigen.eigenvectors().col(i);
    result.directions.emplace_back(v[0], v[1], v[2]);
  }
  return result;
}

}  // namespace

ForceField find_forces(const Voxels& voxels, unsigned threads) {
  const Charges charges(voxels.surface);
  ForceField field{std::vector<glm::vec3>(voxels.cells.size()), std::vector<float>(voxels.cells.size())};
  parallel_each(voxels.cells.size(), kGrain, threads, [&](std::size_t i) {
    const glm::dvec3 p(voxels.cells[i]);
    const double depth = charges.distance_from(p);
    // A flat wall with one charge on each square exerts pi / (2 depth^3), the integral of 2 pi r depth / (r^2 +
    // depth^2)^3.
    const glm::dvec3 force = charges.force_at(p) * (2 / glm::pi<double>() * depth * depth * depth);
    // Limit the length: if the surface passes through the voxel, only the nearest charge would set it.
    field.force[i] = glm::vec3(force / std::max(1.0, glm::length(force)));
    field.depth[i] = static_cast<float>(depth);
  });
  return field;
}

std::optional<glm::dvec3> sample(const ForceField& field, const Voxels& voxels, const glm::dvec3& point) {
  const glm::dvec3 floor = glm::floor(point);
  const glm::dvec3 t = point - floor;
  glm::dvec3 sum(0);
  double total = 0;
  for (int c = 0; c < 8; ++c) {
    const glm::ivec3 side(c & 1, c >> 1 & 1, c >> 2);
    const std::uint32_t voxel = voxels.at(glm::ivec3(floor) + side);
    if (voxel == kOutside) continue;
    const glm::dvec3 share = glm::mix(1.0 - t, t, glm::dvec3(side));
    const double weight = share.x * share.y * share.z;
    sum += weight * glm::dvec3(field.force[voxel]);
    total += weight;
  }
  if (!(total > 0)) return {};
  return sum / total;
}

std::vector<float> divergence(const ForceField& field, const Voxels& voxels, unsigned threads) {
  std::vector<float> result(voxels.cells.size());
  const auto direction = [&](std::uint32_t voxel) {
    const float length = glm::length(field.force[voxel]);
    return length > 0 ? field.force[voxel] / length : glm::vec3(0.0f);
  };
  parallel_each(result.size(), kGrain, threads, [&](std::size_t i) {
    float sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
      for (const int side : {-1, 1}) {
        glm::ivec3 cell = voxels.cells[i];
        cell[axis] += side;
        const std::uint32_t next = voxels.at(cell);
        sum += 0.5f * (next == kOutside ? -1.0f : static_cast<float>(side) * direction(next)[axis]);
      }
    }
    result[i] = sum;
  });
  return result;
}

std::vector<CriticalPoint> find_critical_points(const ForceField& field, const Voxels& voxels, unsigned threads) {
  std::vector<std::optional<CriticalPoint>> found(voxels.cells.size());
  parallel_each(found.size(), kGrain, threads, [&](std::size_t i) {
    std::array<glm::dvec3, 8> corners;
    bool whole = true;
    for (int c = 0; c < 8 && whole; ++c) {
      const std::uint32_t voxel = voxels.at(voxels.cells[i] + glm::ivec3(c & 1, c >> 1 & 1, c >> 2));
      whole = voxel != kOutside;
      if (whole) corners[static_cast<std::size_t>(c)] = glm::dvec3(field.force[voxel]);
    }
    if (!whole) return;
    found[i] = critical_point(corners);
    if (found[i]) found[i]->position += glm::dvec3(voxels.cells[i]);
  });
  std::vector<CriticalPoint> result;
  for (std::optional<CriticalPoint>& point : found) {
    if (point) result.push_back(std::move(*point));
  }
  return result;
}

}  // namespace pelt::skeletonize
