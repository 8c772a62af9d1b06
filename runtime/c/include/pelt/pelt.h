/* SPDX-License-Identifier: MIT */
/*
 * Pelt for C, and for everything that calls C: the library libpelt.so. docs/c_api.md is its manual.
 *
 * Results. Every function that can fail returns a pelt_result: PELT_OK, or an error, which pelt_last_error() then
 * describes in words. A function that fails leaves its outputs as they were. No exception leaves the library, and a
 * null handle, a null pointer or an index out of range is an error and does not end the program.
 *
 * Structs. If a struct begins with struct_size, set it to the struct's sizeof as the caller was compiled with it:
 *     pelt_crowd_options options = {.struct_size = sizeof options};
 * Fields beyond that size are as if they were 0, and 0 is the default of every field. A size larger than the library
 * knows is an error.
 *
 * Ownership. The caller that receives a handle destroys it. An object keeps the objects it was made from alive: handles
 * may be destroyed in any order. Destroying NULL does nothing. Texts and arrays that a function returns belong to the
 * handle that they came from.
 *
 * Threads. Functions that take a handle as const may run at the same time on that handle; any other function needs the
 * handle for itself. Different handles are independent. The functions from pelt_crowd_acquire to pelt_crowd_level, but
 * for pelt_crowd_add and pelt_crowd_remove, may run at the same time on one crowd if they name different instances, and
 * pelt_crowd_advance, which names none, on one thread beside them. Those of pelt_gpu_characters but its destruction may
 * run at the same time, also while crowds of them are made, posed and recorded.
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
#define PELT_ABI_VERSION 3

/* Returns PELT_ABI_VERSION of the library that is loaded. A program works with it if it equals the program's own. */
PELT_API uint32_t pelt_abi_version(void);
/* Returns the library's version, for example "0.1.0". */
PELT_API const char* pelt_version_string(void);

typedef int32_t pelt_result;
enum {
  PELT_OK = 0,
  PELT_ERROR_INVALID_ARGUMENT = 1, /* the parameters make no sense together */
  PELT_ERROR_NOT_FOUND = 2,        /* a file, mesh, joint, clip or device that was named does not exist */
  PELT_ERROR_READ_FAILED = 3,      /* the operating system refused to read */
  PELT_ERROR_WRITE_FAILED = 4,     /* the operating system refused to write */
  PELT_ERROR_INVALID_FILE = 5,     /* the file's contents break its format */
  PELT_ERROR_UNSUPPORTED = 6,      /* valid, but needs something that is not available */
  PELT_ERROR_DEVICE_FAILED = 7,    /* Vulkan refused or lost the device */
  PELT_ERROR_OUT_OF_MEMORY = 8,    /* host memory ran out */
  PELT_ERROR_INTERNAL = 9,         /* Pelt is at fault, or a callback threw */
  PELT_ERROR_STOPPED = 10          /* who called no longer wants the result */
};

/* Returns one sentence on the last function that failed on this thread: it names the function, the file, the place.
 * Empty if none failed. The text stays until the next failure on this thread; never NULL. */
PELT_API const char* pelt_last_error(void);

/* ------------------------------------------------------------------------------------------------------ characters */

/* The result of binding, which a game loads: immutable, shared by everything that shows it. */
typedef struct pelt_character pelt_character;

/* Loads a .pelt file, or a .glb that carries a character (docs/PELT_deformers/README.md). */
PELT_API pelt_result pelt_character_load(const char* path, pelt_character** out);
/* Loads a character from the bytes of such a file, which are not needed afterwards. `source` names them in errors;
 * NULL: "memory". */
PELT_API pelt_result pelt_character_load_memory(const void* bytes, size_t size, const char* source,
                                                pelt_character** out);
/* Writes a .pelt file. A path that ends in .glb, .gltf or .vrm is an error (use pelt_character_save_glb). */
PELT_API pelt_result pelt_character_save(const pelt_character* character, const char* path);
/* Calls `write` once, with the bytes of such a file, which are valid only during the call. */
PELT_API pelt_result pelt_character_save_memory(const pelt_character* character, void* user,
                                                void (*write)(void* user, const void* bytes, size_t size));
/* Adds an owner: each owner calls pelt_character_destroy once. May be called from any thread. */
PELT_API pelt_result pelt_character_retain(const pelt_character* character);
PELT_API void pelt_character_destroy(pelt_character* character);

/* Makes the character with its skins at a level of detail, 0 to pelt_character_info.coarsest_level: each skin is
 * replaced by its coarsest level that is not above `level`, if it has one. Joints, inputs, controls and clips stay, so
 * that the same poses move all levels alike. Destroy it as any other. */
PELT_API pelt_result pelt_character_at_level(const pelt_character* character, uint32_t level, pelt_character** out);

#define PELT_NONE 0xFFFFFFFFu

typedef struct pelt_character_info {
  uint32_t struct_size;
  uint32_t joint_count;
  uint32_t mesh_count;
  uint32_t clip_count;
  uint32_t stream_count;
  uint32_t control_count;
  uint32_t input_count;  /* floats an instance takes besides its joint matrices */
  uint32_t vertex_count; /* sum over all meshes, control meshes too */
  float size;            /* diagonal of the skin's box at bind, metres */
  float least[3];        /* that box, model space, metres */
  float greatest[3];
  uint32_t coarsest_level; /* of detail; 0: there is no other */
  const char* name;
  uint32_t material_count;
  uint32_t reserved;
} pelt_character_info;

typedef struct pelt_joint_info {
  uint32_t struct_size;
  uint32_t parent; /* always less than the joint's own index; PELT_NONE: a root */
  const char* name;
  float rest[10];            /* its rest pose below its parent, as pelt_character_rest_transforms gives it */
  const float* inverse_bind; /* 16, column-major: from model space at bind to the joint's; NULL: no mesh names it */
} pelt_joint_info;

/* Triangles of a mesh that have one material. */
typedef struct pelt_mesh_part {
  uint32_t first_triangle;
  uint32_t triangle_count;
  uint32_t material; /* index among the character's materials, which are the model's in its order; PELT_NONE: none */
} pelt_mesh_part;

typedef struct pelt_material_info {
  uint32_t struct_size;
  uint32_t reserved;
  const char* name;
  float base_color[4]; /* linear, with alpha. Images and other properties stay in the file of the model */
} pelt_material_info;

