// SPDX-License-Identifier: MIT
// Invariants of every deformer (docs/mathematics.md section 0), in every configuration of
// tests/support/deformer_list.h.
#include <algorithm>
#include <cmath>
#include <functional>
#include <glm/gtc/matrix_transform.hpp>
#include <map>
#include <span>
#include <utility>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/evaluate.h>
#include <pelt/finite.h>
#include <pelt/pelt_file.h>
#include <pelt/pose.h>
#include <pelt/rig.h>
#include <pelt/tools/mesh_parts.h>

#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/stretched.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using test::rigid_motion;

// Rounding of an evaluation in floats: some 30 roundings of 6e-8 each, relative to the size of the tubes.
constexpr float kTolerance = 8 * 2e-6f;

class Properties : public testing::TestWithParam<test::Deformer> {
 protected:
  // Binds mesh 0 of the model with a coarser tube round it as "cage".
  static Character bound(Model model) {
    Mesh cage = test::make_tube_mesh({.around = 8, .along = 24, .radius = 1.1f, .joints = joint_count(model)});
    const test::Subject subject = test::make_subject(GetParam(), std::move(model), std::move(cage));
    return test::bound(subject.model, subject.rig).character;
  }

  static std::uint32_t joint_count(const Model& model) {
    return static_cast<std::uint32_t>(model.skeleton.joints.size());
  }

  // Its tangents go round it.
  static Model tube() {
    Model model = test::make_tube({.around = 12, .along = 33, .joints = 4});
    Mesh& mesh = model.meshes[0];
    for (const glm::vec3 normal : mesh.normals) {
      mesh.tangents.emplace_back(glm::normalize(glm::cross(normal, glm::vec3(1, 0.2f, 0))), -1.0f);
    }
    return model;
  }
};

struct Posed {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
  std::vector<glm::vec4> tangents;
};

// `streamed`: the motion of streamed drivers.
Posed evaluated(const Character& character, const std::vector<glm::mat4>& joints,
                const glm::mat4& streamed = glm::mat4(1)) {
  Evaluator evaluator(character, {.control_meshes = true});
  for (std::size_t s = 0; s < character->streams.size(); ++s) {
    const std::string& name = character->meshes[character->streams[s].mesh].name;
    evaluator.stream(s, test::moved_points(character, name, test::by_matrix(streamed)));
  }
  evaluator.pose(joints);
  evaluator.evaluate();
  return {{evaluator.positions().begin(), evaluator.positions().end()},
          {evaluator.normals().begin(), evaluator.normals().end()},
          {evaluator.tangents().begin(), evaluator.tangents().end()}};
}

// Bends and twists every joint against its parent.
std::vector<glm::mat4> bent(const Model& model, float degrees) {
  Skeleton skeleton = model.skeleton;
  for (std::size_t j = 1; j < skeleton.joints.size(); ++j) {
    skeleton.joints[j].rest.rotation =
        glm::angleAxis(glm::radians(degrees), glm::normalize(glm::vec3(0.4f, static_cast<float>(j % 2), 0.7f)));
  }
  Model posed = model;
  posed.skeleton = skeleton;
  return test::bind_matrices(posed);
}

std::vector<glm::mat4> moved(const glm::mat4& motion, std::vector<glm::mat4> joints) {
  for (glm::mat4& joint : joints) joint = motion * joint;
  return joints;
}

// Returns the greatest distance of a vertex from its rest position moved by `motion`.
float worst_distance(const Character& character, std::span<const glm::vec3> positions, const glm::mat4& motion) {
  float worst = 0;
  for (const CharacterMesh& mesh : character->meshes) {
    for (std::uint32_t i = 0; i < mesh.vertex_count(); ++i) {
      const auto expected = glm::vec3(motion * glm::vec4(mesh.binding.points[i], 1));
      const float distance = glm::distance(positions[mesh.first_vertex + i], expected);
      if (!(distance <= worst)) worst = distance;
    }
  }
  return worst;
}

