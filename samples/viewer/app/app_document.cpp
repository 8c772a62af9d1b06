// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include <pelt/rig.h>
#include <pelt/try.h>

#include "samples/viewer/app/app_state.h"

namespace pelt::viewer {

namespace {

constexpr const char* kOpening = "open";
constexpr const char* kReading = "read again";

using Tell = Binder::Tell;

// Maps the progress of a part of the work into [from, to] of the whole.
Tell part(const Tell& report_progress, double from, double to) {
  return [&report_progress, from, to](double fraction, const std::string& what) {
    return report_progress(from + (to - from) * fraction, what);
  };
}

// Turns exceptions into errors, such as out of memory with a huge file, so that none leaves the thread.
template <class Make>
auto guarded(const std::string& what, const Make& make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::exception& thrown) {
    return fail(ErrorCode::kUnsupported, fmt::format("{}: {}", what, thrown.what()));
  }
}

// Returns true for a lost device. The frames also meet the loss, and then request all running work again.
bool is_loss(const Error& error) {
  return error.code == ErrorCode::kDeviceFailed && error.message.find("the device was lost") != std::string::npos;
}

struct Order {
  const runtime::Device* device;
  std::string key;
  std::shared_ptr<const Model> model;
  Rig rig;
  std::string clip;
  std::uint32_t level = 0;  // of detail
  bool textures = false;
  unsigned threads = 0;        // BindOptions::threads
  std::function<bool()> stop;  // BindOptions::stop
};

// Leaves one processor to the frames that are drawn meanwhile.
unsigned bind_threads(const AppOptions& options) {
  return options.waits ? 0 : std::max(std::thread::hardware_concurrency(), 2u) - 1;
}

// Makes a character. If `report_progress` returns false, the result is arbitrary.
Result<Made> make_character(const Order& order, const Tell& report_progress) {
  return guarded("the rig cannot be bound", [&]() -> Result<Made> {
    Made made;
    if (order.textures) {
      const auto goes_on = [&](double fraction) { return report_progress(0.3 * fraction, "textures"); };
      PELT_ASSIGN(made.textures, samples::make_textures(*order.device, *order.model, made.notes, goes_on));
      made.model = order.model;
    }
    const Tell report_part = part(report_progress, order.textures ? 0.3 : 0.0, 0.95);
    BindOptions options;
    options.threads = order.threads;
    options.progress = [&](double fraction, const std::string& what) { report_part(fraction, what); };
    options.stop = order.stop;
    const Clock::time_point begin = Clock::now();
    PELT_ASSIGN(auto bound, bind(*order.model, order.rig, options));
    const double seconds = seconds_since(begin);
    if (order.level > 0) bound.character = bound.character.at_level(order.level);
    if (!report_progress(0.95, "upload")) return made;
    PELT_ASSIGN(made.newcomer, make_newcomer(*order.device, order.key, std::move(bound), seconds, order.clip));
    return made;
  });
}

// Returns the first clip that shows motion, or else the first: some files begin with a clip of the bind pose.
std::string opening_clip(const Model& model) {
  const auto moves = [](const auto& channel) {
    const std::size_t per_key = channel.values.size() / std::max<std::size_t>(channel.times.size(), 1);
    for (std::size_t i = per_key; i < channel.values.size(); ++i) {
      if (channel.values[i] != channel.values[i - per_key]) return true;
    }
    return false;
  };
  for (const Clip& clip : model.clips) {
    if (clip.duration < 0.2f) continue;
    if (std::ranges::any_of(clip.channels, moves) || std::ranges::any_of(clip.morph_channels, moves)) return clip.name;
  }
  return model.clips.empty() ? "" : model.clips.front().name;
}

Result<Opened> open_file(const runtime::Device& device, const std::string& file, const std::string& model,
                         NamedFiles files, std::span<const std::string> with, unsigned threads,
                         const std::function<bool()>& stop, const Tell& report_progress) {
  if (!report_progress(0, "")) return fail(ErrorCode::kUnsupported, "");
  PELT_ASSIGN(auto document, guarded(file, [&] { return Document::open(file, model, "surface_ffd", files); }));
  Result<Made> made = make_character({.device = &device,
                                      .key = kSubject,
                                      .model = document.model(),
                                      .rig = document.rig(),
                                      .clip = opening_clip(*document.model()),
                                      .textures = true,
                                      .threads = threads,
                                      .stop = stop},
                                     part(report_progress, 0.2, 1));
  // An unsuitable rig can be edited, but without the device nothing can be shown.
  if (!made && (made.error().code == ErrorCode::kDeviceFailed || made.error().code == ErrorCode::kOutOfMemory)) {
    return fail(made.error().code, fmt::format("{}: {}", file, made.error().message));
  }
  Opened opened{std::move(document), std::move(made), {}};
  for (const std::string& other : with) {
    PELT_ASSIGN(auto character, samples::load_character(other, {.files = files}, 0));
    PELT_ASSIGN(auto companion, within(other, make_newcomer(device, other, {.character = std::move(character)}, 0)));
    opened.companions.push_back(std::move(companion));
  }
  return opened;
}

}  // namespace

