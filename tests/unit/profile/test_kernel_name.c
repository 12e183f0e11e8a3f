/* Readable names of kernels. */
#include "proxies/profilers/kernel_name.h"
#include "unit/unit.h"

static void test_kernel_names(void **state)
{
    (void)state;
    static const struct {
        const char *symbol, *name;
    } names[] = {
        {"my_kernel", "my_kernel"},
        {"_Z10csr_kernelPKi", "csr_kernel"},
        {"_ZL10csr_kernelPKi", "csr_kernel"},
        {"_Z9histogramILi256EEvPKh", "histogram"},
        {"_ZN3cub17CUB_200700_890_NS24DeviceRadixSortHistogramINS0_6PolicyEEEvPT_",
         "DeviceRadixSortHistogram"},
        {"_ZN5nitro12_GLOBAL__N_16scalarEPd", "scalar"},
        {"_ZNK1a1bEv", "b"},
        {"_ZSt4sortIPiEvT_", "sort"},
        /* Not what they seem. */
        {"_Z", "_Z"},
        {"_Z99short", "_Z99short"},
        {"_Z0a", "_Z0a"},
        {"_ZN3abcE", "abc"},
        {"", ""},
        {"_Z99999999999999999999999a", "_Z99999999999999999999999a"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[64];
        nitro_kernel_name(names[i].symbol, text, sizeof text);
        assert_string_equal(text, names[i].name);
    }
    char cut[5];
    nitro_kernel_name("_Z10csr_kernelPKi", cut, sizeof cut);
    assert_string_equal(cut, "csr_");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernel_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
