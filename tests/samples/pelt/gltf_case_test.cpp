// SPDX-License-Identifier: MIT
// pelt reads and poses the files of PELT_SHARED/cases/gltf as the script there wants it.
#include <sstream>

#include "tests/samples/pelt/pelt_program.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

class GltfCaseOf : public Pelt, public testing::WithParamInterface<const char*> {};

TEST_P(GltfCaseOf, AgreesWithTheReference) {
  PELT_REQUIRE_SHARED();
  const std::optional<std::string> python = test::find_python_with_numpy();
  if (!python) PELT_SKIP("there is no python3 with NumPy: package python3-numpy");
  const std::filesystem::path cases = *test::shared_folder() / "cases/gltf";
  if (!std::filesystem::exists(cases)) PELT_SKIP(cases.string() + " is not there");
  // Some cases write files next to their own, and the shared folder may be read-only.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cases)) {
    if (!entry.is_regular_file()) continue;
    folder.write(std::filesystem::relative(entry.path(), cases), test::file_text(entry.path()));
  }
  const test::Outcome outcome = test::run_program(
      "/usr/bin/env", std::string("PELT=" PELT_PROGRAM " ") + *python + " check.py " + GetParam(), folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.errors;

  std::istringstream lines(outcome.output);
  int failures = 0;
  std::string last;
  for (std::string line; std::getline(lines, line); last = line) {
    if (!line.starts_with("FAILS")) continue;
    ++failures;
    // `pelt bind` has no --lods.
    if (!line.starts_with("FAILS render_with_levels: bind builtin:limb --lods")) ADD_FAILURE() << line;
  }
  EXPECT_THAT(outcome.output, testing::HasSubstr(GetParam()));
  EXPECT_EQ(last, std::to_string(failures) + " fail") << outcome.errors;
}

// The case of many nodes is timed; ManyParts counts.
INSTANTIATE_TEST_SUITE_P(Cases, GltfCaseOf,
                         testing::Values("compressed_model_with_its_character", "lod_node_parent", "mirrored_by_clip",
                                         "not_a_number_where_none_is_needed", "obj_byte_order_mark", "obj_lines",
                                         "render_with_levels", "rest_pose_takes_digits", "rest_scale_zero_bind",
                                         "scale_to_zero_pops"),
                         [](const testing::TestParamInfo<const char*>& name) { return std::string(name.param); });

}  // namespace
}  // namespace pelt
