// SPDX-License-Identifier: MIT
// Makes the pass of key weights (shaders/key_weights/pose.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/key_pose.h>
#include <pelt/model.h>
#include <pelt/result.h>

#include "engine/authoring/rows/table_writer.h"

namespace pelt::key_weights {

// Collects weights, each a sum of keys.
class WeightTable {
 public:
  // Adds the keys of a set and returns them, one per pose. Errors name `what`: an unknown joint or one without parent,
  // a number of angles in a pose that is not the set's, two keys at the same angles or too close for weights to
  // separate, more angles than 1 for linear and 8 for rbf interpolation.
  Result<std::vector<std::uint32_t>> add_keys(const KeyPoseSet& set, const Model& model, const std::string& what);

  // Adds the key of an input of the instance, minus `bound`, and returns it.
  std::uint32_t add_input(std::uint32_t input, float bound);

  // Adds a key that is 0 up to the value `from` of an input, `factor` from `to` on, and linear between, and returns it.
  // Precondition: from < to.
  std::uint32_t add_ramp(std::uint32_t input, float from, float to, float factor);

  // Adds a weight that is the sum of these keys. Returns its index among the floats of the palette, counted from the
  // pass's first entry.
  std::uint32_t add_weight(std::vector<std::uint32_t> keys);

  bool empty() const { return weights_.empty(); }

  // Returns the pass, without its first_entry. Uses up the table.
  PalettePass finish();

 private:
  TableWriter table_;
  std::vector<std::vector<std::uint32_t>> weights_;  // the keys of each
};

// Returns the index of a mesh's morph target. Errors: kNotFound, with `what` and the nearest name.
Result<std::uint32_t> find_morph_target(const Mesh& mesh, const std::string& name, const std::string& what);

// Returns for each vertex of a mesh the offset that a pose lists for it, or 0. Errors name `what`: a missing vertex, an
// offset that is not finite or longer than kMaxCoordinate.
Result<std::vector<glm::vec3>> listed_offsets(const KeyPose& pose, const Mesh& mesh, const std::string& what);

}  // namespace pelt::key_weights
