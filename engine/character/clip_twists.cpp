// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <glm/gtc/constants.hpp>
#include <map>
#include <utility>

#include <pelt/clip_twists.h>
#include <pelt/pose.h>

#include "engine/character/pose_kernels.h"
#include "engine/character/records.h"
#include "shaders/chain/pose.h"

namespace pelt {
namespace {

// Inserts times between two others while a joint twists by more than this between them, up to a maximum depth: as a
// swing passes half a turn, the twist jumps.
constexpr float kMaxStep = glm::quarter_pi<float>();
constexpr int kMaxHalvings = 6;
// A twist that stays at least this far from half a turn needs no control.
constexpr float kClear = glm::pi<float>() / 18;

// Limits the channels, joints and anchors evaluated, summed over all times. Ten minutes of motion capture at 60 Hz stay
// below it; beyond it only some keys are played, so that a small file cannot take minutes.
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 25;

// Calls visit(pass, chain, anchor, input) for each anchor whose twist is an input, until it returns false.
template <class Visit>
void for_each_twist(const CharacterData& character, const Visit& visit) {
  for (const PalettePass& pass : character.passes) {
    if (pass.kernel != PoseKernel::kAnchor) continue;
    for (std::size_t r = 0; r < pass.record_count; ++r) {
      const auto record = read_record<shared::AnchorRecord>(pass.records, r);
      const shared::Chain chain = shared::read_chain(table_work(pass.table), record.chain);
      const std::uint32_t end = std::min(record.first + shared::kAnchorBlock, chain.anchor_count);
      for (std::uint32_t i = record.first; i < end; ++i) {
        const std::uint32_t input = pass.table[shared::anchor_word(chain, i) + shared::kAnchorTwist];
        if (i == chain.top || input == shared::kNoInput) continue;
        if (!visit(pass, chain, i, input)) return;
      }
    }
  }
}

// A chain whose anchors take their twists from controls.
struct TwistChain {
  const PalettePass* pass;
  shared::Chain chain;
  std::vector<std::size_t> controls;  // per anchor, or kNone
};

constexpr std::size_t kNone = ~std::size_t{0};

// Visits each anchor once, however many controls there are.
std::vector<TwistChain> find_chains(const CharacterData& character, std::vector<std::uint32_t>& controls,
                                    std::vector<std::uint32_t>& unused) {
  std::vector<bool> is_twist(character.input_count, false);
  for (const Control& control : character.controls) is_twist[control.input] = control.kind == ControlKind::kTwist;
  std::vector<std::size_t> control_of(character.input_count, kNone);
  std::map<std::pair<const PalettePass*, std::uint32_t>, std::size_t> chain_of;  // by its first anchor
  std::vector<TwistChain> chains;
  // Uses the first anchor of an input; its anchors on other curves take the same twist.
  for_each_twist(character,
                 [&](const PalettePass& pass, const shared::Chain& chain, std::uint32_t i, std::uint32_t input) {
                   if (!is_twist[input] || control_of[input] != kNone) return true;
                   control_of[input] = controls.size();
                   controls.push_back(input);
                   const auto [known, is_new] = chain_of.try_emplace({&pass, chain.first_anchor}, chains.size());
                   if (is_new) chains.push_back({&pass, chain, std::vector<std::size_t>(chain.anchor_count, kNone)});
                   chains[known->second].controls[i] = control_of[input];
                   return true;
                 });
  for (const Control& control : character.controls) {
    if (control.kind == ControlKind::kTwist && control_of[control.input] == kNone) unused.push_back(control.input);
  }
  return chains;
}

// Plays a clip: computes all twists at a time, each nearest to its previous value.
class Player {
 public:
  Player(const CharacterData& character, const Clip& clip)
      : character_(character),
        clip_(clip),
        local_(character.skeleton.joints.size()),
        joints_(character.skeleton.joints.size()),
        inputs_(character.input_count, 0.0f),
        chains_(find_chains(character, controls_, unused_)) {
    steps_a_time_ = clip.channels.size() + local_.size();
    for (const TwistChain& chain : chains_) steps_a_time_ += chain.controls.size();
  }

