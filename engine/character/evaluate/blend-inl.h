// SPDX-License-Identifier: MIT
// Moves slices of rows by frames, for sources that Highway compiles once per instruction set. A blend mode is a class
// `Blend` with
//     Sums             storage for the sums over the rows of a slice
//     accumulate_for   returns an Accumulate for a number of influences
//     Lanes            the blend of kLanes rows: `frame`; and derivative(sums, row, k, point), the derivative of the
//     points
//                      along direction k of the tangent basis due to the changing weights
//     load             returns the Lanes of rows [row, row + kLanes)
//     turn             returns the rotation of an influence from its palette entry
#if defined(PELT_ENGINE_CHARACTER_EVALUATE_BLEND_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PELT_ENGINE_CHARACTER_EVALUATE_BLEND_INL_H
#undef PELT_ENGINE_CHARACTER_EVALUATE_BLEND_INL_H
#else
#define PELT_ENGINE_CHARACTER_EVALUATE_BLEND_INL_H
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "engine/character/evaluate/frames-inl.h"
#include "engine/character/evaluate/sums-inl.h"
#include "shaders/morph/morph.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::HWY_NAMESPACE {

// The normal and tangent of one vertex by the shared scalar rule, used if the fast path fails.
struct Directions {
  glm::vec3 normal;
  glm::vec3 tangent;
};
inline Directions decide_directions(const glm::mat3& axes, const glm::mat3& turn, glm::uvec2 packed, float mirror) {
  const glm::vec3 normal = shared::blended_normal(axes, shared::unpack_normal(packed.x) * mirror, turn);
  const glm::vec3 rest_tangent(shared::unpack_tangent(packed.y));
  return {normal, shared::blended_tangent(axes, rest_tangent, normal, turn)};
}

// Returns `direction` plus `offset` times its length. Raises `longest` to the result's squared length: tests of lengths
// must agree with the shared rule, which takes unit directions.
HWY_INLINE Vec3 turned(const Vec3& direction, const Vec3& offset, Vec& longest) {
  const Vec squared = fused_dot(direction, direction);
  const Vec3 sum = fused_add(direction, offset, squared * inverse_sqrt(squared));
  longest = max(fused_dot(sum, sum), longest);
  return sum;
}

// The offsets that morph targets add to the rows of a slice from `row` on, if any.
struct RowSums {
  const MorphSums* slice;  // null: no offsets
  std::size_t row;

  HWY_INLINE bool turn_normals() const { return slice != nullptr && slice->normals; }
  HWY_INLINE bool turn_tangents() const { return slice != nullptr && slice->tangents; }

  // Loads the sums `first`, `first` + 1 and `first` + 2 of MorphSums.
  HWY_INLINE Vec3 load(std::size_t first) const { return Vec3::load(slice->sums + first, row); }
  glm::vec3 of_lane(std::size_t first, std::size_t v) const {
    return {slice->sums[first][row + v], slice->sums[first + 1][row + v], slice->sums[first + 2][row + v]};
  }

  HWY_INLINE Vec3 moved(const Vec3& point) const { return slice == nullptr ? point : point + load(0); }
  // Returns the packed directions of lane v with the targets applied.
  glm::uvec2 turned_directions(glm::uvec2 directions, std::size_t v) const {
    shared::MorphSum sum = shared::morph_begin();
    if (turn_normals()) sum.normal = of_lane(3, v);
    if (turn_tangents()) sum.tangent = of_lane(6, v);
    return slice == nullptr ? directions : shared::morphed_directions(sum, directions);
  }
};

// The inputs and outputs of a slice's rows.
struct SliceStreams {
  const float* points;
  const std::uint32_t* directions;
  const std::uint32_t* bases;  // packed directions whose normals define the gradients' tangent bases
  const std::uint32_t* words;  // of the strongest influences
  const MorphSums* sums;       // added to points and directions first; or null
  float unit;                  // of the gradients, 1/metres
  float* positions;
  float* normals;
  float* tangents;
  float* frames;  // or null
};

