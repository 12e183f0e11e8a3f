/* Reading disassembly: instructions, loops, counts. */
#include "unit/profile/listing.h"

/* What was counted in each function of a listing, in order. */
typedef struct counted {
    const listing_syntax *syntax;
    const char *proxy;
    size_t count;
    struct {
        char name[64], architecture[32];
        bool has_loop;
        loop_counts counts;
    } functions[8];
} counted;

static void take(void *user, const listed_function *function)
{
    counted *all = user;
    assert_true(all->count < 8);
    snprintf(all->functions[all->count].name, 64, "%.63s", function->name);
    snprintf(all->functions[all->count].architecture, 32, "%.31s", function->architecture);
    all->functions[all->count].has_loop = count_loop(
        function, kinds_of_proxy(all->syntax, all->proxy), &all->functions[all->count].counts);
    all->count++;
}

static counted read_text(const listing_syntax *syntax, const char *proxy, const char *text)
{
    counted all = {.syntax = syntax, .proxy = proxy};
    listing lines = {.syntax = syntax, .each = take, .user = &all};
    char *copy = strdup(text), *rest = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        listing_line(&lines, line);
    listing_end(&lines);
    free(copy);
    return all;
}

#define ASSERT_COUNTS(all, index, kind, others, total, nops)                                       \
    do {                                                                                           \
        assert_true((all).functions[index].has_loop);                                              \
        assert_int_equal((all).functions[index].counts.of_kind, kind);                             \
        assert_int_equal((all).functions[index].counts.of_others, others);                         \
        assert_int_equal((all).functions[index].counts.instructions, total);                       \
        assert_int_equal((all).functions[index].counts.padding, nops);                             \
    } while (0)

/* A loop in a loop, a predicate, an instruction's bits, a jump forward, and the trap at the end. */
static const char sass[] =
    "Fatbin elf code:\n"
    "arch = sm_90\n"
    "\tcode for sm_90\n"
    "\t\tFunction : first\n"
    "        /*0000*/   LDG.E R2, desc[UR4][R2.64] ;  /* 0x00000004ff017b82 */\n"
    "                                                 /* 0x000fe20000000800 */\n"
    "        /*0010*/   FADD R2, R2, R3 ;             /* 0x0000000000007919 */\n"
    "        /*0020*/   @!P0 FFMA.FTZ R2, R2, R3, R4 ; /* 0x0000000000000010 */\n"
    "        /*0030*/   STS [R2+0x10], R3 ;           /* 0x0000000000007919 */\n"
    "        /*0040*/   NOP ;                         /* 0x0000000000007919 */\n"
    "        /*0050*/   @P0 BRA P1, 0x70 ;            /* 0x0000000000007919 */\n"
    "        /*0060*/   @P1 BRA 0x20 ;                /* 0x0000000000007919 */\n"
    "        /*0070*/   @P2 BRA 0x10 ;                /* 0x0000000000007919 */\n"
    "        /*0080*/   EXIT ;                        /* 0x0000000000007919 */\n"
    "        /*0090*/   BRA 0x90;                     /* 0x0000000000007919 */\n"
    "\t\tFunction : second\n"
    "        /*0000*/   RED.E.ADD.STRONG.GPU [R2.64], R3 ; /* 0x0000000000000000 */\n"
    "        /*0010*/   EXIT ; /* 0x0000000000000000 */\n"
    "\tcode for sm_100\n"
    "\t\tFunction : third\n"
    "        /*0000*/   REDG.E.ADD [R2.64], R3 ; /* 0x0000000000000000 */\n"
    "        /*0010*/   ATOMG.E.ADD R1, [R2.64], R3 ; /* 0x0000000000000000 */\n"
    "        /*0020*/   REDUX.SUM UR5, R3 ; /* 0x0000000000000000 */\n"
    "        /*0030*/   BRA 0x0 ; /* 0x0000000000000000 */\n";

