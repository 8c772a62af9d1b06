// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include <pelt/try.h>

#include "engine/authoring/base/stop.h"
#include "engine/authoring/deformer/twist_spread.h"
#include "engine/authoring/driver/from_skin/armpits.h"
#include "engine/authoring/driver/vertex_frame/bind.h"
#include "engine/authoring/surface_ffd/cut_error.h"
#include "engine/authoring/surface_ffd/driver.h"
#include "engine/authoring/surface_ffd/elements.h"
#include "engine/authoring/surface_ffd/exclusions.h"
#include "engine/authoring/surface_ffd/reduce_rows.h"
#include "engine/authoring/surface_ffd/rows.h"

namespace pelt::surface_ffd {
namespace {

constexpr std::size_t kElements = 26;
constexpr std::size_t kInfluences = 8;
constexpr std::size_t kArmpitJoints = 4;  // extra influences of a vertex of an armpit
constexpr std::size_t kQuadraticElements = 32;
constexpr std::size_t kQuadraticInfluences = 12;
constexpr std::size_t kProbedVertices = 256;  // vertices of a target at which the error of the cut is measured
constexpr double kProbing = 0.7;              // typical fraction of the time that measuring the error of the cut takes

// Returns the precision that the driver allows: linear instead of quadratic for estimated frames, since weights of both
// signs amplify their errors.
Precision usable_precision(const SurfaceFfdParameters& parameters, const Driver& driver, bool extended,
                           const DeformerInput& input) {
  if (parameters.precision != Precision::kQuadratic || (extended && (!driver.estimated_frames || driver.axis_points))) {
    return parameters.precision;
  }
  input.notes.push_back(fmt::format("{}: linear instead of quadratic precision, since {}", input.layer,
                                    extended
                                        ? fmt::format("the frames of the driver '{}' are estimated", driver.mesh.name)
                                        : "quadratic needs frames of the driver's vertices"));
  return Precision::kLinear;
}

// Returns K for the basic variant. It is raised if a cut among the triangles round a vertex would jump.
std::size_t raised_elements(const SurfaceFfdParameters& parameters, std::size_t kept, const Elements& elements,
                            const Driver& driver, const DeformerInput& input) {
  if (!parameters.raise_elements || kept == 0 || kept >= elements.largest_valence()) return kept;
  input.notes.push_back(
      fmt::format("{}: {} elements per vertex instead of {}, since that many triangles of the driver '{}' meet at one "
                  "vertex and a cut among them would jump",
                  input.layer, elements.largest_valence(), kept, driver.mesh.name));
  return elements.largest_valence();
}

// Returns the first of the palette entries that move the skin: one per driver vertex (extended) or per element. Layers
// share them.
std::uint32_t frames_of(const Driver& driver, const Elements& elements, bool extended, const DeformerInput& input) {
  if (extended && !driver.estimated_frames) return input.builder.frame_entries(driver.control_mesh);
  auto& known = extended ? input.drivers.estimated_frames : input.drivers.element_frames;
  const auto found = known.find(driver.control_mesh);
  if (found != known.end()) return found->second;
  const std::uint32_t first =
      extended ? driver.axis_points
                     ? vertex_frame::add_axis_pass(driver.mesh, driver.control_mesh, input.builder)
                     : vertex_frame::add_pass(driver.mesh, elements.triangles(), driver.control_mesh, input.builder)
               : elements.add_pass(driver, input.builder);
  return known.emplace(driver.control_mesh, first).first->second;
}

// Returns some vertices of a target, evenly spread over those that the layer shows at.
std::vector<std::uint32_t> probed_vertices(const DeformerTarget& target) {
  std::vector<std::uint32_t> shown;
  for (std::uint32_t v = 0; v < target.mask.size(); ++v) {
    if (target.mask[v] > 0) shown.push_back(v);
  }
  const std::size_t count = std::min(shown.size(), kProbedVertices);
  std::vector<std::uint32_t> probed;
  for (std::size_t i = 0; i < count; ++i) probed.push_back(shown[i * shown.size() / count]);
  return probed;
}

// The rows of some vertices of all targets, cut to any K.
class Probe {
 public:
  Probe(const CutProbe& poses, std::span<const Exclusions> exclusions, const DeformerInput& input)
      : poses_(poses), exclusions_(exclusions), input_(input) {}

