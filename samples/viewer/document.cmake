# SPDX-License-Identifier: MIT
# Editing: the document, binding in the background, the rig's panel, the brush.
add_library(pelt_viewer_document STATIC
  binder.cpp
  document.cpp
  mask_paint.cpp
  panels/curve_editor.cpp
  panels/rig_editor.cpp
  panels/rig_panel.cpp
  panels/value_widgets.cpp
  schema.cpp)
pelt_target(pelt_viewer_document)
set(rig_schema "${pelt_SOURCE_DIR}/engine/rig/rig.schema.json")
target_compile_definitions(pelt_viewer_document PRIVATE PELT_RIG_SCHEMA="${rig_schema}")
set_source_files_properties(schema.cpp PROPERTIES OBJECT_DEPENDS "${rig_schema}")
# Others' headers: no warnings of theirs.
target_include_directories(pelt_viewer_document SYSTEM PUBLIC ${PELT_IMGUI_INCLUDE})
target_link_libraries(pelt_viewer_document
  PUBLIC pelt::engine nlohmann_json::nlohmann_json
  PRIVATE pelt_commands fmt::fmt ${PELT_IMGUI_LIBRARY} ${PELT_STB_LIBRARY})