typedef struct pelt_mesh_info {
  uint32_t struct_size;
  uint32_t control; /* 1: moves other meshes and is not skin */
  uint32_t vertex_count;
  uint32_t triangle_count;
  const char* name;
  const uint32_t* triangles;     /* 3 vertices of this mesh a triangle */
  const float* uvs;              /* 2 a vertex; NULL: it has none */
  const uint32_t* source_vertex; /* the number of each vertex in the model that was bound */
  const float* rest_positions;   /* 3 a vertex, at bind, model space, metres */
  uint32_t first_vertex;         /* of the mesh, where the vertices of all meshes follow each other */
  uint32_t part_count;
  const pelt_mesh_part* parts; /* together all triangles; NULL: the mesh has none */
} pelt_mesh_info;

typedef struct pelt_clip_info {
  uint32_t struct_size;
  float duration; /* seconds */
  const char* name;
} pelt_clip_info;

/* A control mesh whose vertices the caller places. */
typedef struct pelt_stream_info {
  uint32_t struct_size;
  uint32_t mesh;
  uint32_t vertex_count;
  uint32_t first_input; /* index of the x of vertex 0 among the inputs; 3 inputs a vertex */
} pelt_stream_info;

enum { PELT_CONTROL_MORPH_TARGET = 0, PELT_CONTROL_TWIST = 1, PELT_CONTROL_EXPRESSION = 2, PELT_CONTROL_CLOCK = 3 };

/* A number that the caller gives: the weight of a morph target, the twist of a joint in radians, or an expression from
 * 0 to 1, which adds to the weights of its morph targets. The clock of secondary action is set by the crowd, whatever
 * value it is given (pelt_crowd_advance); it is none for a user to move. */
typedef struct pelt_control_info {
  uint32_t struct_size;
  uint32_t kind;  /* PELT_CONTROL_... */
  uint32_t input; /* its index among the inputs */
  float rest;
  const char* name; /* "mesh/target", "twist/joint", the expression's, as "happy", or "clock" */
} pelt_control_info;

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

/* Find an index by name; PELT_ERROR_NOT_FOUND if there is none. A stream has the name of its mesh. */
PELT_API pelt_result pelt_character_find_joint(const pelt_character* character, const char* name, uint32_t* joint);
PELT_API pelt_result pelt_character_find_clip(const pelt_character* character, const char* name, uint32_t* clip);
PELT_API pelt_result pelt_character_find_stream(const pelt_character* character, const char* mesh, uint32_t* stream);
PELT_API pelt_result pelt_character_find_control(const pelt_character* character, const char* name, uint32_t* control);

/* Give joint matrices as pelt_crowd_pose takes them: model space, 16 floats a joint, column-major. joint_count is
 * the character's. A clip is clamped to its first and last key; joints without keys keep their rest pose. They
 * allocate only on the first call on a thread, and there again for a larger skeleton than before. */
PELT_API pelt_result pelt_character_rest_pose(const pelt_character* character, float* joints, uint32_t joint_count);
PELT_API pelt_result pelt_character_sample_clip(const pelt_character* character, uint32_t clip, float seconds,
                                                float* joints, uint32_t joint_count);
/* The same as transforms below the parents, for a caller who turns joints, 10 floats a joint: rotation (unit quaternion
 * x, y, z, w), translation, scale. */
PELT_API pelt_result pelt_character_rest_transforms(const pelt_character* character, float* transforms,
                                                    uint32_t joint_count);
PELT_API pelt_result pelt_character_sample_transforms(const pelt_character* character, uint32_t clip, float seconds,
                                                      float* transforms, uint32_t joint_count);
/* Gives the joint matrices of such transforms. A joint that the model gave a matrix, which is no product of rotation,
 * translation and scale, keeps that. */
PELT_API pelt_result pelt_character_place_joints(const pelt_character* character, const float* transforms,
                                                 float* joints, uint32_t joint_count);
/* Turns the helper joints of joint matrices in place, and moves along what hangs below them. pelt_crowd_pose and the
 * functions above do it; it is for matrices that go to the device by a buffer of the caller's. */
PELT_API pelt_result pelt_character_turn_helpers(const pelt_character* character, float* joints, uint32_t joint_count);
/* The same as of joints for inputs, as pelt_crowd_inputs takes them: morph targets and twists follow the clip, all
 * others have their value in the rest pose. The first call for a clip plays it once, to follow its twists. */
PELT_API pelt_result pelt_character_rest_inputs(const pelt_character* character, float* inputs, uint32_t input_count);
PELT_API pelt_result pelt_character_sample_inputs(const pelt_character* character, uint32_t clip, float seconds,
                                                  float* inputs, uint32_t input_count);

/* --------------------------------------------------------------------------------------------------------- binding */

/* For tools: PELT_ERROR_UNSUPPORTED if the library was built without PELT_AUTHORING. */
typedef struct pelt_model pelt_model;
typedef struct pelt_rig pelt_rig;

/* Imports a .gltf, .glb, .vrm or .obj file, or a built-in model such as "builtin:biped". */
PELT_API pelt_result pelt_model_import(const char* path_or_builtin, pelt_model** out);
PELT_API void pelt_model_destroy(pelt_model* model);

/* Makes a rig with one layer over all meshes: "linear_blend", "dual_quaternion", "surface_ffd", "curve_skeleton",
 * "mos", "hierarchical_bspline". */
PELT_API pelt_result pelt_rig_from_deformer(const char* deformer, pelt_rig** out);
/* Loads a rig file (docs/rig.md), or the rig that a .gltf, .glb or .vrm file carries (docs/PELT_deformers/README.md),
 * often the file of the model itself; PELT_ERROR_NOT_FOUND if it carries none. */
PELT_API pelt_result pelt_rig_load(const char* path, pelt_rig** out);
PELT_API void pelt_rig_destroy(pelt_rig* rig);

typedef struct pelt_bind_options {
  uint32_t struct_size;
  uint32_t threads;           /* 0: all cores; the result does not depend on it */
  uint32_t keep_vertex_order; /* 1: vertices keep the model's order, which makes the blend slower */
  uint32_t reserved;
  void* user;
  void (*progress)(void* user, double fraction, const char* what); /* on the calling thread; may be NULL */
  /* A number that another thread, `progress` or a signal's handler makes other than 0 to end the bind, which then fails
   * with PELT_ERROR_STOPPED, as a rule within a tenth of a second. It is read atomically and wants to be written so: by
   * __atomic_store_n of GCC and Clang, or as an _Atomic uint32_t whose address is given. May be NULL. */
  const uint32_t* stop;
} pelt_bind_options;

