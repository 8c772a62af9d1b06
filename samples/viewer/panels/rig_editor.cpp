// SPDX-License-Identifier: MIT
#include "samples/viewer/panels/rig_editor.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "samples/viewer/panels/rig_changes.h"
#include "samples/viewer/panels/rig_values.h"
#include "samples/viewer/panels/rows.h"
#include "samples/viewer/panels/value_widgets.h"
#include "samples/viewer/schema.h"

namespace pelt::viewer {
namespace {

using Json = nlohmann::json;
using Kind = Schema::Kind;

constexpr float kLabelShare = 0.5f;          // fraction of the panel's width
constexpr float kNestedLabelShare = 0.52f;   // least fraction of the width after indentation
constexpr float kIndent = 0.8f;              // em
constexpr float kMargin = 0.6f;              // em: margin at the left, for the marks
constexpr float kWordWidth = 4.5f;           // em: width of "auto" next to a number
constexpr float kButtonWidth = 2.5f;         // em: room for a button at the right end of a row
constexpr std::size_t kMaxListed = 64;       // numbers of a list that are shown singly
constexpr std::size_t kMaxRangesText = 400;  // characters
constexpr const char* kLayers = "/layers";
const ImVec4 kNotice(1.0f, 0.72f, 0.35f, 1.0f);

float em() { return ImGui::GetFontSize(); }

bool is_ranges(const Schema& schema) {
  return schema.kind == Kind::kArray && schema.items != nullptr && schema.items->kind == Kind::kUnion;
}

class Editor {
 public:
  Editor(Document& document, RigEditorState& state, std::string& search)
      : document_(document), state_(state), search_(search), changes_(document, state) {}

  void draw() {
    draw_draft();
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##search", "search parameters", &search_);
    ImGui::PushStyleVar(ImGuiStyleVar_IndentSpacing, kIndent * em());
    if (ImGui::BeginChild("rig")) {
      ImGui::Indent(kMargin * em());
      label_width_ = kLabelShare * ImGui::GetContentRegionAvail().x;
      left_ = ImGui::GetCursorPosX();
      const Schema& schema = rig_schema();
      for (const char* name : {"name", "layers", "groups", "muscles"}) {
        draw_property(schema, changes_.rig(), "",
                      *std::find_if(schema.properties.begin(), schema.properties.end(),
                                    [&](const Schema::Property& p) { return p.name == name; }));
      }
    }
    ImGui::EndChild();
    ImGui::PopStyleVar();
    changes_.apply();
  }

 private:
  // Draws a number or several; the change continues while the item is active.
  void draw_numeric(const Schema& schema, Json value, const std::string& pointer) {
    const bool changed = schema.kind == Kind::kArray ? draw_numbers(schema, value) : draw_number(schema, value);
    if (changed) changes_.set(pointer, value, pointer);
    if (ImGui::IsItemDeactivated()) changes_.end();
  }

  void draw_draft() {
    if (!state_.draft) return;
    ImGui::PushTextWrapPos(0);
    ImGui::TextColored(kNotice, "Not applied yet: %s", state_.draft->error.c_str());
    ImGui::PopTextWrapPos();
    if (ImGui::SmallButton("Discard this change")) changes_.drop_draft();
  }

  // ------------------------------------------------------------------------------------------------------ searching

  bool shows(const std::string& name, const Schema& schema, const Json& value) const {
    if (search_.empty() || found_above_) return true;
    if (names(name, schema)) return true;
    if (value.is_object()) {
      return std::any_of(schema.properties.begin(), schema.properties.end(), [&](const Schema::Property& property) {
        const Schema& property_schema = *schema.find(property.name, value);
        return value.contains(property.name) && shows(property.name, property_schema, value[property.name]);
      });
    }
    if (value.is_array() && schema.items != nullptr && schema.items->kind == Kind::kObject) {
      return std::any_of(value.begin(), value.end(), [&](const Json& item) { return shows("", *schema.items, item); });
    }
    return false;
  }

  bool names(const std::string& name, const Schema& schema) const {
    return contains(readable(name), search_) || contains(name, search_) || contains(schema.description, search_);
  }

  // Opens all nodes of trees during a search.
  void open_for_search() const {
    if (!search_.empty()) ImGui::SetNextItemOpen(true);
  }

  // ------------------------------------------------------------------------------------------------------------ rows