  // Returns the largest distance, metres, between a vertex moved by the rows of `settings` and by all elements.
  Result<double> error(const RowSettings& settings) {
    double largest = 0;
    for (std::size_t t = 0; t < full_detail(input_).size(); ++t) {
      const Mesh& mesh = mesh_of(input_, input_.targets[t]);
      const std::vector<std::uint32_t> vertices = probed_vertices(input_.targets[t]);
      if (all_.size() <= t) {
        RowSettings all = settings;
        all.kept_elements = 0;
        all.kept_influences = 0;
        PELT_ASSIGN(auto rows, make_some_rows(mesh, vertices, all, exclusions_[t]));
        all_.push_back(std::move(rows));
      }
      PELT_ASSIGN(const auto rows, make_some_rows(mesh, vertices, settings, exclusions_[t]));
      std::vector<glm::vec3> points;
      for (const std::uint32_t v : vertices) points.push_back(mesh.positions[v]);
      largest = std::max(largest, poses_.largest_difference(rows, all_[t], points));
      input_.progress(kProbing * static_cast<double>(t + 1) / static_cast<double>(full_detail(input_).size()));
    }
    return largest;
  }

  // Returns the least K with an error of at most `bound`, metres. Assumes that the error falls as K grows.
  Result<std::size_t> least_elements(RowSettings settings, double bound) {
    const std::size_t count = settings.elements.count();
    const auto fits = [&](std::size_t k) -> Result<bool> {
      settings.kept_elements = k;
      PELT_ASSIGN(const auto found, error(settings));
      return found <= bound;
    };
    std::size_t enough = 1;
    std::size_t too_few = 0;
    while (enough < count) {
      PELT_ASSIGN(const auto fit, fits(enough));
      if (fit) break;
      too_few = enough;
      enough = std::min(2 * enough, count);
    }
    while (enough - too_few > 1) {
      const std::size_t middle = (enough + too_few) / 2;
      PELT_ASSIGN(const auto fit, fits(middle));
      (fit ? enough : too_few) = middle;
    }
    return enough;
  }

