// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/bind_cost.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include <pelt/linear_blend.h>
#include <pelt/tools/judge_poses.h>

#include "engine/authoring/judge/bind_judge.h"
#include "engine/authoring/rig/deformer_entry.h"

namespace pelt {
namespace {

// These, JudgeCost and BindCost are seconds of one core of 2.5 GHz or so, in the mean over 14 characters of 300 to
// 40,000 vertices with 3 to 900 joints; a bind of one of them takes half to twice as long. To measure them anew, bind
// with BindOptions::progress, which names the stages as they begin.
constexpr double kManyVertices = 8000;  // of a large skin
constexpr double kPack = 0.5e-6;        // a vertex
constexpr double kFitBytes = 20;        // a vertex
constexpr double kFit = 20e-6;          // a vertex, those of levels too
constexpr double kPosesOfJoint = 3;     // sample poses a joint, where there are no clips

// Returns seconds where all but `alone` of the work is divided among threads.
double divided(double seconds, double alone, unsigned threads) {
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1u);
  return seconds * (alone + (1 - alone) / std::max(threads == 0 ? cores : std::min(threads, cores), 1u));
}

double judged_poses(const Model& model, double vertices) {
  double poses = 0;
  std::uint32_t clips = 0;
  const ClipSampling sampling;
  for (const Clip& clip : model.clips) {
    if (clip.duration <= kShortestJudgedClip || ++clips > sampling.clips) continue;
    poses += std::max(static_cast<double>(sampling.frames), std::floor(double{clip.duration}) + 1);
  }
  if (poses == 0) poses = kPosesOfJoint * static_cast<double>(model.bound_joints.size());
  return std::min(poses, std::max(double{kMaxMovedVertices} / std::max(vertices, 1.0), double{kMinJudgedPoses}));
}

}  // namespace

double expected_judgements(const Rig& rig) {
  const bool leaves = rig.judging == Judging::kFallback &&
                      std::ranges::any_of(rig.layers, [](const Layer& layer) { return gives_way(layer.deformer); });
  return leaves ? 2.5 : 1;
}

std::vector<BindStage> expected_stages(const BindInput& input) {
  const auto joints = static_cast<double>(input.model.bound_joints.size());
  const unsigned threads = input.options.threads;
  std::vector<double> of_layer(input.plan.layers.size(), 0.0);
  double skins = 0;
  double all = 0;
  const auto add = [&](std::span<const LayerAtMesh> layers, const Mesh& mesh) {
    const auto count = static_cast<double>(mesh.positions.size());
    for (const LayerAtMesh& at : layers) of_layer[at.layer] += count;
    all += layers.empty() ? 0 : count;
  };
  for (std::size_t m = 0; m < input.model.meshes.size(); ++m) {
    add(input.plan.meshes[m], input.model.meshes[m]);
    if (input.plan.is_skin(m)) skins += static_cast<double>(input.model.meshes[m].positions.size());
  }
  for (std::size_t i = 0; i < input.levels.size(); ++i) add(input.plan.levels[i], input.levels[i].mesh());

  std::vector<BindStage> stages;
  bool deforms = false;
  for (std::size_t l = 0; l < input.plan.layers.size(); ++l) {
    const DeformerParameters& deformer = input.plan.layers[l].deformer;
    const BindCost& cost = deformer_entry(deformer).cost;
    const double seconds = cost.vertex * of_layer[l] + cost.joint * joints * std::min(of_layer[l] / kManyVertices, 1.0);
    deforms = deforms || (of_layer[l] > 0 && deformer.name() != LinearBlendParameters::kName);
    stages.push_back({input.plan.layers[l].label, divided(seconds, 0.3, threads)});
  }
  stages.push_back({"packing", kPack * all});
  const bool judged = deforms && input.rig.judging != Judging::kNone;
  const double judging = skins * judged_poses(input.model, skins) *
                         (JudgeCost::kMade + expected_judgements(input.rig) * JudgeCost::kRound);
  stages.push_back({"judging", judged ? divided(judging, 0.1, threads) : 0});
  stages.push_back({"linear-blend fit", input.options.linear_fit ? divided(kFit * skins, 0.1, threads) : 0});
  return stages;
}

std::uint64_t expected_bytes(const BindInput& input, std::uint64_t plain) {
  double factor = 1;
  double skins = 0;
  for (std::size_t m = 0; m < input.model.meshes.size(); ++m) {
    if (!input.plan.is_skin(m)) continue;
    skins += static_cast<double>(input.model.meshes[m].positions.size());
    for (const LayerAtMesh& at : input.plan.meshes[m]) {
      factor = std::max(factor, deformer_entry(input.plan.layers[at.layer].deformer).cost.size);
    }
  }
  double bytes = factor * static_cast<double>(plain);
  if (input.options.linear_fit) bytes += kFitBytes * skins;
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace pelt
