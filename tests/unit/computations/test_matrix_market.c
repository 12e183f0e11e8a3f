/* Matrix Market files: every supported kind, and every kind of error. */
#include <locale.h>
#include <math.h>
#include <unistd.h>

#include "apps/matrix/matrix.h"
#include "apps/matrix/matrix_market.h"
#include "unit/unit.h"

#define GENERAL "%%MatrixMarket matrix coordinate real general\n"

static nitro_matrix *parse(nitro_context *context, const char *text)
{
    /* a copy of exactly this size: the sanitizer sees a read past the end */
    size_t size = strlen(text);
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    nitro_matrix *matrix = NULL;
    assert_ok(context, nitro_matrix_market_parse(context, "test.mtx", copy, size, &matrix));
    free(copy);
    return matrix;
}

/* The whole matrix, row-major. */
static void assert_matrix(const nitro_matrix *matrix, int64_t rows, int64_t cols,
                          const double *dense)
{
    assert_int_equal(matrix->num_rows, rows);
    assert_int_equal(matrix->num_cols, cols);
    int64_t nonzeros = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t k = matrix->row_offsets[row];
        for (int64_t column = 0; column < cols; column++) {
            double expected = dense[row * cols + column];
            if (expected == 0)
                continue;
            assert_true(k < matrix->row_offsets[row + 1]);
            assert_int_equal(matrix->columns[k], column);
            assert_true(matrix->values[k] == expected);
            k++;
            nonzeros++;
        }
        assert_int_equal(k, matrix->row_offsets[row + 1]);
    }
    assert_int_equal(matrix->num_nonzeros, nonzeros);
}

static void kinds_that_are_read(void **state)
{
    static const double general[] = {1.5, 0, 0, 0, -2, 3};
    static const double symmetric[] = {1, 2, 0, 2, 0, 3, 0, 3, 4};
    static const double skew[] = {0, -2, 2, 0};
    static const double pattern[] = {0, 1, 1, 0};
    static const struct {
        const char *text;
        int64_t rows, cols;
        const double *dense;
    } cases[] = {
        {GENERAL "2 3 3\n1 1 1.5\n2 3 3\n2 2 -2e0\n", 2, 3, general},
        {"%%matrixmarket MATRIX Coordinate REAL General\r\n% c\r\n\r\n2 3 3\r\n1 1 15e-1\r\n"
         "\t2 3  +3.\r\n% comment\n2 2 -2\n\n% end",
         2, 3, general},
        {"%%MatrixMarket matrix coordinate integer symmetric\n3 3 4\n1 1 1\n2 1 2\n3 2 3\n3 3 4", 3,
         3, symmetric},
        {"%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n1 2 2\n2 3 3\n3 3 4", 3, 3,
         symmetric},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 2\n", 2, 2, skew},
        {"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", 2, 2, pattern},
        {GENERAL "2 3 5\n2 2 -1\n1 1 1\n2 3 3\n1 1 0.5\n2 2 -1\n", 2, 3, general}, /* added up */
    };
    nitro_context *context = unit_context();
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        nitro_matrix *matrix = parse(context, cases[i].text);
        assert_matrix(matrix, cases[i].rows, cases[i].cols, cases[i].dense);
        nitro_matrix_free(matrix);
    }
    nitro_context_free(context);
}

/* As strtod says, to the last bit, in every form and also where the locale has another point. */
static void numbers_are_correctly_rounded(void **state)
{
    static const char *const numbers[] = {
        "0",
        "-0",
        "1",
        "-1.",
        ".5",
        "+0.1",
        "0.3",
        "1e22",
        "1e23",
        "1E-22",
        "1e-23",
        "9007199254740992",
        "9007199254740993",
        "123456789012345678901234567890",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "1e-400",
        "1.7976931348623157e308",
        "0.1000000000000000055511151231257827",
        "3.14159265358979323846",
        "00000000000000000000000000000000000000000000000000000000000001",
        "8.5e+07",
        "6.02214076E+0023",
    };
    nitro_context *context = unit_context();
    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        char text[256];
        snprintf(text, sizeof(text), "%s1 1 1\n1 1 %s", GENERAL, numbers[i]);
        double expected = strtod(numbers[i], NULL);
        if (setlocale(LC_NUMERIC, "de_DE.UTF-8"))
            print_message("(in a locale with a decimal comma)\n");
        nitro_matrix *matrix = parse(context, text);
        setlocale(LC_NUMERIC, "C");
        if (memcmp(&matrix->values[0], &expected, sizeof(expected)) != 0)
            fail_msg("%s was read as %.17g", numbers[i], matrix->values[0]);
        nitro_matrix_free(matrix);
    }
    nitro_context_free(context);
}

