"""Text that compresses like prose: words of uneven frequency, no two passages equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

CHINESE = "退款失败请重新提交订单系统检索到三条记录用户要求改签航班天气晴朗"
_COMMON = (
    "the a to of and in is for that it on with as you are be this by from at or an not have "
    "was will can if we they which would there their one all about when what more out up "
)
_TOPICAL = (
    "agent plan trip Shanghai weekend weather museum ticket search tool rain Sunday train hotel "
    "river garden price evening budget station walk lunch temple market bridge harbour tower "
    "visit book check open close early late cheap quiet crowded north south east west travel "
    "answer question result summary option reason because therefore however first second last "
    "forecast degrees Celsius percent chance cloudy sunny humid wind morning afternoon night "
    "restaurant noodle dumpling tea coffee reserve cancel confirm address phone number street "
    "district metro line exit minute hour day week month year adult child student senior pass "
    "gallery exhibit history modern ancient silk bronze paper ink porcelain guide audio tour "
    "queue entrance fee refund policy passport luggage locker umbrella jacket shoes camera map "
)
_WORDS = _COMMON.split() * 4 + _TOPICAL.split()
_CHARS_PER_WORD = sum(len(word) + 1 for word in _WORDS) / len(_WORDS)


def make_text(random: Random, chars: int) -> str:
    """Return prose of about ``chars`` characters."""
    return " ".join(random.choices(_WORDS, k=max(int(chars / _CHARS_PER_WORD), 1)))
