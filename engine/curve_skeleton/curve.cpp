// SPDX-License-Identifier: MIT
#include "engine/curve_skeleton/curve.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pelt::curve_skeleton {
namespace {

// Slope at key k of the monotone cubic: the weighted harmonic mean of the slopes beside it, 0 where they differ in
// sign.
double slope_at(std::span<const CurveKey> keys, std::size_t k) {
  const auto width = [&](std::size_t i) { return double{keys[i + 1].at} - keys[i].at; };
  const auto slope = [&](std::size_t i) { return (double{keys[i + 1].value} - keys[i].value) / width(i); };
  if (k == 0) return slope(0);
  if (k + 1 == keys.size()) return slope(k - 1);
  const double before = slope(k - 1);
  const double after = slope(k);
  if (before * after <= 0) return 0;
  const double from = 2 * width(k) + width(k - 1);
  const double to = width(k) + 2 * width(k - 1);
  return (from + to) / (from / before + to / after);
}

// 1 at the anchor, 0 from `reach` on, smooth.
float bulge_window(const Bulge& bulge, float away) {
  if (!bulge.reach) return 1;
  if (away >= *bulge.reach) return 0;
  const float part = away / *bulge.reach;
  return (1 - part * part) * (1 - part * part);
}

std::uint32_t frames_word(CurveFrames frames) {
  switch (frames) {
    case CurveFrames::kAuto:
      return shared::kCurveFramesAuto;
    case CurveFrames::kTangent:
      return shared::kCurveFramesTangent;
    case CurveFrames::kEndpoint:
      return shared::kCurveFramesEndpoint;
  }
  return shared::kCurveFramesAuto;
}

}  // namespace

float twist_share(const CurveSpan& span, float lambda) {
  const std::vector<CurveKey>& keys = span.twist;
  if (keys.empty()) return lambda;
  if (lambda <= keys.front().at) return keys.front().value;
  if (lambda >= keys.back().at) return keys.back().value;
  const auto after = std::upper_bound(keys.begin(), keys.end(), lambda,
                                      [](float value, const CurveKey& key) { return value < key.at; });
  const auto k = static_cast<std::size_t>(after - keys.begin()) - 1;
  const double width = double{keys[k + 1].at} - keys[k].at;
  const double u = (double{lambda} - keys[k].at) / width;
  if (!span.smooth_twist) return static_cast<float>(std::lerp(double{keys[k].value}, double{keys[k + 1].value}, u));
  const double v = 1 - u;
  const double value = v * v * (1 + 2 * u) * keys[k].value + u * u * (1 + 2 * v) * keys[k + 1].value +
                       width * u * v * (v * slope_at(keys, k) - u * slope_at(keys, k + 1));
  return static_cast<float>(value);
}

shared::CurveShape curve_shape(const Curve& curve, std::size_t bone, float lambda) {
  const float length = curve.bone_length(bone);
  return {twist_share(curve.spans[bone], lambda),
          bulge_window(curve.anchors[bone].bulge, lambda * length),
          bulge_window(curve.anchors[bone + 1].bulge, (1 - lambda) * length),
          0.0f,
          1.0f,
          1.0f};
}

shared::CurveShape posed_shape(const Curve& curve, std::size_t bone, float lambda) {
  constexpr float kMeeting = 0.25f;  // of the bone
  const CurveSpan& span = curve.spans[bone];
  const auto window = [&](float away) {
    const float part = std::min(away / kMeeting, 1.0f);
    return (1 - part * part) * (1 - part * part);
  };
  const float at_first = window(lambda);
  const float at_last = window(1 - lambda);
  shared::CurveShape shape = curve_shape(curve, bone, lambda);
  shape.twist += std::lerp(span.first.roll, span.last.roll, lambda) +
                 at_first * (span.first.joint_roll - span.first.roll) +
                 at_last * (span.last.joint_roll - span.last.roll);
  const glm::vec2 width = glm::mix(span.first.width, span.last.width, lambda) +
                          at_first * (span.first.joint_width - span.first.width) +
                          at_last * (span.last.joint_width - span.last.width);
  shape.width_y *= width.x;
  shape.width_z *= width.y;
  return shape;
}