static void random_numbers_are_correctly_rounded(void **state)
{
    nitro_context *context = unit_context();
    nitro_random random;
    (void)state;
    nitro_random_seed(&random, 2);
    for (int i = 0; i < 5000; i++) {
        char text[256], number[64];
        int digits = 1 + (int)nitro_random_below(&random, 18);
        double value = (nitro_random_uniform(&random) - 0.5) *
                       pow(10, (double)nitro_random_below(&random, 50) - 25);
        snprintf(number, sizeof(number), i % 2 ? "%.*e" : "%.*g", digits, value);
        snprintf(text, sizeof(text), "%s1 1 1\n1 1 %s\n", GENERAL, number);
        nitro_matrix *matrix = parse(context, text);
        if (matrix->values[0] != strtod(number, NULL))
            fail_msg("%s was read as %.17g", number, matrix->values[0]);
        nitro_matrix_free(matrix);
    }
    nitro_context_free(context);
}

static void malformed_files_are_refused(void **state)
{
#define HEAD(kind) "%%MatrixMarket matrix coordinate " kind "\n"
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "test.mtx: the file is empty"},
        {"\n", "test.mtx:1: no header"},
        {"3 3 1\n1 1 1\n", "test.mtx:1: no header"},
        {"%MatrixMarket matrix coordinate real general\n1 1 0\n", "test.mtx:1: no header"},
        {"%%MatrixMarket matrix coordinate real\n", "test.mtx:1: the header has 4 fields"},
        {"%%MatrixMarket matrix coordinate real general x\n",
         "test.mtx:1: the header has 6 fields"},
        {"%%MatrixMarket vector coordinate real general\n", "field 2 (object): 'vector'"},
        {"%%MatrixMarket matrix array real general\n", "field 3 (format): array files hold dense"},
        {"%%MatrixMarket matrix list real general\n", "field 3 (format): 'list'"},
        {HEAD("complex general"), "field 4 (number type): complex matrices are not supported"},
        {HEAD("quaternion general"), "field 4 (number type): 'quaternion'"},
        {HEAD("real hermitian"), "field 5 (symmetry): hermitian matrices are not supported"},
        {HEAD("real lower"), "field 5 (symmetry): 'lower'"},
        {HEAD("pattern skew-symmetric"), "a pattern cannot be skew-symmetric"},
        {GENERAL, "the file ends before the size line"},
        {GENERAL "% only\n%comments\n", "the file ends before the size line"},
        {GENERAL "3 3\n", "test.mtx:2: the size line has 2 fields"},
        {GENERAL "3 3 1 1\n1 1 1\n", "test.mtx:2: the size line has 4 fields"},
        {GENERAL "three 3 1\n", "test.mtx:2: field 1 (rows): 'three'"},
        {GENERAL "3 3.5 1\n", "test.mtx:2: field 2 (columns): '3.5'"},
        {GENERAL "3 -3 1\n", "test.mtx:2: field 2 (columns): '-3'"},
        {GENERAL "3 3 0x1\n", "test.mtx:2: field 3 (entries): '0x1'"},
        {GENERAL "1000000000000000000 3 1\n1 1 1\n", "field 1 (rows): '1000000000000000000'"},
        {GENERAL "100000000000000000 3 1\n1 1 1\n", "field 1 (rows): 100000000000000000 is more"},
        {GENERAL "3 2147483648 1\n1 1 1\n",
         "field 2 (columns): 2147483648 is more than the 2147483647"},
        {GENERAL "2147483647 3 1\n1 1 1\n", "are too many for a file of"},
        {GENERAL "3 3 100000000000\n1 1 1\n", "field 3 (entries): 100000000000 are declared"},
        {GENERAL "3 3 3\n1 1 1\n2 2 2\n", "test.mtx:2: field 3 (entries): 3 are declared"},
        {GENERAL "3 3 3\n1 1 1.00000000000000\n2 2 2\n",
         "test.mtx:4: the file ends after 2 entries; line 2 declares 3"},
        {GENERAL "3 3 1\n1 1 1\n2 2 2\n",
         "test.mtx:4: text follows the 1 entry declared in line 2"},
        {GENERAL "3 3 1\n1 1 1\nThe end.\n",
         "test.mtx:4: text follows the 1 entry declared in line 2"},
        {GENERAL "3 3 2\n1 1 1\n4 1 1\n", "test.mtx:4: field 1 (row): 4 is outside 1 to 3"},
        {GENERAL "3 3 2\n1 1 1\n0 1 1\n", "test.mtx:4: field 1 (row): 0 is outside 1 to 3"},
        {GENERAL "3 2 2\n1 1 1\n1 3 1\n", "test.mtx:4: field 2 (column): 3 is outside 1 to 2"},
        {GENERAL "3 2 2\n1 1 1\n1 -1 1\n", "test.mtx:4: field 2 (column): -1 is outside"},
        {GENERAL "0 0 1\n1 1 1\n", "test.mtx:3: field 1 (row): 1 is outside 1 to 0"},
        {GENERAL "3 3 1\n1.0 1 1\n", "test.mtx:3: field 1 (row): '1.0' is not an integer"},
        {GENERAL "3 3 1\n1 9999999999999999999 1\n",
         "test.mtx:3: field 2 (column): '9999999999999999999'"},
        {GENERAL "3 3 1\n1 1 \n% \n", "test.mtx:3: 2 fields instead of 3"},
        {GENERAL "3 3 1\n1 1 1 1\n", "test.mtx:3: 4 fields instead of 3"},
        {GENERAL "3 3 1\n123456\n", "test.mtx:3: 1 field instead of 3"},
        {GENERAL "3\n", "test.mtx:2: the size line has 1 field instead of 3"},
        {GENERAL "3 3 1\n1 1 nan\n", "test.mtx:3: field 3 (value): 'nan' is not a finite number"},
        {GENERAL "3 3 1\n1 1 -Inf\n", "field 3 (value): '-Inf' is not a finite number"},
        {GENERAL "3 3 1\n1 1 1e999\n", "field 3 (value): '1e999' is not a finite number"},
        {GENERAL "3 3 1\n1 1 0x10\n", "field 3 (value): '0x10' is not a finite number"},
        {GENERAL "3 3 1\n1 1 1,5\n", "field 3 (value): '1,5' is not a finite number"},
        {GENERAL "3 3 1\n1 1 one\n", "field 3 (value): 'one' is not a finite number"},
        {GENERAL "3 3 1\n1 1 .\n", "field 3 (value): '.' is not a finite number"},
        {GENERAL "3 3 1\n1 1 1e\n", "field 3 (value): '1e' is not a finite number"},
        {GENERAL "3 3 1\n1 1 1.2.3\n", "field 3 (value): '1.2.3' is not a finite number"},
        {GENERAL "3 3 1\n1 1 \001\x7f\xff\n", "field 3 (value): '?"
                                              "?"
                                              "?' is not a finite number"},
        {GENERAL "2 2 2\n1 1 1e308\n1 1 1e308\n",
         "the entries at row 1, column 1 add up to infinity"},
        {HEAD("integer general") "3 3 1\n1 1 1.5\n", "field 3 (value): '1.5' is not an integer"},
        {HEAD("pattern general") "3 3 1\n1 1 1\n", "test.mtx:3: 3 fields instead of 2"},
        {HEAD("real symmetric") "3 2 1\n1 1 1\n", "test.mtx:2: a symmetric matrix must be square"},
        {HEAD("real symmetric") "3 3 2\n2 1 1\n1 2 1\n",
         "test.mtx:4: entry (1, 2) is above the diagonal, that of line 3"},
        {HEAD("real symmetric") "3 3 2\n1 2 1\n2 1 1\n",
         "test.mtx:4: entry (2, 1) is below the diagonal, that of line 3"},
        {HEAD("real skew-symmetric") "3 3 1\n2 2 0\n",
         "test.mtx:3: entry (2, 2) is on the diagonal"},
    };
