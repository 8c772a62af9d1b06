// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include <pelt/import.h>
#include <pelt/linear_blend.h>
#include <pelt/model_of.h>
#include <pelt/rig_json.h>
#include <pelt/tools/clip_poses.h>
#include <pelt/tools/linear_comparison.h>
#include <pelt/tools/model_quality.h>
#include <pelt/tools/sample_poses.h>
#include <pelt/try.h>
#include <pelt/typed_name.h>

#include "engine/authoring/base/stop.h"
#include "engine/character/records.h"
#include "shaders/hierarchical_bspline/segment_pose.h"

namespace pelt {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLinearBlend = "linear-blend";
constexpr const char* kDualQuaternion = "dual-quaternion";

// Progress of several steps of similar length.
class Steps {
 public:
  Steps(std::size_t count, const std::function<void(double, const std::string&)>& progress)
      : count_(static_cast<double>(count)), progress_(progress) {}
  void next(std::string what) {
    what_ = std::move(what);
    ++done_;
    show(0);
  }
  void show(double fraction) const {
    if (progress_) progress_((done_ - 1 + fraction) / count_, what_);
  }

 private:
  double count_;
  const std::function<void(double, const std::string&)>& progress_;
  double done_ = 0;
  std::string what_;
};

Result<Bound> bind_by(const Model& model, Rig rig, bool fallback) {
  if (!fallback) rig.check = CheckMode::kNone;
  return bind(model, rig);
}

Result<Bound> bind_by(const Model& model, const std::string& deformer, bool fallback = true) {
  PELT_ASSIGN(const auto rig, rig_from_deformer_name(deformer));
  return bind_by(model, rig, fallback);
}

Result<std::vector<CheckPose>> choose_poses(const std::string& model, const ModelQualityOptions& options,
                                            const Character& linear_blend) {
  std::vector<CheckPose> poses;
  if (options.poses != PoseSource::kSamples) {
    poses = clip_poses(*linear_blend, {.frames = options.frames, .clips = options.clips});
  }
  if (poses.empty() && options.poses == PoseSource::kClips) {
    return fail(ErrorCode::kNotFound, fmt::format("{}: there is no clip longer than {} s, and --poses asks for clips",
                                                  model, kShortestCheckedClip));
  }
  if (poses.empty()) poses = sample_poses(linear_blend);
  if (poses.empty()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("{}: there is no clip, and no joint that moves a part of the skin", model));
  }
  return poses;
}

WorstOfSkin worst_of(const LinearComparison& comparison, const WorstLocation& place) {
  const SkinLocation skin = comparison.location_of(place.from);
  return {std::string(skin.mesh), std::string(skin.joint), comparison.poses()[place.frame]};
}

// A deformer's figures, and the fractions of the skin that it did not move itself.
struct Measured {
  Figures figures;
  PieceShares pieces;
  double fallback = 0;
};

bool spreads_twists(const CharacterData& character) {
  return std::ranges::any_of(character.passes, [](const PalettePass& pass) {
    if (pass.kernel == PoseKernel::kBoneTwist) return true;
    bool apart = false;
    for (std::size_t i = 0; pass.kernel == PoseKernel::kSegment && i < pass.record_count; ++i) {
      apart = apart || read_record<shared::SegmentRecord>(pass.records, i).axis != glm::vec3(0.0f);
    }
    return apart;
  });
}

// A character that spreads twists is compared with linear blend that does so, too: rigid skin that turns is no defect.
// Only `regained` counts from linear blend as painted, from which dual quaternion counts.
Result<Measured> measure_bound(const LinearComparison& comparison, const Model& model, const Bound& bound,
                               const ComparisonOptions& options) {
  PELT_ASSIGN(auto figures, comparison.measure(bound.character, options));
  if (spreads_twists(*bound.character)) {
    Rig rig;
    rig.layers.push_back({"*", LinearBlendParameters{.twist = Twist::kSpread}, {}, {}});
    PELT_ASSIGN(auto linear, bind_by(model, std::move(rig), false));
    PELT_ASSIGN(const auto alike, LinearComparison::create(std::move(linear.character), comparison.poses()));
    const double regained = figures.regained;
    PELT_ASSIGN(figures, alike.measure(bound.character, options));
    figures.regained = regained;
  }
  return Measured{figures, bound.report.pieces, bound.report.check ? bound.report.check->fallback : 0};
}

ModelQualityRow row_of(const LinearComparison& comparison, std::string deformer, const Result<Measured>& measured,
                       const std::optional<Figures>& dual_quaternion) {
  ModelQualityRow row{.deformer = std::move(deformer)};
  if (!measured) {
    row.error = measured.error().message;
    return row;
  }
  row.figures = measured->figures;
  row.pieces = measured->pieces;
  row.fallback = measured->fallback;
  if (dual_quaternion) row.restored = restored(row.figures, *dual_quaternion);
  row.stretch = worst_of(comparison, row.figures.stretch_at);
  if (row.figures.flip_at) row.flip = worst_of(comparison, *row.figures.flip_at);
  return row;
}

