// SPDX-License-Identifier: MIT
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/normal_rings.h>
#include <pelt/result.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/gpu_timer.h>
#include <pelt/runtime/upload.h>
#include <pelt/shaders/frame.h>

namespace pelt::runtime {

// A place in one of the caller's buffers, which has VK_BUFFER_USAGE_STORAGE_BUFFER_BIT. Null buffer: the crowd makes a
// buffer of its own.
struct BufferPlace {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;  // bytes; the field that holds the place says what it must be a multiple of
};

enum class VertexFormat : std::uint32_t {
  kNone,   // not written
  kFloat,  // positions, normals: float3; tangents: float4, w = handedness
  // snorm16 x 2 (pelt/shaders/octahedral.h); a tangent's lowest bit is 1 if its handedness is -1
  kOctahedral16,
};

// The format and destination of an attribute. Vertex v of instance i is element Crowd::first_vertex(i) + v.
struct VertexOutput {
  VertexFormat format = VertexFormat::kNone;
  BufferPlace place;  // offset: a multiple of 4
  // Bytes from element to element, a multiple of 4. 0: tight in a caller's buffer, the fastest in the crowd's own.
  std::uint32_t stride = 0;
};

inline constexpr std::uint32_t kMaxOutputSlots = 3;

// Where the outputs of an output slot are.
struct SlotPlaces {
  BufferPlace positions;
  BufferPlace normals;
  BufferPlace tangents;
  BufferPlace bounds;
};

// The attributes that the crowd writes for every vertex and instance, in any combination.
struct CrowdOutputs {
  VertexOutput positions{VertexFormat::kFloat, {}, 0};  // model space, metres
  VertexOutput normals{VertexFormat::kOctahedral16, {}, 0};
  VertexOutput tangents{VertexFormat::kOctahedral16, {}, 0};
  // How the normals of skins are found, at every detail. kRecomputed: one more dispatch after the blend computes
  // normals from the positions that the blend wrote, and makes the blend's tangents orthogonal to them. It needs an
  // output of positions and one of normals, and characters that were uploaded with UploadOptions::normal_rings.
  NormalMode normal_mode = NormalMode::kBlended;
  // kFloat: the positions of the frame before, for motion vectors. They equal this frame's positions if the instance
  // was not moved since, if it has just appeared, and after teleport(). Needs positions, in a buffer that keeps its
  // content from frame to frame. For skins only: not together with control_meshes. With several slots nothing is copied
  // and no memory taken: they are the positions of the slot before (Crowd::previous_slot), without a place or a stride
  // of their own.
  VertexOutput previous_positions;
  // A box round each instance's skin: float3 least corner, then float3 greatest corner. It is computed from the palette
  // before the skin is moved, and is never smaller than the skin; docs/runtime.md, Bounds, says how much larger. An
  // instance that is not moved keeps its box. Boxes are of the frame being recorded, too late to cull it whole. Offset:
  // a multiple of 4.
  bool bounds = false;
  BufferPlace bounds_place;
  std::uint32_t bounds_stride = 0;  // bytes from one box to the next, a multiple of 4, 24 or more; 0: 24
  // The number of output slots, 1 to kMaxOutputSlots: of how many frames the vertices and boxes are kept. The frames
  // take the slots in turn, and each writes its own only, the outputs of every instance, also of those that are not
  // moved. Each slot takes as much memory as the outputs do (Crowd::bytes()).
  //   1  A frame writes over the one before. Previous positions are copied: 24 bytes of traffic a vertex.
  //   2  Two frames swap. The next frame may be computed while one is drawn, unless its previous positions are.
  //   3  The next frame may be computed while one is drawn with its previous positions.
  std::uint32_t slots = 1;
  // Where slots 1 and 2 are, for outputs whose own place is in a buffer of the caller's. Formats and strides are those
  // of slot 0, and no slot overlaps another. Offsets: multiples of 4.
  std::array<SlotPlaces, kMaxOutputSlots - 1> slot_places{};
  bool control_meshes = false;  // for tools: writes drivers too, and vertices count over all meshes; one slot only
  // Added to the usage of the crowd's own vertex buffer, for example to build acceleration structures:
  // VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR.
  // The device must have the features enabled that Vulkan requires for them.
  VkBufferUsageFlags usage = 0;
};

// Room for instances, as sums over all that a crowd has at once (capacity_of).
struct CrowdCapacity {
  std::uint32_t instances = 0;
  std::uint64_t vertices = 0;  // of the instances that hold outputs
  std::uint64_t palette_entries = 0;
  std::uint64_t driver_vertices = 0;
  std::uint64_t joints = 0;
  std::uint64_t inputs = 0;
  std::uint64_t plan_words = 0;   // of the work that is planned each frame
  std::uint64_t table_words = 0;  // of what it is planned from
  CrowdCapacity& operator+=(const CrowdCapacity& other);
};

// Returns what some instances of a character take together in a crowd with these outputs, and the character itself.
// Where few of the instances hold outputs at once, lower `vertices`.
CrowdCapacity capacity_of(const Character& character, std::uint32_t instances, const CrowdOutputs& outputs = {});

struct CrowdOptions {
  // The number of instances that the crowd is made with, of each character of the GpuCharacters in the order of their
  // numbers; empty: one of each. They are numbered from 0: those of a character follow each other, and the next
  // character's follow those. The list may be shorter than the GpuCharacters: the crowd does not know the characters
  // beyond it until they are added (Crowd::add), so another thread may upload characters while a crowd is made.
  std::vector<std::uint32_t> instances;
  // Room to acquire more instances, and to add more characters, while the crowd lives. Each number is at
  // least what `instances` take: a smaller one counts as that.
  CrowdCapacity capacity;
  std::uint32_t frames_in_flight = 2;  // frames that may be recorded before the first has finished
  CrowdOutputs outputs;
  // The buffer that the joint matrices are read from, their upper three rows (shared::Affine), those of an instance
  // from Crowd::first_joint() on; an animation on the device may fill it. They are taken as they are: helper joints
  // must be turned already. Offset: a multiple of minStorageBufferOffsetAlignment. It must be written before record()'s
  // commands run, and visible to storage reads of compute. None: pose() fills a buffer of the crowd's.
  BufferPlace joints;
  // The same for the other inputs, CharacterData::input_count floats from Crowd::first_input() on; a simulation on the
  // device may fill it. Of a character with secondary action it holds clock() at CharacterData::clock_input() of every
  // instance. None: stream() and control() fill a buffer of the crowd's.
  BufferPlace inputs;
  // A list of the instances to move, which replaces show(), update_every(), teleport(), detail() and level(). First a
  // count (uint32), then space for one ListEntry (pelt/shaders/jobs.h) for each instance that the crowd has room for;
  // only the first `count` are read, and those of instances that the crowd has. No instance may be listed twice. The
  // caller sets kEntryTeleport when an instance is moved for the first time, kEntryFresh where secondary action shall
  // start at rest, and when an instance stops, kEntryHold once; with several output slots instead kEntryRepeat once for
  // each further slot. Offset: a multiple of minStorageBufferOffsetAlignment. The list must be written before
  // record()'s commands run, by a culling pass for example, and visible to storage reads of compute.
  BufferPlace visible;
  // A list of the skins to move in a frame whose parts are recorded apart (record_pose, record_blend): those that are
  // seen. A pass of the caller's may write it between the two parts, from the boxes of this frame: a count
  // (uint32), then the number of each instance (uint32), space for one for each that the crowd has room for. No
  // instance may be listed twice. Instances that are shown are posed as show(), update_every() and the others say;
  // those listed are moved, whether they were posed in this frame or before, and where an instance was not listed in
  // the frame before, its previous positions equal its positions. Offset: a multiple of
  // minStorageBufferOffsetAlignment. Not together with `visible`, nor with previous positions in several output slots.
  BufferPlace drawn;
};

// The parts of a frame of a crowd.
enum class CrowdPart : std::uint32_t {
  kPose,   // palettes, drivers and boxes
  kBlend,  // skins and their normals
};

// What a part of a frame does with a buffer that others see too.
struct BufferUse {
  const char* name = nullptr;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
  VkDeviceSize size = 0;
  VkPipelineStageFlags2 stages = VK_PIPELINE_STAGE_2_NONE;
  VkAccessFlags2 access = VK_ACCESS_2_NONE;
};

// The buffer, place and format of an output.
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
  OutputPlace bounds;  // kFloat if asked for; one element an instance
};

