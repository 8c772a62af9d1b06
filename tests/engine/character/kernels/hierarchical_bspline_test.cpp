// SPDX-License-Identifier: MIT
// Tests the kernels one record at a time, each against an answer that the test computes by GLM or by hand; and the
// checks of their records.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <glm/gtc/matrix_transform.hpp>
#include <glm/gtc/quaternion.hpp>
#include <limits>
#include <set>

#include <pelt/evaluate.h>
#include <pelt/tools/inspect.h>

#include "engine/character/records.h"
#include "shaders/hierarchical_bspline/follow_pose.h"
#include "shaders/hierarchical_bspline/frame_pose.h"
#include "shaders/hierarchical_bspline/limit_pose.h"
#include "shaders/hierarchical_bspline/segment_pose.h"
#include "tests/support/breakage.h"
#include "tests/support/driven.h"
#include "tests/support/tube_surface.h"

namespace pelt::hierarchical_bspline {
namespace {

constexpr float kNearly = 1e-5f;

glm::mat3 turn_about(glm::vec3 axis, float degrees) {
  return glm::mat3(glm::rotate(glm::mat4(1), glm::radians(degrees), glm::normalize(axis)));
}

glm::mat4 motion_of(const glm::mat3& axes, glm::vec3 origin) {
  glm::mat4 motion(axes);
  motion[3] = glm::vec4(origin, 1);
  return motion;
}

Affine inverse_of(const glm::mat4& matrix) { return affine_from_mat4(glm::inverse(matrix)); }

float difference(const glm::mat3& a, const glm::mat3& b) {
  float most = 0;
  for (int c = 0; c < 3; ++c) most = std::max(most, glm::distance(a[c], b[c]));
  return most;
}

// Shares of three control vertices, a point and the ends of both tangents, in the point and in the tangents.
std::vector<std::uint32_t> table_of_three() {
  constexpr std::uint32_t kOne = 0x3F800000u, kMinusOne = 0xBF800000u;
  return {0, kOne, kMinusOne, kMinusOne, 1, 0, kOne, 0, 2, 0, 0, kOne};
}

// A frame of a surface over such control vertices.
class FrameOfThree {
 public:
  FrameOfThree(glm::vec3 u, glm::vec3 v) {
    const shared::PatchPoint rest{glm::vec3(0), u, v};
    const float length = std::max(glm::length(u), glm::length(v));
    const glm::mat3 axes = shared::affine_axes(shared::tangent_frame(rest));
    record_ = {0, 3, affine_from_axes(glm::transpose(axes) / length, glm::vec3(0))};
  }

  // Returns the frame's linear map of the surface's vectors, with these tangents.
  glm::mat3 pose(glm::vec3 u, glm::vec3 v) const {
    const std::array<glm::vec3, 3> control{kPoint, kPoint + u, kPoint + v};
    const shared::PoseWork work{table_.data(), nullptr, control.data(), nullptr, nullptr};
    const Affine entry = shared::pose_tangent_frame(record_, work);
    EXPECT_LT(glm::distance(transform_point(entry, glm::vec3(0)), kPoint), kNearly);
    return affine_axes(entry);
  }

