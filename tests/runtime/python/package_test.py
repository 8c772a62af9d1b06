# SPDX-License-Identifier: MIT
"""Tests of the installed package `pelt`. The environment names the programs of the build that it is compared with."""

from __future__ import annotations

import ast
import compileall
import ctypes
import functools
import gc
import inspect
import json
import math
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import typing
import unittest
from pathlib import Path

import numpy as np

import pelt
from pelt import _header

PROGRAM = os.environ["PELT_PROGRAM"]


def run(*arguments: str) -> str:
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


@functools.lru_cache(maxsize=None)
def bytes_of(model: str) -> bytes:
    return pelt.bind(model).character.to_bytes()


def bound(model: str) -> pelt.Character:
    """Returns a built-in model as the default rig binds it."""
    return pelt.load(bytes_of(model))


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Package(unittest.TestCase):
    def test_is_the_installed_one(self) -> None:
        folder = Path(pelt.__file__).parent
        self.assertIn("site-packages", str(folder))
        self.assertEqual(Path(pelt.library_path()).parent, folder)
        self.assertTrue((folder / "py.typed").exists())
        self.assertRegex(pelt.version(), r"^\d+\.\d+\.\d+$")

    def test_compiles(self) -> None:
        folder = Path(pelt.__file__).parent
        self.assertTrue(compileall.compile_dir(folder, quiet=1, force=True))
        for file in folder.glob("*.py"):
            ast.parse(file.read_text(), feature_version=(3, 10))

    def test_has_annotations_throughout(self) -> None:
        functions = []
        for name in pelt.__all__:
            item = getattr(pelt, name)
            if inspect.isfunction(item):
                functions.append((name, item))
            elif inspect.isclass(item):
                for member, value in vars(item).items():
                    if member.startswith("__") and member not in ("__init__", "__enter__", "__exit__"):
                        continue  # many are made by dataclasses
                    function = value.fget if isinstance(value, property) else value
                    if inspect.isfunction(function) and function.__module__.startswith("pelt"):
                        functions.append((f"{name}.{member}", function))
        self.assertGreater(len(functions), 50)
        for name, function in functions:
            hints = function.__annotations__
            self.assertIn("return", hints, name)
            for parameter in inspect.signature(function).parameters:
                if parameter != "self":
                    self.assertIn(parameter, hints, f"{name}({parameter})")
        for name in ("bind", "learn", "load", "quality"):
            typing.get_type_hints(getattr(pelt, name))  # they exist

    def test_has_the_fields_of_the_headers(self) -> None:
        headers = (_header.Header("pelt.h"), _header.Header("pelt_binder.h"))
        structs = {**headers[0].structs, **headers[1].structs}
        # Fields of the same types in the same order lie at the same places for ctypes and for compilers.
        sizes = {"uint32_t": 4, "float": 4, **{name: ctypes.sizeof(item) for name, item in structs.items()}}
        folder = Path(__file__).parents[1]
        lists = (f"c_abi_{headers[0].abi}.txt", f"binder_abi_{headers[1].abi}.txt")
        text = "".join((folder / name).read_text() for name in lists)
        for name, item in structs.items():
            expected = []
            for field in re.findall(rf"^struct {name}: (.+)$", text, re.M)[0].split(" | "):
                field = re.sub(r".*\(\*(\w+)\).*", r"function* \1", field)
                kind, declared, count = re.findall(r"(.+) (\w+)(?:\[(\d+)\])?$", field)[0]
                size = sizes.get(kind, ctypes.sizeof(ctypes.c_void_p))
                expected.append((declared, size * int(count or 1), kind == "float"))
            has = [
                (field, ctypes.sizeof(kind), getattr(kind, "_type_", None) in ("f", ctypes.c_float))
                for field, kind, *_ in item._fields_
            ]
            self.assertEqual(has, expected, name)


class Libraries(unittest.TestCase):
    def import_with(self, library: str) -> str:
        """Returns the error of a program that asks for a library."""
        code = "import pelt\ntry: pelt.version()\nexcept pelt.Error as error: print(error)"
        return subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PELT_LIBRARY": library},
        ).stdout

    def test_of_another_abi_are_named(self) -> None:
        other = os.environ["PELT_OTHER_ABI"]
        self.assertIn(f"{other}: the library has ABI 99; this package needs ABI 5", self.import_with(other))

    def test_that_are_none_are_named(self) -> None:
        self.assertIn("libm.so.6: the library has no pelt_abi_version", self.import_with("libm.so.6"))
        self.assertIn("/none/libpelt.so: cannot be loaded", self.import_with("/none/libpelt.so"))


