/* Evaluates C source code: compiles it with -DNAME=VALUE for each parameter, loads the result in a
 * worker process, and times and checks it as a variant.
 *
 * Of a kernel NAME, the source defines (docs/search.md):
 *   void *NAME_create(void)                            makes inputs and outputs; NULL: it failed
 *   int NAME(void *argument)                           what is timed; 0: success
 *   int NAME_check(void *, char *why, size_t size)     optional; nonzero: the result is wrong
 *   void NAME_free(void *argument)                     optional
 */
#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nitro/kernels/c_compiler.h"
#include "nitro/measure/measure_input.h"
#include "nitro/search/evaluator_measured.h"
#include "nitro/search/source_digest.h"

#define MESSAGE_BYTES 2000 /* of what the compiler says */
#define MAX_OPTIONS   64   /* of the compiler, in the description */

extern const nitro_evaluator_kind nitro_evaluator_c;

typedef struct c_state {
    nitro_context *context;
    const nitro_space *space;
    char *name, *source;
    char **options; /* of the compiler, ended by NULL */
    nitro_measure_options measure;
    nitro_computation *computation;
    evaluator_inputs inputs;
    char *folder; /* of what is compiled; NULL: none */
    int lock;     /* of the folder */
    char object[NITRO_C_PATH_BYTES], output[NITRO_C_PATH_BYTES];
    uint64_t configuration;
} c_state;

/* What the compiled code made, in the worker. */
typedef struct c_argument {
    void *library, *argument;
    int (*run)(void *);
    int (*check)(void *, char *, size_t);
    void (*release)(void *);
} c_argument;

/* ---- In the worker --------------------------------------------------------------------------- */

/* The library's function NAME + suffix, or NULL. */
static void *find_function(const c_state *state, void *library, const char *suffix)
{
    char symbol[256];
    snprintf(symbol, sizeof(symbol), "%s%s", state->name, suffix);
    return dlsym(library, symbol);
}

static nitro_status load(nitro_context *context, void *place, void **argument)
{
    const c_state *state = place;
    c_argument *made = nitro_calloc(context, 1, sizeof(*made));
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->library = dlopen(state->object, RTLD_NOW | RTLD_LOCAL);
    if (!made->library) {
        const char *why = dlerror();
        free(made);
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: cannot load what was compiled: %s",
                          state->source, why ? why : "unknown error");
    }
    void *(*create)(void) = NULL;
    *(void **)&create = find_function(state, made->library, "_create");
    *(void **)&made->run = find_function(state, made->library, "");
    *(void **)&made->check = find_function(state, made->library, "_check");
    *(void **)&made->release = find_function(state, made->library, "_free");
    if (!create || !made->run)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "%s: does not define %s(void *) and %s_create(void), or they are static",
                          state->source, state->name, state->name);
    made->argument = create();
    if (!made->argument)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: %s_create() returned NULL",
                          state->source, state->name);
    *argument = made;
    return NITRO_OK;
}

static void unload(void *place)
{
    c_argument *argument = place;
    if (argument->release)
        argument->release(argument->argument);
    dlclose(argument->library);
    free(argument);
}

static int run(void *place, void *user)
{
    const c_argument *argument = place;
    (void)user;
    return argument->run(argument->argument);
}

static int check(void *place, char *why, size_t size, void *user)
{
    const c_argument *argument = place;
    (void)user;
    return argument->check ? argument->check(argument->argument, why, size) : 0;
}

/* ---- Compiling ------------------------------------------------------------------------------- */

static void log_compiler(const c_state *state)
{
    char said[MESSAGE_BYTES];
    nitro_c_messages(state->context, state->output, said, sizeof(said));
    char *shown = nitro_configuration_text(state->context, state->space, state->configuration);
    nitro_log(state->context, NITRO_LOG_INFO, "%s: %s does not compile: %s", state->source,
              shown ? shown : "", said);
    free(shown);
}

/* cc -O2 -shared -fPIC [options] -DNAME=VALUE... -o OBJECT SOURCE */
static nitro_status compiler_words(const c_state *state, char *command, char **words,
                                   nitro_string_list *defines)
{
    static char to[] = "-o";
    uint16_t indices[NITRO_MAX_PARAMETERS];
    size_t count;
    nitro_status status = nitro_c_compiler_words(state->context, command, words, &count);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; state->options && state->options[i]; i++)
        words[count++] = state->options[i];
    nitro_space_indices(state->space, state->configuration, indices);
    for (size_t p = 0; p < nitro_space_num_parameters(state->space); p++) {
        const nitro_parameter *parameter = nitro_space_parameter(state->space, p);
        char *define = nitro_asprintf(state->context, "-D%s=%s", parameter->name,
                                      parameter->values[indices[p]].text);
        if (!define || nitro_string_list_add(state->context, defines, define) != NITRO_OK) {
            free(define);
            return NITRO_ERR_NO_MEMORY;
        }
        free(define);
        words[count++] = defines->items[p];
    }
    words[count++] = to;
    words[count++] = (char *)state->object;
    words[count++] = state->source;
    words[count] = NULL;
    return NITRO_OK;
}

static nitro_status compile(const c_state *state, bool *compiled)
{
    char *words[NITRO_C_MAX_WORDS], command[NITRO_C_COMPILER_BYTES];
    nitro_string_list defines = {0};
    *compiled = false;
    nitro_status status = compiler_words(state, command, words, &defines);
    if (status == NITRO_OK)
        status = nitro_c_compile(state->context, words, state->output, compiled);
    nitro_string_list_free(&defines);
    if (status == NITRO_OK && !*compiled)
        log_compiler(state);
    return status;
}

