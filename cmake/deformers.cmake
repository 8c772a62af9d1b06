# SPDX-License-Identifier: MIT
# The folders of the deformers, in engine/ and tests/engine/. The build finds shaders by itself, below shaders/.
set(PELT_DEFORMERS linear_blend dual_quaternion surface_ffd curve_skeleton mos hierarchical_bspline)
