// SPDX-License-Identifier: MIT
#include "samples/viewer/file_dialog.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <system_error>
#include <tuple>
#include <utility>

#include <pelt/import.h>

#include "samples/pelt/input.h"

namespace pelt::viewer {
namespace {

constexpr const char* kTitle = "Choose a file";
constexpr std::size_t kMaxEntries = 5000;

bool can_be_opened(const std::string& name) {
  const std::string extension = samples::lower_extension(name);
  return is_gltf(name) || extension == ".obj" || extension == ".pelt" || extension == ".json";
}

}  // namespace

void FileDialog::open(Purpose purpose, const std::string& suggestion) {
  purpose_ = purpose;
  begins_ = true;
  problem_.clear();
  replaces_.clear();
  std::error_code error;
  const std::filesystem::path path(suggestion);
  if (folder_.empty() || path.has_parent_path()) {
    folder_ = path.has_parent_path() ? path.parent_path() : std::filesystem::current_path(error);
  }
  folder_ = std::filesystem::absolute(folder_, error);
  name_ = path.filename().string();
  list();
}

void FileDialog::list() {
  entries_.clear();
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    const bool folder = entry->is_directory(ignored);
    if (name.starts_with('.') || (!folder && !can_be_opened(name))) continue;
    entries_.push_back({name, folder});
    if (entries_.size() == kMaxEntries) break;
  }
  problem_ = error ? folder_.string() + ": " + error.message() : "";
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(!a.folder, a.name) < std::tuple(!b.folder, b.name);
  });
}

std::optional<std::string> FileDialog::draw() {
  if (begins_) ImGui::OpenPopup(kTitle);
  const bool focus = std::exchange(begins_, false);
  const float em = ImGui::GetFontSize();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0.5f * display.x, 0.5f * display.y}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(44 * em, 0.9f * display.x), std::min(30 * em, 0.9f * display.y)});
  if (!ImGui::BeginPopupModal(kTitle, nullptr, ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoResize)) {
    return std::nullopt;
  }
  std::optional<std::string> chosen;
  std::optional<std::filesystem::path> enter;
  if (ImGui::Button("Up")) enter = folder_.parent_path();
  ImGui::SameLine();
  ImGui::TextWrapped("%s", folder_.string().c_str());
  ImGui::BeginChild("files", {0, -2.6f * ImGui::GetFrameHeightWithSpacing()}, true);
  for (const Entry& entry : entries_) {
    const std::string label = entry.name + (entry.folder ? "/" : "");
    if (!ImGui::Selectable(label.c_str(), entry.name == name_, ImGuiSelectableFlags_AllowDoubleClick)) continue;
    if (entry.folder) {
      enter = folder_ / entry.name;
    } else {
      name_ = entry.name;
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) chosen = (folder_ / name_).string();
    }
  }
  if (!problem_.empty()) ImGui::TextWrapped("%s", problem_.c_str());
  ImGui::EndChild();
  if (focus) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const bool entered = ImGui::InputText("##name", &name_, ImGuiInputTextFlags_EnterReturnsTrue);
  const char* verb = purpose_ == Purpose::kOpen ? "Open" : "Save";
  if ((ImGui::Button(verb, {8 * em, 0}) || entered) && !name_.empty()) {
    // Absolute paths and names of built-in models stay as they are.
    const std::string path = (folder_ / name_).string();
    std::error_code error;
    if (purpose_ == Purpose::kOpen) {
      chosen = name_.starts_with("builtin:") ? name_ : path;
    } else if (replaces_ != path && std::filesystem::exists(path, error)) {
      replaces_ = path;
      problem_ = name_ + " already exists: Save again to replace it";
    } else {
      chosen = path;
    }
  }
  ImGui::SameLine();
  const bool cancelled = ImGui::Button("Cancel", {8 * em, 0});
  if (chosen || cancelled) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (enter) {
    folder_ = *enter;
    list();
  }
  return chosen;
}

}  // namespace pelt::viewer
