# SPDX-License-Identifier: MIT
# Editing: the document, binding in the background, the rig's panel.
add_library(pelt_viewer_document STATIC
  binder.cpp
  document.cpp)
pelt_target(pelt_viewer_document)
target_link_libraries(pelt_viewer_document
  PUBLIC pelt::engine nlohmann_json::nlohmann_json
  PRIVATE pelt_commands fmt::fmt)