 private:
  static constexpr glm::vec3 kPoint{3, -1, 2};
  shared::PatchRecord record_;
  std::vector<std::uint32_t> table_ = table_of_three();
};

TEST(TangentFrames, TurnRigidlyHoweverTheSurfaceStretches) {
  const glm::vec3 u(2, 0, 0);
  const glm::vec3 v(0.3f, 0.5f, 0);
  const FrameOfThree frame(u, v);
  const glm::mat3 turn = turn_about({1, 2, -1}, 130);
  for (const glm::vec2 stretch : {glm::vec2(1, 1), glm::vec2(7, 1), glm::vec2(0.1f, 30), glm::vec2(0.05f, 2)}) {
    EXPECT_LT(difference(frame.pose(stretch.x * (turn * u), stretch.y * (turn * v)), turn), kNearly) << stretch.x;
  }
  // Shear leaves the first axis along S_u, and the plane.
  EXPECT_LT(difference(frame.pose(u, v + 3.0f * u), glm::mat3(1)), kNearly);
  EXPECT_LT(difference(frame.pose(v, -u), turn_about({0, 0, 1}, glm::degrees(std::atan2(0.5f, 0.3f)))), kNearly);
}

// A surface that shrinks below a fiftieth takes along what it carries; above, that keeps its size.
TEST(TangentFrames, ShrinkWithASurfaceThatIsAlmostAPoint) {
  const glm::vec3 u(2, 0, 0);
  const glm::vec3 v(0, 0.5f, 0);
  const FrameOfThree frame(u, v);
  for (const auto& [size, wanted] : {std::pair{0.021f, 1.0f}, std::pair{0.01f, 0.5f}, std::pair{0.0f, 0.0f}}) {
    EXPECT_LT(difference(frame.pose(size * u, size * v), wanted * glm::mat3(1)), kNearly) << size;
  }
}

TEST(TangentFrames, AreFramesAlongTheLongerTangentWhereTheSurfaceCollapses) {
  const std::vector<std::pair<glm::vec3, glm::vec3>> tangents{{{2, 0, 0}, {-1, 0, 0}},
                                                              {{0, 1, 0}, {0, 3, 0}},
                                                              {{0, 0, 0}, {0, 0, 2}},
                                                              {{0, 0, 0}, {2, 0, 0}},
                                                              {{1, 1, 0}, {1e-6f, 0, 0}}};
  for (const auto& [u, v] : tangents) {
    const glm::mat3 axes = affine_axes(shared::tangent_frame({glm::vec3(0), u, v}));
    EXPECT_LT(difference(glm::transpose(axes) * axes, glm::mat3(1)), kNearly);
    EXPECT_NEAR(glm::determinant(axes), 1, kNearly);
    const glm::vec3 longer = glm::normalize(glm::length(v) > glm::length(u) ? v : u);
    EXPECT_LT(glm::distance(axes[0], longer), kNearly);
  }
  // Tangents at a slight angle still span a plane.
  const glm::mat3 flat = affine_axes(shared::tangent_frame({glm::vec3(0), {1, 0, 0}, {1, 0, 1e-3f}}));
  EXPECT_LT(difference(flat, glm::mat3(glm::vec3(1, 0, 0), glm::vec3(0, 0, 1), glm::vec3(0, -1, 0))), 1e-3f);
}

// A frame of skin on a surface over a mesh, over tangents that are unit and at right angles at bind.
class MeshFrame {
 public:
  explicit MeshFrame(const glm::mat3& axes)
      : rest_(axes), record_{0, 3, affine_from_axes(glm::transpose(axes), -(glm::transpose(axes) * kPoint))} {}

  // Returns the entry with the control vertices moved.
  Affine pose(const glm::mat4& motion) const {
    std::array<glm::vec3, 3> control{kPoint, kPoint + rest_[0], kPoint + rest_[1]};
    for (glm::vec3& vertex : control) vertex = glm::vec3(motion * glm::vec4(vertex, 1));
    const shared::PoseWork work{table_.data(), nullptr, control.data(), nullptr, nullptr};
    return shared::pose_mesh_frame(record_, work);
  }

  // Returns a point near the frame's, in its axes.
  glm::vec3 beside(glm::vec3 local) const { return kPoint + rest_ * local; }

