// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstring>

#include "runtime/crowd.h"
#include "runtime/device.h"
#include "runtime/transfer.h"
#include "runtime/upload.h"
#include "shaders/octahedral.h"
#include "tests/conformance/back_end.h"

namespace pelt::conformance {
namespace {

template <class T>
Result<std::vector<T>> read_stream(const runtime::Device& device, VkBuffer buffer, VkDeviceSize offset,
                                   std::size_t count) {
  const auto bytes = runtime::read_buffer(device, buffer, offset, count * sizeof(T));
  if (!bytes) return tl::unexpected(bytes.error());
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes->data(), bytes->size());
  return values;
}

class GpuBackEnd final : public BackEnd {
 public:
  // One instance a pose.
  Result<std::vector<Moved>> move(const Character& character, std::span<const Pose> poses) override {
    const auto uploaded = runtime::upload(*device_, character);
    if (!uploaded) return tl::unexpected(uploaded.error());
    auto crowd = runtime::Crowd::create(*device_, *uploaded, {.instances = static_cast<std::uint32_t>(poses.size())});
    if (!crowd) return tl::unexpected(crowd.error());
    for (std::uint32_t i = 0; i < poses.size(); ++i) {
      crowd->pose(i, poses[i].joints);
      for (std::uint32_t s = 0; s < poses[i].streams.size(); ++s) crowd->stream(i, s, poses[i].streams[s]);
      for (const auto& [name, value] : poses[i].controls) {
        if (const auto control = character->find_control(name)) crowd->control(i, *control, value);
      }
    }
    const auto done = runtime::submit_and_wait(*device_, "conformance", [&](VkCommandBuffer commands) {
      crowd->record(commands);
      runtime::memory_barrier(device_->functions(), commands, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                              VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_PIPELINE_STAGE_2_COPY_BIT,
                              VK_ACCESS_2_TRANSFER_READ_BIT);
    });
    if (!done) return tl::unexpected(done.error());

    const runtime::VertexLayout& layout = crowd->layout();
    const std::size_t count = std::size_t{layout.vertices_per_instance} * poses.size();
    const auto positions = read_stream<glm::vec3>(*device_, crowd->vertex_buffer(), layout.positions_offset, count);
    if (!positions) return tl::unexpected(positions.error());
    const auto directions = read_stream<glm::uvec2>(*device_, crowd->vertex_buffer(), layout.directions_offset, count);
    if (!directions) return tl::unexpected(directions.error());
    if (!messages_.empty()) return fail(ErrorCode::kDeviceFailed, messages_.front());

    std::vector<Moved> results(poses.size());
    for (std::size_t i = 0; i < count; ++i) {
      Moved& moved = results[i / layout.vertices_per_instance];
      moved.positions.push_back((*positions)[i]);
      moved.normals.push_back(shared::unpack_normal((*directions)[i].x));
    }
    return results;
  }

  Result<void> open(bool validation) {
    runtime::DeviceOptions options;
    options.validation = validation;
    options.on_validation_message = [this](const std::string& message) { messages_.push_back(message); };
    auto device = runtime::Device::create(options);
    if (!device) return tl::unexpected(device.error());
    device_.emplace(*std::move(device));
    return {};
  }

 private:
  std::vector<std::string> messages_;
  std::optional<runtime::Device> device_;
};

}  // namespace

Result<std::unique_ptr<BackEnd>> make_gpu_back_end(bool validation) {
  auto back_end = std::make_unique<GpuBackEnd>();
  const auto opened = back_end->open(validation);
  if (!opened) return tl::unexpected(opened.error());
  return back_end;
}

}  // namespace pelt::conformance
