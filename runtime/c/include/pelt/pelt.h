/* SPDX-License-Identifier: MIT */
/*
 * Pelt's C API, in libpelt.so. Manual: docs/c_api.md.
 *
 * Results. Every function that can fail returns a pelt_result: PELT_OK, or an error, which pelt_last_error() describes.
 * A function that fails leaves its outputs unchanged. No exception leaves the library. A null handle, a null pointer or
 * an index out of range is an error and does not end the program.
 *
 * Structs. If a struct begins with struct_size, the caller sets it to sizeof the struct:
 *     pelt_crowd_options options = {.struct_size = sizeof options};
 * Fields beyond that size count as 0, which is the default of every field. A size larger than the library knows is an
 * error.
 *
 * Ownership. The caller destroys every handle that it receives. An object keeps the objects it was made from alive, so
 * handles may be destroyed in any order. Destroying NULL does nothing. Strings and arrays that a function returns
 * belong to the handle that it was called with.
 *
 * Threads. Functions that take a const handle may run concurrently on that handle; any other function needs exclusive
 * access to it. Different handles are independent. The functions from pelt_crowd_acquire to pelt_crowd_inputs, and
 * pelt_crowd_lists_set, may run concurrently for different instances; one thread may call pelt_crowd_advance at the
 * same time. During pelt_crowd_record, others may call pelt_crowd_prepare, pelt_crowd_get_outputs,
 * pelt_crowd_get_rooms, and pelt_crowd_record_transfer for another frame. Functions of pelt_gpu_characters, except its
 * destruction, may run concurrently, also while crowds of them are made, posed and recorded.
 */
#ifndef PELT_H
#define PELT_H

#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#ifndef PELT_API
#if !defined(_WIN32)
#define PELT_API __attribute__((visibility("default")))
#elif defined(PELT_BUILDS_C_LIBRARY)
#define PELT_API __declspec(dllexport)
#else
#define PELT_API __declspec(dllimport)
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ version, errors */

/* Increases when a program that was compiled with an older header would no longer work. */
#define PELT_ABI_VERSION 5

/* Returns PELT_ABI_VERSION of the loaded library. A program works with it if it equals the program's own. */
PELT_API uint32_t pelt_abi_version(void);
/* Returns the library's version, for example "0.1.0". */
PELT_API const char* pelt_version_string(void);

typedef int32_t pelt_result;
enum {
  PELT_OK = 0,
  PELT_ERROR_INVALID_ARGUMENT = 1, /* the arguments are invalid or contradict each other */
  PELT_ERROR_NOT_FOUND = 2,        /* the named file, mesh, joint, clip or device does not exist */
  PELT_ERROR_READ_FAILED = 3,      /* the operating system failed to read */
  PELT_ERROR_WRITE_FAILED = 4,     /* the operating system failed to write */
  PELT_ERROR_INVALID_FILE = 5,     /* the file violates its format */
  PELT_ERROR_UNSUPPORTED = 6,      /* the request is valid but needs something unavailable */
  PELT_ERROR_DEVICE_FAILED = 7,    /* a Vulkan call failed, or the device was lost */
  PELT_ERROR_OUT_OF_MEMORY = 8,    /* memory ran out or was refused */
  PELT_ERROR_INTERNAL = 9,         /* a bug in Pelt, or a callback threw */
  PELT_ERROR_STOPPED = 10          /* the caller stopped the operation */
};

/* Returns one sentence on the last failure on this thread, with the function, file and location; empty if there was
 * none. Valid until the next failure on this thread; never NULL. */
PELT_API const char* pelt_last_error(void);

/* A game's allocator of host memory. Its functions are called on all threads that call the library. */
typedef struct pelt_host_memory {
  uint32_t struct_size;
  uint32_t reserved;
  void* user;
  /* Returns `size` bytes at a multiple of `alignment`, a power of two. NULL refuses them: the function that needs them
   * returns PELT_ERROR_OUT_OF_MEMORY, and what it has made so far is destroyed. */
  void* (*allocate)(void* user, size_t size, size_t alignment);
  void (*free)(void* user, void* memory);
} pelt_host_memory;
/* Sets the allocator of all host memory. NULL: that of the C library, as at first. Call it before all other functions.
 * Errors: the library already has memory. PELT_ERROR_UNSUPPORTED: not a library of games (docs/c_api.md, Memory). */
PELT_API pelt_result pelt_set_host_memory(const pelt_host_memory* memory);

/* ------------------------------------------------------------------------------------------------------ characters */

/* The result of bind, which a game loads. Immutable and shared. */
typedef struct pelt_character pelt_character;

/* Loads a .pelt file, or a .glb that contains a character (docs/PELT_deformers/README.md). */
PELT_API pelt_result pelt_character_load(const char* path, pelt_character** out);
/* Loads a character from the bytes of such a file, which it copies. `source` names them in errors; NULL: "memory". */
PELT_API pelt_result pelt_character_load_memory(const void* bytes, size_t size, const char* source,
                                                pelt_character** out);
/* Writes a .pelt file. A path that ends in .glb, .gltf or .vrm is an error (use pelt_character_save_glb). */
PELT_API pelt_result pelt_character_save(const pelt_character* character, const char* path);
/* Calls `write` once with the bytes of a .pelt file, which are valid only during the call. */
PELT_API pelt_result pelt_character_save_memory(const pelt_character* character, void* user,
                                                void (*write)(void* user, const void* bytes, size_t size));
/* Adds an owner: each owner calls pelt_character_destroy once. May be called from any thread. */
PELT_API pelt_result pelt_character_retain(const pelt_character* character);
PELT_API void pelt_character_destroy(pelt_character* character);

/* Makes a character with the skins at a level of detail, 0 to pelt_character_info.coarsest_level: each skin is replaced
 * by its coarsest level that is not above `level`, if it has one. Joints, inputs, controls and clips stay the same, so
 * the same poses move all levels. The caller destroys the new character. */
PELT_API pelt_result pelt_character_at_level(const pelt_character* character, uint32_t level, pelt_character** out);

#define PELT_NONE 0xFFFFFFFFu

typedef struct pelt_character_info {
  uint32_t struct_size;
  uint32_t joint_count;
  uint32_t mesh_count;
  uint32_t clip_count;
  uint32_t stream_count;
  uint32_t control_count;
  uint32_t input_count;  /* floats per instance, in addition to its joint matrices */
  uint32_t vertex_count; /* of all meshes, including control meshes */
  float size;            /* diagonal of the skin's box at bind, metres */
  float least[3];        /* that box, model space, metres */
  float greatest[3];
  uint32_t coarsest_level; /* of detail; 0: the only one */
  const char* name;
  uint32_t material_count;
  uint32_t anchor_count;
} pelt_character_info;

typedef struct pelt_joint_info {
  uint32_t struct_size;
  uint32_t parent; /* always less than the joint's own index; PELT_NONE: a root */
  const char* name;
  float rest[10];            /* relative to its parent, as in pelt_character_rest_transforms */
  const float* inverse_bind; /* 16, column-major: model space at bind to joint space; NULL: no mesh uses it */
} pelt_joint_info;

