// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <pelt/tools/parallel.h>

#include "engine/authoring/base/stop.h"
#include "engine/authoring/deformer/weight_gradients.h"
#include "engine/authoring/rows/morton_order.h"
#include "engine/authoring/surface_ffd/row_shaper.h"
#include "engine/character/base/invalid.h"

namespace pelt::surface_ffd {
namespace {

// Symbols of docs/mathematics.md section 1: P is a skin vertex, k an element, d_k its distance from P, w_k its raw
// weight, u_k the weight after the cut, normalised.

using Near = Elements::Near;

constexpr std::size_t kBlockVertices = 256;    // neighbouring vertices that one thread binds in sequence
constexpr std::size_t kBatchVertices = 32768;  // vertices between two calls of progress

constexpr double kFarUnits = 4;    // in units: farther off, the nearest elements have nearly equal weights
constexpr double kAsNear = 1.1;    // elements within this factor of the least distance count as nearest
constexpr double kOpposed = -0.5;  // cosine between normals of sheets that face away from each other
// In units: elements at most this much farther than the nearest also count as nearest. This is for vertices on the
// driver, with a least distance of 0.
constexpr double kTouchingUnits = 1e-3;

// Returns log w_k = -log(1 + (d/unit)^local), without overflow for any local; pow(0, 0) = 1.
double log_weight(double distance, double unit, double local) {
  const double x = local == 0 ? 0.0 : local * std::log(distance / unit);  // log of the power; -inf at distance 0
  return x > 0 ? -(x + std::log1p(std::exp(-x))) : -std::log1p(std::exp(x));
}

// Returns x^exponent, x >= 0. The default exponent is 2, for which pow would take a sixth of the time of bind.
double power(double x, double exponent) { return exponent == 2 ? x * x : std::pow(x, exponent); }

// Sets `weights` to w_k / w_0 of elements sorted by distance; indices are those in `near`.
void relative_weights(std::span<const Near> near, double unit, double local, std::vector<WeightedElement>& weights) {
  constexpr double kMaxPower = 1e300;
  const auto powered = [&](const Near& element) {
    return power(element.closest.squared_distance / (unit * unit), 0.5 * local);
  };
  const auto count = static_cast<std::uint32_t>(near.size());
  weights.resize(count);
  if (powered(near.back()) < kMaxPower) {
    const double first = 1 + powered(near.front());
    for (std::uint32_t i = 0; i < count; ++i) weights[i] = {i, first / (1 + powered(near[i]))};
    return;
  }
  const auto logarithm = [&](const Near& element) {
    return log_weight(std::sqrt(element.closest.squared_distance), unit, local);
  };
  const double largest = logarithm(near.front());
  for (std::uint32_t i = 0; i < count; ++i) weights[i] = {i, std::exp(logarithm(near[i]) - largest)};
}

// Rows in the form of characters: sum over j of s_j T_j = (1 + share) * `rows` - share * `negative`.
struct SignedRows {
  SparseRows rows;             // weights above 0, of sum 1
  SparseRows negative;         // absolute values of the weights below 0, of sum 1; empty if there are none
  std::vector<double> shares;  // factor of `negative` in each row, >= 0

  void append_empty() {
    rows.append_row({});
    negative.append_row({});
    shares.push_back(0);
  }
};

// Vertices that one thread binds in sequence.
struct Block {
  SignedRows rows;  // in the block's order
  std::vector<float> distances;
  std::vector<VertexRemarks> remarks;
  std::uint64_t dropped = 0;
  std::optional<std::uint32_t> left_alone;  // the first vertex that may follow no element
};

// Binds vertices of one mesh. Each thread has its own.
class RowMaker {
 public:
  RowMaker(const Mesh& mesh, const RowSettings& settings, const Exclusions& exclusions)
      : mesh_(mesh),
        settings_(settings),
        exclusions_(exclusions),
        sums_(settings.extended ? settings.driver.positions.size() : 0),
        shaper_(mesh, settings, exclusions) {}

