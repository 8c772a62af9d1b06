// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/rest_curves.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

namespace pelt::chain {
namespace {

// The range of anchors whose joints bend the frames along a bone: the ends of the bone and, with automatic frames,
// anchors whose steps reach into it.
struct Bending {
  std::ptrdiff_t first, last;
};

Bending bending_anchors(const Curve& curve, std::uint32_t bone) {
  const auto first = static_cast<std::ptrdiff_t>(bone);
  Bending range{first, first + 1};
  if (curve.frames != CurveFrames::kAuto) return range;
  for (std::size_t i = 1; i + 1 < curve.anchors.size(); ++i) {
    const glm::vec2 window = step_reach(curve, i).window;
    if (curve.lengths[i] + window.y <= curve.lengths[bone] || curve.lengths[i] - window.x >= curve.lengths[bone + 1]) {
      continue;
    }
    range.first = std::min(range.first, static_cast<std::ptrdiff_t>(i));
    range.last = std::max(range.last, static_cast<std::ptrdiff_t>(i));
  }
  return range;
}

// Returns how many anchors after this one, in the direction of `step`, its bend depends on. With automatic frames,
// joints within each other's turns share the length that the curve recovers (bend_beside).
std::ptrdiff_t beside(const Curve& curve, std::ptrdiff_t anchor, std::ptrdiff_t step) {
  const std::ptrdiff_t next = anchor + step;
  if (curve.frames != CurveFrames::kAuto || next < 0 || next >= std::ssize(curve.lengths)) return 1;
  const auto length = [&](std::ptrdiff_t i) { return curve.lengths[static_cast<std::size_t>(i)]; };
  const glm::vec2 turning = step_reach(curve, static_cast<std::size_t>(anchor)).turning;
  return std::abs(length(next) - length(anchor)) < std::min(turning.x, turning.y) ? 2 : 1;
}

// Finds the bones that have the same frames. The frames along a bone depend on the joints from the top of the chain to
// it, on those that bend it and their neighbours, and on the curve settings at those that bend it. The rounded words of
// these, in order away from the top, therefore identify the frames.
std::vector<std::vector<BoneCopy>> find_copies(std::span<const Curve> curves, std::span<const std::uint32_t> table,
                                               std::span<const std::uint32_t> words) {
  std::vector<std::vector<BoneCopy>> originals;
  using Key = std::vector<std::int64_t>;
  std::map<Key, BoneCopy> first;
  for (std::uint32_t c = 0; c < curves.size(); ++c) {
    const Curve& curve = curves[c];
    const auto count = static_cast<std::ptrdiff_t>(curve.anchors.size());
    const auto top = static_cast<std::ptrdiff_t>(curve.chain.top);
    const std::uint32_t* anchors = &table[table[words[c] + shared::kChainFirstAnchor]];
    const std::uint32_t* curve_anchors = &table[table[words[c] + shared::kCurveFirstAnchor]];
    Key key;
    double grid = 1;
    const auto put_number = [&](float number) { key.push_back(std::llround(number / grid)); };
    const auto put_numbers = [&](const std::uint32_t* from, std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) put_number(std::bit_cast<float>(from[i]));
    };
    const auto put_anchor = [&](std::ptrdiff_t i, std::uint32_t end) {
      const bool is_there = i >= 0 && i < count;
      key.push_back(is_there ? anchors[i * shared::kAnchorWords] : -1);
      if (is_there) put_numbers(anchors + i * shared::kAnchorWords, shared::kAnchorPosition, end);
    };
    // A reference axis and its opposite differ by half a turn of the frame, at bind and in every pose: they count as
    // one.
    const auto put_reference = [&](std::ptrdiff_t i) {
      const std::uint32_t* reference = curve_anchors + i * shared::kCurveAnchorWords + shared::kCurveAnchorReference;
      const glm::vec3 axis(std::bit_cast<float>(reference[0]), std::bit_cast<float>(reference[1]),
                           std::bit_cast<float>(reference[2]));
      const glm::vec3 size = glm::abs(axis);
      const int largest = size.x > 0.5f ? 0 : size.y > 0.5f ? 1 : 2;
      for (int k = 0; k < 3; ++k) put_number(axis[largest] < 0 ? -axis[k] : axis[k]);
    };
    std::vector<BoneCopy>& original = originals.emplace_back();
    for (std::uint32_t bone = 0; bone < curve.bone_count(); ++bone) {
      original.push_back({c, bone, false});
      if (curve.edited) continue;
      const bool reversed = bone < curve.chain.top;
      const std::ptrdiff_t away = reversed ? -1 : 1;
      const Bending bending = bending_anchors(curve, bone);
      const std::ptrdiff_t near = reversed ? bending.last : bending.first;
      const std::ptrdiff_t far = reversed ? bending.first : bending.last;
      key.clear();
      grid = std::max(1e-5 * curve.bone_length(bone), 1e-6);
      const std::ptrdiff_t begin = away * std::min(away * top, away * near - beside(curve, near, -away));
      const std::ptrdiff_t end = far + (beside(curve, far, away) + 1) * away;
      key.push_back((bone + (reversed ? 1 : 0) - begin) * away);
      for (std::ptrdiff_t i = begin; i != end; i += away) {
        // Only positions count beyond the top and the anchors that bend the bone.
        const bool outer = (i - far) * away > 0 || ((i - near) * away < 0 && (i - top) * away < 0);
        put_anchor(i, outer ? shared::kAnchorRotation : i == top ? shared::kAnchorAxis : shared::kAnchorTwist);
      }
      for (std::ptrdiff_t i = near; i != far + away; i += away) {
        const std::uint32_t* settings = curve_anchors + i * shared::kCurveAnchorWords;
        if (curve.frames != CurveFrames::kAuto) put_reference(i);
        put_numbers(settings, shared::kCurveAnchorDistance, shared::kCurveAnchorKeys);
        put_numbers(settings, shared::kCurveAnchorBulge, shared::kCurveAnchorDirection);
        put_numbers(settings, shared::kCurveAnchorContact, shared::kCurveAnchorRadius + 1);
        put_numbers(settings, shared::kCurveAnchorTube, shared::kCurveAnchorRest);
        for (const std::uint32_t sides : {shared::kCurveAnchorTurning, shared::kCurveAnchorWindow}) {
          put_number(std::bit_cast<float>(settings[sides + (reversed ? 1 : 0)]));
          put_number(std::bit_cast<float>(settings[sides + (reversed ? 0 : 1)]));
        }
      }
      const auto [known, is_new] = first.try_emplace(key, BoneCopy{c, bone, reversed});
      if (!is_new) original.back() = {known->second.curve, known->second.bone, known->second.reversed != reversed};
    }
  }
  return originals;
}

}  // namespace

