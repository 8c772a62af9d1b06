// SPDX-License-Identifier: MIT
// Skins that are learnt from caches of the built-in arm, made by its correctives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <span>

#include <pelt/evaluate.h>
#include <pelt/gltf_export.h>
#include <pelt/import.h>
#include <pelt/learn.h>
#include <pelt/linear_blend.h>
#include <pelt/model_of.h>
#include <pelt/pelt_file.h>
#include <pelt/point_cache.h>
#include <pelt/pose.h>
#include <pelt/rig_names.h>
#include <pelt/tools/file_io.h>
#include <pelt/tools/weld.h>

#include "tests/support/must.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"

namespace pelt {
namespace {

using Json = nlohmann::json;
using test::must;
using test::refused;

constexpr const char* kArm = "builtin:arm";

Binding by(const char* deformer) { return {.deformer = deformer, .check = CheckMode::kNone}; }

// The arm, and a folder with poses and caches of it.
class Learn : public testing::Test {
 protected:
  // Returns the arm by linear blend with correctives of one joint.
  Character with(const KeyPoseSet& keys) const {
    Rig rig = must(rig_from_deformer_name("linear-blend"));
    Corrective corrective{model.meshes[0].name, keys};
    for (std::size_t k = 0; k < keys.poses.size(); ++k) {
      for (std::uint32_t v = 0; v < model.meshes[0].positions.size(); ++v) {
        const glm::vec3 from = model.meshes[0].positions[v] - glm::vec3(0.3f, 0, 0);
        const float bump = 0.02f * std::exp(-glm::dot(from, from) / 0.005f);
        if (bump < 1e-5f) continue;
        corrective.keys.poses[k].offsets.push_back({v, bump * glm::vec3(k == 1, 1, k == 0)});
      }
    }
    rig.correctives = {corrective};
    return must(bind(model, rig)).character;
  }

  // Writes poses, elbow and wrist turned at random, and the vertices of a character in them.
  CachedPoses cache(const std::string& name, const Character& character, std::size_t count, unsigned seed) const {
    return cache(name, character, random_poses(count, seed));
  }

  static Json random_poses(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    const auto degrees = [&](double from, double to) {
      return from + (to - from) * static_cast<double>(random()) / 4294967295.0;
    };
    Json poses = Json::array();
    for (std::size_t p = 0; p < count; ++p) {
      poses.push_back({{"elbow", {0, 0, degrees(0, 140)}}, {"wrist", {degrees(-80, 80), 0, 0}}});
    }
    return poses;
  }

  CachedPoses cache(const std::string& name, const Character& character, const Json& poses) const {
    return cache(name, poses, [&](const Json& pose) { return moved(character, pose); });
  }

  CachedPoses cache(const std::string& name, const Json& poses,
                    const std::function<std::vector<glm::vec3>(const Json&)>& moved_in) const {
    std::ofstream(folder / (name + ".json")) << poses;
    std::ofstream file(folder / (name + ".pc2"), std::ios::binary);
    const Pc2Header header{.points = static_cast<std::int32_t>(moved_in(poses[0]).size()),
                           .samples = static_cast<std::int32_t>(poses.size())};
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    for (const Json& pose : poses) {
      const std::vector<glm::vec3> points = moved_in(pose);
      file.write(reinterpret_cast<const char*>(points.data()),
                 static_cast<std::streamsize>(points.size() * sizeof points[0]));
    }
    return {(folder / (name + ".pc2")).string(), (folder / (name + ".json")).string()};
  }

  std::vector<glm::mat4> joints_in(const Json& pose) const {
    std::vector<Transform> local(model.skeleton.joints.size());
    rest_pose(model.skeleton, local);
    for (const auto& [name, angles] : pose.items()) {
      Transform& joint = local[model.skeleton.find(name).value()];
      for (const int axis : {0, 1, 2}) {
        glm::vec3 about(0);
        about[axis] = 1;
        joint.rotation =
            joint.rotation * glm::angleAxis(glm::radians(angles[static_cast<std::size_t>(axis)].get<float>()), about);
      }
    }
    std::vector<glm::mat4> joints(local.size());
    model_matrices(model.skeleton, local, joints);
    return joints;
  }

  std::vector<glm::vec3> moved(const Character& character, const Json& pose) const {
    Evaluator evaluator(character);
    evaluator.pose(joints_in(pose));
    evaluator.evaluate();
    std::vector<glm::vec3> points(character->vertex_count());
    to_source_order<glm::vec3>(character->meshes[0], evaluator.positions(), points);
    return points;
  }

