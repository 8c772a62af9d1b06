// SPDX-License-Identifier: MIT
// Makes a crowd: checks the options, then makes buffers, descriptor sets and dispatches.

#include <algorithm>
#include <cstring>
#include <utility>

#include <pelt/frame.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/invalid.h"
#include "runtime/crowd_outputs.h"
#include "runtime/crowd_state.h"
#include "runtime/device_internals.h"
#include "runtime/plan/crowd_plan.h"
#include "shaders/blend/blend.h"
#include "shaders/pose_pass.h"

namespace pelt::runtime {
namespace {

PlannedOutputs planned_outputs(const CrowdOutputs& outputs) {
  return {.bounds = outputs.bounds,
          .recomputed_normals = outputs.normal_mode == NormalMode::kRecomputed,
          .control_meshes = outputs.control_meshes};
}

// Checks the parts of buffers that the caller supplies.
Result<void> check_inputs(const CrowdOptions& options, const CrowdCapacity& capacity, VkDeviceSize alignment) {
  const struct {
    const BufferLocation& place;
    FrameBuffer buffer;
    const char* name;
  } locations[] = {{options.joints, FrameBuffer::kJoints, "joint matrices"},
                   {options.inputs, FrameBuffer::kInputs, "inputs"},
                   {options.list, FrameBuffer::kList, "list"},
                   {options.drawn, FrameBuffer::kDrawnList, "drawn list"}};
  for (const auto& [place, buffer, name] : locations) {
    if (place.buffer == VK_NULL_HANDLE) continue;
    if (place.offset % alignment != 0) {
      return invalid("a crowd's {} are at offset {}, which is not a multiple of {} (minStorageBufferOffsetAlignment)",
                     name, place.offset, alignment);
    }
    PELT_TRY(check_size(place, bytes_of(buffer, capacity), name));
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
  made.palettes = append_range(made.end, bytes_of(FrameBuffer::kPalettes, capacity), alignment);
  made.drivers = append_range(made.end, bytes_of(FrameBuffer::kDrivers, capacity), alignment);
  return made;
}

// Checks everything that does not depend on the sizes of the outputs.
Result<void> check_options(const GpuCharacters::State& gpu, const CrowdCapacity& capacity, const CrowdOptions& options,
                           const Device& device, const std::string& label) {
  if (capacity.instances == 0 || options.frames_in_flight == 0) {
    return invalid("a crowd of {} needs at least one {}", label,
                   capacity.instances == 0 ? "instance" : "frame in flight");
  }
  if (const std::uint64_t amount = largest_amount(capacity); amount >> 48 != 0) {  // else its bytes fit in 64 bits
    return invalid("a crowd of {} cannot have a capacity of {}", label, amount);
  }
  PELT_TRY(check_outputs(options.outputs));
  PELT_TRY(check_inputs(options, capacity, device.limits().minStorageBufferOffsetAlignment));
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
                                   {"joint matrices", bytes_of(FrameBuffer::kJoints, capacity)},
                                   {"inputs", bytes_of(FrameBuffer::kInputs, capacity)},
                                   {"lists", bytes_of(FrameBuffer::kList, capacity)},
                                   {"jobs, starts and lists", bytes_of(FrameBuffer::kWork, capacity)}};
  for (const OutputLocations& places : layout.slots) {
    const BoundOutputs bound = bind_outputs(places, capacity, VK_NULL_HANDLE, alignment);
    for (std::size_t o = 0; o < kMaxOutputs; ++o) streams.push_back({kOutputAttributes[o].name, bound.ranges[o].range});
  }
  return check_streams(streams, capacity.instances, device, label);
}

}  // namespace

CrowdCapacity capacity_of(const Character& character, std::uint32_t instances, const CrowdOutputs& outputs) {
  return capacity_of(character, instances, planned_outputs(outputs));
}

// `vertex_bytes`: size of the outputs in the crowd's own buffer.
Result<void> Crowd::Vulkan::make_buffers(const Device& owner, VkDeviceSize vertex_bytes, const CrowdOptions& wanted) {
  const VkDeviceSize alignment = owner.limits().minStorageBufferOffsetAlignment;
  const bool has_table = wanted.list.buffer != VK_NULL_HANDLE || wanted.drawn.buffer != VK_NULL_HANDLE;
  const PaletteRanges parts = palette_ranges(capacity, alignment);
  VkDeviceSize memory_end = 0;
  const auto memory_range = [&](const BufferLocation& list) {
    if (list.buffer == VK_NULL_HANDLE) return BufferRange{};
    return append_range(memory_end, bytes_of(FrameBuffer::kMemory, capacity), alignment);
  };
  const BufferRange list_memory = memory_range(wanted.list);
  const BufferRange drawn_memory = memory_range(wanted.drawn);

  constexpr VkBufferUsageFlags kStorage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  constexpr VkBufferUsageFlags kRead = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  const struct {
    Buffer* buffer;
    VkDeviceSize size;
    VkBufferUsageFlags usage;
    MemoryUse kind;
    const char* name;
  } buffers[] = {
      {&vertices, vertex_bytes, kStorage | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | kRead | wanted.outputs.usage,
       MemoryUse::kDeviceLocal, "vertices"},
      {&palette, parts.end, kStorage | kRead | VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryUse::kDeviceLocal, "palettes"},
      {&arguments, has_table ? bytes_of(FrameBuffer::kArguments, capacity) : 0,
       kStorage | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, MemoryUse::kDeviceLocal, "dispatches"},
      {&memory, memory_end, kStorage | VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryUse::kDeviceLocal, "memory of plans"},
      {&nothing, 16, kStorage, MemoryUse::kDeviceLocal, "nothing"},
  };
  for (const auto& [buffer, size, usage, kind, name] : buffers) {
    if (size == 0) continue;
    PELT_ASSIGN(
        *buffer,
        Buffer::create(owner,
                       {.size = size, .usage = usage, .memory = kind, .name = formatted("{} of the {}", name, label)}));
  }
  const struct {
    Copies* copies;
    FrameBuffer buffer;
    bool needed;
    const char* name;
  } all[] = {{&work, FrameBuffer::kWork, true, "work"},
             {&table, FrameBuffer::kTable, has_table, "plan"},
             {&joints, FrameBuffer::kJoints, wanted.joints.buffer == VK_NULL_HANDLE, "joint matrices"},
             {&inputs, FrameBuffer::kInputs, wanted.inputs.buffer == VK_NULL_HANDLE, "inputs"}};
  // A flush of one slot is rounded to nonCoherentAtomSize, and must not touch another slot that the device may write.
  const VkDeviceSize apart = std::max(alignment, owner.limits().nonCoherentAtomSize);
  for (const auto& [copies, buffer, needed, name] : all) {
    if (!needed) continue;
    VkDeviceSize end = 0;
    for (std::uint32_t s = 0; s < slots; ++s)
      copies->slots.push_back(append_range(end, bytes_of(buffer, capacity), apart));
    PELT_ASSIGN(copies->buffer, Buffer::create(owner, {.size = end,
                                                       .usage = kStorage | (copies == &work ? kRead : 0),
                                                       .memory = MemoryUse::kStream,
                                                       .name = formatted("{} of the {}", name, label)}));
  }
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
  const auto range = [&](FrameBuffer buffer, const VkDescriptorBufferInfo& info) {
    ranges[static_cast<std::size_t>(buffer)] = info;
  };
  const auto external = [&](FrameBuffer buffer, const BufferLocation& at) {
    range(buffer, {at.buffer, at.offset, std::max<VkDeviceSize>(bytes_of(buffer, capacity), 4)});
  };
  range(FrameBuffer::kNothing, nothing.whole());
  range(FrameBuffer::kBindData, gpu->buffer.whole());
  range(FrameBuffer::kPalettes, palette.part(parts.palettes));
  range(FrameBuffer::kDrivers, palette.part(parts.drivers));
  range(FrameBuffer::kPalettesAndDrivers, {palette.handle(), 0, parts.end});
  range(FrameBuffer::kArguments, arguments.whole());
  range(FrameBuffer::kMemory, memory.part(list_memory));
  range(FrameBuffer::kDrawnMemory, memory.part(drawn_memory));
  external(FrameBuffer::kJoints, wanted.joints);
  external(FrameBuffer::kInputs, wanted.inputs);
  external(FrameBuffer::kList, wanted.list);
  external(FrameBuffer::kDrawnList, wanted.drawn);

  // Sets per frame in flight: one for each plan and for poses; for each kind that writes outputs, one per output slot.
  const auto set_count = static_cast<std::uint32_t>(slots * (3 + (kKernelKinds - 3) * outputs.size()));
  PELT_ASSIGN(descriptors,
              DescriptorPool::create(owner, set_count,
                                     set_count * std::max(shared::kPoseBindCount, shared::kBlendBindCount), label));
  return {};
}

// Makes the sets of a kind on first use. They do not depend on the characters.
Result<void> Crowd::Vulkan::need_sets(KernelKind kind, const ComputeKernel& kernel) {
  std::vector<VkDescriptorSet>& sets_of_kind = sets[static_cast<std::size_t>(kind)];
  if (!sets_of_kind.empty()) return {};
  std::vector<VkDescriptorSet> made;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    for (std::uint32_t s = 0; s < slots; ++s) {
      if (o > 0 && !writes_outputs(kind)) {
        made.push_back(made[s]);
        continue;
      }
      std::vector<VkDescriptorBufferInfo> bound;
      for (const Binding& binding : bindings_of(kind)) bound.push_back(range_of(binding.buffer, o, s));
      PELT_ASSIGN(made.emplace_back(), descriptors.make_set(kernel, bound));
    }
  }
  sets_of_kind = std::move(made);
  return {};
}

