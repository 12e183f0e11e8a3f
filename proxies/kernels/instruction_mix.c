/*
 * What share of a proxy kernel's instructions is of its kind, counted in the machine code that
 * runs. Hides which disassembler says so, and where the code is.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proxies/kernels/listing.h"
#include "proxies/kernels/tool.h"

#define PATH_SIZE      4096
#define MAX_CODE_BYTES 0x2000 /* of a loop's function on the host, and more */
#define MAX_SHARES     4096

typedef struct count {
    nitro_context *context;
    const char *device_kind;
    const nitro_listing_syntax *syntax;
    nitro_proxy_share *shares;
    size_t num_shares;
    const nitro_proxy_kernel *kernel; /* host: whose code is listed now */
    unsigned intensity;
} count;

static nitro_status add_share(count *to, const nitro_proxy_kernel *kernel, unsigned intensity,
                              const nitro_listed_function *function)
{
    nitro_listed_counts counts;
    if (to->num_shares == MAX_SHARES)
        return NITRO_OK;
    if (!nitro_listing_count_loop(function, nitro_listing_kinds(to->syntax, kernel->proxy),
                                  &counts))
        return nitro_fail(to->context, NITRO_ERR_FORMAT,
                          "the code of %s at intensity %u (%s) has no loop", kernel->proxy,
                          intensity, kernel->device_kind);
    nitro_proxy_share *grown = realloc(to->shares, (to->num_shares + 1) * sizeof(*to->shares));
    if (!grown)
        return nitro_fail(to->context, NITRO_ERR_NO_MEMORY, "no memory for shares");
    to->shares = grown;
    nitro_proxy_share *share = &grown[to->num_shares++];
    *share = (nitro_proxy_share){.kernel = kernel,
                                 .intensity = intensity,
                                 .instructions = counts.instructions,
                                 .padding = counts.padding,
                                 .of_kind = counts.of_kind,
                                 .of_others = counts.of_others};
    snprintf(share->architecture, sizeof(share->architecture), "%.31s", function->architecture);
    return NITRO_OK;
}

/* The path of the file that this code was loaded from, and where it was loaded. */
static nitro_status find_library(nitro_context *context, char *path, uintptr_t *load_address)
{
    Dl_info info;
    struct link_map *map = NULL;
    ssize_t length;
    if (dladdr1((void *)(uintptr_t)nitro_instruction_mix_count, &info, (void **)&map,
                RTLD_DL_LINKMAP) == 0 ||
        !map)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND, "cannot find the file of this library");
    *load_address = map->l_addr;
    if (map->l_name[0] != '\0') {
        snprintf(path, PATH_SIZE, "%s", map->l_name);
        return NITRO_OK;
    }
    length = readlink("/proc/self/exe", path, PATH_SIZE - 1);
    if (length < 0)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND, "cannot find the file of this program");
    path[length] = '\0';
    return NITRO_OK;
}

static nitro_status read_line(void *user, const char *line)
{
    return nitro_listing_line(user, line);
}

/* ---- CUDA: one listing of everything in a file ---------------------------------------------- */

/* Is the function this kernel's at some intensity? Names are mangled: _Z18nitro_proxy_atomicILj5E.
 */
static bool is_kernel(const nitro_proxy_kernel *kernel, const char *name, unsigned *intensity)
{
    char prefix[128];
    if (!kernel->symbol)
        return false;
    int length =
        snprintf(prefix, sizeof(prefix), "_Z%zu%sILj", strlen(kernel->symbol), kernel->symbol);
    if (strncmp(name, prefix, (size_t)length) != 0 || name[length] < '0' ||
        name[length] > '0' + NITRO_PROXY_MAX_INTENSITY || name[length + 1] != 'E')
        return false;
    *intensity = (unsigned)(name[length] - '0');
    return true;
}

static nitro_status take_cuda(void *user, const nitro_listed_function *function)
{
    count *to = user;
    unsigned intensity;
    for (const nitro_proxy_kernel *const *each = nitro_builtin_proxy_kernels(); *each; each++)
        if (strcmp((*each)->device_kind, to->device_kind) == 0 &&
            is_kernel(*each, function->name, &intensity))
            return add_share(to, *each, intensity, function);
    return NITRO_OK;
}

/* The toolkit's program: on PATH, or where toolkits are. */
static const char *find_cuobjdump(char *path)
{
    const char *const folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    char *copy = getenv("PATH") ? strdup(getenv("PATH")) : NULL, *rest = NULL;
    const char *found = NULL;
    for (char *folder = copy ? strtok_r(copy, ":", &rest) : NULL; folder && !found;
         folder = strtok_r(NULL, ":", &rest)) {
        snprintf(path, PATH_SIZE, "%s/cuobjdump", folder);
        found = access(path, X_OK) == 0 ? path : NULL;
    }
    free(copy);
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && !found; i++) {
        snprintf(path, PATH_SIZE, "%s/bin/cuobjdump", folders[i] ? folders[i] : "");
        found = folders[i] && access(path, X_OK) == 0 ? path : NULL;
    }
    return found;
}

