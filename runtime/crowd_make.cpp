// SPDX-License-Identifier: MIT
// The making of a crowd: its checks, buffers, descriptor sets and dispatches.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <pelt/frame.h>
#include <pelt/pose.h>
#include <pelt/try.h>

#include "runtime/crowd_outputs.h"
#include "runtime/crowd_state.h"
#include "runtime/device_internals.h"
#include "shaders/blend/blend.h"
#include "shaders/bounds/bounds.h"
#include "shaders/normals/normals.h"
#include "shaders/pose_pass.h"

namespace pelt::runtime {
namespace {

// Checks the alignment of buffers that the caller supplies.
Result<void> check_inputs(const CrowdOptions& options, VkDeviceSize alignment) {
  const struct {
    const BufferPlace& place;
    const char* name;
  } places[] = {{options.joints, "joint matrices"}, {options.inputs, "inputs"}, {options.visible, "visible instances"}};
  for (const auto& [place, name] : places) {
    if (place.buffer == VK_NULL_HANDLE || place.offset % alignment == 0) continue;
    return fail(ErrorCode::kInvalidArgument, fmt::format("a crowd's {} are at offset {}, which is no multiple of {} "
                                                         "(minStorageBufferOffsetAlignment)",
                                                         name, place.offset, alignment));
  }
  return {};
}

// Checks what can be checked before the sizes of the outputs are known.
Result<void> check_options(const GpuCharacters::State& gpu, const CrowdPlan& plan, const CrowdOptions& options,
                           const Device& device, const std::string& label) {
  if (plan.instances == 0 || options.frames_in_flight == 0) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("a crowd of {} needs at least one {}", label,
                                                         plan.instances == 0 ? "instance" : "frame in flight"));
  }
  PELT_TRY(check_outputs(options.outputs));
  PELT_TRY(check_inputs(options, device.limits().minStorageBufferOffsetAlignment));
  if (options.outputs.normal_mode == NormalMode::kRecomputed && !gpu.has_normal_rings) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a crowd of {} recomputes normals, which characters need to be uploaded for "
                            "(UploadOptions::normal_rings)",
                            label));
  }
  return {};
}

// The palettes, and behind them the vertices of drivers, as they lie in one buffer.
struct PaletteRanges {
  BufferRange palettes;
  BufferRange drivers;
  VkDeviceSize end = 0;
};

PaletteRanges palette_ranges(const CrowdPlan& plan, VkDeviceSize alignment) {
  PaletteRanges made;
  made.palettes = append_range(made.end, plan.palette_entries * sizeof(Affine), alignment);
  made.drivers = append_range(made.end, plan.driver_words * sizeof(float), alignment);
  return made;
}

// The size of a list of the caller's.
VkDeviceSize list_bytes(const CrowdPlan& plan) {
  return plan.characters.size() * sizeof(std::uint32_t) + plan.instances * sizeof(shared::ListEntry);
}

// A stream of the crowd, which is bound as one range.
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
  // If characters differ, this is an estimate; for a single character it is exact.
  const auto fit = static_cast<std::uint64_t>(static_cast<double>(instances) * static_cast<double>(most) /
                                              static_cast<double>(largest->bytes));
  return fail(ErrorCode::kUnsupported,
              fmt::format("{} instances of {} do not fit: {} binds at most {} bytes at once, which holds the {} of {}",
                          instances, label, device.description().name, most, largest->name, fit));
}

