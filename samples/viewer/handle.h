// SPDX-License-Identifier: MIT
// A point that can be selected and moved: a control point of MOS, an anchor of a curve, or a vertex of a driver; and
// the part of the rig that moves it.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <pelt/result.h>

namespace pelt::viewer {

enum class HandleKind {
  kFixed,         // nothing in the rig moves it
  kOffset,        // an existing offset in the rig: of a control point that it lists, or of a curve
  kPointEdit,     // a slide among the edits of its layer, added by the first move
  kDriverVertex,  // an entry in the driver's offsets, added by the first move
};

struct Handle {
  std::string name;          // unique: Selection::point holds it
  glm::vec3 position{0.0f};  // world space, posed
  glm::mat3 axes{1.0f};      // axes of its frame, world space, posed
  HandleKind kind = HandleKind::kFixed;
  glm::mat3 from_rig{1.0f};         // space of the rig's offset -> world space
  std::vector<std::string> places;  // JSON pointers: to the offset, to the edits, or to the driver's offsets in
                                    // every layer with that driver
  std::string point;                // kPointEdit: the point's name in edits
  std::uint32_t vertex = 0;         // kDriverVertex: VertexOffset::vertex
};

// Returns `rig` with the handle moved by `way`: world space, metres. Errors: the rig no longer has such a place; the
// handle is fixed, or its frame is flat there.
Result<nlohmann::json> moved_by(nlohmann::json rig, const Handle& handle, glm::vec3 way);

}  // namespace pelt::viewer
