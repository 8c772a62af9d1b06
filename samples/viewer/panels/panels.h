// SPDX-License-Identifier: MIT
// The window's panels. Each draws itself into the open Dear ImGui window.
#pragma once

#include "samples/viewer/panels/context.h"

namespace pelt::viewer {

// Draws and edits the rig: every parameter by rig.schema.json, layers, groups.
void draw_rig_panel(Context& context);

// The inspector's tabs.
void draw_skeleton_panel(Context& context);  // tree of joints, sliders of the selected one
void draw_shapes_panel(Context& context);    // weights of morph targets
bool has_shapes(const Context& context);     // returns true if the character has morph targets
void draw_surface_panel(Context& context);   // levels and attachments of a hierarchical B-spline
bool has_surface(const Context& context);    // returns true if the rig has a layer of one
void draw_vertex_panel(Context& context);    // influences of the selected vertex
void draw_heat_panel(Context& context);      // kind, palette entry, scale
void draw_report_panel(Context& context);    // report of bind, with jumps to vertices

void draw_timeline(Context& context);       // clip, play, scrub, speed, loop
void draw_view_options(Context& context);   // Shown, Compare, instances
void draw_measure_panel(Context& context);  // timings, bytes, frame graph

}  // namespace pelt::viewer
