/* SPDX-License-Identifier: MIT */
/* A game outside of Pelt's build, in C: loads a character. */
#include <stdio.h>

#include <pelt/pelt.h>

int main(int argc, char** argv) {
  if (argc != 2 || pelt_abi_version() != PELT_ABI_VERSION) return 2;
  pelt_character* character = NULL;
  pelt_character_info info = {.struct_size = sizeof(info)};
  if (pelt_character_load(argv[1], &character) != PELT_OK || pelt_character_get_info(character, &info) != PELT_OK) {
    fprintf(stderr, "%s\n", pelt_last_error());
    return 1;
  }
  printf("%u joints by Pelt %s\n", (unsigned)info.joint_count, pelt_version_string());
  pelt_character_destroy(character);
  return 0;
}
