// SPDX-License-Identifier: MIT
// Writes the chains of a pass into its table (shaders/chain/chain.h).
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>

#include "engine/chain/chains.h"
#include "engine/deformer/table_writer.h"

namespace pelt::chain {

class ChainTable : public TableWriter {
 public:
  // `at_bind` has one matrix per joint; `twist_inputs` has one input per joint, or shared::kNoInput. Both must outlive
  // the table.
  ChainTable(std::span<const glm::dmat4> at_bind, std::span<const std::uint32_t> twist_inputs)
      : at_bind_(at_bind), twist_inputs_(twist_inputs) {}

  const glm::dmat4& at_bind(std::uint32_t joint) const { return at_bind_[joint]; }

  void put_anchors(const Chain& chain);

 private:
  void put_anchor(const Chain& chain, std::size_t i);

  std::span<const glm::dmat4> at_bind_;
  std::span<const std::uint32_t> twist_inputs_;
};

}  // namespace pelt::chain
