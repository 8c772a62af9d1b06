// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/quaternion.hpp>
#include <optional>
#include <random>
#include <span>
#include <utility>

#include <pelt/clip_twists.h>
#include <pelt/evaluate.h>
#include <pelt/finite.h>
#include <pelt/frame.h>
#include <pelt/linear_fit.h>
#include <pelt/pose.h>
#include <pelt/shaders/octahedral.h>
#include <pelt/sparse_rows.h>
#include <pelt/tools/parallel.h>
#include <pelt/try.h>

#include "engine/character/records.h"
#include "engine/core/invalid.h"
#include "shaders/linear_blend/pose.h"

namespace pelt {
namespace {

constexpr unsigned kMaxPoses = 1024;
constexpr std::size_t kMaxCandidates = 12;  // joints among which a vertex's weights are found
constexpr std::size_t kRankPoses = 16;      // poses by which joints are ranked as candidates
constexpr std::size_t kVertexGrain = 64;
constexpr double kHeld = 1e-5;  // pull to a vertex's own weights, in sizes of the character; below packing's rounding

// ------------------------------------------------------------------------------------------------------ sample poses

struct SamplePose {
  std::vector<glm::mat4> joints;
  std::vector<float> inputs;
};

SamplePose at_rest(const CharacterData& data) {
  SamplePose pose{std::vector<glm::mat4>(data.skeleton.joints.size()), std::vector<float>(data.input_count)};
  rest_matrices(data.skeleton, pose.joints);
  rest_inputs(data, pose.inputs);
  return pose;
}

// Adds `count` poses of the clips: sample i lies at (i + 1/2) / count of all clips end to end, each counted as equally
// long.
void add_clip_poses(const CharacterData& data, unsigned count, std::vector<SamplePose>& poses) {
  std::vector<const Clip*> clips;
  for (const Clip& clip : data.clips) {
    if (!clip.channels.empty() || !clip.morph_channels.empty()) clips.push_back(&clip);
  }
  if (clips.empty()) return;
  std::vector<Transform> local(data.skeleton.joints.size());
  std::optional<ClipTwists> twists;
  const Clip* twists_of = nullptr;
  for (unsigned i = 0; i < count; ++i) {
    const double place = (i + 0.5) / count * static_cast<double>(clips.size());
    const auto c = std::min(static_cast<std::size_t>(place), clips.size() - 1);
    const Clip& clip = *clips[c];
    const float time = clip.duration * static_cast<float>(place - static_cast<double>(c));
    SamplePose& pose = poses.emplace_back(at_rest(data));
    rest_pose(data.skeleton, local);
    sample_clip(clip, time, local);
    model_matrices(data.skeleton, local, pose.joints);
    if (data.controls.empty()) continue;
    if (twists_of != &clip) twists.emplace(data, clip);
    twists_of = &clip;
    twists->sample(time, pose.inputs);
    sample_morph_targets(data, clip, time, pose.inputs);
  }
}

// Adds poses in which each joint is turned from its rest pose with a probability of one half, about a random axis:
// poses have bends of single joints and of neighbours at once.
void add_random_poses(const CharacterData& data, const LinearFitOptions& options, std::vector<SamplePose>& poses) {
  std::mt19937_64 engine(options.seed);
  // std::uniform_real_distribution differs between libraries.
  const auto random = [&] { return static_cast<double>(engine() >> 11) * 0x1p-53; };
  std::vector<Transform> local(data.skeleton.joints.size());
  for (unsigned i = 0; i < options.random_poses; ++i) {
    rest_pose(data.skeleton, local);
    for (Transform& transform : local) {
      const double z = 2 * random() - 1;
      const double around = glm::two_pi<double>() * random();
      const double angle = options.cone * random();
      const bool turned = random() < 0.5;
      const double r = std::sqrt(1 - z * z);
      const glm::dvec3 axis(r * std::cos(around), r * std::sin(around), z);
      // A joint with a matrix has no rotation of its own, and stays.
      if (turned) transform.rotation *= glm::quat(glm::angleAxis(angle, axis));
    }
    SamplePose& pose = poses.emplace_back(at_rest(data));
    model_matrices(data.skeleton, local, pose.joints);
  }
}

// ------------------------------------------------------------------------------------------------------------- samples

// Returns the joints that fits may blend: the model's bound joints, then all others, bound in their rest pose.
std::vector<shared::JointRecord> fit_joints(const CharacterData& data) {
  std::vector<shared::JointRecord> joints;
  std::vector<bool> is_bound(data.skeleton.joints.size(), false);
  for (const BoundJoint& bound : data.bound_joints) {
    joints.push_back({bound.joint, affine_from_mat4(bound.inverse_bind)});
    is_bound[bound.joint] = true;
  }
  std::vector<glm::mat4> rest(data.skeleton.joints.size());
  rest_matrices(data.skeleton, rest);
  for (std::uint32_t j = 0; j < rest.size(); ++j) {
    if (is_bound[j]) continue;
    const Affine inverse = affine_from_mat4(glm::mat4(glm::inverse(glm::dmat4(rest[j]))));
    if (is_finite(inverse)) joints.push_back({j, inverse});
  }
  return joints;
}

// The motions that the weights are fitted to.
struct Samples {
  std::size_t joint_count = 0;
  std::vector<std::vector<Affine>> motions;       // M_j, for each pose and joint
  std::vector<std::vector<glm::vec3>> positions;  // v', for each pose and vertex of the character

