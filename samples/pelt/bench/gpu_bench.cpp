// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <memory>

#include <pelt/pack.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/compute_kernel.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/upload.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

#include "samples/pelt/bench/benches.h"
#include "samples/pelt/bench/interleave.h"
#include "samples/pelt/bench/shaders/copy.comp.h"
#include "samples/pelt/gpu.h"

namespace pelt::samples {
namespace {

Result<std::vector<double>> device_stamps(const runtime::Device& device, runtime::GpuTimer& timer,
                                          const std::function<void(VkCommandBuffer)>& record);

constexpr double kVertexBytes = 20;  // runtime::CrowdOutputs by default: float3, two octahedral words

// Short frames share a submission: a device lowers its clocks while it waits for the next one.
constexpr std::uint32_t kMaxFrames = 20;
constexpr double kShortSubmission = 0.02;  // seconds

// Times shaders/copy.comp on buffers of its own.
class GpuCopy {
 public:
  static Result<GpuCopy> create(const runtime::Device& device, double bytes_in, double bytes_out,
                                std::uint32_t vertices, std::uint32_t instances) {
    GpuCopy copy;
    copy.constants_ = {(vertices + kVertices - 1) / kVertices, instances};
    const std::uint32_t words[] = {static_cast<std::uint32_t>(std::lround(bytes_in / 4)),
                                   static_cast<std::uint32_t>(std::lround(bytes_out / 4))};
    Constants& c = copy.constants_;
    // The size of a buffer binding is limited: if it is too small, fewer instances are copied, and time() scales the
    // result.
    const std::uint64_t block_bytes = std::uint64_t{4} * kVertices * words[1] * c.blocks;
    c.instances = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                                 instances, device.limits().maxStorageBufferRange / block_bytes)));
    copy.share_ = static_cast<double>(c.instances) / instances;

    PELT_ASSIGN(copy.kernel_, runtime::ComputeKernel::create(device, {.spirv = spirv::copy_comp,
                                                                      .storage_buffers = 2,
                                                                      .push_constant_bytes = sizeof(Constants),
                                                                      .specialization = words,
                                                                      .name = "copy"}));
    PELT_ASSIGN(copy.pool_, runtime::DescriptorPool::create(device, 1, 2, "copy"));
    const auto buffer = [&](std::uint64_t count, const char* name) {
      return runtime::Buffer::create(device,
                                     {.size = 4 * kVertices * count,
                                      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                      .name = name});
    };
    PELT_ASSIGN(copy.source_, buffer(std::uint64_t{c.blocks} * words[0], "copy source"));
    PELT_ASSIGN(copy.target_, buffer(std::uint64_t{c.blocks} * c.instances * words[1], "copy target"));
    const VkDescriptorBufferInfo buffers[] = {{copy.source_.handle(), 0, VK_WHOLE_SIZE},
                                              {copy.target_.handle(), 0, VK_WHOLE_SIZE}};
    PELT_ASSIGN(const auto set, copy.pool_.make_set(copy.kernel_, buffers));
    copy.set_ = set;
    for (const VkBuffer filled : {copy.source_.handle(), copy.target_.handle()}) {
      PELT_TRY(runtime::submit_and_wait(device, "fill", [&](VkCommandBuffer commands) {
        device.functions().vkCmdFillBuffer(commands, filled, 0, VK_WHOLE_SIZE, 1);
      }));
    }
    return copy;
  }

  Result<double> time(const runtime::Device& device, runtime::GpuTimer& timer, std::uint32_t times) const {
    PELT_ASSIGN(const auto spent, device_seconds(device, timer, [&](VkCommandBuffer commands) {
                  for (std::uint32_t i = 0; i < times; ++i) {
                    kernel_.dispatch(commands, set_, std::as_bytes(std::span(&constants_, 1)),
                                     std::uint64_t{constants_.blocks} * constants_.instances);
                    between(device, commands);
                  }
                }));
    return spent / share_ / times;
  }

 private:
  static constexpr std::uint32_t kVertices = 128;
  struct Constants {
    std::uint32_t blocks;
    std::uint32_t instances;
  };

  // Frames of a crowd also wait for the previous one.
  static void between(const runtime::Device& device, VkCommandBuffer commands) {
    constexpr VkPipelineStageFlags2 kStages = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    runtime::memory_barrier(device.functions(), commands, kStages, VK_ACCESS_2_MEMORY_WRITE_BIT, kStages,
                            VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT);
  }

  Constants constants_{};
  double share_ = 1;
  runtime::ComputeKernel kernel_;
  runtime::DescriptorPool pool_;
  runtime::Buffer source_;
  runtime::Buffer target_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
};

// A crowd and the copy of its bytes.
struct GpuTask {
  runtime::GpuCharacters character;
  runtime::Crowd crowd;
  GpuCopy copy;
  std::vector<glm::mat4> joints;
  std::vector<float> inputs;
  std::uint32_t frames = 1;  // in one submission

  // Records a frame in which every instance gets a new pose.
  void record(VkCommandBuffer commands, runtime::GpuTimer* timer = nullptr) {
    for (std::uint32_t i = 0; i < crowd.instance_count(); ++i) {
      crowd.pose(i, joints);
      crowd.inputs(i, inputs);
    }
    crowd.record(commands, {.timer = timer});
  }

