# SPDX-License-Identifier: MIT
"""Surface Deform and Mesh Deform as surface FFD: every vertex against Blender's, and against not following at all."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import addon  # noqa: E402
import cage_cases  # noqa: E402
import compare  # noqa: E402
import numpy  # noqa: E402

FRAMES = list(range(0, 25))


def measure(case):
    skin, cage = case()
    of_blender = compare.blender_frames([skin], FRAMES)["skin"]
    file = addon.export(f"{case.__name__}.glb")
    points, numbers = compare.pelt_frames(file, "bend", FRAMES, ("cage",))["skin"]
    distances = compare.distances(of_blender, (points, numbers))
    size = compare.size(of_blender)
    moved = numpy.linalg.norm(of_blender - of_blender[:1], axis=2).max()
    print(f"PRINT {case.__name__}: max {distances.max() / size:.4f}, root of the mean square "
          f"{numpy.sqrt((distances ** 2).mean()) / size:.4f} of the size, at frame 0 {distances[0].max() / size:.2e}; "
          f"Blender moves it by {moved / size:.3f}")
    return distances.max() / size


LIMITS = {}


def cages():
    for case in cage_cases.CASES:
        addon.figure(case.__name__, measure(case), LIMITS.get(case.__name__, 0.5))


addon.run([cages])
