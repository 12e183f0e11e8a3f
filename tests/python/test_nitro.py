"""The Python package: declaring, measuring, learning, selecting, evaluating, showing."""

import contextlib
import copy
import faulthandler
import gc
import io
import logging
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import weakref
from pathlib import Path

import nitro


class Refused(Exception):
    pass


def declare():
    """"loop" is the default; "short" takes short lists only; "broken" always raises."""
    total = nitro.Computation("total")

    @total.variant("loop")
    def loop(values):
        result = 0
        for value in values:
            result += value
        return result

    total.add_variant("short", sum, allows=lambda features: features["length"] < 10)
    total.set_hooks(check=lambda expected, result: expected == result)

    @total.variant("broken")
    def broken(_values):
        raise Refused("no sum today")

    @total.feature("length", scale="log")
    def length(values):
        if not values:
            raise Refused("nothing to measure")
        return len(values)

    return total


class Import(unittest.TestCase):
    def test_a_missing_cffi_is_named(self):
        program = "import sys; sys.modules['_cffi_backend'] = None; import nitro"
        failed = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn("needs cffi: pip install cffi", failed.stderr)


class RegisterAndSelect(unittest.TestCase):
    def test_names(self):
        total = declare()
        self.assertEqual(total.name, "total")
        self.assertEqual(total.variants, ["loop", "short", "broken"])
        self.assertEqual(total.features, ["length"])

    def test_runs_the_default_without_a_model(self):
        decision = declare().run([1, 2, 3])
        self.assertEqual((decision.variant, decision.result), ("loop", 6))
        self.assertIn("no model", decision.reason)

    def test_arguments_and_results_are_freed_with_the_last_reference(self):
        class Values(list):
            pass

        total = nitro.Computation("total")
        total.add_variant("copy", Values)
        total.add_feature("length", len)
        gc.disable()
        self.addCleanup(gc.enable)
        for use in (total.run, total.select, total.evaluate, lambda values: total.bind(values).run()):
            values = Values([1, 2])
            given, made = weakref.ref(values), use(values)
            returned = getattr(made, "result", None)
            result = None if returned is None else weakref.ref(returned)
            del values, made, returned
            self.assertIsNone(given())
            self.assertTrue(result is None or result() is None)

    def test_deciding_and_running_apart(self):
        events = []
        total = nitro.Computation("total")
        total.add_variant("sum", sum, prepare=lambda values: events.append(len(values)))
        total.add_feature("length", len)
        decided = total.prepare([1, 2])
        self.assertEqual((decided.variant, events), ("sum", [2]))
        self.assertEqual(total.run_decided([3, 4], decided), 7)
        self.assertEqual(events, [2])
        other = nitro.Computation("other")
        other.add_variant("max", max)
        with self.assertRaisesRegex(nitro.NitroError, "not one of its 1"):
            other.run_decided([1], decided)

    def test_variants_on_a_device(self):
        total = nitro.Computation("total")
        total.add_variant("sum", sum, time_source="device")
        total.add_feature("length", len)
        total.set_device_kind("cuda")
        total.set_hooks(check=lambda expected, result: expected == result, stream=lambda values: 0)
        with self.assertRaisesRegex(ValueError, "time source 'moon' is not one of kind, thread-cpu"):
            total.add_variant("other", sum, time_source="moon")
        with tempfile.TemporaryDirectory() as folder:
            store = nitro.Store(f"{folder}/s.db", write=True)
            with self.assertRaisesRegex(nitro.NitroError, "run on devices of kind cuda"):
                total.tune(store, {"few": lambda: [1, 2]})

    def test_what_a_variant_raises_comes_out_of_run(self):
        total = declare()
        total.set_default("broken")
        with self.assertRaisesRegex(Refused, "no sum today"):
            total.run([1])
        total.set_default("loop")
        self.assertEqual(total.run([1]).result, 1)

    def test_what_a_feature_raises_comes_out_of_evaluate(self):
        with self.assertRaisesRegex(Refused, "nothing to measure"):
            declare().evaluate([])

    def test_the_default_runs_where_a_feature_raises(self):
        total = declare()
        total.set_default("short")  # its constraint reads the feature
        decision = total.run([])
        self.assertEqual((decision.variant, decision.result), ("loop", 0))
        self.assertIn("feature failed", decision.reason)

    def test_a_call_within_a_variant_fails_by_itself(self):
        within = nitro.Computation("within")

        def call(values):
            with self.assertRaisesRegex(nitro.NitroError, "within has no variants"):
                within.run(values)

        def length(_values):
            raise Refused("no length")

        total = nitro.Computation("total")
        total.add_feature("length", length)
        total.add_variant("calling", call)
        total.add_variant("short", sum, allows=lambda features: features["length"] < 10)
        total.force("short")
        self.assertIn("feature failed", total.run([]).reason)

    def test_an_interrupt_comes_out_of_run(self):
        total = nitro.Computation("total")
        total.add_variant("sum", sum, allows=lambda features: True)

        @total.feature("length")
        def length(_values):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            total.run([1])

    def test_the_next_variant_runs_after_a_clean_failure(self):
        def refuse(_values):
            raise Refused("no sum today")

        total = nitro.Computation("total")
        total.add_variant("refused", refuse, fails_cleanly=True)
        total.add_variant("sum", sum)
        decision = total.run([1, 2])
        self.assertEqual((decision.variant, decision.result), ("sum", 3))
        self.assertIn("run failed", decision.reason)

    def test_uses(self):
        total = declare()
        total.set_uses(1)
        self.assertEqual(total.run([1], uses=10).variant, "loop")
        self.assertEqual(total.select([1], uses=float("inf")).variant, "loop")
        with self.assertRaisesRegex(nitro.NitroError, "at least 1"):
            total.run([1], uses=0.5)
        with self.assertRaises(nitro.NitroError):
            total.set_uses(-1)

    def test_evaluates_features(self):
        self.assertEqual(declare().evaluate([7, 8]), {"length": 2.0})

    def test_constraints_are_asked(self):
        total = declare()
        total.set_default("short")
        self.assertEqual(total.run([1] * 5).variant, "short")
        self.assertEqual(total.run([1] * 50).variant, "loop")

    def test_errors_are_pickled(self):
        with self.assertRaises(nitro.NitroError) as caught:
            nitro.Model.load("/no/such/model.json")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual(str(again), str(caught.exception))
        self.assertEqual(again.status, caught.exception.status)

    def test_a_constraint_that_raises_is_logged(self):
        total = declare()
        total.add_variant("typo", sum, allows=lambda features: features["lenght"] < 10)
        total.set_default("typo")
        with self.assertLogs("nitro", logging.WARNING) as log:
            self.assertEqual(total.run([1]).variant, "loop")
        self.assertRegex(" ".join(log.output), "constraint failed; .*(?s:.)*KeyError: 'lenght'")

    def test_failures_name_status_and_object(self):
        with self.assertRaises(nitro.NitroError) as caught:
            declare().add_variant("loop", sum)
        self.assertEqual(caught.exception.status, "exists already")
        self.assertIn("loop", str(caught.exception))
        with self.assertRaises(ValueError):
            declare().add_feature("size", len, scale="cubic")
        with self.assertRaises(nitro.NitroError):
            nitro.Model.load("/no/such/model.json")

    def test_arguments_of_the_wrong_type_are_named(self):
        total = declare()
        for use, problem in (
            (lambda: total.add_features("ab", len), "names of features: a list is needed, such as .'ab'."),
            (lambda: total.add_variant("b", None), "variant b: run is None, not a function"),
            (lambda: total.add_variant("b", sum, allows=3), "variant b: allows is 3, not a function"),
            (lambda: total.add_variant("b", sum, allows_reads="length"), "variant b: allows_reads: a list"),
            (lambda: total.add_feature("x", None), "feature x: evaluate is None, not a function"),
            (lambda: total.set_hooks(check=True), "total: set_hooks: check is True, not a function"),
            (lambda: nitro.Model.from_bytes("x"), "contents are bytes, not text: open it with mode 'rb'"),
            (lambda: total.load_model_bytes("x"), "contents are bytes, not text: open it with mode 'rb'"),
            (lambda: nitro.Tunable("t", {"tile": "12"}), "parameter tile: a list is needed"),
            (lambda: nitro.Tunable("t", {"tile": [1]}, constraints="tile > 0"), "constraints: a list"),
            (lambda: nitro.Tunable("t", {"tile": [1]}, 7), "tunable t: run is 7, not a function"),
            (lambda: nitro.Computation(None), "a text is needed, not None"),
            (lambda: nitro.Store(b"x"), "a text is needed, not b'x'"),
            (lambda: nitro.formula.per_core(5), "a text is needed, not 5"),
            (lambda: total.monitor(every="x"), "monitor: every is 'x': "),
            (lambda: total.tune(None, {"few": [1, 2]}), r"total: input: few is \[1, 2\], not a function"),
            (lambda: total.tune(None, [[1, 2]]), r"total: tune: inputs: a Mapping is needed, not \[\[1, 2\]\]"),
            (lambda: total.tune("x.db", {}), "total: tune: a Store is needed, not 'x.db'"),
            (lambda: total.flush_observations("x.db"), "flush_observations: a Store is needed, not 'x.db'"),
            (lambda: total.attach_model("m.json"), "total: attach_model: a Model is needed, not 'm.json'"),
            (lambda: total.select_features([3]), r"total: a Mapping is needed, not \[3\]"),
            (lambda: total.add_tunable("t"), "total: add_tunable: a Tuner is needed, not 't'"),
            (lambda: nitro.Tuner("t"), "Tuner: a Tunable is needed, not 't'"),
            (
                lambda: nitro.Tuner(nitro.Tunable("t", {"tile": [1]}), store="x.db"),
                "Tuner: store: a Store is needed, not 'x.db'",
            ),
        ):
            with self.subTest(problem), self.assertRaisesRegex(TypeError, problem):
                use()
        self.assertEqual((total.variants, total.features), (["loop", "short", "broken"], ["length"]))

    def test_what_a_feature_returns_is_named_by_the_feature(self):
        class Array:  # as numpy's: a number only where it has one element
            def __float__(self):
                raise TypeError("only length-1 arrays can be converted to Python scalars")

        total = declare()
        total.add_feature("size", lambda values: Array())
        with self.assertRaisesRegex(TypeError, "size: a number is needed, not Array: only length-1"):
            total.evaluate([1])
        total = declare()
        total.add_feature("size", lambda values: 10**400)
        with self.assertRaisesRegex(TypeError, "size: a number is needed, not int: int too large"):
            total.evaluate([1])
        total = declare()
        total.add_features(["rows", "columns"], lambda values: 5)
        with self.assertRaisesRegex(TypeError, "rows, columns: a sequence of 2 numbers is needed, not int"):
            total.evaluate([1])