static nitro_status count_cuda(count *to, const char *file)
{
    char program[PATH_SIZE];
    if (!find_cuobjdump(program))
        return nitro_fail(to->context, NITRO_ERR_NOT_FOUND,
                          "machine code for cuda is read with the CUDA toolkit's cuobjdump, which "
                          "is neither on PATH nor in $CUDA_HOME/bin: install the package "
                          "cuda-cuobjdump, or 'pip install nvidia-cuda-cuobjdump "
                          "nvidia-cuda-nvdisasm'");
    const char *const arguments[] = {program, "-sass", file, NULL};
    nitro_listing listing = {
        .context = to->context, .syntax = to->syntax, .each = take_cuda, .user = to};
    nitro_status status = nitro_tool_run(to->context, arguments, read_line, &listing);
    if (status == NITRO_OK)
        status = nitro_listing_end(&listing);
    nitro_listing_free(&listing);
    return status;
}

/* ---- Host: a listing of each loop, by its address ------------------------------------------- */

static nitro_status take_host(void *user, const nitro_listed_function *function)
{
    count *to = user;
    if (!to->kernel)
        return NITRO_OK; /* what lies behind the loop */
    nitro_listed_function named = *function;
    snprintf(named.architecture, sizeof(named.architecture), "x86-64");
    nitro_status status = add_share(to, to->kernel, to->intensity, &named);
    to->kernel = NULL;
    return status;
}

static nitro_status count_loop(count *to, const nitro_proxy_kernel *kernel, unsigned intensity,
                               const char *file, uintptr_t load_address)
{
    char begin[64], end[64];
    uintptr_t address = (uintptr_t)kernel->code(intensity) - load_address;
    snprintf(begin, sizeof(begin), "--start-address=0x%" PRIxPTR, address);
    snprintf(end, sizeof(end), "--stop-address=0x%" PRIxPTR, address + MAX_CODE_BYTES);
    const char *const arguments[] = {"objdump", "-d", "--no-show-raw-insn", begin, end, file, NULL};
    nitro_listing listing = {
        .context = to->context, .syntax = to->syntax, .each = take_host, .user = to};
    to->kernel = kernel;
    to->intensity = intensity;
    nitro_status status = nitro_tool_run(to->context, arguments, read_line, &listing);
    if (status == NITRO_OK)
        status = nitro_listing_end(&listing);
    nitro_listing_free(&listing);
    if (status == NITRO_ERR_NOT_FOUND)
        return nitro_fail(to->context, status,
                          "machine code of the host is read with objdump, which is not on PATH: "
                          "install the package binutils");
    return status;
}

static nitro_status count_host(count *to, const char *file, uintptr_t load_address)
{
    nitro_status status = NITRO_OK;
    for (const nitro_proxy_kernel *const *each = nitro_builtin_proxy_kernels(); *each; each++)
        if (strcmp((*each)->device_kind, to->device_kind) == 0)
            for (unsigned i = 0; i <= NITRO_PROXY_MAX_INTENSITY && status == NITRO_OK; i++)
                status = count_loop(to, *each, i, file, load_address);
    return status;
}

/* ---- Both ----------------------------------------------------------------------------------- */

static size_t place_of(const nitro_proxy_kernel *kernel)
{
    const nitro_proxy_kernel *const *all = nitro_builtin_proxy_kernels();
    size_t place = 0;
    while (all[place] && all[place] != kernel)
        place++;
    return place;
}

/* As kernels are declared, then by architecture (sm_90 before sm_100), then by intensity. */
static int compare(const void *left, const void *right)
{
    const nitro_proxy_share *a = left, *b = right;
    size_t place_a = place_of(a->kernel), place_b = place_of(b->kernel);
    size_t length_a = strlen(a->architecture), length_b = strlen(b->architecture);
    if (place_a != place_b)
        return place_a < place_b ? -1 : 1;
    if (length_a != length_b)
        return length_a < length_b ? -1 : 1;
    int order = strcmp(a->architecture, b->architecture);
    return order != 0 ? order : (int)a->intensity - (int)b->intensity;
}

static const nitro_listing_syntax *syntax_of(const char *device_kind)
{
    if (strcmp(device_kind, "cuda") == 0)
        return &nitro_listing_sass;
#if defined(__x86_64__)
    if (strcmp(device_kind, "host") == 0)
        return &nitro_listing_x86;
#endif
    return NULL;
}

nitro_status nitro_instruction_mix_count(nitro_context *context, const char *device_kind,
                                         const char *path, nitro_proxy_share **shares,
                                         size_t *num_shares)
{
    char library[PATH_SIZE] = "";
    uintptr_t load_address = 0;
    count to = {.context = context, .device_kind = device_kind, .syntax = syntax_of(device_kind)};
    if (!to.syntax)
        return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                          "there is no table of the instructions of this machine's devices of kind "
                          "'%.80s': the tables are in proxies/kernels/listing.c",
                          device_kind);
    nitro_status status = find_library(context, library, &load_address);
    if (status == NITRO_OK && to.syntax == &nitro_listing_sass)
        status = count_cuda(&to, path ? path : library);
    else if (status == NITRO_OK)
        status = count_host(&to, library, load_address);
    if (status == NITRO_OK && to.num_shares == 0)
        status = nitro_fail(context, NITRO_ERR_NO_DATA,
                            "%s holds no machine code of proxy kernels for %s",
                            path ? path : library, device_kind);
    if (status != NITRO_OK) {
        free(to.shares);
        return status;
    }
    qsort(to.shares, to.num_shares, sizeof(*to.shares), compare);
    *shares = to.shares;
    *num_shares = to.num_shares;
    return NITRO_OK;
}