std::string App::State::opening_title() const {
  const std::string name = std::filesystem::path(opening->file).filename().string();
  return "opening " + (name.empty() ? opening->file : name);
}

// Opens a file in the background; the previous document stays until all of it is ready.
void App::State::request_open() {
  const auto work = [this, on = device, wanted = *opening, threads = bind_threads(options), files = options.files,
                     with = options.with](const Tell& report_progress) -> Binder::Done {
    auto opened = std::make_shared<Result<Opened>>(open_file(
        *on, wanted.file, wanted.model, files, with, threads, [this] { return binder.is_given_up(); },
        report_progress));
    return [this, opened] {
      if (!*opened && is_loss(opened->error())) return;
      opening.reset();
      *opened ? take_opened(std::move(**opened)) : error(opened->error().message);
    };
  };
  binder.cancel(kOpening);
  binder.request(kOpening, opening_title(), work);
}

void App::State::cancel_opening() {
  binder.cancel(kOpening);
  opening.reset();
}

void App::State::take_opened(Opened opened) {
  document = std::move(opened.document);
  begin_document();
  stage->accompany(std::move(opened.companions));
  for (const Actor* other : stage->companions()) {
    const bool rests = find_clip(other->character->clips, view.playback.clip) == nullptr;
    if (rests) note(fmt::format("{} has no clip '{}' and stays at rest", other->key, view.playback.clip));
  }
  requested[kSubject] = document->revision();
  opened.made ? take_made(kSubject, std::move(*opened.made)) : error(opened.made.error().message);
}

// Forgets the requests, which belong to another document or another state of its model.
void App::State::forget_requests() {
  requested.clear();
  shown_rig.reset();
  ++generation;
}

void App::State::begin_document() {
  forget_requests();
  cancel_grab();
  hide_picture();
  heat.reset();
  overlay = {};
  rig_editor = {};
  view.panels.search.clear();
  view.panels.place = 0;
  stage->remove(kSubject);
  for (const std::string& key : view.compare.deformers) stage->remove(key);
  view.camera.framed = false;
  view.turns.clear();
  view.morphs.clear();
  view.level = bound_level = 0;
  view.selection = {};
  view.playback.clip = opening_clip(*document->model());
  view.playback.time = 0;
  textures = nullptr;
  model = nullptr;
}

// Hides the picture until update_scene has made a scene.
void App::State::hide_picture() {
  drawable = false;
  drawn.clear();
}

void App::State::cancel_grab() {
  grab = Grab::kNone;
  gizmo.reset();
  hot.reset();
}

bool App::State::wants(const std::string& key) const {
  if (key == kSubject) return true;
  const std::vector<std::string>& others = view.compare.deformers;
  return view.compare.mode != CompareMode::kNone && std::find(others.begin(), others.end(), key) != others.end();
}