class Adjust(unittest.TestCase):
    """Settings, a forced variant, cached features, tickets, monitoring."""

    def test_texts_with_null_characters_are_refused(self):
        for use in (nitro.Computation, nitro.Store, nitro.Model.load, declare().force):
            with self.assertRaisesRegex(ValueError, "'sum.x00s' contains a null character"):
                use("sum\0s")

    def test_settings_and_forced_variants(self):
        context = nitro.Context()
        context.set("force", "short", computation="total")
        total = nitro.Computation("total", context)
        total.add_variant("loop", sum)
        total.add_variant("short", min)
        total.configure()
        self.assertEqual(total.run([1, 2]).result, 1)
        total.force(None)
        self.assertEqual(total.run([1, 2]).result, 3)
        with self.assertRaisesRegex(nitro.NitroError, "nosuch"):
            total.force("nosuch")
        with self.assertRaisesRegex(nitro.NitroError, "'explian': unknown setting; did you mean 'explain'"):
            context.set("explian", "1")

    def test_a_constraint_gets_the_features_that_it_reads(self):
        seen = []
        total = nitro.Computation("total")
        total.add_feature("length", len)
        total.add_feature("half", lambda values: len(values) / 2)
        for name, reads in (("one", ["half"]), ("none", []), ("all", None)):
            total.add_variant(
                name, sum, allows=lambda features: seen.append(dict(features)), allows_reads=reads
            )
        total.add_variant("last", sum)
        self.assertEqual(total.run([1, 2]).variant, "last")
        known = [{"half": 1.0}, {}, {"length": 2.0, "half": 1.0}]
        self.assertTrue(all(each in known for each in seen), seen)
        self.assertTrue(all(each in seen for each in known), seen)

    def test_features_are_evaluated_once_for_a_bound_argument(self):
        calls = []

        def sizes(values):
            calls.append(len(values))
            return len(values), len(values) / 2

        total = nitro.Computation("total")
        total.add_variant("sum", sum, allows=lambda features: features["half"] < 9)
        total.add_variant("other", sum)
        total.add_features(["length", "half"], sizes, scale="log", cost_ns=100)
        bound = total.bind([1, 2])
        self.assertEqual(bound.features, {"length": 2.0, "half": 1.0})
        self.assertEqual([bound.run().result, bound.run().result], [3, 3])
        self.assertEqual(bound.select().variant, "sum")
        self.assertEqual(calls, [2])
        self.assertEqual(total.select_features({"length": 20, "half": 10}).variant, "other")
        with self.assertRaisesRegex(ValueError, "total takes length, half; missing: half; unknown: halve"):
            total.select_features({"length": 20, "halve": 10})
        with self.assertRaisesRegex(ValueError, "missing: none; unknown: more"):
            total.select_features({"length": 20, "half": 10, "more": 1})
        total.add_feature("bad", lambda values: (1, 2))
        with self.assertRaisesRegex(ValueError, "bad: one value each is needed; .* is 2"):
            total.evaluate([1])

    def test_features_declared_after_binding_are_evaluated(self):
        total = nitro.Computation("total")
        total.add_variant("sum", sum, allows=lambda features: features["third"] == 3)
        total.add_variant("other", sum, allows=lambda features: True)
        total.add_feature("length", len)
        bound = total.bind([1, 2])
        total.add_features(["second", "third"], lambda values: (2, 3))
        self.assertEqual(bound.select().variant, "sum")
        self.assertEqual(bound.features, {"length": 2.0})

    def test_tickets(self):
        total = declare()
        total.set_feature_options(threads=1)
        ticket = total.begin([1, 2])
        self.assertEqual(ticket.run().result, 3)
        with self.assertRaisesRegex(ValueError, "before"):
            ticket.run()
        total.begin([1]).cancel()

    def test_monitoring(self):
        total = declare()
        total.set_memo_size(100)
        self.assertEqual(total.memo_statistics().entries, 128)
        total.monitor(every=1, num_recorded=8)
        total.run([1, 2])
        self.assertEqual(total.monitor_statistics()["num_timed"], 1)
        with tempfile.TemporaryDirectory() as folder:
            with nitro.Store(f"{folder}/s.db", write=True) as store:
                self.assertEqual(total.flush_observations(store), 1)
        total.stop_monitoring()
        with tempfile.TemporaryDirectory() as folder:
            durable = declare()
            durable.record_to(f"{folder}/online.db", interval_s=3600)
            for _ in range(70):  # more than one call in so many is timed
                durable.run([1, 2])
            del durable  # freed: what was timed is stored
            with nitro.Store(f"{folder}/online.db") as store:
                self.assertEqual(store.computations(), ["total"])
        with self.assertRaisesRegex(TypeError, "no option 'often'; there are every"):
            total.monitor(often=1)

    def test_a_context_outlives_what_was_made_in_it(self):
        with tempfile.TemporaryDirectory() as folder:
            context, stored = nitro.Context(), []
            total = nitro.Computation("total", context)
            total.add_variant("sum", sum)
            total.add_feature("length", len)
            total.record_to(f"{folder}/online.db", interval_s=3600)
            for _ in range(70):
                total.run([1, 2])

            def look():
                with nitro.Store(f"{folder}/online.db") as store:
                    stored.extend(store.computations())

            weakref.finalize(context, look)
            del context, total
            self.assertEqual(stored, ["total"])  # by the computation, which had ended

    def test_variants_of_cudas_streams_and_prepared_formats_are_released(self):
        events = []
        total = nitro.Computation("total")
        total.add_variant(
            "sum", sum, prepare=lambda _: events.append("made"), release=lambda _: events.append("freed")
        )
        total.set_hooks(save=lambda _: events.append("saved"), restore=lambda _: events.append("restored"))
        self.assertEqual(total.device_kind, "host")
        total.prepare([1])
        self.assertEqual(events, ["made"])

    def test_formulas(self):
        self.assertIn("device.cuda_cores", nitro.formula.per_core("8 * nnz"))
        self.assertIn("5", nitro.formula.streaming_time("8 * nnz", 5))
        for floor_us in (float("nan"), float("inf"), 0, -5):
            with self.assertRaisesRegex(ValueError, f"floor_us is {floor_us}: give a positive"):
                nitro.formula.streaming_time("8 * nnz", floor_us)
        total = declare()
        total.add_relative_feature("per_core", nitro.formula.per_core("length"), scale="log")


