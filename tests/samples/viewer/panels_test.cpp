// SPDX-License-Identifier: MIT
#include "samples/viewer/panels/panels.h"

#include <imgui.h>

#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <pelt/linear_blend.h>
#include <pelt/rig_json.h>

#include "samples/viewer/overlay.h"
#include "samples/viewer/surface_net.h"
#include "tests/samples/viewer/biped.h"
#include "tests/samples/viewer/limb_surface.h"
#include "tests/samples/viewer/no_window.h"
#include "tests/support/gpu.h"
#include "tests/support/morphs.h"
#include "tests/support/must.h"
#include "tests/support/program.h"
#include "tests/support/tube.h"

namespace pelt::viewer {
namespace {

using test::gpu_device;

struct NamedPanel {
  const char* name;
  void (*draw)(Context&);
};
constexpr std::array kPanels{NamedPanel{"skeleton", draw_skeleton_panel}, NamedPanel{"vertex", draw_vertex_panel},
                             NamedPanel{"heat", draw_heat_panel},         NamedPanel{"report", draw_report_panel},
                             NamedPanel{"view", draw_view_options},       NamedPanel{"measure", draw_measure_panel}};

// Dear ImGui without a window, and a stage for the panels.
class Frames : public testing::Test {
 protected:
  void SetUp() override {
    PELT_REQUIRE_GPU(gpu_device());
    begin(1.0f);
    stage_.emplace(*gpu_device());
    timings_ = {
        .gpu = {{"linear blend: pose linear_blend and more than there is room for", 0.00123}, {"shadows", 0.0042}},
        .cpu_pose = 0.0011,
        .cpu_frame = 0.0123,
        .frames = std::vector<float>(240, 0.016f),
        .device = "a device of a name that is long enough to need more room than there is"};
  }

  void begin(float scale) {
    ui_.reset();
    ui_.emplace(ImVec2(1280 * scale, 720 * scale), scale);
    scale_ = scale;
  }

  void show(const Bound& bound) {
    stage_->show(test::must(make_newcomer(*gpu_device(), "rig", bound, 1.5)));
    ASSERT_TRUE(stage_->pose(view_));
  }

  // Opens a rig on the built-in limb and shows it.
  void open(const Rig& rig) {
    const test::TemporaryFolder folder;
    const std::string file = folder.write("rig.json", format_rig(rig)).string();
    document_.emplace(test::must(Document::open(file, "builtin:limb")));
    view_.shown.control_nets = true;
    bind();
  }

  void bind() {
    show(test::bound(*document_->model(), document_->rig()));
    overlay_ = make_overlay(*stage_, *stage_->subject(), document_->rig(), view_);
  }

  // Clicks in a panel of this size.
  void click(const std::function<void(Context&)>& panel, glm::vec2 size, glm::vec2 at) {
    ui_->click({at.x, at.y}, [&] { draw(panel, size); });
  }

  void mouse(const std::function<void(Context&)>& panel, glm::vec2 size, glm::vec2 at, bool down) {
    ImGui::GetIO().MousePos = {at.x, at.y};
    ImGui::GetIO().MouseDown[0] = down;
    draw(panel, size);
  }

  void click_surface_panel(glm::vec2 at) { click(draw_surface_panel, {320, 700}, at); }

  void draw(const std::function<void(Context&)>& panel, glm::vec2 size) {
    Context context{view_, document_, *stage_, binder_, heat_, overlay_, timings_, messages_, rig_editor_};
    ui_->frame({size.x * scale_, size.y * scale_}, [&] {
      panel(context);
      beyond_ = ImGui::GetScrollMaxX();
    });
    const ImDrawData& data = *ImGui::GetDrawData();
    EXPECT_TRUE(data.Valid);
    for (int l = 0; l < data.CmdListsCount; ++l) {
      for (const ImDrawVert& vertex : data.CmdLists[l]->VtxBuffer) {
        ASSERT_TRUE(std::isfinite(vertex.pos.x) && std::isfinite(vertex.pos.y));
      }
    }
  }

