// SPDX-License-Identifier: MIT

#include <pelt/runtime/device.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/vulkan_functions.h>

#include "engine/character/base/formatted.h"
#include "runtime/c/handles.h"
#include "runtime/c/support.h"

using namespace pelt::c;
using pelt::formatted;
using pelt::joined;

namespace {

const pelt::runtime::Device& device_of(const pelt_device* device) { return *need(device, "device").state->device; }

void write_description(const pelt::runtime::DeviceDescription& known, pelt_device_description* description) {
  pelt_device_description whole{.type = static_cast<uint32_t>(known.type)};
  pelt::write_formatted(whole.name, "{}", known.name);
  pelt::write_formatted(whole.driver, "{}", known.driver);
  pelt::write_formatted(whole.missing, "{}", joined(known.missing, ", "));
  write_struct(whole, description, "description");
}

VkResult allocate(void* user, const VkMemoryRequirements& requirements, VkMemoryPropertyFlags required,
                  VkMemoryPropertyFlags preferred, bool device_address, const char* name,
                  pelt::runtime::MemoryPiece& piece) {
  const auto& callbacks = *static_cast<const pelt_memory_callbacks*>(user);
  pelt_memory_piece filled{.struct_size = sizeof(filled)};
  const VkResult result =
      callbacks.allocate(callbacks.user, &requirements, required, preferred, device_address ? 1 : 0, name, &filled);
  if (result == VK_SUCCESS) piece = {filled.memory, filled.offset, filled.mapped, filled.coherent != 0, filled.owner};
  return result;
}

void free_piece(void* user, const pelt::runtime::MemoryPiece& piece) {
  const auto& callbacks = *static_cast<const pelt_memory_callbacks*>(user);
  const pelt_memory_piece given{.struct_size = sizeof(given),
                                .coherent = piece.coherent ? 1u : 0u,
                                .memory = piece.memory,
                                .offset = piece.offset,
                                .mapped = piece.mapped,
                                .owner = piece.owner};
  callbacks.free(callbacks.user, &given);
}

pelt::runtime::UploadOptions to_options(const pelt_upload_options* given) {
  const pelt_upload_options options = read_options(given, "options");
  return {.capacity = options.capacity, .tension = options.tension != 0};
}

// Makes a handle of the object that `make` creates on the device.
template <class Make>
pelt_result make_characters(const char* function, const pelt_device* device, pelt_gpu_characters** out,
                            const Make& make) {
  return guarded(function, [&] {
    const pelt::runtime::Device& runtime_device = device_of(device);
    pelt_gpu_characters*& made = need(out, "out");
    made = new pelt_gpu_characters{std::make_shared<GpuCharactersState>(device->state, value_of(make(runtime_device)))};
  });
}

// Runs the body of a pelt.h function with the characters of a device.
template <class Body>
pelt_result on_characters(const char* function, const pelt_gpu_characters* characters, const Body& body) {
  return guarded(function, [&] { body(*need(characters, "characters").state); });
}

}  // namespace

std::vector<pelt::Character> pelt::c::characters_of(const pelt_character* const* characters, std::uint32_t count) {
  std::vector<Character> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    const pelt_character* one = (&need(characters, "characters"))[i];
    if (one == nullptr) refuse(formatted("characters[{}] is null", i));
    all.push_back(one->character);
  }
  return all;
}

uint32_t pelt_abi_version(void) { return PELT_ABI_VERSION; }

const char* pelt_version_string(void) { return version_text(); }

const char* pelt_last_error(void) { return last_failure(); }

pelt_result pelt_describe_device(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                                 VkPhysicalDevice physical, pelt_device_description* description) {
  return guarded(__func__, [&] {
    if (get_instance_proc_addr == nullptr) refuse("get_instance_proc_addr is null");
    need(instance, "instance");
    need(physical, "physical");
    write_description(pelt::runtime::describe_device(get_instance_proc_addr, instance, physical), description);
  });
}

