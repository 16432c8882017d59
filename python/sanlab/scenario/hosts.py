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
    TimeOrManual,
    also,
    refusal,
    refuse_parts_of_sectors,
)

Interleave = Literal["sequence", "frame", "control"]
Engine = Literal["port", "card"]
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
    """Further CPU time of each command; a request that is split has several commands."""
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
    """How an operating system splits a request before the HBA gets it."""

    model: str | None = None
    """Entry of the catalog of systems that gives the values not written here."""
    max_request: BlockSize | None = None
    """Largest command; a larger request is split."""
    submission: Submission | None = None
    """Whether the parts are issued together, or one after another."""

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
    """Entry of the catalog that gives the values not written here; `pcie-3-x8` by default."""
    rate: Rate | None = None
    """Peak rate; of one direction if the bus has two."""
    burst: Annotated[Size, Field(ge=8, le=65_536)] | None = None
    """Longest burst."""
    fetch_overhead: Time | None = None
    """Overhead of a burst from memory."""
    store_overhead: Time | None = None
    """Overhead of a burst to memory."""
    full_duplex: bool | None = None
    """Whether both directions transfer at once."""


class Hba(ScenarioModel):
    """A host bus adapter."""

    name: Name | None = None
    """Its name within the host; by default hba0, hba1 and so on."""
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
    """When open sequences take turns: after each `frame`, after each `sequence`, or after each
    sequence with commands, XFER_RDYs and responses between the frames of data (`control`)."""
    submit: Time | None = None
    """Time of the adapter's engine to start a command."""
    complete: Time | None = None
    """Time of the adapter's engine to finish a command."""
    transfer: Time | None = None
    """Time of the adapter's engine to process an XFER_RDY; a write has one for each burst."""
    engine: Engine | None = None
    """What has an engine: each `port`, or the `card`, whose ports share it; `port` by default."""
    data_rate: Rate | None = None
    """Rate at which an engine moves data, beside its time for commands; unlimited by default."""
    turnaround: Time | None = None
    """Time an engine takes to change between reads and writes; 0 by default."""
    card_latency: Time | None = None
    """Further latency of the card in each direction; its engine is free meanwhile."""
    interrupt_delay: Time | None = None
    """Interrupt delay: from a response to the interrupt that reports it and all responses since.
    QLogic's timer has units of 100us. 0, the default, raises an interrupt for each response."""
    bus: str | None = None
    """I/O bus of the adapter: a name in `buses`, or a model of the catalog for a bus of its own.
    Without it memory transfers take no time."""
    execution_throttle: Exchanges | None = None
    """Commands a port may have open."""
    lun_queue_depth: Exchanges | None = None
    """Commands a port may have open on one LUN."""
    command_timeout: Span = 30 * 10**12
    """Time after which a command without a response is aborted and sent again; 30s by default
    (Linux and Windows class drivers use 30 and 60s). Timers run only in scenarios with faults."""
    fast_io_fail: Span | None = None
    """From the loss of a path to the failure of its commands, like `fast_io_fail_tmo` in Linux; by
    default they wait until `dev_loss`."""
    dev_loss: Span = 30 * 10**12
    """From the loss of a path to its removal, like `dev_loss_tmo` in Linux and the port-down retry
    of an HBA driver; 30s by default."""
    retries: Annotated[int, Field(ge=0, le=1000)] = 5
    """How often a command is sent again before the application gets an error; 5 by default, as in
    the disk driver of Linux."""
    rx_hold: Time | None = None
    """Time from the last bit of a frame until its receive buffer is free again."""
    drain: Rate | None = None
    """Rate at which a port empties its receive buffers; unlimited by default."""

    @model_validator(mode="after")
    def _fails_before_it_loses(self) -> Hba:
        if self.fast_io_fail is not None and self.fast_io_fail > self.dev_loss:
            raise refusal(
                reason="'fast_io_fail' is longer than 'dev_loss', which removes the path first",
                remedy="Make 'fast_io_fail' the shorter one",
                key="fast_io_fail",
            )
        return self

    loop_only: bool = False
    """Its ports support arbitrated loops only: a switch without loop support isolates them."""
    npiv: list[Name] = Field(default_factory=list)
    """Virtual ports, each with its own name and world-wide name, that share the link of the
    adapter's first port: `vm1` is `host1.hba0.vm1`."""
    binding: Binding = "wwpn"
    """How targets are identified: by world-wide port name, by address, or not at all. By address, a
    target is lost when its switch gets another domain."""


class Multipath(ScenarioModel):
    """How a host uses several paths to a LUN. Without it each job uses one path."""

    policy: Literal["round-robin", "least-queue", "one-path"] = "round-robin"
    """Choice of path within the best group: in turn, the path with the fewest requests, or the
    first one."""
    ios: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """Requests on each path before the next; 1 by default."""
    no_path: Literal["fail", "queue"] = "fail"
    """Whether requests wait or fail while there is no path."""
    failback: TimeOrManual = 0
    """Time from the return of an optimised path to its use, or `manual`; 0 by default."""
    checker: Span = 5 * 10**12
    """Interval of the path checker, which puts failed paths back into use; 5s by default."""

    @model_validator(mode="after")
    def _counts_in_turn(self) -> Multipath:
        if self.ios is not None and self.policy != "round-robin":
            raise refusal(
                reason=f"'ios' has no effect with 'policy: {self.policy}'",
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
    """Operating system, `windows-2003` or its values; that of the host's model by default."""
    multipath: Multipath | None = None
    """How it uses several paths to a LUN."""
    buses: list[Bus] = Field(default_factory=list)
    """I/O buses that adapters name in `bus`."""
    hbas: Annotated[
        Annotated[list[Hba], Field(min_length=1)] | None,
        BeforeValidator(_as_hbas),
        also({"type": "object"}),
    ] = None
    """Adapters; one with a single port by default."""
