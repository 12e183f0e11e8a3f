/* Kernels compiled at run time, in C on the host: configurations, launches, launchers, the cache on
 * disk, errors; and what NVRTC says of CUDA C++, where it is installed. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nitro/kernels/kernel.h"
#include "unit/unit.h"

typedef struct scale_call {
    int64_t count;
    double *from, *to;
    nitro_kept *kept;
} scale_call;

static const nitro_field fields[] = {
    NITRO_NUMBER(scale_call, count),
    NITRO_ARRAY(scale_call, from, NITRO_IN, NITRO_FLOAT64, "count"),
    NITRO_ARRAY(scale_call, to, NITRO_OUT, NITRO_FLOAT64, "count"),
};
static const nitro_kit kit = {.name = "scale",
                              .argument_bytes = sizeof(scale_call),
                              .kept = offsetof(scale_call, kept),
                              .fields = fields,
                              .num_fields = 3};

static const char source[] = "int scale(void *const *a)\n"
                             "{\n"
                             "    int n = *(const int *)a[0];\n"
                             "    const double *from = *(double *const *)a[1];\n"
                             "    double *to = *(double *const *)a[2];\n"
                             "    for (int i = 0; i < n; i++)\n"
                             "        to[i] = FACTOR * from[i];\n"
                             "    return n == 99;\n"
                             "}\n";

#define STEP(...)                                                                                  \
    {                                                                                              \
        .entry = "scale", .arguments = { __VA_ARGS__ }                                             \
    }
#define KERNEL(its_backend, its_source, its_where, ...)                                            \
    {                                                                                              \
        .kit = &kit, .backend = its_backend, .origin = "scale.c", .source = its_source,            \
        .parameters = {{"FACTOR", "[2, 3, 5]", "2"}, {"OTHER", "[0, 1]", "0"}},                    \
        .where = {its_where}, __VA_ARGS__                                                          \
    }
#define SCALE(...) KERNEL("c", source, "FACTOR + OTHER < 6", __VA_ARGS__)

static const nitro_kernel scale = SCALE(.steps = {STEP("count", "from", "to")});

static double from[4] = {1, 2, 3, 4}, to[4];

static scale_call call_of(int64_t count)
{
    memset(to, 0, sizeof(to));
    return (scale_call){.count = count, .from = from, .to = to};
}

static int prepare_and_run(const nitro_kernel *kernel, scale_call *call)
{
    int failure = nitro_kernel_prepare(call, (void *)kernel);
    return failure ? failure : nitro_kernel_run(call, (void *)kernel);
}

static nitro_status load(nitro_context *context, const nitro_kernel *kernel)
{
    loaded_kernel *loaded;
    return nitro_kernel_load(context, kernel, NULL, &loaded);
}

static void a_kernel_runs_in_the_usual_configuration(void **state)
{
    scale_call call = call_of(4);
    (void)state;
    assert_int_equal(nitro_kernel_run(&call, (void *)&scale), 1); /* not prepared */
    assert_int_equal(prepare_and_run(&scale, &call), 0);
    assert_true(to[0] == 2 && to[3] == 8);
    call = call_of(1);
    assert_int_equal(nitro_kernel_run(&call, (void *)&scale), 0);
    assert_true(to[0] == 2 && to[1] == 0);
    nitro_kernel_release(&call, (void *)&scale);
}

static void a_kernel_runs_in_another_configuration(void **state)
{
    static const nitro_kernel own = SCALE(.steps = {STEP("count", "from", "to")});
    nitro_context *context = unit_context();
    scale_call call = call_of(4);
    (void)state;
    assert_int_equal(prepare_and_run(&own, &call), 0);
    assert_ok(context, nitro_kernel_configure(context, &own, (const char *const[]){"5", "0"}));
    assert_int_equal(nitro_kernel_run(&call, (void *)&own), 1); /* to be prepared again */
    assert_int_equal(prepare_and_run(&own, &call), 0);
    assert_true(to[0] == 5);
    assert_ok(context, nitro_kernel_configure(context, &own, (const char *const[]){"4", "0"}));
    assert_fails(context, load(context, &own), NITRO_ERR_ARGUMENT, "FACTOR has no value 4");
    assert_ok(context, nitro_kernel_configure(context, &own, (const char *const[]){"5", "1"}));
    assert_fails(context, load(context, &own), NITRO_ERR_ARGUMENT,
                 "scale.c: FACTOR=5 OTHER=1 violates the constraint 'FACTOR + OTHER < 6'");
    assert_ok(context, nitro_kernel_configure(context, &own, NULL));
    assert_int_equal(prepare_and_run(&own, &call), 0);
    assert_true(to[0] == 2);
    nitro_context_free(context);
}

