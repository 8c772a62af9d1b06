// SPDX-License-Identifier: MIT
// The words of a pass's table, one after the other, and chains among them (shaders/chain.h).
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <utility>
#include <vector>

#include "engine/core/frame.h"
#include "engine/curve_skeleton/chains.h"

namespace pelt::curve_skeleton {

class ChainTable {
 public:
  // `at_bind`: a matrix a joint; `twist_inputs`: of the joints, or shared::kNoInput. Both must outlive the table.
  ChainTable(std::span<const glm::dmat4> at_bind, std::span<const std::uint32_t> twist_inputs)
      : at_bind_(at_bind), twist_inputs_(twist_inputs) {}

  const glm::dmat4& at_bind(std::uint32_t joint) const { return at_bind_[joint]; }

  void put_word(std::uint32_t word) { words_.push_back(word); }
  void put_number(double number);
  void put_vector(const glm::dvec3& vector);
  void put_matrix(const glm::dmat3& matrix);  // column by column
  void put_inverse(const Affine& frame);      // row by row
  void put_anchors(const Chain& chain);

  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size()); }
  void set_word(std::uint32_t at, std::uint32_t word) { words_[at] = word; }
  const std::vector<std::uint32_t>& words() const { return words_; }
  std::vector<std::uint32_t> take_words() { return std::move(words_); }

 private:
  void put_anchor(const Chain& chain, std::size_t i);

  std::span<const glm::dmat4> at_bind_;
  std::span<const std::uint32_t> twist_inputs_;
  std::vector<std::uint32_t> words_;
};

}  // namespace pelt::curve_skeleton