Result<std::vector<const ComputeKernel*>> Crowd::Vulkan::prepare(const Device& owner,
                                                                 std::span<const FrameDispatch> dispatches) {
  std::vector<const ComputeKernel*> made;
  const auto is_missing = [&](const Binding& binding) {
    return range_of(binding.buffer, 0, 0).buffer == VK_NULL_HANDLE;
  };
  for (const FrameDispatch& dispatch : dispatches) {
    made.push_back(nullptr);
    if (std::any_of(dispatch.bindings.begin(), dispatch.bindings.end(), is_missing)) continue;  // no frame has it
    PELT_ASSIGN(made.back(), pipeline_of(owner, dispatch.kernel));
    PELT_TRY(need_sets(dispatch.kernel.kind, *made.back()));
  }
  return made;
}

// Plans for the characters with these numbers.
Result<void> Crowd::use_numbers(const Device& device, const std::vector<bool>& wanted) {
  Characters placed(wanted.size());
  std::vector<std::uint64_t> uploads(wanted.size());
  std::unique_lock lock(vulkan_->gpu->mutex);
  for (std::uint32_t c = 0; c < wanted.size(); ++c) {
    if (!wanted[c]) continue;
    PELT_TRY(check_bind_data(c));
    placed[c] = *vulkan_->gpu->entries[c];
    uploads[c] = placed[c]->upload;
  }
  lock.unlock();
  std::vector<const ComputeKernel*> pipelines;
  PELT_TRY(use_characters(placed, [&](std::span<const FrameDispatch> dispatches) -> Result<void> {
    PELT_ASSIGN(const auto made, vulkan_->prepare(device, dispatches));
    pipelines.insert(pipelines.end(), made.begin(), made.end());
    return {};
  }));
  vulkan_->pipelines = std::move(pipelines);
  vulkan_->uploads = std::move(uploads);
  return {};
}

