// SPDX-License-Identifier: MIT
// The characters in the scene: the document's, and those compared with it.
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

// A character on the device, posed by the view. Pointers to it are valid until its key is shown again or removed.
struct Actor {
  std::string key;      // "rig", the deformer, or the file of a companion
  std::string caption;  // its name in the picture
  Character character;
  BindReport report;
  double bind_seconds = 0;
  runtime::GpuCharacters uploaded;
  runtime::Crowd crowd;
  bool restart = false;           // its secondary action starts at rest
  samples::InstancePose pose;     // of the first instance
  std::vector<glm::mat4> worlds;  // of every instance
  samples::Bounds bounds;         // of all instances' poses and the whole clip, model space
};

// A character that is ready to be shown: on the device, in the rest pose, with known bounds. Move-only.
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

// Makes a newcomer on any thread. `clip`: a clip of the character that is likely to be shown; empty: none. Errors:
// upload's, Crowd::create's.
Result<Newcomer> make_newcomer(const runtime::Device& device, const std::string& key, Bound bound, double bind_seconds,
                               const std::string& clip = "");

class Stage {
 public:
  explicit Stage(const runtime::Device& device);
  ~Stage();
  Stage(Stage&&) noexcept;

  // Replaces the character under the same key. The device must have finished drawing. `is_moved`: the newcomer is that
  // character with some points moved, during a drag, and keeps the bounds of its clips, since measuring takes time.
  void show(Newcomer newcomer, bool is_moved = false);
  void remove(const std::string& key);

  // Replaces the companions, such as garments: drawn over each figure, in the same clip and pose if they have it.
  void accompany(std::vector<Newcomer> companions);
  std::vector<Actor*> companions() const;

  // Returns the characters of the last pose() in order: Compare::deformers, then the document's; only the document's if
  // nothing is compared.
  std::span<Actor* const> actors() const;
  Actor* find(const std::string& key);
  Actor* subject() { return find("rig"); }
  // Returns the first of Compare::deformers; nullptr if nothing is compared or it does not exist yet.
  Actor* reference();

  // Poses all instances at the view's time and arranges them; the instances of a crowd are out of step with the first.
  // Takes a new number of instances of the document's rig from the view: the device must be idle then. Errors: no such
  // clip or joint (nothing has changed); Crowd::create's, reported once per number of instances (the existing instances
  // are posed).
  Result<void> pose(const ViewState& state);

  // Places the instances of the last pose(). Characters side by side form a row across the camera's view at any yaw, so
  // that none hides another or looks smaller. A crowd forms a square with its first instance in front.
  void arrange(const ViewState& state);

  // Advances playback.time by `seconds`, by speed and loop; without loop playback stops at the clip's end.
  void advance(ViewState& state, double seconds) const;
  float duration(const ViewState& state) const;  // duration of the clip, seconds; 0: no clip

  // Returns the first instance's vertices from the CPU (packed order of the character), evaluated at the first call
  // after pose().
  const Evaluator& evaluated(const Actor& actor);

  // Returns the box of every shown instance, world space.
  std::vector<samples::Bounds> boxes(const ViewState& state) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pelt::viewer
