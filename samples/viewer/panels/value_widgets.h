// SPDX-License-Identifier: MIT
// Widgets for JSON values, as a schema describes them. Each is one item of Dear ImGui in the current width and returns
// true if the value has changed; it is active as long as the change goes on.
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

// Draws a number: with a range as a slider, logarithmic over a wide range; otherwise to be dragged.
bool draw_number(const Schema& schema, nlohmann::json& value);
// Draws some numbers side by side.
bool draw_numbers(const Schema& schema, nlohmann::json& value);
bool draw_choice(const Schema& schema, nlohmann::json& value);

// Chooses a name from `list`, which is called when the list is open, or takes any other typed name. `filter` holds the
// typed text; `empty` describes an empty name.
bool draw_name(const char* id, const char* empty, std::string& name, std::string& filter,
               const std::function<std::vector<std::string>()>& list);

// Formats indices and [first, last] as text: "3, 5-9".
std::string ranges_text(const nlohmann::json& ranges);
// Reads that text; discarded if it is something else.
nlohmann::json ranges_of(const std::string& text);

}  // namespace pelt::viewer
