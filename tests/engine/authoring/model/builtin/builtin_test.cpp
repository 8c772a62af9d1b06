// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <map>
#include <numeric>
#include <set>

#include <pelt/builtin.h>
#include <pelt/pose.h>

#include "tests/engine/authoring/model/builtin/watertight.h"
#include "tests/support/clip_joints.h"

namespace pelt {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

// Returns true if the triangles round every vertex form one fan: a watertight mesh is then a manifold.
bool has_one_fan_per_vertex(const Mesh& mesh) {
  std::vector<std::map<std::uint32_t, std::uint32_t>> next(mesh.positions.size());
  for (const glm::uvec3& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) next[t[k]][t[(k + 1) % 3]] = t[(k + 2) % 3];
  }
  for (const auto& ring : next) {
    if (ring.empty()) return false;
    std::uint32_t at = ring.begin()->first;
    for (std::size_t step = 0; step + 1 < ring.size(); ++step) {
      at = ring.at(at);
      if (at == ring.begin()->first) return false;
    }
  }
  return true;
}

std::size_t component_count(const Mesh& mesh) {
  std::vector<std::uint32_t> parent(mesh.positions.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const glm::uvec3& t : mesh.triangles) {
    parent[root(t.x)] = root(t.y);
    parent[root(t.y)] = root(t.z);
  }
  std::set<std::uint32_t> roots;
  for (std::uint32_t v = 0; v < parent.size(); ++v) roots.insert(root(v));
  return roots.size();
}

double volume(const Mesh& mesh) {
  double sum = 0;
  for (const glm::uvec3& t : mesh.triangles) {
    const glm::dvec3 a = mesh.positions[t.x], b = mesh.positions[t.y], c = mesh.positions[t.z];
    sum += glm::dot(a, glm::cross(b, c)) / 6.0;
  }
  return sum;
}

double smallest_angle_degrees(const Mesh& mesh) {
  double smallest = 180;
  for (const glm::uvec3& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      const glm::dvec3 a = mesh.positions[t[k]], b = mesh.positions[t[(k + 1) % 3]], c = mesh.positions[t[(k + 2) % 3]];
      const glm::dvec3 u = b - a, v = c - a;
      smallest = std::min(smallest, glm::degrees(std::atan2(glm::length(glm::cross(u, v)), glm::dot(u, v))));
    }
  }
  return smallest;
}

std::uint32_t most_influences(const SparseRows& rows) { return statistics(rows).max_influences; }

void expect_sound(const Model& model, std::size_t meshes = 1) {
  ASSERT_EQ(model.meshes.size(), meshes);
  for (const Mesh& mesh : model.meshes) {
    EXPECT_TRUE(is_watertight(mesh.triangles));
    EXPECT_TRUE(has_one_fan_per_vertex(mesh));
    EXPECT_EQ(component_count(mesh), 1u);
    EXPECT_GT(volume(mesh), 0.0);
    ASSERT_EQ(mesh.normals.size(), mesh.positions.size());
    for (const glm::vec3& n : mesh.normals) ASSERT_NEAR(glm::length(n), 1.0f, 1e-5f);
    ASSERT_EQ(mesh.weights.row_count(), mesh.positions.size());
    const auto valid = validate(mesh.weights, model.bound_joints.size(), mesh.name);
    EXPECT_TRUE(valid) << valid.error().message;
    EXPECT_LE(most_influences(mesh.weights), 4u);
    std::uint32_t triangles = 0;
    for (const MeshPart& part : mesh.parts) {
      EXPECT_EQ(part.first_triangle, triangles);
      triangles += part.triangle_count;
      EXPECT_LT(part.material, static_cast<std::int32_t>(model.materials.size()));
    }
    EXPECT_EQ(triangles, mesh.triangles.size());
  }

  std::vector<glm::mat4> rest(model.skeleton.joints.size());
  rest_matrices(model.skeleton, rest);
  for (const BoundJoint& b : model.bound_joints) {
    const glm::mat4 identity = rest[b.joint] * b.inverse_bind;
    for (int c = 0; c < 4; ++c) {
      for (int r = 0; r < 4; ++r) EXPECT_NEAR(identity[c][r], c == r ? 1.0f : 0.0f, 1e-5f);
    }
  }
  for (const Clip& clip : model.clips) {
    EXPECT_GT(clip.duration, 0.0f);
    for (const Channel& channel : clip.channels) {
      ASSERT_LT(channel.joint, model.skeleton.joints.size());
      EXPECT_TRUE(std::is_sorted(channel.times.begin(), channel.times.end(), std::less_equal<>()));
      EXPECT_NEAR(channel.times.back(), clip.duration, 1e-6f);
      EXPECT_EQ(channel.values.size(), channel.times.size() * (channel.path == ChannelPath::kRotation ? 4 : 3));
    }
  }
}

