# SPDX-License-Identifier: MIT
"""Tests of learning in the installed package `pelt`."""

from __future__ import annotations

import functools
import json
import tempfile
import unittest
from pathlib import Path

import pelt
from package_test import PROGRAM, run


class Learnt(unittest.TestCase):
    def test_as_the_command_line_learns(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            cache, file = str(Path(folder, "bend.pc2")), Path(folder, "learnt.pelt")
            how = "--deformer surface-ffd --no-check --clip bend --fps 8 --frames 0:15 --backend cpu -o"
            run(PROGRAM, "deform", "builtin:limb", *how.split(), cache)
            how = "--deformer linear-blend --fps 8 --within 0.01 --budget 200000 --json --poses bend --cache"
            printed = json.loads(run(PROGRAM, "learn", "builtin:limb", *how.split(), cache, "-o", str(file)))
            learn = functools.partial(pelt.learn, "builtin:limb", [(cache, "bend")], deformer="linear-blend", fps=8)
            character, certificate = learn(within=0.01, budget=200000)
            self.assertEqual(character.to_bytes(), file.read_bytes())
            self.assertEqual(certificate, printed)
            self.assertGreater(certificate["shapes"], 0)

            def stop(_fraction: float, _what: str) -> None:
                raise KeyError("enough")

            with self.assertRaisesRegex(KeyError, "enough") as caught:
                learn(progress=stop)
            self.assertIn("stopped", str(caught.exception.__cause__))
            for key in ("budget", "threads", "within"):
                with self.assertRaisesRegex(pelt.Error, key):
                    learn(**{key: -1})
        with self.assertRaisesRegex(pelt.Error, "there is no cache to learn from"):
            pelt.learn("builtin:limb", [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