static void test_sass(void **state)
{
    (void)state;
    counted all = read_text(&listing_sass, "SP-GFLOP", sass);
    assert_int_equal(all.count, 3);
    assert_string_equal(all.functions[0].name, "first");
    assert_string_equal(all.functions[0].architecture, "sm_90");
    assert_string_equal(all.functions[2].architecture, "sm_100");
    ASSERT_COUNTS(all, 0, 1, 1, 4, 1); /* 0x20 to 0x60, not 0x10 to 0x70 */
    assert_false(all.functions[1].has_loop);
    ASSERT_COUNTS(all, 2, 0, 2, 4, 0);
    all = read_text(&listing_sass, "ATOMIC", sass);
    ASSERT_COUNTS(all, 2, 2, 0, 4, 0); /* a warp's sum is no atomic addition */
    all = read_text(&listing_sass, "SH-MEM-BW", sass);
    ASSERT_COUNTS(all, 0, 1, 1, 4, 1);
    assert_int_equal(kinds_of_proxy(&listing_sass, "HEAT"), 0);
}

static const char x86[] = "lib.so:     file format elf64-x86-64\n"
                          "Disassembly of section .text:\n"
                          "0000000000001000 <loop_3>:\n"
                          "    1000:\tmovss  (%rdi),%xmm0\n"
                          "    1004:\tlock add %eax,(%rdx)\n"
                          "    1008:\tmov    %rax,0x8(%rdx)\n"
                          "    100c:\tmov    %rax,%rdx\n"
                          "    1010:\tlea    0x8(%rdx),%rdx\n"
                          "    1014:\taddss  %xmm1,%xmm0\n"
                          "    1018:\taddsd  %xmm1,%xmm0\n"
                          "    101c:\tnopw   0x0(%rax,%rax,1)\n"
                          "    1020:\tjne    1004 <loop_3+0x4>\n"
                          "    1022:\tret\n"
                          "    1023:\taddss  %xmm1,%xmm0\n"
                          "    1024:\tjmp    1023 <loop_3+0x23>\n";

static void test_x86(void **state)
{
    (void)state;
    counted all = read_text(&listing_x86, "ATOMIC", x86);
    assert_int_equal(all.count, 2);
    ASSERT_COUNTS(all, 0, 1, 3, 7, 1);
    ASSERT_COUNTS(all, 1, 0, 1, 2, 0);
    all = read_text(&listing_x86, "MEM-BW", x86);
    ASSERT_COUNTS(all, 0, 1, 3, 7, 1);
    all = read_text(&listing_x86, "SH-MEM-BW", x86);
    ASSERT_COUNTS(all, 0, 1, 3, 7, 1);
    all = read_text(&listing_x86, "DP-GFLOP", x86);
    ASSERT_COUNTS(all, 0, 1, 3, 7, 1);
}

/* What no disassembler writes is no instruction, and harms nothing. */
static void test_nonsense(void **state)
{
    (void)state;
    counted all =
        read_text(&listing_sass, "ATOMIC",
                  "/*0000*/ FADD R1 ;\n" /* of no function */
                  "Function : a\n/*\n/**/\n/*00\n/*zz*/ FADD\n/*11112222333344445*/ FADD\n"
                  "/*0010*/\n/*0020*/ ;\n/*0030*/ @P0\n/*0040*/ BRA 0x ;\n"
                  "/*0050*/ BRA 0x41 ;\n/*0050*/ BRA 0x50 ;\n/*0020*/ BRA 0x10 ;\n");
    assert_int_equal(all.count, 1);
    assert_false(all.functions[0].has_loop); /* 0x41 is nowhere; addresses only ascend */
    all = read_text(&listing_x86, "ATOMIC", ":\n10\n10:\n10:\t\n10:\t(bad)\nzz:\tadd\n");
    assert_int_equal(all.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sass),
        cmocka_unit_test(test_x86),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
