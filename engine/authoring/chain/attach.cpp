// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/attach.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <pelt/tools/parallel.h>
#include <pelt/try.h>

#include "engine/authoring/chain/relax.h"
#include "engine/authoring/chain/seams.h"
#include "engine/authoring/deformer/region.h"
#include "engine/authoring/geometry/bounds.h"

namespace pelt::chain {
namespace {

// Over this fraction of its distance from the curve, a vertex changes gradually from curve to curve, and from its
// nearest position along a curve to its painted one.
constexpr double kShareWidth = 0.5;
constexpr double kPlaceWidth = 0.5;
constexpr double kMinTrust = 0.02;
constexpr float kMinShare = 1e-3f;
constexpr float kPassing = 0.02f;  // a vertex passes over a joint if it has at least this weight on both sides of it
constexpr double kPassage = 0.2;   // skin is soft if at least this fraction of its area near a joint passes over it

Mesh join(const DeformerInput& input, std::span<const std::size_t> targets) {
  std::vector<const Mesh*> meshes;
  for (const std::size_t t : targets) meshes.push_back(&mesh_of(input, input.targets[t]));
  return concatenate(meshes);
}

}  // namespace

std::vector<std::size_t> shaping_targets(const DeformerInput& input) {
  std::vector<std::size_t> all;
  std::vector<std::size_t> skins;
  for (std::size_t t = 0; t < full_detail(input).size(); ++t) {
    all.push_back(t);
    if (!input.model.meshes[input.targets[t].mesh].triangles.empty()) skins.push_back(t);
  }
  return skins.empty() ? all : skins;
}

float largest_extent(const DeformerInput& input) {
  Bounds<glm::vec3> bounds;
  for (const DeformerTarget& target : full_detail(input)) {
    for (const glm::vec3& p : input.model.meshes[target.mesh].positions) bounds.add(p);
  }
  const glm::vec3 extent = glm::max(bounds.size(), glm::vec3(0.0f));
  return std::max({extent.x, extent.y, extent.z, 1e-6f});
}

// The targets of one group, bound as one skin.
class Attacher::Skin {
 public:
  Skin(const AttachSettings& settings, std::span<const Curve> curves, const DeformerInput& input, const Trust& trust,
       std::span<const std::size_t> targets, std::vector<std::uint32_t> welded);

  Skin(Skin&&) = default;  // no copies: the surface refers to the mesh

  // Writes the curves and weights of this skin's targets into `shares`, which has an entry for every target of the
  // layer.
  Result<void> attach(const RestCurves& rest, std::span<Shares> shares) const;

 private:
  // The position of every vertex along one curve, and how much it follows the curve.
  struct Field {
    Field(std::uint32_t of, std::size_t count)
        : curve(of), defined(count), s(count), distance(count), metres(count), weight(count), moved(count) {}

    std::uint32_t curve;
    std::vector<std::uint8_t> defined;
    std::vector<float> s;
    std::vector<float> distance;  // ln(distance / trust), the distance in metres
    std::vector<double> metres;   // the distance from the curve, set by measure()
    std::vector<float> weight;
    std::vector<std::uint8_t> moved;  // true if the position is no longer the nearest one
  };

  template <class Visit>
  void each_vertex(const Visit& visit) const;
  template <class Visit>
  void each_field(std::vector<Field>& fields, const Visit& visit) const;
  static Field& field_of(std::vector<Field>& fields, std::uint32_t curve) {
    return *std::ranges::lower_bound(fields, curve, {}, &Field::curve);
  }

  Result<std::vector<std::vector<float>>> weight_factors() const;
  std::vector<Field> nearest_places(const RestCurves& rest) const;
  void share_as_painted(std::span<const Influence> row, std::span<CurveOffer> offers) const;
  float softness(std::uint32_t curve, const Trust::Bend& bend, const Field& field, std::size_t target) const;
  bool move_as_painted(std::uint32_t curve, Field& field) const;
  void smooth_places(const RestCurves& rest, std::uint32_t curve, Field& field) const;
  void measure(const RestCurves& rest, std::uint32_t curve, Field& field) const;
  std::vector<float> heat_over(const Field& field, double width) const;

