// SPDX-License-Identifier: MIT
// Turns the plan of a crowd into the dispatches and commands of its frames.
#pragma once

#include <vector>

#include <pelt/runtime/crowd_frame.h>

#include "runtime/plan/crowd_plan.h"

namespace pelt::runtime {

struct FrameOptions {
  bool lists_on_device = false;     // the device plans the frame
  bool drawn_on_device = false;     // the device plans the skins
  std::vector<FrameBuffer> zeroed;  // before the crowd's first frame
};

// Returns the dispatches of the steps, then, if the device plans, that of the plan of frames, then that of their skins.
std::vector<FrameDispatch> dispatches_of(const CrowdPlan& plan, const OutputStreams& outputs,
                                         const FrameOptions& options);

// Returns the commands of the crowd's first frame. Later ones zero nothing.
std::vector<FrameCommand> commands_of(const CrowdPlan& plan, const FrameOptions& options, FramePart part);

}  // namespace pelt::runtime
