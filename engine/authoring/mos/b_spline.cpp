// SPDX-License-Identifier: MIT
#include "engine/authoring/mos/b_spline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <pelt/try.h>

#include "engine/authoring/chain/attach.h"
#include "engine/authoring/chain/samples.h"
#include "engine/authoring/chain/tables.h"
#include "engine/authoring/mos/table.h"
#include "engine/authoring/mos/windows.h"
#include "engine/authoring/rows/table_writer.h"
#include "engine/character/records.h"
#include "shaders/spline.h"

namespace pelt::mos {
namespace {

using chain::Attacher;
using chain::BoneCopy;
using chain::Curve;
using chain::RestCurve;
using chain::RestCurves;
using chain::Samples;
using chain::Shares;

// Values for chain::Painting. Control points bend the skin over a longer stretch than usual painting does, and would
// fold skin drawn together to the painted stretch.
constexpr float kMaxOff = 0.36f;
constexpr float kSlender = 4;

// The windows of every chain, and the lengths at their ends.
struct Windows {
  std::vector<std::vector<Window>> of_chain;
  std::vector<std::vector<float>> lengths;  // s at the ends of the windows
};

// Finds windows with the same points, in the same or the reverse order.
std::vector<std::vector<BoneCopy>> find_copies(const Windows& windows) {
  std::map<Window, BoneCopy> first;
  std::vector<std::vector<BoneCopy>> originals;
  for (std::uint32_t c = 0; c < windows.of_chain.size(); ++c) {
    std::vector<BoneCopy>& copies = originals.emplace_back();
    for (std::uint32_t w = 0; w < windows.of_chain[c].size(); ++w) {
      const Window& window = windows.of_chain[c][w];
      const Window backwards{window[3], window[2], window[1], window[0]};
      const bool reversed = backwards < window;
      const auto [known, is_new] = first.try_emplace(reversed ? backwards : window, BoneCopy{c, w, reversed});
      copies.push_back({known->second.curve, known->second.bone, known->second.reversed != reversed});
    }
  }
  return originals;
}

RestCurves make_rest_curves(const Windows& windows, std::span<const glm::vec3> points) {
  std::vector<RestCurve> curves;
  for (std::size_t c = 0; c < windows.of_chain.size(); ++c) {
    curves.push_back({windows.lengths[c], [&of_chain = windows.of_chain[c], points](std::size_t window, float u) {
                        const WindowPoint place = place_in(points, of_chain[window], u);
                        glm::mat3 axes(0.0f);
                        axes[0] = place.tangent;
                        return affine_from_axes(axes, place.point);
                      }});
  }
  return {std::move(curves), find_copies(windows)};
}

// Returns the edits for which samples are placed: those that always apply, and, if there are others, all of them with
// their largest shares. Leaves out slides that may change after bind.
std::vector<PointEdits> edits_for_samples(const PointEdits& edits) {
  const auto always = [](const PointEdits::Edit& edit) { return edit.in_bind && !edit.edit.driver; };
  const auto fixed = [&](const PointEdits::Edit& edit) {
    return always(edit) || edit.edit.operation != MosOperation::kSlide;
  };
  PointEdits all = edits.only(fixed);
  for (PointEdits::Driver& driver : all.drivers) {
    driver.share = {*std::ranges::max_element(driver.share, {}, [](CurveKey key) { return std::abs(key.value); })};
  }
  std::vector<PointEdits> result{edits.only(always)};
  const bool more =
      std::ranges::any_of(all.of_point, [&](const auto& of_point) { return !std::ranges::all_of(of_point, always); });
  if (more) result.push_back(std::move(all));
  return result;
}

// Returns the samples of the windows of a chain.
std::vector<std::vector<float>> place_samples(const ControlPoints& points, std::span<const PointEdits> edits,
                                              MosFrames frames, const PointChain& chain,
                                              std::span<const Window> windows, const RestPoints& rest,
                                              std::span<const float> reach, float error,
                                              std::span<const glm::dmat4> at_bind) {
  std::vector<std::uint32_t> twist_inputs(at_bind.size());
  std::iota(twist_inputs.begin(), twist_inputs.end(), 0u);
  std::vector<shared::MosWindow> at_rest;
  for (const Window& window : windows) at_rest.push_back(rest.window(window));
  std::vector<std::vector<shared::MosWindow>> posed;
  for (const PointEdits& some : edits) {
    MosTable table(at_bind, twist_inputs, 0, frames);
    const std::vector<std::uint32_t> words = put_points(points, some, table);
    for (std::size_t i = 0; i < chain::kStrongPoses; ++i) {
      const chain::StrongPose pose = chain::strong_pose(i, chain.curve.chain, at_bind);
      const PosedPoints there(table, pose.joints, pose.twists);
      posed.emplace_back();
      for (const Window& window : windows) {
        posed.back().push_back(there.window({words[window[0]], words[window[1]], words[window[2]], words[window[3]]}));
      }
    }
  }
  return chain::place_samples(
      {.reach = reach,
       .per_record = shared::kMosEntries,
       .poses = posed.size(),
       .evenly = true,
       .place =
           [&](std::size_t window, float u) {
             const WindowPoint place = place_in(rest.positions(), windows[window], u);
             const glm::vec3 side = shared::frame_side(place.tangent, place.tangent);
             return affine_from_axes(glm::mat3(place.tangent, side, glm::cross(place.tangent, side)), place.point);
           },
       .rest = [&](std::size_t window, float u) { return shared::mos_window_frame(at_rest[window], u); },
       .posed = [&](std::size_t pose, std::size_t window,
                    float u) { return shared::mos_window_frame(posed[pose][window], u); }},
      error);
}

std::string names_of(const ControlPoints& points, const Window& window, const Model& model) {
  std::vector<std::string> names;
  for (const std::uint32_t p : window) names.push_back(point_name(points.points[p], model));
  return fmt::format("'{}'", fmt::join(names, "', '"));
}

// The palette entries of the tables, and their singular frames at bind (docs/mathematics.md section 3.3).
struct Tables {
  std::uint32_t first_entry = 0;
  std::vector<bool> singular;  // by the sample's number
};

Tables add_tables(const Windows& windows, const Samples& samples, const RestPoints& rest,
                  const MosTable::PointEntries& points, CharacterBuilder& builder) {
  PalettePass pass;
  pass.kernel = PoseKernel::kMosTable;
  pass.stage = points.first_stage;
  TableWriter table;
  Tables tables;
  for (std::size_t c = 0; c < windows.of_chain.size(); ++c) {
    for (std::size_t w = 0; w < windows.of_chain[c].size(); ++w) {
      const Window& window = windows.of_chain[c][w];
      const std::vector<float>& at = samples.at[c][w];
      if (at.empty()) continue;
      const shared::MosWindow posed = rest.window(window);
      for (std::size_t k = 0; k < at.size(); ++k) {
        const float u = at[k];
        const Affine frame = shared::mos_window_frame(posed, u);
        const glm::vec4 basis = shared::spline_basis(u);
        const WeightedElement row[] = {
            {window[0], basis.x}, {window[1], basis.y}, {window[2], basis.z}, {window[3], basis.w}};
        tables.singular.push_back(rest.is_singular(glm::dmat3(affine_axes(frame)), row));
        const std::uint32_t word = table.size();
        table.put_number(u);
        table.put_inverse(frame);
        if (k % shared::kMosEntries != 0) continue;
        shared::MosTableRecord record{{}, word};
        for (std::size_t i = 0; i < window.size(); ++i) {
          record.points[i] = points.first_entry + window[i] * shared::kMosPointEntries;
        }
        append_record(pass.records, record);
      }
    }
  }
  pass.record_count = static_cast<std::uint32_t>(samples.count / shared::kMosEntries);
  pass.table = table.take_words();
  tables.first_entry = builder.add_pass(std::move(pass));
  return tables;
}

// Returns the window of a sample, by the number of the sample.
const Window& window_of(const Windows& windows, const Samples& samples, std::uint32_t sample) {
  std::size_t c = 0;
  std::size_t w = 0;
  while (sample >= samples.first[c][w] + samples.at[c][w].size()) {
    if (++w < samples.at[c].size()) continue;
    w = 0;
    ++c;
  }
  return windows.of_chain[c][w];
}

// Refuses vertices that follow a singular sample, for which equation 9 has no solution.
Result<void> check_offsets(const ControlPoints& points, const Windows& windows, const Samples& samples,
                           const Tables& tables, const SparseRows& rows, const Mesh& mesh, const DeformerInput& input) {
  for (std::size_t v = 0; v < rows.row_count(); ++v) {
    for (const Influence& influence : rows.row(v)) {
      const std::uint32_t sample = influence.index - tables.first_entry;
      if (!tables.singular[sample]) continue;
      return invalid(input,
                     fmt::format("vertex {} of mesh '{}' has no offset: the frames of the points {} cancel out "
                                 "at bind",
                                 v, mesh.name, names_of(points, window_of(windows, samples, sample), input.model)));
    }
  }
  return {};
}

void note_chains(const ControlPoints& points, const Windows& windows, const Samples& samples,
                 const DeformerInput& input) {
  for (std::size_t c = 0; c < points.chains.size(); ++c) {
    input.notes.push_back(fmt::format("{}: chain '{}' has {} control points, {} windows and {} samples of its own",
                                      input.layer, points.chains[c].curve.chain.name, points.chains[c].points.size(),
                                      windows.of_chain[c].size(), samples.count_of(c)));
  }
}

}  // namespace

Result<std::vector<MeshBinding>> bind_b_spline(const MosParameters& parameters, const ControlPoints& points,
                                               const PointEdits& edits, std::span<const glm::dmat4> at_bind,
                                               const DeformerInput& input) {
  const RestPoints rest_points(points, edits, parameters.frames, at_bind);
  Windows windows;
  std::vector<Curve> curves;
  std::vector<std::vector<glm::vec2>> turning;
  for (const PointChain& chain : points.chains) {
    windows.of_chain.push_back(windows_of(chain.points, parameters.clamp_ends));
    windows.lengths.push_back(window_lengths(chain.lengths, parameters.clamp_ends));
    turning.push_back(turning_reaches(chain, parameters.clamp_ends));
    curves.push_back(chain.curve);
  }
  const RestCurves rest = make_rest_curves(windows, rest_points.positions());
  const chain::AttachSettings settings{
      parameters.binding,
      {parameters.chains_per_vertex, parameters.chain_reach},
      {},
      {[&](std::size_t chain, std::size_t anchor) { return turning[chain][anchor]; }, kMaxOff, kSlender},
      chain::largest_extent(input)};
  PELT_ASSIGN(const auto shares,
              Attacher(settings, curves, input).attach(rest, [&](double part) { input.progress(0.9 * part); }));

  const std::vector<PointEdits> sampled = edits_for_samples(edits);
  const auto place = [&](std::size_t c, std::span<const float> reach, float error) {
    return place_samples(points, sampled, parameters.frames, points.chains[c], windows.of_chain[c], rest_points, reach,
                         error, at_bind);
  };
  PELT_ASSIGN(const auto samples,
              chain::place_all_samples(rest, shares, parameters.table_error, place, "chains", input));
  note_chains(points, windows, samples, input);

  const std::vector<std::uint32_t> inputs =
      parameters.twist ? chain::twist_inputs(points.turning, input)
                       : std::vector<std::uint32_t>(input.model.skeleton.joints.size(), shared::kNoInput);
  MosTable table(at_bind, inputs, 0, parameters.frames);
  const std::vector<std::uint32_t> words = put_points(points, edits, table);
  const MosTable::PointEntries entries = table.add_passes(PoseKernel::kMosWindowPoint, words, input.builder);
  const Tables tables = add_tables(windows, samples, rest_points, entries, input.builder);
  std::vector<MeshBinding> bindings;
  for (std::size_t t = 0; t < shares.size(); ++t) {
    MeshBinding binding = chain::bind_to_tables(rest, samples, tables.first_entry, shares[t]);
    if (!parameters.exact_normals) binding.rows.gradients.clear();
    PELT_TRY(check_offsets(points, windows, samples, tables, binding.rows, mesh_of(input, input.targets[t]), input));
    bindings.push_back(std::move(binding));
  }
  return bindings;
}

}  // namespace pelt::mos
