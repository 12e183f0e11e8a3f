/* Kernels compiled at run time on the emulated CUDA device: the backend "cuda" with an NVRTC that
 * calls the C++ compiler, and a driver that loads what that makes. Both stand for the libraries
 * that cuda_libraries.c would open. The kernels are those of examples/kernels. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include "cuda_emulation/cuda_emulation.h"
#include "cuda_runtime_api.h"
#include "nitro/kernels/cuda_libraries.h"
#include "unit/kernels/configuration_cases.h"

/* ---- NVRTC ---- */

#define COMPILE                                                                                    \
    CXX_COMPILER                                                                                   \
    " " CXX_SANITIZE                                                                               \
    " -std=c++17 -O1 -w -fno-strict-aliasing -fPIC -shared -Wl,-Bsymbolic -I " SOURCE_DIR          \
    "/tests/cuda_emulation"

typedef struct program {
    char *source, *header, *image, *log;
    size_t bytes, log_bytes;
} program;

/* The emulation launches functions by their C++ types, the driver by pointers to arguments. */
static const char launchers[] =
    "template <typename... T, size_t... I>\n"
    "cudaError_t launch(const cudaLaunchConfig_t *config, void (*kernel)(T...), void **arguments,\n"
    "                   std::index_sequence<I...>)\n"
    "{\n"
    "    return cudaLaunchKernelEx(config, kernel, *(T *)arguments[I]...);\n"
    "}\n"
    "template <typename... T>\n"
    "cudaError_t launch(const cudaLaunchConfig_t *config, void (*kernel)(T...), void **arguments)\n"
    "{\n"
    "    return launch(config, kernel, arguments, std::index_sequence_for<T...>());\n"
    "}\n";

static void write_source(FILE *file, const program *self)
{
    static const char mark[] = "__kernel void ";
    fprintf(file, "#include \"cuda_runtime.h\"\n%s\n%s\n%s", self->header, self->source, launchers);
    for (const char *at = self->source; (at = strstr(at, mark)); at++) {
        const char *name = at + strlen(mark);
        int length = (int)strcspn(name, "(");
        fprintf(file,
                "extern \"C\" cudaError_t launch_%.*s(const cudaLaunchConfig_t *config, void **a)\n"
                "{\n    return launch(config, %.*s, a);\n}\n"
                "extern \"C\" cudaError_t allow_%.*s(int bytes)\n"
                "{\n    return cudaFuncSetAttribute(\n"
                "        %.*s, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);\n}\n",
                length, name, length, name, length, name, length, name);
    }
}

static int version(int *major, int *minor)
{
    *major = *minor = 0;
    return 0;
}

static int create(nvrtc_program *made, const char *source, const char *name, int num_headers,
                  const char *const *headers, const char *const *names)
{
    program *self = calloc(1, sizeof(*self));
    assert_non_null(self);
    assert_non_null(name);
    assert_int_equal(num_headers, 1);
    assert_string_equal(names[0], "nitro/opencl_c.h");
    self->source = strdup(source);
    self->header = strdup(headers[0]);
    *made = self;
    return 0;
}

static int compile(nvrtc_program made, int num_options, const char *const *options)
{
    program *self = made;
    char folder[] = "/tmp/nitro-emulated-XXXXXX", path[64], command[4096];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/kernel.cpp", folder);
    FILE *file = fopen(path, "w");
    write_source(file, self);
    fclose(file);
    int length = snprintf(command, sizeof(command), COMPILE " -o %s/kernel.so %s", folder, path);
    for (int i = 0; i < num_options; i++)
        if (strncmp(options[i], "-D", 2) == 0)
            length +=
                snprintf(command + length, sizeof(command) - (size_t)length, " %s", options[i]);
    snprintf(command + length, sizeof(command) - (size_t)length, " 2>%s/log", folder);
    nitro_context *context = unit_context();
    if (system(command) == 0) {
        snprintf(path, sizeof(path), "%s/kernel.so", folder);
        assert_ok(context,
                  nitro_file_read(context, path, (size_t)1 << 28, &self->image, &self->bytes));
    }
    snprintf(path, sizeof(path), "%s/log", folder);
    assert_ok(context,
              nitro_file_read(context, path, (size_t)1 << 28, &self->log, &self->log_bytes));
    nitro_context_free(context);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return self->image ? 0 : 6;
}