std::vector<glm::mat4> pose(const Model& model, std::string_view clip, float time) {
  const Clip* found = find_clip(model.clips, clip);
  EXPECT_NE(found, nullptr) << clip;
  return test::clip_joints(model.skeleton, found, time);
}

glm::mat4 joint_matrix(const Model& model, const std::vector<glm::mat4>& matrices, std::string_view name) {
  const auto joint = model.skeleton.find(name);
  EXPECT_TRUE(joint) << name;
  return matrices[joint.value_or(0)];
}

// Returns the angle between the bones (their y axes) of two joints.
float angle_between_bones(const Model& model, const std::vector<glm::mat4>& matrices, std::string_view a,
                          std::string_view b) {
  const glm::vec3 u(joint_matrix(model, matrices, a)[1]), v(joint_matrix(model, matrices, b)[1]);
  return glm::degrees(std::atan2(glm::length(glm::cross(u, v)), glm::dot(u, v)));
}

// Returns the turn of a hand about its forearm's axis since the rest pose: the twist of the relative rotation.
float hand_twist(const Model& model, const std::vector<glm::mat4>& matrices, const std::string& side) {
  const glm::mat3 forearm(joint_matrix(model, matrices, side + "_forearm"));
  const glm::mat3 hand(joint_matrix(model, matrices, side + "_hand"));
  const glm::quat relative = glm::quat_cast(glm::transpose(forearm) * hand);
  return glm::degrees(2.0f * std::atan2(std::abs(relative.y), std::abs(relative.w)));
}

TEST(Limb, IsTheYardstick) {
  const Model limb = make_limb();
  expect_sound(limb);
  const Mesh& mesh = limb.meshes.front();
  // A prism of 64 sides, radius 1, length 8.
  EXPECT_NEAR(volume(mesh), 8.0 * 32.0 * std::sin(glm::two_pi<double>() / 64.0), 1e-4);
  for (const glm::vec3& p : mesh.positions) {
    EXPECT_GE(p.x, 0.0f);
    EXPECT_LE(p.x, 8.0f);
    EXPECT_LE(glm::length(glm::vec2(p.y, p.z)), 1.0f + 1e-6f);
  }
  ASSERT_EQ(limb.skeleton.joints.size(), 2u);
  EXPECT_EQ(limb.skeleton.find("root"), 0u);
  EXPECT_EQ(limb.skeleton.find("joint"), 1u);
}

TEST(Limb, BlendsOverTheLengthAskedFor) {
  const Model limb = make_limb({.blend_length = 3.0f});
  const Mesh& mesh = limb.meshes.front();
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const float x = mesh.positions[i].x;
    const auto row = mesh.weights.row(i);
    if (x < 2.4f) {
      EXPECT_EQ(row.front().index, 0u);
    }
    if (x > 5.6f) {
      EXPECT_EQ(row.front().index, 1u);
    }
    if (x < 2.4f || x > 5.6f) {
      EXPECT_EQ(row.size(), 1u);
    }
    if (x == 4.0f) {
      ASSERT_EQ(row.size(), 2u);
      EXPECT_NEAR(row[0].weight, 0.5f, 1e-6f);
    }
  }
}

TEST(Limb, IsSoundAtOddSizes) {
  for (std::uint32_t around : {0u, 3u, 7u, 65u}) {
    for (std::uint32_t along : {0u, 1u, 2u, 63u}) {
      SCOPED_TRACE(testing::Message() << around << " x " << along);
      expect_sound(make_limb({.radius = 0.5f, .length = 3.0f, .around = around, .along = along}));
    }
  }
  expect_sound(make_limb({.blend_length = 0.0f}));
}

TEST(Limb, ClipsTurnAtTheSpeedTheyPromise) {
  const Model limb = make_limb();
  EXPECT_NEAR(find_clip(limb.clips, "bend")->duration, 150.0f / 90.0f, 1e-6f);
  EXPECT_NEAR(find_clip(limb.clips, "twist")->duration, 4.0f, 1e-6f);
  const glm::mat4 bent = joint_matrix(limb, pose(limb, "bend", 1.0f), "joint");
  EXPECT_NEAR(glm::distance(glm::vec3(bent[0]), glm::vec3(0, 1, 0)), 0.0f, 1e-5f);
  const glm::mat4 twisted = joint_matrix(limb, pose(limb, "twist", 3.0f), "joint");
  EXPECT_NEAR(glm::distance(glm::vec3(twisted[1]), glm::vec3(0, 0, -1)), 0.0f, 1e-5f);
}

