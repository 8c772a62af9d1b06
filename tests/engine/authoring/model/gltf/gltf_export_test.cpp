// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <span>

#include <pelt/builtin.h>
#include <pelt/gltf_export.h>
#include <pelt/import.h>
#include <pelt/pose.h>

#include "tests/engine/authoring/model/gltf/imported.h"
#include "tests/support/clip_joints.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

Model back(const Model& model) {
  const std::string bytes = test::must(format_glb(model));
  return test::must(import_gltf(std::as_bytes(std::span(bytes)), "model.glb"));
}

// Expects both models to have the same meshes, which move alike by linear blend at rest and in all clips.
void expect_same_motion(const Model& read, const Model& model) {
  SCOPED_TRACE(model.name);
  const Character is = test::bound_by(read, "linear_blend");
  const Character was = test::bound_by(model, "linear_blend");
  ASSERT_EQ(read.meshes.size(), model.meshes.size());
  ASSERT_EQ(read.clips.size(), model.clips.size());
  const auto compare = [&](const Clip* read_clip, const Clip* clip, float seconds) {
    const std::vector<glm::mat4> read_joints = test::clip_joints(read.skeleton, read_clip, seconds);
    const std::vector<glm::mat4> joints = test::clip_joints(model.skeleton, clip, seconds);
    for (const Mesh& mesh : model.meshes) {
      EXPECT_LT(test::farthest(test::posed(is, read_joints, mesh.name), test::posed(was, joints, mesh.name)), 1e-5f)
          << mesh.name << ' ' << seconds;
    }
  };
  compare(nullptr, nullptr, 0);
  for (std::size_t c = 0; c < model.clips.size(); ++c) {
    EXPECT_EQ(read.clips[c].name, model.clips[c].name);
    EXPECT_EQ(read.clips[c].duration, model.clips[c].duration);
    for (const float share : {0.0f, 0.3f, 0.8f})
      compare(&read.clips[c], &model.clips[c], share * model.clips[c].duration);
  }
}

TEST(FormatGlb, ComesBackAsItWas) {
  for (const Model& model : {make_biped(), make_tail(), make_limb(), make_arm(), test::make_tube({.joints = 5})}) {
    const Model read = back(model);
    expect_same_motion(read, model);
    const Mesh& was = model.meshes[0];
    const Mesh& is = read.meshes[0];
    EXPECT_EQ(is.triangles, was.triangles);
    EXPECT_EQ(is.uvs, was.uvs);
    EXPECT_EQ(is.parts.size(), was.parts.size());
    EXPECT_LT(test::farthest(is.normals, was.normals), 1e-5f);
    ASSERT_EQ(read.materials.size(), model.materials.size());
    for (std::size_t m = 0; m < model.materials.size(); ++m) {
      EXPECT_EQ(read.materials[m].name, model.materials[m].name);
      EXPECT_EQ(read.materials[m].base_color, model.materials[m].base_color);
    }
  }
}

TEST(FormatGlb, KeepsMorphTargetsAttributesAndJointsOfAnyMatrix) {
  Model model = test::make_tube();
  Mesh& mesh = model.meshes[0];
  const std::size_t count = mesh.positions.size();
  mesh.morph_targets.push_back(
      {.name = "bulge", .offsets = std::vector<glm::vec3>(count, {0, 0.25f, 0}), .weight = 0.5f});
  mesh.attributes.push_back({.name = "_MASK", .values = std::vector<float>(count, 0.25f)});
  for (const char* component : {"COLOR_0.r", "COLOR_0.g", "COLOR_0.b", "COLOR_0.a"}) {
    mesh.attributes.push_back({.name = component, .values = std::vector<float>(count, 0.75f)});
  }
  glm::mat4 sheared(1.0f);
  sheared[1][0] = 0.5f;
  model.skeleton.joints[1].matrix = sheared;
  model.meshes.push_back({.name = "dots", .positions = {{1, 2, 3}, {4, 5, 6}}});
  model.meshes.push_back({.name = "nothing"});
  const Model read = back(model);
  ASSERT_EQ(read.meshes.size(), 2u);
  ASSERT_EQ(read.meshes[0].morph_targets.size(), 1u);
  EXPECT_EQ(read.meshes[0].morph_targets[0].name, "bulge");
  EXPECT_EQ(read.meshes[0].morph_targets[0].weight, 0.5f);
  EXPECT_EQ(read.meshes[0].attributes.size(), 5u);
  EXPECT_EQ(read.skeleton.joints[*read.skeleton.find("joint1")].matrix, sheared);
  EXPECT_EQ(read.meshes[1].positions, model.meshes[1].positions);
  EXPECT_TRUE(read.meshes[1].triangles.empty());
}

