// SPDX-License-Identifier: MIT
#include <pelt/surface_ffd.h>
#include <pelt/tools/fields.h>

#include "engine/authoring/rig/choices.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "engine/authoring/surface_ffd/bind.h"
#include "engine/authoring/surface_ffd/driver.h"

namespace pelt {
namespace {

constexpr Choice<SurfaceFfdParameters::Mode> kModes[] = {{"basic", SurfaceFfdParameters::Mode::kBasic},
                                                         {"extended", SurfaceFfdParameters::Mode::kExtended}};
constexpr Choice<Precision> kPrecisions[] = {
    {"none", Precision::kNone}, {"linear", Precision::kLinear}, {"quadratic", Precision::kQuadratic}};
constexpr Choice<ExactNormals> kExactNormals[] = {
    {"auto", ExactNormals::kAuto}, {"all", ExactNormals::kAll}, {"none", ExactNormals::kNone}};
constexpr Condition kBasic{"mode", {"basic"}};
constexpr Condition kExtended{"mode", {"extended"}};

}  // namespace

static void describe(Fields& fields, GroupPair& pair) {
  fields.about("group_pair", "A group of the driver and one of the skin.");
  fields.text({"elements", "A group, on the driver."}, pair.elements, Names::kGroup);
  fields.text({"vertices", "A group, on the target."}, pair.vertices, Names::kGroup);
}

static void describe(Fields& fields, ElementStrength& strength) {
  fields.about("element_strength", "A factor on the weights of some elements of the driver (section 5, step 4).");
  fields.name({"elements", "A group, on the driver."}, strength.elements, Names::kGroup);
  fields.text({"vertices", "A group, on the target; empty: all of it."}, strength.vertices, Names::kGroup);
  fields.number({"factor", "Factor; above 1, far elements of the group also move these vertices."}, strength.factor,
                {.least = 0, .most = 1000});
}

void describe(Fields& fields, SurfaceFfdParameters& ffd) {
  fields.about("surface_ffd", "Surface-oriented FFD (Singh & Kokkevis 2000).");
  fields.choice({"mode",
                 "basic: one frame per driver triangle (equations 1 to 3); extended: one frame per driver vertex "
                 "(section 4.2)."},
                ffd.mode, kModes);
  fields.number({"local", "Falloff exponent of the weights over distance."}, ffd.local, kNotNegative);
  fields.number_or({"distance_unit",
                    "Distance at which a driver triangle's weight is half, metres; auto: mean length of the driver's "
                    "edges near the vertex."},
                   "auto", ffd.distance_unit, kPositive);
  fields.number({"distance_scale",
                 "Factor on the automatic unit. In basic mode, about 1/3 follows the driver's surface most closely."},
                ffd.distance_scale, kPositive);
  fields.integer_or({"elements", "K: driver triangles that may move a vertex; auto: 26, with quadratic precision 32."},
                    "auto", ffd.elements, {}, "all");
  fields.choice({"cut",
                 "How the weights end at the K-th triangle; continuous: less the (K+1)-th weight, so that nothing "
                 "jumps."},
                ffd.cut, kCuts);
  fields.number_or(
      {"cut_error", "Replaces elements: the least K whose cut moves no vertex farther over sample poses; metres."},
      "none", ffd.cut_error, kPositive);
  fields.flag(
      {"raise_elements",
       "Whether elements rises to the driver's largest valence, below which the cut jumps; patches: in either mode.",
       kBasic},
      ffd.raise_elements);
  fields.integer_or({"influences",
                     "Without cut_error: driver vertices that may move a vertex, after its triangles are found; auto: "
                     "8, with quadratic precision 12.",
                     kExtended},
                    "auto", ffd.influences, {}, "all");
  fields.choice({"precision",
                 "Functions that a row of driver vertices reproduces besides constants; none: no others, as in the "
                 "paper; linear: the vertex's position along the driver; quadratic: functions of position up to the "
                 "second order, by weights of both signs, if the skeleton moves the driver.",
                 kExtended},
                ffd.precision, kPrecisions);
  fields.number({"weight_similarity",
                 "Exponent of the weight similarity of a vertex and a driver vertex, so that fingers, lips and legs "
                 "stay apart; 0: no effect.",
                 kExtended},
                ffd.weight_similarity, kNotNegative);
  fields.choice({"exact_normals",
                 "Which normals follow the gradient of the weights; the others follow only the frames; auto: those of "
                 "bends with many edges, except at joints of arms, legs, fingers and toes; others show folds.",
                 kExtended},
                ffd.exact_normals, kExactNormals);
  fields.objects({"exclude", "These elements never move these vertices."}, ffd.exclude);
  fields.objects({"exclusive", "These elements move only these vertices, which follow no others."}, ffd.exclusive);
  fields.objects({"strengths", "Factors on the weights of elements; precision keeps the position of the skin."},
                 ffd.strengths);
  fields.integer_or({"max_hops",
                     "Most bones along the skeleton, not counting twist helpers, from a vertex's bone to that of an "
                     "element that may move it."},
                    "none", ffd.max_hops, {.least = 0});
  fields.integer({"fade", "Rings of vertices over which exclusions, strengths and hops fade in."}, ffd.fade,
                 {.least = 0, .most = 64});
  fields.object({"driver", "The driver."}, ffd.driver);
}

namespace {

const SurfaceFfdParameters& as_ffd(const DeformerParameters& parameters) {
  return parameters.get<SurfaceFfdParameters>();
}

bool has_no_sculpture(const DriverParameters& driver) {
  return driver.key_poses.empty() && driver.offsets.empty() && driver.follow != Follow::kStreamed;
}

}  // namespace

namespace surface_ffd {

// Returns true if the driver is made from the skin and not sculpted.
static bool is_made_and_plain(const DeformerParameters& parameters) {
  const DriverParameters& driver = as_ffd(parameters).driver;
  return is_made_from_skin(driver) && has_no_sculpture(driver);
}

DeformerEntry deformer() {
  return {
      .defaults = SurfaceFfdParameters{},
      .bind = bind_as<SurfaceFfdParameters, bind>,
      .rigid_parts = rigid_parts_are<RigidParts::kLeft>,
      // The triangles of such a driver are larger than lips and lids.
      .leaves =
          [](const DeformerParameters& parameters) {
            return is_made_and_plain(parameters) ? PaintedPieces::kHeads : PaintedPieces::kNone;
          },
      .makes_surface = is_made_and_plain,
      .may_fall_back = [](const DeformerParameters& parameters) { return has_no_sculpture(as_ffd(parameters).driver); },
      .spreads_twists = [](const DeformerParameters& parameters) { return spreads_twists(as_ffd(parameters).driver); },
      .move_bound = move_bound};
}

}  // namespace surface_ffd
}  // namespace pelt