/* The triangles of a mesh with one material. */
typedef struct pelt_mesh_part {
  uint32_t first_triangle;
  uint32_t triangle_count;
  uint32_t material; /* index among the character's materials, in the model's order; PELT_NONE: none */
} pelt_mesh_part;

typedef struct pelt_material_info {
  uint32_t struct_size;
  uint32_t reserved;
  const char* name;
  float base_color[4]; /* linear, with alpha. Other properties and images remain only in the model's file */
} pelt_material_info;

typedef struct pelt_mesh_info {
  uint32_t struct_size;
  uint32_t control; /* 1: a control mesh; 0: a skin */
  uint32_t vertex_count;
  uint32_t triangle_count;
  const char* name;
  const uint32_t* triangles;     /* 3 vertices of this mesh per triangle */
  const float* uvs;              /* 2 per vertex; NULL: it has none */
  const uint32_t* source_vertex; /* each vertex's number in the bound model */
  const float* rest_positions;   /* 3 per vertex, at bind, model space, metres */
  uint32_t first_vertex;         /* of the mesh, among the vertices of all meshes */
  uint32_t part_count;
  const pelt_mesh_part* parts; /* part_count of them, which cover all triangles; NULL: the mesh has none */
} pelt_mesh_info;

typedef struct pelt_clip_info {
  uint32_t struct_size;
  float duration; /* seconds */
  const char* name;
} pelt_clip_info;

/* A control mesh whose vertex positions the caller supplies. */
typedef struct pelt_stream_info {
  uint32_t struct_size;
  uint32_t mesh;
  uint32_t vertex_count;
  uint32_t first_input; /* index of the x of vertex 0 among the inputs; 3 inputs per vertex */
} pelt_stream_info;

enum { PELT_CONTROL_MORPH_TARGET = 0, PELT_CONTROL_TWIST = 1, PELT_CONTROL_EXPRESSION = 2, PELT_CONTROL_CLOCK = 3 };

/* A number that the caller sets: the weight of a morph target, the twist of a joint in radians, or an expression from 0
 * to 1, which adds to the weights of its morph targets. The crowd overwrites the clock of secondary action
 * (pelt_crowd_advance), so a user interface should hide it. */
typedef struct pelt_control_info {
  uint32_t struct_size;
  uint32_t kind;  /* PELT_CONTROL_... */
  uint32_t input; /* index among the inputs */
  float rest;
  const char* name; /* "mesh/target", "twist/joint", an expression such as "happy", or "clock" */
} pelt_control_info;

/* A named point of a skin (docs/queries.md, Anchors). */
typedef struct pelt_anchor_info {
  uint32_t struct_size;
  uint32_t mesh;
  uint32_t vertices[3]; /* packed order: corners of a triangle, or one vertex three times */
  float shares[3];      /* of the corners, with the sum 1 */
  const char* name;
} pelt_anchor_info;

PELT_API pelt_result pelt_character_get_info(const pelt_character* character, pelt_character_info* info);
PELT_API pelt_result pelt_character_get_joint(const pelt_character* character, uint32_t joint, pelt_joint_info* info);
PELT_API pelt_result pelt_character_get_mesh(const pelt_character* character, uint32_t mesh, pelt_mesh_info* info);
PELT_API pelt_result pelt_character_get_material(const pelt_character* character, uint32_t material,
                                                 pelt_material_info* info);
PELT_API pelt_result pelt_character_get_clip(const pelt_character* character, uint32_t clip, pelt_clip_info* info);
PELT_API pelt_result pelt_character_get_stream(const pelt_character* character, uint32_t stream,
                                               pelt_stream_info* info);
PELT_API pelt_result pelt_character_get_control(const pelt_character* character, uint32_t control,
                                                pelt_control_info* info);
PELT_API pelt_result pelt_character_get_anchor(const pelt_character* character, uint32_t anchor,
                                               pelt_anchor_info* info);

/* Find an index by name; PELT_ERROR_NOT_FOUND if there is none. A stream has the name of its mesh. */
PELT_API pelt_result pelt_character_find_joint(const pelt_character* character, const char* name, uint32_t* joint);
PELT_API pelt_result pelt_character_find_clip(const pelt_character* character, const char* name, uint32_t* clip);
PELT_API pelt_result pelt_character_find_stream(const pelt_character* character, const char* mesh, uint32_t* stream);
PELT_API pelt_result pelt_character_find_control(const pelt_character* character, const char* name, uint32_t* control);
PELT_API pelt_result pelt_character_find_anchor(const pelt_character* character, const char* name, uint32_t* anchor);

/* Write joint matrices for pelt_crowd_pose: model space, 16 floats per joint, column-major. joint_count must equal the
 * character's. A clip is clamped to its first and last key; joints without keys keep their rest pose. Allocate only on
 * a thread's first call, and when the skeleton is larger than before. */
PELT_API pelt_result pelt_character_rest_pose(const pelt_character* character, float* joints, uint32_t joint_count);
PELT_API pelt_result pelt_character_sample_clip(const pelt_character* character, uint32_t clip, float seconds,
                                                float* joints, uint32_t joint_count);
/* The same as transforms relative to the parents, which the caller may edit, 10 floats per joint: rotation (unit
 * quaternion x, y, z, w), translation, scale. */
PELT_API pelt_result pelt_character_rest_transforms(const pelt_character* character, float* transforms,
                                                    uint32_t joint_count);
PELT_API pelt_result pelt_character_sample_transforms(const pelt_character* character, uint32_t clip, float seconds,
                                                      float* transforms, uint32_t joint_count);
/* Writes the joint matrices of such transforms. A joint whose matrix in the model is not a product of rotation,
 * translation and scale keeps that matrix. */
PELT_API pelt_result pelt_character_place_joints(const pelt_character* character, const float* transforms,
                                                 float* joints, uint32_t joint_count);
/* Turns the helper joints in joint matrices, in place, and moves their descendants along. Needed only for matrices that
 * the caller uploads; pelt_crowd_pose and the functions above do it themselves. */
PELT_API pelt_result pelt_character_turn_helpers(const pelt_character* character, float* joints, uint32_t joint_count);
/* Write inputs for pelt_crowd_inputs: morph targets and twists follow the clip, all others have their rest values. The
 * first call for a clip plays it once to track its twists. */
PELT_API pelt_result pelt_character_rest_inputs(const pelt_character* character, float* inputs, uint32_t input_count);
PELT_API pelt_result pelt_character_sample_inputs(const pelt_character* character, uint32_t clip, float seconds,
                                                  float* inputs, uint32_t input_count);

/* --------------------------------------------------------------------------------------------------------- binding */

/* For tools: PELT_ERROR_UNSUPPORTED if the library was built without PELT_AUTHORING. */
typedef struct pelt_model pelt_model;
typedef struct pelt_rig pelt_rig;

/* Imports a .gltf, .glb, .vrm or .obj file, or a built-in model, for example "builtin:biped". */
PELT_API pelt_result pelt_model_import(const char* path_or_builtin, pelt_model** out);
PELT_API void pelt_model_destroy(pelt_model* model);

/* Makes a rig with one layer over all meshes: "linear_blend", "dual_quaternion", "surface_ffd", "curve_skeleton",
 * "mos", "hierarchical_bspline". */
