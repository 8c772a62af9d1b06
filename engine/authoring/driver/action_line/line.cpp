// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/action_line/line.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <glm/gtc/constants.hpp>

#include "engine/authoring/rows/table_writer.h"
#include "engine/character/records.h"

namespace pelt::action_line {
namespace {

static_assert(kSamples % shared::kLineEntries == 0);

// w of the pose kernel without its constant factor: 0 in the tendons, 1 in the belly, smooth in between.
double belly_at(double lambda, double tendon) {
  if (tendon <= 0) return 1;
  const auto ramp = [&](double from_end) { return glm::smoothstep(0.0, 1.0, from_end / tendon - 0.5); };
  return ramp(lambda) * ramp(1 - lambda);
}

// Returns e: 1/2 keeps the volume; the bulge adds to it in the thickest part of the muscle.
double exponent_at(double lambda, const LineShape& shape) {
  const double middle = std::sin(glm::pi<double>() * lambda);
  return 0.5 * (double{shape.volume} + double{shape.bulge} * middle * middle);
}

}  // namespace

RestLine::RestLine(std::span<const glm::vec3> points, bool wrings) {
  const auto count = static_cast<std::uint32_t>(points.size()) - (wrings ? 2 : 1);
  assert(count >= shared::kMinLinePoints && count <= shared::kMaxLinePoints);
  side_ = glm::distance(points[count], points[0]);
  // L^R is 1 at first: only the arc length is read from that line.
  const auto one = std::bit_cast<std::uint32_t>(1.0f);
  std::array<std::uint32_t, shared::kLineWords> words{0, count + (wrings ? shared::kLineWrings : 0), one,
                                                      std::bit_cast<std::uint32_t>(side_), one};
  const shared::PoseWork work{words.data(), nullptr, points.data(), nullptr, nullptr};
  line_ = shared::read_action_line(work, 0);
  words[shared::kLineLength] = std::bit_cast<std::uint32_t>(line_.arc_length);
  line_ = shared::read_action_line(work, 0);
}

Affine RestLine::frame(float lambda) const {
  const shared::PosedLineSample place{lambda * line_.arc_length, 1.0f, 0.0f};
  return shared::line_frame(line_, shared::line_walk(line_, shared::line_start(line_), place), place);
}

std::vector<float> sample_places() {
  std::vector<float> places;
  for (std::uint32_t k = 0; k < kSamples; ++k) places.push_back(static_cast<float>(k) / (kSamples - 1));
  return places;
}

PalettePass RestLine::make_pass(std::uint32_t first_vertex, const LineShape& shape) const {
  constexpr std::uint32_t kFine = 16;  // integration steps from sample to sample
  constexpr std::uint32_t kSteps = kFine * (kSamples - 1);
  constexpr double kMinStretch = 0.1;
  std::array<double, kSteps + 1> integral{};
  for (std::uint32_t i = 0; i < kSteps; ++i) {
    integral[i + 1] = integral[i] + belly_at((i + 0.5) / kSteps, double{shape.tendon}) / kSteps;
  }
  const double largest = belly_at(0.5, double{shape.tendon}) / integral[kSteps];

  PalettePass pass;
  pass.kernel = PoseKernel::kActionLine;
  pass.record_count = kSamples / shared::kLineEntries;
  TableWriter table;
  table.put_word(first_vertex);
  table.put_word(static_cast<std::uint32_t>(line_.steps / shared::kLineSteps) + 1 +
                 (line_.wrings ? shared::kLineWrings : 0));
  table.put_number(length());
  table.put_number(side_);
  table.put_number(std::max(1 - (1 - kMinStretch) / largest, double{shared::kShortestLine}));
  const std::vector<float> places = sample_places();
  for (std::uint32_t k = 0; k < kSamples; ++k) {
    if (k % shared::kLineEntries == 0) {
      append_record(pass.records, shared::ActionLineRecord{0, table.size()});
    }
    table.put_number(places[k]);
    table.put_number(belly_at(places[k], double{shape.tendon}) / integral[kSteps]);
    table.put_number(std::min(integral[k * kFine] / integral[kSteps], 1.0));
    table.put_number(exponent_at(places[k], shape));
    table.put_inverse(frame(places[k]));
  }
  pass.table = table.take_words();
  return pass;
}

}  // namespace pelt::action_line
