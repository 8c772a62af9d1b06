// SPDX-License-Identifier: MIT
// Lists of what frames show (Crowd::record), by visibility, rates, details, and levels with fades between them. A game
// may make its lists in any other way. Knows no Vulkan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/shaders/crowd_table.h>

namespace pelt::runtime {

// A change from one level of detail to another, in frames that show the instance.
struct ShownLevels {
  std::uint32_t from = 0;
  std::uint32_t to = 0;  // the same, unless the instance fades
  float share = 1;       // of `to`; the remainder is `from`
};

// Calls for different instances may run at once, but not during next(). Calls for an instance number beyond the last
// have no effect.
class CrowdLists {
 public:
  // `instances`: Crowd::instance_count(). At first all are shown and moved in every frame; crowds ignore entries of
  // instances that they do not have.
  explicit CrowdLists(std::uint32_t instances) : instances_(instances), entries_(instances) {}

  // Forgets the calls for an instance number that Crowd::acquire has returned again.
  void reset(std::uint32_t instance);
  // Shows or hides an instance. A hidden instance is not listed.
  void show(std::uint32_t instance, bool visible);
  bool is_shown(std::uint32_t instance) const;
  // Poses an instance in every n-th frame, and spreads instances over the frames; 0: not until the next call. An
  // instance is always posed in the first frame in which it is shown.
  void update_every(std::uint32_t instance, std::uint32_t frames);
  // In the next list that poses the instance, it has no motion, and its secondary action starts at rest.
  void teleport(std::uint32_t instance);
  // Selects the detail of an instance, from the next frame that poses it. Detail::kLinearBlend skips the deformers'
  // palettes; a character without CharacterData::has_linear_blend stays at kFull.
  void detail(std::uint32_t instance, Detail detail);
  // Shows an instance's skins at a level of detail (CharacterData::levels), 0 to 63: each at its coarsest level that is
  // not above `level`. For `fade_frames` frames both levels are shown, so that the game can fade between them; 0:
  // switches at once. Reversing a fade continues from its share.
  void level(std::uint32_t instance, std::uint32_t level, std::uint32_t fade_frames = 0);
  // Returns the levels of the last list.
  ShownLevels shown_levels(std::uint32_t instance) const;

  // Returns the list of the next frame, which is valid until the next call. Allocates nothing.
  std::span<const shared::ListEntry> next();

 private:
  struct Fade {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t frames = 0;  // that show both levels
    std::uint32_t done = 0;    // of these, already over
    void start(std::uint32_t wanted, std::uint32_t wanted_frames);
    void step();
  };
  struct Instance {
    bool visible = true;
    bool appears = true;
    bool teleports = false;
    std::uint32_t period = 1;
    Detail detail = Detail::kFull;
    Fade wanted;  // in the next list
    Fade shown;   // in the last list: requests replace each other until the next
  };
  bool has(std::uint32_t instance) const { return instance < instances_.size(); }

  std::vector<Instance> instances_;
  std::vector<shared::ListEntry> entries_;
  std::uint64_t lists_ = 0;  // so far
};

}  // namespace pelt::runtime
