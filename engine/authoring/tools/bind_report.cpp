// SPDX-License-Identifier: MIT
#include <algorithm>
#include <nlohmann/json.hpp>

#include <pelt/pack.h>
#include <pelt/tools/bind_report.h>

namespace pelt {
namespace {

struct Remark {
  const char* name;
  VertexRemarks flag;
};
constexpr Remark kRemarks[] = {{"far", kFar}, {"between_sheets", kBetweenSheets}, {"beyond_hops", kBeyondHops}};

nlohmann::ordered_json check_json(const Bound& bound) {
  const std::optional<CheckReport>& report = bound.report.check;
  if (!report) return {};
  const auto location = [&](const DefectLocation& place) {
    nlohmann::ordered_json turns = nlohmann::json::array();
    for (const TurnFromRest& turn : place.pose.turns) {
      turns.push_back({{"joint", bound.character->skeleton.joints[turn.joint].name},
                       {"axis", {turn.axis.x, turn.axis.y, turn.axis.z}},
                       {"degrees", turn.degrees}});
    }
    return nlohmann::ordered_json{{"pose", place.pose.name},
                                  {"turns", std::move(turns)},
                                  {"kind", defect_name(place.defect.kind)},
                                  {"value", place.defect.value},
                                  {"of_allowed", place.defect.score},
                                  {"mesh", place.mesh},
                                  {"vertex", place.vertex},
                                  {"joint", place.joint}};
  };
  nlohmann::ordered_json defects = nlohmann::json::array(), shapes = nlohmann::json::array();
  for (const DefectLocation& place : report->defects) {
    defects.push_back(location(place));
    defects.back()["fallback"] = place.fallback;
  }
  for (const DefectLocation& place : report->shapes) {
    shapes.push_back(location(place));
    shapes.back()["count"] = place.count;
  }
  return {{"poses", report->poses},         {"clip_frames", report->clip_frames}, {"fallback", report->fallback},
          {"remaining", report->remaining}, {"defects", std::move(defects)},      {"shapes", std::move(shapes)}};
}

}  // namespace

std::vector<std::pair<std::string, std::size_t>> remark_counts(const MeshReport& mesh) {
  if (mesh.distances.empty()) return {};
  const auto unbound = std::ranges::count(mesh.distances, -1.0f);
  std::vector<std::pair<std::string, std::size_t>> counts = {{"unbound", static_cast<std::size_t>(unbound)}};
  for (const Remark& remark : kRemarks) {
    const auto count =
        std::ranges::count_if(mesh.remarks, [&](VertexRemarks flags) { return (flags & remark.flag) != 0; });
    counts.emplace_back(remark.name, static_cast<std::size_t>(count));
  }
  return counts;
}

std::string format_bind_report(const BindReportFacts& facts, const BoundModel& bound) {
  nlohmann::ordered_json meshes = nlohmann::json::array();
  for (const MeshReport& mesh : bound.bound.report.meshes) {
    nlohmann::ordered_json remarks = nlohmann::json::object();
    for (const auto& [name, count] : remark_counts(mesh)) remarks[name] = count;
    meshes.push_back(
        {{"mesh", mesh.mesh},
         {"deformer", mesh.deformer},
         {"vertices", mesh.vertices},
         {"mean_influences", mesh.mean_influences},
         {"max_influences", mesh.max_influences},
         {"worst_distance", mesh.worst_distance},
         {"worst_vertex", mesh.worst_vertex},
         {"dropped_elements", mesh.dropped_elements},
         {"repaired_vertices", mesh.repaired_vertices},
         {"cut_error", mesh.cut_error ? nlohmann::ordered_json(*mesh.cut_error) : nlohmann::ordered_json()},
         {"remarks", remarks},
         {"level_vertices", mesh.level_vertices},
         {"bytes_per_vertex", mesh.bytes_per_vertex}});
  }
  const nlohmann::ordered_json report{
      {"model", facts.model},
      {"output", facts.output ? nlohmann::ordered_json(*facts.output) : nlohmann::ordered_json()},
      {"bytes", facts.bytes},
      {"seconds", facts.seconds},
      {"meshes", meshes},
      {"check", check_json(bound.bound)},
      {"notes", bound.bound.report.notes},
      {"import_notes", bound.import_report.notes}};
  return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string format_vertex_report(const std::string& model, const BoundModel& bound) {
  nlohmann::ordered_json meshes = nlohmann::json::array();
  const CharacterData& data = *bound.bound.character;
  for (std::size_t m = 0; m < bound.bound.report.meshes.size(); ++m) {
    const MeshReport& report = bound.bound.report.meshes[m];
    const CharacterMesh& mesh = data.meshes[m];
    std::vector<std::size_t> influences(mesh.vertex_count());
    const SparseRows rows = unpack_rows(mesh.binding);
    for (std::uint32_t i = 0; i < mesh.vertex_count(); ++i) influences[mesh.source_vertex[i]] = rows.row(i).size();
    nlohmann::ordered_json mesh_json{{"mesh", report.mesh},
                                     {"deformer", report.deformer},
                                     {"driver", mesh.control},
                                     {"influences", influences},
                                     {"repaired_vertices", report.repaired_vertices}};
    if (!report.distances.empty()) {
      nlohmann::ordered_json distances = nlohmann::json::array();
      nlohmann::ordered_json unbound = nlohmann::json::array();
      for (std::size_t v = 0; v < report.distances.size(); ++v) {
        const bool is_bound = report.distances[v] >= 0;
        distances.push_back(is_bound ? nlohmann::ordered_json(report.distances[v]) : nlohmann::ordered_json());
        if (!is_bound) unbound.push_back(v);
      }
      mesh_json["distance"] = std::move(distances);
      mesh_json["unbound"] = std::move(unbound);
      for (const Remark& remark : kRemarks) {
        nlohmann::ordered_json vertices = nlohmann::json::array();
        for (std::size_t v = 0; v < report.remarks.size(); ++v) {
          if ((report.remarks[v] & remark.flag) != 0) vertices.push_back(v);
        }
        mesh_json[remark.name] = std::move(vertices);
      }
    }
    meshes.push_back(std::move(mesh_json));
  }
  const nlohmann::ordered_json document{{"format", "pelt-report 1"},
                                        {"model", model},
                                        {"meshes", std::move(meshes)},
                                        {"check", check_json(bound.bound)},
                                        {"notes", bound.bound.report.notes}};
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace pelt
