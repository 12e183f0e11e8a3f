/*
 * nitro.hpp - nitro.h for C++17, header-only: objects that free themselves, errors as exceptions,
 * lambdas as variants and features. What the functions mean, their units and threads, is documented
 * in runtime.h and tune.h; this file documents what C++ adds.
 *
 *     nitro::context context;
 *     nitro::computation<vector> sum(context, "sum");
 *     sum.add_variant("serial", [](vector &v) { ... });
 *     sum.add_feature({"length", "1", NITRO_SCALE_LOG}, [](const vector &v) { return ...; });
 *     sum.load_model("sum.json");
 *     nitro::decision decision = sum.run(v);
 *
 * - Every failure throws nitro::error with nitro.h's status and the context's message. run()
 *   and select() rethrow exceptions of lambdas unchanged; while measuring, in worker processes,
 * they are failures of the variant.
 * - Texts with a null byte, where C would end them, are refused (NITRO_ERR_ARGUMENT).
 * - An object must not outlive the context that it was made in, nor moved-from objects be used.
 */
#ifndef NITRO_NITRO_HPP
#define NITRO_NITRO_HPP

#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "nitro/nitro.h"

namespace nitro
{

/** What failed: nitro.h's status, and what(): the context's message. */
class error : public std::runtime_error
{
  public:
    error(nitro_status status, const std::string &message)
        : std::runtime_error(message.empty() ? nitro_status_name(status) : message), status_(status)
    {
    }
    nitro_status status() const noexcept
    {
        return status_;
    }

  private:
    nitro_status status_;
};

using decision = nitro_decision;

/** Options of one call, such as call_options{uses}; zeros leave the computation's defaults. */
using call_options = nitro_call_options;

/** Version of the library in use, as "MAJOR.MINOR.PATCH". */
inline const char *version() noexcept
{
    return nitro_version();
}

/** The reason of a decision as a sentence. */
inline const char *reason_text(const decision &made) noexcept
{
    return nitro_reason_text(made.reason);
}

namespace detail
{

template <typename T, void (*Free)(T *)> struct deleter {
    void operator()(T *object) const noexcept
    {
        Free(object);
    }
};

template <typename T, void (*Free)(T *)> using owned = std::unique_ptr<T, deleter<T, Free>>;

/** The exception of a callback of this thread, until the call that it was made from returns. */
inline std::exception_ptr &thrown() noexcept
{
    static thread_local std::exception_ptr exception;
    return exception;
}

/** Run a callback for C and keep its exception; calls that it makes do not see one of a callback
 *  before it. @return 0, or -1 if it threw. */
template <typename F> int guarded(F &&callback) noexcept
{
    std::exception_ptr before = std::exchange(thrown(), nullptr);
    try {
        std::forward<F>(callback)();
        thrown() = std::move(before);
        return 0;
    } catch (...) {
        thrown() = std::current_exception();
        return -1;
    }
}

/** What the exception of this thread says; "" if there is none, or if it says nothing. */
inline std::string thrown_text()
{
    try {
        if (thrown())
            std::rethrow_exception(thrown());
    } catch (const std::exception &exception) {
        return exception.what();
    } catch (...) {
        return "";
    }
    return "";
}

/** thrown_text() for C, of the application's last failure on this thread; nullptr: unknown. */
inline const char *thrown_problem(const void * = nullptr, void * = nullptr) noexcept
{
    static thread_local std::string text;
    try {
        text = thrown_text();
        return text.c_str();
    } catch (...) {
        return nullptr;
    }
}

/** Of a check that gives a text where a result is wrong. @return 0, or -1 with the text, or with
 *  what it threw, in `why`, shape [size]. */
template <typename F> int judged(F &&check, char *why, size_t size) noexcept
{
    std::string wrong;
    if (guarded([&] { wrong = std::forward<F>(check)(); }) == 0 && wrong.empty())
        return 0;
    const char *threw = wrong.empty() ? thrown_problem() : nullptr;
    std::snprintf(why, size, "%s%s", threw ? "the check threw: " : "",
                  threw ? threw : wrong.c_str());
    return -1;
}

/** The text for C, which would end it at a null byte: texts that have one are refused. */
inline const char *c_text(const std::string &text)
{
    if (text.find('\0') != std::string::npos)
        throw error(NITRO_ERR_ARGUMENT, "'" + std::string(text.c_str()) +
                                            "' continues after a null byte, where C would end it");
    return text.c_str();
}

/** The same of a text that may be left out: null for "". */
inline const char *optional_text(const std::string &text)
{
    return text.empty() ? nullptr : c_text(text);
}

inline void check(nitro_context *context, nitro_status status)
{
    std::exception_ptr exception = std::exchange(thrown(), nullptr);
    if (status == NITRO_OK)
        return;
    if (exception)
        std::rethrow_exception(exception);
    char message[4096];
    nitro_context_last_error(context, message, sizeof message);
    throw error(status, message);
}

/** The names that an object counts and gives by index. */
template <typename T>
std::vector<std::string> names(const T *object, size_t (*count)(const T *),
                               const char *(*name)(const T *, size_t))
{
    std::vector<std::string> all;
    for (size_t i = 0; i < count(object); i++)
        all.emplace_back(name(object, i));
    return all;
}

/** The text that a function writes as snprintf does. */
template <typename Write> std::string written(Write &&write)
{
    std::string text(write(nullptr, 0), '\0');
    write(text.data(), text.size() + 1);
    return text;
}

} // namespace detail

/** Formulas of common relative features, from formulas of input features. */
namespace formula
{

inline std::string per_thread(const std::string &work)
{
    return detail::written([&](char *text, size_t size) {
        return nitro_formula_per_thread(text, size, detail::c_text(work));
    });
}
inline std::string per_core(const std::string &work)
{
    return detail::written([&](char *text, size_t size) {
        return nitro_formula_per_core(text, size, detail::c_text(work));
    });
}
inline std::string per_l2(const std::string &bytes)
{
    return detail::written([&](char *text, size_t size) {
        return nitro_formula_per_l2(text, size, detail::c_text(bytes));
    });
}
inline std::string streaming_time(const std::string &bytes, double floor_us)
{
    return detail::written([&](char *text, size_t size) {
        return nitro_formula_streaming_time(text, size, detail::c_text(bytes), floor_us);
    });
}
inline std::string imbalance(const std::string &longest, const std::string &work)
{
    return detail::written([&](char *text, size_t size) {
        return nitro_formula_imbalance(text, size, detail::c_text(longest), detail::c_text(work));
    });
}
inline std::string machine_balance(const std::string &flops, const std::string &bytes)
{
    return detail::written([&](char *text, size_t size) {
        return nitro_formula_machine_balance(text, size, detail::c_text(flops),
                                             detail::c_text(bytes));
    });
}

} // namespace formula

/** Errors, log and clock; must outlive all other objects. */
class context
{
  public:
    using log_function = std::function<void(nitro_log_level, const char *message)>;

