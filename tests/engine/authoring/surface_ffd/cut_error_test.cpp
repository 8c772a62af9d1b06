// SPDX-License-Identifier: MIT

#include <algorithm>

#include <pelt/linear_blend.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"

namespace pelt {
namespace {

using testing::HasSubstr;
using Mode = SurfaceFfdParameters::Mode;

const MeshReport& report_of(const Bound& bound, const std::string& mesh) {
  return *std::find_if(bound.report.meshes.begin(), bound.report.meshes.end(),
                       [&](const MeshReport& report) { return report.mesh == mesh; });
}

// Returns a rig whose bind reports the error of a cut that it does not bound, too.
Rig with_check(const SurfaceFfdParameters& parameters) {
  Rig rig = test::rig_of(parameters, "tube");
  rig.check = CheckMode::kReport;
  return rig;
}

class CutErrors : public testing::TestWithParam<Mode> {
 protected:
  SurfaceFfdParameters parameters_ = [] {
    SurfaceFfdParameters parameters = test::by_cage();
    parameters.mode = GetParam();
    parameters.raise_elements = false;
    parameters.influences = 0;
    return parameters;
  }();
  Model model_ = test::make_tube_in_cage({.around = 8, .along = 24, .joints = 3});

  double error_with(std::uint32_t elements) {
    parameters_.elements = elements;
    parameters_.cut_error = {};
    const Bound bound = test::bound(model_, with_check(parameters_));
    const std::optional<double> error = report_of(bound, "tube").cut_error;
    EXPECT_TRUE(error);
    return error.value_or(-1);
  }
};

TEST_P(CutErrors, FallAsElementsAreKept) {
  double last = 1e9;
  for (const std::uint32_t elements : {2u, 8u, 32u, 96u}) {
    const double error = error_with(elements);
    EXPECT_LT(error, last) << elements;
    EXPECT_GT(error, 0) << elements;
    last = error;
  }
  EXPECT_EQ(error_with(0), 0);
  EXPECT_EQ(error_with(192), 0);
}

TEST_P(CutErrors, SettleTheLeastNumberOfElements) {
  for (const double bound : {0.5 * (error_with(10) + error_with(24)), 0.9 * error_with(60)}) {
    parameters_.cut_error = static_cast<float>(bound);
    const Bound result = test::bound(model_, test::rig_of(parameters_, "tube"));
    const double settled = report_of(result, "tube").cut_error.value_or(1e9);
    EXPECT_LE(settled, bound);
    EXPECT_GT(settled, 0);
    std::uint32_t kept = 0;
    for (const std::string& note : result.report.notes) {
      if (note.find("keep the error of the cut within") == std::string::npos) continue;
      kept = static_cast<std::uint32_t>(std::stoul(note.substr(note.find(": ") + 2)));
    }
    ASSERT_GT(kept, 1u);
    EXPECT_EQ(error_with(kept), settled);
    EXPECT_GT(error_with(kept - 1), bound);
  }
}

TEST_P(CutErrors, ThatNoCutReachesKeepAll) {
  parameters_.cut_error = 1e-12f;
  const Bound result = test::bound(model_, test::rig_of(parameters_, "tube"));
  EXPECT_THAT(result.report.notes, testing::Contains(HasSubstr("192 elements per vertex keep the error")));
  EXPECT_EQ(report_of(result, "tube").cut_error, 0);
}

TEST_P(CutErrors, ThatAnyCutReachesKeepOne) {
  parameters_.cut_error = 1e6f;
  EXPECT_THAT(test::bound(model_, test::rig_of(parameters_, "tube")).report.notes,
              testing::Contains(HasSubstr(": 1 elements per vertex keep the error")));
}

// The reported error bounds the skin's error in a pose of the probe.
TEST_P(CutErrors, BoundWhatIsSeen) {
  const double error = error_with(8);
  const auto skin = [&](std::uint32_t elements) {
    parameters_.elements = elements;
    return test::posed(test::bound(model_, test::rig_of(parameters_, "tube")).character, test::bent(model_, 60),
                       "tube");
  };
  const double seen{test::farthest(skin(8), skin(0))};
  EXPECT_LT(seen, 1.01 * error + 1e-3);
  EXPECT_GT(seen, 0.2 * error);
}

INSTANTIATE_TEST_SUITE_P(Modes, CutErrors, testing::Values(Mode::kBasic, Mode::kExtended),
                         [](const testing::TestParamInfo<Mode>& mode) {
                           return mode.param == Mode::kBasic ? "Basic" : "Extended";
                         });

TEST(CutErrorBound, IsNotMeasuredWithoutTheCheck) {
  EXPECT_TRUE(report_of(test::bound(test::make_tube_in_cage(), with_check(test::by_cage())), "tube").cut_error);
  EXPECT_FALSE(
      report_of(test::bound(test::make_tube_in_cage(), test::rig_of(test::by_cage(), "tube")), "tube").cut_error);
}

TEST(CutErrorBound, OfADriverOfLayersIsMeasuredThroughThem) {
  Model model = test::make_tube_in_cage();
  Rig rig = with_check(test::by_cage());
  rig.layers.push_back({"cage", LinearBlendParameters{}, {}, {}});
  EXPECT_GT(report_of(test::bound(model, rig), "tube").cut_error.value_or(0), 0);
}

}  // namespace
}  // namespace pelt
