// SPDX-License-Identifier: MIT
#include "engine/chain/chain_table.h"

#include "shaders/chain/chain.h"

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
  put_number(scale > 0 ? 1 / scale : 1);
  put_vector(direction_away(chain, i));
  // Two anchors of one joint do not twist against each other, even if the joint twists.
  const bool turns = i != chain.top && chain.anchors[i < chain.top ? i + 1 : i - 1].joint != anchor.joint;
  put_word(turns ? twist_inputs_[anchor.joint] : shared::kNoInput);
}

void ChainTable::put_anchors(const Chain& chain) {
  for (std::size_t i = 0; i < chain.anchors.size(); ++i) put_anchor(chain, i);
}

}  // namespace pelt::chain
