// SPDX-License-Identifier: MIT
// libpelt.so as its callers see it, compared with the C++ that it must equal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <glm/gtc/matrix_transform.hpp>
#include <glm/gtc/type_ptr.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/clip_twists.h>
#include <pelt/curve_skeleton.h>
#include <pelt/evaluate.h>
#include <pelt/gltf_export.h>
#include <pelt/gltf_rig.h>
#include <pelt/import.h>
#include <pelt/linear_blend.h>
#include <pelt/pelt_file.h>
#include <pelt/pose.h>
#include <pelt/rig_json.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/tools/file_io.h>
#include <pelt/version.h>

#include "engine/model/gltf/container.h"
#include "tests/runtime/c_layout.h"
#include "tests/support/driven.h"
#include "tests/support/gpu.h"
#include "tests/support/program.h"
#include "tests/support/tube.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;
using testing::HasSubstr;
using testing::StartsWith;

template <auto destroy>
struct Destroy {
  void operator()(auto* handle) const { destroy(handle); }
};
template <class T, auto destroy>
using Handle = std::unique_ptr<T, Destroy<destroy>>;
using CharacterHandle = Handle<pelt_character, pelt_character_destroy>;
using ModelHandle = Handle<pelt_model, pelt_model_destroy>;
using RigHandle = Handle<pelt_rig, pelt_rig_destroy>;
using DeviceHandle = Handle<pelt_device, pelt_device_destroy>;
using GpuHandle = Handle<pelt_gpu_characters, pelt_gpu_characters_destroy>;
using CrowdHandle = Handle<pelt_crowd, pelt_crowd_destroy>;

#define ASSERT_OK(call) ASSERT_EQ(call, PELT_OK) << pelt_last_error()
#define EXPECT_OK(call) EXPECT_EQ(call, PELT_OK) << pelt_last_error()

// Expects that a call is refused, and why; the message begins with the library's function.
#define EXPECT_REFUSED(call, result, why)                         \
  do {                                                            \
    EXPECT_EQ(call, result) << #call;                             \
    EXPECT_THAT(pelt_last_error(), StartsWith("pelt_")) << #call; \
    EXPECT_THAT(pelt_last_error(), HasSubstr(why)) << #call;      \
  } while (false)
#define EXPECT_INVALID(call, why) EXPECT_REFUSED(call, PELT_ERROR_INVALID_ARGUMENT, why)

template <class T>
T sized() {
  T made{};
  made.struct_size = sizeof(T);
  return made;
}

// A tube in a streamed cage, a second one by a cage with a morph target, and a clip that moves a joint and the target.
Character make_caged() {
  Model model = test::make_tubes_in_two_cages();
  model.clips = {
      {.name = "nod",
       .duration = 2,
       .channels = {{.joint = 1, .path = ChannelPath::kTranslation, .times = {0, 2}, .values = {4, 0, 0, 4, 1, 0}}},
       .morph_channels = {{.mesh = "morphed", .target = 0, .times = {0, 2}, .values = {0, 3}}}}};
  return test::bound(model, test::two_cages()).character;
}

// Makes another character, by linear blend.
Character make_linear() { return test::bound(test::make_tube(), test::rig_of(LinearBlendParameters{})).character; }

CharacterHandle in_c(const Character& character) {
  const std::vector<std::byte> bytes = serialize(character);
  pelt_character* made = nullptr;
  EXPECT_OK(pelt_character_load_memory(bytes.data(), bytes.size(), "test", &made));
  return CharacterHandle(made);
}

// --------------------------------------------------------------------------------------------------------- the host

TEST(CApi, SaysItsVersion) {
  EXPECT_EQ(pelt_abi_version(), std::uint32_t{PELT_ABI_VERSION});
  const int number = PELT_VERSION;
  const std::string text =
      std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
  EXPECT_EQ(pelt_version_string(), text);
}

TEST(CApi, KeepsTheErrorsOfThreadsApart) {
  EXPECT_INVALID(pelt_character_load(nullptr, nullptr), "pelt_character_load: ");
  const std::string here = pelt_last_error();
  std::string there = "unset";
  std::thread([&] { there = pelt_last_error(); }).join();
  EXPECT_EQ(there, "");
  EXPECT_EQ(pelt_last_error(), here);
}

TEST(CApi, RefusesNullHandles) {
  std::uint32_t number = 7;
  float value = 7;
  float three[3];
  VkDeviceSize bytes = 7;
  VkDeviceAddress address = 7;
  auto info = sized<pelt_character_info>();
  auto joint = sized<pelt_joint_info>();
  auto mesh = sized<pelt_mesh_info>();
  auto clip = sized<pelt_clip_info>();
  auto stream = sized<pelt_stream_info>();
  auto control = sized<pelt_control_info>();
  auto description = sized<pelt_device_description>();
  auto handles = sized<pelt_device_handles>();
  auto crowd_info = sized<pelt_crowd_info>();
  auto instance = sized<pelt_instance_info>();
  auto outputs = sized<pelt_crowd_outputs>();
  const auto vertices = sized<pelt_vertices>();
  pelt_character* character = nullptr;
  pelt_crowd* crowd = nullptr;
  pelt_gpu_characters* gpu = nullptr;
  VkCommandBuffer none = VK_NULL_HANDLE;
  for (const pelt_result result : {pelt_character_save(nullptr, "x"),
                                   pelt_character_save_glb(nullptr, nullptr, "x"),
                                   pelt_character_retain(nullptr),
                                   pelt_character_get_info(nullptr, &info),
                                   pelt_character_get_joint(nullptr, 0, &joint),
                                   pelt_character_get_mesh(nullptr, 0, &mesh),
                                   pelt_character_get_clip(nullptr, 0, &clip),
                                   pelt_character_get_stream(nullptr, 0, &stream),
                                   pelt_character_get_control(nullptr, 0, &control),
                                   pelt_character_find_joint(nullptr, "x", &number),
                                   pelt_character_find_clip(nullptr, "x", &number),
                                   pelt_character_find_stream(nullptr, "x", &number),
                                   pelt_character_find_control(nullptr, "x", &number),
                                   pelt_character_rest_pose(nullptr, &value, 1),
                                   pelt_character_sample_clip(nullptr, 0, 0, &value, 1),
                                   pelt_character_rest_inputs(nullptr, &value, 1),
                                   pelt_character_sample_inputs(nullptr, 0, 0, &value, 1),
                                   pelt_bind(nullptr, nullptr, nullptr, &character),
                                   pelt_enable_required_features(nullptr, nullptr),
                                   pelt_describe_device(nullptr, nullptr, nullptr, &description),
                                   pelt_device_adopt(nullptr, nullptr),
                                   pelt_device_get_description(nullptr, &description),
                                   pelt_device_get_handles(nullptr, &handles),
                                   pelt_submit_and_wait(nullptr, "x", nullptr, nullptr),
                                   pelt_gpu_characters_create(nullptr, nullptr, 0, nullptr, &gpu),
                                   pelt_gpu_characters_record_upload(nullptr, none),
                                   pelt_gpu_characters_finish_upload(nullptr),
                                   pelt_upload_and_wait(nullptr, nullptr, 0, nullptr, &gpu),
                                   pelt_gpu_characters_get_bytes(nullptr, &bytes),
                                   pelt_crowd_create(nullptr, nullptr, nullptr, &crowd),
                                   pelt_crowd_pose(nullptr, 0, &value, 1),
                                   pelt_crowd_inputs(nullptr, 0, &value, 1),
                                   pelt_crowd_stream(nullptr, 0, 0, &value, 1),
                                   pelt_crowd_control(nullptr, 0, 0, 0),
                                   pelt_crowd_show(nullptr, 0, 0),
                                   pelt_crowd_update_every(nullptr, 0, 0),
                                   pelt_crowd_teleport(nullptr, 0),
                                   pelt_crowd_detail(nullptr, 0, 0, 0),
                                   pelt_crowd_record(nullptr, none),
                                   pelt_crowd_record_release(nullptr, none, 0, 1),
                                   pelt_crowd_record_acquire(nullptr, none, 0, 1, 0, 0),
                                   pelt_crowd_record_release_back(nullptr, none, 0, 1, 0),
                                   pelt_crowd_record_acquire_back(nullptr, none, 0, 1),
                                   pelt_crowd_get_info(nullptr, &crowd_info),
                                   pelt_crowd_get_instance(nullptr, 0, &instance),
                                   pelt_crowd_get_outputs(nullptr, &outputs),
                                   pelt_crowd_get_device_address(nullptr, &outputs.positions, &address),
                                   pelt_crowd_get_first_instance(nullptr, 0, &number),
                                   pelt_crowd_get_mesh_vertex(nullptr, 0, 0, &number),
                                   pelt_crowd_read_vertices(nullptr, 0, &vertices),
                                   pelt_crowd_read_bounds(nullptr, 0, three, three)}) {
    EXPECT_EQ(result, PELT_ERROR_INVALID_ARGUMENT);
  }
  EXPECT_THAT(pelt_last_error(), HasSubstr("crowd is null"));
  EXPECT_EQ(number, 7u);
  EXPECT_EQ(value, 7.0f);
  EXPECT_INVALID(pelt_character_load("x", nullptr), "out is null");
  EXPECT_INVALID(pelt_character_load_memory(nullptr, 0, nullptr, &character), "bytes is null");
  EXPECT_INVALID(pelt_model_import("builtin:limb", nullptr), "out is null");
  EXPECT_INVALID(pelt_rig_from_deformer(nullptr, nullptr), "out is null");
  EXPECT_INVALID(pelt_rig_load(nullptr, nullptr), "out is null");
  EXPECT_INVALID(pelt_device_create(nullptr, nullptr), "out is null");
  pelt_character_destroy(nullptr);
  pelt_model_destroy(nullptr);
  pelt_rig_destroy(nullptr);
  pelt_device_destroy(nullptr);
  pelt_gpu_characters_destroy(nullptr);
  pelt_crowd_destroy(nullptr);
}

