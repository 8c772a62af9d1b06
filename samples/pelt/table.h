// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pelt::samples {

// Aligns rows of cells under headings: a column is as wide as its widest cell, names are left-aligned, figures
// right-aligned.
class Table {
 public:
  struct Column {
    std::string heading;
    bool figures = true;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  // Returns lines that end in a newline, indented by two.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Formats a size: "812 B", "3.4 MB".
std::string format_bytes(std::uint64_t bytes);

}  // namespace pelt::samples
