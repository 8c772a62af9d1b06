// SPDX-License-Identifier: MIT
// Moves points while the character stays bound.
#include <algorithm>
#include <iterator>
#include <utility>

#include <pelt/mos.h>
#include <pelt/move_driver.h>
#include <pelt/rig_json.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/slide_points.h>

#include "samples/viewer/app/app_state.h"

namespace pelt::viewer {
namespace {

// Returns the rig without the edits that move points after bind.
Rig without_moves(Rig rig) {
  for (Layer& layer : rig.layers) {
    if (auto* ffd = layer.deformer.get_if<SurfaceFfdParameters>()) ffd->driver.offsets.clear();
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

// Returns the character, bound by `before`, with its points moved as in `after`; none: this needs a new bind.
std::optional<Character> moved_as(const Character& character, const BindReport& report, const Rig& before,
                                  const Rig& after) {
  if (without_moves(before) != without_moves(after)) return std::nullopt;
  std::optional<Character> moved = character;
  for (const MeshReport& mesh : report.meshes) {
    const std::vector<VertexOffset>* offsets = nullptr;
    bool changed = false;
    for (const std::uint32_t layer : mesh.drives) {
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
  for (std::size_t l = 0; l < after.layers.size(); ++l) {
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
