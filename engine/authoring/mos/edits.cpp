// SPDX-License-Identifier: MIT
#include "engine/authoring/mos/edits.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <utility>

#include <pelt/curve_keys.h>
#include <pelt/finite.h>
#include <pelt/mos.h>
#include <pelt/try.h>

#include "engine/authoring/base/not_found.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "engine/character/base/invalid.h"

namespace pelt::mos {
namespace {

// Returns true if a name matches a pattern with the wildcards * and ?. Greedy with backtracking to the last star only,
// so it takes at most the product of the lengths.
bool matches(std::string_view name, std::string_view pattern) {
  std::size_t n = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t from = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] == name[n] && pattern[p] != '*'))) {
      ++n;
      ++p;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

class Resolver {
 public:
  Resolver(const ControlPoints& points, const Model& model, std::span<const glm::dmat4> at_bind)
      : points_(points), model_(model), at_bind_(at_bind) {
    result_.of_point.resize(points.points.size());
  }

  Result<void> add(const MosEdit& edit, const std::string& what) {
    const bool near = is_near(edit.factor) && is_near(edit.distance) && is_near(edit.degrees) && is_near(edit.offset) &&
                      is_near(edit.scale) && (!edit.pivot || is_near(*edit.pivot));
    if (!near) return invalid("{} has a number that is not finite, or beyond {:g}", what, kMaxCoordinate);
    std::optional<std::uint32_t> driver;
    if (edit.driver) {
      PELT_TRY(add_driver(edit, what));
      driver = static_cast<std::uint32_t>(result_.drivers.size() - 1);
    }
    PELT_ASSIGN(const auto named, find_points(edit, what));
    for (const std::uint32_t p : named) {
      const ControlPoint& point = points_.points[p];
      PointEdits::Edit resolved;
      resolved.in_bind = edit.driver || edit.in_bind;
      resolved.edit = {.operation = edit.operation,
                       .factor = edit.factor,
                       .pivot = edit.pivot ? glm::dvec3(*edit.pivot) : glm::dvec3(at_bind_[point.joint][3]),
                       .distance = edit.distance,
                       .offset = edit.offset,
                       .scale = edit.scale,
                       .radians = glm::radians(edit.degrees),
                       .driver = driver};
      std::tie(resolved.edit.from, resolved.edit.to) = bone_of(point.joint);
      const bool has_axis = point.turn && point.turn->angles;
      if (edit.operation == MosOperation::kTwist && !has_axis &&
          at_bind_[resolved.edit.from][3] == at_bind_[resolved.edit.to][3]) {
        return invalid("{} twists the point '{}', whose joint has no bone", what, point_name(point, model_));
      }
      if (result_.of_point[p].size() == shared::kMaxMosEdits) {
        return invalid("{} exceeds {} edits of point '{}'", what, shared::kMaxMosEdits, point_name(point, model_));
      }
      result_.of_point[p].push_back(resolved);
    }
    return {};
  }

  PointEdits take() { return std::move(result_); }

 private:
  Result<void> add_driver(const MosEdit& edit, const std::string& what) {
    const std::vector<CurveKey>& share = edit.share;
    if (share.size() < shared::kMinMosKeys || share.size() > shared::kMaxMosKeys) {
      return invalid("{} has {} keys of its share, not {} to {}", what, share.size(), shared::kMinMosKeys,
                     shared::kMaxMosKeys);
    }
    for (std::size_t k = 0; k < share.size(); ++k) {
      if (!std::isfinite(share[k].at) || !std::isfinite(share[k].value) || (k > 0 && share[k].at <= share[k - 1].at)) {
        return invalid("{} has keys of its share that do not ascend, or are not finite", what);
      }
    }
    PELT_ASSIGN(auto angle, key_weights::angle_words(*edit.driver, model_, what));
    result_.drivers.push_back({angle, share});
    return {};
  }

  Result<std::vector<std::uint32_t>> find_points(const MosEdit& edit, const std::string& what) const {
    std::vector<bool> chosen(points_.points.size(), edit.points.empty());
    for (const std::string& pattern : edit.points) {
      bool any = false;
      for (std::size_t p = 0; p < chosen.size(); ++p) {
        const ControlPoint& point = points_.points[p];
        const std::string& joint = model_.skeleton.joints[point.joint].name;
        if (!means_point(pattern, point.name, point.placed, joint)) continue;
        chosen[p] = any = true;
      }
      if (any) continue;
      std::vector<std::string_view> known;
      for (const ControlPoint& point : points_.points) {
        if (!point.name.empty()) known.push_back(point.name);
        known.push_back(model_.skeleton.joints[point.joint].name);
      }
      return not_found(what, "point", pattern, known);
    }
    std::vector<std::uint32_t> result;
    for (std::uint32_t p = 0; p < chosen.size(); ++p) {
      if (chosen[p]) result.push_back(p);
    }
    return result;
  }

  // Returns the joint and the next one of a chain away from its top; at the end of a chain, the joints of the bone that
  // ends there.
  std::pair<std::uint32_t, std::uint32_t> bone_of(std::uint32_t joint) const {
    std::pair<std::uint32_t, std::uint32_t> arriving(joint, joint);
    for (const chain::Chain& chain : points_.turning) {
      const auto count = static_cast<std::ptrdiff_t>(chain.anchors.size());
      const auto top = static_cast<std::ptrdiff_t>(chain.top);
      const auto joint_at = [&](std::ptrdiff_t i) { return chain.anchors[static_cast<std::size_t>(i)].joint; };
      for (std::ptrdiff_t i = 0; i < count; ++i) {
        if (joint_at(i) != joint) continue;
        const std::ptrdiff_t away = i < top ? -1 : 1;
        std::ptrdiff_t next = i + away;
        while (next >= 0 && next < count && joint_at(next) == joint) next += away;
        if (next >= 0 && next < count) return {joint, joint_at(next)};
        if (i != top) arriving = {joint_at(i - away), joint};
      }
    }
    if (arriving.first == joint) arriving.first = model_.skeleton.parent_of(joint).value_or(joint);
    return arriving;
  }

  const ControlPoints& points_;
  const Model& model_;
  std::span<const glm::dmat4> at_bind_;
  PointEdits result_;
};

}  // namespace

