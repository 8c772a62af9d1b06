// SPDX-License-Identifier: MIT
// The corrected skin is D(p + sum of w_k d_k), D what the deformers do to a point p at rest. D is linear in p, so the
// offset that a vertex lacks in a pose is A^-1 (x - D(p)): x its cached position, A the derivative of D at the vertex.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include <pelt/learn.h>
#include <pelt/pelt_file.h>
#include <pelt/try.h>

#include "engine/authoring/base/parallel_each.h"
#include "engine/authoring/base/stop.h"
#include "engine/authoring/learn/certificate.h"
#include "engine/authoring/learn/cross_validation.h"
#include "engine/authoring/learn/fit.h"
#include "engine/authoring/learn/keys.h"
#include "engine/authoring/learn/poses.h"
#include "engine/authoring/learn/regions.h"
#include "engine/authoring/learn/weight_fit.h"
#include "engine/character/base/invalid.h"

namespace pelt {
namespace learning {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLeastPoses = 4;

// Returns the name of a file without its folder, which is of no use to others.
std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

class Learner {
 public:
  Learner(const LearnOptions& options, const BindOptions& bind) : options_(options), bind_(bind) {}

  // Measures the base, and fits its weights if it is linear blend. Returns whether they change: give_weights() and
  // another bind must come before shapes().
  Result<bool> begin(const Character& base) {
    stop_if_asked();
    PELT_ASSIGN(poses_, load_poses(base, options_));
    if (poses_.poses.size() < kLeastPoses) {
      return invalid("{}: too few poses to learn from: {}; {} or more are needed", options_.sequences[0].cache,
                     poses_.poses.size(), kLeastPoses);
    }
    skeleton_.skeleton = base->skeleton;
    regions_ = find_regions(*base, poses_.poses);
    if (std::ranges::all_of(regions_.vertices, [](const auto& region) { return region.empty(); })) {
      return invalid("{}: no joint that moves skin turns in these poses", options_.sequences[0].poses);
    }
    problem_.emplace(Problem{.skeleton = skeleton_,
                             .poses = poses_.poses,
                             .regions = regions_,
                             .within = options_.within.value_or(static_cast<double>(base.size()) / 2000),
                             .row_words = row_words(*base),
                             .threads = bind_.threads});
    constexpr std::size_t kLeastBudget = 1 << 18;
    base_bytes_ = serialize(base).size();
    budget_ = options_.budget != 0 ? options_.budget : std::max(kLeastBudget, base_bytes_ / 4);
    base_words_ = blend_words(*base);
    std::vector<std::uint32_t> sequences;
    for (const Pose& pose : poses_.poses) sequences.push_back(pose.sequence);
    const std::vector<double> equal(sequences.size(), 1.0);
    folds_ = assign_folds(sequences, equal, fold_of_, &whole_);
    const bool fits = options_.weights && folds_ > 1 && WeightFit::can_fit(*base);
    PELT_ASSIGN(mover_, Mover::create(base, bind_.threads, !fits));
    base_errors_.emplace(regions_, base->skeleton.joints.size());
    PELT_TRY(measure_base(base));
    if (fits) {
      weight_fit_.emplace(base, poses_, regions_.twin, problem_->within, bind_.threads);
      rows_ = weight_fit_->painted();
    }
    find_residual(rows_);
    contradictions_ = find_contradictions(*problem_);
    if (!weight_fit_) return false;
    fit_weights();
    return rows_ != weight_fit_->painted();
  }

  // Learns the shapes. `base`: with the fitted weights.
  std::vector<Corrective> shapes(const Character& base) {
    if (weight_fit_) regions_.slice_of = find_regions(*base, poses_.poses).slice_of;
    cross_validate();
    problem_->budget = left_of_budget(rows_);
    if (weight_fit_) find_residual(rows_);
    sets_ = fit(*problem_, all_but(folds_), [&](double part) { show((folds_ + part) / (folds_ + 1)); });
    for (LearntSet& set : sets_) keep_share(set);
    std::erase_if(sets_, [](const LearntSet& set) { return set.vertices.empty(); });
    return correctives(*base);
  }

