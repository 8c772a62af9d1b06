// SPDX-License-Identifier: MIT
#pragma once

#include <glm/glm.hpp>
#include <span>

#include <pelt/sparse_rows.h>

namespace pelt {

// Fills the empty rows of a mesh's weights smoothly from the others, which stay (Abdrashitov, Raichstat, Monsen and
// Hill 2023, *Robust Skin Weights Transfer via Weight Inpainting*). `triangles`: over welded vertices. `length`,
// metres: filled weights continue the slope of the known ones up to about this distance, and are harmonic beyond.
// Vertices that triangles connect to no known row stay empty. The result does not depend on the number of threads (0:
// all CPUs).
SparseRows inpaint(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles, const SparseRows& known,
                   double length, unsigned threads);

}  // namespace pelt
