// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <pelt/garment.h>
#include <pelt/gltf_rig.h>
#include <pelt/import.h>
#include <pelt/mos_presets.h>
#include <pelt/paint.h>
#include <pelt/rig_json.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/bind_model.h>
#include <pelt/try.h>

#include "engine/authoring/base/stop.h"

namespace pelt {
namespace {

constexpr std::string_view kSkeletonHelp = "'pelt skeleton' adds joints and weights to a skin";

bool has_weights(const Model& model) {
  return std::ranges::any_of(model.meshes, [](const Mesh& mesh) { return mesh.weights.row_count() != 0; });
}

// Returns true if more than one joint moves the mesh.
bool bends(const Mesh& mesh) {
  const std::vector<Influence>& influences = mesh.weights.influences;
  return std::ranges::any_of(influences, [&](const Influence& influence) {
    return influence.weight > 0 && influence.index != influences.front().index;
  });
}

// Makes a rig for a garment: the body moves by `deformer`, and the garment follows the body.
Result<Rig> garment_rig(const std::string& deformer, const std::string& body) {
  PELT_ASSIGN(auto rig, rig_from_deformer_name(deformer));
  rig.name = "garment";
  rig.layers[0].target = body;
  SurfaceFfdParameters worn;
  worn.driver.mesh = body;
  rig.layers.push_back({.target = "*", .deformer = worn});
  return rig;
}

// Chooses the rig. `model_name`: the name to import. `body`: the mesh that drives a garment; empty: none. `is_spread`:
// the weights already blend widely enough from joint to joint. `notes`: receives those of a preset.
Result<Rig> choose_rig(const Binding& binding, const std::string& model_name, const Model& model,
                       const std::string& body, bool is_spread, std::vector<std::string>& notes) {
  if (binding.given_rig) return *binding.given_rig;
  if (!binding.rig.empty()) return load_rig(binding.rig);
  if (!binding.preset.empty() && model.skeleton.joints.empty()) {
    return fail(ErrorCode::kNotFound, fmt::format("{}: {}", model_name, rigid_note(model)));
  }
  if (!binding.preset.empty()) return rig_from_preset(binding.preset, model, &notes);
  if (binding.is_default() && is_gltf(model_name)) {
    PELT_ASSIGN(auto rig_beside,
                binding.file.empty() ? load_gltf_rig(model_name) : read_gltf_rig(binding.file, model_name));
    if (rig_beside) return std::move(rig_beside->rig);
  }
  const std::string deformer = binding.deformer.empty() ? kDefaultDeformer : binding.deformer;
  if (!body.empty()) return garment_rig(deformer, body);
  Result<Rig> rig = rig_from_deformer_name(deformer);
  if (!rig || !is_spread) return rig;
  if (auto* ffd = rig->layers[0].deformer.get_if<SurfaceFfdParameters>()) ffd->driver.spread = 0.0f;
  return rig;
}

// Returns whether the options and the user's rig ask for weights.
Result<PaintMode> paint_mode(const Binding& binding) {
  if (binding.paint) return *binding.paint;
  if (binding.given_rig) return binding.given_rig->paint;
  if (binding.rig.empty()) return PaintMode::kAuto;
  PELT_ASSIGN(const auto rig, load_rig(binding.rig));
  return rig.paint;
}

// Binds by the default rig, which the user did not choose, and notes why that rig or linear blend was used.
Result<Bound> bind_chosen(const Model& model, Rig& rig, const BindOptions& options) {
  constexpr double kMaxLeft = 0.1;  // of the skin's area
  BindOptions chosen = options;
  if (options.correct) {
    chosen.correct = [&](const Bound& base) -> Result<std::vector<Corrective>> {
      const bool stays = !base.report.check || base.report.check->fallback <= kMaxLeft;
      return stays ? options.correct(base) : std::vector<Corrective>();
    };
  }
  Result<Bound> bound = bind(model, rig, chosen);
  if (!bound) return bound;
  std::string why = "every part of the skin follows one joint or moves as one piece";
  if (std::ranges::any_of(bound->report.meshes, [](const auto& mesh) { return mesh.deformer != "linear_blend"; })) {
    if (!bound->report.check || rig.check != CheckMode::kFallback) return bound;
    const double left = bound->report.check->fallback;
    const std::string defects =
        left > 0 ? fmt::format("defects on {} of the skin", share_in_words(left)) : "no defects";
    if (left <= kMaxLeft) {
      bound->report.notes.insert(bound->report.notes.begin(),
                                 fmt::format("{} was chosen: it has {}", kDefaultDeformer, defects));
      return bound;
    }
    why = fmt::format("{} has {}", kDefaultDeformer, defects);
  }
  rig = *rig_from_deformer_name("linear-blend");
  Result<Bound> plain = bind(model, rig, options);
  if (plain) plain->report.notes.insert(plain->report.notes.begin(), fmt::format("linear-blend was chosen: {}", why));
  return plain;
}

// A model and how it is bound.
struct ReadModel {
  Model model;
  Rig rig;
  bool dressed = false;
  bool chosen = false;  // the user did not choose the rig
  std::string painted;  // a note; empty: the weights are the file's
  ImportReport import_report;
};

Result<ReadModel> read_model(const std::string& model_name, const Binding& binding, unsigned threads) {
  Result<Model> model =
      binding.file.empty() ? import_model(model_name, nullptr, binding.files) : import_gltf(binding.file, model_name);
  if (!model) return tl::unexpected(model.error());
  std::vector<std::string> worn_notes;
  std::string driver;
  bool copied_weights = false;
  const std::string& worn_by = binding.body.empty() ? binding.weights_of : binding.body;
  if (!worn_by.empty()) {
    PELT_ASSIGN(const auto body, import_model(worn_by, nullptr, binding.files));
    for (const std::string& note : body.report.notes) {
      worn_notes.push_back(fmt::format("'{}': {}", worn_by, note));
    }
    PELT_ASSIGN(auto dressed, binding.body.empty() ? dress_by_weights(std::move(*model), body, threads)
                                                   : dress(std::move(*model), body, threads));
    worn_notes.insert(worn_notes.end(), dressed.notes.begin(), dressed.notes.end());
    driver = dressed.body;
    copied_weights = dressed.copied_weights;
    model = std::move(dressed.model);
  }
  // Presets and the choice of a rig look at weights; a rig of the user's tells how to make them.
  PELT_ASSIGN(const auto paint, paint_mode(binding));
  PELT_ASSIGN(auto painted, paint_model(*model, paint, threads));
  ImportReport import_report = model->report;
  import_report.notes.insert(import_report.notes.end(), worn_notes.begin(), worn_notes.end());
  PELT_ASSIGN(auto rig, choose_rig(binding, model_name, *model, driver, copied_weights, import_report.notes));
  const bool is_own_rig = binding.is_default() && rig != *rig_from_deformer_name(kDefaultDeformer);
  const bool chosen = binding.names_no_rig() && driver.empty() && !is_own_rig;
  if (binding.check) rig.check = *binding.check;
  if (binding.paint) rig.paint = *binding.paint;
  if (binding.files == NamedFiles::kAnywhere) rig.files = binding.files;
  return ReadModel{std::move(*model),  std::move(rig),          !worn_by.empty(), chosen,
                   std::move(painted), std::move(import_report)};
}

// Returns an error of bind that names the model and the rig. Without weights a rig that the user did not choose
// (`chosen`) has no other error.
tl::unexpected<Error> cannot_be_bound(const Error& error, const std::string& model_name, const Binding& binding,
                                      const Model& model, bool chosen) {
  const std::string where = binding.rig.empty() ? model_name : fmt::format("{}: {}", model_name, binding.rig);
  if (has_weights(model)) return fail(error.code, fmt::format("{}: {}", where, error.message));
  const std::string why = chosen ? "" : fmt::format(" ({})", error.message);
  return fail(error.code, fmt::format("{}: {}{}", where, rigid_note(model), why));
}

// Reads and binds; see bind_model. `progress` never falls, even if a model is bound twice.
Result<BoundModel> read_and_bind(const std::string& model_name, const Binding& binding, BindOptions options) {
  if (options.progress) {
    options.progress = [show = options.progress, most = 0.0](double fraction, const std::string& what) mutable {
      most = std::max(most, fraction);
      show(most, what);
    };
    options.progress(0, "reading");
  }
  PELT_ASSIGN(auto read, read_model(model_name, binding, options.threads));
  auto& [model, rig, dressed, chosen, painted, import_report] = read;
  Result<Bound> bound = chosen ? bind_chosen(model, rig, options) : bind(model, rig, options);
  if (!bound) return cannot_be_bound(bound.error(), model_name, binding, model, chosen);
  std::vector<std::string>& notes = bound->report.notes;
  if (!painted.empty()) notes.insert(notes.begin(), std::move(painted));
  const bool mixes =
      std::ranges::any_of(bound->report.meshes, [](const MeshReport& mesh) { return mesh.max_influences > 1; });
  if (std::string note = rigid_note(model); !mixes && !note.empty()) import_report.notes.push_back(std::move(note));
  return BoundModel{std::move(*bound), std::move(model), std::move(rig), dressed, std::move(import_report)};
}

}  // namespace

Result<BoundModel> bind_model(const std::string& model, const Binding& binding, const BindOptions& options) {
  Result<BoundModel> bound = stoppable(options.stop, [&] { return read_and_bind(model, binding, options); });
  if (!bound && bound.error().code == ErrorCode::kStopped)
    return fail(ErrorCode::kStopped, fmt::format("{}: stopped", model));
  return bound;
}

std::string rigid_note(const Model& model) {
  if (!has_weights(model)) return fmt::format("no mesh has weights; {}", kSkeletonHelp);
  if (!model.clips.empty() || std::ranges::any_of(model.meshes, bends)) return "";
  return fmt::format("no mesh bends, since each follows a single joint; {}", kSkeletonHelp);
}

}  // namespace pelt
