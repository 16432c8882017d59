// Completion and help in the editor, from the scenario's schema and the names of its topology.
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { hoverTooltip, type Tooltip } from '@codemirror/view';
import { keySchema, plainText, schemasAt, valueHelp, valuesAt, type Schema } from './schema';
import { whereAt } from './yaml_path';

/** Keys whose values are names of boxes and ports. */
const NAMING = new Set(['from', 'to', 'hosts', 'targets', 'host', 'port', 'switch', 'array', 'switches', 'between', 'host_port', 'target_port']);

/** Who types before the schema is there gets the completion once it comes. */
export function completions(schema: Promise<Schema | null>, names: () => readonly string[]) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const root = await schema;
    if (!root) return null;
    const text = context.state.doc.toString();
    const line = context.state.doc.lineAt(context.pos);
    if (/^\s*#/.test(line.text)) return null;
    const where = whereAt(text, context.pos);
    if (where.key === null) {
      if (!context.explicit && where.from === context.pos) return null;
      return { from: where.from, options: keys(root, where.path), validFor: /^[\w-]*$/ };
    }
    const options: Completion[] = valuesAt(root, where.path, where.key).map(({ value, note }) => ({ label: value, detail: note, type: 'constant' }));
    if (NAMING.has(where.key)) options.push(...names().map((name) => ({ label: name, type: 'variable' })));
    return options.length ? { from: where.from, options, validFor: /^[\w.[\]:*-]*$/ } : null;
  };
}

function keys(root: Schema, path: readonly string[]): Completion[] {
  const found = new Map<string, Completion>();
  for (const schema of schemasAt(root, path)) {
    for (const [key, value] of Object.entries(schema.properties ?? {})) {
      if (found.has(key)) continue;
      found.set(key, {
        label: key,
        apply: `${key}: `,
        type: 'property',
        detail: valueHelp(root, value).slice(0, 48),
        info: plainText(value.description),
        boost: schema.required?.includes(key) ? 1 : 0,
      });
    }
  }
  return [...found.values()];
}

/** Description and units of the key under the pointer. */
export function help(schema: () => Schema | null) {
  return hoverTooltip((view, position): Tooltip | null => {
    const root = schema();
    const line = view.state.doc.lineAt(position);
    const offset = position - line.from;
    const match = [...line.text.matchAll(/([\w-]+)\s*:/g)].find((found) => found.index <= offset && offset <= found.index + (found[1]?.length ?? 0));
    if (!root || !match?.[1]) return null;
    const key = match[1];
    const start = line.from + match.index;
    const found = keySchema(root, whereAt(view.state.doc.toString(), start).path, key);
    if (!found) return null;
    return {
      pos: start,
      end: start + key.length,
      above: true,
      create: () => {
        const dom = document.createElement('div');
        dom.className = 'cm-help';
        const title = document.createElement('strong');
        title.textContent = key;
        const what = document.createElement('p');
        what.textContent = plainText(found.description);
        const how = document.createElement('p');
        how.textContent = valueHelp(root, found);
        dom.append(title, what, how);
        return { dom };
      },
    };
  });
}
