// SPDX-License-Identifier: MIT
#include "engine/authoring/deformer/twist_spread.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include <pelt/tools/fields.h>
#include <pelt/tools/joint_roles.h>
#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/deformer/rigid_parts.h"
#include "engine/authoring/geometry/bone_forest.h"
#include "engine/character/model/skeleton_walk.h"
#include "engine/character/records.h"

namespace pelt {
namespace {

// Steps along a bone: for dual quaternions per twist, which turn by up to a degree too little between two of these at a
// twist of 180 degrees; for linear blend, which shrinks by 1% at a twist of 150.
constexpr int kDualQuaternionSteps = 2;
constexpr int kLinearSteps = 8;
constexpr double kMixed = 0.03;         // a vertex is in a transition if its weight is this far from 0 and from 1
constexpr double kWidestPassage = 0.5;  // of the bone
constexpr float kStill = 0.99996f;      // cosine of the half of a turn of one degree
// Swings beyond which a joint's own twist fades to 0, radians. At a bend of a hinge whose axis is not quite across
// the bone, the twist is mostly that error.
constexpr float kBallSwing = 2.09f;
constexpr float kHingeSwing = 2.79f;
constexpr float kNoSwing = 100;

// Length of a limb's bone in mean distances of its skin from which on the twists spread wholly; not at all at one less,
// as with the stubs of cartoons. Necks are always too short.
constexpr double kSlender = 3;

constexpr Choice<Twist> kTwists[] = {{"spread", Twist::kSpread}, {"none", Twist::kNone}};

// A bone from a joint of one role to one of another, and whether it undoes its own twist and takes that after it.
// At no joint both bones do.
struct BoneKind {
  JointRole from, to;
  bool own, child;
  float swing = kNoSwing;
};
constexpr BoneKind kBones[] = {{JointRole::kUpperArm, JointRole::kForearm, true, false, kBallSwing},
                               {JointRole::kForearm, JointRole::kHand, true, true, kHingeSwing},
                               {JointRole::kThigh, JointRole::kShin, true, false, kBallSwing},
                               {JointRole::kShin, JointRole::kFoot, true, true, kHingeSwing},
                               {JointRole::kShin, JointRole::kHock, true, true, kHingeSwing},
                               {JointRole::kHock, JointRole::kFoot, false, true}};

// Returns true for each joint that clips or helper joints turn.
std::vector<bool> turned_joints(const Model& model) {
  std::vector<bool> turned(model.skeleton.joints.size(), false);
  for (const HelperJoint& helper : model.skeleton.helpers) turned[helper.joint] = true;
  for (const Clip& clip : model.clips) {
    for (const Channel& channel : clip.channels) {
      if (channel.path != ChannelPath::kRotation || channel.joint >= turned.size()) continue;
      const glm::quat& rest = model.skeleton.joints[channel.joint].rest.rotation;
      // A key of a cubic spline is a value between two tangents.
      const bool cubic = channel.interpolation == Interpolation::kCubicSpline;
      const auto& values = channel.values;
      for (std::size_t i = cubic ? 4 : 0; i + 4 <= values.size(); i += cubic ? 12 : 4) {
        const glm::quat key(values[i + 3], values[i], values[i + 1], values[i + 2]);
        if (std::abs(glm::dot(glm::normalize(key), glm::normalize(rest))) < kStill) turned[channel.joint] = true;
      }
    }
  }
  return turned;
}

// Returns for each bound joint the mean distance of the skin that mostly follows it from its bones; -1: no weights.
std::vector<double> skin_distances(const Model& model, const std::vector<pelt::Bone>& forest) {
  std::vector<double> sums(forest.size(), -1), counts(forest.size(), 0);
  for (const Mesh& mesh : model.meshes) {
    for (std::size_t v = 0; v < mesh.weights.row_count(); ++v) {
      for (const Influence& influence : mesh.weights.row(v)) {
        const std::uint32_t b = influence.index;
        if (influence.weight > 0) sums[b] = std::max(sums[b], 0.0);
        if (!(influence.weight > 0.5f)) continue;
        double least = std::numeric_limits<double>::infinity();
        for (const std::uint32_t child : forest[b].children) {
          least = std::min(least, distance_to_segment(mesh.positions[v], forest[b].origin, forest[child].origin));
        }
        if (std::isfinite(least)) sums[b] += least, ++counts[b];
      }
    }
  }
  for (std::size_t b = 0; b < sums.size(); ++b) sums[b] /= std::max(counts[b], 1.0);
  return sums;
}

// Gives joints without roles those of an arm, by their shape: two or three bones that are long for their skin, each the
// only one that begins at the end of the one before. More are a tail or a rope. `slender`: the joint at which a long
// bone that begins at a joint ends. If a limb has a name, the names count.
void find_limbs(const std::vector<std::optional<std::uint32_t>>& slender, std::vector<JointUse>& uses) {
  const auto is_limb = [](const JointUse& use) { return use.kind == JointKind::kHinge; };
  if (std::ranges::any_of(uses, is_limb)) return;
  std::vector<bool> goes_on(uses.size(), false);
  for (const auto& end : slender) {
    if (end) goes_on[*end] = true;
  }
  for (std::size_t j = 0; j < uses.size(); ++j) {
    const auto middle = slender[j];
    const auto end = middle ? slender[*middle] : std::nullopt;
    if (!end || goes_on[j] || (slender[*end] && slender[*slender[*end]])) continue;
    const auto is_named = [&](std::size_t joint) { return uses[joint].role != JointRole::kNone; };
    if (is_named(j) || is_named(*middle) || is_named(*end)) continue;
    uses[j].role = JointRole::kUpperArm;
    uses[*middle].role = JointRole::kForearm;
    uses[*end].role = JointRole::kHand;
  }
}

}  // namespace

void describe(Fields& fields, Twist& twist) {
  fields.choice({"twist",
                 "Whether twists of hands and feet spread along the bone before them, and those of upper arms "
                 "and thighs along their own; not on stubby bones, or on those whose twist joints move."},
                twist, kTwists);
}

TwistSpread::TwistSpread(const Model& model, Twist twist) : model_(model) {
  if (twist == Twist::kNone) return;
  const Skeleton& skeleton = model.skeleton;
  const std::vector<pelt::Bone> forest = bone_forest(model);
  std::vector<JointUse> uses = joint_uses(skeleton);
  const std::vector<bool> turned = turned_joints(model);
  std::vector<std::optional<std::uint32_t>> bound_of(skeleton.joints.size());
  std::vector<bool> is_twice(skeleton.joints.size(), false);
  for (std::uint32_t b = 0; b < forest.size(); ++b) {
    const std::uint32_t joint = model.bound_joints[b].joint;
    if (forest[b].is_somewhere && forest[b].first == b) bound_of[joint] = b;
    is_twice[joint] = is_twice[joint] || forest[b].first != b;
  }
  const auto at_bind = [&](std::uint32_t b) { return glm::inverse(model.bound_joints[b].inverse_bind); };
  // Controls of a rig may be bound, too, anywhere.
  const std::vector<double> distances = skin_distances(model, forest);
  const auto carries = [&](std::uint32_t j) {
    return bound_of[j] && distances[*bound_of[j]] >= 0 && uses[j].kind != JointKind::kTwist;
  };
  std::vector<std::uint32_t> bones_at(uses.size(), 0);
  std::vector<std::optional<std::uint32_t>> slender(uses.size());
  for (std::uint32_t end = 0; end < uses.size(); ++end) {
    const auto start = carries(end) ? find_above(skeleton, end, carries) : std::nullopt;
    if (!start) continue;
    const double length = glm::distance(forest[*bound_of[*start]].origin, forest[*bound_of[end]].origin);
    const double distance = distances[*bound_of[*start]];
    ++bones_at[*start];
    slender[*start].reset();
    if (bones_at[*start] == 1 && distance > 0 && length > kSlender * distance) slender[*start] = end;
  }
  find_limbs(slender, uses);
  // Returns the words of the twist of bound joint `b` against `against`, about an axis of model space at bind.
  const auto words = [&](std::uint32_t b, std::uint32_t against, const glm::dvec3& axis, float swing) {
    const glm::mat4 matrices[] = {at_bind(b), at_bind(against)};
    const shared::PoseWork work{nullptr, matrices, nullptr, nullptr, nullptr};
    const glm::vec4 rest = shared::joint_turn(work, 0, 1, glm::vec4(0, 0, 0, 1));
    const glm::vec3 own =
        shared::quaternion_rotate(shared::quaternion_conjugate(shared::joint_rotation(work, 0)), axis);
    Words result{model.bound_joints[b].joint, model.bound_joints[against].joint};
    const float numbers[] = {own.x, own.y, own.z, rest.x, rest.y, rest.z, rest.w, swing};
    for (std::size_t i = 0; i < std::size(numbers); ++i) result[2 + i] = std::bit_cast<std::uint32_t>(numbers[i]);
    return result;
  };
  for (std::uint32_t end = 0; end < skeleton.joints.size(); ++end) {
    const auto start = bound_of[end] ? find_above(skeleton, end, carries) : std::nullopt;
    if (!start || is_twice[end] || is_twice[*start]) continue;
    const auto kind = std::ranges::find_if(kBones, [&](const BoneKind& bone) {
      return bone.from == uses[*start].role && bone.to == uses[end].role && uses[end].kind != JointKind::kTwist &&
             uses[end].side == uses[*start].side;
    });
    if (kind == std::end(kBones)) continue;
    Bone bone{.bound = *bound_of[*start]};
    bone.origin = forest[bone.bound].origin;
    bone.axis = forest[*bound_of[end]].origin - bone.origin;
    bone.length = glm::length(bone.axis);
    if (!(bone.length > 0)) continue;
    bone.axis /= bone.length;
    bool moves = false;
    for (const BoundJoint& bound : model.bound_joints) {
      const std::uint32_t j = bound.joint;
      const bool is_twist = uses[j].kind == JointKind::kTwist && find_above(skeleton, j, carries) == start;
      moves = moves || (is_twist && turned[j]);
      bone.moved.push_back(j == *start || is_twist ? 1 : 0);
      bone.below.push_back(j == *start || hangs_below(skeleton, j, *start) ? 1 : 0);
      bone.after_end.push_back(j == end || hangs_below(skeleton, j, end) ? 1 : 0);
    }
    if (moves) continue;
    const auto above = find_above(skeleton, *start, carries);
    const bool is_first = above && uses[*above].role != uses[*start].role;
    if (kind->own && is_first) bone.own = words(bone.bound, *bound_of[*above], bone.axis, kind->swing);
    if (kind->child) bone.child = words(*bound_of[end], bone.bound, bone.axis, kNoSwing);
    bones_.push_back(std::move(bone));
  }
  measure_paintings();
}

double TwistSpread::along(const Bone& bone, const glm::vec3& point) {
  return glm::dot(glm::dvec3(point) - bone.origin, bone.axis) / bone.length;
}

double TwistSpread::sum_on(const std::vector<std::uint8_t>& marked, std::span<const Influence> row) {
  double sum = 0;
  for (const Influence& influence : row) sum += marked[influence.index] != 0 ? influence.weight : 0.0;
  return sum;
}

// Finds the width of the painted transition at each bone's end, and how much of a twist the bone takes. Drops twists of
// joints at which nothing is mixed: a robot's plates slide past each other.
void TwistSpread::measure_paintings() {
  for (Bone& bone : bones_) {
    bool is_mixed_above = false;
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;  // sums for least squares
    double followers = 0, distance = 0;          // vertices that mostly follow the bone, and the sum of their distances
    for (const Mesh& mesh : model_.meshes) {
      if (!has_weights(mesh)) continue;
      for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
        const std::span<const Influence> row = mesh.weights.row(v);
        const double moved = sum_on(bone.moved, row);
        if (!(moved > 0.01)) continue;
        if (moved > 0.5) {
          const glm::dvec3 point(mesh.positions[v]);
          distance += distance_to_segment(point, bone.origin, bone.origin + bone.length * bone.axis);
          ++followers;
        }
        const double below = sum_on(bone.below, row);
        is_mixed_above = is_mixed_above || (below > kMixed && below < 1 - kMixed);
        const double omega = sum_on(bone.after_end, row) / below;
        if (!(omega > kMixed && omega < 1 - kMixed)) continue;
        const double at = along(bone, mesh.positions[v]);
        ++n, x += at, y += omega, xx += at * at, xy += at * omega;
      }
    }
    const double slenderness = followers * bone.length / std::max(distance, 1e-9 * bone.length);
    bone.room = std::clamp(slenderness - (kSlender - 1), 0.0, 1.0);
    if (!is_mixed_above) bone.own.reset();
    if (n == 0) bone.child.reset();
    const double spread = n * xx - x * x;
    const double slope = spread > 0 ? std::abs(n * xy - x * y) / spread : 0;
    bone.passage = n < 4 || !(slope > 0) ? 0 : std::min(kWidestPassage, 0.5 / slope);
  }
  std::erase_if(bones_, [](const Bone& bone) { return (!bone.own && !bone.child) || bone.room == 0; });
}