// What a crowd has of something, of what it has room for, and the largest piece that is free: instances come and go, so
// what is free may be in pieces.
struct CrowdRoom {
  std::uint64_t capacity = 0;
  std::uint64_t free = 0;
  std::uint64_t largest_free = 0;
};

struct CrowdRooms {
  CrowdRoom instances;
  CrowdRoom vertices;
  CrowdRoom palette_entries;
  CrowdRoom driver_vertices;
  CrowdRoom joints;
  CrowdRoom inputs;
};

// The levels of detail at which an instance's skins are moved (Crowd::level).
struct ShownLevels {
  std::uint32_t from = 0;
  std::uint32_t to = 0;  // the same, unless the instance fades
  float share = 1;       // of `to`; the remainder is `from`
};

// Device memory of a crowd's own, bytes; what is in buffers of the caller's does not count.
struct CrowdBytes {
  VkDeviceSize outputs = 0;   // of all output slots together
  VkDeviceSize palettes = 0;  // and the vertices of drivers
  VkDeviceSize inputs = 0;    // joint matrices and inputs of all frames in flight
  VkDeviceSize plans = 0;     // jobs, starts and lists
  VkDeviceSize total() const { return outputs + palettes + inputs + plans; }
};

// n posed instances of some characters: joint matrices in, deformed vertices out. Move-only. The GpuCharacters and the
// Device outlive it, and it outlives what it recorded.
//
// Instances come and go while it runs: acquire() and release() take microseconds, allocate no memory of the device,
// make no pipeline and wait for nothing. What was released is taken again at once, since frames run in the order in
// which they are recorded.
//
// Threads: several crowds may be posed and recorded on several threads. For one crowd, several threads may call pose(),
// inputs(), stream(), control(), show(), update_every(), teleport(), detail(), level(), acquire(), release(),
// take_outputs() and give_outputs() at the same time, as long as no two of them name the same instance: instances share
// no state; one thread may call advance() meanwhile. None of these, nor add() and remove(), may run at the same time as
// record(), which reads all of it, nor be called between record_pose() and record_blend(). Const functions may be
// called at the same time as each other; rooms() and prepare() at any time but during add() and remove(); others not
// while a function of the same instance, record(), add() or remove() runs.
//
// A call that names an instance or a character that the crowd does not have, gives it an array of the wrong size or a
// number that is not finite or beyond kMaxCoordinate, is a mistake (pelt/runtime/mistake.h) and has no effect; a
// question about such an instance is answered by 0.
class Crowd {
 public:
  // Takes all memory and makes all pipelines and descriptors; submits nothing. Errors: characters of another device;
  // more instance counts than characters, or all of them 0; no frames in flight; outputs that contradict each other; a
  // buffer of the caller's that is misaligned (the message names it); recomputed normals of characters without rings;
  // outputs or inputs larger than the device's storage buffer range (the message says how many instances fit); out of
  // memory.
  static Result<Crowd> create(const Device& device, const GpuCharacters& characters, const CrowdOptions& options = {});
  ~Crowd();
  Crowd(Crowd&&) noexcept;
  Crowd& operator=(Crowd&&) noexcept;

