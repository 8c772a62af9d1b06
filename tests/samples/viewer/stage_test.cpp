// SPDX-License-Identifier: MIT
#include "samples/viewer/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <pelt/builtin.h>
#include <pelt/mos.h>
#include <pelt/pose.h>
#include <pelt/rig_json.h>
#include <pelt/runtime/read_back.h>
#include <pelt/tools/inspect.h>

#include "samples/viewer/document.h"
#include "samples/viewer/gizmo.h"
#include "samples/viewer/heat_map.h"
#include "samples/viewer/overlay.h"
#include "samples/viewer/pick.h"
#include "tests/samples/viewer/biped.h"
#include "tests/support/gpu.h"
#include "tests/support/tube.h"

namespace pelt::viewer {
namespace {

using test::gpu_device;
using testing::HasSubstr;

class Stages : public testing::Test {
 protected:
  void SetUp() override {
    PELT_REQUIRE_GPU(gpu_device());
    stage_.emplace(*gpu_device());
  }

  Actor& show(const Bound& bound, const std::string& key = "rig") {
    Result<Newcomer> newcomer = make_newcomer(*gpu_device(), key, bound, 1.5);
    EXPECT_TRUE(newcomer) << newcomer.error().message;
    stage_->show(*std::move(newcomer));
    return *stage_->find(key);
  }
  Actor& show(const std::string& deformer, const std::string& key = "rig") { return show(biped(deformer), key); }

  // Poses as the app does, with its background work.
  void pose() {
    for (int i = 0; i < 2; ++i) {
      const Result<void> posed = stage_->pose(view_);
      ASSERT_TRUE(posed) << posed.error().message;
      for (const Stage::Unmeasured& one : stage_->unmeasured()) {
        stage_->measured(one, bounds_of_clip(one.character, one.clip));
      }
    }
  }