    context()
    {
        nitro_context *made = nullptr;
        nitro_status status = nitro_context_create(&made);
        if (status != NITRO_OK)
            throw error(status, "");
        handle_.reset(made);
    }

    context(context &&other) = default;
    context &operator=(context &&other) noexcept
    {
        handle_ = std::move(other.handle_); /* ends the old one before what it calls is freed */
        log_ = std::move(other.log_);
        return *this;
    }

    nitro_context *get() const noexcept
    {
        return handle_.get();
    }

    void clear_error() noexcept
    {
        nitro_context_clear_error(handle_.get());
    }

    /** Make a setting for one computation, or for all (""). */
    void set(const std::string &computation, const std::string &setting, const std::string &value)
    {
        detail::check(handle_.get(),
                      nitro_context_set(handle_.get(), detail::optional_text(computation),
                                        detail::c_text(setting), detail::c_text(value)));
    }

    /** Replace the clock; its state is borrowed. Null: the system's clock. */
    void set_clock(const nitro_clock *clock) noexcept
    {
        nitro_context_set_clock(handle_.get(), clock);
    }

    /** Send messages up to `level` to `log`, whose exceptions are ignored; empty: no log. */
    void set_log(nitro_log_level level, log_function log)
    {
        auto made = std::make_unique<log_function>(std::move(log));
        nitro_context_set_log(handle_.get(), level, *made ? &context::write_log : nullptr,
                              made.get());
        log_ = std::move(made); /* frees the old one, which is not set any more */
    }

  private:
    static void write_log(void *user, nitro_log_level level, const char *message) noexcept
    {
        try {
            (*static_cast<log_function *>(user))(level, message);
        } catch (...) {
            return;
        }
    }

    std::unique_ptr<log_function> log_; /* freed after the handle that calls it */
    detail::owned<nitro_context, nitro_context_free> handle_;
};

/** Everything that a model says of one input. */
struct prediction {
    decision made;
    std::vector<size_t> ranking; /* variants, best first */
    std::vector<double> scores;  /* by variant; larger is better */
};

/** A model for one target. */
class model
{
  public:
    /** Takes ownership. */
    model(nitro_context *owner, nitro_model *handle) noexcept : context_(owner), handle_(handle)
    {
    }

    static model load(const context &owner, const std::string &path)
    {
        nitro_model *made = nullptr;
        detail::check(owner.get(), nitro_model_load(owner.get(), detail::c_text(path), &made));
        return model(owner.get(), made);
    }

    /** From a model file's contents. */
    static model load_memory(const context &owner, const void *data, size_t size)
    {
        nitro_model *made = nullptr;
        detail::check(owner.get(), nitro_model_load_memory(owner.get(), data, size, &made));
        return model(owner.get(), made);
    }

    void save(const std::string &path) const
    {
        detail::check(context_, nitro_model_save(handle_.get(), detail::c_text(path)));
    }

    /** Write the model as a binary file or as C source. */
    void export_as(nitro_export_format format, const std::string &path) const
    {
        detail::check(context_, nitro_model_export(handle_.get(), format, detail::c_text(path)));
    }

    std::string computation() const
    {
        return nitro_model_computation(handle_.get());
    }
    std::string target() const
    {
        return nitro_model_target(handle_.get());
    }
    std::string strategy() const
    {
        return nitro_model_strategy(handle_.get());
    }
    std::vector<std::string> variants() const
    {
        return detail::names(handle_.get(), nitro_model_num_variants, nitro_model_variant_name);
    }
    std::vector<std::string> features() const
    {
        return detail::names(handle_.get(), nitro_model_num_features, nitro_model_feature_name);
    }

