// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <pelt/check_report.h>

namespace pelt {
namespace {

std::string what(const DefectLocation& place) {
  const Defect& defect = place.defect;
  switch (defect.kind) {
    case DefectKind::kCrease:
      return fmt::format("{} edge{} creased by up to {:.0f} degrees", place.count, place.count == 1 ? "" : "s",
                         defect.value);
    case DefectKind::kInverted:
      return fmt::format("{} triangle{} inside out", place.count, place.count == 1 ? "" : "s");
    case DefectKind::kStretch:
      return fmt::format("stretched {:.1f} times", defect.value);
    case DefectKind::kStrain:
      return fmt::format("skin painted rigid strained by {:.0f}%", 100 * defect.value);
    case DefectKind::kDistance:
      break;
  }
  return fmt::format("{:.0f}% of the size away from linear blend", 100 * defect.value);
}

}  // namespace

std::string in_words(const DefectLocation& place) {
  const std::string joint = place.joint.empty() ? "" : fmt::format(" at joint '{}'", place.joint);
  const std::string part = place.fallback < 1 ? fmt::format("{:.0f}% ", 100 * place.fallback) : "";
  return fmt::format("{}{} in pose '{}' (mesh '{}', vertex {}){}", what(place), joint, place.pose.name, place.mesh,
                     place.vertex, place.fallback > 0 ? fmt::format(": there {}linear blend", part) : "");
}

std::string_view defect_name(DefectKind kind) {
  switch (kind) {
    case DefectKind::kCrease:
      return "crease";
    case DefectKind::kInverted:
      return "inverted";
    case DefectKind::kStretch:
      return "stretch";
    case DefectKind::kStrain:
      return "strain";
    case DefectKind::kDistance:
      break;
  }
  return "far";
}

std::string share_in_words(double share) {
  return share < 0.001 ? "less than 0.1%" : fmt::format("{:.1f}%", 100 * share);
}

std::string poses_in_words(const CheckReport& report) {
  const std::size_t own = report.poses - report.clip_frames;
  if (report.clip_frames == 0) return fmt::format("{} sample poses", own);
  return fmt::format("{} frames of its clips and {} other poses", report.clip_frames, own);
}

}  // namespace pelt
