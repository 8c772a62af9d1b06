// SPDX-License-Identifier: MIT
#include "samples/viewer/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <map>
#include <utility>

#include <pelt/clip_twists.h>
#include <pelt/nearest_name.h>
#include <pelt/tools/parallel.h>
#include <pelt/try.h>

namespace pelt::viewer {
namespace {

constexpr int kClipSamples = 9;         // poses of a clip whose boxes form the actor's bounds
constexpr float kBoundsMargin = 0.02f;  // fraction of the size, for the poses between these
constexpr float kCrowdGap = 1.08f;
constexpr float kRowGap = 1.04f;  // factor on the widest character's diagonal on the ground
// Phases of neighbours in a crowd differ by the golden ratio, so that no two instances are in step.
constexpr double kPhase = 0.6180339887498949;

// A twist control and its axis.
struct TwistControl {
  std::uint32_t joint;
  std::uint32_t input;
  glm::vec3 axis;  // in the joint's space
};

// A JointTurn, resolved.
struct Turn {
  std::uint32_t joint;
  glm::quat rotation;
};

}  // namespace

// An actor, and the data that poses it.
struct Newcomer::State {
  std::unique_ptr<Actor> actor;
  std::vector<TwistControl> twists;
  std::optional<samples::Poser> poser;
  std::string clip;                                        // the poser's clip
  std::optional<float> time;                               // of the clip, at the last pose
  std::map<std::string, samples::Bounds> bounds_of_clips;  // bounds of the clips played so far
  bool is_moved = false;                                   // points were moved since these were measured
  std::unique_ptr<Evaluator> evaluator;
  bool evaluated = false;     // the evaluator has actor->pose
  std::uint32_t refused = 0;  // number of instances without room
};

namespace {

using Entry = Newcomer::State;

// Returns the turn about an axis. A quaternion distinguishes turns of up to 360 degrees in either direction.
float turn_about(const glm::quat& q, glm::vec3 axis) {
  return 2 * std::atan2(glm::dot(glm::vec3(q.x, q.y, q.z), axis), q.w);
}

// The user's changes on top of the clip, resolved for one character.
struct Changes {
  std::vector<Turn> turns;
  std::vector<std::pair<std::uint32_t, float>> inputs;  // values of single inputs

  bool empty() const { return turns.empty() && inputs.empty(); }
};

samples::InstancePose pose_at(const Entry& entry, const Changes& changes, float seconds) {
  samples::InstancePose pose = entry.poser->at(seconds, [&](std::span<Transform> local) {
    for (const Turn& turn : changes.turns) local[turn.joint].rotation = local[turn.joint].rotation * turn.rotation;
  });
  for (const auto& [input, value] : changes.inputs) pose.inputs[input] = value;
  for (const Turn& turn : changes.turns) {
    for (const TwistControl& control : entry.twists) {
      if (control.joint == turn.joint) pose.inputs[control.input] += turn_about(turn.rotation, control.axis);
    }
  }
  return pose;
}

void evaluate(Entry& entry, const samples::InstancePose& pose) {
  if (!entry.evaluator)
    entry.evaluator = std::make_unique<Evaluator>(entry.actor->character,
                                                  Evaluator::Options{.jobs = thread_jobs(), .control_meshes = true});
  entry.evaluator->pose(pose.joints);
  entry.evaluator->inputs(pose.inputs);
  entry.evaluator->evaluate();
}

void add_skin(const Character& character, const Evaluator& evaluator, samples::Bounds& bounds) {
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.control) continue;
    for (const glm::vec3& point : evaluator.positions().subspan(mesh.first_vertex, mesh.vertex_count())) {
      bounds.add(point);
    }
  }
}

// Returns the bounds of several poses of a clip, with a margin, model space.
samples::Bounds bounds_of_clip(const Character& character, const samples::Poser& poser) {
  samples::Bounds bounds;
  Evaluator evaluator(character, {.jobs = thread_jobs(), .normals = false, .tangents = false});
  const float duration = poser.duration();
  const int count = duration > 0 ? kClipSamples : 1;
  for (int k = 0; k < count; ++k) {
    const samples::InstancePose pose =
        poser.at(duration * static_cast<float>(k) / static_cast<float>(kClipSamples - 1));
    evaluator.pose(pose.joints);
    evaluator.inputs(pose.inputs);
    evaluator.evaluate();
    add_skin(character, evaluator, bounds);
  }
  const glm::vec3 margin(kBoundsMargin * glm::length(bounds.size()));
  if (!bounds.empty()) bounds = {bounds.low - margin, bounds.high + margin};
  return bounds;
}