static void errors_name_what_is_wrong(void **state)
{
    static const nitro_kernel wrong[] = {
        SCALE(.steps = {STEP("count", "from", "missing")}),
        SCALE(.steps = {STEP("count +", "from", "to")}),
        SCALE(.steps = {{.entry = "missing"}}),
        KERNEL("c", "int scale(void) { return }", "1", .steps = {STEP("count")}),
        KERNEL("fortran", source, "1", .steps = {STEP("count")}),
        KERNEL("c", source, "FACTOR > LIMIT", .steps = {STEP("count")}),
        KERNEL("c", source, "FACTOR > 9", .steps = {STEP("count")}),
        SCALE(.steps = {{.entry = "scale", .global = {"count *"}}}),
        KERNEL(NULL, source, "FACTOR > 1", .steps = {STEP("count")}),
        KERNEL("c", NULL, "FACTOR > 1", .steps = {STEP("count")}),
        {.backend = "c", .source = source},
        {.kit = &kit, .backend = "c", .source = source, .parameters = {{"FACTOR", "[2, 3]", NULL}}},
        {.kit = &kit, .backend = "c", .source = source, .parameters = {{"FACTOR", NULL, "2"}}},
    };
    static const struct {
        nitro_status status;
        const char *says;
    } errors[] = {
        {NITRO_ERR_FORMAT, "scale.c: step scale: 'missing'"},
        {NITRO_ERR_FORMAT, "scale.c: step scale: 'count +'"},
        {NITRO_ERR_NOT_FOUND, "no function missing"},
        {NITRO_ERR_FORMAT, "scale.c: does not compile"},
        {NITRO_ERR_NOT_FOUND, "unknown backend 'fortran'"},
        {NITRO_ERR_FORMAT, "LIMIT"},
        {NITRO_ERR_FORMAT, "scale.c"},
        {NITRO_ERR_FORMAT, "'count *'"},
        {NITRO_ERR_ARGUMENT, "scale.c: nitro_kernel.backend is NULL"},
        {NITRO_ERR_ARGUMENT, "scale.c: nitro_kernel.source is NULL"},
        {NITRO_ERR_ARGUMENT, "a kernel: nitro_kernel.kit is NULL"},
        {NITRO_ERR_ARGUMENT, "a kernel: parameter FACTOR needs `values`, and the `usual` one"},
        {NITRO_ERR_ARGUMENT, "a kernel: parameter FACTOR needs `values`, and the `usual` one"},
    };
    nitro_context *context = unit_context();
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_fails(context, load(context, &wrong[i]), errors[i].status, errors[i].says);
    nitro_context_free(context);
}

static void launches_that_cannot_be_fail(void **state)
{
    static const nitro_kernel half = SCALE(.steps = {STEP("count / 2", "from", "to")}),
                              vast = SCALE(.steps = {STEP("count * 2 ** 40", "from", "to")}),
                              sized = SCALE(.steps = {{.entry = "scale",
                                                       .arguments = {"count", "from", "to"},
                                                       .global = {"count / 2"}}}),
                              empty = SCALE(.steps = {{.entry = "scale",
                                                       .arguments = {"count", "from", "to"},
                                                       .global = {"0"}}});
    scale_call call = call_of(3);
    (void)state;
    assert_int_not_equal(prepare_and_run(&half, &call), 0);
    assert_int_not_equal(prepare_and_run(&vast, &call), 0);
    assert_int_not_equal(prepare_and_run(&sized, &call), 0);
    assert_int_equal(prepare_and_run(&empty, &call), 0); /* no launch */
    assert_true(to[0] == 0);
    call.count = 99; /* the kernel's own failure: it touches nothing before */
    static double many[99], more[99];
    call.from = many;
    call.to = more;
    assert_int_not_equal(prepare_and_run(&scale, &call), 0);
}

/* ---- Launchers ---- */

static int scale_twice(nitro_kernel_call *call)
{
    assert_true(nitro_kernel_value(call, "count") == 4 && nitro_kernel_value(call, "FACTOR") == 2);
    assert_true(isnan(nitro_kernel_value(call, "missing")));
    assert_int_equal(nitro_kernel_launch_step(call, 0), 0);
    assert_int_equal(nitro_kernel_set(call, "count", 2), 0);
    assert_int_equal(nitro_kernel_set(call, "missing", 2), 1);
    assert_int_equal(nitro_kernel_swap(call, "from", "to"), 0);
    assert_int_equal(nitro_kernel_swap(call, "from", "missing"), 1);
    assert_int_not_equal(nitro_kernel_launch_step(call, 1), 0);
    return nitro_kernel_launch_step(call, 0);
}

static void launchers_run_steps_with_other_values(void **state)
{
    static const nitro_kernel twice =
        SCALE(.steps = {STEP("count", "from", "to")}, .launcher = scale_twice);
    const double before[4] = {1, 2, 3, 4};
    scale_call call = call_of(4);
    (void)state;
    assert_int_equal(prepare_and_run(&twice, &call), 0);
    assert_true(to[0] == 2 && to[3] == 8);
    assert_true(from[0] == 4 && from[1] == 8 && from[2] == 3);
    memcpy(from, before, sizeof(from));
}

/* ---- The cache ---- */

/* @return what was used: for restore_cache */
static char *use_cache(const char *folder)
{
    const char *before = getenv("NITRO_KERNEL_CACHE");
    char *copy = before ? strdup(before) : NULL;
    setenv("NITRO_KERNEL_CACHE", folder, 1);
    return copy;
}

static void restore_cache(char *before)
{
    if (before)
        setenv("NITRO_KERNEL_CACHE", before, 1);
    else
        unsetenv("NITRO_KERNEL_CACHE");
    free(before);
}

