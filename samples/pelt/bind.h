// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <pelt/result.h>

#include "samples/pelt/input.h"

namespace pelt::samples {

struct BindCommand {
  std::string model;
  Binding binding;
  std::string output;     // .pelt, or .glb: the model with rig and character
  std::string report;     // .json: decisions of bind at every vertex; empty: none
  std::string write_rig;  // .json: the rig that was used; empty: none
  bool json = false;
  bool verbose = false;  // prints the figures of every mesh, all defects and all notes
};

Result<void> run(const BindCommand& command);

}  // namespace pelt::samples
