// SPDX-License-Identifier: MIT
// The viewer in a window, and without one.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <pelt/result.h>

namespace pelt::viewer {

struct RunOptions {
  std::string file = "builtin:biped";  // Document::open's
  std::string model;
  std::string device;          // DeviceOptions::select
  bool validate = false;       // validation layer on; a message is an error in the end
  VkExtent2D size{1280, 720};  // pixels
  std::optional<float> scale;  // of the panels; none: the screen's, 1 without one
};

struct HeadlessOptions {
  std::uint32_t frames = 0;      // pictures to write after the script, frame_0000.png and so on
  std::string script;            // file; empty: none
  std::filesystem::path output;  // folder, made where it is not there
  float fps = 30;                // frames a second of the clip
};

// Until the window is closed. Errors of files are shown in it. Errors: no display, no device that draws in it.
Result<void> run_window(const RunOptions& options);

// Errors: those of files, of the script, and those that it shows without expecting them.
Result<void> run_headless(const RunOptions& options, const HeadlessOptions& headless);

}  // namespace pelt::viewer
