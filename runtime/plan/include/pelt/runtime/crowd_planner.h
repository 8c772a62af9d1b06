// SPDX-License-Identifier: MIT
// The instances of a crowd, their inputs, and what each frame does. Knows no Vulkan: Crowd (pelt/runtime/crowd.h)
// records its frames with Vulkan, docs/graphics_apis.md describes a recorder for another API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>
#include <pelt/runtime/bind_data.h>
#include <pelt/runtime/crowd_frame.h>
#include <pelt/shaders/crowd_table.h>
#include <pelt/shaders/frame.h>

namespace pelt::runtime {

// Room for instances: sums over all instances that a crowd has at once (capacity_of).
struct CrowdCapacity {
  std::uint32_t instances = 0;
  std::uint64_t vertices = 0;  // of the instances that have outputs
  std::uint64_t palette_entries = 0;
  std::uint64_t driver_vertices = 0;
  std::uint64_t joints = 0;
  std::uint64_t inputs = 0;
  std::uint64_t anchors = 0;
  std::uint64_t plan_words = 0;   // of the plan of a frame
  std::uint64_t table_words = 0;  // of the table that it is planned from
  CrowdCapacity& operator+=(const CrowdCapacity& other);
};

// The outputs that change what a crowd plans.
struct PlannedOutputs {
  bool bounds = false;
  bool anchors = false;
  bool control_meshes = false;
  bool tension = false;  // needs BindData with tension
};

// Returns the room that a character and this many of its instances take. Lower `vertices` if few of the instances have
// outputs at once.
CrowdCapacity capacity_of(const Character& character, std::uint32_t instances, const PlannedOutputs& outputs);

// Returns the size that a crowd needs of a buffer, or of one copy of it; 0: outputs and bind data.
std::uint64_t bytes_of(FrameBuffer buffer, const CrowdCapacity& capacity);

// The room that a crowd has for one resource, and how much is free. As instances come and go, free room splits into
// pieces.
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
  CrowdRoom anchors;
};

// An instance, and the places of its data in the buffers of the crowd.
struct CrowdInstance {
  std::uint32_t character = 0;
  bool has_outputs = false;
  std::uint32_t first_vertex = 0;  // in every output; 0: no outputs
  std::uint32_t vertex_count = 0;
  std::uint32_t first_joint = 0;    // in CrowdOptions::joints
  std::uint32_t first_input = 0;    // in CrowdOptions::inputs
  std::uint32_t first_anchor = 0;   // in the output of anchors, in the order of CharacterData::anchors
  std::uint32_t first_palette = 0;  // of its CharacterData::palette_size entries of 48 bytes; for tools
};

// A character of a crowd.
struct CrowdMember {
  Character character;
  // The first vertex of each mesh, and of each of CharacterData::levels, counted from an instance's first vertex.
  // kNoIndex: not written (CrowdOutputs::control_meshes).
  std::vector<std::uint32_t> mesh_vertices;
  std::vector<std::uint32_t> level_vertices;
};

// The dispatches and barriers of a whole frame.
struct CrowdPasses {
  std::span<const std::string>
      names;  // of the dispatches, in order, for people to read; valid until add() or replace()
  std::uint32_t barriers = 0;
};

// Returns the coordinates of points, for CrowdPlanner::inputs.
inline std::span<const float> as_floats(std::span<const glm::vec3> points) {
  return points.empty() ? std::span<const float>() : std::span(&points[0][0], 3 * points.size());
}

// The part of a crowd that needs no graphics API.
//
// Threads: different crowds may be used concurrently. For one crowd, these may be called concurrently for different
// instances, which share no state: acquire(), release(), set_outputs(), pose() and inputs(). One thread may call
// advance() at the same time. None of these, nor Crowd's add(), remove() and replace(), may run during the recording of
// a frame, which reads all of it, or between its two parts. Const functions may run concurrently with each other;
// rooms() and frames() also during all others; instance() not during a function that changes the same instance;
// member(), clock() and passes() not during add(), remove(), replace() or advance().
//
// A call with an unknown instance or character, an array of the wrong size, or a number that is not finite or beyond
// kMaxCoordinate is misuse: it has no effect and is reported (pelt/runtime/misuse.h).
class CrowdPlanner {
 public:
  // Makes an instance of a character, in the rest pose. Returns its number: the last one that was released, or else the
  // lowest unused one. `outputs` = false: the instance takes no room for outputs, and cannot be shown until it has
  // (set_outputs). Takes microseconds, no device memory, and waits for nothing. Errors: kUnsupported if there is not
  // enough room (the message names the resource), kInvalidArgument if the crowd does not have the character.
  Result<std::uint32_t> acquire(std::uint32_t character, bool outputs = true);
  // Releases an instance's room, which is reused at once, since frames run in the order in which they are recorded. Its
  // outputs may be overwritten from the next frame on.
  void release(std::uint32_t instance);
  // Takes room for the outputs of an instance, or releases it; does nothing if it is so already. Errors: no such
  // instance, not enough room.
  Result<void> set_outputs(std::uint32_t instance, bool outputs);