#undef HEAD
    nitro_context *context = unit_context();
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t size = strlen(cases[i].text);
        char *copy = malloc(size ? size : 1);
        memcpy(copy, cases[i].text, size);
        nitro_matrix *untouched = (nitro_matrix *)&size, *matrix = untouched;
        assert_fails(context, nitro_matrix_market_parse(context, "test.mtx", copy, size, &matrix),
                     NITRO_ERR_FORMAT, cases[i].error);
        assert_ptr_equal(matrix, untouched);
        free(copy);
    }
    nitro_context_free(context);
}

/* Cut anywhere, a file is refused or, cut after its last digit, still whole - and never crashes. */
static void files_cut_at_any_byte(void **state)
{
    static const char text[] = "%%MatrixMarket matrix coordinate integer symmetric\n% c\n"
                               "3 3 4\n1 1 10\n2 1 -20\n3 2 30\n3 3 40\n";
    nitro_context *context = unit_context();
    (void)state;
    for (size_t size = 0; size < sizeof(text) - 1; size++) {
        char *copy = malloc(size ? size : 1);
        memcpy(copy, text, size);
        nitro_matrix *matrix = NULL;
        nitro_status status = nitro_matrix_market_parse(context, "cut", copy, size, &matrix);
        assert_int_equal(status, size < sizeof(text) - 3 ? NITRO_ERR_FORMAT : NITRO_OK);
        nitro_matrix_free(matrix);
        free(copy);
    }
    nitro_context_free(context);
}

