// SPDX-License-Identifier: MIT
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>
#include <pelt/runtime/crowd_planner.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/gpu_timer.h>
#include <pelt/runtime/upload.h>
#include <pelt/shaders/crowd_table.h>

namespace pelt::runtime {

// A part of a buffer of the caller's, which needs VK_BUFFER_USAGE_STORAGE_BUFFER_BIT. Null buffer: the crowd makes a
// buffer of its own.
struct BufferLocation {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;  // bytes; each field of this type states the alignment
  VkDeviceSize size = 0;    // bytes from the offset on that the crowd may use; fewer than it needs is an error
};

enum class VertexFormat : std::uint32_t {
  kNone,   // not written
  kFloat,  // positions, normals: float3; tangents: float4, w = handedness
  // snorm16 x 2 (pelt/shaders/octahedral.h); a tangent's lowest bit is 1 if its handedness is -1
  kOctahedral16,
  kSnorm8,  // tension: snorm8 x 2, then two bytes that are 0
};

// The format and destination of an attribute. Vertex v of instance i is element CrowdInstance::first_vertex + v.
struct VertexOutput {
  VertexFormat format = VertexFormat::kNone;
  BufferLocation location;  // offset: a multiple of 4
  // Bytes from element to element, a multiple of 4. 0: tight in a caller's buffer, the fastest in the crowd's own.
  std::uint32_t stride = 0;
};

inline constexpr std::uint32_t kMaxOutputSlots = 3;

// The locations of the outputs of one output slot.
struct SlotLocations {
  BufferLocation positions;
  BufferLocation normals;
  BufferLocation tangents;
  BufferLocation bounds;
  BufferLocation tension;
  BufferLocation anchors;
};

// The attributes that the crowd writes for every vertex and instance, in any combination.
struct CrowdOutputs {
  VertexOutput positions{VertexFormat::kFloat, {}, 0};  // model space, metres
  VertexOutput normals{VertexFormat::kOctahedral16, {}, 0};
  VertexOutput tangents{VertexFormat::kOctahedral16, {}, 0};
  // kFloat: the positions of the frame before, for motion vectors. They equal this frame's positions if the instance
  // was not moved since, has just appeared, or was teleported. Needs positions, in a buffer that keeps its content from
  // frame to frame. Skins only: cannot be combined with control_meshes. With several slots nothing is copied and no
  // memory is taken: the positions of the slot before are used (Crowd::previous_frame); leave `location` and `stride`
  // unset.
  VertexOutput previous_positions;
  // Writes a box round each instance's skin: float3 least corner, then float3 greatest corner, model space, metres. It
  // is computed from the palette before the skin is moved, and always contains the skin; docs/outputs.md, Bounds,
  // describes how much larger it is. An instance that is not moved keeps its box. A box belongs to the frame being
  // recorded, so it is too late to cull the whole instance from that frame. Offset: a multiple of 4.
  bool bounds = false;
  BufferLocation bounds_location;
  std::uint32_t bounds_stride = 0;  // bytes from one box to the next, a multiple of 4, 24 or more; 0: 24
  // kSnorm8: how much longer a skin is than at rest along its tangent, then along its bitangent, for wrinkle maps:
  // log2(length / rest length), clamped to -1 to 1 (docs/outputs.md, Tension). Needs positions, and
  // UploadOptions::tension. Not written for control meshes.
  VertexOutput tension;
  // kFloat: the frame of each of CharacterData::anchors, as Anchor::frame() returns it: the upper three rows of a
  // matrix to model space (shared::Affine). Anchor a of instance i is element CrowdInstance::first_anchor + a. An
  // instance that is not moved keeps its frames. Whichever level of detail is shown, an anchor stays on the finest.
  VertexOutput anchors;
  // The number of output slots, 1 to kMaxOutputSlots: how many frames' vertices and boxes are kept. Frames use the
  // slots in turn. Each frame writes only its own slot, with the outputs of every instance, moved or not. Each slot
  // takes the memory of one set of outputs (Crowd::bytes()).
  //   1  A frame overwrites the one before. Previous positions are copied: 24 bytes of traffic per vertex.
  //   2  Two frames swap. The next frame may be computed while one is drawn, unless its previous positions are.
  //   3  The next frame may be computed while one is drawn with its previous positions.
  std::uint32_t slots = 1;
  // The locations of slots 1 and 2, for outputs that are written to a buffer of the caller's. Formats and strides are
  // those of slot 0. Slots must not overlap. Offsets: multiples of 4.
  std::array<SlotLocations, kMaxOutputSlots - 1> slot_locations{};
  bool control_meshes = false;  // for tools: also writes drivers; vertices are numbered over all meshes; one slot only
  // Added to the usage flags of the crowd's own vertex buffer, for example to build acceleration structures:
  // VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR.
  // The device must have the features enabled that Vulkan requires for these flags.
  VkBufferUsageFlags usage = 0;
};

// Returns the room that a character and this many of its instances take in a crowd with these outputs. Lower `vertices`
// if few of the instances have outputs at once.
CrowdCapacity capacity_of(const Character& character, std::uint32_t instances, const CrowdOutputs& outputs = {});

struct CrowdOptions {
  // The number of initial instances of each character of the GpuCharacters, by character number; empty: one of each.
  // Instances are numbered from 0, character by character. The list may be shorter than the GpuCharacters: the crowd
  // ignores further characters until they are added (Crowd::add), so another thread may upload characters while a crowd
  // is made.
  std::vector<std::uint32_t> instances;
  // Room for more instances and characters during the crowd's lifetime. A number smaller than `instances` need is
  // raised to that.
  CrowdCapacity capacity;
  std::uint32_t frames_in_flight = 2;  // frames that may be recorded before the first has finished
  CrowdOutputs outputs;
  // The buffer from which the crowd reads the upper three rows of joint matrices (shared::Affine), an instance's from
  // CrowdInstance::first_joint on; for animation on the device. Helper joints must already be turned. Offset: a
  // multiple of minStorageBufferOffsetAlignment. The buffer must be written before record()'s commands run, and visible
  // to storage reads of compute. None: pose() fills a buffer of the crowd's.
  BufferLocation joints;
  // The same for the other inputs: CharacterData::input_count floats from CrowdInstance::first_input on; for simulation
  // on the device. If a character has secondary action, write clock() to CharacterData::clock_input() of each of its
  // instances. None: inputs() fills a buffer of the crowd's.
  BufferLocation inputs;
  // The list of each frame (Crowd::record), if the device makes it: a count (uint32), then space for one ListEntry per
  // instance that the crowd has room for. Only the first `count` entries are read. Offset: a multiple of
  // minStorageBufferOffsetAlignment. The list must be written before record()'s commands run, and visible to storage
  // reads of compute.
  BufferLocation list;
  // A list for the second part of each frame, in the same form, for frames that are recorded in two parts
  // (FramePart). A pass of the caller's may write it between the two parts, from this frame's boxes. The other list
  // then has the instances to pose, and this one those to show, whether they were posed in this frame or earlier;
  // kEntryStay and kEntryLinearBlend are taken from the pose.
  BufferLocation drawn;
};

// Options of Crowd::record.
struct RecordOptions {
  // kPose, then kBlend: records the frame in two parts. Between them the frame's boxes are known (CrowdOutputs::bounds)
  // and its skins are not moved yet: after a barrier from COMPUTE_SHADER with SHADER_STORAGE_WRITE, a pass of the
  // caller's may read the boxes and write CrowdOptions::drawn. Compute writes between the parts are visible to the
  // second. Both parts have the barrier contract of record().
  FramePart part = FramePart::kWhole;
  // The instances that the frame shows (pelt/shaders/crowd_table.h); CrowdLists makes lists. None: all that have
  // outputs, moved, at their finest level. For the first part only, and only if CrowdOptions::list is null.
  std::optional<std::span<const shared::ListEntry>> list = {};
  // Gets one stamp after each of passes(), even one without work. Poses of one stage may overlap: the time of a pass is
  // then counted from the end of the pass before.
  GpuTimer* timer = nullptr;
};

// How a part of a frame uses a buffer that the caller can access too.
struct BufferUse {
  const char* name = nullptr;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
  VkDeviceSize size = 0;
  VkPipelineStageFlags2 stages = VK_PIPELINE_STAGE_2_NONE;
  VkAccessFlags2 access = VK_ACCESS_2_NONE;
};

// A change of owner of a frame's outputs (Crowd::record_transfer).
struct QueueTransfer {
  enum class Step : std::uint32_t { kAcquireBack, kRelease, kAcquire, kReleaseBack };
  Step step = Step::kAcquireBack;
  std::uint64_t frame = 0;  // its number (Crowd::frames)
  std::uint32_t compute_family = 0;
  std::uint32_t reading_family = 0;
  VkPipelineStageFlags2 reading_stages = VK_PIPELINE_STAGE_2_NONE;  // for kAcquire and kReleaseBack
  VkAccessFlags2 reading_access = VK_ACCESS_2_NONE;                 // for kAcquire
};

// The buffer, location and format of an output.
struct OutputLocation {
  VertexFormat format = VertexFormat::kNone;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;   // bytes to element 0
  std::uint32_t stride = 0;  // bytes
};

struct OutputLocations {
  OutputLocation positions;
  OutputLocation normals;
  OutputLocation tangents;
  OutputLocation previous_positions;
  OutputLocation bounds;  // kFloat if written; one element per instance
  OutputLocation tension;
  OutputLocation anchors;              // one element per anchor
  VkBuffer palettes = VK_NULL_HANDLE;  // for tools: the palette entries of all instances
};

// The crowd's own device memory, bytes, without the caller's buffers.
struct CrowdBytes {
  VkDeviceSize outputs = 0;   // of all output slots together
  VkDeviceSize palettes = 0;  // and the vertices of drivers
  VkDeviceSize inputs = 0;    // joint matrices and inputs of all frames in flight
  VkDeviceSize plans = 0;     // jobs, starts and lists
  VkDeviceSize total() const { return outputs + palettes + inputs + plans; }
};

// Posed instances of characters: joint matrices in, deformed vertices out. CrowdPlanner has the instances and their
// inputs. Move-only. The GpuCharacters and the Device must outlive it, and it must outlive the commands that it
// recorded.
class Crowd : public CrowdPlanner {
 public:
  // Takes all memory and makes all pipelines and descriptors; submits nothing. Errors: characters of another device;
  // more instance counts than characters, or all counts 0; no frames in flight; outputs that cannot be combined; a
  // misaligned or too small part of a buffer of the caller's (the message names it); outputs or inputs larger than the
  // device's storage buffer range (the message states how many instances fit); out of memory.
  static Result<Crowd> create(const Device& device, const GpuCharacters& characters, const CrowdOptions& options = {});
  ~Crowd();
  Crowd(Crowd&&) noexcept;
  Crowd& operator=(Crowd&&) noexcept;