// The skin was bound in a space of its own, which leaves the tip's two binds apart by rounding.
TEST(FormatGlb, KeepsAMeshAtAJointOfASkin) {
  test::GltfFile file = test::GltfFile::skinned_triangle();
  const glm::mat4 turned = glm::rotate(glm::mat4(1.0f), 0.3f, glm::vec3(1, 2, 3));
  file.json["skins"][0]["inverseBindMatrices"] =
      file.add({turned, glm::translate(glm::mat4(1.0f), glm::vec3(0, -1, 0)) * turned});
  file.json["nodes"][2]["mesh"] = file.add_mesh({{"POSITION", 0}});
  const Model model = test::imported(file);
  ASSERT_EQ(model.bound_joints.size(), 3u) << "a joint is bound twice";
  expect_same_motion(back(model), model);
}

TEST(FormatGlb, KeepsSkinsThatBindAJointInSeveralWays) {
  test::GltfFile file = test::GltfFile::skinned_triangle();
  for (const float height : {-2.0f, -3.0f}) {  // of the tip; the root is bound alike
    file.push("nodes", {{"name", "at " + std::to_string(height)}, {"mesh", 0}, {"skin", file.json["skins"].size()}});
    const int binds = file.add({glm::mat4(1.0f), glm::translate(glm::mat4(1.0f), glm::vec3(0, height, 0))});
    file.push("skins", {{"joints", {1, 2}}, {"inverseBindMatrices", binds}});
  }
  const Model model = test::imported(file);
  ASSERT_EQ(model.bound_joints.size(), 4u);
  expect_same_motion(back(model), model);
}

TEST(FormatGlb, KeepsClipsOfEveryInterpolation) {
  Model model = test::make_tube();
  model.clips = {{"all",
                  2,
                  {{0, ChannelPath::kTranslation, Interpolation::kLinear, {0, 1}, {0, 0, 0, 1, 0, 0}},
                   {1, ChannelPath::kRotation, Interpolation::kStep, {0, 2}, {0, 0, 0, 1, 1, 0, 0, 0}},
                   {1,
                    ChannelPath::kScale,
                    Interpolation::kCubicSpline,
                    {0, 1.5f},
                    {0, 0, 0, 1, 2, 1, 1, 0, 0, 0, 1, 0, 2, 1, 1, 0, 0, 0}}}}};
  expect_same_motion(back(model), model);
}

// Returns a tube with so many morph targets, and a clip of these channels.
Model morphing(std::size_t targets, std::vector<MorphChannel> channels) {
  Model model = test::make_tube();
  Mesh& mesh = model.meshes[0];
  const std::vector<glm::vec3> offsets(mesh.positions.size(), {0, 1, 0});
  mesh.morph_targets.assign(targets, {.offsets = offsets, .weight = 0.25f});
  for (MorphChannel& channel : channels) channel.mesh = mesh.name;
  model.clips = {{.name = "swell", .duration = 3, .morph_channels = std::move(channels)}};
  return model;
}

TEST(FormatGlb, KeepsClipsOfMorphTargets) {
  const MorphChannel keyed{
      .target = 1, .interpolation = Interpolation::kCubicSpline, .times = {0, 3}, .values = {1, 2, 3, 4, 5, 6}};
  const Model read = back(morphing(2, {keyed}));
  ASSERT_EQ(read.clips.size(), 1u);
  ASSERT_EQ(read.clips[0].morph_channels.size(), 2u);
  EXPECT_EQ(read.clips[0].morph_channels[0].values, (std::vector<float>{0, 0.25f, 0, 0, 0.25f, 0}));
  const MorphChannel& bulge = read.clips[0].morph_channels[1];
  EXPECT_EQ(bulge.target, 1u);
  EXPECT_EQ(bulge.interpolation, Interpolation::kCubicSpline);
  EXPECT_EQ(bulge.times, keyed.times);
  EXPECT_EQ(bulge.values, keyed.values);
}

