// Names of the stages of an I/O, as the server has them.
import { get } from '../api/client';
import type { StageRow } from '../api/types';
import { Loaded } from './load.svelte';

const stages = new Loaded<StageRow[]>();
void stages.from(get<StageRow[]>(['stages']));
const rows = $derived(new Map((stages.value ?? []).map((row) => [row.stage, row])));

export const stageName = (stage: string): string => rows.get(stage)?.name ?? stage.replaceAll('_', ' ');
export const stageMeaning = (stage: string): string => rows.get(stage)?.meaning ?? '';
