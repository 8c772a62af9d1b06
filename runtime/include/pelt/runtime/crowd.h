// SPDX-License-Identifier: MIT
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <glm/glm.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/normal_rings.h>
#include <pelt/result.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/gpu_timer.h>
#include <pelt/runtime/upload.h>

namespace pelt::runtime {

// A place in a buffer of the caller's that has VK_BUFFER_USAGE_STORAGE_BUFFER_BIT. No buffer: the crowd has its own.
struct BufferPlace {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;  // bytes; what it must be a multiple of is said where it is asked for
};

enum class VertexFormat : std::uint32_t {
  kNone,          // not written
  kFloat,         // positions, normals: float3; tangents: float4, w = handedness
  kOctahedral16,  // snorm16 x 2 (pelt/shaders/octahedral.h); of a tangent the lowest bit is 1 where handedness is -1
  // snorm8 x 2 each, in one word that both share: the normal in its lower half, the tangent above. Where both are asked
  // for, both have the same place and stride.
  kOctahedral8,
};

// Where an attribute goes. Vertex v of instance i is element Crowd::first_vertex(i) + v.
struct VertexOutput {
  VertexFormat format = VertexFormat::kNone;
  BufferPlace place;  // offset: a multiple of 4
  // Bytes, a multiple of 4. 0: tight in a buffer of the caller's, as is best in the crowd's own.
  std::uint32_t stride = 0;
};

// What is written for every vertex and instance, any subset.
struct CrowdOutputs {
  VertexOutput positions{VertexFormat::kFloat, {}, 0};  // model space, metres
  VertexOutput normals{VertexFormat::kOctahedral16, {}, 0};
  VertexOutput tangents{VertexFormat::kOctahedral16, {}, 0};
  // Of skins, whatever their detail. kRecomputed: one more dispatch behind the blend finds normals from the positions
  // that it wrote, and makes its tangents orthogonal to them. Needs positions, normals, and characters that were
  // uploaded with UploadOptions::normal_rings.
  NormalMode normal_mode = NormalMode::kBlended;
  // kFloat: positions of the frame before, for motion vectors: of an instance that was not moved since, of one that has
  // just appeared and after teleport() they are those of this frame. Needs positions, in a buffer that keeps them from
  // frame to frame. Of skins alone: not with control_meshes.
  VertexOutput previous_positions;
  // A box round each instance's skin, float3 least then float3 greatest corner, found from its palette before the skin
  // is moved: never smaller than the skin, as a rule little larger. One that is not moved keeps its box. Boxes are of
  // the frame that is recorded: too late to cull it. Offset: a multiple of 4.
  bool bounds = false;
  BufferPlace bounds_place;
  std::uint32_t bounds_stride = 0;  // bytes from one box to the next, a multiple of 4, 24 or more; 0: 24
  bool control_meshes = false;      // for tools: drivers too, and vertices count over all meshes
  // Added to the usage of the crowd's own vertex buffer, for builds of acceleration structures say:
  // VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR.
  // What Vulkan wants enabled for them, the device must have.
  VkBufferUsageFlags usage = 0;
};

struct CrowdOptions {
  // How many of each character of the GpuCharacters, in their order; empty: one of each. Instances of a character
  // follow each other, and the next character's follow those.
  std::vector<std::uint32_t> instances;
  std::uint32_t frames_in_flight = 2;  // frames that may be recorded before the first has finished
  CrowdOutputs outputs;
  // Where joint matrices are read, those of all instances one after the other: a buffer that an animation on the device
  // fills, say. Offset: a multiple of minStorageBufferOffsetAlignment. Written before record()'s commands run, visible
  // to storage reads of compute. None: pose() fills a buffer of the crowd's.
  BufferPlace joints;
  // The same for the other inputs, CharacterData::input_count floats an instance: of a simulation, say. None: stream()
  // and control() fill a buffer of the crowd's.
  BufferPlace inputs;
  // Which instances are moved, and how, if not as show(), update_every(), teleport() and detail() say: a count for each
  // character (uint32), then for each instance of the crowd a ListEntry (pelt/shaders/jobs.h) of which those of a
  // character begin at its first instance, entry 0 behind all counts, and as many count as its count says. No instance
  // may be in a list twice; the caller sets kEntryTeleport where one is moved for the first time, and kEntryHold once
  // where it stops. Offset: a multiple of minStorageBufferOffsetAlignment. Written before record()'s commands run, by a
  // culling pass say, visible to storage reads of compute.
  BufferPlace visible;
  std::uint32_t reduced_influences = 4;  // of Detail::kReduced, 1 or more; more than a vertex has: all of them
};

// How finely an instance is moved.
enum class Detail : std::uint32_t {
  kFull,
  kReduced,  // linear meshes by their strongest influences alone, normals without gradients; others as kFull
  // By the linear blend that was fitted to the deformers (CharacterMesh::fit), whose palettes are then not posed; kFull
  // where the character has none.
  kLinearFit,
};

// Where an output is.
struct OutputPlace {
  VertexFormat format = VertexFormat::kNone;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;   // bytes to element 0
  std::uint32_t stride = 0;  // bytes
};

struct OutputPlaces {
  OutputPlace positions;
  OutputPlace normals;
  OutputPlace tangents;
  OutputPlace previous_positions;
  OutputPlace bounds;  // kFloat where asked for; one element an instance
};

// n posed instances of some characters: joint matrices in, deformed vertices out. Move-only. The GpuCharacters and the
// Device outlive it, and it outlives what it recorded.
//
// Threads: several crowds may be posed and recorded on several threads. Of one crowd pose(), inputs(), stream(),
// control(), show(), update_every(), teleport() and detail() may be called on several threads at once, each instance's
// on one of them at a time: they touch nothing that instances share. Not beside record(), which reads all of it. What
// is const may be called beside all of these, beside record() too.
class Crowd {
 public:
  // Takes all memory and makes all pipelines and descriptors; submits nothing. Errors: characters of another device;
  // instances not given for every character, none at all, no frames in flight; outputs that contradict each other;
  // buffers of the caller's that are misaligned (which one is named); recomputed normals of characters without rings;
  // outputs or inputs larger than the device's storage buffer range (the message says how many instances fit); out of
  // memory.
  static Result<Crowd> create(const Device& device, const GpuCharacters& characters, const CrowdOptions& options = {});
  ~Crowd();
  Crowd(Crowd&&) noexcept;
  Crowd& operator=(Crowd&&) noexcept;

