// SPDX-License-Identifier: MIT
// Makes a crowd: checks the options, then makes buffers, descriptor sets and dispatches.

#include <algorithm>
#include <cstring>
#include <utility>

#include <pelt/frame.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/guard_memory.h"
#include "engine/character/base/invalid.h"
#include "runtime/crowd_joints.h"
#include "runtime/crowd_outputs.h"
#include "runtime/crowd_state.h"
#include "runtime/device_internals.h"

namespace pelt::runtime {
namespace {

// The numbers of a capacity other than instances.
constexpr std::uint64_t CrowdCapacity::*kAmounts[] = {
    &CrowdCapacity::vertices, &CrowdCapacity::palette_entries, &CrowdCapacity::driver_vertices, &CrowdCapacity::joints,
    &CrowdCapacity::inputs,   &CrowdCapacity::plan_words,      &CrowdCapacity::table_words};

PlannedOutputs planned_outputs(const CrowdOutputs& outputs) {
  return {.bounds = outputs.bounds,
          .recomputed_normals = outputs.normal_mode == NormalMode::kRecomputed,
          .control_meshes = outputs.control_meshes};
}

// Returns the words of the work of a crowd with this capacity.
std::uint64_t work_words(const CrowdCapacity& capacity) {
  return std::uint64_t{2} * shared::kLocationPairs * capacity.instances + capacity.plan_words + kMaxPadding;
}

// The element-wise maximum.
CrowdCapacity larger(CrowdCapacity a, const CrowdCapacity& b) {
  a.instances = std::max(a.instances, b.instances);
  for (const auto amount : kAmounts) a.*amount = std::max(a.*amount, b.*amount);
  return a;
}

// Checks the alignment of buffers that the caller supplies.
Result<void> check_inputs(const CrowdOptions& options, VkDeviceSize alignment) {
  const struct {
    const BufferLocation& place;
    const char* name;
  } locations[] = {{options.joints, "joint matrices"},
                   {options.inputs, "inputs"},
                   {options.list, "list"},
                   {options.drawn, "drawn list"}};
  for (const auto& [place, name] : locations) {
    if (place.buffer == VK_NULL_HANDLE || place.offset % alignment == 0) continue;
    return invalid("a crowd's {} are at offset {}, which is not a multiple of {} (minStorageBufferOffsetAlignment)",
                   name, place.offset, alignment);
  }
  return {};
}

// A stream of the crowd that is bound as one range.
struct CrowdStream {
  const char* name;
  std::uint64_t bytes;
};

// Checks that the device can bind each stream of the crowd at once.
Result<void> check_streams(std::span<const CrowdStream> streams, std::uint64_t instances, const Device& device,
                           const std::string& label) {
  const std::uint64_t most = device.limits().maxStorageBufferRange;
  const auto largest = std::max_element(streams.begin(), streams.end(),
                                        [](const CrowdStream& a, const CrowdStream& b) { return a.bytes < b.bytes; });
  if (largest->bytes <= most) return {};
  // Exact for a single character; an estimate if characters differ.
  const auto fit = static_cast<std::uint64_t>(static_cast<double>(instances) * static_cast<double>(most) /
                                              static_cast<double>(largest->bytes));
  return fail(ErrorCode::kUnsupported,
              formatted("{} instances of {} do not fit: {} binds at most {} bytes at once, enough for the {} of {}",
                        instances, label, device.description().name, most, largest->name, fit));
}

// The layout of the buffer of palettes and, after them, vertices of drivers.
struct PaletteRanges {
  BufferRange palettes;
  BufferRange drivers;
  VkDeviceSize end = 0;
};

PaletteRanges palette_ranges(const CrowdCapacity& capacity, VkDeviceSize alignment) {
  PaletteRanges made;
  made.palettes = append_range(made.end, capacity.palette_entries * sizeof(Affine), alignment);
  made.drivers = append_range(made.end, capacity.driver_vertices * sizeof(glm::vec3), alignment);
  return made;
}

// Returns the size of a list of the caller's, in bytes.
VkDeviceSize list_bytes(const CrowdCapacity& capacity) {
  return sizeof(std::uint32_t) + capacity.instances * sizeof(shared::ListEntry);
}

// Checks everything that does not depend on the sizes of the outputs.
Result<void> check_options(const GpuCharacters::State& gpu, const CrowdCapacity& capacity, const CrowdOptions& options,
                           const Device& device, const std::string& label) {
  if (capacity.instances == 0 || options.frames_in_flight == 0) {
    return invalid("a crowd of {} needs at least one {}", label,
                   capacity.instances == 0 ? "instance" : "frame in flight");
  }
  for (const auto amount : kAmounts) {
    if (capacity.*amount >> 48 == 0) continue;  // its bytes fit in 64 bits
    return invalid("a crowd of {} cannot have a capacity of {}", label, capacity.*amount);
  }
  PELT_TRY(check_outputs(options.outputs));
  PELT_TRY(check_inputs(options, device.limits().minStorageBufferOffsetAlignment));
  if (options.outputs.normal_mode == NormalMode::kRecomputed && !gpu.options.normal_rings) {
    return invalid("a crowd of {} cannot recompute normals: upload its characters with UploadOptions::normal_rings",
                   label);
  }
  return {};
}

// Checks that the device can bind every stream; totals then fit in 32 bits.
Result<void> check_capacity(const CrowdCapacity& capacity, const OutputLayout& layout, const Device& device,
                            const std::string& label) {
  const VkDeviceSize alignment = device.limits().minStorageBufferOffsetAlignment;
  std::vector<CrowdStream> streams{{"palettes", palette_ranges(capacity, alignment).end},
                                   {"joint matrices", capacity.joints * sizeof(Affine)},
                                   {"inputs", capacity.inputs * sizeof(float)},
                                   {"lists", list_bytes(capacity)},
                                   {"jobs, starts and lists", work_words(capacity) * sizeof(std::uint32_t)}};
  for (const OutputLocations& places : layout.slots) {
    const BoundOutputs bound = bind_outputs(places, capacity, VK_NULL_HANDLE, alignment);
    constexpr const char* kNames[kMaxOutputs] = {"positions", "normals", "tangents", "previous positions", "bounds"};
    for (std::size_t o = 0; o < kMaxOutputs; ++o) streams.push_back({kNames[o], bound.ranges[o].range});
  }
  return check_streams(streams, capacity.instances, device, label);
}

}  // namespace

CrowdCapacity& CrowdCapacity::operator+=(const CrowdCapacity& other) {
  instances += other.instances;
  for (const auto amount : kAmounts) this->*amount += other.*amount;
  return *this;
}

CrowdCapacity capacity_of(const Character& character, std::uint32_t instances, const CrowdOutputs& outputs) {
  const CrowdPlan plan = plan_ahead({&character, 1}, planned_outputs(outputs), {});
  const CrowdCharacter& planned = *plan.characters[0];
  const std::uint64_t n = instances;
  return {.instances = instances,
          .vertices = n * planned.vertices,
          .palette_entries = n * planned.palette_entries,
          .driver_vertices = n * planned.driver_vertices,
          .joints = n * planned.joints,
          .inputs = n * planned.inputs,
          .plan_words = fixed_words(plan) + kMaxPadding + n * list_words(plan, 0),
          .table_words = table_words(plan.table)};
}

// The steps of Crowd::create, in this order, and of Crowd::add.
struct Crowd::State::Maker {
  const Device& device;
  State& state;