PELT_API pelt_result pelt_rig_from_deformer(const char* deformer, pelt_rig** out);
/* Loads a rig file (docs/rig.md), or the rig in a .gltf, .glb or .vrm file (docs/PELT_deformers/README.md), often the
 * model's own file; PELT_ERROR_NOT_FOUND if it contains none. */
PELT_API pelt_result pelt_rig_load(const char* path, pelt_rig** out);
PELT_API void pelt_rig_destroy(pelt_rig* rig);

typedef struct pelt_bind_options {
  uint32_t struct_size;
  uint32_t threads;           /* 0: all cores; the result does not depend on it */
  uint32_t keep_vertex_order; /* 1: vertices keep the model's order, which makes the blend slower */
  uint32_t paint;             /* 1: makes the weights of all meshes but props; 0: as the rig sets it */
  void* user;
  void (*progress)(void* user, double fraction, const char* what); /* on the calling thread; may be NULL */
  /* Another thread, `progress` or a signal handler sets this number to nonzero to stop the bind, which then fails with
   * PELT_ERROR_STOPPED, usually within a tenth of a second. It is read atomically and must be written atomically: with
   * __atomic_store_n of GCC and Clang, or as an _Atomic uint32_t. May be NULL. */
  const uint32_t* stop;
} pelt_bind_options;

/* Binds the model with the rig. `options`: NULL for the defaults. */
PELT_API pelt_result pelt_bind(const pelt_model* model, const pelt_rig* rig, const pelt_bind_options* options,
                               pelt_character** out);
/* Writes a .glb with a model, its rig and the character bound from it, for pelt_character_load. If the model came from
 * glTF, the .glb includes that whole file, which is read again and must not have changed. Errors: a rig that names
 * other files. */
PELT_API pelt_result pelt_character_save_glb(const pelt_character* character, const pelt_model* model,
                                             const char* path);

/* ---------------------------------------------------------------------------------------------------------- device */

typedef struct pelt_device pelt_device;

typedef struct pelt_device_description {
  uint32_t struct_size;
  uint32_t type; /* VkPhysicalDeviceType */
  char name[256];
  char driver[256];
  char missing[512]; /* missing parts of the device profile, separated by commas; empty: usable */
} pelt_device_description;

/* Describes a physical device. The instance must have been made with apiVersion 1.1 or higher. */
PELT_API pelt_result pelt_describe_device(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                                          VkPhysicalDevice physical, pelt_device_description* description);

/* A piece of the caller's device memory. */
typedef struct pelt_memory_piece {
  uint32_t struct_size; /* set by Pelt; the callback must not write fields beyond it */
  uint32_t coherent;
  VkDeviceMemory memory;
  VkDeviceSize offset;
  void* mapped; /* the piece's first byte, until `free`; host-visible pieces are always mapped */
  void* owner;  /* for the caller's own use */
} pelt_memory_piece;

typedef struct pelt_memory_callbacks {
  void* user;
  /* Fills `piece` with memory of a type in requirements->memoryTypeBits that has the properties `required` and, if
   * possible, `preferred`; allocated with VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT if `device_address` is 1. `name`
   * describes the memory's purpose and is valid only during the call. Called on any thread that makes or destroys an
   * object of Pelt's, never while a frame is posed or recorded. */
  VkResult (*allocate)(void* user, const VkMemoryRequirements* requirements, VkMemoryPropertyFlags required,
                       VkMemoryPropertyFlags preferred, uint32_t device_address, const char* name,
                       pelt_memory_piece* piece);
  void (*free)(void* user, const pelt_memory_piece* piece);
} pelt_memory_callbacks;

typedef struct pelt_device_handles {
  uint32_t struct_size;
  uint32_t queue_family; /* family of the queue that runs the crowds' commands */
  PFN_vkGetInstanceProcAddr get_instance_proc_addr;
  VkInstance instance; /* made with apiVersion 1.1 or higher */
  VkPhysicalDevice physical;
  VkDevice device;                /* needs no features or extensions */
  VkQueue queue;                  /* for functions documented to submit and wait; may be null */
  VkPipelineCache pipeline_cache; /* may be null */
  pelt_memory_callbacks memory;   /* no callbacks: Pelt allocates blocks of its own */
  uint32_t debug_utils;           /* 1: VK_EXT_debug_utils is enabled; Pelt names objects and commands */
  uint32_t buffer_device_address; /* 1: bufferDeviceAddress is enabled, which device addresses of outputs need */
} pelt_device_handles;

/* Works on the caller's device, which must outlive everything made from it. Makes only the objects that characters and
 * crowds need, destroys nothing else, and submits only in functions documented to submit. */
PELT_API pelt_result pelt_device_adopt(const pelt_device_handles* handles, pelt_device** out);

typedef struct pelt_device_options {
  uint32_t struct_size;
  uint32_t validation; /* 1: validation layer with synchronization validation; needs on_validation_message */
  const char* select;  /* index, or part of a name; NULL: environment variable PELT_DEVICE, else the most capable */
  void* user;
  void (*on_validation_message)(void* user, const char* message);
} pelt_device_options;

/* Makes an instance and a device of Pelt's own, for tools and tests. `options`: NULL for the defaults. */
PELT_API pelt_result pelt_device_create(const pelt_device_options* options, pelt_device** out);
PELT_API void pelt_device_destroy(pelt_device* device);

PELT_API pelt_result pelt_device_get_description(const pelt_device* device, pelt_device_description* description);
/* Writes all handles except pipeline_cache, memory and debug_utils, which are 0. */
PELT_API pelt_result pelt_device_get_handles(const pelt_device* device, pelt_device_handles* handles);

/* A heap of device memory. */
typedef struct pelt_memory_heap {
  VkDeviceSize size;
  /* The bytes that the process may use, and that it uses now (VK_EXT_memory_budget). A budget of 0: the driver does not
   * report them. */
  VkDeviceSize budget;
  VkDeviceSize usage;
  uint32_t device_local;
  uint32_t reserved;
} pelt_memory_heap;
/* Queries the driver: returns the number of heaps and fills `heaps`, in Vulkan's order. `heaps` has space for
 * VK_MAX_MEMORY_HEAPS, or is NULL. Pelt's own allocations stay within the budgets. */
PELT_API pelt_result pelt_device_get_memory_heaps(const pelt_device* device, pelt_memory_heap* heaps, uint32_t* count);

/* Calls `record` to fill a command buffer, submits it to the device's queue and waits; for tools and tests. */
PELT_API pelt_result pelt_submit_and_wait(const pelt_device* device, const char* name,
                                          void (*record)(void* user, VkCommandBuffer commands), void* user);

/* ---------------------------------------------------------------------------------------------------------- upload */

/* Characters on a device, in few buffers, so that a crowd moves all characters of a buffer with the same dispatches.
 * Several crowds may share it. */
typedef struct pelt_gpu_characters pelt_gpu_characters;

typedef struct pelt_upload_options {
  uint32_t struct_size;
  uint32_t reserved;
  /* size of the first buffer of bind data, bytes (pelt_character_get_upload_bytes); raised to the size of the first
   * characters, and at most maxStorageBufferRange. Characters that do not fit get further buffers, each at least as
   * large, and a crowd one more dispatch per pass for each buffer that its characters are in */
  VkDeviceSize capacity;
  uint32_t tension; /* 1: crowds may write tension; takes about 40 bytes more per vertex */
} pelt_upload_options;