TEST_P(Properties, BindPoseReturnsTheRestShape) {
  if (!GetParam().rests) return;
  const Model model = tube();
  const Character character = bound(model);
  const Posed posed = evaluated(character, test::bind_matrices(model));
  EXPECT_LT(worst_distance(character, posed.positions, glm::mat4(1)), kTolerance);
  float least_cosine = 1;
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.name != "tube") continue;
    for (std::uint32_t i = 0; i < mesh.vertex_count(); ++i) {
      const glm::vec3 rest = model.meshes[0].normals[mesh.source_vertex[i]];
      least_cosine = std::min(least_cosine, glm::dot(posed.normals[mesh.first_vertex + i], rest));
      least_cosine = std::min(least_cosine, glm::dot(posed.tangents[mesh.first_vertex + i],
                                                     model.meshes[0].tangents[mesh.source_vertex[i]]) -
                                                1);  // of w
    }
  }
  EXPECT_GT(least_cosine, 0.999999f);
}

TEST_P(Properties, RigidMotionOfAllJointsMovesTheSkinRigidly) {
  const Model model = tube();
  const Character character = bound(model);
  const std::vector<glm::mat4> pose = bent(model, 50);
  const Posed before = evaluated(character, pose);
  const Posed after = evaluated(character, moved(rigid_motion(), pose), rigid_motion());
  float worst = 0;
  float least_cosine = 1;
  for (const CharacterMesh& mesh : character->meshes) {
    for (std::size_t v = mesh.first_vertex; v < mesh.first_vertex + mesh.vertex_count(); ++v) {
      const auto expected = glm::vec3(rigid_motion() * glm::vec4(before.positions[v], 1));
      worst = std::max(worst, glm::distance(after.positions[v], expected));
      if (mesh.control) continue;  // a streamed driver has no frames to turn its normals
      const auto normal = glm::vec3(rigid_motion() * glm::vec4(before.normals[v], 0));
      least_cosine = std::min(least_cosine, glm::dot(after.normals[v], normal));
      const glm::vec3 tangent = glm::mat3(rigid_motion()) * glm::vec3(before.tangents[v]);
      least_cosine = std::min(least_cosine, glm::dot(glm::vec3(after.tangents[v]), tangent));
    }
  }
  EXPECT_LT(worst, 5 * kTolerance);
  EXPECT_GT(least_cosine, 0.9999f);
}

TEST_P(Properties, TensionIsThatOfThePosedTriangles) {
  const Model model = tube();
  const Character character = bound(model);
  Evaluator evaluator(character, {.tension = true});
  evaluator.pose(bent(model, 50));
  evaluator.evaluate();
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.control) continue;
    test::expect_tension_of_triangles(mesh, evaluator.positions().subspan(mesh.first_vertex, mesh.vertex_count()),
                                      evaluator.tension().subspan(mesh.first_vertex, mesh.vertex_count()));
  }
}

TEST_P(Properties, AffineMotionOfAllJointsMovesTheSkinByIt) {
  if (GetParam().follows != test::Follows::kAffine) return;
  const Model model = tube();
  const Character character = bound(model);
  glm::mat4 affine = glm::scale(rigid_motion(), glm::vec3(1.5f, 0.6f, 1.1f));
  affine[1] += 0.3f * affine[0];
  const Posed posed = evaluated(character, moved(affine, test::bind_matrices(model)), affine);
  EXPECT_LT(worst_distance(character, posed.positions, affine), 5 * kTolerance);
}

// The surface turns its back to its own side, but light still falls from outside.
TEST_P(Properties, AMirrorOfAllJointsKeepsNormalsOutside) {
  if (GetParam().follows != test::Follows::kAffine) return;
  const Model model = tube();
  const Character character = bound(model);
  for (const glm::vec3 scale : {glm::vec3(-1), glm::vec3(1, -1, 1)}) {
    const glm::mat4 mirror = glm::scale(rigid_motion(), scale);
    const Posed before = evaluated(character, test::bind_matrices(model));
    const Posed after = evaluated(character, moved(mirror, test::bind_matrices(model)), mirror);
    for (const CharacterMesh& mesh : character->meshes) {
      for (std::size_t v = mesh.first_vertex; !mesh.control && v < mesh.first_vertex + mesh.vertex_count(); ++v) {
        ASSERT_GT(glm::dot(after.normals[v], glm::mat3(mirror) * before.normals[v]), 0.999f) << v;
        ASSERT_EQ(after.tangents[v].w, -before.tangents[v].w) << v;
      }
    }
  }
}

