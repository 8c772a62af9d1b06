// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/linkages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/trigonometric.hpp>

#include <pelt/tools/joint_names.h>

namespace pelt::chain {
namespace {

// A curve continues only over bones with fewer curves than this: as many as a point of the skin can follow.
constexpr std::uint32_t kMaxCurves = 3;
// Two links at a smaller angle are not paired: their curve would reverse.
constexpr double kMinAngle = 60;  // degrees
// The same for two links that both lead away from the joint above, or from the topmost joint, like a thumb and a finger
// of a palm. It does not apply if a limb forks into two with equal bones.
constexpr double kMinAngleAway = 120;  // degrees
// The same for limbs with mirrored names: collar bones may start out along the neck.
constexpr double kMinAngleMirrored = 5;  // degrees
// Limbs count as mirrored if the lengths of their bones differ by less than this fraction, and the cosines of their
// angles by less than this number.
constexpr double kAlike = 0.02;
constexpr std::size_t kMaxShown = 6;  // pairs in a note
// All curves end at a joint with more links, since the number of pairs grows with the square.
constexpr std::size_t kMaxLinks = 64;

bool is_same_length(double one, double other) { return std::abs(one - other) < kAlike * std::max(one, other); }

// Bones in a row, from one end or branch to the next.
struct Run {
  Path clusters;
  std::array<std::uint32_t, 2> straightest{kNone, kNone};  // the run that continues it at its front and at its back
  std::uint32_t curves = 0;

  std::uint32_t at(bool back) const { return back ? clusters.back() : clusters.front(); }
  std::uint32_t beside(bool back) const { return back ? clusters[clusters.size() - 2] : clusters[1]; }
};

struct Pair {
  std::uint32_t cluster;
  std::uint32_t a, b;  // runs
};

class Linkages {
 public:
  Linkages(const Model& model, const JointClusters& tree, const std::vector<bool>& split,
           std::vector<std::string>& notes)
      : model_(model),
        names_(parse_joint_names(model.skeleton)),
        clusters_(tree.clusters),
        split_(split),
        notes_(notes) {}

  std::vector<Path> find() {
    find_runs();
    for (std::uint32_t p = 0; p < clusters_.size(); ++p) {
      if (clusters_[p].link_count() > 1 && !is_through(p) && !split_[p]) pair_links(p);
    }
    follow_pairs();
    drop_contained();
    std::vector<Path> paths;
    for (const Path& curve : curves_) paths.push_back(places_of(curve));
    for (std::uint32_t p = 0; p < clusters_.size(); ++p) {
      if (clusters_[p].link_count() == 0 && clusters_[p].tip) paths.push_back({p});
    }
    return paths;
  }

 private:
  // Returns true if curves continue from bone to bone at `p`. They do not at the topmost joint: two limbs may begin
  // side by side below it.
  bool is_through(std::uint32_t p) const {
    return clusters_[p].link_count() == 2 && clusters_[p].parent != kNone && !split_[p];
  }

  std::vector<std::uint32_t> neighbours(std::uint32_t p) const {
    std::vector<std::uint32_t> result = clusters_[p].children;
    if (clusters_[p].parent != kNone) result.insert(result.begin(), clusters_[p].parent);
    return result;
  }

  void find_runs() {
    std::vector<std::uint32_t> run_above(clusters_.size(), kNone);  // run of the bone above each cluster
    runs_at_.resize(clusters_.size());
    for (std::uint32_t p = 0; p < clusters_.size(); ++p) {
      if (is_through(p)) continue;
      for (std::uint32_t next : neighbours(p)) {
        if (run_above[next == clusters_[p].parent ? p : next] != kNone) continue;
        Run run{.clusters = {p}};
        for (std::uint32_t here = p;;) {
          run_above[next == clusters_[here].parent ? here : next] = static_cast<std::uint32_t>(runs_.size());
          run.clusters.push_back(next);
          if (!is_through(next)) break;
          const std::vector<std::uint32_t> both = neighbours(next);
          const std::uint32_t ahead = both[0] == here ? both[1] : both[0];
          here = next;
          next = ahead;
        }
        runs_.push_back(std::move(run));
      }
    }
    for (std::uint32_t p = 0; p < clusters_.size(); ++p) {
      if (is_through(p)) continue;
      if (clusters_[p].parent != kNone) runs_at_[p].push_back(run_above[p]);
      for (const std::uint32_t child : clusters_[p].children) runs_at_[p].push_back(run_above[child]);
    }
  }

