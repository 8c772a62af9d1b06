// SPDX-License-Identifier: MIT
#include "samples/pelt/bench/benches.h"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <thread>

#include <pelt/evaluate.h>
#include <pelt/skin_query.h>
#include <pelt/tools/inspect.h>
#include <pelt/tools/parallel.h>
#include <pelt/try.h>

#include "samples/pelt/bench/interleave.h"

namespace pelt::samples {
namespace {

#ifdef __linux__
// Keeps the calling thread on its current processor.
class Pin {
 public:
  explicit Pin(bool wanted) : pinned_(wanted && ::sched_getaffinity(0, sizeof before_, &before_) == 0) {
    if (!pinned_) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
    pinned_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~Pin() {
    if (pinned_) ::sched_setaffinity(0, sizeof before_, &before_);
  }
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;

 private:
  cpu_set_t before_{};
  bool pinned_;
};
#else
struct Pin {
  explicit Pin(bool) {}
};
#endif

double seconds_of(const std::function<void()>& work, std::size_t times) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < times; ++i) work();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  return spent.count() / static_cast<double>(times);
}

// Makes a contender that repeats `work` until a reading takes about 2 ms.
Contender contender(const std::function<void()>& work, std::uint32_t threads) {
  work();
  const double once = std::max(seconds_of(work, 1), 1e-9);
  const auto times = static_cast<std::size_t>(std::clamp(2e-3 / once, 1.0, 1e4));
  return [=]() -> Result<double> {
    const Pin pin(threads == 1);
    return seconds_of(work, times);
  };
}

// Poses only the palettes of a character.
class Palettes {
 public:
  // `vertices`: the posed vertices of all meshes, input of the palettes of later stages.
  Palettes(const Character& character, std::vector<glm::mat4> joints, std::vector<float> inputs,
           std::span<const glm::vec3> vertices, std::uint32_t threads)
      : character_(character),
        joints_(std::move(joints)),
        vertices_(vertices.begin(), vertices.end()),
        inputs_(std::move(inputs)),
        palette_(character->palette_size),
        threads_(threads) {}

  void run() {
    constexpr std::size_t kGrain = 64;
    for (const PalettePass& pass : character_->passes) {
      parallel_for(pass.record_count, kGrain, threads_, [&](std::size_t begin, std::size_t end) {
        pose_pass(pass, begin, end, joints_, vertices_, inputs_, palette_);
      });
    }
  }

 private:
  Character character_;
  std::vector<glm::mat4> joints_;
  std::vector<glm::vec3> vertices_;
  std::vector<float> inputs_;
  std::vector<Affine> palette_;
  std::uint32_t threads_;
};

// A posed evaluator, its palettes, and rays at its skin, which must outlive the contenders.
struct Task {
  Evaluator evaluator;
  Palettes palettes;
  std::optional<SkinQuery> query{};
  std::vector<glm::vec3> targets{};
  std::vector<glm::vec3> directions{};
  std::size_t ray = 0;

  // Precondition: the evaluator has moved the skin, and stays at its address.
  Result<void> aim() {
    PELT_ASSIGN(const auto index, SkinIndex::create(evaluator.character()));
    PELT_ASSIGN(query, SkinQuery::create(index, evaluator));
    std::mt19937 random(1);
    std::uniform_real_distribution<float> number(-1, 1);
    for (int i = 0; i < 256; ++i) {
      targets.push_back(evaluator.positions()[random() % evaluator.positions().size()]);
      directions.push_back(glm::normalize(glm::vec3(number(random), number(random), number(random) + 1e-3f)));
    }
    return {};
  }

  // Poses palettes and sends the next ray, from 1 m away.
  void pose_and_hit() {
    ray = (ray + 1) % targets.size();
    evaluator.evaluate_controls();
    static_cast<void>(query->ray(targets[ray] - directions[ray], directions[ray]));
  }
};

}  // namespace

Result<Json> bench_cpu(std::span<const std::uint32_t> vertices, std::size_t rounds) {
  constexpr double kVertexBytes = sizeof(glm::vec3) + sizeof(glm::vec3) + sizeof(glm::vec4);
  constexpr std::size_t kWorks = 3;  // contenders per row: moving all, palettes, a ray
  const std::uint32_t all_threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::uint32_t> thread_counts{1};
  if (all_threads > 1) thread_counts.push_back(all_threads);

  Json rows = Json::array();
  for (const std::uint32_t count : vertices) {
    Json of_size = Json::array();
    std::vector<std::unique_ptr<Task>> tasks;
    std::vector<Contender> contenders;
    for (const Method& method : methods()) {
      PELT_ASSIGN(const auto character, make_workload(method, count));
      const CharacterData& data = *character;
      const Traffic traffic = traffic_of(data, kVertexBytes);
      for (const std::uint32_t threads : thread_counts) {
        Evaluator::Options options;
        options.jobs = thread_jobs(threads);
        const std::vector<glm::mat4> joints = bent(data.skeleton);
        const std::vector<float> inputs = eight_active(data);
        Evaluator evaluator(character, options);
        evaluator.pose(joints);
        evaluator.inputs(inputs);
        evaluator.evaluate();
        Palettes palettes(character, joints, inputs, evaluator.positions(), threads);
        tasks.push_back(std::make_unique<Task>(Task{std::move(evaluator), std::move(palettes)}));
        Task* task = tasks.back().get();
        contenders.push_back(contender([task] { task->evaluator.evaluate(); }, threads));
        contenders.push_back(contender([task] { task->palettes.run(); }, threads));
        PELT_TRY(task->aim());
        contenders.push_back(contender([task] { task->pose_and_hit(); }, threads));
        of_size.push_back(describe(method, data, traffic, 1));
        of_size.back().update({{"backend", "cpu"}, {"threads", threads}});
      }
    }
    PELT_ASSIGN(const auto seconds, interleave(contenders, rounds));
    for (std::size_t i = 0; i < of_size.size(); ++i) {
      const std::size_t yardstick = yardstick_of(methods()) * thread_counts.size() + i % thread_counts.size();
      const Spread spread = spread_of(seconds[kWorks * i]);
      of_size[i].update(
          {{"seconds", to_json(spread)},
           {"vertices_per_second", of_size[i]["vertices"].get<double>() / spread.median},
           {"time_of_linear_blend_4", ratio_json(ratio_of(seconds[kWorks * i], seconds[kWorks * yardstick]))},
           {"palette_seconds", to_json(spread_of(seconds[kWorks * i + 1]))},
           {"ray_seconds", to_json(spread_of(seconds[kWorks * i + 2]))},
           {"time_of_ray", ratio_json(ratio_of(seconds[kWorks * i], seconds[kWorks * i + 2]))}});
      rows.push_back(of_size[i]);
    }
  }
  return rows;
}

}  // namespace pelt::samples