// Checks the streams whose size is known before the crowd is planned: every total then fits in 32 bits.
Result<void> check_placed(const CrowdPlan& plan, const OutputLayout& layout, const Device& device,
                          const std::string& label) {
  const VkDeviceSize alignment = device.limits().minStorageBufferOffsetAlignment;
  std::vector<CrowdStream> streams{
      {"palettes", palette_ranges(plan, alignment).end},
      {"joint matrices", plan.joints * sizeof(glm::mat4)},
      {"inputs", plan.inputs * sizeof(float)},
      {"lists", std::max(plan.instances * shared::kListKinds * sizeof(shared::ListEntry), list_bytes(plan))}};
  for (const OutputPlaces& places : layout.slots) {
    const BoundOutputs bound = bind_outputs(places, plan, VK_NULL_HANDLE, alignment);
    streams.push_back({"positions", bound.positions.range.range});
    streams.push_back({"normals", bound.normals.range.range});
    streams.push_back({"tangents", bound.tangents.range.range});
    streams.push_back({"previous positions", bound.previous_positions.range.range});
    streams.push_back({"bounds", bound.bounds.range.range});
  }
  return check_streams(streams, plan.instances, device, label);
}

// The shaders use the enumerators' values directly.
static_assert(static_cast<std::uint32_t>(Detail::kFull) == shared::kDetailFull);
static_assert(static_cast<std::uint32_t>(Detail::kReduced) == shared::kDetailReduced);
static_assert(static_cast<std::uint32_t>(Detail::kLinearFit) == shared::kDetailLinearFit);

// Buffers that the descriptor sets need besides the state's own; the caller's where given.
struct BoundInputs {
  VkDescriptorBufferInfo palette{};
  VkDescriptorBufferInfo drivers{};
  VkDescriptorBufferInfo palette_and_drivers{};
  VkDescriptorBufferInfo joints{};
  VkDescriptorBufferInfo inputs{};
  VkDescriptorBufferInfo visible{};
};

template <class Constants>
std::vector<std::byte> bytes_of(const Constants& constants) {
  const auto bytes = std::as_bytes(std::span(&constants, 1));
  return {bytes.begin(), bytes.end()};
}

using Bindings = std::vector<VkDescriptorBufferInfo>;

// Returns the table as the device reads it (shaders/crowd/plan.h).
std::vector<std::uint32_t> words_of(const PlanTable& table) {
  std::vector<std::uint32_t> words;
  const auto append = [&](const auto& values) {
    const auto bytes = std::as_bytes(std::span(values));
    const std::size_t first = words.size();
    words.resize(first + bytes.size() / sizeof(std::uint32_t));
    if (!bytes.empty()) std::memcpy(&words[first], bytes.data(), bytes.size());
  };
  append(table.characters);
  append(table.jobs);
  append(table.steps);
  return words;
}

// Writes what stays the same from frame to frame.
void write(const Buffer& buffer, VkDeviceSize offset, std::span<const std::byte> bytes) {
  std::memcpy(buffer.mapped() + offset, bytes.data(), bytes.size());
  buffer.flush(offset, bytes.size());
}

}  // namespace

// The steps of Crowd::create, called in this order.
struct Crowd::State::Maker {
  const Device& device;
  const GpuCharacters::State& gpu;
  const CrowdOptions& options;
  const std::string& label;  // of the characters
  State& state;
  BoundInputs sources = {};
  std::vector<BoundOutputs> outputs = {};  // for each output slot

  Result<void> make_buffers(VkDeviceSize vertex_bytes);
  Result<void> make_rings();
  Result<void> make_dispatches();
  // `bindings`: called with each frame slot, returns what a shader binds in that slot's frames behind the work.
  template <class SlotBindings>
  Result<std::span<const VkDescriptorSet>> make_sets(const ComputeKernel& kernel, const SlotBindings& bindings);
  Result<void> add_dispatch(const Result<const ComputeKernel*>& kernel, std::vector<std::byte> constants,
                            const Bindings& bindings);
  Result<void> add_pose(const CrowdStep& step);
  Result<void> add_blend(const CrowdStep& step, const BoundOutputs& written);
  Result<void> add_bounds(const CrowdStep& step, const BoundOutputs& written);
  Result<void> add_normals(const CrowdStep& step, const BoundOutputs& written);
  Result<void> add_plan();
};