  std::span<const std::uint32_t> controls() const { return controls_; }
  std::span<const std::uint32_t> unused() const { return unused_; }

  // The number of times at which twists may still be computed.
  std::uint64_t times_left() const { return steps_ < kMaxSteps ? (kMaxSteps - steps_) / steps_a_time_ : 0; }

  // Returns the twists of controls() at `time`, each nearest to its value in `before`, a little earlier.
  std::vector<float> twists(float time, std::span<const float> before) {
    steps_ += steps_a_time_;
    rest_pose(character_.skeleton, local_);
    sample_clip(clip_, time, local_);
    model_matrices(character_.skeleton, local_, joints_);
    std::vector<float> angles(controls_.size());
    for (std::size_t a = 0; a < controls_.size(); ++a) inputs_[controls_[a]] = before[a];
    for (const TwistChain& chain : chains_) pose_chain(chain, angles);
    return angles;
  }

 private:
  // Poses the anchors of a chain from the top to both ends.
  void pose_chain(const TwistChain& twist_chain, std::vector<float>& angles) const {
    const shared::PoseWork work{twist_chain.pass->table.data(), joints_.data(), nullptr, inputs_.data(), nullptr};
    const auto pose = [&](std::uint32_t i, const shared::TurnedAnchor& upper) {
      const shared::TurnedAnchor anchor = shared::pose_next_anchor(work, twist_chain.chain, i, upper);
      if (twist_chain.controls[i] != kNone) angles[twist_chain.controls[i]] = anchor.twist_from_upper;
      return anchor;
    };
    const shared::TurnedAnchor top = shared::pose_own_anchor(work, twist_chain.chain, twist_chain.chain.top);
    shared::TurnedAnchor upper = top;
    for (std::uint32_t i = twist_chain.chain.top; i > 0; --i) upper = pose(i - 1, upper);
    upper = top;
    for (std::uint32_t i = twist_chain.chain.top + 1; i < twist_chain.chain.anchor_count; ++i) upper = pose(i, upper);
  }