  bool back_at(std::uint32_t run, std::uint32_t cluster) const { return runs_[run].clusters.back() == cluster; }

  const JointCluster& link(std::uint32_t run, std::uint32_t cluster) const {
    return clusters_[runs_[run].beside(back_at(run, cluster))];
  }
  const std::string& link_name(std::uint32_t run, std::uint32_t cluster) const {
    return name_of(model_, link(run, cluster));
  }
  const JointName& parsed_name(const JointCluster& cluster) const { return names_[cluster.first_joint()]; }

  void add_pair(std::uint32_t p, std::uint32_t a, std::uint32_t b) {
    std::uint32_t& of_a = runs_[a].straightest[back_at(a, p)];
    std::uint32_t& of_b = runs_[b].straightest[back_at(b, p)];
    if (of_a == kNone) of_a = b;
    if (of_b == kNone) of_b = a;
    pairs_.push_back({p, a, b});
  }

  struct Candidate {
    double cosine;  // between the links: -1 is straight
    std::size_t a, b;
    bool torn;  // true if the pair separates a limb from its mirror image, which is just as straight
  };

  // Returns the cosine of the angle between two limbs: the widest of the angles to their first, second and last
  // positions, since collar bones may begin side by side.
  double cosine(std::uint32_t p, std::uint32_t a, std::uint32_t b) const {
    const Path& to_a = runs_[a].clusters;
    const Path& to_b = runs_[b].clusters;
    const std::size_t last = std::min(to_a.size(), to_b.size()) - 1;
    double widest = 1;
    for (const std::size_t step : {std::size_t{1}, std::min<std::size_t>(2, last), last}) {
      const auto way = [&](const Path& path, bool back) {
        return clusters_[back ? path[path.size() - 1 - step] : path[step]].position - clusters_[p].position;
      };
      const glm::dvec3 one = way(to_a, back_at(a, p));
      const glm::dvec3 other = way(to_b, back_at(b, p));
      const double lengths = glm::length(one) * glm::length(other);
      if (lengths > 0) widest = std::min(widest, glm::dot(one, other) / lengths);
    }
    return widest;
  }

  // Returns true if two limbs have mirrored names.
  bool are_mirrored(std::uint32_t a, std::uint32_t b, std::uint32_t p) const {
    const JointName one = parsed_name(link(a, p));
    const JointName other = parsed_name(link(b, p));
    return one.side != Side::kNone && other.side != Side::kNone && one.side != other.side && one.word == other.word;
  }

  // Returns true if two limbs have bones of the same lengths.
  bool are_alike(std::uint32_t a, std::uint32_t b, std::uint32_t p) const {
    const auto lengths = [&](std::uint32_t run) {
      const Path& path = runs_[run].clusters;
      std::vector<double> result;
      for (std::size_t i = 1; i < path.size(); ++i) {
        result.push_back(glm::distance(clusters_[path[i - 1]].position, clusters_[path[i]].position));
      }
      if (back_at(run, p)) std::ranges::reverse(result);
      return result;
    };
    return std::ranges::equal(lengths(a), lengths(b), is_same_length);
  }

  // Returns true if the names of two limbs and of the joint that carries them have one side, like fingers of one hand.
  bool of_one_side(std::uint32_t p, std::uint32_t a, std::uint32_t b) const {
    const Side side = parsed_name(clusters_[p]).side;
    return side != Side::kNone && side == parsed_name(link(a, p)).side && side == parsed_name(link(b, p)).side;
  }

  // Returns true if a curve may go from one link to another.
  bool may_pair(std::uint32_t p, std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t above = clusters_[p].parent;
    const auto is_above = [&](std::uint32_t run) { return runs_[run].beside(back_at(run, p)) == above; };
    const bool both_away = above == kNone || (!is_above(a) && !is_above(b));
    if (both_away && clusters_[p].link_count() > 2 && of_one_side(p, a, b)) return false;
    const bool is_fork = clusters_[p].link_count() == 3 && are_alike(a, b, p);
    const double least = are_mirrored(a, b, p) ? kMinAngleMirrored : !both_away || is_fork ? kMinAngle : kMinAngleAway;
    return cosine(p, a, b) < std::cos(glm::radians(least));
  }

