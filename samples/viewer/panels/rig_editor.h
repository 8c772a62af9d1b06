// SPDX-License-Identifier: MIT
// Edits every parameter of a rig, by rig.schema.json.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "samples/viewer/document.h"

namespace pelt::viewer {

// State of the rig's panel between frames.
struct RigEditorState {
  // An edit that the rig does not allow yet, such as a curve with only one joint. It stays until it is
  // allowed or discarded, or the document changes otherwise.
  struct Draft {
    nlohmann::json rig;
    std::string error;
    std::uint64_t revision = 0;  // of the document from which it was made
  };

  std::string filter;  // search text for names in the open list
  std::optional<Draft> draft;
};

// Draws the rig in the remaining width, and edits it: one step of undo per drag, keyed by the value's JSON pointer.
// `search`: text to search for among the parameters.
void draw_rig_editor(Document& document, RigEditorState& state, std::string& search);

}  // namespace pelt::viewer
