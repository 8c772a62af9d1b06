// SPDX-License-Identifier: MIT
#include "samples/viewer/app/script.h"

#include <GLFW/glfw3.h>

#include <array>

#include <pelt/nearest_name.h>
#include <pelt/tools/file_io.h>
#include <pelt/tools/json_fields.h>
#include <pelt/try.h>

#include "samples/viewer/view_state.h"

namespace pelt::viewer {
namespace {

using json_fields::child;
using json_fields::Json;
using json_fields::Reader;

constexpr std::string_view kFormat = "pelt-view 1";
constexpr std::string_view kFormatFamily = "pelt-view ";
constexpr IntegerRange kFrameCount{.most = 100'000};

constexpr Range kPixel{.least = 0, .most = 16384};
constexpr Range kWheel{.least = -100, .most = 100};
constexpr Range kRate{.least = 0.1f, .most = 1000};

constexpr Choice<int> kButtons[] = {{"left", 0}, {"right", 1}, {"middle", 2}};
constexpr Choice<MouseAction> kActions[] = {{"move", MouseAction::kMove},
                                            {"press", MouseAction::kPress},
                                            {"release", MouseAction::kRelease},
                                            {"click", MouseAction::kClick},
                                            {"double_click", MouseAction::kDoubleClick}};
constexpr std::array<std::string_view, 3> kModifiers{"ctrl", "shift", "alt"};

struct NamedKey {
  std::string_view name;
  int key;
};
constexpr std::array<NamedKey, 18> kKeys{{{"space", GLFW_KEY_SPACE},
                                          {"enter", GLFW_KEY_ENTER},
                                          {"escape", GLFW_KEY_ESCAPE},
                                          {"tab", GLFW_KEY_TAB},
                                          {"backspace", GLFW_KEY_BACKSPACE},
                                          {"delete", GLFW_KEY_DELETE},
                                          {"insert", GLFW_KEY_INSERT},
                                          {"left", GLFW_KEY_LEFT},
                                          {"right", GLFW_KEY_RIGHT},
                                          {"up", GLFW_KEY_UP},
                                          {"down", GLFW_KEY_DOWN},
                                          {"home", GLFW_KEY_HOME},
                                          {"end", GLFW_KEY_END},
                                          {"page_up", GLFW_KEY_PAGE_UP},
                                          {"page_down", GLFW_KEY_PAGE_DOWN},
                                          {"f1", GLFW_KEY_F1},
                                          {"comma", GLFW_KEY_COMMA},
                                          {"period", GLFW_KEY_PERIOD}}};

bool set_modifier(Modifiers& modifiers, std::string_view name) {
  if (name == "ctrl") return modifiers.ctrl = true;
  if (name == "shift") return modifiers.shift = true;
  if (name == "alt") return modifiers.alt = true;
  return false;
}

// Returns GLFW's number of a key; 0: unknown key. Letters have the ASCII codes of their capitals, digits their own.
int key_number(std::string_view name) {
  if (name.size() == 1) {
    const char c = name.front();
    if (c >= 'a' && c <= 'z') return c - 'a' + GLFW_KEY_A;
    if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return c;
  }
  for (const NamedKey& known : kKeys) {
    if (known.name == name) return known.key;
  }
  return 0;
}

// Returns the error in the text, or an empty string.
std::string parse_key(std::string_view text, KeyStep& step) {
  std::size_t plus = text.find('+');
  while (plus != std::string_view::npos) {
    const std::string_view name = text.substr(0, plus);
    if (!set_modifier(step.modifiers, name)) {
      return fmt::format("'{}' must be ctrl, shift or alt{}", name, did_you_mean(name, kModifiers));
    }
    text.remove_prefix(plus + 1);
    plus = text.find('+');
  }
  step.key = key_number(text);
  if (step.key != 0) return {};
  std::array<std::string_view, kKeys.size()> names;
  for (std::size_t k = 0; k < kKeys.size(); ++k) names[k] = kKeys[k].name;
  return fmt::format("unknown key '{}'; keys are letters, digits, {}{}", text, fmt::join(names, ", "),
                     did_you_mean(text, names));
}

void describe_modifiers(Fields& fields, Modifiers& modifiers) {
  std::vector<std::string> names;
  fields.texts({"keys"}, names);
  for (const std::string& name : names) {
    fields.refuse(!set_modifier(modifiers, name), "keys", "must be a list of \"ctrl\", \"shift\", \"alt\"");
  }
}

bool is_picture_name(const std::string& name) {
  const std::filesystem::path path(name);
  return path.extension() == ".png" && !path.has_parent_path() && !path.stem().empty();
}

bool is_pointer(const std::string& text) {
  try {
    static_cast<void>(nlohmann::json::json_pointer(text));
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace

static void describe(Fields& fields, MouseStep& step) {
  if (fields.is_there({"at"}, step.at.has_value())) fields.vector({"at"}, step.at.emplace(), kPixel);
  fields.choice({"button"}, step.button, kButtons);
  fields.choice({"action"}, step.action, kActions);
  fields.number({"wheel"}, step.wheel, kWheel);
  describe_modifiers(fields, step.modifiers);
}

static void describe(Fields& fields, DragStep& step) {
  fields.vector({.name = "from", .required = true}, step.from, kPixel);
  fields.vector({.name = "to", .required = true}, step.to, kPixel);
  fields.choice({"button"}, step.button, kButtons);
  fields.integer({"steps"}, step.steps, kFrameCount);
  describe_modifiers(fields, step.modifiers);
}

static void describe(Fields& fields, ClipStep& step) {
  fields.text({.name = "name", .required = true}, step.name);
  fields.number({"fps"}, step.fps, kRate);
  step.picture = step.name + "_";
  fields.text({"picture"}, step.picture);
  fields.refuse(!is_picture_name(step.picture + "0.png"), "picture", "must be the start of a file name");
}

static void describe(Fields& fields, MoveStep& step) {
  fields.text({.name = "point", .required = true}, step.point);
  fields.vector({.name = "by", .required = true}, step.by);
}

// Scripts are only read.
static void describe(Fields& fields, Step& step) {
  Reader& reader = static_cast<Reader&>(fields);
  fields.text({"open"}, step.open);
  if (const Json* patch = reader.find("set")) {
    step.set = *patch;
    reader.refuse(patch->is_null(), "set", "must be an object, is null");
  }
  if (const Json* edits = reader.find("edit")) {
    reader.refuse(!edits->is_object(), "edit", "must be an object of JSON pointers and values");
    for (const auto& [pointer, value] : edits->items()) {
      reader.refuse(edits->is_object() && !is_pointer(pointer), "edit", "its keys must be JSON pointers, as /layers/0");
      step.edits.push_back({pointer, value.dump()});
    }
  }
  fields.optional_object({"move"}, step.move);
  fields.integer({"undo"}, step.undo, kFrameCount);
  fields.integer({"redo"}, step.redo, kFrameCount);
  fields.optional_object({"mouse"}, step.mouse);
  fields.optional_object({"drag"}, step.drag);
  std::string key;
  fields.text({"key"}, key);
  if (!key.empty()) {
    const std::string wrong = parse_key(key, step.key);
    fields.refuse(!wrong.empty(), "key", wrong);
  }
  fields.text({"text"}, step.text);
  fields.integer({"frames"}, step.frames, kFrameCount);
  fields.flag({"lose_device"}, step.lose_device);
  fields.flag({"bind"}, step.bind);
  fields.text({"save"}, step.save);
  fields.text({"picture"}, step.picture);
  fields.refuse(!step.picture.empty() && !is_picture_name(step.picture), "picture",
                "must be a file name that ends in .png, without a folder");
  fields.integer({"turntable"}, step.turntable, kFrameCount);
  fields.optional_object({"clip"}, step.clip);
  fields.text({"error"}, step.error);
}

static void describe(Reader& reader, Script& script) {
  reader.format("format", kFormat, kFormatFamily);
  reader.objects({.name = "steps", .required = true}, script.steps);
}

Result<Script> parse_script(std::string_view json, const std::string& source) {
  PELT_ASSIGN(const auto parsed, json_fields::parse_json(json, source));
  Script script;
  json_fields::Problem problem{.source = source};
  Reader reader(parsed, "", problem);
  describe(reader, script);
  reader.finish();
  if (problem.error) return tl::unexpected(*problem.error);
  // Check patches now rather than after minutes of drawing.
  ViewState scratch;
  for (std::size_t s = 0; s < script.steps.size(); ++s) {
    if (script.steps[s].set.is_null()) continue;
    PELT_TRY(patch_view(scratch, script.steps[s].set, fmt::format("{}: /steps/{}/set", source, s)));
  }
  return script;
}

Result<Script> load_script(const std::filesystem::path& path) {
  PELT_ASSIGN(const auto bytes, read_file(path, json_fields::kMaxBytes));
  return parse_script({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

}  // namespace pelt::viewer