  // Adds a character of the GpuCharacters (GpuCharacters::add) to the crowd, so that instances of it can be acquired.
  // Makes the pipelines that no crowd of the device has needed yet; prepare() makes them in advance. Errors: no such
  // character, not enough room for the plan (the message states how much it takes), a pipeline that the device cannot
  // make, a frame recorded in part.
  Result<void> add(const Device& device, std::uint32_t character);
  // Removes a character. Errors: no such character, instances of it, a frame recorded in part.
  Result<void> remove(std::uint32_t character);
  // Adds the character `with`, such as the same one with an edited rig, removes `character`, and makes its instances
  // those of `with`. They keep their numbers; their poses, if the joints' names agree; controls of the same name, and
  // streams of the same name and points; and their outputs' room, if they have as many vertices. Otherwise poses and
  // inputs are at rest, and the locations of CrowdInstance change. All count as teleported, and have no vertices until
  // the next frame that shows them. Errors, after which nothing has changed: those of add() and remove() but for
  // instances; not enough room for the instances instead of the old ones.
  Result<void> replace(const Device& device, std::uint32_t character, std::uint32_t with);
  // Makes the pipelines that the crowd will need when these characters are added. May be called on any thread, also
  // during record(), but not during add(), remove() and replace().
  Result<void> prepare(const Device& device, std::span<const Character> characters) const;

