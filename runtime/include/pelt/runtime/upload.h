// SPDX-License-Identifier: MIT
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <span>

#include <pelt/character.h>
#include <pelt/job_system.h>
#include <pelt/result.h>
#include <pelt/runtime/device.h>

namespace pelt::runtime {

struct UploadOptions {
  // Also uploads the triangles round each vertex of skins, about 32 bytes a vertex, for crowds that recompute normals
  // (CrowdOutputs::normal_mode).
  bool normal_rings = false;
  // Bytes of bind data to have room for, so that characters can be added later (GpuCharacters::bytes_of); as much as
  // the first ones take if that is more. The device binds all of it at once: at most maxStorageBufferRange.
  VkDeviceSize capacity = 0;
  // What finds those triangles; none: the thread that makes or adds characters.
  JobSystem jobs;
};

// The families of the queue that uploads and of the one that runs the crowds.
struct UploadFamilies {
  std::uint32_t transfer = VK_QUEUE_FAMILY_IGNORED;
  std::uint32_t compute = VK_QUEUE_FAMILY_IGNORED;
  bool same() const { return transfer == compute; }
};

// The bind data of characters on a device, in one buffer: a crowd moves all of them with the same dispatches. Several
// crowds may share it. Move-only; the Device outlives it.
//
// Characters may be added and removed while crowds run. Threads: every function but move and destruction may be called
// on any threads at once, also while crowds are made and record.
class GpuCharacters {
 public:
  // Takes the memory and fills staging memory; submits nothing. Errors: no character and no capacity for one; more
  // bytes than the device can bind at once or has.
  static Result<GpuCharacters> create(const Device& device, std::span<const Character> characters,
                                      UploadOptions options = {});
  ~GpuCharacters();
  GpuCharacters(GpuCharacters&&) noexcept;
  GpuCharacters& operator=(GpuCharacters&&) noexcept;

  // Returns the bytes of bind data that a character takes, for UploadOptions::capacity.
  static VkDeviceSize bytes_of(const Character& character, UploadOptions options = {});

  // Takes room for a character, fills staging memory of its own, and returns the character's number: the lowest that no
  // other has. record_upload() then records its copy. Errors: not enough room left (the message says how much there
  // is), no staging memory.
  Result<std::uint32_t> add(const Device& device, const Character& character);
  // Gives the room of a character back. No crowd has it any more (Crowd::remove), and its upload and the frames that
  // moved it are done. A number without a character is left alone.
  void remove(std::uint32_t number);

  // Records the copies of what was added since, each of one region, and barriers from them to reads of compute, outside
  // a render pass. Its commands must run before the first frame of a crowd that moves the characters. At most
  // `most_bytes` are copied: returns how many are left, for the next call. Where a queue of another family copies, its
  // commands release what they have copied in whole, and record_acquire() on the compute queue, behind a semaphore,
  // acquires it.
  VkDeviceSize record_upload(VkCommandBuffer commands, VkDeviceSize most_bytes = VK_WHOLE_SIZE,
                             UploadFamilies families = {});
  void record_acquire(VkCommandBuffer commands, UploadFamilies families);
  // Free the staging memory of what was copied in whole, of all characters or of one. Call it when those commands are
  // done.
  void finish_upload();
  void finish_upload(std::uint32_t number);

  std::uint32_t size() const;  // numbers of characters are below
  bool has(std::uint32_t number) const;
  const Character& character(std::uint32_t number = 0) const;  // precondition: has(number)
  VkDeviceSize bytes() const;                                  // device memory held, without staging
  VkDeviceSize free_bytes() const;                             // of those, that no character has

  struct State;
  const State& state() const { return *state_; }  // for the runtime's own files

 private:
  explicit GpuCharacters(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Creates and uploads at once: submits on the device's queue and waits; for tools, tests and load time. Precondition:
// the device has a queue.
Result<GpuCharacters> upload(const Device& device, std::span<const Character> characters, UploadOptions options = {});
Result<GpuCharacters> upload(const Device& device, const Character& character, UploadOptions options = {});

}  // namespace pelt::runtime
