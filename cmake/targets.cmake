# SPDX-License-Identifier: MIT
# What every target of Pelt shares: the language, include paths from the root of the repository, warnings.
function(pelt_target name)
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${pelt_SOURCE_DIR}>")
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:pelt_warnings>)
endfunction()
