// SPDX-License-Identifier: MIT
// Writes chains into the table of passes (shaders/chain/chain.h), and makes the pass that poses their anchors. A later
// stage poses the items that turn with the chains, from the same words and more.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/character.h>

#include "engine/authoring/chain/chains.h"
#include "engine/authoring/rows/table_writer.h"

namespace pelt::chain {

class ChainTable : public TableWriter {
 public:
  // `at_bind` has one matrix per joint; `twist_inputs` has one input per joint, or shared::kNoInput. Both must outlive
  // the table.
  ChainTable(std::span<const glm::dmat4> at_bind, std::span<const std::uint32_t> twist_inputs)
      : at_bind_(at_bind), twist_inputs_(twist_inputs) {}

  const glm::dmat4& at_bind(std::uint32_t joint) const { return at_bind_[joint]; }

  // Appends the words of a chain, `more` words of room, and the words of its anchors; returns the index of the first
  // word. Entries count from 0 until place_anchors().
  std::uint32_t put_chain(const Chain& chain, std::uint32_t more = 0);

  bool has_chains() const { return !chains_.empty(); }

  // Returns the pass that poses the anchors of all chains, in stage 0.
  PalettePass anchor_pass() const;

  // Sets the first palette entry of that pass in all chains. Call it once.
  void place_anchors(std::uint32_t first_entry);

 private:
  void put_anchor(const Chain& chain, std::size_t i);

  std::span<const glm::dmat4> at_bind_;
  std::span<const std::uint32_t> twist_inputs_;
  std::vector<std::uint32_t> chains_;  // words
  std::uint32_t entries_ = 0;
};

}  // namespace pelt::chain
