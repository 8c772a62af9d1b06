// SPDX-License-Identifier: MIT
#include "runtime/plan/frame.h"

#include <array>

#include "engine/character/base/formatted.h"
#include "engine/character/pose_kernels.h"
#include "pelt_planner_shaders.h"
#include "shaders/anchor/anchor.h"
#include "shaders/bounds/bounds.h"
#include "shaders/pose_pass.h"
#include "shaders/tension/tension.h"

namespace pelt::runtime {
namespace {

using enum FrameBuffer;

static_assert(static_cast<std::uint32_t>(StreamFormat::kNone) == shared::kFormatNone &&
              static_cast<std::uint32_t>(StreamFormat::kFloat) == shared::kFormatFloat &&
              static_cast<std::uint32_t>(StreamFormat::kOctahedral16) == shared::kFormatOctahedral16 &&
              static_cast<std::uint32_t>(StreamFormat::kOctahedral16Both) == shared::kFormatOctahedral16Both &&
              static_cast<std::uint32_t>(StreamFormat::kFloatTight) == shared::kFormatFloatTight);

constexpr std::uint32_t kReadsAndWrites = kReads | kWrites;

constexpr Binding kPlanBindings[] = {
    {kWork, kReadsAndWrites}, {kList, kReads}, {kPlanTable, kReads}, {kArguments, kWrites}, {kMemory, kReadsAndWrites}};
constexpr Binding kDrawnPlanBindings[] = {{kWork, kReadsAndWrites},
                                          {kDrawnList, kReads},
                                          {kPlanTable, kReads},
                                          {kArguments, kWrites},
                                          {kDrawnMemory, kReadsAndWrites}};
constexpr Binding kPoseBindings[] = {{kWork, kReads},    {kBindData, kReads},          {kJoints, kReads},
                                     {kDrivers, kReads}, {kPalettes, kReadsAndWrites}, {kBindData, kReads},
                                     {kInputs, kReads}};
constexpr Binding kDriverBindings[] = {
    {kWork, kReads},       {kBindData, kReads}, {kPalettes, kReads},  {kPalettesAndDrivers, kWrites},
    {kPositions, kWrites}, {kNormals, kWrites}, {kTangents, kWrites}, {kPreviousPositions, kWrites}};
// The blend of skins does not bind palettes for writing: it writes no vertices of drivers, and bounds read palettes
// concurrently.
constexpr Binding kSkinBindings[] = {{kWork, kReads},      {kBindData, kReads},          {kPalettes, kReads},
                                     {kNothing},           {kPositions, kWrites},        {kNormals, kWrites},
                                     {kTangents, kWrites}, {kPreviousPositions, kWrites}};
constexpr Binding kBoundsBindings[] = {
    {kWork, kReads}, {kBindData, kReads}, {kPalettes, kReads}, {FrameBuffer::kBounds, kWrites}};
constexpr Binding kTensionBindings[] = {
    {kWork, kReads}, {kBindData, kReads}, {kPositions, kReads}, {FrameBuffer::kTension, kWrites}};
constexpr Binding kAnchorBindings[] = {
    {kWork, kReads}, {kBindData, kReads}, {kPalettes, kReads}, {FrameBuffer::kAnchors, kWrites}};

static_assert(
    std::size(kPlanBindings) == shared::kPlanBindCount && std::size(kDrawnPlanBindings) == shared::kPlanBindCount &&
    std::size(kPoseBindings) == shared::kPoseBindCount && std::size(kDriverBindings) == shared::kBlendBindCount &&
    std::size(kSkinBindings) == shared::kBlendBindCount && std::size(kBoundsBindings) == shared::kBoundsBindCount &&
    std::size(kTensionBindings) == shared::kTensionBindCount && std::size(kAnchorBindings) == shared::kAnchorBindCount);

constexpr std::array<std::span<const Binding>, kKernelKinds> kBindings{
    kPlanBindings, kDrawnPlanBindings, kPoseBindings,    kDriverBindings,
    kSkinBindings, kBoundsBindings,    kTensionBindings, kAnchorBindings};

template <class Constants>
std::vector<std::byte> bytes_of(const Constants& constants) {
  const auto bytes = std::as_bytes(std::span(&constants, 1));
  return {bytes.begin(), bytes.end()};
}

KernelKind kind_of(const CrowdStep& step) {
  switch (step.pass) {
    case CrowdPass::kPose:
      return KernelKind::kPose;
    case CrowdPass::kBounds:
      return KernelKind::kBounds;
    case CrowdPass::kTension:
      return KernelKind::kTension;
    case CrowdPass::kAnchors:
      return KernelKind::kAnchors;
    case CrowdPass::kBlend:
      break;
  }
  return (step.contents & shared::kHasDrivers) != 0 ? KernelKind::kDrivers : KernelKind::kSkins;
}

// Constants of shaders/blend/blend.h.
std::vector<std::uint32_t> blend_specialization(const CrowdStep& step, const OutputStreams& outputs) {
  std::vector<std::uint32_t> made(shared::kSpecCount, shared::kFormatNone);
  const auto number = [](const OutputStream& output) { return static_cast<std::uint32_t>(output.format); };
  if ((step.contents & shared::kHasOutputs) != 0) {
    made[shared::kSpecNormalsFormat] = number(outputs.normals);
    made[shared::kSpecTangentsFormat] = number(outputs.tangents);
    made[shared::kSpecPositionsFormat] = number(outputs.positions);
    made[shared::kSpecPreviousFormat] = number(outputs.previous_positions);
  }
  made[shared::kSpecContents] = step.contents;
  return made;
}

std::span<const std::uint32_t> pose_shader(PoseKernel kernel) {
  // Indexed by PoseKernel.
  static const std::span<const std::uint32_t> shaders[] = {
#define PELT_POSE_KERNEL(kernel, folder, shader) spirv::shader##_comp,
#include <pelt/pose_kernels.list>
#undef PELT_POSE_KERNEL
  };
  return shaders[static_cast<std::size_t>(kernel)];
}

shared::VertexStream stream_of(const OutputStream& output) { return {output.first, output.stride}; }

std::vector<std::byte> constants_of(const CrowdStep& step, const OutputStreams& outputs) {
  switch (step.pass) {
    case CrowdPass::kPose:
      break;
    case CrowdPass::kBlend:
      return bytes_of(shared::BlendConstants{.range = step.range,
                                             .positions = stream_of(outputs.positions),
                                             .normals = stream_of(outputs.normals),
                                             .tangents = stream_of(outputs.tangents),
                                             .previous = stream_of(outputs.previous_positions)});
    case CrowdPass::kBounds:
      return bytes_of(shared::BoundsConstants{
          .range = step.range, .first_word = outputs.bounds.first, .stride = outputs.bounds.stride});
    case CrowdPass::kTension:
      return bytes_of(shared::TensionConstants{
          .range = step.range, .positions = stream_of(outputs.positions), .tension = stream_of(outputs.tension)});
    case CrowdPass::kAnchors:
      return bytes_of(shared::AnchorConstants{.range = step.range, .frames = stream_of(outputs.anchors)});
  }
  return bytes_of(step.range);
}

std::vector<Binding> accesses_of(const CrowdStep& step, const OutputStreams& outputs) {
  const std::span<const Binding> bindings = bindings_of(kind_of(step));
  std::vector<Binding> made(bindings.begin(), bindings.end());
  if (step.pass != CrowdPass::kBlend) return made;
  const bool writes = (step.contents & shared::kHasOutputs) != 0;
  for (Binding& binding : made) {
    if (binding.buffer >= kPositions && !writes) binding.access = kNoAccess;
    // Previous positions are copied.
    if (binding.buffer == kPositions && writes && outputs.previous_positions.format != StreamFormat::kNone)
      binding.access |= kReads;
  }
  return made;
}

// Returns a kernel with zeros as specialization constants. `pose`: of kPose.
Kernel kernel_of(KernelKind kind, PoseKernel pose) {
  switch (kind) {
    case KernelKind::kPlan:
    case KernelKind::kDrawnPlan:
      return {kind, "plan", spirv::crowd_plan_comp, sizeof(shared::PlanConstants), shared::kPlanWorkgroupSize};
    case KernelKind::kPose:
      return {kind, formatted("pose {}", pose_kernel(pose).name), pose_shader(pose), sizeof(shared::JobRange),
              shared::kPoseWorkgroupSize};
    case KernelKind::kBounds:
      return {kind,
              "bounds",
              spirv::bounds_bounds_comp,
              sizeof(shared::BoundsConstants),
              shared::kBoundsWorkgroupSize,
              std::vector<std::uint32_t>(shared::kBoundsSpecCount)};
    case KernelKind::kTension:
      return {kind, "tension", spirv::tension_tension_comp, sizeof(shared::TensionConstants),
              shared::kTensionWorkgroupSize};
    case KernelKind::kAnchors:
      return {kind,
              "anchors",
              spirv::anchor_anchor_comp,
              sizeof(shared::AnchorConstants),
              shared::kAnchorWorkgroupSize,
              std::vector<std::uint32_t>(shared::kAnchorSpecCount)};
    case KernelKind::kDrivers:
    case KernelKind::kSkins:
      break;
  }
  return {kind,
          "blend",
          spirv::blend_blend_comp,
          sizeof(shared::BlendConstants),
          shared::kBlendWorkgroupSize,
          std::vector<std::uint32_t>(shared::kSpecCount)};
}

Kernel kernel_of(const CrowdStep& step, const OutputStreams& outputs) {
  Kernel made = kernel_of(kind_of(step), step.kernel);
  if (step.pass == CrowdPass::kBlend) made.specialization = blend_specialization(step, outputs);
  if (step.pass == CrowdPass::kBounds) made.specialization[shared::kBoundsSpecContents] = step.contents;
  if (step.pass == CrowdPass::kAnchors) made.specialization[shared::kAnchorSpecContents] = step.contents;
  return made;
}

}  // namespace

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> made;
  for (std::size_t k = 0; k < kKernelKinds; ++k) {
    const auto kind = static_cast<KernelKind>(k);
    const std::size_t poses = kind == KernelKind::kPose ? kPoseKernelCount : 1;
    for (std::size_t p = 0; p < poses; ++p) made.push_back(kernel_of(kind, static_cast<PoseKernel>(p)));
  }
  return made;
}

