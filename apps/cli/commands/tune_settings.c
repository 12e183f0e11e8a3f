/* tune_settings.c - the options of nitro tune, and what they mean for the library. */
#include "apps/cli/commands/tune_settings.h"

typedef tune_settings settings;

void tune_set_defaults(void *place)
{
    tune_settings *given = place;
    nitro_tune_options tune;
    nitro_tune_options_init(&tune);
    given->seed = 1;
    given->name_parts = 1;
    given->warmups = tune.measure.warmups;
    given->min_repetitions = OPTION_NOT_GIVEN; /* the default is no more than `repetitions` */
    given->repetitions = tune.measure.max_repetitions;
    given->blocks = tune.measure.max_blocks;
    given->budget_ms = tune.measure.budget_ms;
    given->timeout_s = tune.measure.timeout_ms / 1000.0;
    given->memory_limit_mb = OPTION_NOT_GIVEN; /* the library's default depends on the machine */
}

const option tune_options[] = {
    OPTION(FILES, "inputs", inputs, "FILE",
           "input files, up to the next option: Matrix Market for spmv, bfs and solver, PGM or PNG "
           "for histogram, numpy's .npy for sort, transpose and transpose_inplace"),
    OPTION(
        COUNT, "generate", generate, "N",
        "also measure the first N inputs of the computation's generated training set; the setting "
        "generate_mb limits their size",
        .maximum = 1000000),
    OPTION(COUNT, "seed", seed, "S", "seed of the generated inputs and of learning"),
    OPTION(TEXT, "store", store, "URL",
           "the store for the samples; created if missing (default: the user's own)"),
    OPTION(LIST, "device", devices, "ID,...",
           "devices to measure on, see 'nitro devices': cuda, cuda:1, modelled ones (default: "
           "host)"),
    OPTION(TEXT, "output", output, "MODEL",
           "the model file to write (default: $XDG_DATA_HOME/nitro/models/"
           "COMPUTATION@DEVICE.json, which 'nitro run' looks for)",
           .excludes = "no-model,shard"),
    OPTION(
        TEXT, "shard", shard, "I/N",
        "measure only every Nth of these inputs, from the Ith (1 to N), and learn nothing: for N "
        "machines of one kind that share no store; see 'nitro store copy'"),
    OPTION(FLAG, "no-model", no_model, NULL, "measure only, learn nothing"),
    OPTION(FLAG, "profile", profile, NULL,
           "then profile the proxies and every variant on the inputs, as 'nitro profile' does; a "
           "warning if that is not possible"),
    OPTION(FLAG, "again", again, NULL,
           "measure inputs again that the store already has, and replace their samples"),
    OPTION(FLAG, "cold", cold, NULL,
           "flush the caches before each run; such samples are not mixed with warm ones"),
    OPTION_NAME_PARTS,
    OPTION_REPETITIONS,
    OPTION(COUNT, "min-repetitions", min_repetitions, "N",
           "minimum number of timed runs of a variant (default: 10, or --repetitions if that is "
           "less)",
           .minimum = 1, .maximum = 1000000),
    OPTION(
        COUNT, "blocks", blocks, "N",
        "maximum number of blocks of timed runs, separated in time; a block is repeated while two "
        "do not confirm each other; 1: measure each input once",
        .minimum = 1, .maximum = 1000),
    OPTION(COUNT, "warmups", warmups, "N", "untimed runs of a variant before the timed ones",
           .maximum = 1000000),
    OPTION(NUMBER, "budget", budget_ms, "MS",
           "time for the repetitions of one variant on one input, in milliseconds",
           .minimum = 0.001, .maximum = 1e9),
    OPTION_TIMEOUT,
    OPTION(COUNT, "memory-limit", memory_limit_mb, "MB",
           "memory limit for measuring one input (default: 75 % of the machine's memory); "
           "0: no limit",
           .maximum = 1e9),
    OPTION_JSON,
    {0}};

const argument tune_arguments[] = {
    {.name = "COMPUTATION",
     .help = "a built-in computation, or the path of a shared object with one (./libmine.so)"},
    {0}};

void measure_at_most(nitro_measure_options *measure, uint64_t repetitions, double timeout_s)
{
    measure->max_repetitions = (unsigned)repetitions;
    if (measure->min_repetitions > measure->max_repetitions)
        measure->min_repetitions = measure->max_repetitions;
    measure->timeout_ms = timeout_s * 1000.0;
}

nitro_tune_options tune_options_given(const tune_settings *given)
{
    nitro_tune_options how;
    nitro_tune_options_init(&how);
    how.measure.warmups = (unsigned)given->warmups;
    measure_at_most(&how.measure, given->repetitions, given->timeout_s);
    if (given->min_repetitions != OPTION_NOT_GIVEN)
        how.measure.min_repetitions = (unsigned)given->min_repetitions;
    how.measure.max_blocks = (unsigned)given->blocks;
    how.measure.budget_ms = given->budget_ms;
    if (given->memory_limit_mb != OPTION_NOT_GIVEN)
        how.measure.memory_limit_bytes = (size_t)given->memory_limit_mb * 1000000;
    how.measure.cache = given->cold ? NITRO_CACHE_COLD : NITRO_CACHE_WARM;
    how.again = given->again;
    return how;
}
