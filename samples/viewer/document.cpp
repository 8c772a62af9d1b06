// SPDX-License-Identifier: MIT
#include "samples/viewer/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include <pelt/gltf_rig.h>
#include <pelt/import.h>
#include <pelt/model_of.h>
#include <pelt/paint.h>
#include <pelt/pelt_gltf.h>
#include <pelt/rig_json.h>
#include <pelt/rig_names.h>
#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "samples/pelt/input.h"

namespace pelt::viewer {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kMaxSteps = 200;
constexpr double kSecondsBetweenLooks = 0.5;

// A state of the rig, with its folder for relative file names, which saving elsewhere changes.
struct Step {
  std::shared_ptr<const Json> json;
  std::shared_ptr<const Rig> rig;
};

Step make_step(Rig rig) {
  auto json = std::make_shared<const Json>(Json::parse(format_rig(rig)));
  return {std::move(json), std::make_shared<const Rig>(std::move(rig))};
}

// Distinguishes one state of a file from the next.
struct Stamp {
  fs::file_time_type time;
  std::uintmax_t size = 0;
  friend bool operator==(const Stamp&, const Stamp&) = default;
};

// None: there is no such file, or its state cannot be read.
std::optional<Stamp> stamp_of(const fs::path& path) {
  std::error_code code;
  Stamp stamp;
  stamp.time = fs::last_write_time(path, code);
  if (code) return std::nullopt;
  stamp.size = fs::file_size(path, code);
  if (code) return std::nullopt;
  return stamp;
}

struct WatchedFile {
  fs::path path;  // empty: there is no file, as for a built-in model
  std::optional<Stamp> stamp;

  // Returns true once per change, and remembers the new state. A missing file counts as unchanged: it may be about to
  // be replaced.
  bool changed() {
    if (path.empty()) return false;
    const std::optional<Stamp> now = stamp_of(path);
    if (!now || now == stamp) return false;
    stamp = now;
    return true;
  }
};

// Takes the stamp before the file is read, so that a later write counts as a change.
WatchedFile watch(const fs::path& path) { return {path, stamp_of(path)}; }

// Returns true if any file has changed, and remembers the new state of all.
bool any_changed(std::vector<WatchedFile>& files) {
  const auto changed = std::count_if(files.begin(), files.end(), [](WatchedFile& file) { return file.changed(); });
  return changed > 0;
}

bool is_pelt(const std::string& file) { return samples::lower_extension(file) == ".pelt"; }

bool is_built_in(const std::string& file) { return file.starts_with("builtin:"); }

struct Source {
  std::shared_ptr<const Model> model;
  std::optional<Rig> rig;  // the rig in the file: a .pelt file, or a glTF file that carries one
};

// Reads a model. `beside`: receives the other files that are read, even if reading fails.
Result<Source> read_model(const std::string& file, NamedFiles files, std::vector<fs::path>& beside) {
  if (!is_pelt(file)) {
    PELT_ASSIGN(auto model, import_model(file, &beside, files));
    // Once, not at every bind.
    PELT_ASSIGN(auto painted, paint_model(model, PaintMode::kAuto));
    if (!painted.empty()) model.report.notes.push_back(std::move(painted));
    Source source{std::make_shared<const Model>(std::move(model)), std::nullopt};
    if (!is_gltf(file)) return source;
    PELT_ASSIGN(auto gltf_rig, load_gltf_rig(file));
    if (gltf_rig) source.rig = std::move(gltf_rig->rig);
    return source;
  }
  PELT_ASSIGN(const auto character, load_character(file));
  PELT_ASSIGN(auto rig, parse_rig(character->rig, file + ": its rig"));
  rig.directory = fs::path(file).parent_path().string();
  // A character may be untrusted.
  rig.files = files == NamedFiles::kAnywhere ? files : NamedFiles::kNone;
  PELT_ASSIGN(auto model, within(file, model_of(character)));
  return Source{std::make_shared<const Model>(std::move(model)), std::move(rig)};
}

bool names_file(Names names) { return names == Names::kFile || names == Names::kObjFile; }

// Returns true if bind may read the file: bind itself checks links.
bool may_read(const Rig& rig, const fs::path& name) {
  if (rig.files == NamedFiles::kAnywhere) return true;
  const fs::path normal = name.lexically_normal();
  return rig.files == NamedFiles::kFolder && !normal.is_absolute() && *normal.begin() != "..";
}

// Returns the files that the rig names and bind may read, with their folder.
std::vector<fs::path> files_of(const Rig& rig) {
  std::vector<fs::path> files;
  for (const Layer& layer : rig.layers) {
    for_each_name(layer.deformer, [&](const std::string& name, Names names) {
      if (names_file(names) && may_read(rig, name)) files.push_back(fs::path(rig.directory) / name);
    });
  }
  return files;
}

// Returns true if bind may read every file that the rig names.
bool may_read_all(const Rig& rig) {
  bool all = true;
  for (const Layer& layer : rig.layers) {
    for_each_name(layer.deformer, [&](const std::string& name, Names names) {
      all = all && (!names_file(names) || may_read(rig, name));
    });
  }
  return all;
}

// Watches the files, and those that are read with them.
std::vector<WatchedFile> watch_all(const std::vector<fs::path>& files) {
  std::vector<WatchedFile> watched;
  for (const fs::path& file : files) {
    watched.push_back(watch(file));
    if (samples::lower_extension(file.string()) != ".gltf") continue;
    std::vector<fs::path> beside;
    static_cast<void>(import_model(file.string(), &beside));  // bind reports its errors
    for (const fs::path& path : beside) watched.push_back(watch(path));
  }
  return watched;
}

// Makes the rig's relative file names relative to `directory`.
void move_to(Rig& rig, const fs::path& directory) {
  const VisitName move = [&](std::string& name, Names names) {
    if (!names_file(names) || fs::path(name).is_absolute()) return;
    std::error_code code;
    const fs::path moved = fs::proximate(fs::absolute(fs::path(rig.directory) / name),
                                         directory.empty() ? fs::current_path() : fs::absolute(directory), code);
    if (!code) name = moved.generic_string();
  };
  for (Layer& layer : rig.layers) for_each_name(layer.deformer, move);
  rig.directory = directory.string();
}

}  // namespace