  // `block_of`: the block for the row of vertices[i].
  void make(std::span<const std::uint32_t> vertices, const std::function<Block&(std::size_t i)>& block_of) {
    points_.clear();
    for (const std::uint32_t v : vertices) points_.emplace_back(mesh_.positions[v]);
    settings_.elements.nearest(points_, wanted(), [&](std::size_t i, std::span<const Near> near) {
      stop_if_asked();
      add_vertex(vertices[i], points_[i], near, block_of(i));
    });
  }

 private:
  // Returns the number of elements needed. The K largest weights are those of the K nearest; the continuous cut
  // subtracts the next one.
  std::size_t wanted() const {
    return settings_.kept_elements == 0 ? settings_.elements.count() : settings_.kept_elements + 1;
  }

  void add_vertex(std::uint32_t vertex, const glm::dvec3& point, std::span<const Near> near, Block& block) {
    unit_ = settings_.unit.value_or(settings_.unit_scale * mean_spacing(near));
    VertexRemarks remarks = 0;
    const auto free = [&](const Near& n) { return exclusions_.allowance(vertex, n.triangle, true) == 1; };
    if (exclusions_.empty() || (exclusions_.most(vertex) == 1 && std::ranges::all_of(near, free))) {
      relative_weights(near, unit_, settings_.local, weights_);
    } else if (weigh_allowed(vertex, point, true)) {
      near = allowed_;
    } else if (exclusions_.has_hops() && weigh_allowed(vertex, point, false)) {
      near = allowed_;
      remarks |= kBeyondHops;
    } else {
      block.left_alone = std::min(block.left_alone.value_or(vertex), vertex);
      block.rows.append_empty();
      return;
    }
    block.distances.push_back(static_cast<float>(std::sqrt(near[0].closest.squared_distance)));
    block.remarks.push_back(remarks | remarks_of(near));
    cut_row(weights_, settings_.kept_elements, settings_.cut);
    block.dropped += settings_.elements.count() - weights_.size();
    append(vertex, point, near, block.rows);
  }

  // Returns the mean spacing of the elements, weighted towards near ones.
  double mean_spacing(std::span<const Near> near) const {
    const Elements& elements = settings_.elements;
    const double squared_unit = elements.mean_spacing() * elements.mean_spacing();
    const auto weight = [&](const Near& element) {
      const double x = element.closest.squared_distance / squared_unit;
      return 1 / (1 + x * x);
    };
    const double floor = (1 - 1e-6) * weight(near.back());  // so that the last element comes and goes without a jump
    double sum = 0;
    double weights = 0;
    for (const Near& element : near) {
      const double share = weight(element) - floor;
      sum += share * elements.spacing(element.triangle);
      weights += share;
    }
    return sum / weights;
  }

  // Returns remarks on a vertex that is far from the driver, or whose nearest elements are on different sheets. `near`
  // is sorted by distance.
  VertexRemarks remarks_of(std::span<const Near> near) const {
    const Elements& elements = settings_.elements;
    const double least = std::sqrt(near[0].closest.squared_distance);
    VertexRemarks remarks = least > kFarUnits * unit_ ? kFar : VertexRemarks{0};
    const double most = std::max(kAsNear * least, least + kTouchingUnits * unit_);
    for (const Near& other : near) {
      if (other.closest.squared_distance > most * most) break;
      const bool elsewhere = elements.parts()[other.triangle] != elements.parts()[near[0].triangle];
      const bool opposed = glm::dot(elements.normal(other.triangle), elements.normal(near[0].triangle)) < kOpposed;
      if (elsewhere || opposed) remarks |= kBetweenSheets;
    }
    return remarks;
  }