/* ---- The evaluator --------------------------------------------------------------------------- */

static nitro_status evaluate(void *place, const nitro_search_question *question,
                             nitro_search_answer *answer)
{
    c_state *state = place;
    bool compiled = false;
    const nitro_input input = {.name = "arguments", .load = load, .unload = unload, .state = state};
    state->configuration = question->configuration;
    double start_ms = nitro_clock_wall_ms(state->context);
    nitro_status status = compile(state, &compiled);
    answer->outcome = NITRO_OUTCOME_FAILED;
    if (status == NITRO_OK && compiled)
        status = evaluator_measure(state->computation, &input, NULL, EVALUATOR_RUN, &state->measure,
                                   &state->inputs, answer);
    answer->cost_ms = nitro_clock_wall_ms(state->context) - start_ms;
    unlink(state->object);
    unlink(state->output);
    return status;
}

static void close_c(void *place)
{
    c_state *state = place;
    nitro_computation_free(state->computation);
    if (state->folder)
        nitro_private_folder_remove(state->folder, state->lock);
    free(state->folder);
    for (size_t i = 0; state->options && state->options[i]; i++)
        free(state->options[i]);
    free(state->options);
    free(state->name);
    free(state->source);
    free(state);
}

static bool is_identifier(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

static nitro_status check_source(const c_state *state)
{
    if (!is_identifier(state->name))
        return nitro_fail(state->context, NITRO_ERR_ARGUMENT,
                          "the kernel's name '%s' is no C identifier", state->name);
    for (size_t p = 0; p < nitro_space_num_parameters(state->space); p++) {
        const char *name = nitro_space_parameter(state->space, p)->name;
        if (!is_identifier(name))
            return nitro_fail(state->context, NITRO_ERR_ARGUMENT,
                              "the parameter '%s' is no C identifier: it becomes a macro", name);
    }
    if (access(state->source, R_OK) != 0)
        return nitro_fail(state->context, NITRO_ERR_NOT_FOUND, "%s: no such source file",
                          state->source);
    return NITRO_OK;
}

static nitro_status copy_source(c_state *state, const nitro_tunable_source *source)
{
    size_t count = 0;
    while (source->compiler_options && source->compiler_options[count])
        count++;
    if (count > MAX_OPTIONS)
        return nitro_fail(state->context, NITRO_ERR_ARGUMENT,
                          "%s: %zu compiler options; at most %d are possible", source->path, count,
                          MAX_OPTIONS);
    state->name = nitro_strdup(state->context, source->name);
    state->source = nitro_strdup(state->context, source->path);
    state->options = nitro_calloc(state->context, count + 1, sizeof(*state->options));
    if (!state->name || !state->source || !state->options)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (!(state->options[i] = nitro_strdup(state->context, source->compiler_options[i])))
            return NITRO_ERR_NO_MEMORY;
    return NITRO_OK;
}

static nitro_status prepare(c_state *state, const nitro_tunable_source *source)
{
    static const nitro_hooks hooks = {.check_result = check};
    nitro_status status = copy_source(state, source);
    if (status == NITRO_OK)
        status = check_source(state);
    if (status == NITRO_OK)
        status = evaluator_declare(state->context, state->name,
                                   &(nitro_variant){.name = "run", .run = run}, &hooks,
                                   &state->computation);
    if (status == NITRO_OK)
        status = nitro_c_folder(state->context, "nitro-search-", &state->folder, &state->lock);
    if (status != NITRO_OK)
        return status;
    snprintf(state->object, sizeof(state->object), "%s/variant.so", state->folder);
    snprintf(state->output, sizeof(state->output), "%s/messages", state->folder);
    return NITRO_OK;
}

static nitro_status digest_code(const c_state *state, uint64_t *digest)
{
    nitro_status status = nitro_c_compiler_digest(state->context, digest);
    if (status != NITRO_OK)
        return status;
    *digest = nitro_hash(state->name, strlen(state->name), *digest);
    for (char **each = state->options; *each; each++)
        *digest = nitro_hash(*each, strlen(*each) + 1, *digest);
    return nitro_source_digest(state->context, state->source, state->options, digest);
}

static nitro_status open_c(nitro_context *context, const nitro_space *space,
                           const nitro_tunable_source *source, const nitro_measure_options *options,
                           nitro_evaluator *evaluator)
{
    c_state *state = nitro_calloc(context, 1, sizeof(*state));
    if (!state)
        return NITRO_ERR_NO_MEMORY;
    state->context = context;
    state->space = space;
    state->inputs.vary = true;
    nitro_measure_options_init(&state->measure);
    if (options)
        state->measure = *options;
    uint64_t digest = 0;
    nitro_status status = prepare(state, source);
    if (status == NITRO_OK)
        status = digest_code(state, &digest);
    if (status != NITRO_OK) {
        close_c(state);
        return status;
    }
    *evaluator = (nitro_evaluator){
        .name = "c", .evaluate = evaluate, .close = close_c, .state = state, .digest = digest};
    return NITRO_OK;
}

const nitro_evaluator_kind nitro_evaluator_c = {
    .name = "c",
    .description = "C source, compiled with -DPARAMETER=VALUE and loaded in a worker process",
    .language = "C",
    .open = open_c};