struct Document::State {
  std::string title;
  NamedFiles allowed = NamedFiles::kFolder;  // files that those of the document may name
  std::shared_ptr<const Model> model;
  std::string model_name;
  WatchedFile model_file;
  std::vector<WatchedFile> beside_model;
  std::vector<fs::path> named;  // files that the rig named at the last check
  std::vector<WatchedFile> named_files;
  WatchedFile rig_file;       // JSON
  bool rig_of_model = false;  // true if the model's file also has the rig

  std::vector<Step> steps;
  std::size_t current = 0;
  Step saved;
  bool modified = false;
  std::string row;  // key of the current row of edits; empty: the next edit is a separate step
  std::uint64_t revision = 1;
  double looked = -kSecondsBetweenLooks;  // time of the last check of the files, by the caller's clock

  const Step& step() const { return steps[current]; }

  // Known files keep their stamps from before they were read.
  void watch_beside(const std::vector<fs::path>& files) {
    std::vector<WatchedFile> now;
    for (const fs::path& path : files) {
      const auto known = std::find_if(beside_model.begin(), beside_model.end(),
                                      [&](const WatchedFile& file) { return file.path == path; });
      now.push_back(known != beside_model.end() ? *known : watch(path));
    }
    beside_model = std::move(now);
  }

  // Returns true if a file that the rig names has changed on disk. Newly named files count as unchanged.
  bool look_at_named() {
    std::vector<fs::path> names = files_of(*step().rig);
    const bool same = names == named;
    const bool changed = same && any_changed(named_files);
    if (!same || changed) named_files = watch_all(names);
    named = std::move(names);
    return changed;
  }

  void changed() {
    modified = step().json != saved.json && *step().json != *saved.json;
    ++revision;
  }

  void push(Step step) {
    steps.resize(current + 1);
    steps.push_back(std::move(step));
    if (steps.size() > kMaxSteps) steps.erase(steps.begin());
    current = steps.size() - 1;
  }

  // Makes a rig from a file the current one, which counts as saved.
  void take_from_file(Rig rig) {
    Step read = make_step(std::move(rig));
    row.clear();
    saved = read;
    if (*read.json == *step().json) {
      steps[current] = std::move(read);
    } else {
      push(std::move(read));
    }
    changed();
  }
};

Document::Document(std::shared_ptr<State> state) : state_(std::move(state)) {}