  std::optional<Stage> stage_;
  ViewState view_;
};

samples::Bounds whole(const std::vector<samples::Bounds>& boxes) {
  samples::Bounds all;
  for (const samples::Bounds& box : boxes) all.add(box);
  return all;
}

std::uint32_t joint_of(const Actor& actor, const std::string& name) {
  const std::optional<std::uint32_t> joint = actor.character->skeleton.find(name);
  EXPECT_TRUE(joint) << name;
  return joint.value_or(0);
}

bool hangs_on(const Skeleton& skeleton, std::uint32_t joint, std::uint32_t above) {
  std::int32_t j = static_cast<std::int32_t>(joint);
  while (j >= 0 && j != static_cast<std::int32_t>(above)) j = skeleton.joints[static_cast<std::size_t>(j)].parent;
  return j >= 0;
}

TEST_F(Stages, AreEmptyUntilSomethingIsShown) {
  EXPECT_TRUE(stage_->actors().empty());
  EXPECT_EQ(stage_->subject(), nullptr);
  EXPECT_EQ(stage_->reference(), nullptr);
  EXPECT_TRUE(stage_->boxes(view_).empty());
  EXPECT_EQ(stage_->duration(view_), 0);
  EXPECT_TRUE(stage_->pose(view_));
}

TEST_F(Stages, RefuseClipsAndJointsThatAreNotThere) {
  show("linear_blend");
  view_.playback.clip = "wlak";
  Result<void> posed = stage_->pose(view_);
  ASSERT_FALSE(posed);
  EXPECT_THAT(posed.error().message, HasSubstr("did you mean 'walk'"));
  view_.playback.clip.clear();
  view_.turns = {{"no_such_joint", glm::quat(1, 0, 0, 0)}};
  posed = stage_->pose(view_);
  ASSERT_FALSE(posed);
  EXPECT_THAT(posed.error().message, HasSubstr("no_such_joint"));
}

// The poses on the device and on the CPU agree.
TEST_F(Stages, PoseAsTheEvaluatorDoes) {
  for (const char* deformer : kDeformers) {
    const Actor& actor = show(deformer);
    view_.playback.clip = "walk";
    view_.playback.time = 0.4f;
    pose();
    Evaluator evaluator(actor.character);
    const auto poser = samples::Poser::create(actor.character, {.clip = "walk", .caches = {}});
    ASSERT_TRUE(poser);
    const samples::InstancePose expected = poser->at(0.4f);
    evaluator.pose(expected.joints);
    evaluator.inputs(expected.inputs);
    evaluator.evaluate();
    EXPECT_TRUE(std::ranges::equal(evaluator.positions(), stage_->evaluated(actor).positions())) << deformer;
    ASSERT_TRUE(runtime::run(*gpu_device(), stage_->find("rig")->crowd));
    const auto vertices = runtime::read_vertices(*gpu_device(), actor.crowd, 0);
    ASSERT_TRUE(vertices);
    float worst = 0;
    for (std::size_t v = 0; v < vertices->positions.size(); ++v) {
      worst = std::max(worst, glm::distance(vertices->positions[v], evaluator.positions()[v]));
    }
    EXPECT_LT(worst, 1e-4f) << deformer;
  }
}

TEST_F(Stages, TurnAJointAndWhatHangsOnIt) {
  const Actor& actor = show("linear_blend");
  pose();
  const std::vector<glm::mat4> before = actor.pose.joints;
  const Skeleton& skeleton = actor.character->skeleton;
  const Joint& turned = skeleton.joints[skeleton.joints.size() / 2];
  view_.turns = {{turned.name, glm::angleAxis(0.7f, glm::vec3(0, 0, 1))}};
  pose();
  const std::uint32_t joint = joint_of(actor, turned.name);
  for (std::uint32_t j = 0; j < skeleton.joints.size(); ++j) {
    const bool moved = glm::length(before[j][0] - actor.pose.joints[j][0]) > 1e-3f ||
                       glm::length(before[j][1] - actor.pose.joints[j][1]) > 1e-3f;
    EXPECT_EQ(moved, hangs_on(skeleton, j, joint)) << skeleton.joints[j].name;
  }
  EXPECT_LT(glm::distance(glm::vec3(before[joint][3]), glm::vec3(actor.pose.joints[joint][3])), 1e-5f);
}

// The joint matrices are the same; only the twist control differs.
TEST_F(Stages, TellWholeTurnsFromNone) {
  const Actor& actor = show("curve_skeleton");
  const CharacterData& data = *actor.character;
  const auto control = std::ranges::find(data.controls, ControlKind::kTwist, &Control::kind);
  ASSERT_NE(control, data.controls.end());
  const std::string joint = data.skeleton.joints[control->target].name;
  pose();
  EXPECT_EQ(actor.pose.inputs[control->input], 0);
  // The bone's axis is the one for which the control has the greatest turn.
  float most = 0;
  for (const glm::vec3 axis : {glm::vec3(1, 0, 0), glm::vec3(0, 1, 0), glm::vec3(0, 0, 1)}) {
    view_.turns = {{joint, glm::angleAxis(glm::radians(340.0f), axis)}};
    pose();
    most = std::max(most, std::abs(actor.pose.inputs[control->input]));
  }
  EXPECT_GT(most, glm::radians(300.0f));
}

TEST_F(Stages, AdvanceInALoopOrToTheEnd) {
  show("linear_blend");
  view_.playback = {.clip = "walk", .time = 0, .speed = 1, .loop = true, .playing = false};
  stage_->advance(view_, 0.1);
  EXPECT_EQ(view_.playback.time, 0);
  view_.playback.playing = true;
  const float duration = stage_->duration(view_);
  ASSERT_GT(duration, 0.2f);
  stage_->advance(view_, duration + 0.1);
  EXPECT_NEAR(view_.playback.time, 0.1f, 1e-5f);
  view_.playback.speed = -1;
  stage_->advance(view_, 0.2);
  EXPECT_NEAR(view_.playback.time, duration - 0.1f, 1e-5f);
  view_.playback.speed = 2;
  view_.playback.loop = false;
  stage_->advance(view_, 0.02);
  EXPECT_TRUE(view_.playback.playing);
  stage_->advance(view_, 1.0);
  EXPECT_EQ(view_.playback.time, duration);
  EXPECT_FALSE(view_.playback.playing);
}

TEST_F(Stages, StandACrowdOutOfStepWithoutTouching) {
  Actor& actor = show("linear_blend");
  view_.playback = {.clip = "walk", .time = 0.3f};
  view_.instances = 10;
  pose();
  ASSERT_EQ(actor.crowd.instance_count(), 10u);
  ASSERT_EQ(actor.worlds.size(), 10u);
  EXPECT_EQ(actor.worlds[0], glm::mat4(1.0f));
  for (std::size_t i = 0; i < actor.worlds.size(); ++i) {
    EXPECT_EQ(actor.worlds[i][3].y, 0);
    for (std::size_t j = 0; j < i; ++j) {
      const glm::vec3 apart = glm::abs(glm::vec3(actor.worlds[i][3] - actor.worlds[j][3]));
      EXPECT_TRUE(apart.x > actor.bounds.size().x || apart.z > actor.bounds.size().z);
    }
  }
  ASSERT_TRUE(runtime::run(*gpu_device(), actor.crowd));
  const auto first = runtime::read_vertices(*gpu_device(), actor.crowd, 0);
  const auto second = runtime::read_vertices(*gpu_device(), actor.crowd, 1);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->positions, second->positions);
  view_.instances = 1;
  pose();
  EXPECT_EQ(actor.crowd.instance_count(), 1u);
}

TEST_F(Stages, PutWhatIsComparedInARow) {
  show("linear_blend", "linear_blend");
  show("dual_quaternion");
  EXPECT_EQ(stage_->actors().size(), 1u);
  view_.compare.mode = CompareMode::kSideBySide;
  pose();
  ASSERT_EQ(stage_->actors().size(), 2u);
  EXPECT_EQ(stage_->actors()[0]->key, "linear_blend");
  EXPECT_EQ(stage_->actors()[1]->key, "rig");
  EXPECT_EQ(stage_->reference(), stage_->actors()[0]);
  // At any yaw both are equally far from the camera, and further apart than either is wide.
  for (const float yaw : {0.0f, 0.45f, 1.6f, -2.5f}) {
    view_.camera.yaw = yaw;
    stage_->arrange(view_);
    const glm::vec3 between(stage_->actors()[1]->worlds[0][3] - stage_->actors()[0]->worlds[0][3]);
    const glm::vec3 right(std::cos(yaw), 0, -std::sin(yaw));
    const glm::vec3 size = stage_->actors()[0]->bounds.size();
    EXPECT_NEAR(glm::dot(between, right), glm::length(between), 1e-5f) << yaw;
    EXPECT_GT(glm::length(between), std::hypot(size.x, size.z)) << yaw;
  }
  view_.compare.mode = CompareMode::kSplit;
  pose();
  EXPECT_EQ(stage_->actors().size(), 2u);
  EXPECT_EQ(stage_->actors()[0]->worlds[0], stage_->actors()[1]->worlds[0]);
  view_.compare.mode = CompareMode::kDifference;
  pose();
  ASSERT_EQ(stage_->actors().size(), 1u);
  EXPECT_EQ(stage_->actors()[0]->key, "rig");
  EXPECT_NE(stage_->reference(), nullptr);
  stage_->remove("rig");
  EXPECT_TRUE(stage_->actors().empty());
  stage_->remove("linear_blend");
  EXPECT_EQ(stage_->reference(), nullptr);
}

TEST_F(Stages, HoldEveryPoseOfTheClipInTheirBounds) {
  const Actor& actor = show("surface_ffd");
  view_.playback.clip = "walk";
  for (const float time : {0.0f, 0.13f, 0.57f, 0.9f}) {
    view_.playback.time = time;
    pose();
    const samples::Bounds bounds = whole(stage_->boxes(view_));
    const samples::Bounds now = samples::posed_bounds(actor.character, actor.pose);
    EXPECT_TRUE(glm::all(glm::lessThanEqual(bounds.low, now.low)) &&
                glm::all(glm::greaterThanEqual(bounds.high, now.high)))
        << time;
  }
}

// ------------------------------------------------------------------------------------------------------------ picking

constexpr glm::vec2 kSize(1280, 720);

TEST_F(Stages, FindTheVertexThatWasProjected) {
  Actor& actor = show("surface_ffd");
  view_.playback = {.clip = "walk", .time = 0.3f};
  pose();
  actor.worlds[0] = glm::translate(glm::mat4(1.0f), glm::vec3(0.3f, 0.1f, -0.2f));
  const samples::Bounds bounds = whole(stage_->boxes(view_));
  const samples::Camera camera = samples::frame_camera({&bounds, 1}, kSize.x / kSize.y);
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

TEST_F(Stages, FindJoints) {
  const Actor& actor = show("linear_blend");
  pose();
  const samples::Bounds bounds = whole(stage_->boxes(view_));
  const samples::Camera camera = samples::frame_camera({&bounds, 1}, kSize.x / kSize.y);
  const Skeleton& skeleton = actor.character->skeleton;
  const std::uint32_t last = static_cast<std::uint32_t>(skeleton.joints.size() - 1);
  const std::optional<glm::vec2> pixel = pixel_of(camera, kSize, glm::vec3(actor.pose.joints[last][3]));
  ASSERT_TRUE(pixel);
  const std::string found = pick_joint(actor, camera, kSize, *pixel, 3);
  EXPECT_EQ(found, skeleton.joints[last].name);
  EXPECT_EQ(pick_joint(actor, camera, kSize, glm::vec2(-500), 3), "");
}

// ----------------------------------------------------------------------------------------------------------- overlays

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

bool all_finite(glm::vec3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

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

TEST_F(Stages, DrawLinesToWhatMovesTheSelectedVertex) {
  const Actor& actor = show("linear_blend");
  const CharacterMesh& mesh = *std::ranges::find(actor.character->meshes, false, &CharacterMesh::control);
  view_.selection.mesh = mesh.name;
  view_.selection.vertex = 65;
  pose();
  const auto packed = packed_vertex(mesh, 65);
  ASSERT_TRUE(packed);
  const std::vector<VertexInfluence> row = influences_of(mesh, *packed);
  const SparseRows rows = unpack_rows(mesh.binding);
  ASSERT_EQ(row.size(), rows.row(*packed).size());
  float sum = 0;
  for (const VertexInfluence& influence : row) {
    sum += influence.weight;
    EXPECT_EQ(influence.local, mesh.binding.points[*packed]);
  }
  EXPECT_NEAR(sum, 1.0f, 1e-5f);
  const Overlay overlay = make_overlay(*stage_, actor, Rig{}, view_);
  // There is a line to each palette entry, and the normal.
  EXPECT_EQ(overlay.lines.size(), row.size() + 1);
  for (std::size_t k = 0; k < row.size(); ++k) EXPECT_EQ(overlay.lines[k].from, overlay.lines[0].from);
  view_.selection.vertex = 100000000;
  EXPECT_TRUE(make_overlay(*stage_, actor, Rig{}, view_).lines.empty());
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
        for (const VertexInfluence& own : influences_of(mesh, v)) {
          const PosedEntry& element = elements[own.entry];
          ASSERT_TRUE(has_frame(element.kind));
          EXPECT_FALSE(entry_label(*actor.character, own.entry).empty());
          sum += own.weight * transform_point(element.frame, transform_point(element.from_rest, own.local));
        }
        EXPECT_LT(glm::distance(sum, evaluator.positions()[mesh.first_vertex + v]), 2e-4f) << deformer << " " << v;
      }
    }
  }
}

