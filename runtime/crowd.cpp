// SPDX-License-Identifier: MIT
#include "runtime/crowd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <map>
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
  std::uint32_t stage = 0;
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

// What the host gives every instance a frame, one slot for each frame in flight. The device reads it where the host
// writes it: a matrix is read once or twice a frame, so that a copy to faster memory would cost more than it saves, and
// a barrier besides.
class InputRing {
 public:
  InputRing() = default;

  static Result<InputRing> create(const Device& device, std::uint32_t instances, std::uint32_t slots,
                                  std::span<const float> rest, const std::string& name) {
    InputRing ring;
    ring.floats_ = rest.size();
    VkDeviceSize end = 0;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      ring.slots_.push_back(
          append_range(end, instances * rest.size_bytes(), device.limits().minStorageBufferOffsetAlignment));
    }
    Result<Buffer> buffer = Buffer::create(
        device, {.size = end, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, .memory = MemoryUse::kStream, .name = name});
    if (!buffer) return tl::unexpected(buffer.error());
    ring.buffer_ = std::move(*buffer);
    ring.values_.reserve(instances * rest.size());
    ring.written_slot_.assign(instances, 0);
    for (std::uint32_t i = 0; i < instances; ++i) {
      ring.values_.insert(ring.values_.end(), rest.begin(), rest.end());
      ring.write(0, i);
    }
    return ring;
  }

  // Floats [first, first + values.size()) of an instance, for the frame that uses `slot`.
  void set(std::uint32_t slot, std::uint32_t instance, std::size_t first, std::span<const float> values) {
    assert(first + values.size() <= floats_);
    std::copy(values.begin(), values.end(), values_.begin() + std::ptrdiff_t(instance * floats_ + first));
    if (written_slot_[instance] != slot) {
      write(slot, instance);
    } else {
      std::memcpy(of(slot, instance) + first * sizeof(float), values.data(), values.size_bytes());
    }
  }

  // Brings what was not set again into the slot, and all of it to the device's eyes.
  void finish(std::uint32_t slot) {
    if (floats_ == 0) return;
    for (std::uint32_t instance = 0; instance < written_slot_.size(); ++instance) {
      if (written_slot_[instance] != slot) write(slot, instance);
    }
    buffer_.flush(slots_[slot].offset, values_.size() * sizeof(float));
  }

  const Buffer& buffer() const { return buffer_; }
  BufferRange range(std::uint32_t slot) const { return slots_[slot]; }

 private:
  std::byte* of(std::uint32_t slot, std::uint32_t instance) {
    return buffer_.mapped() + slots_[slot].offset + instance * floats_ * sizeof(float);
  }
  void write(std::uint32_t slot, std::uint32_t instance) {
    if (floats_ > 0) std::memcpy(of(slot, instance), &values_[instance * floats_], floats_ * sizeof(float));
    written_slot_[instance] = slot;
  }

  std::size_t floats_ = 0;  // of an instance
  Buffer buffer_;
  std::vector<BufferRange> slots_;
  std::vector<float> values_;                // the latest of each instance: mapped memory is slow to read
  std::vector<std::uint32_t> written_slot_;  // the slot that each was last written to
};

std::span<const float> as_floats(std::span<const glm::mat4> matrices) {
  return matrices.empty() ? std::span<const float>() : std::span(&matrices[0][0][0], 16 * matrices.size());
}

std::span<const float> as_floats(std::span<const glm::vec3> points) {
  return points.empty() ? std::span<const float>() : std::span(&points[0][0], 3 * points.size());
}

}  // namespace

struct Crowd::State {
  DeviceInternals* device = nullptr;
  Character character;
  std::string label;
  std::uint32_t instances = 0;
  VertexLayout layout;
  Buffer palette;
  Buffer vertices;
  Buffer jobs;
  DescriptorPool descriptors;
  std::array<std::vector<VkDescriptorSet>, kPoseKernelCount + 1> sets;  // of each kernel, one for each slot of the ring
  const SkinningPipelines* pipelines = nullptr;
  std::vector<Step> steps;
  std::vector<std::string> names;  // of steps

