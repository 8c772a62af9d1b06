// SPDX-License-Identifier: MIT
// Tests pelt deform.
#include <glm/gtc/constants.hpp>

#include <pelt/gltf_export.h>
#include <pelt/import.h>
#include <pelt/linear_blend.h>
#include <pelt/pelt_file.h>
#include <pelt/point_cache.h>

#include "tests/samples/pelt/pelt_program.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

using testing::HasSubstr;

using test::file_text;

TEST_F(Pelt, WritesThePointCacheThatTheEngineGives) {
  done("bind builtin:tail -o tail.pelt");
  const Character character = *load_pelt(folder / "tail.pelt");
  const Clip& clip = character->clips.front();
  done("deform tail.pelt --clip " + clip.name + " --frames 3:5 --fps 10 --backend cpu -o cpu.pc2");
  const PointCache cpu = test::must(load_pc2(folder / "cpu.pc2"));
  EXPECT_EQ(cpu.start, 3.0f);
  EXPECT_EQ(cpu.rate, 1.0f);
  ASSERT_EQ(cpu.frames, 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(test::farthest(cpu.frame(i), moved(character, clip.name, 0.1f * static_cast<float>(3 + i))), 0.0f) << i;
  }
  EXPECT_GT(test::farthest(cpu.frame(0), cpu.frame(2)), 1e-3f);

  done("deform tail.pelt --validate --clip " + clip.name + " --frames 3:5 --fps 10 -o gpu.pc2");
  const PointCache gpu = test::must(load_pc2(folder / "gpu.pc2"));
  ASSERT_EQ(gpu.frames, 3u);
  for (std::uint32_t i = 0; i < 3; ++i)
    EXPECT_LT(test::farthest(gpu.frame(i), cpu.frame(i)), 1e-5f * character.size()) << i;

  // The whole clip, and a frame past its end.
  done("deform tail.pelt --fps 10 --backend cpu --clip " + clip.name + " -o whole.pc2");
  EXPECT_EQ(test::must(load_pc2(folder / "whole.pc2")).frames,
            static_cast<std::uint32_t>(std::floor(10 * clip.duration + 1e-3)) + 1);
  done("deform tail.pelt --frames 1000 --backend cpu --clip " + clip.name + " -o past.pc2");
  const PointCache past = test::must(load_pc2(folder / "past.pc2"));
  EXPECT_EQ(test::farthest(past.frame(0), moved(character, clip.name, clip.duration)), 0.0f);

  fails("deform tail.pelt --clip swingg -o x.pc2", "no clip 'swingg'. There are: curl");
}

// A surface of level 1 at its rest is the tube of radius 1, at the points of 2 n - 3 less 2 rings; a clip moves it.
TEST_F(Pelt, WritesTheSurfaceOfARig) {
  const std::string rig = std::string(PELT_SOURCE) + "/samples/rigs/limb_surface.json";
  const auto points = [&](const std::string& options) {
    EXPECT_THAT(done("surface builtin:limb --rig " + rig + " --refine 1 -o x.obj" + options), HasSubstr("wrote x.obj"));
    const Model model = test::must(import_model((folder / "x.obj").string()));
    return model.meshes.at(0).positions;
  };
  const std::vector<glm::vec3> rest = points("");
  EXPECT_EQ(rest.size(), (2 * 11 - 3 - 2) * 16u);
  for (const glm::vec3 p : rest) EXPECT_NEAR(glm::length(glm::vec2(p.y, p.z)), 1, 0.02f);
  fails("surface builtin:limb --deformer mos -o x.obj", "not a surface");
}