static int log_size(nvrtc_program made, size_t *bytes)
{
    *bytes = ((program *)made)->log_bytes;
    return 0;
}

static int log_text(nvrtc_program made, char *text)
{
    memcpy(text, ((program *)made)->log, ((program *)made)->log_bytes);
    return 0;
}

static int cubin_size(nvrtc_program made, size_t *bytes)
{
    *bytes = ((program *)made)->bytes;
    return 0;
}

static int cubin(nvrtc_program made, char *image)
{
    memcpy(image, ((program *)made)->image, ((program *)made)->bytes);
    return 0;
}

static int destroy(nvrtc_program *made)
{
    program *self = *made;
    free(self->source);
    free(self->header);
    free(self->image);
    free(self->log);
    free(self);
    return 0;
}

static const char *compiler_error(int code)
{
    return code == 6 ? "NVRTC_ERROR_COMPILATION" : "another error";
}

const nvrtc_library *nitro_nvrtc_load(void)
{
    static const nvrtc_library library = {version,    create, compile, log_size,      log_text,
                                          cubin_size, cubin,  destroy, compiler_error};
    return &library;
}

/* ---- The driver ---- */

#define NO_CONTEXT    201 /* CUDA_ERROR_INVALID_CONTEXT */
#define OTHER_CONTEXT 400 /* CUDA_ERROR_INVALID_HANDLE */
#define MAX_LOADED    64

static void *current;
static bool has_driver = true;

/* Modules belong to the context that was current. */
static struct {
    const void *module, *context;
} modules[MAX_LOADED];
static size_t num_loaded;

static const void *context_of(const void *module)
{
    size_t i = num_loaded;
    while (i > 0 && modules[i - 1].module != module)
        i--;
    return i > 0 ? modules[i - 1].context : NULL;
}

static int init(unsigned flags)
{
    return (int)flags;
}

static int driver_version(int *number)
{
    *number = 13000;
    return 0;
}

static int error(int code, const char **text)
{
    *text = cudaGetErrorString((cudaError_t)code);
    return 0;
}

static int get_context(void **context)
{
    *context = current;
    return 0;
}

static int set_context(void *context)
{
    current = context;
    return 0;
}

static int get_device(int *device)
{
    *device = 0;
    return current ? 0 : NO_CONTEXT;
}

static int primary_context(void **context, int device)
{
    assert_int_equal(device, 0);
    *context = &has_driver;
    return 0;
}

static int name_of(char *name, int size, int device)
{
    (void)device;
    snprintf(name, (size_t)size, "emulated");
    return 0;
}

static int attribute(int *value, int which, int device)
{
    return (int)cudaDeviceGetAttribute(value, (cudaDeviceAttr)which, device);
}

/* An image begins with its section table's place, which is the last part of what linkers write. */
static int load(void **module, const void *image)
{
    const Elf64_Ehdr *elf = image;
    size_t bytes = elf->e_shoff + (size_t)elf->e_shnum * elf->e_shentsize;
    char path[] = "/tmp/nitro-emulated-XXXXXX";
    int file = mkstemp(path);
    assert_true(write(file, image, bytes) == (ssize_t)bytes);
    close(file);
    *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    unlink(path);
    if (!*module)
        fail_msg("%s", dlerror());
    assert_true(num_loaded < MAX_LOADED);
    modules[num_loaded].module = *module;
    modules[num_loaded++].context = current;
    return (int)cudaDeviceSynchronize(); /* as a driver may, like all that needs device memory */
}

static int unload(void *module)
{
    return cudaDeviceSynchronize() != cudaSuccess || dlclose(module) != 0;
}

/* A function is known by its launcher, which is in the module. */
static const void *module_of(void *found)
{
    Dl_info info;
    struct link_map *module = NULL;
    return dladdr1(found, &info, (void **)&module, RTLD_DL_LINKMAP) ? module : NULL;
}

/* Dynamic shared memory, of the only kernel that needs more than every kernel has. */
static int allowed_bytes = 48 << 10;
static int (*allow)(int bytes);

static int function(void **found, void *module, const char *name)
{
    char launcher[128];
    snprintf(launcher, sizeof(launcher), "launch_%s", name);
    *found = dlsym(module, launcher);
    snprintf(launcher, sizeof(launcher), "allow_%s", name);
    *(void **)&allow = dlsym(module, launcher);
    return *found ? (int)cudaDeviceSynchronize() : 500; /* it may load now; CUDA_ERROR_NOT_FOUND */
}

