import { assertEquals } from "@std/assert";
import type { TestService } from "./service.ts";

/** The path of all entries. */
export const ENTRIES = "/api/v1/changelogs/entries";

const FILES = new URL("../fixtures/entries/", import.meta.url);

/** The report on an import of entries. */
export interface EntryReport {
  readonly remarks: readonly Readonly<Record<string, unknown>>[];
  /** The counts that are not 0. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Reads a file of entries. */
export function readFile(name: string): Promise<string> {
  return Deno.readTextFile(new URL(name, FILES));
}

/** Imports a file of entries. */
export async function importFile(
  service: TestService,
  body: BodyInit,
  { type = "text/markdown", query = "" }: { readonly type?: string; readonly query?: string } = {},
): Promise<EntryReport> {
  const headers = { "content-type": type };
  const response = await service.send("POST", `${ENTRIES}/import${query}`, { headers, body });
  const text = await response.text();
  assertEquals(
    [response.status, response.headers.get("content-type")],
    [200, "application/x-ndjson"],
    text,
  );
  const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  const counts = Object.entries<number>(lines.at(-1)).filter(([, count]) => count > 0);
  return { remarks: lines.slice(0, -1), counts: Object.fromEntries(counts) };
}

/** Returns the exported entries. */
export async function exported(
  service: TestService,
): Promise<Readonly<Record<string, unknown>>[]> {
  const response = await service.send("GET", `${ENTRIES}/export`);
  const text = await response.text();
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}