TEST(CApi, TakesStructsOfOtherSizes) {
  const CharacterHandle character = in_c(make_linear());
  struct Newer {
    pelt_character_info known;
    std::uint64_t more;
  } newer{};
  newer.known.struct_size = sizeof(newer);
  EXPECT_REFUSED(pelt_character_get_info(character.get(), &newer.known), PELT_ERROR_UNSUPPORTED,
                 "info.struct_size is " + std::to_string(sizeof(newer)));
  for (const std::uint32_t size : {0u, 3u}) {
    newer.known.struct_size = size;
    EXPECT_INVALID(pelt_character_get_info(character.get(), &newer.known), "struct_size");
  }
  // An older program's struct, which ends after the first two counts.
  pelt_character_info older{};
  older.struct_size = offsetof(pelt_character_info, clip_count);
  older.clip_count = 77;
  older.vertex_count = 78;
  ASSERT_OK(pelt_character_get_info(character.get(), &older));
  EXPECT_EQ(older.struct_size, offsetof(pelt_character_info, clip_count));
  EXPECT_EQ(older.joint_count, 2u);
  EXPECT_EQ(older.mesh_count, 1u);
  EXPECT_EQ(older.clip_count, 77u);
  EXPECT_EQ(older.vertex_count, 78u);
}

TEST(CApi, SaysWhatIsWrongWithFiles) {
  const test::TemporaryFolder folder;
  pelt_character* made = nullptr;
  const std::string none = folder / "none.pelt";
  EXPECT_REFUSED(pelt_character_load(none.c_str(), &made), PELT_ERROR_NOT_FOUND, "none.pelt");
  std::vector<std::byte> bytes = serialize(make_linear());
  bytes[bytes.size() / 2] ^= std::byte{1};
  EXPECT_REFUSED(pelt_character_load_memory(bytes.data(), bytes.size(), "hero", &made), PELT_ERROR_INVALID_FILE,
                 "hero");
  EXPECT_REFUSED(pelt_character_load_memory(bytes.data(), 0, nullptr, &made), PELT_ERROR_INVALID_FILE, "memory");
  EXPECT_REFUSED(pelt_character_save(in_c(make_linear()).get(), (folder / "no/folder.pelt").c_str()),
                 PELT_ERROR_WRITE_FAILED, "folder.pelt");
  pelt_model* model = nullptr;
  EXPECT_REFUSED(pelt_model_import("builtin:none", &model), PELT_ERROR_NOT_FOUND, "none");
  EXPECT_REFUSED(pelt_model_import("model.txt", &model), PELT_ERROR_UNSUPPORTED, "model.txt");
  pelt_rig* rig = nullptr;
  EXPECT_REFUSED(pelt_rig_from_deformer("surface_fdf", &rig), PELT_ERROR_NOT_FOUND, "surface_ffd");
  std::ofstream(folder / "rig.json") << "{";
  EXPECT_REFUSED(pelt_rig_load((folder / "rig.json").c_str(), &rig), PELT_ERROR_INVALID_FILE, "rig.json");
  EXPECT_REFUSED(pelt_rig_load((folder / "none.glb").c_str(), &rig), PELT_ERROR_NOT_FOUND, "none.glb");
  std::ofstream(folder / "rig.gltf") << "{";
  EXPECT_REFUSED(pelt_rig_load((folder / "rig.gltf").c_str(), &rig), PELT_ERROR_INVALID_FILE, "rig.gltf");
  std::ofstream(folder / "plain.gltf") << R"({"asset": {"version": "2.0"}})";
  EXPECT_REFUSED(pelt_rig_load((folder / "plain.gltf").c_str(), &rig), PELT_ERROR_NOT_FOUND,
                 "plain.gltf: carries no rig");
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(model, nullptr);
  EXPECT_EQ(rig, nullptr);
}