// Returns e and f of tangent bases. `normal`: unit.
struct TangentBases {
  Vec3 directions[2];
};
HWY_INLINE TangentBases tangent_bases(WordVec normal_word, const Vec3& normal) {
  const Integers di;
  const auto bits = hn::BitCast(di, normal_word);
  const auto x = hn::Abs(hn::ShiftRight<16>(hn::ShiftLeft<16>(bits)));
  const auto y = hn::Abs(hn::ShiftRight<16>(bits));
  const auto whole = hn::Set(di, 32767);
  const auto unfolded = hn::IfThenElse(hn::Gt(hn::Add(x, y), whole), hn::Sub(whole, y), x);
  const LaneMask<Floats> along_x = hn::RebindMask(Floats(), hn::Gt(unfolded, hn::Set(di, shared::kTangentTurn - 1)));
  const Vec3 to_x = {0.0f, normal.z, -normal.y};  // normal x (1, 0, 0)
  const Vec3 to_y = {-normal.z, 0.0f, normal.x};  // normal x (0, 1, 0)
  const Vec3 across = choose(along_x, to_y, to_x);
  const Vec3 e = across * inverse_sqrt(fused_dot(across, across));
  return {{e, fused_cross(normal, e)}};
}

// The normals and tangents of a slice's rows between rest and output: decoded by decode_directions(), turned by
// transform(), normalised by finish_directions(). Each is a separate loop over the slice, so that other rows hide the
// latency of dependent steps.
struct Turning {
  using Rows = float[3][kRows];
  alignas(64) Rows normals;
  alignas(64) Rows tangents;
  alignas(64) float sizes[kRows];       // sums of the squared columns of the frames
  alignas(64) float longest[2][kRows];  // squared lengths of normals and tangents with morph targets, >= 1
  alignas(64) float mirrors[kRows];     // mirror_sign of the frames, if any mirrors
  bool any_mirrors;

  float mirror(std::size_t row) const { return any_mirrors ? mirrors[row] : 1.0f; }
};

// Turns the rest normals of rows [row, row + kLanes) whose frames, without gradients, mirror (shared::mirror_sign).
HWY_NOINLINE inline void mirror_normals(const Frames& f, std::size_t row, Turning& turning) {
  const auto largest = [](const Vec3& v) HWY_ATTR { return max(max(abs(v.x), abs(v.y)), abs(v.z)); };
  const Vec size = max(max(largest(f.a), largest(f.b)), largest(f.c));
  const auto mirrors = fused_dot(f.a, fused_cross(f.b, f.c)) <
                       max(size * size, Vec(shared::kMirrorSize)) * size * -shared::kMirrorRounding;
  if (!any_of(mirrors)) return;
  if (!turning.any_mirrors) std::fill_n(turning.mirrors, kRows, 1.0f);
  turning.any_mirrors = true;
  const Vec sign = choose(mirrors, Vec(-1.0f), Vec(1.0f));
  sign.store(turning.mirrors + row);
  (Vec3::load(turning.normals, row) * sign).store(turning.normals, row);
}

// Decodes the directions of rows [row, row + kLanes) of a slice.
template <bool kTangents>
HWY_INLINE void decode_directions(const SliceStreams& streams, std::size_t row, Turning& turning) {
  const Words du;
  const RowSums sums{streams.sums, row};
  WordVec normal_word, tangent_word;
  hn::LoadInterleaved2(du, streams.directions + 2 * row, normal_word, tangent_word);
  Vec3 normal = decode_octahedral(normal_word);
  if (sums.turn_normals()) {
    Vec longest = 1.0f;
    normal = turned(normal, sums.load(3), longest);
    longest.store(turning.longest[0] + row);
  }
  normal.store(turning.normals, row);
  if constexpr (kTangents) {
    Vec3 tangent = decode_octahedral(hn::AndNot(hn::Set(du, 1u), tangent_word));
    if (sums.turn_tangents()) {
      Vec longest = 1.0f;
      tangent = turned(tangent, sums.load(6), longest);
      longest.store(turning.longest[1] + row);
    }
    tangent.store(turning.tangents, row);
  }
}