  // Returns the number of a new instance of a character, which stands in its rest pose, is shown, and is moved in every
  // frame: the number that was released last, or the lowest that was never taken. `outputs`: false: it takes no room
  // for outputs and is hidden until it does (take_outputs) and is shown. Errors: kUnsupported if there is not enough
  // room (the message says of what), kInvalidArgument without the character, or if its bind data were removed.
  Result<std::uint32_t> acquire(std::uint32_t character, bool outputs = true);
  // Gives an instance's room back; outputs that were drawn from in earlier frames are overwritten from the next frame
  // on.
  void release(std::uint32_t instance);
  bool has_instance(std::uint32_t instance) const;

  // Give the room of a hidden instance's outputs back, and take room again, to show it. Taking what is held already
  // does nothing. Errors: not enough room.
  void give_outputs(std::uint32_t instance);
  Result<void> take_outputs(std::uint32_t instance);
  bool has_outputs(std::uint32_t instance) const;

  // Tells the crowd of a character that was added to its GpuCharacters since it was made (GpuCharacters::add), so that
  // instances of it can be acquired. Makes the pipelines that no crowd of the device has needed yet; prepare() makes
  // them ahead. Errors: no such character, one of the crowd's whose bind data were removed, not enough room for the
  // plan (the message says how much it takes), a pipeline that the device cannot make, a frame recorded in part.
  Result<void> add(const Device& device, std::uint32_t character);
  // Forgets a character, of which the crowd has no instance any more.
  void remove(std::uint32_t character);
  bool has_character(std::uint32_t character) const;
  std::uint32_t character_count() const;                              // numbers of characters are below
  std::optional<Character> character(std::uint32_t character) const;  // none: the crowd does not have it
  std::uint32_t instances_of(std::uint32_t character) const;          // that it has now
  // Makes the pipelines that the crowd needs once it has these characters too. May be called on any thread, also during
  // record(), but not during add() and remove().
  Result<void> prepare(const Device& device, std::span<const Character> characters) const;

