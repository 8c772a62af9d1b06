// SPDX-License-Identifier: MIT
// Matching pursuit (Mallat & Zhang 1993): the joint whose keys explain most of what is left, in poses that the
// regression has not seen, goes first. At the end the shapes of all keys are fitted together.
#include "engine/authoring/learn/fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/authoring/base/parallel_each.h"
#include "engine/authoring/base/stop.h"
#include "engine/authoring/learn/cross_validation.h"
#include "engine/authoring/learn/keys.h"
#include "shaders/blend/blend.h"
#include "shaders/morph/morph.h"

namespace pelt::learning {
namespace {

constexpr std::size_t kSearched = 120;   // poses that the search looks at, and
constexpr std::size_t kSampled = 600;    // vertices of a region
constexpr std::size_t kChunk = 256;      // vertices fitted at once
constexpr double kMinGain = 0.04;        // of a region's energy
constexpr double kExact = 1e-5;          // of a region's energy: smaller errors count as none
constexpr double kRadial = 0.75;         // times the least error of hat functions: radial functions must stay below it
constexpr double kVisible = 0.1;         // of the bound: smaller shapes are not chosen
constexpr double kWorth = 0.1;           // of the bound squared, per word that a pose reads: what columns must explain
constexpr std::uint64_t kOvershoot = 3;  // times the budget: that of the search, before columns are left out

// The result of the search in the region of a joint.
struct Candidate {
  bool searched = false;
  KeyPoseSet keys;
  double ridge = 0;
  double gain = 0;  // square metres
};

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

class Fit {
 public:
  Fit(const Problem& problem, std::span<const std::uint32_t> train) : problem_(problem), train_(train) {
    for (const std::uint32_t pose : train) poses_.push_back(&problem.poses[pose]);
    explain_nothing();
    const std::size_t step = (train.size() + kSearched - 1) / kSearched;
    for (std::size_t p = 0; p < train.size(); p += step) searched_.push_back(index(p));
  }

  std::vector<LearntSet> run(const std::function<void(double)>& progress, int rounds) {
    std::vector<Candidate> of_joint(problem_.regions.vertices.size());
    for (int round = 0; round < rounds; ++round) {
      progress(0.9 * round / rounds);
      parallel_each(of_joint.size(), 1, problem_.threads, [&](std::size_t j) {
        if (!std::exchange(of_joint[j].searched, true)) of_joint[j] = search(static_cast<std::uint32_t>(j));
      });
      if (!take_best(of_joint)) break;
    }
    fit_together();
    progress(1);
    return std::move(sets_);
  }

 private:
  void explain_nothing() {
    left_.clear();
    for (const std::uint32_t pose : train_) {
      const auto first = problem_.residual.begin() + index(pose * problem_.vertices());
      left_.insert(left_.end(), first, first + index(problem_.vertices()));
    }
  }

  glm::vec3& left(std::size_t pose, std::size_t vertex) { return left_[pose * problem_.vertices() + vertex]; }

  // Returns what is left of some vertices: a row per pose, three columns per vertex.
  Eigen::MatrixXd matrix_of_left(std::span<const std::uint32_t> vertices) const {
    Eigen::MatrixXd matrix(train_.size(), 3 * vertices.size());
    for (std::size_t p = 0; p < train_.size(); ++p) {
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        const glm::vec3& offset = left_[p * problem_.vertices() + vertices[i]];
        for (int c = 0; c < 3; ++c) matrix(index(p), index(3 * i) + c) = static_cast<double>(offset[c]);
      }
    }
    return matrix;
  }

  // Folds of all training poses for a joint: by those in which it turns.
  std::vector<std::uint32_t> folds_of(std::uint32_t joint) const {
    std::vector<std::uint32_t> sequences, folds;
    std::vector<double> share;
    for (std::size_t p = 0; p < train_.size(); ++p) {
      sequences.push_back(poses_[p]->sequence);
      share.push_back(problem_.regions.turns[joint].row(index(train_[p])).squaredNorm());
    }
    assign_folds(sequences, share, folds);
    return folds;
  }

