// SPDX-License-Identifier: MIT
#include "engine/authoring/learn/weight_fit.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <pelt/linear_blend.h>
#include <pelt/sparse_rows.h>
#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/base/parallel_each.h"
#include "engine/authoring/base/stop.h"
#include "engine/authoring/deformer/level_mapping.h"
#include "engine/authoring/learn/regions.h"
#include "shaders/blend/blend.h"
#include "shaders/linear_blend/pose.h"

namespace pelt::learning {
namespace {

constexpr int kOrigins = 7;              // of a joint: itself, then copies a step along -x, x, -y, y, -z and z
constexpr float kStep = 0.045f;          // of the size
constexpr int kRings = 5;                // vertices round one whose joints it may follow,
constexpr std::size_t kCandidates = 24;  // up to this number
constexpr std::size_t kInfluences = 8;
constexpr std::size_t kFitted = 200;    // poses that the regression looks at
constexpr double kLeast = 5e-4;         // smaller weights are dropped
constexpr double kWorth = 0.25;         // of the bound: its square is the mean square that an influence must explain,
constexpr double kWorthShare = 0.0125;  // and this share of what is left
constexpr double kConstraint = 1e4;     // times the mean square of a column

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

glm::vec3 step_of(int origin, float length) {
  glm::vec3 step(0);
  if (origin > 0) step[(origin - 1) / 2] = origin % 2 == 0 ? length : -length;
  return step;
}

// Returns the w >= 0 with the least w^T G w - 2 b^T w (Lawson & Hanson 1974, chapter 23).
Eigen::VectorXd non_negative(const Eigen::MatrixXd& g, const Eigen::VectorXd& b) {
  const Eigen::Index count = b.size();
  Eigen::VectorXd w = Eigen::VectorXd::Zero(count);
  std::vector<char> is_free(static_cast<std::size_t>(count), 0);
  std::vector<Eigen::Index> free;
  const auto list_free = [&] {
    free.clear();
    for (Eigen::Index i = 0; i < count; ++i) {
      if (is_free[static_cast<std::size_t>(i)] != 0) free.push_back(i);
    }
  };
  const double least = 1e-9 * b.cwiseAbs().maxCoeff();
  for (Eigen::Index round = 0; round < 3 * count; ++round) {
    Eigen::VectorXd slope = b - g * w;
    for (const Eigen::Index i : free) slope[i] = 0;
    Eigen::Index steepest = 0;
    if (!(slope.maxCoeff(&steepest) > least)) break;
    is_free[static_cast<std::size_t>(steepest)] = 1;
    for (list_free(); !free.empty(); list_free()) {
      const Eigen::VectorXd best = g(free, free).ldlt().solve(Eigen::VectorXd(b(free)));
      double step = 1;
      for (Eigen::Index k = 0; k < best.size(); ++k) {
        const double from = w[free[static_cast<std::size_t>(k)]];
        if (best[k] <= 0) step = std::min(step, from / (from - best[k]));
      }
      for (Eigen::Index k = 0; k < best.size(); ++k) {
        const Eigen::Index i = free[static_cast<std::size_t>(k)];
        w[i] += step * (best[k] - w[i]);
        if (step == 1 || w[i] > 1e-14) continue;
        w[i] = 0;
        is_free[static_cast<std::size_t>(i)] = 0;
      }
      if (step == 1) break;
    }
  }
  return w;
}

// Leaves out elements of w, each time that without which w^T G w - 2 b^T w grows least (optimal brain surgeon, Hassibi
// & Stork 1993). Returns those with the least sum of it and of `each` per influence that is read.
std::vector<std::pair<Eigen::Index, double>> thinned(const Eigen::MatrixXd& g, const Eigen::VectorXd& b,
                                                     const Eigen::VectorXd& w, double each) {
  std::vector<Eigen::Index> left;
  for (Eigen::Index i = 0; i < w.size(); ++i) {
    if (w[i] > kLeast) left.push_back(i);
  }
  std::vector<std::pair<Eigen::Index, double>> row;
  for (double least_sum = std::numeric_limits<double>::infinity();;) {
    const Eigen::MatrixXd inverse =
        g(left, left).ldlt().solve(Eigen::MatrixXd::Identity(index(left.size()), index(left.size())));
    const Eigen::VectorXd best = inverse * b(left);
    Eigen::Index least = 0;
    if (best.minCoeff(&least) > 0 || left.size() == 1) {
      const double sum = each * shared::padded_influences(static_cast<std::uint32_t>(left.size())) - b(left).dot(best);
      if (left.size() <= kInfluences && sum < least_sum) {
        least_sum = sum;
        row.clear();
        for (std::size_t k = 0; k < left.size(); ++k) row.emplace_back(left[k], best[index(k)]);
      }
      if (left.size() == 1) return row;
      (best.array().square() / inverse.diagonal().array()).minCoeff(&least);
    }
    left.erase(left.begin() + least);
  }
}

// The squared error of a vertex over poses, w^T G w - 2 b^T w + constant, by the weights w of its joints' origins.
struct SquaredError {
  Eigen::MatrixXd g;
  Eigen::VectorXd b;
  double constant = 0;
};

// Returns that of a vertex at `rest`. With M the transforms of n joints side by side, x = M q; q: w_j (p, 1) + (r_j, 0)
// for each joint. Rows of weights are q = Q w, Q the points at which a joint's origins are, so that all vertices of the
// same joints share M and `square`, M^T M. `painted`: w as painted; `wrong`: cached less painted positions, x, y and z
// of each pose; `step`: to a copy, metres; `ridge`: of the penalty of weights unlike the painted.
SquaredError squared_error(const Eigen::MatrixXd& m, const Eigen::MatrixXd& square, const glm::dvec3& rest,
                           const Eigen::VectorXd& painted, const Eigen::VectorXd& wrong, double step, double ridge) {
  const Eigen::Index n = m.cols() / 4;
  Eigen::Matrix<double, 4, kOrigins> origins, tied;  // tied: the sums that weights keep: 1, and no step
  for (int o = 0; o < kOrigins; ++o) {
    const glm::dvec3 unit(step_of(o, 1)), at = rest + unit * step;
    origins.col(o) << at.x, at.y, at.z, 1;
    tied.col(o) << unit.x, unit.y, unit.z, 1;
  }
  Eigen::VectorXd q(4 * n);
  for (Eigen::Index j = 0; j < n; ++j) q.segment<4>(4 * j) = painted[kOrigins * j] * origins.col(0);
  const Eigen::VectorXd to = m.transpose() * wrong + square * q;
  SquaredError error{Eigen::MatrixXd(kOrigins * n, kOrigins * n), Eigen::VectorXd(kOrigins * n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    error.b.segment<kOrigins>(kOrigins * i) = origins.transpose() * to.segment<4>(4 * i);
    for (Eigen::Index j = 0; j < n; ++j) {
      error.g.block<kOrigins, kOrigins>(kOrigins * i, kOrigins * j) =
          origins.transpose() * square.block<4, 4>(4 * i, 4 * j) * origins;
    }
  }
  // Since weights sum to 1, distances from the cached positions are what is blended.
  error.g.array() += (wrong + m * q).squaredNorm();
  error.g.colwise() -= error.b;
  error.g.rowwise() -= error.b.transpose();
  error.g.diagonal().array() += ridge;
  const double constraint = kConstraint * error.g.trace() / static_cast<double>(error.b.size());
  const Eigen::MatrixXd ties = tied.replicate(1, n);
  error.g += constraint * ties.transpose() * ties;
  error.b = ridge * painted + constraint * ties.row(3).transpose();
  error.constant = ridge * painted.squaredNorm() + constraint;
  return error;
}

}  // namespace

WeightFit::WeightFit(const Character& base, const Poses& poses, std::span<const std::uint32_t> twin, double within,
                     unsigned threads)
    : base_(base),
      poses_(poses),
      within_(within),
      threads_(threads),
      step_(kStep * base.size()),
      joints_(base->bound_joints) {
  const auto copied = joints_.size();
  for (std::size_t j = 0; j < copied; ++j) {
    for (int origin = 1; origin < kOrigins; ++origin) {
      joints_.push_back({joints_[j].joint, glm::translate(joints_[j].inverse_bind, step_of(origin, step_))});
    }
  }
  for (const CharacterMesh& mesh : base->meshes) {
    if (mesh.control) continue;
    const std::size_t first = rest_.size();
    rest_.resize(first + mesh.vertex_count());
    painted_.resize(rest_.size());
    const SparseRows rows = painted_rows(mesh);
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
      const std::size_t at = first + mesh.source_vertex[v];
      rest_[at] = mesh.binding.points[v];
      painted_[at].assign(rows.row(v).begin(), rows.row(v).end());
    }
  }
  find_candidates(twin);
}

bool WeightFit::can_fit(const CharacterData& base) {
  return std::ranges::none_of(base.passes, [](const auto& pass) { return pass.kernel == PoseKernel::kSpreadJoint; }) &&
         std::ranges::all_of(base.meshes, [](const CharacterMesh& mesh) {
           return mesh.control || (mesh.painted && mesh.deformer == LinearBlendParameters::kName);
         });
}

void WeightFit::find_candidates(std::span<const std::uint32_t> twin) {
  std::vector<glm::uvec3> triangles;
  std::uint32_t first = 0;
  for (const CharacterMesh& mesh : base_->meshes) {
    if (mesh.control) continue;
    for (const glm::uvec3& t : mesh.triangles)
      triangles.push_back(first +
                          glm::uvec3(mesh.source_vertex[t.x], mesh.source_vertex[t.y], mesh.source_vertex[t.z]));
    first += mesh.vertex_count();
  }
  const auto edges = edges_both_ways(twin, triangles);
  const auto merged = [](const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    std::vector<std::uint32_t> both;
    std::ranges::set_union(a, b, std::back_inserter(both));
    return both;
  };
  candidates_.resize(painted_.size());
  for (std::size_t v = 0; v < painted_.size(); ++v) {
    for (const Influence& influence : painted_[v]) candidates_[v].push_back(influence.index);
    std::ranges::sort(candidates_[v]);
  }
  combine_twins(twin, candidates_, merged);
  for (int ring = 0; ring < kRings; ++ring) {
    const std::vector<std::vector<std::uint32_t>> before = candidates_;
    for (const auto& [v, neighbour] : edges) {
      if (before[v] == before[neighbour]) continue;
      std::vector<std::uint32_t> both = merged(candidates_[v], before[neighbour]);
      if (both.size() <= kCandidates) candidates_[v] = std::move(both);
    }
  }
  for (std::size_t v = 0; v < painted_.size(); ++v) candidates_[v] = candidates_[twin[v]];
}

WeightRows WeightFit::fit(std::span<const std::uint32_t> train, std::span<const glm::vec3> lacking,
                          std::span<const char> unexplained) const {
  constexpr std::size_t kChunk = 256;
  std::vector<std::uint32_t> poses;
  const std::size_t every = (train.size() + kFitted - 1) / kFitted;
  for (std::size_t i = 0; i < train.size(); i += every) poses.push_back(train[i]);
  std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> groups;
  for (std::uint32_t v = 0; v < rest_.size(); ++v) {
    if (unexplained[v] != 0) groups[candidates_[v]].push_back(v);
  }
  struct Task {
    std::span<const std::uint32_t> joints, vertices;
  };
  std::vector<Task> tasks;
  for (const auto& [joints, vertices] : groups) {
    for (std::size_t at = 0; at < vertices.size(); at += kChunk)
      tasks.push_back({joints, std::span(vertices).subspan(at, std::min(kChunk, vertices.size() - at))});
  }
  WeightRows rows = painted_;
  parallel_each(tasks.size(), 1, threads_, [&](std::size_t t) {
    stop_if_asked();
    fit_vertices(tasks[t].joints, tasks[t].vertices, poses, lacking, rows);
  });
  return rows;
}

void WeightFit::fit_vertices(std::span<const std::uint32_t> joints, std::span<const std::uint32_t> vertices,
                             std::span<const std::uint32_t> poses, std::span<const glm::vec3> lacking,
                             WeightRows& rows) const {
  const double worth = kWorth * kWorth * within_ * within_ * static_cast<double>(poses.size());
  const double ridge = within_ * within_ * static_cast<double>(poses.size());
  const Eigen::MatrixXd m = transforms_of(joints, poses), square = m.transpose() * m;
  Eigen::VectorXd wrong(m.rows());
  for (const std::uint32_t v : vertices) {
    for (std::size_t p = 0; p < poses.size(); ++p) {
      for (int c = 0; c < 3; ++c)
        wrong[index(3 * p) + c] = static_cast<double>(lacking[poses[p] * rest_.size() + v][c]);
    }
    if (wrong.squaredNorm() <= worth) continue;
    Eigen::VectorXd painted = Eigen::VectorXd::Zero(kOrigins * index(joints.size()));
    for (const Influence& influence : painted_[v]) {
      const Eigen::Index j = std::ranges::lower_bound(joints, influence.index) - joints.begin();
      painted[kOrigins * j] = static_cast<double>(influence.weight);
    }
    const auto [g, b, constant] = squared_error(m, square, glm::dvec3(rest_[v]), painted, wrong, double{step_}, ridge);
    const Eigen::VectorXd best = non_negative(g, b);
    const double error = std::max(0.0, best.dot(g * best) - 2 * b.dot(best) + constant);
    rows[v].clear();
    double sum = 0;
    for (const auto& [element, weight] : thinned(g, b, best, worth + kWorthShare * error)) {
      const auto joint = joints[static_cast<std::size_t>(element / kOrigins)];
      const auto origin = static_cast<std::uint32_t>(element % kOrigins);
      const auto copies = static_cast<std::uint32_t>(base_->bound_joints.size()) + (kOrigins - 1) * joint;
      rows[v].push_back({origin == 0 ? joint : copies + origin - 1, static_cast<float>(weight)});
      sum += weight;
    }
    for (Influence& influence : rows[v]) influence.weight /= static_cast<float>(sum);
  }
}

Eigen::MatrixXd WeightFit::transforms_of(std::span<const std::uint32_t> joints,
                                         std::span<const std::uint32_t> poses) const {
  Eigen::MatrixXd transforms(3 * poses.size(), 4 * joints.size());
  for (std::size_t p = 0; p < poses.size(); ++p) {
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const BoundJoint& bound = joints_[joints[j]];
      const glm::dmat4 moved = glm::dmat4(poses_.poses[poses[p]].joints[bound.joint]) * glm::dmat4(bound.inverse_bind);
      transforms.block<3, 4>(index(3 * p), index(4 * j)) = Eigen::Map<const Eigen::Matrix4d>(&moved[0].x).topRows<3>();
    }
  }
  return transforms;
}

