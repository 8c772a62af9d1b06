// SPDX-License-Identifier: MIT
#include "samples/pelt/quality/model_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/character/bind.h"
#include "engine/character/model_of.h"
#include "engine/judge/judge.h"
#include "engine/judge/sample_poses.h"
#include "engine/model/import.h"
#include "engine/rig/deformers.h"
#include "engine/rig/rig_json.h"
#include "samples/pelt/progress_bar.h"
#include "samples/pelt/table.h"

namespace pelt::samples {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLinearBlend = "linear-blend";
constexpr const char* kDualQuaternion = "dual-quaternion";

// A place in words and the pose that it is worst in.
struct Worst {
  std::string mesh;
  std::string joint;
  JudgedPose pose;
};

struct Row {
  std::string deformer;
  std::string error;  // why there are no figures; empty: there are
  Figures figures;
  std::optional<double> restored;
  Worst stretch;
  std::optional<Worst> flip;
};

struct Report {
  std::vector<std::string> clip_names;  // of the model
  std::size_t vertices = 0;
  std::size_t frames = 0;
  bool from_clips = false;
  std::size_t clips = 0;  // that the frames are of
  std::vector<Row> rows;
};

// The bar of a command of several steps that take about as long.
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

Result<Character> bind_by(const Model& model, Rig rig, bool fallback) {
  if (!fallback) rig.judging = Judging::kNone;
  Result<Bound> bound = bind(model, rig);
  if (!bound) return tl::unexpected(bound.error());
  return std::move(bound->character);
}

Result<Character> bind_by(const Model& model, const std::string& deformer, bool fallback = true) {
  const Result<Rig> rig = rig_from_deformer_name(deformer);
  if (!rig) return tl::unexpected(rig.error());
  return bind_by(model, *rig, fallback);
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

Row row_of(const Judge& judge, std::string deformer, const Result<Figures>& figures,
           const std::optional<Figures>& dual_quaternion) {
  Row row{.deformer = std::move(deformer)};
  if (!figures) {
    row.error = figures.error().message;
    return row;
  }
  row.figures = *figures;
  if (dual_quaternion) row.restored = restored(*figures, *dual_quaternion);
  row.stretch = worst_of(judge, figures->stretch_at);
  if (figures->flip_at) row.flip = worst_of(judge, *figures->flip_at);
  return row;
}

// "walk #3, body at left_forearm"
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
               {"worst stretch", false}});
  for (const Row& row : report.rows) {
    if (!row.error.empty()) continue;
    const Figures& f = row.figures;
    table.add({row.deformer, fmt::format("{:.4f}", f.far), fmt::format("{:.2f}", f.stretch),
               fmt::format("{:.3f}%", 100 * f.bad), fmt::format("{:.4f}", f.rigid99),
               fmt::format("{:.3f}", f.rigid_max), fmt::format("{:.4f}", f.drift99),
               fmt::format("{:.3f}%", 100 * f.flips), row.restored ? fmt::format("{:.2f}", *row.restored) : "-",
               f.stretch > 0 ? text_of(row.stretch) : "-"});
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
                {"worst_clip", worst.clip ? Json(report.clip_names[*worst.clip]) : Json()},
                {"worst_frame", worst.clip ? Json(worst.frame) : Json()},
                {"worst_stretch", json_of(row.stretch)},
                {"worst_flip", row.flip ? json_of(*row.flip) : Json()}});
  }
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

// A rig may make drivers of meshes that linear blend alone moves as skins. It is judged by the skins that are left;
// what dual quaternion gives back was found with all.
Result<Row> judge_rig(const ModelQualityCommand& command, const Model& model, const Judge& judge,
                      const std::optional<Figures>& dual_quaternion, const JudgeOptions& options) {
  const Result<Rig> rig = load_rig(command.rig);
  if (!rig) return tl::unexpected(rig.error());
  const std::string name = rig->name.empty() ? command.rig : rig->name;
  const Result<Character> character = bind_by(model, *rig, !command.no_fallback);
  if (!character) {
    return fail(character.error().code, fmt::format("{}: {}", command.rig, character.error().message));
  }
  if (judge.takes(*character)) return row_of(judge, name, judge.judge(*character, options), dual_quaternion);
  Result<Character> linear_blend = bind_by(model_of(*character), kLinearBlend);
  if (!linear_blend) return tl::unexpected(linear_blend.error());
  const Result<Judge> own = Judge::create(std::move(*linear_blend), judge.poses());
  if (!own) return tl::unexpected(own.error());
  return row_of(*own, name, own->judge(*character, options), std::nullopt);
}

Result<Report> measure(const ModelQualityCommand& command) {
  std::vector<std::string> deformers = command.deformers;
  if (deformers.empty()) deformers = {kDualQuaternion, "surface-ffd", "curve-skeleton", "mos"};
  const Result<Model> model = import_model(command.model);
  if (!model) return tl::unexpected(model.error());
  const Result<Character> linear_blend = bind_by(*model, kLinearBlend);
  if (!linear_blend) {
    return fail(linear_blend.error().code, fmt::format("{}: {}", command.model, linear_blend.error().message));
  }
  Result<std::vector<JudgedPose>> poses = choose_poses(command, *linear_blend);
  if (!poses) return tl::unexpected(poses.error());

  Report report{.frames = poses->size(), .from_clips = poses->front().clip.has_value()};
  for (const Clip& clip : model->clips) report.clip_names.push_back(clip.name);
  if (report.from_clips) {
    report.clips = static_cast<std::size_t>(
        std::count_if(poses->begin(), poses->end(), [](const JudgedPose& pose) { return pose.frame == 0; }));
  }
  // Besides the rows there is linear blend, and dual quaternion, with which the others' `restored` is compared.
  const auto is_dual = [](const std::string& deformer) {
    return deformer == kDualQuaternion || deformer == "dual_quaternion";
  };
  const bool has_dual = std::any_of(deformers.begin(), deformers.end(), is_dual);
  Steps steps(1 + (has_dual ? 0 : 1) + deformers.size() + (command.rig.empty() ? 0 : 1));
  const JudgeOptions options{.progress = [&](double fraction) { steps.show(fraction); }};
  steps.next(kLinearBlend);
  const Result<Judge> judge = Judge::create(*linear_blend, std::move(*poses), options);
  if (!judge) return fail(judge.error().code, fmt::format("{}: {}", command.model, judge.error().message));
  report.vertices = judge->vertex_count();
  const auto figures_of = [&](const std::string& deformer) -> Result<Figures> {
    steps.next(deformer);
    const Result<Character> character = bind_by(*model, deformer, !command.no_fallback);
    if (!character) return tl::unexpected(character.error());
    return judge->judge(*character, options);
  };
  const Result<Figures> dual = figures_of(kDualQuaternion);
  const std::optional<Figures> dual_figures = dual ? std::optional(*dual) : std::nullopt;
  for (const std::string& deformer : deformers) {
    report.rows.push_back(row_of(*judge, deformer, is_dual(deformer) ? dual : figures_of(deformer), dual_figures));
  }
  if (!command.rig.empty()) {
    steps.next(command.rig);
    Result<Row> row = judge_rig(command, *model, *judge, dual_figures, options);
    if (!row) return tl::unexpected(row.error());
    report.rows.push_back(std::move(*row));
  }
  return report;
}

}  // namespace

Result<void> run(const ModelQualityCommand& command) {
  const Result<Report> report = measure(command);
  if (!report) return tl::unexpected(report.error());
  if (command.json) {
    print_json(command, *report);
  } else {
    print_text(command, *report);
  }
  return {};
}

}  // namespace pelt::samples
