"""`sanlab import fabric`: from pasted outputs to a scenario that runs."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import fabrics
import pytest
import yaml
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.importers.fabric import FabricImport, import_fabric
from sanlab.importers.fabric.devices import stem
from sanlab.importers.fabric.reading import read_files
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

EXAMPLE = Path(__file__).parents[2] / "examples" / "fabric-import"
CAPTURES = EXAMPLE / "captures"
#: Samples of real outputs, where they are present; they are not part of this project.
SAMPLES = Path(__file__).parents[3] / "shared" / "import" / "samples"
needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")


def imported(tmp_path: Path, **texts: str) -> FabricImport:
    """Import outputs given as texts, one file for each."""
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    return import_fabric([tmp_path / f"{name}.txt" for name in texts])


def document(found: FabricImport) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(found.text)
    return loaded


def small(dialect: str, hosts: int = 4) -> str:
    return str(getattr(fabrics, dialect)(fabrics.devices(hosts, arrays=1)))


def findings(found: FabricImport) -> str:
    return "\n".join(map(str, found.findings))


def test_the_example_is_what_the_import_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLE.parents[1])
    found = import_fabric([Path("examples/fabric-import/captures")])
    assert found.text == (EXAMPLE / "scenario.yaml").read_text(encoding="utf-8")


def test_the_example_has_what_its_captures_tell() -> None:
    found = import_fabric([CAPTURES])
    loaded = document(found)
    assert [host["name"] for host in loaded["hosts"]] == ["backup1", "db01", "vmhost1"]
    assert loaded["hosts"][2]["hbas"][0]["npiv"] == ["vm_mail"]
    assert [(s["name"], s["model"], s["domain"]) for s in loaded["switches"]] == [
        ("core1", "brocade-g620", 1),
        ("core2", "brocade-g620", 2),
    ]
    assert loaded["arrays"][0]["controllers"] == {"count": 2, "ports": [["p0"], ["p1"]]}
    assert loaded["arrays"][0]["luns"][0] == {
        "name": "lun1",
        "size": "2TiB",
        "initiators": ["db01"],
    }
    core = loaded["links"][-1]
    assert (core["count"], core["trunk"], core["speed"]) == (2, True, "32GFC")
    assert loaded["zoning"][0]["zones"]["z_db01_pure1"] == ["db01.hba0.p0", "pure1.p0", "pure1.p1"]
    assert "21:00:00:24:ff:11:22:33 is in zone 'z_old' and not logged in" in findings(found)
    assert "Alias 'spare1_hba0' is in no zone" in findings(found)


def test_the_command_writes_a_scenario_that_runs(tmp_path: Path) -> None:
    out = tmp_path / "san.yaml"
    result = CliRunner().invoke(app, ["import", "fabric", str(CAPTURES), "-o", str(out), "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["counts"]["hosts"] == 3
    assert told["questions"]
    assert CliRunner().invoke(app, ["check", str(out)]).exit_code == 0
    run = sanlab.run(out, overrides={"measure.duration": "50ms"}, folder=tmp_path / "run")
    assert run.summary()["iops"] > 1000
    before = out.read_text(encoding="utf-8")
    again = CliRunner().invoke(app, ["import", "fabric", str(CAPTURES), "-o", str(out)])
    assert (again.exit_code, "exists already" in again.output) == (2, True)
    assert out.read_text(encoding="utf-8") == before
    forced = ["import", "fabric", str(CAPTURES), "-o", str(out), "--force"]
    assert CliRunner().invoke(app, forced).exit_code == 0


def test_every_value_names_its_line_or_is_guessed(tmp_path: Path) -> None:
    found = import_fabric([CAPTURES])
    assert all(origin.sources or origin.guess for origin in found.origins)
    for origin in found.origins:
        for source in origin.sources:
            lines = Path(source.file).read_text(encoding="utf-8").splitlines()
            assert lines[source.line - 1].strip(), origin
    keys = [origin.key for origin in found.origins]
    assert len(keys) == len(set(keys))
    command = ["import", "fabric", str(CAPTURES), "-o", str(tmp_path / "s.yaml"), "--explain"]
    result = CliRunner().invoke(app, [*command, "switches.core1.domain"])
    place = CAPTURES / "core1.txt"
    assert result.stdout == f"switches.core1.domain: 1  from {place}:7\n"
    assert "switchDomain:\t1" in place.read_text(encoding="utf-8").splitlines()[6]
    guess = CliRunner().invoke(app, [*command, "links.db01.hba0.p0.length"]).stdout
    assert guess == "links.db01.hba0.p0.length: 5m  guessed: length; a cable within a rack\n"
    assert CliRunner().invoke(app, [*command, "hosts.none"]).exit_code == 2
    assert list(tmp_path.iterdir()) == []


def _same(found: FabricImport, names: dict[str, str]) -> Any:  # noqa: ANN401  any YAML
    """The scenario without what only one dialect tells: names of switches and sets, and models."""
    text = "\n".join(re.sub(r"  # .*", "", line) for line in found.text.splitlines())
    for name, common in names.items():
        text = text.replace(name, common)
    loaded = yaml.safe_load(text)
    for switch in loaded["switches"]:
        del switch["model"]
        switch.pop("ports", None)  # written where the model has fewer
    return loaded


def test_both_dialects_give_one_scenario(tmp_path: Path) -> None:
    one = imported(tmp_path, brocade=small("brocade", 250))
    other = imported(tmp_path, cisco=small("cisco", 250))
    assert _same(one, {}) == _same(other, {})


@needs_samples
def test_the_dual_fabric_is_one_scenario_in_both_dialects() -> None:
    made = SAMPLES / "synthetic"
    brocade = import_fabric([made / "brocade-dual-fabric", made / "host"])
    cisco = import_fabric([made / "cisco-dual-fabric", made / "host"])
    names = {"mds-": "fos_", "ZS_": "CFG_"}
    here, there = _same(cisco, names), _same(brocade, {})
    for loaded in (here, there):
        # The counters in the samples are made up, and each dialect has its own.
        assert all("rate_iops" in work for work in loaded.pop("workloads"))
    assert here == there
    assert brocade.counts["devices"] == cisco.counts["devices"] == 13
    assert brocade.counts["zones"] == cisco.counts["zones"] == 9
    assert [str(f).partition(" (")[0] for f in cisco.findings] == [
        "21:00:f4:e9:d4:04:00:00 is in zone 'z_win01_arr01_a' and not logged in"
    ]


@needs_samples
def test_the_samples_are_read_or_refused_with_a_reason() -> None:
    read, refused = 0, []
    for path in sorted(SAMPLES.rglob("*")):
        if path.is_dir() or "load" in path.relative_to(SAMPLES).parts:
            continue
        try:
            facts = read_files([path])
        except sanlab.ScenarioError as error:
            (problem,) = error.problems
            assert problem.line
            assert problem.remedy
            refused.append(str(path.relative_to(SAMPLES)))
        else:
            assert facts.kinds or facts.skipped, path
            read += bool(facts.kinds)
    assert refused == [
        "brocade/nsshow/01.txt",
        "cisco/show_device_alias_database/01.txt",
        "cisco/show_zoneset_active/01.txt",
    ]
    assert read >= 130


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["brocade", "cisco"])
def test_two_thousand_logins_take_less_than_five_seconds(dialect: str, tmp_path: Path) -> None:
    (tmp_path / "all.txt").write_text(small(dialect, 2000), encoding="utf-8")
    start = time.process_time()
    found = import_fabric([tmp_path / "all.txt"])
    assert time.process_time() - start < 5
    assert found.counts["devices"] == 2002
    start = time.process_time()
    plan = compile_plan(parse_scenario(found.text, "san.yaml"))
    assert time.process_time() - start < 10
    assert len(plan.hosts) == 2000


@pytest.mark.parametrize("dialect", ["brocade", "cisco"])
def test_a_large_fabric_is_checked_before_it_is_written(dialect: str, tmp_path: Path) -> None:
    (tmp_path / "all.txt").write_text(small(dialect, 600), encoding="utf-8")
    out = str(tmp_path / "san.yaml")
    result = CliRunner().invoke(app, ["import", "fabric", str(tmp_path / "all.txt"), "-o", out])
    assert result.exit_code == 0, result.output
    assert "600 hosts, 4 switches, 1 array" in result.stdout
    assert CliRunner().invoke(app, ["check", out]).exit_code == 0


def test_a_finding_is_listed_once_however_many_lie_between(tmp_path: Path) -> None:
    stale = "".join(
        f" zone:\tz_old{n}\n\t\t21:00:00:24:ff:00:{n >> 8:02x}:{n & 255:02x}\n" for n in range(600)
    )
    once = small("brocade") + f"\nsw1:FID128:admin> cfgshow\nEffective configuration:\n{stale}"
    again = once + f"sw2:FID128:admin> cfgshow\nEffective configuration:\n{stale}"
    told = [str(part) for part in imported(tmp_path, once=once).findings]
    assert sum("is in zone 'z_old" in text for text in told) == 600
    assert len(imported(tmp_path, again=again).findings) == len(told)


def test_two_captures_of_a_trunk_have_each_member_once(tmp_path: Path) -> None:
    rows = "".join(f"fc9/{n}  1  E  on  trunking  swl  TE  32  7  core\n" for n in (1, 2))
    brief = f"sw1# show interface brief\nInterface  Vsan   Admin  Admin   Status  SFP\n{rows}"
    whole = small("cisco").replace("   fc9/1  0x", "   port-channel7  0x", 1) + f"\n{brief}"
    for text in (whole, whole + brief):
        links = document(imported(tmp_path, all=text))["links"]
        assert [link["count"] for link in links if "trunk" in link] == [2]


SECRETS = """\
core9# show running-config
username admin password 5 $5$SECRETHASH role network-admin
snmp-server community SECRETCOMMUNITY group network-operator
tacacs-server key 7 "SECRETKEY"
device-alias database
  device-alias name db01_hba0 pwwn 21:00:f4:e9:d4:00:00:00
