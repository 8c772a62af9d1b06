// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include <pelt/learn.h>
#include <pelt/pelt_file.h>
#include <pelt/tools/json_fields.h>
#include <pelt/try.h>

#include "samples/pelt/commands.h"
#include "samples/pelt/progress_bar.h"

namespace pelt::samples {
namespace {

constexpr std::size_t kListed = 6;  // regions, inputs and contradictions, without --json

// Adds a row of errors, if they were measured.
void add_errors(Json& rows, const std::string& name, const Json& errors) {
  if (!errors.is_null())
    rows.push_back({{"of", name}, {"rms", errors.at("rms")}, {"most", errors.at("most")}, {"pose", errors.at("pose")}});
}

void print(const Json& certificate) {
  const auto count = [&](const char* key) { return certificate.at(key).size(); };
  fmt::print("\nlearnt from {} poses in {} cache{}, within {:g} mm\n", certificate.at("poses").dump(),
             count("sequences"), count("sequences") == 1 ? "" : "s", 1000 * certificate.at("within").get<double>());
  Json rows = Json::array();
  add_errors(rows, "base, without the learnt shapes", certificate.at("base"));
  add_errors(rows, "learnt, poses that were fitted", certificate.at("fitted"));
  add_errors(rows,
             fmt::format("learnt, unseen {}",
                         certificate.at("held_out_by") == "sequences" ? "whole caches" : "runs of frames"),
             certificate.at("held_out"));
  const std::vector<Column> columns = {
      {"errors", "of"}, {"rms, mm", "rms", "{:.3f}", 1000}, {"most, mm", "most", "{:.2f}", 1000}, {"in", "pose"}};
  fmt::print("{}", table_of(rows, columns));
  const char* worst = certificate.at("held_out").is_null() ? "fitted" : "held_out";
  Json regions = Json::array();
  for (const Json& region : certificate.at("regions")) {
    if (regions.size() < kListed) add_errors(regions, region.at("joint"), region.at(worst));
  }
  fmt::print("by region, {}\n{}", worst == std::string("fitted") ? "fitted" : "unseen",
             table_of(regions, {{"at", "of"}, columns[1], columns[2], columns[3]}));
  Json inputs = Json::array();
  for (const Json& input : certificate.at("inputs")) {
    std::vector<std::string> joints;
    for (const Json& angle : input.at("angles")) {
      std::string joint = angle.at("joint");
      if (std::ranges::find(joints, joint) == joints.end()) joints.push_back(std::move(joint));
    }
    inputs.push_back({{"joint", fmt::format("{}", fmt::join(joints, " and "))},
                      {"angles", input.at("angles").size()},
                      {"interpolation", input.at("interpolation")},
                      {"keys", input.at("keys")},
                      {"vertices", input.at("vertices")}});
  }
  if (!inputs.empty()) {
    fmt::print("shapes follow\n{}", table_of(inputs, {{"joint", "joint"},
                                                      {"angles", "angles", "{}"},
                                                      {"interpolation", "interpolation"},
                                                      {"keys", "keys", "{}"},
                                                      {"vertices", "vertices", "{}"}}));
  }
  const Json& contradictions = certificate.at("contradictions");
  for (std::size_t c = 0; c < std::min(contradictions.size(), kListed); ++c) {
    const Json& pair = contradictions[c];
    fmt::print(
        "contradiction: all joints are turned alike in {1} and {2}, but vertices round {0} differ by {3:.2f} mm\n",
        pair.at("joint").get<std::string>(), pair.at("poses")[0].get<std::string>(),
        pair.at("poses")[1].get<std::string>(), 1000 * pair.at("distance").get<double>());
  }
  const std::uint64_t bytes = certificate.at("bytes"), base = certificate.at("base_bytes");
  fmt::print("{} shapes, other weights at {} vertices; {}, {:.2f} times the base; a frame reads {:.0f}% more\n",
             certificate.at("shapes").dump(), certificate.value("weights", Json(0)).dump(), format_bytes(bytes),
             static_cast<double>(bytes) / static_cast<double>(base), 100 * certificate.at("cost").get<double>());
}

}  // namespace

Result<void> print_certificate(const std::string& text) {
  PELT_TRY(json_fields::parse_json(text, "the certificate"));
  try {
    print(Json::parse(text));
    return {};
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInvalidFile, fmt::format("the certificate cannot be read: {}", error.what()));
  }
}

Result<void> run(const LearnCommand& command) {
  Result<LearntModel> learnt = [&] {
    ProgressBar bar(command.progress);
    BindOptions options;
    options.progress = [&](double fraction, const std::string& what) { bar.show(fraction, what); };
    return learn_model(command.model, command.binding, command.learn, options);
  }();
  if (!learnt) return tl::unexpected(learnt.error());
  if (!command.write_rig.empty()) {
    PELT_TRY(write_rig(learnt->model.model, learnt->model.rig, command.write_rig));
  }
  PELT_TRY(save_pelt(learnt->model.bound.character, command.output));
  if (command.json) {
    print_json(Json::parse(learnt->certificate));
  } else {
    for (const std::string& note : learnt->model.bound.report.notes) fmt::print("note: {}\n", note);
    PELT_TRY(print_certificate(learnt->certificate));
    fmt::print("wrote {}\n", command.output);
  }
  return {};
}

}  // namespace pelt::samples
