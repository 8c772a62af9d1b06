// SPDX-License-Identifier: MIT
#include <algorithm>

#include <pelt/animation.h>

namespace pelt {

const Clip* find_clip(std::span<const Clip> clips, std::string_view name) {
  const auto found = std::ranges::find(clips, name, &Clip::name);
  return found == clips.end() ? nullptr : &*found;
}

}  // namespace pelt