// The length of a clip is a number in a file.
TEST_F(Pelt, WritesNoMoreThanItIsAskedFor) {
  Model model = test::make_tube();
  model.clips = {{"long", 1e9f, {}, {}}, {"short", 10, {}, {}}};
  ASSERT_TRUE(save_pelt(test::bound(model, test::rig_of(LinearBlendParameters{})).character, folder / "tube.pelt"));
  fails("deform tube.pelt --clip long --backend cpu -o x.pc2",
        "lasts 2.4e+10 frames, but at most 1000000 can be written whole; choose a range with");
  fails("deform tube.pelt --clip short --fps 1e6 --backend cpu -o x.pc2", "choose a range");
  // It reports how much it will write before it does, even if that does not fit.
  const std::string points = std::to_string(model.meshes[0].positions.size());
  EXPECT_THAT(done("deform tube.pelt --clip short --fps 10 --backend cpu -o x.pc2"),
              testing::StartsWith("x.pc2: " + points + " points, 101 samples, "));
  EXPECT_THAT(done("deform tube.pelt --clip short --frames 0 --backend cpu -o x.pc2"),
              HasSubstr(points + " points, 1 sample, "));
}

TEST_F(Pelt, WritesMeshesThatReadBackTheSame) {
  done("bind builtin:arm -o arm.pelt");
  const Character character = *load_pelt(folder / "arm.pelt");
  const std::vector<glm::vec3> expected = moved(character, "flex", 0.25f);
  for (const std::string name : {"frame.obj", "frame.glb"}) {
    done("deform arm.pelt --clip flex --time 0.25 --backend cpu -o " + name);
    const Model model = test::must(import_model((folder / name).string()));
    ASSERT_EQ(model.meshes.size(), 1u);
    EXPECT_LT(test::farthest(model.meshes[0].positions, expected), 1e-6f * character.size()) << name;
    EXPECT_EQ(model.meshes[0].triangles.size(), character->meshes[1].triangles.size()) << name;
  }
}

TEST_F(Pelt, WritesFacesOfMirroredSkinsFromOutside) {
  done("bind builtin:limb --deformer linear-blend -o limb.pelt");
  CharacterData data = *test::must(load_pelt(folder / "limb.pelt"));
  data.clips = {{.name = "flip", .channels = {{.path = ChannelPath::kScale, .times = {0}, .values = {-1, 1, 1}}}}};
  ASSERT_TRUE(save_pelt(test::must(Character::create(data)), folder / "flip.pelt"));
  for (const std::string name : {"flip.obj", "flip.glb"}) {
    done("deform flip.pelt --clip flip --time 0 --backend cpu -o " + name);
    const Mesh mesh = test::must(import_model((folder / name).string())).meshes.at(0);
    float volume = 0;
    for (const glm::uvec3 t : mesh.triangles) {
      const glm::vec3 a = mesh.positions[t.x];
      const glm::vec3 front = glm::cross(mesh.positions[t.y] - a, mesh.positions[t.z] - a);
      ASSERT_GT(glm::dot(front, mesh.normals[t.x] + mesh.normals[t.y] + mesh.normals[t.z]), 0) << name;
      volume += glm::dot(front, a);
    }
    EXPECT_GT(volume, 0);
  }
}

// Five points with a mask at the node "hair", and a tetrahedron over four of them at the node "cage".
constexpr const char* kPoints = R"({"asset": {"version": "2.0"},
  "nodes": [{"name": "hair", "mesh": 0}, {"name": "cage", "mesh": 1}],
  "scenes": [{"nodes": [0]}, {"nodes": [0, 1]}], "scene": 0,
  "meshes": [{"primitives": [{"mode": 0, "attributes": {"POSITION": 0, "_MASK": 1}}]},
             {"primitives": [{"attributes": {"POSITION": 0}, "indices": 2}]}],
  "accessors": [{"bufferView": 0, "componentType": 5126, "count": 5, "type": "VEC3"},
                {"componentType": 5126, "count": 5, "type": "SCALAR"},
                {"bufferView": 0, "byteOffset": 60, "componentType": 5121, "count": 12, "type": "SCALAR"}],
  "bufferViews": [{"buffer": 0, "byteLength": 72}],
  "buffers": [{"byteLength": 72, "uri": "data:application/octet-stream;base64,)"
                                "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAA"
                                "AIA/AACAPwAAgD8AAIA/AAIBAAEDAAMCAQID\"}]}";
constexpr const char* kCagedRig = R"({"format": "pelt-rig 1", "layers": [
  {"deformer": "surface_ffd", "parameters": {"driver": {"mesh": "cage"}}}]})";