TEST_F(Stages, SayWhereInTheRigAPointIs) {
  const Model model = test::make_tube({.joints = 3});
  Rig rig = *rig_from_deformer_name("mos");
  MosParameters& mos = rig.layers[0].deformer.get<MosParameters>();
  mos.automatic = false;
  MosChain chain{.name = "chain"};
  for (std::size_t j = 0; j < 3; ++j) {
    chain.points.push_back(
        {.name = j == 1 ? "middle" : "", .joint = fmt::format("joint{}", j), .offset = {0.25f, 0.1f, 0}});
  }
  chain.points.push_back({.name = "", .joint = "joint2", .offset = {2.0f, 0.1f, 0}});
  mos.chains.push_back(chain);
  const Result<Bound> bound = bind(model, rig);
  ASSERT_TRUE(bound) << bound.error().message;
  show(*bound);
  view_.shown.control_points = true;
  pose();
  const Overlay overlay = make_overlay(*stage_, *stage_->subject(), rig, view_);
  ASSERT_EQ(overlay.handles.size(), 4u);
  std::set<std::string> pointers;
  for (const Handle& handle : overlay.handles) {
    EXPECT_EQ(handle.kind, HandleKind::kOffset);
    pointers.insert(handle.places.begin(), handle.places.end());
  }
  const nlohmann::json written = nlohmann::json::parse(format_rig(rig));
  for (int p = 0; p < 4; ++p) {
    const std::string pointer = fmt::format("/layers/0/parameters/chains/0/points/{}/offset", p);
    EXPECT_TRUE(pointers.contains(pointer)) << pointer;
    EXPECT_EQ(written.at(nlohmann::json::json_pointer(pointer)).size(), 3u);
  }
  const auto middle = std::ranges::find(overlay.handles, "middle", &Handle::name);
  ASSERT_NE(middle, overlay.handles.end());
  const std::vector<glm::mat4> joints = test::bind_matrices(model);
  EXPECT_LT(glm::distance(middle->position, glm::vec3(joints[1][3]) + glm::vec3(0.25f, 0.1f, 0)), 1e-4f);
  const std::optional<glm::vec2> at = pixel_of({.eye = {4, 0, 12}, .target = {4, 0, 0}}, kSize, middle->position);
  const Handle* picked = pick_handle(overlay, {.eye = {4, 0, 12}, .target = {4, 0, 0}}, kSize, *at, 4);
  ASSERT_NE(picked, nullptr);
  EXPECT_EQ(picked->name, "middle");
}

