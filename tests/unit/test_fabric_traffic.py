"""`sanlab import fabric`: rates at the ports of hosts as workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import fabrics
import yaml
from typer.testing import CliRunner

from sanlab.cli.main import app
from sanlab.importers.fabric import FabricImport, import_fabric
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from pathlib import Path

#: Bytes of an I/O where only bytes are counted.
IO = 8192


def brocade(hosts: int = 4) -> str:
    return fabrics.brocade(fabrics.devices(hosts, arrays=1)) + "\n"


def cisco(hosts: int = 4) -> str:
    return fabrics.cisco(fabrics.devices(hosts, arrays=1)) + "\n"


def imported(
    tmp_path: Path, text: str, interval: float | None = None
) -> tuple[FabricImport, dict[str, Any]]:
    """Import a text, check the scenario, and return it with its workloads by name."""
    (tmp_path / "all.txt").write_text(text, encoding="utf-8")
    found = import_fabric([tmp_path / "all.txt"], interval=interval)
    compile_plan(parse_scenario(found.text, "san.yaml"))
    return found, {work["name"]: work for work in yaml.safe_load(found.text)["workloads"]}


def load(works: dict[str, Any], host: int) -> tuple[str, int]:
    work = works[f"host{host:04d}-load"]
    return work["rwmixread"], work["rate_iops"]


def guess(found: FabricImport, host: int) -> str:
    (origin,) = found.explain(f"workloads.host{host:04d}-load")
    assert origin.sources
    return origin.guess


def findings(found: FabricImport) -> str:
    return "\n".join(map(str, found.findings))


def words(sent: int, received: int, port: int = 0) -> str:
    """Print what a port has counted, in bytes."""
    counts = f"stat_wtx            \t{sent // 4}          4-byte words transmitted\n"
    counts += f"stat_wrx            \t{received // 4}          4-byte words received\n"
    return f"sw2:FID128:admin> portstatsshow {port}\nport:  {port}\n=========\n{counts}"


def wide(sent: int, received: int) -> str:
    """Print the same with two words for each counter."""
    text = "sw2:FID128:admin> portstats64show 0\nport:  0\n"
    for name, value in (("wtx", sent // 4), ("wrx", received // 4)):
        top, bottom = divmod(value, 2**32)
        text += f"stat64_{name}      {top}           top_int : 4-byte words\n"
        text += f"                {bottom}           bottom_int : 4-byte words\n"
    return text


def interface(rates: tuple[int, int], totals: tuple[int, int]) -> str:
    """Print rates and totals of the port of the first host, sent and received."""
    return (
        "sw2# show interface counters\nfc1/1\n"
        f"    5 minutes input rate {8 * rates[1]} bits/sec,{rates[1]} bytes/sec, 1 frames/sec\n"
        f"    5 minutes output rate {8 * rates[0]} bits/sec,{rates[0]} bytes/sec, 1 frames/sec\n"
        f"    10 frames input, {totals[1]} bytes\n    20 frames output, {totals[0]} bytes\n"
    )


def test_rates_of_interfaces_are_the_load_of_their_hosts(tmp_path: Path) -> None:
    text = cisco() + interface((3000 * IO, 1000 * IO), (10**12, 10**12))
    found, works = imported(tmp_path, text)
    # What the switch sends to a host is what the host reads.
    assert load(works, 1) == ("75%", 4000)
    assert load(works, 2) == ("70%", 1000)
    assert guess(found, 1) == (
        "I/Os of 8 KiB at random addresses; 32.8 MB/s are the mean of 5 minutes"
    )
    assert "Each host without counters of its ports" in found.questions[0]
    assert "1 host has the bytes per second of the ports" in found.questions[1]


def test_two_captures_are_preferred_to_a_rate_that_is_shown(tmp_path: Path) -> None:
    clock = "sw2# show clock\n{time} UTC Wed Mar 04 2026\n"
    text = cisco() + clock.format(time="10:00:00.500") + interface((IO, IO), (10**9, 10**9))
    text += clock.format(time="10:01:40.500")
    text += interface((IO, IO), (10**9 + 100 * 500 * IO, 10**9 + 100 * 1500 * IO))
    found, works = imported(tmp_path, text)
    assert load(works, 1) == ("25%", 2000)
    assert "16.4 MB/s are the mean of 100 s between two captures" in guess(found, 1)


def test_words_of_brocade_between_two_dates(tmp_path: Path) -> None:
    date = "sw2:FID128:admin> date\nWed Mar  4 23:59:{:02d} UTC 2026\n"
    for before in (0, 4 * 2**32 - 4 * IO):  # the second begins anew in between
        after = (before + 5 * 1000 * IO) % (4 * 2**32)
        text = brocade() + date.format(50) + words(before, 0) + date.format(55)
        _, works = imported(tmp_path, text + words(after, 5 * 1000 * IO))
        assert load(works, 1) == ("50%", 2000)


def test_a_counter_that_may_have_begun_anew_is_not_used(tmp_path: Path) -> None:
    text = brocade() + words(0, 0) + words(10**9, 10**9)
    found, works = imported(tmp_path, text, interval=60)
    assert load(works, 1) == ("70%", 1000)
    assert "Counters of 32 bits of port 0 of 'sw2' may have begun anew within 60 s" in findings(
        found
    )
    text = brocade() + wide(2**40, 2**40) + wide(2**40 + 60 * 3000 * IO, 2**40 + 60 * 1000 * IO)
    assert load(imported(tmp_path, text, interval=60)[1], 1) == ("75%", 4000)


def test_two_captures_without_times_need_an_interval(tmp_path: Path) -> None:
    text = brocade() + words(4, 4) + words(4 + 5 * 1000 * IO, 4)
    found, works = imported(tmp_path, text)
    assert load(works, 1) == ("70%", 1000)
    assert "captured twice, and no output has the times: add --interval" in findings(found)
    assert load(imported(tmp_path, text, interval=5)[1], 1) == ("100%", 1000)
    (tmp_path / "all.txt").write_text(text, encoding="utf-8")
    command = ["import", "fabric", str(tmp_path / "all.txt"), "-o", str(tmp_path / "san.yaml")]
    assert CliRunner().invoke(app, [*command, "--interval", "5s"]).exit_code == 0
    assert "rwmixread: 100%, bs: 8k, arrivals: poisson, rate_iops: 1000" in (
        tmp_path / "san.yaml"
    ).read_text(encoding="utf-8")
    result = CliRunner().invoke(app, [*command, "--force", "--interval", "soon"])
    assert (result.exit_code, "--interval" in result.stderr) == (2, True)


def test_counters_that_were_cleared_are_not_used(tmp_path: Path) -> None:
    text = brocade() + wide(2**40, 2**40) + wide(2**20, 2**20)
    found, works = imported(tmp_path, text, interval=5)
    assert load(works, 1) == ("70%", 1000)
    assert "port 0 of 'sw2' are lower in the later capture: they were cleared" in findings(found)


PERF = """\
sw2:FID128:admin> portperfshow -t 1
      0      1      2      3      4      5      6      7      8
