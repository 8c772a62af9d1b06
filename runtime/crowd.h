// SPDX-License-Identifier: MIT
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <glm/glm.hpp>
#include <memory>
#include <span>
#include <string>

#include "engine/core/result.h"
#include "runtime/device.h"
#include "runtime/gpu_timer.h"
#include "runtime/upload.h"

namespace pelt::runtime {

struct CrowdOptions {
  std::uint32_t instances = 1;
  std::uint32_t frames_in_flight = 2;  // frames that may be recorded before the first has finished
  // Where the inputs of all instances are read, CharacterData::input_count floats each, one after the other: a buffer
  // of the caller's with VK_BUFFER_USAGE_STORAGE_BUFFER_BIT that a simulation fills on the device, say. Offset: a
  // multiple of minStorageBufferOffsetAlignment. Written before record()'s commands run, visible to storage reads of
  // compute. None: stream() and control() fill a buffer of the crowd's.
  VkBuffer input_buffer = VK_NULL_HANDLE;
  VkDeviceSize input_offset = 0;
};

// Where the blend leaves its vertices. Vertex v of instance i (v counts over all meshes, CharacterMesh::first_vertex)
// is element i * vertices_per_instance + v of each stream:
//
//   positions   float3, tight, 12 bytes: model space, metres
//   directions  uint x 2, 8 bytes: normal and tangent, octahedral (shaders/octahedral.h)
struct VertexLayout {
  VkDeviceSize positions_offset = 0;
  VkDeviceSize directions_offset = 0;
  std::uint32_t positions_stride = 12;
  std::uint32_t directions_stride = 8;
  std::uint32_t vertices_per_instance = 0;
};

// n posed instances of a character: joint matrices in, deformed vertices out. Move-only. The GpuCharacter and the
// Device outlive it.
class Crowd {
 public:
  // Takes all memory and makes all pipelines and descriptors. Errors: outputs larger than the device's storage buffer
  // range (the message says how many instances fit), no instances, no frames in flight, out of memory.
  static Result<Crowd> create(const Device& device, const GpuCharacter& character, const CrowdOptions& options = {});
  ~Crowd();
  Crowd(Crowd&&) noexcept;
  Crowd& operator=(Crowd&&) noexcept;

  // Joint matrices of one instance for the frame that record() records next: model space, one a joint of the skeleton,
  // column-major. A memcpy into mapped memory, where the device reads them. An instance that is not posed again keeps
  // its pose; one that never was stands at rest.
  void pose(std::uint32_t instance, std::span<const glm::mat4> joints);

  // The same for what the skeleton does not move: all inputs of the instance at once (CharacterData::input_count of
  // them), or the vertices of CharacterData::streams[stream], model space, metres, in the mesh's order, or the value of
  // CharacterData::controls[control]. What was never given is as at rest.
  // Precondition: no input_buffer of the caller's.
  void inputs(std::uint32_t instance, std::span<const float> values);
  void stream(std::uint32_t instance, std::uint32_t stream, std::span<const glm::vec3> positions);
  void control(std::uint32_t instance, std::uint32_t control, float value);

  // Records every stage into `commands`, outside a render pass: one dispatch a pose kernel and one for the blend, of
  // all instances, one barrier between poses and blend. On entry nothing may still read the vertex buffer in this
  // queue's past without a barrier of the caller's; on exit the vertices are written at
  // VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT with VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT: barrier from there to your reads.
  // Then the ring moves to its next frame. Never submits or waits. When a frame is posed and recorded, the one recorded
  // frames_in_flight frames before it must have finished on the device.
  //
  // `timer`: stamped after each of passes(), passes().size() times. Poses of one stage may run at the same time: then
  // what one took counts from the end of the one before.
  void record(VkCommandBuffer commands, GpuTimer* timer = nullptr);

  // What record() dispatches, in order, for people: "pose bspline_patch", "blend of drivers", "blend of skins", with
  // the stage where there are several of that name.
  std::span<const std::string> passes() const;

  std::uint32_t instance_count() const;
  VkBuffer vertex_buffer() const;
  const VertexLayout& layout() const;

  // For tools: the palettes of all instances, CharacterData::palette_size entries of 48 bytes each an instance.
  VkBuffer palette_buffer() const;

 private:
  struct State;
  explicit Crowd(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt::runtime
