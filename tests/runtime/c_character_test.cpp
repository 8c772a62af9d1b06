// SPDX-License-Identifier: MIT
// Tests characters of the C API.
#include <cstring>
#include <filesystem>
#include <glm/gtc/matrix_transform.hpp>
#include <glm/gtc/type_ptr.hpp>
#include <nlohmann/json.hpp>

#include <pelt/builtin.h>
#include <pelt/clip_twists.h>
#include <pelt/curve_skeleton.h>
#include <pelt/gltf_export.h>
#include <pelt/gltf_rig.h>
#include <pelt/import.h>
#include <pelt/pelt_gltf.h>
#include <pelt/pose.h>
#include <pelt/rig_json.h>
#include <pelt/tools/file_io.h>

#include "engine/character/glb/container.h"
#include "tests/runtime/c_handles.h"
#include "tests/support/program.h"

namespace pelt::runtime {
namespace {

CharacterHandle bind_in_c(const ModelHandle& model, const RigHandle& rig, const pelt_bind_options* options = nullptr) {
  return make_handle<CharacterHandle>(pelt_bind, model.get(), rig.get(), options);
}

// Expects that a callback that throws and a number that is not 0 end a bind.
void expect_ends_early(const ModelHandle& model, const RigHandle& rig, pelt_bind_options options) {
  // A C++ callback that throws is reported, and nothing else happens.
  pelt_character* refused = nullptr;
  options.progress = [](void*, double, const char*) { throw std::runtime_error("enough"); };
  EXPECT_REFUSED(pelt_bind(model.get(), rig.get(), &options, &refused), PELT_ERROR_INTERNAL, "enough");

  // A number that is not 0 stops it.
  std::uint32_t stop = 0;
  options.stop = &stop;
  options.user = &stop;
  options.progress = [](void* user, double, const char*) { *static_cast<std::uint32_t*>(user) = 1; };
  EXPECT_REFUSED(pelt_bind(model.get(), rig.get(), &options, &refused), PELT_ERROR_STOPPED, "stopped");
  // A caller whose header has no such number knows nothing of it.
  options.struct_size = offsetof(pelt_bind_options, stop);
  EXPECT_TRUE(bind_in_c(model, rig, &options));
}

std::vector<std::byte> saved_bytes(const CharacterHandle& character) {
  std::vector<std::byte> got;
  const auto write = [](void* user, const void* bytes, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(bytes);
    static_cast<std::vector<std::byte>*>(user)->assign(first, first + size);
  };
  EXPECT_OK(pelt_character_save_memory(character.get(), &got, write));
  return got;
}

TEST(CApi, BindsAsTheEngineDoes) {
  const test::TemporaryFolder folder;
  const ModelHandle model = make_handle<ModelHandle>(pelt_model_import, "builtin:limb");
  const RigHandle rig = make_handle<RigHandle>(pelt_rig_from_deformer, "dual-quaternion");
  double progress = -1;
  auto options = sized<pelt_bind_options>();
  options.user = &progress;
  options.progress = [](void* user, double fraction, const char*) { *static_cast<double*>(user) = fraction; };
  const CharacterHandle handle = bind_in_c(model, rig, &options);
  EXPECT_GE(progress, 0);
  const std::string path = (folder / "limb.pelt").string();
  ASSERT_OK(pelt_character_save(handle.get(), path.c_str()));
  Rig expected = rig_from_deformer_name("dual-quaternion").value();
  EXPECT_EQ(read_file(path).value(), serialize(test::bound(make_limb(), expected).character));
  EXPECT_TRUE(make_handle<CharacterHandle>(pelt_character_load, path.c_str()));

  options.paint = 1;
  expected.paint = PaintMode::kAlways;
  EXPECT_EQ(saved_bytes(bind_in_c(model, rig, &options)), serialize(test::bound(make_limb(), expected).character));

  expect_ends_early(model, rig, options);
}

TEST(CApi, WritesCharactersToMemory) {
  const Character character = make_caged();
  const CharacterHandle handle = in_c(character);
  EXPECT_EQ(saved_bytes(handle), serialize(character));
  EXPECT_INVALID(pelt_character_save_memory(handle.get(), nullptr, nullptr), "write is null");
  EXPECT_INVALID(pelt_character_save_memory(nullptr, nullptr, [](void*, const void*, std::size_t) {}),
                 "character is null");
}

// A model that carries its rig is bound by it, and becomes a file that carries the character too.
TEST(CApi, BindsByTheRigOfTheModelAndWritesBoth) {
  const test::TemporaryFolder folder;
  const Model source = test::make_tube();
  const Rig expected_rig = rig_from_deformer_name("dual-quaternion").value();
  const std::string glb = format_glb(source).value();
  nlohmann::json document = parse_gltf_json(open_gltf(std::as_bytes(std::span(glb)), "tube")->json, "tube").value();
  document["extensionsUsed"] = {"PELT_deformers"};
  document["extensions"]["PELT_deformers"] = {{"version", 1}, {"rig", nlohmann::json::parse(format_rig(expected_rig))}};
  document["extras"]["kept"] = true;
  const std::vector<std::byte> bytes =
      format_glb_container(document, *open_gltf(std::as_bytes(std::span(glb)), "tube")->binary, "tube").value();
  const std::string path = (folder / "rigged.GLB").string();
  ASSERT_TRUE(write_file(path, bytes));

  const ModelHandle model = make_handle<ModelHandle>(pelt_model_import, path.c_str());
  const RigHandle rig = make_handle<RigHandle>(pelt_rig_load, path.c_str());
  const CharacterHandle made = bind_in_c(model, rig);

  const std::string both = (folder / "both.glb").string();
  for (const char* name : {"both.glb", "both.GLB", "both.gltf"}) {
    EXPECT_INVALID(pelt_character_save(made.get(), (folder / name).string().c_str()), "pelt_character_save_glb");
  }
  EXPECT_FALSE(std::filesystem::exists(both));
  ASSERT_OK(pelt_character_save_glb(made.get(), model.get(), both.c_str()));
  const auto carried = load_gltf_rig(both);
  ASSERT_TRUE(carried && *carried) << (carried ? "no rig" : carried.error().message);
  EXPECT_EQ((*carried)->rig, expected_rig);
  ASSERT_TRUE((*carried)->character) << (*carried)->note;
  EXPECT_EQ(serialize(*(*carried)->character),
            serialize(test::bound(import_model(path).value(), expected_rig).character));
  const std::vector<std::byte> written = read_file(both).value();
  EXPECT_EQ(parse_gltf_json(open_gltf(written, both)->json, both).value()["extras"]["kept"], true);
  const CharacterHandle loaded_handle = make_handle<CharacterHandle>(pelt_character_load, both.c_str());

  // A model that comes from no glTF file.
  const ModelHandle builtin = make_handle<ModelHandle>(pelt_model_import, "builtin:arm");
  const CharacterHandle moved = bind_in_c(builtin, rig);
  const std::string arm = (folder / "arm.glb").string();
  ASSERT_OK(pelt_character_save_glb(moved.get(), builtin.get(), arm.c_str()));
  EXPECT_TRUE(import_model(arm));
  EXPECT_EQ(serialize(load_character(arm).value()), serialize(test::bound(make_arm(), expected_rig).character));

  EXPECT_REFUSED(pelt_character_save_glb(moved.get(), builtin.get(), (folder / "no/folder.glb").string().c_str()),
                 PELT_ERROR_WRITE_FAILED, "folder.glb");
  // The file that the model came from no longer exists.
  std::filesystem::remove(path);
  EXPECT_REFUSED(pelt_character_save_glb(made.get(), model.get(), both.c_str()), PELT_ERROR_NOT_FOUND, "rigged.GLB");
}

// Expects the joints of the character, by number and by name.
void expect_joints_of(const pelt_character* character, const CharacterData& data) {
  for (std::uint32_t j = 0; j < data.skeleton.joints.size(); ++j) {
    const auto joint = got<pelt_joint_info>(pelt_character_get_joint, character, j);
    EXPECT_EQ(joint.name, data.skeleton.joints[j].name);
    EXPECT_EQ(joint.parent, j == 0 ? PELT_NONE : j - 1);
    const Transform& rest = data.skeleton.joints[j].rest;
    EXPECT_EQ(joint.rest[3], rest.rotation.w);
    EXPECT_EQ(glm::make_vec3(joint.rest + 4), rest.translation);
    ASSERT_NE(joint.inverse_bind, nullptr);
    EXPECT_EQ(glm::make_mat4(joint.inverse_bind), data.bound_joints[j].inverse_bind);
    std::uint32_t found = PELT_NONE;
    ASSERT_OK(pelt_character_find_joint(character, joint.name, &found));
    EXPECT_EQ(found, j);
  }
}

// Expects the meshes of the character.
void expect_meshes_of(const pelt_character* character, const CharacterData& data) {
  for (std::uint32_t m = 0; m < data.meshes.size(); ++m) {
    const auto mesh = got<pelt_mesh_info>(pelt_character_get_mesh, character, m);
    EXPECT_EQ(mesh.name, data.meshes[m].name);
    EXPECT_EQ(mesh.control != 0, data.meshes[m].control);
    ASSERT_EQ(mesh.vertex_count, data.meshes[m].vertex_count());
    ASSERT_EQ(mesh.triangle_count, data.meshes[m].triangles.size());
    EXPECT_EQ(std::memcmp(mesh.triangles, data.meshes[m].triangles.data(), 12 * mesh.triangle_count), 0);
    EXPECT_EQ(std::memcmp(mesh.source_vertex, data.meshes[m].source_vertex.data(), 4 * mesh.vertex_count), 0);
    EXPECT_EQ(mesh.uvs == nullptr, data.meshes[m].uvs.empty());
    EXPECT_EQ(mesh.first_vertex, data.meshes[m].first_vertex);
    EXPECT_EQ(std::memcmp(mesh.rest_positions, data.meshes[m].binding.points.data(), 12 * mesh.vertex_count), 0);
    ASSERT_EQ(mesh.part_count, data.meshes[m].parts.size());
    for (std::uint32_t p = 0; p < mesh.part_count; ++p) {
      const MeshPart& part = data.meshes[m].parts[p];
      EXPECT_EQ(mesh.parts[p].first_triangle, part.first_triangle);
      EXPECT_EQ(mesh.parts[p].triangle_count, part.triangle_count);
      EXPECT_EQ(mesh.parts[p].material, part.material < 0 ? PELT_NONE : static_cast<std::uint32_t>(part.material));
    }
  }
}

TEST(CApi, HasPartsAndMaterials) {
  Model model = test::make_tube();
  model.materials = {{.name = "skin"}, {.name = "leaf", .base_color = {0.1f, 0.2f, 0.3f, 0.4f}}};
  const auto triangles = static_cast<std::uint32_t>(model.meshes[0].triangles.size());
  model.meshes[0].parts = {{0, 4, 1}, {4, triangles - 4, -1}};
  const Character bound = test::bound(model, test::rig_of(LinearBlendParameters{})).character;
  const CharacterHandle handle = in_c(bound);
  expect_meshes_of(handle.get(), *bound);
  const auto info = got<pelt_character_info>(pelt_character_get_info, handle.get());
  ASSERT_EQ(info.material_count, 2u);
  auto material = got<pelt_material_info>(pelt_character_get_material, handle.get(), 1);
  EXPECT_STREQ(material.name, "leaf");
  EXPECT_EQ(material.base_color[2], 0.3f);
  EXPECT_INVALID(pelt_character_get_material(handle.get(), 2, &material), "material 2 does not exist: there are 2");
}

// Expects only the parts of the character of make_caged() to be found by name.
void expect_found_by_name(const pelt_character* character) {
  std::uint32_t found = PELT_NONE;
  EXPECT_OK(pelt_character_find_clip(character, "nod", &found));
  EXPECT_OK(pelt_character_find_stream(character, "cage", &found));
  EXPECT_OK(pelt_character_find_control(character, "morphed/lift", &found));
  EXPECT_EQ(found, 0u);
  found = 7;
  EXPECT_REFUSED(pelt_character_find_joint(character, "tail", &found), PELT_ERROR_NOT_FOUND, "no joint 'tail'");
  EXPECT_REFUSED(pelt_character_find_clip(character, "run", &found), PELT_ERROR_NOT_FOUND, "'run'");
  EXPECT_REFUSED(pelt_character_find_stream(character, "tube", &found), PELT_ERROR_NOT_FOUND, "'tube'");
  EXPECT_REFUSED(pelt_character_find_control(character, "", &found), PELT_ERROR_NOT_FOUND, "''");
  EXPECT_EQ(found, 7u);
}

TEST(CApi, DescribesACharacter) {
  const Character expected = make_caged();
  const CharacterData& data = *expected;
  const CharacterHandle handle = in_c(expected);
  const pelt_character* character = handle.get();
  const auto info = got<pelt_character_info>(pelt_character_get_info, character);
  EXPECT_EQ(info.joint_count, data.skeleton.joints.size());
  EXPECT_EQ(info.mesh_count, data.meshes.size());
  EXPECT_EQ(info.clip_count, 1u);
  EXPECT_EQ(info.stream_count, 1u);
  EXPECT_EQ(info.control_count, data.controls.size());
  EXPECT_EQ(info.input_count, data.input_count);
  EXPECT_EQ(info.vertex_count, data.vertex_count());
  EXPECT_EQ(info.size, expected.size());
  EXPECT_EQ(info.name, data.name);
  EXPECT_FLOAT_EQ(info.least[1], -1);
  EXPECT_FLOAT_EQ(info.greatest[0], 8);

  expect_joints_of(character, data);
  expect_meshes_of(character, data);
  auto clip = got<pelt_clip_info>(pelt_character_get_clip, character, 0);
  EXPECT_STREQ(clip.name, "nod");
  EXPECT_EQ(clip.duration, 2.0f);
  auto stream = got<pelt_stream_info>(pelt_character_get_stream, character, 0);
  EXPECT_EQ(stream.mesh, data.streams[0].mesh);
  EXPECT_EQ(stream.vertex_count, data.meshes[stream.mesh].vertex_count());
  auto control = got<pelt_control_info>(pelt_character_get_control, character, 0);
  EXPECT_STREQ(control.name, "morphed/lift");
  EXPECT_EQ(control.kind, std::uint32_t{PELT_CONTROL_MORPH_TARGET});
  EXPECT_EQ(control.input, data.controls[0].input);

  expect_found_by_name(character);

  auto joint = sized<pelt_joint_info>();
  auto mesh = sized<pelt_mesh_info>();
  EXPECT_INVALID(pelt_character_get_joint(character, info.joint_count, &joint), "joint 2 does not exist: there are 2");
  EXPECT_INVALID(pelt_character_get_mesh(character, PELT_NONE, &mesh), "mesh 4294967295");
  EXPECT_INVALID(pelt_character_get_clip(character, 1, &clip), "clip 1 does not exist: there are 1");
  EXPECT_INVALID(pelt_character_get_stream(character, 1, &stream), "stream 1 does not exist: there are 1");
  EXPECT_INVALID(pelt_character_get_control(character, info.control_count, &control), "control");
}

TEST(CApi, SamplesClips) {
  const Character expected = make_caged();
  const CharacterData& data = *expected;
  const CharacterHandle handle = in_c(expected);
  const auto joint_count = static_cast<std::uint32_t>(data.skeleton.joints.size());
  std::vector<Transform> local(joint_count);
  std::vector<glm::mat4> matrices(joint_count);
  std::vector<glm::mat4> got(joint_count);
  float* const joints = glm::value_ptr(got.front());
  rest_matrices(data.skeleton, matrices);
  ASSERT_OK(pelt_character_rest_pose(handle.get(), joints, joint_count));
  EXPECT_EQ(got, matrices);
  std::vector<float> inputs(data.input_count);
  const std::vector<float> rest = test::inputs_at_rest(data);
  ASSERT_OK(pelt_character_rest_inputs(handle.get(), inputs.data(), data.input_count));
  EXPECT_EQ(inputs, rest);
  for (const float seconds : {-1.0f, 0.0f, 0.5f, 1.3f, 2.0f, 9.0f}) {
    rest_pose(data.skeleton, local);
    sample_clip(data.clips[0], seconds, local);
    model_matrices(data.skeleton, local, matrices);
    ASSERT_OK(pelt_character_sample_clip(handle.get(), 0, seconds, joints, joint_count));
    EXPECT_EQ(got, matrices);
    std::vector<float> transforms(10 * joint_count);
    ASSERT_OK(pelt_character_sample_transforms(handle.get(), 0, seconds, transforms.data(), joint_count));
    EXPECT_EQ(glm::make_vec3(&transforms[14]), local[1].translation);
    std::ranges::fill(got, glm::mat4(0));
    ASSERT_OK(pelt_character_place_joints(handle.get(), transforms.data(), joints, joint_count));
    EXPECT_EQ(got, matrices);
    ASSERT_OK(pelt_character_sample_inputs(handle.get(), 0, seconds, inputs.data(), data.input_count));
    std::vector<float> wanted = rest;
    wanted[data.controls[0].input] = sample(data.clips[0].morph_channels[0], seconds);
    EXPECT_EQ(inputs, wanted);
  }
  EXPECT_INVALID(pelt_character_sample_clip(handle.get(), 0, NAN, joints, joint_count), "seconds");
  EXPECT_INVALID(pelt_character_sample_clip(handle.get(), 1, 0, joints, joint_count),
                 "clip 1 does not exist: there are 1");
  EXPECT_INVALID(pelt_character_rest_pose(handle.get(), joints, 1), "1 joint matrices");
  EXPECT_INVALID(pelt_character_rest_pose(handle.get(), nullptr, joint_count), "joints is null");
  EXPECT_INVALID(pelt_character_rest_inputs(handle.get(), inputs.data(), 0), "0 inputs");
}

TEST(CApi, ShowsLevelsOfDetail) {
  Model model = test::make_tube();
  model.levels = {{0, 2, test::make_tube_mesh({.around = 6, .along = 8})}};
  model.levels[0].mesh.name = "coarse";
  const CharacterHandle handle = in_c(test::bound_by(model, "linear_blend"));
  pelt_character_info info{.struct_size = sizeof info};
  ASSERT_OK(pelt_character_get_info(handle.get(), &info));
  EXPECT_EQ(info.coarsest_level, 2u);
  const CharacterHandle coarse = make_handle<CharacterHandle>(pelt_character_at_level, handle.get(), 2);
  ASSERT_OK(pelt_character_get_info(coarse.get(), &info));
  EXPECT_EQ(info.coarsest_level, 0u);
  EXPECT_EQ(info.vertex_count, model.levels[0].mesh.positions.size());
  pelt_character* made = nullptr;
  EXPECT_INVALID(pelt_character_at_level(handle.get(), 3, &made), "level 3 does not exist: there are 3");
  EXPECT_INVALID(pelt_character_at_level(handle.get(), 2, nullptr), "out is null");
}

TEST(CApi, TurnsHelperJoints) {
  Model model = test::make_tube({.joints = 3});
  model.skeleton.joints[2].parent = 0;
  Rig rig = test::rig_of(LinearBlendParameters{}, "tube");
  rig.helper_joints = {{.joint = "joint2", .source = "joint1", .twist = 1}};
  const Character character = test::bound(model, rig).character;
  const CharacterHandle handle = in_c(character);
  std::vector<glm::mat4> joints(3);
  rest_matrices(character->skeleton, joints);
  joints[1] = glm::rotate(joints[1], 0.5f, glm::vec3(1, 0, 0));
  std::vector<glm::mat4> wanted = joints;
  turn_helpers(character->skeleton, wanted);
  EXPECT_NE(wanted, joints);
  ASSERT_OK(pelt_character_turn_helpers(handle.get(), glm::value_ptr(joints.front()), 3));
  EXPECT_EQ(joints, wanted);
  EXPECT_INVALID(pelt_character_turn_helpers(handle.get(), glm::value_ptr(joints.front()), 2), "2 joint matrices");
}

// The inputs of a clip contain twists of half a turn and more, as ClipTwists has them.
TEST(CApi, SamplesTwists) {
  Model model = test::make_tube({.joints = 4});
  const float turns[] = {0, 0.5f, 1.0f};  // of a full turn, at each key
  Channel channel{.joint = 2, .path = ChannelPath::kRotation, .times = {0, 1, 2}};
  for (const float turn : turns) {
    const glm::quat q = glm::angleAxis(0.75f * turn * 6.2831853f, glm::vec3(1, 0, 0));
    channel.values.insert(channel.values.end(), {q.x, q.y, q.z, q.w});
  }
  model.clips = {{.name = "drill", .duration = 2, .channels = {channel}}};
  const Character expected = test::bound(model, test::rig_of(CurveSkeletonParameters{})).character;
  const CharacterData& data = *expected;
  ASSERT_GT(data.input_count, 0u);
  const CharacterHandle handle = in_c(expected);
  const ClipTwists twists(data, data.clips[0]);
  for (const float seconds : {0.0f, 1.0f, 1.9f, 2.0f}) {
    std::vector<float> wanted = test::inputs_at_rest(data);
    twists.sample(seconds, wanted);
    std::vector<float> inputs(data.input_count);
    ASSERT_OK(pelt_character_sample_inputs(handle.get(), 0, seconds, inputs.data(), data.input_count));
    EXPECT_EQ(inputs, wanted);
    if (seconds == 2.0f) {
      EXPECT_NE(inputs, std::vector<float>(data.input_count, 0.0f));
    }
  }
}

TEST(CApi, KeepsACharacterForAllItsOwners) {
  const CharacterHandle handle = in_c(make_linear());
  EXPECT_OK(pelt_character_retain(handle.get()));
  pelt_character_destroy(handle.get());
  got<pelt_character_info>(pelt_character_get_info, handle.get());
}

}  // namespace
}  // namespace pelt::runtime
