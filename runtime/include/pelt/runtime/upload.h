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
  // Also uploads the triangles round each vertex of skins, about 32 bytes a vertex, for crowds that recompute normals
  // (CrowdOutputs::normal_mode).
  bool normal_rings = false;
};

// The bind data of one or more characters on a device, in one buffer: a crowd moves all of them with the same
// dispatches. Several crowds may share it. Move-only; the Device outlives it.
class GpuCharacters {
 public:
  // Takes the memory and fills staging memory; submits nothing. Errors: no character; more bytes than the device can
  // bind at once or has.
  static Result<GpuCharacters> create(const Device& device, std::span<const Character> characters,
                                      UploadOptions options = {});
  ~GpuCharacters();
  GpuCharacters(GpuCharacters&&) noexcept;
  GpuCharacters& operator=(GpuCharacters&&) noexcept;

  // Records the copies, and a barrier from them to reads of compute, outside a render pass. Call it once; its commands
  // must run before the first frame of a crowd that shows the characters.
  void record_upload(VkCommandBuffer commands);
  // Frees the staging memory. Call it when those commands are done.
  void finish_upload();

  std::uint32_t size() const;
  const Character& character(std::uint32_t number = 0) const;
  VkDeviceSize bytes() const;  // device memory held, without staging

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
