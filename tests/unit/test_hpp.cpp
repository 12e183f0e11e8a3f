/* The C++ face: what it adds to nitro.h, namely lambdas, exceptions and owned objects. */
#include <atomic>
#include <chrono>
#include <cmath>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>

extern "C" {
#include <cmocka.h>
}

#include "nitro/nitro.hpp"

namespace
{

struct vector {
    std::vector<double> values;
    double sum = 0.0;
};

struct refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void add_up(vector &v)
{
    v.sum = 0.0;
    for (double value : v.values)
        v.sum += value;
}

/** "forwards" is the default; "small" takes short vectors only; "broken" always throws. */
nitro::computation<vector> declare(const nitro::context &context)
{
    nitro::computation<vector> sum(context, "sum");
    nitro::variant<vector> small;
    small.name = "small";
    small.run = add_up;
    small.version = "2";
    small.allows = [](const double *features, const vector *) { return features[0] < 10.0; };
    sum.add_variant("forwards", add_up)
        .add_variant(std::move(small))
        .add_variant("broken", [](vector &) { throw refused("no sum today"); })
        .add_feature({"length", "1", NITRO_SCALE_LOG}, [](const vector &v) {
            if (v.values.empty())
                throw refused("nothing to measure");
            return static_cast<double>(v.values.size());
        });
    return sum;
}

/** What is refused names a text of the call, `said`. */
template <typename Call> void assert_refused(const Call &call, const char *said)
{
    try {
        call();
    } catch (const nitro::error &problem) {
        assert_int_equal(problem.status(), NITRO_ERR_ARGUMENT);
        assert_non_null(std::strstr(problem.what(), said));
        return;
    }
    fail_msg("not refused: %s", said);
}

void test_runs_the_default_without_a_model(void **)
{
    nitro::context context;
    nitro::computation<vector> sum = declare(context);
    vector v{{1, 2, 3, 4}};
    nitro::decision decision = sum.run(v);
    assert_string_equal(decision.variant_name, "forwards");
    assert_int_equal(decision.reason, NITRO_REASON_NO_MODEL);
    assert_true(v.sum == 10.0);
    assert_true(sum.evaluate(v) == std::vector<double>{4.0});
}

void test_what_a_variant_throws_comes_out_of_run(void **)
{
    nitro::context context;
    nitro::computation<vector> sum = declare(context);
    vector v{{1}};
    std::string caught;
    sum.set_default("broken");
    try {
        sum.run(v);
    } catch (const refused &thrown) {
        caught = thrown.what();
    }
    assert_string_equal(caught.c_str(), "no sum today");
    sum.set_default("forwards");
    sum.run(v); /* what was thrown is forgotten */
    assert_true(v.sum == 1.0);
}

void test_what_a_feature_throws_comes_out_of_evaluate(void **)
{
    nitro::context context;
    nitro::computation<vector> sum = declare(context);
    bool caught = false;
    try {
        sum.evaluate(vector());
    } catch (const refused &) {
        caught = true;
    }
    assert_true(caught);
}

/** If a feature throws, the default variant runs; after a clean failure, the next best one. */
void test_another_variant_runs(void **)
{
    nitro::context context;
    std::string log;
    context.set_log(NITRO_LOG_WARNING, [&](nitro_log_level, const char *said) { log += said; });
    nitro::computation<vector> sum = declare(context);
    vector empty{};
    sum.set_default("small"); /* its constraint reads the feature */
    nitro::decision decision = sum.run(empty, nitro::call_options{10.0});
    assert_true(log.find("length failed with -1: nothing to measure;") != std::string::npos);
    assert_string_equal(decision.variant_name, "forwards");
    assert_int_equal(decision.reason, NITRO_REASON_BAD_FEATURE);
    nitro::computation<vector> refusing(context, "sum");
    nitro::variant<vector> first;
    first.name = "first";
    first.run = [](vector &) { throw refused("no sum today"); };
    first.fails_cleanly = true;
    refusing.add_variant(first).add_variant("second", [](vector &v) { v.sum = 5.0; }).set_uses(1.0);
    decision = refusing.run(empty);
    assert_int_equal(decision.reason, NITRO_REASON_RUN_FAILED);
    assert_true(empty.sum == 5.0);
    try {
        refusing.set_uses(0.5);
        fail();
    } catch (const nitro::error &problem) { /* what was thrown before is forgotten */
        assert_int_equal(problem.status(), NITRO_ERR_ARGUMENT);
    }
}

/** A text that C would cut is refused, instead of meaning another object. */
void test_texts_with_null_bytes_are_refused(void **)
{
    const std::string cut("sum\0x", 5);
    nitro::context context;
    nitro::computation<vector> sum = declare(context);
    using computation = nitro::computation<vector>;
    assert_refused([&] { computation(context, cut); }, "'sum' continues after a null byte");
    assert_refused([&] { sum.add_variant(cut, add_up); }, "'sum'");
    assert_refused([&] { sum.add_feature({cut}, [](const vector &) { return 1.0; }); }, "'sum'");
    assert_refused([&] { sum.force(cut); }, "'sum'");
    assert_refused([&] { sum.load_model(cut); }, "'sum'");
    assert_refused([&] { context.set("", cut, "1"); }, "'sum'");
    assert_refused([&] { nitro::store(context, cut); }, "'sum'");
    assert_refused([&] { nitro::formula::per_core(cut); }, "'sum'");
    assert_int_equal(sum.variants().size(), 3);
    assert_int_equal(sum.features().size(), 1);
}

/** Of what a variant calls, not of what failed before it in the call that it serves. */
void test_a_call_within_a_variant_fails_by_itself(void **)
{
    nitro::context context;
    nitro::computation<vector> within(context, "within"), sum(context, "sum");
    std::string message;
    sum.add_feature({"length"}, [](const vector &) -> double { throw refused("no length"); });
    sum.add_variant("calling", [&](vector &v) {
        try {
            within.run(v); /* it has no variants */
        } catch (const std::exception &thrown) {
            message = thrown.what();
        }
    });
    nitro::variant<vector> small;
    small.name = "small";
    small.run = add_up;
    small.allows = [](const double *features, const vector *) { return features[0] < 10; };
    sum.add_variant(small).force("small");
    vector empty{};
    assert_int_equal(sum.run(empty).reason, NITRO_REASON_BAD_FEATURE);
    assert_string_equal(message.c_str(), "within has no variants: declare one");
}

/** Functions that are missing, and lists without elements, which C gets as NULL. */
void test_what_is_missing_is_named(void **)
{
    nitro::context context;
    nitro::computation<vector> sum(context, "sum");
    sum.add_variant("forwards", add_up);
    assert_string_equal(sum.select(nullptr, 0).variant_name, "forwards");
    char folder[] = "/tmp/nitro-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    nitro::store samples(context, std::string(folder) + "/s.db", NITRO_STORE_WRITE);
    const char *needed = "sum: a feature group needs a function and at least one feature";
    assert_refused([&] { sum.add_feature({"length"}, nullptr); }, needed);
    assert_refused([&] { sum.add_features({{"length"}}, nullptr); }, needed);
    assert_refused([&] { sum.add_features({}, [](auto &, auto) {}); }, needed);
    assert_refused([&] { sum.tune(samples, {}); }, "sum: no inputs to tune on");
    assert_refused(
        [&] {
            sum.tune(samples, {{"one", nullptr}});
        },
        "input number 1 ('one') needs a loader");
    nitro::tunable<vector> idle;
    idle.name = "idle";
    idle.space = R"({"ConfigurationSpace": {"TuningParameters": [
        {"Name": "a", "Type": "int", "Values": [1, 2]}]}})";
    idle.load = [] { return std::make_unique<vector>(); };
    assert_refused([&] { nitro::tuner<vector>(context, idle).search(); },
                   "tunable 'idle' has no run");
    assert_int_equal(sum.features().size(), 0);
    std::filesystem::remove_all(folder);
}