  // Returns the allowed pairs at `p`, straightest first.
  std::vector<Candidate> candidates_at(std::uint32_t p) const {
    const std::vector<std::uint32_t>& links = runs_at_[p];
    const std::size_t count = links.size();
    std::vector<glm::dvec3> directions;
    std::vector<double> lengths;
    for (const std::uint32_t run : links) {
      const glm::dvec3 bone = clusters_[runs_[run].beside(back_at(run, p))].position - clusters_[p].position;
      lengths.push_back(glm::length(bone));
      directions.push_back(bone / lengths.back());
    }
    const auto cosine = [&](std::size_t a, std::size_t b) { return glm::dot(directions[a], directions[b]); };
    // Fingers of one hand are not mirror images of each other, however similar they are.
    const auto same_side = [&](std::size_t b, std::size_t c) {
      const Side side = parsed_name(link(links[b], p)).side;
      return side != Side::kNone && side == parsed_name(link(links[c], p)).side;
    };
    const auto torn = [&](std::size_t a, std::size_t b) {
      for (std::size_t c = 0; c < count; ++c) {
        const bool mirrored = c != a && c != b && is_same_length(lengths[b], lengths[c]) &&
                              runs_[links[b]].clusters.size() == runs_[links[c]].clusters.size() && !same_side(b, c);
        if (mirrored && std::abs(cosine(a, b) - cosine(a, c)) < kAlike) return true;
      }
      return false;
    };
    std::vector<Candidate> candidates;
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = a + 1; b < count; ++b) {
        if (may_pair(p, links[a], links[b])) candidates.push_back({cosine(a, b), a, b, torn(a, b) || torn(b, a)});
      }
    }
    // Rounding must not order mirrored limbs, which are equally straight.
    std::ranges::stable_sort(candidates, {}, [](const Candidate& c) { return std::round(c.cosine * 1e6); });
    return candidates;
  }

  // Pairs the links at `p`. A link's first pair is its straightest, or the one that keeps mirrored limbs together.
  void pair_links(std::uint32_t p) {
    const std::vector<std::uint32_t>& links = runs_at_[p];
    const std::string& name = name_of(model_, clusters_[p]);
    if (links.size() > kMaxLinks) {
      notes_.push_back(fmt::format("Joint '{}' has {} links: all curves end at it.", name, links.size()));
      return;
    }
    const std::vector<Candidate> by_straightness = candidates_at(p);
    if (links.size() <= 3) {
      if (links.size() == 2 && by_straightness.empty()) {
        notes_.push_back(fmt::format("Two limbs begin side by side at joint '{}': no curve passes through it.", name));
      }
      for (const Candidate& c : by_straightness) add_pair(p, links[c.a], links[c.b]);
      return;
    }
    std::vector<std::uint32_t> curves(links.size(), 0);
    std::vector<std::string> said;
    const auto take = [&](const Candidate& c) {
      add_pair(p, links[c.a], links[c.b]);
      ++curves[c.a];
      ++curves[c.b];
      said.push_back(fmt::format("'{}' with '{}'", link_name(links[c.a], p), link_name(links[c.b], p)));
    };
    std::vector<Candidate> candidates = by_straightness;
    const bool has_parent = clusters_[p].parent != kNone;
    std::ranges::stable_sort(candidates, {},
                             [&](const Candidate& c) { return std::pair(c.torn, !(has_parent && c.a == 0)); });
    for (const Candidate& c : candidates) {
      if (curves[c.a] == 0 && curves[c.b] == 0) take(c);
    }
    // One finger continues the arm; the others begin at the hand.
    const auto is_further_finger = [&](std::size_t link) {
      return has_parent && curves[0] > 0 &&
             of_one_side(p, links[link], runs_[links[0]].straightest[back_at(links[0], p)]);
    };
    for (std::size_t link = 0; link < links.size(); ++link) {
      if (curves[link] > 0) continue;
      const auto partner = std::ranges::find_if(by_straightness, [&](const Candidate& c) {
        return (c.a == link || c.b == link) && curves[c.a == link ? c.b : c.a] < kMaxCurves && !is_further_finger(link);
      });
      if (partner != by_straightness.end()) {
        take(*partner);
      } else {
        said.push_back(fmt::format("'{}' alone", link_name(links[link], p)));
      }
    }
    if (links.size() == 4) return;
    const std::size_t shown = std::min(said.size(), kMaxShown);
    notes_.push_back(fmt::format("Joint '{}' has {} links, paired by straightness: {}{}.", name, links.size(),
                                 fmt::join(std::span(said).first(shown), ", "),
                                 said.size() > shown ? fmt::format(" and {} more", said.size() - shown) : ""));
  }

  bool is_mutual(const Pair& pair) const {
    return runs_[pair.a].straightest[back_at(pair.a, pair.cluster)] == pair.b &&
           runs_[pair.b].straightest[back_at(pair.b, pair.cluster)] == pair.a;
  }