  void give_weights(Model& model) const { weight_fit_->give(rows_, model); }

  // Returns the character with its certificate.
  Result<Character> certified(const Character& learnt) {
    PELT_ASSIGN(auto mover, Mover::create(learnt, bind_.threads, false));
    ErrorMap errors(regions_, learnt->skeleton.joints.size());
    for (std::size_t p = 0; p < poses_.poses.size(); ++p) {
      stop_if_asked();
      mover.pose(poses_.poses[p]);
      errors.add(mover.positions(), poses_.truth_of(p), p);
    }
    CharacterData data = *learnt;
    data.certificate.text = describe(learnt, errors).dump(-1, ' ', false, Json::error_handler_t::replace);
    const ErrorMap& shown = held_out_ ? *held_out_ : errors;
    data.certificate.unit = static_cast<float>(shown.all().most / 255);
    std::vector<std::uint32_t>& packed = data.certificate.errors;
    packed.assign((shown.of_vertex.size() + 3) / 4, 0);
    for (std::size_t v = 0; v < shown.of_vertex.size() && data.certificate.unit > 0; ++v) {
      const auto value = static_cast<std::uint32_t>(std::lround(shown.of_vertex[v] / data.certificate.unit));
      packed[v / 4] |= std::min(value, 255u) << (8 * (v % 4));
    }
    return Character::create(std::move(data));
  }

 private:
  // `part`: of the shapes, 0 to 1; weights come before, from -0.5.
  void show(double part) const {
    if (bind_.progress) bind_.progress(weight_fit_ ? 0.5 + 0.4 * part : 0.3 + 0.6 * part, "learning");
  }

  // Finds the errors of the base, and refuses caches that show something else than the poses.
  Result<void> measure_base(const Character& base) {
    lacking_.resize(poses_.truth.size());
    positions_.resize(poses_.vertices);
    motions_.resize(poses_.vertices);
    problem_->residual.resize(poses_.truth.size());
    double edges = 0, base_edges = 0;
    Errors others;  // the distances to another pose's
    for (std::size_t p = 0; p < poses_.poses.size(); ++p) {
      stop_if_asked();
      mover_->pose(poses_.poses[p]);
      const std::span<const glm::vec3> truth = poses_.truth_of(p);
      base_errors_->add(mover_->positions(), truth, p);
      edges += edge_square(*base, truth);
      base_edges += edge_square(*base, mover_->positions());
      const std::span<const glm::vec3> other = poses_.truth_of((p + poses_.poses.size() / 2) % poses_.poses.size());
      for (std::size_t v = 0; v < truth.size(); ++v) {
        lacking_[p * truth.size() + v] = truth[v] - mover_->positions()[v];
        others.add(glm::distance(glm::dvec3(other[v]), glm::dvec3(mover_->positions()[v])), p);
      }
    }
    constexpr double kFar = 0.1;       // of the size: poses that are farther must at least be
    constexpr double kNearer = 0.7;    // times as far as others
    constexpr double kOtherEdges = 4;  // times as long, squared
    const double rms = base_errors_->all().rms();
    const std::string& cache = options_.sequences[poses_.poses[base_errors_->all().pose].sequence].cache;
    if (edges > kOtherEdges * base_edges) {
      return invalid("{}: its edges are {:.1f} times as long as the model's: it has another order of vertices", cache,
                     std::sqrt(edges / base_edges));
    }
    const bool far = rms > kFar * static_cast<double>(base.size()) && rms > kNearer * others.rms();
    if (far || !std::isfinite(rms)) {
      return invalid(
          "{}: vertices are {:.3g} m from those of the deformer: it shows other poses, or is not in model "
          "space",
          cache, rms);
    }
    return {};
  }

