// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>

#include <pelt/frame.h>
#include <pelt/pose.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/transfer.h>
#include <pelt/try.h>

#include "runtime/buffer.h"
#include "runtime/crowd_outputs.h"
#include "runtime/crowd_plan.h"
#include "runtime/debug.h"
#include "runtime/device_internals.h"
#include "runtime/gpu_characters.h"
#include "runtime/input_ring.h"
#include "runtime/pipeline.h"
#include "shaders/blend/blend.h"
#include "shaders/bounds/bounds.h"
#include "shaders/crowd/plan.h"
#include "shaders/normals/normals.h"
#include "shaders/pose_pass.h"

namespace pelt::runtime {
namespace {

// A stream of the crowd, which is bound as one range.
struct CrowdStream {
  const char* name;
  std::uint64_t bytes;
};

Result<void> check_ranges(std::span<const CrowdStream> streams, std::uint64_t instances, const Device& device,
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

std::span<const float> as_floats(std::span<const glm::mat4> matrices) {
  return matrices.empty() ? std::span<const float>() : std::span(&matrices[0][0][0], 16 * matrices.size());
}

std::span<const float> as_floats(std::span<const glm::vec3> points) {
  return points.empty() ? std::span<const float>() : std::span(&points[0][0], 3 * points.size());
}

VkDescriptorBufferInfo bind(const Buffer& buffer, BufferRange range) {
  return {buffer.handle(), range.offset, range.size};
}

// The shaders use the enumerators' values directly.
static_assert(static_cast<std::uint32_t>(Detail::kFull) == shared::kDetailFull);
static_assert(static_cast<std::uint32_t>(Detail::kReduced) == shared::kDetailReduced);
static_assert(static_cast<std::uint32_t>(Detail::kLinearFit) == shared::kDetailLinearFit);

// The state of an instance that lasts from frame to frame.
struct Upkeep {
  bool visible = true;
  bool moved_before = false;  // since it was last shown
  bool settled = true;        // its previous positions equal its positions, and need no hold
  bool teleport = true;
  std::uint32_t period = 1;
  Detail from = Detail::kFull;
  Detail to = Detail::kFull;
  std::uint32_t fade_frames = 0;
  std::uint32_t faded = 0;  // frames of the fade that are over
  std::uint64_t fade_steps() const { return std::uint64_t{fade_frames} + 1; }
};

// The commands of one step of the plan.
struct Dispatch {
  const ComputeKernel* kernel = nullptr;
  std::span<const VkDescriptorSet> sets;  // one for all frames, or one for each frame slot
  std::vector<std::byte> constants;

  VkDescriptorSet set(std::uint32_t slot) const { return sets.size() == 1 ? sets[0] : sets[slot]; }
};

template <class Constants>
std::vector<std::byte> bytes_of(const Constants& constants) {
  const auto bytes = std::as_bytes(std::span(&constants, 1));
  return {bytes.begin(), bytes.end()};
}

// Buffers that the descriptor sets need besides the state's own; the caller's where given.
struct CrowdInputs {
  VkDescriptorBufferInfo palette{};
  VkDescriptorBufferInfo drivers{};
  VkDescriptorBufferInfo palette_and_drivers{};
  VkDescriptorBufferInfo joints{};
  VkDescriptorBufferInfo inputs{};
  VkDescriptorBufferInfo visible{};
};

}  // namespace

struct Crowd::State {
  DeviceInternals* device = nullptr;
  std::vector<Character> characters;
  std::string label;
  CrowdPlan plan;
  OutputPlaces outputs;
  std::vector<std::uint32_t> character_of;  // for each instance