  Result<LearntModel> learn(std::vector<CachedPoses> from, unsigned threads = 0, double within = 4e-4) const {
    std::vector<double> shown;
    BindOptions options{.threads = threads};
    options.progress = [&](double part, const std::string&) { shown.push_back(part); };
    auto learnt = learn_model(kArm, by("linear-blend"), {.sequences = std::move(from), .within = within}, options);
    EXPECT_TRUE(std::ranges::is_sorted(shown));
    EXPECT_TRUE(!learnt || shown.back() == 1);
    return learnt;
  }

  const Model model = must(import_model(kArm));
  const KeyPoseSet elbow{.angles = {{"elbow", {0, 0, 1}}}, .poses = {{.degrees = {55}}, {.degrees = {120}}}};
  test::TemporaryFolder folder;
};

TEST_F(Learn, FindsPeltsOwnCorrectivesAgain) {
  const Character truth = with(elbow);
  const LearntModel learnt = must(learn({cache("a", truth, 40, 1), cache("b", truth, 40, 2)}, 0, 2e-5));
  const Json certificate = Json::parse(learnt.certificate);
  EXPECT_GT(certificate["base"]["most"], 0.02);
  EXPECT_LT(certificate["fitted"]["most"], 1e-4 * static_cast<double>(truth.size()));
  // From one cache of 40 poses the angles of the keys are found only roughly.
  EXPECT_LT(certificate["held_out"]["most"], 2e-3 * static_cast<double>(truth.size()));
  EXPECT_EQ(certificate["held_out_by"], "sequences");
  // It found the joint by itself, and no other.
  for (const Json& input : certificate["inputs"]) EXPECT_EQ(input["angles"][0]["joint"], "elbow") << input;
  EXPECT_EQ(learnt.model.rig.correctives.size(), certificate["inputs"].size());
  // A pose that nobody has seen.
  const Json pose = {{"elbow", {0, 0, 97}}, {"wrist", {33, 0, 0}}};
  const std::vector<glm::vec3> shall = moved(truth, pose), is = moved(learnt.model.bound.character, pose);
  for (std::size_t v = 0; v < shall.size(); ++v) EXPECT_LT(glm::distance(shall[v], is[v]), 2e-4f * truth.size()) << v;
}

// Radial functions learn shapes that two angles decide together.
TEST_F(Learn, LearnsShapesOfSeveralAngles) {
  KeyPoseSet both{.angles = {{"elbow", {0, 0, 1}}, {"wrist", {1, 0, 0}}}, .interpolation = KeyInterpolation::kRbf};
  both.poses = {{.degrees = {100, 60}}, {.degrees = {100, -60}}};
  const Character truth = with(both);
  const LearntModel learnt = must(learn({cache("a", truth, 80, 3), cache("b", truth, 80, 4)}));
  const Json certificate = Json::parse(learnt.certificate);
  EXPECT_LT(certificate["held_out"]["rms"], 0.25 * certificate["base"]["rms"].get<double>());
  // At a key, rounding leaves the others no weight, so that the blend reads no shapes of theirs.
  Evaluator evaluator(truth);
  evaluator.pose(joints_in({{"elbow", {0, 0, 100}}, {"wrist", {60, 0, 0}}}));
  evaluator.evaluate();
  const Affine& weights = evaluator.palette()[truth->meshes[0].morphs->first_entry];
  EXPECT_NEAR(weights[0].y, 1, 1e-5f);
  EXPECT_EQ(weights[0].z, 0);
}

// Linear blend of other points than the skin's own, as smoothing makes it, is learnt by weights, without shapes.
TEST_F(Learn, FitsWeightsThatFollowJointsFromOtherPoints) {
  const Mesh& mesh = model.meshes[0];
  const auto follow = [&](const Json& pose) {
    const std::vector<glm::mat4> joints = joints_in(pose);
    std::vector<glm::vec3> points;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      glm::mat4 sum(0);
      glm::vec3 apart(0);  // the two strongest joints move points 2 cm apart
      for (const Influence& influence : mesh.weights.row(v)) {
        const BoundJoint& bound = model.bound_joints[influence.index];
        const glm::mat4 moved = joints[bound.joint] * bound.inverse_bind;
        sum += influence.weight * moved;
        const float sign = influence == mesh.weights.row(v)[0] ? 1.0f : -1.0f;
        const float share = mesh.weights.row(v).size() == 2 ? mesh.weights.row(v)[1].weight : 0.0f;
        apart += sign * share * glm::mat3(moved) * glm::vec3(0, 0.02f, 0);
      }
      points.push_back(glm::vec3(sum * glm::vec4(mesh.positions[v], 1)) + apart);
    }
    return points;
  };
  const std::vector<CachedPoses> from = {cache("a", random_poses(40, 10), follow),
                                         cache("b", random_poses(40, 11), follow)};
  const LearntModel learnt = must(learn(from, 0, 2e-4));
  const Json certificate = Json::parse(learnt.certificate);
  EXPECT_GT(certificate["weights"], 20);
  EXPECT_GT(certificate["base"]["most"], 5e-3);
  EXPECT_LT(certificate["held_out"]["most"], 0.15 * certificate["base"]["most"].get<double>());
  EXPECT_LT(certificate["bytes"], 1.4 * certificate["base_bytes"].get<double>());
  // The skin rests as it did.
  const std::vector<glm::vec3> rest = moved(learnt.model.bound.character, Json::object());
  for (std::size_t v = 0; v < rest.size(); ++v) EXPECT_LT(glm::distance(rest[v], mesh.positions[v]), 1e-4f) << v;
  // Its model keeps the copies of joints; glTF allows none.
  const Model taken = must(model_of(learnt.model.bound.character));
  const Character again = must(bind(taken, learnt.model.rig)).character;
  const Json bent = {{"elbow", {0, 0, 97}}};
  const std::vector<glm::vec3> shall = moved(learnt.model.bound.character, bent), is = moved(again, bent);
  for (std::size_t v = 0; v < rest.size(); ++v) EXPECT_LT(glm::distance(shall[v], is[v]), 1e-5f) << v;
  EXPECT_TRUE(refused(format_glb(taken), ErrorCode::kUnsupported, "by two inverse bind matrices"));
  // The budget limits weights, too; only the certificate comes on top.
  const LearnOptions few{.sequences = from, .within = 2e-4, .budget = 2000};
  const Json limited = Json::parse(must(learn_model(kArm, by("linear-blend"), few)).certificate);
  EXPECT_GT(limited["weights"], 0);
  EXPECT_LT(limited["weights"], certificate["weights"]);
  EXPECT_LT(limited["bytes"], limited["base_bytes"].get<double>() + 2000 + 3500);
  // A rig has no weights, so that its shapes must do without.
  LearnOptions shapes{.sequences = from, .within = 2e-4, .weights = false};
  const Json without = Json::parse(must(learn_model(kArm, by("linear-blend"), shapes)).certificate);
  EXPECT_EQ(without["weights"], 0);
  EXPECT_GT(without["held_out"]["rms"], 2 * certificate["held_out"]["rms"].get<double>());
}

// Two meshes share a border, and the budget does not allow all of the bulge over it.
TEST_F(Learn, KeepsSeamsBetweenMeshesClosed) {
  const Mesh& whole = model.meshes[0];
  Model parted = model;
  parted.meshes.clear();
  for (const bool outer : {false, true}) {
    Mesh& part = parted.meshes.emplace_back(Mesh{.name = outer ? "outer" : "inner"});
    std::map<std::uint32_t, std::uint32_t> kept;
    for (glm::uvec3 t : whole.triangles) {
      if ((whole.positions[t.x].x > 0.31f) != outer) continue;
      for (const int c : {0, 1, 2}) {
        const auto [at, is_new] = kept.try_emplace(t[c], kept.size());
        if (is_new) part.positions.push_back(whole.positions[t[c]]), part.weights.append_row(whole.weights.row(t[c]));
        t[c] = at->second;
      }
      part.triangles.push_back(t);
    }
  }
  const std::string file = folder.write("parted.glb", must(format_glb(parted))).string();
  parted = must(import_model(file));
  const auto joints_of = [&](const Json& pose) {
    const std::vector<glm::mat4> of_arm = joints_in(pose);
    std::vector<glm::mat4> joints;
    for (const Joint& joint : parted.skeleton.joints) {
      const auto known = model.skeleton.find(joint.name);
      joints.push_back(known ? of_arm[*known] : glm::mat4(1));
    }
    return joints;
  };
  std::vector<glm::vec3> rest;
  for (const Mesh& mesh : parted.meshes) rest.insert(rest.end(), mesh.positions.begin(), mesh.positions.end());
  const std::vector<std::uint32_t> twin = weld_by_position(rest);
  const auto follow = [&](const Json& pose) {
    const std::vector<glm::mat4> joints = joints_of(pose);
    const float turned = pose["elbow"][2].get<float>() / 140;
    std::vector<glm::vec3> points;
    for (const Mesh& mesh : parted.meshes) {
      for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
        glm::mat4 sum(0);
        for (const Influence& influence : mesh.weights.row(v)) {
          const BoundJoint& bound = parted.bound_joints[influence.index];
          sum += influence.weight * joints[bound.joint] * bound.inverse_bind;
        }
        const glm::vec3 from = mesh.positions[v] - glm::vec3(0.31f, 0, 0);
        const float bump = 0.03f * turned * turned * std::exp(-glm::dot(from, from) / 0.001f);
        points.emplace_back(sum * glm::vec4(mesh.positions[v] + glm::vec3(0, bump, 0), 1));
      }
    }
    return points;
  };
  const std::vector<CachedPoses> from = {cache("a", random_poses(24, 12), follow),
                                         cache("b", random_poses(24, 13), follow)};
  for (const bool weights : {false, true}) {
    const LearnOptions options{.sequences = from, .within = 4e-4, .budget = 70000, .weights = weights};
    const LearntModel learnt = must(learn_model(file, by("linear-blend"), options));
    const Json certificate = Json::parse(learnt.certificate);
    EXPECT_LT(certificate["fitted"]["rms"], 0.5 * certificate["base"]["rms"].get<double>());
    const Character& character = learnt.model.bound.character;
    Evaluator evaluator(character);
    evaluator.pose(joints_of({{"elbow", {0, 0, 125}}, {"wrist", {40, 0, 0}}}));
    evaluator.evaluate();
    std::vector<glm::vec3> points(rest.size());
    std::span<glm::vec3> left = points;
    for (const CharacterMesh& mesh : character->meshes) {
      to_source_order<glm::vec3>(mesh, evaluator.positions(), left.first(mesh.vertex_count()));
      left = left.subspan(mesh.vertex_count());
    }
    float gap = 0;
    for (std::size_t v = 0; v < points.size(); ++v) gap = std::max(gap, glm::distance(points[v], points[twin[v]]));
    EXPECT_LT(gap, 2e-5f) << weights;
  }
  EXPECT_FALSE(std::ranges::is_sorted(twin));  // some vertices share a position
}

