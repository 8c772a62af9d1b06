// SPDX-License-Identifier: MIT
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <span>

#include <pelt/character.h>
#include <pelt/result.h>
#include <pelt/runtime/device.h>

namespace pelt::runtime {

struct UploadOptions {
  // Size of the first buffer of bind data, bytes (GpuCharacters::bytes_of); raised to the size of the first characters,
  // and at most maxStorageBufferRange. Characters that do not fit get further buffers, each at least as large, and a
  // crowd one more dispatch per pass for each buffer that its characters are in.
  VkDeviceSize capacity = 0;
  bool tension = false;  // crowds may write tension (CrowdOutputs::tension); takes about 40 bytes per vertex
};

// The families of the queue that uploads and of the queue that runs the crowds.
struct UploadFamilies {
  std::uint32_t transfer = VK_QUEUE_FAMILY_IGNORED;
  std::uint32_t compute = VK_QUEUE_FAMILY_IGNORED;
  bool same() const { return transfer == compute; }
};

// The bind data of characters on a device, in few buffers, so that a crowd moves all characters of a buffer with the
// same dispatches. Several crowds may share it. Move-only; the Device must outlive it.
//
// Characters may be added and removed while crowds run. Threads: all functions except move and destruction may run
// concurrently, also while crowds are made and recorded.
class GpuCharacters {
 public:
  // Takes the memory and fills staging memory; submits nothing. Errors: no character and no capacity; a character of
  // more bytes than the device can bind at once; out of memory.
  static Result<GpuCharacters> create(const Device& device, std::span<const Character> characters,
                                      UploadOptions options = {});
  ~GpuCharacters();
  GpuCharacters(GpuCharacters&&) noexcept;
  GpuCharacters& operator=(GpuCharacters&&) noexcept;

  // Returns the size of a character's bind data, bytes, for UploadOptions::capacity.
  static VkDeviceSize bytes_of(const Character& character, UploadOptions options = {});

  // Takes room for a character, in a new buffer if no other has it, fills new staging memory, and returns the
  // character's number: the lowest unused one. record_upload() then records its copy. Waits for nothing. Errors: those
  // of create().
  Result<std::uint32_t> add(const Device& device, const Character& character);
  // Releases the room of a character, in a buffer that stays. Errors: no such character; a crowd still has it
  // (Crowd::remove, Crowd::replace). Precondition: the device has finished its upload and the frames that moved it.
  Result<void> remove(std::uint32_t number);

  // Records the copies of characters added since the last call, one region each, and barriers from the copies to
  // compute reads, outside a render pass. The commands must run before the first frame of a crowd that moves the
  // characters. Copies at most `most_bytes`, and returns the bytes that remain for further calls. If a queue of another
  // family copies, the commands release each character once all of it is copied; record_acquire() on the compute queue,
  // after a semaphore, acquires it.
  VkDeviceSize record_upload(VkCommandBuffer commands, VkDeviceSize most_bytes = VK_WHOLE_SIZE,
                             UploadFamilies families = {});
  void record_acquire(VkCommandBuffer commands, UploadFamilies families);
  // Free the staging memory of completely copied characters, of all or of one. Call it when the copy commands have
  // finished.
  void finish_upload();
  void finish_upload(std::uint32_t number);

  std::uint32_t size() const;  // character numbers are below this
  bool has(std::uint32_t number) const;
  const Character& character(std::uint32_t number = 0) const;  // precondition: has(number)
  VkDeviceSize bytes() const;                                  // device memory in use, without staging memory
  VkDeviceSize free_bytes() const;                             // of these, bytes that no character uses

  struct State;
  State& state() const { return *state_; }  // for the runtime's own files

 private:
  explicit GpuCharacters(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Creates, uploads, submits to the device's queue and waits; for tools, tests and load time. Precondition: the device
// has a queue.
Result<GpuCharacters> upload(const Device& device, std::span<const Character> characters, UploadOptions options = {});
Result<GpuCharacters> upload(const Device& device, const Character& character, UploadOptions options = {});

}  // namespace pelt::runtime