  // Moves the base, by `rows` if it is linear blend: sets positions_ and motions_.
  void move(std::size_t pose, const WeightRows& rows) {
    const std::span<const glm::vec3> truth = poses_.truth_of(pose);
    for (std::size_t v = 0; v < truth.size(); ++v) positions_[v] = truth[v] - lacking_[pose * truth.size() + v];
    if (weight_fit_) {
      weight_fit_->move(rows, poses_.poses[pose], positions_, motions_);
    } else {
      mover_->follow(poses_.poses[pose]);
      std::ranges::copy(mover_->motions(), motions_.begin());
    }
  }

  // The poses without those of a fold.
  std::vector<std::uint32_t> all_but(std::uint32_t fold) const {
    std::vector<std::uint32_t> poses;
    for (std::uint32_t p = 0; p < fold_of_.size(); ++p) {
      if (fold_of_[p] != fold) poses.push_back(p);
    }
    return poses;
  }

  void find_residual(const WeightRows& rows) {
    for (std::size_t p = 0; p < poses_.poses.size(); ++p) {
      stop_if_asked();
      move(p, rows);
      const std::span<const glm::vec3> truth = poses_.truth_of(p);
      parallel_each(truth.size(), 1024, bind_.threads, [&](std::size_t v) {
        problem_->residual[p * truth.size() + v] =
            at_rest(motions_[v], glm::dvec3(truth[v]) - glm::dvec3(positions_[v]));
      });
    }
  }

  // Fits weights to all poses, and to those without each fold. They change only at vertices that a few shapes do not
  // explain, and that they move better in the poses of folds; the errors in a fold's poses must not choose its own.
  void fit_weights() {
    const std::vector<std::uint32_t> all = all_but(folds_);
    std::vector<char> unexplained = find_unexplained(all);
    combine_twins(regions_.twin, unexplained, [](char a, char b) { return std::max(a, b); });
    std::vector<std::vector<double>> gained(folds_, std::vector<double>(poses_.vertices));
    for (std::uint32_t f = 0; f < folds_; ++f) {
      show(0.5 * (f + 1) / (folds_ + 2) - 0.5);
      fold_rows_.push_back(weight_fit_->fit(all_but(f), lacking_, unexplained));
      for (std::uint32_t p = 0; p < fold_of_.size(); ++p) {
        if (fold_of_[p] != f) continue;
        move(p, fold_rows_[f]);
        for (std::size_t v = 0; v < poses_.vertices; ++v) {
          const glm::dvec3 before(lacking_[p * poses_.vertices + v]), now(poses_.truth_of(p)[v] - positions_[v]);
          gained[f][v] += glm::dot(before, before) - glm::dot(now, now);
        }
      }
    }
    rows_ = weight_fit_->fit(all, lacking_, unexplained);
    for (std::uint32_t f = 0; f <= folds_; ++f) {
      std::vector<double> sum(poses_.vertices);
      for (std::uint32_t g = 0; g < folds_; ++g) {
        for (std::size_t v = 0; g != f && v < sum.size(); ++v) sum[v] += gained[g][v];
      }
      combine_twins(regions_.twin, sum, std::plus());
      WeightRows& rows = f < folds_ ? fold_rows_[f] : rows_;
      rows = weight_fit_->kept(rows, sum, budget_);
    }
  }

  // Returns 1 for vertices that a few shapes do not explain.
  std::vector<char> find_unexplained(std::span<const std::uint32_t> all) const {
    constexpr int kFew = 2;  // rounds of the search
    const std::vector<LearntSet> sets = fit(
        *problem_, all, [](double) {}, kFew);
    std::vector<char> unexplained(poses_.vertices, 0);
    std::vector<glm::vec3> offsets(poses_.vertices);
    for (const std::uint32_t p : all) {
      stop_if_asked();
      predict(*problem_, sets, p, offsets);
      for (std::size_t v = 0; v < offsets.size(); ++v) {
        const float left = glm::distance(offsets[v], problem_->residual[p * offsets.size() + v]);
        if (static_cast<double>(left) > problem_->within) unexplained[v] = 1;
      }
    }
    return unexplained;
  }