// Adds the derivatives due to changing weights to blended frames, as frame_with_derivative in shaders/blend/blend.h.
template <class Blend>
HWY_INLINE void add_derivative(const SliceStreams& streams, std::size_t row, const typename Blend::Sums& blended,
                               const typename Blend::Lanes& lanes, const Vec3& point, Frames& f) {
  const Words du;
  WordVec normal_word, tangent_word;
  hn::LoadInterleaved2(du, streams.bases + 2 * row, normal_word, tangent_word);
  const Vec3 n = decode_octahedral(normal_word);
  const TangentBases bases = tangent_bases(normal_word, n * inverse_sqrt(fused_dot(n, n)));
  const float unit = streams.unit * static_cast<float>(shared::kWeightUnits);  // palette lines are divided by it
  for (std::size_t k = 0; k < 2; ++k) {
    const Vec3 step = lanes.derivative(blended, row, k, point) * unit;
    f.a = fused_add(f.a, step, bases.directions[k].x);
    f.b = fused_add(f.b, step, bases.directions[k].y);
    f.c = fused_add(f.c, step, bases.directions[k].z);
  }
}

HWY_INLINE Vec3 rest_points(const SliceStreams& streams, std::size_t row) {
  Vec3 p;
  hn::LoadInterleaved3(Floats(), streams.points + 3 * row, p.x.v, p.y.v, p.z.v);
  return RowSums{streams.sums, row}.moved(p);
}

// Moves the points of rows [row, row + kLanes) of a slice and turns their directions. Frames include
// gradients.
template <class Blend, bool kNormals, bool kTangents, bool kGradients>
HWY_INLINE void transform(const SliceStreams& streams, std::size_t row, typename Blend::Sums& blended,
                          const PaletteLine* palette, Turning& turning) {
  const typename Blend::Lanes lanes = Blend::load(blended, row, streams.words + row, palette);
  Frames f = lanes.frame;
  const Vec3 p = rest_points(streams, row);
  const Vec3 moved = map(f, p, f.o);
  hn::StoreInterleaved3(moved.x.v, moved.y.v, moved.z.v, Floats(), streams.positions + 3 * row);
  if constexpr (kNormals) {
    if (HWY_UNLIKELY(any_of(fused_dot(f.a, fused_cross(f.b, f.c)) < 0.0f))) mirror_normals(f, row, turning);
  }
  if constexpr (kGradients) {
    add_derivative<Blend>(streams, row, blended, lanes, p, f);
    f.o = moved - map(f, p);
  }
  if (streams.frames != nullptr) store_frames(f, streams.frames + row * kFrameFloats);
  if constexpr (kNormals) {
    const Vec3 n = Vec3::load(turning.normals, row);
    // cofactor(B) n = n.x (b x c) + n.y (c x a) + n.z (a x b) = b x (n.x c - n.z a) + n.y (c x a).
    const Vec3 across_b = fused_subtract(f.c * n.x, f.a, n.z);
    fused_add(fused_cross(f.b, across_b), fused_cross(f.c, f.a), n.y).store(turning.normals, row);
    (fused_dot(f.a, f.a) + (fused_dot(f.b, f.b) + fused_dot(f.c, f.c))).store(turning.sizes + row);
    if constexpr (kTangents) {
      map(f, Vec3::load(turning.tangents, row)).store(turning.tangents, row);
    }
  }
}

// Recomputes the directions of the lanes that failed the test, of rows [row, row + kLanes), after transform().
template <class Blend, bool kTangents, bool kGradients>
HWY_NOINLINE void decide_directions(const std::uint32_t* passed, const SliceStreams& streams, std::size_t row,
                                    typename Blend::Sums& blended, const PaletteLine* palette, const Turning& turning) {
  const typename Blend::Lanes lanes = Blend::load(blended, row, streams.words + row, palette);
  Frames f = lanes.frame;
  if constexpr (kGradients) add_derivative<Blend>(streams, row, blended, lanes, rest_points(streams, row), f);
  alignas(64) float axes[3][3][kLanes];
  const Vec3* columns[3] = {&f.a, &f.b, &f.c};
  for (std::size_t c = 0; c < 3; ++c) columns[c]->store(axes[c], 0);
  for (std::size_t v = 0; v < kLanes; ++v) {
    if (passed[v] != 0) continue;
    const std::size_t at = row + v;
    const glm::mat3 frame_axes(axes[0][0][v], axes[0][1][v], axes[0][2][v], axes[1][0][v], axes[1][1][v], axes[1][2][v],
                               axes[2][0][v], axes[2][1][v], axes[2][2][v]);
    const glm::uvec2 packed{streams.directions[2 * at], streams.directions[2 * at + 1]};
    const Directions decided =
        decide_directions(frame_axes, Blend::turn(palette[shared::influence_index(streams.words[at])]),
                          RowSums{streams.sums, row}.turned_directions(packed, v), turning.mirror(at));
    std::memcpy(streams.normals + 3 * at, &decided.normal, sizeof decided.normal);
    if constexpr (kTangents) std::memcpy(streams.tangents + 4 * at, &decided.tangent, sizeof decided.tangent);
  }
}

