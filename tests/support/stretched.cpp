// SPDX-License-Identifier: MIT
#include "tests/support/stretched.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <pelt/shaders/octahedral.h>

namespace pelt::test {
namespace {

using Place = std::tuple<float, float, float>;

Place place_of(glm::vec3 p) { return {p.x, p.y, p.z}; }

}  // namespace

void expect_tension_of_triangles(const CharacterMesh& mesh, std::span<const glm::vec3> posed,
                                 std::span<const glm::i8vec2> tension) {
  const std::vector<glm::vec3>& rest = mesh.binding.points;
  std::multimap<Place, glm::uvec3> round;
  for (const glm::uvec3& t : mesh.triangles) {
    for (int c = 0; c < 3; ++c) round.emplace(place_of(rest[t[c]]), t);
  }
  ASSERT_EQ(tension.size(), rest.size());
  double worst = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    const glm::uvec2 packed = mesh.binding.directions[v];
    const glm::dvec3 tangent(shared::unpack_tangent(packed.y));
    const glm::dvec3 directions[] = {tangent, glm::cross(glm::dvec3(shared::unpack_normal(packed.x)), tangent)};
    for (int d = 0; d < 2; ++d) {
      double posed_sum = 0, rest_sum = 0;
      const auto [first, last] = round.equal_range(place_of(rest[v]));
      for (auto at = first; at != last; ++at) {
        const glm::uvec3 t = at->second;
        // F maps the edges and the unit normal to the posed edges and nothing.
        const glm::dvec3 r_1(rest[t.y] - rest[t.x]), r_2(rest[t.z] - rest[t.x]);
        const glm::dvec3 n = glm::cross(r_1, r_2);
        if (!(glm::length(n) > 1e-9)) continue;
        const glm::dmat3 moved(posed[t.y] - posed[t.x], posed[t.z] - posed[t.x], glm::dvec3(0));
        const glm::dvec3 along = moved * glm::inverse(glm::dmat3(r_1, r_2, glm::normalize(n))) * directions[d];
        const glm::dvec3 flat = directions[d] - glm::normalize(n) * glm::dot(glm::normalize(n), directions[d]);
        posed_sum += glm::length(n) * glm::dot(along, along);
        rest_sum += glm::length(n) * glm::dot(flat, flat);
      }
      const double stretch = rest_sum > 0 ? std::clamp(std::sqrt(posed_sum / rest_sum), 0.5, 2.0) : 1.0;
      const double off = std::abs(std::exp2(static_cast<double>(tension[v][d]) / 127) / stretch - 1);
      if (!(off <= worst)) worst = off;
    }
  }
  EXPECT_LT(worst, 0.02) << mesh.name;
}

}  // namespace pelt::test