  // The bytes that weights leave for shapes.
  std::uint64_t left_of_budget(const WeightRows& rows) const {
    constexpr std::uint64_t kTables = 2048;  // bytes of key tables and names
    const std::uint64_t taken = kTables + (weight_fit_ ? weight_fit_->bytes_of(rows) : 0);
    return budget_ > taken ? budget_ - taken : 1;
  }

  // Learns from all but some sequences, for each part of them, predicts these, and measures them. Each region keeps
  // the share of its shapes with the least error there, so that unseen poses of a region get no worse than the base.
  void cross_validate() {
    share_.assign(poses_.vertices, 1.0f);
    if (folds_ < 2) return;
    std::vector<std::vector<LearntSet>> learnt;
    const std::size_t joints = base_errors_->of_joint.size();
    std::vector<double> along(joints), squared(joints);
    std::vector<glm::vec3> offsets(poses_.vertices);
    fold_rows_.resize(folds_);
    for (std::uint32_t f = 0; f < folds_; ++f) {
      if (weight_fit_) find_residual(fold_rows_[f]);
      problem_->budget = left_of_budget(fold_rows_[f]);
      learnt.push_back(fit(*problem_, all_but(f), [&](double part) { show((f + part) / (folds_ + 1)); }));
      for (std::uint32_t p = 0; p < fold_of_.size(); ++p) {
        if (fold_of_[p] != f) continue;
        stop_if_asked();
        predict(*problem_, learnt[f], p, offsets);
        for (std::size_t v = 0; v < offsets.size(); ++v) {
          const glm::dvec3 x(offsets[v]), d(problem_->residual[p * poses_.vertices + v]);
          along[regions_.joint_of[v]] += glm::dot(x, d);
          squared[regions_.joint_of[v]] += glm::dot(x, x);
        }
      }
    }
    find_share(along, squared);
    held_out_.emplace(regions_, joints);
    for (std::uint32_t p = 0; p < fold_of_.size(); ++p) {
      stop_if_asked();
      move(p, fold_rows_[fold_of_[p]]);
      predict(*problem_, learnt[fold_of_[p]], p, offsets);
      for (std::size_t v = 0; v < offsets.size(); ++v) positions_[v] += motions_[v] * (share_[v] * offsets[v]);
      held_out_->add(positions_, poses_.truth_of(p), p);
    }
  }

  // Sets share_. That of a joint is the factor c of its skin's predictions x that makes |c x - d|^2 least over the
  // poses that they did not see, d the residual: 1 if it is nearly that, 0 if it gains nearly nothing. A vertex takes
  // those of its joints by weight. By joint: sums of x d, `along`, and x x.
  void find_share(std::span<const double> along, std::span<const double> squared) {
    constexpr double kNearly = 0.1;
    const std::size_t joints = along.size();
    std::vector<float> of_joint(joints);
    for (std::size_t j = 0; j < joints; ++j) {
      const double share = squared[j] > 0 ? std::clamp(along[j] / squared[j], 0.0, 1.0) : 1;
      of_joint[j] = share > 1 - kNearly ? 1.0f : share < kNearly ? 0.0f : static_cast<float>(share);
    }
    for (std::size_t v = 0; v < share_.size(); ++v) {
      float sum = 0, weights = 0;
      for (const Influence& joint : regions_.weights[v]) {
        sum += joint.weight * of_joint[joint.index];
        weights += joint.weight;
      }
      share_[v] = weights > 0 ? sum / weights : of_joint[regions_.joint_of[v]];
    }
  }

  // Shortens the shapes of a set to their vertices' shares.
  void keep_share(LearntSet& set) const {
    const std::size_t count = set.vertices.size();
    std::vector<std::uint32_t> vertices;
    std::vector<glm::vec3> shapes;
    for (std::size_t k = 0; k < set.keys.poses.size(); ++k) {
      for (std::size_t i = 0; i < count; ++i) {
        const float share = share_[set.vertices[i]];
        if (share <= 0) continue;
        if (k == 0) vertices.push_back(set.vertices[i]);
        shapes.push_back(share * set.shapes[k * count + i]);
      }
    }
    set.vertices = std::move(vertices);
    set.shapes = std::move(shapes);
  }