RestCurves::RestCurves(std::vector<RestCurve> curves, std::vector<std::vector<BoneCopy>> originals)
    : originals_(std::move(originals)) {
  for (RestCurve& curve : curves) {
    std::vector<double> lengths;
    for (std::size_t bone = 0; bone + 1 < curve.lengths.size(); ++bone) {
      lengths.push_back(curve.lengths[bone + 1] - curve.lengths[bone]);
    }
    frames_.emplace_back(std::move(lengths), std::move(curve.frame));
    lengths_.push_back(std::move(curve.lengths));
  }
}

void RestCurves::find_locations(std::size_t curve, glm::vec3 point, std::vector<CurveLocation>& places) const {
  std::vector<FrameCurve::Location> found;
  frames_[curve].find_locations(point, found);
  for (const FrameCurve::Location& place : found) {
    places.push_back({static_cast<std::uint32_t>(curve), place.piece, place.lambda, place.distance, {}});
  }
}

void RestCurves::refine(CurveLocation& place, glm::vec3 point) const {
  FrameCurve::Location refined{place.bone, place.lambda, place.distance};
  frames_[place.curve].refine(refined, point);
  place.lambda = refined.lambda;
  place.distance = refined.distance;
}

CurveLocation RestCurves::closest(std::size_t curve, glm::vec3 point) const {
  const FrameCurve::Location place = frames_[curve].closest(point);
  return {static_cast<std::uint32_t>(curve), place.piece, place.lambda, place.distance, {}};
}

glm::vec3 RestCurves::slope(const CurveLocation& place, glm::vec3 point) const {
  return frames_[place.curve].slope({place.bone, place.lambda, place.distance}, point);
}

CurveLocation RestCurves::place_at(std::uint32_t curve, float s) const {
  const std::vector<float>& lengths = lengths_[curve];
  const auto after = std::upper_bound(lengths.begin() + 1, lengths.end() - 1, s);
  CurveLocation place;
  place.curve = curve;
  place.bone = static_cast<std::uint32_t>(after - lengths.begin()) - 1;
  place.lambda = std::clamp((s - lengths[place.bone]) / bone_length(curve, place.bone), 0.0f, 1.0f);
  return place;
}

double RestCurves::distance(const CurveLocation& place, glm::vec3 point) const {
  return glm::length(glm::dvec3(point) - glm::dvec3(affine_origin(frame(place.curve, place.bone, place.lambda))));
}

CurveLocation RestCurves::original(CurveLocation place) const {
  const BoneCopy& bone = originals_[place.curve][place.bone];
  place.curve = bone.curve;
  place.bone = bone.bone;
  if (bone.reversed) {
    place.lambda = 1 - place.lambda;
    place.slope = -place.slope;
  }
  return place;
}

RestCurves make_rest_curves(std::span<const Curve> curves, std::span<const glm::dmat4> at_bind) {
  const std::vector<std::uint32_t> no_inputs(at_bind.size(), shared::kNoInput);
  const std::vector<glm::mat4> joints(at_bind.begin(), at_bind.end());
  CurveTable table(at_bind, no_inputs);
  std::vector<std::uint32_t> words;
  for (const Curve& curve : curves) words.push_back(table.put(curve));
  std::vector<RestCurve> rest;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const auto posed =
        std::make_shared<const PosedCurve>(curves[c], at_bind, no_inputs, joints, std::span<const float>());
    rest.push_back({curves[c].lengths, [posed](std::size_t bone, float lambda) { return posed->frame(bone, lambda); }});
  }
  return {std::move(rest), find_copies(curves, table.words(), words)};
}

void share_distances(const RestCurves& rest, std::span<Curve> curves) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t c = 0; c < curves.size(); ++c) {
      for (std::uint32_t bone = 0; bone < curves[c].bone_count(); ++bone) {
        const BoneCopy& from = rest.original(c, bone);
        for (std::uint32_t end = 0; end < 2; ++end) {
          CurveAnchor& own = curves[c].anchors[bone + end];
          CurveAnchor& other = curves[from.curve].anchors[from.bone + (from.reversed ? 1 - end : end)];
          for (float CurveAnchor::*const value : {&CurveAnchor::skin_distance, &CurveAnchor::passage}) {
            if (!(own.*value < other.*value || other.*value < own.*value)) continue;  // ends for NaN too
            own.*value = other.*value = std::max(own.*value, other.*value);
            changed = true;
          }
        }
      }
    }
  }
}

}  // namespace pelt::chain