/* Binds the model with the rig. `options`: NULL for the defaults. */
PELT_API pelt_result pelt_bind(const pelt_model* model, const pelt_rig* rig, const pelt_bind_options* options,
                               pelt_character** out);
/* Writes a .glb of a model with the rig and the character that was bound from it, for pelt_character_load. If the
 * model came from glTF, the whole of that file is included: it is read again and must not have changed. Errors: a
 * rig that names other files. */
PELT_API pelt_result pelt_character_save_glb(const pelt_character* character, const pelt_model* model,
                                             const char* path);

/* ---------------------------------------------------------------------------------------------------------- device */

typedef struct pelt_device pelt_device;

typedef struct pelt_device_description {
  uint32_t struct_size;
  uint32_t type; /* VkPhysicalDeviceType */
  char name[256];
  char driver[256];
  char missing[512]; /* what the device lacks of the device profile, separated by commas; empty: usable */
} pelt_device_description;

/* Describes a physical device before a device is made on it. The instance must have Vulkan 1.1. */
PELT_API pelt_result pelt_describe_device(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                                          VkPhysicalDevice physical, pelt_device_description* description);

/* A piece of the caller's device memory. */
typedef struct pelt_memory_piece {
  uint32_t struct_size; /* set by Pelt to the size that it knows: fill no fields beyond it */
  uint32_t coherent;
  VkDeviceMemory memory;
  VkDeviceSize offset;
  void* mapped; /* the piece's first byte, as long as the piece is held; host-visible pieces are always mapped */
  void* owner;  /* for the caller's own use */
} pelt_memory_piece;

typedef struct pelt_memory_callbacks {
  void* user;
  /* Fills `piece` with memory of a type in requirements->memoryTypeBits that has the properties `required` and, if
   * possible, `preferred`; with VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT if `device_address` is 1. `name` says what the
   * memory is for and is valid only during the call. Called from every thread that makes or destroys an object of
   * Pelt's, never while a frame is posed or recorded. */
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
  VkDevice device;                /* Pelt needs no feature and no extension of it */
  VkQueue queue;                  /* for functions that say that they submit and wait; may be null */
  VkPipelineCache pipeline_cache; /* may be null */
  pelt_memory_callbacks memory;   /* no callbacks: Pelt allocates blocks of its own */
  uint32_t debug_utils;           /* 1: VK_EXT_debug_utils is enabled, and objects and commands are named */
  uint32_t buffer_device_address; /* 1: the feature bufferDeviceAddress is enabled, which outputs by address need */
} pelt_device_handles;

/* Works on the caller's device, which outlives everything made from it. Makes only the objects that characters and
 * crowds need, destroys nothing else, and submits only in functions that say so. */
PELT_API pelt_result pelt_device_adopt(const pelt_device_handles* handles, pelt_device** out);

typedef struct pelt_device_options {
  uint32_t struct_size;
  uint32_t validation; /* 1: validation with synchronization validation; needs on_validation_message */
  const char* select;  /* index, or part of a name; NULL: the environment's PELT_DEVICE, else the most capable */
  void* user;
  void (*on_validation_message)(void* user, const char* message);
} pelt_device_options;

/* Makes an instance and a device of Pelt's own, for tools and tests. `options`: NULL for the defaults. */
PELT_API pelt_result pelt_device_create(const pelt_device_options* options, pelt_device** out);
PELT_API void pelt_device_destroy(pelt_device* device);

PELT_API pelt_result pelt_device_get_description(const pelt_device* device, pelt_device_description* description);
/* Gives all handles but pipeline_cache, memory and debug_utils, which stay 0. */
PELT_API pelt_result pelt_device_get_handles(const pelt_device* device, pelt_device_handles* handles);

/* A heap of device memory. */
typedef struct pelt_memory_heap {
  VkDeviceSize size;
  /* What the process may take now, and what it has, as the driver says (VK_EXT_memory_budget); a budget of 0: it says
   * nothing. */
  VkDeviceSize budget;
  VkDeviceSize usage;
  uint32_t device_local;
  uint32_t reserved;
} pelt_memory_heap;
/* Asks the driver, by the numbers of Vulkan: gives the number of heaps, and fills `heaps`, which has space for
 * VK_MAX_MEMORY_HEAPS, or is NULL. Memory that Pelt allocates itself stays within the budgets. */
PELT_API pelt_result pelt_device_get_memory_heaps(const pelt_device* device, pelt_memory_heap* heaps, uint32_t* count);

/* Calls `record` to fill a command buffer, submits it on the device's queue and waits; for tools and tests. */
PELT_API pelt_result pelt_submit_and_wait(const pelt_device* device, const char* name,
                                          void (*record)(void* user, VkCommandBuffer commands), void* user);

/* ---------------------------------------------------------------------------------------------------------- upload */

/* Characters on a device, in one buffer: a crowd moves all of them with the same dispatches. Several crowds may
 * share it. */
typedef struct pelt_gpu_characters pelt_gpu_characters;

typedef struct pelt_upload_options {
  uint32_t struct_size;
  /* 1: also uploads the triangles round each vertex, 32 bytes a vertex, for crowds that recompute normals */
  uint32_t normal_rings;
  /* bytes of bind data to have room for, for characters that are added later (pelt_character_get_upload_bytes); as much
   * as the first ones take if that is more. The device binds all of it at once: at most maxStorageBufferRange */
  VkDeviceSize capacity;
} pelt_upload_options;

/* Gives the bytes of bind data that a character takes. */
PELT_API pelt_result pelt_character_get_upload_bytes(const pelt_character* character,
                                                     const pelt_upload_options* options, VkDeviceSize* bytes);

/* Takes the memory and fills staging memory; submits nothing. `options`: NULL for the defaults. Errors: no
 * character and no capacity for one; more bytes than the device can bind at once or has. */
PELT_API pelt_result pelt_gpu_characters_create(const pelt_device* device, const pelt_character* const* characters,
                                                uint32_t character_count, const pelt_upload_options* options,
                                                pelt_gpu_characters** out);
/* Takes room for a character, fills staging memory of its own, and gives the character's number: the lowest that no
 * other has. Its upload is recorded by the functions below. Errors: not enough room left; no staging memory. */
PELT_API pelt_result pelt_gpu_characters_add(pelt_gpu_characters* characters, const pelt_character* character,
                                             uint32_t* number);
/* Gives the room of a character back. No crowd has it any more (pelt_crowd_remove), and its upload and the frames
 * that moved it are done. */
