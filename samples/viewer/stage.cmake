# SPDX-License-Identifier: MIT
# What the viewer shows of characters, and the panels about them: without a window.
add_library(pelt_viewer_stage STATIC
  ${CMAKE_CURRENT_LIST_DIR}/elements.cpp
  ${CMAKE_CURRENT_LIST_DIR}/gizmo.cpp
  ${CMAKE_CURRENT_LIST_DIR}/heat_map.cpp
  ${CMAKE_CURRENT_LIST_DIR}/overlay.cpp
  ${CMAKE_CURRENT_LIST_DIR}/panels/heat_panel.cpp
  ${CMAKE_CURRENT_LIST_DIR}/panels/measure_panel.cpp
  ${CMAKE_CURRENT_LIST_DIR}/panels/report_panel.cpp
  ${CMAKE_CURRENT_LIST_DIR}/panels/rows.cpp
  ${CMAKE_CURRENT_LIST_DIR}/panels/skeleton_panel.cpp
  ${CMAKE_CURRENT_LIST_DIR}/panels/timeline.cpp
  ${CMAKE_CURRENT_LIST_DIR}/panels/vertex_panel.cpp
  ${CMAKE_CURRENT_LIST_DIR}/panels/view_options.cpp
  ${CMAKE_CURRENT_LIST_DIR}/pick.cpp
  ${CMAKE_CURRENT_LIST_DIR}/stage.cpp)
pelt_target(pelt_viewer_stage)
target_include_directories(pelt_viewer_stage SYSTEM PUBLIC ${PELT_IMGUI_INCLUDE})
target_link_libraries(pelt_viewer_stage
  PUBLIC pelt_commands pelt_renderer nlohmann_json::nlohmann_json ${PELT_IMGUI_LIBRARY} ${PELT_STB_LIBRARY}
  PRIVATE fmt::fmt)
