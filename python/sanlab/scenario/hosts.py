"""Hosts: processors and host bus adapters."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from sanlab.scenario.base import (
    BlockSize,
    Credit,
    Exchanges,
    Name,
    Rate,
    ScenarioModel,
    Size,
    Span,
    Speed,
    Time,
    also,
    refusal,
    refuse_parts_of_sectors,
)

Interleave = Literal["sequence", "frame", "control"]
Binding = Literal["wwpn", "fc_id", "none"]
Submission = Literal["together", "serial"]


class Cpu(ScenarioModel):
    """Processors that serve I/O, and what one I/O costs them."""

    cores: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Cores that work on I/O at once."""
    cost_per_io: Time | None = None
    """CPU time of one I/O; half is spent before the HBA gets it, half after."""
    submit: Time | None = None
    """CPU time from the application's call to the command at the HBA."""
    complete: Time | None = None
    """CPU time from the HBA's interrupt to the application."""
    per_command: Time | None = None
    """CPU time of each command beside that: a request in pieces has several."""
    per_interrupt: Time | None = None
    """CPU time of each interrupt of the HBA."""

    @model_validator(mode="after")
    def _has_one_cost(self) -> Cpu:
        if self.cost_per_io is not None and (self.submit, self.complete) != (None, None):
            raise refusal(
                reason="'cost_per_io' is given together with 'submit' or 'complete'",
                remedy="Give either the whole cost, or its two parts",
                key="cost_per_io",
            )
        return self


class Os(ScenarioModel):
    """What an operating system makes of a request before the HBA gets it."""

    model: str | None = None
    """Entry of the catalog of systems that gives the values not written here."""
    max_request: BlockSize | None = None
    """Largest command; a larger request goes in pieces."""
    submission: Submission | None = None
    """Whether its pieces are issued together, or each when the one before is done."""

    @model_validator(mode="after")
    def _is_in_sectors(self) -> Os:
        refuse_parts_of_sectors(self, "max_request")
        return self


def _as_os(value: object) -> object:
    return {"model": value} if isinstance(value, str) else value


class Bus(ScenarioModel):
    """An I/O bus, shared by the adapters on it."""

    name: Name
    """Its name within the host."""
    model: str | None = None
    """Entry of the catalog that gives the values not written here; `pcie-3-x8` without it."""
    rate: Rate | None = None
    """Peak rate, of one direction where there are two."""
    burst: Annotated[Size, Field(ge=8, le=65_536)] | None = None
    """Longest burst."""
    fetch_overhead: Time | None = None
    """Time a burst from memory costs beside its data."""
    store_overhead: Time | None = None
    """Time a burst to memory costs beside its data."""
    full_duplex: bool | None = None
    """Both directions at once."""