static int set_function(void *found, int which, int value)
{
    assert_non_null(found);
    assert_int_equal(which, CUDA_FUNCTION_DYNAMIC_BYTES);
    allowed_bytes = value;
    return allow(value);
}

static int get_function(int *value, int which, void *found)
{
    assert_non_null(found);
    assert_int_equal(which, CUDA_FUNCTION_DYNAMIC_BYTES);
    *value = allowed_bytes;
    return 0;
}

static int launch(void *found, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned dynamic_bytes, void *stream,
                  void **arguments, void **extra)
{
    cudaError_t (*launcher)(const cudaLaunchConfig_t *, void **);
    cudaLaunchConfig_t config = {0};
    assert_null(extra);
    if (context_of(module_of(found)) != current)
        return OTHER_CONTEXT;
    config.gridDim.x = grid_x;
    config.gridDim.y = grid_y;
    config.gridDim.z = grid_z;
    config.blockDim.x = block_x;
    config.blockDim.y = block_y;
    config.blockDim.z = block_z;
    config.dynamicSmemBytes = dynamic_bytes;
    config.stream = stream;
    *(void **)&launcher = found;
    return (int)launcher(&config, arguments);
}

static int free_memory(size_t *free_bytes, size_t *total_bytes)
{
    return (int)cudaMemGetInfo(free_bytes, total_bytes);
}

static int allocate(uint64_t *memory, size_t bytes)
{
    return (int)cudaMalloc((void **)memory, bytes);
}

static int free_one(uint64_t memory)
{
    return current ? (int)cudaFree((void *)memory) : NO_CONTEXT;
}

static int upload(uint64_t to, const void *from, size_t bytes, void *stream)
{
    return (int)cudaMemcpyAsync((void *)to, from, bytes, cudaMemcpyHostToDevice, stream);
}

static int download(void *to, uint64_t from, size_t bytes, void *stream)
{
    return (int)cudaMemcpyAsync(to, (void *)from, bytes, cudaMemcpyDeviceToHost, stream);
}

static int copy(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    return (int)cudaMemcpyAsync((void *)to, (void *)from, bytes, cudaMemcpyDeviceToDevice, stream);
}

static int fill(uint64_t to, unsigned char byte, size_t bytes, void *stream)
{
    return (int)cudaMemsetAsync((void *)to, byte, bytes, stream);
}

static int wait_for(void *stream)
{
    return (int)cudaStreamSynchronize(stream);
}

static int is_capturing(void *stream, int *status)
{
    return (int)cudaStreamIsCapturing(stream, (enum cudaStreamCaptureStatus *)status);
}

static int capture_mode(int *mode)
{
    return (int)cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode);
}

static int create_event(void **event, unsigned flags)
{
    return (int)cudaEventCreateWithFlags((cudaEvent_t *)event, flags);
}

static int record(void *event, void *stream)
{
    return (int)cudaEventRecord(event, stream);
}

static int elapsed(float *elapsed_ms, void *begin, void *end)
{
    if (!begin || !end)
        return 1; /* CUDA_ERROR_INVALID_VALUE */
    return (int)cudaEventElapsedTime(elapsed_ms, begin, end);
}

static int free_event(void *event)
{
    return current ? (int)cudaEventDestroy(event) : NO_CONTEXT;
}

const cuda_driver *nitro_cuda_driver_load(void)
{
    static const cuda_driver driver = {init,         driver_version, error,           get_context,
                                       set_context,  get_device,     primary_context, name_of,
                                       attribute,    load,           unload,          function,
                                       set_function, get_function,   launch,          free_memory,
                                       allocate,     free_one,       upload,          download,
                                       copy,         fill,           wait_for,        is_capturing,
                                       capture_mode, create_event,   record,          elapsed,
                                       free_event};
    return has_driver ? &driver : NULL;
}

/* ---- Tests ---- */

static const nitro_module *first_on_cuda(void)
{
    const nitro_module *each = nitro_module_get();
    while (strcmp(each->device_kind, "cuda") != 0)
        each++;
    return each;
}

