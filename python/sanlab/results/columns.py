"""Meanings of all tables and columns of a run, for the reference page and the report."""

from __future__ import annotations

from typing import Final

#: Stages of an I/O in the order of its path, and the time that each includes.
STAGES: Final[dict[str, str]] = {
    "host_cpu": "host processor, before the command and after the response, waiting included",
    "file_system": "allocation of blocks by a file system, with waiting, messages and tokens",
    "lun_queue": "waiting for the LUN's queue depth or the adapter's execution throttle",
    "hba": "engine of the adapter, waiting included",
    "bus": "I/O bus of the host, waiting included, unless the I/O also waited for another stage",
    "tx_queue": "waiting in an N_Port behind other frames",
    "loop": "arbitrated loop: arbitration, opening, closing, and waiting for other circuits",
    "credit_wait": "waiting for BB credit at a transmitter on the path",
    "wire": "serialisation and propagation on fibres",
    "switch": "forwarding latency of switches, and waiting for an output",
    "recovery": "after a fault: waiting for a path, a time-out, an abort, or the change of path",
    "task_set": "waiting to be sent again after TASK SET FULL",
    "limit": "waiting at the array for a limit of the LUN or the host",
    "controller": "array processor, waiting included",
    "cache": "array cache, waits for space and for data read ahead included",
    "disk_queue": "waiting for a disk",
    "seek": "command overhead and seek of a disk",
    "rotation": "rotational latency of a disk",
    "transfer": "transfer to or from the platter",
    "parity": "computing parity, and waiting for a stripe that another write has locked",
    "media": "SSD, flash or RAM, waiting included",
    "mirror": "copy to another array, waiting for a free place among the outstanding copies included",
    "interrupt": "interrupt moderation: the adapter delays an interrupt to combine several responses",
}

#: Words of names of stages that are not written in small letters.
_WORDS: Final = {"cpu": "CPU", "lun": "LUN", "hba": "HBA", "tx": "transmit"}


def stage_name(stage: str) -> str:
    """The name of a stage in words.

    >>> stage_name("host_cpu"), stage_name("tx_queue"), stage_name("credit_wait")
    ('host CPU', 'transmit queue', 'credit wait')
    """
    return " ".join(_WORDS.get(word, word) for word in stage.split("_"))


#: Percentiles in the `workloads` table.
PERCENTILES: Final[dict[float, str]] = {
    50.0: "response_p50_ps",
    90.0: "response_p90_ps",
    95.0: "response_p95_ps",
    99.0: "response_p99_ps",
    99.9: "response_p99_9_ps",
    99.99: "response_p99_99_ps",
}

_PORT_DIRECTION = {
    "frames_count": "frames {way}",
    "bytes": "bytes {way}, with headers, CRC and delimiters, without fill words",
    "payload_bytes": "bytes of payload {way}",
    "utilisation": "share of the run during which the fibre {end} carried frames and the fill words after them",
}

#: Columns of `luns` and `lun_series`.
_TASK_SET = {
    "read_count": "reads answered with status GOOD",
    "write_count": "writes answered with status GOOD, copies of a mirror included",
    "read_bytes": "bytes of the reads",
    "write_bytes": "bytes of the writes",
    "queue_full_count": "commands answered TASK SET FULL, by the LUN or by the port",
    "open_ps": "time that commands spent in the task set, summed; divide by the commands for the mean",
    "mean_open": "commands in the task set, mean over time",
}

_WHERE_RESPONSE = "from the application's call to its completion"