void test_failures_are_exceptions_with_status_and_message(void **)
{
    nitro::context context;
    nitro::computation<vector> sum = declare(context);
    nitro_status status = NITRO_OK;
    std::string message;
    try {
        sum.add_variant("forwards", add_up);
    } catch (const nitro::error &thrown) {
        status = thrown.status();
        message = thrown.what();
    }
    assert_int_equal(status, NITRO_ERR_EXISTS);
    assert_non_null(std::strstr(message.c_str(), "forwards"));
    status = NITRO_OK;
    try {
        nitro::model::load(context, "/no/such/model.json");
    } catch (const nitro::error &thrown) {
        status = thrown.status();
    }
    assert_int_equal(status, NITRO_ERR_NOT_FOUND);
}

void test_a_moved_computation_still_calls_its_lambdas(void **)
{
    nitro::context context;
    nitro::computation<vector> first = declare(context);
    nitro::computation<vector> second = std::move(first);
    vector v{{5, 6}};
    second.run(v);
    assert_true(v.sum == 11.0);
    first = std::move(second);
    second = declare(context);
    for (nitro::computation<vector> *each : {&first, &second}) {
        v.sum = 0.0;
        each->run(v);
        assert_true(v.sum == 11.0);
    }
    nitro::context other;
    other = nitro::context();
    assert_non_null(other.get());
}