TEST(Arm, IsSoundFlexesAndTwists) {
  const Model arm = make_arm();
  expect_sound(arm);
  EXPECT_GT(arm.meshes.front().positions.size(), 9000u);
  const glm::mat4 elbow = joint_matrix(arm, pose(arm, "flex", 1.5f), "elbow");
  EXPECT_NEAR(glm::distance(glm::vec3(elbow[0]), glm::vec3(0, 1, 0)), 0.0f, 1e-3f);
  const glm::mat4 wrist = joint_matrix(arm, pose(arm, "twist", 1.5f), "wrist");
  EXPECT_NEAR(glm::distance(glm::vec3(wrist[1]), glm::vec3(0, 0, 1)), 0.0f, 1e-3f);
}

TEST(Tail, IsSoundAndCurls) {
  const Model tail = make_tail();
  expect_sound(tail);
  EXPECT_EQ(tail.skeleton.joints.size(), 8u);
  EXPECT_GT(smallest_angle_degrees(tail.meshes.front()), 1.0);
  // The tip turns more than once round.
  float turn = 0;
  const auto curled = pose(tail, "curl", 2.3f);
  for (std::size_t j = 1; j < curled.size(); ++j) {
    const glm::vec3 a(curled[j - 1][0]), b(curled[j][0]);
    turn += glm::degrees(std::acos(glm::clamp(glm::dot(a, b), -1.0f, 1.0f)));
  }
  EXPECT_GT(turn, 360.0f);
}

class Biped : public testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = new Model(make_biped()); }
  static void TearDownTestSuite() { delete model_; }
  static const Model& model() { return *model_; }
  static const Mesh& mesh() { return model_->meshes.front(); }

 private:
  static inline Model* model_ = nullptr;
};

TEST_F(Biped, IsSound) {
  expect_sound(model(), 3);
  EXPECT_THAT(mesh().positions.size(), AllOf(Ge(36000u), Le(40000u)));
  EXPECT_EQ(model().skeleton.joints.size(), 59u);
  EXPECT_GT(smallest_angle_degrees(mesh()), 3.0);
  // The surface has the topology of a sphere: no bridge joins fingers or lips.
  EXPECT_EQ(mesh().positions.size() - mesh().triangles.size() / 2, 2u);
}

TEST_F(Biped, EyesAreBehindTheirLids) {
  for (const std::string side : {"left", "right"}) {
    const Mesh* eye = model().find_mesh(side + "_eye");
    ASSERT_NE(eye, nullptr);
    const glm::vec3 middle = joint_matrix(model(), pose(model(), "blink", 0), side + "_eye")[3];
    for (std::size_t i = 0; i < eye->positions.size(); ++i) {
      EXPECT_EQ(eye->weights.row(i).size(), 1u);
      EXPECT_EQ(eye->weights.row(i)[0].index, *model().skeleton.find(side + "_eye"));
    }
    float nearest = 1;
    for (const glm::vec3& p : mesh().positions) {
      if (p.z > middle.z + 0.006f) nearest = std::min(nearest, glm::distance(p, middle));
    }
    for (const glm::vec3& p : eye->positions) EXPECT_LT(glm::distance(p, middle), nearest);
    EXPECT_EQ(eye->parts.size(), 3u);  // white, iris, pupil
  }
}

TEST_F(Biped, StandsOnTheGroundAsTallAsPromised) {
  glm::vec3 low(1e9f), high(-1e9f);
  for (const glm::vec3& p : mesh().positions) {
    low = glm::min(low, p);
    high = glm::max(high, p);
  }
  EXPECT_NEAR(low.y, 0.0f, 2e-3f);
  EXPECT_NEAR(high.y, 1.8f, 5e-3f);
  // About the 70 litres of a man's body.
  EXPECT_THAT(volume(mesh()), AllOf(Ge(0.05), Le(0.09)));
}

