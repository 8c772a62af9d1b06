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
#include "runtime/crowd_outputs.h"
#include "runtime/crowd_state.h"
#include "runtime/device_internals.h"
#include "runtime/plan/crowd_plan.h"

namespace pelt::runtime {
namespace {

constexpr VkBufferUsageFlags kStorage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
constexpr VkBufferUsageFlags kRead = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;

// The words of a character in the table of a plan.
constexpr std::uint64_t kCharacterWords = sizeof(shared::PlanCharacter) / sizeof(std::uint32_t);

PlannedOutputs planned_outputs(const CrowdOutputs& outputs) {
  return {.bounds = outputs.bounds,
          .anchors = outputs.anchors.format != VertexFormat::kNone,
          .control_meshes = outputs.control_meshes,
          .tension = outputs.tension.format != VertexFormat::kNone};
}

// Checks the parts of buffers that the caller supplies.
Result<void> check_inputs(const CrowdOptions& options, const CrowdCapacity& capacity, VkDeviceSize alignment) {
  for (const auto& [buffer, name, where] : kCallersBuffers) {
    const BufferLocation& place = options.*where;
    if (place.buffer == VK_NULL_HANDLE) continue;
    if (place.offset % alignment != 0) {
      return invalid("a crowd's {} are at offset {}, which is not a multiple of {} (minStorageBufferOffsetAlignment)",
                     name, place.offset, alignment);
    }
    PELT_TRY(check_size(place, bytes_of(buffer, capacity), name));
  }
  return {};
}

// Checks everything that does not depend on the sizes of the outputs.
Result<void> check_options(const CrowdCapacity& capacity, const CrowdOptions& options, const Device& device,
                           const std::string& label) {
  if (capacity.instances == 0 || options.frames_in_flight == 0) {
    return invalid("a crowd of {} needs at least one {}", label,
                   capacity.instances == 0 ? "instance" : "frame in flight");
  }
  if (const std::uint64_t amount = largest_amount(capacity); amount >> 48 != 0) {  // else its bytes fit in 64 bits
    return invalid("a crowd of {} cannot have a capacity of {}", label, amount);
  }
  PELT_TRY(check_outputs(options.outputs));
  PELT_TRY(check_inputs(options, capacity, device.limits().minStorageBufferOffsetAlignment));
  return {};
}

// Checks that the device can bind every stream as one range; totals then fit in 32 bits.
Result<void> check_capacity(const CrowdCapacity& capacity, const OutputLayout& layout, bool has_plan_table,
                            const Device& device, const std::string& label) {
  const VkDeviceSize alignment = device.limits().minStorageBufferOffsetAlignment;
  std::pair<std::uint64_t, const char*> largest;  // bytes, name
  const auto add = [&](std::uint64_t bytes, const char* name) {
    if (bytes > largest.first) largest = {bytes, name};
  };
  add(bytes_of(FrameBuffer::kPalettesAndDrivers, capacity), "palettes");
  add(bytes_of(FrameBuffer::kJoints, capacity), "joint matrices");
  add(bytes_of(FrameBuffer::kInputs, capacity), "inputs");
  add(bytes_of(FrameBuffer::kList, capacity), "lists");
  add(bytes_of(FrameBuffer::kWork, capacity), "jobs, starts and lists");
  for (const OutputLocations& places : layout.slots) {
    const BoundOutputs bound = bind_outputs(places, capacity, VK_NULL_HANDLE, alignment);
    for (std::size_t o = 0; o < kMaxOutputs; ++o) add(bound.ranges[o].range, kOutputAttributes[o].name);
  }
  const std::uint64_t most = device.limits().maxStorageBufferRange;
  for (const FrameBuffer buffer : {FrameBuffer::kPlanTable, FrameBuffer::kArguments}) {
    if (!has_plan_table || bytes_of(buffer, capacity) <= most) continue;
    return fail(ErrorCode::kUnsupported,
                formatted("a crowd of {} cannot have a capacity of {} table words: {} binds at most {} bytes at once",
                          label, capacity.table_words, device.description().name, most));
  }
  if (largest.first <= most) return {};
  // Exact for a single character; an estimate if characters differ.
  const auto fit = static_cast<std::uint64_t>(static_cast<double>(capacity.instances) * static_cast<double>(most) /
                                              static_cast<double>(largest.first));
  return fail(ErrorCode::kUnsupported,
              formatted("{} instances of {} do not fit: {} binds at most {} bytes at once, enough for the {} of {}",
                        capacity.instances, label, device.description().name, most, largest.second, fit));
}

}  // namespace

Result<const ComputeKernel*> pipeline_of(const Device& device, const Kernel& kernel) {
  DeviceInternals& internals = device.internals();
  std::pair key{kernel.spirv.data(), kernel.specialization};
  const auto known = [&]() -> const ComputeKernel* {
    const std::lock_guard lock(internals.pipelines_mutex);
    const auto found = internals.pipelines.find(key);
    return found == internals.pipelines.end() ? nullptr : &found->second;
  };
  if (const ComputeKernel* found = known()) return found;
  // Separate from the lock of the map, so that lookups of existing pipelines do not wait for new ones.
  const std::lock_guard making(internals.making_mutex);
  if (const ComputeKernel* found = known()) return found;
  PELT_ASSIGN(auto made, ComputeKernel::create(
                             device, {.spirv = kernel.spirv,
                                      .storage_buffers = static_cast<std::uint32_t>(bindings_of(kernel.kind).size()),
                                      .push_constant_bytes = kernel.constant_bytes,
                                      .specialization = kernel.specialization,
                                      .name = kernel.name}));
  const std::lock_guard lock(internals.pipelines_mutex);
  return &internals.pipelines.emplace(std::move(key), std::move(made)).first->second;
}

CrowdCapacity capacity_of(const Character& character, std::uint32_t instances, const CrowdOutputs& outputs) {
  return capacity_of(character, instances, planned_outputs(outputs));
}

// Makes the buffers that the host writes.
Result<void> Crowd::Vulkan::make_copies(const Device& owner, const Options& planned) {
  const struct {
    FrameBuffer buffer;
    bool needed;
    const char* name;
  } all[] = {{FrameBuffer::kWork, true, "work"},
             {FrameBuffer::kPlanTable, planned.has_plan_table(), "plan"},
             {FrameBuffer::kJoints, planned.host_joints, "joint matrices"},
             {FrameBuffer::kInputs, planned.host_inputs, "inputs"}};
  // A flush of one copy is rounded to nonCoherentAtomSize, and must not touch another copy that the device may write.
  const VkDeviceSize apart =
      std::max(owner.limits().minStorageBufferOffsetAlignment, owner.limits().nonCoherentAtomSize);
  for (const auto& [buffer, needed, name] : all) {
    if (!needed) continue;
    Copies& made = copies[buffer];
    VkDeviceSize end = 0;
    for (std::uint32_t c = 0; c < frames_in_flight; ++c)
      made.ranges.push_back(append_range(end, bytes_of(buffer, capacity), apart));
    PELT_ASSIGN(made.buffer, Buffer::create(owner, {.size = end,
                                                    .usage = kStorage | (buffer == FrameBuffer::kWork ? kRead : 0),
                                                    .memory = MemoryUse::kStream,
                                                    .name = formatted("{} of the {}", name, label)}));
  }
  return {};
}

// `vertex_bytes`: size of the outputs in the crowd's own buffer.
Result<void> Crowd::Vulkan::make_buffers(const Device& owner, VkDeviceSize vertex_bytes, const CrowdOptions& wanted,
                                         const Options& planned) {
  const VkDeviceSize alignment = owner.limits().minStorageBufferOffsetAlignment;
  VkDeviceSize memory_end = 0;
  const auto memory_range = [&](bool host_makes_list) {
    if (host_makes_list) return BufferRange{};
    return append_range(memory_end, bytes_of(FrameBuffer::kMemory, capacity), alignment);
  };
  const BufferRange list_memory = memory_range(planned.host_list);
  const BufferRange drawn_memory = memory_range(planned.host_drawn);

  const struct {
    Buffer* buffer;
    VkDeviceSize size;
    VkBufferUsageFlags usage;
    const char* name;
  } buffers[] = {
      {&vertices, vertex_bytes, kStorage | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | kRead | wanted.outputs.usage,
       "vertices"},
      {&palette, bytes_of(FrameBuffer::kPalettesAndDrivers, capacity),
       kStorage | kRead | VK_BUFFER_USAGE_TRANSFER_DST_BIT, "palettes"},
      {&arguments, planned.has_plan_table() ? bytes_of(FrameBuffer::kArguments, capacity) : 0,
       kStorage | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, "dispatches"},
      {&memory, memory_end, kStorage | VK_BUFFER_USAGE_TRANSFER_DST_BIT, "memory of plans"},
      {&nothing, 16, kStorage, "nothing"},
  };
  for (const auto& [buffer, size, usage, name] : buffers) {
    if (size == 0) continue;
    PELT_ASSIGN(*buffer,
                Buffer::create(owner, {.size = size, .usage = usage, .name = formatted("{} of the {}", name, label)}));
  }
  PELT_TRY(make_copies(owner, planned));
  for (OutputLocations& outputs_of_slot : outputs) {
    outputs_of_slot.palettes = palette.handle();
    for (const OutputAttribute& attribute : kOutputAttributes) {
      OutputLocation& place = outputs_of_slot.*attribute.place;
      if (place.format != VertexFormat::kNone && place.buffer == VK_NULL_HANDLE) place.buffer = vertices.handle();
    }
    bound_outputs.push_back(bind_outputs(outputs_of_slot, capacity, nothing.handle(), alignment));
    output_ranges.push_back(runtime::output_ranges(outputs_of_slot, capacity));
  }
  const std::size_t count = outputs.size();
  reads_previous = count > 1 && wanted.outputs.previous_positions.format != VertexFormat::kNone;
  for (std::size_t s = 0; s < count && reads_previous; ++s)
    outputs[s].previous_positions = outputs[(s + count - 1) % count].positions;
  ranges[FrameBuffer::kNothing] = nothing.whole();
  const std::uint64_t palette_bytes = bytes_of(FrameBuffer::kPalettes, capacity);
  ranges[FrameBuffer::kPalettes] = palette.part({0, palette_bytes});
  ranges[FrameBuffer::kDrivers] = palette.part({palette_bytes, palette.size() - palette_bytes});
  ranges[FrameBuffer::kPalettesAndDrivers] = palette.whole();
  ranges[FrameBuffer::kArguments] = arguments.whole();
  ranges[FrameBuffer::kMemory] = memory.part(list_memory);
  ranges[FrameBuffer::kDrawnMemory] = memory.part(drawn_memory);
  for (const auto& [buffer, name, where] : kCallersBuffers) {
    const BufferLocation& place = wanted.*where;
    ranges[buffer] = {place.buffer, place.offset, std::max<VkDeviceSize>(bytes_of(buffer, capacity), 4)};
  }
  return {};
}

Result<const KernelSets*> Crowd::Vulkan::sets_of(const Device& owner, const FrameDispatch& dispatch,
                                                 const ComputeKernel& kernel, SetsOfKernels& made) const {
  const std::pair key{dispatch.kernel.kind, dispatch.bind_buffer};
  if (const auto known = sets.find(key); known != sets.end()) return &known->second;
  if (const auto known = made.find(key); known != made.end()) return &known->second;
  const std::size_t groups = writes_outputs(dispatch.kernel.kind) ? outputs.size() : 1;
  const auto count = static_cast<std::uint32_t>(groups * frames_in_flight);
  const auto bindings = static_cast<std::uint32_t>(dispatch.bindings.size());
  KernelSets one;
  PELT_ASSIGN(one.pool, DescriptorPool::create(owner, count, count * bindings, label));
  for (std::uint32_t i = 0; i < count; ++i) {
    std::vector<VkDescriptorBufferInfo> bound;
    for (const Binding& binding : dispatch.bindings) {
      bound.push_back(binding.buffer == FrameBuffer::kBindData
                          ? bind_data[dispatch.bind_buffer]
                          : range_of(binding.buffer, i / frames_in_flight, i % frames_in_flight));
    }
    PELT_ASSIGN(one.sets.emplace_back(), one.pool.make_set(kernel, bound));
  }
  return &made.emplace(key, std::move(one)).first->second;
}

Crowd::Vulkan::~Vulkan() {
  for (std::uint32_t c = 0; c < used.size(); ++c) {
    if (used[c]) gpu->give_back(c);
  }
}

// Plans for the characters with these numbers, which are in use.
Result<void> Crowd::use_numbers(const Device& device, const std::vector<bool>& wanted,
                                const std::optional<Exchange>& exchange) {
  Characters placed(wanted.size());
  std::unique_lock lock(vulkan_->gpu->mutex);
  for (std::uint32_t c = 0; c < wanted.size(); ++c) {
    if (wanted[c]) placed[c] = *vulkan_->gpu->entries[c];
  }
  for (std::size_t b = vulkan_->bind_data.size(); b < vulkan_->gpu->buffers.size(); ++b)
    vulkan_->bind_data.push_back(vulkan_->gpu->buffers[b].buffer.whole());
  lock.unlock();
  std::vector<PreparedDispatch> prepared;
  SetsOfKernels sets;
  PELT_TRY(use_characters(
      placed,
      [&](std::span<const FrameDispatch> dispatches) -> Result<void> {
        for (const FrameDispatch& dispatch : dispatches) {
          PreparedDispatch& made = prepared.emplace_back();
          PELT_ASSIGN(made.pipeline, pipeline_of(device, dispatch.kernel));
          PELT_ASSIGN(made.sets, vulkan_->sets_of(device, dispatch, *made.pipeline, sets));
        }
        return {};
      },
      exchange));
  vulkan_->prepared = std::move(prepared);
  vulkan_->sets.merge(sets);
  return {};
}

// Adds a character, which gets the instances of one that it replaces; changes nothing on failure.
Result<void> Crowd::change(const Device& device, std::uint32_t added, std::optional<std::uint32_t> replaced) {
  PELT_TRY(need_whole("change its characters"));
  std::vector<bool>& used = vulkan_->used;
  std::vector<bool> wanted = used;
  if (wanted.size() <= added) wanted.resize(added + 1);
  const auto give_back = [&](GpuCharacters::State* gpu) { gpu->give_back(added); };
  std::unique_ptr<GpuCharacters::State, decltype(give_back)> if_it_fails(nullptr, give_back);
  if (!wanted[added]) {
    const std::lock_guard lock(vulkan_->gpu->mutex);
    if (!vulkan_->gpu->use(added)) {
      return invalid("the {} cannot add character {}, which does not exist", vulkan_->label, added);
    }
    if_it_fails.reset(vulkan_->gpu);
  }
  wanted[added] = true;
  std::optional<Exchange> exchange;
  if (replaced) {
    wanted[*replaced] = false;
    exchange = {*replaced, added};
  }
  PELT_TRY(use_numbers(device, wanted, exchange));
  used = std::move(wanted);
  static_cast<void>(if_it_fails.release());
  if (replaced) vulkan_->gpu->give_back(*replaced);
  return {};
}

Result<void> Crowd::add(const Device& device, std::uint32_t character) {
  if (member(character) != nullptr) return {};
  return guard_memory([&] { return change(device, character, std::nullopt); });
}

Result<void> Crowd::replace(const Device& device, std::uint32_t character, std::uint32_t with) {
  return guard_memory([&]() -> Result<void> {
    if (member(character) == nullptr) return invalid("the {} has no character {}", vulkan_->label, character);
    if (character == with) return invalid("the {} cannot replace character {} by itself", vulkan_->label, character);
    return change(device, with, character);
  });
}

Result<void> Crowd::remove(std::uint32_t character) {
  PELT_TRY(remove_member(character));
  vulkan_->used[character] = false;
  vulkan_->gpu->give_back(character);
  return {};
}

Result<void> Crowd::prepare(const Device& device, std::span<const Character> characters) const {
  return guard_memory([&] {
    return plan_ahead(characters, [&](std::span<const FrameDispatch> dispatches) -> Result<void> {
      for (const FrameDispatch& dispatch : dispatches) PELT_TRY(pipeline_of(device, dispatch.kernel));
      return {};
    });
  });
}

Result<Crowd> Crowd::make(const Device& device, const GpuCharacters& characters, const CrowdOptions& options) {
  GpuCharacters::State& gpu = characters.state();
  auto vulkan = std::make_unique<Vulkan>();
  vulkan->gpu = &gpu;
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
  CrowdCapacity capacity;
  vulkan->used.reserve(instances.size());
  for (std::uint32_t c = 0; c < instances.size(); ++c) {
    const std::optional<Character> used = gpu.use(c);
    vulkan->used.push_back(used.has_value());
    if (!used && instances[c] > 0) {
      return invalid("a crowd of {} cannot have instances of character {}, which was removed", label, c);
    }
    if (used) {
      capacity += capacity_of(*used, instances[c], options.outputs);
    } else {
      capacity.table_words += kCharacterWords;  // removed characters keep a table entry
    }
  }
  // So do those that are not in the crowd yet, and one that another one replaced.
  capacity.table_words += kCharacterWords * (gpu.entries.size() - instances.size() + 1);
  lock.unlock();
  capacity = larger(capacity, options.capacity);
  PELT_TRY(check_options(capacity, options, device, label));
  if (planned_outputs(options.outputs).tension && !gpu.options.tension)
    return invalid("a crowd of {} cannot write tension: the characters were uploaded without UploadOptions::tension",
                   label);
  Options planned{.label = "crowd of " + label,
                  .capacity = capacity,
                  .frames_in_flight = options.frames_in_flight,
                  .outputs = planned_outputs(options.outputs),
                  .host_joints = options.joints.buffer == VK_NULL_HANDLE,
                  .host_inputs = options.inputs.buffer == VK_NULL_HANDLE,
                  .host_list = options.list.buffer == VK_NULL_HANDLE,
                  .host_drawn = options.drawn.buffer == VK_NULL_HANDLE,
                  .most_workgroups = device.limits().maxComputeWorkGroupCount[0]};
  const OutputLayout layout = lay_out(options.outputs, capacity, device.limits().minStorageBufferOffsetAlignment);
  PELT_TRY(check_capacity(capacity, layout, planned.has_plan_table(), device, label));
  PELT_TRY(check_sizes(options.outputs, layout, capacity));

  vulkan->device = &device.internals();
  vulkan->label = planned.label;
  vulkan->capacity = capacity;
  vulkan->frames_in_flight = options.frames_in_flight;
  vulkan->outputs = layout.slots;
  PELT_TRY(vulkan->make_buffers(device, layout.end, options, planned));
  for (const BoundOutputs& bound : vulkan->bound_outputs) planned.streams.push_back(bound.streams);
  std::vector<HostMemory> memory(options.frames_in_flight);
  for (std::uint32_t c = 0; c < memory.size(); ++c) {
    const auto mapped = [&](FrameBuffer buffer) {
      const auto found = vulkan->copies.find(buffer);
      return found == vulkan->copies.end() ? nullptr : found->second.buffer.mapped() + found->second.ranges[c].offset;
    };
    memory[c] = {mapped(FrameBuffer::kWork), mapped(FrameBuffer::kPlanTable), mapped(FrameBuffer::kJoints),
                 mapped(FrameBuffer::kInputs)};
  }
  Crowd crowd(std::move(planned), std::move(vulkan));
  crowd.use_memory(memory);
  PELT_TRY(crowd.use_numbers(device, crowd.vulkan_->used, std::nullopt));
  for (std::uint32_t c = 0; c < instances.size(); ++c) {
    for (std::uint32_t i = 0; i < instances[c]; ++i) PELT_TRY(crowd.acquire(c));
  }
  return crowd;
}

Result<Crowd> Crowd::create(const Device& device, const GpuCharacters& characters, const CrowdOptions& options) {
  return guard_memory([&] { return make(device, characters, options); });
}

Crowd::Crowd(Options options, std::unique_ptr<Vulkan> vulkan)
    : CrowdPlanner(std::move(options)), vulkan_(std::move(vulkan)) {}
Crowd::~Crowd() = default;
Crowd::Crowd(Crowd&&) noexcept = default;
Crowd& Crowd::operator=(Crowd&&) noexcept = default;

}  // namespace pelt::runtime
