// SPDX-License-Identifier: MIT
#include "samples/pelt/quality/model_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include <pelt/bind.h>
#include <pelt/import.h>
#include <pelt/model_of.h>
#include <pelt/rig.h>
#include <pelt/rig_json.h>
#include <pelt/tools/judge.h>
#include <pelt/tools/sample_poses.h>
#include <pelt/try.h>

#include "samples/pelt/progress_bar.h"
#include "samples/pelt/table.h"

namespace pelt::samples {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLinearBlend = "linear-blend";
constexpr const char* kDualQuaternion = "dual-quaternion";

// A place in words, and the pose in which it is worst.
struct Worst {
  std::string mesh;
  std::string joint;
  JudgedPose pose;
};

struct Row {
  std::string deformer;
  std::string error;  // why there are no figures; empty: there are figures
  Figures figures;
  std::optional<double> restored;
  PieceShares pieces;  // of the skin's area
  double left = 0;     // share of the skin's area that the judge left to linear blend
  Worst stretch;
  std::optional<Worst> flip;
};

struct Report {
  std::vector<std::string> clip_names;  // of the model
  std::size_t vertices = 0;
  std::size_t frames = 0;
  bool from_clips = false;
  std::size_t clips = 0;  // number of clips in the frames
  std::vector<Row> rows;
};

// Progress of a command with several steps that take about as long.
class Steps {
 public:
  explicit Steps(std::size_t count) : count_(static_cast<double>(count)) {}
  void next(std::string what) {
    what_ = std::move(what);
    ++done_;
    show(0);
  }
  void show(double fraction) { bar_.show((done_ - 1 + fraction) / count_, what_); }

 private:
  ProgressBar bar_;
  double count_;
  double done_ = 0;
  std::string what_;
};

Result<Bound> bind_by(const Model& model, Rig rig, bool fallback) {
  if (!fallback) rig.judging = Judging::kNone;
  return bind(model, rig);
}

Result<Bound> bind_by(const Model& model, const std::string& deformer, bool fallback = true) {
  PELT_ASSIGN(const auto rig, rig_from_deformer_name(deformer));
  return bind_by(model, rig, fallback);
}

Result<std::vector<JudgedPose>> choose_poses(const ModelQualityCommand& command, const Character& linear_blend) {
  std::vector<JudgedPose> poses;
  if (command.poses != PoseSource::kSamples) {
    poses = clip_poses(*linear_blend, {.frames = command.frames, .clips = command.clips});
  }
  if (poses.empty() && command.poses == PoseSource::kClips) {
    return fail(ErrorCode::kNotFound, fmt::format("{}: there is no clip longer than {} s, and --poses asks for clips",
                                                  command.model, kShortestJudgedClip));
  }
  if (poses.empty()) poses = sample_poses(linear_blend);
  if (poses.empty()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("{}: there is no clip, and no joint that moves a part of the skin", command.model));
  }
  return poses;
}

Worst worst_of(const Judge& judge, const WorstPlace& place) {
  const SkinPlace skin = judge.place_of(place.from);
  return {std::string(skin.mesh), std::string(skin.joint), judge.poses()[place.frame]};
}

// A deformer's figures, and the shares of the skin that it did not move itself.
struct Measured {
  Figures figures;
  PieceShares pieces;
  double left = 0;
};

Result<Measured> measure_bound(const Judge& judge, const Bound& bound, const JudgeOptions& options) {
  PELT_ASSIGN(const auto figures, judge.judge(bound.character, options));
  return Measured{figures, bound.report.pieces, bound.report.verdict ? bound.report.verdict->left : 0};
}

Row row_of(const Judge& judge, std::string deformer, const Result<Measured>& measured,
           const std::optional<Figures>& dual_quaternion) {
  Row row{.deformer = std::move(deformer)};
  if (!measured) {
    row.error = measured.error().message;
    return row;
  }
  row.figures = measured->figures;
  row.pieces = measured->pieces;
  row.left = measured->left;
  if (dual_quaternion) row.restored = restored(row.figures, *dual_quaternion);
  row.stretch = worst_of(judge, row.figures.stretch_at);
  if (row.figures.flip_at) row.flip = worst_of(judge, *row.figures.flip_at);
  return row;
}

// Describes a place, such as "walk #3, body at left_forearm".
std::string text_of(const Worst& worst) {
  return fmt::format("{}, {}{}{}", worst.pose.name, worst.mesh, worst.joint.empty() ? "" : " at ", worst.joint);
}

void print_text(const ModelQualityCommand& command, const Report& report) {
  fmt::print("{}: {} vertices against linear blend, in {}. docs/quality.md says what the columns mean.\n",
             command.model, report.vertices,
             report.from_clips
                 ? fmt::format("{} frames of {} clip{}", report.frames, report.clips, report.clips == 1 ? "" : "s")
                 : fmt::format("{} sample poses", report.frames));
  Table table({{"deformer", false},
               {"far"},
               {"stretch"},
               {"bad"},
               {"rigid99"},
               {"rigid_max"},
               {"drift99"},
               {"flips"},
               {"restored"},
               {"rigid"},
               {"cores"},
               {"left"},
               {"worst stretch", false}});
  for (const Row& row : report.rows) {
    if (!row.error.empty()) continue;
    const Figures& f = row.figures;
    table.add({row.deformer, fmt::format("{:.4f}", f.far), fmt::format("{:.2f}", f.stretch),
               fmt::format("{:.3f}%", 100 * f.bad), fmt::format("{:.4f}", f.rigid99),
               fmt::format("{:.3f}", f.rigid_max), fmt::format("{:.4f}", f.drift99),
               fmt::format("{:.3f}%", 100 * f.flips), row.restored ? fmt::format("{:.2f}", *row.restored) : "-",
               fmt::format("{:.1f}%", 100 * row.pieces.rigid_parts), fmt::format("{:.1f}%", 100 * row.pieces.cores),
               fmt::format("{:.1f}%", 100 * row.left), f.stretch > 0 ? text_of(row.stretch) : "-"});
  }
  fmt::print("{}", table.text());
  for (const Row& row : report.rows) {
    if (!row.error.empty()) fmt::print("{}: refused: {}\n", row.deformer, row.error);
  }
}

