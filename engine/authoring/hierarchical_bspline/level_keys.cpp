// SPDX-License-Identifier: MIT
// Offsets of stored vertices by keys over controls, angles and other vertices.

#include <algorithm>

#include <pelt/finite.h>
#include <pelt/try.h>

#include "engine/authoring/driver/key_pose/bind.h"
#include "engine/authoring/hierarchical_bspline/level.h"
#include "engine/authoring/rows/table_writer.h"
#include "engine/character/base/invalid.h"
#include "engine/character/records.h"
#include "shaders/hierarchical_bspline/follow_pose.h"

namespace pelt::hierarchical_bspline {
namespace {

// Returns the offset that a key adds to each vertex of a level, model space at bind.
std::vector<glm::vec3> offsets_of(const SurfaceKeys& keys, const SurfaceKey& key, const Level& level) {
  std::vector<glm::vec3> offsets(level.last - level.first, glm::vec3(0.0f));
  const std::vector<StoredVertex>& vertices = level.surface.vertices();
  const auto stored = [&](std::uint32_t number) {
    return static_cast<std::uint32_t>(level.surface.find(level.number, number) - vertices.data());
  };
  for (const VertexOffset& offset : key.offsets) {
    const std::uint32_t v = stored(offset.vertex);
    offsets[v - level.first] += glm::vec3(level.axes(v) * glm::dvec3(offset.offset));
  }
  for (const IndexRange range : keys.vertices) {
    for (std::uint32_t number = range.first; number <= range.last; ++number) {
      const std::uint32_t v = stored(number);
      offsets[v - level.first] += (key.length - 1) * (vertices[v].rest - level.reference(v));
    }
  }
  return offsets;
}

// Checks keys and returns their parameters, with 0.
Result<std::vector<float>> parameters_of(const SurfaceKeys& keys, const Level& level) {
  std::vector<float> at = {0.0f};
  for (const SurfaceKey& key : keys.keys) at.push_back(key.at);
  std::ranges::sort(at);
  if (!std::ranges::all_of(at, [](float value) { return is_near(value); }) ||
      std::ranges::adjacent_find(at) != at.end()) {
    return invalid("{}: keys must be at different values, none at 0, which adds nothing", level.what());
  }
  return at;
}

}  // namespace

Result<std::optional<std::uint32_t>> add_keys(const Level& level, const std::string& name, const Mesh& mesh) {
  const DeformerInput& input = level.input;
  key_weights::WeightTable weights;
  std::vector<key_pose::KeyedOffsets> keyed;
  for (const SurfaceKeys& keys : level.edits.keys) {
    if (keys.follow) continue;
    PELT_TRY(parameters_of(keys, level));
    KeyPoseSet set;
    set.control = keys.control;
    if (keys.angle) set.angles = {*keys.angle};
    for (const SurfaceKey& key : keys.keys) set.poses.push_back({{key.at}, "", {}, key.at});
    PELT_ASSIGN(const auto added, key_pose::add_weights(set, name, input.model, level.what(), input.builder, weights));
    for (std::size_t k = 0; k < keys.keys.size(); ++k) {
      keyed.push_back({added[k], offsets_of(keys, keys.keys[k], level)});
    }
  }
  return key_pose::add_offsets(weights, keyed, mesh, input.builder);
}

Result<Shift> shift_following(const Level& level, const SurfaceKeys& keys) {
  const SurfaceFollow& follow = *keys.follow;
  const std::vector<StoredVertex>& vertices = level.surface.vertices();
  const StoredVertex* followed =
      follow.level <= level.number ? level.surface.find(follow.level, follow.vertex) : nullptr;
  const float length = glm::length(follow.axis);
  if (followed == nullptr) {
    return invalid("{}: no level up to this one stores the followed vertex {} of level {}", level.what(), follow.vertex,
                   follow.level);
  }
  if (!(length > 0) || !is_near(follow.axis)) {
    return invalid("{}: the axis of the followed vertex has no direction", level.what());
  }
  PELT_ASSIGN(const auto at, parameters_of(keys, level));
  std::vector<std::vector<glm::vec3>> offsets;  // of each value of `at`
  for (const float value : at) {
    const auto key = std::ranges::find(keys.keys, value, &SurfaceKey::at);
    offsets.push_back(key == keys.keys.end() ? std::vector<glm::vec3>(level.last - level.first, glm::vec3(0.0f))
                                             : offsets_of(keys, *key, level));
  }
  const PosedVertex target = level.posed[static_cast<std::size_t>(followed - vertices.data())];
  Shift shift;
  shift.pass.kernel = PoseKernel::kFollow;
  shift.pass.stage = target.stage;
  TableWriter table;
  for (std::uint32_t v = level.first; v < level.last; ++v) {
    const auto is_moved = [&](const auto& some) { return some[v - level.first] != glm::vec3(0.0f); };
    if (std::ranges::none_of(offsets, is_moved)) continue;
    shift.vertices.push_back(v);
    append_record(shift.pass.records, shared::FollowRecord{.vertex = level.posed[v].vertex,
                                                           .entry = level.entries[v - level.first],
                                                           .followed = target.vertex,
                                                           .root = level.input.builder.root_entry(),
                                                           .first_word = table.size(),
                                                           .key_count = static_cast<std::uint32_t>(at.size()),
                                                           .rest = vertices[v].rest,
                                                           .followed_rest = followed->rest,
                                                           .axis = follow.axis / length});
    for (std::size_t k = 0; k < at.size(); ++k) {
      table.put_number(at[k]);
      table.put_vector(offsets[k][v - level.first]);
    }
  }
  shift.pass.table = table.take_words();
  return shift;
}

}  // namespace pelt::hierarchical_bspline
