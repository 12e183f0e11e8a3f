/* tune_settings.c - the options of nitro tune, and what they mean for the library. */
#include "apps/cli/commands/tune_settings.h"

void tune_set_defaults(void *place)
{
    tune_settings *given = place;
    nitro_tune_options tune;
    nitro_tune_options_init(&tune);
    given->seed = 1;
    given->name_parts = 1;
    given->warmups = tune.measure.warmups;
    given->min_repetitions = tune.measure.min_repetitions;
    given->repetitions = tune.measure.max_repetitions;
    given->budget_ms = tune.measure.budget_ms;
    given->timeout_s = tune.measure.timeout_ms / 1000.0;
    given->memory_limit_mb = OPTION_NOT_GIVEN; /* the library's default is this machine's affair */
}

const option tune_options[] = {
    {.name = "inputs",
     .type = OPTION_FILES,
     .offset = offsetof(tune_settings, inputs),
     .value = "FILE",
     .help =
         "input files, up to the next option; Matrix Market for spmv, PGM or PNG for histogram"},
    {.name = "generate",
     .type = OPTION_COUNT,
     .offset = offsetof(tune_settings, generate),
     .value = "N",
     .maximum = 1000000,
     .help = "also measure the first N inputs of the computation's generated training set"},
    {.name = "seed",
     .type = OPTION_COUNT,
     .offset = offsetof(tune_settings, seed),
     .value = "S",
     .help = "seed of the generated inputs and of learning"},
    {.name = "store",
     .type = OPTION_TEXT,
     .offset = offsetof(tune_settings, store),
     .value = "URL",
     .help = "where samples are kept; made when missing (default: the user's own)"},
    {.name = "device",
     .type = OPTION_LIST,
     .offset = offsetof(tune_settings, devices),
     .value = "ID,...",
     .help = "devices to measure on, see 'nitro devices': cuda, cuda:1, modelled ones (default: "
             "host)"},
    {.name = "output",
     .type = OPTION_TEXT,
     .offset = offsetof(tune_settings, output),
     .value = "MODEL",
     .help = "where the device's model goes (default: $XDG_DATA_HOME/nitro/models/"
             "COMPUTATION@DEVICE.json, which 'nitro run' looks for)"},
    {.name = "no-model",
     .type = OPTION_FLAG,
     .offset = offsetof(tune_settings, no_model),
     .help = "measure only, learn nothing"},
    {.name = "profile",
     .type = OPTION_FLAG,
     .offset = offsetof(tune_settings, profile),
     .help = "then profile the proxies and every variant on the inputs, as 'nitro profile' does; "
             "where that is not possible the tune goes on without"},
    {.name = "again",
     .type = OPTION_FLAG,
     .offset = offsetof(tune_settings, again),
     .help = "measure once more what the store holds already, and replace it"},
    {.name = "cold",
     .type = OPTION_FLAG,
     .offset = offsetof(tune_settings, cold),
     .help = "flush the caches before each run; such samples are not put beside others"},
    {.name = "name-parts",
     .type = OPTION_COUNT,
     .offset = offsetof(tune_settings, name_parts),
     .value = "N",
     .minimum = 1,
     .maximum = 100,
     .help = "name a file's input by the last N parts of its path, without the extension"},
    {.name = "repetitions",
     .type = OPTION_COUNT,
     .offset = offsetof(tune_settings, repetitions),
     .value = "N",
     .minimum = 1,
     .maximum = 1000000,
     .help = "most runs of a variant that count"},
    {.name = "min-repetitions",
     .type = OPTION_COUNT,
     .offset = offsetof(tune_settings, min_repetitions),
     .value = "N",
     .minimum = 1,
     .maximum = 1000000,
     .help = "least runs of a variant that count"},
    {.name = "warmups",
     .type = OPTION_COUNT,
     .offset = offsetof(tune_settings, warmups),
     .value = "N",
     .maximum = 1000000,
     .help = "runs of a variant that do not count"},
    {.name = "budget",
     .type = OPTION_NUMBER,
     .offset = offsetof(tune_settings, budget_ms),
     .value = "MS",
     .minimum = 0.001,
     .maximum = 1e9,
     .help = "milliseconds a variant may take of an input's repetitions"},
    {.name = "timeout",
     .type = OPTION_NUMBER,
     .offset = offsetof(tune_settings, timeout_s),
     .value = "SECONDS",
     .minimum = 0.001,
     .maximum = 1e6,
     .help = "a single call of a variant that takes longer counts as hung"},
    {.name = "memory-limit",
     .type = OPTION_COUNT,
     .offset = offsetof(tune_settings, memory_limit_mb),
     .value = "MB",
     .maximum = 1e9,
     .help = "memory that measuring an input may take (default: three quarters of what is here); "
             "0: no limit"},
    {.name = "json",
     .type = OPTION_FLAG,
     .offset = offsetof(tune_settings, json),
     .help = "print JSON"},
    {0}};

const argument tune_arguments[] = {
    {.name = "COMPUTATION",
     .help = "a built-in computation, or the path of a shared object with one (./libmine.so)"},
    {0}};

nitro_tune_options tune_options_given(const tune_settings *given)
{
    nitro_tune_options how;
    nitro_tune_options_init(&how);
    how.measure.warmups = (unsigned)given->warmups;
    how.measure.max_repetitions = (unsigned)given->repetitions;
    how.measure.min_repetitions = (unsigned)given->min_repetitions;
    if (how.measure.min_repetitions > how.measure.max_repetitions)
        how.measure.min_repetitions = how.measure.max_repetitions;
    how.measure.budget_ms = given->budget_ms;
    how.measure.timeout_ms = given->timeout_s * 1000.0;
    if (given->memory_limit_mb != OPTION_NOT_GIVEN)
        how.measure.memory_limit_bytes = (size_t)given->memory_limit_mb * 1000000;
    how.measure.cache = given->cold ? NITRO_CACHE_COLD : NITRO_CACHE_WARM;
    how.again = given->again;
    return how;
}