// Plans the crowd and makes its buffers. `vertex_bytes`: size of the outputs in the crowd's own buffer.
Result<void> Crowd::State::Maker::make_buffers(VkDeviceSize vertex_bytes) {
  const VkDeviceSize alignment = device.limits().minStorageBufferOffsetAlignment;
  CrowdPlan& planned = state.plan;
  const PaletteRanges palette_parts = palette_ranges(planned, alignment);
  planned.driver_base = static_cast<std::uint32_t>(palette_parts.drivers.offset / sizeof(float));
  plan_crowd(
      gpu,
      {.bounds = options.outputs.bounds, .recomputed_normals = options.outputs.normal_mode == NormalMode::kRecomputed},
      planned);
  const CrowdStream work_stream{"jobs, starts and lists", planned.work_pairs * 8};
  PELT_TRY(check_streams({&work_stream, 1}, planned.instances, device, label));
  VkDeviceSize work_end = 0;
  for (std::uint32_t s = 0; s < (state.own_list ? state.slots : 1); ++s)
    state.work_slots.push_back(append_range(work_end, planned.work_pairs * 8, alignment));
  const std::vector<std::uint32_t> words = state.own_list ? std::vector<std::uint32_t>() : words_of(planned.table);
  const VkDeviceSize argument_bytes = state.own_list ? 0 : planned.steps.size() * sizeof(VkDispatchIndirectCommand);

  constexpr VkBufferUsageFlags kStorage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  constexpr VkBufferUsageFlags kRead = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  const VkBufferUsageFlags filled = state.has_action ? VkBufferUsageFlags{VK_BUFFER_USAGE_TRANSFER_DST_BIT} : 0;
  const struct {
    Buffer* buffer;
    VkDeviceSize size;
    VkBufferUsageFlags usage;
    MemoryUse memory;
    const char* name;
  } buffers[] = {
      {&state.vertices, vertex_bytes, kStorage | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | kRead | options.outputs.usage,
       MemoryUse::kDeviceLocal, "vertices"},
      {&state.palette, palette_parts.end, kStorage | kRead | filled, MemoryUse::kDeviceLocal, "palettes"},
      {&state.work, work_end, kStorage, MemoryUse::kStream, "work"},
      {&state.arguments, argument_bytes, kStorage | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, MemoryUse::kDeviceLocal,
       "dispatches"},
      {&state.table, std::as_bytes(std::span(words)).size(), kStorage, MemoryUse::kStream, "plan"},
      {&state.nothing, 16, kStorage, MemoryUse::kDeviceLocal, "nothing"},
  };
  for (const auto& [buffer, size, usage, memory, name] : buffers) {
    if (size == 0) continue;
    PELT_ASSIGN(*buffer, Buffer::create(device, {.size = size,
                                                 .usage = usage,
                                                 .memory = memory,
                                                 .name = fmt::format("{} of the {}", name, state.label)}));
  }
  for (const BufferRange& range : state.work_slots)
    write(state.work, range.offset, std::as_bytes(std::span(planned.jobs)));
  if (!words.empty()) write(state.table, 0, std::as_bytes(std::span(words)));
  for (OutputPlaces& places : state.outputs) {
    for (OutputPlace* place :
         {&places.positions, &places.normals, &places.tangents, &places.previous_positions, &places.bounds}) {
      if (place->format != VertexFormat::kNone && place->buffer == VK_NULL_HANDLE)
        place->buffer = state.vertices.handle();
    }
    outputs.push_back(bind_outputs(places, planned, state.nothing.handle(), alignment));
    state.output_ranges.push_back(runtime::output_ranges(places, planned));
  }
  const std::size_t count = state.outputs.size();
  state.reads_previous = count > 1 && options.outputs.previous_positions.format != VertexFormat::kNone;
  for (std::size_t s = 0; s < count && state.reads_previous; ++s)
    state.outputs[s].previous_positions = state.outputs[(s + count - 1) % count].positions;
  sources = {
      .palette = state.palette.part(palette_parts.palettes),
      .drivers = state.palette.part(palette_parts.drivers),
      .palette_and_drivers = {state.palette.handle(), 0, palette_parts.end},
      .joints = {options.joints.buffer, options.joints.offset,
                 std::max<VkDeviceSize>(planned.joints * sizeof(glm::mat4), 4)},
      .inputs = {options.inputs.buffer, options.inputs.offset,
                 std::max<VkDeviceSize>(planned.inputs * sizeof(float), 4)},
      .visible = {options.visible.buffer, options.visible.offset,
                  planned.characters.size() * sizeof(std::uint32_t) + planned.instances * sizeof(shared::ListEntry)}};
  return {};
}

