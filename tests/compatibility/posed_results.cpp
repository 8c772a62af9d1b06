// SPDX-License-Identifier: MIT
#include "tests/compatibility/posed_results.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include <pelt/evaluate.h>
#include <pelt/pose.h>

#include "tests/support/clip_joints.h"

namespace pelt::test {
namespace {

using nlohmann::json;

constexpr float kClipShare = 0.4f;  // of a clip's duration, at which it is sampled

// Rounds to what the text holds: six digits behind the point.
double rounded(float value) { return std::round(1e6 * static_cast<double>(value)) / 1e6; }

Evaluator posed(const Character& character, const StrongPose& pose, Detail detail) {
  Evaluator evaluator(character, {.same_everywhere = true});
  evaluator.set_detail(detail);
  evaluator.evaluate();  // secondary action starts at rest
  evaluator.pose(pose.joints);
  evaluator.inputs(pose.inputs);
  evaluator.advance(pose.seconds);
  evaluator.evaluate();
  return evaluator;
}

// Returns the values of the skins, in the model's order.
std::vector<glm::vec3> of_skins(const Character& character, std::span<const glm::vec3> packed) {
  std::vector<glm::vec3> all;
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.control) continue;
    std::vector<glm::vec3> values(mesh.vertex_count());
    to_source_order(mesh, packed, std::span(values));
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::vector<glm::vec3> sampled(const Skeleton& skeleton, const Clip& clip) {
  std::vector<glm::vec3> columns;
  for (const glm::mat4& matrix : test::clip_joints(skeleton, &clip, kClipShare * clip.duration)) {
    for (int c = 0; c < 4; ++c) columns.emplace_back(matrix[c]);
  }
  return columns;
}

}  // namespace

StrongPose strong_pose(const Character& character) {
  const Skeleton& skeleton = character->skeleton;
  std::vector<Transform> local(skeleton.joints.size());
  rest_pose(skeleton, local);
  for (std::size_t j = 0; j < local.size(); ++j) {
    const glm::vec3 axis = glm::normalize(glm::vec3(0.4f, static_cast<float>(j % 2), 0.7f));
    local[j].rotation = local[j].rotation * glm::angleAxis(glm::radians(j == 0 ? 25.0f : 75.0f), axis);
  }
  local[0].translation += glm::vec3(0.3f, -0.2f, 0.5f);
  local.back().scale *= 1.1f;

  StrongPose pose{.seconds = 0.1f, .joints = std::vector<glm::mat4>(local.size()), .inputs = {}};
  model_matrices(skeleton, local, pose.joints);
  for (glm::mat4& joint : pose.joints) {
    for (int c = 0; c < 4; ++c) {
      for (int r = 0; r < 4; ++r) joint[c][r] = static_cast<float>(rounded(joint[c][r]));
    }
  }
  pose.inputs.resize(character->input_count);
  rest_inputs(*character, pose.inputs);
  for (std::size_t i = 0; i < pose.inputs.size(); ++i) {
    pose.inputs[i] += 0.3f + 0.4f * std::sin(static_cast<float>(i));
    pose.inputs[i] = static_cast<float>(rounded(pose.inputs[i]));
  }
  return pose;
}

PosedResults posed_results(const Character& character, const StrongPose& pose) {
  PosedResults results;
  const Evaluator full = posed(character, pose, Detail::kFull);
  results["positions"] = of_skins(character, full.positions());
  results["normals"] = of_skins(character, full.normals());
  if (character->fit_pass() != nullptr) {
    results["linear fit"] = of_skins(character, posed(character, pose, Detail::kLinearFit).positions());
  }
  for (std::uint32_t level = 1; level <= character->coarsest_level(); ++level) {
    const Character coarse = character.at_level(level);
    results[fmt::format("level {}", level)] = of_skins(coarse, posed(coarse, pose, Detail::kFull).positions());
  }
  for (const Clip& clip : character->clips) results["clip " + clip.name] = sampled(character->skeleton, clip);
  return results;
}

std::string format_posed(const StrongPose& pose, const PosedResults& results) {
  json document{{"seconds", rounded(pose.seconds)}, {"joints", json::array()}, {"inputs", json::array()}};
  for (const glm::mat4& joint : pose.joints) {
    for (int c = 0; c < 4; ++c) {
      for (int r = 0; r < 4; ++r) document["joints"].push_back(rounded(joint[c][r]));
    }
  }
  for (const float input : pose.inputs) document["inputs"].push_back(rounded(input));
  for (const auto& [name, points] : results) {
    json& numbers = document["results"][name] = json::array();
    for (const glm::vec3& p : points) {
      for (int c = 0; c < 3; ++c) numbers.push_back(rounded(p[c]));
    }
  }
  return document.dump() + "\n";
}

void parse_posed(std::string_view text, StrongPose& pose, PosedResults& results) {
  const json document = json::parse(text);
  pose.seconds = document.at("seconds").get<float>();
  pose.inputs = document.at("inputs").get<std::vector<float>>();
  const auto joints = document.at("joints").get<std::vector<float>>();
  pose.joints.assign(joints.size() / 16, glm::mat4(0));
  for (std::size_t i = 0; i < joints.size(); ++i) {
    pose.joints[i / 16][static_cast<int>(i % 16 / 4)][static_cast<int>(i % 4)] = joints[i];
  }
  for (const auto& [name, value] : document.at("results").items()) {
    const auto numbers = value.get<std::vector<float>>();
    std::vector<glm::vec3>& points = results[name];
    for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
      points.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
    }
  }
}

}  // namespace pelt::test
