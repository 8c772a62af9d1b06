// SPDX-License-Identifier: MIT
// What panels show and change.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "samples/viewer/binder.h"
#include "samples/viewer/document.h"
#include "samples/viewer/heat_map.h"
#include "samples/viewer/overlay.h"
#include "samples/viewer/panels/rig_editor.h"
#include "samples/viewer/stage.h"
#include "samples/viewer/view_state.h"

namespace pelt::viewer {

// Errors and notes that are shown in the window until they are closed; notes fade.
struct Message {
  bool error = false;
  std::string text;
  double since = 0;  // seconds
};

// Of the last frame.
struct Timings {
  struct Pass {
    std::string name;
    double seconds = 0;
  };
  std::vector<Pass> gpu;      // none where the device has no timestamps
  double cpu_pose = 0;        // seconds
  double cpu_frame = 0;       // all but waiting
  std::vector<float> frames;  // seconds a frame, the newest last, 240 at most
  std::string device;
};

// Everything that a panel may see. Where there is no document, nothing has been opened yet.
struct Context {
  ViewState& view;
  std::optional<Document>& document;
  Stage& stage;
  const Binder& binder;
  const std::optional<HeatMap>& heat;
  const Overlay& overlay;  // of the subject
  const Timings& timings;
  std::vector<Message>& messages;
  RigEditorState& rig_editor;

  void error(std::string text) { messages.push_back({true, std::move(text), 0}); }
  void note(std::string text) { messages.push_back({false, std::move(text), 0}); }
};

}  // namespace pelt::viewer
