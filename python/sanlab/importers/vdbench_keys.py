"""Keys of vdbench's parameter files: what each kind of definition may have, and general parameters.

The names and their meaning are those of the Vdbench Users Guide 5.04.07. Each key is used by
`vdbench.py`, has no part in a scenario for a reason given here, or is refused with a remedy.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RESULTS = "it shapes vdbench's own output or its way to a host, and only its I/O is simulated"
_CONTENT = "it has no effect without hits, data contents or journals"
_DATA = "the contents of blocks have no effect on the simulation"
_CHECKED = "reads that check written data, and writes of a journal, are not simulated"
_ERRORS = "what vdbench does after an error; sanlab retries as its hosts do, and counts"
_FORMAT = "writes that fill a device or a file before the first run are not simulated"
_FILES = "making files and folders is not simulated, only I/O on their blocks"
_LOOP = "each run is written once, and a repetition has the same load"
_PRIORITY = "it matters only beside an 'iorate' of a 'wd', which is refused"

#: Keys of each kind of definition that a scenario has a part for.
USED = {
    "hd": _words("hd system"),
    "sd": _words("sd hd host lun size threads offset"),
    "wd": _words("wd sd hd host xfersize rdpct seekpct skew threads rhpct whpct"),
    "rd": _words("""
        rd wd iorate elapsed warmup distribution threads forthreads xfersize forxfersize rdpct
        forrdpct seekpct forseekpct curve"""),
}
#: Keys of definitions without a part in a scenario, each with its reason.
LEFT_OUT = {
    **dict.fromkeys(
        _words("user shell vdbench jvms clients mount interval openflags pause"), _RESULTS
    ),
    **dict.fromkeys(_words("hitarea align journal dedupratio dedupunit compratio"), _CONTENT),
    "priority": _PRIORITY,
}
#: Parameters beside definitions, each with its reason.
GENERAL = {
    **dict.fromkeys(
        _words("""
            report report_run_totals histogram auxreport monitor debug port messagescan showlba
            ios_per_jvm unix2windows psrset misc timeout swat"""),
        _RESULTS,
    ),
    **dict.fromkeys(
        _words("""
            compratio compression compressionseed dedupratio dedupunit dedupsets deduphotsets
            dedupflipflop pattern pattern_buffer"""),
        _DATA,
    ),
    **dict.fromkeys(_words("validate journal"), _CHECKED),
    **dict.fromkeys(_words("data_errors dataerrors abort_failed_skew"), _ERRORS),
    **dict.fromkeys(_words("formatsds formatxfersize"), _FORMAT),
    **dict.fromkeys(_words("create_anchors fwd_thread_adjust"), _FILES),
    "loop": _LOOP,
}

_COMMAND = ("would run a command, and an import runs nothing", "Remove the line")
_OF_FILES = (
    "is a load on files and folders, and LUNs here hold blocks",
    "Import the 'sd', 'wd' and 'rd' of a load on disks",
)
_REPLAY = ("replays a trace, which is a file of its own", "Import that trace in place of this file")
_AREA = ("keeps requests within a part of the LUN", "Remove it, if the load is the same without it")
#: Keys that are refused wherever they stand: what each does, and what to do instead.
REFUSED: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("startcmd", "start_cmd", "endcmd", "end_cmd", "heartbeat_error"), _COMMAND),
    **dict.fromkeys(("fsd", "fwd"), _OF_FILES),
    **dict.fromkeys(("rg", "replay"), _REPLAY),
    **dict.fromkeys(("range", "hotband"), _AREA),
    "stride": (
        "skips blocks between two requests",
        "Remove it, if the load is the same without it",
    ),
    "streams": (
        "reads or writes several parts of a LUN, each sequentially",
        "Give each stream an 'sd' and a 'wd' of its own",
    ),
    "count": ("stands for many 'sd's", "Write each 'sd' out"),
}
#: Those that have one meaning in a definition of a kind, and are refused there.
REFUSED_IN = {
    ("wd", "iorate"): (
        "gives its requests priority over those of other 'wd's",
        "Give the 'wd' an 'rd' of its own, with that 'iorate'",
    ),
}
#: Other names of a key.
SAME = {
    "readpct": "rdpct",
    "forreadpct": "forrdpct",
    "dataerrors": "data_errors",
    "start_cmd": "startcmd",
    "end_cmd": "endcmd",
}


def full_name(key: str, kind: str) -> str:
    """Return the whole name of a key that may be cut short, as vdbench lets it be.

    >>> full_name("xf", "wd"), full_name("th", "sd"), full_name("s", "wd"), full_name("mess", "")
    ('xfersize', 'threads', 's', 'messagescan')
    """
    key = SAME.get(key, key)
    if key in USED:  # the beginning of a definition
        return key
    known = [*USED[kind], *LEFT_OUT] if kind else [*GENERAL, "concatenatesds", "include"]
    known += [*REFUSED, *(name for where, name in REFUSED_IN if where == kind)]
    if key in known:
        return key
    found = {SAME.get(name, name) for name in (*known, *SAME) if name.startswith(key)}
    return found.pop() if len(found) == 1 else key
