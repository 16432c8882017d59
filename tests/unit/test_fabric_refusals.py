"""Outputs that `sanlab import fabric` refuses: one error with file, line, reason and remedy."""

from __future__ import annotations

import gzip
import os
import random
from contextlib import suppress
from pathlib import Path

import fabrics
import pytest
from typer.testing import CliRunner

from sanlab.cli.main import app
from sanlab.errors import ScenarioError
from sanlab.importers.fabric import FabricImport, import_fabric
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

BROCADE = fabrics.brocade(fabrics.devices(3, arrays=1))
CISCO = fabrics.cisco(fabrics.devices(3, arrays=1))
CUT = "It was cut off: capture it again, or add --partial to use what it has."
WWN = "A world-wide name has 16 hexadecimal digits; capture the output again."
NONE = (
    "No output of a switch is recognised in the files. Give outputs of switchshow, nsshow, "
    "cfgshow, or show flogi database, show zoneset active."
)
ERROR = (
    "The file has an error of the switch in place of an output. Capture it again: correct the "
    "command, or log in anew."
)
AGAIN = "Save the session of the terminal as plain text."

#: Name of the case: content of the file, the words behind its name.
CASES: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "1: The file is empty. Capture the output again, or leave it out."),
    "blank": (" \n\n", "1: The file is empty. Capture the output again, or leave it out."),
    "binary": (b"\x7fELF\x02\x01\x01\x00\x00\x03\x00" * 40, f"1: The file is binary. {AGAIN}"),
    "binary_behind_text": (
        b"switchshow\n\n" + b"\x00\xff\x13" * 100,
        f"3: The file is binary. {AGAIN}",
    ),
    "control_characters": (b"ab\x01\x02\x03\x04" * 300, f"1: The file is binary. {AGAIN}"),
    "latin": (
        b"sw1# show flogi database\nname \xe4\n",
        "2: The file is not text in UTF-8 or UTF-16. Save it as UTF-8.",
    ),
    "prompts_only": (
        "sw1:FID128:admin>\nsw1:FID128:admin>\n",
        (
            " No output of a switch is recognised in the files. Give outputs of "
            "switchshow, nsshow, "
            "cfgshow, or show flogi database, show zoneset active."
        ),
    ),
    "other_text": (
        "Dear all,\nthe switch is slow.\n",
        (
            "1: No output of a switch is recognised in the files. Give outputs of "
            "switchshow, nsshow, "
            "cfgshow, or show flogi database, show zoneset active."
        ),
    ),
    "unread_commands_only": (
        "sw1:admin> sensorshow\nsensor 1: 30\n",
        (
            "1: No output of a switch is recognised in the files. Give outputs of "
            "switchshow, nsshow, "
            "cfgshow, or show flogi database, show zoneset active."
        ),
    ),
    "no_devices": (
        "sw1# show topology\nFC Topology for VSAN 1 :\n  fc1/1 0x2(2) fc1/1 192.0.2.2(sw2)\n",
        (
            " No output lists the devices in the fabric. Add nsshow and nscamshow, or show flogi "
            "database and show fcns database."
        ),
    ),
    "no_array": (
        (
            "sw1# show flogi database\n"
            "fc1/1 10 0x010000 21:00:f4:e9:d4:00:00:00 20:00:f4:e9:d4:00:00:00\n"
        ),
        (
            "2: The outputs have 1 devices and no array among them. Add the "
            "outputs of the switches "
            "that the others are plugged into."
        ),
    ),
    "no_host": (
        (
            "sw1# show flogi database\n"
            "fc1/1 10 0x010000 52:4a:93:70:00:00:00:00 52:4a:93:70:00:00:00:00\n"
        ),
        (
            "2: The outputs have 1 devices and no host among them. Add the outputs of the switches "
            "that the others are plugged into."
        ),
    ),
    "no_zone_with_both": (
        (
            "sw1# show flogi database\n"
            "fc1/1 10 0x010000 52:4a:93:70:00:00:00:00 52:4a:93:70:00:00:00:00\n"
            "fc1/2 10 0x010020 21:00:f4:e9:d4:00:00:00 20:00:f4:e9:d4:00:00:00\n"
            "sw1# show zoneset active\nzoneset name a vsan 10\n zone name b vsan 10\n"
            "  pwwn 52:4a:93:70:00:00:00:00\n"
        ),
        (
            "3: No zone has a host and an array. Add the effective zoning, and the outputs of all "
            "switches of the fabric."
        ),
    ),
    "flogi_cut": (
        (
            "sw1# show flogi database\n"
            "fc1/1 10 0x010000 21:00:f4:e9:d4:00:00:00 20:00:f4:e9:d4:00:00:00\n"
            "Total number of flogi = 7.\n"
        ),
        f"3: The output announces 7 logins and has 1. {CUT}",
    ),
    "flogi_row_cut": (
        "sw1# show flogi database\nfc1/1 10 0x010000 21:00:f4:e9\n",
        f"2: A row of the logins is not complete. {CUT}",
    ),
    "fcns_entry_cut": (
        "sw1# show fcns database detail\nVSAN:10     FCID:0x0a0000\n------\n",
        f"2: An entry of the name server has no port-wwn. {CUT}",
    ),
    "fcns_cut": (
        (
            "sw1# show fcns database\nVSAN 10:\n"
            "0x010000  N  21:00:f4:e9:d4:00:00:00  scsi-fcp:init\nTotal number of entries = 4\n"
        ),
        f"4: The output announces 4 devices and has 1. {CUT}",
    ),
    "aliases_cut": (
        (
            "sw1# show device-alias database\n"
            "device-alias name a pwwn 21:00:f4:e9:d4:00:00:00\nTotal number of entries = 2\n"
        ),
        f"3: The output announces 2 aliases and has 1. {CUT}",
    ),
    "port_channel_cut": (
        (
            "sw1# show port-channel database\nport-channel1\n    2 ports in total, 2 ports up\n"
            "    Ports:   fc1/47   [up] *\n"
        ),
        f"3: The output announces 2 members and has 1. {CUT}",
    ),
    "topology_row_cut": (
        "sw1# show topology\nFC Topology for VSAN 10 :\n   fc1/1 0x14(20)  fc1/\n",
        f"3: A row of the topology is not complete. {CUT}",
    ),
    "switchshow_header_only": (
        "switchName:\tsw1\nswitchWwn:\t10:00:88:94:71:00:01:00\n",
        f"1: The output of switchshow has no table of ports. {CUT}",
    ),
    "switchshow_without_a_name": (
        "sw1:admin> switchshow\nIndex Port Address Media Speed State Proto\n",
        f"1: The output of switchshow has no switchName. {CUT}",
    ),
    "fabricshow_cut": (
        (
            "sw1:admin> fabricshow\nSwitch ID   Worldwide Name\n"
            '  1: fffc01 10:00:88:94:71:00:01:00 192.0.2.1 0.0.0.0 >"sw1"\nThe '
            "Fabric has 4 switches\n"
        ),
        f"4: The output announces 4 switches and has 1. {CUT}",
    ),
    "fabricshow_without_switches": (
        "sw1:admin> fabricshow\nSwitch ID   Worldwide Name\n",
        f"1: The output of fabricshow has no switch. {CUT}",
    ),
    "islshow_row_cut": (
        "sw1:admin> islshow\n  1: 22-> 22 10:00:88:94:71:00:01:00\n",
        f"2: A row of islshow is not complete. {CUT}",
    ),
    "nsshow_cut": (
        (
            "sw1:admin> nsshow\n{\n"
            " N    010000;      3;21:00:f4:e9:d4:00:00:00;20:00:f4:e9:d4:00:00:00; na\n"
            "The Local Name Server has 9 entries }\n"
        ),
        f"4: The output announces 9 devices and has 1. {CUT}",
    ),
    "nsshow_row_cut": (
        "sw1:admin> nsshow\n{\n N    010000;      3;21:00:f4:e9:d4\n",
        f"3: A row of the name server is not complete. {CUT}",
    ),
    "nscamshow_cut": (
        (
            "sw1:admin> nscamshow\nnscam show for remote switches:\nSwitch entry for 2\n"
            "  Device list: count 370\n"
            "    N    020000;      3;21:00:f4:e9:d4:00:00:00;20:00:f4:e9:d4:00:00:00;\n"
        ),
        f"4: The output announces 370 devices and has 1. {CUT}",
    ),
    "digits_in_flogi": (
        (
            "sw1# show flogi database\n"
            "fc1/1 10 0x010000 21:00:f4:e9:d4:00:0h:00 20:00:f4:e9:d4:00:00:00\n"
        ),
        f"2: '21:00:f4:e9:d4:00:0h:00' is not a world-wide name. {WWN}",
    ),
    "digits_in_an_alias": (
        "sw1# show device-alias database\ndevice-alias name a pwwn 20:01:74:86:7n:d7:cb:59\n",
        f"2: '20:01:74:86:7n:d7:cb:59' is not a world-wide name. {WWN}",
    ),
    "short_member": (
        "sw1# show zoneset active\nzoneset name a vsan 1\n zone name b vsan 1\n pwwn 20:01:74\n",
        f"4: '20:01:74' is not a world-wide name. {WWN}",
    ),
    "digits_in_cfgshow": (
        (
            "sw1:admin> cfgshow\nEffective configuration:\n cfg:\ta\n zone:\tb\n"
            "\t\t21:00:f4:e9:d4:00:00:0g\n"
        ),
        f"5: '21:00:f4:e9:d4:00:00:0g' is not a world-wide name. {WWN}",
    ),
    "json_cut": (
        '{\n "Response": {\n  "fibrechannel-name-server": [\n   {"port-id": "0x0a0000",\n',
        "5: The JSON document is not complete or not valid. Capture it again.",
    ),
    "one_name_of_two_switches": (
        (
            "switchName:\tsw1\nswitchWwn:\t10:00:88:94:71:00:01:00\nIndex Port State\n"
            "switchName:\tsw2\nswitchWwn:\t10:00:88:94:71:00:01:00\nIndex Port State\n"
        ),
        (
            "4: The switches 'sw1' (FILE:1) and 'sw2' have one world-wide name, "
            "10:00:88:94:71:00:01:00. Name the outputs of one of them, or those "
            "after its change of "
            "name."
        ),
    ),
    "two_switches_of_one_name": (
        (
            "switchName:\tsw1\nswitchWwn:\t10:00:88:94:71:00:01:00\nIndex Port State\n"
            "switchName:\tsw1\nswitchWwn:\t10:00:88:94:71:00:02:00\nIndex Port State\n"
        ),
        (
            "4: Two switches are called 'sw1', with different world-wide names. "
            "Import one without the "
            "other; FILE:1 has the first."
        ),
    ),
    "json_of_rest_cut": (
        '{\n "Response": {\n  "fibrechannel-name-server": [\n   {\n    "port-name": "21:00',
        "5: The JSON document is not complete or not valid. Capture it again.",
    ),
    "json_cut_behind_a_prompt": (
        'sw1# show flogi database | json\n{"TABLE_flogi_entry": {"ROW_flogi_entry": [\n',
        "3: The JSON document is not complete or not valid. Capture it again.",
    ),
    "json_with_a_wrong_name": (
        '{"Response": {"fibrechannel-name-server": [\n {"port-name": "21:00:f4:e9:d4"}]}}',
        f"2: '21:00:f4:e9:d4' is not a world-wide name. {WWN}",
    ),
    "json_with_fewer_logins": (
        (
            '{"TABLE_flogi_entry": {"ROW_flogi_entry": {"interface": "fc1/1", "vsan": 1,\n'
            '"fcid": "0x010000", "port_name": "21:00:f4:e9:d4:00:00:00"}},\n'
            '"total_no_of_flogi": 2}'
        ),
        f"3: The output announces 2 logins and has 1. {CUT}",
    ),
    "json_of_the_name_server_with_fewer_devices": (
        (
            '{"TABLE_fcns_vsan": {"ROW_fcns_vsan": {"vsan_id": 1, "TABLE_fcns_database":\n'
            '{"ROW_fcns_database": [{"pwwn": "21:00:f4:e9:d4:00:00:00"},\n'
            '{"pwwn": "21:00:f4:e9:d4:00:00:01"}]},\n"total_number_of_entries": 3}}}'
        ),
        f"4: The output announces 3 devices and has 2. {CUT}",
    ),
    "json_of_something_else": ('{"a": 1}', f"1: {NONE}"),
    "json_too_deep": ("[" * 100_000, f"1: {NONE}"),
    "xml_cut": (
        '<?xml version="1.0"?>\n<Response>\n<fibrechannel><name>0/1</name>\n',
        "3: The XML document is not complete or not valid. Capture it again.",
    ),
    "xml_with_definitions": (
        '<Response>\n<!DOCTYPE a [<!ENTITY b "c">]>\n<fibrechannel/></Response>\n',
        "1: The XML document has a definition of its own. Give the answer of the switch alone.",
    ),
    "error_of_rest": (
        '{"errors": {"error": [{"error-message": "Invalid session key hunter2"}]}}',
        f"1: {ERROR}",
    ),
    "error_of_nx_api": (
        (
            '{"ins_api": {"outputs": {"output": {"input": "show flogi", "code": "400",\n'
            '"clierror": "% Invalid command"}}}}'
        ),
        f"1: {ERROR}",
    ),
    "page_of_a_login": (
        "<!DOCTYPE html>\n<html><body><form>Password</form></body></html>\n",
        f"1: {NONE}",
    ),
    "command_misspelled": (
        "sw1# show flogi databse\n          ^\n% Invalid command at '^' marker.\n",
        f"1: {NONE}",
    ),
    "command_not_allowed": (
        "sw1:admin> switchshow\nrbash: switchshow: command not found\n",
        f"1: The output of switchshow has no switchName. {CUT}",
    ),
    "digits_masked": (
        "sw1# show flogi database\nfc1/1 10 0x010000 21:00:xx:xx:d4:00:00:00\n",
        (
            "2: '21:00:xx:xx:d4:00:00:00' is not a world-wide name. Put digits in place of those "
            "that are masked, the same ones everywhere."
        ),
    ),
    "archive": (gzip.compress(BROCADE.encode(), mtime=0), f"1: The file is binary. {AGAIN}"),
    "utf_16_cut_within_a_character": (
        "sw1# show flogi database\n".encode("utf-16")[:-1],
        "1: The file is not text in UTF-8 or UTF-16. Save it as UTF-8.",
    ),
    "rest_of_two_switches_with_one_name": (
        (
            '{"Response": {"fibrechannel-switch": [\n'
            '{"name": "10:00:88:94:71:00:01:00", "user-friendly-name": "sw1", "model": "162"},\n'
            '{"name": "10:00:88:94:71:00:01:00", "user-friendly-name": "sw2", "model": "162"}]}}'
        ),
        (
            "3: The switches 'sw1' (FILE:2) and 'sw2' have one world-wide name, "
            "10:00:88:94:71:00:01:00. Name the outputs of one of them, or those after its change "
            "of name."
        ),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_refusal(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content, words = CASES[name]
    monkeypatch.chdir(tmp_path)
    file = Path(f"{name}.txt")
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    result = CliRunner().invoke(app, ["import", "fabric", file.name, "-o", "san.yaml"])
    assert result.stderr == f"{file}:{words}\n".replace("FILE", file.name)
    assert (result.stdout, result.exit_code) == ("", 2)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("kind", ["fifo", "device"])
def test_what_is_no_file(kind: str, tmp_path: Path) -> None:
    place = tmp_path / "pipe" if kind == "fifo" else Path("/dev/zero")
    if kind == "fifo":
        os.mkfifo(place)
    command = ["import", "fabric", str(place), "-o", str(tmp_path / "san.yaml")]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 2
    assert result.stderr == f"{place}: This is not a regular file. Save the outputs in a file.\n"
    assert not (tmp_path / "san.yaml").exists()


def test_there_are_many() -> None:
    assert len(CASES) >= 25


def test_what_is_not_there(tmp_path: Path) -> None:
    for name in ("none.txt", "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        out = str(tmp_path / "san.yaml")
        result = CliRunner().invoke(app, ["import", "fabric", str(tmp_path / name), "-o", out])
        assert result.exit_code == 2
        assert f"{name}: The " in result.stderr
        assert not (tmp_path / "san.yaml").exists()


def test_a_switch_with_more_ports_than_a_scenario_allows(tmp_path: Path) -> None:
    rows = ["sw1# show flogi database"]
    for n in range(300):
        kind = "21:00:f4:e9:d4" if n else "52:4a:93:70:00"
        name = f"{kind}:00:{n // 256:02x}:{n % 256:02x}"
        rows.append(f"fc{1 + n // 48}/{1 + n % 48} 10 0x01{n % 256:02x}00 {name} {name}")
    (tmp_path / "a.txt").write_text("\n".join(rows), encoding="utf-8")
    out = str(tmp_path / "san.yaml")
    result = CliRunner().invoke(app, ["import", "fabric", str(tmp_path / "a.txt"), "-o", out])
    assert result.exit_code == 2
    assert "'sw1' has 300 ports in use. A switch of a scenario has at most 256" in result.stderr


def test_what_was_cut_off_can_be_used(tmp_path: Path) -> None:
    text = CISCO.replace("Total number of flogi = 3.", "Total number of flogi = 5.")
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    command = ["import", "fabric", str(tmp_path / "a.txt"), "-o", str(tmp_path / "san.yaml")]
    assert CliRunner().invoke(app, command).exit_code == 2
    result = CliRunner().invoke(app, [*command, "--partial"])
    assert (result.exit_code, "announces 5 logins and has 3" in result.stdout) == (0, True)


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(BROCADE, encoding="utf-8")
    command = ["import", "fabric", str(tmp_path / "a.txt"), "-o", str(tmp_path / "no" / "san.yaml")]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt"]


@pytest.mark.parametrize("dialect", ["brocade", "cisco"])
@pytest.mark.parametrize("seed", range(8))
def test_damaged_outputs_are_imported_or_refused(dialect: str, seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    text = {"brocade": BROCADE, "cisco": CISCO}[dialect]
    for number in range(12):
        file = tmp_path / f"{number}.txt"
        file.write_text(damaged(text, rng), encoding="utf-8")
        with suppress(RefusedError):
            found = import_or_refuse(file, partial=number % 2 == 1)
            compile_plan(parse_scenario(found.text, "san.yaml"))


class RefusedError(Exception):
    """An import that ended with one problem and its remedy."""


def import_or_refuse(file: Path, *, partial: bool) -> FabricImport:
    try:
        return import_fabric([file], partial=partial)
    except ScenarioError as error:
        (problem,) = error.problems
        if not problem.remedy:
            raise
        raise RefusedError from error


def damaged(text: str, rng: random.Random) -> str:
    """Cut a text off, lose lines of it, double some, and change letters."""
    lines = text[: rng.randrange(len(text) // 2, len(text))].split("\n")
    kept = [line for line in lines if rng.random() > 0.03 for _ in range(1 + (rng.random() > 0.97))]
    joined = "\n".join(kept)
    for _ in range(rng.randrange(4)):
        place = rng.randrange(len(joined))
        joined = joined[:place] + rng.choice("0f:z ,;\n\t[") + joined[place + 1 :]
    return joined