  // Sets weights_ and allowed_ to the elements that may move the vertex, by distance: enough of them for the K + 1
  // largest weights. Returns false if there are none.
  bool weigh_allowed(std::uint32_t vertex, const glm::dvec3& point, bool with_hops) {
    const std::size_t all = settings_.elements.count();
    for (std::size_t asked = std::min(2 * wanted(), all);; asked = std::min(4 * asked, all)) {
      settings_.elements.nearest(point, asked, found_);
      allowed_.clear();
      shares_.clear();
      for (const Near& near : found_) {
        const double share = exclusions_.allowance(vertex, near.triangle, with_hops);
        if (share == 0) continue;
        allowed_.push_back(near);
        shares_.push_back(share);
      }
      if (allowed_.empty()) {
        if (asked == all) return false;
        continue;
      }
      relative_weights(allowed_, unit_, settings_.local, weights_);
      // An element beyond the last one found has less weight than this, even at the largest factor.
      const double unseen =
          exclusions_.most(vertex) *
          std::exp(log_weight(std::sqrt(found_.back().closest.squared_distance), unit_, settings_.local) -
                   log_weight(std::sqrt(allowed_[0].closest.squared_distance), unit_, settings_.local));
      std::size_t above = 0;
      for (std::size_t i = 0; i < weights_.size(); ++i) {
        weights_[i].weight *= shares_[i];
        if (weights_[i].weight >= unseen) ++above;
      }
      if (asked == all || above >= wanted()) return true;
    }
  }

  void append(std::uint32_t vertex, const glm::dvec3& point, std::span<const Near> near, SignedRows& rows) {
    if (settings_.extended) {
      // s_j = sum over k of u_k b_kj, b the barycentric coordinates of the closest point of k.
      for (const auto& [i, u, gradient] : weights_) {
        const ClosestPoint& closest = near[i].closest;
        for (int corner = 0; corner < 3; ++corner) sums_.add(closest.vertices[corner], u * closest.weights[corner]);
      }
      sums_.take(0, row_);
      shaper_.shape(vertex, point, settings_.precision == Precision::kNone ? glm::dvec3(0) : mean_normal(near), unit_,
                    row_);
      for (WeightedElement& influence : row_) influence.index += settings_.first_entry;
    } else {
      row_.clear();
      for (const auto& [i, u, gradient] : weights_) row_.push_back({settings_.first_entry + near[i].triangle, u});
    }
    append_signed(rows);
  }

  // Appends row_, with the weights below 0 in `negative`.
  void append_signed(SignedRows& rows) {
    negative_.clear();
    std::size_t kept = 0;
    double share = 0;
    for (const WeightedElement& influence : row_) {
      if (influence.weight < 0) {
        negative_.push_back({influence.index, -influence.weight});
        share -= influence.weight;
      } else {
        row_[kept++] = influence;
      }
    }
    row_.resize(kept);
    append_distinct_row(rows.rows, row_);
    if (negative_.empty()) {
      rows.negative.append_row({});
    } else {
      append_distinct_row(rows.negative, negative_);
    }
    rows.shares.push_back(share);
  }

  // Returns the weighted mean normal of the elements: of unit length, or 0 if they cancel.
  glm::dvec3 mean_normal(std::span<const Near> near) const {
    glm::dvec3 sum(0);
    for (const auto& [i, u, gradient] : weights_) sum += u * glm::dvec3(settings_.elements.normal(near[i].triangle));
    const double length = glm::length(sum);
    return length > 1e-6 ? sum / length : glm::dvec3(0);
  }

