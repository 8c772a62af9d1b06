// SPDX-License-Identifier: MIT
// EXT_mesh_gpu_instancing: a node that shows its mesh many times.
#pragma once

#include <pelt/result.h>

#include "engine/authoring/model/gltf/accessor.h"
#include "engine/authoring/model/gltf/document.h"

namespace pelt {

// Replaces each instance by a child of its node, which loses the mesh: the child has the mesh, the node's weights of
// morph targets, and the channels that animate them. Notes unread attributes of instances. Errors: attributes that
// cannot be read, of wrong types or different counts, a skin, a file that gets too large.
Result<void> expand_instances(GltfDocument& document, AccessorChecker& accessors);

}  // namespace pelt
