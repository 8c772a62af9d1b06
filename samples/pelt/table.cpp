// SPDX-License-Identifier: MIT
#include "samples/pelt/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace pelt::samples {
namespace {

std::string text_of(const Json& value, const Column& column) {
  if (value.is_null()) return column.none;
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) {
    std::vector<std::string> parts;
    for (const Json& part : value) parts.push_back(text_of(part, column));
    return fmt::format("{}", fmt::join(parts, column.format.empty() ? ", " : " "));
  }
  if (value.is_number_integer() && column.format == "{}") return value.dump();
  std::string text = fmt::format(fmt::runtime(column.format), column.scale * value.get<double>());
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  if (zero && text.starts_with('-')) text.erase(0, 1);
  return text;
}

std::string cell_of(const Json& row, const Column& column) {
  const Json::json_pointer place("/" + column.key);
  return row.contains(place) ? text_of(row.at(place), column) : "-";
}

}  // namespace

std::string table_of(const Json& rows, const std::vector<Column>& columns) {
  std::vector<std::vector<std::string>> lines(rows.size() + 1);
  std::vector<std::size_t> widths;
  for (const Column& column : columns) {
    lines[0].push_back(column.heading);
    for (std::size_t r = 0; r < rows.size(); ++r) lines[r + 1].push_back(cell_of(rows[r], column));
    std::size_t& width = widths.emplace_back(0);
    for (const std::vector<std::string>& line : lines) width = std::max(width, line.back().size());
  }
  std::string text;
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      text += columns[c].format.empty() ? fmt::format("  {:<{}}", line[c], widths[c])
                                        : fmt::format("  {:>{}}", line[c], widths[c]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string joined(const Json& list) { return text_of(list, {}); }

void print_json(const Json& json) { fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace)); }

std::string format_bytes(std::uint64_t bytes) {
  const char* const units[] = {"kB", "MB", "GB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < std::size(units); ++unit) value /= 1000;
  return fmt::format("{:.{}f} {}", value, value < 100 ? 1 : 0, units[unit]);
}

}  // namespace pelt::samples