static void kernels_are_right_in_any_order_of_threads(void **state)
{
    cuda_emulation_settings settings = cuda_emulation_defaults();
    (void)state;
    settings.seed = 1;
    cuda_emulation_reset(&settings);
    configuration_cases_check_examples("cuda", 1, 1);
    assert_string_equal(cuda_emulation_problem(), "");
    assert_int_equal(cuda_emulation_used_bytes(), 0);
}

/* One input of the first kernel; its problem is the argument's. */
static nitro_on_device *prepare_one(nitro_context *context, void **argument, int *failure)
{
    const nitro_module *module = first_on_cuda();
    nitro_computation *computation;
    char label[NITRO_KIT_LABEL];
    assert_ok(context, module->create(context, &computation));
    const nitro_kernel *kernel = nitro_kernel_of(computation, 0);
    *argument = kit_case_make(context, kernel->kit, true, 0, 1000, label);
    *failure = nitro_kernel_prepare(*argument, (void *)kernel);
    nitro_computation_free(computation);
    return nitro_kit_on_device(kernel->kit, *argument);
}

/* As on a second device, whose default stream is NULL, too. A second stream of a context does with
 * what the first has loaded. */
static void kernels_are_loaded_once_for_each_context(void **state)
{
    static char second_context;
    void *const contexts[] = {&has_driver, &second_context};
    const cuda_emulation_settings settings = cuda_emulation_defaults();
    nitro_context *context = unit_context();
    const nitro_module *module = first_on_cuda();
    nitro_computation *computation;
    char label[NITRO_KIT_LABEL];
    size_t loaded_before = num_loaded;
    (void)state;
    cuda_emulation_reset(&settings);
    assert_ok(context, module->create(context, &computation));
    const nitro_kernel *kernel = nitro_kernel_of(computation, 0);
    assert_ok(context, nitro_kernel_configure(context, kernel, NULL));
    for (size_t c = 0; c < 2; c++) {
        current = contexts[c];
        for (size_t s = 0; s < 2; s++) {
            void *argument = kit_case_make(context, kernel->kit, true, 0, 1000, label);
            nitro_on_device *on_device = nitro_kit_on_device(kernel->kit, argument);
            cudaStream_t stream;
            assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
            on_device->stream = s == 0 ? NULL : stream;
            assert_int_equal(nitro_kernel_prepare(argument, (void *)kernel), 0);
            assert_int_equal(nitro_kernel_run(argument, (void *)kernel), 0);
            assert_int_equal(num_loaded - loaded_before, c + 1);
            nitro_kit_free(kernel->kit, true, argument);
            assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
        }
    }
    current = &has_driver;
    nitro_computation_free(computation);
    assert_string_equal(cuda_emulation_problem(), "");
    nitro_context_free(context);
}

static void calls_are_timed_without_waiting(void **state)
{
    nitro_context *context = unit_context();
    nitro_computation *computation;
    char label[NITRO_KIT_LABEL];
    (void)state;
    const cuda_emulation_settings settings = cuda_emulation_defaults();
    cuda_emulation_reset(&settings);
    assert_ok(context, first_on_cuda()->create(context, &computation));
    const nitro_kit *kit = nitro_kernel_of(computation, 0)->kit;
    void *argument = kit_case_make(context, kit, true, 0, 1000, label);
    kit_case_monitor(context, kit, computation, argument, true);
    nitro_kit_free(kit, true, argument);
    nitro_computation_free(computation);
    assert_string_equal(cuda_emulation_problem(), "");
    nitro_context_free(context);
}

static cudaStream_t begin_capture(void)
{
    const cuda_emulation_settings settings = cuda_emulation_defaults();
    cudaStream_t stream;
    cuda_emulation_reset(&settings);
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    return stream;
}

static void end_capture(cudaStream_t stream)
{
    cudaGraph_t graph;
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
    assert_string_equal(cuda_emulation_problem(), "");
}

/* Another part of the program captures a graph, in the default mode; that graph is whole in the
 * end. */
static void kernels_are_loaded_while_others_capture(void **state)
{
    static const char *const names[] = {"one"};
    nitro_context *context = unit_context();
    const nitro_kernel_backend *backend = nitro_kernel_backend_find("cuda");
    nitro_kernel_target target;
    void *image, *loaded, *functions[1];
    size_t bytes;
    (void)state;
    assert_ok(context, backend->open(context, NULL, NULL, &target));
    assert_ok(context, backend->compile(context, &target, "one.cl", "__kernel void one() {}", "",
                                        &image, &bytes));
    cudaStream_t other = begin_capture();
    assert_ok(context, backend->load(context, &target, image, bytes, names, 1, &loaded, functions));
    backend->unload(loaded, functions, 1);
    end_capture(other);
    free(image);
    backend->close(&target);
    nitro_context_free(context);
}

