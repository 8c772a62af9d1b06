# SPDX-License-Identifier: MIT
pelt_folder(character
  check_chain.cpp clip_twists.cpp pose.cpp
  HEADERS
  include/pelt/clip_twists.h)
pelt_folder(authoring
  attach.cpp bendy.cpp chain_table.cpp chains.cpp cores.cpp curve.cpp curve_settings.cpp frame_curve.cpp linkages.cpp
  offers.cpp places.cpp relax.cpp rest_curves.cpp samples.cpp seams.cpp tables.cpp tips.cpp trust.cpp
  HEADERS
  include/pelt/curve_settings.h)
