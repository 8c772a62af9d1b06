// SPDX-License-Identifier: MIT
#include "engine/authoring/learn/certificate.h"

#include <algorithm>
#include <cmath>

#include "engine/authoring/base/parallel_each.h"
#include "shaders/morph/morph.h"

namespace pelt::learning {

void Errors::add(double distance, std::size_t in_pose) {
  squared += distance * distance;
  ++count;
  if (distance > most) most = distance, pose = in_pose;
}

void Errors::add(const Errors& other) {
  squared += other.squared;
  count += other.count;
  if (other.most > most) most = other.most, pose = other.pose;
}

double Errors::rms() const { return count == 0 ? 0 : std::sqrt(squared / static_cast<double>(count)); }

void ErrorMap::add(std::span<const glm::vec3> positions, std::span<const glm::vec3> truth, std::size_t pose) {
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const double distance = glm::distance(glm::dvec3(positions[v]), glm::dvec3(truth[v]));
    of_joint[(*joint_of_)[v]].add(distance, pose);
    of_vertex[v] = std::max(of_vertex[v], static_cast<float>(distance));
  }
}

Errors ErrorMap::all() const {
  Errors sum;
  for (const Errors& errors : of_joint) sum.add(errors);
  return sum;
}

std::uint32_t row_words(const CharacterData& data) {
  const bool tangents = std::ranges::any_of(data.meshes, [](const auto& mesh) { return !mesh.uvs.empty(); });
  return tangents ? shared::kMorphTangentWords : shared::kMorphNormalWords;
}

double blend_words(const CharacterData& data) {
  double words = 0;
  for (const CharacterMesh& mesh : data.meshes) {
    const PackedBinding& b = mesh.binding;
    words +=
        static_cast<double>(5 * b.points.size() + b.influences.size() + b.gradients.size() + 4 * b.local_points.size());
  }
  return words;
}

std::vector<Contradiction> find_contradictions(const Problem& problem) {
  constexpr double kAlike = 0.002;  // radians, of rotation vectors
  const std::size_t poses = problem.poses.size(), joints = problem.regions.vertices.size();
  // All joints must be alike: a deformer may follow joints farther away than those painted.
  const auto are_alike = [&](std::size_t a, std::size_t b) {
    return std::ranges::all_of(problem.regions.turns, [&](const Eigen::MatrixX3d& turns) {
      const Eigen::RowVector3d difference =
          turns.row(static_cast<Eigen::Index>(a)) - turns.row(static_cast<Eigen::Index>(b));
      return difference.squaredNorm() < kAlike * kAlike;
    });
  };
  std::vector<std::size_t> first(poses);  // the first pose that is alike
  parallel_each(poses, 1, problem.threads, [&](std::size_t b) {
    while (!are_alike(first[b], b)) ++first[b];
  });
  std::vector<Contradiction> worst(joints);
  parallel_each(joints, 1, problem.threads, [&](std::size_t j) {
    for (std::size_t b = 0; b < poses; ++b) {
      const std::size_t a = first[b];
      if (a == b) continue;
      for (const std::uint32_t v : problem.regions.vertices[j]) {
        const double distance =
            glm::distance(problem.residual[a * problem.vertices() + v], problem.residual[b * problem.vertices() + v]);
        if (distance > worst[j].distance) worst[j] = {static_cast<std::uint32_t>(j), {a, b}, distance};
      }
    }
  });
  std::erase_if(worst, [&](const Contradiction& c) { return c.distance <= problem.within; });
  std::ranges::stable_sort(worst,
                           [](const Contradiction& a, const Contradiction& b) { return a.distance > b.distance; });
  return worst;
}

}  // namespace pelt::learning
