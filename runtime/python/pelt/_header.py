# SPDX-License-Identifier: MIT
"""The declarations of the C API, read from its headers."""

from __future__ import annotations

import ctypes
import re
from ctypes import Structure, c_char_p, c_double, c_float, c_int32, c_size_t, c_uint32, c_void_p
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parent
_SOURCES = _PACKAGE.parents[1] / "c"  # of a package that is not installed
_FOLDERS = (_PACKAGE, _SOURCES / "include/pelt", _SOURCES / "authoring/include/pelt")


class Header:
    """A header of this package. It leaves out what has types that the package does not use, such as Vulkan's."""

    def __init__(self, name: str) -> None:
        text = next(folder / name for folder in _FOLDERS if (folder / name).exists()).read_text(encoding="utf-8")
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        text = re.sub(r"[\w*]+ \(\*(\w+)\)\([^)]*\)", r"void* \1", text)  # pointers to functions
        self._types: dict[str, Any] = {
            **{"void": None, "uint32_t": c_uint32, "pelt_result": c_int32, "size_t": c_size_t},
            **{"float": c_float, "double": c_double},
            **{pointer: c_void_p for pointer in re.findall(r"typedef void\* (\w+);", text)},
        }
        self.abi = int(re.findall(r"#define \w+_ABI_VERSION (\d+)", text)[0])
        self.structs: dict[str, Any] = {}
        for struct, fields in re.findall(r"typedef struct (\w+) \{(.*?)\} \w+;", text, re.DOTALL):
            try:
                members = [self._field(field) for field in fields.split(";")[:-1]]
            except KeyError:
                continue
            self.structs[struct] = self._types[struct] = type(struct, (Structure,), {"_fields_": members})
        #: The types of the result and of the arguments of each function.
        self.functions: dict[str, tuple[Any, list[Any]]] = {}
        for result, function, arguments in re.findall(r"PELT_API ([\w* ]+?)(\w+)\(([^)]*)\);", text):
            try:
                kinds = [self._field(argument)[1] for argument in arguments.split(",") if argument != "void"]
                self.functions[function] = self._type(result), kinds
            except KeyError:
                continue

    def _type(self, declared: str) -> Any:
        kind = declared.replace("const ", "").strip()
        if kind == "char*":
            return c_char_p
        return c_void_p if kind.endswith("*") else self._types[kind]

    def _field(self, declared: str) -> tuple[str, Any]:
        """Returns the name and the type of a field or of an argument."""
        kind, name, count = re.findall(r"(.+?)(\w+)(?:\[(\d+)\])?$", declared.strip())[0]
        return name, self._type(kind) * int(count) if count else self._type(kind)

    def new(self, struct: str, **fields: Any) -> Any:
        """Returns a struct; the others of its fields are 0, except for its size."""
        made = self.structs[struct](**fields)
        if hasattr(made, "struct_size"):
            made.struct_size = ctypes.sizeof(made)
        return made
