// SPDX-License-Identifier: MIT
#include "engine/authoring/key_weights/bind.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include <pelt/curve_keys.h>
#include <pelt/finite.h>
#include <pelt/nearest_name.h>
#include <pelt/try.h>

#include "engine/authoring/key_weights/angle.h"
#include "engine/character/base/invalid.h"
#include "engine/character/records.h"
#include "shaders/key_weights/pose.h"

namespace pelt::key_weights {
namespace {

Result<std::uint32_t> put_angles(const KeyPoseSet& set, const Model& model, const std::string& what,
                                 TableWriter& table) {
  const std::uint32_t first = table.size();
  for (const KeyAngle& angle : set.angles) {
    PELT_ASSIGN(const auto words, angle_words(angle, model, what));
    for (const std::uint32_t word : words) table.put_word(word);
  }
  return first;
}

Result<void> check_set(const KeyPoseSet& set, const std::string& what) {
  const bool linear = set.interpolation == KeyInterpolation::kLinear;
  const std::size_t most = linear ? 1 : std::size_t{shared::kMaxKeyAngles};
  if (set.angles.empty() || set.angles.size() > most) {
    return invalid("{}: has {} angles; {} interpolation takes 1{}", what, set.angles.size(), linear ? "linear" : "rbf",
                   linear ? "" : fmt::format(" to {}", most));
  }
  if (set.poses.empty()) return invalid("{}: has no poses", what);
  for (std::size_t p = 0; p < set.poses.size(); ++p) {
    const std::vector<float>& degrees = set.poses[p].degrees;
    if (degrees.size() != set.angles.size()) {
      return invalid("{}: pose {} has {} angles, and needs {}", what, p, degrees.size(), set.angles.size());
    }
    const auto in_range = [](float d) { return d > -180 && d <= 180; };
    if (!std::ranges::all_of(degrees, in_range)) {
      return invalid("{}: pose {} has an angle outside -180 to 180 degrees", what, p);
    }
    if (std::ranges::all_of(degrees, [](float d) { return d == 0; })) {
      return invalid("{}: pose {} must not be at rest, which has no offsets", what, p);
    }
    for (std::size_t q = 0; q < p; ++q) {
      if (set.poses[q].degrees == degrees) return invalid("{}: poses {} and {} have the same angles", what, q, p);
    }
  }
  return {};
}

constexpr const char* kTooClose = "two poses, or a pose and rest, are too close for any weights to separate";

// Adds the keys of a set and returns the words at which they start, one per pose.
Result<std::vector<std::uint32_t>> put_linear_keys(const KeyPoseSet& set, std::uint32_t angle, const std::string& what,
                                                   TableWriter& table) {
  constexpr double kHeld = 1e9;  // radians: the shape of the last key stays constant beyond it
  std::vector<double> keys = {0.0};
  for (const KeyPose& pose : set.poses) keys.push_back(glm::radians(static_cast<double>(pose.degrees[0])));
  std::sort(keys.begin(), keys.end());
  constexpr double kMinStep = 1e-5;  // radians: the precision of joint angles
  if (std::ranges::adjacent_find(keys, [](double a, double b) { return b - a < kMinStep; }) != keys.end()) {
    return invalid("{}: {}", what, kTooClose);
  }
  std::vector<std::uint32_t> words;
  for (const KeyPose& pose : set.poses) {
    const double key = glm::radians(static_cast<double>(pose.degrees[0]));
    const auto place = std::lower_bound(keys.begin(), keys.end(), key);
    words.push_back(table.size());
    table.put_word(shared::kKeyLinear);
    table.put_word(angle);
    table.put_number(place == keys.begin() ? -kHeld : *(place - 1));
    table.put_number(key);
    table.put_number(place + 1 == keys.end() ? kHeld : *(place + 1));
  }
  return words;
}

Result<std::vector<std::uint32_t>> put_rbf_keys(const KeyPoseSet& set, std::uint32_t angle, const std::string& what,
                                                TableWriter& table) {
  const auto dimensions = static_cast<Eigen::Index>(set.angles.size());
  const auto count = static_cast<Eigen::Index>(set.poses.size()) + 1;  // with the rest pose, as the last one
  if (count > Eigen::Index{shared::kMaxKeyCentres}) {
    return invalid("{}: has more than {} poses", what, shared::kMaxKeyCentres - 1);
  }
  Eigen::MatrixXd centres = Eigen::MatrixXd::Zero(count, dimensions);
  for (Eigen::Index p = 0; p + 1 < count; ++p) {
    for (Eigen::Index a = 0; a < dimensions; ++a) {
      centres(p, a) = glm::radians(
          static_cast<double>(set.poses[static_cast<std::size_t>(p)].degrees[static_cast<std::size_t>(a)]));
    }
  }
  Eigen::MatrixXd squared(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < count; ++j) squared(i, j) = (centres.row(i) - centres.row(j)).squaredNorm();
  }
  // Each key is as wide as the distance to its nearest neighbour: close keys do not blur into each other, and an
  // isolated key reaches far.
  Eigen::VectorXd width(count);
  for (Eigen::Index c = 0; c < count; ++c) {
    width(c) = std::numeric_limits<double>::infinity();
    for (Eigen::Index j = 0; j < count; ++j) width(c) = c == j ? width(c) : std::min(width(c), squared(c, j));
  }
  constexpr double kMinWidth = 1e-3;  // radians: above the resolution of angles from float matrices
  if (width.minCoeff() < kMinWidth * kMinWidth) return invalid("{}: {}", what, kTooClose);
  Eigen::MatrixXd kernel(count, count);  // value of the function at centre c, at key j
  for (Eigen::Index c = 0; c < count; ++c) {
    for (Eigen::Index j = 0; j < count; ++j) kernel(c, j) = std::exp(-squared(c, j) / width(c));
  }
  const Eigen::FullPivLU<Eigen::MatrixXd> solver(kernel);
  if (solver.rcond() < 1e-7) return invalid("{}: {}", what, kTooClose);
  const Eigen::MatrixXd cardinal = solver.inverse();  // row k holds the a_c of key k
  // Larger weights would cancel to rounding error, and swing far beyond 1 between the keys.
  constexpr double kMax = 50;
  if (!(cardinal.cwiseAbs().maxCoeff() <= kMax)) return invalid("{}: {}", what, kTooClose);