PELT_API pelt_result pelt_gpu_characters_remove(pelt_gpu_characters* characters, uint32_t number);
/* Records the copies of what was added since, and barriers from them to reads of compute, outside a render pass. Its
 * commands must run before the first frame of a crowd that shows the characters. */
PELT_API pelt_result pelt_gpu_characters_record_upload(pelt_gpu_characters* characters, VkCommandBuffer commands);
/* The same, of at most `most_bytes`; `left` gives how many bytes are left for the next call. Where a queue of another
 * family copies, its commands release what they have copied in whole, and record_acquire on the compute queue, behind a
 * semaphore, acquires it; else both families are the same. */
PELT_API pelt_result pelt_gpu_characters_record_upload_part(pelt_gpu_characters* characters, VkCommandBuffer commands,
                                                            VkDeviceSize most_bytes, uint32_t transfer_family,
                                                            uint32_t compute_family, VkDeviceSize* left);
PELT_API pelt_result pelt_gpu_characters_record_acquire(pelt_gpu_characters* characters, VkCommandBuffer commands,
                                                        uint32_t transfer_family, uint32_t compute_family);
/* Free the staging memory of what was copied in whole, of all characters or of one. Call it when those commands are
 * done. */
PELT_API pelt_result pelt_gpu_characters_finish_upload(pelt_gpu_characters* characters);
PELT_API pelt_result pelt_gpu_characters_finish_upload_of(pelt_gpu_characters* characters, uint32_t number);
/* Does all three at once, submitted on the device's queue and waited for: for load time. */
PELT_API pelt_result pelt_upload_and_wait(const pelt_device* device, const pelt_character* const* characters,
                                          uint32_t character_count, const pelt_upload_options* options,
                                          pelt_gpu_characters** out);
PELT_API void pelt_gpu_characters_destroy(pelt_gpu_characters* characters);
/* Gives the device memory held, without staging. */
PELT_API pelt_result pelt_gpu_characters_get_bytes(const pelt_gpu_characters* characters, VkDeviceSize* bytes);
/* Gives, of those, the bytes that no character has. */
PELT_API pelt_result pelt_gpu_characters_get_free_bytes(const pelt_gpu_characters* characters, VkDeviceSize* bytes);

/* ----------------------------------------------------------------------------------------------------------- crowd */

/* Posed instances of some characters: joint matrices in, deformed vertices out. */
typedef struct pelt_crowd pelt_crowd;

typedef uint32_t pelt_vertex_format;
enum {
  /* positions: float; normals and tangents: octahedral, 16 bits; previous positions: not written */
  PELT_FORMAT_DEFAULT = 0,
  PELT_FORMAT_NONE = 1,        /* not written */
  PELT_FORMAT_FLOAT = 2,       /* positions, normals: 3; tangents: 4, w = handedness */
  PELT_FORMAT_OCTAHEDRAL16 = 3 /* snorm16 x 2; a tangent's lowest bit is 1 if its handedness is -1 */
};

/* How normals and tangents of skins are found. */
enum {
  PELT_NORMALS_BLENDED = 0,   /* turned by the blended frame that moves the vertex */
  PELT_NORMALS_RECOMPUTED = 1 /* computed from the posed triangles round the vertex; tangents made orthogonal to them */
};

/* A place in one of the caller's buffers, which has VK_BUFFER_USAGE_STORAGE_BUFFER_BIT. Null: the crowd has its own. */
typedef struct pelt_buffer_place {
  VkBuffer buffer;
  VkDeviceSize offset; /* bytes */
} pelt_buffer_place;

/* Vertex v of an instance is element first_vertex + v (pelt_instance_info). */
typedef struct pelt_vertex_output {
  pelt_vertex_format format;
  uint32_t stride;         /* bytes, a multiple of 4; 0: tight, or the fastest in the crowd's own buffer */
  pelt_buffer_place place; /* offset: a multiple of 4 */
} pelt_vertex_output;

/* An instance to move, in the caller's list (pelt_crowd_options.visible). */
typedef struct pelt_list_entry {
  uint32_t instance; /* its number in the crowd */
  uint32_t state;    /* PELT_ENTRY_... | PELT_ENTRY_LEVELS(...); 0: moved in full, at its finest level */
} pelt_list_entry;

enum {
  /* previous positions equal this frame's: set it when an instance is moved for the first time, and when it is
   * listed again */
  PELT_ENTRY_TELEPORT = 1,
  /* not moved, its previous positions become its positions: set it once when an instance stops */
  PELT_ENTRY_HOLD = 2,
  /* moved by linear blend with the model's own weights (PELT_DETAIL_LINEAR_BLEND) */
  PELT_ENTRY_LINEAR_BLEND = 4,
  /* secondary action starts at rest, as it does with PELT_ENTRY_TELEPORT */
  PELT_ENTRY_FRESH = 64,
  /* with several output slots, in place of PELT_ENTRY_HOLD: moved again as when it was last moved, with the detail of
   * that time. Set it when an instance stops, once for each further slot */
  PELT_ENTRY_REPEAT = 128,
  /* the second of PELT_ENTRY_LEVELS was not moved in the frame before: its previous positions equal this frame's */
  PELT_ENTRY_NEW_LEVEL = 0x10000000,
  /* only the second is moved */
  PELT_ENTRY_OTHER_LEVEL = 0x20000000
};

/* The levels of detail at which the skins are moved: one, or two while the instance fades. */
#define PELT_ENTRY_LEVELS(level, other) ((uint32_t)(level) << 16 | (uint32_t)(other) << 22)

/* Where the outputs of an output slot are. Offsets: multiples of 4. */
typedef struct pelt_slot_places {
  pelt_buffer_place positions;
  pelt_buffer_place normals;
  pelt_buffer_place tangents;
  pelt_buffer_place bounds;
} pelt_slot_places;

/* Room for instances, as sums over all that a crowd has at once (pelt_add_capacity). */
typedef struct pelt_crowd_capacity {
  uint32_t struct_size;
  uint32_t instances;
  uint64_t vertices; /* of the instances that hold outputs: lower it where few of them do at once */
  uint64_t palette_entries;
  uint64_t driver_vertices;
  uint64_t joints;
  uint64_t inputs;
  uint64_t plan_words;  /* of the work that is planned each frame */
  uint64_t table_words; /* of what it is planned from */
} pelt_crowd_capacity;