  std::optional<NoWindow> ui_;
  std::optional<Stage> stage_;
  ViewState view_;
  std::optional<Document> document_;
  Binder binder_;
  std::optional<HeatMap> heat_;
  Overlay overlay_;
  Timings timings_;
  Messages messages_;
  RigEditorState rig_editor_;
  float scale_ = 1;
  float beyond_ = 0;  // width of contents beyond the panel's
};

TEST_F(Frames, SayThatNothingIsShown) {
  for (const auto& [name, panel] : kPanels) {
    for (int frame = 0; frame < 2; ++frame) draw(panel, {320, 700});
    EXPECT_EQ(beyond_, 0) << name;
  }
  draw(draw_timeline, {1280, 80});
}

// A click on a location of the report shows its pose; the tab itself changes nothing.
TEST_F(Frames, ShowALocationOfTheReportAfterAClick) {
  open(*rig_from_deformer_name("surface-ffd"));
  view_.playback = {.clip = "twist", .playing = true};
  for (int frame = 0; frame < 2; ++frame) draw(draw_report_panel, {320, 700});
  EXPECT_TRUE(view_.playback.playing);
  for (float y = 180; view_.panels.place == 0 && y < 280; y += 6) click(draw_report_panel, {320, 700}, {19, y});
  EXPECT_EQ(view_.panels.place, 1u);
  EXPECT_FALSE(view_.playback.playing);
  EXPECT_EQ(view_.selection.mesh, "limb");
}

// At both scales, nothing is wider than a panel of 320.
TEST_F(Frames, FitEveryDeformersPanels) {
  for (const float scale : {1.0f, 2.0f}) {
    begin(scale);
    for (const char* deformer : kDeformers) {
      view_ = {};
      view_.playback.clip = "walk";
      show(biped(deformer));
      const Actor& actor = *stage_->subject();
      for (const CharacterMesh& mesh : actor.character->meshes) {
        if (!mesh.control) view_.selection.mesh = mesh.name;
      }
      view_.selection.vertex = 40;
      view_.selection.joint = actor.character->skeleton.joints[3].name;
      view_.turns = {{view_.selection.joint, glm::angleAxis(0.5f, glm::vec3(0, 1, 0))}};
      view_.compare.mode = CompareMode::kSplit;
      view_.heat = {.kind = HeatKind::kVolume, .automatic = false, .low = 0.5f, .high = 1.5f};
      ASSERT_TRUE(stage_->pose(view_));
      auto heat = make_heat_map(*gpu_device(), *stage_, actor, view_.heat);
      ASSERT_TRUE(heat);
      heat_ = std::move(*heat);
      for (const auto& [name, panel] : kPanels) {
        for (int frame = 0; frame < 3; ++frame) draw(panel, {320, 6000});  // as tall as the contents
        EXPECT_EQ(beyond_, 0) << name << " of " << deformer << " at " << scale;
      }
      for (int frame = 0; frame < 3; ++frame) draw(draw_timeline, {1280, 80});
      EXPECT_EQ(beyond_, 0) << "timeline of " << deformer << " at " << scale;
    }
  }
}

TEST_F(Frames, PlayAndScrub) {
  view_.playback.clip = "walk";
  show(biped("linear_blend"));
  const auto frame = [&](glm::vec2 at, bool down) { mouse(draw_timeline, {1280, 80}, at, down); };
  click(draw_timeline, {1280, 80}, {25, 18});  // the first button
  EXPECT_TRUE(view_.playback.playing);
  const glm::vec2 middle(640, 60);
  frame(middle, false);
  frame(middle, true);
  frame(middle, true);
  const float duration = stage_->duration(view_);
  EXPECT_NEAR(view_.playback.time, 0.5f * duration, 0.01f * duration);
  EXPECT_FALSE(view_.playback.playing);
  frame({1500, 60}, true);
  EXPECT_EQ(view_.playback.time, duration);
  frame({1500, 60}, false);
}

TEST_F(Frames, SelectTheJointThatIsClicked) {
  show(biped("linear_blend"));
  for (float y = 40; y < 300 && view_.selection.joint.empty(); y += 8) click(draw_skeleton_panel, {320, 700}, {150, y});
  EXPECT_TRUE(stage_->subject()->character->skeleton.find(view_.selection.joint));
  EXPECT_TRUE(view_.shown.skeleton);
}

// Sliders of a tube with three morph targets.
class ShapeFrames : public Frames {
 protected:
  void SetUp() override {
    Frames::SetUp();
    if (IsSkipped()) return;
    Model model = test::make_tube();
    test::add_morph_targets(model.meshes[0], 3);
    show(test::bound(model, test::rig_of(LinearBlendParameters{}, "tube")));
  }

  void click_shapes(glm::vec2 at) { click(draw_shapes_panel, {320, 300}, at); }