  CrowdRooms rooms() const;

  // Sets the joint matrices of one instance for the frame that record() records next: model space, one a joint of the
  // skeleton, column-major. Copies them into mapped memory, where the device reads them, with the helper joints turned
  // (turn_helpers). An instance that is not posed again keeps its pose; an instance that was never posed stands in its
  // rest pose. Precondition: no joints buffer of the caller's.
  void pose(std::uint32_t instance, std::span<const glm::mat4> joints);
  // The same of the upper three rows of the matrices, as the crowd keeps them: 48 bytes a joint.
  void pose(std::uint32_t instance, std::span<const shared::Affine> joints);

  // Set what the skeleton does not move, in the same way: all inputs of the instance at once
  // (CharacterData::input_count of them), the vertices of CharacterData::streams[stream] (model space, metres, in the
  // mesh's order), or the value of CharacterData::controls[control]. An input that was never given has its value in the
  // rest pose. Precondition: no inputs buffer of the caller's.
  void inputs(std::uint32_t instance, std::span<const float> values);
  void stream(std::uint32_t instance, std::uint32_t stream, std::span<const glm::vec3> positions);
  void control(std::uint32_t instance, std::uint32_t control, float value);

  // Shows or hides an instance. A hidden instance is not moved and keeps its vertices. At first all are shown.
  void show(std::uint32_t instance, bool visible);
  bool is_shown(std::uint32_t instance) const;
  // Moves an instance every n-th frame, instances taking turns; 0: not until this changes. An instance is always moved
  // in the first frame in which it is shown.
  void update_every(std::uint32_t instance, std::uint32_t frames);
  // Makes the previous positions of the next frame in which the instance is moved equal to that frame's positions, and
  // has its secondary action start at rest there. An instance that appears is teleported.
  void teleport(std::uint32_t instance);
  // Says what moves an instance from the next frame in which it is moved. With Detail::kLinearBlend the palettes of the
  // deformers are not posed; a character without CharacterData::has_linear_blend stays at kFull.
  void detail(std::uint32_t instance, Detail detail);
  // Shows an instance's skins at a level of detail (CharacterData::levels): each by its coarsest level that is not
  // above `level`. Only that is moved, and drawn from mesh_vertex() or level_vertex(). With `fade_frames` both levels
  // are moved in so many frames, for the game to fade from one to the other (shown_levels); 0: at once. In the first
  // frame of a level its previous positions equal its positions.
  void level(std::uint32_t instance, std::uint32_t level, std::uint32_t fade_frames = 0);
  // Returns the levels that the frame moves that was recorded last; call it before level() asks for others.
  ShownLevels shown_levels(std::uint32_t instance) const;
  // Precondition of show(), update_every(), teleport(), detail() and level(): no `visible` buffer of the caller's.

  // Adds to the time in which secondary action goes on, of all instances, seconds: call it once a frame, with the time
  // since the last frame. An instance's motion from the frame in which it was last moved to the frame that record()
  // records next takes the time between them, and the result is the same however that is divided into frames. One that
  // was not moved for more than 64 steps of 1/240 s (0.27 s) starts at rest. A time that is negative or not finite adds
  // nothing. Only motion in model space counts. Crowds without secondary action take no notice.
  void advance(float seconds);
  // Returns the value of the clock input (CharacterData::clock_input()) in the frame that record() records next, for
  // inputs in a buffer of the caller's; the crowd writes it into a buffer of its own.
  float clock() const;

