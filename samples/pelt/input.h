// SPDX-License-Identifier: MIT
// Input of the commands: a character, its clips, its pose at a time.
#pragma once

#include <algorithm>
#include <charconv>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/bind.h>
#include <pelt/character.h>
#include <pelt/clip_twists.h>
#include <pelt/point_cache.h>
#include <pelt/result.h>
#include <pelt/tools/bind_model.h>

#include "samples/renderer/framing.h"

namespace pelt::samples {

// Returns the last extension of a file name in lower case, with its dot.
std::string lower_extension(const std::string& path);

// Reads the whole of `text` as a number in [least, most].
template <class T>
std::optional<T> parse_number(std::string_view text, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && value >= least && value <= most ? std::optional(value) : std::nullopt;
}

// Loads a .pelt file, or reads and binds a model. If the model carries its character and `binding` says nothing,
// returns that; if the carried character cannot be used, a note on standard error says so. A further error: it has no
// such level of detail (Character::at_level).
Result<Character> load_character(const std::string& file, const Binding& binding, std::uint32_t level);

// The clip and the point caches that move a character over time.
struct Animation {
  std::string clip;                 // empty: rest pose
  std::vector<std::string> caches;  // FILE.pc2 or MESH=FILE.pc2: vertices of streamed drivers
  double fps = 24;                  // of the caches
};

// A pose of a frame, and the time from the frame before to it.
struct TimedPose {
  InstancePose pose;
  float seconds = 0;
};

inline constexpr float kLeadIn = 2;  // seconds of a clip after which secondary action does not show where it began

// Poses a character over time: joints, their twists and morph targets by a clip, streamed drivers by point caches. The
// character must outlive it.
class Poser {
 public:
  // Errors: no such clip; a cache that cannot be read, belongs to no streamed driver, or has another number of points.
  static Result<Poser> create(const Character& character, const Animation& animation);

  float duration() const;  // seconds, of the clip or the longest cache; 0 if there is neither
  // Returns the pose at a time. Clips and caches hold their first and last values.
  InstancePose at(float seconds) const { return at(seconds, {}); }
  // Returns the same after `change` has edited the local transforms, one a joint; `change` may be empty.
  InstancePose at(float seconds, const std::function<void(std::span<Transform>)>& change) const;

  // Returns the frames that lead from one time to another, the last one at `to`: for a character with secondary action
  // the first at `from` (no time after itself) and then 60 a second, for any other only the last.
  std::vector<TimedPose> way(float from, float to) const;
  // Returns the frames that lead to a time before which nothing was shown: from kLeadIn before it, or the clip's start.
  std::vector<TimedPose> way_to(float seconds) const { return way(std::max(seconds - kLeadIn, 0.0f), seconds); }

 private:
  struct Cache {
    PointCache cache;
    std::uint32_t first_input;
    std::uint32_t mesh;
  };
  explicit Poser(const Character& character) : character_(&character) {}
  Result<void> add_cache(const std::string& argument);

  const Character* character_;
  const Clip* clip_ = nullptr;
  std::optional<ClipTwists> twists_;  // of the clip
  std::vector<Cache> caches_;
  double fps_ = 24;
};

}  // namespace pelt::samples