typedef struct pelt_crowd_options {
  uint32_t struct_size;
  uint32_t character_count; /* number of entries in `instances` */
  /* The number of instances that the crowd is made with, of each of the pelt_gpu_characters in the order of their
   * numbers; NULL: one of each. They are numbered from 0: those of a character follow each other, and the next
   * character's follow those. The list may be shorter than the pelt_gpu_characters: the crowd does not know the
   * characters beyond it until they are added (pelt_crowd_add), so another thread may upload characters while a crowd
   * is made. */
  const uint32_t* instances;
  uint32_t frames_in_flight; /* frames that may be recorded before the first has finished; 0: 2 */
  uint32_t reserved;
  pelt_vertex_output positions; /* model space, metres */
  pelt_vertex_output normals;   /* unit */
  pelt_vertex_output tangents;  /* unit */
  /* Float positions of the frame before, for motion vectors (docs/runtime.md, Previous positions). Needs positions, in
   * a buffer that keeps its content from frame to frame. For skins only: not together with control_meshes. With
   * several output slots they are the positions of the slot before (pelt_crowd_get_previous_slot), without a place or
   * a stride of their own. */
  pelt_vertex_output previous_positions;
  pelt_buffer_place bounds_place; /* offset: a multiple of 4 */
  /* 1: writes a box round each instance's skin, float3 least then float3 greatest corner, bounds_stride bytes from
   * one box to the next. A box is never smaller than the skin; docs/runtime.md, Bounds, says how much larger. The boxes
   * belong to the frame being recorded; an instance that is not moved keeps its box. */
  uint32_t bounds;
  uint32_t control_meshes; /* 1: writes control meshes too, for tools, and vertices count over all meshes */
  /* Buffers that the device fills, in which every frame reads the same places. They must be written before its
   * commands run, be visible to storage reads of compute, and keep their content until the commands are done
   * (pelt_crowd_record). Offsets are multiples of minStorageBufferOffsetAlignment. The function that sets what such
   * a buffer gives then returns an error. */
  /* Upper three rows of joint matrices, 12 floats a joint, an instance's from its first_joint on, helper joints turned
   */
  pelt_buffer_place joints;
  pelt_buffer_place inputs; /* an instance's from its first_input on, as pelt_crowd_inputs takes them */
  /* A list of the instances to move: a count (uint32_t), then space for a pelt_list_entry for each instance that the
   * crowd has room for; only the first `count` are read. No instance may be listed twice. Entries of instances that the
   * crowd does not have are ignored. */
  pelt_buffer_place visible;
  /* Added to the usage of the crowd's own vertex buffer: VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT and
   * VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR for builds of acceleration structures. The
   * device must have the features enabled that Vulkan requires for them. */
  VkBufferUsageFlags usage;
  uint32_t normal_mode;   /* PELT_NORMALS_...; recomputed: needs positions, and pelt_upload_options.normal_rings */
  uint32_t bounds_stride; /* bytes from one box to the next, a multiple of 4, 24 or more; 0: 24 */
  /* The number of output slots, 1 to 3: of how many frames the vertices and boxes are kept; 0: 1. The frames take the
   * slots in turn, so that the next one may be computed while one is drawn (docs/runtime.md, Output slots). Each slot
   * takes as much memory as the outputs do (pelt_crowd_info). */
  uint32_t output_slots;
  /* Where slots 1 and 2 are, for outputs whose own place is in a buffer of the caller's; formats and strides are those
   * of slot 0, and no slot overlaps another. */
  pelt_slot_places slot_places[2];
  /* A list of the skins to move in a frame that is recorded in two parts (pelt_crowd_record_pose): of what was posed,
   * what is seen. First a count (uint32_t), then the number of each instance (uint32_t), with space for one for each
   * that the crowd has room for. No instance may be listed twice. Where an instance was not listed in the frame before,
   * its previous positions equal its positions. Not together with `visible`, nor with previous positions in several
   * output slots. */
  pelt_buffer_place drawn;
  /* Room to acquire more instances, and to add more characters, while the crowd lives. Of each number the larger
   * counts: this, or what `instances` take. NULL: what they take. */
  const pelt_crowd_capacity* capacity;
} pelt_crowd_options;

/* Adds to `sum` what some instances of a character take together in a crowd of these options, and the character itself.
 * `options`: NULL for the defaults; only its outputs count. */
PELT_API pelt_result pelt_add_capacity(const pelt_character* character, uint32_t instances,
                                       const pelt_crowd_options* options, pelt_crowd_capacity* sum);

/* Takes all memory and makes all pipelines; submits nothing. `options`: NULL for the defaults. Errors: more instance
 * counts than characters, or all of them 0; outputs that contradict each other or are misaligned; recomputed normals of
 * characters without rings; outputs or inputs larger than the device's storage buffer range (the message says how many
 * instances fit); out of memory. */
PELT_API pelt_result pelt_crowd_create(const pelt_device* device, const pelt_gpu_characters* characters,
                                       const pelt_crowd_options* options, pelt_crowd** out);
PELT_API void pelt_crowd_destroy(pelt_crowd* crowd);

/* Gives the number of a new instance of a character, which stands in its rest pose, is shown, and is moved in every
 * frame: the number that was released last, or the lowest that was never taken. `outputs`: 0: it takes no room for
 * outputs and is hidden until it does (pelt_crowd_take_outputs). Takes microseconds and no memory of the device.
 * PELT_ERROR_UNSUPPORTED: there is not enough room (the message says of what). PELT_ERROR_INVALID_ARGUMENT: the crowd
 * does not have the character, or its bind data were removed (pelt_gpu_characters_remove), also where another upload
 * has its number now. */
PELT_API pelt_result pelt_crowd_acquire(pelt_crowd* crowd, uint32_t character, uint32_t outputs, uint32_t* instance);
/* Gives an instance's room back; its outputs are overwritten from the next frame on. */
PELT_API pelt_result pelt_crowd_release(pelt_crowd* crowd, uint32_t instance);
/* Give the room of a hidden instance's outputs back, and take room again, to show it. */
PELT_API pelt_result pelt_crowd_give_outputs(pelt_crowd* crowd, uint32_t instance);
PELT_API pelt_result pelt_crowd_take_outputs(pelt_crowd* crowd, uint32_t instance);
/* Tells the crowd of a character that was added to its pelt_gpu_characters since it was made, so that instances of it
 * can be acquired. Makes the pipelines that no crowd of the device has needed yet; pelt_crowd_prepare makes them ahead,
 * on any thread, also while the crowd is recorded. Errors: no such character; bind data of this one, or of another that
 * the crowd has, that were removed or uploaded anew since the crowd was told of it: pelt_crowd_remove first; not enough
 * room for the plan; a frame that is recorded in part. */
