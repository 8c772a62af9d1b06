// SPDX-License-Identifier: MIT
// A point that can be selected and moved (a control point of MOS, an anchor of a curve, a vertex of a driver, or a
// control vertex of a hierarchical B-spline), and the part of the rig that moves it.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include <pelt/result.h>

namespace pelt::viewer {

enum class HandleKind {
  kFixed,         // nothing in the rig moves it
  kOffset,        // an existing offset in the rig, of a listed control point or of a curve; or a position
  kPointEdit,     // a slide among the edits of its layer, added by the first move
  kVertexOffset,  // an entry in the offsets of a driver or of a level of a surface, added by the first move
};

// A control vertex of a hierarchical B-spline.
struct ControlVertex {
  std::uint32_t layer = 0;  // of the rig
  std::uint32_t level = 0;
  std::uint32_t number = 0;  // in the grid of the level
  friend bool operator==(const ControlVertex&, const ControlVertex&) = default;
};

struct Handle {
  std::string name;          // unique, for Selection::point
  glm::vec3 position{0.0f};  // world space, posed
  HandleKind kind = HandleKind::kFixed;
  glm::mat3 from_rig{1.0f};         // space of the rig's offset -> world space
  std::vector<std::string> places;  // JSON pointers: to the offset, to the edits, or to the offsets: a driver's
                                    // in every layer with that driver
  std::string point;                // kPointEdit: the point's name in edits
  std::uint32_t vertex = 0;         // kVertexOffset: VertexOffset::vertex
  std::optional<ControlVertex> surface = std::nullopt;  // none: not a control vertex of a surface
  glm::vec3 rest{0.0f};                                 // of a control vertex: model space at bind, metres
  glm::mat3 motion{1.0f};                               // of a control vertex: model space at bind -> world space
  std::string element;                                  // of a control vertex: Heat::element
  std::uint32_t instance_vertex = 0;                    // of a control vertex: among those of the character
};

// Returns `rig` with the handle moved by `way`: world space, metres. Errors: the rig no longer has that location; the
// handle is fixed, or its axes are flat.
Result<nlohmann::json> moved_by(nlohmann::json rig, const Handle& handle, glm::vec3 way);

}  // namespace pelt::viewer
