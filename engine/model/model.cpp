// SPDX-License-Identifier: MIT
#include <algorithm>

#include <pelt/model.h>

namespace pelt {

const Mesh* Model::find_mesh(std::string_view mesh_name) const {
  const auto found =
      std::find_if(meshes.begin(), meshes.end(), [&](const Mesh& mesh) { return mesh.name == mesh_name; });
  return found == meshes.end() ? nullptr : &*found;
}

}  // namespace pelt