/** Prepared once, run twice; a variant that throws does so in either half. */
void test_deciding_and_running_apart(void **)
{
    nitro::context context;
    nitro::computation<vector> sum(context, "sum");
    int prepares = 0;
    nitro::variant<vector> variant;
    variant.name = "forwards";
    variant.time_source = NITRO_TIME_DEVICE;
    variant.prepare = [&](vector &v) {
        if (v.values.empty())
            throw std::runtime_error("nothing to prepare");
        prepares++;
    };
    variant.run = [](vector &v) { v.sum += v.values[0]; };
    sum.add_variant(variant).set_device_kind("cuda");
    nitro::hooks<vector> hooks;
    hooks.stream = [](const vector &) { return nullptr; };
    sum.set_hooks(hooks);
    vector v{{5}}, empty{};
    nitro::decision decision = sum.prepare(v);
    assert_string_equal(decision.variant_name, "forwards");
    assert_int_equal(prepares, 1);
    sum.run_decided(v, decision);
    sum.run_decided(v, decision);
    assert_int_equal(prepares, 1);
    assert_true(v.sum == 10.0);
    try {
        sum.prepare(empty);
        fail();
    } catch (const std::runtime_error &problem) {
        assert_string_equal(problem.what(), "nothing to prepare");
    }
    decision.variant = 7;
    try {
        sum.run_decided(v, decision);
        fail();
    } catch (const nitro::error &problem) {
        assert_int_equal(problem.status(), NITRO_ERR_ARGUMENT);
    }
}

/** Settings, a forced variant, memo, tickets and monitoring reach the computation. */
void test_dispatch_is_adjusted(void **)
{
    nitro::context context;
    nitro::computation<vector> sum = declare(context);
    assert_string_equal(sum.name().c_str(), "sum");
    assert_string_equal(sum.device_kind().c_str(), "host");
    assert_true(sum.variants() == (std::vector<std::string>{"forwards", "small", "broken"}));
    assert_true(sum.features() == std::vector<std::string>{"length"});
    vector v{{1, 2}};
    context.set("sum", "force", "small");
    sum.configure();
    assert_int_equal(sum.run(v).reason, NITRO_REASON_FORCED);
    sum.force("");
    assert_int_equal(sum.run(v).reason, NITRO_REASON_NO_MODEL);
    sum.force("broken");
    try {
        sum.run(v);
        fail();
    } catch (const refused &) {
        sum.force("");
    }
    sum.set_memo_size(100);
    assert_int_equal(sum.memo_statistics().num_entries, 128);
    sum.set_feature_options({1, 0.0});
    v.sum = 0.0;
    {
        nitro::ticket begun = sum.begin(v), cancelled = sum.begin(v);
        assert_int_equal(begun.run().reason, NITRO_REASON_NO_MODEL);
        assert_true(v.sum == 3.0);
        try {
            begun.run();
            fail();
        } catch (const nitro::error &problem) {
            assert_int_equal(problem.status(), NITRO_ERR_ARGUMENT);
        }
    }
    nitro_monitor_options options = sum.monitor_options();
    options.every = 1;
    options.num_recorded = 8;
    sum.monitor(options);
    sum.run(v);
    assert_int_equal(sum.monitor_statistics().num_timed, 1);
    assert_int_equal(sum.monitor_statistics().num_recorded, 1);
    sum.stop_monitoring();
    assert_int_equal(sum.monitor_statistics().num_timed, 0);
}

