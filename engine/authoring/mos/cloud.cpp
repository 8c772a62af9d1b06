// SPDX-License-Identifier: MIT
#include "engine/authoring/mos/cloud.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include <pelt/mos.h>
#include <pelt/pack.h>
#include <pelt/tools/parallel.h>
#include <pelt/try.h>

#include "engine/character/base/invalid.h"
#include "shaders/blend/blend.h"

namespace pelt::mos {
namespace {

using Row = std::vector<WeightedElement>;

constexpr double kMinWeight = 1e-7;
constexpr std::size_t kMaxOfAll = 1024;  // most points if every vertex follows all of them

// The weights of a vertex, which may be negative, and its distance from the points.
struct VertexWeights {
  Row row;
  double distance = 0;  // distance to the nearest point, metres
};

class Cloud {
 public:
  Cloud(const MosParameters& parameters, const std::optional<CageSurface>& cage, const RestPoints& rest)
      : parameters_(parameters), cage_(cage), rest_(rest) {
    for (const glm::vec3 position : rest.positions()) positions_.emplace_back(position);
  }

  Result<void> prepare() {
    const bool all = parameters_.strategy == MosStrategy::kRadialBasis ||
                     (parameters_.strategy == MosStrategy::kInverseDistance && parameters_.nearest == 0);
    if (all && positions_.size() > kMaxOfAll) {
      return invalid("every vertex would follow all of {} control points, more than the limit of {}", positions_.size(),
                     kMaxOfAll);
    }
    if (parameters_.strategy != MosStrategy::kRadialBasis) return {};
    PELT_ASSIGN(basis_, RadialBasis::create(positions_, parameters_.kernel, parameters_.width));
    return {};
  }

  // Finds the weights of a vertex at `point`. Returns false if the blended frame is singular.
  bool weigh(glm::dvec3 point, VertexWeights& weights) const {
    if (parameters_.strategy == MosStrategy::kInverseDistance) {
      inverse_distance(point, positions_, double{parameters_.power}, parameters_.nearest, parameters_.cut, weights.row);
    } else if (parameters_.strategy == MosStrategy::kRadialBasis) {
      basis_->weights(point, weights.row);
    } else {
      cage_->weights(point, weights.row);
    }
    std::erase_if(weights.row, [](const WeightedElement& e) { return std::abs(e.weight) < kMinWeight; });
    double sum = 0;
    for (const WeightedElement& influence : weights.row) sum += influence.weight;
    for (WeightedElement& influence : weights.row) influence.weight /= sum;
    sum_to_zero(weights.row);
    glm::dmat3 frame(0.0);
    weights.distance = std::numeric_limits<double>::infinity();
    for (const WeightedElement& influence : weights.row) {
      frame += influence.weight * glm::dmat3(rest_.axes(influence.index));
      weights.distance = std::min(weights.distance, glm::distance(positions_[influence.index], point));
    }
    return !rest_.is_singular(frame, weights.row);
  }

 private:
  const MosParameters& parameters_;
  const std::optional<CageSurface>& cage_;
  const RestPoints& rest_;
  std::vector<glm::dvec3> positions_;
  std::optional<RadialBasis> basis_;
};

Result<std::vector<VertexWeights>> weigh_all(const Cloud& cloud, const ControlPoints& points,
                                             const DeformerTarget& target, const DeformerInput& input) {
  const Mesh& mesh = mesh_of(input, target);
  constexpr std::size_t kGrain = 64;
  constexpr std::size_t kNoVertex = static_cast<std::size_t>(-1);
  std::vector<VertexWeights> weights(mesh.positions.size());
  std::atomic<std::size_t> singular = kNoVertex;  // the first vertex with a singular frame, in any order of threads
  parallel_for(weights.size(), kGrain, input.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (!(target.mask[v] > 0) || cloud.weigh(glm::dvec3(mesh.positions[v]), weights[v])) continue;
      for (std::size_t known = singular; v < known && !singular.compare_exchange_weak(known, v);) {
      }
    }
  });
  if (singular == kNoVertex) return weights;
  std::vector<std::string> names;
  for (const WeightedElement& influence : weights[singular].row) {
    names.push_back(point_name(points.points[influence.index], input.model));
  }
  return invalid(input, fmt::format("vertex {} of mesh '{}' has no offset: the frames of the points '{}' cancel out "
                                    "there",
                                    singular, mesh.name, fmt::join(names, "', '")));
}

// Collects the weights of one sign. Rows must not have negative weights, so these form groups of their own, with
// negative factors.
class Signed {
 public:
  Signed(double sign, std::uint32_t first_entry, bool gradients)
      : sign_(sign), first_entry_(first_entry), gradients_(gradients ? Gradients::kKnown : Gradients::kNone) {}

