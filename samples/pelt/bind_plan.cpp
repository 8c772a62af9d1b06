// SPDX-License-Identifier: MIT
#include "samples/pelt/bind_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "samples/pelt/table.h"

namespace pelt::samples {
namespace {

double seconds_of(const BindPlan& plan) {
  double seconds = 0;
  for (const PlannedStage& stage : plan.stages) seconds += stage.seconds;
  return seconds;
}

void print_json(const std::string& model, const PlannedModel& planned) {
  using Json = nlohmann::ordered_json;
  const BindPlan& plan = planned.plan;
  Json meshes = Json::array();
  for (const PlannedMesh& mesh : plan.meshes) {
    meshes.push_back({{"mesh", mesh.mesh},
                      {"vertices", mesh.vertices},
                      {"triangles", mesh.triangles},
                      {"influences", mesh.influences},
                      {"moved_by", mesh.moved_by},
                      {"driver", mesh.is_driver}});
  }
  Json drivers = Json::array();
  for (const PlannedDriver& driver : plan.drivers) {
    drivers.push_back({{"layer", driver.layer}, {"source", driver.source}});
  }
  Json stages = Json::array();
  for (const PlannedStage& stage : plan.stages) stages.push_back({{"stage", stage.name}, {"seconds", stage.seconds}});
  const Json document{{"model", model},
                      {"dry_run", true},
                      {"rig", planned.rig.name},
                      {"chosen", planned.chosen},
                      {"joints", plan.joints},
                      {"meshes", std::move(meshes)},
                      {"drivers", std::move(drivers)},
                      {"stages", std::move(stages)},
                      {"seconds", seconds_of(plan)},
                      {"bytes", plan.bytes},
                      {"notes", plan.notes},
                      {"import_notes", planned.import_report.notes}};
  fmt::print("{}\n", document.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_text(const std::string& model, const PlannedModel& planned) {
  const BindPlan& plan = planned.plan;
  fmt::print("{}: {} joints{}{}\n", model, plan.joints, planned.rig.name.empty() ? "" : "; the rig ",
             planned.rig.name.empty() ? "" : fmt::format("'{}'", planned.rig.name));
  Table table({{"mesh", false}, {"vertices"}, {"triangles"}, {"painted joints"}, {"would be moved by", false}});
  for (const PlannedMesh& mesh : plan.meshes) {
    const std::string moved =
        mesh.moved_by.empty() ? "the line of its muscle" : fmt::format("{}", fmt::join(mesh.moved_by, ", "));
    table.add({mesh.mesh, fmt::to_string(mesh.vertices), fmt::to_string(mesh.triangles),
               fmt::format("{:.2f}", mesh.influences), mesh.is_driver ? "a driver: " + moved : moved});
  }
  fmt::print("{}", table.text());
  for (const PlannedDriver& driver : plan.drivers) fmt::print("driver of {}: {}\n", driver.layer, driver.source);
  for (const std::string& note : plan.notes) fmt::print("note: {}\n", note);
  for (const std::string& note : planned.import_report.notes) fmt::print("note: {}\n", note);
  if (planned.chosen) {
    fmt::print("nobody chose a rig: bind takes linear-blend instead if this leaves a tenth of the skin to it\n");
  }
  for (const PlannedStage& stage : plan.stages) fmt::print("{}: about {:.2g} s\n", stage.name, stage.seconds);
  fmt::print("would take about {:.2g} s and write about {}; nothing was written\n", seconds_of(plan),
             format_bytes(plan.bytes));
}

}  // namespace

void print_bind_plan(const std::string& model, const PlannedModel& planned, bool json) {
  json ? print_json(model, planned) : print_text(model, planned);
}

}  // namespace pelt::samples