// Normalises the directions of rows [row, row + kLanes) of a slice and writes them.
template <class Blend, bool kTangents, bool kGradients>
HWY_INLINE void finish_directions(const SliceStreams& streams, std::size_t row, typename Blend::Sums& blended,
                                  const PaletteLine* palette, const Turning& turning) {
  const Floats d;
  const Words du;
  const RowSums sums{streams.sums, row};
  const Vec one = 1.0f;
  const Vec3 normal = Vec3::load(turning.normals, row);
  const Vec size = Vec::load(turning.sizes + row);
  const Vec squared = fused_dot(normal, normal);
  // Vectors that pass this test also pass the shared rule's: rest directions are at most as long as `longest` assumes.
  const Vec least = shared::kMinDirection, no_less = 1e-30f;
  Vec longest = sums.turn_normals() ? Vec::load(turning.longest[0] + row) : one;
  auto usable = squared > max(no_less, size * size * (least * longest));
  const Vec3 unit_normal = normal * inverse_sqrt(squared);
  hn::StoreInterleaved3(unit_normal.x.v, unit_normal.y.v, unit_normal.z.v, d, streams.normals + 3 * row);
  if constexpr (kTangents) {
    longest = sums.turn_tangents() ? Vec::load(turning.longest[1] + row) : one;
    const Vec3 t = Vec3::load(turning.tangents, row);
    const Vec3 across = fused_subtract(t, unit_normal, fused_dot(unit_normal, t));
    const Vec squared_tangent = fused_dot(across, across);
    usable = usable && squared_tangent > max(no_less, size * (least * longest));
    if (sums.turn_normals() || sums.turn_tangents()) {
      // The shaders repack directions after morph targets. If normal and tangent nearly agree, that rounding matters.
      usable = usable && squared_tangent > fused_dot(t, t) * 0.05f;
    }
    const Vec3 tangent = across * inverse_sqrt(squared_tangent);
    WordVec normal_word, tangent_word;
    hn::LoadInterleaved2(du, streams.directions + 2 * row, normal_word, tangent_word);
    // Move the word's lowest bit to the sign of 1.
    auto handedness = hn::Or(hn::BitCast(d, hn::ShiftLeft<31>(tangent_word)), one.v);
    if (HWY_UNLIKELY(turning.any_mirrors)) handedness = hn::Mul(handedness, Vec::load(turning.mirrors + row).v);
    hn::StoreInterleaved4(tangent.x.v, tangent.y.v, tangent.z.v, handedness, d, streams.tangents + 4 * row);
  }
  if (HWY_UNLIKELY(any_of(!usable))) {
    alignas(64) std::uint32_t passed[kLanes];
    hn::Store(hn::BitCast(du, hn::VecFromMask(d, usable.m)), du, passed);
    decide_directions<Blend, kTangents, kGradients>(passed, streams, row, blended, palette, turning);
  }
}

// Moves the first `rows` rows of a slice after their influences are blended.
template <class Blend, bool kNormals, bool kTangents, bool kGradients>
HWY_INLINE void move_rows(const SliceStreams& streams, std::size_t rows, typename Blend::Sums& blended,
                          const PaletteLine* palette, Turning& turning) {
  turning.any_mirrors = false;
  for (std::size_t row = 0; kNormals && row < rows; row += kLanes) decode_directions<kTangents>(streams, row, turning);
  for (std::size_t row = 0; row < rows; row += kLanes) {
    transform<Blend, kNormals, kTangents, kGradients>(streams, row, blended, palette, turning);
  }
  for (std::size_t row = 0; kNormals && row < rows; row += kLanes) {
    finish_directions<Blend, kTangents, kGradients>(streams, row, blended, palette, turning);
  }
}

// Copies of the inputs and outputs of the last slice, kRows long even if the mesh ends earlier.
struct SliceStage {
  alignas(64) float points[3 * kRows];
  alignas(64) std::uint32_t directions[2 * kRows];
  alignas(64) std::uint32_t bases[2 * kRows];
  alignas(64) float positions[3 * kRows];
  alignas(64) float normals[3 * kRows];
  alignas(64) float tangents[4 * kRows];
  alignas(64) float frames[kFrameFloats * kRows];

