// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <pelt/named_files.h>
#include <pelt/result.h>

namespace pelt::samples {

struct InfoCommand {
  std::string file;                        // a model, a rig (.json) or a .pelt
  NamedFiles files = NamedFiles::kFolder;  // those that a model may name
  bool json = false;
};

Result<void> run(const InfoCommand& command);

}  // namespace pelt::samples