  // Records every stage into `commands`, outside a render pass. The number of commands does not grow with the number of
  // instances and characters: first a barrier; if a `visible` buffer of the caller's has the list, a dispatch that
  // plans the frame and a barrier; in each stage one dispatch a pose kernel, then a barrier and one blend, with a
  // barrier between stages; in the last stage, beside the blend, one dispatch of bounds if they are asked for; if
  // normals are recomputed, a barrier and one dispatch more. passes() names them. A dispatch that the host finds to
  // have no work is left out. Leaves a pipeline, set 0 and push constants of compute bound. Never submits, waits or
  // allocates.
  //
  // Each call is a frame of the crowd. It takes the next of frames_in_flight frame slots for the host's input; the
  // frame that was recorded frames_in_flight frames before must have finished on the device before this one is posed.
  // It uses up the requests for one frame: teleport(), a step of each fade, the frame in which an instance appears, and
  // the hold that sets the previous positions of an instance that stops. Its commands must therefore be submitted
  // exactly once, and frames must run in the order in which they were recorded: each reads palettes, outputs and
  // previous positions that the one before it left. If a frame is recorded but never submitted, later frames still have
  // its poses, inputs, details and periods, but the instances that it should have moved stay where they were: call
  // show(i, false) and show(i, true) for every instance that is shown, and the next frame moves each as one that has
  // just appeared.
  //
  // Barriers that the caller records (docs/runtime.md has them to copy; all names are VK_PIPELINE_STAGE_2_..._BIT and
  // VK_ACCESS_2_..._BIT). Work of earlier compute shaders in the same queue is ordered and visible already. On entry,
  // for all other work:
  //   reads of outputs, of the      ordered before COMPUTE_SHADER, no access
  //   slot that is written
  //   writes of the caller's to     visible at COMPUTE_SHADER to SHADER_STORAGE_READ | SHADER_STORAGE_WRITE
  //   outputs
  //   joints, inputs, visible of    visible at COMPUTE_SHADER to SHADER_STORAGE_READ
  //   the caller's
  // On exit:
  //   outputs, wherever they are    written at COMPUTE_SHADER with SHADER_STORAGE_WRITE: barrier from there to reads
  //   joints, inputs, visible of    read at COMPUTE_SHADER with SHADER_STORAGE_READ: order the next writes after
  //   the caller's                  COMPUTE_SHADER, no access; the host waits for a fence
  //
  // `timer`: stamped after each of passes(), passes().size() times, whether it has work or not. Poses of one stage may
  // run at the same time: a pass's time then counts from the end of the one before.
  void record(VkCommandBuffer commands, GpuTimer* timer = nullptr);

  // Record the two parts of a frame, in this order and for each frame both. Between them the boxes of the frame are
  // known (CrowdOutputs::bounds), before its skins are moved: behind a barrier from COMPUTE_SHADER with
  // SHADER_STORAGE_WRITE a pass of the caller's may read them, and write CrowdOptions::drawn. What compute writes
  // between them is visible to record_blend(); on entry and exit both say what record() says. Recording in another
  // order is a mistake and records nothing.
  void record_pose(VkCommandBuffer commands, GpuTimer* timer = nullptr);
  void record_blend(VkCommandBuffer commands, GpuTimer* timer = nullptr);
  bool is_posed() const;  // the first part is recorded, and the second is next

  // Returns what a part of the next frame reads and writes of outputs and of the caller's buffers, for the passes of a
  // render graph: each buffer with the stages and the accesses to synchronize with. What only the crowd uses is not
  // among them, and is synchronized by the part itself.
  std::vector<BufferUse> uses(CrowdPart part) const;

