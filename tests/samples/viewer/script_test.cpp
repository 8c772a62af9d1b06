// SPDX-License-Identifier: MIT
#include "samples/viewer/app/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "samples/viewer/view_state.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"

namespace pelt::viewer {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// Returns the message of a patch, which must change nothing.
std::string refused(const json& patch) {
  ViewState state;
  state.camera.yaw = 2;
  const json before = view_json(state);
  const std::string error = test::error_of(patch_view(state, patch, "here"));
  EXPECT_EQ(view_json(state), before);
  return error;
}

ViewState patched(const json& patch) {
  ViewState state;
  test::must(patch_view(state, patch, "here"));
  return state;
}

TEST(ViewState, EveryFieldSurvivesJson) {
  ViewState state;
  state.camera = {{1, 2, 3}, 0.1f, -0.2f, 7, 0.7f, true};
  state.playback = {"walk", 0.25f, -1, false, true};
  state.turns = {{"elbow", glm::quat(0.5f, 0.5f, -0.5f, 0.5f)}};
  state.shown = {false, true, true, true, true, true, true, true, false, false, false};
  state.compare = {CompareMode::kSplit, {"dual_quaternion", "mos"}, 0.25f};
  state.heat = {HeatKind::kGpuError, "elbow", false, -1, 2};
  state.selection = {"elbow", "body", 17, "point"};
  state.panels = {false, false, false, true, "Heat", 3, true, "twist"};
  state.instances = 1000;
  const json written = view_json(state);
  ViewState read;
  ASSERT_NE(view_json(read), written);
  test::must(patch_view(read, written, "here"));
  EXPECT_EQ(view_json(read), written);
  EXPECT_EQ(read.turns[0].rotation, state.turns[0].rotation);
}

TEST(ViewState, EveryNameOfAnEnumerationIsRead) {
  for (const char* mode : {"none", "side_by_side", "split", "difference"}) {
    EXPECT_EQ(view_json(patched({{"compare", {{"mode", mode}}}}))["compare"]["mode"], mode);
  }
  for (const char* kind : {"none", "element", "influences", "distance", "stretch", "volume", "gpu_error", "tension",
                           "tension_across", "difference"}) {
    EXPECT_EQ(view_json(patched({{"heat", {{"kind", kind}}}}))["heat"]["kind"], kind);
  }
}

TEST(ViewState, APatchLeavesWhatItDoesNotName) {
  ViewState state = patched({{"playback", {{"clip", "walk"}}}});
  state.turns = {{"elbow", glm::quat(1, 0, 0, 0)}};
  state.morphs = {{"head/smile", 0.5f}};
  ASSERT_TRUE(patch_view(state, {{"playback", {{"time", 2}}}}, "here").has_value());
  EXPECT_EQ(state.playback.clip, "walk");
  EXPECT_EQ(state.playback.time, 2);
  EXPECT_EQ(state.turns.size(), 1u);
  ASSERT_TRUE(patch_view(state, {{"turns", json::array()}}, "here").has_value());
  EXPECT_TRUE(state.turns.empty());
  EXPECT_EQ(state.morphs.size(), 1u);
  ASSERT_TRUE(patch_view(state, {{"morphs", {{{"control", "head/frown"}, {"weight", 1}}}}}, "here").has_value());
  EXPECT_EQ(state.morphs.at(0).control, "head/frown");
  EXPECT_EQ(state.morphs.size(), 1u);
}

TEST(ViewState, RotationsAreMadeUnits) {
  const ViewState state = patched({{"turns", {{{"joint", "a"}, {"rotation", {0, 0, 3, 4}}}}}});
  EXPECT_NEAR(state.turns.at(0).rotation.z, 0.6f, 1e-6f);
  EXPECT_NEAR(state.turns.at(0).rotation.w, 0.8f, 1e-6f);
}

// Wrong types and unknown keys in general are tested with rigs, which the same reader reads.
TEST(ViewState, RefusesWhatIsWrongOrOutOfRange) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"[]", "must be an object"},
      {R"({"camera": {"yow": 1}})", "here: /camera/yow: unknown key 'yow'; did you mean 'yaw'?"},
      {R"({"camera": {"target": [1, 2]}})", "/camera/target: must be [x, y, z]"},
      {R"({"camera": {"pitch": 1.6}})", "/camera/pitch: must be"},
      {R"({"camera": {"distance": 0}})", "/camera/distance: must be"},
      {R"({"camera": {"vertical_fov": 3.2}})", "/camera/vertical_fov: must be"},
      {R"({"camera": {"yaw": 1e300}})", "/camera/yaw: must be"},
      {R"({"playback": {"time": -1}})", "/playback/time: must be"},
      {R"({"playback": {"speed": 101}})", "/playback/speed: must be"},
      {R"({"turns": [{"rotation": [0, 0, 0, 1]}]})", "/turns/0: the key 'joint' is missing"},
      {R"({"turns": [{"joint": "a", "rotation": [0, 0, 1]}]})", "must be [x, y, z, w]"},
      {R"({"turns": [{"joint": "a", "rotation": [0, 0, 0, 0]}]})", "must not be zero"},
      {R"({"compare": {"mode": "splt"}})", "did you mean 'split'?"},
      {R"({"compare": {"split": 1.5}})", "/compare/split: must be"},
      {R"({"compare": {"deformers": ["mos", "linear_blend", "mos"]}})", "must not name one twice"},
      {R"({"selection": {"vertex": -1}})", "/selection/vertex: must be an integer"},
      {R"({"panels": {"tab": "vertex"}})", "did you mean 'Vertex'?"},
      {R"({"instances": 0})", "/instances: must be an integer from 1 to 1000"},
      {R"({"instances": 1001})", "/instances: must be an integer from 1 to 1000"}};
  for (const auto& [patch, message] : cases) EXPECT_THAT(refused(json::parse(patch)), HasSubstr(message)) << patch;
}

