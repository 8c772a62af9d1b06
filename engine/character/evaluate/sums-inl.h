// SPDX-License-Identifier: MIT
// Sums palette entries, weighted by the influences, for the rows of a slice, for sources that Highway compiles once per
// instruction set.
#if defined(PELT_ENGINE_CHARACTER_EVALUATE_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PELT_ENGINE_CHARACTER_EVALUATE_SUMS_INL_H
#undef PELT_ENGINE_CHARACTER_EVALUATE_SUMS_INL_H
#else
#define PELT_ENGINE_CHARACTER_EVALUATE_SUMS_INL_H
#endif

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "engine/character/evaluate/frames-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::HWY_NAMESPACE {

// The influences of a slice and their gradients (or null), column-major.
struct Columns {
  const std::uint32_t* words;
  const std::uint16_t* gradients;  // in the layout of shared::gradient_steps

  Columns from(std::size_t influence) const {
    return {words + influence * kRows, gradients == nullptr ? nullptr : gradients + influence * kRows};
  }

  // Returns the number of the first `count` columns without those at the end that only pad rows.
  HWY_INLINE std::size_t without_padding(std::size_t count) const {
    const Words d;
    const auto any_bits = [&](const std::uint32_t* from, std::size_t size) HWY_ATTR {
      WordVec bits = hn::LoadU(d, from);
      for (std::size_t i = kLanes; i < size; i += kLanes) bits = hn::Or(bits, hn::LoadU(d, from + i));
      return bits;
    };
    for (; count > 1; --count) {
      const Columns last = from(count - 1);
      WordVec bits = hn::ShiftRight<16>(any_bits(last.words, kRows));
      if (gradients != nullptr)
        bits = hn::Or(bits, any_bits(reinterpret_cast<const std::uint32_t*>(last.gradients), kRows / 2));
      if (!hn::AllTrue(d, hn::Eq(bits, hn::Zero(d)))) break;
    }
    return count;
  }
};

constexpr std::size_t kDecoded = 16;  // influences of a row decoded at a time; fits the first-level cache
constexpr std::size_t kSums = 3;      // sums per row: what moves it, and the derivatives of that along e and f

template <bool kGradients>
constexpr std::size_t kUsedSums = kGradients ? kSums : 1;

// Up to kDecoded influences of each row of a slice: weights, gradient steps along e and f, and the byte offsets of
// their palette entries in the palette.
template <bool kGradients>
struct Decoded {
  alignas(64) float weights[kUsedSums<kGradients>][kDecoded * kRows];
  alignas(64) std::uint32_t offsets[kDecoded * kRows];
};

template <bool kGradients>
HWY_INLINE void decode(Columns columns, std::size_t count, Decoded<kGradients>& decoded) {
  const Floats d;
  const Words du;
  const Integers di;
  for (std::size_t i = 0; i < count * kRows; i += kLanes) {
    const WordVec word = hn::LoadU(du, columns.words + i);
    hn::Store(hn::ConvertTo(d, hn::BitCast(di, hn::ShiftRight<16>(word))), d, decoded.weights[0] + i);
    hn::Store(hn::ShiftLeft<6>(hn::And(word, hn::Set(du, 0xFFFFu))), du, decoded.offsets + i);
    if constexpr (kGradients) {
      const hn::Rebind<std::uint16_t, Floats> halves;
      const auto steps = hn::BitCast(di, hn::PromoteTo(du, hn::LoadU(halves, columns.gradients + i)));
      hn::Store(hn::ConvertTo(d, hn::ShiftRight<24>(hn::ShiftLeft<24>(steps))), d, decoded.weights[1] + i);
      hn::Store(hn::ConvertTo(d, hn::ShiftRight<24>(hn::ShiftLeft<16>(steps))), d, decoded.weights[2] + i);
    }
  }
}

