// SPDX-License-Identifier: MIT
// What the commands read: a character, its clips, its pose at a time.
#pragma once

#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/character/bind.h"
#include "engine/character/character.h"
#include "engine/core/result.h"
#include "engine/model/model.h"

namespace pelt::samples {

// The last extension of a file name in lower case, with its dot.
std::string lower_extension(const std::string& path);

// How a model is to be bound: by a rig, or by one deformer over all of it.
struct Binding {
  std::string rig;  // file; empty: the deformer
  std::string deformer = "surface-ffd";
};

struct Loaded {
  Bound bound;
  ImportReport import_report;
};

// Reads a model (a file or builtin:NAME) and binds it.
Result<Loaded> bind_model(const std::string& model, const Binding& binding, const BindOptions& options = {});

// A .pelt file as it is, or a model, bound.
Result<Character> load_character(const std::string& file, const Binding& binding);

// "there is no clip 'wlak'; did you mean 'walk'? There are: walk, flex". `what` is "clip", `plural` "clips".
Error unknown_name(std::string_view what, std::string_view plural, std::string_view name,
                   std::span<const std::string_view> known);

// nullptr where `name` is empty: the character stands at rest. Errors: no such clip.
Result<const Clip*> find_clip_or_rest(const Character& character, const std::string& name);

// Joint matrices at `seconds` into the clip, held at its ends; at rest where there is none.
std::vector<glm::mat4> joints_at(const Character& character, const Clip* clip, float seconds);

}  // namespace pelt::samples