std::uint64_t WeightFit::bytes_of(const WeightRows& rows) const {
  constexpr std::uint64_t kEach = 2 * sizeof(std::uint32_t) + sizeof(std::uint16_t);  // blended, painted; gradients
  const auto words = [](const WeightRows& of) {
    return std::transform_reduce(of.begin(), of.end(), std::uint64_t{0}, std::plus(), [](const auto& row) {
      return shared::padded_influences(static_cast<std::uint32_t>(row.size()));
    });
  };
  std::set<std::uint32_t> copies;
  for (const auto& row : rows) {
    for (const Influence& influence : row) {
      if (influence.index >= base_->bound_joints.size()) copies.insert(influence.index);
    }
  }
  return kEach * (std::max(words(rows), words(painted_)) - words(painted_)) +
         copies.size() * (sizeof(BoundJoint) + sizeof(shared::JointRecord));
}

WeightRows WeightFit::kept(const WeightRows& rows, std::span<const double> gained, std::uint64_t bytes) const {
  const auto above = [&](double least) {
    WeightRows some = painted_;
    for (std::size_t v = 0; v < some.size(); ++v) {
      if (gained[v] > least) some[v] = rows[v];
    }
    return some;
  };
  std::vector<double> least = {0};
  std::ranges::copy_if(gained, std::back_inserter(least), [](double gain) { return gain > 0; });
  std::ranges::sort(least);
  return above(*std::ranges::partition_point(least, [&](double from) { return bytes_of(above(from)) > bytes; }));
}