 private:
  const CutProbe& poses_;
  std::span<const Exclusions> exclusions_;
  const DeformerInput& input_;
  std::vector<SparseRows> all_;  // rows of each target with all elements
};

// Chooses K by the error of its cut if the rig asks for that, and reports the error.
Result<void> settle_elements(const SurfaceFfdParameters& parameters, std::span<const Exclusions> exclusions,
                             const Driver& driver, const std::optional<CutProbe>& poses, const DeformerInput& input,
                             RowSettings& settings, std::optional<double>& cut_error) {
  if (!poses) {
    if (parameters.cut_error) {
      input.notes.push_back(
          fmt::format("{}: nothing poses the driver '{}' during bind, so the error of the cut cannot be "
                      "measured; {} elements per vertex",
                      input.layer, driver.mesh.name, settings.kept_elements));
    }
    return {};
  }
  Probe probe(*poses, exclusions, input);
  if (parameters.cut_error) {
    PELT_ASSIGN(const auto least, probe.least_elements(settings, *parameters.cut_error));
    settings.kept_elements =
        settings.extended ? least : raised_elements(parameters, least, settings.elements, driver, input);
    input.notes.push_back(fmt::format("{}: {} elements per vertex keep the error of the cut within {:.3g} m",
                                      input.layer, settings.kept_elements, *parameters.cut_error));
  }
  PELT_ASSIGN(const auto error, probe.error(settings));
  cut_error = error;
  return {};
}

// Returns each driver vertex's weight in an armpit. Empty if none has any, or if the driver is not made from the skin,
// does not follow by dual quaternions, or keeps its transitions as painted (as cloth with a body's weights does, to
// stay outside of it). Skin must follow the vertices that key poses move, which have none.
std::vector<float> find_armpits(const DriverParameters& parameters, const Driver& driver, const Model& model) {
  const bool pulls_armpits =
      is_made_from_skin(parameters) && parameters.follow == Follow::kDualQuaternion && parameters.spread != 0.0f;
  if (!pulls_armpits) return {};
  const SparseRows& weights = driver.mesh.weights;
  const from_skin::Armpits armpits(model);
  std::vector<float> shares;
  for (std::size_t v = 0; v < weights.row_count(); ++v) {
    const bool is_keyed = driver.sculpted && !driver.keyed.empty() && driver.keyed[v];  // not by folds
    shares.push_back(is_keyed ? 0.0f : armpits.share(driver.mesh.positions[v], weights.row(v)));
  }
  if (std::ranges::all_of(shares, [](float share) { return share == 0; })) shares.clear();
  return shares;
}

// In armpits, replaces the driver's frames by linear blend of its weights, `linear`. `shares`: of find_armpits. A
// changed row is cut to kArmpitJoints more than `influences`; 0: it is not cut.
void pull_armpits(std::span<const float> shares, const SparseRows& linear, std::uint32_t first_entry,
                  std::size_t influences, SparseRows& rows) {
  const Gradients gradients = rows.gradients.empty() ? Gradients::kNone : Gradients::kKnown;
  SparseRows pulled;
  std::vector<WeightedElement> row;
  for (std::size_t v = 0; v < rows.row_count(); ++v) {
    stop_if_asked();
    const auto is_pulled = [&](const Influence& influence) { return shares[influence.index - first_entry] > 0; };
    if (std::ranges::none_of(rows.row(v), is_pulled)) {
      pulled.append_row(rows.row(v), rows.row_gradients(v));
      continue;
    }
    row.clear();
    for (std::size_t i = rows.offsets[v]; i < rows.offsets[v + 1]; ++i) {
      const auto [entry, weight] = rows.influences[i];
      const glm::dvec3 gradient(gradients == Gradients::kKnown ? rows.gradients[i] : glm::vec3(0));
      const double share = shares[entry - first_entry];
      row.push_back({entry, (1 - share) * weight, (1 - share) * gradient});
      for (const Influence& joint : linear.row(entry - first_entry)) {
        row.push_back({joint.index, share * joint.weight * weight, share * joint.weight * gradient});
      }
    }
    SparseRows merged;
    append_row(merged, row, gradients);
    if (influences != 0) merged = cut_rows(merged, influences + kArmpitJoints, Cut::kContinuous);
    pulled.append_row(merged.row(0), merged.row_gradients(0));
  }
  rows = std::move(pulled);
}

// Returns true if nothing but joints will ever move the vertices of a driver, so that rows may lose some of them. An
// artist may drag the vertices of other drivers, and of one that is bound with offsets (move_bound).
bool may_reduce(const DriverParameters& parameters, const Driver& driver) {
  return is_made_from_skin(parameters) && driver.motion.row_count() != 0 && !driver.sculpted &&
         !driver.estimated_frames;
}

// Returns for each driver vertex the first one that moves alike, since both follow the same joint, or step along its
// bone, and only that.
std::vector<std::uint32_t> find_same_motion(const Driver& driver) {
  std::vector<std::uint32_t> same;
  std::map<std::uint32_t, std::uint32_t> first_of;  // driver vertex of a palette entry
  for (std::uint32_t v = 0; v < driver.motion.row_count(); ++v) {
    const std::span<const Influence> row = driver.motion.row(v);
    const bool rigid = row.size() == 1 && (driver.keyed.empty() || !driver.keyed[v]);
    same.push_back(rigid ? first_of.emplace(row[0].index, v).first->second : v);
  }
  return same;
}

// Returns K, or 0 for all elements: as the parameters set it, or the default for rows of this precision.
std::size_t asked_elements(const SurfaceFfdParameters& parameters, Precision precision) {
  return parameters.elements.value_or(precision == Precision::kQuadratic ? kQuadraticElements : kElements);
}

// Returns true if a key pose gives turns of frames.
bool turns_frames(const DriverParameters& driver) {
  const auto turns = [](const KeyPose& pose) { return !pose.turns.empty(); };
  return std::ranges::any_of(driver.key_poses,
                             [&](const KeyPoseSet& set) { return std::ranges::any_of(set.poses, turns); });
}

}  // namespace

std::optional<std::size_t> nearest_elements(const SurfaceFfdParameters& ffd) {
  const bool raises = ffd.mode == SurfaceFfdParameters::Mode::kBasic && ffd.raise_elements;
  const bool foreseen = ffd.elements != 0 && !raises && !ffd.cut_error && ffd.exclude.empty() &&
                        ffd.exclusive.empty() && ffd.strengths.empty() && !ffd.max_hops && ffd.driver.offsets.empty();
  // The cut reads one more than it keeps.
  return foreseen ? std::optional(asked_elements(ffd, ffd.precision) + 1) : std::nullopt;
}

Result<std::vector<MeshBinding>> bind(const SurfaceFfdParameters& parameters, const DeformerInput& input) {
  PELT_ASSIGN(const auto driver, add_driver(parameters.driver, input));
  input.builder.note_driver(driver.control_mesh, input.rig_layer);
  const Result<Elements> elements = Elements::create(driver);
  if (!elements) return invalid(input, elements.error().message);
  if (elements->degenerate() > 0 && !is_made_from_skin(parameters.driver)) {
    input.notes.push_back(fmt::format("{}: {} of the {} {} of the driver '{}' have no {} and move nothing", input.layer,
                                      elements->degenerate(), elements->count() + elements->degenerate(),
                                      elements->parametric() ? "samples" : "triangles", driver.mesh.name,
                                      elements->parametric() ? "frame" : "area"));
  }

  const bool extended = parameters.mode == SurfaceFfdParameters::Mode::kExtended && !elements->parametric();
  if (driver.axis_points && !extended) return invalid(input, "axis points need the extended mode, and triangles");
  if (turns_frames(parameters.driver) && (!extended || driver.estimated_frames)) {
    return invalid(input, "turns of key poses need the extended mode, triangles, and frames that are not estimated");
  }
  const Precision precision = usable_precision(parameters, driver, extended, input);
  const bool quadratic = precision == Precision::kQuadratic;
  std::size_t kept = asked_elements(parameters, precision);
  std::size_t influences = parameters.influences.value_or(quadratic ? kQuadraticInfluences : kInfluences);
  if (parameters.cut_error) influences = 0;
  if (extended) {
    // If the driver has few elements, each would move everything; by default at most half of them do.
    if (!parameters.elements) kept = std::clamp<std::size_t>(elements->count() / 2, 1, kept);
  } else {
    kept = raised_elements(parameters, kept, *elements, driver, input);
  }
  std::vector<std::uint32_t> joints;
  for (const BoundJoint& bound : input.model.bound_joints) joints.push_back(bound.joint);
  const std::vector<LimbJoint> limb_joints = find_limb_joints(input.model, driver.mesh.weights);
  RowSettings settings{.elements = *elements,
                       .kept_elements = kept,
                       .cut = parameters.cut,
                       .unit = parameters.distance_unit,
                       .unit_scale = parameters.distance_scale,
                       .local = parameters.local,
                       .extended = extended,
                       .kept_influences = influences,
                       .precision = precision,
                       .weight_similarity = parameters.weight_similarity,
                       .exact_normals = extended ? parameters.exact_normals : ExactNormals::kNone,
                       .first_entry = frames_of(driver, *elements, extended, input),
                       .driver = driver.mesh,
                       .painting = driver.painting,
                       .joints = joints,
                       .limb_joints = limb_joints};

  std::vector<Exclusions> exclusions;
  for (const DeformerTarget& target : input.targets) {
    PELT_ASSIGN(auto made, Exclusions::create(parameters, driver, *elements, target, input));
    if (extended && is_made_from_skin(parameters.driver)) made.separate_parts(mesh_of(input, target), driver.mesh);
    exclusions.push_back(std::move(made));
  }
  const std::vector<float> armpits =
      extended ? find_armpits(parameters.driver, driver, input.model) : std::vector<float>();
  const SparseRows linear = armpits.empty()
                                ? SparseRows()
                                : TwistSpread(input.model, parameters.driver.twist)
                                      .rows_over_joints(driver.mesh, BlendMode::kLinear, input.builder, armpits);
  std::optional<CutProbe> poses;
  // Without a check at bind, nothing is posed just to report the error and to reduce rows.
  if (parameters.cut_error || input.rig.check != CheckMode::kNone) {
    PELT_ASSIGN(poses, within(input.layer, CutProbe::create(input.model, input.builder)));
  }
  std::optional<double> cut_error;
  PELT_TRY(within(input.layer, settle_elements(parameters, exclusions, driver, poses, input, settings, cut_error)));

  std::vector<MeshBinding> bindings;
  bindings.reserve(input.targets.size());
  std::map<std::uint32_t, std::vector<MeshRows>> reduced;  // by level of detail
  for (std::size_t t = 0; t < input.targets.size(); ++t) {
    const DeformerTarget& target = input.targets[t];
    const auto progress = [&](double fraction) {
      const double done = (static_cast<double>(t) + fraction) / static_cast<double>(input.targets.size());
      input.progress(cut_error ? kProbing + (1 - kProbing) * done : done);
    };
    PELT_ASSIGN(auto binding, within(input.layer, make_rows(mesh_of(input, target), target.mask, settings,
                                                            exclusions[t], input.threads, progress)));
    binding.cut_error = cut_error;
    if (!armpits.empty()) {
      pull_armpits(armpits, linear, settings.first_entry, influences, binding.rows);
      for (OffsetGroup& group : binding.offset_groups) {
        pull_armpits(armpits, linear, settings.first_entry, influences, group.rows);
      }
    }
    bindings.push_back(std::move(binding));
    if (extended && bindings[t].offset_groups.empty() && may_reduce(parameters.driver, driver)) {
      SparseRows& rows = bindings[t].rows;
      rows = merge_same_motion(rows, find_same_motion(driver), settings.first_entry);
      reduced[target.level == nullptr ? 0 : target.level->level()].push_back({&mesh_of(input, target), &rows});
    }
  }
  for (const auto& [level, meshes] : reduced) {
    if (poses) reduce_rows(meshes, poses->palettes(), input.threads);
  }
  return bindings;
}

}  // namespace pelt::surface_ffd
