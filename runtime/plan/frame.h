// SPDX-License-Identifier: MIT
// A frame of a crowd as data: the kernels, the buffers that they bind, and commands in order. A recorder
// (runtime/crowd_record.cpp) turns it into calls of a graphics API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/plan/crowd_plan.h"
#include "shaders/blend/blend.h"
#include "shaders/crowd/plan.h"

namespace pelt::runtime {

enum class FrameBuffer : std::uint32_t {
  kNothing,  // bound to bindings that a shader does not use
  kWork,     // of the frame in flight, as are joints, inputs and table
  kBindData,
  kJoints,
  kInputs,
  kPalettes,
  kDrivers,  // their vertices
  kPalettesAndDrivers,
  kTable,
  kArguments,  // of indirect dispatches: three words for each step of the plan
  kList,       // the caller's
  kDrawnList,  // of the second part of a frame
  kMemory,     // of the plans of these lists
  kDrawnMemory,
  kPositions,  // of the output slot that the frame writes, as are the following
  kNormals,
  kTangents,
  kPreviousPositions,
  kBounds,
  kCount
};

inline constexpr std::uint32_t kNoAccess = 0;
inline constexpr std::uint32_t kReads = 1;
inline constexpr std::uint32_t kWrites = 2;

struct Binding {
  FrameBuffer buffer = FrameBuffer::kNothing;
  std::uint32_t access = kNoAccess;  // kReads, kWrites
};

// Kernels of one kind have the same bindings.
enum class KernelKind : std::uint32_t { kPlan, kDrawnPlan, kPose, kDrivers, kSkins, kBounds, kNormals };
constexpr std::size_t kKernelKinds = 7;

// Returns the storage buffers of binding 0, 1 and so on.
std::span<const Binding> bindings_of(KernelKind kind);
constexpr bool writes_outputs(KernelKind kind) { return kind > KernelKind::kPose; }

// An output in the form that shaders receive.
struct OutputStream {
  shared::VertexStream stream{};
  std::uint32_t format = 0;  // kFormat... of shaders/blend/blend.h
};

struct OutputStreams {
  OutputStream positions;
  OutputStream normals;
  OutputStream tangents;
  OutputStream previous_positions;
  OutputStream bounds;
};

// A compute shader.
struct Kernel {
  KernelKind kind = KernelKind::kPose;
  std::string name;
  std::span<const std::uint32_t> spirv;
  std::uint32_t constant_bytes = 0;                // push constants
  std::vector<std::uint32_t> specialization = {};  // constants 0, 1, ...
};
Kernel plan_kernel(KernelKind kind);
Kernel kernel_of(const CrowdStep& step, const OutputStreams& outputs);
std::vector<std::byte> constants_of(const CrowdStep& step, const OutputStreams& outputs);
// Returns what the step accesses of its kernel's bindings.
std::vector<Binding> accesses_of(const CrowdStep& step, const OutputStreams& outputs);

// One command of a frame.
struct FrameCommand {
  enum class Kind : std::uint32_t { kZero, kBarrier, kDispatch };
  Kind kind = Kind::kBarrier;
  FrameBuffer zeroed = FrameBuffer::kNothing;  // kZero: set to 0
  // kBarrier, on all memory, from and to reads and writes of compute:
  bool after_zero = false;
  bool after_indirect = false;   // and from dispatches that read arguments
  bool before_indirect = false;  // and to them
  // kDispatch, of one workgroup that plans, or of a step of the plan:
  std::optional<KernelKind> plans;
  std::size_t step = 0;
  bool indirect = false;  // its workgroups are in kArguments; else HostPlan counts them
};

// The part of a frame: palettes, drivers and boxes; skins and their normals; or both.
enum class FramePart : std::uint32_t { kPose, kBlend, kWhole };
constexpr std::size_t kFrameParts = 3;

struct FrameOptions {
  bool lists_on_device = false;     // the device plans the frame
  bool drawn_on_device = false;     // the device plans the skins
  std::vector<FrameBuffer> zeroed;  // before the crowd's first frame
};

std::vector<FrameCommand> commands_of(const CrowdPlan& plan, const FrameOptions& options, FramePart part, bool first);

}  // namespace pelt::runtime
