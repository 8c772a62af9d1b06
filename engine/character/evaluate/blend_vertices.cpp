// SPDX-License-Identifier: MIT
// The scalar vertex kernels, one vertex at a time.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/character/evaluate/blend.h"
#include "shaders/blend/blend.h"
#include "shaders/dual_quaternion/pose.h"
#include "shaders/tension/tension.h"

namespace pelt {
namespace {

// Return the rotation of a frame, and of a dual quaternion's palette entry.
glm::mat3 turn_of_frame(const Affine* entry) { return shared::orthonormal_axes(affine_axes(*entry)); }
glm::mat3 turn_of_dual_quaternion(const Affine* entry) { return shared::rotation_from_quaternion(entry[0][0]); }

// The blended frame of one vertex; its position, rounded as without gradients; and the rotation for directions that the
// frame maps to nothing: `turn_of` applied to `strongest`, a palette entry or the frame itself, which outlives this.
struct VertexFrame {
  Affine frame;
  glm::vec3 position;
  float mirror;  // mirror_sign of the frame without gradients
  const Affine* strongest;
  glm::mat3 (*turn_of)(const Affine* entry) = &turn_of_frame;
};

struct VertexRow {
  const PackedBinding& binding;
  RestShape rest;
  std::size_t v;
  const std::uint32_t* words;  // influence 0; the others follow at steps of kSliceRows
  std::size_t influences;
  const Affine* palette;
  bool gradients;  // frames include the gradients of the weights

  std::uint32_t word(std::size_t k) const { return words[k * shared::kSliceRows]; }
  const Affine* entry(std::size_t k) const { return palette + shared::influence_index(word(k)); }
  const glm::vec3& point() const { return rest.point(v); }

  glm::vec2 steps(std::size_t k) const {
    const std::size_t at = static_cast<std::size_t>(words - binding.influences.data()) + k * shared::kSliceRows;
    return shared::gradient_steps(binding.gradients[at / 2], static_cast<std::uint32_t>(at));
  }

  // Adds the derivative of `local` due to the change of influence k's weight.
  shared::TangentialDerivative add_derivative(const shared::TangentialDerivative& derivative, std::size_t k,
                                              const glm::vec3& local) const {
    return gradients ? shared::derivative_add(derivative, steps(k), transform_point(*entry(k), local)) : derivative;
  }

