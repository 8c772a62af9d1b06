// SPDX-License-Identifier: MIT
// Hostile OBJ and MTL files are refused with a reason or read, in bounded time and memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pelt/import.h>

#include "tests/engine/authoring/model/run_import_check.h"
#include "tests/support/program.h"

namespace pelt {
namespace {

using test::CheckOutcome;
using test::run_check;
using testing::HasSubstr;

const std::string kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

Result<Model> import_text(const std::string& text) {
  const test::TemporaryFolder folder;
  return import_obj(folder.write("a.obj", text));
}

void expect_unsupported(const std::string& text, const std::string& why) {
  const Result<Model> model = import_text(text);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(model.error().message, HasSubstr("a.obj:" + why));
}

// Most of a million materials of a file, of which the model uses one.
TEST(HostileObj, OfManyMaterialsTakesThoseThatItUses) {
  const test::TemporaryFolder folder;
  std::string library;
  for (int i = 0; library.size() < 15'000'000; ++i) library += "newmtl " + std::to_string(i % 10) + "\nKd 0 1 0\n";
  folder.write("a.mtl", library);
  const CheckOutcome outcome = run_check("", folder.write("a.obj", "mtllib a.mtl\nusemtl 7\n" + kTriangle), 20);
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output, testing::Not(HasSubstr("materials in no file")));
}

TEST(HostileObj, OfMuchInItsMaterialFilesReadsTheFirst) {
  const test::TemporaryFolder folder;
  const std::string comment = "# " + std::string(6'000'000, 'x') + "\n";
  std::string obj = kTriangle + "usemtl 0\nf 1 2 3\nusemtl 4\nf 1 2 3\n";
  for (int i = 0; i < 5; ++i) {
    folder.write(std::to_string(i) + ".mtl", comment + "newmtl " + std::to_string(i) + "\nKd 0 1 0\n");
    obj += "mtllib " + std::to_string(i) + ".mtl ./" + std::to_string(i) + ".mtl\n";
  }
  const Result<Model> model = import_obj(folder.write("a.obj", obj));
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->materials.at(0).base_color, glm::vec4(0, 1, 0, 1));
  EXPECT_THAT(model->report.notes,
              testing::Contains(testing::AllOf(HasSubstr("materials are not read: "), HasSubstr("4.mtl"),
                                               HasSubstr("more than the limit of"))));
  EXPECT_THAT(model->report.notes, testing::Contains("materials in no file, which become grey: '4'"));
}

TEST(HostileObj, OfManyNamesIsRefused) {
  std::string materials = kTriangle;
  std::string libraries = kTriangle;
  for (int i = 0; i < 20'000; ++i) {
    materials += "usemtl " + std::to_string(i) + "\nusemtl 0\n";
    libraries += "mtllib a b " + std::to_string(i) + "\nmtllib same\n";
  }
  expect_unsupported(materials, "20005: 10001 materials, more than the limit of 10000");
  expect_unsupported(libraries, "671: 1003 names of material files, more than the limit of 1000");
  for (const char* keyword : {"usemtl ", "mtllib "}) {
    expect_unsupported(kTriangle + keyword + std::string(5000, 'x'),
                       "5: 5000 bytes in a name, more than the limit of 4096");
    // Too long for a file system, but not for a name.
    EXPECT_TRUE(import_text(kTriangle + keyword + std::string(2000, 'x') + " " + std::string(2000, 'y')));
  }
}

TEST(HostileObj, OfManyCornersIsRefusedInBounds) {
  std::string face = "f";
  for (int c = 0; c < 1000; ++c) face += " 1";
  std::string text = "v 0 0 0\n";
  for (int f = 0; f <= 32'000; ++f) text += face + "\n";
  const test::TemporaryFolder folder;
  const CheckOutcome outcome = run_check("", folder.write("a.obj", text), 60);
  EXPECT_EQ(outcome.status, 2) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("corners of faces, more than the limit of 32000000"));
}

}  // namespace
}  // namespace pelt
