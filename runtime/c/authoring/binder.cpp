// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <pelt/learn.h>
#include <pelt/pelt_binder.h>
#include <pelt/pelt_file.h>
#include <pelt/rig_json.h>
#include <pelt/tools/bind_model.h>
#include <pelt/tools/bind_report.h>
#include <pelt/tools/model_quality.h>

#include "runtime/c/support.h"

using namespace pelt::c;

struct pelt_binder_output {
  std::vector<std::byte> character;  // empty: none was bound
  std::string report;
};

namespace {

std::string text_of(const char* given) { return given == nullptr ? std::string() : given; }

// Returns the rig from `rig_text`; none if it is null.
std::optional<pelt::Rig> read_rig(const char* rig, const char* rig_text) {
  if (rig_text == nullptr) return std::nullopt;
  if (rig != nullptr) refuse("options.rig and options.rig_text cannot be combined");
  return value_of(pelt::parse_rig(rig_text, "rig"));
}

template <class Options>
std::function<void(double, const std::string&)> progress_of(const Options& options) {
  if (options.progress == nullptr) return {};
  return
      [&options](double fraction, const std::string& what) { options.progress(options.user, fraction, what.c_str()); };
}

pelt::Binding read_binding(const pelt_binder_bind_options& options) {
  int named = 0;
  for (const char* name : {options.rig, options.rig_text, options.preset, options.deformer}) {
    named += name == nullptr ? 0 : 1;
  }
  if (named > 1) refuse("at most one of rig, rig_text, preset and deformer may be set");
  if (options.driver != nullptr && options.preset != nullptr) refuse("driver and preset cannot be combined");
  if (options.driver != nullptr && options.weights_of != nullptr) refuse("driver and weights_of cannot be combined");
  need_known("options.check", options.check, PELT_BINDER_CHECK_NONE);
  pelt::Binding binding{.rig = text_of(options.rig),
                        .given_rig = read_rig(options.rig, options.rig_text),
                        .preset = text_of(options.preset),
                        .deformer = text_of(options.deformer),
                        .body = text_of(options.driver),
                        .weights_of = text_of(options.weights_of)};
  if (options.check == PELT_BINDER_CHECK_REPORT) binding.check = pelt::CheckMode::kReport;
  if (options.check == PELT_BINDER_CHECK_NONE) binding.check = pelt::CheckMode::kNone;
  if (options.paint != 0) binding.paint = pelt::PaintMode::kAlways;
  if (options.any_file != 0) binding.files = pelt::NamedFiles::kAnywhere;
  return binding;
}

pelt::BindOptions read_bind_options(const pelt_binder_bind_options& given) {
  pelt::BindOptions options{.threads = given.threads, .keep_vertex_order = given.keep_vertex_order != 0};
  options.progress = progress_of(given);
  options.stop = stop_of(given.stop);
  return options;
}

pelt::LearnOptions read_learn_options(const pelt_binder_bind_options& given) {
  pelt::LearnOptions options{.budget = given.budget};
  need(given.caches, "options.caches");
  need(given.poses, "options.poses");
  for (std::uint32_t i = 0; i < given.cache_count; ++i) {
    options.sequences.push_back(
        {&need(given.caches[i], "a name of options.caches"), &need(given.poses[i], "a name of options.poses")});
  }
  if (given.fps != 0) options.fps = given.fps;
  if (given.within != 0) options.within = given.within;
  if (!(options.fps > 0 && options.within.value_or(1) > 0)) refuse("options.fps and options.within must be above 0");
  return options;
}

}  // namespace

uint32_t pelt_binder_abi_version(void) { return PELT_BINDER_ABI_VERSION; }
const char* pelt_binder_version_string(void) { return version_text(); }
const char* pelt_binder_last_error(void) { return last_failure(); }

pelt_result pelt_binder_bind(const char* model, const pelt_binder_bind_options* options, pelt_binder_output** out) {
  return guarded(__func__, [&] {
    const auto start = std::chrono::steady_clock::now();
    const std::string name = &need(model, "model");
    const auto given = read_options(options, "options");
    pelt_binder_output*& made = need(out, "out");
    if (given.cache_count != 0) {
      pelt::LearntModel learnt =
          value_of(pelt::learn_model(name, read_binding(given), read_learn_options(given), read_bind_options(given)));
      made = new pelt_binder_output{pelt::serialize(learnt.model.bound.character), std::move(learnt.certificate)};
      return;
    }
    const pelt::BoundModel bound = value_of(pelt::bind_model(name, read_binding(given), read_bind_options(given)));
    std::vector<std::byte> bytes = pelt::serialize(bound.bound.character);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    const pelt::BindReportFacts facts{.model = name, .bytes = bytes.size(), .seconds = spent.count()};
    std::string report = pelt::format_bind_report(facts, bound);
    made = new pelt_binder_output{std::move(bytes), std::move(report)};
  });
}

pelt_result pelt_binder_quality(const char* model, const pelt_binder_quality_options* options,
                                pelt_binder_output** out) {
  return guarded(__func__, [&] {
    const std::string name = &need(model, "model");
    const auto given = read_options(options, "options");
    pelt_binder_output*& made = need(out, "out");
    need_known("options.poses", given.poses, PELT_BINDER_POSES_SAMPLES);
    pelt::ModelQualityOptions wanted{
        .rig = text_of(given.rig),
        .given_rig = read_rig(given.rig, given.rig_text),
        .poses = static_cast<pelt::PoseSource>(given.poses),
        .no_fallback = given.no_fallback != 0,
        .files = given.any_file != 0 ? pelt::NamedFiles::kAnywhere : pelt::NamedFiles::kFolder,
        .progress = progress_of(given),
        .stop = stop_of(given.stop)};
    if (given.deformer_count != 0) need(given.deformers, "options.deformers");
    for (std::uint32_t i = 0; i < given.deformer_count; ++i) {
      wanted.deformers.emplace_back(&need(given.deformers[i], "a name of options.deformers"));
      value_of(pelt::rig_from_deformer_name(wanted.deformers.back()));
    }
    if (given.frames != 0) wanted.frames = given.frames;
    if (given.clips != 0) wanted.clips = given.clips;
    made = new pelt_binder_output{{}, pelt::format_model_quality(value_of(pelt::measure_model_quality(name, wanted)))};
  });
}

pelt_result pelt_binder_get_character(const pelt_binder_output* output, const void** bytes, size_t* size) {
  return guarded(__func__, [&] {
    const std::vector<std::byte>& bound = need(output, "output").character;
    if (bytes == nullptr) refuse("bytes is null");
    need(size, "size");
    if (bound.empty()) refuse("nothing was bound", PELT_ERROR_NOT_FOUND);
    *bytes = bound.data();
    *size = bound.size();
  });
}

pelt_result pelt_binder_get_report(const pelt_binder_output* output, const char** text, size_t* size) {
  return guarded(__func__, [&] {
    const std::string& report = need(output, "output").report;
    need(text, "text") = report.c_str();
    if (size != nullptr) *size = report.size();
  });
}

void pelt_binder_output_destroy(pelt_binder_output* output) { delete output; }
