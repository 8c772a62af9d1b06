/* SPDX-License-Identifier: MIT */
/* A tool outside of Pelt's build, in C: binds a built-in model and writes the character. */
#include <stdio.h>

#include <pelt/pelt_binder.h>

int main(int argc, char** argv) {
  if (argc != 2 || pelt_binder_abi_version() != PELT_BINDER_ABI_VERSION) return 2;
  pelt_binder_bind_options options = {.struct_size = sizeof(options), .deformer = "dual-quaternion"};
  pelt_binder_output* output = NULL;
  const void* bytes = NULL;
  size_t size = 0;
  if (pelt_binder_bind("builtin:limb", &options, &output) != PELT_OK ||
      pelt_binder_get_character(output, &bytes, &size) != PELT_OK) {
    fprintf(stderr, "%s\n", pelt_binder_last_error());
    return 1;
  }
  FILE* file = fopen(argv[1], "wb");
  if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) return 1;
  printf("bound by Pelt %s\n", pelt_binder_version_string());
  pelt_binder_output_destroy(output);
  return 0;
}
