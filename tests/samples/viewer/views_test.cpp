// SPDX-License-Identifier: MIT
// Compares the viewer's pictures with those of tests/samples/viewer/views: runs the program without a display on Mesa's
// software device. PELT_UPDATE_VIEWS=1, which docs/pictures.sh sets, rewrites that folder.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include <pelt/runtime/device.h>

#include "samples/renderer/image.h"
#include "tests/samples/read_png.h"
#include "tests/support/program.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

using samples::Image;
using Json = nlohmann::json;

// ---------------------------------------------------------------------------------------------------------- similarity

constexpr std::uint32_t kWindow = 8;  // pixels a side
constexpr std::uint32_t kStep = 4;    // from one window to the next
constexpr std::uint32_t kTile = 32;   // pixels a side: 64 of the viewer's

// Another version of Mesa may cover other pixels at edges, and the report shows this run's seconds. Missing parts or
// other colours give smaller values: see the tests of Similarity below.
constexpr double kMinMean = 0.98;
constexpr double kMinTile = 0.8;

struct Similarity {
  double mean = 1;
  double least_tile = 1;
  std::uint32_t tile_x = 0;  // corner of the tile with the least similarity, pixels
  std::uint32_t tile_y = 0;
};

// Returns the similarity of one channel in the window at (x, y): Wang, Bovik, Sheikh, Simoncelli, "Image Quality
// Assessment: From Error Visibility to Structural Similarity", 2004, equation 13 with its constants, over a plain
// square instead of a Gaussian.
double window_similarity(const Image& a, const Image& b, std::uint32_t x, std::uint32_t y, std::size_t channel) {
  constexpr double kC1 = 0.01 * 255 * 0.01 * 255;
  constexpr double kC2 = 0.03 * 255 * 0.03 * 255;
  constexpr double kCount = kWindow * kWindow;
  double sum_a = 0, sum_b = 0, sum_aa = 0, sum_bb = 0, sum_ab = 0;
  for (std::uint32_t row = y; row < y + kWindow; ++row) {
    for (std::uint32_t column = x; column < x + kWindow; ++column) {
      const std::size_t at = 4 * (std::size_t{row} * a.width + column) + channel;
      const double va = a.pixels[at];
      const double vb = b.pixels[at];
      sum_a += va;
      sum_b += vb;
      sum_aa += va * va;
      sum_bb += vb * vb;
      sum_ab += va * vb;
    }
  }
  const double mean_a = sum_a / kCount;
  const double mean_b = sum_b / kCount;
  const double variance_a = sum_aa / kCount - mean_a * mean_a;
  const double variance_b = sum_bb / kCount - mean_b * mean_b;
  const double covariance = sum_ab / kCount - mean_a * mean_b;
  return (2 * mean_a * mean_b + kC1) * (2 * covariance + kC2) /
         ((mean_a * mean_a + mean_b * mean_b + kC1) * (variance_a + variance_b + kC2));
}

// Compares red, green and blue, so that other colours of the same lightness count. Precondition: images of one size.
Similarity similarity(const Image& a, const Image& b) {
  struct Sum {
    double sum = 0;
    double count = 0;
    double mean() const { return sum / count; }
  };
  const std::uint32_t across = (a.width + kTile - 1) / kTile;
  std::vector<Sum> tiles(std::size_t{across} * ((a.height + kTile - 1) / kTile));
  Sum all;
  for (std::uint32_t y = 0; y + kWindow <= a.height; y += kStep) {
    for (std::uint32_t x = 0; x + kWindow <= a.width; x += kStep) {
      double value = 0;
      for (std::size_t channel = 0; channel < 3; ++channel) value += window_similarity(a, b, x, y, channel) / 3;
      for (Sum* sum : {&all, &tiles[std::size_t{y / kTile} * across + x / kTile]}) {
        sum->sum += value;
        sum->count += 1;
      }
    }
  }
  Similarity result;
  result.mean = all.mean();
  for (std::uint32_t t = 0; t < tiles.size(); ++t) {
    if (tiles[t].count == 0 || tiles[t].mean() >= result.least_tile) continue;
    result.least_tile = tiles[t].mean();
    result.tile_x = t % across * kTile;
    result.tile_y = t / across * kTile;
  }
  return result;
}

// -------------------------------------------------------------------------------------------------------------- images

// Averages every 2 x 2 pixels: the committed pictures stay small, and texts stay legible.
Image halved(const Image& image) {
  Image half{image.width / 2, image.height / 2, {}};
  half.pixels.reserve(std::size_t{4} * half.width * half.height);
  for (std::size_t y = 0; y < half.height; ++y) {
    for (std::size_t x = 0; x < half.width; ++x) {
      for (std::size_t channel = 0; channel < 4; ++channel) {
        const std::size_t at = 4 * (2 * y * image.width + 2 * x) + channel;
        const std::size_t below = at + 4 * std::size_t{image.width};
        const int sum = image.pixels[at] + image.pixels[at + 4] + image.pixels[below] + image.pixels[below + 4];
        half.pixels.push_back(static_cast<std::uint8_t>((sum + 2) / 4));
      }
    }
  }
  return half;
}

// --------------------------------------------------------------------------------------------------------------- views

const std::filesystem::path kSource = PELT_SOURCE;
const std::filesystem::path kGolden = kSource / "tests/samples/viewer/views";

std::set<std::string> pictures_of(const std::filesystem::path& script) {
  const Json json = Json::parse(test::file_text(script));
  std::set<std::string> names;
  for (const Json& step : json.at("steps")) {
    if (step.contains("picture")) names.insert(step["picture"]);
  }
  return names;
}

