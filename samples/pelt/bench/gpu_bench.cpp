// SPDX-License-Identifier: MIT
#include "samples/pelt/bench/gpu_bench.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include <pelt/pack.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/compute_kernel.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/gpu_timer.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/upload.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

#include "samples/pelt/bench/shaders/copy.comp.h"
#include "samples/pelt/bench/workload.h"
#include "samples/pelt/gpu.h"

namespace pelt::samples {
namespace {

constexpr double kVertexBytes = 20;  // runtime::CrowdOutputs by default: float3, two octahedral words

// Times shaders/copy.comp on buffers of its own.
class GpuCopy {
 public:
  static Result<GpuCopy> create(const runtime::Device& device, double bytes_in, double bytes_out,
                                std::uint32_t vertices, std::uint32_t instances) {
    GpuCopy copy;
    copy.constants_ = {(vertices + kVertices - 1) / kVertices, instances,
                       static_cast<std::uint32_t>(std::lround(bytes_in / 4)),
                       static_cast<std::uint32_t>(std::lround(bytes_out / 4))};
    Constants& c = copy.constants_;
    // A buffer binding has a greatest size: fewer instances are copied if it is too small, and time() scales the
    // result.
    const std::uint64_t block_bytes = std::uint64_t{4} * kVertices * c.words_out * c.blocks;
    c.instances = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                                 instances, device.limits().maxStorageBufferRange / block_bytes)));
    copy.share_ = static_cast<double>(c.instances) / instances;

    PELT_ASSIGN(copy.kernel_, runtime::ComputeKernel::create(device, {.spirv = spirv::copy_comp,
                                                                      .storage_buffers = 2,
                                                                      .push_constant_bytes = sizeof(Constants),
                                                                      .name = "copy"}));
    PELT_ASSIGN(copy.pool_, runtime::DescriptorPool::create(device, 1, 2, "copy"));
    const auto buffer = [&](std::uint64_t words, const char* name) {
      return runtime::Buffer::create(device,
                                     {.size = 4 * kVertices * words,
                                      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                      .name = name});
    };
    PELT_ASSIGN(copy.source_, buffer(std::uint64_t{c.blocks} * c.words_in, "copy source"));
    PELT_ASSIGN(copy.target_, buffer(std::uint64_t{c.blocks} * c.instances * c.words_out, "copy target"));
    const VkDescriptorBufferInfo buffers[] = {{copy.source_.handle(), 0, VK_WHOLE_SIZE},
                                              {copy.target_.handle(), 0, VK_WHOLE_SIZE}};
    PELT_ASSIGN(const auto set, copy.pool_.make_set(copy.kernel_, buffers));
    copy.set_ = set;
    const VkBuffer source_handle = copy.source_.handle();
    PELT_TRY(runtime::submit_and_wait(device, "fill", [&](VkCommandBuffer commands) {
      device.functions().vkCmdFillBuffer(commands, source_handle, 0, VK_WHOLE_SIZE, 1);
    }));
    return copy;
  }

  Result<double> time(const runtime::Device& device, runtime::GpuTimer& timer) const {
    PELT_ASSIGN(const auto spent, device_seconds(device, timer, [&](VkCommandBuffer commands) {
                  kernel_.dispatch(commands, set_, std::as_bytes(std::span(&constants_, 1)),
                                   std::uint64_t{constants_.blocks} * constants_.instances);
                }));
    return spent / share_;
  }

 private:
  static constexpr std::uint32_t kVertices = 128;
  struct Constants {
    std::uint32_t blocks;
    std::uint32_t instances;
    std::uint32_t words_in;
    std::uint32_t words_out;
  };

  Constants constants_{};
  double share_ = 1;
  runtime::ComputeKernel kernel_;
  runtime::DescriptorPool pool_;
  runtime::Buffer source_;
  runtime::Buffer target_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
};