  Eigen::MatrixX3d turns_of(std::uint32_t joint) const {
    Eigen::MatrixX3d turns(searched_.size(), 3);
    for (std::size_t i = 0; i < searched_.size(); ++i) {
      turns.row(index(i)) = problem_.regions.turns[joint].row(train_[static_cast<std::size_t>(searched_[i])]);
    }
    return turns;
  }

  // Returns the keys that explain most of what is left above the bound in a joint's region.
  Candidate search(std::uint32_t joint) {
    Candidate best{.searched = true};
    const float bound = static_cast<float>(problem_.within * problem_.within);
    std::vector<std::uint32_t> wrong;
    for (const std::uint32_t v : problem_.regions.vertices[joint]) {
      for (std::size_t p = 0; p < train_.size(); ++p) {
        const glm::vec3& offset = left(p, v);
        if (glm::dot(offset, offset) <= bound) continue;
        wrong.push_back(v);
        break;
      }
    }
    if (wrong.empty()) return best;
    const double each = std::max(1.0, static_cast<double>(wrong.size()) / kSampled);
    std::vector<std::uint32_t> sampled;
    for (double i = 0; i < static_cast<double>(wrong.size()); i += each)
      sampled.push_back(wrong[static_cast<std::size_t>(i)]);
    const Eigen::MatrixXd residual = matrix_of_left(sampled)(searched_, Eigen::all);
    const Eigen::MatrixXd gram = residual * residual.transpose();
    const std::vector<std::uint32_t> all_folds = folds_of(joint);
    std::vector<std::uint32_t> folds;
    std::vector<const Pose*> poses;
    for (const Eigen::Index p : searched_) {
      folds.push_back(all_folds[static_cast<std::size_t>(p)]);
      poses.push_back(poses_[static_cast<std::size_t>(p)]);
    }
    const CrossValidation judge(gram, folds);
    const double most = judge.energy() * (1 - kMinGain);

    struct Tried {
      KeyPoseSet keys;
      CrossValidation::Error error;
      double cost;
    };
    std::vector<Tried> tried;
    const ErrorOf error_of = [&](const KeyPoseSet& set) -> std::optional<CrossValidation::Error> {
      stop_if_asked();
      const std::optional<Eigen::MatrixXd> weights = weights_of(set, problem_.skeleton, poses);
      if (!weights) return std::nullopt;
      return judge.error(*weights);
    };
    const auto try_set = [&](const std::optional<KeyPoseSet>& set) {
      const auto error = set ? error_of(*set) : std::nullopt;
      if (!error) return judge.energy();
      const bool rbf = set->interpolation == KeyInterpolation::kRbf;
      tried.push_back({*set, *error, static_cast<double>(set->poses.size()) * (rbf ? 1.5 : 1)});
      return error->squared;
    };
    // The best angle of each joint that shapes the region; of this joint, sets over one angle and over several.
    std::vector<std::pair<double, Angle>> partners;
    for (const std::uint32_t other : problem_.regions.near[joint]) {
      const std::vector<Angle> angles = angles_of(problem_.skeleton.skeleton.joints[other].name, turns_of(other), gram);
      std::pair<double, const Angle*> least{judge.energy(), nullptr};
      for (const Angle& angle : angles) {
        double error = judge.energy();
        if (other == joint) {
          for (const int count : {1, 2, 3, 4, 6}) error = std::min(error, try_set(hats(angle, count)));
        } else if (const auto two = hats(angle, 2)) {
          if (const auto found = error_of(*two)) error = found->squared;
        }
        if (error < least.first) least = {error, &angle};
      }
      if (least.second != nullptr) {
        const bool own = other == joint;
        partners.insert(own ? partners.begin() : partners.end(), {own ? -1 : least.first, *least.second});
      }
      // Its three own axes come first.
      if (other != joint || angles.size() < 2) continue;
      for (const std::size_t axes : {std::size_t{2}, std::size_t{3}}) {
        for (const int count : {4, 8, 14, 24}) {
          try_set(radial(std::span(angles).first(std::min(axes, angles.size())), count));
        }
      }
    }
    if (!partners.empty() && partners[0].first < 0) {
      std::stable_sort(partners.begin() + 1, partners.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      for (std::size_t i = 1; i < std::min<std::size_t>(partners.size(), 4); ++i) {
        const Angle two[] = {partners[0].second, partners[i].second};
        for (const int count : {5, 9, 16, 24}) try_set(radial(two, count));
      }
    }
    // Radial functions over angles that happen to agree in the poses do not help in others.
    double linear = judge.energy();
    for (const Tried& t : tried) {
      if (t.keys.interpolation == KeyInterpolation::kLinear) linear = std::min(linear, t.error.squared);
    }
    std::erase_if(tried, [&](const Tried& t) {
      return t.keys.interpolation == KeyInterpolation::kRbf && t.error.squared > kRadial * linear;
    });
    const auto least = std::ranges::min_element(tried, {}, [](const Tried& t) { return t.error.squared; });
    if (least == tried.end() || least->error.squared > most) return best;
    const double enough = std::min(least->error.squared * kSimpler + kExact * judge.energy(), most);
    const Tried* chosen = &*least;
    for (const Tried& other : tried) {
      if (other.error.squared <= enough && other.cost < chosen->cost) chosen = &other;
    }
    Tried keys = *chosen;
    if (keys.keys.interpolation == KeyInterpolation::kLinear) {
      move_keys(keys.keys, keys.error, 8, error_of);
      if (remove_keys(keys.keys, keys.error, kExact * judge.energy(), error_of)) {
        move_keys(keys.keys, keys.error, 2, error_of);
      }
    }
    best.keys = std::move(keys.keys);
    best.ridge = keys.error.ridge;
    // A joint goes before others that only turn at the same time if the skin follows it or its parent.
    const auto parent = problem_.skeleton.skeleton.parent_of(joint);
    const auto own = std::ranges::count_if(wrong, [&](std::uint32_t v) {
      return problem_.regions.joint_of[v] == joint || problem_.regions.joint_of[v] == parent;
    });
    const double share = static_cast<double>(own) / static_cast<double>(wrong.size());
    best.gain = (judge.energy() - keys.error.squared) * each * (0.1 + share * share);
    return best;
  }

  // Takes the sets of joints that gain most, of those with common vertices only the best. Returns false if none gains.
  bool take_best(std::vector<Candidate>& of_joint) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t j = 0; j < of_joint.size(); ++j) {
      if (of_joint[j].gain > 0) order.push_back(j);
    }
    std::ranges::stable_sort(order, std::greater(), [&](std::uint32_t j) { return of_joint[j].gain; });
    std::vector<bool> changed(problem_.vertices());
    bool taken = false;
    for (const std::uint32_t j : order) {
      const std::vector<std::uint32_t>& region = problem_.regions.vertices[j];
      const auto common = std::ranges::count_if(region, [&](std::uint32_t v) { return changed[v]; });
      if (static_cast<double>(common) > 0.1 * static_cast<double>(region.size())) continue;
      LearntSet set{.joint = j, .keys = std::move(of_joint[j].keys), .ridge = of_joint[j].ridge};
      of_joint[j].gain = 0;
      const Eigen::MatrixXd weights = *weights_of(set.keys, problem_.skeleton, poses_);
      if (!choose_vertices(set, weights)) continue;
      sets_.push_back(std::move(set));
      if (problem_.budget != 0 && bytes_of(problem_, sets_) > kOvershoot * problem_.budget) {
        sets_.pop_back();
        continue;
      }
      subtract(sets_.back(), weights);
      for (const std::uint32_t v : sets_.back().vertices) changed[v] = true;
      taken = true;
    }
    for (std::uint32_t j = 0; j < of_joint.size(); ++j) {
      const std::vector<std::uint32_t>& region = problem_.regions.vertices[j];
      if (std::ranges::any_of(region, [&](std::uint32_t v) { return changed[v]; })) of_joint[j] = {};
    }
    return taken;
  }