PELT_API pelt_result pelt_crowd_add(pelt_crowd* crowd, uint32_t character);
PELT_API pelt_result pelt_crowd_prepare(const pelt_crowd* crowd, const pelt_character* const* characters,
                                        uint32_t character_count);
/* Forgets a character, of which the crowd has no instance any more. */
PELT_API pelt_result pelt_crowd_remove(pelt_crowd* crowd, uint32_t character);

/* Sets the joint matrices of an instance for the frame that is recorded next: model space, 16 floats a joint,
 * column-major. Helper joints are turned. An instance that is not posed again keeps its pose; one that was never posed
 * stands in its rest pose. It is an error if the crowd reads the joints from a buffer of the caller's; the same holds
 * for the functions that set inputs and for those that choose what is moved. A number that is not finite, or beyond
 * 1e12, is refused, of inputs too: the instance keeps what it had. */
PELT_API pelt_result pelt_crowd_pose(pelt_crowd* crowd, uint32_t instance, const float* joints, uint32_t joint_count);
/* The same of the upper three rows of the matrices, as the crowd keeps them: 12 floats a joint. */
PELT_API pelt_result pelt_crowd_pose_rows(pelt_crowd* crowd, uint32_t instance, const float* joints,
                                          uint32_t joint_count);
/* Set what the skeleton does not move, in the same way: all inputs at once, the vertices of a stream (3 floats each,
 * model space, metres, in the mesh's order), or a control. An input that was never given has its value in the rest
 * pose. */
PELT_API pelt_result pelt_crowd_inputs(pelt_crowd* crowd, uint32_t instance, const float* values, uint32_t input_count);
PELT_API pelt_result pelt_crowd_stream(pelt_crowd* crowd, uint32_t instance, uint32_t stream, const float* positions,
                                       uint32_t vertex_count);
PELT_API pelt_result pelt_crowd_control(pelt_crowd* crowd, uint32_t instance, uint32_t control, float value);

/* Shows (1) or hides (0) an instance. A hidden instance is not moved and keeps its vertices. At first all are shown. */
PELT_API pelt_result pelt_crowd_show(pelt_crowd* crowd, uint32_t instance, uint32_t visible);
/* Moves an instance every n-th frame, instances taking turns; 0: not until this changes. An instance is always moved
 * in the first frame in which it is shown. */
PELT_API pelt_result pelt_crowd_update_every(pelt_crowd* crowd, uint32_t instance, uint32_t frames);
/* Makes the previous positions of the next frame in which the instance is moved equal to that frame's positions, and
 * has its secondary action start at rest there. An instance that appears is teleported. */
PELT_API pelt_result pelt_crowd_teleport(pelt_crowd* crowd, uint32_t instance);

/* Adds to the time in which secondary action goes on, of all instances, seconds: call it once a frame, with the time
 * since the last frame. An instance's motion from the frame in which it was last moved to the one that is recorded next
 * takes the time between them, and the result is the same however that is divided into frames. One that was not moved
 * for more than 64 steps of 1/240 s (0.27 s) starts at rest. A time that is negative or not finite adds nothing. Only
 * motion in model space counts. Crowds without secondary action take no notice. */
PELT_API pelt_result pelt_crowd_advance(pelt_crowd* crowd, float seconds);
/* Gives the value of the clock (PELT_CONTROL_CLOCK) in the frame that is recorded next, for inputs in a buffer of the
 * caller's; the crowd writes it into a buffer of its own. */
PELT_API pelt_result pelt_crowd_get_clock(const pelt_crowd* crowd, float* clock);

enum {
  PELT_DETAIL_FULL = 0,
  /* Moved by linear blend with the model's own weights (docs/detail.md), for which the deformers are not posed; full if
   * a skin has none. */
  PELT_DETAIL_LINEAR_BLEND = 1
};
/* Says how finely an instance is moved, from the next frame in which it is. */
PELT_API pelt_result pelt_crowd_detail(pelt_crowd* crowd, uint32_t instance, uint32_t detail);

/* Shows an instance's skins at a level of detail: each by its coarsest level that is not above `level`. Only that is
 * moved, and drawn from pelt_crowd_get_mesh_vertex or pelt_crowd_get_level_vertex. With `fade_frames` both levels are
 * moved in so many frames, for the game to fade from one to the other; 0: at once. In the first frame of a level its
 * previous positions equal its positions. */
PELT_API pelt_result pelt_crowd_level(pelt_crowd* crowd, uint32_t instance, uint32_t level, uint32_t fade_frames);
/* Gives the levels that the frame moves that was recorded last, and the share of `to`; the remainder is `from`. */
PELT_API pelt_result pelt_crowd_get_shown_levels(const pelt_crowd* crowd, uint32_t instance, uint32_t* from,
                                                 uint32_t* to, float* share);

/* Records the frame, outside a render pass. Never submits, waits or allocates; leaves a pipeline, set 0 and push
 * constants of compute bound. Before a frame is posed and recorded, the one frames_in_flight before it must have
 * finished on the device. The commands must be submitted exactly once, in the order of recording: each frame continues
 * from the state that the one before it left.
 *
 * docs/runtime.md, The barrier contract, has the barriers that the caller records before and after, to copy. Work of
 * earlier compute shaders in the same queue is ordered and visible already. */
PELT_API pelt_result pelt_crowd_record(pelt_crowd* crowd, VkCommandBuffer commands);
/* Record the two parts of a frame, in this order and for each frame both. Between them the boxes of the frame are known
 * (pelt_crowd_options.bounds), before its skins are moved: behind a barrier from COMPUTE_SHADER with
 * SHADER_STORAGE_WRITE a pass of the caller's may read them, and write pelt_crowd_options.drawn. What compute writes
 * between them is visible to the second. */
PELT_API pelt_result pelt_crowd_record_pose(pelt_crowd* crowd, VkCommandBuffer commands);
PELT_API pelt_result pelt_crowd_record_blend(pelt_crowd* crowd, VkCommandBuffer commands);

enum { PELT_PART_POSE = 0, PELT_PART_BLEND = 1 };

/* What a part of a frame does with a buffer that others see too. */
typedef struct pelt_buffer_use {
  const char* name; /* valid for ever */
  VkBuffer buffer;
  VkDeviceSize offset;
  VkDeviceSize size;
  VkPipelineStageFlags2 stages;
  VkAccessFlags2 access;
} pelt_buffer_use;
#define PELT_MAX_BUFFER_USES 8
/* Gives what a part (PELT_PART_...) of the next frame reads and writes of outputs and of the caller's buffers, for the
 * passes of a render graph: fills `uses`, which has space for PELT_MAX_BUFFER_USES, and gives their number. */
