// Files that are chosen or dropped, with the folders they are in: a folder names a switch.

/** A file under its name, behind those of its folders. */
export interface Source {
  name: string;
  file: File;
}

/** Files of an input, without the hidden ones that systems leave in folders. */
export function chosen(list: Iterable<File> | null): Source[] {
  return shown([...(list ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file })));
}

/** What was dropped: files, and those below folders. */
export async function dropped(data: DataTransfer | null): Promise<Source[]> {
  const entries = [...(data?.items ?? [])].map((item) => item.webkitGetAsEntry());
  const found = entries.filter((entry) => entry !== null);
  if (!found.length) return chosen(data?.files ?? null);
  return shown((await Promise.all(found.map((entry) => inside(entry)))).flat());
}

function shown(files: Source[]): Source[] {
  return files.filter(({ name }) => !name.split('/').some((part) => part.startsWith('.')));
}

async function inside(entry: FileSystemEntry): Promise<Source[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ name: entry.fullPath.replace(/^\//, ''), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: FileSystemEntry[] = [];
  // A reader gives a part of a folder at a time, and nothing at its end.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!part.length) break;
    found.push(...part);
  }
  return (await Promise.all(found.map((one) => inside(one)))).flat();
}
