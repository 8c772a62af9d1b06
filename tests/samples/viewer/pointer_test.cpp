// SPDX-License-Identifier: MIT
// Tests picking and dragging with the pointer.
#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include <pelt/evaluate.h>
#include <pelt/rig_json.h>
#include <pelt/tools/inspect.h>

#include "samples/viewer/document.h"
#include "samples/viewer/gizmo.h"
#include "samples/viewer/heat_map.h"
#include "samples/viewer/overlay.h"
#include "samples/viewer/pick.h"
#include "tests/samples/viewer/limb_surface.h"
#include "tests/samples/viewer/stages.h"
#include "tests/support/driven.h"
#include "tests/support/program.h"
#include "tests/support/tube.h"
#include "tests/support/tube_surface.h"

namespace pelt::viewer {
namespace {

using testing::HasSubstr;

TEST_F(Stages, FindTheVertexThatWasProjected) {
  Actor& actor = show("surface_ffd");
  view_.playback = {.clip = "walk", .time = 0.3f};
  pose();
  actor.worlds[0] = glm::translate(glm::mat4(1.0f), glm::vec3(0.3f, 0.1f, -0.2f));
  const samples::Camera camera = this->camera();
  const Evaluator& evaluator = stage_->evaluated(actor);
  int seen = 0;
  for (const CharacterMesh& mesh : actor.character->meshes) {
    for (std::uint32_t v = 0; !mesh.control && v < mesh.vertex_count(); v += 37) {
      const glm::vec3 point(actor.worlds[0] * glm::vec4(evaluator.positions()[mesh.first_vertex + v], 1.0f));
      const std::optional<glm::vec2> pixel = pixel_of(camera, kSize, point);
      ASSERT_TRUE(pixel);
      EXPECT_LT(glm::distance(*pixel, samples::project(camera, 1280, 720, point)), 0.05f);
      const std::optional<VertexHit> hit = pick_vertex(*stage_, actor, ray_through(camera, kSize, *pixel));
      // Hidden vertices are not hit, nor are those on the outline.
      if (!hit || glm::distance(hit->position, point) > 0.04f) continue;
      ++seen;
      const auto found = std::ranges::find(actor.character->meshes, hit->mesh, &CharacterMesh::name);
      const auto packed = std::ranges::find(found->source_vertex, hit->vertex) - found->source_vertex.begin();
      const glm::vec3 at = evaluator.positions()[found->first_vertex + static_cast<std::uint32_t>(packed)];
      EXPECT_LT(glm::distance(glm::vec3(actor.worlds[0] * glm::vec4(at, 1.0f)), hit->position), 1e-5f);
      const std::optional<glm::vec2> hit_pixel = pixel_of(camera, kSize, hit->position);
      EXPECT_LT(glm::distance(*hit_pixel, *pixel), 8.0f);
    }
  }
  EXPECT_GT(seen, 20);
}

TEST_F(Stages, MissBesideTheSkinAndBehindTheCamera) {
  const Actor& actor = show("linear_blend");
  pose();
  EXPECT_FALSE(pick_vertex(*stage_, actor, {glm::vec3(0, 50, 5), glm::vec3(0, 0, -1)}));
  EXPECT_FALSE(pick_vertex(*stage_, actor, {glm::vec3(0, 1, 5), glm::vec3(0, 0, 1)}));
  EXPECT_FALSE(pixel_of({}, kSize, glm::vec3(0, 1, 5)));
}

TEST_F(Stages, FindJointsAndPoints) {
  const Actor& actor = show("linear_blend");
  pose();
  const samples::Camera camera = this->camera();
  const Skeleton& skeleton = actor.character->skeleton;
  const std::uint32_t last = static_cast<std::uint32_t>(skeleton.joints.size() - 1);
  const std::optional<glm::vec2> pixel = pixel_of(camera, kSize, glm::vec3(actor.pose.joints[last][3]));
  ASSERT_TRUE(pixel);
  const std::string found = pick_joint(actor, camera, kSize, *pixel, 3);
  EXPECT_EQ(found, skeleton.joints[last].name);
  EXPECT_EQ(pick_joint(actor, camera, kSize, glm::vec2(-500), 3), "");
  Overlay overlay;
  for (const std::uint32_t j : {0u, last}) overlay.handles.push_back({.position = glm::vec3(actor.pose.joints[j][3])});
  EXPECT_EQ(pick_handle(overlay, camera, kSize, *pixel, 3), &overlay.handles[1]);
  EXPECT_EQ(pick_handle(overlay, camera, kSize, glm::vec2(-500), 3), nullptr);
}

// Parts of gizmos.
constexpr std::size_t kX = 0;
constexpr std::size_t kY = 1;

// Drags a handle over several frames, as the mouse does.
class Drags : public Stages {
 protected:
  void open(const std::string& deformer, const std::string& joint) {
    document_.emplace(test::must(Document::open("builtin:limb", "", deformer)));
    view_.shown.control_points = view_.shown.drivers = true;
    view_.turns = {{joint, glm::angleAxis(0.8f, glm::normalize(glm::vec3(1, 2, 3)))}};
    bind_again();
  }