PELT_API pelt_result pelt_crowd_get_uses(const pelt_crowd* crowd, uint32_t part, pelt_buffer_use* uses,
                                         uint32_t* count);

/* If compute runs in a queue family of its own, outputs change owner, there and back: of the crowd's buffer and the
 * caller's the parts from the first byte of an output to its last. Call the four functions in the order of a frame,
 * with the same two families each time, and with a semaphore between the queues whose wait covers all commands
 * (docs/runtime.md, Another queue):
 *
 * - Compute queue: acquire_back, pelt_crowd_record, release.
 * - Reading queue: acquire, the reads at `reading_stages`, release_back.
 *
 * If both families are the same, acquire and release_back are the barriers of one queue, and the other two record
 * nothing. Do not use these functions for buffers of VK_SHARING_MODE_CONCURRENT, which need only the semaphores. */
PELT_API pelt_result pelt_crowd_record_release(const pelt_crowd* crowd, VkCommandBuffer commands,
                                               uint32_t compute_family, uint32_t reading_family);
PELT_API pelt_result pelt_crowd_record_acquire(const pelt_crowd* crowd, VkCommandBuffer commands,
                                               uint32_t compute_family, uint32_t reading_family,
                                               VkPipelineStageFlags2 reading_stages, VkAccessFlags2 reading_access);
PELT_API pelt_result pelt_crowd_record_release_back(const pelt_crowd* crowd, VkCommandBuffer commands,
                                                    uint32_t compute_family, uint32_t reading_family,
                                                    VkPipelineStageFlags2 reading_stages);
PELT_API pelt_result pelt_crowd_record_acquire_back(const pelt_crowd* crowd, VkCommandBuffer commands,
                                                    uint32_t compute_family, uint32_t reading_family);

typedef struct pelt_crowd_info {
  uint32_t struct_size;
  uint32_t character_count;
  uint32_t instance_count; /* that the crowd has room for: numbers of instances are below */
  uint32_t dispatch_count; /* dispatches that a frame records at most, for any number of instances */
  uint32_t barrier_count;  /* barriers that a frame records, for any number of instances */
  uint32_t output_slots;
  /* Device memory of the crowd's own, bytes; what is in buffers of the caller's does not count. */
  uint64_t output_bytes;  /* of all output slots together */
  uint64_t palette_bytes; /* and the vertices of drivers */
  uint64_t input_bytes;   /* joint matrices and inputs of all frames in flight */
  uint64_t plan_bytes;    /* jobs, starts and lists */
} pelt_crowd_info;

typedef struct pelt_instance_info {
  uint32_t struct_size;
  uint32_t character;
  uint32_t first_vertex; /* index of the instance's first vertex in every output; 0 without outputs */
  uint32_t vertex_count; /* of all its skins and levels */
  uint32_t first_joint;  /* of the instance, in a buffer of the caller's */
  uint32_t first_input;
  uint32_t has_outputs;
} pelt_instance_info;

typedef struct pelt_output_place {
  VkBuffer buffer;
  VkDeviceSize offset;       /* bytes to element 0 */
  pelt_vertex_format format; /* PELT_FORMAT_NONE: not written */
  uint32_t stride;           /* bytes */
} pelt_output_place;

typedef struct pelt_crowd_outputs {
  uint32_t struct_size;
  uint32_t reserved;
  pelt_output_place positions;
  pelt_output_place normals;
  pelt_output_place tangents;
  pelt_output_place previous_positions;
  pelt_output_place bounds; /* one element an instance */
} pelt_crowd_outputs;

PELT_API pelt_result pelt_crowd_get_info(const pelt_crowd* crowd, pelt_crowd_info* info);
PELT_API pelt_result pelt_crowd_get_instance(const pelt_crowd* crowd, uint32_t instance, pelt_instance_info* info);
/* Tells where the outputs of the frame that was recorded last are; before the first frame, where those of the first
 * will be. With several output slots the answer changes from frame to frame. */
PELT_API pelt_result pelt_crowd_get_outputs(const pelt_crowd* crowd, pelt_crowd_outputs* outputs);
/* Tells where the outputs of a slot are, which stays the same. Previous positions are those of the frame that writes
 * the slot. */
PELT_API pelt_result pelt_crowd_get_slot_outputs(const pelt_crowd* crowd, uint32_t slot, pelt_crowd_outputs* outputs);
/* Gives the slot of the frame that was recorded last; 0 before the first. */
PELT_API pelt_result pelt_crowd_get_output_slot(const pelt_crowd* crowd, uint32_t* slot);
/* Gives the slot in whose positions an instance's previous positions of the frame that was recorded last are: the slot
 * before, or the frame's own where the instance has just appeared, was teleported, or shows a level for the first time.
 * With a list of the caller's it is always the slot before: what is listed with PELT_ENTRY_TELEPORT is drawn without
 * motion. */
PELT_API pelt_result pelt_crowd_get_previous_slot(const pelt_crowd* crowd, uint32_t instance, uint32_t* slot);
/* The same of one of its meshes, by the vertex that pelt_crowd_get_mesh_vertex or pelt_crowd_get_level_vertex gives: in
 * the first frame of a level only the meshes that the level before did not show have no motion. */
PELT_API pelt_result pelt_crowd_get_mesh_previous_slot(const pelt_crowd* crowd, uint32_t instance, uint32_t mesh_vertex,
                                                       uint32_t* slot);
/* Gives the address of element 0 of an output, for shaders and builds of acceleration structures. The buffer needs
 * VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT (pelt_crowd_options.usage for the crowd's own; the caller sets it for
 * the caller's), and the device needs bufferDeviceAddress. */
PELT_API pelt_result pelt_crowd_get_device_address(const pelt_crowd* crowd, const pelt_output_place* place,
                                                   VkDeviceAddress* address);
/* Gives the first of the instances of a character that the crowd was made with; the character's others follow it. */
PELT_API pelt_result pelt_crowd_get_first_instance(const pelt_crowd* crowd, uint32_t character, uint32_t* instance);
/* Gives the index of vertex 0 of a mesh, from the first vertex of an instance. PELT_ERROR_NOT_FOUND: the mesh is not
 * written. */