// Chains are named after joints, so a wildcard meant for joints would also find placed points of others.
bool means_point(std::string_view pattern, std::string_view name, bool placed, std::string_view joint) {
  return (placed ? name == pattern : matches(name, pattern)) || matches(joint, pattern);
}

Result<PointEdits> resolve_edits(std::span<const MosEdit> edits, const ControlPoints& points, const Model& model,
                                 std::span<const glm::dmat4> at_bind, const std::string& what) {
  Resolver resolver(points, model, at_bind);
  for (std::size_t e = 0; e < edits.size(); ++e) {
    PELT_TRY(resolver.add(edits[e], fmt::format("{}: edit {}", what, e + 1)));
  }
  return resolver.take();
}

std::vector<std::uint32_t> put_points(const ControlPoints& points, const PointEdits& edits, MosTable& table) {
  std::vector<std::uint32_t> chains;
  for (const chain::Chain& chain : points.turning) chains.push_back(table.put_chain(chain));
  std::vector<std::uint32_t> drivers;
  for (const PointEdits::Driver& driver : edits.drivers) {
    drivers.push_back(table.put_driver(driver.angle, driver.share));
  }
  std::vector<std::uint32_t> words;
  for (std::size_t p = 0; p < points.points.size(); ++p) {
    std::vector<PointEdit> point_edits;
    for (const PointEdits::Edit& edit : edits.of_point[p]) {
      point_edits.push_back(edit.edit);
      if (edit.edit.driver) point_edits.back().driver = drivers[*edit.edit.driver];
    }
    words.push_back(table.put_point(points.points[p], chains, point_edits));
  }
  return words;
}

RestPoints::RestPoints(const ControlPoints& points, const PointEdits& edits, MosFrames frames,
                       std::span<const glm::dmat4> at_bind)
    : joints_(at_bind.begin(), at_bind.end()) {
  const PointEdits there = edits.only([](const PointEdits::Edit& edit) { return edit.in_bind; });
  const std::vector<std::uint32_t> no_inputs(at_bind.size(), shared::kNoInput);
  MosTable table(at_bind, no_inputs, 0, frames);
  words_ = put_points(points, there, table);
  posed_.emplace(table, joints_, std::span<const float>());
  for (const std::uint32_t word : words_) {
    frames_.push_back(posed_->frame(word));
    positions_.push_back(affine_origin(frames_.back()));
  }
}

shared::MosWindow RestPoints::window(const Window& window) const {
  return posed_->window({words_[window[0]], words_[window[1]], words_[window[2]], words_[window[3]]});
}

bool RestPoints::is_singular(const glm::dmat3& frame, std::span<const WeightedElement> row) const {
  constexpr double kSingular = 1e-6;
  glm::dvec3 lengths(0.0);
  for (const WeightedElement& influence : row) {
    const glm::dmat3 rest_axes(axes(influence.index));
    for (int c = 0; c < 3; ++c) lengths[c] += std::abs(influence.weight) * glm::length(rest_axes[c]);
  }
  return !(std::abs(glm::determinant(frame)) > kSingular * lengths.x * lengths.y * lengths.z);
}

std::string point_name(const ControlPoint& point, const Model& model) {
  return point.name.empty() ? model.skeleton.joints[point.joint].name : point.name;
}

}  // namespace pelt::mos
