// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <numeric>

#include <pelt/frame.h>

#include "samples/viewer/panels/panels.h"
#include "samples/viewer/panels/rows.h"

namespace pelt::viewer {
namespace {

constexpr float kWidth = 22;  // least width, in font sizes: the panel's window may fit its contents

// Returns the mean of a figure over the vertices of the meshes that have a report.
double mean_of(const BindReport& report, double MeshReport::*figure) {
  double sum = 0;
  double vertices = 0;
  for (const MeshReport& mesh : report.meshes) {
    sum += mesh.*figure * mesh.vertices;
    vertices += mesh.vertices;
  }
  return vertices > 0 ? sum / vertices : 0;
}

std::string milliseconds(double seconds) { return fmt::format("{:.3f} ms", 1e3 * seconds); }

// Draws a name, and a time at the right end; names of passes are longer than labels.
void time_row(const std::string& name, double seconds) {
  const std::string text = milliseconds(seconds);
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const float width = ImGui::CalcTextSize(text.c_str()).x;
  fitted_text(name, width + ImGui::GetStyle().ItemSpacing.x);
  ImGui::SameLine(right - width);
  ImGui::TextUnformatted(text.c_str());
}

void draw_timings(const Timings& timings) {
  fitted_text(timings.device);
  for (const Timings::Pass& pass : timings.gpu) time_row("GPU " + pass.name, pass.seconds);
  if (timings.gpu.empty()) {
    row_text("GPU", "no timestamps");
  } else {
    time_row("GPU in all", std::accumulate(timings.gpu.begin(), timings.gpu.end(), 0.0,
                                           [](double sum, const Timings::Pass& pass) { return sum + pass.seconds; }));
  }
  time_row("CPU pose", timings.cpu_pose);
  time_row("CPU frame", timings.cpu_frame);
  if (timings.frames.empty()) return;
  const float worst = *std::max_element(timings.frames.begin(), timings.frames.end());
  const double mean =
      std::accumulate(timings.frames.begin(), timings.frames.end(), 0.0) / static_cast<double>(timings.frames.size());
  time_row(fmt::format("frame, {:.1f} per second", mean > 0 ? 1 / mean : 0.0), mean);
  time_row("longest frame, the height of the bars", worst);
  ImGui::PlotHistogram("##frames", timings.frames.data(), static_cast<int>(timings.frames.size()), 0, nullptr, 0.0f,
                       std::max(worst, 1e-6f), {ImGui::GetContentRegionAvail().x, 4 * ImGui::GetFontSize()});
}

void draw_sizes(const Actor& actor) {
  const CharacterData& data = *actor.character;
  const std::uint64_t instances = actor.crowd.instance_count();
  const runtime::OutputLocations& outputs = actor.crowd.outputs();
  const std::uint64_t vertex =
      outputs.positions.stride + outputs.normals.stride;  // tangents are interleaved with normals
  std::uint64_t skin = 0;
  for (const CharacterMesh& mesh : data.meshes) skin += mesh.control ? 0 : mesh.vertex_count();
  const double bind = static_cast<double>(actor.uploaded.bytes());
  const double crowd = static_cast<double>(instances) *
                       static_cast<double>(data.vertex_count() * vertex + data.palette_size * sizeof(Affine));
  row_text("instances", fmt::format("{}", instances));
  row_text("vertices", fmt::format("{} skin, {} in all", skin * instances, data.vertex_count() * instances));
  row_text("per vertex", fmt::format("{:.1f} bytes", mean_of(actor.report, &MeshReport::bytes_per_vertex)));
  row_text("influences", fmt::format("{:.2f} mean", mean_of(actor.report, &MeshReport::mean_influences)));
  row_text("palette", fmt::format("{} entries", data.palette_size * instances));
  row_text("memory, bound", bytes_text(bind));
  row_text("memory, posed", bytes_text(crowd));
  row_text("dispatches", fmt::format("{} per frame", actor.crowd.passes().names.size()));
}

}  // namespace

void draw_measure_panel(Context& context) {
  ImGui::Dummy({kWidth * ImGui::GetFontSize(), 0});
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 0.2f * ImGui::GetFontSize()});
  draw_timings(context.timings);
  if (const Actor* subject = context.stage.subject()) {
    ImGui::Separator();
    draw_sizes(*subject);
  }
  ImGui::PopStyleVar(2);
}

}  // namespace pelt::viewer
