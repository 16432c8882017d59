"""The run folder: all results of a run, written completely or not at all.

```text
runs/first-san/
  scenario.yaml     as it was written
  plan.json         as it was resolved
  manifest.json     version, seed, fingerprint, durations, checks
  tables/*.parquet  columns
  findings.json     numbers with their evidence   (added by the report)
  report.html       for people                    (added by the report)
```
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from sanlab.errors import SanlabError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from sanlab.simulation.manifest import Manifest

#: Default parent of run folders, below the current directory.
DEFAULT_PARENT = Path("runs")
#: File of the resolved plan.
PLAN = "plan.json"


def names_from(stem: str) -> Iterator[str]:
    """Names to try for a run of `stem`: the name itself, then with a number.

    >>> names = names_from("first-san")
    >>> next(names), next(names), next(names)
    ('first-san', 'first-san-2', 'first-san-3')
    """
    yield stem
    number = 2
    while True:
        yield f"{stem}-{number}"
        number += 1


def write(  # noqa: PLR0913  one for each file of the folder
    target: Path | None,
    stem: str,
    *,
    scenario: str | None,
    plan: str,
    manifest: Manifest,
    tables: Mapping[str, pa.Table],
    extras: Mapping[str, str] | None = None,
) -> Path:
    """Write a run folder and return it.

    `target` is the folder; it must not exist, or be empty. Without it the folder is the first free
    one below `runs/` with a name made from `stem`. The folder appears under its name only when it
    is complete: it grows under a temporary name beside it. `extras` are further files.
    """
    if target is not None:
        refuse_to_overwrite(target)
        target = _followed(target)
    parent = DEFAULT_PARENT if target is None else target.parent
    parent.mkdir(parents=True, exist_ok=True)
    growing = Path(tempfile.mkdtemp(prefix=f".{stem}-", suffix=".partial", dir=parent))
    try:
        growing.chmod(0o777 & ~_umask())
        shown = target or parent / stem
        if scenario is not None:
            with named(shown / "scenario.yaml"):
                (growing / "scenario.yaml").write_text(scenario, encoding="utf-8")
        with named(shown / PLAN):
            (growing / PLAN).write_text(plan, encoding="utf-8")
        for name, text in (extras or {}).items():
            with named(shown / name):
                (growing / name).write_text(text, encoding="utf-8")
        (growing / "tables").mkdir()
        for name, table in tables.items():
            with named(shown / table_file(name)):
                pq.write_table(table, growing / table_file(name), compression="zstd")
        files = [PLAN, *(table_file(name) for name in tables)]
        digests = {name: digest_of((growing / name).read_bytes()) for name in files}
        text = manifest.model_copy(update={"digests": digests}).model_dump_json(indent=2) + "\n"
        with named(shown / "manifest.json"):
            (growing / "manifest.json").write_text(text, encoding="utf-8")
        return _give_name(growing, target, parent, stem)
    except BaseException:
        shutil.rmtree(growing, ignore_errors=True)
        raise


def table_file(name: str) -> str:
    """Return the file of a table within a run folder."""
    return f"tables/{name}.parquet"


def digest_of(content: bytes) -> str:
    """Return the digest of a file that the manifest keeps: BLAKE2b with 128 bits."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Let an error of writing name the file as it is to be called, not its temporary name."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def refuse_target(target: Path | None) -> None:
    """Raise if a run cannot be written to `target`, or below `runs/` if that is None."""
    if target is None:
        refuse_unwritable(DEFAULT_PARENT)
    else:
        refuse_to_overwrite(target)


def refuse_to_overwrite(target: Path) -> None:
    """Raise if a run cannot be written to `target`, before the simulation starts."""
    if target.is_symlink() and not target.exists():
        reason = f"{target} is a link that leads nowhere. Name another folder, or remove it"
        raise SanlabError(reason)
    if target.is_dir() and any(target.iterdir()):
        reason = f"{target} exists and is not empty. Name another folder, or remove it"
        raise SanlabError(reason)
    if target.exists() and not target.is_dir():
        reason = f"{target} is a file. Name another folder"
        raise SanlabError(reason)
    refuse_unwritable(_followed(target).parent)


def _followed(target: Path) -> Path:
    """Return what a link leads to: a folder cannot take the place of a link."""
    return Path(os.path.realpath(target)) if target.is_symlink() else target


def refuse_unwritable(parent: Path) -> None:
    """Raise if no folder can be created below `parent`, which need not exist yet."""
    there = parent.absolute()
    while not os.path.lexists(there):
        there = there.parent
    if not there.is_dir():
        kind = "a link that leads nowhere" if there.is_symlink() else "a file"
        reason = f"{there} is {kind}, so nothing can be written below it. Name another folder"
        raise SanlabError(reason)
    if not os.access(there, os.W_OK | os.X_OK):
        reason = f"Nothing can be written below {there}: permission denied. Name another folder"
        raise SanlabError(reason)


def require_free(target: Path, *, force: bool) -> None:
    """Refuse a file that cannot be written, before any work is done for it.

    Raises
    ------
    SanlabError
        It is a folder or a device, its folder is missing, or it exists and `force` is not given.
    """
    if target.exists() and not target.is_file():
        reason = f"{target} is not a regular file. Name another file"
        raise SanlabError(reason)
    if target.exists() and not force:
        reason = f"{target} exists. Name another file, or use --force to replace it"
        raise SanlabError(reason)
    if not target.parent.is_dir():
        reason = f"There is no folder {target.parent} to write {target.name} to. Make it first"
        raise SanlabError(reason)


def write_file(path: Path, text: str) -> None:
    """Write a complete file: under a temporary name first, then renamed."""
    with growing_file(path) as growing:
        growing.write_text(text, encoding="utf-8")


@contextmanager
def growing_file(path: Path) -> Iterator[Path]:
    """Give the temporary name under which a file grows; it has its own when the block ends well."""
    with named(path):
        handle, name = tempfile.mkstemp(prefix=f".{path.name}-", suffix=".partial", dir=path.parent)
    os.close(handle)
    growing = Path(name)
    try:
        with named(path):
            yield growing
        growing.chmod(0o666 & ~_umask())
        growing.replace(path)
    except BaseException:
        growing.unlink(missing_ok=True)
        raise


def _give_name(growing: Path, target: Path | None, parent: Path, stem: str) -> Path:
    if target is not None:
        growing.rename(target)
        return target
    for name in names_from(stem):
        folder = parent / name
        if folder.exists():
            continue
        try:
            growing.rename(folder)
        except OSError as error:  # another run took the name meanwhile
            if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
                raise
        else:
            return folder
    raise AssertionError


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