static void compile(nitro_context *context, const char *value, double *compile_ms)
{
    const nitro_kernel_backend *backend = nitro_kernel_backend_find("c");
    nitro_kernel_target target;
    void *image;
    size_t bytes;
    assert_ok(context, backend->open(context, NULL, NULL, &target));
    assert_ok(context,
              nitro_kernel_compile(context, backend, &target, &scale,
                                   (const char *const[]){value, "0"}, &image, &bytes, compile_ms));
    assert_true(bytes > 100);
    free(image);
    backend->close(&target);
}

/* A character of each file, or all of it by what another compiler could have left. */
static size_t damage_files(const char *folder, bool is_whole)
{
    static const char image[200] = "an image of another compiler";
    size_t count = 0;
    DIR *opened = opendir(folder);
    for (struct dirent *entry = readdir(opened); entry; entry = readdir(opened)) {
        char path[512];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, is_whole ? "w" : "r+");
        if (is_whole) {
            fprintf(file, "nitro-kernel 1 %016llx%*s\n",
                    (unsigned long long)nitro_hash(image, sizeof(image), sizeof(image)),
                    48 - 15 - 16 - 1, "");
            fwrite(image, sizeof(image), 1, file);
        } else {
            fseek(file, 60, SEEK_SET);
            fputc('?', file);
        }
        fclose(file);
        count++;
    }
    closedir(opened);
    return count;
}

static void what_was_compiled_is_kept(void **state)
{
    static const nitro_kernel other = SCALE(.steps = {STEP("count", "from", "to")});
    nitro_context *context = unit_context();
    char folder[] = "/tmp/nitro-kernels-XXXXXX", command[128];
    scale_call call = call_of(4);
    double compile_ms;
    (void)state;
    assert_non_null(mkdtemp(folder));
    char *before = use_cache(folder);
    compile(context, "2", &compile_ms);
    assert_true(compile_ms > 0);
    compile(context, "2", &compile_ms);
    assert_true(compile_ms == 0);
    compile(context, "3", &compile_ms); /* other options */
    assert_true(compile_ms > 0);
    assert_int_equal(damage_files(folder, false), 2);
    compile(context, "2", &compile_ms);
    assert_true(compile_ms > 0);
    compile(context, "2", &compile_ms);
    assert_true(compile_ms == 0);
    assert_int_equal(damage_files(folder, true), 2);
    compile(context, "2", &compile_ms);
    assert_true(compile_ms == 0); /* whole, as far as one sees */
    assert_int_equal(prepare_and_run(&other, &call), 0);
    assert_true(to[3] == 8);
    setenv("NITRO_KERNEL_CACHE", "/dev/null/nowhere", 1); /* works without */
    compile(context, "2", &compile_ms);
    assert_true(compile_ms > 0);
    restore_cache(before);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    nitro_context_free(context);
}

/* An image of 1000 bytes that begins with the source. */
static nitro_status compile_plain(nitro_context *context, const nitro_kernel_target *target,
                                  const char *origin, const char *source_, const char *options,
                                  void **image, size_t *bytes)
{
    (void)target, (void)origin, (void)options;
    char *made = nitro_calloc(context, 1, 1000);
    assert_non_null(made);
    snprintf(made, 1000, "%s", source_);
    *image = made;
    *bytes = 1000;
    return NITRO_OK;
}

/* @return whether it was in the cache */
static bool compile_value(nitro_context *context, int value)
{
    static const nitro_kernel_backend plain = {.name = "plain", .compile = compile_plain};
    static const nitro_kernel_target target = {.identity = "plain"};
    char text[16], expected[1000];
    void *image;
    size_t bytes;
    double compile_ms;
    snprintf(text, sizeof(text), "%d", value);
    snprintf(expected, sizeof(expected), "#define FACTOR %d\n#define OTHER 0\n#line 1\n%s", value,
             source);
    assert_ok(context,
              nitro_kernel_compile(context, &plain, &target, &scale,
                                   (const char *const[]){text, "0"}, &image, &bytes, &compile_ms));
    assert_int_equal(bytes, 1000);
    assert_string_equal(image, expected);
    free(image);
    return compile_ms == 0;
}

/* As if no file had been used for an hour. @return the bytes in all of them */
static long age_files(const char *folder)
{
    long bytes = 0;
    DIR *opened = opendir(folder);
    for (struct dirent *entry = readdir(opened); entry; entry = readdir(opened)) {
        struct timespec times[2];
        struct stat file;
        if (fstatat(dirfd(opened), entry->d_name, &file, 0) != 0 || !S_ISREG(file.st_mode))
            continue;
        times[0] = times[1] = (struct timespec){.tv_sec = file.st_mtim.tv_sec - 3600};
        utimensat(dirfd(opened), entry->d_name, times, 0);
        bytes += file.st_size;
    }
    closedir(opened);
    return bytes;
}

static void write_text(const char *folder, const char *name)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fprintf(file, "%09999d", 0), 9999);
    fclose(file);
}

/* Its name is no image's, so none is spared. */
static void trim(nitro_context *context, const char *folder)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/none", folder);
    nitro_kernel_cache_trim(context, path);
}

static nitro_context *limited(const char *folder, const char *megabytes)
{
    nitro_context *context = unit_context();
    assert_ok(context, nitro_context_set(context, NULL, "kernel_cache", folder));
    assert_ok(context, nitro_context_set(context, NULL, "kernel_cache_mb", megabytes));
    return context;
}