TEST_F(Biped, IsSymmetric) {
  std::map<std::tuple<float, float, float>, std::size_t> vertex_at;
  for (std::size_t i = 0; i < mesh().positions.size(); ++i) {
    const glm::vec3& p = mesh().positions[i];
    vertex_at[{p.x, p.y, p.z}] = i;
  }
  const auto side_swapped = [&](std::uint32_t joint) {
    std::string name = model().skeleton.joints[joint].name;
    if (name.starts_with("left")) {
      name.replace(0, 4, "right");
    } else if (name.starts_with("right")) {
      name.replace(0, 5, "left");
    }
    return *model().skeleton.find(name);
  };
  for (std::size_t i = 0; i < mesh().positions.size(); ++i) {
    const glm::vec3& p = mesh().positions[i];
    const auto image = vertex_at.find({-p.x, p.y, p.z});
    ASSERT_NE(image, vertex_at.end());
    std::map<std::uint32_t, float> mine, theirs;
    for (const Influence& f : mesh().weights.row(i)) mine[side_swapped(f.index)] = f.weight;
    for (const Influence& f : mesh().weights.row(image->second)) theirs[f.index] = f.weight;
    ASSERT_EQ(mine, theirs);
  }
}

TEST_F(Biped, NoLimbPullsAtAnother) {
  for (std::size_t i = 0; i < mesh().positions.size(); ++i) {
    const glm::vec3& p = mesh().positions[i];
    for (const Influence& f : mesh().weights.row(i)) {
      const std::string& name = model().skeleton.joints[f.index].name;
      if (name.starts_with("left")) {
        ASSERT_GT(p.x, 0.0f) << name;
      }
      if (name.starts_with("right")) {
        ASSERT_LT(p.x, 0.0f) << name;
      }
      if (name.ends_with("thigh") || name.ends_with("shin") || name.ends_with("foot")) {
        ASSERT_LT(p.y, 1.1f) << name;
      }
      if (name.ends_with("arm") || name.ends_with("hand")) {
        ASSERT_GT(std::abs(p.x), 0.08f) << name;
      }
      if (name.ends_with("_1") || name.ends_with("_2") || name.ends_with("_3")) {
        ASSERT_GT(std::abs(p.x), 0.5f) << name;
      }
      if (name == "jaw" || name.ends_with("lid")) {
        ASSERT_GT(p.y, 1.49f) << name;
      }
      if (name.ends_with("toes")) {
        ASSERT_LT(p.y, 0.07f) << name;
      }
    }
  }
}

TEST_F(Biped, NormalsAgreeWithTheTriangles) {
  const std::vector<glm::vec3> normals = vertex_normals(mesh().positions, mesh().triangles);
  // Normals turn over within an edge or two at the rims of the lids.
  std::size_t far = 0, far_at_eyes = 0;
  for (std::size_t i = 0; i < normals.size(); ++i) {
    if (glm::dot(normals[i], mesh().normals[i]) >= 0.9f) continue;
    const glm::vec3 p = mesh().positions[i];
    const bool at_eye = glm::distance(glm::vec3(std::abs(p.x), p.y, p.z), glm::vec3(0.032f, 1.683f, 0.061f)) < 0.024f;
    ++(at_eye ? far_at_eyes : far);
  }
  EXPECT_LT(far, normals.size() / 200);
  EXPECT_LT(far_at_eyes, normals.size() / 100);
}

TEST_F(Biped, FlexBendsAndTwistsAsFarAsPromised) {
  for (const float time : {1.0f, 1.3f, 1.6f, 3.4f, 3.7f, 4.0f}) {
    const auto matrices = pose(model(), "flex", time);
    for (const std::string side : {"left", "right"}) {
      EXPECT_GT(angle_between_bones(model(), matrices, side + "_upper_arm", side + "_forearm"), 120.0f);
      EXPECT_NEAR(hand_twist(model(), matrices, side), 180.0f, 2.0f);
    }
    const std::string drawn_up = time < 2.4f ? "left" : "right";
    EXPECT_GT(angle_between_bones(model(), matrices, drawn_up + "_thigh", drawn_up + "_shin"), 120.0f);
  }
}

TEST_F(Biped, FlexTwistsInStepsThatInterpolationCannotMistake) {
  float before = 0;
  for (float time = 0.0f; time <= 1.0f; time += 0.01f) {
    const float twist = hand_twist(model(), pose(model(), "flex", time), "left");
    EXPECT_GE(twist, before - 0.5f);
    EXPECT_LT(twist - before, 10.0f);
    before = twist;
  }
  EXPECT_GT(before, 175.0f);
}

