// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/authoring/rows/table_rows.h"
#include "shaders/chain/chain.h"

namespace pelt::chain {
namespace {

// Returns for each bone of each curve the largest distance of its skin, metres, times the weight of the curve at that
// vertex; 0 without skin.
std::vector<std::vector<float>> reach_of(const RestCurves& rest, std::span<const Shares> shares) {
  std::vector<std::vector<float>> reach;
  for (std::size_t c = 0; c < rest.curve_count(); ++c) reach.emplace_back(rest.lengths(c).size() - 1, 0.0f);
  for (const Shares& target : shares) {
    for (const std::vector<CurveShare>& vertex : target) {
      for (const CurveShare& share : vertex) {
        float& farthest = reach[share.place.curve][share.place.bone];
        farthest = std::max(farthest, static_cast<float>(std::max(share.place.distance * share.weight, 1e-9)));
      }
    }
  }
  return reach;
}

Samples place_for(std::span<const std::vector<float>> reach, float error, const PlaceSamples& place) {
  Samples samples;
  for (std::size_t c = 0; c < reach.size(); ++c) {
    samples.at.push_back(place(c, reach[c], error));
    std::vector<std::uint32_t>& first = samples.first.emplace_back();
    for (const std::vector<float>& bone : samples.at.back()) {
      first.push_back(static_cast<std::uint32_t>(samples.count));
      samples.count += bone.size();
    }
  }
  return samples;
}

}  // namespace

std::size_t Samples::count_of(std::size_t curve) const {
  std::size_t sum = 0;
  for (const std::vector<float>& bone : at[curve]) sum += bone.size();
  return sum;
}

Result<Samples> place_all_samples(const RestCurves& rest, std::span<const Shares> shares, float error,
                                  const PlaceSamples& place, const char* what, const DeformerInput& input) {
  const std::vector<std::vector<float>> reach = reach_of(rest, shares);
  const float asked = error * largest_extent(input);
  error = asked;
  Samples samples = place_for(reach, error, place);
  while (samples.count > kMaxEntries && error < 100 * asked) {
    error *= 2;
    samples = place_for(reach, error, place);
  }
  if (samples.count > kMaxEntries) {
    return fail(ErrorCode::kUnsupported, fmt::format("{}: {} {} take {} samples, more than {}", input.layer,
                                                     reach.size(), what, samples.count, kMaxEntries));
  }
  if (error > asked) {
    input.notes.push_back(
        fmt::format("{}: the tables of the {} may be off by {:.3g} m instead of {:.3g} m, to have at most {} samples",
                    input.layer, what, error, asked, kMaxEntries));
  }
  return samples;
}

MeshBinding bind_to_tables(const RestCurves& rest, const Samples& samples, std::uint32_t first_entry,
                           const Shares& shares) {
  MeshBinding binding;
  std::vector<WeightedElement> row;
  for (const std::vector<CurveShare>& vertex : shares) {
    row.clear();
    double distance = vertex.empty() ? -1 : vertex[0].place.distance;
    for (const CurveShare& share : vertex) {
      const CurveLocation& place = share.place;
      const TablePiece piece{samples.at[place.curve][place.bone], first_entry + samples.first[place.curve][place.bone]};
      const double length = rest.bone_length(place.curve, place.bone);
      append_between(piece, place.lambda, share.weight, glm::dvec3(place.slope) / length, row);
      distance = std::min(distance, place.distance);
    }
    append_row(binding.rows, row, Gradients::kKnown);
    binding.distances.push_back(static_cast<float>(distance));
  }
  binding.remarks.assign(shares.size(), 0);
  return binding;
}

std::vector<std::uint32_t> twist_inputs(std::span<const Chain> chains, const DeformerInput& input) {
  std::vector<std::uint32_t> inputs(input.model.skeleton.joints.size(), shared::kNoInput);
  for (const Chain& chain : chains) {
    const std::uint32_t top = chain.anchors[chain.top].joint;
    for (const Anchor& anchor : chain.anchors) {
      if (anchor.joint != top) inputs[anchor.joint] = input.builder.twist_input(anchor.joint);
    }
  }
  return inputs;
}

}  // namespace pelt::chain