static void calls_are_timed_while_others_capture(void **state)
{
    const nitro_stream_clock *clock = nitro_cuda_driver_memory.clock;
    void *events[2] = {NULL, NULL};
    double elapsed_ms = -1;
    (void)state;
    cudaStream_t other = begin_capture();
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(clock->mark(NULL, &events[i]), 0);
    assert_int_equal(clock->elapsed(events[0], events[1], &elapsed_ms), NITRO_STREAM_BUSY);
    end_capture(other);
    for (size_t i = 0; i < 2; i++)
        clock->free(events[i]);
}

/* A thread that has not used the device yet has no context. */
static void a_thread_without_a_context_frees(void **state)
{
    const nitro_device_memory *memory = &nitro_cuda_driver_memory;
    const cuda_emulation_settings settings = cuda_emulation_defaults();
    nitro_on_device on_device = {0};
    void *array, *event = NULL;
    (void)state;
    cuda_emulation_reset(&settings);
    assert_int_equal(memory->may_prepare(&on_device, "an array"), 0);
    assert_int_equal(memory->allocate(&on_device, 1000, 8, &array), 0);
    assert_int_equal(memory->clock->mark(NULL, &event), 0);
    assert_true(cuda_emulation_used_bytes() > 0);
    current = NULL;
    memory->free(array);
    assert_int_equal(cuda_emulation_used_bytes(), 0);
    current = NULL;
    memory->clock->free(event);
    assert_ptr_equal(current, &has_driver);
    assert_string_equal(cuda_emulation_problem(), "");
}

/* CUDA_ERROR_INVALID_VALUE and NITRO_STREAM_BUSY are the same number. */
static void a_clock_that_fails_is_not_busy(void **state)
{
    const cuda_emulation_settings settings = cuda_emulation_defaults();
    double elapsed_ms = -1;
    (void)state;
    cuda_emulation_reset(&settings);
    int failure = nitro_cuda_driver_memory.clock->elapsed(NULL, NULL, &elapsed_ms);
    assert_true(failure != 0 && failure != NITRO_STREAM_BUSY);
    assert_true(elapsed_ms == -1);
}

static void failures_are_the_arguments(void **state)
{
    nitro_context *context = unit_context();
    const nitro_kit *kit;
    nitro_computation *computation;
    cuda_emulation_settings settings = cuda_emulation_defaults();
    void *argument;
    int failure;
    (void)state;
    assert_ok(context, first_on_cuda()->create(context, &computation));
    kit = nitro_kernel_of(computation, 0)->kit;
    nitro_computation_free(computation);

    settings.memory_bytes = 2000;
    cuda_emulation_reset(&settings);
    nitro_on_device *on_device = prepare_one(context, &argument, &failure);
    assert_int_equal(failure, NITRO_ERR_NO_MEMORY);
    assert_non_null(strstr(on_device->problem, "free"));
    nitro_kit_free(kit, true, argument);

    settings = cuda_emulation_defaults();
    settings.fail_malloc = 2;
    cuda_emulation_reset(&settings);
    on_device = prepare_one(context, &argument, &failure);
    assert_int_equal(failure, NITRO_ERR_NO_MEMORY);
    assert_int_equal(cuda_emulation_used_bytes(), 0);
    nitro_kit_free(kit, true, argument);

    has_driver = false;
    on_device = prepare_one(context, &argument, &failure);
    assert_int_not_equal(failure, 0);
    assert_non_null(strstr(on_device->problem, "libcuda.so.1"));
    nitro_kit_free(kit, true, argument);
    has_driver = true;
    nitro_context_free(context);
}

