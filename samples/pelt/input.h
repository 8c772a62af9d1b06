// SPDX-License-Identifier: MIT
// Input of the commands: a character, its clips, its poses over time.
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

// Reads all of `text` as a number in [least, most].
template <class T>
std::optional<T> parse_number(std::string_view text, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && value >= least && value <= most ? std::optional(value) : std::nullopt;
}

// Loads a .pelt file, or reads and binds a model. If the model has its character in it and `binding` is empty, returns
// that character; if it cannot be used, prints a note on standard error. A further error: there is no such level of
// detail (Character::at_level).
Result<Character> load_character(const std::string& file, const Binding& binding, std::uint32_t level);

// Returns the name of a rig, as typed_name() if it is a deformer's.
std::string typed_if_deformer(const std::string& rig);

// Returns the caption of a picture: the name of the character's rig, the preset's or deformer's in prose, or for a rig
// without a name those of its deformers; without layers, the character's name.
std::string caption_of(const CharacterData& character);

// The clip and the point caches that move a character over time.
struct Animation {
  std::string clip;                 // empty: rest pose
  std::vector<std::string> caches;  // FILE.pc2 or MESH=FILE.pc2: vertices of streamed drivers
  double fps = 24;                  // of the caches
};

// Returns the clip of a command at a time: the one that it names or, if it names none and no cache, the only one; empty
// at 0 s. Errors: there are none or several, which the error names.
Result<std::string> clip_of(const Character& character, const std::string& clip, bool has_cache, float seconds);

// Prints a note if a time lies beyond the `duration` of clip and caches.
void note_end(float duration, float seconds);

// The pose of a frame, and the time since the previous frame.
struct TimedPose {
  InstancePose pose;
  float seconds = 0;
};

inline constexpr float kLeadIn = 2;  // seconds after which the start of secondary action no longer shows

// Poses a character over time: joints, twists and morph targets from a clip, streamed drivers from point caches. The
// character must outlive it.
class Poser {
 public:
  // Errors: no such clip; a cache that cannot be read, belongs to no streamed driver, or has another number of points.
  static Result<Poser> create(const Character& character, const Animation& animation);

  float duration() const;  // seconds, of the clip or the longest cache; 0 if there is neither
  // Returns the pose at a time. Before and after its range, a clip or cache has its first or last value.
  InstancePose at(float seconds) const { return at(seconds, {}); }
  // Returns the same after `change` has edited the local transforms, one per joint; `change` may be empty.
  InstancePose at(float seconds, const std::function<void(std::span<Transform>)>& change) const;

  // Returns the frames from one time to another; the last is at `to`. For a character with secondary action the first
  // is at `from` (0 s after itself), followed by 60 per second; for any other there is only the last.
  std::vector<TimedPose> way(float from, float to) const;
  // Returns the frames that lead up to a single picture: from kLeadIn before it, or the clip's start.
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
