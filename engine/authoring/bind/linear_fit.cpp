// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <memory>
#include <span>
#include <utility>

#include <pelt/frame.h>
#include <pelt/linear_fit.h>
#include <pelt/shaders/octahedral.h>
#include <pelt/sparse_rows.h>
#include <pelt/tools/parallel.h>
#include <pelt/try.h>

#include "engine/authoring/bind/fit_samples.h"
#include "engine/authoring/bind/fit_weights.h"
#include "engine/character/core/invalid.h"
#include "engine/character/records.h"
#include "shaders/linear_blend/pose.h"

namespace pelt {
namespace {

constexpr unsigned kMaxPoses = 1024;
constexpr std::size_t kVertexGrain = 64;

// A skin to be fitted, or a level of one.
struct FittedSkin {
  CharacterMesh* mesh;
  std::shared_ptr<const FitSamples> samples;
  std::uint32_t first_vertex;  // in the samples
  bool is_level;
  SparseRows rows;
};

// Returns the skins of `data`, a copy of the character, then their levels, with the motions that they are fitted to.
Result<std::vector<FittedSkin>> sample_skins(const Character& character, CharacterData& data,
                                             std::span<const SamplePose> poses,
                                             std::span<const shared::JointRecord> joints, unsigned threads) {
  std::vector<FittedSkin> skins;
  const auto sample = [&](std::uint32_t level, std::span<CharacterMesh* const> meshes) -> Result<void> {
    if (meshes.empty()) return {};
    const Character shown = character.at_level(level);
    PELT_ASSIGN(auto taken, take_samples(shown, poses, joints, threads));
    const auto samples = std::make_shared<const FitSamples>(std::move(taken));
    for (CharacterMesh* mesh : meshes) {
      const auto place = std::ranges::find(shown->meshes, mesh->name, &CharacterMesh::name);
      skins.push_back({mesh, samples, place->first_vertex, level > 0, {}});
    }
    return {};
  };
  std::vector<CharacterMesh*> meshes;
  for (CharacterMesh& mesh : data.meshes) {
    if (!mesh.control) meshes.push_back(&mesh);
  }
  PELT_TRY(sample(0, meshes));
  for (std::uint32_t level = 1; level <= data.coarsest_level(); ++level) {
    meshes.clear();
    for (SkinLevel& other : data.levels) {
      if (other.level == level) meshes.push_back(&other.skin);
    }
    PELT_TRY(sample(level, meshes));
  }
  return skins;
}

SparseRows fit_rows(const FittedSkin& skin, const LinearFitOptions& options, double scale) {
  const CharacterMesh& mesh = *skin.mesh;
  std::vector<std::vector<WeightedElement>> rows(mesh.vertex_count());
  parallel_for(rows.size(), kVertexGrain, options.threads, [&](std::size_t begin, std::size_t end) {
    VertexFitter fitter(*skin.samples, options.influences, scale);
    for (std::size_t v = begin; v < end; ++v) {
      const auto painted = mesh.weights.row_count() != 0 ? mesh.weights.row(v) : std::span<const Influence>();
      fitter.fit(skin.first_vertex + v, mesh.binding.points[v], painted, rows[v]);
    }
  });
  SparseRows result;
  for (const std::vector<WeightedElement>& row : rows) append_row(result, row);
  return result;
}

Result<PackedBinding> pack_fit(const CharacterMesh& mesh, const SparseRows& rows) {
  std::vector<glm::vec3> normals;
  normals.reserve(mesh.vertex_count());
  for (const glm::uvec2 words : mesh.binding.directions) normals.push_back(shared::unpack_normal(words.x));
  return within(fmt::format("the linear-blend fit of mesh '{}'", mesh.name),
                pack(std::span(&rows, 1), {mesh.binding.points, normals, {}}, {}));
}

// Measures how far a fit is from the deformers. `rows`: as packed.
LinearFitError error_of(const FittedSkin& skin, const SparseRows& rows, unsigned threads) {
  const CharacterMesh& mesh = *skin.mesh;
  const FitSamples& samples = *skin.samples;
  std::vector<double> sums(mesh.vertex_count(), 0.0);
  std::vector<double> largest(mesh.vertex_count(), 0.0);
  parallel_for(sums.size(), kVertexGrain, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      for (std::size_t s = 0; s < samples.count(); ++s) {
        glm::dvec3 off = -glm::dvec3(samples.positions[s][skin.first_vertex + v]);
        for (const Influence& influence : rows.row(v)) {
          const glm::vec3 moved = transform_point(samples.motions[s][influence.index], mesh.binding.points[v]);
          off += double{influence.weight} * glm::dvec3(moved);
        }
        const double squared = glm::dot(off, off);
        sums[v] += squared;
        largest[v] = std::max(largest[v], squared);
      }
    }
  });
  LinearFitError error{.mesh = mesh.name};
  if (sums.empty()) return error;
  double sum = 0;
  for (const double of_vertex : sums) sum += of_vertex;
  const auto worst = std::max_element(largest.begin(), largest.end()) - largest.begin();
  error.worst = std::sqrt(largest[worst]);
  error.worst_vertex = mesh.source_vertex[worst];
  error.rms = std::sqrt(sum / (static_cast<double>(sums.size()) * static_cast<double>(samples.count())));
  return error;
}