  // Copies in the first `rows` rows of a slice. Returns streams that read and write the copies.
  SliceStreams load(const SliceStreams& from, std::size_t rows) {
    std::memcpy(points, from.points, rows * sizeof(glm::vec3));
    std::memcpy(directions, from.directions, rows * sizeof(glm::uvec2));
    std::memcpy(bases, from.bases, rows * sizeof(glm::uvec2));
    SliceStreams staged = from;
    staged.points = points;
    staged.directions = directions;
    staged.bases = bases;
    staged.positions = positions;
    staged.normals = normals;
    staged.tangents = tangents;
    if (from.frames != nullptr) staged.frames = frames;
    return staged;
  }
  void store(std::size_t rows, const SliceStreams& to) const {
    std::memcpy(to.positions, positions, rows * sizeof(glm::vec3));
    if (to.normals != nullptr) std::memcpy(to.normals, normals, rows * sizeof(glm::vec3));
    if (to.tangents != nullptr) std::memcpy(to.tangents, tangents, rows * sizeof(glm::vec4));
    if (to.frames != nullptr) std::memcpy(to.frames, frames, rows * sizeof(Affine));
  }
};

inline const std::uint16_t* steps_of(const PackedBinding& binding) {
  return reinterpret_cast<const std::uint16_t*>(binding.gradients.data());
}

template <class Blend, bool kNormals, bool kTangents>
void blend_slices(const PackedBinding& binding, RestShape rest, SliceRange slices, const PaletteLine* palette,
                  const BlendOutputs& out) {
  using Sums = typename Blend::Sums;
  const bool reads = reads_gradients(binding, out);
  SliceStage stage{};
  Sums sums;
  Turning turning;
  for (std::size_t slice = slices.first; slice < slices.last; ++slice) {
    const std::size_t first_row = slice * kRows;
    const std::size_t rows = std::min(kRows, binding.points.size() - first_row);
    const std::uint32_t* words = binding.influences.data() + binding.slices[slice];
    const bool gradients = reads && binding.gradient_units[slice] > 0;
    const Columns columns{words, gradients ? steps_of(binding) + binding.slices[slice] : nullptr};
    const std::size_t influences = columns.without_padding((binding.slices[slice + 1] - binding.slices[slice]) / kRows);
    const Accumulate<Sums> blend_rows =
        gradients ? accumulate_for<Sums, true>(influences) : accumulate_for<Sums, false>(influences);
    const SliceStreams whole{.points = &rest.point(first_row).x,
                             .directions = &rest.direction(first_row).x,
                             .bases = &binding.directions[first_row].x,
                             .words = words,
                             .sums = rest.sums == nullptr ? nullptr : &rest.sums[slice - slices.first],
                             .unit = gradients ? binding.gradient_units[slice] : 0,
                             .positions = &out.positions[first_row].x,
                             .normals = kNormals ? &out.normals[first_row].x : nullptr,
                             .tangents = kTangents ? &out.tangents[first_row].x : nullptr,
                             .frames = out.frames != nullptr ? &out.frames[first_row][0].x : nullptr};
    // Full slices are not copied: a wide load right after narrow stores to the same memory would stall.
    SliceStreams staged;
    const SliceStreams* streams = &whole;
    if (rows < kRows) {
      staged = stage.load(whole, rows);
      streams = &staged;
    }

    // Blend all rows first: independent rows hide each other's latency.
    blend_rows(columns, influences, palette, sums);
    if (gradients) {
      move_rows<Blend, kNormals, kTangents, true>(*streams, rows, sums, palette, turning);
    } else {
      move_rows<Blend, kNormals, kTangents, false>(*streams, rows, sums, palette, turning);
    }
    if (rows < kRows) stage.store(rows, whole);
  }
}

template <class Blend>
void blend_by(const PackedBinding& binding, RestShape rest, SliceRange slices, const PaletteLine* palette,
              const BlendOutputs& out) {
  const auto function = out.tangents != nullptr  ? &blend_slices<Blend, true, true>
                        : out.normals != nullptr ? &blend_slices<Blend, true, false>
                                                 : &blend_slices<Blend, false, false>;
  function(binding, rest, slices, palette, out);
}

}  // namespace pelt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
