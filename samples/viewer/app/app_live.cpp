// SPDX-License-Identifier: MIT
// Moves points while the character stays bound.
#include <algorithm>
#include <iterator>
#include <utility>

#include <pelt/hierarchical_bspline.h>
#include <pelt/mos.h>
#include <pelt/move_driver.h>
#include <pelt/rig_json.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/slide_points.h>

#include "samples/viewer/app/app_state.h"
#include "samples/viewer/surface_net.h"

namespace pelt::viewer {
namespace {

// Returns the rig without the edits that move points after bind.
Rig without_moves(Rig rig) {
  for (Layer& layer : rig.layers) {
    if (auto* ffd = layer.deformer.get_if<SurfaceFfdParameters>()) ffd->driver.offsets.clear();
    if (auto* surface = layer.deformer.get_if<HierarchicalBsplineParameters>()) {
      for (SurfaceLevel& level : surface->levels) level.moves.clear();
    }
    auto* mos = layer.deformer.get_if<MosParameters>();
    if (mos == nullptr) continue;
    for (MosEdit& edit : mos->edits) {
      if (!mos::slides_after_bind(edit)) continue;
      edit.offset = glm::vec3(0.0f);
      edit.distance = 0;
    }
  }
  return rig;
}

// Returns the character with the control vertices of its surfaces moved as in `after`; none: this needs a new bind.
std::optional<Character> with_moves(const Character& character, const BindReport& report, const Rig& before,
                                    const Rig& after) {
  Character moved = character;
  const std::vector<Net> nets = nets_of(*character, report, before);
  for (std::uint32_t layer = 0; layer < after.layers.size(); ++layer) {
    const auto* surface = after.layers[layer].deformer.get_if<HierarchicalBsplineParameters>();
    const bool same = before.layers[layer].deformer == after.layers[layer].deformer;
    if (surface == nullptr || same) continue;
    const auto net = std::ranges::find(nets, layer, &Net::layer);
    const auto next = vertices_of(*surface);
    if (net == nets.end() || !*next || (*next)->vertices != net->surface.vertices) return std::nullopt;
    for (const NetLevel& level : net->levels) {
      const std::vector<VertexOffset>& moves = (*next)->moves[level.level];
      if (moves == net->surface.moves[level.level]) continue;
      Result<Character> now = move_driver_vertices(moved, level.mesh->name, moves);
      if (!now) return std::nullopt;
      moved = std::move(*now);
    }
  }
  return moved;
}

// Returns the character, bound by `before`, with its points moved as in `after`; none: this needs a new bind.
std::optional<Character> moved_as(const Character& character, const BindReport& report, const Rig& before,
                                  const Rig& after) {
  if (without_moves(before) != without_moves(after)) return std::nullopt;
  std::optional<Character> moved = character;
  for (const MeshReport& mesh : report.meshes) {
    const std::vector<VertexOffset>* offsets = nullptr;
    bool changed = false;
    for (const std::uint32_t layer : mesh.drives) {
      if (after.layers[layer].deformer.name() != SurfaceFfdParameters::kName) continue;
      const auto& own = after.layers[layer].deformer.get<SurfaceFfdParameters>().driver.offsets;
      if (offsets != nullptr && *offsets != own) return std::nullopt;
      changed = changed || own != before.layers[layer].deformer.get<SurfaceFfdParameters>().driver.offsets;
      offsets = &own;
    }
    if (!changed) continue;
    Result<Character> next = move_driver_vertices(*moved, mesh.mesh, *offsets);
    if (!next) return std::nullopt;
    moved = std::move(*next);
  }
  moved = with_moves(*moved, report, before, after);
  for (std::size_t l = 0; moved && l < after.layers.size(); ++l) {
    const auto* own = after.layers[l].deformer.get_if<MosParameters>();
    if (own == nullptr || own->edits == before.layers[l].deformer.get<MosParameters>().edits) continue;
    std::vector<PointReport> points;
    std::ranges::copy_if(report.points, std::back_inserter(points),
                         [l](const PointReport& point) { return point.layer == l; });
    Result<Character> next = mos::slide_points(*moved, points, own->edits);
    if (!next || points.size() != report.points.size()) return std::nullopt;  // layers may share points
    moved = std::move(*next);
  }
  return moved;
}

}  // namespace

// Remembers the rig by which the new subject was bound: the document may have changed meanwhile.
void App::State::remember_rig() {
  shown_rig.reset();
  Result<Rig> rig = parse_rig(stage->subject()->character->rig, "the character");
  if (!rig) return;
  rig->directory = document->rig().directory;
  rig->files = document->rig().files;
  shown_rig = std::move(*rig);
}

// Moves points without a bind, which would take longer than a frame of a drag. Cancels a bind that is then not needed.
bool App::State::move_points() {
  const Actor* subject = stage->subject();
  if (subject == nullptr || !shown_rig) return false;
  std::optional<Character> moved = moved_as(subject->character, subject->report, *shown_rig, document->rig());
  if (!moved) return false;
  Result<Newcomer> newcomer =
      make_newcomer(*device, kSubject, {std::move(*moved), subject->report}, subject->bind_seconds);
  if (!newcomer) return false;
  binder.cancel(kSubject);
  stage->show(std::move(*newcomer));
  ++shown_count;
  requested[kSubject] = document->revision();
  shown_rig = document->rig();
  return true;
}

}  // namespace pelt::viewer
