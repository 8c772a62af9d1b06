// SPDX-License-Identifier: MIT
#include "engine/character/evaluate/blend.h"

#include <cassert>

// Compiled once per instruction set; the best one that the processor supports is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/character/evaluate/blend.cpp"
#include <hwy/foreach_target.h>

#include "engine/character/evaluate/blend-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::HWY_NAMESPACE {

struct LinearBlend {
  struct Sums : LineSums {
    template <bool kGradients>
    HWY_INLINE void add_influences(Columns columns, std::size_t count, bool start, const PaletteLine* palette) {
      if constexpr (kGradients) {
        Decoded<true> decoded;
        decode(columns, count, decoded);
        add(decoded, count, start, palette);
      } else {
        Fours decoded;
        decode(columns, count, decoded);
        add_entries(decoded, count, start, palette, lines[0]);
      }
    }
  };

  struct Lanes {
    Frames frame;

    HWY_INLINE Vec3 derivative(const Sums& sums, std::size_t row, std::size_t k, const Vec3& point) const {
      const Frames change = sums.load(k + 1, row);
      return map(change, point, change.o);
    }
  };

  static HWY_INLINE Lanes load(const Sums& sums, std::size_t row, const std::uint32_t*, const PaletteLine*) {
    return {sums.load(0, row)};
  }
  static glm::mat3 turn(const PaletteLine& entry) {
    const Affine frame(entry.rows[0], entry.rows[1], entry.rows[2]);
    return shared::orthonormal_axes(affine_axes(frame) * (1.0f / shared::kWeightUnit));
  }
};

void blend_linear(const PackedBinding& binding, RestShape rest, SliceRange slices, const PaletteLine* palette,
                  const BlendOutputs& out) {
  blend_by<LinearBlend>(binding, rest, slices, palette, out);
}

}  // namespace pelt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt {

HWY_EXPORT(blend_linear);

void make_palette_lines(std::span<const Affine> palette, std::span<PaletteLine> lines) {
  assert(palette.size() == lines.size());
  for (std::size_t i = 0; i < palette.size(); ++i) {
    const Affine scaled = palette[i] * shared::kWeightUnit;
    lines[i] = {{scaled[0], scaled[1], scaled[2], glm::vec4(0.0f)}};
  }
}

void blend_linear(const PackedBinding& binding, RestShape rest, SliceRange slices, std::span<const PaletteLine> palette,
                  const BlendOutputs& out) {
  HWY_DYNAMIC_DISPATCH(blend_linear)(binding, rest, slices, palette.data(), out);
}

}  // namespace pelt
#endif