Result<Script> parsed(const json& steps) {
  return parse_script(json{{"format", "pelt-view 1"}, {"steps", steps}}.dump(), "s.json");
}

Step step_of(const json& step) { return test::must(parsed(json::array({step}))).steps.at(0); }

std::string wrong_step(const json& step) { return test::error_of(parsed(json::array({step}))); }

TEST(Script, NothingIsAScriptOfItself) {
  for (const char* text :
       {"", "[]", "{}", R"({"format": "pelt-view 1"})", R"({"steps": []})", R"({"format": "pelt-view 2", "steps": []})",
        R"({"format": "pelt-view 1", "steps": {}})", R"({"format": "pelt-view 1", "steps": [1]})",
        R"({"format": "pelt-view 1", "steps": [], "frames": 2})"}) {
    EXPECT_FALSE(parse_script(text, "s.json")) << text;
  }
  EXPECT_TRUE(parsed(json::array()));
}

TEST(Script, ReadsEveryKey) {
  const Step step = step_of(json::parse(R"({
    "open": "a.glb", "set": {"instances": 3}, "edit": {"/layers/0": true},
    "move": {"point": "left_arm.5", "by": [0, 0.25, -1]}, "undo": 1, "redo": 2,
    "mouse": {"at": [10, 20], "button": "middle", "action": "double_click", "wheel": -2, "keys": ["shift", "alt"]},
    "drag": {"from": [1, 2], "to": [3, 4], "button": "right", "steps": 5}, "key": "ctrl+shift+z", "text": "walk",
    "frames": 6, "lose_device": true, "bind": true, "save": "rig.json", "picture": "a.png", "turntable": 7,
    "clip": {"name": "walk", "fps": 24, "picture": "w"}, "error": "no"})"));
  EXPECT_EQ(step.open, "a.glb");
  EXPECT_EQ(step.set["instances"], 3);
  ASSERT_EQ(step.edits.size(), 1u);
  EXPECT_EQ(step.edits[0].pointer, "/layers/0");
  EXPECT_EQ(step.edits[0].value, "true");
  ASSERT_TRUE(step.move.has_value());
  EXPECT_EQ(step.move->point, "left_arm.5");
  EXPECT_EQ(step.move->by, glm::vec3(0, 0.25f, -1));
  EXPECT_EQ(step.undo, 1u);
  EXPECT_EQ(step.redo, 2u);
  ASSERT_TRUE(step.mouse.has_value());
  EXPECT_EQ(step.mouse->at, glm::vec2(10, 20));
  EXPECT_EQ(step.mouse->button, 2);
  EXPECT_EQ(step.mouse->action, MouseAction::kDoubleClick);
  EXPECT_EQ(step.mouse->wheel, -2);
  EXPECT_TRUE(step.mouse->modifiers.shift && step.mouse->modifiers.alt && !step.mouse->modifiers.ctrl);
  ASSERT_TRUE(step.drag.has_value());
  EXPECT_EQ(step.drag->from, glm::vec2(1, 2));
  EXPECT_EQ(step.drag->to, glm::vec2(3, 4));
  EXPECT_EQ(step.drag->button, 1);
  EXPECT_EQ(step.drag->steps, 5u);
  EXPECT_EQ(step.key.key, 'Z');
  EXPECT_TRUE(step.key.modifiers.ctrl && step.key.modifiers.shift && !step.key.modifiers.alt);
  EXPECT_EQ(step.text, "walk");
  EXPECT_EQ(step.frames, 6u);
  EXPECT_TRUE(step.lose_device);
  EXPECT_TRUE(step.bind);
  EXPECT_EQ(step.save, "rig.json");
  EXPECT_EQ(step.picture, "a.png");
  EXPECT_EQ(step.turntable, 7u);
  ASSERT_TRUE(step.clip.has_value());
  EXPECT_EQ(step.clip->name, "walk");
  EXPECT_EQ(step.clip->fps, 24);
  EXPECT_EQ(step.clip->picture, "w");
  EXPECT_EQ(step.error, "no");
}

