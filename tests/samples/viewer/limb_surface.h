// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/hierarchical_bspline.h>
#include <pelt/rig.h>

#include "tests/support/driven.h"
#include "tests/support/tube_surface.h"

namespace pelt::viewer {

// Returns a rig of a surface with overlays for builtin:limb.
inline Rig limb_surface() {
  HierarchicalBsplineParameters surface = test::tube_surface();
  test::add_overlays(surface);
  for (SurfaceLevel& level : surface.levels) {
    for (SurfaceAttachment& attachment : level.attach)
      attachment.joint = attachment.joint == "joint0" ? "root" : "joint";
  }
  return test::rig_of(surface);
}

}  // namespace pelt::viewer
