// SPDX-License-Identifier: MIT
// Edits (secondary operations) of every control point, and the points at bind.
#pragma once

#include <cstdint>
#include <functional>
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
#include <pelt/sparse_rows.h>

#include "engine/authoring/key_weights/angle.h"
#include "engine/authoring/mos/control_points.h"
#include "engine/authoring/mos/table.h"
#include "engine/authoring/mos/windows.h"

namespace pelt::mos {

// The edits of a rig, point by point.
struct PointEdits {
  struct Driver {
    key_weights::AngleWords angle;
    std::vector<CurveKey> share;
  };
  struct Edit {
    PointEdit edit;  // its driver is an index in `drivers`
    bool in_bind = true;
  };
  std::vector<Driver> drivers;
  std::vector<std::vector<Edit>> of_point;  // the edits of each point, in order

  // Returns the edits for which `keep` is true.
  template <class Keep>
  PointEdits only(const Keep& keep) const {
    PointEdits kept = *this;
    for (std::vector<Edit>& edits : kept.of_point) std::erase_if(edits, std::not_fn(keep));
    return kept;
  }
};

// Returns true if an entry of MosEdit::points selects the point `name` that moves with `joint`.
bool means_point(std::string_view pattern, std::string_view name, bool placed, std::string_view joint);

// Resolves the edits of a rig. Errors begin with `what`: an edit of a missing point, a twist of a point that cannot
// twist, an invalid angle, keys that do not ascend, numbers that are not finite, too many edits.
Result<PointEdits> resolve_edits(std::span<const MosEdit> edits, const ControlPoints& points, const Model& model,
                                 std::span<const glm::dmat4> at_bind, const std::string& what);

// Puts the chains, drivers and points into the table, and returns the words of the points.
std::vector<std::uint32_t> put_points(const ControlPoints& points, const PointEdits& edits, MosTable& table);

// The points at bind, with the edits that the skin at bind already has. Model space, metres.
class RestPoints {
 public:
  RestPoints(const ControlPoints& points, const PointEdits& edits, MosFrames frames,
             std::span<const glm::dmat4> at_bind);

  std::span<const glm::vec3> positions() const { return positions_; }

  // Return [F | p] of each point, and F of a point.
  std::span<const Affine> frames() const { return frames_; }
  glm::mat3 axes(std::uint32_t point) const { return affine_axes(frames_[point]); }

  // Returns the window from which shared::mos_window_frame computes M^R(u).
  shared::MosWindow window(const Window& window) const;

  // Returns true if `frame`, the sum of w F over the points of the row, is too flat to invert: |det| is compared with
  // its upper bound (docs/mathematics.md section 3.1).
  bool is_singular(const glm::dmat3& frame, std::span<const WeightedElement> row) const;

 private:
  std::vector<std::uint32_t> words_;  // words of the points
  std::vector<glm::mat4> joints_;
  std::optional<PosedPoints> posed_;
  std::vector<Affine> frames_;
  std::vector<glm::vec3> positions_;
};

// Returns the name of a point; if it has none, that of its joint.
std::string point_name(const ControlPoint& point, const Model& model);

}  // namespace pelt::mos