Result<void> check(const LinearFitOptions& options) {
  if (options.influences < 1 || options.influences > LinearFitOptions::kMaxInfluences) {
    return invalid("the linear-blend fit: {} joints a vertex are not 1 to {}", options.influences,
                   LinearFitOptions::kMaxInfluences);
  }
  const std::uint64_t poses = std::uint64_t{options.clip_poses} + options.random_poses;
  if (poses < 1 || poses > kMaxPoses)
    return invalid("the linear-blend fit: {} sample poses are not 1 to {}", poses, kMaxPoses);
  if (!(options.cone >= 0 && options.cone <= glm::pi<float>())) {
    return invalid("the linear-blend fit: joints cannot be turned at random by {} radians", options.cone);
  }
  return {};
}

}  // namespace

Result<LinearFitted> fit_linear_blend(const Character& character, const LinearFitOptions& options) {
  PELT_TRY(check(options));
  const std::vector<shared::JointRecord> joints = fit_joints(*character);
  if (joints.empty()) {
    return invalid("'{}' has no joints, which a linear-blend fit could follow", character->name);
  }
  const std::vector<SamplePose> poses = fit_poses(*character, options);

  CharacterData data = *character;
  data.drop_fits();
  PELT_ASSIGN(auto skins, sample_skins(character, data, poses, joints, options.threads));
  std::vector<bool> used(joints.size(), false);
  for (FittedSkin& skin : skins) {
    skin.rows = fit_rows(skin, options, std::max(character.size(), 1e-6f));
    for (const Influence& influence : skin.rows.influences) used[influence.index] = true;
  }

  PalettePass pass;
  pass.kernel = PoseKernel::kLinearBlend;
  pass.stage = data.stage_count - 1;
  pass.first_slot = data.palette_size;
  pass.fit = true;
  std::vector<std::uint32_t> entry_of(joints.size(), 0);  // by joint of the fit
  std::vector<std::uint32_t> joint_of;                    // by palette entry of the pass
  for (std::uint32_t j = 0; j < joints.size(); ++j) {
    if (!used[j]) continue;
    entry_of[j] = static_cast<std::uint32_t>(joint_of.size());
    joint_of.push_back(j);
    append_record(pass.records, joints[j]);
  }
  pass.record_count = static_cast<std::uint32_t>(joint_of.size());
  if (std::uint64_t{data.palette_size} + joint_of.size() > kMaxCount) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("'{}' has no room in the palette for a linear-blend fit", character->name));
  }
  data.palette_size += pass.record_count;

  std::vector<LinearFitError> errors;
  for (FittedSkin& skin : skins) {
    CharacterMesh& mesh = *skin.mesh;
    for (Influence& influence : skin.rows.influences) influence.index = entry_of[influence.index];
    PELT_ASSIGN(auto packed, pack_fit(mesh, skin.rows));
    SparseRows kept = unpack_rows(packed);
    for (Influence& influence : kept.influences) influence.index = joint_of[influence.index];
    LinearFitError error = error_of(skin, kept, options.threads);
    const auto worst = static_cast<float>(error.worst);
    mesh.fit = LinearFit{.first_slot = pass.first_slot,
                         .slices = std::move(packed.slices),
                         .influences = std::move(packed.influences),
                         .rms = std::min(static_cast<float>(error.rms), worst),
                         .worst = worst};
    if (!skin.is_level) errors.push_back(std::move(error));
  }
  data.passes.push_back(std::move(pass));
  PELT_ASSIGN(auto fitted, Character::create(std::move(data)));
  return LinearFitted{std::move(fitted), std::move(errors)};
}

}  // namespace pelt