 private:
  static constexpr glm::vec3 kPoint{3, -1, 2};
  glm::mat3 rest_;
  shared::PatchRecord record_;
  std::vector<std::uint32_t> table_ = table_of_three();
};

glm::vec3 moved_point(const glm::mat4& motion, glm::vec3 point) { return glm::vec3(motion * glm::vec4(point, 1)); }

// Vectors in the tangent plane have any affine motion that the control vertices have.
TEST(MeshFrames, CarryTheirPlaneByAnyAffineMotion) {
  const MeshFrame frame(turn_about({1, 1, 3}, 70));
  const glm::mat3 turn = turn_about({2, 0, 1}, 140);
  const glm::mat3 shear(glm::vec3(2, 0.3f, 0), glm::vec3(-1, 0.5f, 0.2f), glm::vec3(0, 0.4f, 3));
  for (const glm::mat3& axes : {glm::mat3(1), turn, shear, turn * shear, -0.5f * shear}) {
    const glm::mat4 motion = motion_of(axes, {7, 1, -3});
    const Affine entry = frame.pose(motion);
    for (const glm::vec3 local : {glm::vec3(0), glm::vec3(1, 0, 0), glm::vec3(-2, 3, 0)}) {
      const glm::vec3 point = frame.beside(local);
      EXPECT_LT(glm::distance(transform_point(entry, point), moved_point(motion, point)), 3e-5f) << local.x;
    }
  }
}

// A rigid motion and one scale carry all of space; scales along the surface lift by their geometric mean.
TEST(MeshFrames, CarryHeightsByTheMeanScale) {
  const glm::mat3 rest = turn_about({1, 1, 3}, 70);
  const MeshFrame frame(rest);
  const glm::mat3 turn = turn_about({2, 0, 1}, 140);
  for (const float scale : {1.0f, 0.2f, 3.0f}) {
    const glm::mat4 motion = motion_of(scale * turn, {7, 1, -3});
    const glm::vec3 point = frame.beside({0.5f, -1, 2});
    EXPECT_LT(glm::distance(transform_point(frame.pose(motion), point), moved_point(motion, point)), 3e-5f) << scale;
  }
  const glm::mat3 stretch = rest * glm::mat3(glm::scale(glm::mat4(1), glm::vec3(8, 0.5f, 1))) * glm::transpose(rest);
  const Affine entry = frame.pose(motion_of(turn * stretch, glm::vec3(0)));
  EXPECT_LT(glm::distance(transform_vector(entry, rest[2]), 2.0f * (turn * rest[2])), 2e-5f);
}

TEST(MeshFrames, BecomeAPointOrALineWithTheSurface) {
  const glm::mat3 rest = turn_about({1, 1, 3}, 70);
  const MeshFrame frame(rest);
  const glm::vec3 point = frame.beside({0.5f, -1, 2});
  EXPECT_LT(glm::distance(transform_point(frame.pose(motion_of(glm::mat3(0), {7, 1, -3})), point), {7, 1, -3}),
            kNearly);
  const glm::mat3 along = rest * glm::mat3(glm::scale(glm::mat4(1), glm::vec3(1, 0, 1))) * glm::transpose(rest);
  const glm::vec3 on_line = transform_point(frame.pose(motion_of(along, glm::vec3(0))), point);
  EXPECT_LT(glm::distance(on_line, along * frame.beside({0.5f, -1, 0})), 2e-3f);
}

// A joint and its parent that stand turned at bind, and their motions.
struct TwoJoints {
  glm::mat4 parent_bind = motion_of(turn_about({0, 1, 1}, 40), {1, 0, 0});
  glm::mat4 joint_bind = motion_of(turn_about({1, 0, 2}, -70), {4, 1, 0});
  std::array<glm::mat4, 2> joints;  // the joint, its parent
  glm::quat turn;                   // of the joint against its parent

  TwoJoints(const glm::mat4& joint_motion, const glm::mat4& parent_motion, const glm::mat3& turn_between)
      : joints{joint_motion * joint_bind, parent_motion * parent_bind}, turn(glm::quat_cast(turn_between)) {}