// Drags a handle over several frames, as the mouse does.
class Drags : public Stages {
 protected:
  void open(const std::string& deformer, const std::string& joint) {
    Result<Document> opened = Document::open("builtin:limb", "", deformer);
    ASSERT_TRUE(opened) << opened.error().message;
    document_ = std::move(*opened);
    view_.shown.control_points = view_.shown.drivers = true;
    view_.turns = {{joint, glm::angleAxis(0.8f, glm::normalize(glm::vec3(1, 2, 3)))}};
    bind_again();
  }

  // Binds without judging, since moving a point may change which skin is left to linear blend.
  void bind_again() {
    Rig rig = document_->rig();
    rig.judging = Judging::kNone;
    Result<Bound> bound = bind(*document_->model(), rig);
    ASSERT_TRUE(bound) << bound.error().message;
    show(*bound);
    pose();
  }

  Handle handle(const std::string& name) {
    view_.selection.point = name;
    const Overlay overlay = make_overlay(*stage_, *stage_->subject(), document_->rig(), view_);
    const auto found = std::ranges::find(overlay.handles, name, &Handle::name);
    EXPECT_NE(found, overlay.handles.end()) << name;
    return found == overlay.handles.end() ? Handle{} : *found;
  }

  // Returns the name of the handle in the middle of the list.
  std::string middle_handle() {
    const Overlay overlay = make_overlay(*stage_, *stage_->subject(), document_->rig(), view_);
    return overlay.handles.empty() ? "" : overlay.handles[overlay.handles.size() / 2].name;
  }