  std::size_t count() const { return motions.size(); }
};

// Returns the error that names the mesh and source vertex of a character's vertex.
Error not_finite(const CharacterData& data, std::size_t vertex) {
  const auto mesh = std::find_if(data.meshes.begin(), data.meshes.end(), [&](const CharacterMesh& own) {
    return vertex < std::size_t{own.first_vertex} + own.vertex_count();
  });
  return {ErrorCode::kUnsupported,
          fmt::format("mesh '{}': vertex {} is moved to what is not finite, at a sample pose of the linear-blend fit",
                      mesh->name, mesh->source_vertex[vertex - mesh->first_vertex])};
}

Result<Samples> take_samples(const Character& character, std::span<const SamplePose> poses,
                             std::span<const shared::JointRecord> joints, unsigned threads) {
  Samples samples;
  samples.joint_count = joints.size();
  Evaluator evaluator(character, {.threads = threads, .normals = false, .tangents = false, .morphs = false});
  for (const SamplePose& pose : poses) {
    evaluator.pose(pose.joints);
    evaluator.inputs(pose.inputs);
    evaluator.evaluate();
    const std::span<const glm::vec3> positions = evaluator.positions();
    for (std::size_t v = 0; v < positions.size(); ++v) {
      if (!is_finite(positions[v])) return tl::unexpected(not_finite(*character, v));
    }
    samples.positions.emplace_back(positions.begin(), positions.end());
    const shared::PoseWork work{nullptr, pose.joints.data(), nullptr, nullptr, nullptr};
    std::vector<Affine>& motions = samples.motions.emplace_back();
    for (const shared::JointRecord& joint : joints) motions.push_back(shared::pose_joint(joint, work));
  }
  return samples;
}

// ---------------------------------------------------------------------------------------------------- one vertex's
// weights

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kMaxCandidates, kMaxCandidates>;
using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMaxCandidates, 1>;

// Returns the w that minimises w^T D w with w >= 0, sum w = 1 and w_i = 0 unless allowed[i], for a positive definite D.
// Uses an active set as in Lawson & Hanson 1974, "Solving Least Squares Problems", chapter 23, but on the simplex, and
// starts at the best corner. Precondition: at least one is allowed.
Vector least_on_simplex(const Matrix& d, const std::vector<bool>& allowed) {
  const Eigen::Index n = d.rows();
  std::vector<Eigen::Index> free;  // indices with w > 0
  Vector w = Vector::Zero(n);
  Eigen::Index best = -1;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (allowed[i] && (best < 0 || d(i, i) < d(best, best))) best = i;
  }
  free.push_back(best);
  w[best] = 1;
  // Each round lowers w^T D w, so that no set comes twice; the bound guards against rounding.
  for (Eigen::Index round = 0; round < 4 * n; ++round) {
    // The slope from here to corner i is 2 (g_i - w.g).
    const Vector g = d * w;
    const double level = w.dot(g);
    Eigen::Index entering = -1;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (!allowed[i] || w[i] > 0 || g[i] >= level - 1e-9 * std::abs(level)) continue;
      if (entering < 0 || g[i] < g[entering]) entering = i;
    }
    if (entering < 0) break;
    free.push_back(entering);
    while (true) {
      const auto count = static_cast<Eigen::Index>(free.size());
      Matrix part(count, count);
      for (Eigen::Index a = 0; a < count; ++a) {
        for (Eigen::Index b = 0; b < count; ++b) part(a, b) = d(free[a], free[b]);
      }
      Vector z = part.ldlt().solve(Vector::Ones(count));
      z /= z.sum();
      if (!z.allFinite()) return w;
      // Returns the step towards z up to which weight a stays positive.
      const auto reach = [&](Eigen::Index a) {
        const double own = w[free[a]];
        return z[a] > 0 ? 2.0 : own > 0 ? own / (own - z[a]) : 0.0;
      };
      double step = 1;
      for (Eigen::Index a = 0; a < count; ++a) step = std::min(step, reach(a));
      std::vector<Eigen::Index> kept;
      for (Eigen::Index a = 0; a < count; ++a) {
        const bool leaves = reach(a) <= step;
        double& own = w[free[a]];
        own = leaves ? 0 : own + step * (z[a] - own);
        if (!leaves) kept.push_back(free[a]);
      }
      const bool reached = kept.size() == free.size();
      free = std::move(kept);
      if (reached || free.empty()) break;
    }
  }
  return w;
}

