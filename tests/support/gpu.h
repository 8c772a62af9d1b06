// SPDX-License-Identifier: MIT
// The Vulkan device of a test program, with validation and synchronization validation turned on: every message fails
// the test that caused it.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include <pelt/runtime/device.h>

#include "tests/support/shared_files.h"

namespace pelt::test {

// Returns the device that PELT_DEVICE names, or the most capable one. It is made on the first call, one for all tests
// of a program, and destroyed after the last test, so that a leak in a test fails the program. If PELT_TEST_DEVICE is
// "strict", "vulkan11" or "mutated", it is masked (strict_device.h, vulkan11_device.h, mutated_shaders.h).
const Result<runtime::Device>& gpu_device();

// Returns the same device, which pretends to be a discrete card (DeviceOptions::pretend_discrete).
const Result<runtime::Device>& discrete_device();

// Commands of the queue that crowds run on, which can be recorded and submitted again and again. They are destroyed
// once the submitted work has finished.
class Commands {
 public:
  explicit Commands(const runtime::Device& device);
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;
  ~Commands();

  // Calls `record` between begin and end. Precondition: the submitted work has finished.
  void record(const std::function<void(VkCommandBuffer commands)>& record);
  VkResult submit();
  // Waits for the last submission, if any.
  VkResult wait();

 private:
  const runtime::Device& device_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  bool runs_ = false;
};

// Returns options with a message function that fails the current test, and with the masks but for "strict".
runtime::DeviceOptions validated_options();

}  // namespace pelt::test

// Skips the test visibly if there is no device; in CI it fails the test.
#define PELT_REQUIRE_GPU(device) \
  if (!(device)) PELT_SKIP((device).error().message)
