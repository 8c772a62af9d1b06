// SPDX-License-Identifier: MIT
#include "samples/viewer/app/ui.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

#include "samples/renderer/image.h"

namespace pelt::viewer {
namespace {

constexpr float kFontSize = 15;  // pixels at scale 1; digits are equally wide in this font

constexpr std::pair<ImGuiKey_, int> kKeys[] = {{ImGuiKey_Tab, GLFW_KEY_TAB},
                                               {ImGuiKey_LeftArrow, GLFW_KEY_LEFT},
                                               {ImGuiKey_RightArrow, GLFW_KEY_RIGHT},
                                               {ImGuiKey_UpArrow, GLFW_KEY_UP},
                                               {ImGuiKey_DownArrow, GLFW_KEY_DOWN},
                                               {ImGuiKey_PageUp, GLFW_KEY_PAGE_UP},
                                               {ImGuiKey_PageDown, GLFW_KEY_PAGE_DOWN},
                                               {ImGuiKey_Home, GLFW_KEY_HOME},
                                               {ImGuiKey_End, GLFW_KEY_END},
                                               {ImGuiKey_Insert, GLFW_KEY_INSERT},
                                               {ImGuiKey_Delete, GLFW_KEY_DELETE},
                                               {ImGuiKey_Backspace, GLFW_KEY_BACKSPACE},
                                               {ImGuiKey_Space, GLFW_KEY_SPACE},
                                               {ImGuiKey_Enter, GLFW_KEY_ENTER},
                                               {ImGuiKey_Escape, GLFW_KEY_ESCAPE},
                                               {ImGuiKey_KeyPadEnter, GLFW_KEY_KP_ENTER},
                                               {ImGuiKey_A, GLFW_KEY_A},
                                               {ImGuiKey_C, GLFW_KEY_C},
                                               {ImGuiKey_V, GLFW_KEY_V},
                                               {ImGuiKey_X, GLFW_KEY_X},
                                               {ImGuiKey_Y, GLFW_KEY_Y},
                                               {ImGuiKey_Z, GLFW_KEY_Z}};

ImVec4 rgb(std::uint32_t hex, float opacity = 1) {
  const auto channel = [&](int shift) { return static_cast<float>((hex >> shift) & 0xFF) / 255.0f; };
  return {channel(16), channel(8), channel(0), opacity};
}

constexpr std::uint32_t kBackdrop = 0x131519;
constexpr std::uint32_t kWindow = 0x1C1F24;
constexpr std::uint32_t kRaised = 0x25292F;  // menus, popups, titles
constexpr std::uint32_t kFrame = 0x31363E;   // fields to type in or to drag
constexpr std::uint32_t kHovered = 0x3D434D;
constexpr std::uint32_t kPressed = 0x4A515D;
constexpr std::uint32_t kLine = 0x3A4049;
constexpr std::uint32_t kText = 0xE4E7EB;    // 13.3 : 1 on windows, 9.8 : 1 on frames
constexpr std::uint32_t kFaint = 0xAEB5BF;   // 8.1 : 1 on windows, 5.9 : 1 on frames, 4.9 : 1 under the mouse
constexpr std::uint32_t kChosen = 0x2B5AA0;  // texts on it 5.4 : 1
constexpr std::uint32_t kHeader = 0x2F4059;  // rows that are chosen, and foldable headers
constexpr std::uint32_t kHeaderHovered = 0x3A4F6E;
constexpr std::uint32_t kAccent = 0x6EA8FF;

// Sets the colours of the widgets that the viewer uses.
void set_colors(std::span<ImVec4> colors) {
  const auto set = [&](const ImVec4& color, std::initializer_list<int> widgets) {
    for (const int widget : widgets) colors[widget] = color;
  };
  set(rgb(kText), {ImGuiCol_Text});
  set(rgb(kFaint), {ImGuiCol_TextDisabled, ImGuiCol_ScrollbarGrabActive});
  set(rgb(kWindow), {ImGuiCol_WindowBg});
  set(rgb(kWindow, 0), {ImGuiCol_ChildBg, ImGuiCol_ScrollbarBg, ImGuiCol_TableRowBg});
  set(rgb(kRaised), {ImGuiCol_PopupBg, ImGuiCol_TitleBg, ImGuiCol_TitleBgActive, ImGuiCol_TitleBgCollapsed,
                     ImGuiCol_MenuBarBg, ImGuiCol_Tab, ImGuiCol_TableHeaderBg});
  set(rgb(kLine), {ImGuiCol_Border, ImGuiCol_Separator, ImGuiCol_TableBorderStrong});
  set(rgb(kFrame), {ImGuiCol_FrameBg, ImGuiCol_Button});
  set(rgb(kHovered), {ImGuiCol_FrameBgHovered, ImGuiCol_ScrollbarGrab, ImGuiCol_ButtonHovered});
  set(rgb(kPressed), {ImGuiCol_FrameBgActive, ImGuiCol_ScrollbarGrabHovered, ImGuiCol_ButtonActive});
  set(rgb(kAccent), {ImGuiCol_CheckMark, ImGuiCol_SliderGrabActive, ImGuiCol_SeparatorActive,
                     ImGuiCol_PlotHistogramHovered, ImGuiCol_NavHighlight});
  set(rgb(kAccent, 0.45f), {ImGuiCol_SliderGrab});
  set(rgb(kHeader), {ImGuiCol_Header});
  set(rgb(kHeaderHovered), {ImGuiCol_HeaderHovered, ImGuiCol_HeaderActive});
  set(rgb(kAccent, 0.75f), {ImGuiCol_SeparatorHovered});
  set(rgb(0x3263AC), {ImGuiCol_TabHovered});  // texts on it 4.8 : 1
  set(rgb(kChosen),
      {ImGuiCol_TabActive, ImGuiCol_PlotHistogram, ImGuiCol_TextSelectedBg});  // progress bars have texts on it
  set(rgb(kLine, 0.6f), {ImGuiCol_TableBorderLight});
  set(rgb(0xFFFFFF, 0.03f), {ImGuiCol_TableRowBgAlt});
  set(rgb(0, 0.5f), {ImGuiCol_ModalWindowDimBg});
}

void set_style(ImGuiStyle& style, float scale) {
  set_colors(style.Colors);
  style.WindowPadding = {10, 8};
  style.FramePadding = {7, 4};
  style.CellPadding = {6, 3};
  style.ItemSpacing = {8, 6};
  style.ItemInnerSpacing = {6, 4};
  style.IndentSpacing = 18;
  style.ScrollbarSize = 13;
  style.GrabMinSize = 12;
  style.WindowRounding = 0;  // panels meet at their edges
  style.ChildRounding = 4;
  style.FrameRounding = 4;
  style.PopupRounding = 4;
  style.GrabRounding = 3;
  style.ScrollbarRounding = 6;
  style.TabRounding = 4;
  style.WindowBorderSize = 1;
  style.FrameBorderSize = 0;
  style.ScaleAllSizes(scale);
}

void set_font(ImGuiIO& io, float scale, std::span<const std::byte> east_asian) {
  // Latin, Greek and Cyrillic, dashes and quotes, super- and subscripts, arrows, mathematics, shapes.
  static constexpr ImWchar kRanges[] = {0x20,   0x24F,  0x370,  0x52F,  0x2010, 0x2027, 0x2070, 0x208E, 0x2190,
                                        0x21FF, 0x2200, 0x2265, 0x25A0, 0x25FF, 0x2713, 0x2717, 0};
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.OversampleH = 2;
  const std::span<const unsigned char> font = samples::label_font();
  // The library copies the data, but takes no const pointer.
  io.Fonts->AddFontFromMemoryTTF(const_cast<unsigned char*>(font.data()), static_cast<int>(font.size()),
                                 std::round(kFontSize * scale), &config, kRanges);
  if (east_asian.empty()) return;
  // Punctuation and kana, ideographs, Hangul, full-width forms.
  static constexpr ImWchar kEastAsian[] = {0x3000, 0x30FF, 0x3400, 0x9FFF, 0xAC00, 0xD7A3, 0xFF00, 0xFFEF, 0};
  config.MergeMode = true;
  config.OversampleH = 1;
  io.Fonts->AddFontFromMemoryTTF(const_cast<std::byte*>(east_asian.data()), static_cast<int>(east_asian.size()),
                                 std::round(kFontSize * scale), &config, kEastAsian);
}

}  // namespace

Ui::Ui(float scale, std::span<const std::byte> font) {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  for (const auto& [key, number] : kKeys) io.KeyMap[key] = number;
  set_style(ImGui::GetStyle(), scale);
  set_font(io, scale, font);
}

Ui::~Ui() { ImGui::DestroyContext(); }

glm::vec4 background_color() {
  const ImVec4 color = rgb(kBackdrop);
  return {color.x, color.y, color.z, color.w};
}

}  // namespace pelt::viewer
