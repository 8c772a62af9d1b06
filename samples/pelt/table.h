// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <string>
#include <vector>

namespace pelt::samples {

// Rows of cells under headings, columns as wide as their widest cell; names to the left, figures to the right.
class Table {
 public:
  struct Column {
    std::string heading;
    bool figures = true;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  // Lines that end in a newline, indented by two.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// "812 B", "3.4 MB".
std::string format_bytes(std::uint64_t bytes);

// A topology_hash, as 16 hexadecimal digits.
std::string format_hash(const glm::uvec2& hash);

}  // namespace pelt::samples
