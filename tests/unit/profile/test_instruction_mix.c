/* Instruction mix of proxy kernels: at intensity i, i x 20 % of a loop's instructions are of the
 * proxy's kind, and none of another's. With arguments: of the CUDA kernels in these files. */
#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/profile/listing.h"

#define TOLERANCE         5.0  /* percentage points: a loop has instructions of its own */
#define MAX_OF_OTHERS     1.0  /* percent: constants that come from memory */
#define MAX_CODE_BYTES    8192 /* of a loop's function on the host, and more */
#define MAX_KERNELS       32
#define SKIPPED_EXIT_CODE 77 /* as ctest is told, of files */

static int num_files;
static char **files;
static bool was_skipped;

typedef struct mix_check {
    const char *device_kind;
    const nitro_proxy_kernel *kernel; /* host: whose code is listed now; NULL: done with it */
    unsigned intensity;
    size_t seen[MAX_KERNELS][NITRO_PROXY_MAX_INTENSITY + 1]; /* loops */
} mix_check;

static void check_function(mix_check *self, size_t kernel, unsigned intensity,
                           const listing_syntax *syntax, const listed_function *function)
{
    const char *proxy = nitro_builtin_proxy_kernels()[kernel]->proxy;
    loop_counts counts;
    if (!count_loop(function, kinds_of_proxy(syntax, proxy), &counts))
        fail_msg("the code of %s at %u (%s) has no loop", proxy, intensity, self->device_kind);
    double expected = 100.0 * intensity / NITRO_PROXY_MAX_INTENSITY;
    double found = 100.0 * (double)counts.of_kind / (double)counts.instructions;
    double others = 100.0 * (double)counts.of_others / (double)counts.instructions;
    if (fabs(found - expected) > TOLERANCE || others > MAX_OF_OTHERS || counts.instructions < 250)
        fail_msg("%s at %u (%s%s): %.1f %% of its kind instead of %.0f, %.1f %% of others', %zu "
                 "instructions",
                 proxy, intensity, self->device_kind, function->architecture, found, expected,
                 others, counts.instructions);
    self->seen[kernel][intensity]++;
}

/* Every kernel of the kind has a loop for each intensity, on as many architectures. */
static void check_seen(const mix_check *self, bool all_kernels)
{
    size_t total = 0;
    for (size_t k = 0; nitro_builtin_proxy_kernels()[k]; k++) {
        if (strcmp(nitro_builtin_proxy_kernels()[k]->device_kind, self->device_kind) != 0)
            continue;
        for (size_t i = 0; i <= NITRO_PROXY_MAX_INTENSITY; i++) {
            assert_int_equal(self->seen[k][i], self->seen[k][0]);
            total += self->seen[k][i];
        }
        if (all_kernels)
            assert_true(self->seen[k][0] > 0);
    }
    assert_true(total > 0);
    print_message("%zu loops for %s\n", total, self->device_kind);
}

/* Skips, with a message, where there is no disassembler. */
static void read_disassembly(const char *command, listing *lines)
{
    char *line = NULL;
    size_t capacity = 0;
    FILE *stream = popen(command, "r");
    assert_non_null(stream);
    while (getline(&line, &capacity, stream) >= 0)
        listing_line(lines, line);
    int status = pclose(stream);
    free(line);
    listing_end(lines);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        print_message("SKIPPED: no disassembler: %s\n", command);
        was_skipped = true;
        skip();
    }
    assert_int_equal(status, 0);
}

static void take_host(void *user, const listed_function *function)
{
    mix_check *self = user;
    size_t place = 0;
    if (!self->kernel)
        return; /* what lies behind the loop */
    while (nitro_builtin_proxy_kernels()[place] != self->kernel)
        place++;
    check_function(self, place, self->intensity, &listing_x86, function);
    self->kernel = NULL;
}

static void check_host_loop(mix_check *self, const nitro_proxy_kernel *kernel, unsigned intensity)
{
    char command[256];
    Dl_info info;
    struct link_map *map = NULL;
    uintptr_t address = (uintptr_t)kernel->code(intensity);
    assert_true(dladdr1((void *)address, &info, (void **)&map, RTLD_DL_LINKMAP) && map);
    address -= map->l_addr;
    snprintf(command, sizeof command,
             "objdump -d --no-show-raw-insn --start-address=0x%" PRIxPTR
             " --stop-address=0x%" PRIxPTR " /proc/%ld/exe",
             address, address + MAX_CODE_BYTES, (long)getpid());
    self->kernel = kernel;
    self->intensity = intensity;
    listing lines = {.syntax = &listing_x86, .each = take_host, .user = self};
    read_disassembly(command, &lines);
}

static void test_host(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GNUC__) ||         \
    defined(__clang__) || !defined(__x86_64__)
    print_message(
        "SKIPPED: code of sanitizers, of other compilers than gcc and of other processors "
        "than x86-64 is not checked\n");
    skip();
#endif
    mix_check check = {.device_kind = "host"};
    for (const nitro_proxy_kernel *const *each = nitro_builtin_proxy_kernels(); *each; each++)
        if (strcmp((*each)->device_kind, "host") == 0)
            for (unsigned i = 0; i <= NITRO_PROXY_MAX_INTENSITY; i++)
                check_host_loop(&check, *each, i);
    check_seen(&check, true);
}

/* Names are mangled: _Z18nitro_proxy_atomicILj5E. */
static void take_cuda(void *user, const listed_function *function)
{
    mix_check *self = user;
    for (size_t k = 0; nitro_builtin_proxy_kernels()[k]; k++) {
        const char *symbol = nitro_builtin_proxy_kernels()[k]->symbol;
        char prefix[128];
        if (!symbol)
            continue;
        int length = snprintf(prefix, sizeof prefix, "_Z%zu%sILj", strlen(symbol), symbol);
        if (strncmp(function->name, prefix, (size_t)length) == 0)
            check_function(self, k, (unsigned)(function->name[length] - '0'), &listing_sass,
                           function);
    }
}

static void check_cuda(const char *path, bool all_kernels)
{
    char command[4096 + 256];
    mix_check check = {.device_kind = "cuda"};
    listing lines = {.syntax = &listing_sass, .each = take_cuda, .user = &check};
    snprintf(command, sizeof command,
             "PATH=\"$PATH:${CUDA_HOME:-/usr/local/cuda}/bin\" cuobjdump -sass '%s'", path);
    read_disassembly(command, &lines);
    check_seen(&check, all_kernels);
}

static void test_cuda_here(void **state)
{
    (void)state;
    char path[64];
    if (strstr(nitro_builtin_proxy_kernels()[5]->description, "not in this build")) {
        print_message("SKIPPED: this build is without CUDA\n");
        skip();
    }
    snprintf(path, sizeof path, "/proc/%ld/exe", (long)getpid());
    check_cuda(path, true);
}

static void test_files(void **state)
{
    (void)state;
    for (int i = 0; i < num_files; i++)
        check_cuda(files[i], false);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_host),
                                       cmocka_unit_test(test_cuda_here)};
    const struct CMUnitTest of_files[] = {cmocka_unit_test(test_files)};
    num_files = argc - 1;
    files = argv + 1;
    if (num_files == 0)
        return cmocka_run_group_tests(tests, NULL, NULL);
    int failed = cmocka_run_group_tests(of_files, NULL, NULL);
    return failed == 0 && was_skipped ? SKIPPED_EXIT_CODE : failed;
}
