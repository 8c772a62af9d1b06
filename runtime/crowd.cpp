// SPDX-License-Identifier: MIT
#include "runtime/crowd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/core/frame.h"
#include "engine/model/pose.h"
#include "runtime/buffer.h"
#include "runtime/debug.h"
#include "runtime/device_internals.h"
#include "runtime/gpu_character.h"
#include "runtime/pipeline.h"
#include "runtime/transfer.h"
#include "shaders/blend/blend.h"
#include "shaders/pose_pass.h"

namespace pelt::runtime {
namespace {

// A number for each kernel: the pose kernels', then the blend's.
constexpr std::size_t kBlendKernel = kPoseKernelCount;

// One dispatch.
struct Step {
  std::size_t kernel = kBlendKernel;
  shared::JobRange range{};
  std::uint64_t workgroups = 0;
  bool barrier_before = true;
};

constexpr std::uint64_t blocks(std::uint64_t items, std::uint64_t block_size) {
  return (items + block_size - 1) / block_size;
}

std::uint32_t narrow(std::uint64_t value) {
  assert(value <= UINT32_MAX);
  return static_cast<std::uint32_t>(value);
}

// A stream of the crowd, which is bound as a whole.
struct CrowdStream {
  const char* name;
  std::uint64_t bytes_per_instance;
};

Result<void> check_ranges(std::span<const CrowdStream> streams, std::uint32_t instances, const Device& device,
                          const std::string& character) {
  const std::uint64_t most = device.limits().maxStorageBufferRange;
  std::uint64_t fit = instances;
  const char* largest = nullptr;
  for (const CrowdStream& stream : streams) {
    if (stream.bytes_per_instance == 0 || most / stream.bytes_per_instance >= fit) continue;
    fit = most / stream.bytes_per_instance;
    largest = stream.name;
  }
  if (largest == nullptr) return {};
  return fail(
      ErrorCode::kUnsupported,
      fmt::format("{} instances of '{}' do not fit: {} binds at most {} bytes at once, which holds the {} of {}",
                  instances, character, device.description().name, most, largest, fit));
}

}  // namespace

struct Crowd::State {
  DeviceInternals* device = nullptr;
  std::string label;
  std::uint32_t instances = 0;
  std::uint32_t joint_count = 0;
  VertexLayout layout;
  Buffer palette;
  Buffer vertices;
  Buffer jobs;
  DescriptorPool descriptors;
  std::array<std::vector<VkDescriptorSet>, kPoseKernelCount + 1> sets;  // of each kernel, one for each slot of the ring
  const SkinningPipelines* pipelines = nullptr;
  std::vector<Step> steps;

  // Joint matrices, one slot for each frame in flight. The device reads them where the host writes them: a matrix is
  // read once or twice a frame, so a copy to faster memory would cost more than it saves, and a barrier besides.
  Buffer joints;
  VkDeviceSize slot_bytes = 0;
  std::vector<glm::mat4> poses;           // the latest of each instance: mapped memory is slow to read
  std::vector<std::uint32_t> posed_slot;  // the slot that each was last written to
  std::uint32_t slot = 0;

  const ComputeKernel& kernel(std::size_t number) const {
    return number == kBlendKernel ? pipelines->blend : pipelines->pose[number];
  }

