/* SPDX-License-Identifier: MIT */
/* pelt.h as C11, and libpelt.so loaded by a program that is only C. */
#include <stdio.h>
#include <string.h>

#include <pelt/pelt.h>
#include <pelt/pelt_binder.h>

int main(void) {
  if (pelt_abi_version() != PELT_ABI_VERSION) return 1;
  if (strlen(pelt_version_string()) == 0 || strlen(pelt_last_error()) != 0) return 2;
  pelt_character* character = NULL;
  if (pelt_character_load("none.pelt", &character) != PELT_ERROR_NOT_FOUND || character != NULL) return 3;
  if (strstr(pelt_last_error(), "pelt_character_load: ") != pelt_last_error()) return 4;
  if (strstr(pelt_last_error(), "none.pelt") == NULL) return 5;
  puts(pelt_last_error());
  return 0;
}