pelt_result pelt_device_adopt(const pelt_device_handles* handles, pelt_device** out) {
  return guarded(__func__, [&] {
    const auto given = read_struct(handles, "handles");
    pelt_device*& made = need(out, "out");
    auto state = std::make_shared<DeviceState>();
    state->memory = given.memory;
    state->get_instance_proc_addr = given.get_instance_proc_addr;
    pelt::runtime::DeviceHandles wanted{.get_instance_proc_addr = given.get_instance_proc_addr,
                                        .instance = given.instance,
                                        .physical = given.physical,
                                        .device = given.device,
                                        .queue_family = given.queue_family,
                                        .queue = given.queue,
                                        .pipeline_cache = given.pipeline_cache,
                                        .debug_utils = given.debug_utils != 0,
                                        .buffer_device_address = given.buffer_device_address != 0};
    wanted.memory.user = &state->memory;
    if (given.memory.allocate != nullptr) wanted.memory.allocate = allocate;
    if (given.memory.free != nullptr) wanted.memory.free = free_piece;
    state->device.emplace(value_of(pelt::runtime::Device::adopt(wanted)));
    made = new pelt_device{std::move(state)};
  });
}

pelt_result pelt_device_create(const pelt_device_options* options, pelt_device** out) {
  return guarded(__func__, [&] {
    const auto given = read_options(options, "options");
    pelt_device*& made = need(out, "out");
    pelt::runtime::DeviceOptions wanted{.validation = given.validation != 0};
    if (given.select != nullptr) wanted.select = given.select;
    if (given.on_validation_message != nullptr) {
      wanted.on_validation_message = [call = given.on_validation_message,
                                      user = given.user](const std::string& message) { call(user, message.c_str()); };
    }
    auto state = std::make_shared<DeviceState>();
    state->device.emplace(value_of(pelt::runtime::Device::create(wanted)));
    state->get_instance_proc_addr = pelt::runtime::vulkan_entry_point();
    made = new pelt_device{std::move(state)};
  });
}

void pelt_device_destroy(pelt_device* device) { delete device; }

pelt_result pelt_device_get_description(const pelt_device* device, pelt_device_description* description) {
  return guarded(__func__, [&] { write_description(device_of(device).description(), description); });
}

pelt_result pelt_device_get_handles(const pelt_device* device, pelt_device_handles* handles) {
  return guarded(__func__, [&] {
    const pelt::runtime::Device& runtime_device = device_of(device);
    write_struct(pelt_device_handles{.queue_family = runtime_device.queue_family(),
                                     .get_instance_proc_addr = device->state->get_instance_proc_addr,
                                     .instance = runtime_device.instance(),
                                     .physical = runtime_device.physical(),
                                     .device = runtime_device.handle(),
                                     .queue = runtime_device.queue(),
                                     .buffer_device_address =
                                         runtime_device.functions().vkGetBufferDeviceAddress != nullptr ? 1u : 0u},
                 handles, "handles");
  });
}

pelt_result pelt_submit_and_wait(const pelt_device* device, const char* name,
                                 void (*record)(void* user, VkCommandBuffer commands), void* user) {
  return guarded(__func__, [&] {
    const pelt::runtime::Device& runtime_device = device_of(device);
    const char* label = &need(name, "name");
    if (record == nullptr) refuse("record is null");
    value_of(pelt::runtime::submit_and_wait(runtime_device, label,
                                            [&](VkCommandBuffer commands) { record(user, commands); }));
  });
}

pelt_result pelt_gpu_characters_create(const pelt_device* device, const pelt_character* const* characters,
                                       uint32_t character_count, const pelt_upload_options* options,
                                       pelt_gpu_characters** out) {
  return make_characters(__func__, device, out, [&](const pelt::runtime::Device& runtime_device) {
    return pelt::runtime::GpuCharacters::create(runtime_device, characters_of(characters, character_count),
                                                to_options(options));
  });
}

pelt_result pelt_character_get_upload_bytes(const pelt_character* character, const pelt_upload_options* options,
                                            VkDeviceSize* bytes) {
  return guarded(__func__, [&] {
    need(bytes, "bytes") =
        pelt::runtime::GpuCharacters::bytes_of(need(character, "character").character, to_options(options));
  });
}