  Buffer palette;  // palettes, then the vertices of drivers
  Buffer vertices;
  Buffer work;
  Buffer arguments;
  Buffer table;
  Buffer given;  // the list of moved instances, one frame slot for each frame in flight
  std::vector<BufferRange> given_slots;
  DescriptorPool descriptors;
  std::vector<VkDescriptorSet> step_sets;                                // sets of the steps other than poses
  std::vector<VkDescriptorSet> plan_sets;                                // one for each frame slot
  std::array<std::vector<VkDescriptorSet>, kPoseKernelCount> pose_sets;  // for each kernel, one for each frame slot
  const SkinningPipelines* pipelines = nullptr;
  std::vector<std::string> names;
  shared::PlanConstants plan_constants{};
  std::vector<Dispatch> dispatches;  // one for each step of the plan

  InputRing joints;
  InputRing inputs;
  bool own_joints = true;
  bool own_inputs = true;
  bool own_list = true;
  std::vector<Upkeep> upkeep;
  std::uint64_t frame = 0;
  std::uint32_t slots = 1;
  std::uint32_t slot = 0;

  const CharacterData& data_of(std::uint32_t instance) const { return *characters[character_of[instance]]; }

  Result<void> make_rings(const Device& owner);
  Result<void> make_sets(const Device& owner, const GpuCharacters::State& gpu, const CrowdInputs& sources);
  Result<void> make_dispatches(const Device& owner, const GpuCharacters::State& gpu, const BoundOutputs& out,
                               const CrowdInputs& sources, std::uint32_t reduced_influences);

  // Returns the list entry of an instance in this frame; none: the instance is left alone.
  std::optional<shared::ListEntry> next_entry(std::uint32_t instance, std::uint32_t number) {
    Upkeep& own = upkeep[instance];
    if (!own.visible) return std::nullopt;
    const bool turn = own.period != 0 && (frame + instance) % own.period == 0;
    if (!turn && own.moved_before) {
      if (own.settled || outputs.previous_positions.format == VertexFormat::kNone) return std::nullopt;
      own.settled = true;
      return shared::ListEntry{number, shared::kEntryHold};
    }
    std::uint32_t share = 0;
    if (own.from != own.to) {
      if (own.faded == own.fade_frames) {
        own.from = own.to;
      } else {
        ++own.faded;
        share = static_cast<std::uint32_t>(std::uint64_t{255} * own.faded / own.fade_steps());
      }
    }
    const std::uint32_t flags = own.teleport ? shared::kEntryTeleport : 0;
    own.teleport = false;
    own.moved_before = true;
    own.settled = false;
    return shared::ListEntry{number, shared::entry_state(flags, static_cast<std::uint32_t>(own.from),
                                                         static_cast<std::uint32_t>(own.to), share)};
  }