  // `name`: the full name, if the row cuts it off.
  static void tooltip(const Schema& schema, const std::string& name = "") {
    if ((schema.description.empty() && name.empty()) || !ImGui::IsItemHovered()) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(26 * em());
    if (!name.empty()) ImGui::TextUnformatted(name.c_str());
    ImGui::TextUnformatted(schema.description.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }

  // Adds a menu to the last item.
  void reset_menu(const Schema& schema, const Json& value, const std::string& pointer) {
    if (!schema.has_fallback() || !ImGui::BeginPopupContextItem("reset")) return;
    if (ImGui::MenuItem("Reset to default", nullptr, false, !is_default(schema, value)))
      changes_.set(pointer, schema.fallback);
    ImGui::EndPopup();
  }

  // Draws a dot at the left of the next item if the value is not its default.
  static void mark(const Schema& schema, const Json& value) {
    if (!schema.has_fallback() || is_default(schema, value)) return;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddCircleFilled({at.x - 0.28f * em(), at.y + 0.5f * ImGui::GetFrameHeight()},
                                                0.17f * em(), ImGui::GetColorU32(kNotice));
  }

  // Draws the name at the left; the next item has the remaining width.
  void label(const std::string& name, const Schema& schema, const Json& value, const std::string& pointer) {
    mark(schema, value);
    const float x = ImGui::GetCursorPosX();
    const float end = std::max(left_ + label_width_, x + kNestedLabelShare * ImGui::GetContentRegionAvail().x);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size(end - x - 0.4f * em(), ImGui::GetFrameHeight());
    ImGui::InvisibleButton("label", size, ImGuiButtonFlags_MouseButtonRight);
    const std::string text = readable(name);
    const bool cut = ImGui::CalcTextSize(text.c_str()).x > size.x;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.PushClipRect(at, {at.x + size.x, at.y + size.y}, true);
    list.AddText({at.x, at.y + ImGui::GetStyle().FramePadding.y}, ImGui::GetColorU32(ImGuiCol_Text), text.c_str());
    list.PopClipRect();
    tooltip(schema, cut ? text : "");
    reset_menu(schema, value, pointer);
    ImGui::SameLine(end);
    ImGui::SetNextItemWidth(-1);
  }

  // Returns true if the object's choices give the property a meaning.
  static bool has_meaning(const Schema& schema, const Json& object, const Schema::Property& property) {
    for (const auto& [key, choices] : property.schema->counts_with.items()) {
      const Json chosen = object.value(key, schema.find(key)->fallback);
      if (std::find(choices.begin(), choices.end(), chosen) == choices.end()) return false;
    }
    return true;
  }

  void draw_property(const Schema& schema, const Json& object, const std::string& pointer,
                     const Schema::Property& property) {
    const Schema& property_schema = *schema.find(property.name, object);
    if (property_schema.kind == Kind::kConst || is_ruled_out(schema, object, property.name)) return;
    if (!has_meaning(schema, object, property)) return;
    const std::string place = pointer + "/" + property.name;
    const auto found = object.find(property.name);
    const bool absent = found == object.end();
    const Json& value = absent ? property_schema.fallback : *found;
    if (!absent || property_schema.has_fallback()) {
      if (!shows(property.name, property_schema, value)) return;
      draw_value(property.name, property_schema, value, place,
                 absent || property.required || property_schema.has_fallback() ? "" : pointer);
    } else if (shows(property.name, property_schema, Json())) {
      ImGui::PushID(property.name.c_str());
      label(property.name, property_schema, Json(), place);
      if (ImGui::Button("Add", {-1, 0})) changes_.set(place, new_value(document_, property_schema));
      ImGui::PopID();
    }
  }

  // `optional_in`: pointer of the object from which the value can be removed; empty: it cannot be removed.
  void draw_value(const std::string& name, const Schema& schema, const Json& value, const std::string& pointer,
                  const std::string& optional_in) {
    ImGui::PushID(name.c_str());
    const bool found_before = found_above_;
    if (!search_.empty() && names(name, schema)) found_above_ = true;
    switch (schema.kind) {
      case Kind::kAny:
      case Kind::kConst:
        break;
      case Kind::kBoolean: {
        label(name, schema, value, pointer);
        bool on = value.is_boolean() && value.get<bool>();
        if (ImGui::Checkbox("##value", &on)) changes_.set(pointer, on);
        break;
      }
      case Kind::kNumber:
      case Kind::kInteger:
        label(name, schema, value, pointer);
        draw_numeric(schema, value, pointer);
        break;
      case Kind::kString:
        label(name, schema, value, pointer);
        draw_string(schema, value, pointer);
        break;
      case Kind::kChoice: {
        label(name, schema, value, pointer);
        Json choice = value;
        if (draw_choice(schema, choice)) changes_.choose(name, choice, pointer);
        break;
      }
      case Kind::kUnion:
        label(name, schema, value, pointer);
        draw_union(schema, value, pointer);
        break;
      case Kind::kArray:
        draw_array(name, schema, value, pointer);
        break;
      case Kind::kObject:
        draw_node(name, schema, value, pointer, optional_in);
        break;
    }
    found_above_ = found_before;
    ImGui::PopID();
  }

  void draw_string(const Schema& schema, const Json& value, const std::string& pointer) {
    std::string text = value.is_string() ? value.get<std::string>() : "";
    if (!schema.names.empty()) {
      const auto list = [&] { return names_for(document_, schema); };
      if (draw_name("##value", "none", text, state_.filter, list)) changes_.set(pointer, text);
    } else if (draw_text("##value", "", text)) {
      changes_.set(pointer, text);
    }
  }

  // Draws a union: "auto", or the alternatives to it.
  void draw_union(const Schema& schema, const Json& value, const std::string& pointer) {
    const auto word = [](const Schema& one) -> std::string {
      if (one.kind == Kind::kConst) return one.fixed.get<std::string>();
      if (is_keys(one)) return "curve";
      return one.kind == Kind::kArray ? "point" : "value";
    };
    const auto found = std::find_if(schema.alternatives.begin(), schema.alternatives.end(),
                                    [&](const auto& one) { return fits(*one, value); });
    if (found == schema.alternatives.end()) return;
    const Schema& now = **found;
    const bool keys = is_keys(now);
    const bool alone = now.kind == Kind::kConst;
    ImGui::SetNextItemWidth(keys ? -kButtonWidth * em() : alone ? -1 : kWordWidth * em());
    if (ImGui::BeginCombo("##which", word(now).c_str())) {
      for (const auto& one : schema.alternatives) {
        if (ImGui::Selectable(word(*one).c_str(), one.get() == &now) && one.get() != &now) {
          changes_.set(pointer, first_value(schema, *one, value));
        }
      }
      ImGui::EndCombo();
    }
    if (keys) {
      add_button(now, pointer);
      draw_entries(now, value, pointer);
    } else if (!alone) {
      ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
      ImGui::SetNextItemWidth(-1);
      draw_numeric(now, value, pointer);
    }
  }

  // ----------------------------------------------------------------------------------------------------------- trees

  // Draws a node of a tree with its name, mark and menu; `flags` may open it by default.
  bool begin_node(const std::string& text, const Schema& schema, const Json& value, const std::string& pointer,
                  ImGuiTreeNodeFlags flags) {
    open_for_search();
    mark(schema, value);
    const bool open = ImGui::TreeNodeEx(
        "node", flags | ImGuiTreeNodeFlags_AllowItemOverlap | ImGuiTreeNodeFlags_SpanAvailWidth, "%s", text.c_str());
    tooltip(schema);
    reset_menu(schema, value, pointer);
    return open;
  }

  // Draws small buttons at the right end of the row. Returns the pressed one, or nullptr.
  static const char* row_buttons(std::initializer_list<std::pair<const char*, const char*>> buttons) {
    const ImGuiStyle& style = ImGui::GetStyle();
    float width = 0;
    for (const auto& [text, about] : buttons) {
      width += ImGui::CalcTextSize(text).x + 2 * style.FramePadding.x + style.ItemInnerSpacing.x;
    }
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - width);
    const char* pressed = nullptr;
    for (const auto& [text, about] : buttons) {
      if (ImGui::SmallButton(text)) pressed = text;
      if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", about);
      ImGui::SameLine(0, style.ItemInnerSpacing.x);
    }
    ImGui::NewLine();
    return pressed;
  }

