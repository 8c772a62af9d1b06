// SPDX-License-Identifier: MIT
// The values that a place of a rig may have, by its schema.
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

// Returns the title of a list's row: the value's name, or its subject.
std::string row_title(const nlohmann::json& value);

// Returns the names that the document knows for a text that names something (Schema::names), "" among them if it may be
// empty.
std::vector<std::string> names_for(const Document& document, const Schema& schema);

// Returns the value of a new place; a name that must not be empty is the first known one.
nlohmann::json new_value(const Document& document, const Schema& schema);

// Returns the first value of `one`, an alternative of `schema`; `value` is that of the previous one.
nlohmann::json first_value(const Schema& schema, const Schema& one, const nlohmann::json& value);

}  // namespace pelt::viewer