TEST_P(Properties, SimilarityOfAllJointsMovesTheSkinByIt) {
  if (GetParam().follows == test::Follows::kRigid) return;
  const Model model = tube();
  const Character character = bound(model);
  const std::vector<glm::mat4> pose = bent(model, 50);
  const glm::mat4 motion = glm::scale(rigid_motion(), glm::vec3(1.8f));
  const Posed before = evaluated(character, pose);
  const Posed after = evaluated(character, moved(motion, pose), motion);
  float worst = 0;
  for (std::size_t v = 0; v < before.positions.size(); ++v) {
    const auto expected = glm::vec3(motion * glm::vec4(before.positions[v], 1));
    worst = std::max(worst, glm::distance(after.positions[v], expected));
  }
  EXPECT_LT(worst, 10 * kTolerance);
}

TEST_P(Properties, WeightsSumToOne) {
  const Character character = bound(tube());
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.mode == BlendMode::kWires) {
      EXPECT_TRUE(validate(mesh.binding, 0x10000, Groups::kSeveral, mesh.name));
    } else if (mesh.mode == BlendMode::kOffsets) {
      EXPECT_TRUE(validate(mesh.binding, 0x10000, Groups::kWithPoints, mesh.name));
    } else {
      EXPECT_TRUE(validate(unpack_rows(mesh.binding), 0x10000, mesh.name));
    }
  }
}

TEST_P(Properties, FarControlsChangeNothing) {
  if (!GetParam().is_local) return;
  const Model model = test::make_tube({.around = 12, .along = 64, .length = 32, .joints = 4});
  const test::Subject subject = test::make_subject(
      GetParam(), model, test::make_tube_mesh({.around = 8, .along = 64, .radius = 1.1f, .length = 32, .joints = 4}));
  const Character character = test::bound(subject.model, subject.rig).character;
  std::vector<glm::mat4> joints = test::bind_matrices(model);
  const Posed before = evaluated(character, joints);
  joints[3] = joints[3] * glm::rotate(glm::mat4(1), 1.0f, glm::vec3(0, 0, 1));
  const Posed after = evaluated(character, joints);
  bool moved_any = false;
  for (const CharacterMesh& mesh : character->meshes) {
    for (std::uint32_t i = 0; i < mesh.vertex_count(); ++i) {
      const std::size_t v = mesh.first_vertex + i;
      if (mesh.binding.points[i].x < 16) {
        EXPECT_EQ(before.positions[v], after.positions[v]);
      } else {
        moved_any |= before.positions[v] != after.positions[v];
      }
    }
  }
  EXPECT_TRUE(moved_any);
}

// As a clip shrinks a turned joint to nothing on some axes, or through it to the other side, the skin goes to its
// limit: in proportion to the size, or to its root: heights over a surface go with the root of its area.
TEST_P(Properties, JointsShrinkToNothingWithoutAJump) {
  const Model model = tube();
  const Character character = bound(model);
  const auto posed = [&](glm::vec3 axes, float size) {
    std::vector<Transform> local(model.skeleton.joints.size());
    rest_pose(model.skeleton, local);
    local[1].rotation = glm::angleAxis(0.7f, glm::normalize(glm::vec3(1, 0.4f, 2))) * local[1].rotation;
    local[1].scale = glm::mix(glm::vec3(1), glm::vec3(size), axes);
    std::vector<glm::mat4> joints(local.size());
    model_matrices(model.skeleton, local, joints);
    return evaluated(character, joints);
  };
  for (const glm::vec3 axes : {glm::vec3(1), glm::vec3(1, 0, 0), glm::vec3(0, 1, 0), glm::vec3(0, 0, 1),
                               glm::vec3(1, 1, 0), glm::vec3(0, 1, 1)}) {
    const Posed limit = posed(axes, 0);
    for (const float size : {1e-5f, -1e-5f}) {
      if (size < 0 && axes.x + axes.y + axes.z == 2) continue;  // half a turn, not a mirror
      const Posed near = posed(axes, size);
      float worst = 0;
      for (std::size_t v = 0; v < near.positions.size(); ++v) {
        worst = std::max(worst, glm::distance(near.positions[v], limit.positions[v]));
      }
      EXPECT_LT(worst, std::sqrt(std::abs(size))) << axes.x << axes.y << axes.z << " " << size;
    }
  }
}

