/* SPDX-License-Identifier: MIT */
/*
 * Binds models through a C API, in libpelt_binder.so. Manual: docs/c_api.md.
 *
 * It does the work of `pelt bind`, `pelt learn` and `pelt quality --model`. A tool loads it together with libpelt.so,
 * which need not be able to bind; the two exchange only the bytes of .pelt files, and JSON. Results, structs, ownership
 * and threads are as in pelt.h; pelt_binder_last_error() describes errors.
 */
#ifndef PELT_BINDER_H
#define PELT_BINDER_H

#include <pelt/pelt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Increases when a program that was compiled with an older header would no longer work. */
#define PELT_BINDER_ABI_VERSION 2

/* Returns PELT_BINDER_ABI_VERSION of the loaded library. */
PELT_API uint32_t pelt_binder_abi_version(void);
/* Returns the library's version, for example "0.1.0". */
PELT_API const char* pelt_binder_version_string(void);
/* Returns one sentence on the last failure in this library on this thread, like pelt_last_error(). */
PELT_API const char* pelt_binder_last_error(void);

/* The result of a function of this library: a report, and the bound character if there is one. */
typedef struct pelt_binder_output pelt_binder_output;

enum {
  PELT_BINDER_CHECK_BY_RIG = 0, /* as the rig sets it: skins whose deformers do worse fall back to linear blend */
  PELT_BINDER_CHECK_REPORT = 1, /* --no-fallback: only reports defects */
  PELT_BINDER_CHECK_NONE = 2    /* --no-check */
};

/* How to bind: the options of `pelt bind` with these names; NULL: unset. At most one of `rig` to `deformer` may be
 * set. */
typedef struct pelt_binder_bind_options {
  uint32_t struct_size;
  uint32_t threads;     /* 0: all cores; the result does not depend on it */
  const char* rig;      /* a file */
  const char* rig_text; /* the text of one; file names in it are relative to the working directory */
  const char* preset;
  const char* deformer;
  const char* driver;         /* for a garment: the model of the body that drives it; not with a preset */
  const char* weights_of;     /* for a garment: the model of the body that wears it; not with a driver */
  uint32_t check;             /* PELT_BINDER_CHECK_... */
  uint32_t keep_vertex_order; /* 1: vertices keep the model's order, which makes the blend slower */
  uint32_t any_file;          /* 1, --any-file: models and rigs may name files outside of their folders */
  uint32_t paint;             /* 1: makes the weights of all meshes but props; 0: as the rig sets it */
  void* user;
  void (*progress)(void* user, double fraction, const char* what); /* on the calling thread; may be NULL */
  const uint32_t* stop;                                            /* as in pelt_bind_options; may be NULL */
  /* What to learn from, as by `pelt learn` (docs/learn.md); 0 caches: nothing. */
  uint32_t cache_count;
  uint32_t budget;           /* bytes; 0: as by `pelt learn` */
  const char* const* caches; /* cache_count PC2 files */
  const char* const* poses;  /* of each cache: a clip of the model, or a JSON file of poses */
  double fps;                /* 0: 24 */
  double within;             /* metres; 0: the default */
} pelt_binder_bind_options;

/* Reads a model, a file or one such as "builtin:biped", and binds it, or learns it from caches. `options`: NULL for the
 * defaults. */
PELT_API pelt_result pelt_binder_bind(const char* model, const pelt_binder_bind_options* options,
                                      pelt_binder_output** out);

enum { PELT_BINDER_POSES_ANY = 0, PELT_BINDER_POSES_CLIPS = 1, PELT_BINDER_POSES_SAMPLES = 2 };

/* What to measure: the options of `pelt quality --model` with these names. */
typedef struct pelt_binder_quality_options {
  uint32_t struct_size;
  uint32_t deformer_count;      /* 0: all but linear blend */
  const char* const* deformers; /* deformer_count names */
  const char* rig;              /* a file, measured after the deformers; NULL: none */
  const char* rig_text;         /* the text of one, instead */
  uint32_t poses;               /* PELT_BINDER_POSES_... */
  uint32_t frames;              /* per clip; 0: 6 */
  uint32_t clips;               /* most clips to use; 0: 10 */
  uint32_t no_fallback;         /* 1: measures deformers even if they do worse than linear blend */
  void* user;
  void (*progress)(void* user, double fraction, const char* what); /* on the calling thread; may be NULL */
  uint32_t any_file; /* 1, --any-file: the model and the rig may name files outside of their folders */
  uint32_t reserved;
  const uint32_t* stop; /* as in pelt_bind_options; may be NULL */
} pelt_binder_quality_options;

/* Moves a model with deformers and compares them with linear blend (docs/quality.md). */
PELT_API pelt_result pelt_binder_quality(const char* model, const pelt_binder_quality_options* options,
                                         pelt_binder_output** out);

/* Returns the bytes of the .pelt file, for pelt_character_load_memory; they belong to the output. PELT_ERROR_NOT_FOUND:
 * the output comes from pelt_binder_quality. */
PELT_API pelt_result pelt_binder_get_character(const pelt_binder_output* output, const void** bytes, size_t* size);
/* Returns the text that `pelt bind --json` prints, with `output` null, `pelt learn --json` or `pelt quality --model
 * --json`. `size`: its length without the terminating 0; may be NULL. */
PELT_API pelt_result pelt_binder_get_report(const pelt_binder_output* output, const char** text, size_t* size);
PELT_API void pelt_binder_output_destroy(pelt_binder_output* output);

#ifdef __cplusplus
}
#endif

#endif
