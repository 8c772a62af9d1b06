// SPDX-License-Identifier: MIT
#include "samples/pelt/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include <pelt/runtime/read_back.h>
#include <pelt/tools/parallel.h>
#include <pelt/try.h>

namespace pelt::samples {

Result<void> with_device(const GpuOptions& options, const std::function<Result<void>(const runtime::Device&)>& body) {
  std::size_t messages = 0;
  runtime::DeviceOptions device_options;
  device_options.select = options.device;
  device_options.validation = options.validate;
  device_options.robust_buffer_access = options.robust;
  if (options.validate) {
    device_options.on_validation_message = [&](const std::string& message) {
      ++messages;
      fmt::print(stderr, "validation: {}\n", message);
    };
  }
  // Destroy the device before counting its messages.
  Result<void> done = [&] {
    const runtime::Device device = usable(runtime::Device::create(device_options));
    return body(device);
  }();
  if (done && messages != 0) return fail(ErrorCode::kDeviceFailed, fmt::format("{} validation messages", messages));
  return done;
}

void move(Evaluator& evaluator, const TimedPose& frame) {
  evaluator.advance(frame.seconds);
  evaluator.pose(frame.pose.joints);
  evaluator.inputs(frame.pose.inputs);
  evaluator.evaluate();
}

void pose(runtime::Crowd& crowd, const TimedPose& frame) {
  crowd.advance(frame.seconds);
  crowd.pose(0, frame.pose.joints);
  crowd.inputs(0, frame.pose.inputs);
}

Evaluator evaluated(const Character& character, std::span<const TimedPose> frames) {
  Evaluator evaluator(character, {.jobs = thread_jobs()});
  for (const TimedPose& frame : frames) move(evaluator, frame);
  return evaluator;
}

Result<double> difference_from_cpu(const runtime::Device& device, const runtime::Crowd& crowd,
                                   const Character& character, std::span<const TimedPose> frames) {
  PELT_ASSIGN(const auto vertices, runtime::read_vertices(device, crowd, 0));
  const Evaluator evaluator = evaluated(character, frames);
  float largest = 0;
  const runtime::CrowdMember& member = *crowd.member(crowd.instance(0)->character);
  for (std::uint32_t m = 0; m < character->meshes.size(); ++m) {
    const std::uint32_t first = member.mesh_vertices[m];
    if (first == shared::kNoIndex) continue;  // the crowd does not write drivers
    const CharacterMesh& mesh = character->meshes[m];
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
      const glm::vec3 cpu = evaluator.positions()[mesh.first_vertex + v];
      largest = std::max(largest, glm::distance(vertices.positions[first + v], cpu));
    }
  }
  return largest / character.size();
}

}  // namespace pelt::samples
