"""The command line, in process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sanlab.cli.main import app
from sanlab.cli.new import Template

HELLO = str(Path(__file__).parents[2] / "examples" / "hello-san" / "scenario.yaml")


def invoke(*args: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(args))
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("template", [template.value for template in Template])
def test_templates_are_good(template: str, tmp_path: Path) -> None:
    path = str(tmp_path / "san.yaml")
    assert invoke("new", path, "-t", template)[0] == 0
    code, out, err = invoke("check", path)
    assert (code, err) == (0, "")
    assert "good" in out


def test_new_does_not_overwrite(tmp_path: Path) -> None:
    path = tmp_path / "san.yaml"
    path.write_text("mine", encoding="utf-8")
    code, out, err = invoke("new", str(path))
    assert (code, out) == (2, "")
    assert "--force" in err
    assert path.read_text(encoding="utf-8") == "mine"
    assert invoke("new", str(path), "--force")[0] == 0
    assert path.read_text(encoding="utf-8") != "mine"


def test_check_as_json() -> None:
    code, out, _ = invoke("check", HELLO, "--json")
    assert code == 0
    assert json.loads(out)["totals"]["jobs_count"] == 2


def test_errors_as_json_are_one_document() -> None:
    code, out, _ = invoke("check", HELLO, "--json", "--set", "workloads.readers.bs=4KB")
    assert code == 2
    (problem,) = json.loads(out)["error"]["problems"]
    assert problem["key"] == "workloads[0].bs"
    code, out, _ = invoke("plan", "missing.yaml", "--json")
    assert code == 2
    assert json.loads(out)["error"]["kind"] == "ScenarioError"


def test_plan_shows_resolved_values(tmp_path: Path) -> None:
    output = tmp_path / "plan.json"
    code, out, _ = invoke("plan", HELLO, "--no-pilot", "-o", str(output))
    assert code == 0
    assert "host1.hba0.p0" in out
    assert "32GFC" in out
    assert json.loads(output.read_text(encoding="utf-8"))["format"] == 3
    code, out, _ = invoke("plan", HELLO, "--no-pilot", "--json")
    assert json.loads(out)["plan"]["jobs"][0]["iodepth"] == 4
    assert json.loads(out)["estimate"]["is_available"] is False


def test_schema_and_catalog() -> None:
    for contract in ("scenario", "plan"):
        code, out, _ = invoke("schema", contract)
        assert code == 0
        assert json.loads(out)["type"] == "object"
    code, out, _ = invoke("catalog", "hbas", "qla2340")
    assert code == 0
    assert "ISP2312" in out
    code, out, _ = invoke("catalog", "--json")
    assert code == 0
    assert set(json.loads(out)) == {
        *(
            "hosts",
            "systems",
            "buses",
            "hbas",
            "switches",
            "disks",
            "arrays",
            "replication",
            "acceleration",
            "enclosures",
        ),
        "workloads",
    }
    code, out, _ = invoke("catalog", "hbas", "qla2340", "--json")
    assert json.loads(out)["hbas"]["qla2340"]["computed"] == {"commands_per_s": 35211}
    code, out, _ = invoke("catalog", "hba")
    assert code == 0
    assert out.startswith("hbas:\n  generic-32g")


def test_catalog_searches_by_word() -> None:
    code, out, _ = invoke("catalog", "search", "lpe", "64g")
    assert code == 0
    assert out == (
        "hbas:\n"
        "  lpe36002 Emulex LPe36002, two 64GFC ports, Gen 7\n"
        "  lpe38102 Emulex LPe38102, two 64GFC ports, Secure HBA\n"
    )
    assert invoke("catalog", "LPe", "64GFC") == (code, out, "")
    assert invoke("catalog", "hbas", "lpe", "64g") == (code, out, "")
    code, out, _ = invoke("catalog", "search", "qle", "16g", "--json")
    assert set(json.loads(out)) == {"hbas"}
    assert json.loads(out)["hbas"]["qle2672"]["bus"] == "pcie-3-x4"
    code, out, _ = invoke("catalog", "Brocade-G620")
    assert "buffers: 15360" in out


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["hbsa"], "Did you mean 'hbas'?"),
        (["hbas", "qla2350"], "Did you mean 'qla2340'?"),
        (["search", "qle2673", "16g"], "Did you mean 'qle2672'?"),
        (["search", "qqqqqq"], "An entry must have all words in its name, description or source"),
        (["hbas", "25GbE"], "Ethernet is not simulated"),
    ],
)
def test_catalog_without_a_match_names_the_nearest(words: list[str], hint: str) -> None:
    code, out, err = invoke("catalog", *words)
    assert (code, out) == (2, "")
    assert hint in err


def test_serve_without_its_libraries_says_how_to_install_them(tmp_path: Path) -> None:
    code = (
        "import sys\nsys.modules['fastapi'] = None\n"
        "from sanlab.cli.main import app\napp(['serve', sys.argv[1], '--no-browser'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "sanlab serve needs fastapi. Install it with: pip install 'sanlab[web]'\n"
    )


def test_ports_note_a_time_after_the_end_and_refuse_one_beyond_all_runs() -> None:
    code, out, _ = invoke("ports", HELLO, "--at", "5s")
    assert code == 0
    assert out.endswith("note: a run ends at 10.0 ms, before --at 5s\n")
    assert "note:" not in invoke("ports", HELLO, "--at", "1ms")[1]
    for late in ("1e400s", "99999999999999h"):
        code, out, err = invoke("ports", HELLO, "--at", late)
        assert (code, out) == (2, "")
        assert f"--at {late} is too late" in err


@pytest.mark.parametrize(
    ("command", "argument"),
    [
        ("serve", "[WORKSPACE]"),
        ("compare", "[OTHER]..."),
        ("validate", "[STUDY]..."),
        ("catalog", "[WORD]..."),
    ],
)
def test_an_optional_argument_has_one_pair_of_brackets(command: str, argument: str) -> None:
    code, out, _ = invoke(command, "--help")
    assert code == 0
    assert f" {argument} " in out
    assert "[[" not in out


def test_help_does_not_load_what_is_heavy() -> None:
    code = (
        "import sys, sanlab.cli.main\n"
        "heavy = {'pydantic', 'ruamel', 'numpy', 'pyarrow', 'jinja2', 'rich.table', 'fastapi'}\n"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("\n", "")