  // Chooses the vertices of a set: those of slices in which it explains something in unseen poses, since a slice takes
  // whole columns. Returns false if there are none.
  bool choose_vertices(LearntSet& set, const Eigen::MatrixXd& weights) const {
    const std::vector<std::uint32_t>& region = problem_.regions.vertices[set.joint];
    const std::vector<std::uint32_t> folds = folds_of(set.joint);
    const std::uint32_t count = *std::ranges::max_element(folds) + 1;
    struct Held {
      std::vector<Eigen::Index> in, out;
      Eigen::MatrixXd map;  // from the residual of `in` to that of `out`
    };
    std::vector<Held> held(count);
    for (std::uint32_t f = 0; f < count; ++f) {
      for (std::size_t p = 0; p < folds.size(); ++p) (folds[p] == f ? held[f].out : held[f].in).push_back(index(p));
      held[f].map = weights(held[f].out, Eigen::all) * ridge_fit(weights(held[f].in, Eigen::all), set.ridge);
    }
    const Eigen::MatrixXd fit = ridge_fit(weights, set.ridge);
    std::vector<double> gain(region.size());
    std::vector<char> seen(region.size());
    for_chunks(region, [&](std::size_t first, std::span<const std::uint32_t> vertices) {
      const Eigen::MatrixXd residual = matrix_of_left(vertices);
      Eigen::RowVectorXd gained = residual.colwise().squaredNorm();
      for (const Held& fold : held) {
        gained -= (residual(fold.out, Eigen::all) - fold.map * residual(fold.in, Eigen::all)).colwise().squaredNorm();
      }
      const Eigen::MatrixXd explained = weights * (fit * residual);
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        gain[first + i] = gained.segment<3>(index(3 * i)).sum();
        seen[first + i] = farthest(explained, i) > kVisible;
      }
    });
    std::map<std::uint32_t, std::pair<double, bool>> slices;  // what is gained, and whether somebody sees it
    for (std::size_t i = 0; i < region.size(); ++i) {
      auto& [gained, is_seen] = slices[problem_.regions.slice_of[region[i]]];
      gained += gain[i];
      is_seen |= seen[i] != 0;
    }
    for (const std::uint32_t v : region) {
      const auto& [gained, is_seen] = slices[problem_.regions.slice_of[v]];
      if (gained > 0 && is_seen) set.vertices.push_back(v);
    }
    return !set.vertices.empty();
  }

  // Subtracts what a set explains at its vertices.
  void subtract(const LearntSet& set, const Eigen::MatrixXd& weights) {
    const Eigen::MatrixXd fit = ridge_fit(weights, set.ridge);
    for_chunks(set.vertices, [&](std::size_t, std::span<const std::uint32_t> vertices) {
      const Eigen::MatrixXd explained = weights * (fit * matrix_of_left(vertices));
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        for (std::size_t p = 0; p < train_.size(); ++p) {
          for (int c = 0; c < 3; ++c)
            left(p, vertices[i])[c] -= static_cast<float>(explained(index(p), index(3 * i) + c));
        }
      }
    });
  }

  // Returns the farthest that a vertex moves by this, over the bound.
  double farthest(const Eigen::MatrixXd& explained, std::size_t vertex) const {
    return explained.middleCols(index(3 * vertex), 3).rowwise().norm().maxCoeff() / problem_.within;
  }

  template <class Use>
  void for_chunks(std::span<const std::uint32_t> vertices, const Use& use) const {
    parallel_each((vertices.size() + kChunk - 1) / kChunk, 1, problem_.threads, [&](std::size_t c) {
      use(c * kChunk, vertices.subspan(c * kChunk, std::min(kChunk, vertices.size() - c * kChunk)));
    });
  }

  // Fits the shapes of all sets at each vertex together, leaves some out, fits again.
  void fit_together() {
    explain_nothing();
    std::vector<Eigen::MatrixXd> weights;
    for (const LearntSet& set : sets_) weights.push_back(*weights_of(set.keys, problem_.skeleton, poses_));
    std::vector<std::vector<std::uint32_t>> sets_of(problem_.vertices());
    for (std::uint32_t s = 0; s < sets_.size(); ++s) {
      for (const std::uint32_t v : sets_[s].vertices) sets_of[v].push_back(s);
    }
    for (const bool last : {false, true}) {
      combine_twins(problem_.regions.twin, sets_of, [](const auto& a, const auto& b) {
        std::vector<std::uint32_t> common;
        std::ranges::set_intersection(a, b, std::back_inserter(common));
        return common;
      });
      for (std::uint32_t s = 0; s < sets_.size(); ++s) {
        LearntSet& set = sets_[s];
        std::erase_if(set.vertices, [&](auto v) { return !std::ranges::binary_search(sets_of[v], s); });
        set.shapes.assign(set.vertices.size() * set.keys.poses.size(), glm::vec3(0));
      }
      std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> groups;  // vertices by their sets
      for (std::uint32_t v = 0; v < sets_of.size(); ++v) {
        if (!sets_of[v].empty()) groups[sets_of[v]].push_back(v);
      }
      for (const auto& [sets, vertices] : groups) fit_group(sets, vertices, weights);
      if (!last) leave_out(weights, sets_of);
    }
    std::erase_if(sets_, [](const LearntSet& set) { return set.vertices.empty(); });
    for (LearntSet& set : sets_) limit_shapes(set);
  }

  // Removes sets from slices in which they explain too little, nowhere beyond the bound, or, over the budget, in which
  // their columns move least.
  void leave_out(std::span<const Eigen::MatrixXd> weights, std::vector<std::vector<std::uint32_t>>& sets_of) const {
    struct Part {        // of a set, in a slice
      double moves = 0;  // by a column, sum of squares over poses; 0 if it is too little
      double farthest = 0;
      std::uint32_t set = 0;
      std::vector<std::uint32_t> vertices;
    };
    std::vector<Part> parts;
    for (std::uint32_t s = 0; s < sets_.size(); ++s) {
      const LearntSet& set = sets_[s];
      const Eigen::MatrixXd square = weights[s].transpose() * weights[s];
      std::map<std::uint32_t, Part> of_slice;
      for (std::size_t i = 0; i < set.vertices.size(); ++i) {
        const std::uint32_t v = set.vertices[i];
        Eigen::MatrixXd own(set.keys.poses.size(), 3);
        for (std::size_t k = 0; k < set.keys.poses.size(); ++k) {
          const glm::vec3& shape = set.shapes[k * set.vertices.size() + i];
          own.row(index(k)) << static_cast<double>(shape.x), static_cast<double>(shape.y), static_cast<double>(shape.z);
        }
        Part& part = of_slice[problem_.regions.slice_of[v]];
        part.set = s;
        part.farthest = std::max(part.farthest, farthest(weights[s] * own, 0));
        part.moves += (own.transpose() * square * own).trace() / static_cast<double>(set.keys.poses.size());
        part.vertices.push_back(v);
      }
      const double poses = (weights[s].array() != 0).cast<double>().colwise().sum().mean();  // that read a column
      const double least =
          kWorth * problem_.within * problem_.within * static_cast<double>(bytes_of_column(problem_)) / 4 * poses;
      for (auto& [slice, part] : of_slice) {
        if (part.moves < least && part.farthest <= 1) part.moves = 0;
        parts.push_back(std::move(part));
      }
    }
    std::ranges::stable_sort(parts, [](const Part& a, const Part& b) { return a.moves > b.moves; });
    std::uint64_t bytes = 0;
    for (const Part& part : parts) {
      bytes += sets_[part.set].keys.poses.size() * bytes_of_column(problem_);
      if (part.moves > 0 && (problem_.budget == 0 || bytes <= problem_.budget)) continue;
      for (const std::uint32_t v : part.vertices) std::erase(sets_of[v], part.set);
    }
  }

  // Shortens offsets that are longer than any that the vertex lacks in a pose: such keys are hardly seen, and would
  // throw the vertex far in poses between.
  void limit_shapes(LearntSet& set) {
    for (std::size_t i = 0; i < set.vertices.size(); ++i) {
      float most = 0;
      for (std::size_t p = 0; p < train_.size(); ++p) most = std::max(most, glm::length(left(p, set.vertices[i])));
      for (std::size_t k = i; k < set.shapes.size(); k += set.vertices.size()) {
        const float length = glm::length(set.shapes[k]);
        if (length > most) set.shapes[k] *= most / length;
      }
    }
  }

  void fit_group(std::span<const std::uint32_t> sets, std::span<const std::uint32_t> vertices,
                 std::span<const Eigen::MatrixXd> weights) {
    Eigen::Index columns = 0;
    for (const std::uint32_t s : sets) columns += weights[s].cols();
    Eigen::MatrixXd all(train_.size(), columns);
    Eigen::VectorXd penalty(columns);
    columns = 0;
    for (const std::uint32_t s : sets) {
      all.middleCols(columns, weights[s].cols()) = weights[s];
      penalty.segment(columns, weights[s].cols())
          .setConstant(
              std::max(sets_[s].ridge * weights[s].squaredNorm() / static_cast<double>(weights[s].cols()), 1e-30));
      columns += weights[s].cols();
    }
    Eigen::MatrixXd square = all.transpose() * all;
    square.diagonal() += penalty;
    const Eigen::MatrixXd fit = square.ldlt().solve(all.transpose());
    for_chunks(vertices, [&](std::size_t, std::span<const std::uint32_t> chunk) {
      const Eigen::MatrixXd shapes = fit * matrix_of_left(chunk);
      Eigen::Index first = 0;
      for (const std::uint32_t s : sets) {
        const Eigen::MatrixXd own = shapes.middleRows(first, weights[s].cols());
        first += own.rows();
        LearntSet& set = sets_[s];
        for (std::size_t i = 0; i < chunk.size(); ++i) {
          const auto at =
              static_cast<std::size_t>(std::ranges::lower_bound(set.vertices, chunk[i]) - set.vertices.begin());
          for (Eigen::Index k = 0; k < own.rows(); ++k) {
            for (int c = 0; c < 3; ++c) {
              set.shapes[static_cast<std::size_t>(k) * set.vertices.size() + at][c] =
                  static_cast<float>(own(k, index(3 * i) + c));
            }
          }
        }
      }
    });
  }

  const Problem& problem_;
  std::span<const std::uint32_t> train_;
  std::vector<const Pose*> poses_;      // of train_
  std::vector<Eigen::Index> searched_;  // positions in train_
  std::vector<glm::vec3> left_;         // the residual that is not explained, by position in train_, then by vertex
  std::vector<LearntSet> sets_;
};

}  // namespace

