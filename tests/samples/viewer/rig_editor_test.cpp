// SPDX-License-Identifier: MIT
// The rig's panel without a window: the tests lay out frames and move a mouse; nothing is drawn.
#include "samples/viewer/panels/rig_editor.h"

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <set>

#include <pelt/rig.h>
#include <pelt/rig_json.h>

#include "samples/viewer/panels/value_widgets.h"
#include "samples/viewer/schema.h"
#include "tests/samples/viewer/no_window.h"
#include "tests/support/must.h"
#include "tests/support/program.h"

namespace pelt::viewer {
namespace {

using Json = nlohmann::json;
using Pointer = Json::json_pointer;

// ----------------------------------------------------------------------------------------------------------- schema

const Schema& deformer(const std::string& name) {
  const Schema& layer = *rig_schema().find("layers")->items;
  return *layer.find("parameters", Json{{"deformer", name}});
}

TEST(RigSchema, IsATree) {
  EXPECT_EQ(rig_schema().kind, Schema::Kind::kObject);
  const Schema& ffd = deformer("surface_ffd");
  EXPECT_EQ(ffd.properties.front().name, "mode");  // in the schema's order
  EXPECT_EQ(ffd.find("mode")->choices, (std::vector<std::string>{"basic", "extended"}));
  EXPECT_EQ(ffd.find("fade")->kind, Schema::Kind::kInteger);  // through a reference with a default next to it
  EXPECT_EQ(ffd.find("fade")->fallback, 4);
  EXPECT_EQ(ffd.find("elements")->kind, Schema::Kind::kUnion);
  EXPECT_TRUE(ffd.find("distance_scale")->above_minimum);
  EXPECT_EQ(ffd.find("nothing"), nullptr);
  EXPECT_TRUE(deformer("mos").find("edits")->items->find("scale")->is_numbers(3, 3));
}

TEST(RigSchema, EveryDefaultIsItsOwn) {
  for (const std::string_view name : deformer_names()) {
    const Json rig = Json::parse(format_rig(*rig_from_deformer_name(std::string(name))));
    const Schema& schema = deformer(std::string(name));
    for (const auto& [key, value] : rig["layers"][0]["parameters"].items()) {
      ASSERT_NE(schema.find(key), nullptr) << key;
      EXPECT_TRUE(is_default(*schema.find(key), value)) << key << " " << value;
    }
  }
}

TEST(RigSchema, RulesRemoveAndSet) {
  const Schema& edit = *deformer("mos").find("edits")->items;
  Json slide = Json::parse(R"({"operation": "slide", "factor": 2, "pivot": "joint", "distance": 1})");
  obey_rules(edit, slide);
  EXPECT_EQ(slide, Json::parse(R"({"operation": "slide", "distance": 1})"));
  EXPECT_TRUE(is_ruled_out(edit, slide, "factor"));
  EXPECT_FALSE(is_ruled_out(edit, slide, "distance"));
  EXPECT_TRUE(is_ruled_out(edit, slide, "share"));
  slide["driver"] = Json::parse(R"({"joint": "elbow"})");
  obey_rules(edit, slide);
  EXPECT_EQ(slide["share"], Json::parse("[[0, 0]]"));
  EXPECT_TRUE(is_ruled_out(edit, slide, "in_bind"));
}

// ------------------------------------------------------------------------------------------------------------ widgets

TEST(Ranges, AreReadAsTheyAreWritten) {
  const Json ranges = Json::parse("[3, [5, 9], 12]");
  EXPECT_EQ(ranges_text(ranges), "3, 5-9, 12");
  EXPECT_EQ(ranges_of("3, 5-9, 12"), ranges);
  EXPECT_EQ(ranges_of(" 3,5 - 9  12,"), ranges);
  EXPECT_EQ(ranges_of(""), Json::array());
  for (const char* wrong : {"x", "3-", "9-5", "-3", "1.5", "99999999999"}) EXPECT_TRUE(ranges_of(wrong).is_discarded());
}

// -------------------------------------------------------------------------------------------------------------- panel

// Dear ImGui without a window; its only panel is as tall as its contents.
class Panel : public testing::Test {
 protected:
  void open(const std::string& rig_json) {
    take(Document::open(folder_.write("rig.json", rig_json).string(), "builtin:arm"));
  }

  void open_deformer(const std::string& name) { take(Document::open("builtin:biped", "", name)); }

  void take(Result<Document> opened) {
    document.emplace(test::must(std::move(opened)));
    state = {};
    search.clear();
  }

  void frame() {
    ui_.frame({400, 20000}, [&] { draw_rig_editor(*document, state, search); });
  }

  // Opens every node by searching for a text that all have: the full stop of their description.
  void frames_with_all_open() {
    for (const char* text : {"", ".", "weights", "nothing has this"}) {
      search = text;
      for (int i = 0; i < 3; ++i) frame();
    }
  }

  void mouse(float x, float y, bool down) {
    ImGui::GetIO().MousePos = {x, y};
    ImGui::GetIO().MouseDown[0] = down;
    frame();
  }

