// SPDX-License-Identifier: MIT
// Checks a device: compares its characters with the CPU's and with known answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

#include "samples/pelt/gpu.h"
#include "samples/pelt/table.h"

namespace pelt::samples {

struct VerifyCommand {
  std::vector<std::string> files;  // .pelt files or models; none: the built-in arm by every deformer
  GpuOptions gpu;
  bool json = false;
};

struct VerifyReport {
  std::string text;                 // a line per comparison
  Json characters = Json::array();  // the same
  std::size_t count = 0;            // comparisons that count: wrong, or not mostly left out
  std::size_t wrong = 0;            // of these
  std::uint64_t left_out = 0;       // numbers and vertices that rounding decides
};

// Compares the built-in arm by every deformer, or a character.
Result<VerifyReport> verify(const runtime::Device& device);
Result<VerifyReport> verify(const runtime::Device& device, const Character& character, const std::string& name);

// Prints a line per pass, mesh and known answer. Errors: one is wrong; rounding decides every comparison.
Result<void> run(const VerifyCommand& command);

}  // namespace pelt::samples