TEST(CApi, BindsAsTheEngineDoes) {
  const test::TemporaryFolder folder;
  pelt_model* model = nullptr;
  pelt_rig* rig = nullptr;
  pelt_character* made = nullptr;
  ASSERT_OK(pelt_model_import("builtin:limb", &model));
  const ModelHandle own_model(model);
  ASSERT_OK(pelt_rig_from_deformer("dual-quaternion", &rig));
  const RigHandle own_rig(rig);
  double progress = -1;
  auto options = sized<pelt_bind_options>();
  options.user = &progress;
  options.progress = [](void* user, double fraction, const char*) { *static_cast<double*>(user) = fraction; };
  ASSERT_OK(pelt_bind(model, rig, &options, &made));
  const CharacterHandle own(made);
  EXPECT_GE(progress, 0);
  const std::string path = folder / "limb.pelt";
  ASSERT_OK(pelt_character_save(made, path.c_str()));

  options.linear_fit = 1;
  pelt_character* fitted = nullptr;
  ASSERT_OK(pelt_bind(model, rig, &options, &fitted));
  const CharacterHandle own_fitted(fitted);
  auto mesh = sized<pelt_mesh_info>();
  ASSERT_OK(pelt_character_get_mesh(fitted, 0, &mesh));
  EXPECT_GE(mesh.fit_worst, mesh.fit_rms);
  EXPECT_GT(mesh.fit_rms, 0);

  const Result<Model> cpp_model = import_model("builtin:limb");
  const Result<Rig> cpp_rig = rig_from_deformer_name("dual-quaternion");
  ASSERT_TRUE(cpp_model && cpp_rig);
  const std::vector<std::byte> expected = serialize(test::bound(*cpp_model, *cpp_rig).character);
  EXPECT_EQ(test::file_text(path), std::string(reinterpret_cast<const char*>(expected.data()), expected.size()));

  pelt_character* loaded = nullptr;
  ASSERT_OK(pelt_character_load(path.c_str(), &loaded));
  pelt_character_destroy(loaded);

  // A C++ callback that throws is reported, and nothing else happens.
  options.progress = [](void*, double, const char*) { throw std::runtime_error("enough"); };
  EXPECT_REFUSED(pelt_bind(model, rig, &options, &loaded), PELT_ERROR_INTERNAL, "enough");
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
  const std::string path = folder / "rigged.GLB";
  ASSERT_TRUE(write_file(path, bytes));

  pelt_model* model = nullptr;
  pelt_rig* rig = nullptr;
  pelt_character* made = nullptr;
  ASSERT_OK(pelt_model_import(path.c_str(), &model));
  const ModelHandle own_model(model);
  ASSERT_OK(pelt_rig_load(path.c_str(), &rig));
  const RigHandle own_rig(rig);
  ASSERT_OK(pelt_bind(model, rig, nullptr, &made));
  const CharacterHandle own(made);

  const std::string both = folder / "both.glb";
  for (const char* name : {"both.glb", "both.GLB", "both.gltf"}) {
    EXPECT_INVALID(pelt_character_save(made, (folder / name).c_str()), "pelt_character_save_glb");
  }
  EXPECT_FALSE(std::filesystem::exists(both));
  ASSERT_OK(pelt_character_save_glb(made, model, both.c_str()));
  const auto carried = load_gltf_rig(both);
  ASSERT_TRUE(carried && *carried) << (carried ? "no rig" : carried.error().message);
  EXPECT_EQ((*carried)->rig, expected_rig);
  ASSERT_TRUE((*carried)->character) << (*carried)->note;
  EXPECT_EQ(serialize(*(*carried)->character),
            serialize(test::bound(import_model(path).value(), expected_rig).character));
  const std::vector<std::byte> written = read_file(both).value();
  EXPECT_EQ(parse_gltf_json(open_gltf(written, both)->json, both).value()["extras"]["kept"], true);
  pelt_character* loaded = nullptr;
  ASSERT_OK(pelt_character_load(both.c_str(), &loaded));
  const CharacterHandle own_loaded(loaded);

  // A model that comes from no glTF file.
  pelt_model* limb = nullptr;
  ASSERT_OK(pelt_model_import("builtin:arm", &limb));
  const ModelHandle own_limb(limb);
  pelt_character* moved = nullptr;
  ASSERT_OK(pelt_bind(limb, rig, nullptr, &moved));
  const CharacterHandle own_moved(moved);
  const std::string arm = folder / "arm.glb";
  ASSERT_OK(pelt_character_save_glb(moved, limb, arm.c_str()));
  EXPECT_TRUE(import_model(arm));
  EXPECT_EQ(serialize(load_pelt(arm).value()), serialize(test::bound(make_arm(), expected_rig).character));

  EXPECT_REFUSED(pelt_character_save_glb(moved, limb, (folder / "no/folder.glb").c_str()), PELT_ERROR_WRITE_FAILED,
                 "folder.glb");
  // The file that the model came from no longer exists.
  std::filesystem::remove(path);
  EXPECT_REFUSED(pelt_character_save_glb(made, model, both.c_str()), PELT_ERROR_NOT_FOUND, "rigged.GLB");
}

TEST(CApi, DescribesACharacter) {
  const Character expected = make_caged();
  const CharacterData& data = *expected;
  const CharacterHandle own = in_c(expected);
  const pelt_character* character = own.get();
  auto info = sized<pelt_character_info>();
  ASSERT_OK(pelt_character_get_info(character, &info));
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

  for (std::uint32_t j = 0; j < info.joint_count; ++j) {
    auto joint = sized<pelt_joint_info>();
    ASSERT_OK(pelt_character_get_joint(character, j, &joint));
    EXPECT_EQ(joint.name, data.skeleton.joints[j].name);
    EXPECT_EQ(joint.parent, j == 0 ? PELT_NONE : j - 1);
    std::uint32_t found = PELT_NONE;
    ASSERT_OK(pelt_character_find_joint(character, joint.name, &found));
    EXPECT_EQ(found, j);
  }
  for (std::uint32_t m = 0; m < info.mesh_count; ++m) {
    auto mesh = sized<pelt_mesh_info>();
    ASSERT_OK(pelt_character_get_mesh(character, m, &mesh));
    EXPECT_EQ(mesh.name, data.meshes[m].name);
    EXPECT_EQ(mesh.control != 0, data.meshes[m].control);
    ASSERT_EQ(mesh.vertex_count, data.meshes[m].vertex_count());
    ASSERT_EQ(mesh.triangle_count, data.meshes[m].triangles.size());
    EXPECT_EQ(std::memcmp(mesh.triangles, data.meshes[m].triangles.data(), 12 * mesh.triangle_count), 0);
    EXPECT_EQ(std::memcmp(mesh.source_vertex, data.meshes[m].source_vertex.data(), 4 * mesh.vertex_count), 0);
    EXPECT_EQ(mesh.uvs == nullptr, data.meshes[m].uvs.empty());
    EXPECT_EQ(mesh.fit_worst, -1);
  }
  auto clip = sized<pelt_clip_info>();
  ASSERT_OK(pelt_character_get_clip(character, 0, &clip));
  EXPECT_STREQ(clip.name, "nod");
  EXPECT_EQ(clip.duration, 2.0f);
  auto stream = sized<pelt_stream_info>();
  ASSERT_OK(pelt_character_get_stream(character, 0, &stream));
  EXPECT_EQ(stream.mesh, data.streams[0].mesh);
  EXPECT_EQ(stream.vertex_count, data.meshes[stream.mesh].vertex_count());
  auto control = sized<pelt_control_info>();
  ASSERT_OK(pelt_character_get_control(character, 0, &control));
  EXPECT_STREQ(control.name, "morphed/lift");
  EXPECT_EQ(control.kind, std::uint32_t{PELT_CONTROL_MORPH_TARGET});
  EXPECT_EQ(control.input, data.controls[0].input);

  std::uint32_t found = PELT_NONE;
  EXPECT_OK(pelt_character_find_clip(character, "nod", &found));
  EXPECT_OK(pelt_character_find_stream(character, "cage", &found));
  EXPECT_OK(pelt_character_find_control(character, "morphed/lift", &found));
  EXPECT_EQ(found, 0u);
  found = 7;
  EXPECT_REFUSED(pelt_character_find_joint(character, "tail", &found), PELT_ERROR_NOT_FOUND, "joint is called 'tail'");
  EXPECT_REFUSED(pelt_character_find_clip(character, "run", &found), PELT_ERROR_NOT_FOUND, "'run'");
  EXPECT_REFUSED(pelt_character_find_stream(character, "tube", &found), PELT_ERROR_NOT_FOUND, "'tube'");
  EXPECT_REFUSED(pelt_character_find_control(character, "", &found), PELT_ERROR_NOT_FOUND, "''");
  EXPECT_EQ(found, 7u);

  auto joint = sized<pelt_joint_info>();
  auto mesh = sized<pelt_mesh_info>();
  EXPECT_INVALID(pelt_character_get_joint(character, info.joint_count, &joint), "joint 2 of 2");
  EXPECT_INVALID(pelt_character_get_mesh(character, PELT_NONE, &mesh), "mesh 4294967295");
  EXPECT_INVALID(pelt_character_get_clip(character, 1, &clip), "clip 1 of 1");
  EXPECT_INVALID(pelt_character_get_stream(character, 1, &stream), "stream 1 of 1");
  EXPECT_INVALID(pelt_character_get_control(character, info.control_count, &control), "control");
}

