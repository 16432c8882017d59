"""Back ends: loops on which the controllers of an array reach its disks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.plan import addressing
from sanlab.plan.schema import (
    BackEndPlan,
    LoopPlan,
    LoopPortPlan,
    NPortPlan,
    OnShared,
    OnSwitched,
    SharedMedium,
    SwitchedMedium,
)
from sanlab.quantities import PS_PER_S, SPEEDS, counted

if TYPE_CHECKING:
    from sanlab.plan.boxes import ArrayBox
    from sanlab.plan.names import Problems
    from sanlab.scenario.arrays import BackEnd

#: Ports a loop may have besides an FL_Port.
MOST_PORTS = 126
#: The 8-bit values of neutral disparity in both runs, by falling priority (INCITS 332, table of
#: AL_PAs); 00 belongs to the FL_Port.
AL_PAS = bytes.fromhex(
    "01 02 04 08 0F 10 17 18 1B 1D 1E 1F 23 25 26 27 29 2A 2B 2C 2D 2E 31 32 33 34 35 36 39 3A 3C "
    "43 45 46 47 49 4A 4B 4C 4D 4E 51 52 53 54 55 56 59 5A 5C 63 65 66 67 69 6A 6B 6C 6D 6E 71 72 "
    "73 74 75 76 79 7A 7C 80 81 82 84 88 8F 90 97 98 9B 9D 9E 9F A3 A5 A6 A7 A9 AA AB AC AD AE B1 "
    "B2 B3 B4 B5 B6 B9 BA BC C3 C5 C6 C7 C9 CA CB CC CD CE D1 D2 D3 D4 D5 D6 D9 DA DC E0 E1 E2 E4 "
    "E8 EF"
)
_WORD_BYTES = 4
#: Words a port holds, cable included; an estimate within the standard's limit.
_PORT_WORDS = 6
#: Frames a port sends before it yields to others that want the loop.
_TENANCY_FRAMES = 1024


@dataclass
class BackEnds:
    """N_Ports and loops of all back ends, which come after those of the fabric."""

    first_n_port: int
    n_ports: list[NPortPlan] = field(default_factory=list)
    loops: list[LoopPlan] = field(default_factory=list)
    of_array: dict[str, BackEndPlan] = field(default_factory=dict)

    def add(self, array: ArrayBox, disks: list[str], first_loop: int, problems: Problems) -> None:
        """Put the disks of an array on its loops."""
        spec = array.spec.back_end
        if spec is None:
            return
        if not disks:
            problems.add(
                (*array.path, "back_end"),
                f"'{array.name}' has no disks that a back end could reach",
                "Put a LUN on 'raid' or a 'group', or remove 'back_end'",
            )
            return
        if len(disks) + 1 > MOST_PORTS:
            problems.add(
                (*array.path, "back_end", "kind"),
                f"A loop would have {len(disks) + 1} ports, {counted(len(disks), 'disk')} and the "
                f"controller, and {MOST_PORTS} is the limit",
                "Use fewer disks, or several arrays",
            )
            return
        plan = BackEndPlan(initiators=[], disks=[[] for _ in disks])
        for loop in range(spec.loops):
            number = first_loop + len(self.loops)
            names = [f"{array.name}.b{loop}", *(f"{disk}.{loop}" for disk in disks)]
            ids = [
                self._n_port(array.name, name, number, al_pa)
                for name, al_pa in zip(names, _addresses(len(names)), strict=True)
            ]
            plan.initiators.append(ids[0])
            for ports, n_port in zip(plan.disks, ids[1:], strict=True):
                ports.append(n_port)
            self.loops.append(_loop(f"{array.name}.loop{loop}", spec, ids))
        self.of_array[array.name] = plan

    def _n_port(self, node: str, name: str, loop: int, al_pa: int) -> int:
        self.n_ports.append(
            NPortPlan(
                name=name,
                node=node,
                fc_id=addressing.fc_id_on_loop(loop, al_pa),
                wwpn=addressing.wwpn_of(name),
                tx_buffers=2,
                class3_sequences=2048,
                interleave="sequence",
                rx_hold_ps=0,
                drain_bytes_per_s=0,
            )
        )
        return self.first_n_port + len(self.n_ports) - 1


def _addresses(count: int) -> list[int]:
    """AL_PAs: the controller has the highest priority, disks the lowest."""
    return [AL_PAS[0], *list(reversed(AL_PAS))[: count - 1]]


def _loop(name: str, spec: BackEnd, ids: list[int]) -> LoopPlan:
    rate = SPEEDS[spec.speed]
    is_switched = spec.kind == "switched"
    delay = round(_PORT_WORDS * _WORD_BYTES * PS_PER_S / rate)
    return LoopPlan(
        name=name,
        speed=spec.speed,
        bytes_per_s=rate,
        gap_bytes=24,
        medium=(
            OnSwitched(switched=SwitchedMedium(crossbars=[name], strings=[]))
            if is_switched
            else OnShared(shared=SharedMedium())
        ),
        ports=[
            LoopPortPlan(
                n_port=n_port,
                al_pa=al_pa,
                delay_ps=delay,
                crossbar=0,
                is_fair=True,
                uses_transfer=False,
                is_full_duplex=spec.full_duplex,
                login_credit=0,
                buffers=spec.bb_credit,
                tenancy_frames=_TENANCY_FRAMES,
            )
            for n_port, al_pa in zip(ids, _addresses(len(ids)), strict=True)
        ],
    )
