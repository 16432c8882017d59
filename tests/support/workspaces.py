"""Scenarios for tests of the page: small, quick, and each with something to see."""

from __future__ import annotations

#: Two switches with two links, zone sets for day and night, modules: quick to simulate.
LIVE = """\
title: A fabric to change
seed: 5

hosts:
  - {name: "host[1..2]", hbas: {model: generic-16g, command_timeout: 100ms}}

switches:
  - {name: "sw[1..2]", speed: 16GFC, modules: {count: 2, takeover: 200ms}}

arrays:
  - name: dev1
    model: generic-16g
    ports: 2
    luns: [{name: "lun[1..2]", size: 10GiB}]

links:
  - {from: "host[1..2]", to: sw1}
  - {from: "dev1.p[0..1]", to: sw2}
  - {from: sw1, to: sw2, count: 2}

zoning:
  zones:
    everyone: [host1, host2, dev1]
    first: [host1, dev1]
  sets:
    day: [everyone]
    night: [first]
  active: day

workloads:
  - {name: load, hosts: "host[1..2]", targets: "dev1.lun[1..2]",
     rw: randread, bs: 64k, iodepth: 4, rate: 20MB/s}

measure: {duration: 6s, interval: 100ms}
"""

#: The same with a cable that is pulled and put back.
PULLED = LIVE.replace("A fabric to change", "A cable is pulled").replace(
    "measure: {duration: 6s, interval: 100ms}",
    """\
faults:
  - {kind: link-down, between: [sw1, sw2], number: 1, at: 100ms, until: 300ms}

measure: {duration: 500ms, interval: 10ms}""",
)

#: Two fabrics with different zones of one name, which are connected.
ZONED = """\
title: Zones in conflict
seed: 3

hosts:
  - {name: "db[1..2]"}

switches:
  - {name: old, zoning_rules: brocade}
  - {name: new, zoning_rules: brocade}

arrays:
  - name: disks
    luns: [{name: "lun[1..2]"}]

links:
  - {from: db1, to: old}
  - {from: disks.p0, to: old}
  - {from: db2, to: new}
  - {from: disks.p1, to: new}
  - {from: old, to: new, connected: 50ms}

zoning:
  - switches: old
    aliases: {store: disks.p0}
    zones: {db: [db1, store]}
    sets: {production: [db]}
    active: production
  - switches: new
    zones: {db: [db2, disks.p1]}
    sets: {production: [db]}
    active: production

fabric: {build_time: 50ms}

workloads:
  - {name: oltp, hosts: "db[1..2]", targets: "disks.lun[1..2]",
     rw: randread, bs: 8KiB, rate_iops: 500}

measure: {duration: 200ms, interval: 10ms}
"""