int double_length(void *argument, void *)
{
    static_cast<vector *>(argument)->sum = 7.0;
    return 0;
}

/** What C declared runs in C++; a variant's problem is the error's text. */
void test_declared_by_c(void **)
{
    static nitro_declaration declaration = {};
    declaration.name = "sum";
    declaration.variants[0].name = "only";
    declaration.variants[0].run = double_length;
    nitro::context context;
    auto sum = nitro::computation<vector>::declare(context, declaration);
    vector v{};
    assert_string_equal(sum.run(v).variant_name, "only");
    assert_true(v.sum == 7.0);
    try {
        nitro::model::load_memory(context, "no model", 8);
        fail();
    } catch (const nitro::error &problem) {
        assert_int_equal(problem.status(), NITRO_ERR_FORMAT);
    }
}

double hour(void *)
{
    return 3.6e6;
}

void test_context_and_formulas(void **)
{
    nitro::context context;
    assert_string_equal(nitro::version(), NITRO_VERSION_STRING);
    assert_string_equal(nitro::formula::per_l2("8 * nnz").c_str(),
                        "((8 * nnz) / (1024 * device.l2_cache_size))");
    assert_non_null(std::strstr(nitro::formula::streaming_time("8 * n", 5.0).c_str(), "8 * n"));
    nitro_computation *none = nullptr;
    nitro_computation_create(context.get(), "not a name", &none);
    char message[200];
    nitro_context_last_error(context.get(), message, sizeof message);
    assert_string_not_equal(message, "");
    context.clear_error();
    nitro_context_last_error(context.get(), message, sizeof message);
    assert_string_equal(message, "");
    nitro_clock frozen = {hour, hour, nullptr};
    context.set_clock(&frozen);
    nitro::computation<vector> sum = declare(context);
    nitro_monitor_options options = sum.monitor_options();
    options.every = 1;
    sum.monitor(options);
    vector v{{1, 2}};
    sum.run(v);
    assert_true(sum.monitor_statistics().timed_ms == 0.0);
}

nitro::input<vector> make_input(size_t length)
{
    nitro::input<vector> made;
    made.name = "ones-" + std::to_string(length);
    made.load = [length] {
        auto loaded = std::make_unique<vector>();
        loaded->values.assign(length, 1.0);
        return loaded;
    };
    return made;
}