  // Records a frame, or a part of it, that shows the instances of a list. Entries of instances that do not exist, have
  // no outputs, or are listed before are ignored. An instance that is not listed keeps its vertices, but other slots
  // may have older ones; if it is listed again, it has just appeared. An instance that stays (kEntryStay) costs nothing
  // once its previous positions and all slots are up to date.
  //
  // `commands` are outside a render pass. Their number does not depend on the number of instances and characters
  // (docs/runtime_testing.md, A frame); passes() names the dispatches, and the host omits those that have no work.
  // Changes the bound compute pipeline, set 0 and push constants. Never submits, waits or allocates.
  //
  // Each call is one frame of the crowd. It uses the next of frames_in_flight copies of the host's input: before this
  // frame is posed, the frame recorded frames_in_flight frames earlier must have finished on the device. Its commands
  // must be submitted exactly once, and frames must run in the order of recording: each reads palettes, outputs and
  // previous positions that the frame before left. If a frame is recorded but never submitted, list each
  // instance in the next frame with kEntryTeleport and without kEntryStay.
  //
  // The caller records barriers: docs/outputs.md, The barrier contract. Work of earlier compute shaders in the same
  // queue is already ordered and visible. The host waits for a fence before it writes joints, inputs and lists again.
  //
  // Recording parts in another order is misuse and records nothing.
  void record(VkCommandBuffer commands, const RecordOptions& options = {});