std::vector<LearntSet> fit(const Problem& problem, std::span<const std::uint32_t> train,
                           const std::function<void(double)>& progress, int rounds) {
  return Fit(problem, train).run(progress, rounds);
}

std::uint64_t bytes_of_column(const Problem& problem) {
  return sizeof(std::uint32_t) * problem.row_words * shared::kSliceRows + sizeof(glm::uvec2);
}

std::uint64_t bytes_of(const Problem& problem, std::span<const LearntSet> sets) {
  std::uint64_t columns = 0;
  for (const LearntSet& set : sets) {
    std::set<std::uint32_t> slices;
    for (const std::uint32_t v : set.vertices) slices.insert(problem.regions.slice_of[v]);
    columns += slices.size() * set.keys.poses.size();
  }
  return columns * bytes_of_column(problem);
}

void predict(const Problem& problem, std::span<const LearntSet> sets, std::size_t pose, std::span<glm::vec3> to) {
  std::ranges::fill(to, glm::vec3(0));
  const Pose* const one[] = {&problem.poses[pose]};
  for (const LearntSet& set : sets) {
    const Eigen::MatrixXd weights = *weights_of(set.keys, problem.skeleton, one);
    for (Eigen::Index k = 0; k < weights.cols(); ++k) {
      const auto weight = static_cast<float>(weights(0, k));
      if (weight == 0) continue;
      const glm::vec3* shape = &set.shapes[static_cast<std::size_t>(k) * set.vertices.size()];
      for (std::size_t i = 0; i < set.vertices.size(); ++i) to[set.vertices[i]] += weight * shape[i];
    }
  }
}

}  // namespace pelt::learning
