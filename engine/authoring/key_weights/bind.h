// SPDX-License-Identifier: MIT
// Makes the pass of key weights (shaders/key_weights/pose.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/key_pose.h>
#include <pelt/model.h>
#include <pelt/result.h>

#include "engine/authoring/rows/table_writer.h"

namespace pelt::key_weights {

// The line of a muscle: its words as in the table of its pass, and the first stage that may read its vertices.
struct MuscleLine {
  std::vector<std::uint32_t> words;
  std::uint32_t stage = 0;
};

// Collects weights, each a sum of keys.
class WeightTable {
 public:
  // Adds the keys of a set and returns them, one per pose. Errors name `what`: an unknown joint or one without parent,
  // a number of angles in a pose that is not the set's, two keys at the same angles or too close for weights to
  // separate, more angles than 1 for linear and 8 for rbf interpolation.
  Result<std::vector<std::uint32_t>> add_keys(const KeyPoseSet& set, const Model& model, const std::string& what);

  // Adds the key of an input of the instance, minus `bound`, and returns it.
  std::uint32_t add_input(std::uint32_t input, float bound);

  // A value that weights are keyed over.
  struct Value {
    std::uint32_t kind;    // of its ramps (shaders/key_weights/pose.h)
    std::uint32_t source;  // input, or word of a line
    float rest;            // at bind
  };
  static Value value_of(std::uint32_t input);
  Value value_of(const MuscleLine& line);

  // Adds a key that is 0 up to `from`, `factor` from `to` on, and linear between, and returns it.
  // Precondition: from < to.
  std::uint32_t add_ramp(Value value, float from, float to, float factor);

  // Adds hat functions of a value and returns the weight of each: 1 at its own key, 0 at the other keys and at rest,
  // linear between, constant beyond the outermost. Errors name `what`: keys that are not finite, equal, or at rest.
  Result<std::vector<std::uint32_t>> add_hats(Value value, std::span<const float> own, const std::string& what);

  // Adds a weight that is the sum of these keys. Returns its index among the floats of the palette, counted from the
  // pass's first entry.
  std::uint32_t add_weight(std::vector<std::uint32_t> keys);

  bool empty() const { return weights_.empty(); }

  // Returns the pass, without its first_entry. Uses up the table.
  PalettePass finish();

 private:
  TableWriter table_;
  std::vector<std::vector<std::uint32_t>> weights_;  // the keys of each
  std::uint32_t stage_ = 0;                          // of the pass
};

// Returns the index of a mesh's morph target. Errors: kNotFound, with `what` and the nearest name.
Result<std::uint32_t> find_morph_target(const Mesh& mesh, const std::string& name, const std::string& what);

// Returns for each vertex of a mesh the offset that a pose lists for it, or 0. Errors name `what`: a missing vertex, an
// offset that is not finite or longer than kMaxCoordinate.
Result<std::vector<glm::vec3>> listed_offsets(const KeyPose& pose, const Mesh& mesh, const std::string& what);

}  // namespace pelt::key_weights