/* Returns the size of a character's bind data, bytes. `options`: NULL for the defaults; only `tension` counts. */
PELT_API pelt_result pelt_character_get_upload_bytes(const pelt_character* character,
                                                     const pelt_upload_options* options, VkDeviceSize* bytes);

/* Takes the memory and fills staging memory; submits nothing. `options`: NULL for the defaults. Errors: no character
 * and no capacity; a character of more bytes than the device can bind at once; out of memory. */
PELT_API pelt_result pelt_gpu_characters_create(const pelt_device* device, const pelt_character* const* characters,
                                                uint32_t character_count, const pelt_upload_options* options,
                                                pelt_gpu_characters** out);
/* Takes room for a character, in a new buffer if no other has it, fills new staging memory, and returns the character's
 * number: the lowest unused one. The functions below record its upload. Waits for nothing. Errors: those of
 * pelt_gpu_characters_create. */
PELT_API pelt_result pelt_gpu_characters_add(pelt_gpu_characters* characters, const pelt_character* character,
                                             uint32_t* number);
/* Releases the room of a character, in a buffer that stays. Errors: a crowd still has it (pelt_crowd_remove,
 * pelt_crowd_replace). Precondition: the device has finished its upload and the frames that moved it. */
PELT_API pelt_result pelt_gpu_characters_remove(pelt_gpu_characters* characters, uint32_t number);
/* Records the copies of characters added since the last call, and barriers from the copies to compute reads, outside a
 * render pass. The commands must run before the first frame of a crowd that shows the characters. */
PELT_API pelt_result pelt_gpu_characters_record_upload(pelt_gpu_characters* characters, VkCommandBuffer commands);
/* The same for at most `most_bytes`; `left` receives the bytes that remain for further calls. If a queue of another
 * family copies, the commands release each character once all of it is copied; record_acquire on the compute queue,
 * after a semaphore, acquires it. Otherwise pass the same family twice. */
PELT_API pelt_result pelt_gpu_characters_record_upload_part(pelt_gpu_characters* characters, VkCommandBuffer commands,
                                                            VkDeviceSize most_bytes, uint32_t transfer_family,
                                                            uint32_t compute_family, VkDeviceSize* left);
PELT_API pelt_result pelt_gpu_characters_record_acquire(pelt_gpu_characters* characters, VkCommandBuffer commands,
                                                        uint32_t transfer_family, uint32_t compute_family);
/* Free the staging memory of completely copied characters, of all or of one. Call it when the copy commands have
 * finished. */
PELT_API pelt_result pelt_gpu_characters_finish_upload(pelt_gpu_characters* characters);
PELT_API pelt_result pelt_gpu_characters_finish_upload_of(pelt_gpu_characters* characters, uint32_t number);
/* Creates, uploads and finishes, submits to the device's queue and waits: for load time. */
PELT_API pelt_result pelt_upload_and_wait(const pelt_device* device, const pelt_character* const* characters,
                                          uint32_t character_count, const pelt_upload_options* options,
                                          pelt_gpu_characters** out);
PELT_API void pelt_gpu_characters_destroy(pelt_gpu_characters* characters);
/* Returns the device memory in use, bytes, without staging memory. */
PELT_API pelt_result pelt_gpu_characters_get_bytes(const pelt_gpu_characters* characters, VkDeviceSize* bytes);
/* Returns the bytes of it that no character uses. */
PELT_API pelt_result pelt_gpu_characters_get_free_bytes(const pelt_gpu_characters* characters, VkDeviceSize* bytes);

/* ----------------------------------------------------------------------------------------------------------- crowd */

/* Posed instances of some characters: joint matrices in, deformed vertices out. */
typedef struct pelt_crowd pelt_crowd;

typedef uint32_t pelt_vertex_format;
enum {
  /* positions: float; normals and tangents: octahedral, 16 bits; previous positions: not written */
  PELT_FORMAT_DEFAULT = 0,
  PELT_FORMAT_NONE = 1,         /* not written */
  PELT_FORMAT_FLOAT = 2,        /* positions, normals: 3; tangents: 4, w = handedness */
  PELT_FORMAT_OCTAHEDRAL16 = 3, /* snorm16 x 2; a tangent's lowest bit is 1 if its handedness is -1 */
  PELT_FORMAT_SNORM8 = 4        /* tension: snorm8 x 2, then two bytes that are 0 */
};

/* A part of a buffer of the caller's, which needs VK_BUFFER_USAGE_STORAGE_BUFFER_BIT. Null: the crowd makes one. */
typedef struct pelt_buffer_location {
  VkBuffer buffer;
  VkDeviceSize offset; /* bytes */
  VkDeviceSize size;   /* bytes from the offset on that the crowd may use; fewer than it needs is an error */
} pelt_buffer_location;

/* Vertex v of an instance is element first_vertex + v (pelt_instance_info). */
typedef struct pelt_vertex_output {
  pelt_vertex_format format;
  uint32_t stride;               /* bytes, a multiple of 4; 0: tight, or the fastest in the crowd's own buffer */
  pelt_buffer_location location; /* offset: a multiple of 4 */
} pelt_vertex_output;

/* An instance that a frame shows. */
typedef struct pelt_list_entry {
  uint32_t instance; /* its number in the crowd */
  uint32_t state;    /* PELT_ENTRY_... | PELT_ENTRY_LEVELS(...); 0: full detail, finest level */
} pelt_list_entry;

enum {
  /* no motion: previous positions equal this frame's, and secondary action starts at rest; an instance that the frame
   * before did not show has none either */
  PELT_ENTRY_TELEPORT = 1,
  /* keeps the pose and the detail of the frame that posed it last */
  PELT_ENTRY_STAY = 2,
  /* moved by linear blend with the model's own weights (PELT_DETAIL_LINEAR_BLEND) */
  PELT_ENTRY_LINEAR_BLEND = 4,
  /* secondary action starts at rest */
  PELT_ENTRY_RESTART = 8
};

/* The levels of detail at which the skins are shown, 0 to 63: one twice, or two while the instance fades. */
#define PELT_ENTRY_LEVELS(level, other) ((uint32_t)(level) << 8 | (uint32_t)(other) << 14)

/* The locations of the outputs of one output slot. Offsets: multiples of 4. */
typedef struct pelt_slot_locations {
  pelt_buffer_location positions;
  pelt_buffer_location normals;
  pelt_buffer_location tangents;
  pelt_buffer_location bounds;
} pelt_slot_locations;

/* Room for instances: sums over all instances that a crowd has at once (pelt_add_capacity). */
typedef struct pelt_crowd_capacity {
  uint32_t struct_size;
  uint32_t instances;
  uint64_t vertices; /* of the instances that have outputs: lower it if few have them at once */
  uint64_t palette_entries;
  uint64_t driver_vertices;
  uint64_t joints;
  uint64_t inputs;
  uint64_t plan_words;  /* of the plan of a frame */
  uint64_t table_words; /* of the table that it is planned from */
  uint64_t anchors;
} pelt_crowd_capacity;