std::span<const Binding> bindings_of(KernelKind kind) { return kBindings[static_cast<std::size_t>(kind)]; }

std::vector<FrameDispatch> dispatches_of(const CrowdPlan& plan, const OutputStreams& outputs,
                                         const FrameOptions& options) {
  std::vector<FrameDispatch> made;
  for (const CrowdStep& step : plan.steps)
    made.push_back({step.name, kernel_of(step, outputs), constants_of(step, outputs), accesses_of(step, outputs),
                    step.bind_buffer});
  const auto add_plan = [&](KernelKind kind, const char* name) {
    const std::span<const Binding> bindings = bindings_of(kind);
    made.push_back({name,
                    kernel_of(kind, {}),
                    std::vector<std::byte>(sizeof(shared::PlanConstants)),
                    {bindings.begin(), bindings.end()}});
  };
  if (options.lists_on_device) add_plan(KernelKind::kPlan, "plan");
  if (options.drawn_on_device) add_plan(KernelKind::kDrawnPlan, "plan of drawn skins");
  return made;
}

std::vector<FrameCommand> commands_of(const CrowdPlan& plan, const FrameOptions& options, FramePart part) {
  std::vector<FrameCommand> made;
  FrameCommand barrier{.after_indirect = options.lists_on_device || options.drawn_on_device};
  if (part != FramePart::kBlend) {
    for (const FrameBuffer buffer : options.zeroed)
      made.push_back({.kind = FrameCommand::Kind::kZero, .zeroed = buffer});
    barrier.after_zero = !made.empty();
  }
  const auto add_barrier = [&](bool before_indirect) {
    barrier.before_indirect = before_indirect;
    made.push_back(barrier);
    barrier = {};
  };
  const auto add_plan = [&](bool of_skins) {
    add_barrier(false);
    made.push_back({.kind = FrameCommand::Kind::kDispatch,
                    .dispatch = static_cast<std::uint32_t>(plan.steps.size()) + (of_skins && options.lists_on_device)});
  };
  const auto add_steps = [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const bool planned = !made.empty() && made.back().kind == FrameCommand::Kind::kDispatch &&
                           made.back().dispatch >= plan.steps.size();
      const bool is_first = made.empty() || made.back().kind != FrameCommand::Kind::kDispatch;
      if (plan.steps[s].barrier_before || planned || is_first) add_barrier(planned);
      made.push_back({.kind = FrameCommand::Kind::kDispatch,
                      .dispatch = static_cast<std::uint32_t>(s),
                      .indirect = options.lists_on_device || (options.drawn_on_device && s >= plan.first_drawing)});
    }
  };
  if (part != FramePart::kBlend) {
    if (options.lists_on_device) add_plan(false);
    add_steps(0, plan.first_drawing);
  }
  if (part != FramePart::kPose) {
    if (options.drawn_on_device) add_plan(true);
    add_steps(plan.first_drawing, plan.steps.size());
  }
  return made;
}

}  // namespace pelt::runtime
