// The JSON schema of a scenario: which keys and values may stand at a path, and what they mean.

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  default?: unknown;
  description?: string;
  minimum?: number;
  maximum?: number;
  required?: string[];
}

/** All schemas that may apply at a path of keys; lists are entered by themselves. */
export function schemasAt(root: Schema, path: readonly string[]): Schema[] {
  let found = flat(root, root);
  for (const key of path) {
    found = found.flatMap((schema) => {
      const next = schema.properties?.[key] ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
      return next ? flat(root, next) : [];
    });
  }
  return found;
}

/** A schema with its references, alternatives and items opened. */
function flat(root: Schema, schema: Schema, depth = 0): Schema[] {
  if (depth > 12) return [];
  if (schema.$ref) {
    const target = root.$defs?.[schema.$ref.replace('#/$defs/', '')];
    return target ? flat(root, target, depth + 1) : [];
  }
  const own = schema.properties || schema.enum || schema.type || schema.additionalProperties ? [schema] : [];
  const more = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  return [...own, ...more.flatMap((part) => flat(root, part, depth + 1))];
}

/** The schema of a key as it is written, with its description and default. */
export function keySchema(root: Schema, path: readonly string[], key: string): Schema | null {
  for (const schema of schemasAt(root, path)) {
    const own = schema.properties?.[key];
    if (own) return own;
  }
  return null;
}

/** One line on a value: its form, an example, its bounds and its default. */
export function valueHelp(root: Schema, schema: Schema): string {
  const all = flat(root, schema);
  const examples = [...new Set([schema, ...all].flatMap((part) => part.examples ?? []).map(String))];
  const values = [...new Set(all.flatMap((part) => part.enum ?? []).map(String))];
  const parts = [];
  if (values.length) parts.push(values.join(' | '));
  if (examples.length) parts.push(`for example ${examples.slice(0, 2).join(', ')}`);
  const bounded = all.find((part) => part.minimum !== undefined || part.maximum !== undefined);
  if (bounded) parts.push(`${bounded.minimum ?? ''} to ${bounded.maximum ?? ''}`);
  if (schema.default !== undefined && schema.default !== null && typeof schema.default !== 'object' && schema.default !== '') parts.push(`default ${schema.default}`);
  return parts.join('; ');
}

export function plainText(description: string | undefined): string {
  return (description ?? '').replaceAll(/\s*\n\s*/g, ' ').replaceAll('`', '');
}

export function valuesAt(root: Schema, path: readonly string[], key: string): { value: string; note: string }[] {
  const schema = keySchema(root, path, key);
  if (!schema) return [];
  const all = flat(root, schema);
  const found = new Map<string, string>();
  for (const part of all) for (const value of part.enum ?? []) found.set(String(value), 'choice');
  if (all.some((part) => [part.type].flat().includes('boolean'))) for (const value of ['true', 'false']) found.set(value, 'boolean');
  for (const part of [schema, ...all]) for (const value of part.examples ?? []) if (!found.has(String(value))) found.set(String(value), 'example');
  return [...found].map(([value, note]) => ({ value, note }));
}
