# SPDX-License-Identifier: MIT
pelt_folder(character
  surface_gradient.cpp tilt.cpp weld.cpp
  HEADERS
  include/pelt/tools/weld.h)
pelt_folder(authoring
  area.cpp cage_topology.cpp closest_points.cpp closest_weights.cpp coarsen.cpp coarsen_start.cpp diffusion.cpp
  edge_distances.cpp heat.cpp manifold.cpp multigrid.cpp parts.cpp pieces.cpp polygon.cpp simplify.cpp
  spread_weights.cpp stitch.cpp topology.cpp triangle_tree.cpp used_part.cpp
  HEADERS
  include/pelt/tools/mesh_parts.h include/pelt/tools/area.h include/pelt/tools/closest_weights.h
  include/pelt/tools/triangle_tree.h)