  // Opens the limb with a surface of three levels, whose level `level` is dragged.
  void open_surface(std::uint32_t level) {
    const std::string file = folder_.write("rig.json", format_rig(limb_surface())).string();
    document_.emplace(test::must(Document::open(file, "builtin:limb")));
    view_.shown.control_nets = true;
    view_.surfaces.level = level;
    view_.turns = {{"joint", glm::angleAxis(0.8f, glm::normalize(glm::vec3(1, 2, 3)))}};
    bind_again();
  }

  // Binds without the check at bind, since moving a point may change which skin falls back to linear blend.
  void bind_again() {
    Rig rig = document_->rig();
    rig.check = CheckMode::kNone;
    show(test::bound(*document_->model(), rig));
    pose();
  }

  Handle handle(const std::string& name) {
    view_.selection.point = name;
    const Overlay overlay = make_overlay(*stage_, *stage_->subject(), document_->rig(), view_);
    const Handle* found = overlay.find(name);
    EXPECT_NE(found, nullptr) << name;
    return found == nullptr ? Handle{} : *found;
  }

  // Returns the name of the handle in the middle of the list.
  std::string middle_handle() {
    const Overlay overlay = make_overlay(*stage_, *stage_->subject(), document_->rig(), view_);
    return overlay.handles.empty() ? "" : overlay.handles[overlay.handles.size() / 2].name;
  }

  // Drags along an arrow and returns the way.
  glm::vec3 drag(const Handle& handle, std::size_t part, float metres) {
    const samples::Camera camera = this->camera();
    const Gizmo gizmo = translate_gizmo(handle, camera, kSize);
    const glm::vec3 axis = gizmo.parts[part].axis;
    const glm::vec2 from = *pixel_of(camera, kSize, gizmo.position + 0.7f * gizmo.radius * axis);
    EXPECT_EQ(hit_gizmo(gizmo, camera, kSize, from, 6), part);
    const GizmoDrag grabbed{gizmo, part, from};
    const nlohmann::json before = document_->rig_json();
    glm::vec3 way(0.0f);
    for (const float share : {0.2f, 0.7f, 1.0f}) {
      const glm::vec2 to = *pixel_of(camera, kSize, gizmo.position + (0.7f * gizmo.radius + share * metres) * axis);
      way = drag_offset(grabbed, camera, kSize, to);
      nlohmann::json moved = test::must(moved_by(before, handle, way));
      test::must(document_->edit(std::move(moved), "move " + handle.name));
    }
    document_->end_edit();
    EXPECT_NEAR(glm::length(way), metres, 0.3f * metres);
    return way;
  }

  std::vector<glm::vec3> skin() {
    const Actor& actor = *stage_->subject();
    std::vector<glm::vec3> points;
    for (const CharacterMesh& mesh : actor.character->meshes) {
      if (mesh.control) continue;
      points.resize(mesh.vertex_count());
      to_source_order<glm::vec3>(mesh, stage_->evaluated(actor).positions(), points);
    }
    return points;
  }

  // Drags a handle twice; the rig then holds the offset at `place`.
  void expect_dragged(const std::string& name, HandleKind kind, const std::string& place) {
    const nlohmann::json original = document_->rig_json();
    const std::vector<glm::vec3> before = skin();
    const Handle first = handle(name);
    ASSERT_EQ(first.kind, kind) << name;
    glm::vec3 way = drag(first, kY, 0.4f);
    const nlohmann::json once = document_->rig_json();
    EXPECT_EQ(once.at(nlohmann::json::json_pointer(place)).size(), 1u);
    bind_again();
    EXPECT_LT(glm::distance(handle(name).position, first.position + way), 2e-3f);
    way += drag(handle(name), kX, 0.3f);
    EXPECT_EQ(document_->rig_json().at(nlohmann::json::json_pointer(place)).size(), 1u) << "found again";
    bind_again();
    EXPECT_LT(glm::distance(handle(name).position, first.position + way), 2e-3f);

    // The skin moves the same way; look at the vertex that moves farthest.
    const std::vector<glm::vec3> after = skin();
    ASSERT_EQ(after.size(), before.size());
    glm::vec3 farthest(0.0f);
    for (std::size_t v = 0; v < after.size(); ++v) {
      if (glm::length(after[v] - before[v]) > glm::length(farthest)) farthest = after[v] - before[v];
    }
    EXPECT_GT(glm::length(farthest), 0.1f * glm::length(way));
    EXPECT_GT(glm::dot(farthest, way), 0.9f * glm::length(farthest) * glm::length(way));

    document_->undo();
    EXPECT_EQ(document_->rig_json(), once);
    document_->undo();
    EXPECT_EQ(document_->rig_json(), original);
    EXPECT_FALSE(document_->can_undo());
  }