  InputRing joints;  // matrices
  InputRing inputs;  // streamed positions and controls; empty where the caller's buffer has them
  bool own_inputs = true;
  std::uint32_t slot = 0;

  const ComputeKernel& kernel(std::size_t number) const {
    return number == kBlendKernel ? pipelines->blend : pipelines->pose[number];
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
  Step step{.kernel = kernel, .stage = stage};
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
                              .palette_stride = data.palette_size,
                              .table_first = gpu.first_words[p],
                              .input_first = 0,
                              .input_stride = data.input_count});
    step.workgroups += blocks(pass.record_count, shared::kPoseWorkgroupSize) * instances;
  }
  step.range.job_count = narrow(plan.pose_jobs.size()) - step.range.first_job;
  return step;
}

// All meshes of a stage.
Step plan_blend(const GpuCharacter::State& gpu, std::uint32_t instances, std::uint32_t stage, Plan& plan) {
  const CharacterData& data = *gpu.character;
  Step step{.kernel = kBlendKernel, .stage = stage};
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
                               .output_stride = data.vertex_count(),
                               .offset_first = mesh.offset_slot.value_or(shared::kNoSlot),
                               .root_slot = mesh.wires ? mesh.wires->root_slot : 0,
                               .wires_exponent = mesh.wires ? mesh.wires->exponent : 0.0f,
                               .first_slope_slice = mesh.binding.slopes.empty() ? shared::kNoSlot : start.slope_slice,
                               .first_slope = start.slope,
                               .first_local = start.local_point});
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

std::vector<std::string> step_names(std::span<const Step> steps, const CharacterData& data) {
  std::vector<std::string> names;
  std::map<std::string, int> count;
  for (const Step& step : steps) {
    const bool skins = std::any_of(data.meshes.begin(), data.meshes.end(), [&](const CharacterMesh& mesh) {
      return mesh.stage == step.stage && mesh.vertex_count() > 0 && !mesh.control;
    });
    names.push_back(step.kernel != kBlendKernel
                        ? std::string("pose ") + pose_kernel(static_cast<PoseKernel>(step.kernel)).name
                        : std::string(skins ? "blend of skins" : "blend of drivers"));
    ++count[names.back()];
  }
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (count[names[s]] > 1) names[s] += fmt::format(", stage {}", steps[s].stage);
  }
  return names;
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
                                 {"joint matrices", joint_count * sizeof(glm::mat4)},
                                 {"inputs", data.input_count * sizeof(float)}};
  const Result<void> fits = check_ranges(streams, options.instances, device, data.name);
  if (!fits) return tl::unexpected(fits.error());
  const Result<const SkinningPipelines*> pipelines = skinning_pipelines(device);
  if (!pipelines) return tl::unexpected(pipelines.error());

  auto state = std::make_unique<State>(State{.character = gpu.character});
  state->device = &device.internals();
  state->label = "crowd of '" + data.name + "'";
  state->instances = options.instances;
  state->pipelines = *pipelines;
  Plan plan = make_plan(gpu, options.instances);
  state->steps = std::move(plan.steps);
  state->names = step_names(state->steps, data);

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
  };
  for (const auto& [buffer, buffer_options] : buffers) {
    Result<Buffer> made = Buffer::create(device, buffer_options);
    if (!made) return tl::unexpected(made.error());
    *buffer = std::move(*made);
  }
  const BufferWrite job_writes[] = {{pose_jobs.offset, pose_job_bytes}, {blend_jobs.offset, blend_job_bytes}};
  const Result<void> written = write_buffer(device, state->jobs.handle(), job_writes);
  if (!written) return tl::unexpected(written.error());

  std::vector<glm::mat4> rest(joint_count);
  rest_matrices(data.skeleton, rest);
  Result<InputRing> joints = InputRing::create(device, options.instances, options.frames_in_flight, as_floats(rest),
                                               "joint matrices of the " + state->label);
  if (!joints) return tl::unexpected(joints.error());
  state->joints = std::move(*joints);
  state->own_inputs = options.input_buffer == VK_NULL_HANDLE;
  if (state->own_inputs) {
    std::vector<float> values(data.input_count);
    rest_inputs(data, values);
    Result<InputRing> inputs =
        InputRing::create(device, options.instances, options.frames_in_flight, values, "inputs of the " + state->label);
    if (!inputs) return tl::unexpected(inputs.error());
    state->inputs = std::move(*inputs);
  }

  const std::uint32_t set_count = narrow((kPoseKernelCount + 1) * std::uint64_t{options.frames_in_flight});
  Result<DescriptorPool> pool = DescriptorPool::create(
      device, set_count, set_count * std::max(shared::kPoseBindCount, shared::kBlendBindCount), state->label);
  if (!pool) return tl::unexpected(pool.error());
  state->descriptors = std::move(*pool);
  for (std::uint32_t slot = 0; slot < options.frames_in_flight; ++slot) {
    const VkDescriptorBufferInfo inputs =
        state->own_inputs ? bind(state->inputs.buffer(), state->inputs.range(slot))
                          : VkDescriptorBufferInfo{options.input_buffer, options.input_offset,
                                                   std::max<VkDeviceSize>(n * streams[4].bytes_per_instance, 4)};
    for (std::size_t kernel = 0; kernel <= kBlendKernel; ++kernel) {
      std::vector<VkDescriptorBufferInfo> bindings;
      if (kernel == kBlendKernel) {
        bindings = {bind(state->jobs, blend_jobs),    bind(gpu.buffer, gpu.points),
                    bind(gpu.buffer, gpu.directions), bind(gpu.buffer, gpu.rows),
                    bind(state->palette, palette),    bind(state->palette, palette),
                    bind(state->vertices, positions), bind(state->vertices, directions)};
      } else {
        bindings = {bind(state->jobs, pose_jobs),
                    bind(gpu.buffer, gpu.records[kernel]),
                    bind(state->joints.buffer(), state->joints.range(slot)),
                    bind(state->vertices, positions),
                    bind(state->palette, palette),
                    bind(gpu.buffer, gpu.tables),
                    inputs};
      }
      const Result<VkDescriptorSet> set = state->descriptors.make_set(state->kernel(kernel), bindings);
      if (!set) return tl::unexpected(set.error());
      state->sets[kernel].push_back(*set);
    }
  }
  return Crowd(std::move(state));
}

