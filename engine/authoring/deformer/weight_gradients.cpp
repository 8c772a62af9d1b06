// SPDX-License-Identifier: MIT
#include "engine/authoring/deformer/weight_gradients.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include <pelt/tools/parallel.h>

#include "engine/authoring/rows/row_weights.h"

namespace pelt {
namespace {

// Returns the number of palette entries up to the last that a row uses.
std::uint32_t entries_of(const SparseRows& rows) {
  std::uint32_t entries = 0;
  for (const Influence& influence : rows.influences) entries = std::max(entries, influence.index + 1);
  return entries;
}

// The palette entries of a vertex's row, then those of only its neighbours, with the gradients of their weights.
class Changes {
 public:
  struct Change {
    std::uint32_t entry;
    double weight;
    glm::dvec3 gradient;
  };

  // `entries`: entries_of(rows).
  Changes(const SparseRows& rows, const SurfaceGradient& surface, std::uint32_t entries)
      : rows_(rows), surface_(surface), place_(entries, kNowhere) {}

  const std::vector<Change>& at(std::uint32_t vertex) {
    const std::span<const Influence> row = rows_.row(vertex);
    for (const Change& change : changes_) place_[change.entry] = kNowhere;
    changes_.clear();
    for (const Influence& influence : row) add(influence.index, influence.weight);
    if (row.empty()) return changes_;
    for (const SurfaceGradient::Term& term : surface_.ring(vertex)) {
      const std::span<const Influence> other = rows_.row(term.vertex);
      if (other.empty()) continue;
      const glm::dvec3 rate(term.rate);
      for (std::size_t k = 0; k < row.size(); ++k) changes_[k].gradient -= changes_[k].weight * rate;
      for (const Influence& influence : other) {
        if (place_[influence.index] == kNowhere) add(influence.index, 0);
        changes_[place_[influence.index]].gradient += double{influence.weight} * rate;
      }
    }
    return changes_;
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  void add(std::uint32_t entry, double weight) {
    place_[entry] = changes_.size();
    changes_.push_back({entry, weight, glm::dvec3(0)});
  }

  const SparseRows& rows_;
  const SurfaceGradient& surface_;
  std::vector<Change> changes_;
  std::vector<std::size_t> place_;  // for each palette entry, its index in changes_
};

}  // namespace

SparseRows with_gradients(const SparseRows& rows, const SurfaceGradient& surface) {
  SparseRows result;
  Changes changes(rows, surface, entries_of(rows));
  std::vector<Influence> row;
  std::vector<glm::vec3> gradients;
  for (std::uint32_t v = 0; v < rows.row_count(); ++v) {
    row.clear();
    gradients.clear();
    for (const Changes::Change& change : changes.at(v)) {
      const glm::vec3 gradient(change.gradient);
      if (change.weight == 0 && gradient == glm::vec3(0.0f)) continue;
      row.push_back({change.entry, static_cast<float>(change.weight)});
      gradients.push_back(gradient);
    }
    result.append_row(row, gradients);
  }
  return result;
}

std::vector<glm::vec3> gradients_by_place(const SparseRows& rows, const SurfaceGradient& surface,
                                          const std::function<glm::vec3(std::uint32_t entry)>& place,
                                          unsigned threads) {
  constexpr std::size_t kGrain = 256;
  constexpr double kMinVariance = 1e-4;  // over the mean square: positions in a plane, or own ones near it
  std::vector<glm::vec3> gradients(rows.influences.size(), glm::vec3(0.0f));
  const std::uint32_t entries = entries_of(rows);
  parallel_for(rows.row_count(), kGrain, threads, [&](std::size_t begin, std::size_t end) {
    Changes changes(rows, surface, entries);
    std::vector<Eigen::Vector4d> features;
    for (std::size_t v = begin; v < end; ++v) {
      const std::vector<Changes::Change>& all = changes.at(static_cast<std::uint32_t>(v));
      const std::size_t row_length = rows.row(v).size();
      if (row_length == 0) continue;
      const glm::dvec3 origin(place(all[0].entry));
      features.clear();
      for (const Changes::Change& change : all) {
        const glm::dvec3 d = glm::dvec3(place(change.entry)) - origin;
        features.emplace_back(1, d.x, d.y, d.z);
      }
      Eigen::Matrix4d moments = Eigen::Matrix4d::Zero();
      Eigen::Matrix<double, 4, 3> lost = Eigen::Matrix<double, 4, 3>::Zero();
      double width = 0;  // mean square of distances
      for (std::size_t k = 0; k < all.size(); ++k) {
        const Eigen::Vector4d& f = features[k];
        width += (f.squaredNorm() - 1) / static_cast<double>(all.size());
        if (k < row_length) {
          moments += std::abs(all[k].weight) * f * f.transpose();
        } else {
          lost += f * Eigen::RowVector3d(all[k].gradient.x, all[k].gradient.y, all[k].gradient.z);
        }
      }
      for (int c = 1; c < 4; ++c) moments(c, c) += kMinVariance * width + 1e-30;
      const Eigen::Matrix<double, 4, 3> given = moments.ldlt().solve(lost);
      for (std::size_t k = 0; k < row_length; ++k) {
        const Eigen::RowVector3d more = std::abs(all[k].weight) * (features[k].transpose() * given);
        gradients[rows.offsets[v] + k] = glm::vec3(all[k].gradient + glm::dvec3(more(0), more(1), more(2)));
      }
    }
  });
  return gradients;
}

std::vector<float> kept_gradients(const SparseRows& painting, const SurfaceGradient& surface) {
  // Changes of the painting along an edge. Judged by eye on characters of 200 to 40,000 vertices.
  constexpr double kFine = 0.1;
  constexpr double kCoarse = 0.2;
  std::vector<float> kept(painting.row_count());
  for (std::uint32_t v = 0; v < painting.row_count(); ++v) {
    double change = 0;
    for (const SurfaceGradient::Term& term : surface.ring(v)) {
      change = std::max(change, 1 - weight_similarity(painting.row(v), painting.row(term.vertex)));
    }
    kept[v] = static_cast<float>(1 - std::clamp((change - kFine) / (kCoarse - kFine), 0.0, 1.0));
  }
  return kept;
}

}  // namespace pelt