  test::TemporaryFolder folder_;
  std::optional<Document> document_;
};

TEST_F(Drags, MovePlacedPoints) {
  open("mos", "joint");
  const std::string name = middle_handle();
  EXPECT_THAT(name, HasSubstr("root..joint."));
  expect_dragged(name, HandleKind::kPointEdit, "/layers/0/parameters/edits");
}

TEST_F(Drags, MoveDriverVertices) {
  open("surface_ffd", "joint");
  expect_dragged(middle_handle(), HandleKind::kVertexOffset, "/layers/0/parameters/driver/offsets");
}

// A vertex of each level: of the base by a part of a joint, one that follows the level before, one that follows a joint
// though the level before does not, and one of the finest level.
TEST_F(Drags, MoveControlVerticesOfEveryLevelWithTheSkin) {
  open_surface(0);
  expect_dragged("surface vertex 42", HandleKind::kVertexOffset, "/layers/0/parameters/levels/0/moves");
  open_surface(1);
  expect_dragged("surface level 1 vertex 114", HandleKind::kVertexOffset, "/layers/0/parameters/levels/1/moves");
  expect_dragged("surface level 1 vertex 154", HandleKind::kVertexOffset, "/layers/0/parameters/levels/1/moves");
  open_surface(2);
  expect_dragged("surface level 2 vertex 486", HandleKind::kVertexOffset, "/layers/0/parameters/levels/2/moves");
  drag(handle("surface level 2 vertex 486"), kY, 0.4f);
  bind_again();
  const auto error =
      test::must(make_heat_map(*test::gpu_device(), *stage_, *stage_->subject(), {.kind = HeatKind::kGpuError}));
  EXPECT_LT(*std::ranges::max_element(error.values), 1e-4f);
}

// A drag that fits the surface to the skin moves the control vertex just so, also in a pose, and the skin stays at
// bind.
TEST_F(Drags, FitASurfaceToTheSkin) {
  for (const auto& [level, name] : {std::pair(0u, "surface vertex 42"), std::pair(1u, "surface level 1 vertex 114"),
                                    std::pair(1u, "surface level 1 vertex 154")}) {
    open_surface(level);
    view_.surfaces.fit = true;
    const std::vector<JointTurn> turns = view_.turns;
    const Handle first = handle(name);
    const glm::vec3 way = drag(first, kY, 0.4f);
    bind_again();
    EXPECT_LT(glm::distance(handle(name).position, first.position + way), 2e-3f) << name;
    view_.turns.clear();
    pose();
    const std::vector<glm::vec3> rest = skin();
    const Mesh& mesh = document_->model()->meshes.front();
    for (std::size_t v = 0; v < rest.size(); ++v) EXPECT_LT(glm::distance(rest[v], mesh.positions[v]), 1e-4f);
    document_->undo();
    EXPECT_FALSE(document_->can_undo());
  }
}

TEST_F(Stages, DrawTheNetOfEveryLevel) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  test::add_overlays(surface);
  surface.levels[1].limits = {{.joint = "joint1", .distance = 0.1f, .vertices = {{7 * 16 + 2, 7 * 16 + 2}}}};
  const Actor& actor = show(test::bound(test::make_tube(), test::rig_of(surface)));
  view_.shown = {.control_nets = true};
  pose();
  std::set<std::string> names;
  for (std::uint32_t level = 0; level < 3; ++level) {
    view_.surfaces.level = level;
    const Overlay overlay = make_overlay(*stage_, actor, test::rig_of(surface), view_);
    const std::size_t lines = 10u * 8 + 11 * 8 + 2;  // of level 0, and of the three vertices in a row on level 1
    EXPECT_EQ(overlay.lines.size(), lines);
    EXPECT_EQ(overlay.handles.size(), level == 0 ? 88u : level == 1 ? 5u : 1u);
    for (const Handle& handle : overlay.handles) {
      EXPECT_TRUE(names.insert(handle.name).second) << handle.name;
      ASSERT_TRUE(handle.surface);
      EXPECT_EQ(handle.surface->level, level);
    }
  }
  EXPECT_TRUE(names.contains("surface vertex 0"));
  EXPECT_TRUE(names.contains("surface level 1 vertex 114"));
  EXPECT_TRUE(names.contains("surface level 2 vertex 486"));
  EXPECT_NE(net_color(0), net_color(1));
  EXPECT_NE(net_color(1), net_color(2));
  // The rig may be newer: a net of other vertices waits for the next bind.
  surface.levels[1].offsets.pop_back();
  view_.surfaces.level = 0;
  EXPECT_TRUE(make_overlay(*stage_, actor, test::rig_of(surface), view_).handles.empty());
}

TEST_F(Stages, TurnAJointByItsRings) {
  const Actor& actor = show("linear_blend");
  view_.playback = {.clip = "walk", .time = 0.2f};
  pose();
  const Skeleton& skeleton = actor.character->skeleton;
  const std::string joint = skeleton.joints[skeleton.joints.size() / 2].name;
  const std::uint32_t number = joint_of(actor, joint);
  const samples::Camera camera = this->camera();
  EXPECT_FALSE(rotate_gizmo(actor, "nothing", camera, kSize));
  const std::optional<Gizmo> gizmo = rotate_gizmo(actor, joint, camera, kSize, 70);
  ASSERT_TRUE(gizmo);
  EXPECT_FALSE(hit_gizmo(*gizmo, camera, kSize, glm::vec2(0), 6));
  const glm::vec2 middle = *pixel_of(camera, kSize, gizmo->position);
  // The outermost ring is the screen's: the mouse's way along it is the arc of a turn about the line of sight.
  const float radius = 1.18f * 70;
  const glm::vec2 from = middle + glm::vec2(radius, 0);
  EXPECT_EQ(hit_gizmo(*gizmo, camera, kSize, from, 6), Gizmo::kScreen);
  const glm::mat3 before(actor.pose.joints[number]);
  const GizmoDrag drag{*gizmo, Gizmo::kScreen, from};
  for (const float angle : {0.5f, -2.0f, 4.0f}) {
    const glm::quat turn = drag_turn(drag, camera, kSize, from + glm::vec2(0, -radius * angle));
    const glm::quat expected = glm::angleAxis(angle, glm::normalize(camera.eye - camera.target));
    EXPECT_GT(std::abs(glm::dot(turn, expected)), std::cos(0.05f)) << angle;
    set_turn(view_, joint, turned_joint(glm::quat(1, 0, 0, 0), *gizmo, turn));
    pose();
    for (int k = 0; k < 3; ++k) {
      const glm::vec3 axis = (glm::mat3_cast(turn) * before)[k];
      EXPECT_LT(glm::distance(glm::mat3(actor.pose.joints[number])[k], axis), 1e-3f) << angle;
    }
  }
  Overlay overlay;
  draw_gizmo(*gizmo, kX, overlay);
  EXPECT_GT(overlay.lines.size(), 60u);
  for (const samples::OverlayLine& line : overlay.lines) EXPECT_TRUE(all_finite(line.from) && all_finite(line.to));
  set_turn(view_, joint, glm::quat(1, 0, 0, 0));
  EXPECT_TRUE(view_.turns.empty());
}

TEST(Gizmos, MoveAlongTheirArrows) {
  const samples::Camera camera{.eye = {2, 3, 4}, .target = {0, 1, 0}};
  const Handle handle{.name = "point", .position = {0.1f, 1.1f, -0.2f}};
  const Gizmo gizmo = translate_gizmo(handle, camera, kSize, 80);
  const glm::vec2 middle = *pixel_of(camera, kSize, gizmo.position);
  EXPECT_FALSE(hit_gizmo(gizmo, camera, kSize, middle + glm::vec2(300, 0), 6));
  for (std::size_t part = 0; part < Gizmo::kScreen; ++part) {
    const glm::vec3 axis = gizmo.parts[part].axis;
    const glm::vec2 from = *pixel_of(camera, kSize, gizmo.position + 0.7f * gizmo.radius * axis);
    EXPECT_EQ(hit_gizmo(gizmo, camera, kSize, from, 6), part);
    const glm::vec2 to = *pixel_of(camera, kSize, gizmo.position + (0.7f * gizmo.radius + 0.2f) * axis);
    EXPECT_LT(glm::distance(drag_offset({gizmo, part, from}, camera, kSize, to), 0.2f * axis), 0.02f);
  }
  const GizmoDrag drag{gizmo, Gizmo::kScreen, middle};
  const glm::vec3 moved = drag_offset(drag, camera, kSize, middle + glm::vec2(50, 0));
  EXPECT_NEAR(glm::length(moved), 50 * metres_per_pixel(camera, kSize, gizmo.position), 0.02f);
  EXPECT_NEAR(glm::dot(moved, camera.eye - camera.target), 0, 1e-3f);
}

}  // namespace
}  // namespace pelt::viewer
