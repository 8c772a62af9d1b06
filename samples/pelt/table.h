// SPDX-License-Identifier: MIT
// Output of commands: they describe their results once, as JSON, and print that (--json) or tables of it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pelt::samples {

using Json = nlohmann::ordered_json;

// A column of a table.
struct Column {
  std::string heading;
  std::string key;          // of a member of each row, such as "kind" or "seconds/median"
  std::string format = "";  // fmt's, for right-aligned numbers; empty: left-aligned names
  double scale = 1;         // factor from the member to the printed number
  std::string none = "-";   // shown for null; a row without the member shows "-"
};

// Aligns rows under headings: a column is as wide as its widest cell. Lists are joined. Returns lines that end in a
// newline, indented by two.
std::string table_of(const Json& rows, const std::vector<Column>& columns);

// Returns the texts of a list with commas between them.
std::string joined(const Json& list);

void print_json(const Json& json);

// Formats a size: "812 B", "3.4 MB".
std::string format_bytes(std::uint64_t bytes);

}  // namespace pelt::samples