TEST_F(Learn, MakesTheSameBytesOnAnyNumberOfThreads) {
  const std::vector<CachedPoses> from = {cache("a", with(elbow), 16, 5)};
  const std::vector<std::byte> one = serialize(must(learn(from, 1)).model.bound.character);
  EXPECT_EQ(one, serialize(must(learn(from, 3)).model.bound.character));
  // The certificate is in the file.
  const Character read = must(deserialize(one, "learnt"));
  EXPECT_EQ(Json::parse(read->certificate.text)["held_out_by"], "frames");
  EXPECT_EQ(read->certificate.errors.size(), (read->vertex_count() + 3) / 4);
}

TEST_F(Learn, KeepsToABudget) {
  LearnOptions options{.sequences = {cache("a", with(elbow), 24, 6)}};
  const auto certificate = [&] {
    return Json::parse(must(learn_model(kArm, by("linear-blend"), options)).certificate);
  };
  const auto taken = [](const Json& c) {
    return c["bytes"].get<std::uint64_t>() - c["base_bytes"].get<std::uint64_t>();
  };
  const Json free = certificate();
  options.budget = taken(free) / 2;
  const Json bound = certificate();
  EXPECT_LE(taken(bound), options.budget);
  EXPECT_GT(bound["fitted"]["rms"], free["fitted"]["rms"]);
}

