// SPDX-License-Identifier: MIT
// Widgets for JSON values, by their schema. Each is one Dear ImGui item in the current width and returns true if the
// value has changed; it is active while the change continues.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "samples/viewer/schema.h"

namespace pelt::viewer {

// Makes a key readable: "joint_density" becomes "Joint density".
std::string readable(const std::string& key);

// Draws a Dear ImGui text input of any length. Returns true when Enter, or leaving it, ends a change.
bool draw_text(const char* id, const char* hint, std::string& text);

// Draws a number: as a slider if it has a range, logarithmic if that is wide; else as a drag field.
bool draw_number(const Schema& schema, nlohmann::json& value);
// Draws some numbers side by side.
bool draw_numbers(const Schema& schema, nlohmann::json& value);
bool draw_choice(const Schema& schema, nlohmann::json& value);

// Chooses a name from `list`, which is called while the list is open, or takes any other typed name. `filter`: the
// typed text; `empty`: the text for an empty name.
bool draw_name(const char* id, const char* empty, std::string& name, std::string& filter,
               const std::function<std::vector<std::string>()>& list);

// Formats indices and [first, last] as text: "3, 5-9".
std::string ranges_text(const nlohmann::json& ranges);
// Parses such text; returns a discarded value if it is invalid.
nlohmann::json ranges_of(const std::string& text);

}  // namespace pelt::viewer