TEST(CApi, SamplesClips) {
  const Character expected = make_caged();
  const CharacterData& data = *expected;
  const CharacterHandle own = in_c(expected);
  const auto joint_count = static_cast<std::uint32_t>(data.skeleton.joints.size());
  std::vector<Transform> local(joint_count);
  std::vector<glm::mat4> matrices(joint_count);
  std::vector<glm::mat4> got(joint_count);
  float* const joints = glm::value_ptr(got.front());
  rest_matrices(data.skeleton, matrices);
  ASSERT_OK(pelt_character_rest_pose(own.get(), joints, joint_count));
  EXPECT_EQ(got, matrices);
  std::vector<float> inputs(data.input_count);
  std::vector<float> rest(data.input_count);
  rest_inputs(data, rest);
  ASSERT_OK(pelt_character_rest_inputs(own.get(), inputs.data(), data.input_count));
  EXPECT_EQ(inputs, rest);
  for (const float seconds : {-1.0f, 0.0f, 0.5f, 1.3f, 2.0f, 9.0f}) {
    rest_pose(data.skeleton, local);
    sample_clip(data.clips[0], seconds, local);
    model_matrices(data.skeleton, local, matrices);
    ASSERT_OK(pelt_character_sample_clip(own.get(), 0, seconds, joints, joint_count));
    EXPECT_EQ(got, matrices);
    ASSERT_OK(pelt_character_sample_inputs(own.get(), 0, seconds, inputs.data(), data.input_count));
    std::vector<float> wanted = rest;
    wanted[data.controls[0].input] = sample(data.clips[0].morph_channels[0], seconds);
    EXPECT_EQ(inputs, wanted);
  }
  EXPECT_INVALID(pelt_character_sample_clip(own.get(), 0, NAN, joints, joint_count), "seconds");
  EXPECT_INVALID(pelt_character_sample_clip(own.get(), 1, 0, joints, joint_count), "clip 1 of 1");
  EXPECT_INVALID(pelt_character_rest_pose(own.get(), joints, 1), "1 joint matrices");
  EXPECT_INVALID(pelt_character_rest_pose(own.get(), nullptr, joint_count), "joints is null");
  EXPECT_INVALID(pelt_character_rest_inputs(own.get(), inputs.data(), 0), "0 inputs");
}

TEST(CApi, ShowsLevelsOfDetail) {
  Model model = test::make_tube();
  model.levels = {{0, 2, test::make_tube_mesh({.around = 6, .along = 8})}};
  model.levels[0].mesh.name = "coarse";
  const CharacterHandle own = in_c(test::bound_by(model, "linear_blend"));
  pelt_character_info info{.struct_size = sizeof info};
  ASSERT_OK(pelt_character_get_info(own.get(), &info));
  EXPECT_EQ(info.coarsest_level, 2u);
  pelt_character* made = nullptr;
  ASSERT_OK(pelt_character_at_level(own.get(), 2, &made));
  const CharacterHandle coarse(made);
  ASSERT_OK(pelt_character_get_info(coarse.get(), &info));
  EXPECT_EQ(info.coarsest_level, 0u);
  EXPECT_EQ(info.vertex_count, model.levels[0].mesh.positions.size());
  EXPECT_INVALID(pelt_character_at_level(own.get(), 3, &made), "level 3 of 3");
  EXPECT_INVALID(pelt_character_at_level(own.get(), 2, nullptr), "out is null");
}

TEST(CApi, TurnsHelperJoints) {
  Model model = test::make_tube({.joints = 3});
  model.skeleton.joints[2].parent = 0;
  Rig rig = test::rig_of(LinearBlendParameters{}, "tube");
  rig.helper_joints = {{.joint = "joint2", .source = "joint1", .twist = 1}};
  const Character character = test::bound(model, rig).character;
  const CharacterHandle own = in_c(character);
  std::vector<glm::mat4> joints(3);
  rest_matrices(character->skeleton, joints);
  joints[1] = glm::rotate(joints[1], 0.5f, glm::vec3(1, 0, 0));
  std::vector<glm::mat4> wanted = joints;
  turn_helpers(character->skeleton, wanted);
  EXPECT_NE(wanted, joints);
  ASSERT_OK(pelt_character_turn_helpers(own.get(), glm::value_ptr(joints.front()), 3));
  EXPECT_EQ(joints, wanted);
  EXPECT_INVALID(pelt_character_turn_helpers(own.get(), glm::value_ptr(joints.front()), 2), "2 joint matrices");
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
  const CharacterHandle own = in_c(expected);
  const ClipTwists twists(data, data.clips[0]);
  for (const float seconds : {0.0f, 1.0f, 1.9f, 2.0f}) {
    std::vector<float> wanted(data.input_count);
    rest_inputs(data, wanted);
    twists.sample(seconds, wanted);
    std::vector<float> inputs(data.input_count);
    ASSERT_OK(pelt_character_sample_inputs(own.get(), 0, seconds, inputs.data(), data.input_count));
    EXPECT_EQ(inputs, wanted);
    if (seconds == 2.0f) {
      EXPECT_NE(inputs, std::vector<float>(data.input_count, 0.0f));
    }
  }
}

TEST(CApi, KeepsACharacterForAllItsOwners) {
  const CharacterHandle own = in_c(make_linear());
  EXPECT_OK(pelt_character_retain(own.get()));
  pelt_character_destroy(own.get());
  auto info = sized<pelt_character_info>();
  EXPECT_OK(pelt_character_get_info(own.get(), &info));
}

// ------------------------------------------------------------------------------------------------------- the device

class CCrowds : public testing::Test {
 protected:
  void SetUp() override {
    PELT_REQUIRE_GPU(gpu_device());
    for (const Character& character : characters_) c_characters_.push_back(in_c(character));
    pelt_device* device = nullptr;
    pelt_device_handles handles = handles_of_device();
    ASSERT_OK(pelt_device_adopt(&handles, &device));
    device_.reset(device);
  }

  static pelt_device_handles handles_of_device() {
    auto handles = sized<pelt_device_handles>();
    handles.get_instance_proc_addr = vulkan_entry_point();
    handles.instance = gpu_device()->instance();
    handles.physical = gpu_device()->physical();
    handles.device = gpu_device()->handle();
    handles.queue_family = gpu_device()->queue_family();
    handles.queue = gpu_device()->queue();
    return handles;
  }

  GpuHandle upload_all(const pelt_device* device) const {
    const pelt_character* all[] = {c_characters_[0].get(), c_characters_[1].get()};
    pelt_gpu_characters* gpu = nullptr;
    EXPECT_OK(pelt_upload_and_wait(device, all, 2, nullptr, &gpu));
    return GpuHandle(gpu);
  }

  CrowdHandle make_crowd(const pelt_device* device, const pelt_gpu_characters* gpu,
                         const pelt_crowd_options* options = nullptr) const {
    pelt_crowd* crowd = nullptr;
    EXPECT_OK(pelt_crowd_create(device, gpu, options, &crowd));
    return CrowdHandle(crowd);
  }

  static pelt_result run_frame(const pelt_device* device, pelt_crowd* crowd) {
    return pelt_submit_and_wait(
        device, "frame",
        [](void* user, VkCommandBuffer commands) {
          EXPECT_OK(pelt_crowd_record(static_cast<pelt_crowd*>(user), commands));
        },
        crowd);
  }

  std::vector<Character> characters_{make_caged(), make_linear()};
  std::vector<CharacterHandle> c_characters_;
  DeviceHandle device_;
};

// Returns the bytes of an output, for all vertices or instances.
std::vector<std::byte> bytes_of(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size) {
  Result<std::vector<std::byte>> bytes = read_buffer(*gpu_device(), buffer, offset, size);
  EXPECT_TRUE(bytes) << bytes.error().message;
  return std::move(*bytes);
}

