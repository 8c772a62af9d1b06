// SPDX-License-Identifier: MIT
#include "engine/mos/cloud.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "engine/binding/pack.h"
#include "engine/character/records.h"
#include "engine/core/parallel.h"
#include "shaders/blend/blend.h"
#include "shaders/mos_point/pose.h"

namespace pelt::mos {
namespace {

using Row = std::vector<WeightedElement>;

constexpr double kLeastWeight = 1e-7;
constexpr std::size_t kMostOfAll = 1024;  // points that a vertex may follow, where it follows every one

// A vertex among the points. Weights may be negative.
struct Placed {
  Row row;
  double distance = 0;  // to the nearest point, metres
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
    if (all && positions_.size() > kMostOfAll) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("every vertex would follow all of {} control points, more than {}", positions_.size(),
                              kMostOfAll));
    }
    if (parameters_.strategy != MosStrategy::kRadialBasis) return {};
    Result<RadialBasis> basis = RadialBasis::create(positions_, parameters_.kernel, parameters_.width);
    if (!basis) return tl::unexpected(basis.error());
    basis_ = std::move(*basis);
    return {};
  }

  // False where the blended frame is singular.
  bool place(glm::dvec3 point, Placed& placed) const {
    if (parameters_.strategy == MosStrategy::kInverseDistance) {
      inverse_distance(point, positions_, double{parameters_.power}, parameters_.nearest, parameters_.cut, placed.row);
    } else if (parameters_.strategy == MosStrategy::kRadialBasis) {
      basis_->weights(point, placed.row);
    } else {
      cage_->weights(point, placed.row);
    }
    std::erase_if(placed.row, [](const WeightedElement& e) { return std::abs(e.weight) < kLeastWeight; });
    double sum = 0;
    for (const WeightedElement& element : placed.row) sum += element.weight;
    for (WeightedElement& element : placed.row) element.weight /= sum;
    glm::dmat3 frame(0.0);
    placed.distance = std::numeric_limits<double>::infinity();
    for (const WeightedElement& element : placed.row) {
      frame += element.weight * glm::dmat3(rest_.axes(element.index));
      placed.distance = std::min(placed.distance, glm::distance(positions_[element.index], point));
    }
    return !rest_.is_singular(frame, placed.row);
  }

 private:
  const MosParameters& parameters_;
  const std::optional<CageSurface>& cage_;
  const RestPoints& rest_;
  std::vector<glm::dvec3> positions_;
  std::optional<RadialBasis> basis_;
};

Result<std::vector<Placed>> place_all(const Cloud& cloud, const ControlPoints& points, const DeformerTarget& target,
                                      const DeformerInput& input) {
  const Mesh& mesh = input.model.meshes[target.mesh];
  constexpr std::size_t kGrain = 64;
  constexpr std::size_t kNoVertex = static_cast<std::size_t>(-1);
  std::vector<Placed> placed(mesh.positions.size());
  std::mutex mutex;
  std::size_t singular = kNoVertex;  // the first such vertex, whatever the order of threads
  parallel_for(placed.size(), kGrain, input.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (!(target.mask[v] > 0) || cloud.place(glm::dvec3(mesh.positions[v]), placed[v])) continue;
      const std::lock_guard lock(mutex);
      singular = std::min(singular, v);
    }
  });
  if (singular == kNoVertex) return placed;
  std::vector<std::string> names;
  for (const WeightedElement& element : placed[singular].row) {
    names.push_back(point_name(points.points[element.index], input.model));
  }
  return invalid(input, fmt::format("vertex {} of mesh '{}' has no offset: the frames of the points '{}' cancel out "
                                    "where it is",
                                    singular, mesh.name, fmt::join(names, "', '")));
}

// First of the palette entries of the points.
std::uint32_t add_entries(std::span<const std::uint32_t> point_words, MosTable& table, CharacterBuilder& builder) {
  PalettePass pass;
  pass.kernel = PoseKernel::kMosPoint;
  for (const std::uint32_t word : point_words) append_record(pass.records, shared::MosPointRecord{word});
  pass.record_count = static_cast<std::uint32_t>(point_words.size());
  pass.table = table.take_words();
  return builder.add_pass(std::move(pass));
}

// Weights of a row are not negative: those that are go into a group of their own, whose share is.
class Signed {
 public:
  Signed(double sign, std::uint32_t first_slot) : sign_(sign), first_slot_(first_slot) {}