TEST(Script, ClipsAreNamedByThemselves) { EXPECT_EQ(step_of({{"clip", {{"name", "walk"}}}}).clip->picture, "walk_"); }

TEST(Script, NamesTheNearestKey) {
  EXPECT_THAT(wrong_step({{"pictrue", "a.png"}}),
              HasSubstr("s.json: /steps/0/pictrue: unknown key 'pictrue'; did you mean 'picture'?"));
  EXPECT_THAT(wrong_step({{"mouse", {{"buton", "left"}}}}), HasSubstr("did you mean 'button'?"));
  EXPECT_THAT(wrong_step({{"key", "spce"}}), HasSubstr("did you mean 'space'?"));
  EXPECT_THAT(wrong_step({{"key", "crtl+z"}}), HasSubstr("did you mean 'ctrl'?"));
}

TEST(Script, RefusesWrongValues) {
  EXPECT_THAT(wrong_step({{"set", nullptr}}), HasSubstr("/steps/0/set: must be an object"));
  EXPECT_THAT(wrong_step({{"set", {{"instances", 0}}}}), HasSubstr("s.json: /steps/0/set: /instances: must be"));
  EXPECT_THAT(wrong_step({{"edit", json::array({1})}}), HasSubstr("/steps/0/edit: must be an object"));
  EXPECT_THAT(wrong_step({{"edit", {{"layers", 1}}}}), HasSubstr("/steps/0/edit: its keys must be JSON pointers"));
  EXPECT_THAT(wrong_step({{"move", {{"point", "a"}}}}), HasSubstr("/steps/0/move: the key 'by' is missing"));
  EXPECT_THAT(wrong_step({{"undo", 0}}), HasSubstr("/steps/0/undo: must be an integer from 1"));
  EXPECT_THAT(wrong_step({{"frames", 1'000'000}}), HasSubstr("/steps/0/frames: must be an integer"));
  EXPECT_THAT(wrong_step({{"mouse", {{"at", {1}}}}}), HasSubstr("/steps/0/mouse/at: must be two numbers"));
  EXPECT_THAT(wrong_step({{"mouse", {{"at", {-1, 0}}}}}), HasSubstr("/steps/0/mouse/at/0: must be"));
  EXPECT_THAT(wrong_step({{"mouse", {{"action", "hover"}}}}), HasSubstr("/steps/0/mouse/action: must be one of"));
  EXPECT_THAT(wrong_step({{"mouse", {{"keys", {"meta"}}}}}), HasSubstr("/steps/0/mouse/keys: must be a list of"));
  EXPECT_THAT(wrong_step({{"key", "F99"}}), HasSubstr("/steps/0/key: unknown key 'F99'"));
  EXPECT_THAT(wrong_step({{"key", "ctrl+"}}), HasSubstr("/steps/0/key: unknown key ''"));
  EXPECT_THAT(wrong_step({{"picture", "a.jpg"}}), HasSubstr("/steps/0/picture: must be a file name"));
  EXPECT_THAT(wrong_step({{"picture", "../a.png"}}), HasSubstr("/steps/0/picture: must be a file name"));
  EXPECT_THAT(wrong_step({{"clip", {{"fps", 24}}}}), HasSubstr("/steps/0/clip: the key 'name' is missing"));
  EXPECT_THAT(wrong_step({{"clip", {{"name", "a"}, {"fps", 0}}}}), HasSubstr("/steps/0/clip/fps: must be"));
  EXPECT_THAT(wrong_step({{"clip", {{"name", "a/b"}}}}), HasSubstr("/steps/0/clip/picture: must be"));
}

TEST(Script, AFileThatIsNotThereIsNamed) {
  EXPECT_TRUE(test::refused(load_script("nowhere/script.json"), "nowhere/script.json"));
}

}  // namespace
}  // namespace pelt::viewer
