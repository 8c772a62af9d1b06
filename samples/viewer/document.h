// SPDX-License-Identifier: MIT
// The edited document: a model, and the rig for it, with its history.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt::viewer {

// The rig is stored as JSON (rig.schema.json), with every parameter written out; every state of it parses.
class Document {
 public:
  // Opens a model (file or builtin:NAME), a .pelt file (with the model that the character keeps), or a rig (.json). A
  // rig needs `model`; otherwise `model` may be empty. A model's rig is the one in its file, or else `deformer` for all
  // of it. `files`: those that models and rigs may name; the rig of a .pelt file names none unless all are allowed.
  // Errors: import_model's, load_character's, load_rig's.
  static Result<Document> open(const std::string& file, const std::string& model = "",
                               const std::string& deformer = "surface_ffd", NamedFiles files = NamedFiles::kFolder);

  const std::string& title() const;  // file name of rig or model, for people
  std::shared_ptr<const Model> model() const;
  const std::string& model_name() const;  // the name that opened it
  const nlohmann::json& rig_json() const;
  const Rig& rig() const;          // the same, parsed
  std::uint64_t revision() const;  // changes with every change of the rig, including undo and reload

  // Makes `rig` the rig: one step of undo. Consecutive edits with the same key, unless it is empty, are one step, such
  // as the drag of a slider. Errors: parse_rig's; the document is then unchanged.
  Result<void> edit(const nlohmann::json& rig, std::string_view key = {});
  // Ends such a series of edits: the next edit is a separate step.
  void end_edit();

  bool can_undo() const;
  bool can_redo() const;
  void undo();
  void redo();

  bool modified() const;  // true if changed since it was opened or saved
  // Empty if the rig has no file yet.
  const std::filesystem::path& rig_path() const;
  // Writes the rig (format_rig), to a temporary name first. Its relative file names are then relative to `path`'s
  // folder.
  Result<void> save(const std::filesystem::path& path);

  // The result of a hot reload.
  struct Reread {
    std::optional<Rig> rig;
    std::shared_ptr<const Model> model;         // nullptr: the model has not changed
    std::vector<std::filesystem::path> beside;  // the model's buffers and images
    bool named = false;                         // true if a file that the rig names has changed
  };
  // Reads the changed files, on any thread. Does not need the document. Errors: as for open.
  using Read = std::function<Result<Reread>()>;
  // Returns a Read once per change on disk since the last read or write: of the rig's file, the model's, or a file that
  // these name (a model's buffers and images; a rig's drivers and cages, and their buffers). Checks the files at most
  // twice per second of the caller's clock, `seconds`.
  std::optional<Read> changed_on_disk(double seconds);
  // Takes the result of a Read. A new rig is one step of undo and counts as saved; a changed file that the rig names
  // makes a new revision.
  void take(Reread reread);

 private:
  struct State;
  explicit Document(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace pelt::viewer
