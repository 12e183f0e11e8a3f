"""Models, each for one target, and what they decide."""

from __future__ import annotations

import collections.abc
import json
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

from ._library import (
    Context,
    TextOrPath,
    bytes_of,
    data_of,
    default_context,
    ffi,
    instance,
    lib,
    names_of,
    owned,
    text_of,
)
from ._tables import Table, html_table


class Decision(NamedTuple):
    """The choice for one input, and its reason."""

    variant: str
    number: int  #: in declared order, from 0
    confidence: float  #: estimated chance that no other variant is over 5 % faster
    reason: str
    result: Any = None  #: of run(): what the variant returned

    def _repr_html_(self) -> str:
        return html_table(self._fields[:4], [self[:4]])


class _Reasons(Dict[int, str]):
    """Sentences by reason, each read once: run() is called often."""

    def __missing__(self, reason: int) -> str:
        self[reason] = text = text_of(lib.nitro_reason_text(reason))
        return text


reasons = _Reasons()


def decision_of(made: Any, result: Any = None) -> Decision:
    return Decision(
        text_of(made.variant_name), made.variant, made.confidence, reasons[made.reason], result
    )


def feature_values(what: str, names: List[str], features: Mapping[str, float]) -> Any:
    """The values of exactly the features that `what` has, in its order."""
    instance(what, features, collections.abc.Mapping)
    missing = [name for name in names if name not in features]
    unknown = [name for name in features if name not in names]
    if missing or unknown:
        raise ValueError(
            f"{what} takes {', '.join(names) or 'no features'}; missing: "
            f"{', '.join(missing) or 'none'}; unknown: {', '.join(unknown) or 'none'}"
        )
    return ffi.new("double[]", [float(features[name]) for name in names])


class Rank(NamedTuple):
    """A variant in a model's ranking."""

    variant: str
    score: float  #: larger is better
    ratio: float  #: expected time over that of the best one; nan: the model only ranks


class Column(NamedTuple):
    """A feature in an explanation."""

    name: str
    kind: str  #: input, relative or device
    unit: str
    value: float
    low: float  #: of the range that the model was trained on; nan: dropped in training
    high: float
    used: bool  #: the decision depends on it
    outside: bool  #: outside that range


class Prediction(NamedTuple):
    """A model's prediction: its decision, and all variants, best first."""

    decision: Decision
    ranking: List[str]
    scores: Dict[str, float]  #: larger is better

    def _repr_html_(self) -> str:
        rows = [(variant, self.scores[variant]) for variant in self.ranking]
        return html_table(("variant", "score"), rows, caption=self.decision.reason)


class Explanation(NamedTuple):
    """Why a model decides as it does for one input."""

    decision: Decision
    ranking: Table[Rank]
    columns: Table[Column]

    def _repr_html_(self) -> str:
        return (
            self.decision._repr_html_() + self.ranking._repr_html_() + self.columns._repr_html_()
        )


_KINDS = ("input", "relative", "device")


