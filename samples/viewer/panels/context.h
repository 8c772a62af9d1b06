// SPDX-License-Identifier: MIT
// The data that panels show and change.
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

// An error or a note; the window shows it until the user closes it. Notes fade.
struct Message {
  bool error = false;
  std::string text;
  double since = 0;  // seconds; 0: not yet drawn
};

class Messages {
 public:
  // Adds an error. Each one counts; a message equal to the last one is not shown twice.
  void error(std::string text);
  void note(std::string text) { add({false, std::move(text), 0}); }

  std::uint64_t error_count() const { return error_count_; }
  const std::string& last_error() const { return last_error_; }
  // Returns the messages to draw, and removes old notes.
  std::vector<Message>& shown(double now);
  bool has_notes() const;

 private:
  void add(Message message);

  std::vector<Message> shown_;
  std::uint64_t error_count_ = 0;
  std::string last_error_;
};

// Times of the last frame.
struct Timings {
  struct Pass {
    std::string name;
    double seconds = 0;
  };
  std::vector<Pass> gpu;      // empty if the device has no timestamps
  double cpu_pose = 0;        // seconds
  double cpu_frame = 0;       // without waiting
  std::vector<float> frames;  // seconds per frame, the newest last, at most 240
  std::string device;
};

// Everything that a panel may see. No document: nothing has been opened yet.
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
  bool save_wanted = false;   // asks the app to save the rig
  bool frame_wanted = false;  // asks the camera to look at the selection, once it is posed

  void error(std::string text) { messages.error(std::move(text)); }
  void note(std::string text) { messages.note(std::move(text)); }
};

}  // namespace pelt::viewer