  const Mesh& mesh_;
  const RowSettings& settings_;
  const Exclusions& exclusions_;
  std::vector<glm::dvec3> points_;
  std::vector<Near> found_;
  std::vector<Near> allowed_;
  std::vector<double> shares_;  // allowances of allowed_
  std::vector<WeightedElement> weights_;
  std::vector<WeightedElement> row_;
  std::vector<WeightedElement> negative_;
  WeightSums sums_;  // by driver vertex
  RowShaper shaper_;
  double unit_ = 1;  // metres, for the current vertex
};

// Returns the vertices [begin, end) that the layer shows at, in an order that puts neighbours close together.
std::vector<std::uint32_t> shown_vertices(std::span<const glm::vec3> positions, std::span<const float> mask,
                                          std::size_t begin, std::size_t end) {
  std::vector<std::uint32_t> vertices;
  std::vector<glm::vec3> points;
  for (std::size_t v = begin; v < end; ++v) {
    if (mask[v] == 0) continue;
    vertices.push_back(static_cast<std::uint32_t>(v));
    points.push_back(positions[v]);
  }
  std::vector<std::uint32_t> sorted = morton_order(points);
  for (std::uint32_t& v : sorted) v = vertices[v];
  return sorted;
}

// Reserves memory for rows by extrapolation, so that growth does not move them.
void reserve_rows(SparseRows& rows, std::size_t more, std::size_t done, std::size_t count) {
  const std::size_t needed = rows.influences.size() + more;
  if (needed <= rows.influences.capacity()) return;
  const double all = static_cast<double>(needed) * static_cast<double>(count) / static_cast<double>(done);
  rows.influences.reserve(std::max(needed, static_cast<std::size_t>(1.05 * all)));
}

// Appends a row with the weights of both signs together. `share`: of the weights below 0.
void append_sum(std::span<const Influence> positive, std::span<const Influence> negative, float share,
                SparseRows& rows) {
  std::vector<Influence> row;
  for (const Influence& own : positive) row.push_back({own.index, (1 + share) * own.weight});
  for (const Influence& own : negative) row.push_back({own.index, -share * own.weight});
  rows.append_row(row);
}

void append_share(OffsetGroup& group, std::span<const Influence> row, const glm::vec4& local) {
  group.rows.append_row(row);
  group.local.push_back(local);
}

void add_gradients(const Mesh& mesh, const RowSettings& settings, unsigned threads, MeshBinding& binding) {
  const SurfaceGradient surface(mesh.positions, mesh.triangles);
  const auto gradients_of = [&](const SparseRows& rows) {
    std::vector<glm::vec3> gradients = gradients_by_place(
        rows, surface, [&](std::uint32_t entry) { return settings.driver.positions[entry - settings.first_entry]; },
        threads);
    if (settings.exact_normals == ExactNormals::kAll || !has_weights(mesh)) return gradients;
    const std::vector<float> kept = kept_gradients(mesh.weights, surface);
    for (std::size_t v = 0; v < kept.size(); ++v) {
      const std::span own = std::span(gradients).subspan(rows.offsets[v], rows.row(v).size());
      const float share = kept[v] * kept_at_limb_joints(settings.limb_joints, mesh.positions[v], rows.row(v), own,
                                                        settings.first_entry);
      for (glm::vec3& gradient : own) gradient *= share;
    }
    return gradients;
  };
  if (binding.offset_groups.empty()) {
    binding.rows.gradients = gradients_of(binding.rows);
    return;
  }
  OffsetGroup& negative = binding.offset_groups[0];
  SparseRows sum;
  for (std::size_t v = 0; v < binding.rows.row_count(); ++v) {
    append_sum(binding.rows.row(v), negative.rows.row(v), -negative.local[v].w, sum);
  }
  const std::vector<glm::vec3> gradients = gradients_of(sum);
  for (std::size_t v = 0; v < sum.row_count(); ++v) {
    const auto first = gradients.begin() + sum.offsets[v];
    const auto middle = first + static_cast<std::ptrdiff_t>(binding.rows.row(v).size());
    binding.rows.gradients.insert(binding.rows.gradients.end(), first, middle);
    negative.rows.gradients.insert(negative.rows.gradients.end(), middle, gradients.begin() + sum.offsets[v + 1]);
  }
}

tl::unexpected<Error> follows_nothing(const Mesh& mesh, std::uint32_t vertex) {
  return invalid("vertex {} of mesh '{}' may follow no element of the driver: the groups exclude all of them", vertex,
                 mesh.name);
}

}  // namespace

Result<MeshBinding> make_rows(const Mesh& mesh, std::span<const float> mask, const RowSettings& settings,
                              const Exclusions& exclusions, unsigned threads,
                              const std::function<void(double)>& progress) {
  MeshBinding binding;
  const std::size_t count = mesh.positions.size();
  binding.rows.offsets.reserve(count + 1);
  binding.distances.assign(count, -1.0f);
  binding.remarks.resize(count);
  std::vector<Block> blocks;
  OffsetGroup negative;  // positions at bind again, with factors below 0
  const bool both_signs = settings.extended && settings.precision == Precision::kQuadratic;
  std::vector<std::size_t> places(kBatchVertices);  // index of each vertex of the batch in the order of binding
  for (std::size_t begin = 0; begin < count; begin += kBatchVertices) {
    const std::size_t end = std::min(begin + kBatchVertices, count);
    const std::vector<std::uint32_t> vertices = shown_vertices(mesh.positions, mask, begin, end);
    for (std::size_t i = 0; i < vertices.size(); ++i) places[vertices[i] - begin] = i;
    blocks.assign((vertices.size() + kBlockVertices - 1) / kBlockVertices, {});
    parallel_for(blocks.size(), 1, threads, [&](std::size_t first, std::size_t last) {
      RowMaker maker(mesh, settings, exclusions);
      const std::size_t at = first * kBlockVertices;
      const std::size_t until = std::min(last * kBlockVertices, vertices.size());
      maker.make(std::span(vertices).subspan(at, until - at),
                 [&](std::size_t i) -> Block& { return blocks[first + i / kBlockVertices]; });
    });
    std::size_t influences = 0;
    std::optional<std::uint32_t> left_alone;
    for (const Block& block : blocks) {
      influences += block.rows.rows.influences.size() + block.rows.negative.influences.size();
      binding.dropped_elements += block.dropped;
      if (block.left_alone) left_alone = std::min(left_alone.value_or(*block.left_alone), *block.left_alone);
    }
    if (left_alone) return follows_nothing(mesh, *left_alone);
    if (binding.rows.influences.size() + influences > std::numeric_limits<std::uint32_t>::max()) {
      return fail(
          ErrorCode::kUnsupported,
          fmt::format("mesh '{}' has more influences than 32 bits count; keep fewer elements per vertex", mesh.name));
    }
    reserve_rows(binding.rows, influences, end, count);
    for (std::size_t v = begin; v < end; ++v) {
      if (mask[v] == 0) {
        binding.rows.append_row({});
        if (both_signs) append_share(negative, {}, glm::vec4(0.0f));
        continue;
      }
      const Block& block = blocks[places[v - begin] / kBlockVertices];
      const std::size_t i = places[v - begin] % kBlockVertices;
      binding.rows.append_row(block.rows.rows.row(i));
      if (both_signs) {
        append_share(negative, block.rows.negative.row(i), glm::vec4(mesh.positions[v], -block.rows.shares[i]));
      }
      binding.distances[v] = block.distances[i];
      binding.remarks[v] = block.remarks[i];
    }
    progress(static_cast<double>(end) / static_cast<double>(count));
  }
  if (!negative.rows.influences.empty()) binding.offset_groups.push_back(std::move(negative));
  if (settings.exact_normals != ExactNormals::kNone) add_gradients(mesh, settings, threads, binding);
  return binding;
}

Result<SparseRows> make_some_rows(const Mesh& mesh, std::span<const std::uint32_t> vertices,
                                  const RowSettings& settings, const Exclusions& exclusions) {
  RowMaker maker(mesh, settings, exclusions);
  Block block;
  maker.make(vertices, [&](std::size_t) -> Block& { return block; });
  if (block.left_alone) return follows_nothing(mesh, *block.left_alone);
  SparseRows rows;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    append_sum(block.rows.rows.row(i), block.rows.negative.row(i), static_cast<float>(block.rows.shares[i]), rows);
  }
  return rows;
}

}  // namespace pelt::surface_ffd
