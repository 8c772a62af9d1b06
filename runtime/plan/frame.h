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

// Returns the dispatches of the steps, then those of plans (plan_dispatch).
std::vector<FrameDispatch> dispatches_of(const CrowdPlan& plan, const OutputStreams& outputs);
// Returns the index of the dispatch that plans frames, or their skins.
inline std::uint32_t plan_dispatch(const CrowdPlan& plan, KernelKind kind) {
  return static_cast<std::uint32_t>(plan.steps.size()) + (kind == KernelKind::kDrawnPlan ? 1 : 0);
}

std::vector<FrameCommand> commands_of(const CrowdPlan& plan, const FrameOptions& options, FramePart part, bool first);

}  // namespace pelt::runtime
