// The shapes of the server's answers that the views use.
import type { Problem } from './client';
import type { components } from './schema';

type Schemas = components['schemas'];

export interface Node {
  name: string;
  kind: 'host' | 'switch' | 'array' | 'stack';
  model: string | null;
  site: string | null;
  domain: number | null;
  modules: number | null;
  ports: string[];
}

export interface Port {
  name: string;
  node: string;
  label: string;
  kind: string;
  speed: string | null;
  state: string;
  reason: string | null;
  peer: string | null;
  link: number | null;
  wwpn: string | null;
  fc_id: string | null;
  logins: string[];
  zones: string[];
}

export interface Link {
  id: number;
  a: string;
  b: string;
  a_node: string;
  b_node: string;
  kind: 'edge' | 'isl' | 'trunk' | 'loop';
  speed: string;
  bytes_per_s: number;
  length_m: number;
  members: number;
  credit: [number, number];
  state: 'up' | 'down' | 'isolated' | 'was_down';
  reason: string | null;
  utilisation: number | null;
  credit_wait: number | null;
  errors: number | null;
}

export interface Loop {
  name: string;
  node: string | null;
  medium: string;
  speed: string;
  ports: string[];
  enclosures: number[];
  utilisation: number | null;
}

export interface Zone {
  name: string;
  fabric: string | null;
  vsan: number | null;
  zone_set: string | null;
  is_active: boolean;
  members: string[];
}

export interface Alias {
  name: string;
  members: string[];
}

export interface Access {
  lun: string;
  number: number;
  array: string;
  paths: [string, string][];
}

export interface Topology {
  at_ps: number;
  sites: { name: string; nodes: string[] }[];
  nodes: Node[];
  ports: Port[];
  links: Link[];
  loops: Loop[];
  zones: Zone[];
  aliases: Alias[];
  conflicts: string[];
}

export type Metric = 'utilisation' | 'credit_wait' | 'errors';

export interface Colours {
  metric: Metric;
  at_ps: number[];
  /** Ids of links, and for each of them its value in each interval. */
  links: number[];
  values: number[][];
}

export type ScenarioRow = Schemas['ScenarioRow'];
export type ScenarioText = Schemas['ScenarioText'];

export interface Checked {
  problems: Problem[];
  warnings: string[];
  notes: string[];
  totals: Record<string, number>;
  topology?: Topology | null;
}

export interface Edit {
  op: 'set' | 'insert' | 'remove';
  /** As after --set: hosts.host1.model */
  path: string;
  value?: unknown;
}

export interface Edited extends Checked {
  text: string;
  diff: string;
}

export type RunRow = Schemas['RunRow'];

export type StageRow = Schemas['StageRow'];
export type PresentMap = Omit<Schemas['PresentMap'], 'topology'> & { topology: Topology };

export type Row = Record<string, unknown>;

export type RunDetail = Schemas['RunDetail'];
export type SeriesRow = Schemas['SeriesRow'];
export type Series = Schemas['Series'];


export type Explained = Schemas['ExplainedWorkload'];
export type Finding = Schemas['FindingRow'];
export type Explanation = Schemas['Explanation'];
export type Happening = Schemas['Happening'];
export type Job = Schemas['Job'];
export type JobRow = Schemas['JobRow'];

export interface Sample {
  at_ps: number;
  /** Index of the port, bytes per second sent, share of the time it waited for credit. */
  ports: [number, number, number][];
  /** Index of the workload, I/Os per second, bytes per second. */
  workloads: [number, number, number][];
}

export type TableColumn = Schemas['Column'];
export type TableRow = Schemas['TableRow'];
export type TablePage = Schemas['TablePage'];
export type SweepRow = Schemas['SweepRow'];
export type SweepDetail = Schemas['SweepDetail'];
