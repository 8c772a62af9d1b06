// SPDX-License-Identifier: MIT
// The parts of the inspector's panels: rows with a label and a value, sized by the font.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <pelt/character.h>

#include "samples/viewer/stage.h"
#include "samples/viewer/view_state.h"

namespace pelt::viewer {

// Draws the label of a row; the next widget takes the remaining width.
void row_label(const char* label);

// Draws a label and a text. If there is no room, "..." ends the text and a tooltip shows all of it.
void row_text(const char* label, const std::string& text);

// Draws text in the remaining line except for `margin` pixels, cut off as by row_text.
void fitted_text(const std::string& text, float margin = 0);

// Draws a button, grey unless `enabled`; a `width` of 0 fits its text.
bool button(const char* label, bool enabled, float width = 0);

// Draws a button as wide as each of `count` buttons in a line.
bool line_button(const char* label, int count, bool enabled = true);

// Continues the line if another button with this text fits on it.
void same_line_if_fits(const std::string& next);

// Formats three numbers: "0.123 1.234 -0.456".
std::string vector_text(glm::vec3 v);

// Formats a size: "1.2 MB".
std::string bytes_text(double bytes);

// Returns the character of the panels. nullptr: nothing is bound, which the panel displays.
const Actor* subject_or_note(Stage& stage);

// Selects a vertex by its index in the instance (all meshes, packed order), and shows its row.
void select_packed(ViewState& view, const CharacterData& character, std::uint32_t vertex);
void select_source(ViewState& view, const std::string& mesh, std::uint32_t vertex);

// Returns true if a name contains `part`; the case of ASCII letters does not matter.
bool contains(std::string_view name, std::string_view part);

}  // namespace pelt::viewer
