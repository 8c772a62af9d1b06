// SPDX-License-Identifier: MIT
// Calls of the C API for characters, and for the rigs and models that they are bound from.
#pragma once

#include <string>

#include "tests/fuzz/c_api_input.h"

namespace pelt::fuzz {

class CharacterCalls : Calls {
 public:
  explicit CharacterCalls(FuzzedDataProvider& in) : Calls(in) {}

  // Loads one of the seeds, now and then cut short.
  void load();
  // Makes one call, or a few that belong together.
  void call();
  const CharacterHandles& characters() const { return characters_; }

 private:
  const char* name();
  void pose_character(const pelt_character* character, const pelt_character_info& info);
  // Functions of a const handle run at the same time, and give the same.
  void pose_by_two_threads(const pelt_character* character, const pelt_character_info& info);
  static pelt_model* model();
  void bind();

  std::string text_;
  int binds_ = 0;
  CharacterHandles characters_;
  Handles<pelt_rig, pelt_rig_destroy> rigs_;
};

}  // namespace pelt::fuzz