  // If compute runs in a queue family of its own, outputs change owner, there and back: of the crowd's buffer and the
  // caller's the parts from the first byte of an output to its last. Call the four functions in the order of a frame,
  // with the same two families each time, and with a semaphore between the queues whose wait covers all commands:
  //   compute queue    record_acquire_back, record(), record_release
  //   reading queue    record_acquire, the reads at `reading_stages`, record_release_back
  // They concern output slots: record_acquire_back the one that record() writes next, record_release and record_acquire
  // the one that was written last, record_release_back the one that no later read needs (docs/runtime.md, Another
  // queue; Output slots says for which reads the compute queue waits). record_acquire_back and record_release_back
  // record nothing for a slot that no frame has written. Without the way back the content of the outputs is undefined,
  // and record() needs it for instances that are not moved and for previous positions. If both families are the same,
  // record_acquire and record_release_back are the barriers of one queue, and the other two record nothing. Do not use
  // these functions for buffers of VK_SHARING_MODE_CONCURRENT, which need only the semaphores.
  void record_release(VkCommandBuffer commands, std::uint32_t compute_family, std::uint32_t reading_family) const;
  void record_acquire(VkCommandBuffer commands, std::uint32_t compute_family, std::uint32_t reading_family,
                      VkPipelineStageFlags2 reading_stages, VkAccessFlags2 reading_access) const;
  void record_release_back(VkCommandBuffer commands, std::uint32_t compute_family, std::uint32_t reading_family,
                           VkPipelineStageFlags2 reading_stages) const;
  void record_acquire_back(VkCommandBuffer commands, std::uint32_t compute_family, std::uint32_t reading_family) const;

  // Names of what record() dispatches, in order, for people to read: "plan" (with a `visible` buffer only), "pose
  // bspline_patch", "blend of drivers", "bounds", "plan of drawn skins" (with a `drawn` buffer only), "blend of skins",
  // "normals of skins"; with the stage if several have the same name. They last until add().
  std::span<const std::string> passes() const;
  std::uint32_t barrier_count() const;  // number of barriers that record() records

  std::uint32_t instance_count() const;  // that it has room for: numbers of instances are below
  // The first of the instances of a character that the crowd was made with.
  std::uint32_t first_instance(std::uint32_t character) const;
  std::uint32_t character_of(std::uint32_t instance) const;

  // Returns where the outputs of the frame that was recorded last are; before the first frame, where those of the first
  // will be. With several output slots the answer changes from frame to frame.
  const OutputPlaces& outputs() const { return outputs(output_slot()); }
  // Returns where the outputs of a slot are, which stays the same. Previous positions are those of the frame that
  // writes the slot.
  const OutputPlaces& outputs(std::uint32_t slot) const;
  std::uint32_t output_slots() const;
  std::uint32_t output_slot() const;  // the slot of the frame that was recorded last; 0 before the first
  // Returns the slot with the previous positions of the frame that was recorded last: the slot before, or the frame's
  // own for what has just appeared or was teleported. Of a mesh, by what mesh_vertex() or level_vertex() returns: in
  // the first frame of a level those appear that the level before did not show. Of an instance: the frame's own if any
  // of its meshes has appeared. With a `visible` buffer of the caller's it is always the slot before: what is listed
  // with kEntryTeleport is drawn without motion. With one slot it is that: there they are an output of their own.
  std::uint32_t previous_slot(std::uint32_t instance, std::uint32_t mesh_vertex) const;
  std::uint32_t previous_slot(std::uint32_t instance) const;
  CrowdBytes bytes() const;
  // Returns the address of element 0 of an output, for shaders and builds of acceleration structures; 0 if the device
  // has no addresses. Its buffer needs VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT (CrowdOutputs::usage).
  VkDeviceAddress device_address(const OutputPlace& place) const;
  // Index of the instance's first vertex in every output.
  std::uint32_t first_vertex(std::uint32_t instance) const;
  std::uint32_t vertex_count(std::uint32_t instance) const;
  // Index of vertex 0 of a mesh, counted from the instance's first vertex; none: the mesh is not written
  // (CrowdOutputs::control_meshes).
  std::optional<std::uint32_t> mesh_vertex(std::uint32_t character, std::uint32_t mesh) const;
  // The same of a level of a skin, by its index in CharacterData::levels.
  std::uint32_t level_vertex(std::uint32_t character, std::uint32_t level) const;
  // Index of the instance's joint 0 and input 0 in buffers of the caller's.
  std::uint32_t first_joint(std::uint32_t instance) const;
  std::uint32_t first_input(std::uint32_t instance) const;

  // For tools: the buffer of all palettes, CharacterData::palette_size palette entries of 48 bytes of each instance,
  // and the index of an instance's palette entry 0.
  VkBuffer palette_buffer() const;
  std::uint64_t first_palette_entry(std::uint32_t instance) const;

 private:
  struct State;
  explicit Crowd(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt::runtime
