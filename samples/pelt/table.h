// SPDX-License-Identifier: MIT
// What commands print: they describe their results as JSON, once, and print that as it is (--json) or as tables.
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
  std::string key;          // of a member of each row; "seconds/median": of a member of a member
  std::string format = "";  // of numbers, by fmt, which are right-aligned; empty: names, which are left-aligned
  double scale = 1;         // factor from the member to the number that is shown
  std::string none = "-";   // in place of null; a row that lacks the member has "-"
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
