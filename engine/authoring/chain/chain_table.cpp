// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/chain_table.h"

#include "engine/character/records.h"
#include "shaders/chain/pose.h"

namespace pelt::chain {

void ChainTable::put_anchor(const Chain& chain, std::size_t i) {
  const Anchor& anchor = chain.anchors[i];
  const glm::dmat4& joint = at_bind_[anchor.joint];
  const glm::mat3 axes = glm::mat3(glm::dmat3(joint));
  const glm::vec4 rotation = shared::quaternion_from_rotation(shared::orthonormal_axes(axes));
  const float scale = shared::axes_scale(axes);
  put_word(anchor.joint);
  put_vector(glm::dvec3(glm::inverse(joint) * glm::dvec4(anchor.position, 1.0)));
  put_vector(-glm::dvec3(rotation));
  put_number(rotation.w);
  put_number(shared::joint_mirror_sign(axes) * (scale > 0 ? 1 / scale : 1));
  put_vector(direction_away(chain, i));
  // Two anchors of one joint do not twist against each other, even if the joint twists.
  const bool turns = i != chain.top && chain.anchors[i < chain.top ? i + 1 : i - 1].joint != anchor.joint;
  put_word(turns ? twist_inputs_[anchor.joint] : shared::kNoInput);
}

std::uint32_t ChainTable::put_chain(const Chain& chain, std::uint32_t more) {
  const std::uint32_t word = size();
  const auto count = static_cast<std::uint32_t>(chain.anchors.size());
  put_word(count);
  put_word(static_cast<std::uint32_t>(chain.top));
  put_word(word + shared::kChainWords + more);
  put_word(entries_);
  for (std::uint32_t i = 0; i < more; ++i) put_word(0);
  for (std::size_t i = 0; i < count; ++i) put_anchor(chain, i);
  chains_.push_back(word);
  entries_ += shared::item_blocks(count, shared::kAnchorBlock) * shared::kAnchorBlock;
  return word;
}

PalettePass ChainTable::anchor_pass() const {
  PalettePass pass;
  pass.kernel = PoseKernel::kAnchor;
  for (const std::uint32_t chain : chains_) {
    for (std::uint32_t first = 0; first < words()[chain]; first += shared::kAnchorBlock) {
      append_record(pass.records, shared::AnchorRecord{chain, first});
      ++pass.record_count;
    }
  }
  pass.table = words();
  return pass;
}

void ChainTable::place_anchors(std::uint32_t first_entry) {
  for (const std::uint32_t chain : chains_) {
    const std::uint32_t word = chain + shared::kChainFirstEntry;
    set_word(word, words()[word] + first_entry);
  }
}

}  // namespace pelt::chain
