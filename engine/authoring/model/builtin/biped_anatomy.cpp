// SPDX-License-Identifier: MIT
#include "engine/authoring/model/builtin/biped_anatomy.h"

#include <array>
#include <cmath>
#include <glm/gtc/constants.hpp>

namespace pelt {
namespace {

using glm::vec3;

// Fillets between the parts, metres.
constexpr float kArmpit = 0.045f;
constexpr float kGroin = 0.035f;
constexpr float kWeb = 0.009f;        // between fingers and palm
constexpr float kFingerGap = 0.003f;  // between fingers

// A rotation about one axis by degrees, for ellipsoids that do not stand upright.
glm::mat3 turned(float degrees, const vec3& axis) {
  const vec3 a = glm::normalize(axis);
  const float c = std::cos(glm::radians(degrees)), s = std::sin(glm::radians(degrees));
  const glm::mat3 cross(vec3(0, a.z, -a.y), vec3(-a.z, 0, a.x), vec3(a.y, -a.x, 0));
  return glm::mat3(c) + s * cross + (1.0f - c) * glm::outerProduct(a, a);
}

const vec3 kX(1, 0, 0), kY(0, 1, 0), kZ(0, 0, 1);

void add_torso(ImplicitSurface& trunk) {
  Loft torso{.exponent = 2.25f, .rim = 0.035f};
  torso.sections = {
      {0.845f, -0.100f, 0.100f, -0.075f, 0.060f}, {0.885f, -0.150f, 0.150f, -0.098f, 0.082f},
      {0.930f, -0.170f, 0.170f, -0.108f, 0.094f}, {0.980f, -0.168f, 0.168f, -0.104f, 0.098f},
      {1.030f, -0.155f, 0.155f, -0.090f, 0.096f}, {1.085f, -0.141f, 0.141f, -0.076f, 0.093f},
      {1.140f, -0.138f, 0.138f, -0.081f, 0.094f}, {1.200f, -0.148f, 0.148f, -0.097f, 0.100f},
      {1.270f, -0.160f, 0.160f, -0.113f, 0.107f}, {1.340f, -0.163f, 0.163f, -0.120f, 0.104f},
      {1.400f, -0.152f, 0.152f, -0.118f, 0.086f}, {1.445f, -0.125f, 0.125f, -0.105f, 0.062f},
      {1.480f, -0.085f, 0.085f, -0.090f, 0.036f},
  };
  trunk.add(torso, 0.02f);

  // Back: shoulder blades, latissimus, the columns on both sides of the spine, buttocks.
  trunk.add_pair(Ellipsoid{vec3(0.092f, 1.345f, -0.098f), vec3(0.058f, 0.092f, 0.030f), turned(-14, kZ)}, 0.075f);
  trunk.add_pair(Ellipsoid{vec3(0.128f, 1.260f, -0.042f), vec3(0.038f, 0.150f, 0.060f), turned(-8, kZ)}, 0.09f);
  trunk.add_pair(Ellipsoid{vec3(0.036f, 1.130f, -0.066f), vec3(0.030f, 0.150f, 0.024f), glm::mat3(1.0f)}, 0.035f);
  trunk.add_pair(Ellipsoid{vec3(0.080f, 0.910f, -0.062f), vec3(0.080f, 0.094f, 0.070f), turned(12, kZ)}, 0.055f);
  trunk.carve(Capsule{vec3(0, 1.40f, -0.150f), 0.012f, vec3(0, 1.02f, -0.107f), 0.010f}, 0.040f);

  // Front: pectorals, the arch of the ribs, rectus abdominis with its middle line.
  trunk.add_pair(Ellipsoid{vec3(0.084f, 1.340f, 0.066f), vec3(0.092f, 0.062f, 0.036f), turned(14, kZ) * turned(20, kY)},
                 0.034f);
  trunk.add_pair(Ellipsoid{vec3(0.040f, 1.130f, 0.074f), vec3(0.038f, 0.125f, 0.026f), glm::mat3(1.0f)}, 0.035f);
  trunk.carve(Capsule{vec3(0, 1.245f, 0.118f), 0.006f, vec3(0, 1.060f, 0.116f), 0.006f}, 0.030f);
  trunk.carve(Ellipsoid{vec3(0, 1.082f, 0.103f), vec3(0.006f, 0.009f, 0.010f), glm::mat3(1.0f)}, 0.014f);

  // The tendons of pectorals and shoulder blades, which hold the arms.
  trunk.add_pair(Capsule{vec3(0.110f, 1.372f, 0.058f), 0.034f, vec3(0.222f, 1.372f, 0.014f), 0.026f}, 0.050f);
  trunk.add_pair(Capsule{vec3(0.110f, 1.340f, -0.088f), 0.034f, vec3(0.215f, 1.368f, -0.052f), 0.026f}, 0.050f);
  trunk.add_pair(Ellipsoid{vec3(0.140f, 1.415f, 0.016f), vec3(0.060f, 0.034f, 0.036f), turned(-12, kZ)}, 0.045f);

  // Collar bones, trapezius.
  trunk.add_pair(Capsule{vec3(0.026f, 1.452f, 0.040f), 0.011f, vec3(0.165f, 1.462f, -0.010f), 0.012f}, 0.028f);
  trunk.add_pair(Capsule{vec3(0.026f, 1.545f, -0.050f), 0.030f, vec3(0.160f, 1.447f, -0.038f), 0.026f}, 0.060f);
  trunk.add_pair(Ellipsoid{vec3(0.062f, 1.452f, -0.008f), vec3(0.060f, 0.030f, 0.038f), turned(-6, kZ)}, 0.050f);
  trunk.add_pair(Ellipsoid{vec3(0.092f, 1.436f, -0.068f), vec3(0.070f, 0.036f, 0.034f), turned(-8, kZ)}, 0.050f);
  trunk.carve(Ellipsoid{vec3(0, 1.470f, 0.045f), vec3(0.014f, 0.014f, 0.012f), glm::mat3(1.0f)}, 0.020f);
}

Ellipsoid ball(const vec3& centre, float radius) { return {centre, vec3(radius), glm::mat3(1.0f)}; }

// Distances of the lids' inner and outer surface from the eye, metres.
constexpr float kLidGap = 0.0005f;
constexpr float kLid = 0.0038f;
// Half of the opening between the lids' rims, as seen from the middle of the eye: radians to the side and upward.
constexpr glm::vec2 kAperture{0.90f, 0.36f};

// That opening as a field: an elliptic cone that reaches as far as the lids.
FieldSample aperture(const vec3& p) {
  const vec3 q = p - landmark::kEye;
  const float r = std::max(glm::length(q), 1e-6f);
  const float azimuth = std::atan2(q.x, q.z), elevation = std::asin(glm::clamp(q.y / r, -1.0f, 1.0f));
  const glm::vec2 a = glm::vec2(azimuth, elevation) / kAperture, b = a / kAperture;
  const float k0 = glm::length(a), k1 = std::max(glm::length(b), 1e-6f);
  const vec3 sideways(std::cos(azimuth), 0.0f, -std::sin(azimuth));
  const vec3 upward = glm::cross(q / r, sideways);
  const FieldSample cone{r * k0 * (k0 - 1.0f) / k1, (b.x * sideways + b.y * upward) / k1};
  const FieldSample beyond{landmark::kEyeRadius + kLid + 0.0025f - r, -q / r};
  return smooth_difference(cone, beyond, 0.002f);
}

void add_head(ImplicitSurface& trunk) {
  using namespace landmark;
  // Neck, with the two cords that run from behind the ears to the pit of the neck.
  trunk.add(Capsule{vec3(0, 1.440f, -0.042f), 0.063f, vec3(0, 1.605f, -0.018f), 0.055f}, 0.050f);
  trunk.add_pair(Capsule{vec3(0.022f, 1.430f, -0.082f), 0.038f, vec3(0.020f, 1.615f, -0.052f), 0.032f}, 0.050f);
  trunk.add_pair(Capsule{vec3(0.052f, 1.610f, -0.022f), 0.013f, vec3(0.016f, 1.462f, 0.024f), 0.010f}, 0.024f);

  // Skull, face, jaw.
  trunk.add(Ellipsoid{vec3(0, 1.706f, -0.012f), vec3(0.0760f, 0.0940f, 0.0960f), glm::mat3(1.0f)}, 0.030f);
  trunk.add(Ellipsoid{vec3(0, 1.655f, 0.026f), vec3(0.0610f, 0.0880f, 0.0600f), turned(-8, kX)}, 0.030f);
  trunk.add_pair(Capsule{vec3(0.050f, 1.628f, 0.000f), 0.020f, vec3(0.014f, 1.586f, 0.060f), 0.017f}, 0.035f);
  trunk.add(Ellipsoid{vec3(0, 1.586f, 0.071f), vec3(0.020f, 0.016f, 0.016f), glm::mat3(1.0f)}, 0.022f);
  trunk.add_pair(Ellipsoid{vec3(0.043f, 1.660f, 0.056f), vec3(0.020f, 0.017f, 0.022f), glm::mat3(1.0f)}, 0.026f);

  // Brows over the hollows of the eyes; in the hollows the lids, as a shell round the eye. The room for the eye is only
  // as deep as needed: nobody sees behind it.
  trunk.add_pair(Capsule{vec3(0.012f, 1.707f, 0.080f), 0.010f, vec3(0.050f, 1.702f, 0.058f), 0.009f}, 0.024f);
  trunk.carve_pair(Ellipsoid{kEye + vec3(0.001f, 0.001f, 0.0285f), vec3(0.0195f, 0.0135f, 0.0195f), turned(20, kY)},
                   0.018f);
  trunk.add_pair(ball(kEye, kEyeRadius + kLid), 0.006f);
  trunk.carve_pair(ball(kEye, kEyeRadius + kLidGap), 0.001f);
  trunk.add_pair(ball(kEye - vec3(0.0f, 0.0f, 0.0075f), kEyeRadius), 0.003f);

  // Nose, lips, the slit between them and the room behind the slit.
  trunk.add(Capsule{vec3(0, 1.697f, 0.082f), 0.008f, vec3(0, 1.652f, 0.104f), 0.0115f}, 0.018f);
  trunk.add_pair(Ellipsoid{vec3(0.0108f, 1.6465f, 0.092f), vec3(0.0085f, 0.0078f, 0.0110f), glm::mat3(1.0f)}, 0.010f);
  trunk.add(Ellipsoid{vec3(0, 1.618f, 0.078f), vec3(0.027f, 0.017f, 0.015f), glm::mat3(1.0f)}, 0.018f);
  trunk.add_pair(Ellipsoid{kMouth + vec3(0.0070f, 0.0066f, -0.0055f), vec3(0.0150f, 0.0052f, 0.0070f),
                           turned(24, kY) * turned(-10, kZ)},
                 0.006f);
  trunk.add_pair(Ellipsoid{kMouth + vec3(0.0060f, -0.0072f, -0.0065f), vec3(0.0145f, 0.0060f, 0.0078f),
                           turned(24, kY) * turned(9, kZ)},
                 0.006f);
  trunk.carve(Ellipsoid{kMouth + vec3(0, -0.0005f, -0.0280f), vec3(0.019f, 0.0085f, 0.0150f), glm::mat3(1.0f)}, 0.004f);
  trunk.carve(Loft{.origin = kMouth,
                   .side = kY,
                   .axis = kX,
                   .front = kZ,
                   .exponent = 4.0f,
                   .rim = 0.0012f,
                   .sections = {{-kMouthCorner, -0.0015f, 0.0018f, -0.0260f, 0.0200f},
                                {0.0f, -0.0019f, 0.0019f, -0.0260f, 0.0200f},
                                {kMouthCorner, -0.0015f, 0.0018f, -0.0260f, 0.0200f}}},
              0.0020f);

  // Ears, each with its bowl.
  const glm::mat3 ear = turned(-14, kX) * turned(20, kY) * turned(-9, kZ);
  trunk.add_pair(Ellipsoid{vec3(0.0755f, 1.674f, -0.014f), vec3(0.0105f, 0.0300f, 0.0190f), ear}, 0.015f);
  trunk.carve_pair(Ellipsoid{vec3(0.0860f, 1.677f, -0.011f), vec3(0.0065f, 0.0160f, 0.0090f), ear}, 0.010f);
}

void add_arm(ImplicitSurface& arm) {
  const vec3 d = arm_axis(), u = arm_side();
  Loft limb{.origin = landmark::kShoulder, .side = u, .axis = d, .front = kZ, .rim = 0.02f};
  limb.sections = {
      {-0.030f, -0.040f, 0.040f, -0.044f, 0.044f},    {0.000f, -0.048f, 0.052f, -0.050f, 0.050f},
      {0.060f, -0.050f, 0.056f, -0.053f, 0.052f},     {0.120f, -0.047f, 0.049f, -0.050f, 0.049f},
      {0.180f, -0.043f, 0.042f, -0.047f, 0.047f},     {0.240f, -0.038f, 0.037f, -0.042f, 0.040f},
      {0.290f, -0.035f, 0.036f, -0.038f, 0.034f},     {0.335f, -0.040f, 0.038f, -0.037f, 0.037f},
      {0.380f, -0.041f, 0.037f, -0.036f, 0.038f},     {0.440f, -0.035f, 0.032f, -0.031f, 0.032f},
      {0.500f, -0.029f, 0.028f, -0.025f, 0.025f},     {0.545f, -0.0265f, 0.0265f, -0.0205f, 0.0205f},
      {0.575f, -0.0270f, 0.0270f, -0.0190f, 0.0190f},
  };
  arm.add(limb, 0.02f);
  const auto at = [&](float s, float side, float z) { return landmark::kShoulder + s * d + side * u + z * kZ; };
  const glm::mat3 frame(u, d, kZ);  // radii of ellipsoids: side, along, front

  // Deltoid, biceps, triceps, point of the elbow, brachioradialis.
  arm.add(Ellipsoid{at(0.055f, 0.018f, 0.0f), vec3(0.046f, 0.088f, 0.060f), frame}, 0.030f);
  arm.add(Ellipsoid{at(0.175f, -0.006f, 0.020f), vec3(0.030f, 0.075f, 0.031f), frame}, 0.022f);
  arm.add(Ellipsoid{at(0.160f, 0.006f, -0.024f), vec3(0.034f, 0.085f, 0.029f), frame}, 0.024f);
  arm.add(Ellipsoid{at(0.302f, 0.004f, -0.026f), vec3(0.014f, 0.022f, 0.014f), frame}, 0.018f);
  arm.add(Ellipsoid{at(0.350f, -0.022f, 0.010f), vec3(0.022f, 0.070f, 0.026f), frame}, 0.024f);
  arm.add(Ellipsoid{at(0.540f, 0.017f, -0.010f), vec3(0.011f, 0.016f, 0.012f), frame}, 0.014f);

  // Hand: a palm that widens to the knuckles, the balls of thumb and little finger, fingers in a gentle curl.
  arm.add(Ellipsoid{at(0.610f, 0.002f, 0.000f), vec3(0.036f, 0.058f, 0.0165f), frame}, 0.022f);
  arm.add(Capsule{at(0.640f, -0.026f, 0.002f), 0.0135f, at(0.632f, 0.030f, -0.002f), 0.0115f}, 0.020f);
  arm.add(Ellipsoid{at(0.598f, -0.022f, -0.012f), vec3(0.016f, 0.034f, 0.015f), frame}, 0.016f);
  arm.add(Ellipsoid{at(0.602f, 0.024f, -0.010f), vec3(0.013f, 0.036f, 0.013f), frame}, 0.016f);

  arm.add(Capsule{at(0.645f, -0.026f, 0.000f), 0.0085f, at(0.633f, 0.030f, -0.003f), 0.0075f}, 0.012f);
}

void add_leg(ImplicitSurface& leg) {
  Loft limb{.rim = 0.02f};
  limb.side = kX;
  limb.axis = kY;
  limb.front = kZ;
  limb.sections = {
      {0.060f, 0.100f, 0.164f, -0.054f, 0.022f}, {0.090f, 0.103f, 0.161f, -0.050f, 0.022f},
      {0.130f, 0.104f, 0.158f, -0.048f, 0.022f}, {0.200f, 0.097f, 0.160f, -0.052f, 0.027f},
      {0.265f, 0.088f, 0.164f, -0.070f, 0.032f}, {0.340f, 0.076f, 0.170f, -0.080f, 0.036f},
      {0.390f, 0.071f, 0.170f, -0.078f, 0.038f}, {0.440f, 0.071f, 0.165f, -0.063f, 0.041f},
      {0.500f, 0.068f, 0.164f, -0.053f, 0.047f}, {0.550f, 0.063f, 0.167f, -0.056f, 0.053f},
      {0.620f, 0.052f, 0.173f, -0.065f, 0.066f}, {0.700f, 0.039f, 0.178f, -0.076f, 0.077f},
      {0.780f, 0.026f, 0.180f, -0.084f, 0.085f}, {0.850f, 0.016f, 0.178f, -0.088f, 0.087f},
      {0.910f, 0.026f, 0.166f, -0.076f, 0.072f}, {0.960f, 0.050f, 0.138f, -0.048f, 0.044f},
  };
  leg.add(limb, 0.02f);

  // Vastus lateralis and medialis, knee cap, both heads of the calf, shin, ankles.
  leg.add(Ellipsoid{vec3(0.142f, 0.700f, 0.026f), vec3(0.040f, 0.160f, 0.046f), turned(6, kZ)}, 0.050f);
  leg.add(Ellipsoid{vec3(0.087f, 0.595f, 0.030f), vec3(0.027f, 0.068f, 0.030f), turned(-8, kZ)}, 0.040f);
  leg.add(Ellipsoid{vec3(0.117f, 0.514f, 0.034f), vec3(0.027f, 0.036f, 0.020f), glm::mat3(1.0f)}, 0.034f);
  leg.add(Ellipsoid{vec3(0.117f, 0.455f, 0.030f), vec3(0.014f, 0.026f, 0.013f), glm::mat3(1.0f)}, 0.034f);
  leg.add(Ellipsoid{vec3(0.099f, 0.362f, -0.043f), vec3(0.030f, 0.105f, 0.037f), turned(-4, kZ)}, 0.040f);
  leg.add(Ellipsoid{vec3(0.144f, 0.374f, -0.041f), vec3(0.028f, 0.100f, 0.035f), turned(4, kZ)}, 0.040f);
  leg.add(Ellipsoid{vec3(0.105f, 0.094f, -0.012f), vec3(0.011f, 0.016f, 0.014f), glm::mat3(1.0f)}, 0.022f);
  leg.add(Ellipsoid{vec3(0.159f, 0.084f, -0.020f), vec3(0.011f, 0.016f, 0.014f), glm::mat3(1.0f)}, 0.022f);

  // Foot: heel, instep, ball, outer edge, five toes, and the flat of the sole cut off at the ground.
  leg.add(Ellipsoid{vec3(0.132f, 0.036f, -0.046f), vec3(0.032f, 0.042f, 0.038f), glm::mat3(1.0f)}, 0.030f);
  leg.add(Capsule{vec3(0.132f, 0.066f, 0.000f), 0.034f, vec3(0.138f, 0.030f, 0.110f), 0.024f}, 0.035f);
  leg.add(Capsule{vec3(0.150f, 0.020f, -0.030f), 0.022f, vec3(0.172f, 0.015f, 0.100f), 0.020f}, 0.030f);
  leg.add(Capsule{vec3(0.122f, 0.022f, 0.112f), 0.024f, vec3(0.172f, 0.015f, 0.098f), 0.019f}, 0.024f);
  struct Toe {
    float x, z, tip_x, tip_z, radius;
  };
  constexpr std::array<Toe, 5> kToes = {{{0.1210f, 0.125f, 0.1245f, 0.181f, 0.0150f},
                                         {0.1435f, 0.128f, 0.1490f, 0.177f, 0.0108f},
                                         {0.1590f, 0.122f, 0.1665f, 0.166f, 0.0102f},
                                         {0.1735f, 0.112f, 0.1825f, 0.150f, 0.0098f},
                                         {0.1860f, 0.098f, 0.1960f, 0.131f, 0.0095f}}};
  for (const Toe& t : kToes) {
    leg.add(Capsule{vec3(t.x, 0.016f, t.z), t.radius, vec3(t.tip_x, t.radius * 0.9f, t.tip_z), t.radius * 0.92f},
            0.009f);
  }
  leg.carve(Ellipsoid{vec3(0.085f, -0.004f, 0.035f), vec3(0.038f, 0.024f, 0.055f), glm::mat3(1.0f)}, 0.020f);
}

// Everything below the ground, as a field: the sole is the union's difference with it.
FieldSample ground(const vec3& p) { return {p.y, vec3(0.0f, 1.0f, 0.0f)}; }

}  // namespace

vec3 arm_axis() { return {glm::one_over_root_two<float>(), -glm::one_over_root_two<float>(), 0.0f}; }

vec3 arm_side() { return {glm::one_over_root_two<float>(), glm::one_over_root_two<float>(), 0.0f}; }

std::array<Chain, kFingers> finger_chains() {
  const auto at = [](float s, float side, float z) {
    return landmark::kShoulder + s * arm_axis() + side * arm_side() + z * kZ;
  };
  std::array<Chain, kFingers> fingers;
  fingers[0] = {{{at(0.586f, -0.024f, -0.010f), 0.0155f},
                 {at(0.622f, -0.052f, -0.024f), 0.0122f},
                 {at(0.651f, -0.066f, -0.033f), 0.0106f},
                 {at(0.674f, -0.072f, -0.042f), 0.0085f}}};
  struct Finger {
    float side, spread, length, radius;
  };
  // Index to little finger: sideways position at the knuckle and at the tip, length from the knuckle, radius.
  constexpr std::array<Finger, 4> kLong = {{{-0.0305f, -0.0590f, 0.098f, 0.0093f},
                                            {-0.0102f, -0.0212f, 0.108f, 0.0096f},
                                            {0.0102f, 0.0225f, 0.100f, 0.0092f},
                                            {0.0292f, 0.0605f, 0.080f, 0.0082f}}};
  for (std::size_t i = 0; i < kLong.size(); ++i) {
    const Finger& f = kLong[i];
    const float knuckle = 0.640f - 3.0f * f.side * f.side;
    const auto joint = [&](float share, float curl) {
      return at(knuckle + share * f.length, glm::mix(f.side, f.spread, share), curl * f.length);
    };
    fingers[i + 1] = {{{joint(0.0f, 0.0f), f.radius * 1.08f},
                       {joint(0.443f, -0.062f), f.radius},
                       {joint(0.736f, -0.180f), f.radius * 0.92f},
                       {joint(0.932f, -0.312f), f.radius * 0.78f}}};
  }
  return fingers;
}

LidRims lid_rims(float sine) {
  constexpr float kMeet = -0.5f;  // in half heights of the opening
  const float azimuth = std::asin(glm::clamp(sine, -1.0f, 1.0f));
  const float beside = azimuth / kAperture.x;
  const float open = std::sqrt(std::max(1.0f - beside * beside, 0.0f)) * kAperture.y;
  const auto about_x = [&](float elevation) { return std::atan(std::tan(elevation) / std::cos(azimuth)); };
  return {.upper = about_x(open), .lower = about_x(-open), .closed = about_x(kMeet * open)};
}

BipedShape::BipedShape() : fingers_(finger_chains()) {
  add_torso(trunk_);
  add_head(trunk_);
  add_arm(arm_);
  add_leg(leg_);
  for (const Chain& finger : fingers_) hand_.add(finger, kFingerGap);
}

std::array<float, kFingers> BipedShape::finger_distances(const vec3& p) const {
  std::array<float, kFingers> distances;
  for (std::size_t i = 0; i < kFingers; ++i) distances[i] = pelt::sample(fingers_[i], p).distance;
  return distances;
}

FieldSample BipedShape::arm(const vec3& p) const { return smooth_union(arm_.sample(p), hand_.sample(p), kWeb); }

FieldSample BipedShape::sample(const vec3& p) const {
  FieldSample figure = trunk_.sample(p);
  if (glm::distance(p, landmark::kEye) < 0.03f) figure = smooth_difference(figure, aperture(p), 0.0012f);
  if (p.y < 1.05f) {
    figure = smooth_union(figure, leg_.sample(p), kGroin);
    if (p.y < 0.05f) figure = smooth_difference(figure, ground(p), 0.012f);
  }
  if (p.x > 0.05f && p.y > 0.6f) figure = smooth_union(figure, arm(p), kArmpit);
  return figure;
}

}  // namespace pelt
