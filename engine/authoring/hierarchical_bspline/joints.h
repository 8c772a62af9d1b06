// SPDX-License-Identifier: MIT
// The joints that control vertices are attached to and limited by.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/frame.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/deformer/twist_spread.h"

namespace pelt::hierarchical_bspline {

class Joints {
 public:
  // `twist`: of painted control vertices.
  Joints(const DeformerInput& input, Twist twist);

  // Returns the number of a joint. Errors: kNotFound, with `what` and the nearest name.
  Result<std::uint32_t> find(const std::string& name, const std::string& what) const;

  std::uint32_t parent(std::uint32_t joint) const;                                       // at a root the joint itself
  glm::vec3 origin(std::uint32_t joint) const { return glm::vec3(at_bind_[joint][3]); }  // model space at bind
  Affine inverse_bind(std::uint32_t joint) const { return affine_from_mat4(glm::mat4(glm::inverse(at_bind_[joint]))); }

  // Returns the joint's bone at bind (skeleton_walk.h), metres.
  glm::vec3 bone(std::uint32_t joint) const;

  // Returns the record, in the pass, of the sub-segment that an attachment names, and of a joint itself.
  std::uint32_t segment(std::uint32_t joint, const SurfaceAttachment& attachment);
  std::uint32_t whole(std::uint32_t joint) { return record({joint, joint, 1, 1, false}); }

  // Returns the motions by painted weights, rows over the model's bound joints, as weights of records of the pass. Two
  // joints make the sub-segment between them whose part of the turn is the second one's part of both weights; if the
  // rows have more than seven such parts of a pair, it is interpolated from the nearest two of six. Each of more than
  // two joints divides its weight among its pairs with the others, by their weights. `straight`: the fraction of each
  // row that the joints themselves move, as in linear blend. `points`: of the control vertices, along whose bones
  // twists spread.
  std::vector<std::vector<Influence>> painted(std::span<const std::span<const Influence>> rows,
                                              std::span<const float> straight, std::span<const glm::vec3> points);

  // Leaves twists out of the transitions of these rows, except that at the joint whose twist it is. To be called with
  // all rows before painted().
  void measure(std::span<const std::span<const Influence>> rows, std::span<const glm::vec3> points);

  // Adds the pass that poses all of these and returns its first palette entry. Records start again at 0.
  std::uint32_t finish();

 private:
  // Returns the point about which a joint turns against another: its own origin, or, for siblings, the midpoint of
  // both, so that neither comes first.
  glm::vec3 pivot(std::uint32_t joint, std::uint32_t against) const;

  // A bone along which one twist spreads: that of the joint after it if there is one, else its own.
  struct TwistBone {
    const TwistSpread::Bone& bone;
    bool is_own;
    TwistSpread::Words words;
    double first = 0, last = 1;  // positions along the bone between which the twist grows
  };
  // A fraction of a joint's turn against another, and of its twist; both 1: the joint itself.
  struct Turn {
    std::uint32_t below, above;
    float share, twist;
    bool is_apart;  // the twist is taken apart from the swing
    friend auto operator<=>(const Turn&, const Turn&) = default;
  };
  bool has(const std::vector<std::uint8_t>& marked, std::uint32_t joint) const;
  const TwistBone* bone_moving(std::uint32_t joint) const;
  // Returns the bone whose twist is that of `below` against `above`.
  const TwistBone* bone_between(std::uint32_t below, std::uint32_t above) const;
  Turn turn_of(std::uint32_t joint, const glm::vec3& point) const;
  Turn turn_between(std::uint32_t below, std::uint32_t above, float share, const glm::vec3& point) const;
  std::uint32_t record(Turn turn);

  const DeformerInput& input_;
  std::vector<glm::dmat4> at_bind_;
  PalettePass pass_;
  std::map<Turn, std::uint32_t> records_;
  TwistSpread twists_;
  std::vector<TwistBone> twist_bones_;
  std::vector<std::optional<std::uint32_t>> bound_of_;  // of each joint
};

}  // namespace pelt::hierarchical_bspline
