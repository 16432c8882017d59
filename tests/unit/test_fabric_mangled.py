"""Outputs as strangers paste them: the same scenario, or one reason; never a secret."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import fabrics
import mangled
import pytest
import yaml

import sanlab
from sanlab.importers.fabric import FabricImport, import_fabric
from sanlab.importers.fabric.reading import read_files
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

#: Samples of real outputs, where they are present; they are not part of this project.
SAMPLES = Path(__file__).parents[3] / "shared" / "import" / "samples"
SECRETS = """\
sw1# show running-config
username admin password 5 $5$SECRETHASH role network-admin
snmp-server community SECRETCOMMUNITY group network-operator
tacacs-server key 7 "SECRETKEY"
snmp-server user admin auth md5 SECRETAUTH priv SECRETPRIV localizedkey
sw1# show snmp community
SECRETGROUP            network-operator
sw1:FID128:admin> snmpconfig --show snmpv1
Community 1: SECRETV1 (rw)
sw1:FID128:admin> userconfig --show SECRETNAME
SECRETROW
"""
OUTPUTS = {
    "brocade": fabrics.brocade(fabrics.devices(6, arrays=1)) + "\n" + SECRETS,
    "cisco": fabrics.cisco(fabrics.devices(6, arrays=1)) + "\n" + SECRETS,
}


def mangle(text: str, names: list[str], rng: random.Random) -> bytes:
    """Apply some manglings; those that end in bytes are last."""
    table = mangled.HARMLESS | mangled.LOSSY
    for name in sorted(names, key=lambda name: name in {"utf16", "marked"}):
        out = table[name](text, rng)
        if isinstance(out, bytes):
            return out
        text = out
    return text.encode()


def imported(file: Path, data: bytes, *, partial: bool = False) -> FabricImport | None:
    """Import a file; None if it is refused, with one reason and remedy and no secret."""
    file.write_bytes(data)
    try:
        found = import_fabric([file], partial=partial)
    except sanlab.ScenarioError as error:
        refused = error
    else:
        return checked(found)
    (problem,) = refused.problems
    assert problem.reason
    assert problem.remedy
    assert "SECRET" not in str(refused)
    return None


def checked(found: FabricImport) -> FabricImport:
    """Return an import that shows no secret."""
    shown = [found.text, *map(str, found.origins), *map(str, found.findings), *found.questions]
    shown += [f"{part.source} {part.what}" for part in found.skipped]
    assert "SECRET" not in "\n".join(shown)
    return found


def content(found: FabricImport | None) -> Any:  # noqa: ANN401  any YAML
    assert found is not None
    return yaml.safe_load("\n".join(re.sub(r"  # .*", "", line) for line in found.text.split("\n")))


@pytest.mark.parametrize("dialect", OUTPUTS)
@pytest.mark.parametrize("name", mangled.HARMLESS)
def test_what_loses_nothing_changes_nothing(name: str, dialect: str, tmp_path: Path) -> None:
    file = tmp_path / "all.txt"
    plain = content(imported(file, OUTPUTS[dialect].encode()))
    for seed in range(4):
        data = mangle(OUTPUTS[dialect], [name], random.Random(seed))
        assert content(imported(file, data)) == plain, seed


@pytest.mark.parametrize("dialect", OUTPUTS)
def test_several_at_once_change_nothing(dialect: str, tmp_path: Path) -> None:
    file = tmp_path / "all.txt"
    plain = content(imported(file, OUTPUTS[dialect].encode()))
    for seed in range(12):
        rng = random.Random(seed)
        # A mark of quoting is before what the log has written, not within it.
        names = rng.sample(["pager", "colours", "banners", "glued", "crlf", "utf16"], 3)
        data = mangle(OUTPUTS[dialect], names, rng)
        assert content(imported(file, data)) == plain, (seed, names)


@pytest.mark.parametrize("dialect", OUTPUTS)
@pytest.mark.parametrize("name", mangled.LOSSY)
def test_what_is_lost_is_refused_or_leaves_a_scenario(
    name: str, dialect: str, tmp_path: Path
) -> None:
    for seed in range(8):
        rng = random.Random(seed)
        data = mangle(OUTPUTS[dialect], [name], rng)
        found = imported(tmp_path / "all.txt", data, partial=seed % 2 == 1)
        if found is not None:
            compile_plan(parse_scenario(found.text, "san.yaml"))


@pytest.mark.parametrize("dialect", OUTPUTS)
@pytest.mark.parametrize("width", [72, 80, 100, 132])
def test_broken_lines_lose_no_device(width: int, dialect: str, tmp_path: Path) -> None:
    plain = content(imported(tmp_path / "all.txt", OUTPUTS[dialect].encode()))
    lines = [
        line[at : at + width]
        for line in OUTPUTS[dialect].split("\n")
        for at in range(0, max(len(line), 1), width)
    ]
    assert content(imported(tmp_path / "all.txt", "\n".join(lines).encode())) == plain


def test_both_makers_and_all_switches_in_one_file(tmp_path: Path) -> None:
    other = OUTPUTS["cisco"].replace("f4:e9:d4", "f4:e9:d5").replace("52:4a:93", "52:4a:94")
    other = re.sub(r"\bsw(\d)", r"mds\1", other).replace("host0", "node0").replace("pure", "vmax")
    both = imported(tmp_path / "all.txt", (OUTPUTS["brocade"] + other).encode())
    assert both is not None
    assert {key: both.counts[key] for key in ("hosts", "switches", "arrays", "zones", "isls")} == {
        "hosts": 12,
        "switches": 4,
        "arrays": 2,
        "zones": 12,
        "isls": 2,
    }
    compile_plan(parse_scenario(both.text, "san.yaml"))


def test_a_file_cut_off_within_a_table_is_refused(tmp_path: Path) -> None:
    for dialect, last in (("brocade", "    Device type"), ("cisco", "fc1/4  10  0x")):
        text = OUTPUTS[dialect]
        end = text.rindex(last)
        (tmp_path / "all.txt").write_text(text[: end + 16], encoding="utf-8")
        with pytest.raises(sanlab.ScenarioError, match="cut off"):
            import_fabric([tmp_path / "all.txt"])


def test_lines_that_a_terminal_broke_are_named(tmp_path: Path) -> None:
    row = f"fc1/1 is up\n    Hardware is Fibre Channel, {'x' * 60} and more\n"
    text = OUTPUTS["cisco"] + "sw1# show interface\n" + 4 * row
    lines = [line[at : at + 80] for line in text.split("\n") for at in range(0, len(line) or 1, 80)]
    found = imported(tmp_path / "all.txt", "\n".join(lines).encode())
    assert found is not None
    assert any("Lines seem to be broken at column 80" in part.text for part in found.findings)


def test_an_output_in_which_nothing_is_recognised_is_listed(tmp_path: Path) -> None:
    text = OUTPUTS["brocade"] + "sw1:FID128:admin> islshow\ngarbage in place of a table\n"
    found = imported(tmp_path / "all.txt", text.encode())
    assert found is not None
    assert "islshow: nothing in it is recognised" in [part.what for part in found.skipped]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
@pytest.mark.slow
@pytest.mark.parametrize("name", mangled.HARMLESS)
def test_samples_lose_nothing(name: str, tmp_path: Path) -> None:
    for path in sorted(SAMPLES.rglob("*.txt")):
        if "load" not in path.relative_to(SAMPLES).parts:
            plain = counts(path, path.read_bytes(), tmp_path)
            data = mangle(path.read_text(encoding="utf-8"), [name], random.Random(1))
            assert counts(path, data, tmp_path) == plain, path


def counts(path: Path, data: bytes, folder: Path) -> list[int] | None:
    """Return how many facts of each kind a file has; None if it is refused."""
    (folder / path.name).write_bytes(data)
    try:
        facts = read_files([folder / path.name])
    except sanlab.ScenarioError:
        return None
    kinds = (facts.switches, facts.ports, facts.logins, facts.isls, facts.zones, facts.aliases)
    more = (facts.bundles, facts.paths, facts.adapters, facts.counters, facts.settings)
    return [len(part) for part in (*kinds, *more)]