PELT_API pelt_result pelt_crowd_get_mesh_vertex(const pelt_crowd* crowd, uint32_t character, uint32_t mesh,
                                                uint32_t* vertex);

/* Gives the same of a level of a skin, by its index among the levels of the character. */
PELT_API pelt_result pelt_crowd_get_level_vertex(const pelt_crowd* crowd, uint32_t character, uint32_t level,
                                                 uint32_t* vertex);

/* What a crowd has of something, of what it has room for, and the largest piece that is free. */
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
} pelt_crowd_rooms;
PELT_API pelt_result pelt_crowd_get_rooms(const pelt_crowd* crowd, pelt_crowd_rooms* rooms);

/* The caller's arrays for vertex_count vertices. NULL: not wanted. */
typedef struct pelt_vertices {
  uint32_t struct_size;
  uint32_t vertex_count;     /* must equal the instance's */
  float* positions;          /* 3 a vertex */
  float* normals;            /* 3 a vertex */
  float* tangents;           /* 4 a vertex, w = handedness */
  float* previous_positions; /* 3 a vertex */
} pelt_vertices;

/* Copy what the crowd wrote, unpacked, and wait for everything submitted before; for tools and tests. The caller's
 * buffers need VK_BUFFER_USAGE_TRANSFER_SRC_BIT. Asking for an output that the crowd does not write is an error. */
PELT_API pelt_result pelt_crowd_read_vertices(const pelt_crowd* crowd, uint32_t instance,
                                              const pelt_vertices* vertices);
PELT_API pelt_result pelt_crowd_read_bounds(const pelt_crowd* crowd, uint32_t instance, float least[3],
                                            float greatest[3]);

/* ------------------------------------------------------------------------------------------------------- evaluator */

/* One posed copy of a character that the CPU moves, by the same palettes and the same blend: for tools, servers and
 * tests. */
typedef struct pelt_evaluator pelt_evaluator;

/* A loop by a job system of the game's: calls call(body, begin, end) over ranges that cover 0 to count - 1, every item
 * once, at once and on any threads as it likes, and returns when all have returned. `grain` items are worth a job.
 * Results do not depend on the split. */
typedef void (*pelt_range_call)(const void* body, size_t begin, size_t end);
typedef void (*pelt_for_ranges)(void* user, size_t count, size_t grain, const void* body, pelt_range_call call);

typedef struct pelt_evaluator_options {
  uint32_t struct_size;
  uint32_t normal_mode;       /* PELT_NORMALS_... */
  uint32_t no_normals;        /* 1: neither normals nor tangents */
  uint32_t no_tangents;       /* 1: no tangents */
  uint32_t no_morphs;         /* 1: skins are moved without their morph targets */
  uint32_t same_everywhere;   /* 1: slower, and gives the same bits on every processor */
  pelt_for_ranges for_ranges; /* NULL: all work is done by the calling thread */
  void* for_ranges_user;      /* its first argument */
} pelt_evaluator_options;

/* Takes all memory. The character stands in its rest pose. `options`: NULL for the defaults. */
PELT_API pelt_result pelt_evaluator_create(const pelt_character* character, const pelt_evaluator_options* options,
                                           pelt_evaluator** out);
PELT_API void pelt_evaluator_destroy(pelt_evaluator* evaluator);

/* Set the joints, all inputs, a stream and a control, as the functions of a crowd do; they copy them. */
PELT_API pelt_result pelt_evaluator_pose(pelt_evaluator* evaluator, const float* joints, uint32_t joint_count);
PELT_API pelt_result pelt_evaluator_inputs(pelt_evaluator* evaluator, const float* values, uint32_t input_count);
PELT_API pelt_result pelt_evaluator_stream(pelt_evaluator* evaluator, uint32_t stream, const float* positions,
                                           uint32_t vertex_count);
PELT_API pelt_result pelt_evaluator_control(pelt_evaluator* evaluator, uint32_t control, float value);
/* Moves by the deformers (PELT_DETAIL_FULL) or by linear blend (PELT_DETAIL_LINEAR_BLEND; full if a skin has no
 * weights). */
PELT_API pelt_result pelt_evaluator_detail(pelt_evaluator* evaluator, uint32_t detail);
/* Add to the time of secondary action, as pelt_crowd_advance does, and have it start at rest in the next evaluation. */
PELT_API pelt_result pelt_evaluator_advance(pelt_evaluator* evaluator, float seconds);
PELT_API pelt_result pelt_evaluator_teleport(pelt_evaluator* evaluator);

/* Moves all meshes. Allocates nothing itself. */
PELT_API pelt_result pelt_evaluator_evaluate(pelt_evaluator* evaluator);

/* The evaluator's own arrays, of all meshes one after the other, in the character's order: they stay where they are as
 * long as the evaluator lives, and each evaluation writes them. NULL: the evaluator was made without. */
typedef struct pelt_evaluated {
  uint32_t struct_size;
  uint32_t vertex_count;
  const float* positions; /* 3 a vertex, model space, metres */
  const float* normals;   /* 3, unit */
  const float* tangents;  /* 4, unit, w = handedness */
} pelt_evaluated;
PELT_API pelt_result pelt_evaluator_get_evaluated(const pelt_evaluator* evaluator, pelt_evaluated* evaluated);

enum {
  PELT_ORDER_CHARACTER = 0, /* as triangles and uvs name the vertices (pelt_mesh_info) */
  PELT_ORDER_MODEL = 1      /* as the model has them that was bound (pelt_mesh_info.source_vertex) */
};

/* An array of the caller's. */
typedef struct pelt_vertex_array {
  float* values;   /* NULL: not wanted */
  uint32_t stride; /* bytes from one vertex to the next, a multiple of 4; 0: tight */
  uint32_t reserved;
} pelt_vertex_array;

typedef struct pelt_vertex_arrays {
  uint32_t struct_size;
  uint32_t vertex_count; /* must equal the mesh's, or all meshes' */
  pelt_vertex_array positions;
  pelt_vertex_array normals;
  pelt_vertex_array tangents;
} pelt_vertex_arrays;

/* Writes the vertices of a mesh as they were evaluated last into arrays of the caller's. `mesh`: PELT_NONE: of all
 * meshes one after the other. Errors: nothing was evaluated yet; an array of what the evaluator was made without. */
PELT_API pelt_result pelt_evaluator_get_vertices(const pelt_evaluator* evaluator, uint32_t mesh, uint32_t order,
                                                 const pelt_vertex_arrays* arrays);

#ifdef __cplusplus
}
#endif

#endif