TEST_F(CCrowds, EqualThoseOfCpp) {
  const Result<GpuCharacters> gpu = upload(*gpu_device(), characters_);
  ASSERT_TRUE(gpu);
  CrowdOptions cpp_options{.instances = {2, 3}};
  cpp_options.outputs.previous_positions.format = VertexFormat::kFloat;
  cpp_options.outputs.bounds = true;
  cpp_options.outputs.bounds_stride = 32;
  Result<Crowd> cpp = Crowd::create(*gpu_device(), *gpu, cpp_options);
  ASSERT_TRUE(cpp) << cpp.error().message;

  const GpuHandle c_gpu = upload_all(device_.get());
  const std::uint32_t instances[] = {2, 3};
  auto options = sized<pelt_crowd_options>();
  options.instances = instances;
  options.character_count = 2;
  options.previous_positions.format = PELT_FORMAT_FLOAT;
  options.bounds = 1;
  options.bounds_stride = 32;
  const CrowdHandle own = make_crowd(device_.get(), c_gpu.get(), &options);
  pelt_crowd* c = own.get();
  VkDeviceSize size = 0;
  ASSERT_OK(pelt_gpu_characters_get_bytes(c_gpu.get(), &size));
  EXPECT_EQ(size, gpu->bytes());

  auto info = sized<pelt_crowd_info>();
  ASSERT_OK(pelt_crowd_get_info(c, &info));
  EXPECT_EQ(info.instance_count, 5u);
  EXPECT_EQ(info.character_count, 2u);
  EXPECT_EQ(info.dispatch_count, cpp->passes().size());
  EXPECT_EQ(info.barrier_count, cpp->barrier_count());
  std::uint32_t number = 0;
  ASSERT_OK(pelt_crowd_get_first_instance(c, 1, &number));
  EXPECT_EQ(number, 2u);

  std::uint32_t vertices = 0;
  for (int frame = 0; frame < 4; ++frame) {
    for (std::uint32_t i = 0; i < 5; ++i) {
      std::vector<glm::mat4> joints = test::bind_matrices(test::make_tube());
      for (std::size_t j = 0; j < joints.size(); ++j) {
        const float angle = 0.1f * static_cast<float>(1 + frame + static_cast<int>(i * j));
        joints[j] = joints[j] * glm::rotate(glm::mat4(1), angle, glm::vec3(0, 0.6f, 0.8f));
      }
      cpp->pose(i, joints);
      ASSERT_OK(pelt_crowd_pose(c, i, glm::value_ptr(joints[0]), 2));
    }
    const std::vector<glm::vec3> cage = test::moved_points(
        characters_[0], "cage", [&](glm::vec3 p) { return p + glm::vec3(0, 0.1f * static_cast<float>(frame), 0); });
    cpp->stream(0, 0, cage);
    ASSERT_OK(pelt_crowd_stream(c, 0, 0, glm::value_ptr(cage[0]), static_cast<std::uint32_t>(cage.size())));
    cpp->control(1, 0, 0.5f);
    ASSERT_OK(pelt_crowd_control(c, 1, 0, 0.5f));
    if (frame == 2) {
      cpp->show(2, false);
      ASSERT_OK(pelt_crowd_show(c, 2, 0));
      cpp->update_every(3, 2);
      ASSERT_OK(pelt_crowd_update_every(c, 3, 2));
      cpp->teleport(4);
      ASSERT_OK(pelt_crowd_teleport(c, 4));
      cpp->detail(1, Detail::kReduced, 2);
      ASSERT_OK(pelt_crowd_detail(c, 1, PELT_DETAIL_REDUCED, 2));
    }
    ASSERT_TRUE(run(*gpu_device(), *cpp));
    ASSERT_OK(run_frame(device_.get(), c));

    for (std::uint32_t i = 0; i < 5; ++i) {
      auto instance = sized<pelt_instance_info>();
      ASSERT_OK(pelt_crowd_get_instance(c, i, &instance));
      EXPECT_EQ(instance.character, cpp->character_of(i));
      EXPECT_EQ(instance.first_vertex, cpp->first_vertex(i));
      EXPECT_EQ(instance.vertex_count, cpp->vertex_count(i));
      vertices = instance.first_vertex + instance.vertex_count;
    }
    auto outputs = sized<pelt_crowd_outputs>();
    ASSERT_OK(pelt_crowd_get_outputs(c, &outputs));
    EXPECT_EQ(outputs.normals.format, std::uint32_t{PELT_FORMAT_OCTAHEDRAL16});
    const OutputPlaces& places = cpp->outputs();
    const struct {
      const OutputPlace& expected;
      const pelt_output_place& got;
      std::uint32_t elements;
      std::uint32_t bytes;  // size of the last element
    } attributes[] = {{places.positions, outputs.positions, vertices, 12},
                      {places.normals, outputs.normals, vertices, 4},
                      {places.tangents, outputs.tangents, vertices, 4},
                      {places.previous_positions, outputs.previous_positions, vertices, 12},
                      {places.bounds, outputs.bounds, 5, 24}};
    for (const auto& [expected, got, elements, bytes] : attributes) {
      ASSERT_EQ(expected.stride, got.stride);
      const VkDeviceSize all = (elements - 1) * VkDeviceSize{got.stride} + bytes;
      EXPECT_EQ(bytes_of(expected.buffer, expected.offset, all), bytes_of(got.buffer, got.offset, all)) << frame;
    }
  }

  // Read back, unpacked.
  const Result<InstanceVertices> expected = read_vertices(*gpu_device(), *cpp, 1);
  const Result<Box> box = read_bounds(*gpu_device(), *cpp, 1);
  ASSERT_TRUE(expected && box);
  std::vector<glm::vec3> positions(expected->positions.size());
  std::vector<glm::vec3> normals(positions.size());
  std::vector<glm::vec4> tangents(positions.size());
  std::vector<glm::vec3> previous(positions.size());
  auto read = sized<pelt_vertices>();
  read.vertex_count = static_cast<std::uint32_t>(positions.size());
  read.positions = glm::value_ptr(positions[0]);
  read.normals = glm::value_ptr(normals[0]);
  read.tangents = glm::value_ptr(tangents[0]);
  read.previous_positions = glm::value_ptr(previous[0]);
  ASSERT_OK(pelt_crowd_read_vertices(c, 1, &read));
  EXPECT_EQ(positions, expected->positions);
  EXPECT_EQ(normals, expected->normals);
  EXPECT_EQ(tangents, expected->tangents);
  EXPECT_EQ(previous, expected->previous_positions);
  glm::vec3 least;
  glm::vec3 greatest;
  ASSERT_OK(pelt_crowd_read_bounds(c, 1, glm::value_ptr(least), glm::value_ptr(greatest)));
  EXPECT_EQ(least, box->least);
  EXPECT_EQ(greatest, box->greatest);
}

TEST_F(CCrowds, RefuseWhatTheyDoNotHave) {
  const GpuHandle gpu = upload_all(device_.get());
  const CrowdHandle own = make_crowd(device_.get(), gpu.get());
  pelt_crowd* c = own.get();
  const std::vector<float> floats(10000);
  std::uint32_t number = 0;
  float least[3];
  EXPECT_INVALID(pelt_crowd_pose(c, 2, floats.data(), 2), "pelt_crowd_pose: instance 2 of 2");
  EXPECT_INVALID(pelt_crowd_pose(c, 0, floats.data(), 3), "3 joint matrices are given, and there are 2");
  EXPECT_INVALID(pelt_crowd_pose(c, 0, nullptr, 2), "joints is null");
  EXPECT_INVALID(pelt_crowd_inputs(c, 0, floats.data(), 1), "1 inputs");
  EXPECT_OK(pelt_crowd_inputs(c, 1, nullptr, 0));
  EXPECT_INVALID(pelt_crowd_stream(c, 1, 0, floats.data(), 1), "stream 0 of 0");
  EXPECT_INVALID(pelt_crowd_stream(c, 0, 0, floats.data(), 1), "1 vertices");
  EXPECT_INVALID(pelt_crowd_control(c, 1, 0, 0), "control 0 of 0");
  EXPECT_INVALID(pelt_crowd_show(c, 9, 1), "instance 9 of 2");
  EXPECT_INVALID(pelt_crowd_update_every(c, 9, 1), "instance 9");
  EXPECT_INVALID(pelt_crowd_teleport(c, 9), "instance 9");
  EXPECT_INVALID(pelt_crowd_detail(c, 0, 77, 0), "detail 77");
  EXPECT_INVALID(pelt_crowd_record(c, VK_NULL_HANDLE), "commands is null");
  EXPECT_INVALID(pelt_crowd_get_first_instance(c, 2, &number), "character 2 of 2");
  EXPECT_INVALID(pelt_crowd_get_mesh_vertex(c, 0, 9, &number), "mesh 9");
  EXPECT_INVALID(pelt_crowd_read_bounds(c, 0, least, least), "no bounds");
  auto read = sized<pelt_vertices>();
  EXPECT_INVALID(pelt_crowd_read_vertices(c, 0, &read), "0 vertices");
  auto instance = sized<pelt_instance_info>();
  ASSERT_OK(pelt_crowd_get_instance(c, 1, &instance));
  std::vector<float> previous(3 * instance.vertex_count);
  read.vertex_count = instance.vertex_count;
  read.previous_positions = previous.data();
  EXPECT_INVALID(pelt_crowd_read_vertices(c, 1, &read), "no previous positions");

  // Only the skin's meshes are written.
  for (std::uint32_t m = 0; m < characters_[0]->meshes.size(); ++m) {
    const pelt_result result = pelt_crowd_get_mesh_vertex(c, 0, m, &number);
    EXPECT_EQ(result, characters_[0]->meshes[m].control ? PELT_ERROR_NOT_FOUND : PELT_OK);
  }
}

