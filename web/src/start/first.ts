/** The text of a new scenario: small, complete and quick. */
export const FIRST = `title: New scenario
hosts:
  - name: host[1..2]
switches:
  - name: sw1
arrays:
  - name: dev1
    luns:
      - {name: "lun[1..2]", size: 100GiB}
links:
  - {from: "host[1..2]", to: sw1, length: 10m}
  - {from: "dev1.p[0..1]", to: sw1, length: 10m}
workloads:
  - {name: readers, hosts: "host[1..2]", targets: "dev1.lun[1..2]", rw: randread, bs: 8k, iodepth: 4}
measure: {duration: 100ms, interval: 1ms}
`;
