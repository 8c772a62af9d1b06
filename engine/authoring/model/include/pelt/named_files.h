// SPDX-License-Identifier: MIT
// The other files that an untrusted file may name for reading.
#pragma once

#include <cstdint>

namespace pelt {

enum class NamedFiles : std::uint8_t {
  kNone,
  kFolder,    // those in its folder and below it, not through symbolic links that lead out of it
  kAnywhere,  // also those through such links; of a rig, any path
};

}  // namespace pelt