#: Table to what it holds, and column to what it means. The unit is the end of a column's name.
TABLES: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "ports": (
        "One row for each end of a link, and for each port on an arbitrated loop.",
        {
            "port": "name: `host1.hba0.p0` and `dev1.p0` are N_Ports, `sw1.f3` F_Ports, `sw1.e16` E_Ports, "
            "`stack.disk1.a` the NL_Port of a disk on loop a",
            "node": "host, switch, array or stack the port belongs to",
            "kind": "`n_port`, `f_port` or `e_port`; on a loop `nl_port`, or `fl_port` for a port of a switch",
            "link": "index of the link in the plan; the indices of loops follow those of the links",
            "peer": "the port at the other end; for an `nl_port` or `fl_port` its loop",
            "speed": "name of the speed",
            "bytes_per_s": "data rate in one direction after line coding",
            "tx_frames_count": _PORT_DIRECTION["frames_count"].format(way="sent"),
            "tx_bytes": _PORT_DIRECTION["bytes"].format(way="sent"),
            "tx_payload_bytes": _PORT_DIRECTION["payload_bytes"].format(way="sent"),
            "tx_busy_ps": "time the transmitter was busy with frames and the fill words after them",
            "tx_utilisation": _PORT_DIRECTION["utilisation"].format(end="out"),
            "tx_credit_wait_ps": "time with a frame to send and no BB credit; idle time does not count; "
            "for an `nl_port` the wait for R_RDY within its circuits",
            "tx_credit_wait_count": "number of waits for credit",
            "tx_queue_wait_ps": "waiting time at this transmitter, summed over frames",
            "tx_queue_mean_frames": "frames waiting at this transmitter, mean over the run",
            "tx_dropped_count": "frames lost on this link or before it: cut off, corrupted, without a route, or discarded by the switch",
            "tx_timeout_count": "frames the switch discarded because they had waited for this port for the hold time",
            "tx_no_credit_drop_count": "frames the switch discarded because this port had been without credit for too long",
            "tx_link_reset_count": "link resets this port began because it had no credit",
            "tx_bb_credit": "BB credit the peer granted at login; for an `nl_port` the credit it grants to a port that opens it",
            "tx_credit_max_in_use": "most credits in use at once",
            "rx_frames_count": _PORT_DIRECTION["frames_count"].format(way="received"),
            "rx_bytes": _PORT_DIRECTION["bytes"].format(way="received"),
            "rx_payload_bytes": _PORT_DIRECTION["payload_bytes"].format(way="received"),
            "rx_timeout_count": "received frames the switch discarded after the hold time of another port",
            "rx_utilisation": _PORT_DIRECTION["utilisation"].format(end="in"),
        },
    ),
    "loops": (
        "One row for each arbitrated loop.",
        {
            "loop": "name: `stack.a` is loop a of a stack",
            "medium": "`shared`: a ring through every port, one circuit at a time; `switched`: crossbars in "
            "the enclosures, several circuits at once",
            "speed": "name of the speed",
            "ports_count": "ports on the loop",
            "round_ps": "time of a word around a shared loop; 0 on a switched one, where it "
            "depends on the pair",
            "tenancies_count": "circuits opened",
            "owned_ps": "time from winning the loop to giving it up, summed over circuits",
            "arbitrating_ps": "arbitration: time without a circuit while at least one port wanted the loop",
            "sending_ps": "time of frames and the fill words after them, summed over both directions",
            "owned_share": "`owned_ps` as a share of the run; on a switched loop above 1 when several "
            "circuits are open at once",
            "arbitrating_share": "`arbitrating_ps` as a share of the run",
            "sending_share": "`sending_ps` as a share of the run; above `owned_share` when circuits carry "
            "frames both ways at once",
        },
    ),
    "paths": (
        "One row for each path from an HBA port to a port of an array that a workload uses.",
        {
            "path": "both ends",
            "initiator": "port of the host",
            "target": "port of the array",
            "state": "state at the end of the run, as known to the host: `up`; `blocked`: lost, commands "
            "wait; `failed`: commands fail at once",
            "answers_count": "commands answered over it; counted only in scenarios with faults",
            "losses_count": "number of times it was lost",
            "lost_ps": "total time it was not up",
            "lost_first_ps": "when it was first lost; 0 if never",
            "replaced_ps": "when the first command to a LUN that used it was answered over another path after "
            "that; 0 if none",
        },
    ),
    "happenings": (
        "One row for each event in the fabric, and for each reaction of hosts and switches.",
        {
            "time_ps": "when",
            "what": "description",
            "place": "link, port, path, LUN or switch",
            "reason": "cause, if known",
        },
    ),
    "strings": (
        "One row for each string of links between two crossbars of a switched loop.",
        {
            "loop": "as in `loops`",
            "from": "crossbar nearer to the top, `stack.e1`",
            "to": "crossbar below it",
            "links_count": "links in parallel, each for one circuit at a time",
            "circuits_count": "circuits that used it",
            "held_ps": "time its links were in use by circuits, summed over links",
            "utilisation": "`held_ps` as a share of the run and of the links",
            "most_held_count": "most links in use at once",
        },
    ),
    "loop_series": (
        "One row for each arbitrated loop and bin of time. A circuit counts in the bin in which it ends.",
        {
            "loop": "as in `loops`",
            "time_ps": "end of the bin",
            "tenancies_count": "circuits opened in the bin",
            "owned_share": "time of circuits that ended in the bin, as a share of it",
            "arbitrating_share": "time of arbitration as a share of the bin",
            "sending_share": "time of frames as a share of the bin; both directions count",
        },
    ),
    "string_series": (
        "One row for each string of a switched loop and bin of time. A circuit counts in the bin in which it ends.",
        {
            "loop": "as in `loops`",
            "from": "crossbar nearer to the top, `stack.e1`",
            "to": "crossbar below it",
            "time_ps": "end of the bin",
            "circuits_count": "circuits of the bin that used it",
            "utilisation": "time its links were in use by circuits that ended in the bin, as a share of it and of the links",
        },
    ),
    "port_series": (
        "One row for each port and bin of time.",
        {
            "port": "as in `ports`",
            "time_ps": "end of the bin",
            "tx_bytes": "bytes sent in the bin",
            "tx_payload_bytes": "bytes of payload sent in the bin",
            "tx_utilisation": "share of the bin during which the transmitter was busy",
            "tx_credit_wait_ps": "time in the bin with a frame to send and no BB credit",
            "tx_queue_mean_frames": "frames waiting at the transmitter, mean over the bin; a wait counts "
            "in the bin in which its frame is sent",
            "tx_dropped_count": "frames lost in the bin, as in `ports`",
        },
    ),
    "workloads": (
        "One row for each workload and operation that had I/O in its measured window.",
        {
            "workload": "name in the scenario",
            "op": "`read` or `write`",
            "io_count": "I/Os that completed in the window",
            "bytes": "bytes that arrived in the window, those of I/Os not yet done included",
            "open_bytes": "of these, bytes of I/Os that are not done at the end of the run",
            "from_ps": "when the measured window begins: after the ramp",
            "window_ps": "length of the measured window: after the ramp, up to the stop",
            "iops": "I/Os per second of the window",
            "throughput_bytes_per_s": "bytes per second of the window",
            "response_mean_ps": f"mean response time, {_WHERE_RESPONSE}",
            "response_min_ps": "shortest response time",
            "response_max_ps": "longest response time",
            **{
                column: f"response time that {percent:g} % of the I/Os did not exceed"
                for percent, column in PERCENTILES.items()
            },
            "queue_full_count": "commands answered with TASK SET FULL",
            "error_count": "I/Os that failed after all retries, on all paths",
            "retried_count": "completed I/Os with a command that was sent again after a fault",
            "delayed_count": "completed I/Os that waited during a fault: for a path, a time-out, an abort",
            "command_count": "commands of the I/Os that ended in the window; a split I/O has several",
        },
    ),
    "workload_series": (
        "One row for each workload, operation and bin of time, the ramp included.",
        {
            "workload": "name in the scenario",
            "op": "`read` or `write`",
            "time_ps": "end of the bin",
            "io_count": "I/Os that completed in the bin",
            "bytes": "bytes that arrived in the bin, those of I/Os not yet done included",
            "response_sum_ps": "sum of their response times; divide by `io_count` for the mean",
            "response_max_ps": "longest of them",
            "response_p50_ps": "response time that half of them did not exceed, within 3 %; 0 without any, and in measured runs",
            "response_p99_ps": "response time that 99 % of them did not exceed, within 3 %; of fewer than 100 "
            "I/Os about the longest",
            "error_count": "I/Os that failed in the bin",
            "delayed_count": "I/Os that completed in the bin after waiting during a fault",
        },
    ),
    "response_histogram": (
        "Response times by workload and operation. Bins grow with the value, so the relative error is constant.",
        {
            "workload": "name in the scenario",
            "op": "`read` or `write`",
            "low_ps": "lower limit of the bin, included",
            "high_ps": "upper limit of the bin, not included",
            "io_count": "I/Os in the bin",
        },
    ),
    "phases": (
        "One row for each phase, workload and operation: I/Os that complete in it, also in ramp times.",
        {
            "phase": "name in the scenario",
            "workload": "name in the scenario",
            "op": "`read` or `write`",
            "from_ps": "when the phase begins",
            "to_ps": "when it ends, at the latest with the run",
            "submitted_count": "I/Os submitted in the phase",
            "io_count": "I/Os completed in it",
            "error_count": "I/Os that failed in it; other columns do not count them",
            "open_count": "I/Os open at its end",
            "bytes": "bytes of data that arrived in it",
            "iops": "`io_count` per second of the phase",
            "throughput_bytes_per_s": "`bytes` per second of the phase",
            "open_mean": "I/Os open, mean over the time of the phase. By Little's law, which is checked "
            "exactly, it is the time that I/Os were open within the phase, over its length",
            "response_mean_ps": f"mean response time of its completed I/Os, {_WHERE_RESPONSE}",
            "response_p50_ps": "response time that half of them do not exceed",
            "response_p95_ps": "likewise, 95 %",
            "response_p99_ps": "likewise, 99 %",
            "response_p99_9_ps": "likewise, 99.9 %",
            "response_max_ps": "longest",
        },
    ),
    "stages": (
        "Response time by stage. The stages of an operation sum exactly to its response time.",
        {
            "workload": "name in the scenario",
            "op": "`read` or `write`",
            "stage": "one of the stages below",
            "total_ps": "time in the stage, summed over I/Os",
            "mean_ps": "mean time in the stage of one I/O",
            "share": "`mean_ps` as a share of the mean response time",
        },
    ),
    "slowest": (
        (
            "The 20 slowest I/Os of each workload and operation in the measured window, the slowest first. "
            "The stages of a row sum exactly to its response time."
        ),
        {
            "workload": "name in the scenario",
            "op": "`read` or `write`",
            "job": "job that asked for it",
            "number": "requests the job had made before it; job and number name the same I/O in a repeated run",
            "start_ps": "when the application called",
            "response_ps": f"response time, {_WHERE_RESPONSE}",
            "host": "host it ran on",
            "array": "array of the LUN",
            "lun": "LUN; of an I/O in several commands that of the command that ended last",
            "initiator": "port of the host that the command left by; of several commands likewise",
            "target": "port of the array that the command went to; of several commands likewise",
            "offset_bytes": "first byte on the LUN, or on the volume of several LUNs",
            "bytes": "bytes",
            "command_count": "SCSI commands it took, retries left out",
            "is_retried": "1 if a command of it was sent again after a fault, else 0",
            **{f"{stage}_ps": f"time in the stage `{stage}`" for stage in STAGES},
        },
    ),
    "stage_series": (
        "One row for each workload, operation, stage and bin: I/Os that completed in it, ramps included.",
        {
            "workload": "name in the scenario",
            "op": "`read` or `write`",
            "stage": "one of the stages below",
            "time_ps": "end of the bin",
            "total_ps": "time in the stage, summed over the I/Os; divide by `io_count` of "
            "`workload_series` for the mean",
        },
    ),
    "replays": (
        (
            "One row for each device of a trace that a workload replays, warm-up included. Drift is the time "
            "from the recorded time of a request, scaled by `speed`, to its first command at the adapter, "
            "behind the processor and the queue of its LUN; `replay: timed` alone has it."
        ),
        {
            "job": "unique name",
            "workload": "workload it belongs to",
            "replay": "`timed`, `asap` or `closed`",
            "recorded_count": "requests of the trace",
            "submitted_count": "requests that were made",
            "recorded_ps": "from the first to the last request of the trace, scaled by `speed`",
            "replayed_ps": "from the start of the job to the last request that was made",
            "drift_count": "requests whose drift is known",
            "drift_mean_ps": "mean drift",
            "drift_p50_ps": "median drift",
            "drift_p99_ps": "99th percentile of the drift",
            "drift_max_ps": "longest drift",
        },
    ),
    "jobs": (
        "One row for each job and operation; a job is one stream of I/O from one host.",
        {
            "job": "unique name",
            "workload": "workload it belongs to",
            "host": "host it runs on",
            "target": "port of the array it uses; that of the first LUN if it has several",
            "lun": "LUN it uses; the first if it has several",
            "op": "`read` or `write`",
            "io_count": "I/Os that completed in the measured window",
            "bytes": "bytes that arrived in the window, as in `workloads`",
            "response_mean_ps": "mean response time",
        },
    ),
    "frames": (
        "Latency of frames, by the flow they belong to.",
        {
            "flow": "workload, traffic or mirror",
            "kind": "`workload`, `traffic` or `mirror`",
            "frames_count": "frames delivered",
            "payload_bytes": "bytes of payload in them",
            "network_mean_ps": "from the first bit out of the first port to the last bit into the last, mean",
            "network_max_ps": "the longest such time",
            "end_to_end_mean_ps": "from the frame being ready in its N_Port to its arrival, mean",
            "end_to_end_max_ps": "the longest such time",
        },
    ),
    "frame_histogram": (
        "Latencies of all frames.",
        {
            "latency": "`network` or `end_to_end`, as in `frames`",
            "low_ps": "lower limit of the bin, included",
            "high_ps": "upper limit of the bin, not included",
            "frames_count": "frames in the bin",
        },
    ),
    "adapters": (
        "One row for each port of a host bus adapter.",
        {
            "port": "name of the port",
            "host": "its host",
            "command_count": "commands its engine started",
            "interrupt_count": "interrupts it raised",
            "queue_full_count": "commands that came back with TASK SET FULL",
            "engine_utilisation": "share of the run during which its engine was busy",
        },
    ),
    "buses": (
        "One row for each I/O bus of a host.",
        {
            "bus": "name of the bus",
            "host": "its host",
            "bytes_per_s": "peak rate; of one direction if the bus has two",
            "from_memory_bytes": "bytes that adapters fetched",
            "to_memory_bytes": "bytes that adapters stored",
            "utilisation": "share of the run during which it was busy; of the busier direction if it has two",
        },
    ),
    "file_systems": (
        "One row for each file system.",
        {
            "file_system": "its name",
            "allocation_count": "allocations made for first writes",
            "allocation_utilisation": "share of the run during which the metadata server, or the host on XFS, allocated blocks",
            "journal_write_count": "writes of log and metadata",
            "journal_bytes": "bytes of log and metadata; they count in no workload",
            "response_mean_ps": "their mean response time",
        },
    ),
    "file_system_series": (
        "One row for each file system and bin of time.",
        {
            "file_system": "as in `file_systems`",
            "time_ps": "end of the bin",
            "allocation_count": "allocations made in the bin",
            "allocation_utilisation": "share of the bin during which blocks were allocated",
        },
    ),
    "stations": (
        "One row for each station, a component that serves requests: processors, buses, adapters, controllers, disks, SSDs, media.",
        {
            "station": "name",
            "kind": "`cpu`, `hba`, `bus`, `controller` (its processors), `disk`, `ssd`, `media`, `parity`, `partner` (copies "
            "to the other controller), or `forwarding` (commands to the controller that serves their LUN)",
            "servers": "requests it serves at once",
            "arrivals_count": "requests that arrived",
            "busy_ps": "time its servers were busy, summed over servers",
            "utilisation": "`busy_ps` as a share of the run and of the servers",
            "mean_in_system": "requests waiting or in service, mean over the run",
            "mean_residence_ps": "time waiting and in service, mean over the requests that left",
            "max_in_system": "most requests at once",
        },
    ),
    "luns": (
        "One row for each LUN that commands came to.",
        {
            "lun": "name",
            "array": "array or stack",
            "number": "SCSI logical unit number",
            "queue_depth": "commands its task set holds",
        }
        | _TASK_SET,
    ),
    "lun_series": (
        "One row for each of these LUNs and bin of time.",
        {"lun": "as in `luns`", "time_ps": "end of the bin"} | _TASK_SET,
    ),
    "station_series": (
        "One row for each station and bin of time.",
        {
            "station": "as in `stations`",
            "kind": "as in `stations`",
            "time_ps": "end of the bin",
            "arrivals_count": "requests that arrived in the bin",
            "utilisation": "share of the bin during which its servers were busy",
            "mean_in_system": "requests waiting or in service, mean over the bin",
        },
    ),
    "pairs": (
        "One row for each pair of N_Ports that a limit or a priority names, at each output it uses.",
        {
            "port": "the output: `sw1.f3`, `sw1.e16`",
            "source": "N_Port the frames come from",
            "destination": "N_Port they go to",
            "tx_frames_count": "frames sent",
            "tx_bytes": "bytes sent: headers, CRC and delimiters included, fill words not",
            "tx_payload_bytes": "bytes of payload sent",
            "held_ps": "time they waited at the output after they could have been forwarded, "
            "behind each other included, summed over frames",
        },
    ),
    "pair_series": (
        "One row for each pair of `pairs` and bin of time.",
        {
            "port": "as in `pairs`",
            "source": "N_Port the frames come from",
            "destination": "N_Port they go to",
            "time_ps": "end of the bin",
            "tx_frames_count": "frames sent in the bin",
            "tx_bytes": "bytes sent in the bin",
            "tx_payload_bytes": "bytes of payload sent in the bin",
            "held_ps": "time for which these frames waited at the output, summed over them",
        },
    ),
    "accelerators": (
        "One row for each direction of a link with `write_acceleration`.",
        {
            "port": "port of the near end, which answers writes that go this way",
            "peer": "port of the far end, which keeps their data",
            "writes_count": "writes that the near end answered in place of their targets",
            "bytes": "data of these writes",
            "no_room_count": "writes left to their targets because the far end had no room",
            "max_used_bytes": "most data of writes that were answered and not over",
            "passed_bytes": "data that the far end passed on to targets",
            "dropped_bytes": "data that it threw away, of writes that were refused or aborted",
        },
    ),
    "mirrors": (
        "One row for each mirrored LUN.",
        {
            "source": "LUN copied from",
            "target": "LUN copied to",
            "mode": "`synchronous` or `asynchronous`",
            "copies_count": "copies that completed",
            "unfinished_count": "writes at the end whose copy is in progress or still to come",
            "lost_count": "writes that were not copied themselves, because the mirror was suspended",
            "bytes": "bytes of the copies that completed",
            "first_ps": "when the first copy began",
            "last_ps": "when the last copy completed",
            "throughput_bytes_per_s": "bytes over the time from first to last",
            "response_mean_ps": "mean duration of the copies that completed; those of "
            "`unfinished_count` are left out",
            "max_outstanding": "most copies in progress at once",
            "waits_count": "writes that waited for room in the journal, or for a place among the "
            "copies in progress",
            "max_held_bytes": "most bytes of accepted writes whose copy was not done: what a "
            "journal has to hold",
            "max_lag_ps": "worst recovery point of the run: greatest age of the oldest "
            "acknowledged write whose copy was not done; unfinished copies count",
            "max_lag_bytes": "most bytes of acknowledged writes whose copy was not done",
            "mean_lag_bytes": "bytes of acknowledged writes whose copy was not done, mean over "
            "the run; unfinished copies count",
            "end_lag_ps": "age of the oldest acknowledged write whose copy is not done at the end",
            "end_lag_bytes": "bytes of acknowledged writes whose copy is not done at the end",
            "suspended_ps": "time in which the mirror was suspended",
            "suspensions_count": "times that a full journal suspended it",
            "resync_ps": "time in which it copied the regions written while it was suspended",
            "resync_bytes": "bytes of these copies that completed; `bytes` leaves them out",
        },
    ),
    "mirror_series": (
        "One row for each asynchronous mirror and interval of `measure.interval`.",
        {
            "source": "LUN copied from",
            "time_ps": "end of the interval",
            "max_lag_ps": "greatest age of the oldest acknowledged write whose copy was not done",
            "max_lag_bytes": "most bytes of acknowledged writes whose copy was not done",
            "mean_lag_bytes": "bytes of acknowledged writes whose copy was not done, mean over "
            "the interval",
            "end_lag_bytes": "the same at the end of the interval",
            "suspended": "1 if the mirror is suspended at the end of the interval, else 0",
            "resynchronises": "1 if it copies then what was written while it was suspended, else 0",
        },
    ),
    "groups": (
        "One row for each RAID group.",
        {
            "group": "name",
            "level": "RAID level",
            "drives_count": "disks",
            "missing_count": "drives lost and not rebuilt at the end",
            "stripe_waits_count": "requests that waited for a locked stripe",
            "reads_count": "reads of the group",
            "degraded_reads_count": "reads that computed the data of a lost drive",
            "writes_count": "writes of the group",
            "full_rows_count": "rows written without a preceding read: whole, or without parity",
            "modified_rows_count": "rows whose old data and parity were read first",
            "reconstructed_rows_count": "rows whose other data were read first",
            "recovered_rows_count": "rows whose surviving data were all read first",
            "disk_reads_count": "read operations of disks",
            "disk_writes_count": "write operations of disks",
            "disk_read_bytes": "bytes read from disks",
            "disk_write_bytes": "bytes written to disks",
        },
    ),
    "rebuilds": (
        "One row for each reconstruction of a drive.",
        {
            "group": "RAID group",
            "drive": "disk that failed",
            "spare": "disk that takes its place",
            "is_begun": "1 if it has begun",
            "is_done": "1 if it has ended",
            "first_ps": "when it began",
            "last_ps": "when it ended",
            "drive_bytes": "bytes to rebuild",
            "rebuilt_bytes": "bytes on the spare at the end",
            "rate_bytes_per_s": "mean rate so far",
        },
    ),
    "controllers": (
        "One row for each controller of an array.",
        {
            "controller": "controller; the array where that has only one",
            "is_up": "1 if it worked at the end",
            "luns_count": "LUNs that it alone served at the end",
            "commands_count": "commands its processors began",
            "forwarded_count": "commands that came to it and went on to the controller that served their LUN",
            "held_count": "commands that came to it and waited for the end of a takeover",
            "failures_count": "times it failed",
            "failed_ps": "time for which it had failed",
        },
    ),
    "rebuild_series": (
        "Progress of each reconstruction, about every hundredth of the drive.",
        {
            "drive": "disk that failed",
            "time_ps": "instant",
            "rebuilt_bytes": "bytes on the spare then",
        },
    ),
    "caches": (
        "One row for each cache: that of each controller. A cache with `read_hit` has no read-ahead.",
        {
            "controller": "controller whose LUNs it is for; the array where that has only one",
            "hits_count": "reads with all data in the cache",
            "waits_count": "reads that waited for a read-ahead in progress",
            "misses_count": "reads with missing data",
            "prefetches_count": "read-ahead requests",
            "prefetched_bytes": "bytes read ahead",
            "written_bytes": "bytes of writes stored in the cache",
            "overwritten_bytes": "bytes overwritten before they were destaged",
            "destaged_bytes": "bytes destaged to disk",
            "lost_bytes": "bytes lost with a controller that failed, because no other had a copy",
            "destages_count": "writes to disk",
            "full_stripe_destages_count": "writes to disk of a whole stripe",
            "dirty_bytes": "bytes not on disk at the end",
            "max_dirty_bytes": "most bytes not on disk at once",
            "room_waits_count": "writes that waited for room",
            "room_wait_ps": "time for which they waited, in sum",
            "full_ps": "time for which at least one write waited for room",
            "through_count": "writes that the cache did not take: answered when they were on the media",
            "alone_ps": "time for which it took no writes because no other controller could keep a copy",
            "mean_dirty_bytes": "mean of the bytes not on disk over the run",
        },
    ),
    "cache_series": (
        "One row for each cache and bin of time. Bins sum to the totals of `caches`.",
        {
            "controller": "controller, as in `caches`",
            "time_ps": "end of the bin",
            "span_ps": "length of the bin",
            "dirty_bytes": "bytes not on disk at the end of the bin",
            "mean_dirty_bytes": "mean of the bytes not on disk in the bin",
            "room_waits_count": "writes that began to wait for room in the bin",
            "full_ps": "time in the bin for which at least one write waited for room",
            "through_count": "writes of the bin that the cache did not take",
            "alone_ps": "time in the bin for which it took none because no other controller could keep a copy",
        },
    ),
    "limits": (
        "One row for each limit of a LUN or a host.",
        {
            "limit": "LUN, or host and array",
            "commands_count": "commands it counted",
            "bytes": "data of these commands",
            "delayed_count": "commands that waited for it",
            "mean_wait_ps": "mean wait of those; commands that still wait at the end included in full",
        },
    ),
    "limit_series": (
        "One row for each limit of a LUN or a host and bin of time.",
        {
            "limit": "as in `limits`",
            "time_ps": "end of the bin",
            "commands_count": "commands it counted in the bin",
            "bytes": "data of these commands",
            "delayed_count": "commands of the bin that have to wait for it",
            "wait_ps": "time for which they wait, in sum, counted in the bin in which they come",
        },
    ),
    "flash": (
        "One row for each flash SSD.",
        {
            "ssd": "LUN, or SSD of a pool or group",
            "pages_read_count": "pages read for commands",
            "pages_programmed_count": "pages programmed for commands",
            "pages_moved_count": "pages moved by garbage collection",
            "blocks_erased_count": "blocks erased",
        },
    ),
}
