// SPDX-License-Identifier: MIT
// Blend jobs of some slices of a mesh.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/pack.h>

#include "shaders/blend/blend.h"
#include "shaders/jobs.h"

namespace pelt::runtime {

// Slices of a mesh, from `first` up to `end`.
struct Slices {
  std::uint32_t first, end;
};

// Returns the row lengths of a linear blend, as flags kHasRows...
inline std::uint32_t row_contents(const std::vector<std::uint32_t>& slices, Slices of) {
  std::uint32_t words = 0;
  for (std::size_t s = of.first; s < of.end; ++s) words = std::max(words, slices[s + 1] - slices[s]);
  if (words <= 2 * shared::kSliceRows) return 0;
  return words <= 4 * shared::kSliceRows ? shared::kHasRowsOver2 : shared::kHasRowsOver2 | shared::kHasRowsOver4;
}

inline bool has_gradients(const PackedBinding& binding, Slices of) {
  if (binding.gradients.empty()) return false;
  const auto units = std::span(binding.gradient_units).subspan(of.first, of.end - of.first);
  return std::ranges::any_of(units, [](float unit) { return unit > 0; });
}

// Returns how many slices of a mesh, from the first, a cheap pipeline blends: without gradients, by short rows.
inline std::uint32_t light_slices(const CharacterMesh& mesh) {
  if (mesh.control || mesh.mode != BlendMode::kLinear) return 0;
  const PackedBinding& binding = mesh.binding;
  std::uint32_t s = 0;
  while (s + 1 < binding.slices.size() && !has_gradients(binding, {s, s + 1}) &&
         binding.slices[s + 1] - binding.slices[s] <= kShortRow * shared::kSliceRows)
    ++s;
  return s;
}

// Limits a job to some slices of its mesh, which is blended linearly or by dual quaternions.
inline shared::BlendJob part_of(shared::BlendJob job, Slices of) {
  const std::uint32_t first = of.first * shared::kSliceRows;
  job.vertex_count = std::min(job.vertex_count, of.end * shared::kSliceRows) - first;
  job.by_blocks = shared::reciprocal_of(shared::item_blocks(job.vertex_count, shared::kBlendWorkgroupSize));
  for (std::uint32_t* of_vertex : {&job.first_point, &job.first_direction}) *of_vertex += first;
  for (std::uint32_t* of_slice : {&job.first_slice, &job.first_gradient_unit, &job.first_morph_slice})
    *of_slice += of.first;
  if (job.output_first != shared::kNoIndex) job.output_first += first;
  if (job.frame_first != shared::kNoIndex) job.frame_first += first;
  if (job.driver_first != shared::kNoIndex) job.driver_first += 3 * first;
  if (job.painted_first_slice != shared::kNoIndex) job.painted_first_slice += of.first;
  return job;
}

inline std::uint32_t contents_of(const CharacterMesh& mesh, const shared::BlendJob& job, Slices of) {
  std::uint32_t contents = 1u << job.mode;
  if (has_gradients(mesh.binding, of)) contents |= shared::kHasGradients;
  if (job.offset_first != shared::kNoIndex) contents |= shared::kHasKeyPoses;
  if (mesh.morphs) contents |= shared::kHasMorphs;
  if (job.mode == shared::kBlendLinear) contents |= row_contents(mesh.binding.slices, of);
  if (job.painted_first_slice != shared::kNoIndex)
    contents |= shared::kHasPainted | shared::kHasLinear | row_contents(mesh.painted->slices, of);
  if (mesh.control) contents |= shared::kHasDrivers;
  if (job.output_first != shared::kNoIndex) contents |= shared::kHasOutputs;
  return contents;
}

}  // namespace pelt::runtime
