// SPDX-License-Identifier: MIT
// Widgets for JSON values, as a schema describes them. Each is one item of Dear ImGui in the width that is set, and
// returns whether the value has changed; it is active as long as the change goes on.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "samples/viewer/schema.h"

namespace pelt::viewer {

// "joint_density" as people read it: "Joint density".
std::string readable(const std::string& key);

// As Dear ImGui's, of a text of any length. True where Enter, or leaving it, has ended a change.
bool draw_text(const char* id, const char* hint, std::string& text);

// Numbers with a range are sliders, logarithmic over wide ones; others are dragged.
bool draw_number(const Schema& schema, nlohmann::json& value);
// Two to four of them.
bool draw_numbers(const Schema& schema, nlohmann::json& value);
bool draw_choice(const Schema& schema, nlohmann::json& value);

// A name out of those that `list` gives when the list is open, or any other that is typed. `filter` holds what is
// typed; `empty` is what no name means.
bool draw_name(const char* id, const char* empty, std::string& name, std::string& filter,
               const std::function<std::vector<std::string>()>& list);

// Indices and [first, last] as text: "3, 5-9".
std::string ranges_text(const nlohmann::json& ranges);
// And back; discarded where the text is something else.
nlohmann::json ranges_of(const std::string& text);

}  // namespace pelt::viewer