// Makes the rings of joints and inputs; every instance starts in its rest pose.
Result<void> Crowd::State::Maker::make_rings() {
  std::vector<float> joint_floats;
  std::vector<float> input_floats;
  std::vector<std::size_t> first_joint{0};
  std::vector<std::size_t> first_input{0};
  std::vector<glm::mat4> rest;
  std::vector<float> values;
  for (const std::uint32_t character : state.character_of) {
    const CharacterData& data = *state.characters[character];
    rest.resize(data.skeleton.joints.size());
    rest_matrices(data.skeleton, rest);
    values.resize(data.input_count);
    rest_inputs(data, values);
    const std::span<const float> floats = as_floats(rest);
    joint_floats.insert(joint_floats.end(), floats.begin(), floats.end());
    first_joint.push_back(joint_floats.size());
    input_floats.insert(input_floats.end(), values.begin(), values.end());
    first_input.push_back(input_floats.size());
  }
  if (state.own_joints) {
    PELT_ASSIGN(state.joints, InputRing::create(device, state.slots, std::move(joint_floats), std::move(first_joint),
                                                "joint matrices of the " + state.label));
  }
  if (state.own_inputs) {
    PELT_ASSIGN(state.inputs, InputRing::create(device, state.slots, std::move(input_floats), std::move(first_input),
                                                "inputs of the " + state.label));
  }
  return {};
}

// Makes the sets of a shader, one for each frame slot.
template <class SlotBindings>
Result<std::span<const VkDescriptorSet>> Crowd::State::Maker::make_sets(const ComputeKernel& kernel,
                                                                        const SlotBindings& bindings) {
  const std::size_t first = state.sets.size();
  for (std::uint32_t s = 0; s < state.slots; ++s) {
    std::vector<VkDescriptorBufferInfo> bound{state.work.part(state.work_slots[state.own_list ? s : 0])};
    const std::vector<VkDescriptorBufferInfo> others = bindings(s);
    bound.insert(bound.end(), others.begin(), others.end());
    PELT_ASSIGN(const auto set, state.descriptors.make_set(kernel, bound));
    state.sets.push_back(set);
  }
  return std::span<const VkDescriptorSet>(state.sets).subspan(first);
}

// Adds the dispatch of a step in an output slot; all frame slots bind the same.
Result<void> Crowd::State::Maker::add_dispatch(const Result<const ComputeKernel*>& kernel,
                                               std::vector<std::byte> constants, const Bindings& bindings) {
  if (!kernel) return tl::unexpected(kernel.error());
  PELT_ASSIGN(const auto made, make_sets(**kernel, [&](std::uint32_t) { return bindings; }));
  state.dispatches.push_back({*kernel, made, std::move(constants)});
  return {};
}

