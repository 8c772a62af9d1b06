// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/own_painting.h"

#include <algorithm>
#include <utility>

#include "engine/authoring/driver/from_skin/armpits.h"
#include "engine/authoring/driver/from_skin/joint_spread.h"
#include "engine/authoring/driver/from_skin/shown_surface.h"
#include "engine/authoring/geometry/edge_rings.h"
#include "engine/authoring/hierarchical_bspline/skin_locator.h"

namespace pelt::hierarchical_bspline {
namespace {

constexpr int kFadedRings = 3;  // over which shares fade beyond the ring round the skin that needs them

}  // namespace

OwnPainting::OwnPainting(std::optional<float> spread, const DeformerInput& input) : input_(input) {
  from_skin::ShownSurface skin = from_skin::shown_surface(input, false);
  skin_ = std::move(skin.mesh);
  for (std::uint32_t v = 0; v < skin_.positions.size(); ++v) skin_.weights.append_row(skin.weights(v));
  rows_ = from_skin::spread_along(skin_, spread, input.model, input.threads);
  shares_.resize(skin_.positions.size(), 0.0f);
}

void OwnPainting::fade() {
  const std::vector<std::uint32_t> welded = weld_sides(skin_.positions);
  const EdgeRings rings(welded, skin_.triangles);
  for (std::size_t v = 0; v < shares_.size(); ++v) shares_[welded[v]] = std::max(shares_[welded[v]], shares_[v]);
  for (int round = 0; round <= kFadedRings; ++round) {
    const std::vector<float> before = shares_;
    for (std::uint32_t v = 0; v < shares_.size(); ++v) {
      const std::span<const EdgeRings::Edge> ring = rings.from(v);
      float most = before[v], sum = 0;
      for (const auto& [from, to] : ring) {
        most = std::max(most, before[to]);
        sum += before[to];
      }
      const bool is_faded = round > 0 && !ring.empty();
      shares_[v] = is_faded ? 0.5f * (before[v] + sum / static_cast<float>(ring.size())) : most;
    }
  }
  for (std::size_t v = 0; v < shares_.size(); ++v) shares_[v] = shares_[welded[v]];
}

void OwnPainting::lay_over(Joints& joints, std::span<MeshBinding> bindings) {
  fade();
  const from_skin::Armpits armpits(input_.model);
  std::vector<std::vector<float>> shares;  // of each target's vertices
  std::vector<SparseRows> carried;         // rows of levels of detail; else empty
  std::vector<std::span<const Influence>> rows;
  std::vector<glm::vec3> points;
  std::vector<float> straight;
  std::vector<std::size_t> first_of(input_.model.meshes.size(), 0);  // vertex of each mesh of full detail
  std::size_t next = 0;
  for (const DeformerTarget& target : input_.targets) {
    const Mesh& mesh = mesh_of(input_, target);
    if (target.level == nullptr) {
      first_of[target.mesh] = next;
      next += mesh.positions.size();
    }
    const std::size_t first = first_of[target.mesh];
    const std::span<const float> whole =
        std::span(shares_).subspan(first, input_.model.meshes[target.mesh].positions.size());
    std::vector<float>& share = shares.emplace_back(whole.begin(), whole.end());
    SparseRows& own = carried.emplace_back();
    if (target.level != nullptr) {
      share = target.level->carry(whole);
      own = target.level->carry([&](std::uint32_t v) { return row(first + v); });
    }
    for (std::size_t v = 0; v < share.size(); ++v) {
      const std::span<const Influence> painted = target.level != nullptr ? own.row(v) : row(first + v);
      if (!(target.mask[v] > 0) || painted.empty()) share[v] = 0;
      if (!(share[v] > 0)) continue;
      rows.push_back(painted);
      points.push_back(mesh.positions[v]);
      straight.push_back(armpits.share(points.back(), painted));
    }
  }
  if (rows.empty()) return;
  const std::vector<std::vector<Influence>> motions = joints.painted(rows, straight, points);
  const std::uint32_t first_entry = joints.finish();
  auto motion = motions.begin();
  for (std::size_t t = 0; t < bindings.size(); ++t) {
    SparseRows own;
    for (const float share : shares[t]) {
      std::vector<Influence> moved;
      if (share > 0) moved = *motion++;
      for (Influence& influence : moved) influence.index += first_entry;
      own.append_row(moved);
    }
    bindings[t].rows = merge_over(bindings[t].rows, own, shares[t]);
  }
}

}  // namespace pelt::hierarchical_bspline