  // Appends the row of a vertex and returns its factor.
  double append(const Row& weights) {
    row_.clear();
    double share = 0;
    for (const WeightedElement& influence : weights) {
      const double weight = sign_ * influence.weight;
      if (weight <= 0) continue;
      row_.push_back({first_entry_ + influence.index, weight, influence.gradient});
      share += weight;
    }
    append_row(group_.rows, row_, gradients_);
    used_ = used_ || share > 0;
    return sign_ * share;
  }

  // Calls visit(point, weight) for the vertex appended last, with the weights as pack stores them.
  template <class Visit>
  void each_stored(double share, const Visit& visit) {
    const std::size_t last = group_.rows.row_count() - 1;
    const std::span<const Influence> row = group_.rows.row(last);
    quantise(row, by_index_, units_);
    keep_in_group(group_.rows.row_gradients(last), units_);
    for (std::size_t k = 0; k < row.size(); ++k) {
      visit(row[k].index - first_entry_, share * units_[k] / shared::kWeightUnits);
    }
  }

  void set_local(glm::dvec3 offset, double share) { group_.local.emplace_back(offset, share); }

  void move_into(MeshBinding& binding) {
    if (used_) binding.offset_groups.push_back(std::move(group_));
  }

 private:
  double sign_;
  std::uint32_t first_entry_;
  Gradients gradients_;
  OffsetGroup group_;
  bool used_ = false;
  Row row_;
  std::vector<std::uint32_t> by_index_, units_;
};

// Appends a vertex with its offset by equation 9 and the weights as stored, so that bind does not move the vertex.
void append_vertex(const VertexWeights& weights, glm::dvec3 point, const RestPoints& rest, Signed& positive,
                   Signed& negative) {
  const double above = positive.append(weights.row);
  const double below = negative.append(weights.row);
  glm::dmat3 frame(0.0);
  glm::dvec3 from = point;
  const auto add = [&](std::uint32_t index, double weight) {
    frame += weight * glm::dmat3(rest.axes(index));
    from -= weight * glm::dvec3(rest.positions()[index]);
  };
  positive.each_stored(above, add);
  negative.each_stored(below, add);
  const glm::dvec3 offset = weights.row.empty() ? glm::dvec3(0.0) : glm::inverse(frame) * from;
  positive.set_local(offset, above);
  negative.set_local(offset, below);
}

}  // namespace

Result<std::vector<MeshBinding>> bind_cloud(const MosParameters& parameters, const ControlPoints& points,
                                            const std::optional<CageSurface>& cage, const PointEdits& edits,
                                            std::span<const glm::dmat4> at_bind, const DeformerInput& input) {
  const RestPoints rest(points, edits, parameters.frames, at_bind);
  Cloud cloud(parameters, cage, rest);
  PELT_TRY(within(input.layer, cloud.prepare()));
  std::vector<std::vector<VertexWeights>> targets;
  for (const DeformerTarget& target : input.targets) {
    PELT_ASSIGN(auto weights, weigh_all(cloud, points, target, input));
    targets.push_back(std::move(weights));
    input.progress(0.9 * static_cast<double>(targets.size()) / static_cast<double>(input.targets.size()));
  }
  const std::vector<std::uint32_t> no_inputs(input.model.skeleton.joints.size(), shared::kNoInput);
  MosTable table(at_bind, no_inputs, 0, parameters.frames);
  const std::uint32_t first_entry =
      table.add_passes(PoseKernel::kMosPoint, put_points(points, edits, table), input.builder).first_entry;
  input.builder.note_at_bind(first_entry, rest.frames());
  input.notes.push_back(fmt::format("{}: {} control points", input.layer, points.points.size()));
  std::vector<MeshBinding> bindings;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const std::vector<glm::vec3>& positions = mesh_of(input, input.targets[t]).positions;
    MeshBinding& binding = bindings.emplace_back();
    Signed positive(1, first_entry, parameters.exact_normals);
    Signed negative(-1, first_entry, parameters.exact_normals);
    for (std::size_t v = 0; v < positions.size(); ++v) {
      const VertexWeights& weights = targets[t][v];
      append_vertex(weights, glm::dvec3(positions[v]), rest, positive, negative);
      binding.rows.append_row({});
      binding.distances.push_back(weights.row.empty() ? -1.0f : static_cast<float>(weights.distance));
    }
    binding.remarks.assign(positions.size(), 0);
    positive.move_into(binding);
    negative.move_into(binding);
  }
  return bindings;
}

}  // namespace pelt::mos
