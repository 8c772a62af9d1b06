// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <glm/gtc/constants.hpp>
#include <optional>

#include <pelt/clip_twists.h>
#include <pelt/pose.h>

#include "engine/character/pose_kernels.h"
#include "engine/character/records.h"
#include "shaders/chain/pose.h"

namespace pelt {
namespace {

// Times are added between two others while a joint twists by more than this between them, but at most so many times
// over: at a swing of half a turn a twist jumps.
constexpr float kMaxStep = glm::quarter_pi<float>();
constexpr int kMaxHalvings = 6;
// A joint whose twist stays this far from half a turn needs no control.
constexpr float kClear = glm::pi<float>() / 18;

// An anchor that takes its twist from a control.
struct TwistAnchor {
  const PalettePass* pass;
  shared::Chain chain;
  std::uint32_t anchor;
};

// Returns the first anchor that takes its twist from `input`; others, on other curves, take the same twist.
std::optional<TwistAnchor> find_anchor(const CharacterData& character, std::uint32_t input) {
  for (const PalettePass& pass : character.passes) {
    if (pass.kernel != PoseKernel::kAnchor) continue;
    for (std::size_t r = 0; r < pass.record_count; ++r) {
      const auto record = read_record<shared::AnchorRecord>(pass.records, r);
      const shared::Chain chain = shared::read_chain(table_work(pass.table), record.chain);
      const std::uint32_t end = std::min(record.first + shared::kAnchorBlock, chain.anchor_count);
      for (std::uint32_t i = record.first; i < end; ++i) {
        if (i == chain.top || pass.table[shared::anchor_word(chain, i) + shared::kAnchorTwist] != input) continue;
        return TwistAnchor{&pass, chain, i};
      }
    }
  }
  return std::nullopt;
}

// Plays a clip: computes all twists at a time, each nearest to its earlier value.
class Player {
 public:
  Player(const CharacterData& character, const Clip& clip)
      : character_(character),
        clip_(clip),
        local_(character.skeleton.joints.size()),
        joints_(character.skeleton.joints.size()),
        inputs_(character.input_count, 0.0f) {
    for (const Control& control : character.controls) {
      if (control.kind != ControlKind::kTwist) continue;
      const std::optional<TwistAnchor> anchor = find_anchor(character, control.input);
      if (anchor) {
        anchors_.push_back(*anchor);
        controls_.push_back(control.input);
      } else {
        unused_.push_back(control.input);
      }
    }
  }

  std::span<const std::uint32_t> controls() const { return controls_; }
  std::span<const std::uint32_t> unused() const { return unused_; }

  // Returns the twists of controls() at `time`, each nearest to `before`, the twists a little earlier.
  std::vector<float> twists(float time, std::span<const float> before) {
    rest_pose(character_.skeleton, local_);
    sample_clip(clip_, time, local_);
    model_matrices(character_.skeleton, local_, joints_);
    std::vector<float> angles(anchors_.size());
    for (std::size_t a = 0; a < anchors_.size(); ++a) {
      const TwistAnchor& anchor = anchors_[a];
      inputs_[controls_[a]] = before[a];
      const shared::PoseWork work{anchor.pass->table.data(), joints_.data(), nullptr, inputs_.data(), nullptr};
      angles[a] = shared::pose_nearest_anchor(work, anchor.chain, anchor.anchor).own;
    }
    return angles;
  }

 private:
  const CharacterData& character_;
  const Clip& clip_;
  std::vector<TwistAnchor> anchors_;
  std::vector<std::uint32_t> controls_;
  std::vector<std::uint32_t> unused_;
  std::vector<Transform> local_;
  std::vector<glm::mat4> joints_;
  std::vector<float> inputs_;
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

// Appends the moments after moments.back() up to `time`.
void play(Player& player, float time, int halvings, std::vector<Moment>& moments) {
  const Moment from = moments.back();
  if (halvings > 0) {
    Moment to{time, player.twists(time, from.angles)};
    if (halvings == kMaxHalvings || !(largest_step(from, to) > kMaxStep)) {
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

}  // namespace

ClipTwists::ClipTwists(const CharacterData& character, const Clip& clip) {
  Player player(character, clip);
  const std::span<const std::uint32_t> controls = player.controls();
  still_.assign(player.unused().begin(), player.unused().end());
  const std::vector<float> keys = key_times(clip);
  if (controls.empty() || keys.empty()) {
    still_.insert(still_.end(), controls.begin(), controls.end());
    return;
  }
  std::vector<Moment> moments{{keys.front(), player.twists(keys.front(), std::vector<float>(controls.size(), 0.0f))}};
  for (std::size_t k = 1; k < keys.size(); ++k) play(player, keys[k], 0, moments);

  std::vector<std::size_t> kept;
  for (std::size_t a = 0; a < controls.size(); ++a) {
    const bool far = std::any_of(moments.begin(), moments.end(), [&](const Moment& moment) {
      return std::abs(moment.angles[a]) > glm::pi<float>() - kClear;
    });
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
  for (const MorphChannel& channel : clip.morph_channels) {
    for (const Control& control : character.controls) {
      if (control.kind != ControlKind::kMorphTarget) continue;
      if (control.mesh != channel.mesh || control.target != channel.target) continue;
      inputs[control.input] = sample(channel, time);
    }
  }
}

std::optional<glm::vec3> twist_axis(const CharacterData& character, std::uint32_t input) {
  const std::optional<TwistAnchor> anchor = find_anchor(character, input);
  if (!anchor) return std::nullopt;
  const shared::PoseWork work = table_work(anchor->pass->table);
  const std::uint32_t word = shared::anchor_word(anchor->chain, anchor->anchor);
  const std::uint32_t rotation = word + shared::kAnchorRotation;
  const glm::vec4 joint_from_model(shared::table_vector(work, rotation), shared::table_float(work, rotation + 3));
  return shared::quaternion_rotate(joint_from_model, shared::table_vector(work, word + shared::kAnchorAxis));
}

}  // namespace pelt