TEST_F(CCrowds, NeedOptionsThatMakeSense) {
  const GpuHandle gpu = upload_all(device_.get());
  const std::uint32_t instances[] = {1, 1, 1};
  const auto refused = [&](const auto& change, pelt_result result, const std::string& why) {
    auto options = sized<pelt_crowd_options>();
    change(options);
    pelt_crowd* crowd = nullptr;
    EXPECT_REFUSED(pelt_crowd_create(device_.get(), gpu.get(), &options, &crowd), result, why);
    EXPECT_EQ(crowd, nullptr);
  };
  constexpr pelt_result kInvalid = PELT_ERROR_INVALID_ARGUMENT;
  using Options = pelt_crowd_options;
  refused([](Options& o) { o.struct_size = 0; }, kInvalid, "options.struct_size is 0");
  refused([](Options& o) { o.struct_size += 8; }, PELT_ERROR_UNSUPPORTED, "options.struct_size is 216");
  refused([](Options& o) { o.character_count = 2; }, kInvalid, "options.instances is null");
  refused(
      [&](Options& o) {
        o.instances = instances;
        o.character_count = 3;
      },
      kInvalid, "has 3");
  refused([](Options& o) { o.normals.format = 9; }, kInvalid, "normals have the format 9");
  refused([](Options& o) { o.positions.format = PELT_FORMAT_OCTAHEDRAL8; }, kInvalid, "positions");
  refused([](Options& o) { o.positions.stride = 6; }, kInvalid, "stride 6");
  refused(
      [](Options& o) {
        o.bounds = 1;
        o.bounds_stride = 20;
      },
      kInvalid, "20");
  const auto some_buffer = reinterpret_cast<VkBuffer>(std::uintptr_t{1});  // refused before it is used
  refused([&](Options& o) { o.joints = {some_buffer, 1}; }, kInvalid, "joint matrices are at offset 1");
  refused([&](Options& o) { o.inputs = {some_buffer, 1}; }, kInvalid, "inputs are at offset 1");
  refused([&](Options& o) { o.visible = {some_buffer, 1}; }, kInvalid, "visible instances are at offset 1");

  // An older program's options, which know only the numbers of instances.
  auto options = sized<pelt_crowd_options>();
  options.struct_size = offsetof(pelt_crowd_options, frames_in_flight);
  options.instances = instances;
  options.character_count = 2;
  options.positions.format = PELT_FORMAT_NONE;  // beyond the size
  const CrowdHandle crowd = make_crowd(device_.get(), gpu.get(), &options);
  auto outputs = sized<pelt_crowd_outputs>();
  ASSERT_OK(pelt_crowd_get_outputs(crowd.get(), &outputs));
  EXPECT_EQ(outputs.positions.format, std::uint32_t{PELT_FORMAT_FLOAT});
}

// The largest numbers that fit: all influences, and a fade that has hardly begun.
TEST_F(CCrowds, TakeTheLargestNumbers) {
  const GpuHandle gpu = upload_all(device_.get());
  std::vector<glm::mat4> joints = test::bind_matrices(test::make_tube());
  joints[1] = joints[1] * glm::rotate(glm::mat4(1), 1.0f, glm::vec3(0, 0, 1));
  // Returns positions of the second character, moved at this detail.
  const auto moved = [&](std::uint32_t reduced_influences, std::uint32_t detail, std::uint32_t fade_frames) {
    auto options = sized<pelt_crowd_options>();
    options.reduced_influences = reduced_influences;
    const CrowdHandle crowd = make_crowd(device_.get(), gpu.get(), &options);
    EXPECT_OK(pelt_crowd_pose(crowd.get(), 1, glm::value_ptr(joints[0]), 2));
    EXPECT_OK(pelt_crowd_detail(crowd.get(), 1, detail, fade_frames));
    EXPECT_OK(run_frame(device_.get(), crowd.get()));
    auto info = sized<pelt_instance_info>();
    EXPECT_OK(pelt_crowd_get_instance(crowd.get(), 1, &info));
    std::vector<glm::vec3> positions(info.vertex_count);
    auto vertices = sized<pelt_vertices>();
    vertices.vertex_count = info.vertex_count;
    vertices.positions = glm::value_ptr(positions[0]);
    EXPECT_OK(pelt_crowd_read_vertices(crowd.get(), 1, &vertices));
    return positions;
  };
  const auto farthest = [](const std::vector<glm::vec3>& a, const std::vector<glm::vec3>& b) {
    float distance = 0;
    for (std::size_t v = 0; v < a.size(); ++v) distance = std::max(distance, glm::distance(a[v], b[v]));
    return distance;
  };
  const std::vector<glm::vec3> full = moved(0, PELT_DETAIL_FULL, 0);
  EXPECT_GT(farthest(moved(1, PELT_DETAIL_REDUCED, 0), full), 1e-3f);
  EXPECT_LT(farthest(moved(UINT32_MAX, PELT_DETAIL_REDUCED, 0), full), 1e-5f);
  EXPECT_LT(farthest(moved(1, PELT_DETAIL_REDUCED, UINT32_MAX), full), 1e-5f);
}

// If the caller has buffers of joint matrices, inputs and lists, the functions that set these refuse.
TEST_F(CCrowds, LeaveBuffersOfTheCallersAlone) {
  const GpuHandle gpu = upload_all(device_.get());
  const CrowdHandle source = make_crowd(device_.get(), gpu.get());
  auto outputs = sized<pelt_crowd_outputs>();
  ASSERT_OK(pelt_crowd_get_outputs(source.get(), &outputs));
  auto options = sized<pelt_crowd_options>();
  options.joints = options.inputs = options.visible = {outputs.positions.buffer, 0};
  const CrowdHandle own = make_crowd(device_.get(), gpu.get(), &options);
  const std::vector<float> floats(10000);
  EXPECT_INVALID(pelt_crowd_pose(own.get(), 0, floats.data(), 2), "joint matrices from a buffer");
  EXPECT_INVALID(pelt_crowd_inputs(own.get(), 0, floats.data(), 1), "inputs from a buffer");
  EXPECT_INVALID(pelt_crowd_stream(own.get(), 0, 0, floats.data(), 1), "inputs from a buffer");
  EXPECT_INVALID(pelt_crowd_control(own.get(), 0, 0, 0), "inputs from a buffer");
  EXPECT_INVALID(pelt_crowd_show(own.get(), 0, 0), "a buffer of the caller's");
  EXPECT_INVALID(pelt_crowd_teleport(own.get(), 0), "a buffer of the caller's");
}