TEST_F(Biped, ClipsEndWhereTheyBegin) {
  EXPECT_EQ(model().clips.size(), 10u);
  for (const Clip& clip : model().clips) {
    const auto first = pose(model(), clip.name, 0.0f);
    const auto last = pose(model(), clip.name, clip.duration);
    for (std::size_t j = 0; j < first.size(); ++j) {
      for (int c = 0; c < 4; ++c) EXPECT_NEAR(glm::distance(first[j][c], last[j][c]), 0.0f, 1e-3f) << clip.name;
    }
  }
}

// Returns the fingers of the left hand that are bent by more than 10 degrees at a time of the clip "fingers".
std::set<std::string> bent_fingers(const Model& model, float time) {
  const auto rest = pose(model, "fingers", 0.0f), bent = pose(model, "fingers", time);
  std::set<std::string> names;
  for (const std::string finger : {"thumb", "index", "middle", "ring", "pinky"}) {
    const auto angle = [&](const std::vector<glm::mat4>& matrices) {
      return angle_between_bones(model, matrices, "left_hand", "left_" + finger + "_3");
    };
    if (std::abs(angle(bent) - angle(rest)) > 10.0f) names.insert(finger);
  }
  return names;
}

TEST_F(Biped, FingersBendOneAfterTheOther) {
  std::vector<std::string> order;
  for (float time = 0.0f; time <= find_clip(model().clips, "fingers")->duration; time += 0.02f) {
    const std::set<std::string> bent = bent_fingers(model(), time);
    ASSERT_LE(bent.size(), 1u) << time;
    if (!bent.empty() && (order.empty() || order.back() != *bent.begin())) order.push_back(*bent.begin());
  }
  EXPECT_EQ(order, (std::vector<std::string>{"thumb", "index", "middle", "ring", "pinky"}));
}

TEST_F(Biped, SquatsWithItsFeetOnTheGround) {
  const auto rest = pose(model(), "squat", 0.0f);
  for (float time = 0.0f; time <= 2.6f; time += 0.1f) {
    const auto matrices = pose(model(), "squat", time);
    for (const char* foot : {"left_foot", "right_foot"}) {
      const glm::mat4 before = joint_matrix(model(), rest, foot), now = joint_matrix(model(), matrices, foot);
      EXPECT_LT(glm::distance(glm::vec3(before[3]), glm::vec3(now[3])), 0.01f) << foot << " at " << time;
      for (int c = 0; c < 3; ++c) EXPECT_LT(glm::distance(before[c], now[c]), 0.03f) << foot << " at " << time;
    }
  }
  EXPECT_LT(joint_matrix(model(), pose(model(), "squat", 1.3f), "hips")[3].y, 0.65f);
}

TEST_F(Biped, RaisesBothHandsOverhead) {
  const auto matrices = pose(model(), "raise", 1.2f);
  for (const char* hand : {"left_hand", "right_hand"}) EXPECT_GT(joint_matrix(model(), matrices, hand)[3].y, 1.9f);
}

TEST_F(Biped, ReachesForwardWithTheLeftHand) {
  const auto matrices = pose(model(), "reach", 1.1f);
  EXPECT_GT(joint_matrix(model(), matrices, "left_hand")[3].z, 0.5f);
  EXPECT_LT(joint_matrix(model(), matrices, "right_hand")[3].z, 0.1f);
}

TEST_F(Biped, WalksWithArmsAgainstLegs) {
  const auto strike = pose(model(), "walk", 0.0f);  // the left heel strikes
  const auto z = [&](const char* joint) { return joint_matrix(model(), strike, joint)[3].z; };
  EXPECT_GT(z("left_foot"), z("right_foot") + 0.3f);
  EXPECT_LT(z("left_hand"), z("right_hand") - 0.1f);
}

TEST(BuiltinCharacters, AreTheSameEveryTime) {
  for (const auto& make : {+[] { return make_arm(); }, +[] { return make_biped(); }, +[] { return make_limb(); },
                           +[] { return make_tail(); }}) {
    const Model a = make(), b = make();
    ASSERT_EQ(a.meshes.size(), b.meshes.size());
    EXPECT_EQ(a.meshes[0].positions, b.meshes[0].positions);
    EXPECT_EQ(a.meshes[0].normals, b.meshes[0].normals);
    EXPECT_EQ(a.meshes[0].triangles, b.meshes[0].triangles);
    EXPECT_EQ(a.meshes[0].weights, b.meshes[0].weights);
    for (std::size_t c = 0; c < a.clips.size(); ++c) {
      for (std::size_t k = 0; k < a.clips[c].channels.size(); ++k) {
        EXPECT_EQ(a.clips[c].channels[k].values, b.clips[c].channels[k].values);
      }
    }
  }
}

}  // namespace
}  // namespace pelt
