#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the add-on's archive, which Blender installs (Preferences, Add-ons, Install): package.py OUT.zip

The archive includes the schema of rigs, from which the panels take keys, defaults, ranges and descriptions.
"""
import os
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "../../engine/authoring/rig/rig.schema.json")
DATE = (2026, 1, 1, 0, 0, 0)  # the same sources make the same bytes


def main(target):
    folder = os.path.join(HERE, "pelt_deformers")
    files = [(name, os.path.join(folder, name)) for name in os.listdir(folder) if name.endswith((".py", ".toml"))]
    files += [("rig.schema.json", SCHEMA), ("LICENSE", os.path.join(HERE, "../../LICENSE"))]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in sorted(files):
            with open(path, "rb") as file:
                archive.writestr(zipfile.ZipInfo("pelt_deformers/" + name, DATE), file.read(), zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
