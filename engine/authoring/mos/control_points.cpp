// SPDX-License-Identifier: MIT
#include "engine/authoring/mos/control_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <pelt/finite.h>
#include <pelt/mos.h>
#include <pelt/try.h>

#include "engine/authoring/chain/chains.h"
#include "engine/authoring/chain/passages.h"
#include "engine/authoring/model/find_named.h"
#include "engine/authoring/mos/joint_point_spacing.h"
#include "engine/authoring/mos/thickness.h"
#include "engine/character/base/invalid.h"
#include "engine/character/model/skeleton_walk.h"

namespace pelt::mos {
namespace {

using chain::Anchor;
using chain::Chain;
using chain::ChainOptions;
using chain::Chains;
using chain::Curve;

// Returns way / length, or 0 for a bone so short that its ends have the same length along a chain.
float part_of(float length, float way) { return length > 0 ? way / length : 0.0f; }

// Returns the direction at the fraction `part` of the turn from the bone before anchor i to the bone after it, counted
// away from the top; the anchor must not be the top. If the bones are opposite, it is the direction of the nearer one.
// A point with this part of a turn twists about it, so that at bind and under twists only, it moves like the bones.
glm::vec3 direction_on_the_way(const Chain& chain, std::size_t i, float part) {
  const Anchor& near = chain.anchors[i > chain.top ? i - 1 : i + 1];
  const glm::dvec3 from = glm::normalize(glm::dvec3(chain.anchors[i].position) - glm::dvec3(near.position));
  const glm::dvec3 to = direction_away(chain, i);
  const double sine = glm::length(glm::cross(from, to));
  if (sine < 1e-6) return part < 0.5f ? from : to;
  const double angle = std::atan2(sine, glm::dot(from, to));
  return (from * std::sin((1 - part) * angle) + to * std::sin(part * angle)) / sine;
}

class Settler {
 public:
  Settler(const MosParameters& parameters, const Model& model, std::span<const glm::dmat4> at_bind, bool angles,
          const std::string& what, const TwistAfter& twist_after)
      : parameters_(parameters),
        model_(model),
        at_bind_(at_bind),
        angles_(angles),
        what_(what),
        twist_after_(twist_after),
        depths_(depths_of_joints(model.skeleton)) {
    for (const glm::dmat4& joint : at_bind) near_ = std::max(near_, 1e-6 * glm::length(glm::dvec3(joint[3])));
  }

  Result<ControlPoints> settle(std::span<const std::uint32_t> meshes, std::span<const std::span<const float>> masks) {
    ChainOptions options{parameters_.split, parameters_.remove, {}, parameters_.automatic};
    std::set<std::string_view> given;
    for (const MosChain& chain : parameters_.chains) {
      if (!chain.joints.empty()) {
        options.curves.push_back({chain.name, chain.joints, glm::vec3(0.0f)});
      } else {
        given.insert(chain.name);
      }
    }
    if (options.automatic || !options.curves.empty()) {
      PELT_ASSIGN(const Chains chains, within(what_, chain::find_chains(model_, meshes, options)));
      for (const Chain& chain : chains.chains) PELT_TRY(chain::check_length(chain, what_));
      result_.notes = chains.notes;
      joint_spacing_.emplace(parameters_, model_.skeleton, chains.joints);
      thickness_.emplace(model_, meshes, chains.chains);
      std::vector<Curve> curves;
      for (const Chain& chain : chains.chains) curves.push_back(chain::curve_over(chain));
      chain::measure_passages(model_, meshes, masks, curves);
      for (Curve& curve : curves) {
        if (!given.contains(curve.chain.name)) place_along(std::move(curve));
      }
    }
    for (const MosChain& chain : parameters_.chains) {
      if (chain.joints.empty()) {
        PELT_TRY(add_listed(chain));
      }
    }
    for (const Chain& chain : result_.turning) PELT_TRY(chain::check_length(chain, what_));
    name_placed();
    return std::move(result_);
  }