static void what_does_not_compile_or_is_missing_is_said(void **state)
{
    nitro_context *context = unit_context();
    const nitro_kernel_backend *backend = nitro_kernel_backend_find("cuda");
    nitro_kernel_target target;
    void *image, *loaded, *functions[1];
    size_t bytes;
    (void)state;
    assert_ok(context, backend->open(context, NULL, NULL, &target));
    assert_non_null(strstr(target.identity, "emulated"));
    assert_fails(
        context,
        backend->compile(context, &target, "none.cl", "__kernel void none(", "", &image, &bytes),
        NITRO_ERR_FORMAT, "kernel.cpp");
    char options[100 * 3] = "-w";
    for (size_t i = 0; i < 62; i++)
        strcat(options, " -w");
    assert_fails(context,
                 backend->compile(context, &target, "one.cl", "__kernel void one() {}", options,
                                  &image, &bytes),
                 NITRO_ERR_ARGUMENT, "one.cl: more than 62 compiler options");
    assert_ok(context, backend->compile(context, &target, "one.cl",
                                        "__kernel void one(__global int *to) { to[0] = 1; }", "",
                                        &image, &bytes));
    assert_fails(context,
                 backend->load(context, &target, image, bytes, (const char *const[]){"two"}, 1,
                               &loaded, functions),
                 NITRO_ERR_NOT_FOUND, "no function two");
    assert_ok(context, backend->load(context, &target, image, bytes, (const char *const[]){"one"},
                                     1, &loaded, functions));
    char problem[256] = "";
    const nitro_kernel_launch odd = {.local = {8, 1, 1}, .global = {12, 1, 1}};
    assert_int_not_equal(backend->launch(functions[0], &odd, problem, sizeof(problem)), 0);
    assert_non_null(strstr(problem, "no multiple"));
    const nitro_kernel_launch many = {.local = {1, 1, 1}, .global = {((size_t)1 << 32) + 1, 1, 1}};
    assert_int_not_equal(backend->launch(functions[0], &many, problem, sizeof(problem)), 0);
    assert_non_null(strstr(problem, "4294967297 groups of 1 work-items are more"));
    backend->unload(loaded, functions, 1);
    free(image);
    backend->close(&target);
    nitro_context_free(context);
}

/* Another thread may be about to launch with what an earlier launch was allowed. */
static void the_most_local_memory_stays_allowed(void **state)
{
    static const size_t local_bytes[] = {60000, 50000, 100, 64000};
    static const int allowed[] = {60000, 60000, 60000, 64000};
    nitro_context *context = unit_context();
    const nitro_kernel_backend *backend = nitro_kernel_backend_find("cuda");
    const cuda_emulation_settings settings = cuda_emulation_defaults();
    nitro_kernel_target target;
    void *image, *loaded, *functions[1];
    size_t bytes;
    (void)state;
    cuda_emulation_reset(&settings);
    assert_ok(context, backend->open(context, NULL, NULL, &target));
    assert_ok(context, backend->compile(context, &target, "none.cl", "__kernel void none() {}", "",
                                        &image, &bytes));
    assert_ok(context, backend->load(context, &target, image, bytes, (const char *const[]){"none"},
                                     1, &loaded, functions));
    for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
        char problem[256] = "";
        const nitro_kernel_launch one = {.local = {1, 1, 1},
                                         .global = {1, 1, 1},
                                         .arguments = {{.bytes = local_bytes[i]}},
                                         .num_arguments = 1};
        assert_int_equal(backend->launch(functions[0], &one, problem, sizeof(problem)), 0);
        assert_int_equal(allowed_bytes, allowed[i]);
    }
    backend->unload(loaded, functions, 1);
    free(image);
    backend->close(&target);
    assert_string_equal(cuda_emulation_problem(), "");
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_right_in_any_order_of_threads),
        cmocka_unit_test(kernels_are_loaded_once_for_each_context),
        cmocka_unit_test(calls_are_timed_without_waiting),
        cmocka_unit_test(kernels_are_loaded_while_others_capture),
        cmocka_unit_test(calls_are_timed_while_others_capture),
        cmocka_unit_test(a_thread_without_a_context_frees),
        cmocka_unit_test(a_clock_that_fails_is_not_busy),
        cmocka_unit_test(failures_are_the_arguments),
        cmocka_unit_test(what_does_not_compile_or_is_missing_is_said),
        cmocka_unit_test(the_most_local_memory_stays_allowed),
    };
    /* What these compile is of no use to others, and changes with the emulation. */
    char folder[] = "/tmp/nitro-kernels-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    setenv("NITRO_KERNEL_CACHE", folder, 1);
    int failed = cmocka_run_group_tests_name("kernels_cuda", tests, NULL, NULL);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return failed || system(command) != 0;
}
