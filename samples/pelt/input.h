// SPDX-License-Identifier: MIT
// What the commands read: a character, its clips, its pose at a time.
#pragma once

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
#include <pelt/model.h>
#include <pelt/point_cache.h>
#include <pelt/result.h>

#include "samples/renderer/framing.h"

namespace pelt::samples {

// The last extension of a file name in lower case, with its dot.
std::string lower_extension(const std::string& path);

// How a model is to be bound: by a rig, by a preset, or by one deformer over all of it.
struct Binding {
  std::string rig;         // file; empty: the preset
  std::string preset;      // empty: the deformer
  std::string deformer;    // empty: the rig that a glTF file carries, or bind_model's choice
  std::string body;        // model that drives, as a body drives a garment; the deformer, without a rig, is the body's
  std::string weights_of;  // model that gives skeleton, clips and weights, as a body that wears a garment
  std::string transfer;    // .pelt, or .glb that carries a character, whose rig is carried over to the model

  std::optional<Judging> judging;  // instead of the rig's

  bool names_no_rig() const { return rig.empty() && preset.empty() && deformer.empty() && transfer.empty(); }

  // Nothing is said of how: the model's own rig does.
  bool is_default() const { return names_no_rig() && body.empty() && weights_of.empty(); }
};
inline constexpr const char* kDefaultDeformer = "surface-ffd";

struct Loaded {
  Bound bound;
  Model model;
  Rig rig;               // that it was bound by
  bool dressed = false;  // the model is of two files
  ImportReport import_report;
};

// Reads a model (a file or builtin:NAME) and binds it. Where nothing says by what, by kDefaultDeformer, or by linear
// blend where more than a tenth of the skin would be left to that; a note says which, and why.
Result<Loaded> bind_model(const std::string& model, const Binding& binding, const BindOptions& options = {});

// A .pelt file as it is, or a model, bound; one that carries its character is that where `binding` says nothing. A
// character that it carries in vain is a note on standard error.
Result<Character> load_character(const std::string& file, const Binding& binding);

// Says that no mesh of a model bends, for want of weights or of a second joint, and which command helps; empty where
// one does, or where clips move meshes as they are.
std::string rigid_note(const Model& model);

// "there is no clip 'wlak'; did you mean 'walk'? There are: walk, flex". `what` is "clip", `plural` "clips".
Error unknown_name(std::string_view what, std::string_view plural, std::string_view name,
                   std::span<const std::string_view> known);

// What moves a character over time.
struct Animation {
  std::string clip;                 // empty: the skeleton stands at rest
  std::vector<std::string> caches;  // FILE.pc2 or MESH=FILE.pc2: where streamed drivers are
  double fps = 24;                  // of the caches
};

// A character, posed over time: joints, their twists and morph targets by a clip, streamed drivers by point caches. The
// character outlives it.
class Poser {
 public:
  // Errors: no such clip; a cache that cannot be read, of no streamed driver, or of another number of points.
  static Result<Poser> create(const Character& character, const Animation& animation);

  float duration() const;  // seconds, of the clip or the longest cache; 0: neither is given
  // Clips and caches are held at their ends.
  InstancePose at(float seconds) const { return at(seconds, {}); }
  // The same after `change` of the joints' local transforms, one each; it may be empty.
  InstancePose at(float seconds, const std::function<void(std::span<Transform>)>& change) const;

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
