// SPDX-License-Identifier: MIT
// Tests libpelt_binder.so, which binds as the engine does and reports what `pelt bind --json` prints.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include <pelt/builtin.h>
#include <pelt/import.h>
#include <pelt/learn.h>
#include <pelt/pelt_binder.h>
#include <pelt/point_cache.h>
#include <pelt/rig_json.h>

#include "tests/runtime/c_handles.h"
#include "tests/support/program.h"

namespace pelt::runtime {
namespace {

using OutputHandle = Handle<pelt_binder_output, pelt_binder_output_destroy>;

#define EXPECT_BINDER_REFUSES(call, result, why)                                \
  do {                                                                          \
    EXPECT_EQ(call, result) << #call;                                           \
    EXPECT_THAT(pelt_binder_last_error(), testing::StartsWith("pelt_binder_")); \
    EXPECT_THAT(pelt_binder_last_error(), testing::HasSubstr(why)) << #call;    \
  } while (false)

OutputHandle bind_in_c(const char* model, const pelt_binder_bind_options* options = nullptr) {
  pelt_binder_output* made = nullptr;
  EXPECT_EQ(pelt_binder_bind(model, options, &made), PELT_OK) << pelt_binder_last_error();
  return OutputHandle(made);
}

std::vector<std::byte> character_of(const OutputHandle& output) {
  const void* bytes = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(pelt_binder_get_character(output.get(), &bytes, &size), PELT_OK) << pelt_binder_last_error();
  const auto* first = static_cast<const std::byte*>(bytes);
  return {first, first + size};
}

std::string report_of(const OutputHandle& output) {
  const char* text = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(pelt_binder_get_report(output.get(), &text, &size), PELT_OK) << pelt_binder_last_error();
  EXPECT_EQ(std::string(text).size(), size);
  return text;
}

TEST(CBinder, BindsAsTheEngineDoes) {
  EXPECT_EQ(pelt_binder_abi_version(), std::uint32_t{PELT_BINDER_ABI_VERSION});
  EXPECT_STREQ(pelt_binder_version_string(), pelt_version_string());
  const Rig rig = rig_from_deformer_name("dual-quaternion").value();
  const std::vector<std::byte> expected = serialize(test::bound(import_model("builtin:limb").value(), rig).character);

  double progress = -1;
  auto options = sized<pelt_binder_bind_options>();
  options.deformer = "dual-quaternion";
  options.user = &progress;
  options.progress = [](void* user, double fraction, const char*) { *static_cast<double*>(user) = fraction; };
  const OutputHandle by_name = bind_in_c("builtin:limb", &options);
  EXPECT_EQ(character_of(by_name), expected);
  EXPECT_GT(progress, 0);
  const auto report = nlohmann::json::parse(report_of(by_name));
  EXPECT_EQ(report["model"], "builtin:limb");
  EXPECT_TRUE(report["output"].is_null());
  EXPECT_EQ(report["bytes"], expected.size());
  EXPECT_EQ(report["meshes"][0]["deformer"], "dual_quaternion");

  // The same by a rig, as text and as a file.
  const test::TemporaryFolder folder;
  const std::string text = format_rig(rig);
  const std::string file = folder.write("rig.json", text).string();
  options = sized<pelt_binder_bind_options>();
  options.rig_text = text.c_str();
  EXPECT_EQ(character_of(bind_in_c("builtin:limb", &options)), expected);
  options.rig_text = nullptr;
  options.rig = file.c_str();
  EXPECT_EQ(character_of(bind_in_c("builtin:limb", &options)), expected);

  // Both libraries in one program: the bytes of one are a character of the other.
  pelt_character* loaded = nullptr;
  const std::vector<std::byte> bytes = character_of(by_name);
  ASSERT_OK(pelt_character_load_memory(bytes.data(), bytes.size(), nullptr, &loaded));
  pelt_character_destroy(loaded);
}

// The limb rests in the cache, and its joint turns in the poses.
TEST(CBinder, LearnsAsTheEngineDoes) {
  const test::TemporaryFolder folder;
  const std::vector<glm::vec3> rest = import_model("builtin:limb").value().meshes[0].positions;
  const Pc2Header header{.points = static_cast<std::int32_t>(rest.size()), .samples = 16};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header), turns = "[{}";
  for (int i = 0; i < header.samples; ++i) {
    bytes.append(reinterpret_cast<const char*>(rest.data()), rest.size() * sizeof rest[0]);
    if (i > 0) turns += fmt::format(R"(, {{"joint": [0, 0, {}]}})", 8 * (i % 4));
  }
  const std::string cache = folder.write("rest.pc2", bytes).string(),
                    file = folder.write("p.json", turns + "]").string();
  const LearntModel expected = learn_model("builtin:limb", {.deformer = "linear-blend"},
                                           {.sequences = {{cache, file}}, .within = 0.02, .budget = 4000000})
                                   .value();
  ASSERT_GT(nlohmann::json::parse(expected.certificate)["shapes"], 0);

  const char* const caches[] = {cache.c_str()};
  const char* const poses[] = {file.c_str()};
  auto options = sized<pelt_binder_bind_options>();
  options.deformer = "linear-blend";
  options.cache_count = 1;
  options.caches = caches;
  options.poses = poses;
  options.within = 0.02;
  options.budget = 4000000;
  const OutputHandle learnt = bind_in_c("builtin:limb", &options);
  EXPECT_EQ(character_of(learnt), serialize(expected.model.bound.character));
  EXPECT_EQ(report_of(learnt), expected.certificate);
  options.budget = 20000;
  EXPECT_NE(report_of(bind_in_c("builtin:limb", &options)), expected.certificate);