// The vertices swing, and the joints do not tell how far.
TEST_F(Learn, TellsWhatTheJointsDoNotExplain) {
  const Character plain = must(bind(model, must(rig_from_deformer_name("linear-blend")))).character;
  const Json pose = {{"elbow", {0, 0, 60}}, {"wrist", {0, 0, 0}}}, rest = {{"elbow", {0, 0, 0}}, {"wrist", {0, 0, 0}}};
  CachedPoses swinging = cache("swinging", plain, Json::array({rest, pose, rest, pose, rest, pose}));
  std::fstream file(swinging.cache, std::ios::binary | std::ios::in | std::ios::out);
  std::vector<glm::vec3> points = moved(plain, pose);
  for (glm::vec3& point : points) point.y += 0.01f;
  file.seekp(static_cast<std::streamoff>(sizeof(Pc2Header) + 3 * points.size() * sizeof points[0]));
  file.write(reinterpret_cast<const char*>(points.data()),
             static_cast<std::streamsize>(points.size() * sizeof points[0]));
  file.close();
  const Json certificate = Json::parse(must(learn({swinging})).certificate);
  ASSERT_FALSE(certificate["contradictions"].empty());
  EXPECT_NEAR(certificate["contradictions"][0]["distance"].get<double>(), 0.01, 2e-3);  // at rest
}