  const AttachSettings& settings_;
  std::span<const Curve> curves_;
  const DeformerInput& input_;
  std::vector<std::size_t> targets_;
  std::vector<std::uint32_t> first_;  // index of each target's first vertex; one more at the end
  Mesh mesh_;                         // all targets joined; has weights if the targets do
  std::vector<float> mask_;
  bool weighted_;
  bool by_weights_;  // true if the weights of the mesh choose the curves of its vertices
  bool is_painted_;  // true if they also choose positions along curves; false without triangles, as for a muscle's line
  const Trust& trust_;
  std::vector<double> areas_;
  Surface surface_;
};

Attacher::Skin::Skin(const AttachSettings& settings, std::span<const Curve> curves, const DeformerInput& input,
                     const Trust& trust, std::span<const std::size_t> targets, std::vector<std::uint32_t> welded)
    : settings_(settings),
      curves_(curves),
      input_(input),
      targets_(targets.begin(), targets.end()),
      mesh_(join(input, targets)),
      weighted_(has_weights(mesh_)),
      by_weights_(weighted_ && settings.binding != CurveBinding::kDistance),
      is_painted_(by_weights_ && !mesh_.triangles.empty()),
      trust_(trust),
      areas_(vertex_areas(mesh_.positions, mesh_.triangles)),
      surface_(mesh_, std::move(welded)) {
  for (const std::size_t t : targets) {
    first_.push_back(static_cast<std::uint32_t>(mask_.size()));
    mask_.insert(mask_.end(), input.targets[t].mask.begin(), input.targets[t].mask.end());
  }
  first_.push_back(static_cast<std::uint32_t>(mask_.size()));
}

Attacher::Attacher(const AttachSettings& settings, std::span<const Curve> curves, const DeformerInput& input)
    : trust_(input.model, curves, settings.painting), target_count_(input.targets.size()) {
  const Seams seams(input, static_cast<float>(1e-6 * settings.extent));
  for (const std::vector<std::size_t>& targets : seams.groups()) {
    skins_.emplace_back(settings, curves, input, trust_, targets, seams.welded(targets));
  }
}

Attacher::~Attacher() = default;

Result<std::vector<Shares>> Attacher::attach(const RestCurves& rest,
                                             const std::function<void(double)>& progress) const {
  std::vector<Shares> shares(target_count_);
  for (std::size_t k = 0; k < skins_.size(); ++k) {
    PELT_TRY(skins_[k].attach(rest, shares));
    progress(static_cast<double>(k + 1) / static_cast<double>(skins_.size()));
  }
  return shares;
}

template <class Visit>
void Attacher::Skin::each_vertex(const Visit& visit) const {
  constexpr std::size_t kGrain = 64;
  parallel_for(mask_.size(), kGrain, input_.threads, [&](std::size_t begin, std::size_t end) {
    std::vector<CurveOffer> offers;
    for (std::size_t v = begin; v < end; ++v) {
      if (!(mask_[v] > 0)) continue;
      offers.clear();
      visit(static_cast<std::uint32_t>(v), offers);
    }
  });
}

template <class Visit>
void Attacher::Skin::each_field(std::vector<Field>& fields, const Visit& visit) const {
  parallel_for(fields.size(), 1, input_.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) visit(fields[f]);
  });
}

// Returns factors[c][v], by which the rig multiplies the weight of curve c at vertex v. Empty factors[c] count as 1.
Result<std::vector<std::vector<float>>> Attacher::Skin::weight_factors() const {
  std::vector<std::vector<float>> factors(settings_.weights.empty() ? 0 : curves_.size());
  for (const CurveWeight& weight : settings_.weights) {
    std::vector<float> values;
    for (const std::size_t t : targets_) {
      PELT_ASSIGN(const auto region, region_values(weight.region, input_.targets[t], input_,
                                                   fmt::format("{}: the weight of '{}'", input_.layer, weight.curve)));
      values.insert(values.end(), region.begin(), region.end());
    }
    for (std::size_t c = 0; c < curves_.size(); ++c) {
      if (curves_[c].chain.name != weight.curve) continue;
      factors[c].resize(values.size(), 1.0f);
      for (std::size_t v = 0; v < values.size(); ++v) factors[c][v] *= std::lerp(1.0f, weight.value, values[v]);
    }
  }
  return factors;
}