TEST_F(Pelt, MovesPointsThatAreNoMesh) {
  write("points.gltf", kPoints);
  Json caged = Json::parse(kPoints);
  caged["scene"] = 1;
  write("caged.gltf", caged.dump());
  write("rig.json", kCagedRig);
  const Model model = *import_model((folder / "points.gltf").string());
  const std::vector<glm::vec3>& expected = model.meshes.at(0).positions;
  const Json info = json("info points.gltf");
  EXPECT_EQ(info["meshes"][0]["triangles"], 0);
  EXPECT_EQ(info["meshes"][0]["attributes"][0], "_MASK");
  EXPECT_THAT(done("info points.gltf"), HasSubstr("attributes of hair: 1\n  _MASK"));

  for (const std::string how :
       {"points.gltf --deformer linear-blend", "points.gltf --deformer dual-quaternion", "caged.gltf --rig rig.json"}) {
    SCOPED_TRACE(how);
    const Json bound = Json::parse(done("bind " + how + " -o points.pelt --json"));
    for (const Json& mesh : bound["meshes"]) EXPECT_TRUE(mesh["repaired_vertices"].empty());
    done("info points.pelt");
    for (const std::string name : {"points.obj", "points.glb"}) {
      done("deform points.pelt --time 0 --backend cpu -o " + name);
      const Model read = test::must(import_model((folder / name).string()));
      EXPECT_TRUE(read.meshes.at(0).triangles.empty());
      EXPECT_LT(test::farthest(read.meshes[0].positions, expected), 1e-6f);
    }
    EXPECT_THAT(file_text(folder / "points.obj"), HasSubstr("\np 1\np 2\np 3\np 4\np 5\n"));
    done("deform points.pelt --frames 0:1 --backend cpu -o points.pc2");
    const PointCache cache = test::must(load_pc2(folder / "points.pc2"));
    EXPECT_LT(test::farthest(cache.frame(1), expected), 1e-6f);
    done("render points.pelt --validate --size 160x90 -o points.png");
  }
}

TEST_F(Pelt, StreamsACage) {
  // A cage for the limb from a file, and a cache in which it rises by 1 from frame to frame.
  done("deform builtin:limb --deformer linear-blend --backend cpu -o cage.obj");
  write("cage.json", R"({"format": "pelt-rig 1", "layers": [{"deformer": "surface_ffd",
      "parameters": {"driver": {"file": "cage.obj", "follow": "streamed"}}}]})");
  EXPECT_THAT(done("bind builtin:limb --rig cage.json -o caged.pelt"),
              HasSubstr("note: not compared with linear blend: the game moves the driver 'cage'\n"));
  const Json inputs = json("info caged.pelt")["inputs"];
  ASSERT_EQ(inputs["streams"].size(), 1u);
  EXPECT_EQ(inputs["streams"][0]["mesh"], "cage");
  EXPECT_THAT(done("info caged.pelt"), HasSubstr("streams: 1\n"));
  const Model cage = *import_obj(folder / "cage.obj");
  const std::vector<glm::vec3>& rest = cage.meshes[0].positions;
  EXPECT_EQ(inputs["streams"][0]["vertices"], rest.size());
  EXPECT_EQ(inputs["count"], 3 * rest.size());
  const Pc2Header header{.points = static_cast<std::int32_t>(rest.size()), .samples = 3};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  for (int frame = 0; frame < 3; ++frame) {
    for (const glm::vec3& p : rest) {
      const glm::vec3 raised = p + glm::vec3(0, static_cast<float>(frame), 0);
      bytes.append(reinterpret_cast<const char*>(&raised), sizeof raised);
    }
  }
  write("rise.pc2", bytes);
  for (const char* back_end : {"cpu", "gpu"}) {
    done(std::string("deform caged.pelt --cache rise.pc2 --frames 2 --backend ") + back_end + " -o up.obj");
    const Model up = *import_obj(folder / "up.obj");
    const Model down = *import_obj(folder / "cage.obj");
    for (std::size_t v = 0; v < rest.size(); ++v) {
      ASSERT_LT(glm::distance(up.meshes[0].positions[v], down.meshes[0].positions[v] + glm::vec3(0, 2, 0)), 1e-4f) << v;
    }
  }
  const std::string samples = done("deform caged.pelt --cache cage=rise.pc2 -o all.pc2");
  EXPECT_THAT(samples, HasSubstr("3 samples"));
  fails("deform caged.pelt --cache skin=rise.pc2 -o x.obj", "There are: cage");
  fails("deform builtin:limb --cache rise.pc2 -o x.obj", "no streamed driver");
  done("render caged.pelt --size 160x90 -o rest.png");
  done("render caged.pelt --cache rise.pc2 --fps 10 --time 0.2 --size 160x90 -o up.png");
  EXPECT_NE(file_text(folder / "rest.png"), file_text(folder / "up.png"));

  write("cut.pc2", bytes.substr(0, bytes.size() - 4));
  write("text.pc2", "no cache at all, and longer than the header of one");
  done("deform builtin:arm --frames 0 --backend cpu -o arm.pc2");
  const std::string deform = "deform caged.pelt --backend cpu -o x.obj --cache ";
  fails(deform + "none.pc2", "none.pc2: no such file");
  fails(deform + "cut.pc2", "cut.pc2: ");
  fails(deform + "text.pc2", "text.pc2: ");
  fails(deform + "arm.pc2", "arm.pc2: has 10010 points");
  fails(deform + "cagge=rise.pc2", "did you mean 'cage'");
}

