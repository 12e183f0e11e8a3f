"""Models, each for one target."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from typing import Any, Dict, List, Mapping, Optional, Union

from ._library import Context, bytes_of, default_context, ffi, lib, text_of


@dataclass(frozen=True)
class Decision:
    """The choice for one input, and its reason."""

    variant: str
    index: int  #: in declared order
    confidence: float  #: estimated chance that no other variant is over 5 % faster
    reason: str
    result: Any = None  #: of run(): what the variant returned


def decision_of(made: Any, result: Any = None) -> Decision:
    return Decision(
        variant=text_of(made.variant_name),
        index=made.variant,
        confidence=made.confidence,
        reason=text_of(lib.nitro_reason_text(made.reason)),
        result=result,
    )


@dataclass(frozen=True)
class Prediction:
    """A model's prediction: its decision, and all variants, best first."""

    decision: Decision
    ranking: List[str]
    scores: Dict[str, float]  #: larger is better


class Model:
    """Made by Store.tune_from_source and learn_own, or read from a file."""

    def __init__(self, context: Context, handle: Any) -> None:
        self._context = context
        self._handle = ffi.gc(handle, lib.nitro_model_free)

    @classmethod
    def load(
        cls, path: Union[str, "PathLike[str]"], context: Optional[Context] = None
    ) -> "Model":
        context = context or default_context()
        handle = ffi.new("nitro_model **")
        context.check(lib.nitro_model_load(context.handle, bytes_of(path), handle))
        return cls(context, handle[0])

    def save(self, path: Union[str, "PathLike[str]"]) -> None:
        """Write the model atomically; the same model gives the same bytes."""
        self._context.check(lib.nitro_model_save(self._handle, bytes_of(path)))

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
        count = lib.nitro_model_num_variants(self._handle)
        return [text_of(lib.nitro_model_variant_name(self._handle, i)) for i in range(count)]

    @property
    def features(self) -> List[str]:
        count = lib.nitro_model_num_features(self._handle)
        return [text_of(lib.nitro_model_feature_name(self._handle, i)) for i in range(count)]

    def summary(self) -> Dict[str, Any]:
        """What the model was learnt from, and how."""
        text = ffi.new("char **")
        self._context.check(lib.nitro_model_summary(self._handle, text))
        owned = ffi.gc(text[0], _free)
        return json.loads(text_of(owned))

    def predict(self, features: Mapping[str, float]) -> Prediction:
        """Query the model for one input; all of its features must be given by name."""
        names = self.features
        missing = [name for name in names if name not in features]
        unknown = [name for name in features if name not in names]
        if missing or unknown:
            raise ValueError(
                f"the model takes {', '.join(names)}; missing: {', '.join(missing) or 'none'}; "
                f"not known: {', '.join(unknown) or 'none'}"
            )
        variants = self.variants
        made = ffi.new("nitro_decision *")
        ranking = ffi.new("size_t[]", len(variants))
        scores = ffi.new("double[]", len(variants))
        values = ffi.new("double[]", [float(features[name]) for name in names])
        self._context.check(lib.nitro_model_predict(self._handle, values, made, ranking, scores))
        return Prediction(
            decision=decision_of(made),
            ranking=[variants[i] for i in ranking],
            scores=dict(zip(variants, scores)),
        )

    def release(self) -> Any:
        """Release the C object; this one is empty afterwards."""
        handle = ffi.gc(self._handle, None)
        del self._handle
        return handle


_libc = ffi.dlopen(None)
ffi.cdef("void free(void *);")


def _free(pointer: Any) -> None:
    _libc.free(pointer)