  test::TemporaryFolder folder_;
  NoWindow ui_{ImVec2(400, 20000)};
  std::optional<Document> document;
  RigEditorState state;
  std::string search;
};

TEST_F(Panel, DrawsEveryDeformersDefaults) {
  for (const std::string_view name : deformer_names()) {
    open_deformer(std::string(name));
    const Json before = document->rig_json();
    frames_with_all_open();
    EXPECT_EQ(document->rig_json(), before) << name;
    EXPECT_FALSE(document->can_undo()) << name;
    EXPECT_FALSE(state.draft) << name;
  }
}

// A rig with one of everything.
constexpr const char* kFull = R"({"format": "pelt-rig 1", "name": "all",
  "groups": [{"name": "spot", "vertices": [1, [3, 5]], "values": [1, 0.5, 0.25, 1], "triangles": [2],
              "region": {"joints": ["elbow"], "box": {"falloff": 1}, "sphere": {"radius": 1}}},
             {"name": "rest", "region": {"near": {"mesh": "arm", "falloff": 0.1}}}],
  "muscles": [{"name": "biceps", "from": {"joint": "shoulder"}, "to": {"joint": "elbow"},
               "points": [{"at": 0.5}], "radius": 0.03}],
  "layers": [
    {"deformer": "surface_ffd", "wires": 2,
     "parameters": {"exclude": [{"elements": "spot", "vertices": "rest"}], "max_hops": 2, "cut_error": 0.01,
       "driver": {"patches": [{"control": [[0, 0, 0]], "weights": [1], "knots_u": [0, 1]}], "tessellation": 2,
         "refine": [{"region": {"group": "spot"}}],
         "key_poses": [{"angles": [{"joint": "elbow"}], "poses": [{"degrees": [90], "offsets": [[1, 0, 0, 1]]}]}]}}},
    {"deformer": "curve_skeleton", "parameters": {"curves": [{"name": "c", "joints": ["shoulder", "elbow"],
       "control_offsets": [[0, 0, 0, 1]]}], "remove": ["x"], "split": ["elbow"],
       "joints": [{"joint": "elbow", "float": [[0, 0.02], [90, 0.06]], "skin_distance": 0.1, "bulge": {}},
                  {"joint": "wrist", "float": 0.02}],
       "bones": [{"joint": "elbow", "twist": [[0, 0], [0.5, 0.25], [1, 1]], "bendy": {"ease_in": 1}}],
       "weights": [{"curve": "c"}]}},
    {"deformer": "mos", "mask": {"joints": ["elbow"], "box": {}}, "parameters": {
       "chains": [{"name": "a", "points": [{"joint": "elbow"}, {"joint": "wrist"}]}],
       "edits": [{"operation": "bulge", "pivot": [0, 0, 0], "driver": {"joint": "elbow"}, "share": [[0, 0], [90, 1]]},
                 {"operation": "slide"}, {"operation": "scale"}, {"operation": "motion"},
                 {"operation": "twist"}]}}]})";

TEST_F(Panel, DrawsOneOfEverything) {
  open(kFull);
  const Json before = document->rig_json();
  frames_with_all_open();
  EXPECT_EQ(document->rig_json(), before);
  EXPECT_FALSE(document->can_undo());
}

// Whatever is clicked, the panel can draw the result, and undo leads back.
TEST_F(Panel, IsClickedAllOver) {
  open(kFull);
  const Json before = document->rig_json();
  std::set<std::string> seen;
  for (const float x : {250.0f, 340.0f, 372.0f, 384.0f}) {
    for (float y = 30; y < 2600; y += 14) {
      search = std::string(1, '.');
      ui_.click({x, y}, [&] { frame(); });
      seen.insert(document->rig_json().dump());
      if (document->can_undo()) {
        while (document->can_undo()) document->undo();
        EXPECT_EQ(document->rig_json(), before);
      }
      state.draft.reset();
      ImGui::ClosePopupsOverWindow(nullptr, false);
    }
  }
  EXPECT_GT(seen.size(), 20u);
}

TEST_F(Panel, ADragOnASliderIsOneStep) {
  open_deformer("curve_skeleton");
  const Pointer centre("/layers/0/parameters/centre");
  ASSERT_EQ(document->rig_json()[centre], 0);
  search = "centre";
  frame();
  float y = 0;
  for (; y < 400 && document->rig_json()[centre] == 0; y += 5) {
    mouse(250, y, false);
    mouse(250, y, true);
    if (document->rig_json()[centre] != 0) break;
    mouse(250, y, false);
  }
  ASSERT_LT(y, 400);
  const double first = document->rig_json()[centre].get<double>();
  for (const float x : {270.0f, 300.0f, 330.0f}) mouse(x, y, true);
  mouse(330, y, false);
  frame();
  EXPECT_GT(document->rig_json()[centre].get<double>(), first);
  EXPECT_LE(document->rig_json()[centre].get<double>(), 1);
  document->undo();
  EXPECT_EQ(document->rig_json()[centre], 0);
  EXPECT_FALSE(document->can_undo());

  // The next drag is a separate step, even if it starts at the same point.
  document->redo();
  mouse(270, y, false);
  mouse(270, y, true);
  mouse(270, y, false);
  frame();
  document->undo();
  EXPECT_TRUE(document->can_undo());
}

TEST_F(Panel, ADraftLastsUntilTheDocumentChanges) {
  open_deformer("mos");
  state.draft = {document->rig_json(), "it lacks a cage", document->revision()};
  state.draft->rig["layers"][0]["parameters"]["strategy"] = "catmull_clark";
  frame();
  EXPECT_TRUE(state.draft);
  Json other = document->rig_json();
  other["name"] = "other";
  ASSERT_TRUE(document->edit(other));
  frame();
  EXPECT_FALSE(state.draft);
}

}  // namespace
}  // namespace pelt::viewer
