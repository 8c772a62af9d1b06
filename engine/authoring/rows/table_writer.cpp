// SPDX-License-Identifier: MIT
#include "engine/authoring/rows/table_writer.h"

#include <bit>

namespace pelt {

void TableWriter::put_number(double number) { put_word(std::bit_cast<std::uint32_t>(static_cast<float>(number))); }

void TableWriter::put_vector(const glm::dvec3& vector) {
  for (int c = 0; c < 3; ++c) put_number(vector[c]);
}

void TableWriter::put_matrix(const glm::dmat3& matrix) {
  for (int c = 0; c < 3; ++c) put_vector(matrix[c]);
}

void TableWriter::put_inverse(const Affine& frame) {
  const glm::dmat3 inverse = glm::inverse(glm::dmat3(affine_axes(frame)));
  const glm::dvec3 origin = inverse * -glm::dvec3(affine_origin(frame));
  for (int row = 0; row < 3; ++row) {
    put_vector({inverse[0][row], inverse[1][row], inverse[2][row]});
    put_number(origin[row]);
  }
}

}  // namespace pelt
