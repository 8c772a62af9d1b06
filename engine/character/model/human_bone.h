// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/result.h>
#include <pelt/skeleton.h>

#include "engine/character/base/invalid.h"

namespace pelt {

// Checks that human bones refer to existing joints.
inline Result<void> check_human_bones(const Skeleton& skeleton) {
  for (const HumanBone& bone : skeleton.human_bones) {
    if (bone.joint >= skeleton.joints.size()) {
      return invalid("the human bone '{}' is joint {}, but there are only {}", bone.name, bone.joint,
                     skeleton.joints.size());
    }
  }
  return {};
}

}  // namespace pelt
