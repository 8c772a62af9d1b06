// SPDX-License-Identifier: MIT
// Control points and chains in the form of passes' tables (shaders/mos/mos.h), and points in any pose, for bind. Model
// space at bind, metres, radians.
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/curve_keys.h>
#include <pelt/frame.h>
#include <pelt/mos.h>

#include "engine/authoring/chain/chain_table.h"
#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/key_weights/angle.h"
#include "engine/authoring/mos/points.h"
#include "shaders/mos/table_pose.h"

namespace pelt::mos {

// A MosEdit, resolved for one point.
struct PointEdit {
  MosOperation operation = MosOperation::kBulge;
  float factor = 1;                     // bulge, motion
  glm::dvec3 pivot{0.0};                // bulge: moves with the point's joint
  float distance = 0;                   // slide: metres
  std::uint32_t from = 0;               // slide: along the line from the origin of this joint
  std::uint32_t to = 0;                 // slide: to the origin of this one
  glm::vec3 offset{0.0f};               // slide: in the axes of the point
  glm::vec3 scale{1.0f};                // scale: along the axes of the point
  float radians = 0;                    // twist: about the chain's direction, or about that line
  std::optional<std::uint32_t> driver;  // word from put_driver()
};

std::uint32_t operation_word(MosOperation operation);

// Returns the offset of a slide along an axis of length `length`, in the space of the joint.
inline double offset_along(double length, double offset) { return length > 0 ? offset / length : 0; }

// Writes chains and control points into the table of passes, in sequence.
class MosTable {
 public:
  // `at_bind` has one matrix per joint; `twist_inputs` has one input per joint, or shared::kNoInput. Both must outlive
  // the table. Displacements are measured from the motion of joint `root`.
  MosTable(std::span<const glm::dmat4> at_bind, std::span<const std::uint32_t> twist_inputs, std::uint32_t root,
           MosFrames frames);

  // Puts a chain. Each put_* function returns the index of its first word.
  std::uint32_t put_chain(const chain::Chain& chain) { return table_.put_chain(chain); }

  // Puts a driver with the keys of a share over degrees; the share is constant beyond the keys. Precondition: 1 to
  // shared::kMaxMosKeys keys, ascending.
  std::uint32_t put_driver(const key_weights::AngleWords& angle, std::span<const CurveKey> keys);

  // Puts a point. `chains`: the word of each chain, as PointTurn::chain numbers them. Precondition: at most
  // shared::kMaxMosEdits edits; finite numbers.
  std::uint32_t put_point(const ControlPoint& point, std::span<const std::uint32_t> chains,
                          std::span<const PointEdit> edits = {});

  struct PointEntries {
    std::uint32_t first_entry;  // palette entry
    std::uint32_t first_stage;  // the first in which a pass may read them
  };
  // Adds the pass that poses the anchors, if there are chains, and the pass of `kernel` (kMosPoint, kMosWindowPoint)
  // that poses these points. Uses up the table.
  PointEntries add_passes(PoseKernel kernel, std::span<const std::uint32_t> points, CharacterBuilder& builder);

  // Like chain::ChainTable.
  PalettePass anchor_pass() const { return table_.anchor_pass(); }

  const std::vector<std::uint32_t>& words() const { return table_.words(); }

 private:
  void put_edit(const PointEdit& edit, const ControlPoint& point);
  void put_own_edit(std::uint32_t operation, float number, std::uint32_t word,
                    const glm::dvec3& vector = glm::dvec3(0.0));

  chain::ChainTable table_;
  MosFrames frames_;
};

// Control points in a pose. All spans must outlive it.
class PosedPoints {
 public:
  // A twist input of 0 does not change the joints' twist.
  PosedPoints(const MosTable& table, std::span<const glm::mat4> joints, std::span<const float> inputs);

  // Returns [F | p] of the point at `word`.
  Affine frame(std::uint32_t word) const;

  // Returns the window of four points from which shared::mos_window_frame computes M(u).
  shared::MosWindow window(const std::array<std::uint32_t, shared::kMosWindow>& points) const;

 private:
  shared::MosEntries entries(std::uint32_t word) const;

  std::vector<std::uint32_t> table_;
  std::vector<glm::mat4> joints_;
  std::vector<float> inputs_;
  std::vector<Affine> palette_;  // the anchors
};

}  // namespace pelt::mos