// Both twists grow evenly over the bone and, if there is one after it, the transition there. The painting brings a part
// of the latter already.
TwistSpread::Position TwistSpread::position_of(const Bone& bone, const glm::vec3& point,
                                               std::span<const Influence> row) const {
  const double at = std::clamp(along(bone, point) / (bone.child ? 1 + bone.passage : 1), 0.0, 1.0);
  const double omega = sum_on(bone.after_end, row) / sum_on(bone.below, row);
  const double taken = std::clamp((at - omega) / std::max(1 - omega, 1e-3), 0.0, at);
  return {at, bone.child && at > 0 ? taken / at : 1};
}

TwistSpread::Step TwistSpread::step_at(std::uint32_t b, const Position& at) const {
  const Bone& bone = bones_[b];
  return {b, static_cast<float>(bone.own ? bone.room * (1 - at.along) : 0),
          static_cast<float>(bone.child ? bone.room * at.along * at.taken : 0)};
}

TwistSpread::Split TwistSpread::split(const Mesh& mesh, BlendMode mode, std::span<const float> shown) const {
  if (empty()) return {mesh.weights, {}};
  const std::size_t count = mesh.positions.size();
  const auto joints = static_cast<std::uint32_t>(model_.bound_joints.size());
  Split split;
  std::map<Step, std::uint32_t> known;
  std::vector<WeightedElement> row;
  const auto add = [&](std::uint32_t b, const Position& at, double weight) {
    const Step step = step_at(b, at);
    if (step.own == 0 && step.child == 0) return row.push_back({bones_[b].bound, weight});
    const auto [entry, added] = known.emplace(step, joints + static_cast<std::uint32_t>(split.steps.size()));
    if (added) split.steps.push_back(step);
    row.push_back({entry->second, weight});
  };
  // Between steps. Dual quaternions also turn evenly between all of the twist after the bone and none.
  const auto add_between = [&](std::uint32_t b, const Position& at, double weight) {
    const bool is_linear = mode != BlendMode::kDualQuaternion;
    const int twists = (bones_[b].own ? 1 : 0) + (bones_[b].child ? 1 : 0);
    const int steps = is_linear ? kLinearSteps : twists * kDualQuaternionSteps, parts = is_linear ? kLinearSteps : 1;
    for (int i = 0; i <= steps; ++i) {
      for (int k = 0; k <= parts; ++k) {
        const double share =
            std::max(0.0, 1 - std::abs(at.along * steps - i)) * std::max(0.0, 1 - std::abs(at.taken * parts - k));
        if (share > 0) add(b, {static_cast<double>(i) / steps, static_cast<double>(k) / parts}, weight * share);
      }
    }
  };
  const std::vector<bool> rigid = find_rigid_parts(mesh);
  const std::vector<std::uint32_t> welded = weld_by_position(mesh.positions);
  const std::vector<std::uint32_t> parts = connected_parts(count, welded_triangles(welded, mesh.triangles));
  std::vector<std::map<std::uint32_t, std::array<double, 3>>> of_parts(count);  // sums by bone, and their number
  for (const bool is_sum : {true, false}) {
    for (std::size_t v = 0; v < count; ++v) {
      const std::span<const Influence> painted = mesh.weights.row(v);
      row.clear();
      for (const Influence& influence : painted) {
        const auto bone = std::ranges::find_if(bones_, [&](const Bone& b) { return b.moved[influence.index] != 0; });
        if (bone == bones_.end() || !(influence.weight > 0) || (!shown.empty() && shown[v] == 0)) {
          row.push_back({influence.index, influence.weight});
          continue;
        }
        const auto b = static_cast<std::uint32_t>(bone - bones_.begin());
        const Position at = position_of(*bone, mesh.positions[v], painted);
        auto& [along, taken, n] = of_parts[parts[welded[v]]][b];
        if (is_sum) {
          along += at.along, taken += at.taken, ++n;
        } else if (rigid[v]) {
          add(b, {along / n, taken / n}, influence.weight);
        } else {
          add_between(b, at, influence.weight);
        }
      }
      if (!is_sum) append_row(split.rows, row);
    }
  }
  return split;
}