void WeightFit::move(const WeightRows& rows, const Pose& pose, std::span<glm::vec3> positions,
                     std::span<glm::mat3> motions) const {
  std::vector<glm::mat4> moved;
  for (const BoundJoint& bound : joints_) moved.push_back(pose.joints[bound.joint] * bound.inverse_bind);
  const auto blended = [&](const std::vector<Influence>& row) {
    glm::mat4 sum(0);
    for (const Influence& influence : row) sum += influence.weight * moved[influence.index];
    return sum;
  };
  const bool morphs = std::ranges::any_of(base_->meshes, [](const auto& mesh) { return mesh.morphs.has_value(); });
  parallel_each(rest_.size(), 1024, threads_, [&](std::size_t v) {
    const glm::mat4 now = blended(rows[v]);
    motions[v] = glm::mat3(now);
    if (rows[v] == painted_[v]) return;
    const glm::mat4 before = blended(painted_[v]);
    const glm::vec3 unmorphed(before * glm::vec4(rest_[v], 1));
    glm::vec3 point = rest_[v];
    if (morphs) point += at_rest(glm::mat3(before), glm::dvec3(positions[v]) - glm::dvec3(unmorphed));
    positions[v] += glm::vec3((now - before) * glm::vec4(point, 1));
  });
}