class VertexFitter {
 public:
  VertexFitter(const Samples& samples, unsigned influences, double scale)
      : samples_(samples),
        influences_(influences),
        held_(kHeld * scale * std::sqrt(static_cast<double>(samples.count()))) {
    const std::size_t step = std::max<std::size_t>(1, samples.count() / kRankPoses);
    for (std::size_t s = 0; s < samples.count(); s += step) rank_poses_.push_back(s);
  }

  // Replaces `row` with the weights of a vertex. `vertex`: its index in the character. `own`: its weights over the
  // joints in the model, or none.
  void fit(std::size_t vertex, glm::vec3 rest, std::span<const Influence> own, std::vector<WeightedElement>& row) {
    find_candidates(vertex, rest, own);
    const auto n = static_cast<Eigen::Index>(candidates_.size());
    // Since sum w = 1, | v' - sum w M p |^2 = | sum w (M p - v') |^2, which avoids differences of large numbers.
    const auto rows = static_cast<Eigen::Index>(3 * samples_.count());
    apart_.resize(rows + n, n);
    for (Eigen::Index c = 0; c < n; ++c) {
      for (std::size_t s = 0; s < samples_.count(); ++s) {
        const glm::vec3 d = transform_point(samples_.motions[s][candidates_[c]], rest) - samples_.positions[s][vertex];
        for (int axis = 0; axis < 3; ++axis) apart_(static_cast<Eigen::Index>(3 * s) + axis, c) = d[axis];
      }
    }
    // The lower rows add a small | w - own |^2: among joints that move alike in all poses, the vertex's own win.
    apart_.bottomRows(n).setZero();
    for (Eigen::Index c = 0; c < n; ++c) {
      for (const Influence& influence : own) {
        if (influence.index == candidates_[c]) apart_.row(rows + c).array() -= held_ * double{influence.weight};
      }
      apart_(rows + c, c) += held_;
    }
    Matrix products(n, n);
    products.noalias() = apart_.transpose() * apart_;
    products.diagonal().array() += 1e-3 * held_ * held_;  // `own` may be an exact solution
    std::vector<bool> allowed(candidates_.size(), true);
    Vector w = least_on_simplex(products, allowed);
    // Drop the smallest weight while there are too many, or while the loss is below the pull to `own`.
    while (true) {
      Eigen::Index least = -1;
      unsigned used = 0;
      for (Eigen::Index c = 0; c < n; ++c) {
        allowed[c] = w[c] > 0;
        if (!allowed[c]) continue;
        ++used;
        if (least < 0 || w[c] < w[least]) least = c;
      }
      if (used == 1) break;
      allowed[least] = false;
      const Vector fewer = least_on_simplex(products, allowed);
      const double lost = fewer.dot(products * fewer) - w.dot(products * w);
      if (used <= influences_ && lost > held_ * held_) break;
      w = fewer;
    }
    row.clear();
    for (Eigen::Index c = 0; c < n; ++c) {
      if (w[c] > 0) row.push_back({candidates_[c], w[c]});
    }
    std::sort(row.begin(), row.end(), [](const WeightedElement& a, const WeightedElement& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.index < b.index;
    });
  }

 private:
  // Chooses the candidates: the strongest of `own`, at most two thirds, then the joints that alone come nearest to the
  // vertex's positions.
  void find_candidates(std::size_t vertex, glm::vec3 rest, std::span<const Influence> own) {
    candidates_.clear();
    ranked_.clear();
    for (std::uint32_t j = 0; j < samples_.joint_count; ++j) {
      float sum = 0;
      for (const std::size_t s : rank_poses_) {
        const glm::vec3 d = transform_point(samples_.motions[s][j], rest) - samples_.positions[s][vertex];
        sum += glm::dot(d, d);
      }
      ranked_.emplace_back(sum, j);
    }
    strongest_.assign(own.begin(), own.end());
    std::sort(strongest_.begin(), strongest_.end(), [](const Influence& a, const Influence& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.index < b.index;
    });
    for (const Influence& influence : strongest_) {
      if (candidates_.size() < 2 * kMaxCandidates / 3 && influence.weight > 0) candidates_.push_back(influence.index);
    }
    const std::size_t kept = std::min(ranked_.size(), 2 * kMaxCandidates);
    std::partial_sort(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(kept), ranked_.end());
    for (std::size_t i = 0; i < kept && candidates_.size() < kMaxCandidates; ++i) {
      const std::uint32_t joint = ranked_[i].second;
      if (std::find(candidates_.begin(), candidates_.end(), joint) == candidates_.end()) candidates_.push_back(joint);
    }
  }

