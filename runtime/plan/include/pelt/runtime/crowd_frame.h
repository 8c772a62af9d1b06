// SPDX-License-Identifier: MIT
// A frame of a crowd as data: kernels, the buffers that they bind, and commands in order. A recorder turns it into
// calls of a graphics API: runtime/crowd_record.cpp into Vulkan's. Knows no Vulkan.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pelt::runtime {

// The storage buffers of a crowd. Those marked * have a copy for each frame in flight, which the host writes
// (CrowdPlanner::HostMemory). All keep their content from frame to frame.
enum class FrameBuffer : std::uint32_t {
  kNothing,   // bound to bindings that a shader does not use; so may outputs be that are not written
  kWork,      // *
  kBindData,  // of characters
  kJoints,    // *, unless the caller supplies them
  kInputs,    // *, unless the caller supplies them
  kPalettes,
  kDrivers,             // their vertices
  kPalettesAndDrivers,  // both, the drivers directly after the palettes' bytes_of()
  kPlanTable,           // *, if the device plans
  kArguments,           // of indirect dispatches
  kList,                // the caller's
  kDrawnList,           // the caller's, of the second part of a frame
  kMemory,              // of the plans of these lists
  kDrawnMemory,
  kPositions,  // of the output slot that the frame writes, as are the following
  kNormals,
  kTangents,
  kPreviousPositions,
  kBounds,
  kTension,
  kAnchors,
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
enum class KernelKind : std::uint32_t { kPlan, kDrawnPlan, kPose, kDrivers, kSkins, kBounds, kTension, kAnchors };
inline constexpr std::size_t kKernelKinds = 8;

// Returns the storage buffers of binding 0, 1 and so on of set 0.
std::span<const Binding> bindings_of(KernelKind kind);
constexpr bool writes_outputs(KernelKind kind) { return kind > KernelKind::kPose; }

// A compute shader: SPIR-V 1.3 for Vulkan 1.1, entry point "main".
struct Kernel {
  KernelKind kind = KernelKind::kPose;
  std::string name;
  std::span<const std::uint32_t> spirv;
  std::uint32_t constant_bytes = 0;                // push constants
  std::uint32_t workgroup_size = 0;                // invocations, in x
  std::vector<std::uint32_t> specialization = {};  // constants 0, 1, ..., 32 bits each
};

// Returns each shader once per kind, with zeros as specialization constants, to translate ahead of time. If a
// translator needs their values, CrowdPlanner::plan_ahead has them.
std::vector<Kernel> all_kernels();

// Returns the workgroups in x and y of a dispatch if at most `most` are possible in x. Shaders number them
// y * (number in x) + x, and ignore those that are surplus.
constexpr std::array<std::uint32_t, 2> spread_workgroups(std::uint64_t workgroups, std::uint64_t most) {
  const std::uint64_t rows = (workgroups + most - 1) / most;
  return {static_cast<std::uint32_t>((workgroups + rows - 1) / rows), static_cast<std::uint32_t>(rows)};
}

// An output in the form that shaders receive.
enum class StreamFormat : std::uint32_t {
  kNone,
  kFloat,
  kOctahedral16,
  kOctahedral16Both,  // normal and tangent in one store of 8 bytes; of normals
  kFloatTight,        // positions and previous positions have strides of 12 bytes; of positions
};
struct OutputStream {
  std::uint32_t first = 0;   // words from the start of the bound range to element 0
  std::uint32_t stride = 0;  // words
  StreamFormat format = StreamFormat::kNone;
};
struct OutputStreams {
  OutputStream positions;
  OutputStream normals;
  OutputStream tangents;
  OutputStream previous_positions;
  OutputStream bounds;
  OutputStream tension;
  OutputStream anchors;
};

// A dispatch of the crowd's frames.
struct FrameDispatch {
  std::string name;  // for people to read
  Kernel kernel;
  std::vector<std::byte> constants;  // push constants
  std::vector<Binding> bindings;     // those of the kernel, with this dispatch's accesses
  std::uint32_t bind_buffer = 0;     // that it binds as kBindData: PlacedCharacter::bind_buffer
};

// Bytes of the host's copy of a buffer that were written for this frame, to make visible to the device.
struct HostWrite {
  FrameBuffer buffer = FrameBuffer::kNothing;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// One command of a frame.
struct FrameCommand {
  enum class Kind : std::uint32_t { kZero, kBarrier, kDispatch };
  Kind kind = Kind::kBarrier;
  FrameBuffer zeroed = FrameBuffer::kNothing;  // kZero: set to 0
  // kBarrier, on all buffers: reads and writes of compute before it come before those after it, which see the writes
  bool after_zero = false;
  bool after_indirect = false;   // and from dispatches that read arguments
  bool before_indirect = false;  // and to them
  // kDispatch:
  std::uint32_t dispatch = 0;    // index in CrowdFrame::dispatches
  bool indirect = false;         // its workgroups in x, y and z are word 3 * dispatch of kArguments and the next two
  std::uint32_t workgroups = 0;  // else (spread_workgroups); 0: to be omitted
};

// The part of a frame.
enum class FramePart : std::uint32_t {
  kPose,   // palettes, drivers and boxes
  kBlend,  // skins, their normals, tension and anchors
  kWhole,
};
inline constexpr std::size_t kFrameParts = 3;

// Valid until the next frame.
struct CrowdFrame {
  std::uint64_t number = 0;
  std::uint32_t frame_copy = 0;   // number % frames in flight: the copies of buffers that it reads
  std::uint32_t output_slot = 0;  // number % output slots
  std::span<const HostWrite> writes;
  std::span<const FrameCommand> commands;
  std::span<const FrameDispatch> dispatches;  // of the output slot
};

}  // namespace pelt::runtime
