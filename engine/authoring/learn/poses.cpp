// SPDX-License-Identifier: MIT
#include "engine/authoring/learn/poses.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string_view>

#include <pelt/finite.h>
#include <pelt/nearest_name.h>
#include <pelt/point_cache.h>
#include <pelt/pose.h>
#include <pelt/tools/clip_poses.h>
#include <pelt/tools/file_io.h>
#include <pelt/tools/json_fields.h>
#include <pelt/tools/parallel.h>
#include <pelt/try.h>

#include "engine/authoring/key_weights/bind.h"
#include "engine/authoring/model/find_named.h"
#include "engine/character/base/invalid.h"
#include "engine/character/rows/morphs.h"

namespace pelt::learning {
namespace {

std::size_t skin_vertices(const CharacterData& data) {
  std::size_t count = 0;
  for (const CharacterMesh& mesh : data.meshes) count += mesh.control ? 0 : mesh.vertex_count();
  return count;
}

// Returns the local rotation of a joint in a pose of a file.
Result<glm::quat> rotation_of(const json_fields::Json& numbers, const Joint& joint, const std::string& what) {
  const bool is_list = numbers.is_array() && (numbers.size() == 3 || numbers.size() == 4);
  if (!is_list || !std::ranges::all_of(numbers, [](const auto& n) {
        return n.is_number() && std::abs(n.template get<double>()) <= 1e6;
      })) {
    return invalid("{}: joint '{}' needs three angles, or four numbers of a quaternion", what, joint.name);
  }
  glm::dquat turn(1, 0, 0, 0);
  if (numbers.size() == 4) {
    turn = glm::dquat(numbers[3].get<double>(), numbers[0].get<double>(), numbers[1].get<double>(),
                      numbers[2].get<double>());
    if (!(glm::length(turn) > 1e-6)) return invalid("{}: the quaternion of joint '{}' is 0", what, joint.name);
    return glm::quat(glm::normalize(turn));
  }
  for (int axis = 0; axis < 3; ++axis) {
    glm::dvec3 about(0);
    about[axis] = 1;
    turn = glm::angleAxis(glm::radians(numbers[static_cast<std::size_t>(axis)].get<double>()), about) * turn;
  }
  return glm::quat(glm::dquat(joint.rest.rotation) * turn);
}

// Reads the poses of a .json.
Result<std::vector<Pose>> read_poses(const std::string& path, const CharacterData& data) {
  PELT_ASSIGN(const auto bytes, read_file(path));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  PELT_ASSIGN(const auto list, json_fields::parse_json(text, path));
  if (!list.is_array()) return fail(ErrorCode::kInvalidFile, fmt::format("{}: is no JSON list of poses", path));
  std::vector<Pose> poses;
  std::vector<Transform> local(data.skeleton.joints.size());
  for (const json_fields::Json& given : list) {
    const std::string what = fmt::format("{}: pose {}", path, poses.size());
    if (!given.is_object()) return invalid("{}: is no object of joints", what);
    rest_pose(data.skeleton, local);
    for (const auto& [name, numbers] : given.items()) {
      PELT_ASSIGN(const auto joint, find_joint(data.skeleton, name, what));
      PELT_ASSIGN(local[joint].rotation, rotation_of(numbers, data.skeleton.joints[joint], what));
    }
    Pose pose{.frame = static_cast<std::uint32_t>(poses.size())};
    pose.joints.resize(local.size());
    model_matrices(data.skeleton, local, pose.joints);
    pose.inputs.resize(data.input_count);
    rest_inputs(data, pose.inputs);
    poses.push_back(std::move(pose));
  }
  return poses;
}

Result<std::vector<Pose>> poses_of(const std::string& name, const PointCache& cache, double fps,
                                   const CharacterData& data) {
  if (name.ends_with(".json")) return read_poses(name, data);
  const Clip* clip = find_clip(data.clips, name);
  if (clip == nullptr) return tl::unexpected(unknown_name("clip", "clips", name, data.clips, &Clip::name));
  PosePlayer player(data);
  std::vector<Pose> poses(cache.frames);
  for (std::uint32_t k = 0; k < cache.frames; ++k) {
    const double frame = double{cache.start} + k * double{cache.rate};
    player.pose(
        {.clip = static_cast<std::uint32_t>(clip - data.clips.data()), .seconds = static_cast<float>(frame / fps)});
    const auto far = std::ranges::find_if_not(player.joints(), [](const glm::mat4& joint) { return is_near(joint); });
    if (far != player.joints().end()) {
      return invalid("{}: at frame {} joint '{}' is not finite, or beyond {:g} m", name, frame,
                     data.skeleton.joints[static_cast<std::size_t>(far - player.joints().begin())].name,
                     kMaxCoordinate);
    }
    poses[k] = {
        0, k, {player.joints().begin(), player.joints().end()}, {player.inputs().begin(), player.inputs().end()}};
  }
  return poses;
}

// Returns the character with three morph targets instead of its own, which move each skin along x, y and z; their
// weights are the last three inputs.
Result<Character> with_probes(const Character& character, float step) {
  CharacterData data = *character;
  data.levels.clear();
  key_weights::WeightTable weights;
  for (std::uint32_t i = 0; i < 3; ++i) {
    weights.add_weight({weights.add_input(data.input_count + i, 0)});
    data.controls.push_back(
        {ControlKind::kExpression, fmt::format("learnt offset {}", i), "", 0, 0.0f, data.input_count + i});
  }
  PalettePass pass = weights.finish();
  pass.first_entry = data.palette_size++;
  data.input_count += 3;
  for (CharacterMesh& mesh : data.meshes) {
    if (mesh.control) continue;
    std::vector<glm::vec3> offsets[3];
    std::vector<MorphOffsets> targets;
    for (int i = 0; i < 3; ++i) {
      glm::vec3 offset(0);
      offset[i] = step;
      offsets[i].assign(mesh.vertex_count(), offset);
      targets.push_back({offsets[i], {}, {}});
    }
    mesh.morphs = pack_morphs(targets, mesh.vertex_count(), {});
    mesh.morphs->first_entry = pass.first_entry;
  }
  data.passes.push_back(std::move(pass));
  return Character::create(std::move(data));
}

}  // namespace

Result<Poses> load_poses(const Character& character, const LearnOptions& options) {
  const CharacterData& data = *character;
  if (!data.streams.empty())
    return invalid("a streamed driver moves the skin, so that its joints do not tell its shape");
  Poses all{.vertices = skin_vertices(data)};
  struct Read {
    PointCache cache;
    std::vector<Pose> poses;
  };
  std::vector<Read> read;
  for (const CachedPoses& given : options.sequences) {
    PELT_ASSIGN(auto cache, load_pc2(given.cache));
    constexpr std::uint32_t kMostSamples = 100'000;  // all are posed before some are left out
    if (cache.frames > kMostSamples) {
      return invalid("{}: has {} samples, but at most {} are read", given.cache, cache.frames, kMostSamples);
    }
    if (cache.count != all.vertices) {
      return invalid("{}: has {} points, but the model's skins have {} vertices", given.cache, cache.count,
                     all.vertices);
    }
    PELT_ASSIGN(auto poses, within(given.cache, poses_of(given.poses, cache, options.fps, data)));
    if (poses.size() != cache.frames) {
      return invalid("{}: has {} samples, but {} has {} poses", given.cache, cache.frames, given.poses, poses.size());
    }
    all.given += poses.size();
    read.push_back({std::move(cache), std::move(poses)});
  }
  const std::size_t kept = std::min(all.given, kMaxLearntPoses);
  all.truth.reserve(kept * all.vertices);
  std::size_t first = 0;  // pose of the sequence
  for (std::uint32_t s = 0; s < read.size(); ++s) {
    for (std::size_t p = 0; p < read[s].poses.size(); ++p) {
      // Keeps a pose if its number, scaled to the poses that are kept, rises.
      const std::size_t i = first + p;
      if (i > 0 && i * kept / all.given == (i - 1) * kept / all.given) continue;
      all.poses.push_back(std::move(read[s].poses[p]));
      all.poses.back().sequence = s;
      const std::span<const glm::vec3> frame = read[s].cache.frame(static_cast<std::uint32_t>(p));
      all.truth.insert(all.truth.end(), frame.begin(), frame.end());
    }
    first += read[s].poses.size();
    read[s] = {};
  }
  return all;
}

glm::vec3 at_rest(const glm::mat3& motion, glm::dvec3 wrong) {
  constexpr double kFlat = 0.35;
  Eigen::Matrix3d a;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) a(row, column) = static_cast<double>(motion[column][row]);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(a.transpose() * a);
  const Eigen::Vector3d along =
      axes.eigenvectors().transpose() * a.transpose() * Eigen::Vector3d(wrong.x, wrong.y, wrong.z);
  const Eigen::Vector3d offset = axes.eigenvectors() * along.cwiseQuotient(axes.eigenvalues().cwiseMax(kFlat * kFlat));
  return glm::vec3(offset.x(), offset.y(), offset.z());
}

