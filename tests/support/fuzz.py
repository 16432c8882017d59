"""Unusual inputs in any number: one harness for all kinds.

A fuzzer makes a case from a seed and a number, so that each case can be repeated alone, and says
how the case ended in one word, with a reason behind a colon. The word `wrong` stands for a
traceback, a panic, a message of several lines, or an engine that refuses what `check` called good.
Cases run in processes of their own: one that dies or hangs is a wrong case like any other.

`python tests/support/fuzz.py` is the long run; `python tests/support/fuzz.py scenarios --seed 3
--first 17 --count 1 --show` repeats a case.
"""

from __future__ import annotations

import argparse
import importlib
import resource
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

ROOT = Path(__file__).parents[2]
#: Cases of a long run of each fuzzer; it is the class `Fuzzer` in the module `fuzz_NAME`.
FUZZERS = {"scenarios": 14_000, "plans": 4_500, "folders": 1_500}
#: A case that asks for more memory is wrong.
MEMORY_BYTES = 8 * 2**30
#: A case that says nothing for so long hangs.
SILENCE_S = 60
#: Most wrong cases that are shown.
SHOWN = 20


class Fuzzer(Protocol):
    """Makes cases and tries them."""

    def make(self, seed: int, number: int) -> tuple[Any, str]:
        """Return a case, and what was done to get it."""

    def run(self, case: Any) -> str:  # noqa: ANN401  what `make` returned
        """Try a case; return how it ended."""


@dataclass
class Tally:
    """How cases ended."""

    words: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, number: int, done: str, end: str) -> None:
        """Count a case."""
        word = end.partition(":")[0]
        self.words[word] += 1
        if word == "wrong":
            self.wrong.append(f"{number} {done}\n  {end}")

    def line(self, name: str) -> str:
        """Return a summary in one line."""
        counts = ", ".join(f"{count} {word}" for word, count in sorted(self.words.items()))
        return f"{name}: {self.words.total()} cases: {counts}"


def ended(error: BaseException) -> str:
    """Return how a case ended that raised what it should not."""
    lines = str(error).splitlines() or [""]
    place = ""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f" at {Path(code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"wrong: {type(error).__name__}: {lines[0][:300]}{place}"


def is_plain(message: str) -> bool:
    """Return whether a message is one line without the words of a library."""
    foreign = (
        "Value error",
        "Traceback",
        "See the reference",
        "pydantic",
        "<class",
        "object at 0x",
    )
    return bool(message) and "\n" not in message and not any(word in message for word in foreign)


def work(name: str, seed: int, numbers: range) -> None:
    """Run cases one after the other in this process; say what each is before it is tried."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, limit))
    fuzzer: Fuzzer = importlib.import_module(f"fuzz_{name}").Fuzzer()
    for number in numbers:
        case, done = fuzzer.make(seed, number)
        sys.stdout.write(f"{number} {done}\n")
        sys.stdout.flush()
        try:
            end = fuzzer.run(case)
        except Exception as error:
            end = ended(error)
        except BaseException as error:  # a panic of the engine is not an Exception
            if type(error).__name__ != "PanicException":
                raise
            end = ended(error)
        sys.stdout.write(f"{number} {' '.join(end.split())}\n")
        sys.stdout.flush()


def fuzz(name: str, seed: int, first: int, count: int, jobs: int = 1) -> Tally:
    """Run cases in processes of their own; return how they ended."""
    tally = Tally()
    with ThreadPoolExecutor(jobs) as pool:
        shares = [range(first + part, first + count, jobs) for part in range(jobs)]
        for _ in pool.map(lambda numbers: _share(name, seed, numbers, tally), shares):
            pass
    tally.wrong.sort(key=lambda case: int(case.split()[0]))
    return tally


def _share(name: str, seed: int, numbers: range, tally: Tally) -> None:
    """Run a share of the cases; go on behind a case that a process died of."""
    while numbers:
        command = [sys.executable, __file__, name, "--seed", str(seed), "--worker"]
        command += [str(numbers.start), str(numbers.stop), str(numbers.step)]
        with tempfile.TemporaryFile("w+", errors="replace") as errors:
            with subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, text=True, errors="replace"
            ) as process:
                number, done = _listen(process, tally)
            errors.seek(0)
            told = " ".join(errors.read()[-500:].split())
        if number is None and process.returncode == 0:
            return
        if number is None:
            tally.wrong.append(f"{numbers.start} no case: {told}")
            return
        tally.add(number, done, f"wrong: the process ended with {process.returncode}: {told}")
        numbers = range(number + numbers.step, numbers.stop, numbers.step)


def _listen(process: subprocess.Popen[str], tally: Tally) -> tuple[int | None, str]:
    """Count the cases of a process; return the one that it did not end."""
    begun: int | None = None
    done = ""
    assert process.stdout is not None
    while True:
        timer = threading.Timer(SILENCE_S, process.kill)
        timer.start()
        line = process.stdout.readline()
        timer.cancel()
        if not line:
            return begun, done
        first, _, rest = line.rstrip("\n").partition(" ")
        if begun is None:
            begun, done = int(first), rest
        else:
            tally.add(begun, done, rest)
            begun = None


def show(name: str, seed: int, number: int) -> None:
    """Run one case in this process and show it."""
    fuzzer: Fuzzer = importlib.import_module(f"fuzz_{name}").Fuzzer()
    case, done = fuzzer.make(seed, number)
    print(f"{case}\n{done}")
    print(fuzzer.run(case))


def main() -> int:
    """Run cases and print one line for each fuzzer."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="FUZZER", help=", ".join(FUZZERS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--count", type=int, help="cases of each; all by default")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--show", action="store_true", help="show the first case, and run it here")
    parser.add_argument("--worker", type=int, nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    names = asked.names or list(FUZZERS)
    if asked.worker:
        work(names[0], asked.seed, range(*asked.worker))
        return 0
    if unknown := set(names) - set(FUZZERS):
        parser.error(f"there is no fuzzer {', '.join(sorted(unknown))}")
    if asked.show:
        show(names[0], asked.seed, asked.first)
        return 0
    is_good = True
    for name in names:
        count = FUZZERS[name] if asked.count is None else asked.count
        tally = fuzz(name, asked.seed, asked.first, count, asked.jobs)
        print(tally.line(name), flush=True)
        for case in tally.wrong[:SHOWN]:
            print(case, flush=True)
        is_good = is_good and not tally.wrong
    return 0 if is_good else 1


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        raise SystemExit(main())