static void the_cache_keeps_what_was_used_last(void **state)
{
    char folder[] = "/tmp/nitro-kernels-XXXXXX", path[128], command[128];
    (void)state;
    assert_non_null(mkdtemp(folder));
    nitro_context *context = limited(folder, "0.0033");
    write_text(folder, "best-0123456789abcdef"); /* no images: neither counted nor deleted */
    write_text(folder, "0123456789abcdef0123456789abcdef0");
    for (int i = 0; i < 3; i++) {
        assert_false(compile_value(context, i));
        age_files(folder);
    }
    assert_true(compile_value(context, 0)); /* of the three, 1 was used least recently */
    assert_false(compile_value(context, 3));
    trim(context, folder);
    assert_true(compile_value(context, 0) && compile_value(context, 2) &&
                compile_value(context, 3));
    assert_false(compile_value(context, 1));
    age_files(folder);
    write_text(folder, "0123456789abcdef0123456789abcdef.0123456789abcdef"); /* was cut off */
    snprintf(path, sizeof(path), "%s/0123456789abcdef0123456789abcdef.0123456789abcdef", folder);
    nitro_kernel_cache_trim(context, path);
    assert_int_equal(age_files(folder), 3 * 9999);
    trim(context, folder);
    assert_int_equal(age_files(folder), 2 * 9999);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    nitro_context_free(context);
}

/* Of 200 images of 1048 bytes. */
static void the_cache_is_trimmed_while_it_is_filled(void **state)
{
    char folder[] = "/tmp/nitro-kernels-XXXXXX", command[128];
    (void)state;
    assert_non_null(mkdtemp(folder));
    nitro_context *context = limited(folder, "0.005");
    for (int i = 0; i < 200; i++)
        compile_value(context, i);
    long bytes = age_files(folder);
    assert_true(bytes > 0 && bytes <= 5000 + 64 * 1048);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    nitro_context_free(context);
}

static void compile_and_trim(const char *folder)
{
    nitro_context *context = limited(folder, "0.006");
    for (int i = 0; i < 60; i++) {
        compile_value(context, i % 20);
        trim(context, folder);
    }
    nitro_context_free(context);
}

static void processes_share_a_cache_that_is_full(void **state)
{
    char folder[] = "/tmp/nitro-kernels-XXXXXX", command[128];
    pid_t children[4];
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            compile_and_trim(folder);
            _exit(0);
        }
    }
    for (size_t i = 0; i < 4; i++) {
        int ended;
        assert_int_equal(waitpid(children[i], &ended, 0), children[i]);
        assert_int_equal(ended, 0);
    }
    compile_and_trim(folder);
    assert_true(age_files(folder) <= 6000);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void ask_identity(nitro_context *context, char identity[NITRO_KERNEL_IDENTITY])
{
    nitro_kernel_target target;
    const nitro_kernel_backend *backend = nitro_kernel_backend_find("c");
    assert_ok(context, backend->open(context, NULL, NULL, &target));
    memcpy(identity, target.identity, NITRO_KERNEL_IDENTITY);
    backend->close(&target);
}

/* Images of one compiler are not another's. */
static void an_upgraded_compiler_compiles_again(void **state)
{
    char folder[] = "/tmp/nitro-compiler-XXXXXX", path[64];
    char before[NITRO_KERNEL_IDENTITY], same[NITRO_KERNEL_IDENTITY], after[NITRO_KERNEL_IDENTITY];
    nitro_context *context = unit_context();
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/compiler", folder);
    setenv("CC", path, 1);
    assert_ok(context, nitro_file_write(context, path, "#!/bin/sh\n", 10));
    ask_identity(context, before);
    ask_identity(context, same);
    assert_string_equal(before, same);
    assert_ok(context, nitro_file_write(context, path, "#!/bin/sh\n#\n", 12));
    ask_identity(context, after);
    assert_string_not_equal(before, after);
    unsetenv("CC");
    unlink(path);
    rmdir(folder);
    nitro_context_free(context);
}

static void options_that_find_no_room_are_refused(void **state)
{
    static char options[200 * 4];
    static const nitro_kernel many =
        SCALE(.steps = {STEP("count", "from", "to")}, .options = options);
    nitro_context *context = unit_context();
    (void)state;
    for (size_t i = 0; i < 200; i++)
        strcat(options, "-w ");
    assert_fails(context, load(context, &many), NITRO_ERR_ARGUMENT,
                 "scale.c: more than 148 compiler options");
    nitro_context_free(context);
}

static void a_compiler_may_be_of_several_words(void **state)
{
    static const nitro_kernel own = SCALE(.steps = {STEP("count", "from", "to")}, .options = "-w");
    char many[200] = "";
    nitro_context *context = unit_context();
    scale_call call = call_of(4);
    (void)state;
    setenv("CC", "env NITRO_NO_VARIABLE=1  cc", 1);
    assert_int_equal(prepare_and_run(&own, &call), 0);
    assert_true(to[3] == 8);
    for (size_t i = 0; i < 17; i++)
        strcat(many, "cc ");
    setenv("CC", many, 1);
    assert_fails(context, nitro_kernel_backend_find("c")->open(context, NULL, NULL, NULL),
                 NITRO_ERR_ARGUMENT, "CC, 'cc cc cc");
    unsetenv("CC");
    nitro_context_free(context);
}