 private:
  // Names the placed points. A point's name in an edit selects one point, but a joint's name all points of the joint,
  // so no point gets the name of a joint.
  void name_placed() {
    std::set<std::string> taken;
    for (const Joint& joint : model_.skeleton.joints) taken.insert(joint.name);
    for (const ControlPoint& point : result_.points) taken.insert(point.name);
    for (const PointChain& chain : result_.chains) {
      for (std::size_t k = 0; k < chain.points.size(); ++k) {
        ControlPoint& point = result_.points[chain.points[k]];
        if (!point.placed || !point.name.empty()) continue;
        const std::string usual = fmt::format("{}.{}", chain.curve.chain.name, k + 1);
        point.name = usual;
        for (int next = 2; !taken.insert(point.name).second; ++next) point.name = fmt::format("{}.{}", usual, next);
      }
    }
  }

  // Adds a point, or finds an identical one; returns its index. Chains over the same bones share their placed points
  // there. With strategies other than the B-spline, coincident placed points are one, whatever they turn with.
  std::uint32_t add(ControlPoint point) {
    for (std::uint32_t known = 0; point.placed && known < result_.points.size(); ++known) {
      const ControlPoint& other = result_.points[known];
      if (!other.placed || glm::distance(other.position, point.position) > near_) continue;
      if (parameters_.strategy != MosStrategy::kBSpline) return known;
      if (other.joint == point.joint && same_turn(other.turn, point.turn)) return known;
    }
    result_.points.push_back(std::move(point));
    return static_cast<std::uint32_t>(result_.points.size() - 1);
  }

  // Returns true if two turns are the same. An angle is about a chain's direction and adds up along the bones from its
  // top to the one that starts at `far`, so these must be the same too.
  bool same_turn(const std::optional<PointTurn>& a, const std::optional<PointTurn>& b) const {
    if (!a || !b) return a.has_value() == b.has_value();
    constexpr float kSame = 1e-5f;
    const auto differ = [](float one, float other) { return std::abs(one - other) > kSame; };
    if (differ(a->swing, b->swing) || differ(a->twist, b->twist) || differ(a->roll, b->roll)) return false;
    return !angles_ || path_to(*a) == path_to(*b);
  }

  // Returns the joints from the top to `far`, and the position beyond it. The first number is 1 if that way is along
  // the chain, else 0.
  std::vector<std::int64_t> path_to(const PointTurn& turn) const {
    const Chain& chain = result_.turning[turn.chain];
    const bool along = turn.far > chain.top;
    std::vector<std::int64_t> path{along ? 1 : 0};
    const auto count = static_cast<std::int64_t>(chain.anchors.size());
    const std::int64_t away = along ? 1 : -1;
    for (auto i = static_cast<std::int64_t>(chain.top);; i += away) {
      const bool is_there = i >= 0 && i < count;
      const Anchor anchor = is_there ? chain.anchors[static_cast<std::size_t>(i)] : Anchor{};
      path.push_back(is_there ? anchor.joint : -1);
      if (i != static_cast<std::int64_t>(turn.far) + away) continue;
      // A tip has no joint of its own, so its position counts.
      for (int c = 0; is_there && c < 3; ++c) path.push_back(std::llround(anchor.position[c] / near_));
      return path;
    }
  }

  void put(PointChain& chain, ControlPoint point, float s, float bends) {
    point.placed = true;
    chain.points.push_back(add(std::move(point)));
    chain.lengths.push_back(s);
    chain.bends.push_back(bends);
  }

  // Returns the turn of a point at lambda of the bone; it moves with the upper end of the bone. On a bone from anchor n
  // to f, away from the top, the twist changes linearly from tau_n - after_n theta_n to tau_f - after_f theta_f. It
  // begins at the first point beyond n, which the skin before n follows too, so the twist of f does not reach beyond
  // the bone.
  PointTurn turn_on_bone(const Curve& curve, std::span<const JointPoints> about, std::uint32_t number, std::size_t bone,
                         float lambda) const {
    const Chain& chain = curve.chain;
    const bool away = bone >= chain.top;
    const std::size_t near = away ? bone : bone + 1;
    const std::size_t far = away ? bone + 1 : bone;
    const float start = part_of(curve.bone_length(bone), about[near].first_beyond(bone == near ? 1 : 0));
    const float along = start < 1 ? std::max(((away ? lambda : 1 - lambda) - start) / (1 - start), 0.0f) : 0.0f;
    PointTurn turn{.chain = number, .far = static_cast<std::uint32_t>(far), .angles = angles_};
    turn.twist = along * (1 - curve.anchors[far].twist_after);
    turn.axis = glm::normalize(chain.anchors[far].position - chain.anchors[near].position);
    turn.roll = angles_ ? -(1 - along) * curve.anchors[near].twist_after : 0.0f;
    turn.roller = static_cast<std::uint32_t>(near);
    return turn;
  }

