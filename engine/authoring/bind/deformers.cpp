// SPDX-License-Identifier: MIT
#include <array>

#include "engine/authoring/rig/deformer_entry.h"

namespace pelt {

#define PELT_DEFORMER(name) \
  namespace name {          \
  DeformerEntry deformer(); \
  }
#include "engine/authoring/bind/deformers.list"
#undef PELT_DEFORMER

std::span<const DeformerEntry> deformers() {
#define PELT_DEFORMER(name) name::deformer(),
  static const std::array entries{
#include "engine/authoring/bind/deformers.list"
  };
#undef PELT_DEFORMER
  return entries;
}

}  // namespace pelt
