// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "samples/pelt/bench/interleave.h"

namespace pelt::samples {

// Measurements of one contender.
struct BenchRow {
  std::string backend;  // "cpu", "gpu"
  std::string method;
  double influences = 0;       // mean number a vertex
  std::uint64_t vertices = 0;  // of the skin, over all instances
  std::uint32_t instances = 1;
  std::uint32_t threads = 0;  // on the CPU
  Spread seconds;
  double bytes_in = 0;  // a vertex
  double bytes_out = 0;
  Spread of_yardstick;     // seconds / those of linear blend with 4 influences, within rounds
  Spread palette_seconds;  // that posing palettes takes, on the GPU the plan of the frame too
  // On the GPU:
  Spread copy_share;          // seconds of a copy of the same bytes / seconds, within rounds
  double resident_bytes = 0;  // bind data once, and what all instances write
  double error = 0;           // greatest distance of a vertex from where the CPU puts it / the size

  double vertices_per_second() const { return static_cast<double>(vertices) / seconds.median; }
};

// Compares one kernel with the 128-bit one: the same vertices, one thread, positions and normals.
struct KernelRow {
  std::string kernel;
  std::uint64_t vertices = 0;
  Spread seconds;
  Spread speed;      // seconds of the 128-bit baseline / seconds, within rounds
  double error = 0;  // greatest distance of a vertex from where the 128-bit baseline puts it / the size

  double vertices_per_second() const { return static_cast<double>(vertices) / seconds.median; }
};

// Measurements of the frames of one crowd.
struct CrowdRow {
  std::string crowd;
  std::uint32_t instances = 0;
  std::uint64_t vertices = 0;  // of the skin, over all instances
  std::size_t dispatches = 0;  // a frame
  std::size_t barriers = 0;    // a frame
  Spread seconds;              // of the device, for the commands of Crowd::record
  Spread host_seconds;         // of one thread, for Crowd::pose of every instance and Crowd::record
  Spread of_least;             // time a vertex / that of the smallest crowd of these characters, within rounds
  double error = 0;            // as BenchRow::error, for the first instance
  std::string refusal;         // why the device has no crowd of that size; empty: it has one, and the fields above hold

  double seconds_per_vertex() const { return seconds.median / static_cast<double>(vertices); }
};

// Measurements of binding one skin.
struct BindRow {
  std::string method;  // "surface FFD, driver given" or "made" from the skin, ..
  std::uint64_t vertices = 0;
  double influences = 0;  // mean number a vertex
  Spread seconds;
  double processor_seconds = 0;      // of all threads together, the least over the rounds
  std::optional<double> peak_bytes;  // a vertex, beyond the resident memory with the model loaded; none: unknown here

  double vertices_per_second() const { return static_cast<double>(vertices) / seconds.median; }
};

}  // namespace pelt::samples