Result<void> Attacher::Skin::attach(const RestCurves& rest, std::span<Shares> shares) const {
  if (settings_.binding == CurveBinding::kWeights && !weighted_) {
    const Mesh& first = mesh_of(input_, input_.targets[targets_[0]]);
    return invalid(input_, fmt::format("mesh '{}' has no weights to bind by", first.name));
  }
  PELT_ASSIGN(const auto factors, weight_factors());
  std::vector<Field> fields = nearest_places(rest);
  each_field(fields, [&](Field& field) {
    field.moved = surface_.relax(field.defined, field.s, field.distance);
    const bool moves = is_painted_ && move_as_painted(field.curve, field);
    measure(rest, field.curve, field);
    if (moves) smooth_places(rest, field.curve, field);
  });
  each_vertex([&](std::uint32_t v, std::vector<CurveOffer>& offers) {
    for (const Field& field : fields) {
      if (field.defined[v])
        offers.push_back({rest.place_at(field.curve, field.s[v]), std::exp(double{field.distance[v]})});
    }
    std::vector<float> curve_factors;
    for (std::size_t c = 0; c < factors.size(); ++c) {
      curve_factors.push_back(factors[c].empty() ? 1.0f : factors[c][v]);
    }
    weigh_offers(offers, settings_.shares.reach);
    if (is_painted_) share_as_painted(mesh_.weights.row(v), offers);
    multiply_offers(offers, curve_factors);
    for (const CurveOffer& offer : offers) {
      field_of(fields, offer.place.curve).weight[v] = static_cast<float>(offer.weight);
    }
  });
  // Distance and trust without smoothing could give neighbouring vertices different curves.
  each_field(fields, [&](Field& field) { surface_.heat().flow(heat_over(field, kShareWidth), field.weight); });
  Shares all(mesh_.positions.size());
  each_vertex([&](std::uint32_t v, std::vector<CurveOffer>& offers) {
    const glm::vec3 point = mesh_.positions[v];
    for (const Field& field : fields) {
      if (!field.defined[v] || field.weight[v] < kMinShare) continue;
      CurveOffer& offer =
          offers.emplace_back(CurveOffer{rest.place_at(field.curve, field.s[v]), 0, double{field.weight[v]}});
      offer.place.distance = field.metres[v];
      offer.place.slope =
          field.moved[v] ? surface_.gradient(v, field.defined, field.s) : rest.slope(offer.place, point);
    }
    all[v] = merge_offers(rest, offers, settings_.shares.most);
  });
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    const auto begin = std::make_move_iterator(all.begin());
    shares[targets_[t]].assign(begin + first_[t], begin + first_[t + 1]);
  }
  return {};
}

// Finds the nearest position of each vertex on every curve that it may follow. If the vertex has no weights, or its
// joints are on no curve, only distance decides.
std::vector<Attacher::Skin::Field> Attacher::Skin::nearest_places(const RestCurves& rest) const {
  std::vector<std::vector<CurveOffer>> trusted(mask_.size());
  each_vertex([&](std::uint32_t v, std::vector<CurveOffer>& offers) {
    if (!by_weights_) return;
    const std::span<const Influence> row = mesh_.weights.row(v);
    for (const std::uint32_t c : trust_.curves_of(row)) {
      const auto offer = trusted_offer(rest, trust_, row, c, mesh_.positions[v]);
      if (offer) offers.push_back(*offer);
    }
    trusted[v] = offers;
  });
  // Most skins of many follow few of many curves.
  std::vector<bool> is_used(curves_.size(), false);
  for (std::size_t v = 0; v < trusted.size(); ++v) {
    if (mask_[v] > 0 && trusted[v].empty()) is_used.assign(curves_.size(), true);
    for (const CurveOffer& offer : trusted[v]) is_used[offer.place.curve] = true;
  }
  std::vector<Field> fields;
  for (std::uint32_t c = 0; c < curves_.size(); ++c) {
    if (is_used[c]) fields.emplace_back(c, mask_.size());
  }
  each_vertex([&](std::uint32_t v, std::vector<CurveOffer>& offers) {
    offers = trusted[v];
    const bool by_distance = offers.empty();
    for (std::uint32_t c = 0; by_distance && c < curves_.size(); ++c) {
      const CurveLocation place = rest.closest(c, mesh_.positions[v]);
      offers.push_back({place, place.distance});
    }
    for (const CurveOffer& offer : offers) {
      Field& field = field_of(fields, offer.place.curve);
      field.defined[v] = 1;
      field.s[v] = rest.length_at(offer.place);
      field.distance[v] = static_cast<float>(std::log(std::max(offer.distance, kMinDistance)));
    }
  });
  return fields;
}

// Measures the distance of each vertex from its position on the curve.
void Attacher::Skin::measure(const RestCurves& rest, std::uint32_t curve, Field& field) const {
  for (std::uint32_t v = 0; v < field.s.size(); ++v) {
    if (field.defined[v]) field.metres[v] = rest.distance(rest.place_at(curve, field.s[v]), mesh_.positions[v]);
  }
}