TEST_F(Learn, RefusesCachesThatDoNotFit) {
  const Character truth = with(elbow);
  const CachedPoses good = cache("good", truth, 8, 8);
  const auto file = [&](const char* name) { return (folder / name).string(); };
  EXPECT_TRUE(refused(learn({}), "no cache"));
  EXPECT_TRUE(refused(learn({{file("missing.pc2"), "flex"}}), ErrorCode::kNotFound, "missing.pc2"));
  EXPECT_TRUE(refused(learn({{good.cache, "jump"}}), ErrorCode::kNotFound, "there is no clip 'jump'"));
  EXPECT_TRUE(refused(learn({cache("one", truth, 1, 9)}), "too few poses to learn from: 1"));
  const Json rest = {{"elbow", {0, 0, 0}}};
  EXPECT_TRUE(
      refused(learn({cache("still", truth, Json::array({rest, rest, rest, rest}))}), "no joint that moves skin turns"));
  EXPECT_TRUE(refused(learn({{good.cache, cache("more", truth, 9, 8).poses}}), "has 8 samples, but"));
  const auto with_poses = [&](const char* text) {
    std::ofstream(folder / "bad.json") << text;
    return learn({{good.cache, file("bad.json")}});
  };
  EXPECT_TRUE(refused(with_poses("{}"), ErrorCode::kInvalidFile, "no JSON list"));
  EXPECT_TRUE(refused(with_poses("[1]"), "bad.json: pose 0: is no object"));
  EXPECT_TRUE(refused(with_poses(R"([{"elbov": [0, 0, 0]}])"), ErrorCode::kNotFound, "elbow"));
  EXPECT_TRUE(refused(with_poses(R"([{"elbow": [0, 0]}])"), "joint 'elbow' needs three angles"));
  EXPECT_TRUE(refused(with_poses(R"([{"elbow": [0, 0, 0, 0]}])"), "the quaternion of joint 'elbow' is 0"));

  // A cache of other poses, of another order, of another mesh, and one that is not finite.
  EXPECT_TRUE(
      refused(learn_model("builtin:limb", by("linear-blend"), {.sequences = {good}}), "the model's skins have 4546"));
  const auto changed = [&](const auto& change) {
    const std::vector<std::byte> bytes = must(read_file(good.cache));
    std::vector<glm::vec3> points((bytes.size() - sizeof(Pc2Header)) / sizeof(glm::vec3));
    std::memcpy(points.data(), bytes.data() + sizeof(Pc2Header), bytes.size() - sizeof(Pc2Header));
    change(points);
    std::ofstream out(folder / "changed.pc2", std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), sizeof(Pc2Header));
    out.write(reinterpret_cast<const char*>(points.data()),
              static_cast<std::streamsize>(points.size() * sizeof points[0]));
    out.close();
    return learn({{file("changed.pc2"), good.poses}});
  };
  const auto count = static_cast<std::ptrdiff_t>(truth->vertex_count());
  EXPECT_TRUE(refused(changed([&](auto& points) {
                        for (auto at = points.begin(); at != points.end(); at += count)
                          std::shuffle(at, at + count, std::mt19937(1));
                      }),
                      "another order of vertices"));
  EXPECT_TRUE(refused(changed([&](auto& points) {
                        for (glm::vec3& p : points) p += glm::vec3(5, 0, 0);
                      }),
                      "it shows other poses"));
  EXPECT_TRUE(refused(changed([](auto& points) { points[7].y = NAN; }), "changed.pc2"));
  // A clip that moves the skin without end.
  for (const ChannelPath path : {ChannelPath::kTranslation, ChannelPath::kScale}) {
    Model hostile = model;
    for (std::uint32_t j = 0; j < hostile.skeleton.joints.size(); ++j)
      hostile.clips[0].channels.push_back({.joint = j, .path = path, .times = {0}, .values = {9e11f, 9e11f, 9e11f}});
    const std::string name = folder.write("hostile.glb", must(format_glb(hostile))).string();
    const LearnOptions shown{.sequences = {{good.cache, hostile.clips[0].name}}};
    EXPECT_TRUE(refused(learn_model(name, by("linear-blend"), shown), "flex: at frame 0 joint"));
  }
  EXPECT_TRUE(refused(learn_model(kArm, by("linear-blend"), {.sequences = {good}}, {.stop = [] { return true; }}),
                      ErrorCode::kStopped, "stopped"));
}

}  // namespace
}  // namespace pelt
