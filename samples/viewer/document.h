// SPDX-License-Identifier: MIT
// What is worked on: a model, and the rig over it, with its history.
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

// The rig is kept as JSON, as rig.schema.json describes it, with every parameter written out; every state of it parses.
class Document {
 public:
  // A model (file or builtin:NAME), a .pelt file (its model is what the character keeps), or a rig (.json), then over
  // `model`, which may be empty only where `file` is none. A model alone has the rig that its file carries, or gets one
  // of `deformer` over all of it.
  // Errors: import_model's, load_pelt's, load_rig's.
  static Result<Document> open(const std::string& file, const std::string& model = "",
                               const std::string& deformer = "surface_ffd");

  const std::string& title() const;  // file name of rig or model, for people
  std::shared_ptr<const Model> model() const;
  const std::string& model_name() const;  // as it was opened by
  const nlohmann::json& rig_json() const;
  const Rig& rig() const;          // the same, parsed
  std::uint64_t revision() const;  // another one after every change of the rig, undo and reload too

  // Makes `rig` the rig: one step of undo. Edits in a row with the same key that is not empty are one step: a slider
  // that is dragged. Errors: parse_rig's; then nothing has changed.
  Result<void> edit(nlohmann::json rig, std::string_view key = {});
  // Ends such a row: the next edit is a step of its own.
  void end_edit();

  bool can_undo() const;
  bool can_redo() const;
  void undo();
  void redo();

  bool modified() const;  // since opened or saved
  // Empty where the rig has no file yet.
  const std::filesystem::path& rig_path() const;
  // Writes the rig (format_rig), to a temporary name first. Its relative file names are then meant from there.
  Result<void> save(const std::filesystem::path& path);

  // Hot reload, what is read again.
  struct Reread {
    std::optional<Rig> rig;
    std::shared_ptr<const Model> model;         // nullptr: as it was
    std::vector<std::filesystem::path> beside;  // of the model: buffers and images
    bool named = false;                         // a file that the rig names has changed
  };
  // Reads it, on any thread; the document may be gone by then. Errors: as open.
  using Read = std::function<Result<Reread>()>;
  // Once for each change of the rig's file or the model's on disk since they were read or written, or of a file that
  // these name: a model's buffers and images, a rig's drivers and cages and their buffers. Asks the file system
  // at most twice a second, by the caller's clock, which says `seconds`.
  std::optional<Read> changed_on_disk(double seconds);
  // A rig becomes one step of undo, and is as if saved. What the rig names is another revision.
  void take(Reread reread);

 private:
  struct State;
  explicit Document(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace pelt::viewer
