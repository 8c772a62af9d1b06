// SPDX-License-Identifier: MIT
// The characters that stand in the scene: the document's, and those it is compared with.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/bind.h>
#include <pelt/evaluate.h>
#include <pelt/result.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/upload.h>

#include "samples/pelt/input.h"
#include "samples/renderer/framing.h"
#include "samples/renderer/renderer.h"
#include "samples/viewer/view_state.h"

namespace pelt::viewer {

// A character on the device, posed as the view says. Pointers to it hold until its key is shown anew or removed.
struct Actor {
  std::string key;  // "rig", or the deformer
  Character character;
  BindReport report;
  double bind_seconds = 0;
  runtime::GpuCharacters uploaded;
  runtime::Crowd crowd;
  samples::InstancePose pose;     // of the first instance
  std::vector<glm::mat4> worlds;  // of every instance
  samples::Bounds bounds;         // of all instances' poses, and of the whole clip: model space
};

// A character that is ready to be shown: on the device, posed at rest, and how far it reaches is known. Move-only.
class Newcomer {
 public:
  ~Newcomer();
  Newcomer(Newcomer&&) noexcept;
  Newcomer& operator=(Newcomer&&) noexcept;

  struct State;
  State& state() { return *state_; }
  explicit Newcomer(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

// On any thread. `clip`: of the character, that is likely to be shown; empty: none. Errors: upload's, Crowd::create's.
Result<Newcomer> make_newcomer(const runtime::Device& device, const std::string& key, Bound bound, double bind_seconds,
                               const std::string& clip = "");

// How far a character reaches in a clip of it (empty: at rest), model space: at some of its poses, and a little more.
// Evaluates them; on any thread.
samples::Bounds bounds_of_clip(const Character& character, const std::string& clip);

class Stage {
 public:
  explicit Stage(const runtime::Device& device);
  ~Stage();
  Stage(Stage&&) noexcept;

  // Takes the place of what was shown under its key. What the device draws must be done.
  void show(Newcomer newcomer);
  void remove(const std::string& key);

  // Those that the view shows, in order: Compare::deformers, the document's last; it alone where nothing is compared.
  // As of the last pose().
  std::span<Actor* const> actors() const;
  Actor* find(const std::string& key);
  Actor* subject() { return find("rig"); }
  // The first of Compare::deformers that is shown; nullptr where nothing is compared or it is not there yet.
  Actor* reference();

  // Poses all instances for the time of the view, all of a crowd out of step but the first, and arranges them. Takes
  // another number of instances of the document's rig from the view: the device must be idle then. Errors: no such clip
  // or joint (then nothing has changed); Crowd::create's, given once for a number of instances (then those that were
  // there are posed).
  Result<void> pose(const ViewState& state);

  // Those of the last pose() whose bounds_of_clip is not known yet: their Actor::bounds is then of that pose and those
  // before.
  struct Unmeasured {
    std::string key;
    std::string clip;
    Character character;
  };
  std::vector<Unmeasured> unmeasured() const;
  // The answer; nothing happens where another character is shown under that key by now.
  void measured(const Unmeasured& of, const samples::Bounds& bounds);

  // Sets where the instances of the last pose() stand: those that are compared side by side in a row across the view of
  // the camera, whatever its yaw, so that none hides another or looks smaller; a crowd in a square behind its first
  // instance.
  void arrange(const ViewState& state);

  // Advances playback.time by `seconds`, by speed and loop; without loop playback stops at the clip's end.
  void advance(ViewState& state, double seconds) const;
  float duration(const ViewState& state) const;  // of the clip, seconds; 0: none

  // Where the first instance's vertices are, by the CPU (packed order of the character), evaluated when first asked
  // for since pose().
  const Evaluator& evaluated(const Actor& actor);

  // Of every instance that is shown, world space.
  std::vector<samples::Bounds> boxes(const ViewState& state) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pelt::viewer