void WeightFit::give(const WeightRows& rows, Model& model) const {
  std::vector<std::uint32_t> number(joints_.size(), ~0u);  // of the model's bound joints
  std::iota(number.begin(), number.begin() + index(base_->bound_joints.size()), 0u);
  model.bound_joints = base_->bound_joints;
  model.painted = true;  // bind must not paint it again
  std::size_t v = 0;
  for (const CharacterMesh& bound : base_->meshes) {
    if (bound.control) continue;
    const Eigen::Index first = index(v), end = index(v + bound.vertex_count());
    if (std::equal(rows.begin() + first, rows.begin() + end, painted_.begin() + first)) {
      v += bound.vertex_count();
      continue;
    }
    Mesh& mesh = *std::ranges::find(model.meshes, bound.name, &Mesh::name);
    mesh.weights = {};
    for (std::uint32_t i = 0; i < bound.vertex_count(); ++i, ++v) {
      std::vector<WeightedElement> row;
      for (const Influence& influence : rows[v]) {
        std::uint32_t& at = number[influence.index];
        if (at == ~0u) {
          at = static_cast<std::uint32_t>(model.bound_joints.size());
          model.bound_joints.push_back(joints_[influence.index]);
        }
        row.push_back({at, static_cast<double>(influence.weight)});
      }
      append_row(mesh.weights, row);
    }
    for (MeshLevel& level : model.levels) {
      if (&model.meshes[level.of] != &mesh) continue;
      const auto mapping = LevelMapping::create(mesh, level, threads_);
      if (mapping) level.mesh.weights = mapping->carry([&](std::uint32_t i) { return mesh.weights.row(i); });
    }
  }
}

}  // namespace pelt::learning