// Returns the heat (conductivity times time) of each vertex: so much that a step becomes about `width` times the
// vertex's distance from the curve wide on either side, but no wider than the extent of the targets. There is less heat
// where trust in the curve is low, so that the curve does not flow into skin that follows others.
std::vector<float> Attacher::Skin::heat_over(const Field& field, double width) const {
  std::vector<float> heat(field.s.size(), 0.0f);
  for (std::uint32_t v = 0; v < heat.size(); ++v) {
    if (!field.defined[v]) continue;
    const double distance = field.metres[v];
    const double trusted = std::clamp(distance / std::exp(double{field.distance[v]}), 0.0, 1.0);
    const double wide = std::min(width * distance, settings_.extent);
    heat[v] = static_cast<float>(0.5 * trusted * wide * wide);
  }
  return heat;
}

// Moves the weights of a vertex's curves into Trust::share_bounds while they sum to 1: adds one number to all of them,
// and clamps each to its bounds. Changes nothing if the upper bounds sum to less than 1.
void Attacher::Skin::share_as_painted(std::span<const Influence> row, std::span<CurveOffer> offers) const {
  if (offers.size() < 2) return;
  std::vector<std::pair<double, double>> bounds;
  double most = 0;
  for (const CurveOffer& offer : offers) {
    bounds.emplace_back(trust_.share_bounds(offer.place.curve, row));
    most += bounds.back().second;
  }
  if (most < 1) return;
  const auto bounded = [&](std::size_t i, double more) {
    return std::clamp(offers[i].weight + more, bounds[i].first, bounds[i].second);
  };
  double low = -1;
  double high = 1;
  for (int step = 0; step < 40; ++step) {
    const double more = 0.5 * (low + high);
    double sum = 0;
    for (std::size_t i = 0; i < offers.size(); ++i) sum += bounded(i, more);
    (sum < 1 ? low : high) = more;
  }
  for (std::size_t i = 0; i < offers.size(); ++i) offers[i].weight = bounded(i, high);
}

// Returns how gradually the skin of a target passes over a bend: 0 if each vertex there is painted only to joints on
// one side, as plates are; 1 if at least a fifth of the area is painted to both sides.
float Attacher::Skin::softness(std::uint32_t curve, const Trust::Bend& bend, const Field& field,
                               std::size_t target) const {
  double all = 0;
  double both = 0;
  for (std::uint32_t v = first_[target]; v < first_[target + 1]; ++v) {
    const float way = field.s[v] - bend.length;
    if (!field.defined[v] || way < -bend.turning.x || way > bend.turning.y) continue;
    const std::optional<float> beyond = trust_.share_beyond(curve, bend.anchor, mesh_.weights.row(v));
    if (!beyond) continue;
    all += areas_[v];
    if (std::min(*beyond, 1 - *beyond) > kPassing) both += areas_[v];
  }
  return all > 0 ? static_cast<float>(std::min(both / (kPassage * all), 1.0)) : 1.0f;
}

// Moves positions along the curve to match the painting. Returns true if any position moves.
bool Attacher::Skin::move_as_painted(std::uint32_t curve, Field& field) const {
  bool any = false;
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    std::vector<Trust::Bend> bends = trust_.bends(curve);
    for (Trust::Bend& bend : bends) bend.off *= softness(curve, bend, field, t);
    for (std::uint32_t v = first_[t]; v < first_[t + 1]; ++v) {
      if (!field.defined[v]) continue;
      const float s = trust_.as_painted(curve, bends, mesh_.weights.row(v), field.s[v]);
      if (s == field.s[v]) continue;
      any = true;
      field.moved[v] = 1;
      field.s[v] = s;
    }
  }
  return any;
}

// Smooths positions along the curve around those that painting has moved. Measures `field` before and after.
void Attacher::Skin::smooth_places(const RestCurves& rest, std::uint32_t curve, Field& field) const {
  const std::vector<float> before = field.s;
  surface_.heat().flow(heat_over(field, kPlaceWidth), field.s);
  for (std::uint32_t v = 0; v < field.s.size(); ++v) {
    if (!field.moved[v] && field.s[v] == before[v]) continue;
    field.moved[v] = 1;
    field.metres[v] = rest.distance(rest.place_at(curve, field.s[v]), mesh_.positions[v]);
    const double trusted = std::max(double{trust_.at(curve, field.s[v], mesh_.weights.row(v))}, kMinTrust);
    field.distance[v] = static_cast<float>(std::log(std::max(field.metres[v], kMinDistance) / (trusted * trusted)));
  }
}

}  // namespace pelt::chain
