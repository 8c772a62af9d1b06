// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/rig/rig.h"
#include "samples/viewer/app_state.h"

namespace pelt::viewer {

void App::State::begin_document() {
  requested.clear();
  cancel_grab();
  hide_picture();
  heat.reset();
  overlay = {};
  rig_editor = {};
  stage->remove(kSubject);
  for (const std::string& key : view.compare.deformers) stage->remove(key);
  view.camera.framed = false;
  view.turns.clear();
  view.selection = {};
  const std::vector<Clip>& clips = document->model()->clips;
  view.playback.clip = clips.empty() ? "" : clips.front().name;
  view.playback.time = 0;
  textures = nullptr;
  model = nullptr;
}

// There is no scene until update_scene has made one.
void App::State::hide_picture() {
  drawable = false;
  drawn.clear();
}

void App::State::cancel_grab() {
  if (grab == Grab::kPaint && document) painter.end(*document);
  grab = Grab::kNone;
  gizmo.reset();
  hot = GizmoPart::kNone;
}

bool App::State::wants(const std::string& key) const {
  if (key == kSubject) return true;
  const std::vector<std::string>& others = view.compare.deformers;
  return view.compare.mode != CompareMode::kNone && std::find(others.begin(), others.end(), key) != others.end();
}

// Asks for what is missing, and drops what is no longer compared with.
void App::State::request_binds() {
  if (!document) return;
  const std::uint64_t revision = document->revision();
  if (!requested.contains(kSubject) || requested[kSubject].revision != revision) {
    requested[kSubject] = {revision, ++request_count};
    binder.request({kSubject, request_count, document->model(), document->rig()});
  }
  for (auto known = requested.begin(); known != requested.end();) {
    const std::string key = known->first;
    known = wants(key) ? std::next(known) : requested.erase(known);
    if (!wants(key)) stage->remove(key);
  }
  if (view.compare.mode == CompareMode::kNone) return;
  for (const std::string& deformer : view.compare.deformers) {
    if (requested.contains(deformer)) continue;
    requested[deformer] = {revision, ++request_count};
    Result<Rig> rig = rig_from_deformer_name(deformer);
    if (!rig) {
      error(rig.error().message);
      continue;
    }
    binder.request({deformer, request_count, document->model(), std::move(*rig)});
  }
}

void App::State::take_bound() {
  for (Binder::Finished& finished : binder.take_finished()) {
    const auto asked = requested.find(finished.key);
    if (asked == requested.end() || asked->second.number != finished.revision) continue;  // a newer one is on its way
    if (!finished.bound) {
      error(finished.key == kSubject ? finished.bound.error().message
                                     : fmt::format("{}: {}", finished.key, finished.bound.error().message));
      continue;
    }
    const Result<void> shown = stage->show(finished.key, std::move(*finished.bound), finished.seconds, 1);
    if (!shown) {
      error(shown.error().message);
      continue;
    }
    ++shown_count;
    if (finished.key == kSubject) load_textures();
  }
}

// Those of the document's model, whose characters are new: what was drawn with others is not drawn again.
void App::State::load_textures() {
  if (!document || model == document->model()) return;
  hide_picture();
  model = document->model();
  std::vector<std::string> notes;
  Result<std::shared_ptr<samples::MaterialTextures>> made = samples::make_textures(*device, *model, notes);
  textures = made ? std::move(*made) : nullptr;
  if (!made) error(made.error().message);
  for (const std::string& text : notes) note(text);
}

void App::State::follow_document() {
  if (!document) return;
  const std::shared_ptr<const Model> before = document->model();
  const Result<bool> reloaded = document->reload_if_changed(now);
  if (!reloaded) {
    error(reloaded.error().message);
  } else if (*reloaded) {
    note(fmt::format("{} was read again: it changed on disk", document->title()));
    cancel_grab();
  }
  if (document->model() != before) requested.clear();
}

// A file name for a rig that has none yet.
std::string App::State::suggested_name() const {
  std::string name = document->title();
  if (name.starts_with("builtin:")) name.erase(0, name.find(':') + 1);
  return std::filesystem::path(name).stem().string() + ".json";
}

Result<void> App::State::save(const std::filesystem::path& path) {
  Result<void> saved = document->save(path);
  saved ? note(fmt::format("saved {}", path.string())) : error(saved.error().message);
  return saved;
}

void App::State::save_somewhere() {
  if (!document) return;
  if (document->rig_path().empty()) {
    dialog.open(FileDialog::Purpose::kSave, suggested_name());
  } else {
    static_cast<void>(save(document->rig_path()));
  }
}

}  // namespace pelt::viewer