  Affine with_derivative(const Affine& frame, const shared::TangentialDerivative& derivative) const {
    if (!gradients) return frame;
    const shared::TangentBasis basis = shared::tangent_basis(binding.directions[v].x);
    const float unit = binding.gradient_units[v / shared::kSliceRows];
    return shared::frame_with_derivative(frame, derivative, unit, basis, point());
  }
};

// Blends a frame by dual quaternion.
VertexFrame blend_row(const VertexRow& row) {
  const Affine& first = row.entry(0)[0];
  const shared::DualQuaternion pivot{first[0], first[1]};
  shared::DualQuaternion blended{glm::vec4(0.0f), glm::vec4(0.0f)};
  shared::DualQuaternion by_e = blended;  // derivatives of `blended` along e and f
  shared::DualQuaternion by_f = blended;
  Affine stretch(0.0f);
  shared::TangentialDerivative stretching = shared::derivative_begin();
  for (std::size_t k = 0; k < row.influences; ++k) {
    const Affine* entry = row.entry(k);
    const float weight = shared::influence_weight(row.word(k));
    const shared::DualQuaternion rigid = shared::on_side_of({entry[0][0], entry[0][1]}, pivot);
    blended = shared::dual_quaternion_add(blended, rigid, weight);
    stretch += weight * entry[1];
    if (!row.gradients) continue;
    const glm::vec2 steps = row.steps(k);
    by_e = shared::dual_quaternion_add(by_e, rigid, steps.x);
    by_f = shared::dual_quaternion_add(by_f, rigid, steps.y);
    stretching = shared::derivative_add(stretching, steps, transform_point(entry[1], row.point()));
  }
  const Affine moving = shared::rigid_from_dual_quaternion(blended, pivot);
  const Affine frame = affine_compose(moving, stretch);
  const glm::vec3 position = transform_point(frame, row.point());
  const float mirror = shared::mirror_sign(affine_axes(frame));
  if (!row.gradients) return {frame, position, mirror, row.entry(0), &turn_of_dual_quaternion};
  const glm::vec3 stretched = transform_point(stretch, row.point());
  const shared::TangentialDerivative derivative{
      shared::rigid_derivative(blended, by_e, stretched) + transform_vector(moving, stretching.e),
      shared::rigid_derivative(blended, by_f, stretched) + transform_vector(moving, stretching.f)};
  return {row.with_derivative(frame, derivative), position, mirror, row.entry(0), &turn_of_dual_quaternion};
}

// Blends a frame linearly.
VertexFrame sum_row(const VertexRow& row) {
  Affine frame(0.0f);
  shared::TangentialDerivative derivative = shared::derivative_begin();
  for (std::size_t k = 0; k < row.influences; ++k) {
    const Affine& entry = *row.entry(k);
    frame += shared::influence_weight(row.word(k)) * entry;
    derivative = row.add_derivative(derivative, k, row.point());
  }
  return {row.with_derivative(frame, derivative), transform_point(frame, row.point()),
          shared::mirror_sign(affine_axes(frame)), row.entry(0)};
}

VertexFrame combine_row(const VertexRow& row, const WiresParameters& parameters) {
  shared::WiresSum sum = shared::wires_begin();
  Affine frame(0.0f);
  shared::TangentialDerivative derivative = shared::derivative_begin();
  std::uint32_t units = 0;
  for (std::size_t k = 0; k < row.influences; ++k) {
    const Affine& entry = *row.entry(k);
    frame += shared::influence_weight(row.word(k)) * entry;
    derivative = row.add_derivative(derivative, k, row.point());
    units += shared::influence_units(row.word(k));
    if (units < shared::kWeightUnits) continue;
    sum = shared::wires_add(sum, row.with_derivative(frame, derivative), parameters.root, row.point(),
                            parameters.exponent);
    frame = Affine(0.0f);
    derivative = shared::derivative_begin();
    units = 0;
  }
  const Affine combined = shared::wires_frame(sum, row.point());
  return {combined, transform_point(combined, row.point()), shared::mirror_sign(affine_axes(*row.entry(0))),
          row.entry(0)};
}

// Blends the frame of a vertex with local points. `frames`: the binding's local frames.
VertexFrame add_row(const VertexRow& row, std::span<const glm::vec4> frames) {
  shared::OffsetsSum sum = shared::offsets_begin();
  Affine frame(0.0f);
  shared::TangentialDerivative derivative = shared::derivative_begin();
  std::uint32_t units = 0;
  std::size_t leading = 0;    // first influence of the current group
  std::size_t strongest = 0;  // first influence of the group with the largest share
  float largest = 0;
  std::size_t local = row.v;
  for (std::size_t k = 0; k < row.influences; ++k) {
    if (shared::influence_units(row.word(k)) == 0) continue;  // padding after the last group has no local point
    const glm::vec4& local_point = row.binding.local_points[local];
    const Affine& entry = *row.entry(k);
    if (units == 0) leading = k;
    frame += shared::influence_weight(row.word(k)) * entry;
    derivative = row.add_derivative(derivative, k, glm::vec3(local_point));
    units += shared::influence_units(row.word(k));
    if (units < shared::kWeightUnits) continue;
    if (frames.empty()) {
      sum = shared::offsets_add(sum, frame, local_point);
    } else {
      const glm::vec4* by = &frames[shared::kLocalFrameVectors * local];
      sum = shared::offsets_add_framed(sum, frame, local_point, shared::local_frame(by[0], by[1], by[2], by[3]));
    }
    if (local_point.w > largest) {
      largest = local_point.w;
      strongest = leading;
    }
    local += row.binding.points.size();
    frame = Affine(0.0f);
    units = 0;
  }
  // Local points belong to the binding's rest position; the frame moves what morph targets add to it.
  const Affine combined = shared::offsets_frame(sum, row.binding.points[row.v]);
  derivative.e += sum.derivative.e;
  derivative.f += sum.derivative.f;
  return {row.with_derivative(combined, derivative), transform_point(combined, row.point()),
          shared::mirror_sign(affine_axes(combined)), row.entry(strongest)};
}

void write_vertex(glm::uvec2 directions, std::size_t v, const VertexFrame& blended, const BlendOutputs& out) {
  out.positions[v] = blended.position;
  if (out.frames != nullptr) out.frames[v] = blended.frame;
  if (out.normals == nullptr) return;
  const glm::mat3 axes = affine_axes(blended.frame);
  const auto turn = [&] { return blended.turn_of(blended.strongest); };  // not needed by non-degenerate poses
  const glm::vec3 rest_normal = shared::unpack_normal(directions.x) * blended.mirror;
  glm::vec3 normal = shared::mapped_normal(axes, rest_normal);
  if (normal == glm::vec3(0.0f)) normal = shared::blended_normal(axes, rest_normal, turn());
  out.normals[v] = normal;
  if (out.tangents == nullptr) return;
  const glm::vec4 rest = shared::unpack_tangent(directions.y);
  glm::vec3 tangent = shared::mapped_tangent(axes, glm::vec3(rest), normal);
  if (tangent == glm::vec3(0.0f)) tangent = shared::blended_tangent(axes, glm::vec3(rest), normal, turn());
  out.tangents[v] = glm::vec4(tangent, rest.w * blended.mirror);
}

VertexRow row_of(const PackedBinding& binding, const RestShape& rest, std::size_t v, std::span<const Affine> palette,
                 bool gradients) {
  const std::size_t slice = v / shared::kSliceRows;
  return {binding,
          rest,
          v,
          binding.influences.data() + binding.slices[slice] + v % shared::kSliceRows,
          (binding.slices[slice + 1] - binding.slices[slice]) / shared::kSliceRows,
          palette.data(),
          gradients};
}

// Moves the vertices of some slices. `blend` maps a VertexRow to its VertexFrame.
template <class Blend>
void blend_vertices(const PackedBinding& binding, RestShape rest, SliceRange slices, std::span<const Affine> palette,
                    const BlendOutputs& out, bool gradients, const Blend& blend) {
  const std::size_t end = std::min<std::size_t>(slices.last * shared::kSliceRows, binding.points.size());
  for (std::size_t v = slices.first * shared::kSliceRows; v < end; ++v)
    write_vertex(rest.direction(v), v, blend(row_of(binding, rest, v, palette, gradients)), out);
}

}  // namespace

void blend_dual_quaternion_by_scalars(const PackedBinding& binding, RestShape rest, SliceRange slices,
                                      std::span<const Affine> palette, const BlendOutputs& out) {
  blend_vertices(binding, rest, slices, palette, out, reads_gradients(binding, out), blend_row);
}

void blend_linear_by_scalars(const PackedBinding& binding, RestShape rest, SliceRange slices,
                             std::span<const Affine> palette, const BlendOutputs& out) {
  blend_vertices(binding, rest, slices, palette, out, reads_gradients(binding, out), sum_row);
}

void blend_wires(const PackedBinding& binding, RestShape rest, SliceRange slices, std::span<const Affine> palette,
                 const WiresParameters& parameters, const BlendOutputs& out) {
  // Shares depend on how far each frame moves the vertex. Gradients change their rounding, so they are always used:
  // otherwise positions would depend on the requested outputs.
  blend_vertices(binding, rest, slices, palette, out, !binding.gradients.empty(),
                 [&](const VertexRow& row) { return combine_row(row, parameters); });
}

void blend_offsets(const PackedBinding& binding, RestShape rest, SliceRange slices, std::span<const Affine> palette,
                   const BlendOutputs& out) {
  const std::span<const glm::vec4> frames = local_frames(binding);
  blend_vertices(binding, rest, slices, palette, out, reads_gradients(binding, out),
                 [&](const VertexRow& row) { return add_row(row, frames); });
}

void blend_vertex(const PackedBinding& binding, BlendMode mode, RestShape rest, std::size_t v,
                  std::span<const Affine> palette, const WiresParameters& wires, const BlendOutputs& out) {
  const bool gradients = mode == BlendMode::kWires ? !binding.gradients.empty() : reads_gradients(binding, out);
  const VertexRow row = row_of(binding, rest, v, palette, gradients);
  const auto write = [&](const VertexFrame& frame) { write_vertex(rest.direction(v), 0, frame, out); };
  switch (mode) {
    case BlendMode::kLinear:
      return write(sum_row(row));
    case BlendMode::kDualQuaternion:
      return write(blend_row(row));
    case BlendMode::kWires:
      return write(combine_row(row, wires));
    case BlendMode::kOffsets:
      return write(add_row(row, local_frames(binding)));
  }
}

[[gnu::flatten]] void add_offsets(const PackedBinding& binding, std::size_t first, std::span<const Affine> offsets,
                                  const BlendOutputs& out) {
  for (std::size_t v = first; v < binding.points.size(); ++v) {
    const bool stays = offsets[v - first] == affine_identity();
    if (stays && out.normals == nullptr) continue;
    const Affine frame =
        stays ? out.frames[v] : shared::offset_frame(out.frames[v], offsets[v - first], binding.points[v]);
    const glm::vec3 position = stays ? out.positions[v] : transform_point(frame, binding.points[v]);
    write_vertex(binding.directions[v], v, {frame, position, shared::mirror_sign(affine_axes(frame)), &frame}, out);
  }
}

void find_tension(const PackedBinding& binding, const TensionRings& rings, SliceRange slices,
                  const glm::vec3* positions, glm::i8vec2* tension) {
  const std::size_t end = std::min<std::size_t>(slices.last * shared::kSliceRows, binding.points.size());
  for (std::size_t v = slices.first * shared::kSliceRows; v < end; ++v) {
    shared::TensionSum sum = shared::tension_begin(binding.directions[v]);
    const std::size_t slice = v / shared::kSliceRows;
    for (std::size_t at = rings.slices[slice] + v % shared::kSliceRows; at < rings.slices[slice + 1];
         at += shared::kSliceRows) {
      const std::uint32_t word = rings.words[at];
      const std::uint32_t other = word & ~shared::kRingCentre;
      sum = shared::tension_step(sum, word, binding.points[other], positions[other]);
    }
    const std::uint32_t word = shared::tension_word(sum);
    tension[v] = glm::i8vec2(word & 0xFF, word >> 8);
  }
}

}  // namespace pelt
