// SPDX-License-Identifier: MIT
#include <pelt/curve_settings.h>
#include <pelt/tools/fields.h>

namespace pelt {
namespace {

constexpr Range kWidening{.least = -1, .most = 4};

}  // namespace

void describe(Fields& fields, Bulge& bulge) {
  fields.about("bulge", "How flesh swells to keep its volume, since a curve cuts the corner of a bend.");
  fields.number({"volume", "Fraction of a slice's volume that round skin keeps."}, bulge.volume, kUnitInterval);
  fields.number(
      {"across", "Further widening at a bend of 90 degrees across its plane, as a fraction of the skin's distance."},
      bulge.across, kWidening);
  fields.number({"along", "The same, in the plane of the bend."}, bulge.along, kWidening);
  fields.number_or({"reach", "Metres along the curve from the joint; auto: as far as the curve leaves the bone."},
                   "auto", bulge.reach, kPositive);
}

void describe(Fields& fields, CurveWeight& weight) {
  fields.about("curve_weight", "A factor on one curve's weights in a region.");
  fields.name({"curve", "The curve's name."}, weight.curve);
  fields.number({"value", "Factor on the curve's weight in the region."}, weight.value, {.least = 0, .most = 100});
  fields.object({"region", "Vertices that have the factor; outside it is 1."}, weight.region);
}

}  // namespace pelt