typedef struct pelt_crowd_options {
  uint32_t struct_size;
  uint32_t character_count; /* number of entries in `instances` */
  /* The number of initial instances of each character of the pelt_gpu_characters, by character number; NULL: one of
   * each. Instances are numbered from 0, character by character. The list may be shorter than the pelt_gpu_characters:
   * the crowd ignores further characters until they are added (pelt_crowd_add), so another thread may upload characters
   * while a crowd is made. */
  const uint32_t* instances;
  uint32_t frames_in_flight; /* frames that may be recorded before the first has finished; 0: 2 */
  /* The number of output slots, 1 to 3: how many frames' vertices and boxes are kept; 0: 1. Frames use the slots in
   * turn, so the next frame may be computed while one is drawn (docs/outputs.md, Output slots). Each slot takes the
   * memory of one set of outputs (pelt_crowd_info). */
  uint32_t output_slots;
  pelt_vertex_output positions; /* model space, metres */
  pelt_vertex_output normals;   /* unit */
  pelt_vertex_output tangents;  /* unit */
  /* Float positions of the frame before, for motion vectors (docs/outputs.md, Previous positions). Needs positions, in
   * a buffer that keeps its content from frame to frame. Skins only: cannot be combined with control_meshes. With
   * several output slots the positions of the slot before are used (pelt_crowd_get_previous_frame): leave `location`
   * and `stride` 0. */
  pelt_vertex_output previous_positions;
  pelt_buffer_location bounds_location; /* offset: a multiple of 4 */
  /* 1: writes a box round each instance's skin, float3 least then float3 greatest corner, bounds_stride bytes from one
   * box to the next. A box always contains the skin; docs/outputs.md, Bounds, describes how much larger it is. The
   * boxes belong to the frame being recorded; an instance that is not moved keeps its box. */
  uint32_t bounds;
  uint32_t control_meshes; /* 1: for tools: also writes control meshes; vertices are numbered over all meshes */
  /* Buffers that the device fills; every frame reads the same locations. They must be written before the frame's
   * commands run, be visible to storage reads of compute, and keep their content until the commands have finished
   * (pelt_crowd_record). Offsets: multiples of minStorageBufferOffsetAlignment. Functions that would set the same data
   * then return an error. */
  /* Upper three rows of joint matrices, 12 floats per joint, from pelt_instance_info.first_joint on. Helper joints must
   * already be turned. */
  pelt_buffer_location joints;
  /* The inputs of each instance, from pelt_instance_info.first_input on. A PELT_CONTROL_CLOCK gets
   * pelt_crowd_info.clock. */
  pelt_buffer_location inputs;
  /* The list of each frame, if the device makes it: a count (uint32_t), then space for one pelt_list_entry per instance
   * that the crowd has room for. Only the first `count` entries are read. */
  pelt_buffer_location list;
  /* Added to the usage flags of the crowd's own vertex buffer: for acceleration structure builds,
   * VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT and VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR.
   * The device must have the features enabled that Vulkan requires for these flags. */
  VkBufferUsageFlags usage;
  uint32_t bounds_stride; /* bytes from one box to the next, a multiple of 4, 24 or more; 0: 24 */
  /* The locations of slots 1 and 2, for outputs that are written to a buffer of the caller's. Formats and strides are
   * those of slot 0. Slots must not overlap. */
  pelt_slot_locations slot_locations[2];
  /* A list for the second part of each frame, in the same form (PELT_PART_BLEND): the other list then has the instances
   * to pose, and this one those to show. PELT_ENTRY_STAY and PELT_ENTRY_LINEAR_BLEND are taken from the pose. */
  pelt_buffer_location drawn;
  /* Room for more instances and characters during the crowd's lifetime. A number smaller than `instances` need is
   * raised to that. NULL: just what they need. */
  const pelt_crowd_capacity* capacity;
  /* PELT_FORMAT_SNORM8: how much longer a skin is than at rest along its tangent, then along its bitangent, for wrinkle
   * maps: log2(length / rest length), clamped to -1 to 1 (docs/outputs.md, Tension). Needs positions, and
   * pelt_upload_options.tension. Not written for control meshes. */
  pelt_vertex_output tension;
  pelt_buffer_location tension_slot_locations[2]; /* of slots 1 and 2 */
  /* PELT_FORMAT_FLOAT: the frame of each anchor of the characters, as pelt_evaluator_get_anchor returns it: 12 floats.
   * PELT_FORMAT_DEFAULT writes none. Whichever level of detail is shown, an anchor stays on the finest. */
  pelt_vertex_output anchors;
  pelt_buffer_location anchor_slot_locations[2]; /* of slots 1 and 2, as slot_locations */
} pelt_crowd_options;

/* Adds to `sum` the room that a character and this many of its instances take in a crowd with these options. `options`:
 * NULL for the defaults; only its outputs count. */
PELT_API pelt_result pelt_add_capacity(const pelt_character* character, uint32_t instances,
                                       const pelt_crowd_options* options, pelt_crowd_capacity* sum);

/* Takes all memory and makes all pipelines; submits nothing. `options`: NULL for the defaults. Errors: more instance
 * counts than characters, or all counts 0; outputs that cannot be combined; a misaligned or too small part of a buffer
 * of the caller's (the message names it); outputs or inputs larger than the device's storage buffer range (the message
 * states how many instances fit); out of memory. */
PELT_API pelt_result pelt_crowd_create(const pelt_device* device, const pelt_gpu_characters* characters,
                                       const pelt_crowd_options* options, pelt_crowd** out);
PELT_API void pelt_crowd_destroy(pelt_crowd* crowd);

/* Adds a character of the pelt_gpu_characters to the crowd, so that instances of it can be acquired. Makes the
 * pipelines that no crowd of the device has needed yet; pelt_crowd_prepare makes them in advance, on any thread.
 * Errors: no such character; not enough room for the plan; a frame that is recorded in part. */
PELT_API pelt_result pelt_crowd_add(pelt_crowd* crowd, uint32_t character);
PELT_API pelt_result pelt_crowd_prepare(const pelt_crowd* crowd, const pelt_character* const* characters,
                                        uint32_t character_count);
/* Removes a character. Errors: the crowd still has instances of it; a frame that is recorded in part. */
PELT_API pelt_result pelt_crowd_remove(pelt_crowd* crowd, uint32_t character);
/* Adds the character `with`, such as the same one with an edited rig, removes `character`, and makes its instances
 * those of `with`. They keep their numbers; their poses, if the joints' names agree; controls of the same name, and
 * streams of the same name and points; and their outputs' room, if they have as many vertices. Otherwise poses and
 * inputs are at rest, and pelt_instance_info changes. All count as teleported, and have no vertices until the next
 * frame that shows them. Errors, after which nothing has changed: those of pelt_crowd_add; no such character; not
 * enough room for the instances instead of the old ones. */
PELT_API pelt_result pelt_crowd_replace(pelt_crowd* crowd, uint32_t character, uint32_t with);

/* Makes an instance of a character, in the rest pose. Returns its number: the last one that was released, or else the
 * lowest unused one. `outputs` = 0: the instance takes no room for outputs, and cannot be shown until it has
 * (pelt_crowd_set_outputs). Takes microseconds and no device memory.
 * PELT_ERROR_UNSUPPORTED: there is not enough room (the message names the resource). PELT_ERROR_INVALID_ARGUMENT: the
 * crowd does not have the character. */