// Adds the dispatch of a pose, which is the same in every output slot.
Result<void> Crowd::State::Maker::add_pose(const CrowdStep& step) {
  const auto number = static_cast<std::size_t>(step.kernel);
  const ComputeKernel& kernel = state.pipelines->pose[number];
  PELT_ASSIGN(const auto made, make_sets(kernel, [&](std::uint32_t s) {
                return Bindings{gpu.buffer.part(gpu.records[number]),
                                state.own_joints ? state.joints.buffer().part(state.joints.range(s)) : sources.joints,
                                sources.drivers,
                                sources.palette,
                                gpu.buffer.part(gpu.tables),
                                state.own_inputs ? state.inputs.buffer().part(state.inputs.range(s)) : sources.inputs};
              }));
  state.dispatches.insert(state.dispatches.end(), state.outputs.size(), {&kernel, made, bytes_of(step.range)});
  return {};
}

Result<void> Crowd::State::Maker::add_blend(const CrowdStep& step, const BoundOutputs& written) {
  std::vector<std::uint32_t> specialization(shared::kSpecCount, shared::kFormatNone);
  if ((step.contents & shared::kHasOutputs) != 0) {
    specialization[shared::kSpecNormalsFormat] = written.normals.format;
    specialization[shared::kSpecTangentsFormat] = written.tangents.format;
    specialization[shared::kSpecPositionsFormat] = written.positions.format;
    specialization[shared::kSpecPreviousFormat] = written.previous_positions.format;
  }
  specialization[shared::kSpecContents] = step.contents;
  // A row has at most kWeightUnits influences: each weighs at least one unit.
  const shared::BlendConstants constants{
      .range = step.range,
      .reduced_influences = std::clamp(options.reduced_influences, 1u, shared::kWeightUnits),
      .positions = written.positions.stream,
      .normals = written.normals.stream,
      .tangents = written.tangents.stream,
      .previous = written.previous_positions.stream};
  // The blend of skins writes neither frames nor vertices of drivers, so it does not bind them: the bounds read
  // the palette at the same time.
  const bool drivers = (step.contents & shared::kHasDrivers) != 0;
  return add_dispatch(
      blend_kernel(device, specialization), bytes_of(constants),
      {gpu.buffer.part(gpu.rest), sources.palette, drivers ? sources.palette_and_drivers : state.nothing.whole(),
       written.positions.range, written.normals.range, written.tangents.range, written.previous_positions.range});
}

Result<void> Crowd::State::Maker::add_bounds(const CrowdStep& step, const BoundOutputs& written) {
  const shared::BoundsConstants constants{
      .range = step.range, .first_word = written.bounds.stream.first, .stride = written.bounds.stream.stride};
  return add_dispatch(&state.pipelines->bounds, bytes_of(constants),
                      {gpu.buffer.part(gpu.bounds), sources.palette, written.bounds.range});
}

Result<void> Crowd::State::Maker::add_normals(const CrowdStep& step, const BoundOutputs& written) {
  const shared::NormalsConstants constants{.range = step.range,
                                           .positions = written.positions.stream,
                                           .normals = written.normals.stream,
                                           .tangents = written.tangents.stream};
  return add_dispatch(
      normals_kernel(device, {written.normals.format, written.tangents.format}), bytes_of(constants),
      {gpu.buffer.part(gpu.normal_rings), written.positions.range, written.normals.range, written.tangents.range});
}

// Makes the sets of the plan of the device.
Result<void> Crowd::State::Maker::add_plan() {
  const CrowdPlan& planned = state.plan;
  state.plan_constants = {.character_count = static_cast<std::uint32_t>(planned.characters.size()),
                          .job_count = static_cast<std::uint32_t>(planned.table.jobs.size()),
                          .step_count = static_cast<std::uint32_t>(planned.steps.size()),
                          .first_count = planned.first_count,
                          .first_start = planned.first_start,
                          .most_workgroups = device.limits().maxComputeWorkGroupCount[0]};
  PELT_ASSIGN(state.plan_sets, make_sets(state.pipelines->plan, [&](std::uint32_t) {
                return Bindings{sources.visible, state.table.whole(), state.arguments.whole()};
              }));
  return {};
}

