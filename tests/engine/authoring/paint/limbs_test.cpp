// SPDX-License-Identifier: MIT
// Limbs that touch others and take no weights from them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <map>

#include "tests/engine/authoring/paint/blocks.h"

namespace pelt {
namespace {

using namespace test::paint;

constexpr float kGap = 1e-3f;  // blocks: far smaller than any cell of a grid

// Blocks of limbs, by number. Between blocks of different limbs there is a double wall unless `joins` tells otherwise.
struct Limbs {
  std::map<Cell, int> limb_of;
  std::vector<int> limbs;  // of the mesh's vertices

  void add(int limb, const glm::ivec3& low, const glm::ivec3& high) {
    for (const Cell& cell : box(low, high)) limb_of.try_emplace(cell, limb);
  }

  // `shift`: of a vertex of a limb at a position, in blocks.
  Mesh mesh(const Between& joins, const std::function<glm::vec3(int, const glm::vec3&)>& shift) {
    std::set<Cell> cells;
    for (const auto& [cell, limb] : limb_of) cells.insert(cell);
    std::vector<Cell> owners;
    Mesh mesh = blocks(
        cells, [&](const Cell& a, const Cell& b) { return limb_of[a] != limb_of[b] && !joins(a, b); }, &owners);
    for (std::size_t v = 0; v < owners.size(); ++v) {
      limbs.push_back(limb_of[owners[v]]);
      mesh.positions[v] += kEdge * shift(limbs[v], mesh.positions[v] / kEdge);
    }
    return mesh;
  }
};

// Expects vertices of a limb for which `is_chosen` to follow none of these joints.
template <class Chosen>
void expect_none(const Mesh& mesh, const std::vector<int>& limbs, int limb, const std::vector<std::uint32_t>& joints,
                 const Chosen& is_chosen) {
  std::size_t count = 0;
  for_vertices(mesh, [&](std::size_t v, const glm::vec3& p) {
    if (limbs[v] != limb || !is_chosen(p)) return;
    ++count;
    for (const std::uint32_t joint : joints) {
      EXPECT_EQ(weight_of(mesh, v, joint), 0)
          << "limb " << limb << ", joint " << joint << ", at " << p.x << " " << p.y << " " << p.z;
    }
  });
  EXPECT_GT(count, 0u);
}

TEST(PaintLimbs, AnArmBesideTheTrunk) {
  Limbs body;
  body.add(0, {-6, 0, 0}, {6, 24, 6});
  body.add(1, {6, 4, 2}, {8, 22, 4});  // hangs from the shoulder, at y = 20 to 22
  const auto joins = [](const Cell& a, const Cell&) { return std::get<1>(a) >= 20; };
  const Mesh skin = body.mesh(joins, [](int limb, const glm::vec3& p) {
    return limb == 1 && p.x == 6 && p.y < 20 ? glm::vec3(kGap, 0, 0) : glm::vec3(0);
  });
  const Mesh mesh = painted(skin, {{"hip", -1, {0, 1, 3}},
                                   {"chest", 0, {0, 12, 3}},
                                   {"head", 1, {0, 23, 3}},
                                   {"arm", 1, {6, 21, 3}},
                                   {"elbow", 3, {7, 20, 3}},
                                   {"hand", 4, {7, 11, 3}}});
  expect_none(mesh, body.limbs, 0, {4, 5}, [](const glm::vec3& p) { return p.y < 14; });
  expect_none(mesh, body.limbs, 1, {0, 1, 2}, [](const glm::vec3& p) { return p.y < 14; });
}

// Both forearms lie before the chest, one before the other.
TEST(PaintLimbs, CrossedArms) {
  Limbs body;
  body.add(0, {-6, 0, 0}, {6, 24, 6});
  body.add(1, {-10, 18, 2}, {-6, 20, 4});
  body.add(1, {-10, 18, 4}, {-8, 20, 8});
  body.add(1, {-8, 18, 6}, {6, 20, 8});
  body.add(2, {6, 18, 2}, {10, 20, 4});
  body.add(2, {8, 18, 4}, {10, 20, 10});
  body.add(2, {-6, 18, 8}, {8, 20, 10});
  const auto joins = [](const Cell& a, const Cell& b) { return std::get<2>(a) < 4 && std::get<2>(b) < 4; };
  const Mesh skin = body.mesh(joins, [](int limb, const glm::vec3& p) {
    return p.z >= 6 && std::abs(p.x) <= 6 ? glm::vec3(0, 0, kGap * static_cast<float>(limb)) : glm::vec3(0);
  });
  const Mesh mesh = painted(skin, {{"hip", -1, {0, 1, 3}},
                                   {"chest", 0, {0, 12, 3}},
                                   {"head", 1, {0, 23, 3}},
                                   {"arm_a", 1, {-6, 19, 3}},
                                   {"elbow_a", 3, {-9, 19, 3}},
                                   {"wrist_a", 4, {-9, 19, 7}},
                                   {"hand_a", 5, {0, 19, 7}},
                                   {"arm_b", 1, {6, 19, 3}},
                                   {"elbow_b", 7, {9, 19, 3}},
                                   {"wrist_b", 8, {9, 19, 9}},
                                   {"hand_b", 9, {0, 19, 9}}});
  const auto middle = [](const glm::vec3& p) { return std::abs(p.x) <= 3; };
  expect_none(mesh, body.limbs, 0, {4, 5, 6, 8, 9, 10}, middle);
  expect_none(mesh, body.limbs, 1, {0, 1, 2, 7, 8, 9, 10}, middle);
  expect_none(mesh, body.limbs, 2, {0, 1, 2, 3, 4, 5, 6}, middle);
}

// Eight arms around one below the middle, all of which touch.
TEST(PaintLimbs, AnOctopus) {
  Limbs body;
  body.add(0, {0, 0, 0}, {6, 6, 6});
  std::vector<Place> places{{"body", -1, {3, 3, 3}}};
  std::vector<glm::vec3> middles;
  for (int arm = 0; arm < 9; ++arm) {
    if (arm == 4) continue;
    const glm::ivec3 low(2 * (arm % 3), -16, 2 * (arm / 3));
    const auto number = static_cast<int>(middles.size()) + 1;
    body.add(number, low, low + glm::ivec3(2, 16, 2));
    middles.emplace_back(low.x + 1, 0, low.z + 1);
    for (int part = 0; part < 2; ++part) {
      places.push_back({"arm" + std::to_string(number) + "_" + std::to_string(part),
                        part == 0 ? 0 : static_cast<std::int32_t>(places.size()) - 1,
                        middles.back() - glm::vec3(0, 8 * part, 0)});
    }
  }
  const auto joins = [&](const Cell& a, const Cell& b) { return body.limb_of[a] == 0 || body.limb_of[b] == 0; };
  const Mesh skin = body.mesh(joins, [&](int limb, const glm::vec3& p) {
    if (limb == 0 || p.y == 0) return glm::vec3(0);
    const glm::vec3 inward = middles[static_cast<std::size_t>(limb) - 1] - p;
    return kGap * glm::vec3(inward.x, 0, inward.z);
  });
  const Mesh mesh = painted(skin, places);
  for (int limb = 1; limb <= 8; ++limb) {
    std::vector<std::uint32_t> others;
    for (std::uint32_t joint = 1; joint <= 16; ++joint) {
      if ((static_cast<int>(joint) + 1) / 2 != limb) others.push_back(joint);
    }
    expect_none(mesh, body.limbs, limb, others, [](const glm::vec3& p) { return p.y < -4; });
  }
}

// An open sheet around two legs, which are not connected to it.
TEST(PaintLimbs, ASkirt) {
  std::set<Cell> legs = box({2, 0, -1}, {5, 16, 1}, box({-5, 0, -1}, {-2, 16, 1}, box({-6, 16, -2}, {6, 22, 2})));
  Mesh skirt{.name = "skirt"};
  constexpr std::uint32_t kAround = 48;
  for (std::uint32_t ring = 0; ring <= 12; ++ring) {
    for (std::uint32_t k = 0; k < kAround; ++k) {
      const float angle = glm::two_pi<float>() * static_cast<float>(k) / kAround;
      const float wide = 7 + 0.2f * static_cast<float>(ring);
      skirt.positions.push_back(
          kEdge * glm::vec3(wide * std::cos(angle), 20 - static_cast<float>(ring), 0.5f * wide * std::sin(angle)));
      if (ring == 12) continue;
      const std::uint32_t a = ring * kAround + k;
      const std::uint32_t b = ring * kAround + (k + 1) % kAround;
      skirt.triangles.emplace_back(a, b, b + kAround);
      skirt.triangles.emplace_back(a, b + kAround, a + kAround);
    }
  }
  const Model model = painted(model_of({blocks(legs), skirt}, {{"hip", -1, {0, 20, 0}},
                                                               {"thigh_a", 0, {-3.5f, 16, 0}},
                                                               {"shin_a", 1, {-3.5f, 8, 0}},
                                                               {"thigh_b", 0, {3.5f, 16, 0}},
                                                               {"shin_b", 3, {3.5f, 8, 0}}}));
  for (const Mesh& mesh : model.meshes) {
    for_vertices(mesh, [&](std::size_t v, const glm::vec3& p) {
      if (std::abs(p.x) < 1 || p.y > 12) return;
      const std::uint32_t own = p.x < 0 ? 1 : 3;
      const std::uint32_t other = p.x < 0 ? 3 : 1;
      const float moved_by_other = weight_of(mesh, v, other) + weight_of(mesh, v, other + 1);
      EXPECT_LT(moved_by_other, weight_of(mesh, v, own) + weight_of(mesh, v, own + 1)) << mesh.name << " " << p.x;
      // Only the skirt's front and back hang on both legs.
      if (mesh.name == "skin") {
        EXPECT_EQ(moved_by_other, 0) << p.x << " " << p.y;
      } else if (std::abs(p.x) > 7) {
        EXPECT_LT(moved_by_other, 0.02f) << p.x << " " << p.y;
      }
    });
  }
  const Mesh& waist = model.meshes[1];
  for (std::size_t v = 0; v < kAround; ++v)
    EXPECT_EQ(std::ranges::max(waist.weights.row(v), {}, &Influence::weight).index, 0u);
}

}  // namespace
}  // namespace pelt
