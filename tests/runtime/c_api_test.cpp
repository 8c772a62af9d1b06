// SPDX-License-Identifier: MIT
// libpelt.so as its callers see it, compared with the C++ that it must equal.
#include <cstring>
#include <fstream>
#include <thread>

#include <pelt/version.h>

#include "tests/runtime/c_handles.h"
#include "tests/runtime/c_layout.h"
#include "tests/support/program.h"

namespace pelt::runtime {
namespace {

using testing::HasSubstr;

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

// Calls each function of characters without one. `number` and `value` are where they would write.
std::vector<pelt_result> calls_of_no_character(std::uint32_t& number, float& value) {
  auto info = sized<pelt_character_info>();
  auto joint = sized<pelt_joint_info>();
  auto mesh = sized<pelt_mesh_info>();
  auto clip = sized<pelt_clip_info>();
  auto stream = sized<pelt_stream_info>();
  auto control = sized<pelt_control_info>();
  return {pelt_character_save(nullptr, "x"),
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
          pelt_character_rest_transforms(nullptr, &value, 1),
          pelt_character_sample_transforms(nullptr, 0, 0, &value, 1),
          pelt_character_place_joints(nullptr, &value, &value, 1)};
}

// Calls each function that makes or takes devices and uploads without one.
std::vector<pelt_result> calls_of_no_device() {
  VkDeviceSize bytes = 7;
  auto description = sized<pelt_device_description>();
  auto handles = sized<pelt_device_handles>();
  pelt_character* character = nullptr;
  pelt_gpu_characters* gpu = nullptr;
  VkCommandBuffer none = VK_NULL_HANDLE;
  return {pelt_bind(nullptr, nullptr, nullptr, &character),
          pelt_describe_device(nullptr, nullptr, nullptr, &description),
          pelt_device_adopt(nullptr, nullptr),
          pelt_device_get_description(nullptr, &description),
          pelt_device_get_handles(nullptr, &handles),
          pelt_submit_and_wait(nullptr, "x", nullptr, nullptr),
          pelt_gpu_characters_create(nullptr, nullptr, 0, nullptr, &gpu),
          pelt_gpu_characters_record_upload(nullptr, none),
          pelt_gpu_characters_finish_upload(nullptr),
          pelt_upload_and_wait(nullptr, nullptr, 0, nullptr, &gpu),
          pelt_gpu_characters_add(nullptr, nullptr, nullptr),
          pelt_gpu_characters_remove(nullptr, 0),
          pelt_gpu_characters_record_upload_part(nullptr, none, 1, 0, 0, &bytes),
          pelt_gpu_characters_record_acquire(nullptr, none, 0, 1),
          pelt_gpu_characters_finish_upload_of(nullptr, 0),
          pelt_gpu_characters_get_free_bytes(nullptr, &bytes),
          pelt_character_get_upload_bytes(nullptr, nullptr, &bytes),
          pelt_device_get_memory_heaps(nullptr, nullptr, nullptr),
          pelt_gpu_characters_get_bytes(nullptr, &bytes)};
}

// Calls each function of crowds without one. `number` and `value` are where they would write.
std::vector<pelt_result> calls_of_no_crowd(std::uint32_t& number, float& value) {
  float three[3];
  VkDeviceAddress address = 7;
  auto crowd_info = sized<pelt_crowd_info>();
  auto instance = sized<pelt_instance_info>();
  auto outputs = sized<pelt_crowd_outputs>();
  const auto vertices = sized<pelt_vertices>();
  auto capacity = sized<pelt_crowd_capacity>();
  auto rooms = sized<pelt_crowd_rooms>();
  pelt_buffer_use uses[PELT_MAX_BUFFER_USES];
  pelt_crowd* crowd = nullptr;
  VkCommandBuffer none = VK_NULL_HANDLE;
  return {pelt_crowd_create(nullptr, nullptr, nullptr, &crowd),
          pelt_add_capacity(nullptr, 1, nullptr, &capacity),
          pelt_crowd_acquire(nullptr, 0, 1, &number),
          pelt_crowd_release(nullptr, 0),
          pelt_crowd_give_outputs(nullptr, 0),
          pelt_crowd_take_outputs(nullptr, 0),
          pelt_crowd_add(nullptr, 0),
          pelt_crowd_prepare(nullptr, nullptr, 0),
          pelt_crowd_remove(nullptr, 0),
          pelt_crowd_pose_rows(nullptr, 0, &value, 1),
          pelt_crowd_level(nullptr, 0, 0, 0),
          pelt_crowd_get_shown_levels(nullptr, 0, &number, &number, &value),
          pelt_crowd_record_pose(nullptr, none),
          pelt_crowd_record_blend(nullptr, none),
          pelt_crowd_get_uses(nullptr, 0, uses, &number),
          pelt_crowd_get_level_vertex(nullptr, 0, 0, &number),
          pelt_crowd_get_rooms(nullptr, &rooms),
          pelt_crowd_pose(nullptr, 0, &value, 1),
          pelt_crowd_inputs(nullptr, 0, &value, 1),
          pelt_crowd_stream(nullptr, 0, 0, &value, 1),
          pelt_crowd_control(nullptr, 0, 0, 0),
          pelt_crowd_show(nullptr, 0, 0),
          pelt_crowd_update_every(nullptr, 0, 0),
          pelt_crowd_teleport(nullptr, 0),
          pelt_crowd_detail(nullptr, 0, 0),
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
          pelt_crowd_read_bounds(nullptr, 0, three, three)};
}

TEST(CApi, RefusesNullHandles) {
  std::uint32_t number = 7;
  float value = 7;
  for (const std::vector<pelt_result>& results :
       {calls_of_no_character(number, value), calls_of_no_device(), calls_of_no_crowd(number, value)}) {
    for (const pelt_result result : results) EXPECT_EQ(result, PELT_ERROR_INVALID_ARGUMENT);
  }
  EXPECT_THAT(pelt_last_error(), HasSubstr("crowd is null"));
  EXPECT_EQ(number, 7u);
  EXPECT_EQ(value, 7.0f);
  pelt_character* character = nullptr;
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
  const std::string none = (folder / "none.pelt").string();
  EXPECT_REFUSED(pelt_character_load(none.c_str(), &made), PELT_ERROR_NOT_FOUND, "none.pelt");
  std::vector<std::byte> bytes = serialize(make_linear());
  bytes[bytes.size() / 2] ^= std::byte{1};
  EXPECT_REFUSED(pelt_character_load_memory(bytes.data(), bytes.size(), "hero", &made), PELT_ERROR_INVALID_FILE,
                 "hero");
  EXPECT_REFUSED(pelt_character_load_memory(bytes.data(), 0, nullptr, &made), PELT_ERROR_INVALID_FILE, "memory");
  EXPECT_REFUSED(pelt_character_save(in_c(make_linear()).get(), (folder / "no/folder.pelt").string().c_str()),
                 PELT_ERROR_WRITE_FAILED, "folder.pelt");
  pelt_model* model = nullptr;
  EXPECT_REFUSED(pelt_model_import("builtin:none", &model), PELT_ERROR_NOT_FOUND, "none");
  EXPECT_REFUSED(pelt_model_import("model.txt", &model), PELT_ERROR_UNSUPPORTED, "model.txt");
  pelt_rig* rig = nullptr;
  EXPECT_REFUSED(pelt_rig_from_deformer("surface_fdf", &rig), PELT_ERROR_NOT_FOUND, "surface_ffd");
  std::ofstream(folder / "rig.json") << "{";
  EXPECT_REFUSED(pelt_rig_load((folder / "rig.json").string().c_str(), &rig), PELT_ERROR_INVALID_FILE, "rig.json");
  EXPECT_REFUSED(pelt_rig_load((folder / "none.glb").string().c_str(), &rig), PELT_ERROR_NOT_FOUND, "none.glb");
  std::ofstream(folder / "rig.gltf") << "{";
  EXPECT_REFUSED(pelt_rig_load((folder / "rig.gltf").string().c_str(), &rig), PELT_ERROR_INVALID_FILE, "rig.gltf");
  std::ofstream(folder / "plain.gltf") << R"({"asset": {"version": "2.0"}})";
  EXPECT_REFUSED(pelt_rig_load((folder / "plain.gltf").string().c_str(), &rig), PELT_ERROR_NOT_FOUND,
                 "plain.gltf: carries no rig");
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(model, nullptr);
  EXPECT_EQ(rig, nullptr);
}

}  // namespace
}  // namespace pelt::runtime
