// Requests to the server. Every refusal arrives as a Problem: what is wrong, where, and what to do.

export interface Problem {
  message: string;
  file?: string | null;
  line?: number | null;
  column?: number | null;
  key?: string | null;
  remedy?: string | null;
  status?: number;
}

export class Refusal extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Refusal) return error.problem;
  if (error instanceof TypeError) return { message: 'The server does not answer.', remedy: 'Check that sanlab serve still runs.' };
  return { message: error instanceof Error ? error.message : String(error) };
}

export type Query = Record<string, string | number | boolean | null | undefined>;

/** The address of a resource below /api; each part of the path is escaped. */
export function address(path: readonly (string | number)[], query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const text = new URLSearchParams(pairs.map(([key, value]) => [key, String(value)])).toString();
  const escaped = path.map((part) => String(part).split('/').map(encodeURIComponent).join('/')).join('/');
  return `api/${escaped}${text ? `?${text}` : ''}`;
}

async function answer<T>(response: Response): Promise<T> {
  const text = await response.text();
  let body: unknown = null;
  try {
    body = text ? JSON.parse(text) : null;
  } catch {
    body = null;
  }
  if (response.ok) return body as T;
  throw new Refusal({ ...problemIn(body, response), status: response.status });
}

function problemIn(body: unknown, response: Response): Problem {
  if (body && typeof body === 'object') {
    const { error, detail } = body as { error?: Problem; detail?: unknown };
    if (error?.message) return error;
    if (detail) return { message: typeof detail === 'string' ? detail : JSON.stringify(detail) };
  }
  return { message: `The server refused the request: ${response.status} ${response.statusText}` };
}

export async function get<T>(path: readonly (string | number)[], query: Query = {}): Promise<T> {
  return answer<T>(await fetch(address(path, query), { headers: { Accept: 'application/json' } }));
}

async function send<T>(method: string, path: readonly (string | number)[], body: unknown): Promise<T> {
  return answer<T>(
    await fetch(address(path), {
      method,
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(body ?? {}),
    }),
  );
}

export const post = <T>(path: readonly (string | number)[], body?: unknown): Promise<T> => send('POST', path, body);
export const put = <T>(path: readonly (string | number)[], body: unknown): Promise<T> => send('PUT', path, body);
