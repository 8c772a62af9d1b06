// SPDX-License-Identifier: MIT
// Tables of frames along curves and the skin that follows them: what the curve skeleton and the B-splines of MOS share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <pelt/result.h>

#include "engine/chain/attach.h"
#include "engine/chain/chains.h"
#include "engine/chain/rest_curves.h"
#include "engine/deformer/builder.h"

namespace pelt::chain {

// Where the samples of every curve are, and the palette entries that they write.
struct Samples {
  std::vector<std::vector<std::vector<float>>> at;  // fractions of each bone, ascending, of each curve; none: no skin
  std::vector<std::vector<std::uint32_t>> first;    // the first sample's number among all, of each bone
  std::size_t count = 0;

  std::size_t count_of(std::size_t curve) const;
};

// The samples of a curve's bones, of which bone b has skin up to reach[b] metres away, 0: none, so that the table moves
// no point by more than `error` metres from where the curve would.
using PlaceSamples =
    std::function<std::vector<std::vector<float>>(std::size_t curve, std::span<const float> reach, float error)>;

// The samples of all curves for `error`, a fraction of the largest extent of the targets; where they are more than a
// palette counts, for a larger error, which is noted. `what`: "curves" in notes and errors. kUnsupported: they are too
// many for a hundred times the error.
Result<Samples> place_all_samples(const RestCurves& rest, std::span<const Shares> shares, float error,
                                  const PlaceSamples& place, const char* what, const DeformerInput& input);

// Each vertex follows the two samples beside its place on each of its curves.
MeshBinding bind_to_tables(const RestCurves& rest, const Samples& samples, std::uint32_t first_slot,
                           const Shares& shares);

// Of the joints that twist on a chain, every one but its top, the input that tells how much; of others
// shared::kNoInput.
std::vector<std::uint32_t> twist_inputs(std::span<const Chain> chains, const DeformerInput& input);

}  // namespace pelt::chain
