// SPDX-License-Identifier: MIT
#include "engine/curve_skeleton/attach.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "engine/binding/sparse_rows.h"

namespace pelt::curve_skeleton {
namespace {

constexpr double kLeastDistance = 1e-9;  // metres

}  // namespace

RestCurves::RestCurves(std::span<const Curve> curves, std::span<const glm::dmat4> at_bind) : curves_(curves) {
  const std::vector<std::uint32_t> no_inputs(at_bind.size(), shared::kNoInput);
  const std::vector<glm::mat4> joints(at_bind.begin(), at_bind.end());
  CurveTable table(at_bind, no_inputs);
  std::vector<std::uint32_t> words;
  for (const Curve& curve : curves) words.push_back(table.put(curve));
  for (std::size_t c = 0; c < curves.size(); ++c) {
    posed_.push_back(
        std::make_shared<const PosedCurve>(curves[c], table.words(), words[c], joints, std::span<const float>()));
    std::vector<double> lengths;
    for (std::size_t bone = 0; bone < curves[c].bone_count(); ++bone) lengths.push_back(curves[c].bone_length(bone));
    frames_.emplace_back(std::move(lengths), [posed = posed_.back()](std::size_t bone, float lambda) {
      return posed->frame(bone, lambda);
    });
  }
  find_copies();
}

// Where two curves run through the same joints their frames depend on the same: those of the bone's ends, the next
// joints beside them, and the twist from the top to there.
void RestCurves::find_copies() {
  using Stretch = std::vector<std::pair<std::uint32_t, std::array<float, 3>>>;  // anchors, in order away from the top
  std::map<Stretch, std::pair<std::size_t, std::size_t>> first;
  for (std::size_t c = 0; c < curves_.size(); ++c) {
    const Curve& curve = curves_[c];
    const auto last = static_cast<std::ptrdiff_t>(curve.anchors.size()) - 1;
    const auto top = static_cast<std::ptrdiff_t>(curve.chain.top);
    std::vector<Bone>& original = original_.emplace_back();
    for (std::uint32_t b = 0; b < curve.bone_count(); ++b) original.push_back({static_cast<std::uint32_t>(c), b});
    copies_.emplace_back(curve.bone_count(), 1);
    for (std::ptrdiff_t bone = 0; bone < last; ++bone) {
      // A curve that the rig edits is its own.
      if (curve.edited) continue;
      // A bone is that of another curve in one direction only: the frames' axes run along the curve.
      const std::ptrdiff_t from = std::max<std::ptrdiff_t>(std::min(bone - 1, top - 1), 0);
      const std::ptrdiff_t to = std::min(std::max(bone + 2, top + 1), last);
      Stretch stretch;
      stretch.push_back({static_cast<std::uint32_t>(bone - from), {}});
      stretch.push_back({static_cast<std::uint32_t>(top - from), {}});
      stretch.push_back({static_cast<std::uint32_t>((from == 0 ? 1 : 0) + (to == last ? 2 : 0)), {}});
      for (std::ptrdiff_t i = from; i <= to; ++i) {
        const Anchor& anchor = curve.chain.anchors[static_cast<std::size_t>(i)];
        stretch.push_back({anchor.joint, {anchor.position.x, anchor.position.y, anchor.position.z}});
      }
      const auto [known, is_new] = first.try_emplace(std::move(stretch), c, static_cast<std::size_t>(bone));
      if (is_new) continue;
      original[static_cast<std::size_t>(bone)] = {static_cast<std::uint32_t>(known->second.first),
                                                  static_cast<std::uint32_t>(known->second.second)};
      ++copies_[known->second.first][known->second.second];
    }
  }
}

void RestCurves::find_places(std::size_t curve, glm::vec3 point, std::vector<CurvePlace>& places) const {
  std::vector<FrameCurve::Place> found;
  frames_[curve].find_places(point, found);
  for (const FrameCurve::Place& place : found) {
    places.push_back({static_cast<std::uint32_t>(curve), place.piece, place.lambda, place.distance, {}});
  }
}

void RestCurves::refine(CurvePlace& place, glm::vec3 point) const {
  FrameCurve::Place refined{place.bone, place.lambda, place.distance};
  frames_[place.curve].refine(refined, point);
  place.lambda = refined.lambda;
  place.distance = refined.distance;
}

CurvePlace RestCurves::closest(std::size_t curve, glm::vec3 point) const {
  const FrameCurve::Place place = frames_[curve].closest(point);
  return {static_cast<std::uint32_t>(curve), place.piece, place.lambda, place.distance, {}};
}

glm::vec3 RestCurves::slope(const CurvePlace& place, glm::vec3 point) const {
  return frames_[place.curve].slope({place.bone, place.lambda, place.distance}, point);
}

CurvePlace RestCurves::place_at(std::uint32_t curve, float s) const {
  const std::vector<float>& lengths = curves_[curve].lengths;
  const auto after = std::upper_bound(lengths.begin() + 1, lengths.end() - 1, s);
  CurvePlace place;
  place.curve = curve;
  place.bone = static_cast<std::uint32_t>(after - lengths.begin()) - 1;
  place.lambda = std::clamp((s - lengths[place.bone]) / curves_[curve].bone_length(place.bone), 0.0f, 1.0f);
  return place;
}

double RestCurves::distance(const CurvePlace& place, glm::vec3 point) const {
  return glm::length(glm::dvec3(point) -
                     glm::dvec3(affine_origin(posed_[place.curve]->frame(place.bone, place.lambda))));
}

std::optional<CurveOffer> trusted_offer(const RestCurves& rest, const Trust& trust, std::span<const Influence> row,
                                        std::uint32_t curve, glm::vec3 point) {
  if (!trust.any(curve, row)) return std::nullopt;
  std::vector<CurvePlace> places;
  rest.find_places(curve, point, places);
  std::optional<CurveOffer> nearest;
  for (const CurvePlace& place : places) {
    const double trusted = trust.at(curve, rest.length_at(place), row);
    if (trusted <= 0) continue;
    const double distance = std::max(place.distance, kLeastDistance) / trusted;
    if (!nearest || distance < nearest->distance) nearest = CurveOffer{place, distance};
  }
  if (nearest) rest.refine(nearest->place, point);
  return nearest;
}

std::vector<CurveShare> share_curves(const RestCurves& rest, std::span<const CurveOffer> offers,
                                     std::span<const float> factors, const ShareSettings& settings) {
  if (offers.empty()) return {};
  const auto nearer = [](const CurveOffer& a, const CurveOffer& b) { return a.distance < b.distance; };
  const auto nearest = std::min_element(offers.begin(), offers.end(), nearer);
  const double least = std::max(nearest->distance, kLeastDistance);
  std::vector<WeightedElement> row;
  for (std::uint32_t i = 0; i < offers.size(); ++i) {
    const CurvePlace& place = offers[i].place;
    if (rest.duplicate(place.curve, place.bone)) continue;
    const double factor = (factors.empty() ? 1.0 : factors[place.curve]) * rest.copies(place.curve, place.bone);
    const double weight =
        factor * std::max(0.0, 1 / std::max(offers[i].distance, kLeastDistance) - 1 / (settings.reach * least));
    if (weight > 0) row.push_back({i, weight});
  }
  if (row.empty()) row.push_back({static_cast<std::uint32_t>(nearest - offers.begin()), 1.0});
  cut_row(row, settings.most, Cut::kContinuous);
  std::vector<CurveShare> shares;
  for (const WeightedElement& element : row) shares.push_back({offers[element.index].place, element.weight});
  return shares;
}

}  // namespace pelt::curve_skeleton