// The same without gradients, with the weights of four influences of a row adjacent, so that one load takes them:
// adding palette entries is limited by loads. Rows are in the order of by_fours().
struct Fours {
  alignas(64) float weights[kDecoded * kRows];          // of influences 0 to 3 of every row, then of 4 to 7, ...
  alignas(64) std::uint32_t offsets[kDecoded * kRows];  // column-major
};

// Calls visit(row) for the rows of a slice in the order in which transpose_row() stores them.
template <class Visit>
HWY_INLINE void by_fours(const Visit& visit) {
  for (std::size_t first = 0; first < kRows; first += kLanes) {
    for (std::size_t v = 0; v < 4; ++v) {
      for (std::size_t block = 0; block < kLanes; block += 4) visit(first + block + v);
    }
  }
}

HWY_INLINE void decode(Columns columns, std::size_t count, Fours& decoded) {
  const Floats d;
  const Words du;
  const Integers di;
  float* weights = decoded.weights;
  for (std::size_t k = 0; k < count; k += 4) {
    for (std::size_t row = 0; row < kRows; row += kLanes) {
      Vec of_column[4];
      for (std::size_t i = 0; i < 4; ++i) {
        of_column[i] = 0.0f;
        if (k + i >= count) continue;
        const std::size_t at = (k + i) * kRows + row;
        const WordVec word = hn::LoadU(du, columns.words + at);
        of_column[i] = hn::ConvertTo(d, hn::BitCast(di, hn::ShiftRight<16>(word)));
        hn::Store(hn::ShiftLeft<6>(hn::And(word, hn::Set(du, 0xFFFFu))), du, decoded.offsets + at);
      }
      Vec of_row[4];
      transpose_row(of_column, of_row[0], of_row[1], of_row[2], of_row[3]);
      for (std::size_t v = 0; v < 4; ++v, weights += kLanes) of_row[v].store(weights);
    }
  }
}