TEST_P(Properties, ResultsAreFinite) {
  const Model model = tube();
  const Character character = bound(model);
  const std::vector<glm::mat4> rest = test::bind_matrices(model);
  std::vector<std::pair<std::vector<glm::mat4>, glm::mat4>> poses;  // of the joints, and of streamed drivers
  for (const float degrees : {90.0f, 179.99f, 180.0f}) poses.emplace_back(bent(model, degrees), glm::mat4(1));
  for (const glm::mat4& motion :
       {glm::scale(glm::mat4(1), glm::vec3(0)), glm::scale(glm::mat4(1), glm::vec3(1, 0, 1)),
        glm::scale(glm::mat4(1), glm::vec3(1, 0, 0)), glm::scale(glm::mat4(1), glm::vec3(-1, 1, 1)),
        glm::scale(glm::mat4(1), glm::vec3(1e-12f)), glm::translate(glm::mat4(1), glm::vec3(1e7f)),
        glm::scale(glm::mat4(1), glm::vec3(1e11f)), glm::translate(glm::mat4(1), glm::vec3(kMaxCoordinate))}) {
    poses.emplace_back(moved(motion, rest), motion);
  }
  poses.emplace_back(rest, glm::mat4(1));
  poses.back().first[2] = glm::scale(rest[2], glm::vec3(-1, -1, 0));
  poses.emplace_back(std::vector(rest.size(), glm::mat4(1)), glm::mat4(1));  // all joints coincide
  for (std::size_t p = 0; p < poses.size(); ++p) {
    SCOPED_TRACE(p);
    const Posed posed = evaluated(character, poses[p].first, poses[p].second);
    for (std::size_t v = 0; v < posed.positions.size(); ++v) {
      ASSERT_TRUE(is_finite(posed.positions[v])) << v;
      ASSERT_NEAR(glm::length(posed.normals[v]), 1, 1e-3) << v;
      ASSERT_NEAR(glm::length(glm::vec3(posed.tangents[v])), 1, 1e-3) << v;
      ASSERT_LT(std::abs(glm::dot(posed.normals[v], glm::vec3(posed.tangents[v]))), 1e-3) << v;
    }
  }
}

TEST_P(Properties, AnyVertexCount) {
  if (!GetParam().rests) return;
  for (const std::size_t count : {0, 1, 63, 64, 65, 1234}) {
    SCOPED_TRACE(count);
    const Model model = test::make_cloud(count);
    const Character character = bound(model);
    const Posed posed = evaluated(character, moved(rigid_motion(), test::bind_matrices(model)), rigid_motion());
    const auto skin = std::find_if(character->meshes.begin(), character->meshes.end(),
                                   [](const CharacterMesh& mesh) { return mesh.name == "cloud"; });
    ASSERT_EQ(skin->vertex_count(), count);
    EXPECT_LT(worst_distance(character, posed.positions, rigid_motion()), 5 * kTolerance);
  }
}

TEST_P(Properties, BindsGiveTheSameBytesOnAnyNumberOfThreads) {
  const Model model = test::make_tube({.around = 24, .along = 129, .joints = 4});
  const test::Subject subject = test::make_subject(
      GetParam(), model, test::make_tube_mesh({.around = 8, .along = 48, .radius = 1.1f, .joints = 4}));
  const std::vector<std::byte> one = serialize(test::must(bind(subject.model, subject.rig, {.threads = 1})).character);
  for (const unsigned threads : {2u, 5u})
    EXPECT_TRUE(serialize(test::must(bind(subject.model, subject.rig, {.threads = threads})).character) == one);
}

