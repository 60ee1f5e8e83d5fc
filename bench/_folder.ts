/** A folder, removed at the end of the scope that uses it. */
export interface Folder extends AsyncDisposable {
  readonly path: string;
}

/** Makes an empty folder. */
export async function makeFolder(): Promise<Folder> {
  const path = await Deno.makeTempDir({ prefix: "boardcast-bench-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
