// SPDX-License-Identifier: MIT
// Clips whose channels name their targets by KHR_animation_pointer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/authoring/model/gltf/gltf_file.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::expect_refused;
using test::GltfFile;
using test::imported;
using test::node_target;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

json pointer_to(const std::string& pointer) {
  return {{"path", "pointer"}, {"extensions", {{"KHR_animation_pointer", {{"pointer", pointer}}}}}};
}

// A triangle with two morph targets at node 0, which is below the nodes 1 and 2.
GltfFile puppet() {
  GltfFile file = GltfFile::triangle();
  const int normals = file.add(std::vector<glm::vec3>(3, {0, 0, 1}));
  test::primitive(file)["attributes"]["NORMAL"] = normals;
  test::primitive(file)["targets"] = {{{"POSITION", normals}}, {{"POSITION", normals}}};
  file.push("nodes", {{"children", {0}}});
  file.push("nodes", {{"children", {1}}});
  file.json["extensionsUsed"] = file.json["extensionsRequired"] = {"KHR_animation_pointer"};
  return file;
}

GltfFile with_channel(const json& target, const std::string& type, const std::vector<float>& values) {
  GltfFile file = puppet();
  file.add_channel(target, {0}, type, values);
  return file;
}

// Returns a clip's targets and keys.
json described(const Clip& clip) {
  json all{clip.duration};
  for (const Channel& c : clip.channels) all.push_back({c.joint, c.path, c.interpolation, c.times, c.values});
  for (const MorphChannel& c : clip.morph_channels) {
    all.push_back({c.mesh, c.target, c.interpolation, c.times, c.values});
  }
  return all;
}

TEST(AnimationPointers, MoveWhatNodesAndPathsMove) {
  const auto animate = [](const auto& target) {
    GltfFile file = puppet();
    file.add_channel(target(2, "translation"), {0, 1}, "VEC3", {1, 2, 3, 4, 5, 6});
    file.add_channel(target(1, "rotation"), {0, 2}, "VEC4", {0, 0, 0, 1, 0.6f, 0, 0, 0.8f}, "STEP");
    file.add_channel(target(1, "scale"), {1}, "VEC3", {0, 0, 0, 1, 2, 3, 0, 0, 0}, "CUBICSPLINE");
    file.add_channel(target(0, "weights"), {0, 3}, "SCALAR", {0, 1, 0.5f, 0.25f});
    const Model model = imported(file);
    EXPECT_THAT(model.report.notes, IsEmpty());
    EXPECT_EQ(model.clips.size(), 1u);
    return model.clips.empty() ? Clip() : model.clips[0];
  };
  const Clip by_node = animate(node_target);
  EXPECT_EQ(by_node.channels.size(), 3u);
  EXPECT_EQ(by_node.morph_channels.size(), 2u);
  const auto pointer = [](int node, const char* path) {
    return pointer_to("/nodes/" + std::to_string(node) + "/" + path);
  };
  EXPECT_EQ(described(animate(pointer)), described(by_node));
}