  void draw_node(const std::string& name, const Schema& schema, const Json& value, const std::string& pointer,
                 const std::string& optional_in) {
    if (schema.properties.empty()) return;
    const bool open = begin_node(readable(name), schema, value, pointer, ImGuiTreeNodeFlags_None);
    if (!optional_in.empty() && row_buttons({{"x", "Remove"}}) != nullptr) changes_.erase(optional_in, name);
    if (!open) return;
    draw_object(schema, value, pointer);
    ImGui::TreePop();
  }

  void draw_object(const Schema& schema, const Json& value, const std::string& pointer) {
    for (const Schema::Property& property : schema.properties) {
      // A layer's parameters are drawn like its other properties.
      const Schema& property_schema = *schema.find(property.name, value);
      if (!schema.variants.empty() && property.name == schema.variants.front().property && value.contains("deformer")) {
        draw_object(property_schema, value.value(property.name, Json::object()), pointer + "/" + property.name);
      } else {
        draw_property(schema, value, pointer, property);
      }
    }
  }

  void draw_array(const std::string& name, const Schema& schema, const Json& value, const std::string& pointer) {
    if (schema.is_numbers(2, 4)) {
      label(name, schema, value, pointer);
      draw_numeric(schema, value, pointer);
    } else if (is_ranges(schema)) {
      label(name, schema, value, pointer);
      draw_ranges(value, pointer);
    } else {
      draw_list(name, schema, value, pointer);
    }
  }