// A rig may make drivers of meshes that are skins for linear blend only. Then the remaining skins are measured again,
// and `restored` is left out: the figures of dual quaternion are of all skins.
Result<ModelQualityRow> measure_rig(const ModelQualityOptions& given, const Model& model,
                                    const LinearComparison& comparison, const std::optional<Figures>& dual_quaternion,
                                    const ComparisonOptions& options) {
  PELT_ASSIGN(auto rig, given.given_rig ? Result<Rig>(*given.given_rig) : load_rig(given.rig));
  if (given.files == NamedFiles::kAnywhere) rig.files = given.files;
  const std::string source = given.given_rig ? "rig" : given.rig;
  const std::string name = rig.name.empty() ? source : rig.name;
  PELT_ASSIGN(const auto bound, within(source, bind_by(model, rig, !given.no_fallback)));
  if (comparison.takes(bound.character))
    return row_of(comparison, name, measure_bound(comparison, model, bound, options), dual_quaternion);
  PELT_ASSIGN(const auto skins, model_of(bound.character));
  PELT_ASSIGN(auto linear_blend, bind_by(skins, kLinearBlend));
  PELT_ASSIGN(const auto skins_comparison,
              LinearComparison::create(std::move(linear_blend.character), comparison.poses()));
  return row_of(skins_comparison, name, measure_bound(skins_comparison, skins, bound, options), std::nullopt);
}

Json json_of(const WorstOfSkin& worst) {
  return {{"pose", worst.pose.name}, {"mesh", worst.mesh}, {"joint", worst.joint}};
}

Result<ModelQuality> measure(const std::string& model_name, const ModelQualityOptions& options) {
  std::vector<std::string> deformers = options.deformers;
  if (deformers.empty()) {
    for (const std::string_view known : deformer_names()) {
      std::string name = typed_name(known);
      if (name != kLinearBlend) deformers.push_back(std::move(name));
    }
  }
  PELT_ASSIGN(const auto model, import_model(model_name, nullptr, options.files));
  PELT_ASSIGN(const auto linear_blend, within(model_name, bind_by(model, kLinearBlend)));
  PELT_ASSIGN(auto poses, choose_poses(model_name, options, linear_blend.character));

  ModelQuality report{.model = model_name, .frames = poses.size(), .from_clips = poses.front().clip.has_value()};
  for (const Clip& clip : model.clips) report.clip_names.push_back(clip.name);
  if (report.from_clips) {
    report.clips =
        static_cast<std::size_t>(std::ranges::count_if(poses, [](const CheckPose& pose) { return pose.frame == 0; }));
  }
  // The steps are the rows, linear blend, and dual quaternion, as the reference of `restored`.
  const auto is_dual = [](const std::string& deformer) {
    return deformer == kDualQuaternion || deformer == "dual_quaternion";
  };
  const bool has_dual = std::ranges::any_of(deformers, is_dual);
  const bool has_rig = options.given_rig || !options.rig.empty();
  Steps steps(1 + (has_dual ? 0 : 1) + deformers.size() + (has_rig ? 1 : 0), options.progress);
  const ComparisonOptions comparison_options{.progress = [&](double fraction) { steps.show(fraction); }};
  steps.next(kLinearBlend);
  PELT_ASSIGN(
      const auto comparison,
      within(model_name, LinearComparison::create(linear_blend.character, std::move(poses), comparison_options)));
  report.vertices = comparison.vertex_count();
  const auto measure_by = [&](const std::string& deformer) -> Result<Measured> {
    steps.next(deformer);
    PELT_ASSIGN(const auto bound, bind_by(model, deformer, !options.no_fallback));
    return measure_bound(comparison, model, bound, comparison_options);
  };
  const Result<Measured> dual = measure_by(kDualQuaternion);
  const std::optional<Figures> dual_figures = dual ? std::optional(dual->figures) : std::nullopt;
  for (const std::string& deformer : deformers) {
    report.rows.push_back(row_of(comparison, deformer, is_dual(deformer) ? dual : measure_by(deformer), dual_figures));
  }
  if (has_rig) {
    steps.next(options.given_rig ? "rig" : options.rig);
    PELT_ASSIGN(auto row, measure_rig(options, model, comparison, dual_figures, comparison_options));
    report.rows.push_back(std::move(row));
  }
  return report;
}

}  // namespace

Result<ModelQuality> measure_model_quality(const std::string& model, const ModelQualityOptions& options) {
  return stoppable(options.stop, [&] { return measure(model, options); });
}

std::string format_model_quality(const ModelQuality& report) {
  Json json = Json::array();
  for (const ModelQualityRow& row : report.rows) {
    Json& row_json = json.emplace_back(Json{{"model", report.model}, {"deformer", row.deformer}});
    if (!row.error.empty()) {
      row_json["error"] = row.error;
      continue;
    }
    const Figures& f = row.figures;
    const CheckPose& worst = row.stretch.pose;
    row_json.update({{"poses", report.from_clips ? "clips" : "samples"},
                     {"vertices", report.vertices},
                     {"frames", report.frames},
                     {"far", f.far},
                     {"stretch", f.stretch},
                     {"bad", f.bad},
                     {"rigid99", f.rigid99},
                     {"rigid_max", f.rigid_max},
                     {"rigid_share", f.rigid_share},
                     {"drift99", f.drift99},
                     {"flips", f.flips},
                     {"restored", row.restored ? Json(*row.restored) : Json()},
                     {"rigid_parts", row.pieces.rigid_parts},
                     {"rigid_regions", row.pieces.rigid_regions},
                     {"fallback", row.fallback},
                     {"worst_clip", worst.clip ? Json(report.clip_names[*worst.clip]) : Json()},
                     {"worst_frame", worst.clip ? Json(worst.frame) : Json()},
                     {"worst_stretch", json_of(row.stretch)},
                     {"worst_flip", row.flip ? json_of(*row.flip) : Json()}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace pelt