// Makes the dispatches of each step of the plan, and of the plan itself where the device makes it.
Result<void> Crowd::State::Maker::make_dispatches() {
  const auto set_count = static_cast<std::uint32_t>((state.plan.steps.size() * state.outputs.size() + 1) * state.slots);
  PELT_ASSIGN(
      state.descriptors,
      DescriptorPool::create(device, set_count, set_count * std::max(shared::kPoseBindCount, shared::kBlendBindCount),
                             state.label));
  state.sets.reserve(set_count);  // dispatches refer to them
  if (!state.own_list) state.groups.emplace_back();
  for (std::size_t s = 0; s < state.plan.steps.size(); ++s) {
    const CrowdStep& step = state.plan.steps[s];
    if (step.barrier_before) state.groups.push_back({.first = s});
    state.groups.back().end = s + 1;
    if (step.pass == CrowdPass::kPose) PELT_TRY(add_pose(step));
    for (const BoundOutputs& written : outputs) {
      if (step.pass == CrowdPass::kBlend) PELT_TRY(add_blend(step, written));
      if (step.pass == CrowdPass::kBounds) PELT_TRY(add_bounds(step, written));
      if (step.pass == CrowdPass::kNormals) PELT_TRY(add_normals(step, written));
    }
  }
  return state.own_list ? Result<void>() : add_plan();
}

Result<Crowd> Crowd::create(const Device& device, const GpuCharacters& characters, const CrowdOptions& options) {
  const GpuCharacters::State& gpu = characters.state();
  const std::string label = gpu.entries.size() == 1 ? "'" + gpu.entries[0].character->name + "'"
                                                    : fmt::format("{} characters", gpu.entries.size());
  if (gpu.device != &device.internals()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a crowd of {} is asked for on {}: the characters are on another device", label,
                            device.description().name));
  }
  const std::vector<std::uint32_t> instances =
      options.instances.empty() ? std::vector<std::uint32_t>(gpu.entries.size(), 1) : options.instances;
  if (instances.size() != gpu.entries.size()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a crowd of {} needs a number of instances of each, and has {}", label, instances.size()));
  }
  auto state = std::make_unique<State>();
  CrowdPlan& plan = state->plan;
  plan = place_crowd(gpu, instances, options.outputs.control_meshes);
  PELT_TRY(check_options(gpu, plan, options, device, label));
  const OutputLayout layout = lay_out(options.outputs, plan, device.limits().minStorageBufferOffsetAlignment);
  PELT_TRY(check_placed(plan, layout, device, label));
  PELT_ASSIGN(state->pipelines, skinning_pipelines(device));

  state->device = &device.internals();
  state->label = "crowd of " + label;
  state->slots = options.frames_in_flight;
  state->outputs = layout.slots;
  for (std::uint32_t c = 0; c < gpu.entries.size(); ++c) {
    state->characters.push_back(gpu.entries[c].character);
    state->clock_inputs.push_back((*state->characters.back()).clock_input());
    state->has_action = state->has_action || state->clock_inputs.back();
    state->character_of.insert(state->character_of.end(), instances[c], c);
  }
  state->instance_states.resize(plan.instances);
  state->own_joints = options.joints.buffer == VK_NULL_HANDLE;
  state->own_inputs = options.inputs.buffer == VK_NULL_HANDLE;
  state->own_list = options.visible.buffer == VK_NULL_HANDLE;

  State::Maker maker{.device = device, .gpu = gpu, .options = options, .label = label, .state = *state};
  PELT_TRY(maker.make_buffers(layout.end));
  PELT_TRY(maker.make_rings());
  if (state->own_list) {
    state->host_plan = HostPlan(plan);
  } else {
    state->names.push_back("plan");
  }
  for (const CrowdStep& step : plan.steps) state->names.push_back(step.name);
  PELT_TRY(maker.make_dispatches());
  return Crowd(std::move(state));
}

}  // namespace pelt::runtime
