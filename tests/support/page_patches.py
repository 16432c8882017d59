"""Patches that a page of the manual shows.

`python tests/support/page_patches.py PAGE` applies them to this clone. With `--refresh`, it leaves
the clone as it is and rewrites the patches in the page with the lines that now surround them.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?<=```diff\n).*?(?=```)", re.DOTALL)
CONTEXT_LINES = 2


def patches_in(text: str) -> list[str]:
    """Return the patches of a page, or of a part of one, in their order."""
    return BLOCK.findall(text)


def files_of(patches: list[str]) -> list[str]:
    """Return the files that patches change or add, each once."""
    names = re.findall(r"^\+\+\+ b/(.+)$", "".join(patches), re.MULTILINE)
    return list(dict.fromkeys(names))


def apply(patches: list[str], tree: Path, *options: str) -> None:
    """Apply patches one after another; raise `ValueError` with the reason if one does not fit."""
    done = subprocess.run(
        ["git", "apply", *options],
        cwd=tree,
        input="".join(patches),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise ValueError(done.stderr)
    sys.stderr.write(done.stderr)


def git(tree: Path, *arguments: str) -> str:
    """Run git in a tree and return what it prints."""
    done = subprocess.run(["git", *arguments], cwd=tree, check=True, capture_output=True, text=True)
    return done.stdout


def copy_tree(to: Path) -> None:
    """Copy the files of this clone into a repository of its own."""
    listed = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in listed.split("\0"):
        if name and (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, to / name)
    git(to, "init", "--quiet")
    git(to, "add", "--all")


def refreshed(text: str, tree: Path) -> str:
    """Return a page whose patches show the lines around them in a copy of the clone."""

    def again(block: re.Match[str]) -> str:
        # Without any matching line a patch goes to its line number; git then prints a warning.
        apply([block.group()], tree, "-C0")
        git(tree, "add", "--intent-to-add", "--all")
        patch = git(tree, "diff", f"--unified={CONTEXT_LINES}")
        git(tree, "add", "--all")
        return re.sub(r"^(diff|index|new file) .*\n", "", patch, flags=re.MULTILINE)

    return BLOCK.sub(again, text)


def main() -> None:
    """Apply the patches of a page, or refresh them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("--refresh", action="store_true")
    arguments = parser.parse_args()
    text = arguments.page.read_text(encoding="utf-8")
    if not arguments.refresh:
        apply(patches_in(text), ROOT)
        return
    with tempfile.TemporaryDirectory() as folder:
        copy_tree(Path(folder))
        arguments.page.write_text(refreshed(text, Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