// Makes the poser play `clip`, and measures the character in it.
Result<void> take_clip(Entry& entry, const std::string& clip) {
  if (entry.poser && entry.clip == clip) return {};
  PELT_ASSIGN(entry.poser, samples::Poser::create(entry.actor->character, {.clip = clip, .caches = {}}));
  entry.clip = clip;
  entry.time.reset();
  const auto [known, is_new] = entry.bounds_of_clips.try_emplace(clip);
  if (is_new) known->second = bounds_of_clip(entry.actor->character, *entry.poser);
  return {};
}

// `may_lack`: a joint that the character lacks is not turned; otherwise that is an error.
Result<Changes> resolve(const ViewState& state, const CharacterData& character, bool may_lack = false) {
  Changes resolved;
  const Skeleton& skeleton = character.skeleton;
  for (const JointTurn& turn : state.turns) {
    const std::optional<std::uint32_t> joint = skeleton.find(turn.joint);
    if (!joint && may_lack) continue;
    if (!joint) return tl::unexpected(unknown_name("joint", "joints", turn.joint, skeleton.joints, &Joint::name));
    resolved.turns.push_back({*joint, turn.rotation});
  }
  for (const MorphWeight& morph : state.morphs) {
    // A compared character may lack the control: it has other drivers. A garment has the body's targets by name.
    const std::string target = "/" + morph.control.substr(morph.control.find('/') + 1);
    for (const Control& control : character.controls) {
      const bool is_twin = may_lack && control.kind == ControlKind::kMorphTarget && control.name.ends_with(target);
      if (control.name == morph.control || is_twin) resolved.inputs.emplace_back(control.input, morph.weight);
    }
  }
  return resolved;
}

// Returns a move to the right and away, as seen from a camera of this yaw.
glm::mat4 aside(float yaw, float right, float away) {
  const glm::vec3 x(std::cos(yaw), 0, -std::sin(yaw));
  const glm::vec3 z(-std::sin(yaw), 0, -std::cos(yaw));
  return glm::translate(glm::mat4(1.0f), right * x + away * z);
}

// Places the instances of a crowd in rows of a square. `centred`: the first instance is in the middle of its row;
// otherwise at its left end.
std::vector<glm::mat4> crowd_places(const samples::Bounds& bounds, std::uint32_t count, bool centred, float yaw) {
  const auto columns = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  const float step = kCrowdGap * std::max(bounds.size().x, bounds.size().z);
  std::vector<glm::mat4> places;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto column = static_cast<int>(i % columns);
    const int in_turn = (column % 2 == 1 ? 1 : -1) * ((column + 1) / 2);
    const std::uint32_t row = i / columns;
    places.push_back(aside(yaw, step * static_cast<float>(centred ? in_turn : column), step * static_cast<float>(row)));
  }
  return places;
}

// Continues secondary action with the clip, and restarts it at rest when the clip's time jumps.
void pass_time(Entry& entry, const Playback& playback) {
  constexpr float kJump = 0.25f;  // seconds
  float passed = entry.time ? playback.time - *entry.time : -1.0f;
  if (entry.time && playback.playing && playback.loop && passed < 0) passed += entry.poser->duration();
  entry.time = playback.time;
  runtime::Crowd& crowd = entry.actor->crowd;
  const bool jumps = passed < 0 || passed > kJump;
  entry.actor->restart = jumps;
  if (!jumps) crowd.advance(passed);
  if (!entry.evaluator) return;
  if (jumps) entry.evaluator->teleport();
  if (!jumps) entry.evaluator->advance(passed);
}

void pose_crowd(Entry& entry, const Changes& changes, float time) {
  Actor& actor = *entry.actor;
  const float duration = entry.poser->duration();
  std::vector<samples::InstancePose> poses(actor.crowd.instance_count());
  parallel_for(poses.size(), 16, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double phase = kPhase * static_cast<double>(i);
      const float shift = duration * static_cast<float>(phase - std::floor(phase));
      poses[i] = pose_at(entry, changes, i == 0 || duration <= 0 ? time : std::fmod(time + shift, duration));
    }
  });
  for (std::uint32_t i = 0; i < poses.size(); ++i) {
    actor.crowd.pose(i, poses[i].joints);
    actor.crowd.inputs(i, poses[i].inputs);
  }
  actor.pose = std::move(poses.front());
  entry.evaluated = false;
  actor.bounds = entry.bounds_of_clips.at(entry.clip);
  if (changes.empty() && !entry.is_moved) return;
  evaluate(entry, actor.pose);
  entry.evaluated = true;
  add_skin(actor.character, *entry.evaluator, actor.bounds);
}

}  // namespace

