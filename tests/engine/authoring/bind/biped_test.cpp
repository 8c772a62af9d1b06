// SPDX-License-Identifier: MIT
// Small parts of the built-in biped with every deformer at its defaults: single fingers, lips, lids, toes; and raised
// arms.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <pelt/builtin.h>
#include <pelt/pose.h>

#include "tests/support/driven.h"

namespace pelt {
namespace {

using glm::vec3;

const Model& biped() {
  static const Model model = make_biped();
  return model;
}

const Mesh& body() { return biped().meshes[0]; }

std::uint32_t joint(const std::string& name) { return biped().skeleton.find(name).value(); }

vec3 place(const std::string& name) { return vec3(test::bind_matrices(biped())[joint(name)][3]); }

std::vector<Transform> at_rest() {
  std::vector<Transform> local(biped().skeleton.joints.size());
  rest_pose(biped().skeleton, local);
  return local;
}

std::vector<Transform> in_clip(const char* clip, float time) {
  std::vector<Transform> local = at_rest();
  sample_clip(*find_clip(biped().clips, clip), time, local);
  return local;
}

class BipedBy : public testing::TestWithParam<std::string> {
 protected:
  // Returns the posed positions of a mesh of the biped, bound as `pelt bind --deformer` does.
  static std::vector<vec3> posed(const std::string& deformer, const std::vector<Transform>& local,
                                 std::size_t mesh = 0) {
    static std::map<std::string, Character> characters;
    if (!characters.contains(deformer)) {
      characters.emplace(deformer, test::bound_with(biped(), deformer).character);
    }
    std::vector<glm::mat4> joints(local.size());
    model_matrices(biped().skeleton, local, joints);
    return test::posed(characters.at(deformer), joints, biped().meshes[mesh].name);
  }

  static std::vector<vec3> posed(const std::vector<Transform>& local, std::size_t mesh = 0) {
    return posed(GetParam(), local, mesh);
  }