  // Expresses the same turn by the bone before anchor i instead of the one after it: tau_n is all of the twist of that
  // bone. A tip never twists.
  void step_back(const Curve& curve, std::uint32_t i, PointTurn& turn) const {
    const float left = -turn.roll;
    turn.roll = angles_ && !is_tip(curve.chain, turn.far) ? turn.twist : 0.0f;
    turn.roller = turn.far;
    turn.twist = 1 - left;
    turn.far = i;
  }

  // Returns the turn of a point about anchor i that is on `bone`, beyond the twist helper h between the two. It turns
  // like the bone, from tau_h - after_h theta_h or up to that, without the part that the anchor at the other end of the
  // bone adds there.
  PointTurn turn_past_helper(const Curve& curve, std::uint32_t number, std::uint32_t i, std::size_t bone,
                             float lambda) const {
    const bool away = i > curve.chain.top;
    const bool to_top = away == (bone < i);
    const std::uint32_t helper = bone < i ? i - 1 : i + 1;
    const float along = away ? lambda : 1 - lambda;
    const float after = curve.anchors[helper].twist_after;
    PointTurn turn{.chain = number, .far = i, .angles = angles_};
    turn.twist = to_top ? 0.0f : 1.0f;
    turn.roller = helper;
    if (angles_) turn.roll = to_top ? along * (1 - after) - 1 : 1 - (1 - along) * after;
    return turn;
  }

  // Places points about inner anchor i, which is not the top, each on the bone with the more similar motion.
  void place_about(PointChain& point_chain, std::span<const JointPoints> about, std::uint32_t number, std::size_t i) {
    const JointPoints& points = about[i];
    const Chain& chain = result_.turning[number];
    const bool away = i > chain.top;  // the chain runs away from its top here
    const std::uint32_t count = points.count;
    for (std::uint32_t k = 0; k < count; ++k) {
      const float part = points.part(k);  // along the chain
      const float steps = static_cast<float>(k) - 0.5f * static_cast<float>(count - 1);
      const float way = steps * points.step[steps < 0 ? 0 : 1];
      const float turned = away ? part : 1 - part;
      const bool before = turned < 0.5f;  // true on the side of the top
      const float s = point_chain.curve.lengths[i] + way;
      const bool arriving = part < 0.5f;  // true also if all are on the joint
      std::size_t bone = arriving ? i - 1 : i;
      const bool is_past = s < point_chain.curve.lengths[bone] || s > point_chain.curve.lengths[bone + 1];
      if (is_past) bone = arriving ? bone - 1 : bone + 1;
      const float lambda = part_of(point_chain.curve.bone_length(bone), s - point_chain.curve.lengths[bone]);
      ControlPoint point{
          {}, chain.anchors[before ? (away ? i - 1 : i + 1) : i].joint, place_on(chain, bone, lambda), {}};
      const auto anchor = static_cast<std::uint32_t>(i);
      point.turn = is_past ? turn_past_helper(point_chain.curve, number, anchor, bone, lambda)
                           : turn_on_bone(point_chain.curve, about, number, bone, lambda);
      if (point.turn->far != anchor) step_back(point_chain.curve, anchor, *point.turn);
      point.turn->swing = turned;
      point.turn->axis = direction_on_the_way(chain, i, turned);
      point.outward = points.outward * 4 * part * (1 - part);
      point.around = points.around;
      point.off = point.position - glm::dvec3(chain.anchors[i].position);
      put(point_chain, std::move(point), s, static_cast<float>(i - 1) + part);
    }
  }

  static glm::dvec3 place_on(const Chain& chain, std::size_t bone, float lambda) {
    return glm::mix(glm::dvec3(chain.anchors[bone].position), glm::dvec3(chain.anchors[bone + 1].position),
                    double{lambda});
  }

