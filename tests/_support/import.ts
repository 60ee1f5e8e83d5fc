import { assertEquals } from "@std/assert";
import { listSubscriptions } from "../../services/subscriptions/subscriptions.ts";
import type { Storage } from "../../mod.ts";
import type { TestService } from "./service.ts";

/** The path of all subscribers. */
export const SUBSCRIBERS = "/api/v1/changelogs/subscribers";
/** The first line of a list in CSV. */
export const HEADER = "userEmail,userName,subscribed\n";

/** The report on an import, line by line. */
export interface Report {
  readonly refused: readonly Readonly<Record<string, unknown>>[];
  readonly counts: Readonly<Record<string, number>>;
  readonly unusedColumns: readonly string[];
}

export function sendImport(
  { send }: TestService,
  body: BodyInit,
  { query = "", type = "text/csv" }: { readonly query?: string; readonly type?: string } = {},
): Promise<Response> {
  const headers = { "content-type": type };
  return send("POST", `${SUBSCRIBERS}/import${query}`, { headers, body });
}

/** Reads the response to an import. */
export async function readReport(response: Response): Promise<Report> {
  const text = await response.text();
  assertEquals(
    [response.status, response.headers.get("content-type")],
    [200, "application/x-ndjson"],
    text,
  );
  const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  const { unusedColumns, ...counts } = lines.at(-1);
  return { refused: lines.slice(0, -1), counts, unusedColumns };
}

/** Imports a list, and returns the counts that are not 0. */
export async function importCounts(
  service: TestService,
  body: BodyInit,
  options?: { readonly query?: string; readonly type?: string },
): Promise<Readonly<Record<string, number>>> {
  const { counts } = await readReport(await sendImport(service, body, options));
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

/** Returns all subscriptions as `address name state source`. */
export async function stored(storage: Storage): Promise<string[]> {
  const { records } = await listSubscriptions(storage, { limit: 1_000 });
  return records.map(({ userEmail, userName, subscribed, source }) =>
    `${userEmail} ${userName} ${subscribed} ${source}`
  );
}
