// SPDX-License-Identifier: MIT
// The values that a rig may have at a position, by its schema.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "samples/viewer/document.h"
#include "samples/viewer/schema.h"

namespace pelt::viewer {

// Returns true for a list of the keys of a curve.
bool is_keys(const Schema& schema);

// Returns true if a value fits one of several alternative schemas.
bool fits(const Schema& schema, const nlohmann::json& value);

// Returns the title of a list's row: the value's name or subject.
std::string row_title(const nlohmann::json& value);

// Returns the names in the document that a text may be (Schema::names), and "" if it may be empty.
std::vector<std::string> names_for(const Document& document, const Schema& schema);

// Returns the value of a new entry; a name that must not be empty becomes the first known one.
nlohmann::json new_value(const Document& document, const Schema& schema);

// Returns the first value of `one`, an alternative of `schema`; `value`: of the previous one.
nlohmann::json first_value(const Schema& schema, const Schema& one, const nlohmann::json& value);

}  // namespace pelt::viewer
