// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/helper_joints.h"

#include <fmt/format.h>

#include <vector>

#include <pelt/finite.h>
#include <pelt/try.h>

#include "engine/authoring/model/find_named.h"
#include "engine/character/core/invalid.h"
#include "engine/character/model/helper_joint.h"

namespace pelt {

Result<void> add_helper_joints(const Rig& rig, Skeleton& skeleton) {
  std::vector<bool> named(skeleton.joints.size(), false);
  for (const HelperTurn& turn : rig.helper_joints) {
    const std::string what = fmt::format("the helper joint '{}'", turn.joint);
    PELT_ASSIGN(const auto joint, find_joint(skeleton, turn.joint, what));
    PELT_ASSIGN(const auto source, find_joint(skeleton, turn.source, what));
    if (named[joint]) return invalid("two helper joints are '{}'", turn.joint);
    named[joint] = true;
    if (!is_finite(turn.axis)) return invalid("{}: its axis is not finite", what);
    if (source == joint) return invalid("{} is its own source", what);
    if (skeleton.joints[source].parent < 0) {
      return invalid("{} turns with '{}', which has no parent: its turn is that of the whole character", what,
                     turn.source);
    }
    std::erase_if(skeleton.helpers, [&](const HelperJoint& other) { return other.joint == joint; });
    skeleton.helpers.push_back(make_helper_joint(skeleton, joint, source, {turn.axis, turn.twist, turn.swing}));
  }
  PELT_TRY(sort_helpers(skeleton));
  return check_helpers(skeleton);
}

}  // namespace pelt