/* Where /tmp is full, or code cannot be loaded from there. */
static void temporary_files_are_where_TMPDIR_says(void **state)
{
    static const nitro_kernel elsewhere =
        SCALE(.steps = {STEP("count", "from", "to")}, .options = "-w -g0");
    char folder[] = "/tmp/nitro-temporary-XXXXXX";
    nitro_context *context = unit_context();
    scale_call call = call_of(4);
    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("TMPDIR", "/tmp/nitro-no-such-folder", 1);
    assert_fails(context, load(context, &elsewhere), NITRO_ERR_IO,
                 "cannot create the folder: No such file or directory; set TMPDIR");
    setenv("TMPDIR", folder, 1);
    assert_int_equal(prepare_and_run(&elsewhere, &call), 0);
    assert_true(to[3] == 8);
    unsetenv("TMPDIR");
    assert_int_equal(rmdir(folder), 0); /* nothing is left there */
    nitro_context_free(context);
}

/* In the source, and in what is kept of the best. */
static void values_may_have_spaces(void **state)
{
    static const nitro_kernel typed = {
        .kit = &kit,
        .backend = "c",
        .origin = "typed.c",
        .source = "int typed(void *const *a)\n"
                  "{\n"
                  "    TYPE wrapped = (TYPE)255;\n"
                  "    **(double *const *)a[0] = wrapped + MORE;\n"
                  "    return 0;\n"
                  "}\n",
        .parameters = {{"TYPE", "['signed char', 'unsigned char']", "signed char"},
                       {"MORE", "[0, 1]", "0"}},
        .steps = {{.entry = "typed", .arguments = {"to"}}}};
    nitro_context *context = unit_context();
    nitro_kernel_target target;
    scale_call call = call_of(4);
    (void)state;
    assert_ok(context, nitro_kernel_ask_target(context, &typed, NULL, &target));
    assert_ok(context, nitro_kernel_keep_best(context, &typed, &target, /* not the last run's */
                                              (const char *const[]){"signed char", "0"}));
    assert_int_equal(prepare_and_run(&typed, &call), 0);
    assert_true(to[0] == -1);
    assert_ok(context, nitro_kernel_keep_best(context, &typed, &target,
                                              (const char *const[]){"unsigned char", "1"}));
    assert_ok(context, nitro_kernel_configure(context, &typed, NULL)); /* unloads it */
    assert_int_equal(prepare_and_run(&typed, &call), 0);
    assert_true(to[0] == 256);
    nitro_context_free(context);
}

static nitro_status add_no_features(nitro_computation *computation)
{
    (void)computation;
    return NITRO_OK;
}

static int refuse(void *argument, void *user)
{
    (void)argument;
    (void)user;
    return 3;
}

/* An argument on the host has no room for it. */
static void what_a_compiler_says_reaches_the_caller(void **state)
{
    static const nitro_kernel wrong =
        KERNEL("c", "int scale(void) { return }", "1", .steps = {STEP("count")});
    static const nitro_variant scale_wrong = NITRO_KERNEL_VARIANT("scale", wrong),
                               refused = {.name = "refused", .run = refuse};
    static const nitro_variant *const variants[] = {&scale_wrong, &refused};
    const nitro_kit own = {.name = "scale",
                           .argument_bytes = sizeof(scale_call),
                           .kept = offsetof(scale_call, kept),
                           .fields = fields,
                           .num_fields = 3,
                           .variants = variants,
                           .num_variants = 2,
                           .usual = "scale",
                           .add_features = add_no_features};
    nitro_context *context = unit_context();
    nitro_computation *computation;
    scale_call call = call_of(4);
    char log[UNIT_LOG_BYTES] = "", last[256];
    (void)state;
    nitro_context_set_log(context, NITRO_LOG_INFO, unit_keep_log, log);
    assert_ok(context, nitro_kit_create(context, &own, false, &computation));
    assert_fails(context, nitro_run(computation, &call, NULL), NITRO_ERR_VARIANT_FAILED,
                 "variant refused");
    nitro_context_last_error(context, last, sizeof(last));
    assert_null(strstr(last, "compile")); /* that is of the other variant */
    assert_non_null(strstr(log, "scale.c: does not compile: "));
    assert_non_null(strstr(log, "; now refused is tried"));
    nitro_computation_free(computation);
    nitro_context_free(context);
}

static long bytes_of(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 ? (long)file.st_size : 0;
}