  // Clicks on the first slider that is shown, somewhere along it.
  void click_first_slider() {
    for (float y = 40; y < 200 && view_.morphs.empty(); y += 8) click_shapes({220, y});
  }
};

// A weight that a slider sets moves the character, whatever the clip does, until it is taken back.
TEST_F(ShapeFrames, SetTheWeightsOfMorphTargets) {
  click_first_slider();
  ASSERT_EQ(view_.morphs.size(), 1u);
  EXPECT_EQ(view_.morphs[0].control, "tube/target0");
  EXPECT_GT(view_.morphs[0].weight, 0.0f);
  EXPECT_LT(view_.morphs[0].weight, 1.0f);
  ASSERT_TRUE(stage_->pose(view_));
  const Actor& actor = *stage_->subject();
  EXPECT_EQ(actor.pose.inputs[actor.character->controls[0].input], view_.morphs[0].weight);
  for (float y = 299; y > 200 && !view_.morphs.empty(); y -= 8) click_shapes({160, y});  // "Reset all" is the last line
  EXPECT_TRUE(view_.morphs.empty());
  ASSERT_TRUE(stage_->pose(view_));
  EXPECT_EQ(actor.pose.inputs[actor.character->controls[0].input], 0.0f);
}

TEST_F(ShapeFrames, FindTheMorphTargetThatIsSearched) {
  click_shapes({160, 16});
  const auto type = [&](const char* text) {
    ImGui::GetIO().AddInputCharactersUTF8(text);
    draw(draw_shapes_panel, {320, 300});
  };
  type("get2");
  click_first_slider();
  ASSERT_EQ(view_.morphs.size(), 1u);
  EXPECT_EQ(view_.morphs[0].control, "tube/target2");
  view_.morphs.clear();
  click_shapes({160, 16});
  type("x");
  click_first_slider();
  EXPECT_TRUE(view_.morphs.empty()) << "no target has this in its name";
}

// Shows the levels of a surface, selects a row of control vertices and refines there, which is one step of undo.
TEST_F(Frames, EditASurface) {
  view_.selection.point = "surface vertex 42";
  open(limb_surface());
  for (const float scale : {2.0f, 1.0f}) {
    begin(scale);
    for (int frame = 0; frame < 3; ++frame) draw(draw_surface_panel, {320, 700});
    EXPECT_EQ(beyond_, 0) << scale;
  }
  // From below: "Row along u", at the left of the last line, then "Refine here".
  float y = 600;
  for (; y > 0 && view_.selection.further.empty(); y -= 8) click_surface_panel({80, y});
  EXPECT_EQ(view_.selection.further.size(), 10u);
  const nlohmann::json before = document_->rig_json();
  for (; y > 0 && !document_->can_undo(); y -= 8) {
    view_.selection.further.clear();
    click_surface_panel({80, y});
  }
  EXPECT_EQ(view_.surfaces.level, 1u);
  EXPECT_EQ(view_.selection.further.size(), 8u);
  EXPECT_THAT(view_.selection.point, testing::StartsWith("surface level 1 vertex "));
  const auto surface =
      hierarchical_bspline::surface_vertices(document_->rig().layers[0].deformer.get<HierarchicalBsplineParameters>());
  ASSERT_TRUE(surface);
  EXPECT_GT(surface->grids[1].stored, 5u);
  document_->undo();
  EXPECT_EQ(document_->rig_json(), before);
}

// A surface that is made of the skin has no net before it is written into the rig; then it is edited as others are, but
// for the rows of a grid.
TEST_F(Frames, WriteASurfaceOutAndEditIt) {
  open(test::rig_of(HierarchicalBsplineParameters{.base_faces = 40}));
  EXPECT_TRUE(overlay_.handles.empty());
  const nlohmann::json before = document_->rig_json();
  for (float y = 0; y < 200 && !document_->can_undo(); y += 8) click_surface_panel({160, y});
  const auto& written = document_->rig().layers[0].deformer.get<HierarchicalBsplineParameters>();
  EXPECT_FALSE(written.faces.empty());
  EXPECT_EQ(view_.surfaces.level + 1, written.levels.size()) << "the finest";
  view_.surfaces.level = 0;
  bind();
  EXPECT_EQ(overlay_.handles.size(), written.control.size());
  EXPECT_FALSE(overlay_.lines.empty());

  view_.selection.point = overlay_.handles.front().name;
  view_.surfaces.radius = 0.1f;
  const std::uint64_t revision = document_->revision();
  float y = 600;
  for (; y > 0 && document_->revision() == revision; y -= 8) click_surface_panel({80, y});
  EXPECT_EQ(view_.surfaces.level, 1u) << "the last button is \"Refine here\"";
  document_->undo();
  view_.surfaces.level = 0;
  view_.selection.point = overlay_.handles.front().name;
  view_.selection.further.clear();
  for (y = 0; y < 600 && view_.selection.further.empty(); y += 8) {
    view_.surfaces.radius = 0.1f;
    click_surface_panel({160, y});
  }
  EXPECT_FALSE(view_.selection.further.empty()) << "those within the radius";
  while (document_->can_undo()) document_->undo();
  EXPECT_EQ(document_->rig_json(), before);
}

}  // namespace
}  // namespace pelt::viewer
