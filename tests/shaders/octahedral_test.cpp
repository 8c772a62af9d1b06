// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include <pelt/shaders/octahedral.h>

namespace pelt::shared {
namespace {

// Returns degrees; in double precision, since the angles of floats are exact to only 0.02 degrees.
double angle_between(glm::dvec3 a, glm::dvec3 b) {
  return glm::degrees(std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)));
}

// Returns the largest angle, in degrees, between a direction and its packed and unpacked copy: for random directions,
// and for those halfway between two of the `steps` numbers of either sign, the worst case of rounding.
double worst_error(int steps, const std::function<vec3(vec3)>& packed_and_unpacked) {
  double worst = 0;
  const auto look = [&](glm::dvec3 direction) {
    const vec3 unit(glm::normalize(direction));
    worst = std::max(worst, angle_between(unit, packed_and_unpacked(unit)));
  };
  std::mt19937_64 engine(1);
  std::normal_distribution<double> any;
  std::uniform_int_distribution<int> step(-steps, steps - 1);
  std::uniform_real_distribution<double> little(0.499, 0.501);
  for (int i = 0; i < 200000; ++i) {
    look({any(engine), any(engine), any(engine)});
    const double x = (step(engine) + little(engine)) / steps;
    const double y = (step(engine) + little(engine)) / steps;
    const double z = 1 - std::abs(x) - std::abs(y);
    const double fold = std::max(-z, 0.0);
    look({x + (x >= 0 ? -fold : fold), y + (y >= 0 ? -fold : fold), z});
  }
  return worst;
}

// Packing to integers must not get NaN.
TEST(Octahedral, ProjectsVectorsThatAreNone) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const vec3 none : {vec3(0), vec3(kNan), vec3(kNan, 0, -1), vec3(0, kNan, 1), vec3(kInfinity), vec3(-kInfinity),
                          vec3(1, -kInfinity, 0), vec3(3e38f), vec3(1e-45f, 0, 0)}) {
    const vec2 projected = octahedral_from_unit(none);
    EXPECT_TRUE(abs(projected.x) <= 2 && abs(projected.y) <= 2) << projected.x << ' ' << projected.y;
  }
}

// Checks the header's statement: the error is not larger, and not much smaller.
void expect_stated(double worst, double stated) {
  EXPECT_LE(worst, stated);
  EXPECT_GE(worst, 0.9 * stated);
}

TEST(Octahedral, NormalsOf16BitsErrAsStated) {
  expect_stated(worst_error(32767, [](vec3 n) { return unpack_normal(pack_normal(n)); }), 0.004);
}

TEST(Octahedral, TangentsOf16BitsErrAsStated) {
  for (const float hand : {1.0f, -1.0f}) {
    expect_stated(worst_error(16383, [&](vec3 t) { return vec3(unpack_tangent(pack_tangent(vec4(t, hand)))); }), 0.008);
  }
}

TEST(Octahedral, HandednessIsKept) {
  std::mt19937 engine(1);
  std::normal_distribution<float> any;
  for (int i = 0; i < 1000; ++i) {
    const vec3 t = normalize(vec3(any(engine), any(engine), any(engine)));
    for (const float hand : {1.0f, -1.0f}) EXPECT_EQ(unpack_tangent(pack_tangent(vec4(t, hand))).w, hand);
  }
}

TEST(Octahedral, AxesOf16BitsAreExact) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const float sign : {1.0f, -1.0f}) {
      vec3 n(0);
      n[axis] = sign;
      EXPECT_EQ(unpack_normal(pack_normal(n)), n);
    }
  }
}

}  // namespace
}  // namespace pelt::shared