// Returns kPoints with a cage that grows to twice its size in the clip "grow": its own positions are the offsets of its
// target; bytes 8 to 15 hold times and weights.
std::string growing_points() {
  Json caged = Json::parse(kPoints);
  caged["scene"] = 1;
  caged["meshes"][1]["primitives"][0]["targets"] = {{{"POSITION", 0}}};
  caged["accessors"].push_back(Json::parse(R"({"bufferView": 0, "byteOffset": 8, "componentType": 5126, "count": 2,
                                               "type": "SCALAR", "min": [0], "max": [1]})"));
  caged["animations"] = {{{"name", "grow"},
                          {"samplers", {{{"input", 3}, {"output", 3}}}},
                          {"channels", {{{"sampler", 0}, {"target", {{"node", 1}, {"path", "weights"}}}}}}}};
  return caged.dump();
}

// Without a rig the cage is skin like the points.
TEST_F(Pelt, PlaysMorphTargetsOfSkins) {
  write("points.gltf", growing_points());
  const std::string bind = "bind points.gltf --deformer linear-blend -o points.";
  done(bind + "pelt");
  done(bind + "glb");
  const Json controls = json("info points.pelt")["inputs"]["controls"];
  ASSERT_EQ(controls.size(), 1u);
  EXPECT_EQ(controls[0]["name"], "cage/target_0");
  EXPECT_EQ(controls[0]["clips"], Json({"grow"}));
  EXPECT_EQ(controls[0]["rest"], 0.0);
  EXPECT_THAT(done("info points.pelt"), testing::ContainsRegex("cage/target_0 +0  grow"));
  const Model model = import_gltf(folder / "points.gltf").value();
  std::vector<glm::vec3> rest;
  for (const Mesh& mesh : model.meshes) rest.insert(rest.end(), mesh.positions.begin(), mesh.positions.end());
  for (const std::string how : {"points.pelt --backend cpu", "points.glb --backend cpu", "points.pelt --validate"}) {
    SCOPED_TRACE(how);
    done("deform " + how + " --clip grow --frames 0:2 --fps 2 -o grown.pc2");
    const PointCache grown = test::must(load_pc2(folder / "grown.pc2"));
    ASSERT_EQ(grown.frames, 3u);
    for (std::uint32_t i = 0; i < 3; ++i) {
      std::vector<glm::vec3> expected = rest;
      for (std::size_t v = 5; v < 10; ++v) expected[v] *= 1 + 0.5f * static_cast<float>(i);
      EXPECT_LT(test::farthest(grown.frame(i), expected), 1e-4f) << i;
    }
  }
}

