// Changes by hand on the picture, as the server takes them.
import type { Edit } from '../api/types';

export type Change =
  | { at: 'edit'; body: { edits: Edit[] } }
  | { at: 'edit/cable'; body: { link: number; values?: Record<string, string>; end?: string; to?: string; is_removed?: boolean; is_whole?: boolean } }
  | { at: 'edit/zone'; body: { name: string; members: string[] } };