// Precondition: the mutex of the GpuCharacters is locked.
Result<void> Crowd::check_bind_data(std::uint32_t character) const {
  const GpuCharacters::State& gpu = *vulkan_->gpu;
  if (!gpu.has(character)) {
    return invalid("the {} cannot use character {}, which does not exist", vulkan_->label, character);
  }
  if (member(character) == nullptr || gpu.entries[character]->upload == vulkan_->uploads[character]) return {};
  return invalid("the bind data of character {}, '{}', were removed while the {} still has it", character,
                 member(character)->character->name, vulkan_->label);
}

Result<void> Crowd::add(const Device& device, std::uint32_t character) {
  std::vector<bool> wanted(std::max(member_count(), character + 1));
  for (std::uint32_t c = 0; c < wanted.size(); ++c) wanted[c] = c == character || member(c) != nullptr;
  return use_numbers(device, wanted);
}

Result<void> Crowd::remove(std::uint32_t character) { return remove_member(character); }

Result<void> Crowd::prepare(const Device& device, std::span<const Character> characters) const {
  return plan_ahead(characters, [&](std::span<const FrameDispatch> dispatches) -> Result<void> {
    for (const FrameDispatch& dispatch : dispatches) PELT_TRY(pipeline_of(device, dispatch.kernel));
    return {};
  });
}