/* Calls of a variant that falls back to the default one would take the compiler's time each. */
static void wrong_source_is_compiled_once(void **state)
{
    static const char script[] = "#!/bin/sh\nprintf x >>\"$0.runs\"\nexit 1\n";
    static const nitro_kernel own = SCALE(.steps = {STEP("count", "from", "to")});
    char folder[] = "/tmp/nitro-compiler-XXXXXX", path[64], runs[80];
    nitro_context *context = unit_context();
    scale_call call = call_of(4);
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/compiler", folder);
    snprintf(runs, sizeof(runs), "%s.runs", path);
    assert_ok(context, nitro_file_write(context, path, script, strlen(script)));
    assert_int_equal(chmod(path, 0700), 0);
    char *before = use_cache("/dev/null/nowhere"); /* nor what an earlier run left */
    setenv("CC", path, 1);
    for (int i = 0; i < 3; i++)
        assert_fails(context, load(context, &own), NITRO_ERR_FORMAT, "scale.c: does not compile");
    assert_int_equal(prepare_and_run(&own, &call), NITRO_ERR_FORMAT);
    assert_int_equal(bytes_of(runs), 1);
    assert_int_equal(nitro_kernel_run(&call, (void *)&own), 1); /* not prepared */
    assert_ok(context, nitro_kernel_configure(context, &own, (const char *const[]){"3", "0"}));
    assert_fails(context, load(context, &own), NITRO_ERR_FORMAT, "scale.c: does not compile");
    assert_int_equal(bytes_of(runs), 2);
    unsetenv("CC");
    assert_ok(context, nitro_kernel_configure(context, &own, NULL));
    assert_int_equal(prepare_and_run(&own, &call), 0);
    nitro_kernel_release(&call, (void *)&own);
    restore_cache(before);
    unlink(runs);
    unlink(path);
    rmdir(folder);
    nitro_context_free(context);
}

static void a_killed_compiler_is_told_from_wrong_source(void **state)
{
    static const char script[] = "#!/bin/sh\nkill -9 $$\n";
    static const nitro_kernel own = SCALE(.steps = {STEP("count", "from", "to")});
    char folder[] = "/tmp/nitro-compiler-XXXXXX", path[64];
    nitro_context *context = unit_context();
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/compiler", folder);
    assert_ok(context, nitro_file_write(context, path, script, strlen(script)));
    assert_int_equal(chmod(path, 0700), 0);
    const nitro_kernel_backend *backend = nitro_kernel_backend_find("c");
    nitro_kernel_target target;
    const char *values[] = {"2", "0"};
    void *image;
    size_t bytes;
    double compile_ms;
    setenv("CC", path, 1);
    assert_ok(context, backend->open(context, NULL, NULL, &target));
    assert_fails(
        context,
        nitro_kernel_compile(context, backend, &target, &own, values, &image, &bytes, &compile_ms),
        NITRO_ERR_FORMAT, "/compiler' was ended by signal 9 (Killed)");
    backend->close(&target);
    unsetenv("CC");
    unlink(path);
    rmdir(folder);
    nitro_context_free(context);
}

static void *load_in_thread(void *kernel)
{
    nitro_context *context = unit_context();
    nitro_status status = load(context, kernel);
    nitro_context_free(context);
    return (void *)(intptr_t)status;
}

/* The compiler waits for a pipe that the source includes. A process that is forked meanwhile has no
 * thread that goes on. */
static void a_child_forked_while_a_kernel_is_compiled_does_not_wait(void **state)
{
    static char text[sizeof(source) + 80];
    static const nitro_kernel slow =
        KERNEL("c", text, NULL, .steps = {STEP("count", "from", "to")});
    char folder[] = "/tmp/nitro-compiler-XXXXXX", path[64];
    scale_call call = call_of(4);
    pthread_t thread;
    void *status;
    int code = -1;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/pipe.h", folder);
    snprintf(text, sizeof(text), "#include \"%s\"\n%s", path, source);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(prepare_and_run(&scale, &call), 0);
    assert_int_equal(pthread_create(&thread, NULL, load_in_thread, (void *)&slow), 0);
    int pipe_end = open(path, O_WRONLY); /* once the compiler reads it */
    assert_true(pipe_end >= 0);
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        _exit(nitro_kernel_run(&call, (void *)&scale));
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    close(pipe_end);
    assert_int_equal(pthread_join(thread, &status), 0);
    assert_int_equal((intptr_t)status, NITRO_OK);
    unlink(path);
    rmdir(folder);
}

static const nitro_kernel waiting =
    KERNEL("c",
           "int scale(void *const *a)\n"
           "{\n"
           "    volatile double *from = *(double *const *)a[0], *to = *(double *const *)a[1];\n"
           "    for (*to = 1; *from > 0;)\n"
           "        ;\n"
           "    return 0;\n"
           "}\n",
           NULL, .steps = {STEP("from", "to")});

static void *run_in_thread(void *call)
{
    return (void *)(intptr_t)nitro_kernel_run(call, (void *)&waiting);
}

/* Nor for a launch that it does not have. */
static void a_child_forked_while_a_kernel_runs_does_not_wait(void **state)
{
    volatile double has_to_wait = 1, has_begun = 0;
    scale_call call = {.from = (double *)&has_to_wait, .to = (double *)&has_begun};
    pthread_t thread;
    void *failure;
    int code = -1;
    (void)state;
    assert_int_equal(nitro_kernel_prepare(&call, (void *)&waiting), 0);
    assert_int_equal(pthread_create(&thread, NULL, run_in_thread, &call), 0);
    while (has_begun < 1)
        usleep(1000);
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        has_to_wait = 0;
        _exit(nitro_kernel_run(&call, (void *)&waiting));
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    has_to_wait = 0;
    assert_int_equal(pthread_join(thread, &failure), 0);
    assert_null(failure);
    assert_int_equal(code, 0);
}

