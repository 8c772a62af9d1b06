// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/reduce_rows.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>

#include <pelt/tools/parallel.h>
#include <pelt/tools/weld.h>

#include "engine/authoring/base/stop.h"
#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/rows/row_weights.h"

namespace pelt::surface_ffd {
namespace {

// For influence j of the row of a vertex P, x_j is the vector of these samples over all poses: T_j P, h A_j e and
// h A_j f, with the mean edge h of P and unit vectors e and f along the surface, all less their sums over the row with
// the row's weights w. So sum w_j x_j = 0, and other weights s of sum 1 make the error |sum s_j x_j|. The best s over a
// subset of influences minimise it: with G_ij = x_i . x_j,
//
//   sum over i, j of (s_i - w_i) (G_ij + ridge delta_ij) (s_j - w_j).
//
// Influences are removed one by one, always the one whose removal adds least. If M is the inverse of that matrix within
// the vectors of sum 0, removing i adds s_i^2 / M_ii and makes s -= s_i / M_ii M_i, M -= M_i M_i^T / M_ii. The same
// step keeps the derivatives of the row by the components of gradients, whose sum is 0 instead of 1.

constexpr int kMost = 16;               // influences of a row that is reduced
constexpr std::size_t kLanes = 8;       // floats that loops over poses take together
constexpr std::size_t kSamples = 9;     // per influence and pose
constexpr double kEdgeShare = 0.004;    // largest error, of the mean edge
constexpr double kSizeShare = 1e-4;     // and of the size of the mesh
constexpr float kCosine = 0.99984770f;  // of a degree
constexpr double kSteeper = 1.25;       // bound of the steepest gradient, over that before: they have 8 bits
constexpr double kRidge = 0.1;          // times the square of the error that is allowed, per pose

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;
using Columns = Eigen::Matrix<double, Eigen::Dynamic, 3, 0, kMost, 3>;  // weights, gradients along e and f times h

// The lines of palette entries over poses: component c of entry i in pose t is of(i)[c * poses() + t].
class PosedLines {
 public:
  PosedLines(std::span<const MeshRows> meshes, std::span<const std::vector<Affine>> palettes)
      : poses_((palettes.size() + kLanes - 1) / kLanes * kLanes) {
    std::uint32_t last = 0;
    first_ = std::numeric_limits<std::uint32_t>::max();
    for (const MeshRows& of : meshes) {
      for (const Influence& influence : of.rows->influences) {
        first_ = std::min(first_, influence.index);
        last = std::max(last, influence.index);
      }
    }
    if (first_ > last) return;
    lines_.resize((last - first_ + 1) * 12 * poses_);
    for (std::size_t t = 0; t < poses_; ++t) {
      const std::vector<Affine>& palette = palettes[std::min(t, palettes.size() - 1)];
      for (std::uint32_t i = first_; i <= last; ++i) {
        float* line = lines_.data() + (i - first_) * 12 * poses_ + t;
        for (int c = 0; c < 12; ++c) line[static_cast<std::size_t>(c) * poses_] = palette[i][c / 4][c % 4];
      }
    }
  }

  std::size_t poses() const { return poses_; }
  const float* of(std::uint32_t entry) const { return lines_.data() + (entry - first_) * 12 * poses_; }

 private:
  std::size_t poses_;  // a multiple of kLanes: the last pose is repeated
  std::uint32_t first_;
  std::vector<float> lines_;
};

float dot(const float* a, const float* b, std::size_t count) {
  float sums[kLanes] = {};
  for (std::size_t i = 0; i < count; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) sums[k] += a[i + k] * b[i + k];
  }
  float sum = 0;
  for (const float part : sums) sum += part;
  return sum;
}

// The coordinates of a vector over poses: component c in pose t is at[c * poses + t].
struct Track {
  const float* at;
  std::size_t poses;
  glm::vec3 operator[](std::size_t t) const { return {at[t], at[poses + t], at[2 * poses + t]}; }
};

// Reduces rows. Each thread has its own.
class Reducer {
 public:
  explicit Reducer(const PosedLines& lines)
      : lines_(lines), poses_(lines.poses()), samples_(kMost * kSamples * poses_) {
    for (std::vector<float>* sums : {&mean_, &before_, &after_}) sums->resize(kSamples * poses_);
  }