struct Stage::State {
  const runtime::Device* device;
  std::map<std::string, Entry> entries;
  std::vector<Entry> companions;
  std::vector<Actor*> drawn;
  std::vector<std::string> compared;  // those that existed in the last pose()
};

Stage::Stage(const runtime::Device& device) : state_(std::make_unique<State>()) { state_->device = &device; }
Stage::~Stage() = default;
Stage::Stage(Stage&&) noexcept = default;

Newcomer::Newcomer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Newcomer::~Newcomer() = default;
Newcomer::Newcomer(Newcomer&&) noexcept = default;
Newcomer& Newcomer::operator=(Newcomer&&) noexcept = default;

Result<Newcomer> make_newcomer(const runtime::Device& device, const std::string& key, Bound bound, double bind_seconds,
                               const std::string& clip) {
  PELT_ASSIGN(auto uploaded, runtime::upload(device, bound.character));
  PELT_ASSIGN(auto crowd, runtime::Crowd::create(device, uploaded, {.outputs = {.control_meshes = true}}));
  auto entry = std::make_unique<Entry>();
  entry->actor = std::make_unique<Actor>(Actor{.key = key,
                                               .caption = samples::caption_of(*bound.character),
                                               .character = std::move(bound.character),
                                               .report = std::move(bound.report),
                                               .bind_seconds = bind_seconds,
                                               .uploaded = std::move(uploaded),
                                               .crowd = std::move(crowd)});
  const Character& character = entry->actor->character;
  for (const Control& control : character->controls) {
    if (control.kind != ControlKind::kTwist) continue;
    const std::optional<glm::vec3> axis = twist_axis(*character, control.input);
    if (axis) entry->twists.push_back({control.target, control.input, *axis});
  }
  if (find_clip(character->clips, clip) != nullptr) PELT_TRY(take_clip(*entry, clip));
  PELT_TRY(take_clip(*entry, ""));
  entry->actor->worlds.assign(1, glm::mat4(1.0f));
  pose_crowd(*entry, {}, 0);
  evaluate(*entry, entry->actor->pose);
  entry->evaluated = true;
  return Newcomer(std::move(entry));
}

void Stage::show(Newcomer newcomer, bool is_moved) {
  Entry& entry = newcomer.state();
  const std::string key = entry.actor->key;
  const auto before = state_->entries.find(key);
  entry.is_moved = is_moved && before != state_->entries.end();
  if (entry.is_moved) entry.bounds_of_clips.merge(before->second.bounds_of_clips);
  remove(key);
  Actor* shown = state_->entries.emplace(key, std::move(entry)).first->second.actor.get();
  if (key == "rig") state_->drawn.push_back(shown);
}

void Stage::remove(const std::string& key) {
  const auto known = state_->entries.find(key);
  if (known == state_->entries.end()) return;
  std::erase(state_->drawn, known->second.actor.get());
  state_->entries.erase(known);
}

void Stage::accompany(std::vector<Newcomer> companions) {
  state_->companions.clear();
  for (Newcomer& newcomer : companions) state_->companions.push_back(std::move(newcomer.state()));
}

std::vector<Actor*> Stage::companions() const {
  std::vector<Actor*> found;
  for (const Entry& entry : state_->companions) found.push_back(entry.actor.get());
  return found;
}

std::span<Actor* const> Stage::actors() const { return state_->drawn; }

Actor* Stage::find(const std::string& key) {
  const auto known = state_->entries.find(key);
  return known == state_->entries.end() ? nullptr : known->second.actor.get();
}

Actor* Stage::reference() { return state_->compared.empty() ? nullptr : find(state_->compared.front()); }