TEST_F(Pelt, TakesVrm) {
  Json person = Json::parse(kPoints);
  person["scene"] = 1;
  person["meshes"][1]["primitives"][0]["targets"] = {{{"POSITION", 0}}};
  person["extensions"]["VRMC_vrm"] = {
      {"humanoid", {{"humanBones", {{"head", {{"node", 1}}}}}}},
      {"expressions", {{"preset", {{"happy", {{"morphTargetBinds", {{{"node", 1}, {"index", 0}}}}}}}}}}};
  write("person.vrm", person.dump());
  const Json model = json("info person.vrm");
  EXPECT_EQ(model["expressions"], Json({"happy"}));
  EXPECT_EQ(model["human_bones"], Json({"head"}));
  EXPECT_THAT(done("info person.vrm"), HasSubstr("1 human bone, 1 expression"));
  done("bind person.vrm --deformer linear-blend -o person.pelt");
  const Json control = json("info person.pelt")["inputs"]["controls"][0];
  EXPECT_EQ(control["name"], "happy");
  EXPECT_EQ(control["kind"], "expression");
}

// The limb's clip "twist" turns by 90 degrees a second, a whole turn in all.
TEST_F(Pelt, PlaysTwistsBeyondHalfATurn) {
  done("bind builtin:limb --deformer curve-skeleton -o limb.pelt");
  const Character limb = load_pelt((folder / "limb.pelt").string()).value();
  const std::vector<glm::mat4> joints = test::clip_joints(limb->skeleton, nullptr, 0);
  Evaluator evaluator(limb);
  for (const int quarters : {1, 3, 4}) {
    const float angle = static_cast<float>(quarters) * glm::half_pi<float>();
    std::vector<glm::mat4> turned = joints;
    turned.back() *= glm::mat4_cast(glm::angleAxis(angle, glm::vec3(1, 0, 0)));
    evaluator.pose(turned);
    evaluator.control(limb->find_control("twist/joint").value(), angle);
    evaluator.evaluate();
    const std::vector<glm::vec3> expected = test::positions_of(evaluator, limb, limb->meshes.front().name);
    done("deform limb.pelt --clip twist --time " + std::to_string(quarters) + " --backend cpu -o twisted.obj");
    const Model twisted = import_model((folder / "twisted.obj").string()).value();
    EXPECT_LT(test::farthest(twisted.meshes.front().positions, expected), 1e-4f) << quarters;
  }
}

// At each level of detail of the file, from either character.
TEST_F(Pelt, DrawsEveryLevelOfDetail) {
  Model model = test::make_tube({.joints = 3});
  for (const std::uint32_t around : {8, 6}) {
    model.meshes.push_back(test::make_tube_mesh({.around = around, .along = around, .joints = 3}));
    model.meshes.back().name = "tube_LOD" + std::to_string(model.meshes.size() - 1);
  }
  write("tube.glb", test::must(format_glb(model)));
  done("bind tube.glb --deformer surface-ffd -o bound.glb");
  done("bind tube.glb --deformer surface-ffd -o bound.pelt");
  EXPECT_EQ(json("info bound.pelt")["levels"].size(), 2u);
  EXPECT_THAT(done("info bound.glb"), testing::HasSubstr("levels of detail: 2"));
  for (const std::string file : {"bound.glb", "bound.pelt"}) {
    for (const std::string level : {"0", "1", "2"}) {
      EXPECT_THAT(done("render " + file + " --level " + level + " --size 32x18 -o drawn.png"),
                  testing::ContainsRegex("differ by at most (0.0e.00|[0-9.]+e-0[5-9]) of the character's size"));
    }
  }
}

}  // namespace
}  // namespace pelt