    /** Features in the model's order; the decision's variant_name belongs to the model. */
    decision predict(const std::vector<double> &features, const call_options &options = {}) const
    {
        return rank(features, options).made;
    }

    /** The same with the ranking of the variants that ran on some source, and all scores. */
    prediction rank(const std::vector<double> &features, const call_options &options = {}) const
    {
        const size_t num_variants = nitro_model_num_variants(handle_.get());
        prediction all{{}, std::vector<size_t>(num_variants), std::vector<double>(num_variants)};
        if (features.size() != nitro_model_num_features(handle_.get()))
            throw error(NITRO_ERR_ARGUMENT, "features given: " + std::to_string(features.size()) +
                                                "; the model takes " +
                                                std::to_string(nitro_model_num_features(get())));
        detail::check(context_,
                      nitro_model_predict_with(handle_.get(), features.data(), &options, &all.made,
                                               all.ranking.data(), all.scores.data()));
        all.ranking.resize(nitro_model_num_ranked(handle_.get()));
        return all;
    }

    nitro_model *get() const noexcept
    {
        return handle_.get();
    }
    nitro_model *release() noexcept
    {
        return handle_.release();
    }

  private:
    nitro_context *context_;
    detail::owned<nitro_model, nitro_model_free> handle_;
};

/** A repository of samples, devices and schemas. */
class store
{
  public:
    /** An empty URL is the user's own store. */
    explicit store(const context &owner, const std::string &url = "",
                   nitro_store_mode mode = NITRO_STORE_READ)
        : context_(owner.get())
    {
        nitro_store *made = nullptr;
        detail::check(owner.get(),
                      nitro_store_open(owner.get(), detail::optional_text(url), mode, &made));
        handle_.reset(made);
    }

    /** Open a store for tuning, whose samples go to a local journal first if it is a remote one. */
    static store open_journaled(const context &owner, const std::string &url = "")
    {
        nitro_store *made = nullptr;
        detail::check(owner.get(),
                      nitro_store_open_journaled(owner.get(), detail::optional_text(url), &made));
        return store(owner.get(), made);
    }

    /** Send the journal's unsent samples. @return how many are still unsent. */
    size_t flush(double patience_ms)
    {
        size_t waiting = 0;
        detail::check(context_, nitro_store_flush(handle_.get(), patience_ms, &waiting));
        return waiting;
    }

    size_t count_unsent() const
    {
        size_t waiting = 0;
        detail::check(context_, nitro_store_count_unsent(handle_.get(), &waiting));
        return waiting;
    }

    /** Learn a model for an unmeasured device. */
    model tune_from_source(const std::string &computation, const std::string &target,
                           const nitro_learn_options &options = learn_options()) const
    {
        return learn(nitro_tune_from_source, computation, target, options);
    }

    /** Learn a model for a device from its own samples (target-trained). */
    model learn_own(const std::string &computation, const std::string &device,
                    const nitro_learn_options &options = learn_options()) const
    {
        return learn(nitro_learn_own, computation, device, options);
    }

    static nitro_learn_options learn_options() noexcept
    {
        nitro_learn_options options;
        nitro_learn_options_init(&options);
        return options;
    }

    nitro_store *get() const noexcept
    {
        return handle_.get();
    }

  private:
    store(nitro_context *owner, nitro_store *handle) noexcept : context_(owner), handle_(handle)
    {
    }

    model learn(decltype(nitro_tune_from_source) *how, const std::string &computation,
                const std::string &device, const nitro_learn_options &options) const
    {
        nitro_model *made = nullptr;
        detail::check(context_, how(context_, handle_.get(), detail::c_text(computation),
                                    detail::c_text(device), &options, &made));
        return model(context_, made);
    }

