// SPDX-License-Identifier: MIT
// The change of the rig by one frame of its panel. It is applied after everything is drawn, since the drawing must not
// change meanwhile.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "samples/viewer/document.h"
#include "samples/viewer/panels/rig_editor.h"

namespace pelt::viewer {

// Addresses values by JSON pointers; the objects around a changed value obey their rules.
class RigChanges {
 public:
  RigChanges(Document& document, RigEditorState& state)
      : document_(document), state_(state), rig_(state.draft ? state.draft->rig : document.rig_json()) {}

  const nlohmann::json& rig() const { return rig_; }  // the rig that is drawn

  // `key`: changes of the same key are one step of undo; empty: a separate step.
  void change(const std::string& pointer, const std::string& key, const std::function<void(nlohmann::json&)>& make);
  void set(const std::string& pointer, nlohmann::json value, const std::string& key = "");
  void erase(const std::string& object, const std::string& name);
  // Resets the values that depend on a choice, such as a layer's parameters on its deformer. A rig named after its
  // deformer is renamed after the new one.
  void choose(const std::string& name, const nlohmann::json& choice, const std::string& pointer);
  // Applies a button to entry i of a list: '^' up, 'v' down, '=' duplicate, 'x' remove; nullptr: nothing.
  void move_item(const char* button, std::size_t i, std::size_t count, const std::string& pointer);
  void drop_draft() { dropped_ = true; }
  void end() { ended_ = true; }  // the step of undo

  // Edits the document, once everything is drawn.
  void apply();

 private:
  struct Change {
    nlohmann::json rig;
    std::string key;
  };

  Document& document_;
  RigEditorState& state_;
  const nlohmann::json& rig_;
  std::optional<Change> change_;
  bool ended_ = false;
  bool dropped_ = false;
};

}  // namespace pelt::viewer
