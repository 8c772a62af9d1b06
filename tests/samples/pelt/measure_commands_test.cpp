// SPDX-License-Identifier: MIT
// Tests pelt quality and pelt bench.
#include "tests/samples/pelt/pelt_program.h"

namespace pelt {
namespace {

using testing::HasSubstr;

TEST_F(Pelt, MeasuresEveryDeformer) {
  const Json result = json("bench --vertices 2000 --instances 3 --rounds 2 --validate");
  std::set<std::string> rows;
  for (const Json& row : result["rows"]) {
    rows.insert(row["backend"].get<std::string>() + " " + row["method"].get<std::string>());
    EXPECT_GT(row["vertices_per_second"], 0.0) << row;
    EXPECT_GT(row["bytes_in_per_vertex"], 20.0) << row;
    EXPECT_GE(row["bytes_out_per_vertex"], 20.0) << row;
    EXPECT_LE(row["seconds"]["low_quartile"], row["seconds"]["median"]) << row;
    EXPECT_TRUE(row.contains("time_of_linear_blend_4")) << row;
    if (row["method"] == "linear blend, 4") {
      EXPECT_EQ(row["time_of_linear_blend_4"], 1.0) << row;
    }
    EXPECT_TRUE(row.contains("palette_seconds")) << row;
    if (row["backend"] == "gpu") {
      EXPECT_TRUE(row.contains("ratio_to_copy")) << row;
      EXPECT_LT(row["error"], 1e-5) << row;
    }
  }
  for (const std::string backend : {"cpu", "gpu"}) {
    for (const std::string method :
         {"linear blend, 4", "dual quaternion, 4", "surface FFD, K = 8", "curve skeleton", "mos"}) {
      EXPECT_TRUE(rows.contains(backend + " " + method)) << backend << " " << method;
    }
  }
}

TEST_F(Pelt, WritesWhatADeviceCanTell) {
  done("bench --gpu-report device.md --vertices 2000 --instances 2 --rounds 1 --validate");
  const std::string report = test::file_text(folder / "device.md");
  for (const char* part : {"# Pelt ", "- driver: ", "## pelt verify", " agree\n", "6000 vertices", "30000 vertices",
                           "not measured on a software device"}) {
    EXPECT_THAT(report, HasSubstr(part));
  }
  EXPECT_THAT(report, testing::Not(HasSubstr("WRONG")));
  fails("bench --gpu-report none/device.md --vertices 2000 --instances 1 --rounds 1", "none/device.md");
}

TEST_F(Pelt, MeasuresBinding) {
  const Json result = json("bench --bind --vertices 20000 --rounds 2");
  const std::vector<std::string> methods{
      "surface FFD, driver given", "surface FFD, driver made",   "curve skeleton", "mos",
      "mos, inverse distance",     "hierarchical B-spline, made"};
  ASSERT_EQ(result["bind"].size(), 2 * methods.size());
  for (std::size_t i = 0; i < 2 * methods.size(); ++i) {
    const Json& row = result["bind"][i];
    EXPECT_EQ(row["method"], methods[i % methods.size()]);
    const double vertices = i < methods.size() ? 2000 : 20'000;
    EXPECT_NEAR(row["vertices"].get<double>(), vertices, 0.25 * vertices);
    EXPECT_GT(row["influences"], 1.0);
    EXPECT_GT(row["vertices_per_second"], 0.0);
    if (row.contains("peak_bytes_per_vertex")) {
      EXPECT_GT(row["peak_bytes_per_vertex"], 20.0) << "less than the result holds";
    }
  }
  EXPECT_FALSE(result.contains("rows"));
  fails("bench --bind --backend cpu", "--bind", 2);
}

TEST_F(Pelt, MeasuresCrowds) {
  const Json result = json("bench --crowd --instances 10 --rounds 2 --validate");
  const std::vector<std::string> crowds{"biped, linear blend", "biped, surface FFD", "mix of four characters"};
  ASSERT_EQ(result["crowds"].size(), 2 * crowds.size());
  for (std::size_t c = 0; c < crowds.size(); ++c) {
    const Json& least = result["crowds"][2 * c];
    const Json& most = result["crowds"][2 * c + 1];
    const bool mix = c + 1 == crowds.size();
    EXPECT_EQ(least["instances"], mix ? 4 : 1);
    EXPECT_EQ(most["instances"], mix ? 12 : 10);
    EXPECT_EQ(least["seconds_per_vertex_of_least"], 1.0);
    for (const Json& row : {least, most}) {
      EXPECT_EQ(row["crowd"], crowds[c]);
      EXPECT_LT(row["error"], 1e-5) << row;
      EXPECT_GT(row["seconds"]["median"], 0.0) << row;
      EXPECT_GT(row["host_seconds"]["median"], 0.0) << row;
      EXPECT_EQ(row["dispatches"], least["dispatches"]) << row;
      EXPECT_GT(row["bytes"], 20 * row["vertices"].get<double>()) << row;
      EXPECT_EQ(row["barriers"], least["barriers"]) << row;
    }
  }
  EXPECT_FALSE(result.contains("rows"));
  fails("bench --crowd --bind", "--bind", 2);
  fails("bench --crowd --vertices 2000", "--vertices", 2);
}

}  // namespace
}  // namespace pelt