  // Drags along an arrow and returns the way.
  glm::vec3 drag(const Handle& handle, GizmoPart part, float metres) {
    const samples::Camera camera = samples::frame_camera(stage_->boxes(view_), kSize.x / kSize.y);
    const Gizmo gizmo = translate_gizmo(handle, camera, kSize);
    const glm::vec3 axis = gizmo.axes[static_cast<int>(part) - static_cast<int>(GizmoPart::kX)];
    const glm::vec2 from = *pixel_of(camera, kSize, gizmo.position + 0.7f * gizmo.radius * axis);
    const GizmoDrag grabbed{gizmo, hit_gizmo(gizmo, camera, kSize, from, 6), from};
    EXPECT_EQ(grabbed.part, part);
    const nlohmann::json before = document_->rig_json();
    glm::vec3 way(0.0f);
    for (const float share : {0.2f, 0.7f, 1.0f}) {
      const glm::vec2 to = *pixel_of(camera, kSize, gizmo.position + (0.7f * gizmo.radius + share * metres) * axis);
      way = drag_offset(grabbed, camera, kSize, to);
      Result<nlohmann::json> moved = moved_by(before, handle, way);
      EXPECT_TRUE(moved) << moved.error().message;
      const Result<void> edited = document_->edit(std::move(*moved), "move " + handle.name);
      EXPECT_TRUE(edited) << edited.error().message;
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
    glm::vec3 way = drag(first, GizmoPart::kY, 0.4f);
    const nlohmann::json once = document_->rig_json();
    EXPECT_EQ(once.at(nlohmann::json::json_pointer(place)).size(), 1u);
    bind_again();
    EXPECT_LT(glm::distance(handle(name).position, first.position + way), 2e-3f);
    way += drag(handle(name), GizmoPart::kX, 0.3f);
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
  expect_dragged(middle_handle(), HandleKind::kDriverVertex, "/layers/0/parameters/driver/offsets");
}

// ---------------------------------------------------------------------------------------------------------- heat maps

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
        EXPECT_LT(map->high, 1e-3f) << deformer;
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

// After half a turn of twist, linear blend collapses a section to a point; dual quaternion keeps it.
TEST_F(Stages, SeeTheCandyWrapperInTheVolume) {
  const Model limb = make_limb();
  std::map<std::string, float> least;
  for (const std::string deformer : {"linear_blend", "dual_quaternion"}) {
    const Result<Bound> bound = bind(limb, *rig_from_deformer_name(deformer));
    ASSERT_TRUE(bound);
    show(*bound);
    view_.playback = {.clip = "twist", .time = 2.0f};
    pose();
    const auto map = make_heat_map(*gpu_device(), *stage_, *stage_->subject(), {.kind = HeatKind::kVolume});
    ASSERT_TRUE(map) << map.error().message;
    least[deformer] = *std::ranges::min_element(map->values);
  }
  EXPECT_LT(least["linear_blend"], 0.3f);
  EXPECT_GT(least["dual_quaternion"], 0.5f);
}

TEST_F(Stages, RefuseHeatOfNothing) {
  Actor& actor = show("linear_blend");
  pose();
  for (const Heat& heat :
       {Heat{}, Heat{.kind = HeatKind::kElement}, Heat{.kind = HeatKind::kElement, .element = "elbwo"},
        Heat{.kind = HeatKind::kElement, .element = "123456"}, Heat{.kind = HeatKind::kDifference}}) {
    const auto map = make_heat_map(*gpu_device(), *stage_, actor, heat);
    ASSERT_FALSE(map);
    EXPECT_FALSE(map.error().message.empty());
  }
}

// ------------------------------------------------------------------------------------------------------------- gizmos

TEST_F(Stages, TurnAJointByItsRings) {
  const Actor& actor = show("linear_blend");
  view_.playback = {.clip = "walk", .time = 0.2f};
  pose();
  const Skeleton& skeleton = actor.character->skeleton;
  const std::string joint = skeleton.joints[skeleton.joints.size() / 2].name;
  const std::uint32_t number = joint_of(actor, joint);
  const samples::Bounds bounds = whole(stage_->boxes(view_));
  const samples::Camera camera = samples::frame_camera({&bounds, 1}, kSize.x / kSize.y);
  EXPECT_FALSE(rotate_gizmo(actor, "nothing", camera, kSize));
  const std::optional<Gizmo> gizmo = rotate_gizmo(actor, joint, camera, kSize, 70);
  ASSERT_TRUE(gizmo);
  EXPECT_EQ(hit_gizmo(*gizmo, camera, kSize, glm::vec2(0), 6), GizmoPart::kNone);
  const glm::vec2 middle = *pixel_of(camera, kSize, gizmo->position);
  // The outermost ring is the screen's: a quarter round it turns the joint by a quarter about the line of sight.
  const float radius = 1.18f * 70;
  const glm::vec2 from = middle + glm::vec2(radius, 0);
  EXPECT_EQ(hit_gizmo(*gizmo, camera, kSize, from, 6), GizmoPart::kScreen);
  const glm::mat3 before(actor.pose.joints[number]);
  GizmoDrag drag{*gizmo, GizmoPart::kScreen, from};
  for (const float degrees : {30.0f, 120.0f, 200.0f, 300.0f}) {
    const float angle = glm::radians(degrees);
    const glm::quat turn =
        drag_turn(drag, camera, kSize, middle + radius * glm::vec2(std::cos(angle), -std::sin(angle)));
    EXPECT_NEAR(drag.angle, angle, 0.03f);
    pose();
    view_.turns.clear();
    pose();
    set_turn(view_, joint, turned_joint(glm::quat(1, 0, 0, 0), actor.pose.joints[number], actor.worlds[0], turn));
    pose();
    const glm::mat3 expected = glm::mat3_cast(turn) * before;
    for (int k = 0; k < 3; ++k) {
      EXPECT_LT(glm::distance(glm::mat3(actor.pose.joints[number])[k], expected[k]), 1e-3f) << degrees;
    }
  }
  Overlay overlay;
  draw_gizmo(*gizmo, camera, GizmoPart::kX, overlay);
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
  EXPECT_EQ(hit_gizmo(gizmo, camera, kSize, middle + glm::vec2(300, 0), 6), GizmoPart::kNone);
  for (int k = 0; k < 3; ++k) {
    const auto part = static_cast<GizmoPart>(static_cast<int>(GizmoPart::kX) + k);
    const glm::vec2 from = *pixel_of(camera, kSize, gizmo.position + 0.7f * gizmo.radius * gizmo.axes[k]);
    EXPECT_EQ(hit_gizmo(gizmo, camera, kSize, from, 6), part);
    const GizmoDrag drag{gizmo, part, from};
    const glm::vec3 wanted = 0.2f * gizmo.axes[k];
    const glm::vec2 to = *pixel_of(camera, kSize, gizmo.position + 0.7f * gizmo.radius * gizmo.axes[k] + wanted);
    EXPECT_LT(glm::distance(drag_offset(drag, camera, kSize, to), wanted), 0.02f);
  }
  const GizmoDrag drag{gizmo, GizmoPart::kScreen, middle};
  const glm::vec3 moved = drag_offset(drag, camera, kSize, middle + glm::vec2(50, 0));
  EXPECT_NEAR(glm::length(moved), 50 * metres_per_pixel(camera, kSize, gizmo.position), 0.02f);
  EXPECT_NEAR(glm::dot(moved, camera.eye - camera.target), 0, 1e-3f);
}

}  // namespace
}  // namespace pelt::viewer
