// SPDX-License-Identifier: MIT
// A point that can be selected and moved: a control point of MOS, an anchor of a curve, a vertex of a driver; and what
// of the rig moves it.
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
  kOffset,        // an offset that the rig has: of a control point that it lists, or of a curve
  kPointEdit,     // a slide among the edits of its layer, made when it is moved first
  kDriverVertex,  // an entry of the driver's offsets, made when it is moved first
};

struct Handle {
  std::string name;          // unique: what Selection::point holds
  glm::vec3 position{0.0f};  // world space, posed
  glm::mat3 axes{1.0f};      // of its frame, world space, posed
  HandleKind kind = HandleKind::kFixed;
  glm::mat3 from_rig{1.0f};         // world space from that of the rig's offset
  std::vector<std::string> places;  // JSON pointers: to the offset, or to the edits, or to the driver's offsets in
                                    // every layer that shares the driver
  std::string point;                // kPointEdit: as edits name it
  std::uint32_t vertex = 0;         // kDriverVertex: VertexOffset::vertex
};

// `rig` with the handle moved by `way`: world space, metres. Errors: the rig has no longer such a place; the handle is
// fixed, or stands where its frame is flat.
Result<nlohmann::json> moved_by(nlohmann::json rig, const Handle& handle, glm::vec3 way);

}  // namespace pelt::viewer
