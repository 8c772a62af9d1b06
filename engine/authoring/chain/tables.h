// SPDX-License-Identifier: MIT
// Tables of frames along curves and rows of the skin that follows them, for the curve skeleton and the B-splines of
// MOS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <pelt/result.h>

#include "engine/authoring/chain/attach.h"
#include "engine/authoring/chain/chains.h"
#include "engine/authoring/chain/rest_curves.h"
#include "engine/authoring/deformer/builder.h"

namespace pelt::chain {

inline constexpr std::size_t kMaxEntries = 65536;  // most palette entries that 16-bit indices of a row can address

// The samples of every curve. Each is one palette entry.
struct Samples {
  // For each bone of each curve: fractions of the bone, ascending; empty without skin.
  std::vector<std::vector<std::vector<float>>> at;
  std::vector<std::vector<std::uint32_t>> first;  // for each bone of each curve: number of its first sample among all
  std::size_t count = 0;

  std::size_t count_of(std::size_t curve) const;
};

// Returns the samples of the bones of a curve. Bone b has skin up to reach[b] metres away; 0: none. The table may move
// no point more than `error` metres away from where the curve would move it.
using PlaceSamples =
    std::function<std::vector<std::vector<float>>(std::size_t curve, std::span<const float> reach, float error)>;

// Returns the samples of all curves for `error`, a fraction of the largest extent of the targets. If they exceed a
// palette, doubles the error until they fit, and adds a note. `what` names the curves in notes and errors ("curves").
// Error kUnsupported: too many samples even at a hundred times the error.
Result<Samples> place_all_samples(const RestCurves& rest, std::span<const Shares> shares, float error,
                                  const PlaceSamples& place, const char* what, const DeformerInput& input);

// Binds each vertex to the two samples next to its position on each of its curves. `first_entry` is the palette entry
// of the first sample.
MeshBinding bind_to_tables(const RestCurves& rest, const Samples& samples, std::uint32_t first_entry,
                           const Shares& shares);

// Returns the twist input of every joint on a chain except its top; shared::kNoInput for the others.
std::vector<std::uint32_t> twist_inputs(std::span<const Chain> chains, const DeformerInput& input);

}  // namespace pelt::chain