  void write_list() {
    std::byte* const base = given.mapped() + given_slots[slot].offset;
    const std::size_t entries_at = plan.characters.size() * sizeof(std::uint32_t);
    for (std::size_t c = 0; c < plan.characters.size(); ++c) {
      const CrowdCharacter& own = plan.characters[c];
      std::uint32_t count = 0;
      for (std::uint32_t i = 0; i < own.instances; ++i) {
        const std::optional<shared::ListEntry> entry = next_entry(own.first_instance + i, i);
        if (!entry) continue;
        std::memcpy(base + entries_at + (own.first_instance + count) * sizeof(shared::ListEntry), &*entry,
                    sizeof(shared::ListEntry));
        ++count;
      }
      std::memcpy(base + c * sizeof(std::uint32_t), &count, sizeof(count));
    }
    given.flush(given_slots[slot].offset, given_slots[slot].size);
  }
};

namespace {

Result<Buffer> make_buffer(const Device& device, VkDeviceSize size, VkBufferUsageFlags usage, MemoryUse memory,
                           const std::string& name) {
  return Buffer::create(device,
                        {.size = std::max<VkDeviceSize>(size, 16), .usage = usage, .memory = memory, .name = name});
}

}  // namespace

// Makes the rings of joints and inputs; every instance starts in its rest pose.
Result<void> Crowd::State::make_rings(const Device& owner) {
  std::vector<float> joint_floats;
  std::vector<float> input_floats;
  std::vector<std::size_t> first_joint{0};
  std::vector<std::size_t> first_input{0};
  std::vector<glm::mat4> rest;
  std::vector<float> values;
  for (const std::uint32_t character : character_of) {
    const CharacterData& data = *characters[character];
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
  if (own_joints) {
    PELT_ASSIGN(joints, InputRing::create(owner, slots, std::move(joint_floats), std::move(first_joint),
                                          "joint matrices of the " + label));
  }
  if (own_inputs) {
    PELT_ASSIGN(inputs, InputRing::create(owner, slots, std::move(input_floats), std::move(first_input),
                                          "inputs of the " + label));
  }
  return {};
}

namespace {

VkDescriptorBufferInfo whole(const Buffer& buffer) { return {buffer.handle(), 0, buffer.size()}; }

}  // namespace

// Makes the descriptor sets of all dispatches.
Result<void> Crowd::State::make_sets(const Device& owner, const GpuCharacters::State& gpu, const CrowdInputs& sources) {
  const auto set_count = static_cast<std::uint32_t>((kPoseKernelCount + 1) * slots + plan.steps.size());
  PELT_ASSIGN(auto pool,
              DescriptorPool::create(owner, set_count,
                                     set_count * std::max(shared::kPoseBindCount, shared::kBlendBindCount), label));
  descriptors = std::move(pool);
  Result<void> result;
  const auto add_set = [&](const ComputeKernel& own, std::vector<VkDescriptorSet>& sets,
                           std::initializer_list<VkDescriptorBufferInfo> bindings) {
    if (!result) return;
    const Result<VkDescriptorSet> set = descriptors.make_set(own, std::span(bindings.begin(), bindings.size()));
    if (set) {
      sets.push_back(*set);
    } else {
      result = tl::unexpected(set.error());
    }
  };
  for (std::uint32_t s = 0; s < slots; ++s) {
    const VkDescriptorBufferInfo slot_joints = own_joints ? bind(joints.buffer(), joints.range(s)) : sources.joints;
    const VkDescriptorBufferInfo slot_inputs = own_inputs ? bind(inputs.buffer(), inputs.range(s)) : sources.inputs;
    const VkDescriptorBufferInfo slot_list = own_list ? bind(given, given_slots[s]) : sources.visible;
    for (std::size_t k = 0; k < kPoseKernelCount; ++k) {
      add_set(pipelines->pose[k], pose_sets[k],
              {whole(work), bind(gpu.buffer, gpu.records[k]), slot_joints, sources.drivers, sources.palette,
               bind(gpu.buffer, gpu.tables), slot_inputs});
    }
    add_set(pipelines->plan, plan_sets, {whole(work), slot_list, whole(table), whole(arguments)});
  }
  return result;
}

Result<void> Crowd::State::make_dispatches(const Device& owner, const GpuCharacters::State& gpu,
                                           const BoundOutputs& out, const CrowdInputs& sources,
                                           std::uint32_t reduced_influences) {
  step_sets.reserve(plan.steps.size());  // dispatches refer to them
  const auto add = [&](const Result<const ComputeKernel*>& kernel,
                       std::initializer_list<VkDescriptorBufferInfo> bindings,
                       std::vector<std::byte> constants) -> Result<void> {
    if (!kernel) return tl::unexpected(kernel.error());
    PELT_ASSIGN(const auto set, descriptors.make_set(**kernel, std::span(bindings.begin(), bindings.size())));
    step_sets.push_back(set);
    dispatches.push_back({*kernel, std::span(&step_sets.back(), 1), std::move(constants)});
    return {};
  };
  for (const CrowdStep& step : plan.steps) {
    Result<void> added;
    switch (step.pass) {
      case CrowdPass::kPose: {
        const auto kernel = static_cast<std::size_t>(step.kernel);
        dispatches.push_back({&pipelines->pose[kernel], pose_sets[kernel], bytes_of(step.range)});
        break;
      }
      case CrowdPass::kBlend: {
        std::vector<std::uint32_t> specialization(shared::kSpecCount, shared::kFormatNone);
        if ((step.contents & shared::kHasOutputs) != 0) {
          specialization[shared::kSpecNormalsFormat] = out.normals.format;
          specialization[shared::kSpecTangentsFormat] = out.tangents.format;
          specialization[shared::kSpecPositionsFormat] = out.positions.format;
          specialization[shared::kSpecPreviousFormat] = out.previous_positions.format;
        }
        specialization[shared::kSpecContents] = step.contents;
        const shared::BlendConstants constants{.range = step.range,
                                               .reduced_influences = reduced_influences,
                                               .positions = out.positions.stream,
                                               .normals = out.normals.stream,
                                               .tangents = out.tangents.stream,
                                               .previous = out.previous_positions.stream};
        // The blend of skins writes neither frames nor vertices of drivers, so it does not bind them: the bounds read
        // the palette at the same time. The table, which nothing reads then, takes their binding.
        const bool drivers = (step.contents & shared::kHasDrivers) != 0;
        added = add(blend_kernel(owner, specialization),
                    {whole(work), bind(gpu.buffer, gpu.rest), sources.palette,
                     drivers ? sources.palette_and_drivers : whole(table), out.positions.range, out.normals.range,
                     out.tangents.range, out.previous_positions.range},
                    bytes_of(constants));
        break;
      }
      case CrowdPass::kBounds: {
        const shared::BoundsConstants constants{
            .range = step.range, .first_word = out.bounds.stream.first, .stride = out.bounds.stream.stride};
        added = add(&pipelines->bounds, {whole(work), bind(gpu.buffer, gpu.bounds), sources.palette, out.bounds.range},
                    bytes_of(constants));
        break;
      }
      case CrowdPass::kNormals: {
        const shared::NormalsConstants constants{.range = step.range,
                                                 .positions = out.positions.stream,
                                                 .normals = out.normals.stream,
                                                 .tangents = out.tangents.stream};
        added = add(normals_kernel(owner, {out.normals.format, out.tangents.format}),
                    {whole(work), bind(gpu.buffer, gpu.normal_rings), out.positions.range, out.normals.range,
                     out.tangents.range},
                    bytes_of(constants));
        break;
      }
    }
    if (!added) return added;
  }
  return {};
}

Crowd::Crowd(std::unique_ptr<State> state) : state_(std::move(state)) {}
Crowd::~Crowd() = default;
Crowd::Crowd(Crowd&&) noexcept = default;
Crowd& Crowd::operator=(Crowd&&) noexcept = default;

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
  CrowdPlan plan = place_crowd(gpu, instances, options.outputs.control_meshes);
  if (plan.instances == 0 || options.frames_in_flight == 0) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("a crowd of {} needs at least one {}", label,
                                                         plan.instances == 0 ? "instance" : "frame in flight"));
  }
  PELT_TRY(check_outputs(options.outputs));
  const VkDeviceSize alignment = device.limits().minStorageBufferOffsetAlignment;
  PELT_TRY(check_inputs(options, alignment));
  const bool recomputed_normals = options.outputs.normal_mode == NormalMode::kRecomputed;
  if (recomputed_normals && !gpu.has_normal_rings) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a crowd of {} recomputes normals, which characters need to be uploaded for "
                            "(UploadOptions::normal_rings)",
                            label));
  }
  const OutputLayout layout = lay_out(options.outputs, plan, alignment);
  const OutputPlaces& places = layout.places;
  const CrowdStream streams[] = {
      {"positions", plan.vertices * places.positions.stride},
      {"normals", plan.vertices * places.normals.stride},
      {"tangents", plan.vertices * places.tangents.stride},
      {"previous positions", plan.vertices * places.previous_positions.stride},
      {"palettes", plan.palette_entries * sizeof(Affine) + plan.driver_words * sizeof(float) + alignment},
      {"joint matrices", plan.joints * sizeof(glm::mat4)},
      {"inputs", plan.inputs * sizeof(float)},
      {"bounds", plan.instances * places.bounds.stride},
      {"lists", plan.instances * shared::kListKinds * sizeof(shared::ListEntry)}};
  PELT_TRY(check_ranges(streams, plan.instances, device, label));
  PELT_ASSIGN(const auto pipelines, skinning_pipelines(device));

  auto state = std::make_unique<State>();
  state->device = &device.internals();
  state->label = "crowd of " + label;
  state->pipelines = pipelines;
  state->slots = options.frames_in_flight;
  state->outputs = places;
  for (std::uint32_t c = 0; c < gpu.entries.size(); ++c) {
    state->characters.push_back(gpu.entries[c].character);
    state->character_of.insert(state->character_of.end(), instances[c], c);
  }
  state->upkeep.resize(plan.instances);

  VkDeviceSize palette_end = 0;
  const BufferRange palette = append_range(palette_end, plan.palette_entries * sizeof(Affine), alignment);
  const BufferRange drivers = append_range(palette_end, plan.driver_words * sizeof(float), alignment);
  plan.driver_base = static_cast<std::uint32_t>(drivers.offset / sizeof(float));
  plan_crowd(gpu, {.bounds = options.outputs.bounds, .recomputed_normals = recomputed_normals}, plan);
  VkDeviceSize given_end = 0;
  const VkDeviceSize given_bytes =
      instances.size() * sizeof(std::uint32_t) + plan.instances * sizeof(shared::ListEntry);
  for (std::uint32_t slot = 0; slot < state->slots; ++slot)
    state->given_slots.push_back(append_range(given_end, given_bytes, alignment));

  constexpr VkBufferUsageFlags kStorage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  constexpr VkBufferUsageFlags kRead = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  const struct {
    Buffer* buffer;
    VkDeviceSize size;
    VkBufferUsageFlags usage;
    MemoryUse memory;
    const char* name;
  } buffers[] = {
      {&state->vertices, layout.end, kStorage | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | kRead | options.outputs.usage,
       MemoryUse::kDeviceLocal, "vertices"},
      {&state->palette, palette_end, kStorage | kRead, MemoryUse::kDeviceLocal, "palettes"},
      {&state->work, plan.work_pairs * 8, kStorage, MemoryUse::kDeviceLocal, "work"},
      {&state->arguments, plan.steps.size() * sizeof(VkDispatchIndirectCommand),
       kStorage | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, MemoryUse::kDeviceLocal, "dispatches"},
      {&state->table, plan.table.size() * sizeof(std::uint32_t), kStorage, MemoryUse::kStream, "plan"},
      {&state->given, given_end, kStorage, MemoryUse::kStream, "lists"},
  };
  for (const auto& [buffer, size, usage, memory, name] : buffers) {
    PELT_ASSIGN(*buffer, make_buffer(device, size, usage, memory, fmt::format("{} of the {}", name, state->label)));
  }
  std::memcpy(state->table.mapped(), plan.table.data(), plan.table.size() * sizeof(std::uint32_t));
  state->table.flush(0, state->table.size());
  for (OutputPlace* place : {&state->outputs.positions, &state->outputs.normals, &state->outputs.tangents,
                             &state->outputs.previous_positions, &state->outputs.bounds}) {
    if (place->format != VertexFormat::kNone && place->buffer == VK_NULL_HANDLE)
      place->buffer = state->vertices.handle();
  }

  state->own_joints = options.joints.buffer == VK_NULL_HANDLE;
  state->own_inputs = options.inputs.buffer == VK_NULL_HANDLE;
  state->own_list = options.visible.buffer == VK_NULL_HANDLE;
  PELT_TRY(state->make_rings(device));

  const BoundOutputs outputs = bind_outputs(state->outputs, plan, state->table.handle(), alignment);
  const CrowdInputs sources{
      .palette = bind(state->palette, palette),
      .drivers = bind(state->palette, drivers),
      .palette_and_drivers = {state->palette.handle(), 0, palette_end},
      .joints = {options.joints.buffer, options.joints.offset,
                 std::max<VkDeviceSize>(plan.joints * sizeof(glm::mat4), 4)},
      .inputs = {options.inputs.buffer, options.inputs.offset, std::max<VkDeviceSize>(plan.inputs * sizeof(float), 4)},
      .visible = {options.visible.buffer, options.visible.offset, given_bytes}};
  state->plan_constants = {.work_pairs = plan.job_pairs,
                           .character_count = plan.character_count,
                           .job_count = plan.job_count,
                           .step_count = static_cast<std::uint32_t>(plan.steps.size()),
                           .first_count = plan.first_count,
                           .first_start = plan.first_start,
                           .most_workgroups = device.limits().maxComputeWorkGroupCount[0]};
  state->names.push_back("plan");
  for (const CrowdStep& step : plan.steps) state->names.push_back(step.name);
  state->plan = std::move(plan);
  PELT_TRY(state->make_sets(device, gpu, sources));
  // A row has at most kWeightUnits influences: each weighs at least one unit.
  const std::uint32_t reduced = std::clamp(options.reduced_influences, 1u, shared::kWeightUnits);
  if (const Result<void> made = state->make_dispatches(device, gpu, outputs, sources, reduced); !made) {
    return tl::unexpected(made.error());
  }
  return Crowd(std::move(state));
}

