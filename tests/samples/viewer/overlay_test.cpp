// SPDX-License-Identifier: MIT
// Tests overlays on characters, and heat colours.
#include "samples/viewer/overlay.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include <pelt/curve_skeleton.h>
#include <pelt/evaluate.h>
#include <pelt/mos.h>
#include <pelt/rig_json.h>
#include <pelt/tools/inspect.h>

#include "samples/viewer/heat_map.h"
#include "tests/samples/viewer/stages.h"
#include "tests/support/driven.h"
#include "tests/support/refused.h"

namespace pelt::viewer {
namespace {

using test::gpu_device;

ViewState everything_shown(const Actor& actor) {
  ViewState view;
  view.playback = {.clip = "walk", .time = 0.35f};
  view.shown = {.wire = true,
                .normals = true,
                .skeleton = true,
                .curves = true,
                .control_points = true,
                .drivers = true,
                .frames = true,
                .influences = true};
  const auto skin = std::ranges::find(actor.character->meshes, false, &CharacterMesh::control);
  view.selection = {.joint = actor.character->skeleton.joints.back().name, .mesh = skin->name, .vertex = 65};
  return view;
}

TEST_F(Stages, DrawOverTheBipedOfEveryDeformer) {
  for (const char* deformer : kDeformers) {
    const Actor& actor = show(deformer);
    view_ = everything_shown(actor);
    pose();
    const Rig rig = *rig_from_deformer_name(deformer);
    const Overlay overlay = make_overlay(*stage_, actor, rig, view_);
    samples::Bounds around = whole(stage_->boxes(view_));
    around.low -= around.size();
    around.high += 0.5f * around.size();
    const auto inside = [&](glm::vec3 v) {
      return all_finite(v) && glm::all(glm::greaterThan(v, around.low)) && glm::all(glm::lessThan(v, around.high));
    };
    for (const samples::OverlayLine& line : overlay.lines) {
      ASSERT_TRUE(inside(line.from) && inside(line.to)) << deformer;
      ASSERT_TRUE(line.width > 0 && line.color.a > 0 && line.color.a <= 1) << deformer;
    }
    for (const samples::OverlayDot& dot : overlay.dots) ASSERT_TRUE(inside(dot.at)) << deformer;
    std::set<std::string> names;
    for (const Handle& handle : overlay.handles) {
      EXPECT_TRUE(names.insert(handle.name).second) << handle.name;
      EXPECT_TRUE(inside(handle.position)) << handle.name;
      const bool moves = handle.kind != HandleKind::kFixed;
      // This rig lists no points and names no curves; a driver's vertices get their places in the rig only when
      // selected.
      EXPECT_EQ(moves, std::string(deformer) == "mos") << handle.name;
      EXPECT_EQ(handle.places.size(), moves ? 1u : 0u) << handle.name;
    }
    const std::string name = deformer;
    const bool has_handles = name == "surface_ffd" || name == "curve_skeleton" || name == "mos";
    EXPECT_EQ(!overlay.handles.empty(), has_handles) << deformer;
    // With nothing to show, nothing is drawn.
    view_.shown = {};
    view_.selection = {};
    const Overlay none = make_overlay(*stage_, actor, rig, view_);
    EXPECT_TRUE(none.lines.empty() && none.dots.empty() && none.handles.empty()) << deformer;
  }
}

// A drag of a listed point or a curve changes the offset that the rig gives it.
TEST_F(Stages, HandlesLeadToOffsetsThatTheRigLists) {
  MosParameters points;
  points.automatic = false;
  points.chains = {
      {"own", {{"first", "joint0", {1, 0, 0}}, {"second", "joint1", {1, 0.5f, 0}}, {"", "joint1", {2, 0.5f, 0}}}, {}}};
  CurveSkeletonParameters curves;
  curves.automatic = false;
  curves.curves = {{"own", {"joint0", "joint1"}, {0, 0.2f, 0}}};
  view_.shown = {.curves = true, .control_points = true};
  const std::vector<std::pair<DeformerParameters, std::map<std::string, std::string>>> cases{
      {points,
       {{"first", "/layers/0/parameters/chains/0/points/0/offset"},
        {"second", "/layers/0/parameters/chains/0/points/1/offset"},
        {"point joint1", "/layers/0/parameters/chains/0/points/2/offset"}}},
      {curves,
       {{"anchor joint0", "/layers/0/parameters/curves/0/offset"},
        {"anchor joint1", "/layers/0/parameters/curves/0/offset"},
        {"anchor joint1 #2", "/layers/0/parameters/curves/0/offset"}}}};  // the curve's tip
  for (const auto& [deformer, expected] : cases) {
    const Rig rig = test::rig_of(deformer);
    const Actor& actor = show(test::bound(test::make_tube(), rig));
    pose();
    std::map<std::string, std::string> places;
    for (const Handle& handle : make_overlay(*stage_, actor, rig, view_).handles) {
      ASSERT_EQ(handle.kind, HandleKind::kOffset) << handle.name;
      ASSERT_EQ(handle.places.size(), 1u);
      places[handle.name] = handle.places[0];
      const auto json = nlohmann::json::parse(format_rig(rig));
      EXPECT_NE(test::must(moved_by(json, handle, {0, 0.1f, 0})), json) << handle.name;
    }
    EXPECT_EQ(places, expected);
  }
}

// Moves each local point with its element's own frame: the weighted sum must be the vertex.
TEST_F(Stages, GiveElementsTheirFrames) {
  for (const char* deformer : {"linear_blend", "surface_ffd", "curve_skeleton", "mos"}) {
    const Actor& actor = show(deformer);
    view_.playback = {.clip = "walk", .time = 0.35f};
    pose();
    const Evaluator& evaluator = stage_->evaluated(actor);
    const std::vector<PosedEntry> elements = posed_entries(actor.character, evaluator, actor.pose.joints);
    for (const CharacterMesh& mesh : actor.character->meshes) {
      if (mesh.control || mesh.mode == BlendMode::kDualQuaternion) continue;
      for (std::uint32_t v = 0; v < mesh.vertex_count(); v += 63) {
        glm::vec3 sum(0.0f);
        for (const VertexInfluence& influence : influences_of(mesh, v)) {
          const PosedEntry& element = elements[influence.entry];
          ASSERT_TRUE(has_frame(element.kind));
          EXPECT_FALSE(entry_label(*actor.character, influence.entry).empty());
          sum += influence.weight * transform_point(element.frame, transform_point(element.from_rest, influence.local));
        }
        EXPECT_LT(glm::distance(sum, evaluator.positions()[mesh.first_vertex + v]), 2e-4f) << deformer << " " << v;
      }
    }
  }
}

TEST_F(Stages, MapEveryKindOfHeatForEveryDeformer) {
  show("linear_blend", "linear_blend");
  for (const char* deformer : kDeformers) {
    Actor& actor = show(deformer);
    view_.playback = {.clip = "walk", .time = 0.35f};
    view_.compare = {.mode = CompareMode::kDifference, .deformers = {"linear_blend"}};
    pose();
    const std::string joint = actor.character->skeleton.joints[2].name;
    for (const HeatKind kind : {HeatKind::kElement, HeatKind::kInfluences, HeatKind::kDistance, HeatKind::kStretch,
                                HeatKind::kVolume, HeatKind::kGpuError, HeatKind::kDifference}) {
      const auto map = make_heat_map(*gpu_device(), *stage_, actor, {.kind = kind, .element = joint});
      const bool driven = std::string(deformer) != "linear_blend" && std::string(deformer) != "dual_quaternion";
      if (kind == HeatKind::kDistance && !driven) {
        ASSERT_FALSE(map);
        continue;
      }
      ASSERT_TRUE(map) << deformer << ": " << map.error().message;
      ASSERT_EQ(map->values.size(), actor.character->vertex_count());
      EXPECT_FALSE(map->title.empty());
      EXPECT_LT(map->low, map->high);
      for (const float value : map->values) ASSERT_TRUE(std::isfinite(value)) << deformer << " " << map->title;
      for (const float share : map->shares()) ASSERT_TRUE(share >= 0 && share <= 1);
      EXPECT_LT(map->worst, map->values.size());
      if (kind == HeatKind::kGpuError) {
        EXPECT_LT(*std::ranges::max_element(map->values), 1e-4f) << deformer;
      }
      if (kind == HeatKind::kDifference) {
        EXPECT_EQ(map->values[map->worst] == 0, !driven && std::string(deformer) == "linear_blend") << deformer;
      }
    }
  }
}

TEST_F(Stages, FindNoStretchAtRest) {
  for (const char* deformer : {"linear_blend", "surface_ffd"}) {
    Actor& actor = show(deformer);
    pose();
    for (const HeatKind kind : {HeatKind::kStretch, HeatKind::kVolume}) {
      const auto map = make_heat_map(*gpu_device(), *stage_, actor, {.kind = kind});
      ASSERT_TRUE(map);
      for (const CharacterMesh& mesh : actor.character->meshes) {
        for (std::uint32_t v = 0; !mesh.control && v < mesh.vertex_count(); ++v) {
          ASSERT_NEAR(map->values[mesh.first_vertex + v], 1.0f, 0.02f) << deformer << " " << map->title;
        }
      }
    }
  }
}

TEST_F(Stages, RefuseHeatOfNothing) {
  Actor& actor = show("linear_blend");
  pose();
  for (const Heat& heat :
       {Heat{}, Heat{.kind = HeatKind::kElement}, Heat{.kind = HeatKind::kElement, .element = "elbwo"},
        Heat{.kind = HeatKind::kElement, .element = "123456"}, Heat{.kind = HeatKind::kDifference}}) {
    EXPECT_NE(test::error_of(make_heat_map(*gpu_device(), *stage_, actor, heat)), "");
  }
}

}  // namespace
}  // namespace pelt::viewer
