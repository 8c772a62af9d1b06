# SPDX-License-Identifier: MIT
pelt_folder(character
  file_io.cpp formatted.cpp mapped_file.cpp
  HEADERS
  include/pelt/finite.h include/pelt/frame.h include/pelt/job_system.h include/pelt/result.h include/pelt/try.h
  include/pelt/version.h
  include/pelt/tools/file_io.h)
pelt_folder(authoring
  nearest_name.cpp parallel.cpp stop.cpp
  HEADERS
  include/pelt/nearest_name.h include/pelt/tools/parallel.h)
