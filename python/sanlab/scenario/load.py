"""A scenario from a file."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from sanlab.errors import Problem, ScenarioError
from sanlab.scenario.counts import check_counts, fill_counts
from sanlab.scenario.document import read_document
from sanlab.scenario.messages import problems_of
from sanlab.scenario.overrides import apply_overrides
from sanlab.scenario.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from sanlab.scenario.document import MarkedMap

#: Largest file that is read as a scenario.
MAX_FILE_BYTES = 16 * 2**20


def load_scenario(
    path: str | PathLike[str], overrides: Mapping[str, object] | None = None
) -> Scenario:
    """Read and check a scenario.

    Parameters
    ----------
    path
        The YAML file.
    overrides
        Values to change before the check, `{"workloads.writers.bs": "64k"}`: texts as after
        `--set`, numbers, true or false, or lists of them.

    Raises
    ------
    ScenarioError
        With every problem found, each with its place in the file.
    """
    return parse_scenario(read_text(Path(path)), str(path), overrides)


def parse_scenario(
    text: str, file: str = "scenario", overrides: Mapping[str, object] | None = None
) -> Scenario:
    """Check a scenario given as text; `file` is the name problems are reported under."""
    document = read_document(text, file)
    apply_overrides(document, overrides or {})
    return check_document(document)


def check_document(document: MarkedMap) -> Scenario:
    """Check a document that was read before, and may have been changed since."""
    check_counts(document)
    fill_counts(document)
    try:
        scenario = Scenario.model_validate(document)
    except ValidationError as error:
        raise ScenarioError(problems_of(error, Scenario, document)) from None
    scenario.attach(document)
    return scenario


def read_text(path: Path) -> str:
    """Read the text of a scenario file; raises a ScenarioError where it cannot be read."""
    line = None
    try:
        if path.is_dir():
            inside = path / "scenario.yaml"
            remedy = f"Write {inside}" if inside.is_file() else "Name a YAML file in it"
            raise ScenarioError([Problem(str(path), None, None, "", "This is a folder", remedy)])
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # to open a pipe would wait for whoever writes to it
            remedy = "Name a file that holds the text"
            reason = "This is a pipe or a device, not a file"
            raise ScenarioError([Problem(str(path), None, None, "", reason, remedy)])
        if status.st_size > MAX_FILE_BYTES:
            reason = f"The file is larger than {MAX_FILE_BYTES // 2**20} MiB"
            raise ScenarioError(
                [Problem(str(path), None, None, "", reason, "Use groups such as host[1..500]")]
            )
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        reason, remedy = "The file is not text in UTF-8", "Save it as UTF-8"
    except OSError as error:
        reason, remedy = f"The file cannot be read: {error.strerror}", "Check its name"
    raise ScenarioError([Problem(str(path), line, None, "", reason, remedy)])