  // Sets the joint matrices of an instance for the next frame that is recorded: model space, one per joint of the
  // skeleton, column-major. Turns the helper joints (turn_helpers) and copies the matrices into mapped memory that the
  // device reads. An instance keeps its pose until it is posed again; at first it is in the rest pose. Precondition:
  // CrowdOptions::joints is null.
  void pose(std::uint32_t instance, std::span<const glm::mat4> joints);
  // The same with only the upper three rows of each matrix, as the crowd stores them: 48 bytes per joint.
  void pose(std::uint32_t instance, std::span<const shared::Affine> joints);
  // Sets inputs [first, first + values.size()) of an instance's CharacterData::input_count in the same way: the
  // vertices of a stream from Stream::first_input on (x, y, z; model space, metres, in the mesh's order), or a control
  // at Control::input. An input that was never set has its rest value. Precondition: CrowdOptions::inputs is
  // null.
  void inputs(std::uint32_t instance, std::span<const float> values, std::uint32_t first = 0);

  // Advances the clock of secondary action for all instances, in seconds: call it once per frame with the time since
  // the last frame. The next frame moves each instance by the time since the frame that last moved it; the result does
  // not depend on how that time is divided into frames. An instance that was not moved for more than 64 steps of 1/240
  // s (0.27 s) starts at rest. Negative and non-finite times are ignored. Only motion in model space counts. Has no
  // effect without secondary action.
  void advance(float seconds);
  // Returns the value of the clock input (CharacterData::clock_input()) for the next frame that is recorded. Needed
  // only if CrowdOptions::inputs is a buffer of the caller's.
  float clock() const;

  std::uint32_t instance_count() const;  // capacity: instance numbers are below this
  // Returns an instance; none: the crowd does not have it.
  std::optional<CrowdInstance> instance(std::uint32_t instance) const;
  std::uint32_t member_count() const;  // character numbers are below this
  // Returns a character; null: the crowd does not have it. Valid until the crowd is changed by add(), remove() or
  // replace().
  const CrowdMember* member(std::uint32_t character) const;
  CrowdRooms rooms() const;
  CrowdPasses passes() const;
  // Returns the number of frames recorded so far, which is the number of the next. A frame whose second part is not
  // recorded does not count.
  std::uint64_t frames() const;

 protected:
  // For recorders, which derive from this class: docs/graphics_apis.md.
  struct Options {
    std::string label;  // for messages, "crowd of 'biped'"
    CrowdCapacity capacity;
    std::uint32_t frames_in_flight = 2;
    PlannedOutputs outputs;
    std::vector<OutputStreams> streams;     // for each output slot
    bool host_joints = true;                // pose() supplies joints; else a buffer of the caller's does
    bool host_inputs = true;                // inputs() supplies inputs
    bool host_list = true;                  // each frame gets a list, or moves all; else kList has it
    bool host_drawn = true;                 // the second part of a frame has the same list; else kDrawnList has its own
    std::uint32_t most_workgroups = 65535;  // in one dimension
    // Whether the device plans frames, or their drawn skins, and so needs kPlanTable and kArguments.
    bool has_plan_table() const { return !host_list || !host_drawn; }
  };
  // The host's copies of the buffers of one frame in flight, each of bytes_of() bytes; or null.
  struct HostMemory {
    std::byte* work = nullptr;
    std::byte* plan_table = nullptr;
    std::byte* joints = nullptr;
    std::byte* inputs = nullptr;
  };
  using Characters = std::vector<std::optional<PlacedCharacter>>;  // by character number
  // The instances of a character that becomes another one.
  struct Exchange {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };
  using Prepare = std::function<Result<void>(std::span<const FrameDispatch> dispatches)>;

  explicit CrowdPlanner(Options options);
  ~CrowdPlanner();
  CrowdPlanner(CrowdPlanner&&) noexcept;
  CrowdPlanner& operator=(CrowdPlanner&&) noexcept;

  // Errors: the call comes between the two parts of a frame. `action`: for the message.
  Result<void> need_whole(const char* action) const;
  // Call it once, before characters are used.
  void use_memory(std::span<const HostMemory> memory);  // of each frame in flight
  // Plans for the characters. `prepare` gets the dispatches of each output slot, and makes their pipelines and
  // descriptor sets; if it fails, nothing is changed. Errors: not enough room for the plan, or for exchanged instances.
  Result<void> use_characters(const Characters& characters, const Prepare& prepare,
                              const std::optional<Exchange>& exchange = {});
  // Errors: the crowd has instances of the character.
  Result<void> remove_member(std::uint32_t character);
  // Calls `prepare` with dispatches by the kernels that the crowd will need when these characters are added.
  Result<void> plan_ahead(std::span<const Character> characters, const Prepare& prepare) const;
  // Returns the next frame, or the next part of it, after writing the host's memory; null: misuse, which is reported.
  // list: none: all instances that have outputs. Then call end_frame().
  const CrowdFrame* next_frame(FramePart part, const std::optional<std::span<const shared::ListEntry>>& list);
  void end_frame(FramePart part);
  // Returns how a part of the next frame accesses each FrameBuffer (kReads, kWrites).
  std::vector<std::uint32_t> accesses(FramePart part) const;
  // Returns whether a mesh was not shown in the frame before the last, by its first vertex (CrowdMember). state:
  // InstanceLocation::state; none: that of the host's list, without which nothing appears.
  bool mesh_appears(std::uint32_t instance, std::uint32_t mesh_vertex, std::optional<std::uint32_t> state) const;

  struct State;
  std::unique_ptr<State> planner_;
};

}  // namespace pelt::runtime
