// SPDX-License-Identifier: MIT
// The JSON values that members of a struct may have (fields.h): json_fields.h reads by them, and json_schema.h writes
// them as JSON Schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/tools/fields.h>
#include <pelt/tools/json_fields.h>

namespace pelt::json_fields {

struct JsonType {
  enum class Kind : std::uint8_t { kBoolean, kNumber, kInteger, kText, kWord, kList, kAnyOf };
  Kind kind = Kind::kBoolean;
  std::string text;         // what a value must be: "a number > 0"
  Range range{};            // of a number
  IntegerRange integers{};  // of an integer
  std::vector<std::string> words{};
  // For a list, the types of its first entries, and as the last one that of all others; else the alternative types.
  std::vector<JsonType> types{};
  std::size_t least = 0;  // entries of a list, or letters of a text; the reader reports empty texts itself
  std::size_t most = std::numeric_limits<std::size_t>::max();  // entries of a list
};

JsonType type_of(const Member& member);

// Returns the type of the words `names`.
JsonType one_of(std::span<const std::string_view> names);

// Returns true if a value has a type, and reports the first location with another one.
bool check(const Json& json, const JsonType& type, const std::string& pointer, Problem& problem);

// Formats a value to follow "is": small values in full, others by type.
std::string shown(const Json& value);

OrderedJson schema_of(const JsonType& type);

// Returns the value with whole numbers that have no fraction.
OrderedJson neat(const OrderedJson& value);

}  // namespace pelt::json_fields