void compare(const std::string& name, const Image& seen, const Image& golden) {
  const auto keep = [&] {
    const std::filesystem::path folder = std::filesystem::current_path() / "viewer_views_failed";
    std::filesystem::create_directories(folder);
    EXPECT_TRUE(samples::write_png(folder / name, seen));
    return (folder / name).string();
  };
  if (seen.width != golden.width || seen.height != golden.height) {
    ADD_FAILURE() << fmt::format("{} is {} x {} pixels, and {} x {} in {}", keep(), seen.width, seen.height,
                                 golden.width, golden.height, kGolden.string());
    return;
  }
  const Similarity alike = similarity(seen, golden);
  std::string text = fmt::format("{}: {:.4f}, {:.3f} in the least tile, at {}, {}", name, alike.mean, alike.least_tile,
                                 alike.tile_x, alike.tile_y);
  if (alike.mean < kMinMean || alike.least_tile < kMinTile) {
    ADD_FAILURE() << text << "\nseen: " << keep() << "\ncommitted: " << (kGolden / name).string();
  } else {
    fmt::print("{}\n", text);
  }
}

class ViewerViews : public testing::Test {
 protected:
  void SetUp() override {
    const auto devices = runtime::list_devices();
    const bool software = devices && std::ranges::any_of(*devices, [](const runtime::DeviceDescription& device) {
                            return device.name.find("llvmpipe") != std::string::npos;
                          });
    if (!software) PELT_SKIP("there is no software device: package mesa-vulkan-drivers");
  }

  // Runs a script in this folder and compares every picture that it writes.
  void expect_views(const std::string& script_name, const std::string& arguments) const {
    const std::filesystem::path script = kSource / "tests/samples/viewer" / script_name;
    const test::TemporaryFolder folder;
    const test::Outcome outcome =
        test::run_program(PELT_VIEWER,
                          fmt::format("{} --device llvmpipe --headless --validate --script '{}' -o '{}'", arguments,
                                      script.string(), folder.path().string()),
                          kSource);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.errors, "");
    const bool update = std::getenv("PELT_UPDATE_VIEWS") != nullptr;
    for (const std::string& name : pictures_of(script)) {
      const std::optional<Image> seen = test::read_png(folder / name);
      ASSERT_TRUE(seen) << name;
      const Image half = halved(*seen);
      if (update) {
        ASSERT_TRUE(samples::write_png(kGolden / name, half));
        continue;
      }
      const std::optional<Image> golden = test::read_png(kGolden / name);
      if (golden) {
        compare(name, half, *golden);
      } else {
        ADD_FAILURE() << (kGolden / name).string() << " is missing: PELT_UPDATE_VIEWS=1 writes it";
      }
    }
    if (update) PELT_SKIP(fmt::format("PELT_UPDATE_VIEWS: {} was written, nothing compared", kGolden.string()));
  }
};

TEST_F(ViewerViews, AreAsCommitted) { expect_views("views.json", "--size 960x600"); }

TEST_F(ViewerViews, AreAsCommittedAtTwiceTheScale) { expect_views("views_2x.json", "--size 1920x1200 --scale 2"); }

// docs/pictures.sh makes these pictures and those of the documents.
TEST(Pictures, AreThoseThatTheScriptMakes) {
  std::set<std::string> there;
  for (const std::string folder : {"docs", "engine", "runtime", "samples", "shaders", "tests"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource / folder)) {
      if (entry.path().extension() == ".png") there.insert(entry.path().lexically_relative(kSource).generic_string());
    }
  }
  const test::Outcome listed = test::run_program((kSource / "docs/pictures.sh").string(), "--list");
  ASSERT_EQ(listed.status, 0) << listed.errors;
  std::istringstream lines(listed.output);
  std::set<std::string> made;
  for (std::string line; std::getline(lines, line);) made.insert(line);
  for (const std::string& picture : there) EXPECT_TRUE(made.contains(picture)) << picture << " is made by no script";
  for (const std::string& picture : made) EXPECT_TRUE(there.contains(picture)) << picture << " is missing";
  EXPECT_FALSE(made.empty());
}

// ------------------------------------------------------------------------------------------------------- the tolerance

Image plain(std::array<std::uint8_t, 3> color) {
  Image image{480, 300, {}};
  for (std::size_t i = 0; i < std::size_t{480} * 300; ++i) {
    image.pixels.insert(image.pixels.end(), {color[0], color[1], color[2], 255});
  }
  return image;
}

void fill(Image& image, std::uint32_t x, std::uint32_t y, std::uint32_t size, std::array<std::uint8_t, 3> color) {
  for (std::uint32_t row = y; row < y + size; ++row) {
    for (std::uint32_t column = x; column < x + size; ++column) {
      std::ranges::copy(color, image.pixels.begin() + 4 * (static_cast<std::ptrdiff_t>(row) * image.width + column));
    }
  }
}

TEST(Similarity, IsLostWithAFigureAndFoundThere) {
  Image image = plain({190, 190, 192});
  const Image empty = image;
  fill(image, 101, 99, 20, {120, 80, 50});
  const Similarity alike = similarity(image, empty);
  EXPECT_LT(alike.least_tile, kMinTile);
  EXPECT_EQ(alike.tile_x, 96u);
  EXPECT_EQ(alike.tile_y, 96u);
}

TEST(Similarity, IsLostWithOtherColors) {
  Image image = plain({190, 190, 192});
  Image other = image;
  fill(image, 100, 100, 64, {40, 120, 140});  // of similar lightness
  fill(other, 100, 100, 64, {140, 84, 30});
  EXPECT_LT(similarity(image, other).least_tile, kMinTile);
}

}  // namespace
}  // namespace pelt
