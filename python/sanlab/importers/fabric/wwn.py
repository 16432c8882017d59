"""World-wide names: one form for all spellings, and what the vendor's part tells."""

from __future__ import annotations

import re

#: A world-wide name as switches print it; also one with digits that are not hexadecimal.
SPELLED = r"[0-9A-Za-z]{2}(?::[0-9A-Za-z]{2}){7}"
_SEPARATORS = re.compile(r"[:.\-]")
_DIGITS = re.compile(r"[0-9a-f]{16}")

#: Vendors of arrays and tape libraries by the 24 bits that the IEEE gave them, as remembered. They
#: are hints, used only where no output says what a port is.
TARGET_VENDORS = {
    "24a937": "PURE",
    "006016": "EMC",
    "000097": "EMC",
    "00a098": "NETAPP",
    "000d31": "COMPELNT",
    "0001fe": "HP",
    "00c0ff": "HP",
    "0002ac": "3PAR",
    "0060e8": "HITACHI",
    "742b0f": "INFINIDAT",
    "00d023": "INFORTREND",
    "002037": "SEAGATE",
    "0004cf": "SEAGATE",
    "001738": "IBM",
}
#: Beginnings of names of IBM's arrays: DS8000, and SVC with the Storwize family.
_TARGETS_OF_IBM = ("50050763", "50050768")
#: Vendors of host bus adapters; 005076 of IBM has both and is in neither list.
INITIATOR_VENDORS = {
    "00e08b": "QLogic",
    "001b32": "QLogic",
    "0024ff": "QLogic",
    "f4e9d4": "QLogic",
    "00c0dd": "QLogic",
    "000e1e": "QLogic",
    "0000c9": "Emulex",
    "0090fa": "Emulex",
    "00109b": "Emulex",
    "0025b5": "Cisco",
    "0060b0": "HP",
    "001438": "HP",
    "000c29": "VMware",
}


def normal(text: str) -> str | None:
    """Return 16 hexadecimal digits, or None for any other text.

    >>> normal("50:01:43:80:03:BC:68:00"), normal("0x2000f4e9d4030000"), normal("50:01")
    ('5001438003bc6800', '2000f4e9d4030000', None)
    """
    digits = _SEPARATORS.sub("", text.strip().lower().removeprefix("0x"))
    return digits if _DIGITS.fullmatch(digits) else None


def vendor_part(wwn: str) -> str:
    """Return the vendor's 24 bits: behind the first digit in names of type 5 and 6, else later."""
    return wwn[1:7] if wwn[0] in "56" else wwn[4:10]


def role_of(wwn: str) -> str:
    """Return `target` or `init` by the vendor, and nothing where the vendor has both or none."""
    part = vendor_part(wwn)
    if part in TARGET_VENDORS or wwn.startswith(_TARGETS_OF_IBM):
        return "target"
    return "init" if part in INITIATOR_VENDORS else ""