  // Lengthens a curve at its far end, which is `cluster` of its last run, while `goes_on` allows.
  template <class GoesOn>
  void extend(Path& curve, std::uint32_t cluster, const GoesOn& goes_on) const {
    for (;;) {
      const std::uint32_t run = curve.back();
      const std::uint32_t next = runs_[run].straightest[back_at(run, cluster)];
      if (next == kNone || !goes_on(Pair{cluster, run, next})) return;
      curve.push_back(next);
      cluster = runs_[next].at(!back_at(next, cluster));
    }
  }

  template <class GoesOn>
  void extend_both(Path& curve, std::uint32_t front, std::uint32_t back, const GoesOn& goes_on) const {
    extend(curve, back, goes_on);
    std::ranges::reverse(curve);
    extend(curve, front, goes_on);
  }

  // Makes the straightest curves, which share no bone, and then one for each other pair.
  void follow_pairs() {
    std::vector<bool> done(runs_.size());
    for (std::uint32_t run = 0; run < runs_.size(); ++run) {
      if (done[run]) continue;
      Path curve{run};
      extend_both(curve, runs_[run].at(false), runs_[run].at(true), [&](const Pair& pair) { return is_mutual(pair); });
      for (const std::uint32_t r : curve) {
        done[r] = true;
        ++runs_[r].curves;
      }
      curves_.push_back(std::move(curve));
    }
    std::erase_if(pairs_, [&](const Pair& pair) { return is_mutual(pair); });
    for (const Pair& pair : pairs_) {
      ++runs_[pair.a].curves;
      ++runs_[pair.b].curves;
    }
    for (const Pair& pair : pairs_) {
      Path curve{pair.a, pair.b};
      extend_both(curve, runs_[pair.a].at(!back_at(pair.a, pair.cluster)),
                  runs_[pair.b].at(!back_at(pair.b, pair.cluster)), [&](const Pair& onward) {
                    if (runs_[onward.b].curves >= kMaxCurves) return false;
                    ++runs_[onward.b].curves;
                    return true;
                  });
      curves_.push_back(std::move(curve));
    }
  }

  // Removes curves that are part of another one. In a tree, it suffices that a path contains the first and last runs.
  void drop_contained() {
    std::vector<std::vector<std::size_t>> curves_of(runs_.size());
    for (std::size_t c = 0; c < curves_.size(); ++c) {
      for (const std::uint32_t run : curves_[c]) curves_of[run].push_back(c);
    }
    std::vector<Path> kept;
    for (std::size_t c = 0; c < curves_.size(); ++c) {
      const std::vector<std::size_t>& front = curves_of[curves_[c].front()];
      const std::vector<std::size_t>& back = curves_of[curves_[c].back()];
      const bool contained = std::ranges::any_of(front, [&](std::size_t other) {
        if (other == c || !std::ranges::binary_search(back, other)) return false;
        return curves_[other].size() > curves_[c].size() || (curves_[other].size() == curves_[c].size() && other < c);
      });
      if (!contained) kept.push_back(curves_[c]);
    }
    curves_ = std::move(kept);
  }

  Path places_of(const Path& curve) const {
    Path result;
    for (std::size_t i = 0; i < curve.size(); ++i) {
      Path run = runs_[curve[i]].clusters;
      // Runs meet end to end. The second run determines the direction of the first.
      const bool turned = i > 0 ? run.front() != result.back()
                                : curve.size() > 1 && (run.front() == runs_[curve[1]].clusters.front() ||
                                                       run.front() == runs_[curve[1]].clusters.back());
      if (turned) std::ranges::reverse(run);
      if (i > 0) result.pop_back();
      result.insert(result.end(), run.begin(), run.end());
    }
    return result;
  }

  const Model& model_;
  std::vector<JointName> names_;  // of each joint
  const std::vector<JointCluster>& clusters_;
  const std::vector<bool>& split_;
  std::vector<std::string>& notes_;
  std::vector<Run> runs_;
  std::vector<std::vector<std::uint32_t>> runs_at_;  // runs at each end or branch, the one to the parent first
  std::vector<Pair> pairs_;
  std::vector<Path> curves_;  // indices of runs
};

}  // namespace

std::vector<Path> find_paths(const Model& model, const JointClusters& tree, const std::vector<bool>& split,
                             std::vector<std::string>& notes) {
  return Linkages(model, tree, split, notes).find();
}

}  // namespace pelt::chain
