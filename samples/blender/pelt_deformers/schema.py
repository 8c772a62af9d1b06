# SPDX-License-Identifier: MIT
"""The keys of a rig with their defaults, ranges and descriptions, from rig.schema.json."""
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
PLACES = (os.path.join(HERE, "rig.schema.json"), os.path.join(HERE, "../../../engine/authoring/rig/rig.schema.json"))
MESHES = ("mesh", "mesh_or_any", "mesh_or_muscle")

_schema = None


def schema():
    """The schema of rigs: the copy that package.py adds, or the engine's in Pelt's tree."""
    global _schema
    if _schema is None:
        for place in PLACES:
            if os.path.exists(place):
                with open(place, encoding="utf-8") as file:
                    _schema = json.load(file)
                break
        else:
            raise RuntimeError("rig.schema.json is not in the add-on: make the add-on again with package.py")
    return _schema


def resolve(node):
    """Follows a reference."""
    while "$ref" in node:
        described = {key: value for key, value in node.items() if key != "$ref"}
        node = {**schema()["$defs"][node["$ref"].rsplit("/", 1)[1]], **described}
    return node


def deformers():
    return schema()["$defs"]["layer"]["properties"]["deformer"]["enum"]


def leaves(deformer):
    """Returns {path: schema} of all values that a layer may have: parameters.local, mask.value, wires."""
    found = {}
    _collect(resolve({"$ref": f"#/$defs/{deformer}"}), "parameters.", found)
    _collect(resolve({"$ref": "#/$defs/mask"}), "mask.", found)
    found["wires"] = schema()["$defs"]["layer"]["properties"]["wires"]
    return found


def _collect(node, before, found):
    for key, value in node.get("properties", {}).items():
        value = resolve(value)
        if value.get("type") == "object" and value.get("properties") and value.get("default") == {}:
            _collect(value, f"{before}{key}.", found)
        else:
            found[before + key] = value


def number_range(node):
    """Least and greatest value of a number, or None if it may be something else."""
    for option in node.get("anyOf", [node]):
        if option.get("type") in ("number", "integer"):
            low = option.get("minimum", option.get("exclusiveMinimum", -3.4e38))
            return low, option.get("maximum", 3.4e38), option["type"]
    return None


def choices(node):
    """The words that a value may be."""
    words = list(node.get("enum", []))
    for option in node.get("anyOf", []):
        words += [option["const"]] if "const" in option else option.get("enum", [])
    return [word for word in words if isinstance(word, str)]


def wrong(value, node, path):
    """Returns a sentence on the first part of a value that the schema refuses, or None."""
    node = resolve(node)
    if "anyOf" in node and "type" not in node:
        sentences = [wrong(value, option, path) for option in node["anyOf"]]
        return None if None in sentences else sentences[0]
    if "const" in node and value != node["const"]:
        return f"{path}: {json.dumps(value)} is not {json.dumps(node['const'])}"
    if "enum" in node and value not in node["enum"]:
        return f"{path}: {json.dumps(value)} is not one of {', '.join(map(str, node['enum']))}"
    kind = node.get("type")
    if kind is not None and not _is(value, kind):
        return f"{path}: {json.dumps(value)} is not of type {kind}"
    if kind in ("number", "integer"):
        if value < node.get("minimum", value) or value > node.get("maximum", value):
            return f"{path}: {value} is out of its range"
        if "exclusiveMinimum" in node and value <= node["exclusiveMinimum"]:
            return f"{path}: {value} is not above {node['exclusiveMinimum']}"
    if kind == "object":
        return _wrong_member(value, node, path)
    if kind == "array":
        firsts = node.get("prefixItems", [])
        for i, item in enumerate(value):
            described = firsts[i] if i < len(firsts) else node.get("items", {})
            sentence = wrong(item, described, f"{path}/{i}")
            if sentence:
                return sentence
        if len(value) < node.get("minItems", 0) or len(value) > node.get("maxItems", len(value)):
            return f"{path}: a list of {len(value)}"
    return None


def _members(value, node):
    """The schemas of an object's members; those of a layer's parameters depend on its deformer."""
    known = node.get("properties", {})
    if "deformer" in known and value.get("deformer") in deformers():
        known = {**known, "parameters": {"$ref": f"#/$defs/{value['deformer']}", "default": {}}}
    return known


def _wrong_member(value, node, path):
    known = _members(value, node)
    for key, member in value.items():
        if key not in known:
            if node.get("additionalProperties", True) is False:
                return f"{path}: unknown key '{key}'"
            continue
        sentence = wrong(member, known[key], f"{path}/{key}")
        if sentence:
            return sentence
    for key in node.get("required", []):
        if key not in value:
            return f"{path}: '{key}' is missing"
    return None


def _is(value, kind):
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, {"string": str, "boolean": bool, "object": dict, "array": list}.get(kind, object))


def wrong_rig(rig):
    """Returns a sentence on the first part of a rig that the schema refuses, or None."""
    sentence = wrong(rig, schema(), "")
    return sentence and sentence.removeprefix(": ")  # the rig as a whole has no path


def each_name(value, node, visit, kinds):
    """Returns a copy of a value in which visit(kind, name) replaces every name of these kinds."""
    node = resolve(node)
    if isinstance(value, str):
        kind = node.get("x-names")
        return visit(kind, value) if kind in kinds and value else value
    if isinstance(value, list):
        inner = dict(node.get("items", {}))
        if "x-names" in node:
            inner.setdefault("x-names", node["x-names"])
        return [each_name(item, inner, visit, kinds) for item in value]
    if isinstance(value, dict):
        known = _members(value, node)
        return {key: each_name(member, known.get(key, {}), visit, kinds) for key, member in value.items()}
    return value


def each_name_of_rig(rig, visit, kinds):
    return each_name(rig, schema(), visit, kinds)


def without_defaults(value, node):
    """A copy without members that have their defaults, which `pelt bind` writes out."""
    node = resolve(node)
    if isinstance(value, list):
        return [without_defaults(item, node.get("items", {})) for item in value]
    if not isinstance(value, dict):
        return value
    known, kept = _members(value, node), {}
    for key, member in value.items():
        described = resolve(known.get(key, {}))
        member = without_defaults(member, described)
        if key in node.get("required", []) or "default" not in described or member != described["default"]:
            kept[key] = member
    return kept


def without_defaults_of_rig(rig):
    kept = without_defaults(rig, schema())
    for layer in kept["layers"]:
        layer.setdefault("target", "*")
    return kept