// Targets of one mesh may be keyed at different times and with different interpolation; a sampler has one of each.
TEST(FormatGlb, KeepsClipsOfMorphTargetsThatAreKeyedDifferently) {
  const MorphChannel lines{.target = 0, .times = {0, 1, 3}, .values = {0, 1, -1}};
  const MorphChannel more_lines{.target = 1, .times = {0.25f, 2}, .values = {3, 0}};
  const MorphChannel steps{
      .target = 2, .interpolation = Interpolation::kStep, .times = {0.5f, 1, 2.5f}, .values = {1, 0, 2}};
  const MorphChannel more_steps{.target = 0, .interpolation = Interpolation::kStep, .times = {1.5f}, .values = {1}};
  const MorphChannel curve{.target = 1,
                           .interpolation = Interpolation::kCubicSpline,
                           .times = {0.5f, 2, 2.75f},
                           .values = {5, 0, 1, 2, 1, -3, 1, 0.5f, 7}};
  const std::vector<std::pair<std::vector<MorphChannel>, Interpolation>> cases{
      {{lines, more_lines}, Interpolation::kLinear}, {{steps, more_steps}, Interpolation::kStep},
      {{lines, steps}, Interpolation::kLinear},      {{lines, curve}, Interpolation::kCubicSpline},
      {{curve, steps}, Interpolation::kCubicSpline}, {{lines, curve, steps}, Interpolation::kCubicSpline}};
  for (const auto& [channels, interpolation] : cases) {
    const Model read = back(morphing(3, channels));
    ASSERT_EQ(read.clips.size(), 1u);
    ASSERT_EQ(read.clips[0].morph_channels.size(), 3u);
    for (const MorphChannel& is : read.clips[0].morph_channels) {
      EXPECT_EQ(is.interpolation, interpolation);
      const auto was = std::ranges::find(channels, is.target, &MorphChannel::target);
      for (float time = 0; time < 3.5f; time += 1.0f / 64) {
        EXPECT_NEAR(sample(is, time), was == channels.end() ? 0.25f : sample(*was, time), 1e-5f)
            << time << " s of target " << is.target;
      }
    }
  }
}

// Between its keys the curve leaves the range of floats, and the lines' rise is beyond it.
TEST(FormatGlb, WritesFiniteWeightsOfClipsThatLeaveTheRangeOfFloats) {
  const MorphChannel lines{.target = 0, .times = {0, 50, 100}, .values = {3e38f, -3e38f, 1}};
  for (const float in_tangent : {3e38f, -3e38f}) {
    const MorphChannel curve{.target = 1,
                             .interpolation = Interpolation::kCubicSpline,
                             .times = {0, 100},
                             .values = {0, 0, 3e38f, in_tangent, 1, 0}};
    const Model read = back(morphing(2, {lines, curve}));
    ASSERT_EQ(read.clips.size(), 1u);
    for (const MorphChannel& channel : read.clips[0].morph_channels) {
      EXPECT_EQ(channel.times, lines.times);
      for (const float value : channel.values) EXPECT_TRUE(std::isfinite(value)) << value;
    }
  }
}

TEST(FormatGlb, KeepsImagesThatItKnows) {
  Model model = test::make_tube();
  const std::string png = "\x89PNG\r\n\x1a\n...";
  model.images = {{.name = "unknown", .bytes = {1, 2, 3}}, {.name = "skin", .bytes = {png.begin(), png.end()}}};
  model.materials = {{.name = "a", .base_color_image = 1, .alpha_mask = true}, {.name = "b", .base_color_image = 0}};
  const Model read = back(model);
  ASSERT_EQ(read.images.size(), 1u);
  EXPECT_EQ(read.images[0].name, "skin");
  EXPECT_EQ(read.images[0].bytes, model.images[1].bytes);
  ASSERT_EQ(read.materials.size(), 2u);
  EXPECT_EQ(read.materials[0].base_color_image, 0);
  EXPECT_TRUE(read.materials[0].alpha_mask);
  EXPECT_EQ(read.materials[1].base_color_image, -1);
}

TEST(FormatGlb, RefusesWhatGltfCannotHold) {
  const auto refused = [](const Model& model, const std::string& why) {
    const Result<std::string> bytes = format_glb(model);
    ASSERT_FALSE(bytes) << "expected: " << why;
    EXPECT_EQ(bytes.error().code, ErrorCode::kUnsupported) << why;
    EXPECT_THAT(bytes.error().message, testing::HasSubstr(why));
  };
  Model model = test::make_tube();
  model.bound_joints[1].joint = model.bound_joints[0].joint;
  refused(model, "mesh 'tube' is bound to joint 'joint0' by two");
  model = test::make_tube();
  model.meshes[0].name = "caf\xe9";
  refused(model, "has a name that is not UTF-8; rename it");
  model = {.name = "many"};
  model.bound_joints.resize(65537);
  refused(model, "many: ");

  constexpr std::uint32_t kTargets = 200;
  constexpr std::size_t kKeys = 2000;  // each at a time of its own: 200 * 200 * 2000 weights
  std::vector<MorphChannel> channels(kTargets);
  for (std::uint32_t t = 0; t < kTargets; ++t) {
    channels[t] = {.target = t, .values = std::vector<float>(kKeys, 1)};
    for (std::size_t k = 0; k < kKeys; ++k) channels[t].times.push_back(static_cast<float>(k * kTargets + t));
  }
  refused(morphing(kTargets, channels), "clip 'swell' keys the morph targets of mesh 'tube'");
}

}  // namespace
}  // namespace pelt