// Weights are made, a dense skin is thinned before a driver is made of it, elbows fold, and the result is checked.
TEST(BuiltInModels, AreBoundToTheSameBytesAndFiguresOnAnyNumberOfThreads) {
  for (const Model& model : {make_arm(), make_limb({.around = 128, .along = 256})}) {
    Rig rig = *rig_from_deformer_name("surface_ffd");
    rig.paint = PaintMode::kAlways;
    const auto bound_on = [&](unsigned threads) {
      const Bound bound = test::must(bind(model, rig, {.threads = threads}));
      std::vector<double> figures{bound.report.check->remaining, bound.report.check->fallback};
      for (const DefectLocation& place : bound.report.check->shapes) figures.push_back(place.defect.value);
      return std::pair(serialize(bound.character), figures);
    };
    const auto one = bound_on(1);
    for (const unsigned threads : {3u, 0u}) EXPECT_TRUE(bound_on(threads) == one) << model.name << threads;
  }
}

// Returns the triangles of a mesh whose centres `keeps` accepts, with only their vertices.
Mesh part_of(const Mesh& mesh, const std::function<bool(glm::vec3)>& keeps) {
  Mesh part{.name = mesh.name};
  std::map<std::uint32_t, std::uint32_t> number;
  for (const glm::uvec3& triangle : mesh.triangles) {
    if (!keeps((mesh.positions[triangle.x] + mesh.positions[triangle.y] + mesh.positions[triangle.z]) / 3.0f)) continue;
    glm::uvec3& corners = part.triangles.emplace_back();
    for (int c = 0; c < 3; ++c) {
      const auto [known, is_new] = number.try_emplace(triangle[c], static_cast<std::uint32_t>(part.positions.size()));
      corners[c] = known->second;
      if (!is_new) continue;
      part.positions.push_back(mesh.positions[triangle[c]]);
      part.normals.push_back(mesh.normals[triangle[c]]);
      part.weights.append_row(mesh.weights.row(triangle[c]));
    }
  }
  part.parts = {{.triangle_count = static_cast<std::uint32_t>(part.triangles.size())}};
  return part;
}

// Two meshes meet at a bending joint; their vertices there differ by rounding. Every triangle has its own corners,
// every second one is flat.
TEST(Seams, InMeshesAndBetweenThemStayClosed) {
  Model model = test::make_tube({.around = 16, .along = 40, .joints = 3});
  const Mesh whole = model.meshes[0];
  const auto is_upper = [](glm::vec3 middle) { return middle.x < 2.3f; };
  model.meshes = {test::split(part_of(whole, is_upper)), test::split(part_of(whole, std::not_fn(is_upper)))};
  model.meshes[1].name = "lower";
  for (glm::vec3& position : model.meshes[1].positions) position.y += 1e-7f;
  std::vector<glm::vec3> rest;
  for (Mesh& mesh : model.meshes) {
    for (std::size_t v = 0; v < mesh.positions.size(); v += 6) {
      const glm::vec3* corner = &mesh.positions[v];
      std::fill_n(&mesh.normals[v], 3, glm::normalize(glm::cross(corner[1] - corner[0], corner[2] - corner[0])));
    }
    rest.insert(rest.end(), mesh.positions.begin(), mesh.positions.end());
  }
  const std::vector<std::uint32_t> twin = weld_within(rest, 1e-5f);
  for (const std::string_view deformer : deformer_names()) {
    SCOPED_TRACE(deformer);
    const Character character = test::bound_with(model, std::string(deformer)).character;
    std::vector<glm::vec3> posed = test::posed(character, bent(model, 70), "tube");
    const std::size_t upper = posed.size();
    for (const glm::vec3 position : test::posed(character, bent(model, 70), "lower")) posed.push_back(position);
    std::size_t met = 0;
    for (std::size_t v = 0; v < posed.size(); ++v) {
      met += (twin[v] < upper) != (v < upper);
      ASSERT_LE(glm::distance(posed[v], posed[twin[v]]), rest[v] == rest[twin[v]] ? 0 : 4e-6f) << v;
    }
    EXPECT_GE(met, 16u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Properties, testing::ValuesIn(test::deformers()),
                         [](const testing::TestParamInfo<test::Deformer>& deformer) { return deformer.param.name; });

}  // namespace
}  // namespace pelt
