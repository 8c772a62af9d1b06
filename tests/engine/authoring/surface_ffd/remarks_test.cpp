// SPDX-License-Identifier: MIT
// Tests the remarks on vertices that are hard to bind.
#include "tests/engine/authoring/surface_ffd/ffd_rows.h"

namespace pelt {
namespace {

// Returns a model with points at these places, all on `joint`.
Model points_in_cage(const std::vector<glm::vec3>& places, std::uint32_t joint = 1) {
  Model model = test::make_tube_in_cage();
  Mesh points;
  points.name = "tube";
  points.positions = places;
  points.weights = test::rows_on(joint, places.size());
  model.meshes[0] = points;
  return model;
}

VertexRemarks remarks_at(const Model& model, const SurfaceFfdParameters& parameters) {
  const Bound result = test::bound(model, test::rig_of(parameters, "tube"));
  const auto report = std::find_if(result.report.meshes.begin(), result.report.meshes.end(),
                                   [](const MeshReport& r) { return r.mesh == "tube"; });
  EXPECT_EQ(report->remarks.size(), 1u);
  return report->remarks.empty() ? VertexRemarks{0xFF} : report->remarks[0];
}

TEST(Remarks, OfAVertexNearOneSurfaceAreNone) {
  EXPECT_EQ(remarks_at(points_in_cage({{4, 1.3f, 0}}), test::by_cage()), 0);
}

TEST(Remarks, NameWhatIsFar) { EXPECT_EQ(remarks_at(points_in_cage({{4, 50, 3}}), test::by_cage()), kFar); }

TEST(Remarks, NameWhatIsBetweenSheets) {
  const auto sheets = [](float turned) {
    Model model = points_in_cage({{0.5f, 0.02f, 0.4f}});
    Mesh& cage = model.meshes[1];
    cage = {};
    cage.name = "cage";
    for (const float y : {-1.0f, 1.0f}) {
      const auto first = static_cast<std::uint32_t>(cage.positions.size());
      for (const glm::vec3 p : {glm::vec3(-9, y, -9), glm::vec3(9, y, -9), glm::vec3(9, y, 9), glm::vec3(-9, y, 9)}) {
        cage.positions.push_back(p);
        const Influence alone{y > 0 ? 1u : 0u, 1.0f};
        cage.weights.append_row(std::span(&alone, 1));
      }
      const std::uint32_t a = y * turned > 0 ? 2u : 1u;
      cage.triangles.emplace_back(first, first + a, first + 3 - a);
      cage.triangles.emplace_back(first, first + 1 + a, first + 4 - a);
    }
    return model;
  };
  EXPECT_EQ(remarks_at(sheets(1), test::by_cage()), kBetweenSheets);
  EXPECT_EQ(remarks_at(sheets(0), test::by_cage()), kBetweenSheets) << "which face alike, but are apart";
  Model nearer = sheets(1);
  nearer.meshes[0].positions[0].y = 0.6f;
  EXPECT_EQ(remarks_at(nearer, test::by_cage()), 0);
  nearer.meshes[0].positions[0].y = 1.0f;
  EXPECT_EQ(remarks_at(nearer, test::by_cage()), 0) << "on a sheet";
}

// Joint 1 moves no element.
TEST(Remarks, NameWhatIsBeyondAllHops) {
  Model model = points_in_cage({{4, 1.3f, 0}});
  model.meshes[1].weights = test::rows_on(0, model.meshes[1].positions.size());
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.max_hops = 0;
  EXPECT_EQ(remarks_at(model, parameters), kBeyondHops);
  parameters.max_hops = 1;
  EXPECT_EQ(remarks_at(model, parameters), 0);
  // The vertex still follows the nearest elements, as without hops.
  parameters.max_hops = 0;
  const Binding with(model, parameters);
  parameters.max_hops = {};
  EXPECT_EQ(with.rows(true), Binding(model, parameters).rows(true));
}

}  // namespace
}  // namespace pelt