  const std::uint32_t first_centre = table.size();
  for (Eigen::Index c = 0; c < count; ++c) {
    for (Eigen::Index a = 0; a < dimensions; ++a) table.put_number(centres(c, a));
    table.put_number(1 / width(c));
  }
  std::vector<std::uint32_t> words;
  for (Eigen::Index k = 0; k + 1 < count; ++k) {
    words.push_back(table.size());
    table.put_word(shared::kKeyRbf);
    table.put_word(static_cast<std::uint32_t>(dimensions));
    table.put_word(static_cast<std::uint32_t>(count));
    table.put_word(angle);
    table.put_word(first_centre);
    for (Eigen::Index c = 0; c < count; ++c) table.put_number(cardinal(k, c));
  }
  return words;
}

}  // namespace

Result<std::vector<std::uint32_t>> WeightTable::add_keys(const KeyPoseSet& set, const Model& model,
                                                         const std::string& what) {
  PELT_TRY(check_set(set, what));
  PELT_ASSIGN(const auto angle, put_angles(set, model, what, table_));
  return set.interpolation == KeyInterpolation::kLinear ? put_linear_keys(set, angle, what, table_)
                                                        : put_rbf_keys(set, angle, what, table_);
}

std::uint32_t WeightTable::add_input(std::uint32_t input, float bound) {
  const std::uint32_t key = table_.size();
  table_.put_word(shared::kKeyControl);
  table_.put_word(input);
  table_.put_number(bound);
  return key;
}

WeightTable::Value WeightTable::value_of(std::uint32_t input) { return {shared::kKeyRamp, input, 0}; }

