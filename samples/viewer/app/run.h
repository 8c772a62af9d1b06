// SPDX-License-Identifier: MIT
// Runs the viewer in a window, or without one.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <pelt/named_files.h>
#include <pelt/result.h>

namespace pelt::viewer {

struct RunOptions {
  std::string file = "builtin:biped";  // as for Document::open
  std::string model;
  std::vector<std::string> with;           // further files that are drawn with it, as AppOptions::with
  NamedFiles files = NamedFiles::kFolder;  // as for Document::open
  std::string device;                      // DeviceOptions::select
  bool validate = false;                   // validation layer on; any message makes the run fail at its end
  VkExtent2D size{1280, 720};              // pixels
  std::vector<std::byte> font;             // as for Ui
  std::optional<float> scale;              // size of the panels; none: the screen's scale, or 1 without a screen
};

struct HeadlessOptions {
  std::uint32_t frames = 0;      // pictures to write after the script, frame_0000.png and so on
  std::string script;            // file name; empty: no script
  std::filesystem::path output;  // folder, made if it does not exist
  float fps = 30;                // frames per second of the clip
};

// Runs until the window is closed. The window shows errors of files. Errors: no display, no device that draws in it.
Result<void> run_window(const RunOptions& options);

// Runs a script and writes pictures. Errors: of files, of the script, and any that the script does not expect.
Result<void> run_headless(const RunOptions& options, const HeadlessOptions& headless);

}  // namespace pelt::viewer