Json json_of(const Worst& worst) { return {{"pose", worst.pose.name}, {"mesh", worst.mesh}, {"joint", worst.joint}}; }

void print_json(const ModelQualityCommand& command, const Report& report) {
  Json json = Json::array();
  for (const Row& row : report.rows) {
    Json& own = json.emplace_back(Json{{"model", command.model}, {"deformer", row.deformer}});
    if (!row.error.empty()) {
      own["error"] = row.error;
      continue;
    }
    const Figures& f = row.figures;
    const JudgedPose& worst = row.stretch.pose;
    own.update({{"poses", report.from_clips ? "clips" : "samples"},
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
                {"cores", row.pieces.cores},
                {"left", row.left},
                {"worst_clip", worst.clip ? Json(report.clip_names[*worst.clip]) : Json()},
                {"worst_frame", worst.clip ? Json(worst.frame) : Json()},
                {"worst_stretch", json_of(row.stretch)},
                {"worst_flip", row.flip ? json_of(*row.flip) : Json()}});
  }
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

// A rig may make drivers of meshes that are skins for linear blend alone. Then the remaining skins are judged anew, and
// `restored` is left out: the figures of dual quaternion are of all skins.
Result<Row> judge_rig(const ModelQualityCommand& command, const Model& model, const Judge& judge,
                      const std::optional<Figures>& dual_quaternion, const JudgeOptions& options) {
  PELT_ASSIGN(const auto rig, load_rig(command.rig));
  const std::string name = rig.name.empty() ? command.rig : rig.name;
  PELT_ASSIGN(const auto bound, within(command.rig, bind_by(model, rig, !command.no_fallback)));
  if (judge.takes(bound.character)) return row_of(judge, name, measure_bound(judge, bound, options), dual_quaternion);
  PELT_ASSIGN(const auto skins, model_of(bound.character));
  PELT_ASSIGN(auto linear_blend, bind_by(skins, kLinearBlend));
  PELT_ASSIGN(const auto own, Judge::create(std::move(linear_blend.character), judge.poses()));
  return row_of(own, name, measure_bound(own, bound, options), std::nullopt);
}

Result<Report> measure(const ModelQualityCommand& command) {
  std::vector<std::string> deformers = command.deformers;
  if (deformers.empty()) {
    for (const std::string_view known : deformer_names()) {
      std::string name(known);
      std::ranges::replace(name, '_', '-');
      if (name != kLinearBlend) deformers.push_back(std::move(name));
    }
  }
  PELT_ASSIGN(const auto model, import_model(command.model));
  PELT_ASSIGN(const auto linear_blend, within(command.model, bind_by(model, kLinearBlend)));
  PELT_ASSIGN(auto poses, choose_poses(command, linear_blend.character));

  Report report{.frames = poses.size(), .from_clips = poses.front().clip.has_value()};
  for (const Clip& clip : model.clips) report.clip_names.push_back(clip.name);
  if (report.from_clips) {
    report.clips = static_cast<std::size_t>(
        std::count_if(poses.begin(), poses.end(), [](const JudgedPose& pose) { return pose.frame == 0; }));
  }
  // The steps are the rows, linear blend, and dual quaternion, with which the others' `restored` is compared.
  const auto is_dual = [](const std::string& deformer) {
    return deformer == kDualQuaternion || deformer == "dual_quaternion";
  };
  const bool has_dual = std::any_of(deformers.begin(), deformers.end(), is_dual);
  Steps steps(1 + (has_dual ? 0 : 1) + deformers.size() + (command.rig.empty() ? 0 : 1));
  const JudgeOptions options{.progress = [&](double fraction) { steps.show(fraction); }};
  steps.next(kLinearBlend);
  PELT_ASSIGN(const auto judge,
              within(command.model, Judge::create(linear_blend.character, std::move(poses), options)));
  report.vertices = judge.vertex_count();
  const auto measure_by = [&](const std::string& deformer) -> Result<Measured> {
    steps.next(deformer);
    PELT_ASSIGN(const auto bound, bind_by(model, deformer, !command.no_fallback));
    return measure_bound(judge, bound, options);
  };
  const Result<Measured> dual = measure_by(kDualQuaternion);
  const std::optional<Figures> dual_figures = dual ? std::optional(dual->figures) : std::nullopt;
  for (const std::string& deformer : deformers) {
    report.rows.push_back(row_of(judge, deformer, is_dual(deformer) ? dual : measure_by(deformer), dual_figures));
  }
  if (!command.rig.empty()) {
    steps.next(command.rig);
    PELT_ASSIGN(auto row, judge_rig(command, model, judge, dual_figures, options));
    report.rows.push_back(std::move(row));
  }
  return report;
}

}  // namespace

Result<void> run(const ModelQualityCommand& command) {
  PELT_ASSIGN(const auto report, measure(command));
  if (command.json) {
    print_json(command, report);
  } else {
    print_text(command, report);
  }
  return {};
}

}  // namespace pelt::samples
