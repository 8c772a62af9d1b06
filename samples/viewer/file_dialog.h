// SPDX-License-Identifier: MIT
// Chooses a file to open or to save to.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pelt::viewer {

class FileDialog {
 public:
  enum class Purpose { kOpen, kSave };

  // Opens the dialog with the next draw(). `suggestion`: a path to save to.
  void open(Purpose purpose, const std::string& suggestion);
  Purpose purpose() const { return purpose_; }

  // Draws the dialog. Returns the path once it is chosen.
  std::optional<std::string> draw();

 private:
  struct Entry {
    std::string name;
    bool folder = false;
  };
  void list();

  Purpose purpose_ = Purpose::kOpen;
  bool begins_ = false;
  std::filesystem::path folder_;
  std::string name_;
  std::string problem_;
  std::string replaces_;  // the file that Save may replace
  std::vector<Entry> entries_;
};

}  // namespace pelt::viewer
