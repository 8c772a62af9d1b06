// SPDX-License-Identifier: MIT
// Culling on the device: of a crowd that is posed, finds what the camera sees.
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/compute_kernel.h>
#include <pelt/runtime/crowd.h>

namespace pelt::samples {

class CrowdCulling {
 public:
  static Result<CrowdCulling> create(const runtime::Device& device, std::uint32_t instances);

  // The list that record() writes, for CrowdOptions::drawn.
  runtime::BufferPlace drawn() const { return {drawn_.handle(), 0}; }
  // Reads the boxes of a crowd that was made with that list and with CrowdOutputs::bounds in its own buffer.
  Result<void> read(const runtime::Crowd& crowd);
  // Sets the matrix model space -> world of an instance, for the frame that is recorded next. The one before is done.
  void place(std::uint32_t instance, const glm::mat4& world);
  // Records the culling, with its barriers, between Crowd::record_pose() and Crowd::record_blend().
  void record(const runtime::Device& device, VkCommandBuffer commands, const std::array<glm::vec4, 4>& planes) const;
  // Returns the instances that the last frame has listed, in no order, when its commands are done.
  Result<std::vector<std::uint32_t>> seen(const runtime::Device& device) const;

 private:
  std::uint32_t instances_ = 0;
  runtime::ComputeKernel kernel_;
  runtime::DescriptorPool sets_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  runtime::Buffer worlds_;
  runtime::Buffer drawn_;
};

}  // namespace pelt::samples