/** Tune, learn, save, load, dispatch: the whole way. A throwing variant costs its own entry. */
void test_tunes_learns_and_dispatches(void **)
{
    char folder[] = "/tmp/nitro-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    std::string url = std::string(folder) + "/samples.db";
    std::string path = std::string(folder) + "/sum.json";
    {
        nitro::context context;
        std::vector<std::string> log;
        context.set_log(NITRO_LOG_INFO,
                        [&](nitro_log_level, const char *message) { log.push_back(message); });
        nitro::computation<vector> sum = declare(context);
        nitro::hooks<vector> hooks;
        double expected = 0.0;
        hooks.keep_reference = [&](vector &v) { expected = v.sum; };
        hooks.check_result = [&](vector &v) {
            return v.sum == expected ? std::string() : std::string("another sum");
        };
        sum.set_hooks(hooks);
        nitro_tune_options quick = sum.tune_options();
        quick.measure.warmups = 0;
        quick.measure.min_repetitions = quick.measure.max_repetitions = 1;
        std::vector<nitro::input<vector>> inputs;
        for (size_t length : {1, 2, 3, 4, 5, 6, 7, 8})
            inputs.push_back(make_input(length));
        nitro::store store = nitro::store::open_journaled(context, url);
        sum.tune(store, inputs, "host", quick);
        assert_int_equal(store.flush(0.0), 0);
        assert_int_equal(store.count_unsent(), 0);

        nitro::model model = store.learn_own("sum", "host");
        assert_true(model.variants() == (std::vector<std::string>{"forwards", "small", "broken"}));
        assert_true(model.features() == std::vector<std::string>{"length"});
        model.save(path);
        sum.load_model(path);
        vector v{{1, 2, 3}};
        nitro::decision decision = sum.run(v);
        assert_true(v.sum == 6.0);
        assert_string_not_equal(decision.variant_name, "broken");
        assert_int_equal(decision.variant, sum.select(v).variant);
        nitro::prediction all = model.rank({3.0}, nitro::call_options{1.0});
        assert_int_equal(all.ranking.size(), 3);
        assert_true(all.scores[all.ranking[0]] >= all.scores[all.ranking[2]]);
        assert_int_equal(decision.variant, model.predict({3.0}).variant);
        model.export_as(NITRO_EXPORT_BINARY, path + ".bin");
        assert_true(nitro::model::load(context, path + ".bin").variants() == model.variants());
        std::ifstream file(path + ".bin", std::ios::binary);
        std::string bytes{std::istreambuf_iterator<char>(file), {}};
        sum.load_model_memory(bytes.data(), bytes.size());
        assert_string_equal(sum.run(v).variant_name, decision.variant_name);

        nitro_monitor_options recording = sum.monitor_options();
        recording.every = 1;
        recording.num_recorded = 8;
        sum.monitor(recording);
        sum.run(v);
        assert_int_equal(sum.flush_observations(store), 1);
        sum.record_to(url, 3600.0);
        sum.run(v);
    }
    std::filesystem::remove_all(folder);
}

struct scaled {
    double result = 0;
};

nitro::tunable<scaled> scaled_tunable()
{
    nitro::tunable<scaled> made;
    made.name = "scale";
    made.space = R"({"ConfigurationSpace": {"TuningParameters": [
        {"Name": "a", "Type": "int", "Values": [1, 2, 3, 4]},
        {"Name": "b", "Type": "int", "Values": [1, 2]}], "Conditions": ["a != b"]}})";
    made.run = [](scaled &given, const double *values) {
        if (values[0] == 3)
            throw std::runtime_error("not 3");
        given.result = 42 + 0 * values[1];
    };
    made.check = [](scaled &given) { return std::string(given.result == 42 ? "" : "not 42"); };
    made.copy = [](const scaled &given) { return std::make_unique<scaled>(given); };
    made.load = [] { return std::make_unique<scaled>(); };
    made.repeatable = true;
    return made;
}