WeightTable::Value WeightTable::value_of(const MuscleLine& line) {
  const Value value{shared::kKeyStretch, table_.size(), 1};
  for (const std::uint32_t word : line.words) table_.put_word(word);
  stage_ = std::max(stage_, line.stage);
  return value;
}

std::uint32_t WeightTable::add_ramp(Value value, float from, float to, float factor) {
  const std::uint32_t key = table_.size();
  table_.put_word(value.kind);
  table_.put_word(value.source);
  for (const float number : {from, to, factor}) table_.put_number(number);
  return key;
}

Result<std::vector<std::uint32_t>> WeightTable::add_hats(Value value, std::span<const float> own,
                                                         const std::string& what) {
  std::vector<float> at(own.begin(), own.end());
  at.push_back(value.rest);
  std::ranges::sort(at);
  if (!std::ranges::all_of(at, [](float key) { return is_near(key); }) || std::ranges::adjacent_find(at) != at.end()) {
    return invalid("{}: keys must be at different values, none at {:g}, which adds nothing", what, value.rest);
  }
  constexpr float kBelowAll = -2e9f;
  std::vector<std::uint32_t> weights;
  for (const float key : own) {
    const auto k = static_cast<std::size_t>(std::ranges::find(at, key) - at.begin());
    std::vector<std::uint32_t> keys = {k > 0 ? add_ramp(value, at[k - 1], key, 1)
                                             : add_ramp(value, kBelowAll, kBelowAll / 2, 1)};
    if (k + 1 < at.size()) keys.push_back(add_ramp(value, key, at[k + 1], -1));
    weights.push_back(add_weight(std::move(keys)));
  }
  return weights;
}

std::uint32_t WeightTable::add_weight(std::vector<std::uint32_t> keys) {
  weights_.push_back(std::move(keys));
  return shared::morph_weight_place(static_cast<std::uint32_t>(weights_.size() - 1));
}

PalettePass WeightTable::finish() {
  PalettePass pass;
  pass.kernel = PoseKernel::kKeyWeights;
  pass.stage = stage_;
  std::vector<std::uint32_t> lists;
  for (const std::vector<std::uint32_t>& keys : weights_) {
    lists.push_back(table_.size());
    table_.put_word(static_cast<std::uint32_t>(keys.size()));
    for (const std::uint32_t key : keys) table_.put_word(key);
  }
  for (std::size_t first = 0; first < lists.size(); first += shared::kMorphEntryTargets) {
    const auto count =
        std::min<std::uint32_t>(shared::kMorphEntryTargets, static_cast<std::uint32_t>(lists.size() - first));
    append_record(pass.records, shared::KeyWeightsRecord{table_.size(), count});
    ++pass.record_count;
    for (std::uint32_t i = 0; i < count; ++i) table_.put_word(lists[first + i]);
  }
  pass.table = table_.take_words();
  return pass;
}

Result<std::uint32_t> find_morph_target(const Mesh& mesh, const std::string& name, const std::string& what) {
  std::vector<std::string_view> known;
  for (const MorphTarget& target : mesh.morph_targets) {
    if (target.name == name) return static_cast<std::uint32_t>(known.size());
    known.push_back(target.name);
  }
  return fail(ErrorCode::kNotFound, fmt::format("{}: the mesh '{}' has no morph target '{}'{}", what, mesh.name, name,
                                                did_you_mean(name, known)));
}

Result<std::vector<glm::vec3>> listed_offsets(const KeyPose& pose, const Mesh& mesh, const std::string& what) {
  std::vector<glm::vec3> offsets(mesh.positions.size(), glm::vec3(0.0f));
  for (const VertexOffset& offset : pose.offsets) {
    if (offset.vertex >= offsets.size()) {
      return invalid("{}: offsets vertex {} of the {} of the mesh '{}'", what, offset.vertex, offsets.size(),
                     mesh.name);
    }
    if (!is_near(offset.offset)) {
      return invalid("{}: the offset of vertex {} is not finite, or longer than {:g} m", what, offset.vertex,
                     kMaxCoordinate);
    }
    offsets[offset.vertex] += offset.offset;
  }
  return offsets;
}

}  // namespace pelt::key_weights