void Crowd::pose(std::uint32_t instance, std::span<const glm::mat4> joints) {
  assert(instance < state_->instances && joints.size() == state_->character->skeleton.joints.size());
  state_->joints.set(state_->slot, instance, 0, as_floats(joints));
}

void Crowd::inputs(std::uint32_t instance, std::span<const float> values) {
  assert(instance < state_->instances && state_->own_inputs && values.size() == state_->character->input_count);
  state_->inputs.set(state_->slot, instance, 0, values);
}

void Crowd::stream(std::uint32_t instance, std::uint32_t stream, std::span<const glm::vec3> positions) {
  const CharacterData& data = *state_->character;
  assert(instance < state_->instances && state_->own_inputs);
  assert(positions.size() == data.meshes[data.streams[stream].mesh].vertex_count());
  state_->inputs.set(state_->slot, instance, data.streams[stream].first_input, as_floats(positions));
}

void Crowd::control(std::uint32_t instance, std::uint32_t control, float value) {
  assert(instance < state_->instances && state_->own_inputs);
  state_->inputs.set(state_->slot, instance, state_->character->controls[control].input, std::span(&value, 1));
}

void Crowd::record(VkCommandBuffer commands, GpuTimer* timer) {
  State& state = *state_;
  state.joints.finish(state.slot);
  state.inputs.finish(state.slot);

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
    if (timer != nullptr) timer->stamp(commands);
  }
  state.slot = (state.slot + 1) % narrow(state.sets[kBlendKernel].size());
}

std::span<const std::string> Crowd::passes() const { return state_->names; }
std::uint32_t Crowd::instance_count() const { return state_->instances; }
VkBuffer Crowd::vertex_buffer() const { return state_->vertices.handle(); }
const VertexLayout& Crowd::layout() const { return state_->layout; }
VkBuffer Crowd::palette_buffer() const { return state_->palette.handle(); }

}  // namespace pelt::runtime