float posed_lambda(const CurveSpan& span, float lambda) {
  if (span.stretch == 0) return lambda;
  const double part = std::expm1(double{span.stretch} * lambda) / std::expm1(double{span.stretch});
  return static_cast<float>(std::clamp(part, 0.0, 1.0));
}

void CurveTable::put_number(double number) {
  words_.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(number)));
}

void CurveTable::put_vector(glm::dvec3 vector) {
  for (int c = 0; c < 3; ++c) put_number(vector[c]);
}

// Of every anchor the joint's z, or its y where z runs along the curve (math.md section 2). Where that would turn the
// frame by more than a quarter from the anchor before, as it does where joints' axes point this way and that, of the
// joint's axes and their opposites the one that turns it least: between frames turned against each other no way is
// shorter, and a pose would decide.
std::vector<glm::vec3> CurveTable::reference_axes(const Chain& chain) const {
  const std::vector<Anchor>& anchors = chain.anchors;
  const auto direction = [&](std::size_t i) {  // of the bone from anchor i
    return glm::normalize(anchors[i + 1].position - anchors[i].position);
  };
  std::vector<glm::vec3> axes;
  glm::vec3 side(0.0f);
  glm::vec3 along_before(0.0f);
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const glm::vec3 coming = direction(i == 0 ? 0 : i - 1);
    const glm::vec3 going = direction(std::min(i, anchors.size() - 2));
    const glm::vec3 along = shared::normalize_or(coming + going, going);
    const glm::mat3 joint = shared::orthonormal_axes(glm::mat3(glm::dmat3(at_bind_[anchors[i].joint])));
    glm::vec3 axis = std::abs(glm::dot(joint[2], along)) > 0.99f ? joint[1] : joint[2];
    if (i > 0) {
      const glm::vec3 arrived = shared::least_turn(shared::least_turn(side, along_before, coming), coming, along);
      const auto turned = [&](glm::vec3 candidate) { return glm::dot(shared::frame_side(candidate, along), arrived); };
      if (turned(axis) < 0) {
        for (const glm::vec3 candidate : {joint[2], -joint[2], joint[1], -joint[1], joint[0], -joint[0]}) {
          if (std::abs(glm::dot(candidate, along)) < 0.9f && turned(candidate) > turned(axis)) axis = candidate;
        }
      }
    }
    side = shared::frame_side(axis, along);
    along_before = along;
    axes.push_back(axis);
  }
  return axes;
}

void CurveTable::put_anchor(const Chain& chain, std::size_t i) {
  const Anchor& anchor = chain.anchors[i];
  const glm::dmat4& joint = at_bind_[anchor.joint];
  const glm::mat3 axes = glm::mat3(glm::dmat3(joint));
  const glm::vec4 rotation = shared::quaternion_from_rotation(shared::orthonormal_axes(axes));
  const float scale = shared::axes_scale(axes);
  // Away from the top; the last bone's where no other leaves.
  const std::size_t last = chain.anchors.size() - 1;
  std::size_t from = i;
  std::size_t to = i + 1;
  if (i < chain.top) {
    from = std::max<std::size_t>(i, 1);
    to = from - 1;
  } else if (i == last) {
    from = last - 1;
    to = last;
  }
  const glm::dvec3 axis =
      glm::normalize(glm::dvec3(chain.anchors[to].position) - glm::dvec3(chain.anchors[from].position));
  put_word(anchor.joint);
  put_vector(glm::dvec3(glm::inverse(joint) * glm::dvec4(anchor.position, 1.0)));
  put_vector(-glm::dvec3(rotation));
  put_number(rotation.w);
  put_number(scale > 0 ? 1 / scale : 1);
  put_vector(axis);
  // Between two anchors of one joint there is no twist, whatever that of the joint.
  const bool turns = i != chain.top && chain.anchors[i < chain.top ? i + 1 : i - 1].joint != anchor.joint;
  put_word(turns ? twist_inputs_[anchor.joint] : shared::kNoInput);
}

