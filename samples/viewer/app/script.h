// SPDX-License-Identifier: MIT
// The script of a run without a display, read from a JSON file: docs/viewer.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <glm/glm.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/result.h>

namespace pelt::viewer {

struct Modifiers {
  bool ctrl = false;
  bool shift = false;
  bool alt = false;
};

enum class MouseAction { kMove, kPress, kRelease, kClick, kDoubleClick };

struct MouseStep {
  std::optional<glm::vec2> at;  // pixels from the top left corner; none: the mouse stays
  int button = 0;               // Dear ImGui's number: 0 left, 1 right, 2 middle
  MouseAction action = MouseAction::kMove;
  float wheel = 0;  // notches, up is positive
  Modifiers modifiers;
};

struct DragStep {
  glm::vec2 from{0.0f};
  glm::vec2 to{0.0f};
  int button = 0;
  std::uint32_t steps = 8;  // frames between the two ends
  Modifiers modifiers;
};

struct KeyStep {
  int key = 0;  // GLFW's number; 0: none
  Modifiers modifiers;
};

struct ClipStep {
  std::string name;
  float fps = 30;
  std::string picture;  // prefix of the names of the pictures
};

struct RigEdit {
  std::string pointer;
  std::string value;  // JSON
};

struct MoveStep {
  std::string point;   // Handle::name
  glm::vec3 by{0.0f};  // metres, world space
};

// Actions of a step, in this order; empty, 0 or false ones are skipped.
struct Step {
  std::string open;
  nlohmann::json set;  // a patch for patch_view
  std::vector<RigEdit> edits;
  std::optional<MoveStep> move;
  std::uint32_t undo = 0;  // number of steps to undo
  std::uint32_t redo = 0;
  std::optional<MouseStep> mouse;
  std::optional<DragStep> drag;
  KeyStep key;
  std::string text;
  std::uint32_t frames = 0;
  bool lose_device = false;
  bool bind = false;
  std::string save;
  std::string picture;
  std::uint32_t turntable = 0;  // number of pictures in one turn
  std::optional<ClipStep> clip;
  std::string error;  // part of the error that the step must show
};

struct Script {
  std::vector<Step> steps;
};

// Parses a script. Errors name `source` and a JSON pointer: unknown keys, values of another type or out of range,
// patches that patch_view refuses.
Result<Script> parse_script(std::string_view json, const std::string& source);

// Parses a script file, with the same errors.
Result<Script> load_script(const std::filesystem::path& path);

}  // namespace pelt::viewer
