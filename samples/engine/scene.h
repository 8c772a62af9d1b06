// SPDX-License-Identifier: MIT
// The game's world: its walkers, their levels of detail, the sun and the eye. Walkers leave as they pass the eye, and
// others come from the haze.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <pelt/runtime/crowd.h>
#include <pelt/runtime/crowd_lists.h>

#include "samples/engine/characters.h"
#include "samples/engine/shaders/records.h"
#include "samples/renderer/framing.h"

namespace pelt::samples {

// A character that walkers can be, and its number in the crowd.
struct Kind {
  Walking walking;
  std::uint32_t number = 0;
};

class Scene {
 public:
  // `height`: of the tallest character. `aspect`: the picture's width / height. `seldom`: walkers at level n are posed
  // every n + 1 frames, beyond level 0 by linear blend.
  Scene(std::uint32_t walkers, float height, float ground, float aspect, bool seldom);

  void add_kind(Kind kind) { kinds_.push_back(std::move(kind)); }
  const std::vector<Kind>& kinds() const { return kinds_; }

  // Advances the world: releases and acquires instances, chooses their levels, and poses all of them, on all threads.
  void step(runtime::Crowd& crowd, float seconds);
  // Lists the instances to pose; call it once per frame.
  std::span<const pelt::shared::ListEntry> list() { return lists_.next(); }
  runtime::ShownLevels shown_levels(std::uint32_t instance) const { return lists_.shown_levels(instance); }
  // Writes the records of all walkers, with the fades of the last list.
  void write_records(shared::WalkerRecord* records) const;

  // Returns this frame's matrices and lights, with the camera of the previous frame. Call it once per frame.
  shared::FrameRecord frame(glm::vec2 size, std::uint32_t shadow_texels);
  const Camera& camera() const { return camera_; }

  struct Events {
    std::uint32_t came = 0;
    std::uint32_t left = 0;
    std::uint32_t waited = 0;  // walkers without room, summed over all frames
  };
  const Events& events() const { return events_; }

  // A walker in the last step.
  struct Walker {
    glm::vec2 start{0.0f};                  // x and z at second 0, metres
    float phase = 0;                        // fraction of the clip's duration, [0, 1)
    std::optional<std::uint32_t> instance;  // none: no room yet
    std::size_t kind = 0;                   // index in kinds()
    std::optional<std::uint32_t> level;     // none: just acquired
    glm::mat4 world{1.0f};
    std::optional<glm::mat4> previous_world;
  };
  const std::vector<Walker>& walkers() const { return walkers_; }
  // Returns the joint matrices of a walker's pose, `back` frames before the last one.
  std::vector<glm::mat4> joints_of(const Walker& walker, int back = 0) const;

 private:
  void come(runtime::Crowd& crowd, Walker& walker);
  glm::mat4 world_of(const Walker& walker) const;
  void choose_level(Walker& walker);

  std::vector<Kind> kinds_;
  std::vector<Walker> walkers_;
  runtime::CrowdLists lists_;
  float height_;
  float ground_;
  float aspect_;
  bool seldom_;
  float depth_ = 0;       // of the world, from exit to entry
  float half_width_ = 0;  // of the world
  float seconds_ = 0;
  float last_seconds_ = 0;
  std::uint32_t arrivals_ = 0;
  Events events_;
  Camera camera_;
  std::optional<glm::mat4> previous_clip_from_world_;
};

}  // namespace pelt::samples
