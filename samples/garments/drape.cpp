// SPDX-License-Identifier: MIT
#include "samples/garments/drape.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>

namespace pelt::samples {
namespace {

constexpr float kFramesPerSecond = 24;

// Keeps two points at the distance that they had.
struct Spring {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  float length = 0;
  float stiffness = 1;  // share of the error that a step corrects
};

std::vector<Spring> find_springs(const Cloth& cloth) {
  constexpr float kOfBending = 0.05f;
  struct Step {
    int column, row;
    float stiffness;
  };
  constexpr Step kSteps[] = {{1, 0, 1}, {0, 1, 1}, {1, 1, 0.3f}, {1, -1, 0.3f}, {2, 0, kOfBending}, {0, 2, kOfBending}};
  const int columns = static_cast<int>(cloth.columns);
  const int rows = static_cast<int>(cloth.rows);
  std::vector<Spring> springs;
  for (int r = 0; r <= rows; ++r) {
    for (int c = 0; c <= columns; ++c) {
      for (const Step& step : kSteps) {
        const int to_column = c + step.column;
        const int to_row = r + step.row;
        if (to_column > columns || to_row < 0 || to_row > rows) continue;
        const auto a = static_cast<std::uint32_t>(r * (columns + 1) + c);
        const auto b = static_cast<std::uint32_t>(to_row * (columns + 1) + to_column);
        springs.push_back({a, b, glm::distance(cloth.positions[a], cloth.positions[b]), step.stiffness});
      }
    }
  }
  return springs;
}

// Returns a point's distance from the cylinder's axis.
float distance_from_axis(const glm::vec3& point) { return std::hypot(point.y, point.z); }

}  // namespace

std::vector<glm::uvec4> Cloth::quads() const {
  std::vector<glm::uvec4> result;
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < columns; ++c) {
      const std::uint32_t first = r * (columns + 1) + c;
      result.emplace_back(first, first + columns + 1, first + columns + 2, first + 1);
    }
  }
  return result;
}

Cloth make_cloth(std::uint32_t columns, std::uint32_t rows) {
  constexpr float kWidth = 1.2f;   // metres, along the cylinder
  constexpr float kLength = 2.0f;  // metres, across the cylinder
  constexpr float kTurn = 0.3f;    // radians
  constexpr float kHeight = 0.75f;
  Cloth cloth{.columns = columns, .rows = rows, .positions = {}};
  for (std::uint32_t r = 0; r <= rows; ++r) {
    for (std::uint32_t c = 0; c <= columns; ++c) {
      const float x = kWidth * (static_cast<float>(c) / static_cast<float>(columns) - 0.5f);
      const float z = kLength * (static_cast<float>(r) / static_cast<float>(rows) - 0.5f);
      cloth.positions.emplace_back(x * std::cos(kTurn) + z * std::sin(kTurn), kHeight,
                                   z * std::cos(kTurn) - x * std::sin(kTurn));
    }
  }
  return cloth;
}

std::vector<std::vector<glm::vec3>> simulate(const Cloth& cloth, std::uint32_t frames) {
  constexpr int kSteps = 20;  // a frame
  constexpr int kRounds = 8;  // a step
  constexpr float kStep = 1 / (kFramesPerSecond * kSteps);
  constexpr float kFriction = 0.3f;  // share of its way along the cylinder that a point on it loses in a step
  constexpr float kDrag = 0.9985f;   // share of the speed that is left after a step
  const glm::vec3 gravity(0, -9.81f, 0);
  const std::vector<Spring> springs = find_springs(cloth);
  std::vector<glm::vec3> now = cloth.positions;
  std::vector<glm::vec3> before = now;
  std::vector<std::vector<glm::vec3>> result = {now};
  while (result.size() < frames) {
    for (int step = 0; step < kSteps; ++step) {
      for (std::size_t v = 0; v < now.size(); ++v) {
        const glm::vec3 next = now[v] + kDrag * (now[v] - before[v]) + kStep * kStep * gravity;
        before[v] = now[v];
        now[v] = next;
      }
      for (int round = 0; round < kRounds; ++round) {
        for (const Spring& spring : springs) {
          const glm::vec3 between = now[spring.b] - now[spring.a];
          const float length = glm::length(between);
          const glm::vec3 half = 0.5f * spring.stiffness * (1 - spring.length / length) * between;
          now[spring.a] += half;
          now[spring.b] -= half;
        }
        for (std::size_t v = 0; v < now.size(); ++v) {
          const float distance = distance_from_axis(now[v]);
          if (distance >= kCylinderRadius || std::abs(now[v].x) > 0.5f * kCylinderLength) continue;
          const float out = kCylinderRadius / distance;
          now[v] = glm::vec3(now[v].x, out * now[v].y, out * now[v].z);
          before[v] = glm::mix(before[v], now[v], kFriction);
        }
      }
    }
    result.push_back(now);
  }
  return result;
}

Cloth make_cylinder() {
  Cloth cylinder{.columns = 96, .rows = 3, .positions = {}};
  const glm::vec2 profile[] = {{-0.5f, 0}, {-0.5f, 1}, {0.5f, 1}, {0.5f, 0}};
  for (const glm::vec2 p : profile) {
    for (std::uint32_t c = 0; c <= cylinder.columns; ++c) {
      const float angle = glm::two_pi<float>() * static_cast<float>(c) / static_cast<float>(cylinder.columns);
      const float radius = 0.995f * kCylinderRadius * p.y;
      cylinder.positions.emplace_back(p.x * kCylinderLength, radius * std::cos(angle), radius * std::sin(angle));
    }
  }
  return cylinder;
}

std::vector<float> heights(const Cloth& coarse, std::span<const glm::vec3> coarse_posed, const Cloth& fine,
                           std::span<const glm::vec3> fine_posed) {
  constexpr float kOn = 1e-3f * kCylinderRadius;
  const auto lies = [&](std::uint32_t column, std::uint32_t row) {
    const glm::vec3& point = coarse_posed[row * (coarse.columns + 1) + column];
    return std::abs(distance_from_axis(point) - kCylinderRadius) < kOn && std::abs(point.x) < 0.5f * kCylinderLength;
  };
  std::vector<float> result;
  for (std::uint32_t v = 0; v < fine_posed.size(); ++v) {
    const std::uint32_t column = v % (fine.columns + 1) * coarse.columns / fine.columns;
    const std::uint32_t row = v / (fine.columns + 1) * coarse.rows / fine.rows;
    bool all = true;
    for (std::uint32_t r = row > 0 ? row - 1 : 0; r <= std::min(row + 2, coarse.rows); ++r) {
      for (std::uint32_t c = column > 0 ? column - 1 : 0; c <= std::min(column + 2, coarse.columns); ++c) {
        all = all && lies(c, r);
      }
    }
    if (all) result.push_back(distance_from_axis(fine_posed[v]) - kCylinderRadius);
  }
  return result;
}

}  // namespace pelt::samples