Result<void> Stage::pose(const ViewState& state) {
  std::vector<std::string> compared;
  if (state.compare.mode != CompareMode::kNone) {
    for (const std::string& key : state.compare.deformers) {
      if (key != "rig" && state_->entries.contains(key)) compared.push_back(key);
    }
  }
  std::vector<std::string> posed = compared;
  if (state_->entries.contains("rig")) posed.emplace_back("rig");

  std::vector<Changes> changes;
  for (const std::string& key : posed) {
    Entry& entry = state_->entries.at(key);
    PELT_ASSIGN(auto resolved, resolve(state, *entry.actor->character));
    changes.push_back(std::move(resolved));
    PELT_TRY(take_clip(entry, state.playback.clip));
  }

  const std::uint32_t instances = std::max(state.instances, 1u);
  const auto resize = [&](Entry& entry, std::uint32_t count) -> Result<void> {
    if (count == entry.actor->crowd.instance_count() || count == entry.refused) return {};
    entry.refused = count;
    PELT_ASSIGN(entry.actor->crowd,
                runtime::Crowd::create(*state_->device, entry.actor->uploaded,
                                       {.instances = {count}, .outputs = {.control_meshes = true}}));
    entry.refused = 0;
    return {};
  };
  Result<void> result;
  for (std::size_t k = 0; k < posed.size(); ++k) {
    Entry& entry = state_->entries.at(posed[k]);
    if (const Result<void> done = resize(entry, posed[k] == "rig" ? instances : 1); !done) result = done;
    pass_time(entry, state.playback);
    pose_crowd(entry, changes[k], state.playback.time);
  }

  for (Entry& entry : state_->companions) {
    const bool has_clip = find_clip(entry.actor->character->clips, state.playback.clip) != nullptr;
    PELT_TRY(take_clip(entry, has_clip ? state.playback.clip : ""));
    PELT_ASSIGN(const auto resolved, resolve(state, *entry.actor->character, true));
    if (const Result<void> done = resize(entry, instances); !done) result = done;
    pass_time(entry, state.playback);
    pose_crowd(entry, resolved, has_clip ? state.playback.time : 0);
  }

  state_->compared = std::move(compared);
  const bool all = state.compare.mode == CompareMode::kSideBySide || state.compare.mode == CompareMode::kSplit;
  state_->drawn.clear();
  for (std::size_t k = 0; k < posed.size(); ++k) {
    if (all || k + 1 == posed.size()) state_->drawn.push_back(state_->entries.at(posed[k]).actor.get());
  }
  arrange(state);
  return result;
}

void Stage::arrange(const ViewState& state) {
  const bool in_row = state.compare.mode == CompareMode::kSideBySide && state_->drawn.size() > 1;
  const float yaw = in_row ? state.camera.yaw : 0.0f;
  samples::Bounds widest;
  for (const Actor* actor : state_->drawn) widest.add(actor->bounds);
  for (const Actor* actor : companions()) widest.add(actor->bounds);
  // The step does not depend on the yaw, so that an orbit does not move the characters.
  const glm::vec3 size = widest.empty() ? glm::vec3(0) : widest.size();
  const float step = in_row ? kRowGap * glm::length(glm::vec2(size.x, size.z)) : 0.0f;
  for (std::size_t k = 0; k < state_->drawn.size(); ++k) {
    Actor& actor = *state_->drawn[k];
    const float place = static_cast<float>(k) - 0.5f * static_cast<float>(state_->drawn.size() - 1);
    actor.worlds = crowd_places(actor.bounds, actor.crowd.instance_count(), !in_row, yaw);
    for (glm::mat4& world : actor.worlds) world = aside(yaw, step * place, 0) * world;
  }
}

void Stage::advance(ViewState& state, double seconds) const {
  Playback& playback = state.playback;
  const float length = duration(state);
  if (!playback.playing || length <= 0) return;
  const double time = playback.time + seconds * static_cast<double>(playback.speed);
  if (playback.loop) {
    const double turn = std::fmod(time, static_cast<double>(length));
    playback.time = static_cast<float>(turn < 0 ? turn + static_cast<double>(length) : turn);
    return;
  }
  playback.time = std::clamp(static_cast<float>(time), 0.0f, length);
  playback.playing = time > 0 && time < static_cast<double>(length);
}

float Stage::duration(const ViewState& state) const {
  const auto subject = state_->entries.find("rig");
  if (subject == state_->entries.end()) return 0;
  const Clip* clip = find_clip(subject->second.actor->character->clips, state.playback.clip);
  return clip == nullptr ? 0 : clip->duration;
}

const Evaluator& Stage::evaluated(const Actor& actor) {
  Entry& entry = state_->entries.at(actor.key);
  if (!entry.evaluated) evaluate(entry, actor.pose);
  entry.evaluated = true;
  return *entry.evaluator;
}

std::vector<samples::Bounds> Stage::boxes(const ViewState& state) const {
  std::vector<samples::Bounds> all;
  const bool of_one = state.compare.mode == CompareMode::kNone || state.compare.mode == CompareMode::kDifference;
  for (const Actor* actor : state_->drawn) {
    if (of_one && actor->key != "rig") continue;
    samples::Bounds bounds = actor->bounds;
    for (const Actor* companion : companions()) bounds.add(companion->bounds);
    for (const glm::mat4& world : actor->worlds) all.push_back(samples::transform_bounds(world, bounds));
  }
  return all;
}

}  // namespace pelt::viewer
