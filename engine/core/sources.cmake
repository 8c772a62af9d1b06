# SPDX-License-Identifier: MIT
pelt_folder(character
  file_io.cpp parallel.cpp
  HEADERS
  include/pelt/finite.h include/pelt/frame.h include/pelt/result.h include/pelt/try.h include/pelt/version.h
  include/pelt/tools/file_io.h include/pelt/tools/parallel.h)
pelt_folder(authoring
  nearest_name.cpp
  HEADERS
  include/pelt/nearest_name.h)
