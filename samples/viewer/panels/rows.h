// SPDX-License-Identifier: MIT
// What the panels of the inspector are built of: rows of a label and a value, sized by the font.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <pelt/character.h>

#include "samples/viewer/view_state.h"

namespace pelt::viewer {

// The label of a row; the widget that follows takes what is left of its width.
void row_label(const char* label);

// A label and a text, which is cut off by "..." and shown whole in a tooltip where there is no room for it.
void row_text(const char* label, const std::string& text);

// Text in what is left of the line but for `margin` pixels, cut off as row_text does.
void fitted_text(const std::string& text, float margin = 0);

// A button that is as wide as `count` of them in a line.
bool line_button(const char* label, int count);

// Whether another button of this text fits on the line; then it goes there.
void same_line_if_fits(const std::string& next);

// Three numbers: "0.123 1.234 -0.456".
std::string vector_text(glm::vec3 v);

// "1.2 MB".
std::string bytes_text(double bytes);

// Selects a vertex by its place in the instance (all meshes, packed order), and shows its row.
void select_packed(ViewState& view, const CharacterData& character, std::uint32_t vertex);
void select_source(ViewState& view, const std::string& mesh, std::uint32_t vertex);

// An input of text that is a std::string. `flags`: of ImGuiInputTextFlags.
bool input_text(const char* label, const char* hint, std::string& text, int flags = 0);

// Whether a name has `part` in it, whatever the case of ASCII letters.
bool contains(std::string_view name, std::string_view part);

}  // namespace pelt::viewer