  // Reduces a row at `point`, with a unit normal, a mean edge and the largest error, metres. Weights and gradients of 0
  // replace what is removed.
  void reduce(const glm::vec3& point, const glm::vec3& normal, float edge, double error, std::span<Influence> row,
              std::span<glm::vec3> gradients) {
    count_ = static_cast<int>(row.size());
    const glm::vec3 aside = std::abs(normal.x) < 0.5f ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0);
    const glm::vec3 e = glm::normalize(glm::cross(normal, aside));
    const glm::vec3 f = glm::cross(normal, e);
    const std::array<glm::vec4, 3> vectors{glm::vec4(point, 1), glm::vec4(edge * e, 0), glm::vec4(edge * f, 0)};
    sample(vectors, row);
    Columns given(count_, 3);
    for (int j = 0; j < count_; ++j) {
      const glm::vec3 gradient = gradients.empty() ? glm::vec3(0.0f) : edge * gradients[static_cast<std::size_t>(j)];
      given.row(j) << row[static_cast<std::size_t>(j)].weight, glm::dot(gradient, e), glm::dot(gradient, f);
    }
    add_up(given, before_);
    const double allowed = std::min(error, kEdgeShare * edge);
    Columns kept = fewest(given, allowed);
    Columns flat = kept;
    flat.rightCols(2).setZero();
    const bool steep = !gradients.empty() && !given.rightCols(2).isZero(0) && !agrees(flat, allowed);
    for (int j = 0; j < count_; ++j) {
      const auto at = static_cast<std::size_t>(j);
      row[at].weight = static_cast<float>(kept(j, 0));
      if (gradients.empty()) continue;
      gradients[at] = steep ? glm::vec3(glm::dvec3(e) * kept(j, 1) + glm::dvec3(f) * kept(j, 2)) / edge : glm::vec3(0);
    }
  }

 private:
  float* samples_of(int j) { return samples_.data() + static_cast<std::size_t>(j) * kSamples * poses_; }

  // Sets the samples of a row, and their means.
  void sample(std::span<const glm::vec4> vectors, std::span<const Influence> row) {
    std::ranges::fill(mean_, 0.0f);
    for (int j = 0; j < count_; ++j) {
      const auto [entry, weight] = row[static_cast<std::size_t>(j)];
      const float* line = lines_.of(entry);
      float* to = samples_of(j);
      for (const glm::vec4& v : vectors) {
        for (std::size_t c = 0; c < 3; ++c, to += poses_) {
          const float* from = line + 4 * c * poses_;
          for (std::size_t t = 0; t < poses_; ++t) {
            to[t] = v.x * from[t] + v.y * from[poses_ + t] + v.z * from[2 * poses_ + t] + v.w * from[3 * poses_ + t];
          }
        }
      }
      to = samples_of(j);
      for (std::size_t s = 0; s < mean_.size(); ++s) mean_[s] += weight * to[s];
    }
    for (int j = 0; j < count_; ++j) {
      float* to = samples_of(j);
      for (std::size_t s = 0; s < mean_.size(); ++s) to[s] -= mean_[s];
    }
  }

  // Sums up a row: the change of the vertex, then the posed edge vectors along e and f with the derivatives.
  void add_up(const Columns& row, std::vector<float>& sums) {
    std::ranges::copy(mean_, sums.begin());
    std::fill_n(sums.begin(), 3 * poses_, 0.0f);
    for (int j = 0; j < count_; ++j) {
      const auto w = static_cast<float>(row(j, 0));
      const float* x = samples_of(j);
      for (std::size_t s = 0; w != 0 && s < sums.size(); ++s) sums[s] += w * x[s];
      for (std::size_t k = 1; k <= 2; ++k) {
        const auto g = static_cast<float>(row(j, static_cast<int>(k)));
        float* to = sums.data() + 3 * k * poses_;
        for (std::size_t s = 0; g != 0 && s < 3 * poses_; ++s) to[s] += g * x[s];
      }
    }
  }

  // Returns true if a row moves the vertex as allowed. before_ has the sums of the original row.
  bool agrees(const Columns& row, double allowed) {
    add_up(row, after_);
    const auto track = [&](const std::vector<float>& sums, std::size_t k) {
      return Track{sums.data() + 3 * k * poses_, poses_};
    };
    const float most = static_cast<float>(allowed * allowed);
    for (std::size_t t = 0; t < poses_; ++t) {
      const glm::vec3 off = track(after_, 0)[t] - track(before_, 0)[t];
      if (!(glm::dot(off, off) <= most)) return false;
      const glm::vec3 wanted = glm::cross(track(before_, 1)[t], track(before_, 2)[t]);
      const glm::vec3 found = glm::cross(track(after_, 1)[t], track(after_, 2)[t]);
      const float cosine = glm::dot(wanted, found);
      if (!(cosine >= kCosine * std::sqrt(glm::dot(wanted, wanted) * glm::dot(found, found)))) return false;
    }
    return true;
  }

