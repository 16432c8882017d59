"""Back ends: loops on which the controllers of an array reach its disks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.plan import addressing
from sanlab.plan.loops import AL_PAS, WORD_BYTES
from sanlab.plan.schema import (
    BackEndPlan,
    LoopPlan,
    LoopPortPlan,
    NPortPlan,
    SharedMedium,
    SwitchedMedium,
)
from sanlab.plan.stacks import MOST_PORTS
from sanlab.quantities import PS_PER_S, SPEEDS, counted

if TYPE_CHECKING:
    from sanlab.plan.boxes import ArrayBox
    from sanlab.plan.names import Problems
    from sanlab.scenario.arrays import BackEnd

#: Words a port holds, cable included; an estimate within the standard's limit.
_PORT_WORDS = 6
#: Frames a port sends before it yields to other ports that arbitrate.
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
                f"'{array.name}' has no disks, so 'back_end' has no effect",
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
                drain_bytes_per_s=None,
                shares=None,
            )
        )
        return self.first_n_port + len(self.n_ports) - 1


def _addresses(count: int) -> list[int]:
    """AL_PAs: the controller has the highest priority, disks the lowest."""
    return [AL_PAS[0], *list(reversed(AL_PAS))[: count - 1]]


def _loop(name: str, spec: BackEnd, ids: list[int]) -> LoopPlan:
    rate = SPEEDS[spec.speed]
    is_switched = spec.kind == "switched"
    delay = round(_PORT_WORDS * WORD_BYTES * PS_PER_S / rate)
    return LoopPlan(
        name=name,
        speed=spec.speed,
        bytes_per_s=rate,
        gap_bytes=24,
        medium=(SwitchedMedium(crossbars=[name], strings=[]) if is_switched else SharedMedium()),
        ports=[
            LoopPortPlan(
                n_port=n_port,
                is_public=False,
                al_pa=al_pa,
                delay_ps=delay,
                crossbar=0,
                is_fair=True,
                uses_transfer=False,
                is_full_duplex=spec.full_duplex,
                login_credit=0,
                buffers=spec.bb_credit,
                tenancy_frames=_TENANCY_FRAMES,
                repeat_ps=delay,
            )
            for n_port, al_pa in zip(ids, _addresses(len(ids)), strict=True)
        ],
    )
