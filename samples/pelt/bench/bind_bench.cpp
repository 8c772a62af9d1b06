// SPDX-License-Identifier: MIT
#include "samples/pelt/bench/benches.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/curve_skeleton.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/mos.h>
#include <pelt/surface_ffd.h>
#include <pelt/try.h>

#include "samples/pelt/bench/interleave.h"

namespace pelt::samples {
namespace {

// Measures how far this process's resident memory rises from now on. Linux only.
class MemoryRise {
 public:
  MemoryRise() {
#ifdef __GLIBC__
    ::mallopt(M_MMAP_THRESHOLD, 1 << 17);  // the default, fixed by this call: freed large blocks go back at once
    ::malloc_trim(0);                      // memory that was freed before would hide a rise
#endif
    std::ofstream("/proc/self/clear_refs") << '5';  // resets the peak to what is resident now
    before_ = kibibytes("VmRSS:");
  }

  std::optional<double> bytes() const {
    const std::optional<double> highest = kibibytes("VmHWM:");
    if (!before_ || !highest) return std::nullopt;
    return 1024 * (*highest - *before_);
  }

 private:
  static std::optional<double> kibibytes(const std::string& key) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      double value = 0;
      if (word == key && status >> value) return value;
    }
    return std::nullopt;
  }

  std::optional<double> before_;
};

constexpr std::uint32_t kDriverTriangles = 2000;

// Makes the limb and, `with_driver`, a coarse limb around it as its driver.
Model make_skin(std::uint32_t vertices, bool with_driver) {
  const auto side = static_cast<std::uint32_t>(std::lround(std::sqrt(vertices)));
  Model model = make_limb({.around = side, .along = side});
  if (!with_driver) return model;
  Mesh driver = std::move(make_limb({.radius = 1.05f, .around = 25, .along = 33}).meshes[0]);
  driver.name = "driver";
  model.meshes.push_back(std::move(driver));
  return model;
}

SurfaceFfdParameters surface_ffd(const std::string& driver) {
  SurfaceFfdParameters parameters;
  parameters.driver.triangles = kDriverTriangles;
  parameters.driver.mesh = driver;
  return parameters;
}

struct BindMethod {
  const char* name;
  DeformerParameters deformer;
  bool with_driver = false;
};

std::vector<BindMethod> bind_methods() {
  MosParameters inverse_distance;
  inverse_distance.strategy = MosStrategy::kInverseDistance;
  return {{"surface FFD, driver given", surface_ffd("driver"), true},
          {"surface FFD, driver made", surface_ffd("")},
          {"curve skeleton", CurveSkeletonParameters{}},
          {"mos", MosParameters{}},
          {"mos, inverse distance", inverse_distance},
          {"hierarchical B-spline, made", HierarchicalBsplineParameters{}}};
}

// Binds once, and returns the seconds. `row` keeps the least processor time and the peak memory of all rounds.
Result<double> bind_once(const Model& model, const Rig& rig, Json& row) {
  const MemoryRise memory;
  const std::clock_t processor_start = std::clock();
  const auto start = std::chrono::steady_clock::now();
  const Result<Bound> bound = bind(model, rig);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  const double processor = static_cast<double>(std::clock() - processor_start) / CLOCKS_PER_SEC;
  PELT_TRY(bound);
  row["processor_seconds"] = std::min(row.value("processor_seconds", processor), processor);
  row["influences"] = bound->report.meshes.back().mean_influences;
  if (const std::optional<double> rise = memory.bytes()) {
    const double each = *rise / row["vertices"].get<double>();
    row["peak_bytes_per_vertex"] = std::max(row.value("peak_bytes_per_vertex", each), each);
  }
  return spent.count();
}

}  // namespace

Result<Json> bench_bind(std::span<const std::uint32_t> vertices, std::size_t rounds) {
  std::vector<Model> models;
  std::vector<Rig> rigs;
  Json rows = Json::array();
  for (const std::uint32_t count : vertices) {
    for (const BindMethod& method : bind_methods()) {
      models.push_back(make_skin(count, method.with_driver));
      const Mesh& skin = models.back().meshes[0];
      rigs.push_back({.check = CheckMode::kNone});
      rigs.back().layers.push_back({.target = skin.name, .deformer = method.deformer, .mask = {}});
      rows.push_back({{"method", method.name}, {"vertices", skin.positions.size()}});
    }
  }
  std::vector<Contender> contenders;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    contenders.push_back([&, i] { return bind_once(models[i], rigs[i], rows[i]); });
  }
  PELT_ASSIGN(const auto seconds, interleave(contenders, rounds));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Spread spread = spread_of(seconds[i]);
    rows[i].update(
        {{"seconds", to_json(spread)}, {"vertices_per_second", rows[i]["vertices"].get<double>() / spread.median}});
  }
  return rows;
}

}  // namespace pelt::samples