PELT_API pelt_result pelt_crowd_acquire(pelt_crowd* crowd, uint32_t character, uint32_t outputs, uint32_t* instance);
/* Releases an instance's room. Its outputs may be overwritten from the next frame on. */
PELT_API pelt_result pelt_crowd_release(pelt_crowd* crowd, uint32_t instance);
/* Takes room for the outputs of an instance, or with `outputs` = 0 releases it. */
PELT_API pelt_result pelt_crowd_set_outputs(pelt_crowd* crowd, uint32_t instance, uint32_t outputs);

/* Sets the joint matrices of an instance for the next frame that is recorded: model space, 16 floats per joint,
 * column-major. Turns the helper joints. An instance keeps its pose until it is posed again; at first it is in the rest
 * pose. Errors, also of the two functions below: the crowd reads this data from a buffer of the caller's; a number that
 * is not finite or is beyond 1e12. The instance then keeps its values. */
PELT_API pelt_result pelt_crowd_pose(pelt_crowd* crowd, uint32_t instance, const float* joints, uint32_t joint_count);
/* The same with only the upper three rows of each matrix, as the crowd stores them: 12 floats per joint. */
PELT_API pelt_result pelt_crowd_pose_rows(pelt_crowd* crowd, uint32_t instance, const float* joints,
                                          uint32_t joint_count);
/* Sets inputs `first` to `first` + `count` - 1 of an instance in the same way: the vertices of a stream from
 * pelt_stream_info.first_input on (3 floats each, model space, metres, in the mesh's order), or a control at
 * pelt_control_info.input. An input that was never set has its rest value. */
PELT_API pelt_result pelt_crowd_inputs(pelt_crowd* crowd, uint32_t instance, uint32_t first, const float* values,
                                       uint32_t count);

/* Advances the clock of secondary action for all instances, in seconds: call it once per frame with the time since the
 * last frame. The next frame moves each instance by the time since the frame that last moved it; the result does not
 * depend on how that time is divided into frames. An instance that was not moved for more than 64 steps of 1/240 s
 * (0.27 s) starts at rest. Negative and non-finite times are ignored. Only motion in model space counts. Has no effect
 * without secondary action. */
PELT_API pelt_result pelt_crowd_advance(pelt_crowd* crowd, float seconds);

enum {
  PELT_DETAIL_FULL = 0,
  /* Linear blend with the model's own weights (docs/detail.md), without posing the deformers; full if a skin has no
   * weights. */
  PELT_DETAIL_LINEAR_BLEND = 1
};
/* Lists of what frames show, by visibility, rates, details and levels. A game may make its lists in any other way. */
typedef struct pelt_crowd_lists pelt_crowd_lists;

typedef struct pelt_shown {
  uint32_t struct_size;
  uint32_t hidden;       /* 1: not listed */
  uint32_t update_every; /* posed in every n-th frame, in turn with others, and in the first that shows it; 0: 1 */
  uint32_t stays;        /* 1: not posed after the first frame that shows it */
  uint32_t detail;       /* PELT_DETAIL_... */
  uint32_t level;        /* of detail: each skin at its coarsest level that is not above it */
  uint32_t fade_frames;  /* frames that show both levels if the level changes */
  uint32_t begins;       /* 1: pelt_crowd_acquire has returned the number again */
  uint32_t teleports;    /* 1: the next list that poses it has PELT_ENTRY_TELEPORT */
} pelt_shown;

/* `instances`: pelt_crowd_info.instance_count. At first all are shown and moved in every frame; crowds ignore entries
 * of instances that they do not have. */
PELT_API pelt_result pelt_crowd_lists_create(uint32_t instances, pelt_crowd_lists** out);
PELT_API void pelt_crowd_lists_destroy(pelt_crowd_lists* lists);
PELT_API pelt_result pelt_crowd_lists_set(pelt_crowd_lists* lists, uint32_t instance, const pelt_shown* shown);
/* Returns the list of the next frame, which is valid until the next call. */
PELT_API pelt_result pelt_crowd_lists_next(pelt_crowd_lists* lists, const pelt_list_entry** entries, uint32_t* count);
/* Returns the levels of the last list, and the weight of `to`; the remainder is `from`. */
PELT_API pelt_result pelt_crowd_lists_get_levels(const pelt_crowd_lists* lists, uint32_t instance, uint32_t* from,
                                                 uint32_t* to, float* share);

/* Of a frame. */
enum {
  PELT_PART_WHOLE = 0,
  PELT_PART_POSE = 1, /* palettes, drivers and boxes */
  PELT_PART_BLEND = 2 /* skins and their normals, tension and anchors */
};

typedef struct pelt_record {
  uint32_t struct_size;
  uint32_t part; /* PELT_PART_... */
  /* The instances that the frame shows, if has_list is 1; else all that have outputs, moved, at their finest level.
   * Entries of instances that do not exist, have no outputs, or are listed before are ignored. Not with
   * PELT_PART_BLEND, nor if the crowd has a `list` buffer. */
  const pelt_list_entry* entries;
  uint32_t count;
  uint32_t has_list;
} pelt_record;

/* Records a frame, or a part of it. `record`: NULL for a whole frame of all instances. Outside a render pass. Never
 * submits, waits or allocates; changes the bound compute pipeline, set 0 and push constants. Before a frame is posed
 * and recorded, the frame recorded frames_in_flight frames earlier must have finished on the device. The commands must
 * be submitted exactly once, in the order of recording: each frame continues from the state that the frame before left.
 *
 * docs/outputs.md, The barrier contract, has code for the barriers that the caller records before and after. Work of
 * earlier compute shaders in the same queue is already ordered and visible.
 *
 * In two parts, PELT_PART_POSE comes first. Between them the frame's boxes are known (pelt_crowd_options.bounds) and
 * its skins are not moved yet: after a barrier from COMPUTE_SHADER with SHADER_STORAGE_WRITE, a pass of the caller's
 * may read the boxes and write pelt_crowd_options.drawn. Compute writes between the parts are visible to the second. */
PELT_API pelt_result pelt_crowd_record(pelt_crowd* crowd, VkCommandBuffer commands, const pelt_record* record);

/* How a part of a frame uses a buffer that the caller can access too. */
typedef struct pelt_buffer_use {
  const char* name; /* valid for ever */
  VkBuffer buffer;
  VkDeviceSize offset;
  VkDeviceSize size;
  VkPipelineStageFlags2 stages;
  VkAccessFlags2 access;
} pelt_buffer_use;
#define PELT_MAX_BUFFER_USES 16
/* Lists the outputs and caller's buffers that a part (PELT_PART_...) of the next frame reads and writes, for the passes
 * of a render graph: fills `uses`, which has space for PELT_MAX_BUFFER_USES, and `count`. */
PELT_API pelt_result pelt_crowd_get_uses(const pelt_crowd* crowd, uint32_t part, pelt_buffer_use* uses,
                                         uint32_t* count);

