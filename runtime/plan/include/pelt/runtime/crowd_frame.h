// SPDX-License-Identifier: MIT
// A frame of a crowd as data: kernels, the buffers that they bind, and commands in order. A recorder turns it into
// calls of a graphics API: runtime/crowd_record.cpp into Vulkan's. Knows no Vulkan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pelt::runtime {

// The storage buffers of a crowd. Those marked * have a copy for each frame in flight, which the host writes
// (HostMemory).
enum class FrameBuffer : std::uint32_t {
  kNothing,   // bound to bindings that a shader does not use
  kWork,      // *
  kBindData,  // of characters
  kJoints,    // *, unless the caller supplies them
  kInputs,    // *, unless the caller supplies them
  kPalettes,
  kDrivers,             // their vertices
  kPalettesAndDrivers,  // one after the other, in one buffer
  kTable,               // *, if the device plans
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
inline constexpr std::size_t kKernelKinds = 7;

// Returns the storage buffers of binding 0, 1 and so on of set 0.
std::span<const Binding> bindings_of(KernelKind kind);
constexpr bool writes_outputs(KernelKind kind) { return kind > KernelKind::kPose; }

// A compute shader.
struct Kernel {
  KernelKind kind = KernelKind::kPose;
  std::string name;
  std::span<const std::uint32_t> spirv;
  std::uint32_t constant_bytes = 0;                // push constants
  std::vector<std::uint32_t> specialization = {};  // constants 0, 1, ...
};

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
  // kBarrier, on all memory, from and to reads and writes of compute:
  bool after_zero = false;
  bool after_indirect = false;   // and from dispatches that read arguments
  bool before_indirect = false;  // and to them
  // kDispatch:
  std::uint32_t dispatch = 0;    // index in CrowdFrame::dispatches
  bool indirect = false;         // its workgroups are words 3 * dispatch to 3 * dispatch + 2 of kArguments
  std::uint32_t workgroups = 0;  // else; 0: to be omitted
};

// The part of a frame.
enum class FramePart : std::uint32_t {
  kPose,   // palettes, drivers and boxes
  kBlend,  // skins and their normals
  kWhole,
};
inline constexpr std::size_t kFrameParts = 3;

// Valid until the next frame.
struct CrowdFrame {
  std::uint64_t number = 0;
  std::uint32_t frame_slot = 0;   // number % frames in flight: the copies of buffers that it reads
  std::uint32_t output_slot = 0;  // number % output slots
  std::span<const HostWrite> writes;
  std::span<const FrameCommand> commands;
  std::span<const FrameDispatch> dispatches;  // of the output slot
};

}  // namespace pelt::runtime
