// SPDX-License-Identifier: MIT
// Writes a pass's table word by word, for table_reader.h and the shaders.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <utility>
#include <vector>

#include <pelt/frame.h>

namespace pelt {

class TableWriter {
 public:
  void put_word(std::uint32_t word) { words_.push_back(word); }
  void put_number(double number);
  void put_vector(const glm::dvec3& vector);
  void put_matrix(const glm::dmat3& matrix);  // column by column
  void put_inverse(const Affine& frame);      // row by row
  void set_word(std::uint32_t at, std::uint32_t word) { words_[at] = word; }

  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size()); }
  const std::vector<std::uint32_t>& words() const { return words_; }
  std::vector<std::uint32_t> take_words() { return std::move(words_); }

 private:
  std::vector<std::uint32_t> words_;
};

}  // namespace pelt