===============================================================
  81.92m      0   8.2k      0      0      0      0      0      0
      0      1      2      3      4      5      6      7      8   Total
===============================================================
  163.84m     0   8.2k      0      0      0      0      0      0  163.9m
"""


def test_rates_of_portperfshow_have_no_directions(tmp_path: Path) -> None:
    found, works = imported(tmp_path, brocade() + PERF)
    assert load(works, 1) == ("70%", 15000)
    assert load(works, 3) == ("70%", 1)
    assert "the mean of 2 samples of portperfshow; 70% reads, since the output has no" in guess(
        found, 1
    )
    assert "The ports of 'host0002' carried nothing while they were counted" in findings(found)
    lines = PERF.splitlines()
    alone = "\n".join([*lines[1:4], ""])
    (tmp_path / "rates.txt").write_text("sw2:FID128:admin> \n" + alone, encoding="utf-8")
    (tmp_path / "all.txt").write_text(brocade(), encoding="utf-8")
    both = import_fabric([tmp_path / "all.txt", tmp_path / "rates.txt"])
    assert "rate_iops: 10000}" in both.text


def test_directions_of_portperfshow(tmp_path: Path) -> None:
    text = PERF.replace("  81.92m", "TX 81.92m").replace("  163.84m", "RX 81.92m")
    _, works = imported(tmp_path, brocade() + text)
    assert load(works, 1) == ("50%", 20000)


def test_a_row_of_portperfshow_without_all_its_values_is_listed(tmp_path: Path) -> None:
    found, _ = imported(tmp_path, brocade() + PERF.replace("0  163.9m", ""))
    assert "A row of portperfshow has 8 values for 9 ports" in findings(found)
