// SPDX-License-Identifier: MIT
// Times linear blend on the CPU against the SkinningJob of ozz-animation: four influences, positions and normals, one
// thread. docs/benchmarks.md describes how to run it.
#include <fmt/format.h>
#include <hwy/targets.h>
#include <ozz/base/maths/simd_math.h>
#include <ozz/geometry/runtime/skinning_job.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>

#include <pelt/evaluate.h>
#include <pelt/linear_blend.h>
#include <pelt/try.h>

#include "samples/pelt/bench/interleave.h"
#include "samples/pelt/bench/workload.h"
#include "samples/pelt/table.h"
#include "tests/support/kernel_targets.h"

namespace pelt::samples {
namespace {

// Returns the seconds that processors have spent on this thread.
double thread_seconds() {
  std::timespec spent{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
}

// Makes a contender that runs `work` with an instruction set of the kernels, once to warm up and then `times` times.
Contender contender(std::function<void()> work, std::size_t times, std::int64_t target) {
  return [=]() -> Result<double> {
    choose_target(target);
    work();
    const double start = thread_seconds();
    for (std::size_t i = 0; i < times; ++i) work();
    return (thread_seconds() - start) / static_cast<double>(times);
  };
}

// Makes vectors unit, four at once. `count` is a multiple of four. Precondition: one more float follows the last one.
void make_unit(float* vectors, std::size_t count) {
  using ozz::math::SimdFloat4;
  namespace simd = ozz::math::simd_float4;
  for (float* v = vectors; v != vectors + 3 * count; v += 12) {
    const SimdFloat4 four[4] = {simd::LoadPtrU(v), simd::LoadPtrU(v + 3), simd::LoadPtrU(v + 6), simd::LoadPtrU(v + 9)};
    SimdFloat4 axes[3];
    ozz::math::Transpose4x3(four, axes);
    const SimdFloat4 factors = ozz::math::RSqrtEstNR(axes[0] * axes[0] + axes[1] * axes[1] + axes[2] * axes[2]);
    const SimdFloat4 b = simd::LoadPtrU(v + 4), c = simd::LoadPtrU(v + 8);
    ozz::math::StorePtrU(four[0] * ozz::math::Swizzle<0, 0, 0, 1>(factors), v);
    ozz::math::StorePtrU(b * ozz::math::Swizzle<1, 1, 2, 2>(factors), v + 4);
    ozz::math::StorePtrU(c * ozz::math::Swizzle<2, 3, 3, 3>(factors), v + 8);
  }
}

std::vector<ozz::math::Float4x4> to_ozz(std::span<const glm::mat4> matrices) {
  static_assert(sizeof(ozz::math::Float4x4) == sizeof(glm::mat4));
  std::vector<ozz::math::Float4x4> copies(matrices.size());
  std::memcpy(copies.data(), matrices.data(), matrices.size_bytes());
  return copies;
}

// A skin as SkinningJob reads and writes it.
class OzzSkin {
 public:
  // `palette`: joint matrix * inverse bind. Precondition: every row of the mesh has four influences.
  OzzSkin(const Mesh& mesh, std::span<const glm::mat4> palette)
      : rest_positions_(mesh.positions),
        rest_normals_(mesh.normals),
        palette_(to_ozz(palette)),
        positions_(size()),
        normals_(size() + 1) {
    for (std::size_t i = 0; i < size(); ++i) {
      const std::span<const Influence> row = mesh.weights.row(i);
      joints_.emplace_back(row[0].index, row[1].index, row[2].index, row[3].index);
      weights_.emplace_back(row[0].weight, row[1].weight, row[2].weight);
    }
    std::vector<glm::mat4> inverse_transposes;
    for (const glm::mat4& matrix : palette) inverse_transposes.push_back(glm::transpose(glm::inverse(matrix)));
    inverse_transposes_ = to_ozz(inverse_transposes);
  }

  std::size_t size() const { return rest_positions_.size(); }
  std::span<const glm::vec3> positions() const { return positions_; }
  std::span<const glm::vec3> normals() const { return {normals_.data(), size()}; }

  // Matches the job's defaults: normals are turned by the blended matrix and not made unit.
  void move() { run(job(0, size())); }

  // Moves with normals as near to Pelt's as the job has them: turned by inverse transposes, and made unit. It does so
  // block by block, so that a cache holds what is made unit.
  void move_alike() {
    constexpr std::size_t kBlock = 512;
    for (std::size_t first = 0; first < size(); first += kBlock) {
      const std::size_t count = std::min(kBlock, size() - first);
      ozz::geometry::SkinningJob block = job(first, count);
      block.joint_inverse_transpose_matrices = {inverse_transposes_.data(), inverse_transposes_.size()};
      run(block);
      make_unit(&normals_[first].x, count);
    }
  }

 private:
  ozz::geometry::SkinningJob job(std::size_t first, std::size_t count) {
    ozz::geometry::SkinningJob job;
    job.vertex_count = static_cast<int>(count);
    job.influences_count = 4;
    job.joint_matrices = {palette_.data(), palette_.size()};
    job.joint_indices = {&joints_[first].x, 4 * count};
    job.joint_indices_stride = sizeof(glm::u16vec4);
    job.joint_weights = {&weights_[first].x, 3 * count};
    job.in_positions = {&rest_positions_[first].x, 3 * count};
    job.in_normals = {&rest_normals_[first].x, 3 * count};
    job.out_positions = {&positions_[first].x, 3 * count};
    job.out_normals = {&normals_[first].x, 3 * count};
    job.joint_weights_stride = job.in_positions_stride = job.in_normals_stride = sizeof(glm::vec3);
    job.out_positions_stride = job.out_normals_stride = sizeof(glm::vec3);
    return job;
  }

  static void run(const ozz::geometry::SkinningJob& job) {
    if (!job.Run()) std::abort();  // an array is too short
  }

  std::vector<glm::vec3> rest_positions_;
  std::vector<glm::vec3> rest_normals_;
  std::vector<glm::u16vec4> joints_;  // columns of `weights_`
  std::vector<glm::vec3> weights_;    // of the first three influences; the fourth is the remainder
  std::vector<ozz::math::Float4x4> palette_;
  std::vector<ozz::math::Float4x4> inverse_transposes_;
  std::vector<glm::vec3> positions_;
  std::vector<glm::vec3> normals_;  // one more, which make_unit reads
};

float largest_distance(std::span<const glm::vec3> a, std::span<const glm::vec3> b) {
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, glm::distance(a[i], b[i]));
  return largest;
}

// Prints the distance between the vertices of both.
std::string differences(const Character& character, Evaluator& evaluator, OzzSkin& skin) {
  evaluator.evaluate();
  skin.move_alike();
  const CharacterMesh& mesh = character->meshes.front();
  std::vector<glm::vec3> positions(skin.size()), normals(skin.size());
  to_source_order(mesh, evaluator.positions(), std::span(positions));
  to_source_order(mesh, evaluator.normals(), std::span(normals));
  const float chord = largest_distance(normals, skin.normals());
  return fmt::format("Positions are at most {:.1e} of the size apart, normals alike {:.2f} degrees.",
                     largest_distance(positions, skin.positions()) / character.size(),
                     glm::degrees(2 * std::asin(std::min(chord / 2, 1.0f))));
}

// Formats the median and, in brackets, the middle half of the rounds.
std::string in_words(const Spread& spread) {
  return fmt::format("{:.2f} ({:.2f} - {:.2f})", spread.median, spread.low, spread.high);
}

Result<void> measure(std::uint32_t vertices, std::size_t rounds) {
  const Method method{"linear blend, 4", 4, LinearBlendParameters{}};
  PELT_ASSIGN(const auto character, make_workload(method, vertices));
  const std::vector<glm::mat4> joints = bent(character->skeleton);
  Evaluator::Options options;
  options.tangents = false;
  Evaluator evaluator(character, options);
  evaluator.pose(joints);

  const Model model = make_tube(vertices, method.influences);
  std::vector<glm::mat4> palette;
  for (const BoundJoint& bound : model.bound_joints) palette.push_back(joints[bound.joint] * bound.inverse_bind);
  OzzSkin skin(model.meshes[0], palette);

  constexpr std::size_t kVerticesOfReading = 1'000'000;
  const std::size_t times = std::max(kVerticesOfReading / skin.size(), std::size_t{1});
  std::vector<std::string> names{"ozz-animation", "ozz-animation, normals alike"};
  std::vector<Contender> contenders{contender([&] { skin.move(); }, times, 0),
                                    contender([&] { skin.move_alike(); }, times, 0)};
  for (const std::int64_t target : targets_of_kernels()) {
    names.push_back(fmt::format("Pelt, {}", hwy::TargetName(target)));
    contenders.push_back(contender([&] { evaluator.evaluate(); }, times, target));
  }
  PELT_ASSIGN(const auto seconds, interleave(contenders, rounds));

  Json rows = Json::array();
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const double speed = static_cast<double>(skin.size()) / spread_of(seconds[i]).median;
    rows.push_back({{"name", names[i]},
                    {"speed", speed},
                    {"of_ozz", in_words(ratio_of(seconds[0], seconds[i]))},
                    {"alike", in_words(ratio_of(seconds[1], seconds[i]))}});
  }
  choose_target(0);
  fmt::print("{} vertices, {} rounds: speed, and its ratio within rounds, median (middle half)\n\n{}\n{}\n\n",
             skin.size(), rounds,
             table_of(rows, {{"", "name"},
                             {"Mvert/s", "speed", "{:.1f}", 1e-6},
                             {"of ozz-animation", "of_ozz", "{}"},
                             {"of it, normals alike", "alike", "{}"}}),
             differences(character, evaluator, skin));
  return {};
}

Result<void> measure_all(std::size_t rounds) {
  for (const std::uint32_t vertices : {10'000u, 100'000u}) PELT_TRY(measure(vertices, rounds));
  return {};
}

}  // namespace
}  // namespace pelt::samples

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 31;
  if (argc > 2 || rounds < 1) {
    fmt::print(stderr, "usage: ozz_bench [ROUNDS]\n");
    return 2;
  }
  const pelt::Result<void> done = pelt::samples::measure_all(static_cast<std::size_t>(rounds));
  if (!done) fmt::print(stderr, "ozz_bench: {}\n", done.error().message);
  return done ? 0 : 1;
}
