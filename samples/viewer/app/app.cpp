// SPDX-License-Identifier: MIT
#include "samples/viewer/app/app.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include "samples/viewer/app/app_state.h"

namespace pelt::viewer {

App::~App() {
  // The background work uses the other members: end it first.
  state_->binder.cancel();
  state_->binder.wait();
}

App::App(const runtime::Device& device, const AppOptions& options) : state_(std::make_unique<State>()) {
  state_->options = options;
  create_on(device);
}

void App::open(const std::string& file, const std::string& model) {
  State& state = *state_;
  // A rig without a model applies to the open model, or else to the built-in biped.
  const std::string shown = state.document ? state.document->model_name() : "builtin:biped";
  state.opening = {file, model.empty() ? shown : model};
  state.request_open();
}

Result<void> App::save(const std::string& path) {
  State& state = *state_;
  if (!state.document) return fail(ErrorCode::kInvalidArgument, "no document is open to save");
  if (path.empty() && state.document->rig_path().empty()) {
    return fail(ErrorCode::kInvalidArgument, "the rig has no file to save to yet");
  }
  return state.save(path.empty() ? state.document->rig_path() : std::filesystem::path(path));
}

void App::frame(double seconds) {
  State& state = *state_;
  const Clock::time_point begin = Clock::now();
  state.now += std::max(seconds, 1e-6);
  state.follow_document();
  state.stop_on_escape();
  state.request_binds();
  if (state.options.waits) state.binder.wait();
  state.binder.finish();

  state.draw_menu();
  state.draw_panels();
  state.draw_help();
  if (const std::optional<std::string> path = state.dialog.draw()) {
    state.dialog.purpose() == FileDialog::Purpose::kSave ? static_cast<void>(save(*path)) : open(*path);
  }
  if (!state.chosen.empty()) open(std::exchange(state.chosen, {}));
  state.draw_progress();
  state.draw_messages();
  state.handle_mouse();
  state.handle_keys();
  state.request_binds();
  state.stage->advance(state.view, seconds);
  if (std::exchange(state.frame_wanted, false)) state.frame_selection(false);
  state.update_scene();
  state.draw_captions();
  state.draw_legend();

  std::vector<float>& frames = state.timings.frames;
  constexpr std::size_t kFrames = 240;
  if (!state.options.waits) frames.push_back(static_cast<float>(seconds));
  if (frames.size() > kFrames) frames.erase(frames.begin());
  state.timings.cpu_frame = seconds_since(begin);
}

void App::record(VkCommandBuffer commands, bool all_samples) {
  State& state = *state_;
  if (!state.drawable) return;
  state.take_gpu_seconds();
  state.posed_last = state.renderer->recorded_samples() == 0 ? state.captions : std::vector<std::string>{};
  const std::uint32_t left = state.options.samples - state.renderer->recorded_samples();
  state.renderer->record(commands, all_samples ? left : std::min(left, state.options.samples_per_frame));
}

void App::measured(double copy, double panels) {
  state_->copy_seconds = copy;
  state_->panel_seconds = panels;
}

// Takes the device's times of the last recorded commands, if they moved the characters.
void App::State::take_gpu_seconds() {
  if (posed_last.empty()) return;
  const std::optional<samples::PassSeconds> seconds = renderer->seconds();
  if (!seconds) return;
  timings.gpu.clear();
  for (std::size_t c = 0; c < seconds->crowds.size(); ++c) {
    const bool several = seconds->crowds.size() > 1 && c < posed_last.size();
    for (const auto& [name, duration] : seconds->crowds[c]) {
      timings.gpu.push_back({several ? fmt::format("{}: {}", posed_last[c], name) : name, duration});
    }
  }
  for (const auto& [name, duration] :
       {std::pair{"shadows", seconds->shadows}, std::pair{"scene", seconds->surfaces},
        std::pair{"overlay", seconds->lines}, std::pair{"mean of samples", seconds->development},
        std::pair{"copy to the window", copy_seconds}, std::pair{"panels", panel_seconds}}) {
    timings.gpu.push_back({name, duration});
  }
}

VkImage App::picture() const { return state_->drawable ? state_->renderer->picture() : VK_NULL_HANDLE; }
PixelRect App::picture_rect() const { return state_->rect; }

bool App::wants_frames() const {
  const State& state = *state_;
  return state.view.playback.playing || state.binder.progress().has_value() || state.messages.has_notes() ||
         (state.drawable && state.renderer->recorded_samples() < state.options.samples);
}

ViewState& App::view() { return state_->view; }

float App::clip_seconds() const { return state_->stage->duration(state_->view); }

std::uint64_t App::error_count() const { return state_->messages.error_count(); }
const std::string& App::last_error() const { return state_->messages.last_error(); }

void App::apply_rig_patch(const std::string& pointer, const std::string& json_value) {
  State& state = *state_;
  if (!state.document) return state.error("no rig is open to edit");
  using Pointer = nlohmann::json::json_pointer;
  try {
    nlohmann::json rig = state.document->rig_json();
    const Pointer at(pointer);
    // An edit replaces an existing value, adds a key to an object, or appends an entry to a list.
    const bool added =
        !at.empty() && rig.contains(at.parent_pointer()) &&
        (rig[at.parent_pointer()].is_object() ||
         (rig[at.parent_pointer()].is_array() && at.back() == std::to_string(rig[at.parent_pointer()].size())));
    if (!rig.contains(at) && !added) return state.error(fmt::format("{}: no such key in the rig", pointer));
    rig[at] = nlohmann::json::parse(json_value);
    const Result<void> edited = state.document->edit(rig);
    if (!edited) state.error(edited.error().message);
  } catch (const std::exception& thrown) {
    state.error(fmt::format("{}: {}", pointer, thrown.what()));
  }
}

Result<void> App::move_point(const std::string& name, glm::vec3 by) {
  State& state = *state_;
  const std::vector<BrushedHandle> handles = state.brushed_handles();
  Result<void> moved;
  if (handles.empty() || handles.front().handle.name != name) {
    moved = fail(ErrorCode::kNotFound, fmt::format("no point '{}' in the picture", name));
  } else {
    state.rig_before = state.document->rig_json();
    moved = state.move_handles(handles, by);
    state.document->end_edit();
  }
  if (!moved) state.error(moved.error().message);
  return moved;
}

void App::undo() {
  if (state_->document) state_->document->undo();
}
void App::redo() {
  if (state_->document) state_->document->redo();
}

void App::release_device() {
  State& state = *state_;
  state.binder.cancel();
  state.binder.wait();
  state.cancel_grab();
  state.hide_picture();
  state.posed.clear();
  state.heated.clear();
  state.renderer.reset();
  state.textures.reset();
  state.model = nullptr;
  state.overlay = {};
  state.heat.reset();
  state.stage.reset();
  state.forget_requests();
}

void App::create_on(const runtime::Device& device) {
  State& state = *state_;
  state.device = &device;
  state.stage.emplace(device);
  state.timings.device = device.description().name;
  state.refused_size = {};
  if (state.opening) state.request_open();
}

void App::note(const std::string& text) { state_->note(text); }

}  // namespace pelt::viewer