  std::vector<Corrective> correctives(const CharacterData& data) const {
    std::vector<Corrective> made;
    std::uint32_t first = 0;
    for (const CharacterMesh& mesh : data.meshes) {
      if (mesh.control) continue;
      const std::uint32_t end = first + mesh.vertex_count();
      for (const LearntSet& set : sets_) {
        const auto begin = std::ranges::lower_bound(set.vertices, first),
                   last = std::ranges::lower_bound(set.vertices, end);
        if (begin == last) continue;
        Corrective corrective{mesh.name, set.keys};
        for (std::size_t k = 0; k < corrective.keys.poses.size(); ++k) {
          for (auto v = begin; v != last; ++v) {
            const auto at = static_cast<std::size_t>(v - set.vertices.begin());
            corrective.keys.poses[k].offsets.push_back({*v - first, set.shapes[k * set.vertices.size() + at]});
          }
        }
        made.push_back(std::move(corrective));
      }
      first = end;
    }
    return made;
  }

  // The fraction that fitted weights and shapes add to what the blend reads, on average over the poses.
  double cost(const CharacterData& learnt) const {
    double words = blend_words(learnt) - base_words_;
    std::vector<const Pose*> poses;
    for (const Pose& pose : poses_.poses) poses.push_back(&pose);
    for (const LearntSet& set : sets_) {
      const Eigen::MatrixXd weights = *weights_of(set.keys, skeleton_, poses);  // only keys with a weight are read
      words += static_cast<double>(bytes_of(*problem_, {&set, 1})) / 4 *
               static_cast<double>((weights.array() != 0).count()) / static_cast<double>(weights.size());
    }
    return words / std::max(base_words_, 1.0);
  }

  std::string pose_name(std::size_t pose) const {
    const Pose& of = poses_.poses[pose];
    return fmt::format("{} sample {}", file_name(options_.sequences[of.sequence].cache), of.frame);
  }

  Json numbers(const Errors& errors) const {
    return {{"rms", errors.rms()}, {"most", errors.most}, {"pose", pose_name(errors.pose)}};
  }

  Json describe(const Character& learnt, const ErrorMap& errors) const {
    Json regions = Json::array();
    for (std::size_t j = 0; j < errors.of_joint.size(); ++j) {
      if (errors.of_joint[j].count == 0) continue;
      Json& region = regions.emplace_back(Json{{"joint", learnt->skeleton.joints[j].name},
                                               {"base", numbers(base_errors_->of_joint[j])},
                                               {"fitted", numbers(errors.of_joint[j])}});
      if (held_out_) region["held_out"] = numbers(held_out_->of_joint[j]);
    }
    const char* worst = held_out_ ? "held_out" : "fitted";
    std::stable_sort(regions.begin(), regions.end(),
                     [&](const Json& a, const Json& b) { return a[worst]["most"] > b[worst]["most"]; });
    Json inputs = Json::array();
    std::size_t shapes = 0;
    for (const LearntSet& set : sets_) {
      Json angles = Json::array();
      for (const KeyAngle& angle : set.keys.angles)
        angles.push_back({{"joint", angle.joint}, {"axis", {angle.axis.x, angle.axis.y, angle.axis.z}}});
      inputs.push_back({{"angles", angles},
                        {"interpolation", set.keys.interpolation == KeyInterpolation::kRbf ? "rbf" : "linear"},
                        {"keys", set.keys.poses.size()},
                        {"vertices", set.vertices.size()}});
      shapes += set.keys.poses.size();
    }
    std::size_t weights = 0;  // vertices that have other weights
    for (std::size_t v = 0; v < rows_.size(); ++v) weights += rows_[v] != weight_fit_->painted()[v] ? 1 : 0;
    Json contradictions = Json::array();
    for (const Contradiction& c : contradictions_) {
      contradictions.push_back({{"joint", learnt->skeleton.joints[c.joint].name},
                                {"poses", {pose_name(c.poses[0]), pose_name(c.poses[1])}},
                                {"distance", c.distance}});
    }
    Json sequences = Json::array();
    for (const CachedPoses& given : options_.sequences)
      sequences.push_back({{"cache", file_name(given.cache)}, {"poses", file_name(given.poses)}});
    return {{"poses", poses_.poses.size()},
            {"given", poses_.given},
            {"sequences", sequences},
            {"within", problem_->within},
            {"base", numbers(base_errors_->all())},
            {"fitted", numbers(errors.all())},
            {"held_out", held_out_ ? numbers(held_out_->all()) : Json()},
            {"held_out_by", !held_out_ ? ""
                            : whole_   ? "sequences"
                                       : "frames"},
            {"shapes", shapes},
            {"bytes", serialize(learnt).size()},
            {"base_bytes", base_bytes_},
            {"cost", cost(*learnt)},
            {"weights", weights},
            {"inputs", inputs},
            {"regions", regions},
            {"contradictions", contradictions}};
  }

