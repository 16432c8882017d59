"""Times in which a host asked for I/O and no data passed its ports, though others may go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sanlab.explain.asking import asking
from sanlab.explain.once import once_for_each_run
from sanlab.explain.stalls import stalls_of
from sanlab.simulation.tables import numbers, texts

if TYPE_CHECKING:
    import numpy.typing as npt

    from sanlab.explain.asking import Asking
    from sanlab.explain.stalls import Stall
    from sanlab.results.record import Record


@once_for_each_run
def host_stalls(run: Record) -> dict[str, list[Stall]]:
    """Return the stalls of each host by its name, in the order of time; none without a time line.

    No table has the I/Os of a host over time. The payload on the links of its ports, over the mean
    payload of its I/Os, is nearly that: commands, answers and logins alone are far less than an
    I/O. Hosts on loops have no such line, and hosts whose rate changes over time are left out.
    """
    own: dict[int, list[Asking]] = {}
    for one in asking(run):
        own.setdefault(one.job["host"], []).append(one)
    found = {}
    ends, payload = _payload(run)
    for number, host in enumerate(run.plan["hosts"]):
        jobs = own.get(number, [])
        line = payload.get(number)
        done = sum(row["io_count"] for row in run.rows("jobs") if row["host"] == host["name"])
        if line is None or not done or any(one.job["load"] or one.job["think_ps"] for one in jobs):
            continue
        counts = np.rint(line * done / max(1.0, float(line.sum()))).astype(int).tolist()
        bins = list(zip(ends.tolist(), counts, strict=True))
        found[host["name"]] = stalls_of(host["name"], bins, jobs, run.manifest.simulated_ps)
    return found


def _payload(
    run: Record,
) -> tuple[npt.NDArray[np.int64], dict[int, npt.NDArray[np.float64]]]:
    """Ends of the bins, and the payload of each host in both directions in each, by its number."""
    if "port_series" not in run.tables or not run.table("port_series").num_rows:
        return np.zeros(0, dtype=np.int64), {}
    table = run.table("port_series")
    ends = np.unique(numbers(table, "time_ps").astype(np.int64))
    sent = numbers(table, "tx_payload_bytes").astype(np.float64).reshape(len(ends), -1)
    place = {name: at for at, name in enumerate(texts(table, "port")[: sent.shape[1]].tolist())}
    peers = {row["port"]: row["peer"] for row in run.rows("ports")}
    found: dict[int, npt.NDArray[np.float64]] = {}
    for number, host in enumerate(run.plan["hosts"]):
        names = [run.plan["n_ports"][one["n_port"]]["name"] for one in host["adapters"]]
        both = [place[end] for name in names for end in (name, peers.get(name)) if end in place]
        if both:
            found[number] = sent[:, both].sum(axis=1)
    return ends, found