  pelt_binder_output* none = nullptr;
  const auto learn = [&] { return pelt_binder_bind("builtin:limb", &options, &none); };
  const std::uint32_t stop = 1;
  options.stop = &stop;
  EXPECT_BINDER_REFUSES(learn(), PELT_ERROR_STOPPED, "stopped");
  options.stop = nullptr;
  options.fps = -1;
  EXPECT_BINDER_REFUSES(learn(), PELT_ERROR_INVALID_ARGUMENT, "options.fps and options.within must be above 0");
  options.fps = 0;
  options.poses = nullptr;
  EXPECT_BINDER_REFUSES(learn(), PELT_ERROR_INVALID_ARGUMENT, "options.poses is null");
  const char* const missing[] = {nullptr};
  options.poses = missing;
  EXPECT_BINDER_REFUSES(learn(), PELT_ERROR_INVALID_ARGUMENT, "a name of options.poses is null");
  const char* const clips[] = {"none"};
  options.poses = clips;
  EXPECT_BINDER_REFUSES(learn(), PELT_ERROR_NOT_FOUND, "there is no clip 'none'");
  EXPECT_EQ(none, nullptr);
}

// A rig may name files outside of its folder only with leave.
TEST(CBinder, ReadsFilesThatARigNamesByLeave) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "rigs");
  std::ofstream(folder / "cage.obj") << "v 0 -2 -2\nv 0 2 -2\nv 0 0 3\nv 8 0 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n";
  const std::string rig = (folder / "rigs/rig.json").string();
  std::ofstream(rig) << R"({"format": "pelt-rig 1", "layers": [
    {"deformer": "surface_ffd", "parameters": {"driver": {"file": "../cage.obj"}}}]})";
  const char* const deformers[] = {"dual-quaternion"};
  auto options = sized<pelt_binder_quality_options>();
  options.deformers = deformers;
  options.deformer_count = 1;
  options.rig = rig.c_str();
  pelt_binder_output* made = nullptr;
  EXPECT_BINDER_REFUSES(pelt_binder_quality("builtin:limb", &options, &made), PELT_ERROR_INVALID_ARGUMENT,
                        "leaves the folder");
  options.any_file = 1;
  ASSERT_EQ(pelt_binder_quality("builtin:limb", &options, &made), PELT_OK) << pelt_binder_last_error();
  const void* bytes = nullptr;
  std::size_t size = 0;
  EXPECT_BINDER_REFUSES(pelt_binder_get_character(made, &bytes, &size), PELT_ERROR_NOT_FOUND, "nothing was bound");
  pelt_binder_output_destroy(made);
}

TEST(CBinder, RefusesWhatMakesNoSense) {
  pelt_binder_output* none = nullptr;
  auto options = sized<pelt_binder_bind_options>();
  const auto bind_by = [&] { return pelt_binder_bind("builtin:limb", &options, &none); };
  EXPECT_BINDER_REFUSES(pelt_binder_bind("none.glb", nullptr, &none), PELT_ERROR_NOT_FOUND, "none.glb");
  EXPECT_BINDER_REFUSES(pelt_binder_bind(nullptr, nullptr, &none), PELT_ERROR_INVALID_ARGUMENT, "model is null");
  EXPECT_BINDER_REFUSES(pelt_binder_bind("builtin:limb", nullptr, nullptr), PELT_ERROR_INVALID_ARGUMENT, "out is null");
  options.rig = "x.json";
  options.rig_text = "{}";
  EXPECT_BINDER_REFUSES(bind_by(), PELT_ERROR_INVALID_ARGUMENT, "at most one of rig, rig_text");
  options.rig = nullptr;
  EXPECT_BINDER_REFUSES(bind_by(), PELT_ERROR_INVALID_FILE, "rig: ");
  options.rig_text = nullptr;
  options.deformer = "magic";
  EXPECT_BINDER_REFUSES(bind_by(), PELT_ERROR_NOT_FOUND, "magic");
  options.deformer = "linear-blend";
  options.check = 3;
  EXPECT_BINDER_REFUSES(bind_by(), PELT_ERROR_INVALID_ARGUMENT, "options.check has the unknown value 3");
  options.check = 0;
  options.progress = [](void*, double, const char*) { throw std::runtime_error("enough"); };
  EXPECT_BINDER_REFUSES(bind_by(), PELT_ERROR_INTERNAL, "enough");

  auto quality = sized<pelt_binder_quality_options>();
  quality.poses = 3;
  EXPECT_BINDER_REFUSES(pelt_binder_quality("builtin:arm", &quality, &none), PELT_ERROR_INVALID_ARGUMENT,
                        "poses has the unknown value 3");
  quality.poses = 0;
  quality.deformer_count = 1;
  EXPECT_BINDER_REFUSES(pelt_binder_quality("builtin:arm", &quality, &none), PELT_ERROR_INVALID_ARGUMENT,
                        "options.deformers is null");
  const char* const deformers[] = {"magic"};
  quality.deformers = deformers;
  EXPECT_BINDER_REFUSES(pelt_binder_quality("builtin:arm", &quality, &none), PELT_ERROR_NOT_FOUND, "magic");
  const char* text = nullptr;
  EXPECT_BINDER_REFUSES(pelt_binder_get_report(nullptr, &text, nullptr), PELT_ERROR_INVALID_ARGUMENT, "output is null");
  EXPECT_EQ(none, nullptr);
  pelt_binder_output_destroy(nullptr);
}

}  // namespace
}  // namespace pelt::runtime
