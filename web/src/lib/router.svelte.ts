// Routes in the fragment of the address, so that every view is a link: #/run/ID/charts?port=sw1.p3

export interface Place {
  view: string;
  parts: string[];
  query: Record<string, string>;
}

function read(): Place {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').filter(Boolean).map(decode);
  return { view: parts[0] ?? '', parts: parts.slice(1), query: Object.fromEntries(new URLSearchParams(query)) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

let place = $state.raw<Place>(read());
addEventListener('hashchange', () => (place = read()));

export const router = {
  get place(): Place {
    return place;
  },
};

/** The address of a view; empty values of the query are left out. */
export function href(parts: readonly string[], query: Record<string, string | number | null | undefined> = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const text = new URLSearchParams(pairs.map(([key, value]) => [key, String(value)])).toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

export function go(address: string): void {
  location.hash = address.slice(1);
}

/** Changes the query of the present view without a new entry in the history. */
export function setQuery(changes: Record<string, string | number | null>): void {
  const query: Record<string, string | number | null> = { ...place.query, ...changes };
  history.replaceState(null, '', href([place.view, ...place.parts], query));
  place = read();
}