void CurveTable::put_curve_anchor(const Curve& curve, std::size_t i, glm::vec3 reference) {
  const CurveAnchor& anchor = curve.anchors[i];
  put_number(curve.lengths[i]);
  put_vector(reference);
  put_number(anchor.skin_distance);
  put_number(anchor.float_min);
  put_number(anchor.float_max);
  put_number(curve.float_margin);
  put_word(0);  // first key: put_keys fills it in
  put_word(static_cast<std::uint32_t>(anchor.float_keys.size()));
  put_vector(anchor.before);
  put_vector(anchor.after);
  put_number(anchor.bulge.volume);
  put_number(anchor.bulge.across);
  put_number(anchor.bulge.along);
  put_number(anchor.twist_after);
}

std::uint32_t CurveTable::put(const Curve& curve) {
  const auto size = [&] { return static_cast<std::uint32_t>(words_.size()); };
  const std::size_t count = curve.chain.anchors.size();
  const std::uint32_t word = size();
  const std::uint32_t first_anchor = word + shared::kCurveWords;
  const auto first_curve_anchor = static_cast<std::uint32_t>(first_anchor + count * shared::kAnchorWords);
  put_word(static_cast<std::uint32_t>(count));
  put_word(static_cast<std::uint32_t>(curve.chain.top));
  put_word(first_anchor);
  put_word(frames_word(curve.frames));
  put_word(curve.reference == CurveReference::kJoint ? shared::kCurveReferenceJoint : shared::kCurveReferenceHalfSwing);
  put_number(curve.centre);
  put_word(first_curve_anchor);
  for (std::size_t i = 0; i < count; ++i) put_anchor(curve.chain, i);
  const std::vector<glm::vec3> axes = reference_axes(curve.chain);
  for (std::size_t i = 0; i < count; ++i) put_curve_anchor(curve, i, axes[i]);
  for (std::size_t i = 0; i < count; ++i) {
    words_[first_curve_anchor + i * shared::kCurveAnchorWords + shared::kCurveAnchorKeys] = size();
    for (const CurveKey& key : curve.anchors[i].float_keys) {
      put_number(key.at);
      put_number(key.value);
    }
  }
  return word;
}

std::uint32_t CurveTable::put_sample(const Curve& curve, std::size_t bone, float lambda, const Affine& rest) {
  const auto word = static_cast<std::uint32_t>(words_.size());
  const shared::CurveShape shape = posed_shape(curve, bone, lambda);
  put_number(posed_lambda(curve.spans[bone], lambda));
  for (const float number :
       {shape.twist_share, shape.first_reach, shape.last_reach, shape.twist, shape.width_y, shape.width_z}) {
    put_number(number);
  }
  const glm::dmat3 inverse = glm::inverse(glm::dmat3(affine_axes(rest)));
  const glm::dvec3 origin = inverse * -glm::dvec3(affine_origin(rest));
  for (int row = 0; row < 3; ++row) {
    put_vector({inverse[0][row], inverse[1][row], inverse[2][row]});
    put_number(origin[row]);
  }
  return word;
}

PosedCurve::PosedCurve(const Curve& curve, std::span<const std::uint32_t> words, std::uint32_t word,
                       std::span<const glm::mat4> joints, std::span<const float> inputs)
    : curve_(&curve) {
  const shared::PoseWork work{words.data(), joints.data(), nullptr, inputs.data()};
  for (std::uint32_t bone = 0; bone < curve.bone_count(); ++bone) {
    parts_.push_back(shared::curve_part(shared::CurveRecord{word, bone, 0}, work));
  }
}

float PosedCurve::floating_distance(std::size_t anchor) const {
  const shared::CurvePart& part = parts_[anchor];  // of the bone that leaves it
  return anchor == 0 || anchor + 1 == curve_->anchors.size() ? 0 : part.arc[2] - part.arc[1];
}

}  // namespace pelt::curve_skeleton
