# SPDX-License-Identifier: MIT
"""Pelt for Python: binds models, and deforms character skin on the CPU into NumPy arrays.

    import pelt

    character, report = pelt.bind("builtin:biped")
    with pelt.Evaluator(character) as evaluator:
        positions = evaluator.deform(character.pose("flex", 1.3))

Manual: docs/python.md.
"""

from __future__ import annotations

from ._library import Error, library_path, version
from .binding import Bound, bind, learn, quality
from .character import TRANSFORM, Character, Clip, Control, Joint, Mesh, Pose, SkinPoint, Stream, load
from .evaluator import Evaluator, SkinHit

__all__ = [
    "TRANSFORM",
    "Bound",
    "Character",
    "Clip",
    "Control",
    "Error",
    "Evaluator",
    "Joint",
    "Mesh",
    "Pose",
    "SkinHit",
    "SkinPoint",
    "Stream",
    "bind",
    "learn",
    "library_path",
    "load",
    "quality",
    "version",
]
