// SPDX-License-Identifier: MIT
// Tests pelt quality.
#include <sstream>

#include <pelt/builtin.h>
#include <pelt/import.h>
#include <pelt/rig.h>

#include "samples/pelt/quality/measure.h"
#include "tests/samples/pelt/pelt_program.h"

namespace pelt {
namespace {

using test::Outcome;
using testing::HasSubstr;

using Points = std::vector<glm::dvec3>;

class QualityCommand : public Pelt {
 protected:
  Outcome quality(const std::string& arguments) const { return pelt("quality " + arguments); }
  Json rows(const std::string& arguments) const { return json("quality " + arguments); }
};

std::string motion_of(const Json& row) {
  return row["motion"].get<std::string>() + "_" + std::to_string(row["degrees"].get<int>());
}
std::string folder_of(double radius) {
  std::ostringstream text;
  text << "radius_" << radius;
  return text.str();
}
std::string file_of(const Json& row) {
  return folder_of(row["radius"]) + "/" + row["deformer"].get<std::string>() + "_" + motion_of(row) + ".obj";
}

const std::vector<std::string> kMotions{"bend_45",  "bend_90",   "bend_120",  "bend_135", "bend_150",
                                        "twist_90", "twist_180", "twist_270", "twist_450"};
const std::vector<double> kRadii{1, 0.5, 1.5};

TEST_F(QualityCommand, HasARowForEveryLimbDeformerAndMotion) {
  std::vector<std::string> expected;
  for (const double radius : kRadii) {
    for (const std::string_view deformer : deformer_names()) {
      for (const std::string& motion : kMotions) {
        expected.push_back(folder_of(radius) + " " + std::string(deformer) + " " + motion);
      }
    }
  }
  std::vector<std::string> found;
  for (const Json& row : rows("")) {
    found.push_back(folder_of(row["radius"]) + " " + row["deformer"].get<std::string>() + " " + motion_of(row));
    std::vector<std::string> keys;
    for (const auto& [key, value] : row.items()) keys.push_back(key);
    EXPECT_THAT(keys, testing::UnorderedElementsAre("radius", "deformer", "motion", "degrees", "given", "volume",
                                                    "r_min", "flipped", "crease", "crease99", "crease_out"));
    EXPECT_GT(row["volume"], 0.4) << row;
    EXPECT_LE(row["crease99"], row["crease"]) << row;
    if (row["motion"] == "bend") {
      EXPECT_LE(row["crease_out"], row["crease"]) << row;
    } else {
      EXPECT_TRUE(row["crease_out"].is_null()) << row;
    }
  }
  EXPECT_EQ(found, expected);

  const std::string table = quality("").output;
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'),
            static_cast<std::ptrdiff_t>(1 + 3 * kRadii.size() + expected.size()));
}

// Half way between two bones, linear blend scales across the joint's axis by the cosine of half the angle.
TEST_F(QualityCommand, FindsTheCollapseOfLinearBlend) {
  for (const std::string length : {"2", "4", "6"}) {
    for (const Json& row : rows("--deformer linear-blend --blend-length " + length)) {
      const double cosine = std::abs(std::cos(glm::radians(row["degrees"].get<double>()) / 2));
      EXPECT_NEAR(row["r_min"], cosine, 1e-3) << row;
    }
  }
}

// A matrix cannot tell 270 and 450 degrees from -90 and 90: a deformer without a twist control gets the latter.
TEST_F(QualityCommand, SaysWhatReachedTheDeformer) {
  const Json measured = rows("--deformer dual-quaternion,curve-skeleton --radius 1");
  for (const Json& row : measured) {
    const int degrees = row["degrees"];
    const bool whole = row["deformer"] == "curve_skeleton" || degrees <= 180;
    EXPECT_EQ(row["given"], whole ? degrees : degrees == 270 ? -90 : 90) << row;
  }
}

TEST_F(QualityCommand, MeasuresARig) {
  write("mine.json", R"({"format": "pelt-rig 1", "name": "my own/rig",
                         "layers": [{"deformer": "surface_ffd",
                                     "parameters": {"driver": {"follow": "linear_blend"}}}]})");
  const Json measured = rows("--radius 1 --deformer surface_ffd --rig mine.json --write meshes");
  ASSERT_EQ(measured.size(), 2 * kMotions.size());
  EXPECT_EQ(measured[0]["deformer"], "surface_ffd");
  EXPECT_EQ(measured[kMotions.size()]["deformer"], "my own/rig");
  EXPECT_LT(measured[kMotions.size() + 1]["r_min"], measured[1]["r_min"].get<double>() - 0.1);
  EXPECT_TRUE(std::filesystem::exists(folder / "meshes/radius_1/my_own_rig_bend_90.obj"));
  // A rig without a name has its file's; no measured deformer may have the same name.
  write("linear_blend.json", R"({"format": "pelt-rig 1", "layers": []})");
  EXPECT_EQ(rows("--deformer surface-ffd --rig linear_blend.json").back()["deformer"], "linear_blend");
  EXPECT_THAT(quality("--rig linear_blend.json").errors, HasSubstr("linear_blend.json: the rig's name"));
  // Nor may a rig whose files would have the same names.
  write("other.json", R"({"format": "pelt-rig 1", "name": "linear blend", "layers": []})");
  EXPECT_THAT(quality("--rig other.json").errors, HasSubstr("other.json: the rig's name"));
}