// A list of the caller's, in the structs of pelt.h: the second instance of the first character teleports, that of the
// second cross-fades to fewer influences.
TEST_F(CCrowds, MoveWhatAListOfTheCallersSays) {
  struct List {
    std::uint32_t counts[2];
    pelt_list_entry entries[3];
  } const list{{1, 1},
               {{1, PELT_ENTRY_TELEPORT},
                {},
                {0, PELT_ENTRY_TELEPORT | PELT_ENTRY_DETAIL(PELT_DETAIL_FULL, PELT_DETAIL_REDUCED, 128)}}};
  Result<Buffer> visible = Buffer::create(*gpu_device(), {.size = sizeof(list),
                                                          .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                                          .memory = MemoryUse::kStream,
                                                          .name = "list"});
  ASSERT_TRUE(visible) << visible.error().message;
  std::memcpy(visible->mapped(), &list, sizeof(list));
  visible->flush(0, sizeof(list));
  const GpuHandle gpu = upload_all(device_.get());
  const std::uint32_t instances[] = {2, 1};
  auto options = sized<pelt_crowd_options>();
  options.instances = instances;
  options.character_count = 2;
  options.previous_positions.format = PELT_FORMAT_FLOAT;
  options.visible = {visible->handle(), 0};
  const CrowdHandle crowd = make_crowd(device_.get(), gpu.get(), &options);
  auto outputs = sized<pelt_crowd_outputs>();
  ASSERT_OK(pelt_crowd_get_outputs(crowd.get(), &outputs));
  const auto written = [&](const pelt_output_place& place, std::uint32_t instance) {
    auto info = sized<pelt_instance_info>();
    EXPECT_OK(pelt_crowd_get_instance(crowd.get(), instance, &info));
    return bytes_of(place.buffer, place.offset + VkDeviceSize{info.first_vertex} * place.stride,
                    VkDeviceSize{info.vertex_count} * place.stride);
  };
  const auto height = [&](std::uint32_t instance) {  // height of vertex 0
    float y = 0;
    std::memcpy(&y, written(outputs.positions, instance).data() + sizeof(float), sizeof(float));
    return y;
  };
  const std::vector<std::byte> still = written(outputs.positions, 0);
  float before = 0;
  for (int frame = 0; frame < 2; ++frame) {
    std::vector<glm::mat4> joints = test::bind_matrices(test::make_tube());
    for (glm::mat4& joint : joints) joint = glm::translate(glm::mat4(1), glm::vec3(0, frame, 0)) * joint;
    for (std::uint32_t i = 0; i < 3; ++i) {
      ASSERT_OK(pelt_crowd_pose(crowd.get(), i, glm::value_ptr(joints[0]), 2));
    }
    ASSERT_OK(run_frame(device_.get(), crowd.get()));
    EXPECT_EQ(written(outputs.positions, 0), still) << frame;
    for (const std::uint32_t i : {1u, 2u}) {
      EXPECT_EQ(written(outputs.previous_positions, i), written(outputs.positions, i)) << i << ' ' << frame;
    }
    if (frame > 0) {
      EXPECT_NEAR(height(2) - before, 1, 1e-5);
    }
    before = height(2);
  }
}

// The barriers of a frame that changes families, there and back. With one family, validation sees what they order.
TEST_F(CCrowds, GiveTheirOutputsToAnotherQueueAndBack) {
  const GpuHandle gpu = upload_all(device_.get());
  const CrowdHandle crowd = make_crowd(device_.get(), gpu.get());
  EXPECT_INVALID(pelt_crowd_record_release(crowd.get(), VK_NULL_HANDLE, 0, 1), "commands is null");
  EXPECT_INVALID(pelt_crowd_record_acquire(crowd.get(), VK_NULL_HANDLE, 0, 1, 0, 0), "commands is null");
  EXPECT_INVALID(pelt_crowd_record_release_back(crowd.get(), VK_NULL_HANDLE, 0, 1, 0), "commands is null");
  EXPECT_INVALID(pelt_crowd_record_acquire_back(crowd.get(), VK_NULL_HANDLE, 0, 1), "commands is null");
  ASSERT_OK(pelt_submit_and_wait(
      device_.get(), "two frames",
      [](void* user, VkCommandBuffer commands) {
        const auto c = static_cast<pelt_crowd*>(user);
        const std::uint32_t family = gpu_device()->queue_family();
        for (int frame = 0; frame < 2; ++frame) {
          EXPECT_OK(pelt_crowd_record_acquire_back(c, commands, family, family));
          EXPECT_OK(pelt_crowd_record(c, commands));
          EXPECT_OK(pelt_crowd_record_release(c, commands, family, family));
          EXPECT_OK(pelt_crowd_record_acquire(c, commands, family, family, VK_PIPELINE_STAGE_2_COPY_BIT,
                                              VK_ACCESS_2_TRANSFER_READ_BIT));
          EXPECT_OK(pelt_crowd_record_release_back(c, commands, family, family, VK_PIPELINE_STAGE_2_COPY_BIT));
        }
      },
      crowd.get()));
}

TEST_F(CCrowds, TellTheAddressesOfTheirOutputs) {
  const GpuHandle gpu = upload_all(device_.get());
  auto options = sized<pelt_crowd_options>();
  const CrowdHandle without = make_crowd(device_.get(), gpu.get(), &options);
  options.usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  const CrowdHandle crowd = make_crowd(device_.get(), gpu.get(), &options);
  auto outputs = sized<pelt_crowd_outputs>();
  ASSERT_OK(pelt_crowd_get_outputs(crowd.get(), &outputs));
  VkDeviceAddress positions = 0;
  VkDeviceAddress normals = 0;
  ASSERT_OK(pelt_crowd_get_device_address(crowd.get(), &outputs.positions, &positions));
  ASSERT_OK(pelt_crowd_get_device_address(crowd.get(), &outputs.normals, &normals));
  EXPECT_NE(positions, 0u);
  EXPECT_EQ(normals - positions, outputs.normals.offset - outputs.positions.offset);
  EXPECT_INVALID(pelt_crowd_get_device_address(crowd.get(), &outputs.bounds, &positions),
                 "none of the crowd's outputs");
  EXPECT_INVALID(pelt_crowd_get_device_address(crowd.get(), nullptr, &positions), "place is null");
  EXPECT_INVALID(pelt_crowd_get_device_address(crowd.get(), &outputs.positions, nullptr), "address is null");
  ASSERT_OK(pelt_crowd_get_outputs(without.get(), &outputs));
  EXPECT_INVALID(pelt_crowd_get_device_address(without.get(), &outputs.positions, &positions), "options.usage");
}

TEST_F(CCrowds, OutliveTheHandlesTheyWereMadeFrom) {
  GpuHandle gpu = upload_all(device_.get());
  CrowdHandle crowd = make_crowd(device_.get(), gpu.get());
  ASSERT_OK(run_frame(device_.get(), crowd.get()));
  gpu.reset();
  c_characters_.clear();
  device_.reset();
  std::vector<float> positions(3 * characters_[1]->vertex_count());
  auto read = sized<pelt_vertices>();
  read.vertex_count = characters_[1]->vertex_count();
  read.positions = positions.data();
  EXPECT_OK(pelt_crowd_read_vertices(crowd.get(), 1, &read));
  EXPECT_NE(positions, std::vector<float>(positions.size()));
}

TEST_F(CCrowds, AreUploadedByCommandsOfTheCallers) {
  const pelt_character* all[] = {c_characters_[0].get(), nullptr};
  pelt_gpu_characters* made = nullptr;
  EXPECT_INVALID(pelt_gpu_characters_create(device_.get(), all, 2, nullptr, &made), "characters[1] is null");
  EXPECT_INVALID(pelt_gpu_characters_create(device_.get(), all, 0, nullptr, &made), "no character");
  ASSERT_OK(pelt_gpu_characters_create(device_.get(), all, 1, nullptr, &made));
  const GpuHandle gpu(made);
  EXPECT_INVALID(pelt_gpu_characters_record_upload(made, VK_NULL_HANDLE), "commands is null");
  ASSERT_OK(pelt_submit_and_wait(
      device_.get(), "upload",
      [](void* user, VkCommandBuffer commands) {
        EXPECT_OK(pelt_gpu_characters_record_upload(static_cast<pelt_gpu_characters*>(user), commands));
      },
      made));
  EXPECT_OK(pelt_gpu_characters_finish_upload(made));
  EXPECT_INVALID(pelt_gpu_characters_finish_upload(made), "the upload is finished");
  EXPECT_INVALID(pelt_gpu_characters_record_upload(made, reinterpret_cast<VkCommandBuffer>(std::uintptr_t{8})),
                 "the upload is finished");
  const CrowdHandle crowd = make_crowd(device_.get(), made);
  EXPECT_OK(run_frame(device_.get(), crowd.get()));
}