  // Appends the row of a vertex; returns its share.
  double append(const Row& weights) {
    row_.clear();
    double share = 0;
    for (const WeightedElement& element : weights) {
      const double weight = sign_ * element.weight;
      if (weight <= 0) continue;
      row_.push_back({first_slot_ + element.index, weight});
      share += weight;
    }
    append_row(group_.rows, row_);
    used_ = used_ || !row_.empty();
    return sign_ * share;
  }

  // Calls visit(point, weight) for the vertex appended last, whose weights are as pack stores them.
  template <class Visit>
  void each_stored(double share, const Visit& visit) {
    const std::span<const Influence> row = group_.rows.row(group_.rows.row_count() - 1);
    quantise(row, by_index_, units_);
    for (std::size_t k = 0; k < row.size(); ++k) {
      visit(row[k].index - first_slot_, share * units_[k] / shared::kWeightUnits);
    }
  }

  void set_local(glm::dvec3 offset, double share) { group_.local.emplace_back(offset, share); }

  void move_into(MeshBinding& binding) {
    if (used_) binding.offset_groups.push_back(std::move(group_));
  }

 private:
  double sign_;
  std::uint32_t first_slot_;
  OffsetGroup group_;
  bool used_ = false;
  Row row_;
  std::vector<std::uint32_t> by_index_, units_;
};

// Equation 9 with the weights as they are stored, so that the vertex is where it was at bind.
void append_vertex(const Placed& placed, glm::dvec3 point, const RestPoints& rest, Signed& positive, Signed& negative) {
  const double above = positive.append(placed.row);
  const double below = negative.append(placed.row);
  glm::dmat3 frame(0.0);
  glm::dvec3 from = point;
  const auto add = [&](std::uint32_t index, double weight) {
    frame += weight * glm::dmat3(rest.axes(index));
    from -= weight * glm::dvec3(rest.positions()[index]);
  };
  positive.each_stored(above, add);
  negative.each_stored(below, add);
  const glm::dvec3 offset = placed.row.empty() ? glm::dvec3(0.0) : glm::inverse(frame) * from;
  positive.set_local(offset, above);
  negative.set_local(offset, below);
}

}  // namespace

Result<std::vector<MeshBinding>> bind_cloud(const MosParameters& parameters, const ControlPoints& points,
                                            const std::optional<CageSurface>& cage, const PointEdits& edits,
                                            std::span<const glm::dmat4> at_bind, const DeformerInput& input) {
  const RestPoints rest(points, edits, parameters.frames, at_bind);
  Cloud cloud(parameters, cage, rest);
  const Result<void> prepared = cloud.prepare();
  if (!prepared) return invalid(input, prepared.error().message);
  std::vector<std::vector<Placed>> targets;
  for (const DeformerTarget& target : input.targets) {
    Result<std::vector<Placed>> placed = place_all(cloud, points, target, input);
    if (!placed) return tl::unexpected(placed.error());
    targets.push_back(std::move(*placed));
    input.progress(0.9 * static_cast<double>(targets.size()) / static_cast<double>(input.targets.size()));
  }
  const std::vector<std::uint32_t> no_inputs(input.model.skeleton.joints.size(), shared::kNoInput);
  MosTable table(at_bind, no_inputs, 0, parameters.frames);
  const std::vector<std::uint32_t> point_words = put_points(points, edits, table);
  const std::uint32_t first_slot = add_entries(point_words, table, input.builder);
  input.notes.push_back(fmt::format("{}: {} control points", input.layer, points.points.size()));
  std::vector<MeshBinding> bindings;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const std::vector<glm::vec3>& positions = input.model.meshes[input.targets[t].mesh].positions;
    MeshBinding& binding = bindings.emplace_back();
    Signed positive(1, first_slot);
    Signed negative(-1, first_slot);
    for (std::size_t v = 0; v < positions.size(); ++v) {
      const Placed& placed = targets[t][v];
      append_vertex(placed, glm::dvec3(positions[v]), rest, positive, negative);
      binding.rows.append_row({});
      binding.distances.push_back(placed.row.empty() ? -1.0f : static_cast<float>(placed.distance));
    }
    binding.remarks.assign(positions.size(), 0);
    positive.move_into(binding);
    negative.move_into(binding);
  }
  return bindings;
}

}  // namespace pelt::mos