  // Returns the row with the fewest influences that removing the least important ones finds.
  Columns fewest(const Columns& given, double allowed) {
    Matrix inner(count_, count_);
    for (int i = 0; i < count_; ++i) {
      for (int j = 0; j <= i; ++j) inner(i, j) = inner(j, i) = dot(samples_of(i), samples_of(j), mean_.size());
    }
    const double square = allowed * allowed * static_cast<double>(poses_);
    inner.diagonal().array() += kRidge * square;
    const Matrix whole = inner.llt().solve(Matrix::Identity(count_, count_));
    const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1> sums = whole.rowwise().sum();
    const Matrix inverse = whole - sums * sums.transpose() / std::accumulate(sums.begin(), sums.end(), 0.0);
    for (double budget = square; budget > 0.01 * square; budget /= 4) {
      Columns kept = given;
      remove(inverse, budget, kept);
      if (agrees(kept, allowed)) return kept;
    }
    return given;
  }

  // Removes influences, with the least first, until the next one would raise the sum of squared errors over `budget`.
  // Weights stay above 0, and gradients below a bound.
  static void remove(Matrix inverse, double budget, Columns& row) {
    std::array<bool, kMost> gone{};
    const auto count = static_cast<int>(row.rows());
    const double steepest = kSteeper * row.rightCols(2).cwiseAbs().maxCoeff();
    double spent = 0;
    for (int left = count; left > 1; --left) {
      int least = -1;
      double cost = budget;
      for (int i = 0; i < count; ++i) {
        if (gone[static_cast<std::size_t>(i)]) continue;
        const double part = row(i, 0) / inverse(i, i);
        if (spent + part * row(i, 0) > cost) continue;
        const auto stays = [&](int j) {
          if (j == i || gone[static_cast<std::size_t>(j)]) return true;
          const Eigen::Matrix<double, 1, 3> next = row.row(j) - row.row(i) * (inverse(j, i) / inverse(i, i));
          return next(0) > 0 && next.tail(2).cwiseAbs().maxCoeff() <= steepest;
        };
        if (!std::ranges::all_of(std::views::iota(0, count), stays)) continue;
        least = i;
        cost = spent + part * row(i, 0);
      }
      if (least < 0) return;
      spent = cost;
      gone[static_cast<std::size_t>(least)] = true;
      const double own = inverse(least, least);
      const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1> column = inverse.col(least) / own;
      const Eigen::Matrix<double, 1, 3> part = row.row(least);
      row -= column * part;
      inverse -= own * column * column.transpose();
      for (int i = 0; i < count; ++i) {
        if (gone[static_cast<std::size_t>(i)]) row.row(i).setZero();
      }
    }
  }

  const PosedLines& lines_;
  std::size_t poses_;
  int count_ = 0;                      // influences of the row
  std::vector<float> samples_;         // x_j, one after the other
  std::vector<float> mean_;            // what was subtracted from each
  std::vector<float> before_, after_;  // of add_up
};

std::vector<float> mean_edges(const Mesh& mesh) {
  std::vector<float> sums(mesh.positions.size(), 0.0f), counts(sums);
  for (const glm::uvec3& triangle : mesh.triangles) {
    for (int c = 0; c < 3; ++c) {
      const std::uint32_t a = triangle[c], b = triangle[(c + 1) % 3];
      const float length = glm::distance(mesh.positions[a], mesh.positions[b]);
      for (const std::uint32_t v : {a, b}) sums[v] += length, counts[v] += 1;
    }
  }
  for (std::size_t v = 0; v < sums.size(); ++v) sums[v] /= std::max(counts[v], 1.0f);
  return sums;
}

// A vertex of one of the meshes. Coincident vertices with rows that are alike get the row of the first one, reduced
// with their mean edge and normal, so that seams stay closed.
struct MeshVertex {
  std::size_t mesh, vertex;
  std::size_t first;   // index of the vertex that has its row
  std::size_t next;    // index of one here with another row, or its own
  glm::vec3 normal;    // of unit length, or 0
  float edge;          // mean, metres
  double error;        // largest, metres
  float count = 1.0f;  // of vertices that get its row
};