TEST_F(CCrowds, RecomputeNormalsOfCharactersThatWereUploadedForIt) {
  auto recomputed = sized<pelt_crowd_options>();
  recomputed.normal_mode = PELT_NORMALS_RECOMPUTED;
  pelt_crowd* refused = nullptr;
  const GpuHandle without = upload_all(device_.get());
  EXPECT_INVALID(pelt_crowd_create(device_.get(), without.get(), &recomputed, &refused), "normal_rings");

  const pelt_character* all[] = {c_characters_[1].get()};
  auto options = sized<pelt_upload_options>();
  options.normal_rings = 1;
  pelt_gpu_characters* made = nullptr;
  ASSERT_OK(pelt_upload_and_wait(device_.get(), all, 1, &options, &made));
  const GpuHandle gpu(made);
  recomputed.normal_mode = 2;
  EXPECT_INVALID(pelt_crowd_create(device_.get(), made, &recomputed, &refused), "no such mode");
  recomputed.normal_mode = PELT_NORMALS_RECOMPUTED;
  const CrowdHandle crowd = make_crowd(device_.get(), made, &recomputed);
  ASSERT_OK(run_frame(device_.get(), crowd.get()));

  Evaluator cpu(characters_[1], {.normal_mode = NormalMode::kRecomputed});
  cpu.evaluate();
  std::vector<float> normals(3 * cpu.normals().size());
  auto read = sized<pelt_vertices>();
  read.vertex_count = static_cast<uint32_t>(cpu.normals().size());
  read.normals = normals.data();
  ASSERT_OK(pelt_crowd_read_vertices(crowd.get(), 0, &read));
  for (std::size_t v = 0; v < cpu.normals().size(); ++v) {
    const glm::vec3 normal(normals[3 * v], normals[3 * v + 1], normals[3 * v + 2]);
    ASSERT_LT(glm::distance(normal, cpu.normals()[v]), 1e-3f) << v;
  }
}

TEST_F(CCrowds, SurviveACallbackThatThrows) {
  EXPECT_REFUSED(pelt_submit_and_wait(
                     device_.get(), "x", [](void*, VkCommandBuffer) { throw std::runtime_error("enough"); }, nullptr),
                 PELT_ERROR_INTERNAL, "enough");
  EXPECT_REFUSED(pelt_submit_and_wait(
                     device_.get(), "x", [](void*, VkCommandBuffer) { throw 7; }, nullptr),
                 PELT_ERROR_INTERNAL, "an unknown exception");
  EXPECT_INVALID(pelt_submit_and_wait(device_.get(), "x", nullptr, nullptr), "record is null");
}

// Makes one allocation for each piece, and counts them.
struct CountedMemory {
  VkPhysicalDeviceMemoryProperties properties{};
  int held = 0;
  int taken = 0;

  static VkResult allocate(void* user, const VkMemoryRequirements* requirements, VkMemoryPropertyFlags required,
                           VkMemoryPropertyFlags, std::uint32_t device_address, const char* name,
                           pelt_memory_piece* piece) {
    auto& own = *static_cast<CountedMemory*>(user);
    EXPECT_EQ(piece->struct_size, sizeof(pelt_memory_piece));
    EXPECT_STRNE(name, "");
    EXPECT_EQ(device_address, 0u);
    std::uint32_t type = 0;
    while ((requirements->memoryTypeBits >> type & 1u) == 0 ||
           (own.properties.memoryTypes[type].propertyFlags & required) != required)
      ++type;
    const VkMemoryAllocateInfo info{
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = requirements->size, .memoryTypeIndex = type};
    const DeviceFunctions& functions = gpu_device()->functions();
    const VkResult result = functions.vkAllocateMemory(gpu_device()->handle(), &info, nullptr, &piece->memory);
    if (result != VK_SUCCESS) return result;
    const VkMemoryPropertyFlags flags = own.properties.memoryTypes[type].propertyFlags;
    piece->coherent = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
    if ((flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0)
      functions.vkMapMemory(gpu_device()->handle(), piece->memory, 0, VK_WHOLE_SIZE, 0, &piece->mapped);
    piece->owner = user;
    ++own.held;
    ++own.taken;
    return VK_SUCCESS;
  }
  static void free(void* user, const pelt_memory_piece* piece) {
    EXPECT_EQ(piece->owner, user);
    --static_cast<CountedMemory*>(user)->held;
    gpu_device()->functions().vkFreeMemory(gpu_device()->handle(), piece->memory, nullptr);
  }
};

TEST_F(CCrowds, TakeMemoryFromTheCaller) {
  CountedMemory memory;
  reinterpret_cast<PFN_vkGetPhysicalDeviceMemoryProperties>(vulkan_entry_point()(
      gpu_device()->instance(), "vkGetPhysicalDeviceMemoryProperties"))(gpu_device()->physical(), &memory.properties);
  pelt_device_handles handles = handles_of_device();
  handles.memory = {&memory, CountedMemory::allocate, nullptr};
  pelt_device* made = nullptr;
  EXPECT_INVALID(pelt_device_adopt(&handles, &made), "both allocate and free");
  handles.memory.free = CountedMemory::free;
  ASSERT_OK(pelt_device_adopt(&handles, &made));
  DeviceHandle device(made);
  GpuHandle gpu = upload_all(made);
  CrowdHandle crowd = make_crowd(made, gpu.get());
  ASSERT_OK(run_frame(made, crowd.get()));
  EXPECT_GT(memory.taken, 4);
  device.reset();
  EXPECT_GT(memory.held, 0);
  crowd.reset();
  gpu.reset();
  EXPECT_EQ(memory.held, 0);
}

TEST_F(CCrowds, StayOnTheirDevice) {
  pelt_device_handles handles = handles_of_device();
  handles.queue = VK_NULL_HANDLE;
  pelt_device* made = nullptr;
  ASSERT_OK(pelt_device_adopt(&handles, &made));
  const DeviceHandle other(made);
  const pelt_character* all[] = {c_characters_[1].get()};
  pelt_gpu_characters* gpu = nullptr;
  EXPECT_INVALID(pelt_upload_and_wait(other.get(), all, 1, nullptr, &gpu), "without a queue");
  const GpuHandle uploaded = upload_all(device_.get());
  pelt_crowd* crowd = nullptr;
  EXPECT_INVALID(pelt_crowd_create(other.get(), uploaded.get(), nullptr, &crowd), "on another device");
  handles.device = VK_NULL_HANDLE;
  EXPECT_INVALID(pelt_device_adopt(&handles, &made), "a device");
}

TEST_F(CCrowds, RunOnADeviceOfPeltsOwn) {
  auto options = sized<pelt_device_options>();
  options.validation = 1;
  pelt_device* made = nullptr;
  EXPECT_INVALID(pelt_device_create(&options, &made), "on_validation_message");
  options.on_validation_message = [](void*, const char* message) { ADD_FAILURE() << "validation: " << message; };
  options.select = "no such device";
  EXPECT_REFUSED(pelt_device_create(&options, &made), PELT_ERROR_NOT_FOUND, "no such device");
  options.select = nullptr;
  ASSERT_OK(pelt_device_create(&options, &made));
  const DeviceHandle own(made);
  auto description = sized<pelt_device_description>();
  ASSERT_OK(pelt_device_get_description(made, &description));
  EXPECT_EQ(description.name, gpu_device()->description().name);
  EXPECT_STREQ(description.missing, "");
  auto handles = sized<pelt_device_handles>();
  ASSERT_OK(pelt_device_get_handles(made, &handles));
  auto described = sized<pelt_device_description>();
  ASSERT_OK(pelt_describe_device(handles.get_instance_proc_addr, handles.instance, handles.physical, &described));
  EXPECT_EQ(std::memcmp(&described, &description, sizeof(description)), 0);
  const GpuHandle gpu = upload_all(made);
  const CrowdHandle crowd = make_crowd(made, gpu.get());
  EXPECT_OK(run_frame(made, crowd.get()));
}

TEST(CDevices, NeedFeaturesTurnedOn) {
  VkPhysicalDeviceVulkan12Features features12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                              .timelineSemaphore = VK_TRUE};
  VkPhysicalDeviceVulkan13Features features13{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  ASSERT_OK(pelt_enable_required_features(&features12, &features13));
  EXPECT_TRUE(features12.timelineSemaphore && features12.scalarBlockLayout && features13.synchronization2);
}

}  // namespace
}  // namespace pelt::runtime
