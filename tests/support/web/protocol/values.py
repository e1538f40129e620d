"""Values of a struct, made from its own types: good ones, and ones that are nearly good."""

from __future__ import annotations

import copy
import random
from typing import Any

import msgspec
from msgspec import inspect

_TEXTS = ("", "e4", "last", "human", "0", "null", "é", "\u202e", "\x00", "𝄞", "../..", "a" * 300)
_NUMBERS = (
    0,
    1,
    -1,
    2,
    7,
    0.5,
    -0.25,
    1e-9,
    1e300,
    2**31,
    2**53,
    2**53 + 1,
    2**63,
    2**70,
    -(2**63),
)


class Values:
    """A source of values; the same seed gives the same ones."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def good(self, kind: type[msgspec.Struct]) -> dict[str, Any]:
        """A value that a struct must take."""
        return dict(self._of(inspect.type_info(kind)))

    def bent(self, kind: type[msgspec.Struct]) -> Any:
        """A good value with up to three things in it made otherwise; it may still be good."""
        value = copy.deepcopy(self.good(kind))
        for _ in range(self.random.randint(1, 3)):
            value = self._bend(value)
        return value if isinstance(value, dict) else {"value": value}

    def wild(self, depth: int = 3) -> Any:
        """Anything that JSON can say."""
        match self.random.randrange(8 if depth else 5):
            case 0:
                return None
            case 1:
                return self.random.random() < 0.5
            case 2 | 3:
                return self.random.choice(_NUMBERS)
            case 4:
                return self._text(0, 40)
            case 5 | 6:
                return [self.wild(depth - 1) for _ in range(self.random.randrange(4))]
        return {self._text(0, 8): self.wild(depth - 1) for _ in range(self.random.randrange(4))}

    def _bend(self, value: Any) -> Any:
        """``value`` with one place of it changed, taken away or added."""
        if not value or self.random.random() < 0.2:
            return self.wild()
        if isinstance(value, dict):
            if self.random.random() < 0.15:
                return {**value, self._text(0, 8): self.wild()}
            name = self.random.choice(list(value))
            if self.random.random() < 0.15:
                return {key: one for key, one in value.items() if key != name}
            return {**value, name: self._bend(value[name])}
        if isinstance(value, list):
            index = self.random.randrange(len(value))
            match self.random.randrange(3):
                case 0:
                    return [*value, *value, self.wild()]
                case 1:
                    return value[:index]
            return [*value[:index], self._bend(value[index]), *value[index + 1 :]]
        if isinstance(value, str):
            return value * self.random.choice((0, 2, 100))
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self.random.choice((-value - 1, value + 0.5, str(value), value // 2, 2**64 + 1))
        return self.wild()

    def _of(self, type_: inspect.Type) -> Any:
        match type_:
            case inspect.Metadata(type=inner):
                return self._of(inner)
            case inspect.StructType():
                return self._struct(type_)
            case inspect.UnionType(types=types):
                real = [one for one in types if not isinstance(one, inspect.CustomType)]
                return self._of(self.random.choice(real))
            case inspect.LiteralType(values=values):
                return self.random.choice(values)
            case inspect.NoneType():
                return None
            case inspect.BoolType():
                return self.random.random() < 0.5
            case inspect.IntType(ge=least, le=most, multiple_of=step):
                return self._whole(least, most) // int(step or 1) * int(step or 1)
            case inspect.FloatType(ge=least, le=most):
                low, high = -1e6 if least is None else least, 1e6 if most is None else most
                return self.random.choice((low, high, self.random.uniform(low, high)))
            case inspect.StrType(min_length=least, max_length=most):
                return self._text(least or 0, min(most or 40, 200))
            case inspect.TupleType(item_types=items):
                return [self._of(one) for one in items]
            case inspect.ListType() | inspect.VarTupleType():
                low = type_.min_length or 0
                high = min(type_.max_length or low + 3, 20)
                return [self._of(type_.item_type) for _ in range(self.random.randint(low, high))]
            case inspect.DictType(key_type=key, value_type=inner, max_length=most):
                number = self.random.randint(0, min(most or 4, 4))
                return {self._of(key): self._of(inner) for _ in range(number)}
            case inspect.AnyType():
                return self.wild()
        raise NotImplementedError(type(type_).__name__)

    def _struct(self, type_: inspect.StructType) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if type_.tag_field:
            found[type_.tag_field] = type_.tag
        for field in type_.fields:
            if field.required or self.random.random() < 0.6:
                found[field.encode_name] = self._of(field.type)
        return found

    def _whole(self, least: float | None, most: float | None) -> int:
        low = -(2**31) if least is None else int(least)
        high = 2**53 if most is None else int(most)
        middle = self.random.randint(low, min(high, low + 100))
        return self.random.choice((low, high, middle, self.random.randint(low, high)))

    def _text(self, least: int, most: int) -> str:
        if self.random.random() < 0.3:
            found = self.random.choice(_TEXTS)
            if least <= len(found) <= most:
                return found
        length = self.random.choice((least, most, self.random.randint(least, most)))
        return "".join(self.random.choice("abcxyz019:=,./ -_é") for _ in range(length))