  void place_along(Curve curve) {
    const Chain chain = curve.chain;
    const auto number = static_cast<std::uint32_t>(result_.turning.size());
    result_.turning.push_back(chain);
    PointChain point_chain{std::move(curve), {}, {}};
    std::vector<float> bending(chain.anchors.size(), 0.0f);
    for (std::size_t i = 1; i + 1 < chain.anchors.size(); ++i) {
      const std::optional<SkinAtJoint> skin = thickness_->at(chain, i);
      if (!skin) continue;
      point_chain.curve.anchors[i].skin_distance = skin->thickness;
      bending[i] = skin->bending;
    }
    for (std::size_t i = 0; angles_ && i < chain.anchors.size(); ++i) {
      if (twist_after_ && is_inner(chain, i))
        point_chain.curve.anchors[i].twist_after = twist_after_(point_chain.curve, i);
    }
    // Points slide outward less if little of the skin bends: skin between rigid parts would pass through them.
    std::vector<JointPoints> about = joint_spacing_->points_of(point_chain.curve);
    for (std::size_t i = 0; i < about.size(); ++i) {
      about[i].outward *= bending[i];
      about[i].around *= bending[i];
    }
    const std::size_t last = chain.anchors.size() - 1;
    const std::uint32_t count = parameters_.points_per_bone;
    for (std::size_t i = 0; i < last; ++i) {
      if (about[i].count > 0) place_about(point_chain, about, number, i);
      const std::size_t near = i >= chain.top ? i : i + 1;
      const glm::vec2 free = between_joints(point_chain.curve, about, i);
      for (std::uint32_t k = 0; free.x < free.y && k < count; ++k) {
        const float part = count == 1 ? 0.0f : static_cast<float>(k) / static_cast<float>(count - 1) - 0.5f;
        const float at = std::lerp(free.x, free.y, 0.5f + parameters_.bone_fraction * part);
        const float lambda = (at - point_chain.curve.lengths[i]) / point_chain.curve.bone_length(i);
        ControlPoint point{{}, chain.anchors[near].joint, place_on(chain, i, lambda), {}};
        if (angles_) point.turn = turn_on_bone(point_chain.curve, about, number, i, lambda);
        put(point_chain, std::move(point), at, static_cast<float>(i));
      }
    }
    result_.chains.push_back(std::move(point_chain));
  }

  Result<void> add_listed(const MosChain& listed) {
    const std::string what = fmt::format("{}: chain '{}'", what_, listed.name);
    std::vector<std::uint32_t> joints;
    Chain line{.name = listed.name};   // line through the points
    Chain bones{.name = listed.name};  // chain of their joints
    std::vector<std::size_t> line_anchor;
    std::vector<std::size_t> bone_anchor;
    for (const MosPoint& point : listed.points) {
      PELT_ASSIGN(const auto joint, find_joint(model_.skeleton, point.joint, what));
      if (!is_near(point.offset)) {
        return invalid("{}: an offset is not finite, or longer than {:g} m", what, kMaxCoordinate);
      }
      joints.push_back(joint);
      const glm::vec3 origin = glm::vec3(glm::dvec3(at_bind_[joint][3]));
      append(line, joint, origin + point.offset);
      line_anchor.push_back(line.anchors.size() - 1);
      if (bones.anchors.empty() || bones.anchors.back().joint != joint) append(bones, joint, origin);
      bone_anchor.push_back(bones.anchors.size() - 1);
    }
    const bool alone = listed.points.size() == 1;
    add_twisting_tip(line, bones);
    // A line needs two ends; for a single point, any direction will do.
    if (alone) append(line, joints[0], line.anchors[0].position + (1 + glm::length(line.anchors[0].position)));
    if (line.anchors.size() < 2) return invalid("{}: all of its points coincide", what);
    std::set<std::uint32_t> distinct;
    for (const Anchor& anchor : bones.anchors) distinct.insert(anchor.joint);
    const bool of_one_joint = bones.anchors.size() == 2 && distinct.size() == 1;
    const bool turns = of_one_joint || (bones.anchors.size() >= 2 && distinct.size() == bones.anchors.size());
    set_top(line);
    set_top(bones);
    const auto number = static_cast<std::uint32_t>(result_.turning.size());
    const auto may_turn = [&](std::size_t k) { return turns && bones.anchors[bone_anchor[k]].joint == joints[k]; };
    for (std::size_t k = 0; k < listed.points.size(); ++k) {
      if (!listed.points[k].bisecting || (may_turn(k) && bone_anchor[k] != bones.top)) continue;
      result_.notes.push_back(
          fmt::format("point {} of chain '{}' follows '{}' as a whole: it has no joint before it to bisect a turn",
                      k + 1, listed.name, listed.points[k].joint));
    }
    if (turns) result_.turning.push_back(bones);
    PointChain point_chain{chain::curve_over(line), {}, {}};
    for (std::size_t k = 0; k < listed.points.size(); ++k) {
      ControlPoint point{listed.points[k].name,
                         joints[k],
                         glm::dvec3(at_bind_[joints[k]][3]) + glm::dvec3(listed.points[k].offset),
                         {}};
      if (const glm::dvec3 turn(listed.points[k].rotation); turn != glm::dvec3(0.0)) {
        const double degrees = glm::length(turn);
        point.rotation = glm::dmat3(glm::rotate(glm::dmat4(1.0), glm::radians(degrees), turn / degrees));
      }
      point.listed = {&listed - parameters_.chains.data(), k};
      const bool bisecting = listed.points[k].bisecting;
      if (may_turn(k) && (angles_ || bisecting)) {
        const std::size_t a = bone_anchor[k];
        const bool top = a == bones.top;
        const std::size_t far = top ? (a + 1 < bones.anchors.size() ? a + 1 : a - 1) : a;
        const float turned = top ? 0.0f : bisecting ? 0.5f : 1.0f;
        const glm::vec3 axis = direction_on_the_way(bones, far, turned);
        point.turn = PointTurn{number, static_cast<std::uint32_t>(far), turned, turned, axis, angles_};
      }
      point_chain.points.push_back(add(std::move(point)));
      // Coincident points share an anchor. Each gets a slightly larger length, since lengths ascend.
      float s = point_chain.curve.lengths[line_anchor[k]];
      if (!point_chain.lengths.empty() && s <= point_chain.lengths.back())
        s = std::nextafter(point_chain.lengths.back(), INFINITY);
      point_chain.lengths.push_back(s);
    }
    if (alone) {
      point_chain.points.push_back(point_chain.points[0]);
      point_chain.lengths.push_back(point_chain.curve.lengths[1]);
    }
    if (!turns && angles_ && !alone) {
      result_.notes.push_back(fmt::format("chain '{}' cannot twist: its joints do not form a chain", listed.name));
    }
    result_.chains.push_back(std::move(point_chain));
    return {};
  }

