// SPDX-License-Identifier: MIT
#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <iterator>
#include <system_error>
#include <utility>

#include <pelt/try.h>

#include "samples/renderer/image.h"
#include "samples/viewer/app/run.h"
#include "samples/viewer/app/script.h"
#include "samples/viewer/app/session.h"
#include "samples/viewer/app/ui.h"
#include "samples/viewer/app/validation.h"

namespace pelt::viewer {
namespace {

constexpr float kLongestUiStep = 0.05f;  // seconds per frame, so short that two consecutive clicks are a double click
constexpr std::uint32_t kMaxPictures = 100'000;

// Plays a script: feeds Dear ImGui frame by frame, like a window.
class Player {
 public:
  Player(Session& session, const RunOptions& options, const HeadlessOptions& headless)
      : session_(session), options_(options), headless_(headless) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(options.size.width), static_cast<float>(options.size.height)};
  }

  Result<void> open() {
    app().open(options_.file, options_.model);
    PELT_TRY(shown());
    return no_error_since(0);
  }

  Result<void> play(const Script& script) {
    for (std::size_t s = 0; s < script.steps.size(); ++s) {
      const Step& step = script.steps[s];
      const std::uint64_t before = app().error_count();
      const std::string place = fmt::format("{}: /steps/{}", headless_.script, s);
      Result<void> done = run(step, place);
      if (done) done = no_error_since(before);
      PELT_TRY(within(place, as_expected(step, std::move(done))));
    }
    return {};
  }

  Result<void> frames() {
    app().view().playback.playing = true;
    for (std::uint32_t i = 0; i < headless_.frames; ++i) {
      PELT_TRY(picture(fmt::format("frame_{:04}.png", i)));
      PELT_TRY(frame());
    }
    return {};
  }

 private:
  App& app() { return session_.app(); }
  float step_seconds() const { return 1.0f / headless_.fps; }

  Result<void> frame(double seconds, bool all_samples) {
    ImGui::GetIO().DeltaTime = std::min(step_seconds(), kLongestUiStep);
    return session_.frame(seconds, all_samples);
  }
  Result<void> frame() { return frame(step_seconds(), false); }
  Result<void> still() { return frame(0, false); }

  // One frame requests changed characters and waits for them; the next one takes them.
  Result<void> shown() {
    PELT_TRY(still());
    return still();
  }

  Result<void> no_error_since(std::uint64_t before) {
    if (app().error_count() != before) return fail(ErrorCode::kInvalidArgument, app().last_error());
    return {};
  }

  // Succeeds if the step shows exactly the error that it expects.
  static Result<void> as_expected(const Step& step, Result<void> done) {
    if (step.error.empty()) return done;
    if (!done && done.error().message.find(step.error) != std::string::npos) return {};
    if (!done) return done;
    return fail(ErrorCode::kInvalidArgument, fmt::format("no error with '{}' was shown", step.error));
  }

  Result<void> run(const Step& step, const std::string& place);
  Result<void> move(const MouseStep& step);
  Result<void> press(int button, bool down);
  Result<void> drag(const DragStep& step);
  Result<void> strike(const KeyStep& step);
  Result<void> picture(const std::string& name);
  Result<void> turntable(std::uint32_t count);
  Result<void> clip(const ClipStep& step);
  void hold(const Modifiers& modifiers);

  Session& session_;
  const RunOptions& options_;
  const HeadlessOptions& headless_;
};

Result<void> Player::run(const Step& step, const std::string& place) {
  if (!step.open.empty()) {
    app().open(step.open);
    PELT_TRY(shown());
  }
  if (!step.set.is_null()) {
    PELT_TRY(patch_view(app().view(), step.set, place + "/set"));
    PELT_TRY(still());
  }
  for (const RigEdit& edit : step.edits) {
    app().apply_rig_patch(edit.pointer, edit.value);
    PELT_TRY(still());
  }
  if (step.move) {
    app().view().selection.point = step.move->point;
    PELT_TRY(still());
    PELT_TRY(app().move_point(step.move->point, step.move->by));
    PELT_TRY(still());
  }
  for (std::uint32_t i = 0; i < step.undo; ++i) app().undo();
  for (std::uint32_t i = 0; i < step.redo; ++i) app().redo();
  if (step.undo != 0 || step.redo != 0) PELT_TRY(still());
  if (step.mouse) PELT_TRY(move(*step.mouse));
  if (step.drag) PELT_TRY(drag(*step.drag));
  if (step.key.key != 0) PELT_TRY(strike(step.key));
  if (!step.text.empty()) {
    ImGui::GetIO().AddInputCharactersUTF8(step.text.c_str());
    PELT_TRY(frame());
  }
  for (std::uint32_t i = 0; i < step.frames; ++i) PELT_TRY(frame());
  if (step.lose_device) {
    PELT_TRY(session_.recreate_device());
    PELT_TRY(shown());
  }
  if (step.bind) PELT_TRY(shown());
  if (!step.save.empty()) PELT_TRY(app().save((headless_.output / step.save).string()));
  if (!step.picture.empty()) PELT_TRY(picture(step.picture));
  if (step.turntable != 0) PELT_TRY(turntable(step.turntable));
  if (step.clip) PELT_TRY(clip(*step.clip));
  return {};
}

