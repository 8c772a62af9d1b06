# SPDX-License-Identifier: MIT
"""Tests of points of the skin in the installed package `pelt`."""

from __future__ import annotations

import unittest

import numpy as np
import pelt
from package_test import bound


class SkinPoints(unittest.TestCase):
    def test_move_with_the_skin(self) -> None:
        character = bound("builtin:limb")
        mesh = character.skins[0]
        triangle = mesh.triangles[100]
        point = character.nearest_point(mesh.rest_positions[triangle].mean(axis=0))
        with pelt.Evaluator(character) as evaluator:
            with self.assertRaisesRegex(pelt.Error, "nothing was evaluated yet"):
                evaluator.frame(point)
            evaluator.deform(character.pose("bend", 0.4))
            frame = evaluator.frame(point)
            corners = evaluator.positions[mesh.first_vertex + mesh.triangles[point.triangle]]
            np.testing.assert_allclose(frame[:, 3], point.barycentric @ corners, atol=1e-5)
            np.testing.assert_allclose(frame[:, :3].T @ frame[:, :3], np.eye(3), atol=1e-5)
            vertex = evaluator.frame(mesh=mesh.name, vertex=3)
            np.testing.assert_allclose(vertex[:, 2], evaluator.normals[mesh.first_vertex + 3], atol=1e-5)
            # A ray from outside, against the normal, and the nearest point, find the same point.
            origin = frame[:, 3] + 0.001 * frame[:, 2]
            hit, nearest = evaluator.ray(origin, -frame[:, 2]), evaluator.nearest(origin)
            assert hit is not None and nearest is not None
            np.testing.assert_allclose(hit.position, frame[:, 3], atol=1e-4)
            np.testing.assert_allclose(nearest.position, frame[:, 3], atol=1e-3)
            self.assertIsNone(evaluator.ray(origin, -frame[:, 2], longest=1e-5))
            for wrong, why in (
                (lambda: evaluator.frame(), "a frame is that of a point, of a vertex or of an anchor"),
                (lambda: evaluator.frame(pelt.SkinPoint(9, 0, (1, 0, 0))), "mesh 9 does not exist"),
                (lambda: evaluator.ray((0, 0, 0), (0, 0, 0)), "the direction of the ray is 0"),
                (lambda: evaluator.nearest((0, 0)), r"position has the shape \(2,\)"),
            ):
                with self.assertRaisesRegex(pelt.Error, why):
                    wrong()

    def test_have_names_if_they_are_anchors(self) -> None:
        anchors = [{"name": "tip", "near": [9, 0, 0]}, {"name": "root", "near": [-9, 0, 0]}]
        rig = {"format": "pelt-rig 1", "layers": [{"deformer": "linear_blend"}], "anchors": anchors}
        character = pelt.bind("builtin:limb", rig=rig).character
        self.assertEqual(character.anchors, ("tip", "root"))
        self.assertEqual(character.anchor_index("root"), 1)
        with pelt.Evaluator(character) as evaluator:
            evaluator.evaluate_controls()
            frame = evaluator.frame(character.nearest_point((9, 0, 0)))
            np.testing.assert_array_equal(evaluator.frame(anchor="tip"), frame)
            np.testing.assert_array_equal(evaluator.frame(anchor=0), frame)
            with self.assertRaisesRegex(pelt.Error, "no anchor is called 'tipp'"):
                evaluator.frame(anchor="tipp")


if __name__ == "__main__":
    unittest.main(verbosity=2)