static void a_long_number_is_shown_cut(void **state)
{
    nitro_context *context = unit_context();
    char text[1024] = GENERAL "1 1 1\n1 1 ";
    (void)state;
    memset(text + strlen(text), '7', 600);
    nitro_matrix *matrix = NULL;
    assert_fails(context,
                 nitro_matrix_market_parse(context, "test.mtx", text, strlen(text), &matrix),
                 NITRO_ERR_FORMAT, "'77777777777777777777777777777777777777777777...' is not");
    nitro_context_free(context);
}

static void files_that_cannot_be_read(void **state)
{
    nitro_context *context = unit_context();
    nitro_matrix *matrix = NULL;
    (void)state;
    assert_fails(context, nitro_matrix_market_read(context, "/nonexistent/a.mtx", &matrix),
                 NITRO_ERR_NOT_FOUND, "/nonexistent/a.mtx");
    assert_fails(context, nitro_matrix_market_read(context, BINARY_DIR, &matrix), NITRO_ERR_IO,
                 "it is a folder");
    assert_null(matrix);
    nitro_context_free(context);
}

static void real_files_are_read(void **state)
{
    static const struct {
        const char *path;
        int64_t rows, cols, nonzeros;
    } cases[] = {
        {"matrices/LFAT5.mtx", 14, 14, 46},           {"matrices/bcsstk13.mtx", 2003, 2003, 83883},
        {"matrices/cryg2500.mtx", 2500, 2500, 12349}, {"matrices/jagmesh7.mtx", 1138, 1138, 7450},
        {"matrices/karate.mtx", 34, 34, 156},         {"matrices/lp_afiro.mtx", 27, 51, 102},
        {"matrices/olm1000.mtx", 1000, 1000, 3996},   {"matrices/west0067.mtx", 67, 67, 294},
    };
    unit_shared_data(cases[0].path); /* skips before there is anything to free */
    nitro_context *context = unit_context();
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        nitro_matrix *matrix = NULL;
        assert_ok(context,
                  nitro_matrix_market_read(context, unit_shared_data(cases[i].path), &matrix));
        assert_int_equal(matrix->num_rows, cases[i].rows);
        assert_int_equal(matrix->num_cols, cases[i].cols);
        assert_int_equal(matrix->num_nonzeros, cases[i].nonzeros);
        nitro_matrix_free(matrix);
    }
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_that_are_read),
        cmocka_unit_test(numbers_are_correctly_rounded),
        cmocka_unit_test(random_numbers_are_correctly_rounded),
        cmocka_unit_test(malformed_files_are_refused),
        cmocka_unit_test(files_cut_at_any_byte),
        cmocka_unit_test(a_long_number_is_shown_cut),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(real_files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
