# SPDX-License-Identifier: MIT
"""The keys of a rig with their defaults, ranges and meanings, from rig.schema.json."""
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
PLACES = (os.path.join(HERE, "rig.schema.json"), os.path.join(HERE, "../../../engine/authoring/rig/rig.schema.json"))
MESHES = ("mesh", "mesh_or_any", "mesh_or_muscle")

_schema = None


def schema():
    """The schema of rigs; package.py copies it into the add-on, and in Pelt's tree it is the engine's."""
    global _schema
    if _schema is None:
        for place in PLACES:
            if os.path.exists(place):
                with open(place, encoding="utf-8") as file:
                    _schema = json.load(file)
                break
        else:
            raise RuntimeError("rig.schema.json is not in the add-on: make it anew by package.py")
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
    """Returns {path: what the schema says of it} of all that a layer may say: parameters.local, mask.value, wires."""
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
    """Least and greatest value of a number, or None for what is no number alone."""
    for option in node.get("anyOf", [node]):
        if option.get("type") in ("number", "integer"):
            low = option.get("minimum", option.get("exclusiveMinimum", -3.4e38))
            return low, option.get("maximum", 3.4e38), option["type"]
    return None


def choices(node):
    """Words that a value may be."""
    words = list(node.get("enum", []))
    for option in node.get("anyOf", []):
        words += [option["const"]] if "const" in option else option.get("enum", [])
    return [word for word in words if isinstance(word, str)]


def wrong(value, node, place):
    """Returns a sentence on the first thing in a value that the schema refuses, or None."""
    node = resolve(node)
    if "anyOf" in node and "type" not in node:
        sentences = [wrong(value, option, place) for option in node["anyOf"]]
        return None if None in sentences else sentences[0]
    if "const" in node and value != node["const"]:
        return f"{place}: {json.dumps(value)} is not {json.dumps(node['const'])}"
    if "enum" in node and value not in node["enum"]:
        return f"{place}: {json.dumps(value)} is none of {', '.join(map(str, node['enum']))}"
    kind = node.get("type")
    if kind is not None and not _is(value, kind):
        return f"{place}: {json.dumps(value)} is no {kind}"
    if kind in ("number", "integer"):
        if value < node.get("minimum", value) or value > node.get("maximum", value):
            return f"{place}: {value} is out of its range"
        if "exclusiveMinimum" in node and value <= node["exclusiveMinimum"]:
            return f"{place}: {value} is not above {node['exclusiveMinimum']}"
    if kind == "object":
        return _wrong_member(value, node, place)
    if kind == "array":
        firsts = node.get("prefixItems", [])
        for i, item in enumerate(value):
            described = firsts[i] if i < len(firsts) else node.get("items", {})
            sentence = wrong(item, described, f"{place}/{i}")
            if sentence:
                return sentence
        if len(value) < node.get("minItems", 0) or len(value) > node.get("maxItems", len(value)):
            return f"{place}: a list of {len(value)}"
    return None


def _members(value, node):
    """What the schema says of the members of an object: of a layer's parameters by its deformer."""
    known = node.get("properties", {})
    if "deformer" in known and value.get("deformer") in deformers():
        known = {**known, "parameters": {"$ref": f"#/$defs/{value['deformer']}", "default": {}}}
    return known


def _wrong_member(value, node, place):
    known = _members(value, node)
    for key, member in value.items():
        if key not in known:
            if node.get("additionalProperties", True) is False:
                return f"{place}: unknown key '{key}'"
            continue
        sentence = wrong(member, known[key], f"{place}/{key}")
        if sentence:
            return sentence
    for key in node.get("required", []):
        if key not in value:
            return f"{place}: '{key}' is missing"
    return None


def _is(value, kind):
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, {"string": str, "boolean": bool, "object": dict, "array": list}.get(kind, object))


def wrong_rig(rig):
    """Returns a sentence on the first thing in a rig that the schema refuses, or None."""
    sentence = wrong(rig, schema(), "")
    return sentence and sentence.removeprefix(": ")  # what is wrong with the whole has no place


def each_name(value, node, visit, kinds):
    """Returns a copy of a value in which visit(kind, name) takes the place of every name of these kinds."""
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
    """A copy without members that have their defaults, which `pelt bind` spells out."""
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