  const CharacterData& character_;
  const Clip& clip_;
  std::vector<std::uint32_t> controls_;
  std::vector<std::uint32_t> unused_;
  std::vector<Transform> local_;
  std::vector<glm::mat4> joints_;
  std::vector<float> inputs_;
  std::vector<TwistChain> chains_;
  std::uint64_t steps_a_time_ = 0;
  std::uint64_t steps_ = 0;
};

struct Moment {
  float time;
  std::vector<float> angles;
};

float largest_step(const Moment& from, const Moment& to) {
  float largest = 0;
  for (std::size_t a = 0; a < from.angles.size(); ++a) {
    largest = std::max(largest, std::abs(to.angles[a] - from.angles[a]));
  }
  return largest;
}

// Appends the moments from moments.back() to `time`.
void play(Player& player, float time, int halvings, std::vector<Moment>& moments) {
  const Moment from = moments.back();
  if (halvings > 0) {
    Moment to{time, player.twists(time, from.angles)};
    if (halvings == kMaxHalvings || player.times_left() == 0 || !(largest_step(from, to) > kMaxStep)) {
      moments.push_back(std::move(to));
      return;
    }
  }
  play(player, 0.5f * (from.time + time), halvings + 1, moments);
  play(player, time, halvings + 1, moments);
}

std::vector<float> key_times(const Clip& clip) {
  std::vector<float> times;
  for (const Channel& channel : clip.channels) times.insert(times.end(), channel.times.begin(), channel.times.end());
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

// Keeps about `most` of the times, evenly spread, and the last one.
void thin_out(std::vector<float>& times, std::uint64_t most) {
  const std::size_t stride = (times.size() + most - 1) / most;
  if (stride <= 1) return;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (k % stride == 0 || k + 1 == times.size()) times[kept++] = times[k];
  }
  times.resize(kept);
}

}  // namespace

ClipTwists::ClipTwists(const CharacterData& character, const Clip& clip) {
  Player player(character, clip);
  const std::span<const std::uint32_t> controls = player.controls();
  still_.assign(player.unused().begin(), player.unused().end());
  std::vector<float> keys = key_times(clip);
  if (controls.empty() || keys.empty()) {
    still_.insert(still_.end(), controls.begin(), controls.end());
    return;
  }
  // Each key takes at least two times.
  thin_out(keys, std::max<std::uint64_t>(player.times_left() / 2, 2));
  std::vector<Moment> moments{{keys.front(), player.twists(keys.front(), std::vector<float>(controls.size(), 0.0f))}};
  for (std::size_t k = 1; k < keys.size(); ++k) play(player, keys[k], 0, moments);

  std::vector<std::size_t> kept;
  for (std::size_t a = 0; a < controls.size(); ++a) {
    const bool far = std::ranges::any_of(
        moments, [&](const Moment& moment) { return std::abs(moment.angles[a]) > glm::pi<float>() - kClear; });
    (far ? inputs_ : still_).push_back(controls[a]);
    if (far) kept.push_back(a);
  }
  if (kept.empty()) return;
  for (const Moment& moment : moments) {
    times_.push_back(moment.time);
    for (const std::size_t a : kept) angles_.push_back(moment.angles[a]);
  }
}

void ClipTwists::sample(float time, std::span<float> inputs) const {
  for (const std::uint32_t input : still_) inputs[input] = 0;
  if (times_.empty()) return;
  const auto above = static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), time) - times_.begin());
  const std::size_t after = std::min(above, times_.size() - 1);
  const std::size_t before = after == 0 ? 0 : after - 1;
  const float interval = times_[after] - times_[before];
  const float share = interval > 0 ? std::clamp((time - times_[before]) / interval, 0.0f, 1.0f) : 0.0f;
  const float* from = &angles_[before * inputs_.size()];
  const float* to = &angles_[after * inputs_.size()];
  for (std::size_t i = 0; i < inputs_.size(); ++i) inputs[inputs_[i]] = std::lerp(from[i], to[i], share);
}

void sample_morph_targets(const CharacterData& character, const Clip& clip, float time, std::span<float> inputs) {
  assert(inputs.size() == character.input_count);
  // Clips mostly have the order of the controls, so the next control is looked for after the last one.
  std::size_t next = 0;
  const std::size_t count = character.controls.size();
  for (const MorphChannel& channel : clip.morph_channels) {
    for (std::size_t i = 0; i < count; ++i) {
      const Control& control = character.controls[(next + i) % count];
      if (control.kind != ControlKind::kMorphTarget) continue;
      // Compare numbers before names: with many targets and channels, few names are compared.
      if (control.target != channel.target || control.mesh != channel.mesh) continue;
      inputs[control.input] = sample(channel, time);
      next += i + 1;
      break;
    }
  }
}

std::optional<glm::vec3> twist_axis(const CharacterData& character, std::uint32_t input) {
  std::optional<glm::vec3> axis;
  for_each_twist(
      character, [&](const PalettePass& pass, const shared::Chain& chain, std::uint32_t i, std::uint32_t twist) {
        if (twist != input) return true;
        const shared::PoseWork work = table_work(pass.table);
        const std::uint32_t word = shared::anchor_word(chain, i);
        const std::uint32_t rotation = word + shared::kAnchorRotation;
        const glm::vec4 joint_from_model(shared::table_vector(work, rotation), shared::table_float(work, rotation + 3));
        axis = shared::quaternion_rotate(joint_from_model, shared::table_vector(work, word + shared::kAnchorAxis));
        return false;
      });
  return axis;
}

}  // namespace pelt
