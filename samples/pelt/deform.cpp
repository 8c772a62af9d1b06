// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>

#include <pelt/evaluate.h>
#include <pelt/point_cache.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/upload.h>
#include <pelt/tools/file_io.h>
#include <pelt/tools/parallel.h>
#include <pelt/try.h>

#include "samples/pelt/commands.h"
#include "samples/pelt/mesh_file.h"
#include "samples/pelt/progress_bar.h"

namespace pelt::samples {
namespace {

// Posed vertices of all meshes in packed order; valid until the next pose.
struct PosedVertices {
  std::span<const glm::vec3> positions;
  std::span<const glm::vec3> normals;
};
using Deform = std::function<Result<PosedVertices>(const TimedPose& frame)>;

// A command with its names and defaults resolved.
struct Plan {
  Poser poser;
  FrameRange frames;
  std::function<float(std::int32_t frame)> seconds;
};

Result<Plan> make_plan(const DeformCommand& command, const Character& character) {
  PELT_ASSIGN(const auto clip, within(command.file, clip_of(character, command.clip, !command.caches.empty(),
                                                            command.time.value_or(0))));
  PELT_ASSIGN(auto poser, within(command.file, Poser::create(character, {clip, command.caches, command.fps})));
  Plan plan{.poser = std::move(poser)};
  plan.seconds = [fps = command.fps](std::int32_t frame) { return static_cast<float>(frame / fps); };
  if (command.time) {
    plan.seconds = [time = *command.time](std::int32_t) { return time; };
  } else if (command.frames) {
    plan.frames = *command.frames;
  } else {
    const double frames = std::floor(plan.poser.duration() * command.fps + 1e-4);
    if (!(frames <= kMaxFrame)) {
      return fail(
          ErrorCode::kUnsupported,
          fmt::format("{}: lasts {:.6g} frames, but at most {} can be written whole; choose a range with --frames",
                      command.file, frames, kMaxFrame));
    }
    plan.frames.last = static_cast<std::int32_t>(frames);
  }
  note_end(plan.poser.duration(), plan.seconds(plan.frames.last));
  return plan;
}

// Deforms frame after frame, and returns the last one's vertices.
Result<PosedVertices> deform_all(const Deform& deform, const std::vector<TimedPose>& frames) {
  PosedVertices posed;
  for (const TimedPose& frame : frames) {
    PELT_ASSIGN(posed, deform(frame));
  }
  return posed;
}

// Prints how much will be written, and fails if the disk has no room for it.
Result<void> announce(const std::string& output, std::uint64_t points, std::int32_t samples) {
  const std::uint64_t bytes = sizeof(Pc2Header) + points * sizeof(glm::vec3) * static_cast<std::uint64_t>(samples);
  const std::filesystem::path folder = std::filesystem::path(output).parent_path();
  std::error_code code;
  const std::filesystem::space_info space = std::filesystem::space(folder.empty() ? "." : folder, code);
  if (!code && space.available < bytes) {
    return fail(ErrorCode::kWriteFailed, fmt::format("{}: takes {}, but the disk has room for {}", output,
                                                     format_bytes(bytes), format_bytes(space.available)));
  }
  fmt::print("{}: {} points, {} sample{}, {}\n", output, points, samples, samples == 1 ? "" : "s", format_bytes(bytes));
  std::fflush(stdout);
  return {};
}

Result<void> write_pc2(const DeformCommand& command, const Character& character, const Plan& plan,
                       const Deform& deform) {
  std::uint64_t points = 0;
  for (const CharacterMesh& mesh : character->meshes) points += mesh.control ? 0 : mesh.vertex_count();
  if (points > std::numeric_limits<std::int32_t>::max()) {
    return fail(ErrorCode::kUnsupported, fmt::format("{}: a PC2 file cannot have {} points", command.output, points));
  }
  const std::int32_t samples = plan.frames.last - plan.frames.first + 1;
  PELT_TRY(announce(command.output, points, samples));
  ProgressBar bar;
  static_assert(std::endian::native == std::endian::little && sizeof(glm::vec3) == 12, "values are copied as they are");
  const Pc2Header header{.points = static_cast<std::int32_t>(points),
                         .first_frame = static_cast<float>(plan.frames.first),
                         .frames_a_sample = 1,
                         .samples = samples};
  // Write sample by sample, so that a long cache needs little memory.
  PELT_ASSIGN(auto file, OutputFile::create(command.output));
  PELT_TRY(file.write(std::as_bytes(std::span(&header, 1))));
  std::vector<glm::vec3> ordered(points);
  std::vector<TimedPose> frames = plan.poser.way_to(plan.seconds(plan.frames.first));
  for (std::int32_t frame = plan.frames.first; frame <= plan.frames.last; ++frame) {
    if (frame != plan.frames.first) frames = plan.poser.way(plan.seconds(frame - 1), plan.seconds(frame));
    PELT_ASSIGN(const auto posed, deform_all(deform, frames));
    std::span<glm::vec3> rest = ordered;
    for (const CharacterMesh& mesh : character->meshes) {
      if (mesh.control) continue;
      to_source_order<glm::vec3>(mesh, posed.positions, rest.first(mesh.vertex_count()));
      rest = rest.subspan(mesh.vertex_count());
    }
    PELT_TRY(file.write(std::as_bytes(std::span(ordered))));
    bar.show((frame - plan.frames.first + 1.0) / samples, fmt::format("frame {}", frame));
  }
  PELT_TRY(file.commit());
  fmt::print("wrote {}, from frame {} on\n", command.output, plan.frames.first);
  return {};
}

Result<void> write_mesh(const DeformCommand& command, const Character& character, const Plan& plan,
                        const Deform& deform) {
  const float seconds = plan.seconds(plan.frames.first);
  const std::vector<TimedPose> frames = plan.poser.way_to(seconds);
  PELT_ASSIGN(const auto posed, deform_all(deform, frames));
  const std::vector<PosedMesh> meshes =
      posed_skins(character, frames.back().pose.joints, posed.positions, posed.normals);
  PELT_TRY(lower_extension(command.output) == ".obj" ? write_obj(command.output, meshes)
                                                     : write_glb(command.output, meshes, character->materials));
  fmt::print("wrote {}: {} mesh{} at {:.3f} s\n", command.output, meshes.size(), meshes.size() == 1 ? "" : "es",
             seconds);
  return {};
}

Result<void> write(const DeformCommand& command, const Character& character, const Plan& plan, const Deform& deform) {
  return lower_extension(command.output) == ".pc2" ? write_pc2(command, character, plan, deform)
                                                   : write_mesh(command, character, plan, deform);
}

Result<void> deform_on_gpu(const DeformCommand& command, const Character& character, const Plan& plan,
                           const runtime::Device& device) {
  const runtime::GpuCharacters uploaded = usable(runtime::upload(device, character));
  runtime::Crowd crowd = usable(runtime::Crowd::create(device, uploaded, {.outputs = {.control_meshes = true}}));
  runtime::InstanceVertices vertices;
  return write(command, character, plan, [&](const TimedPose& frame) -> Result<PosedVertices> {
    pose(crowd, frame);
    usable(runtime::run(device, crowd));
    vertices = usable(runtime::read_vertices(device, crowd, 0));
    return PosedVertices{vertices.positions, vertices.normals};
  });
}

}  // namespace

Result<void> run(const DeformCommand& command) {
  PELT_ASSIGN(const auto character, load_character(command.file, command.binding, command.level));
  PELT_ASSIGN(const auto plan, make_plan(command, character));
  if (command.on_gpu) {
    return with_device(command.gpu,
                       [&](const runtime::Device& device) { return deform_on_gpu(command, character, plan, device); });
  }
  Evaluator evaluator(character, {.jobs = thread_jobs()});
  return write(command, character, plan, [&](const TimedPose& frame) -> Result<PosedVertices> {
    move(evaluator, frame);
    return PosedVertices{evaluator.positions(), evaluator.normals()};
  });
}

}  // namespace pelt::samples