TEST(AnimationPointers, MoveOneWeight) {
  for (const char* array : {"nodes", "meshes"}) {
    GltfFile file = puppet();
    const std::string weights = "/" + std::string(array) + "/0/weights/";
    file.add_channel(pointer_to(weights + "1"), {0, 1}, "SCALAR", {1, 2, 3, 4, 5, 6}, "CUBICSPLINE");
    file.add_channel(pointer_to(weights + "0"), {0, 2, 4}, "SCALAR", {0, 1, 0});
    const Model model = imported(file);
    ASSERT_EQ(model.clips.size(), 1u);
    EXPECT_EQ(model.clips[0].duration, 4);
    const std::vector<MorphChannel>& channels = model.clips[0].morph_channels;
    ASSERT_EQ(channels.size(), 2u);
    EXPECT_EQ(channels[0].mesh, model.meshes[0].name);
    EXPECT_EQ(channels[0].target, 1u);
    EXPECT_EQ(channels[0].interpolation, Interpolation::kCubicSpline);
    EXPECT_THAT(channels[0].values, ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(channels[1].target, 0u);
    EXPECT_THAT(channels[1].times, ElementsAre(0, 2, 4));
    EXPECT_THAT(channels[1].values, ElementsAre(0, 1, 0));
  }
}

// A mesh's weights are those of its nodes that have none, neither at rest nor in the clip.
TEST(AnimationPointers, OfMeshesMoveNodesWithoutWeights) {
  GltfFile file = with_channel(pointer_to("/meshes/0/weights"), "SCALAR", {0.25f, 0.5f});
  file.json["nodes"][0]["name"] = "a";
  file.push("nodes", {{"mesh", 0}, {"name", "b"}});
  file.push("nodes", {{"mesh", 0}, {"name", "own"}, {"weights", {1, 1}}});
  file.push("nodes", {{"mesh", 0}, {"name", "keyed"}});
  file.add_channel(node_target(5, "weights"), {0}, "SCALAR", {0, 1});
  const Model model = imported(file);
  ASSERT_EQ(model.clips.size(), 1u);
  std::vector<std::string> moved;
  for (const MorphChannel& channel : model.clips[0].morph_channels) {
    moved.push_back(channel.mesh + " " + std::to_string(channel.target) + " " + std::to_string(channel.values[0]));
  }
  EXPECT_THAT(moved, ElementsAre("a 0 0.250000", "a 1 0.500000", "b 0 0.250000", "b 1 0.500000", "keyed 0 0.000000",
                                 "keyed 1 1.000000"));
}

TEST(AnimationPointers, OfMeshesThatNothingShowsAreNoted) {
  for (const json& rest : {json{{"mesh", 0}, {"weights", {0, 0}}}, json::object()}) {
    GltfFile file = with_channel(pointer_to("/meshes/0/weights"), "SCALAR", {0, 1});
    file.push("meshes", file.json["meshes"][0]);
    file.json["nodes"][0] = rest;
    file.push("nodes", {{"mesh", 1}});
    const Model model = imported(file);
    EXPECT_TRUE(model.clips.empty());
    EXPECT_THAT(model.report.notes, Contains(HasSubstr("1 channels of morph weights ignored")));
  }
}

// The extension allows integers, although glTF 2.0 requires floats.
TEST(AnimationPointers, ReadValuesOfEveryComponentType) {
  GltfFile file = puppet();
  file.add_channel<std::int8_t>(pointer_to("/nodes/2/translation"), {0}, "VEC3", {-1, 2, 3});
  file.add_channel<std::uint16_t>(pointer_to("/nodes/2/scale"), {0}, "VEC3", {65535, 0, 65535}, "LINEAR", true);
  file.add_channel<std::uint8_t>(pointer_to("/nodes/0/weights/0"), {0}, "SCALAR", {2});
  file.add_channel<std::int16_t>(pointer_to("/nodes/2/rotation"), {0}, "VEC4", {0, 0, 3, 0});
  // Elements of three bytes need a stride.
  for (const char* view : {"/bufferViews/3", "/bufferViews/5"}) file.json[json::json_pointer(view)]["byteStride"] = 8;
  file.data.resize(file.data.size() + 8);
  const Model model = imported(file);
  ASSERT_EQ(model.clips.size(), 1u);
  ASSERT_EQ(model.clips[0].channels.size(), 3u);
  EXPECT_THAT(model.clips[0].channels[0].values, ElementsAre(-1, 2, 3));
  EXPECT_THAT(model.clips[0].channels[1].values, ElementsAre(1, 0, 1));
  EXPECT_THAT(model.clips[0].channels[2].values, ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(model.clips[0].morph_channels.at(0).values, ElementsAre(2));
}

TEST(AnimationPointers, ToOtherThingsAreCounted) {
  for (const std::string& pointer : std::vector<std::string>{
           "/materials/0/emissiveFactor", "/nodes/0/matrix", "/nodes/99", "/nodes/0/weights.length",
           "/nodes/0/rotation/0", "/meshes/0/rotation", "/nodes/0/weights/0/0", "/nodes/0/~0rotation",
           "/nodes~1/0/rotation", "/", "", std::string(100'000, '/'), "/" + std::string(100'000, 'x')}) {
    SCOPED_TRACE(pointer.substr(0, 60));
    GltfFile file = with_channel(pointer_to(pointer), "VEC3", {1, 2, 3});
    file.add_channel(node_target(2, "scale"), {0}, "VEC3", {1, 2, 3});
    const Model model = imported(file);
    ASSERT_EQ(model.clips.size(), 1u);
    EXPECT_EQ(model.clips[0].channels.size(), 1u);
    EXPECT_THAT(model.report.notes,
                ElementsAre("1 channels that animate neither nodes nor morph targets are not read, of the clips "
                            "'clip_0': '" +
                            pointer.substr(0, 100) + "'"));
  }
}

TEST(AnimationPointers, AreChecked) {
  const std::string target = "/animations/0/channels/0/target";
  const std::string place = target + "/extensions/KHR_animation_pointer/pointer: ";
  const std::string huge(50'000, '9');
  const std::vector<std::pair<std::string, std::vector<std::string>>> defects{
      {"names none of the 3 nodes", {"/nodes/3/scale", "/nodes/4294967296/scale", "/nodes/" + huge + "/scale"}},
      {"names none of the 1 meshes", {"/meshes/1/weights"}},
      {"lacks an index",
       {"/nodes/00/scale", "/nodes/-1/scale", "/nodes/-/scale", "/nodes/1.0/scale", "/nodes/ 1/scale", "/nodes//scale",
        "/nodes/~01/scale", "/nodes/0/weights/", "/nodes/0/weights/01"}},
      {"is not a JSON pointer", {"nodes/0/scale", "/nodes/0/scale~", "/nodes/0/~2scale"}}};
  for (const auto& [why, pointers] : defects) {
    for (const std::string& pointer : pointers) {
      const std::string start = pointer.substr(0, 60);
      expect_refused(with_channel(pointer_to(pointer), "VEC3", {1, 1, 1}), place + "'" + start + "' " + why);
    }
  }
  const auto weights = [](const std::string& pointer) { return with_channel(pointer_to(pointer), "SCALAR", {1}); };
  expect_refused(weights("/nodes/0/weights/2"), target + ": weight 2 of node 0, which only has 2");
  expect_refused(weights("/meshes/0/weights/" + huge), target + ": weight 2147483647 of mesh 0, which only has 2");
  expect_refused(weights("/nodes/1/weights"), target + ": node 1 has no morph targets");
  expect_refused(weights("/nodes/0/weights"), "1 keys need 2 values, not 1");
  expect_refused(weights("/nodes/0/scale"), "scale cannot be SCALAR of FLOAT");
  GltfFile bare = weights("/meshes/0/weights");
  test::primitive(bare).erase("targets");
  expect_refused(bare, target + ": mesh 0 has no morph targets");

  json both = pointer_to("/nodes/0/scale");
  both["node"] = 0;
  expect_refused(with_channel(both, "VEC3", {1, 1, 1}), target + "/node: must not be set with a pointer");
  json no_text = pointer_to("");
  no_text["extensions"]["KHR_animation_pointer"] = {{"pointer", 3}};
  expect_refused(with_channel(no_text, "VEC3", {1, 1, 1}), place + "is 3, not a string");
  no_text["extensions"]["KHR_animation_pointer"] = json::object();
  expect_refused(with_channel(no_text, "VEC3", {1, 1, 1}), "KHR_animation_pointer: 'pointer' is missing");
  // Only pointers may name one weight.
  expect_refused(with_channel(node_target(0, "weights/0"), "SCALAR", {1}), "cannot animate 'weights/0'");
}

// A pointer without its extension, or the extension without its path, is another extension's.
TEST(AnimationPointers, AreNotReadWithoutTheirExtensionAndPath) {
  json by_node = pointer_to("/nodes/9/scale");
  by_node["path"] = "scale";
  for (const json& target : {json{{"path", "pointer"}}, by_node}) {
    EXPECT_THAT(imported(with_channel(target, "VEC3", {1, 1, 1})).report.notes,
                Contains("1 channels that animate neither nodes nor morph targets are not read, of the clips "
                         "'clip_0'"));
  }
  by_node["node"] = 0;
  EXPECT_EQ(imported(with_channel(by_node, "VEC3", {1, 1, 1})).clips.size(), 1u);
}

TEST(Channels, OfAnAnimationMoveDifferentThings) {
  const auto both = [](const json& first, const json& second) {
    GltfFile file = puppet();
    for (const json& target : {first, second}) {
      const std::string text = target.dump();
      const std::size_t count = text.find("weights/") != std::string::npos  ? 1
                                : text.find("weights") != std::string::npos ? 2
                                                                            : 3;
      file.add_channel(target, {0}, count < 3 ? "SCALAR" : "VEC3", std::vector<float>(count, 1.0f));
    }
    return file;
  };
  const std::vector<std::pair<json, json>> same{
      {node_target(1, "scale"), node_target(1, "scale")},
      {node_target(1, "scale"), pointer_to("/nodes/1/scale")},
      {pointer_to("/nodes/1/scale"), pointer_to("/nodes/1/scale")},
      {node_target(0, "weights"), pointer_to("/nodes/0/weights/1")},
      {pointer_to("/nodes/0/weights/1"), node_target(0, "weights")},
      {pointer_to("/nodes/0/weights/1"), pointer_to("/nodes/0/weights/1")},
      {pointer_to("/meshes/0/weights"), pointer_to("/meshes/0/weights/0")},
  };
  for (const auto& [first, second] : same) {
    expect_refused(both(first, second), "/animations/0/channels/1/target: has the target of channel 0");
  }
  const std::vector<std::pair<json, json>> different{
      {node_target(1, "scale"), node_target(2, "scale")},
      {node_target(1, "scale"), pointer_to("/nodes/1/translation")},
      {pointer_to("/nodes/0/weights/1"), pointer_to("/nodes/0/weights/0")},
      {pointer_to("/nodes/0/weights/0"), pointer_to("/nodes/0/weights/1")},
      {pointer_to("/meshes/0/weights"), pointer_to("/nodes/0/weights")},
  };
  for (const auto& [first, second] : different) EXPECT_EQ(imported(both(first, second)).clips.size(), 1u);
}

}  // namespace
}  // namespace pelt
