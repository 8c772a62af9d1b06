// SPDX-License-Identifier: MIT
// Every parameter of a rig, by rig.schema.json.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "samples/viewer/document.h"
#include "samples/viewer/mask_paint.h"

namespace pelt::viewer {

// What the rig's panel keeps from frame to frame.
struct RigEditorState {
  // An edit that the rig does not allow as it stands: a curve that has one joint yet, say. It is shown and edited
  // further until it is allowed, dropped, or the document changes otherwise.
  struct Draft {
    nlohmann::json rig;
    std::string error;
    std::uint64_t revision = 0;  // of the document that it was made from
  };

  PaintState paint;
  std::string search;  // of parameters
  std::string filter;  // of names in the list that is open
  std::optional<Draft> draft;
};

// Draws the rig in the width that is left, and edits it: one step of undo for each drag, keyed by the value's JSON
// pointer.
void draw_rig_editor(Document& document, RigEditorState& state);

}  // namespace pelt::viewer