  // Joint matrices of one instance for the frame that record() records next: model space, one a joint of the skeleton,
  // column-major. A memcpy into mapped memory, where the device reads them. An instance that is not posed again keeps
  // its pose; one that never was stands at rest. Precondition: no joints buffer of the caller's.
  void pose(std::uint32_t instance, std::span<const glm::mat4> joints);

  // The same for what the skeleton does not move: all inputs of the instance at once (CharacterData::input_count of
  // them), or the vertices of CharacterData::streams[stream], model space, metres, in the mesh's order, or the value of
  // CharacterData::controls[control]. What was never given is as at rest.
  // Precondition: no inputs buffer of the caller's.
  void inputs(std::uint32_t instance, std::span<const float> values);
  void stream(std::uint32_t instance, std::uint32_t stream, std::span<const glm::vec3> positions);
  void control(std::uint32_t instance, std::uint32_t control, float value);

  // Whether an instance is moved at all: one that is culled keeps its vertices. At first all are.
  void show(std::uint32_t instance, bool visible);
  // Moves it every n-th frame, instances taking turns; 0: not until this changes. An instance is moved in the first
  // frame in which it is shown, whatever is said here.
  void update_every(std::uint32_t instance, std::uint32_t frames);
  // Previous positions of the next frame in which it is moved are those of that frame.
  void teleport(std::uint32_t instance);
  // Cross-fades to a detail over so many frames in which it is moved; 0: at once. A fade that is turned round goes back
  // from where it is; one to a third detail begins at the detail that was faded to.
  void detail(std::uint32_t instance, Detail detail, std::uint32_t fade_frames = 0);
  // Precondition of all four: no buffer of visible instances of the caller's.