Result<Crowd> Crowd::create(const Device& device, const GpuCharacters& characters, const CrowdOptions& options) {
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
  CrowdCapacity capacity;
  for (std::uint32_t c = 0; c < instances.size(); ++c) {
    if (!gpu.has(c) && instances[c] > 0) {
      return invalid("a crowd of {} cannot have instances of character {}, which was removed", label, c);
    }
    if (gpu.has(c)) {
      capacity += capacity_of(gpu.entries[c]->character, instances[c], options.outputs);
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
  PELT_TRY(check_sizes(options.outputs, layout, capacity));

  auto vulkan = std::make_unique<Vulkan>();
  vulkan->device = &device.internals();
  vulkan->gpu = &gpu;
  vulkan->label = "crowd of " + label;
  vulkan->capacity = capacity;
  vulkan->slots = options.frames_in_flight;
  vulkan->outputs = layout.slots;
  PELT_TRY(vulkan->make_buffers(device, layout.end, options));
  const VkDeviceSize alignment = device.limits().minStorageBufferOffsetAlignment;
  Options planned{.label = vulkan->label,
                  .capacity = capacity,
                  .frames_in_flight = options.frames_in_flight,
                  .outputs = planned_outputs(options.outputs),
                  .host_joints = options.joints.buffer == VK_NULL_HANDLE,
                  .host_inputs = options.inputs.buffer == VK_NULL_HANDLE,
                  .host_list = options.list.buffer == VK_NULL_HANDLE,
                  .host_drawn = options.drawn.buffer == VK_NULL_HANDLE,
                  .driver_offset = static_cast<std::uint32_t>(palette_ranges(capacity, alignment).drivers.offset),
                  .most_workgroups = device.limits().maxComputeWorkGroupCount[0]};
  for (const BoundOutputs& bound : vulkan->bound_outputs) planned.streams.push_back(bound.streams);
  std::vector<HostMemory> memory(vulkan->slots);
  for (std::uint32_t s = 0; s < vulkan->slots; ++s) {
    const auto mapped = [&](const Vulkan::Copies& copies) {
      return copies.slots.empty() ? nullptr : copies.buffer.mapped() + copies.slots[s].offset;
    };
    memory[s] = {mapped(vulkan->work), mapped(vulkan->table), mapped(vulkan->joints), mapped(vulkan->inputs)};
  }
  Crowd crowd(std::move(planned), std::move(vulkan));
  crowd.use_memory(memory);
  std::vector<bool> wanted(instances.size());
  lock.lock();
  for (std::uint32_t c = 0; c < wanted.size(); ++c) wanted[c] = gpu.has(c);
  lock.unlock();
  PELT_TRY(crowd.use_numbers(device, wanted));
  for (std::uint32_t c = 0; c < instances.size(); ++c) {
    for (std::uint32_t i = 0; i < instances[c]; ++i) PELT_TRY(crowd.acquire(c));
  }
  return crowd;
}

Crowd::Crowd(Options options, std::unique_ptr<Vulkan> vulkan)
    : CrowdPlanner(std::move(options)), vulkan_(std::move(vulkan)) {}
Crowd::~Crowd() = default;
Crowd::Crowd(Crowd&&) noexcept = default;
Crowd& Crowd::operator=(Crowd&&) noexcept = default;

}  // namespace pelt::runtime