    nitro_context *context_;
    detail::owned<nitro_store, nitro_store_close> handle_;
};

/** A feature of an input: name, unit, scale. */
struct feature {
    std::string name;
    std::string unit = "1";
    nitro_scale scale = NITRO_SCALE_AUTO;
    double cost_ns = 0.0;
};

/** A feature that relates input and device by a formula. */
struct relative_feature {
    std::string name;
    std::string formula;
    nitro_scale scale = NITRO_SCALE_AUTO;
    std::string replaces = "";
    std::string unit = "1";
};

/** A variant; only `name` and `run` are required. */
template <typename Argument> struct variant {
    std::string name;
    std::function<void(Argument &)> run;
    std::function<void(Argument &)> prepare = {};
    std::function<void(Argument &)> release = {};
    /** By features in declared order; the argument is null where only features are known. */
    std::function<bool(const double *features, const Argument *argument)> allows = {};
    /** The features that `allows` reads, "rows,nnz"; null: all of them. */
    const char *allows_reads = nullptr;
    std::string version = "1";
    nitro_time_source time_source = NITRO_TIME_OF_KIND;
    /** A `run` that throws leaves the outputs as they were: run() then runs the next best variant.
     */
    bool fails_cleanly = false;
};

/** Optional functions for measuring. */
template <typename Argument> struct hooks {
    std::function<void(Argument &)> prepare_input = {};
    std::function<void(Argument &)> restore_input = {};
    std::function<void(Argument &)> keep_reference = {};
    /** @return what is wrong with the result; empty: nothing. */
    std::function<std::string(Argument &)> check_result = {};
    /** @return the argument's stream, a cudaStream_t. */
    std::function<void *(const Argument &)> stream = {};
    /** Of such streams, for monitoring: &nitro_cuda_clock (nitro/cuda.hpp). Borrowed. */
    const nitro_stream_clock *clock = nullptr;
};

/** An input to measure: `load` is called in the worker process that measures it. */
template <typename Argument> struct input {
    std::string name;
    std::function<std::unique_ptr<Argument>()> load;
};

/** A function with tuning parameters; `name`, `space` (JSON) and `run` are required. */
template <typename Argument> struct tunable {
    std::string name;
    std::string space;
    /** With values in the order of declaration; of a string, its position. */
    std::function<void(Argument &, const double *values)> run;
    /** @return what is wrong with the result of the last run; empty: nothing. */
    std::function<std::string(Argument &)> check = {};
    /** Makes the argument of tuner::search(), in worker processes. */
    std::function<std::unique_ptr<Argument>()> load = {};
    /** A copy for online tuning; null: it cannot be made. */
    std::function<std::unique_ptr<Argument>(const Argument &)> copy = {};
    bool repeatable = false;
    std::string version = "1";
};

/** How a tuner searches: nitro_tuner_options. */
struct tuner_options {
    std::string searcher = "auto";
    std::string budget = "220";
    uint64_t seed = 1;
    std::vector<std::vector<double>> starts = {};
    const store *repository = nullptr; /* null: nothing is kept */
    /** After each evaluation of search(); false: stop. */
    std::function<bool(const nitro_tuner_statistics &)> progress = {};
};

/** A configuration and its time. */
struct tuned {
    std::vector<double> values;
    double time_ms;
};

/** A search in the space of a tunable. Must outlive the computation that it is added to. */
template <typename Argument> class tuner
{
  public:
    tuner(const context &owner, tunable<Argument> tuned_one, tuner_options options = {})
        : context_(owner.get()), kept_(std::make_unique<kept>())
    {
        kept &all = *kept_;
        all.tuned = std::move(tuned_one);
        all.options = std::move(options);
        all.c.name = detail::c_text(all.tuned.name);
        all.c.version = detail::c_text(all.tuned.version);
        all.c.space = detail::c_text(all.tuned.space);
        all.c.run = all.tuned.run ? &run_values : nullptr;
        all.c.check = all.tuned.check ? &check_result : nullptr;
        all.c.load = all.tuned.load ? &load_argument : nullptr;
        all.c.unload = &unload_argument;
        all.c.copy = all.tuned.copy ? &copy_argument : nullptr;
        all.c.discard = &discard_copy;
        all.c.problem = &detail::thrown_problem;
        all.c.repeatable = all.tuned.repeatable;
        all.c.user = &all;
        create();
    }
    tuner(tuner &&other) = default;
    tuner &operator=(tuner &&other) noexcept
    {
        handle_ = std::move(other.handle_); /* ends the old thread before what it calls is freed */
        kept_ = std::move(other.kept_);
        context_ = other.context_;
        return *this;
    }

    size_t num_parameters() const noexcept
    {
        return nitro_tuner_num_parameters(handle_.get());
    }
    std::vector<std::string> parameters() const
    {
        return detail::names(handle_.get(), nitro_tuner_num_parameters, nitro_tuner_parameter_name);
    }

    /** The next configuration to evaluate; empty: finished, or all that is left is awaited. */
    std::vector<double> ask()
    {
        std::vector<double> values(num_parameters());
        bool is_finished = false;
        detail::check(context_, nitro_tuner_ask(handle_.get(), values.data(), &is_finished));
        return is_finished ? std::vector<double>() : values;
    }

    /** NaN: the configuration is invalid. */
    void tell(const std::vector<double> &values, double time_ms)
    {
        require_size(values);
        detail::check(context_, nitro_tuner_tell(handle_.get(), values.data(), time_ms));
    }

    /** Throws error (NITRO_ERR_NO_DATA) if no valid configuration is known. */
    tuned best() const
    {
        tuned found{std::vector<double>(num_parameters()), 0};
        detail::check(context_,
                      nitro_tuner_best(handle_.get(), found.values.data(), &found.time_ms));
        return found;
    }

    /** Evaluate in worker processes, on what `load` makes, until the budget is used up. */
    void search()
    {
        detail::check(context_, nitro_tuner_search(handle_.get(), nullptr, nullptr));
    }
    void search(const nitro_measure_options &measure)
    {
        detail::check(context_, nitro_tuner_search(handle_.get(), nullptr, &measure));
    }

    /** Search anew, as for another size of input, from the best configuration so far. */
    void restart()
    {
        detail::check(context_, nitro_tuner_restart(handle_.get()));
    }

    nitro_tuner_statistics statistics() const
    {
        nitro_tuner_statistics counts{};
        detail::check(context_, nitro_tuner_get_statistics(handle_.get(), &counts));
        return counts;
    }

    static nitro_online_options online_options() noexcept
    {
        nitro_online_options options;
        nitro_online_options_init(&options);
        return options;
    }

    nitro_tuner *get() const noexcept
    {
        return handle_.get();
    }

  private:
    struct kept {
        tunable<Argument> tuned;
        tuner_options options;
        nitro_tunable c{};
    };

    void create()
    {
        nitro_tuner_options options;
        nitro_tuner_options_init(&options);
        options.searcher = detail::c_text(kept_->options.searcher);
        options.budget = detail::c_text(kept_->options.budget);
        options.seed = kept_->options.seed;
        std::vector<double> starts;
        for (const std::vector<double> &each : kept_->options.starts)
            starts.insert(starts.end(), each.begin(), each.end());
        options.num_starts = kept_->options.starts.size();
        starts.resize(64 * options.num_starts, 0); /* enough for wrong sizes, refused below */
        options.starts = starts.data();
        if (kept_->options.repository)
            options.store = kept_->options.repository->get();
        options.progress = kept_->options.progress ? &report : nullptr;
        options.progress_user = kept_.get();
        nitro_tuner *made = nullptr;
        detail::check(context_, nitro_tuner_create(context_, &kept_->c, &options, &made));
        handle_.reset(made);
        for (const std::vector<double> &each : kept_->options.starts)
            require_size(each);
    }
    void require_size(const std::vector<double> &values) const
    {
        if (values.size() != num_parameters())
            throw error(NITRO_ERR_ARGUMENT,
                        "values given: " + std::to_string(values.size()) +
                            "; parameters of the tunable: " + std::to_string(num_parameters()));
    }

    static int run_values(void *argument, const double *values, void *user) noexcept
    {
        return detail::guarded([&] {
            static_cast<kept *>(user)->tuned.run(*static_cast<Argument *>(argument), values);
        });
    }
    static int check_result(void *argument, char *why, size_t size, void *user) noexcept
    {
        return detail::judged(
            [&] {
                return static_cast<kept *>(user)->tuned.check(*static_cast<Argument *>(argument));
            },
            why, size);
    }
    static nitro_status load_argument(nitro_context *context, void *user, void **argument) noexcept
    {
        const kept *self = static_cast<const kept *>(user);
        if (detail::guarded([&] { *argument = self->tuned.load().release(); }) == 0 && *argument)
            return NITRO_OK;
        std::string why = detail::thrown_text();
        detail::thrown() = nullptr;
        return nitro_fail(context, NITRO_ERR_IO, "tunable %s: there is nothing to load%s%s",
                          self->tuned.name.c_str(), why.empty() ? "" : ": ", why.c_str());
    }
    static void unload_argument(void *argument) noexcept
    {
        delete static_cast<Argument *>(argument);
    }
    static void *copy_argument(const void *argument, void *user) noexcept
    {
        Argument *made = nullptr;
        if (detail::guarded([&] {
                made = static_cast<kept *>(user)
                           ->tuned.copy(*static_cast<const Argument *>(argument))
                           .release();
            }) != 0)
            detail::thrown() = nullptr; /* the call does without a try */
        return made;
    }
    static void discard_copy(void *copied, void *) noexcept
    {
        delete static_cast<Argument *>(copied);
    }
    static bool report(void *user, const nitro_tuner_statistics *statistics) noexcept
    {
        bool goes_on = false;
        detail::guarded(
            [&] { goes_on = static_cast<kept *>(user)->options.progress(*statistics); });
        return goes_on;
    }

    nitro_context *context_;
    std::unique_ptr<kept> kept_; /* what the handle calls; freed after it */
    detail::owned<nitro_tuner, nitro_tuner_free> handle_;
};

/** A decision in progress: run it once; freed without that, it is cancelled. */
class ticket
{
  public:
    ticket(nitro_context *owner, nitro_computation *computation, void *argument)
        : context_(owner), handle_(new nitro_ticket)
    {
        detail::check(context_, nitro_features_begin(computation, argument, handle_.get()));
        begun_.reset(handle_.get());
    }
    ticket(ticket &&other) = default;
    ticket &operator=(ticket &&other) = delete; /* what is begun may have to be waited for */

