// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include <pelt/runtime/crowd.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/upload.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

#include "tests/conformance/back_end.h"
#include "tests/support/mutated_shaders.h"
#include "tests/support/untyped.h"

namespace pelt::conformance {
namespace {

// Works as a loader of Vulkan 1.1: instances are made for it, and validation holds what follows to it.
PFN_vkVoidFunction VKAPI_CALL entry_point_of_vulkan11(VkInstance instance, const char* name) {
  constexpr PFN_vkEnumerateInstanceVersion kVersion = [](std::uint32_t* version) {
    *version = VK_API_VERSION_1_1;
    return VK_SUCCESS;
  };
  if (std::string_view(name) == "vkEnumerateInstanceVersion") return test::untyped(kVersion);
  return runtime::vulkan_entry_point()(instance, name);
}

class GpuBackEnd final : public BackEnd {
 public:
  // Uses one instance a pose.
  Result<std::vector<Moved>> move(const Character& character, std::span<const Pose> poses) override {
    PELT_ASSIGN(const auto uploaded, runtime::upload(*device_, character));
    PELT_ASSIGN(auto crowd, runtime::Crowd::create(*device_, uploaded,
                                                   {.instances = {static_cast<std::uint32_t>(poses.size())},
                                                    .outputs = {.control_meshes = true}}));
    for (std::uint32_t i = 0; i < poses.size(); ++i) {
      crowd.pose(i, poses[i].joints);
      for (std::uint32_t s = 0; s < poses[i].streams.size(); ++s)
        crowd.inputs(i, runtime::as_floats(poses[i].streams[s]), character->streams[s].first_input);
      for (const auto& [name, value] : poses[i].controls) {
        const auto control = character->find_control(name);
        if (control) crowd.inputs(i, std::span(&value, 1), character->controls[*control].input);
      }
    }
    PELT_TRY(runtime::run(*device_, crowd));
    std::vector<Moved> results;
    for (std::uint32_t i = 0; i < poses.size(); ++i) {
      PELT_ASSIGN(auto vertices, runtime::read_vertices(*device_, crowd, i));
      results.push_back({std::move(vertices.positions), std::move(vertices.normals)});
    }
    if (!messages_.empty()) return fail(ErrorCode::kDeviceFailed, messages_.front());
    return results;
  }

  Result<void> open(bool validation) {
    runtime::DeviceOptions options;
    options.validation = validation;
    const char* device_wanted = std::getenv("PELT_TEST_DEVICE");
    const std::string_view wanted = device_wanted != nullptr ? device_wanted : "";
    if (wanted == "vulkan11") options.get_instance_proc_addr = entry_point_of_vulkan11;
    if (wanted == "mutated") options.get_instance_proc_addr = test::mutated_entry_point;
    options.on_validation_message = [this](const std::string& message) { messages_.push_back(message); };
    PELT_ASSIGN(auto device, runtime::Device::create(options));
    device_.emplace(std::move(device));
    return {};
  }

 private:
  std::vector<std::string> messages_;
  std::optional<runtime::Device> device_;
};

}  // namespace

Result<std::unique_ptr<BackEnd>> make_gpu_back_end(bool validation) {
  auto back_end = std::make_unique<GpuBackEnd>();
  PELT_TRY(back_end->open(validation));
  return back_end;
}

}  // namespace pelt::conformance