double edge_square(const CharacterData& data, std::span<const glm::vec3> positions) {
  double sum = 0;
  std::size_t count = 0;
  for (const CharacterMesh& mesh : data.meshes) {
    if (mesh.control) continue;
    for (const glm::uvec3& t : mesh.triangles) {
      for (int i = 0; i < 3; ++i) {
        const glm::vec3 edge = positions[mesh.source_vertex[t[i]]] - positions[mesh.source_vertex[t[(i + 1) % 3]]];
        sum += static_cast<double>(glm::dot(edge, edge));
        ++count;
      }
    }
    positions = positions.subspan(mesh.vertex_count());
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

Result<Mover> Mover::create(const Character& character, unsigned threads, bool follows) {
  Mover mover(character, threads);
  if (follows) {
    PELT_ASSIGN(const auto probe, with_probes(character, character.size()));
    mover.probe_.emplace(probe, Evaluator::Options{.jobs = thread_jobs(threads), .normals = false, .tangents = false});
  }
  return mover;
}

Mover::Mover(const Character& character, unsigned threads)
    : evaluator_(character, {.jobs = thread_jobs(threads), .normals = false, .tangents = false}),
      positions_(skin_vertices(*character)),
      moved_(positions_.size()),
      motions_(positions_.size()),
      step_(character.size()) {}

void Mover::copy(const Evaluator& from, std::vector<glm::vec3>& to) const {
  std::span<glm::vec3> rest = to;
  for (const CharacterMesh& mesh : from.character()->meshes) {
    if (mesh.control) continue;
    to_source_order<glm::vec3>(mesh, from.positions(), rest.first(mesh.vertex_count()));
    rest = rest.subspan(mesh.vertex_count());
  }
}

void Mover::pose(const Pose& pose) {
  evaluator_.pose(pose.joints);
  evaluator_.inputs(pose.inputs);
  evaluator_.evaluate();
  copy(evaluator_, positions_);
}

void Mover::follow(const Pose& pose) {
  std::vector<float> inputs = pose.inputs;
  inputs.resize(inputs.size() + 3, 0.0f);
  probe_->pose(pose.joints);
  const auto evaluate = [&](std::vector<glm::vec3>& to) {
    probe_->inputs(inputs);
    probe_->evaluate();
    copy(*probe_, to);
  };
  std::vector<glm::vec3> rest(moved_.size());
  evaluate(rest);
  for (int i = 0; i < 3; ++i) {
    float& weight = inputs[inputs.size() - 3 + static_cast<std::size_t>(i)];
    weight = 1;
    evaluate(moved_);
    weight = 0;
    for (std::size_t v = 0; v < moved_.size(); ++v) motions_[v][i] = (moved_[v] - rest[v]) / step_;
  }
}

}  // namespace pelt::learning