  const Samples& samples_;
  unsigned influences_;
  double held_;  // metres, times the root of the number of poses
  std::vector<std::size_t> rank_poses_;
  std::vector<std::uint32_t> candidates_;
  std::vector<std::pair<float, std::uint32_t>> ranked_;
  std::vector<Influence> strongest_;
  Eigen::MatrixXd apart_;  // for each candidate, M p - v' at every pose, then its pull to the vertex's own weights
};

// ------------------------------------------------------------------------------------------------------------- meshes

// Returns the rows of a mesh over the joints of the samples, in packed order.
// A skin to be fitted, or a level of one.
struct FittedSkin {
  CharacterMesh* mesh;
  std::shared_ptr<const Samples> samples;
  std::uint32_t first_vertex;  // in the samples
  bool is_level;
  SparseRows rows;
};

// Returns the skins of `data`, a copy of the character, then their levels, with the motions that they are fitted to.
Result<std::vector<FittedSkin>> sample_skins(const Character& character, CharacterData& data,
                                             std::span<const SamplePose> poses,
                                             std::span<const shared::JointRecord> joints, unsigned threads) {
  std::vector<FittedSkin> skins;
  const auto sample = [&](std::uint32_t level, std::span<CharacterMesh* const> own) -> Result<void> {
    if (own.empty()) return {};
    const Character shown = character.at_level(level);
    PELT_ASSIGN(auto taken, take_samples(shown, poses, joints, threads));
    const auto samples = std::make_shared<const Samples>(std::move(taken));
    for (CharacterMesh* mesh : own) {
      const auto place = std::ranges::find(shown->meshes, mesh->name, &CharacterMesh::name);
      skins.push_back({mesh, samples, place->first_vertex, level > 0, {}});
    }
    return {};
  };
  std::vector<CharacterMesh*> own;
  for (CharacterMesh& mesh : data.meshes) {
    if (!mesh.control) own.push_back(&mesh);
  }
  PELT_TRY(sample(0, own));
  for (std::uint32_t level = 1; level <= data.coarsest_level(); ++level) {
    own.clear();
    for (SkinLevel& other : data.levels) {
      if (other.level == level) own.push_back(&other.skin);
    }
    PELT_TRY(sample(level, own));
  }
  return skins;
}

SparseRows fit_rows(const FittedSkin& skin, const LinearFitOptions& options, double scale) {
  const CharacterMesh& mesh = *skin.mesh;
  std::vector<std::vector<WeightedElement>> rows(mesh.vertex_count());
  parallel_for(rows.size(), kVertexGrain, options.threads, [&](std::size_t begin, std::size_t end) {
    VertexFitter fitter(*skin.samples, options.influences, scale);
    for (std::size_t v = begin; v < end; ++v) {
      const auto own = mesh.weights.row_count() != 0 ? mesh.weights.row(v) : std::span<const Influence>();
      fitter.fit(skin.first_vertex + v, mesh.binding.points[v], own, rows[v]);
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
  Result<PackedBinding> packed = pack(std::span(&rows, 1), {mesh.binding.points, normals, {}}, {});
  if (packed) return packed;
  return fail(packed.error().code,
              fmt::format("the linear-blend fit of mesh '{}': {}", mesh.name, packed.error().message));
}

// Measures how far a fit is from the deformers. `rows`: as packed.
LinearFitError error_of(const FittedSkin& skin, const SparseRows& rows, unsigned threads) {
  const CharacterMesh& mesh = *skin.mesh;
  const Samples& samples = *skin.samples;
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
  for (const double own : sums) sum += own;
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
  std::vector<SamplePose> poses;
  add_clip_poses(*character, options.clip_poses, poses);
  add_random_poses(*character, options, poses);
  if (poses.empty()) poses.push_back(at_rest(*character));

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
  std::vector<std::uint32_t> element(joints.size(), 0);  // by joint of the fit
  std::vector<std::uint32_t> joint_of;                   // by palette entry of the pass
  for (std::uint32_t j = 0; j < joints.size(); ++j) {
    if (!used[j]) continue;
    element[j] = static_cast<std::uint32_t>(joint_of.size());
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
    for (Influence& influence : skin.rows.influences) influence.index = element[influence.index];
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
