// SPDX-License-Identifier: MIT
// How far a file that may come from a stranger is trusted to name other files, which are then read.
#pragma once

#include <cstdint>

namespace pelt {

enum class NamedFiles : std::uint8_t {
  kNone,
  kFolder,    // those in its folder and below it, out of which no symbolic link leads
  kAnywhere,  // also those behind such links; of a rig, any path
};

}  // namespace pelt