std::vector<MeshVertex> find_vertices(std::span<const MeshRows> meshes) {
  constexpr double kAlike = 0.999;
  constexpr int kMostRows = 8;       // at one position that others are compared with
  constexpr float kOpposed = -0.5f;  // scalar product with the normal of a sheet's other side
  std::vector<MeshVertex> vertices;
  std::vector<glm::vec3> points;
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    const Mesh& mesh = *meshes[m].mesh;
    const double error = kSizeShare * glm::length(bounds_of<glm::dvec3>(std::span(mesh.positions)).size());
    const std::vector<float> edges = mean_edges(mesh);
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      const glm::vec3 normal = v < mesh.normals.size() ? mesh.normals[v] : glm::vec3(0.0f);
      const bool is_unit = std::abs(glm::dot(normal, normal) - 1) < 0.01f;
      vertices.push_back({m, v, points.size(), points.size(), is_unit ? normal : glm::vec3(0.0f), edges[v], error});
      points.push_back(mesh.positions[v]);
    }
  }
  const std::vector<std::uint32_t> welded = weld_by_position(points);
  const auto row = [&](std::size_t i) { return meshes[vertices[i].mesh].rows->row(vertices[i].vertex); };
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    std::size_t first = welded[i];
    for (int k = 0; first != i && !(weight_similarity(row(i), row(first)) > kAlike); ++k) {
      if (k < kMostRows && vertices[first].next == first) vertices[first].next = i;
      first = k < kMostRows ? vertices[first].next : i;
    }
    vertices[i].first = first;
    if (first == i) continue;
    MeshVertex& sum = vertices[first];
    if (glm::dot(sum.normal, vertices[i].normal) > kOpposed) sum.normal += vertices[i].normal;
    sum.edge += vertices[i].edge;
    sum.error = std::min(sum.error, vertices[i].error);
    ++sum.count;
  }
  for (MeshVertex& vertex : vertices) {
    if (vertex.count == 1 || vertex.normal == glm::vec3(0.0f)) continue;
    vertex.normal = glm::normalize(vertex.normal);
    vertex.edge /= vertex.count;
  }
  return vertices;
}

}  // namespace

SparseRows merge_same_motion(const SparseRows& rows, std::span<const std::uint32_t> same, std::uint32_t first_entry) {
  const Gradients gradients = rows.gradients.empty() ? Gradients::kNone : Gradients::kKnown;
  SparseRows merged;
  std::vector<WeightedElement> row;
  for (std::size_t v = 0; v < rows.row_count(); ++v) {
    row.clear();
    for (std::size_t i = rows.offsets[v]; i < rows.offsets[v + 1]; ++i) {
      auto [entry, weight] = rows.influences[i];
      if (entry - first_entry < same.size()) entry = first_entry + same[entry - first_entry];
      row.push_back({entry, weight, gradients == Gradients::kKnown ? rows.gradients[i] : glm::vec3(0.0f)});
    }
    const std::size_t first = merged.gradients.size();
    append_row(merged, row, gradients);
    if (merged.gradients.size() == first + 1) merged.gradients.back() = glm::vec3(0.0f);  // the rounding of a sum
  }
  return merged;
}

void reduce_rows(std::span<const MeshRows> meshes, std::span<const std::vector<Affine>> palettes, unsigned threads) {
  constexpr std::size_t kGrain = 256;
  const PosedLines lines(meshes, palettes);
  const std::vector<MeshVertex> vertices = find_vertices(meshes);
  parallel_for(vertices.size(), kGrain, threads, [&](std::size_t begin, std::size_t end) {
    Reducer reducer(lines);
    for (std::size_t i = begin; i < end; ++i) {
      stop_if_asked();
      const MeshVertex& vertex = vertices[i];
      const auto& [mesh, rows] = meshes[vertex.mesh];
      const std::size_t first = rows->offsets[vertex.vertex], count = rows->offsets[vertex.vertex + 1] - first;
      const bool is_reduced = vertex.first == i && count >= 2 && count <= kMost;
      if (!is_reduced || vertex.normal == glm::vec3(0.0f) || !(vertex.edge > 0)) continue;
      reducer.reduce(
          mesh->positions[vertex.vertex], vertex.normal, vertex.edge, vertex.error,
          std::span(rows->influences).subspan(first, count),
          rows->gradients.empty() ? std::span<glm::vec3>() : std::span(rows->gradients).subspan(first, count));
    }
  });
  std::vector<SparseRows> joined(meshes.size());
  for (const MeshVertex& vertex : vertices) {
    const MeshVertex& first = vertices[vertex.first];
    const SparseRows& rows = *meshes[first.mesh].rows;
    joined[vertex.mesh].append_row(rows.row(first.vertex), rows.row_gradients(first.vertex));
  }
  for (std::size_t m = 0; m < meshes.size(); ++m) *meshes[m].rows = merge_same_motion(joined[m], {}, 0);
}

}  // namespace pelt::surface_ffd