  // Returns the outputs and caller's buffers that a part of the next frame reads and writes, with the stages and
  // accesses to synchronize with, for the passes of a render graph. Each part synchronizes the crowd's internal buffers
  // itself.
  std::vector<BufferUse> uses(FramePart part) const;

  // Transfers ownership of the outputs and the table of a frame if compute runs in another queue family: the byte
  // ranges of the outputs, in the crowd's buffer and the caller's. Record all four for each frame, in this order, with
  // a semaphore between the queues whose wait covers all commands:
  //   compute queue    kAcquireBack, record(), kRelease
  //   reading queue    kAcquire, the reads at `reading_stages`, kReleaseBack
  // kAcquireBack acquires what the frame overwrites, kReleaseBack releases what no later frame reads
  // (docs/outputs.md, Another queue; Output slots lists the reads that the compute queue waits for). Without the
  // transfer back, the content of the outputs is undefined, but record() needs it for instances that are not moved and
  // for previous positions. If both families are the same, kAcquire and kReleaseBack record ordinary barriers, and the
  // other two record nothing. Buffers of VK_SHARING_MODE_CONCURRENT need only the semaphores. May be called during
  // record() of another frame.
  void record_transfer(VkCommandBuffer commands, const QueueTransfer& transfer) const;

  // Returns the locations of the outputs of a frame, which take turns: those of frame n and n + CrowdOutputs::slots are
  // the same. Without a number: of the last recorded frame, or the first. May be called during record().
  const OutputLocations& outputs(std::uint64_t frame) const;
  const OutputLocations& outputs() const { return outputs(frames() == 0 ? 0 : frames() - 1); }
  // Returns the range of the table of a frame (pelt/shaders/crowd_table.h), a storage buffer for draws that the device
  // makes. The ranges of frame n and n + frames_in_flight are the same. The table is written like outputs. The host
  // writes it too, so all reads, draws included, must have finished before the frame `frames_in_flight` later is
  // recorded. May be called during record().
  VkDescriptorBufferInfo table(std::uint64_t frame) const;
  // Returns the frame whose positions are the previous positions of a mesh in the last recorded frame: the frame
  // before, or the same frame if the mesh or instance has just appeared or was teleported (entry_appears).
  // `mesh_vertex`: from CrowdMember. `state`: of the table, if the device makes lists; without it,
  // nothing then appears. With one slot, previous positions are a separate output.
  std::uint64_t previous_frame(std::uint32_t instance, std::uint32_t mesh_vertex,
                               std::optional<std::uint32_t> state = {}) const;
  CrowdBytes bytes() const;

 private:
  struct Vulkan;
  Crowd(Options options, std::unique_ptr<Vulkan> vulkan);
  static Result<Crowd> make(const Device& device, const GpuCharacters& characters, const CrowdOptions& options);
  Result<void> use_numbers(const Device& device, const std::vector<bool>& wanted,
                           const std::optional<Exchange>& exchange);
  Result<void> change(const Device& device, std::uint32_t added, std::optional<std::uint32_t> replaced);
  std::unique_ptr<Vulkan> vulkan_;
};

}  // namespace pelt::runtime