  Result<void> make_buffers(VkDeviceSize vertex_bytes, const CrowdOptions& options);
  Result<void> make_rings();
  Result<Dispatch> dispatch_of(const CrowdStep& step, const BoundOutputs& written) const;
  Result<void> need_sets(KernelKind kind, const ComputeKernel& kernel);
  Result<std::vector<Dispatch>> make_dispatches(const CrowdPlan& wanted);
};

// `vertex_bytes`: size of the outputs in the crowd's own buffer.
Result<void> Crowd::State::Maker::make_buffers(VkDeviceSize vertex_bytes, const CrowdOptions& options) {
  const VkDeviceSize alignment = device.limits().minStorageBufferOffsetAlignment;
  const CrowdCapacity& room = state.capacity;
  const PaletteRanges parts = palette_ranges(room, alignment);
  state.bases = {.driver_word = static_cast<std::uint32_t>(parts.drivers.offset / sizeof(float)),
                 .instances = room.instances};
  VkDeviceSize work_end = 0;
  VkDeviceSize table_end = 0;
  for (std::uint32_t s = 0; s < state.slots; ++s) {
    const VkDeviceSize apart = slot_alignment(device);
    state.work_slots.push_back(append_range(work_end, work_words(room) * sizeof(std::uint32_t), apart));
    if (state.has_table())
      state.table_slots.push_back(append_range(table_end, room.table_words * sizeof(std::uint32_t), apart));
  }
  VkDeviceSize memory_end = 0;
  const auto memory_range = [&](bool own) {
    return own ? BufferRange{} : append_range(memory_end, room.instances * sizeof(shared::InstanceMemory), alignment);
  };
  const BufferRange list_memory = memory_range(state.own_list);
  const BufferRange drawn_memory = memory_range(state.own_drawn);
  // There are at most as many steps as jobs.
  const VkDeviceSize argument_bytes = state.has_table() ? room.table_words / 2 * sizeof(VkDispatchIndirectCommand) : 0;

  constexpr VkBufferUsageFlags kStorage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  constexpr VkBufferUsageFlags kRead = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  const struct {
    Buffer* buffer;
    VkDeviceSize size;
    VkBufferUsageFlags usage;
    MemoryUse kind;
    const char* name;
  } buffers[] = {
      {&state.vertices, vertex_bytes, kStorage | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | kRead | options.outputs.usage,
       MemoryUse::kDeviceLocal, "vertices"},
      {&state.palette, parts.end, kStorage | kRead | VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryUse::kDeviceLocal,
       "palettes"},
      {&state.work, work_end, kStorage | kRead, MemoryUse::kStream, "work"},
      {&state.arguments, argument_bytes, kStorage | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, MemoryUse::kDeviceLocal,
       "dispatches"},
      {&state.table, table_end, kStorage, MemoryUse::kStream, "plan"},
      {&state.memory, memory_end, kStorage | VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryUse::kDeviceLocal,
       "memory of plans"},
      {&state.nothing, 16, kStorage, MemoryUse::kDeviceLocal, "nothing"},
  };
  for (const auto& [buffer, size, usage, kind, name] : buffers) {
    if (size == 0) continue;
    PELT_ASSIGN(*buffer, Buffer::create(device, {.size = size,
                                                 .usage = usage,
                                                 .memory = kind,
                                                 .name = formatted("{} of the {}", name, state.label)}));
  }
  for (OutputLocations& outputs_of_slot : state.outputs) {
    for (OutputLocation* place : {&outputs_of_slot.positions, &outputs_of_slot.normals, &outputs_of_slot.tangents,
                                  &outputs_of_slot.previous_positions, &outputs_of_slot.bounds}) {
      if (place->format != VertexFormat::kNone && place->buffer == VK_NULL_HANDLE)
        place->buffer = state.vertices.handle();
    }
    state.bound_outputs.push_back(bind_outputs(outputs_of_slot, room, state.nothing.handle(), alignment));
    state.output_ranges.push_back(runtime::output_ranges(outputs_of_slot, room));
  }
  const std::size_t count = state.outputs.size();
  state.reads_previous = count > 1 && options.outputs.previous_positions.format != VertexFormat::kNone;
  for (std::size_t s = 0; s < count && state.reads_previous; ++s)
    state.outputs[s].previous_positions = state.outputs[(s + count - 1) % count].positions;
  const auto range = [&](FrameBuffer buffer, const VkDescriptorBufferInfo& info) {
    state.ranges[static_cast<std::size_t>(buffer)] = info;
  };
  const auto external = [&](FrameBuffer buffer, const BufferLocation& at, std::uint64_t bytes) {
    range(buffer, {at.buffer, at.offset, std::max<VkDeviceSize>(bytes, 4)});
  };
  range(FrameBuffer::kNothing, state.nothing.whole());
  range(FrameBuffer::kBindData, state.gpu->buffer.whole());
  range(FrameBuffer::kPalettes, state.palette.part(parts.palettes));
  range(FrameBuffer::kDrivers, state.palette.part(parts.drivers));
  range(FrameBuffer::kPalettesAndDrivers, {state.palette.handle(), 0, parts.end});
  range(FrameBuffer::kArguments, state.arguments.whole());
  range(FrameBuffer::kMemory, state.memory.part(list_memory));
  range(FrameBuffer::kDrawnMemory, state.memory.part(drawn_memory));
  external(FrameBuffer::kJoints, options.joints, room.joints * sizeof(shared::Affine));
  external(FrameBuffer::kInputs, options.inputs, room.inputs * sizeof(float));
  external(FrameBuffer::kList, options.list, list_bytes(room));
  external(FrameBuffer::kDrawnList, options.drawn, list_bytes(room));

  // Sets per frame in flight: one for each plan and for poses; for each kind that writes outputs, one per output slot.
  const auto set_count = static_cast<std::uint32_t>(state.slots * (3 + (kKernelKinds - 3) * state.outputs.size()));
  PELT_ASSIGN(
      state.descriptors,
      DescriptorPool::create(device, set_count, set_count * std::max(shared::kPoseBindCount, shared::kBlendBindCount),
                             state.label));
  return {};
}

Result<void> Crowd::State::Maker::make_rings() {
  if (state.own_joints) {
    PELT_ASSIGN(state.joints, InputRing::create(device, state.slots, state.capacity.joints * kJointFloats,
                                                state.capacity.instances, "joint matrices of the " + state.label));
  }
  if (state.own_inputs) {
    PELT_ASSIGN(state.inputs, InputRing::create(device, state.slots, state.capacity.inputs, state.capacity.instances,
                                                "inputs of the " + state.label));
  }
  return {};
}

// Makes the sets of a kind on first use. They do not depend on the characters.
Result<void> Crowd::State::Maker::need_sets(KernelKind kind, const ComputeKernel& kernel) {
  // If one is refused, the next call goes on after those that were made: only the pool frees sets.
  std::vector<VkDescriptorSet>& made = state.sets[static_cast<std::size_t>(kind)];
  made.reserve(state.outputs.size() * state.slots);
  while (made.size() < state.outputs.size() * state.slots) {
    const std::size_t o = made.size() / state.slots;
    const auto s = static_cast<std::uint32_t>(made.size() % state.slots);
    if (o > 0 && !writes_outputs(kind)) {
      made.push_back(made[s]);
      continue;
    }
    std::vector<VkDescriptorBufferInfo> bound;
    for (const Binding& binding : bindings_of(kind)) bound.push_back(state.range_of(binding.buffer, o, s));
    PELT_ASSIGN(const VkDescriptorSet set, state.descriptors.make_set(kernel, bound));
    made.push_back(set);
  }
  return {};
}

// Returns a step's dispatch for one output slot.
Result<Dispatch> Crowd::State::Maker::dispatch_of(const CrowdStep& step, const BoundOutputs& written) const {
  const Kernel kernel = kernel_of(step, written.streams);
  PELT_ASSIGN(const auto pipeline, pipeline_of(device, kernel));
  return Dispatch{pipeline, kernel.kind, constants_of(step, written.streams)};
}

// Returns the dispatches by step of the plan, then by output slot.
Result<std::vector<Dispatch>> Crowd::State::Maker::make_dispatches(const CrowdPlan& wanted) {
  std::vector<Dispatch> made;
  for (const CrowdStep& step : wanted.steps) {
    for (const BoundOutputs& written : state.bound_outputs) {
      PELT_ASSIGN(made.emplace_back(), dispatch_of(step, written));
      PELT_TRY(need_sets(made.back().kind, *made.back().kernel));
    }
  }
  return made;
}

Result<void> Crowd::State::use_characters(const Device& owner, std::vector<std::optional<Character>> wanted) {
  std::vector<std::optional<CrowdCharacter>> sizes(wanted.size());
  std::unique_lock lock(gpu->mutex);
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    if (!wanted[c]) continue;
    PELT_TRY(check_bind_data(static_cast<std::uint32_t>(c), *wanted[c]));
    sizes[c].emplace(*gpu->entries[c], wanted_outputs.control_meshes);
  }
  CrowdPlan made = plan_crowd(std::move(sizes), planned_outputs(wanted_outputs), bases);
  lock.unlock();
  const std::uint64_t words = fixed_words(made) + list_words();
  if (words > capacity.plan_words || (has_table() && table_words(made.table) > capacity.table_words)) {
    return fail(ErrorCode::kUnsupported,
                formatted("the plan of the {} needs {} words and its table {}; there is room for {} and {}", label,
                          words, table_words(made.table), capacity.plan_words, capacity.table_words));
  }
  Maker maker{.device = owner, .state = *this};
  PELT_ASSIGN(auto wanted_dispatches, maker.make_dispatches(made));
  if (has_table()) {
    PELT_ASSIGN(plan_kernel, pipeline_of(owner, runtime::plan_kernel(KernelKind::kPlan)));
    if (!own_list) PELT_TRY(maker.need_sets(KernelKind::kPlan, *plan_kernel));
    if (!own_drawn) PELT_TRY(maker.need_sets(KernelKind::kDrawnPlan, *plan_kernel));
  }
  const bool swings = std::any_of(wanted.begin(), wanted.end(),
                                  [](const auto& character) { return character && (**character).clock_input(); });
  FrameOptions options{.lists_on_device = !own_list, .drawn_on_device = !own_drawn};
  // Zero means that a mass has not started, and that an instance was never shown.
  if (swings) options.zeroed.push_back(FrameBuffer::kPalettesAndDrivers);
  if (!own_list) options.zeroed.push_back(FrameBuffer::kMemory);
  if (!own_drawn) options.zeroed.push_back(FrameBuffer::kDrawnMemory);
  std::array<std::vector<FrameCommand>, kFrameParts> made_commands;
  std::array<std::vector<FrameCommand>, kFrameParts> made_first;
  for (const FramePart part : {FramePart::kPose, FramePart::kBlend, FramePart::kWhole}) {
    made_commands[static_cast<std::size_t>(part)] = commands_of(made, options, part, false);
    made_first[static_cast<std::size_t>(part)] = commands_of(made, options, part, true);
  }
  std::vector<std::string> made_names;
  for (const FrameCommand& command : made_commands[static_cast<std::size_t>(FramePart::kWhole)]) {
    if (command.kind != FrameCommand::Kind::kDispatch) continue;
    made_names.push_back(!command.plans                             ? made.steps[command.step].name
                         : *command.plans == KernelKind::kDrawnPlan ? "plan of drawn skins"
                                                                    : "plan");
  }
  HostPlan made_host_plan;
  made_host_plan.use(made);  // takes the memory for the same call below
  instances_of.resize(wanted.size());

