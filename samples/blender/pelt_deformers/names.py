# SPDX-License-Identifier: MIT
"""Names that a file gives to meshes and joints, which are final only once all its nodes exist.

Nodes, meshes and scenes are those of a glTF file's JSON, or objects of the glTF add-on with the same attributes.
"""


def mesh_nodes(nodes, meshes, roots):
    """Yields (number of a node, name of the mesh that it shows) in Pelt's order and names: a#2 is the second 'a'."""
    taken = {}
    for number in walk(nodes, roots):
        mesh = _of(nodes[number], "mesh")
        if mesh is None:
            continue
        name = _of(nodes[number], "name") or _of(meshes[mesh], "name") or f"mesh_{mesh}"
        taken[name] = taken.get(name, 0) + 1
        yield number, name if taken[name] == 1 else f"{name}#{taken[name]}"


def walk(nodes, roots):
    """Yields the numbers of these nodes and of all below them, parents first."""
    waiting = list(reversed(roots))
    while waiting:
        number = waiting.pop()
        yield number
        waiting.extend(reversed(_of(nodes[number], "children") or []))


def roots_of(scenes, default):
    """The nodes that the default scene, or else the first one, lists."""
    return (_of(scenes[max(default or 0, 0)], "nodes") or []) if scenes else []


def repeated_nodes(nodes, roots):
    """Names that several nodes share."""
    seen, repeated = set(), set()
    for number in walk(nodes, roots):
        name = _of(nodes[number], "name")
        (repeated if name in seen else seen).add(name)
    return repeated


def _of(thing, key):
    return thing.get(key) if isinstance(thing, dict) else getattr(thing, key)