pelt_result pelt_gpu_characters_add(pelt_gpu_characters* characters, const pelt_character* character,
                                    uint32_t* number) {
  return on_characters(__func__, characters, [&](GpuCharactersState& state) {
    need(number, "number");
    *number = value_of(state.characters.add(*state.device->device, need(character, "character").character));
  });
}

pelt_result pelt_gpu_characters_remove(pelt_gpu_characters* characters, uint32_t number) {
  return on_characters(__func__, characters,
                       [&](GpuCharactersState& state) { value_of(state.characters.remove(number)); });
}

pelt_result pelt_gpu_characters_record_upload_part(pelt_gpu_characters* characters, VkCommandBuffer commands,
                                                   VkDeviceSize most_bytes, uint32_t transfer_family,
                                                   uint32_t compute_family, VkDeviceSize* left) {
  return on_characters(__func__, characters, [&](GpuCharactersState& state) {
    need(commands, "commands");
    need(left, "left");
    *left = state.characters.record_upload(commands, most_bytes, {transfer_family, compute_family});
  });
}

pelt_result pelt_gpu_characters_record_acquire(pelt_gpu_characters* characters, VkCommandBuffer commands,
                                               uint32_t transfer_family, uint32_t compute_family) {
  return on_characters(__func__, characters, [&](GpuCharactersState& state) {
    need(commands, "commands");
    state.characters.record_acquire(commands, {transfer_family, compute_family});
  });
}

pelt_result pelt_gpu_characters_finish_upload_of(pelt_gpu_characters* characters, uint32_t number) {
  return on_characters(__func__, characters, [&](GpuCharactersState& state) {
    if (!state.characters.has(number)) refuse(formatted("there is no character {}", number));
    state.characters.finish_upload(number);
  });
}

pelt_result pelt_gpu_characters_get_free_bytes(const pelt_gpu_characters* characters, VkDeviceSize* bytes) {
  return on_characters(__func__, characters,
                       [&](GpuCharactersState& state) { need(bytes, "bytes") = state.characters.free_bytes(); });
}

pelt_result pelt_device_get_memory_heaps(const pelt_device* device, pelt_memory_heap* heaps, uint32_t* count) {
  return guarded(__func__, [&] {
    const std::vector<pelt::runtime::MemoryHeap> known = device_of(device).memory_heaps();
    need(count, "count") = static_cast<std::uint32_t>(known.size());
    for (std::size_t h = 0; h < known.size() && heaps != nullptr; ++h)
      heaps[h] = {known[h].size, known[h].budget.value_or(0), known[h].usage, known[h].device_local ? 1u : 0u, 0};
  });
}

pelt_result pelt_gpu_characters_record_upload(pelt_gpu_characters* characters, VkCommandBuffer commands) {
  return on_characters(__func__, characters, [&](GpuCharactersState& state) {
    need(commands, "commands");
    state.characters.record_upload(commands);
  });
}

pelt_result pelt_gpu_characters_finish_upload(pelt_gpu_characters* characters) {
  return on_characters(__func__, characters, [&](GpuCharactersState& state) { state.characters.finish_upload(); });
}

pelt_result pelt_upload_and_wait(const pelt_device* device, const pelt_character* const* characters,
                                 uint32_t character_count, const pelt_upload_options* options,
                                 pelt_gpu_characters** out) {
  return make_characters(__func__, device, out, [&](const pelt::runtime::Device& runtime_device) {
    return pelt::runtime::upload(runtime_device, characters_of(characters, character_count), to_options(options));
  });
}

void pelt_gpu_characters_destroy(pelt_gpu_characters* characters) { delete characters; }

pelt_result pelt_gpu_characters_get_bytes(const pelt_gpu_characters* characters, VkDeviceSize* bytes) {
  return on_characters(__func__, characters,
                       [&](GpuCharactersState& state) { need(bytes, "bytes") = state.characters.bytes(); });
}