class WholeWay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nitro-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def measured_store(self, total):
        store = nitro.Store(self.folder / "samples.db", write=True)
        self.addCleanup(store.close)
        inputs = {f"ones-{n}": (lambda n=n: [1] * n) for n in range(1, 9)}
        total.tune(store, inputs, max_repetitions=1, warmups=0)
        return store

    def test_tunes_learns_saves_and_dispatches(self):
        total = declare()
        store = self.measured_store(total)
        self.assertEqual(store.computations(), ["total"])
        (device,) = store.devices("total")
        self.assertEqual(store.num_samples("total", device), 8)
        model = store.learn_own("total", device)
        self.assertEqual((model.computation, model.target), ("total", device))
        self.assertEqual(model.variants, total.variants)
        path = self.folder / "total.json"
        model.save(path)
        prediction = nitro.Model.load(path).predict({"length": 3})
        self.assertEqual(set(prediction.ranking), set(total.variants))
        self.assertEqual(prediction.ranking[0], max(prediction.scores, key=prediction.scores.get))
        copied = copy.copy(model)
        total.attach_model(model)
        for given in (model, copied):
            with self.assertRaisesRegex(ValueError, "attached to a computation, which owns it"):
                given.save(path)
        decision = total.run([1, 2, 3])
        self.assertEqual(decision.result, 6)
        self.assertEqual(decision.variant, prediction.decision.variant)
        self.assertEqual(decision.variant, total.select([1, 2, 3]).variant)

    def test_checks_results_and_keeps_reasons(self):
        total = nitro.Computation("total")
        total.add_variant("right", sum)
        total.add_variant("wrong", max)

        @total.variant("broken")
        def broken(_values):
            raise Refused("no sum today")

        total.add_feature("length", len)
        total.set_hooks(
            check=lambda expected, got: None if got == expected else f"{got}, not {expected}",
            outcome=lambda values, result: result + len(values),
        )
        told = []
        inputs = {"few": lambda: [1, 2], "more": lambda: [1, 2, 3]}
        with nitro.Store(self.folder / "c.db", write=True) as store:
            total.tune(store, inputs, min_repetitions=1, max_repetitions=1, progress=told.append)
            device = store.devices("total")[0]
            few, more = store.samples("total", device)
            self.assertEqual((few.input, few.features, few.best), ("few", {"length": 2.0}, "right"))
            self.assertIn("4, not 5", few.problems["wrong"])
            self.assertIn("Refused: no sum today", few.problems["broken"])
            self.assertIn("<td", store.samples("total", device)._repr_html_())
            self.assertIn("total", store._repr_html_())
            self.assertIn("cuda_cores", store.device(device).features)
            self.assertIn(device, store.device(device)._repr_html_())
            self.assertEqual(store.num_unsent(), 0)
            self.assertEqual(store.flush(), 0)
            with nitro.Store(self.folder / "copy.db", write=True) as other:
                self.assertEqual(store.copy_to(other), (2, 0))
                self.assertEqual(store.copy_to(other), (0, 2))
            shown = io.StringIO()
            with_bad = {**inputs, "none": lambda: None}
            with contextlib.redirect_stderr(shown):
                total.tune(store, with_bad, min_repetitions=1, max_repetitions=1, progress=True)
            with self.assertRaisesRegex(nitro.NitroError, "stop"):
                total.tune(store, inputs, again=True, progress=lambda _: False)
        self.assertEqual((told[-1].done, told[-1].total, more.input), (2, 2, "more"))
        last = shown.getvalue().split("\r")[-1]
        self.assertEqual(
            last, "3 of 3 inputs, 2 of them in the store already, 1 could not be loaded\n"
        )

    def test_a_check_may_return_what_numpy_compares_to(self):
        class Scalar:  # as numpy's: not True, but equal to it
            def __init__(self, value):
                self.item = lambda: value

        once = {"min_repetitions": 1, "max_repetitions": 1}
        for verdict, said in (
            (Scalar(True), None),
            (Scalar(False), "the result differs from the reference"),
            (1, "the check returned 1, which is not True, None, False or a text"),
        ):
            total = declare()
            total.set_hooks(check=lambda expected, result: verdict)
            with nitro.Store(self.folder / f"{said}.db", write=True) as store:
                total.tune(store, {"few": lambda: [1]}, **once)
                (sample,) = store.samples("total", store.devices("total")[0])
            self.assertRegex(sample.problems.get("short", "none"), said or "^none$")

    def test_tunes_while_other_threads_run(self):
        faulthandler.dump_traceback_later(100, exit=True)  # where the workers wait for a lock
        self.addCleanup(faulthandler.cancel_dump_traceback_later)
        total = declare()
        ended = threading.Event()

        def dispatch():
            while not ended.is_set():
                total.run([1, 2])

        threads = [threading.Thread(target=dispatch) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            inputs = {f"ones-{n}": (lambda n=n: [1] * n) for n in range(1, 4)}
            with nitro.Store(self.folder / "s.db", write=True) as store:
                total.tune(store, inputs, max_repetitions=1, timeout_ms=5000)
                samples = store.samples("total", store.devices("total")[0])
        finally:
            ended.set()
            for thread in threads:
                thread.join()
        self.assertEqual([set(each.problems) for each in samples], [{"broken"}] * 3)

    def test_an_interrupt_ends_a_tune_after_the_input(self):
        own = os.getpid()

        def interrupt():
            os.kill(own, signal.SIGINT)
            return [1]

        inputs = {"first": interrupt, "second": lambda: [1, 2]}
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, handler)
        with nitro.Store(self.folder / "s.db", write=True) as store:
            with self.assertRaises(KeyboardInterrupt):
                declare().tune(store, inputs, max_repetitions=1)
            self.assertEqual(store.num_samples("total", store.devices("total")[0]), 1)

    def test_progress_counts_further_blocks(self):
        calls = self.folder / "calls"

        def slows_down(_input):
            with open(calls, "a") as file:
                file.write(".")
                time.sleep(1e-3 * 1.5 ** file.tell())  # no block confirms another

        slow = nitro.Computation("slow")
        slow.add_variant("slows_down", slows_down)
        slow.add_feature("size", lambda _input: 1)
        slow.set_hooks(check=lambda expected, got: True)
        shown = io.StringIO()
        with nitro.Store(self.folder / "s.db", write=True) as store:
            with contextlib.redirect_stderr(shown):
                once = {"min_repetitions": 1, "max_repetitions": 1}
                slow.tune(store, {"one": lambda: 1}, progress=True, **once)
        self.assertRegex(shown.getvalue(), "1 of 1 inputs, 1 further block\r.* 2 further blocks")

    def test_a_variant_that_is_never_checked_is_warned_about(self):
        total = nitro.Computation("total")
        total.add_variant("sum", sum)
        total.add_variant("max", max)
        total.add_feature("length", len)
        with nitro.Store(self.folder / "u.db", write=True) as store:
            with self.assertWarnsRegex(UserWarning, "total: no results are checked"):
                total.tune(store, {"one": lambda: [1]}, min_repetitions=1, max_repetitions=1)

    def test_explains_and_exports(self):
        total = declare()
        store = self.measured_store(total)
        model = store.learn_own("total", store.devices("total")[0])
        why = model.explain({"length": 1000}, uses=10)
        (column,) = [each for each in why.columns if each.kind == "input"]
        self.assertEqual((column.name, column.value), ("length", 1000.0))
        self.assertEqual(column.outside, not column.low <= column.value <= column.high)
        self.assertEqual(why.ranking[0].ratio, 1.0)
        for shown in (why, why.decision, model, model.predict({"length": 3})):
            self.assertIn("<table>", shown._repr_html_())
        model.export(self.folder / "total.bin")
        model.export(self.folder / "total.c", "c")
        self.assertEqual(nitro.Model.load(self.folder / "total.bin").features, ["length"])
        data = (self.folder / "total.bin").read_bytes()
        self.assertEqual(nitro.Model.from_bytes(data).variants, total.variants)
        total.load_model_bytes(data)
        self.assertIn("double", (self.folder / "total.c").read_text())
        with self.assertRaisesRegex(ValueError, "unknown form 'cpp'; choose one of binary, c"):
            model.export(self.folder / "total.cpp", "cpp")

    def test_a_model_refuses_other_features(self):
        total = declare()
        store = self.measured_store(total)
        model = store.learn_own("total", store.devices("total")[0])
        with self.assertRaisesRegex(ValueError, "length"):
            model.predict({"size": 3})

    def test_an_input_that_cannot_be_loaded_is_reported_and_skipped(self):
        def refuse():
            raise Refused("no such list: \udce9")  # as in an undecodable file name

        def leave():
            sys.exit("no more lists")

        inputs = {"good": lambda: [1, 2], "bad": refuse, "gone": leave}
        with nitro.Store(self.folder / "other.db", write=True) as store:
            with self.assertLogs("nitro", logging.WARNING) as log:
                declare().tune(store, inputs, min_repetitions=1, max_repetitions=1)
            self.assertIn("Refused: no such list: ?", " ".join(log.output))
            self.assertIn("SystemExit: no more lists", " ".join(log.output))
            self.assertEqual(store.num_samples("total", store.devices("total")[0]), 1)

    def test_what_is_raised_in_a_worker_process_is_said(self):
        def refuse(*_arguments):
            raise Refused("not today")

        for name, said in (
            ("outcome", "keep_reference returned -1: Refused: not today"),
            ("restore", "restore_input returned -1 before call 1 of run: Refused: not today"),
            ("check", "the check raised Refused: not today"),
        ):
            total = declare()
            total.set_hooks(**{"check": lambda expected, result: True, name: refuse})
            with nitro.Store(self.folder / f"{name}.db", write=True) as store:
                total.tune(store, {"few": lambda: [1]}, min_repetitions=1, max_repetitions=1)
                (sample,) = store.samples("total", store.devices("total")[0])
            self.assertIn(said, sample.problems["short"])
        total = declare()
        total.add_feature("size", refuse)
        with nitro.Store(self.folder / "feature.db", write=True) as store:
            with self.assertRaisesRegex(nitro.NitroError, "feature size failed .* Refused: not today"):
                total.tune(store, {"few": lambda: [1]})

    def test_a_closed_store_says_so(self):
        store = nitro.Store(self.folder / "closed.db", write=True)
        store.close()
        store.close()
        with self.assertRaises(ValueError):
            store.computations()