  // Returns the largest distance from the rest pose among the chosen vertices.
  template <class Choose>
  static float farthest(const std::vector<vec3>& moved, const Choose& choose) {
    float most = -1;
    for (std::uint32_t v = 0; v < moved.size(); ++v) {
      if (choose(v)) most = std::max(most, glm::distance(moved[v], body().positions[v]));
    }
    EXPECT_GE(most, 0) << "nothing is chosen";
    return most;
  }
};

// ------------------------------------------------------------------------------------------------------------- fingers

constexpr std::array kFingerNames = {"thumb", "index", "middle", "ring", "pinky"};

// The finger with the nearest bones, and the position along it: 1 at its second joint.
struct OnFinger {
  std::size_t finger = 0;
  float bone = 0;
  float distance = 1e9f;
};

OnFinger on_finger(const std::string& side, const vec3& p) {
  OnFinger nearest;
  for (std::size_t f = 0; f < kFingerNames.size(); ++f) {
    std::array<vec3, 4> joints;
    for (int k = 0; k < 3; ++k) joints[k] = place(side + "_" + kFingerNames[f] + "_" + std::to_string(k + 1));
    joints[3] = joints[2] + (joints[2] - joints[1]);
    for (int k = 0; k < 3; ++k) {
      const vec3 bone = joints[k + 1] - joints[k];
      const float t = glm::clamp(glm::dot(p - joints[k], bone) / glm::dot(bone, bone), 0.0f, 1.0f);
      const float distance = glm::distance(p, joints[k] + t * bone);
      if (distance < nearest.distance) nearest = {f, static_cast<float>(k) + t, distance};
    }
  }
  return nearest;
}

TEST_P(BipedBy, AFingerLeavesItsNeighboursAlone) {
  for (const std::string side : {"left", "right"}) {
    // For each vertex, the finger that it is on beyond the webs; none if it is on another part of the body.
    std::vector<std::size_t> finger(body().positions.size(), kFingerNames.size());
    const vec3 hand = place(side + "_hand");
    for (std::size_t v = 0; v < finger.size(); ++v) {
      if (glm::distance(body().positions[v], hand) > 0.3f) continue;
      const OnFinger on = on_finger(side, body().positions[v]);
      if (on.distance < 0.02f && on.bone > (on.finger == 0 ? 1.0f : 0.7f)) finger[v] = on.finger;
    }
    for (std::size_t f = 0; f < kFingerNames.size(); ++f) {
      const std::vector<vec3> moved = posed(in_clip("fingers", 0.56f * (static_cast<float>(f) + 0.5f)));
      const float moved_itself = farthest(moved, [&](std::uint32_t v) { return finger[v] == f; });
      EXPECT_GT(moved_itself, 0.04f) << side << " " << kFingerNames[f];
      for (std::size_t g = 0; g < kFingerNames.size(); ++g) {
        if (g == f) continue;
        const float other = farthest(moved, [&](std::uint32_t v) { return finger[v] == g; });
        EXPECT_LT(other, 0.02f * moved_itself) << side << " " << kFingerNames[f] << " moves " << kFingerNames[g];
      }
    }
  }
}

// --------------------------------------------------------------------------------------------------------------- mouth

// Returns the distance between the facing middles of the lips.
float parted(const std::vector<vec3>& positions) {
  vec3 upper(0.0f), lower(0.0f);
  float uppers = 0, lowers = 0;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const vec3 p = body().positions[v];
    if (std::abs(p.x) > 0.010f || p.z < 0.084f || std::abs(p.y - 1.6175f) > 0.004f) continue;
    if (body().normals[v].y < -0.5f) upper += positions[v], uppers += 1;
    if (body().normals[v].y > 0.5f) lower += positions[v], lowers += 1;
  }
  EXPECT_GT(uppers, 10);
  EXPECT_GT(lowers, 10);
  return glm::distance(upper / uppers, lower / lowers);
}

TEST_P(BipedBy, LipsPartAsFarAsByLinearBlend) {
  const std::vector<Transform> open = in_clip("mouth", 0.85f);
  const float at_rest = parted(body().positions);
  const float by_linear_blend = parted(posed("linear_blend", open)) - at_rest;
  const float by_deformer = parted(posed(open)) - at_rest;
  EXPECT_LT(at_rest, 0.006f);
  EXPECT_GT(by_linear_blend, 0.02f);
  EXPECT_NEAR(by_deformer / by_linear_blend, 1.0f, 0.03f);
}

// ---------------------------------------------------------------------------------------------------------------- lids

// Returns true if a ray from `p` to the front meets one of the triangles.
bool is_covered(const vec3& p, const std::vector<vec3>& positions, const std::vector<glm::uvec3>& triangles) {
  return std::ranges::any_of(triangles, [&](const glm::uvec3& t) {
    const vec3 a = positions[t.x] - p, b = positions[t.y] - p, c = positions[t.z] - p;
    const auto area = [](const vec3& u, const vec3& w) { return u.x * w.y - u.y * w.x; };
    const float wa = area(b, c), wb = area(c, a), wc = area(a, b), sum = wa + wb + wc;
    if (sum == 0 || wa * sum < 0 || wb * sum < 0 || wc * sum < 0) return false;
    return (wa * a.z + wb * b.z + wc * c.z) / sum > 0;
  });
}

TEST_P(BipedBy, LidsCloseAndLeaveTheBrowAlone) {
  const std::vector<Transform> closed = in_clip("blink", 0.5f);
  const std::vector<vec3> skin = posed(closed);
  for (std::size_t mesh : {1u, 2u}) {
    const Mesh& eye = biped().meshes[mesh];
    const vec3 middle = place(eye.name);
    const auto near_eye = [&](const vec3& p, float distance) { return glm::distance(p, middle) < distance; };
    std::vector<glm::uvec3> lids;
    for (const glm::uvec3& t : body().triangles) {
      if (near_eye(body().positions[t.x], 0.03f)) lids.push_back(t);
    }
    const std::vector<vec3> ball = posed(closed, mesh);
    std::size_t open_at_rest = 0, open = 0;
    for (std::size_t v = 0; v < ball.size(); ++v) {
      EXPECT_LT(glm::distance(ball[v], eye.positions[v]), 1e-5f);
      if (eye.normals[v].z < 0.3f) continue;
      open_at_rest += !is_covered(eye.positions[v], body().positions, lids);
      open += !is_covered(ball[v], skin, lids);
    }
    EXPECT_GT(open_at_rest, 80u);
    EXPECT_EQ(open, 0u) << eye.name;

    const float lid = farthest(skin, [&](std::uint32_t v) { return near_eye(body().positions[v], 0.018f); });
    EXPECT_GT(lid, 0.006f);
    const float brow = farthest(skin, [&](std::uint32_t v) {
      const vec3 p = body().positions[v] - middle;
      return p.y > 0.019f && p.y < 0.04f && std::abs(p.x) < 0.025f && p.z > 0;
    });
    EXPECT_LT(brow, 0.03f * lid);
  }
}

// ---------------------------------------------------------------------------------------------------------------- toes

TEST_P(BipedBy, ToesBendAlone) {
  std::vector<Transform> local = at_rest();
  glm::quat& turn = local[joint("left_toes")].rotation;
  turn = turn * glm::angleAxis(glm::radians(40.0f), vec3(1, 0, 0));
  const std::vector<vec3> skin = posed(local), linear = posed("linear_blend", local);
  const vec3 ball = place("left_toes");
  const auto is_toe = [&](std::uint32_t v) {
    const vec3 p = body().positions[v] - ball;
    return p.x > -0.1f && body().positions[v].y < 0.05f && p.z > 0.035f;
  };
  const auto is_behind = [&](std::uint32_t v) { return body().positions[v].x <= 0 || body().positions[v].z < 0.03f; };
  const float toes = farthest(skin, is_toe);
  EXPECT_NEAR(toes, farthest(linear, is_toe), 0.03f * toes);
  EXPECT_GT(toes, 0.03f);
  EXPECT_LT(farthest(skin, is_behind), 0.02f * toes);
}

// ----------------------------------------------------------------------------------------------------------- shoulders

class RaisedArms : public BipedBy {
 protected:
  // Returns how wide, in metres, the shoulders are with raised arms.
  static float width(const std::string& deformer) {
    const std::vector<vec3> skin = posed(deformer, in_clip("raise", 1.44f));
    const vec3 left = place("left_upper_arm"), right = place("right_upper_arm");
    float least = 0, most = 0;
    for (std::uint32_t v = 0; v < skin.size(); ++v) {
      if (glm::distance(body().positions[v], left) < 0.2f) most = std::max(most, skin[v].x);
      if (glm::distance(body().positions[v], right) < 0.2f) least = std::min(least, skin[v].x);
    }
    return most - least;
  }
};

// Without armpits they swell by 10 cm.
TEST_P(RaisedArms, DoNotSwellTheShoulders) { EXPECT_LT(width(GetParam()), width("linear_blend") + 0.075f); }

INSTANTIATE_TEST_SUITE_P(Deformers, RaisedArms,
                         testing::Values("surface_ffd", "curve_skeleton", "mos", "hierarchical_bspline"),
                         [](const auto& deformer) { return deformer.param; });

INSTANTIATE_TEST_SUITE_P(Deformers, BipedBy,
                         testing::Values("linear_blend", "dual_quaternion", "surface_ffd", "curve_skeleton", "mos"),
                         [](const auto& deformer) { return deformer.param; });

}  // namespace
}  // namespace pelt