// A posed crowd and the copy of its bytes.
struct GpuTask {
  runtime::GpuCharacters character;
  runtime::Crowd crowd;
  GpuCopy copy;
};

Result<std::unique_ptr<GpuTask>> make_task(const runtime::Device& device, const Character& character,
                                           const Traffic& traffic, std::uint32_t instances) {
  PELT_ASSIGN(auto uploaded, runtime::upload(device, character));
  PELT_ASSIGN(auto crowd, runtime::Crowd::create(device, uploaded, {.instances = {instances}, .frames_in_flight = 1}));
  const std::uint32_t vertices = skin_vertices(*character);
  PELT_ASSIGN(auto copy, GpuCopy::create(device, traffic.in / vertices, traffic.out / vertices, vertices, instances));
  return std::make_unique<GpuTask>(GpuTask{std::move(uploaded), std::move(crowd), std::move(copy)});
}

}  // namespace

Result<double> device_seconds(const runtime::Device& device, runtime::GpuTimer& timer,
                              const std::function<void(VkCommandBuffer)>& record) {
  PELT_TRY(runtime::submit_and_wait(device, "bench", [&](VkCommandBuffer commands) {
    timer.reset(commands);
    timer.stamp(commands);
    record(commands);
    timer.stamp(commands);
  }));
  PELT_ASSIGN(const auto stamps, timer.seconds());
  return stamps.back();
}

Result<std::vector<BenchRow>> bench_gpu(const runtime::Device& device, std::uint32_t vertices, std::uint32_t instances,
                                        std::size_t rounds) {
  PELT_ASSIGN(auto timer, runtime::GpuTimer::create(device, 2));
  std::vector<BenchRow> rows;
  std::vector<std::unique_ptr<GpuTask>> tasks;
  std::vector<Contender> contenders;
  for (const Method& method : methods()) {
    PELT_ASSIGN(const auto character, make_workload(method, vertices));
    const CharacterData& data = *character;
    const Traffic traffic = traffic_of(data, kVertexBytes);
    PELT_ASSIGN(auto made, make_task(device, character, traffic, instances));
    tasks.push_back(std::move(made));
    GpuTask* task = tasks.back().get();
    const std::vector<glm::mat4> joints = bent(data.skeleton);
    const std::vector<float> inputs = eight_active(data);
    const auto move = [&device, &timer, task, joints, inputs, instances] {
      for (std::uint32_t i = 0; i < instances; ++i) {
        task->crowd.pose(i, joints);
        task->crowd.inputs(i, inputs);
      }
      return device_seconds(device, timer, [&](VkCommandBuffer commands) { task->crowd.record(commands); });
    };
    PELT_TRY(move());
    PELT_ASSIGN(const auto error, difference_from_cpu(device, task->crowd, character, {joints, inputs}));
    contenders.push_back(move);
    contenders.push_back([&device, &timer, task] { return task->copy.time(device, timer); });
    BenchRow row;
    row.backend = "gpu";
    row.method = method.name;
    for (const CharacterMesh& mesh : data.meshes) {
      if (!mesh.control) row.influences = statistics(unpack_rows(mesh.binding)).mean_influences;
    }
    row.vertices = std::uint64_t{skin_vertices(data)} * instances;
    row.instances = instances;
    row.bytes_in = traffic.in / skin_vertices(data);
    row.bytes_out = traffic.out / skin_vertices(data);
    row.error = error;
    rows.push_back(row);
  }
  PELT_ASSIGN(const auto seconds, interleave(contenders, rounds));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].seconds = spread_of(seconds[2 * i]);
    rows[i].copy_seconds = spread_of(seconds[2 * i + 1]);
    rows[i].copy_share = ratio_of(seconds[2 * i + 1], seconds[2 * i]);
    rows[i].of_yardstick = ratio_of(seconds[2 * i], seconds[2 * kYardstick]);
  }
  return rows;
}

}  // namespace pelt::samples