  Result<double> move(const runtime::Device& device, runtime::GpuTimer& timer) {
    PELT_ASSIGN(const auto spent, device_seconds(device, timer, [&](VkCommandBuffer commands) {
                  for (std::uint32_t f = 0; f < frames; ++f) record(commands);
                }));
    return spent / frames;
  }

  // Returns the seconds of a frame before the first vertex is moved, and those between drivers and skin: of the plan
  // and the poses.
  Result<double> pose(const runtime::Device& device, runtime::GpuTimer& timer) {
    PELT_ASSIGN(const auto stamps,
                device_stamps(device, timer, [&](VkCommandBuffer commands) { record(commands, &timer); }));
    double seconds = 0;
    for (std::size_t p = 0; p < crowd.passes().names.size(); ++p) {
      const std::string& name = crowd.passes().names[p];
      if (name.starts_with("plan") || name.starts_with("pose")) seconds += stamps[p + 1] - stamps[p];
    }
    return seconds;
  }
};

Result<std::unique_ptr<GpuTask>> make_task(const runtime::Device& device, const Character& character,
                                           const Traffic& traffic, std::uint32_t instances) {
  PELT_ASSIGN(auto uploaded, runtime::upload(device, character));
  PELT_ASSIGN(auto crowd,
              runtime::Crowd::create(device, uploaded, {.instances = {instances}, .frames_in_flight = kMaxFrames}));
  const std::uint32_t vertices = skin_vertices(*character);
  PELT_ASSIGN(auto copy, GpuCopy::create(device, traffic.in / vertices, traffic.out / vertices, vertices, instances));
  return std::make_unique<GpuTask>(GpuTask{std::move(uploaded), std::move(crowd), std::move(copy),
                                           bent(character->skeleton), eight_active(*character)});
}

// Returns the stamps of a submission, the first one at 0.
Result<std::vector<double>> device_stamps(const runtime::Device& device, runtime::GpuTimer& timer,
                                          const std::function<void(VkCommandBuffer)>& record) {
  PELT_TRY(runtime::submit_and_wait(device, "bench", [&](VkCommandBuffer commands) {
    timer.reset(commands);
    timer.stamp(commands);
    record(commands);
  }));
  return timer.seconds();
}

}  // namespace

Result<double> device_seconds(const runtime::Device& device, runtime::GpuTimer& timer,
                              const std::function<void(VkCommandBuffer)>& record) {
  PELT_ASSIGN(const auto stamps, device_stamps(device, timer, [&](VkCommandBuffer commands) {
                record(commands);
                timer.stamp(commands);
              }));
  return stamps.back();
}

Result<Json> bench_gpu(const runtime::Device& device, std::span<const Method> methods, std::uint32_t vertices,
                       std::uint32_t instances, std::size_t rounds) {
  constexpr std::uint32_t kStamps = 64;  // per frame
  PELT_ASSIGN(auto timer, runtime::GpuTimer::create(device, kStamps));
  Json rows = Json::array();
  std::vector<std::unique_ptr<GpuTask>> tasks;
  std::vector<Contender> contenders;
  for (const Method& method : methods) {
    PELT_ASSIGN(const auto character, make_workload(method, vertices));
    const Traffic traffic = traffic_of(*character, kVertexBytes);
    PELT_ASSIGN(auto made, make_task(device, character, traffic, instances));
    tasks.push_back(std::move(made));
    GpuTask* task = tasks.back().get();
    PELT_TRY(task->move(device, timer));
    PELT_ASSIGN(const auto error, difference_from_cpu(device, task->crowd, character, {task->joints, task->inputs}));
    PELT_ASSIGN(const auto seconds, task->move(device, timer));
    task->frames = static_cast<std::uint32_t>(std::clamp(kShortSubmission / seconds, 1.0, double{kMaxFrames}));
    contenders.push_back([&device, &timer, task] { return task->move(device, timer); });
    contenders.push_back([&device, &timer, task] { return task->copy.time(device, timer, task->frames); });
    contenders.push_back([&device, &timer, task] { return task->pose(device, timer); });
    rows.push_back(describe(method, *character, traffic, instances));
    rows.back().update(
        {{"backend", "gpu"}, {"resident_bytes", traffic.in + traffic.out * instances}, {"error", error}});
  }
  PELT_ASSIGN(const auto seconds, interleave(contenders, rounds));
  const std::size_t yardstick = yardstick_of(methods);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Spread spread = spread_of(seconds[3 * i]);
    rows[i].update({{"seconds", to_json(spread)},
                    {"vertices_per_second", rows[i]["vertices"].get<double>() / spread.median},
                    {"ratio_to_copy", ratio_json(ratio_of(seconds[3 * i + 1], seconds[3 * i]))},
                    {"time_of_linear_blend_4", ratio_json(ratio_of(seconds[3 * i], seconds[3 * yardstick]))},
                    {"palette_seconds", to_json(spread_of(seconds[3 * i + 2]))}});
  }
  return rows;
}

}  // namespace pelt::samples