  // No memory is taken from here on, so nothing can fail.
  plan = std::move(made);
  characters = std::move(wanted);
  dispatches = std::move(wanted_dispatches);
  commands = std::move(made_commands);
  first_commands = std::move(made_first);
  names = std::move(made_names);
  host_plan = std::move(made_host_plan);
  host_plan.use(plan);
  has_action = swings;
  ++plans_made;
  lists_changed = true;
  plan_constants = {.character_count = static_cast<std::uint32_t>(plan.table.characters.size()),
                    .levels_count = static_cast<std::uint32_t>(plan.table.levels.size()),
                    .list_count = static_cast<std::uint32_t>(plan.table.lists.size()),
                    .job_count = static_cast<std::uint32_t>(plan.table.jobs.size()),
                    .step_count = static_cast<std::uint32_t>(plan.table.steps.size()),
                    .first_start = plan.first_start,
                    .first_count = plan.first_count,
                    .instance_count = capacity.instances,
                    .most_workgroups = owner.limits().maxComputeWorkGroupCount[0]};
  return {};
}

Result<void> Crowd::prepare(const Device& device, std::span<const Character> characters) const {
  return guard_memory([&]() -> Result<void> {
    // A blend's pipeline depends on all characters that it moves, so the crowd's are included.
    std::vector<Character> all(characters.begin(), characters.end());
    for (const std::optional<Character>& character : state_->characters) {
      if (character) all.push_back(*character);
    }
    const CrowdPlan plan = plan_ahead(all, planned_outputs(state_->wanted_outputs), state_->bases);
    const State::Maker maker{.device = device, .state = *state_};
    for (const CrowdStep& step : plan.steps) {
      for (const BoundOutputs& written : state_->bound_outputs) PELT_TRY(maker.dispatch_of(step, written));
    }
    return {};
  });
}

