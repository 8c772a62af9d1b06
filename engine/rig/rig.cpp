// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include <pelt/deformers.h>
#include <pelt/rig.h>

namespace pelt {
namespace {

template <class Parameters>
const Parameters& as(const DeformerParameters& parameters) {
  return std::get<Parameters>(parameters);
}

bool has_no_sculpture(const DriverParameters& driver) {
  return driver.key_poses.empty() && driver.offsets.empty() && driver.follow != Follow::kStreamed;
}

bool is_made_from_skin(const DriverParameters& driver) {
  return driver.mesh.empty() && driver.file.empty() && driver.patches.empty();
}

using Any = const DeformerParameters&;
const DeformerEntry kDeformers[] = {
    {.name = "linear_blend", .defaults = LinearBlendParameters{}, .gives_way = [](Any) { return true; }},
    {.name = "dual_quaternion", .defaults = DualQuaternionParameters{}, .rigid_parts = RigidParts::kLeftAsMeshes},
    {.name = "surface_ffd",
     .defaults = SurfaceFfdParameters{},
     .rigid_parts = RigidParts::kLeft,
     // The triangles of such a driver are larger than lips and lids.
     .leaves =
         [](Any p) {
           const DriverParameters& driver = as<SurfaceFfdParameters>(p).driver;
           return is_made_from_skin(driver) && has_no_sculpture(driver) ? LeftPieces::kFaces : LeftPieces::kNone;
         },
     .driver_mesh = [](Any p) -> const std::string& { return as<SurfaceFfdParameters>(p).driver.mesh; },
     .gives_way = [](Any p) { return has_no_sculpture(as<SurfaceFfdParameters>(p).driver); }},
    {.name = "curve_skeleton",
     .defaults = CurveSkeletonParameters{},
     .rigid_parts = RigidParts::kLeft,
     .leaves = [](Any) { return LeftPieces::kCores; },
     .gives_way =
         [](Any p) {
           const auto& curves = as<CurveSkeletonParameters>(p);
           return curves.joints.empty() && curves.bones.empty();
         }},
    {.name = "mos",
     .defaults = MosParameters{},
     .rigid_parts = RigidParts::kLeft,
     .leaves = [](Any) { return LeftPieces::kCores; },
     .driver_mesh = [](Any p) -> const std::string& { return as<MosParameters>(p).cage; },
     .gives_way = [](Any p) { return as<MosParameters>(p).edits.empty(); }},
};
static_assert(std::size(kDeformers) == std::variant_size_v<DeformerParameters>);

// Levenshtein distance, one row of the table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::span<const DeformerEntry> deformers() { return kDeformers; }

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  // No name here is nearly as long: what is cut off cannot change which is nearest, but a hostile key could be huge.
  name = name.substr(0, 256);
  std::string_view nearest;
  std::size_t least = static_cast<std::size_t>(-1);
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

const DeformerEntry& deformer_entry(const DeformerParameters& parameters) {
  return *std::find_if(std::begin(kDeformers), std::end(kDeformers),
                       [&](const DeformerEntry& entry) { return entry.defaults.index() == parameters.index(); });
}

const Group* Rig::find_group(std::string_view group) const {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.name == group; });
  return found == groups.end() ? nullptr : &*found;
}

std::string_view deformer_name(const DeformerParameters& parameters) { return deformer_entry(parameters).name; }

Result<Rig> rig_from_deformer_name(const std::string& deformer) {
  std::string name = deformer;
  std::replace(name.begin(), name.end(), '-', '_');
  std::vector<std::string_view> known;
  for (const DeformerEntry& entry : kDeformers) {
    if (entry.name != name) {
      known.push_back(entry.name);
      continue;
    }
    Rig rig;
    rig.name = name;
    rig.layers = {Layer{.deformer = entry.defaults}};
    return rig;
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("there is no deformer '{}'; did you mean '{}'? There are: {}", deformer.substr(0, 64),
                          nearest_name(name, known), fmt::join(known, ", ")));
}

}  // namespace pelt