core9# show snmp community
SECRETCOMMUNITY            network-operator
core9# SECRETTYPED
core9# snmp-server user admin auth md5 SECRETAUTH
core9# show flogi database
INTERFACE        VSAN    FCID           PORT NAME               NODE NAME
fc1/1            10    0x090000  21:00:f4:e9:d4:01:00:00 20:00:f4:e9:d4:01:00:00
core9# show user-account SECRETUSER
SECRETROW
core9# configure terminal
core9(config)# radius-server key SECRETRADIUS
"""


def test_secrets_are_neither_kept_nor_shown(tmp_path: Path) -> None:
    found = imported(tmp_path, secrets=SECRETS, switches=small("cisco"))
    shown = [found.text, *map(str, found.origins), findings(found), *found.questions]
    shown += [f"{part.source} {part.what}" for part in found.skipped]
    assert "SECRET" not in "\n".join(shown)
    facts = read_files([tmp_path / "secrets.txt"])
    assert "SECRET" not in repr(facts)
    assert any(alias.name == "db01_hba0" for alias in facts.aliases)


def test_an_error_does_not_show_a_secret(tmp_path: Path) -> None:
    text = "sw1# show device-alias database\ndevice-alias name x pwwn key=SECRET!word\n"
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    with pytest.raises(sanlab.ScenarioError) as caught:
        import_fabric([tmp_path / "a.txt"])
    assert "SECRET" not in str(caught.value)
    assert ":2: The text in the place of one is not a world-wide name" in str(caught.value)


def test_traces_of_terminals_do_not_matter(tmp_path: Path) -> None:
    plain = small("brocade")
    lines = plain.split("\n")
    lines[5] += "\r\n--More--\b\b\b\b\b\b\b\b        \b\b\b\b\b\b\b\b"
    dirty = "=~=~=~ PuTTY log 2026.01.02 =~=~=~\r\n\x1b[0m" + "\r\n".join(lines)
    for name, data in (
        ("crlf", dirty.encode()),
        ("bom", b"\xef\xbb\xbf" + plain.encode()),
        ("utf16", plain.encode("utf-16")),
        ("utf16le", plain.encode("utf-16-le")),
    ):
        (tmp_path / f"{name}.txt").write_bytes(data)
        found = import_fabric([tmp_path / f"{name}.txt"])
        assert _same(found, {}) == _same(imported(tmp_path, plain=plain), {}), name


def test_wrapped_names_are_joined(tmp_path: Path) -> None:
    plain = small("brocade")
    wrapped = re.sub(r"(F-Port  (?:\w\w:){6})(\w\w:\w\w)", r"\1" + " " * 120 + r"\2", plain)
    assert wrapped != plain
    cut = re.sub(r"(\t\t(?:\w\w:){5})(\w\w:\w\w:\w\w)", r"\1\n\2", plain)
    assert cut != plain
    for name, text in (("wrapped", wrapped), ("cut", cut)):
        assert _same(imported(tmp_path, **{name: text}), {}) == _same(
            imported(tmp_path, plain=plain), {}
        )


def test_headings_in_place_of_prompts(tmp_path: Path) -> None:
    plain = small("cisco")
    quoted = re.sub(r"(?m)^sw(\d+)# (show .*)$", r"sw\1#\n`\2`", plain)
    assert _same(imported(tmp_path, quoted=quoted), {}) == _same(
        imported(tmp_path, plain=plain), {}
    )
    short = plain.replace("show flogi database", "sh flogi da").replace("show fcns", "sho fcns")
    assert _same(imported(tmp_path, short=short), {}) == _same(imported(tmp_path, plain=plain), {})


def test_unknown_outputs_are_listed_and_not_read(tmp_path: Path) -> None:
    text = small("brocade") + "\nsw1:FID128:admin> sensorshow\nsensor 1: 30\n"
    found = imported(tmp_path, all=text)
    assert [part.what for part in found.skipped][-1] == "sensorshow: known, not used"


@pytest.mark.parametrize(
    ("alias", "box"),
    [
        ("esx01_hba0", "esx01"),
        ("arr01_ct0_fc2", "arr01"),
        ("SERVER_A_PORT_1", "SERVER_A"),
        ("db-01-a", "db-01"),
        ("pure1", "pure1"),
        ("h_b", "h"),
    ],
)
def test_the_name_of_a_box_in_an_alias(alias: str, box: str) -> None:
    assert stem(alias) == box
