// SPDX-License-Identifier: MIT
// The rows of a skin, their differences and their jumps.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <pelt/selection.h>
#include <pelt/surface_ffd.h>

#include "engine/authoring/surface_ffd/exclusions.h"
#include "engine/authoring/surface_ffd/rows.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"

namespace pelt {

// Does everything up to the rows of mesh 0, as surface_ffd::bind does.
class Binding {
 public:
  Binding(const Model& model, const SurfaceFfdParameters& parameters, const std::vector<Group>& groups = {})
      : model_(model), parameters_(parameters), builder_(model_, true), mask_(mesh().positions.size(), 1.0f) {
    rig_.groups = groups;
    driver_ = *surface_ffd::add_driver(parameters.driver, input_);
    elements_.emplace(*surface_ffd::Elements::create(driver_));
    surface_ffd::Exclusions exclusions =
        test::must(surface_ffd::Exclusions::create(parameters, driver_, *elements_, input_.targets[0], input_));
    exclusions_.emplace(std::move(exclusions));
  }

  const Mesh& mesh() const { return model_.meshes[0]; }
  const surface_ffd::Driver& driver() const { return driver_; }
  const surface_ffd::Elements& elements() const { return *elements_; }
  const surface_ffd::Exclusions& exclusions() const { return *exclusions_; }

  Result<MeshBinding> make(bool extended) const {
    return surface_ffd::make_rows(mesh(), mask_, settings(extended), *exclusions_, 0, [](double) {});
  }
  // Returns the rows; indices are elements, or vertices of the driver.
  SparseRows rows(bool extended) const {
    const Result<MeshBinding> binding = make(extended);
    EXPECT_TRUE(binding) << binding.error().message;
    return binding ? binding->rows : SparseRows{};
  }

  // Returns the row of a vertex by a walk over all elements, in the order of the formula.
  std::map<std::uint32_t, double> walked(std::uint32_t vertex, bool extended, bool with_hops = true) const {
    std::vector<surface_ffd::Elements::Near> all;
    elements_->nearest(glm::dvec3(mesh().positions[vertex]), elements_->count(), all);
    std::vector<WeightedElement> weights;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      const double distance = std::sqrt(all[i].closest.squared_distance);
      const double w = 1 / (1 + std::pow(distance / elements_->mean_spacing(), double{parameters_.local}));
      const double allowed = w * exclusions_->allowance(vertex, all[i].triangle, with_hops);
      if (allowed > 0) weights.push_back({i, allowed});
    }
    cut_row(weights, kept_elements(), parameters_.cut);
    std::map<std::uint32_t, double> row;
    for (const auto& [i, u, gradient] : weights) {
      if (!extended) row[all[i].triangle] += u;
      for (int c = 0; extended && c < 3; ++c) row[all[i].closest.vertices[c]] += u * all[i].closest.weights[c];
    }
    return row;
  }

 private:
  std::size_t kept_elements() const { return parameters_.elements.value_or(24); }

  surface_ffd::RowSettings settings(bool extended) const {
    return {.elements = *elements_,
            .kept_elements = kept_elements(),
            .cut = parameters_.cut,
            .unit = elements_->mean_spacing(),
            .unit_scale = 1,
            .local = parameters_.local,
            .extended = extended,
            .kept_influences = 0,
            .precision = Precision::kNone,
            .weight_similarity = 0,
            .first_entry = 0,
            .driver = driver_.mesh,
            .painting = driver_.painting,
            .joints = {}};
  }

  Model model_;
  SurfaceFfdParameters parameters_;
  Rig rig_;
  CharacterBuilder builder_;
  std::vector<float> mask_;
  std::vector<DeformerTarget> targets_{{0, mask_}};
  std::string layer_ = "layer 0";
  SharedDrivers drivers_;
  std::vector<std::string> notes_;
  std::vector<PointReport> points_;
  std::function<void(double)> progress_ = [](double) {};
  DeformerInput input_{model_, targets_, layer_, rig_, 0, builder_, drivers_, notes_, points_, progress_};
  surface_ffd::Driver driver_;
  std::optional<surface_ffd::Elements> elements_;
  std::optional<surface_ffd::Exclusions> exclusions_;
};

// Returns the sum over elements of the weights that one row has and the other has not.
inline double difference_of_rows(std::span<const Influence> a, std::span<const Influence> b) {
  std::map<std::uint32_t, double> sums;
  for (const Influence& i : a) sums[i.index] += i.weight;
  for (const Influence& i : b) sums[i.index] -= i.weight;
  double sum = 0;
  for (const auto& [index, weight] : sums) sum += std::abs(weight);
  return sum;
}

// Returns the largest difference between the rows of two vertices with an edge.
inline double largest_jump(const Mesh& mesh, const SparseRows& rows) {
  double largest = 0;
  for (const glm::uvec3 t : mesh.triangles) {
    for (int corner = 0; corner < 3; ++corner) {
      largest = std::max(largest, difference_of_rows(rows.row(t[corner]), rows.row(t[(corner + 1) % 3])));
    }
  }
  return largest;
}

inline Model fine_tube() {
  return test::make_tube_in_cage({.around = 24, .along = 96}, {.around = 8, .along = 12, .radius = 1.2f});
}

}  // namespace pelt
