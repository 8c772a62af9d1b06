// SPDX-License-Identifier: MIT
// The joints that control vertices are attached to and limited by.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <pelt/frame.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/result.h>

#include "engine/deformer/builder.h"

namespace pelt::hierarchical_bspline {

class Joints {
 public:
  explicit Joints(const DeformerInput& input);

  // Returns the number of a joint. Errors: kNotFound, with `what` and the nearest name.
  Result<std::uint32_t> find(const std::string& name, const std::string& what) const;

  std::uint32_t parent(std::uint32_t joint) const;                                       // the joint itself at a root
  glm::vec3 origin(std::uint32_t joint) const { return glm::vec3(at_bind_[joint][3]); }  // model space at bind
  Affine inverse_bind(std::uint32_t joint) const { return affine_from_mat4(glm::mat4(glm::inverse(at_bind_[joint]))); }

  // Returns the joint's bone at bind (skeleton_walk.h), metres.
  glm::vec3 bone(std::uint32_t joint) const;

  // Returns the record, in the pass, of the sub-segment of a joint that an attachment names.
  std::uint32_t segment(std::uint32_t joint, const SurfaceAttachment& attachment);

  // Adds the pass that poses all of these and returns its first palette entry.
  std::uint32_t finish();

 private:
  const DeformerInput& input_;
  std::vector<glm::dmat4> at_bind_;
  PalettePass pass_;
  std::map<std::pair<std::uint32_t, float>, std::uint32_t> records_;  // by joint and share
};

}  // namespace pelt::hierarchical_bspline