// Adds weights[s][..] times the first kVectors vectors (of tag D) of palette entries to sum s of each row, or starts
// the sums. Row r begins at sums[s] + r * kStride. `count`: influences per row, a constant in fast paths.
template <class D, std::size_t kVectors, std::size_t kStride, std::size_t kUsed>
HWY_INLINE void add_entries(const float (*weights)[kDecoded * kRows], const std::uint32_t* offsets, std::size_t count,
                            bool start, const PaletteLine* HWY_RESTRICT palette, float* const (&sums)[kUsed]) {
  const D d;
  constexpr std::size_t kWidth = hn::MaxLanes(D());
  const auto* base = reinterpret_cast<const char*>(palette);
  for (std::size_t row = 0; row < kRows; ++row) {
    hn::Vec<D> sum[kUsed][kVectors];
    for (std::size_t s = 0; s < kUsed; ++s) {
      for (std::size_t p = 0; p < kVectors; ++p) {
        sum[s][p] = start ? hn::Zero(d) : hn::Load(d, sums[s] + row * kStride + p * kWidth);
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      const auto* entry = reinterpret_cast<const float*>(base + offsets[k * kRows + row]);
      hn::Vec<D> weight[kUsed];
      for (std::size_t s = 0; s < kUsed; ++s) weight[s] = hn::Set(d, weights[s][k * kRows + row]);
      for (std::size_t p = 0; p < kVectors; ++p) {
        const hn::Vec<D> part = hn::Load(d, entry + p * kWidth);
        for (std::size_t s = 0; s < kUsed; ++s) sum[s][p] = hn::MulAdd(weight[s], part, sum[s][p]);
      }
    }
    for (std::size_t s = 0; s < kUsed; ++s) {
      for (std::size_t p = 0; p < kVectors; ++p) hn::Store(sum[s][p], d, sums[s] + row * kStride + p * kWidth);
    }
  }
}

// Does the same without gradients, for the lines of a slice's rows.
HWY_INLINE void add_entries(const Fours& decoded, std::size_t count, bool start,
                            const PaletteLine* HWY_RESTRICT palette, float* HWY_RESTRICT lines) {
  const Floats d;
  constexpr std::size_t kVectors = (12 + kLanes - 1) / kLanes;
  const auto* base = reinterpret_cast<const char*>(palette);
  const float* weights = decoded.weights;
  by_fours([&](std::size_t row) HWY_ATTR {
    float* line = lines + row * kLineFloats;
    Vec sum[kVectors];
    for (std::size_t p = 0; p < kVectors; ++p) sum[p] = start ? Vec(0.0f) : Vec::load(line + p * kLanes);
    for (std::size_t k = 0; k < count; k += 4) {
      const auto four = hn::LoadDup128(d, weights + k * kRows);
      const Vec weight[4] = {hn::Broadcast<0>(four), hn::Broadcast<1>(four), hn::Broadcast<2>(four),
                             hn::Broadcast<3>(four)};
      for (std::size_t i = 0; i < 4 && k + i < count; ++i) {
        const auto* entry = reinterpret_cast<const float*>(base + decoded.offsets[(k + i) * kRows + row]);
        for (std::size_t p = 0; p < kVectors; ++p) {
          sum[p] = mul_add(weight[i], Vec::load(entry + p * kLanes), sum[p]);
        }
      }
    }
    for (std::size_t p = 0; p < kVectors; ++p) sum[p].store(line + p * kLanes);
    weights += 4;
  });
}

// Adds frames of the palette to the lines of a slice's rows: the frame, and its derivatives along e and f.
struct LineSums {
  static constexpr std::size_t kLineVectors = (12 + kLanes - 1) / kLanes;  // per line
  alignas(64) float lines[kSums][kRows * kLineFloats];

  template <bool kGradients>
  HWY_INLINE void add(const Decoded<kGradients>& decoded, std::size_t count, bool start,
                      const PaletteLine* HWY_RESTRICT palette) {
    if constexpr (kGradients) {
      float* const sums[] = {lines[0], lines[1], lines[2]};
      add_entries<Floats, kLineVectors, kLineFloats>(decoded.weights, decoded.offsets, count, start, palette, sums);
    } else {
      float* const sums[] = {lines[0]};
      add_entries<Floats, kLineVectors, kLineFloats>(decoded.weights, decoded.offsets, count, start, palette, sums);
    }
  }

  HWY_INLINE Frames load(std::size_t sum, std::size_t row) const {
    return load_frames(Lines{lines[sum] + row * kLineFloats});
  }
};

// A function that blends the rows of a slice into sums.
template <class Sums>
using Accumulate = void (*)(Columns columns, std::size_t influences, const PaletteLine* palette, Sums& sums);

// Sums::add_influences<kGradients>(columns, count, start, palette) adds influences [0, count) of the rows of a slice.
template <class Sums, bool kGradients, std::size_t kInfluences>
void accumulate(Columns columns, std::size_t, const PaletteLine* palette, Sums& sums) {
  sums.template add_influences<kGradients>(columns, kInfluences, true, palette);
}

template <class Sums, bool kGradients>
void accumulate_many(Columns columns, std::size_t influences, const PaletteLine* palette, Sums& sums) {
  for (std::size_t begin = 0; begin < influences; begin += kDecoded) {
    const std::size_t count = std::min(kDecoded, influences - begin);
    sums.template add_influences<kGradients>(columns.from(begin), count, begin == 0, palette);
  }
}

template <class Sums, bool kGradients>
Accumulate<Sums> accumulate_for(std::size_t influences) {
  constexpr Accumulate<Sums> kByCount[] = {
      &accumulate_many<Sums, kGradients>, &accumulate<Sums, kGradients, 1>, &accumulate<Sums, kGradients, 2>,
      &accumulate<Sums, kGradients, 3>,   &accumulate<Sums, kGradients, 4>, &accumulate<Sums, kGradients, 5>,
      &accumulate<Sums, kGradients, 6>,   &accumulate<Sums, kGradients, 7>, &accumulate<Sums, kGradients, 8>};
  return kByCount[influences < std::size(kByCount) ? influences : 0];
}

}  // namespace pelt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