  std::byte* pose_of(std::uint32_t in_slot, std::uint32_t instance) {
    return joints.mapped() + in_slot * slot_bytes + std::size_t{instance} * joint_count * sizeof(glm::mat4);
  }
};

namespace {

// The steps of all stages and the tables of their jobs.
struct Plan {
  std::vector<Step> steps;
  std::vector<shared::PoseJob> pose_jobs;
  std::vector<shared::BlendJob> blend_jobs;
};

// All palette passes of a stage with the same kernel.
Step plan_pose(const GpuCharacter::State& gpu, std::uint32_t instances, std::uint32_t stage, std::size_t kernel,
               Plan& plan) {
  const CharacterData& data = *gpu.character;
  Step step{.kernel = kernel};
  step.range.first_job = narrow(plan.pose_jobs.size());
  for (std::size_t p = 0; p < data.passes.size(); ++p) {
    const PalettePass& pass = data.passes[p];
    if (static_cast<std::size_t>(pass.kernel) != kernel || pass.stage != stage || pass.record_count == 0) continue;
    plan.pose_jobs.push_back({.first_workgroup = narrow(step.workgroups),
                              .instance_count = instances,
                              .record_count = pass.record_count,
                              .first_record = gpu.first_records[p],
                              .joint_first = 0,
                              .joint_stride = narrow(data.skeleton.joints.size()),
                              .vertex_first = 0,
                              .vertex_stride = data.vertex_count(),
                              .palette_first = pass.first_slot,
                              .palette_stride = data.palette_size});
    step.workgroups += blocks(pass.record_count, shared::kPoseWorkgroupSize) * instances;
  }
  step.range.job_count = narrow(plan.pose_jobs.size()) - step.range.first_job;
  return step;
}

// All meshes of a stage.
Step plan_blend(const GpuCharacter::State& gpu, std::uint32_t instances, std::uint32_t stage, Plan& plan) {
  const CharacterData& data = *gpu.character;
  Step step{.kernel = kBlendKernel};
  step.range.first_job = narrow(plan.blend_jobs.size());
  for (std::size_t m = 0; m < data.meshes.size(); ++m) {
    const CharacterMesh& mesh = data.meshes[m];
    if (mesh.stage != stage || mesh.vertex_count() == 0) continue;
    const GpuCharacter::State::MeshStart& start = gpu.mesh_starts[m];
    plan.blend_jobs.push_back({.first_workgroup = narrow(step.workgroups),
                               .instance_count = instances,
                               .vertex_count = mesh.vertex_count(),
                               .mode = static_cast<std::uint32_t>(mesh.mode),
                               .first_point = start.point,
                               .first_slice = start.slice,
                               .first_influence = start.influence,
                               .palette_first = mesh.first_slot,
                               .palette_stride = data.palette_size,
                               .frame_first = mesh.frame_slot.value_or(shared::kNoSlot),
                               .output_first = mesh.first_vertex,
                               .output_stride = data.vertex_count()});
    step.workgroups += blocks(mesh.vertex_count(), shared::kBlendWorkgroupSize) * instances;
  }
  step.range.job_count = narrow(plan.blend_jobs.size()) - step.range.first_job;
  return step;
}

Plan make_plan(const GpuCharacter::State& gpu, std::uint32_t instances) {
  Plan plan;
  for (std::uint32_t stage = 0; stage < gpu.character->stage_count; ++stage) {
    bool barrier = true;  // the palette passes of a stage write apart from each other and need none between them
    for (std::size_t kernel = 0; kernel < kPoseKernelCount; ++kernel) {
      Step step = plan_pose(gpu, instances, stage, kernel, plan);
      if (step.workgroups == 0) continue;
      step.barrier_before = std::exchange(barrier, false);
      plan.steps.push_back(step);
    }
    const Step step = plan_blend(gpu, instances, stage, plan);
    if (step.workgroups > 0) plan.steps.push_back(step);
  }
  return plan;
}

VkDescriptorBufferInfo bind(const Buffer& buffer, BufferRange range) {
  return {buffer.handle(), range.offset, range.size};
}

}  // namespace

Crowd::Crowd(std::unique_ptr<State> state) : state_(std::move(state)) {}
Crowd::~Crowd() = default;
Crowd::Crowd(Crowd&&) noexcept = default;
Crowd& Crowd::operator=(Crowd&&) noexcept = default;

Result<Crowd> Crowd::create(const Device& device, const GpuCharacter& character, const CrowdOptions& options) {
  const GpuCharacter::State& gpu = character.state();
  const CharacterData& data = *gpu.character;
  if (options.instances == 0 || options.frames_in_flight == 0) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("a crowd of '{}' needs at least one {}", data.name,
                                                         options.instances == 0 ? "instance" : "frame in flight"));
  }
  const std::uint64_t n = options.instances;
  const std::uint64_t joint_count = data.skeleton.joints.size();
  const CrowdStream streams[] = {{"positions", data.vertex_count() * sizeof(glm::vec3)},
                                 {"directions", data.vertex_count() * sizeof(glm::uvec2)},
                                 {"palettes", data.palette_size * sizeof(Affine)},
                                 {"joint matrices", joint_count * sizeof(glm::mat4)}};
  const Result<void> fits = check_ranges(streams, options.instances, device, data.name);
  if (!fits) return tl::unexpected(fits.error());
  const Result<const SkinningPipelines*> pipelines = skinning_pipelines(device);
  if (!pipelines) return tl::unexpected(pipelines.error());

  auto state = std::make_unique<State>();
  state->device = &device.internals();
  state->label = "crowd of '" + data.name + "'";
  state->instances = options.instances;
  state->joint_count = narrow(joint_count);
  state->pipelines = *pipelines;
  Plan plan = make_plan(gpu, options.instances);
  state->steps = std::move(plan.steps);

  const VkDeviceSize alignment = device.limits().minStorageBufferOffsetAlignment;
  VkDeviceSize vertices_end = 0;
  const BufferRange positions = append_range(vertices_end, n * streams[0].bytes_per_instance, alignment);
  const BufferRange directions = append_range(vertices_end, n * streams[1].bytes_per_instance, alignment);
  VkDeviceSize palette_end = 0;
  const BufferRange palette = append_range(palette_end, n * streams[2].bytes_per_instance, alignment);
  VkDeviceSize jobs_end = 0;
  const auto pose_job_bytes = std::as_bytes(std::span(plan.pose_jobs));
  const auto blend_job_bytes = std::as_bytes(std::span(plan.blend_jobs));
  const BufferRange pose_jobs = append_range(jobs_end, pose_job_bytes.size(), alignment);
  const BufferRange blend_jobs = append_range(jobs_end, blend_job_bytes.size(), alignment);
  VkDeviceSize joints_end = 0;
  std::vector<BufferRange> joint_slots;
  for (std::uint32_t slot = 0; slot < options.frames_in_flight; ++slot) {
    joint_slots.push_back(append_range(joints_end, n * streams[3].bytes_per_instance, alignment));
  }
  state->slot_bytes = joint_slots.size() > 1 ? joint_slots[1].offset : 0;
  state->layout = {.positions_offset = positions.offset,
                   .directions_offset = directions.offset,
                   .vertices_per_instance = data.vertex_count()};

  const struct {
    Buffer* buffer;
    BufferOptions options;
  } buffers[] = {
      {&state->vertices,
       {.size = vertices_end,
        .usage =
            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
        .name = "vertices of the " + state->label}},
      {&state->palette,
       {.size = palette_end,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
        .name = "palettes of the " + state->label}},
      {&state->jobs,
       {.size = jobs_end,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
        .name = "jobs of the " + state->label}},
      {&state->joints,
       {.size = joints_end,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
        .memory = MemoryUse::kStream,
        .name = "joint matrices of the " + state->label}},
  };
  for (const auto& [buffer, buffer_options] : buffers) {
    Result<Buffer> made = Buffer::create(device, buffer_options);
    if (!made) return tl::unexpected(made.error());
    *buffer = std::move(*made);
  }
  const BufferWrite job_writes[] = {{pose_jobs.offset, pose_job_bytes}, {blend_jobs.offset, blend_job_bytes}};
  const Result<void> written = write_buffer(device, state->jobs.handle(), job_writes);
  if (!written) return tl::unexpected(written.error());

  const std::uint32_t set_count = narrow((kPoseKernelCount + 1) * joint_slots.size());
  Result<DescriptorPool> pool = DescriptorPool::create(
      device, set_count, set_count * std::max(shared::kPoseBindPalette + 1, shared::kBlendBindNormals + 1),
      state->label);
  if (!pool) return tl::unexpected(pool.error());
  state->descriptors = std::move(*pool);
  for (const BufferRange& joint_slot : joint_slots) {
    for (std::size_t kernel = 0; kernel <= kBlendKernel; ++kernel) {
      std::vector<VkDescriptorBufferInfo> bindings;
      if (kernel == kBlendKernel) {
        bindings = {bind(state->jobs, blend_jobs),    bind(gpu.buffer, gpu.points),
                    bind(gpu.buffer, gpu.directions), bind(gpu.buffer, gpu.rows),
                    bind(state->palette, palette),    bind(state->palette, palette),
                    bind(state->vertices, positions), bind(state->vertices, directions)};
      } else {
        bindings = {bind(state->jobs, pose_jobs), bind(gpu.buffer, gpu.records[kernel]),
                    bind(state->joints, joint_slot), bind(state->vertices, positions), bind(state->palette, palette)};
      }
      const Result<VkDescriptorSet> set = state->descriptors.make_set(state->kernel(kernel), bindings);
      if (!set) return tl::unexpected(set.error());
      state->sets[kernel].push_back(*set);
    }
  }

  std::vector<glm::mat4> rest(joint_count);
  rest_matrices(data.skeleton, rest);
  state->poses.resize(std::size_t{options.instances} * joint_count);
  state->posed_slot.assign(options.instances, 0);
  Crowd crowd(std::move(state));
  for (std::uint32_t instance = 0; instance < options.instances; ++instance) crowd.pose(instance, rest);
  return crowd;
}