void test_tuners(void **)
{
    nitro::context context;
    nitro::tuner_options options;
    options.starts = {{4, 2}};
    nitro::tuner<scaled> asked(context, scaled_tunable(), options);
    assert_true(asked.parameters() == (std::vector<std::string>{"a", "b"}));
    bool is_first = true;
    for (std::vector<double> values; !(values = asked.ask()).empty(); is_first = false) {
        assert_true(!is_first || (values[0] == 4 && values[1] == 2));
        asked.tell(values, values[0] == 3 ? NAN : 2 * values[0] + values[1]);
    }
    assert_true(asked.best().values == (std::vector<double>{1, 2}));
    assert_int_equal(asked.statistics().num_evaluated, 6);
    assert_int_equal(asked.statistics().num_invalid, 2);
    try {
        asked.tell({1}, 1);
        fail();
    } catch (const nitro::error &thrown) {
        assert_int_equal(thrown.status(), NITRO_ERR_ARGUMENT);
    }
    std::string log;
    context.set_log(NITRO_LOG_WARNING, [&](nitro_log_level, const char *message) {
        log.append(message).append("\n");
    });
    nitro::tuner<scaled> searched(context, scaled_tunable());
    searched.search();
    assert_int_equal(searched.statistics().num_invalid, 2);
    assert_true(log.find("run returned -1 in call 1: not 3") != std::string::npos);
    nitro::tunable<scaled> unchecked = scaled_tunable();
    unchecked.check = [](scaled &) -> std::string { throw std::runtime_error("no check today"); };
    nitro::tuner<scaled>(context, std::move(unchecked)).search();
    assert_true(log.find("the check threw: no check today") != std::string::npos);
    context.set_log(NITRO_LOG_WARNING, nullptr);
    for (nitro_online_data data : {NITRO_ONLINE_OWN, NITRO_ONLINE_COPY, NITRO_ONLINE_BACKGROUND}) {
        nitro::tuner<scaled> online(context, scaled_tunable());
        nitro::computation<scaled> called(context, "called");
        nitro_online_options how = nitro::tuner<scaled>::online_options();
        how.data = data;
        how.share = 1;
        called.add_tunable(online, how);
        for (int i = 0; i < 100; i++) {
            scaled own;
            called.run(own);
            assert_true(own.result == 42);
        }
        online.restart();
    }
}

std::atomic<bool> is_run_by_thread{false}, was_freed_in_run{false};

struct watch {
    ~watch()
    {
        was_freed_in_run = was_freed_in_run || is_run_by_thread;
    }
};

void test_a_tuner_that_is_replaced_ends_its_thread_first(void **)
{
    nitro::context context;
    nitro::tunable<scaled> slow = scaled_tunable();
    const std::thread::id caller = std::this_thread::get_id();
    slow.run = [caller, kept = std::make_shared<watch>()](scaled &given, const double *) {
        given.result = 42;
        if (std::this_thread::get_id() == caller)
            return;
        is_run_by_thread = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        is_run_by_thread = false;
    };
    nitro::tuner<scaled> online(context, std::move(slow));
    slow = {};
    {
        nitro::computation<scaled> called(context, "called");
        nitro_online_options how = nitro::tuner<scaled>::online_options();
        how.data = NITRO_ONLINE_BACKGROUND;
        how.share = 1;
        called.add_tunable(online, how);
        for (scaled own; !is_run_by_thread;)
            called.run(own);
    }
    online = nitro::tuner<scaled>(context, scaled_tunable());
    assert_false(was_freed_in_run);
    assert_int_equal(online.num_parameters(), 2);
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_the_default_without_a_model),
        cmocka_unit_test(test_what_a_variant_throws_comes_out_of_run),
        cmocka_unit_test(test_what_a_feature_throws_comes_out_of_evaluate),
        cmocka_unit_test(test_another_variant_runs),
        cmocka_unit_test(test_a_call_within_a_variant_fails_by_itself),
        cmocka_unit_test(test_texts_with_null_bytes_are_refused),
        cmocka_unit_test(test_what_is_missing_is_named),
        cmocka_unit_test(test_failures_are_exceptions_with_status_and_message),
        cmocka_unit_test(test_a_moved_computation_still_calls_its_lambdas),
        cmocka_unit_test(test_deciding_and_running_apart),
        cmocka_unit_test(test_dispatch_is_adjusted),
        cmocka_unit_test(test_declared_by_c),
        cmocka_unit_test(test_context_and_formulas),
        cmocka_unit_test(test_tunes_learns_and_dispatches),
        cmocka_unit_test(test_tuners),
        cmocka_unit_test(test_a_tuner_that_is_replaced_ends_its_thread_first),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
