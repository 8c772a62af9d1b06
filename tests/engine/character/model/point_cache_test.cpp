// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include <pelt/point_cache.h>
#include <pelt/tools/file_io.h>

#include "tests/support/must.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

using ::testing::HasSubstr;

class Pc2 : public ::testing::Test {
 protected:
  // Two points in three samples, from frame 10 on, two frames apart.
  Pc2Header header{.points = 2, .first_frame = 10, .frames_a_sample = 2, .samples = 3};
  std::vector<glm::vec3> positions{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {1, 2, 0}, {0, 2, 4}, {1, 2, 4}};

  Result<PointCache> load(std::size_t cut = 0, std::size_t extra = 0) const {
    std::vector<std::byte> bytes(sizeof header + positions.size() * sizeof(glm::vec3));
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + sizeof header, positions.data(), positions.size() * sizeof(glm::vec3));
    bytes.resize(bytes.size() - cut + extra);
    EXPECT_TRUE(write_file(path, bytes));
    return load_pc2(path);
  }

  std::string failure(std::size_t cut = 0, std::size_t extra = 0) const { return test::error_of(load(cut, extra)); }

  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "cache.pc2";
};

std::vector<glm::vec3> at(const PointCache& cache, float frame) {
  std::vector<glm::vec3> to(cache.count);
  sample(cache, frame, to);
  return to;
}

TEST_F(Pc2, HoldsWhatTheFileHolds) {
  const auto cache = test::must(load());
  EXPECT_EQ(cache.count, 2u);
  EXPECT_EQ(cache.frames, 3u);
  EXPECT_EQ(cache.start, 10);
  EXPECT_EQ(cache.rate, 2);
  EXPECT_THAT(cache.frame(1), ::testing::ElementsAre(glm::vec3(0, 2, 0), glm::vec3(1, 2, 0)));
}

TEST_F(Pc2, IsLinearBetweenSamplesAndHeldAtTheEnds) {
  const auto cache = test::must(load());
  for (const float frame : {-std::numeric_limits<float>::infinity(), -5.0f, 10.0f}) {
    EXPECT_THAT(at(cache, frame), ::testing::ElementsAre(glm::vec3(0, 0, 0), glm::vec3(1, 0, 0)));
  }
  EXPECT_THAT(at(cache, 11), ::testing::ElementsAre(glm::vec3(0, 1, 0), glm::vec3(1, 1, 0)));
  EXPECT_THAT(at(cache, 12), ::testing::ElementsAre(glm::vec3(0, 2, 0), glm::vec3(1, 2, 0)));
  EXPECT_THAT(at(cache, 13.5f), ::testing::ElementsAre(glm::vec3(0, 2, 3), glm::vec3(1, 2, 3)));
  for (const float frame : {14.0f, 15.0f, 1e30f}) {
    EXPECT_THAT(at(cache, frame), ::testing::ElementsAre(glm::vec3(0, 2, 4), glm::vec3(1, 2, 4)));
  }
}

TEST_F(Pc2, OneSampleIsAConstant) {
  header.samples = 1;
  positions.resize(2);
  const auto cache = test::must(load());
  for (const float frame : {0.0f, 10.0f, 11.0f}) EXPECT_EQ(at(cache, frame)[1], glm::vec3(1, 0, 0));
}

TEST_F(Pc2, RefusesWhatIsNoCache) {
  EXPECT_THAT(load_pc2("/nowhere/cache.pc2").error().code, ErrorCode::kNotFound);
  EXPECT_THAT(load_pc2(folder.path()).error().code, ErrorCode::kReadFailed);
  EXPECT_THAT(failure(sizeof header + 6 * sizeof(glm::vec3)), HasSubstr("not a PC2 cache"));
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::pair<const char*, std::function<void()>>> changes{
      {"not a PC2 cache", [&] { header.signature[0] = 'Q'; }},
      {"0 points", [&] { header.points = 0; }},
      {"-2 points", [&] { header.points = -2; }},
      {"0 samples", [&] { header.samples = 0; }},
      {"frames apart", [&] { header.frames_a_sample = 0; }},
      {"frames apart", [&] { header.frames_a_sample = -1; }},
      {"frames apart", [&] { header.frames_a_sample = kNan; }},
      {"frames apart", [&] { header.frames_a_sample = HUGE_VALF; }},
      {"first frame", [&] { header.first_frame = kNan; }},
      {"point 1 of sample 1", [&] { positions[3].y = kNan; }}};
  const Pc2Header sound = header;
  for (const auto& [why, change] : changes) {
    header = sound;
    change();
    EXPECT_THAT(failure(), HasSubstr(why));
  }
  header = sound;
  header.version = 2;
  EXPECT_TRUE(test::refused(load(), ErrorCode::kUnsupported));
}

TEST_F(Pc2, RefusesSizesThatDisagree) {
  EXPECT_THAT(failure(1), HasSubstr("need 104 bytes, but there are 103"));
  EXPECT_THAT(failure(0, 12), HasSubstr("but there are 116"));
  // More bytes than memory; computed in 32 bits, the size would be just the file's.
  header.points = std::numeric_limits<std::int32_t>::max();
  header.samples = std::numeric_limits<std::int32_t>::max();
  EXPECT_THAT(failure(), HasSubstr("but there are 104"));
}

#ifndef _WIN32  // resize_file of MinGW makes no file larger than the room left on the disk
// The size is that of the header, but nothing of it is on the disk.
TEST_F(Pc2, RefusesASparseFileOfAnySize) {
  ASSERT_TRUE(load());
  header.points = 1'000'000;
  header.samples = 100'000;
  EXPECT_THAT(failure(), testing::HasSubstr("need"));
  std::error_code code;
  std::filesystem::resize_file(path, sizeof header + std::uint64_t{1'200'000'000'000}, code);
  if (code) PELT_SKIP("the file system has no such file: " + code.message());
  EXPECT_THAT(load_pc2(path).error().message, testing::HasSubstr("bytes, more than the limit of 17179869184"));
}
#endif

}  // namespace
}  // namespace pelt
