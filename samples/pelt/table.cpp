// SPDX-License-Identifier: MIT
#include "samples/pelt/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace pelt::samples {

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(columns_[c].heading.size());
    for (const std::vector<std::string>& row : rows_) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  const auto add_cell = [&](std::size_t c, const std::string& cell) {
    if (columns_[c].figures) {
      text += fmt::format("  {:>{}}", cell, widths[c]);
    } else {
      text += fmt::format("  {:<{}}", cell, widths[c]);
    }
  };
  const auto end_line = [&] {
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  for (std::size_t c = 0; c < columns_.size(); ++c) add_cell(c, columns_[c].heading);
  end_line();
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t c = 0; c < columns_.size(); ++c) add_cell(c, row[c]);
    end_line();
  }
  return text;
}

std::string format_bytes(std::uint64_t bytes) {
  const char* const units[] = {"kB", "MB", "GB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < std::size(units); ++unit) value /= 1000;
  return fmt::format("{:.{}f} {}", value, value < 100 ? 1 : 0, units[unit]);
}

}  // namespace pelt::samples