class Evaluate(unittest.TestCase):
    """On a store that the command line filled from two modelled devices."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nitro-test-")
        self.addCleanup(folder.cleanup)
        self.url = Path(folder.name) / "samples.db"
        devices = "model:c2075,model:k20c"
        subprocess.run(
            [os.environ["NITRO_PROGRAM"], "tune", "spmv", "--generate", "30", "--quiet"]
            + ["--device", devices, "--store", str(self.url), "--no-model"],
            check=True,
            stdout=subprocess.DEVNULL,
        )

    def test_methods_on_two_devices(self):
        with nitro.Store(self.url) as store:
            self.assertEqual(store.devices("spmv"), ["model:c2075", "model:k20c"])
            results = store.evaluate("spmv", methods=["fixed", "native"], seed=3)
            self.assertEqual(
                [(result.target, result.method) for result in results],
                [(d, m) for d in store.devices("spmv") for m in ("fixed", "native")],
            )
            for result in results:
                self.assertTrue(result.modelled)
                self.assertTrue(0 < result.min <= result.p5 <= result.mean <= 100)
            again = store.evaluate("spmv", methods=["fixed", "native"], seed=3)
            self.assertEqual(results, again)
            (one,) = store.evaluate("spmv", methods=["fixed"], targets=["model:k20c"], seed=3)
            self.assertEqual(one, results[2])
            self.assertIn("<td style=\"text-align:left\">model:k20c</td>", results._repr_html_())
            told = []
            options = {"methods": ["fixed"], "seed": 3, "train_fraction": 0.5, "uses": 2}
            store.evaluate("spmv", progress=lambda *each: told.append(each), **options)
            self.assertEqual([each[:2] for each in told], [(1, 2), (2, 2)])
            with self.assertRaisesRegex(TypeError, "no option 'fraction'"):
                store.evaluate("spmv", fraction=0.5)

    def test_a_report_shows_its_pictures(self):
        report = nitro.report(self.url, self.url.parent / "report", "spmv", quick=True)
        self.assertTrue((report.folder / "index.html").exists())
        self.assertEqual("<svg" in report._repr_html_(), bool(report.pictures))
        for name in ("nosuch", "--help"):
            with self.assertRaisesRegex(RuntimeError, name):
                nitro.report(self.url, self.url.parent / "other", name)

    def test_a_model_for_a_device_that_nobody_measured(self):
        with nitro.Store(self.url) as store:
            model = store.tune_from_source("spmv", "model:gtx-980", strategy="svm", dfs="none")
            self.assertEqual((model.target, model.strategy), ("model:gtx-980", "svm"))
            self.assertEqual(
                [source["device"] for source in model.summary()["provenance"]["sources"]],
                ["model:c2075", "model:k20c"],
            )
            told = []
            keeps = dict(strategy="svm", dfs="cv", progress=lambda *step: told.append(step))
            store.tune_from_source("spmv", "model:gtx-980", **keeps)
            self.assertEqual({step for step, _, _ in told}, {"CV-DFS", "LODO validation"})
            self.assertTrue(all(0 < done <= total for _, done, total in told))
            with self.assertRaisesRegex(nitro.NitroError, "interrupted"):
                store.tune_from_source("spmv", "model:gtx-980", progress=lambda *_: False)
            with self.assertRaisesRegex(TypeError, "progress is 3, not a function"):
                store.tune_from_source("spmv", "model:gtx-980", progress=3)
            with self.assertRaisesRegex(nitro.NitroError, "nosuch"):
                store.tune_from_source("spmv", "model:gtx-980", strategy="nosuch")
            with self.assertRaisesRegex(nitro.NitroError, "nosuch"):
                store.evaluate("spmv", methods=["nosuch"])


class Tuning(unittest.TestCase):
    """Functions with tuning parameters."""

    parameters = {"tile": [1, 2, 4, 8], "order": ["row", "column"], "fast": [False, True]}

    def tunable(self, **options):
        return nitro.Tunable(
            "blocked",
            self.parameters,
            options.pop("run", lambda values, chosen: sum(values)),
            constraints=["tile > 1 or not fast"],
            **options,
        )

    @staticmethod
    def time_of(values):
        return abs(values["tile"] - 4) + (values["order"] == "row") + 2 - values["fast"]

    def test_a_loop_of_ones_own(self):
        tuner = nitro.Tuner(self.tunable(), starts=[{"tile": 8, "order": "column", "fast": True}])
        self.assertEqual(tuner.parameters, ["tile", "order", "fast"])
        self.assertIsNone(tuner.best)
        asked = []
        while (values := tuner.ask()) is not None:
            asked.append(values)
            tuner.tell(values, None if values["tile"] == 2 else self.time_of(values))
        self.assertEqual(asked[0], {"tile": 8, "order": "column", "fast": True})
        self.assertEqual(len(asked), 14)
        self.assertEqual(tuner.best, ({"tile": 4, "order": "column", "fast": True}, 1))
        self.assertEqual(tuner.statistics()["num_invalid"], 4)
        with self.assertRaisesRegex(ValueError, "has the parameters tile, order, fast"):
            tuner.tell({"tile": 1}, 1)
        with self.assertRaisesRegex(nitro.NitroError, "a time of -1 ms"):
            tuner.tell(asked[0], -1)
        with self.assertRaisesRegex(ValueError, "order has no value 'diagonal'; it has '.*'"):
            tuner.tell({**asked[0], "order": "diagonal"}, 1)
        tuner.close()
        tuner.close()  # does nothing
        for use in (tuner.ask, tuner.statistics, tuner.restart, lambda: tuner.parameters):
            with self.assertRaisesRegex(ValueError, "the tuner is closed"):
                use()

    def test_values_of_numpy_are_taken_as_pythons(self):
        class Scalar:  # as numpy's: neither an int nor JSON
            def __init__(self, value):
                self.item = lambda: value

        tunable = nitro.Tunable("scan", {"tile": [Scalar(1), Scalar(2)]})
        self.assertEqual(tunable.parameters, {"tile": [1, 2]})
        self.assertIn(nitro.Tuner(tunable, budget="2").ask()["tile"], (1, 2))

    def test_what_is_closed_lives_as_long_as_what_uses_it(self):
        total = nitro.Computation("total")
        tuner = nitro.Tuner(self.tunable(copy=list))
        total.add_tunable(tuner, data="background", share=1)
        tuner.close()
        self.assertEqual([total.run([1, 2]).result for _ in range(20)], [3] * 20)
        with tempfile.TemporaryDirectory() as folder:
            with nitro.Store(f"{folder}/s.db", write=True) as store:
                tuner = nitro.Tuner(self.tunable(), store=store)
            while (values := tuner.ask()) is not None:
                tuner.tell(values, self.time_of(values))
            del tuner
            with nitro.Store(f"{folder}/s.db") as store:
                self.assertEqual(store.computations(), ["blocked.search"])

    def test_a_tuner_that_was_not_made_ends_silently(self):
        shown = io.StringIO()
        with contextlib.redirect_stderr(shown), self.assertRaises(TypeError):
            nitro.Tuner()
        self.assertEqual(shown.getvalue(), "")

    def test_refuses(self):
        with self.assertRaisesRegex(nitro.NitroError, "no searcher 'best'"):
            nitro.Tuner(self.tunable(), searcher="best")
        with self.assertRaisesRegex(nitro.NitroError, "budget"):
            nitro.Tuner(self.tunable(), budget="soon")
        with self.assertRaisesRegex(ValueError, "different types"):
            nitro.Tunable("mixed", {"a": [1, "x"]})
        with self.assertRaisesRegex(ValueError, "parameter a: nan is not a boolean, a text, a finite"):
            nitro.Tunable("endless", {"a": [1.0, float("nan")]})
        with self.assertRaisesRegex(ValueError, "parameter a: 9007199254740993 is not a boolean"):
            nitro.Tunable("vast", {"a": [2**53 + 1]})
        with self.assertRaisesRegex(ValueError, "data 'mine'"):
            nitro.Computation("c").add_tunable(nitro.Tuner(self.tunable()), data="mine")

    def test_what_is_raised_in_a_worker_process_is_said(self):
        def refuse(*_arguments):
            raise Refused("not today")

        for options, said in (
            ({"run": refuse, "load": lambda: [1]}, "run returned -1 in call 1: Refused: not today"),
            ({"check": refuse, "load": lambda: [1]}, "the check raised Refused: not today"),
        ):
            with self.assertLogs("nitro", logging.WARNING) as log:
                self.assertIsNone(nitro.Tuner(self.tunable(**options), budget="1").search())
            self.assertRegex(" ".join(log.output), said)

    def test_a_search_without_inputs_ends_with_the_reason(self):
        def refuse():
            raise Refused("not today")

        for load, said in ((refuse, "Refused: not today"), (sys.exit, "SystemExit: ")):
            with self.assertRaisesRegex(nitro.NitroError, f"tunable .*: load: {said}"):
                nitro.Tuner(self.tunable(load=load)).search()

    def test_worker_processes(self):
        def run(values, chosen):
            if chosen["tile"] == 1:
                os.abort()
            return sum(values) + (chosen["order"] == "row")

        tunable = self.tunable(
            run=run, load=lambda: [1, 2], check=lambda _values, result: result == 3
        )
        told = []
        tuner = nitro.Tuner(tunable)
        best = tuner.search(progress=told.append, min_repetitions=1, max_repetitions=1)
        self.assertEqual(len(told), 14)
        self.assertEqual(told[-1]["num_invalid"], 8)  # tile 1, or order row
        self.assertEqual(best.values["order"], "column")

    def test_online(self):
        for data in ("own", "copy", "background"):
            with self.subTest(data):

                def run(values, chosen):
                    if chosen["tile"] == 8:
                        raise Refused("not 8")
                    return sum(values)

                tuner = nitro.Tuner(self.tunable(run=run, copy=list, repeatable=True))
                total = nitro.Computation("total")
                total.add_tunable(tuner, share=0.5, data=data, repetitions=1)
                for _ in range(200):
                    self.assertEqual(total.run([1, 2, 3]).result, 6)
                counts = tuner.statistics()
                self.assertEqual(counts["num_calls"], 200)
                self.assertLessEqual(counts["num_tries"], 101)
                self.assertNotEqual(tuner.best.values["tile"], 8)
                tuner.restart()


if __name__ == "__main__":
    unittest.main()