  Affine pose(float share) const { return pose(share, share, 1, glm::vec3(0)); }
  Affine pose(float share, float twist, float most, const glm::vec3& axis) const {
    const glm::vec3 at(joint_bind[3]);
    const shared::SegmentRecord record{0,     1,    share, at, inverse_of(joint_bind), inverse_of(parent_bind),
                                       twist, most, axis};
    const shared::PoseWork work{nullptr, joints.data(), nullptr, nullptr, nullptr};
    const Affine entry = shared::pose_segment(record, work);
    const glm::vec3 by_parent(joints[1] * glm::inverse(parent_bind) * joint_bind[3]);
    const glm::vec3 wanted = test::on_screw(turn, by_parent, glm::vec3(joints[0][3]), share);
    EXPECT_LT(glm::distance(transform_point(entry, record.origin), wanted), kNearly)
        << "the joint's origin goes along the screw between where both take it";
    return entry;
  }
};

TEST(Segments, HaveAShareOfTheTurnAndOfTheStretch) {
  const glm::mat3 parent_turn = turn_about({1, 3, 1}, 50);
  const glm::mat3 joint_turn = turn_about({0, -1, 2}, 100);
  const glm::mat3 parent_stretch(glm::vec3(1, 0, 0), glm::vec3(0, 1.5f, 0), glm::vec3(0, 0, 0.7f));
  const glm::mat3 joint_stretch(glm::vec3(2, 0, 0), glm::vec3(0, 1, 0), glm::vec3(0, 0, 1.2f));
  const TwoJoints pair(motion_of(joint_turn * joint_stretch, {3, 1, 2}),
                       motion_of(parent_turn * parent_stretch, {-1, 0, 4}), joint_turn * glm::transpose(parent_turn));
  for (const float share : {0.0f, 0.125f, 0.5f, 0.9f, 1.0f}) {
    const glm::quat from = glm::quat_cast(parent_turn);
    const glm::quat turn = glm::slerp(from, glm::quat_cast(joint_turn), share);
    const glm::mat3 stretch = parent_stretch * (1 - share) + joint_stretch * share;
    EXPECT_LT(difference(affine_axes(pair.pose(share)), glm::mat3_cast(turn) * stretch), kNearly) << share;
  }
}

TEST(Segments, KeepATwistApart) {
  const glm::vec3 axis(0.6f, 0, 0.8f);
  const glm::mat3 parent = turn_about({1, 3, 1}, 50);
  const auto turn = [&](float swing, float twist) {
    return parent * turn_about({-0.8f, 0, 0.6f}, swing) * turn_about(axis, twist);
  };
  const TwoJoints pair(motion_of(turn(40, 150), glm::vec3(0)), motion_of(parent, glm::vec3(0)),
                       turn(40, 150) * glm::transpose(parent));
  for (const auto& [share, twist] : {std::pair(0.0f, 0.5f), {1.0f, 0.5f}, {0.25f, 0.75f}, {0.5f, 0.5f}}) {
    const glm::mat3 apart = affine_axes(pair.pose(share, twist, 100, axis));
    EXPECT_LT(difference(apart, turn(40 * share, 150 * twist)), kNearly) << share;
    // 40 degrees are beyond the swing at which it is no longer kept apart.
    const glm::mat3 together = affine_axes(pair.pose(share, twist, 0.6f, axis));
    EXPECT_LT(difference(together, affine_axes(pair.pose(share))), kNearly) << share;
  }
}

TEST(Segments, DoNotTurnWithAJointThatIsScaledToALine) {
  const glm::mat3 parent_turn = turn_about({1, 3, 1}, 50);
  const glm::mat3 joint_turn = turn_about({0, -1, 2}, 100);
  for (const glm::vec3 scale : {glm::vec3(0), glm::vec3(1, 0, 0), glm::vec3(0, 0, 2)}) {
    const glm::mat3 joint = joint_turn * glm::mat3(glm::scale(glm::mat4(1), scale));
    const TwoJoints pair(motion_of(joint, {3, 1, 2}), motion_of(parent_turn, glm::vec3(0)), glm::mat3(1));
    const glm::mat3 wanted = 0.75f * parent_turn + 0.25f * joint;
    EXPECT_LT(difference(affine_axes(pair.pose(0.25f)), wanted), kNearly) << scale.x;
  }
  // One that is flat has.
  const glm::mat3 flat(glm::scale(glm::mat4(1), glm::vec3(1, 1, 0)));
  const TwoJoints pair(motion_of(joint_turn * flat, {3, 1, 2}), motion_of(parent_turn, glm::vec3(0)),
                       joint_turn * glm::transpose(parent_turn));
  const glm::quat turn = glm::slerp(glm::quat_cast(parent_turn), glm::quat_cast(joint_turn), 0.25f);
  const glm::mat3 wanted = glm::mat3_cast(turn) * (glm::mat3(0.75f) + 0.25f * flat);
  EXPECT_LT(difference(affine_axes(pair.pose(0.25f)), wanted), kNearly);
}

// The axis and the position are relative to the root, which turns, moves and grows; the offset turns with the vertex.
TEST(Follows, MeasureAgainstTheRootAndShiftByTheirOwnAxes) {
  const glm::mat4 root = motion_of(1.5f * turn_about({1, 2, 3}, 80), {4, 5, -6});
  const glm::mat3 axes = turn_about({3, 0, 1}, 33);
  const std::vector<Affine> palette{affine_from_mat4(root), affine_from_axes(axes, {9, 9, 9})};
  const std::vector<float> keys{-1, 1, 0, 0, 0, 0, 0, 0, 2, 0, 4, 0, 3, 0, 4, 6};  // at, offset
  std::vector<std::uint32_t> table;
  for (const float number : keys) table.push_back(std::bit_cast<std::uint32_t>(number));
  const glm::vec3 axis = glm::normalize(glm::vec3(1, -1, 2));
  const glm::vec3 followed_rest(1, 1, 1);
  const shared::FollowRecord record{0, 1, 1, 0, 0, 4, {1, 2, 3}, followed_rest, axis};
  const std::vector<std::pair<float, glm::vec3>> shapes{{-5, {1, 0, 0}},   {-0.5f, {0.5f, 0, 0}}, {0, {0, 0, 0}},
                                                        {1.5f, {0, 3, 0}}, {2.5f, {0, 4, 3}},     {9, {0, 4, 6}}};
  for (const auto& [x, offset] : shapes) {
    const glm::vec3 along = glm::normalize(glm::mat3(root) * axis);
    const glm::vec3 across = glm::cross(along, glm::vec3(0, 0, 1));
    const std::array<glm::vec3, 2> vertices{glm::vec3(7, 0, 1),
                                            glm::vec3(root * glm::vec4(followed_rest, 1)) + x * along + 3.0f * across};
    const shared::PoseWork work{table.data(), nullptr, vertices.data(), nullptr, &palette[0][0].x};
    const glm::vec3 shifted = transform_point(shared::pose_follow(record, work), record.rest);
    EXPECT_LT(glm::distance(shifted, vertices[0] + axes * offset), kNearly) << x;
  }
}

// A limited vertex of a joint whose parent moves too. Both stand unturned at bind, the joint at (4, 0, 0).
class Limits : public testing::Test {
 protected:
  glm::vec3 pose(glm::vec3 posed) const {
    const shared::PoseWork work{nullptr, joints.data(), &posed, nullptr, nullptr};
    return transform_point(shared::pose_limit(record, work), record.rest);
  }

