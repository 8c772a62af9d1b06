// SPDX-License-Identifier: MIT
// Secondary operations, point by point, and the points as bind has them.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/curve_keys.h>
#include <pelt/frame.h>
#include <pelt/model.h>
#include <pelt/mos.h>
#include <pelt/result.h>
#include <pelt/rig.h>
#include <pelt/sparse_rows.h>

#include "engine/driver/key_pose/angle.h"
#include "engine/mos/control_points.h"
#include "engine/mos/table.h"
#include "engine/mos/windows.h"

namespace pelt::mos {

// What the edits of a rig do to its points.
struct PointEdits {
  struct Driver {
    key_pose::AngleWords angle;
    std::vector<CurveKey> share;
  };
  struct Edit {
    PointEdit edit;  // its driver counts `drivers`
    bool in_bind = true;
  };
  std::vector<Driver> drivers;
  std::vector<std::vector<Edit>> of_point;  // in order
};

// Whether an entry of MosEdit::points means a point that moves with `joint`.
bool means_point(std::string_view pattern, std::string_view name, bool placed, std::string_view joint);

// Errors begin with `what`: an edit that names no point, an angle that is none, keys that do not ascend, numbers that
// are not finite, too many edits.
Result<PointEdits> resolve_edits(std::span<const MosEdit> edits, const ControlPoints& points, const Model& model,
                                 std::span<const glm::dmat4> at_bind, const std::string& what);

struct PointWords {
  std::vector<std::uint32_t> points;
  std::vector<std::uint32_t> directions;  // of their twins for directions, each right behind its point; or empty
};

// Puts the chains, drivers and points. `directions`: of each point MosTable::put_point's; empty: without twins.
PointWords put_points(const ControlPoints& points, const PointEdits& edits, MosTable& table,
                      std::span<const glm::dmat3> directions = {});

// The points at bind, edited where the skin at bind has the edits already. Model space, metres.
class RestPoints {
 public:
  RestPoints(const ControlPoints& points, const PointEdits& edits, MosFrames frames,
             std::span<const glm::dmat4> at_bind);

  std::span<const glm::vec3> positions() const { return positions_; }

  // F of a point.
  glm::mat3 axes(std::uint32_t point) const { return affine_axes(frames_[point]); }

  // Of which shared::mos_window_frame gives M^R(u).
  shared::MosWindow window(const Window& window) const;

  // Whether `frame`, the sum of w F over the points of the row, is too flat to be inverted: |det| relative to what it
  // could be (docs/mathematics.md section 3, "Singular").
  bool is_singular(const glm::dmat3& frame, std::span<const WeightedElement> row) const;

 private:
  std::vector<std::uint32_t> words_;  // of the points
  std::vector<std::uint32_t> table_;
  std::vector<glm::mat4> joints_;
  std::vector<float> inputs_;
  std::vector<Affine> frames_;
  std::vector<glm::vec3> positions_;
};

// Its name, or that of its joint.
std::string point_name(const ControlPoint& point, const Model& model);

}  // namespace pelt::mos
