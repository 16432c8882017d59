"""Scenario files: list, read, save, check, edit."""

from pathlib import Path

from fastapi import APIRouter

from sanlab.scenario.edit import Edit
from sanlab.server import models
from sanlab.server.checking import checked
from sanlab.server.refusal import require_known
from sanlab.server.services import Shared
from sanlab.server.workspace import digest_of, modified, title_of
from sanlab.topology import Access, access_of

router = APIRouter(tags=["scenarios"])


@router.get("/scenarios")
def scenarios(shared: Shared) -> list[models.ScenarioRow]:
    """Return the scenario files of the workspace, those of results left out."""
    return [
        models.ScenarioRow(
            path=shared.workspace.name(path), title=title_of(path), modified=modified(path)
        )
        for path in shared.workspace.scenarios()
    ]


@router.get("/scenarios/{path:path}")
def read(path: str, shared: Shared) -> models.ScenarioText:
    """Return the text of a scenario file."""
    text = shared.workspace.read(path)
    return models.ScenarioText(path=path, text=text, digest=digest_of(text))


@router.put("/scenarios/{path:path}")
def save(path: str, body: models.SaveRequest, shared: Shared) -> models.ScenarioText:
    """Save a text; 409 if the file is not the one with this digest."""
    digest = shared.workspace.save(path, body.text, body.digest)
    return models.ScenarioText(path=path, text=body.text, digest=digest)


@router.post("/check")
def check(body: models.CheckRequest, shared: Shared) -> models.CheckAnswer:
    """Check a text as `sanlab check` does; problems are part of the answer."""
    return checked(body.text, body.path, shared.workspace.root)


@router.post("/access")
def access(body: models.AccessRequest, shared: Shared) -> list[Access]:
    """Return the LUNs that a host may see, and the paths to each of them."""
    import json

    from sanlab.plan.compile import compile_plan
    from sanlab.scenario.load import parse_scenario

    scenario = parse_scenario(body.text)
    scenario.confine(shared.workspace.root, shared.workspace.root)
    plan = json.loads(compile_plan(scenario).to_json())
    require_known("host", body.host, (one["name"] for one in plan["hosts"]))
    return access_of(plan, body.host, body.at_ps)


@router.post("/edit")
def edit(body: models.EditRequest, shared: Shared) -> models.EditAnswer:
    """Change a text, comments and layout kept, and check the result; nothing is saved."""
    edits: list[Edit] = [(one.op, one.path, one.value) for one in body.edits]
    return _edited(body.text, edits, body.path, shared.workspace.root)


@router.post("/edit/cable")
def edit_cable(body: models.CableRequest, shared: Shared) -> models.EditAnswer:
    """Change one cable of a text, and check the result; nothing is saved."""
    from sanlab.plan.by_hand import CableChange, cable_edits

    change = CableChange(
        body.link,
        body.values,
        body.end,
        body.to,
        is_removed=body.is_removed,
        is_whole=body.is_whole,
    )
    return _edited(body.text, cable_edits(body.text, change), body.path, shared.workspace.root)


@router.post("/edit/zone")
def edit_zone(body: models.ZoneRequest, shared: Shared) -> models.EditAnswer:
    """Add a zone to a text, and check the result; nothing is saved."""
    from sanlab.plan.by_hand import zone_edits

    edits = zone_edits(body.text, body.name, body.members)
    return _edited(body.text, edits, body.path, shared.workspace.root)


def _edited(text: str, edits: list[Edit], path: str | None, root: Path) -> models.EditAnswer:
    from sanlab.scenario.edit import difference, edited

    after = edited(text, edits)
    found = checked(after, path, root)
    diff = difference(text, after, path or "scenario.yaml")
    return models.EditAnswer(text=after, diff=diff, **dict(found))