Result<std::unique_ptr<Crowd::State>> Crowd::State::create(const Device& device, const GpuCharacters& characters,
                                                           const CrowdOptions& options) {
  const GpuCharacters::State& gpu = characters.state();
  std::unique_lock lock(gpu.mutex);
  const std::string label = label_of(gpu);
  if (gpu.device != &device.internals()) {
    return invalid("a crowd of {} cannot be made on {}: the characters are on another device", label,
                   device.description().name);
  }
  std::vector<std::uint32_t> instances = options.instances;
  if (instances.empty()) {
    for (const auto& entry : gpu.entries) instances.push_back(entry ? 1 : 0);
  }
  if (instances.size() > gpu.entries.size()) {
    return invalid("a crowd of {} got instance counts for {} characters", label, instances.size());
  }
  auto state = std::make_unique<State>();
  std::vector<std::optional<Character>> wanted;
  CrowdCapacity capacity;
  for (std::size_t c = 0; c < instances.size(); ++c) {
    wanted.push_back(gpu.entries[c] ? std::optional(gpu.entries[c]->character) : std::nullopt);
    if (!wanted.back() && instances[c] > 0) {
      return invalid("a crowd of {} cannot have instances of character {}, which was removed", label, c);
    }
    if (wanted.back()) {
      capacity += capacity_of(*wanted.back(), instances[c], options.outputs);
    } else {
      capacity.table_words +=
          sizeof(shared::PlanCharacter) / sizeof(std::uint32_t);  // removed characters keep a table entry
    }
  }
  lock.unlock();
  capacity = larger(capacity, options.capacity);
  PELT_TRY(check_options(gpu, capacity, options, device, label));
  const OutputLayout layout = lay_out(options.outputs, capacity, device.limits().minStorageBufferOffsetAlignment);
  PELT_TRY(check_capacity(capacity, layout, device, label));

  state->device = &device.internals();
  state->gpu = &gpu;
  state->label = "crowd of " + label;
  state->capacity = capacity;
  state->wanted_outputs = options.outputs;
  state->slots = options.frames_in_flight;
  state->outputs = layout.slots;
  state->own_joints = options.joints.buffer == VK_NULL_HANDLE;
  state->own_inputs = options.inputs.buffer == VK_NULL_HANDLE;
  state->own_list = options.list.buffer == VK_NULL_HANDLE;
  state->own_drawn = options.drawn.buffer == VK_NULL_HANDLE;
  state->make_room();

  State::Maker maker{.device = device, .state = *state};
  PELT_TRY(maker.make_buffers(layout.end, options));
  PELT_TRY(maker.make_rings());
  PELT_TRY(state->use_characters(device, std::move(wanted)));
  for (std::uint32_t c = 0; c < instances.size(); ++c) {
    state->first_instances.push_back(capacity.instances - static_cast<std::uint32_t>(state->free_numbers.size()));
    for (std::uint32_t i = 0; i < instances[c]; ++i) PELT_TRY(state->acquire(c, true));
  }
  return state;
}

Result<Crowd> Crowd::create(const Device& device, const GpuCharacters& characters, const CrowdOptions& options) {
  PELT_ASSIGN(auto state, guard_memory([&] { return State::create(device, characters, options); }));
  return Crowd(std::move(state));
}

}  // namespace pelt::runtime