  void draw_ranges(const Json& value, const std::string& pointer) {
    std::string text = ranges_text(value);
    if (text.size() > kMaxRangesText) {
      ImGui::AlignTextToFramePadding();
      ImGui::TextDisabled("%zu ranges", value.size());
      return;
    }
    if (!draw_text("##value", "none: 3, 5-9", text)) return;
    Json ranges = ranges_of(text);
    if (!ranges.is_discarded()) changes_.set(pointer, std::move(ranges));
  }

  // Draws a list. Layers have headers, other lists nodes.
  void draw_list(const std::string& name, const Schema& schema, const Json& value, const std::string& pointer) {
    const bool top = pointer == kLayers;
    const std::string text =
        value.empty() ? readable(name) + ": none" : fmt::format("{} ({})", readable(name), value.size());
    constexpr ImGuiTreeNodeFlags kTop =
        ImGuiTreeNodeFlags_DefaultOpen | ImGuiTreeNodeFlags_Framed | ImGuiTreeNodeFlags_NoTreePushOnOpen;
    const bool open = begin_node(text, schema, value, pointer, top ? kTop : ImGuiTreeNodeFlags_None);
    const bool many = value.size() > kMaxListed;
    if (!many) add_button(schema, pointer);
    if (!open) return;
    if (many) {
      ImGui::TextDisabled("too many to show");
    } else {
      draw_entries(schema, value, pointer);
    }
    if (!top) ImGui::TreePop();
  }

  // Draws the button that adds an entry, at the right end of the row.
  void add_button(const Schema& schema, const std::string& pointer) {
    if (row_buttons({{"+", "Add"}}) == nullptr) return;
    Json item = pointer == kLayers ? Json{{"deformer", "surface_ffd"}} : new_value(document_, *schema.items);
    changes_.change(pointer, "", [&](Json& list) {
      if (!list.is_array()) list = Json::array();
      list.push_back(std::move(item));
    });
  }

  void draw_entries(const Schema& schema, const Json& list, const std::string& pointer) {
    for (std::size_t i = 0; i < list.size(); ++i) draw_item(*schema.items, list, i, pointer);
  }

  void draw_item(const Schema& schema, const Json& list, std::size_t i, const std::string& pointer) {
    const Json& item = list[i];
    if (schema.kind == Kind::kObject && !shows("", schema, item)) return;
    const std::string place = fmt::format("{}/{}", pointer, i);
    ImGui::PushID(static_cast<int>(i));
    if (schema.kind == Kind::kObject) {
      open_for_search();
      const ImGuiTreeNodeFlags flags =
          pointer == kLayers ? ImGuiTreeNodeFlags_Framed | ImGuiTreeNodeFlags_DefaultOpen : 0;
      const bool open =
          ImGui::TreeNodeEx("item", flags | ImGuiTreeNodeFlags_AllowItemOverlap | ImGuiTreeNodeFlags_SpanAvailWidth,
                            "%zu  %s", i, row_title(item).c_str());
      tooltip(schema);
      changes_.move_item(row_buttons({{"^", "Move up"}, {"v", "Move down"}, {"=", "Duplicate"}, {"x", "Remove"}}), i,
                         list.size(), pointer);
      if (open) {
        draw_object(schema, item, place);
        ImGui::TreePop();
      }
    } else {
      ImGui::SetNextItemWidth(-kButtonWidth * em());
      if (schema.kind == Kind::kString) {
        draw_string(schema, item, place);
      } else {
        draw_numeric(schema, item, place);
      }
      changes_.move_item(row_buttons({{"x", "Remove"}}), i, list.size(), pointer);
    }
    ImGui::PopID();
  }

  Document& document_;
  RigEditorState& state_;
  std::string& search_;
  RigChanges changes_;
  bool found_above_ = false;  // a parent matches the search: everything below it is shown
  float label_width_ = 0;
  float left_ = 0;
};

}  // namespace

void draw_rig_editor(Document& document, RigEditorState& state, std::string& search) {
  if (state.draft && state.draft->revision != document.revision()) state.draft.reset();
  Editor(document, state, search).draw();
}

}  // namespace pelt::viewer
