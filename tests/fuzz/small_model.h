// SPDX-License-Identifier: MIT
// The model that harnesses bind: small, with all that a rig may name.
#pragma once

#include <string>
#include <string_view>

#include <pelt/model.h>

namespace pelt::fuzz {

// Makes a tube over three joints, with "cage" round it, morph targets on both, a level of detail and a clip.
Model make_small_model();

// A file of the process, for functions that read files by name; rewritten for each input.
class InputFile {
 public:
  explicit InputFile(std::string_view name);
  InputFile(const InputFile& beside, std::string_view name);  // in the folder of another
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  void write(std::string_view contents) const;

 private:
  std::string folder_;  // that is removed at the end; empty: it is another's
  std::string path_;
};

}  // namespace pelt::fuzz
