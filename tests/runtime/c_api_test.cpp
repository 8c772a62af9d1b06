// SPDX-License-Identifier: MIT
// libpelt.so as its callers see it, compared with the C++ that it must equal.
#include <fstream>
#include <thread>

#include <pelt/version.h>

#include "tests/runtime/c_handles.h"
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

// Returns an argument of a call without handles: for other types a name, a struct of its size, a number's address.
template <class T>
T argument() {
  if constexpr (std::is_same_v<T, const char*>) {
    return "x";
  } else if constexpr (std::is_pointer_v<T>) {
    using To = std::remove_const_t<std::remove_pointer_t<T>>;
    if constexpr (std::is_object_v<To> && requires { sizeof(To); }) {
      static To to = [] {
        To made{};
        if constexpr (requires { made.struct_size; }) made.struct_size = sizeof(To);
        if constexpr (std::is_arithmetic_v<To>) made = To{7};
        return made;
      }();
      return &to;
    } else {
      return nullptr;  // a handle
    }
  } else {
    return T{};
  }
}

// Expects a function to report a missing handle.
template <class... Arguments>
void expect_needs_handles(pelt_result (*function)(Arguments...)) {
  EXPECT_EQ(function(argument<Arguments>()...), PELT_ERROR_INVALID_ARGUMENT) << pelt_last_error();
  EXPECT_THAT(pelt_last_error(), HasSubstr(" is null"));
}
template <class... Functions>
void expect_all_need_handles(const Functions... functions) {
  (expect_needs_handles(functions), ...);
}

TEST(CApi, RefusesNullHandles) {
  expect_all_need_handles(
      pelt_character_save, pelt_character_save_glb, pelt_character_retain, pelt_character_get_info,
      pelt_character_get_joint, pelt_character_get_mesh, pelt_character_get_material, pelt_character_get_clip,
      pelt_character_get_stream, pelt_character_get_control, pelt_character_find_joint, pelt_character_find_clip,
      pelt_character_find_stream, pelt_character_find_control, pelt_character_rest_pose, pelt_character_sample_clip,
      pelt_character_rest_inputs, pelt_character_sample_inputs, pelt_character_rest_transforms,
      pelt_character_sample_transforms, pelt_character_place_joints, pelt_character_get_upload_bytes, pelt_bind);
  expect_all_need_handles(
      pelt_describe_device, pelt_device_get_description, pelt_device_get_handles, pelt_device_get_memory_heaps,
      pelt_submit_and_wait, pelt_upload_and_wait, pelt_gpu_characters_create, pelt_gpu_characters_record_upload,
      pelt_gpu_characters_record_upload_part, pelt_gpu_characters_record_acquire, pelt_gpu_characters_finish_upload,
      pelt_gpu_characters_finish_upload_of, pelt_gpu_characters_add, pelt_gpu_characters_remove,
      pelt_gpu_characters_get_free_bytes, pelt_gpu_characters_get_bytes);
  expect_all_need_handles(pelt_crowd_create, pelt_add_capacity, pelt_crowd_add, pelt_crowd_prepare, pelt_crowd_remove,
                          pelt_crowd_replace, pelt_crowd_acquire, pelt_crowd_release, pelt_crowd_set_outputs,
                          pelt_crowd_pose, pelt_crowd_pose_rows, pelt_crowd_inputs, pelt_crowd_advance,
                          pelt_crowd_lists_set, pelt_crowd_lists_next, pelt_crowd_lists_get_levels, pelt_crowd_record,
                          pelt_crowd_get_uses, pelt_crowd_record_transfer, pelt_crowd_get_info, pelt_crowd_get_instance,
                          pelt_crowd_get_outputs, pelt_crowd_get_mesh_vertex, pelt_crowd_get_previous_frame,
                          pelt_crowd_get_rooms, pelt_crowd_read_vertices, pelt_crowd_read_bounds);
  expect_all_need_handles(pelt_evaluator_create, pelt_evaluator_pose, pelt_evaluator_evaluate, pelt_evaluator_advance,
                          pelt_evaluator_teleport, pelt_evaluator_get_evaluated, pelt_evaluator_get_vertices);
  EXPECT_EQ(*argument<std::uint32_t*>(), 7u) << "nothing is written";
  EXPECT_EQ(*argument<float*>(), 7.0f);
  EXPECT_EQ(pelt_device_adopt(nullptr, nullptr), PELT_ERROR_INVALID_ARGUMENT);
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
  EXPECT_REFUSED(pelt_rig_from_deformer("surface_fdf", &rig), PELT_ERROR_NOT_FOUND, "surface-ffd");
  std::ofstream(folder / "rig.json") << "{";
  EXPECT_REFUSED(pelt_rig_load((folder / "rig.json").string().c_str(), &rig), PELT_ERROR_INVALID_FILE, "rig.json");
  EXPECT_REFUSED(pelt_rig_load((folder / "none.glb").string().c_str(), &rig), PELT_ERROR_NOT_FOUND, "none.glb");
  std::ofstream(folder / "rig.gltf") << "{";
  EXPECT_REFUSED(pelt_rig_load((folder / "rig.gltf").string().c_str(), &rig), PELT_ERROR_INVALID_FILE, "rig.gltf");
  std::ofstream(folder / "plain.gltf") << R"({"asset": {"version": "2.0"}})";
  EXPECT_REFUSED(pelt_rig_load((folder / "plain.gltf").string().c_str(), &rig), PELT_ERROR_NOT_FOUND,
                 "plain.gltf: contains no rig");
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(model, nullptr);
  EXPECT_EQ(rig, nullptr);
}

}  // namespace
}  // namespace pelt::runtime
