/* The machine code of proxy kernels: at intensity i, i x 20 % of a loop's instructions are of the
 * proxy's kind, and none are another's. With arguments: of the CUDA code in these files. */
#include <math.h>

#include "unit/unit.h"

#define MAX_OF_OTHERS 1.0 /* percent: constants that come from memory */

#define SKIPPED_EXIT_CODE 77 /* as ctest is told, of files */

static int num_files;
static char **files;
static bool was_skipped;

static void check_share(const nitro_proxy_share *share)
{
    double wanted = 100.0 * share->intensity / NITRO_PROXY_MAX_INTENSITY;
    double found = 100.0 * (double)share->of_kind / (double)share->instructions;
    double others = 100.0 * (double)share->of_others / (double)share->instructions;
    if (fabs(found - wanted) > NITRO_INSTRUCTION_MIX_TOLERANCE || others > MAX_OF_OTHERS ||
        share->instructions < 250)
        fail_msg("%s at %u (%s): %.1f %% of its kind instead of %.0f, %.1f %% of others', %zu "
                 "instructions",
                 share->kernel->proxy, share->intensity, share->architecture, found, wanted, others,
                 share->instructions);
}

/* Skips, loudly, where there is no disassembler, or nothing that it could say. */
static void check_shares(const char *device_kind, const char *path, size_t multiple)
{
    nitro_context *context = unit_context();
    nitro_proxy_share *shares = NULL;
    size_t count = 0;
    nitro_status status = nitro_instruction_mix_count(context, device_kind, path, &shares, &count);
    if (status == NITRO_ERR_NOT_FOUND || status == NITRO_ERR_NOT_BUILT) {
        char message[1024];
        nitro_context_last_error(context, message, sizeof(message));
        print_message("SKIPPED: %s\n", message);
        nitro_context_free(context);
        was_skipped = true;
        skip();
    }
    assert_ok(context, status);
    assert_int_equal(count % multiple, 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(shares[i].intensity, i % (NITRO_PROXY_MAX_INTENSITY + 1));
        check_share(&shares[i]);
    }
    print_message("%zu loops for %s in %s\n", count, device_kind, path ? path : "this program");
    free(shares);
    nitro_context_free(context);
}

static void test_host(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GNUC__) ||         \
    defined(__clang__)
    print_message("SKIPPED: what sanitizers and other compilers than gcc make of the loops is not "
                  "what is measured with\n");
    skip();
#endif
    check_shares("host", NULL, 30);
}

static void test_cuda_here(void **state)
{
    (void)state;
    if (strstr(nitro_builtin_proxy_kernels()[5]->description, "not in this build")) {
        print_message("SKIPPED: this build is without CUDA\n");
        skip();
    }
    check_shares("cuda", NULL, 30);
}

static void test_files(void **state)
{
    (void)state;
    for (int i = 0; i < num_files; i++)
        check_shares("cuda", files[i], 6);
}

static void test_problems(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_proxy_share *shares = NULL;
    size_t count = 0;
    assert_fails(context, nitro_instruction_mix_count(context, "abacus", NULL, &shares, &count),
                 NITRO_ERR_NOT_BUILT, "'abacus'");
    const char *path = getenv("PATH");
    char *kept = path ? strdup(path) : NULL;
    setenv("PATH", "/nonexistent", 1);
#if defined(__x86_64__)
    assert_fails(context, nitro_instruction_mix_count(context, "host", NULL, &shares, &count),
                 NITRO_ERR_NOT_FOUND, "install the package binutils");
#endif
    setenv("PATH", kept ? kept : "", 1);
    free(kept);
    assert_null(shares);
    nitro_context_free(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_cuda_here),
        cmocka_unit_test(test_problems),
    };
    const struct CMUnitTest of_files[] = {cmocka_unit_test(test_files)};
    num_files = argc - 1;
    files = argv + 1;
    if (num_files == 0)
        return cmocka_run_group_tests(tests, NULL, NULL);
    int failed = cmocka_run_group_tests(of_files, NULL, NULL);
    return failed == 0 && was_skipped ? SKIPPED_EXIT_CODE : failed;
}