/* The kernel is not taken for one that does not compile. */
static void without_descriptors_it_is_tried_again(void **state)
{
    static const nitro_kernel own = SCALE(.steps = {STEP("count", "from", "to")});
    nitro_context *context = unit_context();
    struct rlimit before, few;
    scale_call call = call_of(4);
    (void)state;
    char *cache = use_cache("/dev/null/nowhere");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int free_one = dup(STDIN_FILENO);
    close(free_one);
    few = before;
    few.rlim_cur = (rlim_t)free_one + 2; /* the folder's lock, and one end of a pipe */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    nitro_status status = load(context, &own);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_fails(context, status, NITRO_ERR_NO_MEMORY, "compiling: cannot create a pipe");
    assert_int_equal(prepare_and_run(&own, &call), 0);
    restore_cache(cache);
    nitro_context_free(context);
}

/* By the log of the computation whose variant prepares, and once: all kernels fare alike. */
static void a_cache_that_cannot_be_is_logged_once(void **state)
{
    static const nitro_kernel own = SCALE(.steps = {STEP("count", "from", "to")});
    const nitro_variant variant = {.name = "own",
                                   .prepare = nitro_kernel_prepare,
                                   .run = nitro_kernel_run,
                                   .user = (void *)&own};
    nitro_context *context = unit_context();
    nitro_computation *computation = NULL;
    char log[UNIT_LOG_BYTES] = "";
    scale_call call = call_of(4);
    double compile_ms;
    (void)state;
    char *before = use_cache("/dev/null/kernels");
    compile(context, "2", &compile_ms); /* nobody listens */
    nitro_context_set_log(context, NITRO_LOG_WARNING, unit_keep_log, log);
    assert_ok(context, nitro_computation_create(context, "scale", &computation));
    assert_ok(context, nitro_computation_add_variant(computation, &variant));
    assert_ok(context, nitro_run(computation, &call, NULL));
    const char *told = strstr(log, "a compiled kernel is not kept");
    assert_non_null(told);
    assert_non_null(strstr(told, "/dev/null/kernels"));
    assert_non_null(strstr(told, "NITRO_KERNEL_CACHE"));
    compile(context, "2", &compile_ms);
    assert_true(compile_ms > 0);
    assert_null(strstr(told + 1, "a compiled kernel"));
    nitro_computation_free(computation);
    restore_cache(before);
    nitro_context_free(context);
}

static void spaces_follow_the_device(void **state)
{
    static const nitro_kernel tiled = {
        .origin = "tiled.cl",
        .parameters = {{"TILE", "[8, 16, 32, 64]", "8"},
                       {"ROWS", "[1, 2, 4, 8]", "1"},
                       {"PAD", "[0, 1]", "0"}},
        .where = {"TILE % ROWS == 0", "4 * TILE * (TILE + PAD) <= device.local_bytes",
                  "ceil_div(TILE, ROWS) * TILE <= device.max_local"}};
    nitro_context *context = unit_context();
    nitro_space *space;
    (void)state;
    assert_ok(context, nitro_kernel_space(context, &tiled, (double[]){4, 1024, 16384}, &space));
    assert_int_equal(nitro_space_size(space), 8 + 8 + 8 + 2); /* 64: without padding, 4 or 8 rows */
    nitro_space_free(space);
    assert_ok(context, nitro_kernel_space(context, &tiled, (double[]){4, NAN, NAN}, &space));
    assert_int_equal(nitro_space_size(space), 32);
    nitro_space_free(space);
    nitro_context_free(context);
}

/* ---- Versions ---- */

static const nitro_kernel versioned = SCALE(.steps = {STEP("count", "from", "to")});

/* The version of a computation's only variant while it is held. */
static void hold(nitro_context *context, nitro_computation *computation, char version[64])
{
    uint64_t held;
    assert_ok(context, nitro_kernels_hold(computation, NULL, &held));
    snprintf(version, 64, "%s", nitro_computation_variant_version(computation, 0));
    nitro_kernels_let_go(computation, held);
}

