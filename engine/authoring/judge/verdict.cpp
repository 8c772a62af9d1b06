// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <pelt/verdict.h>

namespace pelt {
namespace {

std::string what(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kStretch:
      return fmt::format("stretched {:.1f} times", fault.value);
    case FaultKind::kStrain:
      return fmt::format("skin painted rigid strained by {:.0f}%", 100 * fault.value);
    case FaultKind::kDistance:
      break;
  }
  return fmt::format("{:.0f}% of the size away from linear blend", 100 * fault.value);
}

// Describes a location without its weight of linear blend.
std::string describe(const JudgedPlace& place) {
  const std::string joint = place.joint.empty() ? "" : fmt::format(" at joint '{}'", place.joint);
  return fmt::format("{}{} in pose '{}' (mesh '{}', vertex {})", what(place.fault), joint, place.pose.name, place.mesh,
                     place.vertex);
}

}  // namespace

std::string in_words(const JudgedPlace& place) {
  if (!(place.left > 0)) return describe(place);
  const std::string part = place.left < 1 ? share_in_words(place.left) + " " : "";
  return fmt::format("{}: {}falls back to linear blend", describe(place), part);
}

std::string_view fault_name(FaultKind kind) {
  switch (kind) {
    case FaultKind::kStretch:
      return "stretch";
    case FaultKind::kStrain:
      return "strain";
    case FaultKind::kDistance:
      break;
  }
  return "far";
}

std::string share_in_words(double share) {
  return share < 0.001 ? "less than 0.1%" : fmt::format("{:.1f}%", 100 * share);
}

std::string poses_in_words(const Verdict& verdict) {
  return fmt::format("{} {}", verdict.poses, verdict.from_clips ? "frames of its clips" : "sample poses");
}

std::string left_in_words(const Verdict& verdict) {
  constexpr std::size_t kMaxNamed = 3;
  if (!(verdict.left > 0)) return "";
  std::vector<std::string> named;
  bool more = false;
  for (const JudgedPlace& place : verdict.places) {
    if (!(place.left > 0)) continue;
    more = named.size() == kMaxNamed;
    if (!more) named.push_back(describe(place));
  }
  return fmt::format("{} of the skin falls back to linear blend, which does better there{}{}{}",
                     share_in_words(verdict.left), named.empty() ? "" : ": ", fmt::join(named, "; "),
                     more ? "; ..." : "");
}

}  // namespace pelt
