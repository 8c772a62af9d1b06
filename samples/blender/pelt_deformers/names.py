# SPDX-License-Identifier: MIT
"""Names that a file gives to meshes and joints, which are final only once all its nodes are there."""


def mesh_names(plan):
    """{index of a node: name of the mesh that it shows} of the default scene, by Pelt's rule: a#2 is the second 'a'."""
    names, taken = {}, {}
    for number in walk(plan):
        node = plan.nodes[number]
        if node.mesh is None:
            continue
        name = node.name or plan.meshes[node.mesh].name or f"mesh_{node.mesh}"
        taken[name] = taken.get(name, 0) + 1
        names[number] = name if taken[name] == 1 else f"{name}#{taken[name]}"
    return names


def walk(plan):
    """The nodes of the default scene, parents first."""
    if not plan.scenes:
        return
    waiting = list(reversed(plan.scenes[max(plan.scene, 0)].nodes or []))
    while waiting:
        number = waiting.pop()
        yield number
        waiting.extend(reversed(plan.nodes[number].children or []))


def repeated_nodes(plan):
    """Names that several nodes of the default scene have."""
    seen, repeated = set(), set()
    for number in walk(plan):
        name = plan.nodes[number].name
        (repeated if name in seen else seen).add(name)
    return repeated