void Crowd::pose(std::uint32_t instance, std::span<const glm::mat4> joints) {
  assert(instance < instance_count() && state_->own_joints);
  assert(joints.size() == state_->data_of(instance).skeleton.joints.size());
  state_->joints.set(state_->slot, instance, 0, as_floats(joints));
}

void Crowd::inputs(std::uint32_t instance, std::span<const float> values) {
  assert(instance < instance_count() && state_->own_inputs);
  assert(values.size() == state_->data_of(instance).input_count);
  state_->inputs.set(state_->slot, instance, 0, values);
}

void Crowd::stream(std::uint32_t instance, std::uint32_t stream, std::span<const glm::vec3> positions) {
  assert(instance < instance_count() && state_->own_inputs);
  const CharacterData& data = state_->data_of(instance);
  assert(positions.size() == data.meshes[data.streams[stream].mesh].vertex_count());
  state_->inputs.set(state_->slot, instance, data.streams[stream].first_input, as_floats(positions));
}

void Crowd::control(std::uint32_t instance, std::uint32_t control, float value) {
  assert(instance < instance_count() && state_->own_inputs);
  state_->inputs.set(state_->slot, instance, state_->data_of(instance).controls[control].input, std::span(&value, 1));
}

void Crowd::show(std::uint32_t instance, bool visible) {
  assert(instance < instance_count() && state_->own_list);
  Upkeep& own = state_->upkeep[instance];
  if (visible && !own.visible) {
    own.moved_before = false;
    own.teleport = true;
  }
  own.visible = visible;
}