/* The steps by which a frame's outputs and table change owners if compute runs in another queue family: the byte ranges
 * of the outputs, in the crowd's buffer and the caller's. Record all four for each frame, in this order, with a
 * semaphore between the queues whose wait covers all commands (docs/outputs.md, Another queue). If both families are
 * the same, PELT_TRANSFER_ACQUIRE and PELT_TRANSFER_RELEASE_BACK record ordinary barriers, and the other two record
 * nothing. Buffers of VK_SHARING_MODE_CONCURRENT need only the semaphores. */
enum {
  PELT_TRANSFER_ACQUIRE_BACK = 0, /* compute queue, before the frame is recorded */
  PELT_TRANSFER_RELEASE = 1,      /* compute queue, after it */
  PELT_TRANSFER_ACQUIRE = 2,      /* reading queue, before the reads at `reading_stages` */
  PELT_TRANSFER_RELEASE_BACK = 3  /* reading queue, after them */
};

typedef struct pelt_transfer {
  uint32_t struct_size;
  uint32_t step;  /* PELT_TRANSFER_... */
  uint64_t frame; /* its number (pelt_crowd_info.frames) */
  uint32_t compute_family;
  uint32_t reading_family;
  VkPipelineStageFlags2 reading_stages; /* for PELT_TRANSFER_ACQUIRE and PELT_TRANSFER_RELEASE_BACK */
  VkAccessFlags2 reading_access;        /* for PELT_TRANSFER_ACQUIRE */
} pelt_transfer;
PELT_API pelt_result pelt_crowd_record_transfer(const pelt_crowd* crowd, VkCommandBuffer commands,
                                                const pelt_transfer* transfer);

typedef struct pelt_crowd_info {
  uint32_t struct_size;
  uint32_t character_count; /* character numbers are below this */
  uint32_t instance_count;  /* capacity: instance numbers are below this */
  uint32_t dispatch_count;  /* most dispatches per frame, for any number of instances */
  uint32_t barrier_count;   /* barriers per frame, for any number of instances */
  float clock;              /* PELT_CONTROL_CLOCK in the next frame that is recorded */
  uint64_t frames;          /* recorded so far, which is the number of the next */
  /* The crowd's own device memory, bytes, without the caller's buffers. */
  uint64_t output_bytes;  /* of all output slots together */
  uint64_t palette_bytes; /* and the vertices of drivers */
  uint64_t input_bytes;   /* joint matrices and inputs of all frames in flight */
  uint64_t plan_bytes;    /* jobs, starts and lists */
} pelt_crowd_info;

typedef struct pelt_instance_info {
  uint32_t struct_size;
  uint32_t character;
  uint32_t first_vertex; /* index of the instance's first vertex in every output; 0 without outputs */
  uint32_t vertex_count; /* of all its skins and levels of detail */
  uint32_t first_joint;  /* index of the instance's joint 0 in a buffer of the caller's */
  uint32_t first_input;
  uint32_t has_outputs;
  uint32_t first_anchor; /* index of the instance's first anchor in the output of anchors */
} pelt_instance_info;

typedef struct pelt_output_location {
  VkBuffer buffer;
  VkDeviceSize offset;       /* bytes to element 0 */
  pelt_vertex_format format; /* PELT_FORMAT_NONE: not written */
  uint32_t stride;           /* bytes */
} pelt_output_location;

typedef struct pelt_crowd_outputs {
  uint32_t struct_size;
  uint32_t reserved;
  pelt_output_location positions;
  pelt_output_location normals;
  pelt_output_location tangents;
  pelt_output_location previous_positions;
  pelt_output_location bounds; /* one element per instance */
  /* The table of instances, a storage buffer (pelt/shaders/crowd_table.h, InstanceLocation). It has a copy for each
   * frame in flight. */
  pelt_buffer_location table;
  pelt_output_location tension;
  pelt_output_location anchors; /* one element per anchor */
} pelt_crowd_outputs;

PELT_API pelt_result pelt_crowd_get_info(const pelt_crowd* crowd, pelt_crowd_info* info);
PELT_API pelt_result pelt_crowd_get_instance(const pelt_crowd* crowd, uint32_t instance, pelt_instance_info* info);
/* Returns the locations of the outputs of a frame, which take turns: those of frame n and n + output_slots are the
 * same. */
PELT_API pelt_result pelt_crowd_get_outputs(const pelt_crowd* crowd, uint64_t frame, pelt_crowd_outputs* outputs);
/* Returns the first vertex of a mesh, at a level of detail as in pelt_character_at_level, counted from the first vertex
 * of an instance. PELT_ERROR_NOT_FOUND: the mesh is not written. */
PELT_API pelt_result pelt_crowd_get_mesh_vertex(const pelt_crowd* crowd, uint32_t character, uint32_t mesh,
                                                uint32_t level, uint32_t* vertex);
/* Returns the frame whose positions are the previous positions of a mesh in the last recorded frame: the frame before,
 * or the same frame if the instance or the mesh has just appeared or was teleported. `mesh_vertex`: from
 * pelt_crowd_get_mesh_vertex. With lists of the device's nothing appears. */
PELT_API pelt_result pelt_crowd_get_previous_frame(const pelt_crowd* crowd, uint32_t instance, uint32_t mesh_vertex,
                                                   uint64_t* frame);

/* The room that a crowd has for one resource, how much is free, and the largest free piece. */
typedef struct pelt_room {
  uint64_t capacity;
  uint64_t free;
  uint64_t largest_free;
} pelt_room;
typedef struct pelt_crowd_rooms {
  uint32_t struct_size;
  uint32_t reserved;
  pelt_room instances;
  pelt_room vertices;
  pelt_room palette_entries;
  pelt_room driver_vertices;
  pelt_room joints;
  pelt_room inputs;
  pelt_room anchors;
} pelt_crowd_rooms;
PELT_API pelt_result pelt_crowd_get_rooms(const pelt_crowd* crowd, pelt_crowd_rooms* rooms);

/* The caller's arrays for vertex_count vertices. NULL: not wanted. */
typedef struct pelt_vertices {
  uint32_t struct_size;
  uint32_t vertex_count;     /* must equal the instance's */
  float* positions;          /* 3 per vertex */
  float* normals;            /* 3 per vertex */
  float* tangents;           /* 4 per vertex, w = handedness */
  float* previous_positions; /* 3 per vertex */
  int8_t* tension;           /* 2 per vertex */
} pelt_vertices;

/* Wait for all submitted work, then copy and unpack outputs; for tools and tests. The caller's buffers need
 * VK_BUFFER_USAGE_TRANSFER_SRC_BIT. Errors: an output that the crowd does not write. */
PELT_API pelt_result pelt_crowd_read_vertices(const pelt_crowd* crowd, uint32_t instance,
                                              const pelt_vertices* vertices);
PELT_API pelt_result pelt_crowd_read_bounds(const pelt_crowd* crowd, uint32_t instance, float least[3],
                                            float greatest[3]);

/* ------------------------------------------------------------------------------------------------------- evaluator */

/* One posed copy of a character, moved on the CPU with the same palettes and blend as on the GPU: for tools, servers
 * and tests. */
typedef struct pelt_evaluator pelt_evaluator;

/* A parallel loop on the game's job system: calls call(body, begin, end) for ranges that cover items 0 to count - 1
 * once each, concurrently and on any threads, and returns when all calls have returned. A job should have at least
 * `grain` items. Results do not depend on the split. */