  // Records every stage into `commands`, outside a render pass, whatever the number of instances and characters: a
  // barrier and the plan of the frame; in each stage a barrier and one dispatch a pose kernel, then a barrier and one
  // blend, in the last stage beside one dispatch of bounds where they are asked for; where normals are recomputed, a
  // barrier and one dispatch more. passes() names them. It leaves a pipeline, set 0 and push constants of compute
  // bound. Never submits, waits or allocates.
  //
  // Each call is a frame of the crowd's. It takes the next of frames_in_flight slots for what the host gave, of which
  // the frame recorded frames_in_flight frames before must have finished on the device before this one is posed. It
  // uses up what was asked for one frame: teleport(), a step of each fade, the frame in which an instance appears, the
  // hold by which previous positions of one that stops become its positions. So its commands are submitted exactly
  // once, and frames run in the order in which they were recorded: each reads palettes, outputs and previous positions
  // that the one before it left. A frame that is dropped all the same, recorded and never submitted, loses no pose,
  // input, detail or period, which later frames have. But what it should have moved stands where it was: call
  // show(i, false) and show(i, true) for every instance that is shown, and the next frame moves each as one that has
  // just appeared.
  //
  // Barriers of the caller's (docs/runtime.md has them to copy; all names are VK_PIPELINE_STAGE_2_..._BIT and
  // VK_ACCESS_2_..._BIT). On entry, of what compute shaders have not done before it in the same queue, which is ordered
  // and visible already:
  //   reads of outputs              ordered before COMPUTE_SHADER, no access
  //   writes of the caller's to     visible at COMPUTE_SHADER to SHADER_STORAGE_READ | SHADER_STORAGE_WRITE
  //   outputs
  //   joints, inputs, visible of    visible at COMPUTE_SHADER to SHADER_STORAGE_READ
  //   the caller's
  // On exit:
  //   outputs, wherever they are    written at COMPUTE_SHADER with SHADER_STORAGE_WRITE: barrier from there to reads
  //   joints, inputs, visible of    read at COMPUTE_SHADER with SHADER_STORAGE_READ: what writes them next is ordered
  //   the caller's                  behind COMPUTE_SHADER, no access; the host waits for a fence
  //
  // `timer`: stamped after each of passes(), passes().size() times. Poses of one stage may run at the same time: then
  // what one took counts from the end of the one before.
  void record(VkCommandBuffer commands, GpuTimer* timer = nullptr);

  // Where compute runs in a queue family of its own outputs change owner, there and back: the buffers that hold them,
  // the crowd's and the caller's, as a whole. In the order of a frame, with the same two families in all four, and
  // between the queues a semaphore whose wait covers all commands:
  //   compute queue    record_acquire_back (not before the first frame), record(), record_release
  //   reading queue    record_acquire, the reads at `reading_stages`, record_release_back
  // Without the way back outputs keep no content, which record() needs where an instance is not moved and for previous
  // positions. Where both families are one, record_acquire and record_release_back are the barriers of one queue, and
  // the other two record nothing. Not for buffers of VK_SHARING_MODE_CONCURRENT, which need the semaphores alone.
  void record_release(VkCommandBuffer commands, std::uint32_t compute_family, std::uint32_t reading_family) const;
  void record_acquire(VkCommandBuffer commands, std::uint32_t compute_family, std::uint32_t reading_family,
                      VkPipelineStageFlags2 reading_stages, VkAccessFlags2 reading_access) const;
  void record_release_back(VkCommandBuffer commands, std::uint32_t compute_family, std::uint32_t reading_family,
                           VkPipelineStageFlags2 reading_stages) const;
  void record_acquire_back(VkCommandBuffer commands, std::uint32_t compute_family, std::uint32_t reading_family) const;

  // What record() dispatches, in order, for people: "plan", "pose bspline_patch", "blend of drivers", "bounds", "blend
  // of skins", "normals of skins", with the stage where there are several of that name.
  std::span<const std::string> passes() const;
  std::uint32_t barrier_count() const;  // that record() records

  std::uint32_t instance_count() const;
  std::uint32_t first_instance(std::uint32_t character) const;
  std::uint32_t character_of(std::uint32_t instance) const;
  const OutputPlaces& outputs() const;
  // Of element 0 of an output, for shaders and builds of acceleration structures. Precondition: the crowd's own buffer
  // has VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT (CrowdOutputs::usage), and the device bufferDeviceAddress.
  VkDeviceAddress device_address(const OutputPlace& place) const;
  // Of an instance, among the elements of the outputs.
  std::uint32_t first_vertex(std::uint32_t instance) const;
  std::uint32_t vertex_count(std::uint32_t instance) const;
  // Vertex 0 of a mesh of a character, from the instance's first; none: it is not written
  // (CrowdOutputs::control_meshes).
  std::optional<std::uint32_t> mesh_vertex(std::uint32_t character, std::uint32_t mesh) const;

  // For tools: the palettes, CharacterData::palette_size entries of 48 bytes each an instance, and entry 0 of one.
  VkBuffer palette_buffer() const;
  std::uint64_t first_palette_entry(std::uint32_t instance) const;

 private:
  struct State;
  explicit Crowd(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt::runtime