  const LearnOptions& options_;
  const BindOptions& bind_;
  Poses poses_;
  Model skeleton_;
  Regions regions_;
  std::optional<Problem> problem_;
  std::optional<ErrorMap> base_errors_, held_out_;
  std::optional<Mover> mover_;        // of the base
  std::vector<glm::vec3> lacking_;    // cached less the base's positions, by pose, then by vertex
  std::vector<glm::vec3> positions_;  // of a pose, by move(), as are the motions (Mover::motions)
  std::vector<glm::mat3> motions_;
  std::uint32_t folds_ = 0;
  std::vector<std::uint32_t> fold_of_;  // by pose
  bool whole_ = false;                  // sequences are left out
  std::optional<WeightFit> weight_fit_;
  std::vector<WeightRows> fold_rows_;  // by fold: weights fitted without its poses
  WeightRows rows_;
  std::vector<float> share_;  // by vertex: how much of its shapes it keeps
  std::vector<Contradiction> contradictions_;
  std::vector<LearntSet> sets_;
  std::size_t base_bytes_ = 0;
  std::uint64_t budget_ = 0;  // bytes that weights and shapes may add
  double base_words_ = 0;
};

}  // namespace
}  // namespace learning

Result<LearntModel> learn_model(const std::string& model, const Binding& binding, const LearnOptions& learn,
                                const BindOptions& options) {
  if (learn.sequences.empty()) return invalid("{}: no cache to learn from", model);
  BindOptions shown = options;  // its progress never falls
  if (options.progress) {
    shown.progress = [&, most = 0.0](double part, const std::string& what) mutable {
      options.progress(most = std::max(most, part), what);
    };
  }
  learning::Learner learner(learn, shown);
  BindOptions learning = shown;
  bool weights = false;
  std::vector<Corrective> learnt;
  learning.correct = [&](const Bound& base) -> Result<std::vector<Corrective>> {
    PELT_ASSIGN(weights, learner.begin(base.character));
    if (!weights) learnt = learner.shapes(base.character);
    return learnt;
  };
  if (options.progress) {
    learning.progress = [&](double part, const std::string& what) { shown.progress(0.3 * part, what); };
  }
  PELT_ASSIGN(auto bound, bind_model(model, binding, learning));
  if (weights) {
    learner.give_weights(bound.model);
    learning.progress = {};
    learning.correct = [&](const Bound& base) -> Result<std::vector<Corrective>> {
      return learnt = learner.shapes(base.character);
    };
    PELT_ASSIGN(auto again, bind(bound.model, bound.rig, learning));
    bound.bound.character = std::move(again.character);
    bound.bound.report.meshes = std::move(again.report.meshes);
  }
  PELT_ASSIGN(bound.bound.character, stoppable(options.stop, [&] { return learner.certified(bound.bound.character); }));
  bound.rig.correctives.insert(bound.rig.correctives.end(), learnt.begin(), learnt.end());
  if (options.progress) options.progress(1, "done");
  std::string certificate = bound.bound.character->certificate.text;
  return LearntModel{std::move(bound), std::move(certificate)};
}

}  // namespace pelt