Result<Document> Document::open(const std::string& file, const std::string& model, const std::string& deformer,
                                NamedFiles files) {
  const bool is_rig = samples::lower_extension(file) == ".json";
  if (is_rig && model.empty()) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}: a rig needs a model that it applies to", file));
  }
  const std::string& model_name = is_rig ? model : file;
  auto state = std::make_shared<State>();
  state->allowed = files;
  if (!is_built_in(model_name)) state->model_file = watch(model_name);
  std::vector<fs::path> beside;
  PELT_ASSIGN(auto source, read_model(model_name, files, beside));
  state->model = std::move(source.model);
  state->model_name = model_name;
  state->watch_beside(beside);

  Rig rig;
  if (is_rig) {
    state->rig_file = watch(file);
    PELT_ASSIGN(rig, load_rig(file));
    rig.files = files;
  } else if (source.rig) {
    state->rig_of_model = true;
    rig = *std::move(source.rig);
  } else {
    PELT_ASSIGN(rig, rig_from_deformer_name(deformer));
  }
  state->title = is_built_in(file) ? file : fs::path(file).filename().string();
  state->steps = {make_step(std::move(rig))};
  state->saved = state->step();
  state->look_at_named();
  return Document(std::move(state));
}

const std::string& Document::title() const { return state_->title; }
std::shared_ptr<const Model> Document::model() const { return state_->model; }
const std::string& Document::model_name() const { return state_->model_name; }
const Json& Document::rig_json() const { return *state_->step().json; }
const Rig& Document::rig() const { return *state_->step().rig; }
std::uint64_t Document::revision() const { return state_->revision; }

Result<void> Document::edit(const Json& json, std::string_view key) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  PELT_ASSIGN(auto rig, parse_rig(text, state_->title));
  rig.directory = state_->step().rig->directory;
  rig.files = state_->step().rig->files;
  Step step = make_step(std::move(rig));
  const bool same_row = !key.empty() && key == state_->row;
  if (*step.json == rig_json()) return {};
  if (same_row) {
    state_->steps.resize(state_->current + 1);
    state_->steps[state_->current] = std::move(step);
  } else {
    state_->push(std::move(step));
    state_->row = key;
  }
  state_->changed();
  return {};
}

void Document::end_edit() { state_->row.clear(); }

bool Document::can_undo() const { return state_->current > 0; }
bool Document::can_redo() const { return state_->current + 1 < state_->steps.size(); }

void Document::undo() {
  end_edit();
  if (!can_undo()) return;
  --state_->current;
  state_->changed();
}

void Document::redo() {
  end_edit();
  if (!can_redo()) return;
  ++state_->current;
  state_->changed();
}

bool Document::modified() const { return state_->modified; }
const fs::path& Document::rig_path() const { return state_->rig_file.path; }

Result<void> Document::save(const fs::path& path) {
  end_edit();
  Rig moved = rig();
  if (path.parent_path() != fs::path(moved.directory)) {
    const bool allowed = may_read_all(moved);
    move_to(moved, path.parent_path());
    // Files in the old folder may still be read until the rig is opened again.
    if (allowed && !may_read_all(moved)) moved.files = NamedFiles::kAnywhere;
  }
  const std::string text = format_rig(moved);
  PELT_TRY(write_file(path, std::as_bytes(std::span(text))));
  state_->rig_file = watch(path);
  state_->rig_of_model = false;
  state_->title = path.filename().string();
  const bool renamed = moved != rig();
  state_->steps[state_->current] = make_step(std::move(moved));
  state_->saved = state_->step();
  state_->modified = false;
  if (renamed) ++state_->revision;
  return {};
}

std::optional<Document::Read> Document::changed_on_disk(double seconds) {
  if (seconds - state_->looked < kSecondsBetweenLooks) return std::nullopt;
  state_->looked = seconds;
  const bool rig_changed = state_->rig_file.changed();
  const bool beside_changed = any_changed(state_->beside_model);
  const bool model_changed = state_->model_file.changed() || beside_changed;
  const bool named_changed = state_->look_at_named();
  if (!rig_changed && !model_changed && !named_changed) return std::nullopt;
  return [rig_file = rig_changed ? state_->rig_file.path : fs::path(),
          model_file = model_changed ? state_->model_file.path : fs::path(), with_rig = state_->rig_of_model,
          files = state_->allowed, named_changed]() -> Result<Reread> {
    Reread reread;
    reread.named = named_changed;
    if (!rig_file.empty()) {
      PELT_ASSIGN(reread.rig, load_rig(rig_file));
      reread.rig->files = files;
    }
    if (!model_file.empty()) {
      PELT_ASSIGN(auto source, read_model(model_file.string(), files, reread.beside));
      reread.model = std::move(source.model);
      if (with_rig) reread.rig = std::move(source.rig);
    }
    return reread;
  };
}

void Document::take(Reread reread) {
  if (reread.model != nullptr) {
    state_->model = std::move(reread.model);
    state_->watch_beside(reread.beside);
    ++state_->revision;
  }
  if (reread.named) ++state_->revision;
  if (reread.rig) state_->take_from_file(std::move(*reread.rig));
}

}  // namespace pelt::viewer
