// SPDX-License-Identifier: MIT
// Small characters that, together, have all that a .pelt file can hold, for the files of a release.
#pragma once

#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/model.h>

namespace pelt::test {

struct ReleaseCharacter {
  std::string file;  // its name: .pelt, or .glb with the model and the rig
  Model model;
  Character character;
};

// Binds all of them by the deformers as they are now.
std::vector<ReleaseCharacter> release_characters();

}  // namespace pelt::test
