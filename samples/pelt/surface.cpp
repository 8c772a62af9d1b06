// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include <pelt/evaluate.h>
#include <pelt/tools/file_io.h>
#include <pelt/tools/inspect.h>
#include <pelt/tools/surface_vertices.h>
#include <pelt/try.h>

#include "samples/pelt/commands.h"
#include "samples/pelt/element_weights.h"

namespace pelt::samples {

Result<void> run(const SurfaceCommand& command) {
  PELT_ASSIGN(const auto made, bind_model(command.file, command.binding));
  const auto layer =
      static_cast<std::uint32_t>(std::ranges::find(made.rig.layers, HierarchicalBsplineParameters::kName,
                                                   [](const Layer& one) { return one.deformer.name(); }) -
                                 made.rig.layers.begin());
  PELT_ASSIGN(const auto base,
              within(command.file, hierarchical_bspline::surface_with_base(made.model, made.rig, layer)));
  const std::uint32_t finest = static_cast<std::uint32_t>(std::max<std::size_t>(base.levels.size(), 1)) - 1;
  PELT_ASSIGN(const auto mesh, hierarchical_bspline::surface_mesh(base, command.refine.value_or(finest)));

  const Character& character = made.bound.character;
  PELT_ASSIGN(const auto clip,
              within(command.file, clip_of(character, command.clip, !command.caches.empty(), command.time)));
  PELT_ASSIGN(const auto poser, within(command.file, Poser::create(character, {clip, command.caches, command.fps})));
  note_end(poser.duration(), command.time);
  Evaluator evaluator(character);
  for (const TimedPose& frame : poser.way_to(command.time)) move(evaluator, frame);
  std::vector<glm::vec3> control;  // the stored vertices of all levels, posed
  for (const MeshReport& report : made.bound.report.meshes) {
    const CharacterMesh* level = report.is_driver_of(layer) ? find_mesh(*character, report.mesh) : nullptr;
    if (level != nullptr)
      std::ranges::copy(shifted_positions(*character, *level, evaluator.positions()), std::back_inserter(control));
  }
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (const auto& point : mesh.points) {
    glm::vec3 sum(0.0f);
    for (const auto& [vertex, weight] : point) {
      if (vertex >= control.size())
        return fail(ErrorCode::kNotFound, fmt::format("{}: the skin does not follow the surface", command.file));
      sum += weight * control[vertex];
    }
    fmt::format_to(out, "v {} {} {}\n", sum.x, sum.y, sum.z);
  }
  for (const std::vector<std::uint32_t>& face : mesh.faces) {
    fmt::format_to(out, "f");
    for (const std::uint32_t corner : face) fmt::format_to(out, " {}", corner + 1);
    fmt::format_to(out, "\n");
  }
  PELT_TRY(write_file(command.output, std::as_bytes(std::span(text.data(), text.size()))));
  fmt::print("wrote {}: {} points, {} faces\n", command.output, mesh.points.size(), mesh.faces.size());
  return {};
}

}  // namespace pelt::samples