  // Gives the chain of the points of one joint a tip at the farthest of them, about whose direction edits twist.
  void add_twisting_tip(const Chain& line, Chain& bones) const {
    const auto twists = [](const MosEdit& edit) { return edit.operation == MosOperation::kTwist; };
    if (!angles_ || bones.anchors.size() != 1 || std::ranges::none_of(parameters_.edits, twists)) return;
    const Anchor origin = bones.anchors[0];
    const auto away = [&](const Anchor& anchor) { return glm::distance(anchor.position, origin.position); };
    append(bones, origin.joint, std::ranges::max_element(line.anchors, {}, away)->position);
  }

  static void append(Chain& chain, std::uint32_t joint, glm::vec3 position) {
    if (!chain.anchors.empty() &&
        glm::distance(chain.anchors.back().position, position) <= 1e-6f * (glm::length(position) + 1e-6f)) {
      return;
    }
    chain.anchors.push_back({joint, position});
  }

  void set_top(Chain& chain) const {
    const auto depth = [&](const Anchor& anchor) { return depths_[anchor.joint]; };
    const auto top = std::ranges::min_element(chain.anchors, {}, depth);
    chain.top = static_cast<std::size_t>(top - chain.anchors.begin());
  }

  const MosParameters& parameters_;
  const Model& model_;
  std::span<const glm::dmat4> at_bind_;
  bool angles_;
  const std::string& what_;
  const TwistAfter& twist_after_;
  std::vector<std::uint32_t> depths_;  // number of joints above each joint
  ControlPoints result_;
  std::optional<JointPointSpacing> joint_spacing_;  // of the points about the joints of chains
  std::optional<SkinThickness> thickness_;          // of the skin about the chains
  double near_ = 1e-12;                             // metres: points at most so far apart coincide
};

}  // namespace

Result<ControlPoints> settle_points(const MosParameters& parameters, const Model& model,
                                    std::span<const std::uint32_t> meshes, std::span<const glm::dmat4> at_bind,
                                    bool angles, const std::string& what, const TwistAfter& twist_after,
                                    std::span<const std::span<const float>> masks) {
  return Settler(parameters, model, at_bind, angles, what, twist_after).settle(meshes, masks);
}

}  // namespace pelt::mos
