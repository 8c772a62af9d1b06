// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include <pelt/result.h>

#include "samples/pelt/gpu.h"

namespace pelt::samples {

struct BenchCommand {
  bool cpu = true;
  bool on_gpu = true;
  std::uint32_t vertices = 200'000;  // of the large mesh
  std::uint32_t instances = 5;       // of the large mesh, on the GPU
  std::uint32_t rounds = 15;
  GpuOptions gpu{.robust = false};  // as in games
  bool bind = false;                // time binding instead
  bool crowd = false;               // time crowds instead: of 1, 10, .. up to `instances`
  bool json = false;
  std::string gpu_report;  // file to write instead: Markdown report on the device; empty: none
};

// Times every deformer, or binding, and prints a table or JSON: docs/benchmarks.md.
Result<void> run(const BenchCommand& command);

}  // namespace pelt::samples