class Model:
    """Made by Store.tune_from_source and learn_own, or read from a file."""

    def __init__(self, context: Context, handle: Any) -> None:
        self._context = context
        # A list, so that copies of this object lose the C object together.
        self._owned: List[Any] = [owned(handle, lib.nitro_model_free, context)]

    @property
    def _handle(self) -> Any:
        if self._owned[0] is None:
            raise ValueError(
                "the model was attached to a computation, which owns it now: save or query it "
                "before, or load a second one"
            )
        return self._owned[0]

    @classmethod
    def load(cls, path: TextOrPath, context: Optional[Context] = None) -> "Model":
        context = context or default_context()
        handle = ffi.new("nitro_model **")
        context.check(lib.nitro_model_load(context.handle, bytes_of(path), handle))
        return cls(context, handle[0])

    @classmethod
    def from_bytes(cls, data: bytes, context: Optional[Context] = None) -> "Model":
        """From a model file's contents."""
        context = context or default_context()
        handle = ffi.new("nitro_model **")
        read = data_of(data)
        context.check(lib.nitro_model_load_memory(context.handle, read, len(read), handle))
        return cls(context, handle[0])

    def save(self, path: TextOrPath) -> None:
        """Write the model atomically; the same model gives the same bytes."""
        self._context.check(lib.nitro_model_save(self._handle, bytes_of(path)))

    def export(self, path: TextOrPath, form: str = "binary") -> None:
        """Write the model for programs: as a "binary" file, which loads fast and without libnitro's
        dependencies, or as a "c" file with one function."""
        forms = {"binary": lib.NITRO_EXPORT_BINARY, "c": lib.NITRO_EXPORT_C}
        if form not in forms:
            raise ValueError(f"unknown form '{form}'; choose one of {', '.join(forms)}")
        self._context.check(lib.nitro_model_export(self._handle, forms[form], bytes_of(path)))

    @property
    def computation(self) -> str:
        return text_of(lib.nitro_model_computation(self._handle))

    @property
    def target(self) -> str:
        return text_of(lib.nitro_model_target(self._handle))

    @property
    def strategy(self) -> str:
        return text_of(lib.nitro_model_strategy(self._handle))

    @property
    def variants(self) -> List[str]:
        return names_of(self._handle, lib.nitro_model_num_variants, lib.nitro_model_variant_name)

    @property
    def features(self) -> List[str]:
        return names_of(self._handle, lib.nitro_model_num_features, lib.nitro_model_feature_name)

    def summary(self) -> Dict[str, Any]:
        """What the model was learnt from, and how."""
        text = ffi.new("char **")
        self._context.check(lib.nitro_model_summary(self._handle, text))
        summary: Dict[str, Any] = json.loads(text_of(ffi.gc(text[0], lib.free)))
        return summary

    def _repr_html_(self) -> str:
        rows = [
            ("computation", self.computation),
            ("target", self.target),
            ("strategy", self.strategy),
            ("features", ", ".join(self.features)),
            ("variants", ", ".join(self.variants)),
        ]
        return html_table(("model", ""), rows)

    def _predict(self, values: Any, uses: float) -> "tuple[Any, Any, Any]":
        count = lib.nitro_model_num_variants(self._handle)
        made = ffi.new("nitro_decision *")
        ranking = ffi.new("size_t[]", count)
        scores = ffi.new("double[]", count)
        options = ffi.new("nitro_call_options *", {"uses": uses})
        self._context.check(
            lib.nitro_model_predict_with(self._handle, values, options, made, ranking, scores)
        )
        return made, list(ranking[0 : lib.nitro_model_num_ranked(self._handle)]), scores

    def predict(self, features: Mapping[str, float], uses: float = 0) -> Prediction:
        """Query the model for one input; all of its features must be given by name. `uses`: the
        expected runs of this input, for which preparing counts once; 0: it does not count."""
        made, ranking, scores = self._predict(
            feature_values("the model", self.features, features), uses
        )
        variants = self.variants
        return Prediction(
            decision=decision_of(made),
            ranking=[variants[i] for i in ranking],
            scores=dict(zip(variants, scores)),
        )

    def explain(self, features: Mapping[str, float], uses: float = 0) -> Explanation:
        """predict, with the features that the decision depends on and their training ranges."""
        values = feature_values("the model", self.features, features)
        made, ranking, scores = self._predict(values, uses)
        columns = ffi.new("nitro_column[]", lib.NITRO_EXPLAIN_MAX_COLUMNS)
        count = ffi.new("size_t *")
        self._context.check(lib.nitro_model_explain(self._handle, values, columns, count))
        variants = self.variants
        best = ranking[0]
        return Explanation(
            decision=decision_of(made),
            ranking=Table(
                Rank(
                    variants[i],
                    scores[i],
                    lib.nitro_model_expected_ratio(self._handle, scores, best, i),
                )
                for i in ranking
            ),
            columns=Table(
                Column(
                    text_of(each.name),
                    _KINDS[each.kind],
                    text_of(each.unit),
                    each.value,
                    each.low,
                    each.high,
                    bool(each.is_used),
                    each.excess > 0,
                )
                for each in columns[0 : count[0]]
            ),
        )

    def release(self) -> None:
        """Give the C object up to its new owner; this one is empty afterwards."""
        ffi.gc(self._handle, None)
        self._owned[0] = None
