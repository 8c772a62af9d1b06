// SPDX-License-Identifier: MIT
// The joints that control vertices are attached to and limited by.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pelt/frame.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"

namespace pelt::hierarchical_bspline {

class Joints {
 public:
  explicit Joints(const DeformerInput& input);

  // Returns the number of a joint. Errors: kNotFound, with `what` and the nearest name.
  Result<std::uint32_t> find(const std::string& name, const std::string& what) const;

  std::uint32_t parent(std::uint32_t joint) const;                                       // at a root the joint itself
  glm::vec3 origin(std::uint32_t joint) const { return glm::vec3(at_bind_[joint][3]); }  // model space at bind
  Affine inverse_bind(std::uint32_t joint) const { return affine_from_mat4(glm::mat4(glm::inverse(at_bind_[joint]))); }

  // Returns the joint's bone at bind (skeleton_walk.h), metres.
  glm::vec3 bone(std::uint32_t joint) const;

  // Returns the record, in the pass, of the sub-segment that an attachment names.
  std::uint32_t segment(std::uint32_t joint, const SurfaceAttachment& attachment);

  // Returns the motions by painted weights, rows over the model's bound joints, as weights of records of the pass. Two
  // joints make the sub-segment between them whose part of the turn is the second one's part of both weights; if the
  // rows have more than seven such parts of a pair, it is interpolated from the nearest two of six. Each of more than
  // two joints divides its weight among its pairs with the others, by their weights. `straight`: the fraction of each
  // row that the joints themselves move, as in linear blend.
  std::vector<std::vector<Influence>> painted(std::span<const std::span<const Influence>> rows,
                                              std::span<const float> straight);

  // Adds the pass that poses all of these and returns its first palette entry.
  std::uint32_t finish();

 private:
  // Returns the point about which a joint turns against another: its own origin, or, for siblings, the midpoint of
  // both, so that neither comes first.
  glm::vec3 pivot(std::uint32_t joint, std::uint32_t against) const;

  // Returns the record of a fraction of a joint's turn against another; 1: the joint itself.
  std::uint32_t record(std::uint32_t joint, std::uint32_t against, float share);

  const DeformerInput& input_;
  std::vector<glm::dmat4> at_bind_;
  PalettePass pass_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, float>, std::uint32_t> records_;  // by joint, other and share
};

}  // namespace pelt::hierarchical_bspline