typedef void (*pelt_range_call)(const void* body, size_t begin, size_t end);
typedef void (*pelt_for_ranges)(void* user, size_t count, size_t grain, const void* body, pelt_range_call call);

typedef struct pelt_evaluator_options {
  uint32_t struct_size;
  uint32_t no_normals;      /* 1: neither normals nor tangents */
  uint32_t no_tangents;     /* 1: no tangents */
  uint32_t no_morphs;       /* 1: skins are moved without their morph targets */
  uint32_t same_everywhere; /* 1: slower, but the same bits on every processor */
  uint32_t reserved;
  pelt_for_ranges for_ranges; /* NULL: the calling thread does all work */
  void* for_ranges_user;      /* its first argument */
  uint32_t tension;           /* 1: pelt_evaluated.tension */
} pelt_evaluator_options;

/* Takes all memory. The character is in its rest pose. `options`: NULL for the defaults. */
PELT_API pelt_result pelt_evaluator_create(const pelt_character* character, const pelt_evaluator_options* options,
                                           pelt_evaluator** out);
PELT_API void pelt_evaluator_destroy(pelt_evaluator* evaluator);

/* Copy the joints, all inputs, a stream or a control, like the functions of a crowd. */
PELT_API pelt_result pelt_evaluator_pose(pelt_evaluator* evaluator, const float* joints, uint32_t joint_count);
PELT_API pelt_result pelt_evaluator_inputs(pelt_evaluator* evaluator, const float* values, uint32_t input_count);
PELT_API pelt_result pelt_evaluator_stream(pelt_evaluator* evaluator, uint32_t stream, const float* positions,
                                           uint32_t vertex_count);
PELT_API pelt_result pelt_evaluator_control(pelt_evaluator* evaluator, uint32_t control, float value);
/* Selects the deformers (PELT_DETAIL_FULL) or linear blend (PELT_DETAIL_LINEAR_BLEND; full if a skin has no
 * weights). */
PELT_API pelt_result pelt_evaluator_detail(pelt_evaluator* evaluator, uint32_t detail);
/* Advance the clock of secondary action, like pelt_crowd_advance; start it at rest in the next evaluation. */
PELT_API pelt_result pelt_evaluator_advance(pelt_evaluator* evaluator, float seconds);
PELT_API pelt_result pelt_evaluator_teleport(pelt_evaluator* evaluator);

/* Moves all meshes. Allocates nothing. */
PELT_API pelt_result pelt_evaluator_evaluate(pelt_evaluator* evaluator);

/* The evaluator's arrays of all meshes, one mesh after the other, in packed order. They stay at their addresses until
 * the evaluator is destroyed; each evaluation overwrites them. NULL: the evaluator was made without that attribute. */
typedef struct pelt_evaluated {
  uint32_t struct_size;
  uint32_t vertex_count;
  const float* positions; /* 3 a vertex, model space, metres */
  const float* normals;   /* 3, unit; control meshes have 0, also as tangents */
  const float* tangents;  /* 4, unit, w = handedness */
  /* 2: along tangent and bitangent, 127 log2(length / rest length), clamped (docs/outputs.md, Tension) */
  const int8_t* tension;
} pelt_evaluated;
PELT_API pelt_result pelt_evaluator_get_evaluated(const pelt_evaluator* evaluator, pelt_evaluated* evaluated);

enum {
  PELT_ORDER_CHARACTER = 0, /* packed order, as in triangles and uvs (pelt_mesh_info) */
  PELT_ORDER_MODEL = 1      /* the order of the bound model (pelt_mesh_info.source_vertex) */
};

/* An array of the caller's. */
typedef struct pelt_vertex_array {
  float* values;   /* NULL: not wanted */
  uint32_t stride; /* bytes from one vertex to the next, a multiple of 4; 0: tight */
  uint32_t reserved;
} pelt_vertex_array;

typedef struct pelt_vertex_arrays {
  uint32_t struct_size;
  uint32_t vertex_count; /* must equal that of the mesh, or of all meshes */
  pelt_vertex_array positions;
  pelt_vertex_array normals;
  pelt_vertex_array tangents;
} pelt_vertex_arrays;

/* Copies the last evaluated vertices of a mesh into arrays of the caller's. `mesh` = PELT_NONE: all meshes, one after
 * the other. Errors: nothing was evaluated yet; an attribute that the evaluator was made without. */
PELT_API pelt_result pelt_evaluator_get_vertices(const pelt_evaluator* evaluator, uint32_t mesh, uint32_t order,
                                                 const pelt_vertex_arrays* arrays);

/* Does all of pelt_evaluator_evaluate except moving the skins: enough for the functions below. */
PELT_API pelt_result pelt_evaluator_evaluate_controls(pelt_evaluator* evaluator);

/* A point of a skin. */
typedef struct pelt_skin_point {
  uint32_t struct_size;
  uint32_t mesh;        /* not a control mesh */
  uint32_t triangle;    /* of pelt_mesh_info.triangles; PELT_NONE: the point is a vertex */
  uint32_t vertex;      /* in packed order; not read if there is a triangle */
  float barycentric[3]; /* shares of the triangle's corners, 0 to 1, with the sum 1; not read for a vertex */
} pelt_skin_point;

/* Finds the point of the skin that is nearest to a position (3 floats), model space at bind, metres. */
PELT_API pelt_result pelt_character_nearest_point(const pelt_character* character, const float* position,
                                                  pelt_skin_point* point);

/* Writes the frame of a point of the skin in the last evaluated pose, moving three vertices at most: 12 floats, the
 * upper three rows of a matrix to model space. Its columns are tangent (along the triangle's longest edge at bind; at a
 * vertex the skin's), bitangent, normal (the skin's), all unit and orthogonal, and the position. */
PELT_API pelt_result pelt_evaluator_get_frame(const pelt_evaluator* evaluator, const pelt_skin_point* point,
                                              float* rows);

/* The same of one of the character's anchors. */
PELT_API pelt_result pelt_evaluator_get_anchor(const pelt_evaluator* evaluator, uint32_t anchor, float* rows);

typedef struct pelt_skin_hit {
  uint32_t struct_size;
  uint32_t found; /* 0: nothing, and the other fields are 0 */
  pelt_skin_point point;
  float position[3]; /* model space, metres */
  float distance;    /* from the origin or the given position, metres */
} pelt_skin_hit;

/* Find the first point of the skin on a ray, from either side, and the nearest one to a position, in the last evaluated
 * pose at PELT_DETAIL_FULL. They move only the vertices that they need, and keep them for others in the pose. The
 * first query allocates, and makes an index of the character. `direction`: of any length above 0. `longest`,
 * `farthest`: metres, INFINITY for any. Vectors have 3 floats. */
PELT_API pelt_result pelt_evaluator_find_on_ray(pelt_evaluator* evaluator, const float* origin, const float* direction,
                                                float longest, pelt_skin_hit* hit);
PELT_API pelt_result pelt_evaluator_find_nearest(pelt_evaluator* evaluator, const float* position, float farthest,
                                                 pelt_skin_hit* hit);

#ifdef __cplusplus
}
#endif

#endif
