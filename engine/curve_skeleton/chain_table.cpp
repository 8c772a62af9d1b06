// SPDX-License-Identifier: MIT
#include "engine/curve_skeleton/chain_table.h"

#include <algorithm>
#include <bit>

#include "shaders/chain.h"

namespace pelt::curve_skeleton {

void ChainTable::put_number(double number) { put_word(std::bit_cast<std::uint32_t>(static_cast<float>(number))); }

void ChainTable::put_vector(const glm::dvec3& vector) {
  for (int c = 0; c < 3; ++c) put_number(vector[c]);
}

void ChainTable::put_matrix(const glm::dmat3& matrix) {
  for (int c = 0; c < 3; ++c) put_vector(matrix[c]);
}

void ChainTable::put_inverse(const Affine& frame) {
  const glm::dmat3 inverse = glm::inverse(glm::dmat3(affine_axes(frame)));
  const glm::dvec3 origin = inverse * -glm::dvec3(affine_origin(frame));
  for (int row = 0; row < 3; ++row) {
    put_vector({inverse[0][row], inverse[1][row], inverse[2][row]});
    put_number(origin[row]);
  }
}

void ChainTable::put_anchor(const Chain& chain, std::size_t i) {
  const Anchor& anchor = chain.anchors[i];
  const glm::dmat4& joint = at_bind_[anchor.joint];
  const glm::mat3 axes = glm::mat3(glm::dmat3(joint));
  const glm::vec4 rotation = shared::quaternion_from_rotation(shared::orthonormal_axes(axes));
  const float scale = shared::axes_scale(axes);
  // Away from the top; the last bone's where no other leaves.
  const std::size_t last = chain.anchors.size() - 1;
  std::size_t from = i;
  std::size_t to = i + 1;
  if (i < chain.top) {
    from = std::max<std::size_t>(i, 1);
    to = from - 1;
  } else if (i == last) {
    from = last - 1;
    to = last;
  }
  const glm::dvec3 axis =
      glm::normalize(glm::dvec3(chain.anchors[to].position) - glm::dvec3(chain.anchors[from].position));
  put_word(anchor.joint);
  put_vector(glm::dvec3(glm::inverse(joint) * glm::dvec4(anchor.position, 1.0)));
  put_vector(-glm::dvec3(rotation));
  put_number(rotation.w);
  put_number(scale > 0 ? 1 / scale : 1);
  put_vector(axis);
  // Between two anchors of one joint there is no twist, whatever that of the joint.
  const bool turns = i != chain.top && chain.anchors[i < chain.top ? i + 1 : i - 1].joint != anchor.joint;
  put_word(turns ? twist_inputs_[anchor.joint] : shared::kNoInput);
}

void ChainTable::put_anchors(const Chain& chain) {
  for (std::size_t i = 0; i < chain.anchors.size(); ++i) put_anchor(chain, i);
}

}  // namespace pelt::curve_skeleton