void Crowd::update_every(std::uint32_t instance, std::uint32_t frames) {
  assert(instance < instance_count() && state_->own_list);
  state_->upkeep[instance].period = frames;
}

void Crowd::teleport(std::uint32_t instance) {
  assert(instance < instance_count() && state_->own_list);
  state_->upkeep[instance].teleport = true;
}

void Crowd::detail(std::uint32_t instance, Detail detail, std::uint32_t fade_frames) {
  assert(instance < instance_count() && state_->own_list);
  Upkeep& own = state_->upkeep[instance];
  if (own.to == detail) return;
  // Reversing a fade continues from its present share; a fade that has not begun counts as finished.
  std::uint32_t faded = 0;
  if (own.from == detail) {
    const std::uint64_t steps = std::uint64_t{fade_frames} + 1;
    faded = own.faded == 0 ? fade_frames
                           : static_cast<std::uint32_t>((own.fade_steps() - own.faded) * steps / own.fade_steps());
  }
  own.from = own.to;
  own.to = detail;
  own.fade_frames = fade_frames;
  own.faded = faded;
}

void Crowd::record(VkCommandBuffer commands, GpuTimer* timer) {
  State& state = *state_;
  const DeviceFunctions& functions = state.device->functions;
  if (state.own_joints) state.joints.finish(state.slot);
  if (state.own_inputs) state.inputs.finish(state.slot);
  if (state.own_list) state.write_list();

  const CommandLabel label(functions, commands, state.label.c_str());
  constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  constexpr VkPipelineStageFlags2 kIndirect = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
  constexpr VkAccessFlags2 kBoth = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  // The frame before has read the plan and the palettes that this one overwrites.
  memory_barrier(functions, commands, kCompute | kIndirect, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, kCompute, kBoth);
  {
    const CommandLabel plan_label(functions, commands, "plan");
    state.pipelines->plan.dispatch(commands, state.plan_sets[state.slot],
                                   std::as_bytes(std::span(&state.plan_constants, 1)), 1);
  }
  if (timer != nullptr) timer->stamp(commands);
  for (std::size_t s = 0; s < state.plan.steps.size(); ++s) {
    const CrowdStep& step = state.plan.steps[s];
    // Waits for the step before, which wrote what this one reads.
    if (step.barrier_before) {
      memory_barrier(functions, commands, kCompute, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, kCompute | kIndirect,
                     kBoth | VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
    }
    const CommandLabel step_label(functions, commands, step.name.c_str());
    const Dispatch& dispatch = state.dispatches[s];
    dispatch.kernel->dispatch_indirect(commands, dispatch.set(state.slot), dispatch.constants, state.arguments.handle(),
                                       s * sizeof(VkDispatchIndirectCommand));
    if (timer != nullptr) timer->stamp(commands);
  }
  ++state.frame;
  state.slot = (state.slot + 1) % state.slots;
}

namespace {

// Stage and access of the last writes to outputs.
constexpr VkPipelineStageFlags2 kWritingStage = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
constexpr VkAccessFlags2 kWritingAccess = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;

// The buffers that hold outputs, each once; on the stack.
struct OutputBuffers {
  std::array<VkBuffer, 5> handles{};
  std::uint32_t count = 0;

  explicit OutputBuffers(const OutputPlaces& outputs) {
    for (const OutputPlace* place :
         {&outputs.positions, &outputs.normals, &outputs.tangents, &outputs.previous_positions, &outputs.bounds}) {
      const auto end = handles.begin() + count;
      if (place->format != VertexFormat::kNone && std::find(handles.begin(), end, place->buffer) == end)
        handles[count++] = place->buffer;
    }
  }
};

void transfer_ownership(const DeviceFunctions& functions, VkCommandBuffer commands, const OutputPlaces& outputs,
                        VkBufferMemoryBarrier2 barrier) {
  const OutputBuffers buffers(outputs);
  std::array<VkBufferMemoryBarrier2, 5> barriers{};
  barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2;
  barrier.size = VK_WHOLE_SIZE;
  for (std::uint32_t i = 0; i < buffers.count; ++i) {
    barriers[i] = barrier;
    barriers[i].buffer = buffers.handles[i];
  }
  const VkDependencyInfo info{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                              .bufferMemoryBarrierCount = buffers.count,
                              .pBufferMemoryBarriers = barriers.data()};
  functions.vkCmdPipelineBarrier2(commands, &info);
}

}  // namespace

void Crowd::record_release(VkCommandBuffer commands, std::uint32_t compute_family, std::uint32_t reading_family) const {
  if (compute_family == reading_family) return;
  transfer_ownership(state_->device->functions, commands, state_->outputs,
                     {.srcStageMask = kWritingStage,
                      .srcAccessMask = kWritingAccess,
                      .srcQueueFamilyIndex = compute_family,
                      .dstQueueFamilyIndex = reading_family});
}

void Crowd::record_acquire(VkCommandBuffer commands, std::uint32_t compute_family, std::uint32_t reading_family,
                           VkPipelineStageFlags2 reading_stages, VkAccessFlags2 reading_access) const {
  const bool one_family = compute_family == reading_family;
  transfer_ownership(state_->device->functions, commands, state_->outputs,
                     {.srcStageMask = one_family ? kWritingStage : VK_PIPELINE_STAGE_2_NONE,
                      .srcAccessMask = one_family ? kWritingAccess : VK_ACCESS_2_NONE,
                      .dstStageMask = reading_stages,
                      .dstAccessMask = reading_access,
                      .srcQueueFamilyIndex = compute_family,
                      .dstQueueFamilyIndex = reading_family});
}

// Reads need no availability operation: the source access stays 0.
void Crowd::record_release_back(VkCommandBuffer commands, std::uint32_t compute_family, std::uint32_t reading_family,
                                VkPipelineStageFlags2 reading_stages) const {
  transfer_ownership(state_->device->functions, commands, state_->outputs,
                     {.srcStageMask = reading_stages,
                      .dstStageMask = compute_family == reading_family ? kWritingStage : VK_PIPELINE_STAGE_2_NONE,
                      .srcQueueFamilyIndex = reading_family,
                      .dstQueueFamilyIndex = compute_family});
}

void Crowd::record_acquire_back(VkCommandBuffer commands, std::uint32_t compute_family,
                                std::uint32_t reading_family) const {
  if (compute_family == reading_family) return;
  transfer_ownership(state_->device->functions, commands, state_->outputs,
                     {.dstStageMask = kWritingStage,
                      .dstAccessMask = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | kWritingAccess,
                      .srcQueueFamilyIndex = reading_family,
                      .dstQueueFamilyIndex = compute_family});
}

std::span<const std::string> Crowd::passes() const { return state_->names; }

std::uint32_t Crowd::barrier_count() const {
  const auto& steps = state_->plan.steps;
  return 1 + static_cast<std::uint32_t>(
                 std::count_if(steps.begin(), steps.end(), [](const CrowdStep& step) { return step.barrier_before; }));
}

std::uint32_t Crowd::instance_count() const { return static_cast<std::uint32_t>(state_->plan.instances); }
std::uint32_t Crowd::first_instance(std::uint32_t character) const {
  return state_->plan.characters[character].first_instance;
}
std::uint32_t Crowd::character_of(std::uint32_t instance) const { return state_->character_of[instance]; }
const OutputPlaces& Crowd::outputs() const { return state_->outputs; }

VkDeviceAddress Crowd::device_address(const OutputPlace& place) const {
  const VkBufferDeviceAddressInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = place.buffer};
  return state_->device->functions.vkGetBufferDeviceAddress(state_->device->handle, &info) + place.offset;
}

std::uint32_t Crowd::first_vertex(std::uint32_t instance) const {
  const CrowdCharacter& own = state_->plan.characters[state_->character_of[instance]];
  return own.first_vertex + (instance - own.first_instance) * own.vertices;
}
std::uint32_t Crowd::vertex_count(std::uint32_t instance) const {
  return state_->plan.characters[state_->character_of[instance]].vertices;
}
std::optional<std::uint32_t> Crowd::mesh_vertex(std::uint32_t character, std::uint32_t mesh) const {
  return state_->plan.characters[character].mesh_vertex[mesh];
}

VkBuffer Crowd::palette_buffer() const { return state_->palette.handle(); }
std::uint64_t Crowd::first_palette_entry(std::uint32_t instance) const {
  const std::uint32_t character = state_->character_of[instance];
  const CrowdCharacter& own = state_->plan.characters[character];
  return own.first_palette +
         std::uint64_t{instance - own.first_instance} * (*state_->characters[character]).palette_size;
}

}  // namespace pelt::runtime
