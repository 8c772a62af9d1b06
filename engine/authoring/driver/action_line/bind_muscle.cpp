// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/action_line/bind_muscle.h"

#include <utility>
#include <vector>

#include <pelt/tools/parallel.h>

#include "engine/authoring/chain/frame_curve.h"
#include "engine/authoring/driver/action_line/line.h"
#include "engine/authoring/rows/table_rows.h"

namespace pelt::action_line {
namespace {

constexpr std::size_t kPieces = 4;  // pieces of the line in which its closest points are searched

}  // namespace

MeshBinding bind(const Muscle& muscle, const Mesh& mesh, const Mesh& line, std::size_t control_mesh, unsigned threads,
                 CharacterBuilder& builder) {
  using chain::FrameCurve;
  const RestLine rest(line.positions);
  const auto fraction = [](std::size_t piece, float lambda) { return (static_cast<float>(piece) + lambda) / kPieces; };
  const FrameCurve curve(std::vector<double>(kPieces, double{rest.length()} / kPieces),
                         [&](std::size_t piece, float lambda) { return rest.frame(fraction(piece, lambda)); });
  std::vector<FrameCurve::Place> places(mesh.positions.size());
  constexpr std::size_t kGrain = 64;
  parallel_for(places.size(), kGrain, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) places[v] = curve.closest(mesh.positions[v]);
  });

  PalettePass pass = rest.make_pass(builder.first_vertex(control_mesh), {muscle.tendon, muscle.volume, muscle.bulge});
  pass.stage = builder.stage_after(control_mesh);
  const std::vector<float> samples = sample_places();
  const TablePiece table{samples, builder.add_pass(std::move(pass))};
  MeshBinding binding;
  std::vector<WeightedElement> row;
  for (std::size_t v = 0; v < places.size(); ++v) {
    row.clear();
    const glm::dvec3 gradient = glm::dvec3(curve.slope(places[v], mesh.positions[v])) / double{rest.length()};
    append_between(table, fraction(places[v].piece, places[v].lambda), 1.0, gradient, row);
    append_row(binding.rows, row, Gradients::kKnown);
    binding.distances.push_back(static_cast<float>(places[v].distance));
  }
  binding.remarks.assign(places.size(), 0);
  return binding;
}

}  // namespace pelt::action_line
