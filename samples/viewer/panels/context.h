// SPDX-License-Identifier: MIT
// What panels show and change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
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
  double since = 0;  // seconds; 0: not drawn yet
};

class Messages {
 public:
  // Each one counts; what says the same as the last one is not shown twice.
  void error(std::string text);
  void note(std::string text) { add({false, std::move(text), 0}); }

  std::uint64_t error_count() const { return error_count_; }
  const std::string& last_error() const { return last_error_; }
  // Those to draw; notes that have been there for long are left out.
  std::vector<Message>& shown(double now);
  bool has_notes() const;

 private:
  void add(Message message);

  std::vector<Message> shown_;
  std::uint64_t error_count_ = 0;
  std::string last_error_;
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
  Messages& messages;
  RigEditorState& rig_editor;
  bool save_wanted = false;   // the rig is to be saved: the app knows where to
  bool frame_wanted = false;  // the camera is to look at what is selected, once it is posed

  void error(std::string text) { messages.error(std::move(text)); }
  void note(std::string text) { messages.note(std::move(text)); }
};

}  // namespace pelt::viewer