    decision run()
    {
        decision made{};
        if (!begun_)
            throw error(NITRO_ERR_ARGUMENT, "a ticket is run once, and this one was run before");
        detail::check(context_, nitro_run_ticket(begun_.release(), &made));
        return made;
    }

  private:
    nitro_context *context_;
    std::unique_ptr<nitro_ticket> handle_;
    detail::owned<nitro_ticket, nitro_ticket_cancel> begun_; /* of handle_; ends before it */
};

/** A computation whose variants work on an `Argument`. Declare all, then attach a model, then call
 *  run() and select() from any number of threads. */
template <typename Argument> class computation
{
  public:
    computation(const context &owner, const std::string &name) : context_(owner.get())
    {
        nitro_computation *made = nullptr;
        detail::check(context_, nitro_computation_create(context_, detail::c_text(name), &made));
        handle_.reset(made);
        set_problem({});
    }

    computation(computation &&other) = default;
    computation &operator=(computation &&other) noexcept
    {
        handle_ = std::move(other.handle_); /* ends the old one before what it calls is freed */
        context_ = other.context_;
        variants_ = std::move(other.variants_);
        features_ = std::move(other.features_);
        hooks_ = std::move(other.hooks_);
        problem_ = std::move(other.problem_);
        return *this;
    }

    /** A computation that C declares, whose functions take an `Argument`. */
    static computation declare(const context &owner, const nitro_declaration &declaration)
    {
        nitro_computation *made = nullptr;
        detail::check(owner.get(), nitro_computation_declare(owner.get(), &declaration, &made));
        return computation(owner.get(), made);
    }

    std::string name() const
    {
        return nitro_computation_name(handle_.get());
    }
    std::string device_kind() const
    {
        return nitro_computation_device_kind(handle_.get());
    }
    std::vector<std::string> variants() const
    {
        return detail::names(handle_.get(), nitro_computation_num_variants,
                             nitro_computation_variant_name);
    }
    std::vector<std::string> features() const
    {
        return detail::names(handle_.get(), nitro_computation_num_features,
                             nitro_computation_feature_name);
    }

    computation &add_variant(const std::string &name, std::function<void(Argument &)> run)
    {
        variant<Argument> simple;
        simple.name = name;
        simple.run = std::move(run);
        return add_variant(std::move(simple));
    }

    computation &add_variant(variant<Argument> added)
    {
        auto kept = std::make_unique<variant<Argument>>(std::move(added));
        nitro_variant c = {};
        c.name = detail::c_text(kept->name);
        c.version = detail::c_text(kept->version);
        c.run = kept->run ? &run_variant : nullptr;
        c.prepare = kept->prepare ? &prepare_variant : nullptr;
        c.release = kept->release ? &release_variant : nullptr;
        c.allows = kept->allows ? &allows_variant : nullptr;
        c.allows_reads = kept->allows_reads;
        c.time_source = kept->time_source;
        c.fails_cleanly = kept->fails_cleanly;
        c.user = kept.get();
        detail::check(context_, nitro_computation_add_variant(handle_.get(), &c));
        variants_.push_back(std::move(kept));
        return *this;
    }

    /** One feature; `evaluate` gives its value, a number. */
    computation &add_feature(const feature &added, std::function<double(const Argument &)> evaluate)
    {
        if (!evaluate)
            return add_features({added}, nullptr);
        return add_features(
            {added}, [evaluate = std::move(evaluate)](const Argument &argument, double *values) {
                values[0] = evaluate(argument);
            });
    }

    /** Features that one call computes together into `values`, shape [added.size()]. */
    computation &add_features(const std::vector<feature> &added,
                              std::function<void(const Argument &, double *values)> evaluate)
    {
        auto kept = std::make_unique<features_function>(std::move(evaluate));
        std::vector<nitro_feature> c;
        for (const feature &each : added)
            c.push_back(
                {detail::c_text(each.name), detail::c_text(each.unit), each.scale, each.cost_ns});
        detail::check(context_, nitro_computation_add_features(handle_.get(), c.data(), c.size(),
                                                               *kept ? &evaluate_features : nullptr,
                                                               kept.get()));
        features_.push_back(std::move(kept));
        return *this;
    }

    computation &add_relative_feature(const relative_feature &added)
    {
        nitro_relative_feature c = {};
        c.name = detail::c_text(added.name);
        c.unit = detail::c_text(added.unit);
        c.scale = added.scale;
        c.formula = detail::c_text(added.formula);
        c.replaces = detail::optional_text(added.replaces);
        detail::check(context_, nitro_computation_add_relative_feature(handle_.get(), &c));
        return *this;
    }

    computation &set_default(const std::string &name)
    {
        detail::check(context_, nitro_computation_set_default(handle_.get(), detail::c_text(name)));
        return *this;
    }

    computation &set_reference(const std::string &name)
    {
        detail::check(context_,
                      nitro_computation_set_reference(handle_.get(), detail::c_text(name)));
        return *this;
    }

    computation &set_hooks(hooks<Argument> set)
    {
        hooks_ = std::make_unique<hooks<Argument>>(std::move(set));
        nitro_hooks c = {};
        c.prepare_input = hooks_->prepare_input ? &prepare_input : nullptr;
        c.restore_input = hooks_->restore_input ? &restore_input : nullptr;
        c.keep_reference = hooks_->keep_reference ? &keep_reference : nullptr;
        c.check_result = hooks_->check_result ? &check_result : nullptr;
        c.stream = hooks_->stream ? &stream_of : nullptr;
        c.clock = hooks_->clock;
        c.user = hooks_.get();
        detail::check(context_, nitro_computation_set_hooks(handle_.get(), &c));
        return *this;
    }

    /** `problem` says why a variant failed, in a text that the argument owns. Without it: what the
     *  variant threw. */
    computation &set_problem(std::function<const char *(const Argument &)> problem)
    {
        problem_ = std::make_unique<problem_function>(std::move(problem));
        detail::check(context_,
                      nitro_computation_set_problem(handle_.get(), &problem_of, problem_.get()));
        return *this;
    }

    /** The kind of device that the variants run on, e.g. "cuda"; "host" unless set. */
    computation &set_device_kind(const std::string &kind)
    {
        detail::check(context_,
                      nitro_computation_set_device_kind(handle_.get(), detail::c_text(kind)));
        return *this;
    }

    /** How often an input is run: preparing counts once for so many runs; infinity: not at all. */
    computation &set_uses(double uses)
    {
        detail::check(context_, nitro_computation_set_uses(handle_.get(), uses));
        return *this;
    }

    /** Apply the user's settings, once the declaration is complete. */
    void configure()
    {
        detail::check(context_, nitro_computation_configure(handle_.get()));
    }

    /** Choose this variant for every input that it accepts; "": end that. */
    void force(const std::string &variant)
    {
        detail::check(context_,
                      nitro_computation_force(handle_.get(), detail::optional_text(variant)));
    }

    void set_memo_size(size_t num_entries)
    {
        detail::check(context_, nitro_computation_set_memo_size(handle_.get(), num_entries));
    }
    nitro_memo_statistics memo_statistics() const noexcept
    {
        nitro_memo_statistics statistics{};
        nitro_computation_memo_statistics(handle_.get(), &statistics);
        return statistics;
    }

    void set_feature_options(const nitro_feature_options &options)
    {
        detail::check(context_, nitro_computation_set_feature_options(handle_.get(), &options));
    }

    /** Time calls, report drift, and adapt decisions if the options say so. */
    void monitor(const nitro_monitor_options &options = monitor_options())
    {
        detail::check(context_, nitro_computation_monitor(handle_.get(), &options));
    }
    void stop_monitoring()
    {
        detail::check(context_, nitro_computation_monitor(handle_.get(), nullptr));
    }
    nitro_monitor_statistics monitor_statistics() const noexcept
    {
        nitro_monitor_statistics statistics{};
        nitro_computation_monitor_statistics(handle_.get(), &statistics);
        return statistics;
    }
    static nitro_monitor_options monitor_options() noexcept
    {
        nitro_monitor_options options;
        nitro_monitor_options_init(&options);
        return options;
    }

    /** Keep learning online between runs of the program: start with the store's observations, and
     *  move new ones there every `interval_s` seconds and at exit. An empty URL: the user's store.
     */
    void record_to(const std::string &store_url, double interval_s)
    {
        detail::check(context_, nitro_computation_record_to(
                                    handle_.get(), detail::optional_text(store_url), interval_s));
    }

    /** Move recorded calls to a store. @return the number of stored samples. */
    size_t flush_observations(store &repository)
    {
        size_t num_samples = 0;
        detail::check(context_, nitro_computation_flush_observations(
                                    handle_.get(), repository.get(), &num_samples));
        return num_samples;
    }

    void load_model(const std::string &path)
    {
        detail::check(context_, nitro_computation_load_model(handle_.get(), detail::c_text(path)));
    }

    /** The same from a model file's contents. */
    void load_model_memory(const void *data, size_t size)
    {
        detail::check(context_, nitro_computation_load_model_memory(handle_.get(), data, size));
    }

    /** Attach a model; it is freed on error. */
    void attach_model(model attached)
    {
        detail::check(context_, nitro_computation_attach_model(handle_.get(), attached.get()));
        attached.release();
    }

    void set_min_confidence(double min_confidence)
    {
        detail::check(context_,
                      nitro_computation_set_min_confidence(handle_.get(), min_confidence));
    }

    std::vector<double> evaluate(const Argument &argument) const
    {
        std::vector<double> values(nitro_computation_num_features(handle_.get()));
        detail::check(context_,
                      nitro_computation_evaluate(handle_.get(), &argument, values.data()));
        return values;
    }

    decision select(const Argument &argument, const call_options &options = {}) const
    {
        decision made{};
        detail::check(context_, nitro_select_with(handle_.get(), &argument, &options, &made));
        return made;
    }

    decision select(const double *features, size_t num_features,
                    const call_options &options = {}) const
    {
        decision made{};
        detail::check(context_, nitro_select_features_with(handle_.get(), features, num_features,
                                                           &options, &made));
        return made;
    }

    /** Choose a variant, prepare it if necessary, and run it. Throws what the variant's run throws;
     *  if a feature or `prepare` throws, the default variant runs, and the decision says so. */
    decision run(Argument &argument, const call_options &options = {}) const
    {
        decision made{};
        detail::check(context_, nitro_run_with(handle_.get(), &argument, &options, &made));
        return made;
    }

    /** Declare a variant that runs a tuner's best configuration, and in some calls tries another.
     */
    computation &
    add_tunable(tuner<Argument> &added,
                const nitro_online_options &options = tuner<Argument>::online_options())
    {
        detail::check(context_,
                      nitro_computation_add_tunable(handle_.get(), added.get(), &options));
        return *this;
    }

    /** The first half of run(): choose a variant, and prepare it if necessary. */
    decision prepare(Argument &argument, const call_options &options = {}) const
    {
        decision made{};
        detail::check(context_, nitro_prepare_with(handle_.get(), &argument, &options, &made));
        return made;
    }

    /** The second half: only the variant's run, so that it can be captured in a graph. */
    void run_decided(Argument &argument, const decision &decided) const
    {
        detail::check(context_, nitro_run_decided(handle_.get(), &argument, &decided));
    }

    /** Begin to evaluate the features of a final input on the computation's threads. The argument
     * is borrowed until the ticket was run or freed. */
    ticket begin(Argument &argument)
    {
        return ticket(context_, handle_.get(), &argument);
    }

    /** Measure every variant on every input and keep the samples in the store. */
    void tune(const store &repository, const std::vector<input<Argument>> &inputs,
              const std::string &device = "host",
              const nitro_tune_options &options = tune_options())
    {
        std::vector<nitro_input> c;
        for (const input<Argument> &each : inputs)
            c.push_back({detail::c_text(each.name), each.load ? &load_input : nullptr,
                         &unload_input, const_cast<input<Argument> *>(&each)});
        detail::check(context_, nitro_tune(handle_.get(), repository.get(), detail::c_text(device),
                                           c.data(), c.size(), &options));
    }

    static nitro_tune_options tune_options() noexcept
    {
        nitro_tune_options options;
        nitro_tune_options_init(&options);
        return options;
    }

    nitro_computation *get() const noexcept
    {
        return handle_.get();
    }

  private:
    using problem_function = std::function<const char *(const Argument &)>;
    using features_function = std::function<void(const Argument &, double *)>;
    using kept_variant = variant<Argument>;
    using kept_hooks = hooks<Argument>;

    computation(nitro_context *owner, nitro_computation *handle) noexcept
        : context_(owner), handle_(handle)
    {
    }

    static Argument &given(void *argument) noexcept
    {
        return *static_cast<Argument *>(argument);
    }

    static int run_variant(void *argument, void *user) noexcept
    {
        return detail::guarded([&] { static_cast<kept_variant *>(user)->run(given(argument)); });
    }
    static int prepare_variant(void *argument, void *user) noexcept
    {
        return detail::guarded(
            [&] { static_cast<kept_variant *>(user)->prepare(given(argument)); });
    }
    static void release_variant(void *argument, void *user) noexcept
    {
        if (detail::guarded([&] { static_cast<kept_variant *>(user)->release(given(argument)); }) !=
            0)
            detail::thrown() = nullptr; /* nobody to tell */
    }
    static bool allows_variant(const double *features, const void *argument, void *user) noexcept
    {
        bool allowed = false;
        if (detail::guarded([&] {
                allowed = static_cast<kept_variant *>(user)->allows(
                    features, static_cast<const Argument *>(argument));
            }) != 0)
            detail::thrown() = nullptr; /* a constraint that fails does not allow */
        return allowed;
    }
    static int evaluate_features(const void *argument, double *values, void *user) noexcept
    {
        return detail::guarded([&] {
            (*static_cast<features_function *>(user))(*static_cast<const Argument *>(argument),
                                                      values);
        });
    }
    static int prepare_input(void *argument, void *user) noexcept
    {
        return detail::guarded(
            [&] { static_cast<kept_hooks *>(user)->prepare_input(given(argument)); });
    }
    static int restore_input(void *argument, void *user) noexcept
    {
        return detail::guarded(
            [&] { static_cast<kept_hooks *>(user)->restore_input(given(argument)); });
    }
    static int keep_reference(void *argument, void *user) noexcept
    {
        return detail::guarded(
            [&] { static_cast<kept_hooks *>(user)->keep_reference(given(argument)); });
    }
    static int check_result(void *argument, char *why, size_t size, void *user) noexcept
    {
        return detail::judged(
            [&] { return static_cast<kept_hooks *>(user)->check_result(given(argument)); }, why,
            size);
    }
    static const char *problem_of(const void *argument, void *user) noexcept
    {
        try {
            const auto &problem = *static_cast<problem_function *>(user);
            if (problem)
                return problem(*static_cast<const Argument *>(argument));
            return detail::thrown_problem();
        } catch (...) {
            return nullptr; /* nobody to tell: the reason is unknown */
        }
    }
    static void *stream_of(const void *argument, void *user) noexcept
    {
        void *stream = nullptr;
        if (detail::guarded([&] {
                stream = static_cast<kept_hooks *>(user)->stream(
                    *static_cast<const Argument *>(argument));
            }) != 0)
            detail::thrown() = nullptr; /* nobody to tell: the default stream */
        return stream;
    }
    static nitro_status load_input(nitro_context *context, void *state, void **argument) noexcept
    {
        const auto *self = static_cast<const input<Argument> *>(state);
        try {
            std::unique_ptr<Argument> loaded = self->load();
            if (!loaded)
                return nitro_fail(context, NITRO_ERR_IO, "input %s: there is nothing to load",
                                  self->name.c_str());
            *argument = loaded.release();
            return NITRO_OK;
        } catch (const std::exception &thrown) {
            return nitro_fail(context, NITRO_ERR_IO, "input %s: %s", self->name.c_str(),
                              thrown.what());
        } catch (...) {
            return nitro_fail(context, NITRO_ERR_IO, "input %s cannot be loaded",
                              self->name.c_str());
        }
    }
    static void unload_input(void *argument) noexcept
    {
        delete static_cast<Argument *>(argument);
    }

    nitro_context *context_;
    /* What the handle calls; freed after it. */
    std::vector<std::unique_ptr<kept_variant>> variants_;
    std::vector<std::unique_ptr<features_function>> features_;
    std::unique_ptr<kept_hooks> hooks_;
    std::unique_ptr<problem_function> problem_;
    detail::owned<nitro_computation, nitro_computation_free> handle_;
};

} // namespace nitro

#endif