class Hba(ScenarioModel):
    """A host bus adapter; every port has an engine of its own."""

    name: Name | None = None
    """Its name within the host; hba0, hba1 and so on where it is left out."""
    model: str | None = None
    """Entry of the catalog that gives the values not written here."""
    ports: Annotated[int, Field(ge=1, le=64)] | None = None
    """Ports, named p0, p1 and so on."""
    speed: Speed | None = None
    """Speed its ports are set to; without it they take the highest the other end has too."""
    bb_credit: Credit | None = None
    """Receive buffers, which the port grants as BB credit."""
    tx_buffers: Annotated[int, Field(ge=1, le=65_535)] | None = None
    """Frames held ready for the fibre, the one being sent included."""
    class3_sequences: Exchanges | None = None
    """Class 3 sequences the port may have open as their initiator."""
    interleave: Interleave | None = None
    """How open sequences take turns: after each `frame`; after each `sequence`; or so, with
    commands, XFER_RDYs and responses between the frames of data (`control`)."""
    submit: Time | None = None
    """Time of the adapter's engine to start a command."""
    complete: Time | None = None
    """Time of the adapter's engine to finish a command."""
    transfer: Time | None = None
    """Time of the adapter's engine to take in an XFER_RDY: a write has one for each burst."""
    card_latency: Time | None = None
    """Time on the card, each way, in which its engine does other things."""
    interrupt_delay: Time | None = None
    """From an answer to the interrupt that tells of it, and of all that came meanwhile. QLogic's
    timer counts in units of 100us; 0, the default, raises one for each answer."""
    bus: str | None = None
    """Bus of the host it is on, by its name in `buses`, or a model of the catalog for one of its
    own; without it memory is at hand at once."""
    execution_throttle: Exchanges | None = None
    """Commands a port may have open."""
    lun_queue_depth: Exchanges | None = None
    """Commands a port may have open on one LUN."""
    command_timeout: Span = 30 * 10**12
    """A command without an answer for so long is aborted and sent again, 30s where it is left out
    (Linux and Windows class drivers use 30 and 60s). Timers run only in scenarios in which
    something can go wrong."""
    fast_io_fail: Span | None = None
    """From the loss of a path to the failure of its commands, as Linux' `fast_io_fail_tmo`; they
    wait until `dev_loss` where it is left out."""
    dev_loss: Span = 30 * 10**12
    """From the loss of a path to its removal, as Linux' `dev_loss_tmo` and the port-down retry of
    an HBA's driver; 30s where it is left out."""
    retries: Annotated[int, Field(ge=0, le=1000)] = 5
    """How often a command is sent again before the application is told of its failure, 5 where it
    is left out, as Linux' disk driver does."""
    rx_hold: Time | None = None
    """From the last bit of a frame to its receive buffer being free again."""
    drain: Rate | None = None
    """Rate at which a port empties its receive buffers; at once where it is left out."""

    @model_validator(mode="after")
    def _fails_before_it_loses(self) -> Hba:
        if self.fast_io_fail is not None and self.fast_io_fail > self.dev_loss:
            raise refusal(
                reason="'fast_io_fail' is longer than 'dev_loss': the path goes before it fails",
                remedy="Make 'fast_io_fail' the shorter one",
                key="fast_io_fail",
            )
        return self

    loop_only: bool = False
    """Its ports know arbitrated loops only: a switch whose ports take no loop isolates them."""
    npiv: list[Name] = Field(default_factory=list)
    """Virtual ports, each with a name and a world-wide name of its own, that share the link of the
    adapter's first port: `vm1` is `host1.hba0.vm1`."""
    binding: Binding = "wwpn"
    """How targets are remembered: by world-wide port name, by address, or not at all. By address a
    target is lost when its switch gets another domain."""


class Multipath(ScenarioModel):
    """What a host does with several paths to a LUN. Without it each job keeps to one path."""

    policy: Literal["round-robin", "least-queue", "one-path"] = "round-robin"
    """All paths of the best group in turn, the one with the fewest requests, or the first."""
    ios: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """Requests on each path before the next; 1 where it is left out."""
    no_path: Literal["fail", "queue"] = "fail"
    """What becomes of requests while no path is left."""
    failback: Time | Literal["manual"] = 0
    """From the return of a preferred path to its use, at once where it is left out."""
    checker: Span = 5 * 10**12
    """Time between two looks of the path checker, 5s where it is left out: a failed path is used
    again after the next one."""
    switch_over: Time = 0
    """Time in which an array hands a LUN to the controller of other paths."""

    @model_validator(mode="after")
    def _counts_in_turn(self) -> Multipath:
        if self.ios is not None and self.policy != "round-robin":
            raise refusal(
                reason=f"'ios' means nothing with 'policy: {self.policy}'",
                remedy="Remove 'ios', or use 'policy: round-robin'",
                key="ios",
            )
        return self


def _as_hbas(value: object) -> object:
    return [value] if isinstance(value, dict) else value


class Host(ScenarioModel):
    """A host, or a group of equal hosts."""

    name: Name
    """Its name; `host[1..4]` makes four."""
    model: str | None = None
    """Entry of the catalog that gives the values not written here."""
    cpu: Cpu | None = None
    """Processors and cost per I/O."""
    os: Annotated[Os | None, BeforeValidator(_as_os), also({"type": "string"})] = None
    """Operating system, `windows-2003` or its values; that of the host's model where it is left
    out."""
    multipath: Multipath | None = None
    """What it does with several paths to a LUN."""
    buses: list[Bus] = Field(default_factory=list)
    """I/O buses that adapters name in `bus`."""
    hbas: Annotated[
        Annotated[list[Hba], Field(min_length=1)] | None,
        BeforeValidator(_as_hbas),
        also({"type": "object"}),
    ] = None
    """Adapters; one of a single port where it is left out."""