TEST_F(QualityCommand, WritesWhatItMeasured) {
  const Json measured = rows("--radius 1 --write some/meshes");
  const Model rest = import_model((folder / "some/meshes/radius_1/rest.obj").string()).value();
  const Mesh limb = make_limb().meshes.front();
  EXPECT_EQ(rest.meshes.front().positions, limb.positions);
  EXPECT_EQ(rest.meshes.front().triangles, limb.triangles);

  const auto in_double = [](const std::vector<glm::vec3>& p) { return Points(p.begin(), p.end()); };
  const samples::QualityMeter meter(in_double(limb.positions), limb.triangles, glm::dvec3(0, 0, 0),
                                    glm::dvec3(8, 0, 0));
  for (const Json& row : measured) {
    const Model deformed = import_model((folder / "some/meshes" / file_of(row)).string()).value();
    ASSERT_EQ(deformed.meshes.front().positions.size(), limb.positions.size());
    EXPECT_NEAR(meter.measure(in_double(deformed.meshes.front().positions)).volume, row["volume"], 1e-6) << row;
  }
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder / "some/meshes/radius_1"))
    ++files;
  EXPECT_EQ(files, 1 + measured.size());
}

TEST_F(QualityCommand, SaysWhatIsWrong) {
  const auto errors = [&](const std::string& arguments, int status) { return failure("quality " + arguments, status); };
  for (const std::string length : {"-1", "9", "nan", "two"}) {
    EXPECT_THAT(errors("--blend-length " + length, 2), HasSubstr("--blend-length"));
  }
  for (const std::string radius : {"0", "-1", "99", "nan", "thin"}) {
    EXPECT_THAT(errors("--radius " + radius, 2), HasSubstr("--radius"));
  }
  EXPECT_THAT(errors("--deformer linear-blend,surface-fdf", 2), HasSubstr("did you mean 'surface-ffd'"));
  EXPECT_THAT(errors("--rig none.json", 1), HasSubstr("none.json: "));
  write("file", "");
  EXPECT_THAT(errors("--deformer linear-blend --write file", 1), HasSubstr("file/radius_1: "));
  write("own.json", R"({"format": "pelt-rig 1", "layers": [{"target": "arm", "deformer": "linear_blend"}]})");
  EXPECT_THAT(errors("--rig own.json", 1), HasSubstr("arm"));
  write("own.json", R"({"format": "pelt-rig 1", "layers": [
                        {"deformer": "surface_ffd", "parameters": {"driver": {"mesh": "limb"}}}]})");
  EXPECT_THAT(errors("--rig own.json", 1), HasSubstr("own.json: the character has no skin"));
}

}  // namespace
}  // namespace pelt