class Characters(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name: str) -> str:
        return os.path.join(self.folder.name, name)

    def test_are_bound_as_the_command_line_binds(self) -> None:
        file = self.file("arm.pelt")
        printed = json.loads(run(PROGRAM, "bind", "builtin:arm", "--json", "-o", file))
        seen: list[float] = []
        character, report = pelt.bind("builtin:arm", progress=lambda fraction, _: seen.append(fraction))
        self.assertEqual(character.to_bytes(), Path(file).read_bytes())
        for changed in ("seconds", "output"):
            self.assertIn(changed, report)
            del report[changed], printed[changed]
        self.assertEqual(report, printed)
        self.assertGreater(len(seen), 1)

    def test_are_bound_by_rigs_in_every_form(self) -> None:
        rig = {"format": "pelt-rig 1", "layers": [{"deformer": "dual_quaternion"}]}
        file = self.file("rig.json")
        Path(file).write_text(json.dumps(rig))
        forms = (rig, json.dumps(rig), file, Path(file))
        self.assertEqual(len({pelt.bind("builtin:limb", rig=form).character.to_bytes() for form in forms}), 1)
        by_name = pelt.bind("builtin:limb", deformer="dual-quaternion")
        self.assertEqual(by_name.report["meshes"][0]["deformer"], "dual_quaternion")
        with self.assertRaisesRegex(pelt.Error, "at most one of rig"):
            pelt.bind("builtin:limb", rig=rig, deformer="mos")
        with self.assertRaisesRegex(pelt.Error, "rig: /layers/0: the key 'deformer' is missing"):
            pelt.bind("builtin:limb", rig={"format": "pelt-rig 1", "layers": [{"deformr": "mos"}]})

    def test_make_weights_if_asked(self) -> None:
        report = pelt.bind("builtin:limb", deformer="linear-blend", paint=True).report
        self.assertIn("weights were made for 'limb'", str(report["notes"]))

    def test_are_measured_as_the_command_line_measures(self) -> None:
        printed = json.loads(
            run(PROGRAM, "quality", "--model", "builtin:arm", "--deformer", "surface-ffd", "--frames", "2", "--json")
        )
        self.assertEqual(pelt.quality("builtin:arm", deformers=["surface-ffd"], frames=2), printed)

    def test_raise_what_progress_raised(self) -> None:
        def stop(_fraction: float, _what: str) -> None:
            raise KeyError("enough")

        for function in (pelt.bind, pelt.quality):
            with self.assertRaisesRegex(KeyError, "enough") as caught:
                function("builtin:limb", progress=stop)
            cause = caught.exception.__cause__
            self.assertIsInstance(cause, pelt.Error, "the library worked on to its end")
            self.assertIn("stopped", str(cause))

    def test_are_stopped_by_ctrl_c(self) -> None:
        begun = threading.Event()

        def press() -> None:
            begun.wait()
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

        pressing = threading.Thread(target=press)
        pressing.start()
        with self.assertRaises(KeyboardInterrupt) as caught:
            pelt.bind("builtin:biped", progress=lambda _fraction, _what: begun.set())
        pressing.join()
        cause = caught.exception.__cause__
        self.assertIsInstance(cause, pelt.Error, "the library worked on to its end")
        self.assertIn("stopped", str(cause))

    def test_say_what_is_in_them(self) -> None:
        character = bound("builtin:biped")
        told = json.loads(run(PROGRAM, "info", "builtin:biped", "--json"))
        self.assertEqual(len(character.joints), len(told["joints"]))
        self.assertEqual([clip.name for clip in character.clips], [clip["name"] for clip in told["clips"]])
        self.assertEqual(character.joints[0].parent, None)
        names = [joint.name for joint in character.joints]
        self.assertEqual(character.joint_index("left_forearm"), names.index("left_forearm"))
        for joint in character.joints[1:]:
            assert joint.parent is not None
            self.assertLess(joint.parent, names.index(joint.name))
        body = character.meshes[character.mesh_index("body")]
        self.assertEqual(sorted(body.source_vertex.tolist()), list(range(body.vertex_count)))
        self.assertEqual(body.model_triangles.shape, body.triangles.shape)
        least, greatest = character.bounds
        self.assertAlmostEqual(float(np.linalg.norm(greatest - least)), character.size, places=5)
        with self.assertRaisesRegex(pelt.Error, "there is no joint 'tail'") as caught:
            character.joint_index("tail")
        self.assertEqual(caught.exception.result, 2)

    def test_give_bind_matrices_as_they_are_multiplied(self) -> None:
        character = bound("builtin:arm")
        rest = character.pose().joints
        for index, joint in enumerate(character.joints):
            if joint.inverse_bind is not None:
                np.testing.assert_allclose(rest[index] @ joint.inverse_bind, np.eye(4), atol=1e-5)

    def test_are_placed_by_transforms(self) -> None:
        character = bound("builtin:biped")
        transforms = character.transforms("flex", 1.3)
        np.testing.assert_array_equal(character.place(transforms), character.pose("flex", 1.3).joints)
        before = character.place(transforms)
        elbow = character.joint_index("left_forearm")
        transforms["translation"][elbow] += (0, 0, 1)
        moved = [j for j in range(len(transforms)) if not np.array_equal(character.place(transforms)[j], before[j])]
        self.assertIn(elbow, moved)
        self.assertLess(len(moved), len(transforms) // 2)
        with self.assertRaisesRegex(pelt.Error, "pelt.TRANSFORM"):
            character.place(np.zeros((3, 10), np.float32))

    def test_show_their_memory_without_copies(self) -> None:
        character = bound("builtin:limb")
        mesh = character.meshes[0]
        again = character._mesh(character.handle, 0)
        for array, other in (
            (mesh.triangles, again.triangles),
            (mesh.rest_positions, again.rest_positions),
            (mesh.source_vertex, again.source_vertex),
        ):
            self.assertTrue(np.shares_memory(array, other))
            self.assertFalse(array.flags.writeable)
        positions = mesh.rest_positions
        before = positions.copy()
        character.close()
        del character, mesh, again, array, other
        gc.collect()
        np.testing.assert_array_equal(positions, before)

    def test_are_read_from_bytes_and_files(self) -> None:
        character = bound("builtin:limb")
        data = character.to_bytes()
        file = self.file("limb.pelt")
        character.save(file)
        self.assertEqual(Path(file).read_bytes(), data)
        for source in (file, Path(file), data, bytearray(data), memoryview(data)):
            self.assertEqual(pelt.load(source).vertex_count, character.vertex_count)

    def test_refuse_what_is_broken(self) -> None:
        with self.assertRaisesRegex(pelt.Error, "none.pelt: no such file") as caught:
            pelt.load(self.file("none.pelt"))
        self.assertEqual(caught.exception.result, 2)
        data = bytes_of("builtin:limb")
        for broken in (b"", b"PELT", data[:-1], data[: len(data) // 2], data[:200] + b"\xff" * 64 + data[264:]):
            with self.assertRaisesRegex(pelt.Error, "test.pelt"):
                pelt.load(broken, "test.pelt")
        with self.assertRaisesRegex(pelt.Error, "must be a path or bytes"):
            pelt.load(7)  # type: ignore[arg-type]
        with self.assertRaisesRegex(pelt.Error, "contiguous"):
            pelt.load(memoryview(data)[::2])
        with self.assertRaisesRegex(pelt.Error, "null character"):
            pelt.load("a\0b")
        with self.assertRaisesRegex(pelt.Error, "level 1 does not exist: there are 1"):
            pelt.load(data).at_level(1)

    def test_are_an_error_when_closed(self) -> None:
        with bound("builtin:limb") as character:
            self.assertFalse(character.closed)
        self.assertTrue(character.closed)
        for use in (
            lambda: character.name,
            lambda: character.size,
            lambda: character.joints,
            lambda: character.meshes,
            lambda: character.clips,
            lambda: character.controls,
            lambda: character.streams,
            character.pose,
            character.transforms,
            character.to_bytes,
            lambda: character.joint_index("x"),
            lambda: pelt.Evaluator(character),
        ):
            with self.assertRaisesRegex(pelt.Error, "the character is closed"):
                use()
        character.close()
        self.assertIn("closed", repr(character))


class Evaluators(unittest.TestCase):
    def test_deform_as_the_command_line_deforms(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file, cache = os.path.join(folder, "biped.pelt"), os.path.join(folder, "biped.pc2")
            bound("builtin:biped").save(file)
            run(PROGRAM, "deform", file, "--clip", "flex", "--frames", "0:5", "--backend", "cpu", "-o", cache)
            data = Path(cache).read_bytes()
            magic, _, points, _, _, samples = struct.unpack_from("<12siiffi", data)
            self.assertEqual((magic, samples), (b"POINTCACHE2\0", 6))
            expected = np.frombuffer(data, "<f4", offset=32).reshape(samples, points, 3)
            character = pelt.load(file)
            out = np.empty((points, 3), np.float32)
            with pelt.Evaluator(character) as evaluator:
                for frame in range(samples):
                    given = evaluator.deform(character.pose("flex", frame / 24), out)
                    self.assertIs(given, out)
                    self.assertEqual(out.tobytes(), expected[frame].tobytes())
            self.assertFalse(np.array_equal(expected[0], expected[5]))

    def test_write_into_parts_of_arrays(self) -> None:
        character = bound("builtin:limb")
        count = sum(mesh.vertex_count for mesh in character.skins)
        buffer = np.full((count, 12), 7, np.float32)  # position, normal, tangent, two more
        with pelt.Evaluator(character, tension=True) as evaluator:
            evaluator.deform(character.pose("bend", 1))
            self.assertTrue(evaluator.tension.min() < -5 and evaluator.tension.max() > 5)
            pose = character.pose()
            positions = evaluator.deform(pose)
            self.assertFalse(evaluator.tension.any())
            evaluator.vertices(buffer[:, :3], normals=buffer[:, 3:6], tangents=buffer[:, 6:10])
            np.testing.assert_array_equal(buffer[:, :3], positions)
            np.testing.assert_allclose(np.linalg.norm(buffer[:, 3:6], axis=1), 1, atol=1e-5)
            np.testing.assert_array_equal(abs(buffer[:, 9]), 1)
            np.testing.assert_array_equal(buffer[:, 10:], 7)
            # By each of both orders: the model's, and the character's, whose numbers the mesh has.
            mesh = character.skins[0]
            mine = evaluator.vertices(mesh=mesh.name, order="character")
            np.testing.assert_array_equal(positions[: mesh.vertex_count][mesh.source_vertex], mine)
            self.assertTrue(np.shares_memory(evaluator.positions, evaluator.positions))
            self.assertFalse(evaluator.positions.flags.writeable)
            np.testing.assert_array_equal(
                evaluator.positions[mesh.first_vertex : mesh.first_vertex + mesh.vertex_count], mine
            )

    def test_take_matrices_of_any_layout(self) -> None:
        character = bound("builtin:limb")
        joints = character.pose().joints.copy()
        turn = np.eye(4, dtype=np.float64)
        turn[:3, 3] = (1, 2, 3)
        with pelt.Evaluator(character) as evaluator:
            rest = evaluator.deform(joints)
            moved = turn @ joints
            expected = evaluator.deform(np.asarray(moved, np.float32))
            np.testing.assert_allclose(expected, rest + (1, 2, 3), atol=1e-4)
            for other in (moved, moved.tolist(), np.asfortranarray(moved)):
                np.testing.assert_array_equal(evaluator.deform(other), expected)

    def test_refuse_arrays_that_do_not_fit(self) -> None:
        character = bound("builtin:limb")
        count = character.skins[0].vertex_count
        joints = character.pose().joints
        frozen = np.empty((count, 3), np.float32)
        frozen.flags.writeable = False
        with pelt.Evaluator(character) as evaluator:
            for out, why in (
                (np.empty((count, 3), np.float64), "out has the type float64, and must have float32"),
                (np.empty((count, 3), ">f4"), "out has the type >f4"),
                (np.empty((count, 4), np.float32), r"out has the shape \(\d+, 4\)"),
                (np.empty((count - 1, 3), np.float32), f"out has {count - 1} vertices, and must have {count}"),
                (np.empty((3, count), np.float32).T, "must be contiguous"),
                (np.empty((2 * count, 3), np.float32)[::-2], "must be contiguous"),
                (np.broadcast_to(np.empty((1, 3), np.float32), (count, 3)), "cannot be written to"),
                (np.lib.stride_tricks.as_strided(np.empty(3, np.float32), (count, 3), (0, 4)), "must be contiguous"),
                (frozen, "cannot be written to"),
                ([[0.0, 0.0, 0.0]], "out is a list, and must be a NumPy array"),
            ):
                with self.assertRaisesRegex(pelt.Error, why):
                    evaluator.deform(joints, out)  # type: ignore[arg-type]
            for given, why in (
                (np.eye(4), r"joints have the shape \(4, 4\)"),
                (joints[:1], "got 1 joints, expected"),
                (np.full((2, 4, 4), "x"), "joints are of the type"),
                ([[1], [1, 2]], "joints"),
            ):
                with self.assertRaisesRegex(pelt.Error, why):
                    evaluator.deform(given)
            with self.assertRaisesRegex(pelt.Error, "inputs, expected"):
                evaluator.set_inputs(np.zeros(999))
            with self.assertRaisesRegex(pelt.Error, "no control is called 'smile'"):
                evaluator.set_control("smile", 1)
            with self.assertRaisesRegex(pelt.Error, "no mesh is called 'coat'"):
                evaluator.vertices(mesh="coat")
            with self.assertRaisesRegex(pelt.Error, "unknown order 'mine'"):
                evaluator.vertices(order="mine")
            with self.assertRaisesRegex(pelt.Error, "unknown detail 'some'"):
                evaluator.set_detail("some")
        plain = pelt.Evaluator(character, normals=False)
        with self.assertRaisesRegex(pelt.Error, "nothing was evaluated yet"):
            plain.vertices()
        with self.assertRaisesRegex(pelt.Error, "the evaluator was made without normals"):
            plain.deform(normals=np.empty((count, 3), np.float32))

    def test_are_moved_by_controls(self) -> None:
        character = pelt.bind("builtin:arm", deformer="curve-skeleton").character
        twists = [control for control in character.controls if control.kind == "twist"]
        self.assertTrue(twists)
        with pelt.Evaluator(character) as evaluator:
            rest = evaluator.deform(character.pose())
            evaluator.set_control(twists[-1].name, 2 * math.pi)  # joint matrices cannot tell it from no turn
            self.assertFalse(np.array_equal(evaluator.deform(), rest))
            evaluator.set_inputs(character.pose().inputs)
            np.testing.assert_array_equal(evaluator.deform(), rest)

    def test_are_an_error_when_closed(self) -> None:
        character = bound("builtin:limb")
        with pelt.Evaluator(character) as evaluator:
            evaluator.evaluate()
            positions = evaluator.positions
            before = positions.copy()
        self.assertTrue(evaluator.closed)
        for use in (
            evaluator.evaluate,
            evaluator.deform,
            evaluator.vertices,
            evaluator.teleport,
            lambda: evaluator.pose(character.pose()),
            lambda: evaluator.positions,
        ):
            with self.assertRaisesRegex(pelt.Error, "the evaluator is closed"):
                use()
        gc.collect()
        np.testing.assert_array_equal(positions, before)  # the view keeps its memory
        with self.assertRaisesRegex(pelt.Error, "must be a pelt.Character"):
            pelt.Evaluator("limb")  # type: ignore[arg-type]

    def test_do_not_grow(self) -> None:
        character = bound("builtin:limb")
        pose = character.pose()
        with pelt.Evaluator(character) as evaluator:
            out = evaluator.deform(pose)

            def use() -> None:
                for _ in range(1000):
                    evaluator.deform(pose, out)
                for _ in range(100):
                    with pelt.Evaluator(character) as other:
                        other.deform(character.pose("bend", 0.5) if character.clips else None)
                    character.to_bytes()

            use()
            gc.collect()
            before = resident_bytes()
            use()
            gc.collect()
            self.assertLess(resident_bytes() - before, 1 << 20)

    def test_work_beside_each_other(self) -> None:
        character = bound("builtin:arm")
        pose = character.pose()
        with pelt.Evaluator(character) as evaluator:
            expected = evaluator.deform(pose)
            wrong: list[int] = []

            def use(shared: bool) -> None:
                used = evaluator if shared else pelt.Evaluator(character)
                for i in range(50):
                    if not np.array_equal(used.deform(pose), expected):
                        wrong.append(i)

            threads = [threading.Thread(target=use, args=(shared,)) for shared in (True, True, False, False)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