void App::State::request_bind(const std::string& key, const Rig& rig) {
  requested[key] = document->revision();
  const Order order{.device = device,
                    .key = key,
                    .model = document->model(),
                    .rig = rig,
                    .clip = view.playback.clip,
                    .level = bound_level,
                    .textures = key == kSubject && model != document->model(),
                    .threads = bind_threads(options),
                    .stop = [this] { return binder.is_given_up(); }};
  binder.request(key, "binding", [this, order, asked = generation](const Tell& report_progress) -> Binder::Done {
    auto made = std::make_shared<Result<Made>>(make_character(order, report_progress));
    return [this, made, key = order.key, asked] {
      if (asked != generation || !requested.contains(key)) return;
      if (*made) return take_made(key, std::move(**made));
      if (is_loss(made->error())) return;
      error(key == kSubject ? made->error().message : fmt::format("{}: {}", key, made->error().message));
    };
  });
}

// Requests the missing characters, and removes those that are no longer compared.
void App::State::request_binds() {
  if (!document) return;
  // During a drag of a slider the character follows, however late; afterwards only the last bind counts.
  if (!ImGui::IsAnyMouseDown()) binder.give_up_outdated();
  if (view.level != bound_level) requested.clear();
  bound_level = view.level;
  const auto of_rig = requested.find(kSubject);
  const bool is_new = of_rig == requested.end();
  if (is_new || (of_rig->second != document->revision() && !move_points())) request_bind(kSubject, document->rig());
  for (auto known = requested.begin(); known != requested.end();) {
    const std::string key = known->first;
    known = wants(key) ? std::next(known) : requested.erase(known);
    if (wants(key)) continue;
    binder.cancel(key);
    stage->remove(key);
  }
  if (view.compare.mode == CompareMode::kNone) return;
  for (const std::string& deformer : view.compare.deformers) {
    if (requested.contains(deformer)) continue;
    requested[deformer] = document->revision();
    Result<Rig> rig = rig_from_deformer_name(deformer);
    if (rig) rig->check = CheckMode::kNone;  // keeps the deformer on the whole skin
    rig ? request_bind(deformer, *rig) : error(rig.error().message);
  }
}

void App::State::take_made(const std::string& key, Made made) {
  for (const std::string& text : made.notes) note(text);
  if (made.model != nullptr) {
    hide_picture();  // it shows the previous textures
    textures = std::move(made.textures);
    model = std::move(made.model);
  }
  if (!made.newcomer) return;
  stage->show(std::move(*made.newcomer));
  ++shown_count;
  if (key == kSubject) remember_rig();
}

void App::State::follow_document() {
  if (!document) return;
  const std::optional<Document::Read> read = document->changed_on_disk(now);
  if (!read) return;
  const auto work = [this, read = *read, asked = generation](const Tell&) -> Binder::Done {
    auto reread = std::make_shared<Result<Document::Reread>>(guarded("it changed on disk", read));
    return [this, reread, asked] {
      if (asked != generation) return;
      if (!*reread) return error(reread->error().message);
      const bool new_model = (*reread)->model != nullptr;
      document->take(std::move(**reread));
      note(fmt::format("{} was read again: it or a file that it names has changed on disk", document->title()));
      cancel_grab();
      if (new_model) forget_requests();
    };
  };
  binder.request(kReading, "reading " + document->title(), work);
}

// Cancels opening and binding in the background on Escape, unless a field or a window takes the key.
void App::State::stop_on_escape() {
  constexpr ImGuiPopupFlags kAny = ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel;
  const int escape = ImGui::GetKeyIndex(ImGuiKey_Escape);
  if (!ImGui::IsKeyPressed(escape, false) || ImGui::IsAnyItemActive() || ImGui::IsPopupOpen("", kAny)) return;
  const std::optional<Binder::Progress> progress = binder.progress();
  if (!progress) return;
  if (opening) {
    cancel_opening();
  } else if (requested.contains(progress->key)) {
    for (const auto& [key, revision] : requested) binder.cancel(key);
    note("binding was cancelled: the picture shows the previous rig until the next edit");
  }
}

// Returns a file name for a rig that has none yet.
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