  const glm::mat3 turn = turn_about({1, 1, 3}, 65);
  const glm::mat3 parent_turn = turn_about({0, 1, -1}, 30);
  const glm::vec3 origin{5, 2, 1};  // of the posed joint
  std::array<glm::mat4, 2> joints{motion_of(turn, origin), motion_of(parent_turn, {0, 7, 0})};
  shared::LimitRecord record{.vertex = 0,
                             .kind = shared::kLimitDistance,
                             .joint = 0,
                             .parent = 1,
                             .rest = {4, 0, 2},
                             .origin = {4, 0, 0},
                             .before = {1, 0, 0},
                             .bone = {0, 3, 0},
                             .side = 1,
                             .distance = 0.5f,
                             .joint_inverse_bind = affine_from_axes(glm::mat3(1), {-4, 0, 0}),
                             .parent_inverse_bind = affine_identity()};
};

TEST_F(Limits, KeepTheirDistanceFromTheBoneAndItsEnds) {
  // The vertex in the axes of the joint, and its limited position.
  const std::vector<std::pair<glm::vec3, glm::vec3>> places{
      {{0.1f, 1, 0}, {0.5f, 1, 0}},   {{0, 2, -0.3f}, {0, 2, -0.5f}}, {{0.6f, 1, 0}, {0.6f, 1, 0}},
      {{0, -0.2f, 0}, {0, -0.5f, 0}}, {{0, 3.25f, 0}, {0, 3.5f, 0}},  {{0, -0.7f, 0}, {0, -0.7f, 0}},
      {{0, 3.7f, 0}, {0, 3.7f, 0}},   {{0, 0, 0}, {0, 0, 0.5f}}};
  for (const auto& [from, to] : places) {
    EXPECT_LT(glm::distance(pose(origin + turn * from), origin + turn * to), kNearly) << from.x << ' ' << from.y;
  }
  record.bone = glm::vec3(0);  // a sphere
  EXPECT_LT(glm::distance(pose(origin + glm::vec3(0, 0, 0.1f)), origin + glm::vec3(0, 0, 0.5f)), kNearly);
}

TEST_F(Limits, KeepTheirSideOfTheBisectingPlane) {
  record.kind = shared::kLimitBisector;
  const glm::vec3 before = parent_turn * glm::vec3(1, 0, 0);
  const glm::vec3 bone = turn * glm::vec3(0, 1, 0);
  for (const float side : {1.0f, -1.0f}) {
    record.side = side;
    const glm::vec3 normal = side * glm::normalize(before + bone);
    const glm::vec3 in_plane = glm::normalize(glm::cross(before, bone));
    for (const float above : {-2.0f, 0.2f, 0.6f}) {
      const glm::vec3 wanted = origin + 3.0f * in_plane + std::max(above, 0.5f) * normal;
      EXPECT_LT(glm::distance(pose(origin + 3.0f * in_plane + above * normal), wanted), kNearly) << side << above;
    }
  }
  // At a root no bone arrives: the plane is across its own.
  record.side = 1;
  record.before = glm::vec3(0);
  EXPECT_LT(glm::distance(pose(origin - 2.0f * bone), origin + 0.5f * bone), kNearly);
}

// A tube with every kind of record: sub-segments, vertices that follow and limits.
Character with_every_record() {
  HierarchicalBsplineParameters surface = test::tube_surface();
  surface.levels[0].attach[1].segment = 1;
  surface.levels[0].attach[1].segments = 4;
  surface.levels[0].keys = {{.follow = SurfaceFollow{0, 70, {0, 1, 0}}, .keys = {{.offsets = {{8, {0, 0, 1}}}}}}};
  surface.levels[0].limits = {{SurfaceLimitKind::kDistance, "joint1", 0.3f, {{56, 60}}}};
  return test::bound(test::make_tube(), test::rig_of(surface)).character;
}

// Changes the first record of a kernel.
template <class Record, PoseKernel kernel>
void change(CharacterData& data, void (*by)(Record&, const CharacterData&)) {
  std::vector<std::uint32_t>& records = test::pass_of(data, kernel).records;
  Record record = read_record<Record>(records, 0);
  by(record, data);
  std::memcpy(records.data(), &record, sizeof record);
}

constexpr auto* change_segment = change<shared::SegmentRecord, PoseKernel::kSegment>;
constexpr auto* change_follow = change<shared::FollowRecord, PoseKernel::kFollow>;
constexpr auto* change_limit = change<shared::LimitRecord, PoseKernel::kLimit>;

void change_key(CharacterData& data, std::size_t word, float number) {
  test::pass_of(data, PoseKernel::kFollow).table[word] = std::bit_cast<std::uint32_t>(number);
}

// Returns a palette entry that the pass writes itself.
std::uint32_t own_entry(CharacterData data) { return test::pass_of(data, PoseKernel::kFollow).first_entry; }

constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

const test::Breakage kRecordBreakages[] = {
    {"SegmentJoint", [](auto& d) { change_segment(d, [](auto& r, auto&) { r.joint = 2; }); },
     "joint that does not exist"},
    {"SegmentParent", [](auto& d) { change_segment(d, [](auto& r, auto&) { r.parent = 2; }); },
     "joint that does not exist"},
    {"SegmentShareBelow", [](auto& d) { change_segment(d, [](auto& r, auto&) { r.share = -0.1f; }); }, "0 to 1"},
    {"SegmentShareAbove", [](auto& d) { change_segment(d, [](auto& r, auto&) { r.share = 1.1f; }); }, "0 to 1"},
    {"SegmentTwist", [](auto& d) { change_segment(d, [](auto& r, auto&) { r.twist = 1.1f; }); }, "0 to 1"},
    {"SegmentSwing", [](auto& d) { change_segment(d, [](auto& r, auto&) { r.most = 0; }); }, "no swing"},
    {"SegmentAxis", [](auto& d) { change_segment(d, [](auto& r, auto&) { r.axis.x = kNoNumber; }); }, "not finite"},
    {"SegmentBindsFar",
     [](auto& d) { change_segment(d, [](auto& r, auto&) { r.parent_inverse_bind[1].w = 1.1e12f; }); }, "beyond 1e+12"},
    {"FollowVertex", [](auto& d) { change_follow(d, [](auto& r, auto& c) { r.vertex = c.vertex_count(); }); },
     "no earlier stage moves"},
    {"FollowFollowed", [](auto& d) { change_follow(d, [](auto& r, auto& c) { r.followed = c.vertex_count(); }); },
     "no earlier stage moves"},
    {"FollowEntry", [](auto& d) { change_follow(d, [](auto& r, auto& c) { r.entry = c.palette_size; }); },
     "no earlier stage writes a frame"},
    {"FollowRoot", [](auto& d) { change_follow(d, [](auto& r, auto& c) { r.root = own_entry(c); }); },
     "no earlier stage writes a frame"},
    {"FollowNoKeys", [](auto& d) { change_follow(d, [](auto& r, auto&) { r.key_count = 0; }); }, "has no keys"},
    {"FollowManyKeys", [](auto& d) { change_follow(d, [](auto& r, auto&) { r.key_count = 3; }); }, "table"},
    {"FollowSameKeys", [](auto& d) { change_key(d, 4, 0); }, "do not ascend"},
    {"FollowKey", [](auto& d) { change_key(d, 6, kNoNumber); }, "not finite"},
    {"LimitVertex", [](auto& d) { change_limit(d, [](auto& r, auto& c) { r.vertex = c.vertex_count(); }); },
     "no earlier stage moves"},
    {"LimitJoint", [](auto& d) { change_limit(d, [](auto& r, auto&) { r.joint = 2; }); }, "joint that does not exist"},
    {"LimitParent", [](auto& d) { change_limit(d, [](auto& r, auto&) { r.parent = 2; }); },
     "joint that does not exist"},
    {"LimitKind", [](auto& d) { change_limit(d, [](auto& r, auto&) { r.kind = 3; }); }, "unknown kind"},
    {"LimitOther", [](auto& d) { change_limit(d, [](auto& r, auto& c) { r.kind = 2, r.joint = c.vertex_count(); }); },
     "no earlier stage moves"},
    {"LimitDistance", [](auto& d) { change_limit(d, [](auto& r, auto&) { r.distance = -1; }); }, "distance or side"},
    {"LimitSide", [](auto& d) { change_limit(d, [](auto& r, auto&) { r.side = 0.5f; }); }, "distance or side"},
    {"LimitRest", [](auto& d) { change_limit(d, [](auto& r, auto&) { r.rest.x = kNoNumber; }); }, "not finite"},
    {"LimitBindsFar", [](auto& d) { change_limit(d, [](auto& r, auto&) { r.joint_inverse_bind[0].w = -1.1e12f; }); },
     "beyond 1e+12"},
};

TEST(SurfaceRecords, WithAFaultAreRefused) { test::expect_refused(kRecordBreakages, *with_every_record()); }

// The descriptions of palette entries: which joint with which weight, which vertex.
TEST(SurfaceEntries, SayWhatTheyAreAndWhatTheyRead) {
  const Character character = with_every_record();
  for (const PalettePass& pass : character->passes) {
    for (std::uint32_t i = 0; i < pass.record_count; ++i) {
      const std::uint32_t entry = pass.first_entry + i * entries_per_record(pass.kernel);
      const std::string label = entry_label(*character, entry);
      const std::vector<EntrySource> sources = entry_sources(*character, entry);
      if (pass.kernel == PoseKernel::kSegment) {
        const float share = read_record<shared::SegmentRecord>(pass.records, i).share;
        ASSERT_EQ(sources.size(), share == 1 ? 1u : 2u);
        EXPECT_EQ(sources[0].share, share);
        if (share == 1) {
          EXPECT_THAT(label, testing::StartsWith("joint joint"));
          continue;
        }
        EXPECT_EQ(label, "12.5% of joint joint1");
        EXPECT_EQ(sources[0].index, 1u);
        EXPECT_EQ(sources[1].index, 0u);
        EXPECT_EQ(sources[1].share, 0.875f);
        Evaluator evaluator(character);
        evaluator.evaluate();
        const PosedEntry posed = posed_entry(character, evaluator, test::bind_matrices(test::make_tube()), entry);
        EXPECT_EQ(affine_origin(posed.frame), glm::vec3(4, 0, 0)) << "it stands at the joint";
      } else if (pass.kernel == PoseKernel::kFollow) {
        EXPECT_EQ(label, "surface vertex 8");
        ASSERT_EQ(sources.size(), 1u);
        EXPECT_EQ(sources[0].kind, SourceKind::kVertex);
      }
    }
  }
}

// Frames of each level and of the skin lie on control vertices of the same name.
TEST(SurfaceEntries, HaveLabelsOfTheirOwn) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  test::add_overlays(surface);
  const Character character = test::bound(test::make_tube(), test::rig_of(surface)).character;
  std::set<std::string> labels;
  for (const PalettePass& pass : character->passes) {
    if (pass.kernel != PoseKernel::kTangentFrame) continue;
    for (std::uint32_t i = 0; i < pass.record_count; ++i) {
      const std::string label = entry_label(*character, pass.first_entry + i);
      EXPECT_TRUE(labels.insert(label).second) << label;
    }
  }
  EXPECT_TRUE(labels.contains("surface sample 0 of pass 1"));
  EXPECT_TRUE(labels.contains("surface sample 0 of pass 3"));
}

}  // namespace
}  // namespace pelt::hierarchical_bspline