void Player::hold(const Modifiers& modifiers) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyCtrl = io.KeysDown[GLFW_KEY_LEFT_CONTROL] = modifiers.ctrl;
  io.KeyShift = io.KeysDown[GLFW_KEY_LEFT_SHIFT] = modifiers.shift;
  io.KeyAlt = io.KeysDown[GLFW_KEY_LEFT_ALT] = modifiers.alt;
}

Result<void> Player::press(int button, bool down) {
  ImGui::GetIO().MouseDown[button] = down;
  return frame();
}

Result<void> Player::move(const MouseStep& step) {
  ImGuiIO& io = ImGui::GetIO();
  hold(step.modifiers);
  if (step.at) io.MousePos = {step.at->x, step.at->y};
  io.MouseWheel = step.wheel;
  Result<void> done = frame();
  if (done) done = frame();  // the next frame knows the part under the mouse
  const bool clicks = step.action == MouseAction::kClick || step.action == MouseAction::kDoubleClick;
  const int presses = step.action == MouseAction::kDoubleClick ? 2 : clicks ? 1 : 0;
  for (int i = 0; i < presses; ++i) {
    if (done) done = press(step.button, true);
    if (done) done = press(step.button, false);
  }
  if (done && step.action == MouseAction::kPress) done = press(step.button, true);
  if (done && step.action == MouseAction::kRelease) done = press(step.button, false);
  hold({});
  return done;
}

Result<void> Player::drag(const DragStep& step) {
  Result<void> done = move({.at = step.from, .button = step.button, .modifiers = step.modifiers});
  hold(step.modifiers);
  if (done) done = press(step.button, true);
  for (std::uint32_t i = 1; done && i <= step.steps; ++i) {
    const glm::vec2 at = glm::mix(step.from, step.to, static_cast<float>(i) / static_cast<float>(step.steps));
    ImGui::GetIO().MousePos = {at.x, at.y};
    done = frame();
  }
  if (done) done = press(step.button, false);
  hold({});
  return done;
}

Result<void> Player::strike(const KeyStep& step) {
  bool& down = ImGui::GetIO().KeysDown[step.key];
  hold(step.modifiers);
  down = true;
  Result<void> done = frame();
  down = false;
  hold({});
  return done ? frame() : done;
}

Result<void> Player::picture(const std::string& name) {
  PELT_TRY(still());  // new panels settle
  PELT_TRY(frame(0, true));
  PELT_ASSIGN(const auto image, session_.target()->read_back());
  const std::string file = (headless_.output / name).string();
  PELT_TRY(samples::write_png(file, image));
  fmt::print("wrote {}\n", file);
  return {};
}

Result<void> Player::turntable(std::uint32_t count) {
  Result<void> done = still();  // this frames the camera
  const float start = app().view().camera.yaw;
  for (std::uint32_t i = 0; done && i < count; ++i) {
    app().view().camera.yaw = start + glm::two_pi<float>() * static_cast<float>(i) / static_cast<float>(count);
    done = picture(fmt::format("turntable_{:04}.png", i));
    if (done) done = frame();
  }
  app().view().camera.yaw = start;
  return done;
}

Result<void> Player::clip(const ClipStep& step) {
  Playback& playback = app().view().playback;
  playback.clip = step.name;
  playback.time = 0;
  playback.playing = false;
  const std::uint64_t before = app().error_count();
  PELT_TRY(still());
  PELT_TRY(no_error_since(before));
  const double last = std::floor(static_cast<double>(app().clip_seconds()) * step.fps + 1e-4);
  if (last >= kMaxPictures) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("the clip '{}' has more than {} frames", step.name, last));
  }
  for (std::uint32_t i = 0; i <= static_cast<std::uint32_t>(last); ++i) {
    playback.time = static_cast<float>(i) / step.fps;
    PELT_TRY(picture(fmt::format("{}{:04}.png", step.picture, i)));
  }
  return {};
}

Result<void> make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return fail(ErrorCode::kWriteFailed, fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
}

}  // namespace

Result<void> run_headless(const RunOptions& options, const HeadlessOptions& headless) {
  Script script;
  if (!headless.script.empty()) {
    PELT_ASSIGN(script, load_script(headless.script));
  }
  PELT_TRY(make_folder(headless.output));
  return run_validated(options, [&](SessionOptions session_options) -> Result<void> {
    const Ui ui(options.scale.value_or(1), options.font);
    session_options.app.samples_per_frame = 1;  // pictures are complete, and nobody sees the frames between
    session_options.app.waits = true;
    session_options.make_target = [&](const runtime::Device& device) {
      return Target::offscreen(device, options.size);
    };
    PELT_ASSIGN(const auto session, Session::create(std::move(session_options)));
    Player player(*session, options, headless);
    PELT_TRY(player.open());
    PELT_TRY(player.play(script));
    return player.frames();
  });
}

}  // namespace pelt::viewer