/* A time of another configuration is outdated. */
static void versions_name_the_configuration(void **state)
{
    static const nitro_variant variant = NITRO_KERNEL_VARIANT("scale", versioned, .version = "7");
    static const nitro_variant *const variants[] = {&variant};
    const nitro_kit own = {.name = "scale",
                           .argument_bytes = sizeof(scale_call),
                           .kept = offsetof(scale_call, kept),
                           .fields = fields,
                           .num_fields = 3,
                           .variants = variants,
                           .num_variants = 1,
                           .usual = "scale",
                           .add_features = add_no_features};
    nitro_context *context = unit_context();
    nitro_computation *computation;
    nitro_kernel_target target;
    char folder[] = "/tmp/nitro-kernels-XXXXXX", command[128], usual[64], text[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    char *before = use_cache(folder);
    assert_ok(context, nitro_kit_create(context, &own, false, &computation));
    hold(context, computation, usual);
    assert_int_equal(strncmp(usual, "7+", 2), 0);
    assert_true(nitro_version_has_digest(usual));
    hold(context, computation, text);
    assert_string_equal(text, usual);

    assert_ok(context, nitro_kernel_ask_target(context, &versioned, NULL, &target));
    assert_ok(context, nitro_kernel_keep_best(context, &versioned, &target,
                                              (const char *const[]){"5", "0"}));
    hold(context, computation, text);
    assert_true(nitro_version_is_other(text, usual));
    scale_call call = call_of(4);
    assert_int_equal(prepare_and_run(&versioned, &call), 0);
    assert_true(to[0] == 5); /* the best is what runs, held or not */

    assert_ok(context,
              nitro_kernel_configure(context, &versioned, (const char *const[]){"2", "0"}));
    hold(context, computation, text);
    assert_string_equal(text, usual);
    assert_int_equal(prepare_and_run(&versioned, &call), 0);
    assert_true(to[0] == 2); /* what this process has configured stays */
    assert_ok(context, nitro_kernel_configure(context, &versioned, NULL));
    nitro_computation_free(computation);
    restore_cache(before);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    nitro_context_free(context);
}

/* ---- NVRTC ---- */

/* Then none is held, and there is none to let go. */
static void holding_fails_as_a_whole(void **state)
{
    static const nitro_kernel kernels[] = {SCALE(.steps = {STEP("count", "from", "to")}),
                                           SCALE(.steps = {STEP("count", "from", "to")})};
    static const nitro_declaration declaration = {
        .name = "scale",
        .variants = {NITRO_KERNEL_VARIANT("first", kernels[0]),
                     NITRO_KERNEL_VARIANT("second", kernels[1])}};
    nitro_context *context = unit_context();
    nitro_computation *computation;
    uint64_t held = 7;
    (void)state;
    assert_ok(context, nitro_computation_declare(context, &declaration, &computation));
    assert_ok(context,
              nitro_kernel_configure(context, &kernels[1], (const char *const[]){"4", "0"}));
    assert_fails(context, nitro_kernels_hold(computation, NULL, &held), NITRO_ERR_ARGUMENT,
                 "FACTOR has no value 4");
    assert_int_equal(held, 0);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

static void nvrtc_compiles_without_a_gpu(void **state)
{
    static const nitro_kernel add = {
        .kit = &kit,
        .backend = "cuda",
        .origin = "add.cu",
        .source = "extern \"C\" __global__ void add(int n, const double *from, double *to)\n"
                  "{\n"
                  "    __shared__ double tile[TILE];\n"
                  "    tile[threadIdx.x] = from[threadIdx.x];\n"
                  "    __syncthreads();\n"
                  "    to[threadIdx.x] = tile[n - threadIdx.x];\n"
                  "}\n",
        .parameters = {{"TILE", "[64, 8192]", "64"}}};
    const nitro_kernel_backend *backend = nitro_kernel_backend_find("cuda");
    nitro_context *context = unit_context();
    nitro_kernel_target target;
    void *image;
    size_t bytes;
    double compile_ms;
    (void)state;
    if (backend->open(context, "sm_90", NULL, &target) == NITRO_ERR_NOT_FOUND) {
        puts("SKIPPED: NVRTC is not here");
        nitro_context_free(context);
        skip();
    }
    assert_ok(context,
              nitro_kernel_compile(context, backend, &target, &add, (const char *const[]){"64"},
                                   &image, &bytes, &compile_ms));
    assert_memory_equal(image, "\177ELF", 4);
    free(image);
    assert_fails(context,
                 nitro_kernel_compile(context, backend, &target, &add,
                                      (const char *const[]){"8192"}, &image, &bytes, &compile_ms),
                 NITRO_ERR_FORMAT, "add.cu: does not compile");
    backend->close(&target);
    assert_fails(context, backend->open(context, "a100", NULL, &target), NITRO_ERR_ARGUMENT,
                 "sm_90");
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_runs_in_the_usual_configuration),
        cmocka_unit_test(a_kernel_runs_in_another_configuration),
        cmocka_unit_test(errors_name_what_is_wrong),
        cmocka_unit_test(launches_that_cannot_be_fail),
        cmocka_unit_test(launchers_run_steps_with_other_values),
        cmocka_unit_test(what_was_compiled_is_kept),
        cmocka_unit_test(the_cache_keeps_what_was_used_last),
        cmocka_unit_test(the_cache_is_trimmed_while_it_is_filled),
        cmocka_unit_test(processes_share_a_cache_that_is_full),
        cmocka_unit_test(an_upgraded_compiler_compiles_again),
        cmocka_unit_test(options_that_find_no_room_are_refused),
        cmocka_unit_test(a_compiler_may_be_of_several_words),
        cmocka_unit_test(temporary_files_are_where_TMPDIR_says),
        cmocka_unit_test(values_may_have_spaces),
        cmocka_unit_test(what_a_compiler_says_reaches_the_caller),
        cmocka_unit_test(wrong_source_is_compiled_once),
        cmocka_unit_test(a_killed_compiler_is_told_from_wrong_source),
        cmocka_unit_test(a_child_forked_while_a_kernel_is_compiled_does_not_wait),
        cmocka_unit_test(a_child_forked_while_a_kernel_runs_does_not_wait),
        cmocka_unit_test(without_descriptors_it_is_tried_again),
        cmocka_unit_test(a_cache_that_cannot_be_is_logged_once),
        cmocka_unit_test(spaces_follow_the_device),
        cmocka_unit_test(versions_name_the_configuration),
        cmocka_unit_test(holding_fails_as_a_whole),
        cmocka_unit_test(nvrtc_compiles_without_a_gpu),
    };
    return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}