void Crowd::pose(std::uint32_t instance, std::span<const glm::mat4> joints) {
  assert(instance < state_->instances && joints.size() == state_->joint_count);
  State& state = *state_;
  std::copy(joints.begin(), joints.end(), state.poses.begin() + std::ptrdiff_t{instance} * state.joint_count);
  std::memcpy(state.pose_of(state.slot, instance), joints.data(), joints.size_bytes());
  state.posed_slot[instance] = state.slot;
}

void Crowd::record(VkCommandBuffer commands) {
  State& state = *state_;
  const std::size_t pose_bytes = state.joint_count * sizeof(glm::mat4);
  // What was not posed again keeps its pose.
  for (std::uint32_t instance = 0; instance < state.instances; ++instance) {
    if (state.posed_slot[instance] == state.slot) continue;
    std::memcpy(state.pose_of(state.slot, instance), &state.poses[std::size_t{instance} * state.joint_count],
                pose_bytes);
    state.posed_slot[instance] = state.slot;
  }
  if (pose_bytes > 0) state.joints.flush(state.slot * state.slot_bytes, state.instances * pose_bytes);

  const CommandLabel label(state.device->functions, commands, state.label.c_str());
  for (const Step& step : state.steps) {
    // From the step before, which wrote what this one reads. The first one waits for the frame before, whose blend
    // read the palettes that are now written.
    if (step.barrier_before) {
      memory_barrier(state.device->functions, commands, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                     VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                     VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
    }
    const ComputeKernel& kernel = state.kernel(step.kernel);
    const CommandLabel step_label(state.device->functions, commands, kernel.name().c_str());
    kernel.dispatch(commands, state.sets[step.kernel][state.slot], std::as_bytes(std::span(&step.range, 1)),
                    step.workgroups);
  }
  state.slot = (state.slot + 1) % narrow(state.sets[kBlendKernel].size());
}

std::uint32_t Crowd::instance_count() const { return state_->instances; }
VkBuffer Crowd::vertex_buffer() const { return state_->vertices.handle(); }
const VertexLayout& Crowd::layout() const { return state_->layout; }
VkBuffer Crowd::palette_buffer() const { return state_->palette.handle(); }

}  // namespace pelt::runtime
