// SPDX-License-Identifier: MIT
#include <chrono>
#include <glm/glm.hpp>
#include <memory>
#include <utility>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/pose.h>
#include <pelt/rig.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/upload.h>
#include <pelt/try.h>

#include "samples/pelt/bench/benches.h"
#include "samples/pelt/bench/interleave.h"
#include "samples/pelt/gpu.h"

namespace pelt::samples {
namespace {

struct Kind {
  const char* name;
  std::vector<const char*> deformers;  // one per character
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kinds{
      {"biped, linear blend", {"linear-blend"}},
      {"biped, surface FFD", {"surface-ffd"}},
      {"mix of four characters", {"linear-blend", "surface-ffd", "curve-skeleton", "mos"}}};
  return kinds;
}

// Returns the joint matrices at successive times of the clip.
std::vector<std::vector<glm::mat4>> poses_of(const Skeleton& skeleton, const Clip& clip) {
  constexpr std::uint32_t kPoses = 16;
  std::vector<Transform> local(skeleton.joints.size());
  std::vector<std::vector<glm::mat4>> poses(kPoses, std::vector<glm::mat4>(local.size()));
  for (std::uint32_t p = 0; p < kPoses; ++p) {
    rest_pose(skeleton, local);
    sample_clip(clip, clip.duration * static_cast<float>(p) / kPoses, local);
    model_matrices(skeleton, local, poses[p]);
  }
  return poses;
}

Result<std::vector<Character>> make_characters(const Model& model, const Kind& kind) {
  std::vector<Character> characters;
  for (const char* deformer : kind.deformers) {
    PELT_ASSIGN(auto rig, rig_from_deformer_name(deformer));
    rig.check = CheckMode::kReport;  // only the deformer is measured, and with the rows that the check reduces
    PELT_ASSIGN(auto bound, bind(model, rig));
    characters.push_back(std::move(bound.character));
  }
  return characters;
}

// Divides instances equally, rounded up: the sum may be greater than `instances`.
std::vector<std::uint32_t> shares(std::uint32_t instances, std::size_t characters) {
  const auto count = static_cast<std::uint32_t>(characters);
  return std::vector<std::uint32_t>(characters, (instances + count - 1) / count);
}

struct CrowdTask {
  std::size_t row;  // of the results
  runtime::Crowd crowd;
  std::vector<double> host_seconds;  // one value per frame
};

// Gives every instance its own pose, the next one each frame, and returns the device's seconds.
Result<double> move(const runtime::Device& device, runtime::GpuTimer& timer,
                    const std::vector<std::vector<glm::mat4>>& poses, CrowdTask& task) {
  return device_seconds(device, timer, [&](VkCommandBuffer commands) {
    const std::size_t frame = task.host_seconds.size();
    const auto start = std::chrono::steady_clock::now();
    for (std::uint32_t i = 0; i < task.crowd.instance_count(); ++i) {
      task.crowd.pose(i, poses[(i + frame) % poses.size()]);
    }
    task.crowd.record(commands);
    task.host_seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  });
}

}  // namespace

Result<Json> bench_crowds(const runtime::Device& device, std::uint32_t most, std::size_t rounds) {
  PELT_ASSIGN(auto timer, runtime::GpuTimer::create(device, 2));
  const Model model = make_biped();
  const std::vector<std::vector<glm::mat4>> poses = poses_of(model.skeleton, model.clips.front());
  std::vector<runtime::GpuCharacters> uploads;
  uploads.reserve(kinds().size());  // crowds point into it, so it must not grow
  Json rows = Json::array();
  std::vector<std::unique_ptr<CrowdTask>> tasks;
  std::vector<Contender> contenders;
  for (const Kind& kind : kinds()) {
    PELT_ASSIGN(const auto characters, make_characters(model, kind));
    PELT_ASSIGN(auto uploaded, runtime::upload(device, characters));
    uploads.push_back(std::move(uploaded));
    for (std::uint64_t size = 1; size <= most; size *= 10) {
      runtime::CrowdOptions options{.instances = shares(static_cast<std::uint32_t>(size), characters.size()),
                                    .frames_in_flight = 1};
      std::uint32_t instances = 0;
      std::uint64_t vertices = 0;
      for (std::size_t c = 0; c < characters.size(); ++c) {
        instances += options.instances[c];
        vertices += std::uint64_t{options.instances[c]} * skin_vertices(*characters[c]);
      }
      Json& row = rows.emplace_back(Json{{"crowd", kind.name}, {"instances", instances}, {"vertices", vertices}});
      auto crowd = runtime::Crowd::create(device, uploads.back(), options);
      if (!crowd && crowd.error().code != ErrorCode::kUnsupported) return tl::unexpected(crowd.error());
      if (!crowd) {
        row["refusal"] = crowd.error().message;
        continue;
      }
      row.update({{"dispatches", crowd->passes().names.size()},
                  {"barriers", crowd->passes().barriers},
                  {"bytes", crowd->bytes().total()}});
      tasks.push_back(std::make_unique<CrowdTask>(CrowdTask{rows.size() - 1, std::move(*crowd), {}}));
      CrowdTask* const task = tasks.back().get();
      contenders.push_back([&device, &timer, &poses, task] { return move(device, timer, poses, *task); });
      PELT_TRY(contenders.back()());
      PELT_ASSIGN(row["error"], difference_from_cpu(device, task->crowd, characters.front(), {poses[0], {}}));
      task->host_seconds.clear();
    }
  }
  PELT_ASSIGN(const auto seconds, interleave(contenders, rounds));

  std::size_t least = 0;  // index of the task with the smallest crowd of this kind
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    Json& row = rows[tasks[t]->row];
    if (rows[tasks[least]->row]["crowd"] != row["crowd"]) least = t;
    const double vertices = row["vertices"];
    std::vector<double> per_vertex = seconds[t];
    for (double& value : per_vertex) value *= rows[tasks[least]->row]["vertices"].get<double>() / vertices;
    std::vector<double>& host = tasks[t]->host_seconds;
    host.erase(host.begin());  // the warm-up round
    const Spread spread = spread_of(seconds[t]);
    row.update({{"seconds", to_json(spread)},
                {"seconds_per_vertex", spread.median / vertices},
                {"seconds_per_vertex_of_least", ratio_json(ratio_of(per_vertex, seconds[least]))},
                {"host_seconds", to_json(spread_of(host))}});
  }
  return rows;
}

}  // namespace pelt::samples