SparseRows TwistSpread::rows_over_joints(const Mesh& mesh, BlendMode mode, CharacterBuilder& builder,
                                         std::span<const float> shown) const {
  if (empty()) return builder.rows_over_joints(mesh.weights, mode);
  const Split parts = split(mesh, mode, shown);
  SparseRows rows = builder.rows_over_joints(parts.rows, mode);
  if (parts.steps.empty()) return rows;
  const bool is_linear = mode != BlendMode::kDualQuaternion;
  PalettePass pass;
  pass.kernel = is_linear ? PoseKernel::kSpreadJoint : PoseKernel::kSpreadDualQuaternion;
  pass.record_count = static_cast<std::uint32_t>(parts.steps.size());
  const std::uint32_t twists = builder.add_bone_twists(twist_pass());
  for (const Step& step : parts.steps) {
    const Bone& bone = bones_[step.bone];
    append_record(pass.records, shared::SpreadRecord{joint_at(bone), twists + step.bone, step.own, step.child,
                                                     glm::vec3(bone.axis), glm::vec3(bone.origin)});
  }
  const std::uint32_t first = builder.add_pass(std::move(pass));
  const auto joints = static_cast<std::uint32_t>(model_.bound_joints.size());
  for (std::size_t i = 0; i < rows.influences.size(); ++i) {
    const std::uint32_t split_index = parts.rows.influences[i].index;
    if (split_index < joints) continue;
    rows.influences[i].index = first + (split_index - joints) * (is_linear ? 1 : shared::kDualQuaternionEntries);
  }
  return rows;
}

shared::JointRecord TwistSpread::joint_at(const Bone& bone) const {
  const BoundJoint& bound = model_.bound_joints[bone.bound];
  return {bound.joint, affine_from_mat4(bound.inverse_bind)};
}

PalettePass TwistSpread::twist_pass() const {
  PalettePass pass;
  pass.kernel = PoseKernel::kBoneTwist;
  pass.record_count = static_cast<std::uint32_t>(bones_.size());
  const auto add = [&](const std::optional<Words>& words) {
    if (!words) return shared::kNoIndex;
    pass.table.insert(pass.table.end(), words->begin(), words->end());
    return static_cast<std::uint32_t>(pass.table.size() - words->size());
  };
  for (const Bone& bone : bones_) {
    append_record(pass.records, shared::BoneTwistRecord{joint_at(bone), add(bone.own), add(bone.child)});
  }
  return pass;
}

}  // namespace pelt
