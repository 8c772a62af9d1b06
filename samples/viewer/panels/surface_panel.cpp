// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pelt/hierarchical_bspline.h>
#include <pelt/rig_json.h>
#include <pelt/tools/index_ranges.h>

#include "samples/viewer/net_brush.h"
#include "samples/viewer/net_mirror.h"
#include "samples/viewer/panels/panels.h"
#include "samples/viewer/panels/rows.h"
#include "samples/viewer/panels/value_widgets.h"
#include "samples/viewer/surface_net.h"

namespace pelt::viewer {
namespace {

using hierarchical_bspline::SurfaceGrid;

constexpr int kMaxSegments = 64;
constexpr float kMaxRadius = 0.25f;  // of the brush, in sizes of the character
constexpr const char* kPainting = "painted weights";

// State of the panel between frames; there is only one window.
struct SurfacePanelState {
  bool painted = false;
  std::string joint;
  std::string filter;
  int segment = 1;
  int segments = 1;
};

ImVec4 shown_color(std::uint32_t level) {
  const glm::vec3 color = glm::pow(net_color(level), glm::vec3(1 / 2.2f));
  return {color.x, color.y, color.z, 1.0f};
}

void draw_level_rows(ViewState& view, const std::vector<SurfaceGrid>& grids) {
  for (std::uint32_t level = 0; level < grids.size(); ++level) {
    ImGui::PushID(static_cast<int>(level));
    const float size = ImGui::GetFrameHeight();
    ImGui::ColorButton("##color", shown_color(level), ImGuiColorEditFlags_NoTooltip, {size, size});
    ImGui::SameLine();
    if (ImGui::RadioButton(fmt::format("level {}", level).c_str(), view.surfaces.level == level)) {
      view.surfaces.level = level;
      view.shown.control_nets = true;
      view.selection.point.clear();
      view.selection.further.clear();
    }
    ImGui::SameLine();
    const SurfaceGrid& grid = grids[level];
    fitted_text(grid.is_mesh() ? fmt::format("{} of {} vertices", grid.stored, grid.size())
                               : fmt::format("{} of {} x {} vertices", grid.stored, grid.along[0], grid.along[1]));
    ImGui::PopID();
  }
}

// Returns what an attachment follows: "left_elbow", "part 2 of 3 of left_elbow".
std::string followed(const SurfaceAttachment& attachment) {
  if (attachment.painted) return kPainting;
  if (!attachment.curve.empty()) {
    return fmt::format("the curve {}..{}", attachment.curve.front(), attachment.curve.back());
  }
  if (attachment.segments == 1) return attachment.joint;
  return fmt::format("part {} of {} of {}", attachment.segment, attachment.segments, attachment.joint);
}

std::string followed(const HierarchicalBsplineParameters& surface, const ControlVertex& vertex) {
  if (vertex.level < surface.levels.size()) {
    for (const SurfaceAttachment& attachment : surface.levels[vertex.level].attach) {
      if (contains(attachment.vertices, vertex.number)) return followed(attachment);
    }
  }
  if (vertex.level > 0) return "the level before";
  return surface.faces.empty() ? "the root" : kPainting;
}

// Returns the selected control vertices, the active one first.
std::vector<Handle> selected_vertices(const Context& context) {
  std::vector<Handle> selected = context.overlay.selected(context.view.selection);
  std::erase_if(selected, [](const Handle& handle) { return !handle.surface; });
  return selected;
}

void edit(Context& context, const Result<Rig>& rig) {
  const Result<void> edited = rig.and_then(
      [&](const Rig& changed) { return context.document->edit(nlohmann::json::parse(format_rig(changed))); });
  if (!edited) context.error(edited.error().message);
}

// Selects all handles in a row of the grid through the active vertex, along u or v.
void select_row(Context& context, const Handle& active, const SurfaceGrid& grid, bool along_u) {
  const auto row = [&](std::uint32_t number) { return along_u ? number % grid.along[1] : number / grid.along[1]; };
  Selection& selection = context.view.selection;
  selection.further.clear();
  for (const Handle& handle : context.overlay.handles) {
    if (!handle.surface || handle.name == active.name || handle.surface->layer != active.surface->layer) continue;
    if (row(handle.surface->number) == row(active.surface->number)) selection.further.push_back(handle.name);
  }
}

// Returns the vertices and, if edits are symmetric, their mirror images after them.
std::vector<ControlVertex> with_images(const Context& context, std::vector<ControlVertex> vertices) {
  if (!context.view.surfaces.symmetric) return vertices;
  const auto images = images_of(context.document->rig(), vertices, context.stage.subject()->character.size());
  if (images) vertices.insert(vertices.end(), images->begin(), images->end());
  return vertices;
}

// Refines around the vertices and selects the new ones on the next level, which is bound meanwhile.
void refine(Context& context, const Actor& subject, const std::vector<ControlVertex>& vertices) {
  const std::vector<Net> nets = nets_of(*subject.character, subject.report, context.document->rig());
  std::vector<ControlVertex> round;
  edit(context, with_refined(context.document->rig(), with_images(context, vertices), round));
  std::vector<std::string> names;
  for (const ControlVertex& place : round) {
    const auto net = std::ranges::find(nets, place.layer, &Net::layer);
    if (net == nets.end()) continue;
    const std::string& base = net->levels.front().mesh->name;
    names.push_back(net_vertex_name(net_level_name(base, place.level), place.number));
  }
  if (names.empty()) return;
  context.view.surfaces.level = round.front().level;
  context.view.selection.point = names.front();
  context.view.selection.further.assign(names.begin() + 1, names.end());
}

void draw_attachment(Context& context, const Actor& subject, const std::vector<ControlVertex>& vertices,
                     SurfacePanelState& state) {
  row_label("follow");
  ImGui::Checkbox(kPainting, &state.painted);
  ImGui::BeginDisabled(state.painted);
  row_label("joint");
  const auto joints = [&] {
    std::vector<std::string> names;
    for (const Joint& joint : subject.character->skeleton.joints) names.push_back(joint.name);
    return names;
  };
  draw_name("##joint", "choose one", state.joint, state.filter, joints);
  row_label("part of its turn");
  ImGui::SetNextItemWidth(0.45f * ImGui::GetContentRegionAvail().x);
  ImGui::InputInt("##segment", &state.segment);
  ImGui::SameLine();
  ImGui::TextUnformatted("of");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  ImGui::InputInt("##segments", &state.segments);
  state.segments = std::clamp(state.segments, 1, kMaxSegments);
  state.segment = std::clamp(state.segment, 1, state.segments);
  ImGui::EndDisabled();
  if (line_button("Attach", 2, !vertices.empty() && (state.painted || !state.joint.empty()))) {
    SurfaceAttachment to{.painted = state.painted};
    if (!state.painted) {
      to.joint = state.joint;
      to.segment = static_cast<std::uint32_t>(state.segment);
      to.segments = static_cast<std::uint32_t>(state.segments);
    }
    const std::vector<ControlVertex> all = with_images(context, vertices);
    edit(context, with_attached(context.document->rig(), vertices, to).and_then([&](Rig rig) {
      const auto images = std::span(all).subspan(vertices.size());
      return with_attached(std::move(rig), images, mirrored(to, subject.character->skeleton));
    }));
  }
  ImGui::SameLine();
  if (line_button("Detach", 2, !vertices.empty())) {
    edit(context, with_detached(context.document->rig(), with_images(context, vertices)));
  }
}

// Offers to write out a base that the rig does not contain.
void draw_base(Context& context, std::uint32_t layer, const HierarchicalBsplineParameters& surface) {
  fitted_text(!surface.file.empty()   ? fmt::format("a surface of the file {}", surface.file)
              : !surface.mesh.empty() ? fmt::format("a surface of the mesh '{}'", surface.mesh)
                                      : "a surface made of the skin");
  if (!line_button("Edit its surface", 1)) return;
  Rig rig = context.document->rig();
  Result<HierarchicalBsplineParameters> written =
      hierarchical_bspline::surface_with_base(*context.document->model(), rig, layer);
  if (!written) return context.error(written.error().message);
  // Edits begin on the finest level: its vertices that follow joints do not follow coarser levels.
  context.view.surfaces.level = static_cast<std::uint32_t>(std::max<std::size_t>(written->levels.size(), 1) - 1);
  context.view.shown.control_nets = true;
  rig.layers[layer].deformer = std::move(*written);
  edit(context, std::move(rig));
}

void draw_brush(Context& context, const std::vector<Handle>& selected, float size) {
  Surfaces& surfaces = context.view.surfaces;
  row_label("brush radius");
  ImGui::SliderFloat("##radius", &surfaces.radius, 0.0f, kMaxRadius * size,
                     surfaces.radius > 0 ? "%.3f m" : "one vertex", ImGuiSliderFlags_AlwaysClamp);
  row_label("drag the skin");
  ImGui::Checkbox("##points", &surfaces.points);
  row_label("symmetric");
  ImGui::Checkbox("##symmetric", &surfaces.symmetric);
  if (line_button("Select within radius", 1, !selected.empty() && surfaces.radius > 0)) {
    std::vector<std::string>& further = context.view.selection.further;
    std::ranges::copy(names_within(selected, context.overlay.handles, surfaces.radius), std::back_inserter(further));
  }
}

}  // namespace

bool has_surface(const Context& context) {
  return context.document && std::ranges::any_of(context.document->rig().layers, [](const Layer& layer) {
           return layer.deformer.name() == HierarchicalBsplineParameters::kName;
         });
}

void draw_surface_panel(Context& context) {
  static SurfacePanelState state;
  const Actor* subject = context.stage.subject();
  if (subject == nullptr || !has_surface(context)) {
    ImGui::TextDisabled("no surface is bound yet");
    return;
  }
  ViewState& view = context.view;
  const Rig rig = context.document->rig();
  const std::vector<Handle> selected = selected_vertices(context);
  ImGui::Checkbox("control nets", &view.shown.control_nets);
  const bool many = std::ranges::count_if(rig.layers, [](const Layer& layer) {
                      return layer.deformer.name() == HierarchicalBsplineParameters::kName;
                    }) > 1;
  std::vector<SurfaceGrid> grids_of_active;
  for (std::uint32_t l = 0; l < rig.layers.size(); ++l) {
    const auto* surface = rig.layers[l].deformer.get_if<HierarchicalBsplineParameters>();
    if (surface == nullptr) continue;
    if (many) ImGui::Text("layer %u", l);
    ImGui::PushID(static_cast<int>(l));
    if (surface->control.empty()) {
      draw_base(context, l, *surface);
      ImGui::PopID();
      continue;
    }
    const auto vertices = vertices_of(*surface);
    const auto& known = *vertices;
    known ? draw_level_rows(view, known->grids) : ImGui::TextWrapped("%s", known.error().message.c_str());
    ImGui::PopID();
    if (known && !selected.empty() && selected.front().surface->layer == l) grids_of_active = known->grids;
  }
  row_label("a drag moves");
  int moved = view.surfaces.fit ? 1 : 0;
  constexpr std::array kMoved{"the skin", "only the surface"};
  if (ImGui::Combo("##moved", &moved, kMoved.data(), static_cast<int>(kMoved.size()))) view.surfaces.fit = moved == 1;

  draw_brush(context, selected, subject->character.size());

  ImGui::Separator();
  std::vector<ControlVertex> vertices;
  for (const Handle& handle : selected) vertices.push_back(*handle.surface);
  if (vertices.empty()) {
    ImGui::TextWrapped("Click on a control vertex to select it; Ctrl + click adds one.");
  } else {
    const ControlVertex& active = vertices.front();
    row_text("selected", vertices.size() == 1
                             ? selected.front().name
                             : fmt::format("{} and {} more", selected.front().name, vertices.size() - 1));
    row_text("follows", followed(rig.layers[active.layer].deformer.get<HierarchicalBsplineParameters>(), active));
  }
  draw_attachment(context, *subject, vertices, state);
  if (line_button("Refine here", 1, !vertices.empty())) refine(context, *subject, vertices);
  if (view.surfaces.symmetric && line_button("Mirror keys and limits", 1, !vertices.empty())) {
    edit(context, with_mirrored(rig, vertices, subject->character->skeleton, subject->character.size()));
  }
  const bool is_known = !vertices.empty() && vertices.front().level < grids_of_active.size();
  if (!is_known || grids_of_active[vertices.front().level].is_mesh()) return;
  const SurfaceGrid& grid = grids_of_active[vertices.front().level];
  if (line_button("Row along u", 2)) select_row(context, selected.front(), grid, true);
  ImGui::SameLine();
  if (line_button("Row along v", 2)) select_row(context, selected.front(), grid, false);
}

}  // namespace pelt::viewer
